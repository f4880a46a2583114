/* SPDX-License-Identifier: BSD-3-Clause
 * Can access a of one iteration of L and access b of another be to the same element? L's
 * variable is v in the one and v - d in the other, d any distance that occurs; inner
 * loops' variables are different ones in both. If for d > 0 and for d < 0 some index (or
 * the sum or difference of two) never agrees, the answer is no. "Never agrees" is shown
 * by constants, by the greatest common divisor of the coefficients, or by bounds:
 * variables are replaced by the ends of their ranges, innermost first, until only what L
 * does not change is left, and that has a sign. */
#include "pass/analysis/depend.h"

/* ---- indices as polynomials ------------------------------------------------------------------ */

const ParRange *
depend_range(const ParLoop *l, const IrVar *v)
{
    for (int i = l->ranges.n - 1; i >= 0; i--)
        if (l->ranges.at[i].var == v || l->ranges.at[i].prime == v)
            return &l->ranges.at[i];
    return NULL;
}

bool
depend_local(const ParLoop *l, const IrExpr *e)
{
    if (e->var && (e->var->id < 0 || e->var == l->s->var || par_is_local(l, e->var)))
        return true;
    for (int i = 0; i < e->n; i++)
        if (depend_local(l, e->arg[i]))
            return true;
    return false;
}

static bool
poly_of_op(const ParLoop *l, const IrExpr *e, Poly *out)
{
    Poly a, b;
    if (!depend_poly(l, e->arg[0], &a))
        return false;
    *out = (Poly){0};
    if (e->op == OP_neg)
        return poly_add(out, &a, -1);
    if (!depend_poly(l, e->arg[1], &b))
        return false;
    if (e->op == OP_mul)
        return poly_mul(&a, &b, out);
    *out = a;
    return poly_add(out, &b, e->op == OP_add ? 1 : -1);
}

bool
depend_poly(const ParLoop *l, const IrExpr *e, Poly *out)
{
    int64_t k;
    *out = (Poly){0};
    if (e->dtype != DT_i64)
        return false;
    if (ir_is_const(e, &k))
        return poly_add_const(out, k);
    if (e->kind == IX_OP &&
        (e->op == OP_add || e->op == OP_sub || e->op == OP_mul || e->op == OP_neg))
        return poly_of_op(l, e, out);
    return (e->kind == IX_VAR || !depend_local(l, e)) && poly_add_term(out, e, 1);
}

/* ---- signs ----------------------------------------------------------------------------------- */

static int64_t
least_of(const Test *t, const IrExpr *term)
{
    int64_t least = term->kind == IX_DIM ? 0 : INT64_MIN;
    for (int i = 0; i < t->n_facts; i++)
        if (poly_term_equal(t->fact[i].term, term) && t->fact[i].least > least)
            least = t->fact[i].least;
    return least < 0 && term->kind == IX_VAR && par_never_negative(t->l, term) ? 0 : least;
}

/* p >= k, when nothing in it changes in L */
bool
depend_at_least(const Test *t, const Poly *p, int64_t k)
{
    Poly q = *p, next;
    if (!poly_add_const(&q, -k))
        return false;
    for (int i = 0; i < t->n_facts;
         i++) { /* each term becomes its least value plus something >= 0 */
        const Fact *f = &t->fact[i];
        if (f->least != least_of(t, f->term) || !poly_has(&q, f->term))
            continue;
        Poly more = {0};
        if (!poly_add_term(&more, f->term, 1) || !poly_add_const(&more, f->least) ||
            !poly_subst(&q, f->term, &more, &next))
            return false;
        q = next;
    }
    for (int i = 0; i < q.n; i++) {
        if (q.m[i].k < 0)
            return false;
        for (int n = 0; n < q.m[i].n; n++)
            if (least_of(t, q.m[i].f[n]) == INT64_MIN)
                return false;
    }
    return true;
}

static void add_fact(Test *t, const IrExpr *term, int64_t least);

static bool
assume_positive(Test *t, const Poly *c)
{
    Cx *cx = t->l->cx;
    const IrExpr *e = c->n == 1 && c->m[0].n == 1 ? c->m[0].f[0] : NULL;
    if (!t->assume || !e || depend_local(t->l, e) || ir_loads(e) || t->n_facts == MAX_FACTS)
        return false;
    par_need(t->l,
             (ParNeed){.e = ir_op(cx, OP_ge, (IrExpr *)e, ir_int(cx, DT_i64, 1)), .sums = true});
    add_fact(t, e, 1);
    return true;
}

/* What L multiplies its variable with has the sign that is tried, to be tested before L. */
static int
guess_sign(Test *t, const Poly *c)
{
    Cx *cx = t->l->cx;
    IrExpr *e = poly_expr(cx, c);
    if (depend_local(t->l, e) || ir_loads(e))
        return 0;
    e = ir_op(cx, t->guess > 0 ? OP_gt : OP_lt, e, ir_int(cx, DT_i64, 0));
    t->told = t->told ? ir_op(cx, OP_and, t->told, e) : e;
    return t->guess;
}

/* 1: c >= 0, -1: c <= 0, 0: not known */
static int
sign_of(Test *t, const Poly *c, int nest)
{
    Poly low = *c, high = {0};
    if (depend_bound(t, &low, false, nest) && depend_at_least(t, &low, 0))
        return 1;
    if (poly_add(&high, c, -1) && depend_bound(t, &high, false, nest) &&
        depend_at_least(t, &high, 0))
        return -1;
    if (t->guess)
        return guess_sign(t, c);
    return !assume_positive(t, c) ? 0 : c->m[0].k > 0 ? 1 : -1;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

bool
par_is_min(const IrExpr *e, bool least, IrExpr **a, IrExpr **b)
{
    if (e->kind != IX_OP || e->dtype != DT_i64)
        return false;
    if (e->op == (least ? OP_min : OP_max)) {
        *a = e->arg[0];
        *b = e->arg[1];
        return true;
    }
    const IrExpr *c = e->op == OP_select ? e->arg[0] : NULL;
    if (!c || c->kind != IX_OP || !(op_info[c->op].flags & OPF_ORDERS))
        return false;
    bool first = ir_expr_equal(c->arg[0], e->arg[1]) && ir_expr_equal(c->arg[1], e->arg[2]);
    bool second = ir_expr_equal(c->arg[1], e->arg[1]) && ir_expr_equal(c->arg[0], e->arg[2]);
    bool less = c->op == OP_lt || c->op == OP_le;
    *a = e->arg[1];
    *b = e->arg[2];
    return least == less ? first : second;
}

/* Of min(x, y) as an upper end both will do: that which changes in L tells more. */
static bool
end_poly(const ParLoop *l, const IrExpr *e, bool greatest, Poly *out)
{
    if (!e)
        return false;
    IrExpr *a, *b;
    if (par_is_min(e, greatest, &a, &b)) {
        bool first = !depend_local(l, b);
        return end_poly(l, first ? a : b, greatest, out) ||
               end_poly(l, first ? b : a, greatest, out);
    }
    return depend_poly(l, e, out);
}

/* p of a's iteration, said for b's */
static bool
to_other(const Test *t, const Poly *p, Poly *out)
{
    ParLoop *l = t->l;
    Poly cur = *p, next;
    for (int i = 0; i < l->ranges.n; i++) {
        ParRange *r = &l->ranges.at[i];
        IrExpr var = {.kind = IX_VAR, .dtype = DT_i64, .var = r->var};
        if (!poly_has(&cur, &var))
            continue;
        if (!r->prime) {
            r->prime = NEW(&l->cx->arena, IrVar);
            *r->prime = (IrVar){.name = "other", .id = -1, .dtype = DT_i64};
        }
        Poly other = {0};
        if (!poly_add_term(&other, ir_use(l->cx, r->prime), 1) ||
            !poly_subst(&cur, &var, &other, &next))
            return false;
        cur = next;
    }
    Poly v = {0};
    return poly_add_term(&v, t->v, 1) && poly_add_term(&v, t->d, -t->sign) &&
           poly_subst(&cur, t->v, &v, out);
}

/* L's least and greatest value of v, and of the distance. */
static bool
own_end(const Test *t, bool distance, bool greatest, Poly *out)
{
    const IrStmt *s = t->l->s;
    int64_t step = 1;
    Poly lo, hi;
    ir_is_const(s->idx[2], &step);
    if (distance && !greatest) {
        *out = (Poly){0};
        return poly_add_const(out, step < 0 ? -step : step);
    }
    if (!end_poly(t->l, step < 0 ? t->l->hi : t->l->lo, false, &lo) ||
        !end_poly(t->l, step < 0 ? t->l->lo : t->l->hi, true, &hi))
        return false;
    if (!poly_add_const(step < 0 ? &lo : &hi, step < 0 ? 1 : -1))
        return false;
    if (distance) {
        *out = hi;
        return poly_add(out, &lo, -1);
    }
    *out = greatest ? hi : lo;
    if (t->sign == (greatest ? -1 : 1)) /* leaves room for b's iteration */
        return poly_add_term(out, t->d, t->sign);
    return true;
}

static bool
range_end(const Test *t, const ParRange *r, bool prime, bool greatest, Poly *out)
{
    Poly p;
    if (!end_poly(t->l, greatest ? r->most : r->least, greatest, &p) ||
        (greatest && !poly_add_const(&p, -1)))
        return false;
    *out = p;
    return !prime || to_other(t, &p, out);
}

int
depend_rank(const Test *t, const IrExpr *e)
{
    if (e->kind != IX_VAR)
        return RANK_NONE;
    const ParRange *r = depend_range(t->l, e->var);
    if (r)
        return r->rank;
    return e->var == t->v->var ? RANK_OWN : e == t->d ? RANK_DISTANCE : RANK_NONE;
}

/* The variable to replace next: one whose range may need the others comes first. */
static const IrExpr *
pick(const Test *t, const Poly *p, int *rank)
{
    const IrExpr *best = NULL;
    *rank = RANK_NONE;
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < p->m[i].n; k++) {
            int n = depend_rank(t, p->m[i].f[k]);
            if (n > *rank) {
                *rank = n;
                best = p->m[i].f[k];
            }
        }
    return best;
}

/* The factor of x in p, where x has no higher power. */
static bool
cofactor(const Poly *p, const IrExpr *x, Poly *c)
{
    *c = (Poly){0};
    for (int i = 0; i < p->n; i++) {
        PolyMono m = p->m[i];
        int at = -1, times = 0;
        for (int k = 0; k < m.n; k++)
            if (poly_term_equal(m.f[k], x)) {
                at = k;
                times++;
            }
        if (times > 1)
            return false;
        if (times == 0)
            continue;
        m.f[at] = m.f[--m.n];
        if (!poly_add_mono(c, &m, 1))
            return false;
    }
    return true;
}

/* p with x, of which it has c times, at the end of its range */
static bool
put_end(const Test *t, Poly *p, const IrExpr *x, const Poly *c, int rank, bool high)
{
    Poly end, next, times, part = *c;
    if (rank < RANK_RANGE) {
        if (x->var != t->v->var && x->var != t->d->var) /* the range is not known */
            return false;
        if (!own_end(t, rank == RANK_DISTANCE, high, &end) || !poly_subst(p, x, &end, &next))
            return false;
        *p = next;
        return true;
    }
    const ParRange *r = depend_range(t->l, x->var);
    Poly zero = {0};
    if (!range_end(t, r, x->var == r->prime, high, &end) || !poly_subst(p, x, &zero, &next))
        return false;
    for (int i = 0; high && i < part.n; i++) { /* c * x = (c / by) * (by * x) */
        if (part.m[i].k % r->by)
            return false;
        part.m[i].k /= r->by;
    }
    *p = next;
    return poly_mul(&part, &end, &times) && poly_add(p, &times, 1);
}

/* Replaces what varies in p by the ends of its range: p becomes a bound of itself. */
bool
depend_bound(Test *t, Poly *p, bool greatest, int nest)
{
    int rank;
    if (nest > MAX_NEST)
        return false;
    for (const IrExpr *x; (x = pick(t, p, &rank)) != NULL;) {
        Poly c;
        if (t->steps-- <= 0 || !cofactor(p, x, &c))
            return false;
        int sign = sign_of(t, &c, nest + 1);
        if (sign == 0 || !put_end(t, p, x, &c, rank, (sign > 0) == greatest))
            return false;
    }
    return true;
}

/* ---- facts ----------------------------------------------------------------------------------- */

static void
add_fact(Test *t, const IrExpr *term, int64_t least)
{
    for (int i = 0; i < t->n_facts; i++)
        if (t->fact[i].least == least && poly_term_equal(t->fact[i].term, term))
            return;
    if (t->n_facts < MAX_FACTS)
        t->fact[t->n_facts++] = (Fact){term, least};
}

/* A loop that runs has lo < hi: where that says term >= a number, it is a fact. */
void
depend_learn(Test *t, const IrExpr *lo, const IrExpr *hi)
{
    Poly a, b;
    const PolyMono *one = NULL;
    int64_t c = 0;
    if (!lo || !hi || !depend_poly(t->l, lo, &a) || !depend_poly(t->l, hi, &b) ||
        !poly_add(&b, &a, -1))
        return;
    for (int i = 0; i < b.n; i++) {
        if (b.m[i].n == 0)
            c = b.m[i].k;
        else if (one || b.m[i].n != 1 || b.m[i].k != 1)
            return;
        else
            one = &b.m[i];
    }
    if (one && !depend_local(t->l, one->f[0]))
        add_fact(t, one->f[0], 1 - c);
}

Test
depend_start(ParLoop *l)
{
    Test t = {.l = l, .v = ir_use(l->cx, l->s->var), .sign = 1, .steps = MAX_STEPS};
    IrVar *d = NEW(&l->cx->arena, IrVar);
    int64_t step = 1;
    *d = (IrVar){.name = "distance", .id = -1, .dtype = DT_i64};
    t.d = ir_use(l->cx, d);
    ir_is_const(l->s->idx[2], &step);
    depend_learn(&t, step < 0 ? l->hi : l->lo, step < 0 ? l->lo : l->hi);
    for (int i = 0; i < l->needs.n; i++) {
        const IrExpr *e = l->needs.at[i].e; /* x >= 0 */
        if (e && e->kind == IX_OP && e->op == OP_ge)
            depend_learn(&t, e->arg[1], ir_op(l->cx, OP_add, e->arg[0], ir_int(l->cx, DT_i64, 1)));
    }
    return t;
}

/* ---- the test -------------------------------------------------------------------------------- */

/* No integers make p zero: the coefficients have a common divisor that the constant has
 * not. */
static bool
indivisible(const Test *t, const Poly *p)
{
    int64_t g = 0, c = 0, step = 1;
    ir_is_const(t->l->s->idx[2], &step);
    for (int i = 0; i < p->n; i++) {
        int64_t k = p->m[i].k;
        if (p->m[i].n == 0) {
            c = k;
            continue;
        }
        for (int n = 0; n < p->m[i].n; n++)
            if (p->m[i].f[n] == t->d && __builtin_mul_overflow(k, step, &k))
                return false;
        g = gcd_i64(g, k);
    }
    return g ? c % g != 0 : c != 0;
}

/* All but some of p has the factor g, and that some is never a multiple of g. */
static bool
not_multiple(Test *t, const Poly *p, int64_t g)
{
    Poly rest = {0}, low, high;
    int64_t a, b;
    for (int i = 0; i < p->n; i++)
        if (p->m[i].k % g && !poly_add_mono(&rest, &p->m[i], 1))
            return false;
    if (rest.n == p->n)
        return false;
    low = high = rest;
    t->steps = MAX_STEPS;
    if (!depend_bound(t, &low, false, 0) || !poly_is_const(&low, &a) || a == INT64_MIN)
        return false;
    t->steps = MAX_STEPS;
    if (!depend_bound(t, &high, true, 0) || !poly_is_const(&high, &b))
        return false;
    a--;
    return (b >= 0 ? b / g : -((g - 1 - b) / g)) == (a >= 0 ? a / g : -((g - 1 - a) / g));
}

static bool
misses_multiples(Test *t, const Poly *p)
{
    for (int i = 0; i < p->n; i++) {
        int64_t g = p->m[i].k;
        if (p->m[i].n && (g > 1 || (g < -1 && g != INT64_MIN)) &&
            not_multiple(t, p, g < 0 ? -g : g))
            return true;
    }
    return false;
}

static bool
never_zero(Test *t, const Poly *p)
{
    Poly low = *p, high = {0};
    if (indivisible(t, p) || misses_multiples(t, p))
        return true;
    t->steps = MAX_STEPS;
    if (depend_bound(t, &low, false, 0) && depend_at_least(t, &low, 1))
        return true;
    t->steps = MAX_STEPS;
    return poly_add(&high, p, -1) && depend_bound(t, &high, false, 0) &&
           depend_at_least(t, &high, 1);
}

bool
depend_difference(const Test *t, const Poly *p, const Poly *q, Poly *out)
{
    Poly other;
    if (!p || !q || !to_other(t, q, &other))
        return false;
    *out = *p;
    return poly_add(out, &other, -1);
}

/* With b's iteration on one side of a's. */
static bool
apart(Test *t, const ParAccess *a, const ParAccess *b)
{
    Poly diff[PAR_MAX_NDIM];
    bool known[PAR_MAX_NDIM];
    int nd = a->root->ndim < PAR_MAX_NDIM ? a->root->ndim : PAR_MAX_NDIM;
    for (int i = 0; i < nd; i++) {
        known[i] = depend_difference(t, a->poly[i], b->poly[i], &diff[i]);
        if (known[i] && never_zero(t, &diff[i]))
            return true;
    }
    for (int i = 0; i < nd; i++)
        for (int k = i + 1; known[i] && k < nd && k < 3; k++)
            for (int sign = -1; known[k] && sign <= 1; sign += 2) {
                Poly both = diff[i];
                if (poly_add(&both, &diff[k], sign) && never_zero(t, &both))
                    return true;
            }
    return false;
}

/* A product with what may be any number, or a factor that comes near to the end of int64. */
static bool
may_be_huge(const ParLoop *l, const Poly *p)
{
    const int64_t big = (int64_t)1 << 40;
    for (int i = 0; p && i < p->n; i++) {
        const PolyMono *m = &p->m[i];
        bool any = m->k > big || m->k < -big;
        for (int n = 0; m->n > 1 && n < m->n; n++)
            any |= m->f[n]->kind != IX_DIM && !depend_local(l, m->f[n]);
        if (any && m->n)
            return true;
    }
    return false;
}

/* As numbers, indices are apart; they wrap. Where each round takes its time, none comes so far as
 * to meet one that has wrapped. */
static bool
may_wrap(const ParLoop *l, const ParAccess *a, const ParAccess *b)
{
    for (int i = 0; l->early && i < a->root->ndim; i++)
        if (may_be_huge(l, a->poly[i]) || may_be_huge(l, b->poly[i]))
            return true;
    return false;
}

DepAnswer
depend_test(ParLoop *l, ParAccess *a, ParAccess *b, int64_t *distance)
{
    Test t = depend_start(l);
    *distance = DEP_FAR;
    if (a->idx && b->idx) {
        depend_make_polys(&t, a);
        depend_make_polys(&t, b);
    }
    if (depend_excluded(l, a, b))
        return DEP_NONE;
    if (a->idx && b->idx && !may_wrap(l, a, b)) {
        t.sign = 1;
        bool none = apart(&t, a, b);
        t.sign = -1;
        if (none && apart(&t, a, b))
            return DEP_NONE;
    }
    return depend_meets(l, a, b, distance) ? DEP_RACE : DEP_MAYBE;
}
