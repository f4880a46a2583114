/* SPDX-License-Identifier: BSD-3-Clause
 * A hash table from numbers to numbers that are not 0, and growable arrays, for
 * rt/watch*.c: outside of any compilation, so without an arena. Open addressing, at most
 * half full; a key of 0 is free. */
#include "rt/watch.h"

#include <stdlib.h>

enum { START = 1 << 8 };

static size_t
slot(const WatchTable *t, uint64_t key)
{
    size_t k = (size_t)((key * 0x9e3779b97f4a7c15u) >> 24);
    while (t->key[k & (t->cap - 1)] && t->key[k & (t->cap - 1)] != key)
        k++;
    return k & (t->cap - 1);
}

uint32_t
watch_get(const WatchTable *t, uint64_t key)
{
    return t->cap ? t->val[slot(t, key)] : 0;
}

static bool
grow(WatchTable *t)
{
    WatchTable big = {.cap = t->cap ? t->cap * 2 : START, .n = t->n};
    big.key = calloc(big.cap, sizeof *big.key);
    big.val = calloc(big.cap, sizeof *big.val);
    if (!big.key || !big.val) {
        watch_free(&big);
        return false;
    }
    for (size_t i = 0; i < t->cap; i++)
        if (t->key[i]) {
            size_t k = slot(&big, t->key[i]);
            big.key[k] = t->key[i];
            big.val[k] = t->val[i];
        }
    watch_free(t);
    *t = big;
    return true;
}

uint32_t *
watch_put(WatchTable *t, uint64_t key)
{
    if (t->n * 2 >= t->cap && !grow(t))
        return NULL;
    size_t k = slot(t, key);
    t->n += !t->key[k];
    t->key[k] = key;
    return &t->val[k];
}

void
watch_clear(WatchTable *t)
{
    if (t->n == 0)
        return;
    memset(t->key, 0, sizeof *t->key * t->cap);
    memset(t->val, 0, sizeof *t->val * t->cap);
    t->n = 0;
}

void
watch_free(WatchTable *t)
{
    free(t->key);
    free(t->val);
    *t = (WatchTable){0};
}

bool
watch_room(void **at, uint32_t n, uint32_t *cap, size_t size)
{
    if (n < *cap)
        return true;
    uint32_t more = *cap ? *cap * 2 : 64;
    void *p = more > *cap ? realloc(*at, size * more) : NULL;
    if (!p)
        return false;
    *at = p;
    *cap = more;
    return true;
}
