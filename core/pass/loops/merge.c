/* SPDX-License-Identifier: BSD-3-Clause
 * One copy of a loop for rare cases in place of two. Pass par leaves a serial copy for arrays that
 * share memory, and pass bounds, in the other branch, one for indices that may be out of range:
 *   if a { if b { fast } else { slow } } else { slow }  is  if a and b { fast } else { slow }
 * when the two do the same, statement by statement, up to the names of their loop variables. The
 * outer copy stays. It may promise less (that iterations are independent), and check indices of
 * which the test before the inner copy has shown that they are in range. So may the last of two
 * such copies in the branches of one test: that goes. Behind a test for sizes that are expected the
 * slow copy goes too, for the version for all sizes does. */
#include "pass/analysis/know.h"
#include "pass/pass.h"

typedef struct Alike {
    IrFunc *f;
    Map to; /* loop variables of the one -> of the other */
} Alike;

/* Is x, where it runs, what y is, which stays? */
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
    bool wraps = y->kind == IX_OP && y->op == OP_wrap;
    if (wraps && (x->kind != IX_OP || x->op != OP_wrap))
        return exprs_alike(a, x, y->arg[0]); /* it is an index, which isn't negative */
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
promises_more(const IrStmt *y, const IrStmt *x)
{
    return y->independent > x->independent || y->novec_alias > x->novec_alias ||
           y->elementwise > x->elementwise || y->lanes > x->lanes || y->threads != x->threads;
}

static bool
stmts_alike(Alike *a, const IrStmt *x, const IrStmt *y)
{
    if (x->kind != y->kind || x->kind == IS_TRY || x->kind == IS_PAR || x->n_idx != y->n_idx ||
        x->n_args != y->n_args || x->n_outs != y->n_outs || x->func != y->func ||
        x->site != y->site || x->n != y->n || x->rt != y->rt || x->axis != y->axis ||
        x->order != y->order || x->zero != y->zero || promises_more(y, x))
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
    while (s || t) {
        bool checks = t && t->kind == IS_CHECK_INDEX;
        if (s && t && s->kind == t->kind && stmts_alike(a, s, t)) {
            s = s->next;
            t = t->next;
        } else if (s && ir_is_overlap(s)) { /* whoever asks is not alike */
            s = s->next;
        } else if (checks && !(s && s->kind == IS_CHECK_INDEX && s->site == t->site)) {
            t = t->next;
        } else {
            return false;
        }
    }
    return true;
}

/* if c { cold loop } else { the same }: the last. */
static bool
is_needless(Alike *a, const IrStmt *s)
{
    const IrStmt *loop = s->body.first;
    return s->kind == IS_IF && loop && !loop->next && loop->kind == IS_LOOP && loop->cold &&
           s->els.first && !ir_loads(s->e) && blocks_alike(a, &s->body, &s->els);
}

static IrStmt * /* the last of them */
put_in_place(IrBlock *b, IrStmt *s)
{
    IrStmt *last = s->els.last, *next = s->next;
    ir_remove(b, s);
    for (IrStmt *t = s->els.first, *after; t; t = after) {
        after = t->next;
        ir_remove(&s->els, t);
        ir_insert_before(b, next, t);
    }
    return last;
}

/* The inner test, behind nothing but questions that may be asked before the outer one. */
static IrStmt *
inner_test(const IrStmt *s)
{
    IrStmt *in = s->body.first;
    while (in && ir_is_overlap(in))
        in = in->next;
    bool test = in && !in->next && in->kind == IS_IF && in->cold_else && in->els.first;
    return test && !ir_loads(in->e) ? in : NULL;
}

static void
merge(IrFunc *f, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            merge(f, sub[i]);
        Alike a = {.f = f};
        if (is_needless(&a, s)) {
            s = put_in_place(b, s);
            continue;
        }
        IrStmt *in = s->kind == IS_IF && (s->cold_else || s->any_else) ? inner_test(s) : NULL;
        Alike again = {.f = f};
        if (!in || !(s->any_else || blocks_alike(&again, &in->els, &s->els)))
            continue;
        for (IrStmt *t = s->body.first; t != in; t = s->body.first) {
            ir_remove(&s->body, t);
            ir_insert_before(b, s, t);
        }
        s->e = ir_op(f->mod->cx, OP_and, s->e, in->e);
        s->body = in->body;
    }
}

void
merge_alike(IrFunc *f)
{
    merge(f, &f->body);
}
