/* SPDX-License-Identifier: BSD-3-Clause
 * Keeps what is known: entries in a stack that blocks cut, killed by assignments. An
 * assignment `i = i + 1` does not kill what is known about i but restates it for the new i. */
#include "ir/search.h"
#include "pass/analysis/know.h"

enum {
    MAX_NODES = 40, /* of an expression kept for a variable */
    MAX_VALUE = 40, /* of all terms of the affine form kept for one, or for a dimension */
    MAX_WEAKER = 8, /* facts compared with a new one */
};

void
know_init(Know *k, IrFunc *f)
{
    *k = (Know){.cx = f->mod->cx, .f = f};
}

KnowMark
know_mark(Know *k)
{
    KnowMark m = {k->at.n, k->trail.n, k->base};
    k->base = k->at.n;
    return m;
}

void
know_cut(Know *k, KnowMark m)
{
    int n = m.trail;
    for (int i = m.trail; i < k->trail.n; i++)
        if (k->trail.at[i] < m.n)
            k->trail.at[n++] = k->trail.at[i];
    k->trail.n = n;
    while (k->at.n > m.n) {
        know_unindex(k, k->at.n - 1);
        k->at.n--;
    }
    k->base = m.base;
}

int *
know_undo_kills(Know *k, KnowMark m, int *n)
{
    *n = k->trail.n - m.trail;
    int *list = NEW_N(&k->cx->arena, int, *n + 1);
    for (int i = 0; i < *n; i++)
        list[i] = k->trail.at[m.trail + i];
    for (int i = *n; i-- > 0;)
        k->at.at[list[i]].dead = false;
    know_relink(k, list, *n);
    k->trail.n = m.trail;
    return list;
}

static void
kill_at(Know *k, int i)
{
    if (k->at.at[i].dead)
        return;
    know_unlink(k, i);
    k->at.at[i].dead = true;
    VEC_PUSH(&k->cx->arena, k->trail, i);
}

void
know_redo_kills(Know *k, const int *list, int n)
{
    for (int i = 0; i < n; i++)
        kill_at(k, list[i]);
}

/* Memory that may change: constant arrays don't. */
static bool
reads_memory(const IrExpr *e)
{
    if (e->kind == IX_LOAD && !e->var->range)
        return true;
    for (int i = 0; i < e->n; i++)
        if (reads_memory(e->arg[i]))
            return true;
    return false;
}

static void
push(Know *k, Known x)
{
    for (int i = 0; i < x.a.n; i++)
        x.loads |= reads_memory(x.a.t[i].term);
    if (x.e)
        x.loads |= reads_memory(x.e);
    x.uses = NULL;
    x.stamp = 0;
    x.dead = false;
    VEC_PUSH(&k->cx->arena, k->at, x);
    know_index(k);
}

/* ---- affine forms with what is known put in -------------------------------------------------- */

static const Known *
lookup(const Know *k, KnownKind kind, const IrVar *v, int axis)
{
    for (const KnownUse *u = know_defs(k, v); u; u = u->next) {
        const Known *x = &k->at.at[u->entry];
        if (x->kind == kind && x->axis == axis)
            return x;
    }
    return NULL;
}

static int
factors(IrExpr *e, IrExpr **out, int n, int max)
{
    if (e->kind == IX_OP && e->op == OP_mul) {
        n = factors(e->arg[0], out, n, max);
        return n < 0 ? n : factors(e->arg[1], out, n, max);
    }
    if (n < 0 || n == max)
        return -1;
    out[n] = e;
    return n + 1;
}

static int
compare_factors(const IrExpr *a, const IrExpr *b)
{
    int x = a->var ? a->var->id : 1 << 30, y = b->var ? b->var->id : 1 << 30;
    if (a->kind != b->kind)
        return (int)a->kind - (int)b->kind;
    return x != y ? x - y : (int)a->axis - (int)b->axis;
}

/* A product in one order of factors, so that i*n and n*i are one term. */
static IrExpr *
product(Cx *cx, IrExpr *a, IrExpr *b)
{
    IrExpr *f[6];
    IrExpr *both[2] = {a, b};
    int n = factors(a, f, 0, 6);
    n = factors(b, f, n, 6);
    if (n < 0)
        return ir_raw_op(cx, OP_mul, both);
    for (int i = 1; i < n; i++) {
        for (int j = i; j > 0 && compare_factors(f[j - 1], f[j]) > 0; j--) {
            IrExpr *t = f[j];
            f[j] = f[j - 1];
            f[j - 1] = t;
        }
    }
    IrExpr *r = f[0];
    for (int i = 1; i < n; i++) {
        IrExpr *two[2] = {r, f[i]};
        r = ir_raw_op(cx, OP_mul, two);
    }
    return r;
}

static IrExpr *multiply(Cx *cx, IrExpr *a, IrExpr *b);

/* (a + b) * c as a*c + b*c, (a * 3) * c as a*c * 3; NULL when a is no such thing */
static IrExpr *
distribute(Cx *cx, IrExpr *a, IrExpr *c)
{
    if (a->kind != IX_OP)
        return NULL;
    if (a->op == OP_add || a->op == OP_sub)
        return ir_op(cx, (IrOp)a->op, multiply(cx, a->arg[0], c), multiply(cx, a->arg[1], c));
    if (a->op == OP_neg)
        return ir_op(cx, OP_neg, multiply(cx, a->arg[0], c));
    if (a->op == OP_mul && a->arg[1]->kind == IX_CONST)
        return ir_op(cx, OP_mul, multiply(cx, a->arg[0], c), a->arg[1]);
    return NULL;
}

static IrExpr *
multiply(Cx *cx, IrExpr *a, IrExpr *b)
{
    if (a->kind == IX_CONST || b->kind == IX_CONST)
        return ir_op(cx, OP_mul, a, b);
    IrExpr *r = distribute(cx, a, b);
    r = r ? r : distribute(cx, b, a);
    return r ? r : product(cx, a, b);
}

/* Where i is not negative: its form may be no less than zero, and i have wrapped. */
static IrExpr *
subst_wrap(Know *k, IrExpr *i, IrExpr *dim)
{
    IrAffine a;
    bool sure = k->sure, up = false;
    k->sure = true; /* who asks for a form does not look at what that would need */
    if (ir_affine(i, &a))
        up = know_prove(k, &a) && know_fits(k, &a, FITS_ABOVE, FIT_AT_ONCE);
    k->sure = sure;
    return up ? i : ir_op(k->cx, OP_wrap, i, dim);
}

static IrExpr *
subst(Know *k, IrExpr *e)
{
    const Known *x;
    IrExpr *a[3];
    switch (e->kind) {
    case IX_VAR:
        x = e->dtype == DT_i64 ? lookup(k, K_VALUE, e->var, 0) : NULL;
        return x ? ir_affine_expr(k->cx, &x->a) : e;
    case IX_DIM:
        x = lookup(k, K_DIM, e->var, e->axis);
        return x ? ir_affine_expr(k->cx, &x->a) : e;
    case IX_CAST:
        return ir_cast(k->cx, (DType)e->dtype, subst(k, e->arg[0]));
    case IX_OP:
        for (int i = 0; i < e->n; i++)
            a[i] = subst(k, e->arg[i]);
        if (e->op == OP_wrap)
            return subst_wrap(k, a[0], a[1]);
        return e->op == OP_mul && e->dtype == DT_i64 ? multiply(k->cx, a[0], a[1])
                                                     : ir_opv(k->cx, (IrOp)e->op, a);
    default:
        return e;
    }
}

const IrAffine *
know_value(const Know *k, const IrVar *v)
{
    const Known *x = lookup(k, K_VALUE, v, 0);
    return x ? &x->a : NULL;
}

void
know_set_value(Know *k, const IrVar *v, const IrAffine *a)
{
    know_kill(k, v);
    push(k, (Known){.kind = K_VALUE, .var = v, .a = *a});
}

bool
know_affine(Know *k, IrExpr *e, IrAffine *out)
{
    return e->dtype == DT_i64 && ir_affine(subst(k, e), out);
}

/* ---- learning -------------------------------------------------------------------------------- */

/* b = a + c for some c >= 0, so that a >= 0 says no less. */
static bool
no_weaker(const IrAffine *a, const IrAffine *b)
{
    IrAffine d = *b;
    return a->n == b->n && ir_affine_add(&d, a, -1) && d.n == 0 && d.c0 >= 0;
}

/* Nothing new is left out, and what it says better goes: a[0], a[1], a[2] ... each bound the same
 * size. */
void
know_fact(Know *k, const IrAffine *a, bool check, uint64_t needs)
{
    if (!a->n)
        return;
    int tries = MAX_WEAKER;
    const KnownUse *u = know_uses(k, know_some_var(a->t[0].term)), *older;
    for (; u && tries > 0; u = older, tries--) {
        const Known *x = &k->at.at[u->entry];
        older = u->next;
        if (x->kind != K_FACT)
            continue;
        if (x->check <= check && !(x->needs & ~needs) && no_weaker(&x->a, a))
            return;
        if (check <= x->check && !(needs & ~x->needs) && u->entry >= k->base && no_weaker(a, &x->a))
            kill_at(k, u->entry);
    }
    push(k, (Known){.kind = K_FACT, .a = *a, .check = check, .needs = needs});
}

/* e as what it is, wrapped or not, with no look at what it was made from. */
bool
know_itself(Know *k, const IrExpr *e, IrAffine *out)
{
    while (e->kind == IX_VAR) { /* of copies, the first */
        const IrAffine *is = know_value(k, e->var);
        if (!is || is->n != 1 || is->c0 || is->t[0].coef != 1 || is->t[0].term->kind != IX_VAR)
            break;
        e = is->t[0].term;
    }
    *out = (IrAffine){.n = 1, .t = {{e, 1}}};
    return e->kind == IX_VAR && e->dtype == DT_i64;
}

static void
know_difference(Know *k, const IrAffine *y, const IrAffine *x, int64_t gap)
{
    IrAffine f = {.c0 = -gap};
    if (ir_affine_add(&f, y, 1) && ir_affine_add(&f, x, -1))
        know_fact(k, &f, false, k->used);
}

/* x + gap <= y, where gap is 0 or 1. A side of which the form may be another number still is within
 * int64. */
static void
know_less(Know *k, IrExpr *x, IrExpr *y, int64_t gap)
{
    IrAffine a, b, own;
    if (!know_affine(k, y, &a) || !know_affine(k, x, &b))
        return;
    k->used = 0;
    bool a_fits = know_fits(k, &a, FITS_BELOW, FIT_AT_ONCE);
    uint64_t a_needs = k->used;
    k->used = 0;
    bool b_fits = know_fits(k, &b, FITS_ABOVE, FIT_AT_ONCE);
    uint64_t b_needs = k->used;
    if ((!a_fits || a_needs) && b_fits && know_itself(k, y, &own))
        know_difference(k, &own, &b, gap);
    k->used = a_needs;
    if ((!b_fits || b_needs) && a_fits && know_itself(k, x, &own))
        know_difference(k, &a, &own, gap);
    k->used |= b_needs;
    if (!a_fits)
        a = (IrAffine){.c0 = INT64_MAX};
    if (!b_fits)
        b = (IrAffine){.c0 = -INT64_MAX}; /* with the gap */
    if ((a_fits || (b_fits && gap)) && (b_fits || gap))
        know_difference(k, &a, &b, b_fits ? gap : 0);
}

/* x != y says something where one of x <= y, x >= y is known. */
static void
know_unequal(Know *k, IrExpr *x, IrExpr *y)
{
    bool sure = k->sure;
    k->sure = true; /* the fact has no room for what these would need */
    bool above = know_implies_less(k, y, x, 0), below = !above && know_implies_less(k, x, y, 0);
    k->sure = sure;
    if (above)
        know_less(k, y, x, 1);
    else if (below)
        know_less(k, x, y, 1);
}

static void
know_compare(Know *k, IrOp op, IrExpr *x, IrExpr *y, bool truth)
{
    switch (op) {
    case OP_lt:
        truth ? know_less(k, x, y, 1) : know_less(k, y, x, 0);
        break;
    case OP_le:
        truth ? know_less(k, x, y, 0) : know_less(k, y, x, 1);
        break;
    case OP_gt:
        truth ? know_less(k, y, x, 1) : know_less(k, x, y, 0);
        break;
    case OP_ge:
        truth ? know_less(k, y, x, 0) : know_less(k, x, y, 1);
        break;
    case OP_eq:
    case OP_ne:
        if (truth == (op == OP_eq)) {
            know_less(k, x, y, 0);
            know_less(k, y, x, 0);
        } else {
            know_unequal(k, x, y);
        }
        break;
    default:
        break;
    }
}

const IrExpr *
know_expr(const Know *k, const IrVar *v)
{
    const Known *x = lookup(k, K_EXPR, v, 0);
    return x ? x->e : NULL;
}

IrExpr *
know_canonical(Know *k, IrExpr *e)
{
    if (e->dtype == DT_i64 && e->kind != IX_LOAD)
        return subst(k, e);
    if (e->kind == IX_VAR) {
        const IrExpr *x = know_expr(k, e->var);
        return x ? (IrExpr *)x : e;
    }
    if (e->n == 0)
        return e;
    IrExpr *c = arena_dup(&k->cx->arena, e, sizeof *e);
    c->arg = NEW_N(&k->cx->arena, IrExpr *, e->n);
    for (int i = 0; i < e->n; i++)
        c->arg[i] = know_canonical(k, e->arg[i]);
    return c;
}

static int
count_terms(const IrAffine *a)
{
    int n = 0;
    for (int i = 0; i < a->n; i++)
        n += ir_size(a->t[i].term);
    return n;
}

/* e as it is kept: with what is known put in, unless that is large. Sizes that are made of sizes,
 * which are made of sizes, would grow without an end; then it is e as it was written. */
static bool
kept_affine(Know *k, IrExpr *e, IrAffine *out)
{
    if (know_affine(k, e, out) && count_terms(out) <= MAX_VALUE)
        return true;
    return ir_affine(e, out) && count_terms(out) <= MAX_VALUE;
}

static void
know_test(Know *k, IrExpr *e, bool truth)
{
    /* e's variables outlive what they were read from */
    IrExpr *both[2] = {e, know_canonical(k, e)};
    for (int i = ir_expr_equal(e, both[1]); i < 2; i++)
        if (ir_size(both[i]) <= MAX_NODES)
            push(k, (Known){.kind = K_TRUE, .e = both[i], .truth = truth});
}

void
know_cond(Know *k, IrExpr *e, bool truth)
{
    if (e->kind == IX_VAR) {
        const IrExpr *x = know_expr(k, e->var);
        if (x && x->kind != IX_VAR)
            know_cond(k, (IrExpr *)x, truth);
    }
    if (e->kind == IX_VAR)
        know_test(k, e, truth);
    if (e->kind != IX_OP || e->dtype != DT_bool)
        return;
    bool both = truth ? e->op == OP_and : e->op == OP_or;
    if (both && e->arg[0]->dtype == DT_bool) {
        know_cond(k, e->arg[0], truth);
        know_cond(k, e->arg[1], truth);
    } else if (e->op == OP_inv) {
        know_cond(k, e->arg[0], !truth);
    } else if (e->n == 2 && e->arg[0]->dtype == DT_i64) {
        know_compare(k, (IrOp)e->op, e->arg[0], e->arg[1], truth);
    } else {
        know_test(k, e, truth);
    }
}

/* ---- forgetting ------------------------------------------------------------------------------ */

void
know_kill(Know *k, const IrVar *v)
{
    for (const KnownUse *u = know_uses(k, v), *older; u; u = older) {
        older = u->next;
        kill_at(k, u->entry);
    }
}

void
know_kill_loads(Know *k)
{
    for (const KnownUse *u = know_elements(k), *older; u; u = older) {
        older = u->next;
        kill_at(k, u->entry);
    }
}

/* ---- assignments ----------------------------------------------------------------------------- */

static int
find_term(const IrAffine *a, const IrVar *v)
{
    for (int i = 0; i < a->n; i++)
        if (ir_is_var(a->t[i].term, v))
            return i;
    return -1;
}

/* a with v replaced by `with`; false when v hides in another term. */
static bool
replace_var(IrAffine *a, const IrVar *v, const IrAffine *with)
{
    int i = find_term(a, v);
    int64_t coef = i < 0 ? 0 : a->t[i].coef;
    if (i >= 0)
        a->t[i] = a->t[--a->n];
    for (int j = 0; j < a->n; j++)
        if (ir_mentions(a->t[j].term, v))
            return false;
    return ir_affine_add(a, with, coef);
}

/* v = v + rest: each entry about the old v says the same about the new v - rest; of inequalities,
 * those that need this to be small do so where the sum does not wrap. */
static void
restate(Know *k, const IrVar *v, const IrAffine *old, bool fits)
{
    uint64_t needs = k->used;
    KnownSet all = know_mentioning(k, (IrVar *const *)&v, 1);
    for (int i = 0; i < all.n; i++) {
        Known x = k->at.at[all.at[i]];
        kill_at(k, all.at[i]);
        if (x.e || x.var == v || (x.kind == K_FACT && !fits) || !replace_var(&x.a, v, old))
            continue;
        if (x.kind == K_FACT)
            x.needs |= needs;
        push(k, x);
    }
}

static void
note_overflow(Know *k, const IrVar *v)
{
    if (k->overflows)
        k->overflows[v->id / 64] |= (uint64_t)1 << (v->id % 64);
}

/* v = a, where counters are looked at: may a step of it wrap? */
static void
watch_step(Know *k, const IrVar *v, const IrAffine *a)
{
    const IrAffine *old = know_value(k, v);
    bool sure = k->sure;
    k->sure = true;
    if (k->overflows &&
        (!know_fits(k, a, FITS, FIT_AT_ONCE) || (old && !know_fits(k, old, FITS, FIT_AT_ONCE))))
        note_overflow(k, v);
    k->sure = sure;
}

/* A value out of memory: v itself stays the same when memory changes, so no more is kept than
 * the range that its dtype there, or the constant array, gives. */
static void
assign_loaded(Know *k, IrVar *v, const IrAffine *a)
{
    int64_t lo = 0, hi = 0;
    IrAffine f = {.n = 1, .t = {{ir_use(k->cx, v), 1}}};
    bool ranges = know_bounds(k, a, &lo, &hi);
    k->used = 0;
    bool positive = !ranges && know_prove(k, a) && know_fits(k, a, FITS_ABOVE, FIT_AT_ONCE);
    uint64_t needs = k->used;
    know_kill(k, v);
    if (!ranges && !positive)
        return;
    f.c0 = -lo;
    know_fact(k, &f, false, ranges ? 0 : needs);
    f.t[0].coef = -1;
    f.c0 = hi;
    if (ranges)
        know_fact(k, &f, false, 0);
}

/* Not an i64. Of an integer its range stays known when memory changes that it was read from. */
static void
assign_other(Know *k, IrVar *v, IrExpr *e)
{
    int64_t lo, hi;
    IrExpr *c = know_canonical(k, e);
    bool narrows = know_narrows(c, &lo, &hi);
    know_kill(k, v);
    if (!ir_mentions(c, v) && ir_size(c) <= MAX_NODES)
        push(k, (Known){.kind = K_EXPR, .var = v, .e = c});
    if (!narrows)
        return;
    IrAffine f = {.n = 1, .t = {{ir_raw_cast(k->cx, DT_i64, ir_use(k->cx, v)), 1}}};
    f.c0 = -lo;
    know_fact(k, &f, false, 0);
    f.t[0].coef = -1;
    f.c0 = hi;
    know_fact(k, &f, false, 0);
}

void
know_assign(Know *k, IrVar *v, IrExpr *e)
{
    IrAffine a;
    if (v->dtype != DT_i64) {
        assign_other(k, v, e);
        return;
    }
    if (!kept_affine(k, e, &a)) {
        note_overflow(k, v);
        know_kill(k, v);
        return;
    }
    watch_step(k, v, &a);
    int i = find_term(&a, v);
    IrAffine rest = a;
    if (i >= 0)
        rest.t[i] = rest.t[--rest.n];
    bool hidden = false;
    for (int j = 0; j < rest.n; j++)
        hidden |= ir_mentions(rest.t[j].term, v);
    if (i >= 0 && !hidden && a.t[i].coef == 1) {
        IrAffine old = {.n = 1, .t = {{ir_use(k->cx, v), 1}}};
        if (ir_affine_add(&old, &rest, -1)) {
            k->used = 0;
            restate(k, v, &old, know_fits(k, &a, FITS, FIT_AT_ONCE));
            return;
        }
    }
    bool loads = false;
    for (int j = 0; j < a.n; j++)
        loads |= reads_memory(a.t[j].term);
    if (loads) {
        assign_loaded(k, v, &a);
        return;
    }
    bool keep = i < 0 && !hidden && know_nearly_fits(k, &a);
    IrAffine still[MAX_ASKED];
    int n = keep ? 0 : know_passes(k, v, &a, still);
    know_kill(k, v);
    if (keep)
        push(k, (Known){.kind = K_VALUE, .var = v, .a = a});
    for (int j = 0; j < n; j++)
        know_fact(k, &still[j], false, 0);
}

static bool
only_dims(const IrAffine *a)
{
    for (int i = 0; i < a->n; i++)
        if (a->t[i].term->kind != IX_DIM)
            return false;
    return true;
}

void
know_dims(Know *k, IrVar *arr, IrExpr **dims)
{
    IrAffine a[32];
    bool ok[32];
    for (int i = 0; i < arr->ndim; i++) {
        ok[i] = kept_affine(k, dims[i], &a[i]);
        for (int j = 0; ok[i] && j < a[i].n; j++)
            ok[i] = !ir_mentions(a[i].t[j].term, arr);
    }
    know_kill(k, arr);
    for (int i = 0; i < arr->ndim; i++) {
        if (!ok[i])
            continue;
        push(k, (Known){.kind = K_DIM, .var = arr, .axis = i, .a = a[i]});
        k->used = 0;
        if (!know_is_dim(k, &a[i]))
            continue;
        know_fact(k, &a[i], false, k->used);
        IrAffine most = {.c0 = MAX_DIM};
        if (!only_dims(&a[i]) && ir_affine_add(&most, &a[i], -1))
            know_fact(k, &most, false, k->used);
    }
}

void
know_alias(Know *k, IrVar *arr, IrVar *base)
{
    IrExpr *dims[32];
    for (int i = 0; i < arr->ndim; i++)
        dims[i] = ir_dim(k->cx, base, i);
    if (arr != base)
        know_dims(k, arr, dims);
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* How a loop changes each int64 variable, by id. */
enum { GOES_UP = 1, GOES_DOWN = 2, GOES_OTHER = 4 };
typedef struct Ways {
    Know *k;
    const IrStmt *loop;
    const uint64_t *wraps;
    uint8_t *of;
    int n;
    bool any; /* somebody has asked */
} Ways;

static void
note_way(Ways *w, const IrVar *v, int way)
{
    if (v && v->id < w->n)
        w->of[v->id] |= way;
}

static void
see_set(IrBlock *b, IrStmt *s, void *arg)
{
    Ways *w = arg;
    IrAffine a;
    (void)b;
    if (s->kind != IS_SET) {
        if (s->kind == IS_LOOP || s->kind == IS_ATOMIC || ir_does(s, ST_WAITS))
            note_way(w, s->var, GOES_OTHER);
        for (int i = 0; i < s->n_outs; i++)
            note_way(w, s->outs[i].out, GOES_OTHER);
        return;
    }
    bool ok = ir_affine(s->e, &a);
    int i = ok ? find_term(&a, s->var) : -1;
    bool step = i >= 0 && a.n == 1 && a.t[0].coef == 1;
    note_way(w, s->var, !step ? GOES_OTHER : a.c0 > 0 ? GOES_UP : a.c0 < 0 ? GOES_DOWN : 0);
}

/* +1: only ever rises in the loop; -1: only falls; 0: neither is certain. */
static int
direction(Ways *w, const IrVar *v)
{
    if (v->is_array || v->dtype != DT_i64 || (w->loop->kind == IS_LOOP && w->loop->var == v))
        return 0;
    if (w->wraps && ir_in(w->wraps, v))
        return 0;
    w->any = true;
    if (!w->of) {
        w->n = w->k->f->vars.n;
        w->of = NEW_N(&w->k->cx->arena, uint8_t, w->n);
        ir_walk_block((IrBlock *)&w->loop->body, see_set, w);
        ir_walk_block((IrBlock *)&w->loop->pre, see_set, w);
    }
    int way = v->id < w->n ? w->of[v->id] : GOES_OTHER;
    return way == GOES_UP ? 1 : way == GOES_DOWN || way == 0 ? -1 : 0;
}

static bool
expr_changes(const IrExpr *e, const IrEffects *fx)
{
    return !ir_invariant(e, fx);
}

bool
know_same_after(const IrAffine *a, const IrEffects *fx)
{
    for (int i = 0; i < a->n; i++)
        if (expr_changes(a->t[i].term, fx))
            return false;
    return true;
}

/* Does a >= 0 stay true while the loop's counters only move away from what would break it? */
static bool
fact_stays(const IrAffine *a, Ways *ways, const IrEffects *fx)
{
    for (int i = 0; i < a->n; i++) {
        const IrExpr *t = a->t[i].term;
        if (!expr_changes(t, fx))
            continue;
        int d = t->kind == IX_VAR ? direction(ways, t->var) : 0;
        if (d == 0 || (d > 0) != (a->t[i].coef > 0))
            return false;
    }
    return true;
}

static bool
known_changes(const Known *x, const IrEffects *fx)
{
    return (x->var && ir_sets(fx, x->var)) || (x->e && expr_changes(x->e, fx)) ||
           !know_same_after(&x->a, fx);
}

/* v = A before the loop, and v only rises: v >= A in it. */
static void
keep_start(Know *k, const Known *x, Ways *ways, const IrEffects *fx)
{
    int d = x->kind == K_VALUE && know_same_after(&x->a, fx) ? direction(ways, x->var) : 0;
    if (d == 0)
        return;
    IrAffine a = {.n = 1, .t = {{ir_use(k->cx, (IrVar *)x->var), d}}};
    k->used = 0;
    if (ir_affine_add(&a, &x->a, -d) &&
        know_fits(k, &x->a, d > 0 ? FITS_ABOVE : FITS_BELOW, FIT_AT_ONCE))
        know_fact(k, &a, false, k->used);
}

void
know_forget(Know *k, const IrEffects *fx)
{
    KnownSet all = know_touched(k, fx);
    for (int i = 0; i < all.n; i++)
        if (known_changes(&k->at.at[all.at[i]], fx))
            kill_at(k, all.at[i]);
}

bool
know_enter_loop(Know *k, const IrStmt *loop, const IrEffects *fx, const uint64_t *wraps)
{
    Ways ways = {.k = k, .loop = loop, .wraps = wraps};
    KeptSizes kept = know_rotated(k, (IrStmt *)loop, fx);
    KnownSet all = know_touched(k, fx);
    for (int i = 0; i < all.n; i++) {
        Known x = k->at.at[all.at[i]];
        if (!known_changes(&x, fx) || (x.kind == K_FACT && fact_stays(&x.a, &ways, fx)))
            continue;
        kill_at(k, all.at[i]);
        keep_start(k, &x, &ways, fx);
    }
    know_keep_sizes(k, &kept);
    return ways.any;
}
