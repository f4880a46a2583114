# SPDX-License-Identifier: BSD-3-Clause
"""Differences, integrals, convolutions, covariances, polynomials and windows."""

import numpy as np

from swathe.lib.shapes import _interleaved, _may_cast, _multiplied, _ones


def ediff1d(ary, to_end=None, to_begin=None):
    """Differences of neighbours in C order, with values before and behind them."""
    a = np.ravel(ary)
    d = a[1:] - a[:-1]
    if a.dtype.kind == "M" and (to_begin is not None or to_end is not None):
        raise TypeError(
            "dtype of `to_begin` and `to_end` must be compatible with input `ary` under the "
            "`same_kind` rule."
        )
    if to_begin is not None:
        if not _may_cast(np.asarray(to_begin), d, "same_kind"):
            raise TypeError(
                "dtype of `to_begin` must be compatible with input `ary` under the `same_kind` "
                "rule."
            )
        d = np.concatenate((np.ravel(to_begin).astype(d.dtype), d))
    if to_end is not None:
        if not _may_cast(np.asarray(to_end), d, "same_kind"):
            raise TypeError(
                "dtype of `to_end` must be compatible with input `ary` under the `same_kind` rule."
            )
        d = np.concatenate((d, np.ravel(to_end).astype(d.dtype)))
    return d


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Integral along an axis by trapezoids, of samples at x or dx apart."""
    y = np.asarray(y)
    np.size(y, axis)  # which must be there
    v = np.moveaxis(y, axis, -1)
    if x is None:
        return np.sum(dx * (v[..., 1:] + v[..., :-1]) / 2.0, axis=-1)
    at = np.asarray(x)
    if at.ndim == 1:
        d = np.diff(at)
        return np.sum(d * (v[..., 1:] + v[..., :-1]) / 2.0, axis=-1)
    d = np.diff(np.moveaxis(at, axis, -1))
    return np.sum(d * (v[..., 1:] + v[..., :-1]) / 2.0, axis=-1)


def gradient(f, *varargs, axis=None, edge_order=1):
    """Differences by two neighbours, and by one or two at the ends, along an axis or each of
    them."""
    f = np.asarray(f)
    if f.dtype == np.bool_:
        raise TypeError(
            "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the "
            "`^` operator, or the logical_xor function instead."
        )
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if axis is not None and isinstance(axis, (int, np.integer)):
        np.size(f, axis)  # which must be there
        return _slope(f, axis % f.ndim, varargs[0] if len(varargs) else 1.0, edge_order)
    elif axis is not None:
        _check_axes(f, axis)
        return _slopes_of(f, axis, varargs, edge_order)
    elif f.ndim == 1:
        return _slope(f, 0, varargs[0] if len(varargs) else 1.0, edge_order)
    else:
        return _slopes(f, 0, varargs, edge_order)


def _slopes(f, k, spacing, edge_order):
    """Along the k-th axis and those behind it."""
    if k == f.ndim:
        return ()
    if len(spacing) > 1 and len(spacing) != f.ndim:
        raise TypeError("invalid number of arguments")
    h = 1.0 if len(spacing) == 0 else spacing[0] if len(spacing) == 1 else spacing[k]
    return (_slope(f, k, h, edge_order), *_slopes(f, k + 1, spacing, edge_order))


def _check_axes(f, axes):
    if len(axes) > 0:
        np.size(f, axes[0])
        for other in axes[1:]:
            if (other - axes[0]) % max(f.ndim, 1) == 0:
                raise ValueError("repeated axis")
        _check_axes(f, axes[1:])


def _slopes_of(f, axes, spacing, edge_order):
    if len(axes) == 0:
        return ()
    h = 1.0 if len(spacing) == 0 else spacing[0]
    rest = spacing[1:] if len(spacing) > 1 else spacing
    return (
        _slope(f, axes[0] % f.ndim, h, edge_order),
        *_slopes_of(f, axes[1:], rest, edge_order),
    )


def _slope(f, axis, spacing, edge_order):
    v = np.moveaxis(f * 1.0 if f.dtype.kind != "f" and f.dtype.kind != "c" else f, axis, 0)
    n = v.shape[0]
    if n < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, "
            "at least (edge_order + 1) elements are required."
        )
    whole = np.empty_like(f, v.dtype)
    r = np.moveaxis(whole, axis, 0)
    h = np.asarray(spacing)
    if isinstance(spacing, (int, float)):
        _even_slopes(r, v, spacing, edge_order)
    elif h.ndim == 0:
        _even_slopes(r, v, h[()], edge_order)
    else:
        if h.size != n:
            raise ValueError(
                "when 1d, distances must match the length of the corresponding dimension"
            )
        x = np.ravel(h)
        d = np.diff(x.astype(np.float64) if x.dtype.kind == "i" or x.dtype.kind == "u" else x)
        if np.all(d == d[0]):
            _even_slopes(r, v, d[0], edge_order)
        else:
            _uneven_slopes(r, v, d, edge_order)
    return whole


def _even_slopes(r, v, s, edge_order):
    """Stores the slopes of rows that are s apart."""
    n = v.shape[0]
    r[1:-1] = (v[2:] - v[:-2]) / (2.0 * s)
    if edge_order == 1:
        r[0] = (v[1] - v[0]) / s
        r[n - 1] = (v[n - 1] - v[n - 2]) / s
    else:
        r[0] = (-1.5 / s) * v[0] + (2.0 / s) * v[1] + (-0.5 / s) * v[2]
        r[n - 1] = (0.5 / s) * v[n - 3] + (-2.0 / s) * v[n - 2] + (1.5 / s) * v[n - 1]


def _uneven_slopes(r, v, d, edge_order):
    """Stores the slopes of rows, given how far neighbours are apart."""
    n = v.shape[0]
    for i in range(1, n - 1):
        a, b = d[i - 1], d[i]
        r[i] = (
            -(b) / (a * (a + b)) * v[i - 1]
            + (b - a) / (a * b) * v[i]
            + a / (b * (a + b)) * v[i + 1]
        )
    if edge_order == 1:
        r[0] = (v[1] - v[0]) / d[0]
        r[n - 1] = (v[n - 1] - v[n - 2]) / d[n - 2]
    else:
        a, b = d[0], d[1]
        r[0] = (
            -(2.0 * a + b) / (a * (a + b)) * v[0]
            + (a + b) / (a * b) * v[1]
            + -a / (b * (a + b)) * v[2]
        )
        a, b = d[n - 3], d[n - 2]
        r[n - 1] = (
            b / (a * (a + b)) * v[n - 3]
            + -(b + a) / (a * b) * v[n - 2]
            + (2.0 * b + a) / (b * (a + b)) * v[n - 1]
        )


def convolve(a, v, mode="full"):
    """Sums of products of a vector and another that is reversed, at each shift."""
    x, y = np.atleast_1d(a), np.atleast_1d(v)
    if x.ndim != 1 or y.ndim != 1:
        raise ValueError("object too deep for desired array")
    if x.size == 0:
        raise ValueError("a cannot be empty")
    if y.size == 0:
        raise ValueError("v cannot be empty")
    if y.size > x.size:
        return _products(y, x[::-1], mode)
    return _products(x, y[::-1], mode)


def correlate(a, v, mode="valid"):
    """Sums of products of a vector and the conjugate of another, at each shift."""
    x, y = np.asarray(a), np.asarray(v)
    if x.ndim == 0 or y.ndim == 0:
        raise ValueError("object of too small depth for desired array")
    if x.ndim != 1 or y.ndim != 1:
        raise ValueError("object too deep for desired array")
    if x.size == 0:
        raise ValueError("first array argument cannot be empty")
    if y.size == 0:
        raise ValueError("second array argument cannot be empty")
    if y.dtype.kind == "c":
        y = np.conj(y)
    if x.size < y.size:
        return _products(y, x, mode)[::-1]
    return _products(x, y, mode)


def _products(x, y, mode):
    """For vectors of which the first is not shorter: y slides along x."""
    n, m = x.size, y.size
    if mode == "valid":
        first, count = m - 1, n - m + 1
    elif mode == "same":
        first, count = m - 1 - m // 2, n
    elif mode == "full":
        first, count = 0, n + m - 1
    else:
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got '{mode}')")
    if x.dtype == np.float16 and y.dtype == np.float16:  # NumPy adds up in single precision
        return _products(x.astype(np.float32), y.astype(np.float32), mode).astype(np.float16)
    r = np.zeros(count, (x[:1] * y[:1]).dtype)
    for low in range(0, count, 2048):  # parts that stay in the cache while y slides along them
        high = min(low + 2048, count)
        for j in range(m):
            at = first - (m - 1) + j
            b, e = max(low, -at), min(high, n - at)
            if b < e:
                r[b:e] += x[b + at : e + at] * y[j]
    return r


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """Covariances of rows, which are variables, or of columns. An observation counts fweights
    times, with the weight aweights."""
    if dtype is not None:
        kept = np.asarray(m).astype(dtype)
        _check_inexact(kept)
        given = None if y is None else np.asarray(y).astype(dtype)
        return cov(kept, given, rowvar, bias, ddof, fweights, aweights).astype(dtype)
    if fweights is not None or aweights is not None:
        return _weighted_cov(m, y, rowvar, bias, ddof, fweights, aweights)
    x = _observed(m, y, rowvar)
    d = x - np.mean(x, axis=1, keepdims=True)
    _check_ddof(ddof)
    less = (0 if bias else 1) if ddof is None else ddof
    n = max(x.shape[1] - less, 0)
    if d.dtype.kind == "c":
        c = np.dot(d, np.conj(d).T)
    else:
        c = np.dot(d, d.T)
    r = c * np.true_divide(1.0, n)
    if np.asarray(m).ndim < 2 and y is None:
        return r.reshape(())
    return r


def _check_inexact(x):
    if x.dtype.kind != "f" and x.dtype.kind != "c":
        raise TypeError(
            "Cannot cast ufunc 'subtract' output from dtype('float64') to an integer's with casting"
            " rule 'same_kind'"
        )


def _observed(m, y, rowvar):
    """A variable in each row."""
    x = np.asarray(m)
    if x.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    x = np.atleast_2d(x * np.float64(1))
    if not rowvar and np.asarray(m).ndim == 2:
        x = x.T
    if y is not None:
        other = np.atleast_2d(np.asarray(y) * np.float64(1))
        if not rowvar and np.asarray(y).ndim == 2 and len(other) != 1:
            x = np.concatenate((x, other.T), axis=0)
        else:
            x = np.concatenate((x, other), axis=0)
    return x


def _checked_weights(w, n, name):
    if w.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if len(w) != n:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    if np.any(w < 0):
        raise ValueError(f"{name} cannot be negative")
    return w


def _check_ddof(ddof):
    """Raise unless it is None or a whole number, of any type."""
    if ddof is not None and not isinstance(ddof, int):
        if np.isinf(ddof):
            raise OverflowError("cannot convert float infinity to integer")
        if ddof != np.floor(ddof):
            raise ValueError("ddof must be integer")


def _weighted_cov(m, y, rowvar, bias, ddof, fweights, aweights):
    x = _observed(m, y, rowvar)
    _check_ddof(ddof)
    less = (0 if bias else 1) if ddof is None else ddof
    n = x.shape[1]
    if fweights is None:
        w = _checked_weights(np.asarray(aweights).astype(np.float64), n, "aweights")
    else:
        often = np.asarray(fweights).astype(np.float64)
        if np.any(often != np.around(often)):
            raise TypeError("fweights must be integer")
        w = _checked_weights(often, n, "fweights")
        if aweights is not None:
            w = w * _checked_weights(np.asarray(aweights).astype(np.float64), n, "aweights")
    total = np.sum(w)
    if total == 0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    d = x - (np.sum(x * w, axis=1) / total)[:, None]
    if less == 0:
        free = total
    elif aweights is None:
        free = total - less
    else:
        own = np.asarray(aweights).astype(np.float64)
        free = total - less * np.sum(w * own) / total
    free = max(free, 0.0)
    if d.dtype.kind == "c":
        c = np.dot(d, np.conj(d * w).T)
    else:
        c = np.dot(d, (d * w).T)
    r = c * np.true_divide(1.0, free)
    if np.asarray(m).ndim < 2 and y is None:
        return r.reshape(())
    return r


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """Correlations of rows, which are variables, or of columns."""
    if dtype is not None:
        kept = np.asarray(x).astype(dtype)
        _check_inexact(kept)
        given = None if y is None else np.asarray(y).astype(dtype)
        return corrcoef(kept, given, rowvar).astype(dtype)
    c = cov(x, y, rowvar)
    if c.ndim == 0:
        return c / c
    d = np.sqrt(np.diagonal(c).real)
    r = c / d[:, None] / d[None, :]
    if r.dtype.kind == "c":
        return np.clip(r.real, -1, 1) + np.clip(r.imag, -1, 1) * 1j
    return np.clip(r, -1, 1)


def polyval(p, x):
    """A polynomial at x: its coefficients from the highest power on."""
    c = np.asarray(p)
    if c.ndim != 1:
        raise ValueError("a polynomial has one axis")
    at = np.asarray(x)
    r = np.zeros(at.shape, (c[:1] * np.ravel(at)[:1]).dtype)
    for k in range(c.size):
        r[...] = r * at + c[k]
    return r[()]


def polyder(p, m=1):
    """The derivative of a polynomial."""
    c = np.asarray(p)
    if c.ndim != 1:
        raise ValueError("a polynomial has one axis")
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    if m == 0:
        return c
    n = c.size - 1
    d = c[: max(n, 0)] * np.arange(n, 0, -1)
    return polyder(d, m - 1)


def polyadd(a1, a2):
    """The sum of two polynomials."""
    a, b = np.atleast_1d(a1), np.atleast_1d(a2)
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError("Polynomial must be 1d only.")
    n = max(a.size, b.size)
    r = np.zeros(n, (a[:1] + b[:1]).dtype)
    r[n - a.size :] += a
    r[n - b.size :] += b
    return r


def polysub(a1, a2):
    """The difference of two polynomials."""
    a, b = np.atleast_1d(a1), np.atleast_1d(a2)
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError("Polynomial must be 1d only.")
    n = max(a.size, b.size)
    r = np.zeros(n, (a[:1] - b[:1]).dtype)
    r[n - a.size :] += a
    r[n - b.size :] -= b
    return r


def polymul(a1, a2):
    """The product of two polynomials without the zeros that they begin with; nothing is the
    constant zero."""
    return convolve(_led(np.atleast_1d(a1)), _led(np.atleast_1d(a2)))


def _led(a):
    """Coefficients from the first that isn't zero on, as np.poly1d keeps them."""
    if a.ndim != 1:
        raise ValueError("Polynomial must be 1d only.")
    c = np.trim_zeros(a, "f")
    if c.size == 0:
        return np.zeros(1, a.dtype)
    return c


def vander(x, N=None, increasing=False):
    """Powers of x, one in each column."""
    v = np.asarray(x)
    if v.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    n = v.size if N is None else N
    if v.dtype.kind == "f" or v.dtype.kind == "c":
        r = np.empty((v.size, n), np.complex128 if v.dtype.kind == "c" else np.float64)
    else:
        r = np.empty((v.size, n), (v[:1] * np.int64(1)).dtype)
    for i in range(v.size):
        for k in range(n):
            at = k if increasing else n - 1 - k
            if k == 0:
                r[i, at] = 1
            else:
                r[i, at] = r[i, at - 1 if increasing else at + 1] * v[i]
    return r


def kron(a, b):
    """Kronecker product: each element of a times all of b, as one array."""
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim < b.ndim:
        return kron(a[None], b)
    elif b.ndim < a.ndim:
        return kron(a, b[None])
    elif a.ndim == 0:
        return np.multiply(a, b)
    else:
        p = _interleaved(a, a.ndim, 1) * _interleaved(b, b.ndim, 0)
        return p.reshape(_multiplied(a.shape, b.shape))


def inner(a, b):
    """Sum of products over the last axis of both."""
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return np.multiply(a, b)
    n, m = a.shape[a.ndim - 1], b.shape[b.ndim - 1]
    if n != m:
        raise ValueError("shapes are not aligned")
    if a.ndim == 1 and b.ndim == 1:
        return np.dot(a, b)
    if b.ndim == 1:
        return np.dot(a.reshape((-1, n)), b).reshape(a.shape[:-1])
    r = np.dot(a.reshape((-1, n)), b.reshape((-1, n)).T)
    return r.reshape(a.shape[:-1] + b.shape[:-1])


def hanning(M):
    """Window of M points: a raised cosine."""
    return _cosines(M, 0.5, 0.5, 0.0)


def hamming(M):
    """Window of M points: a raised cosine that doesn't reach zero."""
    return _cosines(M, 0.54, 0.46, 0.0)


def blackman(M):
    """Window of M points: of two cosines."""
    return _cosines(M, 0.42, 0.5, 0.08)


def _cosines(m, a, b, c):
    if m < 1:
        return np.empty(0)
    if m == 1:
        return np.ones(1)
    n = np.arange(1 - m, m, 2)
    if c == 0.0:
        return a + b * np.cos(np.pi * n / (m - 1))
    return a + b * np.cos(np.pi * n / (m - 1)) + c * np.cos(2.0 * np.pi * n / (m - 1))


def bartlett(M):
    """Window of M points: a triangle."""
    if M < 1:
        return np.empty(0)
    if M == 1:
        return np.ones(1)
    n = np.arange(1 - M, M, 2)
    return np.where(n <= 0, 1 + n / (M - 1), 1 - n / (M - 1))


def sinc(x):
    """sin(pi x) / (pi x), and 1 at 0."""
    a = np.pi * np.asarray(x)
    if a.dtype.kind == "f":
        y = np.where(a == 0, np.finfo(a.dtype).eps, a)
    else:
        y = np.where(a == 0, 1.0e-20, a)
    return np.sin(y) / y


def unwrap(p, discont=None, axis=-1, *, period=6.283185307179586):
    """Angles with jumps taken away by whole periods."""
    a = np.asarray(p)
    np.size(a, axis)  # which must be there
    x = np.moveaxis(a, axis, -1)
    d = np.diff(x, axis=-1)
    limit = period / 2 if discont is None else discont
    whole = np.empty_like(a, (x[..., :1] * period).dtype)
    r = np.moveaxis(whole, axis, -1)
    r[...] = x
    if r.dtype.kind == "f":
        half = period / 2
    else:
        half = period // 2
    m = np.mod(d + half, period) - half
    if r.dtype.kind == "f" or period % 2 == 0:
        m = np.where((m == -half) & (d > 0), half, m)
    c = np.where(np.abs(d) < limit, 0, m - d)
    r[..., 1:] = x[..., 1:] + np.cumsum(c, axis=-1)
    return whole


def isneginf(x, out=None):
    """Where there is minus infinity."""
    return np.logical_and(np.isinf(x), np.signbit(x), out=out)


def isposinf(x, out=None):
    """Where there is infinity."""
    return np.logical_and(np.isinf(x), np.logical_not(np.signbit(x)), out=out)


def iscomplex(x):
    """Where the imaginary part isn't zero."""
    return np.not_equal(np.imag(x), 0)


def isreal(x):
    """Where the imaginary part is zero."""
    return np.imag(x) == 0


def array_equiv(a1, a2):
    """Whether both are equal where they are broadcast to one shape."""
    a, b = np.asarray(a1), np.asarray(a2)
    if not _meet(a.shape, b.shape):
        return False
    return bool(np.all(np.equal(a, b)))


def _meet(s, t):
    """Whether arrays of these shapes can be broadcast together."""
    if len(s) == 0 or len(t) == 0:
        return True
    m, n = s[len(s) - 1], t[len(t) - 1]
    if m != n and m != 1 and n != 1:
        return False
    return _meet(s[:-1], t[:-1])


def linalg_norm(x, ord=None, axis=None, keepdims=False):
    """The norm of a vector or matrix, or of those along one or two axes."""
    a = np.asarray(x)
    if a.dtype.kind != "f" and a.dtype.kind != "c":
        a = a * 1.0
    if axis is None and ord is None:
        if a.dtype.kind == "c":
            r = np.sqrt(np.sum(_squares(a)))
        else:
            flat = a.ravel()
            r = np.sqrt(np.dot(flat, flat))
        return r.reshape(_ones(a.ndim)) if keepdims else r
    elif axis is None:
        if a.ndim == 1:
            r = _vector_norm(a, ord)
        elif a.ndim == 2:
            r = _matrix_norm(a, ord)
        else:
            raise ValueError("Improper number of dimensions to norm.")
        return np.reshape(r, _ones(a.ndim)) if keepdims else r
    elif isinstance(axis, tuple):
        if len(axis) == 1:
            return linalg_norm(x, ord, axis[0], keepdims)
        if len(axis) != 2:
            raise ValueError("Improper number of dimensions to norm.")
        np.size(a, axis[0])
        np.size(a, axis[1])
        if axis[0] % a.ndim == axis[1] % a.ndim:
            raise ValueError("Duplicate axes given.")
        r = _matrix_norm(np.moveaxis(a, axis, (-2, -1)), ord)
        return np.expand_dims(r, axis) if keepdims else r
    else:
        np.size(a, axis)  # which must be there
        r = _vector_norm(np.moveaxis(a, axis, -1), ord)
        return np.expand_dims(r, axis) if keepdims else r


def _squares(a):
    """Squares of magnitudes."""
    if a.dtype.kind == "c":
        return a.real * a.real + a.imag * a.imag
    return a * a


def _vector_norm(a, ord):
    """Of the vectors along the last axis."""
    if ord is None:
        return np.sqrt(np.sum(_squares(a), axis=-1))
    elif ord == 2:
        return np.sqrt(np.sum(_squares(a), axis=-1))
    elif ord == np.inf:
        return np.max(np.abs(a), axis=-1, initial=0)
    elif ord == -np.inf:
        return np.min(np.abs(a), axis=-1)
    elif ord == 0:
        return np.sum((a != 0).astype(np.abs(a).dtype), axis=-1)
    elif ord == 1:
        return np.sum(np.abs(a), axis=-1)
    elif isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    else:
        return np.power(np.sum(np.power(np.abs(a), ord), axis=-1), 1 / ord)


def _matrix_norm(a, ord):
    """Of the matrices of the last two axes."""
    if ord is None or ord == "fro" or ord == "f":
        return np.sqrt(np.sum(np.sum(_squares(a), axis=-1), axis=-1))
    elif ord == 1:
        return np.max(np.sum(np.abs(a), axis=-2), axis=-1, initial=0)
    elif ord == -1:
        return np.min(np.sum(np.abs(a), axis=-2), axis=-1)
    elif ord == np.inf:
        return np.max(np.sum(np.abs(a), axis=-1), axis=-1, initial=0)
    elif ord == -np.inf:
        return np.min(np.sum(np.abs(a), axis=-1), axis=-1)
    elif ord == 2:
        return np.max(np.linalg.svdvals(a), axis=-1, initial=0)
    elif ord == -2:
        return np.min(np.linalg.svdvals(a), axis=-1)
    elif ord == "nuc":
        return np.sum(np.linalg.svdvals(a), axis=-1)
    else:
        raise ValueError("Invalid norm order for matrices.")
