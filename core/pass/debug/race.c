/* SPDX-License-Identifier: BSD-3-Clause
 * Under debug: a user's prange that par could not show to be free of races runs serially,
 * and tells the shadow memory (rt/shadow.c) which iteration touches which element, just
 * before it does. So do the functions that it calls. Each access is told once, for all the
 * loops around that are watched; an update of an array that one of them reduces is for those
 * around that one only. Arrays that an iteration makes for itself are left out. What is
 * touched as a whole (a copy) is told element by element. */
#include "pass/parallel/par.h"

typedef struct Combined { /* how a loop being watched updates an array that it reduces */
    ParAccess a;
    int loop;   /* its number */
    bool mixed; /* and of which it may use elements otherwise */
} Combined;

typedef struct Race {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    ParLoop l;
    ParDefs defs;
    Vec(IrStmt *) loops;  /* to watch, by number: outer ones first */
    Vec(IrFunc *) called; /* functions to watch, each once */
    Vec(Combined) combined;
    Vec(ParAccess) said;
} Race;

/* ---- one access ------------------------------------------------------------------------------ */

/* Two sites in a row: for an element that another iteration has written, and one that it
 * has read. */
static int
make_sites(Race *r, const ParAccess *a, bool write, Span at)
{
    Arena *arena = &r->cx->arena;
    const char *does = write ? "writes" : "reads", *name = a->root->name;
    int first = ir_site(r->p->mod, "swathe.errors.RaceError",
                        arena_printf(arena,
                                     "the iterations of this prange are not independent: "
                                     "iteration %%0 %s the element of '%s' that iteration "
                                     "%%1 has written, in line %%2",
                                     does, name),
                        at);
    ir_site(r->p->mod, "swathe.errors.RaceError",
            arena_printf(arena,
                         "the iterations of this prange are not independent: iteration %%0 "
                         "%s the element of '%s' that iteration %%1 has read, in line %%2",
                         does, name),
            at);
    return first;
}

static bool
is_same(const ParAccess *a, const ParAccess *b)
{
    return b->s == a->s && b->var == a->var && b->at_idx == a->at_idx && b->write == a->write;
}

/* Of the outermost loop for which the access is part of a reduction: the first one found. */
static const Combined *
combined_in(const Race *r, const ParAccess *a)
{
    for (int i = 0; i < r->combined.n; i++)
        if (is_same(&r->combined.at[i].a, a))
            return &r->combined.at[i];
    return NULL;
}

static IrStmt *
shadow(Race *r, const ParAccess *a, IrVar *v, IrExpr **idx, bool write)
{
    IrStmt *s = ir_stmt(r->cx, IS_SHADOW, a->at);
    const Combined *c = combined_in(r, a);
    s->n = c ? c->loop : -1;
    s->var = v;
    s->n_idx = v->ndim;
    s->idx = NEW_N(&r->cx->arena, IrExpr *, v->ndim + 1);
    for (int i = 0; i < v->ndim; i++)
        s->idx[i] = ir_copy_expr(r->cx, idx[i]);
    s->order = c && c->mixed ? SHADOW_COMBINES + a->op : write;
    s->site = make_sites(r, a, s->order != 0, a->at);
    r->f->may_raise = true;
    return s;
}

static void
insert_one(Race *r, IrBlock *b, IrStmt *where, const ParAccess *a)
{
    ir_insert_before(b, where, shadow(r, a, a->var, a->at_idx, a->write));
}

static void
insert_all(Race *r, IrBlock *b, IrStmt *where, const ParAccess *a, IrVar *v, bool write)
{
    IrBlock made = {0};
    IrBuilder k = {.cx = r->cx, .mod = r->p->mod, .f = r->f, .at = &made, .span = a->at};
    IrExpr **idx = NEW_N(&r->cx->arena, IrExpr *, v->ndim + 1);
    for (int i = 0; i < v->ndim; i++) {
        IrVar *at = ir_var(r->f, "k", DT_i64);
        IrStmt *s = ir_loop(&k, LOOP_SEQ, at, ir_int(r->cx, DT_i64, 0), ir_dim(r->cx, v, i), 1);
        idx[i] = ir_use(r->cx, at);
        k.at = &s->body;
    }
    ir_insert_before(k.at, NULL, shadow(r, a, v, idx, write));
    while (made.first) {
        IrStmt *s = made.first;
        ir_remove(&made, s);
        ir_insert_before(b, where, s);
    }
}

/* ---- a body ---------------------------------------------------------------------------------- */

static bool
is_constant(const Race *r, const IrVar *v)
{
    return v->id >= 0 && v->id < r->defs.n_vars && r->defs.n[v->id] == 1 &&
           r->defs.def[v->id]->kind == IS_CONSTARR;
}

static bool
is_said(const Race *r, const ParAccess *a)
{
    for (int i = r->said.n - 1; i >= 0; i--)
        if (is_same(&r->said.at[i], a))
            return true;
    return false;
}

static void
add_called(Race *r, IrFunc *f)
{
    for (int i = 0; i < r->called.n; i++)
        if (r->called.at[i] == f)
            return;
    VEC_PUSH(&r->cx->arena, r->called, f);
}

static void
watch_access(Race *r, IrBlock *b, IrStmt *s, const ParAccess *a)
{
    bool inside = s->kind == IS_CALL && !s->func->foreign; /* what it touches itself */
    if (is_constant(r, a->root) || (inside && !a->at_idx) || is_said(r, a))
        return;
    VEC_PUSH(&r->cx->arena, r->said, *a);
    if (!a->at_idx)
        insert_all(r, b, s, a, a->var, a->write);
    else if (s->kind == IS_WHILE)
        insert_one(r, &s->pre, NULL, a);
    else
        insert_one(r, b, s, a);
}

static void
watch_stmt(Race *r, IrBlock *b, IrStmt *s)
{
    if (s->kind == IS_CALL)
        add_called(r, s->func);
    for (int i = 0; s->kind != IS_SHADOW && i < r->l.acc.n; i++)
        if (r->l.acc.at[i].s == s)
            watch_access(r, b, s, &r->l.acc.at[i]);
}

static void
watch_block(Race *r, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            watch_block(r, sub[i]);
        watch_stmt(r, b, s);
    }
}

static void
collect(Race *r, IrStmt *s)
{
    r->defs = par_count_defs(r->f, &r->f->body);
    r->l = (ParLoop){.p = r->p, .cx = r->cx, .f = r->f, .defs = &r->defs, .s = s};
    r->l.fx = ir_effects_stmt(r->f, s);
    r->l.reassoc = s->combines;
    par_collect(&r->l);
}

static void
watch_body(Race *r, IrStmt *s)
{
    collect(r, s);
    watch_block(r, &s->body);
}

static bool
is_watched(const IrStmt *s)
{
    return s->kind == IS_LOOP && s->loop == LOOP_PAR && !s->elementwise && !s->independent;
}

static bool
is_reduced(const IrStmt *s, const IrVar *v) /* a reduction of the whole array */
{
    for (int i = 0; i < s->n_reds; i++)
        if (s->reds[i].var == v)
            return true;
    return false;
}

static void
find_loops(IrBlock *b, IrStmt *s, void *arg)
{
    Race *r = arg;
    (void)b;
    if (!is_watched(s))
        return;
    VEC_PUSH(&r->cx->arena, r->loops, s);
    if (!s->n_reds && !s->combines)
        return;
    collect(r, s);
    for (int i = 0; i < r->l.acc.n; i++) {
        Combined c = {r->l.acc.at[i], r->loops.n - 1, false};
        c.mixed = s->combines && c.a.update && !is_reduced(s, c.a.via);
        if (c.mixed || is_reduced(s, c.a.via))
            VEC_PUSH(&r->cx->arena, r->combined, c);
    }
}

static int
number_of(const Race *r, const IrStmt *s) /* -1: it isn't watched */
{
    int n = r->loops.n - 1;
    while (n >= 0 && r->loops.at[n] != s)
        n--;
    return n;
}

/* ---- loops and functions --------------------------------------------------------------------- */

static void
call_rt(Race *r, IrBlock *b, IrStmt *where, int rt, int number, IrExpr *iteration)
{
    IrStmt *s = ir_stmt(r->cx, IS_RT, (Span){0});
    s->rt = (uint8_t)rt;
    s->n_args = iteration ? 2 : 1;
    s->args = NEW_N(&r->cx->arena, IrArg, 2);
    s->args[0].e = ir_int(r->cx, DT_i32, number);
    s->args[1].e = iteration;
    ir_insert_before(b, where, s);
}

/* One after the other: the shadow memory is this thread's. */
static void
keep_serial(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    (void)arg;
    s->threads = false;
}

static void
watch_loop(Race *r, IrBlock *b, IrStmt *s, int number)
{
    watch_body(r, s);
    ir_walk_block(&s->body, keep_serial, NULL);
    s->threads = false;
    s->n_reds = s->n_lasts = 0;
    s->loop = LOOP_SEQ;
    call_rt(r, b, s, RT_sw_shadow_begin, number, NULL);
    call_rt(r, b, s->next, RT_sw_shadow_end, number, NULL);
    call_rt(r, &s->body, s->body.first, RT_sw_shadow_next, number, ir_use(r->cx, s->var));
    pass_remark(r->p, REMARK_race_watched, s->at, "runs serially, each access is looked at");
}

/* Whoever catches an exception isn't in the loops that it has left. */
static void
leave_loops(Race *r, IrBlock *b, IrStmt *s)
{
    IrVar *depth = ir_var(r->f, "depth", DT_i64);
    IrStmt *before = ir_stmt(r->cx, IS_RT, (Span){0});
    before->rt = RT_sw_shadow_depth;
    before->n_outs = 1;
    before->outs = NEW(&r->cx->arena, IrArg);
    before->outs[0].out = depth;
    ir_insert_before(b, s, before);
    for (int i = 0; i < s->n_handlers; i++) {
        IrStmt *back = ir_stmt(r->cx, IS_RT, (Span){0});
        back->rt = RT_sw_shadow_back;
        back->n_args = 1;
        back->args = NEW(&r->cx->arena, IrArg);
        back->args[0].e = ir_use(r->cx, depth);
        ir_insert_before(&s->handlers[i].body, s->handlers[i].body.first, back);
    }
}

/* Inner loops first: what is an outer iteration's own may be shared by those of an inner loop. */
static void
visit(Race *r, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        int n = ir_blocks(s, sub), number = number_of(r, s);
        for (int i = 0; i < n; i++)
            visit(r, sub[i]);
        if (number >= 0)
            watch_loop(r, b, s, number);
        if (s->kind == IS_TRY)
            leave_loops(r, b, s);
    }
}

/* All that a function does may be part of an iteration of a loop around its call. */
static void
watch_function(Race *r, IrFunc *f)
{
    IrStmt *s = ir_stmt(r->cx, IS_LOOP, f->at);
    r->f = f;
    s->var = ir_var(f, "call", DT_i64);
    s->idx = NEW_N(&r->cx->arena, IrExpr *, 3);
    s->n_idx = 3;
    for (int i = 0; i < 3; i++)
        s->idx[i] = ir_int(r->cx, DT_i64, i > 0);
    s->body = f->body;
    watch_body(r, s);
    ir_walk_block(&s->body, keep_serial, NULL);
    f->body = s->body;
}

void
pass_race(PassCx *p)
{
    Race r = {.p = p, .cx = p->cx};
    for (int i = 0; i < p->mod->funcs.n; i++) {
        r.f = pass_func(p, i);
        if (p->cx->opt->debug)
            ir_walk_block(&r.f->body, find_loops, &r);
    }
    for (int i = 0; r.loops.n && i < p->mod->funcs.n; i++) {
        r.f = pass_func(p, i);
        if (p->cx->opt->debug)
            visit(&r, &r.f->body);
    }
    for (int i = 0; i < r.called.n; i++)
        watch_function(&r, r.called.at[i]);
}
