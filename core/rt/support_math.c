/* SPDX-License-Identifier: BSD-3-Clause
 * Real functions that C lacks or does differently from NumPy and CPython, and the checks
 * by which CPython's math module turns a result into an exception. */
#include "ir/ir.h"
#include "rt/rt.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- integers
 * ---------------------------------------------------------------------------------- */

uint64_t
sw_pow_u64(uint64_t x, uint64_t n)
{
    uint64_t r = 1;
    for (; n; n >>= 1) {
        if (n & 1)
            r *= x;
        x *= x;
    }
    return r;
}

int64_t
sw_pow_i64(int64_t x, int64_t n)
{
    return n < 0 ? 0 : (int64_t)sw_pow_u64((uint64_t)x, (uint64_t)n);
}

uint64_t
sw_gcd_u64(uint64_t a, uint64_t b)
{
    if (!a || !b)
        return a | b;
    int shift = __builtin_ctzll(a | b);
    a >>= __builtin_ctzll(a);
    while (b) {
        b >>= __builtin_ctzll(b);
        uint64_t lo = a < b ? a : b;
        b = a < b ? b - a : a - b;
        a = lo;
    }
    return a << shift;
}

int64_t
sw_gcd_i64(int64_t a, int64_t b)
{
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a,
             y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    return (int64_t)sw_gcd_u64(x, y);
}

/* ---- // and %
 * ----------------------------------------------------------------------------------- */

#define DIVMOD(T, suffix, FMOD, FLOOR, COPYSIGN)                                         \
    T sw_mod_##suffix(T a, T b)                                                          \
    {                                                                                    \
        T mod = FMOD(a, b);                                                              \
        if (b == 0)                                                                      \
            return mod;                                                                  \
        if (mod == 0)                                                                    \
            return COPYSIGN(0, b);                                                       \
        return (b < 0) != (mod < 0) ? mod + b : mod;                                     \
    }                                                                                    \
    T sw_floordiv_##suffix(T a, T b)                                                     \
    {                                                                                    \
        if (b == 0)                                                                      \
            return a / b;                                                                \
        T mod = FMOD(a, b), div = (a - mod) / b;                                         \
        if (mod != 0 && (b < 0) != (mod < 0))                                            \
            div -= 1;                                                                    \
        if (div == 0)                                                                    \
            return COPYSIGN(0, a / b);                                                   \
        T down = FLOOR(div);                                                             \
        return div - down > (T)0.5 ? down + 1 : down;                                    \
    }

DIVMOD(double, f64, fmod, floor, copysign)
DIVMOD(float, f32, fmodf, floorf, copysignf)

/* ---- floating-point neighbours
 * ------------------------------------------------------------------ */

double
sw_spacing_f64(double x)
{
    if (!isfinite(x))
        return NAN;
    return x == 0 ? 0x1p-1074 : nextafter(x, copysign(INFINITY, x)) - x;
}

float
sw_spacing_f32(float x)
{
    if (!isfinite(x))
        return NAN;
    return x == 0 ? 0x1p-149f : nextafterf(x, copysignf(INFINITY, x)) - x;
}

/* float16 values in a float: the exponent says the distance, which never shrinks below
 * 2**-24. */
float
sw_spacing_f16(float x)
{
    if (!isfinite(x))
        return NAN;
    if (x == 65504.0f) /* the largest: its next is infinite */
        return INFINITY;
    int e;
    float m = frexpf(x, &e);
    if (m == -0.5f) /* towards zero a power of two has a closer neighbour, which is what
                       NumPy looks at */
        e--;
    return ldexpf(1.0f, x == 0 || e - 11 < -24 ? -24 : e - 11);
}

float
sw_nextafter_f16(float x, float y)
{
    if (isnan(x) || isnan(y))
        return NAN;
    if (x == y)
        return x;
    if (x == 0)
        return copysignf(0x1p-24f, y);
    bool grow = (y > x) == (x > 0);
    if (isinf(x))
        return copysignf(65504.0f, x);
    int e;
    float m = frexpf(fabsf(x), &e);
    if (!grow && m == 0.5f) /* the neighbour below a power of two is half as far */
        e--;
    float step = ldexpf(1.0f, e - 11 < -24 ? -24 : e - 11);
    float r = grow ? fabsf(x) + step : fabsf(x) - step;
    return copysignf(r > 65504.0f ? INFINITY : r, x);
}

double
sw_frexp_m(double x)
{
    int e;
    return frexp(x, &e);
}

int32_t
sw_frexp_e(double x)
{
    int e = 0;
    frexp(x, &e);
    return isfinite(x) ? e : 0;
}

double
sw_logaddexp_f64(double a, double b)
{
    if (a == b)
        return a + 0.693147180559945309417232121458176568;
    double d = a - b;
    return d > 0 ? a + log1p(exp(-d)) : d <= 0 ? b + log1p(exp(d)) : d;
}

double
sw_logaddexp2_f64(double a, double b)
{
    const double log2e = 1.442695040888963407359924681001892137;
    if (a == b)
        return a + 1;
    double d = a - b;
    return d > 0 ? a + log2e * log1p(exp2(-d)) : d <= 0 ? b + log2e * log1p(exp2(d)) : d;
}

/* ---- round(x, n)
 * ---------------------------------------------------------------------------------- */

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
