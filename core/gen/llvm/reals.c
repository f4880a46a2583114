/* SPDX-License-Identifier: BSD-3-Clause
 * The instructions of reals.h, and what needs a float's bits alone: frexp, ldexp, spacing. */
#include "reals.h"

Real
real_of(Gen *g, LV x)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    bool dbl = element_type(t) == g->f64;
    return (Real){.g = g,
                  .t = t,
                  .bits = shaped_like(x, dbl ? g->i64 : g->i32),
                  .dbl = dbl,
                  .mantissa = dbl ? 52 : 23,
                  .bias = dbl ? 1023 : 127};
}

/* The constant in every lane. */
static LV
in_lanes(const Real *r, LV one)
{
    LV all[64];
    if (LLVMGetTypeKind(r->t) != LLVMVectorTypeKind)
        return one;
    unsigned n = LLVMGetVectorSize(r->t);
    for (unsigned i = 0; i < n && i < SW_LEN(all); i++)
        all[i] = one;
    return LLVMConstVector(all, n);
}

LV
real_const(const Real *r, double v)
{
    return in_lanes(r, LLVMConstReal(element_type(r->t), v));
}

LV
real_int(const Real *r, int64_t v)
{
    return const_int_like(r->bits, v);
}

LV
real_as_bits(const Real *r, LV x)
{
    return LLVMBuildBitCast(r->g->b, x, r->bits, "");
}

LV
real_from_bits(const Real *r, LV x)
{
    return LLVMBuildBitCast(r->g->b, x, r->t, "");
}

LV
real_add(const Real *r, LV x, LV y)
{
    return LLVMBuildFAdd(r->g->b, x, y, "");
}

LV
real_sub(const Real *r, LV x, LV y)
{
    return LLVMBuildFSub(r->g->b, x, y, "");
}

LV
real_mul(const Real *r, LV x, LV y)
{
    return LLVMBuildFMul(r->g->b, x, y, "");
}

LV
real_div(const Real *r, LV x, LV y)
{
    return LLVMBuildFDiv(r->g->b, x, y, "");
}

LV
real_fma(const Real *r, LV x, LV y, LV z)
{
    LV args[3] = {x, y, z};
    return intrinsic(r->g, "llvm.fma", r->t, args, 3);
}

LV
real_abs(const Real *r, LV x)
{
    return intrinsic(r->g, "llvm.fabs", r->t, &x, 1);
}

LV
real_sqrt(const Real *r, LV x)
{
    return intrinsic(r->g, "llvm.sqrt", r->t, &x, 1);
}

LV
real_copysign(const Real *r, LV x, LV sign)
{
    LV args[2] = {x, sign};
    return intrinsic(r->g, "llvm.copysign", r->t, args, 2);
}

LV
real_test(const Real *r, LLVMRealPredicate p, LV x, LV y)
{
    return LLVMBuildFCmp(r->g->b, p, x, y, "");
}

LV
real_select(const Real *r, LV test, LV yes, LV no)
{
    return LLVMBuildSelect(r->g->b, test, yes, no, "");
}

LV
real_scaled(const Real *r, LV x, double by)
{
    return real_mul(r, x, real_const(r, by));
}

/* Pairs of terms, and these by powers of x * x: half as long a chain as one term at a time. */
LV
real_poly(const Real *r, LV x, const double *c, int n)
{
    LV square = real_mul(r, x, x), sum = NULL;
    for (int i = (n - 1) / 2; i >= 0; i--) {
        LV pair = real_const(r, c[2 * i]);
        if (2 * i + 1 < n)
            pair = real_fma(r, x, real_const(r, c[2 * i + 1]), pair);
        sum = sum ? real_fma(r, sum, square, pair) : pair;
    }
    return sum;
}

LV
real_at_most(const Real *r, LV x, double high)
{
    LV bound = real_const(r, high);
    return real_select(r, real_test(r, LLVMRealOGT, x, bound), bound, x);
}

LV
real_is_normal(const Real *r, LV x)
{
    LV least = real_const(r, r->dbl ? 0x1p-1022 : 0x1p-126);
    LV finite = real_test(r, LLVMRealOLT, x, real_const(r, __builtin_inf()));
    return LLVMBuildAnd(r->g->b, finite, real_test(r, LLVMRealOGE, x, least), "");
}

void
real_return_if_all(const Real *r, LV fn, LV ok, LV y)
{
    Gen *g = r->g;
    ok = intrinsic(g, "llvm.vector.reduce.and", LLVMTypeOf(ok), &ok, 1);
    LLVMBasicBlockRef rare = LLVMAppendBasicBlockInContext(g->c, fn, "rare");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(g->c, fn, "done");
    LLVMBuildCondBr(g->b, ok, done, rare);
    LLVMPositionBuilderAtEnd(g->b, done);
    LLVMBuildRet(g->b, y);
    LLVMPositionBuilderAtEnd(g->b, rare);
}

/* ---- the bits of a float ---- */

LV
real_near_one(const Real *r, LV x, LV *k)
{
    LLVMBuilderRef b = r->g->b;
    int64_t root = r->dbl ? 0x3fe6a09e667f3bcd : 0x3f3504f3, one = (int64_t)r->bias << r->mantissa;
    LV bits = LLVMBuildAdd(b, real_as_bits(r, x), real_int(r, one - root), "");
    *k = LLVMBuildLShr(b, bits, real_int(r, r->mantissa), "");
    LV m = LLVMBuildAnd(b, bits, real_int(r, (INT64_C(1) << r->mantissa) - 1), "");
    return real_from_bits(r, LLVMBuildAdd(b, m, real_int(r, root), ""));
}

LV
real_of_biased(const Real *r, LV k)
{
    double large = r->dbl ? 0x1p52 : 0x1p23;
    LV in = LLVMBuildOr(r->g->b, k, real_as_bits(r, real_const(r, large)), "");
    return real_sub(r, real_from_bits(r, in), real_const(r, large + r->bias));
}

typedef struct {
    LV mantissa, exponent; /* an integer of as many bits as the float */
} Parts;

/* Of a finite x that is not 0: mantissa * 2^exponent, where the mantissa's exponent is `bias` less
 * than 1's, and has x's sign. Denormal numbers are scaled first. */
static Parts
parts_of(const Real *r, LV x, int64_t bias)
{
    LLVMBuilderRef b = r->g->b;
    int wide = r->dbl ? 11 : 8, scale = r->mantissa + 2;
    int64_t field = ((INT64_C(1) << wide) - 1) << r->mantissa;
    LV least = real_const(r, r->dbl ? 0x1p-1022 : 0x1p-126);
    LV tiny = real_test(r, LLVMRealOLT, real_abs(r, x), least);
    LV bits =
        real_as_bits(r, real_select(r, tiny, real_scaled(r, x, (double)(INT64_C(1) << scale)), x));
    LV e = LLVMBuildLShr(b, LLVMBuildAnd(b, bits, real_int(r, field), ""), real_int(r, r->mantissa),
                         "");
    int64_t of_one = r->bias - bias;
    e = LLVMBuildSub(b, e, real_select(r, tiny, real_int(r, of_one + scale), real_int(r, of_one)),
                     "");
    LV rest = LLVMBuildAnd(b, bits, real_int(r, ~field), "");
    LV m = LLVMBuildOr(b, rest, real_int(r, of_one << r->mantissa), "");
    return (Parts){real_from_bits(r, m), e};
}

/* Is x what has no exponent: 0, infinite, NaN? */
static LV
is_special(const Real *r, LV x)
{
    LV size = real_abs(r, x), zero = real_const(r, 0.0);
    LV finite = real_test(r, LLVMRealOLT, size, real_const(r, __builtin_inf()));
    LV some = real_test(r, LLVMRealOGT, size, zero);
    return LLVMBuildNot(r->g->b, LLVMBuildAnd(r->g->b, finite, some, ""), "");
}

LV
emit_frexp(Gen *g, bool exponent, LV x)
{
    Real r = real_of(g, x);
    Parts p = parts_of(&r, x, 1);
    LV special = is_special(&r, x);
    if (!exponent)
        return real_select(&r, special, x, p.mantissa);
    LV e = real_select(&r, special, real_int(&r, 0), p.exponent);
    return LLVMBuildTrunc(g->b, e, shaped_like(x, g->i32), "");
}

/* 2^k for a k of which it is normal. */
static LV
power_of_two(const Real *r, LV k)
{
    LV e = LLVMBuildAdd(r->g->b, k, real_int(r, r->bias), "");
    return real_from_bits(r, LLVMBuildShl(r->g->b, e, real_int(r, r->mantissa), ""));
}

static LV
between(const Real *r, LV k, int64_t low, int64_t high)
{
    LV to = real_int(r, low), out = LLVMBuildICmp(r->g->b, LLVMIntSLT, k, to, "");
    k = real_select(r, out, to, k);
    to = real_int(r, high), out = LLVMBuildICmp(r->g->b, LLVMIntSGT, k, to, "");
    return real_select(r, out, to, k);
}

/* The mantissa by half of the power is normal; only the other half rounds. */
LV
emit_ldexp(Gen *g, LV x, LV k)
{
    Real r = real_of(g, x);
    Parts p = parts_of(&r, x, 0);
    int64_t most = 3 * r.bias; /* leads from the least number beyond the greatest */
    if (r.dbl)
        k = LLVMBuildSExt(g->b, k, r.bits, "");
    k = LLVMBuildAdd(g->b, between(&r, k, -most, most), p.exponent, "");
    k = between(&r, k, -r.bias - r.mantissa - 8, r.bias + 8);
    LV half = LLVMBuildAShr(g->b, k, real_int(&r, 1), "");
    LV y = real_mul(&r, p.mantissa, power_of_two(&r, half));
    y = real_mul(&r, y, power_of_two(&r, LLVMBuildSub(g->b, k, half, "")));
    return real_select(&r, is_special(&r, x), x, y);
}

/* How far the next number is, away from 0. */
LV
emit_spacing(Gen *g, LV x)
{
    Real r = real_of(g, x);
    LV size = real_abs(&r, x), zero = real_const(&r, 0.0);
    LV next = LLVMBuildAdd(g->b, real_as_bits(&r, size), real_int(&r, 1), "");
    LV d = real_sub(&r, real_from_bits(&r, next), size);
    d = real_select(&r, real_test(&r, LLVMRealOLT, x, zero), LLVMBuildFNeg(g->b, d, ""), d);
    LV finite = real_test(&r, LLVMRealOLT, size, real_const(&r, __builtin_inf()));
    return real_select(&r, finite, d, real_const(&r, __builtin_nan("")));
}
