/* SPDX-License-Identifier: BSD-3-Clause
 * What pass fuse knows of a run of statements: see fuse.c. */
#ifndef SWATHE_PASS_FUSE_H
#define SWATHE_PASS_FUSE_H
#include "pass/pass.h"

enum {
    FUSE_NDIM = 16,
    FUSE_LEVELS = 8,
    FUSE_NESTS = 16,
    FUSE_STREAMS = 8,
    FUSE_OVERLAPS = 16,
    FUSE_RESOLVED = 200000 /* expressions of a run; what is written in more is not looked through */
};

/* Of variables: an array that the run knows; set or used in the run; changed in a nest. */
enum { M_KNOWN = 1, M_SET = 2, M_USED = 4, M_NEST = 8 };

/* An array that the run mentions. One from before the run has no def and is its own root.
 */
typedef struct FuseArr {
    IrVar *v;
    IrStmt *def;
    IrVar *root;  /* the array whose memory it shows */
    IrVar *canon; /* the first name that shows the same elements at the same indices */
    IrExpr **dim, **stride, *offset; /* in values from before the run; NULL: not known */
    bool fresh;                      /* root: made in the run */
    bool gone;                       /* root: needs no memory in the merged loop */
    bool counted;
    bool need; /* the merged loop, or what comes after it, mentions v */
} FuseArr;

/* A load or store in a nest. */
typedef struct FuseAcc {
    FuseArr *arr;
    int8_t code[FUSE_NDIM]; /* level whose variable the index is; -1: anything else */
    bool store;
    bool inner; /* in the innermost body itself, run for each point once */
    bool each;  /* its indices are the variables of all levels, each once */
} FuseAcc;

typedef struct FuseNest {
    IrStmt *s;
    int n;
    IrStmt *loop[FUSE_LEVELS];
    IrStmt *strip; /* reductions: the loop over strips around the innermost one */
    bool par;      /* every iteration for itself, nothing but sets and stores in it */
    bool leaves;   /* may raise or leave early */
    IrExpr *extent[FUSE_LEVELS];
    Vec(FuseAcc) accs;
    IrStmt *end; /* the statement of the block that holds it */
} FuseNest;

typedef struct FuseSeen { /* of a variable; those of other runs have other stamps */
    unsigned stamp;
    uint8_t mark;
    IrExpr *value; /* of a scalar set in the run; NULL: none, or not to be repeated */
} FuseSeen;

typedef struct FuseTables { /* by variable id, which one run of a function after the other uses */
    FuseSeen *seen;
    int n_seen;
    unsigned stamp;
    int *mentions; /* in the function, of the first n_mentions */
    int n_mentions;
} FuseTables;

typedef struct FuseRun {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    IrBlock *block;
    IrStmt *start;
    Vec(IrExpr *) conds; /* what must hold, in values from before the run */
    Vec(IrStmt *) items; /* what runs before the merged loop */
    Vec(FuseArr *) arrs;
    Vec(FuseNest) nests;

    struct {
        IrExpr *e, *rep;
    } same[64]; /* e equals rep when the conditions hold */

    int n_same;
    FuseTables *tables;
    FuseSeen *seen; /* by variable id: see fuse_seen */
    unsigned stamp;
    int n_vars;

    struct {
        IrVar *flag, *x, *y;
        bool apart;          /* is a condition: see emit_tests */
        const IrVar *chosen; /* by it, for what stands behind; strict: so are others */
        bool strict;
    } overlap[2 * FUSE_OVERLAPS];

    int n_overlaps;
    const IrVar *chooses; /* what is assumed chooses its value */
    bool bad;             /* the expression at hand has no value from before the run */
    int resolved;
    bool done;
    int limit;     /* nests to take */
    bool all_cold; /* what the group leaves to the other branch was cold already */
} FuseRun;

static inline FuseSeen *
fuse_seen(const FuseRun *r, const IrVar *v)
{
    FuseSeen *x = &r->seen[v->id];
    if (x->stamp != r->stamp)
        *x = (FuseSeen){.stamp = r->stamp};
    return x;
}

FuseArr *fuse_arr(FuseRun *r, IrVar *v);
IrExpr *fuse_resolve(FuseRun *r, const IrExpr *e);
bool fuse_same(const FuseRun *r, const IrExpr *a, const IrExpr *b);
bool fuse_assume(FuseRun *r, const IrExpr *e, bool truth);
/* false: no such flag. strict: they are not one and the same either */
bool fuse_assume_apart(FuseRun *r, const IrVar *flag, bool strict);
IrVar *fuse_overlap(FuseRun *r, FuseArr *x, FuseArr *y);
bool fuse_parse_nest(FuseNest *n, IrStmt *s);
int fuse_level(const FuseNest *n, const IrExpr *e); /* whose variable e is, or -1 */
int fuse_streams(FuseRun *r); /* decides what is gone; arrays that the merged loop runs along */
IrStmt *
fuse_replace(FuseRun *r); /* puts the merged loop in place of the run; the statement after it */
#endif
