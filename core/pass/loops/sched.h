/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of the pass sched share: sums that a loop carries. */
#ifndef SWATHE_PASS_SCHED_H
#define SWATHE_PASS_SCHED_H
#include "pass/pass.h"

/* s = s + ... : the set or store, what it sets to, and the operations on the way down to
 * where the old value is read, which is the last one's operand `side`. */
typedef struct SchedSum {
    IrStmt *at;
    IrStmt *made; /* the set of the variable that a store stores; or NULL */
    IrExpr *op[8];
    int n, side;
} SchedSum;

/* ---- sched_sum.c: a[k] += x in a loop where k stays the same becomes a scalar's sum. False: it
 * can't. */
bool sched_to_scalar(PassCx *p, IrFunc *f, IrBlock *blk, IrStmt *loop, const SchedSum *sum);
#endif
