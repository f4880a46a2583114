/* SPDX-License-Identifier: BSD-3-Clause
 * What differs between the threads of a block: takes a kernel's body, yields for each variable
 * whether all threads have the same value in it wherever they are together, and the loops that
 * they leave at different times. Memory that all can see is the same for all at one time: threads
 * that change it meanwhile are the kernel's fault. What is set where threads have parted
 * differs. */
#include "pass/grid/grid.h"

static bool
var_varies(const GridVary *v, const IrVar *x)
{
    return x->id >= v->n || v->vary[x->id];
}

bool
grid_varies(const GridVary *v, const IrExpr *e)
{
    if (e->kind == IX_GEO) {
        if (e->axis == GEO_LANE ||
            (v->g->whole && e->axis >= GEO_BLOCK_X && e->axis <= GEO_BLOCK_Z))
            return true;
        return e->axis >= GEO_THREAD_X && e->axis <= GEO_THREAD_Z &&
               !grid_is_one(v->g, e->axis - GEO_THREAD_X);
    }
    if (e->var && (var_varies(v, e->var) || (e->kind == IX_LOAD && e->var->space == SPACE_LOCAL)))
        return true;
    for (int i = 0; i < e->n; i++)
        if (grid_varies(v, e->arg[i]))
            return true;
    return false;
}

static void
raise(GridVary *v, const IrVar *x, bool varies)
{
    if (!varies || v->vary[x->id])
        return;
    v->vary[x->id] = v->changed = true;
}

static void
raise_def(IrVar *x, void *arg)
{
    raise(arg, x, true);
}

static bool
stmt_varies(const GridVary *v, const IrStmt *s)
{
    bool any = (s->e && grid_varies(v, s->e)) || (s->base && var_varies(v, s->base));
    for (int i = 0; i < s->n_idx; i++)
        any |= grid_varies(v, s->idx[i]);
    for (int i = 0; i < s->n_args; i++)
        any |= s->args[i].arr || (s->args[i].e && grid_varies(v, s->args[i].e));
    return any;
}

typedef struct At {     /* where in the code */
    bool parted;        /* some threads may be elsewhere */
    bool here;          /* since the innermost loop began */
    const IrStmt *loop; /* that one */
} At;

/* Nobody evaluates what may read memory out of range for threads that are elsewhere. */
static bool
parts(const GridVary *v, const IrExpr *e, At at)
{
    return grid_varies(v, e) || (at.parted && ir_loads(e));
}

static void
part(GridVary *v, const IrStmt *loop)
{
    if (!loop || map_get(&v->apart, loop))
        return;
    map_put(&v->g->cx->arena, &v->apart, loop, v);
    v->changed = true;
}

static void look(GridVary *v, const IrBlock *b, At at);

static void
look_loop(GridVary *v, const IrStmt *s, At at)
{
    bool apart = s->kind == IS_WHILE ? parts(v, s->e, at) || at.parted
                                     : parts(v, s->idx[0], at) || parts(v, s->idx[1], at);
    if (apart)
        part(v, s);
    apart = map_get(&v->apart, s) != NULL;
    if (s->kind == IS_LOOP)
        raise(v, s->var, apart || at.parted);
    At in = {at.parted || apart, apart, s};
    look(v, &s->pre, in);
    look(v, &s->body, in);
}

static void
look_stmt(GridVary *v, const IrStmt *s, At at)
{
    switch (s->kind) {
    case IS_LOOP:
    case IS_WHILE:
        look_loop(v, s, at);
        break;
    case IS_IF: {
        bool p = parts(v, s->e, at);
        At in = {at.parted || p, at.here || p, at.loop};
        look(v, &s->body, in);
        look(v, &s->els, in);
        break;
    }
    case IS_TRY: {
        IrBlock *sub[IR_MAX_BLOCKS];
        int n = ir_blocks((IrStmt *)s, sub);
        for (int i = 0; i < n; i++)
            look(v, sub[i], (At){true, true, at.loop});
        break;
    }
    case IS_BREAK:
    case IS_CONTINUE:
        if (at.here)
            part(v, at.loop);
        break;
    case IS_SET:
    case IS_VIEW:
    case IS_ALIAS:
    case IS_CONSTARR:
    case IS_RT:
        if (at.parted || stmt_varies(v, s))
            ir_walk_defs(s, raise_def, v);
        break;
    case IS_BARRIER:
        if (s->var)
            raise(v, s->var, at.parted);
        break;
    default:
        ir_walk_defs(s, raise_def, v);
        break;
    }
}

static void
look(GridVary *v, const IrBlock *b, At at)
{
    for (const IrStmt *s = b->first; s; s = s->next)
        look_stmt(v, s, at);
}

GridVary *
grid_vary(Grid *g, IrBlock *body)
{
    GridVary *v = NEW(&g->cx->arena, GridVary);
    v->g = g;
    v->n = g->f->vars.n;
    v->vary = NEW_N(&g->cx->arena, bool, v->n + 1);
    do {
        v->changed = false;
        look(v, body, (At){0});
    } while (v->changed);
    return v;
}
