/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels in which all threads of the grid wait for each other: all blocks live at once, and the
 * kernel is cut as if the grid were one block. A region, from any barrier to the next, is a loop
 * over blocks around the loops over threads; arrays with an element for each thread of a block have
 * one for each thread of the grid, and so it is with shared arrays, of which each block sees its
 * part. What differs between blocks differs, then, between threads. */
#include "pass/grid/grid.h"

bool
grid_waits_whole(const IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == IS_BARRIER && s->order == BAR_GRID)
            return true;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (grid_waits_whole(sub[i]))
                return true;
    }
    return false;
}

IrExpr *
grid_blocks(Grid *g)
{
    IrExpr *n = ir_geo(g->cx, GEO_GRID_X);
    for (int k = 1; k < 3; k++)
        n = ir_op(g->cx, OP_mul, n, ir_geo(g->cx, (IrGeo)(GEO_GRID_X + k)));
    return n;
}

IrExpr *
grid_start(Grid *g, IrExpr *each)
{
    Cx *cx = g->cx;
    if (!g->whole)
        return ir_int(cx, DT_i64, 0);
    IrExpr *e = ir_geo(cx, GEO_BLOCK_Z);
    for (int k = 1; k >= 0; k--)
        e = ir_op(cx, OP_add, ir_op(cx, OP_mul, e, ir_geo(cx, (IrGeo)(GEO_GRID_X + k))),
                  ir_geo(cx, (IrGeo)(GEO_BLOCK_X + k)));
    return ir_op(cx, OP_mul, e, each);
}

/* ---- shared arrays --------------------------------------------------------------------------- */

/* s allocates; then it looks at the block's part of what is allocated for all. */
void
grid_part_shared(Grid *g, IrStmt *s)
{
    Cx *cx = g->cx;
    IrVar *v = s->var;
    int64_t item = dtype_size((DType)v->dtype);
    IrExpr *n = ir_int(cx, DT_i64, 1), **idx = NEW_N(&cx->arena, IrExpr *, 2 * s->n_idx + 1);
    for (int i = s->n_idx - 1; i >= 0; i--) {
        idx[i] = s->idx[i];
        idx[s->n_idx + i] = ir_op(cx, OP_mul, ir_int(cx, DT_i64, item), ir_copy_expr(cx, n));
        n = ir_op(cx, OP_mul, n, ir_copy_expr(cx, s->idx[i]));
    }
    bool dynamic = !ir_is_const(n, NULL);
    if (dynamic) { /* whole words, so that each part is aligned */
        IrExpr *up = ir_op(cx, OP_add, ir_geo(cx, GEO_SHARED_BYTES), ir_int(cx, DT_i64, 7));
        n = ir_op(cx, OP_tdiv, up, ir_int(cx, DT_i64, 8));
        item = 8;
        if (!g->dynamic)
            g->dynamic = grid_block_array(g, "dynamic", DT_f64, 1, &n);
    }
    s->kind = IS_VIEW;
    s->base = dynamic ? g->dynamic : grid_block_array(g, v->name, (DType)v->dtype, 1, &n);
    s->e = grid_start(g, ir_op(cx, OP_mul, ir_copy_expr(cx, n), ir_int(cx, DT_i64, item)));
    s->idx = idx;
    s->n_idx *= 2;
    v->noalias = false;
}

/* ---- votes of a block ------------------------------------------------------------------------ */

typedef struct Votes {
    Grid *g;
    IrBlock *body;
} Votes;

static IrVar *
ballot(Votes *w, Span at)
{
    IrFunc *f = w->g->f;
    IrVar *v = ir_array_var(f, "votes", DT_i32, 1, LAY_C);
    IrBlock first = {0};
    IrBuilder b = {.cx = w->g->cx, .mod = f->mod, .f = f, .at = &first, .span = at};
    IrExpr *one = ir_int(w->g->cx, DT_i64, 1);
    v->space = SPACE_SHARED;
    ir_alloc(&b, v, &one, LAY_C, false);
    IrStmt *s = first.first;
    s->prev = s->next = NULL;
    ir_insert_before(w->body, w->body->first, s);
    return v;
}

/* In memory of the block; what the split makes of a vote counts all that come to the barrier. */
static void
count_in_memory(IrBlock *in, IrStmt *s, void *arg)
{
    static const IrAtomic ops[] = {
        [VOTE_COUNT] = ATOM_ADD, [VOTE_AND] = ATOM_AND, [VOTE_OR] = ATOM_OR};
    Votes *w = arg;
    Cx *cx = w->g->cx;
    IrFunc *f = w->g->f;
    if (s->kind != IS_BARRIER || !s->n)
        return;
    IrVar *v = ballot(w, s->at);
    IrBlock all = {0};
    IrBuilder b = {.cx = cx, .mod = f->mod, .f = f, .at = &all, .span = s->at};
    IrExpr *at[4];
    for (int i = 0; i < 4; i++)
        at[i] = ir_int(cx, DT_i64, 0);
    ir_barrier(&b, BAR_BLOCK, VOTE_NONE, NULL, NULL);
    ir_store(&b, v, 1, at, ir_int(cx, DT_i32, s->n == VOTE_AND));
    ir_barrier(&b, BAR_BLOCK, VOTE_NONE, NULL, NULL);
    ir_atomic(&b, ops[s->n], NULL, v, 1, at + 1, ir_cast(cx, DT_i32, s->e), NULL);
    ir_barrier(&b, BAR_BLOCK, VOTE_NONE, NULL, NULL);
    ir_set(&b, s->var, ir_load(cx, v, 1, at + 2));
    for (IrStmt *t = all.first, *next; t; t = next) {
        next = t->next;
        ir_remove(&all, t);
        ir_insert_before(in, s, t);
    }
    ir_remove(in, s);
}

void
grid_count_votes(Grid *g, IrBlock *body)
{
    Votes w = {g, body};
    ir_walk_block(body, count_in_memory, &w);
}
