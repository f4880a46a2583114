/* SPDX-License-Identifier: BSD-3-Clause
 * Which functions can come back to themselves: those test the stack and look for signals when they
 * are entered, and so may raise. They are those of a strongly connected part of the graph of calls
 * (or that call themselves), found in one walk by Tarjan's algorithm: each function has the number
 * of its turn, and the least number that it reaches among those whose part isn't closed yet. */
#include "lower/internal.h"

typedef struct CallNode {
    IrFunc *f;
    int turn, least;
    bool open; /* on the stack */
} CallNode;

typedef struct Reach {
    Arena *a;
    Map nodes; /* IrFunc* -> CallNode* */
    Vec(CallNode *) stack;
    int turns;
    CallNode *at;
} Reach;

static CallNode *visit(Reach *r, IrFunc *f);

static void
follow(IrBlock *b, IrStmt *s, void *arg)
{
    Reach *r = arg;
    (void)b;
    if (s->kind != IS_CALL)
        return;
    CallNode *from = r->at, *to = map_get(&r->nodes, s->func);
    if (s->func == from->f)
        from->f->recursive = true;
    if (!to) {
        to = visit(r, s->func);
        r->at = from;
    }
    if (to->open && to->least < from->least)
        from->least = to->least;
}

/* All that came after n and is open comes back to it. */
static void
close_part(Reach *r, CallNode *n)
{
    bool many = r->stack.at[r->stack.n - 1] != n;
    for (CallNode *x = NULL; x != n;) {
        x = r->stack.at[--r->stack.n];
        x->open = false;
        x->f->recursive |= many;
    }
}

static CallNode *
visit(Reach *r, IrFunc *f)
{
    CallNode *n = NEW(r->a, CallNode);
    *n = (CallNode){f, r->turns, r->turns, true};
    r->turns++;
    map_put(r->a, &r->nodes, f, n);
    VEC_PUSH(r->a, r->stack, n);
    r->at = n;
    ir_walk_block(&f->body, follow, r);
    if (n->least == n->turn)
        close_part(r, n);
    return n;
}

void
lower_mark_recursive(Arena *a, IrModule *m)
{
    Reach r = {.a = a};
    for (int i = 0; i < m->funcs.n; i++)
        if (!map_get(&r.nodes, m->funcs.at[i]))
            visit(&r, m->funcs.at[i]);
    for (int i = 0; i < m->funcs.n; i++)
        m->funcs.at[i]->may_raise |= m->funcs.at[i]->recursive;
}
