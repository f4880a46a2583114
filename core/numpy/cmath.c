/* SPDX-License-Identifier: BSD-3-Clause
 * cmath: the complex operations of the IR with the errors that Python raises, and the few
 * functions (polar, rect, log with a base, isclose) that are made of others. */
#include "numpy/internal.h"

static IrExpr *
arg(IrBuilder *b, const NpCall *c, int k, DType d)
{
    return val_freeze(b, val_expr(b, &c->arg[k], d));
}

static bool
given(const NpCall *c, int k)
{
    return k < c->n && c->arg[k].type && c->arg[k].type->kind != TY_NONE;
}

static IrExpr *
is_finite(IrBuilder *b, IrExpr *z)
{
    return np_op1(b, OP_isfinite, np_cp(b, z));
}

static IrExpr *
zero(IrBuilder *b, IrExpr *z)
{
    return np_op2(b, OP_eq, np_cp(b, z), ir_complex(b->cx, DT_c128, 0, 0));
}

/* An infinity in the part along which the function oscillates has no value, unless the
 * other part decides the result. */
static void
check_oscillation(IrBuilder *b, IrOp op, IrExpr *z)
{
    bool circular = op == OP_sin || op == OP_cos || op == OP_tan;
    bool hyperbolic = op == OP_sinh || op == OP_cosh || op == OP_tanh || op == OP_exp;
    if (!circular && !hyperbolic)
        return;
    IrExpr *turns = np_op1(b, circular ? OP_real : OP_imag, np_cp(b, z));
    IrExpr *other = np_op1(b, circular ? OP_imag : OP_real, np_cp(b, z));
    IrExpr *counts = np_op1(b, OP_inv, np_op1(b, OP_isnan, np_cp(b, other)));
    if (op == OP_tan || op == OP_tanh)
        counts = np_op1(b, OP_isfinite, other);
    if (op == OP_exp) /* a comparison with NaN is false */
        counts = np_op2(b, OP_gt, other, np_num(b, DT_f64, -__builtin_inf()));
    IrExpr *bad = np_op2(b, OP_and, np_op1(b, OP_isinf, turns), counts);
    np_check(b, np_op1(b, OP_inv, bad), "ValueError", "math domain error");
}

/* A function that overflows raises; one of an infinity that has no value is a domain
 * error. */
static IrExpr *
checked(IrBuilder *b, IrOp op, IrExpr *z)
{
    check_oscillation(b, op, z);
    IrExpr *r = val_freeze(b, np_op1(b, op, np_cp(b, z)));
    bool grows = op == OP_exp || op == OP_sin || op == OP_cos || op == OP_sinh || op == OP_cosh;
    if (grows || op == OP_tan || op == OP_tanh) {
        IrExpr *ok = np_op2(b, OP_or, is_finite(b, r), np_op1(b, OP_inv, is_finite(b, z)));
        np_check(b, ok, "OverflowError", "math range error");
    }
    if (op == OP_log || op == OP_log10)
        np_check(b, np_op1(b, OP_inv, zero(b, z)), "ValueError", "math domain error");
    if (op == OP_atan) { /* poles at +i and -i */
        IrExpr *pole = np_op2(
            b, OP_and, np_op2(b, OP_eq, np_op1(b, OP_real, np_cp(b, z)), np_num(b, DT_f64, 0)),
            np_op2(b, OP_eq, np_op1(b, OP_abs, np_op1(b, OP_imag, np_cp(b, z))),
                   np_num(b, DT_f64, 1)));
        np_check(b, np_op1(b, OP_inv, pole), "ValueError", "math domain error");
    }
    if (op == OP_atanh) {
        IrExpr *pole = np_op2(
            b, OP_and, np_op2(b, OP_eq, np_op1(b, OP_imag, np_cp(b, z)), np_num(b, DT_f64, 0)),
            np_op2(b, OP_eq, np_op1(b, OP_abs, np_op1(b, OP_real, np_cp(b, z))),
                   np_num(b, DT_f64, 1)));
        np_check(b, np_op1(b, OP_inv, pole), "ValueError", "math domain error");
    }
    return r;
}

Val
emit_cmath_log(IrBuilder *b, NpCall *c)
{
    IrExpr *r = checked(b, OP_log, arg(b, c, 0, DT_c128));
    if (given(c, 1)) {
        IrExpr *base = checked(b, OP_log, arg(b, c, 1, DT_c128));
        np_check(b, np_op1(b, OP_inv, zero(b, base)), "ZeroDivisionError",
                 "complex division by zero");
        r = np_op2(b, OP_div, r, base);
    }
    return val_scalar(b, c->result, r);
}

Val
emit_cmath_polar(IrBuilder *b, NpCall *c)
{
    IrExpr *z = arg(b, c, 0, DT_c128);
    IrExpr *r = val_freeze(b, np_op1(b, OP_abs, np_cp(b, z)));
    np_check(b,
             np_op2(b, OP_or, np_op1(b, OP_inv, np_op1(b, OP_isinf, np_cp(b, r))),
                    np_op1(b, OP_inv, is_finite(b, z))),
             "OverflowError", "math range error");
    Val elem[2] = {val_scalar(b, c->result->elems[0], r),
                   val_scalar(b, c->result->elems[1], np_op1(b, OP_arg, np_cp(b, z)))};
    return val_tuple(b, c->result, 2, elem);
}

Val
emit_cmath_rect(IrBuilder *b, NpCall *c)
{
    IrExpr *r = arg(b, c, 0, DT_f64), *phi = arg(b, c, 1, DT_f64);
    IrExpr *none = np_op2(b, OP_eq, np_cp(b, r), np_num(b, DT_f64, 0));
    IrExpr *wild = np_op1(b, OP_inv, is_finite(b, phi));
    IrExpr *number = np_op1(b, OP_inv, np_op1(b, OP_isnan, np_cp(b, r)));
    IrExpr *bad = np_op2(b, OP_and, np_op1(b, OP_isinf, np_cp(b, phi)),
                         np_op2(b, OP_and, np_op1(b, OP_inv, np_cp(b, none)), number));
    np_check(b, np_op1(b, OP_inv, bad), "ValueError", "math domain error");
    IrExpr *zero_ = np_num(b, DT_f64, 0);
    IrExpr *nought = val_freeze(b, np_op2(b, OP_and, none, wild));
    IrExpr *re = np_op2(b, OP_mul, np_cp(b, r), np_op1(b, OP_cos, np_cp(b, phi)));
    IrExpr *far =
        np_op2(b, OP_and, np_op1(b, OP_isinf, np_cp(b, r)), np_op1(b, OP_isnan, np_cp(b, phi)));
    re = np_op3(b, OP_select, far, np_num(b, DT_f64, __builtin_inf()), re);
    IrExpr *im = np_op2(b, OP_mul, np_cp(b, r), np_op1(b, OP_sin, np_cp(b, phi)));
    IrExpr *flat = np_op2(b, OP_copysign, np_num(b, DT_f64, 1), np_cp(b, r));
    flat = np_op2(b, OP_mul, flat, np_cp(b, phi)); /* an infinite r leaves the sign of 0 */
    im = np_op3(b, OP_select, np_op2(b, OP_eq, np_cp(b, phi), np_cp(b, zero_)), flat, im);
    re = np_op3(b, OP_select, np_cp(b, nought), np_cp(b, zero_), re);
    im = np_op3(b, OP_select, np_cp(b, nought), zero_, im);
    return val_scalar(b, c->result, np_op2(b, OP_mkcomplex, re, im));
}

/* |a - b| <= max(rel * max(|a|, |b|), abs), equal values always, infinities only to
 * themselves */
Val
emit_cmath_isclose(IrBuilder *b, NpCall *c)
{
    IrExpr *x = arg(b, c, 0, DT_c128), *y = arg(b, c, 1, DT_c128);
    IrExpr *rel = given(c, 2) ? arg(b, c, 2, DT_f64) : np_num(b, DT_f64, 1e-9);
    IrExpr *tol = given(c, 3) ? arg(b, c, 3, DT_f64) : np_num(b, DT_f64, 0);
    np_check(b,
             np_op2(b, OP_and, np_op2(b, OP_ge, np_cp(b, rel), np_num(b, DT_f64, 0)),
                    np_op2(b, OP_ge, np_cp(b, tol), np_num(b, DT_f64, 0))),
             "ValueError", "tolerances must be non-negative");
    IrExpr *diff = np_op1(b, OP_abs, np_op2(b, OP_sub, np_cp(b, x), np_cp(b, y)));
    IrExpr *big = np_op2(b, OP_max, np_op1(b, OP_abs, np_cp(b, x)), np_op1(b, OP_abs, np_cp(b, y)));
    IrExpr *limit = np_op2(b, OP_max, np_op2(b, OP_mul, rel, big), tol);
    IrExpr *near = np_op2(b, OP_le, diff, limit);
    IrExpr *inf =
        np_op2(b, OP_or, np_op1(b, OP_isinf, np_cp(b, x)), np_op1(b, OP_isinf, np_cp(b, y)));
    IrExpr *close = np_op2(b, OP_and, np_op1(b, OP_inv, inf), near);
    return val_scalar(b, c->result, np_op2(b, OP_or, np_op2(b, OP_eq, x, y), close));
}

Val
emit_cmath_unary(IrBuilder *b, NpCall *c)
{
    return val_scalar(b, c->result, checked(b, (IrOp)c->fn->op, arg(b, c, 0, DT_c128)));
}
