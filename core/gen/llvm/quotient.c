/* SPDX-License-Identifier: BSD-3-Clause
 * Quotients of integers in lanes, where processors have no division but that of floats.
 *
 * A float with more bits than the integers tells the quotient exactly: where a / b is no integer it
 * is at least 1 / |b| away from one, and rounding moves it by less. Of 64 bits it takes two steps
 * with the reciprocal of b, made a little too small, so that no step goes beyond the quotient: the
 * first leaves less than |b| + 2^15 of |a|, the second less than 2 |b|. What is left tells whether
 * the quotient is one more. The reciprocal of a divisor that doesn't change stands before the
 * loop. */
#include "emit.h"

#define B g->b
#define SEL(c, x, y) LLVMBuildSelect(B, c, x, y, "")
#define ICMP(p, x, y) LLVMBuildICmp(B, LLVMInt##p, x, y, "")

static LV
to_float(Gen *g, bool is_signed, LV x, LLVMTypeRef t)
{
    return is_signed ? LLVMBuildSIToFP(B, x, t, "") : LLVMBuildUIToFP(B, x, t, "");
}

static LV
to_int(Gen *g, bool is_signed, LV x, LLVMTypeRef t)
{
    return is_signed ? LLVMBuildFPToSI(B, x, t, "") : LLVMBuildFPToUI(B, x, t, "");
}

/* Of up to 32 bits: MIN / -1 fits the wider integer. */
static LV
of_short(Gen *g, DType d, LV a, LV b)
{
    bool narrow = dtype_info[d].bits <= 16, is_signed = dtype_kind(d) == DK_INT;
    LLVMTypeRef t = shaped_like(a, narrow ? g->f32 : g->f64);
    LV x = to_float(g, is_signed, a, t), y = to_float(g, is_signed, b, t);
    LV q = LLVMBuildFDiv(B, x, y, "");
    q = intrinsic(g, "llvm.floor", t, &q, 1);
    LV wide = LLVMBuildFPToSI(B, q, shaped_like(a, narrow ? g->i32 : g->i64), "");
    return LLVMBuildTrunc(B, wide, LLVMTypeOf(a), "");
}

/* One step: adds to *q what the reciprocal tells of *rest, and takes it from there. */
static void
step(Gen *g, bool is_signed, LV b, LV inverse, LV *q, LV *rest)
{
    LV x = to_float(g, is_signed, *rest, LLVMTypeOf(inverse));
    LV k = to_int(g, is_signed, LLVMBuildFMul(B, x, inverse, ""), LLVMTypeOf(b));
    *q = *q ? LLVMBuildAdd(B, *q, k, "") : k;
    *rest = LLVMBuildSub(B, *rest, LLVMBuildMul(B, k, b, ""), "");
}

static LV
of_long(Gen *g, DType d, LV a, LV b)
{
    bool is_signed = dtype_kind(d) == DK_INT;
    LLVMTypeRef t = LLVMTypeOf(a), real = shaped_like(a, g->f64);
    LV zero = const_int_like(t, 0), one = const_int_like(t, 1), q = NULL, rest = a;
    LV less = LLVMConstReal(g->f64, 1 - 0x1p-49), all[64];
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind) {
        unsigned n = LLVMGetVectorSize(t);
        for (unsigned i = 0; i < n && i < SW_LEN(all); i++)
            all[i] = less;
        less = LLVMConstVector(all, n);
    }
    LV inverse = LLVMBuildFDiv(B, less, to_float(g, is_signed, b, real), "");
    step(g, is_signed, b, inverse, &q, &rest);
    step(g, is_signed, b, inverse, &q, &rest);
    if (!is_signed)
        return LLVMBuildAdd(B, q, LLVMBuildZExt(B, ICMP(UGE, rest, b), t, ""), "");
    LV size = SEL(ICMP(SLT, rest, zero), LLVMBuildNeg(B, rest, ""), rest);
    LV divisor = SEL(ICMP(SLT, b, zero), LLVMBuildNeg(B, b, ""), b);
    LV more = ICMP(UGE, size, divisor);
    LV unlike = ICMP(SLT, LLVMBuildXor(B, a, b, ""), zero);
    LV over = SEL(more, LLVMBuildSub(B, size, divisor, ""), size);
    q = LLVMBuildAdd(B, q, SEL(more, SEL(unlike, const_int_like(t, -1), one), zero), "");
    LV down = LLVMBuildAnd(B, unlike, ICMP(NE, over, zero), "");
    return LLVMBuildSub(B, q, LLVMBuildZExt(B, down, t, ""), "");
}

/* a // b for a b that is not 0. */
LV
emit_quotient(Gen *g, DType d, LV a, LV b)
{
    return dtype_info[d].bits <= 32 ? of_short(g, d, a, b) : of_long(g, d, a, b);
}
