/* SPDX-License-Identifier: BSD-3-Clause
 * Which sums and products in indices don't wrap: IXF_EXACT. An index is in range modulo 2**64, and
 * what led to it need not be: of `a[4*i + 1]` the back end concludes nothing on the steps from one
 * iteration to the next, by which it would load neighbouring elements together, unless it is told
 * that 4*i is a number. Ranges of loops and what was tested before them tell. Only indices with
 * constant factors or in loops with other steps than 1 are looked at, in functions that have some.
 * Comes late: what is true of an index where it stands isn't where a pass would put it. */
#include "pass/analysis/walk.h"
#include "pass/pass.h"

typedef struct Exact {
    Cx *cx;
    Walk w;
} Exact;

static bool
is_exact_op(const IrExpr *e)
{
    return e->kind == IX_OP && e->dtype == DT_i64 &&
           (e->op == OP_add || e->op == OP_sub || e->op == OP_mul);
}

/* ---- which indices --------------------------------------------------------------------------- */

static bool
is_multiple(const IrExpr *e, const void *arg)
{
    int64_t c;
    (void)arg;
    return is_exact_op(e) && e->op == OP_mul && ir_is_const(e->arg[1], &c) && c != 1;
}

static bool
is_strided(const IrExpr *index)
{
    return is_exact_op(index) && ir_has(index, is_multiple, NULL);
}

static bool
reads_strided(const IrExpr *e, const void *arg)
{
    bool any = false;
    (void)arg;
    for (int i = 0; e->kind == IX_LOAD && i < e->n; i++)
        any |= is_strided(e->arg[i]);
    return any;
}

static bool
stores_strided(const IrStmt *s)
{
    bool any = false;
    for (int i = 0; s->kind == IS_STORE && i < s->n_idx; i++)
        any |= is_strided(s->idx[i]);
    return any;
}

static bool
has_strided(const IrStmt *s)
{
    bool any = stores_strided(s) || (s->e && ir_has(s->e, reads_strided, NULL));
    for (int i = 0; i < s->n_idx; i++)
        any |= ir_has(s->idx[i], reads_strided, NULL);
    return any;
}

/* ---- proofs ---------------------------------------------------------------------------------- */

/* The form of e, which is e as a number: a sum of forms where that is within int64. Notes what
 * doesn't wrap on the way. */
static void
number(Exact *x, IrExpr *e, IrAffine *out)
{
    Know *k = &x->w.k;
    IrAffine a, b;
    int64_t c = 1;
    *out = (IrAffine){.n = 1, .t = {{e, 1}}};
    if (ir_is_const(e, &c)) {
        *out = (IrAffine){.c0 = c};
        return;
    }
    if (!is_exact_op(e)) {
        if (know_affine(k, e, &a) && know_fits(k, &a, FITS, FIT_AT_ONCE))
            *out = a;
        return;
    }
    number(x, e->arg[0], &a);
    number(x, e->arg[1], &b);
    if (e->op == OP_mul && !ir_is_const(e->arg[1], &c))
        return;
    IrAffine sum = e->op == OP_mul ? (IrAffine){0} : a;
    if (!ir_affine_add(&sum, e->op == OP_mul ? &a : &b, e->op == OP_sub ? -1 : c) ||
        !know_fits(k, &sum, FITS, FIT_AT_ONCE))
        return;
    e->flags |= IXF_EXACT;
    *out = sum;
}

static void
note_index(Exact *x, IrExpr *index)
{
    IrAffine a;
    if (is_strided(index))
        number(x, index, &a);
}

static bool
note_load(IrExpr **e, void *arg)
{
    for (int i = 0; (*e)->kind == IX_LOAD && i < (*e)->n; i++)
        note_index(arg, (*e)->arg[i]);
    return true;
}

/* Another statement may share the expressions, and see other numbers. */
static void
note_stmt(Walk *w, IrStmt *s)
{
    Exact *x = w->arg;
    if (!has_strided(s))
        return;
    s->e = s->e ? ir_copy_expr(x->cx, s->e) : NULL;
    for (int i = 0; i < s->n_idx; i++)
        s->idx[i] = ir_copy_expr(x->cx, s->idx[i]);
    w->k.sure = true;
    ir_walk_expr(&s->e, note_load, x);
    for (int i = 0; i < s->n_idx; i++) {
        ir_walk_expr(&s->idx[i], note_load, x);
        if (s->kind == IS_STORE)
            note_index(x, s->idx[i]);
    }
    w->k.sure = false;
}

/* ---- the pass -------------------------------------------------------------------------------- */

static void
look(IrBlock *b, IrStmt *s, void *arg)
{
    bool *any = arg;
    (void)b;
    *any |= has_strided(s);
}

static void
look_in_loops(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    if (ir_does(s, ST_REPEATS) && !s->cold)
        ir_walk_block(&s->body, look, arg);
}

void
pass_exact(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = pass_func(p, i);
        bool any = false;
        ir_walk_block(&f->body, look_in_loops, &any);
        if (!any)
            continue;
        Exact x = {.cx = p->cx};
        x.w = (Walk){.arg = &x, .exprs = note_stmt};
        walk_func(&x.w, f);
    }
}
