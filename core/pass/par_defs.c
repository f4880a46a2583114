/* SPDX-License-Identifier: BSD-3-Clause
 * Where variables get their values: definitions counted for each, in a loop or a
 * function, so that one that has a single definition may be taken for what it is set to;
 * and uses. */
#include "pass/par.h"

typedef struct Count {
    ParDefs *d;
    IrStmt *s;
    int loops;
} Count;

static void
count_def(IrVar *v, void *arg)
{
    const Count *c = arg;
    if (c->s->kind == IS_DROP || v->id >= c->d->n_vars)
        return;
    c->d->n[v->id]++;
    c->d->def[v->id] = c->s;
    c->d->looped[v->id] |= c->loops > 0 || c->s->kind == IS_LOOP;
}

static void
count_defs(ParDefs *d, IrBlock *b, int loops)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        Count c = {d, s, loops};
        ir_walk_defs(s, count_def, &c);
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            count_defs(d, sub[i], loops + ir_does(s, ST_REPEATS));
    }
}

bool
par_reads_memory(const IrExpr *e)
{
    if (e->kind == IX_LOAD)
        return true;
    for (int i = 0; i < e->n; i++)
        if (par_reads_memory(e->arg[i]))
            return true;
    return false;
}

ParDefs
par_count_defs(IrFunc *f, IrBlock *b)
{
    Arena *a = &f->mod->cx->arena;
    ParDefs d = {.n_vars = f->vars.n};
    d.n = NEW_N(a, int, f->vars.n + 1);
    d.def = NEW_N(a, IrStmt *, f->vars.n + 1);
    d.looped = NEW_N(a, bool, f->vars.n + 1);
    count_defs(&d, b, 0);
    return d;
}

typedef struct Uses {
    const IrVar *v;
    int n;
} Uses;

static bool
is_use(IrExpr **e, void *arg)
{
    Uses *u = arg;
    u->n += (*e)->var == u->v;
    return true;
}

static void
uses_in(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, is_use, arg);
}

int
par_count_uses(IrBlock *b, const IrVar *v)
{
    Uses u = {.v = v};
    ir_walk_block(b, uses_in, &u);
    return u.n;
}

static void
is_def(IrVar *v, void *arg)
{
    Uses *u = arg;
    u->n += v == u->v;
}

static void
sets_in(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_defs(s, is_def, arg);
}

int
par_count_sets(IrBlock *b, const IrVar *v)
{
    Uses u = {.v = v};
    ir_walk_block(b, sets_in, &u);
    return u.n;
}
