/* SPDX-License-Identifier: BSD-3-Clause
 * What compiled code calls for memory, errors, printing and generic copies: see rt.def.
 * None of these needs the GIL. */
#include "ir/ir.h"
#include "kernel/kernel.h"
#include "rt/rt.h"
#include <stddef.h>
#include <stdlib.h>
#include <stdio.h>

void (*rt_write_hook)(const char *s, size_t n);
int (*rt_signal_hook)(void);
int (*rt_upcall_hook)(SwCtx *cx, int32_t k, int32_t site, const uint64_t *args, uint64_t *results);
SwPayload *(*rt_python_payload)(int64_t number);
volatile int32_t rt_interrupt_flag;
const volatile int32_t rt_never = 0;

/* ---- memory ---------------------------------------------------------------------------------- */

int
rt_alloc(SwCtx *cx, int64_t bytes, bool small, int zero, SwMem **out)
{
    SwMem *m = NULL;
    if (small && (uint64_t)bytes <= DEV_SMALL) {
        m = dev_small((size_t)bytes, zero);
    } else if (bytes >= 0) {
        Dev *d = dev_cpu();
        m = d->alloc(d, (size_t)bytes, zero);
    }
    if (SW_UNLIKELY(!m)) {
        sw_fail(cx, bytes < 0 ? SW_ERR_TOO_BIG : SW_ERR_MEMORY, bytes, 0, 0, 0);
        return 1;
    }
    if (SW_UNLIKELY(cx->shadow))
        rt_shadow_forget(cx, m->data, bytes);
    if (SW_UNLIKELY(cx->offload))
        offload_fresh(cx->offload, m->data, bytes, zero);
    *out = m;
    return 0;
}

int
sw_alloc(SwCtx *cx, int64_t bytes, int zero, SwMem **out)
{
    return rt_alloc(cx, bytes, !cx->offload, zero, out); /* devices take aligned memory */
}

void
sw_retain(SwMem *m)
{
    if (m)
        dev_retain(m);
}

/* While Python runs in the midst of a function, in a signal's handler or for a print, what it lets
 * go of stays until the function ends, which may look at it without a reference of its own. */
static __thread struct {
    bool on;
    const SwCtx *cx; /* of the function */
    SwMem **mem;
    size_t n, room;
} held;
int rt_holds;

static bool
hold_back(SwMem *m)
{
    if (!held.on || __atomic_load_n(&m->refs, __ATOMIC_ACQUIRE) != 1)
        return false;
    if (held.n == held.room) {
        size_t room = 2 * held.room + 64;
        SwMem **more = realloc(held.mem, room * sizeof *more);
        if (!more)
            return true; /* rather never than too early */
        held.mem = more;
        held.room = room;
    }
    if (!held.n)
        __atomic_fetch_add(&rt_holds, 1, __ATOMIC_RELAXED);
    held.mem[held.n++] = m;
    return true;
}

static bool
hold_begin(const SwCtx *cx)
{
    bool was = held.on;
    if (!held.n && !was)
        held.cx = cx;
    held.on = true;
    if (!was)
        __atomic_fetch_add(&rt_holds, 1, __ATOMIC_RELAXED);
    return was;
}

static void
hold_pause(bool was)
{
    held.on = was;
    if (!was)
        __atomic_fetch_sub(&rt_holds, 1, __ATOMIC_RELAXED);
}

/* A function has ended. Those that Python has called in its midst have contexts further down the
 * stack. */
void
rt_hold_end(const SwCtx *cx)
{
    if (!held.n || held.on || (uintptr_t)cx < (uintptr_t)held.cx)
        return;
    while (held.n)
        sw_release(held.mem[--held.n]);
    __atomic_fetch_sub(&rt_holds, 1, __ATOMIC_RELAXED);
    free(held.mem);
    held.mem = NULL;
    held.room = 0;
}

void
sw_release(SwMem *m)
{
    if (!m || (SW_UNLIKELY(__atomic_load_n(&rt_holds, __ATOMIC_RELAXED)) && hold_back(m)))
        return;
    if (dev_let_go(m))
        m->free_fn(m);
}

void
sw_release_all(SwMem **m, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        sw_release(m[i]);
}

/* ---- errors ---------------------------------------------------------------------------------- */

enum { HEAD_BYTES = offsetof(SwError, texts) };

/* Most errors have no texts. */
static void
copy_error(SwError *to, const SwError *from)
{
    memcpy(to, from, HEAD_BYTES);
    if (SW_UNLIKELY(from->n_texts))
        memcpy(to->texts, from->texts, sizeof *to->texts * (size_t)from->n_texts);
}

void
sw_fail(SwCtx *cx, int32_t site, int64_t a, int64_t b, int64_t c, int64_t d)
{
    SwError *e = &cx->err;
    memset(e, 0, HEAD_BYTES);
    e->site = site;
    e->a[0] = a, e->a[1] = b, e->a[2] = c, e->a[3] = d;
    rt_error_raised(cx, e);
    if (SW_UNLIKELY(cx->n_nest)) {
        e->n_texts = cx->n_nest;
        memcpy(e->texts, cx->nest, sizeof *cx->nest * (size_t)cx->n_nest);
        cx->n_nest = 0;
    }
}

void
sw_err_trace(SwCtx *cx, int32_t site)
{
    SwError *e = &cx->err;
    int last = SW_LEN(e->calls) - 1, k = e->n_calls < last ? e->n_calls : last;
    e->calls[k] = site;
    e->n_calls += e->n_calls < INT32_MAX;
}

void
sw_err_place(SwCtx *cx, int64_t block, int64_t thread)
{
    cx->err.placed = true;
    cx->err.place[0] = block;
    cx->err.place[1] = thread;
}

int
sw_interrupted(SwCtx *cx)
{
    if (cx->worker)
        return rt_worker_stops(cx);
    bool was = hold_begin(cx), alone = dev_together();
    int raised = rt_signal_hook ? rt_signal_hook() : 1;
    dev_alone = alone;
    hold_pause(was);
    if (!raised)
        return 0;
    sw_fail(cx, rt_signal_hook ? SW_ERR_PYTHON : SW_ERR_INTERRUPT, 0, 0, 0, 0);
    return 1;
}

int
sw_upcall(SwCtx *cx, int32_t k, int32_t site, const uint64_t *args, uint64_t *results)
{
    if (rt_upcall_hook && cx->caller && !cx->worker && k < cx->fn->n_upcalls)
        return rt_upcall_hook(cx, k, site, args, results);
    sw_fail(cx, SW_ERR_NO_PYTHON, 0, 0, 0, 0);
    return 1;
}

int
sw_kernel_failed(SwCtx *cx, int64_t status)
{
    if (status == KERNEL_NO_MEMORY)
        sw_fail(cx, SW_ERR_MEMORY, 0, 0, 0, 0);
    return status < 0;
}

static const char *
error_class(const SwCtx *cx)
{
    switch (cx->err.site) {
    case SW_ERR_MEMORY:
        return "MemoryError";
    case SW_ERR_NEG_DIM:
    case SW_ERR_TOO_BIG:
        return "ValueError";
    case SW_ERR_RECURSION:
        return "RecursionError";
    case SW_ERR_NO_PYTHON:
        return "RuntimeError";
    case SW_ERR_INTERRUPT:
    case SW_ERR_PYTHON:
        return NULL; /* an interrupt: nothing here catches it */
    default:
        break;
    }
    const SwSite *s = rt_site(cx->fn, cx->err.site);
    if (!s)
        return "Exception";
    if (cx->err.what) /* a kernel that is wrong: nothing here catches that */
        return NULL;
    if (!s->exc || strcmp(s->exc, EXC_PYTHON) != 0)
        return s->exc;
    return cx->err.payload ? cx->err.payload->class : "RuntimeError";
}

int
sw_err_matches(SwCtx *cx, const char *names)
{
    const char *cls = error_class(cx);
    if (!strcmp(names, "BaseException")) /* a finally: it goes on afterwards */
        return !cx->err.what;
    if (!cls)
        return 0;
    if (!*names)
        return ir_exc_derives(cls, "Exception");
    for (; *names; names += strlen(names) + 1)
        if (ir_exc_derives(cls, names))
            return 1;
    return 0;
}

_Static_assert(sizeof(SwError) <= 320,
               "ERROR_BYTES of gen/llvm/error.c and WORDS of lower/caught.c are the room for it");

void
sw_err_take(SwCtx *cx, SwError *out)
{
    copy_error(out, &cx->err);
    memset(&cx->err, 0, HEAD_BYTES);
    out->up = cx->handled;
    cx->handled = out;
}

void
sw_err_restore(SwCtx *cx, const SwError *e)
{
    copy_error(&cx->err, e);
    rt_error_share(&cx->err, e);
}

/* ---- print ----------------------------------------------------------------------------------- */

int
sw_print(SwCtx *cx, int32_t site, const uint64_t *slots)
{
    const SwSite *s = rt_site(cx->fn, site);
    if (!s)
        return 0;
    StrBuf out = {0};
    rt_format(&out, s->format, slots, 10);
    bool was = hold_begin(cx), alone = dev_together();
    if (rt_write_hook && out.s)
        rt_write_hook(out.s, out.n);
    else if (out.s)
        fwrite(out.s, 1, out.n, stdout);
    dev_alone = alone;
    hold_pause(was);
    sb_free(&out);
    return 0;
}

/* ---- copies ---------------------------------------------------------------------------------- */

#define COPY_LOOP(T)                                                                               \
    for (int64_t i = 0; i < n; i++)                                                                \
    *(T *)(to + i * to_step) = *(const T *)(from + i * from_step)

static void
copy_row(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n, int64_t item)
{
    if (to_step == item && from_step == item) {
        memcpy(to, from, (size_t)(n * item));
        return;
    }
    switch (item) {
    case 1:
        COPY_LOOP(uint8_t);
        break;
    case 2:
        COPY_LOOP(uint16_t);
        break;
    case 4:
        COPY_LOOP(uint32_t);
        break;
    case 8:
        COPY_LOOP(uint64_t);
        break;
    case 16:
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * to_step, from + i * from_step, 16);
        break;
    default:
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * to_step, from + i * from_step, (size_t)item);
    }
}

/* The rows along `inner` are copied by loops; the other axes by recursion, outermost
 * first. */
static void
copy_axes(char *to, const char *from, const SwDesc *d, const SwDesc *s, int axis, int ndim,
          int inner, int64_t item)
{
    if (axis == inner)
        axis++;
    if (axis >= ndim) {
        copy_row(to, d->strides[inner], from, s->strides[inner], d->shape[inner], item);
        return;
    }
    for (int64_t i = 0; i < d->shape[axis]; i++)
        copy_axes(to + i * d->strides[axis], from + i * s->strides[axis], d, s, axis + 1, ndim,
                  inner, item);
}

/* The axis with the smallest stride of the destination goes innermost. */
static int
inner_axis(const SwDesc *d, int ndim)
{
    int best = ndim - 1;
    for (int k = ndim - 2; k >= 0; k--) {
        int64_t a = d->strides[k] < 0 ? -d->strides[k] : d->strides[k];
        int64_t b = d->strides[best] < 0 ? -d->strides[best] : d->strides[best];
        if (d->shape[k] > 1 && (a < b || d->shape[best] <= 1))
            best = k;
    }
    return best;
}

void
sw_copy(const SwDesc *dst, const SwDesc *src, int ndim, int64_t itemsize)
{
    for (int k = 0; k < ndim; k++)
        if (dst->shape[k] <= 0)
            return;
    if (ndim == 0)
        memcpy(dst->data, src->data, (size_t)itemsize);
    else
        copy_axes(dst->data, src->data, dst, src, 0, ndim, inner_axis(dst, ndim), itemsize);
}

/* First and last byte that the array may touch; false when it has no element. */
static bool
extent(const SwDesc *d, int ndim, int64_t item, uintptr_t *lo, uintptr_t *hi)
{
    *lo = *hi = (uintptr_t)d->data;
    for (int k = 0; k < ndim; k++) {
        if (d->shape[k] <= 0)
            return false;
        int64_t reach = (d->shape[k] - 1) * d->strides[k];
        if (reach < 0)
            *lo += (uintptr_t)reach;
        else
            *hi += (uintptr_t)reach;
    }
    *hi += (uintptr_t)item;
    return true;
}

/* Does each index lead to an element of its own? For sure, that is. */
static bool
is_packed(const SwDesc *d, int ndim, int64_t item)
{
    if (ndim == 1)
        return d->strides[0] >= item || d->strides[0] <= -item;
    bool c = true, f = true;
    int64_t c_step = item, f_step = item;
    for (int k = 0; k < ndim; k++) {
        int last = ndim - 1 - k;
        f &= d->strides[k] == f_step;
        c &= d->strides[last] == c_step;
        f_step *= d->shape[k];
        c_step *= d->shape[last];
    }
    return c || f;
}

static bool
same_elements(const SwDesc *a, int na, int64_t sa, const SwDesc *b, int nb, int64_t sb)
{
    if (a->data != b->data || na != nb || sa != sb || !is_packed(a, na, sa))
        return false;
    for (int k = 0; k < na; k++)
        if (a->shape[k] != b->shape[k] || a->strides[k] != b->strides[k])
            return false;
    return true;
}

int64_t
sw_address(const SwDesc *a)
{
    return (int64_t)(uintptr_t)a->data;
}

int
sw_overlap(const SwDesc *a, int na, int64_t sa, const SwDesc *b, int nb, int64_t sb)
{
    uintptr_t alo, ahi, blo, bhi;
    if (!extent(a, na, sa, &alo, &ahi) || !extent(b, nb, sb, &blo, &bhi))
        return 0;
    if (alo >= bhi || blo >= ahi)
        return 0;
    return same_elements(a, na, sa, b, nb, sb) ? 2 : 1;
}

int
sw_alike(const SwDesc *a, const SwDesc *b, int64_t bytes)
{
    return bytes <= 0 || !memcmp(a->data, b->data, (size_t)bytes);
}
