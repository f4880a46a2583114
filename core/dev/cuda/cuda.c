/* SPDX-License-Identifier: BSD-3-Clause
 * CUDA as a vtable of dev.h. */
#include "dev/cuda/cu.h"

static const DevApi api = {
    .name = "cuda",
    .target = TARGET_PTX,
    .open = cuda_open,
    .props = cuda_props,
    .device = cuda_device,
    .own_props = cuda_own_props,
    .wrap = cuda_wrap,
    .alloc = cuda_alloc,
    .alloc_on = cuda_alloc_on,
    .mem_free = cuda_mem_free,
    .mem_host = cuda_mem_host,
    .mem_address = cuda_mem_address,
    .live_bytes = cuda_live_bytes,
    .memory_info = cuda_memory_info,
    .write = cuda_write,
    .read = cuda_read,
    .copy = cuda_copy,
    .fill = cuda_fill,
    .rows = cuda_rows,
    .queue = cuda_queue,
    .queue_sync = cuda_queue_sync,
    .queue_free = cuda_queue_free,
    .queue_mark = cuda_queue_mark,
    .queue_after = cuda_queue_after,
    .queue_stream = cuda_queue_stream,
    .queue_after_stream = cuda_queue_after_stream,
    .queue_before_stream = cuda_queue_before_stream,
    .enter = cu_enter,
    .leave = cu_leave,
    .queue_uses = cu_use,
    .event_state = cuda_event_state,
    .event_wait = cuda_event_wait,
    .event_times = cuda_event_times,
    .event_between = cuda_event_between,
    .event_free = cuda_event_free,
    .module = cuda_module,
    .module_free = cuda_module_free,
    .kernel = cuda_kernel,
    .kernel_info = cuda_kernel_info,
    .launch = cuda_launch,
};

const DevApi *
dev_cuda(void)
{
    return &api;
}
