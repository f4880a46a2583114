/* SPDX-License-Identifier: BSD-3-Clause
 * reshape, ravel and flatten. Takes an array (a lazy is materialised first), yields a view wherever
 * NumPy finds one, else a copy. The hard idea is that strides are known only at run time: a reshape
 * tests whether one step along each new axis is always as far (evenly_spaced, steps_of), and copies
 * where it isn't. Only C's order is looked at; Fortran's is that of the reversed axes. */
#include "numpy/internal.h"
#include <ctype.h>

/* Are the elements in C (or F) order without gaps? An axis of size 1 has any stride. */
IrExpr *
np_is_contig(IrBuilder *b, const Val *a, bool f)
{
    IrExpr *ok = NULL, *want = np_int(b, dtype_size(a->arr->dtype));
    int nd = a->arr->ndim;
    if (a->arr->layout == (f ? LAY_F : LAY_C) || nd == 0)
        return ir_int(b->cx, DT_bool, 1);
    for (int k = 0; k < nd; k++) {
        int ax = f ? k : nd - 1 - k;
        IrExpr *fit = np_op2(b, OP_eq, ir_stride(b->cx, a->arr, ax), np_cp(b, want));
        fit = np_op2(b, OP_or, fit, np_op2(b, OP_eq, ir_dim(b->cx, a->arr, ax), np_int(b, 1)));
        ok = np_iand(b, ok, fit);
        want = np_op2(b, OP_mul, want, ir_dim(b->cx, a->arr, ax));
    }
    return ok;
}

/* a itself where it is contiguous, or else a copy: an array of layout `l`. */
static Val
contiguous(IrBuilder *b, Val a, Layout l)
{
    a = np_materialize(b, a, l);
    if (a.kind != VK_ARRAY || a.arr->layout == l || (a.arr->ndim <= 1 && a.arr->layout == LAY_C))
        return a;
    IrVar *t = np_temp_array(b, a.arr->dtype, a.arr->ndim, l);
    t->readonly = a.arr->readonly;
    IrExpr *dims[SW_MAX_NDIM];
    for (int i = 0; i < a.arr->ndim; i++)
        dims[i] = ir_dim(b->cx, a.arr, i);
    IrStmt *s = ir_if(b, np_is_contig(b, &a, l == LAY_F));
    IrBlock *save = b->at;
    b->at = &s->body;
    ir_alias(b, t, a.arr);
    b->at = &s->els;
    Val copy = np_new_array(b, a.arr->dtype, a.arr->ndim, dims, l, false);
    Val from = a;
    np_store_into(b, from, &copy);
    ir_alias(b, t, copy.arr);
    b->at = save;
    return val_array(b, np_array_type(b, a.arr->dtype, a.arr->ndim, (Layout)t->layout), t, false);
}

static void
reshape_error(IrBuilder *b, IrExpr *ok, IrExpr *size, int n, IrExpr **dims)
{
    Shapes s = {.text = "cannot reshape array of size "};
    shapes_add_size(&s, size);
    shapes_add(&s, " into shape ");
    shapes_add_dims(&s, n, dims);
    shapes_check(b, ok, &s);
}

/* Fills in the one negative dimension, and checks that the sizes agree. */
static void
resolve_dims(IrBuilder *b, DType d, IrExpr *size, int n, IrExpr **dims)
{
    IrExpr *known = np_int(b, 1), *unknown = np_int(b, 0), *given[SW_MAX_NDIM];
    for (int i = 0; i < n; i++) {
        dims[i] = val_freeze(b, dims[i]);
        given[i] = np_cp(b, dims[i]);
        IrExpr *neg = np_op2(b, OP_lt, np_cp(b, dims[i]), np_int(b, 0));
        known = np_op2(b, OP_mul, known,
                       np_op3(b, OP_select, np_cp(b, neg), np_int(b, 1), np_cp(b, dims[i])));
        unknown = np_op2(b, OP_add, unknown, ir_cast(b->cx, DT_i64, neg));
    }
    if (n > 1)
        reshape_error(b, np_size_fits(b, d, n, given), np_cp(b, size), n, given);
    known = val_freeze(b, known);
    unknown = val_freeze(b, unknown);
    int64_t k;
    np_check(b, np_op2(b, OP_le, np_cp(b, unknown), np_int(b, 1)), "ValueError",
             "can only specify one unknown dimension");
    IrExpr *rest = np_int(b, 1);
    if (!ir_is_const(unknown, &k) || k > 0)
        rest = val_freeze(b, np_op2(b, OP_floordiv, np_cp(b, size), np_cp(b, known)));
    IrExpr *fit = np_op2(b, OP_mul, np_cp(b, known), np_cp(b, rest));
    if (!ir_is_const(unknown, &k))
        fit = np_op3(b, OP_select, np_op2(b, OP_eq, np_cp(b, unknown), np_int(b, 0)),
                     np_cp(b, known), fit);
    IrExpr *ok = np_op2(b, OP_eq, fit, np_cp(b, size));
    IrExpr *sure = np_op2(b, OP_or, np_op2(b, OP_eq, np_cp(b, unknown), np_int(b, 0)),
                          np_op2(b, OP_ne, np_cp(b, known), np_int(b, 0)));
    reshape_error(b, np_op2(b, OP_and, ok, sure), np_cp(b, size), n, given);
    for (int i = 0; i < n; i++)
        dims[i] =
            val_freeze(b, np_op3(b, OP_select, np_op2(b, OP_lt, np_cp(b, dims[i]), np_int(b, 0)),
                                 np_cp(b, rest), np_cp(b, dims[i])));
}

/* A view with new dims of an array whose elements are `unit` bytes apart in order `l`. */
static Val
redim(IrBuilder *b, const Val *a, int n, IrExpr **dims, Layout l, IrExpr *unit, const Type *t)
{
    IrExpr *s[SW_MAX_NDIM], *run = unit ? unit : np_int(b, dtype_size(a->arr->dtype));
    for (int k = 0; k < n; k++) {
        int ax = l == LAY_F ? k : n - 1 - k;
        s[ax] = np_cp(b, run);
        run = np_op2(b, OP_mul, run, np_cp(b, dims[ax]));
    }
    return np_view_simple(b, a, np_int(b, 0), n, dims, s, t);
}

/* What an axis before this one strides where the two are one: an axis of one element has any
 * stride. */
static IrExpr *
stride_before(IrBuilder *b, IrVar *a, int k, IrExpr *behind)
{
    IrExpr *run = np_op2(b, OP_mul, ir_stride(b->cx, a, k), ir_dim(b->cx, a, k));
    IrExpr *one = np_op2(b, OP_eq, ir_dim(b->cx, a, k), np_int(b, 1));
    return val_freeze(b, behind ? np_op3(b, OP_select, one, behind, run) : run);
}

/* Does axis k go on where the axes behind it end, which is at `run`? */
static IrExpr *
goes_on(IrBuilder *b, IrVar *a, int k, IrExpr *run)
{
    IrExpr *one = np_op2(b, OP_eq, ir_dim(b->cx, a, k), np_int(b, 1));
    return np_op2(b, OP_or, one, np_op2(b, OP_eq, ir_stride(b->cx, a, k), np_cp(b, run)));
}

/* Are elements that follow each other in C order equally far apart? unit: how far. */
static IrExpr *
evenly_spaced(IrBuilder *b, IrVar *a, IrExpr **unit)
{
    IrExpr *ok = ir_int(b->cx, DT_bool, 1), *run = NULL, *alone = ir_int(b->cx, DT_bool, 1);
    *unit = np_int(b, 0);
    for (int k = a->ndim - 1; k >= 0; k--) { /* alone: all axes behind this one have one element */
        if (run)
            ok = np_op2(b, OP_and, ok, np_op2(b, OP_or, np_cp(b, alone), goes_on(b, a, k, run)));
        *unit = val_freeze(b, np_op3(b, OP_select, np_cp(b, alone), ir_stride(b->cx, a, k), *unit));
        run = stride_before(b, a, k, run);
        alone = val_freeze(
            b, np_op2(b, OP_and, alone, np_op2(b, OP_eq, ir_dim(b->cx, a, k), np_int(b, 1))));
    }
    return ok;
}

/* How many elements one step along each axis is; where there are none, as if there were. */
static void
places(IrBuilder *b, int n, IrExpr **dims, IrExpr **step)
{
    IrExpr *at = np_int(b, 1);
    for (int k = n - 1; k >= 0; k--) {
        step[k] = at;
        at = val_freeze(
            b, np_op2(b, OP_mul, np_cp(b, at), np_op2(b, OP_max, np_cp(b, dims[k]), np_int(b, 1))));
    }
}

enum { MOST_STEPS = 36 }; /* sizes of one times sizes of the other; beyond that, copy */

/* The strides of a view of `a` with other dims, and the condition that there is one: wherever an
 * axis does not go on from the next, an axis of the view ends, too. */
static IrExpr *
steps_of(IrBuilder *b, IrVar *a, int n, IrExpr **dims, IrExpr **stride)
{
    IrExpr *old[SW_MAX_NDIM], *now[SW_MAX_NDIM], *run = NULL, *ok = ir_int(b->cx, DT_bool, 1);
    IrExpr *size[SW_MAX_NDIM];
    for (int k = 0; k < a->ndim; k++)
        size[k] = ir_dim(b->cx, a, k);
    places(b, a->ndim, size, old);
    places(b, n, dims, now);
    for (int k = a->ndim - 1; k >= 0; k--) {
        IrExpr *fits = run ? goes_on(b, a, k, run) : ir_int(b->cx, DT_bool, 1);
        for (int j = 0; run && j < n; j++)
            fits = np_op2(b, OP_or, fits, np_op2(b, OP_eq, np_cp(b, now[j]), np_cp(b, old[k])));
        ok = np_op2(b, OP_and, ok, fits);
        run = stride_before(b, a, k, run);
    }
    for (int j = 0; j < n; j++) {
        stride[j] = np_int(b, 0);
        for (int k = 0; k < a->ndim; k++) {
            IrExpr *at = np_op2(b, OP_floordiv, np_cp(b, now[j]), np_cp(b, old[k]));
            at = np_op2(b, OP_mod, at, np_op2(b, OP_max, ir_dim(b->cx, a, k), np_int(b, 1)));
            stride[j] = np_op2(b, OP_add, stride[j], np_op2(b, OP_mul, at, ir_stride(b->cx, a, k)));
        }
        stride[j] = val_freeze(b, stride[j]);
    }
    return ok;
}

/* Of an array with any strides: a view where there is one, or a copy. */
static Val
reshape_any(IrBuilder *b, Val a, int n, IrExpr **dims, const Type *t)
{
    IrVar *v = ir_array_var(b->f, "shaped", a.arr->dtype, n, LAY_A);
    v->readonly = a.arr->readonly;
    IrExpr *contig = val_freeze(b, np_is_contig(b, &a, false));
    IrExpr *unit, *old[SW_MAX_NDIM], *even = evenly_spaced(b, a.arr, &unit);
    unit = val_freeze(
        b, np_op3(b, OP_select, np_cp(b, contig), np_int(b, dtype_size(a.arr->dtype)), unit));
    IrStmt *s = ir_if(b, np_op2(b, OP_or, contig, even));
    IrBlock *save = b->at;
    b->at = &s->body;
    ir_alias(b, v, redim(b, &a, n, dims, LAY_C, unit, NULL).arr);
    b->at = &s->els;
    if (n > 1 && n * a.arr->ndim <= MOST_STEPS) {
        s = ir_if(b, steps_of(b, a.arr, n, dims, old));
        b->at = &s->body;
        ir_alias(b, v, np_view_simple(b, &a, np_int(b, 0), n, dims, old, NULL).arr);
        b->at = &s->els;
    }
    for (int i = 0; i < a.arr->ndim; i++)
        old[i] = ir_dim(b->cx, a.arr, i);
    Val copy = np_new_array(b, (DType)a.arr->dtype, a.arr->ndim, old, LAY_C, false);
    np_store_into(b, a, &copy);
    ir_alias(b, v, redim(b, &copy, n, dims, LAY_C, NULL, NULL).arr);
    b->at = save;
    return val_array(b, t, v, false);
}

static Val
in_c_order(IrBuilder *b, Val a, int n, IrExpr **dims, const Type *t)
{
    if (a.arr->layout != LAY_C && a.arr->ndim > 0 && (t->layout == LAY_A || n == 0))
        return reshape_any(b, a, n, dims, t);
    a = contiguous(b, a, LAY_C);
    return redim(b, &a, n, dims, LAY_C, NULL, t);
}

/* t: its layout is C where the caller needs that. */
Val
np_reshape(IrBuilder *b, Val a, int n, IrExpr **dims, const Type *t)
{
    if (a.kind == VK_SCALAR) {
        IrExpr *one = np_int(b, 1);
        a = np_fill_new(b, val_dtype(&a), 1, &one, LAY_C, &a);
    }
    a = np_materialize(b, a, LAY_C);
    resolve_dims(b, (DType)a.arr->dtype, val_freeze(b, np_size(b, &a)), n, dims);
    return in_c_order(b, a, n, dims, t);
}

static Val
reversed_axes(IrBuilder *b, Val a, const Type *t)
{
    int perm[SW_MAX_NDIM], nd = val_ndim(&a);
    Layout l = a.arr->layout == LAY_C ? LAY_F : a.arr->layout == LAY_F ? LAY_C : LAY_A;
    for (int i = 0; i < nd; i++)
        perm[i] = nd - 1 - i;
    return nd > 1 || t
               ? np_transpose(b, a, perm, t ? t : np_array_type(b, (DType)a.arr->dtype, nd, l))
               : a;
}

/* Fortran's order is C's with all axes reversed, before and behind. */
static Val
in_fortran_order(IrBuilder *b, Val a, int n, IrExpr **dims, const Type *t)
{
    IrExpr *back[SW_MAX_NDIM];
    for (int i = 0; i < n; i++)
        back[i] = dims[n - 1 - i];
    a = reversed_axes(b, a, NULL);
    a = in_c_order(
        b, a, n, back,
        np_array_type(b, (DType)a.arr->dtype, n, a.arr->layout == LAY_C ? LAY_C : LAY_A));
    return reversed_axes(b, a, t);
}

/* Is it in Fortran's order and not in C's, which is what order='A' asks? */
static IrExpr *
is_fortran(IrBuilder *b, const Val *a)
{
    IrExpr *c = np_is_contig(b, a, false);
    return val_freeze(b, np_op2(b, OP_and, np_is_contig(b, a, true), np_op1(b, OP_inv, c)));
}

/* order= of a call: 'C', 'F', or 'A' where that depends on what is found at run time. */
static char
order_of(const NpCall *c, const Val *a, int ndim)
{
    const char *o;
    char order = np_arg_str(c, "order", &o) ? (char)toupper((unsigned char)*o) : 'C';
    Layout l = a->kind == VK_ARRAY ? (Layout)a->arr->layout : LAY_C;
    if (order == 'A' && val_ndim(a) > 1 && l != LAY_C)
        /* of one axis, both are the same where both hold */
        return l == LAY_F && ndim <= 1 ? 'F' : 'A';
    return order == 'F' ? 'F' : 'C';
}

typedef Val (*Ordered)(IrBuilder *b, Val a, int n, IrExpr **dims, const Type *t);

/* What one of two makes, by a test at run time. */
static Val
either_order(IrBuilder *b, Val a, int n, IrExpr **dims, const Type *t, Ordered fortran,
             Ordered plain)
{
    IrVar *v = ir_array_var(b->f, "shaped", (DType)a.arr->dtype, n, (Layout)t->layout);
    v->readonly = t->readonly;
    IrStmt *s = ir_if(b, is_fortran(b, &a));
    IrBlock *save = b->at;
    b->at = &s->body;
    ir_alias(b, v, fortran(b, a, n, dims, t).arr);
    b->at = &s->els;
    ir_alias(b, v, plain(b, a, n, dims, t).arr);
    b->at = save;
    return val_array(b, t, v, false);
}

static Val
reshape(IrBuilder *b, const NpCall *c, const Val *shape)
{
    IrExpr *dims[SW_MAX_NDIM];
    Val a = np_as_array(b, c->arg[0]);
    int n = np_take_shape(b, shape, dims);
    if (a.kind == VK_SCALAR)
        return np_reshape(b, a, n, dims, c->result);
    const char *o;
    bool fortran = np_arg_str(c, "order", &o) && (*o == 'F' || *o == 'f');
    a = np_materialize(b, a, fortran ? LAY_F : LAY_C);
    char order = order_of(c, &a, n);
    resolve_dims(b, (DType)a.arr->dtype, val_freeze(b, np_size(b, &a)), n, dims);
    if (order == 'A')
        return either_order(b, a, n, dims, c->result, in_fortran_order, in_c_order);
    return (order == 'F' ? in_fortran_order : in_c_order)(b, a, n, dims, c->result);
}

Val
emit_np_reshape(IrBuilder *b, NpCall *c)
{
    return reshape(b, c, np_arg(c, "shape"));
}

Val
emit_np_method_reshape(IrBuilder *b, NpCall *c)
{
    Val shape = np_rest(b, c);
    return reshape(b, c, &shape);
}

/* All elements in a row: a view of what is contiguous in that order only. */
static Val
flat_c(IrBuilder *b, Val a, int n, IrExpr **dims, const Type *t)
{
    a = contiguous(b, a, LAY_C);
    return redim(b, &a, n, dims, LAY_C, NULL, t);
}

static Val
flat_fortran(IrBuilder *b, Val a, int n, IrExpr **dims, const Type *t)
{
    a = contiguous(b, a, LAY_F);
    return redim(b, &a, n, dims, LAY_C, NULL, t);
}

static Val
ravel(IrBuilder *b, const NpCall *c, bool copy)
{
    Val a = np_as_array(b, c->arg[0]);
    if (a.kind == VK_SCALAR || (val_ndim(&a) == 0 && (copy || a.kind != VK_ARRAY))) {
        IrExpr *one = np_int(b, 1);
        return np_fill_new(b, c->result->storage, 1, &one, LAY_C, &a);
    }
    bool fresh = a.kind == VK_LAZY;
    a = np_materialize(b, a, LAY_C);
    char order = order_of(c, &a, 1);
    IrExpr *n = val_freeze(b, np_size(b, &a));
    const Type *t = c->result;
    if (a.arr->readonly && !t->readonly) /* until it is copied below */
        t = type_array(b->cx->types, (DType)t->storage, 1, LAY_C, RO_OWNER);
    Val flat = order == 'A' ? either_order(b, a, 1, &n, t, flat_fortran, flat_c)
                            : (order == 'F' ? flat_fortran : flat_c)(b, a, 1, &n, t);
    if (!copy || fresh)
        return flat;
    Val to = np_new_array(b, flat.arr->dtype, 1, &n, LAY_C, false);
    np_store_into(b, flat, &to);
    return to;
}

Val
emit_np_ravel(IrBuilder *b, NpCall *c)
{
    return ravel(b, c, false);
}

Val
emit_np_flatten(IrBuilder *b, NpCall *c)
{
    return ravel(b, c, true);
}
