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
    return !i->cst && (k == TY_SCALAR || k == TY_ARRAY || k == TY_REF || k == TY_OPTIONAL);
}

/* Of and, or: up to what decides it. */
static void
bool_effects(Lower *l, const Node *n)
{
    for (int i = 0; i < n->n; i++) {
        const Const *known = sema_info(l->in, n->kid[i])->cst;
        known_effects(l, n->kid[i]);
        if (!known || const_truth(known) == n->op)
            return;
    }
}

static void
choice_effects(Lower *l, const Node *n)
{
    const Const *known = sema_info(l->in, n->kid[0])->cst;
    int truth = known ? const_truth(known) : -1;
    known_effects(l, n->kid[0]);
    if (truth >= 0)
        known_effects(l, n->kid[truth ? 1 : 2]);
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
    return n->kind == N_NamedExpr || unbound || call;
}

void
known_effects(Lower *l, const Node *n)
{
    bool loops = n && n->kind == N_ListComp, later = loops && n->op == 1; /* a generator */
    if (!n || n->kind == N_Const || n->kind == N_Lambda || later || sema_info(l->in, n)->dead)
        return;
    if (has_value(sema_info(l->in, n)) || must_run(l, n))
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
        bool_effects(l, n);
    else if (n->kind == N_IfExp)
        choice_effects(l, n);
    else
        for (int i = 0; i < n->n && !(n->kind == N_Compare && i > 1); i++)
            known_effects(l, n->kid[i]);
}
