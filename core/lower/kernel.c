/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of kernels (def/kernel.def): of a function of the IR without a body, whose symbol says
 * which kernel it is, and whose summary is the row's. */
#include "lower/internal.h"

static IrArg
argument(Lower *l, const Node *n, const KernelParam *p)
{
    Val v = expr(l, n);
    if (!p->is_array)
        return (IrArg){.e = val_freeze(&l->b, val_expr(&l->b, &v, DT_i64))};
    if (v.kind == VK_LAZY)
        v = np_materialize(&l->b, v, LAY_C);
    return (IrArg){.arr = v.arr};
}

Val
kernel_call(Lower *l, const Node *n, const Call *c)
{
    const KernelRow *row = kernel_row(c->fn->id);
    int n_params = kernel_n_params(row);
    IrArg *args = NEW_N(&l->cx->arena, IrArg, n_params), *outs = NEW(&l->cx->arena, IrArg);
    for (int i = 0; i < n_params; i++) {
        KernelParam p = kernel_param(row, i);
        args[i] = argument(l, c->arg[i], &p);
    }
    IrStmt *s = ir_append(&l->b, IS_CALL);
    s->func =
        np_kernel_func(&l->b, row, n_params && args[0].arr ? (DType)args[0].arr->dtype : DT_i64);
    outs->out = ir_var(l->b.f, "status", (DType)s->func->results[0]->dtype);
    s->args = args;
    s->n_args = n_params;
    s->outs = outs;
    s->n_outs = 1;
    l->b.f->may_raise = true;
    return val_scalar(&l->b, sema_info(l->in, n)->type, ir_use(l->cx, outs->out));
}
