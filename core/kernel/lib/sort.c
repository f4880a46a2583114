/* SPDX-License-Identifier: BSD-3-Clause
 * sort and argsort, in NumPy's order: NaN last, complex numbers by their real parts and then by
 * their imaginary ones. Both are stable. Where NumPy lends its sorts (KernelHost.sort), which use
 * vectors and aren't stable, they do the work where nobody can tell the difference: of real numbers
 * that are in order or not, and on keys that are all different. Real numbers are mapped to unsigned
 * integers of their width in that order: their keys, which order.h sorts where NumPy's sorts are
 * not there. Both zeros are one key, and all NaN are; their bits are put back in the order in which
 * they stood. */
#include "kernel/lib/sort.h"

/* ---- templates ------------------------------------------------------------------------------- */

#define LESS(a, b) ((a) < (b))
#define KEY(e) ((uint64_t)(e))
#define NAME(x) x##_8
#define ELEM uint8_t
#define KEY_BITS 8
#include "kernel/lib/order.h"
#define LESS(a, b) ((a) < (b))
#define KEY(e) ((uint64_t)(e))
#define NAME(x) x##_16
#define ELEM uint16_t
#define KEY_BITS 16
#include "kernel/lib/order.h"
#define LESS(a, b) ((a) < (b))
#define KEY(e) ((uint64_t)(e))
#define NAME(x) x##_32
#define ELEM uint32_t
#define KEY_BITS 32
#include "kernel/lib/order.h"
#define LESS(a, b) ((a) < (b))
#define KEY(e) ((uint64_t)(e))
#define NAME(x) x##_64
#define ELEM uint64_t
#define KEY_BITS 64
#include "kernel/lib/order.h"

/* A key and where it stood. Narrower keys are widened: they take no less memory here, and no more
 * passes. */
typedef struct Placed {
    uint64_t key;
    int64_t place;
} Placed;

#define LESS(a, b) ((a).key < (b).key)
#define KEY(e) ((e).key)
#define NAME(x) x##_placed
#define ELEM Placed
#define KEY_BITS 64
#include "kernel/lib/order.h"

typedef struct Complex {
    double re, im;
} Complex;

typedef struct PlacedComplex {
    Complex z;
    int64_t place;
} PlacedComplex;

static inline bool
complex_less(Complex a, Complex b)
{
    if (a.re < b.re)
        return a.im == a.im || b.im != b.im;
    if (a.re > b.re)
        return b.im != b.im && a.im == a.im;
    if (a.re == b.re || (a.re != a.re && b.re != b.re))
        return a.im < b.im || (b.im != b.im && a.im == a.im);
    return b.re != b.re;
}

#define LESS(a, b) complex_less((a).z, (b).z)
#define NAME(x) x##_complex
#define ELEM PlacedComplex
#include "kernel/lib/order.h"

/* ---- sort ------------------------------------------------------------------------------------ */

/* NumPy's sort, or NULL. Narrow numbers are sorted faster by their bytes. */
static KernelSort *
lent(DType d)
{
    return order_of(d).bytes >= 4 ? kernel_host()->sort[d] : NULL;
}

/* Of one width: the elements as keys, sorted, as elements again. NaN and, where both are there,
 * zeros are copied in the order in which they stood, by way of the scratch memory, before the lane
 * is written to. */
#define SORT_WIDTH(W)                                                                              \
    static inline void sort_width_##W(Lane l, const Order *o, uint##W##_t *a, uint##W##_t *tmp)    \
    {                                                                                              \
        int64_t nans = 0, negative = 0, zeros = 0, back = 0;                                       \
        for (int64_t i = 0; i < l.n; i++) {                                                        \
            uint64_t bits = load(l.at + i * l.stride, W / 8);                                      \
            a[i] = (uint##W##_t)key_of(bits, o);                                                   \
            nans += o->is_float && is_nan(bits, o);                                                \
            negative += o->is_float && bits == o->sign;                                            \
        }                                                                                          \
        uint##W##_t *r = lent(DT_u##W) && !lent(DT_u##W)(a, l.n, NULL) ? a                         \
                                                                       : sorted_##W(a, tmp, l.n),  \
                    *rest = r == a ? tmp : a;                                                      \
        for (int64_t i = 0; (nans || negative) && i < l.n; i++) {                                  \
            uint64_t bits = load(l.at + i * l.stride, W / 8);                                      \
            if (is_nan(bits, o))                                                                   \
                rest[l.n - nans + back++] = (uint##W##_t)bits;                                     \
            else if (!(bits & ~o->sign))                                                           \
                rest[zeros++] = (uint##W##_t)bits;                                                 \
        }                                                                                          \
        for (int64_t i = 0, z = 0; i < l.n; i++) {                                                 \
            uint64_t bits = i >= l.n - nans                            ? rest[i]                   \
                            : negative && r[i] == (uint##W##_t)o->sign ? rest[z++]                 \
                                                                       : bits_of(r[i], o);         \
            memcpy(l.at + i * l.stride, &bits, W / 8);                                             \
        }                                                                                          \
    }
SORT_WIDTH(8)
SORT_WIDTH(16)
SORT_WIDTH(32)
SORT_WIDTH(64)

/* Of what NumPy's sort alone puts in order: are there neither NaN nor zeros of both signs? The top
 * bit of what is gathered tells, in lanes of vectors: infinity less the magnitude is negative for a
 * NaN, and t - 1 has a bit there that t lacks only if t, which tells -0.0 from all else, is 0. */
#define ALL_DISTINCT(W)                                                                            \
    static bool all_distinct_##W(const char *at, int64_t n, const Order *o)                        \
    {                                                                                              \
        const uint##W##_t sign = (uint##W##_t)o->sign, infinity = (uint##W##_t)o->infinity;        \
        uint##W##_t odd = 0;                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                          \
            uint##W##_t bits, t;                                                                   \
            memcpy(&bits, at + i * (W / 8), W / 8);                                                \
            t = bits ^ sign;                                                                       \
            odd |= (infinity - (bits & ~sign)) | (~t & (t - 1));                                   \
        }                                                                                          \
        return !(odd & sign);                                                                      \
    }
ALL_DISTINCT(32)
ALL_DISTINCT(64)

/* By NumPy's sort, where nobody can tell the difference. One lane across memory is sorted in the
 * scratch memory, which there is for that. */
static bool
sort_lent(Lane l, DType d, const Order *o, char *room)
{
    bool in_row = l.stride == o->bytes && (uintptr_t)l.at % (size_t)o->bytes == 0;
    if (is_complex(d) || !lent(d) || (!in_row && !room))
        return false;
    char *at = in_row ? l.at : room;
    for (int64_t i = 0; !in_row && o->bytes == 8 && i < l.n; i++)
        memcpy(room + 8 * i, l.at + i * l.stride, 8);
    for (int64_t i = 0; !in_row && o->bytes == 4 && i < l.n; i++)
        memcpy(room + 4 * i, l.at + i * l.stride, 4);
    if (o->is_float && !(o->bytes == 4 ? all_distinct_32(at, l.n, o) : all_distinct_64(at, l.n, o)))
        return false;
    if (lent(d)(at, l.n, NULL))
        return false;
    for (int64_t i = 0; !in_row && o->bytes == 8 && i < l.n; i++)
        memcpy(l.at + i * l.stride, room + 8 * i, 8);
    for (int64_t i = 0; !in_row && o->bytes == 4 && i < l.n; i++)
        memcpy(l.at + i * l.stride, room + 4 * i, 4);
    return true;
}

enum { COUNTED = 256 }; /* elements of one byte: from here on they are counted */

/* Elements of one byte, by how many there are of each. Four counts of each, so that equal
 * neighbours don't wait for each other. */
static bool
sort_bytes(Lane l, const Order *o)
{
    if (o->bytes != 1 || l.n < COUNTED)
        return false;
    int64_t count[4][256] = {{0}}, i = 0;
    const uint8_t *p = (const uint8_t *)l.at;
    for (; i + 4 <= l.n; i += 4, p += 4 * l.stride) {
        count[0][p[0]]++;
        count[1][p[l.stride]]++;
        count[2][p[2 * l.stride]]++;
        count[3][p[3 * l.stride]]++;
    }
    for (; i < l.n; i++, p += l.stride)
        count[0][*p]++;
    char *to = l.at;
    for (unsigned key = 0; key < 256; key++) {
        unsigned v = o->is_signed ? key ^ 128 : key;
        int64_t n = count[0][v] + count[1][v] + count[2][v] + count[3][v];
        if (l.stride == 1)
            memset(to, (int)v, (size_t)n);
        for (int64_t k = 0; l.stride != 1 && k < n; k++)
            to[k * l.stride] = (char)v;
        to += n * l.stride;
    }
    return true;
}

/* The compiler makes a loop of each for what is known of its dtypes. */
static void
sort_real(Lane l, const Order *o, void *a, void *tmp)
{
    switch (o->bytes) {
    case 1:
        sort_width_8(l, o, a, tmp);
        break;
    case 2:
        sort_width_16(l, o, a, tmp);
        break;
    case 4:
        sort_width_32(l, o, a, tmp);
        break;
    default:
        sort_width_64(l, o, a, tmp);
        break;
    }
}

static void
load_complex(Lane l, DType d, PlacedComplex *to)
{
    for (int64_t i = 0; i < l.n; i++) {
        const char *p = l.at + i * l.stride;
        float f[2];
        if (d == DT_c64) {
            memcpy(f, p, sizeof f);
            to[i] = (PlacedComplex){{f[0], f[1]}, i};
        } else {
            memcpy(&to[i].z, p, sizeof to[i].z);
            to[i].place = i;
        }
    }
}

/* By where they stood, so that their bits stay what they were. */
static void
sort_complex(Lane l, DType d, PlacedComplex *a, PlacedComplex *tmp)
{
    size_t bytes = d == DT_c64 ? 8 : 16;
    load_complex(l, d, a);
    PlacedComplex *r = sorted_complex(a, tmp, l.n);
    char *raw = (char *)(r == a ? tmp : a);
    for (int64_t i = 0; i < l.n; i++)
        memcpy(raw + (size_t)i * bytes, l.at + r[i].place * l.stride, bytes);
    for (int64_t i = 0; i < l.n; i++)
        memcpy(l.at + i * l.stride, raw + (size_t)i * bytes, bytes);
}

/* ---- argsort --------------------------------------------------------------------------------- */

/* What is known of the keys of a lane. */
typedef struct Range {
    uint64_t least, most, vary; /* vary: bits in which keys differ */
    bool ordered;
} Range;

static Range
range_of(Lane l, const Order *o)
{
    uint64_t last = key_at(l, 0, o);
    Range r = {last, last, 0, true};
    for (int64_t i = 1; i < l.n; i++) {
        uint64_t key = key_at(l, i, o);
        r.least = key < r.least ? key : r.least;
        r.most = key > r.most ? key : r.most;
        r.vary |= key ^ last;
        r.ordered &= last <= key;
        last = key;
    }
    return r;
}

static int
bits_for(uint64_t most)
{
    return most ? 64 - __builtin_clzll(most) : 0;
}

/* Places whose keys agree as far as they were packed, by all of the keys; false: there are too
 * many. */
static bool
order_rest(Lane l, const Order *o, const uint64_t *packed, int place_bits, Lane to)
{
    uint64_t mask = ((uint64_t)1 << place_bits) - 1;
    for (int64_t i = 1, run = 1; i < l.n; i++) {
        run = packed[i] >> place_bits == packed[i - 1] >> place_bits ? run + 1 : 1;
        if (run == 1)
            continue;
        int64_t place = (int64_t)(packed[i] & mask), k = i, steps = 0;
        uint64_t key = key_at(l, place, o);
        for (; k > i - run + 1; k--) {
            int64_t before;
            memcpy(&before, to.at + (k - 1) * to.stride, sizeof before);
            if (key_at(l, before, o) <= key)
                break;
            if (++steps > 16)
                return false;
            put_place(to, k, before);
        }
        put_place(to, k, place);
    }
    return true;
}

/* Bytes that differ, from bit `low` on: a pass each. */
static int
passes(uint64_t vary, int low)
{
    int n = 0;
    for (int shift = low; shift < 64; shift += 8)
        n += (vary >> shift & 255) != 0;
    return n;
}

enum { FEW_PASSES = 2 }; /* are faster than comparing */

/* The key, from the least one on, as far as there is room in 64 bits, and below it the place: by
 * bytes where few of them differ, else by NumPy's sort of unsigned integers. False: it can't be
 * done so, or too many keys that agree as far as there is room are not equal. */
static bool
argsort_packed(Lane l, Lane to, const Order *o, Range r, uint64_t *a, uint64_t *tmp)
{
    int place_bits = bits_for((uint64_t)l.n - 1), key_bits = bits_for(r.most - r.least),
        drop = key_bits + place_bits - 64;
    drop = drop > 0 ? drop : 0;
    bool bytewise = !drop && key_bits <= 8 * FEW_PASSES;
    if (place_bits > 32 || (!bytewise && !lent(DT_u64)))
        return false;
    for (int64_t i = 0; i < l.n; i++)
        a[i] = (key_at(l, i, o) - r.least) >> drop << place_bits | (uint64_t)i;
    if (bytewise)
        a = radix_sort_64(a, tmp, l.n, place_bits, (uint64_t)-1 >> (64 - key_bits - place_bits));
    else if (lent(DT_u64)(a, l.n, NULL))
        return false;
    for (int64_t i = 0; i < l.n; i++)
        put_place(to, i, (int64_t)(a[i] & (((uint64_t)1 << place_bits) - 1)));
    return !drop || order_rest(l, o, a, place_bits, to);
}

static void
argsort_real(Lane l, Lane to, const Order *o, Placed *a, Placed *tmp)
{
    if (argsort_few(l, to, o, (uint8_t *)(void *)a))
        return;
    Range r = range_of(l, o);
    bool many = l.n > 128, few = many && passes(r.vary, 0) <= FEW_PASSES &&
                                 bits_for(r.most - r.least) > 8 * FEW_PASSES;
    for (int64_t i = 0; r.ordered && i < l.n; i++)
        put_place(to, i, i);
    if (r.ordered ||
        (!few && argsort_packed(l, to, o, r, (uint64_t *)(void *)a, (uint64_t *)(void *)tmp)))
        return;
    for (int64_t i = 0; i < l.n; i++)
        a[i] = (Placed){key_at(l, i, o), i};
    const Placed *sorted =
        few ? radix_sort_placed(a, tmp, l.n, 0, r.vary) : sorted_placed(a, tmp, l.n);
    for (int64_t i = 0; i < l.n; i++)
        put_place(to, i, sorted[i].place);
}

static void
argsort_complex(Lane l, Lane to, DType d, PlacedComplex *a, PlacedComplex *tmp)
{
    load_complex(l, d, a);
    const PlacedComplex *r = sorted_complex(a, tmp, l.n);
    for (int64_t i = 0; i < l.n; i++)
        put_place(to, i, r[i].place);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Two buffers of n elements, one behind the other: from an allocator that keeps them for the next
 * call. */
static SwMem *
scratch(int64_t n, size_t bytes)
{
    return n < (int64_t)1 << 56 ? kernel_host()->alloc(2 * bytes * (size_t)n) : NULL;
}

bool
sort_one(Lane l, DType d, SwMem **m)
{
    Order o = order_of(d);
    size_t bytes = is_complex(d) ? sizeof(PlacedComplex) : (size_t)o.bytes;
    if (l.n < 2 || sort_bytes(l, &o) || (!*m && sort_lent(l, d, &o, NULL)))
        return true;
    *m = *m ? *m : scratch(l.n, bytes);
    if (!*m)
        return false;
    char *room = (*m)->data, *rest = room + (size_t)l.n * bytes;
    if (is_complex(d))
        sort_complex(l, d, (void *)room, (void *)rest);
    else if (!sort_lent(l, d, &o, room))
        sort_real(l, &o, room, rest);
    return true;
}

/* Stable, NaN last. */
KERNEL(sort, "a", "rw(n)", "any")
{
    Lane l = {NULL, kernel_dim(arg, 1), kernel_stride(arg, 1)};
    SwMem *m = NULL;
    int64_t status = 0;
    Walk w;
    walk_begin(&w, arg, 1, (const int[]){1});
    for (; w.left && l.n > 1 && !status; walk_next(&w)) {
        l.at = w.data[0];
        if (!sort_one(l, (DType)arg->dtype, &m))
            status = KERNEL_NO_MEMORY;
        else
            status = kernel_stops(cx) ? KERNEL_STOPPED : 0;
    }
    if (m)
        m->free_fn(m);
    return status;
}

KERNEL(argsort, "a, places", "r(n) w(n):int64", "any")
{
    DType d = (DType)arg->dtype;
    Order o = order_of(d);
    Lane l = {NULL, kernel_dim(arg, 1), kernel_stride(arg, 1)},
         to = {NULL, l.n, kernel_stride(arg + 1, 1)};
    size_t bytes = is_complex(d) ? sizeof(PlacedComplex) : sizeof(Placed);
    Walk w;
    walk_begin(&w, arg, 2, (const int[]){1, 1});
    if (!l.n || !w.left)
        return 0;
    SwMem *m = scratch(l.n, bytes);
    if (!m)
        return KERNEL_NO_MEMORY;
    char *a = m->data;
    int64_t status = 0;
    for (; w.left && !status; walk_next(&w)) {
        l.at = w.data[0];
        to.at = w.data[1];
        if (is_complex(d))
            argsort_complex(l, to, d, (void *)a, (void *)(a + (size_t)l.n * bytes));
        else
            argsort_real(l, to, &o, (void *)a, (void *)(a + (size_t)l.n * bytes));
        status = kernel_stops(cx) ? KERNEL_STOPPED : 0;
    }
    m->free_fn(m);
    return status;
}
