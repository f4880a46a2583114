/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of kernels of libswathe_kernels.so: a KernelArg for each argument, one after the other on
 * the stack, and one for what the call yields, if it isn't the status (kernel.h). The symbol is
 * resolved when the object is loaded. */
#include "emit.h"
#include "type/builtin.h"

enum { ARG_BYTES = 24 }; /* of a KernelArg */

static void
put_arg(Gen *g, LV area, int i, const IrArg *a)
{
    LV at = field(g, area, ARG_BYTES * i);
    if (a->arr) {
        put(g, array_desc(g, a->arr, i, false), at);
        put(g, k64(g, a->arr->ndim), field(g, at, 8));
        put(g, k64(g, a->arr->dtype), field(g, at, 16));
        return;
    }
    put(g, LLVMConstNull(g->ptr), at);
    put(g, emit_expr(g, a->e).v, field(g, at, 8));
    put(g, k64(g, DT_i64), field(g, at, 16));
}

void
emit_kernel(Gen *g, IrStmt *s)
{
    if (g->ptx) {
        gen_refuse(g->cx, s->at, REFUSE_PTX_library, s->func->foreign + strlen(KERNEL_PREFIX),
                   NULL);
        return;
    }
    LLVMTypeRef params[2] = {g->ptr, g->ptr}, type = LLVMFunctionType(g->i64, params, 2, false);
    LV fn = LLVMGetNamedFunction(g->mod, s->func->foreign);
    if (!fn)
        fn = LLVMAddFunction(g->mod, s->func->foreign, type);
    LV area = new_slot(g, LLVMArrayType2(g->i8, (uint64_t)(ARG_BYTES * (s->n_args + 1))), "kernel");
    LLVMSetAlignment(area, 8);
    for (int i = 0; i < s->n_args; i++)
        put_arg(g, area, i, &s->args[i]);
    LV args[2] = {g->ctx, area}, status = LLVMBuildCall2(g->b, type, fn, args, 2, "status");
    LLVMBasicBlockRef below = new_block(g, "below"), done = new_block(g, "done");
    branch(g, LLVMBuildICmp(g->b, LLVMIntSGE, status, k64(g, 0), ""), done, below, g->likely);
    LLVMPositionBuilderAtEnd(g->b, below);
    LV failed[2] = {g->ctx, status};
    fail_if_status(g, emit_rt_call(g, RT_sw_kernel_failed, failed, 2));
    jump(g, done);
    LLVMPositionBuilderAtEnd(g->b, done);
    bool yields = kernel_result(ir_kernel(s->func)) != DT_COUNT;
    IrVar *out = s->n_outs ? s->outs[0].out : NULL;
    if (out && yields)
        status = LLVMBuildLoad2(g->b, out->dtype == DT_f64 ? g->f64 : g->i64,
                                field(g, area, ARG_BYTES * s->n_args + 8), "yields");
    if (out)
        put(g, status, g->slots[out->id].v);
}
