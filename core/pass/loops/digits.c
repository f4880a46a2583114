/* SPDX-License-Identifier: BSD-3-Clause
 * Loops over the places of an array as one number, whose bodies take it apart again: `for q in
 * range(n * m): i = q // m; j = q % m`. Where m is the same in all iterations, these become a loop
 * over rows and one over what a row has of them,
 *     for i in lo // m .. (hi - 1) // m + 1
 *       for j in max(lo - i * m, 0) .. min(hi - i * m, m)
 * so that nothing is divided in a row, whose elements lie side by side. Rounding down, rows go on
 * below zero, too, but sums are only known not to wrap from 0 on. Of further digits (q // (m * l),
 * q // l % m) those that a row shares stand before it: q // (m * l) is (q // l) // m. The loop as
 * it was runs where rows are short. */
#include "pass/loops/digits.h"

enum { MOST_DIVISORS = 6, MOST_DIGITS = 12 };
/* By a constant a product divides, and what is left of so short a row is no vector. */
enum { SHORTEST_ROW = 8, SHORTEST_TESTED = 3 };

typedef struct Digit { /* a variable that only this sets, before it is used */
    const IrVar *v;
    const IrExpr *e;
    const IrStmt *set;
} Digit;

typedef struct Digits {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    IrStmt *loop;
    IrEffects fx; /* of its body */
    const IrExpr *divisor[MOST_DIVISORS];
    int n;
    Digit digit[MOST_DIGITS];
    int n_digits, seen;      /* so many are set before the statement at hand */
    const IrExpr *row;       /* the divisor whose quotient numbers the rows */
    IrExpr *quotient, *rest; /* what the loop's variable divided by it is now */
} Digits;

static bool
is_op(const IrExpr *e, IrOp op)
{
    return e->kind == IX_OP && e->op == op && e->dtype == DT_i64;
}

static bool
divides(const IrExpr *e)
{
    return is_op(e, OP_floordiv) || is_op(e, OP_mod);
}

/* ---- divisors -------------------------------------------------------------------------------- */

/* What e is, where it is a variable that holds a digit. */
static const IrExpr *
meaning(const Digits *d, const IrExpr *e)
{
    for (int i = 0; e->kind == IX_VAR && i < d->seen; i++)
        if (ir_is_var(e, d->digit[i].v))
            return d->digit[i].e;
    return e;
}

static bool
is_fixed(const Digits *d, const IrExpr *e)
{
    int64_t k;
    if (ir_is_const(e, &k))
        return k > 0;
    return !ir_loads(e) && ir_invariant((IrExpr *)e, &d->fx) && !ir_mentions(e, d->loop->var) &&
           ir_size(e) < 12;
}

/* Digits of the loop's variable: it, divided by what no iteration changes, perhaps again. */
static bool
is_digit(const Digits *d, const IrExpr *e)
{
    e = meaning(d, e);
    while (divides(e) && is_fixed(d, e->arg[1]))
        e = meaning(d, e->arg[0]);
    return ir_is_var(e, d->loop->var);
}

static void
add_divisor(Digits *d, const IrExpr *e)
{
    for (int i = 0; i < d->n; i++)
        if (ir_expr_equal(d->divisor[i], e))
            return;
    if (d->n < MOST_DIVISORS)
        d->divisor[d->n++] = e;
}

static bool
see_expr(IrExpr **at, void *arg)
{
    Digits *d = arg;
    const IrExpr *e = *at;
    if (divides(e) && ir_is_var(meaning(d, e->arg[0]), d->loop->var) && is_fixed(d, e->arg[1]))
        add_divisor(d, e->arg[1]);
    return true;
}

typedef struct Sets {
    const IrVar *v;
    int n;
} Sets;

static void
count_def(IrVar *v, void *arg)
{
    Sets *s = arg;
    s->n += v == s->v;
}

static void
count_sets(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_defs(s, count_def, arg);
}

/* s = whole digit: later uses in the same iteration are that. */
static void
note_digit(Digits *d, const IrStmt *s)
{
    Sets sets = {.v = s->var};
    if (s->kind != IS_SET || d->n_digits == MOST_DIGITS || !is_digit(d, s->e))
        return;
    ir_walk_block(&d->loop->body, count_sets, &sets);
    if (sets.n == 1)
        d->digit[d->n_digits++] = (Digit){s->var, ir_copy_expr(d->cx, s->e), s};
    d->seen = d->n_digits;
}

/* all = row * factor for certain, or where this is tested; *test may be NULL. */
static bool
factor_of(Digits *d, const IrExpr *all, const IrExpr *row, IrExpr **factor, IrExpr **test)
{
    Cx *cx = d->cx;
    int64_t a, b;
    if (ir_is_const(all, &a) && ir_is_const(row, &b)) {
        *factor = ir_int(cx, DT_i64, a / b);
        *test = NULL;
        return a % b == 0;
    }
    for (int i = 0; is_op(all, OP_mul) && i < 2; i++) {
        if (!ir_expr_equal(all->arg[i], row))
            continue;
        *factor = all->arg[1 - i];
        IrExpr *back = ir_op(cx, OP_floordiv, ir_copy_expr(cx, all), ir_copy_expr(cx, row));
        *test =
            ir_op(cx, OP_and, ir_op(cx, OP_ge, ir_copy_expr(cx, *factor), ir_int(cx, DT_i64, 1)),
                  ir_op(cx, OP_eq, back, ir_copy_expr(cx, *factor)));
        return true;
    }
    return false;
}

/* Does the loop never leave the row 0 of so many places? */
static bool
is_one_row(const Digits *d, int64_t row)
{
    int64_t lo, hi;
    return ir_is_const(d->loop->idx[0], &lo) && ir_is_const(d->loop->idx[1], &hi) && lo >= 0 &&
           hi <= row;
}

/* The divisor of which all others are multiples. */
static bool
find_row(Digits *d)
{
    for (int i = 0; i < d->n && !d->row; i++) {
        IrExpr *factor, *test;
        int64_t k;
        bool all = !ir_is_const(d->divisor[i], &k) || (k >= SHORTEST_ROW && !is_one_row(d, k));
        for (int j = 0; all && j < d->n; j++)
            all = j == i || factor_of(d, d->divisor[j], d->divisor[i], &factor, &test);
        d->row = all ? d->divisor[i] : NULL;
    }
    return d->row;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static IrExpr *
copy(Digits *d, const IrExpr *e)
{
    return ir_copy_expr(d->cx, e);
}

/* e in terms of the row and the place in it; NULL: as it is but for what is in it. */
static IrExpr *
by_row(Digits *d, const IrExpr *e)
{
    Cx *cx = d->cx;
    IrExpr *factor, *test;
    if (ir_is_var(e, d->loop->var))
        return ir_op(cx, OP_add, ir_op(cx, OP_mul, copy(d, d->quotient), copy(d, d->row)),
                     copy(d, d->rest));
    if (!divides(e) || !is_fixed(d, e->arg[1]))
        return NULL;
    const IrExpr *x = meaning(d, e->arg[0]), *by = e->arg[1];
    bool mod = e->op == OP_mod;
    if (ir_expr_equal(by, d->row)) {
        if (ir_is_var(x, d->loop->var))
            return copy(d, mod ? d->rest : d->quotient);
        if (!is_op(x, OP_mod) || !ir_is_var(meaning(d, x->arg[0]), d->loop->var) ||
            !is_fixed(d, x->arg[1]) || !factor_of(d, x->arg[1], d->row, &factor, &test))
            return NULL; /* else: a digit of what is left of q % (row * factor) */
        return mod ? copy(d, d->rest) : ir_op(cx, OP_mod, copy(d, d->quotient), copy(d, factor));
    }
    if (!ir_is_var(x, d->loop->var) || !factor_of(d, by, d->row, &factor, &test))
        return NULL;
    IrExpr *high = ir_op(cx, (IrOp)e->op, copy(d, d->quotient), copy(d, factor));
    if (!mod)
        return high;
    return ir_op(cx, OP_add, ir_op(cx, OP_mul, high, copy(d, d->row)), copy(d, d->rest));
}

static bool
put_digits(IrExpr **at, void *arg)
{
    IrExpr *e = by_row(arg, *at);
    if (e)
        *at = e;
    return !e;
}

/* What has to hold before the loop; NULL: nothing. */
static IrExpr *
all_tests(Digits *d)
{
    Cx *cx = d->cx;
    int64_t k;
    IrExpr *all = NULL, *lo = d->loop->idx[0];
    const IrExpr *least = is_op(lo, OP_max) ? lo->arg[1] : lo;
    if (!ir_is_const(d->row, NULL))
        all = ir_op(cx, OP_ge, copy(d, d->row), ir_int(cx, DT_i64, SHORTEST_TESTED));
    if (!ir_is_const(least, &k) || k < 0) {
        IrExpr *low = ir_op(cx, OP_ge, copy(d, lo), ir_int(cx, DT_i64, 0));
        all = all ? ir_op(cx, OP_and, all, low) : low;
    }
    for (int i = 0; i < d->n; i++) {
        IrExpr *factor, *test = NULL;
        if (ir_expr_equal(d->divisor[i], d->row) ||
            !factor_of(d, d->divisor[i], d->row, &factor, &test) || !test)
            continue;
        all = all ? ir_op(cx, OP_and, all, test) : test;
    }
    return all;
}

static IrExpr *
named(Digits *d, IrBlock *b, IrStmt *where, const char *name, const IrExpr *e)
{
    if (ir_is_const(e, NULL))
        return copy(d, e);
    IrStmt *set = ir_stmt(d->cx, IS_SET, d->loop->at);
    set->var = ir_var(d->f, name, DT_i64);
    set->e = copy(d, e);
    ir_insert_before(b, where, set);
    return ir_use(d->cx, set->var);
}

static bool visit_loop(PassCx *p, IrFunc *f, IrBlock *b, IrStmt *s);

/* Puts the loop over rows where the loop is, with the loop, over what a row has of it, inside. */
static void
make_rows(Digits *d, IrBlock *b)
{
    Cx *cx = d->cx;
    IrStmt *s = d->loop, *rows = ir_stmt(cx, IS_LOOP, s->at);
    IrExpr *lo = named(d, b, s, "first", s->idx[0]);
    IrExpr *hi = named(d, b, s, "stop", ir_op(cx, OP_max, s->idx[1], copy(d, lo)));
    IrExpr *one = ir_int(cx, DT_i64, 1);
    rows->loop = LOOP_SEQ;
    rows->var = ir_var(d->f, "row", DT_i64);
    rows->n_idx = 3;
    rows->idx = NEW_N(&cx->arena, IrExpr *, 3);
    rows->idx[0] = ir_op(cx, OP_floordiv, copy(d, lo), copy(d, d->row));
    IrExpr *last = ir_op(cx, OP_sub, copy(d, hi), one);
    last = ir_op(cx, OP_floordiv, last, copy(d, d->row));
    rows->idx[1] = ir_op(cx, OP_add, last, ir_int(cx, DT_i64, 1));
    rows->idx[2] = ir_int(cx, DT_i64, 1);
    ir_insert_before(b, s, rows);
    ir_remove(b, s);
    d->quotient = ir_use(cx, rows->var);
    d->rest = ir_use(cx, ir_var(d->f, "place", DT_i64));
    d->seen = 0;
    for (IrStmt *t = s->body.first; t; t = t->next) {
        ir_walk_exprs_in(t, put_digits, d);
        d->seen += d->seen < d->n_digits && d->digit[d->seen].set == t;
    }
    IrExpr *start = named(d, &rows->body, NULL, "start",
                          ir_op(cx, OP_mul, copy(d, d->quotient), copy(d, d->row)));
    s->idx[0] = ir_op(cx, OP_max, ir_op(cx, OP_sub, lo, start), ir_int(cx, DT_i64, 0));
    s->idx[1] = ir_op(cx, OP_min, ir_op(cx, OP_sub, hi, copy(d, start)), copy(d, d->row));
    s->var = d->rest->var;
    ir_insert_before(&rows->body, NULL, s);
    visit_loop(d->p, d->f, &rows->body, s); /* digits of the place */
}

static bool
rewrite(Digits *d, IrBlock *b)
{
    IrStmt *s = d->loop, *next = s->next;
    IrExpr *test = all_tests(d);
    if (!test) {
        make_rows(d, b);
        return true;
    }
    if (!pass_may_copy(d->p, d->f, s, "digits"))
        return false;
    IrStmt *version = ir_stmt(d->cx, IS_IF, s->at);
    version->e = test;
    version->any_else = true;
    ir_remove(b, s);
    ir_insert_before(b, next, version);
    ir_insert_before(&version->body, NULL, s);
    version->els = ir_clone_block(d->f, &version->body, NULL);
    make_rows(d, &version->body);
    return true;
}

/* ---- which loops ----------------------------------------------------------------------------- */

static bool
is_plain(const Digits *d)
{
    const IrStmt *s = d->loop;
    int64_t step;
    return (s->loop == LOOP_SEQ || s->loop == LOOP_PAR) && !s->cold && !s->threads && !s->sched &&
           !s->few && s->var->dtype == DT_i64 && ir_is_const(s->idx[2], &step) && step == 1 &&
           !d->fx.breaks && !ir_sets(&d->fx, s->var);
}

static bool
visit_loop(PassCx *p, IrFunc *f, IrBlock *b, IrStmt *s)
{
    Digits d = {.p = p, .cx = p->cx, .f = f, .loop = s};
    d.fx = ir_effects(f, &s->body);
    if (!is_plain(&d))
        return false;
    for (IrStmt *t = s->body.first; t; t = t->next) {
        ir_walk_exprs_in(t, see_expr, &d);
        note_digit(&d, t);
    }
    return d.n && find_row(&d) && rewrite(&d, b);
}

static bool
visit(PassCx *p, IrFunc *f, IrBlock *b)
{
    bool any = false;
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        for (int i = 0, n = ir_blocks(s, sub); i < n; i++)
            any |= !ir_is_cold(s, i) && visit(p, f, sub[i]);
        any |= s->kind == IS_LOOP && visit_loop(p, f, b, s);
    }
    return any;
}

void
pass_digits(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = pass_func(p, i);
        const SwOptions *opt = p->cx->opt;
        if (!(opt && (opt->debug || opt->opt_level < 2)) && visit(p, f, &f->body))
            index_split_again(p, f);
    }
}
