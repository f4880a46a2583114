/* SPDX-License-Identifier: BSD-3-Clause
 * What pass fuse knows on a run: each expression in values from before the run, and which
 * of those are equal when the run's conditions hold. A size that broadcasting picks,
 * `select(n == 1, m, n)`, is taken to be n: the condition n == m is what lowering's test
 * for the plain case comes to. Also reads the loops of a nest. */
#include "pass/loops/fuse.h"

/* ---- arrays ---------------------------------------------------------------------------------- */

FuseArr *
fuse_arr(FuseRun *r, IrVar *v)
{
    for (int i = 0; i < r->arrs.n; i++)
        if (r->arrs.at[i]->v == v)
            return r->arrs.at[i];
    Arena *a = &r->cx->arena;
    FuseArr *x = NEW(a, FuseArr);
    x->v = x->root = x->canon = v;
    x->dim = NEW_N(a, IrExpr *, v->ndim + 1);
    x->stride = NEW_N(a, IrExpr *, v->ndim + 1);
    for (int i = 0; i < v->ndim; i++) {
        x->dim[i] = ir_dim(r->cx, v, i);
        x->stride[i] = ir_stride(r->cx, v, i);
    }
    fuse_seen(r, v)->mark |= M_KNOWN;
    VEC_PUSH(a, r->arrs, x);
    return x;
}

/* ---- equal values ---------------------------------------------------------------------------- */

static IrExpr *
find(const FuseRun *r, IrExpr *e)
{
    for (int i = 0; e->dtype == DT_i64 && i < r->n_same; i++)
        if (ir_expr_equal(r->same[i].e, e))
            return ir_copy_expr(r->cx, r->same[i].rep);
    return e;
}

bool
fuse_same(const FuseRun *r, const IrExpr *a, const IrExpr *b)
{
    FuseRun *w = (FuseRun *)r;
    bool bad = r->bad;
    bool same = ir_expr_equal(fuse_resolve(w, a), fuse_resolve(w, b));
    w->bad = bad;
    return same;
}

static void
add_cond(FuseRun *r, IrExpr *e)
{
    for (int i = 0; i < r->conds.n; i++)
        if (ir_expr_equal(r->conds.at[i], e))
            return;
    VEC_PUSH(&r->cx->arena, r->conds, e);
}

/* Both are found. A value never stands for a part of itself: each find would make it larger. */
static bool
unite(FuseRun *r, IrExpr *x, IrExpr *y)
{
    if (ir_expr_equal(x, y))
        return true;
    if (y->kind == IX_CONST || ir_has_equal(x, y)) {
        IrExpr *t = x;
        x = y;
        y = t;
    }
    if (y->kind == IX_CONST || r->n_same == SW_LEN(r->same))
        return false;
    for (int i = 0; i < r->n_same; i++)
        if (ir_expr_equal(r->same[i].rep, y))
            r->same[i].rep = x;
    r->same[r->n_same].e = y;
    r->same[r->n_same++].rep = x;
    add_cond(r, ir_op(r->cx, OP_eq, ir_copy_expr(r->cx, x), ir_copy_expr(r->cx, y)));
    return true;
}

/* select(x == 1, y, x): x, when x == y is made a condition */
static IrExpr *
resolve_select(FuseRun *r, IrExpr **arg)
{
    const IrExpr *c = arg[0];
    int64_t one;
    if (arg[1]->dtype != DT_i64 || c->kind != IX_OP || c->op != OP_eq ||
        !ir_is_const(c->arg[1], &one) || one != 1 || !ir_expr_equal(c->arg[0], arg[2]))
        return NULL;
    return unite(r, arg[2], arg[1]) ? find(r, arg[2]) : NULL;
}

static IrExpr *
resolve_op(FuseRun *r, const IrExpr *e)
{
    IrExpr *arg[4] = {0};
    for (int i = 0; i < e->n; i++)
        arg[i] = fuse_resolve(r, e->arg[i]);
    if (r->bad)
        return ir_copy_expr(r->cx, e);
    IrExpr *x = e->op == OP_select ? resolve_select(r, arg) : NULL;
    if (x)
        return x;
    bool same = (e->op == OP_eq || e->op == OP_ne) && dtype_is_int((DType)arg[0]->dtype) &&
                ir_expr_equal(arg[0], arg[1]);
    if (same)
        return ir_int(r->cx, DT_bool, e->op == OP_eq);
    x = ir_opv(r->cx, (IrOp)e->op, arg);
    if (x->kind == IX_OP && x->op == e->op)
        x->flags |= e->flags;
    return find(r, x);
}

IrExpr *
fuse_resolve(FuseRun *r, const IrExpr *e)
{
    if (++r->resolved > FUSE_RESOLVED)
        r->bad = true;
    IrExpr *x = ir_copy_expr(r->cx, e);
    if (r->bad)
        return x;
    FuseArr *a = e->kind == IX_DIM || e->kind == IX_STRIDE ? fuse_arr(r, e->var) : NULL;
    switch (e->kind) {
    case IX_VAR:
        if (e->var->id < r->n_vars && fuse_seen(r, e->var)->mark & M_SET) {
            r->bad |= !fuse_seen(r, e->var)->value;
            return r->bad ? x : fuse_resolve(r, fuse_seen(r, e->var)->value);
        }
        if (e->var->id < r->n_vars)
            fuse_seen(r, e->var)->mark |= M_USED;
        return find(r, x);
    case IX_DIM:
    case IX_STRIDE: {
        IrExpr *is = e->kind == IX_DIM ? a->dim[e->axis] : a->stride[e->axis];
        r->bad |= !is;
        return !is ? x : a->def ? fuse_resolve(r, is) : find(r, x);
    }
    case IX_LOAD:
        r->bad = true;
        return x;
    case IX_CAST:
        return find(r, ir_cast(r->cx, (DType)e->dtype, fuse_resolve(r, e->arg[0])));
    case IX_OP:
        return resolve_op(r, e);
    default:
        return x;
    }
}

/* ---- conditions ------------------------------------------------------------------------------ */

static bool
is_equation(const IrExpr *e)
{
    return e->kind == IX_OP && e->op == OP_eq && e->arg[0]->dtype == DT_i64 &&
           e->arg[0]->kind != IX_CONST && e->arg[1]->kind != IX_CONST;
}

static const IrExpr *
find_equation(const IrExpr *e)
{
    if (e->kind == IX_OP && e->op == OP_or) {
        const IrExpr *x = find_equation(e->arg[0]);
        return x ? x : find_equation(e->arg[1]);
    }
    return is_equation(e) ? e : NULL;
}

bool
fuse_assume_apart(FuseRun *r, const IrVar *flag, bool strict)
{
    for (int i = 0; i < r->n_overlaps; i++)
        if (r->overlap[i].flag == flag) {
            const IrVar *before = r->overlap[i].chosen;
            r->overlap[i].strict |= strict;
            r->overlap[i].strict |= before && r->chooses && before != r->chooses;
            r->overlap[i].chosen = r->chooses ? r->chooses : before;
            return r->overlap[i].apart = true;
        }
    return false;
}

/* flag == 0 for an overlap test: the two arrays lie apart */
static bool
says_apart(FuseRun *r, const IrExpr *e, bool truth)
{
    int64_t zero;
    return e->kind == IX_OP && e->op == (truth ? OP_eq : OP_ne) && e->arg[0]->kind == IX_VAR &&
           ir_is_const(e->arg[1], &zero) && !zero && fuse_assume_apart(r, e->arg[0]->var, false);
}

bool
fuse_assume(FuseRun *r, const IrExpr *e, bool truth)
{
    int64_t c;
    r->bad = false;
    IrExpr *x = fuse_resolve(r, e);
    if (r->bad)
        return false;
    if (ir_is_const(x, &c))
        return (c != 0) == truth;
    if (x->kind == IX_OP && x->op == OP_inv)
        return fuse_assume(r, x->arg[0], !truth);
    if (x->kind == IX_OP && x->op == (truth ? OP_and : OP_or))
        return fuse_assume(r, x->arg[0], truth) && fuse_assume(r, x->arg[1], truth);
    const IrExpr *eq = truth ? find_equation(x) : NULL;
    if (eq)
        return unite(r, eq->arg[0], eq->arg[1]);
    if (truth && x->kind == IX_OP && x->op == OP_eq && x->arg[0]->dtype == DT_i64)
        return unite(r, x->arg[0], x->arg[1]); /* to a constant */
    if (says_apart(r, x, truth))
        return true;
    add_cond(r, truth ? x : ir_op(r->cx, OP_inv, x));
    return true;
}

IrVar *
fuse_overlap(FuseRun *r, FuseArr *x, FuseArr *y)
{
    if (x->def || y->def)
        return NULL;
    for (int i = 0; i < r->n_overlaps; i++)
        if ((r->overlap[i].x == x->v && r->overlap[i].y == y->v) ||
            (r->overlap[i].x == y->v && r->overlap[i].y == x->v))
            return r->overlap[i].flag;
    if (r->n_overlaps == FUSE_OVERLAPS)
        return NULL;
    IrVar *flag = ir_var(r->f, "overlap", DT_i32);
    r->overlap[r->n_overlaps].flag = flag;
    r->overlap[r->n_overlaps].x = x->v;
    r->overlap[r->n_overlaps++].y = y->v;
    return flag;
}

/* ---- nests ----------------------------------------------------------------------------------- */

static bool
counts_from(const IrStmt *s, const IrVar *lo)
{
    int64_t a, step;
    const IrExpr *e = s->idx[0];
    bool start = lo ? ir_is_var(e, lo) : ir_is_const(e, &a) && a == 0;
    return start && ir_is_const(s->idx[2], &step) && (step == 1 || !lo);
}

static bool
is_plain(const IrStmt *s, bool stores)
{
    return s->kind == IS_SET || (stores && s->kind == IS_STORE);
}

/* for blk in 0 .. n step k: { stop = min(blk + k, n); for i in blk .. stop } */
static IrStmt *
inside_strip(IrStmt *s)
{
    IrStmt *in = NULL, *stop = NULL;
    int64_t width, by;
    for (IrStmt *k = s->body.first; k; k = k->next) {
        if (k->kind == IS_LOOP ? in != NULL : k->kind != IS_SET)
            return NULL;
        in = k->kind == IS_LOOP ? k : in;
    }
    if (!in || !counts_from(in, s->var) || !ir_is_const(s->idx[2], &width))
        return NULL;
    const IrExpr *e = in->idx[1];
    for (stop = in->prev; e->kind == IX_VAR && stop; stop = stop->prev)
        if (stop->var == e->var)
            e = stop->e;
    if (e->kind != IX_OP || e->op != OP_min || !ir_expr_equal(e->arg[1], s->idx[1]))
        return NULL;
    e = e->arg[0];
    bool sum = e->kind == IX_OP && e->op == OP_add && ir_is_var(e->arg[0], s->var) &&
               ir_is_const(e->arg[1], &by);
    return sum && by == width ? in : NULL;
}

static bool
strict_sum(const IrStmt *s) /* x = x + float: no vector keeps its order */
{
    if (s->kind != IS_SET || s->e->kind != IX_OP || dtype_is_int((DType)s->e->dtype) ||
        s->e->dtype == DT_bool || s->e->flags & (IXF_REASSOC | IXF_FAST))
        return false;
    for (int i = 0; i < s->e->n; i++)
        if (ir_is_var(s->e->arg[i], s->var))
            return true;
    return false;
}

static void
look_at_body(IrBlock *b, IrStmt *s, void *arg)
{
    FuseNest *n = arg;
    (void)b;
    switch (s->kind) {
    case IS_SET:
    case IS_STORE:
    case IS_IF:
        return;
    case IS_CHECK:
    case IS_CHECK_INDEX:
    case IS_RAISE:
    case IS_BREAK:
        n->leaves = true;
        return;
    default:
        n->n = 0; /* too much */
    }
}

static bool
parse_inner(FuseNest *n, IrStmt *s)
{
    for (IrStmt *k = s->body.first; k; k = k->next) {
        if (strict_sum(k))
            return false;
        n->par &= is_plain(k, true);
    }
    ir_walk_block(&s->body, look_at_body, n);
    return n->n > 0;
}

bool
fuse_parse_nest(FuseNest *n, IrStmt *s)
{
    n->par = true;
    for (n->n = 0; s && n->n < FUSE_LEVELS;) {
        int64_t step;
        if (s->label || s->sched || s->cold || !ir_is_const(s->idx[2], &step) || n->strip)
            return false;
        if (step != 1 && s->loop == LOOP_REDUCE) {
            n->strip = s;
            s = counts_from(s, NULL) ? inside_strip(s) : NULL;
            if (!s || s->label)
                return false;
        } else if (!counts_from(s, NULL) || step != 1) {
            return false;
        }
        if (!s->elementwise || (s->loop != LOOP_PAR && s->loop != LOOP_REDUCE))
            return false;
        n->par &= s->loop == LOOP_PAR;
        n->loop[n->n++] = s;
        IrStmt *next = NULL;
        bool after = false;
        for (IrStmt *k = s->body.first; k; k = k->next) {
            after |= next != NULL;
            if (k->kind == IS_LOOP && next)
                return false;
            next = k->kind == IS_LOOP ? k : next;
        }
        if (!next)
            return parse_inner(n, s);
        for (IrStmt *k = s->body.first; k; k = k->next)
            if (k != next && !is_plain(k, true))
                return false;
            else if (k->kind == IS_STORE || after)
                n->par = false;
        s = next;
    }
    return false;
}

int
fuse_level(const FuseNest *n, const IrExpr *e)
{
    for (int l = 0; l < n->n; l++)
        if (ir_is_var(e, n->loop[l]->var))
            return l;
    return -1;
}
