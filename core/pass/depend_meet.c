/* SPDX-License-Identifier: BSD-3-Clause
 * Shows that two iterations do touch the same element, for an error that is never a
 * guess: it looks for two of the first few iterations (or the last ones), and first
 * rounds of the inner loops, in which all indices agree whatever the values of what is
 * not known. A loop whose length is not known is taken to be long, an unknown start not
 * to be negative; conditions around the accesses must hold. */
#include "pass/par.h"

enum {
    MAX_POINTS = 16,
    FIRST = 5,
    MAX_INNER = 6,
    ROUNDS = 4,
    BUDGET = 400,
    LARGEST_PERIOD = 1 << 20
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
    int64_t period; /* of an index like i % 4 */
    int64_t jump;   /* how far apart two indices are, in rounds */
} Meet;

/* ---- values at a point
 * ------------------------------------------------------------------------------- */

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

/* Lengths of arrays are large when not known; a number that is passed may well be 5. */
static bool
is_far(const Poly *p)
{
    int64_t k;
    if (poly_is_const(p, &k))
        return true;
    for (int i = 0; i < p->n; i++)
        if (p->m[i].n == 1 && p->m[i].f[0]->kind == IX_DIM)
            return true;
    return false;
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

/* min(n, 1) is 1 where n is large. */
static bool
value_of_min(Meet *m, const IrExpr *e, Poly *out)
{
    Poly a, b, d;
    IrExpr *x, *y;
    bool least = par_is_min(e, true, &x, &y);
    if ((!least && !par_is_min(e, false, &x, &y)) || !value_of(m, x, &a) ||
        !value_of(m, y, &b))
        return false;
    d = a;
    int s = poly_add(&d, &b, -1) ? sign_when_large(&d) : 2;
    *out = (s > 0) == least ? b : a;
    return s != 2;
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
        if (e->arg[i]->dtype != DT_i64 || !value_of(m, e->arg[i], &p) ||
            !poly_is_const(&p, &k))
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
    if (e->kind == IX_OP && value_of_min(m, e, out))
        return true;
    *out = (Poly){0};
    if (!depend_local(m->l, e) &&
        !(e->kind == IX_OP && (e->op <= OP_mul || e->op == OP_neg)))
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
        return value_of(m, e->arg[0], &a) && value_of(m, e->arg[1], &b) &&
               poly_mul(&a, &b, out);
    default:
        return value_of_const(m, e, out);
    }
}

/* ---- conditions
 * -----------------------------------------------------------------------------------------
 */

static bool
compare_holds(Meet *m, const IrExpr *e, bool truth)
{
    Poly a, b;
    if (!value_of(m, e->arg[0], &a) || !value_of(m, e->arg[1], &b) ||
        !poly_add(&a, &b, -1))
        return false;
    int s = sign_when_large(&a);
    if (s == 2)
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

/* ---- points
 * ------------------------------------------------------------------------------------------------
 */

static void
find_period(Meet *m, const IrExpr *e)
{
    int64_t k;
    bool periodic =
        e->kind == IX_OP && (e->op == OP_mod || e->op == OP_and || e->op == OP_tdiv ||
                             e->op == OP_floordiv || e->op == OP_shr);
    if (periodic && e->op != OP_shr && ir_is_const(e->arg[1], &k) && k > 0 &&
        k < LARGEST_PERIOD)
        m->period = e->op == OP_and ? k + 1 : e->op == OP_mod ? k : m->period;
    for (int i = 0; i < e->n; i++)
        find_period(m, e->arg[i]);
}

/* The factor of the variable alone in p, if it is a constant. */
static int64_t
coefficient(const Poly *p, const IrVar *v)
{
    for (int i = 0; i < p->n; i++)
        if (p->m[i].n == 1 && p->m[i].f[0]->kind == IX_VAR && p->m[i].f[0]->var == v)
            return p->m[i].k;
    return 0;
}

/* a[i] meets a[i - 5] five iterations later; a[5 * i + j] meets itself five rounds later.
 */
static void
find_jump(Meet *m, const Poly *a, const Poly *b)
{
    Poly d = *a;
    int64_t c, k = coefficient(a, m->l->s->var);
    if (k == 0 || k == INT64_MIN || k != coefficient(b, m->l->s->var))
        return;
    if (poly_add(&d, b, -1) && poly_is_const(&d, &c) && c != 0 && c != INT64_MIN &&
        c % k == 0)
        m->jump = c / k;
    for (int i = 0; d.n == 0 && i < m->l->ranges.n; i++) {
        c = coefficient(a, m->l->ranges.at[i].var);
        if (c != 0 && k % c == 0)
            m->jump = k / c;
    }
    m->jump = m->jump < 0 ? -m->jump : m->jump;
    if (m->jump > LARGEST_PERIOD || m->jump < 0)
        m->jump = 0;
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
    int64_t far = m->jump % step == 0 ? m->jump / step : 0;
    Poly end;
    if (!value_of(m, s->idx[step < 0 ? 0 : 1], &end) || !is_far(&end))
        far = m->period = 0;
    int64_t at[MAX_POINTS] = {0}, n = trips < MAX_POINTS - 4 ? trips : FIRST;
    for (int i = 0; i < n; i++)
        at[i] = i;
    at[n] = m->period;
    at[n + 1] = far < 0 ? -far : far;
    for (int i = 0; i < n + 2; i++)
        if (at[i] < trips && (i < n || at[i] >= n) && m->n_points < MAX_POINTS)
            add_point(m, s->idx[0], at[i] * step, at[i]);
    for (int i = 1; trips == INT64_MAX && i <= 2 && step == 1 && m->n_points < MAX_POINTS;
         i++)
        add_point(m, s->idx[1], -i, DEP_FAR);
}

/* The inner loops that the indices of an access, or conditions, depend on. */
static bool
find_inner(Meet *m, const IrExpr *e)
{
    if (e->kind == IX_VAR) {
        const ParRange *r = depend_range(m->l, e->var);
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

/* Round 0, 1, 2 or `jump` of each inner loop, if it is run there; `rounds` has a digit
 * for each. */
static bool
set_inner(Meet *m, int rounds)
{
    int n = m->n_inner;
    int64_t round[ROUNDS] = {0, 1, 2, m->jump};
    for (int i = 0; i < n; i++) {
        const ParRange *r = m->inner[i];
        int k = m->varies[i] ? rounds % ROUNDS : 0;
        Poly hi;
        m->n_inner = i; /* ends see the loops outside only */
        bool ok = value_of(m, r->lo, &m->value[i]) && value_of(m, r->hi, &hi) &&
                  poly_add_const(&m->value[i], round[k] * r->step) &&
                  poly_add(&hi, &m->value[i], -1) && sign_when_large(&hi) == 1 &&
                  (k < 2 || is_far(&hi));
        m->n_inner = n;
        if (!ok)
            return false;
        rounds /= m->varies[i] ? ROUNDS : 1;
    }
    return true;
}

/* ---- two accesses
 * ---------------------------------------------------------------------------------------------
 */

typedef struct Place { /* of an access, at a point and rounds */
    int point;
    Poly *idx;
} Place;

/* The loops around an access that no index depends on must run, too: their first rounds
 * do. In order, outermost first. Yields how many cases there are; 0: too many loops. */
static int
add_around(Meet *m, const ParAccess *a)
{
    int all = 1;
    for (int i = 0; i < m->n_inner; i++) {
        m->varies[i] = true;
        all *= i < 3 ? ROUNDS : 1;
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
        for (int p = 0; p < m->n_points && n < room; p++) {
            bool ok = true;
            out[n].idx = NEW_N(&m->l->cx->arena, Poly, a->root->ndim + 1);
            m->v = &m->point[p].at;
            m->budget = BUDGET;
            ok = set_inner(m, rounds);
            for (int i = 0; ok && i < a->n_conds; i++)
                ok = holds(m, a->conds[i].e, a->conds[i].truth);
            for (int i = 0; ok && i < a->root->ndim; i++)
                ok = value_of(m, a->idx[i], &out[n].idx[i]);
            out[n].point = p;
            n += ok;
        }
    return n;
}

static bool
same_place(const Place *x, const Place *y, int nd)
{
    for (int i = 0; i < nd; i++) {
        Poly d = x->idx[i];
        if (!poly_add(&d, &y->idx[i], -1) || d.n)
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
    enum { ROOM = 128 };

    if (!l->races || !a->must || !b->must || !a->idx || !b->idx)
        return false;
    for (int i = 0; i < a->root->ndim; i++)
        if (!a->idx[i] || !b->idx[i])
            return false;
    Poly none = {0};
    Meet m = {.l = l, .v = &none, .budget = BUDGET};
    for (int i = 0; i < a->root->ndim; i++) {
        if (a->poly && b->poly && a->poly[i] && b->poly[i])
            find_jump(&m, a->poly[i], b->poly[i]);
        find_period(&m, a->idx[i]);
        find_period(&m, b->idx[i]);
    }
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
