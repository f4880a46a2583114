/* SPDX-License-Identifier: BSD-3-Clause
 * What an exception says whose class has an __init__ or a __str__ of its own. `raise E(x, y)` is
 *     made = f(x, y); raise E(made[1], made[2], made[0])
 * where f (swathe/_exceptions.py) yields the text and all arguments, defaults too. The class of
 * this call is marked as one that tells its text last. */
#include "ast/generator.h"

typedef struct Tell {
    Expand x;
    Telling (*of)(void *arg, const Const *cls);
    void *arg;
} Tell;

static const Const *
class_at(const FuncDef *f, const Node *n)
{
    const Const *c = n->kind == N_Const                               ? n->val
                     : n->kind == N_Name && !ast_is_local(f, n->name) ? ast_global(f, n->name)
                                                                      : NULL;
    return c && c->kind == CV_EXC_CLASS && c->b && !c->weak ? c : NULL;
}

static Node *
constant(Tell *t, Span at, Const c)
{
    Node *n = ast_gen_node(&t->x, N_Const, at, 0, NULL);
    n->val = arena_dup(&t->x.cx->arena, &c, sizeof c);
    return n;
}

static bool
is_spread(const Node *call)
{
    bool is = false;
    for (int i = 1; i < call->n; i++)
        is |= call->kid[i]->kind == N_Starred || call->kid[i]->kind == N_Keyword;
    return is;
}

static void
tell(Tell *t, Node **slot)
{
    Node *raise = *slot, *e = raise->kid[0];
    bool call = e->kind == N_Call;
    const Const *cls = class_at(t->x.fn, call ? e->kid[0] : e);
    Telling said = cls ? t->of(t->arg, cls) : (Telling){0};
    if (!said.made || (said.n < 0 && call && is_spread(e)))
        return;
    int n = said.n >= 0 ? said.n : call ? e->n - 1 : 0;
    Node **kid = NEW_N(&t->x.cx->arena, Node *, n + 2 + (call ? e->n : 0));
    kid[0] = constant(t, e->at, (Const){.kind = CV_FUNC, .ref = said.made});
    for (int i = 1; call && i < e->n; i++)
        kid[i] = e->kid[i];
    Node *made = ast_gen_node(&t->x, N_Call, e->at, call ? e->n : 1, kid);
    Sym name = intern(&t->x.cx->syms, arena_printf(&t->x.cx->arena, "made.t%d", t->x.serial++));
    Nodes both = {0};
    VEC_PUSH(&t->x.cx->arena, both, ast_gen_set(&t->x, e->at, name, made));
    Const marked = *cls;
    marked.weak = true;
    kid[0] = constant(t, e->at, marked);
    for (int i = 1; i <= n + 1; i++) {
        Node *part[] = {ast_gen_name(&t->x, e->at, name, CTX_LOAD),
                        ast_gen_int(&t->x, e->at, i > n ? 0 : i)};
        kid[i] = ast_gen_node(&t->x, N_Subscript, e->at, 2, part);
    }
    raise->kid[0] = ast_gen_node(&t->x, N_Call, e->at, n + 2, kid);
    VEC_PUSH(&t->x.cx->arena, both, raise);
    *slot = ast_gen_block(&t->x, raise->at, &both);
}

static void
visit(Tell *t, Node *n)
{
    if (n && n->fn && n->fn->body) {
        Tell inner = *t;
        inner.x.fn = n->fn;
        visit(&inner, n->fn->body);
    }
    for (int i = 0; n && i < n->n; i++) {
        Node *k = n->kid[i];
        if (k && k->kind == N_Raise && k->n && k->kid[0])
            tell(t, &n->kid[i]);
        else
            visit(t, k);
    }
}

void
ast_tell_raised(Cx *cx, Program *p, Telling (*of)(void *arg, const Const *cls), void *arg)
{
    for (; p->told_raised < p->funcs.n; p->told_raised++) {
        FuncDef *f = p->funcs.at[p->told_raised];
        Tell t = {.x = {.cx = cx, .fn = f}, .of = of, .arg = arg};
        if (!f->is_lib)
            visit(&t, f->body);
    }
}
