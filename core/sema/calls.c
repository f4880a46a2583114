/* SPDX-License-Identifier: BSD-3-Clause
 * Arguments of library calls. Takes a bound Call; yields its arguments by name, as what
 * the function needs (an array, a dtype, axes, a shape, a flag), or a message that says
 * what was expected and what was given. What decides the result's rank or dtype must be
 * constant. */
#include "sema/calls.h"

#include <ctype.h>

const char *
fn_text(const CallCx *x)
{
    if (x->method)
        return arena_printf(x->s->a, "%s()", x->fn->name);
    return arena_printf(x->s->a, "%s%s", x->fn->prefix, x->fn->name);
}

static bool
is_none(Sem v)
{
    return v.type && v.type->kind == TY_NONE;
}

Sem
arg_of(const CallCx *x, const char *name)
{
    int k = row_param(x->fn, name);
    Sem v = k < 0 ? (Sem){0} : sema_arg(x->s, x->c, k);
    return is_none(v) ? (Sem){0} : v;
}

/* None, where it is neither the default nor a value of this parameter. */
bool
refuses_none(CallCx *x, const char *name, const char *text)
{
    int k = row_param(x->fn, name);
    const Node *n = k < 0 ? NULL : sema_arg_node(x->c, k);
    if (!n || !is_none(sema_arg(x->s, x->c, k)))
        return false;
    sema_type_error(x->s, n, "%s", text);
    return true;
}

const Node *
arg_place(const CallCx *x, const char *name)
{
    int k = row_param(x->fn, name);
    const Node *n = k < 0 ? NULL : sema_arg_node(x->c, k);
    return n ? n : x->at;
}

int
args_after(const CallCx *x)
{
    return builtin_params[x->fn->id].n;
}

bool
as_array(const Type *t, ArrayLike *out)
{
    if (!t || (t->kind != TY_SCALAR && t->kind != TY_ARRAY))
        return false;
    bool scalar = t->kind == TY_SCALAR;
    *out = (ArrayLike){.d = (DType)t->dtype,
                       .ndim = scalar ? 0 : t->ndim,
                       .layout = scalar ? LAY_C : (Layout)t->layout,
                       .order = scalar ? LAY_C : type_order(t),
                       .weak = t->weak,
                       .scalar = scalar,
                       .readonly = (Readonly)t->readonly,
                       .type = t};
    return true;
}

/* What was given as an axis is most often one more operand. */
static void
hint_axis(CallCx *x, Diag *g, const Type *given)
{
    if (x->fn->id == BI_np_max || x->fn->id == BI_np_min)
        diag_hint(x->s->diags, g, "of two values, element by element: np.%simum(a, b)",
                  x->fn->name);
    else if (given->kind == TY_ARRAY)
        diag_hint(x->s->diags, g, "several arrays stand in one tuple: %s((a, b))", fn_text(x));
}

const Type *
complain(CallCx *x, const Type *t, const char *expected)
{
    sema_error(x->s, DIAG_argument, x->at, "%s() takes %s, not %s", fn_text(x), expected,
               t ? t->text : "nothing");
    return NULL;
}

const Type *
wrong_type(CallCx *x, const char *name, const char *expected, const Type *given)
{
    Diag *g =
        sema_error(x->s, DIAG_argument, arg_place(x, name), "%s: argument '%s' must be %s, not %s",
                   fn_text(x), name, expected, given->text);
    if (!strcmp(name, "axis"))
        hint_axis(x, g, given);
    else if (given->kind == TY_REF && given->ref == &heap_list)
        diag_hint(x->s->diags, g, "an array of what a list holds is np.array([v for v in x])");
    return NULL;
}

bool
arg_array_at(CallCx *x, int k, const char *name, ArrayLike *out)
{
    Sem v = sema_arg(x->s, x->c, k);
    if (v.type && as_array(v.type, out))
        return true;
    if (v.type && (v.type->kind == TY_TUPLE || v.type->kind == TY_LIST)) {
        DType d = DT_bool;
        int ndim = 0;
        const Type *t = nested_array(x, sema_arg_node(x->c, k), v.type, &d, &ndim);
        return t && as_array(t, out);
    }
    if (!v.type) {
        sema_error(x->s, DIAG_argument, x->at, "%s: argument '%s' is missing", fn_text(x), name);
        return false;
    }
    wrong_type(x, name, "an array or a number", v.type);
    return false;
}

bool
arg_array(CallCx *x, const char *name, ArrayLike *out)
{
    return arg_array_at(x, row_param(x->fn, name), name, out);
}

/* ---- displays as arrays ---- */

static bool join_node(CallCx *x, const Node *n, const Type *t, int depth, DType *d, int *ndim);

/* One leaf of a nested display: its dtype and rank join those seen before. */
static bool
join_leaf(CallCx *x, const Type *t, int depth, DType *d, int *ndim)
{
    ArrayLike a = {.d = DT_f64, .scalar = true}; /* of nothing */
    if (t->kind != TY_UNKNOWN && !as_array(t, &a)) {
        Diag *g =
            sema_type_error(x->s, x->at, "%s: an element is of type %s, which no array can hold",
                            fn_text(x), t->text);
        diag_hint(x->s->diags, g, "arrays hold bool, int, float and complex numbers");
        return false;
    }
    bool first = *ndim < 0;
    if (!first && *ndim != depth + a.ndim) {
        sema_error(x->s, DIAG_value, x->at, "%s: the nested sequences have different depths",
                   fn_text(x));
        return false;
    }
    *ndim = depth + a.ndim;
    if (!first && *d != a.d && (dtype_is_param(*d) || dtype_is_param(a.d))) {
        sema_type_error(x->s, x->at, "%s: elements of %s and %s are not supported in one array",
                        fn_text(x), dtype_info[*d].name, dtype_info[a.d].name);
        return false;
    }
    *d = first ? a.d : dtype_promote(*d, a.d);
    return true;
}

static bool
join_type(CallCx *x, const Type *t, int depth, DType *d, int *ndim)
{
    if (t->kind != TY_TUPLE && t->kind != TY_LIST)
        return join_leaf(x, t, depth, d, ndim);
    for (int k = 0; k < t->n; k++)
        if (!join_type(x, t->elems[k], depth + 1, d, ndim))
            return false;
    for (int k = 1; t->kind == TY_TUPLE && k < t->n; k++) {
        const Type *p = t->elems[0], *q = t->elems[k];
        if (p->kind == TY_TUPLE && q->kind == TY_TUPLE && p->n != q->n) {
            sema_error(x->s, DIAG_value, x->at,
                       "%s: the nested sequences have different lengths, %d and %d", fn_text(x),
                       p->n, q->n);
            return false;
        }
    }
    return true;
}

/* Whose elements are known one by one: not those of [*x, 1], a list of type t. */
static bool
is_display(const Node *n, const Type *t)
{
    return n && (n->kind == N_List || n->kind == N_Tuple) && t->kind != TY_REF;
}

/* How many elements a display or a tuple has; -1: another thing. */
static int
sequence_length(CallCx *x, const Node *n, const Type *t)
{
    if (!is_display(n, t))
        return t->kind == TY_TUPLE ? t->n : -1;
    int len = 0;
    for (int k = 0; k < n->n; k++)
        len += n->kid[k]->kind == N_Starred ? sema_known(x->s, n->kid[k]).type->n : 1;
    return len;
}

/* One element of a display; *len: what those before it have. */
static bool
join_element(CallCx *x, const Node *at, const Node *e, const Type *t, int depth, DType *d,
             int *ndim, int *len)
{
    if (!(e ? join_node(x, e, t, depth, d, ndim) : join_type(x, t, depth, d, ndim)))
        return false;
    int n = sequence_length(x, e, t);
    if (n >= 0 && *len >= 0 && n != *len) {
        sema_error(x->s, DIAG_value, at,
                   "%s: the nested sequences have different lengths, %d and %d", fn_text(x), *len,
                   n);
        return false;
    }
    *len = n >= 0 ? n : *len;
    return true;
}

static bool
join_node(CallCx *x, const Node *n, const Type *t, int depth, DType *d, int *ndim)
{
    if (!is_display(n, t) || n->n == 0)
        return join_type(x, t, depth, d, ndim);
    int len = -1;
    for (int k = 0; k < n->n; k++) {
        const Node *e = n->kid[k];
        const Type *kind = sema_known(x->s, e).type;
        bool star = e->kind == N_Starred;
        for (int j = 0; j < (star ? kind->n : 1); j++)
            if (!join_element(x, e, star ? NULL : e, star ? kind->elems[j] : kind, depth + 1, d,
                              ndim, &len))
                return false;
    }
    return true;
}

/* How deep an empty sequence stands, which no number beside it tells; -1: there is none. */
static int
deepest_empty(const Type *t, int depth)
{
    if (t->kind != TY_TUPLE && t->kind != TY_LIST)
        return -1;
    int deepest = t->n ? -1 : depth;
    for (int k = 0; k < t->n; k++) {
        int own = deepest_empty(t->elems[k], depth + 1);
        deepest = own > deepest ? own : deepest;
    }
    return deepest;
}

/* The array that a display, a tuple, or a list comprehension makes. Python scalars count
 * as int64, float64, complex128, whatever stands beside them: np.array([1,
 * np.float32(2)]) is float64. */
const Type *
nested_array(CallCx *x, const Node *n, const Type *t, DType *d, int *ndim)
{
    *ndim = -1;
    if (!join_node(x, n, t, 0, d, ndim))
        return NULL;
    if (*ndim >= 0 && deepest_empty(t, 0) >= *ndim) {
        sema_error(x->s, DIAG_value, n ? n : x->at,
                   "%s: the nested sequences have different depths", fn_text(x));
        return NULL;
    }
    if (*ndim < 0) { /* nothing in it */
        *ndim = 1;
        *d = DT_f64;
        for (; t->n; t = t->elems[0])
            ++*ndim;
    }
    return new_array(x, *d, *ndim, LAY_C);
}

/* ---- dtype= ---- */

/* Dates and time spans: where the row says so. */
static bool
takes_dtype(CallCx *x, const Node *at, DType d)
{
    if (!dtype_is_param(d) || x->fn->flags & TIMES || x->fn->family == BF_UFUNC)
        return true;
    sema_error(x->s, DIAG_unsupported, at, "%s does not take the dtype %s in compiled code",
               fn_text(x), dtype_info[d].name);
    return false;
}

bool
sem_dtype(CallCx *x, const Node *at, Sem v, DType *out)
{
    static const DType python[] = {DT_bool, DT_i64, DT_i64, DT_f64, DT_c128};
    if (v.type->kind == TY_DTYPE) {
        *out = (DType)v.type->dtype;
        if (v.type->weak)
            *out = python[dtype_kind(*out)];
        return takes_dtype(x, at, *out);
    }
    if (v.cst && v.cst->kind == CV_STR && dtype_from_name(v.cst->str, out))
        return takes_dtype(x, at, *out);
    if (v.cst && v.cst->kind == CV_STR) {
        Diag *g =
            sema_type_error(x->s, at, "%s: data type '%s' not understood", fn_text(x), v.cst->str);
        const char *names[DT_COUNT];
        for (int k = 0; k < DT_COUNT; k++)
            names[k] = dtype_info[k].name;
        sema_hint_nearest(x->s, g, v.cst->str, names, DT_COUNT);
        return false;
    }
    Diag *g = sema_type_error(x->s, at, "%s: expected a dtype, not %s", fn_text(x), v.type->text);
    bool made = x->fn->id == BI_np_zeros || x->fn->id == BI_np_ones || x->fn->id == BI_np_empty;
    if (made && v.type->kind == TY_SCALAR)
        diag_hint(x->s->diags, g, "the lengths stand in one tuple: %s((n, m))", fn_text(x));
    else
        diag_hint(x->s->diags, g, "give one like np.float64, 'float64' or a.dtype");
    return false;
}

bool
arg_dtype(CallCx *x, DType *out, bool *given)
{
    Sem v = arg_of(x, "dtype");
    *given = v.type != NULL;
    return !v.type || sem_dtype(x, arg_place(x, "dtype"), v, out);
}

/* ---- constants ---- */

static bool
not_constant(CallCx *x, const char *name, const char *why)
{
    Diag *g = sema_error(x->s, DIAG_argument, arg_place(x, name),
                         "%s: argument '%s' must be a constant", fn_text(x), name);
    x->s->cx->wants |= WANT_NUMBER;
    diag_hint(x->s->diags, g, "%s: write the value in the call", why);
    return false;
}

bool
arg_flag(CallCx *x, const char *name, bool dflt, bool *out)
{
    Sem v = arg_of(x, name);
    *out = dflt;
    if (!v.type)
        return true;
    int truth = v.cst ? const_truth(v.cst) : -1;
    if (truth < 0)
        return not_constant(x, name, "it decides the type of the result");
    *out = truth;
    return true;
}

bool
arg_int_const(CallCx *x, const char *name, int64_t dflt, int64_t *out)
{
    Sem v = arg_of(x, name);
    *out = dflt;
    if (!v.type)
        return true;
    if (!is_int_type(v.type))
        return wrong_type(x, name, "an integer", v.type) != NULL;
    if (!v.cst || !const_as_int(v.cst, out))
        return not_constant(x, name, "it decides the type of the result");
    return true;
}

static bool
axis_in_range(CallCx *x, const char *name, int64_t axis, int ndim, int *out)
{
    if (axis < -ndim || axis >= ndim) {
        bool named = strcmp(name, "axis") && strcmp(name, "axes");
        sema_error(x->s, DIAG_axis, arg_place(x, name),
                   "%s%saxis %lld is out of bounds for array of dimension %d", named ? name : "",
                   named ? ": " : "", (long long)axis, ndim);
        return false;
    }
    *out = (int)(axis < 0 ? axis + ndim : axis);
    return true;
}

bool
arg_axis(CallCx *x, const char *name, int ndim, int dflt, int *out)
{
    int64_t v;
    if (!arg_of(x, name).type) {
        *out = dflt;
        return true;
    }
    return arg_int_const(x, name, dflt, &v) && axis_in_range(x, name, v, ndim, out);
}

/* An axis or a tuple of different ones. */
bool
axes_of(CallCx *x, const char *name, Sem v, int ndim, int *axes, int *n)
{
    int64_t one;
    *n = 0;
    if (v.cst && const_as_int(v.cst, &one)) {
        *n = 1;
        return axis_in_range(x, name, one, ndim, &axes[0]);
    }
    if (v.type->kind != TY_TUPLE && !is_int_type(v.type))
        return wrong_type(x, name, "an integer or a tuple of integers", v.type) != NULL;
    if (!v.cst || v.cst->kind != CV_TUPLE)
        return not_constant(x, name, "it decides the rank of the result");
    for (int k = 0; k < v.cst->n; k++) {
        if (!const_as_int(v.cst->elems[k], &one))
            return wrong_type(x, name, "a tuple of integers", v.type) != NULL;
        if (*n == 16 || !axis_in_range(x, name, one, ndim, &axes[*n]))
            return false;
        for (int j = 0; j < *n; j++)
            if (axes[j] == axes[*n]) {
                sema_error(x->s, DIAG_value, arg_place(x, name), "%s: repeated axis in '%s'",
                           fn_text(x), name);
                return false;
            }
        ++*n;
    }
    return true;
}

static bool
is_first_or_last(Sem axis)
{
    int64_t k;
    return axis.cst && const_as_int(axis.cst, &k) && (k == 0 || k == -1);
}

bool
arg_axes(CallCx *x, const char *name, int ndim, uint32_t *mask, bool *given)
{
    int axes[16], n;
    Sem v = arg_of(x, name);
    *given = v.type != NULL;
    *mask = (1u << ndim) - 1;
    if (!v.type)
        return true;
    if (!ndim && is_first_or_last(v)) { /* of a scalar: NumPy lets these pass */
        *mask = 0;
        return true;
    }
    if (!axes_of(x, name, v, ndim, axes, &n))
        return false;
    *mask = 0;
    for (int k = 0; k < n; k++)
        *mask |= 1u << axes[k];
    return true;
}

bool
arg_order(CallCx *x, char dflt, char *out)
{
    Sem v = arg_of(x, "order");
    *out = dflt;
    if (!v.type)
        return true;
    if (!v.cst || v.cst->kind != CV_STR)
        return not_constant(x, "order", "it decides the layout of the result");
    char o = v.cst->str_len == 1 ? (char)toupper((unsigned char)v.cst->str[0]) : 0;
    if (o && strchr("CFAK", o)) {
        *out = o;
        return true;
    }
    sema_error(x->s, DIAG_value, arg_place(x, "order"),
               "%s: order must be one of 'C', 'F', 'A', or 'K', not '%s'", fn_text(x), v.cst->str);
    return false;
}

bool
shape_rank(CallCx *x, const Node *at, const char *name, Sem v, int *ndim)
{
    if (is_size_type(v.type)) {
        *ndim = 1;
        return true;
    }
    bool ok = v.type->kind == TY_TUPLE;
    for (int k = 0; ok && k < v.type->n; k++)
        ok = is_size_type(v.type->elems[k]);
    if (ok && v.type->n <= 16) {
        *ndim = v.type->n;
        return true;
    }
    if (ok) {
        sema_error(x->s, DIAG_value, at, "%s: an array has 16 axes at most", fn_text(x));
        return false;
    }
    Diag *g = sema_error(x->s, DIAG_argument, at,
                         "%s: argument '%s' must be an integer or a tuple of integers, not %s",
                         fn_text(x), name, v.type->text);
    if (!strcmp(name, "axis"))
        hint_axis(x, g, v.type);
    else if (v.type->kind == TY_LIST || v.type->kind == TY_ARRAY || type_is_row(v.type))
        diag_hint(x->s->diags, g, "its length decides the rank of the result: write a tuple");
    return false;
}

bool
arg_shape(CallCx *x, const char *name, int *ndim)
{
    Sem v = arg_of(x, name);
    if (!v.type) {
        sema_error(x->s, DIAG_argument, arg_place(x, name),
                   "%s: argument '%s' must be an "
                   "integer or a tuple of integers",
                   fn_text(x), name);
        return false;
    }
    const Node *at = arg_place(x, name);
    if (v.type->kind == TY_LIST && at->kind == N_List && is_int_type(v.type->elems[0])) {
        *ndim = at->n; /* a display has as many elements as it shows */
        for (int k = 0; k < at->n; k++)
            if (at->kid[k]->kind == N_Starred)
                *ndim = 17;
        if (*ndim <= 16)
            return true;
    }
    return shape_rank(x, at, name, v, ndim);
}

bool
arg_unsupported(CallCx *x, const char *name)
{
    if (!arg_of(x, name).type)
        return true;
    sema_error(x->s, DIAG_unsupported, arg_place(x, name),
               "%s: argument '%s' is not supported in compiled code", fn_text(x), name);
    return false;
}

/* ---- results ---- */

bool
is_int_type(const Type *t)
{
    ArrayLike a;
    if (!as_array(t, &a) || a.ndim != 0)
        return false;
    return a.d == DT_bool ? a.scalar && t->weak : dtype_is_int(a.d);
}

bool
is_size_type(const Type *t)
{
    return is_int_type(t) && t->dtype != DT_bool;
}

bool
is_real_type(const Type *t)
{
    ArrayLike a;
    return as_array(t, &a) && a.ndim == 0 && !dtype_is_complex(a.d);
}

const Type *
new_array(const CallCx *x, DType d, int ndim, Layout l)
{
    return type_array(x->s->tt, d, ndim, l, false);
}

const Type *
scalar_or_array(const CallCx *x, DType d, int ndim, Layout l)
{
    return ndim ? new_array(x, d, ndim, l) : type_scalar(x->s->tt, d, false);
}

/* The layout of a fresh copy. What NumPy calls 'A' asks for arrays that lie in Fortran order in one
 * piece. */
Layout
layout_kept(const ArrayLike *a, char order)
{
    if (order == 'F')
        return LAY_F;
    return order == 'K' ? a->order : order == 'A' && a->layout == LAY_F ? LAY_F : LAY_C;
}

bool
const_fits(const Const *c, DType d)
{
    int bits = dtype_info[d].bits;
    bool uns = dtype_kind(d) == DK_UINT, big = c->dtype == DT_u64; /* big: 2**63 and above */
    if (c->too_big)
        return false;
    if (big)
        return d == DT_u64;
    if (uns)
        return c->i >= 0 && (bits == 64 || c->i < (int64_t)1 << bits);
    return bits == 64 || (c->i >= -((int64_t)1 << (bits - 1)) && c->i < (int64_t)1 << (bits - 1));
}

/* A Python int beside a NumPy integer takes its dtype, so it must fit. */
bool
fits_const(Sema *s, const Node *at, const Const *c, DType d)
{
    if (!c || c->kind != CV_INT || !dtype_is_int(d) || const_fits(c, d))
        return true;
    bool big = c->dtype == DT_u64;
    const char *text = c->too_big ? arena_printf(s->a, "%.17g", c->re)
                       : big      ? arena_printf(s->a, "%llu", (unsigned long long)c->i)
                                  : arena_printf(s->a, "%lld", (long long)c->i);
    Diag *g = sema_error(s, DIAG_overflow, at, "Python integer %s out of bounds for %s", text,
                         dtype_info[d].name);
    if (at->kind != N_Call) /* np.int8(300) needs no advice */
        diag_hint(s->diags, g,
                  "a Python number takes the dtype of the NumPy value beside it; convert "
                  "that with "
                  ".astype, or write the number as np.%s(%s)",
                  big ? "uint64" : "int64", text);
    return false;
}
