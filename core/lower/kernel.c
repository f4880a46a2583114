/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of kernels (def/kernel.def): of a function of the IR without a body, whose symbol says
 * which kernel it is, and whose summary is the row's. */
#include "lower/internal.h"

/* One for each kernel and dtype. */
static IrFunc *
kernel_func(Lower *l, const KernelRow *row, DType of)
{
    Arena *a = &l->cx->arena;
    const char *name = arena_printf(a, "%s.%s", row->name, dtype_info[of].id);
    const char *symbol = arena_printf(a, KERNEL_PREFIX "%s", row->name);
    for (int i = 0; i < l->b.mod->funcs.n; i++)
        if (l->b.mod->funcs.at[i]->foreign && !strcmp(l->b.mod->funcs.at[i]->name, name) &&
            !strcmp(l->b.mod->funcs.at[i]->foreign, symbol))
            return l->b.mod->funcs.at[i];
    IrFunc *f = ir_func(l->b.mod, name);
    f->foreign = symbol;
    f->may_raise = true;
    for (int i = 0; i < kernel_n_params(row); i++) {
        KernelParam p = kernel_param(row, i);
        const char *of_param = builtin_params[row->id].at[i].name;
        DType d = p.dtype == DT_COUNT ? of : p.dtype;
        IrVar *v =
            p.is_array ? ir_array_var(f, of_param, d, p.core, LAY_A) : ir_var(f, of_param, DT_i64);
        v->is_param = true;
        f->n_params++;
    }
    IrVar *status = NEW(a, IrVar);
    status->name = "status";
    status->dtype = kernel_result(row) == DT_COUNT ? DT_i64 : kernel_result(row);
    f->results[f->n_results++] = status;
    return f;
}

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
    s->func = kernel_func(l, row, n_params && args[0].arr ? (DType)args[0].arr->dtype : DT_i64);
    outs->out = ir_var(l->b.f, "status", (DType)s->func->results[0]->dtype);
    s->args = args;
    s->n_args = n_params;
    s->outs = outs;
    s->n_outs = 1;
    l->b.f->may_raise = true;
    return val_scalar(&l->b, sema_info(l->in, n)->type, ir_use(l->cx, outs->out));
}
