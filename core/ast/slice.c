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

void
ast_slice_of(Cx *cx, const Unroll *u)
{
    Expand x = {.cx = cx, .fn = (FuncDef *)(uintptr_t)u->fn};
    Node *n = (Node *)(uintptr_t)u->loop, *part[3];
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
