# SPDX-License-Identifier: BSD-3-Clause
"""Comparing, searching and rearranging arrays."""

import numpy as np

from swathe.lib.shapes import _part


def flip(m, axis=None):
    """Elements in reverse order along an axis, some, or all: a view."""
    m = np.asarray(m)
    if axis is None:
        return _flip_all(m)
    elif isinstance(axis, tuple):
        return _flip_some(m, axis)
    else:
        np.size(m, axis)  # which must be there
        return _turned_round(m, axis % m.ndim)


def _turned_round(m, axis):
    """As axes keep their order, loops follow memory."""
    if axis == 0:
        return m[::-1]
    elif axis == 1:
        return m[:, ::-1]
    elif axis == 2:
        return m[:, :, ::-1]
    elif axis == 3:
        return m[:, :, :, ::-1]
    else:
        return np.moveaxis(np.moveaxis(m, axis, 0)[::-1], 0, axis)


def _flip_all(m):
    """Along all axes: what is reversed first becomes the last axis, and so on."""
    if m.ndim == 0:
        return m[()]
    elif m.ndim == 1:
        return m[::-1]
    elif m.ndim == 2:
        return m[::-1, ::-1]
    elif m.ndim == 3:
        return m[::-1, ::-1, ::-1]
    elif m.ndim == 4:
        return m[::-1, ::-1, ::-1, ::-1]
    else:
        r = np.moveaxis(m[::-1], 0, -1)
        for _ in range(1, m.ndim):
            r = np.moveaxis(r[::-1], 0, -1)
        return r


def _flip_some(m, axes):
    """Along each of a tuple of axes."""
    if len(axes) == 0:
        if m.ndim == 0:
            return m[()]
        return m[...]
    for other in axes[1:]:
        if (other - axes[0]) % max(m.ndim, 1) == 0:
            raise ValueError("repeated axis")
    return _flip_some(flip(m, axes[0]), axes[1:])


def fliplr(m):
    """Columns in reverse order: a view."""
    m = np.asarray(m)
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return m[:, ::-1]


def flipud(m):
    """Rows in reverse order: a view."""
    m = np.asarray(m)
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return m[::-1]


def _extended(a, axis, before, behind):
    """An array with more at both ends of an axis: arrays, or a number all along."""
    if before is not None:
        return _extended(np.concatenate((_edge(before, a, axis), a), axis), axis, None, behind)
    elif behind is not None:
        return np.concatenate((a, _edge(behind, a, axis)), axis)
    else:
        return a


def _edge(v, a, axis):
    if np.ndim(v) == 0:
        first = np.moveaxis(a, axis, 0)
        one = np.broadcast_to(np.asarray(v), (1, *first.shape[1:]))
        return np.moveaxis(one, 0, axis)
    else:
        return np.asarray(v)


def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Differences of neighbours along an axis, n times over."""
    if n == 0:
        return a
    if prepend is not None or append is not None:
        if np.ndim(a) == 0:
            raise ValueError("diff requires input that is at least one dimensional")
        np.size(a, axis)  # which must be there
        return diff(_extended(np.asarray(a), axis, prepend, append), n, axis)
    a = np.asarray(a)
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    np.size(a, axis)  # which must be there
    if a.ndim == 1 or axis == 0 or axis + a.ndim == 0:
        hi, lo = a[1:], a[:-1]
    elif axis == -1 or axis == a.ndim - 1:
        hi, lo = a[..., 1:], a[..., :-1]
    else:
        b = np.moveaxis(a, axis, 0)
        hi, lo = np.moveaxis(b[1:], 0, axis), np.moveaxis(b[:-1], 0, axis)
    d = hi != lo if a.dtype == np.bool_ else hi - lo
    if n == 1:
        return d
    return diff(d, n - 1, axis)


def searchsorted(a, v, side="left", sorter=None):
    """Where v belongs in the sorted vector a, by bisection; NaN comes after all numbers."""
    a = np.asarray(a)
    if sorter is not None:
        return searchsorted(a[np.asarray(sorter)], v, side)
    if side != "left" and side != "right":
        raise ValueError(f"search side must be 'left' or 'right' (got '{side}')")
    _check_vector(a)
    if isinstance(v, (tuple, list)):
        return searchsorted(a, np.asarray(v), side)
    elif isinstance(v, np.ndarray):
        if v.ndim != 1:
            return searchsorted(a, v.ravel(), side).reshape(v.shape)
        r = np.empty(len(v), dtype=np.int64)
        for k in range(len(v)):
            r[k] = _bisect(a, v[k], side)
        return r
    else:
        return _bisect(a, np.asarray(v)[()], side)  # a Python number in NumPy's dtype of its kind


def _check_vector(a):
    """Raise ValueError unless `a` has one axis."""
    if a.ndim < 1:
        raise ValueError("object of too small depth for desired array")
    if a.ndim > 1:
        raise ValueError("object too deep for desired array")


def _bisect(a, v, side):
    """The place of one value: of half as many each time, whichever they are, without a branch."""
    at = 0
    n = len(a)
    while n > 1:
        half = n // 2
        if _comes_after(v, a[at + half - 1], side):
            at += half
        n -= half
    if n == 1 and _comes_after(v, a[at], side):
        at += 1
    return np.int64(at)


def _comes_after(v, x, side):
    """Whether v belongs behind the element x."""
    if side == "left":
        return _sorts_before(x, v)
    return not _sorts_before(v, x)


def _sorts_before(x, y):
    """NumPy's order for sorting: NaN comes last, also in a part of a complex number."""
    numbers = (complex, np.complexfloating)
    if isinstance(x, numbers) or isinstance(y, numbers):
        a, b, c, d = np.real(x), np.imag(x), np.real(y), np.imag(y)
        if a < c:
            return b == b or d != d
        if a > c:
            return b == b and d != d
        if a == c or (a != a and c != c):
            return b < d or (b == b and d != d)
        return c != c
    whole = np.signedinteger  # of int64 and uint64 NumPy makes float64
    if (
        isinstance(x, np.uint64)
        and isinstance(y, whole)
        or (isinstance(y, np.uint64) and isinstance(x, whole))
    ):
        return float(x) < float(y)
    return x < y or (y != y and x == x)


def _beyond(x, r, first, last, left, right):
    """What stands for points beyond both ends; on the way NaN stays."""
    if left is not None:
        return _beyond(x, np.where(x < first, left, r), first, last, None, right)
    elif right is not None:
        return np.where(x > last, right, r)[()]
    else:
        return r[()]


def _periodic(x, xp, fp, period):
    if period == 0:
        raise ValueError("period must be a non-zero value")
    p = abs(period)
    at = np.asarray(xp) % p
    order = np.argsort(at)
    xs, fs = at[order], np.asarray(fp)[order]
    n = xs.size
    points = np.concatenate((xs[n - 1 :] - p, xs, xs[:1] + p))
    return interp(np.asarray(x) % p, points, np.concatenate((fs[n - 1 :], fs, fs[:1])))


def interp(x, xp, fp, left=None, right=None, period=None):
    """Piecewise linear interpolation of (xp, fp) at x; beyond both ends constant, or as given."""
    xp = np.asarray(xp)
    fp = np.asarray(fp)
    if period is not None:
        return _periodic(x, xp, fp, period)
    if left is not None or right is not None:
        if fp.dtype.kind != "c" and (isinstance(left, complex) or isinstance(right, complex)):
            raise TypeError("must be real number, not complex")
        inner = np.asarray(interp(x, xp, fp))
        return _beyond(np.asarray(x), inner, xp[0], xp[xp.size - 1], left, right)
    _check_vector(fp)
    _check_vector(xp)
    _check_real(xp)
    if isinstance(x, np.ndarray):
        _check_real(x)
    if len(xp) == 0:
        raise ValueError("array of sample points is empty")
    if len(fp) != len(xp):
        raise ValueError("fp and xp are not of the same length.")
    if isinstance(x, (tuple, list)):
        return interp(np.asarray(x), xp, fp)
    elif isinstance(x, np.ndarray):
        if x.ndim == 0:
            return _interpolated_alone(float(x), xp, fp)
        if x.ndim != 1:
            return interp(x.ravel(), xp, fp).reshape(x.shape)
        r = np.empty(len(x), dtype=(np.float64(0) * fp[0]).dtype)
        near = 0
        for k in range(len(x)):
            p = float(x[k])
            near = _cell(p, xp, near)
            r[k] = _interpolated(p, xp, fp, near)
        return r
    else:
        return _interpolated_alone(float(x), xp, fp)


def _check_real(a):
    if a.dtype == np.complex128:
        raise TypeError(
            "Cannot cast array data from dtype('complex128') to dtype('float64')"
            " according to the rule 'safe'"
        )
    if a.dtype == np.complex64:
        raise TypeError(
            "Cannot cast array data from dtype('complex64') to dtype('float64')"
            " according to the rule 'safe'"
        )


def _interpolated_alone(x, xp, fp):
    return _interpolated(x, xp, fp, _cell(x, xp, 0))


def _interpolated(x, xp, fp, lo):
    """The value at one point. NumPy has converted all to float64 or complex128 before."""
    if fp.dtype == np.complex64 or fp.dtype == np.complex128:
        missing = x != x and len(xp) > 1
        im = 0.0 if missing else _on_line(x, xp, np.imag(fp), True, lo)
        return np.complex128(complex(_on_line(x, xp, np.real(fp), True, lo), im))
    else:
        return np.float64(_on_line(x, xp, fp, False, lo))


def _cell(x, xp, near):
    """The place of the last of xp that is not above x, from the first to the last but one. Points
    often come in order, so that of the point before, `near`, and the next three are looked at
    first."""
    n = len(xp)
    if near + 1 < n and float(xp[near]) <= x:
        if x < float(xp[near + 1]):
            return near
        if near + 4 < n and x < float(xp[near + 4]):
            return near + 1 + int(float(xp[near + 2]) <= x) + int(float(xp[near + 3]) <= x)
    lo = 0
    n -= 1
    while n > 1:  # as in _bisect
        half = n // 2
        if float(xp[lo + half]) <= x:
            lo += half
        n -= half
    return lo


def _on_line(x, xp, fp, inverse, lo):
    """inverse: the slope is a product, as NumPy's is of complex numbers."""
    n = len(xp)
    if x != x and n > 1:
        return x
    first, last = float(xp[0]), float(xp[n - 1])
    if x < first or n == 1:
        return float(fp[0])
    if x >= last:
        return float(fp[n - 1])
    hi = lo + 1
    left, right = np.float64(xp[lo]), np.float64(xp[hi])
    low, high = np.float64(fp[lo]), np.float64(fp[hi])
    if x == left:
        return float(low)
    if inverse:
        slope = (high - low) * (1.0 / (right - left))
    else:
        slope = (high - low) / (right - left)
    r = slope * (x - left) + low
    if np.isnan(r):
        r = slope * (x - right) + high
        if np.isnan(r) and low == high:
            r = low
    return float(r)


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """|a - b| <= atol + rtol * |b|, element by element; infinities equal themselves."""
    if isinstance(a, (tuple, list)) or isinstance(b, (tuple, list)):
        return isclose(_unless_list(a), _unless_list(b), rtol, atol, equal_nan)
    y = b * 1.0
    near = (np.abs(a - y) <= atol + rtol * np.abs(y)) & np.isfinite(y) | (a == y)
    if equal_nan:
        near = near | (np.isnan(a) & np.isnan(y))
    return near


def _unless_list(a):
    """The array of a tuple or list; else `a`."""
    if isinstance(a, (tuple, list)):
        return np.asarray(a)
    return a


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether isclose holds everywhere."""
    return bool(np.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1, a2, equal_nan=False):
    """Whether both have the same shape and the same elements."""
    a1, a2 = np.asarray(a1), np.asarray(a2)
    if a1.shape != a2.shape:
        return False
    if equal_nan:
        return bool(np.all((a1 == a2) | (a1 != a1) & (a2 != a2)))
    return bool(np.all(a1 == a2))


def rot90(m, k=1, axes=(0, 1)):
    """Turned k quarters in the plane of two axes, from the first towards the second: a view."""
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    m = np.asarray(m)
    a, b = axes
    if a == b or abs(a - b) == m.ndim:
        raise ValueError("Axes must be different.")
    if a >= m.ndim or a < -m.ndim or b >= m.ndim or b < -m.ndim:
        raise ValueError(f"Axes={axes} out of range for array of ndim={m.ndim}.")
    k = k % 4
    if k == 0:
        return m[:]
    elif k == 2:
        return flip(flip(m, a), b)
    elif k == 1:
        return np.swapaxes(flip(m, b), a, b)
    else:
        return flip(np.swapaxes(m, a, b), b)


def tolist(a):
    """Python's numbers of the elements, in lists of lists; of an array without axes, the number."""
    if a.ndim == 0:
        return a.item()
    elif a.ndim == 1:
        return [v.item() for v in a]
    else:
        return [tolist(row) for row in a]


def roll(a, shift, axis=None):
    """Elements moved on by `shift` places along an axis, some, or in C order."""
    a = np.asarray(a)
    if np.ndim(shift) == 1 and not isinstance(axis, tuple):
        return roll(a, sum(shift), axis)
    if axis is None:
        if a.ndim != 1:
            return roll(a.ravel(), shift).reshape(a.shape)
        r = np.empty_like(a)
        n = len(a)
        if n:
            s = int(shift) % n
            r[s:] = a[: n - s]
            r[:s] = a[n - s :]
        return r
    elif isinstance(axis, tuple):
        return _roll_some(a, shift, axis)
    else:
        r = np.empty_like(a)
        n = np.size(a, axis)
        if n:
            k = axis % a.ndim
            s = int(shift) % n
            _part(r, k, s, n)[...] = _part(a, k, 0, n - s)
            _part(r, k, 0, s)[...] = _part(a, k, n - s, n)
        return r


def _roll_some(a, shift, axes):
    """Along each of a tuple of axes, by the same number of places or by one for each."""
    if np.ndim(shift) == 1:
        if len(shift) == 1:
            return _roll_some(a, shift[0], axes)
        if len(shift) != len(axes):
            raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    _check_axes(a, axes)
    r = np.empty_like(a)
    if a.size > 0:
        _roll_parts(r, a, shift, axes, 0)
    return r


def _check_axes(a, axes):
    if len(axes) > 0:
        np.size(a, axes[0])  # which must be there
        _check_axes(a, axes[1:])


def _roll_parts(r, a, shift, axes, k):
    """Both parts along each axis that is rolled, from the first on, so that all goes from place to
    place once."""
    if k == a.ndim:
        r[...] = a
    elif _is_rolled(axes, k, a.ndim):
        n = a.shape[k]
        s = _total_shift(shift, axes, k, a.ndim) % n
        _roll_parts(_part(r, k, s, n), _part(a, k, 0, n - s), shift, axes, k + 1)
        if s > 0:
            _roll_parts(_part(r, k, 0, s), _part(a, k, n - s, n), shift, axes, k + 1)
    else:
        _roll_parts(r, a, shift, axes, k + 1)


def _is_rolled(axes, k, ndim):
    if len(axes) == 0:
        return False
    return axes[0] % ndim == k or _is_rolled(axes[1:], k, ndim)


def _total_shift(shift, axes, k, ndim):
    """By how much along the kth axis, which may be named more than once."""
    if len(axes) == 0:
        return 0
    elif np.ndim(shift) == 1:
        own = int(shift[0]) if axes[0] % ndim == k else 0
        return own + _total_shift(shift[1:], axes[1:], k, ndim)
    else:
        own = int(shift) if axes[0] % ndim == k else 0
        return own + _total_shift(shift, axes[1:], k, ndim)


def func_astype(x, dtype, *, copy=True):
    """An array as another dtype."""
    return x.astype(dtype, copy=copy)
