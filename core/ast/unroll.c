/* SPDX-License-Identifier: BSD-3-Clause
 * Loops whose body has other types in each round: over an axis, over a tuple of unlike values.
 * Takes such a loop or comprehension and how many rounds it has (sema/unroll.c), and puts the
 * rounds one after the other in its place. */
#include "ast/generator.h"

/* A display of constants: nothing changes what its elements are. */
bool
ast_is_literal(const Node *e)
{
    bool all = e->kind == N_Tuple || e->kind == N_List;
    for (int i = 0; all && i < e->n; i++) {
        const Node *k = e->kid[i];
        all = k->kind == N_Const || (k->kind == N_UnaryOp && k->kid[0]->kind == N_Const);
    }
    return all;
}

static Node *
element(Expand *x, const Unroll *u, Span at, const Node *over, int k)
{
    if (u->of == UNROLL_RANGE)
        return ast_gen_int(x, at, u->start + k * u->step);
    if (ast_is_literal(over))
        return ast_gen_copy(x, over->kid[k]);
    Node *kid[] = {ast_gen_copy(x, over), ast_gen_int(x, at, k)};
    return ast_gen_node(x, N_Subscript, at, 2, kid);
}

static void
unroll_list(Expand *x, const Unroll *u, Node *n)
{
    Nodes out = {0};
    for (int k = 0; k < u->n; k++) {
        Node *by = element(x, u, n->at, u->over, k);
        VEC_PUSH(&x->cx->arena, out,
                 ast_gen_substituted(x, n->kid[0], n->kid[1]->kid[0]->name, by));
    }
    *n = *ast_gen_node(x, u->tuple ? N_Tuple : N_List, n->at, out.n, out.at);
}

/* What gives the values of a loop, evaluated once before the first round where it isn't written
 * there. */
static const Node *
evaluated(Expand *x, Nodes *head, const Node *over, int number)
{
    Arena *a = &x->cx->arena;
    if (ast_is_literal(over))
        return over;
    Sym once = intern(&x->cx->syms, arena_printf(a, "over.u%d", number));
    VEC_PUSH(a, *head, ast_gen_set(x, over->at, once, ast_gen_copy(x, over)));
    return ast_gen_name(x, over->at, once, CTX_LOAD);
}

/* Of round k, where each of several gives one. */
static Node *
round_value(Expand *x, const Unroll *u, const Node *const *over, int n, Span at, int k)
{
    Node *part[UNROLL_PARTS];
    int m = 0;
    if (u->of == UNROLL_ENUMERATE)
        part[m++] = ast_gen_int(x, at, u->start + k);
    for (int i = 0; i < n; i++)
        part[m++] = element(x, u, at, over[i], k);
    return u->of < UNROLL_ENUMERATE ? part[0] : ast_gen_node(x, N_Tuple, at, m, part);
}

static void
unroll_for(Expand *x, const Unroll *u, Node *n)
{
    Arena *a = &x->cx->arena;
    Nodes out = {0};
    const Node *over[UNROLL_PARTS] = {u->over};
    int parts = u->of == UNROLL_ZIP ? u->over->n - 1 : 1;
    for (int i = 0; i < parts && u->of != UNROLL_RANGE; i++)
        over[i] = evaluated(x, &out, u->of == UNROLL_ZIP ? u->over->kid[i + 1] : u->over,
                            n->id * UNROLL_PARTS + i);
    for (int k = 0; k < u->n; k++) {
        Node *value = round_value(x, u, over, parts, n->kid[1]->at, k);
        Node *set[] = {value, ast_gen_copy(x, n->kid[0])};
        VEC_PUSH(a, out, ast_gen_node(x, N_Assign, n->kid[0]->at, 2, set));
        VEC_PUSH(a, out, ast_gen_copy(x, n->kid[2]));
    }
    *n = *ast_gen_block(x, n->at, &out);
}

void
ast_unroll(Cx *cx, const Unroll *u)
{
    Expand x = {.cx = cx, .fn = (FuncDef *)(uintptr_t)u->fn};
    Node *n = (Node *)(uintptr_t)u->loop;
    VEC_PUSH(&cx->arena, x.fn->told,
             ((Told){n->at, false,
                     arena_printf(&cx->arena,
                                  "its %d rounds stand one after the other, for their types differ",
                                  u->n)}));
    if (n->kind == N_ListComp)
        unroll_list(&x, u, n);
    else
        unroll_for(&x, u, n);
}
