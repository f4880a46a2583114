/* SPDX-License-Identifier: BSD-3-Clause
 * What is known of the operators of reductions: a row of reduce.def each. */
#include "ir/ir.h"

typedef enum Identity { NONE, ZERO, ONE, ONES, GREATEST, LEAST } Identity;
typedef struct ReduceInfo {
    Identity identity;
    int traits;
} ReduceInfo;

#define AGAIN RED_AGAIN
#define ROUNDS RED_ROUNDS
#define ZEROS RED_ZEROS
#define CHOOSES RED_CHOOSES
#define REDUCE(op, identity, traits) [OP_##op] = {identity, (traits) | RED_IS},
static const ReduceInfo info[OP_COUNT] = {
#include "def/reduce.def"
};
#undef REDUCE

int
ir_reduce_traits(int op)
{
    return info[op].traits;
}

bool
ir_reduce_in_order(int op, DType d)
{
    return info[op].traits & RED_ROUNDS && (dtype_is_float(d) || dtype_is_complex(d));
}

/* The greatest or the least value of a dtype. */
static IrExpr *
limit(Cx *cx, DType d, bool high)
{
    int bits = dtype_info[d].bits; /* of complex numbers more than 64 */
    double inf = high ? __builtin_inf() : -__builtin_inf();
    int64_t most;
    switch (dtype_kind(d)) {
    case DK_BOOL:
        return ir_int(cx, d, high);
    case DK_INT:
        most = (int64_t)(~(uint64_t)0 >> (65 - bits));
        return ir_int(cx, d, high ? most : -most - 1);
    case DK_UINT:
        return ir_int(cx, d, high ? (int64_t)(~(uint64_t)0 >> (64 - bits)) : 0);
    case DK_FLOAT:
    case DK_COMPLEX:
        break;
    }
    return dtype_is_complex(d) ? ir_complex(cx, d, inf, inf) : ir_float(cx, d, inf);
}

/* v, or of ints and bools, i */
static IrExpr *
number(Cx *cx, DType d, double v, int64_t i)
{
    if (dtype_is_complex(d))
        return ir_complex(cx, d, v, v == 0 ? v : 0);
    return dtype_is_float(d) ? ir_float(cx, d, v) : ir_int(cx, d, i);
}

IrExpr *
ir_reduce_identity(Cx *cx, int op, DType d)
{
    switch (info[op].identity) {
    case ZERO:
        return number(cx, d, -0.0, 0);
    case ONE:
        return number(cx, d, 1, 1);
    case ONES:
        return number(cx, d, 1, d == DT_bool ? 1 : ir_wrap_int(d, -1));
    case GREATEST:
    case LEAST:
        return limit(cx, d, info[op].identity == GREATEST);
    case NONE:
        break;
    }
    return NULL;
}

IrExpr *
ir_reduce_combined(Cx *cx, int op, IrExpr *old, IrExpr *x)
{
    if (!(info[op].traits & RED_CHOOSES))
        return ir_op(cx, (IrOp)op, old, x);
    return ir_op(cx, OP_select, ir_op(cx, (IrOp)op, x, old), ir_copy_expr(cx, x),
                 ir_copy_expr(cx, old));
}
