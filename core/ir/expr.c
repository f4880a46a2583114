/* SPDX-License-Identifier: BSD-3-Clause
 * Making expressions. ir_op and ir_cast fold constants and the identities that hold for every
 * value of the dtype: integers wrap, so x + 0, x * 1, x - x and (x + 1) + 2 simplify; floats
 * only fold when both operands are constants, for x + 0.0 is not x when x is -0.0.
 * ir_raw_op makes the node as it is asked for: the parser keeps what it reads. */
#include "ir/ir.h"

#include <stdarg.h>

static IrExpr *
new_expr(Cx *cx, IrExprKind k, DType d, int n)
{
    IrExpr *e = NEW(&cx->arena, IrExpr);
    e->kind = (IrExprKind)k;
    e->dtype = (uint8_t)d;
    e->n = (uint8_t)n;
    if (n)
        e->arg = NEW_N(&cx->arena, IrExpr *, n);
    return e;
}

IrExpr *
ir_int(Cx *cx, DType d, int64_t v)
{
    IrExpr *e = new_expr(cx, IX_CONST, d, 0);
    if (dtype_is_int(d) || d == DT_bool)
        e->i = ir_wrap_int(d, v);
    else
        e->re = ir_round_float(d, (double)v);
    return e;
}

IrExpr *
ir_float(Cx *cx, DType d, double v)
{
    if (dtype_is_int(d) || d == DT_bool)
        return ir_int(cx, d, (int64_t)v);
    IrExpr *e = new_expr(cx, IX_CONST, d, 0);
    e->re = ir_round_float(d, v);
    return e;
}

IrExpr *
ir_complex(Cx *cx, DType d, double re, double im)
{
    IrExpr *e = new_expr(cx, IX_CONST, d, 0);
    e->re = ir_round_float(d, re);
    e->im = ir_round_float(d, im);
    return e;
}

IrExpr *
ir_use(Cx *cx, IrVar *v)
{
    IrExpr *e = new_expr(cx, IX_VAR, (DType)v->dtype, 0);
    e->var = v;
    return e;
}

IrExpr *
ir_dim(Cx *cx, IrVar *arr, int axis)
{
    IrExpr *e = new_expr(cx, IX_DIM, DT_i64, 0);
    e->var = arr;
    e->axis = (uint8_t)axis;
    return e;
}

IrExpr *
ir_stride(Cx *cx, IrVar *arr, int axis)
{
    IrExpr *e = ir_dim(cx, arr, axis);
    e->kind = IX_STRIDE;
    return e;
}

IrExpr *
ir_load(Cx *cx, IrVar *arr, int n, IrExpr **idx)
{
    IrExpr *e = new_expr(cx, IX_LOAD, (DType)arr->dtype, n);
    e->var = arr;
    for (int i = 0; i < n; i++)
        e->arg[i] = idx[i];
    return e;
}

IrExpr *
ir_copy_expr(Cx *cx, const IrExpr *e)
{
    IrExpr *c = NEW(&cx->arena, IrExpr);
    *c = *e;
    if (e->n) {
        c->arg = NEW_N(&cx->arena, IrExpr *, e->n);
        for (int i = 0; i < e->n; i++)
            c->arg[i] = ir_copy_expr(cx, e->arg[i]);
    }
    return c;
}

bool
ir_is_const(const IrExpr *e, int64_t *v)
{
    if (e->kind != IX_CONST || dtype_is_float((DType)e->dtype) || dtype_is_complex((DType)e->dtype))
        return false;
    if (v)
        *v = e->i;
    return true;
}

bool
ir_is_var(const IrExpr *e, const IrVar *v)
{
    return e->kind == IX_VAR && e->var == v;
}

static bool
const_equal_bits(const IrExpr *a, const IrExpr *b)
{
    DType d = (DType)a->dtype;
    if (dtype_is_int(d) || d == DT_bool)
        return a->i == b->i;
    if (memcmp(&a->re, &b->re, sizeof a->re) != 0)
        return false;
    return !dtype_is_complex(d) || memcmp(&a->im, &b->im, sizeof a->im) == 0;
}

bool
ir_expr_equal(const IrExpr *a, const IrExpr *b)
{
    trace_work++;
    if (a == b)
        return true;
    if (a->kind != b->kind || a->dtype != b->dtype || a->n != b->n)
        return false;
    if (a->kind == IX_CONST)
        return const_equal_bits(a, b);
    if (a->kind == IX_OP ? a->op != b->op : a->var != b->var)
        return false;
    if ((a->kind == IX_OP || a->kind == IX_CAST) && a->flags != b->flags)
        return false;
    if ((a->kind == IX_DIM || a->kind == IX_STRIDE || a->kind == IX_GEO) && a->axis != b->axis)
        return false;
    for (int i = 0; i < a->n; i++)
        if (!ir_expr_equal(a->arg[i], b->arg[i]))
            return false;
    return true;
}

uint64_t
ir_expr_hash(const IrExpr *e)
{
    const uint64_t by = 0x9e3779b97f4a7c15ull;
    uint64_t bits = 0, h = (uint64_t)e->kind << 16 | (uint64_t)e->dtype << 8 | e->n;
    trace_work++;
    if (e->kind == IX_CONST)
        memcpy(&bits,
               dtype_is_int((DType)e->dtype) || e->dtype == DT_bool ? (const void *)&e->i : &e->re,
               8);
    else
        bits = e->kind == IX_OP ? e->op : (e->var ? (uint64_t)e->var->id + 1 : 0) << 8 | e->axis;
    h = (h ^ bits * by) * by;
    h ^= h >> 29;
    for (int i = 0; i < e->n; i++) {
        h = (h ^ ir_expr_hash(e->arg[i])) * by;
        h ^= h >> 32;
    }
    return h;
}

IrExpr *
ir_raw_op(Cx *cx, IrOp op, IrExpr **a)
{
    int n = op_info[op].n;
    DType d1 = (DType)a[n > 1]->dtype;
    IrExpr *e = new_expr(cx, IX_OP, op_result(op, (DType)a[0]->dtype, d1), n);
    e->op = (uint8_t)op;
    for (int i = 0; i < n; i++)
        e->arg[i] = a[i];
    return e;
}

IrExpr *
ir_raw_cast(Cx *cx, DType d, IrExpr *a)
{
    IrExpr *e = new_expr(cx, IX_CAST, d, 1);
    e->arg[0] = a;
    return e;
}

/* ---- identities -------------------------------------------------------------------------- */

/* e = base + c in i64; the base of a plain expression is itself. */
static IrExpr *
split_offset(IrExpr *e, int64_t *c)
{
    *c = 0;
    if (e->kind != IX_OP || (e->op != OP_add && e->op != OP_sub) || !ir_is_const(e->arg[1], c))
        return e;
    if (e->op == OP_sub)
        *c = (int64_t)(0 - (uint64_t)*c);
    return e->arg[0];
}

static IrExpr *
offset(Cx *cx, IrExpr *base, int64_t c)
{
    if (c == 0)
        return base;
    IrExpr *a[2] = {base, ir_int(cx, DT_i64, c)};
    if (c > 0 || c == INT64_MIN)
        return ir_raw_op(cx, OP_add, a);
    a[1] = ir_int(cx, DT_i64, -c);
    return ir_raw_op(cx, OP_sub, a);
}

static IrExpr *
fold_offsets(Cx *cx, IrOp op, IrExpr **a)
{
    int64_t c0, c1;
    if (a[0]->dtype != DT_i64)
        return NULL;
    IrExpr *base = split_offset(a[0], &c0);
    if (ir_is_const(a[1], &c1)) {
        uint64_t c = op == OP_add ? (uint64_t)c0 + (uint64_t)c1 : (uint64_t)c0 - (uint64_t)c1;
        return offset(cx, base, (int64_t)c);
    }
    if (op == OP_sub) {
        IrExpr *base1 = split_offset(a[1], &c1);
        if (ir_expr_equal(base, base1))
            return ir_int(cx, DT_i64, (int64_t)((uint64_t)c0 - (uint64_t)c1));
    }
    return NULL;
}

/* An integer operation whose right operand is the constant c. */
static IrExpr *
fold_int_const(Cx *cx, IrOp op, IrExpr **a, int64_t c)
{
    DType d = (DType)a[0]->dtype;
    int64_t ones = ir_wrap_int(d, -1);
    switch (op) {
    case OP_add:
    case OP_sub:
    case OP_or:
    case OP_xor:
    case OP_shl:
    case OP_shr:
        return c == 0 ? a[0] : op == OP_or && c == ones ? a[1] : NULL;
    case OP_mul:
        return c == 1 ? a[0] : c == 0 ? a[1] : NULL;
    case OP_floordiv:
    case OP_tdiv:
        return c == 1 ? a[0] : NULL;
    case OP_mod:
        return c == 1 || (c == -1 && dtype_kind(d) == DK_INT) ? ir_int(cx, d, 0) : NULL;
    case OP_and:
        return c == 0 ? a[1] : c == ones ? a[0] : NULL;
    case OP_pow:
        return c == 1 ? a[0] : c == 0 ? ir_int(cx, d, 1) : NULL;
    default:
        return NULL;
    }
}

static IrExpr *
fold_int(Cx *cx, IrOp op, IrExpr **a)
{
    int64_t c;
    if (op == OP_add || op == OP_sub) {
        IrExpr *r = fold_offsets(cx, op, a);
        if (r)
            return r;
    }
    if (op_info[op].n == 2 && ir_is_const(a[1], &c)) {
        IrExpr *r = fold_int_const(cx, op, a, c);
        if (r)
            return r;
    }
    if (op == OP_wrap && ir_is_const(a[0], &c))
        return c >= 0 ? a[0] : ir_op(cx, OP_add, a[1], a[0]);
    if (op == OP_abs && dtype_kind((DType)a[0]->dtype) == DK_UINT)
        return a[0];
    if (op_info[op].n != 2 || !ir_expr_equal(a[0], a[1]))
        return NULL;
    switch (op) {
    case OP_sub:
    case OP_xor:
        return ir_int(cx, (DType)a[0]->dtype, 0);
    case OP_and:
    case OP_or:
    case OP_min:
    case OP_max:
        return a[0];
    case OP_eq:
    case OP_le:
    case OP_ge:
        return ir_int(cx, DT_bool, 1);
    case OP_ne:
    case OP_lt:
    case OP_gt:
        return ir_int(cx, DT_bool, 0);
    default:
        return NULL;
    }
}

static IrOp
opposite(IrOp op)
{
    switch (op) {
    case OP_eq:
        return OP_ne;
    case OP_ne:
        return OP_eq;
    case OP_lt:
        return OP_ge;
    case OP_ge:
        return OP_lt;
    case OP_gt:
        return OP_le;
    case OP_le:
        return OP_gt;
    default:
        return OP_COUNT;
    }
}

/* not (a < b) is a >= b, but not for floats, which may be NaN. */
static IrExpr *
fold_not(Cx *cx, IrExpr *e)
{
    if (e->kind != IX_OP)
        return NULL;
    if (e->op == OP_inv)
        return e->arg[0];
    IrOp o = opposite((IrOp)e->op);
    DKind k = dtype_kind((DType)e->arg[0]->dtype);
    bool exact = k != DK_FLOAT && k != DK_COMPLEX;
    if (o == OP_COUNT || (!exact && e->op != OP_eq && e->op != OP_ne))
        return NULL;
    return ir_raw_op(cx, o, e->arg);
}

static IrExpr *
fold_bool(Cx *cx, IrOp op, IrExpr **a)
{
    int64_t c;
    if (op == OP_inv)
        return fold_not(cx, a[0]);
    if (op_info[op].n != 2 || !ir_is_const(a[1], &c))
        return NULL;
    switch (op) {
    case OP_and:
    case OP_mul:
        return c ? a[0] : a[1];
    case OP_or:
    case OP_add:
        return c ? a[1] : a[0];
    case OP_eq:
    case OP_ne:
        return (op == OP_eq) == (c != 0) ? a[0] : ir_op(cx, OP_inv, a[0]);
    default:
        return NULL;
    }
}

static IrExpr *
fold_select(Cx *cx, IrExpr **a)
{
    int64_t c, x, y;
    if (ir_is_const(a[0], &c))
        return c ? a[1] : a[2];
    if (ir_expr_equal(a[1], a[2]))
        return a[1];
    if (a[0]->kind == IX_OP && a[0]->op == OP_inv)
        return ir_op(cx, OP_select, a[0]->arg[0], a[2], a[1]);
    if (a[1]->dtype != DT_bool)
        return NULL;
    if (ir_expr_equal(a[0], a[1]))
        return ir_op(cx, OP_or, a[0], a[2]);
    if (ir_expr_equal(a[0], a[2]))
        return ir_op(cx, OP_and, a[0], a[1]);
    bool cx1 = ir_is_const(a[1], &x), cy = ir_is_const(a[2], &y);
    if (cx1 && cy)
        return x ? a[0] : ir_op(cx, OP_inv, a[0]);
    if (cx1 && x)
        return ir_op(cx, OP_or, a[0], a[2]);
    if (cy && !y)
        return ir_op(cx, OP_and, a[0], a[1]);
    return NULL;
}

static bool
all_const(IrExpr *const *a, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i]->kind != IX_CONST)
            return false;
    return true;
}

IrExpr *
ir_opv(Cx *cx, IrOp op, IrExpr **args)
{
    int n = op_info[op].n;
    IrExpr *a[3] = {args[0], n > 1 ? args[1] : NULL, n > 2 ? args[2] : NULL};
    DKind k = dtype_kind((DType)a[0]->dtype);
    bool exact = k != DK_FLOAT && k != DK_COMPLEX;
    if (exact && (op_info[op].flags & OPF_COMMUTES) && a[0]->kind == IX_CONST) {
        a[0] = args[1];
        a[1] = args[0];
    }
    IrExpr *r = NULL;
    if (op == OP_select) {
        r = fold_select(cx, a);
    } else if (all_const(a, n)) {
        DType d1 = (DType)a[n > 1]->dtype;
        IrExpr *c = new_expr(cx, IX_CONST, op_result(op, (DType)a[0]->dtype, d1), 0);
        r = ir_eval(op, a, c) ? c : NULL;
    } else if (exact && n <= 2) {
        r = k == DK_BOOL ? fold_bool(cx, op, a) : fold_int(cx, op, a);
    }
    return r ? r : ir_raw_op(cx, op, a);
}

IrExpr *
ir_op(Cx *cx, IrOp op, ...)
{
    IrExpr *a[3] = {0};
    va_list ap;
    va_start(ap, op);
    for (int i = 0; i < op_info[op].n; i++)
        a[i] = va_arg(ap, IrExpr *);
    va_end(ap);
    return ir_opv(cx, op, a);
}

static bool
int_holds(DType wide, DType d)
{
    return (dtype_is_int(d) || d == DT_bool) && dtype_is_int(wide) &&
           dtype_can_cast_safely(d, wide);
}

IrExpr *
ir_cast(Cx *cx, DType d, IrExpr *e)
{
    if (e->dtype == d)
        return e;
    if (e->kind == IX_CONST) {
        IrExpr *c = new_expr(cx, IX_CONST, d, 0);
        if (ir_eval_cast(e, c))
            return c;
    }
    /* i8 -> i64 -> i32: the middle holds every value, so it makes no difference. */
    if (e->kind == IX_CAST && (dtype_is_int(d)) &&
        int_holds((DType)e->dtype, (DType)e->arg[0]->dtype))
        return ir_cast(cx, d, e->arg[0]);
    return ir_raw_cast(cx, d, e);
}
