/* SPDX-License-Identifier: BSD-3-Clause
 * What pass tile knows of a nest: see tile.c. */
#ifndef SWATHE_PASS_TILE_H
#define SWATHE_PASS_TILE_H
#include "pass/pass.h"

enum { TILE_LOOPS = 8, TILE_LOADS = 12, TILE_BODY = 16, TILE_OVERLAPS = 6 };

typedef enum TilePack { PACK_NO, PACK_ROWS, PACK_COLUMNS } TilePack;

typedef struct TileLoad {
    IrExpr *e; /* one of the equal loads in the body */
    bool i, j; /* depends on the row loop, the column loop */
    TilePack pack;
    IrVar *buf; /* what it is packed into */
} TileLoad;

typedef struct TilePre { /* a scalar that is set before the loop inside */
    IrStmt *s;
    int level; /* of the loop that it is right inside of */
    bool old;  /* from the element in memory: not to be evaluated for a term */
} TilePre;

typedef struct Tile {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    IrBlock *block;
    IrStmt *s; /* the outermost loop */
    IrEffects fx;
    const char *why; /* not; NULL: nothing to say */
    int n;
    IrStmt *loop[TILE_LOOPS];
    bool out[TILE_LOOPS]; /* the result has an axis of it; others sum */
    int bent;             /* loop whose end depends on another loop's variable, or -1 */
    IrExpr *limit;        /* bent: its end, in terms of the row's variable */
    bool rises;           /* from row to row, by one; or falls */
    int n_out, row, column,
        k;    /* row, column: those that are tiled; k: the summing loop when only one */
    IrVar *c; /* the result, and where */
    IrExpr **at;
    IrVar *acc;       /* the scalar that sums, or NULL: the element itself */
    IrExpr *init;     /* what the sum starts from, or NULL: the element */
    IrExpr *final;    /* what is stored at its end, or NULL: the sum */
    int level;        /* with init: loops from here on sum */
    int n_known;      /* with init: how many of `pre` come before it */
    Vec(TilePre) pre; /* outside of the innermost loop: set where they are wanted */
    Vec(IrStmt *) body, post;
    IrExpr *next; /* the sum's next value, where the element sums */
    TileLoad load[TILE_LOADS];
    int n_loads;
    IrVar *apart[TILE_OVERLAPS]; /* arrays that must lie apart from the result */
    int n_apart;
    /* sizes */
    int64_t mr, nr, mc, nc, kc;
    int width; /* columns in one vector */
    bool jam;  /* only rows together, where the operands lie: see tile_emit.c */
} Tile;

/* Cuts the nest that begins at s as its schedule says, unless that may change a result. */
bool tile_asked(PassCx *p, IrFunc *f, IrBlock *blk, IrStmt *s);
bool tile_match(Tile *t);
/* Does each expression mean the same where tile_emit evaluates it? See tile_legal.c. */
bool tile_legal(Tile *t);
bool tile_no(Tile *t, const char *why);
bool tile_is_element(const Tile *t, const IrExpr *e); /* the one that is summed up in */
void tile_emit(Tile *t);
IrStmt *tile_loop_in(const IrBlock *b, int *n); /* a loop of the block, and how many there are */
/* Moves tests that the loops of a nest repeat before it; yields the block that holds s
 * then. */
IrBlock *tile_move_tests(PassCx *p, IrFunc *f, IrBlock *b, IrStmt *s);
bool tile_same_load(const IrExpr *a, const IrExpr *b);
#endif
