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

/* ---- blocks of indices ----------------------------------------------------------------- */

typedef struct Ends { /* least .. most */
    IrExpr *least, *most;
} Ends;

/* False: there is no room for one more. */
static bool
add_once(IrExpr **list, int *n, int most, IrExpr *e)
{
    for (int i = 0; i < *n; i++)
        if (ir_expr_equal(list[i], e))
            return true;
    if (*n == most)
        return false;
    list[(*n)++] = e;
    return true;
}

static bool
add_part(ParBlock *k, IrExpr *e)
{
    enum { MOST = 64 }; /* of less than 2 ** 48 each */
    if (++k->n_uses > MOST)
        return false;
    return add_once(k->part, &k->n_parts, BLOCK_PARTS, e);
}

static bool
add_wrap(ParBlock *k, IrExpr *e)
{
    return add_once(k->wrap, &k->n_wraps, BLOCK_WRAPS, e);
}

/* lo <= e <= hi, where e is small enough to be compared */
static bool
add_bounds(const ParLoop *l, ParBlock *k, IrExpr *e, int64_t lo, int64_t hi)
{
    IrExpr *low = lo ? ir_op(l->cx, OP_sub, e, ir_int(l->cx, DT_i64, lo)) : e;
    return add_wrap(k, low) && add_wrap(k, ir_op(l->cx, OP_sub, ir_int(l->cx, DT_i64, hi), e));
}

static bool ends_of(const ParLoop *l, ParBlock *k, IrExpr *e, int depth, Ends *out);

/* Rows of an array with one axis: r * w + c. Neither is negative, an empty range of r ends at -1 at
 * least, and the product is no more than what may be added. */
static bool
ends_of_product(const ParLoop *l, ParBlock *k, const IrExpr *e, const Ends *a, int depth, Ends *out)
{
    const int64_t factor = (int64_t)1 << 31, product = (int64_t)1 << 47;
    Ends b;
    if (!ends_of(l, k, e->arg[1], depth + 1, &b))
        return false;
    bool first = ir_expr_equal(a->least, a->most); /* it is one number in an iteration */
    IrExpr *by = first ? a->least : b.least;
    const Ends *x = first ? &b : a;
    if (!first && !ir_expr_equal(b.least, b.most))
        return false;
    out->least = ir_op(l->cx, OP_mul, x->least, by);
    out->most = ir_op(l->cx, OP_mul, x->most, by);
    return add_bounds(l, k, by, 0, factor) && add_bounds(l, k, x->least, 0, factor) &&
           add_bounds(l, k, x->most, -1, factor) &&
           add_wrap(k, ir_op(l->cx, OP_sub, ir_int(l->cx, DT_i64, product), out->least)) &&
           add_wrap(k, ir_op(l->cx, OP_sub, ir_int(l->cx, DT_i64, product), out->most));
}

static bool
ends_of_range(const ParLoop *l, ParBlock *k, const ParRange *r, int depth, Ends *out)
{
    Ends lo, hi;
    if (!r->lo || !r->hi || !ends_of(l, k, r->lo, depth + 1, &lo) ||
        !ends_of(l, k, r->hi, depth + 1, &hi))
        return false;
    out->least = lo.least;
    out->most = ir_op(l->cx, OP_sub, hi.most, ir_int(l->cx, DT_i64, 1));
    return true;
}

/* Sums, products, lesser and greater ones of inner loops' variables and of what L's iteration is
 * alone. */
static bool
ends_of(const ParLoop *l, ParBlock *k, IrExpr *e, int depth, Ends *out)
{
    enum { DEEPEST = 16 };
    bool varies = false;
    Ends a, b;
    if (depth > DEEPEST || e->dtype != DT_i64)
        return false;
    if (is_harmless(l, e, &varies)) {
        *out = (Ends){e, e};
        return add_part(k, e);
    }
    const ParRange *r = e->kind == IX_VAR ? depend_range(l, e->var) : NULL;
    if (r)
        return !r->is ? ends_of_range(l, k, r, depth, out) : ends_of(l, k, r->is, depth + 1, out);
    if (e->kind != IX_OP || e->n > 2 || !ends_of(l, k, e->arg[0], depth + 1, &a))
        return false;
    if (e->op == OP_wrap) {
        *out = a;
        return add_wrap(k, a.least);
    }
    if (e->op == OP_mul)
        return ends_of_product(l, k, e, &a, depth, out);
    bool grows = e->op == OP_add || e->op == OP_min || e->op == OP_max;
    if ((!grows && e->op != OP_sub) || !ends_of(l, k, e->arg[1], depth + 1, &b))
        return false;
    out->least = ir_op(l->cx, (IrOp)e->op, a.least, grows ? b.least : b.most);
    out->most = ir_op(l->cx, (IrOp)e->op, a.most, grows ? b.most : b.least);
    return true;
}

/* Iterations have a part of some axis each, one behind the other: parts of n as i * n // m makes
 * them, say, of which nothing is known before it is seen where each begins and ends. */
static bool
need_blocks(ParLoop *l, const ParAccess *a, const ParAccess *b)
{
    Cx *cx = l->cx;
    for (int i = 0; i < a->root->ndim; i++) {
        ParBlock k = {0};
        Ends x, y;
        bool varies = false;
        if (!a->idx[i] || !b->idx[i] || !ends_of(l, &k, a->idx[i], 0, &x) ||
            !ends_of(l, &k, b->idx[i], 0, &y) ||
            (ir_expr_equal(x.least, x.most) && ir_expr_equal(y.least, y.most)))
            continue;
        bool one = ir_expr_equal(x.least, y.least), same = ir_expr_equal(x.most, y.most);
        k.first = one ? x.least : ir_op(cx, OP_min, x.least, y.least);
        IrExpr *last = same ? x.most : ir_op(cx, OP_max, x.most, y.most);
        k.end = ir_op(cx, OP_add, last, ir_int(cx, DT_i64, 1));
        if (!is_harmless(l, k.first, &varies) || !varies)
            continue;
        ParBlock *block = arena_dup(&cx->arena, &k, sizeof k);
        par_need(l, (ParNeed){.block = block, .x = a->root, .axis = i});
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
    return need_apart(&t, a, b) || depend_digits(l, a, b) || need_distinct(l, a, b) ||
           need_blocks(l, a, b);
}
