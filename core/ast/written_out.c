/* SPDX-License-Identifier: BSD-3-Clause
 * `x.a += y`, where some class has a property of that name that can be set and none has such a
 * field, becomes
 *     t = x.a
 *     t += y
 *     x.a = t
 * behind `x = ...` where x is no name; which is what Python does, also where t is changed in
 * place. Where some class has a __contains__,
 * `x not in y` becomes `not x in y`. */
#include "ast/generator.h"

static bool
is_set_by_method(const Program *p, Sym name)
{
    bool set = false;
    for (int i = 0; i < p->methods.n && !set; i++)
        set = p->methods.at[i].is_setter && !strcmp(p->methods.at[i].name, name);
    if (set && p->families.n)
        return true; /* so it is right for fields, too */
    for (int i = 0; i < p->classes.n && set; i++)
        for (int k = 0; k < p->classes.at[i]->n; k++)
            set &= strcmp(p->classes.at[i]->field[k].name, name) != 0;
    return set;
}

/* To ask twice changes nothing: a name, or a field of one. */
static bool
is_plain(const Program *p, const FuncDef *f, const Node *e)
{
    if (e->kind == N_Attribute)
        return !is_set_by_method(p, e->name) && is_plain(p, f, e->kid[0]);
    return e->kind == N_Name && ast_is_local(f, e->name);
}

/* What has the attribute gets a name first, where it is to be asked for only once. */
static const Node *
named(Expand *x, const Node *n, Nodes *out)
{
    const Node *of = n->kid[0]->kid[0];
    Sym once = intern(&x->cx->syms, arena_printf(&x->cx->arena, "%s.o%d", n->kid[0]->name, n->id));
    VEC_PUSH(&x->cx->arena, *out, ast_gen_set(x, of->at, once, ast_gen_copy(x, of)));
    Node *same = ast_gen_copy(x, n);
    same->kid[0]->kid[0] = ast_gen_name(x, of->at, once, CTX_LOAD);
    return same;
}

static Node *
written_out(Expand *x, const Program *p, const Node *n)
{
    Nodes out = {0};
    if (!is_plain(p, x->fn, n->kid[0]->kid[0]))
        n = named(x, n, &out);
    const Node *t = n->kid[0];
    Sym once = intern(&x->cx->syms, arena_printf(&x->cx->arena, "%s.p%d", t->name, n->id));
    ast_gen_update(x, n, once, &out);
    Node *set[] = {ast_gen_name(x, t->at, once, CTX_LOAD), ast_gen_copy(x, t)};
    VEC_PUSH(&x->cx->arena, out, ast_gen_node(x, N_Assign, n->at, 2, set));
    return ast_gen_block(x, n->at, &out);
}

/* x not in y: of two operands */
static bool
is_not_in(const Node *n)
{
    return n->kind == N_Compare && n->n == 2 && n->ops[0] == C_NOTIN;
}

static bool
has_contains(const Program *p)
{
    bool has = false;
    for (int i = 0; i < p->methods.n && !has; i++)
        has = !strcmp(p->methods.at[i].name, "__contains__");
    return has;
}

static Node *
not_in(Expand *x, const Node *n)
{
    static const int ops[] = {C_IN};
    Node *in = ast_gen_copy(x, n);
    in->ops = ops;
    Node *test = ast_gen_node(x, N_UnaryOp, n->at, 1, &in);
    test->op = U_NOT;
    return test;
}

static void
visit(Expand *x, const Program *p, Node **slot)
{
    Node *n = *slot;
    if (!n)
        return;
    if (n->fn) {
        FuncDef *save = x->fn;
        x->fn = n->fn;
        visit(x, p, &n->fn->body);
        x->fn = save;
    }
    for (int i = 0; i < n->n; i++)
        visit(x, p, &n->kid[i]);
    const Node *t = n->kind == N_AugAssign ? n->kid[0] : NULL;
    if (t && t->kind == N_Attribute && is_set_by_method(p, t->name))
        *slot = written_out(x, p, n);
    else if (is_not_in(n) && has_contains(p))
        *slot = not_in(x, n);
}

void
ast_write_out_methods(Cx *cx, Program *p)
{
    Expand x = {.cx = cx};
    bool any = has_contains(p);
    for (int i = 0; i < p->methods.n; i++)
        any |= p->methods.at[i].is_setter;
    for (int i = 0; any && i < p->funcs.n; i++) {
        x.fn = p->funcs.at[i];
        if (x.fn->body && !x.fn->is_lib)
            visit(&x, p, &x.fn->body);
    }
}
