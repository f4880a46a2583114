/* SPDX-License-Identifier: BSD-3-Clause
 * Between which constants a term of an affine form is, by its operation, by the dtype that it was
 * cast from, or by the constant array that it is an element of. */
#include "ir/search.h"
#include "pass/analysis/know.h"

typedef struct Interval {
    int64_t lo, hi;
} Interval;

enum { DEPTH = 8 };

static bool
dtype_interval(DType d, Interval *r)
{
    int bits = dtype_info[d].bits;
    bool is_unsigned = dtype_kind(d) == DK_UINT;
    if (d == DT_bool) {
        *r = (Interval){0, 1};
        return true;
    }
    if ((!is_unsigned && dtype_kind(d) != DK_INT) || bits >= 64)
        return false;
    *r = is_unsigned ? (Interval){0, ((int64_t)1 << bits) - 1}
                     : (Interval){-((int64_t)1 << (bits - 1)), ((int64_t)1 << (bits - 1)) - 1};
    return true;
}

static int64_t
floor_div(int64_t x, int64_t c)
{
    return x / c - (x % c < 0);
}

static bool interval(const IrExpr *e, int depth, Interval *r);

/* and(x, c): not above c, nor above x where that isn't negative */
static bool
and_interval(const IrExpr *e, int depth, Interval *r)
{
    for (int i = 0; i < 2; i++) {
        Interval x;
        int64_t c;
        if (!ir_is_const(e->arg[i], &c) || c < 0)
            continue;
        bool below = interval(e->arg[!i], depth, &x) && x.lo >= 0 && x.hi < c;
        *r = (Interval){0, below ? x.hi : c};
        return true;
    }
    return false;
}

/* Of x, which is in *r, and a constant. */
static bool
by_constant(const IrExpr *e, Interval *r)
{
    int64_t c;
    if (e->n != 2 || !ir_is_const(e->arg[1], &c))
        return false;
    switch (e->op) {
    case OP_shr:
        if (c < 0)
            return false;
        c = c > 63 ? 63 : c;
        *r = (Interval){r->lo >> c, r->hi >> c};
        return true;
    case OP_floordiv:
        if (c <= 0)
            return false;
        *r = (Interval){floor_div(r->lo, c), floor_div(r->hi, c)};
        return true;
    default:
        return false;
    }
}

static bool
op_interval(const IrExpr *e, int depth, Interval *r)
{
    int64_t c;
    Interval x;
    if (e->op == OP_and)
        return and_interval(e, depth, r);
    if (e->op == OP_mod && ir_is_const(e->arg[1], &c) && c > 0) {
        *r = (Interval){0, c - 1};
        return true;
    }
    if (e->op == OP_select) {
        if (!interval(e->arg[1], depth, r) || !interval(e->arg[2], depth, &x))
            return false;
        *r = (Interval){x.lo < r->lo ? x.lo : r->lo, x.hi > r->hi ? x.hi : r->hi};
        return true;
    }
    return (e->op == OP_shr || e->op == OP_floordiv) && interval(e->arg[0], depth, r) &&
           by_constant(e, r);
}

/* lo <= e <= hi, from its operations and dtypes; false: nothing is known. */
static bool
interval(const IrExpr *e, int depth, Interval *r)
{
    DType d = (DType)e->dtype;
    Interval own, x;
    int64_t c;
    bool bounded = dtype_interval(d, &own);
    if (!bounded && dtype_kind(d) != DK_INT && dtype_kind(d) != DK_UINT)
        return false;
    if (d != DT_u64 && ir_is_const(e, &c)) {
        *r = (Interval){c, c};
        return true;
    }
    if (e->kind == IX_LOAD && e->var->range && d != DT_u64) {
        *r = (Interval){e->var->range[0], e->var->range[1]};
        return true;
    }
    bool found =
        depth > 0 && (e->kind == IX_CAST ? interval(e->arg[0], depth - 1, &x)
                                         : e->kind == IX_OP && op_interval(e, depth - 1, &x));
    /* of a cast: as long as it is the same number */
    if (found && (bounded ? x.lo >= own.lo && x.hi <= own.hi : d != DT_u64 || x.lo >= 0))
        *r = x;
    else if (bounded)
        *r = own;
    else
        return false;
    return true;
}

/* lo <= term <= hi from what it was cast from. */
static bool
cast_range(const IrExpr *t, int64_t *lo, int64_t *hi)
{
    Interval r;
    if (!interval(t->arg[0], DEPTH, &r))
        return false;
    *lo = r.lo;
    *hi = r.hi;
    return true;
}

bool
know_narrows(const IrExpr *e, int64_t *lo, int64_t *hi)
{
    Interval r, own;
    DType d = (DType)e->dtype;
    if (d == DT_bool || !interval(e, DEPTH, &r) ||
        (dtype_interval(d, &own) && r.lo == own.lo && r.hi == own.hi))
        return false;
    *lo = r.lo;
    *hi = r.hi;
    return true;
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
