/* SPDX-License-Identifier: BSD-3-Clause
 * A sort on all threads. Many rows are shared among them. A long vector is sorted by sampling: the
 * elements of a sample say between which bounds (splitters) there are about as many elements each;
 * these go to a bucket, which is small enough to be sorted in cache. Pieces of the vector are of
 * one length at any number of threads, and keep their order within a bucket, so that all is as
 * stable as the sort of a bucket. The splitters are a search tree in breadth-first order, gone down
 * without a branch by some elements side by side, so that no element waits for another: P. Sanders
 * and S. Winkel, Super scalar sample sort, ESA (2004). */
#include "kernel/lib/sort.h"

#include <immintrin.h>

enum {
    LEVELS = 7, /* of the tree, which then fits in half of the registers of AVX-512 */
    BUCKETS = 1 << LEVELS,
    SAMPLE = 64,    /* elements that are looked at for each bucket */
    LONG = 1 << 18, /* elements of a vector from which on buckets pay */
    PIECE = 1 << 16,
    SHARES = 64,    /* of rows, at most */
    MANY = 1 << 14, /* elements of all rows that are worth other threads */
    TOGETHER = 16,
};

typedef struct Buckets {
    KernelCx *cx;
    DType dtype;
    int64_t n, stride, pieces;
    const char *from;
    char *to;
    uint8_t *bucket;                     /* of each element */
    int64_t (*places)[BUCKETS];          /* of each piece: how many, then where the next one goes */
    int64_t first[BUCKETS + 1];          /* of each bucket */
    char tree[BUCKETS * sizeof(double)]; /* node k has the children 2 k and 2 k + 1; 0 is none */
} Buckets;

/* ---- in vectors ---- */

#define WIDE __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))

static bool
wide(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

/* One of the splitters in two registers, or in those of four of eight, by the lower bits. */
#define PICK_32(j, t) _mm512_permutex2var_epi32((t)[0], j, (t)[1])
#define PICK_64(j, t) _mm512_permutex2var_epi64((t)[0], j, (t)[1])
#define PICK_2x(W, j, bit, t)                                                                      \
    _mm512_mask_blend_epi##W(_mm512_test_epi##W##_mask(j, _mm512_set1_epi##W(bit)),                \
                             PICK_##W(j, t), PICK_##W(j, (t) + 2))
#define PICK_4x(W, j, bit, t)                                                                      \
    _mm512_mask_blend_epi##W(_mm512_test_epi##W##_mask(j, _mm512_set1_epi##W(2 * (bit))),          \
                             PICK_2x(W, j, bit, t), PICK_2x(W, j, bit, (t) + 4))
/* What is picked at each level of the tree, of which a register holds 16 or 8 splitters. */
#define SPLITTER_32(level, j, t)                                                                   \
    (level < 5 ? PICK_32(j, t) : level < 6 ? PICK_32(j, (t) + 2) : PICK_2x(32, j, 32, (t) + 4))
#define SPLITTER_64(level, j, t)                                                                   \
    (level < 4   ? PICK_64(j, t)                                                                   \
     : level < 5 ? PICK_64(j, (t) + 2)                                                             \
     : level < 6 ? PICK_2x(64, j, 16, (t) + 4)                                                     \
                 : PICK_4x(64, j, 16, (t) + 8))
#define BEYOND_i32(v, t) _mm512_cmpgt_epi32_mask(v, t)
#define BEYOND_u32(v, t) _mm512_cmpgt_epu32_mask(v, t)
#define BEYOND_f32(v, t)                                                                           \
    _mm512_cmp_ps_mask(_mm512_castsi512_ps(v), _mm512_castsi512_ps(t), _CMP_NLE_UQ)
#define BEYOND_i64(v, t) _mm512_cmpgt_epi64_mask(v, t)
#define BEYOND_u64(v, t) _mm512_cmpgt_epu64_mask(v, t)
#define BEYOND_f64(v, t)                                                                           \
    _mm512_cmp_pd_mask(_mm512_castsi512_pd(v), _mm512_castsi512_pd(t), _CMP_NLE_UQ)
#define PUT_32(to, j) _mm_storeu_si128((__m128i *)(void *)(to), _mm512_cvtepi32_epi8(j))
#define PUT_64(to, j) _mm_storel_epi64((__m128i *)(void *)(to), _mm512_cvtepi64_epi8(j))

/* Of elements in a row: the buckets of all but the last few. Yields how many these are. */
#define SPLIT_WIDE(W, NAME)                                                                        \
    WIDE static int64_t split_wide_##NAME(const char *at, int64_t n, const void *tree,             \
                                          uint8_t *to)                                             \
    {                                                                                              \
        enum { LANES = 512 / W, REGISTERS = (1 << LEVELS) / LANES };                               \
        __m512i t[REGISTERS], one = _mm512_set1_epi##W(1);                                         \
        for (int k = 0; k < REGISTERS; k++)                                                        \
            t[k] = _mm512_loadu_si512((const char *)tree + 64 * k);                                \
        int64_t i = 0;                                                                             \
        for (; i + 2 * LANES <= n; i += 2 * LANES) {                                               \
            __m512i v = _mm512_loadu_si512(at + i * (W / 8)), j = one,                             \
                    w = _mm512_loadu_si512(at + (i + LANES) * (W / 8)), k = one;                   \
            _Pragma("GCC unroll 7") for (int level = 0; level < LEVELS; level++)                   \
            {                                                                                      \
                __mmask##W##_LANES a = BEYOND_##NAME(v, SPLITTER_##W(level, j, t)),                \
                                   b = BEYOND_##NAME(w, SPLITTER_##W(level, k, t));                \
                j = _mm512_add_epi##W(j, j), k = _mm512_add_epi##W(k, k);                          \
                j = _mm512_mask_add_epi##W(j, a, j, one);                                          \
                k = _mm512_mask_add_epi##W(k, b, k, one);                                          \
            }                                                                                      \
            PUT_##W(to + i, _mm512_sub_epi##W(j, _mm512_set1_epi##W(1 << LEVELS)));                \
            PUT_##W(to + i + LANES, _mm512_sub_epi##W(k, _mm512_set1_epi##W(1 << LEVELS)));        \
        }                                                                                          \
        return i;                                                                                  \
    }
typedef __mmask16 __mmask32_LANES;
typedef __mmask8 __mmask64_LANES;
SPLIT_WIDE(32, i32)
SPLIT_WIDE(32, u32)
SPLIT_WIDE(32, f32)
SPLIT_WIDE(64, i64)
SPLIT_WIDE(64, u64)
SPLIT_WIDE(64, f64)

/* ---- one by one ---- */

/* Every NaN goes right, for the comparison is turned round. */
#define SPLIT(T, NAME)                                                                             \
    static void split_##NAME(const Buckets *s, int64_t at, int64_t n)                              \
    {                                                                                              \
        T tree[BUCKETS];                                                                           \
        uint8_t *to = s->bucket + at;                                                              \
        const char *from = s->from + at * s->stride;                                               \
        memcpy(tree, s->tree, sizeof tree);                                                        \
        int64_t i = s->stride == sizeof(T) && wide() ? split_wide_##NAME(from, n, tree, to) : 0;   \
        for (; i < n; i += TOGETHER) {                                                             \
            unsigned node[TOGETHER];                                                               \
            T v[TOGETHER];                                                                         \
            int m = n - i < TOGETHER ? (int)(n - i) : TOGETHER;                                    \
            for (int k = 0; k < TOGETHER; k++) {                                                   \
                memcpy(&v[k], from + (i + (k < m ? k : 0)) * s->stride, sizeof(T));                \
                node[k] = 1;                                                                       \
            }                                                                                      \
            for (int level = 0; level < LEVELS; level++)                                           \
                for (int k = 0; k < TOGETHER; k++)                                                 \
                    node[k] = 2 * node[k] + !(v[k] <= tree[node[k]]);                              \
            for (int k = 0; k < m; k++)                                                            \
                to[i + k] = (uint8_t)(node[k] - BUCKETS);                                          \
        }                                                                                          \
    }
SPLIT(int32_t, i32)
SPLIT(uint32_t, u32)
SPLIT(int64_t, i64)
SPLIT(uint64_t, u64)
SPLIT(float, f32)
SPLIT(double, f64)

/* ---- a long vector ---- */

/* The bucket of each element of a piece, and how many go to each: two counts of each, so that of
 * two neighbours in one bucket none waits for the other. */
static int
split_piece(void *env, int64_t c, int worker)
{
    Buckets *s = env;
    int64_t at = c * PIECE, n = s->n - at < PIECE ? s->n - at : PIECE, count[2][BUCKETS] = {{0}};
    (void)worker;
    switch (s->dtype) {
#define CASE(NAME)                                                                                 \
    case DT_##NAME:                                                                                \
        split_##NAME(s, at, n);                                                                    \
        break;
        CASE(i32)
        CASE(u32)
        CASE(i64)
        CASE(u64)
        CASE(f32)
    default:
        split_f64(s, at, n);
        break;
    }
    for (int64_t i = 0; i < n; i++)
        count[i & 1][s->bucket[at + i]]++;
    for (int b = 0; b < BUCKETS; b++)
        s->places[c][b] = count[0][b] + count[1][b];
    return 0;
}

static int
move_piece(void *env, int64_t c, int worker)
{
    Buckets *s = env;
    int64_t *place = s->places[c], end = (c + 1) * PIECE < s->n ? (c + 1) * PIECE : s->n;
    const char *from = s->from;
    (void)worker;
    if (order_of(s->dtype).bytes == 8)
        for (int64_t i = c * PIECE; i < end; i++)
            memcpy(s->to + 8 * place[s->bucket[i]]++, from + i * s->stride, 8);
    else
        for (int64_t i = c * PIECE; i < end; i++)
            memcpy(s->to + 4 * place[s->bucket[i]]++, from + i * s->stride, 4);
    return 0;
}

static int
sort_bucket(void *env, int64_t b, int worker)
{
    Buckets *s = env;
    int bytes = order_of(s->dtype).bytes;
    Lane l = {s->to + s->first[b] * bytes, s->first[b + 1] - s->first[b], bytes};
    SwMem *m = NULL;
    (void)worker;
    bool done = sort_one(l, s->dtype, &m);
    if (m)
        m->free_fn(m);
    return !done;
}

static int
look(void *env)
{
    return kernel_stops(((Buckets *)env)->cx);
}

static bool
is_nan_at(const char *at, DType d)
{
    float f;
    double g;
    memcpy(&f, at, sizeof f);
    if (d != DT_f64)
        return d == DT_f32 && f != f;
    memcpy(&g, at, sizeof g);
    return g != g;
}

/* Splitters from a sorted sample, whose k-th is at place (2 r + 1) << above of the order, where r
 * counts the nodes of a level. A NaN becomes infinity, beyond which are NaN alone. */
static void
make_tree(Buckets *s, const char *sample, int64_t n)
{
    static const float infinity_f32 = __builtin_inff();
    static const double infinity_f64 = __builtin_inf();
    int bytes = order_of(s->dtype).bytes;
    memset(s->tree, 0, sizeof s->tree);
    for (int node = 1; node < BUCKETS; node++) {
        int level = 31 - __builtin_clz((unsigned)node), above = LEVELS - 1 - level;
        int64_t k = (int64_t)(2 * (node - (1 << level)) + 1) << above;
        const char *at = sample + k * n / BUCKETS * bytes;
        if (is_nan_at(at, s->dtype))
            at = bytes == 4 ? (const char *)&infinity_f32 : (const char *)&infinity_f64;
        memcpy(s->tree + node * bytes, at, (size_t)bytes);
    }
}

/* Sorted in the memory of the result. */
static bool
choose_splitters(Buckets *s)
{
    int bytes = order_of(s->dtype).bytes;
    int64_t n = BUCKETS * SAMPLE, step = s->n / n;
    for (int64_t i = 0; i < n; i++)
        memcpy(s->to + i * bytes, s->from + i * step * s->stride, (size_t)bytes);
    SwMem *m = NULL;
    bool done = sort_one((Lane){s->to, n, bytes}, s->dtype, &m);
    if (done)
        make_tree(s, s->to, n);
    if (m)
        m->free_fn(m);
    return done;
}

/* Counts become places: of one bucket, piece by piece. */
static void
place_pieces(Buckets *s)
{
    int64_t at = 0;
    for (int b = 0; b < BUCKETS; b++) {
        s->first[b] = at;
        for (int64_t c = 0; c < s->pieces; c++) {
            int64_t count = s->places[c][b];
            s->places[c][b] = at;
            at += count;
        }
    }
    s->first[BUCKETS] = at;
}

static int64_t
run(KernelChunk *body, Buckets *s, int64_t n)
{
    int64_t failed = kernel_host()->run(body, s, n, 0, look);
    if (!failed)
        return kernel_stops(s->cx) ? KERNEL_STOPPED : 0;
    return failed > n && kernel_stops(s->cx) ? KERNEL_STOPPED : KERNEL_NO_MEMORY;
}

static int64_t
sort_long(KernelCx *cx, Lane from, char *to, DType d)
{
    Buckets s = {.cx = cx, .dtype = d, .n = from.n, .stride = from.stride, .from = from.at};
    s.to = to;
    s.pieces = (from.n + PIECE - 1) / PIECE;
    size_t places = (size_t)s.pieces * sizeof s.places[0];
    SwMem *m = kernel_host()->alloc(places + (size_t)s.n);
    if (!m)
        return KERNEL_NO_MEMORY;
    s.places = (void *)m->data;
    s.bucket = (uint8_t *)m->data + places;
    int64_t status = choose_splitters(&s) ? 0 : KERNEL_NO_MEMORY;
    status = status ? status : run(split_piece, &s, s.pieces);
    if (!status) {
        place_pieces(&s);
        status = run(move_piece, &s, s.pieces);
    }
    status = status ? status : run(sort_bucket, &s, BUCKETS);
    m->free_fn(m);
    return status;
}

/* ---- rows ---- */

typedef struct Rows {
    KernelCx *cx;
    KernelArg *arg;
    int64_t n, shares; /* of rows */
} Rows;

static bool
sort_row(Lane from, Lane to, DType d, SwMem **m)
{
    size_t bytes = (size_t)order_of(d).bytes;
    for (int64_t i = 0; i < from.n; i++)
        memcpy(to.at + i * to.stride, from.at + i * from.stride, bytes);
    return sort_one(to, d, m);
}

static int
sort_share(void *env, int64_t c, int worker)
{
    Rows *r = env;
    int64_t lo = r->n * c / r->shares, hi = r->n * (c + 1) / r->shares;
    Lane from = {NULL, kernel_dim(r->arg, 1), kernel_stride(r->arg, 1)},
         to = {NULL, from.n, kernel_stride(r->arg + 1, 1)};
    SwMem *m = NULL;
    bool done = true;
    Walk w;
    (void)worker;
    walk_begin(&w, r->arg, 2, (const int[]){1, 1});
    for (int64_t i = 0; done && i < hi; i++, walk_next(&w)) {
        from.at = w.data[0];
        to.at = w.data[1];
        done = i < lo || sort_row(from, to, (DType)r->arg->dtype, &m);
    }
    if (m)
        m->free_fn(m);
    return !done;
}

static int
look_among_rows(void *env)
{
    return kernel_stops(((Rows *)env)->cx);
}

KERNEL(sort_into, "a, out", "r(n) w(n)", "any")
{
    DType d = (DType)arg->dtype;
    Order o = order_of(d);
    Walk w;
    walk_begin(&w, arg, 2, (const int[]){1, 1});
    Lane from = {w.data[0], kernel_dim(arg, 1), kernel_stride(arg, 1)};
    bool in_row =
        kernel_stride(arg + 1, 1) == o.bytes && (uintptr_t)w.data[1] % (size_t)o.bytes == 0;
    if (!w.left || !from.n)
        return 0;
    if (w.left == 1 && from.n >= LONG && in_row && o.bytes >= 4 && !is_complex(d))
        return sort_long(cx, from, w.data[1], d);
    bool many = w.left > MANY / from.n;
    Rows r = {cx, arg, w.left, !many ? 1 : w.left < SHARES ? w.left : SHARES};
    int64_t failed = kernel_host()->run(sort_share, &r, r.shares, 0, look_among_rows);
    return kernel_stops(cx) ? KERNEL_STOPPED : failed ? KERNEL_NO_MEMORY : 0;
}
