# SPDX-License-Identifier: BSD-3-Clause
"""What `swathe.gpu.to_device` yields where the device is the CPU: NumPy's memory, under the names
of a device array.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


class HostArray(np.ndarray):
    """An array of the CPU as a device."""

    _swathe_array = True  # compiled code may take it as NumPy's own
    space = "shared"

    @property
    def host(self) -> np.ndarray:
        """The same memory as a plain NumPy array."""
        return self.view(np.ndarray)

    def copy_from_host(self, array: Any) -> HostArray:
        """Copy an array of the same shape into this one."""
        array = np.asarray(array, self.dtype)
        if array.shape != self.shape:
            raise ValueError(f"an array {array.shape} can't be copied to one of {self.shape}")
        self[...] = array
        return self

    def copy_to_host(self, ary: Any = None, stream: Any = 0) -> Any:
        """Copy into `ary`, or into a new NumPy array, and return that."""
        if ary is None:
            return np.array(self, copy=True, subok=False, order="K")
        if ary.shape != self.shape or ary.dtype != self.dtype:
            raise ValueError(
                f"copy_to_host(): {ary.dtype}{list(ary.shape)} can't take {self.dtype}"
                f"{list(self.shape)}"
            )
        ary[...] = self
        return ary

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Copy from `ary`, which has the same shape and dtype."""
        if ary.shape != self.shape or ary.dtype != self.dtype:
            raise ValueError(
                f"copy_to_device(): {self.dtype}{list(self.shape)} can't take {ary.dtype}"
                f"{list(ary.shape)}"
            )
        self[...] = ary

    def is_c_contiguous(self) -> bool:
        """Tell whether the elements lie in C order without gaps."""
        return self.flags.c_contiguous

    def is_f_contiguous(self) -> bool:
        """Tell whether the elements lie in Fortran order without gaps."""
        return self.flags.f_contiguous

    def split(self, section: int, stream: Any = 0) -> Iterator[Any]:
        """Yield pieces of a one-dimensional array, of so many elements each."""
        if self.ndim != 1:
            raise ValueError("only support 1d array")
        for at in range(0, self.size, section):
            yield self[at : at + section]

    def getitem(self, item: Any, stream: Any = 0) -> Any:
        """Return ``self[item]``."""
        return self[item]

    def setitem(self, key: Any, value: Any, stream: Any = 0) -> None:
        """Do ``self[key] = value``."""
        self[key] = value

    def bind(self, stream: Any = 0) -> HostArray:
        """Return the array: on the CPU there is nothing to wait for."""
        return self

    @property
    def alloc_size(self) -> int:
        """The bytes of its elements."""
        return self.nbytes
