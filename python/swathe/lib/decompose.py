# SPDX-License-Identifier: BSD-3-Clause
"""Factors of matrices and what is made of them: shapes and errors here, the work in kernels, in
double precision."""

from typing import Any, NamedTuple

import numpy as np

from swathe import _kernels
from swathe.lib.lapack import _check_matrix, _check_precision, _narrow, _wide

try:
    from numpy.linalg._linalg import EighResult, EigResult, QRResult, SlogdetResult, SVDResult
except ImportError:  # NumPy 1

    class EigResult(NamedTuple):  # type: ignore[no-redef]
        eigenvalues: Any
        eigenvectors: Any

    class EighResult(NamedTuple):  # type: ignore[no-redef]
        eigenvalues: Any
        eigenvectors: Any

    class QRResult(NamedTuple):  # type: ignore[no-redef]
        Q: Any
        R: Any

    class SlogdetResult(NamedTuple):  # type: ignore[no-redef]
        sign: Any
        logabsdet: Any

    class SVDResult(NamedTuple):  # type: ignore[no-redef]
        U: Any
        S: Any
        Vh: Any


def _narrow_real(s, a):
    return s.astype(np.float32) if a.dtype == np.float32 or a.dtype == np.complex64 else s


def _check_stacked(a):
    """Raise LinAlgError unless there are two axes, TypeError of float16."""
    if a.ndim < 2:
        raise np.linalg.LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    _check_precision(a)


def _check_finite(a):
    if not np.all(np.isfinite(a)):
        raise np.linalg.LinAlgError("Array must not contain infs or NaNs")


def linalg_slogdet(a):
    """Sign and logarithm of the size of the determinant of a matrix, or of each in a stack."""
    a = np.asarray(a)
    _check_matrix(a)
    sign = np.empty(a.shape[:-2], np.complex128 if a.dtype.kind == "c" else np.float64)
    size = np.empty(a.shape[:-2], np.float64)
    _kernels.slogdet(_wide(a, a), sign, size)
    return SlogdetResult(_narrow(sign, a, a)[()], _narrow_real(size, a)[()])


def linalg_eigh(a, UPLO="L"):
    """Eigenvalues of a Hermitian matrix, or of each in a stack, in order, and its vectors: from
    one triangle."""
    a = np.asarray(a)
    if UPLO not in ("L", "U", "l", "u"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    _check_matrix(a)
    v = _wide(a, a)
    w = np.empty(a.shape[:-1], np.float64)
    if _kernels.eigh(v, w, UPLO in ("U", "u")) != 0:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    return EighResult(_narrow_real(w, a), _narrow(v, a, a))


def linalg_eigvals(a):
    """Eigenvalues of a matrix, or of each in a stack: complex, whatever they are."""
    a = np.asarray(a)
    _check_matrix(a)
    _check_finite(a)
    w = np.empty(a.shape[:-1], np.complex128)
    if _kernels.eigvals(_wide(a, a), w) != 0:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    return _narrow(w, a, a)


def linalg_eig(a):
    """Eigenvalues and vectors of a matrix, or of each in a stack: complex, whatever they are."""
    a = np.asarray(a)
    _check_matrix(a)
    _check_finite(a)
    w = np.empty(a.shape[:-1], np.complex128)
    v = np.empty(a.shape, np.complex128)
    if _kernels.eig(_wide(a, a), w, v) != 0:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    return EigResult(_narrow(w, a, a), _narrow(v, a, a))


def linalg_svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """u, s, vh of a = u @ diag(s) @ vh, or s alone, of a matrix or of each in a stack."""
    a = np.asarray(a)
    if hermitian:
        if compute_uv:
            return _hermitian_svd(a)
        else:
            return np.sort(np.abs(np.linalg.eigvalsh(a)), axis=-1)[..., ::-1]
    _check_stacked(a)
    m, n = a.shape[a.ndim - 2], a.shape[a.ndim - 1]
    k = min(m, n)
    s = np.empty((*a.shape[:-2], k), np.float64)
    if compute_uv:
        x = _wide(a, a)
        u = np.empty((*a.shape[:-2], m, m if full_matrices else k), x.dtype)
        vh = np.empty((*a.shape[:-2], n if full_matrices else k, n), x.dtype)
        if _kernels.svd(x, u, s, vh, bool(full_matrices)) != 0:
            raise np.linalg.LinAlgError("SVD did not converge")
        return SVDResult(_narrow(u, a, a), _narrow_real(s, a), _narrow(vh, a, a))
    else:
        if _kernels.svdvals(_wide(a, a), s) != 0:
            raise np.linalg.LinAlgError("SVD did not converge")
        return _narrow_real(s, a)


def _hermitian_svd(a):
    w, v = linalg_eigh(a)
    sign = np.copysign(1.0, w).astype(w.dtype)
    order = np.argsort(np.abs(w), axis=-1)[..., ::-1]
    s = np.take_along_axis(np.abs(w), order, axis=-1)
    sign = np.take_along_axis(sign, order, axis=-1)
    u = np.take_along_axis(v, np.broadcast_to(order[..., None, :], v.shape), axis=-1)
    vh = np.conj(np.swapaxes(u * sign[..., None, :], -1, -2))
    return SVDResult(u, s, vh)


def linalg_svdvals(x):
    """Singular values of a matrix, or of each in a stack, the greatest first."""
    return linalg_svd(x, True, False)


def linalg_qr(a, mode="reduced"):
    """q and r of a = q @ r, with orthonormal columns and a triangle, or r alone; of a matrix or of
    each in a stack."""
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    if mode == "raw":
        raise ValueError("np.linalg.qr(mode='raw') is not supported in compiled code")
    a = np.asarray(a)
    _check_stacked(a)
    m, n = a.shape[a.ndim - 2], a.shape[a.ndim - 1]
    x = _wide(a, a)
    if mode == "r":
        status = _kernels.qr_r(x)
        _check_qr(status)
        return _narrow(np.triu(x[..., : min(m, n), :]), a, a)
    else:
        k = m if mode == "complete" else min(m, n)
        q = np.empty((*a.shape[:-2], m, k), x.dtype)
        status = _kernels.qr(x, q)
        _check_qr(status)
        return QRResult(_narrow(q, a, a), _narrow(np.triu(x[..., :k, :]), a, a))


def _check_qr(status):
    if status != 0:
        raise np.linalg.LinAlgError("Incorrect argument found while performing QR factorization")


def linalg_lstsq(a, b, rcond=None):
    """The least x that brings a @ x as near to b as can be, what is left of each column, the rank
    of a, and its singular values."""
    a = np.asarray(a)
    b = np.asarray(b)
    if b.ndim == 1:
        x, left, rank, s = _least_squares(a, b[:, None], rcond)
        return x[:, 0], left, rank, s
    return _least_squares(a, b, rcond)


def _check_flat(a):
    if a.ndim != 2:
        raise np.linalg.LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be two-dimensional"
        )


def _least_squares(a, b, rcond):
    _check_flat(a)
    _check_flat(b)
    m, n = a.shape
    count = b.shape[1]
    if m != b.shape[0]:
        raise np.linalg.LinAlgError("Incompatible dimensions")
    _check_precision(a)
    _check_precision(b)
    x = np.zeros(
        (max(m, n), max(count, 1)),
        np.complex128 if a.dtype.kind == "c" or b.dtype.kind == "c" else np.float64,
    )
    x[:m, :count] = b
    s = np.empty(min(m, n), np.float64)
    rank = np.zeros(1, np.int64)
    if s.size > 0:
        s[0] = 2.220446049250313e-16 * max(m, n) if rcond is None else rcond
        if _kernels.lstsq(_wide(a, b), x, s, rank) != 0:
            raise np.linalg.LinAlgError("SVD did not converge in Linear Least Squares")
    left = np.zeros(count if rank[0] == n and m > n else 0, np.float64)
    for j in range(left.size):
        for i in range(n, m):
            left[j] += x[i, j].real * x[i, j].real + x[i, j].imag * x[i, j].imag
    s = _narrow_both(s, a, b)
    return _narrow(x[:n, :count], a, b), _narrow_both(left, a, b), np.int32(rank[0]), s


def _narrow_both(s, a, b):
    """Of real numbers, in single precision where both arguments are."""
    if (a.dtype == np.float32 or a.dtype == np.complex64) and (
        b.dtype == np.float32 or b.dtype == np.complex64
    ):
        return s.astype(np.float32)
    return s


def linalg_pinv(a, rcond=None, hermitian=False, *, rtol=None):
    """The pseudo-inverse of a matrix, or of each in a stack: singular values not above `rcond`
    times the greatest count as zero."""
    a = np.asarray(a)
    _check_stacked(a)
    if rtol is not None:
        if rcond is not None:
            raise ValueError("`rtol` and `rcond` can't be both set.")
        return linalg_pinv(a, rtol, hermitian)
    if a.shape[a.ndim - 1] == 0 or a.shape[a.ndim - 2] == 0:
        return np.zeros(
            (*a.shape[:-2], a.shape[a.ndim - 1], a.shape[a.ndim - 2]),
            _narrow(_wide(a, a), a, a).dtype,
        )
    u, s, vh = linalg_svd(np.conj(a) if a.dtype.kind == "c" else a, False, True, hermitian)
    least = np.asarray(1e-15 if rcond is None else rcond)
    cut = least[..., None] * np.max(s, axis=-1, keepdims=True)
    d = np.where(s > cut, 1 / np.where(s > cut, s, 1), 0).astype(s.dtype)
    return np.matmul(np.swapaxes(vh, -1, -2), d[..., None] * np.swapaxes(u, -1, -2))


def linalg_cond(x, p=None):
    """How much a solution may change for a change of what is given: the norm of a matrix times that
    of its inverse, by singular values unless `p` names another norm."""
    a = np.asarray(x)
    if a.size == 0 and (a.ndim < 2 or a.shape[a.ndim - 1] * a.shape[a.ndim - 2] == 0):
        raise np.linalg.LinAlgError("cond is not defined on empty arrays")
    if p is None or p == 2 or p == -2:
        s = linalg_svd(a, True, False)
        k = s.shape[s.ndim - 1] - 1
        r = np.asarray(s[..., k] / s[..., 0] if p == -2 else s[..., 0] / s[..., k])
    else:
        _check_matrix(a)
        b = _wide(a, a)
        _kernels.inv(b)
        product = np.linalg.norm(a, p, axis=(-2, -1)) * np.linalg.norm(b, p, axis=(-2, -1))
        r = _narrow_real(np.asarray(product), a)
    bad = np.any(np.any(np.isnan(a), axis=-1), axis=-1)
    return np.where(np.isnan(r) & ~np.asarray(bad), np.inf, r).astype(r.dtype)[()]


def linalg_matrix_power(a, n):
    """A square matrix, or each in a stack, times itself; its inverse for n < 0."""
    a = np.asarray(a)
    if a.ndim < 2:
        raise np.linalg.LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    if a.shape[a.ndim - 1] != a.shape[a.ndim - 2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if n < 0:
        return _power(np.linalg.inv(a), -n)
    return _power(a, n)


def _power(a, n):
    if n == 0:
        r = np.empty(a.shape, a.dtype)
        r[...] = np.eye(a.shape[a.ndim - 1], dtype=a.dtype)
        return r
    elif n == 1:
        return a
    elif n == 3:
        return np.matmul(np.matmul(a, a), a)
    left = n
    z = np.matmul(a, a) if n > 1 and n % 2 == 0 else a.copy()
    if n % 2 == 0:
        left = n // 2
    while left % 2 == 0:
        z = np.matmul(z, z)
        left //= 2
    r = z
    left //= 2
    while left > 0:
        z = np.matmul(z, z)
        if left % 2 == 1:
            r = np.matmul(r, z)
        left //= 2
    return r


def linalg_multi_dot(matrices, *, out=None):
    """The product of several matrices, in the order that takes the fewest steps; the first and the
    last may be vectors."""
    if out is not None:
        r = np.asarray(linalg_multi_dot(matrices))
        if out.shape != r.shape or out.dtype != r.dtype:
            raise ValueError(
                "output array is not acceptable (must have the right datatype, number of "
                "dimensions, and be a C-Array)"
            )
        out[...] = r
        return out
    if len(matrices) < 2:
        raise ValueError("Expecting at least two arrays.")
    if len(matrices) == 2:
        return np.dot(matrices[0], matrices[1])
    first, last = np.asarray(matrices[0]), np.asarray(matrices[len(matrices) - 1])
    r = _chain((_row(first), *matrices[1 : len(matrices) - 1], _column(last)))
    if first.ndim == 1 and last.ndim == 1:
        return r[0, 0]
    elif first.ndim == 1 or last.ndim == 1:
        return r.ravel()
    else:
        return r


def linalg_tensorinv(a, ind=2):
    """The inverse with respect to a product over the last axes, `ind` of them stand before."""
    a = np.asarray(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    n = 1
    for k in a.shape[ind:]:
        n *= k
    r = np.linalg.inv(a.reshape((n, a.size // max(n, 1))))
    return r.reshape((*a.shape[ind:], *a.shape[:ind]))


def linalg_tensorsolve(a, b, axes=None):
    """x such that the product of `a` and x over all axes of x is b."""
    a, b = np.asarray(a), np.asarray(b)
    if axes is not None:
        return linalg_tensorsolve(_last_moved(a, axes), b)
    shape = a.shape[b.ndim :]
    n = 1
    for k in shape:
        n *= k
    if a.size != n**2:
        raise np.linalg.LinAlgError(
            "Input arrays must satisfy the requirement "
            "prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])"
        )
    return np.linalg.solve(a.reshape((n, n)), b.ravel()).reshape(shape)


def _last_moved(a, axes):
    """Axes behind the others, one after the other."""
    if len(axes) == 0:
        return a
    return _last_moved(np.moveaxis(a, axes[0], -1), axes[1:])


def _row(a):
    return a[None, :] if a.ndim == 1 else a


def _column(a):
    return a[:, None] if a.ndim == 1 else a


def _chain(arrays):
    _check_all_flat(arrays)
    if len(arrays) == 3:
        a, b, c = arrays
        m, k = a.shape
        h, n = c.shape
        if m * h * (k + n) < k * n * (m + h):
            return np.dot(np.dot(a, b), c)
        return np.dot(a, np.dot(b, c))
    kind = np.asarray(_product_of_ones(arrays)).dtype
    parts = [np.ascontiguousarray(arrays[0]).astype(kind)]
    _put_all(parts, arrays[1:], kind)
    sizes = np.empty(len(arrays) + 1, np.int64)
    sizes[0] = parts[0].shape[0]
    for i in range(len(arrays)):
        sizes[i + 1] = parts[i].shape[1]
    return _span(parts, _cuts(sizes), 0, len(arrays) - 1)


def _put_all(parts, arrays, kind):
    """Puts matrices behind others into a list."""
    if len(arrays) > 0:
        parts.append(np.ascontiguousarray(arrays[0]).astype(kind))
        _put_all(parts, arrays[1:], kind)


def _span(parts, cut, i, j):
    """The product of the i-th to the j-th matrix."""
    if i == j:
        return parts[i]
    k = cut[i, j]
    return np.dot(_span(parts, cut, i, k), _span(parts, cut, k + 1, j))


def _check_all_flat(arrays):
    if len(arrays) > 0:
        _check_flat(np.asarray(arrays[0]))
        _check_all_flat(arrays[1:])


def _product_of_ones(arrays):
    """A product of the dtype that the product of all has."""
    one = np.ones((1, 1), arrays[0].dtype)
    if len(arrays) == 1:
        return one
    return np.dot(one, _product_of_ones(arrays[1:]))


def _cuts(sizes):
    """Where to cut the product of each span of matrices."""
    n = len(sizes) - 1
    cost = np.zeros((n, n))
    cut = np.zeros((n, n), np.int64)
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i, j] = np.inf
            for k in range(i, j):
                c = cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                if c < cost[i, j]:
                    cost[i, j] = c
                    cut[i, j] = k
    return cut
