/* SPDX-License-Identifier: BSD-3-Clause
 * Casts as NumPy's astype does them on x86-64, for every target. */
#include "emit.h"

/* What cvttsd2si gives: the least integer for a float that does not fit, NaN too. To LLVM that is
 * poison, which it would fold to anything once it finds such a value to be constant, so the range
 * is tested. */
static LV
to_signed(Gen *g, LV v, LLVMTypeRef t, bool wide)
{
    LV size = intrinsic(g, "llvm.fabs", LLVMTypeOf(v), &v, 1);
    LV fits = LLVMBuildFCmp(g->b, LLVMRealOLT, size,
                            LLVMConstReal(LLVMTypeOf(v), wide ? 0x1p63 : 0x1p31), "");
    return LLVMBuildSelect(g->b, fits, LLVMBuildFPToSI(g->b, v, t, ""),
                           const_int_like(t, wide ? INT64_MIN : INT32_MIN), "");
}

/* A negative number wraps, as it does from an int64: the processor's own conversion, where it has
 * one, gives all ones. */
static LV
to_u64(Gen *g, LV v, LLVMTypeRef t)
{
    LV top = LLVMConstReal(LLVMTypeOf(v), 0x1p63);
    LV high = LLVMBuildFCmp(g->b, LLVMRealOGE, v, top, "");
    LV less = LLVMBuildSelect(g->b, high, LLVMBuildFSub(g->b, v, top, ""), v, "");
    LV r = to_signed(g, less, t, true), sign = const_int_like(t, INT64_MIN);
    return LLVMBuildSelect(g->b, high, LLVMBuildXor(g->b, r, sign, ""), r, "");
}

/* As an intrinsic it is what the instruction does; LLVM's own conversion may come to anything where
 * it is found out that the operand does not fit. */
static LV
convert_scalar(Gen *g, LV x)
{
    bool dbl = LLVMTypeOf(x) == g->f64;
    LV reg = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(x), dbl ? 2 : 4));
    reg = LLVMBuildInsertElement(g->b, reg, x, k32(g, 0), "");
    return intrinsic(g, g->isa.to_int[dbl], NULL, &reg, 1);
}

/* Frozen: under fastmath, x may be a NaN that was promised not to be. */
LV
emit_toint(Gen *g, LV x)
{
    LLVMTypeRef t = LLVMTypeOf(x), to = shaped_like(x, g->i64);
    if (g->isa.to_int[0] && LLVMGetTypeKind(t) != LLVMVectorTypeKind)
        return LLVMBuildFreeze(g->b, convert_scalar(g, x), "");
    LV mag = intrinsic(g, "llvm.fabs", t, &x, 1);
    LV fits = LLVMBuildFCmp(g->b, LLVMRealOLT, mag, LLVMConstReal(t, 0x1p63), "");
    LV r = LLVMBuildFPToSI(g->b, x, to, "");
    return LLVMBuildFreeze(g->b, LLVMBuildSelect(g->b, fits, r, const_int_like(to, INT64_MIN), ""),
                           "");
}

/* Of a float that doesn't fit: some int. */
Val
emit_any_cast(Gen *g, DType to, Val x)
{
    LLVMTypeRef t = shaped_like(x.v, reg_type(g, to));
    bool wide = to == DT_u32 || dtype_info[to].bits == 64;
    LLVMTypeRef via = shaped_like(x.v, wide ? g->i64 : g->i32);
    LV r = LLVMBuildFreeze(g->b, LLVMBuildFPToSI(g->b, x.v, via, ""), "");
    return (Val){via == t ? r : LLVMBuildTrunc(g->b, r, t, ""), NULL};
}

/* Narrow targets go through int32 and uint32 through int64, as C compilers do it. */
static LV
float_to_int(Gen *g, DType to, LV v)
{
    LLVMTypeRef t = shaped_like(v, reg_type(g, to));
    bool wide = to == DT_u32 || dtype_info[to].bits == 64;
    LLVMTypeRef via = shaped_like(v, wide ? g->i64 : g->i32);
    LV r = to == DT_u64 ? to_u64(g, v, via) : to_signed(g, v, via, wide);
    return via == t ? r : LLVMBuildTrunc(g->b, r, t, "");
}

static LV
int_to_int(Gen *g, DType to, DType from, LV v)
{
    int a = dtype_info[from].bits, b = dtype_info[to].bits;
    LLVMTypeRef t = shaped_like(v, reg_type(g, to));
    if (from == DT_bool)
        return LLVMBuildZExt(g->b, v, t, "");
    if (a == b)
        return v;
    if (a > b)
        return LLVMBuildTrunc(g->b, v, t, "");
    return dtype_kind(from) == DK_INT ? LLVMBuildSExt(g->b, v, t, "")
                                      : LLVMBuildZExt(g->b, v, t, "");
}

static LV
int_to_float(Gen *g, DType to, DType from, LV v)
{
    LLVMTypeRef t = /* NumPy goes through float32 too */
        shaped_like(v, to == DT_f16 ? g->f32 : reg_type(g, to));
    LV r = dtype_kind(from) == DK_INT ? LLVMBuildSIToFP(g->b, v, t, "")
                                      : LLVMBuildUIToFP(g->b, v, t, "");
    return to == DT_f16 ? LLVMBuildFPTrunc(g->b, r, shaped_like(v, g->half), "") : r;
}

static LV
is_nonzero(Gen *g, DType from, LV v)
{
    if (from == DT_bool)
        return v;
    LV zero = LLVMConstNull(LLVMTypeOf(v));
    return dtype_is_int(from) ? LLVMBuildICmp(g->b, LLVMIntNE, v, zero, "")
                              : LLVMBuildFCmp(g->b, LLVMRealUNE, v, zero, "");
}

static LV
float_to_float(Gen *g, DType to, LV v)
{
    LLVMTypeRef t = reg_type(g, to), from = element_type(LLVMTypeOf(v));
    if (from == t)
        return v;
    bool widen = from == g->half || (from == g->f32 && t == g->f64);
    t = shaped_like(v, t);
    return widen ? LLVMBuildFPExt(g->b, v, t, "") : LLVMBuildFPTrunc(g->b, v, t, "");
}

Val
emit_cast(Gen *g, DType to, DType from, Val v)
{
    Val r = {0};
    if (to == from)
        return v;
    if (to == DT_bool) {
        r.v = is_nonzero(g, from, v.v);
        if (v.im)
            r.v = LLVMBuildOr(g->b, r.v, is_nonzero(g, from, v.im), "");
        return r;
    }
    if (dtype_is_complex(to)) {
        DType part = dtype_real(to);
        r.v = emit_cast(g, part, dtype_real(from), (Val){v.v, NULL}).v;
        r.im = v.im ? float_to_float(g, part, v.im)
                    : LLVMConstNull(shaped_like(v.v, reg_type(g, part)));
        return r;
    }
    from = dtype_real(from);
    if (dtype_is_float(to))
        r.v = dtype_is_float(from) ? float_to_float(g, to, v.v) : int_to_float(g, to, from, v.v);
    else
        r.v = dtype_is_float(from) ? float_to_int(g, to, v.v) : int_to_int(g, to, from, v.v);
    return r;
}
