# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices of compressed rows in the memory of a device.

`to_device` takes one of SciPy or of `swathe.sparse` there. Products and triangular systems are
cuSPARSE's on a CUDA device; without it, products with vectors and matrices are done by kernels of
our own. On the host there is `swathe.sparse`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from .. import gpu
from .. import sparse as _sparse
from . import _work
from ._work import Handles, address, ordered, queue_of, scalar, work

STATUSES = {
    1: "CUSPARSE_STATUS_NOT_INITIALIZED",
    2: "CUSPARSE_STATUS_ALLOC_FAILED",
    3: "CUSPARSE_STATUS_INVALID_VALUE",
    4: "CUSPARSE_STATUS_ARCH_MISMATCH",
    5: "CUSPARSE_STATUS_MAPPING_ERROR",
    6: "CUSPARSE_STATUS_EXECUTION_FAILED",
    7: "CUSPARSE_STATUS_INTERNAL_ERROR",
    8: "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
    9: "CUSPARSE_STATUS_ZERO_PIVOT",
    10: "CUSPARSE_STATUS_NOT_SUPPORTED",
    11: "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES",
}
CUSPARSE = Handles("cusparse", "cusparseCreate", "cusparseSetStream", "cusparseDestroy", STATUSES)
_TYPES = {"float32": 0, "float64": 1, "complex64": 4, "complex128": 5}  # cudaDataType
_INDICES = {"int32": 2, "int64": 3}
ROW_ORDER, DEFAULT = 2, 0
LOWER, UPPER, UNIT = 0, 1, 1
_FILL_MODE, _DIAG_TYPE = 0, 1
_THREADS = 256


@gpu.jit
def _by_vector(data, indices, indptr, x, y):
    i = gpu.grid(1)
    if i < y.size:
        total = y.dtype.type(0)
        for k in range(indptr[i], indptr[i + 1]):
            total += data[k] * x[indices[k]]
        y[i] = total


@gpu.jit
def _by_matrix(data, indices, indptr, x, y):
    k = gpu.grid(1)
    if k < y.size:
        i, j = k // y.shape[1], k % y.shape[1]
        total = y.dtype.type(0)
        for p in range(indptr[i], indptr[i + 1]):
            total += data[p] * x[indices[p], j]
        y[i, j] = total


class DeviceCSR:
    """A matrix of compressed rows on a device.

    Attributes
    ----------
    data, indices, indptr : DeviceArray
    shape : tuple of int
    queue : Queue
    """

    def __init__(self, data: Any, indices: Any, indptr: Any, shape: tuple[int, int]) -> None:
        queue = queue_of(data, indices, indptr)
        if queue is None:
            raise TypeError("a DeviceCSR is of arrays on a device: sparse.csr() is for the host's")
        if data.shape != indices.shape or data.ndim != 1 or indptr.shape != (shape[0] + 1,):
            raise ValueError(
                f"{data.size} elements, {indices.size} columns and {indptr.size} row starts make "
                f"no matrix {shape}"
            )
        if indices.dtype.name not in _INDICES or indptr.dtype != indices.dtype:
            raise TypeError("columns and row starts are int32 or int64, both the same")
        self.data, self.indices, self.indptr = map(ordered, (data, indices, indptr))
        self.shape, self.queue = (int(shape[0]), int(shape[1])), queue

    @property
    def dtype(self) -> np.dtype:
        """Of the elements."""
        return self.data.dtype

    @property
    def nnz(self) -> int:
        """How many elements are stored."""
        return self.data.size

    def __repr__(self) -> str:
        where = self.queue.device.filter_string
        return f"<DeviceCSR {self.shape} {self.dtype}, {self.nnz} elements, on {where}>"

    def to_host(self) -> _sparse.CSR:
        """Return a copy on the host."""
        parts = (x.copy_to_host() for x in (self.data, self.indices, self.indptr))
        return _sparse.CSR(*parts, self.shape)

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, DeviceCSR):
            return _by_sparse(self, other)
        queue_of(self.data, other)
        if other.ndim not in (1, 2) or other.shape[0] != self.shape[1]:
            raise ValueError(f"dimension mismatch: {self.shape} and {other.shape}")
        if other.dtype != self.dtype:
            raise TypeError(f"a product of {self.dtype} and {other.dtype}: convert one")
        return _by_dense(self, other)

    def solve_triangular(
        self, b: Any, lower: bool = True, unit_diagonal: bool = False, transposed: bool = False
    ) -> Any:
        """Return x with ``T @ x == b``, where T is a triangle of the matrix, or its transpose.

        Raises
        ------
        NoLibraryError
            There is no cuSPARSE.
        """
        if self.shape[0] != self.shape[1] or b.shape != self.shape[:1]:
            raise ValueError(f"a triangular system of {self.shape} and {b.shape}")
        return _solved(self, b, lower, unit_diagonal, transposed)


def to_device(a: Any, queue: Any) -> DeviceCSR:
    """Return a matrix of SciPy, of `swathe.sparse`, or a dense array as rows on a device."""
    host = _sparse.csr(a)
    queue, n = _work.in_order(queue), host.nnz
    kind = np.int32 if max(n, *host.shape) <= _work.MOST else np.int64
    parts = host.data[:n], host.indices[:n].astype(kind), host.indptr.astype(kind)
    return DeviceCSR(*map(queue.to_device, parts), host.shape)


# ---- cuSPARSE --------------------------------------------------------------------------------


class _Call:
    """Calls of cuSPARSE in a queue, with descriptors that end with it; inside `work`."""

    def __init__(self, queue: Any, stack: ExitStack, dtype: Any) -> None:
        self.queue, self.stack = queue, stack
        self.handle = CUSPARSE.handle(queue)
        self.type = _TYPES[dtype.name]

    def __call__(self, function: str, takes: str, *args: Any) -> None:
        CUSPARSE.call(self.queue, function, takes, *args)

    def made(self, make: str, end: str, takes: str, *args: Any) -> int:
        """A descriptor."""
        cell = ctypes.c_void_p()
        self(make, "p" + takes, ctypes.byref(cell), *args)
        self.stack.callback(self, end, "p", cell.value)
        return cell.value or 0

    def matrix(self, a: DeviceCSR) -> int:
        index = _INDICES[a.indices.dtype.name]
        parts = [address(x) if x.size else 0 for x in (a.indptr, a.indices, a.data)]
        sizes = (*a.shape, a.nnz)
        return self.made(
            "cusparseCreateCsr", "cusparseDestroySpMat", "lllpppiiii",
            *sizes, *parts, index, index, 0, self.type,
        )  # fmt: skip

    def dense(self, x: Any) -> int:
        if x.ndim == 1:
            return self.made(
                "cusparseCreateDnVec", "cusparseDestroyDnVec", "lpi", x.size, address(x), self.type
            )
        return self.made(
            "cusparseCreateDnMat", "cusparseDestroyDnMat", "lllpii",
            *x.shape, max(x.shape[1], 1), address(x), self.type, ROW_ORDER,
        )  # fmt: skip

    def buffer(self, n: int) -> tuple[Any, int]:
        """Memory of the device for the library's own use; at least a byte."""
        made = self.queue.empty(max(n, 1), np.uint8)
        _work._core.dev_uses(self.queue._handle, made._memory)
        return made, address(made)


@contextmanager
def _calls(queue: Any, dtype: Any, reads: Any, writes: Any) -> Iterator[_Call]:
    with work(queue, reads, writes), ExitStack() as stack:
        yield _Call(queue, stack, dtype)


def _served(a: DeviceCSR) -> bool:
    return a.dtype.name in _TYPES and CUSPARSE.there(a.queue)


def _by_dense(a: DeviceCSR, x: Any) -> Any:
    queue, rows = a.queue, a.shape[0]
    y = queue.empty((rows, *x.shape[1:]), a.dtype)
    if not y.size:
        return y
    if not a.nnz:
        return y.fill(0)
    x = ordered(x)
    if not _served(a):
        kernel = _by_vector if x.ndim == 1 else _by_matrix
        kernel[-(-y.size // _THREADS), _THREADS, queue](a.data, a.indices, a.indptr, x, y)
        return y
    one, zero = scalar(1, a.dtype), scalar(0, a.dtype)
    numbers = ctypes.addressof(one), ctypes.addressof(zero)
    name, ops = ("cusparseSpMV", [0]) if x.ndim == 1 else ("cusparseSpMM", [0, 0])
    with _calls(queue, a.dtype, (a.data, a.indices, a.indptr, x), (y,)) as call:
        matrix, given, out = call.matrix(a), call.dense(x), call.dense(y)
        args = [call.handle, *ops, numbers[0], matrix, given, numbers[1], out, call.type, DEFAULT]
        takes = "p" + "i" * len(ops) + "pppppiip"
        size = ctypes.c_size_t(0)
        call(name + "_bufferSize", takes, *args, ctypes.byref(size))
        memory, at = call.buffer(size.value)
        call(name, takes, *args, at)
        del memory
    return y


def _by_sparse(a: DeviceCSR, b: DeviceCSR) -> DeviceCSR:
    queue = queue_of(a.data, b.data)
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"dimension mismatch: {a.shape} and {b.shape}")
    if a.dtype != b.dtype or a.indices.dtype != b.indices.dtype:
        raise TypeError(f"a product of {a.dtype} and {b.dtype}, or of unlike indices")
    if a.dtype.name not in _TYPES:
        raise TypeError(f"a product of sparse matrices of {a.dtype} on a device")
    CUSPARSE.library(queue)
    shape, kind = (a.shape[0], b.shape[1]), a.indices.dtype
    starts = queue.empty(shape[0] + 1, kind)
    if not a.nnz or not b.nnz or not shape[0] or not shape[1]:
        return DeviceCSR(queue.empty(0, a.dtype), queue.empty(0, kind), starts.fill(0), shape)
    one, zero = scalar(1, a.dtype), scalar(0, a.dtype)
    numbers = ctypes.addressof(one), ctypes.addressof(zero)
    reads = (a.data, a.indices, a.indptr, b.data, b.indices, b.indptr)
    with _calls(queue, a.dtype, reads, (starts,)) as call:
        index = _INDICES[kind.name]
        one_way, other_way = call.matrix(a), call.matrix(b)
        out = call.made(
            "cusparseCreateCsr", "cusparseDestroySpMat", "lllpppiiii",
            *shape, 0, address(starts), 0, 0, index, index, 0, call.type,
        )  # fmt: skip
        plan = call.made("cusparseSpGEMM_createDescr", "cusparseSpGEMM_destroyDescr", "")
        args = [call.handle, 0, 0, numbers[0], one_way, other_way, numbers[1], out, call.type]
        args += [DEFAULT, plan]
        takes, kept = "piipppppiip", []
        for step in ("workEstimation", "compute"):
            size = ctypes.c_size_t(0)
            name = "cusparseSpGEMM_" + step
            call(name, takes + "pp", *args, ctypes.byref(size), 0)
            memory, at = call.buffer(size.value)
            kept.append(memory)
            call(name, takes + "pp", *args, ctypes.byref(size), at)
        rows, columns, nnz = (ctypes.c_int64(0) for _ in range(3))
        cells = map(ctypes.byref, (rows, columns, nnz))
        call("cusparseSpMatGetSize", "pppp", out, *cells)
        data, indices = queue.empty(nnz.value, a.dtype), queue.empty(nnz.value, kind)
        for x in (data, indices):
            _work._core.dev_uses(queue._handle, x._memory)
        where = [address(x) if x.size else 0 for x in (starts, indices, data)]
        call("cusparseCsrSetPointers", "pppp", out, *where)
        call("cusparseSpGEMM_copy", takes, *args)
        data._uses.writer = indices._uses.writer = queue._ref
    return DeviceCSR(data, indices, starts, shape)


def _solved(a: DeviceCSR, b: Any, lower: bool, unit: bool, transposed: bool) -> Any:
    queue = queue_of(a.data, b)
    if b.dtype != a.dtype or a.dtype.name not in _TYPES:
        raise TypeError(f"a triangular system of {a.dtype} and {b.dtype}")
    CUSPARSE.library(queue)
    x, b = queue.empty(b.shape, b.dtype), ordered(b)
    if not x.size:
        return x
    one = scalar(1, a.dtype)
    with _calls(queue, a.dtype, (a.data, a.indices, a.indptr, b), (x,)) as call:
        matrix = call.matrix(a)
        for attribute, value in ((_FILL_MODE, LOWER if lower else UPPER), (_DIAG_TYPE, int(unit))):
            cell = ctypes.c_int(value)
            name = "cusparseSpMatSetAttribute"
            call(name, "pipz", matrix, attribute, ctypes.byref(cell), ctypes.sizeof(cell))
        given, out = call.dense(b), call.dense(x)
        plan = call.made("cusparseSpSV_createDescr", "cusparseSpSV_destroyDescr", "")
        args = [call.handle, int(transposed), ctypes.addressof(one), matrix, given, out]
        args += [call.type, DEFAULT, plan]
        takes, size = "pippppiip", ctypes.c_size_t(0)
        call("cusparseSpSV_bufferSize", takes + "p", *args, ctypes.byref(size))
        memory, at = call.buffer(size.value)
        call("cusparseSpSV_analysis", takes + "p", *args, at)
        call("cusparseSpSV_solve", takes, *args)
        queue.sync()  # the plan and its memory end here
        del memory
    return x


__all__ = ["DeviceCSR", "to_device"]
