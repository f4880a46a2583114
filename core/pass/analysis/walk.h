/* SPDX-License-Identifier: BSD-3-Clause
 * A walk forwards over a function that keeps a Know up to date, with a hook wherever a pass
 * wants to look or change something. */
#ifndef SWATHE_PASS_WALK_H
#define SWATHE_PASS_WALK_H
#include "pass/analysis/know.h"

typedef struct Walk Walk;
struct Walk {
    Know k;
    Cx *cx;
    IrFunc *f;
    void *arg;
    int cold;   /* branches around that are hardly ever taken */
    Head *head; /* of the loop around, while it is found out; or NULL */
    int quiet;  /* walks that look at counters only which this is inside */
    /* Each may be NULL. They may replace or remove s. */
    /* before s is looked at; for a while, when its test is due */
    void (*exprs)(Walk *w, IrStmt *s);
    void (*check_index)(Walk *w, IrBlock *b, IrStmt *s); /* in place of learning from it */
    void (*check)(Walk *w, IrBlock *b, IrStmt *s);       /* the same for IS_CHECK */
    void (*loop)(Walk *w, IrBlock *b, IrStmt *s);        /* in place of walk_loop */
    /* an if whose branches are done; the state is that before it */
    void (*branch)(Walk *w, IrBlock *b, IrStmt *s);
};

void walk_func(Walk *w, IrFunc *f);
void walk_loop(Walk *w, IrStmt *s, const IrEffects *fx);
void walk_restore(Walk *w, KnowMark m); /* to what was known then */
#endif
