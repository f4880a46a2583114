/* SPDX-License-Identifier: BSD-3-Clause
 * Parallel loops as compiled code calls them: see rt.def. Takes a body and a number of
 * chunks; the pool runs them. The caller goes on with the context that it has; each
 * worker has one of its own, whose poll points at a word that is raised when what the
 * worker does is no longer wanted: an earlier chunk has failed, or the caller is
 * interrupted. The word says "look", not "stop": it may be raised late, for a chunk that
 * is over, so the worker that sees it looks at `least` to find out. The error that
 * remains is that of the least chunk, the one that a serial run would have met. */
#include "rt/rt.h"

#include <limits.h>
#include <pthread.h>

enum { STOP_ALL = -1 };

/* One parallel loop; on the caller's stack. */
typedef struct ParLoop {
    SwCtx *cx;
    SwBody body;
    const uint64_t *env;
    int64_t least;        /* atomic: the chunk that `err` is of; STOP_ALL; INT64_MAX: none failed */
    pthread_mutex_t lock; /* of the error */
    SwError err;
    int width;
    struct ParWorker *worker[DEV_MAX_THREADS]; /* atomic; those that have taken part */
} ParLoop;

typedef struct ParWorker {
    SwCtx cx;
    int32_t stop; /* what cx.poll points at */
    int64_t chunk;
    ParLoop *loop;
} ParWorker;

static _Thread_local ParWorker me;

/* ---- stacks ---------------------------------------------------------------------------------- */

enum { STACK_RESERVE = 256 << 10 };

char *
rt_stack_limit(void)
{
    pthread_attr_t a;
    void *base = NULL;
    size_t size = 0, guard = 0;
    if (pthread_getattr_np(pthread_self(), &a) != 0)
        return (char *)1;
    pthread_attr_getstack(&a, &base, &size);
    pthread_attr_getguardsize(&a, &guard);
    pthread_attr_destroy(&a);
    size_t keep = size / 4 < STACK_RESERVE ? size / 4 : STACK_RESERVE;
    return (char *)base + guard + keep;
}

/* ---- errors ---------------------------------------------------------------------------------- */

static bool
is_stop(const SwError *e)
{
    return e->site == SW_ERR_INTERRUPT || e->site == SW_ERR_PYTHON;
}

/* Chunk c failed: its error is kept if it is the first, and later chunks are told to
 * look. */
static void
keep_error(ParLoop *p, int64_t c, SwError *e)
{
    pthread_mutex_lock(&p->lock);
    bool first = c < __atomic_load_n(&p->least, __ATOMIC_SEQ_CST);
    if (first) {
        rt_error_drop(&p->err);
        p->err = *e;
        __atomic_store_n(&p->least, c, __ATOMIC_SEQ_CST);
    } else
        rt_error_drop(e);
    pthread_mutex_unlock(&p->lock);
    for (int w = 1; first && w < p->width; w++) {
        ParWorker *other = __atomic_load_n(&p->worker[w], __ATOMIC_SEQ_CST);
        if (other)
            __atomic_store_n(&other->stop, 1, __ATOMIC_SEQ_CST);
    }
}

static bool
is_unwanted(const ParLoop *p, int64_t c)
{
    return c > __atomic_load_n(&p->least, __ATOMIC_SEQ_CST);
}

int
rt_worker_stops(SwCtx *cx)
{
    ParWorker *w = cx->worker;
    __atomic_store_n(&w->stop, 0, __ATOMIC_SEQ_CST);
    if (!is_unwanted(w->loop, w->chunk))
        return 0;
    sw_fail(cx, SW_ERR_INTERRUPT, 0, 0, 0, 0);
    return 1;
}

/* Has someone pressed Ctrl-C? */
static int
look_at_signals(void *env)
{
    ParLoop *p = env;
    if (!__atomic_load_n(p->cx->poll, __ATOMIC_RELAXED) || !sw_interrupted(p->cx))
        return 0;
    keep_error(p, STOP_ALL, &p->cx->err);
    return 1;
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* First seen by those who fail, then looks whether someone has: one of both notices. */
static void
begin_chunk(ParLoop *p, int64_t c, int w)
{
    if (SW_UNLIKELY(!me.cx.stack_limit))
        me.cx.stack_limit = rt_stack_limit();
    me.cx.poll = &me.stop;
    me.cx.alone = &dev_alone;
    me.cx.fn = p->cx->fn;
    me.cx.err.site = 0;
    me.cx.n_nest = 0;
    me.cx.handled = NULL;
    me.cx.worker = &me;
    me.cx.offload = p->cx->offload;
    me.chunk = c;
    me.loop = p;
    if (__atomic_load_n(&p->worker[w], __ATOMIC_RELAXED) != &me)
        __atomic_store_n(&p->worker[w], &me, __ATOMIC_SEQ_CST);
    __atomic_store_n(&me.stop, 0, __ATOMIC_SEQ_CST);
}

static int
run_chunk(void *env, int64_t c, int w)
{
    ParLoop *p = env;
    SwCtx *cx = p->cx;
    if (w > 0) {
        begin_chunk(p, c, w);
        cx = &me.cx;
    }
    if (SW_UNLIKELY(is_unwanted(p, c)))
        return 0;
    if (w == 0 && SW_UNLIKELY(look_at_signals(p))) /* chunks are short, but there may be millions */
        return 1;
    int bad = p->body(cx, p->env, c);
    if (SW_UNLIKELY(w > 0 && cx->shadow))
        rt_shadow_free(cx);
    if (SW_LIKELY(!bad))
        return 0;
    if (w > 0 && is_stop(&cx->err)) { /* as it was told */
        rt_error_drop(&cx->err);
        return 0;
    }
    keep_error(p, is_stop(&cx->err) ? STOP_ALL : c, &cx->err);
    return 1;
}

/* One chunk, which is what little work is: nobody else takes part, and the error is where it
 * belongs. */
static int
run_only(SwCtx *cx, SwBody body, const uint64_t *env)
{
    if (SW_UNLIKELY(__atomic_load_n(cx->poll, __ATOMIC_RELAXED)) && sw_interrupted(cx))
        return 1;
    return body(cx, env, 0) != 0;
}

int
sw_parallel(SwCtx *cx, SwBody body, const uint64_t *env, int64_t n, int64_t most)
{
    if (n < 2)
        return n == 1 && run_only(cx, body, env);
    ParLoop p;
    p.cx = cx;
    p.body = body;
    p.env = env;
    p.least = INT64_MAX;
    p.err.context = p.err.cause = NULL;
    p.err.payload = NULL;
    p.width = dev_pool_width();
    p.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    memset(p.worker, 0, sizeof p.worker[0] * (size_t)p.width);
    int limit = most > 0 && most < INT_MAX ? (int)most : 0;
    if (SW_LIKELY(!dev_pool_run(run_chunk, &p, n, limit, look_at_signals)))
        return 0;
    if (p.least == INT64_MAX) /* forked inside the loop: the chunks of workers are lost */
        sw_fail(cx, SW_ERR_INTERRUPT, 0, 0, 0, 0);
    else
        cx->err = p.err;
    return 1;
}
