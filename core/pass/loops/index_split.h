/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of pass index_split share: index_split_find.c finds expressions whose truth, or
 * whose piece, changes at certain iterations of a loop; index_split.c cuts the loop there. */
#ifndef SWATHE_PASS_INDEX_SPLIT_H
#define SWATHE_PASS_INDEX_SPLIT_H
#include "pass/analysis/walk.h"
#include "pass/pass.h"

enum {
    SPLIT_ATOMS = 24, /* of one loop */
    SPLIT_POINTS = 4, /* so it becomes five at most */
    SPLIT_PEEL = 4,  /* iterations at an end that are worth a part, where a test tells them apart */
    SPLIT_SLACK = 8, /* trips of a loop inside that is as good as unrolled */
    SPLIT_ROUNDS = 4,
};

/* An inequality between numbers, seen from the loop's variable v: where v < lo it is !rises, where
 * v >= hi it is `rises`; between the two, which differ where loops inside have a say, it may be
 * either. */
typedef struct SplitTest {
    IrAffine lo, hi;
    bool rises;
    int at[2];   /* where lo and hi are among the loop's points; see split_known */
    int settled; /* -1, 1: it is false, true all through the loop; 0: neither is known */
} SplitTest;

/* An expression that is something simpler once its tests are known: a comparison, or x where that
 * is what min, max, abs, mod or wrap yield. */
typedef struct SplitAtom {
    IrExpr *e;
    int number; /* of e in a walk over the loop's body */
    int n;
    SplitTest test[2];
} SplitAtom;

typedef struct SplitLoop {
    IrStmt *s;
    IrBlock *in;
    const IrEffects *fx;
    struct SplitLoop *outer;
    LoopRange range;
    int64_t step;
    int64_t least, most; /* of the variable, where both bounds are constants */
    bool fixed;          /* they are */
    bool slack;          /* it has SPLIT_SLACK trips at most */
    bool plain;          /* may be split */
    bool nested;         /* there are others inside, other than slack ones */
    Vec(SplitAtom) atoms;
    struct Plan *plan; /* NULL: it stays */
    bool changed;      /* it, or one outside of it, was split in this round */
} SplitLoop;

typedef struct Splitter {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    Walk w;
    SplitLoop *inner;       /* the innermost loop around, or NULL */
    Vec(SplitLoop *) found; /* loops, those outside first */
    Map done;               /* loops that are parts already */
} Splitter;

/* Is it as good as unrolled, or will be where its ends are not clipped? */
bool split_is_slack(const IrStmt *s);
/* Looks at the expressions of s, which stands in the loop k->inner. */
void split_find(Splitter *k, IrStmt *s);
/* What the atom is where its tests come out as truth says (1, -1; 0: not known); NULL: itself. */
IrExpr *split_piece(Cx *cx, const SplitAtom *a, const int *truth);
#endif
