/* SPDX-License-Identifier: BSD-3-Clause
 * Where the branches of an if meet. An int64 variable with a known value in each has the value
 * select(condition, one, other), which the prover takes apart again: that is how the usual
 * `if i < 0: i = 0` is seen through. Inequalities that were known before and are true at the end
 * of each branch, perhaps of a new value, stay. So do the condition and its opposite: behind
 * `if x < 0: x = 0` x is not negative, whatever it was. */
#include "ir/search.h"
#include "pass/analysis/know.h"

/* The first few int64 variables that a statement with blocks assigns. */
typedef struct Assigned {
    IrVar *var[MAX_JOINS];
    int n;
} Assigned;

static void
add_var(Assigned *a, IrVar *v)
{
    for (int i = 0; i < a->n; i++)
        if (a->var[i] == v)
            return;
    if (v->dtype == DT_i64 && a->n < MAX_JOINS)
        a->var[a->n++] = v;
}

static const Assigned *
assigned(Know *k, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS], *none[IR_MAX_BLOCKS];
    Assigned *a = map_get(&k->assigned, s);
    if (a)
        return a;
    a = NEW(&k->cx->arena, Assigned);
    int n = ir_blocks(s, sub);
    for (int i = 0; i < n; i++) {
        for (IrStmt *t = sub[i]->first; t && a->n < MAX_JOINS; t = t->next) {
            if (t->kind == IS_SET)
                add_var(a, t->var);
            const Assigned *in = ir_blocks(t, none) ? assigned(k, t) : NULL;
            for (int m = 0; in && m < in->n; m++)
                add_var(a, in->var[m]);
        }
    }
    map_put(&k->cx->arena, &k->assigned, s, a);
    return a;
}

static bool
mentions_joined(const Join *j, const IrAffine *a)
{
    bool yes = false;
    for (int i = 0; i < a->n; i++) {
        const IrExpr *t = a->t[i].term;
        bool plain = false;
        for (int k = 0; k < j->n; k++)
            plain |= ir_is_var(t, j->var[k].v);
        if (!plain && !ir_invariant(t, j->fx))
            return false;
        yes |= plain;
    }
    return yes;
}

/* The number itself, with no look at what it was made from. */
static bool
plain_term(const IrExpr *e, IrAffine *a)
{
    bool plain = e->dtype == DT_i64 && (e->kind == IX_VAR || e->kind == IX_DIM);
    *a = (IrAffine){.n = 1, .t = {{(IrExpr *)e, 1}}};
    return plain || (e->kind == IX_CONST && ir_affine(e, a));
}

/* What the comparison says, or its opposite, is to be looked for behind the branches. */
static void
keep_condition(Join *j, const IrExpr *c, bool truth)
{
    IrAffine x, y;
    if (c->kind != IX_OP || !(op_info[c->op].flags & OPF_ORDERS) || j->n_kept == MAX_KEPT ||
        !plain_term(c->arg[0], &x) || !plain_term(c->arg[1], &y))
        return;
    bool less = c->op == OP_lt || c->op == OP_le, strict = c->op == OP_lt || c->op == OP_gt;
    bool up = less == truth; /* x below y */
    IrAffine a = up ? y : x;
    if (a.c0 == INT64_MIN)
        return;
    a.c0 -= strict == truth;
    if (!ir_affine_add(&a, up ? &x : &y, -1) || !mentions_joined(j, &a))
        return;
    j->needs[j->n_kept] = 0;
    j->kept[j->n_kept++] = a;
}

static void
keep_asked(Know *k, Join *j, const IrVar *v)
{
    const IrAffine *forms;
    for (int n = know_asked(k, v, &forms); n-- > 0 && j->n_kept < MAX_KEPT;)
        if (mentions_joined(j, &forms[n])) {
            j->needs[j->n_kept] = 0;
            j->kept[j->n_kept++] = forms[n];
        }
}

Join
know_join_begin(Know *k, IrStmt *s)
{
    const Assigned *all = assigned(k, s);
    Join j = {.n = all->n};
    for (int i = 0; i < j.n; i++)
        j.var[i].v = all->var[i];
    if (j.n == 0)
        return j;
    j.fx = ir_effects_known(k->f, &k->effects, s);
    IrExpr *c = know_canonical(k, s->e);
    if (ir_invariant(c, j.fx) && !ir_loads(c))
        j.cond = c;
    KnownSet about = know_mentioning(k, all->var, j.n);
    j.kept = NEW_N(&k->cx->arena, IrAffine, MAX_KEPT);
    j.needs = NEW_N(&k->cx->arena, uint64_t, MAX_KEPT);
    for (int i = about.n; i-- > 0 && j.n_kept < MAX_KEPT;) {
        const Known *x = &k->at.at[about.at[i]];
        if (x->kind == K_FACT && mentions_joined(&j, &x->a))
            j.needs[j.n_kept] = x->needs, j.kept[j.n_kept++] = x->a;
    }
    for (int truth = 0; truth < 2; truth++)
        keep_condition(&j, s->e, truth);
    j.n_told = j.n_kept;
    for (int i = 0; i < j.n; i++)
        keep_asked(k, &j, j.var[i].v);
    return j;
}

/* v: it is to be this value; or NULL */
bool
know_holds_with(Know *k, const IrAffine *a, const IrVar *v, const IrAffine *value)
{
    IrAffine now = {.c0 = a->c0}, t;
    for (int i = 0; i < a->n; i++) {
        if (v && ir_is_var(a->t[i].term, v))
            t = *value;
        else if (!know_affine(k, (IrExpr *)a->t[i].term, &t))
            return false;
        if (!ir_affine_add(&now, &t, a->t[i].coef) ||
            !know_fits(k, &t, a->t[i].coef > 0 ? FITS_ABOVE : FITS_BELOW, FIT_AT_ONCE))
            return false;
    }
    return know_prove(k, &now);
}

bool
know_holds(Know *k, const IrAffine *a)
{
    return know_holds_with(k, a, NULL, NULL);
}

/* Steps of proofs at the end of a branch: after so many the others are brief, or none. In a chain
 * of a hundred branches each would look at what all the others have told: once the branches of one
 * outermost if have taken STEPS_OF_ALL, each gets few. */
enum { STEPS_IN_FULL = 8000, STEPS_AT_MOST = 24000, STEPS_OF_ALL = 200000, STEPS_THEN = 1000 };

void
know_join_branch(Know *k, Join *j, int which)
{
    int n = 0, told = 0;
    bool spent = k->join_steps > STEPS_OF_ALL;
    uint64_t began = trace_work, most = spent ? STEPS_THEN : STEPS_AT_MOST;
    for (int i = 0; i < j->n_kept && trace_work - began < most; i++) {
        k->used = j->needs[i];
        k->brief = spent || i >= j->n_told || trace_work - began > STEPS_IN_FULL;
        if (!know_holds(k, &j->kept[i]))
            continue;
        told += i < j->n_told;
        j->needs[n] = k->used, j->kept[n++] = j->kept[i];
    }
    k->brief = false;
    k->join_steps += trace_work - began;
    j->n_kept = n;
    j->n_told = told;
    for (int i = 0; i < j->n; i++) {
        const IrAffine *a = know_value(k, j->var[i].v);
        j->var[i].known[which] = a && know_same_after(a, j->fx);
        if (j->var[i].known[which])
            j->var[i].value[which] = *a;
    }
}

void
know_join_end(Know *k, Join *j)
{
    for (int i = 0; i < j->n; i++) {
        if (!j->cond || !j->var[i].known[0] || !j->var[i].known[1])
            continue;
        IrExpr *a = ir_affine_expr(k->cx, &j->var[i].value[0]);
        IrExpr *b = ir_affine_expr(k->cx, &j->var[i].value[1]);
        IrExpr *both = ir_op(k->cx, OP_select, j->cond, a, b);
        IrAffine v;
        if (ir_size(both) <= 40 && ir_affine(both, &v))
            know_set_value(k, j->var[i].v, &v);
    }
    for (int i = 0; i < j->n_kept; i++)
        know_fact(k, &j->kept[i], false, j->needs[i]);
}
