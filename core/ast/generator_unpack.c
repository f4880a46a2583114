/* SPDX-License-Identifier: BSD-3-Clause
 * `a, b = E`, where E goes through a generator: it is asked for one element more than there are
 * names, which tells that there are too many, and so may be one that never ends. Anything else that
 * yields its elements one by one is a list there. */
#include "ast/generator.h"

/* A generator expression, map, zip, filter or enumerate over a generator, which may never end. */
static bool
may_go_on(const FuncDef *fn, const Node *n)
{
    static const int through[] = {BI_py_map, BI_py_zip, BI_py_filter, BI_py_enumerate, BI_py_iter};
    bool over = n->kind == N_ListComp && n->op == 1, found = false;
    const Builtin *b = ast_gen_builtin(fn, n);
    bool is = over;
    for (int i = 0; b && i < SW_LEN(through); i++)
        is |= b->id == through[i];
    for (int i = 1; is && i < n->n; i++) {
        const Node *k = over ? n->kid[i]->kid[1] : n->kid[i];
        found |= ast_gen_called(fn, k) || may_go_on(fn, k);
    }
    return found;
}

/* a, b = E: one element more than there are names is asked for. */
static void
consume_some(Expand *x, Node **slot, const Node *to, const Active *active)
{
    Node *v = *slot;
    if (to->kind != N_Tuple && to->kind != N_List)
        return;
    bool all = to->n == 0;
    for (int i = 0; i < to->n; i++)
        all |= to->kid[i]->kind == N_Starred;
    if (v->kind == N_Tuple && v->n == to->n)
        for (int i = 0; i < v->n; i++)
            consume_some(x, &v->kid[i], to->kid[i], active);
    const Builtin *b = ast_gen_builtin(x->fn, v);
    if (!all && may_go_on(x->fn, v))
        *slot = ast_gen_first(x, v, to->n, active);
    else if (v->kind == N_ListComp && v->op == 1)
        v->op = 0;
    else if (b && (b->id == BI_py_reversed || b->id == BI_py_enumerate || b->id == BI_py_zip))
        *slot = ast_gen_node(x, N_Call, v->at, 2,
                             (Node *[]){ast_gen_builtin_name(x, v->at, BI_py_list), v});
}

void
ast_gen_consume_unpacked(Expand *x, Node *n, const Active *active)
{
    static const int yield[] = {BI_py_map,       BI_py_zip,  BI_py_filter,
                                BI_py_enumerate, BI_py_iter, BI_py_reversed};
    const Node *v = n->kid[0];
    const Builtin *b = ast_gen_builtin(x->fn, v);
    bool once = (v->kind == N_ListComp && v->op == 1) || ast_gen_called(x->fn, v), some = false;
    for (int i = 0; b && i < SW_LEN(yield); i++)
        once |= b->id == yield[i];
    for (int i = 1; i < n->n; i++)
        some |= n->kid[i]->kind == N_Tuple || n->kid[i]->kind == N_List;
    if (n->n == 2)
        consume_some(x, &n->kid[0], n->kid[1], active);
    else if (once && some)
        n->kid[0] = ast_gen_refuse(x, n->at, "an iterator that goes to several targets");
}
