/* SPDX-License-Identifier: BSD-3-Clause
 * The test before a loop nest that runs without its checks: conditions become comparisons of sums,
 * none of which wraps where the user's numbers are small, and that they are is tested, too. */
#include "pass/checks/bounds.h"

static IrExpr *
sum_of(Cx *cx, const IrAffine *a, int sign, int64_t c)
{
    IrAffine part = {.c0 = c};
    for (int i = 0; i < a->n; i++) {
        if ((a->t[i].coef > 0) != (sign > 0))
            continue;
        part.t[part.n] = a->t[i];
        part.t[part.n++].coef *= sign;
    }
    return ir_affine_expr(cx, &part);
}

static int
count_vars(const IrAffine *a, int sign) /* terms on that side that are no dimensions */
{
    int n = 0;
    for (int i = 0; i < a->n; i++)
        n += (a->t[i].coef > 0) == (sign > 0) && a->t[i].term->kind != IX_DIM;
    return n;
}

/* The one variable beside dimensions that its sum could wrap with: alone on its side. NULL: it is
 * so anyway. */
static IrExpr *
compare_alone(Cx *cx, const IrAffine *a)
{
    IrAffine rest = *a;
    int at = 0, side = 0;
    if (count_vars(a, 1) + count_vars(a, -1) != 1)
        return NULL;
    while (a->t[at].term->kind == IX_DIM)
        at++;
    int64_t sign = a->t[at].coef;
    for (int i = 0; i < a->n; i++)
        side += (a->t[i].coef > 0) == (sign > 0);
    if (side == 1 || (sign != 1 && sign != -1))
        return NULL;
    IrExpr *v = ir_copy_expr(cx, a->t[at].term);
    rest.t[at] = rest.t[--rest.n];
    if (sign < 0)
        return ir_op(cx, OP_ge, ir_affine_expr(cx, &rest), v);
    IrAffine neg = {0};
    return ir_affine_add(&neg, &rest, -1) ? ir_op(cx, OP_ge, v, ir_affine_expr(cx, &neg)) : NULL;
}

/* a >= 0 as a comparison of sums, the constant on the side of the dimensions, where adding it
 * cannot wrap. */
static IrExpr *
compare(Cx *cx, const IrAffine *a)
{
    bool left = count_vars(a, 1) == 0;
    IrExpr *alone = compare_alone(cx, a);
    if (alone)
        return alone;
    if (a->c0 == -1)
        return ir_op(cx, OP_gt, sum_of(cx, a, 1, 0), sum_of(cx, a, -1, 0));
    return ir_op(cx, OP_ge, sum_of(cx, a, 1, left ? a->c0 : 0),
                 sum_of(cx, a, -1, left ? 0 : -a->c0));
}

typedef struct Guards {
    const Bounds *b;
    Cx *cx;
    const IrEffects *fx;
    IrExpr *cond;
    Map bits; /* variable -> in how many bits it must fit; dimensions by array */
    int limit;
} Guards;

static void
and_guard(Guards *g, IrExpr *e)
{
    g->cond = g->cond ? ir_op(g->cx, OP_and, g->cond, e) : e;
}

/* Is the term large though all its variables are small? */
static bool
is_large(const Guards *g, const IrExpr *e)
{
    int64_t big = (int64_t)1 << g->limit, k;
    if (e->kind == IX_CONST)
        return e->dtype == DT_i64 && (e->i > big || e->i < -big);
    if (e->kind != IX_OP || e->dtype != DT_i64)
        return false;
    bool scales = e->op == OP_mul && ir_is_const(e->arg[1], &k) &&
                  (k > BOUNDS_MAX_COEF || k < -BOUNDS_MAX_COEF);
    return scales || e->op == OP_shl || e->op == OP_pow;
}

/* Is a condition by itself that the variable is >= 0? LLVM is to see that and no other range. */
static bool
is_low_guarded(const Bounds *b, const IrExpr *v)
{
    bool any = false;
    for (int i = 0; i < b->conds.n; i++) {
        const IrAffine *a = &b->conds.at[i].a;
        any |= a->n == 1 && a->t[0].coef == 1 && a->c0 <= 0 && ir_expr_equal(a->t[0].term, v);
    }
    return any;
}

static bool
guard_leaf(IrExpr **e, void *arg)
{
    Guards *g = arg;
    if (is_large(g, *e))
        and_guard(g, ir_int(g->cx, DT_bool, 0));
    bool leaf = (*e)->kind == IX_VAR || ((*e)->kind == IX_DIM && g->limit < 40);
    intptr_t had = leaf ? (intptr_t)map_get(&g->bits, (*e)->var) : 0;
    if (!leaf || (*e)->dtype != DT_i64 || !ir_invariant(*e, g->fx) || (had && had <= g->limit))
        return true;
    if ((*e)->kind == IX_VAR) /* of a dimension there may be several axes: no memory of it */
        map_put(&g->cx->arena, &g->bits, (*e)->var, (void *)(intptr_t)g->limit);
    int64_t big = (int64_t)1 << g->limit;
    and_guard(g, ir_op(g->cx, OP_le, ir_copy_expr(g->cx, *e), ir_int(g->cx, DT_i64, big)));
    if ((*e)->kind == IX_VAR && !is_low_guarded(g->b, *e))
        and_guard(g, ir_op(g->cx, OP_ge, ir_copy_expr(g->cx, *e), ir_int(g->cx, DT_i64, -big)));
    return true;
}

static int
count_factors(const IrExpr *e)
{
    if (e->kind != IX_OP || e->op != OP_mul || e->arg[1]->kind == IX_CONST)
        return 1;
    return count_factors(e->arg[0]) + count_factors(e->arg[1]);
}

static void
guard_terms(Guards *g, const IrAffine *a)
{
    for (int i = 0; i < a->n; i++) {
        IrExpr *t = ir_copy_expr(g->cx, a->t[i].term);
        int n = count_factors(t);
        g->limit = n == 1 ? 46 : n == 2 ? 26 : n == 3 ? 16 : 9;
        ir_walk_expr(&t, guard_leaf, g);
    }
}

/* What was taken to be small. */
static void
guard_needs(Guards *g, const Know *k, uint64_t needs)
{
    for (int i = 0; i < k->n_need; i++) {
        IrExpr *t = ir_copy_expr(g->cx, k->need[i]);
        g->limit = know_small_bits(t);
        if (needs >> i & 1)
            ir_walk_expr(&t, guard_leaf, g);
    }
}

/* Arithmetic in the condition, and that which it was concluded from, must not wrap where the
 * user's numbers are absurd. */
static void
guard(Guards *g, const Cond *c)
{
    bool safe = c->plain && count_vars(&c->a, 1) + count_vars(&c->a, -1) <= 1;
    for (int i = 0; i < c->a.n; i++)
        safe &= (c->a.t[i].coef == 1 || c->a.t[i].coef == -1) &&
                (c->a.t[i].term->kind == IX_VAR || c->a.t[i].term->kind == IX_DIM);
    if (safe)
        return;
    guard_terms(g, &c->a);
    guard_terms(g, &c->from);
}

IrExpr *
bounds_test(const Bounds *b)
{
    Guards g = {.b = b, .cx = b->cx, .fx = &b->fx};
    uint64_t needs = b->needs;
    for (int i = 0; i < b->conds.n; i++)
        needs |= b->conds.at[i].needs;
    guard_needs(&g, &b->w.k, needs);
    for (int i = 0; i < b->conds.n; i++)
        guard(&g, &b->conds.at[i]);
    for (int i = 0; i < b->conds.n; i++)
        if (b->conds.at[i].a.n)
            and_guard(&g, compare(b->cx, &b->conds.at[i].a));
    for (int i = 0; i < b->tests.n; i++)
        and_guard(&g, ir_copy_expr(b->cx, b->tests.at[i]));
    return g.cond ? g.cond : ir_int(b->cx, DT_bool, 1);
}
