/* SPDX-License-Identifier: BSD-3-Clause
 * Reductions, scans, and products of matrices: np.sum(a, axis=0), a.cumsum(), np.dot(a,
 * b). Takes the bound call; yields the accumulator's dtype as NumPy chooses it (sums of
 * small integers are int64) and the rank that axis and keepdims leave. Without an axis a
 * reduction is a scalar. */
#include "sema/calls.h"

static DType
sum_dtype(DType d)
{
    if (d == DT_bool || dtype_kind(d) == DK_INT)
        return DT_i64;
    return dtype_kind(d) == DK_UINT ? DT_u64 : d;
}

/* Without dtype=, a reduction or scan runs in the loop that takes both its elements and out=. */
static DType
loop_of(CallCx *x, const ArrayLike *a, DType usual)
{
    Sem out = arg_of(x, "out");
    return out.type && out.type->kind == TY_ARRAY ? dtype_promote(a->d, (DType)out.type->dtype)
                                                  : usual;
}

/* out= decides the type: it must have the result's rank, and take its dtype. */
static const Type *
reduce_out(CallCx *x, const Type *result, DType d, int ndim)
{
    Sem out = arg_of(x, "out");
    if (!out.type)
        return result;
    if (out.type->kind != TY_ARRAY)
        return wrong_type(x, "out", "an array", out.type);
    if (out.type->readonly) {
        sema_readonly(x->s, arg_place(x, "out"), "output array is read-only");
        return NULL;
    }
    if (out.type->ndim != ndim) {
        sema_error(x->s, DIAG_value, arg_place(x, "out"),
                   "%s: argument 'out' has %d dimensions, but the result has %d", fn_text(x),
                   out.type->ndim, ndim);
        return NULL;
    }
    if (dtype_can_cast_same_kind(d, (DType)out.type->dtype))
        return out.type;
    sema_type_error(x->s, arg_place(x, "out"),
                    "%s: cannot cast the result from %s to %s of argument 'out'", fn_text(x),
                    dtype_info[d].name, dtype_info[out.type->dtype].name);
    return NULL;
}

const Type *
type_np_scan(CallCx *x)
{
    int axis;
    bool given;
    ArrayLike a;
    if (!arg_array(x, "a", &a))
        return NULL;
    DType d = loop_of(x, &a, sum_dtype(a.d));
    bool flat = !arg_of(x, "axis").type;
    int ndim = flat || a.ndim == 0 ? 1 : a.ndim;
    if (!arg_axis(x, "axis", ndim, 0, &axis) || !arg_dtype(x, &d, &given))
        return NULL;
    x->c->n_in = x->c->n_out = 1;
    x->c->in[0] = a.d;
    x->c->out[0] = d;
    Layout l = flat ? LAY_C : layout_kept(&a, 'K');
    return reduce_out(x, new_array(x, d, ndim, l), d, ndim);
}

/* One reduction: what its axis= may be, and the dtype that it yields unless told. */
typedef struct Fold {
    ArrayLike a;
    DType d;
    /* and no tuple; a scalar is an array of one element, and the result in C order */
    bool one_axis;
    bool counts; /* it counts along the axis, so that a scalar must have it */
} Fold;

static bool
reduced_axes(CallCx *x, const Fold *f, uint32_t *mask, bool *given)
{
    Sem v = arg_of(x, "axis");
    int ndim = f->a.ndim;
    if (f->one_axis && v.type && v.type->kind == TY_TUPLE)
        return wrong_type(x, "axis", "an integer", v.type) != NULL;
    if (f->counts && !ndim && v.type) {
        int axes[16], n;
        *mask = 0;
        *given = true;
        return axes_of(x, "axis", v, 0, axes, &n);
    }
    if (f->one_axis && !ndim) {
        bool ok = arg_axes(x, "axis", 1, mask, given);
        *mask = 0;
        return ok;
    }
    return arg_axes(x, "axis", ndim, mask, given);
}

static const Type *
fold(CallCx *x, Fold f)
{
    uint32_t mask;
    bool axis, keep, given;
    DType d = f.d;
    if (!reduced_axes(x, &f, &mask, &axis) || !arg_flag(x, "keepdims", false, &keep) ||
        !arg_dtype(x, &d, &given))
        return NULL;
    if (f.counts && (d == DT_bool || dtype_is_int(d)) && given) {
        Diag *g = sema_error(x->s, DIAG_unsupported, arg_place(x, "dtype"),
                             "%s into %s is not supported", fn_text(x), dtype_info[d].name);
        diag_hint(x->s->diags, g, "use a floating-point dtype");
        return NULL;
    }
    Sem initial = arg_of(x, "initial");
    if (initial.type && initial.type->kind != TY_SCALAR)
        return wrong_type(x, "initial", "a number", initial.type);
    if (initial.type && dtype_is_complex((DType)initial.type->dtype) && !dtype_is_complex(d))
        return wrong_type(x, "initial", "a real number", initial.type);
    int ndim = keep ? f.a.ndim : f.a.ndim - __builtin_popcount(mask);
    x->c->n_in = x->c->n_out = 1;
    x->c->in[0] = f.a.d;
    x->c->out[0] = d;
    Layout l = ndim > 1 && !f.one_axis ? layout_kept(&f.a, 'K') : LAY_C;
    return reduce_out(x, scalar_or_array(x, d, ndim, l), d, ndim);
}

/* np.sum, np.prod */
const Type *
type_np_sum(CallCx *x)
{
    Fold f = {.d = DT_f64};
    if (!arg_array(x, "a", &f.a))
        return NULL;
    f.d = loop_of(x, &f.a, sum_dtype(f.a.d));
    return fold(x, f);
}

/* np.min, np.max */
const Type *
type_np_extreme(CallCx *x)
{
    Fold f = {.d = DT_f64};
    if (!arg_array(x, "a", &f.a))
        return NULL;
    f.d = loop_of(x, &f.a, f.a.d);
    return fold(x, f);
}

const Type *
type_np_mean(CallCx *x)
{
    Fold f = {.counts = true};
    if (!arg_array(x, "a", &f.a))
        return NULL;
    f.d = f.a.d == DT_bool || dtype_is_int(f.a.d) ? DT_f64 : f.a.d;
    return fold(x, f);
}

/* np.any, np.all */
const Type *
type_np_truth(CallCx *x)
{
    Fold f = {.d = DT_bool};
    return arg_array(x, "a", &f.a) ? fold(x, f) : NULL;
}

const Type *
type_np_count(CallCx *x)
{
    Fold f = {.d = DT_i64};
    return arg_array(x, "a", &f.a) ? fold(x, f) : NULL;
}

/* np.argmin, np.argmax */
const Type *
type_np_place(CallCx *x)
{
    Fold f = {.d = DT_i64, .one_axis = true};
    Sem out = arg_of(x, "out");
    if (!arg_array(x, "a", &f.a))
        return NULL;
    if (out.type && out.type->kind == TY_ARRAY &&
        !dtype_can_cast_safely((DType)out.type->dtype, DT_i64)) {
        sema_type_error(x->s, arg_place(x, "out"),
                        "Cannot cast array data from dtype('%s') to dtype('int64') according to "
                        "the rule 'safe'",
                        dtype_info[out.type->dtype].name);
        return NULL;
    }
    return fold(x, f);
}

static const Type *
product(CallCx *x, bool dot, const char *first, const char *second)
{
    ArrayLike a, b;
    if (!arg_array(x, first, &a) || !arg_array(x, second, &b))
        return NULL;
    const Type *t = matmul_type(x->s, x->at, fn_text(x), dot, a.type, b.type, x->c);
    Sem out = arg_of(x, "out");
    if (t && dot && out.type && out.type->kind == TY_ARRAY &&
        (out.type->dtype != t->dtype || out.type->ndim != (t->kind == TY_ARRAY ? t->ndim : 0))) {
        sema_error(x->s, DIAG_value, arg_place(x, "out"),
                   "output array is not acceptable (must have the right datatype, number of "
                   "dimensions, and be a C-Array)");
        return NULL;
    }
    int ndim = t && t->kind == TY_ARRAY ? t->ndim : 0;
    const Type *to = t ? reduce_out(x, t, (DType)t->dtype, ndim) : NULL;
    /* np.dot returns a number, also where it has an array for it */
    return to && dot && !ndim ? t : to;
}

const Type *
type_np_dot(CallCx *x)
{
    return product(x, true, "a", "b");
}

const Type *
type_np_matmul(CallCx *x)
{
    return product(x, false, "x1", "x2");
}
