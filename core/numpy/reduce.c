/* SPDX-License-Identifier: BSD-3-Clause
 * Reductions: an array or lazy in, a scalar or an array with fewer axes out. The
 * innermost loop follows memory: when the last axis is reduced, a scalar accumulates
 * along it; when it is kept, whole rows are accumulated into the result. Sums of floats
 * go in blocks whose partial sums are added, which keeps the error near that of NumPy's
 * pairwise sums. */
#include "numpy/internal.h"

enum { BLOCK = 2048, LONG_ROW = 16384 };

typedef struct Red {
    int op;           /* OP_add, mul, min, max, and, or */
    DType acc;        /* dtype of the accumulator */
    DType elem;       /* elements are cast to this first (bool: truth) */
    IrExpr *init;     /* constant or frozen; NULL: identity of the op */
    const char *name; /* it has no identity: what the error for an empty array calls it; or NULL */
    uint32_t mask;    /* axes reduced */
    IrVar *var;       /* whole: the accumulator */
    bool keep;        /* reduced axes stay, with size 1 */
    Val out;          /* by axis: the result */
} Red;

/* ---- one step -------------------------------------------------------------------------------- */

/* A sum of nothing is 0.0, not -0.0. */
static IrExpr *
identity(IrBuilder *b, const Red *r)
{
    if (r->init)
        return ir_cast(b->cx, r->acc, np_cp(b, r->init));
    return r->op == OP_add ? np_num(b, r->acc, 0) : ir_reduce_identity(b->cx, r->op, r->acc);
}

static IrExpr *
step(IrBuilder *b, const Red *r, IrExpr *acc, IrExpr *x)
{
    DType in[2] = {r->acc, r->acc};
    IrExpr *arg[2] = {acc, ir_cast(b->cx, r->acc, ir_cast(b->cx, r->elem, x))};
    IrExpr *e = np_op_expr(b, r->op, 2, in, arg, r->acc);
    if (e->kind == IX_OP && e->op == r->op)
        e->flags |= IXF_REASSOC;
    return e;
}

static bool
is_inexact(DType d)
{
    return dtype_is_float(d) || dtype_is_complex(d);
}

/* Where a block of narrow integers, or of truths, adds up: a vector has more of them. */
static DType
narrow(const Red *r, DType d)
{
    bool truths = r->elem == DT_bool || d == DT_bool;
    if (r->op != OP_add || (r->acc != DT_i64 && r->acc != DT_u64) ||
        (!truths && r->elem != r->acc && r->elem != d))
        return r->acc;
    return truths                      ? DT_u16
           : d == DT_i8 || d == DT_i16 ? DT_i32
           : d == DT_u8 || d == DT_u16 ? DT_u32
                                       : r->acc;
}

/* for i in lo .. hi: acc = acc op v[.. i ..], in blocks when rounding matters, a narrower sum does
 * for a block, or one element may say all, after which no block is looked at. */
static void
inner_loop(IrBuilder *b, const Red *r, IrVar *acc, const Val *v, IrExpr **idx, int ax)
{
    bool device = b->cx->opt->offload > 0; /* its threads take few elements each */
    bool ends = (r->op == OP_or || r->op == OP_and) && r->acc == DT_bool && !device &&
                !b->cx->opt->parallel;
    DType of = device ? r->acc : narrow(r, val_dtype(v));
    bool sums = is_inexact(r->acc) && (r->op == OP_add || r->op == OP_mul) && !device;
    bool blocks = sums || ends || of != r->acc;
    IrExpr *n = val_dim(b, v, ax), *lo = np_int(b, 0), *hi = n;
    IrBlock *save = b->at;
    IrVar *part = acc;
    Val hoisted = ax == val_ndim(v) - 1 ? np_hoist(b, *v, idx) : *v;
    v = &hoisted;
    if (blocks) {
        IrVar *at = ir_var(b->f, "blk", DT_i64);
        IrStmt *outer = ir_loop(b, ends ? LOOP_SEQ : LOOP_REDUCE, at, np_int(b, 0), n, BLOCK);
        outer->label = np_label(b, ax);
        b->at = &outer->body;
        if (ends) {
            IrExpr *open = np_num(b, DT_bool, r->op == OP_and);
            IrExpr *so_far = np_op2(b, OP_eq, ir_use(b->cx, acc), open);
            b->at = &ir_if(b, so_far)->body;
        } else {
            part = ir_var(b->f, "part", of);
            ir_set(b, part, np_num(b, of, r->op == OP_mul));
        }
        lo = ir_use(b->cx, at);
        hi = np_op2(b, OP_min, np_op2(b, OP_add, ir_use(b->cx, at), np_int(b, BLOCK)), np_cp(b, n));
        hi = val_freeze(b, hi);
    }
    IrVar *i = ir_var(b->f, "i", DT_i64);
    IrStmt *s = ir_loop(b, LOOP_REDUCE, i, lo, hi, 1);
    s->elementwise = true;
    s->label = blocks ? NULL : np_label(b, ax);
    IrBlock *mid = b->at;
    b->at = &s->body;
    idx[ax] = ir_use(b->cx, i);
    IrExpr *x = np_elem(b, v, idx);
    Red one = *r;
    one.acc = of;
    one.elem = r->elem == DT_bool || of == r->acc ? r->elem : of;
    ir_set(b, part, step(b, &one, ir_use(b->cx, part), x));
    b->at = mid;
    one.elem = one.acc = r->acc;
    if (part != acc)
        ir_set(b, acc, step(b, &one, ir_use(b->cx, acc), ir_use(b->cx, part)));
    b->at = save;
}

/* ---- over everything ------------------------------------------------------------------------- */

static void
emit_whole(IrBuilder *b, Val v, void *arg)
{
    Red *r = arg;
    Val flat;
    if (np_flat(b, v, LAY_C, &flat) || np_flat(b, v, LAY_F, &flat))
        v = flat;
    int nd = val_ndim(&v);
    IrExpr *idx[SW_MAX_NDIM];
    IrBlock *save = b->at, *up;
    bool f = np_all_f(&v);
    for (int k = 0; k < nd - 1; k++) {
        int ax = f ? nd - 1 - k : k;
        np_loop(b, LOOP_REDUCE, val_dim(b, &v, ax), &idx[ax], &up)->label = np_label(b, ax);
    }
    inner_loop(b, r, r->var, &v, idx, f ? 0 : nd - 1);
    b->at = save;
}

static IrExpr *
reduce_whole(IrBuilder *b, Red *r, const Val *v)
{
    if (val_ndim(v) == 0) {
        IrExpr *x = ir_cast(b->cx, r->acc, val_expr(b, v, r->elem));
        return r->init || r->op == OP_add ? step(b, r, identity(b, r), x) : x; /* -0.0 + 0.0 */
    }
    r->var = ir_var(b->f, "acc", r->acc);
    ir_set(b, r->var, identity(b, r));
    np_versions(b, *v, emit_whole, r);
    return ir_use(b->cx, r->var);
}

/* ---- by axis --------------------------------------------------------------------------------- */

/* The place in the result of what idx reduces to; its number of axes. */
static int
out_index(IrBuilder *b, const Red *r, int nd, IrExpr **idx, IrExpr **at)
{
    int n = 0;
    for (int i = 0; i < nd; i++) {
        if (!(r->mask >> i & 1))
            at[n++] = np_cp(b, idx[i]);
        else if (r->keep)
            at[n++] = np_int(b, 0);
    }
    return n;
}

static void
emit_along(IrBuilder *b, const Red *r, const Val *v, bool f)
{
    int nd = val_ndim(v), inner = f ? 0 : nd - 1;
    IrExpr *idx[SW_MAX_NDIM], *at[SW_MAX_NDIM];
    IrBlock *save = b->at, *up;
    for (int d = 0; d < nd; d++) {
        int ax = f ? nd - 1 - d : d;
        if (r->mask >> ax & 1)
            continue;
        IrStmt *s = np_loop(b, LOOP_PAR, val_dim(b, v, ax), &idx[ax], &up);
        s->elementwise = s->novec_alias = true;
        s->label = np_label(b, ax);
    }
    IrVar *acc = ir_var(b->f, "acc", r->acc);
    ir_set(b, acc, identity(b, r));
    IrBlock *kept = b->at;
    for (int d = 0; d < nd; d++) {
        int ax = f ? nd - 1 - d : d;
        if ((r->mask >> ax & 1) && ax != inner)
            np_loop(b, LOOP_REDUCE, val_dim(b, v, ax), &idx[ax], &up)->label = np_label(b, ax);
    }
    inner_loop(b, r, acc, v, idx, inner);
    b->at = kept;
    ir_store(b, r->out.arr, out_index(b, r, nd, idx, at), at, ir_use(b->cx, acc));
    b->at = save;
}

static void
emit_rows_as(IrBuilder *b, const Red *r, const Val *v, bool f, LoopKind along)
{
    int nd = val_ndim(v);
    IrExpr *idx[SW_MAX_NDIM], *at[SW_MAX_NDIM], *old[SW_MAX_NDIM];
    IrBlock *save = b->at, *up;
    Val hoisted = *v;
    for (int d = 0; d < nd; d++) {
        int ax = f ? nd - 1 - d : d;
        bool kept = !(r->mask >> ax & 1);
        if (d == nd - 1 && !f)
            hoisted = np_hoist(b, *v, idx);
        IrStmt *s = np_loop(b, kept ? LOOP_PAR : along, val_dim(b, v, ax), &idx[ax], &up);
        s->elementwise = s->novec_alias = kept;
        s->label = np_label(b, ax);
    }
    IrExpr *x = np_elem(b, &hoisted, idx);
    int n = out_index(b, r, nd, idx, at);
    out_index(b, r, nd, idx, old);
    ir_store(b, r->out.arr, n, at, step(b, r, ir_load(b->cx, r->out.arr, n, old), x));
    b->at = save;
}

/* Workers share short rows among them, each with a result of its own; of a long row each
 * takes a part. */
static void
emit_rows(IrBuilder *b, const Red *r, const Val *v, bool f)
{
    int inner = f ? 0 : val_ndim(v) - 1, outer = f ? val_ndim(v) - 1 : 0;
    bool any_case = v->kind == VK_LAZY && v->lazy->any_case;
    if (!b->cx->opt->parallel || any_case || !(r->mask >> outer & 1)) {
        emit_rows_as(b, r, v, f, LOOP_SEQ);
        return;
    }
    IrBlock *save = b->at;
    IrStmt *s = ir_if(b, np_op2(b, OP_le, val_dim(b, v, inner), np_int(b, LONG_ROW)));
    b->at = &s->body;
    emit_rows_as(b, r, v, f, LOOP_REDUCE);
    b->at = &s->els;
    emit_rows_as(b, r, v, f, LOOP_SEQ);
    b->at = save;
}

static void
emit_axes(IrBuilder *b, Val v, void *arg)
{
    const Red *r = arg;
    bool f = np_all_f(&v);
    int inner = f ? 0 : val_ndim(&v) - 1;
    if (r->mask >> inner & 1)
        emit_along(b, r, &v, f);
    else
        emit_rows(b, r, &v, f);
}

/* An array in C order as a matrix, its first `rows` axes in one and the rest in another. */
static Val
as_matrix(IrBuilder *b, const Val *a, int rows)
{
    IrExpr *dims[2] = {np_int(b, 1), np_int(b, 1)}, *strides[2];
    for (int i = 0; i < val_ndim(a); i++)
        dims[i >= rows] = np_op2(b, OP_mul, dims[i >= rows], val_dim(b, a, i));
    dims[0] = val_freeze(b, dims[0]);
    dims[1] = val_freeze(b, dims[1]);
    strides[1] = np_int(b, dtype_size(a->arr->dtype));
    strides[0] = np_op2(b, OP_mul, np_cp(b, dims[1]), np_int(b, dtype_size(a->arr->dtype)));
    IrVar *v = np_temp_array(b, a->arr->dtype, 2, LAY_C);
    v->readonly = a->arr->readonly;
    ir_view(b, v, a->arr, np_int(b, 0), dims, strides);
    return val_array(b, np_array_type(b, a->arr->dtype, 2, LAY_C), v, false);
}

/* Are these the first axes of an array in C order, and several others left? Then all others are
 * one, however short the last one is. */
static bool
is_by_rows(IrBuilder *b, const Red *r, const Val *v)
{
    int nd = val_ndim(v);
    return v->kind == VK_ARRAY && v->arr->layout == LAY_C && (r->mask & (r->mask + 1)) == 0 &&
           r->mask && nd - __builtin_popcount(r->mask) > 1 && !np_scheduled(b);
}

/* What is left to be labelled in the statement are the axes that stay. */
static void
drop_labels(IrBuilder *b, uint32_t mask)
{
    const char **kept = NEW_N(&b->cx->arena, const char *, b->f->n_labels + 1);
    int n = 0;
    for (int i = 0; i < b->f->n_labels; i++)
        if (!(mask >> i & 1))
            kept[n++] = b->f->labels[i];
    b->f->labels = kept;
    b->f->n_labels = n;
}

static Val
reduce_axes(IrBuilder *b, Red *r, const Val *v, Layout l)
{
    int nd = val_ndim(v), n = 0;
    IrExpr *dims[SW_MAX_NDIM];
    for (int i = 0; i < nd; i++) {
        if (!(r->mask >> i & 1))
            dims[n++] = val_dim(b, v, i);
        else if (r->keep)
            dims[n++] = np_int(b, 1);
    }
    /* Only rows need a start in memory; the broadcast version may go by rows where this
     * does not. */
    bool f = np_all_f(v), along = r->mask >> (f ? 0 : nd - 1) & 1;
    bool both = v->kind == VK_LAZY && !v->lazy->same_shape && f;
    Val first = val_scalar(b, type_scalar(b->cx->types, r->acc, false), identity(b, r));
    r->out = np_fill_new(b, r->acc, n, dims, l, along && !both ? NULL : &first);
    if (is_by_rows(b, r, v) && r->out.arr->layout == LAY_C) {
        Red rows = *r;
        rows.mask = 1;
        rows.keep = false;
        rows.out = np_flat_array(b, r->out);
        emit_axes(b, as_matrix(b, v, __builtin_popcount(r->mask)), &rows);
    } else {
        np_versions(b, *v, emit_axes, r);
    }
    drop_labels(b, r->mask);
    return r->out;
}

/* ---- which is which -------------------------------------------------------------------------- */

/* f16 accumulates in f32, as NumPy's sums do inside a block. */
static DType
wide(DType d)
{
    return d == DT_f16 ? DT_f32 : d;
}

/* A reduction of a row: its op, made in `acc` of elements cast to `elem`. */
static Red
describe(IrBuilder *b, const NpCall *c, DType acc, DType elem)
{
    Red r = {.op = c->fn->op, .acc = acc, .elem = elem};
    Val *initial = np_arg(c, "initial");
    if (initial) {
        Val start = np_check_fits(b, np_weak_fits(b, *initial, c->out[0]), c->out[0]);
        r.init = val_freeze(b, val_expr(b, &start, r.acc));
    }
    return r;
}

static IrExpr *
count_of(IrBuilder *b, const Val *a, uint32_t mask)
{
    IrExpr *n = np_int(b, 1);
    for (int i = 0; i < val_ndim(a); i++)
        if (mask >> i & 1)
            n = np_op2(b, OP_mul, n, val_dim(b, a, i));
    return n;
}

/* Division of a sum by how many there were, for mean. */
static Val
divide(IrBuilder *b, Val sum, IrExpr *n, const Type *t, DType out)
{
    DType d = val_dtype(&sum), in[2] = {d, d};
    Val arg[2] = {sum, val_scalar(b, type_scalar(b->cx->types, d, false), ir_cast(b->cx, d, n))};
    return np_lazy(b, OP_div, 2, arg, in, out, t);
}

/* NumPy's sum goes to out= before it is divided there. */
static IrExpr *
mean_of(IrBuilder *b, IrExpr *sum, IrExpr *n, const Val *out)
{
    if (out)
        sum = ir_cast(b->cx, val_dtype(out), sum);
    return np_op2(b, OP_div, sum, ir_cast(b->cx, (DType)sum->dtype, n));
}

static Val
keep_all(IrBuilder *b, const Type *t, IrExpr *e, int nd)
{
    IrExpr *one[SW_MAX_NDIM];
    for (int i = 0; i < nd; i++)
        one[i] = np_int(b, 1);
    Val x = val_scalar(b, type_scalar(b->cx->types, (DType)t->storage, false), e);
    return np_fill_new(b, (DType)t->storage, nd, one, (Layout)t->layout, &x);
}

/* As NumPy's iterator sees out=: an axis of it has the size of a's, or one of them has size 1. */
static void
check_remapped(IrBuilder *b, const Red *r, const Val *a, const Val *out)
{
    IrExpr *to[SW_MAX_NDIM], *ok = NULL;
    int nd = val_ndim(a);
    for (int i = 0, k = 0; i < nd; i++) {
        bool there = r->keep || !(r->mask >> i & 1);
        to[i] = there ? val_dim(b, out, k++) : np_int(b, -1);
        if (!there)
            continue;
        IrExpr *from = val_freeze(b, val_dim(b, a, i));
        to[i] = val_freeze(b, to[i]);
        IrExpr *one = np_op2(b, OP_or, np_op2(b, OP_eq, np_cp(b, to[i]), np_int(b, 1)),
                             np_op2(b, OP_eq, np_cp(b, from), np_int(b, 1)));
        ok = np_iand(b, ok,
                     np_op2(b, OP_or, one, np_op2(b, OP_eq, np_cp(b, to[i]), np_cp(b, from))));
    }
    Shapes s = {
        .text =
            "operands could not be broadcast together with remapped shapes [original->remapped]: "};
    shapes_add_val(b, &s, out);
    shapes_add(&s, "->");
    shapes_add_dims(&s, nd, to);
    shapes_add(&s, " ");
    shapes_add_val(b, &s, a);
    shapes_add(&s, " ");
    if (ok)
        shapes_check(b, ok, &s);
}

/* out= takes no part in broadcasting: an axis of size 1 that is kept has size 1 in it, too, and so
 * has one that is reduced and kept. */
static void
check_out(IrBuilder *b, const NpCall *c, const Red *r, const Val *a)
{
    Val *out = np_out(c);
    int nd = val_ndim(a), k = 0;
    if (!out || nd == 0 || val_ndim(out) != (r->keep ? nd : nd - __builtin_popcount(r->mask)))
        return;
    check_remapped(b, r, a, out);
    IrExpr *dims[SW_MAX_NDIM], *fits = NULL;
    for (int i = 0; i < nd; i++) {
        bool reduced = r->mask >> i & 1;
        dims[i] = val_freeze(b, val_dim(b, a, i));
        IrExpr *to = !reduced || r->keep ? val_freeze(b, val_dim(b, out, k++)) : NULL;
        if (reduced && to)
            np_checkf(b, np_op2(b, OP_eq, np_cp(b, to), np_int(b, 1)), "ValueError",
                      arena_printf(&b->cx->arena,
                                   "operand was set up as a reduction along axis %d, but the "
                                   "length of the axis is %%0 (it has to be 1)",
                                   i),
                      1, &to);
        if (reduced)
            continue;
        IrExpr *one = np_op2(b, OP_eq, np_cp(b, dims[i]), np_int(b, 1));
        IrExpr *fit = np_op2(b, OP_or, np_op2(b, OP_ne, np_cp(b, dims[i]), np_int(b, 1)),
                             np_op2(b, OP_eq, np_cp(b, to), np_int(b, 1)));
        fits = np_iand(b, fits, fit);
        dims[i] = np_op3(b, OP_select, one, np_cp(b, to), dims[i]);
    }
    Shapes s = {.text = "non-broadcastable operand with shape "};
    shapes_add_val(b, &s, a);
    shapes_add(&s, " doesn't match the broadcast shape ");
    shapes_add_dims(&s, nd, dims);
    if (fits)
        shapes_check(b, fits, &s);
}

/* mean: divided by how many there were */
static Val
reduce(IrBuilder *b, NpCall *c, Red r, bool mean)
{
    Val a = np_as_array(b, c->arg[0]);
    bool given;
    int nd = val_ndim(&a);
    DType out = mean && np_out(c) ? val_dtype(np_out(c)) : c->out[0];
    r.keep = np_arg_bool(c, "keepdims", false);
    r.mask = np_arg_axes(b, c, "axis", nd, &given);
    bool all = nd == 0 || r.mask == ~0u >> (32 - nd);
    check_out(b, c, &r, &a);
    IrExpr *n = val_freeze(b, count_of(b, &a, r.mask));
    if (r.name && !r.init)
        np_check(b, np_op2(b, OP_ne, np_cp(b, n), np_int(b, 0)), "ValueError",
                 arena_printf(&b->cx->arena,
                              "zero-size array to reduction operation %s which has no identity",
                              r.name));
    if (all) {
        IrExpr *e = reduce_whole(b, &r, &a);
        if (mean)
            e = mean_of(b, e, np_cp(b, n), np_out(c));
        if (r.keep && nd > 0)
            return np_finish(b, c, keep_all(b, c->result, ir_cast(b->cx, out, e), nd));
        const Type *t =
            c->result->kind == TY_SCALAR ? c->result : type_scalar(b->cx->types, out, false);
        return np_finish(b, c, val_scalar(b, t, e));
    }
    Val v = reduce_axes(b, &r, &a, (Layout)c->result->layout);
    if (mean && np_out(c))
        v = np_cast(b, v, val_dtype(np_out(c)), NULL);
    if (mean)
        v = divide(b, v, np_cp(b, n), NULL, out);
    else if (r.acc != out)
        v = np_cast(b, v, out, NULL);
    return np_finish(b, c, v);
}

/* ---- the rows ------------------------------------------------------------------------------ */

/* np.sum, np.prod */
Val
emit_np_reduce(IrBuilder *b, NpCall *c)
{
    DType d = wide(c->out[0]);
    return reduce(b, c, describe(b, c, d, d), false);
}

/* np.nansum, np.nanprod: a NaN counts as what changes nothing. */
Val
emit_np_nansum(IrBuilder *b, NpCall *c)
{
    Val a = np_as_array(b, c->arg[0]);
    DType d = val_dtype(&a), in[3] = {DT_bool, d, d};
    if (is_inexact(d)) {
        Val none =
            val_scalar(b, type_scalar(b->cx->types, d, false), np_num(b, d, c->fn->op == OP_mul));
        Val arg[3] = {np_lazy(b, OP_isnan, 1, &a, &d, DT_bool, NULL), none, a};
        c->arg[0] = np_lazy(b, OP_select, 3, arg, in, d, NULL);
    }
    return emit_np_reduce(b, c);
}

/* np.min, np.max: the only ones that an empty array has no value for. */
Val
emit_np_extreme(IrBuilder *b, NpCall *c)
{
    Red r = describe(b, c, c->out[0], c->out[0]);
    r.name = r.op == OP_min ? "minimum" : "maximum";
    return reduce(b, c, r, false);
}

/* np.any, np.all */
Val
emit_np_truth(IrBuilder *b, NpCall *c)
{
    return reduce(b, c, describe(b, c, DT_bool, DT_bool), false);
}

Val
emit_np_count(IrBuilder *b, NpCall *c)
{
    return reduce(b, c, describe(b, c, DT_i64, DT_bool), false);
}

Val
emit_np_mean(IrBuilder *b, NpCall *c)
{
    DType d = is_inexact(c->out[0]) ? wide(c->out[0]) : DT_f64;
    return reduce(b, c, describe(b, c, d, d), true);
}
