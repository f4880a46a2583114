# SPDX-License-Identifier: BSD-3-Clause
"""Linear algebra by LAPACK: shapes and errors here, the work in kernels, in double precision."""

import numpy as np

from swathe import _kernels
from swathe.lib.linalg import _check_core, _check_ndim


def linalg_solve(a, b):
    """Solution x of a @ x = b: one of each matrix in a stack; b may be a vector for all."""
    a = np.asarray(a)
    b = np.asarray(b)
    _check_matrix(a)
    _check_precision(b)
    n = a.shape[a.ndim - 1]
    if b.ndim == 1:
        _check_core("solve1", "(m,m),(m)->(m)", n, b.shape[0])
        x = _wide(np.broadcast_to(b, a.shape[:-1]), a)
        status = _kernels.solve(_wide(a, b), x[..., None])
    else:
        _check_ndim("solve", "(m,m),(m,n)->(m,n)", 1, b.ndim, 2)
        _check_core("solve", "(m,m),(m,n)->(m,n)", n, b.shape[b.ndim - 2])
        if a.ndim == 2 and b.ndim == 2:
            x = _wide(b, a)
            status = _kernels.solve(_wide(a, b), x)
        else:
            count = np.zeros(a.shape[:-2], np.bool_) | np.zeros(b.shape[:-2], np.bool_)
            x = _wide(np.broadcast_to(b, np.shape(count) + b.shape[-2:]), a)
            status = _kernels.solve(np.broadcast_to(_wide(a, b), np.shape(count) + a.shape[-2:]), x)
    if status != 0:
        raise np.linalg.LinAlgError("Singular matrix")
    return _narrow(x, a, b)


def linalg_inv(a):
    """Inverse of a matrix, or of each in a stack."""
    a = np.asarray(a)
    _check_matrix(a)
    x = _wide(a, a)
    if _kernels.inv(x) != 0:
        raise np.linalg.LinAlgError("Singular matrix")
    return _narrow(x, a, a)


def linalg_det(a):
    """Determinant of a matrix, or of each in a stack."""
    a = np.asarray(a)
    _check_matrix(a)
    d = np.empty(a.shape[:-2], np.complex128 if a.dtype.kind == "c" else np.float64)
    _kernels.det(_wide(a, a), d)
    return _narrow(d, a, a)[()]


def linalg_cholesky(a, *, upper=False):
    """Triangular factor L of L @ L^H, read from that triangle; with upper=True U of U^H @ U."""
    a = np.asarray(a)
    _check_matrix(a)
    x = _wide(a, a)
    if _kernels.cholesky(x, bool(upper)) != 0:
        raise np.linalg.LinAlgError("Matrix is not positive definite")
    return _narrow(x, a, a)


def linalg_eigvalsh(a, UPLO="L"):
    """Eigenvalues of a Hermitian matrix, or of each in a stack, in order: from one triangle."""
    a = np.asarray(a)
    if UPLO not in ("L", "U", "l", "u"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    _check_matrix(a)
    w = np.empty(a.shape[:-1], np.float64)
    if _kernels.eigvalsh(_wide(a, a), w, UPLO in ("U", "u")) != 0:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    if a.dtype == np.float32 or a.dtype == np.complex64:
        return w.astype(np.float32)
    return w


def linalg_matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """Rank of a matrix, or of each in a stack: how many singular values are above `tol`, which is
    the greatest one times `rtol`, or times the longer side and the precision."""
    a = np.asarray(A)
    if a.ndim < 2:
        return int(np.any(a != 0))
    if tol is not None and rtol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    m = a.shape[a.ndim - 2]
    n = a.shape[a.ndim - 1]
    single = a.dtype == np.float32 or a.dtype == np.complex64
    if hermitian:
        s = abs(np.asarray(linalg_eigvalsh(a), np.float64))
    else:
        _check_precision(a)
        s = np.empty((*a.shape[:-2], min(m, n)), np.float64)
        if _kernels.svdvals(_wide(a, a), s) != 0:
            raise np.linalg.LinAlgError("SVD did not converge")
    if tol is None:
        eps = 1.1920928955078125e-07 if single else 2.220446049250313e-16
        factor = max(m, n) * eps if rtol is None else rtol
        return np.count_nonzero(
            s > np.max(s, axis=-1, keepdims=True, initial=0.0) * factor, axis=-1
        )
    return np.count_nonzero(s > tol, axis=-1)


def _check_matrix(a):
    """Raise LinAlgError unless the last two axes are as long, TypeError of float16."""
    if a.ndim < 2:
        raise np.linalg.LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    if a.shape[a.ndim - 1] != a.shape[a.ndim - 2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    _check_precision(a)


def _check_precision(a):
    """Raise TypeError of float16."""
    if a.dtype == np.float16:
        raise TypeError("array type float16 is unsupported in linalg")


def _wide(a, b):
    """A copy of a in double precision, complex where a or b is."""
    r = np.empty(
        a.shape, np.complex128 if a.dtype.kind == "c" or b.dtype.kind == "c" else np.float64
    )
    r[...] = a
    return r


def _narrow(x, a, b):
    """A result in single precision where both arguments are."""
    if (a.dtype == np.float32 or a.dtype == np.complex64) and (
        b.dtype == np.float32 or b.dtype == np.complex64
    ):
        return x.astype(np.complex64 if x.dtype.kind == "c" else np.float32)
    return x
