/* SPDX-License-Identifier: BSD-3-Clause
 * Nested functions that call each other in a circle. Each puts the others together where it names
 * them, of variables that it has taken itself: so each takes what any of them takes. */
#include "ast/ast.h"

typedef Vec(FuncDef *) Funcs;

static void
find_nested(Cx *cx, Node *n, Funcs *out)
{
    if (!n)
        return;
    if (n->fn && n->kind == N_FunctionDef && n->fn->n_free)
        VEC_PUSH(&cx->arena, *out, n->fn);
    for (int i = 0; i < n->n; i++)
        find_nested(cx, n->kid[i], out);
}

/* reach[i * n + k]: does i use k, or one that does? */
static void
find_reach(const Funcs *f, bool *reach)
{
    int n = f->n;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            reach[i * n + k] = ast_has_name(f->at[i]->free, f->at[i]->n_free, f->at[k]->name);
    for (int by = 0; by < n; by++)
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n && reach[i * n + by]; k++)
                reach[i * n + k] |= reach[by * n + k];
}

static void
take_name(FuncDef *to, Sym name)
{
    if (name != to->name && !ast_has_name(to->free, to->n_free, name) &&
        !ast_has_name(to->locals, to->n_locals, name))
        to->free[to->n_free++] = name;
}

/* The other function, and what it takes. */
static void
take(Cx *cx, FuncDef *to, const FuncDef *from)
{
    Sym *room = NEW_N(&cx->arena, Sym, to->n_free + from->n_free + 1);
    memcpy(room, to->free, sizeof *room * (size_t)to->n_free);
    to->free = room;
    take_name(to, from->name);
    for (int i = 0; i < from->n_free; i++)
        take_name(to, from->free[i]);
}

static void
close_scope(Cx *cx, FuncDef *f, int *last)
{
    Funcs in = {0};
    find_nested(cx, f->body, &in);
    bool *reach = NEW_N(&cx->arena, bool, in.n *in.n + 1);
    find_reach(&in, reach);
    for (int i = 0; i < in.n; i++) {
        FuncDef *first = in.at[i];
        if (first->cycle)
            continue;
        for (int k = 0; k < in.n; k++) {
            if (k == i || !reach[i * in.n + k] || !reach[k * in.n + i])
                continue;
            first->cycle = in.at[k]->cycle = first->cycle ? first->cycle : ++*last;
            take(cx, first, in.at[k]);
        }
        for (int k = 0; k < in.n && first->cycle; k++)
            if (k != i && in.at[k]->cycle == first->cycle)
                take(cx, in.at[k], first);
    }
    for (int i = 0; i < in.n; i++)
        close_scope(cx, in.at[i], last);
}

void
ast_close_cycles(Cx *cx, FuncDef *f)
{
    int last = 0;
    close_scope(cx, f, &last);
}
