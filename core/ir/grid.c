/* SPDX-License-Identifier: BSD-3-Clause
 * What only kernels have: the place in the grid, barriers, atomics, operations of a warp, fences.
 * Takes operands, yields nodes and statements; and the words by which the text form names their
 * kinds, one table each. */
#include "ir/ir.h"

const char *const ir_geo_words[GEO_COUNT] = {
    "grid_x",   "grid_y",   "grid_z",      "block_x",     "block_y",     "block_z",      "thread_x",
    "thread_y", "thread_z", "block_dim_x", "block_dim_y", "block_dim_z", "shared_bytes", "lane"};
const char *const ir_barrier_words[BAR_COUNT_] = {"block", "warp", "grid"};
const char *const ir_vote_words[VOTE_COUNT_] = {"none", "count", "and", "or"};
const char *const ir_fence_words[FENCE_COUNT_] = {"block", "device", "system"};
const char *const ir_atomic_words[ATOM_COUNT_] = {"add",    "sub", "min", "max", "nanmin",
                                                  "nanmax", "and", "or",  "xor", "xchg",
                                                  "cas",    "inc", "dec"};
const char *const ir_warp_words[WARP_COUNT_] = {"shfl",      "shfl_up",   "shfl_down", "shfl_xor",
                                                "any",       "all",       "eq",        "ballot",
                                                "match_any", "match_all", "active"};

const char *const ir_touch_words[TOUCH_COUNT_] = {"read", "write", "atomic", "exchange"};
const char *const ir_space_words[SPACE_WORDS] = {"heap", "shared", "local", "any"};

int
ir_word_index(const char *const *words, int n, const char *word)
{
    for (int i = 0; i < n; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return -1;
}

IrExpr *
ir_geo(Cx *cx, IrGeo which)
{
    IrExpr *e = NEW(&cx->arena, IrExpr);
    e->kind = IX_GEO;
    e->dtype = DT_i64;
    e->axis = (uint8_t)which;
    return e;
}

static void
set_args(IrBuilder *b, IrStmt *s, int n, IrExpr **args)
{
    s->n_args = n;
    s->args = NEW_N(&b->cx->arena, IrArg, n ? n : 1);
    for (int i = 0; i < n; i++)
        s->args[i].e = args[i];
}

IrStmt *
ir_barrier(IrBuilder *b, IrBarrier which, IrVote vote, IrVar *out, IrExpr *e)
{
    IrStmt *s = ir_append(b, IS_BARRIER);
    s->order = (uint8_t)which;
    s->n = vote;
    s->var = out;
    s->e = e;
    return s;
}

IrStmt *
ir_atomic(IrBuilder *b, IrAtomic op, IrVar *old, IrVar *arr, int n, IrExpr **idx, IrExpr *e,
          IrExpr *expected)
{
    IrStmt *s = ir_append(b, IS_ATOMIC);
    s->order = (uint8_t)op;
    s->var = old;
    s->base = arr;
    s->e = e;
    s->n_idx = n;
    s->idx = NEW_N(&b->cx->arena, IrExpr *, n ? n : 1);
    for (int i = 0; i < n; i++)
        s->idx[i] = idx[i];
    set_args(b, s, expected ? 1 : 0, &expected);
    return s;
}

IrStmt *
ir_warp(IrBuilder *b, IrWarp op, IrVar *out, IrExpr *e, int n_args, IrExpr **args)
{
    IrStmt *s = ir_append(b, IS_WARP);
    s->order = (uint8_t)op;
    s->var = out;
    s->e = e;
    set_args(b, s, n_args, args);
    return s;
}

IrStmt *
ir_fence(IrBuilder *b, IrFence which)
{
    IrStmt *s = ir_append(b, IS_FENCE);
    s->order = (uint8_t)which;
    return s;
}
