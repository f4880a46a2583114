/* SPDX-License-Identifier: BSD-3-Clause
 * Arguments of NumPy's rows against param.def: what a parameter of that name takes, whichever
 * function it is of. Takes a bound call; yields false after a message. The functions themselves may
 * then rely on the kind of each argument, and None is where a default is None. */
#include "sema/calls.h"

static const char *const expected[] = {
    [PK_ARRAY] = "an array or a number",
    [PK_VALUES] = "an array or a number",
    [PK_OUT] = "an array",
    [PK_AXIS] = "an integer or a tuple of integers",
    [PK_AXES] = "an integer or a tuple of integers",
    [PK_SHAPE] = "an integer or a tuple of integers",
    [PK_INT] = "an integer",
    [PK_SIZE] = "an integer",
    [PK_NUMBER] = "a number",
    [PK_FLAG] = "True or False",
    [PK_TEXT] = "a string",
    [PK_PARTS] = "a tuple or a list",
};

static bool
is_axis(const Type *t)
{
    bool ok = is_size_type(t);
    for (int k = 0; t->kind == TY_TUPLE && k < t->n; k++)
        if (!is_axis(t->elems[k]) || t->elems[k]->kind == TY_TUPLE)
            return false;
    return ok || t->kind == TY_TUPLE;
}

static bool
is_array_like(const Type *t)
{
    switch (t->kind) {
    case TY_SCALAR:
    case TY_ARRAY:
    case TY_RECORD:
    case TY_TUPLE:
    case TY_LIST:
        return true;
    default:
        return false;
    }
}

static bool
takes(ArgKind k, const Type *t)
{
    switch (k) {
    case PK_ARRAY:
        return is_array_like(t);
    case PK_VALUES:
        return is_array_like(t) || type_is_row(t);
    case PK_OUT:
        return t->kind == TY_ARRAY || t->kind == TY_TUPLE;
    case PK_AXIS:
    case PK_AXES:
        return is_axis(t);
    case PK_SHAPE:
        return is_axis(t) || t->kind == TY_LIST;
    case PK_INT:
        return is_int_type(t);
    case PK_SIZE:
        return is_size_type(t);
    case PK_NUMBER:
        return t->kind == TY_SCALAR || (t->kind == TY_ARRAY && t->ndim == 0);
    case PK_FLAG:
        return is_int_type(t);
    case PK_TEXT:
        return t->kind == TY_STR;
    case PK_PARTS:
        return t->kind == TY_TUPLE || t->kind == TY_LIST || t->kind == TY_REF;
    case PK_ANY:
    case PK_DTYPE:
        return true;
    }
    return false;
}

/* Several, which may be the rows of an array. */
static bool
takes_rows(const Builtin *fn)
{
    return fn->id == BI_np_lexsort || fn->id == BI_np_choose;
}

bool
check_params(CallCx *x)
{
    const RowParams *rp = &builtin_params[x->fn->id];
    bool ok = true;
    for (int k = 0; k < rp->n; k++) {
        Sem v = sema_arg(x->s, x->c, k);
        const RowParam *p = &rp->at[k];
        if (p->kind == PK_ANY || !v.type || v.type->kind == TY_UNKNOWN)
            continue;
        if (v.type->kind == TY_NONE ? p->none : takes(p->kind, v.type))
            continue;
        if (p->kind == PK_PARTS && v.type->kind == TY_ARRAY && takes_rows(x->fn))
            continue;
        wrong_type(x, p->name, expected[p->kind], v.type);
        ok = false;
    }
    return ok;
}

/* A size, a count or an axis is Python's int in the library, as NumPy makes it one: in the dtype of
 * a byte what is computed of it would wrap. */
void
count_in_ints(Sema *s, const Builtin *row, const Type **types, const Const **csts)
{
    static const unsigned counts = 1u << PK_INT | 1u << PK_SIZE | 1u << PK_AXIS | 1u << PK_AXES;
    const RowParams *rp = &builtin_params[row->id];
    int64_t v;
    for (int k = 0; k < rp->n; k++) {
        const Type *t = types[k];
        if (!(counts >> rp->at[k].kind & 1) || !t || t->kind != TY_SCALAR || t->weak ||
            t->dtype == DT_bool || t->dtype == DT_u64 || !is_int_type(t))
            continue;
        types[k] = type_scalar(s->tt, DT_i64, true);
        if (csts[k] && const_as_int(csts[k], &v))
            csts[k] = const_int(s, v);
    }
}
