/* SPDX-License-Identifier: BSD-3-Clause
 * Inspector/executor: checks of a loop that depend on what it loads. A description of them
 * (which, of what index, where; which loads a look at them takes), whether a look ahead may take
 * these loads, and the loop that looks.
 *
 * What is looked at ahead together is decided by who asks, for a check costs least where most
 * run after one look, and nothing may be seen of a strip before its turn:
 * - the whole nest, where nobody sees what it does before it raises: pass bounds, inspect_nest.c;
 * - a strip of rows, of a nest whose inner loops are short: strip_rows.c;
 * - a group, as many iterations as vectors are under way, where memory holds up: strip_wide.c;
 * - a strip of an innermost loop: strip.c;
 * - nothing, where the first and the last index tell: strip_linear.c. */
#ifndef SWATHE_PASS_INSPECT_H
#define SWATHE_PASS_INSPECT_H
#include "pass/pass.h"

enum {
    INSPECT_CHECKS = 8,
    INSPECT_LOADS = 6,
    INSPECT_PAIRS = 6,
    INSPECT_NODES = 24,
    /* of a body: a few checks of so many are nothing, and a second version is much */
    INSPECT_STMTS = 400
};

typedef struct Hoist {
    IrStmt *check;
    IrBlock *in;
    /* in terms of the loop variable and of what the loop does not change: */
    IrExpr *index;
    IrExpr *where; /* it is checked where this holds; NULL: always, or it is not known before */
} Hoist;

typedef struct Inspect {
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
} Inspect;

/* Few assignments, stores, checks and ifs alone; counts them and notes what is stored to. */
bool inspect_is_plain(Inspect *s, const IrBlock *b);
void inspect_note_store(Inspect *s, IrVar *v);
/* e by the loop variable, invariants, and loads that the loop does not change; NULL: it isn't. */
IrExpr *inspect_resolve(Inspect *s, const IrExpr *e);
/* adds them to s->loads; false: too many, or they are far apart */
bool inspect_note_loads(Inspect *s, IrExpr *e);
void inspect_find_checks(Inspect *s);
IrExpr *inspect_both(Cx *cx, IrExpr *a, IrExpr *b); /* a and b; a may be NULL */
/* `all`, and every load in range in the iterations lo .. hi. */
IrExpr *inspect_ranges(const Inspect *s, IrExpr *all, const IrExpr *lo, const IrExpr *hi);
IrExpr *inspect_overlaps(const Inspect *s, IrBuilder *b);
/* safe = there are enough iterations, and the look ahead reads what the loop, and the one
 * inside it, reads. */
IrVar *inspect_safe(const Inspect *s, const Inspect *inner, IrBuilder *b, const IrExpr *lo,
                    const IrExpr *hi);
IrExpr *inspect_end(Cx *cx, IrVar *strip, const IrExpr *hi, int64_t length);
bool inspect_take_apart(const Inspect *s, const IrExpr *e, IrAffine *a, int *coef);
void inspect_look(Inspect *s, IrBuilder *b, IrVar *bad, IrExpr *from, IrExpr *to);
/* The check goes, for the remark: one test for each strip of `length` of that unit; 0: for all. */
void inspect_drop_check(Inspect *s, const Hoist *h, int length, const char *unit);
void inspect_note_bad(Inspect *s, IrBuilder *b, IrVar *bad, IrVar *j);

/* ---- inspect_nest.c ---- */

/* Appends to `out` code that raises what the nest would, and does nothing else; false: what the
 * nest does before it raises can be seen, or decides whether it raises. fx: the effects of the
 * loop. The function has no try. */
bool inspect_nest(IrFunc *f, IrStmt *loop, const IrEffects *fx, IrBlock *out);
#endif
