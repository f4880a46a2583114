/* SPDX-License-Identifier: BSD-3-Clause
 * argmin and argmax: the place of the first extreme element; the first NaN wins. Takes an
 * array or lazy, yields an index, or one for each lane along an axis. */
#include "numpy/internal.h"

typedef struct ArgRed {
    bool least;
    int axis; /* -1: over everything, counted in C order */
    IrVar *best, *where;
    bool keep;
    Val out; /* by axis */
} ArgRed;

/* Is x better than the best so far? NaN beats all but a NaN. */
static IrExpr *
better(IrBuilder *b, const ArgRed *r, IrExpr *x)
{
    DType d = x->dtype;
    IrExpr *best = ir_use(b->cx, r->best);
    IrExpr *wins = np_op2(b, r->least ? OP_lt : OP_gt, np_cp(b, x), best);
    if (!dtype_is_float(d) && !dtype_is_complex(d))
        return wins;
    IrExpr *held = np_op1(b, OP_isnan, ir_use(b->cx, r->best));
    IrExpr *nan =
        np_op2(b, OP_and, np_op1(b, OP_isnan, np_cp(b, x)), np_op1(b, OP_inv, held));
    return np_op2(b, OP_or, wins, nan);
}

static void
consider(IrBuilder *b, const ArgRed *r, IrExpr *x, IrExpr *at)
{
    x = val_freeze(b, x);
    IrExpr *win = val_freeze(b, better(b, r, x));
    ir_set(b, r->where, np_op3(b, OP_select, np_cp(b, win), at, ir_use(b->cx, r->where)));
    ir_set(b, r->best, np_op3(b, OP_select, np_cp(b, win), x, ir_use(b->cx, r->best)));
}

static void
emit_whole(IrBuilder *b, Val v, void *arg)
{
    ArgRed *r = arg;
    Val flat;
    if (np_flat(b, v, LAY_C, &flat))
        v = flat;
    IrExpr *idx[SW_MAX_NDIM], *at = np_int(b, 0);
    int nd = val_ndim(&v);
    for (int i = 0; i < nd; i++)
        idx[i] = np_int(b, 0);
    ir_set(b, r->best, np_elem(b, &v, idx));
    ir_set(b, r->where, np_int(b, 0));
    IrBlock *save = b->at, *up;
    for (int i = 0; i < nd; i++) {
        np_loop(b, LOOP_REDUCE, val_dim(b, &v, i), &idx[i], &up);
        at =
            np_op2(b, OP_add, np_op2(b, OP_mul, at, val_dim(b, &v, i)), np_cp(b, idx[i]));
    }
    consider(b, r, np_elem(b, &v, idx), at);
    b->at = save;
}

static void
emit_axis(IrBuilder *b, Val v, void *arg)
{
    ArgRed *r = arg;
    IrExpr *idx[SW_MAX_NDIM], *at[SW_MAX_NDIM];
    int nd = val_ndim(&v);
    IrBlock *save = b->at, *up;
    for (int i = 0; i < nd; i++)
        if (i != r->axis)
            np_loop(b, LOOP_PAR, val_dim(b, &v, i), &idx[i], &up);
    idx[r->axis] = np_int(b, 0);
    ir_set(b, r->best, np_elem(b, &v, idx));
    ir_set(b, r->where, np_int(b, 0));
    IrBlock *lane = b->at;
    np_loop(b, LOOP_REDUCE, val_dim(b, &v, r->axis), &idx[r->axis], &up);
    consider(b, r, np_elem(b, &v, idx), np_cp(b, idx[r->axis]));
    b->at = lane;
    int n = 0;
    for (int i = 0; i < nd; i++)
        if (i != r->axis || r->keep)
            at[n++] = i == r->axis ? np_int(b, 0) : np_cp(b, idx[i]);
    ir_store(b, r->out.arr, n, at, ir_use(b->cx, r->where));
    b->at = save;
}

static void
need_some(IrBuilder *b, const NpCall *c, IrExpr *n)
{
    bool least = c->fn->id == BI_np_argmin;
    np_check(b, np_op2(b, OP_ne, n, np_int(b, 0)), "ValueError",
             least ? "attempt to get argmin of an empty sequence"
                   : "attempt to get argmax of an empty sequence");
}

Val np_emit_arg(IrBuilder *b, NpCall *c, Val a);

Val
np_emit_arg(IrBuilder *b, NpCall *c, Val a)
{
    int nd = val_ndim(&a);
    ArgRed r = {.least = c->fn->id == BI_np_argmin, .axis = -1};
    bool keep = np_arg_bool(c, "keepdims", false);
    const Type *t = type_scalar(b->cx->types, DT_i64, false);
    if (nd == 0)
        return val_scalar(b, t, np_int(b, 0));
    r.axis = np_arg_axis(b, c, "axis", nd, -1);
    r.best = ir_var(b->f, "best", val_dtype(&a));
    r.where = ir_var(b->f, "where", DT_i64);
    IrExpr *dims[SW_MAX_NDIM];
    if (r.axis < 0 || (nd == 1 && !keep)) {
        need_some(b, c, np_size(b, &a));
        np_versions(b, a, emit_whole, &r);
        Val x = val_scalar(b, t, ir_use(b->cx, r.where));
        for (int i = 0; i < nd; i++)
            dims[i] = np_int(b, 1);
        return keep ? np_fill_new(b, DT_i64, nd, dims, LAY_C, &x) : x;
    }
    need_some(b, c, val_dim(b, &a, r.axis));
    int n = 0;
    for (int i = 0; i < nd; i++)
        if (i != r.axis || keep)
            dims[n++] = i == r.axis ? np_int(b, 1) : val_dim(b, &a, i);
    r.keep = keep;
    r.out = np_new_array(b, DT_i64, n, dims, (Layout)c->result->layout, false);
    np_versions(b, a, emit_axis, &r);
    return r.out;
}
