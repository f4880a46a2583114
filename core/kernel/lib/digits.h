/* SPDX-License-Identifier: BSD-3-Clause
 * Floats and decimal digits, of what programs have most: digits.c. */
#ifndef SWATHE_KERNEL_DIGITS_H
#define SWATHE_KERNEL_DIGITS_H
#include "base/base.h"

typedef struct Digits { /* from the last to the first */
    uint32_t at[48];
    int n;
} Digits;
void add_digits(Digits *d, uint64_t v, int least);
bool digits_fixed(Digits *d, double x, int decimals); /* x is not negative; false: ask CPython */
bool digits_shortest(Digits *d, double x);            /* as repr has them */
bool digits_read(const uint32_t *p, int64_t n, double *out); /* float(); false: ask CPython */
#endif
