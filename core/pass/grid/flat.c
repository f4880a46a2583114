/* SPDX-License-Identifier: BSD-3-Clause
 * Takes barriers out of branches and loops in which the threads of a block part, so that all that
 * holds a barrier afterwards is run by all of them together:
 *   if c { A; barrier; B }         t = c; if t { A }; barrier; if t { B }
 *   while c { A; barrier; B }      in = true; while any thread is in { if in { in = c }; ... }
 * A thread that is elsewhere counts as having arrived. */
#include "pass/grid/grid.h"
#include "pass/simplify/inline.h"

typedef struct Flat {
    Grid *g;
    Cx *cx;
    const GridVary *v;
    int loops; /* that all run together */
} Flat;

bool
grid_waits(const IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    if (ir_does(s, ST_WAITS))
        return true;
    int n = ir_blocks((IrStmt *)s, sub);
    for (int i = 0; i < n; i++)
        for (const IrStmt *t = sub[i]->first; t; t = t->next)
            if (grid_waits(t))
                return true;
    return false;
}

bool
grid_jumps(const IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (ir_does(s, ST_BREAKS))
            return true;
        int n = ir_does(s, ST_REPEATS) ? 0 : ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (grid_jumps(sub[i]))
                return true;
    }
    return false;
}

IrBuilder
grid_builder(const GridOut *o, IrBlock *at, Span span)
{
    return (IrBuilder){.cx = o->g->cx, .mod = o->g->f->mod, .f = o->g->f, .at = at, .span = span};
}

IrBlock *
grid_guarded(GridOut *o, Span at)
{
    IrBuilder b = grid_builder(o, o->out, at);
    if (!o->guard)
        return o->out;
    return &ir_if(&b, ir_use(b.cx, o->guard))->body;
}

static void flat(Flat *f, IrBlock *in, GridOut *o);

/* v = e where the guard holds, else `other`. */
static void
set_guarded(GridOut *o, IrVar *v, IrExpr *e, bool other, Span at)
{
    IrBuilder b = grid_builder(o, o->out, at);
    if (o->guard)
        ir_set(&b, v, ir_int(b.cx, DT_bool, other));
    b.at = grid_guarded(o, at);
    ir_set(&b, v, e);
}

static void
flat_vote(Flat *f, IrStmt *s, GridOut *o)
{
    IrVar *mine = ir_var(f->g->f, "vote", DT_bool), *all = ir_var(f->g->f, "votes", DT_i32);
    set_guarded(o, mine, s->e, s->n == VOTE_AND, s->at);
    IrBuilder b = grid_builder(o, o->out, s->at);
    ir_barrier(&b, BAR_BLOCK, (IrVote)s->n, all, ir_use(f->cx, mine));
    b.at = grid_guarded(o, s->at);
    ir_set(&b, s->var, ir_use(f->cx, all));
}

/* The branches one after the other, each with its own guard; or a branch of all threads. */
static void
flat_if(Flat *f, IrStmt *s, GridOut *o)
{
    bool parts = grid_varies(f->v, s->e) || (o->guard && ir_loads(s->e));
    IrBlock *from[2] = {&s->body, &s->els};
    if (!parts) {
        for (int k = 0; k < 2; k++) {
            IrBlock all = {0};
            GridOut in = {o->g, &all, o->guard};
            flat(f, from[k], &in);
            *from[k] = all;
        }
        ir_insert_before(o->out, NULL, s);
        return;
    }
    IrVar *side[2] = {ir_var(f->g->f, "in", DT_bool), NULL};
    set_guarded(o, side[0], s->e, false, s->at);
    if (s->els.first) {
        side[1] = ir_var(f->g->f, "in", DT_bool);
        set_guarded(o, side[1], ir_op(f->cx, OP_inv, ir_use(f->cx, side[0])), false, s->at);
    }
    for (int k = 0; k < 2 && side[k]; k++) {
        GridOut in = {o->g, o->out, side[k]};
        flat(f, from[k], &in);
    }
}

/* A break takes the thread out; a continue has it skip the rest of this iteration. */
static void
cut_jumps(Flat *f, IrBlock *b, IrVar *in)
{
    if (grid_jumps(b))
        inline_cut_jumps(f->g->f, b, in);
}

/* After the test: leave when nobody is in any more. */
static void
leave_empty(Flat *f, GridOut *o, IrVar *in, Span at)
{
    IrVar *any = ir_var(f->g->f, "any", DT_i32);
    IrBuilder b = grid_builder(o, o->out, at);
    ir_barrier(&b, BAR_BLOCK, VOTE_OR, any, ir_use(f->cx, in));
    b.at = &ir_if(&b, ir_op(f->cx, OP_eq, ir_use(f->cx, any), ir_int(f->cx, DT_i32, 0)))->body;
    ir_append(&b, IS_BREAK);
}

/* On to the next; a thread is out where that would be beyond hi, or beyond what an int64 holds. */
static void
next_step(Flat *f, GridOut *inside, IrStmt *s, IrVar *in, IrVar *hi, int64_t step)
{
    Cx *cx = f->cx;
    IrBuilder b = grid_builder(inside, grid_guarded(inside, s->at), s->at);
    bool up = step > 0;
    if (step != 1 && step != -1) {
        IrExpr *gap = ir_op(cx, OP_sub, ir_use(cx, up ? hi : s->var), ir_use(cx, up ? s->var : hi));
        IrExpr *by = ir_int(cx, DT_u64, (int64_t)(up ? (uint64_t)step : 0 - (uint64_t)step));
        ir_set(&b, in, ir_op(cx, OP_lt, by, ir_cast(cx, DT_u64, gap)));
    }
    ir_set(&b, s->var, ir_op(cx, OP_add, ir_use(cx, s->var), ir_int(cx, DT_i64, step)));
}

static void
parted_loop(Flat *f, IrStmt *s, GridOut *o)
{
    Cx *cx = f->cx;
    IrVar *in = ir_var(f->g->f, "in", DT_bool), *hi = NULL;
    bool counted = s->kind == IS_LOOP;
    set_guarded(o, in, ir_int(cx, DT_bool, 1), false, s->at);
    if (counted) {
        GridOut start = {o->g, o->out, in};
        IrBuilder b = grid_builder(o, grid_guarded(&start, s->at), s->at);
        hi = ir_var(f->g->f, "end", DT_i64);
        ir_set(&b, hi, s->idx[1]);
        ir_set(&b, s->var, s->idx[0]);
    }
    IrBuilder b = grid_builder(o, o->out, s->at);
    IrStmt *w = ir_while(&b);
    GridOut inside = {o->g, &w->body, in};
    f->loops++;
    flat(f, &s->pre, &inside);
    int64_t step = 1;
    if (counted)
        ir_is_const(s->idx[2], &step);
    b.at = grid_guarded(&inside, s->at);
    ir_set(&b, in,
           counted ? ir_op(cx, step > 0 ? OP_lt : OP_gt, ir_use(cx, s->var), ir_use(cx, hi))
                   : s->e);
    leave_empty(f, &inside, in, s->at);
    cut_jumps(f, &s->body, in);
    flat(f, &s->body, &inside);
    f->loops--;
    if (counted)
        next_step(f, &inside, s, in, hi, step);
}

static void
flat_loop(Flat *f, IrStmt *s, GridOut *o)
{
    if (map_get(&f->v->apart, s)) {
        parted_loop(f, s, o);
        return;
    }
    IrBlock *from[2] = {&s->pre, &s->body};
    f->loops++;
    for (int k = 0; k < 2; k++) {
        IrBlock all = {0};
        GridOut in = {o->g, &all, o->guard};
        flat(f, from[k], &in);
        *from[k] = all;
    }
    f->loops--;
    ir_insert_before(o->out, NULL, s);
}

static void
flat_stmt(Flat *f, IrStmt *s, GridOut *o)
{
    switch (s->kind) {
    case IS_BARRIER:
        if (s->n)
            flat_vote(f, s, o);
        else
            ir_insert_before(o->out, NULL, s);
        break;
    case IS_WARP:
        grid_warp(o, s);
        break;
    case IS_IF:
        flat_if(f, s, o);
        break;
    case IS_LOOP:
    case IS_WHILE:
        flat_loop(f, s, o);
        break;
    case IS_BREAK:
    case IS_CONTINUE:
        ir_insert_before(o->out, NULL, s);
        break;
    default: /* a try */
        diag_add(&f->cx->diags, DIAG_unsupported, s->at, "a barrier inside try");
        break;
    }
}

static void
flat(Flat *f, IrBlock *in, GridOut *o)
{
    IrBlock run = {0};
    for (IrStmt *s = in->first, *next; s; s = next) {
        IrBlock one = {s, s};
        next = s->next;
        ir_remove(in, s);
        if (!grid_waits(s) && !(f->loops && grid_jumps(&one))) {
            ir_insert_before(&run, NULL, s);
            continue;
        }
        if (run.first)
            ir_move_all(grid_guarded(o, run.first->at), &run);
        flat_stmt(f, s, o);
    }
    if (run.first)
        ir_move_all(grid_guarded(o, run.first->at), &run);
}

void
grid_flat(Grid *g, const GridVary *v, IrBlock *body)
{
    Flat f = {.g = g, .cx = g->cx, .v = v};
    IrBlock all = {0};
    GridOut o = {g, &all, NULL};
    flat(&f, body, &o);
    *body = all;
}
