/* SPDX-License-Identifier: BSD-3-Clause
 * Which stores of a loop only update an array: h[e] = op(h[e], x), h[e] = max(h[e], x), and
 * `if x > h[e]: h[e] = x`. Then the load and the store are marked, and par_array.c makes a
 * reduction of them when nothing else touches the array.
 *
 * The hard idea is when two subscripts are one: they are written twice, so that their values
 * have been computed twice; equal trees over what has not changed since have one value. */
#include "pass/parallel/par_access.h"

/* accesses before that are looked at: the load of an update is near its store */
enum { MAX_BACK = 64 };

static int
from_here(int n)
{
    return n > MAX_BACK ? n - MAX_BACK : 0;
}

static bool
same_element(const ParAccess *a, const ParAccess *b)
{
    if (a->root != b->root || !a->idx || !b->idx)
        return false;
    for (int i = 0; i < a->root->ndim; i++)
        if (!a->idx[i] || !b->idx[i] || !ir_expr_equal(a->idx[i], b->idx[i]))
            return false;
    return true;
}

/* e has the value that it had at an earlier statement of this iteration that it was in. */
static bool
is_settled(const Collect *c, const IrExpr *e)
{
    const IrVar *v = e->var;
    if (e->kind == IX_LOAD)
        return false;
    if (v && v != c->l->s->var && par_is_local(c->l, v) && !par_local_def(c, v))
        return false;
    for (int i = 0; i < e->n; i++)
        if (!is_settled(c, e->arg[i]))
            return false;
    return true;
}

/* Do two expressions of this iteration have one value? k[i] read twice has, as long as L
 * doesn't store to k. */
static bool
same_value(const Collect *c, const IrExpr *x, const IrExpr *y)
{
    ParLoop *l = c->l;
    if (ir_expr_equal(x, y) && is_settled(c, x))
        return true;
    if (x->kind == IX_VAR && y->kind == IX_VAR && x->var != y->var) {
        const IrStmt *dx = par_local_def(c, x->var), *dy = par_local_def(c, y->var);
        return dx && dy && dx->kind == IS_SET && dy->kind == IS_SET && same_value(c, dx->e, dy->e);
    }
    if (x->kind != y->kind || x->dtype != y->dtype || x->op != y->op || x->n != y->n || !x->n)
        return false;
    if (x->kind == IX_LOAD &&
        (x->var != y->var || par_is_local(l, x->var) || ir_in(l->fx.stores, x->var)))
        return false;
    for (int i = 0; i < x->n; i++)
        if (!same_value(c, x->arg[i], y->arg[i]))
            return false;
    return x->kind == IX_LOAD || x->kind == IX_OP || x->kind == IX_CAST;
}

static bool
is_used_by(ParLoop *l, const IrVar *v, const IrStmt *by) /* and by nothing else */
{
    IrStmt copy = *by;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy};
    for (int i = 0; i < l->lasts.n; i++)
        if (l->lasts.at[i] == v)
            return false;
    return par_uses(l, v) == par_count_uses(&one, v);
}

/* t = h[e] in access a, and t is used by `by` alone. */
static bool
is_named_load(const Collect *c, const ParAccess *a, const IrStmt *by)
{
    IrStmt *s = a->s;
    return s->kind == IS_SET && s->e->kind == IX_LOAD && par_local_def(c, s->var) == s &&
           is_used_by(c->l, s->var, by);
}

/* Do a load and a store touch one element? */
static bool
is_same(const Collect *c, const ParAccess *a, const ParAccess *store)
{
    bool flat = a->root == store->root && par_is_flat_of(c, a->var, a->root) &&
                par_is_flat_of(c, store->var, a->root);
    bool same = a->var == store->var || flat;
    for (int i = 0; same && i < a->var->ndim; i++)
        same = same_value(c, a->at_idx[i], store->at_idx[i]) ||
               (a->s == store->s && ir_expr_equal(a->at_idx[i], store->at_idx[i]));
    return same || same_element(a, store);
}

/* Is the load by which access a came about the one that e updates? */
static bool
updates(const Collect *c, const IrExpr *e, const ParAccess *a, const ParAccess *store, bool named,
        int *op)
{
    bool inexact = false;
    IrExpr *leaf =
        named ? ir_use(c->l->cx, a->s->var) : ir_load(c->l->cx, a->var, a->var->ndim, a->at_idx);
    *op = -1;
    if (!is_same(c, a, store))
        return false;
    if (par_update_path(e, leaf, op, &inexact))
        *op = *op < 0 ? OP_COUNT : *op;
    else if (!par_update_choice(e, leaf, op, &inexact))
        return false;
    return !inexact || c->l->reassoc;
}

void
par_mark_update(Collect *c, IrStmt *s, int before)
{
    ParLoop *l = c->l;
    const IrExpr *e = s->e;
    const IrStmt *d = e->kind == IX_VAR ? par_local_def(c, e->var) : NULL;
    if (d && (d->kind != IS_SET || !is_used_by(l, d->var, s)))
        return; /* the value is wanted, too */
    if (d)
        e = d->e;
    if (l->acc.n != before + 1)
        return;
    ParAccess *store = &l->acc.at[before];
    for (int i = before - 1; i >= from_here(before); i--) {
        ParAccess *a = &l->acc.at[i];
        int op;
        if (a->write || a->update || !a->at_idx)
            continue;
        bool named = a->s != d && a->s != s;
        if ((named && !is_named_load(c, a, d ? d : s)) || !updates(c, e, a, store, named, &op))
            continue;
        store->update = a->update = true;
        store->keeps = a->keeps = op == OP_COUNT;
        store->op = a->op = (uint8_t)(op == OP_COUNT ? OP_add : op);
        return;
    }
}

/* `into = h or an array of its own; into[..] = h[..] + x; if it was its own: h <- into`
 * is h += x. */
void
par_mark_copied(Collect *c, const IrStmt *s, int before)
{
    ParLoop *l = c->l;
    const ParAccess *store = NULL;
    for (int i = 0; i < before; i++) {
        const ParAccess *a = &l->acc.at[i];
        if (a->write && a->mixed && a->update && a->var == s->base)
            store = a;
    }
    for (int i = before; store && i < l->acc.n; i++) {
        l->acc.at[i].update = l->acc.at[i].root == store->root;
        l->acc.at[i].op = store->op;
    }
}

/* ---- if x > h[e]: h[e] = x ------------------------------------------------------------ */

static const IrExpr *
no_wrap(const IrExpr *e)
{
    return e->kind == IX_OP && e->op == OP_wrap ? e->arg[0] : e;
}

/* Was this very index of this very array in range before, where the branch is met? */
static bool
was_checked(const Collect *c, const IrStmt *check)
{
    const ParLoop *l = c->l;
    for (int i = from_here(l->acc.n); i < l->acc.n; i++) {
        const ParAccess *a = &l->acc.at[i];
        bool runs = a->var == check->var && a->at_idx && a->n_conds <= c->n_conds &&
                    a->n_inner <= c->n_loops;
        for (int k = 0; runs && k < a->n_conds; k++)
            runs = a->conds[k].e == c->cond[k].e && a->conds[k].truth == c->cond[k].truth;
        if (runs && same_value(c, no_wrap(a->at_idx[check->axis]), no_wrap(check->e)))
            return true;
    }
    return false;
}

/* The store of a branch that does nothing else, and can't fail either; or NULL. */
static IrStmt *
lone_store(const Collect *c, const IrStmt *branch)
{
    IrStmt *store = NULL;
    for (IrStmt *s = branch->body.first; s; s = s->next) {
        bool fine = s->kind == IS_STORE && !store;
        if (s->kind == IS_SET)
            fine = is_used_by(c->l, s->var, branch) && par_local_def(c, s->var) == s;
        else if (s->kind == IS_CHECK_INDEX)
            fine = was_checked(c, s);
        if (!fine)
            return NULL;
        store = s->kind == IS_STORE ? s : store;
    }
    return branch->els.first ? NULL : store;
}

/* The side of the comparison that isn't x has the element's old value: the access that
 * loads it, or NULL. */
static ParAccess *
compared(Collect *c, const IrStmt *branch, const ParAccess *store, int *op)
{
    const IrExpr *x = store->s->e, *cond = branch->e;
    const IrStmt *d = x->kind == IX_VAR ? par_local_def(c, x->var) : NULL;
    for (int i = from_here(c->l->acc.n); i < c->l->acc.n; i++) {
        ParAccess *a = &c->l->acc.at[i];
        bool named = a->s != branch;
        if (a->write || a->update || !a->at_idx || !is_same(c, a, store) ||
            (named && !is_named_load(c, a, branch)))
            continue;
        IrExpr *leaf = named ? ir_use(c->l->cx, a->s->var)
                             : ir_load(c->l->cx, a->var, a->var->ndim, a->at_idx);
        *op = par_compares(cond, leaf, x);
        if (*op < 0 && d && d->kind == IS_SET)
            *op = par_compares(cond, leaf, d->e);
        if (*op >= 0)
            return a;
    }
    return NULL;
}

void
par_mark_branch(Collect *c, const IrStmt *branch)
{
    ParLoop *l = c->l;
    IrStmt *s = lone_store(c, branch);
    ParAccess *store = NULL, *load;
    int op;
    for (int i = 0; s && i < l->acc.n; i++)
        if (l->acc.at[i].s == s && l->acc.at[i].write) {
            if (store)
                return;
            store = &l->acc.at[i];
        }
    if (!store || store->update || (dtype_is_float((DType)s->var->dtype) && !l->reassoc))
        return;
    load = compared(c, branch, store, &op);
    if (load) {
        store->update = load->update = true;
        store->op = load->op = (uint8_t)op;
    }
}
