/* SPDX-License-Identifier: BSD-3-Clause
 * cumsum and cumprod: one running value along an axis. Along an axis other than the last,
 * the result's previous row is the running value, so that the inner loop still runs along
 * rows. */
#include "numpy/internal.h"

typedef struct Scan {
    Val a, out;
    IrOp op;
    DType d;
    int axis;
} Scan;

static IrExpr *
element(IrBuilder *b, const Scan *s, IrExpr **idx)
{
    return ir_cast(b->cx, s->d, np_elem(b, &s->a, idx));
}

static void
store(IrBuilder *b, const Scan *s, IrExpr **idx, IrExpr *e)
{
    IrExpr *at[SW_MAX_NDIM];
    int nd = val_ndim(&s->out);
    for (int i = 0; i < nd; i++)
        at[i] = np_cp(b, idx[i]);
    ir_store(b, s->out.arr, nd, at, e);
}

/* The first element begins: 0.0 would change -0.0, and 1.0 what is infinite and complex. */
static IrExpr *
next_value(IrBuilder *b, const Scan *s, IrVar *run, IrExpr **idx)
{
    IrExpr *e = np_op2(b, s->op, ir_use(b->cx, run), element(b, s, idx));
    if (s->op != OP_mul || !dtype_is_complex(s->d))
        return e;
    IrExpr *first = np_op2(b, OP_eq, np_cp(b, idx[s->axis]), np_int(b, 0));
    return np_op3(b, OP_select, first, element(b, s, idx), e);
}

/* Each lane for itself, as is best along the last axis: a scalar runs. */
static void
scan_inner(IrBuilder *b, Scan *s)
{
    int nd = val_ndim(&s->out);
    IrExpr *idx[SW_MAX_NDIM];
    IrBlock *outer = b->at, *save;
    for (int i = 0; i < nd; i++)
        if (i != s->axis)
            np_loop(b, LOOP_PAR, val_dim(b, &s->out, i), &idx[i], &save)->label = np_label(b, i);
    IrVar *run = ir_temp(b, ir_reduce_identity(b->cx, s->op, s->d));
    np_loop(b, LOOP_SEQ, val_dim(b, &s->out, s->axis), &idx[s->axis], &save);
    ir_set(b, run, next_value(b, s, run, idx));
    store(b, s, idx, ir_use(b->cx, run));
    b->at = outer;
}

/* Along another axis k: out[.., k, ..] = out[.., k-1, ..] op a[.., k, ..]. */
static void
scan_rows(IrBuilder *b, Scan *s)
{
    int nd = val_ndim(&s->out);
    IrExpr *idx[SW_MAX_NDIM], *prev[SW_MAX_NDIM];
    IrBlock *outer = b->at, *save;
    for (int i = 0; i < nd; i++)
        np_loop(b, i == s->axis ? LOOP_SEQ : LOOP_PAR, val_dim(b, &s->out, i), &idx[i], &save);
    for (int i = 0; i < nd; i++)
        prev[i] = np_cp(b, idx[i]);
    IrExpr *first = np_op2(b, OP_eq, np_cp(b, idx[s->axis]), np_int(b, 0));
    IrStmt *branch = ir_if(b, first);
    save = b->at;
    b->at = &branch->body;
    store(b, s, idx, element(b, s, idx));
    b->at = &branch->els;
    prev[s->axis] = np_op2(b, OP_sub, prev[s->axis], np_int(b, 1));
    IrExpr *before = ir_load(b->cx, s->out.arr, nd, prev);
    store(b, s, idx, np_op2(b, s->op, before, element(b, s, idx)));
    b->at = outer;
}

/* out= is as long as what is scanned, which is repeated where its size is 1. */
static void
check_out(IrBuilder *b, const NpCall *c, const Val *a)
{
    Val *out = np_out(c);
    if (!out || val_ndim(out) != val_ndim(a))
        return;
    Shapes s = {
        .text =
            "operands could not be broadcast together with remapped shapes [original->remapped]: "};
    IrExpr *same = NULL;
    const Val *both[2] = {out, a};
    for (int i = 0; i < 2; i++, shapes_add(&s, " ")) {
        shapes_add_val(b, &s, both[i]);
        shapes_add(&s, "->");
        shapes_add_val(b, &s, both[i]);
    }
    for (int i = 0; i < val_ndim(a); i++) {
        IrExpr *fits = np_op2(b, OP_eq, val_dim(b, out, i), val_dim(b, a, i));
        fits = np_op2(b, OP_or, fits, np_op2(b, OP_eq, val_dim(b, a, i), np_int(b, 1)));
        same = np_iand(b, same, fits);
    }
    shapes_check(b, same, &s);
}

/* Into out=; along the axis one element is not repeated: it goes to the first place. */
static Val
finish(IrBuilder *b, const NpCall *c, const Scan *s)
{
    Val *out = np_out(c);
    if (!out || val_ndim(out) != val_ndim(&s->out))
        return np_finish(b, c, s->out);
    IrExpr *d[SW_MAX_NDIM], *stride[SW_MAX_NDIM];
    int n = val_ndim(out);
    for (int i = 0; i < n; i++) {
        d[i] = val_dim(b, out, i);
        stride[i] = ir_stride(b->cx, out->arr, i);
        if (i == s->axis)
            d[i] = np_op2(b, OP_min, d[i], val_dim(b, &s->out, i));
    }
    Val to = np_view_simple(b, out, np_int(b, 0), n, d, stride,
                            np_array_type(b, (DType)out->arr->dtype, n, LAY_A));
    np_assign_out(b, &to, s->out);
    return *out;
}

Val
emit_np_scan(IrBuilder *b, NpCall *c)
{
    Scan s = {.a = np_as_array(b, c->arg[0]), .d = c->out[0]};
    s.op = (IrOp)c->fn->op;
    if (s.a.kind == VK_LAZY || val_ndim(&s.a) == 0)
        s.a = np_materialize(b, s.a, LAY_C);
    int nd = val_ndim(&s.a);
    if (!np_arg(c, "axis")) { /* flattened; a scalar gives one element */
        IrExpr *size = val_freeze(b, np_size(b, &s.a));
        const Type *flat = np_array_type(b, val_dtype(&s.a), 1, LAY_C);
        if (nd != 1)
            s.a = np_reshape(b, s.a, 1, &size, flat);
        nd = 1;
    } else if (nd == 0) {
        IrExpr *one = np_int(b, 1);
        s.a = np_reshape(b, s.a, 1, &one, np_array_type(b, val_dtype(&s.a), 1, LAY_C));
        nd = 1;
    } else {
        s.axis = np_arg_axis(b, c, "axis", nd, 0);
    }
    bool casts = np_out(c) && (val_dtype(&s.a) != s.d || val_dtype(np_out(c)) != s.d);
    if (nd == 1 && !casts)
        np_check_out(b, c, &s.a, true, "provided out is the wrong size for the accumulation.");
    IrExpr *dims[SW_MAX_NDIM];
    for (int i = 0; i < nd; i++)
        dims[i] = val_dim(b, &s.a, i);
    if (nd > 1 || casts)
        check_out(b, c, &s.a);
    s.out = np_new_array(b, s.d, nd, dims, (Layout)c->result->layout, false);
    if (s.axis == nd - 1 || np_scheduled(b)) /* rows would be in the loop that is in order */
        scan_inner(b, &s);
    else
        scan_rows(b, &s);
    return nd > 1 || casts ? finish(b, c, &s) : np_finish(b, c, s.out);
}
