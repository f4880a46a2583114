/* SPDX-License-Identifier: BSD-3-Clause
 * One element of a ufunc: operands cast to the loop's dtypes, one IR operation (or a few,
 * for those that op.def lacks), the result cast. Here also are the calls of ufuncs by
 * name: out=, and the ones with two results. The rest of the work, shapes and loops, is
 * in lazy.c. */
#include "numpy/internal.h"

#include <math.h>

/* ---- the ones that are more than one operation ----------------------------------------------- */

static IrExpr *
isnan_of(IrBuilder *b, const IrExpr *x)
{
    return np_op1(b, OP_isnan, np_cp(b, x));
}

static IrExpr *
heaviside(IrBuilder *b, IrExpr *x, IrExpr *h, DType d)
{
    x = val_freeze(b, x);
    IrExpr *step = np_op3(b, OP_select, np_op2(b, OP_lt, np_cp(b, x), np_num(b, d, 0)),
                          np_num(b, d, 0), np_num(b, d, 1));
    IrExpr *mid = np_op3(b, OP_select, np_op2(b, OP_eq, np_cp(b, x), np_num(b, d, 0)), h, step);
    return np_op3(b, OP_select, isnan_of(b, x), np_cp(b, x), mid);
}

static IrExpr *
modf_frac(IrBuilder *b, IrExpr *x, DType d)
{
    x = val_freeze(b, x);
    IrExpr *f = np_op2(b, OP_sub, np_cp(b, x), np_op1(b, OP_trunc, np_cp(b, x)));
    f = np_op3(b, OP_select, np_op1(b, OP_isinf, np_cp(b, x)), np_num(b, d, 0), f);
    return np_op2(b, OP_copysign, f, np_cp(b, x));
}

/* As NumPy has it, which of 0 makes NaN, and no infinity as 1 / 0 is. */
static IrExpr *
complex_reciprocal(IrBuilder *b, IrExpr *x, DType d)
{
    x = val_freeze(b, x);
    IrExpr *re = val_freeze(b, np_op1(b, OP_real, np_cp(b, x))),
           *im = val_freeze(b, np_op1(b, OP_imag, x));
    IrExpr *wide = val_freeze(
        b, np_op2(b, OP_ge, np_op1(b, OP_abs, np_cp(b, re)), np_op1(b, OP_abs, np_cp(b, im))));
    IrExpr *more = val_freeze(b, np_op3(b, OP_select, np_cp(b, wide), np_cp(b, re), np_cp(b, im)));
    IrExpr *less = val_freeze(b, np_op3(b, OP_select, np_cp(b, wide), im, re));
    IrExpr *r = val_freeze(b, np_op2(b, OP_div, np_cp(b, less), np_cp(b, more)));
    IrExpr *by = val_freeze(b, np_op2(b, OP_add, more, np_op2(b, OP_mul, less, np_cp(b, r))));
    IrExpr *one = val_freeze(b, np_op2(b, OP_div, np_num(b, d, 1), np_cp(b, by)));
    IrExpr *part = val_freeze(b, np_op2(b, OP_div, r, by));
    IrExpr *up = np_op3(b, OP_select, np_cp(b, wide), np_cp(b, one), np_cp(b, part));
    IrExpr *down = np_op3(b, OP_select, wide, part, one);
    return np_op2(b, OP_mkcomplex, up, np_op1(b, OP_neg, down));
}

/* NumPy's integer reciprocal is 1.0/x cut to the integer. */
static IrExpr *
reciprocal(IrBuilder *b, IrExpr *x, DType d)
{
    if (dtype_is_float(d))
        return np_op2(b, OP_div, np_num(b, d, 1), x);
    if (dtype_is_complex(d))
        return complex_reciprocal(b, x, dtype_real(d));
    IrExpr *q = np_op2(b, OP_div, np_num(b, DT_f64, 1), ir_cast(b->cx, DT_f64, x));
    return ir_cast(b->cx, d, q);
}

static IrExpr *
square(IrBuilder *b, IrExpr *x)
{
    x = val_freeze(b, x);
    return np_op2(b, OP_mul, x, np_cp(b, x));
}

/* x ** (n + 0.5) by the root, within 1.5 units in the last place. Of zeros and infinities of either
 * sign it is what pow yields: of the positive ones. The two quotients neither overflow nor lose
 * digits where the result doesn't. */
static IrExpr *
half_power(IrBuilder *b, IrExpr *x, double k, DType d)
{
    x = val_freeze(b, np_op2(b, OP_add, x, np_num(b, d, 0)));
    IrExpr *least = np_op2(b, OP_eq, np_cp(b, x), np_num(b, d, -INFINITY));
    x = val_freeze(b, np_op3(b, OP_select, least, np_num(b, d, INFINITY), x));
    IrExpr *root = np_op1(b, OP_sqrt, np_cp(b, x));
    if (k == 1.5)
        return np_op2(b, OP_mul, np_cp(b, x), root);
    if (k == 2.5)
        return np_op2(b, OP_mul, square(b, np_cp(b, x)), root);
    IrExpr *one = k == -0.5 ? np_num(b, d, 1) : np_op2(b, OP_div, np_num(b, d, 1), np_cp(b, x));
    return np_op2(b, OP_div, one, root);
}

/* x ** k for the small constants that are cheaper as products, and as NumPy's own
 * shortcuts. */
static IrExpr *
small_power(IrBuilder *b, IrExpr *x, double k, DType d)
{
    bool real = dtype_is_float(d);
    if (k == 1)
        return x;
    if (k == 2)
        return square(b, x);
    if (k == 0.5 && real)
        return np_op1(b, OP_sqrt, x);
    if (k == -1 && real)
        return reciprocal(b, x, d);
    if ((k == 1.5 || k == 2.5 || k == -0.5 || k == -1.5) && real && d != DT_f16)
        return half_power(b, x, k, d);
    if (k == 3 && !dtype_is_complex(d)) {
        x = val_freeze(b, x);
        return np_op2(b, OP_mul, square(b, x), np_cp(b, x));
    }
    if (k == 4 && !dtype_is_complex(d))
        return square(b, square(b, x));
    return NULL;
}

static bool
const_number(const IrExpr *e, double *out)
{
    if (e->kind != IX_CONST || (dtype_is_complex(e->dtype) && e->im != 0))
        return false;
    bool fp = dtype_is_float(e->dtype) || dtype_is_complex(e->dtype);
    *out = fp ? e->re : (double)e->i;
    return true;
}

static IrExpr *
power(IrBuilder *b, IrExpr *x, IrExpr *y, DType d)
{
    double k;
    bool known = const_number(y, &k);
    IrExpr *e = known ? small_power(b, x, k, d) : NULL;
    if (e)
        return e;
    if (dtype_kind(d) == DK_INT && !(known && k >= 0)) {
        y = val_freeze(b, y);
        np_check(b, np_op2(b, OP_ge, np_cp(b, y), np_num(b, d, 0)), "ValueError",
                 "Integers to negative integer powers are not allowed.");
    }
    return np_op2(b, OP_pow, x, y);
}

/* Complex minimum and maximum compare lexicographically; a NaN wins (or loses, in fmin).
 */
static IrExpr *
complex_pick(IrBuilder *b, int op, IrExpr *x, IrExpr *y)
{
    x = val_freeze(b, x);
    y = val_freeze(b, y);
    bool least = op == OP_min || op == OP_fmin, skip_nan = op == OP_fmin || op == OP_fmax;
    IrExpr *first = np_op2(b, least ? OP_le : OP_ge, np_cp(b, x), np_cp(b, y));
    first = np_op2(b, OP_or, first, isnan_of(b, skip_nan ? y : x));
    return np_op3(b, OP_select, first, np_cp(b, x), np_cp(b, y));
}

/* Comparison of signed with unsigned integers, exact as in NumPy 2. */
static IrExpr *
mixed_compare(IrBuilder *b, int op, IrExpr *x, IrExpr *y)
{
    bool flip = dtype_kind(x->dtype) == DK_UINT;
    static const uint8_t mirror[][2] = {{OP_lt, OP_gt}, {OP_gt, OP_lt}, {OP_le, OP_ge},
                                        {OP_ge, OP_le}, {OP_eq, OP_eq}, {OP_ne, OP_ne}};
    for (int i = 0; flip && i < SW_LEN(mirror); i++)
        if (mirror[i][0] == op) {
            op = mirror[i][1];
            break;
        }
    IrExpr *s = val_freeze(b, flip ? y : x), *u = flip ? x : y;
    IrExpr *neg = np_op2(b, OP_lt, np_cp(b, s), np_num(b, s->dtype, 0));
    bool holds = op == OP_lt || op == OP_le || op == OP_ne;
    IrExpr *cmp = np_op2(b, op, ir_cast(b->cx, DT_u64, np_cp(b, s)), ir_cast(b->cx, DT_u64, u));
    return np_op3(b, OP_select, neg, ir_int(b->cx, DT_bool, holds), cmp);
}

static bool
is_compare(int op)
{
    return op < OP_COUNT && op_info[op].flags & OPF_COMPARES; /* there are XOP_... behind */
}

/* ---- one element ----------------------------------------------------------------------------- */

static IrExpr *
unary(IrBuilder *b, int op, IrExpr *x, DType d)
{
    DKind k = dtype_kind(d);
    bool whole = k == DK_BOOL || k == DK_INT || k == DK_UINT;
    switch (op) {
    case XOP_id:
        return x;
    case XOP_square:
        return square(b, x);
    case XOP_reciprocal:
        return reciprocal(b, x, d);
    case XOP_degrees:
        return np_op2(b, OP_mul, x, np_num(b, d, 180.0 / 3.14159265358979323846));
    case XOP_radians:
        return np_op2(b, OP_mul, x, np_num(b, d, 3.14159265358979323846 / 180.0));
    case XOP_modf_frac:
        return modf_frac(b, x, d);
    case XOP_modf_int:
        return np_op1(b, OP_trunc, x);
    case OP_floor:
    case OP_ceil:
    case OP_trunc:
    case OP_rint:
        return whole ? x : np_op1(b, op, x);
    case OP_abs:
        return k == DK_BOOL || k == DK_UINT ? x : np_op1(b, op, x);
    case OP_conj:
        return k == DK_COMPLEX ? np_op1(b, op, x) : x;
    case OP_real:
        return k == DK_COMPLEX ? np_op1(b, op, x) : x;
    case OP_imag:
        return k == DK_COMPLEX ? np_op1(b, op, x) : np_num(b, d, 0);
    case OP_isnan:
    case OP_isinf:
        return whole ? ir_int(b->cx, DT_bool, 0) : np_op1(b, op, x);
    case OP_isfinite:
        return whole ? ir_int(b->cx, DT_bool, 1) : np_op1(b, op, x);
    case OP_signbit:
        return whole ? np_op2(b, OP_lt, x, np_num(b, d, 0)) : np_op1(b, op, x);
    default:
        return np_op1(b, op, x);
    }
}

static IrExpr *
binary(IrBuilder *b, int op, IrExpr *x, IrExpr *y, DType d)
{
    DKind k = dtype_kind(d);
    if (op == OP_pow)
        return power(b, x, y, d);
    if (op == XOP_heaviside)
        return heaviside(b, x, y, d);
    if (op == OP_ldexp && y->dtype != DT_i32) { /* no exponent beyond these matters */
        y = np_op2(b, OP_max, np_op2(b, OP_min, y, np_int(b, 100000)), np_int(b, -100000));
        return np_op2(b, op, x, ir_cast(b->cx, DT_i32, y));
    }
    if (is_compare(op) && x->dtype != y->dtype)
        return mixed_compare(b, op, x, y);
    if (op == OP_min || op == OP_max || op == OP_fmin || op == OP_fmax) {
        if (k == DK_COMPLEX)
            return complex_pick(b, op, x, y);
        if (k == DK_BOOL)
            return np_op2(b, op == OP_min || op == OP_fmin ? OP_and : OP_or, x, y);
        if (k != DK_FLOAT)
            op = op == OP_fmin ? OP_min : op == OP_fmax ? OP_max : op;
    }
    return np_op2(b, op, x, y);
}

/* One bound of np.clip. Complex: unlike minimum and maximum, the bound is left out only for a NaN
 * of x or where the order by real, then imaginary part excludes it, whatever NaN the imaginary
 * parts hold. */
static IrExpr *
bounded(IrBuilder *b, bool low, IrExpr *x, IrExpr *bound)
{
    x = val_freeze(b, x);
    bound = val_freeze(b, bound);
    IrExpr *re[2] = {np_op1(b, OP_real, np_cp(b, x)), np_op1(b, OP_real, np_cp(b, bound))};
    IrExpr *im[2] = {np_op1(b, OP_imag, np_cp(b, x)), np_op1(b, OP_imag, np_cp(b, bound))};
    IrOp beats = low ? OP_gt : OP_lt;
    IrExpr *tie = np_op2(b, OP_eq, np_cp(b, re[0]), np_cp(b, re[1]));
    IrExpr *keep =
        np_op3(b, OP_select, tie, np_op2(b, beats, im[0], im[1]), np_op2(b, beats, re[0], re[1]));
    keep = np_op2(b, OP_or, keep, isnan_of(b, x));
    return np_op3(b, OP_select, keep, np_cp(b, x), np_cp(b, bound));
}

/* Of two equal numbers, 0.0 and -0.0, the bound stays, but x where both bounds are the same for all
 * elements. */
static IrExpr *
clip(IrBuilder *b, int op, IrExpr **x, DType d)
{
    if (dtype_is_complex(d))
        return bounded(b, false, bounded(b, true, x[0], x[1]), x[2]);
    if (op == XOP_clip)
        return binary(b, OP_min, binary(b, OP_max, x[0], x[1], d), x[2], d);
    return binary(b, OP_min, x[2], binary(b, OP_max, x[1], x[0], d), d);
}

IrExpr *
np_op_expr(IrBuilder *b, int op, int n, const DType *in, IrExpr **args, DType out)
{
    if (op > XOP_time)
        return ir_cast(b->cx, dtype_storage(out), np_time_expr(b, op - XOP_time, n, in, args, out));
    IrExpr *x[4];
    for (int i = 0; i < n; i++)
        x[i] = ir_cast(b->cx, in[i], args[i]);
    IrExpr *e;
    if (n == 1)
        e = unary(b, op, x[0], in[0]);
    else if (n == 2)
        e = binary(b, op, x[0], x[1], in[0]);
    else if (op == XOP_clip || op == XOP_clip_const)
        e = clip(b, op, x, in[0]);
    else
        e = np_op3(b, op, x[0], x[1], x[2]);
    return ir_cast(b->cx, out, e);
}

/* ---- calls by name --------------------------------------------------------------------------- */

/* Where the k-th of two results goes: np.modf(x, a, b) or out=(a, b); NULL: somewhere
 * new. */
static const Val *
out_of(const NpCall *c, int k)
{
    static const char *const names[] = {"out1", "out2"};
    const Val *both = np_arg(c, "out"), *one = np_arg(c, names[k]);
    if (both && both->kind == VK_TUPLE && k < both->n)
        one = &both->elem[k];
    return one && one->kind == VK_ARRAY ? one : NULL;
}

/* A second result where only the first has a place, or the other way round. */
static Val
new_beside(IrBuilder *b, const Val *out, DType d)
{
    IrExpr *dims[SW_MAX_NDIM];
    for (int i = 0; i < val_ndim(out); i++)
        dims[i] = val_dim(b, out, i);
    return np_new_array(b, d, val_ndim(out), dims, LAY_C, false);
}

/* ---- integer arrays compared with a Python int, whatever its value ---------------------- */

static bool
is_big(const Val *v) /* a constant from 2**63 up */
{
    return v->cst && v->cst->kind == CV_INT && v->cst->dtype == DT_u64;
}

/* All of an array against an int that is above each of its elements. */
static Val
compare_beyond(IrBuilder *b, IrOp op, Val a, const Type *t)
{
    bool yes = op == OP_ne || op == OP_lt || op == OP_le;
    DType d = val_dtype(&a), in[2] = {d, d};
    Val arg[2] = {a, a};
    Val same = np_ufunc(b, OP_eq, 2, arg, in, DT_bool, t); /* of ints: true everywhere */
    DType bools[2] = {DT_bool, DT_bool};
    Val with[2] = {same, val_scalar(b, type_scalar(b->cx->types, DT_bool, false),
                                    ir_int(b->cx, DT_bool, yes))};
    return np_ufunc(b, OP_and, 2, with, bools, DT_bool, t);
}

/* The elements are unsigned, and of 64 bits where the int may be negative: that is below all. */
static Val
compare_unsigned(IrBuilder *b, IrOp op, Val a, const Val *x, const Type *t)
{
    const Type *u64 = type_scalar(b->cx->types, DT_u64, false),
               *boo = type_scalar(b->cx->types, DT_bool, false);
    DType in[2] = {DT_u64, DT_u64}, bools[2] = {DT_bool, DT_bool};
    IrExpr *e = val_freeze(b, val_expr(b, x, DT_i64));
    Val arg[2] = {a, val_scalar(b, u64, ir_cast(b->cx, DT_u64, np_cp(b, e)))};
    Val v = np_ufunc(b, op, 2, arg, in, DT_bool, t);
    if (is_big(x))
        return v;
    bool below = op == OP_ne || op == OP_gt || op == OP_ge;
    IrExpr *sign = np_op2(b, below ? OP_lt : OP_ge, e, np_int(b, 0));
    Val with[2] = {v, val_scalar(b, boo, sign)};
    return np_ufunc(b, below ? OP_or : OP_and, 2, with, bools, DT_bool, t);
}

static bool
compare_whole(IrBuilder *b, IrOp op, const Val *arg, const Type *t, Val *out)
{
    int k = arg[0].kind == VK_SCALAR ? 0 : 1; /* the int */
    const Val *x = &arg[k], *a = &arg[1 - k];
    DType d = val_dtype(a);
    int64_t c;
    if (x->kind != VK_SCALAR || !x->type->weak || val_dtype(x) != DT_i64 || !val_is_arraylike(a) ||
        !(dtype_is_int(d) || d == DT_bool))
        return false;
    bool unsigned_ = dtype_kind(d) == DK_UINT, known = ir_is_const(x->e, &c) && c >= 0;
    if (!is_big(x) && (d != DT_u64 || known))
        return false;
    op = k ? op : op_mirrored(op);
    *out = unsigned_ ? compare_unsigned(b, op, *a, x, t) : compare_beyond(b, op, *a, t);
    return true;
}

Val
emit_np_ufunc(IrBuilder *b, NpCall *c)
{
    int n = c->fn->nin, op[2] = {c->fn->op, c->fn->op2};
    Val *arg = NEW_N(&b->cx->arena, Val, n);
    bool exact = rule_compares(c->fn->rule) || c->fn->rule == UR_LOGICAL, all_weak = true;
    for (int i = 0; i < n; i++) {
        arg[i] = np_as_array(b, c->arg[i]);
        all_weak &= arg[i].type && arg[i].type->kind == TY_SCALAR && arg[i].type->weak;
    }
    /* For a loop that may be narrower than Python's numbers. The only operand of one is an int64 to
     * NumPy, which wraps. */
    bool asked = n > 1 && np_arg(c, "dtype");
    for (int i = 0; i < n && !exact && (asked || !all_weak); i++)
        arg[i] = np_weak_fits(b, arg[i], c->in[i]);
    if (c->fn->nout < 2) {
        const Type *t = c->n > n && c->arg[n].type ? NULL : c->result;
        Val v;
        if (!rule_compares(c->fn->rule) || !compare_whole(b, (IrOp)op[0], arg, t, &v))
            v = np_lazy_of(b, c, op[0], n, arg, c->in, c->out[0], t);
        return np_finish(b, c, v);
    }
    for (int i = 0; i < n; i++)
        if (arg[i].kind == VK_LAZY)
            arg[i] = np_materialize(b, arg[i], LAY_C);
    Val r[2];
    int n_out = 0;
    for (int k = 0; k < 2; k++)
        if (out_of(c, k))
            b->into[n_out++] = out_of(c, k)->arr;
    for (int k = 0; k < 2; k++)
        r[k] = np_ufunc(b, (IrOp)op[k], n, arg, c->in, c->out[k],
                        out_of(c, k) ? NULL : c->result->elems[k]);
    const Val *out[2] = {out_of(c, 0), out_of(c, 1)};
    bool any = out[0] || out[1];
    np_check_outputs(b, 2, out, r);
    b->into[0] = b->into[1] = NULL;
    for (int k = 0; k < 2 && any; k++)
        r[k] = np_materialize(b, r[k], LAY_C); /* an operand may be what the other writes */
    for (int k = 0; k < 2 && any; k++) {
        Val to = out[k] ? *out[k] : new_beside(b, out[1 - k], c->out[k]);
        np_assign_out(b, &to, r[k]);
        r[k] = to;
    }
    return val_tuple(b, c->result, 2, r);
}
