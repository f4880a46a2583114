/* SPDX-License-Identifier: BSD-3-Clause
 * Vector forms of elementary functions that are our own, functions of the module. LLVM's vectoriser
 * and our lanes see declarations; those that have come to be called get their bodies behind the
 * passes, which have nothing to do in them. */
#include "reals.h"

static const char *
form_name(Gen *g, IrOp op, bool dbl, unsigned lanes)
{
    return arena_printf(&g->cx->arena, "sw.%s.%c%u", op_info[op].name, dbl ? 'd' : 'f', lanes);
}

LV
own_vector_form(Gen *g, IrOp op, bool dbl, int lanes)
{
    if (!g->isa.fma || !has_own_vector_form(op, dbl))
        return NULL;
    const char *name = form_name(g, op, dbl, (unsigned)lanes);
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
    LV small = real_test(&r, LLVMRealOLT, real_abs(&r, x), real_const(&r, 0x1p28));
    real_return_if_all(&r, fn, small, y);
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

/* The form for twice as many lanes, where it is called too; or NULL. */
static LV
wider_form(Gen *g, OwnForm form)
{
    LLVMTypeRef t = LLVMTypeOf(LLVMGetParam(form.fn, 0));
    bool dbl = LLVMGetElementType(t) == g->f64;
    LV fn = LLVMGetNamedFunction(g->mod, form_name(g, form.op, dbl, 2 * LLVMGetVectorSize(t)));
    return fn && is_called(fn) ? fn : NULL;
}

/* What is left of a loop's iterations is not worth code of its own: its lanes go through the wider
 * form, twice. */
static void
emit_by_wider(Gen *g, LV fn, LV wider)
{
    LV args[2], all[64];
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(LLVMGetParam(fn, 0)));
    for (unsigned i = 0; i < 2 * n && i < SW_LEN(all); i++)
        all[i] = k32(g, i % n);
    for (unsigned k = 0; k < LLVMCountParams(fn); k++) {
        LV x = LLVMGetParam(fn, k);
        args[k] = LLVMBuildShuffleVector(g->b, x, x, LLVMConstVector(all, 2 * n), "");
    }
    LV y =
        LLVMBuildCall2(g->b, LLVMGlobalGetValueType(wider), wider, args, LLVMCountParams(fn), "");
    LLVMBuildRet(g->b, LLVMBuildShuffleVector(g->b, y, y, LLVMConstVector(all, n), ""));
}

static void
emit_own_body(Gen *g, OwnForm form)
{
    LV fn = form.fn, wider = wider_form(g, form);
    IrOp op = form.op;
    LV args[2] = {LLVMGetParam(fn, 0), LLVMCountParams(fn) > 1 ? LLVMGetParam(fn, 1) : NULL};
    if (wider)
        emit_by_wider(g, fn, wider);
    else if (op == OP_pow)
        emit_power_body(g, fn);
    else if (op == OP_tan)
        emit_tan_body(g, fn);
    else if (op == OP_cbrt)
        emit_cbrt_body(g, fn);
    else if (op == OP_log || op == OP_log2 || op == OP_log10)
        emit_log_body(g, op, fn);
    else
        LLVMBuildRet(g->b, emit_elementary(g, op, args));
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
        emit_own_body(g, g->own_forms.at[i]);
    }
}
