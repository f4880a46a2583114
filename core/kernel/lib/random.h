/* SPDX-License-Identifier: BSD-3-Clause
 * Where random numbers come from: the thread's MT19937, or the words of a generator. */
#ifndef SWATHE_KERNEL_RANDOM_H
#define SWATHE_KERNEL_RANDOM_H
#include "kernel/lib/lib.h"

#include <numpy/random/bitgen.h>

/* Of a generator that compiled code has made; of NumPy's there are fewer. */
enum { PCG_WORDS = 8 };

bitgen_t random_mt_bits(void);
double random_mt_normal(void);
bitgen_t *random_generator(const KernelArg *arg, bitgen_t *room);
#endif
