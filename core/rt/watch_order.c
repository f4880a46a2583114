/* SPDX-License-Identifier: BSD-3-Clause
 * What is ordered in any run of a kernel: takes an access that has been and a thread that
 * now makes another, yields whether one must come after the other. Threads of a block are
 * ordered by barriers, those of a warp by its operations, and all of them through atomic
 * operations: a thread that has fenced and then does one in some place releases what it
 * knows there; whoever does one in the same place later acquires it. So the last block of
 * a reduction, known by a counter, may read what the others have left, and a lock
 * protects what its holders touch. What has been acquired is not merged into clocks:
 * there may be a million threads; it is looked for when it's asked. */
#include "rt/watch.h"

#include <stdlib.h>

enum { MOST_DEPTH = 2000 };

uint32_t
watch_tick(Watch *w)
{
    w->now += w->now < UINT32_MAX;
    return w->now;
}

/* ---- what has been acquired ------------------------------------------------------------------ */

typedef struct Question {
    Watch *w;
    const Access *a;
    uint64_t block;
    uint32_t thread;
    int depth;
} Question;

/* Something that `thread` of a block did at `time`, and another one of it that has met
 * others. */
static bool
was_met(uint32_t thread, uint32_t time, uint32_t by, uint32_t met, uint32_t warp_met)
{
    return thread == by || time < met ||
           (thread / WATCH_WARP == by / WATCH_WARP && time < warp_met);
}

static bool
covers(const Question *q, const Release *r, uint64_t asker)
{
    const Access *a = q->a;
    const Order *o = &q->w->order;
    if (r->block != q->block)
        return false;
    if (a->time < r->time && (!r->inside || r->block == asker) &&
        was_met(q->thread, a->time, r->thread, r->met, r->warp_met))
        return true;
    for (uint32_t i = watch_get(&o->fences, a->who + 1); i; i = o->fence[i].prev)
        if (a->time < o->fence[i].time && o->fence[i].time < r->block_met)
            return true; /* its own fence, and a barrier before the operation */
    return false;
}

static bool knows(Question *q, const Release *me);

static bool
released(Question *q, uint32_t place, uint32_t upto, uint64_t asker)
{
    Order *o = &q->w->order;
    Place *p = &o->place[place];
    uint32_t from = p->asked == o->questions ? p->upto : 0;
    if (from >= upto)
        return false;
    p->asked = o->questions;
    p->upto = upto;
    for (uint32_t i = watch_get(&o->last, (uint64_t)place << 44 ^ q->block); i;
         i = o->release[i].prev)
        if (o->release[i].place == place && o->release[i].index < upto &&
            covers(q, &o->release[i], asker))
            return true;
    for (uint32_t k = from; k < upto; k++)
        if (knows(q, &o->release[p->release[k]]))
            return true;
    return false;
}

/* Does what `me` has acquired before its time include q's access? Too deep: give the
 * kernel the benefit of the doubt. */
static bool
knows(Question *q, const Release *me)
{
    const Order *o = &q->w->order;
    if (q->depth > MOST_DEPTH)
        return true;
    q->depth++;
    bool found = false;
    for (uint32_t i = watch_get(&o->blocks, me->block + 1); i && !found; i = o->acquire[i].prev) {
        const Acquire *c = &o->acquire[i];
        if (c->block == me->block && c->time <= me->time &&
            was_met(c->thread, c->time, me->thread, me->met, me->warp_met))
            found = released(q, c->place, c->upto, me->block);
    }
    q->depth--;
    return found;
}

bool
watch_ordered(Watch *w, const Access *a, int thread)
{
    uint64_t block = a->who / WATCH_THREADS;
    uint32_t other = a->who % WATCH_THREADS, me = (uint32_t)thread;
    if (a->time < w->grid_met)
        return true;
    if (block == (uint64_t)w->block) {
        if (other == me || a->time < w->b->met)
            return true;
        const uint32_t(*met)[WATCH_WARP] = w->b->warp_met[me / WATCH_WARP];
        if (other / WATCH_WARP == me / WATCH_WARP &&
            a->time < met[other % WATCH_WARP][me % WATCH_WARP])
            return true;
    }
    if (w->order.n_acquires == 0)
        return false;
    w->order.questions++;
    Question q = {w, a, block, other, 0};
    Release now = {.block = (uint64_t)w->block,
                   .thread = me,
                   .time = w->now,
                   .met = w->b->met,
                   .warp_met = w->b->thread[me].warp_met};
    return knows(&q, &now);
}

/* ---- fences and atomic operations ------------------------------------------------------------ */

bool
watch_fence(Watch *w, int thread, bool inside)
{
    Order *o = &w->order;
    ThreadState *t = &w->b->thread[thread];
    w->b->fenced = true;
    t->met = w->b->met;
    t->fence_warp_met = t->warp_met;
    t->fenced = watch_tick(w);
    t->fenced_inside = inside;
    if (inside)
        return true;
    uint32_t *last =
        watch_put(&o->fences, (uint64_t)w->block * WATCH_THREADS + (uint64_t)thread + 1);
    o->n_fences += !o->n_fences;
    if (!last || !watch_room((void **)&o->fence, o->n_fences, &o->cap_fences, sizeof *o->fence))
        return false;
    o->fence[o->n_fences] = (Fence){t->fenced, *last};
    *last = o->n_fences++;
    return true;
}

static uint32_t
place_of(Order *o, uint64_t address)
{
    uint32_t *at = watch_put(&o->places, address);
    if (!at)
        return 0;
    if (*at)
        return *at;
    o->n_places += !o->n_places;
    if (!watch_room((void **)&o->place, o->n_places, &o->cap_places, sizeof *o->place))
        return 0;
    o->place[o->n_places] = (Place){0};
    return *at = o->n_places++;
}

static bool
acquire(Watch *w, uint32_t place, int thread)
{
    Order *o = &w->order;
    uint32_t *last = watch_put(&o->blocks, (uint64_t)w->block + 1);
    if (!last)
        return false;
    Acquire c = {(uint64_t)w->block, (uint32_t)thread, w->now, place, o->place[place].n, *last};
    const Acquire *was = *last ? &o->acquire[*last] : NULL;
    if (was && was->block == c.block && was->thread == c.thread && was->place == place &&
        was->upto == c.upto)
        return true;
    o->n_acquires += !o->n_acquires;
    if (!watch_room((void **)&o->acquire, o->n_acquires, &o->cap_acquires, sizeof c))
        return false;
    c.time = watch_tick(w);
    o->acquire[o->n_acquires] = c;
    *last = o->n_acquires++;
    return true;
}

static bool
release(Watch *w, uint32_t place, int thread)
{
    Order *o = &w->order;
    const ThreadState *t = &w->b->thread[thread];
    uint32_t *last = watch_put(&o->last, (uint64_t)place << 44 ^ (uint64_t)w->block);
    Place *p = &o->place[place];
    if (!last)
        return false;
    Release r = {
        (uint64_t)w->block, (uint32_t)thread, place,           p->n, *last, t->fenced, t->met,
        t->fence_warp_met,  w->b->met,        t->fenced_inside};
    const Release *was = *last ? &o->release[*last] : NULL;
    if (was && was->place == place && was->block == r.block && was->thread == r.thread &&
        was->time == r.time && was->block_met == r.block_met)
        return true;
    o->n_releases += !o->n_releases;
    if (!watch_room((void **)&o->release, o->n_releases, &o->cap_releases, sizeof r) ||
        !watch_room((void **)&p->release, p->n, &p->cap, sizeof *p->release))
        return false;
    o->release[o->n_releases] = r;
    p->release[p->n++] = o->n_releases;
    *last = o->n_releases++;
    return true;
}

bool
watch_atomic(Watch *w, uint64_t address, int thread)
{
    Order *o = &w->order;
    bool fenced = w->b->fenced;
    if (!fenced && o->n_releases == 0)
        return true;
    uint32_t place = place_of(o, address);
    if (!place)
        return false;
    if (o->place[place].n && !acquire(w, place, thread))
        return false;
    return !fenced || release(w, place, thread);
}

void
watch_free_order(Order *o)
{
    for (uint32_t i = 1; i < o->n_places; i++)
        free(o->place[i].release);
    free(o->place);
    free(o->release);
    free(o->acquire);
    free(o->fence);
    watch_free(&o->fences);
    watch_free(&o->places);
    watch_free(&o->last);
    watch_free(&o->blocks);
}
