/* SPDX-License-Identifier: BSD-3-Clause
 * Two open-addressing tables: interned strings, and pointer -> pointer. Both stay at most
 * half full; the old table of a growth stays in the arena, which is freed as a whole. */
#include "base/base.h"

static uint64_t
mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    return x;
}

static uint64_t
hash_text(const char *s, size_t n)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 0x100000001b3ull;
    return mix(h);
}

void
intern_init(Intern *t, Arena *a)
{
    *t = (Intern){.arena = a};
}

static void
intern_grow(Intern *t)
{
    int cap = t->cap ? t->cap * 2 : 64;
    Sym *slots = NEW_N(t->arena, Sym, cap);
    for (int i = 0; i < t->cap; i++) {
        if (!t->slots[i])
            continue;
        unsigned k = (unsigned)hash_text(t->slots[i], strlen(t->slots[i]));
        while (slots[k & (unsigned)(cap - 1)])
            k++;
        slots[k & (unsigned)(cap - 1)] = t->slots[i];
    }
    t->slots = slots;
    t->cap = cap;
}

Sym
intern_n(Intern *t, const char *s, size_t n)
{
    if (t->n * 2 >= t->cap)
        intern_grow(t);
    unsigned k = (unsigned)hash_text(s, n), mask = (unsigned)t->cap - 1;
    for (; t->slots[k & mask]; k++) {
        Sym have = t->slots[k & mask];
        if (strncmp(have, s, n) == 0 && have[n] == 0)
            return have;
    }
    char *copy = arena_alloc(t->arena, n + 1);
    memcpy(copy, s, n);
    t->slots[k & mask] = copy;
    t->n++;
    return copy;
}

Sym
intern(Intern *t, const char *s)
{
    return intern_n(t, s, strlen(s));
}

static unsigned
map_slot(const void *const *keys, int cap, const void *key)
{
    unsigned k = (unsigned)mix((uint64_t)(uintptr_t)key), mask = (unsigned)cap - 1;
    while (keys[k & mask] && keys[k & mask] != key)
        k++;
    return k & mask;
}

void *
map_get(const Map *m, const void *key)
{
    if (!m->cap)
        return NULL;
    unsigned k = map_slot(m->keys, m->cap, key);
    return m->keys[k] ? m->vals[k] : NULL;
}

static void
map_grow(Arena *a, Map *m)
{
    Map bigger = {.cap = m->cap ? m->cap * 2 : 16, .n = m->n};
    bigger.keys = NEW_N(a, const void *, bigger.cap);
    bigger.vals = NEW_N(a, void *, bigger.cap);
    for (int i = 0; i < m->cap; i++) {
        if (!m->keys[i])
            continue;
        unsigned k = map_slot(bigger.keys, bigger.cap, m->keys[i]);
        bigger.keys[k] = m->keys[i];
        bigger.vals[k] = m->vals[i];
    }
    *m = bigger;
}

void
map_put(Arena *a, Map *m, const void *key, void *val)
{
    if (m->n * 2 >= m->cap)
        map_grow(a, m);
    unsigned k = map_slot(m->keys, m->cap, key);
    if (!m->keys[k]) {
        m->keys[k] = key;
        m->n++;
    }
    m->vals[k] = val;
}
