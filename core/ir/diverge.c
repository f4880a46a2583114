/* SPDX-License-Identifier: BSD-3-Clause
 * What the iterations of one loop have in common when they run side by side in vector lanes:
 * takes a loop, yields the shape of every scalar in it (one value for all lanes, one that grows by
 * a constant from lane to lane, or one of its own in each), the branches and loops whose lanes
 * part, and which variables must be kept there in the lanes that do not take part. The hard idea is
 * that lanes which leave a branch or a loop keep only what is read later: an assignment to
 * anything else needs no select. */
#include "ir/ir.h"

typedef struct Nest {
    IrLaneInfo *info;     /* of the loop; NULL for the loop of the lanes itself */
    uint64_t *brk, *cont; /* live where a break or continue of it goes */
    bool continues;
} Nest;

typedef struct Diverge {
    IrLanes *l;
    Cx *cx;
    Nest *nest;
    bool changed;
} Diverge;

/* ---- shapes -------------------------------------------------------------------------------- */

static int64_t
join(int64_t a, int64_t b)
{
    return a == b ? a : IR_VARYING;
}

/* Steps of i64 values only: others could wrap where the vector would not. */
static int64_t
linear_op(const IrExpr *e, int64_t a, int64_t b)
{
    int64_t k, r;
    switch (e->op) {
    case OP_add:
        return __builtin_add_overflow(a, b, &r) ? IR_VARYING : r;
    case OP_sub:
        return __builtin_sub_overflow(a, b, &r) ? IR_VARYING : r;
    case OP_mul:
        if (ir_is_const(e->arg[1], &k))
            return __builtin_mul_overflow(a, k, &r) ? IR_VARYING : r;
        if (ir_is_const(e->arg[0], &k))
            return __builtin_mul_overflow(b, k, &r) ? IR_VARYING : r;
        break;
    default:
        break;
    }
    return IR_VARYING;
}

int64_t
ir_lane_step(const IrLanes *l, const IrExpr *e)
{
    int64_t step[4] = {0};
    bool uniform = true, varying = false;
    if (e->kind == IX_VAR)
        return l->step[e->var->id];
    if (e->kind == IX_CONST || e->kind == IX_DIM || e->kind == IX_STRIDE)
        return 0;
    for (int i = 0; i < e->n; i++) {
        int64_t s = ir_lane_step(l, e->arg[i]);
        step[i & 3] = s;
        uniform &= s == 0;
        varying |= s == IR_VARYING;
    }
    if (uniform || varying || e->kind != IX_OP || e->dtype != DT_i64)
        return uniform ? 0 : IR_VARYING;
    return linear_op(e, step[0], step[1]);
}

static void
raise_shape(Diverge *d, const IrVar *v, int64_t step)
{
    uint64_t bit = (uint64_t)1 << (v->id % 64);
    int64_t *at = &d->l->step[v->id];
    if (v->is_array)
        return;
    if (step != 0 && step != IR_VARYING && v->dtype != DT_i64)
        step = IR_VARYING;
    bool seen = d->l->sets[v->id / 64] & bit;
    int64_t now = seen ? join(*at, step) : step;
    d->changed |= !seen || now != *at;
    d->l->sets[v->id / 64] |= bit;
    *at = now;
}

IrLaneInfo *
ir_lane_info(const IrLanes *l, const IrStmt *s)
{
    return map_get(&l->info, s);
}

static IrLaneInfo *
info_of(Diverge *d, const IrStmt *s)
{
    IrLaneInfo *i = map_get(&d->l->info, s);
    if (!i) {
        i = NEW(&d->cx->arena, IrLaneInfo);
        map_put(&d->cx->arena, &d->l->info, s, i);
    }
    return i;
}

static void
mark(Diverge *d, IrLaneInfo *i)
{
    d->changed |= !i->divergent;
    i->divergent = true;
}

/* apart: some lanes may be off here; apart_here: since the innermost loop began. */
static void shapes(Diverge *d, const IrBlock *b, bool apart, bool apart_here);

static void
shape_loop(Diverge *d, const IrStmt *s, bool apart)
{
    IrLaneInfo *info = info_of(d, s);
    int64_t lo = ir_lane_step(d->l, s->idx[0]), hi = ir_lane_step(d->l, s->idx[1]);
    if (lo != hi || lo == IR_VARYING)
        mark(d, info);
    raise_shape(d, s->var, lo);
    Nest n = {.info = info}, *outer = d->nest;
    d->nest = &n;
    shapes(d, &s->body, apart || info->divergent, info->divergent);
    d->nest = outer;
}

static void
shape_while(Diverge *d, const IrStmt *s, bool apart)
{
    IrLaneInfo *info = info_of(d, s);
    Nest n = {.info = info}, *outer = d->nest;
    d->nest = &n;
    shapes(d, &s->pre, apart || info->divergent, info->divergent);
    if (ir_lane_step(d->l, s->e) != 0)
        mark(d, info);
    shapes(d, &s->body, apart || info->divergent, info->divergent);
    d->nest = outer;
}

static void
shape_if(Diverge *d, const IrStmt *s, bool apart, bool apart_here)
{
    IrLaneInfo *info = info_of(d, s);
    if (ir_lane_step(d->l, s->e) != 0)
        mark(d, info);
    shapes(d, &s->body, apart || info->divergent, apart_here || info->divergent);
    shapes(d, &s->els, apart || info->divergent, apart_here || info->divergent);
}

static void
shapes(Diverge *d, const IrBlock *b, bool apart, bool apart_here)
{
    for (const IrStmt *s = b->first; s; s = s->next) {
        switch (s->kind) {
        case IS_SET:
            raise_shape(d, s->var, apart ? IR_VARYING : ir_lane_step(d->l, s->e));
            break;
        case IS_ATOMIC:
            if (s->var)
                raise_shape(d, s->var, IR_VARYING);
            break;
        case IS_LOOP:
            shape_loop(d, s, apart);
            break;
        case IS_WHILE:
            shape_while(d, s, apart);
            break;
        case IS_IF:
            shape_if(d, s, apart, apart_here);
            break;
        case IS_BREAK:
        case IS_CONTINUE:
            if (apart_here)
                mark(d, d->nest->info);
            break;
        default:
            break;
        }
    }
}

/* ---- what is read later -------------------------------------------------------------------- */

static uint64_t *
copy_set(Diverge *d, const uint64_t *set)
{
    return arena_dup(&d->cx->arena, set, sizeof *set * (size_t)d->l->words);
}

static bool
add_set(Diverge *d, uint64_t *to, const uint64_t *from)
{
    bool grew = false;
    for (int i = 0; i < d->l->words; i++) {
        grew |= (from[i] & ~to[i]) != 0;
        to[i] |= from[i];
    }
    return grew;
}

static void
add_uses(uint64_t *live, const IrExpr *e)
{
    if (!e)
        return;
    if (e->kind == IX_VAR)
        live[e->var->id / 64] |= (uint64_t)1 << (e->var->id % 64);
    for (int i = 0; i < e->n; i++)
        add_uses(live, e->arg[i]);
}

static void live_block(Diverge *d, const IrBlock *b, uint64_t *live);

/* Both: `live` is what is read after s, and becomes what is read from s on. */
static void
live_loop(Diverge *d, const IrStmt *s, uint64_t *live)
{
    IrLaneInfo *info = info_of(d, s);
    uint64_t *head = copy_set(d, live);
    /* a loop around comes again, with no less: what was found holds, and nests take no power of
     * time */
    if (info->head)
        add_set(d, head, info->head);
    Nest n = {.brk = copy_set(d, live)}, *outer = d->nest;
    d->nest = &n;
    for (bool grew = true; grew;) {
        n.cont = copy_set(d, head);
        uint64_t *body = copy_set(d, head);
        if (s->kind == IS_WHILE) {
            live_block(d, &s->body, body);
            add_set(d, body, n.brk);
            add_uses(body, s->e);
            live_block(d, &s->pre, body);
        } else {
            live_block(d, &s->body, body);
        }
        grew = add_set(d, head, body);
    }
    d->nest = outer;
    info->head = head;
    info->keep[0] = copy_set(d, n.brk);
    if (n.continues)
        add_set(d, info->keep[0], head);
    add_set(d, live, head);
    if (s->kind == IS_LOOP)
        live[s->var->id / 64] &= ~((uint64_t)1 << (s->var->id % 64));
    for (int i = 0; i < s->n_idx; i++)
        add_uses(live, s->idx[i]);
}

static void
live_if(Diverge *d, const IrStmt *s, uint64_t *live)
{
    IrLaneInfo *info = info_of(d, s);
    uint64_t *els = copy_set(d, live);
    info->keep[1] = copy_set(d, live);
    live_block(d, &s->els, els);
    info->keep[0] = copy_set(d, els); /* lanes of the else branch come after the others */
    live_block(d, &s->body, live);
    add_set(d, live, els);
    add_uses(live, s->e);
}

static void
live_stmt(Diverge *d, const IrStmt *s, uint64_t *live)
{
    switch (s->kind) {
    case IS_LOOP:
    case IS_WHILE:
        live_loop(d, s, live);
        return;
    case IS_IF:
        live_if(d, s, live);
        return;
    case IS_BREAK:
    case IS_CONTINUE:
        d->nest->continues |= s->kind == IS_CONTINUE;
        memcpy(live, s->kind == IS_BREAK ? d->nest->brk : d->nest->cont,
               sizeof *live * (size_t)d->l->words);
        return;
    case IS_SET:
    case IS_ATOMIC:
        if (s->var)
            live[s->var->id / 64] &= ~((uint64_t)1 << (s->var->id % 64));
        break;
    default:
        break;
    }
    add_uses(live, s->e);
    for (int i = 0; i < s->n_idx; i++)
        add_uses(live, s->idx[i]);
    for (int i = 0; i < s->n_args; i++)
        add_uses(live, s->args[i].e);
}

static void
live_block(Diverge *d, const IrBlock *b, uint64_t *live)
{
    for (const IrStmt *s = b->last; s; s = s->prev)
        live_stmt(d, s, live);
}

static void
keep_var(uint64_t *set, const IrVar *v)
{
    set[v->id / 64] |= (uint64_t)1 << (v->id % 64);
}

IrLanes *
ir_lanes(IrFunc *f, const IrStmt *loop)
{
    Cx *cx = f->mod->cx;
    IrLanes *l = NEW(&cx->arena, IrLanes);
    l->words = f->vars.n / 64 + 1;
    l->step = NEW_N(&cx->arena, int64_t, f->vars.n + 1);
    l->sets = NEW_N(&cx->arena, uint64_t, l->words);
    l->keep = NEW_N(&cx->arena, uint64_t, l->words);
    l->live_in = NEW_N(&cx->arena, uint64_t, l->words);
    Diverge d = {l, cx, NULL, true};
    IrLaneInfo *info = info_of(&d, loop);
    int64_t step = 1;
    ir_is_const(loop->idx[2], &step);
    for (int i = 0; i < loop->n_reds; i++) {
        keep_var(l->keep, loop->reds[i].var);
        raise_shape(&d, loop->reds[i].var, IR_VARYING);
    }
    for (int i = 0; i < loop->n_lasts; i++)
        keep_var(l->keep, loop->lasts[i]);
    while (d.changed) {
        Nest n = {.info = info};
        d.nest = &n;
        d.changed = false;
        raise_shape(&d, loop->var, step);
        shapes(&d, &loop->body, info->divergent, info->divergent);
    }
    Nest n = {.brk = l->keep, .cont = l->keep};
    d.nest = &n;
    memcpy(l->live_in, l->keep, sizeof *l->keep * (size_t)l->words);
    live_block(&d, &loop->body, l->live_in);
    return l;
}
