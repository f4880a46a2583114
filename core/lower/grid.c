/* SPDX-License-Identifier: BSD-3-Clause
 * swathe.gpu -> IR: what one thread of a grid asks (its place), has (shared and local
 * arrays), and does with others (barriers, warps, atomics, fences). One row of grid.def is
 * one statement or expression of the IR; the table below says which. Bit tricks are spelled
 * out in arithmetic that every back end has. */
#include "lower/internal.h"

#define GRID(id, name, params, group, op, kinds) [BI_gpu_##id - BI_gpu_threadIdx_x] = op,
static const int16_t row_op[] = {
#include "def/grid.def"
};
#undef GRID

static int
op_of(const Call *c)
{
    return row_op[c->fn->id - BI_gpu_threadIdx_x];
}

/* An argument; what comes after it may change memory. */
static Val
arg(Lower *l, const Call *c, int k)
{
    if (k >= c->n_args || !c->arg[k])
        return (Val){0};
    Val v = expr(l, c->arg[k]);
    return any_later_impure(l, c, k + 1) ? pin(l, v) : v;
}

static IrExpr *
int_of(Lower *l, DType d, int64_t v)
{
    return ir_int(l->cx, d, v);
}

/* ---- where the thread is ------------------------------------------------------------------- */

Val
grid_read(Lower *l, const Node *n, const Call *c)
{
    return val_scalar(&l->b, sema_info(l->in, n)->type, ir_geo(l->cx, op_of(c)));
}

static IrExpr *
index_of(Lower *l, bool size, int axis)
{
    Cx *cx = l->cx;
    IrExpr *dim = ir_geo(cx, GEO_BLOCK_DIM_X + axis);
    if (size)
        return ir_op(cx, OP_mul, ir_geo(cx, GEO_GRID_X + axis), dim);
    return ir_op(cx, OP_add, ir_op(cx, OP_mul, ir_geo(cx, GEO_BLOCK_X + axis), dim),
                 ir_geo(cx, GEO_THREAD_X + axis));
}

static Val
place(Lower *l, const Call *c, const Type *t)
{
    bool size = c->fn->id == BI_gpu_gridsize;
    if (t->kind != TY_TUPLE)
        return val_scalar(&l->b, t, index_of(l, size, 0));
    Val *elem = NEW_N(&l->cx->arena, Val, t->n);
    for (int i = 0; i < t->n; i++)
        elem[i] = val_scalar(&l->b, t->elems[i], index_of(l, size, i));
    return val_tuple(&l->b, t, t->n, elem);
}

/* ---- arrays -------------------------------------------------------------------------------- */

static Val
array(Lower *l, const Call *c, const Type *t)
{
    Cx *cx = l->cx;
    IrSpace space = (IrSpace)op_of(c);
    const Const *shape = sema_info(l->in, c->arg[0])->cst, *record = record_dtype(l, c);
    const Type *at = record ? type_array(cx->types, DT_u8, t->ndim + 1, LAY_C, false) : t;
    int64_t item = record ? record->i : dtype_size(t->storage);
    IrExpr *dims[SW_MAX_NDIM];
    IrVar *v = ir_array_var(l->b.f, space == SPACE_SHARED ? "shared" : "local", at->storage,
                            at->ndim, LAY_C);
    v->space = (uint8_t)space;
    v->noalias = true;
    for (int i = 0; i < t->ndim; i++) {
        const Const *k = shape->kind == CV_TUPLE ? shape->elems[i] : shape;
        dims[i] = int_of(l, DT_i64, k->i);
        if (k->i == 0) { /* all that the launch gives; such arrays share their bytes */
            dims[i] = ir_op(cx, OP_floordiv, ir_geo(cx, GEO_SHARED_BYTES), int_of(l, DT_i64, item));
            v->noalias = false;
        }
    }
    if (record)
        dims[t->ndim] = int_of(l, DT_i64, item);
    ir_alloc(&l->b, v, dims, LAY_C, space == SPACE_LOCAL);
    map_put(&cx->arena, &l->kept, v, v);
    Val a = val_array(&l->b, at, v, false);
    return record ? record_over(l, &a, record, t) : a;
}

/* ---- barriers and warps -------------------------------------------------------------------- */

static Val
barrier(Lower *l, const Call *c, const Type *t)
{
    IrVote vote = (IrVote)op_of(c);
    if (vote == VOTE_NONE) {
        IrBarrier which = c->fn->id == BI_gpu_syncwarp ? BAR_WARP
                          : c->fn->id == BI_gpu_syncgrid || c->fn->id == BI_gpu_this_grid_sync
                              ? BAR_GRID
                              : BAR_BLOCK;
        ir_barrier(&l->b, which, vote, NULL, NULL);
        return val_none(&l->b);
    }
    Val p = arg(l, c, 0);
    IrVar *out = ir_var(l->b.f, "votes", DT_i32);
    ir_barrier(&l->b, BAR_BLOCK, vote, out, val_truth(&l->b, &p));
    IrExpr *e = ir_use(l->cx, out);
    if (t->storage == DT_bool)
        return val_scalar(&l->b, t, ir_op(l->cx, OP_ne, e, int_of(l, DT_i32, 0)));
    return val_scalar(&l->b, t, ir_cast(l->cx, t->storage, e));
}

static IrExpr *
int_arg(Lower *l, const Call *c, int k)
{
    Val v = arg(l, c, k);
    return val_int(&l->b, &v, "OverflowError", VAL_TOO_LARGE);
}

static Val
shuffle(Lower *l, const Call *c, const Type *t)
{
    IrExpr *args[2] = {int_arg(l, c, 0), NULL};
    Val v = arg(l, c, 1);
    args[1] = int_arg(l, c, 2);
    IrVar *out = ir_var(l->b.f, "lane", t->storage);
    ir_warp(&l->b, (IrWarp)op_of(c), out, val_expr(&l->b, &v, t->storage), 2, args);
    return val_scalar(&l->b, t, ir_use(l->cx, out));
}

static Val
vote(Lower *l, const Call *c, const Type *t)
{
    IrWarp op = (IrWarp)op_of(c);
    bool bits = t->storage != DT_bool;
    IrVar *out = ir_var(l->b.f, "votes", bits ? DT_u32 : DT_bool);
    if (op == WARP_ACTIVE) {
        ir_warp(&l->b, op, out, NULL, 0, NULL);
    } else {
        IrExpr *mask = int_arg(l, c, 0);
        Val p = arg(l, c, 1);
        ir_warp(&l->b, op, out, val_truth(&l->b, &p), 1, &mask);
    }
    return val_scalar(&l->b, t, ir_cast(l->cx, t->storage, ir_use(l->cx, out)));
}

static DType
unsigned_of(DType d, int least)
{
    int bits = dtype_size(d) * 8 < least ? least : dtype_size(d) * 8;
    return bits == 64 ? DT_u64 : bits == 32 ? DT_u32 : bits == 16 ? DT_u16 : DT_u8;
}

static IrExpr *
op2(Lower *l, IrOp op, IrExpr *a, IrExpr *b)
{
    return ir_op(l->cx, op, a, b);
}

/* Bits are compared, as devices do: a NaN is the same as itself, 0.0 and -0.0 are not. */
static Val
match(Lower *l, const Call *c, const Type *t)
{
    IrWarp op = (IrWarp)op_of(c);
    IrExpr *mask = int_arg(l, c, 0);
    Val v = arg(l, c, 1);
    DType d = val_dtype(&v);
    IrExpr *e = val_expr(&l->b, &v, d);
    if (dtype_is_float(d))
        e = op2(l, OP_bits, e, int_of(l, unsigned_of(d, 16), 0));
    IrVar *out = ir_var(l->b.f, "same", DT_u32);
    IrStmt *s = ir_warp(&l->b, op, out, e, 1, &mask);
    if (op == WARP_MATCH_ANY)
        return val_scalar(&l->b, t, ir_cast(l->cx, t->storage, ir_use(l->cx, out)));
    IrVar *all = ir_var(l->b.f, "all", DT_bool);
    s->n_outs = 1;
    s->outs = NEW_N(&l->cx->arena, IrArg, 1);
    s->outs[0].out = all;
    Val *elem = NEW_N(&l->cx->arena, Val, 2);
    elem[0] =
        val_scalar(&l->b, t->elems[0], ir_cast(l->cx, t->elems[0]->storage, ir_use(l->cx, out)));
    elem[1] = val_scalar(&l->b, t->elems[1], ir_use(l->cx, all));
    return val_tuple(&l->b, t, 2, elem);
}

/* ---- atomics ------------------------------------------------------------------------------- */

static IrExpr *
operand(Lower *l, const Call *c, int k, DType d)
{
    Val v = arg(l, c, k);
    if (v.type && v.type->weak && v.type->storage != DT_bool)
        v = np_weak_fits(&l->b, v, d);
    return val_expr(&l->b, &v, d);
}

static Val
atomic(Lower *l, const Node *n, const Call *c, const Type *t)
{
    bool at_first = c->fn->id == BI_gpu_atomic_compare_and_swap, cas = op_of(c) == ATOM_CAS;
    Val a = arg(l, c, 0);
    if (a.kind == VK_LAZY)
        a = np_materialize(&l->b, a, LAY_C);
    Val i = at_first
                ? val_scalar(&l->b, type_scalar(l->cx->types, DT_i64, true), int_of(l, DT_i64, 0))
                : arg(l, c, 1);
    IrExpr *idx[SW_MAX_NDIM], *old = NULL;
    for (int k = 0; k < a.type->ndim; k++)
        idx[k] = val_freeze(&l->b, np_index(&l->b, a.arr, k, i.kind == VK_TUPLE ? &i.elem[k] : &i));
    int at = at_first ? 1 : 2;
    if (cas)
        old = operand(l, c, at++, t->storage);
    IrExpr *e = operand(l, c, at, t->storage);
    IrVar *was = l->unused == n ? NULL : ir_var(l->b.f, "old", t->storage);
    ir_atomic(&l->b, (IrAtomic)op_of(c), was, a.arr, a.type->ndim, idx, e, old);
    return was ? val_scalar(&l->b, t, ir_use(l->cx, was)) : val_none(&l->b);
}

/* ---- arithmetic ---------------------------------------------------------------------------- */

/* Ones from the highest bit that is set down: their number is what no leading zero is. */
static IrExpr *
leading_zeros(Lower *l, IrExpr *x, DType d)
{
    int bits = dtype_size(d) * 8;
    for (int k = 1; k < bits; k *= 2)
        x = val_freeze(&l->b,
                       op2(l, OP_or, again(l, x), op2(l, OP_shr, again(l, x), int_of(l, d, k))));
    return op2(l, OP_sub, int_of(l, d, bits), ir_op(l->cx, OP_popcount, x));
}

/* x ^ (x - 1): ones up to and with the lowest bit that is set. */
static IrExpr *
first_set(Lower *l, IrExpr *x, DType d)
{
    IrExpr *low = op2(l, OP_xor, again(l, x), op2(l, OP_sub, again(l, x), int_of(l, d, 1)));
    return ir_op(l->cx, OP_select, op2(l, OP_eq, again(l, x), int_of(l, d, 0)), int_of(l, d, 0),
                 ir_op(l->cx, OP_popcount, low));
}

/* Swaps neighbours, pairs, fours, and so on. */
static IrExpr *
reversed(Lower *l, IrExpr *x, DType d)
{
    int bits = dtype_size(d) * 8;
    for (int k = 1; k < bits; k *= 2) {
        uint64_t m = ~(uint64_t)0 / (((uint64_t)1 << k) + 1);
        IrExpr *mask = int_of(l, d, ir_wrap_int(d, (int64_t)m)), *by = int_of(l, d, k);
        IrExpr *up = op2(l, OP_shl, op2(l, OP_and, again(l, x), mask), by);
        IrExpr *down = op2(l, OP_and, op2(l, OP_shr, again(l, x), again(l, by)), again(l, mask));
        x = val_freeze(&l->b, op2(l, OP_or, up, down));
    }
    return x;
}

static Val
bits(Lower *l, const Call *c, const Type *t)
{
    Val v = arg(l, c, 0);
    int id = c->fn->id;
    DType d = unsigned_of(val_dtype(&v), id == BI_gpu_brev ? 8 : 32);
    IrExpr *x = val_freeze(&l->b, ir_cast(l->cx, d, val_expr(&l->b, &v, val_dtype(&v))));
    x = id == BI_gpu_popc  ? ir_op(l->cx, OP_popcount, x)
        : id == BI_gpu_clz ? leading_zeros(l, x, d)
        : id == BI_gpu_ffs ? first_set(l, x, d)
                           : reversed(l, x, d);
    return val_scalar(&l->b, t, ir_cast(l->cx, t->storage, x));
}

static Val
math(Lower *l, const Call *c, const Type *t)
{
    Cx *cx = l->cx;
    IrExpr *e[3];
    int id = c->fn->id;
    if (id == BI_gpu_lanemask_lt)
        return val_scalar(&l->b, t,
                          op2(l, OP_sub, op2(l, OP_shl, int_of(l, DT_i64, 1), ir_geo(cx, GEO_LANE)),
                              int_of(l, DT_i64, 1)));
    if (id == BI_gpu_popc || id == BI_gpu_clz || id == BI_gpu_ffs || id == BI_gpu_brev)
        return bits(l, c, t);
    for (int i = 0; i < c->n_args && i < 3; i++) {
        Val v = arg(l, c, i);
        e[i] = id == BI_gpu_selp && i == 0 ? val_truth(&l->b, &v) : val_expr(&l->b, &v, t->storage);
    }
    IrExpr *one = ir_cast(cx, t->storage, ir_float(cx, DT_f64, 1));
    IrExpr *r = id == BI_gpu_selp   ? ir_op(cx, OP_select, e[0], e[1], e[2])
                : id == BI_gpu_fma  ? ir_op(cx, OP_fma, e[0], e[1], e[2])
                : id == BI_gpu_cbrt ? ir_op(cx, OP_cbrt, e[0])
                                    : op2(l, OP_div, one, ir_op(cx, OP_sqrt, e[0]));
    return val_scalar(&l->b, t, r);
}

Val
grid_call(Lower *l, const Node *n, const Call *c)
{
    const Type *t = type_before(sema_info(l->in, n));
    switch ((GridGroup)c->fn->rule) {
    case GG_INDEX:
        return place(l, c, t);
    case GG_ARRAY:
        return array(l, c, t);
    case GG_CONST:
        return c->n_args ? expr(l, c->arg[0]) : val_none(&l->b);
    case GG_BARRIER:
        return barrier(l, c, t);
    case GG_SHUFFLE:
        return shuffle(l, c, t);
    case GG_VOTE:
        return vote(l, c, t);
    case GG_MATCH:
        return match(l, c, t);
    case GG_FENCE:
        ir_fence(&l->b, (IrFence)op_of(c));
        return val_none(&l->b);
    case GG_ATOMIC:
        return atomic(l, n, c, t);
    case GG_MATH:
        return math(l, c, t);
    case GG_VALUE:
        break;
    }
    return val_none(&l->b);
}
