# SPDX-License-Identifier: BSD-3-Clause
"""Shapes and indices of grids, borders around arrays, and samples of frequencies."""

import numpy as np

from swathe import static_fail
from swathe.lib.shapes import _between, _check_cast, _check_rule, _common, _count, _into, _part


def ndindex(*args):
    """The indices of all elements of an array of some shape, in C order: a list of tuples."""
    if len(args) == 1 and isinstance(args[0], tuple):
        return _all_indices(args[0])
    return _all_indices(args)


def _all_indices(shape):
    if len(shape) == 1:
        return [(i,) for i in range(shape[0])]
    elif len(shape) == 2:
        return [(i, j) for i in range(shape[0]) for j in range(shape[1])]
    elif len(shape) == 3:
        return [
            (i, j, k) for i in range(shape[0]) for j in range(shape[1]) for k in range(shape[2])
        ]
    elif len(shape) == 4:
        return [
            (i, j, k, m)
            for i in range(shape[0])
            for j in range(shape[1])
            for k in range(shape[2])
            for m in range(shape[3])
        ]
    else:
        raise ValueError("np.ndindex of one to four axes is supported in compiled code")


def ndenumerate(arr):
    """The index and the value of each element, in C order: a list of pairs."""
    a = np.asarray(arr)
    return [(i, a[i]) for i in _all_indices(a.shape)]


def ix_(*args):
    """Vectors of indices as arrays that name all combinations: each along an axis of its own."""
    return _crossed(args, 0)


def _crossed(args, k):
    if k == len(args):
        return ()
    x = np.asarray(args[k])
    if x.ndim != 1:
        raise ValueError("Cross index must be 1 dimensional")
    if x.dtype == np.bool_:
        return (_between(np.nonzero(x)[0], k, len(args) - 1 - k), *_crossed(args, k + 1))
    return (_between(x, k, len(args) - 1 - k), *_crossed(args, k + 1))


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """The place in C or Fortran order of an index of an array of some shape."""
    if isinstance(mode, tuple):
        static_fail("np.ravel_multi_index takes one mode for all axes in compiled code")
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got '{mode}')")
    if order != "C" and order != "F":
        raise ValueError("only 'C' or 'F' order is permitted")
    if len(multi_index) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    index = _rows_of_index(multi_index, len(dims), 0)
    if order == "F":
        return _place_of(_turned_round(index), _turned_round(dims), mode)
    return _place_of(index, dims, mode)


def _rows_of_index(index, n, k):
    """The indices along each axis, of a tuple of any length and of an array's rows, too."""
    if k == n:
        return ()
    return (index[k], *_rows_of_index(index, n, k + 1))


def _turned_round(t):
    if len(t) == 0:
        return ()
    return (*_turned_round(t[1:]), t[0])


def _place_of(index, dims, mode):
    i = np.asarray(index[len(index) - 1])
    n = dims[len(dims) - 1]
    if i.dtype.kind != "i" and i.dtype.kind != "u":
        raise TypeError("only int indices permitted")
    i = i.astype(np.int64)
    if mode == "wrap":
        i = np.mod(i, n)
    elif mode == "clip":
        i = np.clip(i, 0, n - 1)
    elif np.any(i < 0) or np.any(i >= n):
        raise ValueError("invalid entry in coordinates array")
    if len(index) == 1:
        return np.asarray(i)[()]
    return np.asarray(_place_of(index[: len(index) - 1], dims[: len(dims) - 1], mode) * n + i)[()]


def copyto(dst, src, casting="same_kind", where=True):
    """Store to an array, where a condition is true."""
    _check_rule(casting)
    _check_cast(src, dst, casting)
    if isinstance(src, int):
        value = np.full((), src, dst.dtype)[()]  # which must fit
    elif isinstance(src, float) and (dst.dtype.kind == "f" or dst.dtype.kind == "c"):
        value = src
    else:
        value = np.asarray(src).astype(dst.dtype, copy=False)
    if isinstance(where, (bool, np.bool_)):
        if where:
            dst[...] = value
    else:
        _check_cast(where, np.empty(0, np.bool_), "safe")
        dst[...] = np.where(where, value, dst)


def resize(a, new_shape):
    """An array of some shape with the elements again and again, in C order."""
    if not isinstance(new_shape, tuple):
        return resize(a, (new_shape,))
    flat = np.ravel(a)
    n = _count(new_shape)
    r = np.zeros(n, flat.dtype)
    if flat.size:
        for at in range(0, n, flat.size):
            k = min(flat.size, n - at)
            r[at : at + k] = flat[:k]
    return r.reshape(new_shape)


def trim_zeros(filt, trim="fb", axis=None):
    """An array without the zeros at its ends, along one axis, some, or all: a view."""
    if isinstance(axis, tuple):
        _check_repeated(axis, filt.ndim)
    elif axis is not None:
        np.size(filt, axis)  # which must be there
    if filt.ndim != 1:
        return _trimmed(filt, trim, axis, filt.ndim - 1)
    low = 0
    high = len(filt)
    if "f" in trim or "F" in trim:
        while low < high and filt[low] == 0:
            low += 1
    if "b" in trim or "B" in trim:
        while high > low and filt[high - 1] == 0:
            high -= 1
    return filt[low:high]


def _trimmed(a, trim, axis, k):
    """The kth axis and those before it, if they are among the named ones."""
    if k < 0:
        return a
    elif axis is None or _is_among(axis, k, a.ndim):
        rows = np.moveaxis(a, k, 0)
        low, high = 0, a.shape[k]
        if "f" in trim or "F" in trim:
            while low < high and not np.any(rows[low]):
                low += 1
        if "b" in trim or "B" in trim:
            while high > low and not np.any(rows[high - 1]):
                high -= 1
        return _trimmed(_part(a, k, low, high), trim, axis, k - 1)
    else:
        return _trimmed(a, trim, axis, k - 1)


def _check_repeated(axes, ndim):
    if len(axes) > 1:
        if _is_among(axes[1:], axes[0] % ndim, ndim):
            raise ValueError("repeated axis in `axis` argument")
        _check_repeated(axes[1:], ndim)


def _is_among(axis, k, ndim):
    if not isinstance(axis, tuple):
        return axis % ndim == k
    elif len(axis) == 0:
        return False
    else:
        return axis[0] % ndim == k or _is_among(axis[1:], k, ndim)


def cumulative_sum(x, *, axis=None, dtype=None, out=None, include_initial=False):
    """Cumulative sums along an axis, which only a vector may leave out."""
    return _cumulative(np.cumsum, np.asarray(x), axis, dtype, out, include_initial, 0)


def cumulative_prod(x, *, axis=None, dtype=None, out=None, include_initial=False):
    """Cumulative products along an axis, which only a vector may leave out."""
    return _cumulative(np.cumprod, np.asarray(x), axis, dtype, out, include_initial, 1)


def _cumulative(scan, a, axis, dtype, out, include_initial, first):
    _check_scan(a, axis)
    if axis is None:
        return _cumulative(scan, a, 0, dtype, out, include_initial, first)
    elif include_initial:
        return _from_initial(scan, a, axis, dtype, out, first)
    else:
        return scan(a, axis, dtype, out)


def _from_initial(scan, a, axis, dtype, out, first):
    """A scan along an axis, behind the number from which it starts."""
    np.size(a, axis)  # which must be there
    k = axis % a.ndim
    n = a.shape[k]
    shape = (*a.shape[:k], n + 1, *a.shape[k + 1 :])
    if out is None:
        r = np.empty(shape, scan(a.ravel()[:0], dtype=dtype).dtype)
    else:
        r = out
        if out.shape != shape:
            raise ValueError(
                f"could not broadcast input array from shape {a.shape} into shape {out.shape}"
            )
    _part(r, k, 0, 1)[...] = first
    scan(a, axis, dtype, _part(r, k, 1, n + 1))
    return r


def _check_scan(a, axis):
    if axis is None and a.ndim != 1:
        raise ValueError(
            "For arrays which have more than one dimension ``axis`` argument is required."
        )


def choose(a, choices, out=None, mode="raise"):
    """Of each place, the element of the choice that a number names."""
    i = np.asarray(a)
    if isinstance(choices, list):
        return choose(a, np.array(choices), out, mode)
    if len(choices) == 0:
        raise ValueError("0-length sequence.")
    if i.dtype.kind in ("f", "c"):
        raise TypeError(
            f"Cannot cast array data from dtype('{i.dtype.name}') to dtype('int64') according to "
            "the rule 'safe'"
        )
    if mode == "wrap":
        i = np.mod(i, len(choices))
    elif mode == "clip":
        i = np.clip(i, 0, len(choices) - 1)
    elif mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got '{mode}')")
    elif np.any(i < 0) or np.any(i >= len(choices)):
        raise ValueError("invalid entry in choice array")
    if isinstance(choices, np.ndarray):
        r = _chosen_row(i, choices)
    else:
        r = _chosen(i, choices, 0, _common(choices))
    if out is not None and out.shape != np.shape(r):
        raise TypeError("choose: invalid shape for output array.")
    if out is None and np.ndim(r) == 0:
        return r[()]
    return _into(out, r)


def _chosen_row(i, choices):
    """The choices are along the first axis of an array."""
    shape = np.broadcast_shapes(i.shape, choices.shape[1:])
    r = np.empty(shape, choices.dtype)
    for k in range(choices.shape[0]):
        np.copyto(r, choices[k], where=i == k)
    return r


def _chosen(i, choices, k, kind):
    v = np.asarray(choices[k]).astype(kind.dtype)
    if k == len(choices) - 1:
        return np.where(i == k, v, v)
    return np.where(i == k, v, _chosen(i, choices, k + 1, kind))


def pad(
    array,
    pad_width,
    mode="constant",
    *,
    stat_length=None,
    constant_values=None,
    end_values=None,
    reflect_type=None,
):
    """An array with borders: of a number, of its edges, of what is near them, or of itself."""
    stats = ("maximum", "minimum", "mean", "median")
    if mode not in ("constant", "edge", "linear_ramp", "reflect", "symmetric", "wrap", "empty"):
        if mode not in stats:
            raise ValueError(f"mode '{mode}' is not supported")
    if constant_values is not None and mode != "constant":
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {{'constant_values'}}")
    if end_values is not None and mode != "linear_ramp":
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {{'end_values'}}")
    if stat_length is not None and mode not in stats:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {{'stat_length'}}")
    if reflect_type is not None and mode != "reflect" and mode != "symmetric":
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {{'reflect_type'}}")
    a = np.asarray(array)
    kind = np.asarray(pad_width).dtype.kind
    if kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    if isinstance(pad_width, tuple) and len(pad_width) > 2 and len(pad_width) != a.ndim:
        raise ValueError("pad_width has one pair for each axis, or one for all")
    width = _pairs_of(pad_width, a.ndim)
    _check_widths(a, width, 0)
    r = np.empty_like(a, order="A", shape=_padded_shape(a.shape, width, 0))
    _inside(r, a.shape, width, 0)[...] = a
    if mode == "constant":
        value = 0 if constant_values is None else _pairs_of(constant_values, a.ndim)
        _pad_by_number(r, a.shape, width, value, 0)
    elif mode == "linear_ramp":
        value = 0 if end_values is None else _pairs_of(end_values, a.ndim)
        _pad_along(r, a.shape, width, mode, value, 0)
    elif mode == "reflect" or mode == "symmetric":
        _pad_along(r, a.shape, width, mode, reflect_type, 0)
    else:
        length = None if stat_length is None else _pairs_of(stat_length, a.ndim)
        _pad_along(r, a.shape, width, mode, length, 0)
    return r


def _pairs_of(width, ndim):
    """Of what is an array or a list, of which only the run tells how long: tuples."""
    if isinstance(width, tuple) and isinstance(width[0], list):
        return _ends_of(width, 0)
    elif isinstance(width, tuple) or not isinstance(width, (np.ndarray, list)):
        return width
    elif np.ndim(width) == 0:
        return np.asarray(width)[()]
    elif np.ndim(width) > 2:
        raise ValueError(
            "operands could not be broadcast together: pad_width has more than two axes"
        )
    else:
        return _rows_of(np.broadcast_to(np.asarray(width), (ndim, 2)), ndim, 0)


def _ends_of(lists, k):
    if k == len(lists):
        return ()
    else:
        return ((lists[k][0], lists[k][-1]), *_ends_of(lists, k + 1))


def _rows_of(w, ndim, k):
    if k == ndim:
        return ()
    else:
        return ((w[k, 0], w[k, 1]), *_rows_of(w, ndim, k + 1))


def _check_widths(a, width, k):
    if k < a.ndim:
        before, after = _width_of(width, k)
        if before < 0 or after < 0:
            raise ValueError("index can't contain negative values")
        _check_widths(a, width, k + 1)


def _padded_shape(shape, width, k):
    if k == len(shape):
        return ()
    before, after = _width_of(width, k)
    return (before + shape[k] + after, *_padded_shape(shape, width, k + 1))


def _inside(r, shape, width, k):
    """What the border is around."""
    if k == len(shape):
        return r
    before, _ = _width_of(width, k)
    return _inside(_part(r, k, before, before + shape[k]), shape, width, k + 1)


def _pad_by_number(r, shape, width, value, k):
    """Corners are the last axis's."""
    if k < len(shape):
        before, after = _width_of(width, k)
        low, high = _width_of(value, k)
        end = before + shape[k]
        _part(r, k, 0, before)[...] = np.asarray(low)[()]  # NumPy's numbers are cast
        _part(r, k, end, end + after)[...] = np.asarray(high)[()]
        _pad_by_number(r, shape, width, value, k + 1)


def _pad_along(r, shape, width, mode, value, k):
    """The borders along the kth axis and those behind it: of what is between those of later axes,
    and with those of earlier ones."""
    if k < len(shape):
        before, after = _width_of(width, k)
        part = _inside(r, shape, width, k + 1)
        n = shape[k]
        if n == 0 and mode != "empty" and before + after > 0:
            raise ValueError(
                f"can't extend empty axis {k} using modes other than 'constant' or 'empty'"
            )
        if n > 0 and mode == "linear_ramp":
            low, high = _width_of(value, k)
            rows = np.moveaxis(part, k, 0)
            if before > 0:
                _ramp(rows[:before], low, rows[before])
            if after > 0:
                _ramp(rows[before + n :][::-1], high, rows[before + n - 1])
        elif n > 0 and mode in ("maximum", "minimum", "mean", "median"):
            _pad_by_statistic(part, k, before, n, mode, *_width_of(value, k))
        elif n > 0 and mode != "empty":
            _pad_by_rows(part, before, n, after, mode, value, k)
        _pad_along(r, shape, width, mode, value, k + 1)


def _pad_by_rows(part, before, n, after, mode, value, k):
    """Copies of what is inside, along the kth axis."""
    if value == "odd" and n > 1:
        rows = np.moveaxis(part, k, 0)
        _reflect_odd(rows, before, n, after, 1 if mode == "symmetric" else 0)
    elif value is not None and value != "even" and value != "odd":
        raise ValueError("reflect_type is 'even' or 'odd' in compiled code")
    else:
        for i in range(before):
            at = before + _source(i - before, n, mode)
            _part(part, k, i, i + 1)[...] = _part(part, k, at, at + 1)
        for i in range(before + n, before + n + after):
            at = before + _source(i - before, n, mode)
            _part(part, k, i, i + 1)[...] = _part(part, k, at, at + 1)


def _ramp(to, end, edge):
    """From a number on, evenly, to what is behind the last row."""
    n = len(to)
    start = np.asarray(end) * 1.0
    delta = np.asarray(edge) * 1.0 - start
    step = delta / n
    still = np.any(step == 0)
    for i in range(n):
        rise = (i / n) * delta if still else i * step
        if to.dtype.kind == "i" or to.dtype.kind == "u":
            to[i] = np.floor(rise + start).astype(to.dtype)
        else:
            to[i] = (rise + start).astype(to.dtype)


def _pad_by_statistic(r, k, before, n, mode, first, last):
    first = n if first is None else min(first, n)
    last = n if last is None else min(last, n)
    if first < 0 or last < 0:
        raise ValueError("index can't contain negative values")
    if (first == 0 or last == 0) and (mode == "maximum" or mode == "minimum"):
        raise ValueError("stat_length of 0 yields no value for padding")
    end = before + n
    low = _statistic(_part(r, k, before, before + first), k, mode, r.dtype)
    high = _statistic(_part(r, k, end - last, end), k, mode, r.dtype)
    _part(r, k, 0, before)[...] = low
    _part(r, k, end, r.shape[k])[...] = high


def _statistic(part, axis, mode, dtype):
    if dtype.kind == "M" or dtype.kind == "m":
        raise TypeError("ufunc 'rint' not supported for the input types")
    elif mode == "maximum":
        return np.max(part, axis=axis, keepdims=True)
    elif mode == "minimum":
        return np.min(part, axis=axis, keepdims=True)
    else:
        if mode == "mean":
            v = np.mean(part, axis=axis, keepdims=True)
        else:
            v = np.median(part, axis=axis, keepdims=True)
        if dtype.kind == "i" or dtype.kind == "u":
            return np.round(v).astype(dtype)
        else:
            return np.asarray(v).astype(dtype)


def _reflect_odd(r, left, n, right, edge):
    """Reflected about the value at the edge, which edge=1 repeats, piece by piece."""
    total = r.shape[0]
    while left > 0 or right > 0:
        inside = total - right - left
        inside = inside // n * n if edge else (inside - 1) // (n - 1) * (n - 1)
        if left > 0:
            count = min(inside, left)
            for j in range(count):
                r[left - count + j] = 2 * r[left] - r[left - edge + count - j]
            left -= count
        if right > 0:
            count = min(inside, right)
            at = total - right
            for j in range(count):
                r[at + j] = 2 * r[at - 1] - r[at + edge - 2 - j]
            right -= count


def _width_of(width, k):
    """Of an axis: one number for all, two for both ends of all, or two for each."""
    if not isinstance(width, tuple):
        return width, width
    elif isinstance(width[0], tuple):
        if len(width) == 1:
            return width[0][0], width[0][-1]
        return width[k][0], width[k][-1]
    elif len(width) == 1:
        return width[0], width[0]
    elif len(width) == 2:
        return width[0], width[1]
    else:
        raise ValueError("pad_width has one pair for each axis, or one for all")


def _source(i, n, mode):
    """Which row stands at place i, outside of 0 to n - 1."""
    if mode == "edge":
        return 0 if i < 0 else n - 1
    if mode == "wrap":
        return i % n
    if mode == "symmetric":
        j = i % (2 * n)
        return j if j < n else 2 * n - 1 - j
    if n == 1:
        return 0
    j = i % (2 * n - 2)
    return j if j < n else 2 * n - 2 - j


def isscalar(element):
    """Whether this is a number or a text, and no array or container."""
    return isinstance(element, (int, float, complex, str, bytes, memoryview, np.generic))


def iscomplexobj(x):
    """Whether the type is complex."""
    return np.asarray(x).dtype.kind == "c"


def isrealobj(x):
    """Whether the type isn't complex."""
    return np.asarray(x).dtype.kind != "c"


def fft_fftfreq(n, d=1.0):
    """Frequencies of the bins of a transform of n samples, d apart."""
    r = np.empty(n, np.int64)
    h = (n - 1) // 2 + 1
    r[:h] = np.arange(h)
    r[h:] = np.arange(-(n // 2), 0)
    return r * (1.0 / (n * d))


def fft_rfftfreq(n, d=1.0):
    """Frequencies of the bins of a transform of n real samples, d apart."""
    return np.arange(n // 2 + 1) * (1.0 / (n * d))


def fft_fftshift(x, axes=None):
    """With the bin of frequency zero in the middle, along an axis, some, or all."""
    a = np.asarray(x)
    if axes is None:
        return _shifted_all(a, 1)
    elif isinstance(axes, tuple):
        return _shifted_some(a, axes, 1)
    return np.roll(a, np.size(a, axes) // 2, axes)


def fft_ifftshift(x, axes=None):
    """The inverse of fftshift."""
    a = np.asarray(x)
    if axes is None:
        return _shifted_all(a, -1)
    elif isinstance(axes, tuple):
        return _shifted_some(a, axes, -1)
    return np.roll(a, -(np.size(a, axes) // 2), axes)


def _shifted_all(a, sign):
    if a.ndim == 0:
        return a
    return np.roll(a, _halves(a.shape, sign), tuple(range(a.ndim)))


def _halves(shape, sign):
    if len(shape) == 0:
        return ()
    return (sign * (shape[0] // 2), *_halves(shape[1:], sign))


def _shifted_some(a, axes, sign):
    if len(axes) == 0:
        return a
    if axes[0] is None:
        raise TypeError("tuple indices must be integers or slices, not NoneType")
    return _shifted_some(np.roll(a, sign * (np.size(a, axes[0]) // 2), axes[0]), axes[1:], sign)
