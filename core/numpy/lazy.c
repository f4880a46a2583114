/* SPDX-License-Identifier: BSD-3-Clause
 * Array expressions as trees of Lazy nodes, and the loop nests that consume them.
 *
 * The hard idea is broadcasting that is known only at run time: `x + y` may find a size
 * of 1 on either side. A node records such axes in `maybe`. np_versions tests once that
 * none of them broadcasts and emits the consumer for plain indices; in the cold branch it
 * emits it again over views of the leaves, whose stride is 0 along each axis that is
 * broadcast. */
#include "numpy/internal.h"

/* ---- broadcasting ---------------------------------------------------------------------------- */

static void
broadcast_error_check(IrBuilder *b, IrExpr *ok, int n, const Val *operand)
{
    int64_t k;
    if (ir_is_const(ok, &k) && k)
        return;
    Shapes s = {.text = "operands could not be broadcast together with shapes "};
    for (int i = 0; i < n; i++, shapes_add(&s, " "))
        shapes_add_val(b, &s, &operand[i]);
    for (int i = 0; i < SW_LEN(b->into) && b->into[i]; i++, shapes_add(&s, " "))
        shapes_add_var(b, &s, b->into[i]);
    shapes_check(b, ok, &s);
}

/* The size of axis `ax` of a node, from those of its operands; sets bcast and maybe. */
static IrExpr *
merge_axis(IrBuilder *b, Lazy *l, int ax)
{
    IrExpr *cur = NULL, *ok = NULL;
    uint32_t bit = 1u << ax;
    int64_t k, kc;
    for (int i = 0; i < l->n; i++) {
        int j = ax - (l->ndim - val_ndim(&l->operand[i]));
        if (j < 0 || !val_ndim(&l->operand[i]))
            continue;
        IrExpr *d = val_dim(b, &l->operand[i], j);
        if (ir_is_const(d, &k) && k == 1) {
            l->bcast[i] |= bit;
        } else if (!cur) {
            cur = d;
        } else if (!ir_expr_equal(cur, d)) {
            bool cur_const = ir_is_const(cur, &kc);
            IrExpr *fit = np_op2(b, OP_eq, np_cp(b, cur), np_cp(b, d));
            if (!ir_is_const(d, &k)) {
                fit = np_op2(b, OP_or, fit, np_op2(b, OP_eq, np_cp(b, d), np_int(b, 1)));
                l->maybe[i] |= bit;
            }
            if (!cur_const) {
                fit = np_op2(b, OP_or, fit, np_op2(b, OP_eq, np_cp(b, cur), np_int(b, 1)));
                for (int p = 0; p < i; p++)
                    if (!(l->bcast[p] & bit) && ax >= l->ndim - val_ndim(&l->operand[p]))
                        l->maybe[p] |= bit;
                cur = np_op3(b, OP_select, np_op2(b, OP_eq, np_cp(b, cur), np_int(b, 1)), d,
                             np_cp(b, cur));
            }
            ok = np_iand(b, ok, fit);
        }
    }
    if (ok)
        broadcast_error_check(b, ok, l->n, l->operand);
    if (!cur) {
        for (int i = 0; i < l->n; i++)
            l->bcast[i] &= ~bit;
        return np_int(b, 1);
    }
    return ok ? val_freeze(b, cur) : np_cp(b, cur);
}

static bool
is_elementwise(const Val *v)
{
    return v->kind == VK_LAZY && v->lazy->n > 0;
}

IrExpr *
np_ufunc_elem(IrBuilder *b, Lazy *l, IrExpr **idx)
{
    IrExpr *x[4];
    for (int k = 0; k < l->n; k++) {
        int nd = val_ndim(&l->operand[k]), off = l->ndim - nd;
        IrExpr *at[SW_MAX_NDIM];
        for (int j = 0; j < nd; j++) {
            bool one = l->bcast[k] >> (off + j) & 1;
            at[j] = one ? np_int(b, 0) : np_cp(b, idx[off + j]);
        }
        x[k] = np_elem(b, &l->operand[k], at);
    }
    return np_op_expr(b, l->op, l->n, l->in, x, l->out);
}

Val
np_lazy_new(IrBuilder *b, const Type *t)
{
    Lazy *l = NEW(&b->cx->arena, Lazy);
    l->dtype = t->storage;
    l->ndim = t->ndim;
    l->same_shape = true;
    return (Val){.kind = VK_LAZY, .type = t, .lazy = l};
}

/* An operand that can be read at any index, any number of times. */
static Val
ready(IrBuilder *b, Val v, int ndim)
{
    if (v.kind == VK_TUPLE)
        v = np_as_array(b, v);
    if (val_is_arraylike(&v) && val_ndim(&v) == 0)
        v = val_scalar(b, type_scalar(b->cx->types, val_dtype(&v), false),
                       val_expr(b, &v, val_dtype(&v)));
    if (v.kind == VK_SCALAR && ndim > 0)
        v.e = val_freeze(b, np_cp(b, v.e));
    return v;
}

bool
np_in_f_order(const Val *v)
{
    bool laid_out = v->kind == VK_ARRAY && v->arr->layout == LAY_F;
    return laid_out || (v->type && v->type->kind == TY_ARRAY && type_order(v->type) == LAY_F);
}

/* The layout that NumPy gives to a fresh result: F when every operand of full rank is F.
 */
static Layout
result_layout(int n, const Val *arg, int ndim)
{
    bool any = false;
    for (int i = 0; i < n; i++) {
        if (val_ndim(&arg[i]) != ndim || !val_is_arraylike(&arg[i]))
            continue;
        any = true;
        if (!np_in_f_order(&arg[i]))
            return LAY_C;
    }
    return any && ndim > 1 ? LAY_F : LAY_C;
}

/* Operands that are no elementwise trees must have exactly the shape of the result. */
static void
settle_operands(IrBuilder *b, Lazy *l)
{
    for (int i = 0; i < l->n; i++) {
        Val *v = &l->operand[i];
        if (v->kind == VK_LAZY && !is_elementwise(v) && (l->maybe[i] || l->bcast[i]))
            *v = np_materialize(b, *v, LAY_C);
        l->same_shape &= !l->maybe[i];
        l->same_shape &= v->kind != VK_LAZY || v->lazy->same_shape;
    }
}

Val
np_lazy(IrBuilder *b, int op, int n, Val *args, const DType *in, DType out, const Type *result)
{
    int nd = 0;
    for (int i = 0; i < n; i++)
        nd = val_ndim(&args[i]) > nd ? val_ndim(&args[i]) : nd;
    if (nd == 0) {
        IrExpr *x[4];
        for (int i = 0; i < n; i++)
            x[i] = val_expr(b, &args[i], val_dtype(&args[i]));
        IrExpr *e = np_op_expr(b, op, n, in, x, out);
        if (!result || result->kind != TY_SCALAR)
            result = type_scalar(b->cx->types, out, false);
        return val_scalar(b, result, e);
    }
    if (!result || result->kind != TY_ARRAY)
        result = np_array_type(b, out, nd, result_layout(n, args, nd));
    Val v = np_lazy_new(b, result);
    Lazy *l = v.lazy;
    l->ndim = nd;
    l->out = out;
    l->dtype = dtype_storage(out);
    l->op = op;
    l->n = n;
    l->elem = np_ufunc_elem;
    for (int i = 0; i < n; i++) {
        l->in[i] = in[i];
        l->operand[i] = ready(b, args[i], nd);
    }
    for (int ax = 0; ax < nd; ax++)
        l->dim[ax] = merge_axis(b, l, ax);
    settle_operands(b, l);
    return v;
}

Val
np_ufunc(IrBuilder *b, IrOp op, int n, Val *args, const DType *in, DType out, const Type *result)
{
    return np_lazy(b, (int)op, n, args, in, out, result);
}

Val
np_cast(IrBuilder *b, Val v, DType d, const Type *result)
{
    DType from = val_dtype(&v);
    if (from == d && (v.kind == VK_LAZY || v.kind == VK_ARRAY) && val_ndim(&v) > 0)
        return v;
    return np_lazy(b, XOP_id, 1, &v, &from, d, result);
}

IrExpr *
np_elem(IrBuilder *b, const Val *v, IrExpr **idx)
{
    if (v->kind == VK_LAZY)
        return v->lazy->elem(b, v->lazy, idx);
    if (v->kind != VK_ARRAY)
        return val_expr(b, v, val_dtype(v));
    IrExpr *at[SW_MAX_NDIM];
    for (int i = 0; i < v->arr->ndim; i++)
        at[i] = np_cp(b, idx[i]);
    return ir_load(b->cx, v->arr, v->arr->ndim, at);
}

/* ---- versions -------------------------------------------------------------------------------- */

Val
np_broadcast_view(IrBuilder *b, const Val *a, int ndim, IrExpr **dims)
{
    IrExpr *d[SW_MAX_NDIM], *s[SW_MAX_NDIM];
    int off = ndim - val_ndim(a);
    for (int i = 0; i < ndim; i++) {
        int64_t k;
        d[i] = np_cp(b, dims[i]);
        s[i] = np_int(b, 0);
        if (i < off)
            continue;
        IrExpr *n = val_dim(b, a, i - off), *stride = ir_stride(b->cx, a->arr, i - off);
        if (ir_expr_equal(n, dims[i]))
            s[i] = stride;
        else if (!ir_is_const(n, &k) || k != 1)
            s[i] = np_op3(b, OP_select, np_op2(b, OP_eq, n, np_int(b, 1)), np_int(b, 0), stride);
    }
    IrVar *v = np_temp_array(b, a->arr->dtype, ndim, LAY_A);
    ir_view(b, v, a->arr, np_int(b, 0), d, s);
    return val_array(b, np_array_type(b, a->arr->dtype, ndim, LAY_A), v, false);
}

/* True when no operand is broadcast at run time; NULL when none can be. */
IrExpr *
np_plain_test(IrBuilder *b, const Val *v)
{
    IrExpr *ok = NULL;
    if (!is_elementwise(v))
        return NULL;
    Lazy *l = v->lazy;
    for (int k = 0; k < l->n; k++) {
        int nd = val_ndim(&l->operand[k]);
        for (int j = 0; j < nd; j++)
            if (l->maybe[k] >> (l->ndim - nd + j) & 1)
                ok = np_iand(b, ok,
                             np_op2(b, OP_eq, val_dim(b, &l->operand[k], j),
                                    np_cp(b, l->dim[l->ndim - nd + j])));
        ok = np_iand(b, ok, np_plain_test(b, &l->operand[k]));
    }
    return ok;
}

/* The same tree over leaves that all have the shape of the root. */
static Val
broadcast_tree(IrBuilder *b, Val v, int ndim, IrExpr **dims)
{
    if (!val_is_arraylike(&v))
        return v;
    if (!is_elementwise(&v)) {
        if (v.kind == VK_LAZY)
            v = np_materialize(b, v, LAY_C);
        return np_broadcast_view(b, &v, ndim, dims);
    }
    Val out = v;
    out.lazy = NEW(&b->cx->arena, Lazy);
    *out.lazy = *v.lazy;
    out.type = np_array_type(b, v.lazy->dtype, ndim, LAY_C);
    out.lazy->ndim = ndim;
    out.lazy->same_shape = out.lazy->any_case = true;
    for (int i = 0; i < ndim; i++)
        out.lazy->dim[i] = dims[i];
    for (int k = 0; k < v.lazy->n; k++) {
        out.lazy->bcast[k] = out.lazy->maybe[k] = 0;
        out.lazy->operand[k] = broadcast_tree(b, v.lazy->operand[k], ndim, dims);
    }
    return out;
}

/* Is this the operand that is taken to have size 1 along `axes`, `m` in `x - m`? */
static bool
is_thin(const Lazy *l, int k, uint32_t axes)
{
    for (int j = k + 1; j < l->n; j++)
        if (l->operand[j].kind == VK_ARRAY && l->maybe[j] & axes)
            return false;
    return l->operand[k].kind == VK_ARRAY && l->maybe[k] & axes;
}

/* The tree with the last operand of each node as a column, or as a row: its size along
 * `axes` is 1, which *test says. Rows or columns minus their mean, their maximum: what
 * keepdims is for. */
static Val
thin_tree(IrBuilder *b, Val v, uint32_t axes, IrExpr **test)
{
    if (!is_elementwise(&v))
        return v;
    Val out = v;
    Lazy *l = out.lazy = NEW(&b->cx->arena, Lazy);
    *l = *v.lazy;
    for (int k = 0; k < l->n; k++) {
        Val *o = &l->operand[k];
        if (!is_thin(v.lazy, k, axes)) {
            *o = thin_tree(b, *o, axes, test);
            continue;
        }
        int off = l->ndim - val_ndim(o);
        for (int i = 0; i < l->ndim; i++)
            if (l->maybe[k] & axes & 1u << i)
                *test = np_iand(b, *test, np_op2(b, OP_eq, val_dim(b, o, i - off), np_int(b, 1)));
        l->bcast[k] |= l->maybe[k] & axes;
        l->maybe[k] &= ~axes;
    }
    return out;
}

/* What runs when some operand is broadcast at run time. */
static void
emit_broadcast(IrBuilder *b, Val v, NpEmit emit, void *arg)
{
    IrBlock *save = b->at;
    int nd = v.lazy->ndim;
    uint32_t inner = 1u << (nd - 1), axes[2] = {inner, inner - 1};
    IrStmt *s = NULL;
    for (int i = 0; nd > 1 && i < 2; i++) {
        IrExpr *test = NULL;
        Val thin = thin_tree(b, v, axes[i], &test);
        if (!test)
            continue;
        s = ir_if(b, np_iand(b, test, np_plain_test(b, &thin)));
        b->at = &s->body;
        emit(b, thin, arg);
        b->at = &s->els;
    }
    if (s)
        s->cold_else = true;
    emit(b, broadcast_tree(b, v, nd, v.lazy->dim), arg);
    b->at = save;
}

void
np_versions(IrBuilder *b, Val v, NpEmit emit, void *arg)
{
    IrExpr *plain = v.kind == VK_LAZY && !v.lazy->same_shape ? np_plain_test(b, &v) : NULL;
    if (!plain) {
        emit(b, v, arg);
        return;
    }
    IrStmt *s = ir_if(b, plain);
    s->cold_else = val_ndim(&v) < 2;
    IrBlock *save = b->at;
    b->at = &s->body;
    emit(b, v, arg);
    b->at = &s->els;
    emit_broadcast(b, v, emit, arg);
    b->at = save;
}

/* ---- flat: all leaves contiguous in one order, so one loop does ------------------------------ */

typedef bool Fits(const Val *v, Layout order);

static bool
in_one_piece(const Val *v, Layout order)
{
    return (Layout)v->arr->layout == order;
}

static bool
in_order(const Val *v, Layout order)
{
    return np_in_f_order(v) == (order == LAY_F);
}

/* Have all arrays of the tree all its axes, and fit? */
static bool
all_leaves(const Val *v, int ndim, Layout order, Fits *fits)
{
    if (!val_is_arraylike(v))
        return true;
    if (val_ndim(v) != ndim)
        return false;
    if (v->kind == VK_ARRAY)
        return fits(v, order);
    if (!is_elementwise(v))
        return false;
    for (int k = 0; k < v->lazy->n; k++)
        if (v->lazy->bcast[k] || !all_leaves(&v->lazy->operand[k], ndim, order, fits))
            return false;
    return true;
}

static bool
can_flatten(const Val *v, int ndim, Layout order)
{
    return all_leaves(v, ndim, order, in_one_piece);
}

Val
np_flat_array(IrBuilder *b, Val a)
{
    IrExpr *dim = np_size(b, &a), *stride = np_int(b, dtype_size(a.arr->dtype));
    IrVar *v = np_temp_array(b, a.arr->dtype, 1, LAY_C);
    v->readonly = a.arr->readonly;
    ir_view(b, v, a.arr, np_int(b, 0), &dim, &stride);
    return val_array(b, np_array_type(b, a.arr->dtype, 1, LAY_C), v, false);
}

static Val
flatten_tree(IrBuilder *b, Val v, IrExpr *size)
{
    if (v.kind == VK_ARRAY)
        return np_flat_array(b, v);
    if (v.kind != VK_LAZY)
        return v;
    Val out = v;
    out.lazy = NEW(&b->cx->arena, Lazy);
    *out.lazy = *v.lazy;
    out.type = np_array_type(b, v.lazy->dtype, 1, LAY_C);
    out.lazy->ndim = 1;
    out.lazy->dim[0] = size;
    for (int k = 0; k < v.lazy->n; k++) {
        out.lazy->maybe[k] = 0;
        out.lazy->operand[k] = flatten_tree(b, v.lazy->operand[k], size);
    }
    return out;
}

const char *
np_label(const IrBuilder *b, int axis)
{
    return axis < b->f->n_labels ? b->f->labels[axis] : NULL;
}

/* Then each axis keeps its loop, for the schedule to find. */
bool
np_scheduled(const IrBuilder *b)
{
    for (int i = 0; i < b->f->n_labels; i++)
        if (cx_sched(b->cx, b->f->labels[i]))
            return true;
    return false;
}

bool
np_flat(IrBuilder *b, Val v, Layout order, Val *out)
{
    int nd = val_ndim(&v);
    if (nd < 2 || np_scheduled(b) || !can_flatten(&v, nd, order))
        return false;
    *out = flatten_tree(b, v, val_freeze(b, np_size(b, &v)));
    return true;
}

bool
np_all_f(const Val *v)
{
    return val_ndim(v) > 1 && all_leaves(v, val_ndim(v), LAY_F, in_order);
}

/* ---- loop nests ------------------------------------------------------------------------------ */

IrStmt *
np_loop(IrBuilder *b, LoopKind k, IrExpr *hi, IrExpr **idx, IrBlock **save)
{
    IrVar *v = ir_var(b->f, "i", DT_i64);
    v->once = true;
    IrStmt *s = ir_loop(b, k, v, np_int(b, 0), hi, 1);
    *idx = ir_use(b->cx, v);
    *save = b->at;
    b->at = &s->body;
    return s;
}

/* Operands that are broadcast along the last axis as scalars, made here and now. */
Val
np_hoist(IrBuilder *b, Val v, IrExpr **idx)
{
    if (!is_elementwise(&v))
        return v;
    Val out = v;
    Lazy *l = out.lazy = NEW(&b->cx->arena, Lazy);
    *l = *v.lazy;
    for (int k = 0; k < l->n; k++) {
        Val *o = &l->operand[k];
        int nd = val_ndim(o), off = l->ndim - nd;
        IrExpr *at[SW_MAX_NDIM];
        if (!nd)
            continue;
        for (int j = 0; j < nd - 1; j++)
            at[j] = l->bcast[k] >> (off + j) & 1 ? np_int(b, 0) : idx[off + j];
        at[nd - 1] = np_int(b, 0);
        if (!(l->bcast[k] >> (l->ndim - 1) & 1)) {
            *o = np_hoist(b, *o, at);
            continue;
        }
        const Type *t = type_scalar(b->cx->types, val_dtype(o), false);
        *o = val_scalar(b, t, val_freeze(b, np_elem(b, o, at)));
    }
    return out;
}

void
np_nest_open(IrBuilder *b, NpNest *n, int ndim, IrExpr **dims, bool f_order, LoopKind k)
{
    np_nest_open_for(b, n, NULL, ndim, dims, f_order, k);
}

void
np_nest_open_for(IrBuilder *b, NpNest *n, Val *v, int ndim, IrExpr **dims, bool f_order, LoopKind k)
{
    n->n = ndim;
    n->outer = b->at;
    for (int d = 0; d < ndim; d++) {
        int ax = f_order ? ndim - 1 - d : d;
        IrBlock *save;
        if (v && d == ndim - 1 && !f_order)
            *v = np_hoist(b, *v, n->idx);
        n->order[d] = ax;
        n->loop[d] = np_loop(b, k, np_cp(b, dims[ax]), &n->idx[ax], &save);
        n->loop[d]->label = np_label(b, ax);
        n->loop[d]->elementwise = true;
        n->loop[d]->novec_alias = true;
    }
}

void
np_nest_close(IrBuilder *b, NpNest *n)
{
    b->at = n->outer;
}

void
np_foreach(IrBuilder *b, const Val *v, LoopKind k,
           void (*body)(IrBuilder *b, IrExpr **idx, void *arg), void *arg)
{
    NpNest n;
    IrExpr *dims[SW_MAX_NDIM];
    for (int i = 0; i < val_ndim(v); i++)
        dims[i] = val_dim(b, v, i);
    np_nest_open(b, &n, val_ndim(v), dims, np_all_f(v), k);
    body(b, n.idx, arg);
    np_nest_close(b, &n);
}

/* ---- storing --------------------------------------------------------------------------------- */

/* dst[...] = v, same shape, no overlap (but for leaves that are dst itself). */
void
np_store_into(IrBuilder *b, Val v, void *arg)
{
    Val dst = *(Val *)arg, flat;
    Layout l = dst.arr->layout;
    if ((l == LAY_C || l == LAY_F) && np_flat(b, v, l, &flat)) {
        v = flat;
        dst = np_flat_array(b, dst);
    } else if (v.kind == VK_SCALAR && l != LAY_A && val_ndim(&dst) > 1 && !np_scheduled(b)) {
        dst = np_flat_array(b, dst);
    }
    NpNest n;
    IrExpr *dims[SW_MAX_NDIM], *at[SW_MAX_NDIM];
    int nd = val_ndim(&dst);
    for (int i = 0; i < nd; i++)
        dims[i] = val_dim(b, &dst, i);
    np_nest_open_for(b, &n, &v, nd, dims, np_in_f_order(&dst), LOOP_PAR);
    IrExpr *e = np_elem(b, &v, n.idx);
    for (int i = 0; i < nd; i++)
        at[i] = np_cp(b, n.idx[i]);
    ir_store(b, dst.arr, nd, at, ir_cast(b->cx, dst.arr->dtype, e));
    np_nest_close(b, &n);
}

Val
np_materialize(IrBuilder *b, Val v, Layout order)
{
    if (v.kind == VK_TUPLE || v.kind == VK_SCALAR)
        v = np_as_array(b, v);
    if (v.kind != VK_LAZY)
        return v;
    if (v.type->kind == TY_ARRAY && v.type->layout == LAY_F)
        order = LAY_F;
    Val dst = np_new_array(b, v.lazy->dtype, v.lazy->ndim, v.lazy->dim, order, false);
    np_versions(b, v, np_store_into, &dst);
    return dst;
}
