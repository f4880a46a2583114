/* SPDX-License-Identifier: BSD-3-Clause
 * Comparisons: of scalars, of tuples, and in chains. Takes two values and yields a bool expression.
 * The hard idea is that the common type of two operands can't always hold both: Python compares an
 * int with a float as the numbers that they are, and NumPy an int64 with a uint64. */
#include "lower/internal.h"
#include <math.h>

static IrExpr *
boolean(Lower *l, bool v)
{
    return ir_int(l->cx, DT_bool, v);
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
 * the two equal; then the int is compared with what it was rounded to, which loops over floats
 * have once. t < f, and t <= f, are told by one instruction. */
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
    bool strict = op == OP_lt || op == OP_gt, order = strict || op == OP_le || op == OP_ge;
    IrExpr *is = ir_op(cx, op, again(l, t), again(l, f));
    if (!order)
        return ir_op(cx, op == OP_eq ? OP_and : OP_or, is, close);
    IrOp twin = op == OP_lt ? OP_le : op == OP_le ? OP_lt : op == OP_gt ? OP_ge : OP_gt;
    IrExpr *other = ir_op(cx, twin, t, f);
    return strict ? ir_op(cx, OP_or, is, ir_op(cx, OP_and, close, other))
                  : ir_op(cx, OP_and, is, ir_op(cx, OP_or, close, other));
}

/* NumPy makes arrays of two numbers, one of them complex, where neither is of the dtype that holds
 * both, a Python complex stands beside a NumPy number that is real, or a bool of NumPy's is on the
 * left. */
static bool
compares_as_arrays(const Val *a, const Val *b, DType in)
{
    DType da = val_dtype(a), db = val_dtype(b);
    if (!a->type->weak && da == DT_bool)
        return true;
    if (a->type->weak || b->type->weak)
        return (a->type->weak && dtype_is_complex(da) && !dtype_is_complex(db)) ||
               (b->type->weak && dtype_is_complex(db) && !dtype_is_complex(da));
    return in != da && in != db;
}

/* Complex numbers: by the real parts, where they are equal by the imaginary ones. Of arrays, a NaN
 * in an imaginary part is less than nothing and greater than nothing. */
static IrExpr *
complex_order(Lower *l, IrOp op, IrExpr *a, IrExpr *b, bool arrays)
{
    Cx *cx = l->cx;
    a = val_freeze(&l->b, a);
    b = val_freeze(&l->b, b);
    IrOp strict = op == OP_lt || op == OP_le ? OP_lt : OP_gt;
    IrExpr *first = ir_op(cx, strict, ir_op(cx, OP_real, a), ir_op(cx, OP_real, b));
    for (int i = 0; arrays && i < 2; i++)
        first =
            ir_op(cx, OP_and, first,
                  ir_op(cx, OP_inv, ir_op(cx, OP_isnan, ir_op(cx, OP_imag, again(l, i ? b : a)))));
    IrExpr *same =
        ir_op(cx, OP_eq, ir_op(cx, OP_real, again(l, a)), ir_op(cx, OP_real, again(l, b)));
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

/* What NumPy compares two numbers in: a Python float takes the dtype of the NumPy float beside
 * it. */
IrExpr *
compare_scalars(Lower *l, IrOp op, const Val *a, const Val *b)
{
    DType da = val_dtype(a), db = val_dtype(b), in = dtype_promote(da, db);
    if (a->type->weak != b->type->weak && !(is_whole(da) && is_whole(db)))
        in = a->type->weak ? dtype_promote_weak(db, dtype_kind(da))
                           : dtype_promote_weak(da, dtype_kind(db));
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
            return signed_compare(l, op_mirrored(op), b, val_expr(&l->b, a, DT_u64));
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
        IrOp how = im ? OP_eq : i == a ? op : op_mirrored(op);
        IrExpr *e = int_compare(l, how, val_expr(&l->b, i, DT_i64), re);
        e = im ? ir_op(cx, OP_and, e, im) : e;
        return im && op == OP_ne ? ir_op(cx, OP_inv, e) : e;
    }
    IrExpr *x = val_expr(&l->b, a, in), *y = val_expr(&l->b, b, in);
    bool order = op != OP_eq && op != OP_ne;
    if (!order || !dtype_is_complex(in))
        return ir_op(cx, op, x, y);
    return complex_order(l, op, x, y, compares_as_arrays(a, b, in));
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
    return val_scalar(&l->b, type_scalar(l->cx->types, val_dtype(v), false),
                      np_elem(&l->b, v, NULL));
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static IrOp
cmp_op(int op)
{
    static const IrOp map[] = {[C_EQ] = OP_eq, [C_NE] = OP_ne, [C_LT] = OP_lt,
                               [C_LE] = OP_le, [C_GT] = OP_gt, [C_GE] = OP_ge};
    return op <= C_GE ? map[op] : OP_eq;
}

static IrExpr *equal_vals(Lower *l, const Val *a, const Val *b);

static IrExpr *
equal_optionals(Lower *l, const Val *a, const Val *b)
{
    const Val *x = type_is_optional(a->type) ? &a->elem[1] : a,
              *y = type_is_optional(b->type) ? &b->elem[1] : b;
    bool none = val_is_none(a) || val_is_none(b);
    return equal_tags(l, a, b, none ? NULL : equal_vals(l, x, y));
}

/* Two functions, or one of several: are they at the same place? */
static IrExpr *
equal_functions(Lower *l, const Val *a, const Val *b)
{
    if (a->type->kind != TY_CHOICE && b->type->kind != TY_CHOICE)
        return boolean(l, type_same_function(a->type, b->type));
    const Type *both = type_join(l->cx->types, a->type, b->type);
    IrExpr *any = boolean(l, false);
    if (!both)
        return any;
    Val x = val_convert(&l->b, *a, both), y = val_convert(&l->b, *b, both);
    for (int i = 0; i < x.n; i++)
        any = ir_op(l->cx, OP_or, any,
                    ir_op(l->cx, OP_and, val_expr(&l->b, &x.elem[i].elem[0], DT_bool),
                          val_expr(&l->b, &y.elem[i].elem[0], DT_bool)));
    return any;
}

/* What is there of one type or another is equal to the other value. */
static IrExpr *
equal_either(Lower *l, const Val *a, const Val *b)
{
    IrExpr *any = boolean(l, false);
    for (int i = 0; i < a->n; i++)
        any = ir_op(l->cx, OP_or, any,
                    ir_op(l->cx, OP_and, val_expr(&l->b, &a->elem[i].elem[0], DT_bool),
                          equal_vals(l, &a->elem[i].elem[1], b)));
    return any;
}

static IrExpr *
equal_vals(Lower *l, const Val *a, const Val *b)
{
    if (type_is_optional(a->type) || type_is_optional(b->type))
        return equal_optionals(l, a, b);
    if (a->type && a->type->kind == TY_EITHER)
        return equal_either(l, a, b);
    if (b->type && b->type->kind == TY_EITHER)
        return equal_either(l, b, a);
    if (a->type && b->type && type_is_function(a->type) && type_is_function(b->type))
        return equal_functions(l, a, b);
    if (text_is(a) && text_is(b))
        return text_equal(l, a, b);
    if (text_is(a) || text_is(b))
        return boolean(l, false);
    if (a->kind == VK_TUPLE && b->kind == VK_TUPLE) {
        IrExpr *all = boolean(l, a->n == b->n);
        for (int i = 0; i < a->n && a->n == b->n; i++)
            all = ir_op(l->cx, OP_and, all, equal_vals(l, &a->elem[i], &b->elem[i]));
        return all;
    }
    if (val_is_arraylike(a) || val_is_arraylike(b)) {
        Val x = compared(l, a), y = compared(l, b);
        return x.kind == VK_NONE || y.kind == VK_NONE ? boolean(l, false) : equal_vals(l, &x, &y);
    }
    if (a->kind == VK_SCALAR && b->kind == VK_SCALAR)
        return compare_scalars(l, OP_eq, a, b);
    if (a->cst && b->cst)
        return boolean(l, const_equal(a->cst, b->cst));
    /* of one type, which tells what they are */
    TypeKind k = a->type ? a->type->kind : TY_UNKNOWN;
    bool tells = k == TY_NONE || k == TY_DTYPE || k == TY_BUILTIN || k == TY_MODULE;
    return boolean(l, tells && a->type == b->type);
}

/* Lexicographic: (a0 < b0) or (a0 == b0 and rest) */
static IrExpr *
compare_tuples(Lower *l, int op, const Val *a, const Val *b, int from)
{
    if (op != C_EQ && op != C_NE && text_is(a))
        return text_order(l, cmp_op(op), a, b);
    if (op == C_EQ || op == C_NE) {
        IrExpr *e = equal_vals(l, a, b);
        return op == C_EQ ? e : ir_op(l->cx, OP_inv, e);
    }
    if (from == a->n || from == b->n) {
        int d = a->n - b->n;
        return boolean(l, op == C_LT ? d < 0 : op == C_LE ? d <= 0 : op == C_GT ? d > 0 : d >= 0);
    }
    Val left = compared(l, &a->elem[from]), right = compared(l, &b->elem[from]), *x = &left,
        *y = &right;
    bool less = op == C_LT || op == C_LE;
    IrExpr *first = text_is(x)            ? text_order(l, less ? OP_lt : OP_gt, x, y)
                    : x->kind == VK_TUPLE ? compare_tuples(l, less ? C_LT : C_GT, x, y, 0)
                                          : compare_scalars(l, less ? OP_lt : OP_gt, x, y);
    IrExpr *same = equal_vals(l, x, y);
    IrExpr *rest = compare_tuples(l, op, a, b, from + 1);
    return ir_op(l->cx, OP_or, first, ir_op(l->cx, OP_and, same, rest));
}

static IrExpr *
contains(Lower *l, const Val *item, const Val *in)
{
    IrExpr *any = text_among(l, item, in);
    if (any)
        return any;
    any = boolean(l, false);
    for (int i = 0; i < in->n; i++)
        any = ir_op(l->cx, OP_or, any, equal_vals(l, item, &in->elem[i]));
    return any;
}

/* i in range(start, stop, step): between the ends, and a whole number of steps from the start */
static IrExpr *
range_contains(Lower *l, const Val *item, const Val *r)
{
    Cx *cx = l->cx;
    if (item->cst && item->cst->kind == CV_INT && item->cst->too_big)
        return boolean(l, false);
    IrExpr *i = val_freeze(&l->b, val_expr(&l->b, item, DT_i64));
    IrExpr *e[3], *zero = ir_int(cx, DT_i64, 0);
    for (int k = 0; k < 3; k++)
        e[k] = val_freeze(&l->b, val_expr(&l->b, &r->elem[k], DT_i64));
    IrExpr *up = ir_op(cx, OP_and, ir_op(cx, OP_le, ir_copy_expr(cx, e[0]), ir_copy_expr(cx, i)),
                       ir_op(cx, OP_lt, ir_copy_expr(cx, i), ir_copy_expr(cx, e[1])));
    IrExpr *down = ir_op(cx, OP_and, ir_op(cx, OP_ge, ir_copy_expr(cx, e[0]), ir_copy_expr(cx, i)),
                         ir_op(cx, OP_gt, ir_copy_expr(cx, i), ir_copy_expr(cx, e[1])));
    IrExpr *in = ir_op(cx, OP_select, ir_op(cx, OP_gt, ir_copy_expr(cx, e[2]), zero), up, down);
    IrExpr *off =
        ir_op(cx, OP_select, ir_op(cx, OP_gt, ir_copy_expr(cx, e[2]), ir_copy_expr(cx, zero)),
              ir_op(cx, OP_sub, ir_copy_expr(cx, i), ir_copy_expr(cx, e[0])),
              ir_op(cx, OP_sub, ir_copy_expr(cx, e[0]), ir_copy_expr(cx, i)));
    /* unsigned: it may be beyond int64 */
    IrExpr *by = ir_cast(cx, DT_u64, ir_op(cx, OP_abs, e[2]));
    IrExpr *whole =
        ir_op(cx, OP_eq, ir_op(cx, OP_mod, ir_cast(cx, DT_u64, off), by), ir_int(cx, DT_u64, 0));
    in = ir_op(cx, OP_and, in, whole);
    if (dtype_of(item) != DT_u64)
        return in;
    /* from 2**63 up it has become a negative number, and no range goes there */
    return ir_op(cx, OP_and, in, ir_op(cx, OP_ge, again(l, i), ir_copy_expr(cx, zero)));
}

typedef struct Find {
    const Val *arr;
    IrExpr *item;
    IrVar *found;
    DType d;
} Find;

static void
find_elem(IrBuilder *b, IrExpr **idx, void *arg)
{
    Find *f = arg;
    Val v = *f->arr;
    IrExpr *e = ir_cast(b->cx, f->d, np_elem(b, &v, idx));
    IrExpr *same = ir_op(b->cx, OP_eq, e, ir_copy_expr(b->cx, f->item));
    ir_set(b, f->found, ir_op(b->cx, OP_or, ir_use(b->cx, f->found), same));
}

static IrExpr *
array_contains(Lower *l, const Val *item, const Val *arr)
{
    DType of = val_dtype(arr), d = val_dtype(item);
    bool weak = item->type && item->type->weak && !dtype_is_int(of);
    Find f = {.arr = arr, .d = dtype_promote_mixed(2, (DType[]){of, d}, (bool[]){false, weak})};
    bool big = item->cst && item->cst->kind == CV_INT &&
               (item->cst->dtype == DT_u64 || item->cst->too_big);
    bool far = big && (dtype_kind(of) == DK_INT || of == DT_bool ||
                       (item->cst->too_big && dtype_is_int(of)));
    IrExpr *can = NULL; /* else a sign says that no element is equal */
    if (far)
        return boolean(l, false);
    if (f.d == DT_f64 && dtype_is_int(d) && dtype_is_int(of)) { /* an int64 and a uint64 */
        f.d = DT_i64;
        f.item = val_freeze(&l->b, val_expr(&l->b, item, DT_i64));
        can = ir_op(l->cx, OP_ge, ir_copy_expr(l->cx, f.item), ir_int(l->cx, DT_i64, 0));
    }
    if (big && dtype_kind(of) == DK_UINT) {
        f.d = DT_u64;
        can = NULL;
    }
    bool real = big && !dtype_is_int(of);
    f.item =
        real ? ir_float(l->cx, f.d, item->cst->re) : val_freeze(&l->b, val_expr(&l->b, item, f.d));
    f.found = ir_temp(&l->b, boolean(l, false));
    np_foreach(&l->b, arr, LOOP_REDUCE, find_elem, &f);
    IrExpr *found = ir_use(l->cx, f.found);
    return can ? ir_op(l->cx, OP_and, found, can) : found;
}

static Val
compare_one(Lower *l, int op, const Call *c, const Val *left, const Val *right, const Type *t,
            const Node *at)
{
    Val of[2] = {*left, *right}, *a = &of[0], *b = &of[1];
    if (op == C_IN || op == C_NOTIN)
        need_container(l, b);
    else if (op != C_EQ && op != C_NE && op != C_IS && op != C_ISNOT)
        need_order(l, op, a, b);
    if (c && (val_is_arraylike(a) || val_is_arraylike(b) || c->time.op)) {
        Val *args = NEW_N(&l->cx->arena, Val, 4);
        args[0] = *a;
        args[1] = *b;
        return np_operator(l, at, c, args, 2, t);
    }
    const Type *boo = t && t->kind == TY_SCALAR ? t : type_scalar(l->cx->types, DT_bool, true);
    IrExpr *e;
    if (op != C_IN && op != C_NOTIN && object_compares(l, op, a, b, &e))
        return val_scalar(&l->b, boo, e);
    if (op == C_IN || op == C_NOTIN)
        e = text_is(b)                  ? text_contains(l, a, b)
            : b->type->kind == TY_RANGE ? range_contains(l, a, b)
            : b->kind == VK_TUPLE       ? contains(l, a, b)
                                        : array_contains(l, a, b);
    else if (op == C_IS || op == C_ISNOT)
        e = equal_vals(l, a, b);
    else if (a->kind == VK_TUPLE || b->kind == VK_TUPLE || a->kind != VK_SCALAR ||
             b->kind != VK_SCALAR)
        e = compare_tuples(l, op, a, b, 0);
    else
        e = c ? exact_compare(l, cmp_op(op), a, b, c->in[0]) : compare_scalars(l, cmp_op(op), a, b);
    if (op == C_ISNOT || op == C_NOTIN)
        e = ir_op(l->cx, OP_inv, e);
    return val_scalar(&l->b, boo, e);
}

/* a < b < c: b is evaluated once, and c only when a < b. */
Val
comparison(Lower *l, const Node *n, const Type *t)
{
    const Info *info = sema_info(l->in, n);
    if (info->call && info->call->kind == CALL_BUILTIN && info->call->fn->id == BI_py_isinstance)
        return emit_py_isinstance(l, n, info->call, t); /* type(x) is C */
    Val left = expr(l, n->kid[0]);
    if (impure(l, n->kid[1]))
        left = pin(l, left);
    Val right = expr(l, n->kid[1]);
    if (n->n == 2)
        return compare_one(l, n->ops[0], info->calls ? info->calls[0] : NULL, &left, &right, t, n);
    IrBlock *save = l->b.at;
    IrVar *acc = NULL;
    for (int i = 1; i < n->n; i++) {
        if (i > 1)
            right = expr(l, n->kid[i]);
        right = pin(l, right);
        Val one = compare_one(l, n->ops[i - 1], info->calls ? info->calls[i - 1] : NULL, &left,
                              &right, NULL, n);
        if (!acc)
            acc = ir_temp(&l->b, val_truth(&l->b, &one));
        else
            ir_set(&l->b, acc, val_truth(&l->b, &one));
        if (i + 1 < n->n)
            l->b.at = &ir_if(&l->b, ir_use(l->cx, acc))->body;
        left = right;
    }
    l->b.at = save;
    return val_scalar(&l->b, t, ir_use(l->cx, acc));
}
