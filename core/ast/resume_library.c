/* SPDX-License-Identifier: BSD-3-Clause
 * Generators of the library (swathe/_itertools.py) that are values. Where nothing goes through one
 * at once, a list of all that it yields does, but for one that may never end: that becomes an
 * object, as one of the user's own does, of a copy of the generator for the arguments that the call
 * has. So what a default of None stands for is known in it. */
#include "ast/resume.h"

static bool
is_endless(const Node *n, const void *arg)
{
    (void)arg;
    return n->kind == N_While && n->kid[0]->kind == N_Const && n->kid[0]->val->kind == CV_BOOL;
}

static bool
goes_through_name(const Node *n, const void *gen)
{
    const Builtin *b = n->kind == N_For ? ast_gen_builtin(gen, n->kid[1]) : NULL;
    return n->kind == N_For && (n->kid[1]->kind == N_Name || (b && b->id == BI_py_zip));
}

bool
ast_gen_never_ends(const FuncDef *g)
{
    return g->is_generator && g->body && ast_find(g->body, is_endless, NULL);
}

/* Is what n is, or goes through, perhaps without an end? */
static bool
may_not_end(const Resume *r, const FuncDef *fn, const Node *n)
{
    const FuncDef *g = ast_gen_called(fn, n);
    bool may = (g && (!g->is_lib || ast_gen_never_ends(g))) || (n->kind == N_Name && r->endless);
    if (may || (g && !ast_find(g->body, goes_through_name, g)))
        return may;
    for (int i = 1; n->kind == N_ListComp && n->op == 1 && i < n->n; i++)
        may |= may_not_end(r, fn, n->kid[i]->kid[1]);
    for (int i = 1; n->kind == N_Call && i < n->n; i++)
        may |= may_not_end(r, fn, n->kid[i]->kind == N_Keyword ? n->kid[i]->kid[0] : n->kid[i]);
    return may;
}

/* Bit by bit, which parameters the call gives a value. */
static bool
given(const FuncDef *g, const Node *call, uint64_t *which)
{
    int at = 0, n_pos = 0;
    for (int i = 1; i < call->n; i++) {
        if (call->kid[i]->kind == N_Starred ||
            (call->kid[i]->kind == N_Keyword && !call->kid[i]->name))
            return false;
        n_pos += call->kid[i]->kind != N_Keyword;
    }
    for (int i = 0; i < g->n_params; i++) {
        const Param *p = &g->params[i];
        bool is =
            p->kind == P_VARARGS || ((p->kind == P_POS || p->kind == P_POSONLY) && at++ < n_pos);
        for (int k = 1; k < call->n; k++)
            is |= call->kid[k]->kind == N_Keyword && call->kid[k]->name == p->name;
        if (is || !p->def)
            *which |= UINT64_C(1) << i;
    }
    return g->n_params < 64;
}

static FuncDef *
copy_for(Resume *r, const FuncDef *g, uint64_t which)
{
    Arena *a = &r->cx->arena;
    FuncDef *f = arena_dup(a, g, sizeof *g);
    Expand x = {.cx = r->cx, .fn = f};
    f->is_lib = false;
    f->index = r->p->funcs.n;
    VEC_PUSH(a, r->p->funcs, f);
    f->params = NEW_N(a, Param, g->n_params + 1);
    f->n_params = 0;
    for (int i = 0; i < g->n_params; i++) {
        if (which >> i & 1) {
            f->params[f->n_params++] = g->params[i];
            continue;
        }
        Node *v = ast_gen_node(&x, N_Const, g->at, 0, NULL);
        v->val = g->params[i].def;
        f->body = ast_gen_substituted(&x, f->body, g->params[i].name, v);
    }
    return f;
}

FuncDef *
ast_resume_of_library(Resume *r, FuncDef *fn, Node *call)
{
    const FuncDef *g = ast_gen_called(fn, call);
    uint64_t which = 0;
    bool stream = ast_gen_never_ends(g) || ast_find(g->body, goes_through_name, g);
    Expand x = {.cx = r->cx, .fn = fn};
    if (!stream || !may_not_end(r, fn, call) || ast_gen_settles(&x, call) ||
        !given(g, call, &which))
        return NULL;
    FuncDef *own = NULL;
    for (int i = 0; i < r->library.n && !own; i++)
        if (r->library.at[i].of == g && r->library.at[i].given == which)
            own = r->library.at[i].own;
    if (!own) {
        own = copy_for(r, g, which);
        VEC_PUSH(&r->cx->arena, r->library, ((LibraryCopy){g, which, own}));
    }
    Const *c = NEW(&r->cx->arena, Const);
    *c = (Const){.kind = CV_FUNC, .ref = own, .str = own->name};
    call->kid[0] = ast_gen_node(&x, N_Const, call->kid[0]->at, 0, NULL);
    call->kid[0]->val = c;
    return own;
}
