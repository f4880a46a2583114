/* SPDX-License-Identifier: BSD-3-Clause
 * Makes a kernel of a parallel loop: one thread for each iteration of the loop, and of the
 * independent loops that are all its body. Reductions: a bounded number of blocks, whose threads
 * take every so manieth iteration; partial results meet in a tree in the block's shared memory, and
 * those of the blocks on the host, in their order. How many blocks there are depends on the count
 * of iterations alone, so that a sum has the same bits whatever runs when. What is found along with
 * the greatest or least depends on the order: then a thread takes iterations that follow one
 * another, and the host looks at all threads. */
#include "pass/offload/nest.h"

enum { BLOCK = 256, MOST_BLOCKS = 1024, MOST_RUNS = 4096, EACH = 8, LONG_RUN = 64 };
/* ---- which loops ---------------------------------------------------------------------------- */

static bool
has_order(const IrStmt *s)
{
    for (int i = 0; i < s->n_reds; i++)
        if (s->reds[i].of)
            return true;
    return false;
}

/* A power of two, since the tree halves it. */
static int
block_of(int64_t asked, int least)
{
    int p = least;
    while (p < asked && p < OFFLOAD_WIDEST)
        p *= 2;
    return p;
}

int
offload_nest(const Outline *o, IrStmt **loop)
{
    int n = 0;
    for (IrStmt *s = o->loop; s && n < OFFLOAD_NEST; s = split_inner(o, s)) {
        loop[n++] = s;
        if (has_order(o->loop))
            break;
    }
    return n;
}

static void
find_nest(Nest *z)
{
    Outline *o = z->o;
    if (reds_arrays(o) && offload_atomic(o))
        offload_make_atomic(o);
    z->n = offload_nest(o, z->loop);
    for (int k = 0; k < z->n; k++)
        ir_is_const(z->loop[k]->idx[2], &z->step[k]);
    z->way = has_order(o->loop) ? RUNS
             : reds_arrays(o)   ? SWAPPED
             : o->loop->n_reds  ? STRIDED
                                : ONE_EACH;
    int64_t tpb = o->loop->sched ? o->loop->sched->tpb : 0;
    z->block = tpb > 0 ? block_of(tpb, 1) : BLOCK;
    if (z->way == SWAPPED)
        o->loop->n_reds = 0;
    if (!nest_shares(z))
        return;
    z->way = SHARED;
    z->block = block_of(tpb > 0 ? tpb : offload_width(z->loop[z->n - 1]), 32);
}

/* ---- on the host ----------------------------------------------------------------------------- */

static IrExpr *
number(Nest *z, int64_t v)
{
    return ir_int(z->w->cx, DT_i64, v);
}

static IrExpr *
named(Nest *z, const IrExpr *e)
{
    IrExpr *copy = ir_copy_expr(z->w->cx, e);
    return e->kind == IX_CONST ? copy : ir_use(z->w->cx, ir_temp(&z->o->out, copy));
}

/* ceil(a / b) of unsigned numbers, as i64 */
static IrExpr *
parts_of(Nest *z, IrExpr *a, int64_t b)
{
    Cx *cx = z->w->cx;
    if (b == 1)
        return a;
    IrExpr *up = ir_op(cx, OP_add, ir_cast(cx, DT_u64, a), ir_int(cx, DT_u64, b - 1));
    return ir_cast(cx, DT_i64, ir_op(cx, OP_tdiv, up, ir_int(cx, DT_u64, b)));
}

IrVar *
nest_trips(Nest *z, IrBuilder *b, IrExpr *lo, IrExpr *hi, int64_t step)
{
    Cx *cx = z->w->cx;
    IrExpr *from = step > 0 ? lo : hi, *to = step > 0 ? hi : lo;
    IrExpr *some = ir_op(cx, OP_lt, ir_copy_expr(cx, from), ir_copy_expr(cx, to));
    IrExpr *span = ir_op(cx, OP_sub, ir_copy_expr(cx, to), ir_copy_expr(cx, from));
    span = ir_use(cx, ir_temp(b, ir_op(cx, OP_select, some, span, number(z, 0))));
    return ir_temp(b, parts_of(z, span, step < 0 ? -step : step));
}

static void
count(Nest *z, int k)
{
    IrBuilder *b = &z->o->out;
    const IrStmt *s = z->loop[k];
    z->lo[k] = named(z, s->idx[0]);
    IrExpr *hi = named(z, s->idx[1]);
    if (z->way == SWAPPED && k == 0)
        z->stop = hi;
    else
        z->count[k] = nest_trips(z, b, z->lo[k], hi, z->step[k]);
}

/* Threads to launch, and the number of partial results; in f. */
static IrVar *
size_launch(Nest *z)
{
    Cx *cx = z->w->cx;
    IrBuilder *b = &z->o->out;
    IrExpr *n = NULL, *most;
    for (int k = 0; k < z->n; k++) {
        count(z, k);
        if (!z->count[k])
            continue;
        n = n ? ir_op(cx, OP_mul, n, ir_use(cx, z->count[k])) : ir_use(cx, z->count[k]);
    }
    z->total = ir_temp(b, n);
    z->o->chunks = z->total;
    if (z->way == ONE_EACH || z->way == SWAPPED)
        return z->total;
    if (z->way == SHARED)
        return ir_temp(b, ir_op(cx, OP_mul, ir_use(cx, z->total), number(z, z->block)));
    if (z->way == STRIDED) {
        most = ir_op(cx, OP_min, parts_of(z, ir_use(cx, z->total), (int64_t)z->block * EACH),
                     number(z, MOST_BLOCKS));
        z->o->chunks = ir_temp(b, most);
        return z->other =
                   ir_temp(b, ir_op(cx, OP_mul, ir_use(cx, z->o->chunks), number(z, z->block)));
    }
    most = ir_op(cx, OP_max, parts_of(z, ir_use(cx, z->total), MOST_RUNS), number(z, LONG_RUN));
    z->other = ir_temp(b, most);
    n = ir_op(cx, OP_add, ir_use(cx, z->total),
              ir_op(cx, OP_sub, ir_use(cx, z->other), number(z, 1)));
    return z->o->chunks = ir_temp(b, ir_op(cx, OP_tdiv, n, ir_use(cx, z->other)));
}

static IrVar *
send(Nest *z, IrVar *v, const char *name)
{
    outline_pass(z->o, NULL, ir_use(z->w->cx, v));
    return outline_param(z->o, v, name);
}

static void
send_sizes(Nest *z)
{
    for (int k = 0; k < z->n; k++) {
        if (z->lo[k]->var)
            z->lo[k] = ir_use(z->w->cx, send(z, z->lo[k]->var, "lo"));
        if (k > 0)
            z->count[k] = send(z, z->count[k], "n");
    }
    z->total = send(z, z->total, "n");
    if (z->stop && z->stop->var)
        z->stop = ir_use(z->w->cx, send(z, z->stop->var, "stop"));
    if (z->other)
        z->other = send(z, z->other, z->way == STRIDED ? "all" : "run");
}

/* ---- in the kernel --------------------------------------------------------------------------- */

static IrExpr *
thread_number(Nest *z)
{
    Cx *cx = z->w->cx;
    IrExpr *n = ir_op(cx, OP_mul, ir_geo(cx, GEO_BLOCK_X), number(z, z->block));
    return ir_op(cx, OP_add, n, ir_geo(cx, GEO_THREAD_X));
}

/* a / b of numbers from 0: by the shorter, cheaper division where both are small */
static IrVar *
divided(Nest *z, IrVar *a, IrVar *b)
{
    Cx *cx = z->w->cx;
    IrBuilder *in = &z->o->in;
    IrBlock *save = in->at;
    IrVar *q = ir_var(z->o->g, "q", DT_i64);
    IrStmt *s = ir_if(in, ir_op(cx, OP_lt, ir_use(cx, z->total), number(z, INT32_MAX)));
    in->at = &s->body;
    IrExpr *x = ir_cast(cx, DT_u32, ir_use(cx, a)), *y = ir_cast(cx, DT_u32, ir_use(cx, b));
    ir_set(in, q, ir_cast(cx, DT_i64, ir_op(cx, OP_tdiv, x, y)));
    in->at = &s->els;
    ir_set(in, q, ir_op(cx, OP_tdiv, ir_use(cx, a), ir_use(cx, b)));
    in->at = save;
    return q;
}

/* The numbers of the iteration in each loop. */
static void
take_apart(Nest *z, IrVar **index)
{
    Cx *cx = z->w->cx;
    IrVar *left = z->at;
    int first = z->way == SWAPPED;
    for (int k = z->n - 1; k > first; k--) {
        IrVar *q = divided(z, left, z->count[k]);
        IrExpr *whole = ir_op(cx, OP_mul, ir_use(cx, q), ir_use(cx, z->count[k]));
        index[k] = ir_temp(&z->o->in, ir_op(cx, OP_sub, ir_use(cx, left), whole));
        left = q;
    }
    index[first] = left;
}

void
nest_copy(Nest *z, IrBlock b)
{
    if (!b.first || !b.last)
        return;
    IrStmt *next = b.last->next;
    b.last->next = NULL;
    IrBlock copy = ir_clone_block(z->o->g, &b, &z->o->to);
    b.last->next = next;
    reds_relax(z->o, &copy);
    offload_adopt(z->w, &copy);
    ir_move_all(z->o->in.at, &copy);
}

static bool
continues(IrBlock *b)
{
    for (IrStmt *s = b->first; s; s = s->next) {
        IrBlock *sub[IR_MAX_BLOCKS];
        if (s->kind == IS_CONTINUE)
            return true;
        int n = ir_does(s, ST_REPEATS) ? 0 : ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (continues(sub[i]))
                return true;
    }
    return false;
}

static void
one_iteration(Nest *z)
{
    Cx *cx = z->w->cx;
    Outline *o = z->o;
    IrBlock *save = o->in.at;
    IrVar *index[OFFLOAD_NEST];
    take_apart(z, index);
    /* to the end of a loop that runs once */
    if (z->way != SWAPPED && z->way != SHARED && continues(&z->loop[z->n - 1]->body))
        o->in.at =
            &ir_loop(&o->in, LOOP_SEQ, ir_var(o->g, "once", DT_i64), number(z, 0), number(z, 1), 1)
                 ->body;
    for (int k = 0; k < z->n; k++) {
        IrStmt *s = z->loop[k], *last = k + 1 < z->n ? z->loop[k + 1] : NULL;
        IrVar *v = ir_var(o->g, s->var->name, (DType)s->var->dtype);
        map_put(&cx->arena, &o->to, s->var, v);
        if (z->way == SWAPPED && k == 0) {
            IrStmt *in_order =
                ir_loop(&o->in, LOOP_SEQ, v, ir_copy_expr(cx, z->lo[k]), z->stop, z->step[k]);
            o->in.at = &in_order->body;
        } else {
            IrExpr *e = ir_op(cx, OP_mul, ir_use(cx, index[k]), number(z, z->step[k]));
            e = ir_op(cx, OP_add, ir_copy_expr(cx, z->lo[k]), e);
            ir_set(&o->in, v, ir_cast(cx, (DType)v->dtype, e));
        }
        if (z->way == SHARED && !last)
            nest_share(z);
        else
            nest_copy(z, (IrBlock){last == s->body.first ? NULL : s->body.first,
                                   last ? last->prev : s->body.last});
    }
    o->in.at = save;
}

static void
one_each(Nest *z)
{
    Cx *cx = z->w->cx;
    Outline *o = z->o;
    if (z->way == SHARED) {
        z->at = ir_temp(&o->in, ir_geo(cx, GEO_BLOCK_X));
        one_iteration(z);
        return;
    }
    z->at = ir_temp(&o->in, thread_number(z));
    o->in.at = &ir_if(&o->in, ir_op(cx, OP_lt, ir_use(cx, z->at), ir_use(cx, z->total)))->body;
    one_iteration(z);
    o->last =
        ir_op(cx, OP_eq, ir_use(cx, z->at), ir_op(cx, OP_sub, ir_use(cx, z->total), number(z, 1)));
    reds_end(o);
}

/* at = -1; next = my first; while next < end: at = next; next += by; ... */
static void
run_through(Nest *z, IrExpr *first, IrExpr *end, IrExpr *by)
{
    Cx *cx = z->w->cx;
    Outline *o = z->o;
    IrBlock *save = o->in.at;
    z->at = ir_var(o->g, "at", DT_i64);
    IrVar *next = ir_var(o->g, "next", DT_i64);
    ir_set(&o->in, z->at, number(z, -1));
    ir_set(&o->in, next, first);
    IrStmt *s = ir_while(&o->in);
    s->e = ir_op(cx, OP_lt, ir_use(cx, next), end);
    o->in.at = &s->body;
    ir_set(&o->in, z->at, ir_use(cx, next));
    ir_set(&o->in, next, ir_op(cx, OP_add, ir_use(cx, next), by));
    one_iteration(z);
    o->in.at = save;
    o->last =
        ir_op(cx, OP_eq, ir_use(cx, z->at), ir_op(cx, OP_sub, ir_use(cx, z->total), number(z, 1)));
}

/* Made once, at the kernel's start, and used for one reduction after the other. */
static IrVar *
shared_array(Nest *z, const IrVar *like, int number_of)
{
    Outline *o = z->o;
    IrVar **known = &z->tree[number_of % OFFLOAD_TREES];
    bool spare = number_of < OFFLOAD_TREES;
    if (spare && *known && (*known)->dtype == like->dtype)
        return *known;
    IrVar *a = ir_array_var(o->g, "tree", (DType)like->dtype, 1, LAY_C);
    IrExpr *n = number(z, z->block);
    IrBlock *save = o->in.at, first = {0};
    a->space = SPACE_SHARED;
    a->noalias = true;
    a->owned = false;
    o->in.at = &first;
    ir_alloc(&o->in, a, &n, LAY_C, false);
    o->in.at = save;
    IrStmt *s = first.first;
    s->prev = s->next = NULL;
    ir_insert_before(&o->g->body, o->g->body.first, s);
    if (spare && !*known)
        *known = a;
    return a;
}

void
nest_barrier(Nest *z)
{
    ir_barrier(&z->o->in, BAR_BLOCK, VOTE_NONE, NULL, NULL);
}

static void
tree_step(Nest *z, const IrStmt *s, IrVar **tree, IrVar *me, int half)
{
    Cx *cx = z->w->cx;
    Outline *o = z->o;
    IrBlock *save = o->in.at;
    nest_barrier(z);
    o->in.at = &ir_if(&o->in, ir_op(cx, OP_lt, ir_use(cx, me), number(z, half)))->body;
    for (int i = 0; i < s->n_reds; i++) {
        IrExpr *at = ir_use(cx, me), *to = ir_use(cx, me);
        IrExpr *far = ir_op(cx, OP_add, ir_use(cx, me), number(z, half));
        IrExpr *a = ir_load(cx, tree[i], 1, &at), *b = ir_load(cx, tree[i], 1, &far);
        ir_store(&o->in, tree[i], 1, &to, ir_reduce_combined(cx, s->reds[i].op, a, b));
    }
    o->in.at = save;
}

IrVar **
nest_tree(Nest *z, const IrStmt *s)
{
    Cx *cx = z->w->cx;
    Outline *o = z->o;
    IrVar **tree = NEW_N(&cx->arena, IrVar *, s->n_reds + 1);
    IrVar *me = ir_temp(&o->in, ir_geo(cx, GEO_THREAD_X));
    for (int i = 0; i < s->n_reds; i++) {
        IrExpr *at = ir_use(cx, me);
        tree[i] = shared_array(z, s->reds[i].var, i);
        ir_store(&o->in, tree[i], 1, &at, ir_use(cx, map_get(&o->to, s->reds[i].var)));
    }
    for (int half = z->block / 2; half > 0; half /= 2)
        tree_step(z, s, tree, me, half);
    return tree;
}

/* The block's results become its partial ones. */
static void
reduce_block(Nest *z)
{
    Cx *cx = z->w->cx;
    Outline *o = z->o;
    IrVar **tree = nest_tree(z, o->loop);
    IrBlock *save = o->in.at;
    o->in.at = &ir_if(&o->in, ir_op(cx, OP_eq, ir_geo(cx, GEO_THREAD_X), number(z, 0)))->body;
    for (int i = 0; i < o->loop->n_reds; i++) {
        IrExpr *first = number(z, 0), *at = ir_use(cx, o->g->vars.at[0]);
        ir_store(&o->in, o->red[i].in_g, 1, &at, ir_load(cx, tree[i], 1, &first));
    }
    o->in.at = save;
}

static void
strided(Nest *z)
{
    Cx *cx = z->w->cx;
    Outline *o = z->o;
    ir_set(&o->in, o->g->vars.at[0], ir_geo(cx, GEO_BLOCK_X));
    reds_begin(o);
    run_through(z, thread_number(z), ir_use(cx, z->total), ir_use(cx, z->other));
    IrStmt whole = *o->loop;
    /* values wanted after the loop, of the thread that had its last iteration */
    o->loop->n_reds = 0;
    reds_end(o);
    o->loop->n_reds = whole.n_reds;
    reduce_block(z);
}

static void
runs(Nest *z)
{
    Cx *cx = z->w->cx;
    Outline *o = z->o;
    IrVar *c = o->g->vars.at[0];
    ir_set(&o->in, c, thread_number(z));
    IrVar *first = ir_temp(&o->in, ir_op(cx, OP_mul, ir_use(cx, c), ir_use(cx, z->other)));
    o->in.at = &ir_if(&o->in, ir_op(cx, OP_lt, ir_use(cx, first), ir_use(cx, z->total)))->body;
    IrExpr *end = ir_op(cx, OP_add, ir_use(cx, first), ir_use(cx, z->other));
    IrVar *stop = ir_temp(&o->in, ir_op(cx, OP_min, end, ir_use(cx, z->total)));
    reds_begin(o);
    run_through(z, ir_use(cx, first), ir_use(cx, stop), number(z, 1));
    reds_end(o);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void
put_launch(Nest *z, IrVar *threads)
{
    Outline *o = z->o;
    IrStmt *s = ir_append(&o->out, IS_LAUNCH);
    s->func = o->g;
    s->n = z->w->kernels;
    s->n_idx = 2;
    s->idx = NEW_N(&o->cx->arena, IrExpr *, 2);
    s->idx[0] = ir_use(o->cx, threads);
    s->idx[1] = number(z, z->block);
    s->args = o->args.at;
    s->n_args = o->args.n;
    o->f->may_raise = true;
}

static void
remark(const Nest *z)
{
    const IrStmt *s = z->o->loop;
    const char *nest = z->n == 3 ? " of three loops" : z->n == 2 ? " of two loops" : "";
    const char *how =
        z->way == SHARED ? "a block of threads for each iteration, which shares the loops inside"
        : z->way == ONE_EACH ? "a thread for each iteration"
        : z->way == SWAPPED  ? "a thread for each element of the result, through the loop in order,"
        : z->way == STRIDED  ? "partial results combined in each block, then over the blocks"
                             : "in runs, whose results are combined in order";
    pass_remark(z->w->p, REMARK_offload_runs, s->at, "%s%s", how, nest);
}

void
offload_make(Off *w, Outline *o)
{
    Cx *cx = w->cx;
    Nest z = {.w = w, .o = o};
    find_nest(&z);
    IrVar *threads = size_launch(&z);
    o->g = ir_func(w->dev, arena_printf(&cx->arena, "swathe_k%d", w->kernels));
    o->g->at = o->loop->at;
    o->g->kernel = true;
    o->in = (IrBuilder){.cx = cx, .mod = w->dev, .f = o->g, .at = &o->g->body, .span = o->loop->at};
    outline_param(o, ir_var(o->f, "c", DT_i64), "c");
    outline_pass(o, NULL, number(&z, 0));
    send_sizes(&z);
    outline_capture(o);
    reds_alloc(o);
    outline_locals(o);
    if (z.way == ONE_EACH || z.way == SWAPPED || z.way == SHARED)
        one_each(&z);
    else if (z.way == STRIDED)
        strided(&z);
    else
        runs(&z);
    put_launch(&z, threads);
    reds_combine(o);
    remark(&z);
    w->kernels++;
}
