/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of pass workers share: a loop on its way into a function of its own. */
#ifndef SWATHE_PASS_WORKERS_H
#define SWATHE_PASS_WORKERS_H
#include "pass/pass.h"

enum { USED = 1, DEFINED = 2, DROPPED = 4, LOOP_VAR = 8, TWICE = 16 };

typedef struct Outline {
    PassCx *p;
    Cx *cx;
    IrFunc *f, *g;   /* where the loop is, and the function of a chunk */
    IrStmt *loop;
    IrBuilder out;   /* statements that take the loop's place */
    IrBuilder in;    /* the body of g */
    Map to;          /* variables of f -> those of g */
    uint8_t *seen;   /* USED, ... of each variable of f, by id */
    IrStmt **def;    /* its definition in the loop, by id; of no use when TWICE */
    int n_seen;
    Vec(IrArg) args; /* of the run */
    IrVar *chunks;   /* in f, i64: how many */
    IrExpr *last;    /* in g: this chunk has the last iteration */
    struct OutlineRed {
        IrVar *parts, *in_g; /* a partial result for each chunk */
    } *red;
    struct OutlineLast {
        IrVar *cell, *in_g; /* one element */
    } *kept;
} Outline;

/* ---- workers.c ---- */
IrVar *outline_param(Outline *o, const IrVar *like, const char *name);
void outline_pass(Outline *o, IrVar *arr, IrExpr *e); /* an argument for the last parameter */

/* ---- workers_cost.c: nanoseconds of one iteration, roughly, on one core; f64 ---- */
IrExpr *workers_cost(Outline *o);

/* ---- workers_red.c: reductions, and values wanted after the loop ---- */
int64_t reds_most_chunks(const Outline *o);
void reds_alloc(Outline *o);  /* places for partial results, as arguments and parameters */
void reds_begin(Outline *o);  /* in g, before the loop */
void reds_end(Outline *o);    /* in g, after it */
void reds_combine(Outline *o);/* in f, after the run */
#endif
