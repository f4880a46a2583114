/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that ask a value for an attribute, or call a method that it has. Where it is of one
 * type or another, sema compiles them for each of these. Takes the expression; yields a function of
 * the value, and of the call's arguments, for all such expressions, which stands where `in` does.
 */
#include "ast/generator.h"

static Sym
parameter(Expand *x, const char *name)
{
    Sym sym = intern(&x->cx->syms, name);
    x->fn->params[x->fn->n_params++] = (Param){.name = sym, .kind = P_POS, .at = x->fn->at};
    ast_gen_local(x, sym);
    return sym;
}

static Node *
attribute(Expand *x, const Node *e)
{
    Node *of = ast_gen_name(x, x->fn->at, parameter(x, "of"), CTX_LOAD);
    Node *a = ast_gen_node(x, N_Attribute, x->fn->at, 1, &of);
    a->name = e->name;
    a->op = CTX_LOAD;
    return a;
}

/* of.NAME(a0, KEY=a1) */
static Node *
call(Expand *x, const Node *e)
{
    Node **kid = NEW_N(&x->cx->arena, Node *, e->n + 1);
    kid[0] = attribute(x, e->kid[0]);
    for (int i = 1; i < e->n; i++) {
        Sym name = parameter(x, arena_printf(&x->cx->arena, "a%d", i - 1));
        kid[i] = ast_gen_name(x, x->fn->at, name, CTX_LOAD);
        if (e->kid[i]->kind != N_Keyword)
            continue;
        kid[i] = ast_gen_node(x, N_Keyword, x->fn->at, 1, &kid[i]);
        kid[i]->name = e->kid[i]->name;
    }
    return ast_gen_node(x, N_Call, x->fn->at, e->n, kid);
}

FuncDef *
ast_gen_ask(Cx *cx, const FuncDef *in, const Node *e, const char *name)
{
    FuncDef *f = NEW(&cx->arena, FuncDef);
    Expand x = {.cx = cx, .fn = f};
    Nodes body = {0};
    f->src = in->src;
    f->at = in->at;
    f->index = in->index;
    f->name = intern(&cx->syms, name);
    f->qualname = f->name;
    f->is_lib = true;
    f->params = NEW_N(&cx->arena, Param, e->n + 1);
    Node *value = e->kind == N_Call ? call(&x, e) : attribute(&x, e);
    VEC_PUSH(&cx->arena, body, ast_gen_node(&x, N_Return, f->at, 1, &value));
    f->body = ast_gen_block(&x, f->at, &body);
    return f;
}
