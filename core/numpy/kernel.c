/* SPDX-License-Identifier: BSD-3-Clause
 * The functions of the IR that stand for kernels: without a body, with a symbol that says which
 * kernel it is, and a summary that is the row's (def/kernel.def). */
#include "numpy/internal.h"

bool
np_kernel_may(IrBuilder *b)
{
    const SwOptions *o = b->cx->opt;
    return o->target == TARGET_CPU && !o->kernel && !o->offload && !b->f->n_labels;
}

IrFunc *
np_kernel_func(IrBuilder *b, const KernelRow *row, DType of)
{
    Arena *a = &b->cx->arena;
    const char *name = arena_printf(a, "%s.%s", row->name, dtype_info[of].id);
    const char *symbol = arena_printf(a, KERNEL_PREFIX "%s", row->name);
    for (int i = 0; i < b->mod->funcs.n; i++)
        if (b->mod->funcs.at[i]->foreign && !strcmp(b->mod->funcs.at[i]->name, name) &&
            !strcmp(b->mod->funcs.at[i]->foreign, symbol))
            return b->mod->funcs.at[i];
    IrFunc *f = ir_func(b->mod, name);
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

IrVar *
np_kernel_call(IrBuilder *b, const KernelRow *row, int n, IrVar *const *arrays)
{
    IrVar *status = ir_temp(b, np_int(b, 1));
    IrArg *args = NEW_N(&b->cx->arena, IrArg, n), *outs = NEW(&b->cx->arena, IrArg);
    for (int i = 0; i < n; i++)
        args[i].arr = arrays[i];
    outs->out = status;
    IrStmt *s = ir_append(b, IS_CALL);
    s->func = np_kernel_func(b, row, (DType)arrays[0]->dtype);
    s->args = args;
    s->n_args = n;
    s->outs = outs;
    s->n_outs = 1;
    b->f->may_raise = true;
    return status;
}
