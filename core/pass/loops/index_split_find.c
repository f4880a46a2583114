/* SPDX-License-Identifier: BSD-3-Clause
 * Which expressions of a loop's body change at certain iterations only: takes a statement and what
 * is known where it stands, and notes comparisons, min, max, abs, mod and wraparounds of integers
 * of which the difference that decides is the loop variable, up to its sign, plus what the loop
 * leaves alone. Such a difference is a number only where neither side has wrapped, and so is the
 * iteration where its sign changes: what can't be shown to fit is not noted, or clipped where that
 * says the same. */
#include "pass/loops/index_split.h"

/* ---- a point --------------------------------------------------------------------------------- */

/* e as a form that is the same number: of what it is made of, or of itself. */
static void
number_of(Know *k, IrExpr *e, IrAffine *out)
{
    if (!know_affine(k, e, out) || !know_fits(k, out, FITS, FIT_AT_ONCE))
        *out = (IrAffine){.n = 1, .t = {{e, 1}}};
}

/* Can the point be computed without wrapping? One term and a constant: clipped, so that no
 * iteration is on the other side of it. */
static bool
exact_point(Know *k, IrAffine *a)
{
    const int64_t small = (int64_t)1 << 40;
    if (know_fits(k, a, FITS, FIT_AT_ONCE))
        return true;
    if (a->n != 1 || a->t[0].coef != 1 || a->c0 > small || a->c0 < -small)
        return false;
    bool up = a->c0 > 0;
    IrExpr *end = ir_int(k->cx, DT_i64, (up ? INT64_MAX : INT64_MIN) - a->c0);
    a->t[0].term = ir_op(k->cx, up ? OP_min : OP_max, ir_copy_expr(k->cx, a->t[0].term), end);
    return true;
}

static int64_t
coef_of(const IrAffine *a, const IrVar *v)
{
    for (int i = 0; i < a->n; i++)
        if (ir_is_var(a->t[i].term, v))
            return a->t[i].coef;
    return 0;
}

/* The loop whose iterations decide: the innermost one with its variable in d, but those that are as
 * good as unrolled. */
static SplitLoop *
deciding_loop(const Splitter *k, const IrAffine *d)
{
    for (SplitLoop *l = k->inner; l; l = l->outer)
        if (!l->slack && coef_of(d, l->s->var))
            return l;
    return NULL;
}

/* Adds the extremes of c * (the variable of a loop of few, known trips inside of l). */
static bool
add_slack(const Splitter *k, const SplitLoop *l, const IrExpr *term, int64_t c, IrAffine *least,
          IrAffine *most)
{
    for (const SplitLoop *in = k->inner; in != l; in = in->outer) {
        if (!ir_is_var(term, in->s->var))
            continue;
        if (!in->fixed || !in->slack || c > 1024 || c < -1024)
            return false;
        IrAffine a = {.c0 = in->least * c}, b = {.c0 = in->most * c};
        return ir_affine_add(least, c > 0 ? &a : &b, 1) && ir_affine_add(most, c > 0 ? &b : &a, 1);
    }
    return false;
}

/* d >= 0, where l's variable decides. */
static bool
make_test(Splitter *k, SplitLoop *l, const IrAffine *d, SplitTest *t)
{
    IrAffine least = {.c0 = d->c0}, most = {.c0 = d->c0}, one = {.c0 = 1};
    int64_t sign = coef_of(d, l->s->var);
    if (sign != 1 && sign != -1)
        return false;
    for (int i = 0; i < d->n; i++) {
        const IrExpr *term = d->t[i].term;
        IrAffine a = {.n = 1, .t = {{term, d->t[i].coef}}};
        if (ir_is_var(term, l->s->var))
            continue;
        if (ir_invariant(term, l->fx) && !ir_loads(term)) {
            if (!ir_affine_add(&least, &a, 1) || !ir_affine_add(&most, &a, 1))
                return false;
        } else if (!add_slack(k, l, term, d->t[i].coef, &least, &most)) {
            return false;
        }
    }
    *t = (SplitTest){.rises = sign > 0};
    bool ok = sign > 0 ? ir_affine_add(&t->lo, &most, -1) && ir_affine_add(&t->hi, &least, -1)
                       : ir_affine_add(&t->lo, &least, 1) && ir_affine_add(&t->hi, &most, 1) &&
                             ir_affine_add(&t->lo, &one, 1) && ir_affine_add(&t->hi, &one, 1);
    return ok && exact_point(&k->w.k, &t->lo) && exact_point(&k->w.k, &t->hi);
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* Adds the test x - y - c >= 0 to the atom; *l: the loop that it is of, or NULL yet. */
static bool
add_test(Splitter *k, SplitAtom *a, SplitLoop **l, IrExpr *x, IrExpr *y, int64_t c)
{
    Know *kn = &k->w.k;
    IrAffine d, b, less = {.c0 = -1}, by = {.c0 = -c};
    SplitTest *t = &a->test[a->n++];
    number_of(kn, x, &d);
    number_of(kn, y, &b);
    if (!ir_affine_add(&d, &b, -1) || !ir_affine_add(&d, &by, 1) || !ir_affine_add(&less, &d, -1))
        return false;
    SplitLoop *own = deciding_loop(k, &d);
    if (!own || !own->plain || (*l && *l != own))
        return false;
    *l = own;
    if (know_prove(kn, &d) || know_prove(kn, &less)) {
        *t = (SplitTest){.settled = know_prove(kn, &d) ? 1 : -1};
        return true;
    }
    return make_test(k, own, &d, t);
}

/* (x + n) % n is x % n, for those who know % of other languages write the one for the other. */
static void
drop_period(Splitter *k, IrExpr *e)
{
    Know *kn = &k->w.k;
    IrAffine n, v;
    number_of(kn, e->arg[0], &v);
    number_of(kn, e->arg[1], &n);
    int at = 0;
    while (n.n == 1 && at < v.n && !ir_expr_equal(v.t[at].term, n.t[0].term))
        at++;
    if (n.n != 1 || n.c0 || n.t[0].coef != 1 || at == v.n || v.t[at].coef < 1 || v.n < 2 ||
        !ir_affine_add(&v, &n, -v.t[at].coef) || !know_fits(kn, &v, FITS, FIT_AT_ONCE))
        return;
    IrExpr *x = ir_affine_expr(k->cx, &v);
    if (!ir_loads(x))
        e->arg[0] = x;
}

/* A quotient of -1, 0 or 1 only. */
static bool
add_mod(Splitter *k, SplitAtom *a, SplitLoop **l, IrExpr *x, IrExpr *y)
{
    Know *kn = &k->w.k;
    IrAffine n, v, low, high = {.c0 = -1}, positive;
    IrExpr *zero = ir_int(k->cx, DT_i64, 0);
    number_of(kn, x, &v);
    number_of(kn, y, &n);
    positive = n;
    positive.c0 -= 1;
    low = v;
    return n.n && know_prove(kn, &positive) && ir_affine_add(&low, &n, 1) &&
           ir_affine_add(&high, &n, 2) && ir_affine_add(&high, &v, -1) && know_prove(kn, &low) &&
           know_prove(kn, &high) && add_test(k, a, l, x, zero, 0) && add_test(k, a, l, x, y, 0);
}

/* Where both sides are equal, the side with the loop variable in it: its part is one longer. */
static bool
add_extreme(Splitter *k, SplitAtom *a, SplitLoop **l, IrExpr *x, IrExpr *y)
{
    if (!add_test(k, a, l, x, y, 0))
        return false;
    if (a->test[0].settled || a->test[0].rises != (a->e->op == OP_min))
        return true;
    a->n = 0;
    return add_test(k, a, l, x, y, 1);
}

static bool
add_tests(Splitter *k, SplitAtom *a, SplitLoop **l)
{
    IrExpr *e = a->e, *x = e->arg[0], *y = e->n > 1 ? e->arg[1] : NULL;
    switch (e->op) {
    case OP_lt:
    case OP_ge:
        return add_test(k, a, l, x, y, 0);
    case OP_min:
    case OP_max:
        return add_extreme(k, a, l, x, y);
    case OP_le:
    case OP_gt:
        return add_test(k, a, l, x, y, 1);
    case OP_eq:
    case OP_ne:
        return add_test(k, a, l, x, y, 0) && add_test(k, a, l, x, y, 1);
    case OP_abs:
    case OP_wrap:
        return add_test(k, a, l, x, ir_int(k->cx, DT_i64, 0), 0);
    case OP_mod:
        return add_mod(k, a, l, x, y);
    default:
        return false;
    }
}

IrExpr *
split_piece(Cx *cx, const SplitAtom *a, const int *truth)
{
    IrExpr *e = a->e, *x = e->arg[0], *y = e->n > 1 ? e->arg[1] : NULL;
    int t = truth[0], u = truth[1];
    if (e->op == OP_eq || e->op == OP_ne) {
        bool outside = t < 0 || u > 0;
        return outside || (t > 0 && u < 0) ? ir_int(cx, DT_bool, outside == (e->op == OP_ne))
                                           : NULL;
    }
    if (!t || (e->op == OP_mod && !u))
        return NULL;
    switch (e->op) {
    case OP_lt:
    case OP_le:
        return ir_int(cx, DT_bool, t < 0);
    case OP_gt:
    case OP_ge:
        return ir_int(cx, DT_bool, t > 0);
    case OP_min:
        return t > 0 ? y : x;
    case OP_max:
        return t > 0 ? x : y;
    case OP_abs:
        return t > 0 ? x : ir_op(cx, OP_neg, x);
    case OP_wrap:
        return t > 0 ? x : ir_op(cx, OP_add, y, x);
    default: /* mod */
        return t < 0 ? ir_op(cx, OP_add, x, y) : u > 0 ? ir_op(cx, OP_sub, x, y) : x;
    }
}

/* Does the test cost more than a comparison in each lane? Not where a loop inside is what takes the
 * time. */
static bool
is_inmost(const Splitter *k)
{
    const SplitLoop *l = k->inner;
    while (l && l->slack)
        l = l->outer;
    return l && !l->nested;
}

static void
note(Splitter *k, IrExpr *e)
{
    SplitAtom a = {.e = e};
    SplitLoop *l = NULL;
    k->w.k.sure = true;
    if (e->op == OP_mod)
        drop_period(k, e);
    bool ok = is_inmost(k) && add_tests(k, &a, &l) && l->atoms.n < SPLIT_ATOMS;
    k->w.k.sure = false;
    if (ok)
        VEC_PUSH(&k->cx->arena, l->atoms, a);
}

/* counts: e decides where memory is touched, or which code runs. */
static void
look(Splitter *k, IrExpr *e, bool counts)
{
    if (!e || e->n == 0)
        return;
    bool integers = e->kind == IX_OP && e->arg[0]->dtype == DT_i64, some = false;
    if (e->kind == IX_OP && e->op == OP_select) {
        bool both = counts || ir_loads(e->arg[1]) || ir_loads(e->arg[2]);
        look(k, e->arg[0], both);
        look(k, e->arg[1], counts);
        look(k, e->arg[2], counts);
        return;
    }
    if (integers && op_info[e->op].flags & OPF_COMPARES)
        some = counts;
    else if (integers)
        some =
            e->op == OP_mod ||
            (counts && (e->op == OP_min || e->op == OP_max || e->op == OP_abs || e->op == OP_wrap));
    if (some)
        note(k, e);
    for (int i = 0; i < e->n; i++)
        look(k, e->arg[i], counts || e->kind == IX_LOAD);
}

void
split_find(Splitter *k, IrStmt *s)
{
    bool decides = s->kind == IS_IF || s->kind == IS_WHILE || s->kind == IS_CHECK_INDEX ||
                   s->kind == IS_LOOP ||
                   (s->kind == IS_SET && (s->var->dtype == DT_bool || s->var->dtype == DT_i64));
    if (s->kind == IS_CHECK || s->kind == IS_ASSUME || (s->kind == IS_LOOP && !split_is_slack(s)))
        return;
    look(k, s->e, decides);
    for (int i = 0; i < s->n_idx; i++)
        look(k, s->idx[i], true);
}
