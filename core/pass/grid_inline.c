/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that a kernel calls and that use what only a kernel has (the thread's place, barriers,
 * shared arrays) become part of it, and so do small ones with a loop, which then runs in lanes.
 * Takes the kernel, yields it without such calls. The function's variables get copies in the
 * kernel, its returns set the call's results. Other functions remain calls; LLVM inlines those that
 * it finds worth it. */
#include "pass/grid.h"

enum { MAX_DEPTH = 64, MAX_LOOPED = 60 /* statements */ };

typedef struct Inline {
    Grid *g;
    IrFunc *f;
    Map needs; /* IrFunc* -> yes or no */
    int depth;
} Inline;

static const int yes = 1, no = 0;

static bool needs_inline(Inline *in, IrFunc *f);

typedef struct Look {
    Inline *in;
    bool found;
} Look;

static bool
look_expr(IrExpr **e, void *arg)
{
    ((Look *)arg)->found |= (*e)->kind == IX_GEO;
    return true;
}

static void
look_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Look *l = arg;
    (void)b;
    l->found |= ir_does(s, ST_WAITS) ||
                (s->kind == IS_ALLOC && s->var->space == SPACE_SHARED);
    ir_walk_stmt_exprs(s, look_expr, l);
    if (s->kind == IS_CALL && !l->found)
        l->found = needs_inline(l->in, s->func);
}

static bool
takes_arrays(const IrFunc *f)
{
    for (int i = 0; i < f->n_params; i++)
        if (f->vars.at[i]->is_array)
            return true;
    return false;
}

static bool
needs_inline(Inline *in, IrFunc *f)
{
    const int *known = map_get(&in->needs, f);
    if (known)
        return known == &yes;
    Look l = {in, in->g->all && !f->recursive && takes_arrays(f) && !grid_has(&f->body, IS_TRY)};
    map_put(&in->g->cx->arena, &in->needs, f, (void *)&no); /* for recursion */
    ir_walk_block(&f->body, look_stmt, &l);
    map_put(&in->g->cx->arena, &in->needs, f, (void *)(l.found ? &yes : &no));
    return l.found;
}

typedef struct Size {
    bool loops, calls;
    int n;
} Size;

static void
add_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Size *z = arg;
    (void)b;
    z->loops |= ir_does(s, ST_REPEATS);
    z->calls |= s->kind == IS_CALL;
    z->n++;
}

/* A loop of a function that is called keeps the threads out of lanes; one of the kernel doesn't. */
static bool
gains_lanes(IrFunc *f)
{
    Size z = {0};
    ir_walk_block(&f->body, add_stmt, &z);
    return z.loops && !z.calls && z.n <= MAX_LOOPED && !f->recursive && !grid_has(&f->body, IS_TRY);
}

static IrVar *
copy_var(IrFunc *f, const IrVar *v)
{
    IrVar *n = ir_var(f, v->name, (DType)v->dtype);
    int id = n->id;
    *n = *v;
    n->id = id;
    n->is_param = n->once = false;
    return n;
}

static IrBlock
body_of(Inline *in, const IrStmt *call)
{
    Cx *cx = in->g->cx;
    IrFunc *f = in->f, *g = call->func;
    Map map = {0};
    IrBlock out = {0};
    IrBuilder b = {.cx = cx, .mod = f->mod, .f = f, .at = &out, .span = call->at};
    for (int i = 0; i < g->vars.n; i++) {
        IrVar *v = copy_var(f, g->vars.at[i]);
        map_put(&cx->arena, &map, g->vars.at[i], v);
        if (i < g->n_params && v->is_array)
            ir_alias(&b, v, call->args[i].arr);
        else if (i < g->n_params)
            ir_set(&b, v, call->args[i].e);
    }
    IrBlock body = ir_clone_block(f, &g->body, &map);
    grid_cut_returns(f, &body, call->outs, call->n_outs);
    ir_move_all(&out, &body);
    f->may_raise |= g->may_raise;
    return out;
}

static void inline_block(Inline *in, IrBlock *b);

static void
inline_call(Inline *in, IrBlock *b, IrStmt *s)
{
    if (in->depth >= MAX_DEPTH || s->func->recursive) {
        Diag *d = diag_add(&in->g->cx->diags, DIAG_unsupported, s->at,
                           "%s() calls itself, and uses the thread's place or waits for others", s->func->name);
        diag_hint(&in->g->cx->diags, d, "pass the place as an argument");
        ir_remove(b, s);
        return;
    }
    IrBlock body = body_of(in, s);
    in->depth++;
    inline_block(in, &body);
    in->depth--;
    for (IrStmt *t = body.first, *next; t; t = next) {
        next = t->next;
        t->prev = t->next = NULL;
        ir_insert_before(b, s, t);
    }
    ir_remove(b, s);
}

static void
inline_block(Inline *in, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            inline_block(in, sub[i]);
        if (s->kind == IS_CALL && (needs_inline(in, s->func) || gains_lanes(s->func)))
            inline_call(in, b, s);
    }
}

static void reach(Map *reached, IrFunc *f);

static void
reach_call(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    if (s->func)
        reach(arg, s->func);
}

static void
reach(Map *reached, IrFunc *f)
{
    if (map_get(reached, f))
        return;
    map_put(&f->mod->cx->arena, reached, f, f);
    ir_walk_block(&f->body, reach_call, reached);
}

/* What can't be emitted on its own is not called any more. */
static void
drop_inlined(Inline *in)
{
    IrModule *m = in->f->mod;
    Map reached = {0};
    int n = 0;
    for (int i = 0; i < m->funcs.n; i++)
        if (m->funcs.at[i]->kernel || m->funcs.at[i]->entry)
            reach(&reached, m->funcs.at[i]);
    for (int i = 0; i < m->funcs.n; i++) {
        IrFunc *f = m->funcs.at[i];
        if (map_get(&in->needs, f) != &yes || map_get(&reached, f))
            m->funcs.at[n++] = f;
    }
    m->funcs.n = n;
}

bool
grid_inline(Grid *g)
{
    Inline in = {.g = g, .f = g->f};
    if (!grid_has(&g->f->body, IS_CALL))
        return true;
    inline_block(&in, &g->f->body);
    drop_inlined(&in);
    return g->cx->diags.list.n == 0;
}
