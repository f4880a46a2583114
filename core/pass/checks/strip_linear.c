/* SPDX-License-Identifier: BSD-3-Clause
 * Indices that go by equal steps of a length that is known at run time only: a[k * step] over k.
 * Where none of the products and sums can wrap, they lie between the first and the last, so one
 * test of these two before the loop does for all. Whether they wrap, the same test asks: factors
 * are small, and what is added is no larger than arrays are. */
#include "pass/checks/strip.h"

#define SMALL ((int64_t)1 << 30)
#define LARGE ((int64_t)1 << 60)
enum { MOST_PARTS = 6 }; /* of a sum: so many of LARGE do not wrap */

typedef struct Linear {
    Inspect *s;
    IrVar *first, *last; /* values of the loop variable */
    IrExpr *all;         /* the test */
} Linear;

/* 0: the loop doesn't change it; 1: goes by equal steps; -1: neither. *parts: of its sum. */
static int
degree(const Inspect *s, const IrExpr *e, int *parts)
{
    if (!ir_mentions(e, s->loop->var)) {
        ++*parts;
        return 0;
    }
    if (e->kind == IX_VAR) {
        ++*parts;
        return 1;
    }
    if (e->kind != IX_OP || e->dtype != DT_i64)
        return -1;
    int one = 0;
    if (e->op == OP_neg)
        return degree(s, e->arg[0], parts);
    if (e->op == OP_add || e->op == OP_sub)
        return degree(s, e->arg[0], parts) < 0 || degree(s, e->arg[1], parts) < 0 ? -1 : 1;
    if (e->op != OP_mul)
        return -1;
    int x = degree(s, e->arg[0], &one), y = degree(s, e->arg[1], &one);
    ++*parts;
    return x < 0 || y < 0 || x + y != 1 || one > MOST_PARTS ? -1 : 1;
}

static void
need(Linear *l, const IrExpr *e, int64_t most)
{
    Cx *cx = l->s->cx;
    int64_t v;
    if (e->kind == IX_DIM && most == LARGE)
        return;
    if (ir_is_const(e, &v) && v <= most && v >= -most)
        return;
    l->all =
        inspect_both(cx, l->all, ir_op(cx, OP_le, ir_copy_expr(cx, e), ir_int(cx, DT_i64, most)));
    l->all =
        inspect_both(cx, l->all, ir_op(cx, OP_ge, ir_copy_expr(cx, e), ir_int(cx, DT_i64, -most)));
}

static IrExpr *
at(Linear *l, const IrExpr *e, IrVar *v)
{
    Map map = {0};
    map_put(&l->s->cx->arena, &map, l->s->loop->var, v);
    return ir_clone_expr(l->s->f, e, &map);
}

/* That e is no more than `most`, nor anything that it is made of too large. */
static void
need_no_wrap(Linear *l, const IrExpr *e, int64_t most)
{
    if (!ir_mentions(e, l->s->loop->var)) {
        need(l, e, most);
        return;
    }
    int64_t parts = e->kind == IX_OP && e->op == OP_mul ? SMALL : LARGE;
    for (int i = 0; e->kind == IX_OP && i < e->n; i++)
        need_no_wrap(l, e->arg[i], parts);
    if (e->kind == IX_OP && most == LARGE)
        return; /* its parts tell */
    need(l, at(l, e, l->first), most);
    need(l, at(l, e, l->last), most);
}

static void
need_in_range(Linear *l, const Hoist *h, IrVar *v)
{
    Cx *cx = l->s->cx;
    IrExpr *e = at(l, h->index, v), *dim = ir_dim(cx, h->check->var, h->check->axis);
    l->all = inspect_both(cx, l->all, ir_op(cx, OP_ge, e, ir_int(cx, DT_i64, 0)));
    l->all = inspect_both(cx, l->all, ir_op(cx, OP_lt, ir_copy_expr(cx, e), dim));
}

bool
strip_is_linear(const Inspect *s)
{
    for (int i = 0; i < s->found.n; i++) {
        const Hoist *h = &s->found.at[i];
        int parts = 0;
        if (h->where || ir_loads(h->index) || h->index->dtype != DT_i64 ||
            degree(s, h->index, &parts) < 0 || parts > MOST_PARTS)
            return false;
    }
    return s->found.n > 0 && !s->loads.n;
}

void
strip_emit_linear(Inspect *s, IrBuilder *b, void *arg)
{
    (void)arg;
    Cx *cx = s->cx;
    IrStmt *fast = s->loop;
    Linear l = {
        .s = s, .first = ir_var(s->f, "first", DT_i64), .last = ir_var(s->f, "last", DT_i64)};
    IrExpr *lo = ir_named(b, "start", fast->idx[0]), *hi = ir_named(b, "stop", fast->idx[1]);
    ir_set(b, l.first, lo);
    ir_set(b, l.last, ir_op(cx, OP_sub, hi, ir_int(cx, DT_i64, s->step)));
    for (int i = 0; i < s->found.n; i++) {
        need_no_wrap(&l, s->found.at[i].index, LARGE);
        need_in_range(&l, &s->found.at[i], l.first);
        need_in_range(&l, &s->found.at[i], l.last);
    }
    IrStmt *test = ir_if(b, l.all);
    test->cold_else = true;
    fast->idx[0] = ir_copy_expr(cx, lo);
    fast->idx[1] = ir_copy_expr(cx, hi);
    ir_insert_before(&test->body, NULL, fast);
    test->els = ir_clone_block(s->f, &test->body, NULL);
    test->els.first->novector = true;
    for (int i = 0; i < s->found.n; i++)
        inspect_drop_check(s, &s->found.at[i], 0, "");
}
