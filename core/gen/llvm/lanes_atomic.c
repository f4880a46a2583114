/* SPDX-License-Identifier: BSD-3-Clause
 * Atomic additions in vector lanes: takes `old = atomic add a[i], x` where a[i] and x are the same
 * in all lanes, yields one addition for the lanes that are on; each gets what it would have seen,
 * had they come one after the other. The hard idea: out[old] = v behind it appends to out, so
 * that the lanes' values go there side by side, by one store, if old is all that the index is
 * made of; whether it is (it may wrap around, or be cut to fewer bits) is looked at when it runs.
 * Where a check may yet send the lanes back to the start of their group, the addition is undone. */
#include "lanes.h"

/* ---- the addition ---------------------------------------------------------------------------- */

static LV
count_lanes(Lanes *l, LV mask, LLVMTypeRef t)
{
    Gen *g = l->g;
    if (!mask)
        return LLVMConstInt(t, (uint64_t)l->w, false);
    LLVMTypeRef bits = LLVMIntTypeInContext(g->c, (unsigned)l->w);
    LV x = LLVMBuildBitCast(g->b, mask, bits, "");
    return LLVMBuildIntCast2(g->b, intrinsic(g, "llvm.ctpop", bits, &x, 1), t, false, "");
}

/* Expand or compress of a whole register, by mask. */
static LV
by_mask(Lanes *l, const char *name, LV x, LV mask)
{
    LV args[3] = {x, LLVMConstNull(LLVMTypeOf(x)), mask};
    return intrinsic(l->g, name, LLVMTypeOf(x), args, 3);
}

static bool
fills_register(Lanes *l)
{
    return l->g->isa.expand && (l->w == 16 || l->w == 8);
}

static LLVMTypeRef
lane_int(Lanes *l)
{
    return l->w == 16 ? l->g->i32 : l->g->i64;
}

/* How many lanes before it are on: by lane. */
static LV
rank_lanes(Lanes *l, LV mask, LLVMTypeRef t)
{
    Gen *g = l->g;
    LLVMTypeRef vt = lane_type(l, t);
    if (!mask)
        return lane_const(l, t, 0, 1);
    if (fills_register(l)) {
        LV r = by_mask(l, l->g->isa.expand, lane_const(l, lane_int(l), 0, 1), mask);
        return LLVMBuildIntCast2(g->b, r, vt, false, "");
    }
    LV one = LLVMBuildZExt(g->b, mask, vt, ""), sum = one, none = LLVMConstNull(vt);
    for (int far = 1; far < l->w; far *= 2) {
        LV from[MAX_LANES];
        for (int i = 0; i < l->w; i++)
            from[i] = k32(g, i < far ? l->w : i - far);
        LV moved =
            LLVMBuildShuffleVector(g->b, sum, none, LLVMConstVector(from, (unsigned)l->w), "");
        sum = LLVMBuildAdd(g->b, sum, moved, "");
    }
    return LLVMBuildSub(g->b, sum, one, "");
}

static LaneUndo *
undo_of(Lanes *l, const IrStmt *s)
{
    for (LaneUndo *u = l->undo; u; u = u->up)
        if (u->s == s)
            return u;
    return NULL;
}

/* Adds n; yields what was there. */
static LV
add_once(Lanes *l, IrStmt *s, LV n)
{
    Gen *g = l->g;
    LV p = array_address(g, s->base, s->idx);
    if (s->base->space == SPACE_HEAP)
        return LLVMBuildAtomicRMW(g->b, LLVMAtomicRMWBinOpAdd, p, n, LLVMAtomicOrderingMonotonic,
                                  false);
    LLVMTypeRef t = LLVMTypeOf(n);
    LV old = get(g, t, p), st;
    mark_access(g, s->base, old);
    LaneUndo *u = undo_of(l, s);
    if (u) {
        put(g, p, u->at);
        put(g, old, u->old);
        put(g, LLVMConstInt(g->i1, 1, false), u->done);
    }
    st = LLVMBuildStore(g->b, LLVMBuildAdd(g->b, old, n, ""), p);
    mark_access(g, s->base, st);
    return old;
}

void
lane_atomic(Lanes *l, IrStmt *s)
{
    Gen *g = l->g;
    LV mask = lane_mask(l), x = emit_expr(g, s->e).v, group = g->group;
    LLVMTypeRef t = LLVMTypeOf(x);
    LV n = count_lanes(l, mask, t);
    g->group = NULL; /* several groups of lanes touch the element */
    LV old = add_once(l, s, LLVMBuildMul(g->b, n, x, ""));
    g->group = group;
    if (!s->var)
        return;
    LV each = LLVMBuildMul(g->b, rank_lanes(l, mask, t), lane_splat(l, x), "");
    lane_assign(l, s->var, (Val){LLVMBuildAdd(g->b, lane_splat(l, old), each, ""), NULL});
    LaneAppend *a = NEW(&g->cx->arena, LaneAppend);
    bool ones = LLVMIsAConstantInt(x) && LLVMConstIntGetZExtValue(x) == 1;
    *a = (LaneAppend){s->var, l->at, old, n, ones, l->appends};
    l->appends = a;
}

/* ---- undone ---------------------------------------------------------------------------------- */

static void
find_atomic(IrBlock *b, IrStmt *s, void *arg)
{
    Lanes *l = arg;
    Gen *g = l->g;
    (void)b;
    if (s->kind != IS_ATOMIC || s->base->space == SPACE_HEAP)
        return;
    LaneUndo *u = NEW(&g->cx->arena, LaneUndo);
    *u = (LaneUndo){s, new_slot(g, g->i1, "done"), new_slot(g, g->ptr, "at"),
                    new_slot(g, reg_type(g, (DType)s->base->dtype), "old"), l->undo};
    l->undo = u;
}

void
lane_find_atomics(Lanes *l, IrStmt *loop)
{
    ir_walk_block(&loop->body, find_atomic, l);
}

void
lane_begin_undo(Lanes *l)
{
    for (LaneUndo *u = l->undo; u; u = u->up)
        put(l->g, LLVMConstInt(l->g->i1, 0, false), u->done);
}

/* The last comes first. */
void
lane_undo(Lanes *l)
{
    Gen *g = l->g;
    for (LaneUndo *u = l->undo; u; u = u->up) {
        LLVMBasicBlockRef yes = new_block(g, "undo"), next = new_block(g, "undone");
        branch(g, get(g, g->i1, u->done), yes, next, NULL);
        LLVMPositionBuilderAtEnd(g->b, yes);
        LV old = get(g, reg_type(g, (DType)u->s->base->dtype), u->old);
        LLVMBuildStore(g->b, old, get(g, g->ptr, u->at));
        jump(g, next);
        LLVMPositionBuilderAtEnd(g->b, next);
    }
}

/* ---- values that are appended ---------------------------------------------------------------- */

/* The one variable of e that differs from lane to lane, where e goes up or down by as much as it:
 * but for integers that wrap. NULL: it is not so. */
static const IrVar *
only_term(Lanes *l, const IrExpr *e, bool *down)
{
    if (e->kind == IX_VAR)
        return e->var;
    if (e->kind == IX_CAST && dtype_is_int((DType)e->dtype) &&
        dtype_is_int((DType)e->arg[0]->dtype))
        return only_term(l, e->arg[0], down);
    bool wrap = e->kind == IX_OP && e->op == OP_wrap;
    if (e->kind != IX_OP || (!wrap && e->op != OP_add && e->op != OP_sub))
        return NULL;
    int at = lane_varies(l, e->arg[0]) ? 0 : 1;
    if (ir_lane_step(l->a, e->arg[1 - at]) != 0 || (wrap && at))
        return NULL;
    *down ^= e->op == OP_sub && at == 1;
    return only_term(l, e->arg[at], down);
}

/* e for the lane that has `value` in the variable. */
static LV
index_for(Lanes *l, const LaneAppend *a, IrExpr *e, LV value)
{
    Gen *g = l->g;
    Slot *slot = &g->slots[a->var->id], saved = *slot;
    int64_t step = l->a->step[a->var->id];
    slot->v = new_slot(g, LLVMTypeOf(value), "");
    l->a->step[a->var->id] = 0;
    put(g, value, slot->v);
    LV i = emit_int(g, e);
    l->a->step[a->var->id] = step;
    *slot = saved;
    return i;
}

/* Values of lanes that are on, to the front; 32 bits each may go by way of 64. */
static LV
compress(Lanes *l, LV x, LV mask, int bits)
{
    Gen *g = l->g;
    LLVMTypeRef t = LLVMTypeOf(x), word = LLVMIntTypeInContext(g->c, (unsigned)bits);
    LV all = LLVMBuildBitCast(g->b, x, lane_type(l, word), "");
    all = LLVMBuildIntCast2(g->b, all, lane_type(l, lane_int(l)), false, "");
    all = by_mask(l, g->isa.compress, all, mask);
    all = LLVMBuildIntCast2(g->b, all, lane_type(l, word), false, "");
    return LLVMBuildBitCast(g->b, all, t, "");
}

static void
store_front(Lanes *l, IrStmt *s, const LaneAppend *a, LV x, LV i, bool down)
{
    Gen *g = l->g;
    int64_t size = dtype_size(s->var->dtype);
    LV n = LLVMBuildIntCast2(g->b, a->n, g->i64, false, ""), iota = lane_const(l, g->i64, 0, 1);
    LV packed = compress(l, x, lane_mask(l), dtype_info[s->var->dtype].bits);
    if (down)
        i = LLVMBuildSub(g->b, i, k64(g, l->w - 1), "");
    LV off = LLVMBuildMul(g->b, i, k64(g, size), "");
    LV p = LLVMBuildGEP2(g->b, g->i8, array_data(g, s->var), &off, 1, "");
    LV edge = down ? LLVMBuildSub(g->b, k64(g, l->w), n, "") : n;
    LV on = LLVMBuildICmp(g->b, down ? LLVMIntUGE : LLVMIntULT, iota, lane_splat(l, edge), "");
    lane_put_row(l, s->var, down ? lane_reversed(l, packed) : packed, p, on);
}

static const LaneAppend *
find_append(Lanes *l, IrStmt *s, bool *down)
{
    const IrVar *v = only_term(l, s->idx[0], down);
    int bits = dtype_info[s->var->dtype].bits;
    bool plain = fills_register(l) && s->var->ndim == 1 && s->var->layout == LAY_C &&
                 (bits == 32 || (bits == 64 && l->w == 8)) && l->at->mask && !l->loops->divergent;
    for (const LaneAppend *a = plain && v ? l->appends : NULL; a; a = a->up)
        if (a->var == v)
            return a->ones && a->at == l->at ? a : NULL;
    return NULL;
}

bool
lane_append(Lanes *l, IrStmt *s)
{
    Gen *g = l->g;
    bool down = false;
    const LaneAppend *a = find_append(l, s, &down);
    if (!a)
        return false;
    LV x = lane_value(l, s->e).v, one = LLVMConstInt(LLVMTypeOf(a->n), 1, false);
    LV end = LLVMBuildAdd(g->b, a->old, LLVMBuildSub(g->b, a->n, one, ""), "");
    LV i = index_for(l, a, s->idx[0], a->old), k = index_for(l, a, s->idx[0], end);
    LV far = down ? LLVMBuildSub(g->b, i, k, "") : LLVMBuildSub(g->b, k, i, "");
    LV n = LLVMBuildIntCast2(g->b, a->n, g->i64, false, "");
    LV row = LLVMBuildICmp(g->b, LLVMIntEQ, far, LLVMBuildSub(g->b, n, k64(g, 1), ""), "");
    LLVMBasicBlockRef yes = new_block(g, "row"), no = new_block(g, "apart"),
                      next = new_block(g, "stored");
    branch(g, row, yes, no, NULL);
    LLVMPositionBuilderAtEnd(g->b, yes);
    store_front(l, s, a, x, i, down);
    jump(g, next);
    LLVMPositionBuilderAtEnd(g->b, no);
    lane_scatter(l, s, (Val){x, NULL});
    jump(g, next);
    LLVMPositionBuilderAtEnd(g->b, next);
    return true;
}
