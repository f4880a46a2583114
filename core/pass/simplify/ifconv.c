/* SPDX-License-Identifier: BSD-3-Clause
 * `if c: x = a else: x = b` becomes `x = select(c, a, b)` where both sides are cheap and may be
 * evaluated whatever c is: no operation traps, and a load may go first when its index is in
 * range without the help of c. So the tests that `and` and `or` guard, and stores of one of two
 * values, leave no branch in the loop, which can then become vectors. Where a branch stays, a rare
 * check before it that can only fail on its other side goes there. What stands behind a branch that
 * goes on with the next iteration becomes its other side. */
#include "pass/pass.h"
#include "pass/analysis/walk.h"

enum { MAX_COST = 14, MAX_SETS = 8, TOO_MUCH = 1000 };

typedef struct Side { /* one branch */
    IrStmt *set[MAX_SETS];
    int n;
    IrStmt *store; /* its last statement, or NULL */
    Map value;     /* variable -> IrExpr: what it is at the end of the branch */
} Side;

/* ---- may it be evaluated always, and is that cheap? ------------------------------------------ */

static bool
in_range(Walk *w, const IrVar *arr, int axis, IrExpr *i)
{
    IrAffine at;
    return know_in_range(&w->k, i, (IrVar *)arr, axis, &at);
}

static int
op_cost(const IrExpr *e)
{
    int64_t c;
    bool complex = dtype_is_complex((DType)e->dtype);
    if (op_info[e->op].flags & (OPF_COSTLY | OPF_PARTIAL))
        return TOO_MUCH;
    if (e->op == OP_floordiv || e->op == OP_mod)
        return ir_is_const(e->arg[1], &c) && c > 0 ? 3 : TOO_MUCH;
    return !complex ? 1 : e->op == OP_mul ? 4 : 2;
}

static bool
sets(const Side *side, const IrVar *v)
{
    for (int i = 0; i < side->n; i++)
        if (side->set[i]->var == v)
            return true;
    return false;
}

static bool
mentions_set(const IrExpr *e, const Side *side)
{
    if (e->var && sets(side, e->var))
        return true;
    for (int i = 0; i < e->n; i++)
        if (mentions_set(e->arg[i], side))
            return true;
    return false;
}

static int
cost(Walk *w, IrExpr *e, const Side *side)
{
    int sum = 0;
    for (int i = 0; i < e->n && sum < TOO_MUCH; i++)
        sum += cost(w, e->arg[i], side);
    if (e->kind == IX_OP)
        return sum + op_cost(e);
    if (e->kind != IX_LOAD)
        return sum + (e->kind == IX_CAST);
    for (int i = 0; i < e->n; i++) {
        /* made in the branch, it has another value than what is known before that says */
        bool own = mentions_set(e->arg[i], side);
        if (own || !in_range(w, e->var, i, e->arg[i]))
            return TOO_MUCH;
    }
    return sum + 2;
}

/* Takes a branch apart; false: there is more in it than cheap sets and a store at the end. */
static bool
read_side(Walk *w, IrBlock *b, Side *side, int *total)
{
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == IS_STORE && !s->next)
            side->store = s;
        else if (s->kind == IS_SET && side->n < MAX_SETS)
            side->set[side->n++] = s;
        else
            return false;
    }
    for (int i = 0; i < side->n; i++)
        *total += 1 + cost(w, side->set[i]->e, side);
    if (side->store)
        *total += cost(w, side->store->e, side);
    return *total <= MAX_COST;
}

/* Both sides store to one element, which neither moves; or none stores. */
static bool
same_store(const Side *a, const Side *b)
{
    if (!a->store || !b->store)
        return !a->store && !b->store;
    if (a->store->var != b->store->var)
        return false;
    for (int i = 0; i < a->store->n_idx; i++) {
        IrExpr *x = a->store->idx[i];
        if (!ir_expr_equal(x, b->store->idx[i]) || mentions_set(x, a) || mentions_set(x, b))
            return false;
    }
    return true;
}

/* ---- the new statements ---------------------------------------------------------------------- */

typedef struct Maker {
    Walk *w;
    IrBlock *b;
    IrStmt *where; /* they go before it */
} Maker;

static void
put_set(Maker *m, IrVar *v, IrExpr *e)
{
    IrStmt *s = ir_stmt(m->w->cx, IS_SET, m->where->at);
    s->var = v;
    s->e = e;
    ir_insert_before(m->b, m->where, s);
}

typedef struct Subst {
    Cx *cx;
    const Map *value;
} Subst;

static bool
use_value(IrExpr **e, void *arg)
{
    const Subst *u = arg;
    IrExpr *v = (*e)->kind == IX_VAR ? map_get(u->value, (*e)->var) : NULL;
    if (v)
        *e = ir_copy_expr(u->cx, v);
    return !v;
}

static IrExpr *
at_end(Maker *m, Side *side, const IrExpr *e)
{
    IrExpr *c = ir_copy_expr(m->w->cx, e);
    Subst u = {m->w->cx, &side->value};
    ir_walk_expr(&c, use_value, &u);
    return c;
}

static bool
is_leaf(const IrExpr *e)
{
    return e->n == 0;
}

/* The values of a side: under fresh names where a later set needs them too. */
static void
put_side(Maker *m, Side *side)
{
    for (int i = 0; i < side->n; i++) {
        IrVar *v = side->set[i]->var;
        IrExpr *e = at_end(m, side, side->set[i]->e);
        if (i + 1 < side->n && !is_leaf(e)) {
            IrVar *t = ir_var(m->w->f, v->name, (DType)v->dtype);
            put_set(m, t, e);
            e = ir_use(m->w->cx, t);
        }
        map_put(&m->w->cx->arena, &side->value, v, e);
    }
}

static IrExpr *
value_at_end(Maker *m, Side *side, IrVar *v)
{
    IrExpr *e = map_get(&side->value, v);
    return ir_copy_expr(m->w->cx, e ? e : ir_use(m->w->cx, v));
}

static void
put_selects(Maker *m, IrExpr *cond, Side *a, Side *b)
{
    Cx *cx = m->w->cx;
    Side *side[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < side[k]->n; i++) {
            IrVar *v = side[k]->set[i]->var;
            bool done = k == 1 && sets(a, v);
            for (int j = 0; j < i; j++)
                done |= side[k]->set[j]->var == v;
            if (!done)
                put_set(m, v,
                        ir_op(cx, OP_select, ir_copy_expr(cx, cond), value_at_end(m, a, v),
                              value_at_end(m, b, v)));
        }
    }
}

/* With more than one select or a store, what they read must not be what an earlier one has set. */
static void
freeze_values(Maker *m, Side *side)
{
    for (int i = 0; i < side->n; i++) {
        IrVar *v = side->set[i]->var;
        IrExpr *e = map_get(&side->value, v);
        if (e->kind == IX_CONST)
            continue;
        IrVar *t = ir_var(m->w->f, v->name, (DType)v->dtype);
        put_set(m, t, ir_copy_expr(m->w->cx, e));
        map_put(&m->w->cx->arena, &side->value, v, ir_use(m->w->cx, t));
    }
}

static void
put_store(Maker *m, IrExpr *cond, Side *a, Side *b)
{
    Cx *cx = m->w->cx;
    IrStmt *s = a->store;
    if (!s)
        return;
    IrExpr *x = at_end(m, a, s->e), *y = at_end(m, b, b->store->e);
    IrStmt *n = ir_stmt(cx, IS_STORE, s->at);
    n->var = s->var;
    n->idx = s->idx;
    n->n_idx = s->n_idx;
    n->e = ir_op(cx, OP_select, ir_copy_expr(cx, cond), x, y);
    ir_insert_before(m->b, m->where, n);
}

static IrExpr *
freeze_cond(Maker *m, IrExpr *e)
{
    IrVar *t = ir_var(m->w->f, "c", DT_bool);
    put_set(m, t, e);
    return ir_use(m->w->cx, t);
}

/* ---- rare checks behind a test that they are no part of -------------------------------------- */

/* if v == c [cold]: nothing but checks */
static bool
is_rare_check(const IrStmt *s)
{
    if (s->kind != IS_IF || !s->cold || s->els.first || s->e->kind != IX_OP || s->e->op != OP_eq ||
        s->e->arg[0]->kind != IX_VAR || s->e->arg[1]->kind != IX_CONST ||
        s->e->arg[0]->dtype != DT_i64)
        return false;
    for (const IrStmt *t = s->body.first; t; t = t->next)
        if (t->kind != IS_CHECK)
            return false;
    return true;
}

/* Where e is true, is v above c? */
static bool
excludes(const IrExpr *e, const IrVar *v, int64_t c)
{
    int64_t low;
    if (e->kind != IX_OP)
        return false;
    if (e->op == OP_and)
        return excludes(e->arg[0], v, c) || excludes(e->arg[1], v, c);
    bool right = e->op == OP_le || e->op == OP_lt; /* low <= v */
    if (!right && e->op != OP_ge && e->op != OP_gt)
        return false;
    const IrExpr *x = e->arg[right], *y = e->arg[!right];
    return ir_is_var(x, v) && ir_is_const(y, &low) && low > c;
}

/* int(x) has failed where it is the smallest integer. `if 0 <= k and k < n` behind it is false
 * then, so that the usual case needs one test less when the check moves to the other side. */
static void
sink_check(IrBlock *b, IrStmt *s)
{
    IrStmt *check = s->prev;
    int64_t c;
    if (s->cold || !check || !is_rare_check(check) || !ir_is_const(check->e->arg[1], &c) ||
        !excludes(s->e, check->e->arg[0]->var, c))
        return;
    ir_remove(b, check);
    ir_insert_before(&s->els, s->els.first, check);
}

/* ---- steps that hang on data ----------------------------------------------------------------- */

/* `while i < j: if a[i] + a[j] < t: i += 1 else: j -= 1`: what is read next hangs on what has been
 * read. Behind a branch that is foretold it is read at once; behind a choice it waits for all that
 * was read before. (A binary search's branches can't be foretold: what it goes on with is no step
 * from where it was.) */
typedef struct Steps {
    IrStmt *loop;
    const IrVar *var;
    bool indexes, other; /* var is in an index of a load; it is set to something else in the loop */
} Steps;

static bool
is_step(const IrStmt *s)
{
    int64_t by;
    bool sum = s->kind == IS_SET && s->e->kind == IX_OP && s->e->dtype == DT_i64 &&
               (s->e->op == OP_add || s->e->op == OP_sub);
    return sum && ir_is_var(s->e->arg[0], s->var) && ir_is_const(s->e->arg[1], &by);
}

static bool
see_index(IrExpr **e, void *arg)
{
    Steps *t = arg;
    for (int i = 0; (*e)->kind == IX_LOAD && i < (*e)->n; i++)
        t->indexes |= ir_mentions((*e)->arg[i], t->var) > 0;
    return true;
}

static void
see_use(IrBlock *b, IrStmt *s, void *arg)
{
    Steps *t = arg;
    (void)b;
    ir_walk_stmt_exprs(s, see_index, t);
    t->other |= s->kind == IS_SET && s->var == t->var && !is_step(s);
}

static bool
steps_by_data(IrStmt *loop, const IrBlock *b)
{
    for (IrStmt *s = b->first; s; s = s->next) {
        Steps t = {loop, s->var, false, false};
        if (s->kind == IS_IF && (steps_by_data(loop, &s->body) || steps_by_data(loop, &s->els)))
            return true;
        if (!is_step(s))
            continue;
        ir_walk_block(&loop->pre, see_use, &t);
        ir_walk_block(&loop->body, see_use, &t);
        if (t.indexes && !t.other)
            return true;
    }
    return false;
}

/* Notes the ifs of a while, outside of loops in it, that such steps stand in. */
static void
find_steps(Walk *w, IrStmt *loop, IrBlock *b)
{
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind != IS_IF)
            continue;
        if (steps_by_data(loop, &s->body) || steps_by_data(loop, &s->els))
            map_put(&w->cx->arena, w->arg, s, s);
        find_steps(w, loop, &s->body);
        find_steps(w, loop, &s->els);
    }
}

static void
see_while(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    if (s->kind == IS_WHILE && !s->cold)
        find_steps(arg, s, &s->body);
}

static void
convert(Walk *w, IrBlock *b, IrStmt *s)
{
    Side yes = {0}, no = {0};
    int total = 0;
    if (map_get(w->arg, s))
        return;
    if (s->cold || s->cold_else || !read_side(w, &s->body, &yes, &total) ||
        !read_side(w, &s->els, &no, &total) || !same_store(&yes, &no) ||
        (yes.n == 0 && no.n == 0 && !yes.store)) {
        sink_check(b, s);
        return;
    }
    Maker m = {w, b, s};
    IrExpr *cond = s->e;
    bool many = yes.n + no.n + (yes.store != NULL) > 1;
    if (many && (!is_leaf(cond) || mentions_set(cond, &yes) || mentions_set(cond, &no)))
        cond = freeze_cond(&m, cond);
    put_side(&m, &yes);
    put_side(&m, &no);
    if (many) {
        freeze_values(&m, &yes);
        freeze_values(&m, &no);
    }
    put_store(&m, cond, &yes, &no); /* its values are made of the variables before the selects */
    put_selects(&m, cond, &yes, &no);
    ir_remove(b, s);
}

/* ---- continue -------------------------------------------------------------------------------- */

static bool
ends(const IrBlock *b)
{
    return b->last && b->last->kind == IS_CONTINUE;
}

/* `if c { a; continue }; rest` is `if c { a } else { rest }`. b ends where the loop's body does. */
static void
drop_continues(IrBlock *b, int left)
{
    if (ends(b))
        ir_remove(b, b->last);
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind != IS_IF || s->cold || s->cold_else || !left)
            continue;
        if (s->next && ends(&s->body) == ends(&s->els))
            continue;
        IrBlock *rest = ends(&s->body) ? &s->els : &s->body;
        while (s->next) {
            IrStmt *t = s->next;
            ir_remove(b, t);
            ir_insert_before(rest, NULL, t);
        }
        drop_continues(&s->body, left - 1);
        drop_continues(&s->els, left - 1);
    }
}

static void
see_loop(IrBlock *b, IrStmt *s, void *arg)
{
    enum { DEEP = 16 };
    (void)b;
    (void)arg;
    if (s->kind == IS_LOOP && !s->cold && s->loop != LOOP_GRID && s->loop != LOOP_BLOCK)
        drop_continues(&s->body, DEEP);
}

void
pass_ifconv(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        Map steps = {0};
        Walk w = {.branch = convert, .cx = p->cx, .arg = &steps};
        ir_walk_block(&p->mod->funcs.at[i]->body, see_loop, NULL);
        ir_walk_block(&p->mod->funcs.at[i]->body, see_while, &w);
        walk_func(&w, p->mod->funcs.at[i]);
    }
}
