/* SPDX-License-Identifier: BSD-3-Clause
 * When two subscripts of one iteration are one. They are written twice, so that their values have
 * been computed twice: equal trees have one value if nothing in them has been assigned between the
 * two places, whichever of its definitions counts; and so have names of such trees. The walk counts
 * the statements that it meets. A loop around one of the places only may come back to it when more
 * has been assigned, so that there a variable needs a single definition, further out. */
#include "pass/parallel/par_access.h"

enum { SAME_DEPTH = 6 };

Place
par_here(const Collect *c)
{
    return (Place){c->now, c->n_loops ? c->loop[c->n_loops - 1] : c->l->s};
}

/* v is not assigned between the two. */
static bool
stays(const Collect *c, const IrVar *v, Place p, Place q)
{
    const ParLoop *l = c->l;
    if (v == l->s->var || !par_is_local(l, v))
        return true;
    if (v->id < 0 || v->id >= l->local.n_vars)
        return false;
    if (l->when[v->id] >= (p.when < q.when ? p.when : q.when))
        return false;
    return p.in == q.in || par_local_def(c, v);
}

/* No element of an array is stored to, either. */
static bool
all_stays(const Collect *c, const IrExpr *e, Place p, Place q)
{
    const ParLoop *l = c->l;
    if (e->var && !stays(c, e->var, p, q))
        return false;
    if (e->kind == IX_LOAD && !ir_invariant(e, &l->fx)) {
        bool constant = !par_is_local(l, e->var) && !ir_in(l->fx.stores, e->var);
        bool quiet = p.in == q.in && c->wrote < (p.when < q.when ? p.when : q.when);
        if (!constant && !quiet)
            return false;
    }
    for (int i = 0; i < e->n; i++)
        if (!all_stays(c, e->arg[i], p, q))
            return false;
    return true;
}

/* What e, a name, was set to before p; *at becomes the place of that. */
static const IrExpr *
behind(const Collect *c, const IrExpr *e, Place p, Place *at)
{
    const IrStmt *d = e->kind == IX_VAR ? par_local_def(c, e->var) : NULL;
    if (!d || d->kind != IS_SET || c->l->when[e->var->id] >= p.when)
        return NULL;
    *at = (Place){c->l->when[e->var->id], c->l->seen[e->var->id]};
    return d->e;
}

static bool
same_value(const Collect *c, const IrExpr *x, Place p, const IrExpr *y, Place q, int depth)
{
    Place px, py;
    if (ir_expr_equal(x, y) && all_stays(c, x, p, q))
        return true;
    if (depth > SAME_DEPTH)
        return false;
    const IrExpr *dx = behind(c, x, p, &px), *dy = behind(c, y, q, &py);
    if (dx || dy)
        return same_value(c, dx ? dx : x, dx ? px : p, dy ? dy : y, dy ? py : q, depth + 1) ||
               (dx && dy &&
                (same_value(c, dx, px, y, q, depth + 1) || same_value(c, x, p, dy, py, depth + 1)));
    if (x->kind != y->kind || x->dtype != y->dtype || x->op != y->op || x->n != y->n || !x->n)
        return false;
    if (x->kind == IX_LOAD) {
        IrExpr load = {.kind = IX_LOAD, .dtype = x->dtype, .var = x->var};
        if (x->var != y->var || !all_stays(c, &load, p, q))
            return false;
    }
    for (int i = 0; i < x->n; i++)
        if (!same_value(c, x->arg[i], p, y->arg[i], q, depth))
            return false;
    return x->kind == IX_LOAD || x->kind == IX_OP || x->kind == IX_CAST;
}

bool
par_same_value(const Collect *c, const IrExpr *x, Place p, const IrExpr *y, Place q)
{
    return same_value(c, x, p, y, q, 0);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* It goes on in the steps of its base, or (`spread`) stays where that has one element: no other
 * index is one of the base's. */
static bool
is_step_of(const IrExpr *e, const IrVar *base, int axis, bool *spread)
{
    bool chosen = e->kind == IX_OP && e->op == OP_select;
    const IrExpr *step = chosen ? e->arg[2] : e, *one = chosen ? e->arg[0] : NULL;
    int64_t k;
    if (step->kind != IX_STRIDE || step->var != base || step->axis != axis)
        return false;
    *spread |= chosen;
    return !chosen || (one->kind == IX_OP && one->op == OP_eq && one->arg[0]->kind == IX_DIM &&
                       one->arg[0]->var == base && one->arg[0]->axis == axis &&
                       ir_is_const(one->arg[1], &k) && k == 1);
}

/* A view that begins where its base does. */
static bool
is_all_of(const IrStmt *d, bool *spread)
{
    int64_t k;
    int nv = d->n_idx / 2;
    bool all = d->kind == IS_VIEW && nv == d->base->ndim && ir_is_const(d->e, &k) && k == 0;
    for (int i = 0; all && i < nv; i++)
        all = is_step_of(d->idx[nv + i], d->base, i, spread);
    return all;
}

/* The array that *v is another name of, at *p. */
static void
strip(const Collect *c, const IrVar **v, Place *p, bool *spread)
{
    for (int depth = 0; depth < SAME_DEPTH && par_is_local(c->l, *v); depth++) {
        const IrStmt *d = par_local_def(c, *v);
        bool one = d != NULL;
        if (!d) /* or an array of its own, of what goes there in the end */
            d = par_shared_def(c, *v);
        if (!d || (d->kind != IS_ALIAS && !is_all_of(d, spread)) || c->l->when[(*v)->id] >= p->when)
            return;
        if (!one && par_is_local(c->l, d->base) && !par_local_def(c, d->base))
            return;
        *p = (Place){c->l->when[(*v)->id], c->l->seen[(*v)->id]};
        *v = d->base;
    }
}

static bool
same_array(const Collect *c, const IrVar *x, Place p, const IrVar *y, Place q, int depth)
{
    bool spread = false;
    if (x == y && stays(c, x, p, q))
        return true;
    strip(c, &x, &p, &spread);
    strip(c, &y, &q, &spread);
    if (x == y)
        return stays(c, x, p, q);
    const IrStmt *dx = par_local_def(c, x), *dy = par_local_def(c, y);
    if (!dx || !dy || dx->kind != IS_VIEW || dy->kind != IS_VIEW || dx->n_idx != dy->n_idx ||
        depth > SAME_DEPTH || c->l->when[x->id] >= p.when || c->l->when[y->id] >= q.when)
        return false;
    p = (Place){c->l->when[x->id], c->l->seen[x->id]};
    q = (Place){c->l->when[y->id], c->l->seen[y->id]};
    bool same =
        same_array(c, dx->base, p, dy->base, q, depth + 1) && par_same_value(c, dx->e, p, dy->e, q);
    /* the dimensions, where they matter, and the steps */
    for (int i = spread ? 0 : dx->n_idx / 2; same && i < dx->n_idx; i++)
        same = par_same_value(c, dx->idx[i], p, dy->idx[i], q);
    return same;
}

bool
par_same_array(const Collect *c, const IrVar *x, Place p, const IrVar *y, Place q)
{
    return same_array(c, x, p, y, q, 0);
}
