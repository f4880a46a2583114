/* SPDX-License-Identifier: BSD-3-Clause
 * Arithmetic on one scalar, as op.def describes it and the back end does it. What ir/eval.c folds
 * is folded by it here, so that a constant and a run can't disagree; the rest (elementary
 * functions, extremes of floats, complex quotients, casts that do not fit) follows below, in plain
 * C. */
#include "interp/num.h"
#include "interp/runtime.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static IrExpr
as_const(DType d, Num v)
{
    IrExpr e = {.kind = IX_CONST, .dtype = (uint8_t)d};
    if (dtype_kind(d) < DK_FLOAT) {
        e.i = v.i;
    } else {
        e.re = v.re;
        e.im = v.im;
    }
    return e;
}

static Num
from_const(const IrExpr *e)
{
    Num v = {0};
    if (dtype_kind(e->dtype) < DK_FLOAT) {
        v.i = e->i;
    } else {
        v.re = e->re;
        v.im = dtype_is_complex((DType)e->dtype) ? e->im : 0;
    }
    return v;
}

static Num
of_int(int64_t i)
{
    return (Num){.i = i};
}

static Num
of_float(DType d, double x)
{
    return (Num){.re = ir_round_float(d, x)};
}

/* ---- integers ------------------------------------------------------------------------------ */

static int64_t
gcd_of(DType d, int64_t a, int64_t b)
{
    return dtype_kind(d) == DK_INT ? sw_gcd_i64(a, b)
                                   : (int64_t)sw_gcd_u64((uint64_t)a, (uint64_t)b);
}

static int64_t
magnitude(DType d, int64_t a)
{
    return dtype_kind(d) == DK_INT && a < 0 ? ir_wrap_int(d, (int64_t)(0 - (uint64_t)a)) : a;
}

static Num
lcm_of(DType d, int64_t a, int64_t b)
{
    int64_t g = ir_wrap_int(d, gcd_of(d, a, b));
    if (!g)
        return of_int(0);
    IrExpr x = as_const(d, of_int(magnitude(d, a))), y = as_const(d, of_int(g)),
           out = {.dtype = (uint8_t)d};
    ir_eval(OP_tdiv, (IrExpr *[]){&x, &y}, &out);
    return of_int(ir_wrap_int(d, (int64_t)((uint64_t)out.i * (uint64_t)magnitude(d, b))));
}

static Num
int_op(IrOp op, DType d, const Num *a, bool *known)
{
    int bits = dtype_info[d].bits;
    bool less = dtype_kind(d) == DK_INT ? a[0].i < a[1].i : (uint64_t)a[0].i < (uint64_t)a[1].i;
    switch (op) {
    case OP_fmin:
        return less ? a[0] : a[1];
    case OP_fmax:
        return less ? a[1] : a[0];
    case OP_pow:
        return of_int(ir_wrap_int(
            d, dtype_kind(d) == DK_INT ? sw_pow_i64(a[0].i, a[1].i)
                                       : (int64_t)sw_pow_u64((uint64_t)a[0].i, (uint64_t)a[1].i)));
    case OP_popcount:
        return of_int(__builtin_popcountll((uint64_t)magnitude(d, a[0].i) &
                                           (bits == 64 ? ~0ull : (1ull << bits) - 1)));
    case OP_gcd:
        return of_int(ir_wrap_int(d, gcd_of(d, a[0].i, a[1].i)));
    case OP_lcm:
        return lcm_of(d, a[0].i, a[1].i);
    case OP_signbit:
        return of_int(dtype_kind(d) == DK_INT && a[0].i < 0);
    case OP_isnan:
    case OP_isinf:
    case OP_imag:
        return of_int(0);
    case OP_isfinite:
        return of_int(1);
    case OP_sub: /* bool */
        return of_int((a[0].i ^ a[1].i) & 1);
    case OP_floor:
    case OP_ceil:
    case OP_trunc:
    case OP_rint:
    case OP_real:
    case OP_conj:
    case OP_abs:
    case OP_sign:
        return a[0];
    default:
        *known = false;
        return of_int(0);
    }
}

/* ---- floats ------------------------------------------------------------------------------- */

static double
extreme(IrOp op, double a, double b)
{
    double t = (op == OP_min || op == OP_fmin ? a < b : a > b) ? a : b; /* b when one is a NaN */
    if (op == OP_fmin || op == OP_fmax)
        return isnan(b) ? a : t;
    return isnan(a) ? a : t;
}

static double
sign_of(double x)
{
    return x > 0 ? 1.0 : x < 0 ? -1.0 : x == 0 ? 0.0 : x;
}

/* C's functions: those of float for float32, and for float16, which is computed in float32. */
static bool
math1(IrOp op, bool dbl, double x, double *out)
{
    switch (op) {
#define F(name)                                                                                    \
    case OP_##name:                                                                                \
        *out = dbl ? name(x) : (double)name##f((float)x);                                          \
        return true;
        F(exp)
        F(exp2)
        F(expm1)
        F(log) F(log2) F(log10) F(log1p) F(sin) F(cos) F(tan) F(asin) F(acos) F(atan) F(sinh)
            F(cosh) F(tanh) F(asinh) F(acosh) F(atanh) F(cbrt) F(erf) F(erfc) F(tgamma) F(lgamma)
                F(sqrt) F(floor) F(ceil) F(trunc) F(rint)
#undef F
                    default : return false;
    }
}

static bool
math2(IrOp op, bool dbl, double x, double y, double *out)
{
    switch (op) {
#define F(name)                                                                                    \
    case OP_##name:                                                                                \
        *out = dbl ? name(x, y) : (double)name##f((float)x, (float)y);                             \
        return true;
        F(pow)
        F(fmod)
        F(atan2)
        F(hypot) F(nextafter) F(remainder)
#undef F
            case OP_floordiv
            : *out = dbl ? sw_floordiv_f64(x, y) : (double)sw_floordiv_f32((float)x, (float)y);
        return true;
    case OP_mod:
        *out = dbl ? sw_mod_f64(x, y) : (double)sw_mod_f32((float)x, (float)y);
        return true;
    case OP_logaddexp:
        *out = sw_logaddexp_f64(x, y);
        return true;
    case OP_logaddexp2:
        *out = sw_logaddexp2_f64(x, y);
        return true;
    case OP_min:
    case OP_max:
    case OP_fmin:
    case OP_fmax:
        *out = extreme(op, x, y);
        return true;
    default:
        return false;
    }
}

static double
spacing_of(DType d, double x)
{
    return d == DT_f64   ? sw_spacing_f64(x)
           : d == DT_f32 ? (double)sw_spacing_f32((float)x)
                         : (double)sw_spacing_f16((float)x);
}

static Num
float_op(IrOp op, DType d, const Num *a, bool *known)
{
    bool dbl = d == DT_f64;
    double x = a[0].re, r;
    switch (op) {
    case OP_sign:
        return of_float(d, sign_of(x));
    case OP_imag:
        return of_float(d, 0.0);
    case OP_arg:
        return of_float(d, dbl ? atan2(0.0, x) : (double)atan2f(0.0f, (float)x));
    case OP_fma:
        return of_float(d, dbl ? fma(x, a[1].re, a[2].re)
                               : (double)fmaf((float)x, (float)a[1].re, (float)a[2].re));
    case OP_spacing:
        return of_float(d, spacing_of(d, x));
    case OP_ldexp:
        return of_float(d, dbl ? ldexp(x, (int)a[1].i) : (double)ldexpf((float)x, (int)a[1].i));
    case OP_frexp_m:
        return of_float(d, sw_frexp_m(x));
    case OP_frexp_e:
        return of_int(sw_frexp_e(x));
    case OP_nextafter:
        if (d == DT_f16)
            return of_float(d, (double)sw_nextafter_f16((float)x, (float)a[1].re));
        break;
    default:
        break;
    }
    if (op_info[op].n == 1 ? math1(op, dbl, x, &r) : math2(op, dbl, x, a[1].re, &r))
        return of_float(d, dbl ? r : (double)(float)r);
    *known = false;
    return of_float(d, 0.0);
}

/* ---- complex: as gen/llvm/complex.c ---------------------------------------------------------- */

static double
part(DType d, double x)
{
    return d == DT_c64 ? (double)(float)x : x;
}

static Num
multiply(DType d, Num a, Num b)
{
    Num r = {.re = part(d, part(d, a.re * b.re) - part(d, a.im * b.im))};
    r.im = part(d, part(d, a.re * b.im) + part(d, a.im * b.re));
    return r;
}

static Num
divide(DType d, Num a, Num b)
{
    double absr = fabs(b.re), absi = fabs(b.im);
    bool big = absr >= absi;
    if (b.re == 0 && b.im == 0)
        return (Num){.re = part(d, a.re / absr), .im = part(d, a.im / absr)};
    double num = big ? b.im : b.re, den = big ? b.re : b.im, rat = part(d, num / den);
    double scl = part(d, 1.0 / part(d, den + part(d, num * rat)));
    double p = big ? a.re : a.im, q = big ? a.im : a.re;
    double re = part(d, part(d, p + part(d, q * rat)) * scl);
    double l = big ? a.im : part(d, a.im * rat), m = big ? part(d, a.re * rat) : a.re;
    return (Num){.re = re, .im = part(d, part(d, l - m) * scl)};
}

static bool
less(Num a, Num b, bool or_equal)
{
    if (a.re < b.re && !isnan(a.im) && !isnan(b.im))
        return true;
    return a.re == b.re && (or_equal ? a.im <= b.im : a.im < b.im);
}

static Num
complex_extreme(IrOp op, Num a, Num b)
{
    bool better = op == OP_min || op == OP_fmin ? less(a, b, true) : less(b, a, true);
    Num x = op == OP_min || op == OP_max ? a : b;
    return better || isnan(x.re) || isnan(x.im) ? a : b;
}

static Num
by_runtime(IrOp op, DType d, const Num *a)
{
    double x[2] = {a[0].re, a[0].im}, out[2] = {0, 0};
    if (op_info[op].n == 2)
        sw_complex2(op, x, (double[]){a[1].re, a[1].im}, out);
    else
        sw_complex1(op, x, out);
    return (Num){.re = part(d, out[0]), .im = part(d, out[1])};
}

static Num
complex_op(IrOp op, DType d, const Num *a)
{
    bool dbl = d == DT_c128;
    switch (op) {
    case OP_mul:
        return multiply(d, a[0], a[1]);
    case OP_div:
        return divide(d, a[0], a[1]);
    case OP_abs:
        return (Num){.re = dbl ? hypot(a[0].re, a[0].im)
                               : (double)hypotf((float)a[0].re, (float)a[0].im)};
    case OP_arg:
        return (Num){.re = dbl ? atan2(a[0].im, a[0].re)
                               : (double)atan2f((float)a[0].im, (float)a[0].re)};
    case OP_lt:
        return of_int(less(a[0], a[1], false));
    case OP_le:
        return of_int(less(a[0], a[1], true));
    case OP_gt:
        return of_int(less(a[1], a[0], false));
    case OP_ge:
        return of_int(less(a[1], a[0], true));
    case OP_min:
    case OP_max:
    case OP_fmin:
    case OP_fmax:
        return complex_extreme(op, a[0], a[1]);
    case OP_isnan:
        return of_int(isnan(a[0].re) || isnan(a[0].im));
    case OP_isinf:
        return of_int(isinf(a[0].re) || isinf(a[0].im));
    case OP_isfinite:
        return of_int(isfinite(a[0].re) && isfinite(a[0].im));
    case OP_rint:
        return (Num){.re = rint(a[0].re), .im = rint(a[0].im)};
    default:
        return by_runtime(op, d, a);
    }
}

/* ---- any ------------------------------------------------------------------------------------ */

static uint64_t
raw_bits(DType d, Num v)
{
    char b[16] = {0};
    uint64_t r;
    num_write(d, b, v);
    memcpy(&r, b, 8);
    return r;
}

static Num
reinterpret(DType to, DType from, Num v)
{
    uint64_t bits = raw_bits(from, v);
    return num_read(to, (char *)&bits);
}

/* `and` with false is false and `or` with true is true, whatever the other is. */
static bool
decided(IrOp op, DType d, const Num *a, Num *out)
{
    for (int k = 0; k < 2 && d == DT_bool; k++)
        if (!a[k].undef && ((op == OP_and && !a[k].i) || (op == OP_or && a[k].i))) {
            *out = of_int(op == OP_or);
            return true;
        }
    return false;
}

Num
num_op(IrOp op, DType d, DType d1, const Num *a, DType result)
{
    int n = op_info[op].n;
    Num r = {.undef = true};
    if (op == OP_select) {
        if (a[0].undef)
            return r;
        return a[0].i ? a[1] : a[2];
    }
    if (op == OP_bits)
        return a[0].undef ? r : reinterpret(d1, d, a[0]);
    for (int k = 0; k < n; k++)
        if (a[k].undef) {
            if (n == 2 && decided(op, d, a, &r))
                return r;
            return (Num){.undef = true};
        }
    IrExpr x = as_const(d, a[0]), y = as_const(n > 1 ? d1 : d, a[n > 1]),
           out = {.kind = IX_CONST, .dtype = (uint8_t)result};
    if (n < 3 && ir_eval(op, (IrExpr *[]){&x, &y}, &out))
        return from_const(&out);
    if (op == OP_tdiv && !a[1].i) /* the divisor is known not to be 0, and yet */
        return (Num){.undef = true};
    bool known = true;
    if (dtype_is_complex(d))
        r = complex_op(op, d, a);
    else
        r = dtype_is_float(d) ? float_op(op, d, a, &known) : int_op(op, d, a, &known);
    r.undef = !known;
    return r;
}

Num
num_cast(DType to, DType from, Num v)
{
    if (v.undef || to == from)
        return v;
    IrExpr x = as_const(from, v), out = {.kind = IX_CONST, .dtype = (uint8_t)to};
    if (ir_eval_cast(&x, &out))
        return from_const(&out);
    return of_float(to, from == DT_u64 ? (double)(float)(uint64_t)v.i : (double)(float)v.i);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

static double
half_read(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    double x = e == 31 ? (m ? (double)NAN : (double)INFINITY)
               : e     ? ldexp(1024 + m, e - 25)
                       : ldexp(m, -24);
    return h & 0x8000 ? -x : x;
}

/* x is one that float16 holds. */
static uint16_t
half_write(double x)
{
    uint16_t s = signbit(x) ? 0x8000 : 0;
    double a = fabs(x);
    if (isnan(x))
        return s | 0x7e00;
    if (isinf(x))
        return s | 0x7c00;
    if (a < 0x1p-14)
        return s | (uint16_t)(a * 0x1p24);
    int e = ilogb(a);
    return s | (uint16_t)((e + 15) << 10 | ((int)ldexp(a, 10 - e) & 1023));
}

Num
num_read(DType d, const char *p)
{
    switch (d) {
#define INT(id, T)                                                                                 \
    case DT_##id: {                                                                                \
        T x;                                                                                       \
        memcpy(&x, p, sizeof x);                                                                   \
        return of_int((int64_t)x);                                                                 \
    }
        INT(i8, int8_t)
        INT(i16, int16_t)
        INT(i32, int32_t)
        INT(i64, int64_t) INT(u8, uint8_t) INT(u16, uint16_t) INT(u32, uint32_t) INT(u64, uint64_t)
#undef INT
            case DT_bool : return of_int(*p != 0);
    case DT_f16: {
        uint16_t h;
        memcpy(&h, p, 2);
        return (Num){.re = half_read(h)};
    }
    case DT_f32:
    case DT_c64: {
        float x[2] = {0, 0};
        memcpy(x, p, d == DT_c64 ? 8 : 4);
        return (Num){.re = (double)x[0], .im = (double)x[1]};
    }
    case DT_f64:
    case DT_c128: {
        double x[2] = {0, 0};
        memcpy(x, p, d == DT_c128 ? 16 : 8);
        return (Num){.re = x[0], .im = x[1]};
    }
    case DT_COUNT:
        break;
    }
    return of_int(0);
}

void
num_write(DType d, char *p, Num v)
{
    if (dtype_is_complex(d) || dtype_is_float(d)) {
        float f[2] = {(float)v.re, (float)v.im};
        double x[2] = {v.re, v.im};
        uint16_t h = half_write(v.re);
        bool half = d == DT_f16, single = d == DT_f32 || d == DT_c64;
        memcpy(p, half ? (void *)&h : single ? (void *)f : (void *)x, (size_t)dtype_size(d));
    } else {
        memcpy(p, &v.i, (size_t)dtype_size(d)); /* little-endian */
    }
}

static bool
same_float(double a, double b, double tol)
{
    if (isnan(a) || isnan(b)) /* the root of what cancels to 0, or to less */
        return (isnan(a) && isnan(b)) || (tol > 0 && fmin(fabs(a), fabs(b)) <= sqrt(tol));
    if (tol == 0)
        return a == b && signbit(a) == signbit(b);
    return a == b || fabs(a - b) <= tol * (1 + fmax(fabs(a), fabs(b)));
}

int
num_part_size(DType d)
{
    return dtype_size(d) / (dtype_is_complex(d) ? 2 : 1);
}

bool
num_same(DType d, Num a, Num b, int loose)
{
    if (a.undef || b.undef)
        return a.undef == b.undef;
    if (dtype_kind(d) < DK_FLOAT)
        return a.i == b.i;
    int size = num_part_size(d) < loose ? num_part_size(d) : loose;
    /* a sum of 257 float16 in any order */
    double tol = !loose ? 0 : size == 8 ? 1e-9 : size == 2 ? 0.1 : 1e-4;
    return same_float(a.re, b.re, tol) && (!dtype_is_complex(d) || same_float(a.im, b.im, tol));
}

uint64_t
num_bits(DType d, Num v)
{
    double x = v.re;
    uint64_t r = (uint64_t)v.i;
    if (dtype_kind(d) >= DK_FLOAT)
        memcpy(&r, &x, 8);
    return v.undef ? 0 : r;
}

static void
print_float(StrBuf *out, DType d, double x)
{
    if (isnan(x))
        sb_add(out, "nan");
    else
        sb_add_float(out, x, d == DT_f32 || d == DT_c64);
}

void
num_print(StrBuf *out, DType d, Num v)
{
    if (v.undef) {
        sb_add(out, "?");
    } else if (d == DT_bool) {
        sb_add(out, v.i ? "true" : "false");
    } else if (dtype_kind(d) == DK_UINT) {
        sb_addf(out, "%" PRIu64, (uint64_t)v.i);
    } else if (dtype_kind(d) == DK_INT) {
        sb_addf(out, "%" PRId64, v.i);
    } else if (dtype_is_float(d)) {
        print_float(out, d, v.re);
    } else {
        sb_add(out, "(");
        print_float(out, d, v.re);
        sb_add(out, ", ");
        print_float(out, d, v.im);
        sb_add(out, ")");
    }
}
