/* SPDX-License-Identifier: BSD-3-Clause
 * Between which constants a term of an affine form is, by its operation, by the dtype that it was
 * cast from, or by the constant array that it is an element of. */
#include "ir/search.h"
#include "pass/analysis/know.h"

/* lo <= term <= hi from the dtype that it was cast from. */
static bool
cast_range(const IrExpr *t, int64_t *lo, int64_t *hi)
{
    DType d = (DType)t->arg[0]->dtype;
    int bits = dtype_info[d].bits;
    if (d == DT_bool || (dtype_kind(d) == DK_UINT && bits < 64)) {
        *lo = 0;
        *hi = d == DT_bool ? 1 : ((int64_t)1 << bits) - 1;
        return true;
    }
    if (dtype_kind(d) == DK_INT && bits < 64) {
        *lo = -((int64_t)1 << (bits - 1));
        *hi = ((int64_t)1 << (bits - 1)) - 1;
        return true;
    }
    return false;
}

/* mod(x, c), and(x, c), popcounts: constant ranges. */
static bool
op_range(const IrExpr *t, int64_t *lo, int64_t *hi)
{
    int64_t c;
    *lo = 0;
    if (t->op == OP_sign) {
        *lo = -1;
        *hi = 1;
        return true;
    }
    if (t->n != 2 || !ir_is_const(t->arg[1], &c) || c <= 0)
        return false;
    *hi = t->op == OP_mod ? c - 1 : c;
    return t->op == OP_mod || t->op == OP_and;
}

/* An element of a constant array, cast or as it is. */
static bool
element_range(const IrExpr *t, int64_t *lo, int64_t *hi)
{
    const IrExpr *e = t->kind == IX_CAST ? t->arg[0] : t;
    if (t->dtype != DT_i64 || e->kind != IX_LOAD || !e->var->range)
        return false;
    *lo = e->var->range[0];
    *hi = e->var->range[1];
    return true;
}

bool
know_term_range(const IrExpr *t, int64_t *lo, int64_t *hi)
{
    if (element_range(t, lo, hi))
        return true;
    return t->kind == IX_CAST ? cast_range(t, lo, hi) : t->kind == IX_OP && op_range(t, lo, hi);
}
