/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of pass grid share: a kernel on its way into loops. */
#ifndef SWATHE_PASS_GRID_H
#define SWATHE_PASS_GRID_H
#include "pass/pass.h"

enum { GRID_PARAMS = 7 }; /* blocks x, y, z; threads x, y, z; bytes of shared memory */

typedef struct Grid {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    IrVar *param[GRID_PARAMS];
    IrVar *block[3];   /* this block's place; set by the loop over blocks */
    IrExpr *dim[3];    /* threads of a block along x, y, z: constants, or parameters */
    IrBlock once;      /* at the start of each block: its shared arrays, and slots */
    bool waits;        /* there are barriers, or operations of a warp */
    bool uses[GEO_COUNT];
} Grid;

/* ---- grid.c ---- */
bool grid_is_one(const Grid *g, int axis); /* one thread along that axis */
IrExpr *grid_linear(Grid *g);              /* the thread's number in its block, by geo.thread_x.. */
IrExpr *grid_threads(Grid *g);             /* how many there are */
/* Loops over the threads of a block around `body`, whose geo.thread_x.. become their variables. Yields
 * the outermost; the statements made go to `to`. */
IrStmt *grid_thread_loops(Grid *g, IrBlock *to, IrBlock *body, Span at);

/* ---- grid_return.c: no return is left; where `outs` is given, these get the values ---- */
void grid_cut_returns(IrFunc *f, IrBlock *body, IrArg *outs, int n_outs);
bool grid_has(const IrBlock *b, IrStmtKind kind); /* anywhere inside */

/* ---- grid_inline.c: what the kernel calls becomes part of it, where it must ---- */
bool grid_inline(Grid *g);

/* ---- grid_split.c: barriers ---- */
void grid_split(Grid *g, IrBlock *body);
#endif
