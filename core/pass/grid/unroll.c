/* SPDX-License-Identifier: BSD-3-Clause
 * Loops with barriers inside that run a few times, known here, as the steps of a reduction in
 * shared memory do: takes a kernel's body, yields one copy for each time, with numbers for what
 * counts. Then each step is a loop over a known number of threads.
 *   k = 2; while k > 0 { if t < k { A }; barrier; k = k // 2 }
 *   if t < 2 { A }; barrier; k = 1; if t < 1 { A }; barrier; k = 0 */
#include "pass/grid/grid.h"

enum { MOST_TRIPS = 12, MOST_STATEMENTS = 160 };

typedef struct Put { /* a number for a variable */
    Grid *g;
    const IrVar *v;
    int64_t value;
    int count;
} Put;

/* A copy of e with numbers for the variable and for the size of the block. */
static IrExpr *
numbers(const Put *p, const IrExpr *e)
{
    Cx *cx = p->g->cx;
    int64_t n;
    if (ir_is_var(e, p->v))
        return ir_int(cx, (DType)e->dtype, p->value);
    bool dim = e->kind == IX_GEO && e->axis >= GEO_BLOCK_DIM_X && e->axis <= GEO_BLOCK_DIM_Z;
    if (dim && ir_is_const(p->g->dim[e->axis - GEO_BLOCK_DIM_X], &n))
        return ir_int(cx, DT_i64, n);
    IrExpr *c = arena_dup(&cx->arena, e, sizeof *e);
    c->arg = e->n ? NEW_N(&cx->arena, IrExpr *, e->n) : NULL;
    bool whole = true;
    for (int i = 0; i < e->n; i++) {
        c->arg[i] = numbers(p, e->arg[i]);
        whole &= dtype_is_int((DType)c->arg[i]->dtype) || c->arg[i]->dtype == DT_bool;
    }
    return c->kind == IX_OP && whole ? ir_opv(cx, (IrOp)c->op, c->arg) : c;
}

static bool
put_expr(IrExpr **e, void *arg)
{
    *e = numbers(arg, *e);
    return false;
}

static void
count_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    (void)s;
    ((Put *)arg)->count++;
}

static bool
is_small(Grid *g, IrStmt *s, int trips)
{
    Put p = {.g = g};
    ir_walk_block(&s->body, count_stmt, &p);
    return trips <= MOST_TRIPS && p.count * trips <= MOST_STATEMENTS;
}

static void
tell(Grid *g, const IrStmt *s, int trips)
{
    pass_remark(g->p, REMARK_grid_unrolled, s->at,
                "%d steps, each with the threads that have work in it", trips);
}

/* ---- a loop that counts ---------------------------------------------------------------------- */

static bool
unroll_for(Grid *g, IrBlock *b, IrStmt *s)
{
    Put p = {.g = g};
    int64_t lo, hi, step;
    if (!ir_is_const(numbers(&p, s->idx[0]), &lo) || !ir_is_const(numbers(&p, s->idx[1]), &hi) ||
        !ir_is_const(s->idx[2], &step) || step != 1 || lo < 0 || hi > INT32_MAX ||
        !is_small(g, s, hi - lo > MOST_TRIPS ? MOST_TRIPS + 1 : (int)(hi - lo)))
        return false;
    p.v = s->var;
    tell(g, s, (int)(hi - lo));
    for (p.value = lo; p.value < hi; p.value++) {
        IrBlock copy = ir_clone_block(g->f, &s->body, NULL);
        for (IrStmt *t = copy.first, *next; t; t = next) {
            next = t->next;
            ir_remove(&copy, t);
            ir_walk_exprs_in(t, put_expr, &p);
            ir_insert_before(b, s, t);
        }
    }
    ir_remove(b, s);
    return true;
}

/* ---- a while over a variable of which each value is known ------------------------------------ */

typedef struct Only {
    const IrVar *v;
    int n;
    bool other;
} Only;

static bool
only_expr(IrExpr **e, void *arg)
{
    Only *o = arg;
    if ((*e)->var && !o->v && (*e)->kind == IX_VAR)
        o->v = (*e)->var;
    o->other |= (*e)->kind == IX_LOAD || ((*e)->var && (*e)->var != o->v);
    return !o->other;
}

static void
count_def(IrVar *v, void *arg)
{
    Only *o = arg;
    o->n += v == o->v;
}

static void
count_defs(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_defs(s, count_def, arg);
}

/* The one statement of the body that sets v; NULL: there are more, or it is deeper. */
static IrStmt *
update_of(IrStmt *s, const IrVar *v)
{
    Only o = {.v = v}, in = {.v = v};
    IrStmt *found = NULL;
    ir_walk_block(&s->body, count_defs, &o);
    for (IrStmt *t = s->body.first; t; t = t->next)
        if (t->kind == IS_SET && t->var == v)
            found = t;
    if (o.n != 1 || !found)
        return NULL;
    ir_walk_expr(&found->e, only_expr, &in);
    return in.other ? NULL : found;
}

static bool
starts_at(Put *p, const IrStmt *s)
{
    for (const IrStmt *t = s->prev; t; t = t->prev) {
        if (t->kind == IS_SET && t->var == p->v) {
            Put none = {.g = p->g};
            return ir_is_const(numbers(&none, t->e), &p->value);
        }
        IrEffects fx = ir_effects_stmt(p->g->f, t);
        if (ir_in(fx.sets, p->v))
            return false;
    }
    return false;
}

static bool
holds(const Put *p, const IrExpr *e, bool *known)
{
    int64_t truth = 0;
    *known &= ir_is_const(numbers(p, e), &truth);
    return *known && truth;
}

static bool
step(Put *p, const IrStmt *update)
{
    return ir_is_const(numbers(p, update->e), &p->value);
}

static int
count_trips(Put p, const IrStmt *s, const IrStmt *update)
{
    bool known = true;
    int n = 0;
    for (; holds(&p, s->e, &known); n++)
        if (n > MOST_TRIPS || !step(&p, update))
            return MOST_TRIPS + 1;
    return known ? n : MOST_TRIPS + 1;
}

static void
unroll_while(Grid *g, IrBlock *b, IrStmt *s)
{
    Only o = {0};
    ir_walk_expr(&s->e, only_expr, &o);
    if (o.other || !o.v || o.v->dtype != DT_i64 || s->pre.first)
        return;
    Put p = {.g = g, .v = o.v};
    IrStmt *update = update_of(s, o.v);
    if (!update || !starts_at(&p, s))
        return;
    int trips = count_trips(p, s, update);
    if (!is_small(g, s, trips))
        return;
    tell(g, s, trips);
    for (int n = 0; n < trips; n++) {
        IrBlock copy = ir_clone_block(g->f, &s->body, NULL);
        for (IrStmt *t = copy.first, *next; t; t = next) {
            next = t->next;
            ir_remove(&copy, t);
            ir_walk_exprs_in(t, put_expr, &p);
            if (t->kind == IS_SET && t->var == p.v)
                ir_is_const(t->e, &p.value);
            ir_insert_before(b, s, t);
        }
    }
    ir_remove(b, s);
}

void
grid_unroll(Grid *g, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            grid_unroll(g, sub[i]);
        bool loop = ir_does(s, ST_REPEATS);
        if (!loop || !grid_waits(s) || grid_jumps(&s->body))
            continue;
        if (s->kind == IS_WHILE)
            unroll_while(g, b, s);
        else
            unroll_for(g, b, s);
    }
}
