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

static ParDefs
defs_new(Arena *a, int n)
{
    ParDefs d = {.n_vars = n};
    d.n = NEW_N(a, int, n + 1);
    d.def = NEW_N(a, IrStmt *, n + 1);
    d.looped = NEW_N(a, bool, n + 1);
    return d;
}

ParDefs
par_count_defs(IrFunc *f, IrBlock *b)
{
    ParDefs d = defs_new(&f->mod->cx->arena, f->vars.n);
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

/* ---- tables that loops share ---------------------------------------------------------- */

static ParTables *
tables(ParLoop *l)
{
    Arena *a = &l->cx->arena;
    ParTables *t = l->tables ? l->tables : NEW(a, ParTables);
    l->tables = t;
    if (!t->seen || t->defs.n_vars < l->f->vars.n) {
        int n = l->f->vars.n + l->f->vars.n / 2 + 64; /* the pass makes more */
        t->defs = defs_new(a, n);
        t->seen = NEW_N(a, IrStmt *, n);
        t->uses = NEW_N(a, int, n);
        t->counted = NULL;
    }
    return t;
}

static bool
count_each(IrExpr **e, void *arg)
{
    const ParTables *t = arg;
    if ((*e)->var && (*e)->var->id < t->defs.n_vars)
        t->uses[(*e)->var->id]++;
    return true;
}

static void
count_all(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, count_each, arg);
}

int
par_uses(ParLoop *l, const IrVar *v)
{
    ParTables *t = tables(l);
    if (t->counted != &l->s->body)
        ir_walk_block(&l->s->body, count_all, t);
    t->counted = &l->s->body;
    return v->id < t->defs.n_vars ? t->uses[v->id] : 0;
}

void
par_tables_fill(ParLoop *l)
{
    ParTables *t = tables(l);
    count_defs(&t->defs, &l->s->body, 0);
    l->local = t->defs;
    l->seen = t->seen;
}

static bool
clear_use(IrExpr **e, void *arg)
{
    const ParTables *t = arg;
    if ((*e)->var && (*e)->var->id < t->defs.n_vars)
        t->uses[(*e)->var->id] = 0;
    return true;
}

static void
clear_def(IrVar *v, void *arg)
{
    const ParTables *t = arg;
    if (v->id >= t->defs.n_vars)
        return;
    t->defs.n[v->id] = 0;
    t->defs.def[v->id] = NULL;
    t->defs.looped[v->id] = false;
    t->seen[v->id] = NULL;
}

static void
clear_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, clear_use, arg);
    ir_walk_defs(s, clear_def, arg);
}

void
par_tables_clear(ParLoop *l)
{
    if (!l->tables)
        return;
    ir_walk_block(&l->s->body, clear_stmt, l->tables);
    l->tables->counted = NULL;
}
