/* SPDX-License-Identifier: BSD-3-Clause
 * What a block may change, and integer expressions as sums of terms: the two questions that
 * every pass over loops asks. Effects are sets of variables by id; a store to an array is also
 * a store to whatever may share its memory, which is all but arrays marked noalias. */
#include "ir/ir.h"

/* ---- effects ------------------------------------------------------------------------------- */

typedef struct Walk {
    IrEffects *fx;
    IrFunc *f;
    int loops; /* how deep inside loops of the block itself */
} Walk;

static void
set_bit(uint64_t *set, const IrVar *v)
{
    set[v->id / 64] |= (uint64_t)1 << (v->id % 64);
}

bool
ir_in(const uint64_t *set, const IrVar *v)
{
    return set[v->id / 64] >> (v->id % 64) & 1;
}

static void
add_store(IrEffects *fx, const IrVar *v)
{
    set_bit(fx->stores, v);
    if (!v->noalias)
        fx->stores_shared = true;
}

static void
add_def(IrVar *v, void *arg)
{
    set_bit(((IrEffects *)arg)->sets, v);
}

static void
add_array(IrVar *v, unsigned how, void *arg)
{
    if (how & IR_WRITES)
        add_store(arg, v);
}

static void
add_stmt(IrEffects *fx, const IrStmt *s, int loops)
{
    trace_work++;
    ir_walk_defs(s, add_def, fx);
    ir_walk_arrays(s, add_array, fx);
    if (ir_does(s, ST_ALLOCATES))
        add_store(fx, s->var);
    fx->raises |= ir_does(s, ST_RAISES) && (s->kind != IS_RT || rt_info[s->rt].traits & RTF_FAILS);
    fx->returns |= ir_does(s, ST_RETURNS);
    fx->breaks |= ir_does(s, ST_BREAKS) && loops == 0;
    fx->waits |= ir_does(s, ST_WAITS);
    fx->calls |= s->kind == IS_PRINT || (ir_does(s, ST_CALLS) &&
                                         (s->kind != IS_RT || !(rt_info[s->rt].traits & RTF_PURE)));
    const IrSummary *callee = ir_does(s, ST_CALLS) && s->func ? ir_summary(s->func) : NULL;
    fx->waits |= callee && callee->waits;
    fx->stores_shared |= fx->waits || (callee && callee->outside);
}

static void
add_block(IrEffects *fx, const IrBlock *b, int loops)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        add_stmt(fx, s, loops);
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            add_block(fx, sub[i], loops + ir_does(s, ST_REPEATS));
    }
}

static IrEffects
no_effects(IrFunc *f)
{
    enum { ROOM = 16 }; /* for variables that a pass makes while it holds this */
    IrEffects fx = {.words = f->vars.n / 64 * 2 + ROOM};
    fx.sets = NEW_N(&f->mod->cx->arena, uint64_t, fx.words * 2);
    fx.stores = fx.sets + fx.words;
    return fx;
}

static void
add_shared(IrEffects *fx, IrFunc *f)
{
    /* these are noalias, but other threads see them */
    for (int i = 0; fx->waits && i < f->vars.n; i++)
        if (f->vars.at[i]->space == SPACE_SHARED)
            set_bit(fx->stores, f->vars.at[i]);
}

IrEffects
ir_effects(IrFunc *f, const IrBlock *b)
{
    IrEffects fx = no_effects(f);
    add_block(&fx, b, 0);
    add_shared(&fx, f);
    return fx;
}

IrEffects
ir_effects_stmt(IrFunc *f, const IrStmt *s)
{
    IrStmt copy = *s;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy};
    return ir_effects(f, &one);
}

static void
merge(IrEffects *fx, const IrEffects *from, bool loop)
{
    trace_work++;
    for (int w = 0; w < fx->words && w < from->words; w++) {
        fx->sets[w] |= from->sets[w];
        fx->stores[w] |= from->stores[w];
    }
    fx->stores_shared |= from->stores_shared;
    fx->calls |= from->calls;
    fx->raises |= from->raises;
    fx->returns |= from->returns;
    fx->breaks |= from->breaks && !loop;
    fx->waits |= from->waits;
}

static void
add_known(IrEffects *fx, IrFunc *f, Map *known, const IrBlock *b, bool loop)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (ir_blocks(s, sub))
            merge(fx, ir_effects_known(f, known, s), loop);
        else
            add_stmt(fx, s, loop);
    }
}

const IrEffects *
ir_effects_known(IrFunc *f, Map *known, const IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    IrEffects *fx = map_get(known, s);
    if (fx)
        return fx;
    fx = NEW(&f->mod->cx->arena, IrEffects);
    *fx = no_effects(f);
    add_stmt(fx, s, 0);
    int n = ir_blocks((IrStmt *)s, sub);
    for (int i = 0; i < n; i++)
        add_known(fx, f, known, sub[i], ir_does(s, ST_REPEATS));
    add_shared(fx, f);
    map_put(&f->mod->cx->arena, known, s, fx);
    return fx;
}

IrEffects
ir_effects_block(IrFunc *f, Map *known, const IrBlock *b)
{
    IrEffects fx = no_effects(f);
    add_known(&fx, f, known, b, false);
    add_shared(&fx, f);
    return fx;
}

bool
ir_sets(const IrEffects *fx, const IrVar *v)
{
    return v->id / 64 >= fx->words || ir_in(fx->sets, v);
}

bool
ir_invariant(const IrExpr *e, const IrEffects *fx)
{
    if (e->var && ir_sets(fx, e->var))
        return false;
    if (e->kind == IX_LOAD &&
        (ir_in(fx->stores, e->var) || (fx->stores_shared && !e->var->noalias)))
        return false;
    for (int i = 0; i < e->n; i++)
        if (!ir_invariant(e->arg[i], fx))
            return false;
    return true;
}

/* ---- affine forms --------------------------------------------------------------------------- */

static bool
add_term(IrAffine *a, const IrExpr *term, int64_t coef)
{
    for (int i = 0; i < a->n; i++) {
        if (!ir_expr_equal(a->t[i].term, term))
            continue;
        if (__builtin_add_overflow(a->t[i].coef, coef, &a->t[i].coef))
            return false;
        if (a->t[i].coef == 0)
            a->t[i] = a->t[--a->n];
        return true;
    }
    if (coef == 0)
        return true;
    if (a->n == SW_LEN(a->t))
        return false;
    a->t[a->n].term = term;
    a->t[a->n++].coef = coef;
    return true;
}

static bool
add_affine(IrAffine *a, const IrExpr *e, int64_t k)
{
    int64_t c, kc;
    if (ir_is_const(e, &c))
        return !__builtin_mul_overflow(c, k, &c) && !__builtin_add_overflow(a->c0, c, &a->c0);
    if (e->kind == IX_OP && e->dtype == DT_i64) {
        switch (e->op) {
        case OP_add:
            return add_affine(a, e->arg[0], k) && add_affine(a, e->arg[1], k);
        case OP_sub:
            return k != INT64_MIN && add_affine(a, e->arg[0], k) && add_affine(a, e->arg[1], -k);
        case OP_neg:
            return k != INT64_MIN && add_affine(a, e->arg[0], -k);
        case OP_mul:
            if (ir_is_const(e->arg[1], &c) && !__builtin_mul_overflow(c, k, &kc))
                return add_affine(a, e->arg[0], kc);
            if (ir_is_const(e->arg[0], &c) && !__builtin_mul_overflow(c, k, &kc))
                return add_affine(a, e->arg[1], kc);
            break;
        default:
            break;
        }
    }
    return add_term(a, e, k);
}

bool
ir_affine(const IrExpr *e, IrAffine *out)
{
    *out = (IrAffine){0};
    return e->dtype == DT_i64 && add_affine(out, e, 1);
}

bool
ir_affine_add(IrAffine *a, const IrAffine *b, int64_t k)
{
    int64_t c;
    if (__builtin_mul_overflow(b->c0, k, &c) || __builtin_add_overflow(a->c0, c, &a->c0))
        return false;
    for (int i = 0; i < b->n; i++)
        if (__builtin_mul_overflow(b->t[i].coef, k, &c) || !add_term(a, b->t[i].term, c))
            return false;
    return true;
}

IrExpr *
ir_affine_expr(Cx *cx, const IrAffine *a)
{
    IrExpr *sum = NULL;
    for (int i = 0; i < a->n; i++) {
        IrExpr *t = ir_copy_expr(cx, a->t[i].term);
        int64_t k = a->t[i].coef;
        bool minus = k == -1 && sum;
        if (!minus)
            t = ir_op(cx, OP_mul, t, ir_int(cx, DT_i64, k));
        sum = !sum ? t : ir_op(cx, minus ? OP_sub : OP_add, sum, t);
    }
    IrExpr *c = ir_int(cx, DT_i64, a->c0);
    return sum ? ir_op(cx, OP_add, sum, c) : c;
}
