/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that choose, round, join and tell: np.where, np.clip, np.round, np.real,
 * np.concatenate, np.ndim, a.item(). Takes the bound call; yields the result's type:
 * operands promote like a ufunc's where there are several. */
#include "sema/calls.h"

static const Type *
broadcast_result(CallCx *x, int n, const ArrayLike *a, DType d, bool scalar)
{
    int ndim = 0;
    for (int k = 0; k < n; k++)
        ndim = a[k].ndim > ndim ? a[k].ndim : ndim;
    if (scalar && ndim == 0)
        return type_scalar(x->s->tt, d, false);
    return new_array(x, d, ndim, broadcast_layout(n, a, ndim));
}

/* Where an array isn't zero: an array of indices for each axis. */
static const Type *
nonzero_of(CallCx *x, const char *name)
{
    ArrayLike a;
    if (!arg_array(x, name, &a))
        return NULL;
    if (!a.ndim) {
        Diag *g = sema_error(x->s, DIAG_value, arg_place(x, name),
                             "Calling nonzero on 0d arrays is not allowed.");
        diag_hint(x->s->diags, g, "use np.atleast_1d(scalar).nonzero()");
        return NULL;
    }
    const Type *e[16];
    for (int k = 0; k < a.ndim; k++)
        e[k] = new_array(x, DT_i64, 1, LAY_C);
    return type_tuple(x->s->tt, a.ndim, e);
}

const Type *
type_np_nonzero(CallCx *x)
{
    return nonzero_of(x, "a");
}

/* np.where(c, 1, 2) is a 0-d array in NumPy. */
const Type *
type_np_where(CallCx *x)
{
    ArrayLike a[3];
    bool given[2] = {arg_of(x, "x").type, arg_of(x, "y").type};
    if (given[0] != given[1]) {
        sema_error(x->s, DIAG_value, x->at, "either both or neither of x and y should be given");
        return NULL;
    }
    if (!given[0])
        return nonzero_of(x, "condition");
    if (!arg_array(x, "condition", &a[0]) || !arg_array(x, "x", &a[1]) || !arg_array(x, "y", &a[2]))
        return NULL;
    DType d[2] = {a[1].d, a[2].d};
    bool weak[2] = {a[1].weak, a[2].weak};
    if (dtype_is_param(a[0].d))
        return wrong_type(x, "condition", "a bool or a number", a[0].type);
    if (dtype_is_param(d[0]) || dtype_is_param(d[1]))
        return time_operands(x, 2, &a[1], (int[]){1, 2}, &d[0])
                   ? broadcast_result(x, 3, a, d[0], false)
                   : NULL;
    return broadcast_result(x, 3, a, dtype_promote_mixed(2, d, weak), false);
}

static const Type *
with_out(CallCx *x, const Type *t, int ndim)
{
    Sem out = arg_of(x, "out");
    if (!out.type)
        return t;
    if (out.type->kind != TY_ARRAY || out.type->ndim < ndim)
        return wrong_type(x, "out", "an array of the result's rank", out.type);
    if (out.type->readonly) {
        sema_readonly(x->s, arg_place(x, "out"), "output array is read-only");
        return NULL;
    }
    if (!dtype_can_cast_same_kind((DType)t->dtype, (DType)out.type->dtype)) {
        sema_type_error(x->s, arg_place(x, "out"),
                        "%s: cannot cast the result from %s to %s of argument 'out'", fn_text(x),
                        dtype_info[t->dtype].name, dtype_info[out.type->dtype].name);
        return NULL;
    }
    return out.type;
}

const Type *
type_np_clip(CallCx *x)
{
    static const char *const names[] = {"a", "a_min", "a_max"};
    ArrayLike a[3];
    DType d[3];
    bool weak[3];
    int n = 0;
    int bounds = 0;
    for (int k = 1; k < 3; k++)
        bounds += sema_arg(x->s, x->c, k).type != NULL;
    if (bounds == 1 && !x->method) {
        sema_error(x->s, DIAG_argument, x->at,
                   "clip() missing 1 required positional argument: '%s'",
                   names[sema_arg(x->s, x->c, 1).type ? 2 : 1]);
        return NULL;
    }
    for (int k = 0; k < 3; k++) {
        if (k && !arg_of(x, names[k]).type)
            continue;
        if (!arg_array(x, names[k], &a[n]))
            return NULL;
        d[n] = a[n].d;
        /* a number that is clipped becomes an array, as np.asarray makes it */
        weak[n] = a[n].weak && k;
        n++;
    }
    bool times = false;
    for (int k = 0; k < n; k++)
        times |= dtype_is_param(d[k]);
    DType r = DT_bool;
    if (times && (n < 3 || !time_operands(x, n, a, (int[]){0, 1, 2}, &r)))
        return n < 3 ? wrong_type(x, "a_min", "given, with a_max", a[0].type) : NULL;
    r = times ? r : dtype_promote_mixed(n, d, weak);
    if (n == 1 && r == DT_bool)
        return wrong_type(x, "a", "a number where there is no bound", a[0].type);
    const Type *t = broadcast_result(x, n, a, r, true);
    return with_out(x, t, t->kind == TY_ARRAY ? t->ndim : 0);
}

/* np.round, np.around: bool becomes float16. */
const Type *
type_np_round(CallCx *x)
{
    ArrayLike a;
    int64_t digits = 0;
    Sem by = arg_of(x, "decimals"), out = arg_of(x, "out");
    if (!arg_array(x, "a", &a))
        return NULL;
    bool open = a.d == DT_bool || (out.type && dtype_is_int(a.d)); /* whether it may be called */
    bool known = by.cst && const_as_int(by.cst, &digits);
    if (by.type && !known && open && !arg_int_const(x, "decimals", 0, &digits))
        return NULL;
    if (a.d == DT_bool && digits) {
        sema_type_error(x->s, x->at,
                        "Cannot cast ufunc '%s' output from dtype('float64') to dtype('bool') with "
                        "casting rule "
                        "'same_kind'",
                        digits > 0 ? "multiply" : "divide");
        return NULL;
    }
    if (digits < 0 && dtype_is_int(a.d) && out.type && out.type->kind == TY_ARRAY &&
        dtype_is_int((DType)out.type->dtype)) {
        sema_type_error(x->s, arg_place(x, "out"),
                        "Cannot cast ufunc 'divide' output from dtype('float64') to dtype('%s') "
                        "with casting rule "
                        "'same_kind'",
                        dtype_info[out.type->dtype].name);
        return NULL;
    }
    DType d = a.d == DT_bool ? DT_f16 : a.d;
    if (by.type && !(known && digits == 0)) /* else it is np.rint */
        a.order = layout_kept(&a, 'A');
    return with_out(x, broadcast_result(x, 1, &a, d, true), a.ndim);
}

const Type *
type_np_fix(CallCx *x)
{
    ArrayLike a;
    if (!arg_array(x, "x", &a))
        return NULL;
    if (dtype_is_complex(a.d))
        return wrong_type(x, "x", "real", a.type);
    return with_out(x, broadcast_result(x, 1, &a, a.d, true), a.ndim);
}

/* np.angle is arctan2(imag, real), which runs in the float loop of the array's dtype. */
const Type *
type_np_angle(CallCx *x)
{
    ArrayLike a;
    DType in[2], out[2];
    bool weak[2] = {false, true}, deg;
    if (!arg_array(x, "z", &a) || !arg_flag(x, "deg", false, &deg))
        return NULL;
    DType d[2] = {dtype_real(a.d), DT_i64};
    if (dtype_is_complex(a.d))
        out[0] = dtype_real(a.d);
    else
        ufunc_loop(&builtin_table[BI_np_arctan2], 2, d, weak, in, out);
    return broadcast_result(x, 1, &a, out[0], true);
}

const Type *
type_np_part(CallCx *x)
{
    Sem v = sema_arg(x->s, x->c, 0);
    ArrayLike a;
    if (!arg_array(x, "val", &a))
        return NULL;
    Sem part = attr_type(x->s, x->at, v.type->kind == TY_SCALAR ? v : sem_of(a.type),
                         x->fn->op == OP_real ? "real" : "imag");
    return sem_bad(part) ? NULL : part.type;
}

/* ---- joining ---- */

/* One of the arrays to be joined: an array or number, a tuple of numbers, or a list that is written
 * where it is joined. */
static bool
part_as_array(CallCx *x, const Node *n, const Type *all, int k, ArrayLike *a)
{
    const Type *t = all->elems[k];
    const Node *e = n->kind == N_Tuple && n->n == all->n ? n->kid[k] : NULL;
    DType d = DT_bool;
    int ndim = 0;
    if (e && e->kind == N_List && type_is_heap(t, &heap_list))
        t = heap_as_array(x->s, e, sem_of(t)).type;
    else if (t->kind == TY_TUPLE && t->n && t->elems[0]->kind == TY_SCALAR)
        t = nested_array(x, NULL, t, &d, &ndim);
    return t && as_array(t, a);
}

/* The arrays of a tuple or list of arrays: how many axes they have, and their dtype. flat: they are
 * joined as one axis, where Python's numbers take NumPy's dtype. */
static bool
parts(CallCx *x, DType *d, int *ndim, bool *fortran, bool flat)
{
    Sem v = arg_of(x, "arrays");
    if (!v.type || (v.type->kind != TY_TUPLE && v.type->kind != TY_LIST) || v.type->n == 0) {
        wrong_type(x, "arrays", "a tuple of arrays", v.type ? v.type : type_none(x->s->tt));
        return false;
    }
    *fortran = true;
    DType *all = NEW_N(x->s->a, DType, v.type->n);
    bool *weak = NEW_N(x->s->a, bool, v.type->n);
    const Node *n = arg_place(x, "arrays");
    for (int k = 0; k < v.type->n; k++) {
        ArrayLike a;
        if (!part_as_array(x, n, v.type, k, &a))
            return wrong_type(x, "arrays", "a tuple of arrays", v.type) != NULL;
        if (k && a.ndim != *ndim && !flat) {
            sema_error(x->s, DIAG_value, arg_place(x, "arrays"),
                       "%s: all the input arrays must have the same number of dimensions, but "
                       "array 0 has %d and array %d has %d",
                       fn_text(x), *ndim, k, a.ndim);
            return false;
        }
        *ndim = a.ndim;
        if (k && *d != a.d && (dtype_is_param(*d) || dtype_is_param(a.d))) {
            Diag *g = sema_error(x->s, DIAG_unsupported, arg_place(x, "arrays"),
                                 "%s of %s and %s is not supported in compiled code", fn_text(x),
                                 dtype_info[*d].name, dtype_info[a.d].name);
            diag_hint(x->s->diags, g, "convert one of them with .astype(...)");
            return false;
        }
        *d = a.d;
        *fortran &= a.order == LAY_F;
        all[k] = a.d;
        weak[k] = a.weak;
    }
    if (!dtype_is_param(*d))
        *d = dtype_promote_mixed(v.type->n, all, flat ? weak : NULL);
    return true;
}

const Type *
type_np_concatenate(CallCx *x)
{
    DType d = DT_f64;
    int ndim = 0, axis;
    bool fortran;
    Sem given = sema_arg(x->s, x->c, row_param(x->fn, "axis"));
    bool flat = given.type && given.type->kind == TY_NONE;
    if (!parts(x, &d, &ndim, &fortran, flat))
        return NULL;
    if (flat)
        return new_array(x, d, 1, LAY_C);
    if (ndim == 0) {
        sema_error(x->s, DIAG_value, x->at, "zero-dimensional arrays cannot be concatenated");
        return NULL;
    }
    if (!arg_axis(x, "axis", ndim, 0, &axis))
        return NULL;
    return new_array(x, d, ndim, fortran ? LAY_F : LAY_C);
}

const Type *
type_np_stack(CallCx *x)
{
    DType d = DT_f64;
    int ndim = 0, axis;
    bool fortran;
    if (!parts(x, &d, &ndim, &fortran, false) || !arg_axis(x, "axis", ndim + 1, 0, &axis))
        return NULL;
    return new_array(x, d, ndim + 1, LAY_C);
}

/* ---- asking ---- */

static const Type *
an_int(CallCx *x)
{
    return type_scalar(x->s->tt, DT_i64, true);
}

const Type *
type_np_ndim(CallCx *x)
{
    ArrayLike a;
    if (!arg_array(x, "a", &a))
        return NULL;
    x->cst = const_int(x->s, a.ndim);
    return an_int(x);
}

const Type *
type_np_shape(CallCx *x)
{
    ArrayLike a;
    const Type *all[16];
    if (!arg_array(x, "a", &a))
        return NULL;
    for (int k = 0; k < a.ndim; k++)
        all[k] = an_int(x);
    return type_tuple(x->s->tt, a.ndim, all);
}

const Type *
type_np_size(CallCx *x)
{
    ArrayLike a;
    int axis;
    bool ok = arg_array(x, "a", &a) && arg_axis(x, "axis", a.ndim, 0, &axis);
    return ok ? an_int(x) : NULL;
}

const Type *
type_np_shares(CallCx *x)
{
    ArrayLike a, b;
    bool ok = arg_array(x, "a", &a) && arg_array(x, "b", &b);
    return ok ? type_scalar(x->s->tt, DT_bool, true) : NULL;
}

const Type *
type_np_item(CallCx *x)
{
    ArrayLike a;
    int first = args_after(x), n = x->c->n_args - first;
    if (!arg_array(x, "a", &a))
        return NULL;
    for (int k = 0; k < n; k++) {
        Sem v = sema_arg(x->s, x->c, first + k);
        if (!v.type || !is_size_type(v.type))
            return wrong_type(x, "args", "integers", v.type ? v.type : type_none(x->s->tt));
    }
    if (n > 1 && n != a.ndim) {
        sema_error(x->s, DIAG_value, x->at, "item() takes no index, one, or %d, not %d", a.ndim, n);
        return NULL;
    }
    return type_scalar(x->s->tt, a.d, true);
}

const Type *
type_np_fill(CallCx *x)
{
    ArrayLike a;
    Sem v = arg_of(x, "value");
    if (!arg_array(x, "a", &a))
        return NULL;
    if (a.readonly || a.scalar) {
        if (a.scalar)
            sema_error(x->s, DIAG_argument, x->at,
                       "a number does not change: only arrays are filled");
        else
            sema_readonly(x->s, x->at, "assignment destination is read-only");
        return NULL;
    }
    const Type *elem = type_scalar(x->s->tt, a.d, false);
    if (!v.type)
        return wrong_type(x, "value", "a number", type_none(x->s->tt));
    return check_store(x->s, arg_place(x, "value"), elem, v, false) ? type_none(x->s->tt) : NULL;
}

/* The method leaves what is real as it is, whereas np.conj copies. */
const Type *
type_np_conj(CallCx *x)
{
    ArrayLike a;
    if (!arg_array(x, "a", &a))
        return NULL;
    x->c->n_in = x->c->n_out = 1;
    x->c->in[0] = x->c->out[0] = a.d;
    if (a.scalar || !dtype_is_complex(a.d))
        return a.weak && a.d == DT_bool ? type_scalar(x->s->tt, DT_i64, true) : a.type;
    return scalar_or_array(x, a.d, a.ndim, layout_kept(&a, 'K'));
}
