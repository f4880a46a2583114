/* SPDX-License-Identifier: BSD-3-Clause
 * Memory that host and device share, on devices without shared virtual memory: a buffer, and its
 * bytes on the host. The host's are the true ones. A launch copies them to the buffer before it and
 * back after it, in the queue's order, and every other command works on the host's bytes when what
 * came before it is done. */
#include "dev/opencl/cl.h"

#include <stdlib.h>

bool
cl_mirror_make(DevMem *m, size_t n, DevError *e)
{
    cl_int status = 0;
    m->mirror = aligned_alloc(64, (n + 63) / 64 * 64);
    if (!m->mirror)
        return dev_fail(e, DEV_MEMORY, 0, "out of memory");
    m->buffer = m->dev->cl->CreateBuffer(m->dev->context, CL_READ_WRITE, n, NULL, &status);
    if (m->buffer)
        return true;
    free(m->mirror);
    m->mirror = NULL;
    return cl_ok(status ? status : -4, "CreateBuffer", e);
}

bool
cl_mirror_any(const DevLaunch *l)
{
    for (int i = 0; i < l->n_args; i++)
        if (l->args[i].kind == DEV_ARG_MEM && l->args[i].mem && l->args[i].mem->mirror)
            return true;
    return false;
}

static bool
move_all(DevQueue *q, const DevLaunch *l, bool to_device, DevError *e)
{
    const Cl *cl = q->dev->cl;
    for (int i = 0; i < l->n_args; i++) {
        const DevMem *m = l->args[i].kind == DEV_ARG_MEM ? l->args[i].mem : NULL;
        if (!m || !m->mirror || !m->bytes)
            continue;
        cl_int status =
            to_device
                ? cl->EnqueueWriteBuffer(q->q, m->buffer, 0, 0, m->bytes, m->mirror, 0, NULL, NULL)
                : cl->EnqueueReadBuffer(q->q, m->buffer, 0, 0, m->bytes, m->mirror, 0, NULL, NULL);
        if (!cl_ok(status, to_device ? "EnqueueWriteBuffer" : "EnqueueReadBuffer", e))
            return false;
    }
    return cl_ok(cl->EnqueueBarrierWithWaitList(q->q, 0, NULL, NULL), "EnqueueBarrier", e);
}

bool
cl_mirror_before(ClWhen *c, const DevLaunch *l, DevError *e)
{
    const Cl *cl = c->q->dev->cl;
    return cl_ok(cl->EnqueueBarrierWithWaitList(c->q->q, c->n, c->n ? c->after : NULL, NULL),
                 "EnqueueBarrier", e) &&
           move_all(c->q, l, true, e);
}

bool
cl_mirror_after(ClWhen *c, const DevLaunch *l, DevError *e)
{
    const Cl *cl = c->q->dev->cl;
    return cl_ok(cl->EnqueueBarrierWithWaitList(c->q->q, 0, NULL, NULL), "EnqueueBarrier", e) &&
           move_all(c->q, l, false, e) &&
           cl_then(c, cl->EnqueueMarkerWithWaitList(c->q->q, 0, NULL, c->want), "EnqueueMarker", e);
}

/* ---- other commands: by the host ------------------------------------------------------------- */

static bool
settle(ClWhen *c, DevError *e)
{
    const Cl *cl = c->q->dev->cl;
    return (!c->n || cl_ok(cl->WaitForEvents(c->n, c->after), "WaitForEvents", e)) &&
           cl_ok(cl->Finish(c->q->q), "Finish", e);
}

bool
cl_mirror_write(ClWhen *c, DevMem *to, size_t offset, const void *from, size_t n, DevError *e)
{
    if (!settle(c, e))
        return false;
    memmove((char *)to->mirror + offset, from, n);
    return cl_then(c, c->q->dev->cl->EnqueueMarkerWithWaitList(c->q->q, 0, NULL, c->want),
                   "EnqueueMarker", e);
}

bool
cl_mirror_read(ClWhen *c, void *to, const DevMem *from, size_t offset, size_t n, DevError *e)
{
    if (!settle(c, e))
        return false;
    memmove(to, (const char *)from->mirror + offset, n);
    return cl_then(c, c->q->dev->cl->EnqueueMarkerWithWaitList(c->q->q, 0, NULL, c->want),
                   "EnqueueMarker", e);
}

bool
cl_mirror_fill(ClWhen *c, DevMem *to, size_t offset, const void *pattern, size_t size, size_t n,
               DevError *e)
{
    if (!settle(c, e))
        return false;
    for (size_t k = 0; k + size <= n; k += size)
        memcpy((char *)to->mirror + offset + k, pattern, size);
    return cl_then(c, c->q->dev->cl->EnqueueMarkerWithWaitList(c->q->q, 0, NULL, c->want),
                   "EnqueueMarker", e);
}
