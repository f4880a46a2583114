/* SPDX-License-Identifier: BSD-3-Clause
 * Which loops gain from vectorising strict sums. LLVM is told to put the terms of a sum in
 * lanes and to add them one after the other; that pays where a term is costly (a division,
 * a root, an elementary function), and is compile time for nothing in a plain sum. */
#include "emit.h"

typedef struct Look {
    const IrVar *sum;
    bool costly, adds_up, nested;
} Look;

static bool
look_expr(IrExpr **e, void *arg)
{
    Look *l = arg;
    const IrExpr *x = *e;
    if (ir_is_var(x, l->sum))
        l->adds_up = true;
    if (x->kind == IX_OP && dtype_is_float(x->dtype))
        l->costly |= (op_info[x->op].flags & OPF_COSTLY) != 0;
    return true;
}

static void
look_stmt(IrBlock *blk, IrStmt *s, void *arg)
{
    (void)blk;
    Look *l = arg;
    l->nested |= ir_does(s, ST_REPEATS);
    bool strict = s->kind == IS_SET && dtype_is_float(s->var->dtype) && s->e->kind == IX_OP &&
                  !(s->e->flags & (IXF_REASSOC | IXF_FAST));
    l->sum = strict ? s->var : NULL;
    ir_walk_stmt_exprs(s, look_expr, l);
}

bool
plain_strict_sum(const Gen *g, IrStmt *loop)
{
    Look l = {0};
    if (loop->kind != IS_LOOP || (g->opt.fastmath & FM_REASSOC) ||
        (loop->independent && !loop->n_reds))
        return false;
    ir_walk_block(&loop->body, look_stmt, &l);
    /* A sum inside an inner loop ends there: it does not tie the iterations of this one. */
    return l.adds_up && !l.costly && !l.nested;
}
