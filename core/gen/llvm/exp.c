/* SPDX-License-Identifier: BSD-3-Clause
 * exp of float64 as arithmetic in place: no call, so that nothing has to be saved around it,
 * loops over it become vectors like any other, and scalars and lanes get the same bits.
 * exp(x) = 2^k * (1 + u), with x = k * log(2) + s by Cody and Waite's two-part constant and
 * u = s + s^2 * P(s) for a polynomial P of degree 9 that is within 1.1e-16 of
 * (exp(s) - 1 - s) / s^2 on |s| <= log(2) / 2 (a Chebyshev fit). k is taken from the low bits of
 * x / log(2) + 1.5 * 2^52, so none of the steps may be reassociated: they carry no fast-math
 * flags. 2^k is applied in two halves, for results that are denormal or overflow. The error is at
 * most 0.76 units in the last place, 1.1 with fastmath. */
#include "emit.h"

static const double poly[] = {0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553d5ep-5,
                              0x1.11111111109b2p-7,  0x1.6c16c1788dc33p-10, 0x1.a01a01a7c54aep-13,
                              0x1.a019b905bafb1p-16, 0x1.71de0da9d06acp-19, 0x1.28918e390a71ep-22,
                              0x1.af38b4925be09p-26};
/* Twice the bias of an exponent is in it, so that each half of k has one. */
static const double magic = 0x1.8p52 + 2 * 1023, log2e = 0x1.71547652b82fep0;
static const double ln2_hi = 0x1.62e42fefa3800p-1, ln2_lo = 0x1.ef35793c76730p-45;
enum { MANTISSA = 52 };

/* A constant in every lane of a value of type t. */
static LV
in_all(LLVMTypeRef t, LV one)
{
    LV all[64];
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind)
        return one;
    unsigned n = LLVMGetVectorSize(t);
    for (unsigned i = 0; i < n && i < SW_LEN(all); i++)
        all[i] = one;
    return LLVMConstVector(all, n);
}

static LV
real(Gen *g, LLVMTypeRef t, double v)
{
    return in_all(t, LLVMConstReal(g->f64, v));
}

static LV
fma_(Gen *g, LLVMTypeRef t, LV a, LV b, LV c)
{
    LV args[3] = {a, b, c};
    return intrinsic(g, "llvm.fma", t, args, 3);
}

/* k: the biased exponent in its low 12 bits. */
static LV
power_of_two(Gen *g, LLVMTypeRef t, LLVMTypeRef bits, LV k)
{
    LV e = LLVMBuildShl(g->b, k, in_all(bits, k64(g, MANTISSA)), "");
    return LLVMBuildBitCast(g->b, e, t, "");
}

/* Beyond 800 either way the result is infinite or 0 as at 800; NaN stays. */
static LV
clamped(Gen *g, LLVMTypeRef t, LV x)
{
    for (int side = 0; side < 2; side++) {
        LV bound = real(g, t, side ? -800.0 : 800.0);
        LV out = LLVMBuildFCmp(g->b, side ? LLVMRealOLT : LLVMRealOGT, x, bound, "");
        x = LLVMBuildSelect(g->b, out, bound, x, "");
    }
    return x;
}

static LV
polynomial(Gen *g, LLVMTypeRef t, LV s)
{
    LV s2 = LLVMBuildFMul(g->b, s, s, ""), pair[5];
    for (int i = 0; i < 5; i++)
        pair[i] = fma_(g, t, real(g, t, poly[2 * i + 1]), s, real(g, t, poly[2 * i]));
    LV p = pair[4];
    for (int i = 3; i >= 0; i--)
        p = fma_(g, t, p, s2, pair[i]);
    return p;
}

static LV
in_place(Gen *g, LV x)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    bool vector = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    LLVMTypeRef bits = vector ? LLVMVectorType(g->i64, LLVMGetVectorSize(t)) : g->i64;
    x = clamped(g, t, x);
    LV shift = real(g, t, magic), q = fma_(g, t, x, real(g, t, log2e), shift);
    LV n = LLVMBuildFSub(g->b, q, shift, "");
    LV high = fma_(g, t, n, real(g, t, -ln2_hi), x);
    LV s = fma_(g, t, n, real(g, t, -ln2_lo), high);
    LV p = polynomial(g, t, s), s2 = LLVMBuildFMul(g->b, s, s, ""), r;
    LV one = real(g, t, 1.0);
    if (g->opt.fastmath & FM_AFN) {
        r = LLVMBuildFAdd(g->b, fma_(g, t, s2, p, s), one, "");
    } else { /* with what the roundings of s and of 1 + s have lost */
        LV lost = LLVMBuildFSub(g->b, high, s, "");
        lost = fma_(g, t, n, real(g, t, -ln2_lo), lost);
        r = LLVMBuildFAdd(g->b, one, s, "");
        LV part = LLVMBuildFSub(g->b, r, one, "");
        lost = LLVMBuildFAdd(g->b, lost, LLVMBuildFSub(g->b, s, part, ""), "");
        r = LLVMBuildFAdd(g->b, r, fma_(g, t, s2, p, lost), "");
    }
    LV k = LLVMBuildBitCast(g->b, q, bits, "");
    LV half = LLVMBuildLShr(g->b, k, in_all(bits, k64(g, 1)), "");
    r = LLVMBuildFMul(g->b, r, power_of_two(g, t, bits, half), "");
    LV rest = LLVMBuildSub(g->b, k, half, "");
    return LLVMBuildFMul(g->b, r, power_of_two(g, t, bits, rest), "");
}

/* The same as a function, made when first asked for: the bits are those of the code in place. */
static LV
exp_function(Gen *g, LLVMTypeRef type)
{
    const char *name = g->opt.fastmath & FM_AFN ? "sw.exp.fast" : "sw.exp";
    LV fn = LLVMGetNamedFunction(g->mod, name);
    if (fn)
        return fn;
    LLVMBasicBlockRef back = LLVMGetInsertBlock(g->b);
    LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(g->b);
    fn = LLVMAddFunction(g->mod, name, type);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    add_attr(g, fn, "nounwind", 0);
    add_attr(g, fn, "willreturn", 0);
    add_attr(g, fn, "noinline", 0);
    add_attr(g, fn, "memory", 0);
    LLVMPositionBuilderAtEnd(g->b, LLVMAppendBasicBlockInContext(g->c, fn, ""));
    LLVMSetCurrentDebugLocation2(g->b, NULL);
    LLVMBuildRet(g->b, in_place(g, LLVMGetParam(fn, 0)));
    LLVMPositionBuilderAtEnd(g->b, back);
    LLVMSetCurrentDebugLocation2(g->b, line);
    return fn;
}

/* Code that hardly ever runs holds no copies of it. */
LV
emit_exp(Gen *g, LV x)
{
    if (!g->cold || LLVMTypeOf(x) != g->f64)
        return in_place(g, x);
    LLVMTypeRef type = LLVMFunctionType(g->f64, &g->f64, 1, false);
    return LLVMBuildCall2(g->b, type, exp_function(g, type), &x, 1, "");
}
