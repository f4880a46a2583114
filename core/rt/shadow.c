/* SPDX-License-Identifier: BSD-3-Clause
 * The shadow memory that finds races under debug, as compiled code calls it: see rt.def.
 * For each parallel loop being watched there is a table by address: the iteration that
 * has written the element, and up to two different ones that have read it, or that have
 * combined something with it. Two are enough: whichever iteration writes it later, one of
 * them is another. What two combine by one operator meets in no order. Inside a loop that
 * is watched a second one adds its own table, and each access counts for all of them; so
 * do those of functions that are called. */
#include "ir/ir.h"
#include "rt/rt.h"

#include <stdlib.h>

enum { START = 1 << 10 };

typedef struct Touch {
    const void *address; /* NULL: free */
    int64_t writer, reader[2], combiner[2];
    int32_t w_site, r_site[2], c_site[2]; /* -1: none */
    int32_t op;                           /* of the combiners */
} Touch;

typedef struct Shadow {
    struct Shadow *outer;
    int32_t loop;
    int64_t iteration;
    Touch *at;
    size_t n, cap; /* cap: a power of two */
} Shadow;

/* ---- the table ------------------------------------------------------------------------------- */

static void
set_free(Touch *t)
{
    t->w_site = t->r_site[0] = t->r_site[1] = t->c_site[0] = t->c_site[1] = -1;
}

static Touch *
find(const Shadow *s, const void *address)
{
    size_t k = (size_t)(((uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u) >> 20);
    for (;; k++) {
        Touch *t = &s->at[k & (s->cap - 1)];
        if (!t->address || t->address == address)
            return t;
    }
}

static bool
grow(Shadow *s)
{
    Shadow old = *s;
    s->cap = old.cap ? old.cap * 2 : START;
    s->at = calloc(s->cap, sizeof *s->at);
    if (!s->at) {
        *s = old;
        return false;
    }
    for (size_t i = 0; i < old.cap; i++)
        if (old.at[i].address)
            *find(s, old.at[i].address) = old.at[i];
    free(old.at);
    return true;
}

static Touch *
touched(Shadow *s, const void *address)
{
    if (s->n * 2 >= s->cap && !grow(s))
        return NULL;
    Touch *t = find(s, address);
    if (!t->address) {
        *t = (Touch){.address = address};
        set_free(t);
        s->n++;
    }
    return t;
}

/* Memory that was free until now is nobody's, whoever had it before. */
void
rt_shadow_forget(SwCtx *cx, const void *data, int64_t bytes)
{
    const char *from = data, *to = from + bytes;
    for (Shadow *s = cx->shadow; s; s = s->outer) {
        bool few = (size_t)bytes < s->cap;
        for (const char *p = from; few && s->n && p < to; p++) {
            set_free(find(s, p));
        }
        for (size_t i = 0; !few && i < s->cap; i++) {
            Touch *t = &s->at[i];
            const char *p = t->address;
            if (p && p >= from && p < to)
                set_free(t);
        }
    }
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void
pop(SwCtx *cx)
{
    Shadow *s = cx->shadow;
    cx->shadow = s->outer;
    free(s->at);
    free(s);
}

void
rt_shadow_free(SwCtx *cx)
{
    while (cx->shadow)
        pop(cx);
}

void
sw_shadow_begin(SwCtx *cx, int32_t loop)
{
    Shadow *s = calloc(1, sizeof *s);
    if (!s)
        return;
    s->outer = cx->shadow;
    s->loop = loop;
    cx->shadow = s;
}

int64_t
sw_shadow_depth(SwCtx *cx)
{
    int64_t n = 0;
    for (const Shadow *s = cx->shadow; s; s = s->outer)
        n++;
    return n;
}

void
sw_shadow_back(SwCtx *cx, int64_t depth)
{
    for (int64_t n = sw_shadow_depth(cx); n > depth; n--)
        pop(cx);
}

void
sw_shadow_next(SwCtx *cx, int32_t loop, int64_t iteration)
{
    while (cx->shadow && cx->shadow->loop != loop)
        pop(cx);
    if (cx->shadow)
        cx->shadow->iteration = iteration;
}

void
sw_shadow_end(SwCtx *cx, int32_t loop)
{
    while (cx->shadow && cx->shadow->loop != loop)
        pop(cx);
    if (cx->shadow)
        pop(cx);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static int
line_of(const SwCtx *cx, int32_t site)
{
    const SwSite *s = rt_site(cx->fn, site);
    return s ? s->line : 0;
}

static int
race(SwCtx *cx, int32_t site, int64_t mine, int64_t other, int32_t other_site)
{
    sw_fail(cx, site, mine, other, line_of(cx, other_site), 0);
    return 1;
}

/* Keeps the first two different iterations. */
static void
note(int64_t *who, int32_t *where, int64_t iteration, int32_t site)
{
    int k = where[0] < 0 || who[0] == iteration ? 0 : 1;
    if (where[k] >= 0)
        return;
    who[k] = iteration;
    where[k] = site;
}

/* Which of two is another iteration; -1: none. */
static int
other(const int64_t *who, const int32_t *where, int64_t iteration)
{
    for (int k = 0; k < 2; k++)
        if (where[k] >= 0 && who[k] != iteration)
            return k;
    return -1;
}

static int
touch(SwCtx *cx, Shadow *s, const void *address, int32_t how, int32_t site)
{
    Touch *t = touched(s, address);
    if (!t) {
        sw_fail(cx, SW_ERR_MEMORY, 0, 0, 0, 0);
        return 1;
    }
    if (t->w_site >= 0 && t->writer != s->iteration)
        return race(cx, site, s->iteration, t->writer, t->w_site);
    int k = how == t->op ? -1 : other(t->combiner, t->c_site, s->iteration);
    if (k >= 0)
        return race(cx, site, s->iteration, t->combiner[k], t->c_site[k]);
    if (!how) {
        note(t->reader, t->r_site, s->iteration, site);
        return 0;
    }
    k = other(t->reader, t->r_site, s->iteration);
    if (k >= 0)
        return race(cx, site + 1, s->iteration, t->reader[k], t->r_site[k]);
    if (how >= SHADOW_COMBINES) {
        note(t->combiner, t->c_site, s->iteration, site);
        t->op = t->op && t->op != how ? -1 : how; /* -1: several, which have an order */
        return 0;
    }
    t->writer = s->iteration;
    t->w_site = site;
    return 0;
}

int
sw_shadow(SwCtx *cx, const void *address, int32_t how, int32_t around, int32_t site)
{
    bool inside = around >= 0;
    for (Shadow *s = cx->shadow; s; s = s->outer) {
        bool combines = how >= SHADOW_COMBINES;
        if ((!inside || combines) && touch(cx, s, address, combines && !inside ? 1 : how, site))
            return 1;
        inside &= s->loop != around;
    }
    return 0;
}
