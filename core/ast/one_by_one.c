/* SPDX-License-Identifier: BSD-3-Clause
 * `x.extend(E for a in A if C for b in B)`, where x is a name of a container, becomes
 *     for a in A:
 *         if C:
 *             for b in B:
 *                 x.extend((E,))
 * which adds what Python adds, also where something raises or reads x on the way. An expression
 * with one `for` is an iterator instead (generator_call.c). */
#include "ast/generator.h"

typedef struct Within {
    const Node *call;
    Node *found;
} Within;

static bool
is_statement(const Node *n, const void *arg)
{
    Within *w = (Within *)(uintptr_t)arg;
    if (n->kind == N_Expr && n->kid[0] == w->call)
        w->found = (Node *)(uintptr_t)n;
    return w->found != NULL;
}

static Node *
statement_of(const FuncDef *f, const Node *call)
{
    Within w = {.call = call};
    ast_find(f->body, is_statement, &w);
    return w.found;
}

bool
ast_is_one_by_one(const FuncDef *f, const Node *call)
{
    static const char *const names[] = {"extend", "extendleft", "update"};
    const Node *of = call->n == 2 ? call->kid[1] : NULL, *m = call->kid[0];
    bool adds = false;
    for (int i = 0; i < SW_LEN(names); i++)
        adds |= !strcmp(m->name, names[i]);
    return adds && of && of->kind == N_ListComp && of->op == 1 && of->n > 2 &&
           m->kid[0]->kind == N_Name && statement_of(f, call) && !ast_has_kind(of, N_NamedExpr);
}

void
ast_add_one_by_one(Cx *cx, const Unroll *u)
{
    Expand x = {.cx = cx, .fn = (FuncDef *)(uintptr_t)u->fn};
    Node *stmt = statement_of(u->fn, u->loop), *call = stmt->kid[0], *of = call->kid[1];
    Node *one = ast_gen_node(&x, N_Tuple, of->at, 1, &of->kid[0]);
    Node *add[2] = {call->kid[0], one};
    Node *body = ast_gen_node(&x, N_Call, call->at, 2, add);
    body = ast_gen_node(&x, N_Expr, call->at, 1, &body);
    for (int g = of->n - 1; g >= 1; g--) {
        const Node *comp = of->kid[g];
        for (int i = comp->n - 1; i >= 2; i--) {
            Node *then[3] = {comp->kid[i], ast_gen_node(&x, N_Block, of->at, 1, &body), NULL};
            body = ast_gen_node(&x, N_If, of->at, 3, then);
        }
        Node *loop[4] = {comp->kid[0], comp->kid[1], ast_gen_node(&x, N_Block, of->at, 1, &body),
                         NULL};
        body = ast_gen_node(&x, N_For, comp->at, 4, loop);
    }
    int id = stmt->id;
    *stmt = *body;
    stmt->id = id;
}
