/* SPDX-License-Identifier: BSD-3-Clause
 * Names of arrays in a loop, put into one group where one is made an alias of another; a group with
 * a name that is set in any other way is none. A temporary, which each iteration sets before it is
 * named, holds nothing from before the loop, and is no member of the result. */
#include "pass/analysis/rotate.h"

typedef struct Names {
    int n;
    bool full;
    IrVar *var[MAX_ROTATED];
    int group[MAX_ROTATED];
    bool enters[MAX_ROTATED], broken[MAX_ROTATED];
} Names;

static int
find(const Names *x, const IrVar *v)
{
    int i = 0;
    while (i < x->n && x->var[i] != v)
        i++;
    return i < x->n ? i : -1;
}

static int
add(Names *x, IrVar *v)
{
    int i = find(x, v);
    if (i >= 0)
        return i;
    x->full |= x->n == MAX_ROTATED;
    if (x->full)
        return 0;
    x->var[x->n] = v;
    x->group[x->n] = x->n;
    return x->n++;
}

/* Has it been set in this iteration, on the way that leads to s? */
static bool
set_before(const IrStmt *s, const IrVar *v)
{
    for (s = s->prev; s; s = s->prev)
        if (s->kind == IS_ALIAS && s->var == v)
            return true;
    return false;
}

static void
see_alias(IrBlock *b, IrStmt *s, void *arg)
{
    Names *x = arg;
    (void)b;
    if (s->kind != IS_ALIAS || x->full)
        return;
    int to = add(x, s->var), from = add(x, s->base), was = x->group[from];
    if (x->full)
        return;
    for (int i = 0; i < x->n; i++)
        if (x->group[i] == was)
            x->group[i] = x->group[to];
    x->enters[from] |= !set_before(s, s->base);
}

static void
break_group(IrVar *v, void *arg)
{
    Names *x = arg;
    int i = find(x, v);
    if (i >= 0)
        x->broken[x->group[i]] = true;
}

static void
see_others(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    if (s->kind != IS_ALIAS && s->kind != IS_DROP)
        ir_walk_defs(s, break_group, arg);
}

static Rotation
collect(const Names *x)
{
    Rotation r = {0};
    for (int i = 0; i < x->n; i++) {
        const IrVar *first = x->var[x->group[i]];
        int members = 0;
        bool good = x->enters[i] && !x->broken[x->group[i]];
        for (int k = 0; k < x->n; k++) {
            bool in = x->group[k] == x->group[i];
            members += in && x->enters[k];
            good &= !in || x->var[k]->ndim == first->ndim;
        }
        if (!good || members < 2)
            continue;
        r.var[r.n] = x->var[i];
        r.group[r.n++] = x->group[i];
    }
    return r;
}

const Rotation *
rotate_of(Cx *cx, Map *known, IrStmt *loop)
{
    Names x = {0};
    Rotation *r = map_get(known, loop);
    if (r)
        return r;
    r = NEW(&cx->arena, Rotation);
    map_put(&cx->arena, known, loop, r);
    ir_walk_block(&loop->pre, see_alias, &x);
    ir_walk_block(&loop->body, see_alias, &x);
    if (x.n < 2 || x.full)
        return r;
    ir_walk_block(&loop->pre, see_others, &x);
    ir_walk_block(&loop->body, see_others, &x);
    *r = collect(&x);
    return r;
}
