/* SPDX-License-Identifier: BSD-3-Clause
 * A kernel before it is loops: the threads of a block, each on a stack of its own, run one after
 * the other until they wait. When all wait that a barrier or an operation of a warp is for, they
 * get what it yields and go on. In which order they run is nobody's business, and drawn: a kernel
 * whose result depends on it is no test of a pass. */
#undef _FORTIFY_SOURCE /* whose longjmp knows one stack */
#include "interp/internal.h"

#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>

enum { STACK = 192 << 10, MOST_THREADS = 256 };

typedef struct Fiber {
    ucontext_t cx; /* as it begins */
    jmp_buf at_wait;
    bool begun;
    void *stack;
    bool done, ready;
    Go go;
    const IrStmt *waits;
    Num value, result;   /* what it brings, and takes away */
    int64_t mask, other; /* of a warp's operation */
    bool all;
    int64_t place[3];
    int depth;
    const IrStmt *at;
    Frame *frame;
} Fiber;

struct Threads {
    Interp *in;
    IrFunc *f;
    const Input *args;
    jmp_buf home;
    Fiber *fiber, *now;
    int n;
    int64_t grid[3], block[3], dim[3], shared_bytes;
    Map shared; /* alloc -> memory of the block */
    Buf *dynamic;
};

/* ---- places ---------------------------------------------------------------------------------- */

static int64_t
linear(const Threads *t, const Fiber *f)
{
    return f->place[0] + t->dim[0] * (f->place[1] + t->dim[1] * f->place[2]);
}

int64_t
threads_geo(const Threads *t, int which)
{
    if (which <= GEO_GRID_Z)
        return t->grid[which - GEO_GRID_X];
    if (which <= GEO_BLOCK_Z)
        return t->block[which - GEO_BLOCK_X];
    if (which <= GEO_THREAD_Z)
        return t->now->place[which - GEO_THREAD_X];
    if (which <= GEO_BLOCK_DIM_Z)
        return t->dim[which - GEO_BLOCK_DIM_X];
    return which == GEO_LANE ? linear(t, t->now) % WARP_SIZE : t->shared_bytes;
}

/* What an alloc of an array of the block yields: memory made by the thread that comes first. */
Buf *
threads_shared(Threads *t, const IrStmt *s, int64_t bytes, int item, bool fixed)
{
    Buf *b = fixed ? map_get(&t->shared, s) : t->dynamic;
    if (b)
        return b;
    b = buf_new(t->in, fixed ? bytes : t->shared_bytes, item, s->zero || !fixed);
    b->forever = true;
    if (fixed)
        map_put(t->in->a, &t->shared, s, b);
    else
        t->dynamic = b;
    return b;
}

/* ---- from one stack to another, without a call of the system for the mask of signals --------- */

static void
to_thread(Threads *t, Fiber *f)
{
    if (_setjmp(t->home))
        return;
    if (f->begun)
        _longjmp(f->at_wait, 1);
    f->begun = true;
    setcontext(&f->cx);
}

static void
to_home(Threads *t, Fiber *me)
{
    if (!_setjmp(me->at_wait))
        _longjmp(t->home, 1);
}

/* ---- waiting --------------------------------------------------------------------------------- */

Go
threads_wait(Interp *in, Frame *fr, const IrStmt *s)
{
    Threads *t = in->threads;
    Fiber *me = t->now;
    if (s->kind == IS_BARRIER && s->order == BAR_GRID) {
        cannot(in, "a barrier of the grid");
        return GO_STOP;
    }
    me->value = s->e ? eval(in, fr, s->e) : (Num){0};
    me->mask = s->kind == IS_WARP && s->n_args ? eval_int(in, fr, s->args[0].e, "a mask") : -1;
    me->other = s->kind == IS_WARP && s->n_args > 1 ? eval_int(in, fr, s->args[1].e, "a lane") : 0;
    if (in->stop)
        return GO_STOP;
    me->waits = s;
    me->depth = in->depth;
    me->at = s;
    me->frame = fr;
    to_home(t, me);
    in->depth = me->depth;
    in->at = me->at;
    in->frame = me->frame;
    if (in->stop)
        return GO_STOP;
    if (s->var)
        fr->slot[s->var->id].v = me->result;
    if (s->n_outs)
        fr->slot[s->outs[0].out->id].v = (Num){.i = me->all};
    return GO_ON;
}

static void
release(Fiber *f)
{
    f->waits = NULL;
    f->ready = true;
}

static bool
block_barrier(Threads *t)
{
    const IrStmt *s = NULL;
    int64_t count = 0, n = 0;
    bool undef = false;
    for (int i = 0; i < t->n; i++) {
        Fiber *f = &t->fiber[i];
        if (f->done)
            continue;
        if (!f->waits || f->waits->kind != IS_BARRIER || f->waits->order != BAR_BLOCK ||
            (s && f->waits != s))
            return false;
        s = f->waits;
        n++;
        count += f->value.i != 0;
        undef |= f->value.undef;
    }
    int64_t r = !s || s->n == VOTE_COUNT ? count : s->n == VOTE_AND ? count == n : count > 0;
    /* what was touched before is in order with what comes */
    t->in->level[1].stamp = ++t->in->stamps;
    for (int i = 0; i < t->n; i++)
        if (!t->fiber[i].done) {
            t->fiber[i].result = (Num){.i = r, .undef = undef};
            release(&t->fiber[i]);
        }
    return s != NULL;
}

/* ---- warps ----------------------------------------------------------------------------------- */

static Num
shuffle(const Threads *t, const Fiber *f, int lane)
{
    int64_t by = f->other < 0 ? 0 : f->other > WARP_SIZE ? WARP_SIZE : f->other, from = lane;
    int64_t base = linear(t, f) - lane;
    switch (f->waits->order) {
    case WARP_SHFL:
        from = f->other & (WARP_SIZE - 1);
        break;
    case WARP_SHFL_XOR:
        from = (lane ^ f->other) & (WARP_SIZE - 1);
        break;
    case WARP_SHFL_UP:
        from = lane >= by ? lane - by : lane;
        break;
    default:
        from = lane + by < WARP_SIZE && base + lane + by < t->n ? lane + by : lane;
        break;
    }
    /* a lane that isn't named is not waited for: it may be here, or not */
    bool named = f->mask >> from & 1;
    if (base + from >= t->n || !named || t->fiber[base + from].waits != f->waits)
        return (Num){.undef = true};
    return t->fiber[base + from].value;
}

typedef struct Votes {
    uint32_t live, bits;
    bool undef;
} Votes;

static void
vote(const Threads *t, Fiber *f, const Votes *v)
{
    const IrStmt *s = f->waits;
    DType d = s->e ? (DType)s->e->dtype : DT_bool;
    int64_t base = linear(t, f) / WARP_SIZE * WARP_SIZE;
    uint32_t same = 0;
    for (int l = 0; l < WARP_SIZE && base + l < t->n; l++)
        if (v->live >> l & 1 && num_same(d, f->value, t->fiber[base + l].value, false))
            same |= 1u << l;
    int64_t r;
    switch (s->order) {
    case WARP_ANY:
        r = v->bits != 0;
        break;
    case WARP_ALL:
        r = v->bits == v->live;
        break;
    case WARP_EQ:
        r = v->bits == v->live || !v->bits;
        break;
    case WARP_BALLOT:
        r = v->bits;
        break;
    case WARP_MATCH_ANY:
        r = same;
        break;
    case WARP_MATCH_ALL:
        f->all = same == v->live;
        r = f->all ? same : 0;
        break;
    default:
        r = v->live;
        break;
    }
    f->result = (Num){.i = r, .undef = v->undef};
}

static bool
is_here(const Fiber *f, const IrStmt *s)
{
    return !f->done && f->waits == s;
}

/* The threads of the warp from `base` on that are at statement s, when those are all that it is
 * for. */
static bool
warp_at(Threads *t, int base, const IrStmt *s)
{
    Votes v = {0};
    int n = t->n - base < WARP_SIZE ? t->n - base : WARP_SIZE;
    int64_t mask = s->kind == IS_WARP && s->order == WARP_ACTIVE ? 0 : -1;
    for (int l = 0; l < n; l++)
        if (is_here(&t->fiber[base + l], s))
            mask &= t->fiber[base + l].mask;
    for (int l = 0; l < n; l++) {
        Fiber *f = &t->fiber[base + l];
        if (!is_here(f, s) && mask >> l & 1 && !f->done)
            return false;
        if (!is_here(f, s) || (f->mask >> l & 1) == 0)
            continue;
        v.live |= 1u << l;
        v.bits |= f->value.i ? 1u << l : 0;
        v.undef |= f->value.undef;
    }
    for (int l = 0; l < n; l++) {
        Fiber *f = &t->fiber[base + l];
        if (!is_here(f, s) || s->kind != IS_WARP)
            continue;
        if (s->order <= WARP_SHFL_XOR) {
            f->result = shuffle(t, f, l);
            t->in->out->unset |= f->result.undef;
        } else {
            vote(t, f, &v);
        }
    }
    for (int l = 0; l < n; l++)
        if (is_here(&t->fiber[base + l], s))
            release(&t->fiber[base + l]);
    return true;
}

static bool
warps(Threads *t)
{
    bool any = false;
    for (int i = 0; i < t->n; i++) {
        const IrStmt *s = t->fiber[i].waits;
        if (!t->fiber[i].done && s && (s->kind == IS_WARP || s->order == BAR_WARP))
            any |= warp_at(t, i / WARP_SIZE * WARP_SIZE, s);
    }
    return any;
}

/* ---- a block --------------------------------------------------------------------------------- */

static Threads *starting; /* makecontext passes ints only; set and read at once, on one thread */

static void
body(void)
{
    Threads *t = starting;
    Interp *in = t->in;
    Fiber *me = t->now;
    in->depth = 0;
    Frame *fr = frame_enter(in, t->f);
    in->frame = fr;
    run_args(in, fr, t->args);
    me->go = in->stop ? GO_STOP : exec_block(in, fr, &t->f->body);
    frame_leave(in, fr);
    me->done = true;
    to_home(t, me);
}

static bool
go_on(Threads *t, Fiber *f)
{
    f->ready = false;
    t->now = f;
    starting = t;
    t->in->level[1].iter = (uint32_t)linear(t, f);
    to_thread(t, f);
    return !t->in->stop && !(f->done && f->go == GO_ERROR);
}

static void
make_fiber(const Threads *t, int i)
{
    Fiber *f = &t->fiber[i];
    void *stack = f->stack;
    *f = (Fiber){.stack = stack, .ready = true};
    f->place[0] = i % t->dim[0];
    f->place[1] = i / t->dim[0] % t->dim[1];
    f->place[2] = i / (t->dim[0] * t->dim[1]);
    getcontext(&f->cx);
    f->cx.uc_stack.ss_sp = stack;
    f->cx.uc_stack.ss_size = STACK;
    makecontext(&f->cx, body, 0);
}

static bool
run_block(Threads *t)
{
    t->shared = (Map){0};
    t->dynamic = NULL;
    t->in->level[1].stamp = ++t->in->stamps;
    for (int i = 0; i < t->n; i++)
        make_fiber(t, i);
    for (int left = t->n; left;) {
        int64_t *order = shuffled(t->in, t->n);
        left = 0;
        for (int i = 0; i < t->n; i++) {
            Fiber *f = &t->fiber[order ? order[i] : i];
            if (f->ready && !go_on(t, f))
                return false;
        }
        for (int i = 0; i < t->n; i++)
            left += !t->fiber[i].done;
        if (left && !warps(t) && !block_barrier(t)) {
            cannot(t->in, "threads that wait for one another");
            return false;
        }
    }
    return true;
}

static void
free_stacks(Threads *t)
{
    for (int i = 0; i < t->n; i++)
        free(t->fiber[i].stack);
}

static bool
set_up(Threads *t, Interp *in, IrFunc *f, const Input *args)
{
    int64_t *const to[7] = {&t->grid[0], &t->grid[1], &t->grid[2],     &t->dim[0],
                            &t->dim[1],  &t->dim[2],  &t->shared_bytes};
    if (args->n_args != f->n_params + 7)
        return false;
    for (int i = 0; i < 7; i++)
        *to[i] = args->arg[f->n_params + i].v.i;
    for (int i = 0; i < 6; i++)
        if (*to[i] < 1 || *to[i] > MOST_THREADS)
            return false;
    t->n = (int)(t->dim[0] * t->dim[1] * t->dim[2]);
    if (t->n > MOST_THREADS || t->shared_bytes < 0 || t->shared_bytes > 1 << 20)
        return false;
    t->in = in;
    t->f = f;
    t->args = args;
    t->fiber = NEW_N(in->a, Fiber, t->n);
    for (int i = 0; i < t->n; i++)
        if (!(t->fiber[i].stack = malloc(STACK))) {
            free_stacks(t);
            return false;
        }
    return true;
}

/* The launch's geometry follows the arguments, as pass grid has it. */
Go
threads_run(Interp *in, IrFunc *f, const Input *args)
{
    Threads *t = NEW(in->a, Threads);
    if (!set_up(t, in, f, args)) {
        cannot(in, "a launch of this shape");
        return GO_STOP;
    }
    in->threads = t;
    level_enter(in, NULL, NULL)->stamp = ++in->stamps; /* blocks, and threads of one */
    level_enter(in, NULL, NULL);
    bool ok = true;
    int64_t blocks = t->grid[0] * t->grid[1] * t->grid[2], *order = shuffled(in, blocks);
    for (int64_t n = 0; ok && n < blocks; n++) {
        int64_t i = order ? order[n] : n;
        in->level[0].iter = (uint32_t)i;
        t->block[0] = i % t->grid[0];
        t->block[1] = i / t->grid[0] % t->grid[1];
        t->block[2] = i / (t->grid[0] * t->grid[1]);
        ok = run_block(t);
    }
    in->threads = NULL;
    in->n_levels = 0;
    free_stacks(t);
    in->out->unordered = !ok; /* what other threads had done by then */
    return in->stop ? GO_STOP : ok ? GO_RETURN : GO_ERROR;
}
