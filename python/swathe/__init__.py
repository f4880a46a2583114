# SPDX-License-Identifier: BSD-3-Clause
"""A compiler for plain Python functions over NumPy arrays.

>>> import numpy as np
>>> import swathe
>>> @swathe.njit
... def total(x):
...     s = 0.0
...     for i in range(len(x)):
...         s += x[i]
...     return s
>>> total(np.arange(4.0))
6.0
"""

import os as _os
from collections.abc import Callable
from functools import lru_cache as _lru_cache
from typing import Any, overload

from . import _core, gpu
from ._core import (
    Dispatcher,
    get_num_threads,
    get_parallel_chunksize,
    get_thread_id,
    set_num_threads,
    set_parallel_chunksize,
)
from ._core import version as __version__
from ._threads import parallel_chunksize, threading_layer
from .marks import (
    convert,
    inline,
    label,
    objmode,
    prange,
    ranges,
    static_backend_eq,
    static_fail,
    static_types_eq,
)
from .schedule import LoopPar, Schedule, par, reduce, seq, threads, tile, tpb, unroll

kernel = gpu.jit

__all__ = [
    "Dispatcher",
    "LoopPar",
    "Schedule",
    "__version__",
    "compile_string",
    "config",
    "convert",
    "dump",
    "errors",
    "get_num_threads",
    "get_parallel_chunksize",
    "get_thread_id",
    "gpu",
    "guvectorize",
    "inline",
    "jit",
    "jitclass",
    "kernel",
    "objmode",
    "label",
    "njit",
    "parallel_diagnostics",
    "par",
    "parallel_chunksize",
    "prange",
    "print_compiled",
    "ranges",
    "reduce",
    "register_class",
    "seq",
    "set_num_threads",
    "set_parallel_chunksize",
    "static_backend_eq",
    "static_fail",
    "static_types_eq",
    "threading_layer",
    "threads",
    "stencil",
    "tile",
    "tpb",
    "types",
    "unroll",
    "vectorize",
]

# Options that change the code made; jit's docstring says what they do.
_OPTIONS = {
    "boundscheck": True,
    "fastmath": False,
    "debug": False,
    "parallel": False,
    "opt_level": 3,
    "contract": False,
    "inline": None,
    "cache": True,
}
_INLINE = {None: 0, "always": 1, True: 1, "never": 2, False: 2}  # as in core/base/base.h
# Accepted for the sake of programs written for Numba; the value shown is all there is.
_NO_CHOICE: dict[str, Any] = {
    "nopython": True,
    "forceobj": False,
    "looplift": False,
    "nogil": True,
    "locals": {},
}
# What Numba's programs say as well, and which comes to the same here: there is no other way to
# compile than without Python's objects, and nobody may tell from whether the GIL is held.
_SAME = {"nopython": (False,), "nogil": (False,), "locals": (None,)}
# Why there is no other value.
_WHY = {
    "locals": "a variable has the type of what is assigned to it: write x = np.float32(...)",
}


@overload
def jit(signature_or_function: Callable[..., Any], **options: Any) -> Dispatcher: ...


@overload
def jit(
    signature_or_function: str | tuple[Any, ...] | list[Any] | None = None, **options: Any
) -> Callable[[Callable[..., Any]], Dispatcher]: ...


def jit(signature_or_function: Any = None, **options: Any) -> Any:
    """Compile a function when it is called, for the types it is called with.

    Parameters
    ----------
    signature_or_function : function, str, Signature, tuple of types, or list of these; optional
        A function is compiled lazily: at each call with new types. A signature, such as
        ``"float64(float64[:], int64)"``, ``float64(float64[:])`` or ``(float64[:],)``, or a
        list of them, is compiled at once, and the function then takes nothing else.
    boundscheck : bool, default True
        Raise IndexError for an index out of bounds. Proved away or hoisted above loops.
    fastmath : bool or set of str, default False
        Let floating-point operations be reassociated, and NaN and infinity be ignored. A set
        allows what it names, as LLVM does: "reassoc", "nnan", "ninf", "nsz", "arcp",
        "contract", "afn".
    debug : bool, default False
        Check integer overflow, races of `prange`, and NaNs that come from numbers that are none
        (a FloatingPointError), at the user's line.
    parallel : bool, default False
        Run array expressions and `prange` loops on several threads.
    cache : bool, default True
        Keep the machine code on disk for the next process.
    opt_level : int, default 3
        0 to 3.
    contract : bool, default False
        Let ``a * b + c`` be one operation, rounded once.
    error_model : "python" or "numpy", default "python"
        With "numpy", division, remainders and powers of Python's numbers raise nothing: like
        NumPy's they yield infinities, NaN, or, of ints divided by zero, 0.
    inline : "always" or "never", optional
        Put the function's body in place of each call to it, or of none; True and False mean the
        same. By default it is done where it pays: `explain` says where. Functions that do not say
        it themselves take it from the one that calls them.
    opts : Schedule, optional
        The schedule of calls that give none; see `par`.

    Returns
    -------
    Dispatcher or decorator

    Raises
    ------
    TypeError
        For an option that does not exist, and for what is not a Python function.

    Examples
    --------
    >>> import swathe
    >>> @swathe.jit
    ... def hypot2(x, y):
    ...     return x * x + y * y
    >>> hypot2(3, 4)
    25
    >>> @swathe.jit("float64(float64)", cache=False)
    ... def half(x):
    ...     return x / 2
    >>> half(3)
    1.5
    """
    opts = options.pop("opts", None)
    kept = _check_options(options)
    kept["opts"] = opts
    first = signature_or_function
    if first is None:
        return lambda func: _make(func, None, kept)
    if _is_signature(first):
        listed = first if isinstance(first, list) else [first]
        from .types import signature_text

        texts = [signature_text(s) for s in listed]
        return lambda func: _make(func, texts or None, kept)
    return _make(first, None, kept)


@overload
def njit(signature_or_function: Callable[..., Any], **options: Any) -> Dispatcher: ...


@overload
def njit(
    signature_or_function: str | tuple[Any, ...] | list[Any] | None = None, **options: Any
) -> Callable[[Callable[..., Any]], Dispatcher]: ...


def njit(signature_or_function: Any = None, **options: Any) -> Any:
    """Do what `jit` does; the name is Numba's."""
    return jit(signature_or_function, **options)


def _is_signature(obj: Any) -> bool:
    return isinstance(obj, (str, list, tuple)) or type(obj).__module__ == "swathe.types"


def _check_options(options: dict[str, Any]) -> dict[str, Any]:
    kept = dict(_OPTIONS)
    for name, value in options.items():
        if name == "error_model":
            if value not in ("python", "numpy"):
                raise ValueError(f"jit(): error_model is 'python' or 'numpy', not {value!r}")
            kept["numpy_errors"] = value == "numpy"
        elif name == "numba_casts":
            kept[name] = bool(value)
        elif name in kept:
            kept[name] = value
        elif name not in _NO_CHOICE:
            raise TypeError(f"jit() got an unexpected option '{name}'{_nearest(name)}")
        elif value != _NO_CHOICE[name] and value not in _SAME.get(name, ()):
            why = f": {_WHY[name]}" if name in _WHY else ""
            raise TypeError(f"jit(): {name} is always {_NO_CHOICE[name]!r}, not {value!r}{why}")
    if kept["boundscheck"] is None:  # to Numba: the default
        kept["boundscheck"] = _OPTIONS["boundscheck"]
    _check_kinds("jit()", kept)
    inline = kept["inline"]
    if not isinstance(inline, (str, bool, type(None))) or inline not in _INLINE:
        raise TypeError(f"jit(): inline is 'never' or 'always', not {inline!r}")
    kept["inline"] = _INLINE[inline]
    return kept


def _check_kinds(what: str, options: dict[str, Any]) -> None:
    """Raise what says which value such an option takes, for the first that has another."""
    for name in ("boundscheck", "debug", "parallel", "contract", "cache"):
        value = options.get(name, False)
        truth = isinstance(value, int) and value in (0, 1)
        if not truth and type(value).__name__ not in ("bool", "bool_"):
            raise TypeError(f"{what}: {name} is True or False, not {value!r}")
    level = options["opt_level"]
    if not isinstance(level, int) or isinstance(level, bool):
        raise TypeError(f"{what}: opt_level is 0, 1, 2 or 3, not {level!r}")
    if not 0 <= level <= 3:
        raise ValueError(f"{what}: opt_level is 0, 1, 2 or 3, not {level!r}")


def _nearest(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, [*_OPTIONS, *_NO_CHOICE, "error_model"], 1)
    if near:
        return f"; did you mean '{near[0]}'?"
    return f"; there are {', '.join(sorted(_OPTIONS))}"


def _make(func: Any, texts: list[str] | None, options: dict[str, Any]) -> Any:
    if isinstance(func, Dispatcher):
        func = func.py_func
    cached = func if type(func) is _CACHED else None
    if cached is not None:
        func = getattr(func.__wrapped__, "py_func", func.__wrapped__)
    if type(func) is not _FUNCTION:
        raise TypeError(_why_not(func))
    if config.DISABLE_JIT:
        return cached or func
    rest = {k: v for k, v in options.items() if k != "opts"}
    made = _core.dispatcher(func, texts, options.get("opts"), **rest)
    made._swathe_made = texts, options
    if cached is not None:  # calls from compiled code keep results: py/cached.c
        made._swathe_cached = True
    return made


def _why_not(func: Any) -> str:
    name = getattr(func, "__name__", repr(func))
    if isinstance(func, type):
        return f"jit() compiles functions, and {name} is a class: decorate its methods or functions"
    if isinstance(func, (staticmethod, classmethod, property)):
        kind = type(func).__name__
        return f"jit() compiles functions: put @{kind} above @jit, not below it"
    if type(func).__name__ == "builtin_function_or_method" or type(func).__name__ == "ufunc":
        return (
            f"jit() compiles functions written in Python, and {name} is built in: "
            "call it from a function that is compiled"
        )
    if hasattr(func, "__func__"):
        return f"jit() compiles functions, and {name} is a bound method: pass {name}.__func__"
    return f"jit() compiles functions, not {type(func).__name__}: {func!r}"


_FUNCTION = type(jit)
_CACHED = type(_lru_cache(jit))


class _Config:
    """Settings of the process, from the environment (docs: ``core/def/flag.def``)."""

    def __init__(self) -> None:
        self.DISABLE_JIT = _os.environ.get("SWATHE_DISABLE_JIT", "0") not in ("", "0")

    @property
    def CACHE_DIR(self) -> str:  # noqa: N802
        """The folder of the disk cache."""
        return _core.cache_info()["dir"]


config = _Config()


class dump:  # noqa: N801
    """Print stages of every compile inside a ``with`` block, on stderr.

    With a function in place of stages, return the text of one: ``dump(f, args, stage="ir")`` is
    `print_compiled` under a shorter name.

    Parameters
    ----------
    what : str or function
        Comma list: ast, types, lower, a pass's name, ir, llvm, asm, or all; a function's name
        to see only that one.

    Examples
    --------
    >>> with swathe.dump("ir"):  # doctest: +SKIP
    ...     f(1.0)
    """

    def __new__(cls, what: Any = "ir", args: Any = (), stage: str = "ir", opts: Any = None) -> Any:
        if isinstance(what, str):
            return super().__new__(cls)
        from .text import print_compiled

        return print_compiled(what, args, opts, stage)

    def __init__(self, what: str = "ir") -> None:
        self.what = what

    def __enter__(self) -> "dump":
        self.before = _os.environ.get("SWATHE_DUMP")
        _os.environ["SWATHE_DUMP"] = self.what
        return self

    def __exit__(self, *exc: object) -> None:
        if self.before is None:
            del _os.environ["SWATHE_DUMP"]
        else:
            _os.environ["SWATHE_DUMP"] = self.before


def __getattr__(name: str) -> Any:
    """Import `errors`, `types` and what is in them when they are first asked for."""
    from importlib import import_module

    if name in ("compat", "devices", "errors", "prim", "sparse", "text", "typed", "types", "xp"):
        return import_module("." + name, __name__)
    if name == "lazy":
        return import_module("._lazy.array", __name__).lazy
    if name == "fuse":
        return import_module("._lazy.fuse", __name__).fuse
    if name == "no_fuse":
        return import_module("._lazy.graph", __name__).no_fuse
    if name == "jitclass":
        return import_module("._classes", __name__).jitclass
    if name in _DEVICES:
        return getattr(import_module(".devices", __name__), name)
    if name == "parallel_diagnostics":
        return import_module(".explain", __name__).parallel_diagnostics
    if name == "register_class":
        return import_module("._views", __name__).register_class
    if name == "stencil":
        return import_module("._stencil", __name__).stencil
    if name in ("vectorize", "guvectorize"):
        return getattr(import_module("._" + name, __name__), name)
    for module in ("text", "types", "errors") if name in _TEXT else ("types", "errors"):
        found = getattr(import_module("." + module, __name__), name, None)
        if found is not None and not name.startswith("_") and name not in _HIDDEN:
            globals()[name] = found
            return found
    raise AttributeError(f"module 'swathe' has no attribute '{name}'")


_DEVICES = {
    "Device",
    "DeviceArray",
    "Event",
    "Queue",
    "Timer",
    "current_queue",
    "device_context",
    "select_cpu_device",
    "select_default_device",
    "select_device_with_aspects",
    "select_gpu_device",
}
_TEXT = {"compile_string", "print_compiled"}
_HIDDEN = {"annotations", "Any", "signature_text"}
