/* SPDX-License-Identifier: BSD-3-Clause
 * Queues and events of OpenCL, and the two ends of each command: what it waits for, and what it
 * tells. A command that is to block waits for its own event, so that the error of that command is
 * the one reported. */
#include "dev/opencl/cl.h"

#include <stdlib.h>

/* ---- a command's waits ---------------------------------------------------------------------- */

bool
cl_when(ClWhen *c, DevQueue *q, const DevWhen *w, DevError *e)
{
    c->q = q;
    c->w = w;
    c->n = 0;
    c->done = NULL;
    c->want = w && (w->done || w->block) ? &c->done : NULL;
    int n = w ? w->n_after : 0;
    if (n > SW_LEN(c->after))
        return dev_fail(e, DEV_ARGUMENT, 0, "%d events to wait for: at most %d", n,
                        SW_LEN(c->after));
    for (int i = 0; i < n; i++) {
        if (w->after[i]->dev != q->dev)
            return dev_fail(e, DEV_ARGUMENT, 0, "an event of %s, a queue of %s",
                            w->after[i]->dev->props.name, q->dev->props.name);
        c->after[c->n++] = w->after[i]->ev;
    }
    return true;
}

static DevEvent *
wrap(DevQueue *q, cl_event ev, DevError *e)
{
    DevEvent *d = calloc(1, sizeof *d);
    if (!d) {
        q->dev->cl->ReleaseEvent(ev);
        dev_fail(e, DEV_MEMORY, 0, "out of memory");
        return NULL;
    }
    *d = (DevEvent){q->dev, ev, (q->flags & DEV_QUEUE_PROFILING) != 0};
    return d;
}

bool
cl_then(ClWhen *c, cl_int status, const char *call, DevError *e)
{
    const Cl *cl = c->q->dev->cl;
    if (!cl_ok(status, call, e))
        return false;
    if (!c->want)
        return cl_ok(cl->Flush(c->q->q), "Flush", e);
    bool ok = c->w->block ? cl_ok(cl->WaitForEvents(1, &c->done), "WaitForEvents", e)
                          : cl_ok(cl->Flush(c->q->q), "Flush", e);
    if (ok && c->w->done)
        return (*c->w->done = wrap(c->q, c->done, e)) != NULL;
    cl->ReleaseEvent(c->done);
    return ok;
}

/* ---- queues --------------------------------------------------------------------------------- */

DevQueue *
cl_queue_make(DevDevice *d, int flags, DevError *e)
{
    bool loose = flags & DEV_QUEUE_OUT_OF_ORDER, timed = flags & DEV_QUEUE_PROFILING;
    cl_int status = 0;
    if ((loose && !d->props.out_of_order) || (timed && !d->props.profiling)) {
        dev_fail(e, DEV_ARGUMENT, 0, "%s has no queues that %s", d->props.name,
                 loose && !d->props.out_of_order ? "run out of order" : "take times");
        return NULL;
    }
    DevQueue *q = calloc(1, sizeof *q);
    if (!q) {
        dev_fail(e, DEV_MEMORY, 0, "out of memory");
        return NULL;
    }
    q->dev = d;
    q->flags = flags;
    q->q = d->cl->CreateCommandQueue(
        d->context, d->id, (loose ? CL_OUT_OF_ORDER : 0) | (timed ? CL_PROFILING : 0), &status);
    if (!q->q) {
        cl_ok(status ? status : -6, "CreateCommandQueue", e);
        free(q);
        return NULL;
    }
    pthread_mutex_lock(&d->lock);
    q->next = d->queues;
    d->queues = q;
    pthread_mutex_unlock(&d->lock);
    return q;
}

bool
cl_queue_sync(DevQueue *q, DevError *e)
{
    return cl_ok(q->dev->cl->Finish(q->q), "Finish", e);
}

void
cl_queue_free(DevQueue *q)
{
    DevDevice *d = q->dev;
    pthread_mutex_lock(&d->lock);
    for (DevQueue **at = &d->queues; *at; at = &(*at)->next)
        if (*at == q) {
            *at = q->next;
            break;
        }
    pthread_mutex_unlock(&d->lock);
    /* shared memory that it uses may be freed next, and doesn't know of it any more */
    d->cl->Finish(q->q);
    d->cl->ReleaseCommandQueue(q->q);
    free(q);
}

DevEvent *
cl_queue_mark(DevQueue *q, DevError *e)
{
    cl_event ev = NULL;
    const Cl *cl = q->dev->cl;
    if (!cl_ok(cl->EnqueueMarkerWithWaitList(q->q, 0, NULL, &ev), "EnqueueMarkerWithWaitList", e))
        return NULL;
    cl->Flush(q->q);
    return wrap(q, ev, e);
}

bool
cl_queue_after(DevQueue *q, DevEvent *const *after, int n, DevError *e)
{
    ClWhen c;
    DevWhen w = {.after = after, .n_after = n};
    if (!cl_when(&c, q, &w, e))
        return false;
    return cl_ok(q->dev->cl->EnqueueBarrierWithWaitList(q->q, c.n, c.n ? c.after : NULL, NULL),
                 "EnqueueBarrierWithWaitList", e);
}

/* ---- events ---------------------------------------------------------------------------------- */

DevState
cl_event_state(DevEvent *ev, DevError *e)
{
    cl_int s = 0;
    if (!cl_ok(ev->dev->cl->GetEventInfo(ev->ev, 0x11D3, sizeof s, &s, NULL), "GetEventInfo", e))
        return DEV_FAILED;
    if (s < 0) {
        cl_ok(s, "GetEventInfo", e);
        return DEV_FAILED;
    }
    return s == 0 ? DEV_DONE : s == 1 ? DEV_RUNNING : s == 2 ? DEV_SUBMITTED : DEV_WAITING;
}

bool
cl_event_wait(DevEvent *ev, DevError *e)
{
    cl_int s = ev->dev->cl->WaitForEvents(1, &ev->ev);
    if (s == -14 && cl_event_state(ev, e) == DEV_FAILED)
        return false; /* the command's own error says more */
    return cl_ok(s, "WaitForEvents", e);
}

bool
cl_event_times(DevEvent *ev, uint64_t ns[4], DevError *e)
{
    if (!ev->times)
        return dev_fail(e, DEV_ARGUMENT, 0,
                        "the event's queue takes no times: make it with profiling");
    for (int i = 0; i < 4; i++)
        if (!cl_ok(ev->dev->cl->GetEventProfilingInfo(ev->ev, (cl_uint)(0x1280 + i), sizeof ns[i],
                                                      &ns[i], NULL),
                   "GetEventProfilingInfo", e))
            return false;
    return true;
}

bool
cl_event_between(DevEvent *a, DevEvent *b, double *ms, DevError *e)
{
    uint64_t first[4], then[4];
    if (!cl_event_times(a, first, e) || !cl_event_times(b, then, e))
        return false;
    *ms = (double)(int64_t)(then[3] - first[3]) / 1e6;
    return true;
}

void
cl_event_free(DevEvent *ev)
{
    ev->dev->cl->ReleaseEvent(ev->ev);
    free(ev);
}
