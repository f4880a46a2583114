/* SPDX-License-Identifier: BSD-3-Clause
 * Calls and returns. Between our own functions: parameters flattened, up to two scalar
 * results in registers beside the status, else through slots of eight bytes, which are
 * also what swathe_entry takes and gives (type_slots in type.h). Runtime calls follow the
 * C signature in rt.def. */
#include "emit.h"
#include <ctype.h>

/* ---- slots ----------------------------------------------------------------------------------- */

int
slot_count(const IrVar *v)
{
    return v->is_array ? 2 + 2 * v->ndim : v->dtype == DT_c128 ? 2 : 1;
}

void
store_slot(Gen *g, LV base, int slot, DType d, Val v)
{
    LV p = field(g, base, 8 * slot);
    switch (dtype_kind(d)) {
    case DK_BOOL:
    case DK_INT:
    case DK_UINT:
        put(g, emit_cast(g, DT_i64, d, v).v, p);
        break;
    case DK_FLOAT:
        put(g, v.v, p);
        break;
    case DK_COMPLEX:
        put(g, v.v, p);
        put(g, v.im, field(g, p, dtype_size(d) / 2));
        break;
    }
}

Val
load_slot(Gen *g, LV base, int slot, DType d)
{
    LV p = field(g, base, 8 * slot);
    Val r = {get(g, mem_type(g, d), p), NULL};
    if (d == DT_bool)
        r.v = LLVMBuildICmp(g->b, LLVMIntNE, r.v, LLVMConstNull(g->i8), "");
    if (dtype_is_complex(d))
        r.im = get(g, mem_type(g, d), field(g, p, dtype_size(d) / 2));
    return r;
}

void
store_array_slots(Gen *g, LV base, int slot, IrVar *v, LV owner)
{
    put(g, array_data(g, v), field(g, base, 8 * slot));
    put(g, owner, field(g, base, 8 * (slot + 1)));
    for (int k = 0; k < v->ndim; k++) {
        put(g, array_dim(g, v, k), field(g, base, 8 * (slot + 2 + k)));
        put(g, array_stride(g, v, k), field(g, base, 8 * (slot + 2 + v->ndim + k)));
    }
}

/* ---- return ---------------------------------------------------------------------------------- */

/* The reference that goes with a returned array: the variable's own, which it then no
 * longer has, or a new one. */
static LV
give_reference(Gen *g, IrVar *v)
{
    LV owner = array_owner(g, v);
    if (v->owned)
        put(g, LLVMConstNull(g->ptr), g->slots[v->id].owner);
    else
        array_retain(g, owner);
    return owner;
}

static bool
returned_again(const IrStmt *s, int i)
{
    for (int k = i + 1; k < s->n_args; k++)
        if (s->args[k].arr == s->args[i].arr)
            return true;
    return false;
}

static void
return_array(Gen *g, IrStmt *s, int i, int slot)
{
    IrVar *v = s->args[i].arr;
    LV owner;
    if (returned_again(s, i)) {
        owner = array_owner(g, v);
        array_retain(g, owner);
    } else {
        owner = give_reference(g, v);
    }
    store_array_slots(g, g->results, slot, v, owner);
}

void
emit_return(Gen *g, IrStmt *s)
{
    int slot = 0, part = 0;
    for (int i = 0; i < s->n_args; i++) {
        IrArg *a = &s->args[i];
        if (a->arr) {
            return_array(g, s, i, slot);
            slot += slot_count(a->arr);
            continue;
        }
        Val v = emit_expr(g, a->e);
        if (g->results) {
            store_slot(g, g->results, slot, a->e->dtype, v);
            slot += a->e->dtype == DT_c128 ? 2 : 1;
        } else {
            put(g, v.v, g->ret_parts[part++]);
            if (v.im)
                put(g, v.im, g->ret_parts[part++]);
        }
    }
    leave_handlers(g, true);
    jump(g, g->epilogue);
}

/* ---- calls ----------------------------------------------------------------------------------- */

typedef Vec(LV) Values;

static void
push(Gen *g, Values *l, LV v)
{
    VEC_PUSH(&g->cx->arena, *l, v);
}

/* As FnDecl's parameters: see declare in module.c. */
static void
push_array(Gen *g, Values *l, IrVar *v, const IrVar *param)
{
    push(g, l, array_data(g, v));
    push(g, l, array_owner(g, v));
    for (int k = 0; k < v->ndim; k++)
        push(g, l, array_dim(g, v, k));
    for (int k = 0; param->layout == LAY_A && k < v->ndim; k++)
        push(g, l, array_stride(g, v, k));
}

static void
take_scalar(Gen *g, IrVar *out, Val v)
{
    if (!out)
        return;
    put(g, v.v, g->slots[out->id].v);
    if (v.im)
        put(g, v.im, g->slots[out->id].im);
}

static void
take_array(Gen *g, IrVar *out, LV base, int slot, const IrVar *res)
{
    LV *dims = NEW_N(&g->cx->arena, LV, res->ndim + 1),
       *strides = NEW_N(&g->cx->arena, LV, res->ndim + 1);
    LV data = get(g, g->ptr, field(g, base, 8 * slot));
    LV owner = get(g, g->ptr, field(g, base, 8 * (slot + 1)));
    if (!out) {
        array_release(g, owner);
        return;
    }
    for (int k = 0; k < res->ndim; k++) {
        dims[k] = get(g, g->i64, field(g, base, 8 * (slot + 2 + k)));
        strides[k] = get(g, g->i64, field(g, base, 8 * (slot + 2 + res->ndim + k)));
    }
    array_set(g, out, data, owner, dims, strides);
}

static void
take_results(Gen *g, IrStmt *s, LV area, LV ret)
{
    int slot = 0;
    unsigned part = 1;
    for (int i = 0; i < s->func->n_results; i++) {
        const IrVar *r = s->func->results[i];
        IrArg none = {0}, *o = i < s->n_outs ? &s->outs[i] : &none;
        if (r->is_array) {
            take_array(g, o->arr, area, slot, r);
        } else if (area) {
            take_scalar(g, o->out, load_slot(g, area, slot, r->dtype));
        } else {
            Val v = {LLVMBuildExtractValue(g->b, ret, part++, ""), NULL};
            if (dtype_is_complex(r->dtype))
                v.im = LLVMBuildExtractValue(g->b, ret, part++, "");
            take_scalar(g, o->out, v);
        }
        slot += slot_count(r);
    }
}

/* Slots of all arguments, one after the other. */
static LV
argument_slots(Gen *g, const IrStmt *s, const char *name)
{
    unsigned n = 1;
    for (int i = 0; i < s->n_args; i++)
        n += s->args[i].arr ? (unsigned)slot_count(s->args[i].arr) : 2;
    LV area = new_slot(g, LLVMArrayType2(g->i64, n), name);
    int slot = 0;
    for (int i = 0; i < s->n_args; i++) {
        IrArg *a = &s->args[i];
        if (a->arr) {
            store_array_slots(g, area, slot, a->arr, array_owner(g, a->arr));
            slot += slot_count(a->arr);
        } else {
            store_slot(g, area, slot, a->e->dtype, emit_expr(g, a->e));
            slot += a->e->dtype == DT_c128 ? 2 : 1;
        }
    }
    return area;
}

/* Into Python: all by slots, as swathe_entry has them. */
static void
emit_upcall(Gen *g, IrStmt *s)
{
    if (g->ptx) {
        gen_refuse(g->cx, s->at, REFUSE_PTX_library, "a block that runs in Python", NULL);
        return;
    }
    unsigned n = 1;
    for (int i = 0; i < s->func->n_results; i++)
        n += (unsigned)slot_count(s->func->results[i]);
    LV in = argument_slots(g, s, "given"), out = new_slot(g, LLVMArrayType2(g->i64, n), "results");
    int site = ir_site(g->m, EXC_PYTHON, "", s->at);
    LV args[5] = {g->ctx, k32(g, ir_upcall(s->func)), site_number(g, site), in, out};
    fail_if_status(g, emit_rt_call(g, RT_sw_upcall, args, 5));
    take_results(g, s, out, NULL);
}

void
emit_call(Gen *g, IrStmt *s)
{
    if (s->func->foreign) {
        if (ir_upcall(s->func) >= 0)
            emit_upcall(g, s);
        else
            (ir_kernel(s->func) ? emit_kernel : emit_foreign)(g, s);
        return;
    }
    FnDecl *d = map_get(&g->decls, s->func);
    Values args = {0};
    push(g, &args, g->ctx);
    if (g->depth)
        push(g, &args, s->func->recursive ? LLVMBuildAdd(g->b, g->depth, k32(g, 1), "") : g->depth);
    for (int i = 0; i < s->n_args; i++) {
        if (s->args[i].arr) {
            push_array(g, &args, s->args[i].arr, s->func->vars.at[i]);
            continue;
        }
        Val v = emit_expr(g, s->args[i].e);
        push(g, &args, v.v);
        if (v.im)
            push(g, &args, v.im);
    }
    LV area = NULL;
    if (d->by_ptr) {
        unsigned n = 0;
        for (int i = 0; i < s->func->n_results; i++)
            n += (unsigned)slot_count(s->func->results[i]);
        area = new_slot(g, LLVMArrayType2(g->i64, n), "results");
        push(g, &args, area);
    }
    LV ret = LLVMBuildCall2(g->b, d->type, d->fn, args.at, (unsigned)args.n, "");
    LV status = d->ret == g->i32 ? ret : LLVMBuildExtractValue(g->b, ret, 0, "");
    if (s->func->may_raise)
        fail_if_call(g, status, s->at.src ? ir_site(g->m, NULL, NULL, s->at) : -1,
                     s->n_idx ? s->idx : NULL);
    take_results(g, s, area, ret);
}

/* ---- the runtime ----------------------------------------------------------------------------- */

#define RT(id, ret, params, traits) {#ret, #params},

static const struct {
    const char *ret, *params;
} rt_text[] = {

#include "def/rt.def"
};
#undef RT

static char
rt_kind(const char *p, size_t n)
{
    char s[64] = {0};
    memcpy(s, p, n < 63 ? n : 63);
    if (strstr(s, "SwCtx"))
        return 'x';
    if (strstr(s, "SwDesc"))
        return 'a';
    if (strstr(s, "double *"))
        return strstr(s, "const") ? 'z' : 'o';
    if (strchr(s, '*') || strstr(s, "SwBody"))
        return 'p';
    if (strstr(s, "void"))
        return 'v';
    return strstr(s, "double") ? 'd' : strstr(s, "float") ? 'f' : strstr(s, "int64") ? 'l' : 'i';
}

/* Reads the C signature: "(SwCtx *cx, int64_t bytes)". */
RtSig
rt_signature(IrRt id)
{
    RtSig r = {.ret = rt_kind(rt_text[id].ret, strlen(rt_text[id].ret)),
               .fails = rt_info[id].traits & RTF_FAILS};
    const char *p = rt_text[id].params + 1;
    while (*p && r.n < SW_LEN(r.param)) {
        size_t n = strcspn(p, ",)");
        r.param[r.n++] = rt_kind(p, n);
        p += n;
        if (*p++ != ',')
            break;
    }
    return r;
}

static LV
rt_scalar(Gen *g, char kind, const IrExpr *e)
{
    DType d = kind == 'd' ? DT_f64 : kind == 'f' ? DT_f32 : kind == 'l' ? DT_i64 : DT_i32;
    return emit_cast(g, d, e->dtype, emit_expr(g, e)).v;
}

static LV
complex_in(Gen *g, const IrExpr *e)
{
    LV p = new_slot(g, LLVMArrayType2(g->f64, 2), "z");
    Val z = emit_cast(g, DT_c128, e->dtype, emit_expr(g, e));
    put(g, z.v, p);
    put(g, z.im, field(g, p, 8));
    return p;
}

/* Results go where the statement says, converted to the variable's dtype. */
static void
rt_result(Gen *g, IrVar *out, char kind, LV v)
{
    if (!out)
        return;
    DType d = kind == 'd' ? DT_f64 : kind == 'f' ? DT_f32 : kind == 'l' ? DT_i64 : DT_i32;
    take_scalar(g, out, emit_cast(g, out->dtype, d, (Val){v, NULL}));
}

static void
complex_result(Gen *g, IrVar *out, LV p)
{
    Val z = {get(g, g->f64, p), get(g, g->f64, field(g, p, 8))};
    take_scalar(g, out, emit_cast(g, out->dtype, DT_c128, z));
}

/* An array argument brings its rank and item size along where the parameters ask for them
 * and the statement gives arrays only (sw_overlap, sw_copy). */
static LV
implied(Gen *g, const IrVar *last, const RtSig *sig, int k)
{
    bool rank = sig->param[k - 1] == 'a';
    return sig->param[k] == 'l' ? k64(g, dtype_size(last->dtype))
                                : k32(g, rank ? last->ndim : dtype_size(last->dtype));
}

/* One of the tests whether what an expression stores to overlaps what it reads, behind another */
static bool
follows_its_like(const IrStmt *s)
{
    const IrStmt *p = s->prev;
    return p && p->kind == IS_RT && p->rt == RT_sw_overlap && s->rt == RT_sw_overlap &&
           p->args[0].arr == s->args[0].arr;
}

/* From lo up to hi: where the elements lie, if there are any. */
static void
extent(Gen *g, IrVar *v, LV *lo, LV *hi)
{
    LV zero = k64(g, 0), down = zero, up = k64(g, dtype_size(v->dtype));
    for (int k = 0; k < v->ndim; k++) {
        LV n = LLVMBuildSub(g->b, array_dim(g, v, k), k64(g, 1), "");
        LV span = LLVMBuildMul(g->b, n, array_stride(g, v, k), "");
        if (v->layout != LAY_A) {
            up = LLVMBuildAdd(g->b, up, span, "");
            continue;
        }
        LV back = LLVMBuildICmp(g->b, LLVMIntSLT, span, zero, "");
        down = LLVMBuildAdd(g->b, down, LLVMBuildSelect(g->b, back, span, zero, ""), "");
        up = LLVMBuildAdd(g->b, up, LLVMBuildSelect(g->b, back, zero, span, ""), "");
    }
    LV data = array_data(g, v);
    *lo = LLVMBuildGEP2(g->b, g->i8, data, &down, 1, "");
    *hi = LLVMBuildGEP2(g->b, g->i8, data, &up, 1, "");
}

/* Most tests whether arrays overlap find two that lie apart: the runtime is asked about others. */
static void
emit_overlap(Gen *g, IrStmt *s)
{
    IrVar *x = s->args[0].arr, *y = s->args[1].arr;
    LV lo[2], hi[2], out = new_slot(g, g->i32, "overlap");
    extent(g, x, &lo[0], &hi[0]);
    extent(g, y, &lo[1], &hi[1]);
    LV meet = LLVMBuildAnd(g->b, LLVMBuildICmp(g->b, LLVMIntULT, lo[0], hi[1], ""),
                           LLVMBuildICmp(g->b, LLVMIntULT, lo[1], hi[0], ""), "");
    LLVMBasicBlockRef ask = new_block(g, "meet"), next = new_block(g, "next");
    put(g, k32(g, 0), out);
    branch(g, meet, ask, next, g->rare);
    LLVMPositionBuilderAtEnd(g->b, ask);
    LV args[6] = {array_desc(g, x, 0, false), k32(g, x->ndim), k64(g, dtype_size(x->dtype)),
                  array_desc(g, y, 1, false), k32(g, y->ndim), k64(g, dtype_size(y->dtype))};
    put(g, emit_rt_call(g, RT_sw_overlap, args, 6), out);
    jump(g, next);
    LLVMPositionBuilderAtEnd(g->b, next);
    rt_result(g, s->outs[0].out, 'i', get(g, g->i32, out));
}

/* In a kernel, where there is no C library. */
static void
emit_alike_loop(Gen *g, IrStmt *s)
{
    LV out = new_slot(g, g->i32, "alike"), a = array_data(g, s->args[0].arr),
       b = array_data(g, s->args[1].arr);
    Counted c = {.lo = k64(g, 0), .hi = emit_int(g, s->args[2].e), .step = 1};
    put(g, k32(g, 1), out);
    counted_begin(g, &c);
    LV x = get(g, g->i8, LLVMBuildGEP2(g->b, g->i8, a, &c.i, 1, "")),
       y = get(g, g->i8, LLVMBuildGEP2(g->b, g->i8, b, &c.i, 1, ""));
    LV same = LLVMBuildZExt(g->b, LLVMBuildICmp(g->b, LLVMIntEQ, x, y, ""), g->i32, "");
    put(g, LLVMBuildAnd(g->b, get(g, g->i32, out), same, ""), out);
    counted_end(g, &c);
    rt_result(g, s->outs[0].out, 'i', get(g, g->i32, out));
}

/* LLVM makes a few loads of it where the number is known, and small. */
static void
emit_alike(Gen *g, IrStmt *s)
{
    LLVMTypeRef params[3] = {g->ptr, g->ptr, g->i64},
                type = LLVMFunctionType(g->i32, params, SW_LEN(params), false);
    LV fn = LLVMGetNamedFunction(g->mod, "bcmp");
    fn = fn ? fn : LLVMAddFunction(g->mod, "bcmp", type);
    LV args[3] = {array_data(g, s->args[0].arr), array_data(g, s->args[1].arr),
                  emit_int(g, s->args[2].e)};
    LV differ = LLVMBuildCall2(g->b, type, fn, args, SW_LEN(args), "");
    LV same = LLVMBuildICmp(g->b, LLVMIntEQ, differ, k32(g, 0), "");
    rt_result(g, s->outs[0].out, 'i', LLVMBuildZExt(g->b, same, g->i32, ""));
}

void
emit_runtime(Gen *g, IrStmt *s)
{
    enum { FEW = 4 };
    if (s->rt == RT_sw_alike) {
        (g->ptx ? emit_alike_loop : emit_alike)(g, s);
        return;
    }
    if (ir_is_overlap(s) && !g->ptx && s->args[0].arr->ndim <= FEW && s->args[1].arr->ndim <= FEW) {
        emit_overlap(g, s);
        return;
    }
    RtSig sig = rt_signature((IrRt)s->rt);
    LV args[12], zout = NULL;
    IrVar *last = NULL;
    int next = 0, arrays = 0;
    for (int k = 0; k < sig.n; k++) {
        const IrArg *a = next < s->n_args ? &s->args[next] : NULL;
        if (sig.param[k] == 'x') {
            args[k] = g->ctx;
        } else if (sig.param[k] == 'o') {
            args[k] = zout = new_slot(g, LLVMArrayType2(g->f64, 2), "z");
        } else if (last && (!a || a->arr) && sig.param[k] != 'a') {
            args[k] = implied(g, last, &sig, k);
        } else if (!a) {
            internal_error(g, s->at, rt_info[s->rt].name);
            return;
        } else if (a->arr) {
            last = a->arr;
            args[k] = array_desc(g, a->arr, arrays, !arrays && follows_its_like(s));
            arrays++;
            next++;
        } else {
            args[k] = sig.param[k] == 'z' ? complex_in(g, a->e) : rt_scalar(g, sig.param[k], a->e);
            next++;
        }
    }
    LV r = emit_rt_call(g, (IrRt)s->rt, args, sig.n);
    if (sig.fails)
        fail_if_status(g, r);
    else if (sig.ret != 'v' && s->n_outs)
        rt_result(g, s->outs[0].out, sig.ret, r);
    if (zout && s->n_outs)
        complex_result(g, s->outs[0].out, zout);
}

/* ---- print ----------------------------------------------------------------------------------- */

void
emit_print(Gen *g, IrStmt *s)
{
    LV area = argument_slots(g, s, "print");
    LV args[3] = {g->ctx, site_number(g, s->site), area};
    fail_if_status(g, emit_rt_call(g, RT_sw_print, args, 3));
}
