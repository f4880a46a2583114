/* SPDX-License-Identifier: BSD-3-Clause
 * Elementary functions in lanes, where SLEEF's forms, which work with pairs of floats throughout,
 * take several times as long. All need fma.
 *
 * Of x there are k and s, t with e^x = 2^k (1 + s + t), s what x is beyond k log 2. So e^x - 1 =
 * (2^k - 1) + 2^k s + 2^k t, from which the hyperbolic functions follow without cancellation.
 * Of log x there are k and f with x = 2^k (1 + f), f in [sqrt(1/2) - 1, sqrt(2) - 1], and
 * log(1 + f) = 2 atanh(s), s = f / (2 + f): f - f^2/2 + s (f^2/2 + R(s^2)), as fdlibm has it.
 * Polynomials are minimax fits (Remez) of relative error below 2^-55, 2^-26 in single precision.
 * The error is at most 2.3 units in the last place, of most functions 1. */
#include "reals.h"

#define POLY(r, x, p64, p32)                                                                       \
    ((r)->dbl ? real_poly(r, x, p64, SW_LEN(p64)) : real_poly(r, x, p32, SW_LEN(p32)))

/* ---- from e^x - 1 ---- */

/* (e^s - 1 - s) / s^2 */
static const double exp64[] = {0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553d5ep-5,
                               0x1.11111111109b2p-7,  0x1.6c16c1788dc33p-10, 0x1.a01a01a7c54aep-13,
                               0x1.a019b905bafb1p-16, 0x1.71de0da9d06acp-19, 0x1.28918e390a71ep-22,
                               0x1.af38b4925be09p-26};
static const double exp32[] = {0x1p-1,       0x1.555556p-3,  0x1.5554aep-5,
                               0x1.11109p-7, 0x1.6d748ap-10, 0x1.a1a15ap-13};

/* e^x = 2^less * scale * (1 + s + t), t the smaller part */
typedef struct {
    LV scale, s, t;
} Power;

static Power
power_of_e(const Real *r, LV x, int less)
{
    LV shift = real_const(r, (r->dbl ? 0x1.8p52 : 0x1.8p23) + r->bias - less);
    LV low = real_const(r, r->dbl ? -0x1.ef35793c76730p-45 : -0x1.7f7d1cp-20);
    double high = r->dbl ? 0x1.62e42fefa3800p-1 : 0x1.62e4p-1;
    LV q = real_fma(r, x, real_const(r, 0x1.71547652b82fep0), shift), k = real_sub(r, q, shift);
    LV first = real_fma(r, k, real_const(r, -high), x), s = real_fma(r, k, low, first);
    LV lost = real_fma(r, k, low, real_sub(r, first, s));
    LV t = real_fma(r, real_mul(r, s, s), POLY(r, s, exp64, exp32), lost);
    LV e = LLVMBuildShl(r->g->b, real_as_bits(r, q), real_int(r, r->mantissa), "");
    return (Power){real_from_bits(r, e), s, t};
}

/* e^x / 2^less - one, where scale is a number that there is, and at least one or x is near 0. */
static LV
less_one(const Real *r, Power p, double one)
{
    LV rest = real_sub(r, p.scale, real_const(r, one));
    LV sum = real_fma(r, p.scale, p.s, rest);
    if (!r->dbl)
        return real_fma(r, p.scale, p.t, sum);
    LV lost = real_fma(r, p.scale, p.s, real_sub(r, rest, sum));
    return real_add(r, sum, real_fma(r, p.scale, p.t, lost));
}

static LV
expm1_of(const Real *r, LV x)
{
    LV low = real_const(r, r->dbl ? -45.0 : -20.0);
    LV at = real_at_most(r, x, r->dbl ? 710.0 : 89.0);
    at = real_select(r, real_test(r, LLVMRealOLT, at, low), low, at);
    LV half = less_one(r, power_of_e(r, at, 1), 0.5);
    return real_copysign(r, real_add(r, half, half), x);
}

/* e^2x - 1 over e^2x + 1, with what sum and quotient lose of float64. */
static LV
tanh_of(const Real *r, LV x)
{
    LV size = real_abs(r, x), two = real_const(r, 2.0);
    LV at = real_at_most(r, real_add(r, size, size), r->dbl ? 44.0 : 20.0);
    LV t = less_one(r, power_of_e(r, at, 0), 1.0), sum = real_add(r, t, two);
    if (!r->dbl)
        return real_copysign(r, real_div(r, t, sum), x);
    LV lost = real_sub(r, t, real_sub(r, sum, two));
    LV inverse = real_div(r, real_const(r, 1.0), sum), y = real_mul(r, t, inverse);
    LV minus = LLVMBuildFNeg(r->g->b, y, "");
    LV off = real_fma(r, minus, lost, real_fma(r, minus, sum, t));
    return real_copysign(r, real_fma(r, off, inverse, y), x);
}

/* By a quarter of e^x, which is finite where the results are. */
static LV
sinh_or_cosh(const Real *r, bool odd, LV x)
{
    Power p = power_of_e(r, real_at_most(r, real_abs(r, x), r->dbl ? 710.5 : 89.42), 2);
    LV y, one = real_const(r, 1.0);
    if (odd) {
        LV q = less_one(r, p, 0.25), e = real_fma(r, q, real_const(r, 4.0), one);
        y = real_add(r, q, real_div(r, q, e));
    } else {
        LV e = less_one(r, p, 0.0);
        y = real_add(r, e, real_div(r, real_const(r, 0.0625), e));
    }
    y = real_add(r, y, y);
    return odd ? real_copysign(r, y, x) : y;
}

/* ---- logarithms ---- */

/* 2 (atanh(s) - s) / s^3 over z = s^2 */
static const double log64[] = {0x1.5555555555593p-1, 0x1.999999997fb56p-2, 0x1.2492494215e82p-2,
                               0x1.c71c51e931114p-3, 0x1.746645f2dc6f6p-3, 0x1.39a0fa4f0c9bdp-3,
                               0x1.2f0d5d546ca97p-3};
static const double log32[] = {0x1.555554p-1, 0x1.999a7cp-2, 0x1.2438aap-2, 0x1.e2fda4p-3};

/* What log(1 + f) has besides f, and w, which is small: log(1 + f) = f - (square - w). */
typedef struct {
    LV k, f, square, w;
} Log;

/* Of 2^k (1 + f). */
static Log
log_of(const Real *r, LV k, LV f)
{
    LV s = real_div(r, f, real_add(r, f, real_const(r, 2.0))), z = real_mul(r, s, s);
    LV square = real_mul(r, real_scaled(r, f, 0.5), f);
    LV rest = real_fma(r, z, POLY(r, z, log64, log32), square);
    return (Log){k, f, square, real_mul(r, s, rest)};
}

/* log(1 + x) for x > -1, finite, plus `more` times log(2). What 1 + x has lost is added to f. */
static LV
log1p_plus(const Real *r, LV x, LV more)
{
    LLVMBuilderRef b = r->g->b;
    LV one = real_const(r, 1.0), sum = real_add(r, one, x), e;
    LV below = real_sub(r, x, real_sub(r, sum, one)), above = real_sub(r, one, real_sub(r, sum, x));
    LV lost = real_select(r, real_test(r, LLVMRealOGE, sum, real_const(r, 2.0)), above, below);
    LV m = real_near_one(r, sum, &e);
    LV shrink = LLVMBuildSub(b, real_int(r, 2 * r->bias), e, "");
    shrink = real_from_bits(r, LLVMBuildShl(b, shrink, real_int(r, r->mantissa), ""));
    LV exact = real_test(r, LLVMRealOGT, sum, real_const(r, 0x1p100));
    shrink = real_select(r, exact, real_const(r, 0.0), shrink);
    Log l = log_of(r, real_of_biased(r, e), real_fma(r, lost, shrink, real_sub(r, m, one)));
    LV k = more ? real_add(r, l.k, more) : l.k;
    double high = r->dbl ? 0x1.62e42feep-1 : 0x1.62e4p-1;
    double low = r->dbl ? 0x1.a39ef35793c76p-33 : 0x1.7f7d1cp-20;
    LV w = real_fma(r, k, real_const(r, low), l.w);
    return real_fma(r, k, real_const(r, high), real_sub(r, l.f, real_sub(r, l.square, w)));
}

static LV
log1p_of(const Real *r, LV x)
{
    LV y = log1p_plus(r, x, NULL), infinite = real_const(r, __builtin_inf());
    LV whole = real_test(r, LLVMRealOEQ, x, real_const(r, -1.0));
    y = real_select(r, whole, real_const(r, -__builtin_inf()), y);
    LV below = real_test(r, LLVMRealOLT, x, real_const(r, -1.0));
    y = real_select(r, below, real_const(r, -__builtin_nan("")), y);
    LV same = real_test(r, LLVMRealUEQ, x, real_const(r, 0.0)); /* with its sign; or NaN */
    same = LLVMBuildOr(r->g->b, same, real_test(r, LLVMRealOEQ, x, infinite), "");
    return real_select(r, same, x, y);
}

/* Of a large y it is log(2y); else log1p(y + y^2 / (1 + sqrt(y^2 + 1))), or of
 * t + sqrt(t^2 + 2t) for t = y - 1. */
static LV
asinh_or_acosh(const Real *r, bool odd, LV x)
{
    LV size = real_abs(r, x), one = real_const(r, 1.0), v;
    LV large = real_test(r, LLVMRealOGT, size, real_const(r, r->dbl ? 0x1p60 : 0x1p30));
    if (odd) {
        LV square = real_mul(r, size, size);
        LV root = real_sqrt(r, real_add(r, square, one));
        v = real_add(r, size, real_div(r, square, real_add(r, one, root)));
    } else {
        LV t = real_sub(r, x, one);
        v = real_add(r, t, real_sqrt(r, real_fma(r, t, t, real_add(r, t, t))));
    }
    LV more = real_select(r, large, one, real_const(r, 0.0));
    LV y = log1p_plus(r, real_select(r, large, size, v), more);
    LV finite = real_test(r, LLVMRealOLT, size, real_const(r, __builtin_inf()));
    if (odd)
        return real_copysign(r, real_select(r, finite, y, size), x);
    LV outside = real_test(r, LLVMRealOLT, x, one);
    y = real_select(r, finite, y, x);
    return real_select(r, outside, real_const(r, -__builtin_nan("")), y);
}

/* As log64, for s up to 0.202 */
static const double atanh64[] = {0x1.5555555555555p-1, 0x1.999999999a026p-2, 0x1.24924923c0f11p-2,
                                 0x1.c71c730551210p-3, 0x1.745ca0be055ebp-3, 0x1.3b2b97e217ecep-3,
                                 0x1.0e69af653d271p-3, 0x1.17a3a771d6886p-3};

/* 2 atanh(y) = log((1 + y) / (1 - y)) for y = |x|. With 2^k near that quotient, what is left is
 * 2 atanh(s), s = ((1 + y) - 2^k (1 - y)) / ((1 + y) + 2^k (1 - y)), of which s is y where k = 0.
 * The difference of the two floats' bits is their logarithm to base 2, nearly. What their
 * roundings have lost is added. */
static LV
atanh_of(const Real *r, LV x)
{
    LLVMBuilderRef b = r->g->b;
    LV y = real_abs(r, x), one = real_const(r, 1.0), two = real_const(r, 2.0);
    LV below = real_sub(r, one, y), above = real_add(r, one, y);
    int64_t offset = ((int64_t)r->bias << r->mantissa) + (INT64_C(1) << (r->mantissa - 1));
    LV e = LLVMBuildSub(b, real_as_bits(r, above), real_as_bits(r, below), "");
    e = LLVMBuildAdd(b, e, real_int(r, offset), "");
    e = LLVMBuildLShr(b, e, real_int(r, r->mantissa), "");
    LV power = real_from_bits(r, LLVMBuildShl(b, e, real_int(r, r->mantissa), ""));
    LV near = LLVMBuildICmp(b, LLVMIntEQ, e, real_int(r, r->bias), ""), k = real_of_biased(r, e);
    LV minus = LLVMBuildFNeg(b, power, "");
    LV lost = real_fma(r, minus, real_sub(r, real_sub(r, one, below), y),
                       real_sub(r, y, real_sub(r, above, one)));
    LV num = real_add(r, real_fma(r, minus, below, above), lost);
    num = real_select(r, near, real_add(r, y, y), num);
    LV den = real_select(r, near, two, real_fma(r, power, below, above));
    LV s = real_div(r, num, den), z = real_mul(r, s, s);
    LV rest = real_mul(r, real_mul(r, real_scaled(r, s, 0.5), z), POLY(r, z, atanh64, log32));
    double high = r->dbl ? 0x1.62e42feep-2 : 0x1.62e4p-2;
    double low = r->dbl ? 0x1.a39ef35793c76p-34 : 0x1.7f7d1cp-21;
    LV all = real_add(r, s, real_fma(r, k, real_const(r, low), rest));
    all = real_fma(r, k, real_const(r, high), all);
    LV no = real_select(r, real_test(r, LLVMRealOEQ, y, one), real_const(r, __builtin_inf()),
                        real_const(r, __builtin_nan("")));
    all = real_select(r, real_test(r, LLVMRealOLT, y, one), all, no);
    return real_copysign(r, all, x);
}

/* The sum to a base: the logarithm of 1 + f by 1 / log(base), in two parts, and k by the base's
 * logarithm of 2, in two parts where it is none of 2. */
typedef struct {
    double by, by_rest, two, two_rest;
} Base;

static const Base log_base[2][3] = {
    {{0, 0, 0x1.62e4p-1, 0x1.7f7d1cp-20},
     {0x1.715476p0, 0x1.4ae0cp-26, 0, 0},
     {0x1.bcb7b2p-2, -0x1.5b235ep-27, 0x1.344134p-2, 0x1.09f7ap-26}},
    {{0, 0, 0x1.62e42feep-1, 0x1.a39ef35793c76p-33},
     {0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56, 0, 0},
     {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, 0x1.34413509f6p-2, 0x1.9fef311f12b36p-42}}};

static LV
in_base(const Real *r, IrOp op, const Log *l)
{
    const Base *base = &log_base[r->dbl][op == OP_log ? 0 : op == OP_log2 ? 1 : 2];
    if (op == OP_log) {
        LV w = real_fma(r, l->k, real_const(r, base->two_rest), l->w);
        LV rest = real_sub(r, l->f, real_sub(r, l->square, w));
        return real_fma(r, l->k, real_const(r, base->two), rest);
    }
    LV y = real_sub(r, l->f, real_sub(r, l->square, l->w));
    if (op == OP_log2) {
        LV rest = real_fma(r, y, real_const(r, base->by_rest), l->k);
        return real_fma(r, y, real_const(r, base->by), rest);
    }
    LV rest = real_scaled(r, l->k, base->two_rest);
    rest = real_fma(r, y, real_const(r, base->by_rest), rest);
    rest = real_fma(r, y, real_const(r, base->by), rest);
    return real_fma(r, l->k, real_const(r, base->two), rest);
}

/* Of normal numbers that are positive and finite. */
static LV
usual_log(const Real *r, IrOp op, LV x)
{
    LV e, m = real_near_one(r, x, &e);
    Log l = log_of(r, real_of_biased(r, e), real_sub(r, m, real_const(r, 1.0)));
    return in_base(r, op, &l);
}

/* ---- the cube root ---- */

/* |x|^(1/3) of what is positive, normal and finite. By x^(-1/3), which takes no division: from a y
 * that is near it y (1 - e)^(-1/3) for e = 1 - x y^3. Then root = x y^2, and of root^3 = x (1 + q)
 * follows root (1 + q)^(-1/3), in single precision by its first term. */
static LV
usual_cbrt(const Real *r, LV x)
{
    static const double third[] = {1.0 / 3, 2.0 / 9, 14.0 / 81, 35.0 / 243, 91.0 / 729};
    LLVMBuilderRef b = r->g->b;
    LV bits = real_as_bits(r, x), y; /* the exponent and what is behind it, divided by 3 */
    if (r->dbl) {
        LV high = LLVMBuildLShr(b, bits, real_int(r, 32), "");
        high = LLVMBuildMul(b, high, real_int(r, 0x55555556), "");
        high = LLVMBuildLShr(b, high, real_int(r, 32), "");
        y = LLVMBuildShl(b, LLVMBuildSub(b, real_int(r, 0x553ef0ff), high, ""), real_int(r, 32),
                         "");
    } else {
        y = LLVMBuildSIToFP(b, bits, r->t, ""); /* is near enough */
        y = real_fma(r, y, real_const(r, -1.0 / 3), real_const(r, 0x54a21d2a));
        y = LLVMBuildFPToSI(b, y, r->bits, "");
    }
    y = real_from_bits(r, y);
    LV square = real_mul(r, y, y), minus = LLVMBuildFNeg(b, real_mul(r, x, y), "");
    LV e = real_fma(r, minus, square, real_const(r, 1.0));
    y = real_fma(r, real_mul(r, y, e), real_poly(r, e, third, SW_LEN(third)), y);
    square = real_mul(r, y, y);
    LV root = real_mul(r, x, square), p = real_mul(r, root, root);
    LV off = real_fma(r, p, root, LLVMBuildFNeg(b, x, "")); /* root^3 - x */
    if (!r->dbl)
        return real_fma(r, off, real_scaled(r, square, -1.0 / 3), root);
    LV low = real_fma(r, root, root, LLVMBuildFNeg(b, p, ""));
    LV v = real_mul(r, real_fma(r, low, root, off), real_mul(r, square, y)); /* q + q^2 / 2 */
    LV by = real_fma(r, v, real_const(r, 7.0 / 18), real_const(r, -1.0 / 3));
    return real_fma(r, real_mul(r, root, v), by, root);
}

static LV
cbrt_of(const Real *r, LV x)
{
    LV size = real_abs(r, x), least = real_const(r, r->dbl ? 0x1p-1022 : 0x1p-126);
    LV tiny = real_test(r, LLVMRealOLT, size, least);
    LV at = real_select(r, tiny, real_scaled(r, size, r->dbl ? 0x1p54 : 0x1p24), size);
    LV root = usual_cbrt(r, at);
    root = real_select(r, tiny, real_scaled(r, root, r->dbl ? 0x1p-18 : 0x1p-8), root);
    LV finite = real_test(r, LLVMRealOLT, size, real_const(r, __builtin_inf()));
    LV some = real_test(r, LLVMRealOGT, size, real_const(r, 0.0));
    LV usual = LLVMBuildAnd(r->g->b, finite, some, "");
    return real_copysign(r, real_select(r, usual, root, size), x);
}

/* Fill the function: the builder is in its first block. SLEEF knows of other logarithms. */
void
emit_log_body(Gen *g, IrOp op, LV fn)
{
    LV x = LLVMGetParam(fn, 0);
    Real r = real_of(g, x);
    real_return_if_all(&r, fn, real_is_normal(&r, x), usual_log(&r, op, x));
    LV of = sleef_form(g, op, r.dbl, (int)LLVMGetVectorSize(r.t));
    LLVMBuildRet(g->b, LLVMBuildCall2(g->b, LLVMGlobalGetValueType(of), of, &x, 1, ""));
}

void
emit_cbrt_body(Gen *g, LV fn)
{
    LV x = LLVMGetParam(fn, 0);
    Real r = real_of(g, x);
    LV size = real_abs(&r, x), root = real_copysign(&r, usual_cbrt(&r, size), x);
    real_return_if_all(&r, fn, real_is_normal(&r, size), root);
    LLVMBuildRet(g->b, cbrt_of(&r, x));
}

/* ---- angles ---- */

/* (atan(z) - z) / z^3 over w = z^2, to tan(pi/8) */
static const double atan64[] = {-0x1.5555555555554p-2, 0x1.9999999999651p-3,  -0x1.2492492475931p-3,
                                0x1.c71c71b75902dp-4,  -0x1.745d14bb60b02p-4, 0x1.3b136e4b5a925p-4,
                                -0x1.110c7422ce833p-4, 0x1.e17213bba2f2ep-5,  -0x1.ab7ddba8ce1fap-5,
                                0x1.70ee3c6e82573p-5,  -0x1.1238f3a6f70acp-5, 0x1.f1e9ef6aa4b39p-7};
static const double atan32[] = {-0x1.55554ap-2, 0x1.9991a6p-3, -0x1.23b638p-3, 0x1.b1fa24p-4,
                                -0x1.f22b4cp-5};
/* (asin(x) - x) / x^3 over z = x^2, to 1/2 */
static const double asin64[] = {0x1.5555555555578p-3, 0x1.333333332df03p-4, 0x1.6db6db722c010p-5,
                                0x1.f1c71a8b71c1dp-6, 0x1.6e8bdfea129dep-6, 0x1.1c49ddd431a3bp-6,
                                0x1.ca214740f239dp-7, 0x1.75777da4b9b82p-7, 0x1.618ae7fa52078p-7,
                                0x1.e15ab02408df9p-9, 0x1.65019e6e2c0e6p-6, -0x1.59f544885f256p-6,
                                0x1.0be3d0ddb78abp-5};
static const double asin32[] = {0x1.5555cap-3, 0x1.330136p-4, 0x1.748fp-5, 0x1.8b86acp-6,
                                0x1.59f3d8p-5};

/* atan(num / den) of |num| <= tan(pi/8) den, plus what is left of an angle by its upper part. */
static LV
small_angle(const Real *r, LV z, LV low)
{
    LV w = real_mul(r, z, z);
    return real_add(r, real_fma(r, real_mul(r, z, w), POLY(r, w, atan64, atan32), low), z);
}

/* count * pi / 4: its upper part, a multiple of 8 units in its last place, and the rest. */
static LV
quarters(const Real *r, LV count, LV *low)
{
    double high = r->dbl ? 0x1.921fb54442d10p-1 : 0x1.921fap-1;
    double rest = r->dbl ? 0x1.08d313198a2e0p-50 : 0x1.54442ep-21;
    *low = real_scaled(r, count, rest);
    return real_scaled(r, count, high);
}

static LV
atan_of(const Real *r, LV x)
{
    LV size = real_abs(r, x), one = real_const(r, 1.0), low;
    LV large = real_test(r, LLVMRealOGT, size, real_const(r, 0x1.3504f333f9de6p1));
    LV some = real_test(r, LLVMRealOGT, size, real_const(r, 0x1.a827999fcef32p-2));
    LV num = real_select(r, some, real_sub(r, size, one), size);
    LV den = real_select(r, some, real_add(r, size, one), one);
    num = real_select(r, large, real_const(r, -1.0), num);
    den = real_select(r, large, size, den);
    LV count = real_select(r, some, one, real_const(r, 0.0));
    count = real_select(r, large, real_const(r, 2.0), count);
    LV high = quarters(r, count, &low);
    LV y = real_add(r, high, small_angle(r, real_div(r, num, den), low));
    return real_copysign(r, y, x);
}

/* The angle is that of the smaller one over the larger one, by quarters turned into its octant. */
static LV
atan2_of(const Real *r, LV y, LV x)
{
    LLVMBuilderRef b = r->g->b;
    LV ay = real_abs(r, y), ax = real_abs(r, x), zero = real_const(r, 0.0);
    LV steep = real_test(r, LLVMRealOGT, ay, ax);
    LV n = real_select(r, steep, ax, ay), d = real_select(r, steep, ay, ax), low;
    LV less = real_test(r, LLVMRealOGT, d, real_const(r, r->dbl ? 0x1p1000 : 0x1p120));
    LV by = real_select(r, less, real_const(r, 0x1p-10), real_const(r, 1.0));
    LV sn = real_mul(r, n, by), sd = real_mul(r, d, by); /* of which there is a sum */
    LV equal = real_test(r, LLVMRealOEQ, n, d), some = real_test(r, LLVMRealOGT, d, zero);
    LV middle = real_test(r, LLVMRealOGT, sn, real_scaled(r, sd, 0x1.a827999fcef32p-2));
    middle = LLVMBuildOr(b, middle, LLVMBuildAnd(b, equal, some, ""), "");
    LV num = real_select(r, middle, real_sub(r, sn, sd), sn);
    LV den = real_select(r, middle, real_add(r, sn, sd), sd);
    LV z = real_select(r, equal, zero, real_div(r, num, den));
    LV count = real_select(r, middle, real_const(r, 1.0), zero);
    LV left = LLVMBuildICmp(b, LLVMIntSLT, real_as_bits(r, x), real_int(r, 0), "");
    /* pi/2 - a where it is steep, then pi - a on the left */
    LV turned = real_sub(r, real_const(r, 2.0), count);
    count = real_select(r, steep, turned, count);
    turned = real_sub(r, real_const(r, 4.0), count);
    count = real_select(r, left, turned, count);
    z = real_select(r, LLVMBuildXor(b, steep, left, ""), LLVMBuildFNeg(b, z, ""), z);
    LV high = quarters(r, count, &low);
    LV a = real_copysign(r, real_add(r, high, small_angle(r, z, low)), y);
    return real_select(r, real_test(r, LLVMRealUNO, x, y), real_add(r, x, y), a);
}

/* From 1/2 on by the half angle, whose sine is sqrt((1 - x) / 2). */
static LV
asin_or_acos(const Real *r, bool odd, LV x)
{
    LV size = real_abs(r, x), half = real_const(r, 0.5), low, zero = real_const(r, 0.0);
    LV large = real_test(r, LLVMRealOGT, size, half);
    LV z = real_select(r, large, real_fma(r, size, real_const(r, -0.5), half), real_mul(r, x, x));
    LV s = real_select(r, large, real_sqrt(r, z), odd ? size : x);
    LV rest = real_mul(r, real_mul(r, s, z), POLY(r, z, asin64, asin32));
    LV twice = real_select(r, large, real_const(r, -2.0), real_const(r, 1.0));
    if (odd) { /* with what the root has lost */
        LV lost = real_fma(r, LLVMBuildFNeg(r->g->b, s, ""), s, z);
        LV more = real_const(r, r->dbl ? 0x1p-1000 : 0x1p-120); /* not 0 / 0 of 1 */
        lost = real_select(r, large, real_div(r, lost, real_fma(r, s, real_const(r, 2.0), more)),
                           zero);
        rest = real_add(r, rest, lost);
        LV high = quarters(r, real_select(r, large, real_const(r, 2.0), zero), &low);
        LV first = real_fma(r, s, twice, high), back = real_sub(r, first, high);
        LV off = real_fma(r, s, twice, LLVMBuildFNeg(r->g->b, back, "")); /* lost there */
        low = real_add(r, low, real_fma(r, rest, twice, off));
        return real_copysign(r, real_add(r, first, low), x);
    }
    LV negative = real_test(r, LLVMRealOLT, x, zero);
    LV count = real_select(r, large, real_select(r, negative, real_const(r, 4.0), zero),
                           real_const(r, 2.0));
    LV high = quarters(r, count, &low);
    LV by = real_select(r, large, real_select(r, negative, twice, real_const(r, 2.0)),
                        real_const(r, -1.0));
    low = real_fma(r, rest, by, low);
    return real_add(r, high, real_fma(r, s, by, low));
}

/* ---- all of them ---- */

bool
has_own_vector_form(IrOp op, bool dbl)
{
    switch (op) {
    case OP_expm1:
    case OP_tanh:
    case OP_sinh:
    case OP_cosh:
    case OP_log1p:
    case OP_asinh:
    case OP_acosh:
    case OP_atanh:
    case OP_log:
    case OP_log2:
    case OP_log10:
    case OP_cbrt:
    case OP_atan:
    case OP_atan2:
    case OP_asin:
    case OP_acos:
    case OP_pow:
        return true;
    case OP_tan:
        return !dbl;
    default:
        return false;
    }
}

LV
emit_elementary(Gen *g, IrOp op, const LV *a)
{
    Real r = real_of(g, a[0]);
    switch (op) {
    case OP_expm1:
        return expm1_of(&r, a[0]);
    case OP_tanh:
        return tanh_of(&r, a[0]);
    case OP_sinh:
    case OP_cosh:
        return sinh_or_cosh(&r, op == OP_sinh, a[0]);
    case OP_log1p:
        return log1p_of(&r, a[0]);
    case OP_asinh:
    case OP_acosh:
        return asinh_or_acosh(&r, op == OP_asinh, a[0]);
    case OP_atanh:
        return atanh_of(&r, a[0]);
    case OP_atan:
        return atan_of(&r, a[0]);
    case OP_atan2:
        return atan2_of(&r, a[0], a[1]);
    case OP_asin:
    case OP_acos:
        return asin_or_acos(&r, op == OP_asin, a[0]);
    default:
        return NULL;
    }
}
