/* SPDX-License-Identifier: BSD-3-Clause
 * Running sums, products, maxima and minima of rows. A long row is cut into blocks, always the same
 * ones: a thread takes the next, totals it, which brings it into its cache, waits for the total of
 * all before it, adds its own to that for the next one, and scans the block from there: memory is
 * read once, as by decoupled look-back (D. Merrill and M. Garland, Single-pass parallel prefix scan
 * with decoupled look-back, NVR-2016-002). Blocks are taken in order, so that nobody waits for one
 * that no thread has.
 *
 * In a block, a group of elements, as many as 64 bytes hold, is scanned on its own in log2 steps,
 * each of which puts totals of neighbours before what follows (J. Sklansky, Conditional-sum
 * addition logic, IRE Trans. EC-9 (1960) 226); one operation alone waits for the group before. What
 * comes before the block is put before each running total in it. So running sums of what isn't
 * negative never fall, and results have the same bits in whatever vectors and on however many
 * threads. */
#include "kernel/lib/lib.h"

enum {
    BLOCK = 32 << 10, /* elements: a thread's own cache holds them when they are read again */
    LONG = 4 * BLOCK, /* from here on on all threads */
    FAR = 16 << 20,   /* bytes: more than will be read again while they are in a cache */
    SHARES = 256,     /* of a region: threads, or some rows each */
    SPINS = 1000,     /* as long as a few blocks take */
};

enum { ADD, MUL, MAX, MIN, EXCLUSIVE, QUICK = 2 };

typedef struct Row {
    const char *x;
    char *out;
    int64_t n, step, out_step; /* in bytes */
} Row;

typedef struct Job {
    int op;
    Row row;
    void *total;        /* NULL: scan it */
    const void *before; /* NULL: nothing */
    const char *ahead;  /* will be read next: it comes into the cache meanwhile */
    bool exclusive;     /* a result is what is before its element, and something is */
    bool past;          /* results go past the cache */
} Job;

/* ---- loops ----------------------------------------------------------------------------------- */

#if defined __x86_64__
#define SPIN_PAUSE() __builtin_ia32_pause()
#define PAST_CACHE_DONE() __builtin_ia32_sfence() /* stores past the cache have an order again */
#else
#define SPIN_PAUSE() __asm__ volatile("" ::: "memory")
#define PAST_CACHE_DONE() ((void)0)
#endif
#define ALWAYS static inline __attribute__((always_inline))
#ifdef __clang__
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (B){__VA_ARGS__})
#endif

typedef double v_f64 __attribute__((vector_size(64)));
typedef float v_f32 __attribute__((vector_size(64)));
typedef int64_t v_i64 __attribute__((vector_size(64)));
typedef int32_t v_i32 __attribute__((vector_size(64)));
typedef uint64_t v_u64 __attribute__((vector_size(64)));
typedef uint32_t v_u32 __attribute__((vector_size(64)));

/* Of step k, lanes with bit k get the last lane of the half of 2^(k + 1) before theirs. */
#define FROM_8_0 0, 0, 2, 2, 4, 4, 6, 6
#define INTO_8_0 0, 9, 2, 11, 4, 13, 6, 15
#define FROM_8_1 1, 1, 1, 1, 5, 5, 5, 5
#define INTO_8_1 0, 1, 10, 11, 4, 5, 14, 15
#define FROM_8_2 3, 3, 3, 3, 3, 3, 3, 3
#define INTO_8_2 0, 1, 2, 3, 12, 13, 14, 15
#define LAST_8_0 7, 7, 7, 7, 7, 7, 7, 7
#define FROM_16_0 0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14
#define INTO_16_0 0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31
#define FROM_16_1 1, 1, 1, 1, 5, 5, 5, 5, 9, 9, 9, 9, 13, 13, 13, 13
#define INTO_16_1 0, 1, 18, 19, 4, 5, 22, 23, 8, 9, 26, 27, 12, 13, 30, 31
#define FROM_16_2 3, 3, 3, 3, 3, 3, 3, 3, 11, 11, 11, 11, 11, 11, 11, 11
#define INTO_16_2 0, 1, 2, 3, 20, 21, 22, 23, 8, 9, 10, 11, 28, 29, 30, 31
#define FROM_8_3 0, 0, 0, 0, 0, 0, 0, 0 /* there is no such step */
#define INTO_8_3 FROM_8_3
#define BEHIND_8_0 7, 8, 9, 10, 11, 12, 13, 14
#define BEHIND_16_0 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
#define FROM_16_3 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7
#define INTO_16_3 0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31
#define LAST_16_0 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15

#define HAS_NAN_i64(v) true
#define HAS_NAN_i32(v) true
#define QUICK_GREATER_i64 GREATER_i64
#define QUICK_LESSER_i64 LESSER_i64
#define QUICK_GREATER_i32 GREATER_i32
#define QUICK_LESSER_i32 LESSER_i32

/* Vectors are lowered to what the target has before functions become part of others: each target
 * has functions of its own. */
#define TARGET
#define STREAM(to, v) memcpy(to, &(v), sizeof(v))
#define OF(x, dtype) plain_##x##_##dtype
#define PICK(V, B, yes, a, b) ((V)(((B)(b) & (yes)) | ((B)(a) & ~(yes))))
#define OR_NAN(V, B, yes, a, b) PICK(V, B, (B)(yes) | ~((B)((b) <= (b))), a, b)
#define GREATER_f64(a, b) OR_NAN(v_f64, v_i64, (b) > (a), a, b)
#define LESSER_f64(a, b) OR_NAN(v_f64, v_i64, (b) < (a), a, b)
#define GREATER_f32(a, b) OR_NAN(v_f32, v_i32, (b) > (a), a, b)
#define LESSER_f32(a, b) OR_NAN(v_f32, v_i32, (b) < (a), a, b)
#define GREATER_i64(a, b) PICK(v_i64, v_i64, (b) > (a), a, b)
#define LESSER_i64(a, b) PICK(v_i64, v_i64, (b) < (a), a, b)
#define GREATER_i32(a, b) PICK(v_i32, v_i32, (b) > (a), a, b)
#define LESSER_i32(a, b) PICK(v_i32, v_i32, (b) < (a), a, b)
#define HAS_NAN_f64(v) true /* maybe */
#define HAS_NAN_f32(v) true
#define QUICK_GREATER_f64 GREATER_f64
#define QUICK_LESSER_f64 LESSER_f64
#define QUICK_GREATER_f32 GREATER_f32
#define QUICK_LESSER_f32 LESSER_f32
#include "kernel/lib/scan_target.h"
#ifdef __x86_64__
#include <immintrin.h>
#define TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))
#undef STREAM
#define STREAM(to, v) _mm512_stream_si512((void *)(to), (__m512i)(v))
#define OF(x, dtype) wide_##x##_##dtype
/* These instructions yield the last operand where one is NaN. */
#define UNLESS_NAN(S, r, b) _mm512_mask_mov_##S(r, _mm512_cmp_##S##_mask(b, b, _CMP_UNORD_Q), b)
#define GREATER_f64(a, b) UNLESS_NAN(pd, _mm512_max_pd(b, a), b)
#define LESSER_f64(a, b) UNLESS_NAN(pd, _mm512_min_pd(b, a), b)
#define GREATER_f32(a, b) UNLESS_NAN(ps, _mm512_max_ps(b, a), b)
#define LESSER_f32(a, b) UNLESS_NAN(ps, _mm512_min_ps(b, a), b)
#define HAS_NAN_f64(v) _mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q)
#define HAS_NAN_f32(v) _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q)
#define QUICK_GREATER_f64(a, b) _mm512_max_pd(b, a)
#define QUICK_LESSER_f64(a, b) _mm512_min_pd(b, a)
#define QUICK_GREATER_f32(a, b) _mm512_max_ps(b, a)
#define QUICK_LESSER_f32(a, b) _mm512_min_ps(b, a)
#define GREATER_i64(a, b) (v_i64) _mm512_max_epi64((__m512i)(a), (__m512i)(b))
#define LESSER_i64(a, b) (v_i64) _mm512_min_epi64((__m512i)(a), (__m512i)(b))
#define GREATER_i32(a, b) (v_i32) _mm512_max_epi32((__m512i)(a), (__m512i)(b))
#define LESSER_i32(a, b) (v_i32) _mm512_min_epi32((__m512i)(a), (__m512i)(b))
#include "kernel/lib/scan_target.h"
#endif

typedef void Loop(const Job *j);

#define LOOPS(target)                                                                              \
    {                                                                                              \
        [DT_f64] = target##_any_f64, [DT_f32] = target##_any_f32, [DT_i64] = target##_any_i64,     \
        [DT_i32] = target##_any_i32                                                                \
    }

static Loop *
loop_of(DType d)
{
    static Loop *const plain[DT_COUNT] = LOOPS(plain);
#ifdef __x86_64__
    static Loop *const wide[DT_COUNT] = LOOPS(wide);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return wide[d];
#endif
    return plain[d];
}

/* ---- a long row ------------------------------------------------------------------------------ */

typedef struct Before { /* what is before a block */
    uint64_t bits;
    uint64_t known; /* nonzero: `bits` are there */
} Before;

typedef struct Long {
    KernelCx *cx;
    Loop *loop;
    Row row;
    int op;
    size_t bytes;
    bool first; /* something is before the row */
    bool exclusive;
    int64_t blocks;
    Before *before;            /* [blocks] */
    _Alignas(64) int64_t next; /* block that no thread has */
    int stop;
} Long;

static Row
block_of(const Long *l, int64_t b)
{
    Row r = l->row;
    int64_t at = b * BLOCK;
    return (Row){r.x + at * r.step, r.out + at * r.out_step, r.n - at < BLOCK ? r.n - at : BLOCK,
                 r.step, r.out_step};
}

static uint64_t
total_of(const Long *l, int64_t b)
{
    uint64_t total = 0;
    l->loop(&(Job){.op = l->op, .row = block_of(l, b), .total = &total});
    return total;
}

static bool
knows(const Long *l, int64_t b)
{
    return __atomic_load_n(&l->before[b].known, __ATOMIC_ACQUIRE);
}

static uint64_t
before_of(const Long *l, int64_t b)
{
    return __atomic_load_n(&l->before[b].bits, __ATOMIC_RELAXED);
}

/* b becomes what the numbers a and b are together. */
static void
combine(const Long *l, const uint64_t *a, uint64_t *b)
{
    int64_t step = (int64_t)l->bytes;
    uint64_t out[2];
    Row one = {(const char *)b, (char *)out, 1, step, step};
    l->loop(&(Job){.op = l->op, .row = one, .before = a});
    memcpy(b, out, l->bytes);
}

/* What is before block b is known, and so is its total. Who tells it twice says the same. */
static void
tell_next(Long *l, int64_t b, uint64_t total)
{
    uint64_t before = before_of(l, b);
    if (b || l->first)
        combine(l, &before, &total);
    __atomic_store_n(&l->before[b + 1].bits, total, __ATOMIC_RELAXED);
    __atomic_store_n(&l->before[b + 1].known, 1, __ATOMIC_RELEASE);
}

/* Until it is known what is before block b. When that takes long, the system runs something else in
 * place of the thread that has an earlier block: its total is found once more. */
static bool
wait_for(Long *l, int64_t b)
{
    for (int i = 0; !knows(l, b); i++) {
        if (__atomic_load_n(&l->stop, __ATOMIC_RELAXED))
            return false;
        if (i < SPINS) {
            SPIN_PAUSE();
            continue;
        }
        int64_t last = b - 1;
        while (!knows(l, last))
            last--;
        tell_next(l, last, total_of(l, last));
    }
    return true;
}

/* Who scans a block has the next one already, and lets it come. */
static int
scan_blocks(void *env, int64_t share, int worker)
{
    Long *l = env;
    int64_t b = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED);
    (void)share, (void)worker;
    while (b < l->blocks) {
        Row r = block_of(l, b);
        bool last = b + 1 == l->blocks;
        uint64_t total = last ? 0 : total_of(l, b);
        if (!wait_for(l, b))
            return 0;
        if (!last)
            tell_next(l, b, total);
        uint64_t before = before_of(l, b);
        int64_t next = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED);
        Job j = {.op = l->op, .row = r, .before = b || l->first ? &before : NULL};
        j.ahead = block_of(l, next < l->blocks ? next : b).x;
        j.exclusive = l->exclusive;
        j.past = l->row.n >= FAR / (int64_t)l->bytes;
        l->loop(&j);
        PAST_CACHE_DONE();
        b = next;
    }
    return 0;
}

static int
look(void *env)
{
    Long *l = env;
    if (kernel_stops(l->cx))
        __atomic_store_n(&l->stop, 1, __ATOMIC_RELAXED);
    return l->stop;
}

static int64_t
scan_long(Long *l, const void *first)
{
    l->blocks = (l->row.n + BLOCK - 1) / BLOCK;
    l->first = first != NULL;
    SwMem *m = kernel_host()->alloc((size_t)l->blocks * sizeof *l->before);
    if (!m)
        return KERNEL_NO_MEMORY;
    l->before = (void *)m->data;
    memset(l->before, 0, (size_t)l->blocks * sizeof *l->before);
    if (first)
        memcpy(&l->before[0].bits, first, l->bytes);
    l->before[0].known = 1;
    int64_t shares = l->row.n < LONG ? 1 : l->blocks < SHARES ? l->blocks : SHARES;
    int64_t failed = kernel_host()->run(scan_blocks, l, shares, 0, look);
    m->free_fn(m);
    return l->stop ? KERNEL_STOPPED : failed ? KERNEL_NO_MEMORY : 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct Rows {
    KernelCx *cx;
    KernelArg *arg;
    int64_t n, shares; /* of rows */
} Rows;

static int64_t
scan_row(const Rows *rows, const Walk *w)
{
    const KernelArg *arg = rows->arg;
    DType d = (DType)arg->dtype;
    size_t bytes = d == DT_f64 || d == DT_i64 ? 8 : 4;
    Row r = {w->data[0], w->data[1], kernel_dim(arg, 1), kernel_stride(arg, 1),
             kernel_stride(arg + 1, 1)};
    const void *first = kernel_dim(arg + 2, 1) ? w->data[2] : NULL;
    Long l = {.cx = rows->cx, .loop = loop_of(d), .row = r, .op = arg[3].n % EXCLUSIVE};
    l.bytes = bytes;
    l.exclusive = arg[3].n & EXCLUSIVE;
    if (r.n > BLOCK)
        return scan_long(&l, first);
    Job j = {.op = l.op, .row = r, .before = first, .ahead = r.x, .exclusive = l.exclusive};
    if (r.n)
        l.loop(&j);
    return 0;
}

static int
scan_share(void *env, int64_t c, int worker)
{
    Rows *r = env;
    int64_t lo = r->n * c / r->shares, hi = r->n * (c + 1) / r->shares;
    Walk w;
    (void)worker;
    walk_begin(&w, r->arg, 3, (const int[]){1, 1, 1});
    int64_t status = 0;
    for (int64_t i = 0; i < hi && !status; i++, walk_next(&w))
        status = i < lo ? 0 : scan_row(r, &w);
    return status != 0;
}

static int
look_among_rows(void *env)
{
    return kernel_stops(((Rows *)env)->cx);
}

/* Into `out`, behind `first`, which has one element or none; `how` is one of ADD to MIN, with
 * EXCLUSIVE, which needs a first one. */
KERNEL(scan_into, "x, out, first, how", "r(n) w(n) r(m) n", "float64 float32 int64 int32")
{
    Walk w;
    walk_begin(&w, arg, 3, (const int[]){1, 1, 1});
    Rows r = {cx, arg, w.left, w.left < SHARES ? w.left : SHARES};
    int64_t status = 0;
    if (w.left < LONG / BLOCK || w.left * kernel_dim(arg, 1) < BLOCK) {
        for (; w.left && !status; walk_next(&w))
            status = scan_row(&r, &w);
        return status;
    }
    status = kernel_host()->run(scan_share, &r, r.shares, 0, look_among_rows);
    return kernel_stops(cx) ? KERNEL_STOPPED : status ? KERNEL_NO_MEMORY : 0;
}
