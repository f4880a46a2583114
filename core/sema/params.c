/* SPDX-License-Identifier: BSD-3-Clause
 * Arguments of NumPy's rows against param.def: what a parameter of that name takes, whichever function it
 * is of. Takes a bound call; yields false after a message. The functions themselves may then rely on the
 * kind of each argument, and None is where a default is None. */
#include "sema/calls.h"

typedef enum ArgKind {
    PK_ARRAY,  /* an array, a number, or nested sequences of numbers */
    PK_OUT,    /* an array to write to */
    PK_AXIS,   /* an integer or a tuple of integers; no bool */
    PK_SHAPE,  /* the same, or a list of them */
    PK_INT,
    PK_SIZE,   /* an integer; no bool */
    PK_NUMBER,
    PK_FLAG,   /* a bool or an integer */
    PK_TEXT,
} ArgKind;

static const struct {
    const char *name;
    ArgKind kind;
    bool none;
} params[] = {
#define PARAM(name, kind, none) {#name, PK_##kind, none},
#include "def/param.def"
#undef PARAM
};

static const char *const expected[] = {
    [PK_ARRAY] = "an array or a number",
    [PK_OUT] = "an array",
    [PK_AXIS] = "an integer or a tuple of integers",
    [PK_SHAPE] = "an integer or a tuple of integers",
    [PK_INT] = "an integer",
    [PK_SIZE] = "an integer",
    [PK_NUMBER] = "a number",
    [PK_FLAG] = "True or False",
    [PK_TEXT] = "a string",
};

static bool
is_axis(const Type *t)
{
    bool ok = is_int_type(t) && t->dtype != DT_bool;
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
    case PK_ARRAY: return is_array_like(t);
    case PK_OUT: return t->kind == TY_ARRAY || t->kind == TY_TUPLE;
    case PK_AXIS: return is_axis(t);
    case PK_SHAPE: return is_axis(t) || t->kind == TY_LIST;
    case PK_INT: return is_int_type(t);
    case PK_SIZE: return is_int_type(t) && t->dtype != DT_bool;
    case PK_NUMBER: return t->kind == TY_SCALAR || (t->kind == TY_ARRAY && t->ndim == 0);
    case PK_FLAG: return is_int_type(t);
    case PK_TEXT: return t->kind == TY_STR;
    }
    return false;
}

/* 0 when no row of the table has this name. */
static int
param_named(const RowParam *p)
{
    for (int i = 0; i < SW_LEN(params); i++)
        if ((int)strlen(params[i].name) == p->len && !strncmp(params[i].name, p->name, (size_t)p->len))
            return i + 1;
    return 0;
}

/* "axis=None", and "axis=0|None" where None is no default but has a meaning of its own. */
static bool
takes_none(const RowParam *p)
{
    const char *dflt = p->name + p->len, *end = strpbrk(dflt, ",");
    const char *none = p->required ? NULL : strstr(dflt, "None");
    return none && (!end || none < end);
}

bool
check_params(CallCx *x)
{
    RowParams rp = row_params(x->fn);
    bool ok = true;
    for (int k = 0; k < rp.n; k++) {
        Sem v = sema_arg(x->s, x->c, k);
        int i = param_named(&rp.at[k]);
        if (!i || !v.type || v.type->kind == TY_UNKNOWN)
            continue;
        bool none = v.type->kind == TY_NONE;
        if (none ? params[i - 1].none || takes_none(&rp.at[k]) : takes(params[i - 1].kind, v.type))
            continue;
        wrong_type(x, params[i - 1].name, expected[params[i - 1].kind], v.type);
        ok = false;
    }
    return ok;
}
