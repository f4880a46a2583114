/* SPDX-License-Identifier: BSD-3-Clause
 * Which iterations are a chunk. A loop of n iterations is cut in chunks of `size`; where n may be
 * small and all of the body is one more independent loop, each of the n is cut in pieces too, so
 * that 3 rows of 10 million elements are as good as 10 million rows of 3. How many chunks
 * there are follows from the counts and from what an iteration costs. Counts are u64 and the
 * end of a range is one past its last value, so that nothing overflows. */
#include "pass/workers.h"

enum { GRAIN_NS = 10000, MOST_CHUNKS = 256, MOST_COPIES = 16, LINE = 64, CHEAP_NS = 20 };

#define ELEMENT_NS 3.0 /* to clear and to combine one element of a chunk's own array */

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
    IrExpr *n = ir_cast(cx, DT_u64, span);
    uint64_t by = z.step > 0 ? (uint64_t)z.step : 0 - (uint64_t)z.step;
    if (by > 1)
        n = div_up(o, ir_temp(&o->out, n), u64(o, by));
    IrExpr *some = ir_op(cx, OP_lt, ir_copy_expr(cx, a), ir_copy_expr(cx, b));
    z.n = ir_temp(&o->out, ir_op(cx, OP_select, some, n, u64(o, 0)));
    return z;
}

/* ---- how many ------------------------------------------------------------------------------------ */

/* As many chunks as the work is worth, from 1; not more than there are iterations is seen
 * to later. */
static IrVar *
wanted(Outline *o, IrExpr *cost)
{
    Cx *cx = o->cx;
    IrExpr *n = ir_cast(cx, DT_f64, ir_use(cx, o->rows.n));
    IrExpr *work = ir_op(cx, OP_mul, n, cost), *k;
    double most = MOST_CHUNKS;
    if (reds_arrays(o)) {
        IrExpr *own = ir_op(cx, OP_mul, ir_cast(cx, DT_f64, reds_elements(o)),
                            ir_float(cx, DT_f64, ELEMENT_NS));
        k = ir_op(cx, OP_div, work, ir_op(cx, OP_add, own, ir_float(cx, DT_f64, GRAIN_NS)));
        most = MOST_COPIES;
    } else {
        k = ir_op(cx, OP_mul, work, ir_float(cx, DT_f64, 1.0 / GRAIN_NS));
    }
    k = ir_op(cx, OP_fmin, k, ir_float(cx, DT_f64, most));
    k = ir_op(cx, OP_fmax, k, ir_float(cx, DT_f64, 1));
    return ir_temp(&o->out, ir_cast(cx, DT_u64, k));
}

/* Chunks of elements start on lines of the cache. */
static void
set_size(Outline *o, Split *z, IrExpr *chunks, bool lines)
{
    Cx *cx = o->cx;
    IrExpr *size = ir_op(cx, OP_max, div_up(o, z->n, chunks), u64(o, 1));
    if (lines)
        size = ir_op(cx, OP_and, ir_op(cx, OP_add, size, u64(o, LINE - 1)),
                     u64(o, ~(uint64_t)(LINE - 1)));
    z->size = ir_temp(&o->out, size);
}

/* ---- two loops ------------------------------------------------------------------------------------ */

static bool
is_fixed(IrExpr **e, void *arg)
{
    Outline *o = arg;
    IrVar *v = (*e)->var;
    if ((*e)->kind == IX_LOAD || v == o->loop->var || (v && (o->seen[v->id] & ~USED)))
        o->cols.loop = NULL;
    return true;
}

static bool
reduces_same(const IrStmt *in, const IrStmt *out)
{
    for (int i = 0; i < in->n_reds; i++) {
        int k = 0;
        while (k < out->n_reds && out->reds[k].var != in->reds[i].var)
            k++;
        if (k == out->n_reds)
            return false;
    }
    return true;
}

/* The loop that is all there is in the outer one, but for names of rows; or NULL. */
static IrStmt *
inner_loop(Outline *o)
{
    IrStmt *outer = o->loop, *s = outer->body.last;
    int64_t step;
    if (!s || s->kind != IS_LOOP || !s->independent || s->cold || s->n_lasts ||
        outer->n_lasts || !reduces_same(s, outer) || !ir_is_const(s->idx[2], &step) ||
        step == INT64_MIN)
        return NULL;
    for (const IrStmt *t = outer->body.first; t != s; t = t->next)
        if (t->kind != IS_SET && t->kind != IS_VIEW && t->kind != IS_ALIAS)
            return NULL;
    o->cols.loop = s;
    ir_walk_expr(&s->idx[0], is_fixed, o);
    ir_walk_expr(&s->idx[1], is_fixed, o);
    return o->cols.loop;
}

static void
split_cols(Outline *o, IrVar *want)
{
    Cx *cx = o->cx;
    o->cols = count(o, o->cols.loop);
    IrExpr *n = ir_op(cx, OP_max, ir_use(cx, o->rows.n), u64(o, 1));
    IrExpr *k = ir_op(cx, OP_tdiv, ir_use(cx, want), n);
    IrVar *pieces = ir_temp(&o->out, ir_op(cx, OP_max, k, u64(o, 1)));
    set_size(o, &o->cols, ir_use(cx, pieces), o->cols.loop->elementwise);
    k = div_up(o, o->cols.n, ir_use(cx, o->cols.size));
    o->pieces = ir_temp(&o->out, ir_op(cx, OP_max, k, u64(o, 1)));
}

void
split_sizes(Outline *o)
{
    Cx *cx = o->cx;
    o->rows = count(o, o->loop);
    IrExpr *cost = workers_cost(o);
    bool cheap = cost->kind == IX_CONST && cost->re < CHEAP_NS;
    IrVar *want = wanted(o, cost);
    set_size(o, &o->rows, ir_use(cx, want), cheap);
    IrExpr *chunks = div_up(o, o->rows.n, ir_use(cx, o->rows.size));
    if (!reds_arrays(o) && inner_loop(o)) {
        split_cols(o, want);
        chunks = ir_op(cx, OP_mul, chunks, ir_use(cx, o->pieces));
    }
    o->chunks = ir_temp(&o->out, ir_cast(cx, DT_i64, chunks));
}

/* ---- in the function of a chunk ---------------------------------------------------------------------- */

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

/* In g: there is no other chunk. (Loops over arrays that are reduced into are not cut in pieces.) */
IrExpr *
split_is_one(Outline *o)
{
    Cx *cx = o->cx;
    return ir_op(cx, OP_le, ir_use(cx, o->rows.n), ir_use(cx, o->rows.size));
}

/* The loop over chunk number k (u64) of the split. */
static void
set_range(Outline *o, IrStmt *s, const Split *z, IrExpr *k)
{
    Cx *cx = o->cx;
    IrExpr *step = ir_int(cx, DT_i64, z->step);
    IrVar *first = ir_temp(&o->in, ir_op(cx, OP_mul, k, ir_use(cx, z->size)));
    IrVar *left = ir_temp(&o->in, ir_op(cx, OP_sub, ir_use(cx, z->n), ir_use(cx, first)));
    if (z == &o->rows)
        o->last = ir_op(cx, OP_le, ir_use(cx, left), ir_use(cx, z->size));
    IrExpr *by = ir_op(cx, OP_mul, ir_cast(cx, DT_i64, ir_use(cx, first)), step);
    IrVar *start = ir_temp(&o->in, ir_op(cx, OP_add, z->lo, by));
    IrExpr *n = ir_op(cx, OP_min, ir_use(cx, left), ir_use(cx, z->size));
    n = ir_cast(cx, DT_i64, n);
    if (z->step != 1) {
        n = ir_op(cx, OP_mul, ir_op(cx, OP_sub, n, ir_int(cx, DT_i64, 1)),
                  ir_copy_expr(cx, step));
        n = ir_op(cx, OP_add, n, ir_int(cx, DT_i64, z->step > 0 ? 1 : -1));
    }
    s->idx[0] = ir_use(cx, start);
    s->idx[1] = ir_use(cx, ir_temp(&o->in, ir_op(cx, OP_add, ir_use(cx, start), n)));
}

void
split_take(Outline *o, IrStmt *loop, IrVar *c)
{
    Cx *cx = o->cx;
    IrExpr *k = ir_cast(cx, DT_u64, ir_use(cx, c));
    if (!o->cols.loop) {
        set_range(o, loop, &o->rows, k);
        return;
    }
    IrVar *row = ir_temp(&o->in, ir_op(cx, OP_tdiv, k, ir_use(cx, o->pieces)));
    IrExpr *whole = ir_op(cx, OP_mul, ir_use(cx, row), ir_use(cx, o->pieces));
    set_range(o, loop, &o->rows, ir_use(cx, row));
    k = ir_op(cx, OP_sub, ir_cast(cx, DT_u64, ir_use(cx, c)), whole);
    set_range(o, loop->body.last, &o->cols, k);
}
