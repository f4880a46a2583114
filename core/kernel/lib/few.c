/* SPDX-License-Identifier: BSD-3-Clause
 * argsort of elements of which many are equal: each value that there is gets a code of one byte by
 * a hash table, values are put in order, and places are distributed by counts of the codes (a
 * counting sort, which is stable). Elements are taken from four parts in turn, with counts of each
 * part's own, so that equal neighbours don't wait for each other's counts. */
#include "kernel/lib/sort.h"

enum { PARTS = 4, SLOTS = 256, MOST = 64, SAMPLE = 64, LEAST_LENGTH = 1024 };

typedef struct Values {
    uint64_t bits[SLOTS]; /* a free slot has those of the first value, which is at `home` */
    int home, n;
    uint8_t slot[MOST];
    int64_t count[PARTS][SLOTS];
} Values;

static inline int
hash(uint64_t bits)
{
    return (int)(bits * 0x9e3779b97f4a7c15 >> 56);
}

/* Where a value is, from now on: SLOTS if there are too many. */
static inline int
slot_of(Values *v, uint64_t bits)
{
    int s = hash(bits);
    for (; v->bits[s] != bits; s = (s + 1) % SLOTS) {
        if (v->bits[s] != v->bits[v->home] || s == v->home)
            continue;
        if (v->n == MOST)
            return SLOTS;
        v->slot[v->n++] = (uint8_t)s;
        v->bits[s] = bits;
        break;
    }
    return s;
}

/* Is at most half of a sample different? */
static bool
looks_few(Values *v, Lane l, int bytes)
{
    uint64_t first = load(l.at, bytes);
    for (int s = 0; s < SLOTS; s++)
        v->bits[s] = first;
    v->home = hash(first);
    v->n = 1;
    v->slot[0] = (uint8_t)v->home;
    for (int64_t i = 1; i < SAMPLE; i++) {
        int64_t at = (int64_t)((uint64_t)l.n / SAMPLE * (uint64_t)i);
        slot_of(v, load(l.at + at * l.stride, bytes));
    }
    return v->n <= SAMPLE / 2;
}

static inline bool
encode_one(Values *v, Lane l, int bytes, int part, int64_t i, uint8_t *code)
{
    int s = slot_of(v, load(l.at + i * l.stride, bytes));
    if (s == SLOTS)
        return false;
    code[i] = (uint8_t)s;
    v->count[part][s]++;
    return true;
}

/* The codes of all elements, counted; false: there are too many values. */
static inline bool
encode(Values *v, Lane l, int bytes, uint8_t *code)
{
    int64_t part = l.n / PARTS;
    bool ok = true;
    memset(v->count, 0, sizeof v->count);
    for (int64_t i = 0; i < part && ok; i++)
        for (int p = 0; p < PARTS; p++)
            ok &= encode_one(v, l, bytes, p, p * part + i, code);
    for (int64_t i = PARTS * part; i < l.n && ok; i++)
        ok &= encode_one(v, l, bytes, PARTS - 1, i, code);
    return ok;
}

/* Values whose keys are equal, zeros of both signs and NaN, take one slot. */
static void
join(Values *v, uint8_t *code, int64_t n, int from, int into)
{
    for (int64_t i = 0; i < n; i++)
        code[i] = code[i] == from ? (uint8_t)into : code[i];
    for (int p = 0; p < PARTS; p++) {
        v->count[p][into] += v->count[p][from];
        v->count[p][from] = 0;
    }
}

/* Counts become the places of the first one of each value and part. */
static void
place_values(Values *v, const Order *o, uint8_t *code, int64_t n)
{
    for (int i = 1, k; i < v->n; i++) {
        uint8_t s = v->slot[i];
        uint64_t key = key_of(v->bits[s], o);
        for (k = i; k > 0 && key < key_of(v->bits[v->slot[k - 1]], o); k--)
            v->slot[k] = v->slot[k - 1];
        v->slot[k] = s;
    }
    for (int i = v->n - 1; i > 0; i--)
        if (key_of(v->bits[v->slot[i]], o) == key_of(v->bits[v->slot[i - 1]], o))
            join(v, code, n, v->slot[i], v->slot[i - 1]);
    int64_t at = 0;
    for (int i = 0; i < v->n; i++)
        for (int p = 0; p < PARTS; p++) {
            int64_t many = v->count[p][v->slot[i]];
            v->count[p][v->slot[i]] = at;
            at += many;
        }
}

bool
argsort_few(Lane l, Lane to, const Order *o, uint8_t *code)
{
    Values v;
    if (l.n < LEAST_LENGTH || !looks_few(&v, l, o->bytes))
        return false;
    bool ok = o->bytes == 8   ? encode(&v, l, 8, code)
              : o->bytes == 4 ? encode(&v, l, 4, code)
              : o->bytes == 2 ? encode(&v, l, 2, code)
                              : encode(&v, l, 1, code);
    if (!ok)
        return false;
    place_values(&v, o, code, l.n);
    int64_t part = l.n / PARTS;
    for (int64_t i = 0; i < part; i++)
        for (int p = 0; p < PARTS; p++) {
            int64_t k = p * part + i;
            put_place(to, v.count[p][code[k]]++, k);
        }
    for (int64_t k = PARTS * part; k < l.n; k++)
        put_place(to, v.count[PARTS - 1][code[k]]++, k);
    return true;
}
