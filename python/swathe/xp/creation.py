# SPDX-License-Identifier: BSD-3-Clause
"""Functions that make arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._lazy import dtypes, views
from .._lazy.array import LazyArray, host, of_device, of_numpy, wrap
from .._lazy.elementwise import operand
from .._lazy.node import Node, leaf
from .._lazy.placed import apart, of_library, queue_for, there

_NUMBERS = (bool, int, float, complex)
_DEFAULT = {bool: dtypes.bool, int: dtypes.int64, float: dtypes.float64, complex: dtypes.complex128}
_cast: Any = None


def _default(x: Any) -> np.dtype:
    for kind, dtype in _DEFAULT.items():
        if isinstance(x, kind):
            return dtype
    raise TypeError(f"{type(x).__name__} is no Python number")


def sizes(shape: Any, name: str) -> tuple[int, ...]:
    """Return a shape as a tuple of ints."""
    import operator

    out = []
    for n in shape if isinstance(shape, (tuple, list)) else (shape,):
        try:
            out.append(operator.index(n))
        except TypeError:
            raise TypeError(f"{name}(): sizes are integers, not {type(n).__name__}") from None
        if out[-1] < 0:
            raise ValueError(f"{name}(): negative dimensions are not allowed: {shape}")
    return tuple(out)


def asarray(
    obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None
) -> LazyArray:
    """Return an array of an array, a number, or nested sequences of numbers.

    It is where `device` says; else where what is given is.
    """
    queue = queue_for(device)
    want = None if dtype is None else dtypes.checked(dtype)
    if type(obj) is LazyArray:
        x = obj
    elif isinstance(obj, np.ndarray):
        x = of_numpy(obj)
    elif (found := of_library(obj, queue)) is not None:
        x = of_device(found, queue if queue and queue.device is found.device else None)
    elif hasattr(obj, "__dlpack__") or hasattr(obj, "__array_interface__"):
        x = of_numpy(_foreign(obj))
    elif isinstance(obj, (memoryview, bytearray)) or hasattr(obj, "__buffer__"):
        x = of_numpy(np.asarray(obj))
    else:
        return _of_sequence(obj, want, copy, device)
    if device is not None and x._node.queue is not queue:
        if copy is False:
            raise ValueError("asarray(): an array in another place is a copy")
        x, copy = x.to_device(device), None
    node = operand(x, "asarray")
    if want is not None and want != node.dtype:
        if copy is False:
            raise ValueError(f"asarray(): {want} of {node.dtype} needs a copy")
        if x is not obj and node.queue is None:  # the array may change from now on
            return wrap(leaf(node.value.astype(want)))
        return _astype(node, want)
    return _copied(node) if copy else x


def _foreign(obj: Any) -> np.ndarray:
    if not hasattr(obj, "__dlpack__") or isinstance(obj, np.generic):
        return np.asarray(obj)
    return np.from_dlpack(obj)


def _copied(node: Node) -> LazyArray:
    """An array of its own: nodes never change, so that only memory of others is copied."""
    if node.op is None:
        return wrap(leaf(node.value.copy(), node.queue))
    return wrap(node)


def _of_sequence(obj: Any, want: np.dtype | None, copy: bool | None, device: Any) -> LazyArray:
    if copy is False:
        raise ValueError(f"asarray(): a {type(obj).__name__} needs a copy")
    found: list[Any] = []
    plain = _numbers(obj, found)
    arrays = [x for x in found if type(x) is LazyArray]
    if want is None:
        want = _kind_of(found, arrays, plain)
    places = [x._node.queue for x in arrays]
    queue = queue_for(device) if device is not None or not places else places[0]
    if device is None and any(q is not queue for q in places):
        apart("asarray", queue, next(q for q in places if q is not queue))
    return _made(np.array(plain, dtype=want), queue)


def _kind_of(found: list[Any], arrays: list[Any], plain: Any) -> np.dtype:
    """The dtype of a sequence: numbers of NumPy have one, as in NumPy."""
    theirs = {x.dtype for x in found if isinstance(x, np.generic)}
    kinds = {type(x) for x in found if type(x) is not LazyArray and not isinstance(x, np.generic)}
    if arrays:
        numbers = [k(0) for k in kinds]
        return dtypes.result_type(*[x.dtype for x in arrays], *theirs, *numbers)
    if theirs:
        return dtypes.checked(np.asarray(plain).dtype)
    order = [complex, float, int, bool]
    return next((_DEFAULT[k] for k in order if k in kinds), dtypes.float64)


def _numbers(obj: Any, found: list[Any]) -> Any:
    """Return nested lists of numbers; gather what there is."""
    if isinstance(obj, (*_NUMBERS, np.generic)):
        found.append(obj)
        if isinstance(obj, np.generic) and obj.dtype not in dtypes.ALL:
            raise TypeError(f"asarray(): {obj.dtype} is no dtype of the array API standard")
        return obj
    if type(obj) is LazyArray:
        found.append(obj)
        return host(obj)
    if isinstance(obj, np.ndarray):
        found.append(of_numpy(obj))
        return obj
    if isinstance(obj, (list, tuple, range)):
        return [_numbers(x, found) for x in obj]
    raise TypeError(f"asarray() takes arrays, numbers and sequences, not {type(obj).__name__}")


def _astype(node: Node, dtype: np.dtype) -> LazyArray:
    op = "astype" if node.shape else "scalar_as"
    return wrap(Node(op, (node,), (dtype.name,), (), dtype, node.shape))


def astype(x: LazyArray, dtype: Any, /, *, copy: bool = True, device: Any = None) -> LazyArray:
    """Return an array with its elements converted, on a device if that is said."""
    node = operand(x, "astype")
    want = dtypes.checked(dtype)
    if node.dtype.kind == "c" and want.kind not in "c":
        raise TypeError(f"astype(): {node.dtype} to {want}: take xp.real(x) or xp.imag(x) first")
    out = _astype(node, want) if want != node.dtype else _copied(node) if copy else x
    return out if device is None else out.to_device(device)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> LazyArray:
    """Return an array of one number."""
    queue = queue_for(device)
    if type(fill_value) is LazyArray:
        fill_value = fill_value.compute()[()].item()
    found = _default(fill_value) if dtype is None else dtypes.checked(dtype)
    if found.kind in "iu" and isinstance(fill_value, int):
        number = dtypes.number(fill_value, found)
    else:
        number = found.type(fill_value)
    return _filled(sizes(shape, "full"), number, found, queue)


def _filled(shape: tuple[int, ...], number: Any, dtype: np.dtype, queue: Any) -> LazyArray:
    if not shape:
        return wrap(leaf(np.array(number, dtype), queue))
    node = Node("full", (number,), (len(shape),), shape, dtype, shape)
    node.queue = queue
    return wrap(node)


def _made(x: np.ndarray, queue: Any) -> LazyArray:
    """An array of values that the host has made."""
    return wrap(leaf(there(queue, x), queue))


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> LazyArray:
    """Return an array of zeros."""
    queue = queue_for(device)
    found = dtypes.float64 if dtype is None else dtypes.checked(dtype)
    return _filled(sizes(shape, "zeros"), found.type(0), found, queue)


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> LazyArray:
    """Return an array of ones."""
    queue = queue_for(device)
    found = dtypes.float64 if dtype is None else dtypes.checked(dtype)
    return _filled(sizes(shape, "ones"), found.type(1), found, queue)


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> LazyArray:
    """Return an array whose elements nobody has said; they are zeros."""
    return zeros(shape, dtype=dtype, device=device)


def _like(make: Any) -> Any:
    def like(x: LazyArray, /, *, dtype: Any = None, device: Any = None) -> LazyArray:
        node = operand(x, make.__name__ + "_like")
        where = x.device if device is None else device
        return make(node.shape, dtype=node.dtype if dtype is None else dtype, device=where)

    like.__name__ = like.__qualname__ = make.__name__ + "_like"
    like.__doc__ = make.__doc__.replace("an array", "an array of another's shape and dtype,")
    return like


zeros_like, ones_like, empty_like = _like(zeros), _like(ones), _like(empty)


def full_like(
    x: LazyArray, /, fill_value: Any, *, dtype: Any = None, device: Any = None
) -> LazyArray:
    """Return an array of one number, of another's shape and dtype."""
    node = operand(x, "full_like")
    where = x.device if device is None else device
    return full(node.shape, fill_value, dtype=node.dtype if dtype is None else dtype, device=where)


def arange(
    start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None
) -> LazyArray:
    """Return numbers from start up to, and without, stop."""
    queue = queue_for(device)
    if stop is None:
        start, stop = 0, start
    if dtype is None:
        whole = all(isinstance(x, int) for x in (start, stop, step))
        found = dtypes.int64 if whole else dtypes.float64
    else:
        found = dtypes.checked(dtype)
        if found.kind not in "iuf":
            raise TypeError(f"arange() takes real numeric dtypes, not {found}")
    if step == 0:
        raise ValueError("arange(): step is zero")
    if found.kind in "iu" and not all(isinstance(x, int) for x in (start, stop, step)):
        return _made(np.arange(start, stop, step, dtype=found), queue)  # cut, then added up
    made = np.arange(start, stop, step)
    return _made(made.astype(found, copy=False), queue)


def linspace(
    start: Any,
    stop: Any,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: bool = True,
) -> LazyArray:
    """Return numbers at equal distances."""
    queue = queue_for(device)
    if dtype is None:
        is_complex = isinstance(start, complex) or isinstance(stop, complex)
        found = dtypes.complex128 if is_complex else dtypes.float64
    else:
        found = dtypes.checked(dtype)
    return _made(np.linspace(start, stop, num, endpoint=endpoint, dtype=found), queue)


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None
) -> LazyArray:
    """Return a matrix with ones on a diagonal."""
    queue = queue_for(device)
    found = dtypes.float64 if dtype is None else dtypes.checked(dtype)
    return _made(np.eye(n_rows, n_cols, k=k, dtype=found), queue)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> LazyArray:
    """Return an array of another library's, of the same memory, unless a device is said that it
    isn't on."""
    if type(x) is LazyArray or (found := of_library(x, queue_for(device))) is not None:
        return asarray(x if type(x) is LazyArray else found, device=device, copy=copy)
    made = np.from_dlpack(x, copy=copy) if copy is not None else np.from_dlpack(x)
    return asarray(of_numpy(made), device=device)


def meshgrid(*arrays: LazyArray, indexing: str = "xy") -> tuple[LazyArray, ...]:
    """Return the coordinates of a grid."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid(): indexing is 'xy' or 'ij', not {indexing!r}")
    nodes = [operand(x, "meshgrid") for x in arrays]
    for node in nodes:
        if len(node.shape) != 1:
            raise ValueError(f"meshgrid() takes arrays of one axis, not of {len(node.shape)}")
    if len({n.dtype for n in nodes}) > 1:
        raise ValueError("meshgrid() takes arrays of one dtype")
    order = list(range(len(nodes)))
    if indexing == "xy" and len(nodes) > 1:
        order[:2] = [1, 0]
    shape = tuple([nodes[k].shape[0] for k in order])
    out = []
    for k, x in enumerate(arrays):
        key = tuple([slice(None) if j == k else None for j in order])
        out.append(_copied(operand(views.broadcast(x[key], shape), "meshgrid")))
    return tuple(out)


def _triangle(name: str) -> Any:
    def triangle(x: LazyArray, /, *, k: int = 0) -> LazyArray:
        node = operand(x, name)
        if len(node.shape) < 2:
            raise ValueError(f"{name}() needs 2 axes or more, not {len(node.shape)}")
        return wrap(Node("numpy", (node,), (name, ()), (int(k),), node.dtype, node.shape))

    triangle.__name__ = triangle.__qualname__ = name
    part = "below" if name == "tril" else "above"
    triangle.__doc__ = f"Return matrices with zeros but on and {part} a diagonal."
    return triangle


tril, triu = _triangle("tril"), _triangle("triu")
