/* SPDX-License-Identifier: BSD-3-Clause
 * Dates and time spans: int64s of which the least is "not a time" (NaT). Takes a call that sema has
 * found how to do (def/time.def); yields expressions of integers, in which operands are converted
 * to one unit first and NaT is what NumPy makes of it. As it is the least number, some operations
 * need no test: the lesser of two is NaT where one is. What is to have it above all others is
 * computed of numbers less one, which wrap. */
#include "numpy/internal.h"

#define NAT INT64_MIN

static IrExpr *
nat(IrBuilder *b)
{
    return np_int(b, NAT);
}

static IrExpr *
is_nat(IrBuilder *b, const IrExpr *x)
{
    return np_op2(b, OP_eq, np_cp(b, x), nat(b));
}

static IrExpr *
not_nat(IrBuilder *b, const IrExpr *x)
{
    return np_op2(b, OP_ne, np_cp(b, x), nat(b));
}

static IrExpr *
nat_where(IrBuilder *b, IrExpr *bad, IrExpr *e)
{
    return np_op3(b, OP_select, bad, nat(b), e);
}

static IrExpr *
plus(IrBuilder *b, IrExpr *x, int64_t k)
{
    return k ? np_op2(b, OP_add, x, np_int(b, k)) : x;
}

static IrExpr *
times(IrBuilder *b, IrExpr *x, int64_t k)
{
    return k == 1 ? x : np_op2(b, OP_mul, x, np_int(b, k));
}

static IrExpr *
floor_by(IrBuilder *b, IrExpr *x, int64_t k)
{
    return k == 1 ? x : np_op2(b, OP_floordiv, x, np_int(b, k));
}

static IrExpr *
mod_by(IrBuilder *b, IrExpr *x, int64_t k)
{
    return np_op2(b, OP_mod, x, np_int(b, k));
}

/* ---- units ---- */

/* Days before the first of a month, of months since January 1970: years begin in March, so that
 * the leap day is the last one of its year. */
static IrExpr *
days_before(IrBuilder *b, IrExpr *months)
{
    IrExpr *m = val_freeze(b, plus(b, months, 1970 * 12 - 2)); /* since March of year 0 */
    IrExpr *y = val_freeze(b, floor_by(b, np_cp(b, m), 12));
    IrExpr *era = val_freeze(b, floor_by(b, np_cp(b, y), 400));
    IrExpr *of_era = val_freeze(b, mod_by(b, np_cp(b, y), 400));
    IrExpr *day = floor_by(b, plus(b, times(b, mod_by(b, m, 12), 153), 2), 5);
    IrExpr *leap =
        np_op2(b, OP_sub, floor_by(b, np_cp(b, of_era), 4), floor_by(b, np_cp(b, of_era), 100));
    IrExpr *sum = np_op2(b, OP_add, times(b, np_cp(b, of_era), 365), leap);
    sum = np_op2(b, OP_add, sum, day);
    return plus(b, np_op2(b, OP_add, sum, times(b, era, 146097)), -719468);
}

/* Months since January 1970 of a day. */
static IrExpr *
months_before(IrBuilder *b, IrExpr *days)
{
    IrExpr *z = val_freeze(b, plus(b, days, 719468));
    IrExpr *era = val_freeze(b, floor_by(b, np_cp(b, z), 146097));
    IrExpr *d = val_freeze(b, mod_by(b, z, 146097));
    IrExpr *y = np_op2(b, OP_sub, np_cp(b, d), floor_by(b, np_cp(b, d), 1460));
    y = np_op2(b, OP_add, y, floor_by(b, np_cp(b, d), 36524));
    y = val_freeze(b, floor_by(b, np_op2(b, OP_sub, y, floor_by(b, np_cp(b, d), 146096)), 365));
    IrExpr *before = np_op2(b, OP_sub, floor_by(b, np_cp(b, y), 4), floor_by(b, np_cp(b, y), 100));
    before = np_op2(b, OP_add, times(b, np_cp(b, y), 365), before);
    IrExpr *day = np_op2(b, OP_sub, d, before);
    IrExpr *month = floor_by(b, plus(b, times(b, day, 5), 2), 153);
    IrExpr *year = np_op2(b, OP_add, y, times(b, era, 400));
    return plus(b, np_op2(b, OP_add, times(b, year, 12), month), 2 - 1970 * 12);
}

static IrExpr *
scaled(IrBuilder *b, IrExpr *x, DType from, DType to)
{
    int64_t num, den;
    time_factor(from, to, &num, &den); /* sema has asked whether it fits */
    return floor_by(b, times(b, x, num), den);
}

/* By the calendar, of dates between months and days. */
static IrExpr *
calendar(IrBuilder *b, IrExpr *x, DType from, DType to)
{
    DType day = dtype_of_time(DK_DATE, UNIT_D, 1), month = dtype_of_time(DK_DATE, UNIT_M, 1);
    if (time_is_calendar(from))
        return scaled(b, days_before(b, scaled(b, x, from, month)), day, to);
    return scaled(b, months_before(b, scaled(b, x, from, day)), month, to);
}

static IrExpr *
convert(IrBuilder *b, IrExpr *x, DType from, DType to)
{
    bool dates = dtype_kind(from) == DK_DATE && dtype_kind(to) == DK_DATE;
    const DTypeParam *p = dtype_param(from), *q = dtype_param(to);
    bool same = !p || !q || p->unit == UNIT_generic || q->unit == UNIT_generic ||
                (p->unit == q->unit && p->count == q->count);
    if (same)
        return x;
    x = val_freeze(b, x);
    IrExpr *bad = is_nat(b, x);
    bool by_calendar = dates && time_is_calendar(from) != time_is_calendar(to);
    return nat_where(b, bad, by_calendar ? calendar(b, x, from, to) : scaled(b, x, from, to));
}

/* ---- operations ---- */

static IrExpr *
any_nat(IrBuilder *b, const IrExpr *x, const IrExpr *y)
{
    return np_op2(b, OP_or, is_nat(b, x), is_nat(b, y));
}

/* A float as a span: NaT where it is infinite or a NaN. */
static IrExpr *
from_float(IrBuilder *b, const IrExpr *x, IrExpr *r)
{
    r = val_freeze(b, r);
    IrExpr *bad = np_op1(b, OP_inv, np_op1(b, OP_isfinite, np_cp(b, r)));
    return nat_where(b, np_op2(b, OP_or, is_nat(b, x), bad), ir_cast(b->cx, DT_i64, r));
}

/* Rounded to zero, as C does. */
static IrExpr *
divide_whole(IrBuilder *b, const IrExpr *x, const IrExpr *y)
{
    IrExpr *zero = val_freeze(b, np_op2(b, OP_eq, np_cp(b, y), np_int(b, 0)));
    IrExpr *bad = val_freeze(b, np_op2(b, OP_or, is_nat(b, x), np_cp(b, zero)));
    IrExpr *n = np_op3(b, OP_select, np_cp(b, bad), np_int(b, 0), np_cp(b, x));
    IrExpr *d = np_op3(b, OP_select, zero, np_int(b, 1), np_cp(b, y));
    return nat_where(b, bad, np_op2(b, OP_tdiv, n, d));
}

static IrExpr *
quotient(IrBuilder *b, const IrExpr *x, const IrExpr *y)
{
    IrExpr *n = ir_cast(b->cx, DT_f64, np_cp(b, x)), *d = ir_cast(b->cx, DT_f64, np_cp(b, y));
    return np_op3(b, OP_select, any_nat(b, x, y), ir_float(b->cx, DT_f64, __builtin_nan("")),
                  np_op2(b, OP_div, n, d));
}

/* Of what is above all others where it is NaT. */
static IrExpr *
with_nat_last(IrBuilder *b, IrOp op, IrExpr *x, IrExpr *y)
{
    return plus(b, np_op2(b, op, plus(b, x, -1), plus(b, y, -1)), 1);
}

static IrExpr *
compared(IrBuilder *b, IrOp op, IrExpr *x, IrExpr *y)
{
    IrExpr *known = not_nat(b, op == OP_gt || op == OP_ge ? y : x), *e = np_op2(b, op, x, y);
    return np_op2(b, op == OP_ne ? OP_or : OP_and, e,
                  op == OP_ne ? np_op1(b, OP_inv, known) : known);
}

static IrExpr *
two(IrBuilder *b, int op, IrExpr *x, IrExpr *y)
{
    IrExpr *zero;
    switch (op) {
    case TIME_add:
        return nat_where(b, any_nat(b, x, y), np_op2(b, OP_add, x, y));
    case TIME_sub:
        return nat_where(b, any_nat(b, x, y), np_op2(b, OP_sub, x, y));
    case TIME_mul: /* one of them is the span: sema has put it first */
        return nat_where(b, is_nat(b, x), np_op2(b, OP_mul, x, y));
    case TIME_mulf:
        return from_float(b, x, np_op2(b, OP_mul, ir_cast(b->cx, DT_f64, np_cp(b, x)), y));
    case TIME_div:
        return quotient(b, x, y);
    case TIME_divq:
        return divide_whole(b, x, y);
    case TIME_divd:
        return from_float(b, x, np_op2(b, OP_div, ir_cast(b->cx, DT_f64, np_cp(b, x)), y));
    case TIME_floordiv:
        return np_op3(b, OP_select, any_nat(b, x, y), np_int(b, 0), np_op2(b, OP_floordiv, x, y));
    case TIME_mod:
        zero = np_op2(b, OP_eq, np_cp(b, y), np_int(b, 0));
        return nat_where(b, np_op2(b, OP_or, zero, any_nat(b, x, y)), np_op2(b, OP_mod, x, y));
    case TIME_eq:
        return compared(b, OP_eq, x, y);
    case TIME_ne:
        return compared(b, OP_ne, x, y);
    case TIME_lt:
        return compared(b, OP_lt, x, y);
    case TIME_le:
        return compared(b, OP_le, x, y);
    case TIME_gt:
        return compared(b, OP_gt, x, y);
    case TIME_ge:
        return compared(b, OP_ge, x, y);
    case TIME_min:
        return np_op2(b, OP_min, x, y);
    case TIME_fmax:
        return np_op2(b, OP_max, x, y);
    case TIME_max:
        return with_nat_last(b, OP_max, x, y);
    case TIME_fmin:
        return with_nat_last(b, OP_min, x, y);
    default:
        return x;
    }
}

static IrExpr *
one(IrBuilder *b, int op, IrExpr *x)
{
    switch (op) {
    case TIME_neg:
        return np_op1(b, OP_neg, x);
    case TIME_abs:
        return np_op1(b, OP_abs, x);
    case TIME_sign:
        return np_op1(b, OP_sign, x);
    case TIME_isnat:
        return is_nat(b, x);
    case TIME_isfinite:
        return not_nat(b, x);
    case TIME_never: /* of x, which may have a shape */
        return np_op2(b, OP_ne, x, np_cp(b, x));
    default:
        return x;
    }
}

IrExpr *
np_time_expr(IrBuilder *b, int op, int n, const DType *in, IrExpr **args, DType out)
{
    IrExpr *x[2];
    if (op == TIME_convert)
        return convert(b, ir_cast(b->cx, dtype_storage(in[0]), args[0]), in[0], out);
    for (int i = 0; i < n && i < 2; i++)
        x[i] = val_freeze(b, ir_cast(b->cx, dtype_storage(in[i]), args[i]));
    return n == 1 ? one(b, op, x[0]) : two(b, op, x[0], x[1]);
}

/* ---- calls ---- */

static Val
converted(IrBuilder *b, Val v, DType from, DType to)
{
    if (from == to || !v.type)
        return v;
    v = np_as_array(b, v);
    if (!dtype_is_param(from)) /* a number is a count of the unit */
        return np_lazy(b, XOP_id, 1, &v, &(DType){val_dtype(&v)}, dtype_storage(to), NULL);
    return np_lazy(b, XOP_time + TIME_convert, 1, &v, &from, to, NULL);
}

/* The operands that sema has told of: the first parameters, or `*args`. */
static void
convert_args(IrBuilder *b, NpCall *c, int first)
{
    for (int k = 0; k < SW_LEN(c->time.from) && first + k < c->n; k++) {
        Val *v = &c->arg[first + k];
        if (c->time.from[k] != c->time.to[k] && v->kind != VK_NONE)
            *v = converted(b, *v, c->time.from[k], c->time.to[k]);
    }
}

static Val
elementwise(IrBuilder *b, NpCall *c, int n)
{
    bool swap = (c->time.op == TIME_mul || c->time.op == TIME_mulf) &&
                !dtype_is_param(c->time.to[0]); /* 2 * span */
    Val *arg = NEW_N(&b->cx->arena, Val, n);
    DType in[2];
    for (int i = 0; i < n; i++) {
        int k = swap ? n - 1 - i : i;
        arg[k] = np_as_array(b, c->arg[i]);
        in[k] = c->in[i];
    }
    const Type *t = c->n > n && c->arg[n].type ? NULL : c->result;
    if (c->time.op != TIME_divmod) {
        Val v = np_lazy_of(b, c, XOP_time + c->time.op, n, arg, in, c->out[0], t);
        return np_finish(b, c, v);
    }
    for (int i = 0; i < n; i++)
        if (arg[i].kind == VK_LAZY)
            arg[i] = np_materialize(b, arg[i], LAY_C);
        else
            val_pin(b, &arg[i]);
    Val r[2];
    for (int k = 0; k < 2; k++)
        r[k] = np_lazy(b, XOP_time + (k ? TIME_mod : TIME_floordiv), n, arg, in, c->out[k],
                       c->result->elems[k]);
    return val_tuple(b, c->result, 2, r);
}

/* Numbers that are less or more by one, of an array or a scalar. */
static Val
shifted(IrBuilder *b, Val v, int64_t by, const Type *t)
{
    const Type *i64 = type_scalar(b->cx->types, DT_i64, false);
    DType in[2] = {DT_i64, DT_i64};
    Val arg[2] = {v, val_scalar(b, i64, np_int(b, by))};
    return np_lazy(b, OP_add, 2, arg, in, DT_i64, t);
}

static Val
reusable(IrBuilder *b, Val v)
{
    v = np_as_array(b, v);
    if (v.kind == VK_LAZY)
        return np_materialize(b, v, LAY_C);
    val_pin(b, &v);
    return v;
}

/* Where NaT comes last: the row of integers, of numbers less one. */
static Val
nat_last(IrBuilder *b, NpCall *c)
{
    Val *out = np_out(c), to = out ? *out : (Val){0};
    if (out)
        *out = (Val){0};
    c->arg[0] = shifted(b, np_as_array(b, c->arg[0]), -1, NULL);
    Val v = np_expand(b, c);
    if (dtype_is_param((DType)c->result->dtype))
        v = shifted(b, v, 1, out ? NULL : c->result);
    if (!out)
        return v;
    np_assign_out(b, &to, v);
    return to;
}

/* The sum, a mean or running sums, each NaT where one of its terms is. */
static Val
total(IrBuilder *b, NpCall *c)
{
    Val *out = np_out(c), to = out ? *out : (Val){0};
    NpCall any = *c;
    bool mean = c->time.op == TIME_mean, scan = c->fn->id == BI_np_cumsum;
    if (out)
        *out = (Val){0};
    Val a = c->arg[0] = reusable(b, c->arg[0]);
    any.arg = arena_dup(&b->cx->arena, c->arg, sizeof(Val) * (size_t)c->n);
    DType in = DT_i64;
    any.arg[0] = np_lazy(b, XOP_time + TIME_isnat, 1, &a, &in, DT_bool, NULL);
    any.in[0] = DT_bool;
    any.out[0] = DT_i64;
    c->in[0] = c->out[0] = DT_i64;
    any.fn = scan ? c->fn : &builtin_table[BI_np_sum];
    NpCall sum = *c;
    sum.fn = any.fn;
    Val how_many = np_expand(b, &any), all = np_expand(b, &sum);
    DType kinds[3] = {DT_bool, DT_i64, DT_i64};
    const Type *i64 = type_scalar(b->cx->types, DT_i64, false);
    if (mean) {
        IrExpr *n = ir_op(b->cx, OP_floordiv, np_size(b, &a),
                          ir_op(b->cx, OP_max, np_size(b, &all), np_int(b, 1)));
        Val by[2] = {all, val_scalar(b, i64, val_freeze(b, n))};
        DType both[2] = {DT_i64, DT_i64};
        all = np_lazy(b, XOP_time + TIME_divq, 2, by, both, DT_i64, NULL);
    }
    Val arg[3] = {how_many, val_scalar(b, i64, nat(b)), all};
    Val v = np_lazy(b, OP_select, 3, arg, kinds, DT_i64, out ? NULL : c->result);
    if (!out)
        return v;
    np_assign_out(b, &to, v);
    return to;
}

/* min(max(a, lo), hi), of which one NaT makes NaT. */
static Val
clip(IrBuilder *b, NpCall *c)
{
    DType in[2] = {DT_i64, DT_i64};
    Val v = np_as_array(b, c->arg[0]);
    for (int k = 1; k < 3; k++) {
        if (k >= c->n || !c->arg[k].type || c->arg[k].type->kind == TY_NONE)
            continue;
        Val arg[2] = {v, np_as_array(b, c->arg[k])};
        v = np_lazy_of(b, c, XOP_time + (k == 1 ? TIME_max : TIME_min), 2, arg, in, DT_i64, NULL);
    }
    return np_finish(b, c, np_retype(v, np_out(c) ? v.type : c->result));
}

Val
np_time_call(IrBuilder *b, NpCall *c)
{
    bool ufunc = c->fn->family == BF_UFUNC;
    convert_args(b, c, c->fn->id == BI_np_arange ? np_n_params(c->fn) : 0);
    if (ufunc)
        return elementwise(b, c, c->fn->nin);
    switch (c->time.op) {
    case TIME_convert:
        return np_retype(np_as_array(b, c->arg[0]), c->result);
    case TIME_last:
        return nat_last(b, c);
    case TIME_total:
    case TIME_mean:
        return total(b, c);
    case TIME_clip:
        return clip(b, c);
    default:
        return np_expand(b, c);
    }
}
