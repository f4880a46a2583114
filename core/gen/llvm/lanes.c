/* SPDX-License-Identifier: BSD-3-Clause
 * A loop marked `lanes W`: takes W of its iterations at a time, one in each lane of vectors.
 * In the last group lanes beyond the end are masked off and repeat the last iteration's index.
 * Where masks are dear the body is emitted twice, without one for the groups before.
 * Reductions have an accumulator in each lane, combined from the first to the last. */
#include "lanes.h"

enum { TWICE = 120 };

/* ---- slots ---- */

static Slot *
widen_slots(Lanes *l)
{
    Gen *g = l->g;
    Slot *saved = NEW_N(&g->cx->arena, Slot, g->f->vars.n + 1);
    for (int i = 0; i < g->f->vars.n; i++) {
        IrVar *v = g->f->vars.at[i];
        saved[i] = g->slots[i];
        if (v->is_array || i / 64 >= l->a->words || !ir_in(l->a->sets, v) ||
            l->a->step[i] != IR_VARYING)
            continue;
        LLVMTypeRef t = lane_type(l, reg_type(g, (DType)v->dtype));
        bool init = ir_in(l->a->live_in, v);
        g->slots[i].v = new_slot(g, t, v->name);
        if (init)
            put(g, lane_splat(l, get(g, reg_type(g, (DType)v->dtype), saved[i].v)), g->slots[i].v);
        if (!saved[i].im)
            continue;
        g->slots[i].im = new_slot(g, t, "");
        if (init)
            put(g, lane_splat(l, get(g, reg_type(g, (DType)v->dtype), saved[i].im)),
                g->slots[i].im);
    }
    return saved;
}

/* All accumulators begin with the identity element, or, where combining with a value again does
 * no harm, with the value from before the loop. */
static void
begin_reductions(Lanes *l, IrStmt *s)
{
    Gen *g = l->g;
    for (int i = 0; i < s->n_reds; i++) {
        const IrReduce *r = &s->reds[i];
        if (ir_reduce_traits(r->op) & RED_AGAIN)
            continue;
        IrExpr *first = ir_reduce_identity(g->cx, r->op, (DType)r->var->dtype);
        put(g, lane_splat(l, emit_expr(g, first).v), g->slots[r->var->id].v);
    }
}

static LV
combine(Gen *g, const IrReduce *r, LV a, LV b)
{
    LV two[2] = {a, b}, turned[2] = {b, a};
    if (!(ir_reduce_traits(r->op) & RED_CHOOSES))
        return emit_arith(g, r->op, (DType)r->var->dtype, two, false);
    return LLVMBuildSelect(g->b, emit_arith(g, r->op, (DType)r->var->dtype, turned, false), b, a,
                           "");
}

/* Half of the lanes with the other half, and so on: the same order each time. */
static void
end_reductions(Lanes *l, IrStmt *s, const Slot *saved)
{
    Gen *g = l->g;
    for (int i = 0; i < s->n_reds; i++) {
        IrVar *v = s->reds[i].var;
        DType d = (DType)v->dtype;
        LV all = get(g, lane_type(l, reg_type(g, d)), g->slots[v->id].v), part[MAX_LANES];
        for (int k = 0; k < l->w; k++)
            part[k] = lane_get(l, all, k);
        for (int n = l->w / 2; n; n /= 2)
            for (int k = 0; k < n; k++)
                part[k] = combine(g, &s->reds[i], part[k], part[k + n]);
        LV whole = get(g, reg_type(g, d), saved[v->id].v);
        put(g, combine(g, &s->reds[i], whole, part[0]), saved[v->id].v);
    }
}

/* The last iteration's values, from the lane that ran it. */
static void
end_lasts(Lanes *l, IrStmt *s, const Slot *saved, LV n)
{
    Gen *g = l->g;
    LV lane = LLVMBuildAnd(g->b, LLVMBuildSub(g->b, n, k64(g, 1), ""), k64(g, l->w - 1), "");
    for (int i = 0; i < s->n_lasts; i++) {
        IrVar *v = s->lasts[i];
        int64_t step = l->a->step[v->id];
        LLVMTypeRef t = reg_type(g, (DType)v->dtype), vt = lane_type(l, t);
        const Slot *from = &g->slots[v->id], *to = &saved[v->id];
        if (step == IR_VARYING) {
            LV x = get(g, vt, from->v);
            put(g, LLVMBuildExtractElement(g->b, x, lane, ""), to->v);
            if (to->im)
                put(g, LLVMBuildExtractElement(g->b, get(g, vt, from->im), lane, ""), to->im);
        } else if (step) {
            LV far = LLVMBuildMul(g->b, lane, k64(g, step), "");
            put(g, LLVMBuildAdd(g->b, get(g, t, to->v), far, ""), to->v);
        }
    }
}

/* ---- groups ---- */

static LV
value_at(Gen *g, LV lo, LV k, int64_t step)
{
    enum { LARGE = 1024 };
    if (step > LARGE || step < -LARGE) /* k * step may wrap where the sum does not */
        return LLVMBuildAdd(g->b, lo, LLVMBuildMul(g->b, k, k64(g, step), ""), "");
    return LLVMBuildNSWAdd(g->b, lo, LLVMBuildNSWMul(g->b, k, k64(g, step), ""), "");
}

/* One group, from iteration `number` on; left: how many iterations there are, NULL when enough. */
static void
emit_group(Lanes *l, IrStmt *s, LV number, LV left, LLVMBasicBlockRef next)
{
    Gen *g = l->g;
    int64_t step = 1;
    ir_is_const(s->idx[2], &step);
    LV i = value_at(g, l->lo, number, step);
    bool parts = ir_lane_info(l->a, s)->divergent;
    LV iota = lane_const(l, g->i64, 0, 1), mask = NULL;
    LV last = NULL;
    l->lane = iota;
    if (left) {
        last = LLVMBuildSub(g->b, left, k64(g, 1), "");
        LV two[2] = {iota, lane_splat(l, last)};
        mask = LLVMBuildICmp(g->b, LLVMIntULE, iota, two[1], "");
        l->lane = intrinsic(g, "llvm.umin", LLVMTypeOf(iota), two, 2);
    }
    for (int k = 0; k < l->w; k++) {
        LV two[2] = {k64(g, k), last};
        l->each[k] = last && k ? intrinsic(g, "llvm.umin", g->i64, two, 2) : two[0];
    }
    LaneRegion base = {NULL, left || parts ? l->a->keep : NULL, !parts, NULL};
    if (left || parts)
        base.mask = lane_new_mask(l, mask ? mask : lane_splat(l, LLVMConstInt(g->i1, 1, false)));
    LaneLoop loop = {.divergent = parts, .body = &base};
    if (parts)
        loop.live = base.mask;
    LoopTarget t = {next, next, g->loops};
    g->loops = &t;
    l->at = &base;
    l->loops = &loop;
    IrVar *v = s->var;
    if (l->a->step[v->id] == IR_VARYING) {
        LV far = LLVMBuildMul(g->b, l->lane, lane_splat(l, k64(g, step)), "");
        i = LLVMBuildAdd(g->b, lane_splat(l, i), far, "");
        i = emit_cast(g, (DType)v->dtype, DT_i64, (Val){i, NULL}).v;
    }
    put(g, i, g->slots[v->id].v);
    l->appends = NULL;
    lane_begin_undo(l);
    if (l->bail)
        put(g, number, l->group);
    lane_block(l, &s->body);
    jump(g, next);
    g->loops = t.up;
}

/* Groups from iteration 0 to before `to`, which is unsigned; masked: the last may be short. */
static void
emit_groups(Lanes *l, IrStmt *s, LV to, bool masked)
{
    Gen *g = l->g;
    LLVMBasicBlockRef pre = new_block(g, "lanes.pre"), body = new_block(g, "lanes"),
                      latch = new_block(g, "lanes.latch"), done = new_block(g, "lanes.done");
    branch(g, LLVMBuildICmp(g->b, LLVMIntNE, to, k64(g, 0), ""), pre, done, NULL);
    LLVMPositionBuilderAtEnd(g->b, pre);
    jump(g, body);
    LLVMPositionBuilderAtEnd(g->b, body);
    LV k = LLVMBuildPhi(g->b, g->i64, ""), zero = k64(g, 0);
    LLVMAddIncoming(k, &zero, &pre, 1);
    LV left = masked ? LLVMBuildNUWSub(g->b, to, k, "") : NULL;
    emit_group(l, s, k, left, latch);
    LLVMPositionBuilderAtEnd(g->b, latch);
    LV next = LLVMBuildNUWAdd(g->b, k, k64(g, l->w), "");
    LLVMAddIncoming(k, &next, &latch, 1);
    LV more = LLVMBuildICmp(g->b, LLVMIntULT, next, to, "");
    loop_metadata(g, s, LLVMBuildCondBr(g->b, more, body, done), true);
    LLVMPositionBuilderAtEnd(g->b, done);
}

static void
emit_rest(Lanes *l, IrStmt *s, LV from, LV n)
{
    Gen *g = l->g;
    LLVMBasicBlockRef some = new_block(g, "lanes.rest"), done = new_block(g, "lanes.done");
    branch(g, LLVMBuildICmp(g->b, LLVMIntULT, from, n, ""), some, done, NULL);
    LLVMPositionBuilderAtEnd(g->b, some);
    emit_group(l, s, from, LLVMBuildNUWSub(g->b, n, from, ""), done);
    LLVMPositionBuilderAtEnd(g->b, done);
}

/* ---- the loop ---- */

static int64_t
constant_trips(const IrStmt *s) /* where hi is lo + constant, too; 0: not known */
{
    int64_t lo = 0, hi, step = 1;
    const IrExpr *h = s->idx[1];
    ir_is_const(s->idx[2], &step);
    if (!ir_is_const(s->idx[0], &lo) || !ir_is_const(h, &hi)) {
        lo = 0;
        if (h->kind != IX_OP || h->op != OP_add || !ir_is_const(h->arg[1], &hi) ||
            !ir_expr_equal(h->arg[0], s->idx[0]))
            return 0;
    }
    return step > 0 && hi > lo && hi - lo < 1 << 20 ? (hi - lo + step - 1) / step : 0;
}

/* Or none, where lo + constant has wrapped. */
static LV
known_trips(Gen *g, LV lo, LV hi, int64_t n)
{
    LV some = LLVMBuildICmp(g->b, LLVMIntSLT, lo, hi, "");
    return LLVMBuildSelect(g->b, some, k64(g, n), k64(g, 0), "");
}

static LV
trips(Gen *g, LV lo, LV hi, int64_t step)
{
    LV some = LLVMBuildICmp(g->b, step > 0 ? LLVMIntSLT : LLVMIntSGT, lo, hi, "");
    LV span = step > 0 ? LLVMBuildSub(g->b, hi, lo, "") : LLVMBuildSub(g->b, lo, hi, "");
    uint64_t size = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    if (size > 1) {
        span = LLVMBuildSub(g->b, span, k64(g, 1), "");
        span = LLVMBuildUDiv(g->b, span, LLVMConstInt(g->i64, size, false), "");
        span = LLVMBuildAdd(g->b, span, k64(g, 1), "");
    }
    return LLVMBuildSelect(g->b, some, span, k64(g, 0), "");
}

typedef struct Size {
    const IrLanes *a;
    const IrVar *var; /* the loop's */
    int nodes, depth;
    bool nested;          /* it has loops */
    bool moving, strided; /* in them, accesses that differ from lane to lane */
} Size;

static bool
is_set(const Size *z, const IrExpr *e)
{
    if (e->kind == IX_VAR && e->var != z->var && ir_in(z->a->sets, e->var))
        return true;
    for (int i = 0; i < e->n; i++)
        if (is_set(z, e->arg[i]))
            return true;
    return false;
}

static void
size_access(Size *z, const IrVar *v, IrExpr **idx)
{
    bool vary = false, moves = false, apart = false;
    int unit = v->layout == LAY_C ? v->ndim - 1 : v->layout == LAY_F ? 0 : -1;
    for (int i = 0; i < v->ndim; i++) {
        int64_t step = ir_lane_step(z->a, idx[i]);
        vary |= step != 0;
        apart |= step != 0 && (i != unit || step != 1);
        moves |= is_set(z, idx[i]);
    }
    z->moving |= z->depth && vary && moves;
    z->strided |= z->depth && apart && moves;
}

static bool
size_expr(IrExpr **e, void *arg)
{
    Size *z = arg;
    z->nodes++;
    if ((*e)->kind == IX_LOAD)
        size_access(z, (*e)->var, (*e)->arg);
    return true;
}

static void
size_block(Size *z, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        bool loop = ir_does(s, ST_REPEATS);
        ir_walk_stmt_exprs(s, size_expr, z);
        if (s->kind == IS_STORE)
            size_access(z, s->var, s->idx);
        z->nested |= loop;
        z->depth += loop;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            size_block(z, sub[i]);
        z->depth -= loop;
    }
}

/* Are masks dear? Not where the work is in an inner loop that touches no memory, or the same in
 * all lanes; with AVX-512 not of neighbours either (1 to 4%, where the second copy is a quarter
 * of the compile). */
static bool
emit_twice(Lanes *l, IrStmt *s)
{
    Size z = {.a = l->a, .var = s->var};
    size_block(&z, &s->body);
    bool dear = z.strided || (z.moving && !l->g->isa.masks);
    return z.nodes <= TWICE && (!z.nested || dear);
}

static void
find_check(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    *(bool *)arg |= ir_does(s, ST_FAILS);
}

static void
begin_checks(Lanes *l, IrStmt *s)
{
    bool any = false;
    ir_walk_block(&s->body, find_check, &any);
    if (!any)
        return;
    lane_find_atomics(l, s);
    l->bail = new_block(l->g, "lanes.bail");
    l->group = new_slot(l->g, l->g->i64, "group");
}

/* A check has failed, before anything of its group was stored that would not be stored again, or is
 * undone: one iteration after the other from
 * the group's first on, until the first that fails raises. */
static void
end_checks(Lanes *l, IrStmt *s, LV hi, LLVMBasicBlockRef next)
{
    Gen *g = l->g;
    IrStmt alone = *s;
    int64_t step = 1;
    bool cold = g->cold;
    ir_is_const(s->idx[2], &step);
    LLVMPositionBuilderAtEnd(g->b, l->bail);
    lane_undo(l);
    LV lo = value_at(g, l->lo, get(g, g->i64, l->group), step);
    alone.lanes = 0;
    g->cold = true;
    emit_counted(g, &alone, lo, hi);
    g->cold = cold;
    jump(g, next);
}

static bool
has_wide(Lanes *l)
{
    for (int i = 0; i < l->g->f->vars.n && i / 64 < l->a->words; i++) {
        const IrVar *v = l->g->f->vars.at[i];
        if (!v->is_array && ir_in(l->a->sets, v) && l->a->step[i] == IR_VARYING &&
            dtype_info[v->dtype].bits >= 64)
            return true;
    }
    return false;
}

/* Two vectors of one kind hide each other's latency, four don't fit in registers: 16 lanes of 64
 * bits are for AVX-512, unless the loop was made for them. */
static void
fit_width(Lanes *l, const IrStmt *s)
{
    Gen *g = l->g;
    l->wide = has_wide(l);
    if (l->w == 16 && l->wide && !g->isa.masks && s->loop != LOOP_SIMD && !g->cx->trace.lanes)
        l->w = 8;
}

void
emit_lane_loop(Gen *g, IrStmt *s)
{
    Lanes l = {.g = g, .a = ir_lanes(g->f, s), .w = s->lanes};
    int64_t step = 1, known = constant_trips(s);
    ir_is_const(s->idx[2], &step);
    fit_width(&l, s);
    l.lo = emit_int(g, s->idx[0]);
    LV hi = emit_int(g, s->idx[1]),
       n = known ? known_trips(g, l.lo, hi, known) : trips(g, l.lo, hi, step);
    begin_checks(&l, s);
    Slot *saved = widen_slots(&l);
    mark_apart(g, s);
    begin_reductions(&l, s);
    if (known % l.w == 0 && known) {
        emit_groups(&l, s, n, false);
    } else if (emit_twice(&l, s)) {
        LV full = LLVMBuildAnd(g->b, n, k64(g, -(int64_t)l.w), "");
        emit_groups(&l, s, full, false);
        emit_rest(&l, s, full, n);
    } else {
        emit_groups(&l, s, n, true);
    }
    end_reductions(&l, s, saved);
    if (s->n_lasts) {
        LLVMBasicBlockRef some = new_block(g, "lanes.last"), next = new_block(g, "next");
        branch(g, LLVMBuildICmp(g->b, LLVMIntNE, n, k64(g, 0), ""), some, next, NULL);
        LLVMPositionBuilderAtEnd(g->b, some);
        end_lasts(&l, s, saved, n);
        jump(g, next);
        LLVMPositionBuilderAtEnd(g->b, next);
    }
    g->slots = saved;
    if (l.bail) {
        LLVMBasicBlockRef next = new_block(g, "next");
        jump(g, next);
        end_checks(&l, s, hi, next);
        LLVMPositionBuilderAtEnd(g->b, next);
    }
}
