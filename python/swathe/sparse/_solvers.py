# SPDX-License-Identifier: BSD-3-Clause
"""Systems of equations whose matrix is sparse: triangles, and iterations that only multiply."""

from __future__ import annotations

import numpy as np

from .. import njit


@njit
def solve_triangular(A, b, lower=True, unit_diagonal=False, transposed=False):
    """Return x with ``T @ x == b``, where T is a triangle of a matrix, or its transpose.

    Parameters
    ----------
    A : sparse matrix
        Square; only the triangle is read.
    b : vector or matrix
        Its columns are right sides.
    lower : bool, default True
    unit_diagonal : bool, default False
        Whether the diagonal is taken for ones, whatever is stored.
    transposed : bool, default False

    Raises
    ------
    numpy.linalg.LinAlgError
        An element of the diagonal is 0.
    """
    M = A.tocsr()
    n = M.shape[0]
    if M.shape[1] != n or b.ndim < 1 or b.ndim > 2 or b.shape[0] != n:
        raise ValueError("a triangular system has a square matrix, and right sides as long")
    kind = np.result_type(M.data.dtype, b.dtype, np.float32)
    x = (b.reshape(n, 1) if b.ndim == 1 else b).astype(kind)
    for step in range(n):
        i = n - 1 - step if lower == transposed else step
        diagonal = kind.type(1 if unit_diagonal else 0)
        for k in range(M.indptr[i], M.indptr[i + 1]):
            j = M.indices[k]
            if j == i and not unit_diagonal:
                diagonal += M.data[k]
            elif not transposed and (j < i if lower else j > i):
                for c in range(x.shape[1]):
                    x[i, c] -= M.data[k] * x[j, c]
        if diagonal == 0:
            raise np.linalg.LinAlgError("A is singular: zero entry on diagonal.")
        for c in range(x.shape[1]):
            x[i, c] /= diagonal
        if transposed:
            for k in range(M.indptr[i], M.indptr[i + 1]):
                j = M.indices[k]
                if j < i if lower else j > i:
                    for c in range(x.shape[1]):
                        x[j, c] -= M.data[k] * x[i, c]
    return x.reshape(b.shape)


@njit
def _begin(A, b, x0):
    """The dtype that is computed in, and the first x."""
    n = A.shape[0]
    if A.shape[1] != n or b.ndim != 1 or b.shape[0] != n:
        raise ValueError("A must be square, and b a vector as long")
    kind = np.result_type(A.dtype, b.dtype, np.float32)
    if x0 is None:
        return np.zeros(n, kind)
    else:
        if x0.shape != b.shape:
            raise ValueError("x0 and b have incompatible dimensions")
        return x0.astype(kind)


@njit
def _conditioned(M, r):
    if M is None:
        return r
    else:
        return M @ r


@njit(parallel=True)
def cg(A, b, x0=None, rtol=1e-5, atol=0.0, maxiter=None, M=None):
    """Solve ``A @ x == b`` by conjugate gradients, for a symmetric positive definite matrix.

    Parameters
    ----------
    A : sparse or dense matrix
        Hermitian, positive definite.
    b : vector
    x0 : vector, optional
        Where to begin; by default at 0.
    rtol, atol : float
        The end is where the norm of ``b - A @ x`` is at most ``max(rtol * norm(b), atol)``.
    maxiter : int, optional
        By default 10 for each equation.
    M : matrix, optional
        An approximate inverse of `A`.

    Returns
    -------
    x : vector
    info : int
        0, or how many iterations there were when they were too many.

    Notes
    -----
    M. Hestenes and E. Stiefel, Methods of conjugate gradients for solving linear systems, Journal
    of Research of the National Bureau of Standards 49 (1952) 409.
    """
    x = _begin(A, b, x0)
    most = 10 * len(b) if maxiter is None else maxiter
    end = max(rtol * np.linalg.norm(b), atol)
    if np.linalg.norm(b) == 0:
        return np.zeros_like(x), 0
    r = b - A @ x
    p, before = np.zeros_like(x), x.dtype.type(1)
    for step in range(most):
        if np.linalg.norm(r) <= end:
            return x, 0
        z = _conditioned(M, r)
        rho = np.vdot(r, z)
        p = z + (rho / before) * p if step > 0 else z.astype(x.dtype)
        q = A @ p
        alpha = rho / np.vdot(p, q)
        x += alpha * p
        r = r - alpha * q
        before = rho
    return x, 0 if np.linalg.norm(r) <= end else most


@njit(parallel=True)
def bicgstab(A, b, x0=None, rtol=1e-5, atol=0.0, maxiter=None, M=None):
    """Solve ``A @ x == b`` by stabilised bi-conjugate gradients, for any matrix.

    Parameters and results are those of `cg`; a breakdown yields an info of -10 or -11, as SciPy's.

    Notes
    -----
    H. van der Vorst, Bi-CGSTAB, SIAM Journal on Scientific and Statistical Computing 13 (1992) 631.
    """
    x = _begin(A, b, x0)
    kind = x.dtype
    most = 10 * len(b) if maxiter is None else maxiter
    end = max(rtol * np.linalg.norm(b), atol)
    if np.linalg.norm(b) == 0:
        return np.zeros_like(x), 0
    r = (b - A @ x).astype(kind)
    shadow, p, v = r.copy(), np.zeros_like(x), np.zeros_like(x)
    before, alpha, omega = kind.type(1), kind.type(1), kind.type(1)
    tiny = np.finfo(kind).eps ** 2
    for step in range(most):
        if np.linalg.norm(r) <= end:
            return x, 0
        rho = np.vdot(shadow, r)
        if abs(rho) < tiny:
            return x, -10
        if step > 0:
            if abs(omega) < tiny:
                return x, -11
            p = r + (rho / before) * (alpha / omega) * (p - omega * v)
        else:
            p = r.copy()
        y = _conditioned(M, p)
        v = (A @ y).astype(kind)
        along = np.vdot(shadow, v)
        if along == 0:
            return x, -11
        alpha = rho / along
        s = r - alpha * v
        if np.linalg.norm(s) <= end:
            return x + alpha * y, 0
        z = _conditioned(M, s)
        t = (A @ z).astype(kind)
        omega = np.vdot(t, s) / np.vdot(t, t)
        x = x + alpha * y + omega * z
        r = s - omega * t
        before = rho
    return x, 0 if np.linalg.norm(r) <= end else most
