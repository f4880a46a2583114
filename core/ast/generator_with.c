/* SPDX-License-Identifier: BSD-3-Clause
 * `with f(a) as x: BODY`, where f is a generator that contextlib.contextmanager has been put over:
 * the generator's body, in which `x = v; BODY` stands for `yield v`, as for a loop (generator.c);
 * but what BODY raises is raised where the generator waits, so that its handlers and `finally` see
 * it. Done where it can be seen that the generator yields just once, and, where BODY may be left by
 * a jump, does no more then than a `finally` does. */
#include "ast/generator.h"

typedef struct Once {
    bool early;  /* it may end before it yields, or yield elsewhere */
    bool behind; /* it goes on where nothing was raised */
} Once;

/* Of with_out.c, which says nothing here. */
bool
ast_gen_is_mark(const Node *n)
{
    return n->kind == N_Assign && n->kid[1]->kind == N_Name && n->kid[0]->kind == N_Const &&
           !strncmp(n->kid[1]->name, "out.with", 8);
}

static void
look(Once *o, const Node *n)
{
    bool found = false;
    if (n->kind == N_Try) {
        o->behind |= n->kid[1] != NULL;
        o->early |= !ast_has_kind(n->kid[0], N_Yield);
        for (int i = 1; i < n->n; i++)
            o->early |= n->kid[i] && ast_has_kind(n->kid[i], N_Yield);
        if (!o->early)
            look(o, n->kid[0]);
        return;
    }
    if (n->kind == N_If) {
        for (int i = 1; i < 3; i++)
            if (n->kid[i] && ast_has_kind(n->kid[i], N_Yield))
                look(o, n->kid[i]);
            else
                o->early = true;
        return;
    }
    if (n->kind != N_Block) {
        o->early |= n->kind != N_Expr || n->kid[0]->kind != N_Yield || n->kid[0]->op;
        return;
    }
    for (int i = 0; i < n->n; i++) {
        const Node *k = n->kid[i];
        if (ast_has_kind(k, N_Yield)) {
            look(o, k);
            o->early |= found;
            found = true;
        } else if (!found) {
            o->early |= ast_has_kind(k, N_Return);
        } else {
            o->behind |= k->kind != N_Pass && !ast_gen_is_mark(k);
        }
    }
}

void
ast_gen_with(Expand *x, Node **slot, const Active *active)
{
    Node *n = *slot, *call = n->kid[1], *target = n->kid[2];
    const FuncDef *gen = ast_gen_function(x->fn, call->kid[0]);
    ast_gen_visit(x, &n->kid[0], active);
    for (int i = 1; i < call->n; i++)
        ast_gen_visit(x, &call->kid[i], active);
    Once o = {0};
    bool good = gen && gen->is_generator && gen->body && ast_has_kind(gen->body, N_Yield);
    if (good)
        look(&o, gen->body);
    bool jumps = ast_gen_jumps_away(n->kid[0], false);
    if (!good || o.early || (jumps && (o.behind || ast_has_kind(gen->body, N_Return)))) {
        const char *why = !good || o.early ? "a context manager whose generator does not yield once"
                                             ", in its own statements or in try, on every way"
                                           : "a jump out of a with statement whose generator goes "
                                             "on behind its yield";
        *slot = ast_gen_refuse(x, call->at, why);
        return;
    }
    if (!target) {
        Sym name = intern(&x->cx->syms, arena_printf(&x->cx->arena, "entered.w%d", n->id));
        ast_gen_local(x, name);
        target = ast_gen_name(x, call->at, name, CTX_STORE);
    }
    Node *loop = ast_gen_node(x, N_For, n->at, 4, (Node *[]){target, call, n->kid[0], NULL});
    loop->op = WITH_GENERATOR;
    *slot = ast_gen_for(x, loop, gen, active);
}
