/* SPDX-License-Identifier: BSD-3-Clause
 * Complex functions for CUDA devices, in double: what core/rt/support_complex.c gets from C's
 * library, by Kahan's formulas, which neither cancel nor overflow on the way. The code of the
 * operation is a constant wherever these are called, so that once they are inlined one branch of
 * the switch is left. */
#include <stdint.h>

#define OP(id, n, result, flags) OP_##id,
enum {
#include "def/op.def"
    OP_COUNT
};
#undef OP

#define INF __builtin_inf()
#define NAN __builtin_nan("")
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define finite(x) __builtin_isfinite(x)
#define fabs(x) __builtin_fabs(x)
#define sqrt(x) __builtin_sqrt(x)
#define sgn(x, y) __builtin_copysign(x, y)
#define LN2 0.69314718055994530942
#define PI_2 1.57079632679489661923
#define LARGE 1e150

double exp(double), log(double), log1p(double), expm1(double), sin(double), cos(double),
    tan(double), sinh(double), cosh(double), asinh(double), atan2(double, double),
    hypot(double, double), floor(double), ceil(double), trunc(double);

typedef struct Z {
    double re, im;
} Z;

static Z
mul(Z a, Z b)
{
    return (Z){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static Z
divide(Z a, Z b)
{
    if (fabs(b.re) >= fabs(b.im)) {
        if (b.re == 0 && b.im == 0)
            return (Z){a.re / fabs(b.re), a.im / fabs(b.re)};
        double rat = b.im / b.re, scl = 1.0 / (b.re + b.im * rat);
        return (Z){(a.re + a.im * rat) * scl, (a.im - a.re * rat) * scl};
    }
    double rat = b.re / b.im, scl = 1.0 / (b.im + b.re * rat);
    return (Z){(a.re * rat + a.im) * scl, (a.im * rat - a.re) * scl};
}

/* ---- roots, exponentials, logarithms -------------------------------------------------- */

static Z
root(Z z)
{
    double x = z.re, y = z.im, back = 1;
    if (x == 0 && y == 0)
        return (Z){0, y};
    if (isinf(y))
        return (Z){INF, y};
    if (isnan(x))
        return (Z){NAN, NAN};
    if (isinf(x))
        return x > 0 ? (Z){x, isnan(y) ? y : sgn(0.0, y)} : (Z){isnan(y) ? y : 0, sgn(INF, y)};
    if (fabs(x) > 0x1p1020 || fabs(y) > 0x1p1020) {
        x *= 0.25, y *= 0.25, back = 2;
    } else if (fabs(x) < 0x1p-960 && fabs(y) < 0x1p-960) {
        x *= 0x1p108, y *= 0x1p108, back = 0x1p-54;
    }
    double t = sqrt((fabs(x) + hypot(x, y)) * 0.5), other = fabs(y) / (2 * t);
    Z r = x >= 0 ? (Z){t, sgn(other, y)} : (Z){other, sgn(t, y)};
    return (Z){r.re * back, r.im * back};
}

static Z
exponential(Z z)
{
    double x = z.re, y = z.im;
    if (y == 0)
        return (Z){exp(x), y};
    if (!finite(y))
        return isinf(x) ? (x < 0 ? (Z){0, 0} : (Z){x, NAN}) : (Z){NAN, NAN};
    if (x > 709 && x < 1500) {
        double e = exp(x * 0.5);
        return (Z){e * cos(y) * e, e * sin(y) * e};
    }
    double e = exp(x);
    return (Z){e * cos(y), e * sin(y)};
}

static Z
logarithm(Z z)
{
    double a = fabs(z.re), b = fabs(z.im), arg = atan2(z.im, z.re);
    if (a < b) {
        double t = a;
        a = b, b = t;
    }
    if (a > 0x1p1020)
        return (Z){log(hypot(a * 0.5, b * 0.5)) + LN2, arg};
    if (a < 0x1p-900 && a > 0)
        return (Z){log(hypot(a * 0x1p108, b * 0x1p108)) - 108 * LN2, arg};
    double h = hypot(a, b);
    if (h > 0.7 && h < 1.5)
        return (Z){0.5 * log1p((a - 1) * (a + 1) + b * b), arg};
    return (Z){log(h), arg};
}

static Z
scaled(Z z, double k)
{
    return (Z){z.re * k, z.im * k};
}

static Z
exp_minus_1(Z z)
{
    double a = sin(z.im / 2);
    return (Z){expm1(z.re) * cos(z.im) - 2 * a * a, exp(z.re) * sin(z.im)};
}

/* ---- circular and hyperbolic ----------------------------------------------------------- */

/* sinh and cosh of x times p and q, where these may be small and those overflow. */
static Z
hyper(double x, double p, double q, int swap)
{
    double a = fabs(x);
    if (a > 709 && finite(x)) {
        double e = exp(a * 0.5);
        p *= 0.5 * e, q *= 0.5 * e;
        return swap ? (Z){p * e, sgn(1.0, x) * q * e} : (Z){sgn(1.0, x) * p * e, q * e};
    }
    return swap ? (Z){cosh(x) * p, sinh(x) * q} : (Z){sinh(x) * p, cosh(x) * q};
}

static Z
hyper_sine(Z z)
{
    if (z.im == 0)
        return (Z){sinh(z.re), z.im};
    if (z.re == 0)
        return (Z){finite(z.im) ? z.re * cos(z.im) : z.re, sin(z.im)};
    return hyper(z.re, cos(z.im), sin(z.im), 0);
}

static Z
hyper_cosine(Z z)
{
    if (z.im == 0)
        return (Z){cosh(z.re), z.re * z.im == 0 ? sgn(0.0, z.re) * sgn(1.0, z.im) : 0};
    if (z.re == 0)
        return (Z){cos(z.im), z.re * sgn(1.0, sin(z.im))};
    return hyper(z.re, cos(z.im), sin(z.im), 1);
}

static Z
hyper_tangent(Z z)
{
    double x = z.re, y = z.im;
    if (fabs(x) > 22) {
        double e = exp(-fabs(x));
        return (Z){sgn(1.0, x), finite(y) ? 4 * sin(y) * cos(y) * e * e : 0};
    }
    double t = tan(y), beta = 1 + t * t, s = sinh(x), rho = sqrt(1 + s * s);
    if (isinf(t))
        return (Z){rho / s, 1 / t};
    double den = 1 + beta * s * s;
    return (Z){beta * rho * s / den, t / den};
}

/* f(iz) / i */
static Z
turned(Z (*f)(Z), Z z)
{
    Z r = f((Z){-z.im, z.re});
    return (Z){r.im, -r.re};
}

/* ---- their inverses -------------------------------------------------------------------- */

static double
log_of_large(Z z)
{
    return log(hypot(z.re / 2, z.im / 2)) + 2 * LN2;
}

static int
is_large(Z z)
{
    return fabs(z.re) > LARGE || fabs(z.im) > LARGE;
}

static Z
hyper_arcsine(Z z)
{
    if (is_large(z))
        return (Z){sgn(log_of_large(z), z.re), atan2(z.im, fabs(z.re))};
    if (fabs(z.re) < 1e-160 && fabs(z.im) < 1e-160)
        return z;
    Z a = root((Z){1 + z.im, -z.re}), b = root((Z){1 - z.im, z.re});
    return (Z){asinh(a.re * b.im - b.re * a.im), atan2(z.im, a.re * b.re - a.im * b.im)};
}

static Z
arccosine(Z z)
{
    if (is_large(z))
        return (Z){atan2(fabs(z.im), z.re), -sgn(log_of_large(z), z.im)};
    Z a = root((Z){1 - z.re, -z.im}), b = root((Z){1 + z.re, z.im});
    return (Z){2 * atan2(a.re, b.re), asinh(b.re * a.im - b.im * a.re)};
}

static Z
hyper_arccosine(Z z)
{
    if (is_large(z))
        return (Z){log_of_large(z), atan2(z.im, z.re)};
    Z a = root((Z){z.re - 1, z.im}), b = root((Z){z.re + 1, z.im});
    return (Z){asinh(a.re * b.re + a.im * b.im), 2 * atan2(a.im, b.re)};
}

static Z
hyper_arctangent(Z z)
{
    int mirror = __builtin_signbit(z.re);
    double x = mirror ? -z.re : z.re, y = mirror ? -z.im : z.im, ay = fabs(y);
    Z r;
    if (x > LARGE || ay > LARGE) {
        double h = hypot(x / 2, y / 2);
        r = (Z){isinf(h) ? 0 : x / 4 / h / h, isnan(y) ? y : sgn(PI_2, y)};
    } else if (x == 1 && ay < 1e-150) {
        r = ay == 0 ? (Z){INF, y}
                    : (Z){-log(sqrt(ay) / sqrt(hypot(ay, 2))), sgn(atan2(2, -ay) / 2, y)};
    } else {
        r = (Z){log1p(4 * x / ((1 - x) * (1 - x) + ay * ay)) / 4,
                -atan2(-2 * y, (1 - x) * (1 + x) - ay * ay) / 2};
    }
    return mirror ? (Z){-r.re, -r.im} : r;
}

/* ---- powers and signs ------------------------------------------------------------------- */

static Z
int_power(Z a, int n)
{
    if (n >= 1 && n <= 3)
        return n == 1 ? a : n == 2 ? mul(a, a) : mul(a, mul(a, a));
    Z r = {1, 0}, p = a;
    for (int k = n < 0 ? -n : n;;) {
        if (k & 1)
            r = mul(r, p);
        if (!(k >>= 1))
            break;
        p = mul(p, p);
    }
    return n < 0 ? divide((Z){1, 0}, r) : r;
}

static Z
power(Z a, Z b)
{
    if (b.re == 0 && b.im == 0)
        return (Z){1, 0};
    if (a.re == 0 && a.im == 0)
        return b.re > 0 ? (Z){0, 0} : (Z){NAN, NAN};
    if (b.im == 0 && b.re > -100 && b.re < 100 && b.re == (int)b.re)
        return int_power(a, (int)b.re);
    return exponential(mul(b, logarithm(a)));
}

static Z
sign(Z z)
{
    double mag = hypot(z.re, z.im);
    if (isnan(mag) || (isinf(z.re) && isinf(z.im)))
        return (Z){NAN, NAN};
    if (isinf(mag))
        return isinf(z.re) ? (Z){sgn(1.0, z.re), 0} : (Z){0, sgn(1.0, z.im)};
    return mag == 0 ? (Z){0, 0} : (Z){z.re / mag, z.im / mag};
}

static inline Z
apply(int op, Z z)
{
    switch (op) {
    case OP_sqrt:
        return root(z);
    case OP_exp:
        return exponential(z);
    case OP_exp2:
        return exponential(scaled(z, LN2));
    case OP_expm1:
        return exp_minus_1(z);
    case OP_log:
        return logarithm(z);
    case OP_log2:
        return scaled(logarithm(z), 1.44269504088896340736);
    case OP_log10:
        return scaled(logarithm(z), 0.43429448190325182765);
    case OP_log1p:
        return logarithm((Z){z.re + 1, z.im});
    case OP_sin:
        return turned(hyper_sine, z);
    case OP_cos:
        return hyper_cosine((Z){-z.im, z.re});
    case OP_tan:
        return turned(hyper_tangent, z);
    case OP_asin:
        return turned(hyper_arcsine, z);
    case OP_acos:
        return arccosine(z);
    case OP_atan:
        return turned(hyper_arctangent, z);
    case OP_sinh:
        return hyper_sine(z);
    case OP_cosh:
        return hyper_cosine(z);
    case OP_tanh:
        return hyper_tangent(z);
    case OP_asinh:
        return hyper_arcsine(z);
    case OP_acosh:
        return hyper_arccosine(z);
    case OP_atanh:
        return hyper_arctangent(z);
    case OP_sign:
        return sign(z);
    case OP_floor:
        return (Z){__builtin_floor(z.re), __builtin_floor(z.im)};
    case OP_ceil:
        return (Z){__builtin_ceil(z.re), __builtin_ceil(z.im)};
    case OP_trunc:
        return (Z){__builtin_trunc(z.re), __builtin_trunc(z.im)};
    default:
        return (Z){NAN, NAN};
    }
}

__attribute__((always_inline)) void
sw_complex1(int32_t op, const double *x, double *out)
{
    Z r = apply(op, (Z){x[0], x[1]});
    out[0] = r.re;
    out[1] = r.im;
}

__attribute__((always_inline)) void
sw_complex2(int32_t op, const double *x, const double *y, double *out)
{
    Z a = {x[0], x[1]}, b = {y[0], y[1]};
    Z r = op == OP_pow ? power(a, b) : op == OP_div ? divide(a, b) : (Z){NAN, NAN};
    out[0] = r.re;
    out[1] = r.im;
}
