# SPDX-License-Identifier: BSD-3-Clause
"""The extension for linear algebra; products of matrices are also functions of `swathe.xp`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._lazy import dtypes
from .._lazy.array import LazyArray, wrap
from .._lazy.elementwise import operand, shape_of
from .._lazy.node import Node
from . import statistics
from .creation import astype
from .manipulation import axes_of, axis_of, expand_dims, matrix_transpose, reshape

__all__ = [
    "cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv",
    "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv",
    "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm",
]  # fmt: skip


class EigResult(NamedTuple):
    eigenvalues: LazyArray
    eigenvectors: LazyArray


class EighResult(NamedTuple):
    eigenvalues: LazyArray
    eigenvectors: LazyArray


class QRResult(NamedTuple):
    Q: LazyArray
    R: LazyArray


class SlogdetResult(NamedTuple):
    sign: LazyArray
    logabsdet: LazyArray


class SVDResult(NamedTuple):
    U: LazyArray
    S: LazyArray
    Vh: LazyArray


def _call(name: str, args: tuple, dtype: np.dtype, shape: tuple, **known: Any) -> LazyArray:
    return wrap(Node("numpy", args, (name, tuple(known.items())), (), dtype, shape))


def _several(name: str, args: tuple, parts: Any, **known: Any) -> list[LazyArray]:
    """Return the results of a call that has several, of which dtypes and shapes are given."""
    call = Node("numpy", args, (name, tuple(known.items())), (), args[0].dtype, ())
    return [
        wrap(Node("item", (call,), (k,), (), dtype, shape))
        for k, (dtype, shape) in enumerate(parts)
    ]


def _real(dtype: np.dtype) -> np.dtype:
    return np.empty(0, dtype).real.dtype


def _matrix(x: LazyArray, name: str, square: bool = False, kind: str = "floating-point") -> Node:
    node = operand(x, name)
    dtypes.need(name, node.dtype, kind)
    if len(node.shape) < 2:
        raise np.linalg.LinAlgError(
            f"{len(node.shape)}-dimensional array given. Array must be at least two-dimensional"
        )
    if square and node.shape[-1] != node.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return node


def _together(name: str, x1: LazyArray, x2: LazyArray) -> tuple[LazyArray, LazyArray, np.dtype]:
    a, b = operand(x1, name, "x1"), operand(x2, name, "x2")
    for node in (a, b):
        dtypes.need(name, node.dtype, "numeric")
    dtype = dtypes.promote(a.dtype, b.dtype)
    return astype(x1, dtype, copy=False), astype(x2, dtype, copy=False), dtype


def matmul(x1: LazyArray, x2: LazyArray, /) -> LazyArray:
    """Return the product of matrices, of stacks of them, or of vectors."""
    x1, x2, dtype = _together("matmul", x1, x2)
    a, b = operand(x1, "matmul"), operand(x2, "matmul")
    if not a.shape or not b.shape:
        raise ValueError("matmul(): an operand has no axes; multiply() takes those")
    inner = b.shape[0] if len(b.shape) == 1 else b.shape[-2]
    if a.shape[-1] != inner:
        raise ValueError(
            f"matmul(): {a.shape[-1]} columns of shape {a.shape} and {inner} rows of {b.shape}"
        )
    rows, columns = a.shape[-2:-1], b.shape[-1:] if len(b.shape) > 1 else ()
    shape = (*shape_of(a.shape[:-2], b.shape[:-2], "matmul"), *rows, *columns)
    return _call("matmul", (a, b), dtype, shape)


def tensordot(x1: LazyArray, x2: LazyArray, /, *, axes: Any = 2) -> LazyArray:
    """Return the products of two arrays, added along some axes of each."""
    x1, x2, dtype = _together("tensordot", x1, x2)
    a, b = operand(x1, "tensordot"), operand(x2, "tensordot")
    if isinstance(axes, int):
        if axes < 0 or axes > min(len(a.shape), len(b.shape)):
            raise ValueError(f"tensordot(): {axes} axes of shapes {a.shape} and {b.shape}")
        left = tuple(range(len(a.shape) - axes, len(a.shape)))
        right = tuple(range(axes))
    else:
        left = axes_of(tuple(axes[0]), len(a.shape), "tensordot")
        right = axes_of(tuple(axes[1]), len(b.shape), "tensordot")
    if [a.shape[k] for k in left] != [b.shape[k] for k in right]:
        raise ValueError("shape-mismatch for sum")
    shape = [n for k, n in enumerate(a.shape) if k not in left]
    shape += [n for k, n in enumerate(b.shape) if k not in right]
    return _call("tensordot", (a, b), dtype, tuple(shape), axes=(left, right))


def vecdot(x1: LazyArray, x2: LazyArray, /, *, axis: int = -1) -> LazyArray:
    """Return the products of vectors along an axis, the first of which is conjugated."""
    x1, x2, _ = _together("vecdot", x1, x2)
    rank = min(x1.ndim, x2.ndim)
    axis_of(axis, rank, "vecdot")
    if axis >= 0:
        raise ValueError(f"vecdot(): axis counts from the end, -1 to {-rank}, not {axis}")
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vecdot(): {x1.shape[axis]} and {x2.shape[axis]} elements")
    from .elements import conj  # type: ignore[attr-defined]

    product = conj(x1) * x2
    return statistics.sum(product, axis=axis, dtype=product.dtype)


def outer(x1: LazyArray, x2: LazyArray, /) -> LazyArray:
    """Return the products of each element of one vector with each of another."""
    x1, x2, _ = _together("outer", x1, x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"outer() takes vectors, not {x1.ndim} and {x2.ndim} axes")
    return x1[:, None] * x2[None, :]


def cross(x1: LazyArray, x2: LazyArray, /, *, axis: int = -1) -> LazyArray:
    """Return the cross products of vectors of three elements along an axis."""
    x1, x2, dtype = _together("cross", x1, x2)
    a, b = operand(x1, "cross"), operand(x2, "cross")
    rank = min(len(a.shape), len(b.shape))
    axis_of(axis, rank, "cross")
    if a.shape[axis] != 3 or b.shape[axis] != 3:
        raise ValueError(f"cross(): vectors have 3 elements, not {a.shape[axis]}, {b.shape[axis]}")
    return _call("cross", (a, b), dtype, shape_of(a.shape, b.shape, "cross"), axis=axis)


def cholesky(x: LazyArray, /, *, upper: bool = False) -> LazyArray:
    """Return the triangular factors of positive definite matrices."""
    node = _matrix(x, "cholesky", True)
    return _call("linalg.cholesky", (node,), node.dtype, node.shape, upper=upper)


def det(x: LazyArray, /) -> LazyArray:
    """Return the determinants of matrices."""
    node = _matrix(x, "det", True)
    return _call("linalg.det", (node,), node.dtype, node.shape[:-2])


def diagonal(x: LazyArray, /, *, offset: int = 0) -> LazyArray:
    """Return the diagonals of matrices."""
    node = _matrix(x, "diagonal", kind="any")
    m, n = node.shape[-2:]
    size = max(0, min(m + min(offset, 0), n - max(offset, 0)))
    return _call("linalg.diagonal", (node,), node.dtype, (*node.shape[:-2], size), offset=offset)


def eig(x: LazyArray, /) -> EigResult:
    """Return the eigenvalues and eigenvectors of matrices, which are complex."""
    node = _matrix(x, "eig", True)
    dtype = np.result_type(node.dtype, np.complex64)
    parts = ((dtype, node.shape[:-1]), (dtype, node.shape))
    return EigResult(*_several("linalg.eig", (node,), parts))


def eigvals(x: LazyArray, /) -> LazyArray:
    """Return the eigenvalues of matrices, which are complex."""
    node = _matrix(x, "eigvals", True)
    dtype = np.result_type(node.dtype, np.complex64)
    return _call("linalg.eigvals", (node,), dtype, node.shape[:-1])


def eigh(x: LazyArray, /) -> EighResult:
    """Return the eigenvalues and eigenvectors of Hermitian matrices."""
    node = _matrix(x, "eigh", True)
    parts = ((_real(node.dtype), node.shape[:-1]), (node.dtype, node.shape))
    return EighResult(*_several("linalg.eigh", (node,), parts))


def eigvalsh(x: LazyArray, /) -> LazyArray:
    """Return the eigenvalues of Hermitian matrices."""
    node = _matrix(x, "eigvalsh", True)
    return _call("linalg.eigvalsh", (node,), _real(node.dtype), node.shape[:-1])


def inv(x: LazyArray, /) -> LazyArray:
    """Return the inverses of matrices."""
    node = _matrix(x, "inv", True)
    return _call("linalg.inv", (node,), node.dtype, node.shape)


def matrix_norm(x: LazyArray, /, *, keepdims: bool = False, ord: Any = "fro") -> LazyArray:  # noqa: A002
    """Return norms of matrices."""
    node = _matrix(x, "matrix_norm")
    if ord not in (1, -1, 2, -2, float("inf"), -float("inf"), "fro", "nuc"):
        raise ValueError(f"matrix_norm(): there is no norm {ord!r}")
    shape = node.shape[:-2] + ((1, 1) if keepdims else ())
    known = {"keepdims": keepdims, "ord": ord}
    return _call("linalg.matrix_norm", (node,), _real(node.dtype), shape, **known)


def matrix_power(x: LazyArray, n: int, /) -> LazyArray:
    """Return matrices multiplied with themselves."""
    node = _matrix(x, "matrix_power", True)
    return _call("linalg.matrix_power", (node,), node.dtype, node.shape, n=int(n))


def matrix_rank(x: LazyArray, /, *, rtol: Any = None) -> LazyArray:
    """Return how many singular values of matrices are not negligible."""
    node = _matrix(x, "matrix_rank")
    shape = node.shape[:-2]
    if type(rtol) is LazyArray and 0 not in node.shape:  # what NumPy takes there is not relative
        least = rtol * statistics.max(svdvals(x), axis=-1)
        args = (node, operand(least, "matrix_rank"))
        return _call("linalg.matrix_rank", args, dtypes.int64, shape)
    known = {} if rtol is None or type(rtol) is LazyArray else {"rtol": float(rtol)}
    return _call("linalg.matrix_rank", (node,), dtypes.int64, shape, **known)


def pinv(x: LazyArray, /, *, rtol: Any = None) -> LazyArray:
    """Return the pseudo-inverses of matrices."""
    node = _matrix(x, "pinv")
    *rest, m, n = node.shape
    lazy = type(rtol) is LazyArray
    args = (node, operand(rtol, "pinv")) if lazy else (node,)
    known = {} if rtol is None or lazy else {"rtol": float(rtol)}
    return _call("linalg.pinv", args, node.dtype, (*rest, n, m), **known)


def qr(x: LazyArray, /, *, mode: str = "reduced") -> QRResult:
    """Return orthonormal and triangular factors of matrices."""
    node = _matrix(x, "qr")
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr(): mode is 'reduced' or 'complete', not {mode!r}")
    *rest, m, n = node.shape
    k = m if mode == "complete" else min(m, n)
    parts = ((node.dtype, (*rest, m, k)), (node.dtype, (*rest, k, n)))
    return QRResult(*_several("linalg.qr", (node,), parts, mode=mode))


def slogdet(x: LazyArray, /) -> SlogdetResult:
    """Return the signs of determinants, and the logarithms of their sizes."""
    node = _matrix(x, "slogdet", True)
    shape = node.shape[:-2]
    parts = ((node.dtype, shape), (_real(node.dtype), shape))
    return SlogdetResult(*_several("linalg.slogdet", (node,), parts))


def solve(x1: LazyArray, x2: LazyArray, /) -> LazyArray:
    """Return what systems of linear equations have as solutions."""
    _matrix(x1, "solve", True)
    dtypes.need("solve", operand(x2, "solve").dtype, "floating-point")
    x1, x2, dtype = _together("solve", x1, x2)
    vector = x2.ndim == 1
    if vector:
        x2 = expand_dims(x2, axis=-1)
    a, b = operand(x1, "solve"), operand(x2, "solve")
    if not b.shape or b.shape[-2] != a.shape[-1]:
        raise ValueError(f"solve(): shapes {a.shape} and {b.shape}")
    shape = (*shape_of(a.shape[:-2], b.shape[:-2], "solve"), *b.shape[-2:])
    out = _call("linalg.solve", (a, b), dtype, shape)
    return reshape(out, shape[:-1]) if vector else out


def svd(x: LazyArray, /, *, full_matrices: bool = True) -> SVDResult:
    """Return singular vectors and values of matrices."""
    node = _matrix(x, "svd")
    *rest, m, n = node.shape
    k = min(m, n)
    left, right = ((m, m), (n, n)) if full_matrices else ((m, k), (k, n))
    parts = (
        (node.dtype, (*rest, *left)),
        (_real(node.dtype), (*rest, k)),
        (node.dtype, (*rest, *right)),
    )
    return SVDResult(*_several("linalg.svd", (node,), parts, full_matrices=full_matrices))


def svdvals(x: LazyArray, /) -> LazyArray:
    """Return the singular values of matrices."""
    node = _matrix(x, "svdvals")
    shape = (*node.shape[:-2], min(node.shape[-2:]))
    return _call("linalg.svdvals", (node,), _real(node.dtype), shape)


def trace(x: LazyArray, /, *, offset: int = 0, dtype: Any = None) -> LazyArray:
    """Return the sums of the diagonals of matrices."""
    _matrix(x, "trace", kind="numeric")
    return statistics.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(
    x: LazyArray,
    /,
    *,
    axis: Any = None,
    keepdims: bool = False,
    ord: Any = 2,  # noqa: A002
) -> LazyArray:
    """Return norms of vectors along axes."""
    from . import elements

    xp: Any = elements
    node = operand(x, "vector_norm")
    dtypes.need("vector_norm", node.dtype, "floating-point")
    size = xp.abs(x)
    known = {"axis": axis, "keepdims": keepdims}
    if ord == float("inf"):
        return statistics.sum(size, **known) if not x.size else statistics.max(size, **known)
    if ord == -float("inf"):
        return statistics.min(size, **known)
    if ord == 0:
        return astype(statistics.count_nonzero(size, **known), size.dtype)
    if ord == 1:
        return statistics.sum(size, **known)
    if ord == 2:
        squares = xp.real(x) ** 2 + xp.imag(x) ** 2 if node.dtype.kind == "c" else x * x
        return xp.sqrt(statistics.sum(squares, **known))
    return statistics.sum(size ** float(ord), **known) ** (1.0 / ord)
