# SPDX-License-Identifier: BSD-3-Clause
"""Functions that move elements."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .._lazy import dtypes, views
from .._lazy.array import LazyArray, host, wrap
from .._lazy.elementwise import operand, shape_of
from .._lazy.node import Node
from .creation import _copied, astype, sizes

AxisError = np.exceptions.AxisError


def axis_of(axis: Any, rank: int, name: str = "") -> int:
    """Return an axis from 0 up."""
    try:
        found = operator.index(axis)
    except TypeError:
        raise TypeError(f"{name}(): an axis is an integer, not {type(axis).__name__}") from None
    if not -rank <= found < rank:
        raise AxisError(found, rank)
    return found + rank if found < 0 else found


def axes_of(axis: Any, rank: int, name: str = "") -> tuple[int, ...]:
    """Return axes from 0 up, each once."""
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    found = tuple([axis_of(k, rank, name) for k in given])
    if len(set(found)) < len(found):
        raise ValueError(f"{name}(): repeated axis in {axis}")
    return found


def broadcast_to(x: LazyArray, /, shape: Any) -> LazyArray:
    """Return an array with axes of one element repeated."""
    node = operand(x, "broadcast_to")
    want = sizes(shape, "broadcast_to")
    views._must_fit(node.shape, want)
    return views.broadcast(x, want)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that arrays of some shapes become together."""
    out: tuple[int, ...] = ()
    for shape in shapes:
        out = shape_of(out, sizes(shape, "broadcast_shapes"), "broadcast_shapes")
    return out


def broadcast_arrays(*arrays: LazyArray) -> tuple[LazyArray, ...]:
    """Return arrays of one shape."""
    shape: tuple[int, ...] = ()
    for x in arrays:
        shape = shape_of(shape, operand(x, "broadcast_arrays").shape, "broadcast_arrays")
    return tuple([views.broadcast(x, shape) for x in arrays])


def concat(arrays: Any, /, *, axis: int | None = 0) -> LazyArray:
    """Return arrays one after another along an axis."""
    given = list(arrays)
    if not given:
        raise ValueError("concat() needs an array")
    nodes = [operand(x, "concat") for x in given]
    dtype = dtypes.result_type(*[n.dtype for n in nodes])
    if axis is None:
        given = [reshape(x, (-1,)) for x in given]
        axis = 0
    cast = [operand(astype(x, dtype, copy=False), "concat") for x in given]
    first = cast[0].shape
    if not first:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    at = axis_of(axis, len(first), "concat")
    for n in cast:
        if len(n.shape) != len(first) or n.shape[:at] + n.shape[at + 1 :] != (
            first[:at] + first[at + 1 :]
        ):
            raise ValueError(f"concat(): shapes {first} and {n.shape} differ outside of axis {at}")
    shape = (*first[:at], sum(n.shape[at] for n in cast), *first[at + 1 :])
    if len(cast) == 1:
        return _copied(cast[0])
    return wrap(Node("concat", tuple(cast), (at, len(cast)), (), dtype, shape))


def stack(arrays: Any, /, *, axis: int = 0) -> LazyArray:
    """Return arrays one after another along a new axis."""
    given = list(arrays)
    if not given:
        raise ValueError("stack() needs an array")
    shapes = {operand(x, "stack").shape for x in given}
    if len(shapes) > 1:
        raise ValueError(f"stack(): arrays of shapes {', '.join(map(str, shapes))}")
    at = axis_of(axis, given[0].ndim + 1, "stack")
    return concat([expand_dims(x, axis=at) for x in given], axis=at)


def unstack(x: LazyArray, /, *, axis: int = 0) -> tuple[LazyArray, ...]:
    """Return the parts of an array along an axis."""
    node = operand(x, "unstack")
    if not node.shape:
        raise ValueError("unstack() needs an axis")
    at = axis_of(axis, len(node.shape), "unstack")
    return tuple([x[(slice(None),) * at + (k,)] for k in range(node.shape[at])])


def expand_dims(x: LazyArray, /, axis: Any = 0) -> LazyArray:
    """Return a view with a new axis of one element, or with several."""
    node = operand(x, "expand_dims")
    more = len(axis) if isinstance(axis, tuple) else 1
    at = axes_of(axis, len(node.shape) + more, "expand_dims")
    key = [None if k in at else slice(None) for k in range(len(node.shape) + more)]
    return x[tuple(key)]


def squeeze(x: LazyArray, /, axis: Any) -> LazyArray:
    """Return a view without some axes, each of one element."""
    node = operand(x, "squeeze")
    at = axes_of(axis, len(node.shape), "squeeze")
    for k in at:
        if node.shape[k] != 1:
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    key = [0 if k in at else slice(None) for k in range(len(node.shape))]
    return x[(*key, ...)]  # a view, of no axes, too


def flip(x: LazyArray, /, *, axis: Any = None) -> LazyArray:
    """Return a view with axes reversed."""
    rank = len(operand(x, "flip").shape)
    at = tuple(range(rank)) if axis is None else axes_of(axis, rank, "flip")
    return x[tuple([slice(None, None, -1) if k in at else slice(None) for k in range(rank)])]


def moveaxis(x: LazyArray, source: Any, destination: Any, /) -> LazyArray:
    """Return a view with axes moved to other places."""
    rank = len(operand(x, "moveaxis").shape)
    take, put = axes_of(source, rank, "moveaxis"), axes_of(destination, rank, "moveaxis")
    if len(take) != len(put):
        raise ValueError("moveaxis(): source and destination have different lengths")
    order = [k for k in range(rank) if k not in take]
    for to, k in sorted(zip(put, take, strict=True)):
        order.insert(to, k)
    return views.transpose(x, tuple(order))


def permute_dims(x: LazyArray, /, axes: tuple[int, ...]) -> LazyArray:
    """Return a view with axes in another order."""
    rank = len(operand(x, "permute_dims").shape)
    at = axes_of(tuple(axes), rank, "permute_dims")
    if len(at) != rank:
        raise ValueError("axes don't match array")
    return views.transpose(x, at)


def matrix_transpose(x: LazyArray, /) -> LazyArray:
    """Return a view with the last two axes exchanged."""
    return views.matrix_transpose(x)


def reshape(x: LazyArray, /, shape: Any, *, copy: bool | None = None) -> LazyArray:
    """Return an array with other axes, of the same elements in the same order."""
    node = operand(x, "reshape")
    given = [operator.index(n) for n in (shape if isinstance(shape, (tuple, list)) else (shape,))]
    size = x.size
    if given.count(-1) > 1:
        raise ValueError("can only specify one unknown dimension")
    if -1 in given:
        known = 1
        for n in given:
            known *= n if n != -1 else 1
        if known == 0 or size % known:
            raise ValueError(f"cannot reshape array of size {size} into shape {tuple(given)}")
        given[given.index(-1)] = size // known
    want = tuple(given)
    total = 1
    for n in want:
        total *= n
    if total != size or any(n < 0 for n in want):
        raise ValueError(f"cannot reshape array of size {size} into shape {want}")
    if copy is False and node.op is None and not _as_view(node.value, want):
        raise ValueError("reshape(): these strides need a copy")
    out = views.reshape(x, want)
    return _copied(operand(out, "reshape")) if copy else out


def _as_view(x: Any, shape: tuple[int, ...]) -> bool:
    try:
        np.reshape(getattr(x, "_proto", x), shape, copy=False)  # of a device: its strides
    except ValueError:
        return False
    return True


def roll(x: LazyArray, /, shift: Any, *, axis: Any = None) -> LazyArray:
    """Return an array with elements moved along axes, those that leave coming in again."""
    node = operand(x, "roll")
    if axis is None:
        if isinstance(shift, (tuple, list)):
            raise ValueError("roll(): several shifts need as many axes")
        flat = roll(reshape(x, (-1,)), shift, axis=0)
        return _copied(operand(reshape(flat, node.shape), "roll"))
    given = axis if isinstance(axis, tuple) else (axis,)
    at = [axis_of(k, len(node.shape), "roll") for k in given]
    shifts = shift if isinstance(shift, (tuple, list)) else (shift,) * len(at)
    if len(shifts) != len(at):
        raise ValueError(f"roll(): {len(shifts)} shifts for {len(at)} axes")
    for k, by in zip(at, shifts, strict=True):
        n = node.shape[k]
        by = operator.index(by) % n if n else 0
        if by:
            before = (slice(None),) * k
            x = concat([x[(*before, slice(n - by, n))], x[(*before, slice(0, n - by))]], axis=k)
    return _copied(operand(x, "roll"))


def repeat(x: LazyArray, repeats: Any, /, *, axis: int | None = None) -> LazyArray:
    """Return an array with each element several times."""
    node = operand(x, "repeat")
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
        node = operand(x, "repeat")
    at = axis_of(axis, len(node.shape), "repeat")
    n = node.shape[at]
    if type(repeats) is LazyArray:
        if repeats.dtype.kind not in "iu" or repeats.ndim > 1:
            raise TypeError("repeat(): repeats are integers, along one axis")
        counts = host(repeats)
        if counts.size not in (1, n):
            raise ValueError(f"repeat(): {counts.size} repeats for {n} elements")
        if (counts < 0).any():
            raise ValueError("repeats may not contain negative values.")
        total = int(counts.sum()) if counts.size != 1 else int(counts.reshape(())) * n
        args: tuple = (node, operand(repeats, "repeat"))
        vals: tuple = ()
    else:
        count = operator.index(repeats)
        if count < 0:
            raise ValueError("repeats may not contain negative values.")
        total, args, vals = count * n, (node,), (count,)
    shape = (*node.shape[:at], total, *node.shape[at + 1 :])
    return wrap(Node("numpy", args, ("repeat", (("axis", at),)), vals, node.dtype, shape))


def tile(x: LazyArray, repetitions: Any, /) -> LazyArray:
    """Return an array that repeats another along its axes."""
    node = operand(x, "tile")
    times = tuple([operator.index(n) for n in repetitions])
    rank = max(len(times), len(node.shape))
    old = (1,) * (rank - len(node.shape)) + node.shape
    full = (1,) * (rank - len(times)) + times
    if any(n < 0 for n in full):
        raise ValueError("negative dimensions are not allowed")
    shape = tuple([m * n for m, n in zip(old, full, strict=True)])
    return wrap(Node("numpy", (node,), ("tile", ()), (times,), node.dtype, shape))
