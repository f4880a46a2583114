# SPDX-License-Identifier: BSD-3-Clause
"""The names of ``dpctl``: devices, queues, events, and memory.

>>> from swathe.compat import dpctl
>>> q = dpctl.SyclQueue("native", property="enable_profiling")
>>> q.sycl_device.filter_string
'native:cpu:0'
"""

from swathe import __version__
from swathe.errors import ExecutionPlacementError

from . import memory, tensor, utils
from ._device import (
    SyclContext,
    SyclContextCreationError,
    SyclDevice,
    SyclDeviceCreationError,
    SyclPlatform,
    SyclSubDeviceCreationError,
    backend_type,
    device_type,
    get_devices,
    get_num_devices,
    get_platforms,
    has_accelerator_devices,
    has_cpu_devices,
    has_gpu_devices,
    lsplatform,
    select_accelerator_device,
    select_cpu_device,
    select_default_device,
    select_device_with_aspects,
    select_gpu_device,
)
from ._queue import (
    SyclEvent,
    SyclKernelInvalidRangeError,
    SyclKernelSubmitError,
    SyclQueue,
    SyclQueueCreationError,
    SyclTimer,
    device_context,
    event_status_type,
    get_current_backend,
    get_current_device_type,
    get_current_queue,
    get_device_cached_queue,
    is_in_device_context,
)

__all__ = [
    "ExecutionPlacementError",
    "SyclContext",
    "SyclContextCreationError",
    "SyclDevice",
    "SyclDeviceCreationError",
    "SyclEvent",
    "SyclKernelInvalidRangeError",
    "SyclKernelSubmitError",
    "SyclPlatform",
    "SyclQueue",
    "SyclQueueCreationError",
    "SyclSubDeviceCreationError",
    "SyclTimer",
    "__version__",
    "backend_type",
    "device_context",
    "device_type",
    "event_status_type",
    "get_current_backend",
    "get_current_device_type",
    "get_current_queue",
    "get_device_cached_queue",
    "get_devices",
    "get_num_devices",
    "get_platforms",
    "has_accelerator_devices",
    "has_cpu_devices",
    "has_gpu_devices",
    "is_in_device_context",
    "lsplatform",
    "memory",
    "select_accelerator_device",
    "select_cpu_device",
    "select_default_device",
    "select_device_with_aspects",
    "select_gpu_device",
    "tensor",
    "utils",
]
