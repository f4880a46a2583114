/* SPDX-License-Identifier: BSD-3-Clause
 * Which iterations are a chunk. A loop of n iterations is cut in chunks of `size`; where n may be
 * small and all of the body is one more independent loop, each of the n is cut in pieces too, so
 * that 3 rows of 10 million elements are as good as 10 million rows of 3. How many chunks
 * there are follows from the counts and from what an iteration costs. Counts are unsigned, in an
 * i64, and the end of a range is one past its last value, so that nothing overflows. */
#include "pass/parallel/outline.h"

enum {
    GRAIN_NS = 10000,
    MOST_CHUNKS = 256,
    MOST_COPIES = 16,
    LINE = 64,     /* elements */
    QUICK = 32768, /* iterations, at most, that need no poll: see pass safepoint */
    QUICK_NS = 20, /* each */
    FEW = 16,      /* iterations that are not worth cutting */
    LIGHT = 40,    /* nodes of a body that is worth a second copy of its loop */
};

#define ELEMENT_NS 3.0 /* to clear and to combine one element of a chunk's own array */

static IrExpr *
u64(Outline *o, IrVar *v)
{
    return ir_cast(o->cx, DT_u64, ir_use(o->cx, v));
}

/* A variable of f for what a runtime function makes of the arguments. */
static IrVar *
compute(Outline *o, IrRt rt, int n, IrExpr **args)
{
    IrVar *out = ir_var(o->f, "t", DT_i64);
    IrStmt *s = ir_ask(&o->out, rt, n, out);
    for (int i = 0; i < n; i++)
        s->args[i].e = args[i];
    return out;
}

static IrVar *
count_chunks(Outline *o, const Split *z)
{
    IrExpr *args[2] = {ir_use(o->cx, z->n), ir_use(o->cx, z->size)};
    return compute(o, RT_sw_chunk_count, 2, args);
}

static IrExpr *
named(Outline *o, const IrExpr *e)
{
    IrExpr *copy = ir_copy_expr(o->cx, e);
    return e->kind == IX_CONST ? copy : ir_use(o->cx, ir_temp(&o->out, copy));
}

static Split
count(Outline *o, IrStmt *s)
{
    Cx *cx = o->cx;
    Split z = {.loop = s, .step = 1, .lo = named(o, s->idx[0])};
    IrExpr *hi = named(o, s->idx[1]);
    ir_is_const(s->idx[2], &z.step);
    const IrExpr *a = z.step > 0 ? z.lo : hi, *b = z.step > 0 ? hi : z.lo;
    IrExpr *span = ir_op(cx, OP_sub, ir_copy_expr(cx, b), ir_copy_expr(cx, a));
    IrExpr *some = ir_op(cx, OP_lt, ir_copy_expr(cx, a), ir_copy_expr(cx, b));
    z.n = ir_temp(&o->out, ir_op(cx, OP_select, some, span, ir_int(cx, DT_i64, 0)));
    if (z.step != 1 && z.step != -1) {
        z.size = ir_var(o->f, "t", DT_i64);
        ir_set(&o->out, z.size, ir_int(cx, DT_i64, z.step < 0 ? -z.step : z.step));
        z.n = count_chunks(o, &z);
    }
    return z;
}

/* ---- how many -------------------------------------------------------------------------------- */

/* As many chunks as the work is worth, from 1; not more than there are iterations is seen
 * to later. */
static double
grain_of(const Outline *o)
{
    return o->cx->trace.grain > 0 ? o->cx->trace.grain : GRAIN_NS;
}

static IrVar *
wanted(Outline *o, IrExpr *ns)
{
    Cx *cx = o->cx;
    IrExpr *grain = ir_float(cx, DT_f64, grain_of(o));
    bool copies = reds_arrays(o);
    if (copies && cx->trace.grain <= 0)
        grain = ir_op(cx, OP_add, grain,
                      ir_op(cx, OP_mul, ir_cast(cx, DT_f64, reds_elements(o)),
                            ir_float(cx, DT_f64, ELEMENT_NS)));
    IrExpr *args[4] = {ir_use(cx, o->rows.n), ns, grain,
                       ir_int(cx, DT_i64, copies ? MOST_COPIES : MOST_CHUNKS)};
    return compute(o, RT_sw_chunk_want, 4, args);
}

/* Chunks of elements start on lines of the cache, those of a loop in lanes leave no lane idle;
 * quick ones are over so soon that nothing in them has to look out for an interrupt. */
static void
set_size(Outline *o, Split *z, IrVar *chunks, bool quick, bool lines)
{
    Cx *cx = o->cx;
    int line = lines ? LINE : lanes_of(o->p, o->f, z->loop);
    z->quick = quick;
    IrExpr *args[4] = {ir_use(cx, z->n), ir_use(cx, chunks),
                       ir_int(cx, DT_i64, line && cx->trace.grain <= 0 ? line : 1),
                       ir_int(cx, DT_i64, quick ? QUICK : INT64_MAX)};
    z->size = compute(o, RT_sw_chunk_size, 4, args);
}

/* ---- two loops ------------------------------------------------------------------------------- */

typedef struct Fixed {
    const Outline *o;
    bool ok;
} Fixed;

static bool
is_outer(IrExpr **e, void *arg)
{
    Fixed *x = arg;
    const IrVar *v = (*e)->var;
    if ((*e)->kind == IX_LOAD || v == x->o->loop->var || (v && (x->o->seen[v->id] & ~USED)))
        x->ok = false;
    return x->ok;
}

static bool
is_reduced(const IrStmt *loop, const IrVar *v)
{
    for (int i = 0; i < loop->n_reds; i++)
        if (loop->reds[i].var == v)
            return true;
    return false;
}

static bool
reduces_same(const IrStmt *in, const IrStmt *out)
{
    for (int i = 0; i < in->n_reds; i++)
        if (!is_reduced(out, in->reds[i].var) || in->reds[i].of) /* pieces are not in order */
            return false;
    return true;
}

/* Each piece of the loop behind it may do it again: it adds nothing up, and reads nothing that an
 * iteration of that loop changes. */
static bool
is_repeatable(const Outline *o, const IrStmt *s, const IrEffects *fx)
{
    switch ((int)s->kind) {
    case IS_SET:
        return !is_reduced(o->loop, s->var) && ir_invariant(s->e, fx);
    case IS_VIEW:
        for (int i = 0; i < s->n_idx; i++)
            if (!ir_invariant(s->idx[i], fx))
                return false;
        return ir_invariant(s->e, fx);
    case IS_ALIAS:
        return true;
    default:
        return false;
    }
}

IrStmt *
split_inner(const Outline *o, const IrStmt *outer)
{
    IrStmt *s = outer->body.last;
    Fixed x = {o, true};
    int64_t step;
    while (s && s->kind == IS_DROP)
        s = s->prev;
    if (!s || s->kind != IS_LOOP || !s->independent || s->cold || s->n_lasts || o->loop->n_lasts ||
        (s->sched && s->sched->seq) || !reduces_same(s, o->loop) ||
        !ir_is_const(s->idx[2], &step) || step == INT64_MIN)
        return NULL;
    IrEffects fx = ir_effects_stmt(o->f, s);
    for (const IrStmt *t = outer->body.first; t != s; t = t->next)
        if (!is_repeatable(o, t, &fx))
            return NULL;
    ir_walk_expr(&s->idx[0], is_outer, &x);
    ir_walk_expr(&s->idx[1], is_outer, &x);
    return x.ok ? s : NULL;
}

/* Of the outer loop's iterations there may be few; the inner loop's are known to be more. */
static bool
is_worth_cutting(const IrStmt *inner)
{
    int64_t lo, hi;
    return !ir_is_const(inner->idx[0], &lo) || !ir_is_const(inner->idx[1], &hi) || lo < 0 ||
           lo > hi || hi - lo > FEW;
}

static void
split_cols(Outline *o, IrVar *want)
{
    Cx *cx = o->cx;
    o->cols = count(o, o->cols.loop);
    IrExpr *n = ir_op(cx, OP_max, ir_use(cx, o->rows.n), ir_int(cx, DT_i64, 1));
    IrExpr *k = ir_op(cx, OP_tdiv, ir_use(cx, want), n);
    IrVar *pieces = ir_temp(&o->out, ir_op(cx, OP_max, k, ir_int(cx, DT_i64, 1)));
    set_size(o, &o->cols, pieces, false, o->cols.loop->elementwise);
    k = ir_use(cx, count_chunks(o, &o->cols));
    o->pieces = ir_temp(&o->out, ir_op(cx, OP_max, k, ir_int(cx, DT_i64, 1)));
}

static bool
is_quick(const Outline *o, const IrExpr *ns)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    if (ns->kind != IX_CONST || ns->re > QUICK_NS || reds_arrays(o))
        return false;
    for (IrStmt *s = o->loop->body.first; s; s = s->next)
        if (s->kind == IS_CALL || (s->kind != IS_IF && ir_blocks(s, sub)))
            return false;
    return true;
}

/* Inside of another loop a short one would take longer to count its chunks than to run: where it is
 * one chunk, it runs where it stands. */
static void
run_short_here(Outline *o, const IrExpr *ns)
{
    Cx *cx = o->cx;
    IrStmt copy = *o->loop;
    IrBlock one = {&copy, &copy};
    copy.prev = copy.next = NULL;
    IrExpr *all = ir_op(cx, OP_mul, ir_cast(cx, DT_f64, ir_use(cx, o->rows.n)),
                        ir_copy_expr(cx, (IrExpr *)ns));
    IrStmt *iff = ir_if(&o->out, ir_op(cx, OP_lt, all, ir_float(cx, DT_f64, grain_of(o))));
    iff->body = ir_clone_block(o->f, &one, NULL);
    o->out.at = &iff->els;
}

/* All sizes are known, and come to less than a chunk: it stays where it is. (What a failing chunk
 * has put into arrays of its own is dropped.) */
bool
split_is_one_for_sure(Outline *o)
{
    const IrStmt *s = o->loop;
    int64_t lo, hi, step;
    if (s->sched || reds_arrays(o) || !ir_is_const(s->idx[0], &lo) ||
        !ir_is_const(s->idx[1], &hi) || !ir_is_const(s->idx[2], &step))
        return false;
    const IrExpr *ns = workers_cost(o);
    double n = ((double)hi - (double)lo) / (double)step;
    return ns->kind == IX_CONST && n * ns->re < grain_of(o);
}

void
split_sizes(Outline *o)
{
    Cx *cx = o->cx;
    o->rows = count(o, o->loop);
    IrExpr *ns = workers_cost(o);
    if (o->inner && !reds_arrays(o) && pass_weight(&o->loop->body) <= LIGHT &&
        pass_may_copy(o->p, o->f, o->loop, "outline"))
        run_short_here(o, ns);
    bool quick = is_quick(o, ns);
    IrVar *want = wanted(o, ns);
    set_size(o, &o->rows, want, quick, quick);
    o->chunks = count_chunks(o, &o->rows);
    IrStmt *inner = reds_arrays(o) ? NULL : split_inner(o, o->loop);
    if (!inner || inner->next || !is_worth_cutting(inner))
        return;
    o->cols.loop = inner;
    split_cols(o, want);
    IrExpr *both = ir_op(cx, OP_mul, ir_use(cx, o->chunks), ir_use(cx, o->pieces));
    o->chunks = ir_temp(&o->out, both);
}

/* ---- in the function of a chunk -------------------------------------------------------------- */

static IrVar *
send_scalar(Outline *o, IrVar *v, const char *name)
{
    outline_pass(o, NULL, ir_use(o->cx, v));
    return outline_param(o, v, name);
}

static void
send_split(Outline *o, Split *z)
{
    if (z->lo->var)
        z->lo = ir_use(o->cx, send_scalar(o, z->lo->var, "lo"));
    z->n = send_scalar(o, z->n, "n");
    z->size = send_scalar(o, z->size, "size");
}

void
split_send(Outline *o)
{
    send_split(o, &o->rows);
    if (!o->cols.loop)
        return;
    send_split(o, &o->cols);
    o->pieces = send_scalar(o, o->pieces, "pieces");
}

/* In g: there is no other chunk. (Loops over arrays that are reduced into are not cut in
 * pieces.) */
IrExpr *
split_is_one(Outline *o)
{
    return ir_op(o->cx, OP_le, u64(o, o->rows.n), u64(o, o->rows.size));
}

/* The loop over chunk number k (u64) of the split. */
static void
set_range(Outline *o, IrStmt *s, const Split *z, IrExpr *k)
{
    Cx *cx = o->cx;
    IrExpr *step = ir_int(cx, DT_i64, z->step);
    IrVar *first = ir_temp(&o->in, ir_op(cx, OP_mul, k, u64(o, z->size)));
    IrVar *left = ir_temp(&o->in, ir_op(cx, OP_sub, u64(o, z->n), ir_use(cx, first)));
    if (z == &o->rows)
        o->last = ir_op(cx, OP_le, ir_use(cx, left), u64(o, z->size));
    IrExpr *skipped = ir_cast(cx, DT_i64, ir_use(cx, first));
    IrExpr *n = ir_op(cx, OP_min, ir_use(cx, left), u64(o, z->size));
    n = ir_cast(cx, DT_i64, n);
    if (z->quick) /* the form that pass safepoint knows */
        n = ir_op(cx, OP_min, n, ir_int(cx, DT_i64, QUICK));
    known_count(o, z, skipped, n);
    IrExpr *by = ir_op(cx, OP_mul, skipped, step);
    IrVar *start = ir_temp(&o->in, ir_op(cx, OP_add, z->lo, by));
    if (z->step != 1) {
        n = ir_op(cx, OP_mul, ir_op(cx, OP_sub, n, ir_int(cx, DT_i64, 1)), ir_copy_expr(cx, step));
        n = ir_op(cx, OP_add, n, ir_int(cx, DT_i64, z->step > 0 ? 1 : -1));
    }
    s->idx[0] = ir_use(cx, start);
    s->idx[1] = ir_op(cx, OP_add, ir_use(cx, start), n);
    known_range(o, z, s);
}

void
split_take(Outline *o, IrStmt *loop, IrVar *c)
{
    Cx *cx = o->cx;
    IrExpr *k = u64(o, c);
    if (!o->cols.loop) {
        set_range(o, loop, &o->rows, k);
        return;
    }
    IrVar *row = ir_temp(&o->in, ir_op(cx, OP_tdiv, k, u64(o, o->pieces)));
    IrExpr *whole = ir_op(cx, OP_mul, ir_use(cx, row), u64(o, o->pieces));
    set_range(o, loop, &o->rows, ir_use(cx, row));
    k = ir_op(cx, OP_sub, u64(o, c), whole);
    set_range(o, loop->body.last, &o->cols, k);
}
