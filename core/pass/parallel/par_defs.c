/* SPDX-License-Identifier: BSD-3-Clause
 * Where variables get their values: definitions counted for each, in a loop or a
 * function, so that one that has a single definition may be taken for what it is set to;
 * and uses. */
#include "pass/parallel/par.h"

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

/* ---- what was set on the way to L ------------------------------------------------------------ */

enum { LOOK_BACK = 64, SETTLE_DEPTH = 8 };

typedef struct Place { /* before L, or before something that L is inside */
    int depth;         /* so many statements are around both; -1: it is elsewhere */
    int back;
} Place;

static Place
place_of(const ParLoop *l, const IrStmt *d)
{
    const IrStmt *at = l->s;
    for (int depth = l->depth; depth >= 0; depth--) {
        int back = 1;
        for (const IrStmt *s = at->prev; s && back <= LOOK_BACK; s = s->prev, back++)
            if (s == d)
                return (Place){depth, back};
        at = depth ? l->around[depth - 1] : NULL;
    }
    return (Place){-1, 0};
}

/* Is v at L what it was at that place? */
static bool
stays(const ParLoop *l, const IrVar *v, Place at)
{
    if (v->id < 0 || v->id >= l->defs->n_vars || par_is_local(l, v))
        return false;
    if (v->is_param && l->defs->n[v->id] == 0)
        return true;
    for (int i = 0; i < at.depth; i++)
        if (l->around[i]->kind == IS_LOOP && l->around[i]->var == v)
            return true;
    if (v->is_param || l->defs->n[v->id] != 1)
        return false;
    Place p = place_of(l, l->defs->def[v->id]);
    return p.depth >= 0 && (p.depth < at.depth || (p.depth == at.depth && p.back > at.back));
}

static bool
all_stay(const ParLoop *l, const IrExpr *e, Place at)
{
    if (e->kind == IX_LOAD || (e->var && !stays(l, e->var, at)))
        return false;
    for (int i = 0; i < e->n; i++)
        if (!all_stay(l, e->arg[i], at))
            return false;
    return true;
}

static const IrExpr *
value_of(const ParLoop *l, const IrVar *v)
{
    if (v->is_param || v->id < 0 || v->id >= l->defs->n_vars || par_is_local(l, v) ||
        l->defs->n[v->id] != 1 || l->defs->def[v->id]->kind != IS_SET)
        return NULL;
    const IrStmt *d = l->defs->def[v->id];
    Place at = place_of(l, d);
    return at.depth >= 0 && all_stay(l, d->e, at) ? d->e : NULL;
}

static IrExpr *
settle(const ParLoop *l, const IrExpr *e, int depth)
{
    IrExpr *arg[3];
    bool same = true;
    const IrExpr *is = e->kind == IX_VAR && depth < SETTLE_DEPTH ? value_of(l, e->var) : NULL;
    if (is)
        return settle(l, is, depth + 1);
    if (e->kind != IX_OP || e->dtype != DT_i64 || e->n > 3)
        return (IrExpr *)e;
    for (int i = 0; i < e->n; i++) {
        arg[i] = settle(l, e->arg[i], depth);
        same &= arg[i] == e->arg[i];
    }
    return same ? (IrExpr *)e : ir_opv(l->cx, (IrOp)e->op, arg);
}

IrExpr *
par_settle(const ParLoop *l, const IrExpr *e)
{
    return settle(l, e, 0);
}

/* ---- uses ------------------------------------------------------------------------------------ */

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
        t->when = NEW_N(a, int, n);
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
    l->when = t->when;
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
    t->when[v->id] = 0;
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
