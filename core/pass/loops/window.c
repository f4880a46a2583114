/* SPDX-License-Identifier: BSD-3-Clause
 * Loops over neighbours, `for y in range(i - 1, i + 2)`, become loops over their number, `for k in
 * range(3)` with i - 1 + k where y was: loops of a constant number of iterations are unrolled, need
 * no look for Ctrl-C, and leave the loop around to vectors. That the bounds don't wrap is proved.
 */
#include "pass/pass.h"
#include "pass/analysis/walk.h"

enum { MOST = 64 };

/* What is assigned to a bound in front of the loop. */
static IrExpr *
value_of(const IrStmt *loop, IrExpr *e)
{
    for (const IrStmt *s = loop->prev; s && s->kind == IS_SET && e->kind == IX_VAR; s = s->prev)
        if (s->var == e->var)
            return s->e;
    return e;
}

static bool
distance(IrAffine *lo, IrAffine *hi, int64_t *n)
{
    if (!lo->n || !ir_affine_add(hi, lo, -1) || hi->n)
        return false;
    *n = hi->c0;
    return *n > 0 && *n <= MOST;
}

static bool
is_counted(const IrStmt *s)
{
    int64_t step;
    return s->kind == IS_LOOP && s->loop == LOOP_SEQ && !s->cold && !s->label &&
           s->var->dtype == DT_i64 && ir_is_const(s->idx[2], &step) && step == 1;
}

static void
find_window(IrBlock *b, IrStmt *s, void *arg)
{
    IrAffine lo, hi;
    int64_t n;
    (void)b;
    *(bool *)arg |= is_counted(s) && ir_affine(value_of(s, s->idx[0]), &lo) &&
                    ir_affine(value_of(s, s->idx[1]), &hi) && distance(&lo, &hi, &n);
}

/* lo, which the loop may change, has a variable of its own. */
static void
count(Cx *cx, IrFunc *f, IrBlock *b, IrStmt *s, int64_t n)
{
    IrStmt *first = ir_stmt(cx, IS_SET, s->at);
    first->var = ir_var(f, "first", DT_i64);
    first->e = s->idx[0];
    ir_insert_before(b, s, first);
    IrVar *k = ir_var(f, "k", DT_i64);
    IrExpr *value = ir_op(cx, OP_add, ir_use(cx, first->var), ir_use(cx, k));
    for (IrStmt *t = s->body.first; t; t = t->next)
        ir_replace_var(cx, t, s->var, value);
    s->var = k;
    s->idx[0] = ir_int(cx, DT_i64, 0);
    s->idx[1] = ir_int(cx, DT_i64, n);
}

static void
visit_loop(Walk *w, IrBlock *b, IrStmt *s)
{
    IrAffine lo, hi, end;
    int64_t n;
    if (is_counted(s) && know_affine(&w->k, s->idx[0], &lo) && know_affine(&w->k, s->idx[1], &hi)) {
        IrEffects body = ir_effects(w->f, &s->body);
        end = hi;
        if (!ir_sets(&body, s->var) && distance(&lo, &hi, &n) &&
            know_fits(&w->k, &end, FITS, FIT_AT_ONCE) && know_fits(&w->k, &lo, FITS, FIT_AT_ONCE))
            count(w->cx, w->f, b, s, n);
    }
    IrEffects fx = ir_effects_stmt(w->f, s);
    walk_loop(w, s, &fx);
}

void
pass_window(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = pass_func(p, i);
        bool any = false;
        ir_walk_block(&f->body, find_window, &any);
        if (!any || p->cx->opt->debug)
            continue;
        Walk w = {.loop = visit_loop};
        walk_func(&w, f);
    }
}

void
pass_clipped(PassCx *p)
{
    pass_window(p);
}
