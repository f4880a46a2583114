/* SPDX-License-Identifier: BSD-3-Clause
 * One dependence test under way: the bounds that depend.c finds for a polynomial, which
 * depend_wrap.c needs, too, to say what an index is that may wrap or is clipped. */
#ifndef SWATHE_PASS_DEPEND_H
#define SWATHE_PASS_DEPEND_H
#include "pass/parallel/par.h"

enum { MAX_FACTS = 8, MAX_STEPS = 24, MAX_NEST = 3 };
/* What is replaced first has the greatest rank. */
enum { RANK_NONE = -1, RANK_DISTANCE, RANK_OWN, RANK_RANGE, RANKS_BETWEEN = 64 };

typedef struct Fact { /* term >= least */
    const IrExpr *term;
    int64_t least;
} Fact;

typedef struct Test {
    ParLoop *l;
    const IrExpr *v, *d; /* L's variable in a's iteration; the distance, > 0 */
    int sign;            /* b's is v - sign * d */
    Fact fact[MAX_FACTS];
    int n_facts;
    int steps;    /* left */
    bool assume;  /* that what L multiplies its variable with is positive: to be tested before L */
    int guess;    /* depend_need.c: its sign, where that is not known */
    IrExpr *told; /* under what it holds; NULL: nothing was guessed */
} Test;

/* Replaces what varies in p by the ends of its range: p becomes a bound of itself. */
bool depend_bound(Test *t, Poly *p, bool greatest, int nest);
bool depend_at_least(const Test *t, const Poly *p, int64_t k); /* nothing in p changes in L */
int depend_rank(const Test *t, const IrExpr *e);
void depend_learn(Test *t, const IrExpr *lo, const IrExpr *hi); /* from lo < hi */
/* p, an index in a's iteration, minus q in b's; false: not known */
bool depend_difference(const Test *t, const Poly *p, const Poly *q, Poly *out);
Test depend_start(ParLoop *l);
/* depend_cond.c: an `if` around one of both excludes that they are to the same element */
bool depend_excluded(const ParLoop *l, const ParAccess *a, const ParAccess *b);
/* depend_wrap.c: fills a->poly */
void depend_make_polys(Test *t, ParAccess *a);
/* depend_digits.c: their indices are digits of one number, another in each iteration; the tests for
 * that go to what L needs */
bool depend_digits(ParLoop *l, const ParAccess *a, const ParAccess *b);
#endif
