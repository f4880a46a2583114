/* SPDX-License-Identifier: BSD-3-Clause
 * Reductions of a loop that runs in chunks. Each chunk starts from a value that changes nothing
 * and stores what it has come to in its place of an array; after the run these are combined with the
 * value from before the loop, in the order of the chunks. A scalar wanted after the loop is
 * stored by the chunk that holds the last iteration. */
#include "pass/workers.h"

enum { MOST_CHUNKS = 256 };

int64_t
reds_most_chunks(const Outline *o)
{
    (void)o;
    return MOST_CHUNKS;
}

/* Combining with a value twice is as combining with it once. */
static bool
is_idempotent(int op)
{
    return op != OP_add && op != OP_mul && op != OP_xor;
}

static IrVar *
shared_array(Outline *o, const IrVar *like, IrExpr *n)
{
    char *name = arena_printf(&o->cx->arena, "%s.parts", like->name);
    IrVar *a = ir_array_var(o->f, name, (DType)like->dtype, 1, LAY_C);
    a->noalias = true;
    ir_alloc(&o->out, a, &n, LAY_C, false);
    outline_pass(o, a, NULL);
    return a;
}

void
reds_alloc(Outline *o)
{
    const IrStmt *s = o->loop;
    Arena *a = &o->cx->arena;
    o->red = NEW_N(a, struct OutlineRed, s->n_reds + 1);
    o->kept = NEW_N(a, struct OutlineLast, s->n_lasts + 1);
    for (int i = 0; i < s->n_reds; i++) {
        o->red[i].parts = shared_array(o, s->reds[i].var, ir_use(o->cx, o->chunks));
        o->red[i].in_g = outline_param(o, o->red[i].parts, NULL);
        if (is_idempotent(s->reds[i].op)) { /* its value before the loop comes along */
            IrVar *v = s->reds[i].var;
            outline_pass(o, NULL, ir_use(o->cx, v));
            map_put(a, &o->to, v, outline_param(o, v, NULL));
        }
    }
    for (int i = 0; i < s->n_lasts; i++) {
        o->kept[i].cell = shared_array(o, s->lasts[i], ir_int(o->cx, DT_i64, 1));
        o->kept[i].in_g = outline_param(o, o->kept[i].cell, NULL);
    }
}

/* x op identity is x, to the sign of a zero. */
static IrExpr *
identity(Cx *cx, int op, DType d)
{
    double v = op == OP_mul ? 1 : -0.0;
    if (dtype_is_complex(d))
        return ir_complex(cx, d, v, op == OP_mul ? 0 : -0.0);
    if (dtype_kind(d) == DK_FLOAT)
        return ir_float(cx, d, v);
    return ir_int(cx, d, op == OP_mul);
}

void
reds_begin(Outline *o)
{
    for (int i = 0; i < o->loop->n_reds; i++) {
        IrReduce *r = &o->loop->reds[i];
        IrVar *v = map_get(&o->to, r->var);
        if (!is_idempotent(r->op))
            ir_set(&o->in, v, identity(o->cx, r->op, (DType)v->dtype));
    }
}

void
reds_end(Outline *o)
{
    IrVar *c = o->g->vars.at[0];
    for (int i = 0; i < o->loop->n_reds; i++) {
        IrVar *v = map_get(&o->to, o->loop->reds[i].var);
        IrExpr *at = ir_use(o->cx, c);
        ir_store(&o->in, o->red[i].in_g, 1, &at, ir_use(o->cx, v));
    }
    if (!o->loop->n_lasts)
        return;
    IrBlock *save = o->in.at;
    o->in.at = &ir_if(&o->in, o->last)->body;
    for (int i = 0; i < o->loop->n_lasts; i++) {
        IrVar *v = map_get(&o->to, o->loop->lasts[i]);
        IrExpr *at = ir_int(o->cx, DT_i64, 0);
        ir_store(&o->in, o->kept[i].in_g, 1, &at, ir_use(o->cx, v));
    }
    o->in.at = save;
}

void
reds_combine(Outline *o)
{
    Cx *cx = o->cx;
    IrStmt *s = o->loop;
    IrBlock *save = o->out.at;
    if (s->n_reds) {
        IrVar *k = ir_var(o->f, "k", DT_i64);
        IrStmt *all = ir_loop(&o->out, LOOP_SEQ, k, ir_int(cx, DT_i64, 0),
                              ir_use(cx, o->chunks), 1);
        all->novector = all->cold = true; /* short */
        o->out.at = &all->body;
        for (int i = 0; i < s->n_reds; i++) {
            IrVar *v = s->reds[i].var;
            IrExpr *at = ir_use(cx, k), *part = ir_load(cx, o->red[i].parts, 1, &at);
            ir_set(&o->out, v, ir_op(cx, (IrOp)s->reds[i].op, ir_use(cx, v), part));
        }
        o->out.at = save;
        for (int i = 0; i < s->n_reds; i++)
            ir_drop(&o->out, o->red[i].parts);
    }
    if (!s->n_lasts)
        return;
    IrExpr *some = ir_op(cx, OP_gt, ir_use(cx, o->chunks), ir_int(cx, DT_i64, 0));
    o->out.at = &ir_if(&o->out, some)->body;
    for (int i = 0; i < s->n_lasts; i++) {
        IrExpr *at = ir_int(cx, DT_i64, 0);
        ir_set(&o->out, s->lasts[i], ir_load(cx, o->kept[i].cell, 1, &at));
    }
    o->out.at = save;
    for (int i = 0; i < s->n_lasts; i++)
        ir_drop(&o->out, o->kept[i].cell);
}
