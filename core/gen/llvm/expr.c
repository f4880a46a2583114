/* SPDX-License-Identifier: BSD-3-Clause
 * Scalar expressions: takes an IrExpr tree, yields its value in registers. A tree is
 * pure, so order does not matter. float16 operations are computed in float32 and rounded
 * after each one, as NumPy does; complex ones go to complex.c. */
#include "emit.h"

static Val
emit_const(Gen *g, const IrExpr *e)
{
    LLVMTypeRef t = reg_type(g, e->dtype);
    switch (dtype_kind(e->dtype)) {
    case DK_BOOL:
        return (Val){LLVMConstInt(t, e->i != 0, false), NULL};
    case DK_INT:
    case DK_UINT:
        return (Val){LLVMConstInt(t, (uint64_t)e->i, false), NULL};
    case DK_FLOAT:
        return (Val){LLVMConstReal(t, e->re), NULL};
    case DK_COMPLEX:
        return (Val){LLVMConstReal(t, e->re), LLVMConstReal(t, e->im)};
    }
    return (Val){LLVMGetUndef(t), NULL};
}

static Val
emit_var(Gen *g, const IrExpr *e)
{
    Slot *s = &g->slots[e->var->id];
    LLVMTypeRef t = reg_type(g, e->var->dtype);
    return (Val){get(g, t, s->v), s->im ? get(g, t, s->im) : NULL};
}

/* x > y ? x : y, and its like */
static bool
picks_extreme(const IrExpr *e)
{
    const IrExpr *c = e->arg[0], *a = e->arg[1], *b = e->arg[2];
    if (c->kind != IX_OP || c->op < OP_lt || c->op > OP_ge || !dtype_is_float(e->dtype))
        return false;
    return (ir_expr_equal(c->arg[0], a) && ir_expr_equal(c->arg[1], b)) ||
           (ir_expr_equal(c->arg[0], b) && ir_expr_equal(c->arg[1], a));
}

/* With fast-math, a NaN may become anything, but where it decides nothing (a constant for
 * missing values) it stays: only what picks an extreme is told that there is none. The
 * vectoriser needs that to split a search for the largest. */
static Val
emit_select(Gen *g, const IrExpr *e)
{
    LV c = emit_expr(g, e->arg[0]).v;
    Val a = emit_expr(g, e->arg[1]), b = emit_expr(g, e->arg[2]), r = {0};
    unsigned save = g->fmf;
    if ((g->opt.fastmath & FM_NNAN) && !(e->flags & IXF_STRICT) && picks_extreme(e))
        g->fmf = g->opt.fastmath;
    r.v = flagged(g, LLVMBuildSelect(g->b, flagged(g, c), a.v, b.v, ""));
    g->fmf = save;
    if (a.im)
        r.im = LLVMBuildSelect(g->b, c, a.im, b.im, "");
    return r;
}

/* ---- divisions that need not be made --------------------------------------------------------- */

static bool
divides(const IrExpr *e)
{
    bool any = e->kind == IX_OP && (e->op == OP_floordiv || e->op == OP_mod) &&
               dtype_is_int((DType)e->dtype) && e->arg[1]->kind != IX_CONST;
    for (int i = 0; i < e->n && !any; i++)
        any = divides(e->arg[i]);
    return any;
}

/* c ? yes : no, or 0 in place of no. Dividing takes longer than all the rest of what a short loop
 * needs before it begins. */
static Val
emit_branches(Gen *g, LV c, const IrExpr *yes, const IrExpr *no)
{
    const IrExpr *e[2] = {yes, no};
    LLVMBasicBlockRef at[2] = {new_block(g, "yes"), new_block(g, "no")},
                      next = new_block(g, "chosen");
    LV value[2];
    branch(g, c, at[0], at[1], NULL);
    for (int i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(g->b, at[i]);
        value[i] = e[i] ? emit_expr(g, e[i]).v : k64(g, 0);
        at[i] = LLVMGetInsertBlock(g->b);
        jump(g, next);
    }
    LLVMPositionBuilderAtEnd(g->b, next);
    LV phi = LLVMBuildPhi(g->b, g->i64, "");
    LLVMAddIncoming(phi, value, at, 2);
    return (Val){phi, NULL};
}

static bool
is_int_op(const IrExpr *e, IrOp op)
{
    return e->kind == IX_OP && e->op == op && e->dtype == DT_i64;
}

/* max(-(x // y), 0), the length of a range: 0 unless the signs of x and y differ. */
static bool
is_length(const IrExpr *e)
{
    int64_t zero;
    return is_int_op(e, OP_max) && ir_is_const(e->arg[1], &zero) && zero == 0 &&
           is_int_op(e->arg[0], OP_neg) && is_int_op(e->arg[0]->arg[0], OP_floordiv) &&
           divides(e->arg[0]->arg[0]) && e->arg[0]->arg[0]->arg[0]->dtype == DT_i64;
}

static Val
emit_length(Gen *g, const IrExpr *e)
{
    const IrExpr *q = e->arg[0]->arg[0];
    LV both = LLVMBuildXor(g->b, emit_int(g, q->arg[0]), emit_int(g, q->arg[1]), "");
    return emit_branches(g, LLVMBuildICmp(g->b, LLVMIntSLT, both, k64(g, 0), ""), e->arg[0], NULL);
}

static bool
is_half_op(IrOp op)
{
    return op != OP_signbit && op != OP_neg && op != OP_abs && op != OP_real && op != OP_conj;
}

/* Real operands: float16 is widened around the operation. An extreme is then picked by comparisons
 * also in a reduction: of llvm.maximum between two conversions LLVM makes code for x86 that loses a
 * NaN beside a zero. */
static Val
emit_real(Gen *g, const IrExpr *e, DType d, LV *a, int n)
{
    if (d != DT_f16 || !is_half_op(e->op))
        return (Val){emit_arith(g, e->op, d, a, e->flags & IXF_REASSOC), NULL};
    for (int i = 0; i < n; i++)
        if (LLVMTypeOf(a[i]) == g->half)
            a[i] = LLVMBuildFPExt(g->b, a[i], g->f32, "");
    LV r;
    if (e->op == OP_spacing || e->op == OP_nextafter) /* these depend on the format */
        r = emit_rt_call(g, e->op == OP_spacing ? RT_sw_spacing_f16 : RT_sw_nextafter_f16, a, n);
    else
        r = emit_arith(g, e->op, DT_f32, a,
                       e->flags & IXF_REASSOC && e->op != OP_min && e->op != OP_max);
    if (LLVMTypeOf(r) == g->f32)
        r = LLVMBuildFPTrunc(g->b, r, g->half, "");
    return (Val){r, NULL};
}

/* A sum, a difference or a product of int64 that doesn't wrap. */
static LV
emit_exact(Gen *g, const IrExpr *e, LV *v)
{
    return e->op == OP_add   ? LLVMBuildNSWAdd(g->b, v[0], v[1], "")
           : e->op == OP_sub ? LLVMBuildNSWSub(g->b, v[0], v[1], "")
                             : LLVMBuildNSWMul(g->b, v[0], v[1], "");
}

/* The operation of e on these operands, which may be vectors where it has a form for them. */
Val
emit_apply(Gen *g, const IrExpr *e, Val *a)
{
    LV v[4];
    DType d = e->arg[0]->dtype;
    for (int i = 0; i < e->n && i < 4; i++)
        v[i] = a[i].v;
    if (g->exact && e->flags & IXF_EXACT)
        return (Val){emit_exact(g, e, v), NULL};
    unsigned save = g->fmf;
    uint8_t fast = g->opt.fastmath;
    if (e->flags & IXF_STRICT)
        g->opt.fastmath = 0;
    g->fmf = g->opt.fastmath | (e->flags & IXF_FAST ? LLVMFastMathAll : 0) |
             (e->flags & IXF_REASSOC ? LLVMFastMathAllowReassoc : 0) |
             (g->opt.contract ? LLVMFastMathAllowContract : 0);
    Val r;
    if (e->op == OP_mkcomplex)
        r = (Val){v[0], v[1]};
    else if (e->op == OP_bits)
        r = (Val){LLVMBuildBitCast(g->b, v[0], LLVMTypeOf(v[1]), ""), NULL};
    else if (dtype_is_complex(d))
        r = emit_complex_op(g, e->op, d, a);
    else
        r = emit_real(g, e, d, v, e->n);
    g->opt.fastmath = fast;
    g->fmf = save;
    return r;
}

static Val
emit_op(Gen *g, const IrExpr *e)
{
    if (is_int_op(e, OP_select) && !g->ptx && (divides(e->arg[1]) || divides(e->arg[2])))
        return emit_branches(g, emit_expr(g, e->arg[0]).v, e->arg[1], e->arg[2]);
    if (e->op == OP_select)
        return emit_select(g, e);
    if (!g->ptx && is_length(e))
        return emit_length(g, e);
    Val a[4];
    for (int i = 0; i < e->n && i < 4; i++)
        a[i] = emit_expr(g, e->arg[i]);
    return emit_apply(g, e, a);
}

Val
emit_expr(Gen *g, const IrExpr *e)
{
    switch (e->kind) {
    case IX_CONST:
        return emit_const(g, e);
    case IX_VAR:
        return emit_var(g, e);
    case IX_OP:
        return emit_op(g, e);
    case IX_CAST:
        if (e->flags & IXF_ANY)
            return emit_any_cast(g, e->dtype, emit_expr(g, e->arg[0]));
        return emit_cast(g, e->dtype, e->arg[0]->dtype, emit_expr(g, e->arg[0]));
    case IX_LOAD:
        return array_load(g, e->var, e->arg);
    case IX_DIM:
        return (Val){array_dim(g, e->var, e->axis), NULL};
    case IX_STRIDE:
        return (Val){array_stride(g, e->var, e->axis), NULL};
    case IX_GEO:
        if (g->ptx)
            return (Val){ptx_geo(g, (IrGeo)e->axis), NULL};
        internal_error(g, (Span){0}, "a thread's place in the grid is not known");
        break;
    }
    return (Val){k64(g, 0), NULL};
}

LV
emit_int(Gen *g, const IrExpr *e)
{
    return emit_cast(g, DT_i64, e->dtype, emit_expr(g, e)).v;
}
