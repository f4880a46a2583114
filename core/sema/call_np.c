/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of library rows: the way in. Takes a call whose arguments are bound and inferred;
 * yields the result's type and, where the types alone tell it, its value. An argument
 * that is in error already makes the result unknown, without another message. */
#include "sema/calls.h"

/* Rows that are classes, there for isinstance alone: np.ndarray, np.floating. */
static bool
is_abstract_class(const Builtin *fn)
{
    switch (fn->id) {
    case BI_np_ndarray:
    case BI_np_generic:
    case BI_np_number:
    case BI_np_integer:
    case BI_np_signedinteger:
    case BI_np_unsignedinteger:
    case BI_np_inexact:
    case BI_np_floating:
    case BI_np_complexfloating:
        return true;
    default:
        return false;
    }
}

const Type *
type_np(CallCx *x)
{
    if (is_abstract_class(x->fn)) {
        Diag *g = sema_error(x->s, DIAG_unsupported, x->at,
                             "%s cannot be called in compiled code", fn_text(x));
        diag_hint(x->s->diags, g, "np.empty or np.zeros make an array");
        return NULL;
    }
    switch (x->fn->id) {
    case BI_np_sum:
    case BI_np_prod:
    case BI_np_min:
    case BI_np_max:
    case BI_np_mean:
    case BI_np_any:
    case BI_np_all:
    case BI_np_argmin:
    case BI_np_argmax:
    case BI_np_count_nonzero:
    case BI_np_cumsum:
    case BI_np_cumprod:
        return type_reduce(x);
    case BI_np_dot:
    case BI_np_matmul:
        return type_linalg(x);
    case BI_np_zeros:
    case BI_np_ones:
    case BI_np_empty:
    case BI_np_full:
    case BI_np_zeros_like:
    case BI_np_ones_like:
    case BI_np_empty_like:
    case BI_np_full_like:
    case BI_np_arange:
    case BI_np_linspace:
    case BI_np_eye:
    case BI_np_identity:
    case BI_np_array:
    case BI_np_asarray:
    case BI_np_ascontiguousarray:
    case BI_np_asfortranarray:
    case BI_np_copy:
    case BI_np_dtype:
        return type_create(x);
    case BI_np_where:
    case BI_np_clip:
    case BI_np_round:
    case BI_np_around:
    case BI_np_fix:
    case BI_np_angle:
    case BI_np_real:
    case BI_np_imag:
    case BI_np_concatenate:
    case BI_np_stack:
    case BI_np_ndim:
    case BI_np_shape:
    case BI_np_size:
    case BI_np_item:
    case BI_np_fill:
    case BI_np_method_conj:
    case BI_np_method_conjugate:
        return type_select(x);
    default:
        return type_shape(x);
    }
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
        t = type_np(&x);
        break;
    case BF_PY:
        t = type_py(&x);
        break;
    case BF_MATH:
    case BF_CMATH:
        t = type_math(&x);
        break;
    case BF_LIB:
        sema_error(s, DIAG_internal, call, "%s is not a primitive", fn_text(&x));
        break;
    }
    return t ? (Sem){t, x.cst} : sema_unknown(s);
}
