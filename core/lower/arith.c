/* SPDX-License-Identifier: BSD-3-Clause
 * Operators on scalars. Python scalars raise where Python raises (division by zero, a negative
 * shift count, powers); NumPy scalars do what their ufunc does. The operation itself never
 * traps: the check is a statement before it. */
#include "lower/internal.h"
#include "ast/ast.h"
#include <math.h>

static IrExpr *
num(Lower *l, DType d, double v)
{
    if (dtype_is_float(d))
        return ir_float(l->cx, d, v);
    if (dtype_is_complex(d))
        return ir_complex(l->cx, d, v, 0);
    return ir_int(l->cx, d, (int64_t)v);
}

static IrExpr *
is_zero(Lower *l, IrExpr *e)
{
    return ir_op(l->cx, OP_eq, e, num(l, e->dtype, 0));
}

static IrExpr *
not_(Lower *l, IrExpr *e)
{
    return ir_op(l->cx, OP_inv, e);
}

static bool
known_nonzero(const IrExpr *e)
{
    int64_t v;
    if (ir_is_const(e, &v))
        return v != 0;
    return e->kind == IX_CONST && (e->re != 0 || (dtype_is_complex(e->dtype) && e->im != 0));
}

/* complex.__truediv__, which scales by the greater part of the divisor and divides; NumPy
 * multiplies by a reciprocal, which overflows where the divisor is denormal. */
static IrExpr *
python_quotient(Lower *l, IrExpr *a, IrExpr *b)
{
    Cx *cx = l->cx;
    a = val_freeze(&l->b, a);
    b = val_freeze(&l->b, b);
    IrExpr *ar = ir_op(cx, OP_real, a), *ai = ir_op(cx, OP_imag, again(l, a));
    IrExpr *br = ir_op(cx, OP_real, b), *bi = ir_op(cx, OP_imag, again(l, b));
    IrExpr *by_re =
        ir_op(cx, OP_ge, ir_op(cx, OP_abs, again(l, br)), ir_op(cx, OP_abs, again(l, bi)));
    by_re = val_freeze(&l->b, by_re);
    IrExpr *p =
        val_freeze(&l->b, ir_op(cx, OP_select, again(l, by_re), again(l, br), again(l, bi)));
    IrExpr *q = val_freeze(&l->b, ir_op(cx, OP_select, again(l, by_re), bi, br));
    IrExpr *x =
        val_freeze(&l->b, ir_op(cx, OP_select, again(l, by_re), again(l, ar), again(l, ai)));
    IrExpr *y = val_freeze(&l->b, ir_op(cx, OP_select, again(l, by_re), ai, ar));
    IrExpr *ratio = val_freeze(&l->b, ir_op(cx, OP_div, again(l, q), again(l, p)));
    IrExpr *denom = val_freeze(&l->b, ir_op(cx, OP_add, p, ir_op(cx, OP_mul, q, again(l, ratio))));
    IrExpr *re = ir_op(cx, OP_add, again(l, x), ir_op(cx, OP_mul, again(l, y), again(l, ratio)));
    IrExpr *t = val_freeze(&l->b, ir_op(cx, OP_mul, x, ratio));
    IrExpr *im = ir_op(cx, OP_select, by_re, ir_op(cx, OP_sub, again(l, y), again(l, t)),
                       ir_op(cx, OP_sub, t, y));
    return ir_op(cx, OP_mkcomplex, ir_op(cx, OP_div, re, again(l, denom)),
                 ir_op(cx, OP_div, im, denom));
}

static const char *
text_of_zero(const SwOptions *o, int kind, int which)
{
    static const char *const text[4][3] = {
        {"division by zero", "integer division or modulo by zero", "integer modulo by zero"},
        {"float division by zero", "float floor division by zero", "float modulo"},
        {"complex division by zero", "complex division by zero", "complex division by zero"},
        {"", "float divmod()", ""}};
    if (kind == 0 && which == 2 && o->python < 11)
        return text[0][1];
    return kind == 1 && which == 2 && o->python >= 13 ? "float modulo by zero" : text[kind][which];
}

static IrExpr *
divide(Lower *l, IrOp op, IrExpr *a, IrExpr *b, Weak weak)
{
    weak = l->cx->opt->numpy_errors ? 0 : weak;
    if (weak && !known_nonzero(b)) {
        int kind = dtype_is_complex(b->dtype) ? 2 : dtype_is_float(b->dtype);
        if (kind == 1 && weak != WEAK)
            kind = weak == WEAK_DIVMOD ? 3 : 0;
        int which = op == OP_div ? 0 : op == OP_floordiv ? 1 : 2;
        b = val_freeze(&l->b, b);
        check(l, not_(l, is_zero(l, again(l, b))), "ZeroDivisionError",
              text_of_zero(l->cx->opt, kind, which));
    }
    if (weak && b->dtype == DT_c128 && op == OP_div && !(l->cx->opt->fastmath & FM_ARCP))
        return python_quotient(l, a, b);
    return ir_op(l->cx, op, a, b);
}

static IrExpr *
shift(Lower *l, IrOp op, IrExpr *a, IrExpr *b, bool weak)
{
    int64_t v;
    if (weak && !(ir_is_const(b, &v) && v >= 0)) {
        b = val_freeze(&l->b, b);
        check(l, ir_op(l->cx, OP_ge, again(l, b), num(l, b->dtype, 0)), "ValueError",
              "negative shift count");
    }
    return ir_op(l->cx, op, a, b);
}

/* ---- powers ---------------------------------------------------------------------------------- */

static const char zero_power[] = "0.0 cannot be raised to a negative power";

static IrExpr *
int_power(Lower *l, IrExpr *a, IrExpr *b, bool weak)
{
    int64_t v;
    bool known = ir_is_const(b, &v);
    if (known && v == 2) {
        a = val_freeze(&l->b, a);
        return ir_op(l->cx, OP_mul, a, again(l, a));
    }
    if (known && v == 1)
        return a;
    if (dtype_kind(b->dtype) == DK_INT && !(known && v >= 0)) {
        b = val_freeze(&l->b, b);
        IrExpr *whole = ir_op(l->cx, OP_ge, again(l, b), num(l, b->dtype, 0));
        if (weak) { /* a float in Python, but that 0 has no such power there either */
            a = val_freeze(&l->b, a);
            IrExpr *nonzero = ir_op(l->cx, OP_ne, again(l, a), num(l, a->dtype, 0));
            whole = val_freeze(&l->b, whole);
            check(l, ir_op(l->cx, OP_or, nonzero, again(l, whole)), "ZeroDivisionError",
                  zero_power);
        }
        check(l, whole, "ValueError", "Integers to negative integer powers are not allowed.");
    }
    return ir_op(l->cx, OP_pow, a, b);
}

/* What float.__pow__ raises: 0 to a negative power, a negative number to a fraction (a complex
 * result in Python, which a variable of type float can't hold), overflow. Infinite exponents
 * have a power of every number, and so has an infinity. */
static void
check_power(Lower *l, IrExpr *a, IrExpr *b)
{
    Cx *cx = l->cx;
    bool whole = b->kind == IX_CONST && b->re == rint(b->re);
    bool negative = b->kind != IX_CONST || b->re < 0;
    IrExpr *zero = num(l, a->dtype, 0);
    if (negative) {
        IrExpr *low = ir_op(cx, OP_and, ir_op(cx, OP_lt, again(l, b), again(l, zero)),
                            ir_op(cx, OP_isfinite, again(l, b)));
        check(l, not_(l, ir_op(cx, OP_and, is_zero(l, again(l, a)), low)), "ZeroDivisionError",
              zero_power);
    }
    if (!whole) {
        IrExpr *frac = ir_op(cx, OP_ne, again(l, b), ir_op(cx, OP_rint, again(l, b)));
        IrExpr *finite = ir_op(cx, OP_and, ir_op(cx, OP_isfinite, again(l, a)),
                               ir_op(cx, OP_isfinite, again(l, b)));
        IrExpr *bad =
            ir_op(cx, OP_and, ir_op(cx, OP_lt, again(l, a), zero), ir_op(cx, OP_and, frac, finite));
        check(l, not_(l, bad), "ValueError",
              "a negative number to a fractional power is complex; write complex(x) ** y");
    }
}

static IrExpr *
python_float_power(Lower *l, IrExpr *a, IrExpr *b)
{
    Cx *cx = l->cx;
    a = val_freeze(&l->b, a);
    b = val_freeze(&l->b, b);
    check_power(l, a, b);
    if (b->kind == IX_CONST && b->re == 0.5) /* of -0.0 and of -inf it is not the root */
        return ir_op(cx, OP_sqrt, ir_op(cx, OP_abs, again(l, a)));
    bool square = b->kind == IX_CONST && b->re == 2;
    IrExpr *r = square ? ir_op(cx, OP_mul, again(l, a), again(l, a))
                       : ir_op(cx, OP_pow, again(l, a), again(l, b));
    r = val_freeze(&l->b, r);
    IrExpr *finite =
        ir_op(cx, OP_and, ir_op(cx, OP_isfinite, again(l, a)), ir_op(cx, OP_isfinite, again(l, b)));
    check(l, ir_op(cx, OP_or, ir_op(cx, OP_isfinite, again(l, r)), not_(l, finite)),
          "OverflowError", "(34, 'Numerical result out of range')");
    return r;
}

static IrExpr *
are_finite(Lower *l, IrExpr *z)
{
    IrExpr *re = ir_op(l->cx, OP_real, again(l, z)), *im = ir_op(l->cx, OP_imag, again(l, z));
    return ir_op(l->cx, OP_and, ir_op(l->cx, OP_isfinite, re), ir_op(l->cx, OP_isfinite, im));
}

/* r, the power of a by b, as CPython has it where not all of them are finite: by lengths and
 * angles, or, for a small whole b, as a product that begins with 1. An infinite part is an error;
 * so is an infinite angle. */
static IrExpr *
unbounded_power(Lower *l, IrExpr *a, IrExpr *b, IrExpr *r)
{
    Cx *cx = l->cx;
    IrExpr *x = val_freeze(&l->b, ir_op(cx, OP_real, again(l, a)));
    IrExpr *y = val_freeze(&l->b, ir_op(cx, OP_imag, again(l, a)));
    IrExpr *re = val_freeze(&l->b, ir_op(cx, OP_real, again(l, b)));
    IrExpr *im = val_freeze(&l->b, ir_op(cx, OP_imag, again(l, b)));
    IrExpr *size = val_freeze(&l->b, ir_op(cx, OP_hypot, again(l, x), again(l, y)));
    IrExpr *at = val_freeze(&l->b, ir_op(cx, OP_atan2, y, x));
    IrExpr *real = val_freeze(&l->b, is_zero(l, again(l, im)));
    IrExpr *len = val_freeze(&l->b, ir_op(cx, OP_pow, again(l, size), again(l, re)));
    IrExpr *turn = val_freeze(&l->b, ir_op(cx, OP_mul, again(l, at), again(l, re)));
    IrExpr *shrink = ir_op(cx, OP_exp, ir_op(cx, OP_neg, ir_op(cx, OP_mul, at, again(l, im))));
    len = ir_op(cx, OP_select, again(l, real), again(l, len),
                ir_op(cx, OP_mul, again(l, len), shrink));
    turn = ir_op(cx, OP_select, again(l, real), again(l, turn),
                 ir_op(cx, OP_add, again(l, turn), ir_op(cx, OP_mul, im, ir_op(cx, OP_log, size))));
    len = val_freeze(&l->b, len);
    turn = val_freeze(&l->b, turn);
    IrExpr *whole = ir_op(cx, OP_eq, ir_op(cx, OP_floor, again(l, re)), again(l, re));
    IrExpr *small = ir_op(cx, OP_le, ir_op(cx, OP_abs, again(l, re)), num(l, DT_f64, 100));
    IrExpr *made = val_freeze(&l->b, ir_op(cx, OP_and, real, ir_op(cx, OP_and, whole, small)));
    check(l, ir_op(cx, OP_or, again(l, made), not_(l, ir_op(cx, OP_isinf, again(l, turn)))),
          "ZeroDivisionError", "0.0 to a negative or complex power");
    IrExpr *product = val_freeze(&l->b, ir_op(cx, OP_mul, ir_complex(cx, DT_c128, 1, 0), r));
    IrExpr *parts[2];
    for (int k = 0; k < 2; k++) {
        IrExpr *way = ir_op(cx, k ? OP_sin : OP_cos, again(l, turn));
        parts[k] = ir_op(cx, OP_select, again(l, made),
                         ir_op(cx, k ? OP_imag : OP_real, again(l, product)),
                         ir_op(cx, OP_mul, again(l, len), way));
        parts[k] = ir_op(cx, OP_select, is_zero(l, again(l, a)), num(l, DT_f64, 0), parts[k]);
        parts[k] = val_freeze(&l->b, parts[k]);
        check(l, not_(l, ir_op(cx, OP_isinf, again(l, parts[k]))), "OverflowError",
              "complex exponentiation");
    }
    return ir_op(cx, OP_mkcomplex, parts[0], parts[1]);
}

static IrExpr *
python_complex_power(Lower *l, IrExpr *a, IrExpr *b)
{
    Cx *cx = l->cx;
    a = val_freeze(&l->b, a);
    b = val_freeze(&l->b, b);
    bool square = b->kind == IX_CONST && b->re == 2 && b->im == 0;
    IrExpr *re = ir_op(cx, OP_real, again(l, b)), *im = ir_op(cx, OP_imag, again(l, b));
    IrExpr *low = ir_op(cx, OP_or, ir_op(cx, OP_lt, re, num(l, DT_f64, 0)),
                        ir_op(cx, OP_ne, im, num(l, DT_f64, 0)));
    if (!known_nonzero(a) && !square)
        check(l, not_(l, ir_op(cx, OP_and, is_zero(l, again(l, a)), low)), "ZeroDivisionError",
              "0.0 to a negative or complex power");
    IrExpr *r = square ? ir_op(cx, OP_mul, again(l, a), again(l, a))
                       : ir_op(cx, OP_pow, again(l, a), again(l, b));
    IrVar *out = ir_temp(&l->b, r);
    IrExpr *finite = ir_op(cx, OP_and, are_finite(l, a),
                           ir_op(cx, OP_and, are_finite(l, b), are_finite(l, ir_use(cx, out))));
    IrBlock *outer = l->b.at;
    l->b.at = &ir_if(&l->b, not_(l, finite))->body;
    ir_set(&l->b, out, unbounded_power(l, a, b, ir_use(cx, out)));
    l->b.at = outer;
    return ir_use(cx, out);
}

static IrExpr *
power(Lower *l, IrExpr *a, IrExpr *b, DType d, bool weak)
{
    weak &= !l->cx->opt->numpy_errors;
    if (!dtype_is_float(d) && !dtype_is_complex(d))
        return int_power(l, a, b, weak);
    if (weak)
        return dtype_is_float(d) ? python_float_power(l, a, b) : python_complex_power(l, a, b);
    if (b->kind == IX_CONST && b->re == 2 && (!dtype_is_complex(d) || b->im == 0)) {
        a = val_freeze(&l->b, a);
        return ir_op(l->cx, OP_mul, a, again(l, a));
    }
    return ir_op(l->cx, OP_pow, a, b);
}

/* ---- all operators --------------------------------------------------------------------------- */

static IrExpr *
plain(Lower *l, int op, IrExpr *a, IrExpr *b)
{
    static const IrOp map[] = {[B_ADD] = OP_add, [B_SUB] = OP_sub, [B_MUL] = OP_mul,
                               [B_OR] = OP_or,   [B_XOR] = OP_xor, [B_AND] = OP_and};
    return ir_op(l->cx, map[op], a, b);
}

static IrExpr *
binop_of(Lower *l, int op, IrExpr *a, IrExpr *b, DType d, Weak weak)
{
    switch ((BinOpKind)op) {
    case B_DIV:
        return divide(l, OP_div, a, b, weak);
    case B_FLOORDIV:
        return divide(l, OP_floordiv, a, b, weak);
    case B_MOD:
        return divide(l, OP_mod, a, b, weak);
    case B_POW:
        return power(l, a, b, d, weak);
    case B_LSHIFT:
        return shift(l, OP_shl, a, b, weak);
    case B_RSHIFT:
        return shift(l, OP_shr, a, b, weak);
    case B_ADD:
    case B_SUB:
    case B_MUL:
    case B_OR:
    case B_XOR:
    case B_AND:
        return plain(l, op, a, b);
    case B_MATMUL:
        break;
    }
    return a;
}

/* int64 overflow, which wraps silently otherwise, is an error in debug mode. */
static IrExpr *
is_exact(Lower *l, int op, IrExpr *a, IrExpr *b, IrExpr *r)
{
    Cx *cx = l->cx;
    IrExpr *x, *y, *zero = num(l, DT_i64, 0), *least = ir_int(cx, DT_i64, INT64_MIN);
    switch ((BinOpKind)op) {
    case B_MUL: /* dividing the least int by -1 wraps, too */
        x = ir_op(cx, OP_floordiv, again(l, r), again(l, a));
        y = ir_op(cx, OP_or, ir_op(cx, OP_ne, again(l, a), num(l, DT_i64, -1)),
                  ir_op(cx, OP_ne, again(l, b), least));
        y = ir_op(cx, OP_and, ir_op(cx, OP_eq, x, again(l, b)), y);
        return ir_op(cx, OP_or, is_zero(l, again(l, a)), y);
    case B_FLOORDIV: /* by -1 */
        return ir_op(cx, OP_or, ir_op(cx, OP_ne, again(l, a), least),
                     ir_op(cx, OP_ne, again(l, b), num(l, DT_i64, -1)));
    case B_LSHIFT:
        return ir_op(cx, OP_eq, ir_op(cx, OP_shr, again(l, r), again(l, b)), again(l, a));
    case B_POW: /* no power of an int but 2**63 itself rounds to 2**63, and first powers */
        x = ir_op(cx, OP_pow, ir_cast(cx, DT_f64, again(l, a)), ir_cast(cx, DT_f64, again(l, b)));
        x = val_freeze(&l->b, x);
        y = ir_op(cx, OP_ge, again(l, x), num(l, DT_f64, -0x1p63));
        y = ir_op(cx, OP_and, ir_op(cx, OP_lt, x, num(l, DT_f64, 0x1p63)), y);
        return ir_op(cx, OP_or, ir_op(cx, OP_eq, again(l, b), num(l, DT_i64, 1)), y);
    /* add: both operands differ in sign from the sum; sub: likewise from a's point of view */
    default:
        x = ir_op(cx, OP_xor, again(l, a), again(l, r));
        y = op == B_ADD ? ir_op(cx, OP_xor, again(l, b), again(l, r))
                        : ir_op(cx, OP_xor, again(l, a), again(l, b));
        return ir_op(cx, OP_ge, ir_op(cx, OP_and, x, y), zero);
    }
}

IrExpr *
scalar_exact(Lower *l, int op, IrExpr *a, IrExpr *b)
{
    a = val_freeze(&l->b, a);
    b = val_freeze(&l->b, b);
    IrExpr *r = val_freeze(&l->b, binop_of(l, op, again(l, a), again(l, b), DT_i64, WEAK));
    check(l, is_exact(l, op, a, b, r), "OverflowError",
          "integer overflow: the result does not fit in int64");
    return again(l, r);
}

IrExpr *
scalar_binop(Lower *l, int op, IrExpr *a, IrExpr *b, DType d, Weak weak)
{
    static const uint32_t may_wrap =
        1u << B_ADD | 1u << B_SUB | 1u << B_MUL | 1u << B_FLOORDIV | 1u << B_LSHIFT | 1u << B_POW;
    if (weak && d == DT_i64 && l->cx->opt->debug && may_wrap >> op & 1)
        return scalar_exact(l, op, a, b);
    return binop_of(l, op, a, b, d, weak);
}
