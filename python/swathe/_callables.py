# SPDX-License-Identifier: BSD-3-Clause
"""Functions that stand for objects that can be called: those of np.vectorize and of
swathe.vectorize, the functions of scipy.special, by the addresses that
scipy.special.cython_special publishes, and what tells an address itself, as Numba has it."""

from __future__ import annotations

import ctypes
import re
import sys
import threading
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from . import _core, _foreign_c

# By id: the object, which it keeps, its function, and what it was made for.
_KNOWN: dict[int, tuple[Any, Any, Any]] = {}
_LOCK = threading.Lock()
# Settings of a thread, which compiled code asks Python for.
_SETTINGS = {
    f: f.__name__
    for f in (
        _core.get_num_threads,
        _core.set_num_threads,
        _core.get_thread_id,
        _core.get_parallel_chunksize,
        _core.set_parallel_chunksize,
    )
}


def function(o: Any) -> Any:
    """Return a function that means what an object does when it is called, or None."""
    types = _foreign_c.types(o)
    with _LOCK:
        found = _KNOWN.get(id(o))
    if found is not None and found[0] is o and found[2] == types:
        return found[1]
    made = _made(o)  # may compile, and ask for functions of other objects
    if made is None:
        return None
    with _LOCK:
        found = _KNOWN.get(id(o))
        if found is None or found[0] is not o or found[2] != types:
            found = _KNOWN[id(o)] = (o, made, types)
        return found[1]


def _made(o: Any) -> Any:
    if isinstance(o, BuiltinFunctionType) and o in _SETTINGS:
        from . import _settings

        return getattr(_settings, _SETTINGS[o])
    if isinstance(o, np.vectorize):
        return _of_vectorize(o)
    if type(o).__module__ == "swathe._vectorize":
        return _of_ufunc(o)
    if type(o).__module__ == "swathe._guvectorize":
        return o.in_compiled_code()
    if hasattr(type(o), "_swathe_function") or "_swathe_function" in getattr(o, "__dict__", ()):
        return o._swathe_function
    if hasattr(o, "__wrapper_address__"):
        return _of_address(o)
    if isinstance(o, ctypes._CFuncPtr) or "_cffi_backend" in sys.modules and _is_cffis(o):
        return _foreign_c.function(o)
    return _of_special(o)


def _is_cffis(o: Any) -> bool:
    kinds = type(o), type(getattr(o, "__self__", None))
    return any(t.__module__ == "_cffi_backend" for t in kinds)


def _of_vectorize(o: Any) -> Any:
    from .lib.apply import vectorize

    if o.excluded or o.signature:
        return None
    types = tuple(np.dtype(c).type for c in o.otypes) if o.otypes else None
    return vectorize(o.pyfunc, types)


def _of_ufunc(o: Any) -> Any:
    """Of `swathe.vectorize`: the function of numbers, with the signatures, for each element."""
    from . import njit
    from .lib.vectorized import _ufunc

    texts = [
        f"{_text(out)}({', '.join(_text(d) for d in ins)})" for ins, out in o._chosen
    ]  # fmt: skip
    f = o._func if o._dynamic else njit(texts)(o._func)
    made = _ufunc(f, o.nin)
    if o.nin == 2:  # has methods: name, identity element, are axes joined in order, function
        made._swathe_ufunc = o.__name__, o.identity, o._ordered, f
    return made


def _text(d: np.dtype) -> str:
    return "bool_" if d.kind == "b" else d.name


def _of_address(o: Any) -> Any:
    """Of what has `__wrapper_address__` and `signature`: a C function."""
    from . import _core
    from ._link import declare

    cls, signature = type(o), str(o.signature())
    key = f"address.{cls.__module__}.{cls.__qualname__}.{signature}"
    _core.link_add(key, None, o.__wrapper_address__())
    return declare(cls.__name__, signature, how="plain", key=key)


# --- scipy.special --------------------------------------------------------------------------


def _of_special(o: Any) -> Any:
    special = sys.modules.get("scipy.special")
    name = getattr(o, "__name__", "")
    if special is None or getattr(special, name, None) is not o:
        return None
    loops = [t for t in o.types if set(t) <= set("fd->")]
    found = _address(name)
    if found is None or any(set(t) - set("fdgFDG->") for t in o.types) or not loops:
        return None
    from . import _core
    from ._link import declare

    address, n = found
    key = f"scipy.special.{name}.{n}"
    _core.link_add(key, None, address)
    types = ", ".join(["float64"] * n + ["int32"])
    return _applied(declare(name, f"float64({types})", how="plain", key=key), n, loops[0][0] == "d")


def _address(name: str) -> tuple[int, int] | None:
    """Where the function of real numbers is, and how many it takes."""
    from scipy.special import cython_special

    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    for key, capsule in sorted(cython_special.__pyx_capi__.items()):
        if not re.fullmatch(rf"(__pyx_fuse(_\d)*)?{re.escape(name)}", key):
            continue
        text = get_name(capsule)
        form = re.fullmatch(rb"double \(((?:double, )+)int __pyx_skip_dispatch\)", text)
        if form:
            return get(capsule, text), form[1].count(b"double")
    return None


def _applied(f: Any, n: int, wide: bool) -> Any:
    from .lib import special

    one, two, three, four = special._1, special._2, special._3, special._4
    if n == 1:
        return lambda x: one(f, wide, x)
    if n == 2:
        return lambda x, y: two(f, wide, x, y)
    if n == 3:
        return lambda x, y, z: three(f, wide, x, y, z)
    if n == 4:
        return lambda x, y, z, w: four(f, wide, x, y, z, w)
    return None
