/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that change how an array is looked at: transposes, reshapes, added and
 * removed axes, diagonals, casts. Takes arrays (a lazy is materialised first), yields
 * views wherever NumPy does. */
#include "numpy/internal.h"

/* ---- views ----------------------------------------------------------------------------------- */

Val
np_view_simple(IrBuilder *b, const Val *a, IrExpr *offset, int ndim, IrExpr **dims,
               IrExpr **strides, const Type *t)
{
    if (!t || t->kind != TY_ARRAY)
        t = np_array_type(b, a->arr->dtype, ndim, LAY_A);
    IrVar *v = ir_array_var(b->f, "view", t->storage, ndim, t->layout);
    v->readonly = a->arr->readonly || t->readonly;
    v->fortran = t->fortran;
    IrExpr *d[SW_MAX_NDIM], *s[SW_MAX_NDIM];
    for (int i = 0; i < ndim; i++) {
        d[i] = np_cp(b, dims[i]);
        s[i] = np_cp(b, strides[i]);
    }
    ir_view(b, v, a->arr, np_cp(b, offset), d, s);
    Val view = val_array(b, t, v, false);
    view.ones = np_known_ones(ndim, dims);
    return view;
}

Val
np_transpose(IrBuilder *b, Val a, const int *perm, const Type *t)
{
    a = np_materialize(b, a, LAY_C);
    IrExpr *d[SW_MAX_NDIM], *s[SW_MAX_NDIM];
    int nd = val_ndim(&a);
    for (int i = 0; i < nd; i++) {
        d[i] = ir_dim(b->cx, a.arr, perm[i]);
        s[i] = ir_stride(b->cx, a.arr, perm[i]);
    }
    return np_view_simple(b, &a, np_int(b, 0), nd, d, s, t);
}

/* The positional arguments of a method that takes them apart or as one tuple. */
Val
np_rest(IrBuilder *b, const NpCall *c)
{
    int first = np_n_params(c->fn), n = c->n - first;
    const Type *t = n == 1 ? c->arg[first].type : NULL;
    if (t && t->kind != TY_SCALAR && t->kind != TY_ARRAY) /* which is a number of no axes */
        return c->arg[first].kind == VK_TUPLE ? c->arg[first] : val_tuple(b, NULL, 0, NULL);
    return val_tuple(b, NULL, n, c->arg + first);
}

static Val
transpose(IrBuilder *b, const NpCall *c, const Val *axes)
{
    Val a = np_as_array(b, c->arg[0]);
    int perm[SW_MAX_NDIM], nd = val_ndim(&a);
    if (a.kind == VK_SCALAR)
        return a;
    for (int i = 0; i < nd; i++)
        perm[i] = nd - 1 - i;
    for (int i = 0; axes && axes->kind == VK_TUPLE && i < nd && i < axes->n; i++) {
        int64_t k = 0;
        np_val_const_int(&axes->elem[i], &k);
        perm[i] = (int)(k < 0 ? k + nd : k);
    }
    int seen = 0;
    for (int i = 0; i < nd; i++)
        seen |= perm[i] >= 0 && perm[i] < nd ? 1 << perm[i] : 0;
    if (nd && seen != (1 << nd) - 1) {
        np_raise(b, "ValueError", "repeated axis in transpose");
        return np_error_val(b, c->result);
    }
    return np_transpose(b, a, perm, c->result);
}

Val
emit_np_transpose(IrBuilder *b, NpCall *c)
{
    return transpose(b, c, np_arg(c, "axes"));
}

Val
emit_np_method_transpose(IrBuilder *b, NpCall *c)
{
    Val axes = np_rest(b, c);
    return transpose(b, c, axes.n ? &axes : NULL);
}

Val
emit_np_swapaxes(IrBuilder *b, NpCall *c)
{
    Val a = np_as_array(b, c->arg[0]);
    int perm[SW_MAX_NDIM], nd = val_ndim(&a);
    int x = np_arg_axis(b, c, "axis1", nd, 0), y = np_arg_axis(b, c, "axis2", nd, 0);
    for (int i = 0; i < nd; i++)
        perm[i] = i == x ? y : i == y ? x : i;
    return np_transpose(b, a, perm, c->result);
}

static int
axis_list(IrBuilder *b, const NpCall *c, const char *name, int nd, int *out)
{
    Val *v = np_arg(c, name);
    int n = 0;
    int64_t k;
    if (v && v->kind == VK_TUPLE) {
        for (int i = 0; i < v->n && i < SW_MAX_NDIM; i++)
            out[n++] = np_val_const_int(&v->elem[i], &k) ? (int)(k < 0 ? k + nd : k) : 0;
    } else {
        out[n++] = np_arg_axis(b, c, name, nd, 0);
    }
    return n;
}

Val
emit_np_moveaxis(IrBuilder *b, NpCall *c)
{
    Val a = np_as_array(b, c->arg[0]);
    int nd = val_ndim(&a), src[SW_MAX_NDIM], dst[SW_MAX_NDIM], perm[SW_MAX_NDIM];
    int n = axis_list(b, c, "source", nd, src), m = axis_list(b, c, "destination", nd, dst);
    bool used[SW_MAX_NDIM] = {false};
    for (int i = 0; i < nd; i++)
        perm[i] = -1;
    for (int i = 0; i < n && i < m; i++) {
        perm[dst[i]] = src[i];
        used[src[i]] = true;
    }
    for (int i = 0, k = 0; i < nd; i++) {
        if (perm[i] >= 0)
            continue;
        while (used[k])
            k++;
        perm[i] = k++;
    }
    return np_transpose(b, a, perm, c->result);
}

/* a with new axes of size 1 where `mask` (of the result's axes) says so. */
static Val
insert_axes(IrBuilder *b, Val a, uint32_t mask, int nd, const Type *t)
{
    a = np_materialize(b, a, LAY_C);
    if (a.kind != VK_ARRAY) {
        IrExpr *one[SW_MAX_NDIM];
        for (int i = 0; i < nd; i++)
            one[i] = np_int(b, 1);
        return np_fill_new(b, t->storage, nd, one, LAY_C, &a);
    }
    IrExpr *d[SW_MAX_NDIM], *s[SW_MAX_NDIM];
    for (int i = 0, k = 0; i < nd; i++) {
        bool fresh = mask >> i & 1 || k >= val_ndim(&a);
        d[i] = fresh ? np_int(b, 1) : ir_dim(b->cx, a.arr, k);
        s[i] = fresh ? np_int(b, dtype_size(a.arr->dtype)) : ir_stride(b->cx, a.arr, k);
        k += !fresh;
    }
    return np_view_simple(b, &a, np_int(b, 0), nd, d, s, t);
}

/* np.atleast_1d, 2d, 3d */
Val
emit_np_atleast(IrBuilder *b, NpCall *c)
{
    Val a = np_as_array(b, c->arg[0]);
    int want = c->fn->op, nd = val_ndim(&a), to = nd < want ? want : nd;
    if (nd >= want)
        return a;
    uint32_t mask = 0;
    for (int i = 0; i < to - nd; i++)
        mask |= 1u << i;
    if (want == 3)
        mask = nd == 2 ? 4u : nd == 1 ? 5u : 7u;
    return insert_axes(b, a, mask, to, c->result);
}

Val
emit_np_squeeze(IrBuilder *b, NpCall *c)
{
    bool given;
    Val a = np_materialize(b, np_as_array(b, c->arg[0]), LAY_C);
    int nd = val_ndim(&a), n = 0;
    uint32_t mask = np_arg_axes(b, c, "axis", nd, &given);
    IrExpr *d[SW_MAX_NDIM], *s[SW_MAX_NDIM];
    if (!nd)
        return a;
    if (!given || a.kind != VK_ARRAY)
        return a;
    for (int i = 0; i < nd; i++) {
        IrExpr *dim = ir_dim(b->cx, a.arr, i);
        if (mask >> i & 1) {
            np_check(b, np_op2(b, OP_eq, dim, np_int(b, 1)), "ValueError",
                     "cannot select an axis to squeeze out which has size not equal to one");
        } else {
            d[n] = dim;
            s[n++] = ir_stride(b->cx, a.arr, i);
        }
    }
    return np_view_simple(b, &a, np_int(b, 0), n, d, s, c->result);
}

/* Whether the dims, of which none is 0 for this, make an array of less than 2**60 bytes, so that
 * no size comes near the end of int64. A product of doubles tells, for it errs by less than a part
 * in 2**50. */
IrExpr *
np_size_fits(IrBuilder *b, DType d, int n, IrExpr **dims)
{
    int64_t k;
    double fixed = dtype_size(d);
    IrExpr *size = NULL;
    for (int i = 0; i < n; i++) {
        if (ir_is_const(dims[i], &k)) {
            fixed *= k > 1 ? (double)k : 1;
            continue;
        }
        IrExpr *dim = np_op2(b, OP_max, np_cp(b, dims[i]), np_int(b, 1));
        dim = ir_cast(b->cx, DT_f64, dim);
        size = size ? np_op2(b, OP_mul, size, dim) : dim;
    }
    if (!size)
        return ir_int(b->cx, DT_bool, fixed < 0x1p60);
    size = np_op2(b, OP_mul, size, np_num(b, DT_f64, fixed));
    return np_op2(b, OP_lt, size, np_num(b, DT_f64, 0x1p60));
}

/* What broadcast_to says of a shape that doesn't fit. */
static void
remapped_text(IrBuilder *b, Shapes *s, const Val *a, int n, IrExpr *const *dims)
{
    IrExpr *own[SW_MAX_NDIM];
    int nd = val_ndim(a);
    for (int i = 0; i < nd; i++)
        own[i] = val_dim(b, a, i);
    shapes_add(s, "operands could not be broadcast together with remapped shapes "
                  "[original->remapped]: ");
    shapes_add_dims(s, nd, own);
    shapes_add(s, "  and requested shape ");
    shapes_add_dims(s, n, dims);
}

Val
emit_np_broadcast_to(IrBuilder *b, NpCall *c)
{
    IrExpr *dims[SW_MAX_NDIM];
    Val a = np_as_array(b, c->arg[0]);
    int n = np_take_shape(b, np_arg(c, "shape"), dims);
    a = np_materialize(b, a, LAY_C);
    IrExpr *ok = ir_int(b->cx, DT_bool, 1);
    for (int i = 0; i < n; i++) {
        dims[i] = val_freeze(b, dims[i]);
        ok = np_op2(b, OP_and, ok, np_op2(b, OP_ge, np_cp(b, dims[i]), np_int(b, 0)));
    }
    np_check(b, ok, "ValueError", "all elements of broadcast shape must be non-negative");
    np_check(b, np_size_fits(b, val_dtype(&a), n, dims), "ValueError", "iterator is too large");
    if (a.kind != VK_ARRAY)
        return np_fill_new(b, c->result->storage, n, dims, LAY_C, &a);
    int off = n - val_ndim(&a);
    Shapes text = {.n = 0};
    remapped_text(b, &text, &a, n, dims);
    for (int i = off; i < n; i++) {
        IrExpr *d = val_dim(b, &a, i - off), *one = np_op2(b, OP_eq, d, np_int(b, 1));
        shapes_check(b, np_op2(b, OP_or, one, np_op2(b, OP_eq, np_cp(b, d), np_cp(b, dims[i]))),
                     &text);
    }
    Val v = np_broadcast_view(b, &a, n, dims);
    v.arr->readonly = c->result->readonly;
    return v.type == c->result ? v : val_array(b, c->result, v.arr, false);
}

/* The elements x[i, i + offset], as one last axis. */
Val
emit_np_diagonal(IrBuilder *b, NpCall *c)
{
    Val a = np_materialize(b, np_as_array(b, c->arg[0]), LAY_C);
    int nd = val_ndim(&a), n = 0;
    int x = np_arg_axis(b, c, "axis1", nd, 0), y = np_arg_axis(b, c, "axis2", nd, 1);
    Val *off = np_arg(c, "offset");
    IrExpr *k = val_freeze(b, off ? val_int(b, off, "OverflowError", VAL_TOO_LARGE) : np_int(b, 0));
    if (off) { /* NumPy's is a C int */
        np_check(b, np_op2(b, OP_ge, np_cp(b, k), np_int(b, INT32_MIN)), "OverflowError",
                 "signed integer is less than minimum");
        np_check(b, np_op2(b, OP_le, np_cp(b, k), np_int(b, INT32_MAX)), "OverflowError",
                 "signed integer is greater than maximum");
    }
    IrExpr *zero = np_int(b, 0);
    IrExpr *up = val_freeze(b, np_op2(b, OP_max, np_cp(b, k), np_cp(b, zero)));
    IrExpr *down = val_freeze(b, np_op2(b, OP_max, np_op1(b, OP_neg, k), zero));
    IrExpr *d[SW_MAX_NDIM], *s[SW_MAX_NDIM];
    for (int i = 0; i < nd; i++) {
        if (i == x || i == y)
            continue;
        d[n] = ir_dim(b->cx, a.arr, i);
        s[n++] = ir_stride(b->cx, a.arr, i);
    }
    IrExpr *sx = ir_stride(b->cx, a.arr, x), *sy = ir_stride(b->cx, a.arr, y);
    IrExpr *len = np_op2(b, OP_min, np_op2(b, OP_sub, ir_dim(b->cx, a.arr, x), np_cp(b, down)),
                         np_op2(b, OP_sub, ir_dim(b->cx, a.arr, y), np_cp(b, up)));
    d[n] = val_freeze(b, np_op2(b, OP_max, len, np_int(b, 0)));
    s[n++] = np_op2(b, OP_add, np_cp(b, sx), np_cp(b, sy));
    IrExpr *offset = np_op2(b, OP_add, np_op2(b, OP_mul, up, sy), np_op2(b, OP_mul, down, sx));
    return np_view_simple(b, &a, offset, n, d, s, c->result);
}

/* ---- casts, elements ------------------------------------------------------------------------- */

Val
emit_np_astype(IrBuilder *b, NpCall *c)
{
    Val a = np_as_array(b, c->arg[0]);
    DType from = val_dtype(&a);
    bool same = a.kind != VK_ARRAY || a.arr->layout == c->result->layout;
    if (!np_arg_bool(c, "copy", true) && from == c->result->storage && same)
        return a;
    return np_lazy(b, XOP_id, 1, &a, &from, c->result->storage, c->result);
}

/* The bits of a number as another dtype of its size. */
static Val
scalar_as(IrBuilder *b, const NpCall *c, const Val *a)
{
    DType from = val_dtype(a), to = c->result->storage;
    IrExpr *x = val_expr(b, a, from);
    if (dtype_is_float(from) == dtype_is_float(to))
        return val_scalar(b, c->result, ir_cast(b->cx, to, x));
    return val_scalar(b, c->result, np_op2(b, OP_bits, x, ir_cast(b->cx, to, np_int(b, 0))));
}

/* The same bytes as another dtype: the last axis changes with the size of an item. */
Val
emit_np_view(IrBuilder *b, NpCall *c)
{
    Val a = np_as_array(b, c->arg[0]);
    if (c->result->kind == TY_SCALAR)
        return scalar_as(b, c, &a);
    a = np_materialize(b, a, LAY_C);
    IrExpr *d[SW_MAX_NDIM], *s[SW_MAX_NDIM];
    int nd = val_ndim(&a), from = dtype_size(a.arr->dtype), to = dtype_size(c->result->storage);
    for (int i = 0; i < nd; i++) {
        d[i] = ir_dim(b->cx, a.arr, i);
        s[i] = ir_stride(b->cx, a.arr, i);
    }
    if (from != to && nd > 0) {
        IrExpr *bytes = np_op2(b, OP_mul, d[nd - 1], np_int(b, from));
        np_check(b, np_op2(b, OP_eq, s[nd - 1], np_int(b, from)), "ValueError",
                 "To change to a dtype of a different size, the last axis must be contiguous");
        np_check(b,
                 np_op2(b, OP_eq, np_op2(b, OP_mod, np_cp(b, bytes), np_int(b, to)), np_int(b, 0)),
                 "ValueError",
                 "When changing to a larger dtype, its size must be a divisor of the total "
                 "size in bytes of the last axis of the array.");
        d[nd - 1] = np_op2(b, OP_floordiv, np_cp(b, bytes), np_int(b, to));
        s[nd - 1] = np_int(b, to);
    }
    return np_view_simple(b, &a, np_int(b, 0), nd, d, s, c->result);
}

/* An element as Python's number. */
static Val
as_item(IrBuilder *b, const NpCall *c, const Val *v)
{
    IrExpr *e = val_dtype(v) == DT_u64 ? val_int(b, v, "OverflowError", VAL_TOO_LARGE)
                                       : val_expr(b, v, c->result->storage);
    return val_scalar(b, c->result, e);
}

Val
emit_np_item(IrBuilder *b, NpCall *c)
{
    Val a = np_as_array(b, c->arg[0]);
    int first = np_n_params(c->fn), n = c->n - first;
    if (a.kind == VK_SCALAR) {
        for (int i = 0; i < n; i++) {
            IrExpr *at = val_freeze(b, val_clipped(b, &c->arg[first + i]));
            IrExpr *ok = np_op2(b, OP_or, np_op2(b, OP_eq, np_cp(b, at), np_int(b, 0)),
                                np_op2(b, OP_eq, np_cp(b, at), np_int(b, -1)));
            np_checkf(b, ok, "IndexError", "index %0 is out of bounds for size 1", 1,
                      (IrExpr *[]){at});
        }
        return as_item(b, c, &a);
    }
    if (n <= 0) {
        np_check(b, np_op2(b, OP_eq, np_size(b, &a), np_int(b, 1)), "ValueError",
                 "can only convert an array of size 1 to a Python scalar");
        return as_item(b, c, &a);
    }
    NpIndex ix[SW_MAX_NDIM] = {{0}};
    const Type *t = type_scalar(b->cx->types, val_dtype(&a), false);
    for (int i = 0; i < n && i < SW_MAX_NDIM; i++)
        ix[i] = (NpIndex){.kind = NI_INT, .v = c->arg[first + i]};
    if (n == 1 && val_ndim(&a) != 1) {
        IrExpr *size = val_freeze(b, np_size(b, &a)), *at = val_clipped(b, &ix[0].v);
        at = val_freeze(b, at);
        IrExpr *ok = np_op2(b, OP_and, np_op2(b, OP_lt, np_cp(b, at), np_cp(b, size)),
                            np_op2(b, OP_ge, np_cp(b, at), np_op1(b, OP_neg, np_cp(b, size))));
        np_checkf(b, ok, "IndexError", "index %0 is out of bounds for size %1", 2,
                  (IrExpr *[]){np_cp(b, at), np_cp(b, size)});
        ix[0].v = np_weak_int(b, at);
        a = np_reshape(b, a, 1, &size, np_array_type(b, val_dtype(&a), 1, LAY_C));
    }
    Val v = np_subscript(b, a, n, ix, t);
    return as_item(b, c, &v);
}

Val
emit_np_expand_dims(IrBuilder *b, NpCall *c)
{
    Val a = np_as_array(b, c->arg[0]);
    bool given;
    uint32_t mask = np_arg_axes(b, c, "axis", c->result->ndim, &given);
    return insert_axes(b, a, mask, c->result->ndim, c->result);
}

Val
emit_np_fill(IrBuilder *b, NpCall *c)
{
    Val a = np_as_array(b, c->arg[0]);
    if (a.kind == VK_LAZY)
        a = np_materialize(b, a, LAY_C);
    np_assign(b, &a, np_check_fits(b, *np_arg(c, "value"), val_dtype(&a)));
    return val_none(b);
}

/* How far from the first element the others are, in bytes: to either side; as doubles, which are
 * exact for what memory has room for. */
static void
reach(IrBuilder *b, int n, IrExpr **dims, IrExpr **strides, IrExpr **low, IrExpr **high)
{
    *low = *high = np_num(b, DT_f64, 0);
    for (int i = 0; i < n; i++) {
        IrExpr *last = ir_cast(b->cx, DT_f64, np_op2(b, OP_sub, np_cp(b, dims[i]), np_int(b, 1)));
        IrExpr *d = np_op2(b, OP_mul, last, ir_cast(b->cx, DT_f64, np_cp(b, strides[i])));
        d = val_freeze(b, d);
        *low = np_op2(b, OP_add, *low, np_op2(b, OP_min, np_cp(b, d), np_num(b, DT_f64, 0)));
        *high = np_op2(b, OP_add, *high, np_op2(b, OP_max, d, np_num(b, DT_f64, 0)));
    }
    *low = val_freeze(b, *low);
    *high = val_freeze(b, *high);
}

/* Whether an array has no elements. */
static IrExpr *
is_empty(IrBuilder *b, int n, IrExpr **dims)
{
    IrExpr *e = ir_int(b->cx, DT_bool, 0);
    for (int i = 0; i < n; i++)
        e = np_op2(b, OP_or, e, np_op2(b, OP_eq, np_cp(b, dims[i]), np_int(b, 0)));
    return e;
}

/* What it shows must be within the array. */
Val
emit_np_as_strided(IrBuilder *b, NpCall *c)
{
    IrExpr *dims[SW_MAX_NDIM], *strides[SW_MAX_NDIM], *d[SW_MAX_NDIM], *s[SW_MAX_NDIM];
    Val a = np_materialize(b, np_as_array(b, c->arg[0]), LAY_C);
    const Val *shape = np_arg(c, "shape"), *steps = np_arg(c, "strides");
    int nd = val_ndim(&a), n = shape ? np_take_shape(b, shape, dims) : nd;
    int size = dtype_size(val_dtype(&a));
    for (int i = 0; !shape && i < nd; i++)
        dims[i] = ir_dim(b->cx, a.arr, i);
    bool own = !shape || a.arr->layout != LAY_C; /* else those of an array of that shape */
    for (int i = n - 1; !steps && i >= 0; i--)
        strides[i] = own          ? ir_stride(b->cx, a.arr, i)
                     : i == n - 1 ? np_int(b, size)
                                  : np_op2(b, OP_mul, np_cp(b, strides[i + 1]),
                                           np_cp(b, dims[i + 1] = val_freeze(b, dims[i + 1])));
    if (steps)
        np_take_shape(b, steps, strides);
    IrExpr *positive = ir_int(b->cx, DT_bool, 1), *whole = ir_int(b->cx, DT_bool, 1), *low[2],
           *high[2];
    for (int i = 0; i < n; i++) {
        dims[i] = val_freeze(b, dims[i]);
        strides[i] = val_freeze(b, strides[i]);
        positive = np_op2(b, OP_and, positive, np_op2(b, OP_ge, np_cp(b, dims[i]), np_int(b, 0)));
        IrExpr *rest = np_op2(b, OP_mod, np_cp(b, strides[i]), np_int(b, size));
        whole = np_op2(b, OP_and, whole, np_op2(b, OP_eq, rest, np_int(b, 0)));
    }
    np_check(b, positive, "ValueError", "negative dimensions are not allowed");
    np_check(b, whole, "ValueError",
             "strides must be multiples of the size of an element in compiled code");
    np_check(b, np_size_fits(b, val_dtype(&a), n, dims), "ValueError", "array is too big");
    for (int i = 0; i < nd; i++) {
        d[i] = ir_dim(b->cx, a.arr, i);
        s[i] = ir_stride(b->cx, a.arr, i);
    }
    reach(b, nd, d, s, &low[0], &high[0]);
    reach(b, n, dims, strides, &low[1], &high[1]);
    IrExpr *within =
        np_op2(b, OP_and, np_op2(b, OP_ge, low[1], low[0]), np_op2(b, OP_le, high[1], high[0]));
    IrExpr *some = np_op1(b, OP_inv, is_empty(b, nd, d));
    within = np_op2(b, OP_or, np_op2(b, OP_and, within, some), is_empty(b, n, dims));
    np_check(b, within, "ValueError",
             "the shape and strides reach beyond the array, which compiled code does not allow");
    return np_view_simple(b, &a, np_int(b, 0), n, dims, strides, c->result);
}
