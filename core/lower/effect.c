/* SPDX-License-Identifier: BSD-3-Clause
 * What an expression does besides having a value: where the value is known beforehand, or not
 * wanted, its calls are made all the same, and what would raise raises. */
#include "lower/internal.h"

void
evaluate(Lower *l, const Node *e)
{
    l->unused = e;
    Val v = expr(l, e);
    l->unused = NULL;
    if (v.kind == VK_LAZY)
        np_materialize(&l->b, v, LAY_C);
    else if (v.kind == VK_SCALAR && v.e->kind != IX_CONST && v.e->kind != IX_VAR)
        ir_temp(&l->b, v.e);
}

/* An array expression without calls is not computed for its elements. */
static void
evaluate_part(Lower *l, const Node *e)
{
    Val v = expr(l, e);
    if (v.kind == VK_LAZY && impure(l, e))
        np_materialize(&l->b, v, LAY_C);
}

static bool
has_value(const Info *i)
{
    TypeKind k = i->type ? i->type->kind : TY_UNKNOWN;
    return !i->cst && (k == TY_SCALAR || k == TY_ARRAY || k == TY_REF || k == TY_OBJ ||
                       k == TY_OPTIONAL || k == TY_TEXT);
}

static void
effects_in(Lower *l, IrBlock *into, const Node *n)
{
    IrBlock *save = l->b.at;
    int mark = drop_mark(l);
    l->b.at = into;
    known_effects(l, n);
    drop_temps(l, mark);
    l->b.at = save;
}

/* Of and, or: up to what decides it. */
static void
bool_effects(Lower *l, const Node *n, int from)
{
    const Node *k = n->kid[from];
    const Const *known = sema_info(l->in, k)->cst;
    int fixed = known ? const_truth(known) : -1;
    if (sema_info(l->in, k)->dead) /* and so are those behind it */
        return;
    if (fixed >= 0 || from + 1 == n->n) {
        known_effects(l, k);
        if (fixed != n->op && from + 1 < n->n)
            bool_effects(l, n, from + 1);
        return;
    }
    IrExpr *go_on = truth(l, k);
    IrStmt *s = ir_if(&l->b, n->op ? ir_op(l->cx, OP_inv, go_on) : go_on);
    IrBlock *save = l->b.at;
    int mark = drop_mark(l);
    l->b.at = &s->body;
    bool_effects(l, n, from + 1);
    drop_temps(l, mark);
    l->b.at = save;
}

static void
choice_effects(Lower *l, const Node *n)
{
    const Const *known = sema_info(l->in, n->kid[0])->cst;
    int fixed = known ? const_truth(known) : -1;
    if (fixed >= 0) {
        known_effects(l, n->kid[0]);
        known_effects(l, n->kid[fixed ? 1 : 2]);
        return;
    }
    IrStmt *s = ir_if(&l->b, truth(l, n->kid[0]));
    effects_in(l, &s->body, n->kid[1]);
    effects_in(l, &s->els, n->kid[2]);
}

static void
element_effects(Lower *l, const Node *elt, void *arg)
{
    (void)arg;
    known_effects(l, elt);
}

/* Is it the expression itself that must run, and not only what it is made of? */
bool
must_run(const Lower *l, const Node *n)
{
    const Info *i = sema_info(l->in, n);
    bool unbound = n->kind == N_Name && i->check_bound;
    bool call = n->kind == N_Call ? !call_is_pure(i->call) : i->call && i->call->kind == CALL_INST;
    call |= i->truth || (n->kind == N_Call && i->before); /* a function of the library's */
    return n->kind == N_NamedExpr || unbound || call;
}

void
known_effects(Lower *l, const Node *n)
{
    bool loops = n && n->kind == N_ListComp, later = loops && n->op == 1; /* a generator */
    if (!n || n->kind == N_Const || n->kind == N_Lambda || later || sema_info(l->in, n)->dead)
        return;
    bool element = n->kind == N_Subscript && !sema_info(l->in, n)->cst; /* it may not be there */
    if (n->kind == N_Keyword)
        known_effects(l, n->kid[0]);
    else if (has_value(sema_info(l->in, n)) || must_run(l, n) || element)
        evaluate_part(l, n);
    else if (loops)
        comprehension(l, &(Generators){.comp = n, .body = element_effects});
    else
        parts_effects(l, n);
}

void
parts_effects(Lower *l, const Node *n)
{
    if (n->kind == N_BoolOp)
        bool_effects(l, n, 0);
    else if (n->kind == N_IfExp)
        choice_effects(l, n);
    else
        for (int i = 0; i < n->n && !(n->kind == N_Compare && i > 1); i++)
            known_effects(l, n->kid[i]);
}
