/* SPDX-License-Identifier: BSD-3-Clause
 * A test before L that an index is another one in each iteration of it. For a sum of L's variable
 * and what L does not change, divided, taken modulo something or rounded from a product, a few
 * comparisons tell that. Of any other index each value is compared with the one before, if it rises
 * or falls far enough at all, and if the loop does not end with an error before: the test never
 * takes longer than the loop may. */
#include "pass/parallel/par.h"

enum { MOST_SLOPE = 4096 };
/* products of what is nearer and slopes don't overflow */
static const int64_t FAR = (int64_t)1 << 47;

typedef struct Distinct {
    IrBuilder *b;
    Cx *cx;
    const ParLoop *l;
    int64_t step;
    IrExpr *trips, *last; /* L's variable in the last iteration */
    IrExpr *all;          /* what has to hold */
} Distinct;

static void
need(Distinct *d, IrExpr *e)
{
    d->all = d->all ? ir_op(d->cx, OP_and, d->all, e) : e;
}

static IrExpr *
num(Distinct *d, int64_t k)
{
    return ir_int(d->cx, DT_i64, k);
}

static IrExpr *
copy(Distinct *d, const IrExpr *e)
{
    return ir_copy_expr(d->cx, e);
}

typedef struct Swap {
    const IrVar *var;
    IrExpr *is;
} Swap;

static bool
swap_var(IrExpr **e, void *arg)
{
    const Swap *s = arg;
    bool here = ir_is_var(*e, s->var);
    if (here)
        *e = s->is;
    return !here;
}

static IrExpr *
in_iteration(Distinct *d, const IrExpr *e, IrExpr *v)
{
    Swap s = {d->l->s->var, v};
    IrExpr *x = copy(d, e);
    ir_walk_expr(&x, swap_var, &s);
    return x;
}

static IrExpr *
at_first(Distinct *d, const IrExpr *e)
{
    return in_iteration(d, e, copy(d, d->l->s->idx[0]));
}

static IrExpr *
at_last(Distinct *d, const IrExpr *e)
{
    return in_iteration(d, e, copy(d, d->last));
}

static bool
varies(const Distinct *d, const IrExpr *e)
{
    bool v = e->var && e->var == d->l->s->var;
    for (int i = 0; !v && i < e->n; i++)
        v = varies(d, e->arg[i]);
    return v;
}

/* ---- what a few comparisons tell --------------------------------------------------------- */

/* How much more x is in each iteration than in the one before; 0: not known. */
static int64_t
slope(const Distinct *d, const IrExpr *x)
{
    IrAffine a;
    int64_t s = 0;
    if (x->dtype != DT_i64 || !ir_affine(x, &a))
        return 0;
    for (int i = 0; i < a.n; i++) {
        bool v = ir_is_var(a.t[i].term, d->l->s->var);
        if ((v && (a.t[i].coef < -MOST_SLOPE || a.t[i].coef > MOST_SLOPE)) ||
            (!v && varies(d, a.t[i].term)))
            return 0;
        s = v ? a.t[i].coef * d->step : s;
    }
    return s >= -MOST_SLOPE && s <= MOST_SLOPE ? s : 0;
}

/* x does not overflow on its way: it would come out on the other side. */
static void
need_order(Distinct *d, const IrExpr *x, int64_t slope)
{
    need(d, ir_op(d->cx, slope > 0 ? OP_ge : OP_le, at_last(d, x), at_first(d, x)));
}

/* x modulo k: as many iterations as it has residues. */
static bool
by_modulus(Distinct *d, const IrExpr *x, IrExpr *k)
{
    int64_t s = slope(d, x);
    if (!s || varies(d, k))
        return false;
    need(d, ir_op(d->cx, OP_ge, copy(d, k), num(d, 1)));
    need_order(d, x, s);
    if (s != 1 && s != -1) {
        IrExpr *both = ir_op(d->cx, OP_gcd, num(d, s < 0 ? -s : s), copy(d, k));
        k = ir_op(d->cx, OP_floordiv, copy(d, k), ir_op(d->cx, OP_max, both, num(d, 1)));
    }
    need(d, ir_op(d->cx, OP_le, copy(d, d->trips), copy(d, k)));
    return true;
}

static bool
by_bits(Distinct *d, const IrExpr *e)
{
    bool right = varies(d, e->arg[1]);
    int64_t s = slope(d, e->arg[right]);
    if (!s || varies(d, e->arg[!right]))
        return false;
    need_order(d, e->arg[right], s);
    return true;
}

static bool
by_quotient(Distinct *d, const IrExpr *x, IrExpr *k)
{
    int64_t s = slope(d, x);
    if (!s || varies(d, k))
        return false;
    need_order(d, x, s);
    need(d, ir_op(d->cx, OP_ge, copy(d, k), num(d, 1)));
    need(d, ir_op(d->cx, OP_le, copy(d, k), num(d, s < 0 ? -s : s)));
    return true;
}

/* int(v * z), z >= 1, and int(v / z), z <= 1: from one iteration to the next the exact value grows
 * by 1 at least, and what it is rounded to, below 2 ** 53, by one integer. */
static bool
by_rounding(Distinct *d, const IrExpr *y)
{
    while (y->kind == IX_OP && (y->op == OP_floor || y->op == OP_trunc))
        y = y->arg[0];
    if (y->kind != IX_OP || y->dtype != DT_f64 || (y->op != OP_mul && y->op != OP_div) ||
        d->cx->opt->fastmath || y->flags & IXF_FAST)
        return false;
    bool right = y->op == OP_mul && varies(d, y->arg[1]);
    const IrExpr *x = y->arg[right], *z = y->arg[!right];
    if (x->kind != IX_CAST || slope(d, x->arg[0]) <= 0 || varies(d, z))
        return false;
    IrExpr *one = ir_float(d->cx, DT_f64, 1.0);
    need(d, ir_op(d->cx, OP_ge, at_first(d, x->arg[0]), num(d, 0)));
    need(d, ir_op(d->cx, OP_ge, at_last(d, x->arg[0]), at_first(d, x->arg[0])));
    need(d, ir_op(d->cx, y->op == OP_mul ? OP_ge : OP_le, copy(d, z), one));
    if (y->op == OP_div)
        need(d, ir_op(d->cx, OP_gt, copy(d, z), ir_float(d->cx, DT_f64, 0.0)));
    need(d, ir_op(d->cx, OP_lt, at_last(d, y), ir_float(d->cx, DT_f64, 0x1p53)));
    return true;
}

static bool
is_sum(const IrExpr *e)
{
    return e->kind == IX_OP && (e->op == OP_add || e->op == OP_sub) && e->dtype == DT_i64;
}

/* What varies of a sum. */
static const IrExpr *
varying(const Distinct *d, const IrExpr *e)
{
    while (is_sum(e) && varies(d, e->arg[0]) != varies(d, e->arg[1]))
        e = e->arg[varies(d, e->arg[1])];
    return e;
}

/* Its sign is that of its first and last values, if these have one. */
static bool
is_monotone(const Distinct *d, const IrExpr *e)
{
    e = varying(d, e);
    return slope(d, e) ||
           (e->kind == IX_OP && (e->op == OP_floordiv || e->op == OP_shr || e->op == OP_toint));
}

static bool
need_positive(Distinct *d, const IrExpr *e)
{
    int64_t k;
    if (is_monotone(d, e)) {
        need(d, ir_op(d->cx, OP_ge, at_first(d, e), num(d, 0)));
        need(d, ir_op(d->cx, OP_ge, at_last(d, e), num(d, 0)));
        return true;
    }
    bool sum = is_sum(e) && e->op == OP_add, bits = e->kind == IX_OP && e->op == OP_xor;
    if ((sum || bits) && varies(d, e->arg[0]) != varies(d, e->arg[1])) {
        bool right = varies(d, e->arg[1]);
        IrExpr *rest = e->arg[!right];
        need(d, ir_op(d->cx, OP_ge, copy(d, rest), num(d, 0)));
        need(d, ir_op(d->cx, OP_lt, copy(d, rest), num(d, FAR)));
        return need_positive(d, e->arg[right]);
    }
    if (e->kind == IX_OP && e->op == OP_mod) { /* less than the modulus */
        need(d, ir_op(d->cx, OP_lt, copy(d, e->arg[1]), num(d, FAR)));
        return true;
    }
    return e->kind == IX_OP && e->op == OP_and && ir_is_const(e->arg[1], &k) && k >= 0;
}

/* False: they don't tell. */
static bool
few_tell(Distinct *d, const IrExpr *e)
{
    int64_t s, k;
    if (e->kind == IX_OP && e->op == OP_wrap)
        return !varies(d, e->arg[1]) && few_tell(d, e->arg[0]) && need_positive(d, e->arg[0]);
    e = varying(d, e);
    if ((s = slope(d, e))) {
        need_order(d, e, s);
        return true;
    }
    if (e->kind != IX_OP || e->dtype != DT_i64)
        return false;
    switch (e->op) {
    case OP_mod:
        return by_modulus(d, e->arg[0], e->arg[1]);
    case OP_floordiv:
        return by_quotient(d, e->arg[0], e->arg[1]);
    case OP_shr:
        return ir_is_const(e->arg[1], &k) && k >= 0 && k <= 12 &&
               by_quotient(d, e->arg[0], num(d, (int64_t)1 << k));
    case OP_and:
        return ir_is_const(e->arg[1], &k) && k > 0 && (k & (k + 1)) == 0 && k < FAR &&
               by_modulus(d, e->arg[0], num(d, k + 1));
    case OP_xor:
        return by_bits(d, e);
    case OP_toint:
        return by_rounding(d, e->arg[0]);
    default:
        return false;
    }
}

/* ---- one by one ------------------------------------------------------------------------------ */

static IrVar *
all_of(IrBuilder *b, const char *name, IrExpr *start)
{
    IrVar *v = ir_var(b->f, name, DT_bool);
    ir_set(b, v, start);
    return v;
}

static void
set_and(IrBuilder *b, IrVar *v, IrExpr *e)
{
    ir_set(b, v, ir_op(b->cx, OP_and, ir_use(b->cx, v), e));
}

/* Compares what e is in each iteration with what it is in the one before. */
static void
compare_all(Distinct *d, const IrExpr *e, IrVar *rises, IrVar *falls)
{
    Cx *cx = d->cx;
    IrBuilder *b = d->b;
    const IrStmt *s = d->l->s;
    IrVar *v = ir_var(b->f, s->var->name, DT_i64);
    IrExpr *second = ir_op(cx, OP_add, copy(d, s->idx[0]), num(d, d->step));
    IrStmt *loop = ir_loop(b, LOOP_SEQ, v, second, copy(d, s->idx[1]), d->step);
    loop->independent = true;
    loop->n_reds = 2;
    loop->reds = NEW_N(&cx->arena, IrReduce, 2);
    loop->reds[0] = (IrReduce){.var = rises, .op = OP_and};
    loop->reds[1] = (IrReduce){.var = falls, .op = OP_and};
    IrBlock *save = b->at;
    b->at = &loop->body;
    IrExpr *was = ir_op(cx, OP_sub, ir_use(cx, v), num(d, d->step));
    IrExpr *x = ir_named(b, "next", in_iteration(d, e, ir_use(cx, v)));
    IrExpr *y = ir_named(b, "last", in_iteration(d, e, was));
    set_and(b, rises, ir_op(cx, OP_gt, x, y));
    set_and(b, falls, ir_op(cx, OP_lt, copy(d, x), copy(d, y)));
    b->at = save;
}

static IrExpr *
in_range(Distinct *d, IrExpr *e, const ParNeed *n)
{
    IrExpr *low =
        ir_op(d->cx, OP_ge, ir_op(d->cx, OP_add, e, ir_dim(d->cx, n->x, n->axis)), num(d, 0));
    return ir_op(d->cx, OP_and, low, ir_op(d->cx, OP_lt, copy(d, e), ir_dim(d->cx, n->x, n->axis)));
}

/* Unless `enough` holds already. */
static IrExpr *
one_by_one(Distinct *d, const ParNeed *n, IrExpr *enough)
{
    Cx *cx = d->cx;
    IrBuilder *b = d->b;
    IrExpr *from = ir_named(b, "from", at_first(d, n->distinct)),
           *to = ir_named(b, "to", at_last(d, n->distinct));
    IrExpr *way = ir_op(cx, OP_abs, ir_op(cx, OP_sub, copy(d, to), copy(d, from)));
    IrExpr *may = ir_op(cx, OP_ge, way, ir_op(cx, OP_sub, copy(d, d->trips), num(d, 1)));
    /* else it fails */
    may = ir_op(cx, OP_and, may, ir_op(cx, OP_and, in_range(d, from, n), in_range(d, to, n)));
    IrVar *found = enough ? all_of(b, "found", enough) : NULL;
    if (found)
        may = ir_op(cx, OP_and, may, ir_op(cx, OP_inv, ir_use(cx, found)));
    IrVar *rises = all_of(b, "rises", may), *falls = all_of(b, "falls", ir_use(cx, rises));
    IrStmt *s = ir_if(b, ir_use(cx, rises));
    IrBlock *save = b->at;
    b->at = &s->body;
    compare_all(d, n->distinct, rises, falls);
    b->at = save;
    IrExpr *steady = ir_op(cx, OP_or, ir_use(cx, rises), ir_use(cx, falls));
    return found ? ir_op(cx, OP_or, ir_use(cx, found), steady) : steady;
}

/* L's variable in the last iteration, and how many there are. */
static IrExpr *
count(Distinct *d)
{
    const IrStmt *s = d->l->s;
    IrExpr *lo = copy(d, s->idx[0]), *hi = copy(d, s->idx[1]);
    IrExpr *near = NULL;
    for (int i = 0; i < 2; i++) {
        IrExpr *low = ir_op(d->cx, OP_ge, copy(d, s->idx[i]), num(d, -FAR));
        IrExpr *e = ir_op(d->cx, OP_and, low, ir_op(d->cx, OP_le, copy(d, s->idx[i]), num(d, FAR)));
        near = near ? ir_op(d->cx, OP_and, near, e) : e;
    }
    IrExpr *way = ir_op(d->cx, OP_sub, ir_op(d->cx, OP_sub, hi, num(d, d->step > 0 ? 1 : -1)), lo);
    IrExpr *n = ir_named(d->b, "turns", ir_op(d->cx, OP_floordiv, way, num(d, d->step)));
    d->trips = ir_op(d->cx, OP_add, n, num(d, 1));
    d->last =
        ir_op(d->cx, OP_add, copy(d, s->idx[0]), ir_op(d->cx, OP_mul, copy(d, n), num(d, d->step)));
    return near;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* That the block of one iteration ends before that of the next begins, and none begins before the
 * last one has: what lies between in order, empty ones or not, never meets. */
static void
compare_blocks(Distinct *d, const ParBlock *k, IrVar *apart)
{
    Cx *cx = d->cx;
    IrBuilder *b = d->b;
    const IrStmt *s = d->l->s;
    IrVar *v = ir_var(b->f, s->var->name, DT_i64);
    IrStmt *loop = ir_loop(b, LOOP_SEQ, v, copy(d, s->idx[0]), copy(d, s->idx[1]), d->step);
    loop->independent = true;
    loop->n_reds = 1;
    loop->reds = NEW_N(&cx->arena, IrReduce, 1);
    loop->reds[0] = (IrReduce){.var = apart, .op = OP_and};
    IrBlock *save = b->at;
    b->at = &loop->body;
    for (int i = 0; i < k->n_parts; i++) {
        IrExpr *x = ir_named(b, "part", in_iteration(d, k->part[i], ir_use(cx, v)));
        IrExpr *low = ir_op(cx, OP_ge, x, num(d, -FAR));
        set_and(b, apart, ir_op(cx, OP_and, low, ir_op(cx, OP_le, copy(d, x), num(d, FAR))));
    }
    for (int i = 0; i < k->n_wraps; i++)
        set_and(b, apart, ir_op(cx, OP_ge, in_iteration(d, k->wrap[i], ir_use(cx, v)), num(d, 0)));
    /* the next in memory: the last iteration is compared with itself, and has none */
    bool down = d->step < 0;
    IrExpr *near = ir_op(cx, OP_add, ir_use(cx, v), num(d, d->step));
    IrExpr *next = ir_named(b, "next", ir_op(cx, down ? OP_max : OP_min, near, copy(d, d->last)));
    IrExpr *low = down ? next : ir_use(cx, v), *high = down ? ir_use(cx, v) : copy(d, next);
    IrExpr *first = ir_named(b, "first", in_iteration(d, k->first, copy(d, high)));
    IrExpr *ends = ir_op(cx, OP_le, in_iteration(d, k->end, copy(d, low)), first);
    IrExpr *none = ir_op(cx, OP_eq, copy(d, low), copy(d, high));
    set_and(b, apart, ir_op(cx, OP_or, ends, none));
    IrExpr *before = in_iteration(d, k->first, copy(d, low));
    set_and(b, apart, ir_op(cx, OP_le, before, copy(d, first)));
    b->at = save;
}

/* Where there aren't many more of them than elements, which the loop goes through. */
static IrExpr *
blocks_apart(Distinct *d, const ParNeed *n, IrExpr *near)
{
    enum { SHORT = 4096 };
    Cx *cx = d->cx;
    IrExpr *most = ir_op(cx, OP_add, ir_dim(cx, n->x, n->axis), num(d, SHORT));
    IrExpr *few = ir_op(cx, OP_le, copy(d, d->trips), most);
    IrVar *apart = all_of(d->b, "apart", ir_op(cx, OP_and, near, few));
    IrStmt *s = ir_if(d->b, ir_use(cx, apart));
    IrBlock *save = d->b->at;
    d->b->at = &s->body;
    compare_blocks(d, n->block, apart);
    d->b->at = save;
    return ir_use(cx, apart);
}

IrExpr *
par_distinct(IrBuilder *b, const ParLoop *l, const ParNeed *n)
{
    Distinct d = {.b = b, .cx = b->cx, .l = l, .step = 1};
    ir_is_const(l->s->idx[2], &d.step);
    if (d.step > MOST_SLOPE || d.step < -MOST_SLOPE)
        return ir_int(b->cx, DT_bool, 0);
    IrExpr *near = count(&d);
    if (n->block)
        return blocks_apart(&d, n, near);
    bool told = few_tell(&d, n->distinct);
    const IrExpr *e = n->distinct;
    while (e->kind == IX_OP && e->op == OP_wrap)
        e = e->arg[0];
    e = varying(&d, e);
    /* a factor below 1 may do for a short loop */
    bool rounded = e->kind == IX_OP && e->op == OP_toint;
    if (!told || rounded)
        d.all = one_by_one(&d, n, told ? d.all : NULL);
    return ir_op(b->cx, OP_and, near, d.all);
}
