# SPDX-License-Identifier: BSD-3-Clause
"""Where arrays are: on the CPU, or in the memory of a device, in the order of one of its queues.

A node's `queue` says where its operation is done, None on the CPU; an operation is done where its
operands are, and two places in one are an error. The value of a node on a device is a DeviceArray;
where it has no axes, the host keeps it, for a number goes to a kernel by value anyway.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._device_array import DeviceArray
from .._queue import Queue
from ..errors import ExecutionPlacementError, NoDeviceError

CPU = "cpu"


def queue_for(device: Any) -> Queue | None:
    """Return the queue that `device=` says; None for the CPU, and where nothing is said."""
    if device is None or device == CPU:
        return None
    from ..devices import Device

    if not isinstance(device, (str, Device, Queue)):
        raise ValueError(
            f"device= is 'cpu', a swathe.Device, its name or a swathe.Queue, not {device!r}"
        )
    if isinstance(device, str):
        try:
            device = Device(device)
        except NoDeviceError as e:
            raise ValueError(f"device={device!r}: {e}") from None
    found = device.device if isinstance(device, Queue) else device
    if found.is_native:
        if found.parent is not None:
            raise ValueError("lazy arrays are on the whole CPU, not on a part of its cores")
        return None
    return in_order(device) if isinstance(device, Queue) else device.queue


def in_order(queue: Queue) -> Queue:
    """Return a queue, or raise a QueueError if its work has no order."""
    from ..vendor._work import in_order as checked

    return checked(queue)


def named(queue: Queue | None) -> Any:
    """Return what `device=` takes for a queue: its device, where it is the device's own."""
    if queue is None:
        return CPU
    return queue.device if queue.device._default is queue else queue


def said(queue: Queue | None) -> str:
    """Return the name of a place for messages."""
    return "the CPU" if queue is None else queue.device.filter_string


def apart(op: str, a: Queue | None, b: Queue | None) -> None:
    """Raise: operands of an operation are in two places."""
    if a is not None and b is not None and a.device is b.device:
        both = f"two queues of {said(a)}"
    else:
        both = f"{said(a)} and {said(b)}"
    raise ExecutionPlacementError(
        f"{op}(): operands are on {both}: x.to_device(y.device) takes one to the other"
    )


def there(queue: Queue | None, x: np.ndarray) -> Any:
    """Return the host's values as a node of a place has them."""
    return x if queue is None or not x.ndim else queue.to_device(x)


def here(value: Any) -> np.ndarray:
    """Return the values of a node as a NumPy array."""
    return value.copy_to_host() if isinstance(value, DeviceArray) else value


def locked(a: DeviceArray) -> DeviceArray:
    """Return the same memory as an array that nobody writes to."""
    proto = a._proto.view()
    proto.flags.writeable = False
    return a._view(proto)


def viewed(a: DeviceArray, op: str, key: Any, shape: tuple[int, ...]) -> Any:
    """Return a view of a device's memory as a value; None where it would need a copy.

    `key` is what the view is told: a subscript, or an order of axes.
    """
    if op == "getitem":
        proto = a._proto[(*key, Ellipsis)]
    elif op == "transpose":
        proto = a._proto.transpose(key)
    elif op == "broadcast":
        proto = np.broadcast_to(a._proto, shape)
    else:
        try:
            proto = np.reshape(a._proto, shape, copy=False)
        except ValueError:
            return None
    view = a._view(proto)
    return view if view.ndim else view.copy_to_host()


def moved(value: Any, queue: Queue | None) -> Any:
    """Return a value in another place."""
    if not isinstance(value, DeviceArray):
        return there(queue, value)
    if queue is None:
        return value.copy_to_host()
    if queue.device is value.device:  # the same memory: queues wait for each other
        proto, at = value._proto, value._offset
        return DeviceArray(queue, proto, value._live(), at, value.space, value._uses)
    return queue.to_device(value)


def settled(queue: Queue | None, value: Any, dtype: np.dtype) -> Any:
    """Return what a call has yielded as the value of a node."""
    if not isinstance(value, DeviceArray):
        found = np.asarray(value).astype(dtype, copy=False)
        return there(queue, found)
    if not value.ndim:
        return value.copy_to_host().astype(dtype, copy=False)
    if value.dtype != dtype:
        from ..vendor._elements import cast

        value = cast(value.queue, value, dtype)
    return locked(value)


def of_library(x: Any, queue: Queue | None) -> Any:
    """Return an array of another library's on a device as a DeviceArray; None if it is on none."""
    if isinstance(x, DeviceArray):
        return x
    if hasattr(x, "__cuda_array_interface__"):
        return (queue or _first("cuda")).asarray(x)
    if hasattr(x, "__dlpack_device__") and not isinstance(x, (np.ndarray, np.generic)):
        kind, index = x.__dlpack_device__()
        if kind in (2, 13):
            return (queue or _first(f"cuda:{int(index)}")).asarray(x)
    return None


def _first(name: str) -> Queue:
    from ..devices import Device

    return Device(name).queue
