/* SPDX-License-Identifier: BSD-3-Clause
 * Atomic operations and fences of kernels that run on the processor. Takes an IS_ATOMIC, yields an
 * atomicrmw where there is one of its kind, else a loop around a compare-and-swap. The order is
 * relaxed, as CUDA's is. The threads of a block run on one worker, one after the other: what lies
 * in the block's own memory is loaded, changed and stored. */
#include "emit.h"

static Val
apply(Gen *g, IrOp op, DType d, Val a, Val b)
{
    IrExpr leaf = {.kind = IX_CONST, .dtype = (uint8_t)d}, *leaves[2] = {&leaf, &leaf};
    IrExpr e = {.kind = IX_OP, .dtype = (uint8_t)d, .op = (uint8_t)op, .n = 2, .arg = leaves};
    Val args[2] = {a, b};
    return emit_apply(g, &e, args);
}

static LV
compare(Gen *g, LLVMIntPredicate p, LV a, LV b)
{
    return LLVMBuildICmp(g->b, p, a, b, "");
}

/* old >= x ? 0 : old + 1; old == 0 or old > x ? x : old - 1. Both count as unsigned. */
static LV
count(Gen *g, bool up, LV old, LV x)
{
    LV zero = LLVMConstNull(LLVMTypeOf(old)), one = LLVMConstInt(LLVMTypeOf(old), 1, false);
    if (up)
        return LLVMBuildSelect(g->b, compare(g, LLVMIntUGE, old, x), zero,
                               LLVMBuildAdd(g->b, old, one, ""), "");
    LV end =
        LLVMBuildOr(g->b, compare(g, LLVMIntEQ, old, zero), compare(g, LLVMIntUGT, old, x), "");
    return LLVMBuildSelect(g->b, end, x, LLVMBuildSub(g->b, old, one, ""), "");
}

Val
emit_atomic_value(Gen *g, IrAtomic op, DType d, Val old, Val x)
{
    static const IrOp ops[ATOM_COUNT_] = {OP_add,  OP_sub, OP_min, OP_max, OP_fmin,
                                          OP_fmax, OP_and, OP_or,  OP_xor};
    if (op < ATOM_XCHG)
        return apply(g, ops[op], d, old, x);
    if (op == ATOM_INC || op == ATOM_DEC)
        return (Val){count(g, op == ATOM_INC, old.v, x.v), NULL};
    return x;
}

static void
give_old(Gen *g, const IrStmt *s, Val old)
{
    if (!s->var)
        return;
    Slot *to = &g->slots[s->var->id];
    put(g, old.v, to->v);
    if (old.im)
        put(g, old.im, to->im);
}

static LLVMTypeRef
int_type(Gen *g, DType d)
{
    return LLVMIntTypeInContext(g->c, 8 * (unsigned)dtype_size(d));
}

/* A value in registers as the bits in memory, and back. */
static LV
to_bits(Gen *g, DType d, LV v)
{
    return d == DT_bool ? LLVMBuildZExt(g->b, v, g->i8, "")
                        : LLVMBuildBitCast(g->b, v, int_type(g, d), "");
}

static LV
from_bits(Gen *g, DType d, LV v)
{
    return d == DT_bool ? compare(g, LLVMIntNE, v, LLVMConstNull(g->i8))
                        : LLVMBuildBitCast(g->b, v, reg_type(g, d), "");
}

/* ---- memory of one block --------------------------------------------------------------------- */

static void
emit_plain(Gen *g, IrStmt *s, Val x)
{
    DType d = (DType)s->base->dtype;
    LV group = g->group;
    g->group = NULL; /* several threads may touch the element */
    Val old = array_load(g, s->base, s->idx);
    if (s->order == ATOM_CAS) {
        LV want = emit_expr(g, s->args[0].e).v;
        LV same = compare(g, LLVMIntEQ, to_bits(g, d, old.v), to_bits(g, d, want));
        x.v = LLVMBuildSelect(g->b, same, x.v, old.v, "");
    }
    array_store(g, s->base, s->idx, emit_atomic_value(g, (IrAtomic)s->order, d, old, x));
    g->group = group;
    give_old(g, s, old);
}

/* ---- memory of all --------------------------------------------------------------------------- */

static LV
swap(Gen *g, LV p, LV want, LV next)
{
    return LLVMBuildAtomicCmpXchg(g->b, p, want, next, LLVMAtomicOrderingMonotonic,
                                  LLVMAtomicOrderingMonotonic, false);
}

/* One number at p; yields the old one. */
static LV
swap_loop(Gen *g, IrAtomic op, DType d, LV p, LV x)
{
    LV first = get(g, int_type(g, d), p);
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(g->b), again = new_block(g, "atomic"),
                      done = new_block(g, "done");
    jump(g, again);
    LLVMPositionBuilderAtEnd(g->b, again);
    LV seen = LLVMBuildPhi(g->b, int_type(g, d), "");
    LLVMAddIncoming(seen, &first, &from, 1);
    LV old = from_bits(g, d, seen);
    LV next = emit_atomic_value(g, op, d, (Val){old, NULL}, (Val){x, NULL}).v;
    LV r = swap(g, p, seen, to_bits(g, d, next));
    LV now = LLVMBuildExtractValue(g->b, r, 0, "");
    from = LLVMGetInsertBlock(g->b);
    LLVMAddIncoming(seen, &now, &from, 1);
    branch(g, LLVMBuildExtractValue(g->b, r, 1, ""), done, again, NULL);
    LLVMPositionBuilderAtEnd(g->b, done);
    return old;
}

/* The instruction for it, or -1. */
static int
instruction(IrAtomic op, DType d)
{
    bool whole = dtype_is_int(d), sign = dtype_kind(d) == DK_INT;
    switch (op) {
    case ATOM_ADD:
        return whole ? LLVMAtomicRMWBinOpAdd : d == DT_f16 ? -1 : LLVMAtomicRMWBinOpFAdd;
    case ATOM_SUB:
        return whole ? LLVMAtomicRMWBinOpSub : d == DT_f16 ? -1 : LLVMAtomicRMWBinOpFSub;
    case ATOM_MIN:
    case ATOM_NANMIN:
        return !whole ? -1 : sign ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
    case ATOM_MAX:
    case ATOM_NANMAX:
        return !whole ? -1 : sign ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
    case ATOM_AND:
        return LLVMAtomicRMWBinOpAnd;
    case ATOM_OR:
        return LLVMAtomicRMWBinOpOr;
    case ATOM_XOR:
        return LLVMAtomicRMWBinOpXor;
    case ATOM_XCHG:
        return whole ? LLVMAtomicRMWBinOpXchg : -1;
    default:
        return -1;
    }
}

static LV
emit_one(Gen *g, IrStmt *s, DType d, LV p, LV x)
{
    if (s->order == ATOM_CAS) {
        LV want = emit_expr(g, s->args[0].e).v;
        LV r = swap(g, p, to_bits(g, d, want), to_bits(g, d, x));
        return from_bits(g, d, LLVMBuildExtractValue(g->b, r, 0, ""));
    }
    int op = d == DT_bool ? -1 : instruction((IrAtomic)s->order, d);
    if (op < 0)
        return swap_loop(g, (IrAtomic)s->order, d, p, x);
    return LLVMBuildAtomicRMW(g->b, (LLVMAtomicRMWBinOp)op, p, x, LLVMAtomicOrderingMonotonic,
                              false);
}

/* Both parts are added to, one after the other: the sum is right, a glance in between is not. */
static void
emit_complex(Gen *g, IrStmt *s, LV p, Val x)
{
    DType part = s->base->dtype == DT_c64 ? DT_f32 : DT_f64;
    if (s->order != ATOM_ADD && s->order != ATOM_SUB) {
        internal_error(g, s->at, "an atomic operation that complex numbers do not have");
        return;
    }
    Val old = {emit_one(g, s, part, p, x.v), NULL};
    old.im = emit_one(g, s, part, field(g, p, dtype_size(part)), x.im);
    give_old(g, s, old);
}

void
emit_atomic(Gen *g, IrStmt *s)
{
    DType d = (DType)s->base->dtype;
    Val x = emit_expr(g, s->e);
    if (s->base->space != SPACE_HEAP) {
        emit_plain(g, s, x);
        return;
    }
    LV p = array_address(g, s->base, s->idx);
    if (dtype_is_complex(d))
        emit_complex(g, s, p, x);
    else
        give_old(g, s, (Val){emit_one(g, s, d, p, x.v), NULL});
}

void
emit_fence(Gen *g, IrStmt *s)
{
    if (s->order != FENCE_BLOCK) /* its threads run one after the other */
        LLVMBuildFence(g->b, LLVMAtomicOrderingSequentiallyConsistent, false, "");
}
