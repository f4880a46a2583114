/* SPDX-License-Identifier: BSD-3-Clause
 * Which stores of a loop only update an array: h[e] = op(h[e], x), h[e] = max(h[e], x), and
 * `if x > h[e]: h[e] = x`. Then the load and the store are marked, and par_array.c makes a
 * reduction of them when nothing else touches the array.
 * When two subscripts are one is said in par_same.c. */
#include "pass/parallel/par_access.h"

/* accesses before that are looked at: the load of an update is near its store */
enum { MAX_BACK = 64 };

static int
from_here(int n)
{
    return n > MAX_BACK ? n - MAX_BACK : 0;
}

/* An inner loop's variable has one value at both. */
static bool
in_one_round(const ParLoop *l, const IrExpr *e, const ParAccess *a, const ParAccess *b)
{
    const ParRange *r = e->kind == IX_VAR ? depend_range(l, e->var) : NULL;
    bool in_a = !r || e->var->id < 0, in_b = in_a;
    for (int i = 0; r && i < a->n_inner; i++)
        in_a |= a->inner[i] >= 0 && &l->ranges.at[a->inner[i]] == r;
    for (int i = 0; r && i < b->n_inner; i++)
        in_b |= b->inner[i] >= 0 && &l->ranges.at[b->inner[i]] == r;
    for (int i = 0; in_a && in_b && i < e->n; i++)
        in_a = in_one_round(l, e->arg[i], a, b);
    return in_a && in_b;
}

static bool
same_element(const ParLoop *l, const ParAccess *a, const ParAccess *b)
{
    if (a->root != b->root || !a->idx || !b->idx)
        return false;
    for (int i = 0; i < a->root->ndim; i++)
        if (!a->idx[i] || !b->idx[i] || !ir_expr_equal(a->idx[i], b->idx[i]) ||
            !in_one_round(l, a->idx[i], a, b))
            return false;
    return true;
}

static Place
place_of(const ParAccess *a)
{
    return (Place){a->when, a->in};
}

static bool
is_last(const ParLoop *l, const IrVar *v)
{
    for (int i = 0; i < l->lasts.n; i++)
        if (l->lasts.at[i] == v)
            return true;
    return false;
}

static bool
is_used_by(ParLoop *l, const IrVar *v, const IrStmt *by) /* and by nothing else */
{
    IrStmt copy = *by;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy};
    return !is_last(l, v) && par_uses(l, v) == par_count_uses(&one, v);
}

/* t = h[e] in access a, and t is used by `by` alone. */
static bool
is_named_load(const Collect *c, const ParAccess *a, const IrStmt *by)
{
    IrStmt *s = a->s;
    return s->kind == IS_SET && s->e->kind == IX_LOAD && par_local_def(c, s->var) == s &&
           is_used_by(c->l, s->var, by);
}

static int
times_in(const IrExpr *e, const IrVar *v)
{
    int n = ir_is_var(e, v);
    for (int i = 0; i < e->n; i++)
        n += times_in(e->arg[i], v);
    return n;
}

/* The same where what uses it has been written out: e. */
static bool
is_load_named_in(const Collect *c, const ParAccess *a, const IrExpr *e)
{
    const IrStmt *s = a->s;
    return s->kind == IS_SET && s->e->kind == IX_LOAD && par_local_def(c, s->var) == s &&
           !is_last(c->l, s->var) && par_uses(c->l, s->var) == times_in(e, s->var);
}

/* Do a load and a store touch one element? */
static bool
is_same(const Collect *c, const ParAccess *a, const ParAccess *store)
{
    Place p = place_of(a), q = place_of(store);
    bool flat = a->root == store->root && par_is_flat_of(c, a->var, a->root) &&
                par_is_flat_of(c, store->var, a->root);
    bool same = flat || par_same_array(c, a->var, p, store->var, q);
    for (int i = 0; same && i < a->var->ndim; i++)
        same = par_same_value(c, a->at_idx[i], p, store->at_idx[i], q) ||
               (a->s == store->s && ir_expr_equal(a->at_idx[i], store->at_idx[i]));
    return same || same_element(c->l, a, store);
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

enum { DEEPEST = 12 };

/* The statement that sets variable e, which only the statement `by` uses; or NULL. A variable that
 * is a load stays one. */
static const IrStmt *
part_of(const Collect *c, const IrExpr *e, const IrStmt *by, int depth)
{
    const IrStmt *d = e->kind == IX_VAR && depth < DEEPEST ? par_local_def(c, e->var) : NULL;
    bool part = d && d->kind == IS_SET && d->e->kind != IX_LOAD;
    return part && is_used_by(c->l, d->var, by) ? d : NULL;
}

/* e, with such variables written out: two updates of an element, merged, are
 * `t = h[e] + x; u = t + y; h[e] = u`. */
static const IrExpr *
written_out(const Collect *c, const IrExpr *e, const IrStmt *by, int depth)
{
    const IrStmt *d = part_of(c, e, by, depth);
    if (d)
        return written_out(c, d->e, d, depth + 1);
    IrExpr *copy = NULL;
    for (int i = 0; i < e->n && (e->kind == IX_OP || e->kind == IX_CAST); i++) {
        const IrExpr *x = written_out(c, e->arg[i], by, depth);
        if (x == e->arg[i])
            continue;
        copy = copy ? copy : ir_copy_expr(c->l->cx, e);
        copy->arg[i] = ir_copy_expr(c->l->cx, x);
    }
    return copy ? copy : e;
}

static bool
is_written_out(const Collect *c, const IrExpr *e, const IrStmt *by, int depth, const IrStmt *s)
{
    const IrStmt *d = part_of(c, e, by, depth);
    if (d)
        return d == s || is_written_out(c, d->e, d, depth + 1, s);
    bool is = false;
    for (int i = 0; i < e->n && !is && (e->kind == IX_OP || e->kind == IX_CAST); i++)
        is = is_written_out(c, e->arg[i], by, depth, s);
    return is;
}

void
par_mark_update(Collect *c, IrStmt *s, int before)
{
    ParLoop *l = c->l;
    const IrExpr *e = s->e;
    const IrStmt *d = e->kind == IX_VAR ? par_local_def(c, e->var) : NULL;
    if (d && (d->kind != IS_SET || !is_used_by(l, d->var, s)))
        return; /* the value is wanted, too */
    if (l->acc.n != before + 1)
        return;
    e = written_out(c, d ? d->e : e, d ? d : s, 0);
    ParAccess *store = &l->acc.at[before];
    for (int i = before - 1; i >= from_here(before); i--) {
        ParAccess *a = &l->acc.at[i];
        int op;
        if (a->write || a->update || !a->at_idx)
            continue;
        bool named =
            a->s != d && a->s != s && !is_written_out(c, d ? d->e : s->e, d ? d : s, 0, a->s);
        if ((named && !is_load_named_in(c, a, e)) || !updates(c, e, a, store, named, &op))
            continue;
        store->update = a->update = true;
        store->keeps = a->keeps = op == OP_COUNT;
        store->op = a->op = (uint8_t)(op == OP_COUNT ? OP_add : op);
        return;
    }
}

/* One of the choices in e is the old value, by load `a` in the statement or before it. */
static bool
may_keep(const Collect *c, const IrExpr *e, const ParAccess *a, const IrStmt *s)
{
    if (e->kind == IX_OP && e->op == OP_select)
        return may_keep(c, e->arg[1], a, s) || may_keep(c, e->arg[2], a, s);
    if (e->kind == IX_VAR)
        return a->s != s && a->s->kind == IS_SET && a->s->e->kind == IX_LOAD &&
               par_local_def(c, e->var) == a->s;
    return e->kind == IX_LOAD && a->s == s && e->var == a->var &&
           !memcmp(e->arg, a->at_idx, sizeof *e->arg * (size_t)e->n);
}

/* h[e] = x if m else h[e] is an assignment under a mask: whether it is an element that others
 * assign to is up to the mask. */
void
par_mark_masked(Collect *c, const IrStmt *s, int before)
{
    ParLoop *l = c->l;
    const IrExpr *e = s->e;
    const IrStmt *d = e->kind == IX_VAR ? par_local_def(c, e->var) : NULL;
    e = d && d->kind == IS_SET ? d->e : e;
    if (e->kind != IX_OP || e->op != OP_select)
        return;
    for (int k = before; k < l->acc.n; k++)
        for (int i = from_here(before); i < before; i++) {
            const ParAccess *a = &l->acc.at[i];
            if (!a->write && a->at_idx && may_keep(c, e, a, d ? d : s) &&
                is_same(c, a, &l->acc.at[k]))
                l->acc.at[k].must = false;
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
                    par_is_around(c, a->in);
        for (int k = 0; runs && k < a->n_conds; k++)
            runs = a->conds[k].e == c->cond[k].e && a->conds[k].truth == c->cond[k].truth;
        if (runs && par_same_value(c, no_wrap(a->at_idx[check->axis]), place_of(a),
                                   no_wrap(check->e), par_here(c)))
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
