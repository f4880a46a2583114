/* SPDX-License-Identifier: BSD-3-Clause
 * linked(name, signature, how, key, *args): a call of a function of another language, by its
 * signature. Numbers are converted where NumPy would do so for its own functions (same kind);
 * arrays must have the elements that the pointer is to, one after the other. */
#include "sema/calls.h"

static const char *
text_arg(CallCx *x, int k)
{
    Sem v = sema_arg(x->s, x->c, k);
    return v.cst && v.cst->kind == CV_STR ? v.cst->str : NULL;
}

static bool
number_fits(const Type *t, Sem v, DType to)
{
    if (t->kind != TY_SCALAR)
        return false;
    if (t->weak)
        return dtype_kind((DType)t->dtype) <=
                   (dtype_kind(to) == DK_UINT ? DK_INT : dtype_kind(to)) ||
               (v.cst && t->dtype == DT_bool);
    return dtype_can_cast_same_kind((DType)t->dtype, to);
}

static bool
fits(const Type *want, Sem v, bool shapes)
{
    const Type *t = v.type;
    if (!t || want->kind == TY_SCALAR)
        return t && number_fits(t, v, (DType)want->dtype);
    return t->kind == TY_ARRAY && t->dtype == want->dtype && (t->layout != LAY_A || t->ndim == 0) &&
           (!shapes || (t->ndim == want->ndim && t->layout == LAY_C));
}

static const char *
pointer_text(CallCx *x, const Type *p)
{
    return p->kind == TY_ARRAY
               ? arena_printf(x->s->a, "a contiguous array of %s", dtype_info[p->dtype].name)
               : p->text;
}

/* C may write to what lies in the code. Once such arrays are arguments, it is the caller's to say
 * that a read-only one is only read. */
static bool
may_write_code(CallCx *x, const Type *want, const Type *t, int i, const char *name)
{
    if (want->kind != TY_ARRAY || !t->readonly || !x->s->unit->const_arrays)
        return false;
    Diag *d = sema_error(x->s, DIAG_value, x->at,
                         "argument %d of the linked function '%s' may be an array that is a "
                         "constant, and the function may write to it",
                         i + 1, name);
    diag_hint(x->s->diags, d, "pass the array as an argument, or a copy of it: a.copy()");
    return true;
}

const Type *
type_py_linked(CallCx *x)
{
    const char *name = text_arg(x, 0), *sig = text_arg(x, 1), *why = NULL;
    ForeignSig f;
    if (!name || !sig || !text_arg(x, 2) || !text_arg(x, 3)) {
        sema_error(x->s, DIAG_argument, x->at,
                   "linked() takes a name and a signature that are constant");
        return NULL;
    }
    if (!type_parse_foreign(x->s->tt, x->s->a, sig, &f, &why)) {
        sema_error(x->s, DIAG_argument, x->at, "the signature '%s' of the linked function '%s': %s",
                   sig, name, why);
        return NULL;
    }
    int n = x->c->n_args - 4;
    bool python = !strcmp(text_arg(x, 2), "callback");
    x->s->unit->upcalls |= python;
    if (n != f.n) {
        sema_error(x->s, DIAG_argument, x->at,
                   "the linked function '%s' takes %d argument%s, by its signature '%s', not %d",
                   name, f.n, f.n == 1 ? "" : "s", sig, n);
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        Sem v = sema_arg(x->s, x->c, 4 + i);
        bool right = fits(f.param[i], v, python);
        if (right && may_write_code(x, f.param[i], v.type, i, name))
            return NULL;
        if (right)
            continue;
        sema_error(x->s, DIAG_argument, x->at,
                   "argument %d of the linked function '%s' is %s, by its signature '%s', not %s",
                   i + 1, name, pointer_text(x, f.param[i]), sig,
                   v.type ? v.type->text : "nothing");
        return NULL;
    }
    return f.ret;
}
