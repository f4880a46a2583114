/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that give the elements of an array another shape: transpose, reshape, astype,
 * expand_dims. Takes the bound call; yields the new rank and what remains known of the
 * layout. A view of a read-only array is read-only; where the result is a copy it is not.
 */
#include "sema/calls.h"

static const Type *
view(CallCx *x, const ArrayLike *a, int ndim, Layout l)
{
    return type_array(x->s->tt, a->d, ndim, l, a->readonly);
}

static Layout
flipped(Layout l)
{
    return l == LAY_C ? LAY_F : l == LAY_F ? LAY_C : LAY_A;
}

/* The layout of the axes perm[0..n) of an array. */
static Layout
permuted(const ArrayLike *a, const int *perm)
{
    bool same = true, reversed = true;
    for (int k = 0; k < a->ndim; k++) {
        same &= perm[k] == k;
        reversed &= perm[k] == a->ndim - 1 - k;
    }
    return same ? a->layout : reversed ? flipped(a->layout) : LAY_A;
}

/* The axes that a.transpose(1, 0), a.transpose((1, 0)) or np.transpose(a, (1, 0)) give;
 * v.type NULL: none. */
static Sem
transpose_axes(CallCx *x)
{
    if (x->fn->id == BI_np_transpose)
        return arg_of(x, "axes");
    int first = args_after(x), n = x->c->n_args - first;
    if (n <= 0)
        return (Sem){0};
    Sem one = sema_arg(x->s, x->c, first);
    if (n == 1 && (!one.type || one.type->kind == TY_TUPLE || one.type->kind == TY_NONE))
        return one.type && one.type->kind == TY_NONE ? (Sem){0} : one;
    Const *all = NEW(x->s->a, Const);
    const Const **elems = NEW_N(x->s->a, const Const *, n);
    *all = (Const){.kind = CV_TUPLE, .n = n, .elems = elems};
    for (int k = 0; k < n; k++) {
        Sem v = sema_arg(x->s, x->c, first + k);
        if (!v.cst)
            return (Sem){one.type, NULL};
        elems[k] = v.cst;
    }
    return sem_const(x->s, all);
}

static const Type *
type_transpose(CallCx *x, const ArrayLike *a)
{
    int perm[16], n;
    Sem axes = transpose_axes(x);
    if (!axes.type)
        return view(x, a, a->ndim, a->ndim < 2 ? a->layout : flipped(a->layout));
    if ((axes.type->kind == TY_TUPLE ? axes.type->n : 1) != a->ndim) {
        sema_error(x->s, DIAG_value, x->at, "axes don't match array");
        return NULL;
    }
    if (!axes_of(x, "axes", axes, a->ndim, perm, &n))
        return NULL;
    return view(x, a, n, permuted(a, perm));
}

static const Type *
type_swapaxes(CallCx *x, const ArrayLike *a)
{
    int p, q, perm[16];
    if (!arg_axis(x, "axis1", a->ndim, 0, &p) || !arg_axis(x, "axis2", a->ndim, 0, &q))
        return NULL;
    for (int k = 0; k < a->ndim; k++)
        perm[k] = k == p ? q : k == q ? p : k;
    return view(x, a, a->ndim, permuted(a, perm));
}

static const Type *
type_moveaxis(CallCx *x, const ArrayLike *a)
{
    int from[16], to[16], n, m, perm[16], next = 0;
    if (!axes_of(x, "source", arg_of(x, "source"), a->ndim, from, &n) ||
        !axes_of(x, "destination", arg_of(x, "destination"), a->ndim, to, &m))
        return NULL;
    if (n != m) {
        sema_error(
            x->s, DIAG_value, x->at,
            "`source` and `destination` arguments must have the same number of elements");
        return NULL;
    }
    for (int k = 0; k < a->ndim; k++)
        perm[k] = -1;
    for (int k = 0; k < n; k++)
        perm[to[k]] = from[k];
    for (int k = 0; k < a->ndim; k++) {
        bool moved = false;
        for (int j = 0; j < n; j++)
            moved |= from[j] == k;
        while (!moved && perm[next] >= 0)
            next++;
        if (!moved)
            perm[next] = k;
    }
    return view(x, a, a->ndim, permuted(a, perm));
}

/* A reshape is a view where the layout is known to allow it, else a copy in the order
 * asked for. */
static const Type *
type_reshape(CallCx *x, const ArrayLike *a)
{
    int ndim = 0, first = args_after(x), n = x->c->n_args - first;
    char order;
    if (!arg_order(x, 'C', &order))
        return NULL;
    if (order == 'K') {
        sema_error(x->s, DIAG_value, arg_place(x, "order"), "order 'K' is not permitted for reshaping");
        return NULL;
    }
    if (x->fn->id == BI_np_reshape) {
        if (!arg_shape(x, "shape", &ndim))
            return NULL;
    } else if (n == 1) {
        Sem v = sema_arg(x->s, x->c, first);
        const Node *at = sema_arg_node(x->c, first);
        if (!shape_rank(x, at ? at : x->at, "shape", v, &ndim))
            return NULL;
    } else {
        for (ndim = 0; ndim < n; ndim++) {
            Sem v = sema_arg(x->s, x->c, first + ndim);
            if (!is_int_type(v.type))
                return wrong_type(x, "shape", "integers", v.type);
        }
    }
    bool fortran = order == 'F' || (order == 'A' && a->layout == LAY_F);
    Layout l = fortran && ndim > 1 ? LAY_F : LAY_C;
    bool is_view = a->layout == (fortran && a->ndim > 1 ? LAY_F : LAY_C);
    if (a->layout != LAY_C && !fortran && ndim > 0) /* a view where strides allow it */
        return type_array(x->s->tt, a->d, ndim, LAY_A, a->readonly);
    return type_array(x->s->tt, a->d, ndim, l, a->readonly && is_view);
}

static const Type *
type_ravel(CallCx *x, const ArrayLike *a)
{
    char order;
    if (!arg_order(x, 'C', &order))
        return NULL;
    if (order == 'K' && a->layout != LAY_C) {
        Diag *g =
            sema_error(x->s, DIAG_unsupported, x->at,
                       "%s with order='K' of an array that is not C-contiguous is not "
                       "supported",
                       fn_text(x));
        diag_hint(x->s->diags, g, "ask for 'C' or 'F'");
        return NULL;
    }
    bool fortran = order == 'F' || (order == 'A' && a->layout == LAY_F);
    bool copy = x->fn->id == BI_np_flatten ||
                (a->ndim > 1 && fortran != (a->layout == LAY_F)) || a->layout == LAY_A;
    return type_array(x->s->tt, a->d, 1, LAY_C, a->readonly && !copy);
}

static const Type *
type_astype(CallCx *x, const ArrayLike *a)
{
    char order;
    DType d = a->d;
    bool given;
    if (!arg_dtype(x, &d, &given) || !arg_order(x, 'K', &order))
        return NULL;
    Sem casting = arg_of(x, "casting");
    const char *how =
        casting.cst && casting.cst->kind == CV_STR ? casting.cst->str : "unsafe";
    bool known = !strcmp(how, "no") || !strcmp(how, "equiv") || !strcmp(how, "safe") ||
                 !strcmp(how, "same_kind") || !strcmp(how, "unsafe");
    if (!known) {
        sema_error(x->s, DIAG_value, arg_place(x, "casting"),
                   "casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got '%s')",
                   how);
        return NULL;
    }
    bool ok = !strcmp(how, "same_kind") ? dtype_can_cast_same_kind(a->d, d)
              : !strcmp(how, "safe")    ? dtype_can_cast_safely(a->d, d)
              : !strcmp(how, "unsafe")  ? true
                                        : d == a->d;
    if (!ok) {
        sema_type_error(x->s, x->at,
                        "Cannot cast array data from %s to %s according to the rule '%s'",
                        dtype_info[a->d].name, dtype_info[d].name, how);
        return NULL;
    }
    if (a->scalar)
        return type_scalar(x->s->tt, d, false);
    bool copy;
    if (!arg_flag(x, "copy", true, &copy))
        return NULL;
    if (!copy && d == a->d && (order == 'K' || layout_kept(a, order) == a->layout))
        return a->type;
    return new_array(x, d, a->ndim, layout_kept(a, order));
}

static const Type *
type_view(CallCx *x, const ArrayLike *a)
{
    DType d = a->d;
    bool given;
    if (!arg_dtype(x, &d, &given))
        return NULL;
    bool resized = dtype_size(d) != dtype_size(a->d);
    if (a->ndim == 0 && resized) {
        sema_error(x->s, DIAG_value, x->at,
                   "Changing the dtype of a 0d array is only supported "
                   "if the itemsize is unchanged");
        return NULL;
    }
    if (a->type->kind == TY_SCALAR) {
        if (dtype_is_complex(d) == dtype_is_complex(a->d) && !dtype_is_complex(d))
            return type_scalar(x->s->tt, d, false);
        sema_error(x->s, DIAG_value, x->at, "the bits of complex numbers can't be viewed as another dtype, nor others as theirs");
        return NULL;
    }
    return type_array(x->s->tt, d, a->ndim,
                      resized && a->layout == LAY_F ? LAY_A : a->layout, a->readonly);
}

static const Type *
type_squeeze(CallCx *x, const ArrayLike *a)
{
    uint32_t mask;
    bool given;
    if (!arg_axes(x, "axis", a->ndim, &mask, &given))
        return NULL;
    if (a->scalar && !a->weak)
        return a->type;
    if (!given && a->ndim) {
        Diag *g =
            sema_error(x->s, DIAG_argument, x->at,
                       "%s without axis is not supported: the rank of the result would "
                       "depend on the shape",
                       fn_text(x));
        diag_hint(x->s->diags, g, "name the axes to drop, like np.squeeze(a, axis=0)");
        return NULL;
    }
    return view(x, a, a->ndim - __builtin_popcount(mask), a->layout);
}

/* Leading axes of size 1 leave C contiguity as it is. */
static const Type *
type_expand_dims(CallCx *x, const ArrayLike *a)
{
    int axes[16], n, extra = 1;
    Sem v = arg_of(x, "axis");
    if (v.type && v.type->kind == TY_TUPLE)
        extra = v.type->n;
    if (!v.type || a->ndim + extra > 16)
        return wrong_type(x, "axis", "an integer or a tuple of integers",
                          v.type ? v.type : type_none(x->s->tt));
    if (!axes_of(x, "axis", v, a->ndim + extra, axes, &n))
        return NULL;
    bool leading = true;
    for (int k = 0; k < n; k++)
        leading &= axes[k] < n;
    bool c = leading && a->layout == LAY_C;
    return view(x, a, a->ndim + n, a->ndim == 0 || c ? LAY_C : LAY_A);
}

static const Type *
type_broadcast_to(CallCx *x, const ArrayLike *a)
{
    int ndim;
    if (!arg_shape(x, "shape", &ndim))
        return NULL;
    if (ndim < a->ndim) {
        sema_error(
            x->s, DIAG_value, x->at,
            "input operand has more dimensions than allowed by the axis remapping: %d "
            "into %d",
            a->ndim, ndim);
        return NULL;
    }
    return type_array(x->s->tt, a->d, ndim, LAY_A, true);
}

static const Type *
type_atleast(CallCx *x, const ArrayLike *a, int want)
{
    if (a->ndim >= want && !a->scalar)
        return a->type;
    bool c = a->layout == LAY_C && (want < 3 || a->ndim == 0);
    return view(x, a, want, c ? LAY_C : LAY_A);
}

static const Type *
type_diagonal(CallCx *x, const ArrayLike *a)
{
    int p, q;
    if (a->ndim < 2) {
        sema_error(x->s, DIAG_value, x->at,
                   "diag requires an array of at least two dimensions");
        return NULL;
    }
    if (!arg_axis(x, "axis1", a->ndim, 0, &p) || !arg_axis(x, "axis2", a->ndim, 1, &q))
        return NULL;
    if (p == q) {
        sema_error(x->s, DIAG_value, x->at, "axis1 and axis2 cannot be the same");
        return NULL;
    }
    return type_array(x->s->tt, a->d, a->ndim - 1, LAY_A, true);
}

const Type *
type_shape(CallCx *x)
{
    ArrayLike a;
    const char *first = x->fn->id == BI_np_broadcast_to ? "array" : "a";
    if (!arg_array_at(x, 0, first, &a))
        return NULL;
    switch (x->fn->id) {
    case BI_np_transpose:
    case BI_np_method_transpose:
        return type_transpose(x, &a);
    case BI_np_reshape:
    case BI_np_method_reshape:
        return type_reshape(x, &a);
    case BI_np_ravel:
    case BI_np_flatten:
        return type_ravel(x, &a);
    case BI_np_astype:
        return type_astype(x, &a);
    case BI_np_view:
        return type_view(x, &a);
    case BI_np_squeeze:
        return type_squeeze(x, &a);
    case BI_np_swapaxes:
        return type_swapaxes(x, &a);
    case BI_np_moveaxis:
        return type_moveaxis(x, &a);
    case BI_np_expand_dims:
        return type_expand_dims(x, &a);
    case BI_np_broadcast_to:
        return type_broadcast_to(x, &a);
    case BI_np_atleast_1d:
        return type_atleast(x, &a, 1);
    case BI_np_atleast_2d:
        return type_atleast(x, &a, 2);
    case BI_np_atleast_3d:
        return type_atleast(x, &a, 3);
    case BI_np_diagonal:
        return type_diagonal(x, &a);
    default:
        sema_error(x->s, DIAG_unsupported, x->at, "%s is not supported in compiled code",
                   fn_text(x));
        return NULL;
    }
}
