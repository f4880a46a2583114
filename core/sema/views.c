/* SPDX-License-Identifier: BSD-3-Clause
 * `keys = d.keys()`: a view of the dict as it is when the name is used. Where both names are bound
 * once, each use of the view's name becomes the call, and all is typed again; elsewhere the name
 * has a list of what was there. */
#include "sema/internal.h"

int
sema_bindings(const Node *n, Sym name, bool inside, bool uses)
{
    if (!n)
        return 0;
    bool named = n->name == name && (n->kind == N_Name || n->kind == N_Handler ||
                                     n->kind == N_FunctionDef || n->kind == N_Global);
    int sum = named && (n->kind != N_Name || n->op != CTX_LOAD || inside);
    for (int i = 0; i < n->n; i++)
        sum += sema_bindings(n->kid[i], name, inside, uses);
    return n->fn ? sum + sema_bindings(n->fn->body, name, uses, uses) : sum;
}

/* It is a parameter, or one statement of the body itself sets it, which runs once. */
static bool
set_once(const FuncDef *fn, Sym name)
{
    bool found = false;
    for (int i = 0; i < fn->n_params && !found; i++)
        found = fn->params[i].name == name;
    bool param = found;
    for (int i = 0; i < fn->body->n && !found; i++) {
        const Node *s = fn->body->kid[i];
        found = s->kind == N_Assign && s->n == 2 && s->kid[1]->kind == N_Name &&
                s->kid[1]->name == name;
    }
    return found && sema_bindings(fn->body, name, false, false) + param == 1;
}

void
sema_view(Sema *s, const Node *stmt)
{
    const FuncDef *fn = s->fr->in->def;
    const Node *call = stmt->kid[0], *f = call->kind == N_Call ? call->kid[0] : NULL;
    const Node *to = stmt->kid[1];
    if (s->unroll.loop || fn->is_lib || stmt->n != 2 || to->kind != N_Name || !f || call->n != 1 ||
        f->kind != N_Attribute || f->kid[0]->kind != N_Name)
        return;
    bool view = !strcmp(f->name, "keys") || !strcmp(f->name, "values") || !strcmp(f->name, "items");
    Sym dict = f->kid[0]->name;
    if (!view || !type_heap_has(sema_known(s, f->kid[0]).type, HEAP_MAPS) ||
        !ast_has_name(fn->locals, fn->n_locals, dict))
        return;
    bool param = false;
    for (int i = 0; i < fn->n_params && !param; i++)
        param = fn->params[i].name == to->name;
    if (set_once(fn, dict) && !param && sema_bindings(fn->body, to->name, false, true) == 1)
        s->unroll = (Unroll){.fn = fn, .loop = stmt, .over = to, .of = UNROLL_VIEW};
}
