/* SPDX-License-Identifier: BSD-3-Clause
 * Shadow memory of a kernel under debug: for each 8 bytes that threads have touched a
 * list of who did what to which of them, and which have been written. An access that must
 * come after another of its kind takes its place; of those that nothing orders two are
 * kept, of different blocks or warps if there are, since whichever thread comes later is
 * not in both. */
#include "rt/watch.h"

#include <stdlib.h>

enum { GRANULE = 8 };

typedef struct Touch {
    Watch *w;
    Memory *m;
    Access mine;
    int thread;
    const Access *other; /* the one that conflicts */
} Touch;

/* ---- granules and lists ---------------------------------------------------------------------- */

void
watch_forget(Memory *m)
{
    watch_clear(&m->at);
    m->n_granules = m->n_accesses = 1;
    m->unused = 0;
}

void
watch_free_memory(Memory *m)
{
    watch_free(&m->at);
    free(m->granule);
    free(m->access);
}

static Granule *
granule_at(Memory *m, uint64_t address)
{
    uint32_t *at = watch_put(&m->at, address / GRANULE);
    if (!at)
        return NULL;
    if (!*at) {
        if (!watch_room((void **)&m->granule, m->n_granules, &m->cap_granules, sizeof *m->granule))
            return NULL;
        m->granule[m->n_granules] = (Granule){0};
        *at = m->n_granules++;
    }
    return &m->granule[*at];
}

static bool
add(Memory *m, Granule *g, const Access *a)
{
    uint32_t i = m->unused;
    if (i)
        m->unused = m->access[i].next;
    else if (watch_room((void **)&m->access, m->n_accesses, &m->cap_accesses, sizeof *a))
        i = m->n_accesses++;
    else
        return false;
    m->access[i] = *a;
    m->access[i].next = g->first;
    g->first = i;
    return true;
}

/* ---- conflicts ------------------------------------------------------------------------------- */

static bool
is_atomic(const Access *a)
{
    return a->how >= TOUCH_ATOMIC;
}

static bool
same_range(const Access *a, const Access *b)
{
    return a->from == b->from && a->size == b->size;
}

static bool
conflict(const Access *a, const Access *b)
{
    bool apart = a->from + a->size <= b->from || b->from + b->size <= a->from;
    if (apart || (a->how == TOUCH_READ && b->how == TOUCH_READ) || (is_atomic(a) && is_atomic(b)))
        return false;
    bool both = a->how == TOUCH_WRITE && b->how == TOUCH_WRITE;
    return !(both && same_range(a, b) && a->value == b->value);
}

static bool
find_conflict(Touch *t, const Granule *g)
{
    for (uint32_t i = g->first; i; i = t->m->access[i].next) {
        const Access *a = &t->m->access[i];
        if (conflict(a, &t->mine) && !watch_ordered(t->w, a, t->thread)) {
            t->other = a;
            return true;
        }
    }
    return false;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

static bool
same_kind(const Access *a, const Access *b)
{
    return (a->how == b->how || (is_atomic(a) && is_atomic(b))) && same_range(a, b);
}

/* How far two threads are apart: in other blocks, in other warps, not at all. */
static int
distance(const Access *a, const Access *b)
{
    if (a->who / WATCH_THREADS != b->who / WATCH_THREADS)
        return 2;
    return a->who / WATCH_WARP != b->who / WATCH_WARP;
}

static bool
keep(Touch *t, Granule *g)
{
    Memory *m = t->m;
    Access *same[2] = {NULL, NULL};
    const Access *mine = &t->mine;
    for (uint32_t *at = &g->first, i; (i = *at);) {
        Access *a = &m->access[i];
        bool inside = a->from >= mine->from && a->from + a->size <= mine->from + mine->size;
        bool alike = same_kind(a, mine);
        if ((alike || (inside && mine->how == TOUCH_WRITE)) && watch_ordered(t->w, a, t->thread)) {
            *at = a->next;
            a->next = m->unused;
            m->unused = i;
            continue;
        }
        if (alike)
            same[same[0] != NULL] = a;
        at = &a->next;
    }
    if (!same[1])
        return add(m, g, mine);
    if (distance(same[0], mine) > distance(same[0], same[1])) {
        uint32_t next = same[1]->next;
        *same[1] = *mine;
        same[1]->next = next;
    }
    return true;
}

static int
no_memory(SwCtx *cx)
{
    sw_fail(cx, SW_ERR_MEMORY, 0, 0, 0, 0);
    return 1;
}

/* ---- which memory it is ---------------------------------------------------------------------- */

/* What lay there before is gone. */
static bool
note_range(Watch *w, uint64_t start, uint64_t end, int space)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n_ranges; i++)
        if (w->range[i].end <= start || w->range[i].start >= end)
            w->range[n++] = w->range[i];
    w->n_ranges = n;
    if (!watch_room((void **)&w->range, n, &w->cap_ranges, sizeof *w->range))
        return false;
    w->range[w->n_ranges++] = (Range){start, end, space};
    return true;
}

static int
space_of(const Watch *w, uint64_t address)
{
    for (uint32_t i = w->n_ranges; i > 0; i--)
        if (address >= w->range[i - 1].start && address < w->range[i - 1].end)
            return w->range[i - 1].space;
    return SPACE_HEAP;
}

static Memory *
memory_of(Watch *w, int space)
{
    return space == SPACE_HEAP ? &w->global : space == SPACE_SHARED ? &w->shared : &w->local;
}

static uint32_t
owner_of(const Watch *w, int thread)
{
    return (uint32_t)(w->block * w->n_threads + thread + 1);
}

static bool
fill(Watch *w, int space, uint64_t start, uint64_t end, int thread, bool written)
{
    Memory *m = memory_of(w, space);
    for (uint64_t at = start, next; at < end; at = next) {
        next = (at / GRANULE + 1) * GRANULE;
        Granule *g = granule_at(m, at);
        if (!g)
            return false;
        uint64_t n = (next < end ? next : end) - at;
        uint8_t bytes = (uint8_t)(((1u << n) - 1) << at % GRANULE);
        if (space == SPACE_LOCAL && g->owner != owner_of(w, thread))
            g->written = 0;
        g->owner = owner_of(w, thread);
        g->written = written ? g->written | bytes : g->written & (uint8_t)~bytes;
    }
    return true;
}

/* From the lowest byte to the highest: arrays with gaps count as whole. */
int
sw_watch_array(SwCtx *cx, int64_t thread, int32_t what, const SwDesc *a, int ndim, int64_t itemsize)
{
    Watch *w = cx->watch;
    int space = what & 15, made = what >> 4;
    uint64_t start = (uint64_t)(uintptr_t)a->data, end = start + (uint64_t)itemsize;
    if (!w || !a->data)
        return 0;
    thread = thread < 0 ? w->thread_now : thread;
    for (int k = 0; k < ndim; k++) {
        uint64_t far = (uint64_t)((a->shape[k] - 1) * a->strides[k]);
        if (a->shape[k] <= 0)
            return 0;
        end += a->strides[k] > 0 ? far : 0;
        start += a->strides[k] < 0 ? far : 0;
    }
    bool ok = true;
    if (space == SPACE_ANY)
        space = space_of(w, start);
    else if (made == MADE_HERE || made & MADE_ANEW)
        ok = note_range(w, start, end, space);
    if (made != MADE_HERE && space != SPACE_HEAP)
        ok = ok && fill(w, space, start, end, (int)thread, made & MADE_WRITTEN);
    return ok ? 0 : no_memory(cx);
}

/* ---- one access ------------------------------------------------------------------------------ */

static int
report(SwCtx *cx, Touch *t, int64_t shown)
{
    const Access *a = t->other, *mine = &t->mine;
    int what = WATCH_RACE | mine->how << 4 | a->how << 6;
    return watch_fail(cx, what, mine->site, a->site, shown, t->thread,
                      (int)(a->who % WATCH_THREADS), (int64_t)(a->who / WATCH_THREADS));
}

/* Shared memory belongs to the block, other to a thread; that of the grid was written by
 * others. */
static bool
is_unwritten(Touch *t, Granule *g, int space)
{
    uint8_t bytes = (uint8_t)(((1u << t->mine.size) - 1) << t->mine.from);
    uint32_t owner = owner_of(t->w, t->thread);
    if (space == SPACE_LOCAL && g->owner != owner) {
        g->owner = owner;
        g->written = 0;
    }
    bool reads = t->mine.how == TOUCH_READ || t->mine.how == TOUCH_ATOMIC;
    if (reads && (g->written & bytes) != bytes)
        return space != SPACE_HEAP;
    g->written |= reads ? 0 : bytes;
    return false;
}

static int
touch_granule(SwCtx *cx, Touch *t, uint64_t address, int space, int64_t shown)
{
    Granule *g = granule_at(t->m, address);
    if (!g)
        return no_memory(cx);
    if (is_unwritten(t, g, space))
        return watch_fail(cx, WATCH_UNWRITTEN, t->mine.site, -1, shown, t->thread, 0, space);
    if (space == SPACE_LOCAL)
        return 0;
    if (find_conflict(t, g))
        return report(cx, t, shown);
    return keep(t, g) ? 0 : no_memory(cx);
}

int
sw_watch_touch(SwCtx *cx, const void *p, int32_t what, int64_t thread, int32_t site, int64_t shown)
{
    Watch *w = cx->watch;
    int how = what & 15, space = what >> 4 & 15, bytes = what >> 8;
    uint64_t address = (uint64_t)(uintptr_t)p, end = address + (uint64_t)bytes;
    if (!w || w->lost >= 0 || w->now == UINT32_MAX)
        return 0;
    if (space == SPACE_ANY)
        space = space_of(w, address);
    if (thread < 0)
        thread = w->thread_now;
    Touch t = {.w = w, .m = memory_of(w, space), .thread = (int)thread};
    for (uint64_t at = address; at < end;) {
        uint64_t next = (at / GRANULE + 1) * GRANULE;
        uint64_t n = (next < end ? next : end) - at;
        t.mine = (Access){.who = (uint64_t)w->block * WATCH_THREADS + (uint64_t)thread,
                          .time = w->now,
                          .site = site,
                          .how = (uint8_t)how,
                          .from = (uint8_t)(at % GRANULE),
                          .size = (uint8_t)n};
        if (how == TOUCH_WRITE)
            memcpy(&t.mine.value, (const char *)p + (at - address), n);
        if (touch_granule(cx, &t, at, space, shown))
            return 1;
        at = next;
    }
    return how >= TOUCH_ATOMIC && !watch_atomic(w, address, (int)thread) ? no_memory(cx) : 0;
}
