/* SPDX-License-Identifier: BSD-3-Clause
 * Loops that combine into the elements of an array, which on the CPU give each chunk an array of
 * its own. Where the loop inside takes each element once (sums over an axis), both change places: a
 * thread for each element, which goes through the outer loop in order. Integers are combined by
 * atomic operations, whose order changes nothing. What is left, floats at places that are found as
 * the loop runs, stays on the CPU. */
#include "pass/offload/offload.h"

typedef struct Places {
    const Outline *o;
    IrStmt *const *loop; /* the inner ones */
    int n;
    bool ok;
} Places;

static bool
is_reduced(const Outline *o, const IrVar *v)
{
    for (int i = 0; i < o->loop->n_reds; i++)
        if (v && v->is_array && o->loop->reds[i].var == v)
            return true;
    return false;
}

/* ---- both loops change places ---------------------------------------------------------------- */

static bool
look_place(IrExpr **e, void *arg)
{
    Places *p = arg;
    const IrVar *v = (*e)->var;
    bool inner = false;
    for (int i = 0; i < p->n; i++)
        inner |= v == p->loop[i]->var;
    if ((*e)->kind == IX_LOAD || (v && !inner && p->o->seen[v->id] != USED))
        p->ok = false;
    return p->ok;
}

static void
look_index(Places *p, IrExpr **idx, int n)
{
    for (int i = 0; i < n; i++)
        ir_walk_expr(&idx[i], look_place, p);
}

static bool
look_load(IrExpr **e, void *arg)
{
    Places *p = arg;
    if ((*e)->kind == IX_LOAD && is_reduced(p->o, (*e)->var))
        look_index(p, (*e)->arg, (*e)->n);
    return p->ok;
}

static void
look_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Places *p = arg;
    (void)b;
    ir_walk_stmt_exprs(s, look_load, p);
    if (s->kind == IS_STORE && is_reduced(p->o, s->var))
        look_index(p, s->idx, s->n_idx);
    else if (is_reduced(p->o, s->var) || is_reduced(p->o, s->base))
        p->ok = false;
    for (int i = 0; i < s->n_args; i++)
        p->ok &= !is_reduced(p->o, s->args[i].arr);
}

bool
offload_swaps(const Outline *o, IrStmt *const *inner, int n)
{
    Places p = {o, inner, n, n > 0};
    for (int i = 0; i < o->loop->n_reds; i++)
        p.ok &= o->loop->reds[i].var->is_array;
    ir_walk_block(&o->loop->body, look_stmt, &p);
    return p.ok;
}

/* ---- atomic operations ----------------------------------------------------------------------- */

static int
atomic_of(const IrExpr *e)
{
    switch (e->op) {
    case OP_add:
        return ATOM_ADD;
    case OP_sub:
        return ATOM_SUB;
    case OP_min:
        return ATOM_MIN;
    case OP_max:
        return ATOM_MAX;
    case OP_and:
        return ATOM_AND;
    case OP_or:
        return ATOM_OR;
    case OP_xor:
        return ATOM_XOR;
    default:
        return -1;
    }
}

typedef struct Uses {
    const IrVar *v;
    int n;
} Uses;

static bool
count_use(IrExpr **e, void *arg)
{
    Uses *u = arg;
    u->n += (*e)->var == u->v;
    return true;
}

static void
count_uses(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, count_use, arg);
}

static bool
is_between(const IrStmt *s)
{
    return s && (s->kind == IS_SET || s->kind == IS_CHECK_INDEX || s->kind == IS_CHECK);
}

/* The set of a variable among those that come right before s, if none between them changes what idx
 * needs. */
static IrStmt *
set_before(const IrStmt *s, const IrVar *v)
{
    for (IrStmt *t = s->prev; is_between(t); t = t->prev) {
        if (t->kind != IS_SET)
            continue;
        if (t->var == v)
            return t;
        for (int i = 0; i < s->n_idx; i++)
            if (!t->var->once && ir_mentions(s->idx[i], t->var))
                return NULL;
    }
    return NULL;
}

static const IrExpr *
written_out(const IrStmt *s, const IrExpr *e)
{
    const IrStmt *t = e->kind == IX_VAR && e->var->once ? set_before(s, e->var) : NULL;
    return t ? t->e : e;
}

static bool
is_same_place(const IrStmt *s, const IrExpr *e)
{
    if (e->kind != IX_LOAD || e->var != s->var || e->n != s->n_idx)
        return false;
    for (int i = 0; i < s->n_idx; i++)
        if (!ir_expr_equal(e->arg[i], s->idx[i]) &&
            !ir_expr_equal(written_out(s, e->arg[i]), written_out(s, s->idx[i])))
            return false;
    return true;
}

/* t = ...; v[i] = t counts as one, if what t is set to stays what it is: that set, or NULL. */
static IrStmt *
stored_by(const IrStmt *s)
{
    IrStmt *t = s->e->kind == IX_VAR ? set_before(s, s->e->var) : NULL;
    if (!t)
        return NULL;
    for (int i = 0; i < s->n_idx; i++)
        if (ir_mentions(s->idx[i], t->var))
            return NULL;
    for (const IrStmt *k = t->next; k != s; k = k->next)
        if (k->kind == IS_SET && ir_mentions(t->e, k->var))
            return NULL;
    return t;
}

static const IrExpr *
stored(const IrStmt *s)
{
    const IrStmt *t = stored_by(s);
    return t ? t->e : s->e;
}

/* Is e what was in the place before? */
static bool
is_old(const IrStmt *s, const IrExpr *e)
{
    const IrStmt *t = e->kind == IX_VAR ? set_before(s, e->var) : NULL;
    return is_same_place(s, t ? t->e : e);
}

/* select(a < b, a, b), and the like: the lesser or the greater of both. Ties don't tell integers
 * apart. */
static int
choice_of(const IrExpr *e, IrExpr ***both)
{
    const IrExpr *c = e->arg[0];
    if (e->op != OP_select || c->kind != IX_OP || !(op_info[c->op].flags & OPF_ORDERS))
        return -1;
    bool less = c->op == OP_lt || c->op == OP_le;
    *both = &e->arg[1];
    if (ir_expr_equal(c->arg[0], e->arg[1]) && ir_expr_equal(c->arg[1], e->arg[2]))
        return less ? ATOM_MIN : ATOM_MAX;
    if (ir_expr_equal(c->arg[1], e->arg[1]) && ir_expr_equal(c->arg[0], e->arg[2]))
        return less ? ATOM_MAX : ATOM_MIN;
    return -1;
}

/* The operation, and with what: v[i] = op(v[i], x). -1: none of these */
static int
update_of(const IrStmt *s, IrExpr **x)
{
    const IrExpr *e = stored(s);
    if (e->kind != IX_OP || e->n < 2)
        return -1;
    IrExpr **both = e->arg;
    int op = e->n == 2 ? atomic_of(e) : choice_of(e, &both);
    if (op < 0)
        return -1;
    int old = is_old(s, both[0]) ? 0 : op != ATOM_SUB && is_old(s, both[1]) ? 1 : 2;
    if (old == 2 || (both[old]->kind == IX_VAR && ir_mentions(both[1 - old], both[old]->var)))
        return -1;
    *x = both[1 - old];
    return op;
}

static bool
look_read(IrExpr **e, void *arg)
{
    Places *p = arg;
    if ((*e)->kind == IX_LOAD && is_reduced(p->o, (*e)->var))
        p->ok = false;
    return p->ok;
}

/* The update that a set belongs to: t = v[i]; ...; v[i] = op(t, x), or t = op(v[i], x); v[i] = t.
 * Nobody else reads t. */
static IrStmt *
update_after(const Places *p, const IrStmt *s)
{
    IrExpr *x;
    IrStmt *t = s->next;
    while (is_between(t))
        t = t->next;
    if (!t || t->kind != IS_STORE || !is_reduced(p->o, t->var) || update_of(t, &x) < 0)
        return NULL;
    if (stored(t) != s->e && (!is_same_place(t, s->e) || set_before(t, s->var) != s))
        return NULL;
    Uses all = {.v = s->var}, here = {.v = s->var};
    ir_walk_block(&p->o->loop->body, count_uses, &all);
    count_uses(NULL, t, &here);
    if (stored(t) != t->e && stored(t) != s->e)
        count_uses(NULL, stored_by(t), &here);
    return all.n == here.n ? t : NULL;
}

static void
look_update(IrBlock *b, IrStmt *s, void *arg)
{
    Places *p = arg;
    IrExpr *x = NULL;
    (void)b;
    if (s->kind == IS_STORE && is_reduced(p->o, s->var)) {
        DKind k = dtype_kind((DType)s->var->dtype);
        p->ok &= (k == DK_INT || k == DK_UINT) && update_of(s, &x) >= 0;
        if (p->ok)
            ir_walk_expr(&x, look_read, p);
        return;
    }
    if (s->kind == IS_SET && update_after(p, s))
        return; /* looked at there */
    p->ok &= s->kind == IS_CHECK_INDEX || (!is_reduced(p->o, s->var) && !is_reduced(p->o, s->base));
    for (int i = 0; i < s->n_args; i++)
        p->ok &= !is_reduced(p->o, s->args[i].arr);
    ir_walk_stmt_exprs(s, look_read, p);
}

bool
offload_atomic(const Outline *o)
{
    Places p = {.o = o, .ok = true};
    ir_walk_block(&o->loop->body, look_update, &p);
    return p.ok;
}

static void
to_atomic(IrBlock *b, IrStmt *s, void *arg)
{
    const Places *p = arg;
    IrExpr *x = NULL;
    if (s->kind != IS_STORE || !is_reduced(p->o, s->var))
        return;
    int op = update_of(s, &x);
    for (IrStmt *t = s->prev, *prev; is_between(t); t = prev) {
        prev = t->prev;
        if (t->kind == IS_SET && update_after(p, t) == s)
            ir_remove(b, t);
    }
    s->kind = IS_ATOMIC;
    s->order = (uint8_t)op;
    s->base = s->var;
    s->var = NULL;
    s->e = x;
}

/* The loop's updates; the arrays are no reductions any more. */
void
offload_make_atomic(Outline *o)
{
    Places p = {.o = o};
    IrStmt *s = o->loop;
    ir_walk_block(&s->body, to_atomic, &p);
    int n = 0;
    for (int i = 0; i < s->n_reds; i++)
        if (!s->reds[i].var->is_array)
            s->reds[n++] = s->reds[i];
    s->n_reds = n;
}
