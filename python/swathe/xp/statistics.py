# SPDX-License-Identifier: BSD-3-Clause
"""Reductions, searching, sorting and sets."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._lazy import dtypes, ops
from .._lazy.array import LazyArray, beside, host, wrap
from .._lazy.elementwise import operand
from .._lazy.node import Node
from .creation import astype, full, zeros
from .manipulation import axes_of, axis_of, concat, reshape

_NO_IDENTITY = ("max", "min", "argmax", "argmin")


def _default(dtype: np.dtype) -> np.dtype:
    """The dtype of a sum or product of a dtype."""
    if dtype.kind == "u":
        return dtypes.uint64
    return dtypes.int64 if dtype.kind == "i" else dtype


def _shape(shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    if keepdims:
        return tuple([1 if k in axes else n for k, n in enumerate(shape)])
    return tuple([n for k, n in enumerate(shape) if k not in axes])


def _reduce(
    op: str,
    x: LazyArray,
    axis: Any,
    keepdims: bool,
    dtype: np.dtype | None = None,
    more: tuple = (),
) -> LazyArray:
    node = operand(x, op)
    dtypes.need(op, node.dtype, ops.REDUCTIONS[op][0])
    rank = len(node.shape)
    axes = tuple(range(rank)) if axis is None else tuple(sorted(axes_of(axis, rank, op)))
    shape = _shape(node.shape, axes, keepdims)
    if op in _NO_IDENTITY and 0 in [node.shape[k] for k in axes]:
        raise ValueError(f"{op}() of no elements, along an axis of shape {node.shape}")
    out = node.dtype if dtype is None else dtype
    if not rank or not axes:
        return _of_none(op, x, node, out, more)
    said: Any = axes if len(axes) > 1 else axes[0]
    par = (None if len(axes) == rank else said, bool(keepdims), rank, *more)
    return wrap(Node(op, (node,), par, (), out, shape))


def _of_none(op: str, x: LazyArray, node: Node, out: np.dtype, more: tuple) -> LazyArray:
    """Reduce no axis: each element is a group of its own."""
    one = reshape(x, (*node.shape, 1))
    par = (len(node.shape) or None, False, len(node.shape) + 1, *more)
    return wrap(Node(op, (operand(one, op),), par, (), out, node.shape))


def _summed(op: str, x: LazyArray, axis: Any, dtype: Any, keepdims: bool) -> LazyArray:
    node = operand(x, op)
    dtypes.need(op, node.dtype, "numeric")
    want = _default(node.dtype) if dtype is None else dtypes.checked(dtype)
    if want != node.dtype:
        x = astype(x, want)
    wide = _default(want)  # what NumPy adds up and yields
    out = _reduce(op, x, axis, keepdims, wide)
    return out if wide == want else astype(out, want)


def sum(  # noqa: A001
    x: LazyArray, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False
) -> LazyArray:
    """Return the sum along axes."""
    return _summed("sum", x, axis, dtype, keepdims)


def prod(
    x: LazyArray, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False
) -> LazyArray:
    """Return the product along axes."""
    return _summed("prod", x, axis, dtype, keepdims)


def max(x: LazyArray, /, *, axis: Any = None, keepdims: bool = False) -> LazyArray:  # noqa: A001
    """Return the greatest element along axes; a NaN is greater."""
    return _reduce("max", x, axis, keepdims)


def min(x: LazyArray, /, *, axis: Any = None, keepdims: bool = False) -> LazyArray:  # noqa: A001
    """Return the least element along axes; a NaN is less."""
    return _reduce("min", x, axis, keepdims)


def mean(x: LazyArray, /, *, axis: Any = None, keepdims: bool = False) -> LazyArray:
    """Return the mean along axes."""
    return _reduce("mean", x, axis, keepdims)


def var(
    x: LazyArray, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False
) -> LazyArray:
    """Return the variance along axes, of a sum over the count less a correction."""
    return _reduce("var", x, axis, keepdims, None, (_correction(correction),))


def std(
    x: LazyArray, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False
) -> LazyArray:
    """Return the standard deviation along axes."""
    return _reduce("std", x, axis, keepdims, None, (_correction(correction),))


def _correction(given: float) -> float | int:
    return int(given) if given == int(given) else float(given)


def all(x: LazyArray, /, *, axis: Any = None, keepdims: bool = False) -> LazyArray:  # noqa: A001
    """Tell whether all elements along axes are true."""
    return _reduce("all", x, axis, keepdims, dtypes.bool)


def any(x: LazyArray, /, *, axis: Any = None, keepdims: bool = False) -> LazyArray:  # noqa: A001
    """Tell whether an element along axes is true."""
    return _reduce("any", x, axis, keepdims, dtypes.bool)


def argmax(x: LazyArray, /, *, axis: int | None = None, keepdims: bool = False) -> LazyArray:
    """Return the place of the first greatest element along an axis, or in the whole array."""
    return _place("argmax", x, axis, keepdims)


def argmin(x: LazyArray, /, *, axis: int | None = None, keepdims: bool = False) -> LazyArray:
    """Return the place of the first least element along an axis, or in the whole array."""
    return _place("argmin", x, axis, keepdims)


def _place(op: str, x: LazyArray, axis: int | None, keepdims: bool) -> LazyArray:
    rank = len(operand(x, op).shape)
    if axis is not None:
        axis = axis_of(axis, rank, op)
    elif rank > 1:
        flat = _reduce(op, reshape(x, (-1,)), None, False, dtypes.int64)
        return reshape(flat, (1,) * rank) if keepdims else flat
    return _reduce(op, x, axis, keepdims, dtypes.int64)


def count_nonzero(x: LazyArray, /, *, axis: Any = None, keepdims: bool = False) -> LazyArray:
    """Return how many elements along axes are not zero."""
    return _reduce("count_nonzero", x, axis, keepdims, dtypes.int64)


# ---- library calls ----


def _call(name: str, args: tuple, vals: tuple, dtype: Any, shape: tuple, **known: Any) -> LazyArray:
    return wrap(Node("numpy", args, (name, tuple(known.items())), vals, dtype, shape))


def _cumulative(
    name: str, x: LazyArray, axis: int | None, dtype: Any, include_initial: bool
) -> LazyArray:
    node = operand(x, name)
    dtypes.need(name, node.dtype, "numeric")
    rank = len(node.shape)
    if axis is None:
        if rank != 1:
            raise ValueError(f"{name}(): axis must be given for {rank} axes")
        axis = 0
    at = axis_of(axis, rank, name)
    want = _default(node.dtype) if dtype is None else dtypes.checked(dtype)
    operands = (operand(astype(x, want, copy=False), name),)
    function = "cumsum" if name == "cumulative_sum" else "cumprod"
    out = _call(function, operands, (), want, node.shape, axis=at)
    if not include_initial:
        return out
    first = zeros((*node.shape[:at], 1, *node.shape[at + 1 :]), dtype=want, device=x.device)
    if function == "cumprod":
        first = first + want.type(1).item()
    return concat([first, out], axis=at)


def cumulative_sum(
    x: LazyArray,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
) -> LazyArray:
    """Return the sums of all elements so far along an axis."""
    return _cumulative("cumulative_sum", x, axis, dtype, include_initial)


def cumulative_prod(
    x: LazyArray,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
) -> LazyArray:
    """Return the products of all elements so far along an axis."""
    return _cumulative("cumulative_prod", x, axis, dtype, include_initial)


def diff(
    x: LazyArray,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: LazyArray | None = None,
    append: LazyArray | None = None,
) -> LazyArray:
    """Return the differences of neighbours along an axis, n times."""
    node = operand(x, "diff")
    dtypes.need("diff", node.dtype, "numeric")
    if n < 0:
        raise ValueError(f"diff(): order must be non-negative but got {n}")
    at = axis_of(axis, len(node.shape), "diff")
    parts = [p for p in (prepend, x, append) if p is not None]
    if len(parts) > 1:
        x = concat(parts, axis=at)
    before = (slice(None),) * at
    for _ in range(n):
        x = x[(*before, slice(1, None))] - x[(*before, slice(None, -1))]
    return x


def sort(
    x: LazyArray, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> LazyArray:
    """Return elements in order along an axis."""
    node = operand(x, "sort")
    dtypes.need("sort", node.dtype, "real numeric")
    at = axis_of(axis, len(node.shape), "sort")
    out = _call("sort", (node,), (), node.dtype, node.shape, axis=at, kind="stable")
    key = (slice(None),) * at + (slice(None, None, -1),)
    return +out[key] if descending else out


def argsort(
    x: LazyArray, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> LazyArray:
    """Return the places of elements in order along an axis."""
    node = operand(x, "argsort")
    dtypes.need("argsort", node.dtype, "real numeric")
    at = axis_of(axis, len(node.shape), "argsort")
    if not descending:
        return _call("argsort", (node,), (), dtypes.int64, node.shape, axis=at, kind="stable")
    # Equal elements keep their order: the last ones of the reversed array come first.
    turned = (slice(None),) * at + (slice(None, None, -1),)
    order = argsort(x[turned], axis=at)[turned]
    return (node.shape[at] - 1) - order


def searchsorted(
    x1: LazyArray,
    x2: LazyArray | float,
    /,
    *,
    side: str = "left",
    sorter: LazyArray | None = None,
) -> LazyArray:
    """Return where elements would be put in a sorted array."""
    a = operand(x1, "searchsorted", "x1")
    v = operand(_array(x2, x1, "searchsorted"), "searchsorted", "x2")
    for node in (a, v):
        dtypes.need("searchsorted", node.dtype, "real numeric")
    dtypes.promote(a.dtype, v.dtype)
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted(): side is 'left' or 'right', not {side!r}")
    if len(a.shape) != 1:
        raise ValueError(f"searchsorted(): x1 has one axis, not {len(a.shape)}")
    if sorter is not None:
        from .indexing import take

        a = operand(take(x1, sorter), "searchsorted")
    return _call("searchsorted", (a, v), (), dtypes.int64, v.shape, side=side)


def _array(x: Any, other: Any, name: str) -> Any:
    """Return a Python number that stands beside an array as an array without axes."""
    if not isinstance(x, (bool, int, float, complex)) or type(other) is not LazyArray:
        return x
    dtype = dtypes.weak(x, operand(other, name).dtype)
    return full((), x, dtype=dtype, device=other.device)


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> LazyArray:
    """Tell of each element of an array whether another has it; NaN is nowhere."""
    a = operand(_array(x1, x2, "isin"), "isin", "x1")
    b = operand(_array(x2, x1, "isin"), "isin", "x2")
    dtypes.promote(a.dtype, b.dtype)
    return _call("isin", (a, b), (), dtypes.bool, a.shape, invert=bool(invert))


def nonzero(x: LazyArray, /) -> tuple[LazyArray, ...]:
    """Return the places of elements that are not zero; it asks for values."""
    node = operand(x, "nonzero")
    if not node.shape:
        raise ValueError("nonzero() of an array without axes")
    return tuple([beside(x, k) for k in np.nonzero(host(x))])


class unique_all_result(NamedTuple):  # noqa: N801
    values: LazyArray
    indices: LazyArray
    inverse_indices: LazyArray
    counts: LazyArray


class unique_counts_result(NamedTuple):  # noqa: N801
    values: LazyArray
    counts: LazyArray


class unique_inverse_result(NamedTuple):  # noqa: N801
    values: LazyArray
    inverse_indices: LazyArray


def _found(x: LazyArray, name: str, **ways: bool) -> list[LazyArray]:
    """Return the unequal elements and what else is asked for. They are in order, which the standard
    leaves open, but programs take for granted; each NaN is one of its own."""
    operand(x, name)
    found = np.unique(host(x), equal_nan=False, **ways)
    return [beside(x, k) for k in (found if isinstance(found, tuple) else (found,))]


def unique_all(x: LazyArray, /) -> unique_all_result:
    """Return the unequal elements, where they are first, which each is, and how many."""
    values, indices, inverse, counts = _found(
        x, "unique_all", return_index=True, return_inverse=True, return_counts=True
    )
    return unique_all_result(values, indices, inverse, counts)


def unique_counts(x: LazyArray, /) -> unique_counts_result:
    """Return the unequal elements, and how many of each there are."""
    return unique_counts_result(*_found(x, "unique_counts", return_counts=True))


def unique_inverse(x: LazyArray, /) -> unique_inverse_result:
    """Return the unequal elements, and which of them each is."""
    return unique_inverse_result(*_found(x, "unique_inverse", return_inverse=True))


def unique_values(x: LazyArray, /) -> LazyArray:
    """Return the unequal elements; it asks for values."""
    return _found(x, "unique_values")[0]
