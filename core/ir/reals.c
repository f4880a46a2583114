/* SPDX-License-Identifier: BSD-3-Clause
 * Between which numbers a float lies that is computed from small integers and constants, as what
 * is made of pixels is: so that int() of it needs no test. Takes an expression, yields bounds that
 * hold in whatever order and precision its operations are done; they are never NaN or infinite. */
#include "ir/ir.h"
#include <math.h>

/* The greatest number that plays a part, for rounding is by its size. */
static const double most = 0x1p40;

typedef struct Reals {
    double lo, hi;
} Reals;

static bool span_of(const IrExpr *e, Reals *s, int depth);

static bool
of_cast(const IrExpr *x, Reals *s, int depth)
{
    DType d = (DType)x->dtype;
    if (dtype_is_float(d) && d != DT_f16)
        return span_of(x, s, depth);
    int bits = dtype_info[d].bits;
    if (d == DT_bool)
        *s = (Reals){0, 1};
    else if (!dtype_is_int(d) || bits > 32)
        return false;
    else if (dtype_kind(d) == DK_UINT)
        *s = (Reals){0, ldexp(1, bits) - 1};
    else
        *s = (Reals){-ldexp(1, bits - 1), ldexp(1, bits - 1) - 1};
    return true;
}

static Reals
product(Reals x, Reals y)
{
    double a = x.lo * y.lo, b = x.lo * y.hi, c = x.hi * y.lo, d = x.hi * y.hi;
    return (Reals){fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d))};
}

static double
size(Reals x)
{
    return fmax(fabs(x.lo), fabs(x.hi));
}

static double
ulps(const IrExpr *e, double x)
{
    return x * (e->dtype == DT_f32 ? 1e-5 : 1e-9);
}

/* Of numbers that cancel each other the errors stay. */
static bool
of_two(const IrExpr *e, Reals x, Reals y, Reals *s)
{
    double off = ulps(e, fmax(size(x), size(y)));
    switch (e->op) {
    case OP_add:
        *s = (Reals){x.lo + y.lo - (x.lo < 0 || y.lo < 0 ? off : 0), x.hi + y.hi + off};
        return true;
    case OP_sub:
        *s = (Reals){x.lo - y.hi - off, x.hi - y.lo + off};
        return true;
    case OP_mul:
        *s = product(x, y);
        if (ir_expr_equal(e->arg[0], e->arg[1]))
            s->lo = 0;
        return true;
    case OP_div:
        *s = product(x, (Reals){1 / y.hi, 1 / y.lo});
        return y.lo > 0x1p-20;
    case OP_min:
        *s = (Reals){fmin(x.lo, y.lo), fmin(x.hi, y.hi)};
        return true;
    case OP_max:
        *s = (Reals){fmax(x.lo, y.lo), fmax(x.hi, y.hi)};
        return true;
    default:
        return false;
    }
}

static bool
of_one(const IrExpr *e, Reals x, Reals *s)
{
    switch (e->op) {
    case OP_neg:
        *s = (Reals){-x.hi, -x.lo};
        return true;
    case OP_abs:
        *s = (Reals){0, size(x)};
        return true;
    case OP_floor:
    case OP_ceil:
    case OP_trunc:
    case OP_rint:
        *s = (Reals){x.lo - 1, x.hi + 1};
        return true;
    case OP_sqrt:
        *s = (Reals){0, sqrt(fmax(x.hi, 0))};
        return x.lo >= 0;
    default:
        return false;
    }
}

static bool
of_op(const IrExpr *e, Reals *s, int depth)
{
    Reals x, y;
    if (e->op == OP_select) {
        if (!span_of(e->arg[1], &x, depth) || !span_of(e->arg[2], &y, depth))
            return false;
        *s = (Reals){fmin(x.lo, y.lo), fmax(x.hi, y.hi)};
        return true;
    }
    if (e->n > 2 || !span_of(e->arg[0], &x, depth))
        return false;
    return e->n == 1 ? of_one(e, x, s) : span_of(e->arg[1], &y, depth) && of_two(e, x, y, s);
}

static bool
span_of(const IrExpr *e, Reals *s, int depth)
{
    bool found = false;
    if ((e->dtype != DT_f32 && e->dtype != DT_f64) || depth == 0)
        return false;
    if (e->kind == IX_CONST) {
        *s = (Reals){e->re, e->re};
        found = true;
    } else if (e->kind == IX_CAST) {
        found = of_cast(e->arg[0], s, depth - 1);
    } else if (e->kind == IX_OP) {
        found = of_op(e, s, depth - 1);
    }
    if (!found || !(s->lo >= -most && s->hi <= most))
        return false;
    double off = e->kind == IX_CONST ? 0 : ulps(e, size(*s));
    s->lo = s->lo >= 0 ? fmax(s->lo - off, 0) : s->lo - off;
    s->hi += off;
    return true;
}

bool
ir_real_range(const IrExpr *e, double *lo, double *hi)
{
    Reals s;
    if (!span_of(e, &s, 16))
        return false;
    *lo = s.lo;
    *hi = s.hi;
    return true;
}
