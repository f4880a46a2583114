/* SPDX-License-Identifier: BSD-3-Clause
 * Queues as CUDA's streams, and events. A stream runs in order, so a queue that may run out of
 * order is one in order. Where a queue profiles, a piece of work has an event before it and one
 * after it; times are counted from an event that the device has once. */
#include "dev/cuda/cu.h"

#include <stdlib.h>

enum { NON_BLOCKING = 1, EVENT_BLOCKING = 1, NO_TIMES = 2 };

static bool
make_clock(DevDevice *d, cu_stream s, DevError *e)
{
    cu_event clock = NULL;
    pthread_mutex_lock(&d->lock);
    bool ok = d->clock || cu_ok(d, d->cu->EventCreate(&clock, 0), "EventCreate", e);
    if (ok && clock && !(ok = cu_ok(d, d->cu->EventRecord(clock, s), "EventRecord", e)))
        d->cu->EventDestroy(clock);
    else if (ok && clock)
        d->clock = clock;
    pthread_mutex_unlock(&d->lock);
    return ok;
}

DevQueue *
cuda_queue(DevDevice *d, int flags, DevError *e)
{
    DevQueue *q = calloc(1, sizeof *q);
    if (!q) {
        dev_fail(e, DEV_MEMORY, 0, "out of memory");
        return NULL;
    }
    *q = (DevQueue){.dev = d, .flags = flags};
    bool in = cu_enter(d, e);
    bool ok = in && cu_ok(d, d->cu->StreamCreate(&q->stream, NON_BLOCKING), "StreamCreate", e);
    if (ok && (flags & DEV_QUEUE_PROFILING) && !make_clock(d, q->stream, e)) {
        d->cu->StreamDestroy(q->stream);
        ok = false;
    }
    if (in)
        cu_leave(d);
    if (!ok) {
        free(q);
        return NULL;
    }
    pthread_mutex_lock(&d->lock);
    q->number = ++d->next_queue;
    q->next = d->queues;
    d->queues = q;
    pthread_mutex_unlock(&d->lock);
    return q;
}

bool
cuda_queue_sync(DevQueue *q, DevError *e)
{
    DevDevice *d = q->dev;
    if (!cu_enter(d, e))
        return false;
    bool ok = cu_ok(d, d->cu->StreamSynchronize(q->stream), "StreamSynchronize", e);
    cu_leave(d);
    return ok;
}

/* Waits for its work: memory that it used need not be waited for afterwards. */
void
cuda_queue_free(DevQueue *q)
{
    DevDevice *d = q->dev;
    DevError e;
    bool in = cu_enter(d, &e);
    if (in)
        d->cu->StreamSynchronize(q->stream);
    pthread_mutex_lock(&d->lock);
    for (DevQueue **p = &d->queues; *p; p = &(*p)->next)
        if (*p == q) {
            *p = q->next;
            break;
        }
    if (in)
        d->cu->StreamDestroy(q->stream);
    pthread_mutex_unlock(&d->lock);
    if (in)
        cu_leave(d);
    free(q);
}

/* ---- events --------------------------------------------------------------------------------- */

static void
destroy(DevEvent *ev)
{
    DevDevice *d = ev->dev;
    const Cu *cu = d->cu;
    pthread_mutex_lock(&d->lock);
    bool kept = d->clock_of == ev; /* the device's from now on */
    if (kept)
        d->clock_of = NULL;
    pthread_mutex_unlock(&d->lock);
    if (ev->start && !kept)
        cu->EventDestroy(ev->start);
    if (ev->end)
        cu->EventDestroy(ev->end);
    free(ev);
}

static DevEvent *
new_event(DevQueue *q, DevError *e)
{
    DevDevice *d = q->dev;
    bool times = q->flags & DEV_QUEUE_PROFILING;
    unsigned flags = EVENT_BLOCKING | (times ? 0 : NO_TIMES);
    DevEvent *ev = calloc(1, sizeof *ev);
    if (!ev) {
        dev_fail(e, DEV_MEMORY, 0, "out of memory");
        return NULL;
    }
    ev->dev = d;
    if (cu_ok(d, d->cu->EventCreate(&ev->end, flags), "EventCreate", e) &&
        (!times || cu_ok(d, d->cu->EventCreate(&ev->start, flags), "EventCreate", e)))
        return ev;
    destroy(ev);
    return NULL;
}

static bool
wait_for(DevQueue *q, DevEvent *const *after, int n, DevError *e)
{
    for (int i = 0; i < n; i++) {
        if (after[i]->dev != q->dev)
            return dev_fail(e, DEV_ARGUMENT, 0, "an event of another device cannot be waited for");
        if (!cu_ok(q->dev, q->dev->cu->StreamWaitEvent(q->stream, after[i]->end, 0),
                   "StreamWaitEvent", e))
            return false;
    }
    return true;
}

bool
cu_begin(DevQueue *q, const DevWhen *w, DevEvent **ev, DevError *e)
{
    DevDevice *d = q->dev;
    *ev = NULL;
    if (w && !wait_for(q, w->after, w->n_after, e))
        return false;
    if (!w || !w->done)
        return true;
    if (!(*ev = new_event(q, e)))
        return false;
    return !(*ev)->start || cu_ok(d, d->cu->EventRecord((*ev)->start, q->stream), "EventRecord", e);
}

bool
cu_end(DevQueue *q, const DevWhen *w, DevEvent *ev, bool ok, DevError *e)
{
    DevDevice *d = q->dev;
    if (ok && ev)
        ok = cu_ok(d, d->cu->EventRecord(ev->end, q->stream), "EventRecord", e);
    if (ok && w && w->block)
        ok = cu_ok(d, d->cu->StreamSynchronize(q->stream), "StreamSynchronize", e);
    if (ok && ev)
        *w->done = ev;
    else if (ev)
        destroy(ev);
    return ok;
}

DevEvent *
cuda_queue_mark(DevQueue *q, DevError *e)
{
    DevEvent *ev = NULL, *made = NULL;
    DevWhen w = {.done = &made};
    if (!cu_enter(q->dev, e))
        return NULL;
    bool ok = cu_begin(q, &w, &ev, e);
    cu_end(q, &w, ev, ok, e);
    cu_leave(q->dev);
    return made;
}

bool
cuda_queue_after(DevQueue *q, DevEvent *const *after, int n, DevError *e)
{
    if (!cu_enter(q->dev, e))
        return false;
    bool ok = wait_for(q, after, n, e);
    cu_leave(q->dev);
    return ok;
}

uint64_t
cuda_queue_stream(DevQueue *q)
{
    return (uint64_t)(uintptr_t)q->stream;
}

/* What comes next in a stream waits for all that is in another now. */
static bool
chain(DevDevice *d, cu_stream first, cu_stream then, DevError *e)
{
    cu_event ev = NULL;
    if (!cu_enter(d, e))
        return false;
    bool ok = cu_ok(d, d->cu->EventCreate(&ev, NO_TIMES), "EventCreate", e);
    if (ok) {
        ok = cu_ok(d, d->cu->EventRecord(ev, first), "EventRecord", e) &&
             cu_ok(d, d->cu->StreamWaitEvent(then, ev, 0), "StreamWaitEvent", e);
        d->cu->EventDestroy(ev);
    }
    cu_leave(d);
    return ok;
}

bool
cuda_queue_after_stream(DevQueue *q, uint64_t stream, DevError *e)
{
    return chain(q->dev, (cu_stream)(uintptr_t)stream, q->stream, e);
}

bool
cuda_queue_before_stream(DevQueue *q, uint64_t stream, DevError *e)
{
    return chain(q->dev, q->stream, (cu_stream)(uintptr_t)stream, e);
}

DevState
cuda_event_state(DevEvent *ev, DevError *e)
{
    DevDevice *d = ev->dev;
    if (!cu_enter(d, e))
        return DEV_FAILED;
    CuResult r = d->cu->EventQuery(ev->end);
    bool begun = r != CU_NOT_READY || (ev->start && d->cu->EventQuery(ev->start) == 0);
    cu_leave(d);
    if (r == CU_NOT_READY)
        return begun ? DEV_RUNNING : DEV_SUBMITTED;
    return cu_ok(d, r, "EventQuery", e) ? DEV_DONE : DEV_FAILED;
}

bool
cuda_event_wait(DevEvent *ev, DevError *e)
{
    DevDevice *d = ev->dev;
    if (!cu_enter(d, e))
        return false;
    bool ok = cu_ok(d, d->cu->EventSynchronize(ev->end), "EventSynchronize", e);
    cu_leave(d);
    return ok;
}

static bool
since(DevDevice *d, cu_event a, cu_event b, double *ns, DevError *e)
{
    float ms = 0;
    bool ok = cu_ok(d, d->cu->EventElapsedTime(&ms, a, b), "EventElapsedTime", e);
    *ns = ms * 1e6;
    return ok;
}

enum { OLD_NS = 2000000000 };

/* When an event began. The driver's difference is a float32, whose grain grows with it: an event
 * that is far from what times are counted from takes its place, so that those near to it are exact
 * to each other. The lock is held. */
static bool
began(DevDevice *d, DevEvent *ev, DevError *e)
{
    double at = 0;
    if (ev->timed)
        return true;
    if (!since(d, d->clock, ev->start, &at, e))
        return false;
    ev->ns = d->clock_ns + (int64_t)at;
    ev->timed = true;
    if (at < OLD_NS)
        return true;
    if (!d->clock_of)
        d->cu->EventDestroy(d->clock);
    d->clock = ev->start;
    d->clock_of = ev;
    d->clock_ns = ev->ns;
    return true;
}

bool
cuda_event_times(DevEvent *ev, uint64_t ns[4], DevError *e)
{
    DevDevice *d = ev->dev;
    double took = 0;
    if (!ev->start || !d->clock)
        return dev_fail(e, DEV_ARGUMENT, 0, "the queue does not profile");
    if (!cu_enter(d, e))
        return false;
    pthread_mutex_lock(&d->lock);
    bool ok = began(d, ev, e) && since(d, ev->start, ev->end, &took, e);
    pthread_mutex_unlock(&d->lock);
    cu_leave(d);
    ns[0] = ns[1] = ns[2] = (uint64_t)(ev->ns > 0 ? ev->ns : 0);
    ns[3] = ns[2] + (uint64_t)(took > 0 ? took : 0);
    return ok;
}

/* The driver's times are float32, of which only a difference is exact enough: never that of two
 * ages. */
bool
cuda_event_between(DevEvent *a, DevEvent *b, double *ms, DevError *e)
{
    DevDevice *d = a->dev;
    float took = 0;
    if (b->dev != d)
        return dev_fail(e, DEV_ARGUMENT, 0, "events of two devices have no time between them");
    if (!a->start || !b->start)
        return dev_fail(e, DEV_ARGUMENT, 0, "the queue does not profile");
    if (!cu_enter(d, e))
        return false;
    bool ok = cu_ok(d, d->cu->EventElapsedTime(&took, a->end, b->end), "EventElapsedTime", e);
    cu_leave(d);
    *ms = took;
    return ok;
}

void
cuda_event_free(DevEvent *ev)
{
    DevDevice *d = ev->dev;
    DevError e;
    if (cu_enter(d, &e)) {
        destroy(ev);
        cu_leave(d);
    } else {
        free(ev);
    }
}
