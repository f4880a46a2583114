/* SPDX-License-Identifier: BSD-3-Clause
 * What vectorize.c asks of vectorize_cost.c: is a loop worth lanes? */
#ifndef SWATHE_PASS_VECTORIZE_H
#define SWATHE_PASS_VECTORIZE_H
#include "pass/pass.h"

enum { TRIPS = 10 }; /* of a loop that is not known */

typedef struct Look {
    PassCx *p;
    IrFunc *f;
    const SwOptions *opt;
    const char *why; /* not; or NULL */
    IrLanes *l;
    const IrStmt *loop; /* in question */
    int depth;          /* of loops around, inside the loop in question */
    bool stored;        /* a store may have run before */
    bool sums;          /* the loop has reductions */
    bool tells;         /* and leaves values, which a handler may read */
    bool found;
    bool apart; /* lanes_gain: what neighbouring lanes access lies apart */
    bool early; /* pass par asks: nothing is known of independence, and checks may go yet */
} Look;

bool lanes_has_loop(const IrBlock *b);
/* Iterations, TRIPS where it isn't known. */
int64_t lanes_trips(const IrStmt *s);
/* Is there a loop in it that carries values from one iteration to the next? */
bool lanes_has_carried(Look *k, const IrBlock *b);
/* Estimated cycles, times 4, for 8 iterations of s, by lanes (`with`) and without. */
int64_t lanes_gain(Look *k, const IrStmt *s, int64_t *with);
#endif
