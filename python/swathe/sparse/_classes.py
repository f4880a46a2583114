# SPDX-License-Identifier: BSD-3-Clause
"""The classes of sparse matrices: SciPy's names, over functions of the other modules.

They are named tuples, so that compiled code has their parts as variables. What a tuple would make
of an operator or a loop is no matrix's meaning: each such way has a method here, if only to refuse
it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _elements, _forms, _order, _products


class _Matrix:
    """What all classes share."""

    __slots__ = ()
    __array_ufunc__ = None  # operators of NumPy's arrays and numbers leave it to __radd__ and so on

    @property
    def dtype(self) -> Any:
        return self.data.dtype  # type: ignore[attr-defined]

    @property
    def ndim(self) -> int:
        return 2

    @property
    def size(self) -> Any:
        return self.nnz  # type: ignore[attr-defined]

    def getnnz(self) -> Any:
        return self.nnz  # type: ignore[attr-defined]

    def transpose(self) -> Any:
        return self.T  # type: ignore[attr-defined]

    def dot(self, other: Any) -> Any:
        """Return the product, as @ does; with a number, the product with that."""
        if isinstance(other, (int, float, complex, np.generic)):
            return self * other  # type: ignore[operator]
        else:
            return self @ other  # type: ignore[operator]

    def todense(self) -> Any:
        return self.toarray()  # type: ignore[attr-defined]

    def mean(self, axis: Any = None) -> Any:
        return _elements.mean(self, axis)

    def trace(self, k: int = 0) -> Any:
        return self.diagonal(k).sum()  # type: ignore[attr-defined]

    def count_nonzero(self) -> Any:
        """Return how many elements are not 0, where what is twice at one place is added up."""
        a = self.tocsr()._summed()  # type: ignore[attr-defined]
        return np.count_nonzero(a.data[: a.nnz])

    def max(self) -> Any:
        """Return the greatest element, of those that are not stored, too, which are 0."""
        return _elements.extreme(self.tocsr(), True)  # type: ignore[attr-defined]

    def min(self) -> Any:
        """Return the least element."""
        return _elements.extreme(self.tocsr(), False)  # type: ignore[attr-defined]

    # ---- element by element, of what is stored ----

    def copy(self) -> Any:
        return self._with(self.data.copy())  # type: ignore[attr-defined]

    def astype(self, dtype: Any) -> Any:
        return self._with(self.data.astype(dtype))  # type: ignore[attr-defined]

    def conj(self) -> Any:
        return self._with(_elements.conjugates(self.data))  # type: ignore[attr-defined]

    def conjugate(self) -> Any:
        return self.conj()

    def power(self, n: Any) -> Any:
        """Return the elements to the power of a number above 0: 0 stays 0."""
        if n <= 0:
            raise NotImplementedError("power() of a sparse matrix takes exponents above 0")
        return self._summed()._raised(n)  # type: ignore[attr-defined]

    def _raised(self, n: Any) -> Any:
        return self._with(self.data**n)  # type: ignore[attr-defined]

    # Functions of elements that leave 0 as it is.

    def sqrt(self) -> Any:
        a = self._summed()  # type: ignore[attr-defined]
        return a._with(np.sqrt(a.data))

    def sin(self) -> Any:
        a = self._summed()  # type: ignore[attr-defined]
        return a._with(np.sin(a.data))

    def tan(self) -> Any:
        a = self._summed()  # type: ignore[attr-defined]
        return a._with(np.tan(a.data))

    def arcsin(self) -> Any:
        a = self._summed()  # type: ignore[attr-defined]
        return a._with(np.arcsin(a.data))

    def arctan(self) -> Any:
        a = self._summed()  # type: ignore[attr-defined]
        return a._with(np.arctan(a.data))

    def sinh(self) -> Any:
        a = self._summed()  # type: ignore[attr-defined]
        return a._with(np.sinh(a.data))

    def tanh(self) -> Any:
        a = self._summed()  # type: ignore[attr-defined]
        return a._with(np.tanh(a.data))

    def arcsinh(self) -> Any:
        a = self._summed()  # type: ignore[attr-defined]
        return a._with(np.arcsinh(a.data))

    def arctanh(self) -> Any:
        a = self._summed()  # type: ignore[attr-defined]
        return a._with(np.arctanh(a.data))

    def expm1(self) -> Any:
        a = self._summed()  # type: ignore[attr-defined]
        return a._with(np.expm1(a.data))

    def log1p(self) -> Any:
        a = self._summed()  # type: ignore[attr-defined]
        return a._with(np.log1p(a.data))

    def sign(self) -> Any:
        a = self._summed()  # type: ignore[attr-defined]
        return a._with(np.sign(a.data))

    def floor(self) -> Any:
        a = self._summed()  # type: ignore[attr-defined]
        return a._with(np.floor(a.data))

    def ceil(self) -> Any:
        a = self._summed()  # type: ignore[attr-defined]
        return a._with(np.ceil(a.data))

    def trunc(self) -> Any:
        a = self._summed()  # type: ignore[attr-defined]
        return a._with(np.trunc(a.data))

    def rint(self) -> Any:
        a = self._summed()  # type: ignore[attr-defined]
        return a._with(np.rint(a.data))

    def deg2rad(self) -> Any:
        a = self._summed()  # type: ignore[attr-defined]
        return a._with(np.deg2rad(a.data))

    def rad2deg(self) -> Any:
        a = self._summed()  # type: ignore[attr-defined]
        return a._with(np.rad2deg(a.data))

    def nonzero(self) -> Any:
        """Return the rows and the columns of the stored elements that are not 0."""
        a = self.tocoo()  # type: ignore[attr-defined]
        there = a.data != 0
        return a.row[there], a.col[there]

    def __neg__(self) -> Any:
        return self._with(-self.data)  # type: ignore[attr-defined]

    def __abs__(self) -> Any:
        return self._summed()._absolute()  # type: ignore[attr-defined]

    def _absolute(self) -> Any:
        return self._with(np.abs(self.data))  # type: ignore[attr-defined]

    def __mul__(self, by: Any) -> Any:
        _forms.need_number(by)
        return self._with(self.data * by)  # type: ignore[attr-defined]

    def __rmul__(self, by: Any) -> Any:
        return self * by

    def __truediv__(self, by: Any) -> Any:
        return self._with(_elements.quotients(self.data, by))  # type: ignore[attr-defined]

    def __imul__(self, by: Any) -> Any:
        _forms.need_number(by)
        data = self.data  # type: ignore[attr-defined]
        data *= by  # in place, as SciPy has it
        return self

    def __itruediv__(self, by: Any) -> Any:
        self *= 1.0 / by
        return self

    def multiply(self, other: Any) -> Any:
        """Return the product element by element, with a sparse or dense matrix of the same shape, a
        row, a column, or a number."""
        return _elements.multiply(self.tocsr(), other)  # type: ignore[attr-defined]

    def __add__(self, other: Any) -> Any:
        return _elements.add(self, other, "+")

    def __radd__(self, other: Any) -> Any:
        return _elements.add(self, other, "+")

    def __sub__(self, other: Any) -> Any:
        return _elements.add(self, other, "-")

    def __rsub__(self, other: Any) -> Any:
        return _elements.add(self, other, "from")

    def __rmatmul__(self, other: Any) -> Any:
        return (self.T @ other.T).T  # type: ignore[attr-defined]

    # ---- what a tuple has, and a matrix hasn't ----

    @classmethod
    def _make(cls, parts: Any) -> Any:  # namedtuple's asks for the length
        return cls(*parts)

    def __getnewargs__(self) -> tuple:  # nor can pickle go through it
        return tuple(tuple.__iter__(self))  # type: ignore[arg-type]

    def __len__(self) -> int:
        raise TypeError("the length of a sparse matrix is ambiguous: use nnz or shape[0]")

    def __bool__(self) -> bool:
        raise ValueError("the truth value of a sparse matrix is ambiguous: use nnz")

    def __iter__(self) -> Any:
        raise TypeError("a sparse matrix is not iterable: use row(i), of compressed rows")

    def __contains__(self, x: Any) -> bool:
        raise TypeError("`in` of a sparse matrix is not supported: ask its data")

    def __eq__(self, other: Any) -> Any:
        raise TypeError("comparisons of sparse matrices are not supported: compare their data")

    def __ne__(self, other: Any) -> Any:
        raise TypeError("comparisons of sparse matrices are not supported: compare their data")

    def __lt__(self, other: Any) -> Any:
        raise TypeError("comparisons of sparse matrices are not supported: compare their data")

    def __le__(self, other: Any) -> Any:
        raise TypeError("comparisons of sparse matrices are not supported: compare their data")

    def __gt__(self, other: Any) -> Any:
        raise TypeError("comparisons of sparse matrices are not supported: compare their data")

    def __ge__(self, other: Any) -> Any:
        raise TypeError("comparisons of sparse matrices are not supported: compare their data")

    __hash__ = None  # type: ignore[assignment]


class _Compressed(NamedTuple):
    """What the classes with `indptr` have."""

    data: Any
    indices: Any
    indptr: Any
    shape: tuple[int, int]


class _Triples(NamedTuple):
    data: Any
    row: Any
    col: Any
    shape: tuple[int, int]


class CSR(_Matrix, _Compressed):
    """Compressed rows: row i has the elements data[indptr[i]:indptr[i+1]] in the columns
    indices[indptr[i]:indptr[i+1]]."""

    __slots__ = ()

    def _with(self, data: Any) -> Any:
        return CSR(data, self.indices, self.indptr, self.shape)

    def _summed(self) -> Any:
        return _order.ordered(self)

    @property
    def nnz(self) -> Any:
        return int(self.indptr[self.shape[0]])

    @property
    def T(self) -> Any:
        return CSC(self.data, self.indices, self.indptr, (self.shape[1], self.shape[0]))

    def row(self, i: int) -> Any:
        """Return the columns of the elements of a row, and the elements: views, no copies."""
        return _elements.row(self, i)

    def __matmul__(self, other: Any) -> Any:
        return _products.of_csr(self, other)

    def sum(self, axis: Any = None) -> Any:
        """Return the sum of all, or of each column (axis 0) or row (axis 1) as a vector."""
        return _elements.total(self, axis)

    def __getitem__(self, at: Any) -> Any:  # type: ignore[override]
        """Return the element at (i, j), or the matrix of some rows and columns."""
        return _elements.item(self, at)

    def diagonal(self, k: int = 0) -> Any:
        return _elements.diagonal(self, k)

    def toarray(self) -> Any:
        return _forms.dense_csr(self)

    def tocsr(self) -> Any:
        return self

    def tocsc(self) -> Any:
        return _forms.flipped(self).T

    def tocoo(self) -> Any:
        n = self.nnz
        return COO(self.data[:n], _forms.rows_of(self), self.indices[:n], self.shape)

    def sorted(self) -> Any:
        """Return a matrix whose rows are in order of their columns, doubles added up."""
        return _order.ordered_copy(self)

    def to_scipy(self) -> Any:
        """Return SciPy's array of this format over the same memory; not in compiled code."""
        return _scipy(self, (self.data, self.indices, self.indptr))


class CSC(_Matrix, _Compressed):
    """Compressed columns: the transpose of a CSR of the transpose."""

    __slots__ = ()

    def _with(self, data: Any) -> Any:
        return CSC(data, self.indices, self.indptr, self.shape)

    def _summed(self) -> Any:
        return self.T._summed().T

    @property
    def nnz(self) -> Any:
        return int(self.indptr[self.shape[1]])

    @property
    def T(self) -> Any:
        return CSR(self.data, self.indices, self.indptr, (self.shape[1], self.shape[0]))

    def column(self, j: int) -> Any:
        """Return the rows of the elements of a column, and the elements: views, no copies."""
        return _elements.row(self.T, j)

    def __matmul__(self, other: Any) -> Any:
        return _products.of_csc(self, other)

    def multiply(self, other: Any) -> Any:
        return _elements.multiply(self.T, _forms.transposed(other)).T

    def sum(self, axis: Any = None) -> Any:
        if axis is not None and (axis < -2 or axis > 1):
            raise ValueError("axis out of range")
        return self.T.sum(None if axis is None else 1 - axis % 2)

    def __getitem__(self, at: Any) -> Any:  # type: ignore[override]
        return _elements.item_csc(self, at)

    def diagonal(self, k: int = 0) -> Any:
        return self.T.diagonal(-k)

    def toarray(self) -> Any:
        return self.T.toarray().T

    def tocsr(self) -> Any:
        return _forms.flipped(self.T)

    def tocsc(self) -> Any:
        return self

    def tocoo(self) -> Any:
        return self.T.tocoo().T

    def sorted(self) -> Any:
        return self.T.sorted().T

    def to_scipy(self) -> Any:
        return _scipy(self, (self.data, self.indices, self.indptr))


class BSR(_Matrix, _Compressed):
    """Compressed rows of blocks: data has the shape (blocks, height, width)."""

    __slots__ = ()

    def _with(self, data: Any) -> Any:
        return BSR(data, self.indices, self.indptr, self.shape)

    def _summed(self) -> Any:
        return self.tocsr()._summed()

    @property
    def nnz(self) -> Any:
        height, width = self.blocksize
        return int(self.indptr[len(self.indptr) - 1]) * height * width

    @property
    def blocksize(self) -> Any:
        return self.data.shape[1], self.data.shape[2]

    @property
    def T(self) -> Any:
        return self.tocsr().T

    def __matmul__(self, other: Any) -> Any:
        return _products.of_bsr(self, other)

    def sum(self, axis: Any = None) -> Any:
        return self.tocsr().sum(axis)

    def __getitem__(self, at: Any) -> Any:  # type: ignore[override]
        raise NotImplementedError("an index of a matrix of blocks: convert it with tocsr()")

    def diagonal(self, k: int = 0) -> Any:
        return self.tocsr().diagonal(k)

    def toarray(self) -> Any:
        return _forms.dense_bsr(self)

    def tocsr(self) -> Any:
        return _forms.csr_of_bsr(self)

    def tocsc(self) -> Any:
        return self.tocsr().tocsc()

    def tocoo(self) -> Any:
        return self.tocsr().tocoo()

    def to_scipy(self) -> Any:
        return _scipy(self, (self.data, self.indices, self.indptr))


class COO(_Matrix, _Triples):
    """Triples: data[k] is at (row[k], col[k]); what is at one place is added up."""

    __slots__ = ()

    def _with(self, data: Any) -> Any:
        return COO(data, self.row, self.col, self.shape)

    def _summed(self) -> Any:
        return self.tocsr().tocoo()

    @property
    def nnz(self) -> Any:
        return len(self.data)

    @property
    def coords(self) -> Any:
        return self.row, self.col

    @property
    def T(self) -> Any:
        return COO(self.data, self.col, self.row, (self.shape[1], self.shape[0]))

    def __matmul__(self, other: Any) -> Any:
        return _products.of_csr(_forms.csr_of_coo(self), other)

    def sum(self, axis: Any = None) -> Any:
        return _forms.csr_of_coo(self).sum(axis)

    def __getitem__(self, at: Any) -> Any:  # type: ignore[override]
        return self.tocsr()[at]

    def diagonal(self, k: int = 0) -> Any:
        return _forms.csr_of_coo(self).diagonal(k)

    def toarray(self) -> Any:
        return _forms.dense_csr(_forms.csr_of_coo(self))

    def tocsr(self) -> Any:
        """Return compressed rows, each in order of its columns, with doubles added up."""
        return _order.ordered(_forms.csr_of_coo(self))

    def tocsc(self) -> Any:
        return _forms.turned(_forms.csr_of_coo(self)).T

    def tocoo(self) -> Any:
        return self

    def to_scipy(self) -> Any:
        return _scipy(self, (self.data, (self.row, self.col)))


def _scipy(a: Any, parts: tuple[Any, ...]) -> Any:
    import scipy.sparse

    if len(parts) == 3 and parts[1].dtype != parts[2].dtype:  # SciPy would copy the indices else
        kind, last = parts[1].dtype, parts[2][-1:]
        if kind.itemsize < 8 and (last <= np.iinfo(kind).max).all():
            parts = (*parts[:2], parts[2].astype(kind))
    return getattr(scipy.sparse, type(a).__name__.lower() + "_array")(
        parts, shape=a.shape, copy=False
    )
