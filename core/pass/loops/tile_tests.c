/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that a loop repeats: for i: { apart = overlap(..); if apart: nest, else: the nest
 * once more } tests the same at each i. Where loops would be a plain nest without, the
 * test goes before them, and the other branch gets a cold copy of them all, with the
 * scalars that are set before the test. */
#include "pass/loops/tile.h"

IrStmt *
tile_loop_in(const IrBlock *b, int *n)
{
    IrStmt *found = NULL;
    *n = 0;
    for (IrStmt *s = b->first; s; s = s->next)
        if (s->kind == IS_LOOP) {
            found = s;
            ++*n;
        }
    return found;
}

static IrStmt *
test_in(const IrBlock *b)
{
    return b->last && b->last->kind == IS_IF && b->last->cold_else ? b->last : NULL;
}

static bool
same_each_time(const IrExpr *e, const IrStmt *s, const IrEffects *fx)
{
    if (e->kind == IX_LOAD)
        return false;
    bool flag = false;
    for (const IrStmt *k = s->body.first; k->next; k = k->next)
        flag |= ir_is_overlap(k) && k->outs[0].out == e->var;
    if (e->var && !flag && ir_in(fx->sets, e->var))
        return false;
    for (int i = 0; i < e->n; i++)
        if (!same_each_time(e->arg[i], s, fx))
            return false;
    return true;
}

static bool
repeats_test(IrFunc *f, const IrStmt *s)
{
    const IrStmt *test = test_in(&s->body);
    if (!test || s->cold)
        return false;
    IrEffects fx = ir_effects_stmt(f, s);
    for (const IrStmt *k = s->body.first; k != test; k = k->next)
        if (ir_is_overlap(k) ? ir_in(fx.sets, k->args[0].arr) || ir_in(fx.sets, k->args[1].arr)
                             : k->kind != IS_SET || k->var->is_array)
            return false;
    return same_each_time(test->e, s, &fx);
}

static IrBlock *
move_test(IrFunc *f, IrBlock *b, IrStmt *s)
{
    if (!repeats_test(f, s))
        return b;
    IrStmt *test = s->body.last;
    for (IrStmt *k = s->body.first, *next; k != test; k = next) {
        next = k->next;
        if (k->kind == IS_SET)
            continue;
        ir_remove(&s->body, k);
        ir_insert_before(b, s, k);
    }
    ir_remove(&s->body, test);
    IrStmt copy = *s;
    copy.prev = copy.next = NULL;
    copy.body = ir_clone_block(f, &s->body, NULL);
    ir_move_all(&copy.body, &test->els);
    copy.cold = copy.novector = true;
    copy.threads = false;
    IrBlock one = {&copy, &copy};
    test->els = ir_clone_block(f, &one, NULL);
    ir_insert_before(b, s, test);
    ir_remove(b, s);
    ir_move_all(&s->body, &test->body);
    ir_insert_before(&test->body, NULL, s);
    return &test->body;
}

static bool
is_nest(const IrStmt *s) /* loops in loops, but for such tests */
{
    int n = 0, depth = 0;
    for (; s; depth++) {
        const IrStmt *test = test_in(&s->body);
        s = tile_loop_in(test ? &test->body : &s->body, &n);
        if (n > 1)
            return false;
    }
    return depth >= 3;
}

static IrBlock *
move_tests(IrFunc *f, IrBlock *b, IrStmt *s)
{
    int n;
    IrStmt *test = test_in(&s->body);
    IrBlock *in = test ? &test->body : &s->body;
    IrStmt *inner = tile_loop_in(in, &n);
    if (inner && n == 1)
        move_tests(f, in, inner);
    return move_test(f, b, s);
}

IrBlock *
tile_move_tests(PassCx *p, IrFunc *f, IrBlock *b, IrStmt *s)
{
    return is_nest(s) && pass_may_copy(p, f, s, "tile") ? move_tests(f, b, s) : b;
}
