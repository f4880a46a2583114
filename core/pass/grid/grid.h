/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of pass grid share: a kernel on its way into loops. */
#ifndef SWATHE_PASS_GRID_H
#define SWATHE_PASS_GRID_H
#include "pass/pass.h"

enum { GRID_PARAMS = 7 }; /* blocks x, y, z; threads x, y, z; bytes of shared memory */

typedef struct GridRegion GridRegion;
typedef struct Grid {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    IrVar *param[GRID_PARAMS];
    IrVar *blocks;   /* how many there are */
    IrVar *block[3]; /* this block's place; set by the loop over blocks */
    IrExpr *dim[3];  /* threads of a block along x, y, z: constants, or parameters */
    IrBlock once;    /* at the start of each block: its shared arrays, and slots */
    /* grid/warp.c: memory of the operations of a warp */
    IrVar *warp[2][DT_COUNT], *active[2], *live, *bits;
    int turn;
    Vec(IrVar *) steps; /* of loops that the threads of a block run side by side: grid/stride.c */
    bool whole;         /* all threads of the grid wait for each other somewhere */
    IrVar *dynamic;     /* whole: dynamic shared memory of all blocks */
} Grid;

/* ---- grid.c ---- */
bool grid_is_one(const Grid *g, int axis); /* one thread along that axis */
IrExpr *grid_linear(Grid *g);              /* the thread's number in its block, by geo.thread_x.. */
IrExpr *grid_threads(Grid *g);             /* how many there are */
/* Loops over the threads of a block around `body`, whose geo.thread_x.. become their variables.
 * Yields the outermost; the statements made go to `to`. */
IrStmt *grid_thread_loops(Grid *g, IrBlock *to, IrBlock *body, const GridRegion *r, Span at);

/* Loops over the blocks around `body`; whole: around each region. */
IrStmt *grid_block_loop(Grid *g, IrBlock *to, IrBlock *body, Span at);

/* ---- grid/whole.c: a barrier of the whole grid ---- */
bool grid_waits_whole(const IrBlock *b);
IrExpr *grid_blocks(Grid *g); /* how many there are */
/* whole: where this block's part begins, of `each`; else 0 */
IrExpr *grid_start(Grid *g, IrExpr *each);
void grid_part_shared(Grid *g, IrStmt *s);
void grid_count_votes(Grid *g, IrBlock *body);

/* ---- watch_launch.c: debug: tells rt/watch.c of the launch, which begins with the count of
 * blocks, and of each block of a loop over them ---- */
void watch_launch(Grid *g, IrBlock *all);
void watch_blocks(Grid *g, IrStmt *loop);

/* ---- grid/vary.c: what differs between the threads of a block ---- */
typedef struct GridVary {
    Grid *g;
    int n;      /* variables there were; newer ones count as differing */
    bool *vary; /* by variable: the scalar, or where the array looks */
    Map apart;  /* loops that threads leave at different times -> non-NULL */
    bool changed;
} GridVary;
GridVary *grid_vary(Grid *g, IrBlock *body);
bool grid_varies(const GridVary *v, const IrExpr *e);

/* ---- grid/flat.c: no barrier is left inside a branch or a loop in which threads part ---- */
void grid_flat(Grid *g, const GridVary *v, IrBlock *body);
bool grid_waits(const IrStmt *s);  /* s is a barrier or an operation of a warp, or has one inside */
bool grid_jumps(const IrBlock *b); /* out of b: a break or continue of a loop around it */

/* ---- grid/unroll.c: loops around barriers that run a known, small number of times ---- */
void grid_unroll(Grid *g, IrBlock *body);

/* ---- grid/stride.c: the threads take the steps of a loop with their stride together ---- */
void grid_stride(Grid *g, IrBlock *body);

/* ---- grid/warp.c: an operation of a warp, in memory of the block, with a barrier between ---- */
typedef struct GridOut {
    Grid *g;
    IrBlock *out;
    IrVar *guard; /* threads that take part; NULL: all */
} GridOut;
IrBuilder grid_builder(const GridOut *o, IrBlock *at, Span span);
IrBlock *grid_guarded(GridOut *o, Span at); /* an if at the end of out, or out itself */
void grid_warp(GridOut *o, IrStmt *s);
IrVar *grid_block_array(Grid *g, const char *name, DType d, int n, IrExpr **dims);

/* ---- grid/keep.c: values that need no memory across a barrier, for they are computed again
 * ---- */
typedef struct GridKeep {
    int n;
    IrStmt **def; /* by variable: its one definition, good for every use; or NULL */
} GridKeep;
GridKeep *grid_keep(Grid *g, const GridVary *v, IrBlock *body);

/* ---- grid/split.c, grid/slot.c: barriers ---- */
struct GridRegion { /* what each thread runs from one barrier to the next */
    IrBlock body;
    IrStmt *mark; /* where it goes, in its block */
    IrBlock *in;
    bool looped;  /* in a loop that the whole block runs */
    IrReduce red; /* of a vote */
    /* only threads of this range along x, y, z have anything to do; or NULL */
    IrExpr *lo[3], *hi[3];
    IrExpr *used, *rest; /* the condition that says so; what is left of it; or NULL */
    bool twice;          /* once more for all of the row, which has a fixed number of threads */
    /* holds: so do the conditions of these for all threads; NULL: none are known */
    IrExpr *full;
    Vec(IrStmt *) ifs;
    uint64_t *exposed, *sets, *sure; /* variables: read before set; set; set on every way */
};
typedef struct GridSplit {
    Grid *g;
    const GridVary *v;
    GridKeep *keep;
    bool *block_wide; /* by variable: one value, set outside of the loops over threads */
    bool *block_used; /* read there */
    Vec(GridRegion *) regions;
    GridRegion *open;
    IrBlock *out;
    int loops, n_wide;
    bool changed;
    bool whole_pieces; /* cut at barriers only: threads make arrays, which can't cross */
    bool again;        /* there is that way left */
} GridSplit;
void grid_split(Grid *g, IrBlock *body);
void grid_block_wide(GridSplit *s, IrBlock *body); /* fills block_wide */
bool grid_expr_is_wide(const GridSplit *s, const IrExpr *e);
bool grid_is_block_wide(const GridSplit *s, const IrStmt *t); /* it can run once for the block */
/* ---- grid/range.c: may t be a region of its own, of some threads only? Fills lo, hi, used, rest,
 * twice ---- */
bool grid_range(GridSplit *s, IrStmt *t, GridRegion *r);
/* t, an if in the open region: a test that all its threads pass? Adds to full, ifs. */
void grid_note_full(GridSplit *s, IrStmt *t, GridRegion *r);
IrExpr *grid_is_full(Grid *g, const GridRegion *r); /* do lo and hi leave all threads in? */
/* t, taken out of `in`, comes back in parts before `before`; or not at all. */
bool grid_take_apart(GridSplit *s, IrBlock *in, IrStmt *before, IrStmt *t);
void grid_name_conditions(GridSplit *s, IrBlock *body); /* `if v` says what v is */
/* The regions become loops; false, and nothing done, where `again`. */
bool grid_slots(GridSplit *s, IrBlock *body);
#endif
