/* SPDX-License-Identifier: BSD-3-Clause
 * Complex operations on pairs: products as NumPy computes them (no recovery of
 * infinities), quotients by Smith's method, both branch-free so that they vectorise; the
 * elementary functions are runtime calls in double precision. */
#include "reals.h"
#include <math.h>

#define FADD(x, y) flagged(g, LLVMBuildFAdd(g->b, x, y, ""))
#define FSUB(x, y) flagged(g, LLVMBuildFSub(g->b, x, y, ""))
#define FMUL(x, y) flagged(g, LLVMBuildFMul(g->b, x, y, ""))
#define FDIV(x, y) flagged(g, LLVMBuildFDiv(g->b, x, y, ""))
#define FNEG(x) flagged(g, LLVMBuildFNeg(g->b, x, ""))
#define FCMP(p, x, y) LLVMBuildFCmp(g->b, LLVMReal##p, x, y, "")
#define AND(x, y) LLVMBuildAnd(g->b, x, y, "")
#define OR(x, y) LLVMBuildOr(g->b, x, y, "")
#define SEL(c, x, y) LLVMBuildSelect(g->b, c, x, y, "")

static Val
multiply(Gen *g, Val a, Val b)
{
    return (Val){FSUB(FMUL(a.v, b.v), FMUL(a.im, b.im)), FADD(FMUL(a.v, b.im), FMUL(a.im, b.v))};
}

/* Smith: divide through by the larger part of the divisor. Both of NumPy's branches at
 * once. */
static Val
divide(Gen *g, DType d, Val a, Val b)
{
    LLVMTypeRef t = shaped_like(a.v, reg_type(g, d));
    LV absr = intrinsic(g, "llvm.fabs", t, &b.v, 1), absi = intrinsic(g, "llvm.fabs", t, &b.im, 1);
    LV big = FCMP(OGE, absr, absi);
    LV num = SEL(big, b.im, b.v), den = SEL(big, b.v, b.im);
    LV rat = FDIV(num, den);
    LV scl = FDIV(LLVMConstReal(t, 1.0), FADD(den, FMUL(num, rat)));
    LV re = FMUL(FADD(SEL(big, a.v, a.im), FMUL(SEL(big, a.im, a.v), rat)), scl);
    LV im = FMUL(FSUB(SEL(big, a.im, FMUL(a.im, rat)), SEL(big, FMUL(a.v, rat), a.v)), scl);
    LV zero = AND(FCMP(OEQ, b.v, LLVMConstNull(t)), FCMP(OEQ, b.im, LLVMConstNull(t)));
    return (Val){SEL(zero, FDIV(a.v, absr), re), SEL(zero, FDIV(a.im, absr), im)};
}

/* NumPy's order: by real part, then imaginary part; NaN is less than nothing. */
static LV
less(Gen *g, Val a, Val b, bool or_equal)
{
    LV ordered = LLVMBuildFCmp(g->b, LLVMRealORD, a.im, b.im, "");
    LV first = AND(FCMP(OLT, a.v, b.v), ordered);
    LV second = or_equal ? FCMP(OLE, a.im, b.im) : FCMP(OLT, a.im, b.im);
    return OR(first, AND(FCMP(OEQ, a.v, b.v), second));
}

/* minimum and maximum: the first operand wins when it is the lesser (greater) or holds a
 * NaN. */
static Val
extreme(Gen *g, IrOp op, Val a, Val b)
{
    bool want_nan = op == OP_min || op == OP_max;
    LV better = op == OP_min || op == OP_fmin ? less(g, a, b, true) : less(g, b, a, true);
    Val x = want_nan ? a : b;
    LV nan = FCMP(UNO, x.v, x.im);
    LV take = OR(better, nan);
    return (Val){SEL(take, a.v, b.v), SEL(take, a.im, b.im)};
}

static LV
as_double(Gen *g, LV v)
{
    return LLVMTypeOf(v) == g->f64 ? v : LLVMBuildFPExt(g->b, v, g->f64, "");
}

static LV
spill(Gen *g, Val z)
{
    LV p = new_slot(g, LLVMArrayType2(g->f64, 2), "z");
    put(g, as_double(g, z.v), p);
    put(g, as_double(g, z.im), field(g, p, 8));
    return p;
}

static Val
by_runtime(Gen *g, IrOp op, DType d, const Val *a)
{
    LV out = new_slot(g, LLVMArrayType2(g->f64, 2), "z");
    int n = op_info[op].n;
    LV args[4] = {k32(g, op), spill(g, a[0])};
    if (n == 2)
        args[2] = spill(g, a[1]);
    args[1 + n] = out;
    emit_rt_call(g, n == 2 ? RT_sw_complex2 : RT_sw_complex1, args, n + 2);
    Val r = {get(g, g->f64, out), get(g, g->f64, field(g, out, 8))};
    if (dtype_real(d) == DT_f32) {
        r.v = LLVMBuildFPTrunc(g->b, r.v, g->f32, "");
        r.im = LLVMBuildFPTrunc(g->b, r.im, g->f32, "");
    }
    return r;
}

/* sqrt(x^2 + y^2) of singles, whose squares are doubles that are exact. */
static LV
magnitude_of_singles(Gen *g, LV x, LV y)
{
    LLVMTypeRef t = shaped_like(x, g->f64), single = LLVMTypeOf(x);
    LV inf = LLVMConstReal(single, INFINITY);
    LV size[2] = {intrinsic(g, "llvm.fabs", single, &x, 1),
                  intrinsic(g, "llvm.fabs", single, &y, 1)};
    x = LLVMBuildFPExt(g->b, x, t, "");
    y = LLVMBuildFPExt(g->b, y, t, "");
    LV s = LLVMBuildFAdd(g->b, LLVMBuildFMul(g->b, x, x, ""), LLVMBuildFMul(g->b, y, y, ""), "");
    LV r = LLVMBuildFPTrunc(g->b, intrinsic(g, "llvm.sqrt", t, &s, 1), single, "");
    return SEL(OR(FCMP(OEQ, size[0], inf), FCMP(OEQ, size[1], inf)), inf, r);
}

/* The same of doubles, with what the squares, their sum and the root have lost (Borges, "An
 * improved algorithm for hypot(a,b)", 2019); scaled, so that no square is infinite or has lost
 * bits. Without a branch, so that it vectorises. Fast-math may not take the losses away. */
static LV
magnitude_of_doubles(Gen *g, LV x, LV y)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef t = LLVMTypeOf(x);
    LV size[2] = {intrinsic(g, "llvm.fabs", t, &x, 1), intrinsic(g, "llvm.fabs", t, &y, 1)};
    LV big = SEL(FCMP(OGT, size[0], size[1]), size[0], size[1]);
    LV large = FCMP(OGT, big, LLVMConstReal(t, 0x1p500));
    LV small = FCMP(OLT, big, LLVMConstReal(t, 0x1p-400));
    LV one = LLVMConstReal(t, 1.0), up = LLVMConstReal(t, 0x1p700),
       down = LLVMConstReal(t, 0x1p-600);
    LV by = SEL(large, down, SEL(small, up, one));
    LV back = SEL(large, LLVMConstReal(t, 0x1p600), SEL(small, LLVMConstReal(t, 0x1p-700), one));
    x = LLVMBuildFMul(b, size[0], by, "");
    y = LLVMBuildFMul(b, size[1], by, "");
    LV p = LLVMBuildFMul(b, x, x, ""), q = LLVMBuildFMul(b, y, y, "");
    LV s = LLVMBuildFAdd(b, p, q, ""), h = intrinsic(g, "llvm.sqrt", t, &s, 1);
    LV first = SEL(FCMP(OGT, p, q), p, q), second = SEL(FCMP(OGT, p, q), q, p);
    LV lost = LLVMBuildFAdd(b, LLVMBuildFSub(b, first, s, ""), second, "");
    LV args[3][3] = {{x, x, LLVMBuildFNeg(b, p, "")},
                     {y, y, LLVMBuildFNeg(b, q, "")},
                     {h, h, LLVMBuildFNeg(b, s, "")}};
    lost = LLVMBuildFAdd(b, lost, intrinsic(g, "llvm.fma", t, args[0], 3), "");
    lost = LLVMBuildFAdd(b, lost, intrinsic(g, "llvm.fma", t, args[1], 3), "");
    lost = LLVMBuildFSub(b, lost, intrinsic(g, "llvm.fma", t, args[2], 3), "");
    LV twice = LLVMBuildFAdd(b, h, h, "");
    LV better = LLVMBuildFAdd(b, h, LLVMBuildFDiv(b, lost, twice, ""), "");
    LV zero = LLVMConstNull(t), inf = LLVMConstReal(t, INFINITY);
    LV r = LLVMBuildFMul(b, SEL(FCMP(OEQ, h, zero), zero, better), back, "");
    return SEL(OR(FCMP(OEQ, size[0], inf), FCMP(OEQ, size[1], inf)), inf, r);
}

static LV
magnitude(Gen *g, DType d, Val z)
{
    return dtype_real(d) == DT_f64 ? magnitude_of_doubles(g, z.v, z.im)
                                   : magnitude_of_singles(g, z.v, z.im);
}

static LV
angle(Gen *g, DType d, Val z)
{
    LV parts[2] = {z.im, z.v};
    return emit_math(g, OP_atan2, dtype_real(d), parts, 2);
}

static LV
classify(Gen *g, IrOp op, DType d, Val z)
{
    LV re = emit_arith(g, op, dtype_real(d), &z.v, false);
    LV im = emit_arith(g, op, dtype_real(d), &z.im, false);
    return op == OP_isfinite ? AND(re, im) : OR(re, im);
}

static Val
round_parts(Gen *g, IrOp op, DType d, Val z)
{
    return (Val){emit_arith(g, op, dtype_real(d), &z.v, false),
                 emit_arith(g, op, dtype_real(d), &z.im, false)};
}

/* e^x (cos y + i sin y), or the same power of 2. Where e^x may be infinite although the product is
 * not, a part of it is multiplied last. What y is does not matter where e^x is 0, nor to the real
 * part of infinities. */
static Val
exponential(Gen *g, DType d, bool of_two, Val z)
{
    Real r = real_of(g, z.v);
    DType of = d == DT_c128 ? DT_f64 : DT_f32;
    double most = r.dbl ? 700 : 80,
           e_most = r.dbl ? 0x1.d945df4f8ec8ep1009 : 0x1.55779c0000000p+115;
    LV x = z.v, y = z.im, zero = real_const(&r, 0.0), infinite = real_const(&r, __builtin_inf());
    if (of_two)
        x = real_scaled(&r, x, M_LN2), y = real_scaled(&r, y, M_LN2);
    LV large = FCMP(OGT, x, real_const(&r, most)), none = FCMP(OEQ, y, zero);
    LV at = SEL(large, real_sub(&r, x, real_const(&r, most)), x);
    LV size = emit_math(g, OP_exp, of, &at, 1);
    LV by = SEL(large, real_const(&r, e_most), real_const(&r, 1.0));
    LV re = real_mul(&r, real_mul(&r, size, emit_math(g, OP_cos, of, &y, 1)), by);
    LV im = real_mul(&r, real_mul(&r, size, emit_math(g, OP_sin, of, &y, 1)), by);
    LV finite = FCMP(OLT, real_abs(&r, y), infinite);
    LV low = LLVMBuildAnd(g->b, LLVMBuildNot(g->b, finite, ""),
                          FCMP(OEQ, x, LLVMBuildFNeg(g->b, infinite, "")), "");
    LV high = LLVMBuildAnd(g->b, LLVMBuildNot(g->b, finite, ""), FCMP(OEQ, x, infinite), "");
    re = SEL(none, real_mul(&r, size, by), SEL(low, zero, SEL(high, infinite, re)));
    im = SEL(none, y, SEL(low, real_copysign(&r, zero, y), im));
    return (Val){re, im};
}

Val
emit_complex_op(Gen *g, IrOp op, DType d, const Val *a)
{
    if ((op == OP_exp || op == OP_exp2) && !g->ptx && g->sleef)
        return exponential(g, d, op == OP_exp2, a[0]);
    switch (op) {
    case OP_add:
        return (Val){FADD(a[0].v, a[1].v), FADD(a[0].im, a[1].im)};
    case OP_sub:
        return (Val){FSUB(a[0].v, a[1].v), FSUB(a[0].im, a[1].im)};
    case OP_mul:
        return multiply(g, a[0], a[1]);
    case OP_div:
        return divide(g, d, a[0], a[1]);
    case OP_neg:
        return (Val){FNEG(a[0].v), FNEG(a[0].im)};
    case OP_conj:
        return (Val){a[0].v, FNEG(a[0].im)};
    case OP_abs:
        return (Val){magnitude(g, d, a[0]), NULL};
    case OP_arg:
        return (Val){angle(g, d, a[0]), NULL};
    case OP_real:
        return (Val){a[0].v, NULL};
    case OP_imag:
        return (Val){a[0].im, NULL};
    case OP_eq:
        return (Val){AND(FCMP(OEQ, a[0].v, a[1].v), FCMP(OEQ, a[0].im, a[1].im)), NULL};
    case OP_ne:
        return (Val){OR(FCMP(UNE, a[0].v, a[1].v), FCMP(UNE, a[0].im, a[1].im)), NULL};
    case OP_lt:
        return (Val){less(g, a[0], a[1], false), NULL};
    case OP_le:
        return (Val){less(g, a[0], a[1], true), NULL};
    case OP_gt:
        return (Val){less(g, a[1], a[0], false), NULL};
    case OP_ge:
        return (Val){less(g, a[1], a[0], true), NULL};
    case OP_min:
    case OP_max:
    case OP_fmin:
    case OP_fmax:
        return extreme(g, op, a[0], a[1]);
    case OP_isnan:
    case OP_isinf:
    case OP_isfinite:
        return (Val){classify(g, op, d, a[0]), NULL};
    case OP_rint:
        return round_parts(g, op, d, a[0]);
    default:
        return by_runtime(g, op, d, a);
    }
}
