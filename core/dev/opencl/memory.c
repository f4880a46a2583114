/* SPDX-License-Identifier: BSD-3-Clause
 * Memory of an OpenCL device: buffers; or, where host and device are to see the same bytes, shared
 * virtual memory of the fine-grained kind, which needs no mapping, or where there is none a buffer
 * with a mirror (mirror.c). A buffer may be released while commands use it (OpenCL keeps it), what
 * the host sees may not: its release waits for the device's queues. */
#include "dev/opencl/cl.h"

#include <stdlib.h>

static void
count(DevDevice *d, size_t bytes, bool more)
{
    if (more)
        __atomic_add_fetch(&d->live, bytes, __ATOMIC_RELAXED);
    else
        __atomic_sub_fetch(&d->live, bytes, __ATOMIC_RELAXED);
}

DevMem *
cl_alloc(DevDevice *d, size_t bytes, DevSpace space, DevError *e)
{
    size_t n = bytes ? bytes : 1;
    cl_int status = 0;
    if ((uint64_t)n > (uint64_t)d->props.max_alloc) {
        dev_fail(e, DEV_MEMORY, 0, "%zu bytes: %s gives at most %lld at once", bytes, d->props.name,
                 (long long)d->props.max_alloc);
        return NULL;
    }
    DevMem *m = calloc(1, sizeof *m);
    if (!m) {
        dev_fail(e, DEV_MEMORY, 0, "out of memory");
        return NULL;
    }
    *m = (DevMem){.dev = d, .bytes = bytes};
    bool made = true;
    if (space == DEV_SPACE_DEVICE)
        m->buffer = d->cl->CreateBuffer(d->context, CL_READ_WRITE, n, NULL, &status);
    else if (!d->props.svm_fine)
        made = cl_mirror_make(m, n, e);
    else
        m->svm = d->cl->SVMAlloc(d->context, CL_READ_WRITE | CL_SVM_FINE, n, 64);
    if (!m->buffer && !m->svm) {
        if (made)
            cl_ok(status ? status : -4, space == DEV_SPACE_DEVICE ? "CreateBuffer" : "SVMAlloc", e);
        free(m);
        return NULL;
    }
    count(d, bytes, true);
    return m;
}

void
cl_mem_free(DevMem *m)
{
    DevDevice *d = m->dev;
    if (m->svm || m->mirror) {
        pthread_mutex_lock(&d->lock);
        for (DevQueue *q = d->queues; q; q = q->next)
            d->cl->Finish(q->q);
        pthread_mutex_unlock(&d->lock);
    }
    if (m->svm)
        d->cl->SVMFree(d->context, m->svm);
    if (m->buffer)
        d->cl->ReleaseMemObject(m->buffer);
    free(m->mirror);
    count(d, m->bytes, false);
    free(m);
}

void *
cl_mem_host(DevMem *m)
{
    return m->svm ? m->svm : m->mirror;
}

uint64_t
cl_mem_address(DevMem *m)
{
    return (uint64_t)(uintptr_t)m->svm;
}

size_t
cl_live_bytes(DevDevice *d)
{
    return __atomic_load_n(&d->live, __ATOMIC_RELAXED);
}

/* OpenCL doesn't say what others use. */
bool
cl_memory_info(DevDevice *d, size_t *free_bytes, size_t *total, DevError *e)
{
    (void)e;
    size_t live = cl_live_bytes(d);
    *total = (size_t)d->props.global_bytes;
    *free_bytes = live < *total ? *total - live : 0;
    return true;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static bool
inside(const DevQueue *q, const DevMem *m, size_t offset, size_t n, DevError *e)
{
    if (m->dev != q->dev)
        return dev_fail(e, DEV_ARGUMENT, 0, "the memory is of %s, the queue of %s",
                        m->dev->props.name, q->dev->props.name);
    if (offset > m->bytes || n > m->bytes - offset)
        return dev_fail(e, DEV_ARGUMENT, 0, "%zu bytes at %zu are not inside an allocation of %zu",
                        n, offset, m->bytes);
    return true;
}

bool
cl_write(DevQueue *q, DevMem *to, size_t offset, const void *from, size_t n, const DevWhen *w,
         DevError *e)
{
    const Cl *cl = q->dev->cl;
    ClWhen c;
    if (!inside(q, to, offset, n, e) || !cl_when(&c, q, w, e))
        return false;
    cl_uint block = w && w->block;
    if (!n)
        return cl_then(&c, cl->EnqueueMarkerWithWaitList(q->q, c.n, c.n ? c.after : NULL, c.want),
                       "EnqueueMarker", e);
    if (to->mirror)
        return cl_mirror_write(&c, to, offset, from, n, e);
    if (to->svm)
        return cl_then(&c,
                       cl->EnqueueSVMMemcpy(q->q, block, (char *)to->svm + offset, from, n, c.n,
                                            c.n ? c.after : NULL, c.want),
                       "EnqueueSVMMemcpy", e);
    return cl_then(&c,
                   cl->EnqueueWriteBuffer(q->q, to->buffer, block, offset, n, from, c.n,
                                          c.n ? c.after : NULL, c.want),
                   "EnqueueWriteBuffer", e);
}

bool
cl_read(DevQueue *q, void *to, DevMem *from, size_t offset, size_t n, const DevWhen *w, DevError *e)
{
    const Cl *cl = q->dev->cl;
    ClWhen c;
    if (!inside(q, from, offset, n, e) || !cl_when(&c, q, w, e))
        return false;
    cl_uint block = w && w->block;
    if (!n)
        return cl_then(&c, cl->EnqueueMarkerWithWaitList(q->q, c.n, c.n ? c.after : NULL, c.want),
                       "EnqueueMarker", e);
    if (from->mirror)
        return cl_mirror_read(&c, to, from, offset, n, e);
    if (from->svm)
        return cl_then(&c,
                       cl->EnqueueSVMMemcpy(q->q, block, to, (char *)from->svm + offset, n, c.n,
                                            c.n ? c.after : NULL, c.want),
                       "EnqueueSVMMemcpy", e);
    return cl_then(&c,
                   cl->EnqueueReadBuffer(q->q, from->buffer, block, offset, n, to, c.n,
                                         c.n ? c.after : NULL, c.want),
                   "EnqueueReadBuffer", e);
}

/* Between a buffer and shared memory the shared side is the host's. */
bool
cl_copy(DevQueue *q, DevMem *to, size_t to_offset, DevMem *from, size_t from_offset, size_t n,
        const DevWhen *w, DevError *e)
{
    const Cl *cl = q->dev->cl;
    ClWhen c;
    if (!inside(q, to, to_offset, n, e) || !inside(q, from, from_offset, n, e))
        return false;
    if (from->mirror && n) /* launches before it write the mirror in the queue's order */
        return cl_write(q, to, to_offset, (char *)from->mirror + from_offset, n, w, e);
    if (to->mirror && n && !from->svm)
        return cl_read(q, (char *)to->mirror + to_offset, from, from_offset, n, w, e);
    if (from->svm || !n)
        return cl_write(q, to, to_offset, (char *)from->svm + from_offset, n, w, e);
    if (to->svm)
        return cl_read(q, (char *)to->svm + to_offset, from, from_offset, n, w, e);
    if (!cl_when(&c, q, w, e))
        return false;
    return cl_then(&c,
                   cl->EnqueueCopyBuffer(q->q, from->buffer, to->buffer, from_offset, to_offset, n,
                                         c.n, c.n ? c.after : NULL, c.want),
                   "EnqueueCopyBuffer", e);
}

bool
cl_fill(DevQueue *q, DevMem *to, size_t offset, const void *pattern, size_t pattern_bytes, size_t n,
        const DevWhen *w, DevError *e)
{
    const Cl *cl = q->dev->cl;
    ClWhen c;
    if (!inside(q, to, offset, n, e) || !cl_when(&c, q, w, e))
        return false;
    cl_event *after = c.n ? c.after : NULL;
    if (!n)
        return cl_then(&c, cl->EnqueueMarkerWithWaitList(q->q, c.n, after, c.want), "EnqueueMarker",
                       e);
    if (to->mirror)
        return cl_mirror_fill(&c, to, offset, pattern, pattern_bytes, n, e);
    if (to->svm)
        return cl_then(&c,
                       cl->EnqueueSVMMemFill(q->q, (char *)to->svm + offset, pattern, pattern_bytes,
                                             n, c.n, after, c.want),
                       "EnqueueSVMMemFill", e);
    return cl_then(&c,
                   cl->EnqueueFillBuffer(q->q, to->buffer, pattern, pattern_bytes, offset, n, c.n,
                                         after, c.want),
                   "EnqueueFillBuffer", e);
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum { INVALID_VALUE = -30 };

static cl_int
rectangle(const DevRows *r, ClWhen *c, cl_uint block)
{
    const Cl *cl = c->q->dev->cl;
    cl_event *after = c->n ? c->after : NULL;
    cl_queue q = c->q->q;
    size_t none[3] = {0}, size[3] = {r->width, r->n, 1};
    size_t to[3] = {r->to_at % r->to_pitch, r->to_at / r->to_pitch, 0};
    size_t from[3] = {r->from_at % r->from_pitch, r->from_at / r->from_pitch, 0};
    if (!r->to)
        return cl->EnqueueReadBufferRect(q, r->from->buffer, block, from, none, size, r->from_pitch,
                                         0, r->to_pitch, 0, r->host, c->n, after, c->want);
    if (!r->from)
        return cl->EnqueueWriteBufferRect(q, r->to->buffer, block, to, none, size, r->to_pitch, 0,
                                          r->from_pitch, 0, r->host, c->n, after, c->want);
    return cl->EnqueueCopyBufferRect(q, r->from->buffer, r->to->buffer, from, to, size,
                                     r->from_pitch, 0, r->to_pitch, 0, c->n, after, c->want);
}

/* A row that reaches over the end of the pitch is none of a rectangle's. */
static bool
is_rectangle(const DevMem *m, size_t at, size_t pitch, size_t width)
{
    return pitch >= width && (!m || (m->buffer && !m->mirror && at % pitch + width <= pitch));
}

bool
cl_rows(DevQueue *q, const DevRows *r, const DevWhen *w, DevError *e)
{
    ClWhen c;
    size_t to_end = (r->n - 1) * r->to_pitch + r->width,
           from_end = (r->n - 1) * r->from_pitch + r->width;
    if ((r->to && !inside(q, r->to, r->to_at, to_end, e)) ||
        (r->from && !inside(q, r->from, r->from_at, from_end, e)) || !cl_when(&c, q, w, e))
        return false;
    if (r->n > 1 && is_rectangle(r->to, r->to_at, r->to_pitch, r->width) &&
        is_rectangle(r->from, r->from_at, r->from_pitch, r->width)) {
        cl_int status = rectangle(r, &c, w && w->block);
        if (status != INVALID_VALUE)
            return cl_then(&c, status, "EnqueueBufferRect", e);
    }
    return dev_rows_each(q->dev->api, q, r, w, e);
}
