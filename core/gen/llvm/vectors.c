/* SPDX-License-Identifier: BSD-3-Clause
 * Vector forms of elementary functions that are our own, functions of the module. LLVM's vectoriser
 * and our lanes see declarations; those that have come to be called get their bodies behind the
 * passes, which have nothing to do in them. */
#include "emit.h"
#include <stdio.h>

LV
own_vector_form(Gen *g, IrOp op, bool dbl, int lanes)
{
    if (!g->isa.fma || !has_own_vector_form(op, dbl))
        return NULL;
    char name[32];
    snprintf(name, sizeof name, "sw.%s.%c%d", op_info[op].name, dbl ? 'd' : 'f', lanes);
    LV fn = LLVMGetNamedFunction(g->mod, name);
    if (fn)
        return fn;
    unsigned n = (unsigned)op_info[op].n;
    LLVMTypeRef t = LLVMVectorType(dbl ? g->f64 : g->f32, (unsigned)lanes), p[2] = {t, t};
    fn = LLVMAddFunction(g->mod, name, LLVMFunctionType(t, p, n, false));
    add_attr(g, fn, "nounwind", 0);
    add_attr(g, fn, "willreturn", 0);
    add_attr(g, fn, "memory", 0);
    VEC_PUSH(&g->cx->arena, g->own_forms, ((OwnForm){fn, op}));
    return fn;
}

static bool
is_called(LV fn)
{
    for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u))
        if (LLVMIsAInstruction(LLVMGetUser(u)))
            return true;
    return false;
}

void
emit_own_forms(Gen *g)
{
    for (int i = 0; i < g->own_forms.n; i++) {
        LV fn = g->own_forms.at[i].fn;
        if (!is_called(fn))
            continue;
        LLVMSetLinkage(fn, LLVMInternalLinkage);
        LLVMPositionBuilderAtEnd(g->b, LLVMAppendBasicBlockInContext(g->c, fn, ""));
        LLVMSetCurrentDebugLocation2(g->b, NULL);
        LV args[2] = {LLVMGetParam(fn, 0), LLVMCountParams(fn) > 1 ? LLVMGetParam(fn, 1) : NULL};
        if (g->own_forms.at[i].op == OP_pow)
            emit_power_body(g, fn);
        else
            LLVMBuildRet(g->b, emit_elementary(g, g->own_forms.at[i].op, args));
    }
}
