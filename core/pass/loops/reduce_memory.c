/* SPDX-License-Identifier: BSD-3-Clause
 * What a loop of reductions does with memory beside reading it.
 *
 * It may store the iterations' own values, as `new[i] = v; err = max(err, abs(v - old[i]))`: each
 * to an element of its own, and nothing that another iteration reads; whether arrays share memory
 * is tested before the loop. Run again, it stores the same, unless it reads what it has stored.
 *
 * It may compare with the element at an index that it keeps, as `if x[i] > x[k]: k = i`. Then the
 * element, or its absolute value, has a variable of its own, top, which is set where k is. */
#include "pass/loops/reduce.h"

/* ---- stores
 * ----------------------------------------------------------------------------------- */

static bool
is_moved(const Reduce *x, const IrExpr *e) /* does it change from iteration to iteration? */
{
    bool any = e->kind == IX_LOAD || ir_is_var(e, x->loop->var);
    for (const IrStmt *s = x->loop->body.first; s && !any; s = s->next)
        any = s->kind == IS_SET && ir_is_var(e, s->var);
    for (int i = 0; i < e->n && !any; i++)
        any = is_moved(x, e->arg[i]);
    return any;
}

/* One element after the other of a row. */
static bool
is_row(const Reduce *x, const IrStmt *s)
{
    IrAffine a;
    int last = s->n_idx - 1, n = 0;
    if (s->var->layout != LAY_C || last < 0 || !ir_affine(s->idx[last], &a))
        return false;
    for (int i = 0; i < last; i++)
        if (is_moved(x, s->idx[i]))
            return false;
    for (int i = 0; i < a.n; i++) {
        bool own = ir_is_var(a.t[i].term, x->loop->var);
        if (own ? a.t[i].coef != 1 : is_moved(x, a.t[i].term))
            return false;
        n += own;
    }
    return n == 1;
}

typedef struct Loads {
    Reduce *x;
    const IrStmt *store;
    bool bad;
} Loads;

static void
note_array(Reduce *x, IrVar *v)
{
    for (int i = 0; i < x->loaded.n; i++)
        if (x->loaded.at[i] == v)
            return;
    VEC_PUSH(&x->cx->arena, x->loaded, v);
}

/* What is read of the array that is stored to is the iteration's own element. */
static bool
see_load(IrExpr **e, void *arg)
{
    Loads *l = arg;
    if ((*e)->kind != IX_LOAD)
        return true;
    if ((*e)->var != l->store->var) {
        note_array(l->x, (*e)->var);
        return true;
    }
    l->x->rereads = true;
    for (int i = 0; i < (*e)->n; i++)
        l->bad |= !ir_expr_equal((*e)->arg[i], l->store->idx[i]);
    return true;
}

bool
reduce_may_store(Reduce *x)
{
    enum { MAX_TESTS = 6 };
    int tests = 0;
    x->rereads = false;
    x->stored.n = x->loaded.n = 0;
    for (IrStmt *s = x->loop->body.first; s; s = s->next) {
        Loads l = {.x = x, .store = s};
        if (s->kind != IS_STORE)
            continue;
        for (int i = 0; i < x->stored.n; i++)
            l.bad |= x->stored.at[i] == s->var;
        for (IrStmt *t = x->loop->body.first; t; t = t->next)
            ir_walk_stmt_exprs(t, see_load, &l);
        if (l.bad || !is_row(x, s) || (x->index && reduce_element(x->index)->var == s->var))
            return false;
        VEC_PUSH(&x->cx->arena, x->stored, s->var);
    }
    for (int k = 0; k < x->stored.n; k++) {
        for (int i = 0; i < x->loaded.n; i++)
            tests += !x->loaded.at[i]->noalias && !x->stored.at[k]->noalias;
        tests += k;
    }
    return tests <= MAX_TESTS;
}

/* ---- the element at a kept index
 * ---------------------------------------------------------------- */

typedef struct Index {
    Reduce *x;
    IrExpr *found;
    bool differ;
} Index;

static const IrStmt *
set_of(const IrBlock *b, const IrVar *v)
{
    for (const IrStmt *s = b->first; s; s = s->next)
        if (s->kind == IS_SET && s->var == v)
            return s;
    return NULL;
}

/* k where e is k or wrap(k, ..), which the loop keeps: k = select(c, .., k) */
static IrVar *
kept_index(const Reduce *x, const IrExpr *e)
{
    if (e->kind == IX_OP && e->op == OP_wrap)
        e = e->arg[0];
    const IrStmt *s = e->kind == IX_VAR ? set_of(&x->loop->body, e->var) : NULL;
    bool keeps =
        s && s->e->kind == IX_OP && s->e->op == OP_select && ir_is_var(s->e->arg[2], e->var);
    return keeps ? e->var : NULL;
}

/* What is compared may be made of the element alone: its absolute value. */
IrExpr *
reduce_element(IrExpr *e)
{
    while (e->n == 1 && (e->kind == IX_CAST || (e->kind == IX_OP && e->op != OP_inv)))
        e = e->arg[0];
    return e;
}

static bool
find_index(IrExpr **e, void *arg)
{
    Index *f = arg;
    bool any = false;
    IrExpr *load = reduce_element(*e);
    for (int i = 0; load->kind == IX_LOAD && i < load->n; i++)
        any |= kept_index(f->x, load->arg[i]) != NULL;
    if (!any)
        return true;
    f->differ |= f->found && !ir_expr_equal(f->found, *e);
    f->found = *e;
    return false;
}

static bool
use_top(IrExpr **e, void *arg)
{
    const Reduce *x = arg;
    if (!ir_expr_equal(*e, x->index))
        return true;
    *e = ir_use(x->cx, x->top);
    return false;
}

static bool
is_index(const Reduce *x, const IrVar *v)
{
    const IrExpr *load = reduce_element(x->index);
    for (int i = 0; i < load->n; i++)
        if (kept_index(x, load->arg[i]) == v)
            return true;
    return false;
}

/* Is it read before the indices are set alone, and are these set together? */
static bool
is_kept_together(const Reduce *x, const IrBlock *b)
{
    const IrStmt *first = NULL;
    for (const IrStmt *s = b->first; s; s = s->next) {
        if (first && s->kind != IS_CHECK_INDEX && ir_has_equal(s->e, x->index))
            return false;
        if (s->kind != IS_SET || !is_index(x, s->var))
            continue;
        if (first && !ir_expr_equal(s->e->arg[0], first->e->arg[0]))
            return false;
        first = first ? first : s;
    }
    return first;
}

/* The loop without checks of the kept index, with `top` in place of what is there. */
static bool
rewrite(Reduce *x, IrBlock *b)
{
    const IrStmt *set = NULL;
    IrExpr *value = ir_copy_expr(x->cx, x->index), *at = reduce_element(value);
    const IrExpr *load = reduce_element(x->index);
    if (!is_kept_together(x, b))
        return false;
    for (int i = 0; i < at->n; i++) {
        IrVar *k = kept_index(x, at->arg[i]);
        if (!k)
            continue;
        set = set_of(b, k);
        at->arg[i] = ir_copy_expr(x->cx, set->e->arg[1]);
    }
    IrStmt *last = ir_stmt(x->cx, IS_SET, set->at);
    last->var = x->top;
    last->e =
        ir_op(x->cx, OP_select, ir_copy_expr(x->cx, set->e->arg[0]), value, ir_use(x->cx, x->top));
    ir_insert_before(b, NULL, last);
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        if (s->kind != IS_CHECK_INDEX) {
            ir_walk_stmt_exprs(s, use_top, x);
            continue;
        }
        IrVar *k = kept_index(x, s->e);
        if (s->var != load->var || !k || k != kept_index(x, load->arg[s->axis]))
            return false;
        ir_remove(b, s);
    }
    return true;
}

bool
reduce_index(Reduce *x)
{
    Index f = {.x = x};
    for (IrStmt *s = x->loop->body.first; s; s = s->next)
        if (s->kind != IS_CHECK_INDEX)
            ir_walk_stmt_exprs(s, find_index, &f);
    if (!f.found || f.differ)
        return !f.found;
    IrBlock one = {x->loop, x->loop}, copy;
    IrStmt *next = x->loop->next, *prev = x->loop->prev;
    x->loop->next = x->loop->prev = NULL;
    copy = ir_clone_block(x->f, &one, NULL);
    x->loop->next = next;
    x->loop->prev = prev;
    x->loop = copy.first;
    x->index = ir_copy_expr(x->cx, f.found);
    x->top = ir_var(x->f, "top", (DType)f.found->dtype);
    return rewrite(x, &x->loop->body);
}
