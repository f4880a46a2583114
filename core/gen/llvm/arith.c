/* SPDX-License-Identifier: BSD-3-Clause
 * Operations on real scalars (bool, integers, float, double), each as op.def describes
 * it. The hard idea is that nothing here may trap, nor branch in a loop that may become vectors:
 * division replaces a bad divisor by 1 and corrects the result by selects. */
#include "emit.h"

#define B g->b
#define ICMP(p, x, y) LLVMBuildICmp(B, LLVMInt##p, x, y, "")
#define FCMP(p, x, y) LLVMBuildFCmp(B, LLVMReal##p, x, y, "")
#define SEL(c, x, y) LLVMBuildSelect(B, c, x, y, "")

static bool
is_signed(DType d)
{
    return dtype_kind(d) == DK_INT;
}

static bool
is_real_float(DType d)
{
    return dtype_kind(d) == DK_FLOAT;
}

static LV
kint(LV like, int64_t v)
{
    return const_int_like(LLVMTypeOf(like), v);
}

/* ---- integer division ------------------------------------------------------------------------ */

/* A divisor that can't trap, and whether it replaced 0. MIN / -1 becomes MIN / 1, which
 * is right. */
static LV
safe_divisor(Gen *g, DType d, LV a, LV b, LV *was_zero)
{
    LV zero = kint(b, 0);
    *was_zero = ICMP(EQ, b, zero);
    LV bad = *was_zero;
    if (is_signed(d)) {
        LV min = kint(b, (int64_t)(1ull << (dtype_info[d].bits - 1)));
        bad = LLVMBuildOr(B, bad, LLVMBuildAnd(B, ICMP(EQ, a, min), ICMP(EQ, b, kint(b, -1)), ""),
                          "");
    }
    return SEL(bad, kint(b, 1), b);
}

/* log2 of a constant positive power of two, or -1. */
static int
power_of_two(LV b)
{
    b = splat_value(b);
    if (!LLVMIsAConstantInt(b))
        return -1;
    int64_t v = LLVMConstIntGetSExtValue(b);
    return v > 0 && (v & (v - 1)) == 0 ? __builtin_ctzll((uint64_t)v) : -1;
}

/* Of numbers that are not negative C's quotient is Python's. An iteration that waits for the one
 * before waits for the correction, too, which a branch leaves out; others do better without. A
 * vector's lanes are in no such loop. */
static bool
by_sign(Gen *g, LV a)
{
    return g->serial && !g->ptx && LLVMGetTypeKind(LLVMTypeOf(a)) == LLVMIntegerTypeKind;
}

static LV
signed_divide(Gen *g, IrOp op, LV a, LV safe)
{
    LV zero = kint(safe, 0);
    if (op == OP_mod) {
        LV r = LLVMBuildSRem(B, a, safe, ""), sign = LLVMBuildXor(B, r, safe, "");
        LV up = LLVMBuildAnd(B, ICMP(NE, r, zero), ICMP(SLT, sign, zero), "");
        return LLVMBuildAdd(B, r, SEL(up, safe, zero), "");
    }
    LV q = LLVMBuildSDiv(B, a, safe, "");
    LV r = LLVMBuildSub(B, a, LLVMBuildMul(B, q, safe, ""), "");
    LV down = LLVMBuildAnd(B, ICMP(NE, r, zero), ICMP(SLT, LLVMBuildXor(B, a, safe, ""), zero), "");
    return LLVMBuildAdd(B, q, LLVMBuildSExt(B, down, LLVMTypeOf(q), ""), "");
}

static LV
unsigned_divide(Gen *g, IrOp op, LV a, LV safe)
{
    return op == OP_mod ? LLVMBuildURem(B, a, safe, "") : LLVMBuildUDiv(B, a, safe, "");
}

static LV
divide_by_sign(Gen *g, IrOp op, DType d, LV a, LV b)
{
    LV zero = kint(b, 0), was_zero = ICMP(EQ, b, zero);
    LLVMBasicBlockRef from[2] = {new_block(g, "quick.divide"), new_block(g, "slow.divide")};
    LLVMBasicBlockRef next = new_block(g, "divide");
    LV neither = ICMP(SGE, LLVMIsAConstantInt(b) ? a : LLVMBuildOr(B, a, b, ""), zero);
    branch(g, neither, from[0], from[1], g->likely);
    LV value[2];
    LLVMPositionBuilderAtEnd(B, from[0]);
    value[0] = unsigned_divide(g, op, a, SEL(was_zero, kint(b, 1), b));
    jump(g, next);
    LLVMPositionBuilderAtEnd(B, from[1]);
    LV again; /* as was_zero */
    value[1] = signed_divide(g, op, a, safe_divisor(g, d, a, b, &again));
    jump(g, next);
    LLVMPositionBuilderAtEnd(B, next);
    LV phi = LLVMBuildPhi(B, LLVMTypeOf(a), "");
    LLVMAddIncoming(phi, value, from, 2);
    return SEL(was_zero, zero, phi);
}

/* Is the quotient one of many that lanes compute by floats? LLVM multiplies by what a constant of
 * up to 32 bits makes. Of 64 bits it takes so many instructions that it pays for array expressions,
 * whose loops become vectors. */
static bool
in_lanes(Gen *g, DType d, LV a, LV divisor)
{
    bool wide = dtype_info[d].bits > 32, vector = LLVMTypeOf(a) != element_type(LLVMTypeOf(a));
    if (g->ptx || !g->isa.fma || (LLVMIsAConstantInt(divisor) && !wide))
        return false;
    return wide ? g->isa.masks && (vector || g->elementwise) : vector || g->independent;
}

/* Rounded down, or what that leaves over, which has the sign of the divisor. */
static LV
int_divide(Gen *g, IrOp op, DType d, LV a, LV b)
{
    LV was_zero;
    int shift = power_of_two(b);
    if (shift >= 0 && op == OP_mod)
        return LLVMBuildAnd(B, a, LLVMBuildSub(B, b, kint(b, 1), ""), "");
    if (shift >= 0 && is_signed(d))
        return LLVMBuildAShr(B, a, kint(b, shift), "");
    LV k = splat_value(b);
    bool below = LLVMIsAConstantInt(k) && LLVMConstIntGetSExtValue(k) <= 0;
    if (is_signed(d) && !below && by_sign(g, a))
        return divide_by_sign(g, op, d, a, b);
    if (in_lanes(g, d, a, k)) {
        was_zero = ICMP(EQ, b, kint(b, 0));
        LV by = SEL(was_zero, kint(b, 1), b), value = emit_quotient(g, d, a, by);
        if (op == OP_mod)
            value = LLVMBuildSub(B, a, LLVMBuildMul(B, value, by, ""), "");
        return SEL(was_zero, kint(b, 0), value);
    }
    LV safe = safe_divisor(g, d, a, b, &was_zero);
    LV value = is_signed(d) ? signed_divide(g, op, a, safe) : unsigned_divide(g, op, a, safe);
    return SEL(was_zero, kint(b, 0), value);
}

static LV
int_fmod(Gen *g, DType d, LV a, LV b)
{
    LV was_zero, safe = safe_divisor(g, d, a, b, &was_zero);
    LV r = is_signed(d) ? LLVMBuildSRem(B, a, safe, "") : LLVMBuildURem(B, a, safe, "");
    return SEL(was_zero, kint(b, 0), r);
}

static LV
int_tdiv(Gen *g, DType d, LV a, LV b)
{
    LV was_zero, safe = safe_divisor(g, d, a, b, &was_zero);
    return is_signed(d) ? LLVMBuildSDiv(B, a, safe, "") : LLVMBuildUDiv(B, a, safe, "");
}

/* ---- shifts, powers, and the rest on integers ------------------------------------------------ */

static LV
shift(Gen *g, IrOp op, DType d, LV a, LV b)
{
    LV bits = kint(b, dtype_info[d].bits), fits = ICMP(ULT, b, bits);
    LV count = SEL(fits, b, kint(b, 0));
    if (op == OP_shl)
        return SEL(fits, LLVMBuildShl(B, a, count, ""), kint(a, 0));
    if (!is_signed(d))
        return SEL(fits, LLVMBuildLShr(B, a, count, ""), kint(a, 0));
    count = SEL(fits, b, kint(b, dtype_info[d].bits - 1));
    return LLVMBuildAShr(B, a, count, "");
}

static LV
widen(Gen *g, DType d, LV a)
{
    return emit_cast(g, is_signed(d) ? DT_i64 : DT_u64, d, (Val){a, NULL}).v;
}

static LV
narrow(Gen *g, DType d, LV a)
{
    return emit_cast(g, d, is_signed(d) ? DT_i64 : DT_u64, (Val){a, NULL}).v;
}

static LV
small_power(Gen *g, LV a, int64_t n)
{
    LV r = NULL, sq = a;
    for (; n; n >>= 1) {
        if (n & 1)
            r = r ? LLVMBuildMul(B, r, sq, "") : sq;
        if (n > 1)
            sq = LLVMBuildMul(B, sq, sq, "");
    }
    return r ? r : kint(a, 1);
}

bool
is_small_power(int64_t n)
{
    return n >= 0 && n <= 64;
}

static LV
int_pow(Gen *g, DType d, LV a, LV b)
{
    LV k = splat_value(b);
    if (LLVMIsAConstantInt(k)) {
        int64_t n = LLVMConstIntGetSExtValue(k);
        if (is_small_power(n))
            return small_power(g, a, n);
    }
    LV args[2] = {widen(g, d, a), widen(g, d, b)};
    return narrow(g, d, emit_rt_call(g, is_signed(d) ? RT_sw_pow_i64 : RT_sw_pow_u64, args, 2));
}

static LV
int_abs(Gen *g, DType d, LV a)
{
    LV args[2] = {a, LLVMConstInt(g->i1, 0, false)};
    return is_signed(d) ? intrinsic(g, "llvm.abs", LLVMTypeOf(a), args, 2) : a;
}

static LV
int_gcd(Gen *g, IrOp op, DType d, LV a, LV b)
{
    LV args[2] = {widen(g, d, a), widen(g, d, b)};
    LV x = emit_rt_call(g, is_signed(d) ? RT_sw_gcd_i64 : RT_sw_gcd_u64, args, 2);
    x = narrow(g, d, x);
    if (op == OP_gcd)
        return x;
    LV q = int_tdiv(g, d, int_abs(g, d, a), SEL(ICMP(EQ, x, kint(x, 0)), kint(x, 1), x));
    LV r = LLVMBuildMul(B, q, int_abs(g, d, b), "");
    return SEL(ICMP(EQ, x, kint(x, 0)), kint(x, 0), r);
}

static LV
int_minmax(Gen *g, IrOp op, DType d, LV a, LV b)
{
    bool least = op == OP_min || op == OP_fmin;
    LV c = is_signed(d) ? (least ? ICMP(SLT, a, b) : ICMP(SGT, a, b))
                        : (least ? ICMP(ULT, a, b) : ICMP(UGT, a, b));
    return SEL(c, a, b);
}

static LV
int_sign(Gen *g, DType d, LV a)
{
    LV zero = kint(a, 0);
    LLVMTypeRef t = LLVMTypeOf(a);
    if (!is_signed(d))
        return d == DT_bool ? a : LLVMBuildZExt(B, ICMP(NE, a, zero), t, "");
    return LLVMBuildSub(B, LLVMBuildZExt(B, ICMP(SGT, a, zero), t, ""),
                        LLVMBuildZExt(B, ICMP(SLT, a, zero), t, ""), "");
}

static LV
int_popcount(Gen *g, DType d, LV a)
{
    LV x = int_abs(g, d, a);
    return intrinsic(g, "llvm.ctpop", LLVMTypeOf(x), &x, 1);
}

static LV
int_compare(Gen *g, IrOp op, DType d, LV a, LV b)
{
    bool s = is_signed(d);
    switch (op) {
    case OP_eq:
        return ICMP(EQ, a, b);
    case OP_ne:
        return ICMP(NE, a, b);
    case OP_lt:
        return s ? ICMP(SLT, a, b) : ICMP(ULT, a, b);
    case OP_le:
        return s ? ICMP(SLE, a, b) : ICMP(ULE, a, b);
    case OP_gt:
        return s ? ICMP(SGT, a, b) : ICMP(UGT, a, b);
    default:
        return s ? ICMP(SGE, a, b) : ICMP(UGE, a, b);
    }
}

/* OP_wrap: the dimension is not negative, so the sum can't overflow. */
static LV
wrap_index(Gen *g, LV i, LV dim)
{
    return SEL(ICMP(SLT, i, kint(i, 0)), LLVMBuildNSWAdd(B, i, dim, ""), i);
}

static LV
int_op(Gen *g, IrOp op, DType d, LV *a)
{
    bool boolean = d == DT_bool;
    switch (op) {
    case OP_add:
        return boolean ? LLVMBuildOr(B, a[0], a[1], "") : LLVMBuildAdd(B, a[0], a[1], "");
    case OP_sub:
        return LLVMBuildSub(B, a[0], a[1], "");
    case OP_mul:
        return boolean ? LLVMBuildAnd(B, a[0], a[1], "") : LLVMBuildMul(B, a[0], a[1], "");
    case OP_floordiv:
    case OP_mod:
        return int_divide(g, op, d, a[0], a[1]);
    case OP_fmod:
        return int_fmod(g, d, a[0], a[1]);
    case OP_tdiv:
        return int_tdiv(g, d, a[0], a[1]);
    case OP_pow:
        return int_pow(g, d, a[0], a[1]);
    case OP_neg:
        return LLVMBuildNeg(B, a[0], "");
    case OP_abs:
        return int_abs(g, d, a[0]);
    case OP_inv:
        return LLVMBuildNot(B, a[0], "");
    case OP_and:
        return LLVMBuildAnd(B, a[0], a[1], "");
    case OP_or:
        return LLVMBuildOr(B, a[0], a[1], "");
    case OP_xor:
        return LLVMBuildXor(B, a[0], a[1], "");
    case OP_shl:
    case OP_shr:
        return shift(g, op, d, a[0], a[1]);
    case OP_eq:
    case OP_ne:
    case OP_lt:
    case OP_le:
    case OP_gt:
    case OP_ge:
        return int_compare(g, op, d, a[0], a[1]);
    case OP_min:
    case OP_max:
    case OP_fmin:
    case OP_fmax:
        return int_minmax(g, op, d, a[0], a[1]);
    case OP_sign:
        return int_sign(g, d, a[0]);
    case OP_signbit:
        return is_signed(d) ? ICMP(SLT, a[0], kint(a[0], 0)) : LLVMConstInt(g->i1, 0, false);
    case OP_isnan:
    case OP_isinf:
        return LLVMConstInt(g->i1, 0, false);
    case OP_isfinite:
        return LLVMConstInt(g->i1, 1, false);
    case OP_imag:
        return kint(a[0], 0);
    case OP_wrap:
        return wrap_index(g, a[0], a[1]);
    case OP_popcount:
        return int_popcount(g, d, a[0]);
    case OP_gcd:
    case OP_lcm:
        return int_gcd(g, op, d, a[0], a[1]);
    case OP_floor:
    case OP_ceil:
    case OP_trunc:
    case OP_rint:
    case OP_real:
    case OP_conj:
        return a[0];
    default:
        return NULL;
    }
}

/* ---- float and double ------------------------------------------------------------------------ */

/* minimum, maximum: any NaN wins. A reduction in any order uses the intrinsic, which the
 * vectoriser knows; such an order decides which of two zeros it is, so that no instructions are
 * spent on it. */
static LV
float_minmax(Gen *g, IrOp op, LV *a, bool reduction)
{
    bool least = op == OP_min || op == OP_fmin;
    if (reduction && (op == OP_min || op == OP_max)) {
        const char *name = least ? "llvm.minimum" : "llvm.maximum";
        unsigned save = g->fmf;
        g->fmf |= LLVMFastMathNoSignedZeros;
        LV r = flagged(g, intrinsic(g, name, LLVMTypeOf(a[0]), a, 2));
        g->fmf = save;
        return r;
    }
    LV c = least ? FCMP(OLT, a[0], a[1]) : FCMP(OGT, a[0], a[1]);
    LV t = flagged(g, SEL(flagged(g, c), a[0], a[1])); /* b when one is a NaN */
    if (g->fmf & LLVMFastMathNoNaNs)
        return t;
    if (op == OP_fmin || op == OP_fmax)
        return SEL(FCMP(UNO, a[1], a[1]), a[0], t);
    return SEL(FCMP(UNO, a[0], a[0]), a[0], t);
}

static LV
float_sign(Gen *g, LV x)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    LV zero = LLVMConstNull(t), r = SEL(FCMP(OEQ, x, zero), zero, x);
    r = SEL(FCMP(OLT, x, zero), LLVMConstReal(t, -1.0), r);
    return SEL(FCMP(OGT, x, zero), LLVMConstReal(t, 1.0), r);
}

static LV
float_bits_negative(Gen *g, LV x)
{
    LLVMTypeRef t = element_type(LLVMTypeOf(x));
    LLVMTypeRef it = t == g->f64 ? g->i64 : t == g->f32 ? g->i32 : g->i16;
    it = shaped_like(x, it);
    LV bits = LLVMBuildBitCast(B, x, it, "");
    return ICMP(SLT, bits, LLVMConstNull(it));
}

static LV
float_vs_infinity(Gen *g, IrOp op, LV x)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    LV mag = intrinsic(g, "llvm.fabs", t, &x, 1), inf = LLVMConstReal(t, __builtin_inf());
    return op == OP_isinf ? FCMP(OEQ, mag, inf) : FCMP(ONE, mag, inf);
}

static LV
float_intrinsic(Gen *g, const char *name, LV *a, int n)
{
    return flagged(g, intrinsic(g, name, LLVMTypeOf(a[0]), a, n));
}

/* A runtime function that has a form for double only. */
static LV
by_double(Gen *g, IrRt rt, DType d, LV *a, int n)
{
    LV wide[2];
    for (int i = 0; i < n; i++)
        wide[i] = emit_cast(g, DT_f64, d, (Val){a[i], NULL}).v;
    return emit_cast(g, d, DT_f64, (Val){emit_rt_call(g, rt, wide, n), NULL}).v;
}

/* ---- Python's // and % of floats ----
 * The quotient rounded down is right or, where a / b rounds up to an integer, one too
 * high; the remainder by a fused multiply-add is exact, and its sign tells which. That
 * holds for quotients that are not too large (beyond, NumPy is off by one); for the
 * others, infinities, NaNs and zero divisors a runtime function does it C's way. */

static LV
quick_divmod(Gen *g, bool want_mod, LV a, LV b, LV *sound)
{
    LLVMTypeRef t = LLVMTypeOf(a);
    LV zero = LLVMConstNull(t), ratio = LLVMBuildFDiv(B, a, b, "");
    LV q = intrinsic(g, "llvm.floor", t, &ratio, 1), mag = intrinsic(g, "llvm.fabs", t, &q, 1);
    LV terms[3] = {LLVMBuildFNeg(B, q, ""), b, a}, r = intrinsic(g, "llvm.fma", t, terms, 3);
    LV high = LLVMBuildXor(B, FCMP(OLT, r, zero), FCMP(OLT, b, zero), "");
    high = LLVMBuildAnd(B, high, FCMP(ONE, r, zero), "");
    LV limit = LLVMConstReal(t, element_type(t) == g->f64 ? 0x1p50 : 0x1p21);
    *sound = LLVMBuildAnd(B, FCMP(OLT, mag, limit), FCMP(ORD, r, r), "");
    if (!want_mod)
        return SEL(high, LLVMBuildFSub(B, q, LLVMConstReal(t, 1.0), ""), q);
    LV sign[2] = {zero, b};
    r = SEL(high, LLVMBuildFAdd(B, r, b, ""), r);
    return SEL(FCMP(OEQ, r, zero), intrinsic(g, "llvm.copysign", t, sign, 2), r);
}

static LV
float_divmod(Gen *g, IrOp op, DType d, LV *a)
{
    bool dbl = d == DT_f64, want_mod = op == OP_mod;
    IrRt rt = want_mod ? (dbl ? RT_sw_mod_f64 : RT_sw_mod_f32)
                       : (dbl ? RT_sw_floordiv_f64 : RT_sw_floordiv_f32);
    if (!g->isa.fma)
        return emit_rt_call(g, rt, a, 2);
    LV sound, quick = quick_divmod(g, want_mod, a[0], a[1], &sound);
    if ((g->fmf & FM_NNAN) && (g->fmf & FM_AFN))
        return quick;
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(B), new_block(g, "slow.divmod")};
    LLVMBasicBlockRef next = new_block(g, "divmod");
    branch(g, sound, next, from[1], g->likely);
    LLVMPositionBuilderAtEnd(B, from[1]);
    LV value[2] = {quick, emit_rt_call(g, rt, a, 2)};
    jump(g, next);
    LLVMPositionBuilderAtEnd(B, next);
    LV phi = LLVMBuildPhi(B, reg_type(g, d), "");
    LLVMAddIncoming(phi, value, from, 2);
    return phi;
}

static LV
float_compare(Gen *g, IrOp op, LV a, LV b)
{
    switch (op) {
    case OP_eq:
        return FCMP(OEQ, a, b);
    case OP_ne:
        return FCMP(UNE, a, b);
    case OP_lt:
        return FCMP(OLT, a, b);
    case OP_le:
        return FCMP(OLE, a, b);
    case OP_gt:
        return FCMP(OGT, a, b);
    default:
        return FCMP(OGE, a, b);
    }
}

static LV
float_runtime(Gen *g, IrOp op, DType d, LV *a)
{
    switch (op) {
    case OP_floordiv:
    case OP_mod:
        return float_divmod(g, op, d, a);
    case OP_logaddexp:
        return by_double(g, RT_sw_logaddexp_f64, d, a, 2);
    case OP_logaddexp2:
        return by_double(g, RT_sw_logaddexp2_f64, d, a, 2);
    case OP_spacing:
        return emit_spacing(g, a[0]);
    case OP_frexp_m:
    case OP_frexp_e:
        return emit_frexp(g, op == OP_frexp_e, a[0]);
    default:
        return NULL;
    }
}

/* The angle of a real: 0, pi, or NaN. */
static LV
real_angle(Gen *g, DType d, LV x)
{
    LV parts[2] = {LLVMConstNull(LLVMTypeOf(x)), x};
    return emit_math(g, OP_atan2, d, parts, 2);
}

static LV
float_op(Gen *g, IrOp op, DType d, LV *a, bool reassoc)
{
    switch (op) {
    case OP_add:
        return flagged(g, LLVMBuildFAdd(B, a[0], a[1], ""));
    case OP_sub:
        return flagged(g, LLVMBuildFSub(B, a[0], a[1], ""));
    case OP_mul:
        return flagged(g, LLVMBuildFMul(B, a[0], a[1], ""));
    case OP_div:
        return flagged(g, LLVMBuildFDiv(B, a[0], a[1], ""));
    case OP_neg:
        return flagged(g, LLVMBuildFNeg(B, a[0], ""));
    case OP_abs:
        return float_intrinsic(g, "llvm.fabs", a, 1);
    case OP_eq:
    case OP_ne:
    case OP_lt:
    case OP_le:
    case OP_gt:
    case OP_ge:
        return float_compare(g, op, a[0], a[1]);
    case OP_min:
    case OP_max:
    case OP_fmin:
    case OP_fmax:
        return float_minmax(g, op, a, reassoc);
    case OP_fma:
        return float_intrinsic(g, "llvm.fma", a, 3);
    case OP_sqrt:
        return float_intrinsic(g, "llvm.sqrt", a, 1);
    case OP_floor:
        return float_intrinsic(g, "llvm.floor", a, 1);
    case OP_ceil:
        return float_intrinsic(g, "llvm.ceil", a, 1);
    case OP_trunc:
        return float_intrinsic(g, "llvm.trunc", a, 1);
    case OP_rint:
        return float_intrinsic(g, "llvm.rint", a, 1);
    case OP_copysign:
        return float_intrinsic(g, "llvm.copysign", a, 2);
    case OP_sign:
        return float_sign(g, a[0]);
    case OP_signbit:
        return float_bits_negative(g, a[0]);
    case OP_toint:
        return emit_toint(g, a[0]);
    case OP_isnan:
        return FCMP(UNO, a[0], a[0]);
    case OP_isinf:
    case OP_isfinite:
        return float_vs_infinity(g, op, a[0]);
    case OP_real:
    case OP_conj:
        return a[0];
    case OP_imag:
        return LLVMConstNull(LLVMTypeOf(a[0]));
    case OP_arg:
        return real_angle(g, d, a[0]);
    default:
        break;
    }
    if (op == OP_ldexp)
        return emit_ldexp(g, a[0], a[1]);
    if (op_info[op].flags & OPF_LIBM)
        return emit_math(g, op, d, a, op_info[op].n);
    return float_runtime(g, op, d, a);
}

LV
emit_arith(Gen *g, IrOp op, DType d, LV *a, bool reassoc)
{
    LV r = is_real_float(d) ? float_op(g, op, d, a, reassoc) : int_op(g, op, d, a);
    if (r)
        return r;
    internal_error(g, (Span){0}, op_info[op].name);
    return a[0];
}
