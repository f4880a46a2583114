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

/* A view whose axes are in the array's own order. */
static const Type *
view_in_order(CallCx *x, const ArrayLike *a, int ndim, Layout l)
{
    return l == LAY_A ? type_strided(x->s->tt, a->d, ndim, a->order == LAY_F, a->readonly)
                      : view(x, a, ndim, l);
}

static const Type *
flipped(CallCx *x, const ArrayLike *a)
{
    if (a->layout == LAY_A)
        return type_strided(x->s->tt, a->d, a->ndim, a->order != LAY_F, a->readonly);
    return view(x, a, a->ndim, a->layout == LAY_C ? LAY_F : LAY_C);
}

/* The axes perm[0..n) of an array. */
static const Type *
permuted(CallCx *x, const ArrayLike *a, const int *perm)
{
    bool same = true, reversed = true;
    for (int k = 0; k < a->ndim; k++) {
        same &= perm[k] == k;
        reversed &= perm[k] == a->ndim - 1 - k;
    }
    return same       ? view_in_order(x, a, a->ndim, a->layout)
           : reversed ? flipped(x, a)
                      : view(x, a, a->ndim, LAY_A);
}

/* The axes that a.transpose(1, 0) or a.transpose((1, 0)) gives; v.type NULL: none. */
static Sem
axes_given(CallCx *x)
{
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
transposed(CallCx *x, const ArrayLike *a, Sem axes)
{
    int perm[16], n;
    /* NumPy's numbers have the method, which gives the number */
    bool number = a->scalar && !a->weak;
    if (!axes.type)
        return number ? a->type : a->ndim < 2 ? view(x, a, a->ndim, a->layout) : flipped(x, a);
    if (axes.type->kind == TY_SCALAR && axes.type->dtype == DT_bool) {
        sema_type_error(x->s, x->at, "expected a sequence of integers or a single integer, got %s",
                        axes.type->text);
        return NULL;
    }
    if ((axes.type->kind == TY_TUPLE ? axes.type->n : 1) != a->ndim) {
        sema_error(x->s, DIAG_value, x->at, "axes don't match array");
        return NULL;
    }
    if (!axes_of(x, "axes", axes, a->ndim, perm, &n))
        return NULL;
    return number ? a->type : permuted(x, a, perm);
}

const Type *
type_np_transpose(CallCx *x)
{
    ArrayLike a;
    return arg_array(x, "a", &a) ? transposed(x, &a, arg_of(x, "axes")) : NULL;
}

const Type *
type_np_method_transpose(CallCx *x)
{
    ArrayLike a;
    return arg_array(x, "a", &a) ? transposed(x, &a, axes_given(x)) : NULL;
}

const Type *
type_np_swapaxes(CallCx *x)
{
    int p, q, perm[16];
    ArrayLike a;
    if (!arg_array(x, "a", &a))
        return NULL;
    if (!arg_axis(x, "axis1", a.ndim, 0, &p) || !arg_axis(x, "axis2", a.ndim, 0, &q))
        return NULL;
    for (int k = 0; k < a.ndim; k++)
        perm[k] = k == p ? q : k == q ? p : k;
    return permuted(x, &a, perm);
}

const Type *
type_np_moveaxis(CallCx *x)
{
    int from[16], to[16], n, m, perm[16], next = 0;
    ArrayLike a;
    if (!arg_array(x, "a", &a))
        return NULL;
    if (!axes_of(x, "source", arg_of(x, "source"), a.ndim, from, &n) ||
        !axes_of(x, "destination", arg_of(x, "destination"), a.ndim, to, &m))
        return NULL;
    if (n != m) {
        sema_error(x->s, DIAG_value, x->at,
                   "`source` and `destination` arguments must have the same number of elements");
        return NULL;
    }
    for (int k = 0; k < a.ndim; k++)
        perm[k] = -1;
    for (int k = 0; k < n; k++)
        perm[to[k]] = from[k];
    for (int k = 0; k < a.ndim; k++) {
        bool moved = false;
        for (int j = 0; j < n; j++)
            moved |= from[j] == k;
        while (!moved && perm[next] >= 0)
            next++;
        if (!moved)
            perm[next] = k;
    }
    return permuted(x, &a, perm);
}

/* Of what may be a view of an array, or a copy. */
static Readonly
perhaps_readonly(const ArrayLike *a)
{
    return a->readonly == RO_VIEW ? RO_PERHAPS : a->readonly;
}

/* order='A' is Fortran's for what is in that order and not in C's: one for which that is seen at
 * run time. */
static bool
order_varies(const ArrayLike *a, char order, int ndim)
{
    return order == 'A' && a->ndim > 1 && (a->layout == LAY_A || (a->layout == LAY_F && ndim > 1));
}

/* A reshape is a view wherever strides allow it, which may be known only at run time; else a copy
 * in the order asked for. */
static const Type *
reshaped(CallCx *x, const ArrayLike *a, int ndim)
{
    char order;
    if (!arg_order(x, 'C', &order))
        return NULL;
    if (order == 'K') {
        sema_error(x->s, DIAG_value, arg_place(x, "order"),
                   "order 'K' is not permitted for reshaping");
        return NULL;
    }
    Layout l = order == 'F' || (order == 'A' && a->layout == LAY_F) ? LAY_F : LAY_C;
    bool is_view = a->layout == (a->ndim > 1 ? l : LAY_C) && !order_varies(a, order, ndim);
    return is_view ? type_array(x->s->tt, a->d, ndim, l, a->readonly)
                   : type_strided(x->s->tt, a->d, ndim, l == LAY_F, perhaps_readonly(a));
}

const Type *
type_np_reshape(CallCx *x)
{
    ArrayLike a;
    int ndim;
    return arg_array(x, "a", &a) && arg_shape(x, "shape", &ndim) ? reshaped(x, &a, ndim) : NULL;
}

/* a.reshape(2, 3), a.reshape((2, 3)) */
const Type *
type_np_method_reshape(CallCx *x)
{
    ArrayLike a;
    int ndim = 0, first = args_after(x), n = x->c->n_args - first;
    if (!arg_array(x, "a", &a))
        return NULL;
    if (!n) {
        sema_error(x->s, DIAG_argument, x->at, "reshape() takes exactly 1 argument (0 given)");
        return NULL;
    }
    if (n == 1) {
        Sem v = sema_arg(x->s, x->c, first);
        const Node *at = sema_arg_node(x->c, first);
        return shape_rank(x, at ? at : x->at, "shape", v, &ndim) ? reshaped(x, &a, ndim) : NULL;
    }
    for (; ndim < n; ndim++) {
        Sem v = sema_arg(x->s, x->c, first + ndim);
        if (!is_size_type(v.type))
            return wrong_type(x, "shape", "integers", v.type);
    }
    return reshaped(x, &a, ndim);
}

static const Type *
flat(CallCx *x, bool copy)
{
    char order;
    ArrayLike a;
    if (!arg_array(x, "a", &a) || !arg_order(x, 'C', &order))
        return NULL;
    if (order == 'K' && a.layout != LAY_C) {
        Diag *g = sema_error(x->s, DIAG_unsupported, x->at,
                             "%s with order='K' of an array that is not C-contiguous is not "
                             "supported",
                             fn_text(x));
        diag_hint(x->s->diags, g, "ask for 'C' or 'F'");
        return NULL;
    }
    return type_array(x->s->tt, a.d, 1, LAY_C, copy ? RO_NO : perhaps_readonly(&a));
}

const Type *
type_np_ravel(CallCx *x)
{
    return flat(x, false);
}

const Type *
type_np_flatten(CallCx *x)
{
    return flat(x, true);
}

const Type *
type_np_astype(CallCx *x)
{
    char order;
    ArrayLike a;
    if (!arg_array(x, "a", &a))
        return NULL;
    DType d = a.d;
    bool given;
    if (!arg_dtype(x, &d, &given) || !arg_order(x, 'K', &order))
        return NULL;
    if (!given) /* None */
        d = DT_f64;
    Sem casting = arg_of(x, "casting");
    const char *how = casting.cst && casting.cst->kind == CV_STR ? casting.cst->str : "unsafe";
    bool known = !strcmp(how, "no") || !strcmp(how, "equiv") || !strcmp(how, "safe") ||
                 !strcmp(how, "same_kind") || !strcmp(how, "unsafe");
    if (!known) {
        sema_error(
            x->s, DIAG_value, arg_place(x, "casting"),
            "casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got '%s')",
            how);
        return NULL;
    }
    bool ok = !strcmp(how, "same_kind") ? dtype_can_cast_same_kind(a.d, d)
              : !strcmp(how, "safe")    ? dtype_can_cast_safely(a.d, d)
              : !strcmp(how, "unsafe")  ? true
                                        : d == a.d;
    if (!ok) {
        sema_type_error(x->s, x->at,
                        "Cannot cast array data from %s to %s according to the rule '%s'",
                        dtype_info[a.d].name, dtype_info[d].name, how);
        return NULL;
    }
    if (a.scalar)
        return type_scalar(x->s->tt, d, false);
    bool copy;
    if (!arg_flag(x, "copy", true, &copy))
        return NULL;
    if (!copy && d == a.d && (order == 'K' || layout_kept(&a, order) == a.layout))
        return a.type;
    return new_array(x, d, a.ndim, layout_kept(&a, order));
}

const Type *
type_np_view(CallCx *x)
{
    ArrayLike a;
    if (!arg_array(x, "a", &a))
        return NULL;
    DType d = a.d;
    bool given;
    if (!arg_dtype(x, &d, &given))
        return NULL;
    bool resized = dtype_size(d) != dtype_size(a.d);
    if (a.ndim == 0 && resized) {
        sema_error(x->s, DIAG_value, x->at,
                   "Changing the dtype of a 0d array is only supported "
                   "if the itemsize is unchanged");
        return NULL;
    }
    if (a.type->kind == TY_SCALAR) {
        if (dtype_is_complex(d) == dtype_is_complex(a.d) && !dtype_is_complex(d))
            return type_scalar(x->s->tt, d, false);
        sema_error(
            x->s, DIAG_value, x->at,
            "the bits of complex numbers can't be viewed as another dtype, nor others as theirs");
        return NULL;
    }
    return type_array(x->s->tt, d, a.ndim, resized && a.layout == LAY_F ? LAY_A : a.layout,
                      a.readonly);
}

const Type *
type_np_squeeze(CallCx *x)
{
    uint32_t mask;
    bool given;
    ArrayLike a;
    if (!arg_array(x, "a", &a))
        return NULL;
    if (!arg_axes(x, "axis", a.ndim, &mask, &given))
        return NULL;
    if (a.scalar && !a.weak)
        return a.type;
    if (!given && a.ndim) {
        Diag *g = sema_error(x->s, DIAG_argument, x->at,
                             "%s without axis is not supported: the rank of the result would "
                             "depend on the shape",
                             fn_text(x));
        diag_hint(x->s->diags, g, "name the axes to drop, like np.squeeze(a, axis=0)");
        return NULL;
    }
    return view_in_order(x, &a, a.ndim - __builtin_popcount(mask), a.layout);
}

/* Leading axes of size 1 leave C contiguity as it is, and any axes of size 1 Fortran's. */
const Type *
type_np_expand_dims(CallCx *x)
{
    int axes[16], n, extra = 1;
    ArrayLike a;
    if (!arg_array(x, "a", &a))
        return NULL;
    Sem v = arg_of(x, "axis");
    if (v.type && v.type->kind == TY_TUPLE)
        extra = v.type->n;
    if (!v.type || a.ndim + extra > 16)
        return wrong_type(x, "axis", "an integer or a tuple of integers",
                          v.type ? v.type : type_none(x->s->tt));
    if (!axes_of(x, "axis", v, a.ndim + extra, axes, &n))
        return NULL;
    bool leading = true;
    for (int k = 0; k < n; k++)
        leading &= axes[k] < n;
    bool c = leading && a.layout == LAY_C;
    Layout l = a.ndim == 0 || c ? LAY_C : a.layout == LAY_F ? LAY_F : LAY_A;
    return view_in_order(x, &a, a.ndim + n, l);
}

const Type *
type_np_broadcast_to(CallCx *x)
{
    int ndim;
    ArrayLike a;
    if (!arg_array(x, "array", &a))
        return NULL;
    if (!arg_shape(x, "shape", &ndim))
        return NULL;
    if (ndim < a.ndim) {
        sema_error(x->s, DIAG_value, x->at,
                   "input operand has more dimensions than allowed by the axis remapping: %d "
                   "into %d",
                   a.ndim, ndim);
        return NULL;
    }
    return type_array(x->s->tt, a.d, ndim, LAY_A, RO_VIEW);
}

const Type *
type_np_atleast(CallCx *x)
{
    ArrayLike a;
    int want = x->fn->op;
    if (!arg_array(x, "a", &a))
        return NULL;
    if (a.ndim >= want && !a.scalar)
        return a.type;
    bool c = a.layout == LAY_C && (want < 3 || a.ndim == 0);
    return view_in_order(x, &a, want, c ? LAY_C : a.layout == LAY_F ? LAY_F : LAY_A);
}

const Type *
type_np_diagonal(CallCx *x)
{
    int p, q;
    ArrayLike a;
    if (!arg_array(x, "a", &a))
        return NULL;
    if (a.ndim < 2) {
        sema_error(x->s, DIAG_value, x->at, "diag requires an array of at least two dimensions");
        return NULL;
    }
    if (!arg_axis(x, "axis1", a.ndim, 0, &p) || !arg_axis(x, "axis2", a.ndim, 1, &q))
        return NULL;
    if (p == q) {
        sema_error(x->s, DIAG_value, x->at, "axis1 and axis2 cannot be the same");
        return NULL;
    }
    return type_array(x->s->tt, a.d, a.ndim - 1, LAY_A, RO_VIEW);
}

/* Read-only, for elements may be in several places. */
const Type *
type_np_as_strided(CallCx *x)
{
    int ndim, n;
    ArrayLike a;
    const Type *shape = arg_of(x, "shape").type, *strides = arg_of(x, "strides").type;
    if (!arg_array(x, "x", &a))
        return NULL;
    if (a.scalar) {
        sema_error(x->s, DIAG_unsupported, x->at, "%s takes an array in compiled code", fn_text(x));
        return NULL;
    }
    ndim = n = a.ndim;
    bool sized = shape && shape->kind != TY_NONE, stepped = strides && strides->kind != TY_NONE;
    if (sized && !arg_shape(x, "shape", &ndim))
        return NULL;
    if (stepped && !arg_shape(x, "strides", &n))
        return NULL;
    if (sized && !stepped && a.layout == LAY_C)
        n = ndim; /* those of an array of that shape; else the array's own */
    if (sized && !stepped && a.layout == LAY_A) {
        Diag *g = sema_error(x->s, DIAG_unsupported, x->at,
                             "%s with a shape alone takes arrays that are known to lie in one "
                             "piece in compiled code",
                             fn_text(x));
        diag_hint(x->s->diags, g, "give the strides, too");
        return NULL;
    }
    if (ndim != n) {
        sema_error(x->s, DIAG_value, x->at, "shape and strides must have as many elements");
        return NULL;
    }
    return type_array(x->s->tt, a.d, ndim, LAY_A, RO_VIEW);
}
