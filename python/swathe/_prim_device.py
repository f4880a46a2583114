# SPDX-License-Identifier: BSD-3-Clause
"""Primitives that Python calls with arrays of a device: their results stay there.

Orders and selections of vectors are kernels of their own, by radix (`swathe.vendor.sorting`), and
so are reductions, scans and compactions (`_prim_device_scan`). All others are the functions of
`swathe.prim`, whose parallel loops run on the device.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ._device_array import DeviceArray

KINDS = "iufb"  # of keys that are sorted by radix

_signature = functools.cache(inspect.signature)


def call(
    function: Any,
    args: tuple[Any, ...],
    names: dict[str, Any],
    queue: Any,
    plain: Callable[[], Any],
) -> Any:
    """Call a primitive, some of whose arguments are arrays of a queue's device.

    Parameters
    ----------
    plain : callable
        Calls the function, and yields what is new as arrays of the device, or of the host.
    """
    own = OWN.get(function.__name__)
    if own is not None and queue.in_order:
        try:
            given = _signature(function.py_func).bind(*args, **names)
        except TypeError:
            return plain()  # which says what is wrong
        given.apply_defaults()
        found = own(**{k: _on(queue, a) for k, a in given.arguments.items()})
        if found is not NotImplemented:
            return found
    return _there(queue, plain())


def _on(queue: Any, a: Any) -> Any:
    """An array of a device as one of the queue that the call runs on; anything else as it is."""
    if not isinstance(a, DeviceArray) or a.queue is queue:
        return a
    return DeviceArray(queue, a._proto, a._memory, a._offset, a.space, a._uses)


def _there(queue: Any, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return queue.to_device(value)
    if type(value) is tuple:
        return tuple([_there(queue, part) for part in value])
    return value


def _is_vector(x: Any) -> bool:
    return isinstance(x, DeviceArray) and x.ndim == 1


def _is_key(x: Any) -> bool:
    return _is_vector(x) and x.dtype.kind in KINDS and x.dtype.itemsize <= 8


def _is_place(k: Any) -> bool:
    return isinstance(k, (int, np.integer)) and not isinstance(k, bool)


def _sort(x: Any, axis: Any) -> Any:
    from .vendor import sorting

    if not _is_key(x) or axis not in (-1, 0, None):
        return NotImplemented
    return sorting.sort(x)


def _argsort(x: Any, axis: Any) -> Any:
    from .vendor import sorting

    if not _is_key(x) or axis not in (-1, 0, None):
        return NotImplemented
    return sorting.argsort(x)


def _sort_by_key(keys: Any, values: Any, axis: Any) -> Any:
    from .vendor import sorting

    if not (_is_key(keys) and isinstance(values, DeviceArray) and axis in (-1, 0)):
        return NotImplemented
    if values.shape != keys.shape:
        return NotImplemented
    return sorting.sort_by_key(keys, values)


def _kselect(x: Any, k: Any, axis: Any) -> Any:
    from .vendor import sorting

    if not (_is_key(x) and _is_place(k) and axis in (-1, 0) and -x.size <= k < x.size):
        return NotImplemented
    return sorting.kth(x, int(k) % x.size)


def _topk(x: Any, k: Any, largest: Any, axis: Any) -> Any:
    from .vendor import sorting

    if not (_is_key(x) and _is_place(k) and axis in (-1, 0) and 0 <= k <= x.size):
        return NotImplemented
    places = sorting.select_places(x, int(k), bool(largest))
    return sorting.take(x, places), places


def _plain(op: Any) -> Any:
    """The builtins are NumPy's, which NaN wins."""
    return np.maximum if op is max else np.minimum if op is min else op


def _scan(op: Any, x: Any, init: Any, inclusive: Any, axis: Any) -> Any:
    from ._prim_device_scan import scan

    if not _is_vector(x) or axis not in (-1, 0, None) or (not inclusive and init is None):
        return NotImplemented
    return scan(_plain(op), x, init, bool(inclusive))


def _reduce(op: Any, x: Any, init: Any, axis: Any) -> Any:
    from ._prim_device_scan import reduced

    if not isinstance(x, DeviceArray) or not x.size or not x.flags.c_contiguous:
        return NotImplemented
    if axis is not None and (x.ndim != 1 or axis not in (-1, 0)):
        return NotImplemented
    return reduced(_plain(op), x.reshape(-1), init)


def _mask_of(x: Any, mask: Any) -> Any:
    """A mask of a vector that is on its device, if there is one."""
    from . import prim

    if not _is_vector(x) or not x.size:
        return None
    if not isinstance(mask, DeviceArray) and callable(mask):
        mask = prim.map(mask, x)
    fits = isinstance(mask, DeviceArray) and mask.shape == x.shape and mask.queue is x.queue
    return mask if fits and mask.dtype == np.bool_ else None


def _compact(x: Any, mask: Any) -> Any:
    from ._prim_device_scan import compacted

    found = _mask_of(x, mask)
    return NotImplemented if found is None else compacted(x, found)


def _partition(x: Any, pred: Any) -> Any:
    from ._prim_device_scan import partitioned

    found = None if isinstance(pred, DeviceArray) else _mask_of(x, pred)
    return NotImplemented if found is None else partitioned(x, found)


OWN: dict[str, Callable[..., Any]] = {
    "compact": _compact,
    "partition": _partition,
    "reduce": _reduce,
    "scan": _scan,
    "sort": _sort,
    "argsort": _argsort,
    "sort_by_key": _sort_by_key,
    "kselect": _kselect,
    "topk": _topk,
}
