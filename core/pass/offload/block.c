/* SPDX-License-Identifier: BSD-3-Clause
 * A block of threads for each iteration: where the schedule asks that loops inside of the parallel
 * one be run side by side, too. Those loops are shared out among the block's threads, and barriers
 * stand around them. What lies between is done by all threads alike, as far as it only computes;
 * what it stores, one thread stores. A reduction ends in a tree, whose result every thread reads,
 * so that scalars are the same in all threads. */
#include "pass/offload/nest.h"

enum { MANY = 32 /* blocks keep a device busy */ };

/* ---- may it be so ---------------------------------------------------------------------------- */

static bool
is_shared_out(const IrStmt *s)
{
    return s->kind == IS_LOOP && s->independent && !s->cold && s->sched && s->sched->threads > 1 &&
           !s->sched->seq;
}

typedef struct Look {
    bool team, stores, sets, other;
    int64_t width;
} Look;

static void
look(IrBlock *b, IrStmt *s, void *arg)
{
    Look *l = arg;
    (void)b;
    if (is_shared_out(s)) {
        l->team = true;
        l->width = s->sched->threads > l->width ? s->sched->threads : l->width;
    }
    l->stores |= ir_does(s, ST_WRITES_VAR | ST_WRITES_BASE);
    l->sets |= s->kind == IS_SET || ir_does(s, ST_LOOKS);
    l->other |= s->kind == IS_ALLOC || s->kind == IS_CALL || ir_does(s, ST_BREAKS);
}

static Look
look_at(IrStmt *s)
{
    Look l = {0};
    IrBlock *sub[IR_MAX_BLOCKS];
    look(NULL, s, &l);
    int n = ir_blocks(s, sub);
    for (int i = 0; i < n; i++)
        ir_walk_block(sub[i], look, &l);
    return l;
}

static bool
can_share_loop(const IrStmt *s)
{
    int64_t step;
    for (int i = 0; i < s->n_reds; i++)
        if (s->reds[i].of || s->reds[i].var->is_array)
            return false;
    return !s->n_lasts && ir_is_const(s->idx[2], &step) && step != INT64_MIN;
}

/* What one thread stores for all must set nothing that the others need. */
static bool
can_share(IrBlock *b)
{
    for (IrStmt *s = b->first; s; s = s->next) {
        IrBlock *sub[IR_MAX_BLOCKS];
        if (is_shared_out(s)) {
            if (!can_share_loop(s))
                return false;
            continue;
        }
        Look l = look_at(s);
        if (l.other || (!l.team && l.stores && l.sets))
            return false;
        if (!l.team)
            continue;
        if (s->kind != IS_IF && s->kind != IS_LOOP)
            return false;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (!can_share(sub[i]))
                return false;
    }
    return true;
}

int64_t
offload_width(const IrStmt *loop)
{
    Look l = {0};
    ir_walk_block((IrBlock *)&loop->body, look, &l);
    return l.team ? l.width : 0;
}

bool
nest_shares(const Nest *z)
{
    const IrStmt *last = z->loop[z->n - 1];
    return z->way == ONE_EACH && !z->o->loop->n_lasts && offload_width(last) > 1 &&
           can_share((IrBlock *)&last->body);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static void
wait_all(Nest *z)
{
    IrStmt *last = z->o->in.at->last;
    if (!last || last->kind != IS_BARRIER)
        nest_barrier(z);
}

/* Iterations are counted: sums of a place and steps of all threads might wrap. */
static void
share_loop(Nest *z, IrStmt *s)
{
    Cx *cx = z->w->cx;
    Outline *o = z->o;
    IrBlock *save = o->in.at;
    int64_t step = 1;
    ir_is_const(s->idx[2], &step);
    IrVar *v = ir_var(o->g, s->var->name, (DType)s->var->dtype), *k = ir_var(o->g, "k", DT_i64);
    IrVar *lo = ir_temp(&o->in, ir_clone_expr(o->g, s->idx[0], &o->to));
    IrExpr *hi = ir_use(cx, ir_temp(&o->in, ir_clone_expr(o->g, s->idx[1], &o->to)));
    IrVar *n = nest_trips(z, &o->in, ir_use(cx, lo), hi, step);
    ir_set(&o->in, k, ir_geo(cx, GEO_THREAD_X));
    IrStmt *all = ir_while(&o->in);
    all->e = ir_op(cx, OP_lt, ir_use(cx, k), ir_use(cx, n));
    o->in.at = &all->body;
    map_put(&cx->arena, &o->to, s->var, v);
    IrExpr *e = ir_op(cx, OP_mul, ir_use(cx, k), ir_int(cx, DT_i64, step));
    ir_set(&o->in, v, ir_cast(cx, (DType)v->dtype, ir_op(cx, OP_add, ir_use(cx, lo), e)));
    ir_set(&o->in, k, ir_op(cx, OP_add, ir_use(cx, k), ir_int(cx, DT_i64, z->block)));
    nest_copy(z, s->body);
    o->in.at = save;
}

/* Each thread begins with what changes nothing; the tree's result meets the value from before. */
static void
share_reduction(Nest *z, IrStmt *s)
{
    Cx *cx = z->w->cx;
    Outline *o = z->o;
    IrVar **before = NEW_N(&cx->arena, IrVar *, s->n_reds + 1);
    for (int i = 0; i < s->n_reds; i++) {
        IrVar *v = map_get(&o->to, s->reds[i].var);
        before[i] = ir_temp(&o->in, ir_use(cx, v));
        if (!(ir_reduce_traits(s->reds[i].op) & RED_AGAIN))
            ir_set(&o->in, v, ir_reduce_identity(cx, s->reds[i].op, (DType)v->dtype));
    }
    share_loop(z, s);
    IrVar **tree = nest_tree(z, s);
    wait_all(z);
    for (int i = 0; i < s->n_reds; i++) {
        IrVar *v = map_get(&o->to, s->reds[i].var);
        IrExpr *first = ir_int(cx, DT_i64, 0);
        ir_set(&o->in, v,
               ir_reduce_combined(cx, s->reds[i].op, ir_use(cx, before[i]),
                                  ir_load(cx, tree[i], 1, &first)));
    }
}

static void share_block(Nest *z, IrBlock *b);

/* A statement around shared loops: all threads go through it together. */
static void
share_inside(Nest *z, IrStmt *s)
{
    Outline *o = z->o;
    IrBlock *save = o->in.at, none = {0};
    IrStmt shell = *s;
    IrBlock one = {&shell, &shell};
    shell.prev = shell.next = NULL;
    shell.body = shell.els = none;
    shell.n_reds = shell.n_lasts = 0;
    IrBlock copy = ir_clone_block(o->g, &one, &o->to);
    IrStmt *n = copy.first;
    offload_adopt(z->w, &copy);
    ir_move_all(o->in.at, &copy);
    o->in.at = &n->body;
    share_block(z, &s->body);
    o->in.at = &n->els;
    share_block(z, &s->els);
    o->in.at = save;
}

static void
one_stores(Nest *z, IrStmt *s)
{
    Cx *cx = z->w->cx;
    Outline *o = z->o;
    IrBlock *save = o->in.at;
    wait_all(z);
    o->in.at =
        &ir_if(&o->in, ir_op(cx, OP_eq, ir_geo(cx, GEO_THREAD_X), ir_int(cx, DT_i64, 0)))->body;
    nest_copy(z, (IrBlock){s, s});
    o->in.at = save;
    wait_all(z);
}

static void
share_block(Nest *z, IrBlock *b)
{
    for (IrStmt *s = b->first; s; s = s->next) {
        if (is_shared_out(s)) {
            wait_all(z);
            if (s->n_reds)
                share_reduction(z, s);
            else
                share_loop(z, s);
            wait_all(z);
            continue;
        }
        Look l = look_at(s);
        if (l.team)
            share_inside(z, s);
        else if (l.stores)
            one_stores(z, s);
        else
            nest_copy(z, (IrBlock){s, s});
    }
}

void
nest_share(Nest *z)
{
    share_block(z, &z->loop[z->n - 1]->body);
}

/* ---- wider than a block ---------------------------------------------------------------------- */

static bool
is_name(const IrStmt *s, const IrEffects *fx)
{
    return s->kind == IS_DROP || (s->kind == IS_SET && ir_invariant(s->e, fx));
}

/* Nothing goes from one loop to the next but by arrays. Yields how many there are; 0: it can't
 * be. */
static int
can_part(IrFunc *f, const IrStmt *loop)
{
    int n = 0;
    if (loop->n_reds || loop->n_lasts)
        return 0;
    for (const IrStmt *s = loop->body.first; s; s = s->next) {
        IrEffects fx = s->kind == IS_SET ? ir_effects(f, &loop->body) : (IrEffects){0};
        if (s->kind == IS_SET)
            fx.sets[s->var->id / 64] &= ~((uint64_t)1 << s->var->id % 64);
        n += is_shared_out(s);
        if (is_shared_out(s) ? s->n_reds || s->n_lasts : !is_name(s, &fx))
            return 0;
    }
    return n;
}

/* A loop of its own for each loop in it, with the names that it needs. */
static void
part(IrFunc *f, IrBlock *b, IrStmt *loop)
{
    for (IrStmt *s = loop->body.first; s; s = s->next) {
        if (!is_shared_out(s))
            continue;
        IrStmt shell = *loop;
        shell.prev = shell.next = NULL;
        shell.body = (IrBlock){0};
        IrBlock one = {&shell, &shell};
        Map to = {0};
        IrBlock copy = ir_clone_block(f, &one, &to);
        for (IrStmt *t = loop->body.first; t != s->next; t = t->next) {
            if (t != s && t->kind != IS_SET)
                continue;
            IrStmt *next = t->next;
            t->next = NULL;
            IrBlock it = {t, t}, c = ir_clone_block(f, &it, &to);
            t->next = next;
            ir_move_all(&copy.first->body, &c);
        }
        IrStmt *made = copy.first;
        made->prev = made->next = NULL;
        ir_insert_before(b, loop, made);
    }
    ir_remove(b, loop);
}

static void
spread(IrBlock *b)
{
    for (IrStmt *s = b->first; s; s = s->next) {
        IrBlock *sub[IR_MAX_BLOCKS];
        s->threads = is_shared_out(s);
        int n = s->threads ? 0 : ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            spread(sub[i]);
    }
}

/* Yields whether the loop is to be visited no more as it was: from *again on, then. */
bool
offload_part(IrFunc *f, IrBlock *b, IrStmt *s, IrStmt **again)
{
    if (offload_width(s) <= OFFLOAD_WIDEST)
        return false;
    IrStmt *before = s->prev;
    int n = can_part(f, s);
    if (n == 1)
        return false; /* one kernel for both loops */
    if (n > 1) {
        part(f, b, s);
        *again = before ? before->next : b->first;
        return true;
    }
    if (s->sched && s->sched->threads >= MANY)
        return false;   /* each a block, whose threads go round */
    s->threads = false; /* one after the other, its loops on the device */
    spread(&s->body);
    *again = s;
    return true;
}
