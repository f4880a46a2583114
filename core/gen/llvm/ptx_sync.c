/* SPDX-License-Identifier: BSD-3-Clause
 * What the threads of a block do together on NVIDIA's devices: barriers, votes and shuffles
 * of a warp, fences, atomic operations. An atomic operation that the hardware lacks (floats'
 * minimum, narrow integers, complex numbers of 8 bytes) is a loop around a compare-and-swap of
 * the element's bits, which LLVM widens to a word where it must. */
#include "emit.h"

static LV
call0(Gen *g, const char *name)
{
    return intrinsic(g, name, NULL, NULL, 0);
}

static void
give(Gen *g, IrVar *out, DType from, LV v)
{
    if (out)
        put(g, emit_cast(g, out->dtype, from, (Val){v, NULL}).v, g->slots[out->id].v);
}

/* ---- barriers and fences ------------------------------------------------------------ */

/* Through the launch's record of errors; where another thread has failed, this one leaves, too. */
static void
grid_barrier(Gen *g)
{
    LLVMTypeRef t = LLVMFunctionType(g->i32, &g->ptr, 1, false);
    LV fn = LLVMGetNamedFunction(g->mod, "sw_grid_sync");
    if (!fn) {
        fn = LLVMAddFunction(g->mod, "sw_grid_sync", t);
        add_attr(g, fn, "convergent", 0);
    }
    fail_if_status(g, LLVMBuildCall2(g->b, t, fn, &g->ctx, 1, ""));
}

static bool
is_known(const char *intrinsic)
{
    return LLVMLookupIntrinsicID(intrinsic, strlen(intrinsic)) != 0;
}

static void
block_barrier(Gen *g)
{
    LV which = k32(g, 0);
    if (is_known("llvm.nvvm.barrier0"))
        call0(g, "llvm.nvvm.barrier0");
    else /* from LLVM 22 on */
        intrinsic(g, "llvm.nvvm.barrier.cta.sync.aligned.all", NULL, &which, 1);
}

/* How many threads, whether all, whether any: an i32. */
static LV
block_vote(Gen *g, int how, LV p)
{
    static const char *const votes[VOTE_COUNT_][2] = {
        [VOTE_COUNT] = {"llvm.nvvm.barrier0.popc", "llvm.nvvm.barrier.cta.red.popc.aligned.all"},
        [VOTE_AND] = {"llvm.nvvm.barrier0.and", "llvm.nvvm.barrier.cta.red.and.aligned.all"},
        [VOTE_OR] = {"llvm.nvvm.barrier0.or", "llvm.nvvm.barrier.cta.red.or.aligned.all"},
    };
    if (is_known(votes[how][0]))
        return intrinsic(g, votes[how][0], NULL, &p, 1);
    LV args[2] = {k32(g, 0), LLVMBuildICmp(g->b, LLVMIntNE, p, k32(g, 0), "")};
    return LLVMBuildZExt(g->b, intrinsic(g, votes[how][1], NULL, args, 2), g->i32, "");
}

void
ptx_barrier(Gen *g, IrStmt *s)
{
    if (s->order == BAR_GRID) {
        grid_barrier(g);
    } else if (s->order == BAR_WARP) {
        LV mask = k32(g, -1);
        if (s->e && s->n == VOTE_NONE)
            mask = LLVMBuildTrunc(g->b, emit_int(g, s->e), g->i32, "");
        intrinsic(g, "llvm.nvvm.bar.warp.sync", NULL, &mask, 1);
    } else if (s->n == VOTE_NONE) {
        block_barrier(g);
    } else {
        LV p = emit_cast(g, DT_i32, s->e->dtype, emit_expr(g, s->e)).v;
        give(g, s->var, DT_i32, block_vote(g, s->n, p));
    }
}

void
ptx_fence(Gen *g, IrStmt *s)
{
    call0(g, s->order == FENCE_BLOCK    ? "llvm.nvvm.membar.cta"
             : s->order == FENCE_DEVICE ? "llvm.nvvm.membar.gl"
                                        : "llvm.nvvm.membar.sys");
}

/* ---- warps -------------------------------------------------------------------------- */

/* The bits of a value as one or two words of 32; how many. */
static int
to_words(Gen *g, DType d, LV v, LV w[2])
{
    LLVMTypeRef t = LLVMTypeOf(v);
    int bits = d == DT_bool ? 1 : (int)dtype_info[dtype_real(d)].bits;
    if (dtype_kind(d) >= DK_FLOAT)
        v = LLVMBuildBitCast(g->b, v, bits == 64 ? g->i64 : bits == 32 ? g->i32 : g->i16, "");
    (void)t;
    if (bits < 64) {
        w[0] = bits < 32 ? LLVMBuildZExt(g->b, v, g->i32, "") : v;
        return 1;
    }
    w[0] = LLVMBuildTrunc(g->b, v, g->i32, "");
    w[1] = LLVMBuildTrunc(g->b, LLVMBuildLShr(g->b, v, k64(g, 32), ""), g->i32, "");
    return 2;
}

static LV
from_words(Gen *g, LLVMTypeRef t, LV w[2], int n)
{
    LV v = w[0];
    if (n == 2) {
        LV hi = LLVMBuildShl(g->b, LLVMBuildZExt(g->b, w[1], g->i64, ""), k64(g, 32), "");
        v = LLVMBuildOr(g->b, LLVMBuildZExt(g->b, v, g->i64, ""), hi, "");
    }
    if (t == g->half)
        v = LLVMBuildTrunc(g->b, v, g->i16, "");
    else if (LLVMGetTypeKind(t) == LLVMIntegerTypeKind && n == 1 && t != g->i32)
        v = LLVMBuildTrunc(g->b, v, t, "");
    return LLVMBuildBitCast(g->b, v, t, "");
}

static LV
shuffle(Gen *g, IrWarp op, DType d, LV v, LV mask, LV by)
{
    static const char *const names[] = {
        [WARP_SHFL] = "llvm.nvvm.shfl.sync.idx.i32",
        [WARP_SHFL_UP] = "llvm.nvvm.shfl.sync.up.i32",
        [WARP_SHFL_DOWN] = "llvm.nvvm.shfl.sync.down.i32",
        [WARP_SHFL_XOR] = "llvm.nvvm.shfl.sync.bfly.i32",
    };
    LV w[2];
    int n = to_words(g, d, v, w);
    for (int k = 0; k < n; k++) {
        LV args[4] = {mask, w[k], by, k32(g, op == WARP_SHFL_UP ? 0 : 31)};
        w[k] = intrinsic(g, names[op], NULL, args, 4);
    }
    return from_words(g, LLVMTypeOf(v), w, n);
}

/* The threads of the warp that hold the same bits. A complex number matches where both parts do. */
static LV
match(Gen *g, IrWarp op, DType d, LV v, LV mask, LV *all)
{
    LV w[2];
    bool wide = to_words(g, d, v, w) == 2;
    LV args[2] = {mask, w[0]};
    if (wide)
        args[1] = dtype_is_int(d) ? v : LLVMBuildBitCast(g->b, v, g->i64, "");
    if (op == WARP_MATCH_ANY)
        return intrinsic(g, wide ? "llvm.nvvm.match.any.sync.i64" : "llvm.nvvm.match.any.sync.i32",
                         NULL, args, 2);
    LV pair = intrinsic(g, wide ? "llvm.nvvm.match.all.sync.i64p" : "llvm.nvvm.match.all.sync.i32p",
                        NULL, args, 2);
    *all = LLVMBuildExtractValue(g->b, pair, 1, "");
    return LLVMBuildExtractValue(g->b, pair, 0, "");
}

static void
emit_match(Gen *g, IrStmt *s, Val x, LV mask)
{
    LV all = NULL, r = match(g, s->order, s->e->dtype, x.v, mask, &all);
    if (x.im) {
        LV both = NULL, im = match(g, s->order, s->e->dtype, x.im, mask, &both);
        r = LLVMBuildAnd(g->b, r, im, "");
        all = all ? LLVMBuildAnd(g->b, all, both, "") : NULL;
    }
    give(g, s->var, DT_u32, r);
    if (all && s->n_outs)
        give(g, s->outs[0].out, DT_bool, all);
}

static void
emit_vote(Gen *g, IrStmt *s, LV p, LV mask)
{
    static const char *const names[WARP_COUNT_] = {
        [WARP_ANY] = "llvm.nvvm.vote.any.sync",
        [WARP_ALL] = "llvm.nvvm.vote.all.sync",
        [WARP_EQ] = "llvm.nvvm.vote.uni.sync",
        [WARP_BALLOT] = "llvm.nvvm.vote.ballot.sync",
    };
    LV args[2] = {mask, p};
    LV r = intrinsic(g, names[s->order], NULL, args, 2);
    give(g, s->var, s->order == WARP_BALLOT ? DT_u32 : DT_bool, r);
}

static void
emit_active(Gen *g, IrStmt *s)
{
    static const char text[] = "activemask.b32 $0;", where[] = "=r";
    LLVMTypeRef t = LLVMFunctionType(g->i32, NULL, 0, false);
    LV asm_ = LLVMGetInlineAsm(t, text, sizeof text - 1, where, sizeof where - 1, true, false,
                               LLVMInlineAsmDialectATT, false);
    LV call = LLVMBuildCall2(g->b, t, asm_, NULL, 0, "");
    unsigned kind = LLVMGetEnumAttributeKindForName("convergent", 10);
    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                             LLVMCreateEnumAttribute(g->c, kind, 0));
    give(g, s->var, DT_u32, call);
}

/* The hardware looks at the last five bits; who is too far away is nobody, as everywhere else. */
static LV
distance(Gen *g, IrWarp op, LV by)
{
    if (op != WARP_SHFL_UP && op != WARP_SHFL_DOWN)
        return by;
    LV near = LLVMBuildICmp(g->b, LLVMIntULT, by, k64(g, 32), "");
    return LLVMBuildSelect(g->b, near, by, k64(g, 0), "");
}

void
ptx_warp(Gen *g, IrStmt *s)
{
    if (s->order == WARP_ACTIVE) {
        emit_active(g, s);
        return;
    }
    LV mask = k32(g, -1), by = NULL;
    if (s->n_args > 0 && s->args[0].e)
        mask = LLVMBuildTrunc(g->b, emit_int(g, s->args[0].e), g->i32, "");
    if (s->n_args > 1 && s->args[1].e)
        by = LLVMBuildTrunc(g->b, distance(g, s->order, emit_int(g, s->args[1].e)), g->i32, "");
    Val x = emit_expr(g, s->e);
    if (s->order <= WARP_SHFL_XOR) {
        Slot *to = s->var ? &g->slots[s->var->id] : NULL;
        LV v = shuffle(g, s->order, s->e->dtype, x.v, mask, by);
        LV im = x.im ? shuffle(g, s->order, s->e->dtype, x.im, mask, by) : NULL;
        if (to)
            put(g, v, to->v);
        if (to && im)
            put(g, im, to->im);
    } else if (s->order == WARP_MATCH_ANY || s->order == WARP_MATCH_ALL) {
        emit_match(g, s, x, mask);
    } else {
        emit_vote(g, s, emit_cast(g, DT_bool, s->e->dtype, x).v, mask);
    }
}

/* ---- atomic operations -------------------------------------------------------------- */

/* LLVM's operation of the same meaning that the hardware has, or -1. */
static int
direct(IrAtomic op, DType d)
{
    bool integer = dtype_kind(d) == DK_INT || dtype_kind(d) == DK_UINT;
    bool is_signed = dtype_kind(d) == DK_INT;
    bool real = d == DT_f32 || d == DT_f64;
    if (!real && (!integer || dtype_info[d].bits < 32))
        return -1;
    switch (op) {
    case ATOM_ADD:
        return real ? LLVMAtomicRMWBinOpFAdd : LLVMAtomicRMWBinOpAdd;
    case ATOM_SUB:
        return real ? LLVMAtomicRMWBinOpFAdd : LLVMAtomicRMWBinOpSub;
    case ATOM_XCHG:
        return real ? -1 : LLVMAtomicRMWBinOpXchg;
    default:
        break;
    }
    if (real)
        return -1;
    switch (op) {
    case ATOM_MIN:
    case ATOM_NANMIN:
        return is_signed ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
    case ATOM_MAX:
    case ATOM_NANMAX:
        return is_signed ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
    case ATOM_AND:
        return LLVMAtomicRMWBinOpAnd;
    case ATOM_OR:
        return LLVMAtomicRMWBinOpOr;
    case ATOM_XOR:
        return LLVMAtomicRMWBinOpXor;
    default:
        return -1;
    }
}

static LV
to_bits(Gen *g, DType d, LLVMTypeRef word, Val x)
{
    if (d == DT_bool)
        return LLVMBuildZExt(g->b, x.v, word, "");
    if (d != DT_c64)
        return LLVMBuildBitCast(g->b, x.v, word, "");
    LV re = LLVMBuildZExt(g->b, LLVMBuildBitCast(g->b, x.v, g->i32, ""), word, "");
    LV im = LLVMBuildZExt(g->b, LLVMBuildBitCast(g->b, x.im, g->i32, ""), word, "");
    return LLVMBuildOr(g->b, re, LLVMBuildShl(g->b, im, k64(g, 32), ""), "");
}

static Val
from_bits(Gen *g, DType d, LV bits)
{
    if (d == DT_bool)
        return (Val){LLVMBuildICmp(g->b, LLVMIntNE, bits, LLVMConstNull(g->i8), ""), NULL};
    if (d != DT_c64)
        return (Val){LLVMBuildBitCast(g->b, bits, reg_type(g, d), ""), NULL};
    LV im = LLVMBuildTrunc(g->b, LLVMBuildLShr(g->b, bits, k64(g, 32), ""), g->i32, "");
    LV re = LLVMBuildTrunc(g->b, bits, g->i32, "");
    return (Val){LLVMBuildBitCast(g->b, re, g->f32, ""), LLVMBuildBitCast(g->b, im, g->f32, "")};
}

static Val
swap_loop(Gen *g, IrStmt *s, LV p, Val e, Val expected)
{
    DType d = s->base->dtype;
    int bits = d == DT_bool ? 8 : 8 * (int)dtype_size(d);
    LLVMTypeRef word = LLVMIntTypeInContext(g->c, (unsigned)bits);
    LV first = get(g, word, p);
    LLVMSetVolatile(first, true);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(g->b), again = new_block(g, "swap"),
                      done = new_block(g, "swapped");
    jump(g, again);
    LLVMPositionBuilderAtEnd(g->b, again);
    LV seen = LLVMBuildPhi(g->b, word, "");
    Val old = from_bits(g, d, seen);
    LV want;
    if (s->order == ATOM_CAS)
        want = LLVMBuildSelect(
            g->b, LLVMBuildICmp(g->b, LLVMIntEQ, seen, to_bits(g, d, word, expected), ""),
            to_bits(g, d, word, e), seen, "");
    else
        want = to_bits(g, d, word, emit_atomic_value(g, s->order, d, old, e));
    LV pair = LLVMBuildAtomicCmpXchg(g->b, p, seen, want, LLVMAtomicOrderingMonotonic,
                                     LLVMAtomicOrderingMonotonic, false);
    LV now = LLVMBuildExtractValue(g->b, pair, 0, "");
    LV ok = LLVMBuildExtractValue(g->b, pair, 1, "");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
    LLVMAddIncoming(seen, (LV[2]){first, now}, (LLVMBasicBlockRef[2]){from, here}, 2);
    branch(g, ok, done, again, NULL);
    LLVMPositionBuilderAtEnd(g->b, done);
    return old;
}

void
ptx_atomic(Gen *g, IrStmt *s)
{
    DType d = s->base->dtype;
    if (d == DT_c128) {
        gen_refuse(g->cx, s->at, REFUSE_PTX_atomic, NULL, NULL);
        return;
    }
    LV p = array_address(g, s->base, s->idx);
    Val e = emit_expr(g, s->e), old = {0}, expected = {0};
    if (s->order == ATOM_CAS)
        expected = emit_expr(g, s->args[0].e);
    int op = direct(s->order, d);
    if (s->order == ATOM_SUB && op == LLVMAtomicRMWBinOpFAdd)
        e.v = LLVMBuildFNeg(g->b, e.v, "");
    bool counts = d == DT_u32 && (s->order == ATOM_INC || s->order == ATOM_DEC);
    const char *count =
        s->order == ATOM_INC ? "llvm.nvvm.atomic.load.inc.32" : "llvm.nvvm.atomic.load.dec.32";
    LV args[2] = {p, e.v};
    if (counts && !is_known(count)) /* an operation of LLVM's own, from 21 on */
        op = s->order == ATOM_INC ? LLVMAtomicRMWBinOpUIncWrap : LLVMAtomicRMWBinOpUDecWrap;
    if (counts && op < 0)
        old.v = intrinsic(g, count, g->ptr, args, 2);
    else if (op >= 0)
        old.v = LLVMBuildAtomicRMW(g->b, (LLVMAtomicRMWBinOp)op, p, e.v,
                                   LLVMAtomicOrderingMonotonic, false);
    else
        old = swap_loop(g, s, p, e, expected);
    if (!s->var)
        return;
    put(g, old.v, g->slots[s->var->id].v);
    if (old.im)
        put(g, old.im, g->slots[s->var->id].im);
}
