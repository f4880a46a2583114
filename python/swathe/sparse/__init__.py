# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices in compiled code, and over SciPy's.

A matrix of SciPy (``csr``, ``csc``, ``coo``, ``bsr``, as matrix or array) is an argument of
compiled functions as it is: there it is one of the classes below, over the same memory. The classes
have SciPy's attributes and methods, as far as they are here, so that a function over a sparse
matrix reads the same with and without the decorator. Made from Python, as by ``sparse.csr(A)``,
they are values like any named tuple, whose methods run compiled.

>>> import numpy as np, swathe
>>> from swathe import sparse
>>> A = sparse.from_dense(np.array([[1.0, 0.0], [2.0, 3.0]]))
>>> A @ np.array([1.0, 1.0])
array([1., 5.])
>>> @swathe.njit
... def largest_of_row(A, i):
...     m = -np.inf
...     for k in range(A.indptr[i], A.indptr[i + 1]):
...         m = max(m, A.data[k])
...     return m
>>> largest_of_row(A, 1)
3.0

Beside them are all names of ``scipy.sparse``, where SciPy is installed: its classes, whose products
and sums run compiled, and its functions, which return them.

>>> T = sparse.diags_array([1.0, 2.0], offsets=0).tocsr()
>>> type(sparse.kron(T, T).tocsr()) is sparse.csr_array
True
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from .. import njit
from ._classes import BSR, COO, CSC, CSR
from ._semirings import matmul
from ._solvers import bicgstab, cg, solve_triangular

__all__ = ["BSR", "COO", "CSC", "CSR", "bicgstab", "cg", "csr", "from_dense", "matmul",
           "solve_triangular"]  # fmt: skip

# What comes from SciPy, which is not imported before one of them is asked for.
_SCIPY = (
    "SparseEfficiencyWarning", "SparseWarning", "block_array", "block_diag", "bmat", "bsr_array",
    "bsr_matrix", "coo_array", "coo_matrix", "csc_array", "csc_matrix", "csgraph", "csr_array",
    "csr_matrix", "dia_array", "dia_matrix", "diags", "diags_array", "dok_array", "dok_matrix",
    "expand_dims", "eye", "eye_array", "find", "get_index_dtype", "hstack", "identity", "issparse",
    "isspmatrix", "isspmatrix_bsr", "isspmatrix_coo", "isspmatrix_csc", "isspmatrix_csr",
    "isspmatrix_dia", "isspmatrix_dok", "isspmatrix_lil", "kron", "kronsum", "lil_array",
    "lil_matrix", "linalg", "load_npz", "permute_dims", "rand", "random", "random_array",
    "safely_cast_index_arrays", "save_npz", "sparray", "spdiags", "spmatrix", "swapaxes", "tril",
    "triu", "vstack",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _SCIPY:
        raise AttributeError(f"module 'swathe.sparse' has no attribute {name!r}")
    if name in ("linalg", "csgraph"):
        return import_module(f".{name}", __name__)
    return _forwarded("", name, globals())


def __dir__() -> list[str]:
    return sorted({*globals(), *_SCIPY})


def _forwarded(part: str, name: str, module: dict[str, Any]) -> Any:
    """What has that name in scipy.sparse, or in a part of it; the module keeps it."""
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module {module['__name__']!r} has no attribute {name!r}")
    try:
        import_module("scipy.sparse")
    except ImportError as e:
        where = module["__name__"]
        raise ImportError(f"{where}.{name} is SciPy's, which is not installed: {e}") from e
    it = import_module("._arrays", __name__).found(f"scipy.sparse.{part}".rstrip("."), name)
    module[name] = it
    return it


def _of_csr(a: Any) -> CSR:
    return CSR(a.data, a.indices, a.indptr, _shape(a))


def _of_csc(a: Any) -> CSC:
    return CSC(a.data, a.indices, a.indptr, _shape(a))


def _of_coo(a: Any) -> COO:
    _shape(a)
    return COO(a.data, a.row, a.col, a.shape)


def _of_bsr(a: Any) -> BSR:
    return BSR(a.data, a.indices, a.indptr, _shape(a))


def _shape(a: Any) -> tuple[int, int]:
    if len(a.shape) != 2:
        raise TypeError(f"a sparse array of {len(a.shape)} axes is not supported: of two it is")
    return (int(a.shape[0]), int(a.shape[1]))


def csr(a: Any) -> CSR:
    """Return a matrix of SciPy, one of the classes here, or a dense array as compressed rows.

    Parameters
    ----------
    a : matrix
        Where it has compressed rows already, the memory is shared.

    Raises
    ------
    TypeError
        If it is none of these.
    """
    if isinstance(a, CSR):
        return a
    if isinstance(a, (CSC, COO, BSR)):
        return a.tocsr()
    if isinstance(a, np.ndarray):
        return from_dense(a)
    if not hasattr(a, "tocsr"):
        raise TypeError(f"csr() takes a sparse matrix or a dense array, not {type(a).__name__}")
    return _of_csr(a.tocsr())


@njit
def from_dense(a):
    """Return the elements of a dense matrix that aren't 0, as compressed rows."""
    indptr = np.zeros(a.shape[0] + 1, np.int64)
    for i in range(a.shape[0]):
        n = 0
        for j in range(a.shape[1]):
            if a[i, j] != 0:
                n += 1
        indptr[i + 1] = indptr[i] + n
    indices = np.empty(indptr[-1], np.int32)
    data = np.empty(indptr[-1], a.dtype)
    k = 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] != 0:
                indices[k] = j
                data[k] = a[i, j]
                k += 1
    return CSR(data, indices, indptr, a.shape)
