/* SPDX-License-Identifier: BSD-3-Clause
 * Variables that are assigned under a condition, and read under the same one further on: `if f:
 * c = x; ..; if f: use(c)`. The walk of par_scalar.c tells which branch it enters and what is
 * assigned at its end. That is kept as a guard, the conditions of all branches around it, until
 * something that a condition reads may have changed. Few are kept: forgetting one only means
 * that a variable may be taken to carry a value. */
#include "pass/parallel/par.h"

enum { DEEPEST = 12 }; /* branches inside of more are of no interest */

static const ParSame *
same_as(const ParGuards *g, const IrExpr *e)
{
    for (int i = 0; e->kind == IX_VAR && i < g->n_same; i++)
        if (g->same[i].var == e->var)
            return &g->same[i];
    return NULL;
}

/* `c is c_truth` follows from `e is truth`. */
static bool
follows(const ParGuards *g, const IrExpr *e, bool truth, const IrExpr *c, bool c_truth)
{
    if (e->kind == IX_OP && e->op == OP_inv && e->dtype == DT_bool)
        return follows(g, e->arg[0], !truth, c, c_truth);
    if (c->kind == IX_OP && c->op == OP_inv && c->dtype == DT_bool)
        return follows(g, e, truth, c->arg[0], !c_truth);
    if (truth == c_truth && ir_expr_equal(e, c))
        return true;
    bool both = e->kind == IX_OP && e->op == (truth ? OP_and : OP_or) && e->dtype == DT_bool;
    if (both &&
        (follows(g, e->arg[0], truth, c, c_truth) || follows(g, e->arg[1], truth, c, c_truth)))
        return true;
    const ParSame *s = same_as(g, e), *t = same_as(g, c);
    if (s && (truth ? s->yes : s->no) && follows(g, s->e, truth, c, c_truth))
        return true;
    return t && t->yes && t->no && follows(g, e, truth, t->e, c_truth);
}

typedef struct Change { /* by statement s */
    const ParLoop *l;
    const IrStmt *s;
    const IrExpr *e;
    bool found, has_fx;
    IrEffects fx; /* once they are wanted */
} Change;

static void
change_def(IrVar *v, void *arg)
{
    Change *c = arg;
    c->found |= ir_mentions(c->e, v);
}

static bool
may_change(Change *c, const IrExpr *e)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    c->e = e;
    c->found = false;
    ir_walk_defs(c->s, change_def, c);
    if (c->found || c->s->kind == IS_SET)
        return c->found;
    if (!ir_loads(e) && ir_blocks((IrStmt *)c->s, sub) == 0)
        return false;
    if (!c->has_fx)
        c->fx = ir_effects_stmt(c->l->f, c->s);
    c->has_fx = true;
    return !ir_invariant(e, &c->fx);
}

static void
forget(ParGuards *g, int i)
{
    memmove(&g->list[i], &g->list[i + 1], sizeof *g->list * (size_t)(--g->n - i));
}

static void
add_same(ParGuards *g, ParSame s)
{
    if (g->n_same == GUARDS)
        memmove(&g->same[0], &g->same[1], sizeof *g->same * (size_t)--g->n_same);
    g->same[g->n_same++] = s;
}

ParSame
par_guard_same(const ParGuards *g, const IrStmt *s)
{
    ParSame none = {0};
    if (!s)
        return none;
    bool not = s->e->kind == IX_OP && s->e->op == OP_inv;
    const IrExpr *e = not ? s->e->arg[0] : s->e;
    for (int i = 0; i < g->n_same && !s->els.first; i++) {
        ParSame was = g->same[i];
        if (((e->kind != IX_VAR || e->var != was.var) && !ir_expr_equal(e, was.e)) ||
            !par_count_sets(&((IrStmt *)s)->body, was.var))
            continue;
        was.yes &= !not ; /* where the branch is not taken it stays what it was */
        was.no &= not ;
        return was;
    }
    return none;
}

void
par_guard_keep(ParGuards *g, ParSame was, const IrStmt *s)
{
    IrExpr var = {.kind = IX_VAR, .dtype = DT_bool, .var = (IrVar *)was.var};
    Change c = {.l = g->l, .s = s};
    if (was.var && !same_as(g, &var) && (was.yes || was.no) && !may_change(&c, was.e))
        add_same(g, was);
}

static void
forget_same(ParGuards *g, Change *c)
{
    for (int i = g->n_same - 1; i >= 0; i--) {
        IrExpr var = {.kind = IX_VAR, .dtype = DT_bool, .var = (IrVar *)g->same[i].var};
        if (may_change(c, &var) || may_change(c, g->same[i].e))
            g->same[i] = g->same[--g->n_same];
    }
}

void
par_guard_step(ParGuards *g, const IrStmt *s)
{
    Change c = {.l = g->l, .s = s};
    forget_same(g, &c);
    if (s->kind == IS_SET && s->var->dtype == DT_bool && !ir_mentions(s->e, s->var) &&
        !ir_loads(s->e) && s->e->kind != IX_CONST)
        add_same(g, (ParSame){s->var, s->e, true, true});
    for (int i = 0; i < g->here.n; i++)
        if (g->here.at[i].e && may_change(&c, g->here.at[i].e))
            g->here.at[i].e = NULL;
    for (int i = g->n - 1; i >= 0; i--) {
        bool lost = false;
        for (int k = 0; k < g->list[i].n_parts; k++)
            lost |= may_change(&c, g->list[i].part[k].e);
        if (lost)
            forget(g, i);
    }
}

ParGuardMark
par_guard_mark(const ParGuards *g)
{
    ParGuardMark m = {.found = g->found, .n_same = g->n_same};
    memcpy(m.same, g->same, sizeof m.same);
    return m;
}

void
par_guard_forget(ParGuards *g, int known)
{
    for (int i = g->n - 1; i >= 0; i--)
        if (g->list[i].number >= known)
            forget(g, i);
}

void
par_guard_again(ParGuards *g, const ParGuardMark *m)
{
    memcpy(g->same, m->same, sizeof g->same);
    g->n_same = m->n_same;
}

void
par_guard_behind(ParGuards *g, const ParGuardMark *m, const IrStmt *s)
{
    Change c = {.l = g->l, .s = s};
    par_guard_again(g, m);
    forget_same(g, &c);
}

int
par_guard_enter(ParGuards *g, const IrExpr *e, bool truth)
{
    ParCond c = {g->here.n < DEEPEST ? e : NULL, truth};
    VEC_PUSH(&g->l->cx->arena, g->here, c);
    return g->found;
}

/* Those that were found in the branch hold where its condition does, too. */
void
par_guard_leave(ParGuards *g, int known, const uint64_t *set)
{
    ParCond c = g->here.at[--g->here.n];
    for (int i = g->n - 1; i >= 0; i--) {
        ParGuard *one = &g->list[i];
        if (one->number < known)
            continue;
        if (!c.e || one->n_parts == GUARD_PARTS) {
            forget(g, i);
            continue;
        }
        one->part[one->n_parts++] = c;
        one->loads |= ir_loads(c.e);
    }
    if (!c.e || !set)
        return;
    if (g->n == GUARDS)
        forget(g, 0);
    g->list[g->n++] = (ParGuard){
        .part = {c}, .n_parts = 1, .set = set, .loads = ir_loads(c.e), .number = g->found++};
}

static bool
holds_here(const ParGuards *g, const ParCond *c)
{
    for (int i = 0; i < g->here.n; i++)
        if (g->here.at[i].e && follows(g, g->here.at[i].e, g->here.at[i].truth, c->e, c->truth))
            return true;
    return false;
}

bool
par_guarded(const ParGuards *g, const IrVar *v)
{
    for (int i = 0; i < g->n; i++) {
        const ParGuard *one = &g->list[i];
        bool all = ir_in(one->set, v) && !(one->loads && v->is_array);
        for (int k = 0; all && k < one->n_parts; k++)
            all = holds_here(g, &one->part[k]);
        if (all)
            return true;
    }
    return false;
}
