/* SPDX-License-Identifier: BSD-3-Clause
 * Functions on numbers that C lacks or does differently from NumPy and CPython, by their names in
 * rt.def. They are defined here once for the run-time library and for what kernels on CUDA devices
 * call: each includes this file in one place, after it has declared C's math functions, NAN,
 * INFINITY and isfinite. */
#ifndef SWATHE_BASE_NUMBERS_H
#define SWATHE_BASE_NUMBERS_H
#include <stdint.h>

/* ---- integers ----------------------------------------------------------------------- */

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
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    return (int64_t)sw_gcd_u64(x, y);
}

/* ---- // and % ----------------------------------------------------------------------- */

#define DIVMOD(T, suffix, FMOD, FLOOR, COPYSIGN)                                                   \
    T sw_mod_##suffix(T a, T b)                                                                    \
    {                                                                                              \
        T mod = FMOD(a, b);                                                                        \
        if (b == 0)                                                                                \
            return mod;                                                                            \
        if (mod == 0)                                                                              \
            return COPYSIGN(0, b);                                                                 \
        return (b < 0) != (mod < 0) ? mod + b : mod;                                               \
    }                                                                                              \
    T sw_floordiv_##suffix(T a, T b)                                                               \
    {                                                                                              \
        if (b == 0)                                                                                \
            return a / b;                                                                          \
        T mod = FMOD(a, b), div = (a - mod) / b;                                                   \
        if (mod != 0 && (b < 0) != (mod < 0))                                                      \
            div -= 1;                                                                              \
        if (div == 0)                                                                              \
            return COPYSIGN(0, a / b);                                                             \
        T down = FLOOR(div);                                                                       \
        return div - down > (T)0.5 ? down + 1 : down;                                              \
    }

DIVMOD(double, f64, fmod, __builtin_floor, __builtin_copysign)
DIVMOD(float, f32, fmodf, __builtin_floorf, __builtin_copysignf)

/* ---- floats and their parts --------------------------------------------------------- */

double
sw_spacing_f64(double x)
{
    if (!isfinite(x))
        return NAN;
    return x == 0 ? 0x1p-1074 : nextafter(x, __builtin_copysign(INFINITY, x)) - x;
}

float
sw_spacing_f32(float x)
{
    if (!isfinite(x))
        return (float)NAN;
    return x == 0 ? 0x1p-149f : nextafterf(x, __builtin_copysignf((float)INFINITY, x)) - x;
}

/* float16 values in a float: the exponent says the distance, which never shrinks below
 * 2**-24. Doubles, because libdevice's frexp and ldexp are what both sides have. */
float
sw_spacing_f16(float x)
{
    if (!isfinite(x))
        return (float)NAN;
    if (x == 65504.0f) /* the largest: its next is infinite */
        return (float)INFINITY;
    int e;
    double m = frexp(x, &e);
    if (m == -0.5) /* towards zero a power of two has a closer neighbour, which is what NumPy
                      looks at */
        e--;
    return (float)ldexp(1.0, x == 0 || e - 11 < -24 ? -24 : e - 11);
}

float
sw_nextafter_f16(float x, float y)
{
    if (x != x || y != y)
        return (float)NAN;
    if (x == y)
        return x;
    if (x == 0)
        return __builtin_copysignf(0x1p-24f, y);
    int grow = (y > x) == (x > 0);
    if (!isfinite(x))
        return __builtin_copysignf(65504.0f, x);
    int e;
    double a = x < 0 ? -x : x, m = frexp(a, &e);
    if (!grow && m == 0.5) /* the neighbour below a power of two is half as far */
        e--;
    double step = ldexp(1.0, e - 11 < -24 ? -24 : e - 11), r = grow ? a + step : a - step;
    return __builtin_copysignf(r > 65504.0 ? (float)INFINITY : (float)r, x);
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
#endif
