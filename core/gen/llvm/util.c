/* SPDX-License-Identifier: BSD-3-Clause
 * Small helpers of the emission: types, constants, slots, branches, intrinsics,
 * attributes. */
#include "emit.h"

LLVMTypeRef
reg_type(Gen *g, DType d)
{
    switch (d) {
    case DT_bool:
        return g->i1;
    case DT_i8:
    case DT_u8:
        return g->i8;
    case DT_i16:
    case DT_u16:
        return g->i16;
    case DT_i32:
    case DT_u32:
        return g->i32;
    case DT_i64:
    case DT_u64:
        return g->i64;
    case DT_f16:
        return g->half;
    case DT_f32:
    case DT_c64:
        return g->f32;
    case DT_f64:
    case DT_c128:
        return g->f64;
    case DT_COUNT:
        break;
    }
    return g->i64;
}

LLVMTypeRef
mem_type(Gen *g, DType d)
{
    return d == DT_bool ? g->i8 : reg_type(g, d);
}

/* ---- the same for scalars and for vectors of them */

LLVMTypeRef
element_type(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

LLVMTypeRef
shaped_like(LV like, LLVMTypeRef t)
{
    LLVMTypeRef of = LLVMTypeOf(like);
    return LLVMGetTypeKind(of) == LLVMVectorTypeKind ? LLVMVectorType(t, LLVMGetVectorSize(of)) : t;
}

LV
const_int_like(LLVMTypeRef t, int64_t v)
{
    LV k = LLVMConstInt(element_type(t), (uint64_t)v, true), all[64];
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind)
        return k;
    unsigned n = LLVMGetVectorSize(t);
    for (unsigned i = 0; i < n && i < 64; i++)
        all[i] = k;
    return LLVMConstVector(all, n);
}

LV
splat_value(LV v)
{
    if (!LLVMIsConstant(v) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind)
        return v;
    LV first = LLVMGetAggregateElement(v, 0);
    for (unsigned i = 1; i < LLVMGetVectorSize(LLVMTypeOf(v)); i++)
        if (LLVMGetAggregateElement(v, i) != first)
            return v;
    return first ? first : v;
}

LV
k32(Gen *g, int64_t v)
{
    return LLVMConstInt(g->i32, (uint64_t)v, true);
}

LV
k64(Gen *g, int64_t v)
{
    return LLVMConstInt(g->i64, (uint64_t)v, true);
}

LV
new_slot(Gen *g, LLVMTypeRef t, const char *name)
{
    return LLVMBuildAlloca(g->top, t, name ? name : "");
}

LV
get(Gen *g, LLVMTypeRef t, LV p)
{
    LV known = map_get(&g->values, p);
    return known && known != p ? known : LLVMBuildLoad2(g->b, t, p, "");
}

void
put(Gen *g, LV v, LV p)
{
    if (map_get(&g->values, p))
        map_put(&g->cx->arena, &g->values, p, v);
    else
        LLVMBuildStore(g->b, v, p);
}

LLVMBasicBlockRef
new_block(Gen *g, const char *name)
{
    return LLVMAppendBasicBlockInContext(g->c, g->fn, name);
}

bool
ended(Gen *g)
{
    return LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(g->b)) != NULL;
}

void
jump(Gen *g, LLVMBasicBlockRef to)
{
    if (!ended(g))
        LLVMBuildBr(g->b, to);
}

void
branch(Gen *g, LV cond, LLVMBasicBlockRef yes, LLVMBasicBlockRef no, LV weights)
{
    LV br = LLVMBuildCondBr(g->b, cond, yes, no);
    if (weights)
        LLVMSetMetadata(br, g->md_prof, weights);
}

LV
field(Gen *g, LV base, int64_t bytes)
{
    LV off = k64(g, bytes);
    return bytes ? LLVMBuildInBoundsGEP2(g->b, g->i8, base, &off, 1, "") : base;
}

LV
intrinsic(Gen *g, const char *name, LLVMTypeRef t, LV *args, int n)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LV fn = LLVMGetIntrinsicDeclaration(g->mod, id, &t, t ? 1 : 0);
    LLVMTypeRef ft = LLVMGlobalGetValueType(fn);
    return LLVMBuildCall2(g->b, ft, fn, args, (unsigned)n, "");
}

void
add_attr(Gen *g, LV fn, const char *name, uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(g->c, kind, value));
}

LV
flagged(Gen *g, LV v)
{
    if (g->fmf && LLVMIsAInstruction(v) && LLVMCanValueUseFastMathFlags(v))
        LLVMSetFastMathFlags(v, g->fmf);
    return v;
}

void
internal_error(Gen *g, Span at, const char *what)
{
    diag_add(&g->cx->diags, DIAG_internal, at, "the code generator cannot emit %s", what);
}
