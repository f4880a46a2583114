/* SPDX-License-Identifier: BSD-3-Clause
 * What to test before L, so that two accesses never meet whose indices hang on values that are
 * known only then: that a block is no longer than its stride, that a shift reaches beyond the
 * loop or is none, that an index like i % k never comes back. The bounds are those of depend.c;
 * where they end in something that L does not change, that is compared when the program runs.
 * With b's iteration on either side of a's any one of the tests that were found will do. */
#include "pass/analysis/depend.h"

enum { MOST_WAYS = 6 };

/* ---- indices that are polynomials ---------------------------------------------------- */

/* Is there more in it than a fixed distance? That meets, unless L is very short. */
static bool
tells_more(const Test *t, const Poly *diff)
{
    for (int i = 0; i < diff->n; i++)
        if (diff->m[i].n > 1 || (diff->m[i].n == 1 && !poly_term_equal(diff->m[i].f[0], t->d)))
            return true;
    return false;
}

typedef struct Ways { /* each of which will do */
    IrExpr *any;
    int n;
    bool sure;
} Ways;

/* That p >= 1 whatever varies in it; NULL: no test tells. */
static IrExpr *
positive(Test *t, const Poly *p)
{
    Cx *cx = t->l->cx;
    Poly low = *p;
    int64_t k;
    t->steps = MAX_STEPS;
    t->told = NULL;
    if (!depend_bound(t, &low, false, 0))
        return NULL;
    if (depend_at_least(t, &low, 1))
        return t->told ? t->told : ir_int(cx, DT_bool, 1);
    IrExpr *e = poly_expr(cx, &low);
    if (poly_is_const(&low, &k) || ir_loads(e) || depend_local(t->l, e))
        return NULL;
    e = ir_op(cx, OP_gt, e, ir_int(cx, DT_i64, 0));
    return t->told ? ir_op(cx, OP_and, t->told, e) : e;
}

static void
add_way(Test *t, Ways *w, const Poly *diff)
{
    for (t->guess = 1; t->guess >= -1 && w->n < MOST_WAYS && !w->sure; t->guess -= 2) {
        int64_t yes;
        IrExpr *e = positive(t, diff);
        if (e && ir_is_const(e, &yes))
            w->sure = true;
        else if (e) {
            w->any = w->any ? ir_op(t->l->cx, OP_or, w->any, e) : e;
            w->n++;
        }
        if (!t->told) /* the same with another guess */
            break;
    }
    t->guess = 0;
}

static Ways
find_ways(Test *t, const ParAccess *a, const ParAccess *b, int sign)
{
    Ways w = {0};
    int nd = a->root->ndim < PAR_MAX_NDIM ? a->root->ndim : PAR_MAX_NDIM;
    t->sign = sign;
    for (int i = 0; i < nd; i++) {
        Poly diff, minus = {0};
        if (!depend_difference(t, a->poly[i], b->poly[i], &diff) || !tells_more(t, &diff))
            continue;
        add_way(t, &w, &diff);
        if (poly_add(&minus, &diff, -1))
            add_way(t, &w, &minus);
    }
    return w;
}

static bool
need_apart(Test *t, const ParAccess *a, const ParAccess *b)
{
    Ways w = find_ways(t, a, b, 1);
    Ways x = w.any || w.sure ? find_ways(t, a, b, -1) : w;
    if ((!w.any && !w.sure) || (!x.any && !x.sure))
        return false;
    IrExpr *e = w.sure ? x.any : x.sure ? w.any : ir_op(t->l->cx, OP_and, w.any, x.any);
    if (e)
        par_need(t->l, (ParNeed){.e = e, .sums = true});
    return true;
}

/* ---- any index of L's variable alone ------------------------------------------------- */

/* Its value can be had for each iteration before L. */
static bool
is_harmless(const ParLoop *l, const IrExpr *e, bool *varies)
{
    if (e->kind == IX_LOAD || e->kind == IX_GEO ||
        (e->kind == IX_OP && op_info[e->op].flags & OPF_PARTIAL))
        return false;
    if (e->var && e->var == l->s->var)
        *varies = true;
    else if (e->var && depend_local(l, e))
        return false;
    for (int i = 0; i < e->n; i++)
        if (!is_harmless(l, e->arg[i], varies))
            return false;
    return true;
}

/* In some axis both have the same index, which no other iteration has. */
static bool
need_distinct(ParLoop *l, const ParAccess *a, const ParAccess *b)
{
    for (int i = 0; i < a->root->ndim; i++) {
        bool varies = false;
        if (!a->idx[i] || !b->idx[i] || !ir_expr_equal(a->idx[i], b->idx[i]) ||
            !is_harmless(l, a->idx[i], &varies) || !varies)
            continue;
        par_need(l, (ParNeed){.distinct = a->idx[i], .x = a->root, .axis = i});
        return true;
    }
    return false;
}

bool
depend_need(ParLoop *l, const ParAccess *a, const ParAccess *b)
{
    if (!l->copies || l->cx->opt->debug || !a->idx || !b->idx || !a->poly || !b->poly)
        return false; /* under debug it is watched */
    Test t = depend_start(l);
    return need_apart(&t, a, b) || depend_digits(l, a, b) || need_distinct(l, a, b);
}
