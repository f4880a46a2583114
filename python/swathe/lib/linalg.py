# SPDX-License-Identifier: BSD-3-Clause
"""Small linear algebra on top of sums and products."""

import numpy as np

from swathe._objects import index_of


def vdot(a, b):
    """Sum of conj(a) * b over all elements, both flattened in C order."""
    a = np.asarray(a)
    b = np.asarray(b)
    if a.size != b.size:
        raise ValueError(f"cannot reshape array of size {b.size} into shape ({a.size},)")
    kind = _product_type(a, b)  # known before, so that products are in no array
    if a.dtype.kind == "c":
        return np.sum(np.conj(a.ravel()) * b.ravel(), dtype=kind)
    else:
        return np.sum(a.ravel() * b.ravel(), dtype=kind)


def _check_ndim(name, signature, operand, ndim, needed):
    """Raise ValueError unless an operand has the axes that the signature names."""
    if ndim < needed:
        raise ValueError(
            f"{name}: Input operand {operand} does not have enough dimensions (has {ndim}, "
            f"gufunc core with signature {signature} requires {needed})"
        )


def _check_core(name, signature, n, m):
    """Raise ValueError unless the axes that are summed over have one size."""
    if n != m:
        raise ValueError(
            f"{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
            f"signature {signature} (size {m} is different from {n})"
        )


def vecdot(x1, x2):
    """Sum of conj(x1) * x2 along the last axis of both."""
    x1, x2 = np.asarray(x1), np.asarray(x2)
    _check_ndim("vecdot", "(n),(n)->()", 0, x1.ndim, 1)
    _check_ndim("vecdot", "(n),(n)->()", 1, x2.ndim, 1)
    _check_core("vecdot", "(n),(n)->()", x1.shape[x1.ndim - 1], x2.shape[x2.ndim - 1])
    kind = _product_type(x1, x2)  # known before, so that products are in no array
    if x1.dtype.kind == "c":
        return np.sum(np.conj(x1) * x2, axis=-1, dtype=kind)
    else:
        return np.sum(x1 * x2, axis=-1, dtype=kind)


def _product_type(x1, x2):
    """The dtype of products, in which they are added up."""
    return np.multiply(np.empty(0, x1.dtype), np.empty(0, x2.dtype)).dtype


def matvec(x1, x2):
    """Matrices of the last two axes of x1, times vectors of the last axis of x2."""
    x1, x2 = np.asarray(x1), np.asarray(x2)
    _check_ndim("matvec", "(m,n),(n)->(m)", 0, x1.ndim, 2)
    _check_ndim("matvec", "(m,n),(n)->(m)", 1, x2.ndim, 1)
    _check_core("matvec", "(m,n),(n)->(m)", x1.shape[x1.ndim - 1], x2.shape[x2.ndim - 1])
    kind = _product_type(x1, x2)
    return np.sum(x1 * x2[..., None, :], axis=-1, dtype=kind)


def vecmat(x1, x2):
    """Vectors of the last axis of x1, conjugated, times matrices of x2."""
    x1, x2 = np.asarray(x1), np.asarray(x2)
    _check_ndim("vecmat", "(n),(n,m)->(m)", 0, x1.ndim, 1)
    _check_ndim("vecmat", "(n),(n,m)->(m)", 1, x2.ndim, 2)
    _check_core("vecmat", "(n),(n,m)->(m)", x1.shape[x1.ndim - 1], x2.shape[x2.ndim - 2])
    kind = _product_type(x1, x2)  # known before, so that products are in no array
    if x1.dtype.kind == "c":
        return np.sum(np.conj(x1)[..., None] * x2, axis=-2, dtype=kind)
    else:
        return np.sum(x1[..., None] * x2, axis=-2, dtype=kind)


def outer(a, b, out=None):
    """All products of an element of a with one of b: shape (a.size, b.size)."""
    x, y = np.asarray(a).ravel()[:, None], np.asarray(b).ravel()[None, :]
    if out is not None:
        return np.multiply(x, y, out=out)
    return x * y


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """Sum along the diagonal of two axes."""
    return np.sum(np.diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype, out=out)


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Vector product along an axis of three elements; of one of both two will do."""
    if axis is not None:
        return cross(a, b, axis, axis, axis)
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim < 1 or b.ndim < 1:
        raise ValueError("At least one array has zero dimension")
    if isinstance(axisa, tuple) or isinstance(axisb, tuple) or isinstance(axisc, tuple):
        raise TypeError("'tuple' object cannot be interpreted as an integer")
    if axisa == -1 and axisb == -1 and axisc == -1:
        return _cross(a, b)
    return np.moveaxis(_cross(np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1)), -1, axisc)


def _cross(a, b):
    n, m = a.shape[a.ndim - 1], b.shape[b.ndim - 1]
    if (n != 2 and n != 3) or (m != 2 and m != 3):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    if n == 2 and m == 2:
        raise ValueError(
            "np.cross of vectors of two elements has another rank, which compiled code does not"
            " know: write a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]"
        )
    z = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    r = np.empty((*np.shape(z), 3), dtype=z.dtype)
    if n == 2:
        r[..., 0] = a[..., 1] * b[..., 2]
        r[..., 1] = -(a[..., 0] * b[..., 2])
    elif m == 2:
        r[..., 0] = -(a[..., 2] * b[..., 1])
        r[..., 1] = a[..., 2] * b[..., 0]
    else:
        r[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
        r[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    r[..., 2] = z
    return r


def _diagonal_at(k, least, rows, columns):
    """The place of a diagonal, at most as far out as one with no element; one below `least` is
    what NumPy's np.tri can't count from."""
    at = index_of(k)
    if at < least:
        raise OverflowError("Python int too large to convert to C long")
    return min(max(at, -rows), columns)


def tri(N, M=None, k=0, dtype=float):
    """Ones at and below the k-th diagonal, zeros above."""
    r = np.zeros((max(N, 0), max(N if M is None else M, 0)), dtype=dtype)
    at = _diagonal_at(k, r.shape[1] - 9223372036854775807, r.shape[0], r.shape[1])
    for i in range(r.shape[0]):
        for j in range(max(0, min(r.shape[1], i + at + 1))):
            r[i, j] = 1
    return r


def diag(v, k=0):
    """The k-th diagonal of a 2-D array, or a 2-D array with the vector v on it."""
    v = np.asarray(v)
    if v.ndim == 2:
        return np.diagonal(v, k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    n = len(v) + abs(k)
    r = np.zeros((n, n), dtype=v.dtype)
    for i in range(len(v)):
        r[i + max(0, -int(k)), i + max(0, int(k))] = v[i]
    return r


def tril(m, k=0):
    """The lower triangle of the last two axes: zero above the k-th diagonal."""
    m = np.asarray(m)
    if m.ndim == 0:
        raise TypeError("tri() missing 1 required positional argument: 'N'")
    if m.ndim == 1:  # repeated as rows, as tri(len(m)) has them
        return tril(np.broadcast_to(m, (len(m), len(m))), k)
    r = np.zeros(m.shape, dtype=m.dtype)
    columns = m.shape[m.ndim - 1]
    at = _diagonal_at(k, columns - 9223372036854775807, m.shape[m.ndim - 2], columns)
    if m.ndim == 2:
        for i in range(m.shape[0]):
            for j in range(max(0, min(m.shape[1], i + at + 1))):
                r[i, j] = m[i, j]
    else:
        for i in range(m.shape[m.ndim - 2]):
            for j in range(max(0, min(m.shape[m.ndim - 1], i + at + 1))):
                r[..., i, j] = m[..., i, j]
    return r


def triu(m, k=0):
    """The upper triangle of the last two axes: zero below the k-th diagonal."""
    m = np.asarray(m)
    if m.ndim == 0:
        raise TypeError("tri() missing 1 required positional argument: 'N'")
    if m.ndim == 1:  # repeated as rows, as tri(len(m)) has them
        return triu(np.broadcast_to(m, (len(m), len(m))), k)
    r = np.zeros(m.shape, dtype=m.dtype)
    columns = m.shape[m.ndim - 1]
    at = _diagonal_at(k, columns - 9223372036854775807 + 1, m.shape[m.ndim - 2], columns)
    if m.ndim == 2:
        for i in range(m.shape[0]):
            for j in range(max(0, i + at), m.shape[1]):
                r[i, j] = m[i, j]
    else:
        for i in range(m.shape[m.ndim - 2]):
            for j in range(max(0, i + at), m.shape[m.ndim - 1]):
                r[..., i, j] = m[..., i, j]
    return r
