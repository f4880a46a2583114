/* SPDX-License-Identifier: BSD-3-Clause
 * Which loops step across rows: takes a loop, yields whether the address of some element in it moves along an axis
 * whose elements do not follow each other in memory. There strength reduction puts one addition in the place of a
 * multiplication; along a row the processor's addressing does as much, and the pass, the dearest of all, gains nothing.
 * (LLVM looks at innermost loops alone, after short loops in them have been unrolled: hence what is nested counts.) */
#include "emit.h"

typedef struct Rows {
    const IrEffects *fx; /* of the loop */
    bool found;
} Rows;

static bool
changes(IrExpr **e, void *arg)
{
    Rows *r = arg;
    const IrVar *v = (*e)->kind == IX_VAR ? (*e)->var : NULL;
    r->found |= v && r->fx->sets[v->id / 64] >> (v->id % 64) & 1;
    r->found |= (*e)->kind == IX_LOAD;
    return !r->found;
}

static void
look_at_access(Rows *r, const IrVar *v, IrExpr **idx)
{
    int row = v->layout == LAY_C ? v->ndim - 1 : v->layout == LAY_F ? 0 : -1;
    for (int k = 0; k < v->ndim; k++)
        if (k != row)
            ir_walk_expr(&idx[k], changes, r);
}

static bool
look_at_load(IrExpr **e, void *arg)
{
    Rows *r = arg;
    if ((*e)->kind == IX_LOAD)
        look_at_access(r, (*e)->var, (*e)->arg);
    return !r->found;
}

static void
look_at_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Rows *r = arg;
    (void)b;
    if (r->found)
        return;
    if (s->kind == IS_STORE)
        look_at_access(r, s->var, s->idx);
    ir_walk_stmt_exprs(s, look_at_load, r);
}

bool
steps_across_rows(const Gen *g, IrStmt *loop)
{
    IrEffects fx = ir_effects_stmt(g->f, loop);
    Rows r = {.fx = &fx};
    ir_walk_block(&loop->body, look_at_stmt, &r);
    if (loop->kind == IS_WHILE)
        ir_walk_block(&loop->pre, look_at_stmt, &r);
    return r.found;
}
