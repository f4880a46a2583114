/* SPDX-License-Identifier: BSD-3-Clause
 * Loops that combine into the elements of an array, which on the CPU give each chunk an array of its own. Where the
 * loop inside takes each element once (sums over an axis), both change places: a thread for each element, which goes
 * through the outer loop in order. Integers are combined by atomic operations, whose order changes
 * nothing. What is left, floats at places that are found as the loop runs, stays on the CPU. */
#include "pass/offload.h"

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

/* ---- both loops change places ------------------------------------------------------------------ */

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

/* ---- atomic operations --------------------------------------------------------------------------- */

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

static bool
is_same_place(const IrStmt *s, const IrExpr *e)
{
    if (e->kind != IX_LOAD || e->var != s->var || e->n != s->n_idx)
        return false;
    for (int i = 0; i < s->n_idx; i++)
        if (!ir_expr_equal(e->arg[i], s->idx[i]))
            return false;
    return true;
}

/* What is stored: t = ...; v[i] = t counts as one. */
static const IrExpr *
stored(const IrStmt *s)
{
    const IrStmt *t = s->prev;
    bool named = s->e->kind == IX_VAR && t && t->kind == IS_SET && t->var == s->e->var;
    return named ? t->e : s->e;
}

/* The operation, and with what: v[i] = op(v[i], x). -1: none of these */
static int
update_of(const IrStmt *s, IrExpr **x)
{
    const IrExpr *e = stored(s);
    int op = e->kind == IX_OP && e->n == 2 ? atomic_of(e) : -1;
    if (op < 0)
        return -1;
    if (is_same_place(s, e->arg[0]))
        *x = e->arg[1];
    else if (op != ATOM_SUB && is_same_place(s, e->arg[1]))
        *x = e->arg[0];
    else
        return -1;
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

static void
look_update(IrBlock *b, IrStmt *s, void *arg)
{
    Places *p = arg;
    IrExpr *x = NULL;
    (void)b;
    if (s->kind == IS_STORE && is_reduced(p->o, s->var)) {
        int size = dtype_size((DType)s->var->dtype);
        DKind k = dtype_kind((DType)s->var->dtype);
        p->ok &= (k == DK_INT || k == DK_UINT) && size >= 4 && update_of(s, &x) >= 0;
        if (p->ok)
            ir_walk_expr(&x, look_read, p);
        return;
    }
    if (s->kind == IS_SET && s->next && s->next->kind == IS_STORE && is_reduced(p->o, s->next->var) &&
        stored(s->next) == s->e)
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
    (void)b;
    if (s->kind != IS_STORE || !is_reduced(p->o, s->var))
        return;
    int op = update_of(s, &x);
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
