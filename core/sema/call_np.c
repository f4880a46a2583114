/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of library rows: the way in. Takes a call whose arguments are bound and inferred;
 * yields the result's type and, where the types alone tell it, its value. An argument
 * that is in error already makes the result unknown, without another message. */
#include "sema/calls.h"

/* What is expanded with the shapes or with the arrays made, but typed with the elements. */
static bool
typed_as_select(const Builtin *fn)
{
    switch ((BuiltinId)fn->id) {
    case BI_np_real:
    case BI_np_imag:
    case BI_np_ndim:
    case BI_np_shape:
    case BI_np_size:
    case BI_np_item:
    case BI_np_fill:
    case BI_np_method_conj:
    case BI_np_method_conjugate:
        return true;
    default:
        return false;
    }
}

const Type *
type_np(CallCx *x)
{
    if (typed_as_select(x->fn))
        return type_select(x);
    if (x->fn->id == BI_np_dtype)
        return type_create(x);
    switch (builtin_group(x->fn)) {
    case NG_CLASS: {
        Diag *g = sema_error(x->s, DIAG_unsupported, x->at,
                             "%s cannot be called in compiled code", fn_text(x));
        diag_hint(x->s->diags, g, "np.empty or np.zeros make an array");
        return NULL;
    }
    case NG_REDUCE:
    case NG_SCAN:
        return type_reduce(x);
    case NG_LINALG:
        return type_linalg(x);
    case NG_CREATE:
        return type_create(x);
    case NG_SELECT:
        return type_select(x);
    case NG_SHAPE:
        return type_shape(x);
    }
    return type_shape(x);
}

static bool
any_bad(Sema *s, const Call *c)
{
    for (int k = 0; k < c->n_args; k++) {
        Sem v = sema_arg(s, c, k);
        if (v.type && sem_bad(v))
            return true;
    }
    return false;
}

Sem
call_builtin(Sema *s, const Node *call, const Builtin *fn, const Node *self, Call *out)
{
    CallCx x = {.s = s, .at = call, .fn = fn, .c = out, .method = self != NULL};
    out->kind = CALL_BUILTIN;
    out->fn = fn;
    if (any_bad(s, out))
        return sema_unknown(s);
    const Type *t = NULL;
    switch (fn->family) {
    case BF_UFUNC:
        t = ufunc_call(&x);
        break;
    case BF_NP:
        t = check_params(&x) ? type_np(&x) : NULL;
        break;
    case BF_PY:
        t = type_py(&x);
        break;
    case BF_MATH:
    case BF_CMATH:
        t = type_math(&x);
        break;
    case BF_GRID:
        t = type_grid(&x);
        break;
    case BF_LIB:
        sema_error(s, DIAG_internal, call, "%s is not a primitive", fn_text(&x));
        break;
    }
    return t ? (Sem){t, x.cst} : sema_unknown(s);
}
