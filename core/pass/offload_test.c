/* SPDX-License-Identifier: BSD-3-Clause
 * Tests inside of a loop that say the same in each iteration: whether arrays from outside share memory, and the ifs
 * that choose the usual of two versions by that. They move to the host: if all tests hold, the loop without them, which
 * may become a kernel; else the loop as it was, which stays on the CPU. */
#include "pass/offload.h"

typedef struct Tests {
    Outline *o;
    IrBlock *b;    /* the loop's */
    IrExpr *all;   /* of the tests found; NULL: none */
    bool take;     /* put the usual version in the place of each */
    bool fixed;
} Tests;

static bool
from_outside(const Outline *o, const IrVar *v)
{
    return v && v->id < o->n_seen && o->seen[v->id] == USED;
}

static void
move_overlap(IrBlock *b, IrStmt *s, void *arg)
{
    Tests *t = arg;
    Outline *o = t->o;
    if (s->kind != IS_RT || s->rt != RT_sw_overlap || s->n_args != 2 || s->n_outs != 1 ||
        !from_outside(o, s->args[0].arr) || !from_outside(o, s->args[1].arr) || !s->outs[0].out ||
        o->seen[s->outs[0].out->id] != (USED | DEFINED))
        return;
    ir_remove(b, s);
    s->prev = s->next = NULL;
    ir_insert_before(t->b, o->loop, s);
    o->seen[s->outs[0].out->id] = USED;
}

static bool
look(IrExpr **e, void *arg)
{
    Tests *t = arg;
    if ((*e)->kind == IX_LOAD || ((*e)->var && !from_outside(t->o, (*e)->var)))
        t->fixed = false;
    return t->fixed;
}

static bool
is_test(Tests *t, IrStmt *s)
{
    if (s->kind != IS_IF || !s->cold_else || !s->body.first)
        return false;
    t->fixed = true;
    ir_walk_expr(&s->e, look, t);
    return t->fixed;
}

static void
splice(IrBlock *b, IrStmt *s)
{
    for (IrStmt *x = s->body.first, *next; x; x = next) {
        next = x->next;
        x->prev = x->next = NULL;
        ir_insert_before(b, s, x);
    }
    ir_remove(b, s);
}

static void
visit(Tests *t, IrBlock *b)
{
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        if (is_test(t, s)) {
            IrExpr *e = ir_copy_expr(t->o->cx, s->e);
            t->all = t->all ? ir_op(t->o->cx, OP_and, t->all, e) : e;
            visit(t, &s->body);
            if (t->take)
                splice(b, s);
            continue;
        }
        IrBlock *sub[IR_MAX_BLOCKS];
        int n = s->kind == IS_LOOP && !s->cold ? ir_blocks(s, sub) : 0;
        for (int i = 0; i < n; i++)
            visit(t, sub[i]);
    }
}

IrStmt *
offload_tests(Outline *o, IrBlock *b)
{
    Tests t = {.o = o, .b = b};
    IrStmt *s = o->loop;
    ir_walk_block(&s->body, move_overlap, &t);
    visit(&t, &s->body);
    if (!t.all)
        return NULL;
    Map to = {0};
    IrStmt only = *s;
    only.prev = only.next = NULL;
    IrBlock one = {&only, &only}, copy = ir_clone_block(o->f, &one, &to);
    copy.first->cold = true;
    IrStmt *test = ir_stmt(o->cx, IS_IF, s->at);
    test->e = t.all;
    test->cold_else = true;
    test->els = copy;
    ir_insert_before(b, s, test);
    ir_remove(b, s);
    s->prev = s->next = NULL;
    ir_insert_before(&test->body, NULL, s);
    t.take = true;
    visit(&t, &s->body);
    return test;
}
