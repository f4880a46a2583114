/* SPDX-License-Identifier: BSD-3-Clause
 * Index checks: proved from loop ranges, conditions and shapes, and then dropped together with
 * the wraparound of negative indices; or hoisted. Hoisting a loop nest's checks: for each one a
 * lower bound of `dim - 1 - index` and of `index` is found that the nest does not change; when
 * all these bounds are >= 0 at run time, the nest runs without the checks, else the nest as it
 * was written runs, so that what it has done before an IndexError is what Python has done. */
#include "pass/know.h"
#include "pass/pass.h"

#include <limits.h>

enum { MAX_CONDS = 40, MAX_STMTS = 400, MAX_VERSIONS = 2, ASSUMED = 1, ASSUMED_LOW = 2 };

typedef struct Cond {
    IrAffine a;    /* >= 0 */
    IrAffine from; /* what it was made from: its variables must be guarded unless plain */
    bool plain;
} Cond;

typedef struct Bounds {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    Know k;
    bool collect;        /* looking for what can be hoisted out of the loop with these effects: */
    IrEffects fx;
    Vec(IrStmt *) found; /* checks that can */
    Vec(Cond) conds;     /* the conditions under which they hold */
    Vec(IrExpr *) tests; /* more of them: those of checks that the loop does not change */
    int versions;        /* versioned nests that we are inside */
    int left;            /* checks met since the loop began that stay */
} Bounds;

static bool walk(Bounds *b, IrBlock *blk);

/* ---- expressions ------------------------------------------------------------------------------------- */

/* wrap(i, dim) is i where i >= 0 for certain, i + dim where i < 0. */
static void
unwrap(Bounds *b, IrExpr **e)
{
    for (int i = 0; i < (*e)->n; i++)
        unwrap(b, &(*e)->arg[i]);
    if ((*e)->kind != IX_OP || (*e)->op != OP_wrap)
        return;
    IrAffine a, neg = {.c0 = -1};
    IrExpr *i = (*e)->arg[0], *dim = (*e)->arg[1];
    if (!know_affine(&b->k, i, &a))
        return;
    if (know_prove(&b->k, &a))
        *e = i;
    else if (ir_affine_add(&neg, &a, -1) && know_prove(&b->k, &neg))
        *e = ir_op(b->cx, OP_add, dim, i);
}

static void
unwrap_stmt(Bounds *b, IrStmt *s)
{
    if (s->e)
        unwrap(b, &s->e);
    for (int i = 0; i < s->n_idx; i++)
        unwrap(b, &s->idx[i]);
    for (int i = 0; i < s->n_args; i++)
        if (s->args[i].e)
            unwrap(b, &s->args[i].e);
}

/* ---- checks ------------------------------------------------------------------------------------------- */

typedef struct Check { /* all three must be >= 0, `wrapped` in place of `low` for a negative index */
    IrAffine low, high, wrapped;
} Check;

static bool
take_apart(Bounds *b, const IrStmt *s, Check *c)
{
    IrAffine dim;
    if (!know_affine(&b->k, s->e, &c->low) ||
        !know_affine(&b->k, ir_dim(b->cx, s->var, s->axis), &dim))
        return false;
    c->high = c->wrapped = dim;
    c->high.c0 -= 1;
    return ir_affine_add(&c->high, &c->low, -1) && ir_affine_add(&c->wrapped, &c->low, 1);
}

static void
remark(Bounds *b, const IrStmt *s, const char *what, const char *why)
{
    pass_remark(b->p, "bounds", what, s->at, "%s, axis %d: %s", s->var->name, s->axis, why);
}

/* Is a the same as a condition there is, or weaker? */
static bool
add_cond(Bounds *b, const Cond *c)
{
    for (int i = 0; i < b->conds.n; i++) {
        Cond *old = &b->conds.at[i];
        IrAffine d = c->a;
        if (!ir_affine_add(&d, &old->a, -1) || d.n)
            continue;
        if (d.c0 < 0)
            old->a = c->a;
        if (!c->plain)
            old->from = c->from;
        old->plain &= c->plain;
        return true;
    }
    if (b->conds.n == MAX_CONDS)
        return false;
    VEC_PUSH(&b->cx->arena, b->conds, *c);
    return true;
}

static bool
small_coefs(const IrAffine *a)
{
    for (int i = 0; i < a->n; i++)
        if (a->t[i].coef > 256 || a->t[i].coef < -256)
            return false;
    return a->c0 < (int64_t)1 << 60 && a->c0 > -((int64_t)1 << 60);
}

static bool
can_bound(Bounds *b, const IrAffine *a, Cond *out)
{
    out->from = *a;
    return know_bound(&b->k, a, &b->fx, &out->a, &out->plain) && small_coefs(&out->a);
}

static bool
try_hoist(Bounds *b, IrStmt *s, const Check *c, bool low_ok, bool high_ok)
{
    Cond low, high;
    if ((!low_ok && !can_bound(b, &c->low, &low)) || (!high_ok && !can_bound(b, &c->high, &high)))
        return false;
    if ((!low_ok && !add_cond(b, &low)) || (!high_ok && !add_cond(b, &high)))
        return false;
    s->n = low_ok && !know_prove(&b->k, &c->low) ? 0 : ASSUMED_LOW; /* seen where it is versioned */
    VEC_PUSH(&b->cx->arena, b->found, s);
    return true;
}

/* In a version where the nest's condition holds. */
static void
assume_index(Bounds *b, IrBlock *blk, IrStmt *s)
{
    Check c;
    if (take_apart(b, s, &c)) {
        know_fact(&b->k, &c.high, true, true);
        know_fact(&b->k, s->n & ASSUMED_LOW ? &c.low : &c.wrapped, true, true);
    }
    remark(b, s, "check hoisted", "tested once before the loop");
    ir_remove(blk, s);
}

static void
check_index(Bounds *b, IrBlock *blk, IrStmt *s)
{
    Check c;
    if (s->n & ASSUMED) {
        assume_index(b, blk, s);
        return;
    }
    s->n = 0;
    if (!take_apart(b, s, &c)) {
        b->left++;
        if (!b->collect)
            remark(b, s, "check remains", "the index is too complicated");
        return;
    }
    bool high_ok = know_prove(&b->k, &c.high);
    bool low_ok = know_prove(&b->k, &c.low) || know_prove(&b->k, &c.wrapped);
    if (low_ok && high_ok) {
        remark(b, s, "check removed", "always in range");
        ir_remove(blk, s);
        return;
    }
    b->left++;
    if (b->collect)
        try_hoist(b, s, &c, low_ok, high_ok);
    else
        remark(b, s, "check remains", "neither provable nor testable before the loop");
    if (!high_ok)
        know_fact(&b->k, &c.high, true, true);
    if (!low_ok)
        know_fact(&b->k, &c.wrapped, true, true);
}

/* Any other check: known to pass, or one that the loop does not change. */
static void
check_test(Bounds *b, IrBlock *blk, IrStmt *s)
{
    if (s->n & ASSUMED || know_implies(&b->k, s->e, true)) {
        ir_remove(blk, s);
    } else if (b->collect) {
        IrExpr *e = know_canonical(&b->k, s->e);
        bool hoists = ir_invariant(e, &b->fx) && know_may_evaluate(e);
        for (int i = 0; hoists && e && i < b->tests.n; i++)
            if (ir_expr_equal(b->tests.at[i], e)) /* found already */
                e = NULL;
        if (hoists && e)
            VEC_PUSH(&b->cx->arena, b->tests, e);
        if (hoists)
            VEC_PUSH(&b->cx->arena, b->found, s);
        b->left++;
    }
    know_cond(&b->k, s->e, true);
}

/* ---- conditions in code ---------------------------------------------------------------------------------- */

static IrExpr *
sum_of(Cx *cx, const IrAffine *a, int sign, int64_t c)
{
    IrAffine part = {.c0 = c};
    for (int i = 0; i < a->n; i++) {
        if ((a->t[i].coef > 0) != (sign > 0))
            continue;
        part.t[part.n] = a->t[i];
        part.t[part.n++].coef *= sign;
    }
    return ir_affine_expr(cx, &part);
}

static int
count_vars(const IrAffine *a, int sign) /* terms on that side that are no dimensions */
{
    int n = 0;
    for (int i = 0; i < a->n; i++)
        n += (a->t[i].coef > 0) == (sign > 0) && a->t[i].term->kind != IX_DIM;
    return n;
}

/* a >= 0 as a comparison of sums, the constant on the side of the dimensions, where adding it
 * cannot wrap. */
static IrExpr *
compare(Cx *cx, const IrAffine *a)
{
    bool left = count_vars(a, 1) == 0;
    if (a->c0 == -1)
        return ir_op(cx, OP_gt, sum_of(cx, a, 1, 0), sum_of(cx, a, -1, 0));
    return ir_op(cx, OP_ge, sum_of(cx, a, 1, left ? a->c0 : 0),
                 sum_of(cx, a, -1, left ? 0 : -a->c0));
}

typedef struct Guards {
    Cx *cx;
    const IrEffects *fx;
    IrExpr *cond;
    Map bits; /* variable -> in how many bits it must fit; dimensions by array */
    int limit;
} Guards;

static void
and_guard(Guards *g, IrExpr *e)
{
    g->cond = g->cond ? ir_op(g->cx, OP_and, g->cond, e) : e;
}

static bool
guard_leaf(IrExpr **e, void *arg)
{
    Guards *g = arg;
    bool leaf = (*e)->kind == IX_VAR || ((*e)->kind == IX_DIM && g->limit < 40);
    intptr_t had = leaf ? (intptr_t)map_get(&g->bits, (*e)->var) : 0;
    if (!leaf || (*e)->dtype != DT_i64 || !ir_invariant(*e, g->fx) || (had && had <= g->limit))
        return true;
    if ((*e)->kind == IX_VAR) /* of a dimension there may be several axes: no memory of it */
        map_put(&g->cx->arena, &g->bits, (*e)->var, (void *)(intptr_t)g->limit);
    int64_t big = (int64_t)1 << g->limit;
    and_guard(g, ir_op(g->cx, OP_le, ir_copy_expr(g->cx, *e), ir_int(g->cx, DT_i64, big)));
    if ((*e)->kind == IX_VAR)
        and_guard(g, ir_op(g->cx, OP_ge, ir_copy_expr(g->cx, *e), ir_int(g->cx, DT_i64, -big)));
    return true;
}

static int
count_factors(const IrExpr *e)
{
    if (e->kind != IX_OP || e->op != OP_mul || e->arg[1]->kind == IX_CONST)
        return 1;
    return count_factors(e->arg[0]) + count_factors(e->arg[1]);
}

static void
guard_terms(Guards *g, const IrAffine *a)
{
    for (int i = 0; i < a->n; i++) {
        IrExpr *t = ir_copy_expr(g->cx, a->t[i].term);
        int n = count_factors(t);
        g->limit = n == 1 ? 46 : n == 2 ? 26 : 16;
        ir_walk_expr(&t, guard_leaf, g);
    }
}

/* Arithmetic in the condition, and that which it was concluded from, must not wrap where the
 * user's numbers are absurd. */
static void
guard(Guards *g, const Cond *c)
{
    bool safe = c->plain && count_vars(&c->a, 1) + count_vars(&c->a, -1) <= 1;
    for (int i = 0; i < c->a.n; i++)
        safe &= (c->a.t[i].coef == 1 || c->a.t[i].coef == -1) &&
                (c->a.t[i].term->kind == IX_VAR || c->a.t[i].term->kind == IX_DIM);
    if (safe)
        return;
    guard_terms(g, &c->a);
    guard_terms(g, &c->from);
}

static IrExpr *
combined(Bounds *b)
{
    Guards g = {.cx = b->cx, .fx = &b->fx};
    for (int i = 0; i < b->conds.n; i++)
        guard(&g, &b->conds.at[i]);
    for (int i = 0; i < b->conds.n; i++)
        if (b->conds.at[i].a.n)
            and_guard(&g, compare(b->cx, &b->conds.at[i].a));
    for (int i = 0; i < b->tests.n; i++)
        and_guard(&g, ir_copy_expr(b->cx, b->tests.at[i]));
    return g.cond ? g.cond : ir_int(b->cx, DT_bool, 1);
}

/* ---- two versions of a nest ------------------------------------------------------------------------------- */

static void
make_cold(IrBlock *blk, IrStmt *s, void *arg)
{
    (void)blk;
    (void)arg;
    if (s->kind == IS_LOOP || s->kind == IS_WHILE)
        s->cold = s->novector = true;
}

/* Puts `if cond { loop } else { loop as it was }` where the loop is; yields the if. */
static IrStmt *
version(Bounds *b, IrBlock *blk, IrStmt *loop)
{
    IrStmt copy = *loop;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy};
    IrStmt *s = ir_stmt(b->cx, IS_IF, loop->at);
    s->e = combined(b);
    s->cold_else = true;
    s->els = ir_clone_block(b->f, &one, NULL);
    ir_walk_block(&s->els, make_cold, NULL);
    ir_insert_before(blk, loop, s);
    ir_remove(blk, loop);
    ir_insert_before(&s->body, NULL, loop);
    for (int i = 0; i < b->found.n; i++)
        b->found.at[i]->n |= ASSUMED;
    return s;
}

typedef struct Census {
    int checks, stmts, loops;
} Census;

static void
take_census(IrBlock *blk, IrStmt *s, void *arg)
{
    Census *c = arg;
    (void)blk;
    c->stmts++;
    c->checks += s->kind == IS_CHECK_INDEX || s->kind == IS_CHECK;
    c->loops += s->kind == IS_LOOP || s->kind == IS_WHILE;
}

/* ---- loops ------------------------------------------------------------------------------------------------- */

static void
restore(Bounds *b, KnowMark m)
{
    int n;
    know_cut(&b->k, m);
    know_undo_kills(&b->k, m, &n);
}

static void
walk_inside(Bounds *b, IrStmt *s, const IrEffects *fx)
{
    LoopRange r = {0};
    if (s->kind == IS_LOOP)
        r = know_range(&b->k, s);
    know_enter_loop(&b->k, s, fx);
    KnowMark m = know_mark(&b->k);
    if (s->kind == IS_LOOP) {
        know_loop_var(&b->k, s, &r, fx);
    } else {
        walk(b, &s->pre);
        unwrap(b, &s->e);
        know_cond(&b->k, s->e, true);
    }
    walk(b, &s->body);
    restore(b, m); /* what is known on entry holds throughout the loop, so it holds behind it */
}

/* Could a version without checks be worth its code? Finds what can be hoisted out of s. */
static bool
collect(Bounds *b, IrStmt *s, const IrEffects *fx)
{
    b->found.n = b->conds.n = b->tests.n = 0;
    b->fx = *fx;
    b->collect = true;
    walk_inside(b, s, fx);
    b->collect = false;
    return b->conds.n > 0 || b->tests.n > 0;
}

static void
walk_loop(Bounds *b, IrBlock *blk, IrStmt *s)
{
    IrEffects fx = ir_effects_stmt(b->f, s);
    Census c = {0};
    if (!b->collect) {
        ir_walk_block(&s->body, take_census, &c);
        ir_walk_block(&s->pre, take_census, &c);
    }
    if (c.checks == 0 || s->cold || c.stmts > MAX_STMTS || b->versions >= MAX_VERSIONS) {
        walk_inside(b, s, &fx);
        return;
    }
    KnowMark m = know_mark(&b->k);
    b->left = 0;
    bool worth = collect(b, s, &fx);
    if (!worth && b->left == 0)
        return;
    restore(b, m);
    if (!worth) {
        walk_inside(b, s, &fx);
        return;
    }
    IrStmt *both = version(b, blk, s);
    b->versions++;
    know_cond(&b->k, both->e, true);
    walk_inside(b, s, &fx);
    b->versions--;
    know_cut(&b->k, m);
}

/* ---- branches ------------------------------------------------------------------------------------------------ */

static bool
unchanged(Bounds *b, const IrExpr *e, const IrBlock *blk)
{
    if (!blk->first)
        return true;
    IrEffects fx = ir_effects(b->f, blk);
    return ir_invariant(e, &fx);
}

/* t = x; if t { ...; t = y }: then t is x and y. if not t: x or y. */
static IrExpr *
chained(Bounds *b, IrStmt *s, IrVar **var, IrExpr *before)
{
    bool is_not = s->e->kind == IX_OP && s->e->op == OP_inv;
    const IrExpr *t = is_not ? s->e->arg[0] : s->e;
    if (t->kind != IX_VAR || s->els.first || !before)
        return NULL;
    const IrExpr *after = know_expr(&b->k, t->var);
    if (!after || after == before || !unchanged(b, before, &s->body))
        return NULL;
    *var = t->var;
    return ir_op(b->cx, is_not ? OP_or : OP_and, before, ir_copy_expr(b->cx, after));
}

static const IrVar *
tested_var(const IrExpr *e)
{
    if (e->kind == IX_OP && e->op == OP_inv)
        e = e->arg[0];
    return e->kind == IX_VAR ? e->var : NULL;
}

static bool
walk_if(Bounds *b, IrStmt *s)
{
    KnowMark m = know_mark(&b->k);
    const IrVar *tv = tested_var(s->e);
    IrExpr *before = tv ? (IrExpr *)know_expr(&b->k, tv) : NULL;
    IrVar *t = NULL;
    int n1, n2;
    Join join = know_join_begin(&b->k, s);
    know_cond(&b->k, s->e, true);
    bool leaves1 = walk(b, &s->body);
    know_join_branch(&b->k, &join, 0);
    IrExpr *chain = leaves1 ? NULL : chained(b, s, &t, before);
    know_cut(&b->k, m);
    int *kills1 = know_undo_kills(&b->k, m, &n1);
    know_cond(&b->k, s->e, false);
    bool leaves2 = walk(b, &s->els);
    know_join_branch(&b->k, &join, 1);
    know_cut(&b->k, m);
    int *kills2 = know_undo_kills(&b->k, m, &n2);
    if (!leaves1)
        know_redo_kills(&b->k, kills1, n1);
    if (!leaves2)
        know_redo_kills(&b->k, kills2, n2);
    if (leaves1 && !leaves2 && unchanged(b, s->e, &s->els))
        know_cond(&b->k, s->e, false);
    if (leaves2 && !leaves1 && unchanged(b, s->e, &s->body))
        know_cond(&b->k, s->e, true);
    if (!leaves1 && !leaves2)
        know_join_end(&b->k, &join);
    if (chain)
        know_assign(&b->k, t, chain);
    return leaves1 && leaves2;
}

static void
walk_apart(Bounds *b, IrBlock *blk)
{
    KnowMark m = know_mark(&b->k);
    walk(b, blk);
    know_cut(&b->k, m);
}

/* Anything may have happened in the body when a handler starts. */
static void
walk_try(Bounds *b, IrStmt *s)
{
    walk_apart(b, &s->body);
    walk_apart(b, &s->els);
    for (int i = 0; i < s->n_handlers; i++)
        walk_apart(b, &s->handlers[i].body);
}

/* ---- statements ------------------------------------------------------------------------------------------------ */

static void
kill_def(IrVar *v, void *arg)
{
    know_kill(arg, v);
}

static void
const_dims(Bounds *b, IrStmt *s)
{
    const IrConstArray *c = &b->p->mod->consts.at[s->n];
    IrExpr *dims[32];
    for (int i = 0; i < s->var->ndim; i++)
        dims[i] = ir_int(b->cx, DT_i64, c->shape[i]);
    know_dims(&b->k, s->var, dims);
}

/* Yields whether control never goes on behind s. */
static bool
walk_stmt(Bounds *b, IrBlock *blk, IrStmt *s)
{
    if (s->kind != IS_WHILE)
        unwrap_stmt(b, s);
    switch (s->kind) {
    case IS_SET:
        know_assign(&b->k, s->var, s->e);
        break;
    case IS_STORE:
    case IS_COPY:
        know_kill_loads(&b->k);
        break;
    case IS_ALLOC:
    case IS_VIEW:
        know_dims(&b->k, s->var, s->idx);
        break;
    case IS_ALIAS:
        know_alias(&b->k, s->var, s->base);
        break;
    case IS_CONSTARR:
        const_dims(b, s);
        break;
    case IS_LOOP:
    case IS_WHILE:
        walk_loop(b, blk, s);
        break;
    case IS_IF:
        return walk_if(b, s);
    case IS_TRY:
        walk_try(b, s);
        break;
    case IS_CALL:
    case IS_RT:
    case IS_DROP:
        ir_walk_defs(s, kill_def, &b->k);
        if (s->kind != IS_DROP)
            know_kill_loads(&b->k);
        break;
    case IS_CHECK_INDEX:
        check_index(b, blk, s);
        break;
    case IS_CHECK:
        check_test(b, blk, s);
        break;
    case IS_BREAK:
    case IS_CONTINUE:
    case IS_RETURN:
    case IS_RAISE:
    case IS_RERAISE:
        return true;
    case IS_PRINT:
    case IS_POLL:
        break;
    }
    return false;
}

static bool
walk(Bounds *b, IrBlock *blk)
{
    bool leaves = false;
    for (IrStmt *s = blk->first, *next; s; s = next) {
        next = s->next;
        leaves |= walk_stmt(b, blk, s);
    }
    return leaves;
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

static bool
find_load(IrExpr **e, void *arg)
{
    *(bool *)arg |= (*e)->kind == IX_LOAD;
    return true;
}

/* Loop bounds that read memory become variables: conditions before the loop may use those. */
static void
name_bounds(IrBlock *blk, IrStmt *s, void *arg)
{
    IrFunc *f = arg;
    for (int i = 0; s->kind == IS_LOOP && i < 2; i++) {
        bool loads = false;
        ir_walk_expr(&s->idx[i], find_load, &loads);
        if (!loads)
            continue;
        IrStmt *set = ir_stmt(f->mod->cx, IS_SET, s->at);
        set->var = ir_var(f, "t", DT_i64);
        set->e = s->idx[i];
        s->idx[i] = ir_use(f->mod->cx, set->var);
        ir_insert_before(blk, s, set);
    }
}

void
pass_bounds(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = p->mod->funcs.at[i];
        Census c = {0};
        ir_walk_block(&f->body, take_census, &c);
        Bounds b = {.p = p, .cx = p->cx, .f = f};
        if (c.checks)
            ir_walk_block(&f->body, name_bounds, f);
        know_init(&b.k, f);
        walk(&b, &f->body);
    }
}
