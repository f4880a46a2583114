/* SPDX-License-Identifier: BSD-3-Clause
 * How many numbers there are from a start to a stop. Takes int64s, yields one: at most the
 * greatest. The hard idea is that the span of two int64s needs 65 bits, while loops and
 * their passes want the plain difference: so that is what is computed, and where it can
 * overflow, the unsigned one is chosen instead. */
#include "numpy/internal.h"

static IrExpr *
unsigned_of(IrBuilder *b, IrExpr *e)
{
    return ir_cast(b->cx, DT_u64, e);
}

static bool
is_one(const IrExpr *e)
{
    int64_t k;
    return ir_is_const(e, &k) && k == 1;
}

/* ceil((stop - start) / step): floordiv rounds down, and -((start - stop) // step) up. */
static IrExpr *
plain_length(IrBuilder *b, IrExpr *start, IrExpr *stop, IrExpr *step)
{
    if (is_one(step))
        return np_op2(b, OP_max, np_op2(b, OP_sub, stop, start), np_int(b, 0));
    IrExpr *down = np_op2(b, OP_floordiv, np_op2(b, OP_sub, start, stop), step);
    return np_op2(b, OP_max, np_op1(b, OP_neg, down), np_int(b, 0));
}

/* Where the difference overflows one bound is negative and one is not. */
static IrExpr *
wide_length(IrBuilder *b, IrExpr *start, IrExpr *stop, IrExpr *step)
{
    IrExpr *rises = np_op2(b, OP_lt, np_cp(b, start), np_int(b, 0));
    rises = val_freeze(b, rises);
    IrExpr *up = np_op2(b, OP_gt, np_cp(b, step), np_int(b, 0));
    IrExpr *span =
        np_op3(b, OP_select, np_cp(b, rises), np_op2(b, OP_sub, np_cp(b, stop), np_cp(b, start)),
               np_op2(b, OP_sub, np_cp(b, start), np_cp(b, stop)));
    IrExpr *last = np_op2(b, OP_sub, unsigned_of(b, span), ir_int(b->cx, DT_u64, 1));
    IrExpr *by = unsigned_of(b, np_op1(b, OP_abs, np_cp(b, step)));
    IrExpr *n = np_op2(b, OP_floordiv, last, by);
    n = np_op2(b, OP_min, n, ir_int(b->cx, DT_u64, INT64_MAX - 1));
    n = np_op2(b, OP_add, ir_cast(b->cx, DT_i64, n), np_int(b, 1));
    return np_op3(b, OP_select, np_op2(b, OP_eq, rises, up), n, np_int(b, 0));
}

/* step is not 0. A kernel's threads start at 0 and above, and stop at a size. */
IrExpr *
np_range_length(IrBuilder *b, IrExpr *start, IrExpr *stop, IrExpr *step)
{
    int64_t k;
    if (ir_is_const(start, &k) && k >= 0 && is_one(step))
        return np_op2(b, OP_sub, np_op2(b, OP_max, stop, start), np_cp(b, start));
    if (b->cx->opt && b->cx->opt->kernel)
        return plain_length(b, start, stop, step);
    start = val_freeze(b, start);
    stop = val_freeze(b, stop);
    step = val_freeze(b, step);
    IrExpr *span = val_freeze(b, np_op2(b, OP_sub, np_cp(b, stop), np_cp(b, start)));
    IrExpr *wraps = np_op2(b, OP_and, np_op2(b, OP_xor, np_cp(b, stop), np_cp(b, start)),
                           np_op2(b, OP_xor, np_cp(b, stop), np_cp(b, span)));
    wraps = np_op2(b, OP_or, np_op2(b, OP_lt, wraps, np_int(b, 0)),
                   np_op2(b, OP_eq, span, np_int(b, INT64_MIN))); /* has no negative */
    IrExpr *wide = wide_length(b, start, stop, step);
    return np_op3(b, OP_select, wraps, wide,
                  plain_length(b, np_cp(b, start), np_cp(b, stop), np_cp(b, step)));
}
