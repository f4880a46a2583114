/* SPDX-License-Identifier: BSD-3-Clause
 * map and filter, which are generator expressions, and set of one. Takes a call in a function
 * whose globals are known; yields the expression in its place, or leaves what is no plain call. */
#include "py.h"

static Node *
made(In *in, FuncDef *f, NodeKind k, Span at, int n)
{
    return ast_new(&in->cx->arena, f, k, at, n);
}

static Node *
generated_name(In *in, FuncDef *f, Span at, int id, int k, int op)
{
    Node *n = made(in, f, N_Name, at, 0);
    n->name = intern(&in->cx->syms, arena_printf(&in->cx->arena, "item.m%d.%d", id, k));
    n->op = op;
    return n;
}

/* Of the library's functions that yield functions? */
static bool
is_maker(const FuncDef *f, const Node *n)
{
    const Const *c = in_constant_value(f, n);
    const FuncDef *of = c && c->kind == CV_FUNC ? c->ref : NULL;
    return of && of->is_lib && (!strcmp(of->name, "itemgetter") || !strcmp(of->name, "partial"));
}

/* A function that is one thing however often it is asked for; then map and filter are generator
 * expressions. */
static bool
is_steady(const FuncDef *f, const Node *n)
{
    bool all = n->kind == N_Call && is_maker(f, n->kid[0]); /* itemgetter(1) */
    for (int i = 1; all && i < n->n; i++)
        all = is_steady(f, n->kid[i]);
    return all || n->kind == N_Name || n->kind == N_Lambda || n->kind == N_Const ||
           ((n->kind == N_Attribute || n->kind == N_Keyword) && is_steady(f, n->kid[0]));
}

/* (E(x) for x in a) becomes (f(x) for f in (E,) for x in a). */
static void
evaluated_once(In *in, FuncDef *f, Node *n, Node *value, Node *name)
{
    Node *gen = made(in, f, N_Comprehension, n->at, 2), *kid[3] = {n->kid[0], gen, n->kid[1]};
    gen->kid[0] = name;
    gen->kid[1] = made(in, f, N_Tuple, value->at, 1);
    gen->kid[1]->kid[0] = value;
    n->kid = arena_dup(&in->cx->arena, kid, sizeof kid);
    n->n = 3;
    n->name = NULL;
}

/* set(x for a in b for x in a) is {x for a in b for x in a}. */
static bool
fold_set(In *in, FuncDef *f, const Builtin *b, Node *n)
{
    const Node *of = b->id == BI_py_set && n->n == 2 ? n->kid[1] : NULL;
    if (!of || of->kind != N_ListComp || of->op != 1 || of->n < 3)
        return false;
    Node *member = made(in, f, N_Tuple, of->kid[0]->at, 2); /* a pair with nothing */
    member->kid[0] = of->kid[0];
    member->kid[1] = made(in, f, N_Tuple, of->kid[0]->at, 0);
    n->kind = N_ListComp;
    n->op = 3;
    n->n = of->n;
    n->kid = of->kid;
    n->name = NULL;
    n->kid[0] = member;
    return true;
}

/* map(f, a, b) is (f(x, y) for x, y in zip(a, b)), filter(f, a) is (x for x in a if f(x)); f is
 * evaluated once. */
void
in_fold_generated(In *in, FuncDef *f, Node *n)
{
    const Const *c = in_constant_value(f, n->kid[0]);
    const Builtin *b = c && c->kind == CV_BUILTIN ? c->ref : NULL;
    bool map = b && b->id == BI_py_map, plain = n->n >= 3 && (map || n->n == 3);
    if (!b || fold_set(in, f, b, n) || (!map && b->id != BI_py_filter))
        return;
    for (int i = 1; i < n->n; i++)
        plain &= n->kid[i]->kind != N_Keyword && n->kid[i]->kind != N_Starred;
    const Const *none = n->n > 1 ? in_constant_value(f, n->kid[1]) : NULL;
    bool truth = !map && none && none->kind == CV_NONE;
    if (!plain)
        return;
    Node *once = is_steady(f, n->kid[1]) ? NULL : n->kid[1];
    in_fold_members(in, f, n);
    int id = in->n_comp++, n_args = n->n - 2;
    Span at = n->at;
    Node *call = made(in, f, N_Call, at, 1 + n_args), *over = n->kid[2];
    Node *gen = made(in, f, N_Comprehension, at, map ? 2 : 3);
    call->kid[0] = once ? generated_name(in, f, at, id, n_args, CTX_LOAD) : n->kid[1];
    for (int i = 0; i < n_args; i++)
        call->kid[1 + i] = generated_name(in, f, at, id, i, CTX_LOAD);
    gen->kid[0] = generated_name(in, f, at, id, 0, CTX_STORE);
    if (n_args > 1) {
        gen->kid[0] = made(in, f, N_Tuple, at, n_args);
        gen->kid[0]->op = CTX_STORE;
        over = made(in, f, N_Call, at, 1 + n_args);
        over->kid[0] = made(in, f, N_Const, at, 0);
        over->kid[0]->val = in_const(in, (PyObject *)&PyZip_Type, NULL);
        for (int i = 0; i < n_args; i++) {
            gen->kid[0]->kid[i] = generated_name(in, f, at, id, i, CTX_STORE);
            over->kid[1 + i] = n->kid[2 + i];
        }
    }
    gen->kid[1] = over;
    if (!map)
        gen->kid[2] = truth ? call->kid[1] : call;
    n->kind = N_ListComp;
    n->op = 1;
    n->n = 2;
    n->name = b->name; /* which goes on where something was raised */
    n->kid[0] = map ? call : generated_name(in, f, at, id, 0, CTX_LOAD);
    n->kid[1] = gen;
    if (once)
        evaluated_once(in, f, n, once, generated_name(in, f, at, id, n_args, CTX_STORE));
}
