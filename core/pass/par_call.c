/* SPDX-License-Identifier: BSD-3-Clause
 * Which of its array parameters a function may store to, by itself or by those that it
 * calls: what each array variable may look into is followed through views and results
 * until nothing is new. */
#include "pass/par.h"

typedef struct Callee {
    IrFunc *f;
    uint64_t *points; /* by variable id: the parameters that it may look into */
    uint64_t stores;  /* those that are stored to */
    bool changed;
} Callee;

static uint64_t callee_stores(ParLoop *l, IrFunc *f, int depth);

typedef struct CalleeWalk {
    ParLoop *l;
    Callee *k;
    int depth;
} CalleeWalk;

static void
points_to(Callee *k, const IrVar *v, uint64_t what)
{
    k->changed |= (k->points[v->id] | what) != k->points[v->id];
    k->points[v->id] |= what;
}

static void
callee_call(CalleeWalk *w, const IrStmt *s)
{
    uint64_t all = 0,
             stores = s->kind == IS_CALL ? callee_stores(w->l, s->func, w->depth + 1) : 0;
    if (s->kind == IS_RT && s->rt != RT_sw_overlap)
        stores = ~(uint64_t)0;
    for (int i = 0; i < s->n_args; i++) {
        uint64_t p = s->args[i].arr ? w->k->points[s->args[i].arr->id] : 0;
        all |= p;
        if (i >= 63 || stores >> i & 1)
            w->k->stores |= p;
    }
    for (int i = 0; i < s->n_outs; i++)
        if (s->outs[i].arr)
            points_to(w->k, s->outs[i].arr, all);
}

static void
callee_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    CalleeWalk *w = arg;
    (void)b;
    if (ir_does(s, ST_LOOKS))
        points_to(w->k, s->var, w->k->points[s->base->id]);
    else if (s->kind == IS_STORE || s->kind == IS_COPY)
        w->k->stores |= w->k->points[s->var->id];
    else if (s->kind == IS_CALL || s->kind == IS_RT || s->kind == IS_PAR)
        callee_call(w, s);
}

/* The parameters (bits) whose elements f may store to. */
static uint64_t
callee_stores(ParLoop *l, IrFunc *f, int depth)
{
    if (depth > 6 || f->n_params > 63)
        return ~(uint64_t)0;
    Callee k = {.f = f, .points = NEW_N(&l->cx->arena, uint64_t, f->vars.n + 1)};
    CalleeWalk w = {l, &k, depth};
    for (int i = 0; i < f->n_params; i++)
        k.points[f->vars.at[i]->id] = (uint64_t)1 << i;
    do {
        k.changed = false;
        ir_walk_block(&f->body, callee_stmt, &w);
    } while (k.changed);
    return k.stores;
}

uint64_t
par_stored_params(ParLoop *l, IrFunc *f)
{
    return callee_stores(l, f, 0);
}
