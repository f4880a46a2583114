/* SPDX-License-Identifier: BSD-3-Clause
 * The library's entry, and what its kernels share. */
#include "kernel/lib/lib.h"

static const KernelHost *host;

void
walk_begin(Walk *w, const KernelArg *arg, int n, const int *core)
{
    *w = (Walk){.left = 1, .outer = (int)arg[0].n - core[0], .n = n, .arg = arg};
    for (int k = 0; k < w->outer; k++)
        w->left *= arg[0].array->shape[k];
    for (int i = 0; i < n; i++)
        w->data[i] = arg[i].array->data;
}

void
walk_next(Walk *w)
{
    w->left--;
    for (int k = w->outer - 1; k >= 0; k--) {
        int64_t size = w->arg[0].array->shape[k];
        bool wraps = ++w->at[k] == size;
        for (int i = 0; i < w->n; i++)
            w->data[i] += w->arg[i].array->strides[k] * (wraps ? 1 - size : 1);
        if (!wraps)
            return;
        w->at[k] = 0;
    }
}

const KernelHost *
kernel_host(void)
{
    return host;
}

bool
kernel_stops(KernelCx *cx)
{
    return *cx->poll && host->interrupted && host->interrupted(cx);
}

extern KernelEntry swathe_kernels;

__attribute__((visibility("default"))) const KernelLibrary *
swathe_kernels(const KernelHost *h)
{
    static const KernelLibrary library = {
        .abi = KERNEL_ABI,
        .of =
            {
#undef KERNEL
#define KERNEL(id, ...) [BI_kernel_##id - BI_KERNELS] = kernel_##id,
#include "def/kernel.def"
            },
        .draw_from = random_draw_from,
        .noted = text_noted,
    };
    host = h;
    return &library;
}
