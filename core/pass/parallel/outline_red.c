/* SPDX-License-Identifier: BSD-3-Clause
 * Reductions of a loop that runs in chunks. Each chunk starts from a value that changes nothing
 * and stores what it has come to in its place of an array; after the run these are combined with
 * the value from before the loop, in the order of the chunks. A scalar wanted after the loop is
 * stored by the chunk that holds the last iteration. */
#include "pass/parallel/outline.h"

/* ---- arrays -------------------------------------------------------------------------------- */

bool
reds_arrays(const Outline *o)
{
    for (int i = 0; i < o->loop->n_reds; i++)
        if (o->loop->reds[i].var->is_array)
            return true;
    return false;
}

static IrExpr *
elements(Outline *o, IrVar *arr)
{
    IrExpr *n = ir_int(o->cx, DT_i64, 1);
    for (int k = 0; k < arr->ndim; k++)
        n = ir_op(o->cx, OP_mul, n, ir_dim(o->cx, arr, k));
    return n;
}

IrExpr *
reds_elements(Outline *o)
{
    IrExpr *n = ir_int(o->cx, DT_i64, 0);
    for (int i = 0; i < o->loop->n_reds; i++)
        if (o->loop->reds[i].var->is_array)
            n = ir_op(o->cx, OP_add, n, elements(o, o->loop->reds[i].var));
    return n;
}

/* v = the array of chunk c, shaped as `like` and contiguous, in the parts of all. */
static void
view_part(Outline *o, IrBuilder *b, IrVar *v, IrVar *like, IrVar *parts, IrVar *c)
{
    Cx *cx = o->cx;
    IrExpr **dims = NEW_N(&cx->arena, IrExpr *, v->ndim + 1);
    IrExpr **strides = NEW_N(&cx->arena, IrExpr *, v->ndim + 1);
    IrExpr *step = ir_int(cx, DT_i64, dtype_size((DType)v->dtype));
    for (int i = 0; i < v->ndim; i++) {
        int k = v->layout == LAY_F ? i : v->ndim - 1 - i;
        dims[k] = ir_dim(cx, like, k);
        strides[k] = step;
        step = ir_op(cx, OP_mul, ir_copy_expr(cx, step), ir_dim(cx, like, k));
    }
    ir_view(b, v, parts, ir_op(cx, OP_mul, ir_use(cx, c), step), dims, strides);
}

/* Loops over all elements of v; idx gets the indices, b is left inside. */
static void
open_nest(IrBuilder *b, IrVar *v, IrExpr **idx)
{
    for (int i = 0; i < v->ndim; i++) {
        int k = v->layout == LAY_F ? v->ndim - 1 - i : i;
        IrVar *at = ir_var(b->f, "k", DT_i64);
        IrStmt *s = ir_loop(b, LOOP_SEQ, at, ir_int(b->cx, DT_i64, 0), ir_dim(b->cx, v, k), 1);
        s->elementwise = true;
        idx[k] = ir_use(b->cx, at);
        b->at = &s->body;
    }
}

/* ---- scalars and arrays --------------------------------------------------------------------- */

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
        IrVar *v = s->reds[i].var;
        IrExpr *n = ir_use(o->cx, o->chunks);
        if (v->is_array) {
            IrExpr *some = ir_op(o->cx, OP_gt, ir_copy_expr(o->cx, n), ir_int(o->cx, DT_i64, 1));
            n = ir_op(o->cx, OP_mul, n, elements(o, v));
            n = ir_op(o->cx, OP_select, some, n, ir_int(o->cx, DT_i64, 0));
        }
        o->red[i].parts = shared_array(o, v, n);
        o->red[i].in_g = outline_param(o, o->red[i].parts, NULL);
        if (v->is_array) {
            outline_pass(o, v, NULL);
            o->red[i].all = outline_param(o, v, NULL);
        } else if (ir_reduce_traits(s->reds[i].op) &
                   RED_AGAIN) { /* its value before the loop comes along */
            outline_pass(o, NULL, ir_use(o->cx, v));
            map_put(a, &o->to, v, outline_param(o, v, NULL));
        }
    }
    for (int i = 0; i < s->n_lasts; i++) {
        o->kept[i].cell = shared_array(o, s->lasts[i], ir_int(o->cx, DT_i64, 1));
        o->kept[i].in_g = outline_param(o, o->kept[i].cell, NULL);
    }
}

/* ---- in the function of a chunk ------------------------------------------------------------- */

/* The sums on the way from e down to v, which are taken in another order anyway. */
static bool
relax(IrExpr *e, const IrVar *v)
{
    bool on_way = ir_is_var(e, v);
    for (int i = 0; i < e->n; i++)
        on_way |= relax(e->arg[i], v);
    if (on_way && e->kind == IX_OP && (e->op == OP_add || e->op == OP_sub || e->op == OP_mul))
        e->flags |= IXF_REASSOC;
    return on_way;
}

static void
relax_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    Outline *o = arg;
    for (int i = 0; s->kind == IS_SET && i < o->loop->n_reds; i++) {
        const IrVar *v = map_get(&o->to, o->loop->reds[i].var);
        if (s->var == v && dtype_is_float((DType)v->dtype))
            relax(s->e, v);
    }
}

void
reds_relax(Outline *o, IrBlock *copy)
{
    ir_walk_block(copy, relax_stmt, o);
}

/* The only chunk works on the array itself. */
static void
begin_array(Outline *o, const IrReduce *r, struct OutlineRed *red)
{
    IrVar *v = map_get(&o->to, r->var);
    IrBlock *save = o->in.at;
    IrExpr *idx[64];
    IrStmt *only = ir_if(&o->in, split_is_one(o));
    o->in.at = &only->body;
    ir_alias(&o->in, v, red->all);
    o->in.at = &only->els;
    view_part(o, &o->in, v, red->all, red->in_g, o->g->vars.at[0]);
    if (ir_reduce_traits(r->op) & RED_AGAIN) {
        IrStmt *s = ir_append(&o->in, IS_COPY);
        s->var = v;
        s->base = red->all;
    } else {
        open_nest(&o->in, v, idx);
        ir_store(&o->in, v, v->ndim, idx, ir_reduce_identity(o->cx, r->op, (DType)v->dtype));
    }
    o->in.at = save;
}

void
reds_begin(Outline *o)
{
    for (int i = 0; i < o->loop->n_reds; i++) {
        IrReduce *r = &o->loop->reds[i];
        IrVar *v = map_get(&o->to, r->var);
        if (v->is_array)
            begin_array(o, r, &o->red[i]);
        else if (!(ir_reduce_traits(r->op) & RED_AGAIN))
            ir_set(&o->in, v, ir_reduce_identity(o->cx, r->op, (DType)v->dtype));
    }
}

void
reds_end(Outline *o)
{
    IrVar *c = o->g->vars.at[0];
    for (int i = 0; i < o->loop->n_reds; i++) {
        IrVar *v = map_get(&o->to, o->loop->reds[i].var);
        IrExpr *at = ir_use(o->cx, c);
        if (!v->is_array)
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

/* v[...] = op(v[...], part[...]) for the part of chunk k */
static void
combine_array(Outline *o, const IrReduce *r, IrVar *parts, IrVar *k)
{
    Cx *cx = o->cx;
    IrVar *v = r->var;
    IrVar *part = ir_array_var(o->f, v->name, (DType)v->dtype, v->ndim, (Layout)v->layout);
    IrBlock *save = o->out.at;
    IrExpr *idx[64], *at[64];
    part->owned = false;
    part->noalias = true;
    IrExpr *some = ir_op(cx, OP_gt, ir_use(cx, o->chunks), ir_int(cx, DT_i64, 1));
    o->out.at = &ir_if(&o->out, some)->body;
    view_part(o, &o->out, part, v, parts, k);
    open_nest(&o->out, part, idx);
    for (int i = 0; i < v->ndim; i++)
        at[i] = ir_copy_expr(cx, idx[i]);
    IrExpr *old = ir_load(cx, v, v->ndim, idx), *more = ir_load(cx, part, v->ndim, idx);
    ir_store(&o->out, v, v->ndim, at, ir_reduce_combined(cx, r->op, old, more));
    o->out.at = save;
}

static IrExpr *
part_of(Outline *o, const IrVar *v, IrVar *k)
{
    int i = 0;
    while (o->loop->reds[i].var != v)
        i++;
    IrExpr *at = ir_use(o->cx, k);
    return ir_load(o->cx, o->red[i].parts, 1, &at);
}

/* What goes along with the value of chunk k, if that is taken. A chunk that has found nothing
 * has the value from before the loop, which may be as great as what others found. */
static void
combine_along(Outline *o, const IrReduce *r, IrVar *k)
{
    Cx *cx = o->cx;
    IrExpr *take = ir_op(cx, (IrOp)r->op, part_of(o, r->of, k), ir_use(cx, r->of));
    if (r->hit)
        take = ir_op(cx, OP_and, take, part_of(o, r->hit, k));
    IrBlock *save = o->out.at;
    o->out.at = &ir_if(&o->out, take)->body;
    ir_set(&o->out, r->var, part_of(o, r->var, k));
    o->out.at = save;
}

static void
combine_reds(Outline *o)
{
    Cx *cx = o->cx;
    IrStmt *s = o->loop;
    IrBlock *save = o->out.at;
    IrVar *k = ir_var(o->f, "k", DT_i64);
    IrStmt *all = ir_loop(&o->out, LOOP_SEQ, k, ir_int(cx, DT_i64, 0), ir_use(cx, o->chunks), 1);
    all->novector = true; /* short */
    all->cold = !reds_arrays(o);
    o->out.at = &all->body;
    for (int i = 0; i < s->n_reds; i++)
        if (s->reds[i].of)
            combine_along(o, &s->reds[i], k);
    for (int i = 0; i < s->n_reds; i++) {
        IrVar *v = s->reds[i].var;
        if (s->reds[i].of)
            continue;
        if (v->is_array) {
            combine_array(o, &s->reds[i], o->red[i].parts, k);
            continue;
        }
        IrExpr *part = part_of(o, v, k);
        ir_set(&o->out, v, ir_reduce_combined(cx, s->reds[i].op, ir_use(cx, v), part));
    }
    o->out.at = save;
    for (int i = 0; i < s->n_reds; i++)
        ir_drop(&o->out, o->red[i].parts);
}

void
reds_combine(Outline *o)
{
    Cx *cx = o->cx;
    IrStmt *s = o->loop;
    IrBlock *save = o->out.at;
    if (s->n_reds)
        combine_reds(o);
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

/* ---- branches that a chunk takes more often ------------------------------------------------- */

typedef struct Picks {
    const IrStmt *loop;
    bool found;
} Picks;

typedef struct Fails {
    int depth; /* of calls */
    bool any;
} Fails;

/* What a function was found to raise may have been proved away since. */
static void
see_failure(IrBlock *b, IrStmt *s, void *arg)
{
    enum { DEEP = 6 };
    Fails *f = arg, in = {f->depth + 1, false};
    (void)b;
    f->any |= ir_does(s, ST_FAILS);
    if (s->kind != IS_CALL || !s->func->may_raise || f->any)
        return;
    if (s->func->recursive || !s->func->body.first || in.depth > DEEP)
        in.any = true;
    else
        ir_walk_block(&s->func->body, see_failure, &in);
    f->any |= in.any;
}

static void
find_pick(IrBlock *b, IrStmt *s, void *arg)
{
    Picks *k = arg;
    Fails fails = {0};
    bool asks = false;
    (void)b;
    for (int i = 0; s->kind == IS_IF && i < k->loop->n_reds; i++) {
        const IrVar *v = k->loop->reds[i].var;
        asks |= !v->is_array && ir_mentions(s->e, v) > 0; /* see lone_store in par_update.c */
    }
    if (asks)
        ir_walk_block(&s->body, see_failure, &fails);
    k->found |= fails.any;
}

/* if x > m: { check ..; m = x }, or `m = m and f(x)`: a chunk begins with what m was before the
 * loop, so that it takes the branch where the loop as a whole does not, and may fail there. */
bool
reds_fail_more(const IrStmt *loop)
{
    Picks k = {.loop = loop};
    if (loop->n_reds)
        ir_walk_block((IrBlock *)&loop->body, find_pick, &k);
    return k.found;
}
