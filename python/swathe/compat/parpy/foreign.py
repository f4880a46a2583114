# SPDX-License-Identifier: BSD-3-Clause
"""Functions of other languages, and of Python, for ParPy's functions to call.

>>> import swathe.compat.parpy as parpy
>>> from swathe.compat.parpy.types import F64
>>> @parpy.external("hypot", parpy.CompileBackend.Cpu)
... def length(x: F64, y: F64) -> F64:
...     ...
>>> @parpy.jit
... def norm(x, y):
...     return length(x, y)
>>> norm(3.0, 4.0)
5.0
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from swathe import _core, _link
from swathe.annotate import Buffer
from swathe.errors import LinkError

__all__ = ["callback", "external"]


def _type_text(name: str, where: str, t: Any) -> str:
    from swathe.types import _text

    if isinstance(t, Buffer):
        dims = ", ".join([":"] * (len(t.shape) - 1) + ["::1"])
        return f"{_text(t.dtype)}[{dims}]"
    if t is inspect.Parameter.empty:
        raise TypeError(f"{name}(): {where} has no type; annotate it, as in `x: parpy.types.F64`")
    return {int: "int64", float: "float64", bool: "bool", None: "void"}.get(t) or _text(t)


def _signature(func: Any) -> str:
    s = inspect.signature(func, eval_str=True)
    name = func.__name__
    params = [_type_text(name, f"'{p.name}'", p.annotation) for p in s.parameters.values()]
    ret = s.return_annotation
    text = "void" if ret is s.empty else _type_text(name, "the result", ret)
    return f"{text}({', '.join(params)})"


_C = {"float32": "float", "float64": "double", "bool": "_Bool"}


def _c_type(dtype: str) -> str:
    return _C.get(dtype, f"{dtype}_t")


def _from_header(header: str, ext_name: str, signature: str, folder: Path) -> Path:
    """A header's function may be inline, or a macro: one of our own calls it."""
    ret, params = _core.link_check(ext_name, signature)
    given = [f"{_c_type(d)} {'*' if n >= 0 else ''}a{i}" for i, (d, n) in enumerate(params)]
    names = ", ".join(f"a{i}" for i in range(len(params)))
    include = header if header[:1] in '<"' else f'"{Path(header).absolute()}"'
    text = (
        f"#include <stdint.h>\n#include {include}\n"
        f"{_c_type(ret) if ret else 'void'} sw_{ext_name}({', '.join(given) or 'void'})\n"
        f"{{ {'return ' if ret else ''}{ext_name}({names}); }}\n"
    )
    path = folder / f"sw_{ext_name}_{_link.short_hash(text)}.c"
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    return path


def external(
    ext_name: str,
    backend: Any = None,
    parallel: Any = None,
    header: str | None = None,
    link: Any = (),
) -> Callable[[Any], Any]:
    """Declare a C function under a Python one, whose annotations are its types.

    Parameters
    ----------
    ext_name : str
        Its name in C.
    backend : CompileBackend, optional
        What it is for.
    parallel : LoopPar, optional
        Accepted, without effect: on the CPU it is called as it is.
    header : str, optional
        ``"<math.h>"``, or the path of a header that defines it.
    link : path or list of paths, optional
        Files that define it: see `swathe.gpu.declare_device`.

    Returns
    -------
    decorator
    """

    def wrap(func: Any) -> Any:
        text, name, files = _signature(func), ext_name, link
        if header is not None:
            files = [*_link.as_files(link), _from_header(header, ext_name, text, _link._folder())]
            name = f"sw_{ext_name}"
        if files:
            return _link.declare(name, text, files, "plain")
        key = _link.system_key()
        try:
            _link._check_symbol(ext_name, key, (Path("libm.so.6"),))
        except LinkError:
            raise LinkError(
                f"'{ext_name}' is not in C's library: name what defines it, by header= or link="
            ) from None
        return _link.declare(ext_name, text, (), "plain", key)

    return wrap


def callback(func: Any) -> Any:
    """Let compiled code call a Python function; its annotations are its types.

    Arrays are passed as NumPy arrays that look at the same memory. An exception is raised where the
    function was called. A `prange` and a kernel can't call it.
    """
    return _link.callback(func, _signature(func))
