/* SPDX-License-Identifier: BSD-3-Clause
 * What a call of a function does to the arrays that it is given and gives: which results may be
 * views of which arguments, whose elements it reads and stores to, what it makes. Takes a function
 * whose body is complete; yields its summary, made at the first question, from those of what it
 * calls, and kept: passes change how a function does its work, never what it does. The hard idea is
 * recursion: a function that is met again while its own summary is being made may do anything.
 * Functions of other languages have no body: they may do to their arguments whatever the types of
 * these allow, and keep none. */
#include "ir/ir.h"
#include "type/builtin.h"

typedef struct Gather {
    IrSummary *s;
    const IrPoints *p;
    const IrFunc *f;
} Gather;

/* ---- elements -------------------------------------------------------------------------------- */

static bool
read_load(IrExpr **e, void *arg)
{
    Gather *g = arg;
    if ((*e)->kind == IX_LOAD)
        g->s->reads |= ir_points_params(g->p, (*e)->var);
    return true;
}

static void
use_array(IrVar *v, unsigned how, void *arg)
{
    Gather *g = arg;
    uint64_t params = ir_points_params(g->p, v);
    if (how & IR_READS)
        g->s->reads |= params;
    if (how & IR_WRITES)
        g->s->writes |= params;
}

/* ---- results --------------------------------------------------------------------------------- */

/* The first result that r may share memory with which the call has made; they form classes. */
static void
put_together(Gather *g, const IrStmt *s, int r)
{
    for (int k = 0; k < r; k++) {
        if (!s->args[k].arr || !ir_points_share_made(g->p, s->args[r].arr, s->args[k].arr))
            continue;
        int to = g->s->with[k], from = g->s->with[r];
        if (from < to) {
            int t = to;
            to = from;
            from = t;
        }
        for (int i = 0; i < g->s->n_results; i++)
            if (g->s->with[i] == from)
                g->s->with[i] = (uint8_t)to;
    }
}

static void
give(Gather *g, const IrStmt *s)
{
    for (int r = 0; r < s->n_args && r < g->s->n_results; r++) {
        const IrVar *v = s->args[r].arr;
        if (!v)
            continue;
        g->s->views[r] |= ir_points_params(g->p, v);
        g->s->fresh |= (uint64_t)ir_points_made(g->p, v) << r;
        g->s->consts |= (uint64_t)ir_points_const(g->p, v) << r;
        put_together(g, s, r);
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

static void
add_call(IrSummary *s, const IrSummary *callee)
{
    s->allocates |= callee->allocates;
    s->says |= callee->says;
    s->waits |= callee->waits;
    s->outside |= callee->outside;
    s->anything |= callee->anything;
    s->python |= callee->python;
    s->keeps |= callee->keeps;
}

static void
gather(IrBlock *blk, IrStmt *s, void *arg)
{
    Gather *g = arg;
    (void)blk;
    ir_walk_stmt_exprs(s, read_load, g);
    ir_walk_arrays(s, use_array, g);
    g->s->allocates |= ir_does(s, ST_ALLOCATES);
    g->s->waits |= ir_does(s, ST_WAITS);
    g->s->says |= ir_does(s, ST_SAYS) || (s->kind == IS_RT && !(rt_info[s->rt].traits & RTF_PURE));
    if (ir_does(s, ST_CALLS) && s->func)
        add_call(g->s, ir_summary(s->func));
    if (ir_does(s, ST_GIVES_ARGS))
        give(g, s);
}

/* ---- functions ------------------------------------------------------------------------------- */

static void
does_anything(IrSummary *s, const IrFunc *f)
{
    s->reads = s->writes = ~(uint64_t)0;
    for (int i = 0; i < f->n_params; i++)
        if (f->vars.at[i]->obj)
            s->links = ~(uint64_t)0;
    s->fresh = s->consts = ~(uint64_t)0;
    s->allocates = s->says = s->waits = s->outside = s->anything = true;
    for (int r = 0; r < f->n_results && r < IR_MAX_RESULTS; r++) {
        s->views[r] = ~(uint64_t)0;
        s->with[r] = 0;
    }
}

/* A row of def/kernel.def is all that it does. */
static void
kernel(IrSummary *s, const IrFunc *f, const KernelRow *row)
{
    for (int i = 0; i < f->n_params; i++) {
        KernelParam p = kernel_param(row, i);
        s->reads |= p.reads ? ir_param_bit(i) : 0;
        s->writes |= p.writes ? ir_param_bit(i) : 0;
    }
    s->says |= kernel_draws(row);
}

static void
foreign(IrSummary *s, const IrFunc *f)
{
    if (ir_kernel(f)) {
        kernel(s, f, ir_kernel(f));
        return;
    }
    int k = ir_upcall(f);
    bool looks = k >= 0 && f->mod->upcalls.at[k].looks;
    s->python = k >= 0;
    if (k >= 0 && !looks) {
        does_anything(s, f);
        s->links = ~(uint64_t)0;
        s->keeps = true;
        return;
    }
    s->says = s->outside = true;
    for (int i = 0; i < f->n_params; i++)
        if (f->vars.at[i]->is_array) {
            s->reads |= ir_param_bit(i);
            s->writes |= looks ? 0 : ir_param_bit(i);
        }
}

static IrSummary *
empty(IrFunc *f)
{
    IrSummary *s = NEW(&f->mod->cx->arena, IrSummary);
    s->n_params = f->n_params;
    s->n_results = f->n_results;
    for (int r = 0; r < f->n_results && r < IR_MAX_RESULTS; r++)
        s->with[r] = (uint8_t)r;
    return s;
}

const IrSummary *
ir_summary(IrFunc *f)
{
    const IrSummary *had = f->summary;
    if (had && had->n_params == f->n_params && had->n_results == f->n_results)
        return had;
    IrSummary *top = empty(f), *s = empty(f);
    does_anything(top, f);
    top->keeps = top->python = f->mod->upcalls.n > 0;
    f->summary = top; /* the answer while it is looked into */
    if (f->foreign) {
        foreign(s, f);
    } else if (!f->body.first) { /* not made yet */
        f->summary = NULL;
        return top;
    }
    Gather g = {s, f->foreign ? NULL : ir_points(f), f};
    if (g.p)
        ir_walk_block(&f->body, gather, &g);
    if (g.p)
        s->links = ir_points_linked(g.p);
    if (s->keeps) /* Python may hold any of them from before */
        s->reads = s->writes = s->links = ~(uint64_t)0;
    for (int r = 0; r < f->n_results; r++)
        s->escapes |= s->views[r];
    f->summary = s;
    return s;
}

static int
result_of(const IrStmt *s, const IrVar *v)
{
    for (int r = 0; s->kind == IS_CALL && r < s->n_outs; r++)
        if (s->outs[r].arr == v)
            return r;
    return -1;
}

bool
ir_call_makes(const IrStmt *s, const IrVar *v)
{
    int r = result_of(s, v);
    const IrSummary *sum = r < 0 ? NULL : ir_summary(s->func);
    return sum && !sum->views[r] && !(sum->consts >> r & 1);
}

bool
ir_call_makes_alone(const IrStmt *s, const IrVar *v)
{
    int r = result_of(s, v), n = 0;
    if (!ir_call_makes(s, v))
        return false;
    const IrSummary *sum = ir_summary(s->func);
    for (int k = 0; k < s->n_outs; k++)
        n += s->outs[k].arr && sum->with[k] == sum->with[r];
    return n == 1;
}

bool
ir_call_views(const IrStmt *s, const IrVar *v, int i)
{
    int r = result_of(s, v);
    return r < 0 || ir_summary(s->func)->views[r] & ir_param_bit(i);
}

bool
ir_call_writes(const IrStmt *s, int i)
{
    if (s->kind == IS_RT)
        return rt_info[s->rt].traits & RTF_WRITES;
    if (!s->func)
        return true;
    return ir_summary(s->func)->writes & ir_param_bit(i + (s->kind == IS_PAR));
}

bool
ir_call_reads(const IrStmt *s, int i)
{
    if (s->kind == IS_RT)
        return rt_info[s->rt].traits & RTF_READS;
    if (!s->func)
        return true;
    return ir_summary(s->func)->reads & ir_param_bit(i + (s->kind == IS_PAR));
}
