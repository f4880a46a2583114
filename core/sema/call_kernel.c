/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of kernels (def/kernel.def), which only swathe/lib makes: what a caller gets wrong there is
 * an error of ours. */
#include "sema/calls.h"

static const Type *
bad_call(CallCx *x, const char *what, int k)
{
    sema_error(x->s, DIAG_internal, x->at, "kernel %s: argument %d %s", x->fn->name, k + 1, what);
    return NULL;
}

static const Type *
not_on_device(CallCx *x)
{
    Diag *d = sema_error(x->s, DIAG_unsupported, x->at,
                         "'%s' is work of a library in C, which runs on the CPU only", x->fn->name);
    diag_hint(x->s->diags, d, "call it before or after the kernel, and give the kernel its result");
    return NULL;
}

const Type *
type_kernel(CallCx *x)
{
    const KernelRow *row = kernel_row(x->fn->id);
    if (x->s->cx->opt->target != TARGET_CPU)
        return not_on_device(x);
    DType d = DT_COUNT;
    int outer = -1;
    for (int k = 0; k < kernel_n_params(row); k++) {
        const Type *t = sema_arg(x->s, x->c, k).type;
        KernelParam p = kernel_param(row, k);
        if (!p.is_array) {
            if (!t || t->kind != TY_SCALAR || (t->dtype != DT_i64 && t->dtype != DT_bool))
                return bad_call(x, "is no int", k);
            continue;
        }
        if (!t || t->kind != TY_ARRAY)
            return bad_call(x, "is no array", k);
        d = d == DT_COUNT ? (DType)t->dtype : d;
        outer = outer < 0 ? t->ndim - p.core : outer;
        if (t->dtype != (p.dtype == DT_COUNT ? d : p.dtype) || !kernel_takes(row, d))
            return bad_call(x, "is of another dtype", k);
        if (outer < 0 || t->ndim - p.core != outer)
            return bad_call(x, "has another number of axes", k);
        /* else the words of a Generator */
        if (p.writes && t->readonly && !(p.reads && kernel_draws(row))) {
            sema_readonly(x->s, x->at, arena_printf(x->s->a, "%s array is read-only", x->fn->name));
            return NULL;
        }
    }
    DType yields = kernel_result(row);
    return type_scalar(x->s->tt, yields == DT_COUNT ? DT_i64 : yields, true);
}
