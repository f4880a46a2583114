/* SPDX-License-Identifier: BSD-3-Clause
 * Basic indexing: x[1, ::2, None, ...] as a scalar load, a store, or a view. An integer
 * index gets a check and OP_wrap, both of which the passes can prove away, so it is left
 * as the expression that the user wrote; the bounds of a slice are clipped as Python
 * clips them. */
#include "ir/search.h"
#include "numpy/internal.h"

typedef struct Pick { /* the view in the making */
    IrExpr *offset;
    IrExpr *dim[SW_MAX_NDIM], *stride[SW_MAX_NDIM];
    int n;
    bool whole; /* nothing but full slices so far */
} Pick;

/* ---- integers -------------------------------------------------------------------------------- */

/* The index of one element along an axis, checked and counted from the start. */
IrExpr *
np_index(IrBuilder *b, IrVar *arr, int axis, const Val *v)
{
    bool checked = !b->cx->opt || b->cx->opt->boundscheck;
    IrExpr *i = checked ? val_int(b, v, "OverflowError", VAL_TOO_LARGE) : val_expr(b, v, DT_i64);
    IrExpr *dim = ir_dim(b->cx, arr, axis);
    int64_t k;
    if (ir_loads(i))
        i = val_freeze(b, i);
    if (checked)
        ir_check_index(b, arr, axis, np_cp(b, i));
    if (ir_is_const(i, &k))
        return k >= 0 ? i : np_op2(b, OP_add, dim, i);
    if (dtype_kind(val_dtype(v)) == DK_UINT || dtype_kind(val_dtype(v)) == DK_BOOL)
        return i;
    return np_op2(b, OP_wrap, i, dim);
}

/* ---- slices ---------------------------------------------------------------------------------- */

static bool
given(const Val *v)
{
    return v->kind == VK_SCALAR;
}

/* min(max(x wrapped, lo), hi) as PySlice_AdjustIndices does. */
static IrExpr *
adjust(IrBuilder *b, const Val *v, IrExpr *n, IrExpr *lo, IrExpr *hi)
{
    IrExpr *x = val_clipped(b, v);
    int64_t k;
    if (ir_is_const(x, &k)) {
        if (k >= 0)
            return np_op2(b, OP_min, x, hi);
        return np_op2(b, OP_max, np_op2(b, OP_add, n, x), lo);
    }
    x = val_freeze(b, x);
    IrExpr *up = np_op3(b, OP_select, np_op2(b, OP_lt, np_cp(b, x), np_int(b, 0)),
                        np_op2(b, OP_add, np_cp(b, x), n), np_cp(b, x));
    return np_op2(b, OP_min, np_op2(b, OP_max, up, lo), hi);
}

typedef struct Span3 {
    IrExpr *start, *len, *step; /* step NULL: 1 */
} Span3;

/* The number of whole steps that begin in `len` elements, ceil(len / step), without a sum that
 * could wrap. */
static IrExpr *
steps(IrBuilder *b, IrExpr *len, IrExpr *step)
{
    int64_t k;
    if (ir_is_const(step, &k) && k == 1)
        return len;
    IrExpr *last = np_op2(b, OP_sub, len, np_int(b, 1));
    return np_op2(b, OP_add, np_op2(b, OP_floordiv, last, step), np_int(b, 1));
}

/* A bound that is known: c >= 0 elements from the start or from the end, at most all n. A slice is
 * what lies between two of them, whatever the sign of its step. */
typedef struct Bound {
    bool end;
    int64_t c;
} Bound;

/* up: before element v; down: behind it, so that v itself is inside. */
static bool
bound(IrBuilder *b, const Val *v, bool high, bool down, Bound *out)
{
    int64_t k;
    *out = (Bound){.end = high};
    if (!given(v))
        return true;
    if (!ir_is_const(val_clipped(b, v), &k))
        return false;
    if (k < 0)
        *out = (Bound){true, down ? -(k + 1) : k == INT64_MIN ? INT64_MAX : -k};
    else
        *out = (Bound){false, down && k < INT64_MAX ? k + 1 : k};
    return true;
}

/* max(n - c, 0) */
static IrExpr *
all_but(IrBuilder *b, IrExpr *n, int64_t c)
{
    IrExpr *less = np_op2(b, OP_sub, np_cp(b, n), np_int(b, c));
    return c ? np_op2(b, OP_max, less, np_int(b, 0)) : less;
}

/* How far it is from the start. */
static IrExpr *
position(IrBuilder *b, Bound x, IrExpr *n)
{
    if (x.end)
        return all_but(b, n, x.c);
    return x.c ? np_op2(b, OP_min, np_cp(b, n), np_int(b, x.c)) : np_int(b, 0);
}

/* One form for each length: equal ones have equal text. Two bounds from one side are a constant
 * apart. */
static IrExpr *
between(IrBuilder *b, Bound lo, Bound hi, IrExpr *n)
{
    if (!lo.end && hi.end)
        return all_but(b, n, hi.c > INT64_MAX - lo.c ? INT64_MAX : lo.c + hi.c);
    if (lo.end == hi.end) {
        int64_t gap = lo.end ? lo.c - hi.c : hi.c - lo.c;
        IrExpr *room = all_but(b, n, lo.end ? hi.c : lo.c);
        return gap <= 0 ? np_int(b, 0) : np_op2(b, OP_min, room, np_int(b, gap));
    }
    if (!lo.c || !hi.c)
        return np_int(b, 0);
    IrExpr *past = np_op2(b, OP_sub, np_int(b, lo.c), all_but(b, n, hi.c));
    return np_op2(b, OP_min, np_op2(b, OP_min, np_cp(b, n), np_int(b, hi.c)),
                  np_op2(b, OP_max, past, np_int(b, 0)));
}

static bool
slice_known(IrBuilder *b, const NpIndex *ix, IrExpr *n, int64_t step, Span3 *s)
{
    bool down = step < 0;
    Bound lo, hi;
    if (!bound(b, down ? &ix->stop : &ix->start, false, down, &lo) ||
        !bound(b, down ? &ix->start : &ix->stop, true, down, &hi))
        return false;
    IrExpr *len = between(b, lo, hi, n);
    *s = (Span3){.step = step == 1 ? NULL : np_int(b, step)};
    s->start = down ? np_op2(b, OP_sub, position(b, hi, n), np_int(b, 1)) : position(b, lo, n);
    s->start = val_freeze(b, s->start);
    s->len = steps(b, len, np_int(b, down ? -step : step));
    if (s->len->kind != IX_DIM)
        s->len = val_freeze(b, s->len);
    return true;
}

static Span3
slice_up(IrBuilder *b, const NpIndex *ix, IrExpr *n, int64_t step)
{
    Span3 s = {.start = np_int(b, 0), .step = step == 1 ? NULL : np_int(b, step)};
    IrExpr *stop = np_cp(b, n);
    if (given(&ix->start))
        s.start = val_freeze(b, adjust(b, &ix->start, np_cp(b, n), np_int(b, 0), np_cp(b, n)));
    if (given(&ix->stop))
        stop = adjust(b, &ix->stop, np_cp(b, n), np_int(b, 0), np_cp(b, n));
    IrExpr *len = np_op2(b, OP_sub, stop, np_cp(b, s.start));
    len = np_op2(b, OP_max, len, np_int(b, 0));
    s.len = val_freeze(b, steps(b, len, np_int(b, step)));
    return s;
}

static Span3
slice_down(IrBuilder *b, const NpIndex *ix, IrExpr *n, int64_t step)
{
    IrExpr *last = np_op2(b, OP_sub, np_cp(b, n), np_int(b, 1));
    Span3 s = {.step = np_int(b, step)};
    IrExpr *stop = np_int(b, -1);
    s.start = given(&ix->start) ? adjust(b, &ix->start, np_cp(b, n), np_int(b, -1), np_cp(b, last))
                                : np_cp(b, last);
    s.start = val_freeze(b, s.start);
    if (given(&ix->stop))
        stop = adjust(b, &ix->stop, np_cp(b, n), np_int(b, -1), np_cp(b, last));
    IrExpr *len = np_op2(b, OP_sub, np_cp(b, s.start), stop);
    len = np_op2(b, OP_max, len, np_int(b, 0));
    s.len = val_freeze(b, steps(b, len, np_int(b, -step)));
    return s;
}

/* A step known only at run time: both directions by selects. */
static Span3
slice_any(IrBuilder *b, const NpIndex *ix, IrExpr *n)
{
    /* so that it has an absolute value, as in PySlice_Unpack */
    IrExpr *least = np_int(b, -INT64_MAX);
    IrExpr *step = np_op2(b, OP_max, val_clipped(b, &ix->step), least);
    step = val_freeze(b, step);
    np_check(b, np_op2(b, OP_ne, np_cp(b, step), np_int(b, 0)), "ValueError",
             "slice step cannot be zero");
    IrExpr *down = val_freeze(b, np_op2(b, OP_lt, np_cp(b, step), np_int(b, 0)));
    IrExpr *last = np_op2(b, OP_sub, np_cp(b, n), np_int(b, 1));
    IrExpr *lo = val_freeze(b, np_op3(b, OP_select, np_cp(b, down), np_int(b, -1), np_int(b, 0)));
    IrExpr *hi = val_freeze(b, np_op3(b, OP_select, np_cp(b, down), np_cp(b, last), np_cp(b, n)));
    Span3 s = {.step = step};
    s.start = given(&ix->start) ? adjust(b, &ix->start, np_cp(b, n), np_cp(b, lo), np_cp(b, hi))
                                : np_op3(b, OP_select, np_cp(b, down), np_cp(b, hi), np_cp(b, lo));
    s.start = val_freeze(b, s.start);
    IrExpr *stop = given(&ix->stop)
                       ? adjust(b, &ix->stop, np_cp(b, n), np_cp(b, lo), np_cp(b, hi))
                       : np_op3(b, OP_select, np_cp(b, down), np_cp(b, lo), np_cp(b, hi));
    IrExpr *gap = np_op2(b, OP_sub, stop, np_cp(b, s.start));
    gap = np_op3(b, OP_select, np_cp(b, down), np_op1(b, OP_neg, np_cp(b, gap)), gap);
    IrExpr *by = val_freeze(b, np_op1(b, OP_abs, np_cp(b, step)));
    gap = np_op2(b, OP_max, gap, np_int(b, 0));
    s.len = val_freeze(b, steps(b, gap, np_cp(b, by)));
    return s;
}

static Span3
slice(IrBuilder *b, const NpIndex *ix, IrExpr *n)
{
    int64_t step = 1;
    IrExpr *e = given(&ix->step) ? val_clipped(b, &ix->step) : NULL;
    if (e && !ir_is_const(e, &step))
        return slice_any(b, ix, n);
    if (step == 0) {
        np_raise(b, "ValueError", "slice step cannot be zero");
        step = 1;
    }
    if (step == INT64_MIN)
        step++;
    Span3 s;
    if (slice_known(b, ix, n, step, &s))
        return s;
    return step > 0 ? slice_up(b, ix, n, step) : slice_down(b, ix, n, step);
}

/* ---- views ----------------------------------------------------------------------------------- */

static void
pick_axis(IrBuilder *b, Pick *p, IrExpr *dim, IrExpr *stride)
{
    if (p->n < SW_MAX_NDIM) {
        p->dim[p->n] = dim;
        p->stride[p->n++] = stride;
    }
    (void)b;
}

static void
pick_offset(IrBuilder *b, Pick *p, IrExpr *index, IrExpr *stride)
{
    int64_t k;
    if (!ir_is_const(index, &k) || k)
        p->offset = np_op2(b, OP_add, p->offset, np_op2(b, OP_mul, index, stride));
}

static void
pick_slice(IrBuilder *b, Pick *p, IrVar *a, int axis, const NpIndex *ix)
{
    Span3 s = slice(b, ix, ir_dim(b->cx, a, axis));
    IrExpr *stride = ir_stride(b->cx, a, axis);
    pick_offset(b, p, np_cp(b, s.start), np_cp(b, stride));
    pick_axis(b, p, s.len, s.step ? np_op2(b, OP_mul, np_cp(b, s.step), stride) : stride);
    p->whole &= !given(&ix->start) && !given(&ix->stop) && !s.step;
}

static Pick
pick(IrBuilder *b, IrVar *a, int n, const NpIndex *ix)
{
    Pick p = {.offset = np_int(b, 0), .whole = true};
    int used = 0, axis = 0;
    bool dots = false;
    for (int i = 0; i < n; i++)
        used += ix[i].kind == NI_INT || ix[i].kind == NI_SLICE;
    for (int i = 0; i < n; i++) {
        if (ix[i].kind == NI_NEWAXIS) {
            pick_axis(b, &p, np_int(b, 1), np_int(b, 0));
            p.whole = false;
        } else if (ix[i].kind == NI_ELLIPSIS && !dots) {
            dots = true;
            for (int k = a->ndim - used; k > 0; k--, axis++)
                pick_axis(b, &p, ir_dim(b->cx, a, axis), ir_stride(b->cx, a, axis));
        } else if (axis < a->ndim && ix[i].kind == NI_INT) {
            IrExpr *k = np_index(b, a, axis, &ix[i].v);
            pick_offset(b, &p, k, ir_stride(b->cx, a, axis++));
            p.whole = false;
        } else if (axis < a->ndim && ix[i].kind == NI_SLICE) {
            pick_slice(b, &p, a, axis++, &ix[i]);
        }
    }
    for (; axis < a->ndim; axis++)
        pick_axis(b, &p, ir_dim(b->cx, a, axis), ir_stride(b->cx, a, axis));
    return p;
}

Val
np_view_of(IrBuilder *b, Val arr, int n, NpIndex *ix, const Type *t)
{
    arr = np_materialize(b, arr, LAY_C);
    Pick p = pick(b, arr.arr, n, ix);
    if (p.whole && p.n == arr.arr->ndim)
        return arr;
    return np_view_simple(b, &arr, p.offset, p.n, p.dim, p.stride, t);
}

/* ---- elements -------------------------------------------------------------------------------- */

static int
element(IrBuilder *b, IrVar *a, int n, const NpIndex *ix, IrExpr **at)
{
    int k = 0;
    for (int i = 0; i < n && k < a->ndim; i++) {
        if (ix[i].kind != NI_INT)
            continue;
        at[k] = np_index(b, a, k, &ix[i].v);
        k++;
    }
    for (int i = k; i < a->ndim; i++)
        at[i] = np_int(b, 0);
    return a->ndim;
}

Val
np_subscript(IrBuilder *b, Val arr, int n, NpIndex *ix, const Type *result)
{
    Val chosen;
    arr = np_materialize(b, arr, LAY_C);
    if (np_gather(b, &arr, n, ix, &chosen))
        return chosen;
    if (result->kind == TY_ARRAY)
        return np_view_of(b, arr, n, ix, result);
    IrExpr *at[SW_MAX_NDIM];
    int nd = element(b, arr.arr, n, ix, at);
    return val_scalar(b, result, ir_load(b->cx, arr.arr, nd, at));
}

void
np_store(IrBuilder *b, Val arr, int n, NpIndex *ix, Val value, const Type *view_type)
{
    DType d = (DType)arr.arr->dtype;
    if (view_type && np_scatter(b, &arr, n, ix, value))
        return;
    if (view_type) {
        Val v = np_view_of(b, arr, n, ix, view_type);
        if (value.kind == VK_TUPLE) { /* each element by itself, as NumPy has it */
            const Type *t = np_array_type(b, d, 1, LAY_C);
            value = np_from_tuple(b, &value, t);
            if (val_ndim(&value) > val_ndim(&v))
                np_raise(b, "ValueError",
                         arena_printf(&b->cx->arena,
                                      "setting an array element with a sequence. The requested "
                                      "array would exceed the maximum number of dimension of %d.",
                                      val_ndim(&v)));
        }
        np_assign(b, &v, np_check_fits(b, value, d));
        return;
    }
    IrExpr *at[SW_MAX_NDIM];
    if (value.kind == VK_SCALAR && value.e->kind != IX_CONST && value.e->kind != IX_VAR &&
        ir_loads(value.e))
        value.e = val_freeze(b, value.e);
    int nd = element(b, arr.arr, n, ix, at); /* an index that is none is told of first */
    value = np_check_fits(b, value, d);
    IrExpr *e = val_expr(b, &value, d);
    ir_store(b, arr.arr, nd, at, e);
}
