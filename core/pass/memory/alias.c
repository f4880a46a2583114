/* SPDX-License-Identifier: BSD-3-Clause
 * Lowering puts a test for overlap before each assignment whose source may look at memory of its
 * target, and takes what a call yields for a view of anything. Here all functions are complete:
 * where no path makes both arrays look at the same memory, the test is 0, and the copy that it
 * guards goes with it. So it is where both are rows of one array, and only elements that are at
 * different places in both matter: two rows are one row, or share nothing. */
#include "ir/search.h"
#include "pass/pass.h"

typedef struct Alias {
    Cx *cx;
    IrFunc *f;
    const IrPoints *points; /* made for the first test */
    Map def;                /* by variable: the statement that defines it; of several, itself */
    Map other;              /* flags that are asked for more than for places that differ */
    int loops;
} Alias;

/* ---- rows of one array ----------------------------------------------------------------------- */

typedef struct Row {
    const IrStmt *view;
    unsigned whole, at; /* axes of the base: those that it has, those with an index */
} Row;

static void
note_def(IrVar *v, void *arg)
{
    Alias *a = arg;
    map_put(&a->cx->arena, &a->def, v, map_get(&a->def, v) || a->loops ? (void *)v : (void *)a->f);
}

static void
note_stmt(Alias *a, IrStmt *s)
{
    if (s->kind == IS_DROP)
        return;
    bool looks = (s->kind == IS_VIEW || s->kind == IS_ALIAS) && !map_get(&a->def, s->var);
    if (looks)
        map_put(&a->cx->arena, &a->def, s->var, s);
    else
        ir_walk_defs(s, note_def, a);
}

static bool
note_asked(IrExpr **e, void *arg)
{
    Alias *a = arg;
    int64_t c;
    IrExpr *x = *e;
    if (x->kind == IX_OP && x->op == OP_eq && x->arg[0]->kind == IX_VAR &&
        ir_is_const(x->arg[1], &c) && c == 1)
        return false;
    if (x->kind == IX_VAR)
        map_put(&a->cx->arena, &a->other, x->var, x->var);
    return true;
}

static void
note_block(Alias *a, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        int n = ir_blocks(s, sub), loop = ir_does(s, ST_REPEATS);
        note_stmt(a, s);
        ir_walk_stmt_exprs(s, note_asked, a);
        a->loops += loop;
        for (int i = 0; i < n; i++)
            note_block(a, sub[i]);
        a->loops -= loop;
    }
}

enum { MOST_NAMES = 8 }; /* loops pass arrays round among names, in circles */

/* What defines the array that v is another name of; v is left as that. It is v itself where that
 * may come to be another array: what a parameter is set to, it isn't from the start. */
static const void *
named(const Alias *a, const IrVar **v)
{
    const void *d = map_get(&a->def, *v);
    for (int i = 0; d && d != *v && d != a->f; i++) {
        const IrStmt *s = d;
        if ((*v)->is_param || i == MOST_NAMES)
            return *v;
        if (s->kind != IS_ALIAS)
            break;
        *v = s->base;
        d = map_get(&a->def, *v);
    }
    return d && (*v)->is_param ? *v : d;
}

/* The array itself, where a variable is it under another name; NULL: it may come to be another. */
static const IrVar *
fixed(const Alias *a, const IrVar *v)
{
    const void *d = named(a, &v);
    return d ? (d == a->f ? v : NULL) : v->is_param ? v : NULL;
}

static bool
is_axis(const IrExpr *e, IrExprKind kind, const IrVar *v, int axis)
{
    return e->kind == kind && e->var == v && (axis < 0 || e->axis == axis);
}

/* i * stride(base, k) + ..., for axes that the view does not have. */
static bool
takes_places(Row *r, const IrExpr *e)
{
    int64_t c;
    if (ir_is_const(e, &c))
        return c == 0;
    if (e->kind == IX_OP && e->op == OP_add)
        return takes_places(r, e->arg[0]) && takes_places(r, e->arg[1]);
    const IrExpr *step = e;
    if (e->kind == IX_OP && e->op == OP_mul)
        step = e->arg[is_axis(e->arg[1], IX_STRIDE, r->view->base, -1)];
    if (!is_axis(step, IX_STRIDE, r->view->base, -1) || (r->whole | r->at) >> step->axis & 1)
        return false;
    r->at |= 1u << step->axis;
    return true;
}

static bool
row_of(const Alias *a, const IrVar *v, Row *r)
{
    const IrStmt *s = named(a, &v);
    if (!s || (const void *)s == v || (const void *)s == a->f || s->kind != IS_VIEW ||
        s->base->layout == LAY_A || !fixed(a, s->base))
        return false;
    *r = (Row){.view = s};
    int k = 0, nd = s->var->ndim;
    for (int i = 0; i < nd; i++, k++) {
        while (k < s->base->ndim && !is_axis(s->idx[i], IX_DIM, s->base, k))
            k++;
        if (k == s->base->ndim || !is_axis(s->idx[nd + i], IX_STRIDE, s->base, k))
            return false;
        r->whole |= 1u << k;
    }
    return takes_places(r, s->e);
}

static bool
are_rows(Alias *a, const IrStmt *s)
{
    Row x, y;
    if (!a->def.n)
        note_block(a, &a->f->body);
    return !map_get(&a->other, s->outs[0].out) && row_of(a, s->args[0].arr, &x) &&
           row_of(a, s->args[1].arr, &y) && x.whole == y.whole &&
           fixed(a, x.view->base) == fixed(a, y.view->base);
}

/* ---- the tests ------------------------------------------------------------------------------- */

static void
settle(IrBlock *b, IrStmt *s, void *arg)
{
    Alias *a = arg;
    (void)b;
    if (!ir_is_overlap(s))
        return;
    if (!a->points)
        a->points = ir_points(a->f);
    if (ir_points_share(a->points, s->args[0].arr, s->args[1].arr) && !are_rows(a, s))
        return;
    IrVar *flag = s->outs[0].out;
    s->kind = IS_SET;
    s->var = flag;
    s->e = ir_int(a->cx, (DType)flag->dtype, 0);
    s->n_args = s->n_outs = 0;
}

void
pass_alias(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        Alias a = {.cx = p->cx, .f = p->mod->funcs.at[i]};
        ir_walk_block(&a.f->body, settle, &a);
    }
}
