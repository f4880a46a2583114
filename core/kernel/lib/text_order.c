/* SPDX-License-Identifier: BSD-3-Clause
 * The order of many strings, whose code points lie one behind the other. */
#include "kernel/lib/lib.h"

/* The first code points, each one more, so that nothing comes first: KEYED of them, or MORE where
 * all are below 255. */
typedef struct Placed {
    uint64_t key;
    int64_t place;
} Placed;

typedef struct Texts {
    const uint32_t *points;
    const int64_t *end; /* of each */
    int keyed;
} Texts;

enum { KEYED = 3, MORE = 8, RUN = 12 };

static int64_t
begin_of(const Texts *t, int64_t i)
{
    return i ? t->end[i - 1] : 0;
}

/* b before a? */
static inline bool
is_behind(const Texts *t, const Placed *a, const Placed *b)
{
    if (SW_LIKELY(a->key != b->key))
        return a->key > b->key;
    const uint32_t *x = t->points + begin_of(t, a->place), *y = t->points + begin_of(t, b->place);
    int64_t n = t->end[a->place] - begin_of(t, a->place),
            m = t->end[b->place] - begin_of(t, b->place), least = n < m ? n : m;
    for (int64_t k = t->keyed; k < least; k++)
        if (x[k] != y[k])
            return x[k] > y[k];
    return n > m;
}

static void
insertion(const Texts *t, Placed *a, int64_t lo, int64_t hi)
{
    for (int64_t i = lo + 1; i < hi; i++) {
        Placed v = a[i];
        int64_t k = i;
        for (; k > lo && is_behind(t, &a[k - 1], &v); k--)
            a[k] = a[k - 1];
        a[k] = v;
    }
}

static void
merge(const Texts *t, const Placed *a, Placed *to, int64_t lo, int64_t mid, int64_t hi)
{
    int64_t i = lo, j = mid;
    for (int64_t k = lo; k < hi; k++)
        to[k] = j >= hi || (i < mid && !is_behind(t, &a[i], &a[j])) ? a[i++] : a[j++];
}

/* Stable. order[k]: which string is the k-th. */
KERNEL(text_order, "points, ends, order", "r(m) r(n):int64 w(n):int64", "uint32")
{
    Texts t = {(const uint32_t *)(const void *)arg[0].array->data,
               (const int64_t *)(const void *)arg[1].array->data, KEYED};
    int64_t n = kernel_dim(&arg[1], 1), *order = (int64_t *)(void *)arg[2].array->data;
    SwMem *m = n < (int64_t)1 << 56 ? kernel_host()->alloc(2 * sizeof(Placed) * (size_t)n) : NULL;
    if (!m)
        return KERNEL_NO_MEMORY;
    Placed *a = m->data, *b = a + n;
    uint32_t most = 0;
    for (int64_t i = 0; i < kernel_dim(&arg[0], 1); i++)
        most = t.points[i] > most ? t.points[i] : most;
    t.keyed = most < 255 ? MORE : KEYED;
    for (int64_t i = 0; i < n; i++) {
        const uint32_t *p = t.points + begin_of(&t, i);
        int64_t size = t.end[i] - begin_of(&t, i);
        uint64_t key = 0;
        for (int64_t k = 0; k < t.keyed; k++)
            key = key << (t.keyed == MORE ? 8 : 21) | (k < size ? (uint64_t)p[k] + 1 : 0);
        a[i] = (Placed){key, i};
    }
    for (int64_t lo = 0; lo < n; lo += RUN)
        insertion(&t, a, lo, lo + RUN < n ? lo + RUN : n);
    for (int64_t width = RUN; width < n && !kernel_stops(cx); width *= 2) {
        for (int64_t lo = 0; lo < n; lo += 2 * width) {
            int64_t mid = lo + width < n ? lo + width : n;
            merge(&t, a, b, lo, mid, mid + width < n ? mid + width : n);
        }
        Placed *was = a;
        a = b;
        b = was;
    }
    for (int64_t i = 0; i < n; i++)
        order[i] = a[i].place;
    m->free_fn(m);
    return kernel_stops(cx) ? KERNEL_STOPPED : 0;
}
