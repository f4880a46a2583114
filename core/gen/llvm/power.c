/* SPDX-License-Identifier: BSD-3-Clause
 * x^y in lanes, as e^(y log x).
 *
 * log x has to be known to 2^-65 of itself, for y log x may be 745. So what log(1 + f) begins with,
 * 2s for s = f / (2 + f), and its next term are pairs of floats; the polynomial of the rest is not
 * (elementary.c has the rest of the scheme). The error is below 1 unit in the last place.
 * Of float32 it is 2^(y log2 x) in float64, with fewer terms. */
#include "reals.h"

/* high + low, without the rounding of the sum */
typedef struct {
    LV high, low;
} Pair;

static Pair
sum_of(const Real *r, LV larger, LV smaller)
{
    LV sum = real_add(r, larger, smaller);
    return (Pair){sum, real_sub(r, smaller, real_sub(r, sum, larger))};
}

static Pair
product_of(const Real *r, LV x, LV y)
{
    LV p = real_mul(r, x, y);
    return (Pair){p, real_fma(r, x, y, LLVMBuildFNeg(r->g->b, p, ""))};
}

static Pair
product_of_pairs(const Real *r, Pair x, Pair y)
{
    Pair p = product_of(r, x.high, y.high);
    p.low = real_fma(r, x.low, y.high, real_fma(r, x.high, y.low, p.low));
    return p;
}

/* k and f of x = 2^k (1 + f), x positive and finite; k as a float. */
static LV
taken_apart(const Real *r, LV x, bool normal, LV *f)
{
    if (normal) {
        LV e, m = real_near_one(r, x, &e);
        *f = real_sub(r, m, real_const(r, 1.0));
        return real_of_biased(r, e);
    }
    LV tiny = real_test(r, LLVMRealOLT, x, real_const(r, 0x1p-1022)), e;
    LV m = real_near_one(r, real_select(r, tiny, real_scaled(r, x, 0x1p54), x), &e);
    LV k = real_of_biased(r, e);
    *f = real_sub(r, m, real_const(r, 1.0));
    return real_select(r, tiny, real_sub(r, k, real_const(r, 54.0)), k);
}

/* log(x) as a pair. */
static Pair
log_pair(const Real *r, LV x, bool normal)
{
    static const double tail[] = {0x1.9999999999b33p-2, 0x1.2492492457807p-2, 0x1.c71c722de32abp-3,
                                  0x1.745ce9b6da105p-3, 0x1.3b1ef45d0324ep-3, 0x1.0f7f210fa54f5p-3,
                                  0x1.0e4a2cb78f4dfp-3};
    LLVMBuilderRef b = r->g->b;
    LV f, k = taken_apart(r, x, normal, &f), two = real_const(r, 2.0), one = real_const(r, 1.0);
    Pair den = sum_of(r, two, f), s, twice;
    LV inverse = real_div(r, one, den.high);
    s.high = real_mul(r, f, inverse);
    LV minus = LLVMBuildFNeg(b, s.high, "");
    s.low = real_mul(r, real_fma(r, minus, den.low, real_fma(r, minus, den.high, f)), inverse);
    twice = (Pair){real_add(r, s.high, s.high), real_add(r, s.low, s.low)};
    Pair z = product_of_pairs(r, s, s);
    LV rest = real_mul(r, z.high, real_poly(r, z.high, tail, SW_LEN(tail)));
    rest = real_add(r, rest, real_const(r, 0x1.5555555555555p-55));
    Pair c = sum_of(r, real_const(r, 0x1.5555555555555p-1), rest);
    Pair v = product_of_pairs(r, product_of_pairs(r, s, z), c);
    Pair l = sum_of(r, twice.high, v.high);
    l.low = real_add(r, l.low, real_add(r, twice.low, v.low));
    Pair all = sum_of(r, real_mul(r, k, real_const(r, 0x1.62e42fefa3800p-1)), l.high);
    LV low = real_fma(r, k, real_const(r, 0x1.ef35793c76730p-45), l.low);
    return sum_of(r, all.high, real_add(r, all.low, low));
}

/* e^p, of which p.low is below the last place of p.high. 2^k in two halves (see exp.c) where it or
 * the result may not be normal. */
static LV
exp_pair(const Real *r, Pair p, bool halves)
{
    static const double poly[] = {
        0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553d5ep-5,  0x1.11111111109b2p-7,
        0x1.6c16c1788dc33p-10, 0x1.a01a01a7c54aep-13, 0x1.a019b905bafb1p-16, 0x1.71de0da9d06acp-19,
        0x1.28918e390a71ep-22, 0x1.af38b4925be09p-26};
    LLVMBuilderRef b = r->g->b;
    LV shift = real_const(r, 0x1.8p52 + (halves ? 2 : 1) * 1023), one = real_const(r, 1.0);
    LV ln2_low = real_const(r, -0x1.ef35793c76730p-45);
    LV q = real_fma(r, p.high, real_const(r, 0x1.71547652b82fep0), shift);
    LV k = real_sub(r, q, shift);
    LV first = real_fma(r, k, real_const(r, -0x1.62e42fefa3800p-1), p.high);
    LV s = real_fma(r, k, ln2_low, first);
    LV lost = real_add(r, real_fma(r, k, ln2_low, real_sub(r, first, s)), p.low);
    LV t = real_mul(r, real_mul(r, s, s), real_poly(r, s, poly, SW_LEN(poly)));
    Pair sum = sum_of(r, one, s);
    LV factor = real_add(r, sum.high, t);
    LV y = real_add(r, sum.high, real_add(r, real_fma(r, factor, lost, t), sum.low));
    LV bits = real_as_bits(r, q);
    if (!halves)
        return real_mul(r, y,
                        real_from_bits(r, LLVMBuildShl(b, bits, real_int(r, r->mantissa), "")));
    LV half = LLVMBuildLShr(b, bits, real_int(r, 1), "");
    LV rest = LLVMBuildSub(b, bits, half, "");
    LV by = real_from_bits(r, LLVMBuildShl(b, half, real_int(r, r->mantissa), ""));
    y = real_mul(r, y, by);
    by = real_from_bits(r, LLVMBuildShl(b, rest, real_int(r, r->mantissa), ""));
    return real_mul(r, y, by);
}

/* A power that is far from what is too large or too small needs less. */
enum { FAR = 700, FAR_SHORT = 300 };

/* |x|^y of x that is positive and finite. Beyond 800 the result is 0 or infinite as at 800. With
 * `plain`, that gets whether the result is far from either, and the result is one of normal x and
 * such y. */
static LV
usual(const Real *r, LV x, LV y, LV *plain)
{
    Pair l = log_pair(r, x, plain != NULL), p = product_of(r, y, l.high);
    p.low = real_fma(r, y, l.low, p.low);
    LV size = real_abs(r, p.high);
    if (plain) {
        *plain = real_test(r, LLVMRealOLT, size, real_const(r, FAR));
        return exp_pair(r, p, false);
    }
    LV bound = real_copysign(r, real_const(r, 800.0), p.high);
    LV out = real_test(r, LLVMRealOGT, size, real_const(r, 800.0));
    p.high = real_select(r, out, bound, p.high);
    p.low = real_select(r, out, real_const(r, 0.0), p.low);
    return exp_pair(r, p, true);
}

/* The same for operands that were float32. */
static LV
usual_short(const Real *r, LV x, LV y, LV *plain)
{
    static const double log_poly[] = {0x1.555554fd45c52p-1, 0x1.999a7b3520c9bp-2,
                                      0x1.2438a9d2f8e37p-2, 0x1.e2fda4b71641cp-3};
    static const double exp_poly[] = {
        0x1.ffffffffa6e84p-1, 0x1.62e42fef6cbc1p-1,  0x1.ebfbe0aa415e6p-3,  0x1.c6b08e0715f1ep-5,
        0x1.3b29d888fa62bp-7, 0x1.5d871597b486ep-10, 0x1.446ca16ba49e0p-13, 0x1.00f7be1e36888p-16};
    LV f, k = taken_apart(r, x, true, &f); /* as float64 all are normal */
    LV s = real_div(r, f, real_add(r, f, real_const(r, 2.0))), z = real_mul(r, s, s);
    LV l = real_fma(r, z, real_poly(r, z, log_poly, SW_LEN(log_poly)), real_const(r, 2.0));
    l = real_fma(r, real_mul(r, s, l), real_const(r, 0x1.71547652b82fep0), k);
    LV p = real_mul(r, y, l), far = real_const(r, FAR_SHORT), size = real_abs(r, p);
    if (plain) {
        *plain = real_test(r, LLVMRealOLT, size, far);
    } else {
        LV out = real_test(r, LLVMRealOGT, size, far);
        p = real_select(r, out, real_copysign(r, far, p), p);
    }
    LV shift = real_const(r, 0x1.8p52 + 1023), q = real_add(r, p, shift);
    LV rest = real_sub(r, p, real_sub(r, q, shift));
    LV e = LLVMBuildShl(r->g->b, real_as_bits(r, q), real_int(r, r->mantissa), "");
    return real_mul(r, real_poly(r, rest, exp_poly, SW_LEN(exp_poly)), real_from_bits(r, e));
}

/* What C's pow has of zeros, infinities, NaN and negative numbers. */
static LV
with_specials(const Real *r, LV x, LV y, LV power)
{
    LLVMBuilderRef b = r->g->b;
    LV size = real_abs(r, x), zero = real_const(r, 0.0), one = real_const(r, 1.0);
    LV infinite = real_const(r, __builtin_inf()), half = real_scaled(r, y, 0.5);
    LV no_x = real_test(r, LLVMRealOEQ, size, zero);
    LV edge = LLVMBuildOr(b, no_x, real_test(r, LLVMRealOEQ, size, infinite), "");
    LV down = LLVMBuildXor(b, no_x, real_test(r, LLVMRealOLT, y, zero), "");
    power = real_select(r, real_test(r, LLVMRealOEQ, size, one), one, power);
    power = real_select(r, edge, real_select(r, down, zero, infinite), power);
    LV whole = real_test(r, LLVMRealOEQ, intrinsic(r->g, "llvm.rint", r->t, &y, 1), y);
    LV even = real_test(r, LLVMRealOEQ, intrinsic(r->g, "llvm.rint", r->t, &half, 1), half);
    LV odd = LLVMBuildAnd(b, whole, LLVMBuildNot(b, even, ""), "");
    LV nan = LLVMBuildAnd(b, real_test(r, LLVMRealOLT, x, zero), LLVMBuildNot(b, whole, ""), "");
    nan = LLVMBuildAnd(b, nan, LLVMBuildNot(b, edge, ""), "");
    power = real_select(r, nan, real_const(r, -__builtin_nan("")), power);
    power = real_select(r, odd, real_copysign(r, power, x), power);
    power = real_select(r, real_test(r, LLVMRealUNO, x, y), real_add(r, x, y), power);
    LV is_one =
        LLVMBuildOr(b, real_test(r, LLVMRealOEQ, x, one), real_test(r, LLVMRealOEQ, y, zero), "");
    return real_select(r, is_one, one, power);
}

/* |x|^y; of a float32 in float64. */
static LV
power_of(const Real *r, LV x, LV y, LV *plain)
{
    Gen *g = r->g;
    LV size = real_abs(r, x);
    if (r->dbl)
        return usual(r, size, y, plain);
    LLVMTypeRef wide = shaped_like(x, g->f64);
    size = LLVMBuildFPExt(g->b, size, wide, "");
    Real w = real_of(g, size);
    LV power = usual_short(&w, size, LLVMBuildFPExt(g->b, y, wide, ""), plain);
    return LLVMBuildFPTrunc(g->b, power, r->t, "");
}

/* Fills the function from its first block on, where the builder is: where all x are positive,
 * normal and finite, and all powers plain, which none of a NaN is, nothing else is looked at. */
void
emit_power_body(Gen *g, LV fn)
{
    LV x = LLVMGetParam(fn, 0), y = LLVMGetParam(fn, 1), ok;
    Real r = real_of(g, x);
    LV power = power_of(&r, x, y, &ok);
    ok = LLVMBuildAnd(g->b, ok, real_is_normal(&r, x), "");
    real_return_if_all(&r, fn, ok, power);
    power = power_of(&r, x, y, NULL);
    LLVMBuildRet(g->b, with_specials(&r, x, y, power));
}
