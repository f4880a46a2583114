/* SPDX-License-Identifier: BSD-3-Clause
 * Which reductions an innermost loop is made of: takes its body, gives each statement a role.
 *
 * What a variable that is carried from one iteration to the next is set to is written by values of
 * the iteration's own and by what was carried into it, with all temporaries on the way put in
 * place: select(m[i], select(gt(y, top), y, top), top), say. Such an expression is taken apart
 * from the outside: conditions around, then a value that is taken where they hold, or an operator
 * that combines the variable with something. */
#include "pass/loops/reduce.h"
#include "pass/parallel/par.h"

enum { MAX_NODES = 400 };

/* ---- steps
 * ------------------------------------------------------------------------------------ */

static int
step_of(const Reduce *x, const IrVar *v)
{
    for (int i = 0; v && i < x->n; i++)
        if (x->step[i].s->kind == IS_SET && x->step[i].s->var == v)
            return i;
    return -1;
}

/* The iteration's own: it mentions nothing that one iteration hands to the next. */
static bool
is_own(const Reduce *x, const IrExpr *e)
{
    int at = e->kind == IX_VAR ? step_of(x, e->var) : -1;
    if (at >= 0 && x->step[at].role != ROLE_OWN)
        return false;
    for (int i = 0; i < e->n; i++)
        if (!is_own(x, e->arg[i]))
            return false;
    return true;
}

/* What a temporary stands for: nothing that it is made of changes in an iteration. */
static const IrExpr *
meaning(const Reduce *x, const IrExpr *e)
{
    int at = e->kind == IX_VAR ? step_of(x, e->var) : -1;
    return at >= 0 && x->step[at].role == ROLE_OWN ? meaning(x, x->step[at].s->e) : e;
}

static bool
means_same(const Reduce *x, const IrExpr *a, const IrExpr *b)
{
    return ir_expr_equal(meaning(x, a), meaning(x, b));
}

/* Read by an earlier step than the one that sets it, or by this: it comes from the iteration
 * before. */
static bool
is_carried(const Reduce *x, int i)
{
    for (int k = 0; k <= i; k++) {
        const IrStmt *s = x->step[k].s;
        if (ir_mentions(s->e, x->step[i].s->var))
            return true;
        for (int j = 0; j < s->n_idx; j++)
            if (ir_mentions(s->idx[j], x->step[i].s->var))
                return true;
    }
    return false;
}

/* The value of e, which step `at` mentions, by own values and what is carried into the iteration;
 * NULL: it reads what the iteration has changed, or is long. */
static IrExpr *
resolve(Reduce *x, const IrExpr *e, int at)
{
    IrExpr *arg[4], *made;
    int k = e->kind == IX_VAR ? step_of(x, e->var) : -1;
    if (++x->nodes > MAX_NODES)
        return NULL;
    if (k >= 0 && x->step[k].role == ROLE_MIXED)
        return resolve(x, x->step[k].s->e, k);
    if (k >= 0 && x->step[k].role != ROLE_OWN && k < at)
        return NULL;
    if (is_own(x, e) || e->kind == IX_VAR)
        return ir_copy_expr(x->cx, e);
    if ((e->kind != IX_OP && e->kind != IX_CAST) || e->n > 4)
        return NULL;
    for (int i = 0; i < e->n; i++)
        if (!(arg[i] = resolve(x, e->arg[i], at)))
            return NULL;
    if (e->kind == IX_CAST)
        return ir_raw_cast(x->cx, (DType)e->dtype, arg[0]);
    made = ir_raw_op(x->cx, (IrOp)e->op, arg);
    made->flags = e->flags;
    return made;
}

/* ---- taking where something holds
 * -------------------------------------------------------------- */

/* A comparison with what is carried, which is that of `t` from now on. */
static bool
add_comparison(const Reduce *x, Take *t, IrExpr *e, bool negate)
{
    if (t->compares >= 0 || e->kind != IX_OP || !(op_info[e->op].flags & OPF_ORDERS))
        return false;
    bool left = is_own(x, e->arg[0]);
    const IrExpr *own = e->arg[!left], *with = e->arg[left];
    if (!is_own(x, own))
        return false;
    t->compares = t->n - 1;
    t->op = left ? e->op : op_mirrored((IrOp)e->op);
    t->unordered = negate && dtype_is_float((DType)own->dtype);
    if (negate)
        t->op = t->op == OP_lt ? OP_ge : t->op == OP_le ? OP_gt : t->op == OP_gt ? OP_le : OP_lt;
    t->with = with;
    t->x = own;
    return true;
}

static bool
add_terms(const Reduce *x, Take *t, IrExpr *e, bool negate)
{
    bool logic = e->kind == IX_OP && e->dtype == DT_bool;
    if (logic && e->op == OP_inv)
        return add_terms(x, t, e->arg[0], !negate);
    if (logic && !is_own(x, e) && e->op == (negate ? OP_or : OP_and))
        return add_terms(x, t, e->arg[0], negate) && add_terms(x, t, e->arg[1], negate);
    if (t->n == REDUCE_TERMS || e->dtype != DT_bool)
        return false;
    t->term[t->n++] = negate ? ir_op(x->cx, OP_inv, ir_copy_expr(x->cx, e)) : e;
    return is_own(x, e) || add_comparison(x, t, e, negate);
}

IrExpr *
reduce_taken(const Reduce *x, const Take *t)
{
    IrExpr *all = NULL;
    for (int i = 0; i < t->n; i++) {
        IrExpr *e = ir_copy_expr(x->cx, t->term[i]);
        all = all ? ir_op(x->cx, OP_and, all, e) : e;
    }
    return all;
}

/* What select(c, true, v), select(c, false, v) fold to: c or v, not c and v. NULL: it is no
 * such. */
static IrExpr *
strip_flag(const Reduce *x, Take *t, IrExpr *e, const IrVar *v)
{
    bool right = ir_is_var(e->arg[0], v), set = e->op == OP_or;
    if ((!right && !ir_is_var(e->arg[1], v)) || is_own(x, e->arg[right]) ||
        !add_terms(x, t, e->arg[right], !set))
        return NULL;
    return ir_int(x->cx, DT_bool, set);
}

/* Adds the conditions around e, in which v keeps its value elsewhere; what is left of e. */
static IrExpr *
strip_conditions(const Reduce *x, Take *t, IrExpr *e, const IrVar *v)
{
    if (e->kind == IX_OP && e->dtype == DT_bool && (e->op == OP_or || e->op == OP_and)) {
        IrExpr *flag = strip_flag(x, t, e, v);
        return flag ? flag : e;
    }
    while (e && e->kind == IX_OP && e->op == OP_select) {
        bool first = ir_is_var(e->arg[2], v);
        if (!first && !ir_is_var(e->arg[1], v))
            break;
        e = add_terms(x, t, e->arg[0], !first) ? e->arg[first ? 1 : 2] : NULL;
    }
    return e;
}

/* ---- one carried variable
 * ---------------------------------------------------------------------- */

/* Zeros among its values are 0.0, never -0.0: then a greatest that is greater is the same zero in
 * any order. */
static bool
has_plain_zeros(const Reduce *x, const IrExpr *e)
{
    e = meaning(x, e);
    if (e->kind == IX_CAST)
        return !dtype_is_float((DType)e->arg[0]->dtype) || has_plain_zeros(x, e->arg[0]);
    if (e->kind != IX_OP)
        return false;
    switch (e->op) {
    case OP_abs:
    case OP_hypot:
    case OP_exp:
        return true;
    case OP_sqrt:
        return has_plain_zeros(x, e->arg[0]);
    case OP_mul:
        return means_same(x, e->arg[0], e->arg[1]);
    case OP_add:
        return has_plain_zeros(x, e->arg[0]) && has_plain_zeros(x, e->arg[1]);
    default:
        return false;
    }
}

static bool
is_choice(const Reduce *x, Step *t, const IrExpr *e)
{
    const Take *k = &t->take;
    DType d = (DType)t->s->var->dtype;
    if (k->compares < 0 || !ir_is_var(k->with, t->s->var) || !means_same(x, k->x, e))
        return false;
    bool strict = k->op == OP_lt || k->op == OP_gt;
    t->role = ROLE_EXTREME;
    t->op = k->unordered ? (k->op == OP_gt || k->op == OP_ge ? OP_max : OP_min) : k->op;
    t->nans = k->unordered;
    t->zeros = dtype_is_float(d) && !(strict && !k->unordered && has_plain_zeros(x, e));
    return true;
}

/* Extremes taken one after the other by one operator, as of y and then of z; in places under
 * conditions. */
static bool
is_chain(const Reduce *x, const IrExpr *e, const IrVar *v, int *op)
{
    if (ir_is_var(e, v))
        return true;
    if (e->kind != IX_OP)
        return false;
    int traits = ir_reduce_traits(e->op), was = *op;
    if (traits & RED_ZEROS && !(traits & RED_CHOOSES)) {
        bool own = is_own(x, e->arg[0]); /* then the second is the chain */
        *op = e->op;
        return (was < 0 || was == *op) && is_own(x, e->arg[!own]) &&
               is_chain(x, e->arg[own], v, op);
    }
    if (e->op != OP_select)
        return false;
    if (is_own(x, e->arg[0]))
        return is_chain(x, e->arg[1], v, op) && is_chain(x, e->arg[2], v, op);
    Take t = {.compares = -1};
    if (!add_terms(x, &t, e->arg[0], false) || t.compares < 0 || t.unordered ||
        (was >= 0 && was != t.op) || !ir_expr_equal(t.with, e->arg[2]) || !is_own(x, e->arg[1]) ||
        !means_same(x, t.x, e->arg[1]))
        return false;
    *op = t.op;
    return is_chain(x, e->arg[2], v, op);
}

/* v = op(v, own), where the terms hold */
static bool
is_update(const Reduce *x, Step *t, IrExpr *e)
{
    const SwOptions *opt = x->cx->opt;
    DType d = (DType)t->s->var->dtype;
    IrExpr leaf = {.kind = IX_VAR, .dtype = t->s->var->dtype, .var = t->s->var};
    bool inexact = false;
    t->op = -1;
    if (t->take.compares >= 0 || ir_mentions(e, t->s->var) != 1 ||
        !par_update_path(e, &leaf, &t->op, &inexact) || t->op < 0)
        return false;
    for (int i = 0; i < x->n; i++)
        if (x->step[i].role != ROLE_OWN && x->step[i].s->var != t->s->var &&
            ir_mentions(e, x->step[i].s->var))
            return false;
    bool picks = dtype_is_float(d) && ir_reduce_traits(t->op) & RED_ZEROS;
    t->role = picks ? ROLE_EXTREME : ROLE_SUM;
    t->zeros = picks;
    return !inexact || (opt && opt->fastmath & FM_REASSOC && !(e->flags & IXF_STRICT));
}

static bool
is_chain_step(const Reduce *x, Step *t)
{
    t->take = (Take){.compares = -1};
    t->op = -1;
    t->role = ROLE_EXTREME;
    t->zeros = dtype_is_float((DType)t->s->var->dtype);
    return is_chain(x, t->e, t->s->var, &t->op) && t->op >= 0;
}

static bool
match_carried(Reduce *x, int i)
{
    Step *t = &x->step[i];
    const IrVar *v = t->s->var;
    t->e = resolve(x, t->s->e, i);
    t->take = (Take){.compares = -1};
    IrExpr *e = t->e ? strip_conditions(x, &t->take, t->e, v) : NULL;
    if (!t->e || v->dtype == DT_f16 || dtype_is_complex((DType)v->dtype))
        return false;
    if (!e || (!is_own(x, e) && ir_mentions(e, v) > 1))
        return is_chain_step(x, t);
    if (!is_own(x, e))
        return is_update(x, t, e);
    if (!t->take.n || is_choice(x, t, e))
        return t->take.n > 0;
    t->role = ROLE_KEPT;
    t->value = e;
    return true;
}

/* ---- what is kept beside another
 * ---------------------------------------------------------------- */

static bool
same_take(const Reduce *x, const Take *a, const Take *b)
{
    if (a->n != b->n || a->compares != b->compares || a->unordered != b->unordered)
        return false;
    for (int i = 0; i < a->n; i++)
        if (i == a->compares
                ? a->op != b->op || !means_same(x, a->x, b->x) || !ir_expr_equal(a->with, b->with)
                : !means_same(x, a->term[i], b->term[i]))
            return false;
    return true;
}

/* With what a KEPT step compares must be the extreme that is taken when it is. */
static bool
find_group(Reduce *x, int i)
{
    Step *t = &x->step[i];
    bool alone = t->take.compares < 0;
    t->group = i;
    for (int k = 0; k < x->n; k++) {
        Step *h = &x->step[k];
        bool may = alone ? h->role == ROLE_KEPT && k < i && h->take.compares < 0
                         : h->role == ROLE_EXTREME && ir_is_var(t->take.with, h->s->var);
        if (may && same_take(x, &t->take, &h->take)) {
            t->group = alone ? h->group : k;
            break;
        }
    }
    x->step[t->group].heads = true;
    return !t->take.unordered && (alone || t->group != i);
}

/* ---- one definition a variable --------------------------------------------------------------- */

/* The next statement after s that sets its variable, or NULL. */
static IrStmt *
next_def(const IrStmt *s)
{
    IrStmt *t = s->kind == IS_SET ? s->next : NULL;
    while (t && !(t->kind == IS_SET && t->var == s->var))
        t = t->next;
    return t;
}

/* Splits live ranges: each definition but the last of a variable gets a variable of its own. */
static void
split_ranges(Reduce *x)
{
    for (IrStmt *s = x->loop->body.first; s; s = s->next) {
        IrStmt *end = next_def(s);
        if (!end)
            continue;
        IrRename r = {x->cx, s->var, ir_var(x->f, s->var->name, (DType)s->var->dtype)};
        s->var = r.to;
        for (IrStmt *t = s->next; t != end->next; t = t->next)
            ir_walk_stmt_exprs(t, ir_rename_use, &r);
    }
}

/* ---- the body
 * ----------------------------------------------------------------------------------- */

static bool
is_own_store(const Reduce *x, const IrStmt *s)
{
    bool own = is_own(x, s->e);
    for (int i = 0; i < s->n_idx; i++)
        own &= is_own(x, s->idx[i]);
    return own;
}

bool
reduce_match(Reduce *x)
{
    x->n = x->nodes = 0;
    for (IrStmt *s = x->loop->body.first; s; s = s->next) {
        if ((s->kind != IS_STORE && s->kind != IS_SET) || x->n == REDUCE_STEPS)
            return false;
        x->step[x->n++] = (Step){.s = s};
    }
    split_ranges(x); /* nothing in it fails, so that none but the last is seen after it */
    bool carried[REDUCE_STEPS], any = false;
    for (int i = 0; i < x->n; i++)
        any |= carried[i] = x->step[i].s->kind == IS_SET && is_carried(x, i);
    for (int i = 0; i < x->n; i++)
        x->step[i].role = carried[i] ? ROLE_SUM : ROLE_OWN;
    for (int i = 0; i < x->n; i++)
        if (!carried[i] && !is_own(x, x->step[i].s->e))
            x->step[i].role = ROLE_MIXED;
    for (int i = 0; i < x->n; i++)
        if (x->step[i].s->kind == IS_STORE && !is_own_store(x, x->step[i].s))
            return false;
    for (int i = 0; i < x->n; i++)
        if (carried[i] && !match_carried(x, i))
            return false;
    for (int i = 0; i < x->n; i++)
        if (x->step[i].role == ROLE_KEPT && !find_group(x, i))
            return false;
    return any;
}
