/* SPDX-License-Identifier: BSD-3-Clause
 * OpenCL as a DevApi: the table. */
#include "dev/opencl/cl.h"

const DevApi *
dev_opencl(void)
{
    static const DevApi api = {
        .name = "opencl",
        .target = TARGET_OPENCL,
        .open = cl_open,
        .props = cl_props,
        .device = cl_use,
        .own_props = cl_own_props,
        .split = cl_split,
        .alloc = cl_alloc,
        .mem_free = cl_mem_free,
        .mem_host = cl_mem_host,
        .mem_address = cl_mem_address,
        .live_bytes = cl_live_bytes,
        .memory_info = cl_memory_info,
        .write = cl_write,
        .read = cl_read,
        .copy = cl_copy,
        .fill = cl_fill,
        .rows = cl_rows,
        .queue = cl_queue_make,
        .queue_sync = cl_queue_sync,
        .queue_free = cl_queue_free,
        .queue_mark = cl_queue_mark,
        .queue_after = cl_queue_after,
        .event_state = cl_event_state,
        .event_wait = cl_event_wait,
        .event_times = cl_event_times,
        .event_between = cl_event_between,
        .event_free = cl_event_free,
        .module = cl_module,
        .module_free = cl_module_free,
        .kernel = cl_kernel_get,
        .kernel_info = cl_kernel_info,
        .launch = cl_launch,
    };
    return &api;
}
