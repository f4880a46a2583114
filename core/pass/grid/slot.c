/* SPDX-License-Identifier: BSD-3-Clause
 * Hands values from region to region: takes the regions that a kernel was cut into, yields loops
 * over threads. What a thread reads in a region that it did not set there is computed again where
 * that is cheap (grid/keep.c), else it has a slot: an array with an element for each thread, loaded
 * when the region begins and stored when it ends. Arrays of a thread that live across a barrier
 * lie in one array of the block. */
#include "pass/grid/grid.h"

typedef struct Slots {
    GridSplit *s;
    Grid *g;
    Cx *cx;
    int n_vars, words;
    bool *slotted; /* scalars */
    IrVar **slot;  /* their arrays */
    /* regions that mention the variable: 0, 1, 2 for more; 3: one that is in a loop */
    int *seen_in;
} Slots;

static bool
has(const uint64_t *set, const IrVar *v)
{
    return set[v->id / 64] >> (v->id % 64) & 1;
}

static void
put(uint64_t *set, const IrVar *v)
{
    set[v->id / 64] |= (uint64_t)1 << (v->id % 64);
}

/* ---- what a region reads and sets ------------------------------------------------------------ */

typedef struct Scan {
    Slots *l;
    GridRegion *r;
    uint64_t *sure;
} Scan;

static void
read_var(Scan *c, const IrVar *v)
{
    if (v && !has(c->sure, v))
        put(c->r->exposed, v);
}

static bool
read_expr(IrExpr **e, void *arg)
{
    read_var(arg, (*e)->var);
    return true;
}

static void
read_array(IrVar *v, unsigned how, void *arg)
{
    (void)how;
    read_var(arg, v);
}

static void
set_var(IrVar *v, void *arg)
{
    Scan *c = arg;
    put(c->r->sets, v);
    put(c->sure, v);
}

static void scan(Scan *c, const IrBlock *b);

static uint64_t *
scan_apart(Scan *c, const IrBlock *b, const IrVar *v)
{
    uint64_t *before = c->sure;
    c->sure = arena_dup(&c->l->cx->arena, before, sizeof *before * (size_t)c->l->words);
    if (v)
        put(c->sure, v);
    scan(c, b);
    uint64_t *after = c->sure;
    c->sure = before;
    return after;
}

static void
scan_stmt(Scan *c, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    if (s->kind != IS_WHILE)
        ir_walk_stmt_exprs(s, read_expr, c);
    ir_walk_arrays(s, read_array, c);
    if (s->kind == IS_IF) {
        uint64_t *yes = scan_apart(c, &s->body, NULL), *no = scan_apart(c, &s->els, NULL);
        for (int i = 0; i < c->l->words; i++)
            c->sure[i] |= yes[i] & no[i];
        return;
    }
    if (s->kind == IS_WHILE) {
        uint64_t *before = c->sure;
        c->sure = scan_apart(c, &s->pre, NULL);
        ir_walk_expr(&s->e, read_expr, c);
        scan_apart(c, &s->body, NULL);
        c->sure = before;
        return;
    }
    if (s->kind == IS_LOOP)
        put(c->r->sets, s->var);
    else if (s->kind != IS_DROP)
        ir_walk_defs(s, set_var, c);
    int n = ir_blocks(s, sub);
    for (int i = 0; i < n; i++)
        scan_apart(c, sub[i], s->kind == IS_LOOP ? s->var : NULL);
}

static void
scan(Scan *c, const IrBlock *b)
{
    for (IrStmt *s = b->first; s; s = s->next)
        scan_stmt(c, s);
}

static void
scan_region(Slots *l, GridRegion *r)
{
    uint64_t *sets = NEW_N(&l->cx->arena, uint64_t, l->words * 3);
    r->exposed = sets;
    r->sets = sets + l->words;
    r->sure = sets + 2 * l->words;
    Scan c = {l, r, r->sure};
    scan(&c, &r->body);
}

/* ---- what has to cross ----------------------------------------------------------------------- */

/* One value for the block, or not assigned at all. */
static bool
is_everywhere(const Slots *l, const IrVar *v)
{
    if (v->is_array && v->space == SPACE_SHARED) /* whole: the block's part of it is not */
        return !l->g->whole || v->noalias;
    return l->s->block_wide[v->id];
}

static const IrStmt *
kept(const Slots *l, const IrVar *v)
{
    return v->id < l->s->keep->n ? l->s->keep->def[v->id] : NULL;
}

typedef struct Operands {
    Slots *l;
    GridRegion *r;
    bool grew;
} Operands;

static void
expose(Operands *o, const IrVar *v)
{
    if (!v || has(o->r->exposed, v) || is_everywhere(o->l, v))
        return;
    put(o->r->exposed, v);
    o->grew = true;
}

static bool
expose_expr(IrExpr **e, void *arg)
{
    expose(arg, (*e)->var);
    return true;
}

/* What is computed again needs what it is made from. */
static void
expose_operands(Slots *l, GridRegion *r)
{
    Operands o = {l, r, true};
    while (o.grew) {
        o.grew = false;
        for (int i = 0; i < l->n_vars; i++) {
            IrVar *v = l->g->f->vars.at[i];
            IrStmt *d = has(r->exposed, v) && !is_everywhere(l, v) ? (IrStmt *)kept(l, v) : NULL;
            if (!d)
                continue;
            ir_walk_stmt_exprs(d, expose_expr, &o);
            expose(&o, d->base);
        }
    }
}

static void
note_mention(Slots *l, const GridRegion *r)
{
    for (int i = 0; i < l->n_vars; i++) {
        const IrVar *v = l->g->f->vars.at[i];
        if (!has(r->exposed, v) && !has(r->sets, v))
            continue;
        if (r->looped)
            l->seen_in[i] = 3;
        else if (l->seen_in[i] < 2)
            l->seen_in[i]++;
    }
}

static void
find_crossing(Slots *l)
{
    for (int k = 0; k < l->s->regions.n; k++) {
        const GridRegion *r = l->s->regions.at[k];
        for (int i = 0; i < l->n_vars; i++) {
            const IrVar *v = l->g->f->vars.at[i];
            if (v->is_array || is_everywhere(l, v) || kept(l, v) || v == r->red.var)
                continue;
            l->slotted[i] |= l->seen_in[i] > 1 && has(r->exposed, v);
            l->slotted[i] |= l->s->block_used[i];
        }
    }
}

/* ---- the end of arrays that a thread makes --------------------------------------------------- */

static void
remove_drop(IrBlock *b, IrStmt *s, void *arg)
{
    const GridRegion *r = arg;
    if (s->kind == IS_DROP && !has(r->sets, s->var))
        ir_remove(b, s);
}

/* What a region makes ends with it: none of it crosses a barrier. */
static void
settle_drops(Slots *l, GridRegion *r)
{
    IrBuilder b = {
        .cx = l->cx, .mod = l->g->f->mod, .f = l->g->f, .at = &r->body, .span = r->mark->at};
    ir_walk_block(&r->body, remove_drop, r);
    for (int i = 0; i < l->n_vars; i++) {
        IrVar *v = l->g->f->vars.at[i];
        if (!v->is_array || v->space || !has(r->sets, v) || is_everywhere(l, v) || kept(l, v))
            continue;
        const IrStmt *s = r->body.last;
        while (s && !(s->kind == IS_DROP && s->var == v))
            s = s->prev;
        if (!s)
            ir_drop(&b, v);
    }
}

/* ---- slots ----------------------------------------------------------------------------------- */

static void
slot_index(Slots *l, IrExpr **idx, bool first)
{
    for (int k = 0; k < 3; k++)
        idx[k] = first || grid_is_one(l->g, 2 - k) ? ir_int(l->cx, DT_i64, 0)
                                                   : ir_geo(l->cx, (IrGeo)(GEO_THREAD_Z - k));
    if (!first)
        idx[0] = ir_op(l->cx, OP_add, idx[0], grid_start(l->g, ir_copy_expr(l->cx, l->g->dim[2])));
}

static IrVar *
slot_of(Slots *l, const IrVar *v)
{
    if (!l->slot[v->id]) {
        IrExpr *dims[3] = {l->g->dim[2], l->g->dim[1], l->g->dim[0]};
        const char *name = arena_printf(&l->cx->arena, "%s.of", v->name);
        l->slot[v->id] = grid_block_array(l->g, name, (DType)v->dtype, 3, dims);
    }
    return l->slot[v->id];
}

static IrExpr *
slot_load(Slots *l, const IrVar *v, bool first)
{
    IrExpr *idx[3];
    slot_index(l, idx, first);
    return ir_load(l->cx, slot_of(l, v), 3, idx);
}

/* ---- arrays of a thread ---------------------------------------------------------------------- */

typedef struct Find {
    const IrVar *v;
    IrStmt *s;
} Find;

static void
find_alloc(IrBlock *b, IrStmt *s, void *arg)
{
    Find *f = arg;
    (void)b;
    if (s->kind == IS_ALLOC && s->var == f->v)
        f->s = s;
}

static IrStmt *
alloc_of(Slots *l, const IrVar *v)
{
    Find f = {v, NULL};
    for (int k = 0; k < l->s->regions.n && !f.s; k++)
        ir_walk_block(&l->s->regions.at[k]->body, find_alloc, &f);
    return f.s;
}

/* How many elements there are from one thread's part to the next. Under debug each word of the
 * shadow memory belongs to one thread (rt/watch_memory.c), so parts are of whole words. */
static int64_t
apart(const Slots *l, int64_t n, int64_t item)
{
    while (l->cx->opt->debug && n * item % 8)
        n++;
    return n;
}

/* The thread's part of an array of the block, in place of an array of its own. */
static IrStmt *
local_view(Slots *l, IrVar *v)
{
    Cx *cx = l->cx;
    IrStmt *s = alloc_of(l, v);
    int64_t n = 1, k, item = dtype_size((DType)v->dtype), far;
    for (int i = 0; s && i < s->n_idx; i++) {
        if (!ir_is_const(s->idx[i], &k))
            return NULL;
        n *= k;
    }
    if (!s)
        return NULL;
    n = apart(l, n, item);
    far = n * item;
    IrExpr *dim = ir_op(cx, OP_mul, grid_threads(l->g), ir_int(cx, DT_i64, n));
    IrVar *all = grid_block_array(l->g, v->name, (DType)v->dtype, 1, &dim);
    l->g->once.last->zero = true;
    IrExpr **idx = NEW_N(&cx->arena, IrExpr *, 2 * s->n_idx + 1);
    for (int i = s->n_idx - 1; i >= 0; i--) {
        ir_is_const(s->idx[i], &k);
        idx[i] = s->idx[i];
        idx[s->n_idx + i] = ir_int(cx, DT_i64, item);
        item *= k;
    }
    s->kind = IS_VIEW;
    s->base = all;
    s->e = ir_op(cx, OP_add, grid_linear(l->g), grid_start(l->g, grid_threads(l->g)));
    s->e = ir_op(cx, OP_mul, s->e, ir_int(cx, DT_i64, far));
    s->idx = idx;
    s->n_idx *= 2;
    v->noalias = false;
    return s;
}

static IrStmt *
clone_one(Slots *l, const IrStmt *s)
{
    IrStmt one = *s;
    one.prev = one.next = NULL;
    IrBlock from = {&one, &one}, to = ir_clone_block(l->g->f, &from, NULL);
    return to.first;
}

static void
find_name(IrBlock *b, IrStmt *s, void *arg)
{
    Find *f = arg;
    (void)b;
    if (s->var == f->v && (s->kind == IS_ALLOC || ir_does(s, ST_LOOKS)) && !f->s)
        f->s = s;
}

static void
refuse_array(Slots *l, const IrVar *v)
{
    Find f = {v, NULL};
    for (int k = 0; k < l->s->regions.n; k++)
        ir_walk_block(&l->s->regions.at[k]->body, find_name, &f);
    diag_add(&l->cx->diags, DIAG_unsupported, f.s ? f.s->at : l->g->f->at,
             "'%s', an array that is another one in each thread, is used behind a barrier; use "
             "gpu.local.array",
             v->name);
}

static bool
array_crosses(const Slots *l, const IrVar *v)
{
    bool needed = l->s->block_used[v->id];
    for (int k = 0; k < l->s->regions.n; k++)
        needed |= has(l->s->regions.at[k]->exposed, v);
    return needed && v->is_array && !is_everywhere(l, v) && !kept(l, v);
}

static bool
made_one_crosses(const Slots *l)
{
    for (int i = 0; i < l->n_vars; i++)
        if (!l->g->f->vars.at[i]->space && array_crosses(l, l->g->f->vars.at[i]))
            return true;
    return false;
}

static void
cross_arrays(Slots *l)
{
    for (int i = 0; i < l->n_vars; i++) {
        IrVar *v = l->g->f->vars.at[i];
        if (!array_crosses(l, v))
            continue;
        IrStmt *view = v->space == SPACE_LOCAL && i < l->s->keep->n ? local_view(l, v) : NULL;
        if (view)
            l->s->keep->def[i] = clone_one(l, view);
        else
            refuse_array(l, v);
    }
}

/* Where it gets its first value. */
static void
find_set(IrBlock *b, IrStmt *s, void *arg)
{
    Find *f = arg;
    (void)b;
    if (s->var == f->v && !f->s)
        f->s = s;
}

static void
tell_slots(Slots *l)
{
    for (int i = 0; i < l->n_vars; i++) {
        Find f = {l->g->f->vars.at[i], NULL};
        for (int k = 0; l->slotted[i] && k < l->s->regions.n; k++)
            ir_walk_block(&l->s->regions.at[k]->body, find_set, &f);
        if (f.s && f.s->at.line)
            pass_remark(l->g->p, REMARK_grid_slot, f.s->at,
                        "'%s' lives across a barrier: in memory, unless that can stay in registers",
                        f.v->name);
    }
}

/* ---- regions become loops -------------------------------------------------------------------- */

static void
load_slots(Slots *l, GridRegion *r, IrBuilder *b)
{
    for (int i = 0; i < l->n_vars; i++) {
        IrVar *v = l->g->f->vars.at[i];
        if (l->slotted[i] && (has(r->exposed, v) || (has(r->sets, v) && !has(r->sure, v))))
            ir_set(b, v, slot_load(l, v, false));
    }
}

static void
store_slots(Slots *l, GridRegion *r, IrBuilder *b)
{
    IrExpr *idx[3];
    for (int i = 0; i < l->n_vars; i++) {
        IrVar *v = l->g->f->vars.at[i];
        if (!l->slotted[i] || !has(r->sets, v))
            continue;
        slot_index(l, idx, false);
        ir_store(b, slot_of(l, v), 3, idx, ir_use(l->cx, v));
    }
}

/* Those first that others are made from. */
static void compute_again(Slots *l, GridRegion *r, IrVar *v, IrBlock *to, bool *done);

typedef struct Again {
    Slots *l;
    GridRegion *r;
    IrBlock *to;
    bool *done;
} Again;

static bool
again_expr(IrExpr **e, void *arg)
{
    Again *a = arg;
    if ((*e)->var)
        compute_again(a->l, a->r, (*e)->var, a->to, a->done);
    return true;
}

static void
compute_again(Slots *l, GridRegion *r, IrVar *v, IrBlock *to, bool *done)
{
    IrStmt *d = (IrStmt *)kept(l, v);
    if (!d || done[v->id] || is_everywhere(l, v) || !has(r->exposed, v))
        return;
    done[v->id] = true;
    Again a = {l, r, to, done};
    ir_walk_stmt_exprs(d, again_expr, &a);
    if (d->base)
        compute_again(l, r, d->base, to, done);
    ir_insert_before(to, NULL, clone_one(l, d));
}

/* Whole rows go another way than those of which some threads have nothing to do, and blocks all of
 * whose threads pass the tests inside another than those at an edge. */
static void
loops_twice(Slots *l, GridRegion *r, IrBlock *to, IrBlock *body)
{
    IrFunc *f = l->g->f;
    Cx *cx = l->cx;
    IrBuilder b = {.cx = cx, .mod = f->mod, .f = f, .at = to, .span = r->mark->at};
    GridRegion whole = *r, row = {.lo = {r->lo[0]}, .hi = {r->hi[0]}};
    IrExpr *full = r->twice ? grid_is_full(l->g, &row) : ir_int(cx, DT_bool, 1);
    IrExpr **tests = NEW_N(&cx->arena, IrExpr *, r->ifs.n);
    int64_t known;
    if (r->full)
        full = ir_op(cx, OP_and, full, r->full);
    if (r->twice)
        whole.lo[0] = whole.hi[0] = NULL;
    if (ir_is_const(full, &known) && !r->full) {
        grid_thread_loops(l->g, to, body, known ? &whole : r, r->mark->at);
        return;
    }
    for (int i = 0; i < r->ifs.n; i++) {
        IrStmt *t = r->ifs.at[i], *true_here = ir_stmt(cx, IS_ASSUME, t->at);
        true_here->e = tests[i] = t->e;
        ir_insert_before(&t->body, t->body.first, true_here);
        t->e = ir_int(cx, DT_bool, 1);
    }
    IrBlock copy = ir_clone_block(f, body, NULL);
    for (int i = 0; i < r->ifs.n; i++) {
        IrStmt *t = r->ifs.at[i];
        ir_remove(&t->body, t->body.first);
        t->e = tests[i];
        pass_remark(l->g->p, REMARK_grid_branch, r->ifs.at[i]->at,
                    "in blocks all of whose threads take it");
    }
    IrStmt *s = ir_if(&b, full);
    grid_thread_loops(l->g, &s->body, &copy, &whole, r->mark->at);
    grid_thread_loops(l->g, &s->els, body, r, r->mark->at);
}

static void
note_vote(Slots *l, const GridRegion *r, IrStmt *loop)
{
    loop->reds = arena_dup(&l->cx->arena, &r->red, sizeof r->red);
    loop->n_reds = 1;
}

static void
finish(Slots *l, GridRegion *r)
{
    IrFunc *f = l->g->f;
    IrBlock all = {0}, loops = {0};
    IrBuilder b = {.cx = l->cx, .mod = f->mod, .f = f, .at = &all, .span = r->mark->at};
    bool *done = NEW_N(&l->cx->arena, bool, l->n_vars + 1);
    load_slots(l, r, &b);
    for (int i = 0; i < l->n_vars; i++)
        compute_again(l, r, f->vars.at[i], &all, done);
    ir_move_all(&all, &r->body);
    store_slots(l, r, &b);
    IrStmt *s = NULL;
    if (r->twice || (r->full && !r->red.var))
        loops_twice(l, r, &loops, &all);
    else
        s = grid_thread_loops(l->g, &loops, &all, r, r->mark->at);
    for (; s && s->kind == IS_LOOP && s->loop == LOOP_BLOCK && r->red.var; s = s->body.first)
        note_vote(l, r, s);
    if (l->g->whole) {
        IrBlock blocks = {0};
        s = grid_block_loop(l->g, &blocks, &loops, r->mark->at);
        if (r->red.var)
            note_vote(l, r, s);
        loops = blocks;
    }
    for (IrStmt *t = loops.first, *next; t; t = next) {
        next = t->next;
        t->prev = t->next = NULL;
        ir_insert_before(r->in, r->mark, t);
    }
    ir_remove(r->in, r->mark);
}

/* ---- what the block reads itself ------------------------------------------------------------- */

typedef struct Own {
    Slots *l;
    bool replace;
} Own;

static bool
own_expr(IrExpr **e, void *arg)
{
    Own *o = arg;
    Slots *l = o->l;
    const IrVar *v = (*e)->var;
    if (!v || v->id >= l->n_vars || is_everywhere(l, v))
        return true;
    l->s->block_used[v->id] = true;
    if (o->replace && (*e)->kind == IX_VAR && l->slotted[v->id])
        *e = slot_load(l, v, true);
    return true;
}

static void
own_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, own_expr, arg);
}

bool
grid_slots(GridSplit *s, IrBlock *body)
{
    Slots l = {.s = s, .g = s->g, .cx = s->g->cx, .n_vars = s->g->f->vars.n};
    Arena *a = &l.cx->arena;
    l.words = l.n_vars / 64 + 1;
    l.slotted = NEW_N(a, bool, l.n_vars + 1);
    l.slot = NEW_N(a, IrVar *, l.n_vars + 1);
    l.seen_in = NEW_N(a, int, l.n_vars + 1);
    s->block_used = NEW_N(a, bool, l.n_vars + 1);
    s->block_wide =
        memcpy(NEW_N(a, bool, l.n_vars + 1), s->block_wide, sizeof(bool) * (size_t)s->n_wide);
    for (int i = s->n_wide; i < l.n_vars; i++) /* made since, for votes */
        s->block_wide[i] = true;
    Own look = {&l, false}, replace = {&l, true};
    ir_walk_block(body, own_stmt, &look);
    for (int k = 0; k < s->regions.n; k++)
        scan_region(&l, s->regions.at[k]);
    for (int k = 0; k < s->regions.n; k++) {
        expose_operands(&l, s->regions.at[k]);
        note_mention(&l, s->regions.at[k]);
    }
    if (s->again && made_one_crosses(&l))
        return false;
    cross_arrays(&l);
    for (int k = 0; k < s->regions.n; k++)
        settle_drops(&l, s->regions.at[k]);
    find_crossing(&l);
    tell_slots(&l);
    ir_walk_block(body, own_stmt, &replace);
    for (int k = 0; k < s->regions.n; k++)
        finish(&l, s->regions.at[k]);
    return true;
}
