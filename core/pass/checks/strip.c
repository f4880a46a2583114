/* SPDX-License-Identifier: BSD-3-Clause
 * Checks of indices that are read from memory: an innermost loop with such a check becomes
 * strips of some thousand iterations. When a look ahead (inspect.c) has seen that all indices of
 * a strip are in 0 .. dim-1, it runs without the checks, else as it was written, so that what it
 * has done before an IndexError is what Python has done. */
#include "pass/checks/strip.h"

/* Each change from looking ahead to working drains the processor's queue of loads, which is
 * felt where these miss the cache: strips are as long as the indices stay in the second
 * level of the cache. */
static int64_t
strip_length(const Inspect *s)
{
    int64_t n = tune(s->cx, strip_longest);
    for (int loads = 1; loads < s->loads.n; loads *= 2)
        n /= 2;
    return n;
}

/* The loop leaves its block; what is to stand there is appended to b. */
static void
emit_strips(Inspect *s, IrBuilder *b, void *arg)
{
    (void)arg;
    Cx *cx = s->cx;
    IrStmt *fast = s->loop;
    IrExpr *lo = ir_named(b, "start", fast->idx[0]), *hi = ir_named(b, "stop", fast->idx[1]);
    IrVar *safe = inspect_safe(s, NULL, b, lo, hi), *bad = ir_var(s->f, "bad", DT_i64);
    IrVar *strip = ir_var(s->f, "strip", DT_i64);
    int64_t length = s->step * strip_length(s);
    IrStmt *outer = ir_loop(b, (LoopKind)fast->loop, strip, lo, hi, length);
    outer->novector = true;
    b->at = &outer->body;
    ir_set(b, bad, ir_int(cx, DT_i64, -1));
    IrStmt *ask = ir_if(b, ir_use(cx, safe));
    b->at = &ask->body;
    inspect_look(s, b, bad, ir_use(cx, strip), inspect_end(cx, strip, hi, length));
    b->at = &outer->body;
    /* what a loop runs that is too short to look ahead isn't cold */
    IrStmt *test = ir_if(b, ir_op(cx, OP_ge, ir_use(cx, bad), ir_int(cx, DT_i64, 0)));
    fast->idx[0] = ir_use(cx, strip);
    fast->idx[1] = inspect_end(cx, strip, hi, length);
    ir_insert_before(&test->body, NULL, fast);
    test->els = ir_clone_block(s->f, &test->body, NULL);
    test->els.first->novector = true;
    for (int i = 0; i < s->found.n; i++)
        inspect_drop_check(s, &s->found.at[i], (int)strip_length(s), "");
}

void
strip_replace(Inspect *s, IrBlock *blk, StripEmit emit, void *arg)
{
    IrBlock made = {0};
    IrBuilder b = {.cx = s->cx, .mod = s->f->mod, .f = s->f, .at = &made, .span = s->loop->at};
    IrStmt *behind = s->loop->next;
    ir_remove(blk, s->loop);
    emit(s, &b, arg);
    for (IrStmt *t = made.first, *next; t; t = next) {
        next = t->next;
        ir_remove(&made, t);
        ir_insert_before(blk, behind, t);
    }
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* `outer`: effects of the enclosing loop. A number of iterations that it changes is often
 * small (the row of a sparse matrix), and then strips cost more than they save. */
static bool
is_candidate(const Cx *cx, const IrStmt *s, const IrEffects *outer)
{
    int64_t lo, hi, step, n;
    if (s->cold || s->loop == LOOP_GRID || s->loop == LOOP_BLOCK ||
        !ir_is_const(s->idx[2], &step) || (step != 1 && step != -1))
        return false;
    if (ir_is_const(s->idx[0], &lo) && ir_is_const(s->idx[1], &hi) &&
        (__builtin_sub_overflow(hi, lo, &n) || n / step < tune(cx, strip_fewest)))
        return false;
    return !outer || (ir_invariant(s->idx[0], outer) && ir_invariant(s->idx[1], outer));
}

static void
visit_loop(PassCx *p, IrFunc *f, IrBlock *blk, IrStmt *loop)
{
    Inspect s = {.p = p, .cx = p->cx, .f = f, .loop = loop};
    ir_is_const(loop->idx[2], &s.step);
    if (!inspect_is_plain(&s, &loop->body))
        return;
    s.fx = ir_effects_stmt(f, loop);
    inspect_find_checks(&s);
    bool wide = strip_is_wide(&s), linear = strip_is_linear(&s);
    StripEmit emit = linear ? strip_emit_linear : wide ? strip_emit_wide : emit_strips;
    if (s.found.n && pass_may_copy(p, f, loop, "strip"))
        strip_replace(&s, blk, emit, NULL);
    loop->wide = wide;
}

static void
visit(PassCx *p, IrFunc *f, IrBlock *b, const IrEffects *outer)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        if (s->kind == IS_LOOP && s->lanes)
            continue;
        bool loop = ir_does(s, ST_REPEATS);
        if (s->kind == IS_LOOP)
            strip_mark_few(s);
        IrEffects fx;
        if (loop)
            fx = ir_effects_stmt(f, s);
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (!(sub[i] == &s->body && s->cold) && !(sub[i] == &s->els && s->cold_else))
                visit(p, f, sub[i], loop ? &fx : outer);
        if (s->kind == IS_LOOP && !strip_rows(p, f, b, s) && is_candidate(p->cx, s, outer))
            visit_loop(p, f, b, s);
    }
}

void
pass_strip(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++)
        visit(p, p->mod->funcs.at[i], &p->mod->funcs.at[i]->body, NULL);
}
