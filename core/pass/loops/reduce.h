/* SPDX-License-Identifier: BSD-3-Clause
 * What reduce_match.c finds in an innermost loop, and reduce.c makes of it. */
#ifndef SWATHE_PASS_REDUCE_H
#define SWATHE_PASS_REDUCE_H
#include "pass/pass.h"

enum { REDUCE_STEPS = 32, REDUCE_TERMS = 6 };

typedef enum Role {
    ROLE_OWN,     /* of this iteration alone; stores, too */
    ROLE_MIXED,   /* made of what is carried: on the way to one of the following */
    ROLE_SUM,     /* v = op(v, x): the same in any order */
    ROLE_EXTREME, /* of floats, or compared by KEPT ones: v = select(op(x, v), x, v) and its like */
    ROLE_KEPT,    /* v = select(c, x, v): the last x where c, which may compare with an extreme */
} Role;

/* v = select(all terms, x, v) */
typedef struct Take {
    IrExpr *term[REDUCE_TERMS];
    int n;
    int compares;   /* the term that compares with what is carried, or -1 */
    bool unordered; /* it is true of NaN */
    int op;         /* op(x, with) is that term, or not where it is unordered */
    const IrExpr *with;
    const IrExpr *x;
} Take;

typedef struct Step { /* a statement of the body */
    IrStmt *s;
    Role role;
    IrExpr *e;     /* what it sets, by own values and what is carried */
    int op;        /* SUM, EXTREME: of the reduction in lanes */
    Take take;     /* KEPT, EXTREME (if n, else it is e that is known to be one): when */
    IrExpr *value; /* KEPT: x */
    int group;     /* KEPT: the first step that is taken when this is: its extreme, or a KEPT one */
    bool heads;    /* KEPT ones have this step for their group */
    bool zeros, nans; /* EXTREME: where that comes out, the order decides what it is */
    bool wanted;      /* OWN: elsewhere, too */
} Step;

typedef struct Reduce {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    Vec(bool) reads; /* by variable: it may be read behind a loop; made when first asked */
    IrStmt *loop;
    Step step[REDUCE_STEPS];
    int n;
    bool kept;           /* there are KEPT steps */
    bool rereads;        /* an element that it stores to: it may not run again */
    Vec(IrVar *) stored; /* arrays that it stores to, */
    Vec(IrVar *) loaded; /* and others that it reads */
    /* `loop` stands for this one where `index` is in range: */
    IrStmt *as_written;
    IrExpr *index; /* a load from where a kept index points to, or its absolute value; or NULL */
    IrVar *top;    /* what is there, in `loop` */
    int nodes;     /* budget of copies */
    int lanes;
} Reduce;

/* Where the body compares with x[k], k being kept: makes `loop` one that compares with a variable,
 * top, to be set to x[k] before it. false: it reads x[k] for something else. */
bool reduce_index(Reduce *x);
IrExpr *reduce_element(IrExpr *e); /* of x->index: the load */
bool reduce_may_store(Reduce *x);
/* Fills in the steps; false: there is something else in the body. */
bool reduce_match(Reduce *x);
IrExpr *reduce_taken(const Reduce *x, const Take *t); /* its terms, all of them */
#endif
