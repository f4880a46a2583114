# SPDX-License-Identifier: BSD-3-Clause
"""Systems of equations and factors of matrices: functions of `numpy.linalg`, over arrays of the
host and of CUDA devices.

Those of a device go to cuSOLVER, one matrix of a batch after the other; those of the host to NumPy.
What NumPy raises as LinAlgError is raised here, too: a call waits for the library to say so.

>>> import numpy as np
>>> from swathe.vendor import solver
>>> solver.solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([2.0, 2.0]))
array([1. , 0.5])
"""

from __future__ import annotations

import ctypes
import math
from typing import Any, NamedTuple

import numpy as np

from . import _blas_rows, _elements
from ._work import Handles, address, ordered, queue_of, size, work

STATUSES = {
    1: "CUSOLVER_STATUS_NOT_INITIALIZED",
    2: "CUSOLVER_STATUS_ALLOC_FAILED",
    3: "CUSOLVER_STATUS_INVALID_VALUE",
    4: "CUSOLVER_STATUS_ARCH_MISMATCH",
    5: "CUSOLVER_STATUS_MAPPING_ERROR",
    6: "CUSOLVER_STATUS_EXECUTION_FAILED",
    7: "CUSOLVER_STATUS_INTERNAL_ERROR",
    8: "CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
    9: "CUSOLVER_STATUS_NOT_SUPPORTED",
    10: "CUSOLVER_STATUS_ZERO_PIVOT",
}
CUSOLVER = Handles(
    "cusolver", "cusolverDnCreate", "cusolverDnSetStream", "cusolverDnDestroy", STATUSES
)
LOWER, UPPER, VECTORS = 0, 1, 1


class EighResult(NamedTuple):
    """Eigenvalues, and eigenvectors as columns."""

    eigenvalues: Any
    eigenvectors: Any


class QRResult(NamedTuple):
    """An orthonormal and an upper triangular matrix."""

    Q: Any
    R: Any


class SVDResult(NamedTuple):
    """Left singular vectors as columns, singular values, right ones as rows."""

    U: Any
    S: Any
    Vh: Any


class _Solver:
    """Calls of cuSOLVER for one dtype in a queue."""

    def __init__(self, queue: Any, dtype: Any) -> None:
        self.queue, self.dtype = queue, np.dtype(dtype)
        self.letter = _blas_rows.TYPE_OF[self.dtype.name].upper()
        self.is_complex = self.letter in "CZ"
        self.info = queue.empty(1, np.int32)

    def call(self, name: str, takes: str, arrays: Any, *args: Any) -> None:
        """Call a function by its name without the letter; arrays among the arguments go by their
        addresses, and all of them may be written."""
        used = [a for a in arrays if a.size]
        given = [address(a) if hasattr(a, "_memory") else a for a in args]
        with work(self.queue, (), (*used, self.info)):
            handle = CUSOLVER.handle(self.queue)
            CUSOLVER.call(self.queue, f"cusolverDn{self.letter}{name}", "p" + takes, handle, *given)

    def space(self, name: str, takes: str, arrays: Any, *args: Any) -> tuple[Any, int]:
        """The library's own memory for a call, and how many elements it has."""
        n = ctypes.c_int(0)
        self.call(name + "_bufferSize", takes + "p", arrays, *args, ctypes.byref(n))
        return self.queue.empty(max(n.value, 1), self.dtype), n.value

    def check(self, message: str) -> None:
        """Wait, and raise a LinAlgError if the library says that there is no result."""
        if int(self.info.copy_to_host()[0]) != 0:
            raise np.linalg.LinAlgError(message)


def _matrix(name: str, a: Any, square: bool) -> Any:
    if a.ndim < 2:
        raise np.linalg.LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    if square and a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if a.dtype.kind not in "iufcb":
        raise TypeError(f"{name}() takes numbers, not {a.dtype}")
    return a


def _kind(*arrays: Any) -> np.dtype:
    """What numbers are computed in: float64 unless all are single."""
    found = np.result_type(*(a.dtype for a in arrays))
    if found == np.float16:
        raise TypeError("array type float16 is unsupported in linalg")
    return found if found.kind in "fc" else np.dtype(np.float64)


def _columns(queue: Any, a: Any, dtype: Any) -> Any:
    """A fresh copy of a matrix in Fortran's order."""
    new = queue.empty(a.shape, dtype, "F")
    if a.size:
        _elements.store(queue, a, new)
    return new


def _each(a: Any) -> Any:
    """The matrices of a batch, with their places."""
    for at in np.ndindex(a.shape[:-2]):
        yield at, a[at] if at else a


def solve(a: Any, b: Any) -> Any:
    """Return x with ``a @ x == b``; a vector `b` is one right side, of more axes it is a matrix."""
    queue = queue_of(a, b)
    if queue is None:
        return np.linalg.solve(a, b)
    _matrix("solve", a, True)
    CUSOLVER.library(queue)
    dtype, n, vector = _kind(a, b), a.shape[-1], b.ndim == 1
    if b.ndim == 0 or b.shape[0 if vector else -2] != n:
        raise ValueError(f"solve(): a matrix {a.shape} and right sides {b.shape}")
    if vector:
        b = b._view(b._proto[:, None])
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    out = queue.empty((*batch, *b.shape[-2:]), dtype)
    s = _Solver(queue, dtype)
    for at in np.ndindex(batch):
        one, other = _at(a, at), _at(b, at)
        right = _columns(queue, other, dtype)
        if n and right.size:
            _solve_one(s, _columns(queue, one, dtype), right)
        queue.copy(out[at] if at else out, right)
    return out.reshape((*batch, n)) if vector else out


def _at(a: Any, at: tuple[int, ...]) -> Any:
    """The matrix at a place of a batch over which an array is spread."""
    own = at[len(at) - (a.ndim - 2) :]
    own = tuple(0 if n == 1 else k for k, n in zip(own, a.shape, strict=False))
    return a[own] if own else a


def _solve_one(s: _Solver, a: Any, b: Any) -> None:
    """Solve in place: b becomes the solution."""
    n, columns = size(a.shape[0]), size(b.shape[1])
    pivots = s.queue.empty(n, np.int32)
    memory, _ = s.space("getrf", "iipi", (a,), n, n, a, n)
    s.call("getrf", "iipippp", (a, memory, pivots), n, n, a, n, memory, pivots, s.info)
    s.check("Singular matrix")
    arrays = (a, pivots, b)
    s.call("getrs", "iiipippip", arrays, 0, n, columns, a, n, pivots, b, n, s.info)


def inv(a: Any) -> Any:
    """Return the inverse of a matrix."""
    queue = queue_of(a)
    if queue is None:
        return np.linalg.inv(a)
    _matrix("inv", a, True)
    return solve(a, queue.to_device(np.eye(a.shape[-1], dtype=_kind(a))))


def det(a: Any) -> Any:
    """Return the determinant of a matrix, as a number or an array of the host."""
    queue = queue_of(a)
    if queue is None:
        return np.linalg.det(a)
    _matrix("det", a, True)
    CUSOLVER.library(queue)
    dtype, n = _kind(a), size(a.shape[-1])
    out = np.ones(a.shape[:-2], dtype)
    s = _Solver(queue, dtype)
    for at, one in _each(a) if n else ():
        lu, pivots = _columns(queue, one, dtype), queue.empty(n, np.int32)
        memory, _ = s.space("getrf", "iipi", (lu,), n, n, lu, n)
        s.call("getrf", "iipippp", (lu, memory, pivots), n, n, lu, n, memory, pivots, s.info)
        swaps = np.count_nonzero(pivots.copy_to_host() != np.arange(1, n + 1))
        out[at] = np.diagonal(lu.copy_to_host()).prod() * (-1) ** int(swaps)
    return out[()]


def cholesky(a: Any) -> Any:
    """Return the lower triangle L with ``L @ L.conj().T == a``, of a's lower triangle."""
    queue = queue_of(a)
    if queue is None:
        return np.linalg.cholesky(a)
    _matrix("cholesky", a, True)
    CUSOLVER.library(queue)
    dtype, n = _kind(a), size(a.shape[-1])
    out = queue.zeros(a.shape, dtype)
    s = _Solver(queue, dtype)
    for at, one in _each(a) if n else ():
        lower = _columns(queue, one, dtype)
        memory, count = s.space("potrf", "iipi", (lower,), LOWER, n, lower, n)
        args = LOWER, n, lower, n, memory, count, s.info
        s.call("potrf", "iipipip", (lower, memory), *args)
        s.check("Matrix is not positive definite")
        _elements.triangle(queue, lower, out[at] if at else out, True)
    return out


def qr(a: Any) -> QRResult:
    """Return Q and R with ``Q @ R == a``, as many columns of Q as the lesser side of `a`."""
    queue = queue_of(a)
    if queue is None:
        return QRResult(*np.linalg.qr(a))
    _matrix("qr", a, False)
    CUSOLVER.library(queue)
    dtype, (m, n) = _kind(a), (size(v) for v in a.shape[-2:])
    k = min(m, n)
    q_out = queue.zeros((*a.shape[:-1], k), dtype)
    r_out = queue.zeros((*a.shape[:-2], k, n), dtype)
    s = _Solver(queue, dtype)
    make = "ungqr" if s.is_complex else "orgqr"
    for at, one in _each(a) if k else ():
        f, tau = _columns(queue, one, dtype), queue.empty(k, dtype)
        memory, count = s.space("geqrf", "iipi", (f,), m, n, f, m)
        args = m, n, f, m, tau, memory, count, s.info
        s.call("geqrf", "iipippip", (f, tau, memory), *args)
        _elements.triangle(queue, f[:k], r_out[at] if at else r_out, False)
        memory, count = s.space(make, "iiipip", (f, tau), m, k, k, f, m, tau)
        args = m, k, k, f, m, tau, memory, count, s.info
        s.call(make, "iiipippip", (f, tau, memory), *args)
        queue.copy(q_out[at] if at else q_out, f[:, :k])
    return QRResult(q_out, r_out)


def eigh(a: Any) -> EighResult:
    """Return the eigenvalues, in order, and eigenvectors of a symmetric or Hermitian matrix, of
    which the lower triangle is read."""
    queue = queue_of(a)
    if queue is None:
        return EighResult(*np.linalg.eigh(a))
    _matrix("eigh", a, True)
    CUSOLVER.library(queue)
    dtype, n = _kind(a), size(a.shape[-1])
    real = np.empty(0, dtype).real.dtype
    values, vectors = queue.empty(a.shape[:-1], real), queue.empty(a.shape, dtype)
    s = _Solver(queue, dtype)
    name = "heevd" if s.is_complex else "syevd"
    for at, one in _each(a) if n else ():
        f, w = _columns(queue, one, dtype), queue.empty(n, real)
        memory, count = s.space(name, "iiipip", (f, w), VECTORS, LOWER, n, f, n, w)
        args = VECTORS, LOWER, n, f, n, w, memory, count, s.info
        s.call(name, "iiipippip", (f, w, memory), *args)
        s.check("Eigenvalues did not converge")
        queue.copy(values[(*at, slice(None))], w)
        queue.copy(vectors[at] if at else vectors, f)
    return EighResult(values, vectors)


def svd(a: Any) -> SVDResult:
    """Return U, the singular values in descending order, and the conjugate transpose of V: as many
    columns and rows as the lesser side of `a`."""
    queue = queue_of(a)
    if queue is None:
        return SVDResult(*np.linalg.svd(a, full_matrices=False))
    _matrix("svd", a, False)
    CUSOLVER.library(queue)
    m, n = a.shape[-2:]
    if m < n:  # cuSOLVER takes no fewer rows than columns
        axes = (*range(a.ndim - 2), a.ndim - 1, a.ndim - 2)
        u, values, vh = svd(a.transpose(*axes))
        return SVDResult(ordered(vh.transpose(*axes)), values, ordered(u.transpose(*axes)))
    dtype, m, n = _kind(a), size(m), size(n)
    real = np.empty(0, dtype).real.dtype
    batch = a.shape[:-2]
    u_out, vh_out = queue.empty((*batch, m, n), dtype), queue.empty((*batch, n, n), dtype)
    values = queue.empty((*batch, n), real)
    s = _Solver(queue, dtype)
    for at, one in _each(a) if math.prod(a.shape[-2:]) else ():
        f, u = _columns(queue, one, dtype), queue.empty((m, n), dtype, "F")
        vh, w = queue.empty((n, n), dtype, "F"), queue.empty(n, real)
        memory, count = s.space("gesvd", "ii", (), m, n)
        rest = queue.empty(max(n, 1), real)
        args = b"S", b"S", m, n, f, m, w, u, m, vh, n, memory, count, rest, s.info
        s.call("gesvd", "cciipippipipipp", (f, w, u, vh, memory, rest), *args)
        s.check("SVD did not converge")
        for to, found in ((u_out, u), (vh_out, vh)):
            queue.copy(to[at] if at else to, found)
        queue.copy(values[(*at, slice(None))], w)
    return SVDResult(u_out, values, vh_out)


__all__ = ["cholesky", "det", "eigh", "inv", "qr", "solve", "svd"]
