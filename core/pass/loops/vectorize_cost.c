/* SPDX-License-Identifier: BSD-3-Clause
 * What a loop costs by lanes and without, in rough cycles, times 4. Without, LLVM takes the
 * innermost loops for vectors where it can: see look_chain. */
#include "pass/loops/vectorize.h"

typedef struct Cost {
    const IrLanes *l;    /* NULL: one iteration at a time */
    int lanes;           /* else: this many */
    const IrEffects *fx; /* of the innermost loop around, inside the one in question */
    Look *k;
    int apart; /* accesses whose lanes are no neighbours */
} Cost;

static int64_t block_cost(Cost *c, const IrBlock *b);

static int64_t
op_cost(const IrExpr *e, bool wide)
{
    int64_t k;
    switch (e->op) {
    case OP_div:
        return wide ? 24 : 18;
    case OP_sqrt:
        return wide ? 32 : 20;
    case OP_floordiv:
    case OP_mod:
    case OP_fmod:
    case OP_tdiv:
        if (ir_is_const(e->arg[1], &k) && k > 0)
            return (k & (k - 1)) == 0 ? 2 : wide ? 60 : 6;
        return wide ? 160 : 30;
    case OP_pow:
    case OP_gcd:
    case OP_lcm:
        return wide && !dtype_is_float((DType)e->dtype) ? 400 : wide ? 160 : 80;
    default:
        break;
    }
    if (!(op_info[e->op].flags & OPF_LIBM))
        return 2;
    return op_info[e->op].flags & OPF_VECTOR ? (wide ? 168 : 100) : wide ? 800 : 100;
}

/* Of W lanes: one access where they are neighbours, one each where they are a stride apart. */
static int64_t
access_cost(Cost *c, const IrVar *v, IrExpr *const *idx, bool store)
{
    int64_t step, unit = 0;
    if (!c->l)
        return 2;
    for (int i = 0; i < v->ndim; i++) {
        step = ir_lane_step(c->l, idx[i]);
        bool last = v->layout == LAY_C ? i == v->ndim - 1 : v->layout == LAY_F && i == 0;
        if (step == IR_VARYING) {
            c->apart++;
            /* no processor gathers such: each is put into its place */
            bool narrow = dtype_size((DType)v->dtype) < 4;
            return (narrow ? 16 : store ? 7 : 6) * c->lanes;
        }
        if (step != 0)
            unit = unit == 0 && last && step == 1 ? 1 : 2;
    }
    c->apart += unit == 2;
    return unit == 2 ? (store ? 5 : 2) * c->lanes : 2;
}

/* Does the innermost loop leave it where it is? Then it is loaded before that loop. */
static bool
stays(const Cost *c, const IrExpr *load)
{
    IrExpr at = *load;
    if (!c->fx || ir_in(c->fx->stores, load->var))
        return false;
    at.kind = IX_OP;
    return ir_invariant(&at, c->fx);
}

static int64_t
expr_cost(Cost *c, const IrExpr *e)
{
    int64_t n = 0;
    bool wide = e && c->l && ir_lane_step(c->l, e) == IR_VARYING;
    if (!e || (e->kind == IX_LOAD && stays(c, e)))
        return 0;
    if (e->kind == IX_OP)
        n = op_cost(e, wide);
    else if (e->kind == IX_CAST)
        n = 2;
    else if (e->kind == IX_LOAD)
        n = access_cost(c, e->var, e->arg, false);
    for (int i = 0; i < e->n; i++)
        n += e->kind == IX_LOAD && e->arg[i]->n == 2 ? 0 : expr_cost(c, e->arg[i]);
    return n;
}

/* ---- innermost loops that LLVM leaves scalar ---- */

typedef struct Chain {
    Look *k;
    const IrLanes *l;
    int64_t latency; /* of what each iteration adds to the longest */
    int sums;
    bool carries;           /* a sum at least */
    bool nested, hard, odd; /* odd: more than sums */
} Chain;

/* A minimum or maximum of floats in any order, for which LLVM has vectors (float16 is widened). */
static bool
is_any_extreme(const IrExpr *e)
{
    return e->kind == IX_OP && (e->op == OP_min || e->op == OP_max) && e->flags & IXF_REASSOC &&
           (e->dtype == DT_f32 || e->dtype == DT_f64);
}

/* v, or with `own` what x is combined with it by an operator that may take its operands in any
 * order. */
static bool
keeps_or_adds(const IrExpr *e, const IrVar *v)
{
    if (ir_is_var(e, v))
        return true;
    bool any = e->kind == IX_OP && (ir_reduce_traits(e->op) || e->op == OP_sub);
    return any && ir_mentions(e, v) == 1 &&
           (ir_is_var(e->arg[0], v) || (e->op != OP_sub && ir_is_var(e->arg[1], v)));
}

/* An integer that is added to, or combined with something, where a condition holds that does not
 * ask for it, or that is the greatest or least: LLVM has vectors for it. */
static bool
is_free_select(const IrExpr *e, const IrVar *v)
{
    const IrExpr *c = e->arg[0], *x = e->arg[1], *y = e->arg[2];
    if (!ir_mentions(c, v))
        return keeps_or_adds(x, v) && keeps_or_adds(y, v);
    if (c->kind != IX_OP || !(op_info[c->op].flags & OPF_ORDERS))
        return false;
    const IrExpr *other = ir_is_var(x, v) ? y : ir_is_var(y, v) ? x : NULL;
    return other && !ir_mentions(other, v) &&
           ((ir_is_var(c->arg[0], v) && ir_expr_equal(c->arg[1], other)) ||
            (ir_is_var(c->arg[1], v) && ir_expr_equal(c->arg[0], other)));
}

/* Is s a step of a chain from iteration to iteration that has to be in order? */
static void
look_chain(IrBlock *b, IrStmt *s, void *arg)
{
    Chain *c = arg;
    (void)b;
    c->nested |= ir_does(s, ST_REPEATS);
    c->hard |= s->kind == IS_BREAK;
    if (s->kind != IS_SET || !ir_in(c->l->live_in, s->var) || !ir_mentions(s->e, s->var))
        return;
    c->carries = true;
    bool sum =
        s->e->kind == IX_OP && (s->e->op == OP_add || s->e->op == OP_mul || s->e->op == OP_sub);
    bool free_order = !dtype_is_float(s->var->dtype) || (s->e->flags & (IXF_REASSOC | IXF_FAST)) ||
                      (c->k->opt->fastmath & FM_REASSOC && !(s->e->flags & IXF_STRICT));
    if (sum && free_order && !dtype_is_complex(s->var->dtype))
        return;
    if (is_any_extreme(s->e))
        return;
    if (!dtype_is_float(s->var->dtype) && !dtype_is_complex(s->var->dtype) && s->e->kind == IX_OP &&
        (s->e->op != OP_select || is_free_select(s->e, s->var)))
        return;
    int64_t latency = s->e->kind == IX_OP && s->e->op == OP_select ? 8 : 12;
    c->hard = true;
    c->sums++;
    c->odd |= !sum;
    c->latency = latency > c->latency ? latency : c->latency;
}

static bool
is_chain(Look *k, const IrStmt *s, Chain *c)
{
    *c = (Chain){.k = k};
    if (s->kind == IS_WHILE)
        return true;
    c->l = ir_lanes(k->f, s);
    ir_walk_block((IrBlock *)&s->body, look_chain, c);
    return !c->nested && c->hard;
}

bool
lanes_has_loop(const IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (ir_does(s, ST_REPEATS))
            return true;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (lanes_has_loop(sub[i]))
                return true;
    }
    return false;
}

static bool
costly_expr(IrExpr **e, void *arg)
{
    const IrExpr *x = *e;
    *(bool *)arg |=
        x->kind == IX_OP && dtype_is_float((DType)x->dtype) && op_info[x->op].flags & OPF_COSTLY;
    return true;
}

static void
costly_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, costly_expr, arg);
}

/* Terms that LLVM computes in lanes though it adds them one after the other. */
static bool
is_costly(const IrBlock *b)
{
    bool any = false;
    ir_walk_block((IrBlock *)b, costly_stmt, &any);
    return any;
}

int64_t
lanes_trips(const IrStmt *s)
{
    int64_t lo, hi, step = 1;
    if (s->kind != IS_LOOP || !ir_is_const(s->idx[0], &lo) || !ir_is_const(s->idx[1], &hi) ||
        !ir_is_const(s->idx[2], &step) || step < 1)
        return TRIPS;
    int64_t n = hi > lo ? (hi - lo + step - 1) / step : 0;
    return n < TRIPS ? n : TRIPS;
}

/* A triangle's row, which begins or ends with the loop in question, is as long as that one's. */
static int64_t
usual_trips(const Cost *c, const IrStmt *s)
{
    enum { ROW = 4 * TRIPS };
    for (int i = 0; s->kind == IS_LOOP && c->k->l && i < 2; i++) {
        int64_t step = ir_lane_step(c->k->l, s->idx[i]);
        if (step != 0 && step != IR_VARYING)
            return ROW;
    }
    return lanes_trips(s);
}

static int64_t
loop_cost(Cost *c, const IrStmt *s)
{
    int64_t n = usual_trips(c, s);
    Chain chain = {0};
    const IrEffects *outer = c->fx;
    IrEffects fx = ir_effects_stmt(c->k->f, s);
    c->fx = &fx;
    int64_t once = block_cost(c, &s->pre) + expr_cost(c, s->e) + block_cost(c, &s->body) + 2;
    c->fx = outer;
    if (c->l || s->kind == IS_WHILE || lanes_has_loop(&s->body))
        return once * n;
    bool hard = is_chain(c->k, s, &chain);
    if (!hard || (!chain.odd && is_costly(&s->body))) { /* LLVM's vectors; sums in order */
        Cost v = *c;
        v.fx = &fx;
        v.l = ir_lanes(c->k->f, s);
        v.lanes = 8;
        once = block_cost(&v, &s->body) / 8 + 1;
    }
    if (chain.latency > once)
        once = chain.latency;
    once = (once + (hard ? 4 * chain.sums : 0)) * n;
    return once + (hard || !chain.carries ? 0 : n < TRIPS ? 40 : 6); /* its lanes' sum */
}

static int64_t
stmt_cost(Cost *c, const IrStmt *s)
{
    int64_t n = expr_cost(c, s->e);
    IrLaneInfo *info = c->l ? ir_lane_info(c->l, s) : NULL;
    switch (s->kind) {
    case IS_LOOP:
    case IS_WHILE:
        return loop_cost(c, s) * (info && info->divergent ? 6 : 4) / 4 +
               (info && info->divergent ? 16 : 0);
    case IS_IF:
        n += block_cost(c, &s->body) + block_cost(c, &s->els);
        return info && info->divergent ? n + 8 : n * 3 / 4 + (c->l ? 4 : 12);
    case IS_STORE:
        for (int i = 0; i < s->n_idx; i++)
            n += s->idx[i]->n == 2 ? 0 : expr_cost(c, s->idx[i]);
        return n + access_cost(c, s->var, s->idx, true);
    default:
        return n;
    }
}

static int64_t
block_cost(Cost *c, const IrBlock *b)
{
    int64_t n = 0;
    for (const IrStmt *s = b->first; s; s = s->next)
        n += stmt_cost(c, s);
    return n;
}

bool
lanes_has_carried(Look *k, const IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    Chain c;
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == IS_WHILE || (s->kind == IS_LOOP && is_chain(k, s, &c)) ||
            (s->kind == IS_LOOP && c.carries && !c.nested))
            return true;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (lanes_has_carried(k, sub[i]))
                return true;
    }
    return false;
}

int64_t
lanes_gain(Look *k, const IrStmt *s, int64_t *with)
{
    Cost plain = {.k = k}, lanes = {.k = k, .l = k->l, .lanes = 8};
    *with = block_cost(&lanes, &s->body);
    k->apart = lanes.apart > 0;
    return 8 * block_cost(&plain, &s->body);
}
