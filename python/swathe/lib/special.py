# SPDX-License-Identifier: BSD-3-Clause
"""Functions of scipy.special over numbers and arrays. `f` is the function in C, for float64; its
last argument is always 0."""

import numpy as np

from swathe import static_fail
from swathe.lib.broadcast import _joint


def _strong(args):
    """No elements, of the dtype that those that aren't Python's numbers have together; or None."""
    if len(args) == 0:
        return None
    elif isinstance(args[0], (bool, int, float, complex)) and not isinstance(args[0], np.generic):
        return _strong(args[1:])
    else:
        rest = _strong(args[1:])
        one = np.empty(0, np.asarray(args[0]).dtype)
        if rest is None:
            return one
        else:
            return np.concatenate((one, rest))


def _weak_floats(args):
    """Something where one of Python's floats is among them, or None."""
    if len(args) == 0:
        return None
    elif isinstance(args[0], float) and not isinstance(args[0], np.generic):
        return 1
    else:
        return _weak_floats(args[1:])


def _single(args):
    """No elements, of float32 where all arguments are of that, else of float64."""
    if len(args) == 0:
        return np.empty(0, np.float32)
    elif isinstance(args[0], (bool, int, float)) and not isinstance(args[0], np.generic):
        return np.empty(0, np.float64)
    elif np.asarray(args[0]).dtype == np.float32:
        return _single(args[1:])
    else:
        return np.empty(0, np.float64)


def _of_loop(args, wide):
    """No elements, of the dtype of SciPy's loop. wide: that of float64 is its first."""
    k = _strong(args)
    if k is None:
        return np.empty(0, np.float64)
    elif k.dtype.kind == "c":
        static_fail("functions of scipy.special take real numbers in compiled code")
    elif wide:
        return _single(args)
    elif k.dtype == np.float32 or k.dtype == np.float16:
        return np.empty(0, np.float32)
    elif k.dtype.kind in ("b", "i", "u") and k.dtype.itemsize <= 2 and _weak_floats(args) is None:
        return np.empty(0, np.float32)
    else:
        return np.empty(0, np.float64)


def _row(x, shape):
    return np.broadcast_to(np.asarray(x), shape).reshape(-1)


def _1(f, wide, x):
    if np.ndim(x) == 0:
        r = np.empty(1, _of_loop((x,), wide).dtype)
        r[0] = f(np.float64(x), np.int32(0))
        return r[0]
    else:
        a = np.asarray(x)
        r = np.empty(a.shape, _of_loop((x,), wide).dtype)
        flat, given = r.reshape(-1), a.reshape(-1)
        for i in range(flat.size):
            flat[i] = f(np.float64(given[i]), np.int32(0))
        return r


def _2(f, wide, x, y):
    shape = _joint((x, y))
    r = np.empty(shape, _of_loop((x, y), wide).dtype)
    flat, a, b = r.reshape(-1), _row(x, shape), _row(y, shape)
    for i in range(flat.size):
        flat[i] = f(np.float64(a[i]), np.float64(b[i]), np.int32(0))
    return r[()]


def _3(f, wide, x, y, z):
    shape = _joint((x, y, z))
    r = np.empty(shape, _of_loop((x, y, z), wide).dtype)
    flat, a, b, c = r.reshape(-1), _row(x, shape), _row(y, shape), _row(z, shape)
    for i in range(flat.size):
        flat[i] = f(np.float64(a[i]), np.float64(b[i]), np.float64(c[i]), np.int32(0))
    return r[()]


def _4(f, wide, x, y, z, w):
    shape = _joint((x, y, z, w))
    r = np.empty(shape, _of_loop((x, y, z, w), wide).dtype)
    flat, a, b = r.reshape(-1), _row(x, shape), _row(y, shape)
    c, d = _row(z, shape), _row(w, shape)
    for i in range(flat.size):
        at = np.int32(0)
        flat[i] = f(np.float64(a[i]), np.float64(b[i]), np.float64(c[i]), np.float64(d[i]), at)
    return r[()]
