/* SPDX-License-Identifier: BSD-3-Clause
 * Memory: cached by size, since the driver's own allocation waits for the whole device. A piece
 * remembers the queues that have used it; when it is freed, an event is put into each of them, and
 * it is handed out again when these are done, or at once to the only queue that used it, whose next
 * work comes after that. So nobody waits, and no kernel that still runs sees its memory given
 * away. */
#include "dev/cuda/cu.h"

#include <stdlib.h>

enum { SMALL = 512, BIG = 1 << 20, BIG_STEP = 2 << 20, PORTABLE_MAPPED = 3, ATTACH_GLOBAL = 1 };

static size_t
rounded(size_t n)
{
    size_t step = n <= BIG ? SMALL : BIG_STEP;
    n = n ? n : 1;
    return n > SIZE_MAX - step ? 0 : (n + step - 1) / step * step;
}

/* ---- blocks: what the driver gives ----------------------------------------------------------- */

static bool
obtain(DevDevice *d, CuBlock *b, DevError *e)
{
    const Cu *cu = d->cu;
    if (b->space == DEV_SPACE_DEVICE)
        return cu_ok(d, cu->MemAlloc(&b->address, b->bytes), "MemAlloc", e);
    if (b->space == DEV_SPACE_SHARED) {
        if (!d->managed)
            return dev_fail(e, DEV_ARGUMENT, 0,
                            "CUDA: the device has no shared memory with the host");
        bool ok = cu_ok(d, cu->MemAllocManaged(&b->address, b->bytes, ATTACH_GLOBAL),
                        "MemAllocManaged", e);
        b->host = (void *)(uintptr_t)b->address;
        return ok;
    }
    if (!cu_ok(d, cu->MemHostAlloc(&b->host, b->bytes, PORTABLE_MAPPED), "MemHostAlloc", e))
        return false;
    if (cu_ok(d, cu->MemHostGetDevicePointer(&b->address, b->host, 0), "MemHostGetDevicePointer",
              e))
        return true;
    cu->MemFreeHost(b->host);
    return false;
}

static void
forget_uses(DevDevice *d, CuBlock *b)
{
    for (int i = 0; i < b->n_uses; i++)
        d->cu->EventDestroy(b->uses[i]);
    free(b->uses);
    b->uses = NULL;
    b->n_uses = 0;
    b->user = 0;
}

/* Back to the driver, which waits until nothing uses it. */
static void
give_up(DevDevice *d, CuBlock *b)
{
    forget_uses(d, b);
    if (b->space == DEV_SPACE_HOST)
        d->cu->MemFreeHost(b->host);
    else
        d->cu->MemFree(b->address);
    free(b);
}

static bool
is_idle(DevDevice *d, const CuBlock *b)
{
    for (int i = 0; i < b->n_uses; i++)
        if (d->cu->EventQuery(b->uses[i]))
            return false;
    return true;
}

/* ---- the cache: all with the device's lock held ---------------------------------------------- */

/* q (may be NULL): who may have what its own work still uses; *busy: that is so. */
static CuBlock *
take_cached(DevDevice *d, size_t bytes, DevSpace space, const DevQueue *q, bool *busy)
{
    CuBlock **best = NULL;
    for (CuBlock **p = &d->blocks; *p; p = &(*p)->next) {
        CuBlock *b = *p;
        bool fits = b->space == space && b->bytes >= bytes && b->bytes - bytes <= bytes / 4;
        if (!fits || (best && b->bytes >= (*best)->bytes))
            continue;
        bool idle = is_idle(d, b);
        if (!idle && (!q || b->user != q->number))
            continue;
        best = p;
        *busy = !idle;
    }
    if (!best)
        return NULL;
    CuBlock *b = *best;
    *best = b->next;
    d->cached -= b->bytes;
    forget_uses(d, b);
    return b;
}

static bool
empty_cache(DevDevice *d)
{
    bool any = d->blocks != NULL;
    for (CuBlock *b = d->blocks, *next; b; b = next) {
        next = b->next;
        give_up(d, b);
    }
    d->blocks = NULL;
    d->cached = 0;
    return any;
}

static CuBlock *
new_block(DevDevice *d, size_t bytes, DevSpace space, const DevQueue *q, bool *busy, DevError *e)
{
    CuBlock *b = take_cached(d, bytes, space, q, busy);
    if (b)
        return b;
    if (!(b = calloc(1, sizeof *b))) {
        dev_fail(e, DEV_MEMORY, 0, "out of memory");
        return NULL;
    }
    b->space = space;
    b->bytes = bytes;
    if (obtain(d, b, e) || (e->status == DEV_MEMORY && empty_cache(d) && obtain(d, b, e)))
        return b;
    free(b);
    return NULL;
}

static DevMem *
allocate(DevDevice *d, size_t bytes, DevSpace space, DevQueue *q, bool *busy, DevError *e)
{
    size_t whole = rounded(bytes);
    DevMem *m = calloc(1, sizeof *m);
    if (!m || !whole) {
        free(m);
        dev_fail(e, DEV_MEMORY, 0, "CUDA: %zu bytes are more than there can be", bytes);
        return NULL;
    }
    if (!cu_enter(d, e)) {
        free(m);
        return NULL;
    }
    pthread_mutex_lock(&d->lock);
    CuBlock *b = new_block(d, whole, space, q, busy, e);
    if (b)
        d->live += bytes;
    pthread_mutex_unlock(&d->lock);
    cu_leave(d);
    *m = (DevMem){.dev = d, .block = b, .bytes = bytes};
    if (b && *busy) /* its uses from before, too: nobody else may have it sooner */
        m->used[m->n_used++] = q->number;
    if (b)
        return m;
    free(m);
    return NULL;
}

DevMem *
cuda_alloc(DevDevice *d, size_t bytes, DevSpace space, DevError *e)
{
    bool busy = false;
    return allocate(d, bytes, space, NULL, &busy, e);
}

DevMem *
cuda_alloc_on(DevQueue *q, size_t bytes, bool *after, DevError *e)
{
    *after = false;
    return allocate(q->dev, bytes, DEV_SPACE_DEVICE, q, after, e);
}

DevMem *
cuda_wrap(DevDevice *d, uint64_t address, size_t bytes, DevError *e)
{
    DevMem *m = calloc(1, sizeof *m);
    CuBlock *b = calloc(1, sizeof *b);
    if (!m || !b) {
        free(m);
        free(b);
        dev_fail(e, DEV_MEMORY, 0, "out of memory");
        return NULL;
    }
    *b = (CuBlock){.address = address, .bytes = bytes, .foreign = true};
    *m = (DevMem){.dev = d, .block = b, .bytes = bytes};
    return m;
}

/* ---- freeing --------------------------------------------------------------------------------- */

static bool
has_used(const DevMem *m, const DevQueue *q)
{
    if (m->n_used > CU_MAX_USES)
        return true;
    for (int i = 0; i < m->n_used; i++)
        if (m->used[i] == q->number)
            return true;
    return false;
}

/* An event in each queue that has used it; false: the device can't say when it is done. A queue
 * that is gone was waited for. */
static bool
mark_uses(DevDevice *d, const DevMem *m, CuBlock *b)
{
    int n = 0;
    for (DevQueue *q = d->queues; q; q = q->next)
        if (has_used(m, q) && n++ == 0)
            b->user = q->number;
    if (n > 1)
        b->user = 0;
    if (n && !(b->uses = calloc((size_t)n, sizeof *b->uses)))
        return false;
    for (DevQueue *q = d->queues; q; q = q->next) {
        if (!has_used(m, q))
            continue;
        if (d->cu->EventCreate(&b->uses[b->n_uses], 2))
            return false;
        b->n_uses++;
        if (d->cu->EventRecord(b->uses[b->n_uses - 1], q->stream))
            return false;
    }
    return true;
}

/* Its owner may give it to others at once: what uses it is waited for. The device's lock is
 * held. */
static void
wait_for_users(DevDevice *d, const DevMem *m)
{
    for (DevQueue *q = d->queues; q; q = q->next)
        if (has_used(m, q))
            d->cu->StreamSynchronize(q->stream);
}

/* Into the cache, or back to the driver. */
static void
release(DevDevice *d, const DevMem *m, bool in)
{
    CuBlock *b = m->block;
    d->live -= m->bytes;
    if (in && mark_uses(d, m, b)) {
        b->next = d->blocks;
        d->blocks = b;
        d->cached += b->bytes;
    } else if (in) {
        give_up(d, b);
    } else { /* the driver is out of reach: its memory ends with the process */
        free(b->uses);
        free(b);
    }
}

void
cuda_mem_free(DevMem *m)
{
    DevDevice *d = m->dev;
    bool foreign = m->block->foreign;
    DevError e;
    bool in = (!foreign || m->n_used) && cu_enter(d, &e);
    pthread_mutex_lock(&d->lock);
    if (!foreign)
        release(d, m, in);
    else if (in)
        wait_for_users(d, m);
    pthread_mutex_unlock(&d->lock);
    if (in)
        cu_leave(d);
    if (foreign)
        free(m->block);
    free(m);
}

void
cu_use(DevQueue *q, DevMem *m)
{
    DevDevice *d = q->dev;
    pthread_mutex_lock(&d->lock);
    bool known = has_used(m, q);
    if (!known && m->n_used < CU_MAX_USES)
        m->used[m->n_used] = q->number;
    if (!known)
        m->n_used++;
    pthread_mutex_unlock(&d->lock);
}

/* ---- what one may ask ----------------------------------------------------------------------- */

void *
cuda_mem_host(DevMem *m)
{
    return m->block->host;
}

uint64_t
cuda_mem_address(DevMem *m)
{
    return m->block->address;
}

size_t
cuda_live_bytes(DevDevice *d)
{
    pthread_mutex_lock(&d->lock);
    size_t n = d->live;
    pthread_mutex_unlock(&d->lock);
    return n;
}

/* What the cache holds counts as free. */
bool
cuda_memory_info(DevDevice *d, size_t *free_bytes, size_t *total, DevError *e)
{
    if (!cu_enter(d, e))
        return false;
    bool ok = cu_ok(d, d->cu->MemGetInfo(free_bytes, total), "MemGetInfo", e);
    cu_leave(d);
    pthread_mutex_lock(&d->lock);
    if (ok)
        *free_bytes += d->cached;
    pthread_mutex_unlock(&d->lock);
    return ok;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static bool
within(const DevQueue *q, const DevMem *m, size_t offset, size_t n, DevError *e)
{
    if (m->dev != q->dev)
        return dev_fail(e, DEV_ARGUMENT, 0, "the memory is of another device than the queue");
    return (offset <= m->bytes && n <= m->bytes - offset) ||
           dev_fail(e, DEV_ARGUMENT, 0, "bytes %zu to %zu of a piece of %zu", offset, offset + n,
                    m->bytes);
}

bool
cuda_write(DevQueue *q, DevMem *to, size_t offset, const void *from, size_t n, const DevWhen *w,
           DevError *e)
{
    DevDevice *d = q->dev;
    DevEvent *ev;
    if (!within(q, to, offset, n, e) || !cu_enter(d, e))
        return false;
    bool ok = cu_begin(q, w, &ev, e);
    if (ok && n) {
        cu_use(q, to);
        ok = cu_ok(d, d->cu->CopyHtoD(to->block->address + offset, from, n, q->stream),
                   "MemcpyHtoDAsync", e);
    }
    ok = cu_end(q, w, ev, ok, e);
    cu_leave(d);
    return ok;
}

bool
cuda_read(DevQueue *q, void *to, DevMem *from, size_t offset, size_t n, const DevWhen *w,
          DevError *e)
{
    DevDevice *d = q->dev;
    DevEvent *ev;
    if (!within(q, from, offset, n, e) || !cu_enter(d, e))
        return false;
    bool ok = cu_begin(q, w, &ev, e);
    if (ok && n) {
        cu_use(q, from);
        ok = cu_ok(d, d->cu->CopyDtoH(to, from->block->address + offset, n, q->stream),
                   "MemcpyDtoHAsync", e);
    }
    ok = cu_end(q, w, ev, ok, e);
    cu_leave(d);
    return ok;
}

bool
cuda_copy(DevQueue *q, DevMem *to, size_t to_offset, DevMem *from, size_t from_offset, size_t n,
          const DevWhen *w, DevError *e)
{
    DevDevice *d = q->dev;
    DevEvent *ev;
    if (!within(q, to, to_offset, n, e) || !within(q, from, from_offset, n, e) || !cu_enter(d, e))
        return false;
    bool ok = cu_begin(q, w, &ev, e);
    if (ok && n) {
        cu_use(q, to);
        cu_use(q, from);
        ok = cu_ok(d,
                   d->cu->CopyDtoD(to->block->address + to_offset,
                                   from->block->address + from_offset, n, q->stream),
                   "MemcpyDtoDAsync", e);
    }
    ok = cu_end(q, w, ev, ok, e);
    cu_leave(d);
    return ok;
}

/* ---- rows ---- */

enum { ON_HOST = 1, ON_DEVICE = 2, INVALID_VALUE = 1 };

static CuSide
side(const DevMem *m, char *host, size_t at, size_t pitch)
{
    CuSide s = {.kind = m ? ON_DEVICE : ON_HOST, .pitch = pitch};
    if (m)
        s.device = m->block->address + at;
    else
        s.host = host;
    return s;
}

static bool
rows_within(const DevQueue *q, const DevRows *r, DevError *e)
{
    return (!r->to || within(q, r->to, r->to_at, (r->n - 1) * r->to_pitch + r->width, e)) &&
           (!r->from || within(q, r->from, r->from_at, (r->n - 1) * r->from_pitch + r->width, e));
}

/* false with *none set: the driver has no copy with such pitches. */
static bool
copy_2d(DevQueue *q, const DevRows *r, const DevWhen *w, bool *none, DevError *e)
{
    DevDevice *d = q->dev;
    DevEvent *ev;
    CuCopy2D c = {side(r->from, r->host, r->from_at, r->from_pitch),
                  side(r->to, r->host, r->to_at, r->to_pitch), r->width, r->n};
    bool ok = cu_begin(q, w, &ev, e);
    if (ok) {
        if (r->to)
            cu_use(q, r->to);
        if (r->from)
            cu_use(q, r->from);
        CuResult result = d->cu->Copy2D(&c, q->stream);
        *none = result == INVALID_VALUE;
        ok = cu_ok(d, result, "Memcpy2DAsync", e);
    }
    return cu_end(q, w, ev, ok, e);
}

bool
cuda_rows(DevQueue *q, const DevRows *r, const DevWhen *w, DevError *e)
{
    bool none = r->n == 1 || r->to_pitch < r->width || r->from_pitch < r->width;
    if (!none) {
        if (!rows_within(q, r, e) || !cu_enter(q->dev, e))
            return false;
        bool ok = copy_2d(q, r, w, &none, e);
        cu_leave(q->dev);
        if (!none)
            return ok;
    }
    return dev_rows_each(q->dev->api, q, r, w, e);
}

/* ---- fill ------------------------------------------------------------------------------------ */

/* The shortest period of the pattern: 8 bytes of zeros are one. */
static size_t
period(const char *pattern, size_t n)
{
    while (n > 1 && n % 2 == 0 && memcmp(pattern, pattern + n / 2, n / 2) == 0)
        n /= 2;
    return n;
}

/* The driver fills with up to 4 bytes; longer patterns go column by column. */
static bool
fill(DevQueue *q, CuPtr at, const char *pattern, size_t width, size_t n, DevError *e)
{
    DevDevice *d = q->dev;
    const Cu *cu = d->cu;
    uint8_t b;
    uint16_t h;
    uint32_t word;
    if (width == 1)
        return cu_ok(d, cu->SetD8(at, (uint8_t)*pattern, n, q->stream), "MemsetD8Async", e);
    memcpy(&h, pattern, 2);
    if (width == 2 && at % 2 == 0)
        return cu_ok(d, cu->SetD16(at, h, n / 2, q->stream), "MemsetD16Async", e);
    memcpy(&word, pattern, width < 4 ? width : 4);
    if (width == 4 && at % 4 == 0)
        return cu_ok(d, cu->SetD32(at, word, n / 4, q->stream), "MemsetD32Async", e);
    size_t step = width % 4 == 0 && at % 4 == 0 ? 4 : 1;
    for (size_t k = 0; k < width; k += step) {
        memcpy(&word, pattern + k, step);
        memcpy(&b, pattern + k, 1);
        CuResult r = step == 4 ? cu->SetD2D32(at + k, width, word, 1, n / width, q->stream)
                               : cu->SetD2D8(at + k, width, b, 1, n / width, q->stream);
        if (!cu_ok(d, r, step == 4 ? "MemsetD2D32Async" : "MemsetD2D8Async", e))
            return false;
    }
    return true;
}

bool
cuda_fill(DevQueue *q, DevMem *to, size_t offset, const void *pattern, size_t pattern_bytes,
          size_t n, const DevWhen *w, DevError *e)
{
    DevDevice *d = q->dev;
    DevEvent *ev;
    if (pattern_bytes == 0 || pattern_bytes > 16 || n % pattern_bytes)
        return dev_fail(e, DEV_ARGUMENT, 0, "a pattern of %zu bytes for %zu", pattern_bytes, n);
    if (!within(q, to, offset, n, e) || !cu_enter(d, e))
        return false;
    bool ok = cu_begin(q, w, &ev, e);
    if (ok && n) {
        cu_use(q, to);
        ok = fill(q, to->block->address + offset, pattern, period(pattern, pattern_bytes), n, e);
    }
    ok = cu_end(q, w, ev, ok, e);
    cu_leave(d);
    return ok;
}
