# SPDX-License-Identifier: BSD-3-Clause
"""Functions that tell a work item where it is; dimension 0 lies along x.

They are plain functions over `swathe.gpu`, and mean something only in a kernel.
"""

from __future__ import annotations

from swathe import gpu


def get_global_id(dim: int) -> int:
    """Where the work item is among all."""
    if dim == 0:
        return gpu.blockIdx.x * gpu.blockDim.x + gpu.threadIdx.x
    if dim == 1:
        return gpu.blockIdx.y * gpu.blockDim.y + gpu.threadIdx.y
    return gpu.blockIdx.z * gpu.blockDim.z + gpu.threadIdx.z


def get_local_id(dim: int) -> int:
    """Where it is in its group."""
    if dim == 0:
        return gpu.threadIdx.x
    return gpu.threadIdx.y if dim == 1 else gpu.threadIdx.z


def get_group_id(dim: int) -> int:
    """Which group it is in."""
    if dim == 0:
        return gpu.blockIdx.x
    return gpu.blockIdx.y if dim == 1 else gpu.blockIdx.z


def get_local_size(dim: int) -> int:
    """How many work items a group has."""
    if dim == 0:
        return gpu.blockDim.x
    return gpu.blockDim.y if dim == 1 else gpu.blockDim.z


def get_num_groups(dim: int) -> int:
    """How many groups there are."""
    if dim == 0:
        return gpu.gridDim.x
    return gpu.gridDim.y if dim == 1 else gpu.gridDim.z


def get_global_size(dim: int) -> int:
    """How many work items there are."""
    if dim == 0:
        return gpu.gridDim.x * gpu.blockDim.x
    if dim == 1:
        return gpu.gridDim.y * gpu.blockDim.y
    return gpu.gridDim.z * gpu.blockDim.z


def barrier(flags: int = 1) -> None:
    """Wait for all work items of the group; what they wrote is seen after it."""
    gpu.syncthreads()


def mem_fence(flags: int = 1) -> None:
    """Order memory as the work items of the group see it."""
    gpu.threadfence_block()


def sub_group_barrier() -> None:
    """Wait for the work items of a warp."""
    gpu.syncwarp()
