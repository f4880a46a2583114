/* SPDX-License-Identifier: BSD-3-Clause
 * What an `if` around an access says about its place: under `i == k` only one iteration comes
 * there; and where `i != j`, a[i, j] is not on the diagonal, as a[k, k] is in any iteration. */
#include "pass/analysis/depend.h"

/* Both run only where the same equation fixes L's variable. */
static bool
one_iteration_only(const ParLoop *l, const ParAccess *a, const ParAccess *b)
{
    for (int i = 0; i < a->n_conds; i++) {
        const IrExpr *e = a->conds[i].e;
        Poly x, y;
        int64_t k = 0;
        if (!a->conds[i].truth || e->kind != IX_OP || e->op != OP_eq ||
            !depend_poly(l, e->arg[0], &x) || !depend_poly(l, e->arg[1], &y) ||
            !poly_add(&x, &y, -1))
            continue;
        for (int n = 0; n < x.n; n++) { /* k * v + what L does not change */
            bool v = x.m[n].n == 1 && x.m[n].f[0]->var == l->s->var && x.m[n].f[0]->kind == IX_VAR;
            k = v ? x.m[n].k : k;
            for (int f = 0; !v && f < x.m[n].n; f++)
                if (depend_local(l, x.m[n].f[f]))
                    k = INT64_MIN;
            if (k == INT64_MIN)
                break;
        }
        if (!(k & 1)) /* an even one times v wraps to the same number for several v */
            continue;
        for (int n = 0; n < b->n_conds; n++)
            if (b->conds[n].truth && ir_expr_equal(b->conds[n].e, e))
                return true;
    }
    return false;
}

/* 1: x - y > 0 where it comes out so, -1: < 0, 2: one of both; 0: not said */
static int
relation(const IrExpr *e, bool truth)
{
    switch (e->op) {
    case OP_ne:
        return truth ? 2 : 0;
    case OP_eq:
        return truth ? 0 : 2;
    case OP_lt:
    case OP_ge:
        return truth == (e->op == OP_lt) ? -1 : 0;
    case OP_gt:
    case OP_le:
        return truth == (e->op == OP_gt) ? 1 : 0;
    default:
        return 0;
    }
}

/* The condition excludes that d is zero. */
static bool
excludes(const ParLoop *l, const IrExpr *e, bool truth, const Poly *d)
{
    Poly x, y, sum, gap;
    int64_t k;
    if (e->kind != IX_OP)
        return false;
    if (e->op == OP_inv)
        return excludes(l, e->arg[0], !truth, d);
    if (e->op == (truth ? OP_and : OP_or) && e->dtype == DT_bool)
        return excludes(l, e->arg[0], truth, d) || excludes(l, e->arg[1], truth, d);
    int sign = relation(e, truth);
    if (!sign || !depend_poly(l, e->arg[0], &x) || !depend_poly(l, e->arg[1], &y) ||
        !poly_add(&x, &y, -1))
        return false;
    sum = gap = *d; /* d is more than x by gap, or more than -x by sum */
    if (poly_add(&gap, &x, -1) && poly_is_const(&gap, &k) &&
        (k == 0 || (sign == 1 && k > 0) || (sign == -1 && k < 0)))
        return true;
    return poly_add(&sum, &x, 1) && poly_is_const(&sum, &k) &&
           (k == 0 || (sign == 1 && k < 0) || (sign == -1 && k > 0));
}

/* On a diagonal, index by index, there is b, and a is not. */
static bool
off_diagonal(const ParLoop *l, const ParAccess *a, const ParAccess *b)
{
    int nd = a->root->ndim < PAR_MAX_NDIM ? a->root->ndim : PAR_MAX_NDIM;
    for (int i = 0; i < nd; i++)
        for (int k = i + 1; k < nd; k++) {
            if (!a->poly[i] || !a->poly[k] || !b->poly[i] || !b->poly[k])
                continue;
            Poly d = *a->poly[i], of_b = *b->poly[i];
            int64_t c;
            if (!poly_add(&d, a->poly[k], -1) || !poly_add(&of_b, b->poly[k], -1) ||
                !poly_is_const(&of_b, &c) || !poly_add_const(&d, -c))
                continue;
            for (int n = 0; n < a->n_conds; n++)
                if (excludes(l, a->conds[n].e, a->conds[n].truth, &d))
                    return true;
        }
    return false;
}

bool
depend_excluded(const ParLoop *l, const ParAccess *a, const ParAccess *b)
{
    if (one_iteration_only(l, a, b))
        return true;
    return a->poly && b->poly && (off_diagonal(l, a, b) || off_diagonal(l, b, a));
}
