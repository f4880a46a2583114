/* SPDX-License-Identifier: BSD-3-Clause
 * What a counted loop says of its variable: it lies between the loop's bounds, as far as these are
 * the numbers that their forms say, and is no further on than the last step goes. */
#include "pass/analysis/know.h"

LoopRange
know_range(Know *k, const IrStmt *loop)
{
    LoopRange r = {0};
    r.has_lo = know_affine(k, loop->idx[0], &r.lo);
    r.has_hi = know_affine(k, loop->idx[1], &r.hi);
    ir_is_const(loop->idx[2], &r.step);
    return r;
}

/* sign * v + c >= sign * b, when b stays what it was. With c, v is not at the end of int64,
 * wherever b is. */
static void
loop_fact(Know *k, const IrStmt *loop, const IrAffine *b, int sign, int64_t c, const IrEffects *fx)
{
    IrAffine a = {.c0 = c, .n = 1, .t = {{ir_use(k->cx, loop->var), sign}}}, end = a;
    k->used = 0;
    if (know_same_after(b, fx) && ir_affine_add(&a, b, -sign) &&
        know_fits(k, b, sign > 0 ? FITS_ABOVE : FITS_BELOW, FIT_AT_ONCE))
        know_fact(k, &a, false, k->used);
    else if (c) {
        end.c0 = sign > 0 ? INT64_MAX : INT64_MAX - 1;
        know_fact(k, &end, false, 0);
    }
}

/* The last value taken: lo + (hi - 1 - lo) // step * step, and so for falling loops. */
static void
exact_last(Know *k, const IrStmt *loop, const LoopRange *r, const IrEffects *fx)
{
    bool up = r->step > 0;
    int64_t by = up ? r->step : -r->step;
    IrAffine span = up ? r->hi : r->lo, last = r->lo, q;
    span.c0 -= 1;
    k->used = 0;
    if (!ir_affine_add(&span, up ? &r->lo : &r->hi, -1) ||
        !know_fits(k, &r->lo, FITS, FIT_AT_ONCE) || !know_fits(k, &r->hi, FITS, FIT_AT_ONCE) ||
        !know_fits(k, &span, FITS_ABOVE, FIT_AT_ONCE))
        return;
    uint64_t needs = k->used;
    IrExpr *two[2] = {ir_affine_expr(k->cx, &span), ir_int(k->cx, DT_i64, by)};
    IrAffine a = {.n = 1, .t = {{ir_use(k->cx, loop->var), up ? -1 : 1}}};
    if (ir_affine(ir_op(k->cx, OP_floordiv, two[0], two[1]), &q) &&
        ir_affine_add(&last, &q, r->step) && know_same_after(&last, fx) &&
        ir_affine_add(&a, &last, up ? 1 : -1))
        know_fact(k, &a, false, needs);
}

void
know_loop_var(Know *k, const IrStmt *loop, const LoopRange *r, const IrEffects *fx)
{
    int sign = r->step > 0 ? 1 : -1;
    if (r->has_lo)
        loop_fact(k, loop, &r->lo, sign, 0, fx);
    if (r->has_hi)
        loop_fact(k, loop, &r->hi, -sign, -1, fx);
    if (r->has_lo && r->has_hi && (r->step > 1 || r->step < -1) && r->step != INT64_MIN)
        exact_last(k, loop, r, fx);
}
