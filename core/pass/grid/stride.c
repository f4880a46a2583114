/* SPDX-License-Identifier: BSD-3-Clause
 * Loops with the stride of a block or of the grid: takes a kernel's body, and has the threads of a
 * block take each step together, as if there were a barrier. Neighbours look at neighbouring
 * elements at the same time; one thread after the other would walk through all memory again and
 * again.
 *   while i < n { ...; i += stride }        a barrier at the start of the body
 *   loop k in 0 .. trips { i = a + k * stride; ... }    as many steps as the first thread has, in
 *                                           each of them the threads for which a + k * stride < n;
 *                                           those that all threads take in a loop of their own
 *   loop i in a .. n step stride { ... }    becomes one of these */
#include "pass/grid/grid.h"

enum { SMALL = 40 }; /* statements that may be there twice */

/* With the steps of threads, which are no longer, no loop comes near the ends of int64, where sums
 * of a start and steps wrap. */
enum { LONGEST = 1 << 20 };

typedef struct Stride {
    Grid *g;
    Cx *cx;
    GridVary *v;
    int n;
    int *defs; /* by variable */
    IrStmt **def;
    IrStmt *now;
} Stride;

/* ---- while ----------------------------------------------------------------------------------- */

/* v = v + stride, which is that of a row of threads at least. */
static bool
is_stride(const IrStmt *s, const IrVar *v)
{
    int64_t k;
    if (s->kind != IS_SET || s->var != v || s->e->kind != IX_OP || s->e->op != OP_add ||
        s->e->dtype != DT_i64)
        return false;
    const IrExpr *a = s->e->arg[0], *b = s->e->arg[1];
    const IrExpr *by = ir_is_var(a, v) ? b : ir_is_var(b, v) ? a : NULL;
    return by && (!ir_is_const(by, &k) || k >= WARP_SIZE);
}

static bool
walks_the_grid(const IrStmt *s, const IrExpr *e)
{
    for (int i = 0; i < e->n; i++)
        if (walks_the_grid(s, e->arg[i]))
            return true;
    if (e->kind == IX_VAR && e->dtype == DT_i64)
        for (const IrStmt *t = s->body.first; t; t = t->next)
            if (is_stride(t, e->var))
                return true;
    return false;
}

/* ---- what variables are made from ------------------------------------------------------------ */

static void
note_def(IrVar *v, void *arg)
{
    Stride *s = arg;
    s->defs[v->id]++;
    s->def[v->id] = s->now;
}

static void
note_defs(IrBlock *b, IrStmt *t, void *arg)
{
    Stride *s = arg;
    (void)b;
    s->now = t;
    ir_walk_defs(t, note_def, s);
}

/* e with variables that are set once by what they are set to. */
static IrExpr *
expand(Stride *s, const IrExpr *e, int depth)
{
    bool once =
        e->kind == IX_VAR && e->var->id < s->n && s->defs[e->var->id] == 1 && !e->var->is_param;
    const IrStmt *d = once ? s->def[e->var->id] : NULL;
    if (d && d->kind == IS_SET && depth < 8 && !ir_loads(d->e))
        return expand(s, d->e, depth + 1);
    IrExpr *c = ir_copy_expr(s->cx, e);
    for (int i = 0; i < e->n; i++)
        c->arg[i] = expand(s, e->arg[i], depth);
    return c->kind == IX_OP ? ir_opv(s->cx, (IrOp)c->op, c->arg) : c;
}

/* Not below 0, and the same for all: numbers of threads and blocks, and products of them. Is a
 * row of threads in it? */
static bool
is_extent(const IrExpr *e, bool *row)
{
    int64_t k;
    if (ir_is_const(e, &k)) {
        *row |= k >= WARP_SIZE;
        return k > 0 && k <= LONGEST;
    }
    if (e->kind == IX_GEO) {
        *row |= e->axis == GEO_BLOCK_DIM_X;
        return e->axis <= GEO_GRID_Z || (e->axis >= GEO_BLOCK_DIM_X && e->axis <= GEO_BLOCK_DIM_Z);
    }
    return e->kind == IX_OP && e->op == OP_mul && is_extent(e->arg[0], row) &&
           is_extent(e->arg[1], row);
}

static bool
has_thread(const IrExpr *e)
{
    if (e->kind == IX_GEO)
        return (e->axis >= GEO_THREAD_X && e->axis <= GEO_THREAD_Z) || e->axis == GEO_LANE;
    for (int i = 0; i < e->n; i++)
        if (has_thread(e->arg[i]))
            return true;
    return false;
}

/* e for thread (0, 0, 0), where no thread has less; or for the last one, which has most; else
 * NULL. */
static IrExpr *
extreme_thread(Stride *s, const IrExpr *e, bool last)
{
    bool row;
    if (!has_thread(e))
        return grid_varies(s->v, e) || ir_loads(e) ? NULL : ir_copy_expr(s->cx, e);
    if (e->kind == IX_GEO && e->axis == GEO_LANE)
        return NULL;
    if (e->kind == IX_GEO && last)
        return ir_op(s->cx, OP_sub, ir_copy_expr(s->cx, s->g->dim[e->axis - GEO_THREAD_X]),
                     ir_int(s->cx, DT_i64, 1));
    if (e->kind == IX_GEO)
        return ir_int(s->cx, DT_i64, 0);
    if (e->kind != IX_OP || (e->op != OP_add && e->op != OP_mul))
        return NULL;
    const IrExpr *a = e->arg[0], *b = e->arg[1];
    if (e->op == OP_mul && !(has_thread(a) ? is_extent(b, &row) : is_extent(a, &row)))
        return NULL;
    IrExpr *x = extreme_thread(s, a, last), *y = extreme_thread(s, b, last);
    return x && y ? ir_op(s->cx, (IrOp)e->op, x, y) : NULL;
}

/* ---- for ------------------------------------------------------------------------------------- */

typedef struct Range {
    IrExpr *start, *stop, *step;
} Range;

static const IrExpr *
arg_of(const IrExpr *e, IrOp op, int i)
{
    return e && e->kind == IX_OP && e->op == op ? e->arg[i] : NULL;
}

/* The number of steps as lower writes it: max(-((start - stop) // step), 0) */
static bool
is_range(const IrExpr *trips, Range *r)
{
    const IrExpr *n = arg_of(arg_of(trips, OP_max, 0), OP_neg, 0);
    const IrExpr *span = arg_of(n, OP_floordiv, 0);
    r->start = (IrExpr *)arg_of(span, OP_sub, 0);
    r->stop = (IrExpr *)arg_of(span, OP_sub, 1);
    r->step = (IrExpr *)arg_of(n, OP_floordiv, 1);
    return r->start && r->step;
}

typedef struct Fixed {
    const IrFunc *f;
    const IrBlock *body;
    bool ok;
    IrEffects fx;
} Fixed;

static bool
fixed_expr(IrExpr **e, void *arg)
{
    Fixed *x = arg;
    x->ok &= !((*e)->var && ir_in(x->fx.sets, (*e)->var)) && (*e)->kind != IX_LOAD;
    return x->ok;
}

/* What the trips are made from is the same from there to the end of the loop. */
static bool
stays(Stride *s, IrStmt *def, IrStmt *loop)
{
    for (IrStmt *t = def->next;; t = t->next) {
        Fixed x = {.ok = true, .fx = ir_effects_stmt(s->g->f, t)};
        ir_walk_expr(&def->e, fixed_expr, &x);
        if (!x.ok)
            return false;
        if (t == loop)
            return true;
    }
}

static IrStmt *
trips_of(Stride *s, IrStmt *loop)
{
    const IrExpr *hi = loop->idx[1];
    int64_t lo, step;
    if (!ir_is_const(loop->idx[0], &lo) || lo || !ir_is_const(loop->idx[2], &step) || step != 1 ||
        hi->kind != IX_VAR || hi->var->id >= s->n || s->defs[hi->var->id] != 1)
        return NULL;
    IrStmt *t = loop->prev;
    while (t && t != s->def[hi->var->id])
        t = t->prev;
    return t && t->kind == IS_SET && stays(s, t, loop) ? t : NULL;
}

/* i in a .. n step stride: is it the same range whenever one looks, while the loop runs? */
static bool
is_plain_range(Stride *s, IrStmt *loop, Range *r)
{
    int64_t step;
    Fixed x = {.ok = true, .fx = ir_effects_stmt(s->g->f, loop)};
    if (loop->var->dtype != DT_i64 || !ir_is_const(loop->idx[2], &step) || step < WARP_SIZE)
        return false;
    *r = (Range){loop->idx[0], loop->idx[1], loop->idx[2]};
    ir_walk_expr(&loop->idx[0], fixed_expr, &x);
    ir_walk_expr(&loop->idx[1], fixed_expr, &x);
    return x.ok;
}

/* The loop counts steps; its variable is made from them. */
static void
count_steps(Stride *s, IrStmt *loop, const IrExpr *start)
{
    Cx *cx = s->cx;
    IrStmt *set = ir_stmt(cx, IS_SET, loop->at);
    set->var = loop->var;
    loop->var = ir_var(s->g->f, "step", DT_i64);
    set->e = ir_op(cx, OP_mul, ir_use(cx, loop->var), loop->idx[2]);
    set->e = ir_op(cx, OP_add, ir_copy_expr(cx, start), set->e);
    loop->idx[0] = ir_int(cx, DT_i64, 0);
    loop->idx[2] = ir_int(cx, DT_i64, 1);
    ir_insert_before(&loop->body, loop->body.first, set);
}

static void
tell(Stride *s, const IrStmt *loop)
{
    pass_remark(s->g->p, REMARK_grid_together, loop->at,
                "the threads of a block take each step side by side: neighbours touch neighbours");
}

/* v = -((start - max(stop, start)) // step): how often a thread runs the loop; set before it. A
 * thread starts at no large number, so that this is right for all that stop may be. */
static IrVar *
count_trips(Stride *s, IrBlock *b, IrStmt *loop, const char *name, IrExpr *start, const Range *r)
{
    Cx *cx = s->cx;
    IrStmt *set = ir_stmt(cx, IS_SET, loop->at);
    IrExpr *stop = ir_op(cx, OP_max, ir_copy_expr(cx, r->stop), ir_copy_expr(cx, start));
    IrExpr *span = ir_op(cx, OP_sub, start, stop);
    set->var = ir_var(s->g->f, name, DT_i64);
    set->e = ir_op(cx, OP_neg, ir_op(cx, OP_floordiv, span, ir_copy_expr(cx, r->step)));
    set->e = ir_op(cx, OP_max, set->e, ir_int(cx, DT_i64, 0));
    ir_insert_before(b, loop, set);
    return set->var;
}

static void
count_stmt(IrBlock *b, IrStmt *t, void *arg)
{
    (void)b;
    (void)t;
    ++*(int *)arg;
}

/* The loop's body becomes: a barrier, and `test` around or before what there was. */
static void
put_test(Stride *s, IrStmt *loop, IrStmt *test)
{
    IrBlock rest = {0};
    ir_move_all(test->kind == IS_IF ? &test->body : &rest, &loop->body);
    ir_insert_before(&loop->body, NULL, ir_stmt(s->cx, IS_BARRIER, loop->at));
    ir_insert_before(&loop->body, NULL, test);
    ir_move_all(&loop->body, &rest);
}

/* start + k * step < stop */
static IrStmt *
in_range(Stride *s, IrStmtKind kind, const IrStmt *loop, const Range *r)
{
    Cx *cx = s->cx;
    IrStmt *t = ir_stmt(cx, kind, loop->at);
    IrExpr *i = ir_op(cx, OP_mul, ir_use(cx, loop->var), ir_copy_expr(cx, r->step));
    t->e = ir_op(cx, OP_lt, ir_op(cx, OP_add, ir_copy_expr(cx, r->start), i),
                 ir_copy_expr(cx, r->stop));
    return t;
}

/* A loop before it, of the steps that all threads take. */
static void
full_steps(Stride *s, IrBlock *b, IrStmt *loop, IrExpr *start, const Range *r)
{
    int size = 0;
    IrExpr *most = extreme_thread(s, start, true);
    ir_walk_block(&loop->body, count_stmt, &size);
    if (!most || size > SMALL)
        return;
    IrVar *full = count_trips(s, b, loop, "full", most, r);
    IrStmt one = *loop;
    one.prev = one.next = NULL;
    IrBlock from = {&one, &one}, copy = ir_clone_block(s->g->f, &from, NULL);
    IrStmt *all = copy.first;
    all->idx[1] = ir_use(s->cx, full);
    put_test(s, all, in_range(s, IS_ASSUME, all, r));
    ir_insert_before(b, loop, all);
    loop->idx[0] = ir_use(s->cx, full);
}

static bool
take_together(Stride *s, IrBlock *b, IrStmt *loop)
{
    Range r;
    bool row = false, plain = is_plain_range(s, loop, &r);
    IrStmt *def = plain ? NULL : trips_of(s, loop);
    if ((!plain && (!def || !is_range(def->e, &r))) || !is_extent(expand(s, r.step, 0), &row) ||
        !row || grid_varies(s->v, r.stop) || grid_waits(loop) || grid_jumps(&loop->body))
        return false;
    IrExpr *start = expand(s, r.start, 0),
           *least = has_thread(start) ? extreme_thread(s, start, false) : NULL;
    if (!least)
        return false;
    IrVar *most = count_trips(s, b, loop, "steps", least, &r);
    if (plain)
        count_steps(s, loop, r.start);
    loop->idx[1] = ir_use(s->cx, most);
    full_steps(s, b, loop, start, &r);
    put_test(s, loop, in_range(s, IS_IF, loop, &r));
    VEC_PUSH(&s->cx->arena, s->g->steps, loop->var);
    tell(s, loop);
    return true;
}

static void
look(Stride *s, IrBlock *b, bool parted)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *t = b->first; t; t = t->next) {
        if (t->kind == IS_LOOP && !parted && take_together(s, b, t))
            continue;
        bool apart =
            parted || map_get(&s->v->apart, t) || (t->kind == IS_IF && grid_varies(s->v, t->e));
        bool inside = t->kind == IS_IF || (ir_does(t, ST_REPEATS) && grid_waits(t));
        int n = inside ? ir_blocks(t, sub) : 0;
        for (int i = 0; i < n; i++)
            look(s, sub[i], apart);
        if (t->kind != IS_WHILE || !walks_the_grid(t, t->e))
            continue;
        tell(s, t);
        ir_insert_before(&t->body, t->body.first, ir_stmt(s->cx, IS_BARRIER, t->at));
    }
}

void
grid_stride(Grid *g, IrBlock *body)
{
    Stride s = {.g = g, .cx = g->cx, .v = grid_vary(g, body), .n = g->f->vars.n};
    s.defs = NEW_N(&g->cx->arena, int, s.n + 1);
    s.def = NEW_N(&g->cx->arena, IrStmt *, s.n + 1);
    ir_walk_block(body, note_defs, &s);
    look(&s, body, false);
}
