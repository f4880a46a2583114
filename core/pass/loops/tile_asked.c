/* SPDX-License-Identifier: BSD-3-Clause
 * The tiles that a schedule asks for, `tile(8, 16)` at the label of a nest: for ii, jj over the
 * blocks, for i, j over the elements of one, whatever the sizes do for its time.
 *
 * The hard idea is when that is allowed. It visits iterations in another order, so all loops
 * but the innermost must be independent; that one may carry values along, since those of one
 * (i, j) stay in order. What may raise would raise at another element than before. Between
 * two loops there may be scalars that the inner one does not change: they are set anew. */
#include "pass/parallel/par.h"
#include "pass/loops/tile.h"

enum { MOST = SW_LEN(((SwSched *)0)->tile) };

typedef struct Asked {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    IrStmt *loop[MOST];
    int64_t size[MOST];
    int n;
    int left;        /* scalars that may be put in: one may be set from itself */
    const char *why; /* not */
} Asked;

static bool
no(Asked *a, const char *why)
{
    a->why = why;
    return false;
}

/* The loop at the end of a body that only sets scalars before, to what is the same after it. */
static IrStmt *
loop_within(Asked *a, IrStmt *s)
{
    IrStmt *in = s->body.last;
    if (!in || in->kind != IS_LOOP)
        return NULL;
    IrEffects fx = ir_effects_stmt(a->f, in);
    for (IrStmt *k = s->body.first; k != in; k = k->next)
        if (k->kind != IS_SET || ir_in(fx.sets, k->var) || !ir_invariant(k->e, &fx) ||
            par_count_sets(&a->loop[0]->body, k->var) != 1)
            return NULL;
    return in;
}

/* The loop and those right inside of it, as many as there are sizes. */
static void
find_nest(Asked *a, IrStmt *s)
{
    for (; s && a->n < MOST && a->loop[0]->sched->tile[a->n]; a->n++) {
        a->loop[a->n] = s;
        a->size[a->n] = a->loop[0]->sched->tile[a->n];
        s = loop_within(a, s);
    }
}

/* A scalar that is set between the loops, as what it is set to. */
static bool
put_in(IrExpr **e, void *arg)
{
    Asked *a = arg;
    for (int i = a->n - 1; (*e)->kind == IX_VAR && i >= 0; i--)
        for (IrStmt *k = a->loop[i]->body.last; k; k = k->prev)
            if (k->kind == IS_SET && k->var == (*e)->var && i < a->n - 1 && a->left-- > 0) {
                *e = ir_copy_expr(a->cx, k->e);
                return put_in(e, a);
            }
    return true;
}

static void
expand_bounds(Asked *a)
{
    for (int i = 1; i < a->n; i++)
        for (int k = 0; k < 2; k++) {
            a->loop[i]->idx[k] = ir_copy_expr(a->cx, a->loop[i]->idx[k]);
            ir_walk_expr(&a->loop[i]->idx[k], put_in, a);
        }
}

static bool
is_free(Asked *a, const IrStmt *s, bool innermost)
{
    int64_t step;
    if (!ir_is_const(s->idx[2], &step) || step != 1)
        return no(a, "a loop of the nest counts by another step than 1");
    if (innermost)
        return ir_effects(a->f, &s->body).breaks ? no(a, "a loop is left early") : true;
    if (!s->independent)
        return no(a, "it was not shown that the order of its iterations is of no matter");
    if (s->n_reds || s->n_lasts)
        return no(a, "what it sums up or leaves behind depends on the order");
    return true;
}

static bool
may_tile(Asked *a)
{
    IrEffects fx = ir_effects_stmt(a->f, a->loop[0]);
    if (a->n < 2)
        return no(a, a->loop[0]->sched->tile[1]
                         ? "there is more in the loop than another loop"
                         : "blocks of one loop are in the order of its iterations");
    if (fx.raises || fx.returns)
        return no(a, "it may raise, and would do so at another element");
    for (int i = 0; i < a->n; i++) {
        const IrStmt *s = a->loop[i];
        if (!is_free(a, s, i == a->n - 1))
            return false;
        if (i && s->threads)
            return no(a, "an inner loop runs on workers");
        if (!ir_invariant(s->idx[0], &fx) || !ir_invariant(s->idx[1], &fx))
            return no(a, "the bounds of an inner loop depend on an outer one");
    }
    return true;
}

/* for ii in lo .. hi step size, around a loop that now runs from ii to ii + min(size, hi - ii) */
static IrStmt *
blocks_of(Asked *a, IrStmt *s, int64_t size)
{
    Cx *cx = a->cx;
    IrStmt *b = ir_stmt(cx, IS_LOOP, s->at);
    b->var = ir_var(a->f, "block", DT_i64);
    b->idx = NEW_N(&cx->arena, IrExpr *, 3);
    b->n_idx = 3;
    b->idx[0] = s->idx[0];
    b->idx[1] = s->idx[1];
    b->idx[2] = ir_int(cx, DT_i64, size);
    b->loop = s->loop;
    b->independent = s->independent;
    b->novector = true;
    IrExpr *here = ir_use(cx, b->var), *left = ir_copy_expr(cx, b->idx[1]);
    left = ir_op(cx, OP_min, ir_op(cx, OP_sub, left, here), ir_int(cx, DT_i64, size));
    s->idx[0] = ir_use(cx, b->var);
    s->idx[1] = ir_op(cx, OP_add, ir_use(cx, b->var), left);
    return b;
}

static void
cut(Asked *a, IrBlock *blk)
{
    IrStmt *first = a->loop[0];
    const char *text = "";
    IrBlock *at = blk;
    IrStmt *where = first, *block[MOST];
    for (int i = 0; i < a->n; i++) {
        block[i] = blocks_of(a, a->loop[i], a->size[i]);
        text = arena_printf(&a->cx->arena, "%s%s%lld", text, i ? " × " : "", (long long)a->size[i]);
        ir_insert_before(at, where, block[i]);
        at = &block[i]->body;
        where = NULL;
    }
    ir_remove(blk, first);
    ir_insert_before(at, NULL, first);
    if (first->threads) {
        block[0]->threads = true;
        block[0]->sched = first->sched;
        block[0]->label = first->label;
        first->threads = false;
    }
    pass_remark(a->p, REMARK_tile_tiled, first->at, "in blocks of %s, as the schedule says%s", text,
                a->n < MOST && first->sched->tile[a->n]
                    ? "; the nest is not as deep as the sizes are many"
                    : "");
}

bool
tile_asked(PassCx *p, IrFunc *f, IrBlock *blk, IrStmt *s)
{
    Asked a = {.p = p, .cx = p->cx, .f = f, .loop = {s}, .left = 32};
    if (!s->sched || !s->sched->tile[0])
        return false;
    find_nest(&a, s);
    expand_bounds(&a);
    if (may_tile(&a)) {
        cut(&a, blk);
        return true;
    }
    pass_remark(p, REMARK_tile_no_effect, s->at, "%s", a.why);
    return false;
}
