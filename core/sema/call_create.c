/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that make arrays: np.zeros(shape), np.full_like(a, v), np.arange(n),
 * np.array([...]). Takes the bound call; yields an array type whose rank comes from the
 * type of the shape (an int is one axis, a tuple one for each element), whose dtype from
 * dtype= or, without, from the values. */
#include "sema/calls.h"

static bool
order_layout(CallCx *x, Layout *l)
{
    char order;
    if (!arg_order(x, 'C', &order))
        return false;
    *l = order == 'F' ? LAY_F : LAY_C;
    if (order == 'C' || order == 'F')
        return true;
    sema_error(x->s, DIAG_value, arg_place(x, "order"), "only 'C' or 'F' order is permitted");
    return false;
}

/* The dtype an array gets that holds this value: Python's numbers take the widest of
 * their kind. */
static bool
value_dtype(CallCx *x, const char *name, int ndim, DType *d)
{
    Sem v = arg_of(x, name);
    ArrayLike a;
    if (!v.type || !as_array(v.type, &a))
        return wrong_type(x, name, "a number or an array",
                          v.type ? v.type : type_none(x->s->tt)) != NULL;
    if (a.ndim > ndim) {
        sema_error(x->s, DIAG_value, arg_place(x, name),
                   "could not broadcast %s into an array of %d dimensions", v.type->text,
                   ndim);
        return false;
    }
    *d = a.d;
    return true;
}

static const Type *
type_filled(CallCx *x)
{
    DType d = DT_f64;
    Layout l;
    int ndim;
    bool given, full = x->fn->id == BI_np_full;
    if (!arg_shape(x, "shape", &ndim) || !order_layout(x, &l))
        return NULL;
    Sem dt = arg_of(x, "dtype");
    if (dt.cst && dt.cst->kind == CV_RECORD && !full && x->fn->id != BI_np_ones && l == LAY_C)
        return record_of(x->s, dt.cst, ndim);
    if ((full && !value_dtype(x, "fill_value", ndim, &d)) || !arg_dtype(x, &d, &given))
        return NULL;
    if (full && given &&
        !fits_const(x->s, arg_place(x, "fill_value"), arg_of(x, "fill_value").cst, d))
        return NULL;
    return new_array(x, d, ndim, l);
}

static const Type *
type_like(CallCx *x)
{
    ArrayLike a;
    char order;
    DType d;
    bool given;
    const char *first = x->fn->id == BI_np_empty_like ? "prototype" : "a";
    if (!arg_array_at(x, 0, first, &a) || !arg_order(x, 'K', &order))
        return NULL;
    d = a.d;
    int ndim = a.ndim;
    Layout l = layout_kept(&a, order);
    if (arg_of(x, "shape").type) {
        if (!arg_shape(x, "shape", &ndim))
            return NULL;
        l = order == 'F' || (l == LAY_F && ndim == a.ndim) ? LAY_F : LAY_C;
    }
    DType fill;
    if (x->fn->id == BI_np_full_like && !value_dtype(x, "fill_value", ndim, &fill))
        return NULL;
    if (!arg_dtype(x, &d, &given))
        return NULL;
    if (x->fn->id == BI_np_full_like &&
        !fits_const(x->s, arg_place(x, "fill_value"), arg_of(x, "fill_value").cst, d))
        return NULL;
    return new_array(x, d, ndim, l);
}

/* np.arange([start,] stop [, step]): int64, float64 or complex128 by the kind of its
 * arguments. */
static const Type *
type_arange(CallCx *x)
{
    int first = args_after(x), n = x->c->n_args - first;
    if (n < 1 || n > 3) {
        sema_error(x->s, DIAG_argument, x->at, "np.arange takes 1 to 3 numbers, not %d",
                   n);
        return NULL;
    }
    DType d = DT_i64;
    bool given;
    for (int k = 0; k < n; k++) {
        Sem v = sema_arg(x->s, x->c, first + k);
        ArrayLike a;
        if (!v.type || !as_array(v.type, &a) || a.ndim != 0) {
            sema_error(x->s, DIAG_argument, x->at, "np.arange takes numbers, not %s",
                       v.type ? v.type->text : "nothing");
            return NULL;
        }
        if (dtype_is_float(a.d))
            d = dtype_promote(d, DT_f64);
        else if (dtype_is_complex(a.d))
            d = DT_c128;
    }
    if (!arg_dtype(x, &d, &given))
        return NULL;
    return new_array(x, d, 1, LAY_C);
}

static const Type *
type_linspace(CallCx *x)
{
    DType d[3] = {DT_f64, DT_f64, DT_f64};
    bool weak[3] = {true, true, true}, retstep, given;
    static const char *const names[] = {"start", "stop"};
    for (int k = 0; k < 2; k++) {
        ArrayLike a;
        if (!arg_array_at(x, k, names[k], &a))
            return NULL;
        if (a.ndim) {
            sema_error(x->s, DIAG_unsupported, arg_place(x, names[k]),
                       "np.linspace between arrays is not supported in compiled code");
            return NULL;
        }
        d[k] = a.d;
        weak[k] = a.weak;
    }
    Sem num = arg_of(x, "num");
    if (num.type && !is_int_type(num.type))
        return wrong_type(x, "num", "an integer", num.type);
    DType r = dtype_promote_mixed(3, d, weak), step = r;
    if (!arg_flag(x, "retstep", false, &retstep) || !arg_dtype(x, &r, &given) ||
        !arg_unsupported(x, "axis"))
        return NULL;
    const Type *both[2] = {new_array(x, r, 1, LAY_C), type_scalar(x->s->tt, step, false)};
    return retstep ? type_tuple(x->s->tt, 2, both) : both[0];
}

static const Type *
type_eye(CallCx *x)
{
    static const char *const ints[] = {"N", "M", "k", "n"};
    DType d = DT_f64;
    Layout l = LAY_C;
    bool given;
    for (int k = 0; k < SW_LEN(ints); k++) {
        Sem v = arg_of(x, ints[k]);
        if (v.type && !is_int_type(v.type))
            return wrong_type(x, ints[k], "an integer", v.type);
    }
    if (!arg_dtype(x, &d, &given) || (x->fn->id == BI_np_eye && !order_layout(x, &l)))
        return NULL;
    return new_array(x, d, 2, l);
}

/* np.array(x): a copy, as Python numbers, displays and comprehensions become arrays too.
 */
static const Type *
type_array_of(CallCx *x, const char *first)
{
    ArrayLike a;
    char order;
    bool given, is_array = x->fn->id == BI_np_array;
    if (!arg_array_at(x, 0, first, &a) || !arg_order(x, 'K', &order))
        return NULL;
    DType d = a.d;
    if (!arg_dtype(x, &d, &given))
        return NULL;
    if (is_array && !arg_unsupported(x, "ndmin"))
        return NULL;
    const Const *c = arg_of(x, first).cst;
    if (given && !fits_const(x->s, arg_place(x, first), c, d))
        return NULL;
    return new_array(x, d, a.ndim, layout_kept(&a, order));
}

static bool
has_layout(const ArrayLike *a, char order)
{
    if (a->ndim < 2)
        return order == 'K' || order == 'A' || a->layout == LAY_C;
    return order == 'K' || order == 'A' || (order == 'C' && a->layout == LAY_C) ||
           (order == 'F' && a->layout == LAY_F);
}

/* np.asarray(a) and its two siblings are `a` itself where it is as asked already. */
static const Type *
type_asarray(CallCx *x)
{
    ArrayLike a;
    char order = x->fn->id == BI_np_ascontiguousarray ? 'C' : 'F';
    bool given;
    if (!arg_array_at(x, 0, "a", &a))
        return NULL;
    if (x->fn->id == BI_np_asarray && !arg_order(x, 'K', &order))
        return NULL;
    DType d = a.d;
    if (!arg_dtype(x, &d, &given))
        return NULL;
    int ndim = a.ndim == 0 && x->fn->id != BI_np_asarray ? 1 : a.ndim;
    if (!a.scalar && d == a.d && ndim == a.ndim && has_layout(&a, order))
        return a.type;
    const Type *t = new_array(x, d, ndim, layout_kept(&a, order));
    bool may_be_same = !a.scalar && d == a.d && a.readonly;
    return may_be_same ? type_array(x->s->tt, d, ndim, (Layout)t->layout, true) : t;
}

static const Type *
type_copy(CallCx *x)
{
    ArrayLike a;
    char order;
    if (!arg_array_at(x, 0, "a", &a) || !arg_order(x, x->method ? 'C' : 'K', &order))
        return NULL;
    if (a.scalar && x->method)
        return type_scalar(x->s->tt, a.d, false);
    return new_array(x, a.d, a.ndim, layout_kept(&a, order));
}

static const Type *
type_dtype_call(CallCx *x)
{
    DType d;
    if (!sem_dtype(x, arg_place(x, "dtype"), sema_arg(x->s, x->c, 0), &d))
        return NULL;
    Const *c = NEW(x->s->a, Const);
    c->kind = CV_DTYPE;
    c->dtype = (uint8_t)d;
    x->cst = c;
    return type_dtype(x->s->tt, d, false);
}

const Type *
type_create(CallCx *x)
{
    const Type *first = x->c->n_args ? sema_arg(x->s, x->c, 0).type : NULL;
    if (first && first->kind == TY_RECORD && record_is_created(x->fn))
        return record_create(x, first);
    switch (x->fn->id) {
    case BI_np_zeros:
    case BI_np_ones:
    case BI_np_empty:
    case BI_np_full:
        return type_filled(x);
    case BI_np_zeros_like:
    case BI_np_ones_like:
    case BI_np_empty_like:
    case BI_np_full_like:
        return type_like(x);
    case BI_np_arange:
        return type_arange(x);
    case BI_np_linspace:
        return type_linspace(x);
    case BI_np_eye:
    case BI_np_identity:
        return type_eye(x);
    case BI_np_array:
        return type_array_of(x, "object");
    case BI_np_copy:
        return type_copy(x);
    case BI_np_dtype:
        return type_dtype_call(x);
    default:
        return type_asarray(x);
    }
}
