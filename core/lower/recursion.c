/* SPDX-License-Identifier: BSD-3-Clause
 * Which functions can come back to themselves: those test the stack when they are
 * entered, and so may raise RecursionError. Follows calls depth first from each function;
 * a module has few. */
#include "lower/internal.h"

typedef struct Reach {
    IrFunc *from;
    Map seen;
    Arena *a;
    bool found;
} Reach;

static void
follow(IrBlock *b, IrStmt *s, void *arg)
{
    Reach *r = arg;
    (void)b;
    if (s->kind != IS_CALL || r->found)
        return;
    if (s->func == r->from)
        r->found = true;
    if (r->found || map_get(&r->seen, s->func))
        return;
    map_put(r->a, &r->seen, s->func, s->func);
    ir_walk_block(&s->func->body, follow, r);
}

void
lower_mark_recursive(Arena *a, IrModule *m)
{
    for (int i = 0; i < m->funcs.n; i++) {
        IrFunc *f = m->funcs.at[i];
        Reach r = {.from = f, .a = a};
        ir_walk_block(&f->body, follow, &r);
        f->recursive = r.found;
        f->may_raise |= r.found;
    }
}
