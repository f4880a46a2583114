/* SPDX-License-Identifier: BSD-3-Clause
 * As wide.h splits elements by a value, with the vectors of AVX-512, which bring the lanes of a
 * mask together themselves: 8 elements of 64 bits at a time, 16 of 32, 32 of 16. */
#ifndef SWATHE_KERNEL_WIDEST_H
#define SWATHE_KERNEL_WIDEST_H
#include "kernel/lib/wide.h"

#define WIDEST                                                                                     \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx512vbmi2,bmi,bmi2,popcnt")))

static inline bool
widest(void)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

/* What wide.h says of SPLIT_WIDE. */
#define SPLIT_WIDEST(T, BITS, NAME, LESS)                                                          \
    WIDEST static Sides split_widest_##NAME(T *a, T *tmp, int64_t n, T p, bool equal)              \
    {                                                                                              \
        enum { LANES = 512 / BITS };                                                               \
        Sides s = {0};                                                                             \
        int##BITS##_t bits;                                                                        \
        memcpy(&bits, &p, sizeof bits);                                                            \
        __m512i v = SPLAT_512_##BITS(bits);                                                        \
        for (; s.seen + LANES <= n; s.seen += LANES) {                                             \
            __m512i x = _mm512_loadu_si512(a + s.seen);                                            \
            MASK_512_##BITS m =                                                                    \
                equal ? (MASK_512_##BITS) ~LESS(v, x) : (MASK_512_##BITS)LESS(x, v);               \
            MASK_512_##BITS others = (MASK_512_##BITS) ~m;                                         \
            _mm512_storeu_si512(a + s.less, COMPRESS_512_##BITS(m, x));                            \
            _mm512_storeu_si512(tmp + s.rest, COMPRESS_512_##BITS(others, x));                     \
            int count = __builtin_popcount(m);                                                     \
            s.less += count;                                                                       \
            s.rest += LANES - count;                                                               \
        }                                                                                          \
        return s;                                                                                  \
    }
#define MASK_512_16 __mmask32
#define MASK_512_32 __mmask16
#define MASK_512_64 __mmask8
#define SPLAT_512_16(p) _mm512_set1_epi16(p)
#define SPLAT_512_32(p) _mm512_set1_epi32(p)
#define SPLAT_512_64(p) _mm512_set1_epi64(p)
#define COMPRESS_512_16(m, x) _mm512_maskz_compress_epi16(m, x)
#define COMPRESS_512_32(m, x) _mm512_maskz_compress_epi32(m, x)
#define COMPRESS_512_64(m, x) _mm512_maskz_compress_epi64(m, x)
#define LESS_512_f32(x, y)                                                                         \
    _mm512_cmp_ps_mask(_mm512_castsi512_ps(x), _mm512_castsi512_ps(y), _CMP_LT_OQ)
#define LESS_512_f64(x, y)                                                                         \
    _mm512_cmp_pd_mask(_mm512_castsi512_pd(x), _mm512_castsi512_pd(y), _CMP_LT_OQ)
SPLIT_WIDEST(int16_t, 16, i16, _mm512_cmplt_epi16_mask)
SPLIT_WIDEST(uint16_t, 16, u16, _mm512_cmplt_epu16_mask)
SPLIT_WIDEST(int32_t, 32, i32, _mm512_cmplt_epi32_mask)
SPLIT_WIDEST(uint32_t, 32, u32, _mm512_cmplt_epu32_mask)
SPLIT_WIDEST(int64_t, 64, i64, _mm512_cmplt_epi64_mask)
SPLIT_WIDEST(uint64_t, 64, u64, _mm512_cmplt_epu64_mask)
SPLIT_WIDEST(float, 32, f32, LESS_512_f32)
SPLIT_WIDEST(double, 64, f64, LESS_512_f64)

/* Is one of them a NaN? */
WIDEST static bool
any_nan_f32(const float *a, int64_t n)
{
    __mmask16 any = 0;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m512 x = _mm512_loadu_ps(a + i);
        any |= _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    }
    for (; i < n; i++)
        any |= a[i] != a[i];
    return any;
}

WIDEST static bool
any_nan_f64(const double *a, int64_t n)
{
    __mmask8 any = 0;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m512d x = _mm512_loadu_pd(a + i);
        any |= _mm512_cmp_pd_mask(x, x, _CMP_UNORD_Q);
    }
    for (; i < n; i++)
        any |= a[i] != a[i];
    return any;
}

#endif
