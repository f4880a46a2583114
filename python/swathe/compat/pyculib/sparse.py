# SPDX-License-Identifier: BSD-3-Clause
"""``pyculib.sparse``: matrices of compressed rows on a device, and cuSPARSE's routines for them.

Routines of matrices take general ones and, in triangular systems, those of a descriptor. Where the
device is the CPU they are `swathe.sparse`'s.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from swathe import sparse as _sparse
from swathe._device_array import DeviceArray
from swathe.vendor import blas as _blas
from swathe.vendor import sparse as _there

from ._place import brought, plain, queue_of


class MatDescr(NamedTuple):
    """What a matrix is."""

    indexbase: int = 0
    diagtype: str = "N"
    fillmode: str = "L"
    matrixtype: str = "G"


class CudaCSRMatrix:
    """A matrix of compressed rows where the work is done.

    Attributes
    ----------
    data, indices, indptr : arrays
    shape : tuple of int
    """

    def __init__(self) -> None:
        self.data = self.indices = self.indptr = None
        self.shape = (0, 0)
        self.dtype: Any = None
        self.nnz = 0

    def from_host_matrix(self, matrix: Any, stream: Any = 0) -> CudaCSRMatrix:
        """Take a matrix of SciPy there; return this one."""
        queue, host = queue_of(stream), _sparse.csr(matrix)
        n = host.nnz
        parts = host.data[:n], host.indices[:n].astype(np.int32), host.indptr.astype(np.int32)
        if queue is not None:
            parts = tuple(map(queue.to_device, parts))
        self.data, self.indices, self.indptr = parts
        self.shape, self.dtype, self.nnz = host.shape, host.dtype, n
        return self

    def copy_to_host(self, stream: Any = 0) -> Any:
        """Return SciPy's matrix of it."""
        from scipy.sparse import csr_matrix

        parts = [
            a.copy_to_host() if isinstance(a, DeviceArray) else plain(a)
            for a in (self.data, self.indices, self.indptr)
        ]
        return csr_matrix(tuple(parts), shape=self.shape)


def csr_matrix(*args: Any, **options: Any) -> CudaCSRMatrix:
    """Return a matrix of compressed rows there, of what SciPy's `csr_matrix` takes."""
    from scipy.sparse import csr_matrix as of

    return CudaCSRMatrix().from_host_matrix(of(*args, **options))


class Sparse:
    """cuSPARSE's routines.

    Parameters
    ----------
    idxbase : int, default 0
        What indices count from: 0.
    """

    def __init__(self, idxbase: int = 0) -> None:
        self._need_base(idxbase)
        self.idxbase, self.stream = idxbase, 0

    def _need_base(self, base: int) -> None:
        if base != 0:
            raise NotImplementedError("indices count from 0")

    def matdescr(
        self,
        indexbase: Any = None,
        diagtype: str = "N",
        fillmode: str = "L",
        matrixtype: str = "G",
    ) -> MatDescr:
        """Return the description of a matrix: `diagtype` U is one of ones on the diagonal,
        `fillmode` L or U the triangle that a triangular system reads."""
        self._need_base(indexbase or 0)
        for name, value, there in (
            ("diagtype", diagtype, "NU"), ("fillmode", fillmode, "LU"),
            ("matrixtype", matrixtype, "GSHT"),
        ):  # fmt: skip
            if value not in tuple(there):
                raise ValueError(f"{name}={value!r}: one of {', '.join(there)}")
        return MatDescr(0, diagtype, fillmode, matrixtype)

    # ---- a vector of some elements, beside a dense one ----

    def axpyi(self, alpha: Any, xVal: Any, xInd: Any, y: Any) -> Any:  # noqa: N803
        """Return `y` with ``alpha * xVal`` added at the places `xInd`."""
        out = self._host(y).copy()
        np.add.at(out, self._host(xInd), out.dtype.type(alpha) * self._host(xVal))
        return out

    def doti(self, xVal: Any, xInd: Any, y: Any) -> Any:  # noqa: N803
        """Return the product of the vector and a dense one."""
        return (self._host(xVal) * self._host(y)[self._host(xInd)]).sum()

    def dotci(self, xVal: Any, xInd: Any, y: Any) -> Any:  # noqa: N803
        """Return the product of the conjugate of the vector and a dense one."""
        return (self._host(xVal).conj() * self._host(y)[self._host(xInd)]).sum()

    def gthr(self, y: Any, xVal: Any, xInd: Any) -> Any:  # noqa: N803
        """Return `y` at the places `xInd`, and let `xVal` be it."""
        found = self._host(y)[self._host(xInd)]
        self._store(xVal, found)
        return found

    def gthrz(self, y: Any, xVal: Any, xInd: Any) -> Any:  # noqa: N803
        """As `gthr`; `y` is 0 there then."""
        found, rest = self.gthr(y, xVal, xInd), self._host(y).copy()
        rest[self._host(xInd)] = 0
        self._store(y, rest)
        return found

    def sctr(self, xVal: Any, xInd: Any, y: Any) -> Any:  # noqa: N803
        """Store the vector's elements into a dense one, and return that."""
        out = self._host(y).copy()
        out[self._host(xInd)] = self._host(xVal)
        self._store(y, out)
        return out

    def _host(self, a: Any) -> np.ndarray:
        return a.copy_to_host() if isinstance(a, DeviceArray) else np.asarray(a)

    def _store(self, to: Any, values: np.ndarray) -> None:
        if isinstance(to, DeviceArray):
            to.copy_from_host(values)
        else:
            to[...] = values

    # ---- matrices ----

    def csrmv(
        self, trans: str, m: int, n: int, nnz: int, alpha: Any, descr: Any, csrVal: Any,  # noqa: N803
        csrRowPtr: Any, csrColInd: Any, x: Any, beta: Any, y: Any,  # noqa: N803
    ) -> None:  # fmt: skip
        """Let ``y = alpha * op(A) @ x + beta * y``."""
        self._multiply(trans, (m, n), nnz, alpha, (csrVal, csrColInd, csrRowPtr), x, beta, y)

    def csrmm(
        self, transA: str, m: int, n: int, k: int, nnz: int, alpha: Any, descrA: Any,  # noqa: N803
        csrValA: Any, csrRowPtrA: Any, csrColIndA: Any, B: Any, ldb: int, beta: Any,  # noqa: N803
        C: Any, ldc: int,  # noqa: N803
    ) -> None:  # fmt: skip
        """Let ``C = alpha * op(A) @ B + beta * C``, of matrices in Fortran's order."""
        if ldb != B.shape[0] or ldc != C.shape[0]:
            raise ValueError(f"ldb={ldb}, ldc={ldc}: B is {B.shape}, and C {C.shape}")
        parts = csrValA, csrColIndA, csrRowPtrA
        self._multiply(transA, (m, k), nnz, alpha, parts, B[:, :n], beta, C[:, :n])

    def _multiply(
        self, trans: str, shape: Any, nnz: int, alpha: Any, parts: Any, x: Any, beta: Any, y: Any
    ) -> None:
        queue = queue_of(self.stream, *parts, x, y)
        if trans not in ("N", "T", "C"):
            raise ValueError(f"trans={trans!r}: one of N, T, C")
        data = parts[0][:nnz], parts[1][:nnz], parts[2]
        with brought(queue, (*data, x), (y,)) as (values, columns, starts, dx, dy):
            if trans != "N":
                host = _sparse.CSR(*map(self._host, (values, columns, starts)), shape)
                turned = _turned(host, trans == "C")
                values, columns, starts = turned.data, turned.indices, turned.indptr
                shape = shape[::-1]
                if queue is not None:
                    made = map(queue.to_device, (values, columns, starts.astype(np.int32)))
                    values, columns, starts = made
            if queue is None:
                product = _sparse.CSR(values, columns, starts, shape) @ np.ascontiguousarray(dx)
                kind = dy.dtype.type
                dy[...] = kind(alpha) * product + (kind(beta) * dy if beta != 0 else 0)
                return
            product = _there.DeviceCSR(values, columns, starts, shape) @ dx
            if beta == 0:
                dy.fill(0)
            for to, found in (
                ((dy, product),) if dy.ndim == 1 else zip(dy.T, product.T, strict=True)
            ):
                if beta not in (0, 1):
                    _blas.scal(beta, to)
                _blas.axpy(alpha, found, to)

    def csrsv_analysis(
        self, trans: str, m: int, nnz: int, descr: Any, csrVal: Any, csrRowPtr: Any,  # noqa: N803
        csrColInd: Any,  # noqa: N803
    ) -> MatDescr:  # fmt: skip
        """Return what `csrsv_solve` wants to be given."""
        return descr

    def csrsv_solve(
        self, trans: str, m: int, alpha: Any, descr: Any, csrVal: Any, csrRowPtr: Any,  # noqa: N803
        csrColInd: Any, info: Any, x: Any, y: Any,  # noqa: N803
    ) -> None:  # fmt: skip
        """Solve ``op(A) @ y == alpha * x`` for a triangle of A."""
        queue = queue_of(self.stream, csrVal, x, y)
        lower, unit = descr.fillmode == "L", descr.diagtype == "U"
        reads = csrVal, csrColInd, csrRowPtr, x
        with brought(queue, reads, (y,)) as (values, columns, starts, dx, dy):
            if queue is not None:
                a = _there.DeviceCSR(values, columns, starts, (m, m))
                queue.copy(dy, a.solve_triangular(dx, lower, unit, trans != "N"))
                _blas.scal(alpha, dy)
                return
            a = _sparse.CSR(values, columns, starts, (m, m))
            found = _sparse.solve_triangular(a, dx, lower, unit, trans != "N")
            dy[...] = dy.dtype.type(alpha) * found

    def csrgemm_ez(self, A: Any, B: Any, *descr: Any, **names: Any) -> CudaCSRMatrix:  # noqa: N803
        """Return the product of two matrices of compressed rows."""
        turn = [names.get(k, "N") for k in ("transA", "transB")]
        if turn != ["N", "N"]:
            raise NotImplementedError("a product of transposed matrices: transpose them before")
        queue = queue_of(self.stream, A.data, B.data)
        out = CudaCSRMatrix()
        if queue is None:
            c = (_of(A) @ _of(B)).sorted()
        else:
            c = _there.DeviceCSR(A.data, A.indices, A.indptr, A.shape) @ _there.DeviceCSR(
                B.data, B.indices, B.indptr, B.shape
            )
        out.data, out.indices, out.indptr = c.data, c.indices, c.indptr
        out.shape, out.dtype, out.nnz = c.shape, c.dtype, c.nnz
        return out


def _turned(a: Any, conj: bool) -> Any:
    """The transpose as compressed rows, made by the CPU, whatever device is the current one."""
    from swathe import device_context

    with device_context("native"):
        turned = a.T.tocsr()
        return turned.conj() if conj else turned


def _of(a: CudaCSRMatrix) -> Any:
    return _sparse.CSR(a.data, a.indices, a.indptr, a.shape)


__all__ = ["CudaCSRMatrix", "Sparse", "csr_matrix"]
