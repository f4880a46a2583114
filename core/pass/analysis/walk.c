/* SPDX-License-Identifier: BSD-3-Clause
 * Walks a function forwards and keeps what is known up to date: assignments change it, a
 * loop's body starts with what the loop cannot change, branches learn their condition and
 * give it back, and behind an if whose one branch left for good the other's condition holds. */
#include "pass/analysis/walk.h"

static bool walk(Walk *w, IrBlock *blk);

/* ---- loops ------------------------------------------------------------------------------- */

void
walk_restore(Walk *w, KnowMark m)
{
    int n;
    know_cut(&w->k, m);
    know_undo_kills(&w->k, m, &n);
}

/* What is known inside. Yields whether that of a counter which only rises, or falls, is part of
 * it. */
static bool
enter_loop(Walk *w, IrStmt *s, const IrEffects *fx, const uint64_t *wraps, const Head *h,
           KnowMark *m)
{
    LoopRange r = {0};
    if (s->kind == IS_LOOP)
        r = know_range(&w->k, s);
    bool counts = know_enter_loop(&w->k, s, fx, wraps);
    *m = know_mark(&w->k);
    know_at_head(&w->k, h);
    if (s->kind == IS_LOOP)
        know_loop_var(&w->k, s, &r, fx);
    return counts;
}

/* h: what is to be looked at wherever control goes back; or NULL */
static void
walk_inside(Walk *w, IrStmt *s, Head *h)
{
    Head *outer = w->head;
    w->head = h;
    if (s->kind != IS_LOOP) {
        walk(w, &s->pre);
        if (w->exprs)
            w->exprs(w, s);
        know_cond(&w->k, s->e, true);
    }
    bool leaves = walk(w, &s->body);
    if (h && !leaves)
        know_back(&w->k, h);
    w->head = outer;
}

/* One walk that looks at nothing but counters and candidates: adds those of which a step may wrap,
 * drops these where they do not hold. false: there are none. */
static bool
look_at_iteration(Walk *w, IrStmt *s, const IrEffects *fx, uint64_t *wraps, int words, Head *h)
{
    Walk hooks = *w;
    uint64_t *outer = w->k.overflows;
    KnowMark before = know_mark(&w->k), m;
    Head left = {.at = NEW_N(&w->cx->arena, IrAffine, h->n + 1), .n = h->n};
    memcpy(left.at, h->at, sizeof *left.at * (size_t)h->n);
    bool counts = enter_loop(w, s, fx, wraps, h, &m) || h->n;
    if (counts) {
        w->exprs = NULL;
        w->check_index = w->check = w->loop = NULL;
        w->branch = NULL;
        w->k.overflows = NEW_N(&w->cx->arena, uint64_t, words);
        walk_inside(w, s, &left);
        for (int i = 0; i < words; i++)
            wraps[i] |= w->k.overflows[i];
        w->k.overflows = outer;
        w->exprs = hooks.exprs;
        w->check_index = hooks.check_index;
        w->check = hooks.check;
        w->loop = hooks.loop;
        w->branch = hooks.branch;
    }
    walk_restore(w, before);
    *h = left;
    return counts;
}

/* The counters of s of which a step may wrap, so that they do not only rise or fall, and the
 * candidates that hold in each iteration. What is found at one may have rested on another, so it is
 * looked for again without that. */
static uint64_t *
find_wraps(Walk *w, IrStmt *s, const IrEffects *fx, Head *h)
{
    enum { TRIES = 4, DEPTH = 2 };
    int words = w->f->vars.n / 64 + 1;
    uint64_t *wraps = NEW_N(&w->cx->arena, uint64_t, words * 2), *before = wraps + words;
    *h = (Head){0};
    w->quiet++;
    if (w->quiet <= DEPTH)
        *h = know_head(&w->k, s, fx);
    for (int t = 0; w->quiet <= DEPTH && t < TRIES; t++) {
        int n = h->n;
        memcpy(before, wraps, sizeof *wraps * (size_t)words);
        if (!look_at_iteration(w, s, fx, wraps, words, h) ||
            (h->n == n && !memcmp(before, wraps, sizeof *wraps * (size_t)words))) {
            w->quiet--;
            return wraps;
        }
    }
    w->quiet--;
    h->n = 0;
    memset(wraps, 0xff, sizeof *wraps * (size_t)words);
    return wraps;
}

void
walk_loop(Walk *w, IrStmt *s, const IrEffects *fx)
{
    KnowMark m;
    Head h;
    uint64_t *wraps = find_wraps(w, s, fx, &h);
    enter_loop(w, s, fx, wraps, &h, &m);
    walk_inside(w, s, NULL);
    /* what is known on entry holds throughout the loop, so it holds behind it */
    walk_restore(w, m);
    if (know_holds_behind(s, &h))
        know_at_head(&w->k, &h);
}

/* ---- branches -------------------------------------------------------------------------------- */

static bool
unchanged(Walk *w, const IrExpr *e, const IrBlock *blk)
{
    if (!blk->first)
        return true;
    IrEffects fx = ir_effects_block(w->f, &w->k.effects, blk);
    return ir_invariant(e, &fx);
}

/* t = x; if t { ...; t = y }: then t is x and y. if not t: x or y. */
static IrExpr *
chained(Walk *w, IrStmt *s, IrVar **var, IrExpr *before)
{
    bool is_not = s->e->kind == IX_OP && s->e->op == OP_inv;
    const IrExpr *t = is_not ? s->e->arg[0] : s->e;
    if (t->kind != IX_VAR || s->els.first || !before)
        return NULL;
    const IrExpr *after = know_expr(&w->k, t->var);
    if (!after || after == before || !unchanged(w, before, &s->body))
        return NULL;
    *var = t->var;
    return ir_op(w->cx, is_not ? OP_or : OP_and, before, ir_copy_expr(w->cx, after));
}

static const IrVar *
tested_var(const IrExpr *e)
{
    if (e->kind == IX_OP && e->op == OP_inv)
        e = e->arg[0];
    return e->kind == IX_VAR ? e->var : NULL;
}

static bool
walk_if(Walk *w, IrBlock *blk, IrStmt *s)
{
    KnowMark m = know_mark(&w->k);
    const IrVar *tv = tested_var(s->e);
    IrExpr *before = tv ? (IrExpr *)know_expr(&w->k, tv) : NULL;
    IrVar *t = NULL;
    IrExpr *cond = s->e;
    int n1, n2;
    Join join = know_join_begin(&w->k, s);
    if (!w->k.branches++)
        w->k.join_steps = 0;
    know_cond(&w->k, s->e, true);
    w->cold += s->cold;
    bool leaves1 = walk(w, &s->body);
    w->cold -= s->cold;
    know_join_branch(&w->k, &join, 0);
    IrExpr *chain = leaves1 ? NULL : chained(w, s, &t, before);
    know_cut(&w->k, m);
    int *kills1 = know_undo_kills(&w->k, m, &n1);
    m = know_mark(&w->k);
    know_cond(&w->k, s->e, false);
    w->cold += s->cold_else;
    bool leaves2 = walk(w, &s->els);
    w->cold -= s->cold_else;
    know_join_branch(&w->k, &join, 1);
    w->k.branches--;
    know_cut(&w->k, m);
    int *kills2 = know_undo_kills(&w->k, m, &n2);
    bool leaves = leaves1 && leaves2, joins = !leaves1 && !leaves2;
    bool then_only = leaves2 && !leaves1 && unchanged(w, s->e, &s->body);
    bool else_only = leaves1 && !leaves2 && unchanged(w, s->e, &s->els);
    if (w->branch)
        w->branch(w, blk, s);
    if (!leaves1)
        know_redo_kills(&w->k, kills1, n1);
    if (!leaves2)
        know_redo_kills(&w->k, kills2, n2);
    if (else_only)
        know_cond(&w->k, cond, false);
    if (then_only)
        know_cond(&w->k, cond, true);
    if (joins)
        know_join_end(&w->k, &join);
    if (chain)
        know_assign(&w->k, t, chain);
    return leaves;
}

static void
walk_apart(Walk *w, IrBlock *blk)
{
    KnowMark m = know_mark(&w->k);
    walk(w, blk);
    know_cut(&w->k, m);
}

/* Anything may have happened in the body when a handler starts, in branches too of which the end
 * is not reached. */
static void
walk_try(Walk *w, IrStmt *s)
{
    IrEffects fx = ir_effects(w->f, &s->body);
    walk_apart(w, &s->body);
    walk_apart(w, &s->els);
    know_forget(&w->k, &fx);
    for (int i = 0; i < s->n_handlers; i++)
        walk_apart(w, &s->handlers[i].body);
}

/* ---- statements ------------------------------------------------------------------------------ */

static void
kill_def(IrVar *v, void *arg)
{
    know_kill(arg, v);
}

static void
const_dims(Walk *w, IrStmt *s)
{
    const IrConstArray *c = &w->f->mod->consts.at[s->n];
    IrExpr *dims[32];
    for (int i = 0; i < s->var->ndim; i++)
        dims[i] = ir_int(w->cx, DT_i64, c->shape[i]);
    know_dims(&w->k, s->var, dims);
}

/* v == e is as good as v = e; the rest is a condition that has been tested. */
static void
learn_assumed(Walk *w, IrExpr *e)
{
    bool is = e->kind == IX_OP && e->op == OP_eq && e->arg[0]->kind == IX_VAR &&
              e->arg[0]->dtype == DT_i64;
    if (is)
        know_assign(&w->k, e->arg[0]->var, e->arg[1]);
    else
        know_cond(&w->k, e, true);
}

/* May it change elements that are known from before? */
static bool
may_store(const IrStmt *s)
{
    if (s->kind == IS_RT)
        return rt_info[s->rt].traits & RTF_WRITES;
    if (s->kind != IS_CALL || !s->func)
        return ir_does(s, ST_CALLS | ST_WAITS | ST_WRITES_VAR | ST_WRITES_BASE);
    const IrSummary *m = ir_summary(s->func);
    return m->writes || m->outside || m->anything;
}

/* Yields whether control never goes on behind s. */
static bool
walk_stmt(Walk *w, IrBlock *blk, IrStmt *s)
{
    if (s->kind != IS_WHILE && w->exprs)
        w->exprs(w, s);
    switch (s->kind) {
    case IS_SET:
        know_assign(&w->k, s->var, s->e);
        break;
    case IS_ALLOC:
    case IS_VIEW:
        know_dims(&w->k, s->var, s->idx);
        break;
    case IS_ALIAS:
        know_alias(&w->k, s->var, s->base);
        break;
    case IS_CONSTARR:
        const_dims(w, s);
        break;
    case IS_LOOP:
    case IS_WHILE:
        if (w->loop) {
            w->loop(w, blk, s);
        } else {
            IrEffects fx = ir_effects_stmt(w->f, s);
            walk_loop(w, s, &fx);
        }
        break;
    case IS_IF:
        return walk_if(w, blk, s);
    case IS_CONTINUE:
        if (w->head)
            know_back(&w->k, w->head);
        return true;
    case IS_TRY:
        walk_try(w, s);
        break;
    case IS_CHECK_INDEX:
        if (w->check_index)
            w->check_index(w, blk, s);
        else
            know_checked(&w->k, s->e, s->var, s->axis, false);
        break;
    case IS_CHECK:
        if (w->check)
            w->check(w, blk, s);
        else
            know_cond(&w->k, s->e, true);
        break;
    case IS_ASSUME:
        learn_assumed(w, s->e);
        break;
    default:
        ir_walk_defs(s, kill_def, &w->k);
        if (may_store(s))
            know_kill_loads(&w->k);
        return ir_does(s, ST_LEAVES);
    }
    return false;
}

static bool
walk(Walk *w, IrBlock *blk)
{
    bool leaves = false;
    for (IrStmt *s = blk->first, *next; s; s = next) {
        next = s->next;
        leaves |= walk_stmt(w, blk, s);
    }
    return leaves;
}

void
walk_func(Walk *w, IrFunc *f)
{
    w->f = f;
    w->cx = f->mod->cx;
    know_init(&w->k, f);
    know_ask(&w->k);
    walk(w, &f->body);
}
