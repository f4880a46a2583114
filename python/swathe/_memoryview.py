# SPDX-License-Identifier: BSD-3-Clause
"""memoryview in compiled code: an object over a vector, whose numbers are Python's. There is a
class for each format, and one more for memory that nobody may change, so that each has one type of
array."""

# ruff: noqa: SIM110

import struct
from array import array

import numpy as np

from swathe import static_fail
from swathe._objects import chars, index_of, is_fixed

# ruff: noqa: D101, D102, D103, D105


# ---- what is looked at when it runs


def _place(key, n):
    k = index_of(key)
    if k < 0:
        k += n
    if k < 0 or k >= n:
        raise IndexError("index out of bounds on dimension 1")
    return k


def _equal(x, y):
    if len(x) != len(y):
        return False
    for i in range(len(x)):
        if x[i].item() != y[i].item():
            return False
    return True


def _fitting(format, x, value):
    """The value, which an element can be."""
    if format == "?":
        return bool(value)
    elif format == "f" or format == "d":
        if not isinstance(value, (int, float, np.integer, np.floating)):
            static_fail("memoryview: invalid type for format '" + format + "'", True)
        return float(value)
    elif not isinstance(value, (int, np.integer)):
        static_fail("memoryview: invalid type for format '" + format + "'", True)
    else:
        k = index_of(value)
        bits = 8 * x.itemsize
        if format == "B" or format == "H" or format == "I":
            fits = k >= 0 and k >> bits == 0
        elif format == "L" or format == "Q":
            fits = k >= 0
        else:
            fits = k >> (bits - 1) == 0 or k >> (bits - 1) == -1
        if not fits:
            raise ValueError("memoryview: invalid value for format '" + format + "'")
        return k


def _format_of(x):
    if x.ndim != 1:
        static_fail("a memoryview has one dimension in compiled code: of x.reshape(-1)")
    if x.dtype == np.uint8:
        return "B"
    elif x.dtype == np.int8:
        return "b"
    elif x.dtype == np.int16:
        return "h"
    elif x.dtype == np.uint16:
        return "H"
    elif x.dtype == np.int32:
        return "i"
    elif x.dtype == np.uint32:
        return "I"
    elif x.dtype == np.int64:
        return "l"
    elif x.dtype == np.uint64:
        return "L"
    elif x.dtype == np.float32:
        return "f"
    elif x.dtype == np.float64:
        return "d"
    elif x.dtype == np.bool_:
        return "?"
    else:
        static_fail(
            "a memoryview is of ints, floats or bools in compiled code: of x.view(np.uint8)"
        )


def _buffer(v):
    """The memory of what has such, and its format."""
    if isinstance(v, memoryview):
        return v._memory(), v.format
    elif isinstance(v, bytes):
        return chars(v), "B"
    elif isinstance(v, bytearray):
        return np.frombuffer(v, np.uint8), "B"
    elif isinstance(v, array):
        return np.asarray(v), v.typecode
    elif isinstance(v, np.ndarray):
        return v, _format_of(v)
    else:
        static_fail("a bytes-like object is required: bytes, a bytearray or a memoryview", True)


def _store_all(x, format, value):
    y, other = _buffer(value)
    if other != format or len(x) != len(y):
        raise ValueError("memoryview assignment: lvalue and rvalue have different structures")
    x[:] = y


# ---- the classes


class View:
    format = "B"
    itemsize = 1
    readonly = False
    ndim = 1
    suboffsets = ()
    _swathe_strided = True

    def __init__(self, of):
        self._of = of
        self._released = False

    def _memory(self):
        if self._released:
            raise ValueError("operation forbidden on released memoryview object")
        return self._of

    def __enter__(self):
        self._memory()
        return self

    def __exit__(self, kind, value, trace):
        self._released = True

    def release(self):
        self._released = True

    def __len__(self):
        return len(self._memory())

    def __iter__(self):
        for i in range(len(self._memory())):
            yield self._memory()[i].item()

    def __getitem__(self, key):
        x = self._memory()
        if isinstance(key, slice):
            return type(self)(x[key])
        elif isinstance(key, (int, np.integer)):
            return x[_place(key, len(x))].item()
        else:
            static_fail("memoryview: invalid slice key", True)

    def __setitem__(self, key, value):
        if self.readonly:
            raise TypeError("cannot modify read-only memory")
        else:
            x = self._memory()
            if isinstance(key, slice):
                _store_all(x[key], self.format, value)
            elif isinstance(key, (int, np.integer)):
                k = _place(key, len(x))
                x[k] = _fitting(self.format, x, value)
            else:
                static_fail("memoryview: invalid slice key", True)

    def __eq__(self, other):
        if isinstance(other, memoryview):
            if self._released or other._released:
                return self is other
            return _equal(self._of, other._of)
        elif isinstance(other, (bytes, bytearray)):
            return not self._released and _equal(self._of, chars(other))
        elif isinstance(other, array):
            return not self._released and _equal(self._of, np.asarray(other))
        elif isinstance(other, np.ndarray):
            _format_of(other)
            return not self._released and _equal(self._of, other)
        else:
            return False

    def __hash__(self):
        if not self.readonly:
            raise ValueError("cannot hash writable memoryview object")
        elif self.format != "B" and self.format != "b":
            raise ValueError("memoryview: hashing is restricted to formats 'B', 'b' or 'c'")
        else:
            return hash(self.tobytes())

    def tobytes(self):
        return self._memory().tobytes()

    def tolist(self):
        return [x.item() for x in self._memory()]

    def hex(self, sep=None, bytes_per_sep=1):
        return self.tobytes().hex(sep, bytes_per_sep)

    def toreadonly(self):
        x = self._memory()
        if self.readonly:
            return type(self)(x)
        else:
            return _readonly(self.format, np.broadcast_to(x, x.shape))

    def cast(self, format):
        x = self._memory()
        if self.format != "B" and self.format != "b" and format != "B" and format != "b":
            raise TypeError("memoryview: cannot cast between two non-byte formats")
        if not self.c_contiguous:
            raise TypeError("memoryview: casts are restricted to C-contiguous views")
        size = _itemsize(format)
        if x.nbytes % size != 0:
            raise TypeError("memoryview: length is not a multiple of itemsize")
        if self.readonly:
            return _readonly(format, x)
        else:
            return _writable(format, x)

    @property
    def nbytes(self):
        return self._memory().nbytes

    @property
    def shape(self):
        return self._memory().shape

    @property
    def strides(self):
        return self._memory().strides

    @property
    def c_contiguous(self):
        x = self._memory()
        return len(x) <= 1 or x.strides[0] == self.itemsize

    @property
    def f_contiguous(self):
        return self.c_contiguous

    @property
    def contiguous(self):
        return self.c_contiguous


def _itemsize(format):
    if format == "b" or format == "B" or format == "?":
        return 1
    elif format == "h" or format == "H":
        return 2
    elif format == "i" or format == "I" or format == "f":
        return 4
    else:
        return 8


def _viewed(format, x):
    if format == "b":
        return x.view(np.int8)
    elif format == "B":
        return x.view(np.uint8)
    elif format == "h":
        return x.view(np.int16)
    elif format == "H":
        return x.view(np.uint16)
    elif format == "i":
        return x.view(np.int32)
    elif format == "I":
        return x.view(np.uint32)
    elif format == "l":
        return x.view(np.int64)
    elif format == "L":
        return x.view(np.uint64)
    elif format == "q":
        return x.view(np.int64)
    elif format == "Q":
        return x.view(np.uint64)
    elif format == "f":
        return x.view(np.float32)
    elif format == "d":
        return x.view(np.float64)
    elif format == "?":
        return x.view(np.bool_)
    else:
        static_fail("memoryview: a format that is none, or not known when it is compiled")


def _writable(format, x):
    return _WRITABLE[format](_viewed(format, x))


def _readonly(format, x):
    return _READONLY[format](_viewed(format, x))


def memoryview_of(object):
    """memoryview(object)"""
    if isinstance(object, memoryview):
        return type(object)(object._memory())
    elif isinstance(object, bytes):
        return _READONLY["B"](chars(object))
    else:
        x, format = _buffer(object)
        if is_fixed(x):
            return _readonly(format, x)
        else:
            return _writable(format, x)


# ---- between these and Python's


def taken(view: memoryview) -> View:
    """Return what stands for an argument."""
    if view.ndim != 1 or view.format not in _WRITABLE:
        raise TypeError(
            f"it has {view.ndim} dimensions and the format {view.format!r}; compiled code takes "
            "one dimension of ints, floats or bools: pass np.asarray(x), or x.cast('B')"
        )
    of = (_READONLY if view.readonly else _WRITABLE)[view.format](np.asarray(view))
    of._view = view
    return of


def _restored(of: View) -> memoryview:
    view = vars(of).get("_view")
    if view is None:
        view = memoryview(of._of)
        if of.format != view.format and view.contiguous:
            view = view.cast("B").cast(of.format)
        view = view.toreadonly() if of.readonly else view
        if of._released:
            view.release()
    return view


def _stored(of: View) -> None:
    """Release what the function has released."""
    if of._released:
        of._view.release()


def _kind(format: str, readonly: bool) -> type:
    name = f"memoryview_{ord(format)}{'_readonly' * readonly}"
    has = {"format": format, "itemsize": struct.calcsize(format), "readonly": readonly}
    has |= {"_swathe_restored": staticmethod(_restored), "_swathe_stored": staticmethod(_stored)}
    made = type("memoryview", (View,), {**has, "__module__": __name__, "__qualname__": name})
    globals()[name] = made
    return made


_WRITABLE = {format: _kind(format, False) for format in "bBhHiIlLqQfd?"}
_READONLY = {format: _kind(format, True) for format in "bBhHiIlLqQfd?"}
