/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels: functions in C that compiled code calls with whole arrays (def/kernel.def). They live in a library of their
 * own, libswathe_kernels.so (lib/), opened when code that needs one is loaded or interpreted for the first time. This is
 * what both sides know of each other. */
#ifndef SWATHE_KERNEL_H
#define SWATHE_KERNEL_H
#include "dev/dev.h"
#include "type/builtin.h"

enum { KERNEL_AXES = 16 }; /* of an array, at most */

typedef struct KernelCx {   /* what SwCtx begins with */
    volatile int32_t *poll; /* nonzero there: ask `interrupted` soon */
} KernelCx;

typedef struct KernelArg {
    const SwDesc *array; /* NULL: an integer */
    int64_t n;           /* how many axes; the integer */
    int64_t dtype;
} KernelArg;

enum {
    KERNEL_NO_MEMORY = -1,
    KERNEL_STOPPED = -2, /* `interrupted` has recorded why */
};
/* 0, a status of its own above 0, or one of these. Any thread; keeps nothing. */
typedef int64_t Kernel(KernelCx *cx, const KernelArg *arg);

typedef struct KernelHost {
    int (*interrupted)(KernelCx *cx); /* nonzero: stop. NULL: nobody may stop it */
} KernelHost;

/* ---- library.c: the loader ---- */
enum { KERNEL_ABI = 1 };
#define KERNEL_LIBRARY "libswathe_kernels.so"
typedef struct KernelLibrary { /* what it exports */
    int abi;                   /* KERNEL_ABI: refused when it differs */
    Kernel *of[BI_COUNT - BI_KERNELS];
} KernelLibrary;
typedef const KernelLibrary *KernelEntry(const KernelHost *host);
#define KERNEL_ENTRY_NAME "swathe_kernels"
/* By the id of its row. `interrupted` may be NULL, and is one function for the process. NULL: there is no library. */
Kernel *kernel_find(const KernelRow *row, int (*interrupted)(KernelCx *cx));
#endif
