/* SPDX-License-Identifier: BSD-3-Clause
 * Masks: where they are true, what lies there, and storing there. How many elements are true is
 * known only when all have been looked at, so that a mask is counted first, and its elements are
 * then put one behind the other without a branch: what is false is overwritten by what comes
 * next, which is why the memory has room for one more. */
#include "numpy/internal.h"

enum { COUNT_BLOCK = 2048 };

int
np_index_axes(const NpIndex *ix)
{
    if (ix->kind == NI_ARRAY)
        return val_dtype(&ix->v) == DT_bool ? val_ndim(&ix->v) : 1;
    return ix->kind == NI_INT || ix->kind == NI_SLICE;
}

const Val *
np_only_mask(int n, const NpIndex *ix)
{
    if (n == 0 || ix[0].kind != NI_ARRAY || val_dtype(&ix[0].v) != DT_bool)
        return NULL;
    for (int i = 1; i < n; i++)
        if (ix[i].kind != NI_ELLIPSIS &&
            (ix[i].kind != NI_SLICE || ix[i].start.kind == VK_SCALAR ||
             ix[i].stop.kind == VK_SCALAR || ix[i].step.kind == VK_SCALAR))
            return NULL;
    return &ix[0].v;
}

void
np_check_mask(IrBuilder *b, IrVar *a, int axis, const Val *mask)
{
    for (int j = 0; j < val_ndim(mask) && axis + j < a->ndim; j++) {
        IrExpr *size[2] = {ir_dim(b->cx, a, axis + j), val_dim(b, mask, j)};
        np_checkf(b, np_op2(b, OP_eq, np_cp(b, size[0]), np_cp(b, size[1])), "IndexError",
                  arena_printf(&b->cx->arena,
                               "boolean index did not match indexed array along axis %d; size of "
                               "axis is %%0 but size of corresponding boolean axis is %%1",
                               axis + j),
                  2, size);
    }
}

/* A mask that has been held against `a`: the same with all of a's axes, which are a's own. */
static Val
fitted(IrBuilder *b, IrVar *a, const Val *mask)
{
    int nd = val_ndim(mask);
    bool same = nd == a->ndim;
    for (int j = 0; j < nd; j++)
        same &= ir_expr_equal(val_dim(b, mask, j), ir_dim(b->cx, a, j));
    if (same)
        return *mask;
    Val v = np_materialize(b, *mask, LAY_C);
    IrExpr *dims[SW_MAX_NDIM], *strides[SW_MAX_NDIM];
    for (int j = 0; j < a->ndim; j++) {
        dims[j] = j < nd ? ir_dim(b->cx, a, j) : np_int(b, 1);
        strides[j] = j < nd ? ir_stride(b->cx, v.arr, j) : np_int(b, 0);
    }
    Layout l = nd == a->ndim ? (Layout)v.arr->layout : LAY_A;
    return np_view_simple(b, &v, np_int(b, 0), a->ndim, dims, strides,
                          np_array_type(b, DT_bool, a->ndim, l));
}

Val
np_under_mask(IrBuilder *b, Val arr, const Val *like, const Val *mask)
{
    IrExpr *dims[SW_MAX_NDIM], *strides[SW_MAX_NDIM];
    int nd = val_ndim(&arr);
    bool same = true;
    np_check_mask(b, arr.arr, 0, mask);
    for (int j = 0; j < nd; j++) {
        dims[j] = val_dim(b, like, j);
        strides[j] = ir_stride(b->cx, arr.arr, j);
        same &= ir_expr_equal(dims[j], val_dim(b, &arr, j));
    }
    return same ? arr : np_view_simple(b, &arr, np_int(b, 0), nd, dims, strides, arr.type);
}

void
np_store_where(IrBuilder *b, const Val *arr, const Val *mask, Val value)
{
    DType d = arr->arr->dtype, in[3] = {DT_bool, d, d};
    np_check_mask(b, arr->arr, 0, mask);
    if (val_ndim(&value) == 0) {
        IrExpr *e = val_freeze(b, val_expr(b, &value, d));
        value = val_scalar(b, type_scalar(b->cx->types, d, false), e);
    }
    Val arg[3] = {fitted(b, arr->arr, mask), value, *arr};
    np_assign(b, arr, np_lazy(b, OP_select, 3, arg, in, d, NULL));
}

/* ---- counting and finding -------------------------------------------------------------------- */

static IrExpr *
truth(IrBuilder *b, const Val *v, IrExpr **idx)
{
    DType d = val_dtype(v);
    return np_op_expr(b, XOP_id, 1, &d, (IrExpr *[]){np_elem(b, v, idx)}, DT_bool);
}

/* A block's count fits in 16 bits, of which a vector has four times as many as of 64. */
static IrVar *
count_true(IrBuilder *b, Val mask)
{
    IrVar *n = ir_temp(b, np_int(b, 0)), *part = ir_var(b->f, "part", DT_u16);
    IrVar *at = ir_var(b->f, "blk", DT_i64), *i = ir_var(b->f, "i", DT_i64);
    IrExpr *idx[SW_MAX_NDIM], *one, *to;
    IrBlock *outer = b->at, *block, *save;
    Val flat;
    if (np_flat(b, mask, LAY_C, &flat) || np_flat(b, mask, LAY_F, &flat))
        mask = flat;
    int last = val_ndim(&mask) - 1;
    for (int j = 0; j < last; j++)
        np_loop(b, LOOP_SEQ, val_dim(b, &mask, j), &idx[j], &save);
    IrExpr *size = val_freeze(b, val_dim(b, &mask, last));
    b->at = &ir_loop(b, LOOP_SEQ, at, np_int(b, 0), size, COUNT_BLOCK)->body;
    block = b->at;
    ir_set(b, part, np_num(b, DT_u16, 0));
    to = np_op2(b, OP_add, ir_use(b->cx, at), np_int(b, COUNT_BLOCK));
    to = val_freeze(b, np_op2(b, OP_min, to, np_cp(b, size)));
    b->at = &ir_loop(b, LOOP_SEQ, i, ir_use(b->cx, at), to, 1)->body;
    idx[last] = ir_use(b->cx, i);
    one = ir_cast(b->cx, DT_u16, truth(b, &mask, idx));
    ir_set(b, part, np_op2(b, OP_add, ir_use(b->cx, part), one));
    b->at = block;
    one = ir_cast(b->cx, DT_i64, ir_use(b->cx, part));
    ir_set(b, n, np_op2(b, OP_add, ir_use(b->cx, n), one));
    b->at = outer;
    return n;
}

/* Memory for n + 1 rows, and the array of the first n. */
static Val
room(IrBuilder *b, DType d, IrVar *n, int nd, IrExpr **rest, Val *memory)
{
    IrExpr *dims[SW_MAX_NDIM], *strides[SW_MAX_NDIM];
    dims[0] = np_op2(b, OP_add, ir_use(b->cx, n), np_int(b, 1));
    for (int j = 1; j < nd; j++)
        dims[j] = rest[j - 1];
    *memory = np_new_array(b, d, nd, dims, LAY_C, false);
    dims[0] = ir_use(b->cx, n);
    for (int j = 0; j < nd; j++)
        strides[j] = ir_stride(b->cx, memory->arr, j);
    return np_view_simple(b, memory, np_int(b, 0), nd, dims, strides,
                          np_array_type(b, d, nd, LAY_C));
}

void
np_nonzero(IrBuilder *b, Val mask, Val *out)
{
    Val memory[SW_MAX_NDIM];
    mask = np_materialize(b, mask, LAY_C);
    int nd = val_ndim(&mask);
    IrVar *n = count_true(b, mask), *at;
    for (int j = 0; j < nd; j++)
        out[j] = room(b, DT_i64, n, 1, NULL, &memory[j]);
    if (nd == 1 && val_dtype(&mask) == DT_bool && np_kernel_may(b)) {
        np_kernel_call(b, kernel_row(BI_kernel_places), 2, (IrVar *[]){mask.arr, out[0].arr});
        return;
    }
    IrExpr *idx[SW_MAX_NDIM], *to;
    IrBlock *outer = b->at, *save;
    at = ir_temp(b, np_int(b, 0));
    for (int j = 0; j < nd; j++)
        np_loop(b, LOOP_SEQ, val_dim(b, &mask, j), &idx[j], &save);
    for (int j = 0; j < nd; j++) {
        to = ir_use(b->cx, at);
        ir_store(b, memory[j].arr, 1, &to, np_cp(b, idx[j]));
    }
    IrExpr *one = ir_cast(b->cx, DT_i64, truth(b, &mask, idx));
    ir_set(b, at, np_op2(b, OP_add, ir_use(b->cx, at), one));
    b->at = outer;
}

/* The elements, or rows, where the mask is true. */
Val
np_compress(IrBuilder *b, const Val *arr, const Val *given)
{
    IrVar *a = arr->arr;
    int nm = val_ndim(given), nd = a->ndim - nm;
    np_check_mask(b, a, 0, given);
    Val mask = np_materialize(b, *given, LAY_C), from = *arr, memory;
    IrVar *n = count_true(b, mask);
    if (nm > 1 && nd == 0 && a->layout == LAY_C && mask.arr->layout == LAY_C) {
        from = np_flat_array(b, from);
        mask = np_flat_array(b, mask);
        nm = 1;
    }
    IrExpr *rest[SW_MAX_NDIM], *idx[SW_MAX_NDIM], *to[SW_MAX_NDIM];
    for (int j = 0; j < nd; j++)
        rest[j] = val_dim(b, &from, nm + j);
    Val out = room(b, a->dtype, n, 1 + nd, rest, &memory);
    if (nm == 1 && nd == 0 && np_kernel_may(b)) {
        IrVar *const arrays[] = {from.arr, mask.arr, out.arr};
        np_kernel_call(b, kernel_row(BI_kernel_pick), 3, arrays);
        return out;
    }
    IrVar *at = ir_temp(b, np_int(b, 0));
    IrBlock *outer = b->at, *save;
    for (int j = 0; j < nm; j++)
        np_loop(b, LOOP_SEQ, val_dim(b, &mask, j), &idx[j], &save);
    IrExpr *yes = val_freeze(b, truth(b, &mask, idx));
    IrBlock *inner = b->at;
    if (nd) /* rows are long */
        b->at = &ir_if(b, np_cp(b, yes))->body;
    for (int j = 0; j < nd; j++)
        np_loop(b, LOOP_SEQ, np_cp(b, rest[j]), &idx[nm + j], &save);
    to[0] = ir_use(b->cx, at);
    for (int j = 0; j < nd; j++)
        to[1 + j] = np_cp(b, idx[nm + j]);
    ir_store(b, memory.arr, 1 + nd, to, np_elem(b, &from, idx));
    b->at = inner;
    ir_set(b, at, np_op2(b, OP_add, ir_use(b->cx, at), ir_cast(b->cx, DT_i64, yes)));
    b->at = outer;
    return out;
}

Val
emit_np_nonzero(IrBuilder *b, NpCall *c)
{
    Val place[SW_MAX_NDIM], a = np_as_array(b, c->arg[0]);
    np_nonzero(b, a, place);
    return val_tuple(b, c->result, c->result->n, place);
}
