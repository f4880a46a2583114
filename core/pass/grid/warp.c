/* SPDX-License-Identifier: BSD-3-Clause
 * Operations of a warp: each thread leaves its value in memory of the block, and behind a barrier
 * takes what it wants of the other 31. Votes are counted by the first thread of each warp, behind
 * one barrier, and read behind another. Two operations in a row use memory in turns, for one
 * thread may leave its next value before another one has taken the last. */
#include "pass/grid/grid.h"

/* before and behind: neighbours may be looked at before it is known that they are none */
enum { PAD = WARP_SIZE };

typedef struct Warp {
    GridOut *o;
    Grid *g;
    Cx *cx;
    IrStmt *s;
    IrVar *val, *act;
} Warp;

static IrExpr *
i64(Warp *w, int64_t v)
{
    return ir_int(w->cx, DT_i64, v);
}

static IrExpr *
add(Warp *w, IrExpr *a, IrExpr *b)
{
    return ir_op(w->cx, OP_add, a, b);
}

static IrExpr *
lane(Warp *w)
{
    return ir_geo(w->cx, GEO_LANE);
}

static IrExpr *
bit_of(Warp *w, IrExpr *l)
{
    return ir_op(w->cx, OP_shl, ir_int(w->cx, DT_u32, 1), ir_cast(w->cx, DT_u32, l));
}

static IrExpr *
u32(Warp *w, int64_t v)
{
    return ir_int(w->cx, DT_u32, v);
}

IrVar *
grid_block_array(Grid *g, const char *name, DType d, int n, IrExpr **dims)
{
    IrVar *v = ir_array_var(g->f, name, d, n, LAY_C);
    IrBuilder b = {.cx = g->cx, .mod = g->f->mod, .f = g->f, .at = &g->once};
    IrExpr *copy[8];
    for (int i = 0; i < n && i < 8; i++)
        copy[i] = ir_copy_expr(g->cx, dims[i]);
    if (g->whole)
        copy[0] = ir_op(g->cx, OP_mul, copy[0], grid_blocks(g));
    ir_alloc(&b, v, copy, LAY_C, false);
    v->space = SPACE_SHARED;
    v->noalias = true;
    return v;
}

static IrExpr *
padded(Warp *w)
{
    return add(w, grid_threads(w->g), i64(w, 2 * PAD));
}

/* An element for each thread. */
static IrVar *
in_turns(Warp *w, DType d, bool act)
{
    IrVar **slot = act ? &w->g->active[w->g->turn] : &w->g->warp[w->g->turn][d];
    IrExpr *n = padded(w);
    if (!*slot)
        *slot = grid_block_array(w->g, act ? "active" : "of_warp", d, 1, &n);
    return *slot;
}

static IrExpr *
warps(Warp *w)
{
    return ir_op(w->cx, OP_shr, add(w, grid_threads(w->g), i64(w, WARP_SIZE - 1)), i64(w, 5));
}

static IrExpr *
my_warp(Warp *w)
{
    return add(w, ir_op(w->cx, OP_shr, grid_linear(w->g), i64(w, 5)), grid_start(w->g, warps(w)));
}

static IrVar *
of_warps(Warp *w, IrVar **slot, const char *name)
{
    IrExpr *n = warps(w);
    if (!*slot)
        *slot = grid_block_array(w->g, name, DT_u32, 1, &n);
    return *slot;
}

static IrExpr *
at(Warp *w, IrVar *arr, IrExpr *thread)
{
    IrExpr *i = add(w, add(w, thread, i64(w, PAD)), grid_start(w->g, padded(w)));
    return ir_load(w->cx, arr, 1, &i);
}

static void
leave(Warp *w, IrBuilder *b, IrVar *arr, IrExpr *e)
{
    IrExpr *i = add(w, add(w, grid_linear(w->g), i64(w, PAD)), grid_start(w->g, padded(w)));
    ir_store(b, arr, 1, &i, e);
}

static void
barrier(Warp *w)
{
    IrBuilder b = grid_builder(w->o, w->o->out, w->s->at);
    ir_barrier(&b, BAR_BLOCK, VOTE_NONE, NULL, NULL);
}

/* ---- shuffles -------------------------------------------------------------------------------- */

static IrExpr *
thread_in_warp(Warp *w, IrExpr *l)
{
    return add(w, ir_op(w->cx, OP_sub, grid_linear(w->g), lane(w)), l);
}

static IrExpr *
shuffled(Warp *w)
{
    Cx *cx = w->cx;
    IrExpr *k = w->s->args[1].e, *me = grid_linear(w->g), *last = i64(w, WARP_SIZE - 1);
    IrExpr *by = ir_op(cx, OP_min, ir_op(cx, OP_max, k, i64(w, 0)), i64(w, WARP_SIZE));
    if (w->s->order == WARP_SHFL)
        return at(w, w->val, thread_in_warp(w, ir_op(cx, OP_and, k, last)));
    if (w->s->order == WARP_SHFL_XOR)
        return at(w, w->val,
                  thread_in_warp(w, ir_op(cx, OP_and, ir_op(cx, OP_xor, lane(w), k), last)));
    bool up = w->s->order == WARP_SHFL_UP;
    IrExpr *ok = up ? ir_op(cx, OP_ge, lane(w), by) : ir_op(cx, OP_le, add(w, lane(w), by), last);
    if (!up)
        ok = ir_op(
            cx, OP_and, ok,
            ir_op(cx, OP_lt, add(w, grid_linear(w->g), ir_copy_expr(cx, by)), grid_threads(w->g)));
    IrExpr *from = ir_op(cx, up ? OP_sub : OP_add, me, ir_copy_expr(cx, by));
    return ir_op(cx, OP_select, ok, at(w, w->val, from), at(w, w->val, grid_linear(w->g)));
}

/* ---- votes ----------------------------------------------------------------------------------- */

/* Of each thread that takes part: the value, and that it does. */
static void
leave_all(Warp *w)
{
    Cx *cx = w->cx;
    IrBuilder b = grid_builder(w->o, w->o->out, w->s->at);
    if (w->o->guard)
        leave(w, &b, w->act, ir_int(cx, DT_bool, 0));
    b.at = grid_guarded(w->o, w->s->at);
    IrExpr *mine = w->s->n_args
                       ? ir_op(cx, OP_and, ir_op(cx, OP_shr, w->s->args[0].e, lane(w)), i64(w, 1))
                       : i64(w, 1);
    leave(w, &b, w->act, ir_op(cx, OP_ne, mine, i64(w, 0)));
    if (w->val)
        leave(w, &b, w->val, w->s->e);
}

/* For l in the warp's threads, from `first` on: sets b up inside; yields what it was outside. */
static IrBlock *
each_lane(Warp *w, IrBuilder *b, IrExpr *first, IrVar **l)
{
    IrBlock *save = b->at;
    IrExpr *left = ir_op(w->cx, OP_sub, grid_threads(w->g), first);
    *l = ir_var(w->g->f, "l", DT_i64);
    IrStmt *s =
        ir_loop(b, LOOP_SEQ, *l, i64(w, 0), ir_op(w->cx, OP_min, i64(w, WARP_SIZE), left), 1);
    b->at = &s->body;
    return save;
}

static void
set_bits(Warp *w, IrBuilder *b, IrVar *bits, IrVar *l, IrExpr *test)
{
    IrExpr *bit = ir_op(w->cx, OP_select, test, bit_of(w, ir_use(w->cx, l)), u32(w, 0));
    ir_set(b, bits, ir_op(w->cx, OP_or, ir_use(w->cx, bits), bit));
}

/* The first thread of each warp: all who take part, and those of them whose value is true. */
static void
count_votes(Warp *w, IrVar *live_of, IrVar *bits_of)
{
    Cx *cx = w->cx;
    IrVar *live = ir_var(w->g->f, "live", DT_u32), *bits = ir_var(w->g->f, "bits", DT_u32), *l;
    IrBuilder b = grid_builder(w->o, w->o->out, w->s->at);
    b.at = &ir_if(&b, ir_op(cx, OP_eq, lane(w), i64(w, 0)))->body;
    ir_set(&b, live, u32(w, 0));
    ir_set(&b, bits, u32(w, 0));
    IrBlock *save = each_lane(w, &b, grid_linear(w->g), &l);
    IrExpr *other = add(w, grid_linear(w->g), ir_use(cx, l));
    set_bits(w, &b, live, l, at(w, w->act, other));
    if (w->val && w->val->dtype == DT_bool)
        set_bits(w, &b, bits, l,
                 ir_op(cx, OP_and, at(w, w->act, ir_copy_expr(cx, other)),
                       at(w, w->val, ir_copy_expr(cx, other))));
    b.at = save;
    IrExpr *i = my_warp(w), *j = ir_copy_expr(cx, i);
    ir_store(&b, live_of, 1, &i, ir_use(cx, live));
    ir_store(&b, bits_of, 1, &j, ir_use(cx, bits));
}

/* Those whose value is this thread's. */
static IrVar *
matching(Warp *w, IrBuilder *b)
{
    Cx *cx = w->cx;
    IrVar *m = ir_var(w->g->f, "match", DT_u32), *l;
    IrExpr *first = ir_op(cx, OP_sub, grid_linear(w->g), lane(w));
    ir_set(b, m, u32(w, 0));
    IrBlock *save = each_lane(w, b, first, &l);
    IrExpr *other = add(w, ir_copy_expr(cx, first), ir_use(cx, l));
    IrExpr *same = ir_op(cx, OP_eq, at(w, w->val, other), at(w, w->val, grid_linear(w->g)));
    set_bits(w, b, m, l, ir_op(cx, OP_and, at(w, w->act, ir_copy_expr(cx, other)), same));
    b->at = save;
    return m;
}

static void
give_vote(Warp *w, IrBuilder *b, IrExpr *live, IrExpr *bits)
{
    Cx *cx = w->cx;
    IrStmt *s = w->s;
    switch ((IrWarp)s->order) {
    case WARP_ANY:
        ir_set(b, s->var, ir_op(cx, OP_ne, bits, u32(w, 0)));
        break;
    case WARP_ALL:
        ir_set(b, s->var, ir_op(cx, OP_eq, bits, live));
        break;
    case WARP_EQ: {
        IrExpr *none = ir_op(cx, OP_eq, ir_copy_expr(cx, bits), u32(w, 0));
        ir_set(b, s->var, ir_op(cx, OP_or, ir_op(cx, OP_eq, bits, live), none));
        break;
    }
    case WARP_BALLOT:
        ir_set(b, s->var, bits);
        break;
    case WARP_ACTIVE:
        ir_set(b, s->var, live);
        break;
    case WARP_MATCH_ANY:
        ir_set(b, s->var, ir_use(cx, matching(w, b)));
        break;
    default: {
        IrVar *m = matching(w, b), *all = s->outs[0].out;
        IrVar *same = ir_var(w->g->f, "same", DT_bool);
        ir_set(b, same, ir_op(cx, OP_eq, ir_use(cx, m), live));
        ir_set(b, s->var, ir_op(cx, OP_select, ir_use(cx, same), ir_use(cx, m), u32(w, 0)));
        ir_set(b, all, ir_use(cx, same));
        break;
    }
    }
}

static void
vote(Warp *w)
{
    IrVar *live = of_warps(w, &w->g->live, "live"), *bits = of_warps(w, &w->g->bits, "bits");
    leave_all(w);
    barrier(w);
    count_votes(w, live, bits);
    barrier(w);
    IrBuilder b = grid_builder(w->o, grid_guarded(w->o, w->s->at), w->s->at);
    IrExpr *i = my_warp(w), *j = ir_copy_expr(w->cx, i);
    give_vote(w, &b, ir_load(w->cx, live, 1, &i), ir_load(w->cx, bits, 1, &j));
}

void
grid_warp(GridOut *o, IrStmt *s)
{
    Warp w = {.o = o, .g = o->g, .cx = o->g->cx, .s = s};
    o->g->turn ^= 1;
    if (s->e)
        w.val = in_turns(&w, (DType)s->e->dtype, false);
    if (s->order > WARP_SHFL_XOR) {
        w.act = in_turns(&w, DT_bool, true);
        vote(&w);
        return;
    }
    IrBuilder b = grid_builder(o, grid_guarded(o, s->at), s->at);
    leave(&w, &b, w.val, s->e);
    barrier(&w);
    b.at = grid_guarded(o, s->at);
    ir_set(&b, s->var, shuffled(&w));
}
