/* SPDX-License-Identifier: BSD-3-Clause
 * A module: declares all functions, emits their bodies, and makes swathe_entry, which
 * unpacks slots. When nothing else calls the entry function, it is swathe_entry itself
 * (`merged`), and the inliner has nothing to do in the usual module of one function. */
#include "emit.h"

/* ---- runtime functions ----------------------------------------------------------------------- */

static LLVMTypeRef
rt_type(Gen *g, char kind)
{
    switch (kind) {
    case 'v':
        return g->none;
    case 'i':
        return g->i32;
    case 'l':
        return g->i64;
    case 'f':
        return g->f32;
    case 'd':
        return g->f64;
    default:
        return g->ptr;
    }
}

/* MemoryEffects of LLVM: two bits a location, arguments first. */
enum { MEMORY_NONE = 0, MEMORY_ARGS = 3, MEMORY_ARGS_INACCESSIBLE = 15, MEMORY_READ = 21 };

static void
rt_attributes(Gen *g, IrRt id, const RtSig *sig)
{
    LV fn = g->rt[id];
    add_attr(g, fn, "nounwind", 0);
    bool pointers = false, context = false;
    for (int k = 0; k < sig->n; k++) {
        pointers |= strchr("pazo", sig->param[k]) != NULL;
        context |= sig->param[k] == 'x';
    }
    if (id == RT_sw_fail || id == RT_sw_err_trace || id == RT_sw_err_place || id == RT_sw_err_leave)
        add_attr(g, fn, "cold", 0);
    if (!context && id != RT_sw_release && id != RT_sw_release_all)
        add_attr(g, fn, "willreturn", 0);
    if (!context && !pointers)
        add_attr(g, fn, "memory", MEMORY_NONE);
    else if (id == RT_sw_complex1 || id == RT_sw_complex2)
        add_attr(g, fn, "memory", MEMORY_ARGS);
    else if (rt_info[id].traits & RTF_PURE)
        add_attr(g, fn, "memory", MEMORY_READ);
    else if (id == RT_sw_retain)
        add_attr(g, fn, "memory", MEMORY_ARGS_INACCESSIBLE);
}

LV
emit_rt(Gen *g, IrRt id)
{
    if (g->rt[id])
        return g->rt[id];
    RtSig sig = rt_signature(id);
    LLVMTypeRef params[SW_LEN(sig.param)];
    for (int k = 0; k < sig.n; k++)
        params[k] = rt_type(g, sig.param[k]);
    g->rt_type[id] = LLVMFunctionType(rt_type(g, sig.ret), params, (unsigned)sig.n, false);
    g->rt[id] = LLVMAddFunction(g->mod, rt_info[id].name, g->rt_type[id]);
    rt_attributes(g, id, &sig);
    return g->rt[id];
}

LV
emit_rt_call(Gen *g, IrRt id, LV *args, int n)
{
    LV fn = emit_rt(g, id);
    return LLVMBuildCall2(g->b, g->rt_type[id], fn, args, (unsigned)n, "");
}

/* ---- declarations ---------------------------------------------------------------------------- */

typedef Vec(LLVMTypeRef) Types;

static void
add_param_types(Gen *g, Types *t, const IrVar *v)
{
    if (!v->is_array) {
        VEC_PUSH(&g->cx->arena, *t, reg_type(g, v->dtype));
        if (dtype_is_complex(v->dtype))
            VEC_PUSH(&g->cx->arena, *t, reg_type(g, v->dtype));
        return;
    }
    VEC_PUSH(&g->cx->arena, *t, g->ptr);
    VEC_PUSH(&g->cx->arena, *t, g->ptr);
    for (int k = 0; k < v->ndim * (v->layout == LAY_A ? 2 : 1); k++)
        VEC_PUSH(&g->cx->arena, *t, g->i64);
}

/* The parts of the results that could come back in registers: n of them, or -1. */
static int
result_parts(Gen *g, const IrFunc *f, LLVMTypeRef *parts)
{
    int n = 0;
    for (int i = 0; i < f->n_results; i++) {
        const IrVar *r = f->results[i];
        int need = dtype_is_complex(r->dtype) ? 2 : 1;
        if (r->is_array || n + need > 2)
            return -1;
        for (int k = 0; k < need; k++)
            parts[n++] = reg_type(g, r->dtype);
    }
    return n;
}

static void
prefer_width(Gen *g, LV fn, int bits)
{
    char *text = arena_printf(&g->cx->arena, "%d", bits);
    LLVMAddAttributeAtIndex(
        fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(g->c, "prefer-vector-width", 19, text, (unsigned)strlen(text)));
}

static void
function_attributes(Gen *g, LV fn)
{
    add_attr(g, fn, "nounwind", 0);
    if (g->ptx) {
        ptx_function_attributes(g, fn);
        return;
    }
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    if (g->vector_bits)
        prefer_width(g, fn, g->vector_bits);
    if (g->opt.debug) {
        add_attr(g, fn, "uwtable", 2);
        LLVMAddAttributeAtIndex(fn, at,
                                LLVMCreateStringAttribute(g->c, "frame-pointer", 13, "all", 3));
    }
}

static void
add_param_attr(Gen *g, LV fn, unsigned index, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(fn, index + 1, LLVMCreateEnumAttribute(g->c, kind, 0));
}

/* i32 (cx, env, c) */
static void
declare_chunk(Gen *g, IrFunc *f, FnDecl *d)
{
    LLVMTypeRef p[3] = {g->ptr, g->ptr, g->i64};
    d->ret = g->i32;
    d->type = LLVMFunctionType(g->i32, p, 3, false);
    d->fn = LLVMAddFunction(g->mod, arena_printf(&g->cx->arena, "sw.%s", f->name), d->type);
    LLVMSetLinkage(d->fn, LLVMInternalLinkage);
    function_attributes(g, d->fn);
    add_param_attr(g, d->fn, 0, "noalias");
    add_param_attr(g, d->fn, 1, "noalias");
    add_param_attr(g, d->fn, 1, "readonly");
}

/* Which functions are called from places only that are hardly ever reached. */
static void
find_warm_calls(Gen *g, IrBlock *b, bool cold)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->func && (s->kind == IS_CALL || s->kind == IS_PAR)) {
            if (!cold)
                map_put(&g->cx->arena, &g->calls_to, s->func, s);
            else if (!map_get(&g->calls_to, s->func))
                map_put(&g->cx->arena, &g->calls_to, s->func, g);
        }
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            find_warm_calls(g, sub[i], cold || ir_is_cold(s, i));
    }
}

static bool
is_cold(Gen *g, const IrFunc *f)
{
    return !f->entry && !f->inlined && map_get(&g->calls_to, f) == g;
}

static LV
declare_entry(Gen *g, LLVMTypeRef *type)
{
    LLVMTypeRef p[3] = {g->ptr, g->ptr, g->ptr};
    *type = LLVMFunctionType(g->i32, p, 3, false);
    LV fn = LLVMAddFunction(g->mod, "swathe_entry", *type);
    for (unsigned i = 0; i < 3; i++)
        add_param_attr(g, fn, i, "noalias");
    function_attributes(g, fn);
    return fn;
}

static void
declare_inner(Gen *g, IrFunc *f, FnDecl *d)
{
    Types t = {0};
    VEC_PUSH(&g->cx->arena, t, g->ptr);
    if (ptx_counts_depth(g))
        VEC_PUSH(&g->cx->arena, t, g->i32);
    for (int i = 0; i < f->n_params; i++)
        add_param_types(g, &t, f->vars.at[i]);
    LLVMTypeRef parts[3] = {g->i32};
    int n = result_parts(g, f, parts + 1);
    d->by_ptr = n < 0;
    d->ret = n > 0 ? LLVMStructTypeInContext(g->c, parts, (unsigned)n + 1, false) : g->i32;
    if (d->by_ptr)
        VEC_PUSH(&g->cx->arena, t, g->ptr);
    d->type = LLVMFunctionType(d->ret, t.at, (unsigned)t.n, false);
    bool unit = f->unit || (g->m->unit && f == g->m->funcs.at[0]);
    const char *name = unit     ? f->unit ? f->unit : UNIT_ENTRY
                       : g->ptx ? ptx_symbol(g, f)
                                : arena_printf(&g->cx->arena, "sw.%s", f->name);
    /* two instances of a function may come to the same unit */
    d->fn = f->unit ? LLVMGetNamedFunction(g->mod, name) : NULL;
    if (!d->fn)
        d->fn = LLVMAddFunction(g->mod, name, d->type);
    LLVMSetLinkage(d->fn, unit ? LLVMExternalLinkage : LLVMInternalLinkage);
    function_attributes(g, d->fn);
    add_param_attr(g, d->fn, 0, "noalias");
    if (d->by_ptr)
        add_param_attr(g, d->fn, (unsigned)t.n - 1, "noalias");
}

static void
find_call(IrBlock *blk, IrStmt *s, void *arg)
{
    (void)blk;
    IrFunc **wanted = arg;
    if (s->kind == IS_CALL && s->func == *wanted)
        *wanted = NULL;
}

static bool
is_called(Gen *g, IrFunc *f)
{
    IrFunc *wanted = f;
    for (int i = 0; wanted && i < g->m->funcs.n; i++)
        ir_walk_block(&g->m->funcs.at[i]->body, find_call, &wanted);
    return !wanted;
}

static const char *const cold_attrs[] = {"cold", "noinline", "optsize"};

static void
declare(Gen *g, IrFunc *f)
{
    FnDecl *d = NEW(&g->cx->arena, FnDecl);
    d->kernel = g->ptx && f->kernel;
    d->merged = !d->kernel && f->entry && !is_called(g, f);
    d->chunk = map_get(&g->chunks, f) != NULL;
    if (d->kernel) {
        ptx_declare_kernel(g, f, d);
        function_attributes(g, d->fn);
    } else if (d->merged) {
        d->fn = declare_entry(g, &d->type);
        d->ret = g->i32;
    } else if (d->chunk) {
        declare_chunk(g, f, d);
    } else {
        declare_inner(g, f, d);
        g->calls = true;
    }
    for (int i = 0; f->unit && i < SW_LEN(cold_attrs) && is_cold(g, f); i++)
        add_attr(g, d->fn, cold_attrs[i], 0);
    if (g->isa.halves && !g->vector_bits && streams_only(f))
        prefer_width(g, d->fn, 256);
    map_put(&g->cx->arena, &g->decls, f, d);
    debug_function(g, f, d);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void
scalar_slots(Gen *g, IrVar *v)
{
    Slot *s = &g->slots[v->id];
    s->v = variable_slot(g, v, reg_type(g, v->dtype), v->name);
    if (dtype_is_complex(v->dtype))
        s->im = variable_slot(g, v, reg_type(g, v->dtype), "");
}

static void
put_scalar(Gen *g, IrVar *v, Val x)
{
    put(g, x.v, g->slots[v->id].v);
    if (x.im)
        put(g, x.im, g->slots[v->id].im);
}

static void
put_array_param(Gen *g, IrVar *v, LV data, LV owner, LV *dims, LV *strides)
{
    for (int k = 0; v->layout == LAY_A && k < v->ndim; k++) {
        int64_t known = ir_known_stride(g->strides, g->f, v, k, g->f->vars.n);
        strides[k] = known && known != IR_FAR ? k64(g, known) : strides[k];
    }
    array_put(g, v, data, owner, dims, strides);
    if (v->owned) /* the caller keeps its own reference */
        array_retain(g, owner);
}

/* A size in a slot: never negative, which turns `0 <= i and i < n` into one unsigned
 * test. */
static LV
get_dim(Gen *g, LV slot)
{
    LV n = get(g, g->i64, slot);
    LLVMMetadataRef bound[2] = {
        LLVMValueAsMetadata(LLVMConstInt(g->i64, 0, 0)),
        LLVMValueAsMetadata(LLVMConstInt(g->i64, (unsigned long long)1 << 62, 0))};
    LLVMSetMetadata(n, g->md_range,
                    LLVMMetadataAsValue(g->c, LLVMMDNodeInContext2(g->c, bound, 2)));
    return n;
}

static void
param_from_slots(Gen *g, IrVar *v, LV args, int slot)
{
    if (!v->is_array) {
        put_scalar(g, v, load_slot(g, args, slot, v->dtype));
        return;
    }
    LV *dims = NEW_N(&g->cx->arena, LV, v->ndim + 1),
       *strides = NEW_N(&g->cx->arena, LV, v->ndim + 1);
    for (int k = 0; k < v->ndim; k++) {
        dims[k] = get_dim(g, field(g, args, 8 * (slot + 2 + k)));
        if (v->layout == LAY_A)
            strides[k] = get(g, g->i64, field(g, args, 8 * (slot + 2 + v->ndim + k)));
    }
    put_array_param(g, v, get(g, g->ptr, field(g, args, 8 * slot)),
                    get(g, g->ptr, field(g, args, 8 * (slot + 1))), dims, strides);
}

static unsigned
param_from_registers(Gen *g, IrVar *v, unsigned p)
{
    if (!v->is_array) {
        Val x = {LLVMGetParam(g->fn, p++), NULL};
        if (dtype_is_complex(v->dtype))
            x.im = LLVMGetParam(g->fn, p++);
        put_scalar(g, v, x);
        return p;
    }
    LV *dims = NEW_N(&g->cx->arena, LV, v->ndim + 1),
       *strides = NEW_N(&g->cx->arena, LV, v->ndim + 1);
    LV data = LLVMGetParam(g->fn, p), owner = LLVMGetParam(g->fn, p + 1);
    p += 2;
    for (int k = 0; k < v->ndim; k++)
        dims[k] = LLVMGetParam(g->fn, p++);
    for (int k = 0; v->layout == LAY_A && k < v->ndim; k++)
        strides[k] = LLVMGetParam(g->fn, p++);
    put_array_param(g, v, data, owner, dims, strides);
    return p;
}

static void
take_params(Gen *g)
{
    unsigned p = g->depth ? 2 : 1;
    int slot = 0;
    if (g->d->chunk)
        put_scalar(g, g->f->vars.at[0], (Val){LLVMGetParam(g->fn, 2), NULL});
    for (int i = g->d->chunk; i < g->f->n_params; i++) {
        IrVar *v = g->f->vars.at[i];
        if (g->d->merged || g->d->chunk)
            param_from_slots(g, v, LLVMGetParam(g->fn, 1), slot);
        else
            p = param_from_registers(g, v, p);
        slot += slot_count(v);
    }
}

static void
result_places(Gen *g)
{
    g->results = NULL;
    g->n_ret_parts = 0;
    if (g->d->kernel)
        return;
    if (g->d->merged || g->d->by_ptr) {
        g->results = LLVMGetParam(g->fn, LLVMCountParams(g->fn) - 1);
        return;
    }
    LLVMTypeRef parts[2];
    g->n_ret_parts = result_parts(g, g->f, parts);
    for (int i = 0; i < g->n_ret_parts; i++)
        g->ret_parts[i] = new_slot(g, parts[i], "ret");
}

/* The one way out: every reference that a variable still holds is given back. */
static void
emit_epilogue(Gen *g)
{
    LLVMMoveBasicBlockAfter(g->epilogue, LLVMGetLastBasicBlock(g->fn));
    LLVMPositionBuilderAtEnd(g->b, g->epilogue);
    array_release_owned(g);
    if (g->d->kernel) {
        LLVMBuildRetVoid(g->b);
        return;
    }
    LV r = get(g, g->i32, g->status);
    if (g->d->ret != g->i32) {
        LV agg = LLVMGetPoison(g->d->ret);
        agg = LLVMBuildInsertValue(g->b, agg, r, 0, "");
        for (int i = 0; i < g->n_ret_parts; i++) {
            LV part = get(g, LLVMGetAllocatedType(g->ret_parts[i]), g->ret_parts[i]);
            agg = LLVMBuildInsertValue(g->b, agg, part, (unsigned)i + 1, "");
        }
        r = agg;
    }
    LLVMBuildRet(g->b, r);
}

/* Allocas go to a block of their own, which ends by a jump to the first real one. */
static void
emit_function(Gen *g, IrFunc *f)
{
    g->f = f;
    g->exchanged = (Map){0};
    g->opt = f->opt ? *f->opt : g->whole;
    g->d = map_get(&g->decls, f);
    g->fn = g->d->fn;
    if (f->inlined)
        add_attr(g, g->fn, "alwaysinline", 0);
    if (f->apart)
        add_attr(g, g->fn, "noinline", 0);
    g->cold = is_cold(g, f);
    for (int i = 0; g->cold && i < SW_LEN(cold_attrs); i++)
        add_attr(g, g->fn, cold_attrs[i], 0);
    if (g->ptx)
        ptx_borrow_all(f);
    g->slots = NEW_N(&g->cx->arena, Slot, f->vars.n + 1);
    find_values(g, f);
    g->objects = false;
    for (int i = 0; i < f->vars.n; i++)
        g->objects |= f->vars.at[i]->obj != NULL;
    memset(g->descs, 0, sizeof g->descs);
    g->group = NULL;
    g->handled = NULL;
    g->loops = NULL;
    LLVMBasicBlockRef entry = new_block(g, "entry"), start = new_block(g, "start");
    g->epilogue = g->on_error = new_block(g, "epilogue");
    g->failing = NULL;
    LLVMPositionBuilderAtEnd(g->top, entry);
    LLVMPositionBuilderAtEnd(g->b, start);
    g->ctx = g->d->kernel ? ptx_context(g) : LLVMGetParam(g->fn, 0);
    g->depth = !ptx_counts_depth(g) ? NULL : g->d->kernel ? k32(g, 0) : LLVMGetParam(g->fn, 1);
    debug_at(g, (Span){0});
    g->status = new_slot(g, g->i32, "status");
    LLVMBuildStore(g->top, k32(g, 0), g->status);
    array_owners(g);
    counts_begin(g);
    for (int i = 0; i < f->vars.n; i++)
        if (f->vars.at[i]->is_array)
            array_slots(g, f->vars.at[i]);
        else
            scalar_slots(g, f->vars.at[i]);
    alias_scopes(g);
    result_places(g);
    if (g->d->kernel)
        ptx_take_params(g);
    else
        take_params(g);
    if (f->recursive)
        emit_stack_check(g);
    emit_block(g, &f->body);
    jump(g, g->epilogue);
    debug_at(g, f->at);
    fail_end(g);
    emit_epilogue(g);
    LLVMBuildBr(g->top, start);
}

/* ---- swathe_entry where the function is called by others too --------------------------------- */

static void
emit_wrapper(Gen *g, IrFunc *f)
{
    FnDecl *d = map_get(&g->decls, f);
    LLVMTypeRef type;
    g->fn = declare_entry(g, &type);
    LLVMBasicBlockRef entry = new_block(g, "entry");
    LLVMPositionBuilderAtEnd(g->b, entry);
    LLVMSetCurrentDebugLocation2(g->b, NULL);
    Vec(LV) a = {0};
    VEC_PUSH(&g->cx->arena, a, LLVMGetParam(g->fn, 0));
    LV args = LLVMGetParam(g->fn, 1), results = LLVMGetParam(g->fn, 2);
    int slot = 0;
    for (int i = 0; i < f->n_params; i++) {
        IrVar *v = f->vars.at[i];
        if (v->is_array) {
            int n = 2 + v->ndim * (v->layout == LAY_A ? 2 : 1);
            for (int k = 0; k < n; k++) {
                LV at = field(g, args, 8 * (slot + k));
                bool dim = k >= 2 && k < 2 + v->ndim;
                VEC_PUSH(&g->cx->arena, a,
                         dim ? get_dim(g, at) : get(g, k < 2 ? g->ptr : g->i64, at));
            }
        } else {
            Val x = load_slot(g, args, slot, v->dtype);
            VEC_PUSH(&g->cx->arena, a, x.v);
            if (x.im)
                VEC_PUSH(&g->cx->arena, a, x.im);
        }
        slot += slot_count(v);
    }
    if (d->by_ptr)
        VEC_PUSH(&g->cx->arena, a, results);
    LV r = LLVMBuildCall2(g->b, d->type, d->fn, a.at, (unsigned)a.n, ""), status = r;
    if (d->ret != g->i32) {
        unsigned part = 1;
        status = LLVMBuildExtractValue(g->b, r, 0, "");
        slot = 0;
        for (int i = 0; i < f->n_results; i++) {
            DType t = f->results[i]->dtype;
            Val x = {LLVMBuildExtractValue(g->b, r, part++, ""), NULL};
            if (dtype_is_complex(t))
                x.im = LLVMBuildExtractValue(g->b, r, part++, "");
            store_slot(g, results, slot, t, x);
            slot += slot_count(f->results[i]);
        }
    }
    LLVMBuildRet(g->b, status);
}

/* Around a call all vectors live on the stack. It is aligned to 16 bytes, and a vector of 64 there
 * straddles two cache lines three times out of four, which made vector math a third slower by
 * the luck of where the stack began. */
static void
align_stack(Gen *g)
{
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    for (LV f = LLVMGetFirstFunction(g->mod); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMAddAttributeAtIndex(f, at,
                                    LLVMCreateStringAttribute(g->c, "stackrealign", 12, "", 0));
}

static void
keep_vector_functions(Gen *g)
{
    if (!g->used.n)
        return;
    LV list = LLVMConstArray2(g->ptr, g->used.at, (uint64_t)g->used.n);
    LV used = LLVMAddGlobal(g->mod, LLVMTypeOf(list), "llvm.compiler.used");
    LLVMSetInitializer(used, list);
    LLVMSetLinkage(used, LLVMAppendingLinkage);
    LLVMSetSection(used, "llvm.metadata");
    align_stack(g);
}

void
emit_module(Gen *g)
{
    IrFunc *entry = NULL;
    g->strides = ir_known_strides(g->m);
    g->consts = NEW_N(&g->cx->arena, LV, g->m->consts.n + 1);
    debug_begin(g);
    find_chunks(g);
    for (int i = 0; i < g->m->funcs.n; i++)
        find_warm_calls(g, &g->m->funcs.at[i]->body, false);
    for (int i = 0; i < g->m->funcs.n; i++)
        if (!g->m->funcs.at[i]->foreign)
            declare(g, g->m->funcs.at[i]);
    for (int i = 0; i < g->m->funcs.n; i++) {
        IrFunc *f = g->m->funcs.at[i];
        if (f->foreign || f->unit)
            continue;
        emit_function(g, f);
        if (f->entry && !g->d->merged && !g->d->kernel)
            entry = f;
    }
    if (entry)
        emit_wrapper(g, entry);
    keep_vector_functions(g);
    debug_end(g);
}
