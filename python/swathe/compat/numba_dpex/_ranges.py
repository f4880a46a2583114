# SPDX-License-Identifier: BSD-3-Clause
"""How many work items there are, how they are grouped, and what a group shares."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from swathe.errors import LaunchError


class UnmatchedNumberOfRangeDimsError(LaunchError):
    """The local and the global range have different numbers of dimensions."""


class UnsupportedGroupWorkItemSizeError(LaunchError):
    """The local range does not divide the global one."""


class Range(tuple):
    """So many work items, along one, two or three dimensions.

    >>> Range(4, 3).size()
    12
    """

    UNDEFINED_DIMENSION = -1

    def __new__(cls, *dims: Any) -> Range:
        """Check the sizes."""
        dims = tuple(d for d in dims if d is not None)
        if not 1 <= len(dims) <= 3:
            raise TypeError(f"a Range has 1, 2 or 3 dimensions, not {len(dims)}")
        sizes = []
        for d in dims:
            if isinstance(d, bool) or not hasattr(d, "__index__"):
                raise TypeError(f"a dimension of a Range is an int, not {d!r}")
            sizes.append(operator.index(d))
            if sizes[-1] < 0:
                raise ValueError(f"a dimension of a Range is not negative: {d!r}")
        return super().__new__(cls, sizes)

    def get(self, index: int) -> int:
        """One dimension's size."""
        return self[index]

    def size(self) -> int:
        """How many work items there are."""
        n = 1
        for d in self:
            n *= d
        return n

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return len(self)

    @property
    def dim0(self) -> int:
        """The first dimension's size."""
        return self[0]

    @property
    def dim1(self) -> int:
        """The second dimension's size; -1 if there is none."""
        return self[1] if len(self) > 1 else self.UNDEFINED_DIMENSION

    @property
    def dim2(self) -> int:
        """The third dimension's size; -1 if there is none."""
        return self[2] if len(self) > 2 else self.UNDEFINED_DIMENSION

    def __repr__(self) -> str:
        return f"Range{tuple(self)}"


def as_range(sizes: Any) -> Range:
    """Make a Range of a number, or of some."""
    if isinstance(sizes, Range):
        return sizes
    if isinstance(sizes, (tuple, list)):
        return Range(*sizes)
    return Range(sizes)


class NdRange:
    """So many work items in groups.

    Parameters
    ----------
    global_size, local_size : Range or sequence of int
        All work items, and those of a group: of as many dimensions, and one divides the other.

    >>> NdRange((8, 4), (2, 4)).local_range
    Range(2, 4)
    """

    def __init__(self, global_size: Any, local_size: Any) -> None:
        for sizes in (global_size, local_size):
            if not isinstance(sizes, (tuple, list)):
                raise TypeError(f"an NdRange is made of Ranges or sequences of int, not {sizes!r}")
        self.global_range, self.local_range = as_range(global_size), as_range(local_size)
        if len(self.global_range) != len(self.local_range):
            raise UnmatchedNumberOfRangeDimsError(
                f"the global range has {len(self.global_range)} dimensions, the local range "
                f"{len(self.local_range)}"
            )
        for dim, (n, k) in enumerate(zip(self.global_range, self.local_range, strict=True)):
            if k == 0 or n % k:
                raise UnsupportedGroupWorkItemSizeError(
                    f"dimension {dim}: groups of {k} don't divide {n} work items"
                )

    def get_global_range(self) -> Range:
        """All work items."""
        return self.global_range

    def get_local_range(self) -> Range:
        """The work items of a group."""
        return self.local_range

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NdRange):
            return NotImplemented
        return self.global_range == other.global_range and self.local_range == other.local_range

    def __hash__(self) -> int:
        return hash((self.global_range, self.local_range))

    def __repr__(self) -> str:
        return f"NdRange({self.global_range}, {self.local_range})"


class LocalAccessor:
    """An argument of a kernel that is an array for each group, which its work items share.

    Parameters
    ----------
    shape : int or tuple of up to three
    dtype : dtype
    """

    def __init__(self, shape: Any, dtype: Any) -> None:
        sizes = tuple(shape) if isinstance(shape, (tuple, list, np.ndarray)) else (shape,)
        if not 1 <= len(sizes) <= 3:
            raise TypeError(f"a LocalAccessor has 1, 2 or 3 dimensions, not {len(sizes)}")
        if not all(hasattr(n, "__index__") and not isinstance(n, bool) and n > 0 for n in sizes):
            raise TypeError(f"the shape of a LocalAccessor is made of positive ints: {shape!r}")
        self.shape = tuple(operator.index(n) for n in sizes)
        self.dtype = np.dtype(getattr(dtype, "_swathe_dtype", dtype))
        if self.dtype.kind not in "biufc":
            raise TypeError(f"a LocalAccessor can't hold {dtype}")

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("a LocalAccessor has elements only inside a kernel")

    def __setitem__(self, index: Any, value: Any) -> None:
        raise NotImplementedError("a LocalAccessor has elements only inside a kernel")
