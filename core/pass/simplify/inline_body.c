/* SPDX-License-Identifier: BSD-3-Clause
 * The body of a function as statements of its caller. Takes a call; yields a copy in which the
 * function's variables are the caller's own, its returns set the call's results, and what it holds
 * is released at the end, as the function would have done. An error says what it said before: its
 * site and the places of the statements name the function and its line, and remember the call. The
 * function itself stays as it is. */
#include "pass/simplify/inline.h"

typedef struct Body {
    Cx *cx;
    IrFunc *f;
    const IrFunc *g;
    const IrStmt *call;
    Map var;             /* of g -> of f */
    Map defined;         /* parameters that g assigns */
    Map loop;            /* variables of g's loops: their copies come with these */
    Map site;            /* number + 1 -> the same, in place of this call */
    Map source;          /* const Source* -> the same, in place of this call */
    Vec(IrVar *) arrays; /* copies that g assigns, and may hold at its end */
    Map dropped;
} Body;

/* ---- variables ------------------------------------------------------------------------------- */

static IrVar *
copy_var(Body *y, IrVar *v)
{
    IrVar *n = map_get(&y->var, v);
    if (n)
        return n;
    n = ir_var(y->f, v->name, (DType)v->dtype);
    int id = n->id;
    *n = *v;
    n->id = id;
    n->is_param = false;
    n->once = v->once && !v->is_param;
    map_put(&y->cx->arena, &y->var, v, n);
    return n;
}

static void
note_def(IrVar *v, void *arg)
{
    Body *y = arg;
    if (v->is_param) {
        map_put(&y->cx->arena, &y->defined, v, v);
        return;
    }
    if (v->is_array && !map_get(&y->var, v))
        VEC_PUSH(&y->cx->arena, y->arrays, v);
    copy_var(y, v);
}

static void
note_array(IrVar *v, unsigned how, void *arg)
{
    (void)how;
    copy_var(arg, v);
}

static bool
note_expr(IrExpr **e, void *arg)
{
    Body *y = arg;
    if ((*e)->var && !map_get(&y->loop, (*e)->var))
        copy_var(y, (*e)->var);
    return true;
}

static void
note_vars(IrBlock *b, IrStmt *s, void *arg)
{
    Body *y = arg;
    (void)b;
    if (s->kind == IS_DROP)
        map_put(&y->cx->arena, &y->dropped, s->var, s);
    if (s->kind == IS_LOOP)
        map_put(&y->cx->arena, &y->loop, s->var, s);
    else
        ir_walk_defs(s, note_def, y);
}

/* The text of an index check that has none of its own names the variable: as g does. */
static void
name_index(Body *y, IrStmt *s)
{
    if (s->kind != IS_CHECK_INDEX || s->site >= 0)
        return;
    IrBuilder b = {.cx = y->cx, .mod = y->f->mod, .f = y->f, .at = &(IrBlock){0}, .span = s->at};
    s->site = ir_check_index(&b, s->var, s->axis, s->e)->site;
}

static void
note_uses(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    name_index(arg, s);
    ir_walk_stmt_exprs(s, note_expr, arg);
    ir_walk_arrays(s, note_array, arg);
}

static bool
takes_result(const IrStmt *call, const IrVar *v)
{
    for (int i = 0; i < call->n_outs; i++)
        if (call->outs[i].arr == v)
            return true;
    return false;
}

/* A parameter that is never assigned is the argument, under its own name. */
static void
bind_array(Body *y, IrBuilder *b, IrVar *p, IrVar *arg)
{
    bool same = p->layout == arg->layout || p->layout == LAY_A;
    if (same && !map_get(&y->defined, p) && !takes_result(y->call, arg)) {
        map_put(&y->cx->arena, &y->var, p, arg);
        return;
    }
    IrVar *v = copy_var(y, p);
    ir_alias(b, v, arg);
    VEC_PUSH(&y->cx->arena, y->arrays, p);
}

static void
bind_params(Body *y, IrBuilder *b)
{
    for (int i = 0; i < y->g->n_params; i++) {
        IrVar *p = y->g->vars.at[i];
        if (p->is_array)
            bind_array(y, b, p, y->call->args[i].arr);
        else
            ir_set(b, copy_var(y, p), ir_copy_expr(y->cx, y->call->args[i].e));
    }
}

/* ---- places ---------------------------------------------------------------------------------- */

static const Source *source_here(Body *y, const Source *src);

static Span *
span_here(Body *y, const Span *at)
{
    Span *n = arena_dup(&y->cx->arena, at, sizeof *at);
    n->src = source_here(y, at->src);
    return n;
}

static const Source *
source_here(Body *y, const Source *src)
{
    Source *n = src ? map_get(&y->source, src) : NULL;
    if (n || !src)
        return n;
    n = arena_dup(&y->cx->arena, src, sizeof *src);
    map_put(&y->cx->arena, &y->source, src, n);
    n->call = src->call ? span_here(y, src->call) : &y->call->at;
    return n;
}

static int
site_here(Body *y, int site)
{
    IrModule *m = y->f->mod;
    const void *key = (const void *)(intptr_t)(site + 1);
    intptr_t known = (intptr_t)map_get(&y->site, key);
    if (known)
        return (int)known - 1;
    IrSite s = m->sites.at[site];
    s.within = 1 + (s.within ? site_here(y, s.within - 1) : ir_site(m, NULL, NULL, y->call->at));
    VEC_PUSH(&y->cx->arena, m->sites, s);
    map_put(&y->cx->arena, &y->site, key, (void *)(intptr_t)m->sites.n);
    return m->sites.n - 1;
}

static void
place_here(IrBlock *b, IrStmt *s, void *arg)
{
    Body *y = arg;
    (void)b;
    s->at.src = source_here(y, s->at.src);
    if (s->site >= 0)
        s->site = site_here(y, s->site);
}

/* ---- the body -------------------------------------------------------------------------------- */

/* Arrays of a kernel go with their block or thread. */
static void
release(Body *y, IrBuilder *b)
{
    for (int i = 0; i < y->arrays.n && !y->f->kernel; i++)
        if (!map_get(&y->dropped, y->arrays.at[i]))
            ir_drop(b, map_get(&y->var, y->arrays.at[i]));
}

/* An array of the caller's that the body looks into has another name there now. */
static void
note_look(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    (void)arg;
    if (s->base && ir_does(s, ST_LOOKS))
        s->base->noalias = false;
    for (int i = 0; i < s->n_args; i++)
        if (s->args[i].arr)
            s->args[i].arr->noalias = false;
}

IrBlock
inline_body(IrFunc *f, const IrStmt *call)
{
    Body y = {.cx = f->mod->cx, .f = f, .g = call->func, .call = call};
    IrBlock out = {0}, *from = &call->func->body;
    IrBuilder b = {.cx = y.cx, .mod = f->mod, .f = f, .at = &out, .span = call->at};
    int first = f->vars.n;
    ir_walk_block(from, note_vars, &y);
    bind_params(&y, &b);
    ir_walk_block(from, note_uses, &y);
    IrBlock body = ir_clone_block(f, from, &y.var);
    if (call->at.src)
        ir_walk_block(&body, place_here, &y);
    inline_cut_returns(f, &body, call->outs, call->n_outs);
    IrStmt *start = body.first;
    ir_move_all(&out, &body);
    release(&y, &b);
    ir_walk_block(&out, note_look, NULL);
    inline_set_unset(f, &out, start, first, call->outs, call->n_outs);
    f->may_raise |= call->func->may_raise;
    return out;
}
