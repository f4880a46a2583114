/* SPDX-License-Identifier: BSD-3-Clause
 * Memory of at most DEV_SMALL bytes: between alloc.c and small.c. */
#ifndef SWATHE_DEV_CPU_SMALL_H
#define SWATHE_DEV_CPU_SMALL_H
#include "dev/dev.h"

/* The data of no other block begins there. */
static inline bool
dev_is_small(const SwMem *m)
{
    return m->data == m + 1;
}

void dev_small_start(void); /* once, before anything is asked for */
void dev_small_free(SwMem *m);
void dev_small_trim(void); /* what this thread and the lists keep goes back to malloc */
size_t dev_small_cached(void);
size_t dev_small_live(void); /* bytes asked for */
#endif
