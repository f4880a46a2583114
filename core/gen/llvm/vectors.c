/* SPDX-License-Identifier: BSD-3-Clause
 * Vector forms of elementary functions that are our own, functions of the module. LLVM's vectoriser
 * and our lanes see declarations; those that have come to be called get their bodies behind the
 * passes, which have nothing to do in them. */
#include "reals.h"
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

/* tan of float32: what x is beyond the nearest multiple of pi / 2 is found in float64, by whose two
 * parts it has all bits where x is below 2^28. Of larger ones SLEEF knows. */
static void
emit_tan_body(Gen *g, LV fn)
{
    static const double poly[] = {0x1.555562p-2, 0x1.110d4p-3,   0x1.bae8e8p-5, 0x1.5c30ap-6,
                                  0x1.658582p-7, -0x1.51d06p-20, 0x1.219f9ep-8};
    LV x = LLVMGetParam(fn, 0);
    Real r = real_of(g, x);
    LV wide = LLVMBuildFPExt(g->b, x, shaped_like(x, g->f64), "");
    Real w = real_of(g, wide);
    LV q = real_scaled(&w, wide, 2 / 0x1.921fb54442d18p1);
    q = intrinsic(g, "llvm.rint", w.t, &q, 1);
    LV rest = real_fma(&w, q, real_const(&w, -0x1.921fb54442d18p0), wide);
    rest = real_fma(&w, q, real_const(&w, -0x1.1a62633145c07p-54), rest);
    LV none = real_test(&w, LLVMRealOEQ, q, real_const(&w, 0.0)); /* x keeps its sign */
    LV half = real_scaled(&w, q, 0.5);
    LV odd = real_test(&w, LLVMRealUNE, intrinsic(g, "llvm.rint", w.t, &half, 1), half);
    LV a = LLVMBuildFPTrunc(g->b, real_select(&w, none, wide, rest), r.t, "");
    LV z = real_mul(&r, a, a);
    LV y = real_fma(&r, real_mul(&r, a, z), real_poly(&r, z, poly, SW_LEN(poly)), a);
    y = real_select(&r, odd, real_div(&r, real_const(&r, -1.0), y), y);
    LLVMBasicBlockRef rare = LLVMAppendBasicBlockInContext(g->c, fn, "rare");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(g->c, fn, "done");
    LV small = real_test(&r, LLVMRealOLT, real_abs(&r, x), real_const(&r, 0x1p28));
    small = intrinsic(g, "llvm.vector.reduce.and", LLVMTypeOf(small), &small, 1);
    LLVMBuildCondBr(g->b, small, done, rare);
    LLVMPositionBuilderAtEnd(g->b, done);
    LLVMBuildRet(g->b, y);
    LLVMPositionBuilderAtEnd(g->b, rare);
    LV of = sleef_form(g, OP_tan, false, (int)LLVMGetVectorSize(r.t));
    LLVMBuildRet(g->b, LLVMBuildCall2(g->b, LLVMGlobalGetValueType(of), of, &x, 1, ""));
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
        else if (g->own_forms.at[i].op == OP_tan)
            emit_tan_body(g, fn);
        else
            LLVMBuildRet(g->b, emit_elementary(g, g->own_forms.at[i].op, args));
    }
}
