/* SPDX-License-Identifier: BSD-3-Clause
 * Cuts a kernel's body at its barriers: takes what one thread does, yields what one block does.
 * What all threads do together (branches and loops with barriers inside, and values that are the
 * same for all) is done once for the block; what is left between, a region, becomes loops over the
 * threads. grid/slot.c hands values from region to region. Threads may be taken in any order and
 * one by one, so a cut where there is no barrier is no harm, either. */
#include "pass/grid/grid.h"

/* ---- what the block does once ---------------------------------------------------------------- */

bool
grid_expr_is_wide(const GridSplit *s, const IrExpr *e)
{
    if (e->kind == IX_GEO)
        return !grid_varies(s->v, e);
    if (e->var &&
        (!s->block_wide[e->var->id] || (e->kind == IX_LOAD && e->var->space == SPACE_LOCAL)))
        return false;
    for (int i = 0; i < e->n; i++)
        if (!grid_expr_is_wide(s, e->arg[i]))
            return false;
    return true;
}

static bool
block_is_wide(const GridSplit *s, const IrBlock *b)
{
    for (const IrStmt *t = b->first; t; t = t->next)
        if (!grid_is_block_wide(s, t))
            return false;
    return true;
}

/* An error's message names thread (0, 0, 0): it is the first that fails. */
static bool
args_are_wide(const GridSplit *s, const IrStmt *t)
{
    for (int i = 0; i < t->n_args; i++)
        if (t->args[i].arr || (i + 1 < t->n_args && !grid_expr_is_wide(s, t->args[i].e)))
            return false;
    return true;
}

bool
grid_is_block_wide(const GridSplit *s, const IrStmt *t)
{
    if ((t->e && !grid_expr_is_wide(s, t->e)) || (t->base && !s->block_wide[t->base->id]))
        return false;
    for (int i = 0; i < t->n_idx; i++)
        if (!grid_expr_is_wide(s, t->idx[i]))
            return false;
    switch (t->kind) {
    case IS_SET:
    case IS_VIEW:
    case IS_ALIAS:
    case IS_CONSTARR:
    case IS_CHECK_INDEX:
        return s->block_wide[t->var->id] && args_are_wide(s, t);
    case IS_CHECK:
    case IS_ASSUME:
        return args_are_wide(s, t);
    case IS_LOOP:
        return s->block_wide[t->var->id] && block_is_wide(s, &t->body);
    case IS_WHILE:
    case IS_IF:
        return block_is_wide(s, &t->pre) && block_is_wide(s, &t->body) && block_is_wide(s, &t->els);
    case IS_BREAK:
    case IS_CONTINUE:
        return true;
    default:
        return false;
    }
}

static bool
is_shared_by_all(const GridSplit *s, IrStmt *t)
{
    IrBlock one = {t, t};
    IrStmt *next = t->next;
    t->next = NULL;
    bool r = grid_waits(t) || (s->loops && grid_jumps(&one));
    t->next = next;
    return r;
}

static void
narrow(IrVar *v, void *arg)
{
    GridSplit *s = arg;
    if (s->block_wide[v->id])
        s->block_wide[v->id] = false;
    else
        return;
    s->changed = true;
}

static void
narrow_stmt(IrBlock *b, IrStmt *t, void *arg)
{
    (void)b;
    ir_walk_defs(t, narrow, arg);
}

static void
narrow_block(GridSplit *s, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *t = b->first; t; t = t->next) {
        int n = ir_blocks(t, sub), loop = ir_does(t, ST_REPEATS);
        if (is_shared_by_all(s, t)) {
            s->loops += loop;
            for (int i = 0; i < n; i++)
                narrow_block(s, sub[i]);
            s->loops -= loop;
        } else if (s->whole_pieces || !grid_is_block_wide(s, t)) {
            narrow_stmt(b, t, s);
            for (int i = 0; i < n; i++)
                ir_walk_block(sub[i], narrow_stmt, s);
        }
    }
}

void
grid_block_wide(GridSplit *s, IrBlock *body)
{
    const IrFunc *f = s->g->f;
    s->n_wide = f->vars.n;
    s->block_wide = NEW_N(&s->g->cx->arena, bool, f->vars.n + 1);
    for (int i = 0; i < f->vars.n; i++)
        s->block_wide[i] = i < s->v->n && !s->v->vary[i];
    do {
        s->changed = false;
        narrow_block(s, body);
    } while (s->changed);
}

/* ---- regions --------------------------------------------------------------------------------- */

static void
close_region(GridSplit *s)
{
    GridRegion *r = s->open;
    if (!r)
        return;
    s->open = NULL;
    r->mark = ir_stmt(s->g->cx, IS_ASSUME, r->body.first->at);
    r->mark->e = ir_int(s->g->cx, DT_bool, 1);
    r->in = s->out;
    r->looped = s->loops > 0;
    ir_insert_before(s->out, NULL, r->mark);
    VEC_PUSH(&s->g->cx->arena, s->regions, r);
}

static void
to_region(GridSplit *s, IrStmt *t)
{
    if (!s->open)
        s->open = NEW(&s->g->cx->arena, GridRegion);
    ir_insert_before(&s->open->body, NULL, t);
}

typedef struct Mentions {
    const uint64_t *set;
    bool any, effects;
} Mentions;

static void
mention(Mentions *m, const IrVar *v)
{
    m->any |= v && ir_in(m->set, v);
}

static bool
mention_expr(IrExpr **e, void *arg)
{
    mention(arg, (*e)->var);
    return true;
}

static void
mention_stmt(IrBlock *b, IrStmt *t, void *arg)
{
    Mentions *m = arg;
    (void)b;
    ir_walk_stmt_exprs(t, mention_expr, m);
    mention(m, t->var);
    mention(m, t->base);
    for (int i = 0; i < t->n_args; i++)
        mention(m, t->args[i].arr);
    m->effects |= t->kind != IS_SET && t->kind != IS_IF && t->kind != IS_LOOP &&
                  t->kind != IS_VIEW && t->kind != IS_ALIAS && t->kind != IS_ASSUME;
}

static void
looks_at_memory(IrBlock *b, IrStmt *t, void *arg)
{
    (void)b;
    *(bool *)arg |= ir_stmt_loads(t) || ir_does(t, ST_CHECKS) || t->kind == IS_WHILE;
}

/* May t run before the open region, which it comes behind? */
static bool
may_go_first(GridSplit *s, IrStmt *t)
{
    IrFunc *f = s->g->f;
    IrEffects fx = ir_effects_stmt(f, t);
    Mentions m = {fx.sets, false, false};
    bool memory = false;
    IrStmt copy = *t;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy};
    ir_walk_block(&s->open->body, mention_stmt, &m);
    ir_walk_block(&one, looks_at_memory, &memory);
    return !m.any && !(memory && m.effects);
}

typedef struct Needs {
    GridSplit *s;
    uint64_t *sets;
    int words;
    bool any;
} Needs;

static bool
need_expr(IrExpr **e, void *arg)
{
    Needs *n = arg;
    const IrVar *v = (*e)->var;
    if (v && v->id / 64 < n->words && ir_in(n->sets, v) &&
        !(v->id < n->s->keep->n && n->s->keep->def[v->id]))
        n->any = true;
    return true;
}

static void
need_stmt(IrBlock *b, IrStmt *t, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(t, need_expr, arg);
}

/* Would values of the open region have to be kept in memory for t, were it apart from it? */
static bool
needs_open(GridSplit *s, IrStmt *t)
{
    IrEffects fx = ir_effects(s->g->f, &s->open->body);
    Needs n = {s, fx.sets, fx.words, false};
    IrStmt copy = *t;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy};
    ir_walk_block(&one, need_stmt, &n);
    return n.any;
}

/* The plain range of what has a narrower one, so that nobody has to look for it in there. */
static void
assume_thread(GridSplit *s, const GridRegion *range, Span at)
{
    Cx *cx = s->g->cx;
    for (int k = 0; k < 3; k++) {
        if (!range->lo[k] && !range->hi[k])
            continue;
        IrStmt *a = ir_stmt(cx, IS_ASSUME, at);
        IrExpr *t = ir_geo(cx, (IrGeo)(GEO_THREAD_X + k));
        a->e = ir_op(cx, OP_and, ir_op(cx, OP_ge, t, ir_int(cx, DT_i64, 0)),
                     ir_op(cx, OP_lt, ir_copy_expr(cx, t), ir_copy_expr(cx, s->g->dim[k])));
        ir_insert_before(&s->open->body, NULL, a);
    }
}

/* The loop over the threads runs those alone for which `used` holds. */
static void
drop_test(GridSplit *s, IrStmt *t, GridRegion *range)
{
    IrBlock body = t->body;
    IrStmt *test = range->rest ? ir_stmt(s->g->cx, IS_IF, t->at) : NULL;
    t->body = (IrBlock){0};
    t->kind = IS_ASSUME;
    t->e = range->used;
    pass_remark(s->g->p, REMARK_grid_branch, t->at, "a loop over the threads that take it%s",
                range->twice ? "; whole blocks go apart" : "");
    assume_thread(s, range, t->at);
    if (test) {
        test->e = range->rest;
        ir_move_all(&test->body, &body);
        grid_note_full(s, test, range);
        ir_insert_before(&body, NULL, test);
    }
    ir_move_all(&s->open->body, &body);
}

static void split(GridSplit *s, IrBlock *in, IrBlock *out);

/* All threads have added to `n` what they say; each reads it behind. */
static void
split_vote(GridSplit *s, IrStmt *t)
{
    static const IrOp ops[] = {[VOTE_COUNT] = OP_add, [VOTE_AND] = OP_and, [VOTE_OR] = OP_or};
    Cx *cx = s->g->cx;
    IrFunc *f = s->g->f;
    IrBuilder b = {.cx = cx, .mod = f->mod, .f = f, .at = s->out, .span = t->at};
    IrVar *n = ir_var(f, "n", DT_i32);
    IrOp op = ops[t->n];
    ir_set(&b, n, ir_int(cx, DT_i32, t->n == VOTE_AND));
    IrStmt *add = ir_stmt(cx, IS_SET, t->at);
    add->var = n;
    add->e = ir_op(cx, op, ir_use(cx, n), ir_cast(cx, DT_i32, t->e));
    to_region(s, add);
    s->open->red = (IrReduce){.var = n, .op = (uint8_t)op};
    close_region(s);
    ir_set(&b, t->var, ir_use(cx, n));
}

static void
split_together(GridSplit *s, IrStmt *t)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    if (t->kind == IS_BARRIER && t->n) {
        split_vote(s, t);
        return;
    }
    close_region(s);
    if (t->kind == IS_BARRIER)
        return;
    int n = ir_blocks(t, sub), loop = ir_does(t, ST_REPEATS);
    IrBlock *out = s->out;
    s->loops += loop;
    for (int i = 0; i < n; i++) {
        IrBlock from = *sub[i];
        *sub[i] = (IrBlock){0};
        split(s, &from, sub[i]);
    }
    s->loops -= loop;
    s->out = out;
    ir_insert_before(out, NULL, t);
}

static void
split(GridSplit *s, IrBlock *in, IrBlock *out)
{
    s->out = out;
    for (IrStmt *t = in->first, *next; t; t = next) {
        next = t->next;
        ir_remove(in, t);
        if (is_shared_by_all(s, t)) {
            split_together(s, t);
        } else if (s->whole_pieces) {
            to_region(s, t);
        } else if (grid_is_block_wide(s, t)) {
            if (s->open && !may_go_first(s, t))
                close_region(s);
            ir_insert_before(out, NULL, t);
        } else {
            GridRegion range = {0};
            if (grid_take_apart(s, in, next, t)) {
                next = in->first;
                continue;
            }
            bool apart = grid_range(s, t, &range) && !(s->open && needs_open(s, t));
            if (apart)
                close_region(s);
            to_region(s, t);
            if (!apart) {
                grid_note_full(s, t, s->open);
                continue;
            }
            drop_test(s, t, &range);
            range.body = s->open->body;
            *s->open = range;
            close_region(s);
        }
    }
    close_region(s);
}

static void
find_made(IrBlock *b, IrStmt *t, void *arg)
{
    GridSplit *s = arg;
    (void)b;
    s->again |= t->kind == IS_ALLOC && !t->var->space;
}

static bool
split_all(GridSplit *s, IrBlock *body)
{
    GridVary *v = grid_vary(s->g, body);
    s->keep = grid_keep(s->g, v, body);
    grid_flat(s->g, v, body);
    grid_name_conditions(s, body);
    s->v = grid_vary(s->g, body);
    grid_block_wide(s, body);
    IrBlock from = *body;
    *body = (IrBlock){0}; /* the regions know their places in it */
    split(s, &from, body);
    return grid_slots(s, body);
}

void
grid_split(Grid *g, IrBlock *body)
{
    GridSplit s = {.g = g}, plain = {.g = g, .whole_pieces = true};
    ir_walk_block(body, find_made, &s);
    IrBlock spare = s.again ? ir_clone_block(g->f, body, NULL) : (IrBlock){0};
    if (split_all(&s, body))
        return;
    *body = spare;
    split_all(&plain, body);
}
