/* SPDX-License-Identifier: BSD-3-Clause
 * The generators of bits that compiled code makes, with NumPy's streams: PCG64, PCG64DXSM, SFC64
 * and Philox, and how each, and MT19937, is seeded by a np.random.SeedSequence. Their words stand
 * for them; how many there are says which one it is. */
#include "kernel/lib/random.h"

#include <sys/random.h>
#include <time.h>

/* Permuted congruential generator (O'Neill, 2014) of 128 bits, XSL-RR, as np.random.default_rng
 * makes one: words of a state and an increment, low halves first, then half of a number that is
 * left. */
typedef unsigned __int128 Wide;

static Wide
wide_of(const uint64_t *w)
{
    return (Wide)w[1] << 64 | w[0];
}

static void
put_wide(uint64_t *w, Wide v)
{
    w[0] = (uint64_t)v;
    w[1] = (uint64_t)(v >> 64);
}

static void
pcg_step(uint64_t *w)
{
    static const uint64_t by[2] = {4865540595714422341U, 2549297995355413924U};
    put_wide(w, wide_of(w) * wide_of(by) + wide_of(w + 2));
}

/* Half of a number of 64 bits, low half first; the other is kept in two words. */
static inline uint32_t
half(uint64_t *kept, uint64_t (*next)(void *), void *state)
{
    if (kept[0]) {
        kept[0] = 0;
        return (uint32_t)kept[1];
    }
    uint64_t x = next(state);
    kept[0] = 1;
    kept[1] = x >> 32;
    return (uint32_t)x;
}

static inline double
real_of(uint64_t x)
{
    return (double)(x >> 11) * 0x1p-53;
}

static uint64_t
pcg_64(void *state)
{
    uint64_t *w = state;
    pcg_step(w);
    uint64_t x = w[1] ^ w[0];
    unsigned turn = (unsigned)(w[1] >> 58);
    return x >> turn | x << (-turn & 63);
}

static uint32_t
pcg_32(void *state)
{
    return half((uint64_t *)state + 4, pcg_64, state);
}

static double
pcg_double(void *state)
{
    return real_of(pcg_64(state));
}

/* The same with a multiplier of 64 bits and the output function DXSM. */
static const uint64_t cheap = 0xda942042e4dd58b5U;

static void
dxsm_step(uint64_t *w)
{
    put_wide(w, wide_of(w) * cheap + wide_of(w + 2));
}

static uint64_t
dxsm_64(void *state)
{
    uint64_t *w = state, low = w[0] | 1, high = w[1];
    dxsm_step(w);
    high ^= high >> 32;
    high *= cheap;
    high ^= high >> 48;
    return high * low;
}

static uint32_t
dxsm_32(void *state)
{
    return half((uint64_t *)state + 4, dxsm_64, state);
}

static double
dxsm_double(void *state)
{
    return real_of(dxsm_64(state));
}

/* Small fast chaotic generator of 64 bits (Doty-Humphrey, 2010): three words and a counter, then
 * half of a number. */
static uint64_t
sfc_64(void *state)
{
    uint64_t *w = state, v = w[0] + w[1] + w[3]++;
    w[0] = w[1] ^ w[1] >> 11;
    w[1] = w[2] + (w[2] << 3);
    w[2] = (w[2] << 24 | w[2] >> 40) + v;
    return v;
}

static uint32_t
sfc_32(void *state)
{
    return half((uint64_t *)state + 4, sfc_64, state);
}

static double
sfc_double(void *state)
{
    return real_of(sfc_64(state));
}

/* Philox 4x64 of 10 rounds (Salmon and others, 2011): a counter of 4 words, a key of 2, how many
 * of the 4 numbers behind it are drawn, these, then half of a number. */
static void
philox_block(const uint64_t *w, uint64_t *out)
{
    uint64_t c[4], k0 = w[4], k1 = w[5];
    memcpy(c, w, sizeof c);
    for (int round = 0; round < 10; round++) {
        Wide a = (Wide)0xd2e7470ee14c6c93U * c[0], b = (Wide)0xca5a826395121157U * c[2];
        uint64_t c1 = c[1], c3 = c[3];
        c[0] = (uint64_t)(b >> 64) ^ c1 ^ k0;
        c[1] = (uint64_t)b;
        c[2] = (uint64_t)(a >> 64) ^ c3 ^ k1;
        c[3] = (uint64_t)a;
        k0 += 0x9e3779b97f4a7c15U;
        k1 += 0xbb67ae8584caa73bU;
    }
    memcpy(out, c, sizeof c);
}

static uint64_t
philox_64(void *state)
{
    uint64_t *w = state;
    if (w[6] >= 4) {
        for (int i = 0; i < 4 && ++w[i] == 0; i++)
            ;
        philox_block(w, w + 7);
        w[6] = 0;
    }
    return w[7 + w[6]++];
}

static uint32_t
philox_32(void *state)
{
    return half((uint64_t *)state + 11, philox_64, state);
}

static double
philox_double(void *state)
{
    return real_of(philox_64(state));
}

bool
bits_made(void *words, int64_t n, bitgen_t *out)
{
    switch (n) {
    case BITS_PCG:
        *out = (bitgen_t){words, pcg_64, pcg_32, pcg_double, pcg_64};
        return true;
    case BITS_DXSM:
        *out = (bitgen_t){words, dxsm_64, dxsm_32, dxsm_double, dxsm_64};
        return true;
    case BITS_SFC:
        *out = (bitgen_t){words, sfc_64, sfc_32, sfc_double, sfc_64};
        return true;
    case BITS_PHILOX:
        *out = (bitgen_t){words, philox_64, philox_32, philox_double, philox_64};
        return true;
    default:
        return false;
    }
}

/* ---- seeds ----------------------------------------------------------------------------------- */

enum { POOL = 4, MT_KEY = 624 };

static uint32_t
hash_mix(uint32_t v, uint32_t *by)
{
    v ^= *by;
    *by *= 0x931e8875U;
    v *= *by;
    return v ^ v >> 16;
}

static uint32_t
mixed(uint32_t x, uint32_t y)
{
    uint32_t r = 0xca01f9ddU * x - 0x4973f715U * y;
    return r ^ r >> 16;
}

/* np.random.SeedSequence (O'Neill's seed_seq_fe): words of 32 bits to as many as are wanted. */
static void
spread_seed(const uint32_t *seed, int64_t n, uint32_t *out, int n_out)
{
    uint32_t pool[POOL], by = 0x43b0d7e5U;
    for (int i = 0; i < POOL; i++)
        pool[i] = hash_mix(i < n ? seed[i] : 0, &by);
    for (int from = 0; from < POOL; from++)
        for (int to = 0; to < POOL; to++)
            if (from != to)
                pool[to] = mixed(pool[to], hash_mix(pool[from], &by));
    for (int64_t from = POOL; from < n; from++)
        for (int to = 0; to < POOL; to++)
            pool[to] = mixed(pool[to], hash_mix(seed[from], &by));
    by = 0x8b51f9ddU;
    for (int i = 0; i < n_out; i++) {
        uint32_t v = pool[i % POOL] ^ by;
        by *= 0x58f38dedU;
        v *= by;
        out[i] = v ^ v >> 16;
    }
}

static uint64_t
word(const uint32_t *v, int i)
{
    return (uint64_t)v[2 * i + 1] << 32 | v[2 * i];
}

/* NumPy's DXSM begins by the wide multiplier, too. */
static void
begin_pcg(uint64_t *w, const uint32_t *v)
{
    put_wide(w + 2, ((Wide)word(v, 2) << 64 | word(v, 3)) << 1 | 1);
    pcg_step(w);
    put_wide(w, wide_of(w) + ((Wide)word(v, 0) << 64 | word(v, 1)));
    pcg_step(w);
}

/* Of zeros, those of the generator that has so many. */
static void
begin(uint64_t *w, int64_t n, const uint32_t *v)
{
    uint32_t mt[MT_KEY + 2];
    switch (n) {
    case BITS_PCG:
    case BITS_DXSM:
        begin_pcg(w, v);
        break;
    case BITS_SFC:
        for (int i = 0; i < 3; i++)
            w[i] = word(v, i);
        w[3] = 1;
        for (int i = 0; i < 12; i++)
            sfc_64(w);
        break;
    case BITS_PHILOX:
        w[4] = word(v, 0);
        w[5] = word(v, 1);
        w[6] = 4;
        break;
    case BITS_MT: /* random.c's Mt */
        memcpy(mt, v, sizeof(uint32_t) * MT_KEY);
        mt[0] = 1U << 31;
        mt[MT_KEY] = MT_KEY - 1;
        mt[MT_KEY + 1] = 1;
        memcpy(w, mt, sizeof mt);
        break;
    default:
        break;
    }
}

/* state: new memory. seed: its words of 32 bits; none: by the system. */
KERNEL(bits_seed, "state, seed", "w(s) r(n):uint32", "DRAWS uint64")
{
    (void)cx;
    enum { MOST = 64 };
    uint32_t seed[MOST] = {0}, spread[MT_KEY];
    uint64_t w[BITS_MT] = {0};
    int64_t n = kernel_dim(arg + 1, 1), n_words = kernel_dim(arg, 1);
    for (int64_t i = 0; i < n && i < MOST; i++)
        memcpy(&seed[i], arg[1].array->data + i * kernel_stride(arg + 1, 1), sizeof seed[i]);
    if (!n && !random_is_rehearsed() && getrandom(seed, 16, 0) != 16) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        memcpy(seed, &now, sizeof now);
    }
    spread_seed(seed, n ? (n < MOST ? n : MOST) : 4, spread, n_words == BITS_MT ? MT_KEY : 8);
    begin(w, n_words, spread);
    for (int64_t i = 0; i < n_words && i < BITS_MT; i++)
        memcpy(arg->array->data + i * kernel_stride(arg, 1), &w[i], sizeof w[i]);
    return 0;
}
