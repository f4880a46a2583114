/* SPDX-License-Identifier: BSD-3-Clause
 * Running sums, products, maxima and minima of a row. A group of elements, as many as 64 bytes hold,
 * is scanned on its own in log2 steps, each of which puts totals of neighbours before what follows
 * (J. Sklansky, Conditional-sum addition logic, IRE Trans. EC-9 (1960) 226); one operation alone
 * waits for the group before. So sums of what isn't negative never fall, and results have the same
 * bits with vectors and without. */
#include "kernel/lib/lib.h"

#include <immintrin.h>

#define WIDE __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))

static bool
wide(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

typedef struct Row {
    const char *x;
    char *out;
    int64_t n, step, out_step; /* in bytes */
} Row;

/* Of maxima and minima the second one, where it is NaN, and the first one where they are equal. */
#define OP_add(T, U, a, b) ((T)((U)(a) + (U)(b)))
#define OP_mul(T, U, a, b) ((T)((U)(a) * (U)(b)))
#define OP_max(T, U, a, b) ((b) > (a) || (b) != (b) ? (b) : (a))
#define OP_min(T, U, a, b) ((b) < (a) || (b) != (b) ? (b) : (a))

/* ---- in vectors ------------------------------------------------------------------------------ */

/* Lanes with bit k get the last lane of the half of 2^(k + 1) before theirs. */
#define BEFORE_64_0(v) _mm512_permute_pd(v, 0)
#define BEFORE_64_1(v) _mm512_permutex_pd(v, 0x55)
#define BEFORE_64_2(v) _mm512_permutexvar_pd(_mm512_set1_epi64(3), v)
#define LAST_64(v) _mm512_permutexvar_pd(_mm512_set1_epi64(7), v)
#define BEFORE_32_0(v) _mm512_permute_ps(v, 0xa0)
#define BEFORE_32_1(v) _mm512_permute_ps(v, 0x55)
#define BEFORE_32_2(v)                                                                             \
    _mm512_castpd_ps(_mm512_permutex_pd(_mm512_castps_pd(_mm512_permute_ps(v, 0xff)), 0x55))
#define BEFORE_32_3(v) _mm512_permutexvar_ps(_mm512_set1_epi32(7), v)
#define LAST_32(v) _mm512_permutexvar_ps(_mm512_set1_epi32(15), v)

/* These instructions yield the last operand where one is NaN. */
#define OR_NAN(S, r, b) _mm512_mask_mov_##S(r, _mm512_cmp_##S##_mask(b, b, _CMP_UNORD_Q), b)
#define V_f64_add(a, b) _mm512_add_pd(a, b)
#define V_f64_mul(a, b) _mm512_mul_pd(a, b)
#define V_f64_max(a, b) OR_NAN(pd, _mm512_max_pd(b, a), b)
#define V_f64_min(a, b) OR_NAN(pd, _mm512_min_pd(b, a), b)
#define V_f32_add(a, b) _mm512_add_ps(a, b)
#define V_f32_mul(a, b) _mm512_mul_ps(a, b)
#define V_f32_max(a, b) OR_NAN(ps, _mm512_max_ps(b, a), b)
#define V_f32_min(a, b) OR_NAN(ps, _mm512_min_ps(b, a), b)
#define D(a) _mm512_castpd_si512(a)
#define F(a) _mm512_castps_si512(a)
#define V_i64_add(a, b) _mm512_castsi512_pd(_mm512_add_epi64(D(a), D(b)))
#define V_i64_mul(a, b) _mm512_castsi512_pd(_mm512_mullo_epi64(D(a), D(b)))
#define V_i64_max(a, b) _mm512_castsi512_pd(_mm512_max_epi64(D(a), D(b)))
#define V_i64_min(a, b) _mm512_castsi512_pd(_mm512_min_epi64(D(a), D(b)))
#define V_i32_add(a, b) _mm512_castsi512_ps(_mm512_add_epi32(F(a), F(b)))
#define V_i32_mul(a, b) _mm512_castsi512_ps(_mm512_mullo_epi32(F(a), F(b)))
#define V_i32_max(a, b) _mm512_castsi512_ps(_mm512_max_epi32(F(a), F(b)))
#define V_i32_min(a, b) _mm512_castsi512_ps(_mm512_min_epi32(F(a), F(b)))

#define STEP_64(v, op, k, mask) _mm512_mask_mov_pd(v, mask, op(BEFORE_64_##k(v), v))
#define STEP_32(v, op, k, mask) _mm512_mask_mov_ps(v, mask, op(BEFORE_32_##k(v), v))
#define SCAN_64(v, op)                                                                             \
    v = STEP_64(v, op, 0, 0xaa), v = STEP_64(v, op, 1, 0xcc), v = STEP_64(v, op, 2, 0xf0)
#define SCAN_32(v, op)                                                                             \
    v = STEP_32(v, op, 0, 0xaaaa), v = STEP_32(v, op, 1, 0xcccc), v = STEP_32(v, op, 2, 0xf0f0),   \
    v = STEP_32(v, op, 3, 0xff00)

/* Whole groups that lie in a row: how many elements these are. */
#define IN_LANES(W, S, NAME, T, OP)                                                                \
    WIDE static int64_t wide_##NAME##_##OP(Row r, T *carry)                                        \
    {                                                                                              \
        int64_t i = 0, lanes = 512 / W;                                                            \
        VECTOR_##W acc = SPLAT_##W(*carry);                                                        \
        for (; i + lanes <= r.n; i += lanes) {                                                     \
            VECTOR_##W v = _mm512_loadu_##S(r.x + i * (W / 8));                                    \
            SCAN_##W(v, V_##NAME##_##OP);                                                          \
            VECTOR_##W all = LAST_##W(v);                                                          \
            _mm512_storeu_##S(r.out + i * (W / 8), V_##NAME##_##OP(acc, v));                       \
            acc = V_##NAME##_##OP(acc, all);                                                       \
        }                                                                                          \
        memcpy(carry, &acc, sizeof *carry);                                                        \
        return i;                                                                                  \
    }
#define VECTOR_64 __m512d
#define VECTOR_32 __m512
/* Of a number's bits. */
#define SPLAT_64(c)                                                                                \
    _mm512_castsi512_pd(_mm512_set1_epi64(((union {                                                \
                                              __typeof__(c) of;                                    \
                                              int64_t bits;                                        \
                                          }){c})                                                   \
                                              .bits))
#define SPLAT_32(c)                                                                                \
    _mm512_castsi512_ps(_mm512_set1_epi32(((union {                                                \
                                              __typeof__(c) of;                                    \
                                              int32_t bits;                                        \
                                          }){c})                                                   \
                                              .bits))

/* ---- one by one ------------------------------------------------------------------------------ */

/* Groups, then what is left. */
#define ONE_BY_ONE(NAME, T, U, OP)                                                                 \
    static void plain_##NAME##_##OP(Row r, T *carry)                                               \
    {                                                                                              \
        enum { GROUP = 64 / sizeof(T) };                                                           \
        T acc = *carry, v[GROUP];                                                                  \
        int64_t i = 0;                                                                             \
        for (; i + GROUP <= r.n; i += GROUP) {                                                     \
            for (int k = 0; k < GROUP; k++)                                                        \
                memcpy(v + k, r.x + (i + k) * r.step, sizeof(T));                                  \
            for (int by = 1; by < GROUP; by *= 2)                                                  \
                for (int k = 0; k < GROUP; k++)                                                    \
                    if (k & by)                                                                    \
                        v[k] = OP_##OP(T, U, v[(k & -2 * by) + by - 1], v[k]);                     \
            T all = v[GROUP - 1];                                                                  \
            for (int k = 0; k < GROUP; k++) {                                                      \
                v[k] = OP_##OP(T, U, acc, v[k]);                                                   \
                memcpy(r.out + (i + k) * r.out_step, v + k, sizeof(T));                            \
            }                                                                                      \
            acc = OP_##OP(T, U, acc, all);                                                         \
        }                                                                                          \
        for (; i < r.n; i++) {                                                                     \
            memcpy(v, r.x + i * r.step, sizeof(T));                                                \
            acc = OP_##OP(T, U, acc, v[0]);                                                        \
            memcpy(r.out + i * r.out_step, &acc, sizeof(T));                                       \
        }                                                                                          \
        *carry = acc;                                                                              \
    }

/* ---- rows ------------------------------------------------------------------------------------ */

typedef void Scan(Row r, char *carry);

#define SCAN_BY(W, S, NAME, T, U, OP)                                                              \
    IN_LANES(W, S, NAME, T, OP)                                                                    \
    ONE_BY_ONE(NAME, T, U, OP)                                                                     \
    static void scan_##NAME##_##OP(Row r, char *carry)                                             \
    {                                                                                              \
        T acc;                                                                                     \
        memcpy(&acc, carry, sizeof acc);                                                           \
        if (r.step == sizeof(T) && r.out_step == sizeof(T) && wide()) {                            \
            int64_t done = wide_##NAME##_##OP(r, &acc);                                            \
            r.x += done * r.step;                                                                  \
            r.out += done * r.step;                                                                \
            r.n -= done;                                                                           \
        }                                                                                          \
        plain_##NAME##_##OP(r, &acc);                                                              \
        memcpy(carry, &acc, sizeof acc);                                                           \
    }
#define SCANS(W, S, NAME, T, U)                                                                    \
    SCAN_BY(W, S, NAME, T, U, add)                                                                 \
    SCAN_BY(W, S, NAME, T, U, mul)                                                                 \
    SCAN_BY(W, S, NAME, T, U, max)                                                                 \
    SCAN_BY(W, S, NAME, T, U, min)
SCANS(64, pd, f64, double, double)
SCANS(32, ps, f32, float, float)
SCANS(64, pd, i64, int64_t, uint64_t)
SCANS(32, ps, i32, int32_t, uint32_t)

enum { OPS = 4 };
#define ROW(NAME)                                                                                  \
    {                                                                                              \
        scan_##NAME##_add, scan_##NAME##_mul, scan_##NAME##_max, scan_##NAME##_min                 \
    }
static Scan *const scan_of[DT_COUNT][OPS] = {
    [DT_f64] = ROW(f64),
    [DT_f32] = ROW(f32),
    [DT_i64] = ROW(i64),
    [DT_i32] = ROW(i32),
};

/* Each element with all before it, of which `carry` has the total, and that of all afterwards. */
KERNEL(prefix, "x, out, carry, op", "r(n) w(n) rw(m) n", "float64 float32 int64 int32")
{
    (void)cx;
    Walk w;
    walk_begin(&w, arg, 3, (const int[]){1, 1, 1});
    Scan *scan = scan_of[arg[0].dtype][arg[3].n];
    for (; w.left; walk_next(&w))
        scan((Row){w.data[0], w.data[1], kernel_dim(arg, 1), kernel_stride(arg, 1),
                   kernel_stride(arg + 1, 1)},
             w.data[2]);
    return 0;
}
