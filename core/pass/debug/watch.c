/* SPDX-License-Identifier: BSD-3-Clause
 * Under debug: has each thread of a kernel tell what it does to memory that others see,
 * and when it waits for them. Takes a kernel as lower has made it, yields it with a
 * `touch` beside each access of an element, and calls to rt/watch.c around barriers,
 * operations of warps and fences, and before it returns. Functions that take arrays
 * become part of the kernel first, so that each access is one of an array of the kernel;
 * those that call themselves can't: they tell of their accesses without knowing by whom,
 * or of which memory. A read is told before it runs, a write behind it, when its value
 * can be seen. */
#include "pass/debug/watch.h"

/* ---- calls of the run-time support ----------------------------------------------------------- */

static IrStmt *
call(Watch *w, IrRt rt, int n, IrExpr **args)
{
    IrStmt *s = ir_stmt(w->cx, IS_RT, (Span){0});
    s->rt = (uint8_t)rt;
    s->n_args = n;
    s->args = NEW_N(&w->cx->arena, IrArg, n + 1);
    for (int i = 0; i < n; i++)
        s->args[i].e = args[i];
    w->f->may_raise = true;
    return s;
}

static IrExpr *
i32(Watch *w, int v)
{
    return ir_int(w->cx, DT_i32, v);
}

static IrExpr *
me(Watch *w)
{
    return w->me ? ir_use(w->cx, w->me) : ir_int(w->cx, DT_i64, -1);
}

static int
place_site(Watch *w, const char *exc, Span at)
{
    return ir_site(w->p->mod, exc, "", at);
}

/* ---- one access ------------------------------------------------------------------------------ */

/* The index as it is shown, in one int64: rt/watch_text.c takes it apart again. */
static IrExpr *
shown(Watch *w, int n, IrExpr **idx)
{
    static const int bits[] = {0, 64, 32, 21};
    Cx *cx = w->cx;
    if (n < 1 || n > 3)
        return NULL;
    IrExpr *all = ir_copy_expr(cx, idx[0]);
    for (int i = 1; i < n; i++)
        all = ir_op(cx, OP_or, all,
                    ir_op(cx, OP_shl, ir_copy_expr(cx, idx[i]), ir_int(cx, DT_i64, i * bits[n])));
    return all;
}

static int
element_site(Watch *w, const Root *r, const IrVar *v, Span at)
{
    Arena *a = &w->cx->arena;
    const char *n = r->name;
    int ndim = r->view ? -1 : v->ndim;
    const char *form = ndim == 0   ? arena_printf(a, "'%s'", n)
                       : ndim == 1 ? arena_printf(a, "'%s[%%0]'", n)
                       : ndim == 2 ? arena_printf(a, "'%s[%%0, %%1]'", n)
                       : ndim == 3 ? arena_printf(a, "'%s[%%0, %%1, %%2]'", n)
                                   : arena_printf(a, "an element of '%s'", n);
    return ir_site(w->p->mod, "swathe.errors.RaceError", form, at);
}

static const Root *
root_of(const Watch *w, const IrVar *v)
{
    return v->id < w->n_roots && w->root[v->id].kind == ROOT_KNOWN ? &w->root[v->id] : NULL;
}

static IrStmt *
touch(Watch *w, IrTouch how, IrVar *v, IrExpr **idx, Span at)
{
    const Root *r = root_of(w, v);
    IrStmt *s = ir_stmt(w->cx, IS_TOUCH, at);
    s->base = v;
    s->order = (uint8_t)how;
    s->n = r->space;
    s->e = me(w);
    s->n_idx = v->ndim;
    s->idx = NEW_N(&w->cx->arena, IrExpr *, v->ndim + 1);
    for (int i = 0; i < v->ndim; i++)
        s->idx[i] = ir_copy_expr(w->cx, idx[i]);
    s->args = NEW(&w->cx->arena, IrArg);
    s->args[0].e = r->view ? NULL : shown(w, v->ndim, idx);
    s->n_args = s->args[0].e != NULL;
    s->site = element_site(w, r, v, at);
    w->f->may_raise = true;
    return s;
}

/* ---- the places of accesses: those of the checks just before --------------------------------- */

enum { RECENT = 16 };

typedef struct Seen {
    const IrVar *var;
    const IrExpr *e;
    Span at;
} Seen;

typedef struct Scene { /* one statement, as its accesses are told */
    Watch *w;
    IrBlock *b;
    IrStmt *s, *where; /* what is told goes before `where` in b */
    Seen recent[RECENT];
    int n_recent;
} Scene;

static Span
place_of(const Scene *c, const IrVar *v, IrExpr *const *idx)
{
    for (int i = c->n_recent; i > 0 && i > c->n_recent - RECENT; i--) {
        const Seen *s = &c->recent[(i - 1) % RECENT];
        for (int k = 0; s->var == v && k < v->ndim; k++) {
            const IrExpr *e =
                idx[k]->kind == IX_OP && idx[k]->op == OP_wrap ? idx[k]->arg[0] : idx[k];
            if (ir_expr_equal(s->e, e))
                return s->at;
        }
    }
    return c->s->at;
}

/* ---- statements ------------------------------------------------------------------------------ */

static void
tell_loads(Scene *c, const IrExpr *e)
{
    for (int i = 0; i < e->n; i++)
        tell_loads(c, e->arg[i]);
    if (e->kind == IX_LOAD && root_of(c->w, e->var))
        ir_insert_before(c->b, c->where,
                         touch(c->w, TOUCH_READ, e->var, e->arg, place_of(c, e->var, e->arg)));
}

static bool
tell_each(IrExpr **e, void *arg)
{
    tell_loads(arg, *e);
    return false;
}

/* So that the index means the same before and after the access. */
static void
settle_index(Scene *c)
{
    Watch *w = c->w;
    IrBlock made = {0};
    IrBuilder b = {.cx = w->cx, .mod = w->p->mod, .f = w->f, .at = &made, .span = c->s->at};
    for (int i = 0; i < c->s->n_idx; i++)
        if (ir_loads(c->s->idx[i]))
            c->s->idx[i] = ir_use(w->cx, ir_temp(&b, c->s->idx[i]));
    for (IrStmt *t = made.first, *next; t; t = next) {
        next = t->next;
        ir_remove(&made, t);
        ir_insert_before(c->b, c->s, t);
    }
}

static void
tell_store(Scene *c)
{
    IrStmt *s = c->s;
    if (!root_of(c->w, s->var))
        return;
    Span at = place_of(c, s->var, s->idx);
    settle_index(c);
    ir_insert_before(c->b, s->next, touch(c->w, TOUCH_WRITE, s->var, s->idx, at));
}

static void
tell_atomic(Scene *c)
{
    IrStmt *s = c->s;
    if (!root_of(c->w, s->base))
        return;
    settle_index(c);
    ir_insert_before(
        c->b, s,
        touch(c->w, s->order == ATOM_XCHG ? TOUCH_EXCHANGE : TOUCH_ATOMIC, s->base, s->idx, s->at));
}

/* All elements of v, one by one, before `where`. */
static void
tell_all(Scene *c, IrVar *v, IrTouch how, IrStmt *where)
{
    Watch *w = c->w;
    IrBlock made = {0};
    IrBuilder k = {.cx = w->cx, .mod = w->p->mod, .f = w->f, .at = &made, .span = c->s->at};
    IrExpr **idx = NEW_N(&w->cx->arena, IrExpr *, v->ndim + 1);
    if (!root_of(w, v))
        return;
    for (int i = 0; i < v->ndim; i++) {
        IrVar *at = ir_var(w->f, "k", DT_i64);
        IrStmt *s = ir_loop(&k, LOOP_SEQ, at, ir_int(w->cx, DT_i64, 0), ir_dim(w->cx, v, i), 1);
        idx[i] = ir_use(w->cx, at);
        k.at = &s->body;
    }
    ir_insert_before(k.at, NULL, touch(w, how, v, idx, c->s->at));
    while (made.first) {
        IrStmt *s = made.first;
        ir_remove(&made, s);
        ir_insert_before(c->b, where, s);
    }
}

static void
tell_barrier(Scene *c)
{
    Watch *w = c->w;
    IrStmt *s = c->s;
    int site = place_site(w, "swathe.errors.BarrierError", s->at);
    bool warp = s->order == BAR_WARP;
    IrExpr *here[] = {me(w), warp ? ir_int(w->cx, DT_i64, 0) : i32(w, site),
                      i32(w, warp ? site : s->order == BAR_GRID)};
    IrExpr *gone[] = {me(w), i32(w, site), i32(w, -1), ir_int(w->cx, DT_i64, 0)};
    ir_insert_before(c->b, s, call(w, warp ? RT_sw_watch_warp : RT_sw_watch_arrive, 3, here));
    ir_insert_before(
        c->b, s->next,
        call(w, warp ? RT_sw_watch_warp_leave : RT_sw_watch_leave, warp ? 4 : 1, gone));
}

/* Which threads take part, and of which one the value is taken. */
static void
tell_warp(Scene *c)
{
    Watch *w = c->w;
    IrStmt *s = c->s;
    if (s->order == WARP_ACTIVE)
        return;
    int site = place_site(w, "swathe.errors.BarrierError", s->at);
    bool shuffle = s->order <= WARP_SHFL_XOR;
    IrExpr *lane = ir_int(w->cx, DT_i64, 0);
    if (shuffle) {
        IrStmt *set = ir_stmt(w->cx, IS_SET, s->at);
        set->var = ir_var(w->f, "lane", DT_i64);
        set->e = s->args[1].e;
        ir_insert_before(c->b, s, set);
        s->args[1].e = ir_use(w->cx, set->var);
        lane = ir_use(w->cx, set->var);
    }
    IrExpr *here[] = {me(w), ir_copy_expr(w->cx, s->args[0].e), i32(w, site)};
    IrExpr *gone[] = {me(w), i32(w, site), i32(w, shuffle ? s->order : -1), lane};
    ir_insert_before(c->b, s, call(w, RT_sw_watch_warp, 3, here));
    ir_insert_before(c->b, s->next, call(w, RT_sw_watch_warp_leave, 4, gone));
}

static void
tell_return(Scene *c, bool end)
{
    Watch *w = c->w;
    IrExpr *args[] = {me(w),
                      i32(w, end ? -1 : place_site(w, "swathe.errors.BarrierError", c->s->at))};
    ir_insert_before(c->b, c->s, call(w, RT_sw_watch_return, 2, args));
}

static void
tell_fence(Scene *c)
{
    IrExpr *args[] = {me(c->w), i32(c->w, c->s->order)};
    ir_insert_before(c->b, c->s, call(c->w, RT_sw_watch_fence, 2, args));
}

/* ---- arrays that are made, or filled by others ----------------------------------------------- */

static void
tell_array(Scene *c, IrVar *v, int made, IrStmt *where)
{
    Watch *w = c->w;
    const Root *r = root_of(w, v);
    if (!r)
        return;
    IrExpr *args[] = {me(w), i32(w, r->space | made << 4), NULL};
    IrStmt *s = call(w, RT_sw_watch_array, 3, args);
    s->args[2].arr = v;
    ir_insert_before(c->b, where, s);
}

static void
tell_alloc(Scene *c)
{
    IrStmt *s = c->s;
    int own = s->var->space ? MADE_HERE : MADE_ANEW | (s->zero ? MADE_WRITTEN : 0);
    tell_array(c, s->var, own, s->next);
}

/* Functions of C are not looked into. */
static void
tell_call(Scene *c)
{
    Watch *w = c->w;
    IrStmt *s = c->s;
    IrExpr *args[] = {me(w)};
    if (s->kind == IS_CALL && w->me)
        ir_insert_before(c->b, s, call(w, RT_sw_watch_thread, 1, args));
    bool fills = s->kind == IS_RT ? s->rt != RT_sw_overlap : !s->func->body.first;
    for (int i = 0; i < s->n_args && fills; i++)
        if (s->args[i].arr)
            tell_array(c, s->args[i].arr, MADE_WRITTEN, s->next);
}

static void
tell(Scene *c, bool outermost)
{
    IrStmt *s = c->s;
    if (s->kind == IS_CHECK_INDEX)
        c->recent[c->n_recent++ % RECENT] = (Seen){s->var, s->e, s->at};
    ir_walk_stmt_exprs(s, tell_each, c);
    switch (s->kind) {
    case IS_STORE:
        tell_store(c);
        break;
    case IS_ATOMIC:
        tell_atomic(c);
        break;
    case IS_COPY:
        tell_all(c, s->base, TOUCH_READ, s);
        tell_all(c, s->var, TOUCH_WRITE, s->next);
        break;
    case IS_BARRIER:
        tell_barrier(c);
        break;
    case IS_WARP:
        tell_warp(c);
        break;
    case IS_FENCE:
        tell_fence(c);
        break;
    case IS_RETURN:
        if (c->w->me)
            tell_return(c, outermost && !s->next);
        break;
    case IS_ALLOC:
        tell_alloc(c);
        break;
    case IS_CALL:
    case IS_RT:
        tell_call(c);
        break;
    default:
        break;
    }
}

static void
watch_block(Scene *c, IrBlock *b, bool outermost)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        int n = ir_blocks(s, sub);
        bool loop = s->kind == IS_WHILE;
        if (loop)
            watch_block(c, &s->pre, false);
        c->s = s;
        c->b = loop ? &s->pre : b;
        c->where = loop ? NULL : s;
        tell(c, outermost);
        for (int i = 0; i < n; i++)
            if (sub[i] != &s->pre)
                watch_block(c, sub[i], false);
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

static IrExpr *
number(Watch *w)
{
    Cx *cx = w->cx;
    IrExpr *e = NULL;
    for (int k = 2; k >= 0; k--) {
        if (cx->opt->block[k] == 1 && (k || e))
            continue;
        IrExpr *t = ir_geo(cx, (IrGeo)(GEO_THREAD_X + k));
        IrExpr *dim = cx->opt->block[k] ? ir_int(cx, DT_i64, cx->opt->block[k])
                                        : ir_geo(cx, (IrGeo)(GEO_BLOCK_DIM_X + k));
        e = e ? ir_op(cx, OP_add, ir_op(cx, OP_mul, e, dim), t) : t;
    }
    return e;
}

static void
watch_kernel(PassCx *p, IrFunc *f)
{
    Watch w = {.p = p, .cx = p->cx, .f = f};
    IrBlock first = {0};
    IrBuilder b = {.cx = p->cx, .mod = p->mod, .f = f, .at = &first, .span = f->at};
    if (!f->body.last || f->body.last->kind != IS_RETURN) {
        IrBuilder end = b;
        end.at = &f->body;
        ir_return(&end, 0, NULL);
    }
    w.root = watch_roots(p->cx, f, &f->body);
    w.n_roots = f->vars.n;
    w.me = ir_var(f, "me", DT_i64);
    ir_set(&b, w.me, number(&w));
    watch_sizes(&w, &f->body, &first);
    Scene c = {.w = &w};
    watch_block(&c, &f->body, true);
    ir_move_all(&first, &f->body);
    f->body = first;
}

/* What a kernel still calls: it calls itself, or has a try. */
static void
watch_function(PassCx *p, IrFunc *f)
{
    Watch w = {.p = p, .cx = p->cx, .f = f};
    Scene c = {.w = &w};
    w.root = watch_roots(p->cx, f, &f->body);
    w.n_roots = f->vars.n;
    watch_block(&c, &f->body, false);
}

void
pass_watch(PassCx *p)
{
    bool kernels = false;
    if (!p->cx->opt->debug)
        return;
    for (int i = 0; i < p->mod->funcs.n; i++)
        if (p->mod->funcs.at[i]->kernel) {
            watch_kernel(p, p->mod->funcs.at[i]);
            kernels = true;
        }
    for (int i = 0; i < p->mod->funcs.n && kernels; i++)
        if (!p->mod->funcs.at[i]->kernel && p->mod->funcs.at[i]->body.first)
            watch_function(p, p->mod->funcs.at[i]);
}
