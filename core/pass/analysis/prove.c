/* SPDX-License-Identifier: BSD-3-Clause
 * Proves a >= 0 from what is known. A term of `a` with a positive coefficient needs a lower
 * bound, one with a negative coefficient an upper bound; each known inequality that has the
 * term with the same sign gives one: a = a' + m * fact, m > 0, and a' >= 0 is left to prove,
 * without the term. The search is depth first, newest fact first, and gives up early: an index
 * check that stays is no disaster. */
#include "ir/search.h"
#include "pass/analysis/know.h"

enum {
    MAX_DEPTH = 9,
    BUDGET = 120,
    NEAR_DEPTH = 3, /* first: else all is spent on what was learnt last */
    NEAR_BUDGET = 60,
    FIT_DEPTH = 9,
    FIT_BUDGET = 120,
    NESTED_BUDGET = 40,
    STRAIGHT_BUDGET = 24,
    FUEL = 60,
    SCAN = 1000,
    SCAN_LAST = 40 /* when the budget is spent */
};

static bool prove(Know *k, const IrAffine *a, int depth);

/* ---- one step -------------------------------------------------------------------------------- */

static bool
scale(IrAffine *a, int64_t m)
{
    IrAffine zero = {0};
    if (m == 1)
        return true;
    if (!ir_affine_add(&zero, a, m))
        return false;
    *a = zero;
    return true;
}

/* *out = s * a + s - 1 - m * fact with s, m > 0 so that term i of a goes; in integers a >= 0
 * when s * a > -s. false: the fact bounds the
 * term from the other side, or not at all. */
static bool
eliminate(const IrAffine *a, int i, const IrAffine *fact, IrAffine *out)
{
    int64_t c = a->t[i].coef, f = 0;
    for (int j = 0; j < fact->n && !f; j++)
        if (ir_expr_equal(fact->t[j].term, a->t[i].term))
            f = fact->t[j].coef;
    if (f == 0 || (f > 0) != (c > 0) || f == INT64_MIN || c == INT64_MIN)
        return false;
    int64_t g = gcd_i64(c, f), s = (f < 0 ? -f : f) / g, m = (c < 0 ? -c : c) / g;
    IrAffine terms = *fact;
    *out = *a;
    out->c0 = terms.c0 = 0;
    if (!scale(out, s) || !ir_affine_add(out, &terms, -m))
        return false;
    __extension__ typedef __int128 Wide;
    Wide c0 = (Wide)a->c0 * s + (s - 1) - (Wide)fact->c0 * m;
    out->c0 = c0 > INT64_MAX ? INT64_MAX : (int64_t)c0; /* a smaller one is harder to prove */
    return c0 >= INT64_MIN;
}

/* The newest inequality about the term from `*u` on, which then is the next one. */
static const Known *
next_fact(Know *k, const KnownUse **u)
{
    if (k->budget <= 0 && k->scan > SCAN_LAST)
        k->scan = SCAN_LAST;
    while (*u && k->scan > 0) {
        const Known *x = &k->at.at[(*u)->entry];
        *u = (*u)->next;
        k->scan--;
        trace_work++;
        if (x->kind == K_FACT && !(x->needs && k->sure))
            return x;
    }
    return NULL;
}

/* ---- what a term itself says ----------------------------------------------------------------- */

/* a += c * the form of e. Of a FACT a >= 0, c times the form may be no less than c times e; of a
 * GOAL, no more. */
enum { FACT, GOAL };

static bool
add_expr(Know *k, IrAffine *a, IrExpr *e, int64_t c, int what, int depth)
{
    IrAffine b;
    int sides = (c > 0) == (what == GOAL) ? FITS_ABOVE : FITS_BELOW;
    return ir_affine(e, &b) && ir_affine_add(a, &b, c) && know_fits(k, &b, sides, depth - 1);
}

static IrAffine
term_affine(const IrExpr *t, int64_t coef)
{
    return (IrAffine){.n = 1, .t = {{t, coef}}};
}

/* The n-th inequality that holds for the term, bounding it from below (sign > 0) or above. */
static bool
quotient_fact(Know *k, const IrExpr *t, int sign, int depth, IrAffine *f)
{
    int64_t c;
    if (!ir_is_const(t->arg[1], &c))
        return t->op == OP_floordiv && know_quotient(k, t, sign, depth, f);
    if (t->op == OP_shr)
        c = c >= 0 && c < 62 ? (int64_t)1 << c : 0;
    if (c <= 0)
        return false;
    /* c*t <= x <= c*t + c - 1 */
    *f = term_affine(t, sign > 0 ? c : -c);
    f->c0 = sign > 0 ? c - 1 : 0;
    return add_expr(k, f, t->arg[0], sign > 0 ? -1 : 1, FACT, depth);
}

static bool
mod_fact(Know *k, const IrExpr *t, int sign, int depth, IrAffine *f)
{
    IrAffine b = {.c0 = -1};
    if (!add_expr(k, &b, t->arg[1], 1, GOAL, depth) || !prove(k, &b, depth - 1))
        return false; /* the divisor is not known to be positive */
    *f = term_affine(t, sign);
    if (sign < 0)
        return ir_affine_add(f, &b, 1);
    return true;
}

static bool
range_fact(const IrExpr *t, int sign, IrAffine *f)
{
    int64_t lo, hi;
    if (!know_term_range(t, &lo, &hi))
        return false;
    *f = term_affine(t, sign);
    f->c0 = sign > 0 ? -lo : hi;
    return true;
}

/* min is at most either, max at least either: the n-th of them. */
static bool
choice_fact(Know *k, const IrExpr *t, int sign, int n, int depth, IrAffine *f)
{
    if (n > 1 || t->op != (sign > 0 ? OP_max : OP_min))
        return false;
    *f = term_affine(t, sign);
    return add_expr(k, f, t->arg[n], -sign, FACT, depth);
}

/* Of the least int64 the absolute value is itself. */
static bool
abs_fact(Know *k, const IrExpr *t, int sign, int n, int depth, IrAffine *f)
{
    IrAffine x = {.c0 = INT64_MAX};
    if (sign < 0 || n > 2 || !add_expr(k, &x, t->arg[0], 1, GOAL, depth) ||
        !prove(k, &x, depth - 1))
        return false;
    *f = term_affine(t, 1);
    return n == 0 || add_expr(k, f, t->arg[0], n == 1 ? -1 : 1, FACT, depth);
}

static bool
term_fact(Know *k, const IrExpr *t, int sign, int n, int depth, IrAffine *f)
{
    if (t->kind == IX_DIM) {
        *f = term_affine(t, 1);
        return n == 0 && sign > 0;
    }
    if (n == 0 && range_fact(t, sign, f))
        return true;
    if (t->kind != IX_OP)
        return false;
    switch (t->op) {
    case OP_floordiv:
    case OP_shr:
        return n == 0 && quotient_fact(k, t, sign, depth, f);
    case OP_mod:
        return n == 0 && mod_fact(k, t, sign, depth, f);
    case OP_min:
    case OP_max:
        return choice_fact(k, t, sign, n, depth, f);
    case OP_abs:
        return abs_fact(k, t, sign, n, depth, f);
    default:
        return false;
    }
}

/* ---- products -------------------------------------------------------------------------------- */

static bool
times(Cx *cx, const IrAffine *a, IrExpr *by, IrAffine *out)
{
    Know none = {.cx = cx};
    IrExpr *two[2] = {ir_affine_expr(cx, a), by};
    return know_affine(&none, ir_raw_op(cx, OP_mul, two), out);
}

/* Calls `fn` with what is left of `a` after each bound of its term i, a product x * y with
 * y >= 0: what bounds x, times y, bounds the product. x is either operand that these effects change
 * (NULL: either). */
typedef bool (*RestFn)(Know *k, const IrAffine *rest, int depth, void *arg);

static bool
each_product(Know *k, const IrAffine *a, int i, const IrEffects *fx, int depth, RestFn fn,
             void *arg)
{
    const IrExpr *t = a->t[i].term;
    for (int side = 0; side < 2; side++) {
        IrExpr *x = t->arg[side], *y = t->arg[1 - side];
        IrAffine f, prod, rest;
        if (fx && ir_invariant(x, fx))
            continue;
        if (!ir_affine(y, &f) || !prove(k, &f, depth - 1))
            continue;
        IrAffine lone = term_affine(x, a->t[i].coef > 0 ? 1 : -1);
        const KnownUse *u = know_facts_on(k, x, lone.t[0].coef > 0);
        for (const Known *fact; k->budget > 0 && (fact = next_fact(k, &u));) {
            if (fact->check || !eliminate(&lone, 0, &fact->a, &f))
                continue;
            uint64_t needs = fact->needs;
            if (times(k->cx, &fact->a, y, &prod) && eliminate(a, i, &prod, &rest) &&
                fn(k, &rest, depth - 1, arg)) {
                k->used |= needs;
                return true;
            }
        }
        if (a->t[i].coef > 0 && prove(k, &lone, depth - 1)) { /* both >= 0 */
            rest = *a;
            rest.t[i] = rest.t[--rest.n];
            if (fn(k, &rest, depth - 1, arg))
                return true;
        }
    }
    return false;
}

static bool
prove_rest(Know *k, const IrAffine *rest, int depth, void *arg)
{
    (void)arg;
    return prove(k, rest, depth);
}

/* ---- either of two --------------------------------------------------------------------------- */

static bool
prove_with(Know *k, const IrAffine *a, int i, IrExpr *e, int depth)
{
    IrAffine r = *a;
    int64_t c = r.t[i].coef;
    r.t[i] = r.t[--r.n];
    return add_expr(k, &r, e, c, GOAL, depth) && prove(k, &r, depth - 1);
}

static bool
prove_when(Know *k, const IrAffine *a, int i, const IrExpr *select, bool truth, int depth)
{
    if (k->cases >= 4)
        return false;
    KnowMark m = know_mark(k);
    int save = k->budget;
    uint64_t used = k->used;
    k->cases++;
    know_cond(k, select->arg[0], truth);
    k->budget = save;
    k->used = used;
    bool ok = prove_with(k, a, i, select->arg[truth ? 1 : 2], depth);
    k->cases--;
    know_cut(k, m);
    return ok;
}

/* min from below, max from above, select from both sides: it holds for each operand. */
static bool
prove_cases(Know *k, const IrAffine *a, int i, int depth)
{
    const IrExpr *t = a->t[i].term;
    bool below = a->t[i].coef > 0;
    if (t->kind != IX_OP || t->dtype != DT_i64)
        return false;
    if (t->op == (below ? OP_min : OP_max))
        return prove_with(k, a, i, t->arg[0], depth) && prove_with(k, a, i, t->arg[1], depth);
    return t->op == OP_select && prove_when(k, a, i, t, true, depth) &&
           prove_when(k, a, i, t, false, depth);
}

/* ---- the search ------------------------------------------------------------------------------ */

static int
rank(const IrExpr *t)
{
    return t->kind == IX_VAR ? 3 : t->kind == IX_DIM ? 1 : 2;
}

static int
first_term(const IrAffine *a)
{
    int best = 0;
    for (int i = 1; i < a->n; i++)
        if (rank(a->t[i].term) > rank(a->t[best].term))
            best = i;
    return best;
}

/* Terms that the goal had at first, and that facts in use have taken away. */
typedef struct Gone {
    const IrExpr *term;
    const struct Gone *before;
} Gone;

static bool
comes_back(const IrAffine *a, const Gone *gone)
{
    for (; gone; gone = gone->before)
        for (int i = 0; i < a->n; i++)
            if (ir_expr_equal(a->t[i].term, gone->term))
                return true;
    return false;
}

/* By facts about term i of a. */
static bool
prove_by_facts(Know *k, const IrAffine *a, int i, int depth)
{
    IrAffine rest;
    const Gone *before = k->gone;
    Gone gone = {a->t[i].term, before};
    bool ok = false;
    const KnownUse *u = know_facts_on(k, gone.term, a->t[i].coef > 0);
    for (const Known *x; !ok && (x = next_fact(k, &u));) {
        uint64_t needs = x->needs;
        if ((k->bounding && x->check) || !eliminate(a, i, &x->a, &rest) ||
            (k->straight && comes_back(&rest, before)))
            continue;
        k->gone = &gone;
        ok = prove(k, &rest, depth - 1);
        k->gone = before;
        k->used |= ok ? needs : 0;
    }
    return ok;
}

static bool
prove(Know *k, const IrAffine *a, int depth)
{
    IrAffine f, rest;
    if (a->n == 0)
        return a->c0 >= 0;
    if (know_never_negative(k, a))
        return true;
    if (depth <= 0 || k->budget-- <= 0)
        return false;
    int i = first_term(a);
    const IrExpr *t = a->t[i].term;
    int sign = a->t[i].coef > 0 ? 1 : -1;
    for (int n = 0; term_fact(k, t, sign, n, depth, &f); n++)
        if (eliminate(a, i, &f, &rest) && prove(k, &rest, depth - 1))
            return true;
    if (prove_by_facts(k, a, i, depth))
        return true;
    if (k->products && t->kind == IX_OP && t->op == OP_mul &&
        each_product(k, a, i, NULL, depth, prove_rest, NULL))
        return true;
    return prove_cases(k, a, i, depth);
}

/* It is known already, or something stronger by a constant. */
static bool
is_fact(Know *k, const IrAffine *a)
{
    for (const KnownUse *u = know_facts_like(k, a); u; u = u->next, trace_work++) {
        const Known *x = &k->at.at[u->entry];
        IrAffine rest = *a;
        if (x->kind != K_FACT || (x->needs && k->sure) || x->a.n != a->n ||
            !ir_affine_add(&rest, &x->a, -1) || rest.n || rest.c0 < 0)
            continue;
        k->used |= x->needs;
        return true;
    }
    return false;
}

/* What a case of a proof brings is learnt by proofs, which have cases: all together do no more than
 * a few would. */
static bool
begin(Know *k, int budget)
{
    k->fuel = k->cases ? k->fuel - 1 : FUEL;
    k->budget = k->cases && budget > NESTED_BUDGET ? NESTED_BUDGET : budget;
    k->scan = k->brief ? SCAN / 8 : SCAN;
    k->budget = k->brief && k->budget > NESTED_BUDGET ? NESTED_BUDGET : k->budget;
    return k->fuel > 0;
}

/* As a part of another proof, or FIT_AT_ONCE. */
bool
know_prove_more(Know *k, const IrAffine *a, int depth)
{
    if (depth == FIT_AT_ONCE) {
        if (!begin(k, FIT_BUDGET))
            return false;
        depth = FIT_DEPTH;
    }
    return prove(k, a, depth);
}

/* All may have been spent in circles, from a loop's variable to where it starts, and so to the
 * variable: once more without facts that bring back what is gone. */
static bool
prove_straight(Know *k, const IrAffine *a)
{
    if (!k->thorough || k->straight || !begin(k, STRAIGHT_BUDGET))
        return false;
    k->straight = true;
    bool ok = prove(k, a, MAX_DEPTH);
    k->straight = false;
    return ok;
}

bool
know_prove(Know *k, const IrAffine *a)
{
    if (is_fact(k, a) || (!k->cases && begin(k, NEAR_BUDGET) && prove(k, a, NEAR_DEPTH)))
        return true;
    return (begin(k, BUDGET) && prove(k, a, MAX_DEPTH)) || (k->budget <= 0 && prove_straight(k, a));
}

bool
know_implies_less(Know *k, IrExpr *x, IrExpr *y, int64_t gap)
{
    IrAffine a, b, d = {.c0 = -gap};
    if (!know_affine(k, y, &a) || !know_affine(k, x, &b))
        return false;
    return ir_affine_add(&d, &a, 1) && ir_affine_add(&d, &b, -1) && know_prove(k, &d) &&
           know_fits(k, &a, FITS_ABOVE, FIT_AT_ONCE) && know_fits(k, &b, FITS_BELOW, FIT_AT_ONCE);
}

static bool
implies_compare(Know *k, IrOp op, IrExpr *x, IrExpr *y)
{
    switch (op) {
    case OP_lt:
        return know_implies_less(k, x, y, 1);
    case OP_le:
        return know_implies_less(k, x, y, 0);
    case OP_gt:
        return know_implies_less(k, y, x, 1);
    case OP_ge:
        return know_implies_less(k, y, x, 0);
    case OP_eq:
        return know_implies_less(k, x, y, 0) && know_implies_less(k, y, x, 0);
    case OP_ne:
        return know_implies_less(k, x, y, 1) || know_implies_less(k, y, x, 1);
    default:
        return false;
    }
}

static IrOp
opposite(IrOp op)
{
    switch (op) {
    case OP_lt:
        return OP_ge;
    case OP_le:
        return OP_gt;
    case OP_gt:
        return OP_le;
    case OP_ge:
        return OP_lt;
    case OP_eq:
        return OP_ne;
    case OP_ne:
        return OP_eq;
    default:
        return OP_COUNT;
    }
}

static bool
is_zero(const IrExpr *e)
{
    return e->kind == IX_CONST && dtype_kind((DType)e->dtype) == DK_FLOAT && e->re == 0;
}

/* A float made of an integer compares with 0.0 as the integer does with 0. */
static IrExpr *
int_behind(Cx *cx, IrExpr *e)
{
    if (e->kind != IX_CAST || dtype_kind((DType)e->dtype) != DK_FLOAT || e->dtype == DT_f16)
        return NULL;
    DType d = (DType)e->arg[0]->dtype;
    return dtype_is_int(d) && d != DT_u64 ? ir_cast(cx, DT_i64, e->arg[0]) : NULL;
}

/* Does `test` coming out as `truth` mean that x is not 0.0? */
static bool
excludes_zero(const IrExpr *test, bool truth, const IrExpr *x)
{
    if (test->kind != IX_OP || test->n != 2 || test->arg[1]->kind != IX_CONST ||
        dtype_kind((DType)test->arg[1]->dtype) != DK_FLOAT)
        return false;
    const IrExpr *lhs = test->arg[0];
    double c = test->arg[1]->re;
    bool abs = lhs->kind == IX_OP && lhs->op == OP_abs && ir_expr_equal(lhs->arg[0], x);
    if (!abs && !ir_expr_equal(lhs, x))
        return false;
    if (!truth)
        return test->op == OP_eq && c == 0;
    switch (test->op) {
    case OP_ne:
        return c == 0;
    case OP_gt:
        return c >= 0;
    case OP_ge:
        return c > 0;
    case OP_lt:
        return c <= 0;
    case OP_le:
        return c < 0;
    case OP_eq:
        return c != 0 && c == c;
    default:
        return false;
    }
}

static bool
implied_by_test(Know *k, const IrExpr *e, bool truth)
{
    bool nonzero = truth && e->kind == IX_OP && e->op == OP_ne && is_zero(e->arg[1]);
    for (const KnownUse *u = know_tests(k, e); u; u = u->next, trace_work++) {
        const Known *x = &k->at.at[u->entry];
        if (x->kind == K_TRUE && x->truth == truth && ir_expr_equal(x->e, e))
            return true;
    }
    for (const KnownUse *u = nonzero ? know_tests_on(k, e->arg[0]) : NULL; u;
         u = u->next, trace_work++) {
        const Known *x = &k->at.at[u->entry];
        if (x->kind == K_TRUE && excludes_zero(x->e, x->truth, e->arg[0]))
            return true;
    }
    return false;
}

/* Is e > 0 (least: 1) or >= 0 (least: 0), or NaN, whatever its variables are? Rounding keeps an
 * order, but a product of positive numbers may come out as 0. */
static bool
float_at_least(Know *k, IrExpr *e, int least)
{
    if (dtype_kind((DType)e->dtype) != DK_FLOAT)
        return false;
    if (e->kind == IX_CONST)
        return least ? e->re > 0 : e->re >= 0;
    IrExpr *i = int_behind(k->cx, e);
    if (i)
        return implies_compare(k, least ? OP_gt : OP_ge, i, ir_int(k->cx, DT_i64, 0));
    if (e->kind != IX_OP)
        return false;
    IrExpr *x = e->arg[0], *y = e->arg[e->n > 1];
    switch (e->op) {
    case OP_add:
        return (float_at_least(k, x, least) && float_at_least(k, y, 0)) ||
               (float_at_least(k, x, 0) && float_at_least(k, y, least));
    case OP_mul:
        return !least &&
               (ir_expr_equal(x, y) || (float_at_least(k, x, 0) && float_at_least(k, y, 0)));
    case OP_div:
        return !least && float_at_least(k, x, 0) && float_at_least(k, y, 1); /* y: no -0.0 */
    case OP_sqrt:
        return float_at_least(k, x, least);
    case OP_abs:
    case OP_exp:
    case OP_exp2:
    case OP_hypot:
        return !least;
    case OP_cosh:
        return true;
    case OP_max:
        return float_at_least(k, x, least) || float_at_least(k, y, least);
    case OP_min:
        return float_at_least(k, x, least) && float_at_least(k, y, least);
    case OP_select:
        return float_at_least(k, y, least) && float_at_least(k, e->arg[2], least);
    default:
        return false;
    }
}

/* Tests of a float against 0.0, which its sign alone decides. NaN: only != is true. */
static bool
implied_by_sign(Know *k, IrOp op, IrExpr *x, bool truth)
{
    if (truth)
        return op == OP_ne && float_at_least(k, x, 1);
    if (op == OP_lt)
        return float_at_least(k, x, 0);
    return (op == OP_le || op == OP_eq) && float_at_least(k, x, 1);
}

static bool
implies(Know *k, IrExpr *e, bool truth)
{
    int64_t c;
    if (ir_is_const(e, &c))
        return (c != 0) == truth;
    if (implied_by_test(k, e, truth))
        return true;
    if (e->kind != IX_OP)
        return false;
    if (e->op == OP_inv)
        return implies(k, e->arg[0], !truth);
    if (e->n != 2)
        return false;
    IrExpr *x = e->arg[0], *y = e->arg[1];
    if (e->op == OP_eq && truth && know_fits_narrow(k, x, y))
        return true;
    if (x->dtype == DT_bool && (e->op == OP_and || e->op == OP_or)) {
        bool one = implies(k, x, truth);
        return (e->op == OP_and) == truth ? one && implies(k, y, truth)
                                          : one || implies(k, y, truth);
    }
    if (is_zero(y) && implied_by_sign(k, (IrOp)e->op, x, truth))
        return true;
    IrOp op = truth ? (IrOp)e->op : opposite((IrOp)e->op);
    IrExpr *i = is_zero(y) ? int_behind(k->cx, x) : NULL;
    if (i)
        return implies_compare(k, op, i, ir_int(k->cx, DT_i64, 0));
    return x->dtype == DT_i64 && implies_compare(k, op, x, y);
}

bool
know_implies(Know *k, IrExpr *e, bool truth)
{
    return implied_by_test(k, e, truth) || implies(k, know_canonical(k, e), truth);
}

/* ---- bounds that a loop leaves alone --------------------------------------------------------- */

enum { MORE = 30 }; /* steps to look for a better bound, when there is one */

typedef struct Bound {
    const IrEffects *fx;
    IrAffine best;
    bool any, plain, best_plain;
    uint64_t needs, best_needs;
} Bound;

/* The term to get rid of next: a min or max before the variables that it is made of, which may go
 * with it; n: none has to go. */
static int
changing_term(const IrAffine *a, const IrEffects *fx)
{
    int first = a->n;
    for (int i = a->n; i-- > 0;) {
        const IrExpr *t = a->t[i].term;
        if (ir_invariant(t, fx) && !ir_loads(t))
            continue;
        if (t->kind == IX_OP && (t->op == OP_min || t->op == OP_max))
            return i;
        first = i;
    }
    return first;
}

/* Nothing to test, but that no product wrapped. */
static bool
holds(Know *k, const IrAffine *a, int depth)
{
    if (!prove(k, a, depth))
        return false;
    for (int i = 0; i < a->n; i++)
        if (a->t[i].term->kind == IX_OP && a->t[i].term->op == OP_mul &&
            !know_need(k, a->t[i].term))
            return false;
    return true;
}

/* What the bound comes to, per element of a size, where all sizes are alike: below 0 it fails. */
static double
slope(const IrAffine *a)
{
    double sum = 0;
    for (int i = 0; i < a->n; i++) {
        const IrExpr *t = a->t[i].term;
        int64_t by;
        IrAffine x;
        bool quotient = t->kind == IX_OP && t->op == OP_floordiv && ir_is_const(t->arg[1], &by) &&
                        by > 0 && ir_affine(t->arg[0], &x);
        bool small = t->kind == IX_OP && t->op == OP_mod && ir_is_const(t->arg[1], &by);
        sum += (double)a->t[i].coef * (quotient ? slope(&x) / (double)by : small ? 0 : 1);
    }
    return sum;
}

static bool
is_better(const IrAffine *a, const IrAffine *than)
{
    IrAffine more = *a;
    if (ir_affine_add(&more, than, -1) && !more.n)
        return more.c0 > 0;
    return slope(than) < 0 && slope(a) > slope(than);
}

/* `a` is a bound. true: no need to look for another. */
static bool
take_bound(Know *k, Bound *b, const IrAffine *a, int depth)
{
    if (!a->n && a->c0 < 0)
        return false;
    bool first = !b->any, none = holds(k, a, depth);
    if (!none && !first && !is_better(a, &b->best))
        return false;
    b->any = true;
    b->best = none ? (IrAffine){0} : *a;
    b->best_plain = b->plain;
    b->best_needs = b->needs | k->used;
    if (first && k->budget > MORE)
        k->budget = MORE;
    return none || k->budget <= 0;
}

static bool
bound(Know *k, const IrAffine *a, int depth, void *arg)
{
    Bound *b = arg;
    int i = changing_term(a, b->fx);
    if (i == a->n)
        return take_bound(k, b, a, depth);
    if (depth <= 0 || k->budget-- <= 0)
        return false;
    IrAffine f, rest;
    const IrExpr *t = a->t[i].term;
    bool was = b->plain;
    const KnownUse *u = know_facts_on(k, t, a->t[i].coef > 0);
    for (const Known *x; (x = next_fact(k, &u));) {
        if (x->check || !eliminate(a, i, &x->a, &rest))
            continue;
        uint64_t needs = b->needs;
        b->needs |= x->needs;
        if (bound(k, &rest, depth - 1, arg))
            return true;
        b->needs = needs;
    }
    int sign = a->t[i].coef > 0 ? 1 : -1;
    for (int n = 0; term_fact(k, t, sign, n, depth, &f); n++)
        if (eliminate(a, i, &f, &rest) && bound(k, &rest, depth - 1, arg))
            return true;
    b->plain = was && t->kind != IX_OP;
    bool done =
        t->kind == IX_OP && t->op == OP_mul && each_product(k, a, i, b->fx, depth, bound, arg);
    b->plain = was;
    return done;
}

bool
know_bound(Know *k, const IrAffine *a, const IrEffects *fx, IrAffine *out, bool *plain)
{
    begin(k, BUDGET);
    Bound b = {.fx = fx, .plain = true};
    k->products = k->bounding = true;
    bound(k, a, MAX_DEPTH, &b);
    k->products = k->bounding = false;
    *out = b.best;
    *plain = b.best_plain;
    k->used = b.best_needs;
    return b.any;
}
