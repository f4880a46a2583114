/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays: descriptors in allocas, element addresses, references, and the statements that
 * make arrays. What the layout promises is used here: a C-contiguous array has no strides
 * of its own, they are products of its dims, counted in elements, so that LLVM sees unit
 * stride and plain polynomials. An `owned` variable starts with no owner and always holds
 * one reference to the owner that it has; others count nothing. */
#include "emit.h"

static int64_t
item_size(const IrVar *v)
{
    return dtype_size(v->dtype);
}

/* The axis whose stride is one element by the layout, or -1. */
static int
unit_axis(const IrVar *v)
{
    if (v->ndim == 0)
        return -1;
    return v->layout == LAY_C ? v->ndim - 1 : v->layout == LAY_F ? 0 : -1;
}

/* Each way out of a function meets the others in its epilogue, with a value for each reference that
 * a variable may hold: the square of its length where it makes many arrays. So many references stay
 * in memory, in one table. */
enum { FEW_OWNERS = 4 };

void
array_owners(Gen *g)
{
    int n = 0;
    for (int i = 0; i < g->f->vars.n; i++)
        n += g->f->vars.at[i]->is_array && g->f->vars.at[i]->owned;
    g->n_owners = 0;
    g->owners = n > FEW_OWNERS && !g->ptx
                    ? new_slot(g, LLVMArrayType2(g->ptr, (uint64_t)n), "owners")
                    : NULL;
}

static LV
owner_slot(Gen *g)
{
    if (!g->owners)
        return new_slot(g, g->ptr, "");
    LV at = k64(g, 8 * g->n_owners++);
    return LLVMBuildInBoundsGEP2(g->top, g->i8, g->owners, &at, 1, "");
}

void
array_release_owned(Gen *g)
{
    if (g->owners) {
        LV args[2] = {g->owners, k32(g, g->n_owners)};
        emit_rt_call(g, RT_sw_release_all, args, 2);
        return;
    }
    for (int i = 0; i < g->f->vars.n; i++) {
        IrVar *v = g->f->vars.at[i];
        if (v->is_array && v->owned)
            array_release(g, array_owner(g, v));
    }
}

static LV
zero_slot(Gen *g, const IrVar *v, LLVMTypeRef t, const char *name)
{
    LV slot = variable_slot(g, v, t, name);
    if (!g->is_value[v->id])
        LLVMBuildStore(g->top, LLVMConstNull(t), slot);
    return slot;
}

/* What nothing has made is empty: a test before a loop may ask it, and a branch on what is
 * undefined may go anywhere. */
void
array_slots(Gen *g, IrVar *v)
{
    Slot *s = &g->slots[v->id];
    s->data = zero_slot(g, v, g->ptr, v->name);
    s->owner = v->owned ? owner_slot(g) : zero_slot(g, v, g->ptr, "");
    s->dim = NEW_N(&g->cx->arena, LV, v->ndim);
    s->stride = NEW_N(&g->cx->arena, LV, v->ndim);
    for (int k = 0; k < v->ndim; k++) {
        s->dim[k] = zero_slot(g, v, g->i64, "");
        if (k != unit_axis(v))
            s->stride[k] = zero_slot(g, v, g->i64, "");
    }
    if (v->owned)
        LLVMBuildStore(g->top, LLVMConstNull(g->ptr), s->owner);
}

LV
array_data(Gen *g, IrVar *v)
{
    return get(g, g->ptr, g->slots[v->id].data);
}

LV
array_owner(Gen *g, IrVar *v)
{
    return get(g, g->ptr, g->slots[v->id].owner);
}

LV
array_dim(Gen *g, IrVar *v, int axis)
{
    return get(g, g->i64, g->slots[v->id].dim[axis]);
}

LV
array_stride(Gen *g, IrVar *v, int axis)
{
    LV p = g->slots[v->id].stride[axis];
    if (!p)
        return k64(g, item_size(v));
    LV s = get(g, g->i64, p);
    return v->layout == LAY_A ? s : LLVMBuildNSWMul(g->b, s, k64(g, item_size(v)), "");
}

/* ---- giving a descriptor to a variable ------------------------------------------------------- */

static void
set_derived_strides(Gen *g, IrVar *v, LV *dims)
{
    Slot *s = &g->slots[v->id];
    bool c = v->layout == LAY_C;
    LV product = NULL;
    for (int i = 0; i < v->ndim; i++) {
        int k = c ? v->ndim - 1 - i : i;
        if (product)
            put(g, product, s->stride[k]);
        product = product ? LLVMBuildNSWMul(g->b, product, dims[k], "") : dims[k];
    }
}

/* strides are in bytes, and not looked at when the layout says all. */
void
array_put(Gen *g, IrVar *v, LV data, LV owner, LV *dims, LV *strides)
{
    Slot *s = &g->slots[v->id];
    put(g, data, s->data);
    put(g, owner, s->owner);
    for (int k = 0; k < v->ndim; k++)
        put(g, dims[k], s->dim[k]);
    if (v->layout == LAY_A)
        for (int k = 0; k < v->ndim; k++)
            put(g, strides[k], s->stride[k]);
    else
        set_derived_strides(g, v, dims);
}

/* The old reference goes last: it may be what the new descriptor was made from. */
void
array_set(Gen *g, IrVar *v, LV data, LV owner, LV *dims, LV *strides)
{
    LV old = v->owned ? array_owner(g, v) : NULL;
    array_put(g, v, data, owner, dims, strides);
    if (old)
        array_release(g, old);
}

/* ---- elements -------------------------------------------------------------------------------- */

/* The same where the element may not be there: nothing is concluded from the address. */
static LV
loose_address(Gen *g, IrVar *v, IrExpr **idx, LLVMTypeRef t, bool pair)
{
    LV p = array_data(g, v);
    Slot *s = &g->slots[v->id];
    for (int i = 0; i < v->ndim; i++) {
        int k = v->layout == LAY_F ? v->ndim - 1 - i : i;
        LV at = emit_int(g, idx[k]);
        if (s->stride[k])
            at = LLVMBuildMul(g->b, at, get(g, g->i64, s->stride[k]), "");
        if (pair)
            at = LLVMBuildMul(g->b, at, k64(g, 2), "");
        p = LLVMBuildGEP2(g->b, t, p, &at, 1, "");
    }
    return p;
}

/* The index of an element that is there: see IXF_EXACT. */
static LV
exact_int(Gen *g, const IrExpr *index)
{
    bool exact = g->exact;
    g->exact = true;
    LV i = emit_int(g, index);
    g->exact = exact;
    return i;
}

/* Row by row, outermost axis first, so that the address of a row is invariant in the inner loop. A
 * known place in a row is added to the row's: of `a[i, 1]` LLVM sees that the steps of i don't wrap
 * when i is in the index itself. */
LV
array_address(Gen *g, IrVar *v, IrExpr **idx)
{
    LV p = array_data(g, v), row = p, last = NULL;
    Slot *s = &g->slots[v->id];
    LLVMTypeRef t = v->layout == LAY_A ? g->i8 : mem_type(g, v->dtype);
    bool pair = dtype_is_complex(v->dtype) && v->layout != LAY_A;
    if (g->loose)
        return loose_address(g, v, idx, t, pair);
    for (int i = 0; i < v->ndim; i++) {
        int k = v->layout == LAY_F ? v->ndim - 1 - i : i;
        LV at = exact_int(g, idx[k]);
        if (s->stride[k])
            at = LLVMBuildNSWMul(g->b, at, get(g, g->i64, s->stride[k]), "");
        if (pair)
            at = LLVMBuildNSWMul(g->b, at, k64(g, 2), "");
        if (last && LLVMIsAConstantInt(at)) {
            at = LLVMBuildNSWAdd(g->b, last, at, "");
            p = row;
        }
        row = p;
        last = at;
        p = LLVMBuildInBoundsGEP2(g->b, t, p, &at, 1, "");
    }
    return p;
}

/* Where a record is packed, no array of the module is sure to be aligned: any may be a field. */
unsigned
elem_align(Gen *g, const IrVar *v)
{
    return type_packed(g->cx->types) ? 1 : (unsigned)dtype_info[v->dtype].align;
}

void
mark_access(Gen *g, IrVar *v, LV access)
{
    Slot *s = &g->slots[v->id];
    if (type_packed(g->cx->types) && !LLVMIsACallInst(access))
        LLVMSetAlignment(access, elem_align(g, v));
    if (s->scope)
        LLVMSetMetadata(access, g->md_scope, s->scope);
    if (s->others)
        LLVMSetMetadata(access, g->md_noalias, s->others);
    if (g->group)
        LLVMSetMetadata(access, g->md_group, g->group);
    if (g->objects)
        LLVMSetMetadata(access, g->md_tbaa, ir_is_object(v) ? g->in_object : g->in_array);
}

static LV
load_at(Gen *g, IrVar *v, LV p)
{
    LV x = get(g, mem_type(g, v->dtype), p);
    mark_access(g, v, x);
    return x;
}

static void
store_at(Gen *g, IrVar *v, LV x, LV p)
{
    LV st = LLVMBuildStore(g->b, x, p);
    mark_access(g, v, st);
}

Val
array_load(Gen *g, IrVar *v, IrExpr **idx)
{
    LV p = array_address(g, v, idx);
    Val r = {load_at(g, v, p), NULL};
    if (v->dtype == DT_bool)
        r.v = LLVMBuildICmp(g->b, LLVMIntNE, r.v, LLVMConstNull(g->i8), "");
    if (dtype_is_complex(v->dtype))
        r.im = load_at(g, v, field(g, p, item_size(v) / 2));
    return r;
}

void
array_store(Gen *g, IrVar *v, IrExpr **idx, Val x)
{
    LV p = array_address(g, v, idx);
    if (v->dtype == DT_bool)
        x.v = LLVMBuildZExt(g->b, x.v, g->i8, "");
    store_at(g, v, x.v, p);
    if (x.im)
        store_at(g, v, x.im, field(g, p, item_size(v) / 2));
}

/* Every noalias variable has a scope of its own; an access says which scopes it is in no
 * part of. */
void
alias_scopes(Gen *g)
{
    Vec(LLVMMetadataRef) all = {0};
    Vec(IrVar *) vars = {0};
    LLVMMetadataRef domain = LLVMMDStringInContext2(g->c, g->f->name, strlen(g->f->name));
    domain = LLVMMDNodeInContext2(g->c, &domain, 1);
    for (int i = 0; i < g->f->vars.n; i++) {
        IrVar *v = g->f->vars.at[i];
        if (!v->is_array || !v->noalias || vars.n >= 40)
            continue;
        char *name = arena_printf(&g->cx->arena, "%s.%d", g->f->name, v->id);
        LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(g->c, name, strlen(name)), domain};
        LLVMMetadataRef scope = LLVMMDNodeInContext2(g->c, parts, 2);
        VEC_PUSH(&g->cx->arena, all, scope);
        VEC_PUSH(&g->cx->arena, vars, v);
        g->slots[v->id].scope = LLVMMetadataAsValue(g->c, LLVMMDNodeInContext2(g->c, &scope, 1));
    }
    LLVMMetadataRef rest[40];
    for (int i = 0; all.n && i < g->f->vars.n; i++) {
        IrVar *v = g->f->vars.at[i];
        int n = 0;
        for (int k = 0; k < all.n; k++)
            if (vars.at[k] != v)
                rest[n++] = all.at[k];
        if (v->is_array && n)
            g->slots[v->id].others =
                LLVMMetadataAsValue(g->c, LLVMMDNodeInContext2(g->c, rest, (size_t)n));
    }
    g->own_scopes = NULL;
    if (all.n)
        g->own_scopes =
            LLVMMetadataAsValue(g->c, LLVMMDNodeInContext2(g->c, all.at, (size_t)all.n));
}

/* ---- descriptors in memory, for runtime functions -------------------------------------------- */

static void
put_at_start(Gen *g, LV v, LV desc, unsigned offset)
{
    LV at = k64(g, offset);
    LLVMBuildStore(g->top, v, LLVMBuildInBoundsGEP2(g->top, g->i8, desc, &at, 1, ""));
}

static DescSlots
new_desc(Gen *g, int ndim)
{
    LLVMTypeRef dims = LLVMArrayType2(g->i64, ndim ? (uint64_t)ndim : 1);
    DescSlots d = {.desc = new_slot(g, LLVMArrayType2(g->i64, 4), "desc"),
                   .shape = new_slot(g, dims, "shape"),
                   .strides = new_slot(g, dims, "strides")};
    put_at_start(g, d.shape, d.desc, 16);
    put_at_start(g, d.strides, d.desc, 24);
    return d;
}

/* The n-th array of each call has one place, for none keeps a descriptor. kept: it holds this array
 * already. */
LV
array_desc(Gen *g, IrVar *v, int n, bool kept)
{
    DescSlots *d = &(DescSlots){0};
    if (n < SW_LEN(g->descs) && v->ndim < SW_LEN(g->descs[0]))
        d = &g->descs[n][v->ndim];
    if (!d->desc)
        *d = new_desc(g, v->ndim);
    else if (kept)
        return d->desc;
    for (int k = 0; k < v->ndim; k++) {
        put(g, array_dim(g, v, k), field(g, d->shape, 8 * k));
        put(g, array_stride(g, v, k), field(g, d->strides, 8 * k));
    }
    put(g, array_data(g, v), d->desc);
    put(g, array_owner(g, v), field(g, d->desc, 8));
    return d->desc;
}

/* ---- statements ------------------------------------------------------------------------------ */

enum { ERR_NEG_DIM = -3 }; /* SW_ERR_NEG_DIM of rt.h, which this folder can't see */
enum { MEM_DATA = 8 };     /* where SwMem of dev.h has `data` */

static LV
times(Gen *g, LV a, LV b, LV *over)
{
    LV args[2] = {a, b};
    LV pair = intrinsic(g, "llvm.smul.with.overflow", g->i64, args, 2);
    *over = LLVMBuildOr(g->b, *over, LLVMBuildExtractValue(g->b, pair, 1, ""), "");
    return LLVMBuildExtractValue(g->b, pair, 0, "");
}

/* Bytes of the new array; -1, which is refused, when the product is no int64: that of the dims that
 * are not 0, for those give the strides. From 2**60 on there is no such memory, and without
 * elements it is refused, too. */
static LV
alloc_bytes(Gen *g, IrVar *v, LV *dims)
{
    LV bytes = k64(g, item_size(v)), over = LLVMConstInt(g->i1, 0, false), none = over;
    for (int k = 0; k < v->ndim; k++) {
        LV d = dims[k];
        if (v->ndim > 1) {
            LV zero = LLVMBuildICmp(g->b, LLVMIntEQ, d, k64(g, 0), "");
            none = LLVMBuildOr(g->b, none, zero, "");
            d = LLVMBuildSelect(g->b, zero, k64(g, 1), d, "");
        }
        bytes = k == 0 && item_size(v) == 1 ? d : times(g, bytes, d, &over);
    }
    LV most = k64(g, (int64_t)1 << 60), large = LLVMBuildICmp(g->b, LLVMIntUGE, bytes, most, "");
    over = LLVMBuildOr(g->b, over, LLVMBuildAnd(g->b, large, none, ""), "");
    bytes = LLVMBuildSelect(g->b, large, most, bytes, "");
    bytes = LLVMBuildSelect(g->b, none, k64(g, 0), bytes, "");
    return LLVMBuildSelect(g->b, over, k64(g, -1), bytes, "");
}

static void
check_dims(Gen *g, LV *dims, int n)
{
    LV any = NULL;
    for (int k = 0; k < n; k++)
        if (!LLVMIsAConstantInt(dims[k]) || LLVMConstIntGetSExtValue(dims[k]) < 0)
            any = any ? LLVMBuildOr(g->b, any, dims[k], "") : dims[k];
    if (any)
        fail_unless(g, LLVMBuildICmp(g->b, LLVMIntSGE, any, k64(g, 0), ""), ERR_NEG_DIM, NULL, 0);
}

/* Of an array that belongs to a block or to a thread of a kernel; 0: it is too large for the stack,
 * or of no fixed size. */
static int64_t
stack_bytes(const IrStmt *s)
{
    enum { MOST = 128 << 10 };
    int64_t n = item_size(s->var), k;
    if (s->var->space == SPACE_HEAP)
        return 0;
    for (int i = 0; i < s->n_idx; i++) {
        if (!ir_is_const(s->idx[i], &k) || k <= 0 || k > MOST || n * k > MOST)
            return 0;
        n *= k;
    }
    return n;
}

static void
set_on_stack(Gen *g, IrStmt *s, int64_t bytes)
{
    enum { SMALL = 4096 };
    IrVar *v = s->var;
    LV dims[32], strides[32];
    Slot *slot = &g->slots[v->id];
    int64_t step = item_size(v), n;
    if (!slot->stack) {
        LLVMTypeRef t = LLVMArrayType2(g->i8, (uint64_t)bytes);
        slot->stack = new_slot(g, t, v->name);
        LLVMSetAlignment(slot->stack, 64);
        /* not per block: the next finds what the last left, and nothing depends on what is not
         * defined */
        if (!s->zero && (v->space == SPACE_SHARED || bytes <= SMALL))
            LLVMBuildMemSet(g->top, slot->stack, LLVMConstInt(g->i8, 0, false), k64(g, bytes), 64);
    }
    for (int i = v->ndim - 1; i >= 0; i--) {
        ir_is_const(s->idx[i], &n);
        dims[i] = k64(g, n);
        strides[i] = k64(g, step);
        step *= n;
    }
    if (s->zero)
        LLVMBuildMemSet(g->b, slot->stack, LLVMConstInt(g->i8, 0, false), k64(g, bytes), 64);
    array_set(g, v, slot->stack, LLVMConstNull(g->ptr), dims, strides);
}

/* The address of what the process knows of such objects: see rt/heap.c. */
static LV
layout_of(Gen *g, const IrVar *v)
{
    char *name = arena_printf(&g->cx->arena, "swl:%s", v->obj);
    LV known = LLVMGetNamedGlobal(g->mod, name);
    return known ? known : LLVMAddGlobal(g->mod, g->i8, name);
}

/* So many words of zeros: what there is behind the tag of a None, where nothing is kept. */
static LV
no_words(Gen *g, const IrVar *v)
{
    size_t n = strlen(v->obj);
    char *name = arena_printf(&g->cx->arena, "none%zu", n);
    LV known = LLVMGetNamedGlobal(g->mod, name);
    if (known)
        return known;
    LLVMTypeRef t = LLVMArrayType2(g->i64, n);
    LV zeros = LLVMAddGlobal(g->mod, t, name);
    LLVMSetInitializer(zeros, LLVMConstNull(t));
    LLVMSetLinkage(zeros, LLVMInternalLinkage);
    LLVMSetGlobalConstant(zeros, true);
    LLVMSetAlignment(zeros, 64);
    return zeros;
}

void
emit_alloc(Gen *g, IrStmt *s)
{
    IrVar *v = s->var;
    if (g->ptx) {
        ptx_alloc(g, s);
        return;
    }
    int64_t fixed = stack_bytes(s);
    if (fixed && s->order != LAY_F && v->ndim <= 32) {
        set_on_stack(g, s, fixed);
        return;
    }
    LV *dims = NEW_N(&g->cx->arena, LV, v->ndim + 1),
       *strides = NEW_N(&g->cx->arena, LV, v->ndim + 1);
    for (int k = 0; k < v->ndim; k++)
        dims[k] = emit_int(g, s->idx[k]);
    if (ir_is_near(v) && !s->zero) {
        array_set(g, v, no_words(g, v), LLVMConstNull(g->ptr), dims, strides);
        return;
    }
    check_dims(g, dims, v->ndim);
    LV out = new_slot(g, g->ptr, "mem");
    LV args[4] = {g->ctx, alloc_bytes(g, v, dims), k32(g, s->zero || v->space), out};
    LV object[4] = {g->ctx, v->obj ? layout_of(g, v) : NULL, dims[0], out};
    fail_if_status(g, v->obj ? emit_rt_call(g, s->zero ? RT_sw_new : RT_sw_empty, object, 4)
                             : emit_rt_call(g, RT_sw_alloc, args, 4));
    LV mem = get(g, g->ptr, out), step = k64(g, item_size(v));
    for (int i = 0; i < v->ndim; i++) {
        int k = s->order == LAY_F ? i : v->ndim - 1 - i;
        strides[k] = step;
        step = LLVMBuildNSWMul(g->b, step, dims[k], "");
    }
    LV data = ir_is_near(v) ? field(g, mem, IR_NEAR) : get(g, g->ptr, field(g, mem, MEM_DATA));
    array_set(g, v, data, mem, dims, strides);
}

void
emit_view(Gen *g, IrStmt *s)
{
    IrVar *v = s->var;
    LV *dims = NEW_N(&g->cx->arena, LV, v->ndim + 1),
       *strides = NEW_N(&g->cx->arena, LV, v->ndim + 1);
    LV off = s->e ? emit_int(g, s->e) : k64(g, 0);
    for (int k = 0; k < v->ndim; k++) {
        dims[k] = emit_int(g, s->idx[k]);
        strides[k] = v->layout == LAY_A ? emit_int(g, s->idx[v->ndim + k]) : NULL;
    }
    LV owner = array_owner(g, s->base), base = array_data(g, s->base);
    /* not inbounds: an empty view may point anywhere */
    LV data = LLVMBuildGEP2(g->b, g->i8, base, &off, 1, "");
    if (v->owned)
        array_retain(g, owner);
    array_set(g, v, data, owner, dims, strides);
}

void
emit_alias(Gen *g, IrStmt *s)
{
    IrVar *v = s->var;
    LV *dims = NEW_N(&g->cx->arena, LV, v->ndim + 1),
       *strides = NEW_N(&g->cx->arena, LV, v->ndim + 1);
    for (int k = 0; k < v->ndim; k++) {
        dims[k] = array_dim(g, s->base, k);
        strides[k] = v->layout == LAY_A ? array_stride(g, s->base, k) : NULL;
    }
    LV owner = array_owner(g, s->base), data = array_data(g, s->base);
    if (v->owned)
        array_retain(g, owner);
    array_set(g, v, data, owner, dims, strides);
}

/* ---- references in objects: as IrVar.obj says in ir.h ---- */

static LV
word_at(Gen *g, IrStmt *s)
{
    LV at = emit_int(g, s->idx[0]);
    return LLVMBuildInBoundsGEP2(g->b, g->i64, array_data(g, s->base), &at, 1, "");
}

/* Of an object, or of an array of references. */
static LV
get_word(Gen *g, const IrStmt *s, LLVMTypeRef t, LV p)
{
    LV x = get(g, t, p);
    LLVMSetMetadata(x, g->md_tbaa, ir_is_object(s->base) ? g->in_object : g->in_array);
    return x;
}

static LV
object_words(Gen *g, const IrVar *v, LV owner)
{
    if (!ir_is_near(v))
        return get(g, g->ptr, field(g, owner, MEM_DATA));
    LV none = LLVMBuildICmp(g->b, LLVMIntEQ, owner, LLVMConstNull(g->ptr), "");
    return LLVMBuildSelect(g->b, none, no_words(g, v), field(g, owner, IR_NEAR), "");
}

void
emit_get(Gen *g, IrStmt *s)
{
    IrVar *v = s->var;
    LV *dims = NEW_N(&g->cx->arena, LV, v->ndim + 1),
       *strides = NEW_N(&g->cx->arena, LV, v->ndim + 1);
    LV p = word_at(g, s), owner = get_word(g, s, g->ptr, p), data;
    exchange_note(g, s);
    if (ir_is_object(v)) {
        data = object_words(g, v, owner);
        dims[0] = k64(g, (int64_t)strlen(v->obj));
    } else {
        data = get_word(g, s, g->ptr, field(g, p, 8));
        for (int k = 0; k < v->ndim; k++) {
            dims[k] = get_word(g, s, g->i64, field(g, p, 8 * (2 + k)));
            strides[k] = v->layout == LAY_A
                             ? get_word(g, s, g->i64, field(g, p, 8 * (2 + v->ndim + k)))
                             : NULL;
        }
    }
    if (v->owned && !exchange_has(g, s))
        array_retain(g, owner);
    array_set(g, v, data, owner, dims, strides);
}

/* `put x[1] = v; drop v`: the reference that v holds becomes the word's. */
static bool
moves_reference(const IrStmt *put)
{
    const IrStmt *d = put ? put->next : NULL;
    return d && put->kind == IS_PUT && d->kind == IS_DROP && d->var == put->var && d->var->owned &&
           put->base != put->var;
}

void
emit_put(Gen *g, IrStmt *s)
{
    IrVar *v = s->var;
    if (exchange_has(g, s)) {
        put(g, array_owner(g, v), word_at(g, s));
        return;
    }
    bool first = ir_put_is_first(s), moves = moves_reference(s);
    LV p = word_at(g, s), old = first ? LLVMConstNull(g->ptr) : get(g, g->ptr, p),
       owner = v ? array_owner(g, v) : LLVMConstNull(g->ptr);
    int64_t word = 0;
    if (!moves)
        array_retain(g, owner);
    put(g, owner, p);
    if (v && !ir_is_object(v)) {
        bool strides = ir_is_const(s->idx[0], &word) && ir_keeps_strides(s->base, word, v);
        put(g, array_data(g, v), field(g, p, 8));
        for (int k = 0; k < v->ndim; k++) {
            put(g, array_dim(g, v, k), field(g, p, 8 * (2 + k)));
            if (strides)
                put(g, array_stride(g, v, k), field(g, p, 8 * (2 + v->ndim + k)));
        }
    }
    if (moves)
        put(g, LLVMConstNull(g->ptr), g->slots[v->id].owner);
    array_release(g, old);
}

static LV
const_data(Gen *g, int n)
{
    if (g->consts[n])
        return g->consts[n];
    const IrConstArray *a = &g->m->consts.at[n];
    LV bytes = LLVMConstStringInContext2(g->c, a->data, a->nbytes, true);
    LV global = LLVMAddGlobal(g->mod, LLVMTypeOf(bytes), "const");
    LLVMSetInitializer(global, bytes);
    LLVMSetLinkage(global, LLVMInternalLinkage);
    LLVMSetGlobalConstant(global, true);
    LLVMSetAlignment(global, 64);
    return g->consts[n] = global;
}

void
emit_const_array(Gen *g, IrStmt *s)
{
    const IrConstArray *a = &g->m->consts.at[s->n];
    LV *dims = NEW_N(&g->cx->arena, LV, a->ndim + 1),
       *strides = NEW_N(&g->cx->arena, LV, a->ndim + 1);
    int64_t step = dtype_size(a->dtype);
    for (int k = a->ndim - 1; k >= 0; k--) {
        dims[k] = k64(g, a->shape[k]);
        strides[k] = k64(g, step);
        step *= a->shape[k];
    }
    array_set(g, s->var, const_data(g, s->n), LLVMConstNull(g->ptr), dims, strides);
}

void
emit_drop(Gen *g, IrStmt *s)
{
    bool exchanged = exchange_has(g, s);
    if (!s->var->owned || (moves_reference(s->prev) && !exchanged))
        return;
    LV old = array_owner(g, s->var);
    put(g, LLVMConstNull(g->ptr), g->slots[s->var->id].owner);
    if (!exchanged)
        array_release(g, old);
}

/* Both contiguous in one order: a memcpy. */
void
emit_copy(Gen *g, IrStmt *s)
{
    IrVar *to = s->var, *from = s->base;
    if (to->layout != LAY_A && to->layout == from->layout) {
        LV bytes = k64(g, item_size(to));
        for (int k = 0; k < to->ndim; k++)
            bytes = LLVMBuildNSWMul(g->b, bytes, array_dim(g, to, k), "");
        unsigned align = elem_align(g, to);
        LLVMBuildMemCpy(g->b, array_data(g, to), align, array_data(g, from), align, bytes);
        return;
    }
    LV args[4] = {array_desc(g, to, 0, false), array_desc(g, from, 1, false), k32(g, to->ndim),
                  k64(g, item_size(to))};
    emit_rt_call(g, RT_sw_copy, args, 4);
}
