# SPDX-License-Identifier: BSD-3-Clause
"""The names of ``numba_dpex.kernel_api``: kernels that are given an object for where they are.

>>> import numpy as np
>>> from swathe.compat import numba_dpex as dpex
>>> from swathe.compat.numba_dpex import kernel_api as kapi
>>> @dpex.kernel
... def add(item: kapi.Item, a, b, c):
...     i = item.get_id(0)
...     c[i] = a[i] + b[i]
>>> a, b, c = np.arange(3.0), np.ones(3), np.zeros(3)
>>> dpex.call_kernel(add, kapi.Range(3), a, b, c)
>>> c
array([1., 2., 3.])

What a kernel is given is a named tuple, with a class for each number of dimensions: compiled code
knows its methods. The last dimension lies along x, so that neighbours in it are neighbours on
the device.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from swathe import gpu

from ._enums import AddressSpace, MemoryOrder, MemoryScope
from ._ranges import LocalAccessor, NdRange, Range

__all__ = [
    "AddressSpace",
    "AtomicRef",
    "Group",
    "Item",
    "LocalAccessor",
    "MemoryOrder",
    "MemoryScope",
    "NdItem",
    "NdRange",
    "PrivateArray",
    "Range",
    "atomic_fence",
    "call_kernel",
    "group_barrier",
]


# ---- which axis of the grid a dimension is: the last is x ----------------------------------------
#
# What a function returns is not known when compiling, what it is given is: so each class has its
# number of dimensions in its text.


def _global_id(axis: int) -> int:
    if axis == 0:
        return gpu.blockIdx.x * gpu.blockDim.x + gpu.threadIdx.x
    if axis == 1:
        return gpu.blockIdx.y * gpu.blockDim.y + gpu.threadIdx.y
    if axis == 2:
        return gpu.blockIdx.z * gpu.blockDim.z + gpu.threadIdx.z
    raise ValueError("there is no such dimension")


def _local_id(axis: int) -> int:
    if axis == 0:
        return gpu.threadIdx.x
    if axis == 1:
        return gpu.threadIdx.y
    if axis == 2:
        return gpu.threadIdx.z
    raise ValueError("there is no such dimension")


def _group_id(axis: int) -> int:
    if axis == 0:
        return gpu.blockIdx.x
    if axis == 1:
        return gpu.blockIdx.y
    if axis == 2:
        return gpu.blockIdx.z
    raise ValueError("there is no such dimension")


def _local_size(axis: int) -> int:
    if axis == 0:
        return gpu.blockDim.x
    if axis == 1:
        return gpu.blockDim.y
    if axis == 2:
        return gpu.blockDim.z
    raise ValueError("there is no such dimension")


def _groups(axis: int) -> int:
    if axis == 0:
        return gpu.gridDim.x
    if axis == 1:
        return gpu.gridDim.y
    if axis == 2:
        return gpu.gridDim.z
    raise ValueError("there is no such dimension")


def _global_linear_range() -> int:
    n0 = gpu.gridDim.x * gpu.blockDim.x
    n1 = gpu.gridDim.y * gpu.blockDim.y
    return n0 * n1 * gpu.gridDim.z * gpu.blockDim.z


def _local_linear_range() -> int:
    return gpu.blockDim.x * gpu.blockDim.y * gpu.blockDim.z


def _local_linear() -> int:
    x, y, z = gpu.threadIdx.x, gpu.threadIdx.y, gpu.threadIdx.z
    return (z * gpu.blockDim.y + y) * gpu.blockDim.x + x


def _group_linear() -> int:
    x, y, z = gpu.blockIdx.x, gpu.blockIdx.y, gpu.blockIdx.z
    return (z * gpu.gridDim.y + y) * gpu.gridDim.x + x


# ---- items of a Range ----------------------------------------------------------------------------


class Item:
    """What a kernel over a `Range` is given: where it is in it."""


class _Item1(NamedTuple):
    n0: int

    @property
    def dimensions(self) -> int:
        return 1

    @property
    def ndim(self) -> int:
        return 1

    def get_id(self, dim: int) -> int:
        return _global_id(-dim)

    def get_linear_id(self) -> int:
        return _global_id(0)

    def get_range(self, dim: int) -> int:
        if dim == 0:
            return self.n0
        raise ValueError("there is no such dimension")

    def get_linear_range(self) -> int:
        return self.n0


class _Item2(NamedTuple):
    n0: int
    n1: int

    @property
    def dimensions(self) -> int:
        return 2

    @property
    def ndim(self) -> int:
        return 2

    def get_id(self, dim: int) -> int:
        return _global_id(1 - dim)

    def get_linear_id(self) -> int:
        return _global_id(1) * self.n1 + _global_id(0)

    def get_range(self, dim: int) -> int:
        if dim == 0:
            return self.n0
        if dim == 1:
            return self.n1
        raise ValueError("there is no such dimension")

    def get_linear_range(self) -> int:
        return self.n0 * self.n1


class _Item3(NamedTuple):
    n0: int
    n1: int
    n2: int

    @property
    def dimensions(self) -> int:
        return 3

    @property
    def ndim(self) -> int:
        return 3

    def get_id(self, dim: int) -> int:
        return _global_id(2 - dim)

    def get_linear_id(self) -> int:
        return (_global_id(2) * self.n1 + _global_id(1)) * self.n2 + _global_id(0)

    def get_range(self, dim: int) -> int:
        if dim == 0:
            return self.n0
        if dim == 1:
            return self.n1
        if dim == 2:
            return self.n2
        raise ValueError("there is no such dimension")

    def get_linear_range(self) -> int:
        return self.n0 * self.n1 * self.n2


# ---- items of an NdRange, and their groups ------------------------------------------------------


class NdItem:
    """What a kernel over an `NdRange` is given: where it is in it and in its group."""


class Group:
    """The work items that share local memory and wait for each other."""


class _Group1(NamedTuple):
    @property
    def dimensions(self) -> int:
        return 1

    @property
    def ndim(self) -> int:
        return 1

    @property
    def leader(self) -> bool:
        return _local_linear() == 0

    def get_group_id(self, dim: int) -> int:
        return _group_id(-dim)

    def get_group_linear_id(self) -> int:
        return _group_linear()

    def get_group_range(self, dim: int) -> int:
        return _groups(-dim)

    def get_group_linear_range(self) -> int:
        return gpu.gridDim.x * gpu.gridDim.y * gpu.gridDim.z

    def get_local_range(self, dim: int) -> int:
        return _local_size(-dim)

    def get_local_linear_range(self) -> int:
        return _local_linear_range()


class _NdItem1(NamedTuple):
    @property
    def dimensions(self) -> int:
        return 1

    @property
    def ndim(self) -> int:
        return 1

    def get_global_id(self, dim: int) -> int:
        return _global_id(-dim)

    def get_global_linear_id(self) -> int:
        n0 = gpu.gridDim.x * gpu.blockDim.x
        n1 = gpu.gridDim.y * gpu.blockDim.y
        return (_global_id(2) * n1 + _global_id(1)) * n0 + _global_id(0)

    def get_local_id(self, dim: int) -> int:
        return _local_id(-dim)

    def get_local_linear_id(self) -> int:
        return _local_linear()

    def get_global_range(self, dim: int) -> int:
        return _groups(-dim) * _local_size(-dim)

    def get_local_range(self, dim: int) -> int:
        return _local_size(-dim)

    def get_global_linear_range(self) -> int:
        return _global_linear_range()

    def get_local_linear_range(self) -> int:
        return _local_linear_range()

    def get_group(self) -> _Group1:
        return _Group1()


class _Group2(NamedTuple):
    @property
    def dimensions(self) -> int:
        return 2

    @property
    def ndim(self) -> int:
        return 2

    @property
    def leader(self) -> bool:
        return _local_linear() == 0

    def get_group_id(self, dim: int) -> int:
        return _group_id(1 - dim)

    def get_group_linear_id(self) -> int:
        return _group_linear()

    def get_group_range(self, dim: int) -> int:
        return _groups(1 - dim)

    def get_group_linear_range(self) -> int:
        return gpu.gridDim.x * gpu.gridDim.y * gpu.gridDim.z

    def get_local_range(self, dim: int) -> int:
        return _local_size(1 - dim)

    def get_local_linear_range(self) -> int:
        return _local_linear_range()


class _NdItem2(NamedTuple):
    @property
    def dimensions(self) -> int:
        return 2

    @property
    def ndim(self) -> int:
        return 2

    def get_global_id(self, dim: int) -> int:
        return _global_id(1 - dim)

    def get_global_linear_id(self) -> int:
        n0 = gpu.gridDim.x * gpu.blockDim.x
        n1 = gpu.gridDim.y * gpu.blockDim.y
        return (_global_id(2) * n1 + _global_id(1)) * n0 + _global_id(0)

    def get_local_id(self, dim: int) -> int:
        return _local_id(1 - dim)

    def get_local_linear_id(self) -> int:
        return _local_linear()

    def get_global_range(self, dim: int) -> int:
        return _groups(1 - dim) * _local_size(1 - dim)

    def get_local_range(self, dim: int) -> int:
        return _local_size(1 - dim)

    def get_global_linear_range(self) -> int:
        return _global_linear_range()

    def get_local_linear_range(self) -> int:
        return _local_linear_range()

    def get_group(self) -> _Group2:
        return _Group2()


class _Group3(NamedTuple):
    @property
    def dimensions(self) -> int:
        return 3

    @property
    def ndim(self) -> int:
        return 3

    @property
    def leader(self) -> bool:
        return _local_linear() == 0

    def get_group_id(self, dim: int) -> int:
        return _group_id(2 - dim)

    def get_group_linear_id(self) -> int:
        return _group_linear()

    def get_group_range(self, dim: int) -> int:
        return _groups(2 - dim)

    def get_group_linear_range(self) -> int:
        return gpu.gridDim.x * gpu.gridDim.y * gpu.gridDim.z

    def get_local_range(self, dim: int) -> int:
        return _local_size(2 - dim)

    def get_local_linear_range(self) -> int:
        return _local_linear_range()


class _NdItem3(NamedTuple):
    @property
    def dimensions(self) -> int:
        return 3

    @property
    def ndim(self) -> int:
        return 3

    def get_global_id(self, dim: int) -> int:
        return _global_id(2 - dim)

    def get_global_linear_id(self) -> int:
        n0 = gpu.gridDim.x * gpu.blockDim.x
        n1 = gpu.gridDim.y * gpu.blockDim.y
        return (_global_id(2) * n1 + _global_id(1)) * n0 + _global_id(0)

    def get_local_id(self, dim: int) -> int:
        return _local_id(2 - dim)

    def get_local_linear_id(self) -> int:
        return _local_linear()

    def get_global_range(self, dim: int) -> int:
        return _groups(2 - dim) * _local_size(2 - dim)

    def get_local_range(self, dim: int) -> int:
        return _local_size(2 - dim)

    def get_global_linear_range(self) -> int:
        return _global_linear_range()

    def get_local_linear_range(self) -> int:
        return _local_linear_range()

    def get_group(self) -> _Group3:
        return _Group3()


def group_barrier(group: Any, fence_scope: int = 2) -> None:
    """Wait for all work items of the group; what they wrote is seen after it."""
    gpu.syncthreads()


def atomic_fence(memory_order: int, memory_scope: int = 3) -> None:
    """Order memory, as the work items of the scope see it."""
    if memory_scope <= 2:
        gpu.threadfence_block()
    elif memory_scope == 3:
        gpu.threadfence()
    else:
        gpu.threadfence_system()


# ---- memory --------------------------------------------------------------------------------------

PrivateArray = gpu.local.private


class _AtomicRef(NamedTuple):
    ref: Any
    index: Any

    def fetch_add(self, val: Any) -> Any:
        return gpu.atomic.add(self.ref, self.index, val)

    def fetch_sub(self, val: Any) -> Any:
        return gpu.atomic.sub(self.ref, self.index, val)

    def fetch_min(self, val: Any) -> Any:
        return gpu.atomic.min(self.ref, self.index, val)

    def fetch_max(self, val: Any) -> Any:
        return gpu.atomic.max(self.ref, self.index, val)

    def fetch_and(self, val: Any) -> Any:
        return gpu.atomic.and_(self.ref, self.index, val)

    def fetch_or(self, val: Any) -> Any:
        return gpu.atomic.or_(self.ref, self.index, val)

    def fetch_xor(self, val: Any) -> Any:
        return gpu.atomic.xor(self.ref, self.index, val)

    def load(self) -> Any:
        return self.ref[self.index]

    def store(self, val: Any) -> None:
        gpu.atomic.exch(self.ref, self.index, val)

    def exchange(self, val: Any) -> Any:
        return gpu.atomic.exch(self.ref, self.index, val)

    def compare_exchange(self, expected: Any, desired: Any, expected_idx: int = 0) -> bool:
        wanted = expected[expected_idx]
        old = gpu.atomic.cas(self.ref, self.index, wanted, desired)
        if old == wanted and math.copysign(1.0, old) == math.copysign(1.0, wanted):
            return True
        if old != old and wanted != wanted:  # bits are compared: a NaN is itself
            return True
        expected[expected_idx] = old
        return False


def AtomicRef(  # noqa: N802
    ref: Any,
    index: Any = 0,
    memory_order: int = 0,
    memory_scope: int = 3,
    address_space: int = 1,
) -> _AtomicRef:
    """Look at one element of an array, to change it in one step.

    Every operation is ordered as far as the device's own atomic operations are; order, scope and
    address space choose nothing.
    """
    return _AtomicRef(ref, index)


def call_kernel(kernel: Any, index_range: Any, *args: Any) -> None:
    """Run a kernel, or a plain function that is one, on the CPU."""
    from swathe import Queue

    from ._launch import Kernel, run

    kernel = kernel if isinstance(kernel, Kernel) else Kernel(kernel)
    run(kernel, index_range, args, queue=Queue("native"))
