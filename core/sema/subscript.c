/* SPDX-License-Identifier: BSD-3-Clause
 * Subscripts of arrays, and what may be stored in them. Takes the array's type and those
 * of the index's parts; yields a scalar when every axis has an integer, else a view. The
 * hard part is what stays known of the layout: a view of a C array is C when integers
 * come first, then at most one slice with step 1, then whole axes; of an F array the same
 * from the other end. */
#include "sema/calls.h"

typedef enum PartKind { P_INT, P_WHOLE, P_UNIT, P_STRIDED, P_NEW, P_ARRAY } PartKind;

typedef struct Parts {
    PartKind at[48];
    int n, n_axes; /* parts; axes of the array among them */
    bool ellipsis;
    int arrays, shared; /* indices that are arrays; the axes that they have together */
} Parts;

static bool
is_none_type(const Type *t)
{
    return t->kind == TY_NONE;
}

/* How a slice steps: its node tells a constant step, its type only whether there is one.
 */
static PartKind
slice_part(Sema *s, const Type *t, const Node *n)
{
    bool whole = is_none_type(t->elems[0]) && is_none_type(t->elems[1]);
    bool unit = is_none_type(t->elems[2]);
    int64_t step;
    if (!unit && n && n->kind == N_Slice && n->kid[2]) {
        Sem v = sema_known(s, n->kid[2]);
        unit = v.cst && const_as_int(v.cst, &step) && step == 1;
    }
    return !unit ? P_STRIDED : whole ? P_WHOLE : P_UNIT;
}

static bool
bad_index(Sema *s, const Node *at, const Type *t)
{
    if (t->kind == TY_UNKNOWN)
        return false;
    if (t->kind == TY_ARRAY && t->ndim) {
        Diag *g = sema_error(s, DIAG_index, at,
                             "arrays used as indices must be of integer (or boolean) type, not %s",
                             t->text);
        diag_hint(s->diags, g, "convert it with .astype(np.int64)");
        return false;
    }
    if (t->kind == TY_LIST || t->kind == TY_TUPLE || t->kind == TY_REF) {
        Diag *g = sema_error(s, DIAG_unsupported, at, "indexing an array with %s is not supported",
                             t->text);
        diag_hint(s->diags, g, "make an array of it: np.array(...)");
        return false;
    }
    if (type_is_str(t)) /* a loop over names of fields, round by round, knows each */
        s->cx->wants |= WANT_ONE_TYPE;
    Diag *g = sema_error(s, DIAG_index, at,
                         "only integers, slices (`:`), ellipsis (`...`) and None are valid "
                         "indices, not %s",
                         t->text);
    if (is_real_type(t))
        diag_hint(s->diags, g, "convert it with int(...)");
    return false;
}

/* The array that an index is, or a list or nested tuple of numbers would be: its dtype and axes. */
static bool
index_array(const Type *t, bool nested, DType *d, int *ndim)
{
    if (t->kind == TY_ARRAY && t->ndim) {
        *d = (DType)t->dtype;
        *ndim = t->ndim;
        return *d == DT_bool || (dtype_is_int(*d) && !dtype_is_param(*d));
    }
    if (t->kind != TY_LIST && (t->kind != TY_TUPLE || (!t->listed && !nested)))
        return false;
    for (int k = 0; k < t->n; k++)
        if (t->elems[k]->kind != TY_SCALAR || t->elems[k]->dtype != t->elems[0]->dtype ||
            !is_int_type(t->elems[k]))
            return false;
    *d = t->n ? (DType)t->elems[0]->dtype : DT_i64;
    *ndim = 1;
    return t->n > 0;
}

bool
subscript_takes_arrays(Sema *s, const Node *index)
{
    const Type *t = sema_known(s, index).type;
    DType d;
    int ndim;
    bool any = index_array(t, false, &d, &ndim);
    for (int k = 0; t->kind == TY_TUPLE && !t->listed && k < t->n; k++)
        any |= index_array(t->elems[k], true, &d, &ndim);
    return any;
}

static bool
add_part(Sema *s, Parts *p, const Node *at, const Type *t, const Node *n, bool nested)
{
    DType d;
    int ndim;
    PartKind k = P_INT;
    if (t->kind == TY_ELLIPSIS) {
        if (p->ellipsis) {
            sema_error(s, DIAG_index, at, "an index can only have a single ellipsis ('...')");
            return false;
        }
        p->ellipsis = true;
        p->at[p->n++] = P_WHOLE; /* stands for as many axes as are missing */
        return true;
    }
    if (t->kind == TY_SLICE) {
        k = slice_part(s, t, n);
    } else if (t->kind == TY_NONE) {
        k = P_NEW;
    } else if (index_array(t, nested, &d, &ndim)) { /* a mask is an index for each of its axes */
        int shared = d == DT_bool ? 1 : ndim;
        k = P_ARRAY;
        p->arrays++;
        p->shared = shared > p->shared ? shared : p->shared;
        p->n_axes += d == DT_bool ? ndim - 1 : 0;
    } else if (!is_size_type(t)) {
        return bad_index(s, n ? n : at, t);
    }
    if (p->n == 40) {
        sema_error(s, DIAG_index, at, "too many indices for array");
        return false;
    }
    p->at[p->n++] = k;
    p->n_axes += k != P_NEW;
    return true;
}

static bool
take_parts(Sema *s, const Node *at, const Node *index, Parts *p)
{
    Sem v = sema_known(s, index);
    if (v.type->kind != TY_TUPLE || v.type->listed)
        return add_part(s, p, at, v.type, index, false);
    for (int k = 0; k < v.type->n; k++) {
        const Node *n = index->kind == N_Tuple && index->n == v.type->n ? index->kid[k] : NULL;
        if (!add_part(s, p, at, v.type->elems[k], n, true))
            return false;
    }
    return true;
}

/* The parts of every axis: the ellipsis, or the end, filled up with whole axes. */
static bool
fill_axes(Sema *s, const Node *at, const Type *a, const Node *index, Parts *p)
{
    *p = (Parts){.n = 0};
    Parts raw = {.n = 0};
    if (!take_parts(s, at, index, &raw))
        return false;
    int missing = a->ndim - raw.n_axes;
    if (missing < 0) {
        sema_error(s, DIAG_index, at,
                   "too many indices for array: array is %d-dimensional, but %d were indexed",
                   a->ndim, raw.n_axes);
        return false;
    }
    bool seen = false;
    Sem v = sema_known(s, index);
    bool many = v.type->kind == TY_TUPLE && !v.type->listed;
    for (int k = 0; k < raw.n; k++) {
        const Type *t = many ? v.type->elems[k] : v.type;
        bool dots = t->kind == TY_ELLIPSIS;
        for (int j = 0; j < (dots ? missing : 1); j++)
            p->at[p->n++] = raw.at[k];
        seen |= dots;
    }
    for (int j = 0; !seen && j < missing; j++)
        p->at[p->n++] = P_WHOLE;
    p->ellipsis = seen;
    p->arrays = raw.arrays;
    p->shared = raw.shared;
    return true;
}

/* 0: axes so far are integers or new; 1: after the one slice; then only whole axes keep
 * it, and in Fortran order new ones. */
static bool
contiguous(const Parts *p, bool fortran)
{
    bool sliced = false;
    for (int j = 0; j < p->n; j++) {
        PartKind k = p->at[fortran ? p->n - 1 - j : j];
        if (k == P_STRIDED || (sliced && k != P_WHOLE && (!fortran || k != P_NEW)))
            return false;
        sliced |= k == P_WHOLE || k == P_UNIT;
    }
    return true;
}

const Type *
subscript_type(Sema *s, const Node *at, const Type *value, const Node *index, bool store)
{
    Parts p;
    if (value->kind == TY_UNKNOWN)
        return NULL;
    if (value->kind != TY_ARRAY) {
        sema_not_indexed(s, at, at->n > 0 ? at->kid[0] : NULL, value);
        return NULL;
    }
    if (store && value->readonly) {
        sema_readonly(s, at, "assignment destination is read-only");
        return NULL;
    }
    if (!fill_axes(s, at, value, index, &p))
        return NULL;
    int ndim = 0;
    for (int k = 0; k < p.n; k++)
        ndim += p.at[k] != P_INT && p.at[k] != P_ARRAY;
    if (p.arrays) { /* new memory */
        ndim += p.shared;
        if (ndim <= 16)
            return type_array(s->tt, (DType)value->dtype, ndim, LAY_C, false);
        sema_error(s, DIAG_index, at, "an array has 16 axes at most");
        return NULL;
    }
    if (ndim == 0 && !p.ellipsis)
        return type_scalar(s->tt, (DType)value->dtype, false);
    Layout l = value->layout == LAY_C && contiguous(&p, false)  ? LAY_C
               : value->layout == LAY_F && contiguous(&p, true) ? LAY_F
                                                                : LAY_A;
    if (l == LAY_A)
        return type_strided(s->tt, (DType)value->dtype, ndim, type_order(value) == LAY_F,
                            value->readonly);
    return type_array(s->tt, (DType)value->dtype, ndim, l, value->readonly);
}

/* ---- stores ---- */

static bool
cannot_store(Sema *s, const Node *at, const Type *to, const Type *v, const char *hint)
{
    Diag *g = sema_type_error(s, at, "cannot store %s in %s", v->text,
                              to->kind == TY_ARRAY ? to->text
                                                   : arena_printf(s->a, "an element of type %s",
                                                                  dtype_info[to->dtype].name));
    if (hint)
        diag_hint(s->diags, g, "%s", hint);
    return false;
}

static bool
same_kind_ok(Sema *s, const Node *at, DType from, DType to)
{
    if (dtype_can_cast_same_kind(from, to))
        return true;
    Diag *g =
        sema_type_error(s, at, "cannot cast the result from %s to %s with casting rule 'same_kind'",
                        dtype_info[from].name, dtype_info[to].name);
    diag_hint(s->diags, g, "write a = a + ..., or convert the value with .astype(np.%s)",
              dtype_info[to].name);
    return false;
}

/* A tuple of numbers, or of such tuples. */
static bool
numbers_inside(const Type *t)
{
    if (t->kind != TY_TUPLE || t->n == 0)
        return false;
    for (int k = 0; k < t->n; k++)
        if (t->elems[k]->kind != TY_SCALAR && !numbers_inside(t->elems[k]))
            return false;
    return true;
}

bool
check_store(Sema *s, const Node *at, const Type *to, Sem v, bool same_kind)
{
    ArrayLike a;
    int ndim = to->kind == TY_ARRAY ? to->ndim : 0;
    DType d = (DType)to->dtype;
    if (sem_bad(v) || to->kind == TY_UNKNOWN)
        return false;
    if (to->kind == TY_ARRAY && numbers_inside(v.type))
        return (!dtype_is_param(d) && !type_has_param(v.type)) ||
               cannot_store(s, at, to, v.type, "make an array of it: np.array(...)");
    if (v.type->kind == TY_TUPLE || v.type->kind == TY_LIST)
        return cannot_store(s, at, to, v.type, "make an array of it: np.array(...)");
    if (!as_array(v.type, &a))
        return cannot_store(s, at, to, v.type, NULL);
    if (a.ndim > ndim && !ndim)
        return cannot_store(s, at, to, v.type, "an element holds one number");
    if (dtype_is_param(a.d) || dtype_is_param(d))
        return time_fits(a.d, d) || cannot_store(s, at, to, v.type, "convert it with .astype(...)");
    if (dtype_is_complex(a.d) && !dtype_is_complex(d) && (a.scalar || same_kind))
        return cannot_store(s, at, to, v.type, "take its real part: .real");
    if (same_kind)
        return same_kind_ok(s, at, a.d, d);
    return !a.weak || fits_const(s, at, v.cst, d);
}
