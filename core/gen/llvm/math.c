/* SPDX-License-Identifier: BSD-3-Clause
 * Elementary functions: a call of C's function by its name, with an attribute that names
 * its vector forms, our own (vectors.c) or SLEEF's, so that LLVM's vectorisers may call those
 * instead. The vector functions must be declared in the module for that, and kept until then
 * (llvm.compiler.used). exp of float64 is computed in place: see exp.c. */
#define _GNU_SOURCE 1
#include "emit.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_once_t sleef_once = PTHREAD_ONCE_INIT;
static bool sleef_found;

/* Beside our own library first, then wherever the system has it. */
static void
find_sleef(void)
{
    Dl_info me;
    char path[4096];
    if (dladdr((void *)(uintptr_t)find_sleef, &me) && me.dli_fname && strrchr(me.dli_fname, '/')) {
        int dir = (int)(strrchr(me.dli_fname, '/') - me.dli_fname);
        snprintf(path, sizeof path, "%.*s/libsleef.so.3", dir, me.dli_fname);
        if ((sleef_found = access(path, R_OK) == 0))
            return;
    }
    sleef_found = dlopen("libsleef.so.3", RTLD_LAZY | RTLD_LOCAL) != NULL;
}

bool
sleef_present(void)
{
    pthread_once(&sleef_once, find_sleef);
    return sleef_found;
}

/* The accuracy in SLEEF's names: 1.0 ulp, or 3.5 ulp where fast-math allows it and it
 * exists. */
static const char *
accuracy(const Gen *g, IrOp op)
{
    switch (op) {
    case OP_sin:
    case OP_cos:
    case OP_tan:
    case OP_log:
    case OP_log2:
    case OP_asin:
    case OP_acos:
    case OP_atan:
    case OP_atan2:
    case OP_sinh:
    case OP_cosh:
    case OP_tanh:
    case OP_cbrt:
        return g->opt.fastmath & FM_AFN ? "u35" : "u10";
    case OP_hypot:
        return g->opt.fastmath & FM_AFN ? "u35" : "u05";
    case OP_erfc:
        return "u15";
    default:
        return "u10";
    }
}

LV
sleef_form(Gen *g, IrOp op, bool dbl, int lanes)
{
    const char *isa = g->isa.sleef[lanes / (dbl ? 2 : 4) / 2];
    char name[96];
    snprintf(name, sizeof name, "Sleef_%s%c%d_%s%s", op_info[op].name, dbl ? 'd' : 'f', lanes,
             accuracy(g, op), isa);
    LV fn = LLVMGetNamedFunction(g->mod, name);
    if (fn)
        return fn;
    int n = op_info[op].n;
    LLVMTypeRef t = LLVMVectorType(dbl ? g->f64 : g->f32, (unsigned)lanes), p[2] = {t, t};
    fn = LLVMAddFunction(g->mod, name, LLVMFunctionType(t, p, (unsigned)n, false));
    add_attr(g, fn, "nounwind", 0);
    add_attr(g, fn, "willreturn", 0);
    add_attr(g, fn, "memory", 0);
    return fn;
}

static LV
vector_form(Gen *g, IrOp op, bool dbl, int lanes)
{
    LV fn = own_vector_form(g, op, dbl, lanes);
    return fn ? fn : sleef_form(g, op, dbl, lanes);
}

/* One vector form: declares it and adds its mapping to `text`. */
static void
add_vector_form(Gen *g, StrBuf *text, IrOp op, const char *cname, bool dbl, int lanes)
{
    int n = op_info[op].n;
    LV fn = vector_form(g, op, dbl, lanes);
    const char *name = LLVMGetValueName2(fn, &(size_t){0});
    VEC_PUSH(&g->cx->arena, g->used, fn);
    sb_addf(text, "%s_ZGV_LLVM_N%d%s_%s(%s)", text->n ? "," : "", lanes, n == 2 ? "vv" : "v", cname,
            name);
}

static void
add_vector_forms(Gen *g, LV call_site_fn, IrOp op, const char *cname, bool dbl)
{
    StrBuf text = {0};
    int k = dbl ? 1 : 2;
    for (int i = 0; i < SW_LEN(g->isa.sleef); i++)
        if (g->isa.sleef[i])
            add_vector_form(g, &text, op, cname, dbl, (2 << i) * k);
    const char *key = "vector-function-abi-variant";
    LLVMAddAttributeAtIndex(
        call_site_fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(g->c, key, (unsigned)strlen(key), text.s, (unsigned)text.n));
    sb_free(&text);
}

/* opaque: by a name that LLVM doesn't know, which the loader does. */
static LV
declare_libm(Gen *g, IrOp op, bool dbl, bool opaque)
{
    LV named = NULL, *cached = opaque ? &named : &g->libm[op][dbl];
    if (*cached)
        return *cached;
    char name[64];
    snprintf(name, sizeof name, "%s%s%s", opaque ? GEN_LIBM_PREFIX : "", op_info[op].name,
             dbl ? "" : "f");
    LLVMTypeRef t = dbl ? g->f64 : g->f32, p[2] = {t, t};
    *cached = LLVMGetNamedFunction(g->mod, name);
    if (!*cached)
        *cached =
            LLVMAddFunction(g->mod, name, LLVMFunctionType(t, p, (unsigned)op_info[op].n, false));
    add_attr(g, *cached, "nounwind", 0);
    add_attr(g, *cached, "willreturn", 0);
    add_attr(g, *cached, "memory", 0);
    if ((op_info[op].flags & OPF_VECTOR) && g->sleef)
        add_vector_forms(g, *cached, op, name, dbl);
    return *cached;
}

/* ---- vectors of our own making (lanes) ---- */

static LV
elements(Gen *g, LV v, int first, int n)
{
    LV k[64];
    for (int i = 0; i < n; i++)
        k[i] = k32(g, first + i);
    return LLVMBuildShuffleVector(g->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                  LLVMConstVector(k, (unsigned)n), "");
}

/* Two halves side by side. */
static LV
joined(Gen *g, LV a, LV b)
{
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(a));
    LV k[64];
    for (unsigned i = 0; i < 2 * n && i < 64; i++)
        k[i] = k32(g, i);
    return LLVMBuildShuffleVector(g->b, a, b, LLVMConstVector(k, 2 * n), "");
}

static LV
one_by_one(Gen *g, IrOp op, DType d, LV *a, int n)
{
    LV r = LLVMGetPoison(LLVMTypeOf(a[0]));
    for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(a[0])); i++) {
        LV one[2];
        for (int k = 0; k < n; k++)
            one[k] = LLVMBuildExtractElement(g->b, a[k], k32(g, i), "");
        r = LLVMBuildInsertElement(g->b, r, emit_math(g, op, d, one, n), k32(g, i), "");
    }
    return r;
}

/* As the vectoriser does it: by the widest form that is there, in pieces. */
static LV
vector_math(Gen *g, IrOp op, DType d, LV *a, int n)
{
    bool dbl = d == DT_f64;
    int lanes = (int)LLVMGetVectorSize(LLVMTypeOf(a[0])), unit = dbl ? 2 : 4;
    int most = g->isa.sleef[2] ? 2 : g->isa.sleef[1] ? 1 : 0;
    if (!g->sleef || !(op_info[op].flags & OPF_VECTOR) || lanes < unit)
        return one_by_one(g, op, d, a, n);
    if (lanes > unit << most) {
        LV lo[2], hi[2];
        for (int k = 0; k < n; k++) {
            lo[k] = elements(g, a[k], 0, lanes / 2);
            hi[k] = elements(g, a[k], lanes / 2, lanes / 2);
        }
        LV first = vector_math(g, op, d, lo, n);
        return joined(g, first, vector_math(g, op, d, hi, n));
    }
    LV fn = vector_form(g, op, dbl, lanes);
    LV call = LLVMBuildCall2(g->b, LLVMGlobalGetValueType(fn), fn, a, (unsigned)n, "");
    return flagged(g, call);
}

/* LLVM would make exp2(3 * x) of pow(8, x), which is off by the rounding of 3 * x, and exp2(x) of
 * pow(2, x). */
static bool
is_power_of_base(const Gen *g, IrOp op, const LV *a)
{
    return op == OP_pow && !g->ptx && !(g->opt.fastmath & FM_AFN) && LLVMIsConstant(a[0]) &&
           !LLVMIsConstant(a[1]);
}

/* The mapping is read from the call, so it is copied there from the function. */
static LV
call_math(Gen *g, IrOp op, DType d, LV *a, int n)
{
    if (LLVMGetTypeKind(LLVMTypeOf(a[0])) == LLVMVectorTypeKind)
        return vector_math(g, op, d, a, n);
    LV fn = declare_libm(g, op, d == DT_f64, is_power_of_base(g, op, a));
    LV call = LLVMBuildCall2(g->b, LLVMGlobalGetValueType(fn), fn, a, (unsigned)n, "");
    const char *key = "vector-function-abi-variant";
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMAttributeRef map = LLVMGetStringAttributeAtIndex(fn, at, key, (unsigned)strlen(key));
    if (map)
        LLVMAddCallSiteAttribute(call, at, map);
    return flagged(g, call);
}

/* ---- what SLEEF's functions take for infinite ---- */

static LV
in_lanes(Gen *g, LLVMTypeRef t, double v)
{
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind)
        return LLVMConstReal(t, v);
    LV all[64];
    unsigned n = LLVMGetVectorSize(t);
    for (unsigned i = 0; i < n && i < SW_LEN(all); i++)
        all[i] = LLVMConstReal(LLVMGetElementType(t), v);
    return LLVMConstVector(all, n);
}

/* asinh and acosh square their operand. Of a large one they are log(2x) to the last place, and so
 * is twice either of sqrt(x / 2). */
static LV
of_large(Gen *g, IrOp op, DType d, LV x)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    LV size = intrinsic(g, "llvm.fabs", t, &x, 1);
    LV large = LLVMBuildFCmp(g->b, LLVMRealOGT, op == OP_asinh ? size : x,
                             in_lanes(g, t, d == DT_f64 ? 0x1p400 : 0x1p50), "");
    LV half = LLVMBuildFMul(g->b, size, in_lanes(g, t, 0.5), "");
    LV root[2] = {intrinsic(g, "llvm.sqrt", t, &half, 1), x};
    LV less = intrinsic(g, "llvm.copysign", t, root, 2);
    LV arg = LLVMBuildSelect(g->b, large, less, x, "");
    LV times = LLVMBuildSelect(g->b, large, in_lanes(g, t, 2.0), in_lanes(g, t, 1.0), "");
    return LLVMBuildFMul(g->b, call_math(g, op, d, &arg, 1), times, "");
}

/* log1p of a large x is log(x), which is log(x / 2^64) + 64 log(2). Zeros keep their signs. */
static LV
log1p_of_large(Gen *g, DType d, LV x)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    LV large =
        LLVMBuildFCmp(g->b, LLVMRealOGT, x, in_lanes(g, t, d == DT_f64 ? 0x1p1000 : 0x1p120), "");
    LV times = LLVMBuildSelect(g->b, large, in_lanes(g, t, 0x1p-64), in_lanes(g, t, 1.0), "");
    LV arg = LLVMBuildFMul(g->b, x, times, "");
    LV less = LLVMBuildSelect(g->b, large, in_lanes(g, t, -64 * 0x1.62e42fefa39efp-1),
                              in_lanes(g, t, 0.0), "");
    return LLVMBuildFSub(g->b, call_math(g, OP_log1p, d, &arg, 1), less, "");
}

/* sinh and cosh take e^x, which is infinite before e^x / 2 is. Of a large x both are twice the
 * square of what they are of x / 2, to the last place but two. */
static LV
of_half(Gen *g, IrOp op, DType d, LV x)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    LV size = intrinsic(g, "llvm.fabs", t, &x, 1), one = in_lanes(g, t, 1.0);
    LV large =
        LLVMBuildFCmp(g->b, LLVMRealOGT, size, in_lanes(g, t, d == DT_f64 ? 700.0 : 80.0), "");
    LV times = LLVMBuildSelect(g->b, large, in_lanes(g, t, 0.5), one, "");
    LV arg = LLVMBuildFMul(g->b, x, times, "");
    LV r = call_math(g, op, d, &arg, 1);
    LV twice = LLVMBuildFMul(g->b, intrinsic(g, "llvm.fabs", t, &r, 1), in_lanes(g, t, 2.0), "");
    return LLVMBuildFMul(g->b, r, LLVMBuildSelect(g->b, large, twice, one, ""), "");
}

/* The tangent of a small x is x, which it is to SLEEF of all but the least negative one. */
static LV
tan_of_small(Gen *g, DType d, LV x)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    LV size = intrinsic(g, "llvm.fabs", t, &x, 1);
    LV small = LLVMBuildFCmp(g->b, LLVMRealOLT, size, in_lanes(g, t, 0x1p-100), "");
    return LLVMBuildSelect(g->b, small, x, call_math(g, OP_tan, d, &x, 1), "");
}

LV
emit_math(Gen *g, IrOp op, DType d, LV *a, int n)
{
    if (!g->ptx && op == OP_exp && d == DT_f64 && g->isa.fma)
        return emit_exp(g, a[0]);
    if (g->ptx || !g->sleef || (g->isa.fma && has_own_vector_form(op, d == DT_f64)))
        return call_math(g, op, d, a, n);
    if (op == OP_tan)
        return tan_of_small(g, d, a[0]);
    if (op == OP_asinh || op == OP_acosh)
        return of_large(g, op, d, a[0]);
    if (op == OP_sinh || op == OP_cosh)
        return of_half(g, op, d, a[0]);
    return op == OP_log1p ? log1p_of_large(g, d, a[0]) : call_math(g, op, d, a, n);
}
