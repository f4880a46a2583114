/* SPDX-License-Identifier: BSD-3-Clause
 * A loop that becomes a function leaves behind what was known around it: the sizes that were
 * compared, the values of variables, its own range. What of this can be said in terms of the
 * function's parameters is put at its start as assumptions, the latest first, so that later passes
 * prove there what they would have proved in the loop's old place.
 */
#include "pass/parallel/outline.h"

enum { MOST = 16, MOST_NODES = 24 };

typedef struct Says {
    const Outline *o;
    bool ok;
    int nodes;
} Says;

static bool
see_term(IrExpr **e, void *arg)
{
    Says *s = arg;
    const IrVar *v = (*e)->var;
    const IrVar *n = v ? map_get(&s->o->to, v) : NULL;
    s->nodes++;
    if ((*e)->kind == IX_LOAD || (v && (v->id >= s->o->n_seen || s->o->seen[v->id] != USED)) ||
        (v && !(n && n->is_param)))
        s->ok = false;
    return s->ok;
}

/* e in terms of g's parameters, or NULL */
static IrExpr *
translate(Outline *o, IrExpr *e)
{
    Says s = {o, true, 0};
    ir_walk_expr(&e, see_term, &s);
    return s.ok && s.nodes <= MOST_NODES ? ir_clone_expr(o->g, e, &o->to) : NULL;
}

static IrExpr *
affine(Outline *o, const IrAffine *a)
{
    return translate(o, ir_affine_expr(o->cx, a));
}

/* a == 0 for the size of an axis, where -a >= 0 is known, too: the back end wants it in one. */
static IrExpr *
known_size(Outline *o, const IrAffine *a)
{
    IrAffine less = {0};
    int64_t by = a->n == 1 ? a->t[0].coef : 0;
    if ((by != 1 && by != -1) || a->t[0].term->kind != IX_DIM || a->c0 == INT64_MIN ||
        !ir_affine_add(&less, a, -1) || !know_prove(o->k, &less))
        return NULL;
    IrExpr *dim = translate(o, ir_copy_expr(o->cx, (IrExpr *)a->t[0].term));
    return dim ? ir_op(o->cx, OP_eq, dim, ir_int(o->cx, DT_i64, -by * a->c0)) : NULL;
}

/* a >= 0, each term on the side where it is positive */
static IrExpr *
inequality(Outline *o, const IrAffine *a)
{
    Cx *cx = o->cx;
    IrExpr *size = known_size(o, a);
    if (size)
        return size;
    IrAffine more = {0}, less = {0};
    for (int i = 0; i < a->n; i++) {
        IrAffine *side = a->t[i].coef > 0 ? &more : &less;
        if (a->t[i].coef == INT64_MIN)
            return NULL;
        side->t[side->n] = a->t[i];
        side->t[side->n++].coef *= a->t[i].coef > 0 ? 1 : -1;
    }
    if (a->c0 == INT64_MIN || (a->n == 1 && more.n && more.t[0].term->kind == IX_DIM && a->c0 >= 0))
        return NULL;
    bool strict = a->c0 == -1;
    more.c0 = a->c0 > 0 ? a->c0 : 0;
    less.c0 = a->c0 < -1 ? -a->c0 : 0;
    if (!know_fits(o->k, &more, FITS, FIT_AT_ONCE) || !know_fits(o->k, &less, FITS, FIT_AT_ONCE))
        return NULL;
    IrExpr *x = affine(o, &more), *y = affine(o, &less);
    return x && y ? ir_op(cx, strict ? OP_gt : OP_ge, x, y) : NULL;
}

static IrExpr *
said(Outline *o, const Known *k)
{
    Cx *cx = o->cx;
    IrExpr *v = NULL, *e = NULL;
    switch (k->kind) {
    case K_FACT:
        return inequality(o, &k->a);
    case K_TRUE:
        e = translate(o, k->e);
        return !e || k->truth ? e : ir_op(cx, OP_inv, e);
    case K_VALUE:
    case K_DIM:
        v = k->kind == K_DIM ? ir_dim(cx, (IrVar *)k->var, k->axis) : ir_use(cx, (IrVar *)k->var);
        v = translate(o, v);
        e = v ? affine(o, &k->a) : NULL;
        return e ? ir_op(cx, OP_eq, v, e) : NULL;
    case K_EXPR:
        break;
    }
    return NULL;
}

static void
assume(Outline *o, IrExpr *e)
{
    if (e->kind != IX_CONST)
        ir_append(&o->in, IS_ASSUME)->e = e;
}

static bool
wanted_too(IrExpr **e, void *arg)
{
    Outline *o = arg;
    const IrVar *v = (*e)->kind == IX_VAR ? (*e)->var : NULL;
    if (v && v != o->loop->var && v->id < o->n_seen && !o->seen[v->id])
        o->seen[v->id] = USED;
    return true;
}

void
known_capture(Outline *o)
{
    ir_walk_expr(&o->loop->idx[1], wanted_too, o);
}

/* That dim(v, axis) and e differ by a constant, whatever both were made of, or that it is no less
 * than e. */
static bool
assume_size(Outline *o, IrVar *v, int axis, const IrAffine *size, IrExpr *e)
{
    Cx *cx = o->cx;
    IrAffine diff;
    if (e->dtype != DT_i64 || !know_affine(o->k, e, &diff) || !ir_affine_add(&diff, size, -1))
        return false;
    IrExpr *dim = translate(o, ir_dim(cx, v, axis)), *other = translate(o, e);
    if (!dim || !other)
        return false;
    if (!diff.n)
        assume(o, ir_op(cx, OP_eq, ir_op(cx, OP_add, dim, ir_int(cx, DT_i64, diff.c0)), other));
    else if (know_implies_less(o->k, e, ir_dim(cx, v, axis), 0))
        assume(o, ir_op(cx, OP_ge, dim, other));
    else
        return false;
    return true;
}

/* The size of a view is made of what g may know nothing of: how it compares with the loop's end,
 * or with numbers that g has. */
static void
known_sizes(Outline *o)
{
    int left = MOST;
    for (int i = 0; i < o->n_seen && left > 0; i++) {
        IrVar *v = o->f->vars.at[i];
        for (int axis = 0; o->seen[i] == USED && v->is_array && axis < v->ndim; axis++) {
            IrAffine size;
            if (!know_affine(o->k, ir_dim(o->cx, v, axis), &size) ||
                (size.n == 1 && size.t[0].term->var == v))
                continue;
            bool told = assume_size(o, v, axis, &size, o->loop->idx[1]);
            for (int k = 0; k < o->n_seen && !told && left > 0; k++) {
                IrVar *n = o->f->vars.at[k];
                bool number = o->seen[k] == USED && !n->is_array && n->dtype == DT_i64;
                left -= number;
                told = number && assume_size(o, v, axis, &size, ir_use(o->cx, n));
            }
        }
    }
}

void
known_here(Outline *o)
{
    IrExpr *list[MOST];
    int n = 0;
    for (int i = o->k->at.n; i-- > 0 && n < MOST;) {
        const Known *k = &o->k->at.at[i];
        IrExpr *e = k->dead || k->loads || k->check ? NULL : said(o, k);
        bool again = !e;
        for (int j = 0; j < n && !again; j++)
            again = ir_expr_equal(list[j], e);
        if (!again)
            list[n++] = e;
    }
    while (n > 0)
        assume(o, list[--n]);
    known_sizes(o);
}

/* Of a loop upwards from 0 or more: where the chunk starts, behind the loop's start, and how many
 * iterations it has, in numbers that don't wrap. Said before the sums are made that its range is,
 * so that these are known not to wrap either. */
void
known_count(Outline *o, const Split *z, const IrExpr *skipped, const IrExpr *n)
{
    Cx *cx = o->cx;
    IrExpr *const *range = z->loop->idx;
    bool rows = z == &o->rows; /* then there is an iteration, at least */
    if (z->step != 1 || !know_implies_less(o->k, ir_int(cx, DT_i64, 0), range[0], 0) ||
        !(rows || know_implies_less(o->k, range[0], range[1], 0)))
        return;
    IrExpr *hi = translate(o, range[1]);
    if (!hi)
        return;
    IrExpr *left = ir_op(cx, OP_sub, hi, ir_copy_expr(cx, z->lo));
    assume(o, ir_op(cx, OP_ge, ir_copy_expr(cx, z->lo), ir_int(cx, DT_i64, 0)));
    assume(o, ir_op(cx, rows ? OP_lt : OP_le, ir_copy_expr(cx, z->lo), ir_copy_expr(cx, hi)));
    assume(o, ir_op(cx, OP_ge, ir_copy_expr(cx, skipped), ir_int(cx, DT_i64, 0)));
    assume(o, ir_op(cx, OP_ge, ir_copy_expr(cx, n), ir_int(cx, DT_i64, rows)));
    assume(o, ir_op(cx, rows ? OP_lt : OP_le, ir_copy_expr(cx, skipped), ir_copy_expr(cx, left)));
    left = ir_op(cx, OP_sub, ir_copy_expr(cx, left), ir_copy_expr(cx, skipped));
    assume(o, ir_op(cx, OP_le, ir_copy_expr(cx, n), left));
}

/* The first iteration of a chunk and the end of its range lie between the loop's. A chunk of
 * rows has one iteration at least, one of columns may have none, in a loop that ends before it
 * starts. */
void
known_range(Outline *o, const Split *z, const IrStmt *chunk)
{
    Cx *cx = o->cx;
    const IrStmt *loop = z->loop;
    bool up = z->step > 0;
    IrExpr *first = ir_copy_expr(cx, chunk->idx[0]), *end = ir_copy_expr(cx, chunk->idx[1]);
    assume(o, ir_op(cx, up ? OP_ge : OP_le, first, ir_copy_expr(cx, z->lo)));
    if (z == &o->cols) {
        if (!know_implies_less(o->k, loop->idx[!up], loop->idx[up], 0))
            return;
    }
    IrExpr *hi = translate(o, loop->idx[1]);
    if (hi)
        assume(o, ir_op(cx, up ? OP_le : OP_ge, end, hi));
}
