/* SPDX-License-Identifier: BSD-3-Clause
 * Where in a function each variable is mentioned last, as a number of the statement in their order:
 * behind that nothing is to be found out about it, so that looking behind each loop of a function
 * takes no time of all the rest. What pass par itself makes has no number. */
#include "pass/parallel/par.h"

#include <limits.h>

typedef struct Number {
    ParOrder *o;
    Arena *a;
    int at;
} Number;

static void
mention(Number *n, const IrVar *v)
{
    if (v && v->id < n->o->n_vars)
        n->o->last[v->id] = n->at;
}

static bool
mention_expr(IrExpr **e, void *arg)
{
    mention(arg, (*e)->var);
    return true;
}

static void
mention_def(IrVar *v, void *arg)
{
    mention(arg, v);
}

static void
mention_array(IrVar *v, unsigned how, void *arg)
{
    (void)how;
    mention(arg, v);
}

static void
number_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Number *n = arg;
    (void)b;
    n->at++;
    map_put(n->a, &n->o->number, s, (void *)(intptr_t)n->at);
    ir_walk_stmt_exprs(s, mention_expr, n);
    ir_walk_defs(s, mention_def, n);
    ir_walk_arrays(s, mention_array, n);
}

void
par_order(ParOrder *o, IrFunc *f)
{
    Arena *a = &f->mod->cx->arena;
    Number n = {o, a, 0};
    *o = (ParOrder){.n_vars = f->vars.n, .last = NEW_N(a, int, f->vars.n + 1)};
    ir_walk_block(&f->body, number_stmt, &n);
}

int
par_last_mention(const ParLoop *l, const uint64_t *of, int from, int to)
{
    const ParOrder *o = l->order;
    int last = 0;
    if (!o)
        return INT_MAX;
    for (int w = from; w < to; w++)
        for (uint64_t bits = of[w]; bits; bits &= bits - 1) {
            int id = w * 64 + __builtin_ctzll(bits);
            if (id >= o->n_vars)
                return INT_MAX;
            last = o->last[id] > last ? o->last[id] : last;
        }
    return last;
}

/* Inside of a loop, control comes back to what has a lesser number. */
int
par_straight(const ParLoop *l)
{
    int d = 0;
    while (d < l->depth && !ir_does(l->around[d], ST_REPEATS) && l->around[d]->kind != IS_TRY)
        d++;
    return d;
}

bool
par_is_behind(const ParLoop *l, const IrStmt *s, int last)
{
    return last < INT_MAX && (intptr_t)map_get(&l->order->number, s) > last;
}
