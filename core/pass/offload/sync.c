/* SPDX-License-Identifier: BSD-3-Clause
 * Before each statement of the host that touches elements, `sw_device_sync` for each array
 * concerned; for a loop in which nothing is launched, once before it. Arrays that are made in the
 * statement are told of where they are made; views in it count as what they look at. Functions that
 * launch nothing are synchronised by their callers. */
#include "pass/offload/offload.h"

enum { READS = 1, WRITES = 2, RETURNS = 4 };
static const int yes = 1, no = 0;

typedef struct Sync {
    Off *w;
    Cx *cx;
    IrFunc *f;
    Map launches; /* IrFunc* -> whether it launches, or is synchronised by itself */
    uint8_t *use; /* of the statement at hand: by variable */
    bool *early;  /* it may be used before the statement at hand makes it: by variable */
    bool changed;
} Sync;

typedef struct Meet {
    Sync *y;
    bool *made; /* on each way to here: by variable */
} Meet;

/* ---- which functions ------------------------------------------------------------------------- */

static bool launches(Sync *y, IrFunc *f);

typedef struct Find {
    Sync *y;
    bool found;
} Find;

static void
find(IrBlock *b, IrStmt *s, void *arg)
{
    Find *x = arg;
    (void)b;
    x->found = x->found || s->kind == IS_LAUNCH || (s->kind == IS_CALL && launches(x->y, s->func));
}

static bool
launches(Sync *y, IrFunc *f)
{
    const int *known = map_get(&y->launches, f);
    if (known)
        return known == &yes;
    map_put(&y->cx->arena, &y->launches, f, (void *)&no); /* for recursion */
    Find x = {y, f->entry};
    ir_walk_block(&f->body, find, &x);
    map_put(&y->cx->arena, &y->launches, f, (void *)(x.found ? &yes : &no));
    return x.found;
}

/* A function in a circle may have been asked about before another part of the circle was seen. */
static void
settle(Sync *y, const IrModule *m)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < m->funcs.n; i++) {
            IrFunc *f = m->funcs.at[i];
            if (launches(y, f))
                continue;
            Find x = {y, false};
            ir_walk_block(&f->body, find, &x);
            if (x.found)
                map_put(&y->cx->arena, &y->launches, f, (void *)&yes);
            changed |= x.found;
        }
    }
}

static bool
holds_launch(Sync *y, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    Find x = {y, false};
    find(NULL, s, &x);
    int n = ir_blocks(s, sub);
    for (int i = 0; i < n; i++)
        ir_walk_block(sub[i], find, &x);
    return x.found;
}

/* ---- what a statement touches ---------------------------------------------------------------- */

static void
touch(Sync *y, const IrVar *v, int how)
{
    if (v && v->is_array && (y->use[v->id] | how) != y->use[v->id]) {
        y->use[v->id] |= (uint8_t)how;
        y->changed = true;
    }
}

static bool
touch_loads(IrExpr **e, void *arg)
{
    if ((*e)->kind == IX_LOAD)
        touch(arg, (*e)->var, READS);
    return true;
}

static void
touch_args(Sync *y, const IrArg *a, int n, int how)
{
    for (int i = 0; i < n; i++)
        if (a[i].arr)
            touch(y, a[i].arr, a[i].arr->readonly ? READS : how);
}

/* What a call yields may be where an argument is: who uses that uses the argument. */
static void
touch_call(Sync *y, const IrStmt *s)
{
    for (int i = 0; i < s->n_args; i++) {
        const IrVar *v = s->args[i].arr;
        if (!v)
            continue;
        int how = (ir_call_reads(s, i) ? READS : 0) | (ir_call_writes(s, i) ? WRITES : 0);
        for (int r = 0; r < s->n_outs; r++)
            if (s->outs[r].arr && ir_call_views(s, s->outs[r].arr, i))
                how |= y->use[s->outs[r].arr->id];
        touch(y, v, v->readonly && how ? READS : how);
    }
}

static void
touch_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Sync *y = arg;
    (void)b;
    ir_walk_stmt_exprs(s, touch_loads, y);
    if (ir_does(s, ST_WRITES_VAR))
        touch(y, s->var, WRITES);
    if (ir_does(s, ST_READS_BASE))
        touch(y, s->base, READS);
    if (ir_does(s, ST_WRITES_BASE))
        touch(y, s->base, WRITES);
    if (ir_does(s, ST_LOOKS))
        touch(y, s->base, y->use[s->var->id]);
    if (s->kind == IS_CALL || (s->kind == IS_RT && s->rt != RT_sw_device_sync))
        touch_call(y, s);
    if (ir_does(s, ST_READS_ARGS))
        touch_args(y, s->args, s->n_args, READS);
    else if (y->f->entry && ir_does(s, ST_GIVES_ARGS))
        touch_args(y, s->args, s->n_args, RETURNS);
}

/* ---- putting it in --------------------------------------------------------------------------- */

/* What is returned may stay on the device, where nothing else is done with it here. */
static IrStmt *
sync_of(Sync *y, IrVar *v, int use, Span at)
{
    int how = use & WRITES ? 1 : use & READS ? 0 : 2;
    IrStmt *s = ir_stmt(y->cx, IS_RT, at);
    s->rt = RT_sw_device_sync;
    s->n_args = 2;
    s->args = NEW_N(&y->cx->arena, IrArg, 2);
    s->args[0].e = ir_int(y->cx, DT_i64, how);
    s->args[1].arr = v;
    y->f->may_raise = true;
    return s;
}

static void
put(Sync *y, IrBlock *b, IrStmt *before, Span at)
{
    for (int i = 0, n = y->f->vars.n; i < n; i++) {
        if (!y->use[i])
            continue;
        ir_insert_before(b, before, sync_of(y, y->f->vars.at[i], y->use[i], at));
        y->use[i] = 0;
    }
}

static void
meet_def(IrVar *v, void *arg)
{
    ((Meet *)arg)->made[v->id] = true;
}

static void
meet_array(IrVar *v, unsigned how, void *arg)
{
    Meet *m = arg;
    (void)how;
    m->y->early[v->id] |= !m->made[v->id];
}

static bool
meet_expr(IrExpr **e, void *arg)
{
    if ((*e)->var)
        meet_array((*e)->var, 0, arg);
    return true;
}

static void meet_block(Meet *m, IrBlock *b);

/* What one way through an if makes is there behind it when the other makes it, too, or leaves. */
static void
meet_ways(Meet *m, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    bool *before = m->made, *after = NULL, joins = s->kind == IS_IF;
    size_t all = (size_t)m->y->f->vars.n;
    int n = ir_blocks(s, sub);
    for (int i = s->kind == IS_WHILE ? 1 : 0; i < n; i++) {
        m->made = arena_dup(&m->y->cx->arena, before, all);
        meet_block(m, sub[i]);
        if (!joins || (sub[i]->last && ir_does(sub[i]->last, ST_LEAVES)))
            continue;
        for (size_t k = 0; after && k < all; k++)
            after[k] &= m->made[k];
        after = after ? after : m->made;
    }
    m->made = after ? after : before;
}

static void
meet(Meet *m, IrStmt *s)
{
    if (s->kind == IS_WHILE)
        meet_block(m, &s->pre);
    ir_walk_stmt_exprs(s, meet_expr, m);
    ir_walk_arrays(s, meet_array, m);
    if (s->kind == IS_LOOP)
        ir_walk_defs(s, meet_def, m);
    meet_ways(m, s);
    if (!ir_does(s, ST_ENDS))
        ir_walk_defs(s, meet_def, m);
}

static void
meet_block(Meet *m, IrBlock *b)
{
    for (IrStmt *s = b->first; s; s = s->next)
        meet(m, s);
}

/* What s makes before it uses it, on each way to the use, isn't there before s. */
static void
forget_made(Sync *y, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    int n = y->f->vars.n;
    if (!ir_blocks(s, sub))
        return;
    memset(y->early, 0, sizeof *y->early * (size_t)n);
    Meet m = {y, NEW_N(&y->cx->arena, bool, n + 1)};
    meet(&m, s);
    for (int i = 0; i < n; i++)
        if (!y->early[i])
            y->use[i] = 0;
}

/* Nothing tells a launch of what is stored to an array where it is made. */
static void
store_here(IrBlock *b, IrStmt *s, void *arg)
{
    Sync *y = arg;
    if (s->kind == IS_ALLOC)
        ir_insert_before(b, s->next, sync_of(y, s->var, WRITES, s->at));
}

/* All that is in it. */
static void
whole(Sync *y, IrBlock *b, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    bool bare = s->kind == IS_VIEW || s->kind == IS_ALIAS || s->kind == IS_DROP;
    do {
        y->changed = false;
        touch_stmt(b, s, y);
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            ir_walk_block(sub[i], touch_stmt, y);
    } while (y->changed && !bare);
    if (!bare)
        forget_made(y, s);
    put(y, b, s, s->at);
    for (int i = 0, n = ir_blocks(s, sub); i < n; i++)
        ir_walk_block(sub[i], store_here, y);
}

static void visit(Sync *y, IrBlock *b);

static void
parts(Sync *y, IrBlock *b, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    if (s->kind == IS_LOOP)
        s->threads = false; /* launches come from one thread */
    if (s->kind == IS_WHILE) {
        visit(y, &s->pre);
        ir_walk_expr(&s->e, touch_loads, y);
        put(y, &s->pre, NULL, s->at);
        visit(y, &s->body);
        return;
    }
    ir_walk_stmt_exprs(s, touch_loads, y);
    put(y, b, s, s->at);
    int n = ir_blocks(s, sub);
    for (int i = 0; i < n; i++)
        visit(y, sub[i]);
}

static void
visit(Sync *y, IrBlock *b)
{
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        if (s->kind == IS_IF || holds_launch(y, s)) /* only on the way that is taken */
            parts(y, b, s);
        else
            whole(y, b, s);
    }
}

void
offload_sync(Off *w)
{
    Sync y = {.w = w, .cx = w->cx};
    IrModule *m = w->p->mod;
    settle(&y, m);
    for (int i = 0; i < m->funcs.n; i++) {
        y.f = m->funcs.at[i];
        if (!launches(&y, y.f)) {
            ir_walk_block(&y.f->body, store_here, &y);
            continue;
        }
        y.use = NEW_N(&w->cx->arena, uint8_t, y.f->vars.n + 1);
        y.early = NEW_N(&w->cx->arena, bool, y.f->vars.n + 1);
        visit(&y, &y.f->body);
    }
}
