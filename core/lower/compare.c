/* SPDX-License-Identifier: BSD-3-Clause
 * Comparisons of scalars. Takes two values and yields a bool expression. The hard idea is that
 * the common type of two operands can't always hold both: Python compares an int with a float as
 * the numbers that they are, and NumPy an int64 with a uint64. */
#include "lower/internal.h"
#include <math.h>

static IrOp
mirrored(IrOp op)
{
    switch (op) {
    case OP_lt: return OP_gt;
    case OP_le: return OP_ge;
    case OP_gt: return OP_lt;
    case OP_ge: return OP_le;
    default: return op;
    }
}

/* A signed number with an unsigned one: what is negative is below all of these. */
static IrExpr *
signed_compare(Lower *l, IrOp op, const Val *s, IrExpr *u)
{
    Cx *cx = l->cx;
    IrExpr *i = val_freeze(&l->b, val_expr(&l->b, s, DT_i64));
    IrExpr *negative = ir_op(cx, OP_lt, again(l, i), ir_int(cx, DT_i64, 0));
    bool below = op == OP_ne || op == OP_lt || op == OP_le;
    return ir_op(cx, OP_select, negative, ir_int(cx, DT_bool, below),
                 ir_op(cx, op, ir_cast(cx, DT_u64, i), u));
}

/* Python's int with its float. Rounding the int to a float keeps the order, but that it may make
 * the two equal; then the int is compared with what it was rounded to. */
static IrExpr *
int_compare(Lower *l, IrOp op, IrExpr *i, IrExpr *f)
{
    Cx *cx = l->cx;
    i = val_freeze(&l->b, i);
    f = val_freeze(&l->b, f);
    IrExpr *t = val_freeze(&l->b, ir_cast(cx, DT_f64, again(l, i)));
    IrExpr *top = ir_op(cx, OP_ge, again(l, t), ir_float(cx, DT_f64, 0x1p63));
    bool below = op == OP_ne || op == OP_lt || op == OP_le;
    IrExpr *close = ir_op(cx, op, i, ir_cast(cx, DT_i64, again(l, t)));
    close = ir_op(cx, OP_select, top, ir_int(cx, DT_bool, below), close);
    return ir_op(cx, OP_select, ir_op(cx, OP_eq, again(l, t), again(l, f)), close,
                 ir_op(cx, op, t, f));
}

/* NumPy's complex scalars: by the real parts, where they are equal by the imaginary ones. Those
 * of arrays compare so, too, but for a NaN in an imaginary part. */
static IrExpr *
complex_order(Lower *l, IrOp op, IrExpr *a, IrExpr *b)
{
    Cx *cx = l->cx;
    a = val_freeze(&l->b, a);
    b = val_freeze(&l->b, b);
    IrOp strict = op == OP_lt || op == OP_le ? OP_lt : OP_gt;
    IrExpr *first = ir_op(cx, strict, ir_op(cx, OP_real, a), ir_op(cx, OP_real, b));
    IrExpr *same = ir_op(cx, OP_eq, ir_op(cx, OP_real, again(l, a)), ir_op(cx, OP_real, again(l, b)));
    IrExpr *then = ir_op(cx, op, ir_op(cx, OP_imag, again(l, a)), ir_op(cx, OP_imag, again(l, b)));
    return ir_op(cx, OP_or, first, ir_op(cx, OP_and, same, then));
}

static bool
is_whole(DType d)
{
    return dtype_is_int(d) || d == DT_bool;
}

/* A constant from 2**63 up is an int64 that wraps, by its type. */
static DType
dtype_of(const Val *v)
{
    bool big = v->cst && v->cst->kind == CV_INT && v->cst->dtype == DT_u64;
    return big ? DT_u64 : val_dtype(v);
}

/* A known int that is a float, too, or a known float that no int is rounded to. */
static bool
rounds_to_itself(const IrExpr *i, const IrExpr *f)
{
    int64_t k;
    if (ir_is_const(i, &k) && k >= -(1LL << 53) && k <= 1LL << 53)
        return true;
    return f->kind == IX_CONST && !(isfinite(f->re) && fabs(f->re) >= 0x1p53);
}

static bool
is_weak_int(const Val *v)
{
    return v->type->weak && val_dtype(v) == DT_i64;
}

/* The int of a Python int and a Python float or complex; else NULL. */
static const Val *
int_beside_float(const Val *a, const Val *b)
{
    if (!a->type->weak || !b->type->weak)
        return NULL;
    if (is_weak_int(a) && !is_whole(val_dtype(b)))
        return a;
    return is_weak_int(b) && !is_whole(val_dtype(a)) ? b : NULL;
}

/* What NumPy compares two numbers in: a Python float takes the dtype of the NumPy float beside it. */
IrExpr *
compare_scalars(Lower *l, IrOp op, const Val *a, const Val *b)
{
    DType da = val_dtype(a), db = val_dtype(b), in = dtype_promote(da, db);
    if (a->type->weak != b->type->weak && !(is_whole(da) && is_whole(db)))
        in = a->type->weak ? dtype_promote_weak(db, dtype_kind(da)) : dtype_promote_weak(da, dtype_kind(db));
    return exact_compare(l, op, a, b, in);
}

IrExpr *
exact_compare(Lower *l, IrOp op, const Val *a, const Val *b, DType in)
{
    Cx *cx = l->cx;
    DType da = dtype_of(a), db = dtype_of(b);
    if (is_whole(da) && is_whole(db) && (da == DT_u64 || db == DT_u64)) {
        if (dtype_kind(da) == DK_INT)
            return signed_compare(l, op, a, val_expr(&l->b, b, DT_u64));
        if (dtype_kind(db) == DK_INT)
            return signed_compare(l, mirrored(op), b, val_expr(&l->b, a, DT_u64));
        in = DT_u64;
    }
    const Val *i = int_beside_float(a, b), *f = i == a ? b : a;
    if (i && !rounds_to_itself(i->e, f->e)) {
        IrExpr *x = val_expr(&l->b, f, val_dtype(f)), *re = x, *im = NULL;
        if (dtype_is_complex(x->dtype)) {
            x = val_freeze(&l->b, x);
            re = ir_op(cx, OP_real, x);
            im = ir_op(cx, OP_eq, ir_op(cx, OP_imag, again(l, x)), ir_float(cx, DT_f64, 0));
        }
        IrOp how = im ? OP_eq : i == a ? op : mirrored(op);
        IrExpr *e = int_compare(l, how, val_expr(&l->b, i, DT_i64), re);
        e = im ? ir_op(cx, OP_and, e, im) : e;
        return im && op == OP_ne ? ir_op(cx, OP_inv, e) : e;
    }
    IrExpr *x = val_expr(&l->b, a, in), *y = val_expr(&l->b, b, in);
    bool order = op != OP_eq && op != OP_ne;
    return order && dtype_is_complex(in) ? complex_order(l, op, x, y) : ir_op(cx, op, x, y);
}

/* An array without axes, in a tuple, compares as its element does; one with axes has no truth. */
Val
compared(Lower *l, const Val *v)
{
    if (!val_is_arraylike(v))
        return *v;
    if (val_ndim(v)) {
        diag_add(&l->cx->diags, DIAG_unsupported, l->b.span, "comparing arrays that are in tuples");
        return val_none(&l->b);
    }
    return val_scalar(&l->b, type_scalar(l->cx->types, val_dtype(v), false), np_elem(&l->b, v, NULL));
}
