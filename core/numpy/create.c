/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays from nothing, from ranges, and from displays. zeros and full allocate; arange,
 * linspace and eye are lazy, so that `np.arange(n) * 2.0` makes one array. */
#include "numpy/internal.h"
#include <math.h>

/* ---- shapes ---------------------------------------------------------------------------------- */

int
np_take_shape(IrBuilder *b, const Val *shape, IrExpr **dims)
{
    if (!shape)
        return 0;
    if (shape->kind != VK_TUPLE) {
        dims[0] = val_int(b, shape, "ValueError", VAL_TOO_LARGE_DIM);
        return 1;
    }
    int n = shape->n < SW_MAX_NDIM ? shape->n : SW_MAX_NDIM;
    for (int i = 0; i < n; i++)
        dims[i] = val_int(b, &shape->elem[i], "ValueError", VAL_TOO_LARGE_DIM);
    return n;
}

Val
np_fill_new(IrBuilder *b, DType d, int ndim, IrExpr **dims, Layout order, const Val *x)
{
    Val v = x ? *x : val_none(b);
    IrExpr *e = NULL;
    if (x && val_ndim(x) == 0 && x->kind != VK_TUPLE)
        e = val_freeze(b, val_expr(b, x, d));
    bool zero = e && e->kind == IX_CONST && e->i == 0 && e->im == 0 &&
                (dtype_is_float(d) || dtype_is_complex(d) ? e->re == 0 : true);
    Val a = np_new_array(b, d, ndim, dims, order, zero);
    if (x && !zero)
        np_assign(b, &a, e ? val_scalar(b, type_scalar(b->cx->types, d, false), e) : v);
    return a;
}

static Val
number(IrBuilder *b, DType d, double x)
{
    return val_scalar(b, type_scalar(b->cx->types, d, false), np_num(b, d, x));
}

/* With what the row says (0, 1, or -1: nothing), or with fill_value. */
static Val
new_filled(IrBuilder *b, const NpCall *c, int n, IrExpr **dims)
{
    DType d = (DType)c->result->storage;
    Layout l = (Layout)c->result->layout;
    Val *given = np_arg(c, "fill_value");
    if (!given) {
        Val k = number(b, d, c->fn->op);
        return np_fill_new(b, d, n, dims, l, c->fn->op < 0 ? NULL : &k);
    }
    Val fill = *given;
    if (fill.type->weak && !dtype_is_float(val_dtype(&fill)))
        fill = np_check_fits(b, fill, d);
    return np_fill_new(b, d, n, dims, l, &fill);
}

/* np.zeros, np.ones, np.empty, np.full */
Val
emit_np_filled(IrBuilder *b, NpCall *c)
{
    IrExpr *dims[SW_MAX_NDIM];
    return new_filled(b, c, np_take_shape(b, np_arg(c, "shape"), dims), dims);
}

/* np.zeros_like and its siblings */
Val
emit_np_filled_like(IrBuilder *b, NpCall *c)
{
    IrExpr *dims[SW_MAX_NDIM];
    Val a = c->arg[0];
    int n = val_ndim(&a);
    if (np_arg(c, "shape"))
        return emit_np_filled(b, c);
    if (a.kind == VK_TUPLE) {
        a = np_as_array(b, a);
        n = val_ndim(&a);
    }
    for (int i = 0; i < n; i++)
        dims[i] = val_dim(b, &a, i);
    return new_filled(b, c, n, dims);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

typedef struct Range {
    bool signs;                  /* arange: the first is start, also where that is -0.0 */
    IrExpr *start, *step, *stop; /* of the dtype in which elements are computed */
    IrExpr *last;                /* linspace: index of the element that is exactly stop */
    IrExpr *div, *gap;           /* linspace: number of steps, distance from start to stop */
    IrExpr *tiny;                /* linspace: whether gap / div has underflowed to zero */
    DType d;
} Range;

/* i / div of the way, times the whole of it. */
static IrExpr *
range_part(IrBuilder *b, const Range *r, IrExpr *i)
{
    return np_op2(b, OP_mul, np_op2(b, OP_div, i, np_cp(b, r->div)), np_cp(b, r->gap));
}

static IrExpr *
range_elem(IrBuilder *b, Lazy *l, IrExpr **idx)
{
    Range *r = l->data;
    IrExpr *i = ir_cast(b->cx, r->d, np_cp(b, idx[0]));
    IrExpr *e = np_op2(b, OP_mul, i, np_cp(b, r->step));
    if (r->tiny)
        e = np_op3(b, OP_select, np_cp(b, r->tiny), range_part(b, r, np_cp(b, i)), e);
    e = np_op2(b, OP_add, e, np_cp(b, r->start));
    if (r->signs)
        e = np_op3(b, OP_select, np_op2(b, OP_eq, np_cp(b, idx[0]), np_int(b, 0)),
                   np_cp(b, r->start), e);
    if (r->last)
        e = np_op3(b, OP_select, np_op2(b, OP_eq, np_cp(b, idx[0]), np_cp(b, r->last)),
                   np_cp(b, r->stop), e);
    if (dtype_is_int(l->dtype) && r->stop) /* not for bool, which is a cast alone */
        e = np_op1(b, OP_floor, e);
    return ir_cast(b->cx, l->dtype, e);
}

static Val
range_val(IrBuilder *b, const Type *t, Range *r, IrExpr *n)
{
    Val v = np_lazy_new(b, t);
    v.lazy->dim[0] = val_freeze(b, n);
    v.lazy->elem = range_elem;
    v.lazy->data = arena_dup(&b->cx->arena, r, sizeof *r);
    return v;
}

static const char too_large[] = "Maximum allowed size exceeded";

static IrExpr *
length_part(IrBuilder *b, IrExpr *e)
{
    IrExpr *n = val_freeze(b, np_op1(b, OP_ceil, e));
    np_check(b, np_op2(b, OP_eq, np_cp(b, n), np_cp(b, n)), "ValueError",
             "arange: cannot compute length");
    np_check(b, np_op2(b, OP_lt, np_op1(b, OP_abs, np_cp(b, n)), np_num(b, DT_f64, 9.2e18)),
             "ValueError", too_large);
    return np_op2(b, OP_fmax, n, np_num(b, DT_f64, 0));
}

/* What Python's or NumPy's numbers x and y make: Python's adapt to NumPy's. */
static DType
meets(const Val *x, const Val *y)
{
    DType d[2] = {val_dtype(x), val_dtype(y)};
    bool weak[2] = {x->type->weak, y->type->weak};
    return dtype_promote_mixed(2, d, weak);
}

static Val
meet(IrBuilder *b, IrOp op, const Val *x, const Val *y)
{
    DType d = meets(x, y);
    if (op == OP_div && dtype_kind(d) < DK_FLOAT)
        d = DT_f64;
    IrExpr *e = np_op2(b, op, val_expr(b, x, d), val_expr(b, y, d));
    Val v = val_scalar(b, type_scalar(b->cx->types, d, x->type->weak && y->type->weak), e);
    val_pin(b, &v);
    return v;
}

/* ceil((stop - start) / step), not below 0. NumPy takes what underflows for a step that goes beyond
 * stop; of complex128 numbers the shorter of both parts counts, of complex64 ones the real part. */
static IrExpr *
float_length(IrBuilder *b, const Val *start, const Val *stop, const Val *step)
{
    Val gap = meet(b, OP_sub, stop, start), n = meet(b, OP_div, &gap, step);
    DType g = val_dtype(&gap), d = val_dtype(&n);
    if (d == DT_c128) {
        IrExpr *re = length_part(b, np_op1(b, OP_real, val_expr(b, &n, d)));
        IrExpr *im = length_part(b, np_op1(b, OP_imag, val_expr(b, &n, d)));
        return ir_cast(b->cx, DT_i64, np_op2(b, OP_fmin, re, im));
    }
    IrExpr *zero = np_op2(b, OP_eq, val_expr(b, &n, d), np_num(b, d, 0));
    IrExpr *beyond = np_iand(b, zero, np_op2(b, OP_ne, val_expr(b, &gap, g), np_num(b, g, 0)));
    IrExpr *down = np_op1(b, OP_signbit, val_expr(b, &n, DT_f64));
    IrExpr *one = np_op3(b, OP_select, down, np_int(b, 0), np_int(b, 1));
    IrExpr *len = ir_cast(b->cx, DT_i64, length_part(b, val_expr(b, &n, DT_f64)));
    return np_op3(b, OP_select, beyond, one, len);
}

/* Python's numbers raise; a quotient of NumPy's is infinite, or NaN. */
static void
check_step(IrBuilder *b, const Val *start, const Val *stop, const Val *step, bool whole)
{
    DType d = val_dtype(step);
    IrExpr *some = np_op2(b, OP_ne, val_expr(b, step, d), np_num(b, d, 0));
    if (start->type->weak && stop->type->weak && step->type->weak) {
        np_check(b, some, "ZeroDivisionError",
                 whole                 ? "division by zero"
                 : dtype_is_complex(d) ? "complex division by zero"
                                       : "float division by zero");
    } else if (whole) {
        DType both = meets(start, stop);
        IrExpr *same = np_op2(b, OP_eq, val_expr(b, start, both), val_expr(b, stop, both));
        np_check(b, np_op2(b, OP_or, np_cp(b, some), same), "ValueError", too_large);
        np_check(b, some, "ValueError", "arange: cannot compute length");
    }
}

static bool
is_whole(const Val *v)
{
    DKind k = dtype_kind(val_dtype(v));
    return k == DK_INT || k == DK_UINT || k == DK_BOOL;
}

/* NumPy stores the first two elements as Python numbers, and fills up from them. */
static void
check_range_fits(IrBuilder *b, const Val *start, const Val *step, bool whole, DType d,
                 const IrExpr *len)
{
    DType from = whole ? DT_i64 : DT_f64;
    if (!dtype_is_int(d) || d == from || dtype_is_complex(val_dtype(start)) ||
        dtype_is_complex(val_dtype(step)))
        return;
    const Type *t = type_scalar(b->cx->types, from, true);
    for (int k = 0; k < 2; k++) {
        IrBlock *save = b->at;
        b->at = &ir_if(b, np_op2(b, OP_gt, np_cp(b, len), np_int(b, k)))->body;
        IrExpr *x = val_expr(b, start, from);
        np_check_fits(b, val_scalar(b, t, k ? np_op2(b, OP_add, x, val_expr(b, step, from)) : x),
                      d);
        b->at = save;
    }
}

static bool
is_nonzero_const(const IrExpr *e)
{
    return e->kind == IX_CONST && (e->re != 0 || !signbit(e->re)) && e->im == 0;
}

Val
emit_np_arange(IrBuilder *b, NpCall *c)
{
    int first = np_n_params(c->fn), n = c->n - first;
    const Type *wi = type_scalar(b->cx->types, DT_i64, true);
    Val start = val_scalar(b, wi, np_int(b, 0)), step = val_scalar(b, wi, np_int(b, 1));
    Val *a = c->arg + first, stop = a[0];
    if (n >= 2) {
        start = a[0];
        stop = a[1];
    }
    if (n >= 3)
        step = a[2];
    val_pin(b, &start);
    val_pin(b, &stop);
    val_pin(b, &step);
    bool whole = is_whole(&start) && is_whole(&stop) && is_whole(&step);
    DType d = (DType)c->result->storage;
    Range r = {.d = d};
    check_step(b, &start, &stop, &step, whole);
    IrExpr *len =
        whole ? np_range_length(b, val_int(b, &start, "ValueError", too_large),
                                val_int(b, &stop, "ValueError", too_large), val_clipped(b, &step))
              : float_length(b, &start, &stop, &step);
    if (d == DT_bool) {
        len = val_freeze(b, len);
        np_check(b, np_op2(b, OP_le, np_cp(b, len), np_int(b, 2)), "TypeError",
                 "arange() is only supported for booleans when the result has at most length 2.");
    }
    /* NumPy fills from the first two elements, so the step is their difference. */
    r.start = val_freeze(b, val_expr(b, &start, d));
    r.signs = dtype_kind(d) >= DK_FLOAT && !is_whole(&start) && !is_nonzero_const(r.start);
    r.step = val_expr(b, &step, d);
    if (!whole) {
        Val next = meet(b, OP_add, &start, &step);
        r.step = np_op2(b, OP_sub, val_expr(b, &next, d), np_cp(b, r.start));
    }
    len = val_freeze(b, len);
    if (!whole) /* the first alone: it may be infinite */
        r.step = np_op3(b, OP_select, np_op2(b, OP_gt, np_cp(b, len), np_int(b, 1)), r.step,
                        np_num(b, d, 0));
    r.step = val_freeze(b, r.step);
    check_range_fits(b, &start, &step, whole, d, len);
    return range_val(b, c->result, &r, len);
}

/* The dtype in which linspace computes: that of its bounds and a Python float. */
static DType
linspace_loop(const Val *start, const Val *stop)
{
    DType d[3] = {val_dtype(start), val_dtype(stop), DT_f64};
    bool weak[3] = {start->type->weak, stop->type->weak, true};
    return dtype_promote_mixed(3, d, weak);
}

/* Whether gap / div is zero though gap is not: a div is below 2**60. NULL: never. */
static IrExpr *
underflows(IrBuilder *b, DType d, IrExpr *gap, IrExpr *step)
{
    bool is_double = dtype_size(d) == (dtype_is_complex(d) ? 16 : 8);
    double least = is_double ? 0x1p-1000 : 0x1p-80;
    if (gap->kind == IX_CONST && (fabs(gap->re) > least || fabs(gap->im) > least))
        return NULL;
    IrExpr *moves = np_op2(b, OP_ne, np_cp(b, gap), np_num(b, d, 0));
    IrExpr *zero = np_op2(b, OP_eq, np_cp(b, step), np_num(b, d, 0));
    return val_freeze(b, np_op2(b, OP_and, zero, moves));
}

static Range
linspace_range(IrBuilder *b, const Val *start, const Val *stop, IrExpr *n, bool end)
{
    DType d = linspace_loop(start, stop);
    IrExpr *div = val_freeze(b, end ? np_op2(b, OP_sub, n, np_int(b, 1)) : n);
    IrExpr *some = val_freeze(b, np_op2(b, OP_gt, np_cp(b, div), np_int(b, 0)));
    Range r = {.d = d};
    r.start = val_freeze(b, val_expr(b, start, d));
    r.stop = val_freeze(b, val_expr(b, stop, d));
    r.gap = val_freeze(b, np_op2(b, OP_sub, np_cp(b, r.stop), np_cp(b, r.start)));
    r.div = val_freeze(b, ir_cast(b->cx, d, np_cp(b, div)));
    IrExpr *step = np_op2(b, OP_div, np_cp(b, r.gap), np_cp(b, r.div));
    r.step = val_freeze(b, np_op3(b, OP_select, np_cp(b, some), step, np_cp(b, r.gap)));
    r.tiny = underflows(b, d, r.gap, r.step);
    /* With one sample there is no end to hit. */
    r.last = end ? val_freeze(b, np_op3(b, OP_select, some, div, np_int(b, -1))) : np_int(b, -1);
    return r;
}

Val
emit_np_linspace(IrBuilder *b, NpCall *c)
{
    const Type *t = c->result->kind == TY_TUPLE ? c->result->elems[0] : c->result;
    Val *num = np_arg(c, "num");
    bool end = np_arg_bool(c, "endpoint", true);
    IrExpr *n =
        val_freeze(b, num ? val_int(b, num, "OverflowError", VAL_TOO_LARGE) : np_int(b, 50));
    np_checkf(b, np_op2(b, OP_ge, np_cp(b, n), np_int(b, 0)), "ValueError",
              "Number of samples, %0, must be non-negative.", 1, (IrExpr *[]){np_cp(b, n)});
    Range r = linspace_range(b, np_arg(c, "start"), np_arg(c, "stop"), np_cp(b, n), end);
    Val v = range_val(b, t, &r, n);
    if (c->result->kind != TY_TUPLE)
        return v;
    IrExpr *nan = np_op2(b, OP_div, np_num(b, r.d, 0.0), np_num(b, r.d, 0.0));
    IrExpr *some = np_op2(b, OP_gt, np_cp(b, n), np_int(b, end));
    IrExpr *out = np_op3(b, OP_select, some, np_cp(b, r.step), nan);
    Val pair[2] = {v, val_scalar(b, c->result->elems[1], out)};
    return val_tuple(b, c->result, 2, pair);
}

static IrExpr *
eye_elem(IrBuilder *b, Lazy *l, IrExpr **idx)
{
    IrExpr *k = np_op2(b, OP_sub, np_cp(b, idx[1]), np_cp(b, idx[0]));
    return np_op3(b, OP_select, np_op2(b, OP_eq, k, np_cp(b, l->data)), np_num(b, l->dtype, 1),
                  np_num(b, l->dtype, 0));
}

/* np.eye, np.identity */
Val
emit_np_eye(IrBuilder *b, NpCall *c)
{
    Val *n = &c->arg[0], *m = np_arg(c, "M"), *k = np_arg(c, "k");
    Val v = np_lazy_new(b, c->result);
    v.lazy->dim[0] = val_freeze(b, val_int(b, n, "ValueError", VAL_TOO_LARGE_DIM));
    v.lazy->dim[1] = m ? val_freeze(b, val_int(b, m, "ValueError", VAL_TOO_LARGE_DIM))
                       : np_cp(b, v.lazy->dim[0]);
    v.lazy->data = val_freeze(b, k ? val_expr(b, k, DT_i64) : np_int(b, 0));
    v.lazy->elem = eye_elem;
    /* A negative size is found by the allocation, also when nothing is stored. */
    return np_materialize(b, v, (Layout)c->result->layout);
}

/* ---- from displays --------------------------------------------------------------------------- */

static const Val *
first_leaf(const Val *v, int *depth, IrBuilder *b, IrExpr **dims)
{
    *depth = 0;
    while (v->kind == VK_TUPLE) {
        dims[(*depth)++] = np_int(b, v->n);
        if (!v->n)
            return NULL;
        v = &v->elem[0];
    }
    for (int i = 0; i < val_ndim(v) && *depth < SW_MAX_NDIM; i++)
        dims[(*depth)++] = val_dim(b, v, i);
    return v;
}

/* By the rule of np.array, as the types had it: Python's numbers count as int64, float64 and
 * complex128. */
static void
leaf_dtype(const Val *v, bool *any, DType *d)
{
    if (v->kind != VK_TUPLE) {
        *d = *any ? dtype_promote(*d, val_dtype(v)) : val_dtype(v);
        *any = true;
    }
    for (int i = 0; v->kind == VK_TUPLE && i < v->n; i++)
        leaf_dtype(&v->elem[i], any, d);
}

static void
check_same(IrBuilder *b, IrExpr *same)
{
    np_check(
        b, same, "ValueError",
        "setting an array element with a sequence. The requested array has an inhomogeneous shape");
}

/* An array among the elements has the shape of the others: what would broadcast is refused, too. */
static void
check_shape(IrBuilder *b, IrVar *a, const Val *v, int depth)
{
    IrExpr *same = NULL;
    for (int i = depth; i < a->ndim; i++)
        same = np_iand(b, same, np_op2(b, OP_eq, val_dim(b, v, i - depth), ir_dim(b->cx, a, i)));
    check_same(b, same);
}

/* typed: how many axes have sizes that tuples said, which the types agree on. Those that an array
 * has said, beside which v is a tuple, are known only when the program runs. */
static void
store_leaves(IrBuilder *b, IrVar *a, const Val *v, IrExpr **at, int depth, int typed)
{
    if (v->kind == VK_TUPLE && depth >= typed)
        check_same(b, np_op2(b, OP_eq, ir_dim(b->cx, a, depth), np_int(b, v->n)));
    for (int i = 0; v->kind == VK_TUPLE && i < v->n; i++) {
        at[depth] = np_int(b, i);
        store_leaves(b, a, &v->elem[i], at, depth + 1, typed);
    }
    if (v->kind == VK_TUPLE)
        return;
    if (depth == a->ndim) {
        IrExpr *copy[SW_MAX_NDIM];
        for (int i = 0; i < depth; i++)
            copy[i] = np_cp(b, at[i]);
        np_check_real(b, v, (DType)a->dtype);
        Val x = np_check_fits(b, *v, (DType)a->dtype);
        ir_store(b, a, depth, copy, val_expr(b, &x, a->dtype));
        return;
    }
    check_shape(b, a, v, depth);
    IrExpr *off = np_int(b, 0), *d[SW_MAX_NDIM], *s[SW_MAX_NDIM];
    for (int i = 0; i < depth; i++)
        off = np_op2(b, OP_add, off, np_op2(b, OP_mul, np_cp(b, at[i]), ir_stride(b->cx, a, i)));
    for (int i = depth; i < a->ndim; i++) {
        d[i - depth] = ir_dim(b->cx, a, i);
        s[i - depth] = ir_stride(b->cx, a, i);
    }
    Val whole = val_array(b, NULL, a, true);
    Val row = np_view_simple(b, &whole, off, a->ndim - depth, d, s,
                             np_array_type(b, a->dtype, a->ndim - depth, LAY_A));
    row.fresh = true;
    np_assign(b, &row, v->made_of ? np_check_fits(b, *v, a->dtype) : *v);
}

/* The constants that v is made of, `depth` displays deep, in C order: their number; -1: not all are
 * constants that need no check to be of dtype d. */
static int64_t
known_leaves(IrBuilder *b, const Val *v, int depth, DType d, IrExpr **out, int64_t n)
{
    if (depth) {
        for (int i = 0; v->kind == VK_TUPLE && i < v->n && n >= 0; i++)
            n = known_leaves(b, &v->elem[i], depth - 1, d, out, n);
        return v->kind == VK_TUPLE ? n : -1;
    }
    if (v->kind != VK_SCALAR || v->e->kind != IX_CONST)
        return -1;
    bool fits = v->type->storage == d || (d == DT_f64 && v->type->storage == DT_i64);
    IrExpr *e = fits ? ir_cast(b->cx, d, np_cp(b, v->e)) : NULL;
    if (!e || e->kind != IX_CONST)
        return -1;
    if (out)
        out[n] = e;
    return n + 1;
}

/* Of many, a copy of a constant of the module: did it? */
static bool
store_known(IrBuilder *b, const Val *a, const Val *v)
{
    enum { FEW = 64 };
    DType d = (DType)a->arr->dtype;
    int64_t n = known_leaves(b, v, a->arr->ndim, d, NULL, 0);
    if (n <= FEW || a->arr->layout != LAY_C)
        return false;
    IrExpr **e = NEW_N(&b->cx->arena, IrExpr *, n);
    known_leaves(b, v, a->arr->ndim, d, e, 0);
    IrExpr *dim[1] = {np_int(b, n)}, *stride[1] = {np_int(b, dtype_size(d))};
    Val all = np_view_simple(b, a, np_int(b, 0), 1, dim, stride, np_array_type(b, d, 1, LAY_C));
    all.fresh = true;
    np_store_into(b, val_known_numbers(b, d, n, e), &all);
    return true;
}

Val
np_from_tuple(IrBuilder *b, const Val *v, const Type *result)
{
    int depth;
    IrExpr *dims[SW_MAX_NDIM], *at[SW_MAX_NDIM];
    DType d = DT_f64; /* of nothing */
    bool any = false;
    const Val *first = first_leaf(v, &depth, b, dims);
    int typed = depth - (first ? val_ndim(first) : 0);
    if (result && result->kind == TY_ARRAY)
        d = (DType)result->storage;
    else
        leaf_dtype(v, &any, &d);
    Layout l = result && result->kind == TY_ARRAY ? (Layout)result->layout : LAY_C;
    Val a = np_new_array(b, d, depth, dims, l, false);
    if (!store_known(b, &a, v))
        store_leaves(b, a.arr, v, at, 0, typed);
    return a;
}

static Val
zero_d(IrBuilder *b, const Type *t, const Val *v)
{
    Val a = np_new_array(b, (DType)t->storage, 0, NULL, LAY_C, false);
    ir_store(b, a.arr, 0, NULL, val_expr(b, v, (DType)t->storage));
    return a;
}

static Val
copied(IrBuilder *b, Val a, const Type *t)
{
    bool same = a.fresh && a.arr->layout == t->layout && !a.arr->readonly;
    if (a.kind == VK_LAZY || same || (a.fresh && val_dtype(&a) != t->storage))
        return np_materialize(b, np_cast(b, a, (DType)t->storage, t), (Layout)t->layout);
    IrExpr *dims[SW_MAX_NDIM];
    for (int i = 0; i < val_ndim(&a); i++)
        dims[i] = val_dim(b, &a, i);
    Val to = np_new_array(b, (DType)t->storage, val_ndim(&a), dims, (Layout)t->layout, false);
    np_store_into(b, a, &to);
    return to;
}

/* a as layout l: itself when it is so at run time. */
static Val
as_layout(IrBuilder *b, Val a, const Type *t)
{
    if (a.kind == VK_SCALAR && t->ndim == 1) {
        IrExpr *one = np_int(b, 1);
        return np_fill_new(b, (DType)t->storage, 1, &one, LAY_C, &a);
    }
    if (val_dtype(&a) != t->storage || a.kind == VK_LAZY)
        return copied(b, a, t);
    if (t->layout == LAY_A || a.arr->layout == t->layout)
        return a;
    IrVar *v = np_temp_array(b, (DType)t->storage, t->ndim, (Layout)t->layout);
    v->readonly = a.arr->readonly;
    IrStmt *s = ir_if(b, np_is_contig(b, &a, t->layout == LAY_F));
    IrBlock *save = b->at;
    b->at = &s->body;
    ir_alias(b, v, a.arr);
    b->at = &s->els;
    ir_alias(b, v, copied(b, a, t).arr);
    b->at = save;
    return val_array(b, t, v, false);
}

static Val
from_object(IrBuilder *b, const NpCall *c, bool copy)
{
    Val a = c->arg[0];
    if (a.kind == VK_TUPLE)
        return np_from_tuple(b, &a, c->result);
    if (a.made_of || (a.kind == VK_SCALAR && a.type && a.type->weak))
        a = np_check_fits(b, a, (DType)c->result->storage);
    if (!val_is_arraylike(&a))
        return c->result->kind == TY_ARRAY && c->result->ndim == 0 ? zero_d(b, c->result, &a)
               : c->result->kind == TY_SCALAR
                   ? val_scalar(b, c->result, val_expr(b, &a, (DType)c->result->storage))
                   : as_layout(b, a, c->result);
    if (c->result->kind == TY_ARRAY && val_ndim(&a) < c->result->ndim) {
        IrExpr *dims[SW_MAX_NDIM];
        int nd = val_ndim(&a), off = c->result->ndim - nd;
        for (int i = 0; i < c->result->ndim; i++)
            dims[i] = i < off ? np_int(b, 1) : val_dim(b, &a, i - off);
        bool same = !copy && a.kind == VK_ARRAY && a.arr->dtype == c->result->storage;
        if (same && (c->result->readonly || !a.arr->readonly))
            return np_reshape(b, a, c->result->ndim, dims, c->result);
        return np_fill_new(b, (DType)c->result->storage, c->result->ndim, dims, LAY_C, &a);
    }
    return copy ? copied(b, a, c->result) : as_layout(b, a, c->result);
}

static const char no_copy[] =
    "Unable to avoid copy while creating an array as requested.\n"
    "If using `np.array(obj, copy=False)` replace it with `np.asarray(obj)` to allow a copy when "
    "needed (no behavior change "
    "in NumPy 1.x).\nFor more details, see "
    "https://numpy.org/devdocs/"
    "numpy_2_0_migration_guide.html#adapting-to-changes-in-the-copy-keyword.";

Val
emit_np_array(IrBuilder *b, NpCall *c)
{
    int k = row_param(c->fn, "copy");
    if (k < c->n && c->arg[k].type && c->arg[k].type->kind == TY_NONE) /* only where it has to be */
        return from_object(b, c, false);
    bool copy = np_arg_bool(c, "copy", true);
    Val *a = &c->arg[0];
    if (!copy && a->kind == VK_ARRAY && c->result->layout != LAY_A &&
        c->result->layout != a->arr->layout) {
        IrExpr *none = np_op2(b, OP_eq, np_size(b, a), np_int(b, 0)); /* in any order */
        IrExpr *same = np_is_contig(b, a, c->result->layout == LAY_F);
        np_check(b, np_op2(b, OP_or, none, same), "ValueError",
                 np_arg(c, "dtype") ? "Unable to avoid copy while creating a new array." : no_copy);
    }
    return from_object(b, c, copy);
}

Val
emit_np_copy(IrBuilder *b, NpCall *c)
{
    return from_object(b, c, true);
}

/* np.asarray, np.ascontiguousarray, np.asfortranarray */
Val
emit_np_asarray(IrBuilder *b, NpCall *c)
{
    return from_object(b, c, false);
}
