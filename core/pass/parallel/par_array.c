/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays of a loop whose iterations are to run side by side: every pair of a store and
 * another access to the same array goes through the dependence test; arrays that may
 * share memory are told apart by a test before the loop. An array that the loop only
 * updates, h[e] = op(h[e], x), may meet itself. */
#include "pass/parallel/par.h"

enum { MAX_PAIRS = 3000, MAX_NEEDS = 24, MAX_OVERLAPS = 400 };

typedef struct Pair {
    const ParAccess *a, *b; /* a writes */
    DepAnswer answer;
    int64_t distance;
    bool combined; /* for certain; and they may */
} Pair;

/* What the indices are made of is in both ends. */
static bool
same_block(const ParBlock *a, const ParBlock *b)
{
    return ir_expr_equal(a->first, b->first) && ir_expr_equal(a->end, b->end) &&
           a->n_parts == b->n_parts && a->n_wraps == b->n_wraps;
}

static bool
implies(const ParNeed *a, const ParNeed *b)
{
    if (a->block || b->block)
        return a->block && b->block && same_block(a->block, b->block);
    if (a->distinct || b->distinct)
        return a->distinct && b->distinct && ir_expr_equal(a->distinct, b->distinct);
    if (a->e || b->e)
        return a->e && b->e && ir_expr_equal(a->e, b->e);
    if (a->same && !b->same)
        return false;
    return (a->x == b->x && a->y == b->y) || (a->x == b->y && a->y == b->x);
}

/* The counter of a loop around, down to its last number or up from its first. */
static bool
counts_above(const ParLoop *l, const IrStmt *s)
{
    int64_t k, step;
    if (!ir_is_const(s->idx[2], &step))
        return false;
    const IrExpr *end = par_settle(l, s->idx[step < 0]);
    return (step < 0 && ir_is_const(end, &k) && k == -1) || par_never_negative(l, end);
}

bool
par_never_negative(const ParLoop *l, const IrExpr *e)
{
    int64_t k;
    if (e->kind == IX_DIM || (ir_is_const(e, &k) && k >= 0))
        return true;
    if (e->kind == IX_OP && e->op == OP_add)
        return par_never_negative(l, e->arg[0]) && par_never_negative(l, e->arg[1]);
    for (int i = 0; e->kind == IX_VAR && i < l->depth; i++)
        if (l->around[i]->kind == IS_LOOP && l->around[i]->var == e->var)
            return counts_above(l, l->around[i]);
    return false;
}

void
par_need(ParLoop *l, ParNeed n)
{
    int64_t zero;
    if (n.e && n.e->kind == IX_OP && n.e->op == OP_ge && ir_is_const(n.e->arg[1], &zero) &&
        zero == 0 && par_never_negative(l, n.e->arg[0]))
        return;
    for (int i = 0; i < l->needs.n; i++)
        if (implies(&l->needs.at[i], &n))
            return;
    for (int i = 0; i < l->n_given; i++)
        if (implies(&l->given[i], &n))
            return;
    VEC_PUSH(&l->cx->arena, l->needs, n);
}

/* ---- one array ------------------------------------------------------------------------------- */

/* Both are parts of updates that may be taken in any order. */
static bool
is_combined(const ParAccess *a, const ParAccess *b)
{
    return a->update && b->update && (a->keeps || b->keeps || a->op == b->op);
}

static Pair
worst_pair(ParLoop *l, IrVar *root, int *budget)
{
    Pair worst = {0};
    for (int i = 0; i < l->acc.n; i++) {
        ParAccess *a = &l->acc.at[i];
        if (a->root != root || !a->write)
            continue;
        for (int k = 0; k < l->acc.n; k++) {
            ParAccess *b = &l->acc.at[k];
            Pair p = {.a = a, .b = b, .answer = DEP_MAYBE, .distance = DEP_FAR};
            if (b->root != root || (b->write && k < i))
                continue;
            if ((*budget)-- > 0)
                p.answer = depend_test(l, a, b, &p.distance);
            p.combined = p.answer == DEP_RACE && is_combined(a, b);
            p.answer = p.combined ? DEP_MAYBE : p.answer;
            if (p.answer > worst.answer || (p.combined && worst.answer == DEP_MAYBE))
                worst = p;
            if (worst.answer == DEP_RACE || (*budget <= 0 && worst.answer >= DEP_MAYBE))
                return worst;
        }
    }
    return worst;
}

/* Each chunk combines into copies of its own: of the array, or of the views of it that L goes
 * through. What these have come to is combined one after the other, so that they may overlap. */
static bool
is_reduced(ParLoop *l, IrVar *root)
{
    int op = -1, had = l->reds.n;
    if ((!l->copies && !l->races) || par_is_local(l, root))
        return false;
    for (int i = 0; i < l->acc.n; i++) {
        const ParAccess *a = &l->acc.at[i];
        if (a->root != root)
            continue;
        if (!a->update || !a->via || a->var->dtype != a->via->dtype ||
            (op >= 0 && !a->keeps && a->op != op)) {
            l->reds.n = had;
            return false;
        }
        op = a->keeps ? op : a->op;
        bool known = false;
        for (int k = had; k < l->reds.n; k++)
            known |= l->reds.at[k].var == a->via;
        IrReduce r = {.var = a->via};
        if (!known)
            VEC_PUSH(&l->cx->arena, l->reds, r);
    }
    for (int k = had; k < l->reds.n; k++)
        l->reds.at[k].op = (uint8_t)(op < 0 ? OP_add : op);
    return true;
}

static const char *
say(ParLoop *l, const Pair *p)
{
    Arena *a = &l->cx->arena;
    const char *does = p->b->write ? "writes" : "reads", *name = p->a->root->name;
    int64_t k = p->distance;
    if (k == 0 && p->b->write)
        return arena_printf(a, "each writes the same element of '%s'", name);
    if (k == 0)
        return arena_printf(a, "each writes and reads the same element of '%s'", name);
    if (k == DEP_FAR)
        return arena_printf(a, "one writes the element of '%s' that another %s", name, does);
    if (k > 0)
        return arena_printf(a, "iteration i writes the element of '%s' that iteration i+%lld %s",
                            name, (long long)k, does);
    return arena_printf(a, "iteration i %s the element of '%s' that iteration i+%lld writes", does,
                        name, (long long)-k);
}

/* Its values, where it has a variable of a loop inside. */
static bool
is_same_each_time(ParLoop *l, const IrExpr *e)
{
    const ParRange *r = e->kind == IX_VAR && e->var != l->s->var ? depend_range(l, e->var) : NULL;
    if (r)
        return r->lo && r->hi && is_same_each_time(l, r->lo) && is_same_each_time(l, r->hi);
    if (e->kind == IX_LOAD ||
        (e->var && (e->var == l->s->var || e->var->id < 0 || par_is_local(l, e->var))))
        return false;
    for (int i = 0; i < e->n; i++)
        if (!is_same_each_time(l, e->arg[i]))
            return false;
    return true;
}

/* Is what it touches, and whether it does, the same in each iteration? All of an array, say. */
static bool
is_everywhere(ParLoop *l, const ParAccess *a)
{
    for (int i = 0; a->idx && i < a->root->ndim; i++)
        if (!a->idx[i] || !is_same_each_time(l, a->idx[i]))
            return false;
    for (int i = 0; a->idx && i < a->n_conds; i++)
        if (!is_same_each_time(l, a->conds[i].e))
            return false;
    return a->idx != NULL;
}

static ParVerdict
blame(ParLoop *l, const Pair *p, ParWhy *why)
{
    bool race = p->answer == DEP_RACE;
    *why = (ParWhy){.var = p->a->root, .at = p->a->at, .other = p->b->at};
    why->at_text = "it is written here";
    why->other_text = p->b->write ? "and here" : "it is read here";
    if (p->a == p->b)
        why->other_text = NULL;
    why->text = race ? say(l, p) : "'%s' may be touched at one place by two of them";
    if (p->distance == 0)
        why->hint = "give each iteration an element of its own, or use a reduction (s += x)";
    else
        why->hint = p->b->write ? "let the iterations write to different elements"
                                : "let the loop read one array and write another";
    if (p->combined) {
        why->text = "its iterations combine into an element of '%s', and use others of it";
        why->in_order = true;
        return PAR_CARRIED;
    }
    if (!race && is_everywhere(l, p->a) && is_everywhere(l, p->b)) {
        why->text = "each iteration touches the same elements of '%s'";
        return PAR_CARRIED;
    }
    return race ? PAR_RACE : PAR_UNKNOWN;
}

/* Where it is, and whether it takes place, needs no element of an array. */
static bool
is_free_of_contents(ParLoop *l, const ParAccess *a)
{
    bool free = a->plain && a->idx;
    for (int i = 0; free && i < a->root->ndim; i++)
        free = a->idx[i] && !ir_loads(a->idx[i]);
    for (int i = 0; free && i < a->n_conds; i++)
        free = !ir_loads(a->conds[i].e);
    for (int i = 0; free && i < a->n_inner; i++) {
        const ParRange *r = a->inner[i] < 0 ? NULL : &l->ranges.at[a->inner[i]];
        free = r && r->lo && r->hi && !ir_loads(r->lo) && !ir_loads(r->hi);
    }
    return free || !par_hangs_on_contents(l, a);
}

/* What the user can't promise, since it doesn't hang on any contents, is tested before L; what
 * can't be tested, or is too much to look at, is no reason to run side by side. Yields what is left
 * to promise. */
static ParVerdict
test_before(ParLoop *l, IrVar *root, int *budget, ParWhy *why)
{
    ParVerdict worst = PAR_OK;
    if (!l->copies || l->cx->opt->debug)
        return PAR_UNKNOWN; /* there it is watched */
    bool *free = NEW_N(&l->cx->arena, bool, l->acc.n + 1);
    for (int i = 0; i < l->acc.n; i++)
        free[i] = l->acc.at[i].root == root && is_free_of_contents(l, &l->acc.at[i]);
    for (int i = 0; i < l->acc.n; i++) {
        ParAccess *a = &l->acc.at[i];
        for (int k = 0; a->root == root && a->write && k < l->acc.n; k++) {
            ParAccess *b = &l->acc.at[k];
            Pair p = {.a = a, .b = b, .answer = DEP_MAYBE, .distance = DEP_FAR};
            if (b->root != root || (b->write && k < i))
                continue;
            bool look = (*budget)-- > 0, both = free[i] && free[k];
            if (look && depend_test(l, a, b, &p.distance) == DEP_NONE)
                continue;
            if (look && both && l->needs.n < MAX_NEEDS && depend_need(l, a, b))
                continue;
            worst = worst < PAR_UNKNOWN ? PAR_UNKNOWN : worst;
            if (both && worst < PAR_CARRIED) {
                blame(l, &p, why);
                worst = PAR_CARRIED;
            }
        }
    }
    return worst;
}

/* ---- different arrays ------------------------------------------------------------------------ */

static bool
is_fresh(const ParLoop *l, const IrVar *v) /* all views of it are known as such */
{
    return v->id < l->defs->n_vars && l->defs->n[v->id] == 1 && !v->is_param &&
           l->defs->def[v->id]->kind == IS_ALLOC;
}

static bool
is_fixed_param(const ParLoop *l, const IrVar *v)
{
    return v->is_param && v->id < l->defs->n_vars && l->defs->n[v->id] == 0;
}

static bool
never_overlap(const ParLoop *l, const IrVar *a, const IrVar *b)
{
    if (a->noalias || b->noalias)
        return true;
    return (is_fresh(l, a) && (is_fresh(l, b) || is_fixed_param(l, b))) ||
           (is_fresh(l, b) && is_fixed_param(l, a));
}

/* If two arrays were one, would its elements still be each one iteration's own? out[i] = x[i]
 * is right where out is x. */
static bool
may_be_same(ParLoop *l, const IrVar *x, const IrVar *y, int *budget)
{
    int had = l->needs.n;
    bool ok = x->ndim == y->ndim && x->dtype == y->dtype;
    for (int i = 0; ok && i < l->acc.n; i++) {
        ParAccess *a = &l->acc.at[i];
        trace_work++;
        for (int k = 0; ok && a->root == x && k < l->acc.n; k++) {
            ParAccess *b = &l->acc.at[k];
            int64_t distance;
            if (b->root == y && (a->write || b->write))
                ok = (*budget)-- > 0 && depend_test(l, a, b, &distance) == DEP_NONE;
        }
    }
    ok &= l->needs.n == had; /* no more tests than for arrays that lie apart */
    l->needs.n = had;
    return ok;
}

static ParVerdict
keep_apart(ParLoop *l, const ParAccess *a, const ParAccess *b, int *budget, ParWhy *why)
{
    trace_work++;
    if (never_overlap(l, a->root, b->root))
        return PAR_OK;
    bool testable = !par_is_local(l, a->root) && !par_is_local(l, b->root);
    ParNeed n = {.x = a->root, .y = b->root};
    n.same = testable && may_be_same(l, a->root, b->root, budget);
    l->apart &= !n.same;
    int had = l->needs.n;
    if (testable)
        par_need(l, n);
    int most = l->copies ? MAX_OVERLAPS : MAX_NEEDS;
    if (testable && (l->needs.n == had || (l->may_need && l->needs.n <= most)))
        return PAR_OK;
    if (testable)
        l->needs.n = had;
    *why = (ParWhy){.var = a->root, .at = a->at, .other = b->at};
    why->text = "'%s' may share memory with another array that is used";
    why->at_text = "it is written here";
    why->other_text = "the other is used here";
    /* a view of what L chooses, or too many */
    bool chosen = l->copies && !l->cx->opt->debug &&
                  (testable || (!par_hangs_on_contents(l, a) && !par_hangs_on_contents(l, b)));
    return chosen ? PAR_CARRIED : PAR_UNKNOWN;
}

/* The worst that keep_apart says of two arrays. */
static ParVerdict
worst_apart(const ParLoop *l)
{
    return l->copies && !l->cx->opt->debug ? PAR_CARRIED : PAR_UNKNOWN;
}

/* Of each access: does none before it say as much of its array? */
static bool *
first_of_roots(const ParLoop *l)
{
    Arena *a = &l->cx->arena;
    bool *first = NEW_N(a, bool, l->acc.n + 1);
    Map seen = {0}; /* root -> the access, so far; a write says all */
    for (int i = 0; i < l->acc.n; i++) {
        const ParAccess *x = &l->acc.at[i], *had = map_get(&seen, x->root);
        first[i] = !had || (x->write && !had->write);
        if (first[i])
            map_put(a, &seen, x->root, (void *)x);
    }
    return first;
}

/* Is this one store statement, in no inner loop, all that touches the array? */
static bool
meets_itself(const ParLoop *l, const Pair *p)
{
    bool one = p->a == p->b && p->a->s->kind == IS_STORE && !p->a->n_inner;
    for (int i = 0; one && i < l->acc.n; i++)
        one = &l->acc.at[i] == p->a || l->acc.at[i].root != p->a->root;
    return one && !par_is_local(l, p->a->root);
}

ParVerdict
par_arrays(ParLoop *l, ParWhy *why)
{
    ParVerdict worst = PAR_OK, got;
    ParWhy w;
    l->in_order = l->apart = true;
    int budget = MAX_PAIRS;
    const bool *first = first_of_roots(l);
    ParVerdict most = worst_apart(l);
    for (int i = 0; i < l->acc.n; i++) {
        const ParAccess *a = &l->acc.at[i];
        if (!a->write || !first[i])
            continue;
        Pair p = worst_pair(l, a->root, &budget);
        got = p.answer == DEP_NONE || is_reduced(l, a->root) ? PAR_OK : blame(l, &p, &w);
        if (got == PAR_UNKNOWN)
            got = test_before(l, a->root, &budget, &w);
        l->in_order &= got == PAR_OK || meets_itself(l, &p);
        for (int k = 0; k < l->acc.n && got != PAR_RACE; k++) {
            const ParAccess *b = &l->acc.at[k];
            /* of many arrays too many pairs need a test: then no more of them is looked at */
            if (!l->in_order && (got >= most || worst >= most))
                break;
            if (b->root == a->root || !first[k])
                continue;
            ParWhy other;
            ParVerdict apart = keep_apart(l, a, b, &budget, &other);
            if (apart == PAR_OK)
                continue;
            l->in_order = false;
            w = got < apart ? other : w;
            got = got < apart ? apart : got;
        }
        if (got > worst) {
            worst = got;
            *why = w;
        }
    }
    return worst;
}
