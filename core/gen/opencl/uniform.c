/* SPDX-License-Identifier: BSD-3-Clause
 * In functions that hold barriers: what all threads of a block agree on. A variable varies when a
 * value given to it does, or when threads may part before the place where it is set. Only such
 * conditions need care at a barrier; all threads go through the others together, those that have
 * returned among them, so that what is uniform must be known to these, too: a set of it stands
 * where all threads pass, and loads nothing. */
#include "gen/opencl/opencl.h"

static void
note_waits(IrBlock *blk, IrStmt *s, void *arg)
{
    (void)blk;
    bool *found = arg;
    *found |= ir_does(s, ST_WAITS);
    if (s->kind == IS_CALL && !*found && !s->func->recursive)
        *found = cl_func_waits(s->func);
}

bool
cl_func_waits(IrFunc *f)
{
    bool found = false;
    ir_walk_block(&f->body, note_waits, &found);
    return found;
}

bool
cl_waits(IrFunc *f, const IrStmt *s)
{
    (void)f;
    bool found = false;
    IrStmt *self = (IrStmt *)s;
    IrBlock *inner[IR_MAX_BLOCKS];
    note_waits(NULL, self, &found);
    int n = ir_blocks(self, inner);
    for (int i = 0; i < n && !found; i++)
        ir_walk_block(inner[i], note_waits, &found);
    return found;
}

/* ---- leaving --------------------------------------------------------------------------------- */

static bool
leaves(const IrBlock *b, bool want_loop, bool inside)
{
    for (IrStmt *s = b->first; s; s = s->next) {
        bool ends = s->kind == IS_RETURN || ir_does(s, ST_FAILS) ||
                    (s->kind == IS_CALL && s->func->may_raise);
        if (ends && !want_loop)
            return true;
        if (want_loop && !inside && ir_does(s, ST_BREAKS))
            return true;
        IrBlock *inner[IR_MAX_BLOCKS];
        int n = ir_blocks(s, inner);
        bool loop = ir_does(s, ST_REPEATS);
        for (int i = 0; i < n; i++)
            if (leaves(inner[i], want_loop, inside || loop))
                return true;
    }
    return false;
}

bool
cl_leaves(const IrBlock *b, const IrStmt *loop)
{
    return leaves(b, loop != NULL, false);
}

/* Only where all threads walk, no mask being on but that of who is left. */
bool
cl_together(const Cl *g, const IrStmt *s)
{
    if (g->masks.n > 1 || g->plain_loops || s->kind == IS_RETURN)
        return g->masks.n <= 1 && !g->plain_loops;
    if (s->kind != IS_IF || cl_varies(g, s->e))
        return false;
    for (const IrStmt *k = s->body.first; k; k = k->next)
        if (cl_together(g, k))
            return true;
    for (const IrStmt *k = s->els.first; k; k = k->next)
        if (cl_together(g, k))
            return true;
    return false;
}

static bool
slips(const Cl *g, const IrBlock *b, bool together)
{
    for (IrStmt *s = b->first; s; s = s->next) {
        if (ir_does(s, ST_FAILS) || (s->kind == IS_CALL && s->func->may_raise) ||
            (s->kind == IS_RETURN && !together))
            return true;
        bool here = together && (cl_waits(g->f, s) || cl_together(g, s));
        IrBlock *inner[IR_MAX_BLOCKS];
        int n = ir_blocks(s, inner);
        for (int i = 0; i < n; i++)
            if (slips(g, inner[i], here && !(s->kind == IS_IF && cl_varies(g, s->e))))
                return true;
    }
    return false;
}

bool
cl_slips(const Cl *g, const IrBlock *b)
{
    return slips(g, b, g->masks.n <= 1);
}

/* ---- what varies ----------------------------------------------------------------------------- */

typedef struct Vary {
    const Cl *g;
    bool yes;
} Vary;

static bool
look(IrExpr **e, void *arg)
{
    Vary *v = arg;
    const IrExpr *x = *e;
    bool place = x->kind == IX_GEO &&
                 ((x->axis >= GEO_THREAD_X && x->axis <= GEO_THREAD_Z) || x->axis == GEO_LANE);
    bool of = (x->kind == IX_VAR || x->kind == IX_DIM || x->kind == IX_STRIDE) &&
              v->g->varies[x->var->id];
    v->yes |= place || of || x->kind == IX_LOAD;
    return !v->yes;
}

bool
cl_varies(const Cl *g, const IrExpr *e)
{
    if (!g->varies)
        return true;
    Vary v = {g, false};
    IrExpr *copy = (IrExpr *)e;
    ir_walk_expr(&copy, look, &v);
    return v.yes;
}

typedef struct Fix {
    Cl *g;
    bool changed, apart;
} Fix;

static void
mark(IrVar *v, void *arg)
{
    Fix *x = arg;
    if (!x->g->varies[v->id]) {
        x->g->varies[v->id] = true;
        x->changed = true;
    }
}

static void
mark_all(IrBlock *blk, IrStmt *s, void *arg)
{
    (void)blk;
    ir_walk_defs(s, mark, arg);
}

static void find(Fix *x, const IrBlock *b, bool apart);

/* A statement that holds barriers: its blocks are walked by all. */
static void
find_waiting(Fix *x, IrStmt *s, bool apart)
{
    IrBlock *inner[IR_MAX_BLOCKS];
    int n = ir_blocks(s, inner);
    bool part = apart;
    if (s->kind == IS_IF || s->kind == IS_WHILE)
        part |= cl_varies(x->g, s->e);
    if (s->kind == IS_LOOP)
        part |= cl_varies(x->g, s->idx[0]) || cl_varies(x->g, s->idx[1]);
    if (ir_does(s, ST_REPEATS))
        part |= cl_leaves(&s->body, s);
    bool vote = s->kind == IS_BARRIER;
    if (part || !(s->kind == IS_LOOP || vote))
        ir_walk_defs(s, mark, x);
    for (int i = 0; i < n; i++)
        find(x, inner[i], part);
}

static void
find(Fix *x, const IrBlock *b, bool apart)
{
    for (IrStmt *s = b->first; s; s = s->next) {
        IrBlock *inner[IR_MAX_BLOCKS];
        if (cl_waits(x->g->f, s)) {
            find_waiting(x, s, apart);
            continue;
        }
        bool arrays = s->kind == IS_ALLOC || s->kind == IS_CONSTARR;
        if (arrays || (s->kind == IS_SET && !apart && !cl_varies(x->g, s->e)))
            continue;
        mark_all(NULL, s, x);
        int n = ir_blocks(s, inner);
        for (int i = 0; i < n; i++)
            ir_walk_block(inner[i], mark_all, x);
    }
}

void
cl_find_varying(Cl *g)
{
    g->varies = NEW_N(&g->cx->arena, bool, g->f->vars.n + 1);
    if (!g->f->kernel) /* what it is given may differ */
        for (int i = 0; i < g->f->n_params; i++)
            g->varies[i] = true;
    Fix x = {.g = g, .changed = true};
    while (x.changed) {
        x.changed = false;
        find(&x, &g->f->body, false);
    }
}
