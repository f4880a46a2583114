/* SPDX-License-Identifier: BSD-3-Clause
 * What lies where a mask is true, and where that is. 64 of its elements are bits of a word: words
 * of zeros are passed by, others go bit by bit, or in vectors. A caller has counted; but as others
 * may change a mask meanwhile, nothing is stored behind the end of `out`, and zeros where it held
 * less. */
#include "kernel/lib/keys.h"
#include "kernel/lib/wide.h"

enum { WORD = 64 };

/* Elements i to i + 64, or to the end: bit j says that element i + j is true. */
static inline uint64_t
word_at(Lane m, int64_t i)
{
    uint64_t w = 0;
    if (m.stride == 1 && i + WORD <= m.n) {
        const __m128i *p = (const __m128i *)(m.at + i);
        for (int k = 0; k < 4; k++) {
            __m128i zero = _mm_cmpeq_epi8(_mm_loadu_si128(p + k), _mm_setzero_si128());
            w |= (uint64_t)(uint16_t)~_mm_movemask_epi8(zero) << 16 * k;
        }
        return w;
    }
    for (int64_t j = 0; j < WORD && i + j < m.n; j++)
        w |= (uint64_t)(m.at[(i + j) * m.stride] != 0) << j;
    return w;
}

WIDE static inline uint64_t
word_wide(const char *at)
{
    __m256i low = _mm256_cmpeq_epi8(LOAD_64(at), _mm256_setzero_si256());
    __m256i high = _mm256_cmpeq_epi8(LOAD_64(at + 32), _mm256_setzero_si256());
    return ~((uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32 |
             (uint32_t)_mm256_movemask_epi8(low));
}

/* No more than two bits, as in most words of a mask that holds here and there. */
static inline bool
few(uint64_t w)
{
    uint64_t rest = w & (w - 1);
    return !(rest & (rest - 1));
}

/* ---- places ---------------------------------------------------------------------------------- */

/* 64 places at most, of which `room` are left: how many there were. */
static inline int64_t
places_of(uint64_t w, int64_t i, int64_t *to, int64_t room)
{
    int64_t n = 0;
    for (; w && n < room; w &= w - 1)
        to[n++] = i + __builtin_ctzll(w);
    return n;
}

static int64_t
places_plain(Lane m, int64_t *to, int64_t room)
{
    int64_t n = 0;
    for (int64_t i = 0; i < m.n; i += WORD)
        n += places_of(word_at(m, i), i, to + n, room - n);
    return n;
}

WIDE static int64_t
places_wide(Lane m, int64_t *to, int64_t room)
{
    int64_t n = 0, i = 0;
    for (; i + WORD <= m.n && n + WORD <= room; i += WORD) {
        uint64_t w = word_wide(m.at + i);
        if (few(w)) {
            for (; w; w &= w - 1)
                to[n++] = i + (int64_t)_tzcnt_u64(w);
            continue;
        }
        for (int k = 0; k < WORD; k += 4, w >>= 4) {
            put_places(to + n, i + k, w & 15);
            n += __builtin_popcount(w & 15);
        }
    }
    for (; i < m.n; i += WORD)
        n += places_of(word_at(m, i), i, to + n, room - n);
    return n;
}

/* Where a mask is true, in order. */
KERNEL(places, "mask, out", "r(n) w(k):int64", "bool")
{
    (void)cx;
    Walk w;
    walk_begin(&w, arg, 2, (const int[]){1, 1});
    Lane m = {NULL, kernel_dim(arg, 1), kernel_stride(arg, 1)};
    int64_t room = kernel_dim(arg + 1, 1);
    bool in_row = kernel_stride(arg + 1, 1) == sizeof(int64_t);
    for (; w.left; walk_next(&w)) {
        m.at = w.data[0];
        Lane to = {w.data[1], room, kernel_stride(arg + 1, 1)};
        int64_t n = 0;
        if (in_row)
            n = m.stride == 1 && wide() ? places_wide(m, (int64_t *)(void *)to.at, room)
                                        : places_plain(m, (int64_t *)(void *)to.at, room);
        else
            for (int64_t i = 0; i < m.n && n < room; i++)
                if (m.at[i * m.stride])
                    put_place(to, n++, i);
        for (; n < room; n++)
            put_place(to, n, 0);
    }
    return 0;
}

/* ---- elements -------------------------------------------------------------------------------- */

typedef struct Two {
    uint64_t of[2];
} Two;

/* A word of ones is a copy, one of few a walk over its bits. */
#define PICK(T, NAME)                                                                              \
    static inline int64_t NAME##_of(uint64_t w, const char *from, int64_t stride, T *to,           \
                                    int64_t room)                                                  \
    {                                                                                              \
        int64_t n = 0;                                                                             \
        if (w == UINT64_MAX && stride == (int64_t)sizeof(T) && room >= WORD) {                     \
            memcpy(to, from, WORD * sizeof(T));                                                    \
            return WORD;                                                                           \
        }                                                                                          \
        for (; w && n < room; w &= w - 1)                                                          \
            memcpy(&to[n++], from + __builtin_ctzll(w) * stride, sizeof(T));                       \
        return n;                                                                                  \
    }                                                                                              \
    static int64_t NAME(Lane a, Lane m, T *to, int64_t room)                                       \
    {                                                                                              \
        int64_t n = 0;                                                                             \
        for (int64_t i = 0; i < m.n; i += WORD)                                                    \
            n += NAME##_of(word_at(m, i), a.at + i * a.stride, a.stride, to + n, room - n);        \
        return n;                                                                                  \
    }
PICK(uint8_t, pick_1)
PICK(uint16_t, pick_2)
PICK(uint32_t, pick_4)
PICK(uint64_t, pick_8)
PICK(Two, pick_16)

/* A store reaches three elements too far, over what comes next. */
#define PICK_WIDE(T, NAME, BITS)                                                                   \
    WIDE static int64_t NAME##_wide(Lane a, Lane m, T *to, int64_t room)                           \
    {                                                                                              \
        int64_t n = 0, i = 0;                                                                      \
        for (; i + WORD <= m.n && n + WORD <= room; i += WORD) {                                   \
            uint64_t w = word_wide(m.at + i);                                                      \
            const T *from = (const T *)(const void *)a.at + i;                                     \
            if (few(w)) {                                                                          \
                for (; w; w &= w - 1)                                                              \
                    to[n++] = from[_tzcnt_u64(w)];                                                 \
                continue;                                                                          \
            }                                                                                      \
            for (int k = 0; k < WORD; k += 4, w >>= 4) {                                           \
                put_4x##BITS(to + n, LOAD_##BITS(from + k), w & 15);                               \
                n += __builtin_popcount(w & 15);                                                   \
            }                                                                                      \
        }                                                                                          \
        for (; i < m.n; i += WORD)                                                                 \
            n += NAME##_of(word_at(m, i), a.at + i * a.stride, a.stride, to + n, room - n);        \
        return n;                                                                                  \
    }
PICK_WIDE(uint64_t, pick_8, 64)
PICK_WIDE(uint32_t, pick_4, 32)

static int64_t
pick(Lane a, Lane m, int bytes, char *to, int64_t room)
{
    void *out = to;
    bool vectors =
        a.stride == bytes && m.stride == 1 && wide() && (uintptr_t)a.at % (size_t)bytes == 0;
    switch (bytes) {
    case 1:
        return pick_1(a, m, out, room);
    case 2:
        return pick_2(a, m, out, room);
    case 4:
        return (vectors ? pick_4_wide : pick_4)(a, m, out, room);
    case 8:
        return (vectors ? pick_8_wide : pick_8)(a, m, out, room);
    default:
        return pick_16(a, m, out, room);
    }
}

/* The elements where a mask is true, in order, into what is new memory and lies in a row. */
KERNEL(pick, "a, mask, out", "r(n) r(n):bool w(k)", "any")
{
    (void)cx;
    Walk w;
    walk_begin(&w, arg, 3, (const int[]){1, 1, 1});
    int bytes = order_of((DType)arg->dtype).bytes;
    Lane a = {NULL, kernel_dim(arg, 1), kernel_stride(arg, 1)};
    Lane m = {NULL, kernel_dim(arg + 1, 1), kernel_stride(arg + 1, 1)};
    int64_t room = kernel_dim(arg + 2, 1), stride = kernel_stride(arg + 2, 1);
    for (; w.left; walk_next(&w)) {
        a.at = w.data[0];
        m.at = w.data[1];
        int64_t n = 0;
        if (stride == bytes)
            n = pick(a, m, bytes, w.data[2], room);
        else
            for (int64_t i = 0; i < m.n && n < room; i++)
                if (m.at[i * m.stride])
                    memcpy(w.data[2] + n++ * stride, a.at + i * a.stride, (size_t)bytes);
        for (; n < room; n++)
            memset(w.data[2] + n * stride, 0, (size_t)bytes);
    }
    return 0;
}
