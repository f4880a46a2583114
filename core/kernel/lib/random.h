/* SPDX-License-Identifier: BSD-3-Clause
 * Where random numbers come from: the thread's MT19937, or the words of a generator. */
#ifndef SWATHE_KERNEL_RANDOM_H
#define SWATHE_KERNEL_RANDOM_H
#include "kernel/lib/lib.h"

#include <numpy/random/bitgen.h>

/* The words of a generator that compiled code has made tell its kind by their number; of NumPy's
 * there are fewer. */
enum { BITS_PCG = 8, BITS_DXSM = 9, BITS_SFC = 10, BITS_PHILOX = 13, BITS_MT = 320 };

/* The functions of such words, but for BITS_MT; false: they are of no such kind. */
bool bits_made(void *words, int64_t n, bitgen_t *out);
bool random_is_rehearsed(void);

bitgen_t random_mt_bits(void);
double random_mt_normal(void);
bitgen_t *random_generator(const KernelArg *arg, bitgen_t *room);
#endif
