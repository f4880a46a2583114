/* SPDX-License-Identifier: BSD-3-Clause
 * Turns a loop marked `threads` into a function of a chunk of its iterations, which the pool
 * runs, and puts in its place: count the iterations, choose the number of chunks, run, combine
 * the partial results. What the loop reads of its surroundings becomes parameters, what it
 * assigns becomes variables of the function. The number of chunks depends on sizes alone, never on the
 * number of workers, and partial results are combined in the order of the chunks: a sum has the
 * same bits at any number of threads. A small loop is one chunk, which the caller runs as a call. */
#include "pass/workers.h"

enum { GRAIN_NS = 10000, MOST_CHUNKS = 256, LINE = 64, CHEAP_NS = 20 };

/* ---- what the loop mentions -------------------------------------------------------------------- */

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

/* A loop that ends its function or an outer loop, or raises again what a handler around
 * it has caught, can't be a function of its own. */
static bool
stays_inside(const IrBlock *b, bool handler)
{
    for (IrStmt *s = b->first; s; s = s->next) {
        IrBlock *sub[IR_MAX_BLOCKS];
        if (s->kind == IS_RERAISE && !handler)
            return false;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (!stays_inside(sub[i], handler || (s->kind == IS_TRY && i > 0)))
                return false;
    }
    return true;
}

static bool
can_outline(Outline *o)
{
    int64_t step;
    IrEffects fx = ir_effects(o->f, &o->loop->body);
    if (fx.returns || fx.breaks || !stays_inside(&o->loop->body, false) ||
        !ir_is_const(o->loop->idx[2], &step) || step == 0 || step == INT64_MIN)
        return false;
    for (int i = 0; i < o->loop->n_reds; i++)
        if (o->loop->reds[i].var->is_array)
            return false;
    for (int i = 0; i < o->n_seen; i++)
        if ((o->seen[i] & DROPPED) && !(o->seen[i] & DEFINED))
            return false;
    return true;
}

/* ---- the new function ----------------------------------------------------------------------------- */

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

static IrVar *
scalar_param(Outline *o, IrVar *v, const char *name)
{
    outline_pass(o, NULL, ir_use(o->cx, v));
    return outline_param(o, v, name);
}

static bool
is_reduced(const Outline *o, const IrVar *v)
{
    for (int i = 0; i < o->loop->n_reds; i++)
        if (o->loop->reds[i].var == v)
            return true;
    return false;
}

static void
capture(Outline *o)
{
    for (int i = 0; i < o->n_seen; i++) {
        IrVar *v = o->f->vars.at[i];
        if (o->seen[i] != USED || v == o->loop->var || is_reduced(o, v))
            continue;
        map_put(&o->cx->arena, &o->to, v, outline_param(o, v, NULL));
        outline_pass(o, v->is_array ? v : NULL, v->is_array ? NULL : ir_use(o->cx, v));
    }
}

static void
make_locals(Outline *o)
{
    for (int i = 0; i < o->n_seen; i++) {
        IrVar *v = o->f->vars.at[i];
        if ((o->seen[i] & DEFINED) && !map_get(&o->to, v))
            map_put(&o->cx->arena, &o->to, v, copy_var(o->g, v));
    }
}

/* ---- sizes ------------------------------------------------------------------------------------------- */

typedef struct Sizes {
    IrExpr *lo;      /* a constant or a variable of f */
    IrVar *n, *size; /* of f; u64, which holds any count */
} Sizes;

static IrExpr *
u64(Outline *o, uint64_t k)
{
    return ir_int(o->cx, DT_u64, (int64_t)k);
}

/* a / k rounded up, where a + k might overflow; k is not 0 */
static IrExpr *
div_up(Outline *o, IrVar *a, IrExpr *k)
{
    Cx *cx = o->cx;
    IrVar *q = ir_temp(&o->out, ir_op(cx, OP_tdiv, ir_use(cx, a), k));
    IrExpr *whole = ir_op(cx, OP_mul, ir_use(cx, q), ir_copy_expr(cx, k));
    IrExpr *more = ir_op(cx, OP_ne, whole, ir_use(cx, a));
    return ir_op(cx, OP_add, ir_use(cx, q), ir_cast(cx, DT_u64, more));
}

static IrExpr *
trips(Outline *o, const IrExpr *lo, const IrExpr *hi, int64_t step)
{
    Cx *cx = o->cx;
    const IrExpr *a = step > 0 ? lo : hi, *b = step > 0 ? hi : lo;
    IrExpr *span_i = ir_op(cx, OP_sub, ir_copy_expr(cx, b), ir_copy_expr(cx, a));
    IrExpr *n = ir_cast(cx, DT_u64, span_i);
    uint64_t by = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    if (by > 1) {
        IrVar *span = ir_temp(&o->out, n);
        n = div_up(o, span, u64(o, by));
    }
    IrExpr *some = ir_op(cx, OP_lt, ir_copy_expr(cx, a), ir_copy_expr(cx, b));
    return ir_op(cx, OP_select, some, n, u64(o, 0));
}

/* Chunks of elements start on lines of the cache. */
static IrExpr *
whole_lines(Outline *o, IrExpr *size)
{
    Cx *cx = o->cx;
    return ir_op(cx, OP_and, ir_op(cx, OP_add, size, u64(o, LINE - 1)),
                 u64(o, ~(uint64_t)(LINE - 1)));
}

static IrExpr *
named(Outline *o, const IrExpr *e)
{
    IrExpr *copy = ir_copy_expr(o->cx, e);
    return e->kind == IX_CONST ? copy : ir_use(o->cx, ir_temp(&o->out, copy));
}

static Sizes
make_sizes(Outline *o)
{
    Cx *cx = o->cx;
    IrStmt *s = o->loop;
    int64_t step = 1;
    ir_is_const(s->idx[2], &step);
    Sizes z = {.lo = named(o, s->idx[0])};
    z.n = ir_temp(&o->out, trips(o, z.lo, named(o, s->idx[1]), step));
    IrExpr *cost = workers_cost(o);
    bool cheap = cost->kind == IX_CONST && cost->re < CHEAP_NS;
    IrExpr *n = ir_cast(cx, DT_f64, ir_use(cx, z.n));
    IrExpr *k = ir_op(cx, OP_mul, ir_op(cx, OP_mul, n, cost),
                      ir_float(cx, DT_f64, 1.0 / GRAIN_NS));
    k = ir_op(cx, OP_fmin, k, ir_float(cx, DT_f64, (double)reds_most_chunks(o)));
    k = ir_op(cx, OP_fmax, k, ir_float(cx, DT_f64, 1));
    IrVar *want = ir_temp(&o->out, ir_cast(cx, DT_u64, k));
    IrExpr *size = ir_op(cx, OP_max, div_up(o, z.n, ir_use(cx, want)), u64(o, 1));
    z.size = ir_temp(&o->out, cheap ? whole_lines(o, size) : size);
    IrExpr *chunks = div_up(o, z.n, ir_use(cx, z.size));
    o->chunks = ir_temp(&o->out, ir_cast(cx, DT_i64, chunks));
    return z;
}

/* ---- the body: iterations first .. first + count - 1 --------------------------------------------------- */

static void
set_range(Outline *o, IrStmt *s, IrVar *c, IrExpr *lo, IrVar *n, IrVar *size)
{
    Cx *cx = o->cx;
    int64_t step = 1;
    ir_is_const(s->idx[2], &step);
    IrExpr *k = ir_cast(cx, DT_u64, ir_use(cx, c));
    IrVar *first = ir_temp(&o->in, ir_op(cx, OP_mul, k, ir_use(cx, size)));
    IrVar *left = ir_temp(&o->in, ir_op(cx, OP_sub, ir_use(cx, n), ir_use(cx, first)));
    o->last = ir_op(cx, OP_le, ir_use(cx, left), ir_use(cx, size));
    IrExpr *count = ir_op(cx, OP_min, ir_use(cx, left), ir_use(cx, size));
    IrExpr *by = ir_op(cx, OP_mul, ir_cast(cx, DT_i64, ir_use(cx, first)),
                       ir_int(cx, DT_i64, step));
    IrVar *start = ir_temp(&o->in, ir_op(cx, OP_add, lo, by));
    count = ir_cast(cx, DT_i64, count);
    if (step != 1) { /* one past the last, so that nothing overflows */
        count = ir_op(cx, OP_sub, count, ir_int(cx, DT_i64, 1));
        count = ir_op(cx, OP_mul, count, ir_int(cx, DT_i64, step));
        count = ir_op(cx, OP_add, count, ir_int(cx, DT_i64, step > 0 ? 1 : -1));
    }
    s->idx[0] = ir_use(cx, start);
    s->idx[1] = ir_use(cx, ir_temp(&o->in, ir_op(cx, OP_add, ir_use(cx, start), count)));
}

static void
clone_loop(Outline *o, IrVar *c, IrExpr *lo, IrVar *n, IrVar *size)
{
    IrStmt only = *o->loop;
    only.prev = only.next = NULL;
    only.threads = false;
    IrBlock one = {&only, &only};
    IrBlock copy = ir_clone_block(o->g, &one, &o->to);
    set_range(o, copy.first, c, lo, n, size);
    reds_begin(o);
    ir_move_all(o->in.at, &copy);
    reds_end(o);
}

static void
make_function(Outline *o, const Sizes *z, int number)
{
    Cx *cx = o->cx;
    o->g = ir_func(o->f->mod, arena_printf(&cx->arena, "%s.par.%d", o->f->name, number));
    o->g->at = o->loop->at;
    o->g->may_raise = ir_effects(o->f, &o->loop->body).raises;
    o->in = (IrBuilder){.cx = cx, .mod = o->f->mod, .f = o->g, .at = &o->g->body, .span = o->loop->at};
    IrVar *c = ir_var(o->g, "c", DT_i64);
    c->is_param = true;
    o->g->n_params = 1;
    IrExpr *lo = z->lo->var ? ir_use(cx, scalar_param(o, z->lo->var, "lo")) : z->lo;
    IrVar *n = scalar_param(o, z->n, "n"), *size = scalar_param(o, z->size, "size");
    capture(o);
    reds_alloc(o);
    make_locals(o);
    clone_loop(o, c, lo, n, size);
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

static bool
outline(PassCx *p, IrFunc *f, IrBlock *b, IrStmt *s, int number)
{
    Cx *cx = p->cx;
    IrBlock out = {0};
    Outline o = {.p = p, .cx = cx, .f = f, .loop = s, .n_seen = f->vars.n};
    o.out = (IrBuilder){.cx = cx, .mod = f->mod, .f = f, .at = &out, .span = s->at};
    o.seen = NEW_N(&cx->arena, uint8_t, f->vars.n + 1);
    o.def = NEW_N(&cx->arena, IrStmt *, f->vars.n + 1);
    ir_walk_block(&s->body, note_stmt, &o);
    s->threads = false;
    if (!can_outline(&o)) {
        pass_remark(p, "workers", "loop runs serially", s->at,
                    "it leaves the function or an outer loop");
        return false;
    }
    Sizes z = make_sizes(&o);
    make_function(&o, &z, number);
    put_run(&o);
    reds_combine(&o);
    for (IrStmt *t = out.first, *next; t; t = next) {
        next = t->next;
        t->prev = t->next = NULL;
        ir_insert_before(b, s, t);
    }
    ir_remove(b, s);
    return true;
}

static void
visit(PassCx *p, IrFunc *f, IrBlock *b, int *number)
{
    for (IrStmt *s = b->first, *next; s; s = next) {
        IrBlock *sub[IR_MAX_BLOCKS];
        next = s->next;
        if (s->kind == IS_LOOP && s->threads && !s->cold &&
            outline(p, f, b, s, *number)) {
            ++*number;
            continue;
        }
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            visit(p, f, sub[i], number);
    }
}

void
pass_workers(PassCx *p)
{
    for (int i = 0, n = p->mod->funcs.n; i < n; i++) {
        int number = 0;
        visit(p, p->mod->funcs.at[i], &p->mod->funcs.at[i]->body, &number);
    }
}
