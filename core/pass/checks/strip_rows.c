/* SPDX-License-Identifier: BSD-3-Clause
 * Checks of indices that are read from memory, in a nest over the rows of a sparse
 * matrix: for k in range(start[i], start[i + 1]): ... x[column[k]]. One row is too short
 * to look ahead in; a strip of rows is not. A first small loop finds where the rows of a
 * strip begin and end; when they lie close together, and in the arrays that they index, a
 * second one looks at all indices from there to there; when none is out of range, the
 * strip runs without the checks, else as it was written. What lies between rows may be
 * looked at, too, and at worst makes the strip run with its checks. That the column
 * numbers are read in one go, in order, before they are used is a gain in itself: the
 * processor foresees that, so that functions without checks are treated the same. */
#include "pass/checks/strip.h"

#include <limits.h>

enum { EACH = 512 /* entries of a row, in the mean */, MAX_TERMS = 12 };

typedef struct Rows {
    Inspect outer, inner;
    IrStmt *branch;   /* the if around the inner loop, or NULL */
    bool added;       /* checks that stand for wraparounds: see add_checks */
    IrExpr *lo, *hi;  /* of the inner loop, by the variable of the outer one */
    IrVar *from, *to; /* those of the inner loop */
    IrVar *first, *last, *sum,
        *bad;            /* of a strip's rows: where they begin, end, how much is in them */
    Vec(IrExpr *) terms; /* what `branch` tests, by first and last */
} Rows;

/* ---- is it such a nest? ---------------------------------------------------------------------- */

static bool
is_cold_loop(const IrBlock *b)
{
    return b->first && b->first == b->last && b->first->kind == IS_LOOP && b->first->cold;
}

/* The one loop in b that isn't cold, directly or in an if of its own. */
static IrStmt *
find_inner(IrBlock *b, IrStmt **branch)
{
    IrStmt *found = NULL;
    for (IrStmt *s = b->first; s; s = s->next) {
        IrStmt *loop = s->kind == IS_LOOP ? s : NULL;
        if (s->kind == IS_IF && s->cold_else && is_cold_loop(&s->els) &&
            s->body.first == s->body.last)
            loop = s->body.first;
        if (!loop)
            continue;
        if (found || loop->kind != IS_LOOP)
            return NULL;
        found = loop;
        *branch = loop == s ? NULL : s;
    }
    return found;
}

/* All of the outer loop's body: assignments, stores, checks and ifs, and the inner loop.
 */
static bool
is_plain_nest(Rows *r, const IrBlock *b)
{
    for (const IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == IS_LOOP || s == r->branch)
            continue;
        IrStmt copy = *s;
        copy.prev = copy.next = NULL;
        IrBlock one = {&copy, &copy};
        if (!inspect_is_plain(&r->outer, &one))
            return false;
    }
    return true;
}

static bool
is_step_one(const IrStmt *s)
{
    int64_t step;
    return !s->cold && !s->novector && !s->lanes && s->loop != LOOP_GRID && s->loop != LOOP_BLOCK &&
           ir_is_const(s->idx[2], &step) && step == 1;
}

/* The inner loop's bounds by the outer one's variable: both are read from memory. */
static bool
resolve_bounds(Rows *r)
{
    Inspect *o = &r->outer;
    IrStmt *k = r->inner.loop, *stop = r->branch ? r->branch : k;
    if (k->idx[0]->kind != IX_VAR || k->idx[1]->kind != IX_VAR)
        return false;
    r->from = k->idx[0]->var;
    r->to = k->idx[1]->var;
    for (IrStmt *t = o->loop->body.first; t != stop; t = t->next) {
        IrExpr *e = NULL;
        if (t->kind == IS_SET && (intptr_t)map_get(&o->n_sets, t->var) == 1)
            e = inspect_resolve(o, t->e);
        if (e)
            map_put(&o->cx->arena, &o->value, t->var, e);
    }
    r->lo = map_get(&o->value, r->from);
    r->hi = map_get(&o->value, r->to);
    return r->lo && r->hi && inspect_note_loads(o, r->lo) && inspect_note_loads(o, r->hi);
}

/* ---- functions without checks ---------------------------------------------------------------- */

typedef struct Wraps {
    Inspect *s;
    IrBlock *blk;
    IrStmt *before;
} Wraps;

static bool
add_check(IrExpr **e, void *arg)
{
    Wraps *w = arg;
    if ((*e)->kind != IX_OP || (*e)->op != OP_wrap || (*e)->arg[1]->kind != IX_DIM)
        return true;
    IrStmt *c = ir_stmt(w->s->cx, IS_CHECK_INDEX, w->before->at);
    c->var = (*e)->arg[1]->var;
    c->axis = (*e)->arg[1]->axis;
    c->e = ir_copy_expr(w->s->cx, (*e)->arg[0]);
    ir_insert_before(w->blk, w->before, c);
    return true;
}

/* Where negative indices alone are looked for, a check that never fails, and so has no site, stands
 * for each wraparound, until the nest is done. */
static bool
add_checks(Inspect *s)
{
    IrBlock *b = &s->loop->body;
    for (IrStmt *t = b->first; t; t = t->next)
        if (t->kind == IS_CHECK_INDEX)
            return false;
    for (IrStmt *t = b->first; t; t = t->next) {
        Wraps w = {s, b, t};
        if (t->kind == IS_SET || t->kind == IS_STORE)
            ir_walk_stmt_exprs(t, add_check, &w);
    }
    return true;
}

static void
drop_siteless(IrBlock *b, IrStmt *s, void *arg)
{
    (void)arg;
    if (s->kind == IS_CHECK_INDEX && s->site < 0)
        ir_remove(b, s);
}

static void
drop_added(const Rows *r, IrBlock *b)
{
    if (r->added)
        ir_walk_block(b, drop_siteless, NULL);
}

/* ---- the test around the inner loop ---------------------------------------------------------- */

/* A term of the test that holds for each row when it holds for the first and the last:
 * one that has the start of a row on its greater side, or the end on its lesser. */
static bool
note_term(Rows *r, const IrExpr *e)
{
    Cx *cx = r->outer.cx;
    const IrEffects *fx = &r->outer.fx;
    if (e->kind == IX_OP && e->op == OP_and && e->dtype == DT_bool)
        return note_term(r, e->arg[0]) && note_term(r, e->arg[1]);
    if (e->kind != IX_OP || e->n != 2 || r->terms.n == MAX_TERMS)
        return false;
    bool above = e->op == OP_ge || e->op == OP_gt, below = e->op == OP_le || e->op == OP_lt;
    if (!above && !below)
        return false;
    IrExpr *two[2] = {ir_copy_expr(cx, e->arg[0]), ir_copy_expr(cx, e->arg[1])};
    IrExpr **big = &two[below], **small = &two[above];
    if (ir_is_var(*big, r->from))
        *big = ir_use(cx, r->first);
    else if (!ir_invariant(*big, fx))
        return false;
    if (ir_is_var(*small, r->to))
        *small = ir_use(cx, r->last);
    else if (!ir_invariant(*small, fx))
        return false;
    VEC_PUSH(&cx->arena, r->terms, ir_raw_op(cx, (IrOp)e->op, two));
    return true;
}

/* ---- the strips ------------------------------------------------------------------------------ */

/* first = the least start of a row, last = the greatest end, sum = all lengths; of rows
 * that are not empty. Where lengths overflow, first or last is no index. */
static void
emit_extent(Rows *r, IrBuilder *b, IrVar *strip, const IrExpr *stop)
{
    Cx *cx = b->cx;
    IrVar *row = ir_var(b->f, "row", DT_i64);
    Map map = {0};
    map_put(&cx->arena, &map, r->outer.loop->var, row);
    IrExpr *most = ir_int(cx, DT_i64, INT64_MAX), *least = ir_int(cx, DT_i64, INT64_MIN);
    ir_set(b, r->first, most);
    ir_set(b, r->last, least);
    ir_set(b, r->sum, ir_int(cx, DT_i64, 0));
    IrStmt *loop = ir_loop(b, LOOP_REDUCE, row, ir_use(cx, strip),
                           inspect_end(cx, strip, stop, tune(cx, strip_rows)), 1);
    IrBlock *save = b->at;
    b->at = &loop->body;
    IrExpr *from = ir_named(b, "from", ir_clone_expr(b->f, r->lo, &map));
    IrExpr *to = ir_named(b, "to", ir_clone_expr(b->f, r->hi, &map));
    IrExpr *some = ir_op(cx, OP_lt, from, to);
    IrExpr *low = ir_op(cx, OP_select, some, ir_copy_expr(cx, from), ir_copy_expr(cx, most));
    ir_set(b, r->first, ir_op(cx, OP_min, ir_use(cx, r->first), low));
    IrExpr *high = ir_op(cx, OP_select, ir_copy_expr(cx, some), ir_copy_expr(cx, to), least);
    ir_set(b, r->last, ir_op(cx, OP_max, ir_use(cx, r->last), high));
    IrExpr *n = ir_op(cx, OP_sub, ir_copy_expr(cx, to), ir_copy_expr(cx, from));
    n = ir_op(cx, OP_select, ir_copy_expr(cx, some), n, ir_int(cx, DT_i64, 0));
    ir_set(b, r->sum, ir_op(cx, OP_add, ir_use(cx, r->sum), n));
    b->at = save;
}

/* Do the rows lie close together, and where they may be looked at? */
static IrExpr *
test_extent(const Rows *r)
{
    Cx *cx = r->outer.cx;
    IrExpr *first = ir_use(cx, r->first), *last = ir_use(cx, r->last);
    IrExpr *all = ir_op(cx, OP_ge, first, ir_int(cx, DT_i64, 0));
    IrExpr *end =
        ir_op(cx, OP_add, ir_copy_expr(cx, first), ir_int(cx, DT_i64, EACH * tune(cx, strip_rows)));
    all = ir_op(cx, OP_and, all, ir_op(cx, OP_le, ir_copy_expr(cx, last), end));
    IrExpr *twice = ir_op(cx, OP_mul, ir_use(cx, r->sum), ir_int(cx, DT_i64, 2));
    twice = ir_op(cx, OP_add, twice, ir_int(cx, DT_i64, tune(cx, strip_spare)));
    end = ir_op(cx, OP_add, ir_copy_expr(cx, first), twice);
    all = ir_op(cx, OP_and, all, ir_op(cx, OP_le, ir_copy_expr(cx, last), end));
    for (int i = 0; i < r->terms.n; i++)
        all = ir_op(cx, OP_and, all, r->terms.at[i]);
    return inspect_ranges(&r->inner, all, first, last);
}

static void
emit_rows(Inspect *s, IrBuilder *b, void *arg)
{
    Rows *r = arg;
    Cx *cx = b->cx;
    IrStmt *fast = s->loop;
    IrExpr *lo = ir_named(b, "start", fast->idx[0]), *hi = ir_named(b, "stop", fast->idx[1]);
    IrVar *safe = inspect_safe(s, &r->inner, b, lo, hi), *strip = ir_var(b->f, "strip", DT_i64);
    IrStmt *outer = ir_loop(b, (LoopKind)fast->loop, strip, lo, hi, tune(cx, strip_rows));
    outer->novector = true;
    b->at = &outer->body;
    ir_set(b, r->bad, ir_int(cx, DT_i64, -1));
    IrStmt *ask = ir_if(b, ir_use(cx, safe));
    b->at = &ask->body;
    emit_extent(r, b, strip, hi);
    IrStmt *close = ir_if(b, test_extent(r));
    b->at = &close->body;
    IrExpr *n = ir_op(cx, OP_sub, ir_use(cx, r->last), ir_use(cx, r->first));
    n = ir_op(cx, OP_min, n, ir_int(cx, DT_i64, EACH * tune(cx, strip_rows)));
    inspect_look(&r->inner, b, r->bad, ir_use(cx, r->first),
                 ir_op(cx, OP_add, ir_use(cx, r->first), n));
    b->at = &outer->body;
    IrStmt *test = ir_if(b, ir_op(cx, OP_ge, ir_use(cx, r->bad), ir_int(cx, DT_i64, 0)));
    fast->idx[0] = ir_use(cx, strip);
    fast->idx[1] = inspect_end(cx, strip, hi, tune(cx, strip_rows));
    ir_insert_before(&test->body, NULL, fast);
    test->els = ir_clone_block(b->f, &test->body, NULL);
    drop_added(r, &test->els);
    fast->novector = test->els.first->novector = true;
    for (int i = 0; i < r->inner.found.n; i++)
        inspect_drop_check(&r->inner, &r->inner.found.at[i], tune(cx, strip_rows), " rows");
    if (!r->branch || !r->terms.n)
        return;
    ir_remove(&r->branch->body, r->inner.loop);
    ir_insert_before(&fast->body, r->branch, r->inner.loop);
    ir_remove(&fast->body, r->branch);
}

/* ---- the pass -------------------------------------------------------------------------------- */

static void
note_stored(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    if (s->kind == IS_STORE)
        inspect_note_store(arg, s->var);
}

static void
count_set(IrBlock *b, IrStmt *s, void *arg)
{
    Inspect *o = arg;
    (void)b;
    if (s->kind == IS_SET)
        map_put(&o->cx->arena, &o->n_sets, s->var,
                (void *)((intptr_t)map_get(&o->n_sets, s->var) + 1));
}

bool
strip_rows(PassCx *p, IrFunc *f, IrBlock *blk, IrStmt *loop)
{
    Inspect s = {.p = p, .cx = p->cx, .f = f, .loop = loop};
    Rows r = {.outer = s, .inner = s};
    IrStmt *k = find_inner(&loop->body, &r.branch);
    if (!k || !is_step_one(loop) || !is_step_one(k))
        return false;
    r.inner.loop = k;
    if (!inspect_is_plain(&r.inner, &k->body) || !is_plain_nest(&r, &loop->body))
        return false;
    r.outer.n_sets = (Map){0};
    ir_walk_block(&loop->body, count_set, &r.outer);
    r.outer.fx = r.inner.fx = ir_effects_stmt(f, loop);
    ir_walk_block(&loop->body, note_stored, &r.outer);
    ir_walk_block(&loop->body, note_stored, &r.inner);
    if (!resolve_bounds(&r))
        return false;
    r.added = add_checks(&r.inner);
    inspect_find_checks(&r.inner);
    if (!r.inner.found.n || !pass_may_copy(p, f, loop, "strip")) {
        drop_added(&r, &k->body);
        return false;
    }
    r.first = ir_var(f, "first", DT_i64);
    r.last = ir_var(f, "last", DT_i64);
    r.sum = ir_var(f, "sum", DT_i64);
    r.bad = ir_var(f, "bad", DT_i64);
    if (r.branch && !note_term(&r, r.branch->e))
        r.terms.n = 0;
    strip_replace(&r.outer, blk, emit_rows, &r);
    drop_added(&r, &k->body);
    return true;
}

/* ---- loops that are usually short ------------------------------------------------------------ */

static bool
set_from_memory(const IrBlock *b, const IrStmt *before, const IrExpr *e)
{
    for (const IrStmt *s = b->first; s && s != before && e->kind == IX_VAR; s = s->next) {
        const IrExpr *x = s->e;
        if (s->kind != IS_SET || s->var != e->var)
            continue;
        while (x->kind == IX_CAST)
            x = x->arg[0];
        if (x->kind == IX_LOAD)
            return true;
    }
    return false;
}

static void
mark(const IrBlock *b, const IrStmt *before, IrStmt *k)
{
    if (k && k->kind == IS_LOOP)
        k->few = set_from_memory(b, before, k->idx[0]) && set_from_memory(b, before, k->idx[1]);
}

void
strip_mark_few(IrStmt *loop)
{
    for (IrStmt *s = loop->body.first; s; s = s->next) {
        mark(&loop->body, s, s);
        if (s->kind == IS_IF && s->cold_else)
            mark(&loop->body, s, s->body.first);
    }
}
