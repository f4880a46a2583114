/* SPDX-License-Identifier: BSD-3-Clause
 * Loops over zip(*rows). Its tuples are as long as rows is, which is not known. Where each is only
 * gone through, summed and the like, a list does as well. */
#include "py.h"

static const Builtin *
builtin_at(const FuncDef *f, const Node *n)
{
    const Const *c = n && n->kind == N_Call ? in_constant_value(f, n->kid[0]) : NULL;
    return c && c->kind == CV_BUILTIN ? c->ref : NULL;
}

static bool
is_loaded(const Node *n, Sym name)
{
    return n && n->kind == N_Name && n->name == name && n->op == CTX_LOAD;
}

/* Does nothing look at what `name` is as a whole? */
static bool
only_elements(const FuncDef *f, const Node *n, Sym name)
{
    static const short takes[] = {BI_py_list,   BI_py_sum,     BI_py_max, BI_py_min,
                                  BI_py_len,    BI_py_any,     BI_py_all, BI_py_enumerate,
                                  BI_py_zip,    BI_py_sorted,  BI_py_set, BI_py_map,
                                  BI_py_filter, BI_py_reversed};
    if (!n)
        return true;
    for (int i = 0; n->fn && i < n->fn->n_free; i++)
        if (n->fn->free[i] == name)
            return false;
    const Builtin *b = builtin_at(f, n);
    const Node *g = n->kind == N_Call ? n->kid[0] : NULL;
    bool fine = g && g->kind == N_Attribute && !strcmp(g->name, "join");
    for (int i = 0; b && i < SW_LEN(takes); i++)
        fine |= b->id == takes[i];
    fine |= b && (b->family == BF_NP || b->family == BF_UFUNC);
    for (int i = 0; i < n->n; i++) {
        bool iterates = (n->kind == N_For || n->kind == N_Comprehension) && i == 1;
        bool element =
            n->kind == N_Subscript && n->op == CTX_LOAD && i == 0 && n->kid[1]->kind != N_Slice;
        bool is = is_loaded(n->kid[i], name);
        if (is ? !(iterates || element || (fine && i > 0)) : !only_elements(f, n->kid[i], name))
            return false;
    }
    return true;
}

/* `for c in zip(*rows)`, of a loop or comprehension */
static void
fold_columns(In *in, FuncDef *f, Node *n)
{
    Node *z = n->kid[1], *x = z && z->kind == N_Call && z->n == 2 ? z->kid[1] : NULL;
    const Builtin *b = builtin_at(f, z);
    if (!x || x->kind != N_Starred || x->kid[0]->kind == N_Tuple || x->kid[0]->kind == N_List ||
        !b || b->id != BI_py_zip || n->kid[0]->kind != N_Name ||
        !only_elements(f, f->body, n->kid[0]->name))
        return;
    const Const *c = in_stdlib_method(in, "zip", "columns");
    if (!c)
        return;
    in_mention(in, c);
    z->kid[0] = ast_new(&in->cx->arena, f, N_Const, z->at, 0);
    z->kid[0]->val = c;
    z->kid[1] = x->kid[0];
}

/* `xs, ys = zip(*rows)`: lists of their columns. */
static void
fold_unpacked_columns(In *in, FuncDef *f, Node *n)
{
    const Builtin *b = builtin_at(f, n->kid[0]);
    bool listed = b && b->id == BI_py_list && n->kid[0]->n == 2; /* by in_fold_unpacked */
    Node *z = listed ? n->kid[0]->kid[1] : n->kid[0];
    Node *x = z->kind == N_Call && z->n == 2 ? z->kid[1] : NULL;
    Node *to = n->n == 2 ? n->kid[1] : NULL;
    b = builtin_at(f, z);
    if (!x || x->kind != N_Starred || x->kid[0]->kind == N_Tuple || x->kid[0]->kind == N_List ||
        !b || b->id != BI_py_zip || !to || to->kind != N_Tuple)
        return;
    for (int i = 0; i < to->n; i++)
        if (to->kid[i]->kind != N_Name || !only_elements(f, f->body, to->kid[i]->name))
            return;
    const Const *c = in_stdlib_method(in, "zip", arena_printf(&in->cx->arena, "unpacked%d", to->n));
    if (!c)
        return;
    in_mention(in, c);
    z->kid[0] = ast_new(&in->cx->arena, f, N_Const, z->at, 0);
    z->kid[0]->val = c;
    z->kid[1] = x->kid[0];
    n->kid[0] = z;
}

void
in_columns(In *in, FuncDef *f, Node *n)
{
    for (int i = 0; n && i < n->n; i++)
        in_columns(in, f, n->kid[i]);
    if (n && (n->kind == N_For || n->kind == N_Comprehension))
        fold_columns(in, f, n);
    if (n && n->kind == N_Assign)
        fold_unpacked_columns(in, f, n);
    if (n && n->fn)
        in_columns(in, n->fn, n->fn->body);
}
