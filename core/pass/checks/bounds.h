/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of pass bounds share: what is to hold for a loop to run without its checks. */
#ifndef SWATHE_PASS_BOUNDS_H
#define SWATHE_PASS_BOUNDS_H
#include "pass/pass.h"
#include "pass/analysis/walk.h"

/* 8 terms of at most 46 bits (see guard_terms) times it don't wrap */
enum { BOUNDS_MAX_COEF = 4096 };

typedef struct Cond {
    IrAffine a;    /* >= 0 */
    IrAffine from; /* what it was made from: its variables must be guarded unless plain */
    bool plain;
    uint64_t needs; /* of Know.need, must be small */
} Cond;

/* all three must be >= 0, `wrapped` in place of `low` for a negative index */
typedef struct Check {
    IrAffine low, high, wrapped, dim;
} Check;

typedef struct Found { /* a check that a version or an inspector has made unnecessary */
    bool holds, low;   /* low: the index is >= 0 */
    bool first;        /* it may have been inspected alone */
    Check c;           /* as it was when that was found */
} Found;

typedef struct Bounds {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    Walk w;
    bool collect; /* looking for what can be hoisted out of the loop with these effects: */
    IrEffects fx;
    Vec(IrStmt *) found; /* checks that can */
    Vec(Cond) conds;     /* the conditions under which they hold */
    Vec(IrExpr *) tests; /* more of them: those of checks that the loop does not change */
    Vec(IrExpr *) wraps; /* wraparounds that the conditions spare */
    Vec(IrAffine) never; /* conditions that are not to be among them */
    bool tries;          /* the function has a try */
    bool unchecked;      /* a function without index checks: wraparounds are looked for */
    bool wraps_round;    /* a condition is that some index is not negative, which is no error */
    uint64_t needs;      /* of Know.need, what must be small for what has no condition */
    int versions;        /* versioned nests that we are inside */
    int depth;           /* loops that we are inside */
    int left;            /* checks met since the loop began that stay */
    Map assumed;         /* check -> Found */
} Bounds;

/* bounds_test.c: all conditions of b as one expression, and that no sum in them wraps */
IrExpr *bounds_test(const Bounds *b);
#endif
