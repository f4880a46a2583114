/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of pass outline share: a loop on its way into a function of its own. */
#ifndef SWATHE_PASS_OUTLINE_H
#define SWATHE_PASS_OUTLINE_H
#include "pass/pass.h"
#include "pass/analysis/walk.h"

enum { USED = 1, DEFINED = 2, DROPPED = 4, LOOP_VAR = 8, TWICE = 16 };

/* A loop of n iterations in chunks of `size`; both are unsigned, in an i64. */
typedef struct Split {
    IrStmt *loop; /* NULL: not split */
    int64_t step;
    IrExpr *lo; /* a constant, or a variable: of f, then of g */
    IrVar *n, *size;
    bool quick; /* no poll */
} Split;

typedef struct Outline {
    PassCx *p;
    Cx *cx;
    IrFunc *f, *g; /* where the loop is, and the function of a chunk */
    IrStmt *loop;
    bool inner;    /* it is in another loop, which does not run on workers */
    IrBuilder out; /* statements that take the loop's place */
    IrBuilder in;  /* the body of g */
    Map to;        /* variables of f -> those of g */
    uint8_t *seen; /* USED, ... of each variable of f, by id */
    IrStmt **def;  /* its definition in the loop, by id; of no use when TWICE */
    int n_seen;
    Vec(IrArg) args;  /* of the run */
    Know *k;          /* what is known before the loop */
    Split rows, cols; /* of the loop, and of the one in it where rows may be few */
    IrVar *pieces;    /* chunks of a row, when cols are split */
    IrVar *chunks;    /* in f, i64: how many */
    IrExpr *last;     /* in g: this chunk has the last iteration */
    struct OutlineRed {
        IrVar *parts, *in_g; /* a partial result for each chunk */
        IrVar *all;          /* in g: the array itself that is reduced into */
    } * red;
    struct OutlineLast {
        IrVar *cell, *in_g; /* one element */
    } * kept;
} Outline;

/* ---- outline.c ---- */
/* what the loop mentions; nothing is changed */
void outline_begin(Outline *o, PassCx *p, IrFunc *f, IrStmt *s, IrBlock *out);
bool outline_can(Outline *o);     /* it doesn't leave the function or an outer loop */
void outline_capture(Outline *o); /* what it reads of its surroundings: arguments and parameters */
void outline_locals(Outline *o);  /* variables of g for what it assigns */
/* the statements of `out` take the loop's place in b */
void outline_end(Outline *o, IrBlock *b, IrBlock *out);
IrVar *outline_param(Outline *o, const IrVar *like, const char *name);
void outline_pass(Outline *o, IrVar *arr, IrExpr *e); /* an argument for the last parameter */

/* ---- outline_split.c: which iterations are a chunk ---- */
/* the independent loop that is all of outer's body, but for what each of its threads can do for
 * itself and drops behind it; or NULL */
IrStmt *split_inner(const Outline *o, const IrStmt *outer);
bool split_is_one_for_sure(Outline *o);
void split_sizes(Outline *o);                        /* in f, before the run */
void split_send(Outline *o);                         /* as arguments and parameters */
void split_take(Outline *o, IrStmt *loop, IrVar *c); /* in g: the loop runs those of chunk c */

IrExpr *split_is_one(Outline *o);

/* ---- outline_know.c: what is known before the loop, for the passes that look at g ---- */
void known_capture(Outline *o); /* before parameters are made */
void known_here(Outline *o);    /* at the start of g */
void known_count(Outline *o, const Split *z, const IrExpr *skipped, const IrExpr *n);
void known_range(Outline *o, const Split *z, const IrStmt *chunk); /* of a chunk's loop */

/* ---- outline_cost.c: nanoseconds of one iteration, roughly, on one core; f64 ---- */
IrExpr *workers_cost(Outline *o);

/* ---- outline_red.c: reductions, and values wanted after the loop ---- */
bool reds_arrays(const Outline *o);
IrExpr *reds_elements(Outline *o); /* of all arrays that are reduced into, i64 */
void reds_alloc(Outline *o);       /* places for partial results, as arguments and parameters */
void reds_relax(Outline *o, IrBlock *copy); /* sums may be taken in any order */
void reds_begin(Outline *o);                /* in g, before the loop */
void reds_end(Outline *o);                  /* in g, after it */
void reds_combine(Outline *o);              /* in f, after the run */
bool reds_fail_more(const IrStmt *loop);    /* in chunks than it does as a whole */
#endif
