/* SPDX-License-Identifier: BSD-3-Clause
 * Loops with the stride of a block or of the grid: takes a kernel's body, and has the threads of a
 * block take each step together, as if there were a barrier. Neighbours look at neighbouring elements
 * at the same time; one thread after the other would walk through all memory again and again.
 *   while i < n { ...; i += stride }        a barrier at the start of the body
 *   loop k in 0 .. trips { i = a + k * stride; ... }    as many steps as the first thread has, in
 *                                           each of them the threads for which a + k * stride < n
 *   loop i in a .. n step stride { ... }    becomes one of these */
#include "pass/grid.h"

typedef struct Stride {
    Grid *g;
    Cx *cx;
    GridVary *v;
    int n;
    int *defs; /* by variable */
    IrStmt **def;
    IrStmt *now;
} Stride;

/* ---- while ------------------------------------------------------------------------------------- */

/* v = v + stride, which is that of a row of threads at least. */
static bool
is_stride(const IrStmt *s, const IrVar *v)
{
    int64_t k;
    if (s->kind != IS_SET || s->var != v || s->e->kind != IX_OP || s->e->op != OP_add ||
        s->e->dtype != DT_i64)
        return false;
    const IrExpr *a = s->e->arg[0], *b = s->e->arg[1];
    const IrExpr *by = a->kind == IX_VAR && a->var == v ? b : b->kind == IX_VAR && b->var == v ? a : NULL;
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

/* ---- what variables are made from ---------------------------------------------------------------- */

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
    bool once = e->kind == IX_VAR && e->var->id < s->n && s->defs[e->var->id] == 1 && !e->var->is_param;
    const IrStmt *d = once ? s->def[e->var->id] : NULL;
    if (d && d->kind == IS_SET && depth < 8 && !grid_loads(d->e))
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
        return k > 0;
    }
    if (e->kind == IX_GEO) {
        *row |= e->axis == GEO_BLOCK_DIM_X;
        return e->axis <= GEO_GRID_Z || (e->axis >= GEO_BLOCK_DIM_X && e->axis <= GEO_BLOCK_DIM_Z);
    }
    return e->kind == IX_OP && e->op == OP_mul && is_extent(e->arg[0], row) && is_extent(e->arg[1], row);
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

/* e for thread (0, 0, 0), where no thread has less; else NULL. */
static IrExpr *
first_thread(Stride *s, const IrExpr *e)
{
    bool row;
    if (!has_thread(e))
        return grid_varies(s->v, e) || grid_loads(e) ? NULL : ir_copy_expr(s->cx, e);
    if (e->kind == IX_GEO)
        return e->axis == GEO_LANE ? NULL : ir_int(s->cx, DT_i64, 0);
    if (e->kind != IX_OP || (e->op != OP_add && e->op != OP_mul))
        return NULL;
    const IrExpr *a = e->arg[0], *b = e->arg[1];
    if (e->op == OP_mul && !(has_thread(a) ? is_extent(b, &row) : is_extent(a, &row)))
        return NULL;
    IrExpr *x = first_thread(s, a), *y = first_thread(s, b);
    return x && y ? ir_op(s->cx, (IrOp)e->op, x, y) : NULL;
}

/* ---- for ------------------------------------------------------------------------------------------ */

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
    pass_remark(s->g->p, "grid", "steps taken together", loop->at,
                "the threads of a block take each step side by side: neighbours touch neighbours");
}

static bool
take_together(Stride *s, IrBlock *b, IrStmt *loop)
{
    Cx *cx = s->cx;
    Range r;
    bool row = false, plain = is_plain_range(s, loop, &r);
    IrStmt *def = plain ? NULL : trips_of(s, loop);
    if ((!plain && (!def || !is_range(def->e, &r))) || !is_extent(expand(s, r.step, 0), &row) || !row ||
        grid_varies(s->v, r.stop) || grid_waits(loop) || grid_jumps(&loop->body))
        return false;
    IrExpr *start = expand(s, r.start, 0), *least = has_thread(start) ? first_thread(s, start) : NULL;
    if (!least)
        return false;
    IrStmt *most = ir_stmt(cx, IS_SET, loop->at), *test = ir_stmt(cx, IS_IF, loop->at);
    IrExpr *span = ir_op(cx, OP_sub, least, ir_copy_expr(cx, r.stop));
    most->var = ir_var(s->g->f, "steps", DT_i64);
    most->e = ir_op(cx, OP_max, ir_op(cx, OP_neg, ir_op(cx, OP_floordiv, span, ir_copy_expr(cx, r.step))),
                    ir_int(cx, DT_i64, 0));
    ir_insert_before(b, loop, most);
    if (plain)
        count_steps(s, loop, r.start);
    loop->idx[1] = ir_use(cx, most->var);
    IrExpr *i = ir_op(cx, OP_mul, ir_use(cx, loop->var), ir_copy_expr(cx, r.step));
    i = ir_op(cx, OP_add, ir_copy_expr(cx, r.start), i);
    test->e = ir_op(cx, OP_lt, i, ir_copy_expr(cx, r.stop));
    ir_move_all(&test->body, &loop->body);
    ir_insert_before(&loop->body, NULL, ir_stmt(cx, IS_BARRIER, loop->at));
    ir_insert_before(&loop->body, NULL, test);
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
        bool apart = parted || map_get(&s->v->apart, t) || (t->kind == IS_IF && grid_varies(s->v, t->e));
        bool inside = t->kind == IS_IF || ((t->kind == IS_LOOP || t->kind == IS_WHILE) && grid_waits(t));
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
