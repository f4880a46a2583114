/* SPDX-License-Identifier: BSD-3-Clause
 * A device: its memory, and how a compiled function is launched on it. For each callback its
 * threading rule is stated. The CPU is always there. */
#ifndef SWATHE_DEV_H
#define SWATHE_DEV_H
#include "base/base.h"

/* Memory that compiled code and Python share: counted, 64-byte aligned. `free_fn` gets the SwMem when the
 * count reaches zero, on whatever thread that happens. */
typedef struct SwMem {
    int64_t refs;       /* atomic */
    void *data;
    size_t bytes;
    void (*free_fn)(struct SwMem *m);
    void *user;         /* of free_fn: the allocator's block, or a PyObject* */
} SwMem;

/* A strided array as the runtime functions take it. */
typedef struct SwDesc {
    char *data;
    SwMem *owner;
    const int64_t *shape, *strides; /* strides in bytes */
} SwDesc;

typedef struct Dev {
    const char *name;
    int (*init)(struct Dev *d);
    SwMem *(*alloc)(struct Dev *d, size_t bytes, bool zero); /* NULL: out of memory; any thread */
    void (*trim)(struct Dev *d);                             /* give cached memory back; any thread */
    size_t (*cached_bytes)(struct Dev *d);
    size_t (*live_bytes)(struct Dev *d);                     /* handed out and not freed yet: for leak tests */
} Dev;
Dev *dev_cpu(void); /* a caching allocator: size classes, big blocks in huge pages */
#endif
