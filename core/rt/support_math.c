/* SPDX-License-Identifier: BSD-3-Clause
 * Real functions that C lacks or does differently from NumPy and CPython, and the checks
 * by which CPython's math module turns a result into an exception. */
#include "ir/ir.h"
#include "rt/rt.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/numbers.h"

/* ---- round(x, n) ----------------------------------------------------------------------------- */

/* Rounds the decimal integer s (digits only) to a multiple of 10**k, half to even;
 * `rest`: something nonzero follows. */
static void
round_digits(char *s, int k, bool rest)
{
    int n = (int)strlen(s), cut = n - k; /* digits kept */
    if (cut < 0) {
        memset(s, '0', (size_t)n);
        return;
    }
    int half = s[cut] - '5';
    for (int i = cut + 1; i < n && !rest; i++)
        rest = s[i] != '0';
    bool odd = cut > 0 && (s[cut - 1] - '0') % 2;
    bool up = half > 0 || (half == 0 && (rest || odd));
    memset(s + cut, '0', (size_t)k);
    for (int i = cut - 1; up && i >= 0; i--) {
        up = s[i] == '9';
        s[i] = up ? '0' : (char)(s[i] + 1);
    }
    if (up) {
        memmove(s + 1, s, (size_t)n + 1);
        s[0] = '1';
    }
}

double
sw_round_digits(double x, int64_t digits)
{
    char buf[800];
    if (!isfinite(x) || x == 0 || digits > 323)
        return x;
    if (digits < -308)
        return copysign(0, x);
    if (digits >= 0) {
        snprintf(buf, sizeof buf, "%.*f", (int)digits, x);
        return strtod(buf, NULL);
    }
    double whole = trunc(fabs(x));
    snprintf(buf, sizeof buf, "%.0f", whole);
    round_digits(buf, (int)-digits, fabs(x) != whole);
    return copysign(strtod(buf, NULL), x);
}
