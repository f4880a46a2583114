/* SPDX-License-Identifier: BSD-3-Clause
 * What hangs on the contents of arrays in a loop L: that two iterations don't meet where such an
 * index leads is the user's promise; of any other index nothing was promised. A variable hangs on
 * contents if what one of its definitions says reads memory, or if whether, or how often, one runs
 * does. What was set before L is a number that is known when L starts. */
#include "pass/parallel/par.h"

typedef struct Contents {
    ParLoop *l;
    bool changed;
} Contents;

static bool
is_marked(const ParLoop *l, const IrVar *v)
{
    return v->id >= 0 && v->id < l->n_contents && l->contents[v->id];
}

static void
mark_var(Contents *c, const IrVar *v)
{
    if (v->id < 0 || v->id >= c->l->n_contents || c->l->contents[v->id])
        return;
    c->l->contents[v->id] = c->changed = true;
}

static bool
reads(const ParLoop *l, const IrExpr *e)
{
    if (e->kind == IX_LOAD || (e->var && is_marked(l, e->var)))
        return true;
    for (int i = 0; i < e->n; i++)
        if (reads(l, e->arg[i]))
            return true;
    return false;
}

typedef struct Reads {
    const ParLoop *l;
    bool any;
} Reads;

static bool
reads_expr(IrExpr **e, void *arg)
{
    Reads *r = arg;
    r->any |= reads(r->l, *e);
    return false;
}

/* What s says of its variables: memory that it reads, or arrays whose places do. */
static bool
says_contents(const ParLoop *l, IrStmt *s)
{
    Reads r = {l, false};
    if (s->kind == IS_GET || ir_does(s, ST_WAITS | ST_READS_BASE))
        return true;
    ir_walk_stmt_exprs(s, reads_expr, &r);
    r.any |= ir_does(s, ST_LOOKS) && is_marked(l, s->base);
    for (int i = 0; ir_does(s, ST_CALLS) && i < s->n_args; i++)
        r.any |= s->args[i].arr && (ir_call_reads(s, i) || is_marked(l, s->args[i].arr));
    return r.any;
}

static void
mark_def(IrVar *v, void *arg)
{
    mark_var(arg, v);
}

typedef enum Jump { JUMP_NONE, JUMP_NEXT, JUMP_OUT } Jump;

/* The farthest jump in s from a round of the loop around that hangs on contents; `under`: whether s
 * runs does. */
static Jump
jump_of(const Contents *c, IrStmt *s, bool under)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    Jump far = under && ir_does(s, ST_BREAKS) ? JUMP_NEXT : JUMP_NONE;
    far = far && s->kind != IS_CONTINUE ? JUMP_OUT : far;
    under |= s->kind == IS_TRY || (s->kind == IS_IF && reads(c->l, s->e));
    int n = ir_does(s, ST_REPEATS) ? 0 : ir_blocks(s, sub);
    for (int i = 0; i < n; i++)
        for (IrStmt *t = sub[i]->first; t; t = t->next) {
            Jump jump = jump_of(c, t, under);
            far = jump > far ? jump : far;
        }
    return far;
}

static bool
may_break(const Contents *c, const IrStmt *loop)
{
    bool out = false;
    for (IrStmt *s = loop->body.first; s && !out; s = s->next)
        out = jump_of(c, s, false) == JUMP_OUT;
    return out;
}

/* on: whether the block runs hangs on contents */
static void
spread(Contents *c, IrBlock *b, bool on)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    ParLoop *l = c->l;
    for (IrStmt *s = b->first; s; s = s->next) {
        bool loop = ir_does(s, ST_REPEATS);
        bool inside = on || says_contents(l, s) || s->kind == IS_TRY || (loop && may_break(c, s));
        if (s->kind == IS_DROP)
            continue;
        if (inside)
            ir_walk_defs(s, mark_def, c);
        if (on && !map_get(&l->hangs, s)) {
            map_put(&l->cx->arena, &l->hangs, s, s);
            c->changed = true;
        }
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            spread(c, sub[i], inside);
        on |= !loop && n && jump_of(c, s, false) != JUMP_NONE;
    }
}

static void
find(ParLoop *l)
{
    Contents c = {.l = l};
    l->n_contents = l->f->vars.n;
    l->contents = NEW_N(&l->cx->arena, bool, l->n_contents + 1);
    do {
        c.changed = false;
        spread(&c, &l->s->body, false);
    } while (c.changed);
}

bool
par_hangs_on_contents(ParLoop *l, const ParAccess *a)
{
    if (!l->contents)
        find(l);
    if (map_get(&l->hangs, a->s) || is_marked(l, a->var) || is_marked(l, a->root))
        return true;
    for (int i = 0; a->at_idx && i < a->var->ndim; i++)
        if (reads(l, a->at_idx[i]))
            return true;
    return false;
}
