# SPDX-License-Identifier: BSD-3-Clause
"""C functions that a program has by ctypes or cffi: compiled code calls them by their addresses.

Their types are those that the program gives them (``argtypes`` and ``restype``, or the
declaration): numbers, and pointers to numbers, which take contiguous arrays. What could need
Python's lock, callbacks and functions of Python's own, is left out: a loop's workers would wait for
it, and Python for them."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np

_PYTHON_API = 4  # of a function's _flags_: it holds Python's lock


class _Symbol(ctypes.Structure):
    _fields_ = [
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    ]


def function(o: Any) -> Any:
    """Return the function that compiled code has for it, or None."""
    found = _of_ctypes(o) if isinstance(o, ctypes._CFuncPtr) else _of_cffi(o)
    if found is None:
        return None
    from . import _core
    from ._link import declare, short_hash

    name, result, args, address = found
    signature = f"{result}({', '.join(args)})"
    key = f"c-{short_hash(_place(address))}"
    _core.link_add(key, None, address)
    return _yielding(declare(name, signature, how="plain", key=key), result)


def types(o: Any) -> Any:
    """Return what a program may set for a function of ctypes once more; None for all else."""
    if not isinstance(o, ctypes._CFuncPtr):
        return None
    return o.restype, o.argtypes and tuple(o.argtypes), o.errcheck


def _yielding(f: Any, result: str) -> Any:
    """Return what yields a number of Python's, as ctypes and cffi do."""
    if result == "void":
        return f
    to = float if result.startswith("float") else bool if result == "bool_" else int

    def called(*args: Any) -> Any:
        return to(f(*args))

    called.__name__ = called.__qualname__ = f.__name__
    return called


def _place(address: int) -> str:
    """Name a function the same in each process, for the disk cache, where its library does."""
    found = _Symbol()
    ask = ctypes.CDLL(None).dladdr
    ask.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    if ask(address, ctypes.byref(found)) and found.name and found.address == address:
        return f"{found.file.decode()}.{found.name.decode()}"
    return f"{address:x}"


def _dtype(name: str) -> str | None:
    return name if name in ("float32", "float64") or name.strip("uint0123456789") == "" else None


# --- ctypes -----------------------------------------------------------------------------------


def _number(t: Any) -> str | None:
    try:
        name = np.dtype(t).name if issubclass(t, ctypes._SimpleCData) else ""
    except TypeError:
        return None
    if t in (ctypes.c_void_p, ctypes.c_char, ctypes.c_wchar):
        return None
    return "bool_" if name == "bool" else _dtype(name)


def _argument(t: Any) -> str | None:
    if isinstance(t, type) and issubclass(t, ctypes._Pointer):
        of = _number(t._type_)
        return of and f"{of}[::1]"
    return _number(t) if isinstance(t, type) else None


def _of_ctypes(o: Any) -> tuple[str, str, list[str], int] | None:
    # Those that ctypes keeps for it; ctypes.cast adds the function itself.
    owners = [x for x in (getattr(o, "_objects", None) or {}).values() if x is not o]
    calls_python = o._flags_ & _PYTHON_API or any(not isinstance(x, ctypes.CDLL) for x in owners)
    if calls_python or o.argtypes is None or o.errcheck is not None:
        return None
    args = [_argument(t) for t in o.argtypes]
    result = "void" if o.restype is None else _number(o.restype)
    address = ctypes.cast(o, ctypes.c_void_p).value
    if result is None or None in args or not address:
        return None
    return _named(getattr(o, "__name__", "")), result, args, address  # type: ignore[return-value]


def _named(name: Any) -> str:
    return name if isinstance(name, str) and name.isidentifier() else "function"


# --- cffi -------------------------------------------------------------------------------------


def _of_cffi(o: Any) -> tuple[str, str, list[str], int] | None:
    backend: Any = sys.modules.get("_cffi_backend")
    if backend is None:
        return None
    name = getattr(o, "__name__", "")
    if not isinstance(o, backend._CDataBase):  # of a compiled module
        ffi = getattr(sys.modules.get(str(o.__module__)), "ffi", None)
        o = ffi and ffi.addressof(o.__self__, name)
    if o is None or backend.typeof(o).kind != "function" or backend.typeof(o).ellipsis:
        return None
    t = backend.typeof(o)
    args = [_c_argument(a, backend) for a in t.args]
    result = "void" if t.result.kind == "void" else _c_number(t.result, backend)
    address = int(backend.cast(backend.new_primitive_type("intptr_t"), o))
    if result is None or None in args or not address:
        return None
    return _named(name), result, args, address  # type: ignore[return-value]


def _c_number(t: Any, backend: Any) -> str | None:
    name, size = t.cname, 8 * backend.sizeof(t) if t.kind == "primitive" else 0
    if name in ("float", "double"):
        return f"float{size}"
    if name == "_Bool":
        return "bool_"
    if not size or name in ("char", "wchar_t", "long double") or "omplex" in name:
        return None
    return f"{'int' if int(backend.cast(t, -1)) < 0 else 'uint'}{size}"


def _c_argument(t: Any, backend: Any) -> str | None:
    if t.kind == "pointer":
        of = _c_number(t.item, backend) if t.item.kind == "primitive" else None
        return of and f"{of}[::1]"
    return _c_number(t, backend)
