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
        return wrong_type(x, name, "a number or an array", v.type ? v.type : type_none(x->s->tt)) !=
               NULL;
    if (a.ndim > ndim) {
        sema_error(x->s, DIAG_value, arg_place(x, name),
                   "could not broadcast %s into an array of %d dimensions", v.type->text, ndim);
        return false;
    }
    *d = a.d;
    return true;
}

/* np.zeros, np.ones, np.empty. Records have no ones. */
const Type *
type_np_filled(CallCx *x)
{
    DType d = DT_f64;
    Layout l;
    int ndim;
    bool given;
    if (!arg_shape(x, "shape", &ndim) || !order_layout(x, &l))
        return NULL;
    Sem dt = arg_of(x, "dtype");
    if (dt.cst && dt.cst->kind == CV_RECORD && x->fn->flags & RECORDS && l == LAY_C)
        return record_of(x->s, dt.cst, ndim);
    return arg_dtype(x, &d, &given) ? new_array(x, d, ndim, l) : NULL;
}

const Type *
type_np_full(CallCx *x)
{
    DType d = DT_f64;
    Layout l;
    int ndim;
    bool given;
    if (!arg_shape(x, "shape", &ndim) || !order_layout(x, &l) ||
        !value_dtype(x, "fill_value", ndim, &d) || !arg_dtype(x, &d, &given))
        return NULL;
    if (given && !fits_const(x->s, arg_place(x, "fill_value"), arg_of(x, "fill_value").cst, d))
        return NULL;
    return new_array(x, d, ndim, l);
}

/* The array that a function like np.zeros_like makes; the first argument is what it is like. */
static const Type *
like(CallCx *x, DType *d, int *ndim)
{
    ArrayLike a;
    char order;
    bool given;
    if (!arg_array_at(x, 0, builtin_params[x->fn->id].at[0].name, &a) || !arg_order(x, 'K', &order))
        return NULL;
    *d = a.d;
    *ndim = a.ndim;
    Layout l = layout_kept(&a, order);
    if (arg_of(x, "shape").type) {
        if (!arg_shape(x, "shape", ndim))
            return NULL;
        l = order == 'F' || (l == LAY_F && *ndim == a.ndim) ? LAY_F : LAY_C;
    }
    return arg_dtype(x, d, &given) ? new_array(x, *d, *ndim, l) : NULL;
}

const Type *
type_np_like(CallCx *x)
{
    DType d;
    int ndim;
    return like(x, &d, &ndim);
}

const Type *
type_np_full_like(CallCx *x)
{
    DType d, fill;
    int ndim;
    const Type *t = like(x, &d, &ndim);
    bool ok = t && value_dtype(x, "fill_value", ndim, &fill) &&
              fits_const(x->s, arg_place(x, "fill_value"), arg_of(x, "fill_value").cst, d);
    return ok ? t : NULL;
}

/* np.arange([start,] stop [, step]): int64, float64 or complex128 by the kind of its
 * arguments. */
const Type *
type_np_arange(CallCx *x)
{
    int first = args_after(x), n = x->c->n_args - first;
    if (n < 1 || n > 3) {
        sema_error(x->s, DIAG_argument, x->at, "np.arange takes 1 to 3 numbers, not %d", n);
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
        if (dtype_is_float(a.d) || a.d == DT_u64) /* beside int64, the type of the step */
            d = dtype_promote(d, DT_f64);
        else if (dtype_is_complex(a.d))
            d = DT_c128;
    }
    if (!arg_dtype(x, &d, &given))
        return NULL;
    return new_array(x, d, 1, LAY_C);
}

const Type *
type_np_linspace(CallCx *x)
{
    DType d[3] = {DT_f64, DT_f64, DT_f64};
    bool weak[3] = {true, true, true}, retstep, given;
    int axis;
    static const char *const names[] = {"start", "stop"};
    for (int k = 0; k < 2; k++) {
        ArrayLike a;
        if (!arg_array_at(x, k, names[k], &a))
            return NULL;
        d[k] = a.d;
        weak[k] = a.weak;
    }
    Sem num = arg_of(x, "num");
    if (num.type && !is_int_type(num.type))
        return wrong_type(x, "num", "an integer", num.type);
    DType r = dtype_promote_mixed(3, d, weak), step = r;
    if (!arg_flag(x, "retstep", false, &retstep) || !arg_dtype(x, &r, &given) ||
        !arg_axis(x, "axis", 1, 0, &axis))
        return NULL;
    const Type *both[2] = {new_array(x, r, 1, LAY_C), type_scalar(x->s->tt, step, false)};
    if (dtype_is_complex(step) && dtype_is_int(r)) {
        sema_type_error(
            x->s, x->at,
            "ufunc 'floor' not supported for the input types, and the inputs could not be safely "
            "coerced to any supported types according to the casting rule ''safe''");
        return NULL;
    }
    return retstep ? type_tuple(x->s->tt, 2, both) : both[0];
}

static bool
are_ints(CallCx *x, int n, const char *const *names)
{
    for (int k = 0; k < n; k++) {
        Sem v = arg_of(x, names[k]);
        if (v.type && !is_int_type(v.type))
            return wrong_type(x, names[k], "an integer", v.type) != NULL;
    }
    return true;
}

const Type *
type_np_eye(CallCx *x)
{
    static const char *const ints[] = {"N", "M", "k"};
    DType d = DT_f64;
    Layout l;
    bool given;
    bool ok = are_ints(x, SW_LEN(ints), ints) && arg_dtype(x, &d, &given) && order_layout(x, &l);
    return ok ? new_array(x, d, 2, l) : NULL;
}

const Type *
type_np_identity(CallCx *x)
{
    static const char *const ints[] = {"n"};
    DType d = DT_f64;
    bool given;
    return are_ints(x, 1, ints) && arg_dtype(x, &d, &given) ? new_array(x, d, 2, LAY_C) : NULL;
}

static bool
has_layout(const ArrayLike *a, char order)
{
    if (a->ndim < 2)
        return order == 'K' || order == 'A' || a->layout == LAY_C;
    return order == 'K' || order == 'A' || (order == 'C' && a->layout == LAY_C) ||
           (order == 'F' && a->layout == LAY_F);
}

/* np.array(x, copy=False): x itself, or an error. */
static const Type *
same_array(CallCx *x, const ArrayLike *a, DType d, char order)
{
    bool is_array = sema_arg(x->s, x->c, 0).type->kind == TY_ARRAY;
    if (is_array && d == a->d) /* the rest is asked at run time */
        return has_layout(a, order)
                   ? a->type
                   : type_array(x->s->tt, d, a->ndim, layout_kept(a, order), a->readonly);
    sema_error(x->s, DIAG_value, arg_place(x, "copy"),
               "unable to avoid copy of %s while creating an array as requested", a->type->text);
    return NULL;
}

static bool
takes_numbers(CallCx *x, const char *name, DType d)
{
    Sem v = arg_of(x, name);
    const Node *at = arg_place(x, name);
    return fits_const(x->s, at, v.cst, d) && no_complex(x->s, at, v.type, d, false);
}

/* np.asarray(a) and its two siblings are `a` itself where it is as asked already. least: axes of
 * the result. */
static const Type *
as_array_of(CallCx *x, const char *name, char order, int least)
{
    ArrayLike a;
    bool given;
    if (!arg_array(x, name, &a) || (row_param(x->fn, "order") >= 0 && !arg_order(x, order, &order)))
        return NULL;
    DType d = a.d;
    if (!arg_dtype(x, &d, &given) || (given && !takes_numbers(x, name, d)))
        return NULL;
    int ndim = a.ndim < least ? least : a.ndim;
    if (!a.scalar && d == a.d && ndim == a.ndim && has_layout(&a, order))
        return a.type;
    const Type *t = new_array(x, d, ndim, layout_kept(&a, order));
    bool may_be_same = !a.scalar && d == a.d && a.readonly;
    Readonly how = a.readonly == RO_VIEW ? RO_PERHAPS : a.readonly;
    return may_be_same ? type_array(x->s->tt, d, ndim, (Layout)t->layout, how) : t;
}

static bool
is_none_given(CallCx *x, const char *name)
{
    Sem v = sema_arg(x->s, x->c, row_param(x->fn, name));
    return v.type && v.type->kind == TY_NONE;
}

/* np.array(x): a copy, as Python numbers, displays and comprehensions become arrays too.
 */
const Type *
type_np_array(CallCx *x)
{
    ArrayLike a;
    char order;
    bool given, copy;
    if (!arg_array(x, "object", &a) || !arg_order(x, 'K', &order))
        return NULL;
    DType d = a.d;
    if (!arg_dtype(x, &d, &given) || !arg_unsupported(x, "ndmin") ||
        !arg_flag(x, "copy", true, &copy))
        return NULL;
    if (is_none_given(x, "copy"))
        return as_array_of(x, "object", order, 0);
    if (!copy)
        return same_array(x, &a, d, order);
    if (given && !takes_numbers(x, "object", d))
        return NULL;
    return new_array(x, d, a.ndim, layout_kept(&a, order));
}

const Type *
type_np_asarray(CallCx *x)
{
    return as_array_of(x, "a", 'K', 0);
}

const Type *
type_np_ascontiguousarray(CallCx *x)
{
    return as_array_of(x, "a", 'C', 1);
}

const Type *
type_np_asfortranarray(CallCx *x)
{
    return as_array_of(x, "a", 'F', 1);
}

const Type *
type_np_copy(CallCx *x)
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
known_dtype(CallCx *x, DType d)
{
    Const *c = NEW(x->s->a, Const);
    c->kind = CV_DTYPE;
    c->dtype = (uint16_t)d;
    x->cst = c;
    return type_dtype(x->s->tt, d, false, false);
}

const Type *
type_np_dtype(CallCx *x)
{
    DType d;
    return sem_dtype(x, arg_place(x, "dtype"), sema_arg(x->s, x->c, 0), &d) ? known_dtype(x, d)
                                                                            : NULL;
}

/* Of dtypes, numbers and arrays: np.result_type, and np.promote_types of two dtypes. */
const Type *
type_np_result_type(CallCx *x)
{
    static const DType python[] = {DT_bool, DT_i64, DT_i64, DT_f64, DT_c128};
    enum { MOST = 64 };
    DType d[MOST] = {0};
    bool weak[MOST] = {0}, all_weak = true;
    int n = x->c->n_args;
    if (x->c->splat || n == 0 || n > MOST) {
        sema_error(x->s, n ? DIAG_unsupported : DIAG_value, x->at,
                   n ? "%s takes arguments that are written one by one"
                     : "at least one array or dtype is required",
                   fn_text(x));
        return NULL;
    }
    for (int k = 0; k < n; k++) {
        Sem v = sema_arg(x->s, x->c, k);
        ArrayLike a;
        if (v.type && as_array(v.type, &a))
            d[k] = a.d, weak[k] = a.weak;
        else if (!v.type || !sem_dtype(x, sema_arg_node(x->c, k), v, &d[k]))
            return NULL;
        all_weak &= weak[k];
    }
    DType r = dtype_promote_mixed(n, d, weak);
    return known_dtype(x, all_weak ? python[dtype_kind(r)] : r);
}
