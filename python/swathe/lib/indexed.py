# SPDX-License-Identifier: BSD-3-Clause
"""What is indexed in place of called: np.mgrid[...] and its kin, and a.flat. A slice is the tuple
("slice", start, stop, step)."""

import math

import numpy as np

from swathe import static_fail
from swathe.lib.shapes import _between


def _flat_view(a):
    """The elements in one row, in the same memory."""
    if a.ndim == 1:
        return a
    else:
        return a.reshape(-1)


def _flat_copy(a):
    """The elements in one row, to be read only: a copy where they don't lie so."""
    r = a.reshape(-1)
    return np.broadcast_to(r, r.shape)


def _flat_place(a, k):
    n = a.size
    if k < -n or k >= n:
        raise IndexError(f"index {k} is out of bounds for size {n}")
    return k + n if k < 0 else k


def _flat_get(a, k):
    """The k-th element in C's order."""
    if a.ndim == 1:
        return a[k]
    elif a.ndim == 2:
        return a[k // a.shape[1], k % a.shape[1]]
    else:
        m = math.prod(a.shape[1:])
        return _flat_get(a[k // m], k % m)


def _flat_write(a, k, v):
    if a.ndim == 1:
        a[k] = v
    elif a.ndim == 2:
        a[k // a.shape[1], k % a.shape[1]] = v
    else:
        m = math.prod(a.shape[1:])
        _flat_write(a[k // m], k % m, v)


def _flat_item(a, k):
    return _flat_get(a, _flat_place(a, k))


def _flat_set(a, k, v):
    _flat_write(a, _flat_place(a, k), v)


def _flat_row_put(a, places, v):
    """The same where the elements lie in one row."""
    row = _flat_view(a)
    values = v if v.dtype == a.dtype else v.astype(a.dtype)
    if isinstance(places, slice):
        part = row[places]
        if values.size == part.size:
            for t in range(part.size):
                part[t] = _flat_get(values, t)
        elif values.size > 0:
            for t in range(part.size):
                part[t] = _flat_get(values, t % values.size)
    else:
        _flat_put(row, places, values)


def _flat_put(a, places, v):
    """Stores to places in C's order, which may be a slice; what is stored is repeated."""
    if isinstance(places, slice):
        low, high, step = places.indices(a.size)
        if step == 1 and _flat_fill_of(a, v, low, high):
            return
        at = np.arange(low, high, step)
    else:
        at = np.arange(a.size)[places]
    if isinstance(v, np.ndarray):
        values = v if v.dtype == a.dtype else v.astype(a.dtype)
        for t in range(at.size if values.size > 0 else 0):
            _flat_write(a, at[t], _flat_get(values, t % values.size))
    else:
        for t in range(at.size):
            _flat_write(a, at[t], v)


def _flat_fill_of(a, v, low, high):
    """Stores to the elements from `low` to `high` in C's order; False where that must be done one
    by one, for what is stored may be elements of `a` in another order."""
    if isinstance(v, np.ndarray):
        values = v if v.dtype == a.dtype else v.astype(a.dtype)
        if values.ndim > 1 and np.may_share_memory(a, values):
            return False
        row = values.ravel() if values.ndim != 1 else values
    else:
        row = np.empty(1, a.dtype)
        row[0] = v
    if row.size > 0 and low < high:
        _flat_fill(a, row, 0, low, high)
    return True


def _flat_fill(a, row, t, low, high):
    """Stores a row from t on, again and again; where in the row it ends."""
    if a.ndim == 1:
        if high - low <= row.size - t:
            for k in range(high - low):
                a[low + k] = row[t + k]
            t += high - low
        else:
            for k in range(low, high):
                t = 0 if t == row.size else t
                a[k] = row[t]
                t += 1
        return t
    else:
        m = math.prod(a.shape[1:])
        for i in range(low // m, (high - 1) // m + 1):
            t = _flat_fill(a[i], row, t, max(low - i * m, 0), min(high - i * m, m))
        return t


def _flat_part(a, places):
    """A copy of the elements of a slice of places in C's order."""
    if a.ndim == 1:
        return a[places].copy()
    low, high, step = places.indices(a.size)
    n = len(range(low, high, step))
    r = np.empty(n, a.dtype)
    if step == 1:
        if n > 0:
            _flat_read(a, r, low, high)
    else:
        for k in range(n):
            r[k] = _flat_get(a, low + k * step)
    return r


def _flat_read(a, r, low, high):
    """Reads the elements from `low` to `high` in C's order."""
    if a.ndim == 1:
        for k in range(high - low):
            r[k] = a[low + k]
    else:
        m = math.prod(a.shape[1:])
        to = 0
        for i in range(low // m, (high - 1) // m + 1):
            start, end = max(low - i * m, 0), min(high - i * m, m)
            _flat_read(a[i], r[to : to + end - start], start, end)
            to += end - start


# --- grids ----------------------------------------------------------------------------------


def _start(s):
    if s[1] is None:
        return 0
    else:
        return s[1]


def _step(s):
    if s[3] is None:
        return 1
    else:
        return s[3]


def _like_all(s):
    """A number of the dtype that those of a slice have together."""
    step = _step(s)
    if isinstance(step, complex):
        return (_start(s) + s[2]) * 1.0
    else:
        return _start(s) + s[2] + step


def _like(slices):
    if len(slices) == 1:
        return _like_all(slices[0])
    else:
        return _like_all(slices[0]) + _like(slices[1:])


def _size(s):
    step = _step(s)
    if isinstance(step, complex):
        return int(abs(step))
    else:
        return max(int(math.ceil((s[2] - _start(s)) / (step * 1.0))), 0)


def _sizes(slices):
    if len(slices) == 0:
        return ()
    else:
        return (_size(slices[0]), *_sizes(slices[1:]))


def _points(s, dtype):
    """The numbers of one slice."""
    step = _step(s)
    n = _size(s)
    x = np.arange(n).astype(dtype)
    if isinstance(step, complex):
        if n != 1:
            return x * ((s[2] - _start(s)) / float(n - 1)) + _start(s)
        else:
            return x * 1 + _start(s)
    else:
        return x * step + _start(s)


def _check_slices(slices):
    if len(slices) > 0:
        if not isinstance(slices[0], tuple):
            static_fail("np.mgrid and np.ogrid take slices")
        elif slices[0][2] is None:
            static_fail("np.mgrid and np.ogrid need to know where each slice stops")
        else:
            _check_slices(slices[1:])


def mgrid(*args):
    """Coordinates of a grid, an array for each slice, in one array."""
    if args[-1] is None:
        return _dense(args[:-1])
    elif len(args) == 1:
        return _only(args)
    else:
        return _dense(args)


def _only(slices):
    _check_slices(slices)
    s = slices[0]
    dtype = np.asarray(_like(slices)).dtype
    if isinstance(_step(s), complex):
        return _points(s, dtype)
    else:
        return np.arange(_start(s), s[2], _step(s))


def _dense(slices):
    _check_slices(slices)
    dtype = np.asarray(_like(slices)).dtype
    r = np.empty((len(slices), *_sizes(slices)), dtype)
    _fill(r, slices, 0)
    return r


def _fill(r, slices, k):
    if k < len(slices):
        r[k] = _between(_points(slices[k], r.dtype), k, len(slices) - k - 1)
        _fill(r, slices, k + 1)


def ogrid(*args):
    """Coordinates of a grid, an array for each slice, long along its own axis only."""
    if args[-1] is None:
        return _open(args[:-1])
    elif len(args) == 1:
        return _only(args)
    else:
        return _open(args)


def _open(slices):
    _check_slices(slices)
    return _opened(slices, np.asarray(_like(slices)).dtype, 0)


def _opened(slices, dtype, k):
    if k == len(slices):
        return ()
    else:
        x = _between(_points(slices[k], dtype).astype(dtype), k, len(slices) - k - 1)
        return (x, *_opened(slices, dtype, k + 1))


# --- rows and columns -----------------------------------------------------------------------


def r_(*args):
    """Numbers, slices and arrays one after the other."""
    return _joined(args[:-1] if args[-1] is None else args, False)


def c_(*args):
    """Numbers, slices and vectors as columns beside each other; matrices one beside the other."""
    return _joined(args[:-1] if args[-1] is None else args, True)


def _joined(args, columns):
    if isinstance(args[0], str):
        static_fail("a directive as the first index of np.r_ or np.c_ is not supported")
    else:
        return _concatenated(_arrays(args, _sample(args), columns), columns)


def _concatenated(arrays, columns):
    if columns:
        return np.concatenate(arrays, -1)
    else:
        return np.concatenate(arrays)


def _sample(args):
    """No elements, of the dtype that those with one of NumPy's have together; or None."""
    if len(args) == 0:
        return None
    elif isinstance(args[0], (bool, int, float, complex)) and not isinstance(args[0], np.generic):
        return _sample(args[1:])
    else:
        rest = _sample(args[1:])
        one = np.empty(0, _array_of(args[0]).dtype)
        if rest is None:
            return one
        else:
            return np.concatenate((one, rest))


def _array_of(x):
    if isinstance(x, tuple) and len(x) == 4 and isinstance(x[0], str):
        return _slice_points(x)
    else:
        return np.asarray(x)


def _slice_points(s):
    if s[2] is None:
        static_fail("np.r_ and np.c_ need where each slice stops")
    elif isinstance(_step(s), complex):
        return np.linspace(_start(s), s[2], _size(s))
    else:
        return np.arange(_start(s), s[2], _step(s))


def _arrays(args, sample, columns):
    if len(args) == 0:
        return ()
    else:
        return (_column(_one_of(args[0], sample), columns), *_arrays(args[1:], sample, columns))


def _one_of(x, sample):
    """An argument as an array; a number of Python's takes the others' dtype."""
    if isinstance(x, (bool, int, float, complex)) and not isinstance(x, np.generic):
        if sample is None:
            return np.asarray(x).reshape(1)
        else:
            return np.full(1, x, np.add(sample, x).dtype)
    else:
        return np.atleast_1d(_array_of(x))


def _column(x, columns):
    if columns and x.ndim == 1:
        return x[:, None]
    else:
        return x


def s_(*args):
    """The index itself: calls of it become that before they get here."""
    return args


def index_exp(*args):
    """The index as a tuple."""
    return args


# --- what py/rebound_in.c writes in place of a store -----------------------------------------


def _with_shape(x, shape):
    """x.shape = shape, of an x that no other name has."""
    if isinstance(x, np.ndarray):
        if not (x.flags.c_contiguous or x.size == 0):
            raise AttributeError(
                "Incompatible shape for in-place modification. Use `.reshape()` to make a copy "
                "with the desired shape."
            )
        return np.reshape(x, shape)
    else:
        x.shape = shape
        return x


def _part_replaced(parts, k, part):
    """A tuple with another part at a place, as a list has after parts[k] = part."""
    if k < 0:
        return _part_replaced_at(parts, k + len(parts), part)
    else:
        return _part_replaced_at(parts, k, part)


def _part_replaced_at(parts, k, part):
    if k < 0 or k >= len(parts):
        raise IndexError("list assignment index out of range")
    elif k == 0:
        return (part, *parts[1:])
    else:
        return (parts[0], *_part_replaced_at(parts[1:], k - 1, part))
