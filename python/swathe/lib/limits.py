# SPDX-License-Identifier: BSD-3-Clause
"""np.finfo and np.iinfo of a dtype that is an array's, and what asks what a dtype is."""

import numpy as np

from swathe import static_fail

_F2, _F4, _F8 = np.finfo(np.float16), np.finfo(np.float32), np.finfo(np.float64)
_I1, _I2, _I4, _I8 = np.iinfo(np.int8), np.iinfo(np.int16), np.iinfo(np.int32), np.iinfo(np.int64)
_U1, _U2, _U4 = np.iinfo(np.uint8), np.iinfo(np.uint16), np.iinfo(np.uint32)


class _FloatLimits(tuple):
    __slots__ = ()
    _fields = (
        "eps", "epsneg", "max", "min", "tiny", "smallest_normal", "smallest_subnormal",
        "resolution", "bits", "precision", "nmant", "nexp", "maxexp", "minexp",
    )  # fmt: skip


class _IntLimits(tuple):
    __slots__ = ()
    _fields = ("min", "max", "bits")


def _dtype_given(x):
    """A dtype, or that of a number."""
    if isinstance(x, (np.generic, int, float, complex)):
        return np.asarray(x).dtype
    else:
        return np.empty(0, x).dtype


def finfo(dtype):
    """Limits of floats."""
    d = _dtype_given(dtype)
    if d == np.float64 or d == np.complex128:
        return _FloatLimits(
            _F8.eps, _F8.epsneg, _F8.max, _F8.min, _F8.tiny, _F8.smallest_normal,
            _F8.smallest_subnormal, _F8.resolution, 64, 15, 52, 11, 1024, -1022,
        )  # fmt: skip
    elif d == np.float32 or d == np.complex64:
        return _FloatLimits(
            _F4.eps, _F4.epsneg, _F4.max, _F4.min, _F4.tiny, _F4.smallest_normal,
            _F4.smallest_subnormal, _F4.resolution, 32, 6, 23, 8, 128, -126,
        )  # fmt: skip
    elif d == np.float16:
        return _FloatLimits(
            _F2.eps, _F2.epsneg, _F2.max, _F2.min, _F2.tiny, _F2.smallest_normal,
            _F2.smallest_subnormal, _F2.resolution, 16, 3, 10, 5, 16, -14,
        )  # fmt: skip
    else:
        static_fail("np.finfo takes a dtype of floats")


def iinfo(dtype):
    """Limits of integers."""
    d = _dtype_given(dtype)
    if d == np.int64:
        return _IntLimits(_I8.min, _I8.max, 64)
    elif d == np.int32:
        return _IntLimits(_I4.min, _I4.max, 32)
    elif d == np.int16:
        return _IntLimits(_I2.min, _I2.max, 16)
    elif d == np.int8:
        return _IntLimits(_I1.min, _I1.max, 8)
    elif d == np.uint8:
        return _IntLimits(0, _U1.max, 8)
    elif d == np.uint16:
        return _IntLimits(0, _U2.max, 16)
    elif d == np.uint32:
        return _IntLimits(0, _U4.max, 32)
    else:
        static_fail("np.iinfo takes a dtype of integers, and not uint64, in compiled code")


def isdtype(dtype, kind):
    """Whether a dtype is another, of a kind, or of one of several kinds."""
    one = np.zeros(1, dtype).dtype
    if isinstance(kind, tuple):
        return _is_of_some(one, kind)
    elif kind is None or isinstance(kind, (np.ndarray, np.generic, int, float, complex)):
        raise TypeError("kind argument must be comprised of NumPy dtypes or strings only")
    elif not isinstance(kind, str):
        return one == kind
    elif kind == "bool":
        return one.kind == "b"
    elif kind == "signed integer":
        return one.kind == "i"
    elif kind == "unsigned integer":
        return one.kind == "u"
    elif kind == "integral":
        return one.kind in "iu"
    elif kind == "real floating":
        return one.kind == "f"
    elif kind == "complex floating":
        return one.kind == "c"
    elif kind == "numeric":
        return one.kind in "iufc"
    raise ValueError(f"kind argument is a string, but '{kind}' is not a known kind name.")


def _is_of_some(dtype, kinds):
    if len(kinds) == 0:
        return False
    return isdtype(dtype, kinds[0]) or _is_of_some(dtype, kinds[1:])


def issubdtype(arg1, arg2):
    """Whether a dtype is of a class."""
    one = np.zeros(1, arg1)[0]
    if arg2 == int:  # noqa: E721 - its dtype
        return isinstance(one, np.int64)
    elif arg2 == bool:  # noqa: E721
        return isinstance(one, np.bool_)
    else:
        return isinstance(one, arg2)
