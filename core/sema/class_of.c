/* SPDX-License-Identifier: BSD-3-Clause
 * type(x) is C, type(x) == type(y) and their kin, where x may be None, or is text, a list or a
 * tuple: a function of the library. Anything else has a class that is known. */
#include "sema/internal.h"

/* x of type(x); NULL: it is no such call. */
static const Node *
asked(Sema *s, const Node *n)
{
    const Node *fn = n->kind == N_Call && n->n == 2 ? n->kid[0] : NULL;
    if (!fn || (fn->kind != N_Name && fn->kind != N_Const) || n->kid[1]->kind == N_Keyword ||
        n->kid[1]->kind == N_Starred)
        return NULL;
    const Type *t = sema_expr(s, fn).type;
    const Builtin *b = t->kind == TY_BUILTIN ? t->ref : NULL;
    return b && b->id == BI_py_type ? n->kid[1] : NULL;
}

static bool
is_told_when_run(const Type *t)
{
    const Type *v = type_value(t);
    if (v->names || raised_is_value(v)) /* a named tuple, or one of several classes */
        return false;
    return type_is_optional(t) || t->kind == TY_NONE || type_is_str(t) || type_is_row(t) ||
           t->kind == TY_LIST || t->kind == TY_TUPLE;
}

bool
class_compare(Sema *s, const Node *e, Sem *out)
{
    static const char *const same[] = {[C_EQ] = "_same_class",
                                       [C_IS] = "_same_class",
                                       [C_NE] = "_unlike_class",
                                       [C_ISNOT] = "_unlike_class"};
    static const char *const of[] = {[C_EQ] = "_of_class",
                                     [C_IS] = "_of_class",
                                     [C_NE] = "_not_of_class",
                                     [C_ISNOT] = "_not_of_class"};
    int op = e->ops[0];
    if (s->fr->in->def->is_lib || !(op == C_EQ || op == C_NE || op == C_IS || op == C_ISNOT))
        return false;
    const Node *x = asked(s, e->kid[0]), *y = asked(s, e->kid[1]);
    bool told = false;
    for (int i = 0; i < 2; i++) {
        const Node *k = i ? y : x;
        const Type *t = k ? type_resolve(s->tt, sema_expr(s, k).type) : NULL;
        told |= t && is_told_when_run(t);
    }
    if (!told)
        return false;
    const Node *both[] = {x ? x : y, x && y ? y : x ? e->kid[1] : e->kid[0]};
    if (!(x && y) && sem_bad(sema_expr(s, both[1]))) {
        *out = sema_unknown(s);
        return true;
    }
    *out = heap_call(s, e, (x && y ? same : of)[op], 2, both);
    return true;
}
