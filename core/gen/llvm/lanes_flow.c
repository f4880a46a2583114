/* SPDX-License-Identifier: BSD-3-Clause
 * Statements in vector lanes: control flow that is the same in all lanes stays control flow;
 * where lanes part, both sides of a branch run under masks, and a loop runs until its last
 * lane has left. A mask lives in a slot, since break and continue clear lanes in the masks of all
 * regions around them; what follows is then skipped when no lane is left. */
#include "lanes.h"

/* ---- masks ---- */

/* Without AVX-512 a comparison of numbers fills lanes as wide as they are, and is and'ed with masks
 * of that width at no cost; as bits, it would be packed each time. (LLVM makes bits of what it sees
 * to be bits everywhere: the mask of a loop must be and'ed as it is in its slot.) */
static LLVMTypeRef
mask_type(Lanes *l)
{
    Gen *g = l->g;
    return lane_type(l, g->isa.masks ? g->i1 : l->wide ? g->i64 : g->i32);
}

static LV
get_mask(Lanes *l, LV slot)
{
    LLVMTypeRef t = mask_type(l);
    LV m = get(l->g, t, slot);
    return l->g->isa.masks ? m : LLVMBuildICmp(l->g->b, LLVMIntSLT, m, LLVMConstNull(t), "");
}

static void
put_mask(Lanes *l, LV m, LV slot)
{
    put(l->g, l->g->isa.masks ? m : LLVMBuildSExt(l->g->b, m, mask_type(l), ""), slot);
}

/* slot &= cond. Yields the result. */
static LV
narrow_mask(Lanes *l, LV slot, LV cond)
{
    Gen *g = l->g;
    LLVMTypeRef t = mask_type(l);
    if (!g->isa.masks)
        cond = LLVMBuildSExt(g->b, cond, t, "");
    put(g, LLVMBuildAnd(g->b, get(g, t, slot), cond, ""), slot);
    return get_mask(l, slot);
}

static void
copy_mask(Lanes *l, LV from, LV to)
{
    put(l->g, get(l->g, mask_type(l), from), to);
}

LV
lane_new_mask(Lanes *l, LV first)
{
    LV slot = new_slot(l->g, mask_type(l), "mask");
    put_mask(l, first, slot);
    return slot;
}

LV
lane_mask(Lanes *l)
{
    return l->at->mask ? get_mask(l, l->at->mask) : NULL;
}

LV
lane_any(Lanes *l, LV m)
{
    Gen *g = l->g;
    LLVMTypeRef bits = LLVMIntTypeInContext(g->c, (unsigned)l->w);
    LV x = LLVMBuildBitCast(g->b, m, bits, "");
    return LLVMBuildICmp(g->b, LLVMIntNE, x, LLVMConstNull(bits), "");
}

static LV
all_on(Lanes *l)
{
    return lane_splat(l, LLVMConstInt(l->g->i1, 1, false));
}

static LV
both(Lanes *l, LV mask, LV cond)
{
    return mask ? LLVMBuildAnd(l->g->b, mask, cond, "") : cond;
}

static void
clear(Lanes *l, LV slot, LV lanes)
{
    narrow_mask(l, slot, LLVMBuildNot(l->g->b, lanes, ""));
}

/* Inside r until leave(): r is off in some lanes, which still need `keep`. */
static void
enter(Lanes *l, LaneRegion *r, LV mask, const uint64_t *keep)
{
    int words = l->a->words;
    uint64_t *all = arena_dup(&l->g->cx->arena, keep, sizeof *all * (size_t)words);
    for (int i = 0; i < words && l->at->keep; i++)
        all[i] |= l->at->keep[i];
    *r = (LaneRegion){lane_new_mask(l, mask), all, false, l->at};
    l->at = r;
}

static void
leave(Lanes *l)
{
    l->at = l->at->up;
}

/* ---- assignments ---- */

static LV
blend(Lanes *l, LV mask, LV x, LV slot)
{
    return LLVMBuildSelect(l->g->b, mask, x, get(l->g, LLVMTypeOf(x), slot), "");
}

void
lane_assign(Lanes *l, IrVar *v, Val x)
{
    Gen *g = l->g;
    Slot *d = &g->slots[v->id];
    bool wide = l->a->step[v->id] == IR_VARYING;
    LV mask = wide && l->at->keep && ir_in(l->at->keep, v) ? lane_mask(l) : NULL;
    put(g, mask ? blend(l, mask, x.v, d->v) : x.v, d->v);
    if (d->im)
        put(g, mask ? blend(l, mask, x.im, d->im) : x.im, d->im);
}

static void
lane_set(Lanes *l, IrStmt *s)
{
    bool wide = l->a->step[s->var->id] == IR_VARYING;
    lane_assign(l, s->var, wide ? lane_value(l, s->e) : emit_expr(l->g, s->e));
}

/* ---- branches ---- */

enum { CHEAP = 24 };

static int
expr_cost(Lanes *l, const IrExpr *e)
{
    int n = 1;
    if (!e || e->n == 0)
        return 0;
    if (e->kind == IX_LOAD) /* of one cell: it may not be there when no lane wants it */
        n = ir_lane_step(l->a, e) == 0 ? CHEAP : 3;
    if (e->kind == IX_OP &&
        (op_info[e->op].flags & OPF_COSTLY || e->op == OP_floordiv || e->op == OP_mod))
        n = 12;
    for (int i = 0; i < e->n; i++)
        n += expr_cost(l, e->arg[i]);
    return n;
}

/* May it run, and quickly, when no lane is on? */
static bool
is_cheap(Lanes *l, const IrBlock *b, int *left)
{
    for (const IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == IS_BREAK || s->kind == IS_CONTINUE || s->kind == IS_RAISE)
            continue;
        if (s->kind != IS_SET)
            return false;
        *left -= 1 + expr_cost(l, s->e);
    }
    return *left > 0;
}

static void
masked_block(Lanes *l, IrBlock *b, LV mask, const uint64_t *keep)
{
    Gen *g = l->g;
    LaneRegion r;
    int left = CHEAP;
    LLVMBasicBlockRef next = NULL;
    if (!b->first)
        return;
    if (!is_cheap(l, b, &left)) {
        LLVMBasicBlockRef some = new_block(g, "lanes.on");
        next = new_block(g, "lanes.off");
        branch(g, lane_any(l, mask), some, next, NULL);
        LLVMPositionBuilderAtEnd(g->b, some);
    }
    enter(l, &r, mask, keep);
    lane_block(l, b);
    leave(l);
    if (next) {
        jump(g, next);
        LLVMPositionBuilderAtEnd(g->b, next);
    }
}

static void
uniform_if(Lanes *l, IrStmt *s)
{
    Gen *g = l->g;
    LLVMBasicBlockRef yes = new_block(g, "then"), next = new_block(g, "endif");
    LLVMBasicBlockRef no = s->els.first ? new_block(g, "else") : next;
    branch(g, emit_expr(g, s->e).v, yes, no, NULL);
    LLVMPositionBuilderAtEnd(g->b, yes);
    lane_block(l, &s->body);
    jump(g, next);
    if (no != next) {
        LLVMPositionBuilderAtEnd(g->b, no);
        lane_block(l, &s->els);
        jump(g, next);
    }
    LLVMPositionBuilderAtEnd(g->b, next);
}

static void
lane_if(Lanes *l, IrStmt *s)
{
    IrLaneInfo *info = ir_lane_info(l->a, s);
    if (!info->divergent) {
        uniform_if(l, s);
        return;
    }
    LV cond = lane_value(l, s->e).v, mask = lane_mask(l);
    LV no = s->els.first ? both(l, mask, LLVMBuildNot(l->g->b, cond, "")) : NULL;
    masked_block(l, &s->body, both(l, mask, cond), info->keep[0]);
    if (no)
        masked_block(l, &s->els, no, info->keep[1]);
}

/* ---- loops ---- */

static void
uniform_loop(Lanes *l, IrStmt *s)
{
    Gen *g = l->g;
    Counted c = {.step = 1};
    c.lo = emit_int(g, s->idx[0]);
    c.hi = emit_int(g, s->idx[1]);
    ir_is_const(s->idx[2], &c.step);
    counted_begin(g, &c);
    put(g, emit_cast(g, (DType)s->var->dtype, DT_i64, (Val){c.i, NULL}).v, g->slots[s->var->id].v);
    LoopTarget t = {c.done, c.latch, g->loops};
    LaneLoop here = {.up = l->loops};
    g->loops = &t;
    l->loops = &here;
    lane_block(l, &s->body);
    g->loops = t.up;
    l->loops = here.up;
    loop_metadata(g, s, counted_end(g, &c), true);
}

static void
uniform_while(Lanes *l, IrStmt *s)
{
    Gen *g = l->g;
    LLVMBasicBlockRef head = new_block(g, "while"), body = new_block(g, "body"),
                      done = new_block(g, "done");
    LoopTarget t = {done, head, g->loops};
    LaneLoop here = {.up = l->loops};
    jump(g, head);
    LLVMPositionBuilderAtEnd(g->b, head);
    g->loops = &t;
    l->loops = &here;
    lane_block(l, &s->pre);
    if (!ended(g))
        branch(g, emit_expr(g, s->e).v, body, done, NULL);
    LLVMPositionBuilderAtEnd(g->b, body);
    lane_block(l, &s->body);
    g->loops = t.up;
    l->loops = here.up;
    if (!ended(g))
        loop_metadata(g, s, LLVMBuildBr(g->b, head), true);
    LLVMPositionBuilderAtEnd(g->b, done);
}

enum { POLL_EVERY = 1024 };

typedef struct Parting { /* a loop that lanes leave by themselves */
    LaneLoop loop;
    LaneRegion region;
    LLVMBasicBlockRef poll, head, body, done;
    LV since; /* slot: iterations since the last poll */
} Parting;

/* The call of a poll would have vectors kept in memory, if it were in the loop itself: it is in a
 * loop around it. (With AVX-512 there are registers enough.) */
static void
begin_polls(Lanes *l, Parting *p)
{
    Gen *g = l->g;
    p->since = new_slot(g, g->i64, "since");
    p->poll = new_block(g, "lanes.poll");
    jump(g, p->poll);
    LLVMPositionBuilderAtEnd(g->b, p->poll);
    emit_poll(g);
    put(g, k64(g, 0), p->since);
}

/* Each iteration starts at p->head, where `live` is looked at. */
static void
begin_parting(Lanes *l, Parting *p, IrStmt *s, LV live)
{
    Gen *g = l->g;
    const uint64_t *keep = ir_lane_info(l->a, s)->keep[0];
    p->since = NULL;
    p->head = new_block(g, "lanes.head");
    p->body = new_block(g, "lanes.body");
    p->done = new_block(g, "lanes.done");
    p->loop = (LaneLoop){true, lane_new_mask(l, live), &p->region, l->loops};
    enter(l, &p->region, live, keep);
    l->loops = &p->loop;
    if (s->body.first && s->body.first->kind == IS_POLL && !g->isa.masks)
        begin_polls(l, p);
    jump(g, p->head);
    LLVMPositionBuilderAtEnd(g->b, p->head);
}

/* The live lanes where cond holds take part in this iteration; none: the loop is over. */
static void
parting_body(Lanes *l, Parting *p, LV cond)
{
    Gen *g = l->g;
    LV live = narrow_mask(l, p->loop.live, cond);
    copy_mask(l, p->loop.live, p->region.mask);
    branch(g, lane_any(l, live), p->body, p->done, NULL);
    LLVMPositionBuilderAtEnd(g->b, p->body);
}

/* The body, and back. */
static void
end_parting(Lanes *l, IrStmt *s, Parting *p)
{
    Gen *g = l->g;
    IrBlock body = s->body;
    LV back;
    if (p->since)
        body.first = body.first->next;
    lane_block(l, &body);
    leave(l);
    l->loops = p->loop.up;
    if (p->since) {
        LV n = LLVMBuildAdd(g->b, get(g, g->i64, p->since), k64(g, 1), "");
        put(g, n, p->since);
        LV soon = LLVMBuildICmp(g->b, LLVMIntULT, n, k64(g, POLL_EVERY), "");
        back = LLVMBuildCondBr(g->b, soon, p->head, p->poll);
        LLVMSetMetadata(back, g->md_prof, g->likely);
    } else {
        back = LLVMBuildBr(g->b, p->head);
    }
    loop_metadata(g, s, back, true);
    LLVMPositionBuilderAtEnd(g->b, p->done);
}

static void
parting_while(Lanes *l, IrStmt *s)
{
    Parting p;
    LV mask = lane_mask(l);
    begin_parting(l, &p, s, mask ? mask : all_on(l));
    copy_mask(l, p.loop.live, p.region.mask);
    lane_block(l, &s->pre);
    parting_body(l, &p, lane_splat(l, lane_value(l, s->e).v));
    end_parting(l, s, &p);
}

/* How often each lane runs; no value of the variable overflows in a lane that is on. */
static LV
lane_trips(Lanes *l, LV lo, LV hi, int64_t step)
{
    LLVMBuilderRef b = l->g->b;
    uint64_t size = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    LV span = step > 0 ? LLVMBuildSub(b, hi, lo, "") : LLVMBuildSub(b, lo, hi, "");
    LV less = LLVMBuildSub(b, span, lane_splat(l, k64(l->g, 1)), "");
    LV n = LLVMBuildUDiv(b, less, lane_splat(l, k64(l->g, (int64_t)size)), "");
    n = LLVMBuildAdd(b, n, lane_splat(l, k64(l->g, 1)), "");
    LV some = LLVMBuildICmp(b, step > 0 ? LLVMIntSLT : LLVMIntSGT, lo, hi, "");
    return LLVMBuildSelect(b, some, n, LLVMConstNull(LLVMTypeOf(n)), "");
}

static LV
as_i64(Lanes *l, const IrExpr *e)
{
    return emit_cast(l->g, DT_i64, (DType)e->dtype, lane_value(l, e)).v;
}

/* A count that all lanes share, from 0, is compared with each lane's number of iterations. */
static void
parting_loop(Lanes *l, IrStmt *s)
{
    Gen *g = l->g;
    Parting p;
    int64_t step = 1;
    ir_is_const(s->idx[2], &step);
    bool wide = l->a->step[s->var->id] == IR_VARYING;
    LV all = as_i64(l, s->idx[0]), hi = as_i64(l, s->idx[1]);
    LV lo = wide ? all : emit_int(g, s->idx[0]);
    LV trips = lane_trips(l, all, hi, step), mask = lane_mask(l);
    LV count = new_slot(g, g->i64, "count");
    put(g, k64(g, 0), count);
    begin_parting(l, &p, s, mask ? mask : all_on(l));
    LV k = get(g, g->i64, count), far = LLVMBuildMul(g->b, k, k64(g, step), "");
    LV on = LLVMBuildICmp(g->b, LLVMIntUGT, trips, lane_splat(l, k), "");
    parting_body(l, &p, on);
    LV i = LLVMBuildAdd(g->b, lo, wide ? lane_splat(l, far) : far, "");
    put(g, emit_cast(g, (DType)s->var->dtype, DT_i64, (Val){i, NULL}).v, g->slots[s->var->id].v);
    put(g, LLVMBuildAdd(g->b, k, k64(g, 1), ""), count);
    end_parting(l, s, &p);
}

/* break: out of the loop for good; continue: until its next iteration. */
static void
lane_jump(Lanes *l, IrStmt *s)
{
    LaneLoop *loop = l->loops;
    if (!loop->divergent) {
        jump(l->g, s->kind == IS_BREAK ? l->g->loops->brk : l->g->loops->cont);
        return;
    }
    LV mask = lane_mask(l);
    if (s->kind == IS_BREAK)
        clear(l, loop->live, mask);
    for (LaneRegion *r = l->at;; r = r->up) {
        clear(l, r->mask, mask);
        if (r == loop->body)
            break;
    }
}

/* ---- checks ---- */

/* Leaves the vectors when one of the lanes that are on is bad. */
static void
bail_if(Lanes *l, LV bad)
{
    Gen *g = l->g;
    LV mask = lane_mask(l), any;
    if (LLVMGetTypeKind(LLVMTypeOf(bad)) == LLVMVectorTypeKind)
        any = lane_any(l, mask ? LLVMBuildAnd(g->b, mask, bad, "") : bad);
    else
        any = bad;
    LLVMBasicBlockRef next = new_block(g, "ok");
    branch(g, any, l->bail, next, g->rare);
    LLVMPositionBuilderAtEnd(g->b, next);
}

static void
lane_check(Lanes *l, IrStmt *s)
{
    LV ok = lane_varies(l, s->e) ? lane_value(l, s->e).v : emit_expr(l->g, s->e).v;
    bail_if(l, LLVMBuildNot(l->g->b, ok, ""));
}

static void
lane_check_index(Lanes *l, IrStmt *s)
{
    Gen *g = l->g;
    LV dim = array_dim(g, s->var, s->axis), i;
    if (ir_lane_step(l->a, s->e) == 0)
        i = emit_int(g, s->e);
    else
        i = as_i64(l, s->e);
    dim = LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind ? lane_splat(l, dim) : dim;
    LV neg = LLVMBuildICmp(g->b, LLVMIntSLT, i, LLVMConstNull(LLVMTypeOf(i)), "");
    LV wrapped = LLVMBuildSelect(g->b, neg, LLVMBuildAdd(g->b, i, dim, ""), i, "");
    bail_if(l, LLVMBuildICmp(g->b, LLVMIntUGE, wrapped, dim, ""));
}

/* Where no lane is on, nothing is raised. */
static void
lane_raise(Lanes *l)
{
    Gen *g = l->g;
    LV mask = lane_mask(l);
    LLVMBasicBlockRef next = new_block(g, "ok");
    if (mask)
        branch(g, lane_any(l, mask), l->bail, next, g->rare);
    else
        LLVMBuildBr(g->b, l->bail);
    if (mask)
        LLVMPositionBuilderAtEnd(g->b, next);
    else
        LLVMDeleteBasicBlock(next);
}

/* ---- blocks ---- */

/* Does s clear lanes in the mask that is current around it? */
static bool
clears_lanes(Lanes *l, const IrStmt *s)
{
    if (ir_does(s, ST_BREAKS))
        return l->loops->divergent;
    if (s->kind != IS_IF)
        return false;
    const IrBlock *side[2] = {&s->body, &s->els};
    for (int i = 0; i < 2; i++)
        for (const IrStmt *t = side[i]->first; t; t = t->next)
            if (clears_lanes(l, t))
                return true;
    return false;
}

static void
lane_stmt(Lanes *l, IrStmt *s)
{
    IrLaneInfo *info = ir_lane_info(l->a, s);
    switch (s->kind) {
    case IS_SET:
        lane_set(l, s);
        break;
    case IS_STORE:
        lane_store(l, s);
        break;
    case IS_IF:
        lane_if(l, s);
        break;
    case IS_LOOP:
        (info->divergent ? parting_loop : uniform_loop)(l, s);
        break;
    case IS_WHILE:
        (info->divergent ? parting_while : uniform_while)(l, s);
        break;
    case IS_BREAK:
    case IS_CONTINUE:
        lane_jump(l, s);
        break;
    case IS_CHECK:
        lane_check(l, s);
        break;
    case IS_CHECK_INDEX:
        lane_check_index(l, s);
        break;
    case IS_RAISE:
        lane_raise(l);
        break;
    case IS_ATOMIC:
        lane_atomic(l, s);
        break;
    default: /* the same in all lanes: the pass has let nothing else in */
        emit_stmt(l->g, s);
        break;
    }
}

void
lane_block(Lanes *l, IrBlock *b)
{
    Gen *g = l->g;
    LLVMBasicBlockRef end = NULL;
    for (IrStmt *s = b->first; s && !ended(g); s = s->next) {
        debug_at(g, s->at);
        lane_stmt(l, s);
        bool jumped = s->kind == IS_BREAK || s->kind == IS_CONTINUE || s->kind == IS_RAISE;
        if (jumped || !s->next || ended(g) || !clears_lanes(l, s)) {
            if (jumped)
                break;
            continue;
        }
        LLVMBasicBlockRef on = new_block(g, "lanes.left");
        end = end ? end : new_block(g, "lanes.none");
        branch(g, lane_any(l, lane_mask(l)), on, end, NULL);
        LLVMPositionBuilderAtEnd(g->b, on);
    }
    if (end) {
        jump(g, end);
        LLVMPositionBuilderAtEnd(g->b, end);
    }
}
