/* SPDX-License-Identifier: BSD-3-Clause
 * x[s] of a slice s becomes x[s.start:s.stop:s.step], and x[slice(a, b)] x[a:b:None], for what
 * takes its indices from how they are written: lists, strings, tuples, ranges. Sema asks for it. */
#include "ast/generator.h"

static Node *
part_of(Expand *x, Span at, Node *slice, const char *name)
{
    Node *part = ast_gen_node(x, N_Attribute, at, 1, &slice);
    part->name = intern(&x->cx->syms, name);
    return part;
}

/* The arguments of slice(stop), slice(start, stop), slice(start, stop, step). */
static void
given_parts(Expand *x, const Node *call, Node *part[3])
{
    Const *none = NEW(&x->cx->arena, Const);
    *none = (Const){.kind = CV_NONE};
    for (int i = 0; i < 3; i++)
        part[i] = ast_const(&x->cx->arena, x->fn, call->at, none);
    for (int i = 1; i < call->n; i++)
        part[call->n == 2 ? 1 : i - 1] = call->kid[i];
}

static bool
is_indexed_by(const Node *n, const void *index)
{
    return n->kind == N_Subscript && n->n == 2 && n->kid[1] == index;
}

static bool
is_stored_by(const Node *n, const void *target)
{
    return n->kind == N_Assign && n->n == 2 && n->kid[1] == target;
}

static bool
is_path(const Node *n)
{
    return n->kind == N_Name || (n->kind == N_Attribute && is_path(n->kid[0]));
}

static Node *
alone(Expand *x, Node *n)
{
    Nodes body = {0};
    VEC_PUSH(&x->cx->arena, body, n);
    return ast_gen_block(x, n->at, &body);
}

/* A parameter may be a slice in one call, and an int in another: both are written then, of which
 * each call has one. */
static void
keep_plain(Expand *x, const Node *index)
{
    const Node *found = index->kind == N_Name && ast_is_param(x->fn, index->name)
                            ? ast_find(x->fn->body, is_indexed_by, index)
                            : NULL;
    bool store = found && found->op == CTX_STORE;
    if (store)
        found = ast_find(x->fn->body, is_stored_by, found);
    if (!found || (!store && (found->op != CTX_LOAD || !is_path(found->kid[0]))))
        return;
    Node *n = (Node *)(uintptr_t)found;
    Node *is[3] = {ast_gen_builtin_name(x, n->at, BI_py_isinstance),
                   ast_gen_name(x, n->at, index->name, CTX_LOAD),
                   ast_gen_builtin_name(x, n->at, BI_py_slice)};
    Node *kid[3] = {ast_gen_node(x, N_Call, n->at, 3, is), NULL, ast_gen_copy(x, n)};
    kid[1] = ast_gen_node(x, n->kind, n->at, 2, n->kid);
    kid[1]->op = n->op;
    if (store)
        for (int i = 1; i < 3; i++)
            kid[i] = alone(x, kid[i]);
    int id = n->id;
    *n = *ast_gen_node(x, store ? N_If : N_IfExp, n->at, 3, kid);
    n->id = id;
}

void
ast_slice_of(Cx *cx, const Unroll *u)
{
    Expand x = {.cx = cx, .fn = (FuncDef *)(uintptr_t)u->fn};
    Node *n = (Node *)(uintptr_t)u->loop, *part[3];
    keep_plain(&x, n);
    const Builtin *b = ast_gen_builtin(x.fn, n);
    bool plain = b && b->id == BI_py_slice && n->n >= 2 && n->n <= 4;
    for (int i = 1; plain && i < n->n; i++)
        plain = n->kid[i]->kind != N_Starred && n->kid[i]->kind != N_Keyword;
    if (plain) {
        given_parts(&x, n, part);
    } else {
        static const char *const names[] = {"start", "stop", "step"};
        Sym name = n->name;
        Node *first = ast_gen_copy(&x, n);
        if (n->kind != N_Name) { /* what it is is evaluated once */
            name = intern(&cx->syms, arena_printf(&cx->arena, "slice.%d", n->id));
            ast_gen_local(&x, name);
            Node *set[2] = {ast_gen_name(&x, n->at, name, CTX_STORE), first};
            first = ast_gen_node(&x, N_NamedExpr, n->at, 2, set);
        }
        for (int i = 0; i < 3; i++)
            part[i] =
                part_of(&x, n->at, i ? ast_gen_name(&x, n->at, name, CTX_LOAD) : first, names[i]);
    }
    int id = n->id;
    *n = *ast_gen_node(&x, N_Slice, n->at, 3, part);
    n->id = id;
}
