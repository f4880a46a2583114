/* SPDX-License-Identifier: BSD-3-Clause
 * Which memory each array variable of a function may look at: that of a parameter, that which one statement makes, that
 * of constants. Takes a function and the summaries of what it calls; yields a small set for each variable, whatever
 * path runs. The hard idea is what stands for memory: an origin, which is a parameter's number or that of a statement,
 * so that two arrays made by one statement in two rounds of a loop count as the same. Parameters may share memory
 * with each other; nothing else that has another origin does. */
#include "ir/ir.h"

enum { MAX_ORIGINS = 12, MAX_WALKS = 50 };

typedef struct Origins {
    int n;
    bool any; /* or whatever else */
    int at[MAX_ORIGINS];
} Origins;

struct IrPoints {
    IrFunc *f;
    Origins *of; /* by variable */
    int fresh;   /* number of the next origin */
    int consts, shared;
    bool changed;
};

static void
add_origin(IrPoints *p, Origins *to, int origin)
{
    for (int i = 0; i < to->n; i++)
        if (to->at[i] == origin)
            return;
    if (to->any)
        return;
    p->changed = true;
    if (to->n == MAX_ORIGINS)
        to->any = true;
    else
        to->at[to->n++] = origin;
}

static void
add_any(IrPoints *p, Origins *to)
{
    p->changed |= !to->any;
    to->any = true;
}

static void
add_all(IrPoints *p, Origins *to, const Origins *from)
{
    if (from->any)
        add_any(p, to);
    for (int i = 0; i < from->n && to != from; i++)
        add_origin(p, to, from->at[i]);
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Each statement that makes memory has as many origins as results, in the order of the walk. */
static int
own_origins(IrPoints *p, int n)
{
    p->fresh += n;
    return p->fresh - n;
}

static void
follow_call(IrPoints *p, const IrStmt *s)
{
    const IrSummary *sum = ir_summary(s->func);
    int first = own_origins(p, s->n_outs);
    for (int r = 0; r < s->n_outs; r++) {
        if (!s->outs[r].arr)
            continue;
        Origins *to = &p->of[s->outs[r].arr->id];
        if (sum->fresh >> r & 1)
            add_origin(p, to, first + sum->with[r]);
        if (sum->consts >> r & 1)
            add_origin(p, to, p->consts);
        for (int i = 0; i < s->n_args; i++)
            if (s->args[i].arr && sum->views[r] & ir_param_bit(i))
                add_all(p, to, &p->of[s->args[i].arr->id]);
    }
}

static void
any_out(IrPoints *p, const IrStmt *s)
{
    for (int i = 0; i < s->n_outs; i++)
        if (s->outs[i].arr)
            add_any(p, &p->of[s->outs[i].arr->id]);
}

static void
follow_stmt(IrBlock *blk, IrStmt *s, void *arg)
{
    IrPoints *p = arg;
    (void)blk;
    if (s->kind == IS_CALL)
        follow_call(p, s);
    else
        any_out(p, s);
    if (!ir_does(s, ST_DEFINES) || ir_does(s, ST_ENDS) || !s->var || !s->var->is_array)
        return;
    Origins *to = &p->of[s->var->id];
    if (ir_does(s, ST_LOOKS))
        add_all(p, to, &p->of[s->base->id]);
    else if (ir_does(s, ST_ALLOCATES)) /* dynamic shared arrays begin at one place */
        add_origin(p, to, s->var->space == SPACE_SHARED ? p->shared : own_origins(p, 1));
    else if (s->kind == IS_CONSTARR)
        add_origin(p, to, p->consts);
    else
        add_any(p, to);
}

IrPoints *
ir_points(IrFunc *f)
{
    Arena *a = &f->mod->cx->arena;
    IrPoints *p = NEW(a, IrPoints);
    p->f = f;
    p->of = NEW_N(a, Origins, f->vars.n + 1);
    p->consts = f->n_params;
    p->shared = f->n_params + 1;
    for (int i = 0; i < f->n_params; i++)
        if (f->vars.at[i]->is_array)
            add_origin(p, &p->of[i], i);
    p->changed = true;
    for (int walks = 0; p->changed && walks < MAX_WALKS; walks++) {
        p->changed = false;
        p->fresh = f->n_params + 2;
        ir_walk_block(&f->body, follow_stmt, p);
    }
    for (int i = 0; p->changed && i < f->vars.n; i++)
        p->of[i].any = true;
    return p;
}

/* ---- what is asked --------------------------------------------------------------------------- */

uint64_t
ir_points_params(const IrPoints *p, const IrVar *v)
{
    const Origins *o = &p->of[v->id];
    uint64_t bits = o->any ? ~(uint64_t)0 : 0;
    for (int i = 0; i < o->n; i++)
        if (o->at[i] < p->f->n_params)
            bits |= ir_param_bit(o->at[i]);
    return bits;
}

bool
ir_points_made(const IrPoints *p, const IrVar *v)
{
    const Origins *o = &p->of[v->id];
    bool made = o->any || !o->n;
    for (int i = 0; i < o->n; i++)
        made |= o->at[i] > p->consts;
    return made;
}

bool
ir_points_const(const IrPoints *p, const IrVar *v)
{
    const Origins *o = &p->of[v->id];
    bool constant = o->any;
    for (int i = 0; i < o->n; i++)
        constant |= o->at[i] == p->consts;
    return constant;
}

static bool
meet(const IrPoints *p, const Origins *x, const Origins *y, int from)
{
    int n = p->f->n_params;
    for (int i = 0; i < x->n; i++)
        for (int k = 0; k < y->n; k++)
            if (x->at[i] >= from && (x->at[i] == y->at[k] || (x->at[i] < n && y->at[k] < n)))
                return true;
    return false;
}

bool
ir_points_share(const IrPoints *p, const IrVar *x, const IrVar *y)
{
    const Origins *a = &p->of[x->id], *b = &p->of[y->id];
    return x == y || a->any || b->any || !a->n || !b->n || meet(p, a, b, 0);
}

bool
ir_points_share_made(const IrPoints *p, const IrVar *x, const IrVar *y)
{
    const Origins *a = &p->of[x->id], *b = &p->of[y->id];
    return x == y || a->any || b->any || meet(p, a, b, p->consts + 1);
}
