/* SPDX-License-Identifier: BSD-3-Clause
 * Indices made comparable: as polynomials, or not at all. Negative indices wrap, ends of
 * slices are clipped, and the user writes min and max. What is shown, or tested before the
 * loop, not to wrap is what was written; a minimum that is not known to be one of its two
 * becomes a variable with a range, as inner loops' variables have one. */
#include "pass/analysis/depend.h"

/* ---- ranges made ready */

static IrExpr *unwrap(Test *t, IrExpr *e);

static int
rank_in(const Test *t, const IrExpr *e)
{
    int most = depend_rank(t, e);
    for (int i = 0; i < e->n; i++) {
        int n = rank_in(t, e->arg[i]);
        most = n > most ? n : most;
    }
    return most;
}

/* A variable for a value that no polynomial tells, but whose bounds one may. */
static IrExpr *
bounded_var(Test *t, const IrExpr *e, IrExpr *least, IrExpr *most, int64_t by)
{
    ParLoop *l = t->l;
    for (int i = 0; i < l->ranges.n; i++)
        if (l->ranges.at[i].of && ir_expr_equal(l->ranges.at[i].of, e))
            return ir_use(l->cx, l->ranges.at[i].var);
    ParRange r = {.least = least, .most = most, .by = by, .step = 1, .of = e};
    int n = rank_in(t, e);
    r.rank = n < RANK_RANGE ? RANK_RANGE : n + 1;
    r.var = NEW(&l->cx->arena, IrVar);
    *r.var = (IrVar){.name = "bounded", .id = -1, .dtype = DT_i64};
    VEC_PUSH(&l->cx->arena, l->ranges, r);
    return ir_use(l->cx, r.var);
}

/* Of a loop over lo, lo + s, .. the variable is lo + s * (a number of its own). */
static IrExpr *
strided(Test *t, const IrExpr *var, const ParRange *r)
{
    Cx *cx = t->l->cx;
    int64_t step = r->step;
    IrExpr *lo = r->least, *left = ir_op(cx, OP_sub, r->most, lo);
    IrExpr *k = bounded_var(t, var, ir_int(cx, DT_i64, 0), left, step);
    return ir_op(cx, OP_add, lo, ir_op(cx, OP_mul, k, ir_int(cx, DT_i64, step)));
}

static void make_ready(Test *t, const IrExpr *e);

static bool
counts_up_from_0(const Test *t, const IrExpr *lo)
{
    int64_t k;
    const ParRange *r = lo->kind == IX_VAR ? depend_range(t->l, lo->var) : NULL;
    return ir_is_const(r && r->least ? r->least : lo, &k) && k >= 0;
}

static void
make_range_ready(Test *t, int at)
{
    ParRange *r = &t->l->ranges.at[at];
    IrExpr *lo = r->lo, *hi = r->hi;
    int64_t by = 1;
    r->rank = (at + 1) * RANKS_BETWEEN;
    r->by = 1;
    r->least = lo;
    r->most = hi;
    if (lo)
        make_ready(t, lo);
    if (hi)
        make_ready(t, hi);
    if (!lo || !hi || !counts_up_from_0(t, lo))
        return;
    IrExpr *most = par_slice_length(t->l, hi, &by);
    if (most == hi)
        return;
    most = unwrap(t, most);
    r = &t->l->ranges.at[at]; /* there may be more of them now */
    r->most = most;
    r->by = by;
}

/* Of the loops whose variables are in e, in their ranges, and so on. */
static void
make_ready(Test *t, const IrExpr *e)
{
    for (int i = 0; e->kind == IX_VAR && i < t->l->ranges.n; i++)
        if (t->l->ranges.at[i].var == e->var && !t->l->ranges.at[i].rank)
            make_range_ready(t, i);
    for (int i = 0; i < e->n; i++)
        make_ready(t, e->arg[i]);
}

/* The loops whose variables are in an index do run. */
static void
learn_from(Test *t, const IrExpr *e)
{
    make_ready(t, e);
    const ParRange *r = e->kind == IX_VAR ? depend_range(t->l, e->var) : NULL;
    if (r)
        depend_learn(t, r->least, r->most);
    for (int i = 0; i < e->n; i++)
        learn_from(t, e->arg[i]);
}

/* ---- wraps */

static bool
least_not_negative(Test *t, Poly *low)
{
    ParLoop *l = t->l;
    int64_t k;
    /* an index that is no more than a variable and a constant is what it seems where it is in
     * range */
    bool sums = false;
    for (int i = 0; i < low->n; i++)
        sums |= low->m[i].n > 1 || (low->m[i].n == 1 && low->m[i].k != 1);
    t->steps = MAX_STEPS;
    t->sign = 0;
    if (!depend_bound(t, low, false, 0))
        return false;
    if (depend_at_least(t, low, 0))
        return true;
    if (!l->may_need || poly_is_const(low, &k))
        return false;
    IrExpr *least = poly_expr(l->cx, low);
    if (ir_loads(least))
        return false;
    IrExpr *ok = ir_op(l->cx, OP_ge, least, ir_int(l->cx, DT_i64, 0));
    par_need(l, (ParNeed){.e = ok, .sums = sums});
    return true;
}

/* Whether it is shown that e is not below 0, or, before L, tested. */
static bool
not_negative(Test *t, const IrExpr *e)
{
    IrExpr *a, *b;
    Poly p, low;
    if (par_is_min(e, true, &a, &b))
        return not_negative(t, a) && not_negative(t, b);
    e = unwrap(t, (IrExpr *)e);
    if (!e || !depend_poly(t->l, e, &p))
        return false;
    low = p;
    if (least_not_negative(t, &low))
        return true;
    int needs = t->l->needs.n, facts = t->n_facts;
    t->assume = t->l->may_need && !t->l->cx->opt->debug; /* there it is watched */
    bool ok = t->assume && least_not_negative(t, &p);
    t->assume = false;
    if (!ok) {
        t->l->needs.n = needs;
        t->n_facts = facts;
    }
    return ok;
}

static bool
is_negative(Test *t, const Poly *p)
{
    Poly high = *p, neg = {0};
    t->steps = MAX_STEPS;
    t->sign = 0;
    return depend_bound(t, &high, true, 0) && poly_add(&neg, &high, -1) &&
           depend_at_least(t, &neg, 1);
}

/* A negative index counts from the end. When that hangs on what L does not change, it is
 * tested before L that the least one is not negative. */
static IrExpr *
unwrap_index(Test *t, IrExpr *i, IrExpr *dim)
{
    Poly p;
    IrExpr *e = unwrap(t, i);
    if (!e || !depend_poly(t->l, e, &p))
        return NULL;
    if (is_negative(t, &p))
        return ir_op(t->l->cx, OP_add, dim, e);
    return not_negative(t, i) ? e : NULL;
}

static IrExpr *
unwrap_args(Test *t, IrExpr *e)
{
    IrExpr *arg[3];
    bool same = true;
    for (int i = 0; i < e->n; i++) {
        if (!(arg[i] = unwrap(t, e->arg[i])))
            return NULL;
        same &= arg[i] == e->arg[i];
    }
    return same ? e : ir_opv(t->l->cx, (IrOp)e->op, arg);
}

/* A minimum or maximum: that of both which it always is, or something with its bounds. */
static IrExpr *
unwrap_min(Test *t, IrExpr *e, IrExpr *a, IrExpr *b, bool least)
{
    Cx *cx = t->l->cx;
    int64_t zero;
    bool start = !least && a->kind == IX_OP && a->op == OP_wrap && ir_is_const(b, &zero) && !zero;
    IrExpr *x = unwrap(t, a), *y = unwrap(t, b);
    if (!x || !y)
        return NULL;
    if (start && !ir_is_const(a->arg[0], &zero) && not_negative(t, a->arg[0]))
        return x;
    if (!depend_local(t->l, x) && !depend_local(t->l, y))
        return x == a && y == b ? e : ir_op(cx, least ? OP_min : OP_max, x, y);
    Poly d, p, low, neg = {0};
    if (depend_poly(t->l, x, &d) && depend_poly(t->l, y, &p) && poly_add(&d, &p, -1) &&
        poly_add(&neg, &d, -1)) {
        t->sign = 0;
        t->steps = MAX_STEPS;
        if (low = d, depend_bound(t, &low, false, 0) && depend_at_least(t, &low, 0))
            return least ? y : x;
        if (low = neg, depend_bound(t, &low, false, 0) && depend_at_least(t, &low, 0))
            return least ? x : y;
    }
    IrExpr *m = ir_op(cx, least ? OP_min : OP_max, x, y);
    IrExpr *one = ir_int(cx, DT_i64, 1);
    IrExpr *above =
        ir_op(cx, least ? OP_min : OP_max, ir_op(cx, OP_add, x, one), ir_op(cx, OP_add, y, one));
    return bounded_var(t, e, m, above, 1);
}

static IrExpr *
unwrap(Test *t, IrExpr *e)
{
    IrExpr *a, *b;
    if (e->kind == IX_VAR)
        for (int i = 0; i < t->l->ranges.n; i++) {
            const ParRange *r = &t->l->ranges.at[i];
            if (r->var == e->var && r->step > 1 && r->least && r->most)
                return strided(t, e, r);
        }
    if (e->kind == IX_OP && e->op == OP_wrap)
        return unwrap_index(t, e->arg[0], e->arg[1]);
    if (par_is_min(e, true, &a, &b))
        return unwrap_min(t, e, a, b, true);
    if (par_is_min(e, false, &a, &b))
        return unwrap_min(t, e, a, b, false);
    if (e->kind != IX_OP || e->dtype != DT_i64 || e->n > 3)
        return e;
    return unwrap_args(t, e);
}

void
depend_make_polys(Test *t, ParAccess *a)
{
    Cx *cx = t->l->cx;
    for (int i = 0; a->idx && i < a->root->ndim; i++)
        if (a->idx[i])
            learn_from(t, a->idx[i]);
    if (a->poly)
        return;
    a->poly = NEW_N(&cx->arena, Poly *, a->root->ndim + 1);
    for (int i = 0; a->idx && i < a->root->ndim; i++) {
        IrExpr *e = a->idx[i] ? unwrap(t, a->idx[i]) : NULL;
        Poly p;
        if (e && depend_poly(t->l, e, &p))
            a->poly[i] = arena_dup(&cx->arena, &p, sizeof p);
    }
}
