/* SPDX-License-Identifier: BSD-3-Clause
 * Bump allocation in chunks that double, all freed at once; and the growable vectors that live
 * in it. Out of memory jumps to `oom`, so that no caller tests a result. */
#include "base/base.h"
#include <stdio.h>
#include <stdlib.h>

struct ArenaChunk {
    ArenaChunk *next;
    size_t size;
    _Alignas(16) char bytes[];
};
enum { FIRST_CHUNK = 16 << 10, LARGEST_CHUNK = 1 << 20 };

void
arena_init(Arena *a)
{
    memset(a, 0, sizeof *a);
}

void
arena_free(Arena *a)
{
    for (ArenaChunk *c = a->head, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    a->head = NULL;
    a->next = a->end = NULL;
    a->total = 0;
}

void
arena_out_of_memory(Arena *a)
{
    if (a->oom)
        longjmp(*a->oom, ARENA_NO_MEMORY);
    /* Only a caller that forgot to set `oom` comes here; there is no way to go on. */
    abort();
}

void
arena_poll(Arena *a)
{
    if (a->stop && a->oom && __atomic_load_n(a->stop, __ATOMIC_RELAXED))
        longjmp(*a->oom, ARENA_STOPPED);
}

static void
arena_grow(Arena *a, size_t need)
{
    arena_poll(a);
    size_t size = a->head ? a->head->size * 2 : FIRST_CHUNK;
    if (size > LARGEST_CHUNK)
        size = LARGEST_CHUNK;
    if (size < need)
        size = need;
    ArenaChunk *c = size > SIZE_MAX / 2 ? NULL : calloc(1, sizeof(ArenaChunk) + size);
    if (!c)
        arena_out_of_memory(a);
    c->next = a->head;
    c->size = size;
    a->head = c;
    a->next = c->bytes;
    a->end = c->bytes + size;
    a->total += size;
}

void *
arena_alloc(Arena *a, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    trace_work += bytes / 64 + 1;
    if ((size_t)(a->end - a->next) < bytes)
        arena_grow(a, bytes);
    void *p = a->next;
    a->next += bytes;
    return p;
}

void *
arena_dup(Arena *a, const void *p, size_t bytes)
{
    void *q = arena_alloc(a, bytes ? bytes : 1);
    if (bytes)
        memcpy(q, p, bytes);
    return q;
}

char *
arena_str(Arena *a, const char *s)
{
    return arena_dup(a, s, strlen(s) + 1);
}

char *
arena_printf(Arena *a, const char *fmt, ...)
{
    char short_one[120];
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = text_format(short_one, sizeof short_one, fmt, ap);
    char *s = arena_alloc(a, (size_t)n + 1);
    if (n < (int)sizeof short_one)
        memcpy(s, short_one, (size_t)n + 1);
    else
        text_format(s, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(ap);
    return s;
}

void *
vec_grow(Arena *a, void *at, int n, int *cap, size_t elem)
{
    int want = *cap ? *cap * 2 : 8;
    void *p = arena_alloc(a, elem * (size_t)want);
    if (n)
        memcpy(p, at, elem * (size_t)n);
    *cap = want;
    return p;
}
