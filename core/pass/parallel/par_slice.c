/* SPDX-License-Identifier: BSD-3-Clause
 * What is known of a slice x[lo:hi] where one of its elements is touched: that it is not
 * empty. Python clips both ends to the array and wraps them when they are negative, which
 * leaves minima and maxima that no index can be compared through. A start below the array's
 * end is not clipped there; an end after the start is not clipped at 0. So what is left of
 * start and length are, but for wraps, the expressions that the user wrote. */
#include "pass/parallel/par.h"

static bool
min_or_max(const IrExpr *e, IrOp op, IrExpr **a, IrExpr **b)
{
    if (e->kind != IX_OP || e->op != op || e->dtype != DT_i64)
        return false;
    *a = e->arg[0];
    *b = e->arg[1];
    return true;
}

/* The other operand of a minimum or maximum with a constant. */
static const IrExpr *
beside_const(const IrExpr *e, IrOp op, int64_t c)
{
    IrExpr *a, *b;
    int64_t k;
    if (!min_or_max(e, op, &a, &b))
        return NULL;
    if (ir_is_const(b, &k) && k == c)
        return a;
    return ir_is_const(a, &k) && k == c ? b : NULL;
}

/* x < 0 ? x + n : x */
static IrExpr *
as_wrap(Cx *cx, const IrExpr *e)
{
    int64_t zero;
    const IrExpr *c = e->kind == IX_OP && e->op == OP_select ? e->arg[0] : NULL;
    if (!c || e->dtype != DT_i64 || c->kind != IX_OP || c->op != OP_lt ||
        !ir_is_const(c->arg[1], &zero) || zero || !ir_expr_equal(c->arg[0], e->arg[2]))
        return (IrExpr *)e;
    const IrExpr *up = e->arg[1], *x = e->arg[2];
    if (up->kind != IX_OP || up->op != OP_add)
        return (IrExpr *)e;
    int at = ir_expr_equal(up->arg[0], x) ? 1 : ir_expr_equal(up->arg[1], x) ? 0 : -1;
    if (at < 0)
        return (IrExpr *)e;
    IrExpr *args[2] = {(IrExpr *)x, up->arg[at]};
    return ir_raw_op(cx, OP_wrap, args);
}

static bool
is_at_least(const ParLoop *l, const IrExpr *a, const IrExpr *b)
{
    Poly d, p;
    int64_t k;
    return depend_poly(l, a, &d) && depend_poly(l, b, &p) && poly_add(&d, &p, -1) &&
           poly_is_const(&d, &k) && k >= 0;
}

/* The start of a slice, which is less than `above`. */
static IrExpr *
start_below(const ParLoop *l, const IrExpr *e, const IrExpr *above)
{
    IrExpr *a, *b;
    const IrExpr *x;
    if (min_or_max(e, OP_min, &a, &b)) {
        if (is_at_least(l, b, above))
            return start_below(l, a, above);
        if (is_at_least(l, a, above))
            return start_below(l, b, above);
    }
    if ((x = beside_const(e, OP_max, -1)) != NULL) /* it steps down */
        return start_below(l, x, above);
    if ((x = beside_const(e, OP_max, 0)) != NULL)
        return ir_op(l->cx, OP_max, as_wrap(l->cx, x), ir_int(l->cx, DT_i64, 0));
    return as_wrap(l->cx, e);
}

IrExpr *
par_slice_start(const ParLoop *l, IrExpr *e, const IrExpr *dim)
{
    return e && dim ? start_below(l, e, dim) : e;
}

/* The end of a slice, which is more than 0; *least: not below where it ends for certain. */
static IrExpr *
stop_above(Cx *cx, const IrExpr *e, const IrExpr **clip)
{
    IrExpr *a, *b;
    const IrExpr *x = beside_const(e, OP_max, 0);
    *clip = NULL;
    if (x)
        return as_wrap(cx, x);
    if (!min_or_max(e, OP_min, &a, &b))
        return (IrExpr *)e;
    for (int i = 0; i < 2; i++) {
        const IrExpr *in = beside_const(i ? b : a, OP_max, 0);
        if (!in)
            continue;
        *clip = i ? a : b;
        return ir_op(cx, OP_min, as_wrap(cx, in), (IrExpr *)*clip);
    }
    return (IrExpr *)e;
}

static IrExpr *
length(const ParLoop *l, const IrExpr *e)
{
    const IrExpr *clip;
    if (e->kind != IX_OP || e->op != OP_sub)
        return (IrExpr *)e;
    IrExpr *stop = stop_above(l->cx, e->arg[0], &clip);
    IrExpr *start = start_below(l, e->arg[1], clip ? clip : stop);
    return ir_op(l->cx, OP_sub, stop, start);
}

IrExpr *
par_slice_length(const ParLoop *l, IrExpr *e, int64_t *by)
{
    int64_t k, more;
    IrExpr *a, *b;
    *by = 1;
    const IrExpr *x = beside_const(e, OP_max, 0);
    if (!x && min_or_max(e, OP_min, &a, &b)) { /* of a block of the slice */
        IrExpr *n = par_slice_length(l, b, by);
        if (n != b)
            return n;
        n = par_slice_length(l, a, by);
        return n == a ? e : n;
    }
    if (!x)
        return e;
    if (x->kind != IX_OP || x->op != OP_floordiv)
        return length(l, x);
    const IrExpr *up = x->arg[0];
    if (!ir_is_const(x->arg[1], &k) || k <= 1 || up->kind != IX_OP || up->op != OP_add ||
        !ir_is_const(up->arg[1], &more) || more != k - 1)
        return e;
    *by = k;
    return length(l, up->arg[0]);
}
