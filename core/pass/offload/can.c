/* SPDX-License-Identifier: BSD-3-Clause
 * What a device can run: no strings attached to the host (allocation of unknown size, try, print,
 * runtime calls, recursion). And the device's own copies of functions that kernels call. */
#include "pass/offload/offload.h"

enum {
    MOST_LOCAL = 16 << 10 /* bytes of one array of a thread */,
    MOST_SLOTS = 180,
    MOST_PARAMS = 56,
    MAX_DEPTH = 32
};

typedef struct Can {
    Off *w;
    const char *why;
    int depth;
    bool callee;
} Can;

static bool
fits_thread(const IrStmt *s)
{
    int64_t bytes = dtype_size((DType)s->var->dtype), n;
    if (s->var->space == SPACE_SHARED)
        return false;
    for (int i = 0; i < s->n_idx; i++)
        if (!ir_is_const(s->idx[i], &n) || n < 0 || __builtin_mul_overflow(bytes, n, &bytes) ||
            bytes > MOST_LOCAL)
            return false;
    return s->order == LAY_C || s->n_idx < 2;
}

static void look_block(Can *c, IrBlock *b);

static const char *
refused_call(Can *c, const IrFunc *f)
{
    if (f->foreign && !ir_foreign_is_for(f, target_info[c->w->cx->opt->offload].foreign))
        return arena_printf(&c->w->cx->arena, "it calls '%s', which %s",
                            strrchr(f->foreign, ':') + 1,
                            ir_upcall(f) >= 0 ? "is Python's" : "is linked on the CPU only");
    if (f->recursive || c->depth > MAX_DEPTH)
        return arena_printf(&c->w->cx->arena, "it calls '%s', which calls itself", f->name);
    Can in = {c->w, NULL, c->depth + 1, true};
    look_block(&in, (IrBlock *)&f->body);
    return in.why ? arena_printf(&c->w->cx->arena, "in '%s': %s", f->name, in.why) : NULL;
}

static const char *
refused(Can *c, const IrStmt *s)
{
    switch ((int)s->kind) {
    case IS_ALLOC:
        return fits_thread(s)
                   ? NULL
                   : arena_printf(&c->w->cx->arena,
                                  "it makes an array ('%s') whose size isn't a small constant",
                                  s->var->name);
    case IS_TRY:
    case IS_RERAISE:
        return "it holds a try";
    case IS_PRINT:
        return "it prints";
    case IS_RT:
        if (s->rt == RT_sw_overlap)
            return "it has to ask whether parts of one array overlap, and may need a copy";
        return s->rt == RT_sw_retain || s->rt == RT_sw_release
                   ? NULL
                   : "it needs a function that only the host has";
    case IS_CALL:
        return refused_call(c, s->func);
    case IS_RETURN:
        return c->callee ? NULL : "it leaves the function";
    case IS_SHADOW:
        return "debug=True watches its iterations";
    case IS_PAR:
    case IS_LAUNCH:
        return "a parallel loop inside of it runs on its own";
    default:
        return NULL;
    }
}

static void
look_block(Can *c, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s && !c->why; s = s->next) {
        c->why = refused(c, s);
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n && !c->why; i++)
            look_block(c, sub[i]);
    }
}

static bool
too_many(const Outline *o)
{
    int params = 8 + o->loop->n_reds * 2 + o->loop->n_lasts, slots = params;
    for (int i = 0; i < o->n_seen; i++)
        if (o->seen[i] == USED) {
            const IrVar *v = o->f->vars.at[i];
            params++;
            slots += v->is_array ? 1 + 2 * v->ndim : 2;
        }
    return params > MOST_PARAMS || slots > MOST_SLOTS;
}

static const char *
refused_arrays(const Outline *o)
{
    for (int i = 0; i < o->loop->n_reds; i++) {
        const IrVar *v = o->loop->reds[i].var;
        if (v->is_array && dtype_kind((DType)v->dtype) >= DK_FLOAT)
            return "it combines floats into elements of an array in no known order";
    }
    return "it combines into elements of an array as no one atomic operation does";
}

const char *
offload_refuses(Off *w, Outline *o)
{
    if (!outline_can(o))
        return "it leaves the function or an outer loop";
    IrStmt *loop[OFFLOAD_NEST];
    if (reds_arrays(o) && !offload_atomic(o) &&
        !offload_swaps(o, loop + 1, offload_nest(o, loop) - 1))
        return refused_arrays(o);
    Can c = {w, NULL, 0, false};
    look_block(&c, &o->loop->body);
    if (!c.why && too_many(o))
        return "it uses too many variables from outside";
    return c.why;
}

/* ---- copies of functions --------------------------------------------------------------------- */

static void
adopt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    if (s->kind == IS_CALL && s->func->mod != ((Off *)arg)->dev)
        s->func = offload_function(arg, s->func);
    if (s->kind == IS_ALLOC)
        s->var->space = SPACE_LOCAL;
    if (s->kind == IS_LOOP)
        s->threads = false;
}

void
offload_adopt(Off *w, IrBlock *b)
{
    ir_walk_block(b, adopt, w);
}

IrFunc *
offload_function(Off *w, IrFunc *f)
{
    IrFunc *g = map_get(&w->clones, f);
    if (g)
        return g;
    g = ir_func(w->dev, f->name);
    map_put(&w->cx->arena, &w->clones, f, g);
    IrModule *mod = g->mod;
    Map to = {0};
    *g = *f;
    memset(&g->vars, 0, sizeof g->vars);
    g->mod = mod;
    g->entry = false;
    for (int i = 0; i < f->vars.n; i++) {
        IrVar *v = ir_var(g, f->vars.at[i]->name, (DType)f->vars.at[i]->dtype);
        int id = v->id;
        *v = *f->vars.at[i];
        v->id = id;
        map_put(&w->cx->arena, &to, f->vars.at[i], v);
    }
    g->body = ir_clone_block(g, &f->body, &to);
    offload_adopt(w, &g->body);
    return g;
}
