/* SPDX-License-Identifier: BSD-3-Clause
 * Views taken apart: an index of a view said in indices of the array that it looks into, from the
 * view's offset and strides. */
#include "pass/parallel/par_access.h"

static void
add_to(Cx *cx, IrExpr **sum, IrExpr *e)
{
    *sum = *sum && e ? ir_op(cx, OP_add, *sum, e) : NULL;
}

static bool
is_stride(const IrExpr *e, const IrVar *base)
{
    return e->kind == IX_STRIDE && e->var == base;
}

/* e, a sum of index * stride(base, axis), added to the indices; false: it is none */
static bool
split_offset(Collect *c, const IrExpr *e, const IrVar *base, IrExpr **idx)
{
    Cx *cx = c->l->cx;
    int64_t k;
    if (ir_is_const(e, &k))
        return k == 0;
    if (is_stride(e, base)) {
        add_to(cx, &idx[e->axis], ir_int(cx, DT_i64, 1));
        return true;
    }
    if (e->kind != IX_OP)
        return false;
    if (e->op == OP_add)
        return split_offset(c, e->arg[0], base, idx) && split_offset(c, e->arg[1], base, idx);
    if (e->op != OP_mul)
        return false;
    int at = is_stride(e->arg[0], base) ? 0 : is_stride(e->arg[1], base) ? 1 : -1;
    if (at < 0)
        return false;
    IrExpr *start = par_expand(c, e->arg[1 - at], 0);
    const IrExpr *dim = par_expand(c, ir_dim(cx, (IrVar *)base, e->arg[at]->axis), 0);
    add_to(cx, &idx[e->arg[at]->axis], par_slice_start(c->l, start, dim));
    return true;
}

/* The view's stride e moves by *step along an axis of the base: yields that axis; -1:
 * along none; -2: not known */
static int
split_stride(Collect *c, const IrExpr *e, const IrVar *base, IrExpr **step)
{
    Cx *cx = c->l->cx;
    int64_t k;
    *step = NULL;
    if (ir_is_const(e, &k))
        return k == 0 ? -1 : -2;
    if (is_stride(e, base)) {
        *step = ir_int(cx, DT_i64, 1);
        return e->axis;
    }
    if (e->kind != IX_OP)
        return -2;
    if (e->op == OP_neg && is_stride(e->arg[0], base)) {
        *step = ir_int(cx, DT_i64, -1);
        return e->arg[0]->axis;
    }
    if (e->op == OP_select && is_stride(e->arg[2], base)) /* 0 where it is broadcast */
        return e->arg[2]->axis;
    if (e->op != OP_mul)
        return -2;
    int at = is_stride(e->arg[0], base) ? 0 : is_stride(e->arg[1], base) ? 1 : -1;
    if (at < 0)
        return -2;
    *step = par_expand(c, e->arg[1 - at], 0);
    return e->arg[at]->axis;
}

/* Any index of an axis; or, when it is given, that which is known to be one. */
IrExpr *
par_any_index(Collect *c, const IrVar *arr, int axis, IrExpr *is)
{
    ParLoop *l = c->l;
    ParRange r = {.step = 1, .is = is, .lo = ir_int(l->cx, DT_i64, 0)};
    r.var = NEW(&l->cx->arena, IrVar);
    *r.var = (IrVar){.name = "any", .id = -1, .dtype = DT_i64};
    r.hi = par_expand(c, ir_dim(l->cx, (IrVar *)arr, axis), 0);
    r.first = r.lo;
    VEC_PUSH(&l->cx->arena, l->ranges, r);
    return ir_use(l->cx, r.var);
}

static bool
has_choice(const IrExpr *e)
{
    bool has = e->kind == IX_OP && (e->op == OP_min || e->op == OP_max || e->op == OP_select);
    for (int i = 0; !has && i < e->n; i++)
        has = has_choice(e->arg[i]);
    return has;
}

/* e is the product of all dimensions of an array. */
static bool
is_size(const IrExpr *e, const IrVar *arr, unsigned *axes)
{
    if (e->kind == IX_OP && e->op == OP_mul)
        return is_size(e->arg[0], arr, axes) && is_size(e->arg[1], arr, axes);
    if (e->kind != IX_DIM || e->var != arr || *axes >> e->axis & 1)
        return false;
    *axes |= 1u << e->axis;
    return true;
}

/* A size that has a name is what that was set to. */
static const IrExpr *
named(const Collect *c, const IrExpr *e)
{
    if (e->kind != IX_VAR)
        return e;
    if (!par_is_local(c->l, e->var))
        return par_settle(c->l, e);
    const IrStmt *d = par_local_def(c, e->var);
    return d && d->kind == IS_SET ? d->e : e;
}

bool
par_is_flattened(const Collect *c, const IrStmt *d)
{
    unsigned axes = 0;
    int64_t off, stride;
    return d->n_idx == 2 && d->base->ndim > 1 && ir_is_const(d->e, &off) && off == 0 &&
           ir_is_const(d->idx[1], &stride) && stride == (int64_t)dtype_size(d->base->dtype) &&
           is_size(named(c, d->idx[0]), d->base, &axes) && axes == (1u << d->base->ndim) - 1;
}

/* All elements of an array that is seen as one with one axis. */
static IrExpr **
through_flattened(Collect *c, const IrStmt *d, const IrExpr *at, bool *exact)
{
    ParLoop *l = c->l;
    IrExpr **out = NEW_N(&l->cx->arena, IrExpr *, d->base->ndim + 1);
    const ParRange *r = at && at->kind == IX_VAR ? depend_range(l, at->var) : NULL;
    const IrExpr *size = par_expand(c, d->idx[0], 0);
    int64_t zero;
    *exact &= r && r->lo && r->hi && size && r->step == 1 && ir_is_const(r->lo, &zero) &&
              zero == 0 && ir_expr_equal(r->hi, size);
    for (int i = 0; i < d->base->ndim; i++)
        out[i] = par_any_index(c, d->base, i, NULL);
    return out;
}

/* idx of a view, in terms of its base; NULL: not known. *exact becomes false where it may be
 * another one, too. */
IrExpr **
par_through_view(Collect *c, const IrStmt *d, IrExpr **idx, bool *exact)
{
    Cx *cx = c->l->cx;
    int nb = d->base->ndim, nv = d->n_idx / 2;
    if (idx && par_is_flattened(c, d))
        return through_flattened(c, d, idx[0], exact);
    IrExpr **out = NEW_N(&cx->arena, IrExpr *, nb + 1);
    for (int i = 0; i < nb; i++)
        out[i] = ir_int(cx, DT_i64, 0);
    if (!idx || !split_offset(c, d->e, d->base, out))
        return NULL;
    for (int i = 0; i < nv; i++) {
        IrExpr *step;
        int axis = split_stride(c, d->idx[nv + i], d->base, &step);
        if (axis == -2)
            return NULL;
        if (axis < 0)
            continue;
        IrExpr *k = idx[i];
        if (k && !step && d->idx[nv + i]->kind == IX_OP && d->idx[nv + i]->op == OP_select) {
            k = par_any_index(c, d->base, axis, NULL);
            step = ir_int(cx, DT_i64, 1);
            *exact = false;
        }
        if (k && has_choice(k))
            k = par_any_index(c, d->var, i, k);
        add_to(cx, &out[axis], step && k ? ir_op(cx, OP_mul, k, step) : NULL);
    }
    return out;
}
