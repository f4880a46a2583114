/* SPDX-License-Identifier: BSD-3-Clause
 * Indices that are the digits of one number: `for k in prange(h * w): i, j = divmod(k, w)` goes
 * through the elements of an array by one loop. No single index tells iterations apart, but
 * k // w and k % w together tell k. Takes two accesses at the same indices, yields what to test
 * before L: that the number rises without a wrap, from 0 or more, and that each base is at least
 * 1. */
#include "pass/analysis/depend.h"

enum { MOST_DIGITS = PAR_MAX_NDIM, MOST_FACTORS = 6, DEEPEST = 6, MOST_SLOPE = 4096 };

typedef struct Digits {
    ParLoop *l;
    const IrExpr *at[MOST_DIGITS]; /* indices that both accesses have */
    int n;
    const IrExpr *base[MOST_DIGITS];
    int n_bases;
} Digits;

static bool
is_op(const IrExpr *e, IrOp op)
{
    return e->kind == IX_OP && e->op == op && e->dtype == DT_i64;
}

/* What is left of an index without what no iteration changes in its order: numbers that are not
 * negative stay so. */
static const IrExpr *
plain(const IrExpr *e)
{
    int64_t k;
    while (is_op(e, OP_wrap) ||
           (is_op(e, OP_add) && ir_is_const(e->arg[1], &k) && k >= 0 && k <= MOST_SLOPE))
        e = e->arg[0];
    return e;
}

/* ---- quotients of quotients ------------------------------------------------------------------ */

typedef struct Quotient { /* of // divided by all factors, one after the other */
    const IrExpr *of, *factor[MOST_FACTORS];
    int n;
} Quotient;

static bool
add_factors(Quotient *q, const IrExpr *e)
{
    if (is_op(e, OP_mul))
        return add_factors(q, e->arg[0]) && add_factors(q, e->arg[1]);
    if (q->n == MOST_FACTORS)
        return false;
    q->factor[q->n++] = e;
    return true;
}

static bool
quotient(const IrExpr *e, Quotient *q)
{
    *q = (Quotient){.of = e};
    for (; is_op(q->of, OP_floordiv); q->of = q->of->arg[0])
        if (!add_factors(q, q->of->arg[1]))
            return false;
    return true;
}

static bool
same_quotient(const IrExpr *a, const IrExpr *b)
{
    Quotient p, q;
    if (ir_expr_equal(a, b))
        return true;
    if (!quotient(a, &p) || !quotient(b, &q) || p.n != q.n || !ir_expr_equal(p.of, q.of))
        return false;
    for (int i = 0; i < p.n; i++) {
        int k = 0;
        while (k < q.n && !ir_expr_equal(p.factor[i], q.factor[k]))
            k++;
        if (k == q.n)
            return false;
        q.factor[k] = q.factor[--q.n];
    }
    return true;
}

/* ---- which number they tell ------------------------------------------------------------------ */

static bool
has(const Digits *d, const IrExpr *e)
{
    for (int i = 0; i < d->n; i++)
        if (same_quotient(d->at[i], e))
            return true;
    return false;
}

static bool
note_base(Digits *d, const IrExpr *e)
{
    if (depend_local(d->l, e) || ir_loads(e) || d->n_bases == MOST_DIGITS)
        return false;
    d->base[d->n_bases++] = e;
    return true;
}

/* Do the digits tell e? Where one of them is e // n or e % n, the other one has to be told, too. */
static bool
tells(Digits *d, const IrExpr *e, int depth)
{
    if (has(d, e))
        return true;
    for (int i = 0; depth > 0 && i < d->n; i++) {
        const IrExpr *x = d->at[i];
        bool mod = is_op(x, OP_mod);
        if ((!mod && !is_op(x, OP_floordiv)) || !ir_expr_equal(x->arg[0], e))
            continue;
        IrExpr *other = ir_op(d->l->cx, mod ? OP_floordiv : OP_mod,
                              ir_copy_expr(d->l->cx, x->arg[0]), ir_copy_expr(d->l->cx, x->arg[1]));
        int had = d->n_bases;
        if (note_base(d, x->arg[1]) && tells(d, other, depth - 1))
            return true;
        d->n_bases = had;
    }
    return false;
}

/* Does e rise or fall by the same small number in each iteration? */
static bool
is_steady(const ParLoop *l, const IrExpr *e)
{
    IrAffine a;
    int64_t by = 0, step;
    if (!ir_affine((IrExpr *)e, &a) || !ir_is_const(l->s->idx[2], &step) || step < -MOST_SLOPE ||
        step > MOST_SLOPE)
        return false;
    for (int i = 0; i < a.n; i++) {
        if (ir_is_var(a.t[i].term, l->s->var))
            by = a.t[i].coef;
        else if (depend_local(l, a.t[i].term) || ir_loads(a.t[i].term))
            return false;
    }
    if (by < -MOST_SLOPE || by > MOST_SLOPE)
        return false;
    by *= step;
    return by && by >= -MOST_SLOPE && by <= MOST_SLOPE; /* as par_distinct wants it */
}

/* The numbers that digits are of: e, and what e is a digit of. */
static const IrExpr *
number(Digits *d)
{
    for (int i = 0; i < d->n; i++) {
        const IrExpr *e = d->at[i];
        while (is_op(e, OP_floordiv) || is_op(e, OP_mod))
            e = e->arg[0];
        d->n_bases = 0;
        if (e != d->at[i] && is_steady(d->l, e) && tells(d, e, DEEPEST))
            return e;
    }
    return NULL;
}

/* ---- the tests ------------------------------------------------------------------------------- */

static void
need_at_least_1(ParLoop *l, const IrExpr *e)
{
    Cx *cx = l->cx;
    int64_t k;
    if (ir_is_const(e, &k) && k >= 1)
        return;
    par_need(l, (ParNeed){.e = ir_op(cx, OP_ge, ir_copy_expr(cx, e), ir_int(cx, DT_i64, 1))});
}

/* Each factor of e is at least 1, and so is their product, which doesn't wrap. */
static void
need_base(ParLoop *l, const IrExpr *e)
{
    Cx *cx = l->cx;
    if (is_op(e, OP_mul)) {
        need_base(l, e->arg[0]);
        need_base(l, e->arg[1]);
        IrExpr *back = ir_op(cx, OP_floordiv, ir_copy_expr(cx, e), ir_copy_expr(cx, e->arg[1]));
        par_need(l, (ParNeed){.e = ir_op(cx, OP_eq, back, ir_copy_expr(cx, e->arg[0]))});
    }
    need_at_least_1(l, e);
}

static void
need_bases_in(ParLoop *l, const IrExpr *e)
{
    if (is_op(e, OP_floordiv) || is_op(e, OP_mod)) {
        need_base(l, e->arg[1]);
        need_bases_in(l, e->arg[0]);
    }
}

/* Nothing in it but divisions by what L leaves alone. */
static bool
is_digit(const ParLoop *l, const IrExpr *e)
{
    while (is_op(e, OP_floordiv) || is_op(e, OP_mod)) {
        if (depend_local(l, e->arg[1]) || ir_loads(e->arg[1]))
            return false;
        e = e->arg[0];
    }
    return is_steady(l, e);
}

bool
depend_digits(ParLoop *l, const ParAccess *a, const ParAccess *b)
{
    Digits d = {.l = l};
    for (int i = 0; i < a->root->ndim && d.n < MOST_DIGITS; i++)
        if (a->idx[i] && b->idx[i] && ir_expr_equal(a->idx[i], b->idx[i]) &&
            is_digit(l, plain(a->idx[i])))
            d.at[d.n++] = plain(a->idx[i]);
    const IrExpr *x = d.n > 1 ? number(&d) : NULL;
    if (!x)
        return false;
    for (int i = 0; i < d.n; i++)
        need_bases_in(l, d.at[i]);
    /* that it is not negative, too */
    IrExpr *rises = ir_op(l->cx, OP_wrap, ir_copy_expr(l->cx, x), ir_dim(l->cx, a->root, 0));
    par_need(l, (ParNeed){.distinct = rises, .x = a->root, .axis = 0});
    return true;
}
