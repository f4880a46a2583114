# SPDX-License-Identifier: BSD-3-Clause
"""What arrays and dtypes are: flags, casting rules, whether memory is shared."""

import numpy as np

from swathe import static_fail
from swathe._objects import asked, text
from swathe.lib.shapes import _may_cast


class _Flags(tuple):
    """a.flags."""

    __slots__ = ()
    _fields = ("c_contiguous", "f_contiguous", "writeable")

    @property
    def contiguous(self):
        return self.c_contiguous

    @property
    def fortran(self):
        return self.f_contiguous

    @property
    def fnc(self):
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self):
        return self.f_contiguous or self.c_contiguous

    def __getitem__(self, name):
        if name == "C_CONTIGUOUS" or name == "C" or name == "CONTIGUOUS":
            return self.c_contiguous
        elif name == "F_CONTIGUOUS" or name == "F" or name == "FORTRAN":
            return self.f_contiguous
        elif name == "WRITEABLE" or name == "W":
            return self.writeable
        else:
            static_fail("a.flags has 'C_CONTIGUOUS', 'F_CONTIGUOUS', 'WRITEABLE' in compiled code")


def _flags(a):
    return _Flags(_in_one_row(a, True), _in_one_row(a, False), True)


def _flags_readonly(a):
    return _Flags(_in_one_row(a, True), _in_one_row(a, False), False)


def _in_one_row(a, c_order):
    """Whether the elements lie one behind the other, in C or in Fortran order. Axes of one element
    have no say."""
    if a.ndim == 0:
        return True
    step = a.itemsize
    for i in range(a.ndim):
        k = a.ndim - 1 - i if c_order else i
        if a.shape[k] != 1 and a.strides[k] != step and a.size != 0:
            return False
        step *= a.shape[k]
    return True


def isfortran(a):
    """Whether an array is in Fortran order, and not in C order."""
    return a.flags.fnc


def iterable(y):
    """Whether a loop may go through it."""
    if isinstance(y, (int, float, complex)):
        return False
    elif isinstance(y, (tuple, list, dict, set, str)):
        return True
    else:
        return np.ndim(y) > 0


def can_cast(from_, to, casting="safe"):
    """Whether a dtype may become another one by a rule."""
    if isinstance(from_, (int, float, complex)):
        static_fail("np.can_cast takes dtypes in compiled code, no numbers")
    return _may_cast(np.empty(0, from_), np.empty(0, to), casting)


def asarray_chkfinite(a, dtype=None, order=None):
    """An array without infinities and NaN."""
    r = np.asarray(a, dtype, order)
    if r.dtype.kind == "f" or r.dtype.kind == "c":
        if not np.all(np.isfinite(r)):
            raise ValueError("array must not contain infs or NaNs")
    return r


def mask_indices(n, mask_func, k=0):
    """Where a function such as np.triu leaves ones."""
    return np.nonzero(mask_func(np.ones((n, n), int), k) != 0)


def sort_complex(a):
    """A sorted copy, as complex numbers."""
    s = np.sort(a, axis=-1)
    if s.dtype.kind == "c":
        return s
    elif s.dtype.kind in ("i", "u") and s.dtype.itemsize < 4:
        return s.astype(np.complex64)
    else:
        return s.astype(np.complex128)


def tobytes(a, order="C"):
    """The memory of the elements, one after the other."""
    if order == "F":
        return _memory_of(a.T)
    elif order == "C" or order is None:
        return _memory_of(a)
    else:
        static_fail("a.tobytes() takes order='C' or 'F' in compiled code")


def _memory_of(a):
    return text(a.flatten().view(np.uint8))


def binary_repr(num, width=None):
    """A number in binary; a negative one as two's complement where a width is given."""
    if num >= 0:
        text = format(num, "b")
        if width is not None:
            if width < len(text):
                raise ValueError(
                    f"Insufficient bit width={width} provided for binwidth={len(text)}"
                )
            return "0" * (width - len(text)) + text
        return text
    elif width is None:
        return "-" + format(-num, "b")
    else:
        n = len(format(-num, "b"))
        if 2 ** (n - 1) == -num:
            n -= 1
        text = format(2 ** (n + 1) + num, "b")
        if width < len(text):
            raise ValueError(f"Insufficient bit width={width} provided for binwidth={len(text)}")
        return "1" * (width - len(text)) + text


def _check_array(a):
    """Raise AttributeError, as NumPy does of what is no array and no number of its own."""
    if not isinstance(a, (np.ndarray, np.generic)):
        raise AttributeError("what is written is no array: np.asarray(x) is one")


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """The text of an array, which str() gives where nothing else is asked for."""
    _check_array(a)
    return text(asked("numpy.array_str", a, max_line_width, precision, suppress_small))


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """The text of an array as repr() gives it."""
    _check_array(arr)
    return text(asked("numpy.array_repr", arr, max_line_width, precision, suppress_small))


def array2string(a, max_line_width=None, precision=None, suppress_small=None, separator=" "):
    """The text of an array, with what is to stand between its elements."""
    _check_array(a)
    return text(
        asked("numpy.array2string", a, max_line_width, precision, suppress_small, separator)
    )


def format_float_positional(x, precision=None, unique=True, fractional=True, trim="k"):
    """A number in decimal digits, without an exponent."""
    return text(asked("numpy.positional", x, precision, unique, fractional, trim))


def format_float_scientific(x, precision=None, unique=True, trim="k"):
    """A number in decimal digits, with an exponent."""
    return text(asked("numpy.scientific", x, precision, unique, trim))


def base_repr(number, base=2, padding=0):
    """A number by the digits of a base."""
    if base > 36:
        raise ValueError("Bases greater than 36 not handled in base_repr.")
    elif base < 2:
        raise ValueError("Bases less than 2 not handled in base_repr.")
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    left = abs(int(number))
    text = ""
    while left > 0:
        text = digits[left % base] + text
        left //= base
    text = "0" * padding + text
    if number < 0:
        return "-" + text
    elif text == "":
        return "0"
    else:
        return text
