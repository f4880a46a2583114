/* SPDX-License-Identifier: BSD-3-Clause
 * Random numbers in NumPy's streams. Of a thread: MT19937 (Matsumoto and Nishimura, 1998), seeded
 * and used as np.random.seed and the functions of np.random do. Of a np.random.Generator: its own
 * bits, by way of the bitgen_t that NumPy has for others, of which an array of words (its fields)
 * stands for the generator; of one that compiled code has made: bits.c. Distributions are NumPy's
 * libnpyrandom, but for the two that np.random has kept as they were: normal numbers by the polar
 * method of Marsaglia, exponential ones by the logarithm. */
#include "kernel/lib/random.h"

#include <math.h>
#include <pthread.h>
#include <sys/random.h>
#include <time.h>

/* libnpyrandom, whose header wants Python's. */
double random_standard_normal(bitgen_t *g);
double random_standard_exponential(bitgen_t *g);
float random_standard_normal_f(bitgen_t *g);
float random_standard_exponential_f(bitgen_t *g);
int64_t random_poisson(bitgen_t *g, double mean);
void random_bounded_uint64_fill(bitgen_t *g, uint64_t off, uint64_t rng, intptr_t n, bool masked,
                                uint64_t *out);
void random_bounded_uint32_fill(bitgen_t *g, uint32_t off, uint32_t rng, intptr_t n, bool masked,
                                uint32_t *out);
void random_bounded_uint16_fill(bitgen_t *g, uint16_t off, uint16_t rng, intptr_t n, bool masked,
                                uint16_t *out);
void random_bounded_uint8_fill(bitgen_t *g, uint8_t off, uint8_t rng, intptr_t n, bool masked,
                               uint8_t *out);

enum { N = 624, M = 397 };
typedef enum Seeded { NOT_SEEDED, SEEDED, SEEDED_BY_SYSTEM } Seeded;
typedef enum Dist { UNIFORM, NORMAL, EXPONENTIAL } Dist;

/* The second of a pair of normal numbers, as a RandomState of NumPy's has it. */
typedef struct Gauss {
    int32_t has;
    double value;
} Gauss;

/* It begins as NumPy's mt19937_state does, which ends with `at`. */
typedef struct Mt {
    uint32_t key[N];
    int32_t at;     /* of the next in key */
    int32_t seeded; /* Seeded */
    Gauss gauss;
} Mt;
_Static_assert(sizeof(Mt) <= KERNEL_RANDOM, "room for it");

static _Thread_local Mt own, of_python;
static _Thread_local Mt *rehearsed; /* NULL: own */
static _Thread_local Mt *borrowed;  /* a RandomState's, while one of its methods runs; NULL: own */
static _Thread_local Gauss *numpys; /* that of `borrowed`, where NumPy has made it; else NULL */

static inline bool
is_numpys(const Mt *t)
{
    return numpys && t == borrowed;
}

static inline Gauss *
gauss_of(Mt *t)
{
    return is_numpys(t) ? numpys : &t->gauss;
}

/* ---- MT19937 --------------------------------------------------------------------------------- */

static void
mt_seed(Mt *t, uint32_t seed)
{
    for (int i = 0; i < N; i++) {
        t->key[i] = seed;
        seed = 1812433253U * (seed ^ seed >> 30) + (uint32_t)i + 1;
    }
    t->at = N;
    *gauss_of(t) = (Gauss){0};
    if (!is_numpys(t))
        t->seeded = SEEDED;
}

/* Processes that are forked draw numbers of their own: those of `random` anyway, as in Python, and
 * those of np.random where the program has not said a seed. */
static void
forget_seeds(void)
{
    of_python.seeded = NOT_SEEDED;
    if (own.seeded == SEEDED_BY_SYSTEM)
        own.seeded = NOT_SEEDED;
}

__attribute__((constructor)) static void
watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget_seeds);
}

static void
mt_seed_by_system(Mt *t)
{
    mt_seed(t, 0);
    if (getrandom(t->key, sizeof t->key, 0) != sizeof t->key) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        mt_seed(t, (uint32_t)now.tv_nsec ^ (uint32_t)(uintptr_t)t);
    }
    t->seeded = SEEDED_BY_SYSTEM;
    t->key[0] |= 1U << 31; /* not all are zero */
}

static Mt *
mt(void)
{
    Mt *t = rehearsed ? rehearsed : borrowed ? borrowed : &own;
    if (SW_UNLIKELY(!numpys && !t->seeded))
        rehearsed ? mt_seed(t, 5489) : mt_seed_by_system(t);
    return t;
}

static inline uint32_t
mt_twist(uint32_t a, uint32_t b, uint32_t far)
{
    uint32_t y = (a & 0x80000000U) | (b & 0x7fffffffU);
    return far ^ y >> 1 ^ (0x9908b0dfU & -(y & 1));
}

static void
mt_renew(Mt *t)
{
    int i = 0;
    for (; i < N - M; i++)
        t->key[i] = mt_twist(t->key[i], t->key[i + 1], t->key[i + M]);
    for (; i < N - 1; i++)
        t->key[i] = mt_twist(t->key[i], t->key[i + 1], t->key[i + M - N]);
    t->key[N - 1] = mt_twist(t->key[N - 1], t->key[0], t->key[M - 1]);
    t->at = 0;
}

static inline uint32_t
mt_32(void *state)
{
    Mt *t = state;
    if (t->at == N)
        mt_renew(t);
    uint32_t y = t->key[t->at++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680U;
    y ^= y << 15 & 0xefc60000U;
    return y ^ y >> 18;
}

static uint64_t
mt_64(void *state)
{
    uint64_t high = mt_32(state);
    return high << 32 | mt_32(state);
}

static inline double
mt_double(void *state)
{
    int32_t a = (int32_t)(mt_32(state) >> 5), b = (int32_t)(mt_32(state) >> 6);
    return (a * 67108864.0 + b) / 9007199254740992.0;
}

static uint64_t
mt_raw(void *state)
{
    return mt_32(state);
}

static bitgen_t
mt_bits(void *state)
{
    return (bitgen_t){state, mt_64, mt_32, mt_double, mt_raw};
}

bitgen_t
random_mt_bits(void)
{
    return mt_bits(mt());
}

static double
mt_normal(Mt *t)
{
    double x, y, r;
    Gauss *second = gauss_of(t);
    if (second->has) {
        double kept = second->value;
        *second = (Gauss){0};
        return kept;
    }
    do {
        x = 2.0 * mt_double(t) - 1.0;
        y = 2.0 * mt_double(t) - 1.0;
        r = x * x + y * y;
    } while (r >= 1.0 || r == 0.0);
    double f = sqrt(-2.0 * log(r) / r);
    *second = (Gauss){true, f * x};
    return f * y;
}

double
random_mt_normal(void)
{
    return mt_normal(mt());
}

static inline double
mt_draw(Mt *t, Dist d)
{
    return d == UNIFORM ? mt_double(t) : d == NORMAL ? mt_normal(t) : -log(1.0 - mt_double(t));
}

/* ---- generators ------------------------------------------------------------------------------ */

/* Sebastiano Vigna's splitmix64: what stands for a generator in a rehearsal, where its words are
 * any numbers. */
static uint64_t
split_64(void *state)
{
    uint64_t z;
    memcpy(&z, state, sizeof z);
    z += 0x9e3779b97f4a7c15;
    memcpy(state, &z, sizeof z);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static uint32_t
split_32(void *state)
{
    return (uint32_t)(split_64(state) >> 32);
}

static double
split_double(void *state)
{
    return (double)(split_64(state) >> 11) * 0x1p-53;
}

bitgen_t *
random_generator(const KernelArg *arg, bitgen_t *room)
{
    int64_t n = kernel_dim(arg, 1);
    if (!rehearsed && n == BITS_MT) {
        *room = mt_bits(arg->array->data);
        return room;
    }
    if (!rehearsed)
        return bits_made(arg->array->data, n, room) ? room : (bitgen_t *)(void *)arg->array->data;
    static _Thread_local uint64_t none;
    *room = (bitgen_t){kernel_dim(arg, 1) ? arg->array->data : (char *)&none, split_64, split_32,
                       split_double, split_64};
    none = 0;
    return room;
}

static inline double
draw(bitgen_t *g, Dist d)
{
    return d == UNIFORM  ? g->next_double(g->state)
           : d == NORMAL ? random_standard_normal(g)
                         : random_standard_exponential(g);
}

/* ---- kernels --------------------------------------------------------------------------------- */

bool
random_is_rehearsed(void)
{
    return rehearsed;
}

void *
random_draw_from(void *state)
{
    void *before = rehearsed;
    rehearsed = state;
    return before;
}

static void
put_real(const KernelArg *out, int64_t i, double v)
{
    memcpy(out->array->data + i * kernel_stride(out, 1), &v, sizeof v);
}

/* `out` is new memory, in one row. */
static void
put_ints(bitgen_t *g, const KernelArg *out, int64_t least, int64_t most, bool masked)
{
    uint64_t range = (uint64_t)most - (uint64_t)least;
    int64_t n = kernel_dim(out, 1);
    void *to = out->array->data;
    switch ((DType)out->dtype) {
    case DT_i64:
    case DT_u64:
        random_bounded_uint64_fill(g, (uint64_t)least, range, n, masked, to);
        break;
    case DT_i32:
    case DT_u32:
        random_bounded_uint32_fill(g, (uint32_t)least, (uint32_t)range, n, masked, to);
        break;
    case DT_i16:
    case DT_u16:
        random_bounded_uint16_fill(g, (uint16_t)least, (uint16_t)range, n, masked, to);
        break;
    default:
        random_bounded_uint8_fill(g, (uint8_t)least, (uint8_t)range, n, masked, to);
        break;
    }
}

static void
put_counts(bitgen_t *g, const KernelArg *out, const KernelArg *mean)
{
    for (int64_t i = 0; i < kernel_dim(out, 1); i++) {
        double m;
        memcpy(&m, mean->array->data + i * kernel_stride(mean, 1), sizeof m);
        int64_t v = random_poisson(g, m);
        memcpy(out->array->data + i * kernel_stride(out, 1), &v, sizeof v);
    }
}

/* Of the thread, by MT19937. dist: 0 in [0, 1), 1 normal, 2 exponential. seed below 0: by the
 * system. */
KERNEL(mt_seed, "seed", "n", "DRAWS")
{
    (void)cx;
    Mt *t = rehearsed ? rehearsed : borrowed ? borrowed : &own;
    if (arg[0].n < 0 && !rehearsed)
        mt_seed_by_system(t);
    else
        mt_seed(t, (uint32_t)arg[0].n);
    return 0;
}

/* What the thread draws comes from these words until mt_leave: they hold an Mt, or say where a
 * RandomState of NumPy's has its state and its second normal number. They are in one row. */
KERNEL(mt_use, "words", "rw(s)", "DRAWS uint64")
{
    (void)cx;
    void *at = arg->array->data;
    if (!rehearsed && (size_t)kernel_dim(arg, 1) * 8 >= sizeof(Mt)) {
        borrowed = at;
    } else if (!rehearsed && kernel_dim(arg, 1) == 2) {
        memcpy(&borrowed, at, sizeof borrowed);
        memcpy(&numpys, (char *)at + 8, sizeof numpys);
    }
    return 0;
}

KERNEL(mt_leave, "words", "rw(s)", "DRAWS uint64")
{
    (void)arg, (void)cx;
    borrowed = NULL;
    numpys = NULL;
    return 0;
}

KERNEL(mt_real, "dist", "n >float64", "DRAWS")
{
    (void)cx;
    double v = mt_draw(mt(), (Dist)arg[0].n);
    kernel_yield(arg, 1, v);
    return 0;
}

/* As random_bounded_uint64_fill draws one by masks. */
static inline uint64_t
mt_below(Mt *t, uint64_t most)
{
    uint64_t mask = most ? (uint64_t)-1 >> __builtin_clzll(most) : 0, v = 0;
    if (most > UINT32_MAX)
        do
            v = mt_64(t) & mask;
        while (v > most);
    else if (most)
        do
            v = mt_32(t) & mask;
        while (v > most);
    return v;
}

KERNEL(mt_int, "least, most", "n n >int64", "DRAWS")
{
    (void)cx;
    uint64_t least = (uint64_t)arg[0].n;
    uint64_t v = least + mt_below(mt(), (uint64_t)arg[1].n - least);
    kernel_yield(arg, 2, v);
    return 0;
}

/* Where a shuffle puts what stands at top, top - 1, ...: places up to each of them. */
KERNEL(mt_places, "out, top", "w(n) n", "DRAWS int64")
{
    (void)cx;
    Mt *t = mt();
    int64_t n = kernel_dim(arg, 1);
    for (int64_t i = 0; i < n; i++) {
        int64_t v = (int64_t)mt_below(t, (uint64_t)(arg[1].n - i));
        memcpy(arg->array->data + i * kernel_stride(arg, 1), &v, sizeof v);
    }
    return 0;
}

KERNEL(mt_reals, "out, dist", "w(n) n", "DRAWS float64")
{
    (void)cx;
    Mt *t = mt();
    Dist d = (Dist)arg[1].n;
    int64_t n = kernel_dim(arg, 1);
    for (int64_t i = 0; d == UNIFORM && i < n; i++)
        put_real(arg, i, mt_double(t));
    for (int64_t i = 0; d != UNIFORM && i < n; i++)
        put_real(arg, i, mt_draw(t, d));
    return 0;
}

KERNEL(mt_ints, "out, least, most", "w(n) n n",
       "DRAWS int64 uint64 int32 uint32 int16 uint16 int8 uint8")
{
    (void)cx;
    bitgen_t g = random_mt_bits();
    put_ints(&g, arg, arg[1].n, arg[2].n, true);
    return 0;
}

/* Poisson's. */
KERNEL(mt_counts, "out, mean", "w(n) r(n):float64", "DRAWS int64")
{
    (void)cx;
    bitgen_t g = random_mt_bits();
    put_counts(&g, arg, arg + 1);
    return 0;
}

/* ---- Python's module random ---- */

/* init_by_array, of the words of an int. */
static void
python_seed(Mt *t, uint64_t seed)
{
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    int n = key[1] ? 2 : 1, i = 1;
    mt_seed(t, 19650218U);
    uint32_t *k = t->key;
    for (int c = 0; c < N; c++) {
        k[i] = (k[i] ^ (k[i - 1] ^ k[i - 1] >> 30) * 1664525U) + key[c % n] + (uint32_t)(c % n);
        if (++i == N) {
            k[0] = k[N - 1];
            i = 1;
        }
    }
    for (int c = 0; c < N - 1; c++) {
        k[i] = (k[i] ^ (k[i - 1] ^ k[i - 1] >> 30) * 1566083941U) - (uint32_t)i;
        if (++i == N) {
            k[0] = k[N - 1];
            i = 1;
        }
    }
    k[0] = 1U << 31;
}

static Mt *
python(void)
{
    Mt *t = rehearsed ? rehearsed : &of_python;
    if (SW_UNLIKELY(!t->seeded))
        rehearsed ? mt_seed(t, 5489) : mt_seed_by_system(t);
    return t;
}

/* Box and Muller's, of which one is left for the next call. */
static double
python_gauss(Mt *t)
{
    if (t->gauss.has) {
        t->gauss.has = false;
        return t->gauss.value;
    }
    double angle = mt_double(t) * 6.283185307179586, r = sqrt(-2.0 * log(1.0 - mt_double(t)));
    t->gauss = (Gauss){true, sin(angle) * r};
    return cos(angle) * r;
}

/* k bits, 0 .. 63, the first word lowest. */
static int64_t
python_bits(Mt *t, int64_t k)
{
    uint64_t v = 0;
    for (int at = 0; k > 0; at += 32, k -= 32)
        v |= (uint64_t)(k < 32 ? mt_32(t) >> (32 - k) : mt_32(t)) << at;
    return (int64_t)v;
}

/* system: not by the seed. */
KERNEL(python_seed, "seed, system", "n n", "DRAWS")
{
    (void)cx;
    Mt *t = rehearsed ? rehearsed : &of_python;
    if (arg[1].n && !rehearsed)
        mt_seed_by_system(t);
    else
        python_seed(t, arg[0].n < 0 ? -(uint64_t)arg[0].n : (uint64_t)arg[0].n);
    return 0;
}

/* kind: 0 in [0, 1), 1 normal. */
KERNEL(python_real, "kind", "n >float64", "DRAWS")
{
    (void)cx;
    double v = arg[0].n ? python_gauss(python()) : mt_double(python());
    kernel_yield(arg, 1, v);
    return 0;
}

KERNEL(python_bits, "k", "n >int64", "DRAWS")
{
    (void)cx;
    int64_t v = python_bits(python(), arg[0].n);
    kernel_yield(arg, 1, v);
    return 0;
}

/* An integer of 0 .. n - 1; n is positive. */
KERNEL(python_below, "n", "n >int64", "DRAWS")
{
    (void)cx;
    Mt *t = python();
    int64_t n = arg[0].n, k = 64 - __builtin_clzll((uint64_t)n | 1), v;
    do
        v = python_bits(t, k);
    while (v >= n);
    kernel_yield(arg, 1, v);
    return 0;
}

/* Which thread this is: 0 .. threads - 1 within a parallel loop, 0 outside. It takes 0. */
KERNEL(python_thread, "none", "n >int64", "DRAWS")
{
    (void)cx;
    int64_t v = rehearsed ? 0 : kernel_host()->thread();
    kernel_yield(arg, 1, v);
    return 0;
}

/* Nanoseconds. which: 0 a clock that only goes on, 1 since 1970, 2 of the process's work. */
KERNEL(python_clock, "which", "n >int64", "DRAWS")
{
    (void)cx;
    static const clockid_t all[] = {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_PROCESS_CPUTIME_ID};
    struct timespec now;
    int64_t v = 0;
    if (!rehearsed && !clock_gettime(all[arg[0].n % 3], &now))
        v = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    kernel_yield(arg, 1, v);
    return 0;
}

/* ---- */

/* Of a np.random.Generator. */
KERNEL(gen_real, "state, dist", "rw(s) n >float64", "DRAWS uint64")
{
    (void)cx;
    bitgen_t room;
    double v = draw(random_generator(arg, &room), (Dist)arg[1].n);
    kernel_yield(arg, 2, v);
    return 0;
}

/* masked: not by multiplication. */
KERNEL(gen_int, "state, least, most, masked", "rw(s) n n n >int64", "DRAWS uint64")
{
    (void)cx;
    bitgen_t room;
    uint64_t v, least = (uint64_t)arg[1].n;
    random_bounded_uint64_fill(random_generator(arg, &room), least, (uint64_t)arg[2].n - least, 1,
                               arg[3].n != 0, &v);
    kernel_yield(arg, 4, v);
    return 0;
}

/* By masks, as NumPy's random_interval. */
static inline uint64_t
below_by_masks(bitgen_t *g, uint64_t most)
{
    uint64_t mask = most ? (uint64_t)-1 >> __builtin_clzll(most) : 0, v = 0;
    if (most > UINT32_MAX)
        do
            v = g->next_uint64(g->state) & mask;
        while (v > most);
    else if (most)
        do
            v = g->next_uint32(g->state) & mask;
        while (v > most);
    return v;
}

KERNEL(gen_places, "out, state, top", "w(n) rw(s):uint64 n", "DRAWS int64")
{
    (void)cx;
    bitgen_t room, *g = random_generator(arg + 1, &room);
    int64_t n = kernel_dim(arg, 1);
    for (int64_t i = 0; i < n; i++) {
        int64_t v = (int64_t)below_by_masks(g, (uint64_t)(arg[2].n - i));
        memcpy(arg->array->data + i * kernel_stride(arg, 1), &v, sizeof v);
    }
    return 0;
}

/* In single precision: what a generator yields with dtype=np.float32. */
static void
put_floats(bitgen_t *g, const KernelArg *out, Dist d)
{
    int64_t n = kernel_dim(out, 1);
    for (int64_t i = 0; i < n; i++) {
        float v = d == UNIFORM  ? (float)(g->next_uint32(g->state) >> 8) * (1.0F / 16777216.0F)
                  : d == NORMAL ? random_standard_normal_f(g)
                                : random_standard_exponential_f(g);
        memcpy(out->array->data + i * kernel_stride(out, 1), &v, sizeof v);
    }
}

KERNEL(gen_reals, "out, state, dist", "w(n) rw(s):uint64 n", "DRAWS float64 float32")
{
    (void)cx;
    bitgen_t room, *g = random_generator(arg + 1, &room);
    Dist d = (Dist)arg[2].n;
    int64_t n = kernel_dim(arg, 1);
    if ((DType)arg->dtype == DT_f32) {
        put_floats(g, arg, d);
        return 0;
    }
    for (int64_t i = 0; d == UNIFORM && i < n; i++)
        put_real(arg, i, g->next_double(g->state));
    for (int64_t i = 0; d != UNIFORM && i < n; i++)
        put_real(arg, i, draw(g, d));
    return 0;
}

KERNEL(gen_ints, "out, state, least, most", "w(n) rw(s):uint64 n n",
       "DRAWS int64 uint64 int32 uint32 int16 uint16 int8 uint8")
{
    (void)cx;
    bitgen_t room;
    put_ints(random_generator(arg + 1, &room), arg, arg[2].n, arg[3].n, false);
    return 0;
}

KERNEL(gen_counts, "out, state, mean", "w(n) rw(s):uint64 r(n):float64", "DRAWS int64")
{
    (void)cx;
    bitgen_t room;
    put_counts(random_generator(arg + 1, &room), arg, arg + 2);
    return 0;
}
