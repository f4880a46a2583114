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

static DType
reduced_dtype(int id, DType d)
{
    switch (id) {
    case BI_np_sum:
    case BI_np_prod:
    case BI_np_cumsum:
    case BI_np_cumprod:
        return sum_dtype(d);
    case BI_np_mean:
        return d == DT_bool || dtype_is_int(d) ? DT_f64 : d;
    case BI_np_any:
    case BI_np_all:
        return DT_bool;
    case BI_np_argmin:
    case BI_np_argmax:
    case BI_np_count_nonzero:
        return DT_i64;
    default: /* min, max */
        return d;
    }
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
                   "%s: argument 'out' has %d dimensions, but the result has %d",
                   fn_text(x), out.type->ndim, ndim);
        return NULL;
    }
    if (dtype_can_cast_same_kind(d, (DType)out.type->dtype))
        return out.type;
    sema_type_error(x->s, arg_place(x, "out"),
                    "%s: cannot cast the result from %s to %s of argument 'out'",
                    fn_text(x), dtype_info[d].name, dtype_info[out.type->dtype].name);
    return NULL;
}

static const Type *
type_scan(CallCx *x, const ArrayLike *a)
{
    int axis;
    bool given;
    DType d = reduced_dtype(x->fn->id, a->d);
    bool flat = !arg_of(x, "axis").type;
    int ndim = flat || a->ndim == 0 ? 1 : a->ndim;
    if (!arg_axis(x, "axis", ndim, 0, &axis) || !arg_dtype(x, &d, &given))
        return NULL;
    x->c->n_in = x->c->n_out = 1;
    x->c->in[0] = a->d;
    x->c->out[0] = d;
    Layout l = flat ? LAY_C : layout_kept(a, 'K');
    return reduce_out(x, new_array(x, d, ndim, l), d, ndim);
}

/* argmin and argmax take one axis, the others a tuple of them too. */
static bool
reduced_axes(CallCx *x, int ndim, uint32_t *mask, bool *given)
{
    Sem v = arg_of(x, "axis");
    bool one = x->fn->id == BI_np_argmin || x->fn->id == BI_np_argmax;
    if (one && v.type && v.type->kind == TY_TUPLE)
        return wrong_type(x, "axis", "an integer", v.type) != NULL;
    if (x->fn->id == BI_np_mean && !ndim && v.type) { /* which counts along the axis */
        int axes[16], n;
        *mask = 0;
        *given = true;
        return axes_of(x, "axis", v, 0, axes, &n);
    }
    if (one && !ndim) { /* which takes a scalar as one element */
        bool ok = arg_axes(x, "axis", 1, mask, given);
        *mask = 0;
        return ok;
    }
    return arg_axes(x, "axis", ndim, mask, given);
}

static const Type *
type_fold(CallCx *x, const ArrayLike *a)
{
    uint32_t mask;
    bool axis, keep, given;
    DType d = reduced_dtype(x->fn->id, a->d);
    if (!reduced_axes(x, a->ndim, &mask, &axis) ||
        !arg_flag(x, "keepdims", false, &keep) || !arg_dtype(x, &d, &given))
        return NULL;
    if (x->fn->id == BI_np_mean && (d == DT_bool || dtype_is_int(d)) && given) {
        Diag *g = sema_error(x->s, DIAG_unsupported, arg_place(x, "dtype"),
                             "np.mean into %s is not supported", dtype_info[d].name);
        diag_hint(x->s->diags, g, "use a floating-point dtype");
        return NULL;
    }
    Sem initial = arg_of(x, "initial");
    if (initial.type && initial.type->kind != TY_SCALAR)
        return wrong_type(x, "initial", "a number", initial.type);
    if (initial.type && dtype_is_complex((DType)initial.type->dtype) && !dtype_is_complex(d))
        return wrong_type(x, "initial", "a real number", initial.type);
    int ndim = keep ? a->ndim : a->ndim - __builtin_popcount(mask);
    x->c->n_in = x->c->n_out = 1;
    x->c->in[0] = a->d;
    x->c->out[0] = d;
    return reduce_out(x, scalar_or_array(x, d, ndim, LAY_C), d, ndim);
}

const Type *
type_reduce(CallCx *x)
{
    ArrayLike a;
    if (!arg_array(x, "a", &a))
        return NULL;
    if (x->fn->id == BI_np_cumsum || x->fn->id == BI_np_cumprod)
        return type_scan(x, &a);
    return type_fold(x, &a);
}

const Type *
type_linalg(CallCx *x)
{
    ArrayLike a, b;
    bool dot = x->fn->id == BI_np_dot;
    if (!arg_array_at(x, 0, dot ? "a" : "x1", &a) ||
        !arg_array_at(x, 1, dot ? "b" : "x2", &b))
        return NULL;
    const Type *t = matmul_type(x->s, x->at, fn_text(x), dot, a.type, b.type, x->c);
    return t ? reduce_out(x, t, (DType)t->dtype, t->kind == TY_ARRAY ? t->ndim : 0)
             : NULL;
}
