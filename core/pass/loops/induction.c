/* SPDX-License-Identifier: BSD-3-Clause
 * Induction variables: a number that each iteration of a counted loop adds the same constant to is
 * written by the loop's own variable, where it is used as an index: `out[k] = v; k += 1` of
 * `for r in range(lo, hi)` becomes `out[k + (r - lo)] = v`, and behind the loop k grows by all that
 * was added. So checks of such indices are known before the loop, as of any others. Sums wrap as
 * they did. A loop in other steps than 1 becomes one over its trips first, so that all that moves
 * along with it is a multiple of one variable. */
#include "pass/pass.h"

typedef struct Induction {
    Cx *cx;
    IrFunc *f;
    bool tries; /* a handler may ask how far a counter has come */
} Induction;

typedef struct Uses {
    const IrVar *v;
    int sets;     /* anywhere in the loop */
    bool indexes; /* it is in an index */
    bool leaves;  /* something leaves the loop, or an iteration, early */
} Uses;

static void
see_def(IrVar *v, void *arg)
{
    Uses *u = arg;
    u->sets += v == u->v;
}

static bool
see_index(IrExpr **e, void *arg)
{
    Uses *u = arg;
    for (int i = 0; (*e)->kind == IX_LOAD && i < (*e)->n; i++)
        u->indexes |= ir_mentions((*e)->arg[i], u->v) > 0;
    return true;
}

static void
see_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Uses *u = arg;
    (void)b;
    ir_walk_defs(s, see_def, u);
    ir_walk_stmt_exprs(s, see_index, u);
    u->indexes |= s->kind == IS_CHECK_INDEX && ir_mentions(s->e, u->v);
    for (int i = 0; s->kind == IS_STORE && i < s->n_idx; i++)
        u->indexes |= ir_mentions(s->idx[i], u->v) > 0;
    u->leaves |= s->kind == IS_BREAK || s->kind == IS_CONTINUE || s->kind == IS_TRY;
}

/* v = v + c */
static bool
is_step(const IrStmt *s, int64_t *by)
{
    bool sum = s->kind == IS_SET && s->var->dtype == DT_i64 && !s->var->is_array &&
               s->e->kind == IX_OP && (s->e->op == OP_add || s->e->op == OP_sub) &&
               ir_is_var(s->e->arg[0], s->var) && ir_is_const(s->e->arg[1], by);
    if (sum && s->e->op == OP_sub)
        *by = -*by;
    return sum && *by > -4096 && *by < 4096;
}

/* Of `for r in range(lo, hi, step)` makes `for trip in range(trips)`, with lo + trip * step where r
 * was. hi - lo does not wrap, of what is above 0. */
static void
count_trips(Induction *x, IrBlock *b, IrStmt *loop, int64_t step)
{
    Cx *cx = x->cx;
    IrExpr *lo = loop->idx[0], *hi = loop->idx[1], *zero = ir_int(cx, DT_i64, 0);
    IrStmt *set = ir_stmt(cx, IS_SET, loop->at);
    bool up = step > 0;
    int64_t k, by = up ? step : -step;
    IrExpr *span =
        ir_is_const(lo, &k) && k == 0 && up
            ? ir_copy_expr(cx, hi)
            : ir_op(cx, OP_sub, ir_copy_expr(cx, up ? hi : lo), ir_copy_expr(cx, up ? lo : hi));
    span = ir_op(cx, OP_sub, ir_op(cx, OP_max, span, zero), ir_int(cx, DT_i64, 1));
    span = ir_op(cx, OP_floordiv, span, ir_int(cx, DT_i64, by));
    set->var = ir_var(x->f, "trips", DT_i64);
    set->e = ir_op(cx, OP_add, span, ir_int(cx, DT_i64, 1));
    ir_insert_before(b, loop, set);
    IrVar *trip = ir_var(x->f, "trip", DT_i64);
    IrExpr *at = ir_op(cx, OP_mul, ir_use(cx, trip), ir_int(cx, DT_i64, step));
    IrExpr *value = ir_op(cx, OP_add, ir_copy_expr(cx, lo), at);
    for (IrStmt *s = loop->body.first; s; s = s->next)
        ir_replace_var(cx, s, loop->var, value);
    loop->var = trip;
    loop->idx[0] = ir_int(cx, DT_i64, 0);
    loop->idx[1] = ir_use(cx, set->var);
    loop->idx[2] = ir_int(cx, DT_i64, 1);
}

static void
rewrite(Induction *x, IrBlock *b, IrStmt *loop, IrStmt *set, int64_t by, int64_t step)
{
    Cx *cx = x->cx;
    IrVar *v = set->var;
    IrExpr *lo = loop->idx[0], *hi = loop->idx[1];
    IrExpr *done = ir_op(cx, OP_sub, ir_use(cx, loop->var), ir_copy_expr(cx, lo));
    done = ir_op(cx, OP_mul, done, ir_int(cx, DT_i64, by * step));
    IrExpr *before = ir_op(cx, OP_add, ir_use(cx, v), done);
    IrExpr *after = ir_op(cx, OP_add, ir_copy_expr(cx, before), ir_int(cx, DT_i64, by));
    bool passed = false;
    for (IrStmt *s = loop->body.first; s; s = s->next) {
        passed |= s == set;
        if (s != set)
            ir_replace_var(cx, s, v, passed ? after : before);
    }
    ir_remove(&loop->body, set);
    IrExpr *n = ir_op(cx, OP_sub, ir_copy_expr(cx, step > 0 ? hi : lo),
                      ir_copy_expr(cx, step > 0 ? lo : hi));
    n = ir_op(cx, OP_max, n, ir_int(cx, DT_i64, 0));
    set->e = ir_op(cx, OP_add, ir_use(cx, v), ir_op(cx, OP_mul, n, ir_int(cx, DT_i64, by)));
    ir_insert_before(b, loop->next, set);
}

static bool
is_fixed(const IrExpr *e, const IrEffects *fx, const IrVar *v)
{
    return !ir_loads(e) && ir_invariant((IrExpr *)e, fx) && !ir_mentions(e, v);
}

/* Sizes and small offsets of them: hi - lo does not wrap. */
static bool
is_near(const IrExpr *e)
{
    IrAffine a;
    bool near = ir_affine(e, &a) && a.n <= 1 && a.c0 > -4096 && a.c0 < 4096;
    return near && (!a.n || (a.t[0].term->kind == IX_DIM && a.t[0].coef == 1));
}

static void
visit_loop(Induction *x, IrBlock *b, IrStmt *loop)
{
    int64_t step, by, lo;
    bool counted = loop->kind == IS_LOOP && loop->loop == LOOP_SEQ && !loop->cold &&
                   loop->var->dtype == DT_i64 && ir_is_const(loop->idx[2], &step) && step &&
                   step > -4096 && step < 4096;
    if (!counted)
        return;
    IrEffects fx = ir_effects_stmt(x->f, loop);
    Uses own = {.v = loop->var};
    ir_walk_block(&loop->body, see_stmt, &own);
    if (own.sets || own.leaves)
        return;
    for (IrStmt *s = loop->body.first, *next; s; s = next) {
        next = s->next;
        Uses u = {.v = s->var};
        if (!is_step(s, &by))
            continue;
        ir_walk_block(&loop->body, see_stmt, &u);
        bool zero = ir_is_const(loop->idx[0], &lo) && lo == 0 && step > 0;
        bool ends = zero || (is_near(loop->idx[0]) && is_near(loop->idx[1]));
        if (u.sets != 1 || !u.indexes || !ends || !is_fixed(loop->idx[0], &fx, s->var) ||
            !is_fixed(loop->idx[1], &fx, s->var))
            continue;
        if (step != 1 && step != -1) {
            count_trips(x, b, loop, step);
            step = 1;
        }
        rewrite(x, b, loop, s, by, step);
    }
}

/* ---- while loops that count ------------------------------------------------------------------ */

/* k < e, or e > k; k <= e where e + 1 doesn't wrap: what k comes to. */
static IrExpr *
count_end(Cx *cx, IrExpr *cond, IrVar **k)
{
    if (cond->kind != IX_OP || cond->n != 2)
        return NULL;
    bool turned = cond->op == OP_gt || cond->op == OP_ge;
    bool less = cond->op == OP_lt || cond->op == OP_gt,
         most = cond->op == OP_le || cond->op == OP_ge;
    IrExpr *v = cond->arg[turned], *e = cond->arg[!turned];
    if ((!less && !most) || v->kind != IX_VAR || v->dtype != DT_i64 || v->var->is_array ||
        (most && !is_near(e)))
        return NULL;
    *k = v->var;
    return most ? ir_op(cx, OP_add, ir_copy_expr(cx, e), ir_int(cx, DT_i64, 1))
                : ir_copy_expr(cx, e);
}

/* Of `while k < e: ...; k += 1`, where nothing else leaves or starts an iteration, makes `for r in
 * range(k, e)`, behind which k is e unless it was more. */
static void
count_while(Induction *x, IrBlock *b, IrStmt *s)
{
    Cx *cx = x->cx;
    int64_t by;
    IrVar *k;
    IrStmt *last = s->body.last;
    IrExpr *end = s->kind == IS_WHILE && !s->pre.first ? count_end(cx, s->e, &k) : NULL;
    if (!end || !last || !is_step(last, &by) || last->var != k || by != 1)
        return;
    IrEffects fx = ir_effects_stmt(x->f, s);
    Uses u = {.v = k};
    ir_walk_block(&s->body, see_stmt, &u);
    if (u.sets != 1 || u.leaves || !ir_invariant(end, &fx))
        return;
    ir_remove(&s->body, last);
    s->kind = IS_LOOP;
    s->loop = LOOP_SEQ;
    s->var = ir_var(x->f, k->name, DT_i64);
    s->e = NULL;
    s->n_idx = 3;
    s->idx = NEW_N(&cx->arena, IrExpr *, 3);
    s->idx[0] = ir_use(cx, k);
    s->idx[1] = end;
    s->idx[2] = ir_int(cx, DT_i64, 1);
    for (IrStmt *t = s->body.first; t; t = t->next)
        ir_replace_var(cx, t, k, ir_use(cx, s->var));
    last->e = ir_op(cx, OP_max, ir_use(cx, k), ir_copy_expr(cx, end));
    ir_insert_before(b, s->next, last);
}

/* Inner loops first: then their numbers may grow by the same in each iteration of the outer. */
static void
visit(Induction *x, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        if (s->kind == IS_TRY)
            continue;
        if (!x->tries)
            count_while(x, b, s);
        for (int i = 0, n = ir_blocks(s, sub); i < n; i++)
            visit(x, sub[i]);
        visit_loop(x, b, s);
    }
}

static void
find_try(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    *(bool *)arg |= s->kind == IS_TRY;
}

void
pass_induction(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        Induction x = {p->cx, pass_func(p, i), false};
        ir_walk_block(&x.f->body, find_try, &x.tries);
        if (!x.f->kernel && !p->cx->opt->debug)
            visit(&x, &x.f->body);
    }
}
