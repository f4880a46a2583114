/* SPDX-License-Identifier: BSD-3-Clause
 * Generator expressions that are objects. One `for` is an iterator with two functions
 * (generator_call.c); where there are several, or where a container holds them, sema asks for a
 * generator, whose parameters are what the first `for` goes through and the variables that it
 * reads: `(E for x in X for y in x if C)` is g(X), of `def g(it): for x in it: for y in x: if C:
 * yield E`, and objects are made of g as of any other. */
#include "ast/resume.h"

typedef struct Write {
    Expand x; /* of the generator */
    const FuncDef *around;
    Nodes arg; /* of the call */
} Write;

static void
add_param(Write *w, Span at, Sym name, Node *value)
{
    FuncDef *g = w->x.fn;
    Param *more = NEW_N(&w->x.cx->arena, Param, g->n_params + 1);
    if (g->n_params)
        memcpy(more, g->params, sizeof *more * (size_t)g->n_params);
    more[g->n_params++] = (Param){.name = name, .kind = P_POSONLY, .at = at};
    g->params = more;
    ast_gen_local(&w->x, name);
    VEC_PUSH(&w->x.cx->arena, w->arg, value);
}

/* ---- what it takes from around it ------------------------------------------------------------ */

/* How often a variable is set, where a loop may do so more than once. */
static int
count_sets(const Node *n, Sym name, int by)
{
    int k = n && n->kind == N_Name && n->name == name && n->op != CTX_LOAD ? by : 0;
    for (int i = 0; n && i < n->n; i++) {
        const Node *c = n->kid[i];
        bool head = n->kind == N_ListComp || n->kind == N_For || n->kind == N_While;
        k += count_sets(c, name, head ? 2 : by);
    }
    return k;
}

/* The generator has what a variable is when it is made: it must stay that. */
static bool
is_set_again(const FuncDef *f, Sym name)
{
    while (f && !ast_has_name(f->locals, f->n_locals, name))
        f = f->parent;
    int n = 0;
    for (int i = 0; f && i < f->n_params; i++)
        n += f->params[i].name == name;
    return f && n + count_sets(f->body, name, 1) > 1;
}

static bool
take(Write *w, Span at, Sym name)
{
    if (ast_is_local(w->x.fn, name) || !ast_is_local(w->around, name))
        return true;
    if (is_set_again(w->around, name))
        return false;
    add_param(w, at, name,
              ast_gen_name(&(Expand){.cx = w->x.cx, .fn = (FuncDef *)(uintptr_t)w->around}, at,
                           name, CTX_LOAD));
    return true;
}

/* Functions that are called take containers outside of functions from around them. */
static bool
take_all(Write *w, const Node *n)
{
    if (!n)
        return true;
    const Const *k = n->kind == N_Const  ? n->val
                     : n->kind == N_Name ? ast_global(w->around, n->name)
                                         : NULL;
    const FuncDef *called = k && k->kind == CV_FUNC ? k->ref : NULL;
    bool all = n->kind != N_Name || take(w, n->at, n->name);
    for (int i = 0; all && called && i < called->n_free; i++)
        all = take(w, n->at, called->free[i]);
    for (int i = 0; all && n->fn && i < n->fn->n_free; i++)
        all = take(w, n->at, n->fn->free[i]);
    for (int i = 0; all && n->fn && i < n->fn->n_params; i++)
        all = take_all(w, n->fn->params[i].def_node);
    for (int i = 0; all && i < n->n; i++)
        all = take_all(w, n->kid[i]);
    return all;
}

/* ---- the generator --------------------------------------------------------------------------- */

static Node *
one(Write *w, NodeKind k, Span at, Node *kid)
{
    return ast_gen_node(&w->x, k, at, 1, &kid);
}

static void
bind(Write *w, const Node *n)
{
    if (n && n->kind == N_Name && n->op == CTX_STORE)
        ast_gen_local(&w->x, n->name);
    if (n && n->fn)
        n->fn->parent = w->x.fn;
    for (int i = 0; n && i < n->n; i++)
        bind(w, n->kid[i]);
}

static Node *
loops(Write *w, const Node *comp, Sym it)
{
    Expand *x = &w->x;
    Node *yield = one(w, N_Yield, comp->at, ast_gen_copy(x, comp->kid[0]));
    Node *inner = one(w, N_Expr, comp->at, yield);
    for (int g = comp->n - 1; g >= 1; g--) {
        const Node *by = comp->kid[g];
        for (int i = by->n - 1; i >= 2; i--)
            inner = ast_gen_node(
                x, N_If, comp->at, 3,
                (Node *[]){ast_gen_copy(x, by->kid[i]), one(w, N_Block, comp->at, inner), NULL});
        Node *over = g > 1 ? ast_gen_copy(x, by->kid[1]) : ast_gen_name(x, by->at, it, CTX_LOAD);
        Node *body = one(w, N_Block, comp->at, inner);
        inner = ast_gen_node(x, N_For, by->at, 4,
                             (Node *[]){ast_gen_copy(x, by->kid[0]), over, body, NULL});
    }
    return one(w, N_Block, comp->at, inner);
}

/* False: it reads a variable that may change. */
static bool
write_generator(Resume *r, const Later *l)
{
    Arena *a = &r->cx->arena;
    FuncDef *g = ast_resume_new_function(r, l->fn, intern(&r->cx->syms, "<genexpr>"));
    const Node *comp = l->comp;
    Write w = {.x = {.cx = r->cx, .fn = g}, .around = l->fn};
    Sym it = intern(&r->cx->syms, "iterable.g");
    g->at = comp->at;
    g->is_generator = true;
    add_param(&w, comp->at, it, comp->kid[1]->kid[1]);
    g->body = loops(&w, comp, it);
    bind(&w, g->body);
    if (!take_all(&w, g->body))
        return false;
    Resumable *of = NEW(a, Resumable);
    of->gen = g;
    VEC_PUSH(a, r->all, of);
    Node **kid = NEW_N(a, Node *, w.arg.n + 1);
    Expand x = {.cx = r->cx, .fn = (FuncDef *)(uintptr_t)l->fn};
    kid[0] = ast_gen_node(&x, N_Const, comp->at, 0, NULL);
    memcpy(kid + 1, w.arg.at, sizeof *kid * (size_t)w.arg.n);
    *(Node *)(uintptr_t)comp = *ast_gen_node(&x, N_Call, comp->at, w.arg.n + 1, kid);
    return true;
}

static bool
is_thrown_at(const Node *n, const void *arg)
{
    (void)arg;
    return n->kind == N_Attribute && (!strcmp(n->name, "close") || !strcmp(n->name, "throw"));
}

Resume *
ast_resume_later(Cx *cx, Program *p, Resume *r, FuncDef *const *ways)
{
    if (!r) {
        r = NEW(&cx->arena, Resume);
        *r = (Resume){.cx = cx, .p = p, .held = ways[4 * 6]};
        for (int i = 0; i < p->funcs.n; i++)
            r->throws |= p->funcs.at[i]->body && ast_find(p->funcs.at[i]->body, is_thrown_at, NULL);
    }
    Later *l = &p->later.at[p->later.n - 1];
    int from = r->all.n;
    l->known = true;
    if (!write_generator(r, l))
        return from ? r : NULL;
    if (!r->raise) {
        r->raise = ast_resume_function(r, r->all.at[from]->gen, "_gi_throw");
        ast_resume_throw(r, r->raise);
    }
    ast_resume_classes(r, from, ways);
    const FuncDef *made = r->all.at[from]->gen->object;
    l->comp->kid[0]->val = arena_dup(
        &cx->arena, &(Const){.kind = CV_FUNC, .ref = made, .str = made->name}, sizeof(Const));
    return r;
}
