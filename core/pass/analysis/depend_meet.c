/* SPDX-License-Identifier: BSD-3-Clause
 * Shows that two iterations do touch the same element, for an error that is never a
 * guess: it looks for two of the first few iterations (or the last ones), and first
 * or last rounds of the inner loops, in which all indices agree whatever the values of what is
 * not known. A loop whose length is not known is taken to be long, an unknown start not
 * to be negative; conditions around the accesses must hold. */
#include "pass/parallel/par.h"

enum {
    MAX_POINTS = 16,
    FIRST = 5,
    MAX_INNER = 6,
    MAX_ROUNDS = 8,
    MAX_FAR = 4,
    BUDGET = 400,
    LARGEST_PERIOD = 1 << 20,
    LONGEST = 64,
    LAST_ROUND = -1
};

typedef struct Point { /* a value of L's variable */
    Poly at;
    int64_t k; /* which iteration, counted from the start; DEP_FAR: from the end */
} Point;

typedef struct Meet {
    ParLoop *l;
    Point point[MAX_POINTS];
    int n_points;
    const ParRange *inner[MAX_INNER]; /* of the access looked at */
    int n_inner;
    bool varies[MAX_INNER];
    Poly value[MAX_INNER];
    const Poly *v;
    int budget;
    int64_t period;       /* of an index like i % 4 */
    int64_t far[MAX_FAR]; /* distances that are worth a look, in iterations */
    int n_far;
    int64_t round[MAX_ROUNDS]; /* of inner loops: worth a look */
    int n_rounds;
} Meet;

/* ---- values at a point ----------------------------------------------------------------------- */

/* The sign of p where what is not known is large: -1, 0, 1; 2: cannot be said */
static int
sign_when_large(const Poly *p)
{
    int64_t k;
    int sign = 0;
    if (poly_is_const(p, &k))
        return k < 0 ? -1 : k > 0;
    for (int i = 0; i < p->n; i++) {
        int s = p->m[i].k < 0 ? -1 : 1;
        if (p->m[i].n == 0)
            continue;
        if (sign && s != sign)
            return 2;
        sign = s;
    }
    return sign;
}

static bool
has_dim(const IrExpr *e)
{
    if (e->kind != IX_OP)
        return e->kind == IX_DIM;
    bool keeps = e->op == OP_add || e->op == OP_sub || e->op == OP_mul;
    return (keeps || e->op == OP_floordiv) && (has_dim(e->arg[0]) || (keeps && has_dim(e->arg[1])));
}

/* Lengths of arrays are large when not known; a number that is passed may well be 5. */
static bool
is_far(const Poly *p)
{
    int64_t k;
    if (poly_is_const(p, &k))
        return true;
    for (int i = 0; i < p->n; i++)
        if (p->m[i].n == 1 && has_dim(p->m[i].f[0]))
            return true;
    return false;
}

/* Or what L goes up to, which is not very short. */
static bool
is_long(const Meet *m, const Poly *p)
{
    for (int i = 0; i < p->n; i++) {
        const IrExpr *e = p->m[i].n == 1 ? p->m[i].f[0] : NULL;
        if (e && e->kind == IX_VAR && m->l->hi && ir_mentions(m->l->hi, e->var))
            return true;
    }
    return is_far(p);
}

static bool value_of(Meet *m, const IrExpr *e, Poly *out);

static bool
value_of_var(Meet *m, const IrExpr *e, Poly *out)
{
    if (e->var == m->l->s->var) {
        *out = *m->v;
        return true;
    }
    for (int i = 0; i < m->n_inner; i++)
        if (m->inner[i]->var == e->var) {
            *out = m->value[i];
            return true;
        }
    const ParRange *r = depend_range(m->l, e->var);
    if (r && r->is)
        return value_of(m, r->is, out);
    if (depend_local(m->l, e))
        return false;
    const IrStmt *d = par_fixed_def(m->l, e->var);
    Poly p;
    if (d && value_of(m, d->e, &p)) {
        *out = p;
        return true;
    }
    return poly_add_term(out, e, 1);
}

/* min(len(a), 1) is 1, where that is large. */
static bool
value_of_min(Meet *m, const IrExpr *e, Poly *out)
{
    Poly a, b, d;
    IrExpr *x, *y;
    bool least = par_is_min(e, true, &x, &y);
    if ((!least && !par_is_min(e, false, &x, &y)) || !value_of(m, x, &a) || !value_of(m, y, &b))
        return false;
    d = a;
    int s = poly_add(&d, &b, -1) ? sign_when_large(&d) : 2;
    *out = (s > 0) == least ? b : a;
    return s != 2 && is_long(m, &d);
}

static bool
value_of_wrap(Meet *m, const IrExpr *e, Poly *out)
{
    Poly dim;
    int64_t k;
    if (!value_of(m, e->arg[0], out))
        return false;
    if (!poly_is_const(out, &k) || k >= 0)
        return true;
    return value_of(m, e->arg[1], &dim) && poly_add(out, &dim, 1);
}

static bool holds(Meet *m, const IrExpr *e, bool truth);

static bool
value_of_choice(Meet *m, const IrExpr *e, Poly *out)
{
    if (holds(m, e->arg[0], true))
        return value_of(m, e->arg[1], out);
    return holds(m, e->arg[0], false) && value_of(m, e->arg[2], out);
}

/* What is large stays large when it is divided. */
static bool
value_of_quotient(Meet *m, const IrExpr *e, Poly *out)
{
    Cx *cx = m->l->cx;
    Poly a;
    int64_t k, x;
    if (!ir_is_const(e->arg[1], &k) || k <= 0 || !value_of(m, e->arg[0], &a) ||
        (!poly_is_const(&a, &x) && sign_when_large(&a) != 1))
        return false;
    *out = (Poly){0};
    IrExpr *q = ir_op(cx, OP_floordiv, poly_expr(cx, &a), ir_int(cx, DT_i64, k));
    return ir_is_const(q, &k) ? poly_add_const(out, k) : poly_add_term(out, q, 1);
}

/* Anything else: folded when all its operands are constants. */
static bool
value_of_const(Meet *m, const IrExpr *e, Poly *out)
{
    Cx *cx = m->l->cx;
    IrExpr *arg[3];
    int64_t k;
    if (e->kind != IX_OP || e->n > 3)
        return false;
    for (int i = 0; i < e->n; i++) {
        Poly p;
        if (e->arg[i]->dtype != DT_i64 || !value_of(m, e->arg[i], &p) || !poly_is_const(&p, &k))
            return false;
        arg[i] = ir_int(cx, DT_i64, k);
    }
    return ir_is_const(ir_opv(cx, (IrOp)e->op, arg), &k) && poly_add_const(out, k);
}

static bool
value_of(Meet *m, const IrExpr *e, Poly *out)
{
    Poly a, b;
    int64_t k;
    *out = (Poly){0};
    if (e->dtype != DT_i64 || m->budget-- <= 0)
        return false;
    if (ir_is_const(e, &k))
        return poly_add_const(out, k);
    if (e->kind == IX_VAR)
        return value_of_var(m, e, out);
    if (e->kind == IX_OP &&
        (value_of_min(m, e, out) || (e->op == OP_floordiv && value_of_quotient(m, e, out))))
        return true;
    *out = (Poly){0};
    if (!depend_local(m->l, e) && !(e->kind == IX_OP && (e->op <= OP_mul || e->op == OP_neg)))
        return poly_add_term(out, e, 1);
    if (e->kind != IX_OP)
        return false;
    switch (e->op) {
    case OP_wrap:
        return value_of_wrap(m, e, out);
    case OP_neg:
        return value_of(m, e->arg[0], &a) && poly_add(out, &a, -1);
    case OP_add:
    case OP_sub:
        return value_of(m, e->arg[0], out) && value_of(m, e->arg[1], &b) &&
               poly_add(out, &b, e->op == OP_add ? 1 : -1);
    case OP_mul:
        return value_of(m, e->arg[0], &a) && value_of(m, e->arg[1], &b) && poly_mul(&a, &b, out);
    case OP_select:
        return value_of_choice(m, e, out);
    default:
        return value_of_const(m, e, out);
    }
}

/* ---- conditions ------------------------------------------------------------------------------ */

static bool
compare_holds(Meet *m, const IrExpr *e, bool truth)
{
    Poly a, b;
    if (!value_of(m, e->arg[0], &a) || !value_of(m, e->arg[1], &b) || !poly_add(&a, &b, -1))
        return false;
    int s = sign_when_large(&a);
    if (s == 2 || !is_long(m, &a))
        return false;
    switch (e->op) {
    case OP_eq:
        return (s == 0) == truth;
    case OP_ne:
        return (s != 0) == truth;
    case OP_lt:
        return (s < 0) == truth;
    case OP_le:
        return (s <= 0) == truth;
    case OP_gt:
        return (s > 0) == truth;
    default:
        return (s >= 0) == truth;
    }
}

static bool
holds(Meet *m, const IrExpr *e, bool truth)
{
    int64_t k;
    if (ir_is_const(e, &k))
        return (k != 0) == truth;
    if (e->kind != IX_OP)
        return false;
    if (e->op == OP_inv)
        return holds(m, e->arg[0], !truth);
    if (e->op == OP_and || e->op == OP_or) {
        bool both = (e->op == OP_and) == truth;
        bool x = holds(m, e->arg[0], truth);
        return both ? x && holds(m, e->arg[1], truth) : x || holds(m, e->arg[1], truth);
    }
    bool ints = e->op >= OP_eq && e->op <= OP_ge && e->arg[0]->dtype == DT_i64;
    return ints && compare_holds(m, e, truth);
}

/* ---- points ---------------------------------------------------------------------------------- */

static void
find_period(Meet *m, const IrExpr *e)
{
    int64_t k;
    bool periodic = e->kind == IX_OP && (e->op == OP_mod || e->op == OP_and || e->op == OP_tdiv ||
                                         e->op == OP_floordiv || e->op == OP_shr);
    if (periodic && e->op != OP_shr && ir_is_const(e->arg[1], &k) && k > 0 && k < LARGEST_PERIOD)
        m->period = e->op == OP_and ? k + 1 : e->op == OP_mod ? k : m->period;
    for (int i = 0; i < e->n; i++)
        find_period(m, e->arg[i]);
}

/* The factor of the variable alone in p, if it is a constant. */
static int64_t
coefficient(const Poly *p, const IrVar *v)
{
    for (int i = 0; i < p->n; i++)
        if (p->m[i].n == 1 && ir_is_var(p->m[i].f[0], v))
            return p->m[i].k;
    return 0;
}

static void
add_far(Meet *m, int64_t k)
{
    for (int i = 0; i < m->n_far; i++)
        if (m->far[i] == k)
            return;
    if (k > 0 && k < LARGEST_PERIOD && m->n_far < MAX_FAR)
        m->far[m->n_far++] = k;
}

static void
add_round(Meet *m, int64_t k)
{
    for (int i = 0; i < m->n_rounds; i++)
        if (m->round[i] == k)
            return;
    if (k < LARGEST_PERIOD && m->n_rounds < MAX_ROUNDS)
        m->round[m->n_rounds++] = k;
}

/* k * distance + c0 is c * r for the first distance that has such an r >= 0. */
static void
find_round(Meet *m, const ParRange *r, int64_t c, int64_t k, int64_t c0)
{
    int64_t lo = 0, at, by = 1;
    ir_is_const(m->l->s->idx[2], &by);
    if (r->first)
        ir_is_const(r->first, &lo);
    for (int64_t n = 1; n < LONGEST; n++) {
        if (__builtin_mul_overflow(k, n * by, &at) || __builtin_add_overflow(at, c0, &at))
            return;
        if (at % c != 0 || (at / c - lo) % r->step != 0 || (at / c - lo) / r->step < 0)
            continue;
        add_far(m, n);
        add_round(m, (at / c - lo) / r->step);
        return;
    }
}

/* The constant by which a is more than b, as far as neither L's nor inner loops' variables
 * are concerned; false: there is none. */
static bool
constant_gap(const Meet *m, const Poly *a, const Poly *b, int64_t *gap)
{
    Poly d = *a;
    *gap = 0;
    if (!poly_add(&d, b, -1))
        return false;
    for (int i = 0; i < d.n; i++) {
        const PolyMono *t = &d.m[i];
        if (t->n == 0)
            *gap = t->k;
        else if (t->n > 1 || t->f[0]->kind != IX_VAR || !depend_range(m->l, t->f[0]->var))
            return false;
    }
    return *gap <= LARGEST_PERIOD && *gap >= -LARGEST_PERIOD;
}

/* a[i] meets a[i - 5] five iterations later; a[5 * i + j] meets itself five rounds later. */
static void
find_jump(Meet *m, const Poly *a, const Poly *b)
{
    int64_t gap, by = 1, k = coefficient(a, m->l->s->var);
    if (k == 0 || k != coefficient(b, m->l->s->var) || k > LARGEST_PERIOD || k < -LARGEST_PERIOD ||
        !constant_gap(m, a, b, &gap))
        return;
    ir_is_const(m->l->s->idx[2], &by);
    if (gap % k == 0 && gap / k % by == 0)
        add_far(m, gap / k / by < 0 ? -(gap / k / by) : gap / k / by);
    for (int i = 0; i < m->l->ranges.n; i++) {
        const ParRange *r = &m->l->ranges.at[i];
        int64_t ca = coefficient(a, r->var), cb = coefficient(b, r->var);
        for (int sign = -1; sign <= 1; sign += 2) {
            if (ca)
                find_round(m, r, ca, sign * k, -gap);
            if (cb)
                find_round(m, r, cb, sign * k, gap);
        }
    }
}

static void
add_point(Meet *m, const IrExpr *base, int64_t off, int64_t k)
{
    Point *p = &m->point[m->n_points];
    if (base && depend_poly(m->l, base, &p->at) && poly_add_const(&p->at, off)) {
        p->k = k;
        m->n_points++;
    }
}

static void
find_points(Meet *m)
{
    const IrStmt *s = m->l->s;
    int64_t step = 1, trips = par_trips(s);
    ir_is_const(s->idx[2], &step);
    Poly end;
    bool is_long = value_of(m, step < 0 ? m->l->lo : m->l->hi, &end) && is_far(&end);
    int64_t at[MAX_POINTS] = {0}, n = trips < MAX_POINTS - MAX_FAR - 3 ? trips : FIRST;
    for (int i = 0; i < n; i++)
        at[i] = i;
    int all = (int)n;
    if (is_long)
        at[all++] = m->period;
    for (int i = 0; is_long && i < m->n_far; i++)
        at[all++] = m->far[i];
    for (int i = 0; i < all; i++)
        if (at[i] < trips && (i < n || at[i] >= n) && m->n_points < MAX_POINTS)
            add_point(m, m->l->lo, at[i] * step, at[i]);
    for (int i = 1; trips == INT64_MAX && i <= 2 && step == 1 && m->n_points < MAX_POINTS; i++)
        add_point(m, m->l->hi, -i, DEP_FAR);
}

/* The inner loops that the indices of an access, or conditions, depend on. */
static bool
find_inner(Meet *m, const IrExpr *e)
{
    if (e->kind == IX_VAR) {
        const ParRange *r = depend_range(m->l, e->var);
        if (r && r->is)
            return find_inner(m, r->is);
        for (int i = 0; r && i < m->n_inner; i++)
            if (m->inner[i] == r)
                r = NULL;
        if (r && (m->n_inner == MAX_INNER || !r->lo || !r->hi))
            return false;
        if (r && (!find_inner(m, r->lo) || !find_inner(m, r->hi)))
            return false;
        if (r && m->n_inner == MAX_INNER)
            return false;
        if (r)
            m->inner[m->n_inner++] = r;
    }
    for (int i = 0; i < e->n; i++)
        if (!find_inner(m, e->arg[i]))
            return false;
    return true;
}

/* The value of an inner loop's variable in a round, if there is one for certain. */
static bool
value_in_round(Meet *m, const ParRange *r, int64_t round, Poly *out)
{
    Poly lo, hi, left;
    bool up = r->step > 0, last = round == LAST_ROUND;
    if (r->step > LARGEST_PERIOD || r->step < -LARGEST_PERIOD)
        return false;
    if (!value_of(m, r->lo, &lo) || !value_of(m, r->hi, &hi) || !poly_add_const(&hi, -1) ||
        (last && r->step != 1 && r->step != -1))
        return false;
    if (last)
        *out = up ? hi : lo;
    else if (!value_of(m, r->first, out) || !poly_add_const(out, round * r->step))
        return false;
    left = last || up ? hi : *out;
    return poly_add(&left, last || !up ? &lo : out, -1) && poly_add_const(&left, 1) &&
           sign_when_large(&left) == 1 && (round < 2 || is_far(&left));
}

/* Each of the rounds that are worth a look of each inner loop, if it is run there; `rounds`
 * has a digit for each. */
static bool
set_inner(Meet *m, int rounds)
{
    int n = m->n_inner;
    for (int i = 0; i < n; i++) {
        int k = m->varies[i] ? rounds % m->n_rounds : 0;
        m->n_inner = i; /* ends see the loops outside only */
        bool ok = value_in_round(m, m->inner[i], m->round[k], &m->value[i]);
        m->n_inner = n;
        if (!ok)
            return false;
        rounds /= m->varies[i] ? m->n_rounds : 1;
    }
    return true;
}

/* ---- two accesses ---------------------------------------------------------------------------- */

typedef struct Place { /* of an access, at a point and rounds */
    int point;
    int64_t sum; /* of all factors: equal in equal places */
    Poly **idx;  /* no longer than they need be */
} Place;

/* The loops around an access that no index depends on must run, too: their first rounds
 * do. In order, outermost first. Yields how many cases there are; 0: too many loops. */
static int
add_around(Meet *m, const ParAccess *a)
{
    int all = 1;
    for (int i = 0; i < m->n_inner; i++) {
        m->varies[i] = true;
        all *= i < 3 ? m->n_rounds : 1;
    }
    for (int i = 0; i < a->n_inner; i++) {
        const ParRange *r = a->inner[i] < 0 ? NULL : &m->l->ranges.at[a->inner[i]];
        bool there = false;
        for (int k = 0; k < m->n_inner; k++)
            there |= m->inner[k] == r;
        if (!there && (!r || !r->lo || !r->hi || m->n_inner == MAX_INNER))
            return 0;
        if (!there)
            m->inner[m->n_inner++] = r;
    }
    for (int i = 1; i < m->n_inner; i++)
        for (int k = i; k > 0 && m->inner[k] < m->inner[k - 1]; k--) {
            const ParRange *r = m->inner[k];
            bool v = m->varies[k];
            m->inner[k] = m->inner[k - 1];
            m->varies[k] = m->varies[k - 1];
            m->inner[k - 1] = r;
            m->varies[k - 1] = v;
        }
    return all;
}

static bool
find_place(Meet *m, const ParAccess *a, int rounds, int point, Place *out)
{
    Arena *arena = &m->l->cx->arena;
    Poly idx[PAR_MAX_NDIM];
    int nd = a->root->ndim;
    m->v = &m->point[point].at;
    m->budget = BUDGET;
    bool ok = nd <= PAR_MAX_NDIM && set_inner(m, rounds);
    for (int i = 0; ok && i < a->n_conds; i++)
        ok = holds(m, a->conds[i].e, a->conds[i].truth);
    for (int i = 0; ok && i < nd; i++)
        ok = value_of(m, a->idx[i], &idx[i]);
    if (!ok)
        return false;
    *out = (Place){.point = point, .idx = NEW_N(arena, Poly *, nd + 1)};
    for (int i = 0; i < nd; i++) {
        size_t size = offsetof(Poly, m) + sizeof *idx[i].m * (size_t)idx[i].n;
        out->idx[i] = arena_dup(arena, &idx[i], size);
        uint64_t sum = (uint64_t)out->sum * 31;
        for (int k = 0; k < idx[i].n; k++)
            sum += (uint64_t)idx[i].m[k].k;
        out->sum = (int64_t)sum;
    }
    return true;
}

/* Where an access is to in the cases tried; their number. */
static int
find_places(Meet *m, const ParAccess *a, Place *out, int room)
{
    int n = 0;
    m->n_inner = 0;
    memset(m->varies, 0, sizeof m->varies);
    for (int i = 0; i < a->root->ndim; i++)
        if (!a->idx[i] || !find_inner(m, a->idx[i]))
            return 0;
    for (int i = 0; i < a->n_conds; i++)
        if (!find_inner(m, a->conds[i].e))
            return 0;
    int all = add_around(m, a);
    for (int rounds = 0; rounds < all && n < room; rounds++)
        for (int p = 0; p < m->n_points && n < room; p++)
            n += find_place(m, a, rounds, p, &out[n]);
    return n;
}

static bool
same_place(const Place *x, const Place *y, int nd)
{
    if (x->sum != y->sum)
        return false;
    for (int i = 0; i < nd; i++) {
        Poly d = {0};
        if (!poly_add(&d, x->idx[i], 1) || !poly_add(&d, y->idx[i], -1) || d.n)
            return false;
    }
    return true;
}

static bool
moves(const ParLoop *l, const ParAccess *a)
{
    const IrVar *v = l->s->var;
    for (int i = 0; i < a->root->ndim; i++) {
        IrExpr *e = a->idx[i];
        Poly p;
        IrExpr var = {.kind = IX_VAR, .dtype = DT_i64, .var = (IrVar *)v};
        if (!depend_poly(l, e, &p) ? depend_local(l, e) : poly_has(&p, &var))
            return true;
    }
    return false;
}

bool
depend_meets(ParLoop *l, const ParAccess *a, const ParAccess *b, int64_t *distance)
{
    enum { ROOM = 512 };

    if (!l->races || !a->must || !b->must || !a->idx || !b->idx)
        return false;
    for (int i = 0; i < a->root->ndim; i++)
        if (!a->idx[i] || !b->idx[i])
            return false;
    Poly none = {0};
    Meet m = {.l = l, .v = &none, .budget = BUDGET};
    for (int64_t k = 0; k < 3; k++)
        add_round(&m, k);
    for (int i = 0; i < a->root->ndim; i++) {
        if (a->poly && b->poly && a->poly[i] && b->poly[i])
            find_jump(&m, a->poly[i], b->poly[i]);
        find_period(&m, a->idx[i]);
        find_period(&m, b->idx[i]);
    }
    add_round(&m, LAST_ROUND);
    find_points(&m);
    Place *x = NEW_N(&l->cx->arena, Place, ROOM), *y = NEW_N(&l->cx->arena, Place, ROOM);
    int nx = find_places(&m, a, x, ROOM), ny = find_places(&m, b, y, ROOM);
    for (int i = 0; i < nx; i++)
        for (int k = 0; k < ny; k++) {
            if (x[i].point == y[k].point || !same_place(&x[i], &y[k], a->root->ndim))
                continue;
            int64_t p = m.point[x[i].point].k, q = m.point[y[k].point].k;
            bool all = !moves(l, a) && !moves(l, b) && !a->n_conds && !b->n_conds;
            *distance = all ? 0 : p == DEP_FAR || q == DEP_FAR ? DEP_FAR : q - p;
            return true;
        }
    return false;
}
