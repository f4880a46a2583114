# SPDX-License-Identifier: BSD-3-Clause
"""Views: parts of an array, other orders of its axes; and what assignments to them do.

A view of an array in memory is NumPy's view of it. A view of a node is a node. An array that is a
view remembers of which array, so that an assignment to either is seen by both, as in NumPy: nodes
never change, and an assignment gives the array another node.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .._core import lazy_subscript as subscript
from . import dtypes, placed
from .array import LazyArray, beside, host, wrap
from .elementwise import operand, shape_of
from .node import Node, leaf

READ_ONLY = "assignment destination is read-only"


_UNSURE = "whether NumPy would share memory depends on strides; use xp.reshape(x, shape, copy=True)"
TORN: Any = object()  # in place of an array's base: reading the array is an error


def _surely_shared(base: LazyArray) -> bool:
    """Tell whether NumPy would make a view of an array when it is reshaped."""
    node = base._node
    if node.op is None and len(node.shape) == 1:
        return bool(node.value.flags.c_contiguous)
    return not node.shape or base._base is None and len(node.shape) == 1


def _tear(x: Any) -> None:
    """Make an array and those that it is a view of unreadable."""
    while x is not None and x is not TORN:
        base, x._base = x._base, TORN
        x = base


def fresh(x: LazyArray) -> Node:
    """Return the node of a view, of what its array has become meanwhile."""
    if x._base is TORN:
        raise ValueError(f"this array was reshaped, and what came of it was assigned to: {_UNSURE}")
    chain = [x]  # of views, which loops make long
    while (base := chain[-1]._base)._base is not None and base._base is not TORN:
        chain.append(base)
    if base._base is TORN:
        return fresh(base)
    for v in chain[::-1]:
        node = v._base._node
        if node is not v._seen:
            if v._way[0] == "reshape" and not _surely_shared(v._base):
                raise ValueError(f"an array was assigned to after it was reshaped: {_UNSURE}")
            v._seen = node
            v._node = _viewed(node, *v._way)
    return x._node


def _viewed(node: Node, op: str, par: tuple, vals: tuple, shape: tuple[int, ...]) -> Node:
    if node.op is None and node.queue is None:
        return leaf(_of_memory(node.value, op, par, vals, shape))
    if node.op is None:
        found = _of_device(node.value, op, par, vals, shape)
        if found is not None:
            return leaf(found, node.queue)
    return Node(op, (node,), par, vals, node.dtype, shape)


def _of_memory(x: np.ndarray, op: str, par: tuple, vals: tuple, shape: tuple) -> np.ndarray:
    if op == "getitem":
        return np.asarray(x[_subscript(par, vals)])
    if op == "transpose":
        return np.transpose(x, par)
    return np.reshape(x, shape) if op == "reshape" else np.broadcast_to(x, shape)


def _of_device(x: Any, op: str, par: tuple, vals: tuple, shape: tuple) -> Any:
    """The same of the value of a node on a device; None where it would need a copy."""
    if isinstance(x, np.ndarray):  # a number, which gets axes
        return None if shape else _of_memory(x, op, par, vals, shape)
    return placed.viewed(x, op, _subscript(par, vals) if op == "getitem" else par, shape)


def _subscript(par: tuple, vals: tuple) -> tuple:
    rest = iter(vals)
    key: list[Any] = []
    for kind, *more in par:
        if kind == "i":
            key.append(next(rest))
        elif kind == "n":
            key.append(None)
        else:
            step, has_start, has_stop = more
            start = next(rest) if has_start else None
            key.append(slice(start, next(rest) if has_stop else None, step))
    return tuple(key)


def view(x: LazyArray, op: str, par: tuple, vals: tuple, shape: tuple[int, ...]) -> LazyArray:
    """Return a view of an array."""
    node = operand(x, op)
    out = wrap(_viewed(node, op, par, vals, shape))
    out._base = x
    out._way = (op, par, vals, shape)
    out._seen = node
    return out


def transpose(x: LazyArray, order: tuple[int, ...]) -> LazyArray:
    """Return a view with axes in another order."""
    return view(x, "transpose", order, (), tuple([x.shape[k] for k in order]))


def matrix_transpose(x: LazyArray, said: str = "matrix_transpose()") -> LazyArray:
    """Return a view with the last two axes exchanged."""
    node = operand(x, said)
    rank = len(node.shape)
    if rank < 2:
        raise ValueError(f"{said} needs 2 axes or more, not {rank}")
    return transpose(x, (*range(rank - 2), rank - 1, rank - 2))


def reshape(x: LazyArray, shape: tuple[int, ...]) -> LazyArray:
    """Return a view with other axes."""
    return view(x, "reshape", (len(shape),), shape, shape)


def broadcast(x: LazyArray, shape: tuple[int, ...]) -> LazyArray:
    """Return a view that repeats axes of one element."""
    if operand(x, "broadcast_to").shape == shape:
        return x
    return view(x, "broadcast", (len(shape),), shape, shape)


# ---- indices ----


def getitem(x: LazyArray, key: Any) -> LazyArray:
    """Return x[key]."""
    keys = key if type(key) is tuple else (key,)
    for k in keys:
        if _is_array(k):
            plain = _plain(x, keys)
            return beside(x, np.array(host(x)[plain]))
    par, vals, shape = _parsed(x.shape, keys)
    out = view(x, "getitem", par, vals, shape)
    if not shape and Ellipsis not in keys:
        out._base = None  # NumPy makes a number of it, no view
    return out


def _is_array(k: Any) -> bool:
    if type(k) is LazyArray:
        return bool(k._node.shape) or k.dtype.kind == "b"
    return isinstance(k, (bool, np.bool_, np.ndarray, list))


def _plain(x: LazyArray, keys: tuple) -> Any:
    """Return indices as NumPy's."""
    for k in keys:
        if type(k) is LazyArray and k.dtype.kind not in "iub":
            raise IndexError(f"arrays of integers and of bools are indices, not of {k.dtype}")
        if isinstance(k, (np.ndarray, list)):
            raise IndexError(f"{type(k).__name__} as an index: make it lazy by swathe.lazy(x)")
        if type(k) is LazyArray and k._node.queue is not x._node.queue:
            placed.apart("x[key]", x._node.queue, k._node.queue)
    return tuple([host(k) if type(k) is LazyArray else k for k in keys])


def _parsed(shape: tuple[int, ...], keys: tuple) -> tuple[tuple, tuple, tuple[int, ...]]:
    """Return what a subscript without arrays says: its kinds, its numbers, and the shape."""
    used = sum([k is not None and k is not Ellipsis for k in keys])
    if used > len(shape):
        raise IndexError(
            f"too many indices for array: array is {len(shape)}-dimensional, but {used} were "
            "indexed"
        )
    dots = sum([k is Ellipsis for k in keys])
    if dots > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    whole = slice(None)
    rest = (whole,) * (len(shape) - used)
    if dots:
        at = [k is Ellipsis for k in keys].index(True)
        keys = keys[:at] + rest + keys[at + 1 :]
    else:
        keys = keys + rest
    par: list[tuple] = []
    vals: list[int] = []
    out: list[int] = []
    axis = 0
    for k in keys:
        if k is None:
            par.append(("n",))
            out.append(1)
            continue
        n = shape[axis]
        if isinstance(k, slice):
            out.append(_slice(k, n, par, vals))
        else:
            par.append(("i",))
            vals.append(_place(k, n, axis))
        axis += 1
    return tuple(par), tuple(vals), tuple(out)


def _place(k: Any, n: int, axis: int) -> int:
    try:
        at = operator.index(k)
    except TypeError:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and integer or boolean arrays "
            f"are valid indices, not {type(k).__name__}"
        ) from None
    if not -n <= at < n:
        raise IndexError(f"index {at} is out of bounds for axis {axis} with size {n}")
    return at + n if at < 0 else at


def _slice(k: slice, n: int, par: list[tuple], vals: list[int]) -> int:
    start, stop, step = k.indices(n)
    size = len(range(start, stop, step))
    if size == 0:
        start = stop = 0
    first, last = (0, n) if step > 0 else (n - 1, -1)
    has_start = start != first or size == 0
    has_stop = stop != last or size == 0
    if has_start:
        vals.append(start)
    if has_stop:
        vals.append(stop)
    par.append(("s", step, has_start, has_stop))
    return size


# ---- assignments ----


def assign(x: LazyArray, node: Node) -> None:
    """Give an array another node, and, if it is a view, the array that it is a view of."""
    if x._base is not None:
        _put(x, [], node, node.shape)
    if x._base is not None:
        x._seen = fresh(x._base) if x._base._base is not None else x._base._node
    x._node = node


def _put(x: LazyArray, ways: list[tuple], given: Any, shape: tuple[int, ...]) -> None:
    """Assign to a view of a shape, which ways lead to, in the array that has the memory."""
    while x._base is not None:
        op = "" if x._base is TORN else x._way[0]
        if op == "broadcast":
            raise ValueError(READ_ONLY)
        if op == "" or op == "reshape" and not _surely_shared(x._base):
            x._node = fresh(x)
            _tear(x._base)
            x._base = None
            break
        if not x._node.shape:
            ways, given = [], _as_one(given)
        ways = [x._way[:3], *ways]
        x = x._base
    node = x._node
    if not ways or 0 in shape:
        return
    if not node.shape:
        x._node = _whole(node, _as_one(given))
    else:
        par = tuple([way[:2] for way in ways])
        vals = tuple([n for way in ways for n in way[2]])
        x._node = Node("put", (node, given), par, vals, node.dtype, node.shape)


def _as_one(given: Any) -> Any:
    """What is assigned to the one element of a view without axes, by whatever views of that."""
    return _viewed(given, "reshape", (0,), (), ()) if type(given) is Node and given.shape else given


def setitem(x: LazyArray, key: Any, new: Any) -> None:
    """Do x[key] = new."""
    node = operand(x, "x[key] = value")
    given = _given(node, new)
    keys = key if type(key) is tuple else (key,)
    known = subscript(node.shape, keys)
    if known is None and any(_is_array(k) for k in keys):
        assign(x, _masked(x, node, keys, given))
        return
    par, vals, shape = known or _parsed(node.shape, keys)
    if type(given) is Node and given.shape != shape:
        _must_fit(given.shape, shape)
    if type(new) is LazyArray and _is_part(new, x, par, vals):
        return  # as x[key] += ... does, whose view has been assigned to already
    if shape == node.shape and not vals and all(p == ("s", 1, False, False) for p in par):
        assign(x, _whole(node, given))
        return
    _put(x, [("getitem", par, vals)], given, shape)


def _is_part(new: LazyArray, x: LazyArray, par: tuple, vals: tuple) -> bool:
    """Tell whether an array is what a subscript of another one is, which is no view itself."""
    if new._base is not x or x._base is not None or new._seen is not x._node:
        return False
    return new._way[:3] == ("getitem", par, vals)


def _given(node: Node, new: Any) -> Any:
    """Return what is assigned as a node of the array's dtype, or a number."""
    if type(new) is not LazyArray:
        dtype = dtypes.weak(new, node.dtype)
        if dtype != node.dtype:
            raise TypeError(f"a Python {type(new).__name__} assigned to an array of {node.dtype}")
        return dtypes.number(new, dtype)
    given = operand(new, "x[key] = value")
    if given.dtype == node.dtype:
        return given
    if dtypes.promote(given.dtype, node.dtype) != node.dtype:
        raise TypeError(
            f"an array of {given.dtype} assigned to one of {node.dtype}: convert it with astype"
        )
    return Node("astype", (given,), (node.dtype.name,), (), node.dtype, given.shape)


def _must_fit(given: tuple[int, ...], shape: tuple[int, ...]) -> None:
    try:
        fits = shape_of(given, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"could not broadcast input array from shape {given} into shape {shape}")


def _whole(node: Node, given: Any) -> Node:
    if type(given) is Node and given.shape == node.shape:
        return given
    if not node.shape:
        return Node("full", (given,), (0,), (), node.dtype, ())
    args = given if type(given) is Node else given
    return Node("full", (args,), (len(node.shape),), node.shape, node.dtype, node.shape)


def _masked(x: LazyArray, node: Node, keys: tuple, given: Any) -> Node:
    """Return an array with places changed that arrays name."""
    mask = keys[0]
    alone = len(keys) == 1 and type(mask) is LazyArray and mask.dtype.kind == "b"
    if alone and not (type(given) is Node and given.shape):
        if mask.shape != node.shape[: mask.ndim]:
            axis = [*map(operator.eq, mask.shape, node.shape), False].index(False)
            raise IndexError(
                f"boolean index of shape {mask.shape} did not match array of shape {node.shape} "
                f"along axis {axis}"
            )
        if mask.ndim < len(node.shape):
            mask = mask[(..., *[None] * (len(node.shape) - mask.ndim))]
        return Node("where", (operand(mask, "x[key]"), given, node), (), (), node.dtype, node.shape)
    if type(given) is Node and given.queue is not node.queue:
        placed.apart("x[key] = value", node.queue, given.queue)
    out = np.array(host(x))
    out[_plain(x, keys)] = host(wrap(given)) if type(given) is Node else given
    return leaf(placed.there(node.queue, out), node.queue)
