/* SPDX-License-Identifier: BSD-3-Clause
 * What the lanes*.c files share: the state of one loop whose iterations run side by side in
 * vector lanes. Inside it the slot of a variable that differs from lane to lane holds a
 * vector; all other slots hold the scalar of lane 0, so that emit_expr gives the value of a
 * uniform expression, and the first lane's of a linear one. */
#ifndef SWATHE_GEN_LANES_H
#define SWATHE_GEN_LANES_H
#include "emit.h"

enum { MAX_LANES = 64 };

/* Where some lanes are off: a branch, or the body of a loop that lanes leave by themselves. */
typedef struct LaneRegion {
    LV mask;              /* slot of <W x i1>; NULL: all lanes are on */
    const uint64_t *keep; /* variables that the lanes which are off still need */
    bool base;            /* lane 0 is on, and lanes that are off repeat the last one */
    struct LaneRegion *up;
} LaneRegion;

typedef struct LaneLoop { /* for break and continue */
    bool divergent;
    LV live; /* slot: lanes that have not left it */
    LaneRegion *body;
    struct LaneLoop *up;
} LaneLoop;

typedef struct LaneAppend { /* lanes have got numbers, one after the other */
    const IrVar *var;
    const LaneRegion *at; /* the lanes that are on there */
    LV old, n;            /* the first of them, and how many */
    bool ones;            /* each is the one before plus 1 */
    struct LaneAppend *up;
} LaneAppend;

typedef struct LaneUndo { /* of one atomic operation in a group; all slots */
    const IrStmt *s;
    LV done, at, old;
    struct LaneUndo *up;
} LaneUndo;

typedef struct Lanes {
    Gen *g;
    IrLanes *a;
    int w;
    bool wide;          /* lanes hold values of 64 bits */
    LV lo;              /* the first iteration's value */
    LV lane;            /* <W x i64>: 0, 1, ...; in the last group none beyond the last iteration */
    LV each[MAX_LANES]; /* its elements */
    LaneRegion *at;
    LaneLoop *loops;
    LLVMBasicBlockRef bail; /* goes on one by one from iteration `group` on; NULL: no checks */
    LV group;               /* slot: number of the first iteration of the current group */
    LV spare;               /* memory that lanes that are off may read and write */
    LaneAppend *appends;    /* newest first */
    LaneUndo *undo;         /* last first */
} Lanes;

/* ---- lanes_flow.c ---- */
void lane_block(Lanes *l, IrBlock *b);
LV lane_new_mask(Lanes *l, LV first); /* a slot */
LV lane_mask(Lanes *l);               /* NULL: all lanes are on */
LV lane_any(Lanes *l, LV m);          /* i1 */
void lane_assign(Lanes *l, IrVar *v, Val x);

/* ---- lanes_value.c ---- */
LLVMTypeRef lane_type(Lanes *l, LLVMTypeRef t);
LV lane_const(Lanes *l, LLVMTypeRef t, int64_t first, int64_t step); /* of integers */
LV lane_splat(Lanes *l, LV v);
bool lane_varies(Lanes *l, const IrExpr *e);
Val lane_value(Lanes *l, const IrExpr *e); /* as vectors, whatever its shape */
LV lane_get(Lanes *l, LV v, int k);
LV lane_put(Lanes *l, LV v, LV x, int k);

/* ---- lanes_memory.c ---- */
Val lane_load(Lanes *l, const IrExpr *e);
void lane_store(Lanes *l, IrStmt *s);
void lane_scatter(Lanes *l, IrStmt *s, Val x);              /* to places that differ */
void lane_put_row(Lanes *l, IrVar *v, LV x, LV p, LV mask); /* side by side, from p on */
LV lane_reversed(Lanes *l, LV x);

/* ---- lanes_atomic.c ---- */
void lane_atomic(Lanes *l, IrStmt *s);
/* a store, to places that an atomic operation has given out? */
bool lane_append(Lanes *l, IrStmt *s);
void lane_find_atomics(Lanes *l, IrStmt *loop); /* that a check may have to undo */
void lane_begin_undo(Lanes *l);                 /* a group starts */
void lane_undo(Lanes *l);
#endif
