/* SPDX-License-Identifier: BSD-3-Clause
 * Arithmetic on constants: an operation on constant operands gives the constant that the
 * compiled code would have computed, bit for bit, or nothing where that isn't certain.
 * Integers wrap in their width. float32 and float16 are computed in double and rounded once,
 * which is exact for + - * / and sqrt: a double has more than twice their digits. */
#include "ir/ir.h"

#include <math.h>

int64_t
ir_wrap_int(DType d, int64_t v)
{
    int unused = 64 - dtype_info[d].bits;
    if (d == DT_bool)
        return v != 0;
    if (dtype_kind(d) == DK_UINT)
        return (int64_t)((uint64_t)v << unused >> unused);
    return (int64_t)((uint64_t)v << unused) >> unused;
}

static double
round_half(double x)
{
    if (isnan(x) || isinf(x) || x == 0)
        return x;
    int e = ilogb(x) - 10;
    double q = ldexp(1.0, e < -24 ? -24 : e);
    double r = rint(x / q) * q;
    return fabs(r) >= 65520.0 ? copysign(INFINITY, x) : r;
}

double
ir_round_float(DType d, double v)
{
    if (d == DT_f32 || d == DT_c64)
        return (double)(float)v;
    return d == DT_f16 ? round_half(v) : v;
}

static int64_t
pow_int(int64_t x, int64_t n)
{
    uint64_t r = 1, b = (uint64_t)x;
    for (uint64_t k = (uint64_t)n; k; k >>= 1, b *= b)
        if (k & 1)
            r *= b;
    return (int64_t)r;
}

static int64_t
floor_div(int64_t a, int64_t b)
{
    if (b == -1)
        return (int64_t)(0 - (uint64_t)a);
    int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t
shift_left(int64_t a, int64_t n, int bits)
{
    return n < 0 || n >= bits ? 0 : (int64_t)((uint64_t)a << n);
}

static int64_t
shift_right(int64_t a, int64_t n, int bits, bool is_signed)
{
    if (n < 0 || n >= bits)
        return is_signed && a < 0 ? -1 : 0;
    return is_signed ? a >> n : (int64_t)((uint64_t)a >> n);
}

/* A comparison, of how the two stand to one another: not at all where one is NaN. */
static bool
eval_compare(IrOp op, bool lt, bool eq, bool gt, int64_t *out)
{
    switch (op) {
    case OP_eq:
        *out = eq;
        return true;
    case OP_ne:
        *out = !eq;
        return true;
    case OP_lt:
        *out = lt;
        return true;
    case OP_le:
        *out = lt || eq;
        return true;
    case OP_gt:
        *out = gt;
        return true;
    case OP_ge:
        *out = gt || eq;
        return true;
    default:
        return false;
    }
}

static bool
eval_bool(IrOp op, int64_t a, int64_t b, int64_t *out)
{
    switch (op) {
    case OP_add:
    case OP_or:
    case OP_max:
        *out = a | b;
        return true;
    case OP_mul:
    case OP_and:
    case OP_min:
        *out = a & b;
        return true;
    case OP_xor:
        *out = a ^ b;
        return true;
    case OP_inv:
        *out = !a;
        return true;
    default:
        return eval_compare(op, a<b, a == b, a> b, out);
    }
}

static bool
eval_divide(IrOp op, int64_t a, int64_t b, bool sg, int64_t *out)
{
    if (b == 0) {
        *out = 0;
        return op != OP_tdiv;
    }
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    if (!sg) {
        *out = (int64_t)(op == OP_floordiv || op == OP_tdiv ? ua / ub : ua % ub);
        return true;
    }
    int64_t q = floor_div(a, b);
    if (op == OP_floordiv)
        *out = q;
    else if (op == OP_mod)
        *out = (int64_t)(ua - (uint64_t)q * ub);
    else if (op == OP_tdiv)
        *out = b == -1 ? (int64_t)(0 - ua) : a / b;
    else
        *out = b == -1 ? 0 : a % b;
    return true;
}

static bool
eval_int(IrOp op, DType d, int64_t a, int64_t b, int64_t *out)
{
    bool sg = dtype_kind(d) == DK_INT;
    int bits = dtype_info[d].bits;
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    int c = sg ? (a > b) - (a < b) : (ua > ub) - (ua < ub);
    switch (op) {
    case OP_add:
        *out = (int64_t)(ua + ub);
        return true;
    case OP_sub:
        *out = (int64_t)(ua - ub);
        return true;
    case OP_mul:
        *out = (int64_t)(ua * ub);
        return true;
    case OP_neg:
        *out = (int64_t)(0 - ua);
        return true;
    case OP_abs:
        *out = sg && a < 0 ? (int64_t)(0 - ua) : a;
        return true;
    case OP_sign:
        *out = sg ? (a > 0) - (a < 0) : a != 0;
        return true;
    case OP_floordiv:
    case OP_mod:
    case OP_fmod:
    case OP_tdiv:
        return eval_divide(op, a, b, sg, out);
    case OP_pow:
        *out = sg && b < 0 ? 0 : pow_int(a, b);
        return !(sg && b < 0);
    case OP_inv:
        *out = ~a;
        return true;
    case OP_and:
        *out = a & b;
        return true;
    case OP_or:
        *out = a | b;
        return true;
    case OP_xor:
        *out = a ^ b;
        return true;
    case OP_shl:
        *out = shift_left(a, b, bits);
        return true;
    case OP_shr:
        *out = shift_right(a, b, bits, sg);
        return true;
    case OP_min:
        *out = c <= 0 ? a : b;
        return true;
    case OP_max:
        *out = c >= 0 ? a : b;
        return true;
    case OP_wrap:
        *out = a < 0 ? (int64_t)(ua + ub) : a;
        return true;
    default:
        return eval_compare(op, c<0, c == 0, c> 0, out);
    }
}

/* Comparisons and tests of floats, whose result is no float. */
static bool
eval_float_test(IrOp op, double a, double b, int64_t *out)
{
    switch (op) {
    case OP_isnan:
        *out = isnan(a) != 0;
        return true;
    case OP_isinf:
        *out = isinf(a) != 0;
        return true;
    case OP_isfinite:
        *out = isfinite(a) != 0;
        return true;
    case OP_signbit:
        *out = signbit(a) != 0;
        return true;
    case OP_toint:
        *out = fabs(a) < 0x1p63 ? (int64_t)a : INT64_MIN;
        return true;
    default:
        return eval_compare(op, a<b, a == b, a> b, out);
    }
}

static bool
eval_float(IrOp op, double a, double b, double *out)
{
    switch (op) {
    case OP_add:
        *out = a + b;
        return true;
    case OP_sub:
        *out = a - b;
        return true;
    case OP_mul:
        *out = a * b;
        return true;
    case OP_div:
        *out = a / b;
        return true;
    case OP_neg:
        *out = -a;
        return true;
    case OP_abs:
        *out = fabs(a);
        return true;
    case OP_sqrt:
        *out = sqrt(a);
        return true;
    case OP_floor:
        *out = floor(a);
        return true;
    case OP_ceil:
        *out = ceil(a);
        return true;
    case OP_trunc:
        *out = trunc(a);
        return true;
    case OP_rint:
        *out = rint(a);
        return true;
    case OP_copysign:
        *out = copysign(a, b);
        return true;
    case OP_real:
    case OP_conj:
        *out = a;
        return true;
    default:
        return false;
    }
}

static bool
eval_complex(IrOp op, const IrExpr *a, const IrExpr *b, IrExpr *out)
{
    switch (op) {
    case OP_add:
        out->re = a->re + b->re;
        out->im = a->im + b->im;
        return true;
    case OP_sub:
        out->re = a->re - b->re;
        out->im = a->im - b->im;
        return true;
    case OP_mul:
        out->re = a->re * b->re - a->im * b->im;
        out->im = a->re * b->im + a->im * b->re;
        return a->dtype == DT_c128; /* four roundings: not through double for complex64 */
    case OP_neg:
        out->re = -a->re;
        out->im = -a->im;
        return true;
    case OP_conj:
        out->re = a->re;
        out->im = -a->im;
        return true;
    case OP_real:
        out->re = a->re;
        return true;
    case OP_imag:
        out->re = a->im;
        return true;
    case OP_eq:
        out->i = a->re == b->re && a->im == b->im;
        return true;
    case OP_ne:
        out->i = a->re != b->re || a->im != b->im;
        return true;
    default:
        return false;
    }
}

/* `out` has its dtype set; its value is filled in. */
bool
ir_eval(IrOp op, IrExpr *const *arg, IrExpr *out)
{
    const IrExpr *a = arg[0], *b = op_info[op].n > 1 ? arg[1] : arg[0];
    if (op_info[op].n > 2)
        return false;
    if (op == OP_bits)
        return false;
    if (op == OP_mkcomplex) {
        out->re = a->re;
        out->im = b->re;
        return true;
    }
    switch (dtype_kind(a->dtype)) {
    case DK_BOOL:
        return eval_bool(op, a->i, b->i, &out->i);
    case DK_INT:
    case DK_UINT:
        if (!eval_int(op, a->dtype, a->i, b->i, &out->i))
            return false;
        out->i = ir_wrap_int(out->dtype, out->i);
        return true;
    case DK_FLOAT:
        if (eval_float_test(op, a->re, b->re, &out->i))
            return true;
        if (op == OP_ldexp || !eval_float(op, a->re, b->re, &out->re))
            return false;
        out->re = ir_round_float(out->dtype, out->re);
        return true;
    case DK_COMPLEX:
        if (!eval_complex(op, a, b, out))
            return false;
        if (dtype_is_complex(out->dtype) || dtype_is_float(out->dtype)) {
            out->re = ir_round_float(out->dtype, out->re);
            out->im = dtype_is_complex(out->dtype) ? ir_round_float(out->dtype, out->im) : 0;
        }
        return true;
    }
    return false;
}

/* As compiled code has it, which is as x86-64 has it: narrow integers go through int32, and uint32
 * through int64, of which the least stands for whatever doesn't fit. */
static int64_t
float_to_int(DType to, double x)
{
    if (to == DT_u64 && x >= 0x1p63)
        return x < 0x1p64 ? (int64_t)(uint64_t)x : 0;
    if (to == DT_u32 || dtype_info[to].bits == 64)
        return fabs(x) < 0x1p63 ? (int64_t)x : INT64_MIN;
    return fabs(x) < 0x1p31 ? (int64_t)x : INT32_MIN;
}

static bool
int_to_float(DType to, DType from, int64_t i, double *out)
{
    bool u = from == DT_u64;
    if (to == DT_f32 || to == DT_c64)
        *out = u ? (double)(float)(uint64_t)i : (double)(float)i;
    else
        *out = u ? (double)(uint64_t)i : (double)i;
    if (to == DT_f16)
        *out = round_half(*out);
    return to != DT_f16 || fabs(*out) <= 0x1p24;
}

/* Constant `e` cast to out->dtype, as NumPy's astype casts. */
bool
ir_eval_cast(const IrExpr *e, IrExpr *out)
{
    DType to = out->dtype, from = e->dtype;
    bool from_float = dtype_is_float(from) || dtype_is_complex(from);
    if (to == DT_bool) {
        out->i = !from_float ? e->i != 0 : e->re != 0 || (dtype_is_complex(from) && e->im != 0);
        return true;
    }
    if (dtype_is_int(to)) {
        out->i = ir_wrap_int(to, from_float ? float_to_int(to, e->re) : e->i);
        return true;
    }
    if (!from_float)
        return int_to_float(to, from, e->i, &out->re);
    out->re = ir_round_float(to, e->re);
    if (dtype_is_complex(to))
        out->im = dtype_is_complex(from) ? ir_round_float(to, e->im) : 0;
    return true;
}
