/* SPDX-License-Identifier: BSD-3-Clause
 * Four elements at a time by the side of a value on which they lie: a comparison's mask chooses how
 * a vector is shuffled, so that those of one side stand in front, and all four are stored; what
 * comes next is stored over the others. */
#ifndef SWATHE_KERNEL_WIDE_H
#define SWATHE_KERNEL_WIDE_H
#include "kernel/lib/lib.h"

#include <immintrin.h>

#define WIDE __attribute__((target("avx2,bmi,popcnt")))

static inline bool
wide(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("popcnt");
}

/* By mask: which lanes it has, in order, then any. */
#define LANES_BY_MASK(ROW)                                                                         \
    {                                                                                              \
        ROW(0, 0, 0, 0), ROW(0, 0, 0, 0), ROW(1, 0, 0, 0), ROW(0, 1, 0, 0), ROW(2, 0, 0, 0),       \
            ROW(0, 2, 0, 0), ROW(1, 2, 0, 0), ROW(0, 1, 2, 0), ROW(3, 0, 0, 0), ROW(0, 3, 0, 0),   \
            ROW(1, 3, 0, 0), ROW(0, 1, 3, 0), ROW(2, 3, 0, 0), ROW(0, 2, 3, 0), ROW(1, 2, 3, 0),   \
            ROW(0, 1, 2, 3)                                                                        \
    }
#define ROW_4(a, b, c, d)                                                                          \
    {                                                                                              \
        a, b, c, d                                                                                 \
    }
#define ROW_8(a, b, c, d)                                                                          \
    {                                                                                              \
        2 * a, 2 * a + 1, 2 * b, 2 * b + 1, 2 * c, 2 * c + 1, 2 * d, 2 * d + 1                     \
    }
static const int64_t lanes_of[16][4] = LANES_BY_MASK(ROW_4);
static const int32_t shuffle_4[16][4] = LANES_BY_MASK(ROW_4); /* of 32 bits */
static const int32_t shuffle_8[16][8] = LANES_BY_MASK(ROW_8); /* of 64 bits, by halves */

WIDE static inline void
put_4x32(void *to, __m128i x, unsigned mask)
{
    __m128i how = _mm_loadu_si128((const __m128i *)shuffle_4[mask]);
    _mm_storeu_ps(to, _mm_permutevar_ps(_mm_castsi128_ps(x), how));
}

WIDE static inline void
put_4x64(void *to, __m256i x, unsigned mask)
{
    __m256i how = _mm256_loadu_si256((const __m256i *)shuffle_8[mask]);
    _mm256_storeu_si256(to, _mm256_permutevar8x32_epi32(x, how));
}

WIDE static inline void
put_places(int64_t *to, int64_t from, unsigned mask)
{
    __m256i lanes = _mm256_loadu_si256((const __m256i *)lanes_of[mask]);
    _mm256_storeu_si256((__m256i *)to, _mm256_add_epi64(lanes, _mm256_set1_epi64x(from)));
}

/* ---- comparisons, as masks of four lanes ----------------------------------------------------- */

#define SPLAT_32(p) _mm_set1_epi32(p)
#define SPLAT_64(p) _mm256_set1_epi64x(p)
#define LOAD_32(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define LOAD_64(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define MASK_32(x) (unsigned)_mm_movemask_ps(_mm_castsi128_ps(x))
#define MASK_64(x) (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(x))
#define SIGN_32(x) _mm_xor_si128(x, _mm_set1_epi32(INT32_MIN))
#define SIGN_64(x) _mm256_xor_si256(x, _mm256_set1_epi64x(INT64_MIN))
#define PS(x) _mm_castsi128_ps(x)
#define PD(x) _mm256_castsi256_pd(x)
#define LT_i32(x, y) MASK_32(_mm_cmplt_epi32(x, y))
#define LT_u32(x, y) LT_i32(SIGN_32(x), SIGN_32(y))
#define LT_i64(x, y) MASK_64(_mm256_cmpgt_epi64(y, x))
#define LT_u64(x, y) LT_i64(SIGN_64(x), SIGN_64(y))
#define LT_f32(x, y) (unsigned)_mm_movemask_ps(_mm_cmp_ps(PS(x), PS(y), _CMP_LT_OQ))
#define LT_f64(x, y) (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(PD(x), PD(y), _CMP_LT_OQ))

typedef struct Sides {
    int64_t seen, less, same, rest; /* how many of all; on which side they were */
} Sides;

/* Those less than p, or with `equal` all that are not greater, to the front of `a`, others to
 * `tmp`; fewer than four at the end are left. A store reaches no further than what was read. */
#define SPLIT_WIDE(T, BITS, VECTOR, NAME)                                                          \
    WIDE static inline Sides split_wide_##NAME(T *a, T *tmp, int64_t n, T p, bool equal)           \
    {                                                                                              \
        Sides s = {0};                                                                             \
        int##BITS##_t bits;                                                                        \
        memcpy(&bits, &p, sizeof bits);                                                            \
        VECTOR v = SPLAT_##BITS(bits);                                                             \
        for (; s.seen + 4 <= n; s.seen += 4) {                                                     \
            VECTOR x = LOAD_##BITS(a + s.seen);                                                    \
            unsigned m = equal ? 15 ^ LT_##NAME(v, x) : LT_##NAME(x, v);                           \
            put_4x##BITS(a + s.less, x, m);                                                        \
            put_4x##BITS(tmp + s.rest, x, 15 ^ m);                                                 \
            int count = __builtin_popcount(m);                                                     \
            s.less += count;                                                                       \
            s.rest += 4 - count;                                                                   \
        }                                                                                          \
        return s;                                                                                  \
    }                                                                                              \
    /* Where those less than p are to `to`, those equal to it to `same`, others to `rest`. */      \
    WIDE static inline Sides sides_wide_##NAME(const T *a, int64_t n, T p, int64_t *to,            \
                                               int64_t *same, int64_t *rest)                       \
    {                                                                                              \
        Sides s = {0};                                                                             \
        int##BITS##_t bits;                                                                        \
        memcpy(&bits, &p, sizeof bits);                                                            \
        VECTOR v = SPLAT_##BITS(bits);                                                             \
        for (; s.seen + 4 <= n; s.seen += 4) {                                                     \
            VECTOR x = LOAD_##BITS(a + s.seen);                                                    \
            unsigned less = LT_##NAME(x, v), more = GREATER_##NAME(x, v);                          \
            unsigned equal = 15 ^ (less | more);                                                   \
            put_places(to + s.less, s.seen, less);                                                 \
            put_places(rest + s.rest, s.seen, more);                                               \
            if (equal)                                                                             \
                put_places(same + s.same, s.seen, equal);                                          \
            s.less += __builtin_popcount(less);                                                    \
            s.rest += __builtin_popcount(more);                                                    \
            s.same += __builtin_popcount(equal);                                                   \
        }                                                                                          \
        return s;                                                                                  \
    }
/* Greater, or a NaN. */
#define GREATER_i32(x, y) LT_i32(y, x)
#define GREATER_u32(x, y) LT_u32(y, x)
#define GREATER_i64(x, y) LT_i64(y, x)
#define GREATER_u64(x, y) LT_u64(y, x)
#define GREATER_f32(x, y) (unsigned)_mm_movemask_ps(_mm_cmp_ps(PS(x), PS(y), _CMP_NLE_UQ))
#define GREATER_f64(x, y) (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(PD(x), PD(y), _CMP_NLE_UQ))
SPLIT_WIDE(int32_t, 32, __m128i, i32)
SPLIT_WIDE(uint32_t, 32, __m128i, u32)
SPLIT_WIDE(int64_t, 64, __m256i, i64)
SPLIT_WIDE(uint64_t, 64, __m256i, u64)
SPLIT_WIDE(float, 32, __m128i, f32)
SPLIT_WIDE(double, 64, __m256i, f64)

#endif
