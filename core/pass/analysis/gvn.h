/* SPDX-License-Identifier: BSD-3-Clause
 * Global value numbering of integers and truth values: two expressions with one number are equal
 * wherever both can be evaluated. Numbers never change their meaning, so an assignment only gives
 * its variable another one. */
#ifndef SWATHE_PASS_GVN_H
#define SWATHE_PASS_GVN_H
#include "ir/ir.h"

enum { GVN_CONST = OP_COUNT, GVN_ATOM, GVN_CAST, GVN_OTHER }; /* GvnNode.op beyond IrOp */

typedef struct GvnNode {
    int op, n, arg[3]; /* numbers */
    DType dtype;
    int64_t c;   /* GVN_CONST */
    bool nonneg; /* i64: certainly >= 0 */
    int next;    /* in its bucket */
    IrVar *held; /* a variable, or an array one of whose sizes, last seen with this value */
    int axis;    /* of that array; -1: a scalar */
} GvnNode;

typedef struct Gvn {
    Cx *cx;
    Vec(GvnNode) at; /* 0 is not used: "no number" */
    int *bucket, n_buckets;
} Gvn;

void gvn_init(Gvn *t, Cx *cx);
int gvn_atom(Gvn *t, DType d, bool nonneg); /* equal to nothing else */
int gvn_const(Gvn *t, DType d, int64_t c);
int gvn_op(Gvn *t, IrOp op, const int *arg); /* 0 where an operand has none */
int gvn_cast(Gvn *t, DType d, int arg);
/* Whatever follows from these alone, of any type and number: kind tells it from others. 0 where one
 * has no number. */
int gvn_other(Gvn *t, int kind, DType d, int n, const int *arg);
bool gvn_is_const(const Gvn *t, int num, int64_t *c);
#endif
