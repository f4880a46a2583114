/* SPDX-License-Identifier: BSD-3-Clause
 * `if i < n { body }` for the threads of a block runs those for which it holds, not all: takes an
 * if in a kernel, yields the first and the last thread along each axis for which its condition can
 * hold, where that compares the thread's place with what is the same for the whole block. A loop
 * over these alone has no branch, and one over a single thread is none. What such an if holds
 * inside is taken apart when there are more of them:
 *   if c { A; if d { B }; C }      if c { A }; if c and d { B }; if c { C }
 * Threads do not see each other between barriers, so each part may run for all of them in turn. */
#include "pass/grid/grid.h"

enum { SMALL = 40 }; /* statements that may be there twice */

typedef struct Range {
    GridSplit *s;
    Cx *cx;
    GridRegion *r;
    bool single;
    bool rows; /* a bound along x */
} Range;

/* e with its variables by what they are made from. */
static IrExpr *
expand(Range *g, const IrExpr *e, int depth)
{
    const IrStmt *d =
        e->kind == IX_VAR && e->var->id < g->s->keep->n ? g->s->keep->def[e->var->id] : NULL;
    if (d && d->kind == IS_SET && depth < 16)
        return expand(g, d->e, depth + 1);
    IrExpr *c = ir_copy_expr(g->cx, e);
    for (int i = 0; i < e->n; i++)
        c->arg[i] = expand(g, e->arg[i], depth);
    return c->kind == IX_OP ? ir_opv(g->cx, (IrOp)c->op, c->arg) : c;
}

/* min or max of both, or the one that is it anyway. */
static IrExpr *
closer(Cx *cx, IrOp op, IrExpr *old, IrExpr *e)
{
    IrAffine a, b;
    if (old && ir_affine(old, &a) && ir_affine(e, &b) && ir_affine_add(&a, &b, -1) && !a.n)
        return (a.c0 < 0) == (op == OP_min) ? old : e;
    return old ? ir_op(cx, op, old, e) : e;
}

/* c * thread_x + rest, c = 1 or -1, against 0; or thread_y, thread_z */
static bool
bound(Range *g, IrOp op, const IrAffine *a, int at)
{
    Cx *cx = g->cx;
    IrAffine rest = *a;
    int axis = a->t[at].term->axis - GEO_THREAD_X;
    IrExpr **lo = &g->r->lo[axis], **hi = &g->r->hi[axis];
    int64_t c = a->t[at].coef;
    rest.t[at] = rest.t[--rest.n];
    IrAffine other = {0};
    if (!ir_affine_add(&other, &rest, c == 1 ? -1 : 1)) /* x against -rest, or rest against x */
        return false;
    IrExpr *e = ir_affine_expr(cx, &other), *one = ir_int(cx, DT_i64, 1);
    bool less = op == OP_lt || op == OP_le, strict = op == OP_lt || op == OP_gt;
    if (op == OP_eq) {
        *lo = closer(cx, OP_max, *lo, e);
        *hi = closer(cx, OP_min, *hi, ir_op(cx, OP_add, ir_copy_expr(cx, e), one));
        g->single |= axis == 0;
    } else if (less == (c == 1)) {
        *hi = closer(cx, OP_min, *hi, strict ? e : ir_op(cx, OP_add, e, one));
    } else {
        *lo = closer(cx, OP_max, *lo, strict ? ir_op(cx, OP_add, e, one) : e);
    }
    g->rows |= axis == 0;
    return true;
}

static bool
compare(Range *g, const IrExpr *e)
{
    IrAffine a, b;
    int at = -1;
    if (e->kind != IX_OP ||
        (e->op != OP_eq && e->op != OP_lt && e->op != OP_le && e->op != OP_gt && e->op != OP_ge))
        return false;
    if (e->arg[0]->dtype != DT_i64 || !ir_affine(expand(g, e->arg[0], 0), &a) ||
        !ir_affine(expand(g, e->arg[1], 0), &b) || !ir_affine_add(&a, &b, -1))
        return false;
    for (int i = 0; i < a.n; i++) {
        const IrExpr *t = a.t[i].term;
        bool thread = t->kind == IX_GEO && t->axis >= GEO_THREAD_X && t->axis <= GEO_THREAD_Z;
        if (at < 0 && thread && !grid_is_one(g->s->g, t->axis - GEO_THREAD_X) &&
            (a.t[i].coef == 1 || a.t[i].coef == -1))
            at = i;
        else if (t->kind == IX_GEO && t->axis >= GEO_BLOCK_X && t->axis <= GEO_BLOCK_Z)
            continue; /* the same in a block, if not for the whole grid */
        else if (!grid_expr_is_wide(g->s, t) || grid_loads(t))
            return false;
    }
    return at >= 0 && bound(g, (IrOp)e->op, &a, at);
}

static IrExpr *
also(Cx *cx, IrExpr *all, const IrExpr *e)
{
    IrExpr *c = ir_copy_expr(cx, e);
    return all ? ir_op(cx, OP_and, all, c) : c;
}

/* What of e becomes a range, and what remains. */
static void
find(Range *g, const IrExpr *e)
{
    if (e->kind == IX_OP && e->op == OP_and && e->dtype == DT_bool) {
        find(g, e->arg[0]);
        find(g, e->arg[1]);
    } else if (compare(g, e)) {
        g->r->used = also(g->cx, g->r->used, e);
    } else {
        g->r->rest = also(g->cx, g->r->rest, e);
    }
}

static void
count(IrBlock *b, IrStmt *t, void *arg)
{
    (void)b;
    (void)t;
    ++*(int *)arg;
}

bool
grid_range(GridSplit *s, IrStmt *t, GridRegion *r)
{
    int64_t n;
    int size = 0;
    if (t->kind != IS_IF)
        return false;
    if (!t->body.first && t->els.first) {
        t->body = t->els;
        t->els = (IrBlock){0};
        t->e = ir_op(s->g->cx, OP_inv, t->e);
    }
    Range g = {.s = s, .cx = s->g->cx, .r = r};
    if (t->els.first)
        return false;
    find(&g, t->e);
    bool few = ir_is_const(s->g->dim[0], &n) && n < tune(s->g->cx, grid_short);
    if (g.rows && few && !g.single) {
        ir_walk_block(&t->body, count, &size);
        r->twice = true;
        return size <= SMALL;
    }
    return r->used != NULL;
}

/* ---- tests that whole blocks pass ------------------------------------------------------------ */

IrExpr *
grid_is_full(Grid *g, const GridRegion *r)
{
    Cx *cx = g->cx;
    IrExpr *all = ir_int(cx, DT_bool, 1);
    for (int k = 0; k < 3; k++) {
        if (r->lo[k])
            all = ir_op(cx, OP_and, all,
                        ir_op(cx, OP_le, ir_copy_expr(cx, r->lo[k]), ir_int(cx, DT_i64, 0)));
        if (r->hi[k])
            all = ir_op(cx, OP_and, all,
                        ir_op(cx, OP_ge, ir_copy_expr(cx, r->hi[k]), ir_copy_expr(cx, g->dim[k])));
    }
    return all;
}

void
grid_note_full(GridSplit *s, IrStmt *t, GridRegion *r)
{
    Cx *cx = s->g->cx;
    GridRegion one = {0};
    Range g = {.s = s, .cx = cx, .r = &one};
    int size = 0;
    int64_t known;
    if (t->kind != IS_IF || !ir_is_flat(&t->body) || !ir_is_flat(&t->els))
        return; /* a branch around more costs nothing to speak of */
    find(&g, t->e);
    ir_walk_block(&t->body, count, &size);
    ir_walk_block(&t->els, count, &size);
    if (!one.used || one.rest || g.single || size > SMALL)
        return;
    IrExpr *full = grid_is_full(s->g, &one);
    if (ir_is_const(full, &known))
        return;
    r->full = r->full ? ir_op(cx, OP_and, r->full, full) : full;
    VEC_PUSH(&cx->arena, r->ifs, t);
}

/* ---- ifs inside ifs -------------------------------------------------------------------------- */

typedef struct Part {
    GridSplit *s;
    uint64_t *sets; /* by parts before */
    int words;
    bool ok;
} Part;

static bool
part_expr(IrExpr **e, void *arg)
{
    Part *p = arg;
    const IrVar *v = (*e)->var;
    bool kept = v && v->id < p->s->keep->n && p->s->keep->def[v->id];
    p->ok &= !v || kept || v->id / 64 >= p->words || !ir_in(p->sets, v);
    return true;
}

static void
part_stmt(IrBlock *b, IrStmt *t, void *arg)
{
    IrExpr use = {.kind = IX_VAR, .var = t->base}, *e = &use;
    (void)b;
    ir_walk_stmt_exprs(t, part_expr, arg);
    part_expr(&e, arg);
    for (int i = 0; i < t->n_args; i++) {
        use.var = t->args[i].arr;
        part_expr(&e, arg);
    }
}

/* May it be evaluated again, for each part? */
static bool
is_lasting(const GridSplit *s, const IrExpr *e)
{
    if (e->kind == IX_LOAD || (e->var && !s->block_wide[e->var->id] &&
                               !(e->var->id < s->keep->n && s->keep->def[e->var->id])))
        return false;
    for (int i = 0; i < e->n; i++)
        if (!is_lasting(s, e->arg[i]))
            return false;
    return true;
}

/* Do the parts hand nothing on but what is computed again? */
static bool
is_loose(GridSplit *s, IrStmt *t)
{
    IrFunc *f = s->g->f;
    int words = f->vars.n / 64 + 1;
    Part p = {s, NEW_N(&s->g->cx->arena, uint64_t, words), words, true};
    for (IrStmt *u = t->body.first; u; u = u->next) {
        IrStmt copy = *u;
        copy.prev = copy.next = NULL;
        IrBlock one = {&copy, &copy};
        if (u->kind == IS_IF) /* what runs with it, not before it, may be in one part with it */
            ir_walk_block(&one, part_stmt, &p);
        IrEffects fx = ir_effects_stmt(f, u);
        for (int i = 0; i < fx.words && i < words; i++)
            p.sets[i] |= fx.sets[i];
    }
    return p.ok && is_lasting(s, t->e);
}

static bool
has_range(GridSplit *s, IrStmt *t)
{
    GridRegion r = {0};
    return t->kind == IS_IF && !t->els.first && is_lasting(s, t->e) && grid_range(s, t, &r);
}

bool
grid_take_apart(GridSplit *s, IrBlock *in, IrStmt *before, IrStmt *t)
{
    Cx *cx = s->g->cx;
    bool any = false;
    if (t->kind != IS_IF || t->els.first)
        return false;
    for (IrStmt *u = t->body.first; u; u = u->next)
        any |= has_range(s, u);
    if (!any || !is_loose(s, t))
        return false;
    IrStmt *part = NULL;
    for (IrStmt *u = t->body.first, *next; u; u = next) {
        next = u->next;
        bool apart = has_range(s, u);
        ir_remove(&t->body, u);
        if (apart) {
            u->e = ir_op(cx, OP_and, ir_copy_expr(cx, t->e), u->e);
            ir_insert_before(in, before, u);
            part = NULL;
            continue;
        }
        if (!part) {
            part = ir_stmt(cx, IS_IF, t->at);
            part->e = ir_copy_expr(cx, t->e);
            ir_insert_before(in, before, part);
        }
        ir_insert_before(&part->body, NULL, u);
    }
    return true;
}

/* ---- conditions by name ---------------------------------------------------------------------- */

static bool
name_expr(IrExpr **e, void *arg)
{
    GridSplit *s = arg;
    const IrVar *v = (*e)->kind == IX_VAR && (*e)->dtype == DT_bool ? (*e)->var : NULL;
    const IrStmt *d = v && v->id < s->keep->n ? s->keep->def[v->id] : NULL;
    if (d && d->kind == IS_SET) {
        *e = ir_copy_expr(s->g->cx, d->e);
        ir_walk_expr(e, name_expr, s);
        return false;
    }
    return (*e)->kind == IX_OP && (*e)->dtype == DT_bool;
}

static void
name_stmt(IrBlock *b, IrStmt *t, void *arg)
{
    (void)b;
    if (t->kind == IS_IF)
        ir_walk_expr(&t->e, name_expr, arg);
}

void
grid_name_conditions(GridSplit *s, IrBlock *body)
{
    ir_walk_block(body, name_stmt, s);
}
