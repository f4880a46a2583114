/* SPDX-License-Identifier: BSD-3-Clause
 * `if i < n { body }` for a row of threads runs those for which it holds, not all: takes an if in a
 * kernel, yields the first and the last thread along x for which its condition can hold, where that
 * compares the thread's place with what is the same for the whole block. A loop over these alone
 * has no branch, and one over a single thread is none. */
#include "pass/grid.h"

enum { SHORT = 64 }; /* fewer threads in a row are better off with a fixed number of them */

typedef struct Range {
    GridSplit *s;
    Cx *cx;
    GridRegion *r;
    bool single;
} Range;

/* e with its variables by what they are made from. */
static IrExpr *
expand(Range *g, const IrExpr *e, int depth)
{
    const IrStmt *d = e->kind == IX_VAR && e->var->id < g->s->keep->n ? g->s->keep->def[e->var->id] : NULL;
    if (d && d->kind == IS_SET && depth < 16)
        return expand(g, d->e, depth + 1);
    IrExpr *c = ir_copy_expr(g->cx, e);
    for (int i = 0; i < e->n; i++)
        c->arg[i] = expand(g, e->arg[i], depth);
    return c->kind == IX_OP ? ir_opv(g->cx, (IrOp)c->op, c->arg) : c;
}

static IrExpr *
closer(Cx *cx, IrOp op, IrExpr *old, IrExpr *e)
{
    return old ? ir_op(cx, op, old, e) : e;
}

/* c * thread_x + rest, c = 1 or -1, against 0 */
static bool
bound(Range *g, IrOp op, const IrAffine *a, int at)
{
    Cx *cx = g->cx;
    IrAffine rest = *a;
    int64_t c = a->t[at].coef;
    rest.t[at] = rest.t[--rest.n];
    IrAffine other = {0};
    if (!ir_affine_add(&other, &rest, c == 1 ? -1 : 1)) /* x against -rest, or rest against x */
        return false;
    IrExpr *e = ir_affine_expr(cx, &other), *one = ir_int(cx, DT_i64, 1);
    bool less = op == OP_lt || op == OP_le, strict = op == OP_lt || op == OP_gt;
    if (op == OP_eq) {
        g->r->lo = closer(cx, OP_max, g->r->lo, e);
        g->r->hi = closer(cx, OP_min, g->r->hi, ir_op(cx, OP_add, ir_copy_expr(cx, e), one));
        g->single = true;
    } else if (less == (c == 1)) {
        g->r->hi = closer(cx, OP_min, g->r->hi, strict ? e : ir_op(cx, OP_add, e, one));
    } else {
        g->r->lo = closer(cx, OP_max, g->r->lo, strict ? ir_op(cx, OP_add, e, one) : e);
    }
    return true;
}

static bool
compare(Range *g, const IrExpr *e)
{
    IrAffine a, b;
    int at = -1;
    if (e->kind != IX_OP || (e->op != OP_eq && e->op != OP_lt && e->op != OP_le && e->op != OP_gt && e->op != OP_ge))
        return false;
    if (e->arg[0]->dtype != DT_i64 || !ir_affine(expand(g, e->arg[0], 0), &a) ||
        !ir_affine(expand(g, e->arg[1], 0), &b) || !ir_affine_add(&a, &b, -1))
        return false;
    for (int i = 0; i < a.n; i++) {
        const IrExpr *t = a.t[i].term;
        if (t->kind == IX_GEO && t->axis == GEO_THREAD_X && (a.t[i].coef == 1 || a.t[i].coef == -1))
            at = i;
        else if (!grid_expr_is_wide(g->s, t) || grid_loads(t))
            return false;
    }
    return at >= 0 && bound(g, (IrOp)e->op, &a, at);
}

static bool
find(Range *g, const IrExpr *e)
{
    if (e->kind == IX_OP && e->op == OP_and && e->dtype == DT_bool) {
        bool x = find(g, e->arg[0]), y = find(g, e->arg[1]);
        return x || y;
    }
    bool ok = compare(g, e);
    g->r->exact &= ok;
    return ok;
}

bool
grid_range(GridSplit *s, IrStmt *t, GridRegion *r)
{
    int64_t n;
    if (t->kind != IS_IF || grid_is_one(s->g, 0))
        return false;
    if (!t->body.first && t->els.first) {
        t->body = t->els;
        t->els = (IrBlock){0};
        t->e = ir_op(s->g->cx, OP_inv, t->e);
    }
    Range g = {.s = s, .cx = s->g->cx, .r = r};
    r->exact = true;
    if (t->els.first || !find(&g, t->e))
        return false;
    bool few = ir_is_const(s->g->dim[0], &n) && n < SHORT;
    return g.single || !few;
}
