/* SPDX-License-Identifier: BSD-3-Clause
 * What Python calls __context__ and __cause__. A handler that runs is in a list of its
 * context (SwError.up), from which it goes on each way out of it; an exception that
 * leaves it refers from then on to what it has caught, as CPython's does from the moment
 * in which it is raised: nobody can look in between. What is referred to is counted, and
 * belongs to one thread at a time. */
#include "ir/ir.h"
#include "rt/rt.h"
#include <stdlib.h>
#include <string.h>

static int64_t live;

int64_t
rt_live_faults(void)
{
    return __atomic_load_n(&live, __ATOMIC_RELAXED);
}

static void
release_payload(SwPayload *p)
{
    if (SW_UNLIKELY(p != NULL) && __atomic_sub_fetch(&p->refs, 1, __ATOMIC_ACQ_REL) == 0)
        p->drop(p);
}

static void
release(SwFault *f)
{
    while (f && --f->refs == 0) { /* a chain of contexts may be long, one of causes is short */
        SwFault *next = f->err.context;
        release(f->err.cause);
        release_payload(f->err.payload);
        free(f);
        __atomic_sub_fetch(&live, 1, __ATOMIC_RELAXED);
        f = next;
    }
}

static SwFault *
retain(SwFault *f)
{
    if (f)
        f->refs++;
    return f;
}

void
rt_error_share(SwError *to, const SwError *from)
{
    to->context = retain(from->context);
    to->cause = retain(from->cause);
    to->payload = from->payload;
    if (SW_UNLIKELY(to->payload != NULL))
        __atomic_add_fetch(&to->payload->refs, 1, __ATOMIC_RELAXED);
    to->up = NULL;
}

void
rt_error_drop(SwError *e)
{
    release(e->context);
    release(e->cause);
    release_payload(e->payload);
    e->context = e->cause = NULL;
    e->payload = NULL;
}

/* NULL: no memory, and then nothing refers to it. */
static SwFault *
fault_of(const SwError *e)
{
    SwFault *f = malloc(sizeof *f);
    if (!f)
        return NULL;
    __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
    f->refs = 1;
    f->err = *e;
    rt_error_share(&f->err, e);
    return f;
}

static SwFault *
find_cause(const SwCtx *cx, int cause)
{
    const SwError *e = cx->handled;
    if (cause >= IR_FROM_SITE) {
        SwError made = {.site = cause - IR_FROM_SITE, .made = true};
        return fault_of(&made);
    }
    for (int k = IR_FROM_CAUGHT; e && k > cause; k--)
        e = e->up;
    return e ? fault_of(e) : NULL;
}

void
rt_error_raised(SwCtx *cx, SwError *e)
{
    static uint64_t last;
    e->id = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    const SwSite *s = rt_site(cx->fn, e->site);
    int cause = s ? s->cause : IR_FROM_NOTHING;
    if (SW_UNLIKELY(s && s->exc && !strcmp(s->exc, EXC_PYTHON)) && rt_python_payload)
        e->payload = rt_python_payload(e->a[0]);
    if (SW_LIKELY(cause == IR_FROM_NOTHING))
        return;
    e->explicit_ = true;
    e->cause = cause == IR_FROM_NONE ? NULL : find_cause(cx, cause);
}

/* ---- ways out of a handler ------------------------------------------------------------------- */

void
sw_err_done(SwCtx *cx, SwError *caught)
{
    cx->handled = caught->up;
    rt_error_drop(caught);
}

/* The last of what the error came after comes after what was caught here, if that is not
 * among them. */
void
sw_err_leave(SwCtx *cx, SwError *caught)
{
    SwError *e = &cx->err;
    while (e->id != caught->id && e->context)
        e = &e->context->err;
    if (e->id != caught->id)
        e->context =
            e->cause && e->cause->err.id == caught->id ? retain(e->cause) : fault_of(caught);
    sw_err_done(cx, caught);
}
