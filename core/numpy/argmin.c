/* SPDX-License-Identifier: BSD-3-Clause
 * argmin and argmax: the place of the first extreme element; the first NaN wins. Takes an
 * array or lazy, yields an index, or one for each lane along an axis.
 *
 * Keeping value and index together in one loop does not vectorise. So a block's minimum
 * is found first, as in np.min; the block of the best one is remembered, and searched
 * once more at the end for where that value is. Both loops are plain reductions. */
#include "numpy/internal.h"

enum { BLOCK = 1024, LANE_BLOCK = 256 };

typedef struct ArgRed {
    bool least, keep;
    int axis; /* -1: over everything, counted in C order */
    IrVar *best, *where;
    Val out, record; /* by axis: the result; by rows: the best of each lane so far */
} ArgRed;

static bool
has_nan(DType d)
{
    return dtype_is_float(d) || dtype_is_complex(d);
}

/* Is x better than the best so far? NaN beats all but a NaN. */
static IrExpr *
better(IrBuilder *b, const ArgRed *r, IrExpr *x, IrExpr *best)
{
    IrExpr *wins = np_op2(b, r->least ? OP_lt : OP_gt, np_cp(b, x), np_cp(b, best));
    if (!has_nan((DType)x->dtype))
        return wins;
    IrExpr *held = np_op1(b, OP_isnan, np_cp(b, best));
    IrExpr *nan = np_op2(b, OP_and, np_op1(b, OP_isnan, x), np_op1(b, OP_inv, held));
    return np_op2(b, OP_or, wins, nan);
}

/* The extreme of two values, as np.minimum has it. */
static IrExpr *
extreme(IrBuilder *b, const ArgRed *r, IrExpr *x, IrExpr *y)
{
    DType d = (DType)x->dtype, in[2] = {d, d};
    IrExpr *arg[2] = {x, y};
    IrExpr *e = np_op_expr(b, r->least ? OP_min : OP_max, 2, in, arg, d);
    if (e->kind == IX_OP && (e->op == OP_min || e->op == OP_max))
        e->flags |= IXF_REASSOC;
    return e;
}

/* acc = the extreme of v[.. lo to hi ..] along axis ax */
static void
reduce_loop(IrBuilder *b, const ArgRed *r, IrVar *acc, const Val *v, IrExpr **idx, int ax,
            IrExpr *lo, IrExpr *hi)
{
    IrBlock *save = b->at;
    idx[ax] = np_cp(b, lo);
    ir_set(b, acc, np_elem(b, v, idx));
    IrVar *i = ir_var(b->f, "i", DT_i64);
    IrStmt *s = ir_loop(b, LOOP_REDUCE, i, np_cp(b, lo), np_cp(b, hi), 1);
    s->elementwise = true;
    s->label = np_label(b, ax);
    b->at = &s->body;
    idx[ax] = ir_use(b->cx, i);
    ir_set(b, acc, extreme(b, r, ir_use(b->cx, acc), np_elem(b, v, idx)));
    b->at = save;
}

static void
set_least(IrBuilder *b, IrVar *v, IrExpr *e)
{
    ir_set(b, v, np_op2(b, OP_min, ir_use(b->cx, v), e));
}

/* where = the first place in lo .. hi along ax that holds `value` (a NaN for a NaN) */
static void
search_loop(IrBuilder *b, IrVar *where, IrVar *value, const Val *v, IrExpr **idx, int ax,
            IrExpr *lo, IrExpr *hi)
{
    IrBlock *save = b->at;
    ir_set(b, where, np_cp(b, hi));
    IrVar *i = ir_var(b->f, "i", DT_i64);
    IrStmt *s = ir_loop(b, LOOP_REDUCE, i, np_cp(b, lo), np_cp(b, hi), 1);
    s->elementwise = true;
    s->label = np_label(b, ax);
    b->at = &s->body;
    idx[ax] = ir_use(b->cx, i);
    IrExpr *x = val_freeze(b, np_elem(b, v, idx));
    IrExpr *hit = np_op2(b, OP_eq, np_cp(b, x), ir_use(b->cx, value));
    if (has_nan((DType)x->dtype))
        hit = np_op2(b, OP_or, hit, np_op1(b, OP_isnan, np_cp(b, x)));
    IrExpr *at = np_op3(b, OP_select, hit, ir_use(b->cx, i), np_cp(b, hi));
    set_least(b, where, at);
    b->at = save;
}

/* ---- over everything -----------------------------------------------------------------
 */

/* Each block of axis `ax` against the best so far; yields what is done where one wins, in which
 * *from is set to where it begins. */
static IrStmt *
scan_row(IrBuilder *b, const ArgRed *r, const Val *v, IrExpr **idx, int ax, int size, IrVar *first,
         IrVar *from)
{
    IrBlock *save = b->at;
    IrVar *blk = ir_var(b->f, "blk", DT_i64), *acc = ir_var(b->f, "acc", val_dtype(v));
    IrStmt *s = ir_loop(b, LOOP_REDUCE, blk, np_int(b, 0), val_dim(b, v, ax), size);
    b->at = &s->body;
    IrExpr *hi = np_op2(b, OP_add, ir_use(b->cx, blk), np_int(b, size));
    hi = val_freeze(b, np_op2(b, OP_min, hi, val_dim(b, v, ax)));
    reduce_loop(b, r, acc, v, idx, ax, ir_use(b->cx, blk), hi);
    IrExpr *win = better(b, r, ir_use(b->cx, acc), ir_use(b->cx, r->best));
    IrStmt *iff = ir_if(b, np_op2(b, OP_or, ir_use(b->cx, first), win));
    b->at = &iff->body;
    ir_set(b, first, ir_int(b->cx, DT_bool, 0));
    ir_set(b, r->best, ir_use(b->cx, acc));
    ir_set(b, from, ir_use(b->cx, blk));
    b->at = save;
    return iff;
}

/* Where the best of the block of axis `ax` that begins at `from` is. */
static void
search_block(IrBuilder *b, const ArgRed *r, const Val *v, IrExpr **idx, int ax, int size,
             IrVar *from)
{
    IrExpr *lo = ir_use(b->cx, from);
    IrExpr *hi = np_op2(b, OP_add, np_cp(b, lo), np_int(b, size));
    hi = val_freeze(b, np_op2(b, OP_min, hi, val_dim(b, v, ax)));
    search_loop(b, r->where, r->best, v, idx, ax, lo, hi);
}

/* Each block of the last axis against the best so far: *from gets where the winner is. */
static void
scan_blocks(IrBuilder *b, const ArgRed *r, const Val *v, IrVar **from)
{
    int nd = val_ndim(v), last = nd - 1;
    IrExpr *idx[SW_MAX_NDIM];
    IrBlock *save = b->at, *up;
    IrVar *first = ir_var(b->f, "first", DT_bool);
    ir_set(b, first, ir_int(b->cx, DT_bool, 1));
    for (int d = 0; d < nd; d++) {
        from[d] = ir_var(b->f, "from", DT_i64);
        ir_set(b, from[d], np_int(b, 0));
    }
    for (int d = 0; d < last; d++)
        np_loop(b, LOOP_REDUCE, val_dim(b, v, d), &idx[d], &up);
    IrStmt *iff = scan_row(b, r, v, idx, last, BLOCK, first, from[last]);
    b->at = &iff->body;
    for (int d = 0; d < last; d++)
        ir_set(b, from[d], np_cp(b, idx[d]));
    b->at = save;
}

/* With a schedule for its axes: two nests of reductions, for the value and for its first
 * place. */
static void
emit_scheduled(IrBuilder *b, Val v, ArgRed *r)
{
    IrExpr *idx[SW_MAX_NDIM], *size = val_freeze(b, np_size(b, &v));
    int nd = val_ndim(&v);
    IrBlock *save = b->at, *up;
    for (int d = 0; d < nd; d++)
        idx[d] = np_int(b, 0);
    ir_set(b, r->best, np_elem(b, &v, idx));
    for (int d = 0; d < nd; d++)
        np_loop(b, LOOP_REDUCE, val_dim(b, &v, d), &idx[d], &up)->label = np_label(b, d);
    ir_set(b, r->best, extreme(b, r, ir_use(b->cx, r->best), np_elem(b, &v, idx)));
    b->at = save;
    ir_set(b, r->where, np_cp(b, size));
    IrExpr *at = np_int(b, 0);
    for (int d = 0; d < nd; d++) {
        np_loop(b, LOOP_REDUCE, val_dim(b, &v, d), &idx[d], &up)->label = np_label(b, d);
        at = np_op2(b, OP_add, np_op2(b, OP_mul, at, val_dim(b, &v, d)), np_cp(b, idx[d]));
    }
    IrExpr *x = val_freeze(b, np_elem(b, &v, idx));
    IrExpr *hit = np_op2(b, OP_eq, np_cp(b, x), ir_use(b->cx, r->best));
    if (has_nan((DType)x->dtype))
        hit = np_op2(b, OP_or, hit, np_op1(b, OP_isnan, np_cp(b, x)));
    set_least(b, r->where, np_op3(b, OP_select, hit, at, size));
    b->at = save;
}

static void
emit_whole(IrBuilder *b, Val v, void *arg)
{
    ArgRed *r = arg;
    Val flat;
    if (np_scheduled(b)) {
        emit_scheduled(b, v, r);
        return;
    }
    if (np_flat(b, v, LAY_C, &flat))
        v = flat;
    IrVar *from[SW_MAX_NDIM];
    IrExpr *idx[SW_MAX_NDIM], *at = np_int(b, 0);
    int nd = val_ndim(&v), last = nd - 1;
    ir_set(b, r->best, np_num(b, val_dtype(&v), 0));
    scan_blocks(b, r, &v, from);
    for (int d = 0; d < last; d++) {
        idx[d] = ir_use(b->cx, from[d]);
        at = np_op2(b, OP_add, np_op2(b, OP_mul, at, val_dim(b, &v, d)), np_cp(b, idx[d]));
    }
    search_block(b, r, &v, idx, last, BLOCK, from[last]);
    at = np_op2(b, OP_mul, at, val_dim(b, &v, last));
    ir_set(b, r->where, np_op2(b, OP_add, at, ir_use(b->cx, r->where)));
}

/* ---- by axis --------------------------------------------------------------------------------- */

static int
out_index(IrBuilder *b, const ArgRed *r, int nd, IrExpr **idx, IrExpr **at)
{
    int n = 0;
    for (int i = 0; i < nd; i++)
        if (i != r->axis || r->keep)
            at[n++] = i == r->axis ? np_int(b, 0) : np_cp(b, idx[i]);
    return n;
}

/* A long lane: only the block of the best one is searched. */
static void
scan_lane(IrBuilder *b, const ArgRed *r, const Val *v, IrExpr **idx)
{
    IrVar *first = ir_var(b->f, "first", DT_bool), *from = ir_var(b->f, "from", DT_i64);
    ir_set(b, first, ir_int(b->cx, DT_bool, 1));
    ir_set(b, from, np_int(b, 0));
    ir_set(b, r->best, np_num(b, val_dtype(v), 0));
    scan_row(b, r, v, idx, r->axis, LANE_BLOCK, first, from);
    search_block(b, r, v, idx, r->axis, LANE_BLOCK, from);
}

/* Each lane along the axis is reduced and searched; it is contiguous when that is the
 * last one. */
static void
emit_lanes(IrBuilder *b, Val v, ArgRed *r)
{
    IrExpr *idx[SW_MAX_NDIM], *at[SW_MAX_NDIM];
    int nd = val_ndim(&v);
    IrBlock *save = b->at, *up;
    for (int i = 0; i < nd; i++)
        if (i != r->axis)
            np_loop(b, LOOP_PAR, val_dim(b, &v, i), &idx[i], &up)->label = np_label(b, i);
    IrExpr *n = val_dim(b, &v, r->axis);
    IrBlock *lane = b->at;
    if (!np_scheduled(b)) {
        IrStmt *iff = ir_if(b, np_op2(b, OP_gt, np_cp(b, n), np_int(b, 2 * LANE_BLOCK)));
        b->at = &iff->body;
        scan_lane(b, r, &v, idx);
        b->at = &iff->els;
    }
    reduce_loop(b, r, r->best, &v, idx, r->axis, np_int(b, 0), n);
    search_loop(b, r->where, r->best, &v, idx, r->axis, np_int(b, 0), n);
    b->at = lane;
    int k = out_index(b, r, nd, idx, at);
    ir_store(b, r->out.arr, k, at, ir_use(b->cx, r->where));
    b->at = save;
}

/* Another axis: a row of lanes at a time, the best of each in r->record. */
static void
emit_rows(IrBuilder *b, Val v, ArgRed *r)
{
    IrExpr *idx[SW_MAX_NDIM], *at[SW_MAX_NDIM], *old[SW_MAX_NDIM], *new_[SW_MAX_NDIM];
    int nd = val_ndim(&v);
    IrBlock *save = b->at, *up;
    for (int i = 0; i < nd; i++) {
        IrStmt *s = np_loop(b, i == r->axis ? LOOP_SEQ : LOOP_PAR, val_dim(b, &v, i), &idx[i], &up);
        s->novec_alias = i != r->axis;
    }
    IrExpr *x = val_freeze(b, np_elem(b, &v, idx)), *row = idx[r->axis];
    int k = out_index(b, r, nd, idx, old);
    IrExpr *best = val_freeze(b, ir_load(b->cx, r->record.arr, k, old));
    IrExpr *win = better(b, r, x, best);
    win = np_op2(b, OP_or, win, np_op2(b, OP_eq, np_cp(b, row), np_int(b, 0)));
    win = val_freeze(b, win);
    out_index(b, r, nd, idx, at);
    ir_store(b, r->record.arr, k, at,
             np_op3(b, OP_select, np_cp(b, win), np_cp(b, x), np_cp(b, best)));
    out_index(b, r, nd, idx, at);
    out_index(b, r, nd, idx, new_);
    ir_store(b, r->out.arr, k, at,
             np_op3(b, OP_select, win, np_cp(b, row), ir_load(b->cx, r->out.arr, k, new_)));
    b->at = save;
}

static void
emit_axis(IrBuilder *b, Val v, void *arg)
{
    ArgRed *r = arg;
    bool in_row = r->axis == (np_all_f(&v) ? 0 : val_ndim(&v) - 1);
    if (in_row || !r->record.arr || np_scheduled(b))
        emit_lanes(b, v, r);
    else
        emit_rows(b, v, r);
}

/* ---- the call -------------------------------------------------------------------------------- */

static void
need_some(IrBuilder *b, const NpCall *c, IrExpr *n)
{
    bool least = c->fn->op == OP_lt;
    np_check(b, np_op2(b, OP_ne, n, np_int(b, 0)), "ValueError",
             least ? "attempt to get argmin of an empty sequence"
                   : "attempt to get argmax of an empty sequence");
}

static Val
arg_axis(IrBuilder *b, NpCall *c, Val a, ArgRed *r)
{
    int nd = val_ndim(&a), n = 0;
    IrExpr *dims[SW_MAX_NDIM];
    need_some(b, c, val_dim(b, &a, r->axis));
    for (int i = 0; i < nd; i++)
        if (i != r->axis || r->keep)
            dims[n++] = i == r->axis ? np_int(b, 1) : val_dim(b, &a, i);
    bool rows = r->axis != nd - 1 && !np_scheduled(b);
    r->out = np_new_array(b, DT_i64, n, dims, (Layout)c->result->layout, rows);
    if (rows)
        r->record = np_new_array(b, val_dtype(&a), n, dims, LAY_C, true);
    np_versions(b, a, emit_axis, r);
    return r->out;
}

static Val
first_place(IrBuilder *b, NpCall *c, Val a)
{
    int nd = val_ndim(&a);
    ArgRed r = {.least = c->fn->op == OP_lt, .axis = -1};
    r.keep = np_arg_bool(c, "keepdims", false);
    const Type *t = type_scalar(b->cx->types, DT_i64, false);
    if (nd == 0)
        return val_scalar(b, t, np_int(b, 0));
    r.axis = np_arg_axis(b, c, "axis", nd, -1);
    r.best = ir_var(b->f, "best", val_dtype(&a));
    r.where = ir_var(b->f, "where", DT_i64);
    if (r.axis >= 0 && (nd > 1 || r.keep))
        return arg_axis(b, c, a, &r);
    need_some(b, c, np_size(b, &a));
    np_versions(b, a, emit_whole, &r);
    Val x = val_scalar(b, t, ir_use(b->cx, r.where));
    IrExpr *dims[SW_MAX_NDIM];
    for (int i = 0; i < nd; i++)
        dims[i] = np_int(b, 1);
    return r.keep ? np_fill_new(b, DT_i64, nd, dims, (Layout)c->result->layout, &x) : x;
}

/* np.argmin, np.argmax */
Val
emit_np_place(IrBuilder *b, NpCall *c)
{
    Val v = first_place(b, c, np_as_array(b, c->arg[0]));
    np_check_out(b, c, &v, true,
                 arena_printf(&b->cx->arena, "output array does not match result of %s%s.",
                              c->fn->prefix, c->fn->name));
    return np_finish(b, c, v);
}
