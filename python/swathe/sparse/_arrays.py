# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's classes of sparse arrays and matrices, whose products and sums run compiled.

They are subclasses of SciPy's: constructors, conversions, indices and what is written are SciPy's
own, and whatever asks for SciPy's classes takes them. What is made of one is one of these again:
SciPy asks an instance for the classes of its results. Where a product or a sum has much to do, the
compiled functions of this package do it, on all threads; where it has little, a call of SciPy costs
less than one of ours and no compiling. The methods that are replaced are what SciPy's operators
come down to; a SciPy that names them otherwise goes on with its own.
"""

from __future__ import annotations

import abc
import functools
import importlib
from typing import Any

import numpy as np
import scipy.sparse as _sp

from . import _classes, _pairs, _products

# What a result has to cost for a compiled function to be the faster one, its first call included,
# which compiles for a tenth of a second or reads what was compiled before.
LEAST = {
    "vector": 1 << 19,  # elements
    "columns": 1 << 21,  # multiplications
    "terms": 1 << 17,  # multiplications, of two sparse matrices
    "merged": 1 << 18,  # elements of both
}
_KINDS = "ilqfdFD"  # dtypes of elements whose products are the same here and there
_WAYS = {"_plus_": "+", "_minus_": "-", "_elmul_": "*"}  # of SciPy's operations, those of ours
_OPERATORS = ("__add__", "__sub__", "__mul__", "__matmul__", "__eq__", "__ne__", "multiply", "dot",
              "maximum", "minimum")  # fmt: skip
_FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")


def _view(a: Any) -> Any:
    """A matrix of SciPy with compressed rows, or the transpose of one with columns, as a CSR."""
    n, m = a.shape
    shape = (int(n), int(m)) if a.format == "csr" else (int(m), int(n))
    return _classes.CSR(a.data, a.indices, a.indptr, shape)


def _restored(like: Any, a: Any, shape: tuple[int, int]) -> Any:
    """A CSR as a matrix of the class of another, with indices of one dtype."""
    kind = like._get_index_dtype((like.indices, like.indptr), maxval=max(a.nnz, *shape))
    parts = (a.data, a.indices.astype(kind, copy=False), a.indptr.astype(kind, copy=False))
    return like.__class__(parts, shape=shape, copy=False)


def _known(a: Any) -> bool:
    return a.dtype.char in _KINDS and a.dtype.isnative


class _Compressed:
    """What `csr` and `csc` do by compiled functions."""

    def _matmul_vector(self: Any, other: Any) -> Any:
        if (
            self.ndim == 2
            and self.nnz >= LEAST["vector"]
            and self.format == "csr"
            and _fits(self, other)
        ):
            return _products.of_csr(_view(self), other)
        return super()._matmul_vector(other)  # type: ignore[misc]

    def _matmul_multivector(self: Any, other: Any) -> Any:
        work = self.nnz * other.shape[-1]
        if (
            self.ndim == 2
            and work >= LEAST["columns"]
            and self.format == "csr"
            and _fits(self, other)
        ):
            return _products.of_csr(_view(self), other)
        return super()._matmul_multivector(other)  # type: ignore[misc]

    def _matmul_sparse(self: Any, other: Any) -> Any:
        if self.ndim == other.ndim == 2 and _known(self) and _known(other):
            B = other.asformat(self.format)
            rows = self.shape[1]
            if self.nnz * B.nnz >= LEAST["terms"] * max(rows, 1):  # terms, were all rows as long
                pair = (_view(self), _view(B)) if self.format == "csr" else (_view(B), _view(self))
                shape = (self.shape[0], B.shape[1])
                return _restored(self, _pairs.product(*pair, "plus.times"), shape)
        return super()._matmul_sparse(other)  # type: ignore[misc]

    def _binopt(self: Any, other: Any, op: str) -> Any:
        way = _WAYS.get(op)
        if way is None or not self.ndim == other.ndim == 2 or self.shape != other.shape:
            return super()._binopt(other, op)  # type: ignore[misc]
        if self.nnz + other.nnz < LEAST["merged"] or not (_known(self) and _known(other)):
            return super()._binopt(other, op)  # type: ignore[misc]
        B = other.asformat(self.format)
        return _restored(self, _pairs.merged(_view(self), _view(B), way), self.shape)


def _fits(a: Any, x: Any) -> bool:
    return type(x) is np.ndarray and _known(a) and _known(x)


def _containers(kind: str) -> dict[str, Any]:
    """The properties by which SciPy asks for the classes of results."""

    def of(format: str) -> property:
        return property(lambda self: globals()[f"{format}_{kind}"])

    return {f"_{format}_container": of(format) for format in _FORMATS}


class _Class(abc.ABCMeta):
    """The class of the classes here: what SciPy made is an instance of them as well, so that a
    test by isinstance() says of a matrix from elsewhere what it said before."""

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, _BASES[cls]) if cls in _BASES else super().__instancecheck__(x)


def _made(name: str) -> type:
    base = getattr(_sp, name)

    @functools.wraps(base.__init__)
    def __init__(self: Any, arg1: Any, *args: Any, **options: Any) -> None:
        base.__init__(self, _scipys(arg1), *args, **options)

    body = {op: _operator(getattr(base, op)) for op in _OPERATORS if hasattr(base, op)}
    above: tuple[type, ...] = (_Compressed,) if name[:3] in ("csr", "csc") else ()
    body |= {**_containers(name[4:]), "__init__": __init__, "__doc__": base.__doc__}
    return _Class(name, (*above, base), {**body, "__module__": "swathe.sparse"})


def _operator(method: Any) -> Any:
    """A method of SciPy that also takes what a compiled function gave."""

    @functools.wraps(method)
    def call(self: Any, other: Any, *args: Any, **options: Any) -> Any:
        return method(self, _scipys(other), *args, **options)

    return call


_OURS: dict[type, Any] = {}
for _name in [f"{format}_{kind}" for format in _FORMATS for kind in ("array", "matrix")]:
    globals()[_name] = _OURS[getattr(_sp, _name)] = _made(_name)
_BASES = {cls: base for base, cls in _OURS.items()}


def _scipys(a: Any) -> Any:
    """What a compiled function gave, as a matrix of SciPy."""
    return a.to_scipy() if isinstance(a, _classes._Matrix) else a  # type: ignore[attr-defined]


def _given(a: Any) -> Any:
    """An argument of a function, which may be blocks in lists."""
    if type(a) is list:
        return [_given(b) for b in a]
    if type(a) is tuple:
        return tuple(_given(b) for b in a)
    return _scipys(a)


def ours(a: Any) -> Any:
    """A result of SciPy, as the class here over the same memory, where it is a sparse matrix."""
    cls = _OURS.get(type(a))
    if cls is not None:
        out = cls.__new__(cls)
        out.__dict__.update(a.__dict__)
        return out
    if type(a) is tuple:
        return tuple(ours(b) for b in a)
    return a


def wrapped(f: Any) -> Any:
    """A function of SciPy, whose results are the classes here."""

    @functools.wraps(f)
    def call(*args: Any, **options: Any) -> Any:
        results = f(*map(_given, args), **{k: _given(v) for k, v in options.items()})
        return ours(results)

    return call


def issparse(x: Any) -> bool:
    """Return whether `x` is a sparse matrix or array, SciPy's or what a compiled function gave."""
    return isinstance(x, _classes._Matrix) or _sp.issparse(x)


def found(module: str, name: str) -> Any:
    """What has that name in a module of SciPy: a function's results are the classes here."""
    own = globals().get(name) if module == "scipy.sparse" else None
    if own is issparse or own in _BASES:
        return own
    it = getattr(importlib.import_module(module), name)
    if callable(it) and not isinstance(it, type):
        return wrapped(it)
    return it
