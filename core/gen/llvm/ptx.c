/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels for NVIDIA's devices. The functions of a module are emitted as everywhere; this
 * file has what differs: a kernel takes its arguments by value (an array: its data, shape and
 * strides; last, where errors are noted), where a thread is in the grid is read from
 * special registers, and arrays lie in the shared memory of the block or in the thread's
 * own. All pointers are generic: LLVM finds out again which space each one points to.
 * `cx` of the functions that a kernel calls is the place for errors (DevFault in dev.h). */
#include "emit.h"
#include <ctype.h>

enum {
    CONV_PTX_KERNEL = 71,
    SPACE_GLOBAL = 1,
    SPACE_OF_BLOCK = 3,
    BLOCK_ALIGN = 16,
    MOST_OWN = 64 << 10
};

/* ---- declarations ------------------------------------------------------------------- */

/* The assembler knows letters, digits and _ only. */
char *
ptx_symbol(Gen *g, const IrFunc *f)
{
    if (f->kernel && f->entry)
        return arena_str(&g->cx->arena, "swathe_entry");
    if (f->kernel)
        return arena_str(&g->cx->arena, f->name);
    int n = 0;
    while (n < g->m->funcs.n && g->m->funcs.at[n] != f)
        n++;
    char *name = arena_printf(&g->cx->arena, f->recursive ? "sw_again_%d_%.100s" : "sw_%d_%.100s",
                              n, f->name);
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) || (unsigned char)*p >= 128)
            *p = '_';
    return name;
}

bool
ptx_counts_depth(Gen *g)
{
    for (int i = 0; g->ptx && i < g->m->funcs.n; i++)
        if (g->m->funcs.at[i]->recursive)
            return true;
    return false;
}

static LLVMTypeRef
global_ptr(Gen *g)
{
    return LLVMPointerTypeInContext(g->c, SPACE_GLOBAL);
}

static int
param_types(Gen *g, const IrVar *v, LLVMTypeRef *out)
{
    int n = 0;
    if (v->is_array) {
        out[n++] = global_ptr(g);
        for (int k = 0; k < 2 * v->ndim; k++)
            out[n++] = g->i64;
        return n;
    }
    out[n++] = mem_type(g, v->dtype);
    if (dtype_is_complex(v->dtype))
        out[n++] = mem_type(g, v->dtype);
    return n;
}

/* What the host promises of the size of a block, where it is known. */
static void
annotate(Gen *g, LV fn, const char *what, int64_t n)
{
    LLVMMetadataRef parts[3] = {LLVMValueAsMetadata(fn),
                                LLVMMDStringInContext2(g->c, what, strlen(what)),
                                LLVMValueAsMetadata(k32(g, n))};
    LV node = LLVMMetadataAsValue(g->c, LLVMMDNodeInContext2(g->c, parts, 3));
    LLVMAddNamedMetadataOperand(g->mod, "nvvm.annotations", node);
}

void
ptx_declare_kernel(Gen *g, IrFunc *f, FnDecl *d)
{
    int n = 1;
    for (int i = 0; i < f->n_params; i++)
        n += 2 + 2 * f->vars.at[i]->ndim;
    LLVMTypeRef *t = NEW_N(&g->cx->arena, LLVMTypeRef, n);
    n = 0;
    for (int i = 0; i < f->n_params; i++)
        n += param_types(g, f->vars.at[i], t + n);
    t[n++] = global_ptr(g);
    d->ret = g->none;
    d->type = LLVMFunctionType(g->none, t, (unsigned)n, false);
    d->fn = LLVMAddFunction(g->mod, ptx_symbol(g, f), d->type);
    LLVMSetFunctionCallConv(d->fn, CONV_PTX_KERNEL);
    annotate(g, d->fn, "kernel", 1);
    if (g->opt.block[0]) {
        annotate(g, d->fn, "maxntidx", g->opt.block[0]);
        annotate(g, d->fn, "maxntidy", g->opt.block[1] ? g->opt.block[1] : 1);
        annotate(g, d->fn, "maxntidz", g->opt.block[2] ? g->opt.block[2] : 1);
    }
}

static void
string_attr(Gen *g, LV fn, const char *key, const char *value)
{
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(g->c, key, (unsigned)strlen(key), value,
                                                      (unsigned)strlen(value)));
}

/* Threads meet in any of them: no call may be moved under another condition. */
void
ptx_function_attributes(Gen *g, LV fn)
{
    add_attr(g, fn, "convergent", 0);
}

/* All functions of a module must agree: one that is inlined takes from its caller what it lacks
 * itself. */
void
ptx_fast_functions(Gen *g)
{
    for (LV f = LLVMGetFirstFunction(g->mod); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f)) {
            string_attr(g, f, "denormal-fp-math-f32", "preserve-sign,preserve-sign");
            string_attr(g, f, "unsafe-fp-math", "true");
        }
}

/* ---- a kernel's parameters ---------------------------------------------------------- */

static LV
generic(Gen *g, LV p)
{
    return LLVMBuildAddrSpaceCast(g->b, p, g->ptr, "");
}

static unsigned
take_array(Gen *g, IrVar *v, unsigned p)
{
    LV *dims = NEW_N(&g->cx->arena, LV, v->ndim + 1),
       *strides = NEW_N(&g->cx->arena, LV, v->ndim + 1);
    LV data = generic(g, LLVMGetParam(g->fn, p++));
    for (int k = 0; k < v->ndim; k++)
        dims[k] = LLVMGetParam(g->fn, p + (unsigned)k);
    for (int k = 0; k < v->ndim; k++)
        strides[k] = LLVMGetParam(g->fn, p + (unsigned)(v->ndim + k));
    array_put(g, v, data, LLVMConstNull(g->ptr), dims, strides);
    return p + 2 * (unsigned)v->ndim;
}

void
ptx_take_params(Gen *g)
{
    unsigned p = 0;
    for (int i = 0; i < g->f->n_params; i++) {
        IrVar *v = g->f->vars.at[i];
        if (v->is_array) {
            p = take_array(g, v, p);
            continue;
        }
        LV x = LLVMGetParam(g->fn, p++);
        if (v->dtype == DT_bool)
            x = LLVMBuildICmp(g->b, LLVMIntNE, x, LLVMConstNull(g->i8), "");
        put(g, x, g->slots[v->id].v);
        if (dtype_is_complex(v->dtype))
            put(g, LLVMGetParam(g->fn, p++), g->slots[v->id].im);
    }
}

/* In the entry block, so that every statement finds it. */
LV
ptx_context(Gen *g)
{
    LV last = LLVMGetParam(g->fn, LLVMCountParams(g->fn) - 1);
    return LLVMBuildAddrSpaceCast(g->top, last, g->ptr, "cx");
}

/* References are the host's: nothing is counted on a device. */
void
ptx_borrow_all(IrFunc *f)
{
    for (int i = 0; i < f->vars.n; i++)
        f->vars.at[i]->owned = false;
}

/* ---- where a thread is -------------------------------------------------------------- */

static LV
dynamic_bytes(Gen *g)
{
    static const char text[] = "mov.u32 $0, %dynamic_smem_size;", where[] = "=r";
    LLVMTypeRef t = LLVMFunctionType(g->i32, NULL, 0, false);
    LV asm_ = LLVMGetInlineAsm(t, text, sizeof text - 1, where, sizeof where - 1, false, false,
                               LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(g->b, t, asm_, NULL, 0, "");
}

static LV
special_register(Gen *g, const char *name)
{
    char *full = arena_printf(&g->cx->arena, "llvm.nvvm.read.ptx.sreg.%s", name);
    return intrinsic(g, full, NULL, NULL, 0);
}

LV
ptx_geo(Gen *g, IrGeo which)
{
    static const char *const names[GEO_COUNT] = {
        [GEO_GRID_X] = "nctaid.x",    [GEO_GRID_Y] = "nctaid.y",    [GEO_GRID_Z] = "nctaid.z",
        [GEO_BLOCK_X] = "ctaid.x",    [GEO_BLOCK_Y] = "ctaid.y",    [GEO_BLOCK_Z] = "ctaid.z",
        [GEO_THREAD_X] = "tid.x",     [GEO_THREAD_Y] = "tid.y",     [GEO_THREAD_Z] = "tid.z",
        [GEO_BLOCK_DIM_X] = "ntid.x", [GEO_BLOCK_DIM_Y] = "ntid.y", [GEO_BLOCK_DIM_Z] = "ntid.z",
        [GEO_LANE] = "laneid",
    };
    if (which >= GEO_BLOCK_DIM_X && which <= GEO_BLOCK_DIM_Z && g->opt.block[0]) {
        int64_t n = g->opt.block[which - GEO_BLOCK_DIM_X];
        return k64(g, n ? n : 1);
    }
    LV v = which == GEO_SHARED_BYTES ? dynamic_bytes(g) : special_register(g, names[which]);
    return LLVMBuildZExt(g->b, v, g->i64, "");
}

/* ---- arrays of a kernel ------------------------------------------------------------- */

/* All dynamic arrays begin where the launch's bytes begin. */
static LV
dynamic_block(Gen *g)
{
    LV all = LLVMGetNamedGlobal(g->mod, "sw_shared");
    if (all)
        return all;
    all =
        LLVMAddGlobalInAddressSpace(g->mod, LLVMArrayType2(g->i8, 0), "sw_shared", SPACE_OF_BLOCK);
    LLVMSetLinkage(all, LLVMExternalLinkage);
    LLVMSetAlignment(all, BLOCK_ALIGN);
    return all;
}

static LV
static_block(Gen *g, const char *name, uint64_t bytes)
{
    LLVMTypeRef t = LLVMArrayType2(g->i8, bytes);
    char *symbol = arena_printf(&g->cx->arena, "sw_shared_%.60s", name);
    for (char *p = symbol; *p; p++)
        if (!isalnum((unsigned char)*p) || (unsigned char)*p >= 128)
            *p = '_';
    LV block = LLVMAddGlobalInAddressSpace(g->mod, t, symbol, SPACE_OF_BLOCK);
    LLVMSetInitializer(block, LLVMGetUndef(t));
    LLVMSetLinkage(block, LLVMInternalLinkage);
    LLVMSetAlignment(block, BLOCK_ALIGN);
    return block;
}

/* The first of some blocks, one more than there are names that may look at what was made before,
 * that none of them looks at. */
static LV
free_block(Gen *g, LV block, uint64_t bytes, IrVar **kept, int n)
{
    LV *at = NEW_N(&g->cx->arena, LV, n), found = block, size = k64(g, (int64_t)bytes);
    for (int i = 0; i < n; i++)
        at[i] = LLVMBuildPtrToInt(g->b, array_data(g, kept[i]), g->i64, "");
    for (int k = n; k >= 0; k--) {
        LV one = field(g, block, (int64_t)bytes * k), taken = LLVMConstNull(g->i1);
        for (int i = 0; i < n; i++) {
            LV ahead = LLVMBuildSub(g->b, at[i], LLVMBuildPtrToInt(g->b, one, g->i64, ""), "");
            taken = LLVMBuildOr(g->b, taken, LLVMBuildICmp(g->b, LLVMIntULT, ahead, size, ""), "");
        }
        found = k == n ? one : LLVMBuildSelect(g->b, taken, found, one, "");
    }
    return found;
}

static LV
own_block(Gen *g, IrStmt *s, uint64_t bytes, bool zero)
{
    IrVar **kept;
    int n = ir_kept(g->f, s, &kept);
    uint64_t each = (bytes + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
    LV block = new_slot(g, LLVMArrayType2(g->i8, n ? each * (uint64_t)(n + 1) : bytes), "local");
    LLVMSetAlignment(block, BLOCK_ALIGN);
    if (n && each)
        block = free_block(g, block, each, kept, n);
    if (zero)
        LLVMBuildMemSet(g->b, block, LLVMConstNull(g->i8), k64(g, (int64_t)bytes), BLOCK_ALIGN);
    if (!g->f->kernel && ir_given_out(g->f, s))
        gen_refuse(g->cx, s->at, REFUSE_PTX_new_array, NULL, NULL);
    return block;
}

/* false: not known before the launch. */
static bool
fixed_bytes(const IrStmt *s, int64_t *bytes)
{
    *bytes = dtype_size(s->var->dtype);
    for (int k = 0; k < s->var->ndim; k++) {
        int64_t n;
        if (!ir_is_const(s->idx[k], &n) || n < 0 || __builtin_mul_overflow(*bytes, n, bytes))
            return false;
    }
    return true;
}

void
ptx_alloc(Gen *g, IrStmt *s)
{
    IrVar *v = s->var;
    int64_t bytes, item = dtype_size(v->dtype);
    bool fixed = fixed_bytes(s, &bytes);
    if (v->space != SPACE_SHARED && (!fixed || bytes > MOST_OWN)) {
        gen_refuse(g->cx, s->at, REFUSE_PTX_alloc, NULL, NULL);
        return;
    }
    LV *dims = NEW_N(&g->cx->arena, LV, v->ndim + 1),
       *strides = NEW_N(&g->cx->arena, LV, v->ndim + 1), step = k64(g, item);
    for (int k = 0; k < v->ndim; k++)
        dims[k] = emit_int(g, s->idx[k]);
    for (int k = v->ndim - 1; k >= 0; k--) {
        strides[k] = step;
        step = LLVMBuildNSWMul(g->b, step, dims[k], "");
    }
    bool shared = v->space == SPACE_SHARED;
    LV block = !shared ? own_block(g, s, (uint64_t)bytes, s->zero || v->space == SPACE_LOCAL)
               : fixed ? static_block(g, v->name, (uint64_t)bytes)
                       : dynamic_block(g);
    if (shared)
        block = LLVMConstAddrSpaceCast(block, g->ptr);
    array_put(g, v, block, LLVMConstNull(g->ptr), dims, strides);
}
