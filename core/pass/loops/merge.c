/* SPDX-License-Identifier: BSD-3-Clause
 * One copy of a loop for rare cases in place of two. Pass par leaves a serial copy for arrays that
 * share memory, and pass bounds, in the other branch, one for indices that may be out of range:
 *   if a { if b { fast } else { slow } } else { slow }  is  if a and b { fast } else { slow }
 * when the two do the same, statement by statement, up to the names of their loop variables.
 * What loops promise (that iterations are independent) may differ: the outer copy promises less. */
#include "pass/analysis/know.h"
#include "pass/pass.h"

typedef struct Alike {
    IrFunc *f;
    Map to; /* loop variables of the one -> of the other */
} Alike;

static bool blocks_alike(Alike *a, const IrBlock *x, const IrBlock *y);

static const IrVar *
renamed(const Alike *a, const IrVar *v)
{
    const IrVar *n = v ? map_get(&a->to, v) : NULL;
    return n ? n : v;
}

static bool
exprs_alike(const Alike *a, const IrExpr *x, const IrExpr *y)
{
    if (!x || !y)
        return x == y;
    if (x->kind != y->kind || x->dtype != y->dtype || x->op != y->op || x->n != y->n ||
        x->axis != y->axis || x->flags != y->flags || renamed(a, x->var) != y->var)
        return false;
    if (x->kind == IX_CONST)
        return ir_expr_equal(x, y);
    for (int i = 0; i < x->n; i++)
        if (!exprs_alike(a, x->arg[i], y->arg[i]))
            return false;
    return true;
}

static bool
args_alike(const Alike *a, const IrArg *x, const IrArg *y, int n)
{
    for (int i = 0; i < n; i++)
        if (!exprs_alike(a, x[i].e, y[i].e) || renamed(a, x[i].arr) != y[i].arr ||
            renamed(a, x[i].out) != y[i].out)
            return false;
    return true;
}

static bool
stmts_alike(Alike *a, const IrStmt *x, const IrStmt *y)
{
    if (x->kind != y->kind || x->kind == IS_TRY || x->kind == IS_PAR || x->n_idx != y->n_idx ||
        x->n_args != y->n_args || x->n_outs != y->n_outs || x->func != y->func ||
        x->site != y->site || x->n != y->n || x->rt != y->rt || x->axis != y->axis ||
        x->order != y->order || x->zero != y->zero)
        return false;
    for (int i = 0; i < x->n_idx; i++)
        if (!exprs_alike(a, x->idx[i], y->idx[i]))
            return false;
    if (x->kind == IS_LOOP && x->var != y->var)
        map_put(&a->f->mod->cx->arena, &a->to, x->var, y->var);
    return renamed(a, x->var) == y->var && renamed(a, x->base) == y->base &&
           blocks_alike(a, &x->pre, &y->pre) && exprs_alike(a, x->e, y->e) &&
           args_alike(a, x->args, y->args, x->n_args) &&
           args_alike(a, x->outs, y->outs, x->n_outs) && blocks_alike(a, &x->body, &y->body) &&
           blocks_alike(a, &x->els, &y->els);
}

static bool
blocks_alike(Alike *a, const IrBlock *x, const IrBlock *y)
{
    const IrStmt *s = x->first, *t = y->first;
    for (; s && t; s = s->next, t = t->next)
        if (!stmts_alike(a, s, t))
            return false;
    return s == t;
}

static void
merge(IrFunc *f, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            merge(f, sub[i]);
        IrStmt *in = s->body.first;
        Alike a = {.f = f};
        if (s->kind != IS_IF || !s->cold_else || !in || in->next || in->kind != IS_IF ||
            !in->cold_else || !in->els.first || ir_loads(in->e) ||
            !blocks_alike(&a, &in->els, &s->els))
            continue;
        s->e = ir_op(f->mod->cx, OP_and, s->e, in->e);
        s->body = in->body;
    }
}

void
merge_alike(IrFunc *f)
{
    merge(f, &f->body);
}
