/* SPDX-License-Identifier: BSD-3-Clause
 * The sort of one row, for those who sort several. */
#ifndef SWATHE_KERNEL_SORT_H
#define SWATHE_KERNEL_SORT_H
#include "kernel/lib/keys.h"

/* In place, stable, NaN last. *m: scratch memory for rows of this length and dtype, made when it is
 * first needed, NULL before; the caller frees it. False: there is none left. */
bool sort_one(Lane l, DType d, SwMem **m);

/* The places of real numbers in order, stable, NaN last, where there are many and few of them
 * differ; else false. code: memory for as many bytes. */
bool argsort_few(Lane l, Lane to, const Order *o, uint8_t *code);

static inline bool
is_complex(DType d)
{
    return d == DT_c64 || d == DT_c128;
}
#endif
