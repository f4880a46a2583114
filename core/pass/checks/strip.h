/* SPDX-License-Identifier: BSD-3-Clause
 * What strip.c (a loop over what an array of indices points at) and strip_rows.c (a nest over
 * the rows of a sparse matrix) share: finding checks that a look ahead can do, testing that it
 * may, and the look ahead itself. */
#ifndef SWATHE_PASS_STRIP_H
#define SWATHE_PASS_STRIP_H
#include "pass/pass.h"

enum {
    MAX_CHECKS = 8,
    MAX_LOADS = 6,
    MAX_PAIRS = 6,
    MAX_NODES = 24,
    /* of a body: MAX_CHECKS of its checks are nothing, and a second version of it is much */
    MAX_STMTS = 400
};

typedef struct Hoist {
    IrStmt *check;
    IrBlock *in;
    /* in terms of the loop variable and of what the loop does not change: */
    IrExpr *index;
    IrExpr *where; /* it is checked where this holds; NULL: always, or it is not known before */
} Hoist;

typedef struct Strip {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    IrStmt *loop;
    IrEffects fx;        /* of the loop */
    int64_t step;        /* of the loop: 1, -1; 0 is 1 */
    int stmts;           /* in its body */
    Map n_sets;          /* variable -> how often the body sets it */
    Map value;           /* variable -> its value, as Hoist.index */
    Vec(IrVar *) stored; /* arrays that the body stores to */
    Vec(Hoist) found;
    Vec(IrExpr *) loads; /* in the indices of `found` */
} Strip;

/* Few assignments, stores, checks and ifs alone; counts them and notes what is stored to. */
bool strip_is_plain(Strip *s, const IrBlock *b);
void strip_note_store(Strip *s, IrVar *v);
/* e by the loop variable, invariants, and loads that the loop does not change; NULL: it isn't. */
IrExpr *strip_resolve(Strip *s, const IrExpr *e);
/* adds them to s->loads; false: too many, or they are far apart */
bool strip_note_loads(Strip *s, IrExpr *e);
void strip_find_checks(Strip *s);
IrExpr *strip_both(Cx *cx, IrExpr *a, IrExpr *b); /* a and b; a may be NULL */
/* `all`, and every load in range in the iterations lo .. hi. */
IrExpr *strip_ranges(const Strip *s, IrExpr *all, const IrExpr *lo, const IrExpr *hi);
IrExpr *strip_overlaps(const Strip *s, IrBuilder *b);
/* safe = there are enough iterations, and the look ahead reads what the loop, and the one
 * inside it, reads. */
IrVar *strip_safe(const Strip *s, const Strip *inner, IrBuilder *b, const IrExpr *lo,
                  const IrExpr *hi);
IrExpr *strip_end(Cx *cx, IrVar *strip, const IrExpr *hi, int64_t length);
bool strip_take_apart(const Strip *s, const IrExpr *e, IrAffine *a, int *coef);
void strip_look(Strip *s, IrBuilder *b, IrVar *bad, IrExpr *from, IrExpr *to);
/* The check goes, for the remark: one test for each strip of `length` of that unit. */
void strip_drop_check(Strip *s, const Hoist *h, int length, const char *unit);
/* The loop leaves its block; `emit` appends to b what is to stand there. */
typedef void (*StripEmit)(Strip *s, IrBuilder *b, void *arg);
void strip_replace(Strip *s, IrBlock *blk, StripEmit emit, void *arg);

/* strip_wide.c: loops that little but memory holds up; all their checks are in s->found */
bool strip_is_wide(const Strip *s);
void strip_emit_wide(Strip *s, IrBuilder *b, void *arg);
void strip_note_bad(Strip *s, IrBuilder *b, IrVar *bad, IrVar *j);

/* strip_rows.c: false when the loop is no such nest, and has been left alone */
bool strip_rows(PassCx *p, IrFunc *f, IrBlock *blk, IrStmt *loop);
/* Loops in this one whose bounds come from memory: they get `few`. */
void strip_mark_few(IrStmt *loop);
#endif
