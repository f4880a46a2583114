/* SPDX-License-Identifier: BSD-3-Clause
 * Complex functions in double precision, as NumPy computes them: C99's for the elementary
 * ones, its own rules for powers, quotients and signs. And the checks of CPython's cmath.
 */
#include "ir/ir.h"
#include "rt/rt.h"
#include <complex.h>
#include <math.h>

typedef double complex Z;

/* As CMPLX, which C libraries don't define for every compiler. */
static Z
make(double re, double im)
{
    double part[2] = {re, im};
    Z z;
    memcpy(&z, part, sizeof z);
    return z;
}

static Z
multiply(Z a, Z b)
{
    return make(creal(a) * creal(b) - cimag(a) * cimag(b),
                creal(a) * cimag(b) + cimag(a) * creal(b));
}

/* Smith's method, with NumPy's reciprocal of the denominator. */
static Z
divide(Z a, Z b)
{
    double ar = creal(a), ai = cimag(a), br = creal(b), bi = cimag(b);
    if (fabs(br) >= fabs(bi)) {
        if (br == 0 && bi == 0)
            return make(ar / fabs(br), ai / fabs(br));
        double rat = bi / br, scl = 1.0 / (br + bi * rat);
        return make((ar + ai * rat) * scl, (ai - ar * rat) * scl);
    }
    double rat = br / bi, scl = 1.0 / (bi + br * rat);
    return make((ar * rat + ai) * scl, (ai * rat - ar) * scl);
}

/* The small cases multiply no 1, which would make a NaN of an infinity. */
static Z
int_power(Z a, int n)
{
    if (n >= 1 && n <= 3)
        return n == 1 ? a : n == 2 ? multiply(a, a) : multiply(a, multiply(a, a));
    Z r = 1, p = a;
    for (int k = n < 0 ? -n : n;;) {
        if (k & 1)
            r = multiply(r, p);
        if (!(k >>= 1))
            break;
        p = multiply(p, p);
    }
    return n < 0 ? divide(1, r) : r;
}

static Z
power(Z a, Z b)
{
    double br = creal(b), bi = cimag(b);
    if (br == 0 && bi == 0)
        return 1;
    if (creal(a) == 0 && cimag(a) == 0)
        return br > 0 ? make(0, 0) : make(NAN, NAN);
    if (bi == 0 && br > -100 && br < 100 && br == (int)br)
        return int_power(a, (int)br);
    return cpow(a, b);
}

static Z
sign(Z z)
{
    double re = creal(z), im = cimag(z), mag = hypot(re, im);
    if (isnan(mag))
        return make(NAN, NAN);
    if (isinf(mag)) {
        if (isinf(re) && isinf(im))
            return make(NAN, NAN);
        return isinf(re) ? make(copysign(1, re), 0) : make(0, copysign(1, im));
    }
    return mag == 0 ? make(0, 0) : make(re / mag, im / mag);
}

static Z
exp_minus_1(Z z)
{
    double x = creal(z), y = cimag(z), a = sin(y / 2);
    return make(expm1(x) * cos(y) - 2 * a * a, exp(x) * sin(y));
}

static Z
log_1_plus(Z z)
{
    double x = creal(z) + 1, y = cimag(z);
    return make(log(hypot(x, y)), atan2(y, x));
}

static Z
scaled(Z z, double k)
{
    return make(creal(z) * k, cimag(z) * k);
}

static Z
apply(int op, Z z)
{
    switch (op) {
    case OP_sqrt:
        return csqrt(z);
    case OP_exp:
        return cexp(z);
    case OP_exp2:
        return cexp(scaled(z, M_LN2));
    case OP_expm1:
        return exp_minus_1(z);
    case OP_log:
        return clog(z);
    case OP_log2:
        return scaled(clog(z), M_LOG2E);
    case OP_log10:
        return scaled(clog(z), M_LOG10E);
    case OP_log1p:
        return log_1_plus(z);
    case OP_sin:
        return csin(z);
    case OP_cos:
        return ccos(z);
    case OP_tan:
        return ctan(z);
    case OP_asin:
        return casin(z);
    case OP_acos:
        return cacos(z);
    case OP_atan:
        return catan(z);
    case OP_sinh:
        return csinh(z);
    case OP_cosh:
        return ccosh(z);
    case OP_tanh:
        return ctanh(z);
    case OP_asinh:
        return casinh(z);
    case OP_acosh:
        return cacosh(z);
    case OP_atanh:
        return catanh(z);
    case OP_sign:
        return sign(z);
    case OP_floor:
        return make(floor(creal(z)), floor(cimag(z)));
    case OP_ceil:
        return make(ceil(creal(z)), ceil(cimag(z)));
    case OP_trunc:
        return make(trunc(creal(z)), trunc(cimag(z)));
    default:
        return make(NAN, NAN);
    }
}

void
sw_complex1(int32_t op, const double *x, double *out)
{
    Z r = apply(op, make(x[0], x[1]));
    out[0] = creal(r);
    out[1] = cimag(r);
}

void
sw_complex2(int32_t op, const double *x, const double *y, double *out)
{
    Z a = make(x[0], x[1]), b = make(y[0], y[1]);
    Z r = op == OP_pow ? power(a, b) : op == OP_div ? divide(a, b) : make(NAN, NAN);
    out[0] = creal(r);
    out[1] = cimag(r);
}
