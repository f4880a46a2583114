/* SPDX-License-Identifier: BSD-3-Clause
 * Turns a loop marked `threads` into a function of a chunk of its iterations, which the pool
 * runs, and puts in its place: count the iterations, choose the number of chunks, run, combine
 * the partial results. What the loop reads of its surroundings becomes parameters, what it
 * assigns becomes variables of the function. The number of chunks depends on sizes alone, never on
 * the number of workers, and partial results are combined in the order of the chunks: a sum has the
 * same bits at any number of threads. A small loop is one chunk, which the caller runs as a
 * call, or, of a light loop within another one, where it stands. */
#include "pass/parallel/outline.h"

/* ---- what the loop mentions ------------------------------------------------------------------ */

static void
note(Outline *o, IrVar *v)
{
    if (v)
        o->seen[v->id] |= USED;
}

static bool
note_expr(IrExpr **e, void *arg)
{
    note(arg, (*e)->var);
    return true;
}

static void
note_args(Outline *o, const IrArg *a, int n)
{
    for (int i = 0; i < n; i++) {
        note(o, a[i].arr);
        note(o, a[i].out);
    }
}

typedef struct Def {
    Outline *o;
    IrStmt *s;
} Def;

static void
note_def(IrVar *v, void *arg)
{
    Def *d = arg;
    uint8_t *seen = &d->o->seen[v->id];
    if (d->s->kind == IS_DROP) {
        *seen |= DROPPED;
        return;
    }
    if (*seen & (DEFINED | LOOP_VAR))
        *seen |= TWICE;
    *seen |= d->s->kind == IS_LOOP ? LOOP_VAR : DEFINED;
    d->o->def[v->id] = d->s;
}

static void
note_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    Outline *o = arg;
    note(o, s->var);
    note(o, s->base);
    ir_walk_stmt_exprs(s, note_expr, o);
    note_args(o, s->args, s->n_args);
    note_args(o, s->outs, s->n_outs);
    Def d = {o, s};
    ir_walk_defs(s, note_def, &d);
    if (s->kind == IS_LOOP)
        s->threads = false; /* the outermost one has the workers */
}

/* A loop that ends its function or a loop around it, or raises again what a handler around it
 * has caught, can't be a function of its own. */
static bool
stays_inside(const IrBlock *b, bool loop, bool handler)
{
    for (IrStmt *s = b->first; s; s = s->next) {
        IrBlock *sub[IR_MAX_BLOCKS];
        if (s->kind == IS_RETURN || (s->kind == IS_BREAK && !loop) ||
            (s->kind == IS_RERAISE && !handler))
            return false;
        bool inner = loop || ir_does(s, ST_REPEATS);
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (!stays_inside(sub[i], inner, handler || (s->kind == IS_TRY && i > 0)))
                return false;
    }
    return true;
}

bool
outline_can(Outline *o)
{
    int64_t step;
    if (!stays_inside(&o->loop->body, false, false) || !ir_is_const(o->loop->idx[2], &step) ||
        step == 0 || step == INT64_MIN)
        return false;
    for (int i = 0; i < o->n_seen; i++)
        if ((o->seen[i] & DROPPED) && !(o->seen[i] & DEFINED))
            return false;
    return true;
}

/* ---- the new function ------------------------------------------------------------------------ */

static IrVar *
copy_var(IrFunc *g, const IrVar *v)
{
    IrVar *n = ir_var(g, v->name, (DType)v->dtype);
    int id = n->id;
    *n = *v;
    n->id = id;
    n->is_param = n->once = false;
    return n;
}

IrVar *
outline_param(Outline *o, const IrVar *like, const char *name)
{
    IrVar *v = copy_var(o->g, like);
    v->name = name ? name : like->name;
    v->is_param = true;
    v->owned = false; /* the caller keeps it for as long as the run is */
    o->g->n_params++;
    return v;
}

void
outline_pass(Outline *o, IrVar *arr, IrExpr *e)
{
    IrArg a = {e, arr, NULL};
    VEC_PUSH(&o->cx->arena, o->args, a);
}

static bool
is_reduced(const Outline *o, const IrVar *v)
{
    for (int i = 0; i < o->loop->n_reds; i++)
        if (o->loop->reds[i].var == v)
            return true;
    return false;
}

void
outline_capture(Outline *o)
{
    for (int i = 0; i < o->n_seen; i++) {
        IrVar *v = o->f->vars.at[i];
        if (o->seen[i] != USED || v == o->loop->var || is_reduced(o, v))
            continue;
        map_put(&o->cx->arena, &o->to, v, outline_param(o, v, NULL));
        outline_pass(o, v->is_array ? v : NULL, v->is_array ? NULL : ir_use(o->cx, v));
    }
}

void
outline_locals(Outline *o)
{
    for (int i = 0; i < o->n_seen; i++) {
        IrVar *v = o->f->vars.at[i];
        if (!(o->seen[i] & DEFINED) && !is_reduced(o, v))
            continue;
        if (map_get(&o->to, v))
            continue;
        IrVar *n = copy_var(o->g, v);
        map_put(&o->cx->arena, &o->to, v, n);
        if (v->is_array && is_reduced(o, v)) /* a view of the chunk's own part */
            n->owned = false;
    }
}

/* ---- the body -------------------------------------------------------------------------------- */

static void
clone_loop(Outline *o, IrVar *c)
{
    IrStmt only = *o->loop;
    only.prev = only.next = NULL;
    only.threads = false;
    IrBlock one = {&only, &only};
    IrBlock copy = ir_clone_block(o->g, &one, &o->to);
    split_take(o, copy.first, c);
    reds_relax(o, &copy);
    reds_begin(o);
    ir_move_all(o->in.at, &copy);
    reds_end(o);
}

static void
make_function(Outline *o, int number)
{
    Cx *cx = o->cx;
    o->g = ir_func(o->f->mod, arena_printf(&cx->arena, "%s.par.%d", o->f->name, number));
    o->g->at = o->loop->at;
    o->g->opt = o->f->opt;
    o->g->may_raise = ir_effects(o->f, &o->loop->body).raises;
    o->in =
        (IrBuilder){.cx = cx, .mod = o->f->mod, .f = o->g, .at = &o->g->body, .span = o->loop->at};
    IrVar *c = ir_var(o->g, "c", DT_i64);
    c->is_param = true;
    o->g->n_params = 1;
    split_send(o);
    known_capture(o);
    outline_capture(o);
    reds_alloc(o);
    outline_locals(o);
    known_here(o);
    clone_loop(o, c);
}

static void
put_run(Outline *o)
{
    IrStmt *run = ir_append(&o->out, IS_PAR);
    int64_t most = o->loop->sched ? o->loop->sched->threads : 0;
    run->func = o->g;
    run->n_idx = 2;
    run->idx = NEW_N(&o->cx->arena, IrExpr *, 2);
    run->idx[0] = ir_use(o->cx, o->chunks);
    run->idx[1] = ir_int(o->cx, DT_i64, most);
    run->args = o->args.at;
    run->n_args = o->args.n;
    o->f->may_raise = true; /* an interrupt, if nothing else */
}

/* What other passes have folded away needs no part in it. */
static void
forget_unused(Outline *o)
{
    IrStmt *s = o->loop;
    int n = 0;
    for (int i = 0; i < s->n_reds; i++) {
        const IrVar *v = s->reds[i].var;
        if (o->seen[v->id] & (v->is_array ? USED : DEFINED))
            s->reds[n++] = s->reds[i];
    }
    s->n_reds = n;
    n = 0;
    for (int i = 0; i < s->n_lasts; i++)
        if (o->seen[s->lasts[i]->id] & DEFINED)
            s->lasts[n++] = s->lasts[i];
    s->n_lasts = n;
}

static void
remark(const Outline *o)
{
    const IrStmt *s = o->loop;
    Arena *a = &o->cx->arena;
    const char *names = "";
    for (int i = 0; i < s->n_reds; i++)
        names = arena_printf(a, "%s%s%s", names,
                             i ? ", " : "; partial results combined: ", s->reds[i].var->name);
    pass_remark(o->p, REMARK_outline_parallel, s->at, "in chunks, on all workers%s%s",
                o->cols.loop ? "; few long rows are cut in pieces" : "", names);
}

void
outline_begin(Outline *o, PassCx *p, IrFunc *f, IrStmt *s, IrBlock *out)
{
    Cx *cx = p->cx;
    *o = (Outline){.p = p, .cx = cx, .f = f, .loop = s, .n_seen = f->vars.n};
    o->out = (IrBuilder){.cx = cx, .mod = f->mod, .f = f, .at = out, .span = s->at};
    o->seen = NEW_N(&cx->arena, uint8_t, f->vars.n + 1);
    o->def = NEW_N(&cx->arena, IrStmt *, f->vars.n + 1);
    ir_walk_block(&s->body, note_stmt, o);
    s->threads = false;
    forget_unused(o);
}

void
outline_end(Outline *o, IrBlock *b, IrBlock *out)
{
    for (IrStmt *t = out->first, *next; t; t = next) {
        next = t->next;
        t->prev = t->next = NULL;
        ir_insert_before(b, o->loop, t);
    }
    ir_remove(b, o->loop);
}

typedef struct Visit {
    PassCx *p;
    int number, depth; /* of the next function; in how many loops */
    Map caught;        /* IrStmt* -> itself: loops in the body of a try */
} Visit;

static bool
outline(PassCx *p, Know *k, IrBlock *b, IrStmt *s, const Visit *v)
{
    IrBlock out = {0};
    Outline o;
    outline_begin(&o, p, k->f, s, &out);
    o.k = k;
    o.inner = v->depth > 0;
    if (!outline_can(&o)) {
        pass_remark(p, REMARK_outline_serial, s->at, "it leaves the function or an outer loop");
        return false;
    }
    if (split_is_one_for_sure(&o)) {
        pass_remark(p, REMARK_outline_serial, s->at, "it is too short to be cut");
        return false;
    }
    split_sizes(&o);
    make_function(&o, v->number);
    put_run(&o);
    reds_combine(&o);
    remark(&o);
    outline_end(&o, b, &out);
    return true;
}

static void
note_caught(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    Visit *v = arg;
    if (s->kind == IS_LOOP)
        map_put(&v->p->cx->arena, &v->caught, s, s);
}

static void
note_try(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    if (s->kind == IS_TRY)
        ir_walk_block(&s->body, note_caught, arg);
}

/* A chunk that fails leaves no results, while the handler, or what follows it, may read what the
 * iterations before the failing one have left and combined. */
static bool
loses_results(Visit *v, IrStmt *s, const IrEffects *fx)
{
    bool loses = fx->raises && (s->n_reds || s->n_lasts) && map_get(&v->caught, s);
    if (loses)
        pass_remark(v->p, REMARK_outline_serial, s->at,
                    "it may raise in a try, where what it has set by then may be read");
    return loses;
}

static bool
fails_more(Visit *v, const IrStmt *s)
{
    bool fails = reds_fail_more(s);
    if (fails)
        pass_remark(v->p, REMARK_outline_serial, s->at,
                    "it may raise where it looks at what it has combined so far");
    return fails;
}

static void
visit_loop(Walk *w, IrBlock *b, IrStmt *s)
{
    Visit *v = w->arg;
    IrEffects fx = ir_effects_stmt(w->f, s);
    if (s->kind != IS_LOOP || !s->threads || s->cold || loses_results(v, s, &fx) ||
        fails_more(v, s) || !outline(v->p, &w->k, b, s, v)) {
        v->depth++;
        walk_loop(w, s, &fx);
        v->depth--;
        return;
    }
    v->number++;
    /* its counters are not looked at */
    uint64_t *all = NEW_N(&w->cx->arena, uint64_t, w->f->vars.n / 64 + 1);
    memset(all, 0xff, sizeof *all * ((size_t)w->f->vars.n / 64 + 1));
    know_enter_loop(&w->k, s, &fx, all);
}

static void
find_loop(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    *(bool *)arg |= s->kind == IS_LOOP && s->threads && !s->cold;
}

void
pass_outline(PassCx *p)
{
    for (int i = 0, n = p->mod->funcs.n; i < n; i++) {
        IrFunc *f = pass_func(p, i);
        Visit v = {.p = p};
        Walk w = {.arg = &v, .loop = visit_loop};
        bool any = false;
        ir_walk_block(&f->body, find_loop, &any);
        if (any)
            ir_walk_block(&f->body, note_try, &v);
        if (any)
            walk_func(&w, f);
    }
}
