# SPDX-License-Identifier: BSD-3-Clause
"""Storage: a flat array, and a shape and strides that say how an index finds its place in it.

Strides count elements. An axis that is broadcast has a stride of 0, so a view, a transpose and a
broadcast are the same thing to the loops of `on_host` and `on_grid`.
"""

from __future__ import annotations

import math

import numpy as np


def contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of elements that lie one after the other."""
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= n
    return tuple(reversed(strides))


def broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that two shapes broadcast to."""
    n = max(len(a), len(b))
    a, b = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
    if any(x != y and 1 not in (x, y) for x, y in zip(a, b, strict=True)):
        raise ValueError(f"shapes {a} and {b} do not broadcast")
    return tuple(max(x, y) if 0 not in (x, y) else 0 for x, y in zip(a, b, strict=True))


class Storage:
    """Elements, and how they are arranged."""

    def __init__(
        self, data: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...] | None = None
    ) -> None:
        self.data = data
        self.shape = shape
        self.strides = contiguous(shape) if strides is None else strides

    @staticmethod
    def empty(shape: tuple[int, ...]) -> Storage:
        """Return room for a shape."""
        return Storage(np.empty(math.prod(shape)), shape)

    @staticmethod
    def of(values: object) -> Storage:
        """Return a copy of numbers, nested lists or an array."""
        array = np.array(values, dtype=np.float64)
        return Storage(array.reshape(-1), array.shape)

    @property
    def size(self) -> int:
        """How many elements the shape has."""
        return math.prod(self.shape)

    def is_contiguous(self) -> bool:
        """Whether the elements lie one after the other."""
        return self.strides == contiguous(self.shape) and len(self.data) == self.size

    def broadcast_to(self, shape: tuple[int, ...]) -> Storage:
        """Return the same elements as a larger shape, without a copy."""
        lead = len(shape) - len(self.shape)
        own, strides = (1,) * lead + self.shape, (0,) * lead + self.strides
        if lead < 0 or any(a != b and a != 1 for a, b in zip(own, shape, strict=True)):
            raise ValueError(f"shape {self.shape} does not broadcast to {shape}")
        new = tuple(s if a == b else 0 for a, b, s in zip(own, shape, strides, strict=True))
        return Storage(self.data, shape, new)

    def permute(self, *order: int) -> Storage:
        """Return the same elements with the axes in another order."""
        if sorted(order) != list(range(len(self.shape))):
            raise ValueError(f"{order} is no order of {len(self.shape)} axes")
        return Storage(
            self.data, tuple(self.shape[k] for k in order), tuple(self.strides[k] for k in order)
        )

    def numpy(self) -> np.ndarray:
        """Return a NumPy array of the elements."""
        step = self.data.itemsize
        view = np.lib.stride_tricks.as_strided(
            self.data, self.shape, tuple(s * step for s in self.strides)
        )
        return view.copy()
