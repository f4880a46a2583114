/* SPDX-License-Identifier: BSD-3-Clause
 * Sets functions of the library apart in units, modules of one function each that are
 * compiled once for all programs (rt/unit.c finds them again by their symbols). Takes the
 * functions that pass inline has left; yields in the module's list of units those that
 * are worth one, and in place of each, in the module, a function without a body, of which
 * its summary stays.
 *
 * What fits: it needs nothing of the program. All that it calls fits too, or is a kernel;
 * it has no large constant array, and no loop that our passes might fuse with the caller's,
 * vectorise by what that knows, or run on workers. So a unit has the same bits wherever
 * it is compiled, and the caller loses nothing but what LLVM would have made of a call of
 * a large function. */
#include "pass/simplify/inline.h"

enum {
    LEAST = 120,       /* nodes: below that, a call of it is most of what it would save */
    MOST_CONST = 4096, /* bytes of a constant array: a text or a small table of the library's */
    MOST_PARAMS = 12,  /* what takes more, as all values of a table, is no other program's */
};

typedef struct Fit {
    IrFunc *f;
    const struct Fit *outer; /* who calls it, while that is being looked at */
    bool no;
} Fit;

static bool fits(IrFunc *f, const Fit *outer);

static bool
callee_fits(const Fit *fit, IrFunc *g)
{
    return g == fit->f || g->unit || ir_is_kernel(g) || (!g->foreign && fits(g, fit));
}

static void
look(IrBlock *b, IrStmt *s, void *arg)
{
    Fit *fit = arg;
    (void)b;
    bool sequential =
        s->kind != IS_LOOP || (s->loop == LOOP_SEQ && !s->elementwise && !s->label && !s->sched);
    bool of_program = s->at.src && !s->at.src->is_lib; /* its errors name lines of that */
    bool large = s->kind == IS_CONSTARR && fit->f->mod->consts.at[s->n].nbytes > MOST_CONST;
    if (fit->no || !sequential || of_program || large || ir_does(s, ST_KERNEL) ||
        s->kind == IS_PRINT || (s->kind == IS_CALL && !callee_fits(fit, s->func)))
        fit->no = true;
}

/* Functions that call each other in turn stay together, in the program. */
static bool
fits(IrFunc *f, const Fit *outer)
{
    Fit fit = {f, outer,
               !f->lib || !f->body.first || f->inlined || f->entry ||
                   (f->at.src && !ir_unit_file(f->at.src->file))};
    for (const Fit *o = outer; o; o = o->outer)
        fit.no |= o->f == f;
    if (!fit.no)
        ir_walk_block(&f->body, look, &fit);
    return !fit.no;
}

bool
units_fit(IrFunc *f)
{
    return f->n_params <= MOST_PARAMS && pass_weight(&f->body) >= LEAST && fits(f, NULL);
}

/* ---- making one ---- */

typedef struct Units {
    PassCx *p;
    IrModule *m; /* they are taken out of it */
    IrModule *u; /* the one at hand, with `def`, the function of the module that was `f` */
    IrFunc *f, *def;
    Map site, consts; /* of m + 1 -> of u + 1 */
} Units;

static void set_apart(PassCx *p, IrFunc *f);

static void
take_callees(IrBlock *b, IrStmt *s, void *arg)
{
    Units *us = arg;
    (void)b;
    if (s->kind == IS_CALL && s->func != us->f && !s->func->unit && !s->func->foreign)
        set_apart(us->p, s->func);
}

static int
take_site(Units *us, int site)
{
    Arena *a = &us->m->cx->arena;
    const void *key = (const void *)(intptr_t)(site + 1);
    intptr_t known = (intptr_t)map_get(&us->site, key);
    if (known)
        return (int)known - 1;
    IrSite s = us->m->sites.at[site];
    s.within = s.within ? 1 + take_site(us, s.within - 1) : 0;
    s.cause =
        s.cause >= IR_FROM_SITE ? IR_FROM_SITE + take_site(us, s.cause - IR_FROM_SITE) : s.cause;
    VEC_PUSH(a, us->u->sites, s);
    map_put(a, &us->site, key, (void *)(intptr_t)us->u->sites.n);
    return us->u->sites.n - 1;
}

static int
take_const(Units *us, int n)
{
    Arena *a = &us->m->cx->arena;
    const void *key = (const void *)(intptr_t)(n + 1);
    intptr_t known = (intptr_t)map_get(&us->consts, key);
    if (known)
        return (int)known - 1;
    VEC_PUSH(a, us->u->consts, us->m->consts.at[n]);
    map_put(a, &us->consts, key, (void *)(intptr_t)us->u->consts.n);
    return us->u->consts.n - 1;
}

static bool
has_func(const IrModule *m, const IrFunc *f)
{
    for (int i = 0; i < m->funcs.n; i++)
        if (m->funcs.at[i] == f)
            return true;
    return false;
}

static void
take(IrBlock *b, IrStmt *s, void *arg)
{
    Units *us = arg;
    (void)b;
    if (s->site >= 0)
        s->site = take_site(us, s->site);
    if (s->kind == IS_CONSTARR)
        s->n = take_const(us, s->n);
    if (s->func == us->f)
        s->func = us->def;
    if (s->func && !has_func(us->u, s->func))
        VEC_PUSH(&us->m->cx->arena, us->u->funcs, s->func);
}

/* Without the number that it has in the program. */
static char *
base_name(Arena *a, const IrFunc *f)
{
    const char *dot = strrchr(f->name, '.');
    return arena_printf(a, "%.*s", (int)(dot ? dot - f->name : (long)strlen(f->name)), f->name);
}

/* ---- what a unit doesn't look into ---- */

#define ANY_OBJECT "w" /* the layout of an instance of which nothing is read */

typedef struct Inside {
    Arena *a;
    const IrStmt *s;
    Map of; /* variables whose words are read, or that somebody else is told of */
} Inside;

static void
note_inside(IrVar *v, void *arg)
{
    Inside *in = arg;
    bool moved = in->s->kind == IS_GET || in->s->kind == IS_DROP;
    if (!moved)
        map_put(in->a, &in->of, v, v);
}

static void
note_named(IrVar *v, unsigned how, void *arg)
{
    Inside *in = arg;
    (void)how;
    if (in->s->kind != IS_PUT || v == in->s->base)
        map_put(in->a, &in->of, v, v);
}

static bool
note_use(IrExpr **e, void *arg)
{
    Inside *in = arg;
    if ((*e)->var)
        map_put(in->a, &in->of, (*e)->var, (*e)->var);
    return true;
}

static void
note_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Inside *in = arg;
    (void)b;
    in->s = s;
    ir_walk_defs(s, note_inside, in);
    ir_walk_arrays(s, note_named, in);
    ir_walk_stmt_exprs(s, note_use, in);
}

static void
rename(IrBlock *b, IrStmt *s, void *arg)
{
    IrVar *const *both = arg;
    (void)b;
    if (s->var == both[0])
        s->var = both[1];
}

/* Instances that are moved from place to place are the same for all classes: so a dict of any of
 * them grows by one unit. */
static void
forget_layouts(Units *us)
{
    IrFunc *f = us->def;
    Inside in = {.a = &us->m->cx->arena};
    ir_walk_block(&f->body, note_stmt, &in);
    for (int i = 0; i < f->vars.n; i++) {
        IrVar *both[2] = {f->vars.at[i]};
        if (!ir_is_near(both[0]) || map_get(&in.of, both[0]))
            continue;
        both[1] = arena_dup(in.a, both[0], sizeof **both);
        both[1]->obj = ANY_OBJECT;
        both[1]->holds = NULL;
        f->vars.at[i] = both[1];
        ir_walk_block(&f->body, rename, both);
    }
}

static void
set_apart(PassCx *p, IrFunc *f)
{
    IrModule *m = p->mod;
    Arena *a = &m->cx->arena;
    Units us = {.p = p, .m = m, .u = ir_module(m->cx), .f = f};
    ir_walk_block(&f->body, take_callees, &us);
    f->summary = ir_summary(f);
    us.def = arena_dup(a, f, sizeof *f);
    us.def->name = base_name(a, f);
    us.def->mod = us.u;
    us.def->vars.at = arena_dup(a, f->vars.at, sizeof *f->vars.at * (size_t)f->vars.n);
    us.def->vars.cap = f->vars.n;
    VEC_PUSH(a, us.u->funcs, us.def);
    ir_walk_block(&us.def->body, take, &us);
    forget_layouts(&us);
    f->body = (IrBlock){0};
    f->vars.n = f->n_params;
    f->may_raise = true; /* pass safepoint may add what raises to a loop that does not */
    f->unit = us.u->unit = ir_unit_symbol(us.u);
    f->name = arena_printf(a, "%s.%.8s", us.def->name, f->unit + strlen(UNIT_PREFIX));
    VEC_PUSH(a, m->units, us.u);
}

static void
note_call(IrBlock *b, IrStmt *s, void *arg)
{
    Units *us = arg;
    (void)b;
    if (s->func)
        map_put(&us->m->cx->arena, &us->site, s->func, s->func);
}

/* What only units call is no function of the module any more. */
static void
drop_units(IrModule *m)
{
    Units called = {.m = m};
    int n = 0;
    for (int i = 0; i < m->funcs.n; i++)
        ir_walk_block(&m->funcs.at[i]->body, note_call, &called);
    for (int i = 0; i < m->funcs.n; i++)
        if (!m->funcs.at[i]->unit || map_get(&called.site, m->funcs.at[i]))
            m->funcs.at[n++] = m->funcs.at[i];
    m->funcs.n = n;
}

void
pass_units(PassCx *p)
{
    for (int i = 0; p->units && i < p->mod->funcs.n; i++)
        if (units_fit(pass_func(p, i)) && !p->cx->opt->debug)
            set_apart(p, p->mod->funcs.at[i]);
    if (p->mod->units.n)
        drop_units(p->mod);
}
