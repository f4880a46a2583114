/* SPDX-License-Identifier: BSD-3-Clause
 * Which memory each array variable of a function may look at: that of a parameter, that which one
 * statement makes, that of constants. Takes a function and the summaries of what it calls; yields a
 * small set for each variable, whatever path runs. The hard idea is what stands for memory: an
 * origin, which is a parameter's number or that of a statement, so that two arrays made by one
 * statement in two rounds of a loop count as the same. Parameters may share memory with each other;
 * nothing else that has another origin does. What an object refers to counts as its own memory:
 * where a reference is put into it, the origins of both become one. */
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
    /* by origin: another that is one with it, or itself; NULL: nothing is put anywhere */
    int *same;
    int n_same;
    int fresh; /* number of the next origin */
    int consts, shared;
    bool wild; /* memory that nobody knows may refer to any */
    bool changed;
    bool objects; /* some variable is one */
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

/* ---- origins that are one -------------------------------------------------------------------- */

static int
root_of(const IrPoints *p, int origin)
{
    while (p->same && origin < p->n_same && p->same[origin] != origin)
        origin = p->same[origin];
    return origin;
}

static void
unite(IrPoints *p, int a, int b)
{
    Arena *arena = &p->f->mod->cx->arena;
    int most = a > b ? a : b;
    if (most >= p->n_same) {
        int n = most * 2 + 16, *all = NEW_N(arena, int, n);
        for (int i = 0; i < n; i++)
            all[i] = i < p->n_same ? p->same[i] : i;
        p->same = all;
        p->n_same = n;
    }
    a = root_of(p, a);
    b = root_of(p, b);
    p->changed |= a != b;
    p->same[a > b ? a : b] = a < b ? a : b; /* so that a parameter stays the root */
}

/* One of both may refer to the other from now on. */
static void
link_origins(IrPoints *p, Origins *x, Origins *y)
{
    if (x->any || y->any) {
        add_any(p, x);
        add_any(p, y);
        p->wild = true;
    }
    for (int i = 0; i < x->n; i++)
        for (int k = 0; k < y->n; k++)
            unite(p, x->at[i], y->at[k]);
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
    p->wild |= sum->keeps && p->objects; /* Python may put any array in any list */
    for (int r = 0; r < s->n_outs; r++) {
        if (!s->outs[r].arr)
            continue;
        Origins *to = &p->of[s->outs[r].arr->id];
        if (sum->keeps)
            add_any(p, to);
        if (sum->fresh >> r & 1)
            add_origin(p, to, first + sum->with[r]);
        if (sum->consts >> r & 1)
            add_origin(p, to, p->consts);
        for (int i = 0; i < s->n_args; i++)
            if (s->args[i].arr && sum->views[r] & ir_param_bit(i))
                add_all(p, to, &p->of[s->args[i].arr->id]);
    }
}

/* What a call links of its arguments. */
static void
follow_links(IrPoints *p, const IrStmt *s)
{
    const IrSummary *sum = s->func ? ir_summary(s->func) : NULL;
    Origins *first = NULL;
    for (int i = 0; sum && sum->links && i < s->n_args; i++) {
        if (!s->args[i].arr || !(sum->links & ir_param_bit(i + (s->kind == IS_PAR))))
            continue;
        Origins *o = &p->of[s->args[i].arr->id];
        if (first)
            link_origins(p, first, o);
        else
            first = o;
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
    if (ir_does(s, ST_CALLS))
        follow_links(p, s);
    if (ir_does(s, ST_KEEPS_VAR) && s->var)
        link_origins(p, &p->of[s->base->id], &p->of[s->var->id]);
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
    for (int i = 0; i < f->vars.n; i++)
        p->objects |= f->vars.at[i]->obj != NULL;
    for (int i = 0; i < f->n_params; i++)
        if (f->vars.at[i]->is_array)
            add_origin(p, &p->of[i], i);
    p->changed = true;
    for (int walks = 0; p->changed && walks < MAX_WALKS; walks++) {
        p->changed = false;
        p->fresh = f->n_params + 2;
        ir_walk_block(&f->body, follow_stmt, p);
    }
    for (int i = 0; (p->changed || p->wild) && i < f->vars.n; i++)
        p->of[i].any = true;
    return p;
}

/* ---- what is asked --------------------------------------------------------------------------- */

/* Is any origin that is one with one of these in lo .. hi - 1? */
static bool
reaches(const IrPoints *p, const Origins *o, int lo, int hi)
{
    for (int i = 0; i < o->n; i++) {
        int root = root_of(p, o->at[i]);
        if (o->at[i] >= lo && o->at[i] < hi)
            return true;
        for (int k = lo; p->same && k < hi && k < p->n_same; k++)
            if (root_of(p, k) == root)
                return true;
    }
    return false;
}

uint64_t
ir_points_params(const IrPoints *p, const IrVar *v)
{
    const Origins *o = &p->of[v->id];
    uint64_t bits = o->any ? ~(uint64_t)0 : 0;
    for (int i = 0; !p->same && i < o->n; i++)
        if (o->at[i] < p->f->n_params)
            bits |= ir_param_bit(o->at[i]);
    for (int k = 0; p->same && k < p->f->n_params; k++)
        if (reaches(p, o, k, k + 1))
            bits |= ir_param_bit(k);
    return bits;
}

bool
ir_points_made(const IrPoints *p, const IrVar *v)
{
    const Origins *o = &p->of[v->id];
    return o->any || !o->n || reaches(p, o, p->consts + 1, p->fresh);
}

bool
ir_points_const(const IrPoints *p, const IrVar *v)
{
    const Origins *o = &p->of[v->id];
    return o->any || reaches(p, o, p->consts, p->consts + 1);
}

/* Origins that are one count from `from` on if one of them does. */
static bool
meet(const IrPoints *p, const Origins *x, const Origins *y, int from)
{
    bool params = reaches(p, x, 0, p->f->n_params) && reaches(p, y, 0, p->f->n_params);
    for (int i = 0; i < x->n; i++)
        for (int k = 0; k < y->n; k++)
            if (root_of(p, x->at[i]) == root_of(p, y->at[k]) &&
                (x->at[i] >= from || y->at[k] >= from || p->same))
                return true;
    return params && (from == 0 || p->same);
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

/* Parameters of which one may refer to the memory of another, or to something that others may hold
 * as well. */
uint64_t
ir_points_linked(const IrPoints *p)
{
    uint64_t bits = 0;
    for (int i = 0; p->same && i < p->f->n_params && i < p->n_same; i++)
        for (int k = 0; k < i; k++)
            if (root_of(p, i) == root_of(p, k))
                bits |= ir_param_bit(i) | ir_param_bit(k);
    return p->wild ? ~(uint64_t)0 : bits;
}
