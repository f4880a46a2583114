/* SPDX-License-Identifier: BSD-3-Clause
 * A nest of loops on its way into a kernel: what offload/kernel.c and offload/block.c share. */
#ifndef SWATHE_PASS_OFFLOAD_NEST_H
#define SWATHE_PASS_OFFLOAD_NEST_H
#include "pass/offload/offload.h"

enum { OFFLOAD_TREES = 8 };

typedef enum Way {
    ONE_EACH,
    STRIDED,
    RUNS,
    SWAPPED, /* the first loop runs inside of the others */
    SHARED,  /* a block for each iteration, loops inside shared out among its threads */
} Way;

typedef struct Nest {
    Off *w;
    Outline *o;
    IrStmt *loop[OFFLOAD_NEST];
    int n;
    int64_t step[OFFLOAD_NEST];
    IrExpr *lo[OFFLOAD_NEST];   /* in f a variable or a constant; then in g */
    IrVar *count[OFFLOAD_NEST]; /* iterations: in f, then in g */
    IrVar *total;               /* of all together: in f, then in g */
    IrVar *other;               /* STRIDED: threads there are; RUNS: iterations of one; else NULL */
    IrExpr *stop;               /* SWAPPED: where the first loop ends: in f, then in g */
    Way way;
    int block;                  /* threads */
    IrVar *tree[OFFLOAD_TREES]; /* in g: shared memory for reductions */
    IrVar *at;                  /* in g: the iteration's number, -1 before the first */
} Nest;

/* ---- offload/kernel.c ---- */
void nest_copy(Nest *z, IrBlock b); /* from first to last of b, for g */
void nest_barrier(Nest *z);
/* how often a loop from lo to hi runs: a variable, set there; both are a name or a constant */
IrVar *nest_trips(Nest *z, IrBuilder *b, IrExpr *lo, IrExpr *hi, int64_t step);
/* s's reductions over the block: each in the first element */
IrVar **nest_tree(Nest *z, const IrStmt *s);

/* ---- offload/block.c ---- */
bool nest_shares(const Nest *z);
void nest_share(Nest *z);
#endif
