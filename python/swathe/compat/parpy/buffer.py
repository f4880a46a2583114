# SPDX-License-Identifier: BSD-3-Clause
"""Buffers: on the CPU they are NumPy arrays, in place; on a device its arrays."""

from typing import Any

import numpy as np

from swathe import njit
from swathe._device_array import DeviceArray, foreign

from . import backends
from .backend import queue_of


class Buffer(np.ndarray):
    """An array with ParPy's methods. Compiled code takes it as the array that it is."""

    _swathe_array = True
    backend = backends.Cpu

    def sync(self) -> None:
        """Wait for nothing: calls are over when they return."""

    def numpy(self) -> Any:
        """Return the array, not copied."""
        return self.view(np.ndarray)

    def torch(self) -> Any:
        """Return it as a PyTorch tensor, not copied."""
        import torch

        return torch.from_numpy(self.numpy())

    def with_type(self, dtype: Any) -> "Buffer":
        """Return it converted to another dtype."""
        return self.astype(_dtype(dtype)).view(Buffer)


class DeviceBuffer(DeviceArray):
    """An array of a device with ParPy's methods. Functions that are given it run there."""

    @property
    def backend(self) -> str:
        """The name of its backend."""
        return self.device.backend

    def sync(self) -> None:
        """Wait for the work on it; raise its errors."""
        self.queue.sync()

    def torch(self) -> Any:
        """Return a PyTorch tensor: the same memory on a CUDA device, a copy elsewhere."""
        import torch

        if self.backend == backends.Cuda:
            return torch.as_tensor(self, device="cuda")
        return torch.from_numpy(self.copy_to_host())

    def copy(self) -> "DeviceBuffer":
        """Return a new buffer with the same elements."""
        new = _new(self.queue, self.shape, self.dtype)
        self.queue.copy(new, self)
        return new

    def with_type(self, dtype: Any) -> "DeviceBuffer":
        """Return it converted to another dtype, by the device."""
        new = _new(self.queue, self.shape, _dtype(dtype))
        _convert(new, self)
        return new


@njit(parallel=True)
def _convert(to: Any, source: Any) -> None:
    to[...] = source.astype(to.dtype)


def _dtype(dtype: Any) -> Any:
    return np.dtype(getattr(dtype, "_swathe_dtype", dtype))


def _as_buffer(a: DeviceArray) -> DeviceBuffer:
    return DeviceBuffer(a.queue, a._proto, a._memory, a._offset, a.space)


def _new(queue: Any, shape: Any, dtype: Any) -> DeviceBuffer:
    return _as_buffer(queue.empty(shape, dtype))


def from_array(t: Any, backend: Any = None) -> Any:
    """Return a buffer of an array: over its memory where that is the backend's, else a copy.

    >>> import numpy as np
    >>> x = np.zeros(3)
    >>> from_array(x, "cpu")[0] = 1.0
    >>> x
    array([1., 0., 0.])
    """
    if isinstance(t, DeviceArray) and backend in (None, t.device.backend):
        return _as_buffer(t)
    queue = queue_of(backend)
    if isinstance(t, DeviceArray):
        t = t.copy_to_host()
    if queue is None:
        return np.asarray(t).view(Buffer)
    known = foreign(queue, t)
    if isinstance(known, DeviceArray):
        return _as_buffer(known)
    return _as_buffer(queue.to_device(t if known is None else known))


def empty(shape: Any, dtype: Any, backend: Any = None) -> Any:
    """Return a new buffer, not filled."""
    queue = queue_of(backend)
    if queue is None:
        return np.empty(shape, _dtype(dtype)).view(Buffer)
    return _new(queue, shape, _dtype(dtype))


def zeros(shape: Any, dtype: Any, backend: Any = None) -> Any:
    """Return a new buffer of zeros."""
    queue = queue_of(backend)
    if queue is None:
        return np.zeros(shape, _dtype(dtype)).view(Buffer)
    return _new(queue, shape, _dtype(dtype)).fill(0)


def empty_like(b: Any) -> Any:
    """Return a new buffer like another one, where it is, not filled."""
    if isinstance(b, DeviceArray):
        return _new(b.queue, b.shape, b.dtype)
    return empty(b.shape, b.dtype, backends.Cpu)


def zeros_like(b: Any) -> Any:
    """Return a new buffer like another one, where it is, of zeros."""
    if isinstance(b, DeviceArray):
        return _new(b.queue, b.shape, b.dtype).fill(0)
    return zeros(b.shape, b.dtype, backends.Cpu)


def sync(backend: Any = None) -> None:
    """Wait for the work of a backend; raise its errors."""
    queue = queue_of(backend)
    if queue is not None:
        queue.sync()
