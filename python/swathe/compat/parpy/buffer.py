# SPDX-License-Identifier: BSD-3-Clause
"""Buffers: on the CPU they are NumPy arrays, in place."""

from typing import Any

import numpy as np

from . import backends


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


def _dtype(dtype: Any) -> Any:
    return np.dtype(getattr(dtype, "_swathe_dtype", dtype))


def from_array(t: Any, backend: Any = None) -> Buffer:
    """Return a buffer over an array's memory."""
    return np.asarray(t).view(Buffer)


def empty(shape: Any, dtype: Any, backend: Any = None) -> Buffer:
    """Return a new buffer, not filled."""
    return np.empty(shape, _dtype(dtype)).view(Buffer)


def zeros(shape: Any, dtype: Any, backend: Any = None) -> Buffer:
    """Return a new buffer of zeros."""
    return np.zeros(shape, _dtype(dtype)).view(Buffer)


def empty_like(b: Any) -> Buffer:
    """Return a new buffer like another one, not filled."""
    return empty(b.shape, b.dtype)


def zeros_like(b: Any) -> Buffer:
    """Return a new buffer like another one, of zeros."""
    return zeros(b.shape, b.dtype)


def sync(backend: Any = None) -> None:
    """Wait for nothing: calls are over when they return."""
