/* SPDX-License-Identifier: BSD-3-Clause
 * Elements of arrays in vector lanes: one vector access where lanes are neighbours in memory,
 * one scalar access for each lane where they are a stride apart, a gather or scatter otherwise.
 * The hard idea: lanes that are off do no harm. In the last group they repeat the last
 * iteration's address; elsewhere their address is replaced by that of a spare cell, which is
 * cheaper than a branch for each lane. */
#include "lanes.h"

typedef struct Place {
    bool linear;
    LV base; /* linear: address of lane 0's element, and bytes from lane to lane */
    LV stride;
    int64_t near; /* stride in bytes where it is known, or 0 */
    LV all;       /* not linear: addresses */
} Place;

/* Bytes from one index of an axis to the next; elements when the layout says more. */
static LV
axis_bytes(Gen *g, IrVar *v, int axis)
{
    return array_stride(g, v, axis);
}

static bool
is_linear(Lanes *l, IrVar *v, IrExpr **idx)
{
    for (int k = 0; k < v->ndim; k++)
        if (lane_varies(l, idx[k]))
            return false;
    return true;
}

static void
linear_place(Lanes *l, Place *p, IrVar *v, IrExpr **idx)
{
    Gen *g = l->g;
    p->linear = true;
    p->base = array_address(g, v, idx);
    LV sum = k64(g, 0);
    for (int k = 0; k < v->ndim; k++) {
        int64_t step = ir_lane_step(l->a, idx[k]);
        if (step)
            sum = LLVMBuildAdd(g->b, sum, LLVMBuildMul(g->b, axis_bytes(g, v, k), k64(g, step), ""),
                               "");
    }
    p->stride = sum;
    p->near = LLVMIsAConstantInt(sum) ? LLVMConstIntGetSExtValue(sum) : 0;
}

/* The uniform part of an address stays scalar: base + vector of offsets. */
static void
scattered_place(Lanes *l, Place *p, IrVar *v, IrExpr **idx)
{
    Gen *g = l->g;
    LV base = array_data(g, v), off = NULL;
    for (int k = 0; k < v->ndim; k++) {
        LV bytes = axis_bytes(g, v, k);
        if (ir_lane_step(l->a, idx[k]) == 0) {
            LV at = LLVMBuildMul(g->b, emit_int(g, idx[k]), bytes, "");
            base = LLVMBuildGEP2(g->b, g->i8, base, &at, 1, "");
            continue;
        }
        LV at = emit_cast(g, DT_i64, (DType)idx[k]->dtype, lane_value(l, idx[k])).v;
        at = LLVMBuildMul(g->b, at, lane_splat(l, bytes), "");
        off = off ? LLVMBuildAdd(g->b, off, at, "") : at;
    }
    p->all = LLVMBuildGEP2(g->b, g->i8, base, &off, 1, "");
}

static Place
place(Lanes *l, IrVar *v, IrExpr **idx)
{
    Place p = {0};
    bool loose = l->g->loose;
    l->g->loose = !l->at->base;
    if (is_linear(l, v, idx))
        linear_place(l, &p, v, idx);
    else
        scattered_place(l, &p, v, idx);
    l->g->loose = loose;
    return p;
}

/* ---- masked intrinsics ---- */

/* On elements of v; args[ptr] is where they are. What is known of the alignment is an argument
 * behind that, and from LLVM 22 on an attribute. */
static LV
call_masked(Lanes *l, const char *name, LLVMTypeRef *over, IrVar *v, LV a, LV b, LV c, int ptr)
{
    Gen *g = l->g;
    unsigned align = elem_align(g, v), id = LLVMLookupIntrinsicID(name, strlen(name));
    LV fn = LLVMGetIntrinsicDeclaration(g->mod, id, over, 2), args[4] = {a, b, c};
    LLVMTypeRef t = LLVMGlobalGetValueType(fn);
    unsigned n = LLVMCountParamTypes(t), at = (unsigned)ptr + 1;
    if (n == 4) {
        memmove(args + at + 1, args + at, sizeof *args * (3 - at));
        args[at] = k32(g, align);
    }
    LV call = LLVMBuildCall2(g->b, t, fn, args, n, "");
    if (n == 3)
        LLVMAddCallSiteAttribute(
            call, at,
            LLVMCreateEnumAttribute(g->c, LLVMGetEnumAttributeKindForName("align", 5), align));
    return call;
}

static LV
vector_load(Lanes *l, IrVar *v, LV p, LLVMTypeRef t, LV mask)
{
    Gen *g = l->g;
    LV x;
    if (mask) {
        LLVMTypeRef over[2] = {t, g->ptr};
        x = call_masked(l, "llvm.masked.load", over, v, p, mask, LLVMConstNull(t), 0);
    } else {
        x = get(g, t, p);
        LLVMSetAlignment(x, elem_align(g, v));
    }
    mark_access(g, v, x);
    return x;
}

void
lane_put_row(Lanes *l, IrVar *v, LV x, LV p, LV mask)
{
    Gen *g = l->g;
    LV st;
    if (mask) {
        LLVMTypeRef over[2] = {LLVMTypeOf(x), g->ptr};
        st = call_masked(l, "llvm.masked.store", over, v, x, p, mask, 1);
    } else {
        st = LLVMBuildStore(g->b, x, p);
        LLVMSetAlignment(st, elem_align(g, v));
    }
    mark_access(g, v, st);
}

/* ---- one address for each lane ---- */

static LV
spare_cell(Lanes *l)
{
    Gen *g = l->g;
    if (!l->spare) {
        l->spare = new_slot(g, LLVMArrayType2(g->i64, 4), "spare");
        LLVMSetAlignment(l->spare, 16);
        LLVMBuildStore(g->top, LLVMConstNull(LLVMArrayType2(g->i64, 4)), l->spare);
    }
    return l->spare;
}

/* The lanes' addresses; of those that are off, the spare cell's. */
static LV
safe_addresses(Lanes *l, const Place *p, LV mask)
{
    Gen *g = l->g;
    LV all = p->all;
    if (p->linear) {
        LV off = LLVMBuildMul(g->b, l->lane, lane_splat(l, p->stride), "");
        all = LLVMBuildGEP2(g->b, g->i8, p->base, &off, 1, "");
    }
    if (mask)
        all = LLVMBuildSelect(g->b, mask, all, lane_splat(l, spare_cell(l)), "");
    return all;
}

static LV
lane_address(Lanes *l, const Place *p, int k)
{
    LV off = LLVMBuildMul(l->g->b, p->stride, l->each[k], "");
    return LLVMBuildGEP2(l->g->b, l->g->i8, p->base, &off, 1, "");
}

/* All lanes may be read: a lane that is off has a copy of another's address. */
static bool
one_by_one(Lanes *l, const Place *p, LV mask)
{
    return p->linear && (!mask || l->at->base);
}

static LV
gather(Lanes *l, IrVar *v, const Place *p, int64_t part, LV mask)
{
    Gen *g = l->g;
    LLVMTypeRef t = mem_type(g, (DType)v->dtype), vt = lane_type(l, t);
    if (one_by_one(l, p, mask)) {
        LV x = LLVMGetPoison(vt);
        for (int k = 0; k < l->w; k++) {
            LV one = get(g, t, field(g, lane_address(l, p, k), part));
            mark_access(g, v, one);
            x = lane_put(l, x, one, k);
        }
        return x;
    }
    LV at = safe_addresses(l, p, mask), off = k64(g, part);
    if (part)
        at = LLVMBuildGEP2(g->b, g->i8, at, &off, 1, "");
    LLVMTypeRef over[2] = {vt, LLVMTypeOf(at)};
    LV all = lane_splat(l, LLVMConstInt(g->i1, 1, false));
    LV x = call_masked(l, "llvm.masked.gather", over, v, at, all, LLVMGetPoison(vt), 0);
    mark_access(g, v, x);
    return x;
}

static void
scatter(Lanes *l, IrVar *v, LV x, const Place *p, int64_t part, LV mask)
{
    Gen *g = l->g;
    LV at = p->linear && !mask ? NULL : safe_addresses(l, p, mask);
    if (!at || !g->isa.masks) {
        for (int k = 0; k < l->w; k++) {
            LV to = at ? lane_get(l, at, k) : lane_address(l, p, k);
            LV st = LLVMBuildStore(g->b, lane_get(l, x, k), field(g, to, part));
            LLVMSetAlignment(st, elem_align(g, v));
            mark_access(g, v, st);
        }
        return;
    }
    LV off = k64(g, part);
    if (part)
        at = LLVMBuildGEP2(g->b, g->i8, at, &off, 1, "");
    LLVMTypeRef over[2] = {LLVMTypeOf(x), LLVMTypeOf(at)};
    LV all = lane_splat(l, LLVMConstInt(g->i1, 1, false));
    mark_access(g, v, call_masked(l, "llvm.masked.scatter", over, v, x, at, all, 1));
}

/* ---- lanes that are neighbours ---- */

static LV
shuffle(Lanes *l, LV a, LV b, int n, int first, int step, int wrap)
{
    LV k[2 * MAX_LANES];
    for (int i = 0; i < n; i++)
        k[i] = k32(l->g, wrap ? i / 2 + (i & 1) * wrap : first + i * step);
    return LLVMBuildShuffleVector(l->g->b, a, b, LLVMConstVector(k, (unsigned)n), "");
}

LV
lane_reversed(Lanes *l, LV v)
{
    return shuffle(l, v, LLVMGetPoison(LLVMTypeOf(v)), l->w, l->w - 1, -1, 0);
}

/* Lane 0 last: the vector starts at the last lane's element. */
static LV
first_byte(Lanes *l, const Place *p, int64_t size)
{
    LV off = k64(l->g, -(l->w - 1) * size);
    return p->near < 0 ? LLVMBuildGEP2(l->g->b, l->g->i8, p->base, &off, 1, "") : p->base;
}

/* Pairs of parts: each lane's bit twice. */
static LV
pair_mask(Lanes *l, LV mask)
{
    return mask ? shuffle(l, mask, mask, 2 * l->w, 0, 0, l->w) : NULL;
}

static Val
load_pairs(Lanes *l, IrVar *v, const Place *p, LV mask)
{
    LLVMTypeRef t = LLVMVectorType(mem_type(l->g, (DType)v->dtype), 2 * (unsigned)l->w);
    LV x = vector_load(l, v, p->base, t, pair_mask(l, mask)), none = LLVMGetPoison(t);
    return (Val){shuffle(l, x, none, l->w, 0, 2, 0), shuffle(l, x, none, l->w, 1, 2, 0)};
}

Val
lane_load(Lanes *l, const IrExpr *e)
{
    Gen *g = l->g;
    IrVar *v = e->var;
    Place p = place(l, v, e->arg);
    int64_t size = dtype_size(v->dtype);
    bool pair = dtype_is_complex((DType)v->dtype);
    LV mask = lane_mask(l);
    Val r = {0};
    if (pair && p.near == size)
        return load_pairs(l, v, &p, mask);
    if (!pair && (p.near == size || (p.near == -size && !mask))) {
        LLVMTypeRef t = lane_type(l, mem_type(g, (DType)v->dtype));
        r.v = vector_load(l, v, first_byte(l, &p, size), t, mask);
        if (p.near < 0)
            r.v = lane_reversed(l, r.v);
    } else {
        r.v = gather(l, v, &p, 0, mask);
        if (pair)
            r.im = gather(l, v, &p, size / 2, mask);
    }
    if (v->dtype == DT_bool)
        r.v = LLVMBuildICmp(g->b, LLVMIntNE, r.v, LLVMConstNull(LLVMTypeOf(r.v)), "");
    return r;
}

void
lane_scatter(Lanes *l, IrStmt *s, Val x)
{
    Place p = place(l, s->var, s->idx);
    scatter(l, s->var, x.v, &p, 0, lane_mask(l));
}

void
lane_store(Lanes *l, IrStmt *s)
{
    Gen *g = l->g;
    IrVar *v = s->var;
    if (l->appends && lane_append(l, s))
        return;
    Val x = lane_value(l, s->e);
    Place p = place(l, v, s->idx);
    int64_t size = dtype_size(v->dtype);
    LV mask = lane_mask(l);
    if (v->dtype == DT_bool)
        x.v = LLVMBuildZExt(g->b, x.v, lane_type(l, g->i8), "");
    if (x.im && p.near == size) {
        LV both = shuffle(l, x.v, x.im, 2 * l->w, 0, 0, l->w);
        lane_put_row(l, v, both, p.base, pair_mask(l, mask));
    } else if (!x.im && (p.near == size || (p.near == -size && !mask))) {
        lane_put_row(l, v, p.near < 0 ? lane_reversed(l, x.v) : x.v, first_byte(l, &p, size), mask);
    } else {
        scatter(l, v, x.v, &p, 0, mask);
        if (x.im)
            scatter(l, v, x.im, &p, size / 2, mask);
    }
}
