/* SPDX-License-Identifier: BSD-3-Clause
 * Turns a kernel, which says what ONE thread does, into a function of its arguments and of the
 * launch's geometry, which runs all of them:
 *
 *     grid b in 0 .. blocks [independent threads]     the blocks, numbered along x, y, z
 *       shared arrays
 *       block y in 0 .. threads_y [independent]       for each piece between two barriers
 *         block x in 0 .. threads_x [independent]
 *           the piece
 *
 * The passes behind it see independent loops as any others. Nobody has to show that they are:
 * threads that touch the same element without a barrier or an atomic are the kernel's fault.
 * grid/split.c cuts the body at its barriers; here is what is around. */
#include "pass/grid/grid.h"
#include "pass/simplify/inline.h"

static const char *const names[GRID_PARAMS] = {"grid_x",    "grid_y",    "grid_z",      "threads_x",
                                               "threads_y", "threads_z", "shared_bytes"};

static IrExpr *
i64(const Grid *g, int64_t v)
{
    return ir_int(g->cx, DT_i64, v);
}

/* ---- the function's new parameters -------------------------------------------------------- */

static void
add_params(Grid *g)
{
    IrFunc *f = g->f;
    int at = f->n_params, n = f->vars.n;
    for (int i = 0; i < GRID_PARAMS; i++) {
        g->param[i] = ir_var(f, names[i], DT_i64);
        g->param[i]->is_param = true;
    }
    memmove(f->vars.at + at + GRID_PARAMS, f->vars.at + at, sizeof *f->vars.at * (size_t)(n - at));
    for (int i = 0; i < GRID_PARAMS; i++)
        f->vars.at[at + i] = g->param[i];
    for (int i = at; i < f->vars.n; i++)
        f->vars.at[i]->id = i;
    f->n_params += GRID_PARAMS;
    for (int k = 0; k < 3; k++) {
        int32_t known = g->cx->opt->block[k];
        g->dim[k] = known ? i64(g, known) : ir_use(g->cx, g->param[3 + k]);
        g->block[k] = ir_var(f, arena_printf(&g->cx->arena, "block_%c", "xyz"[k]), DT_i64);
    }
    g->blocks = ir_var(f, "blocks", DT_i64);
}

/* ---- places ---------------------------------------------------------------------------------- */

bool
grid_is_one(const Grid *g, int axis)
{
    int64_t n;
    return ir_is_const(g->dim[axis], &n) && n == 1;
}

static IrExpr *
thread_index(Grid *g, int axis)
{
    return grid_is_one(g, axis) ? i64(g, 0) : ir_geo(g->cx, (IrGeo)(GEO_THREAD_X + axis));
}

IrExpr *
grid_linear(Grid *g)
{
    Cx *cx = g->cx;
    IrExpr *e = thread_index(g, 2);
    for (int k = 1; k >= 0; k--)
        e = ir_op(cx, OP_add, ir_op(cx, OP_mul, e, ir_copy_expr(cx, g->dim[k])),
                  thread_index(g, k));
    return e;
}

IrExpr *
grid_threads(Grid *g)
{
    IrExpr *e = ir_copy_expr(g->cx, g->dim[0]);
    for (int k = 1; k < 3; k++)
        e = ir_op(g->cx, OP_mul, e, ir_copy_expr(g->cx, g->dim[k]));
    return e;
}

typedef struct Places {
    Grid *g;
    IrVar *thread[3]; /* NULL: not inside the loops over threads, or 0 */
    bool later;       /* the loop over blocks comes around it, and puts in which block it is */
} Places;

static IrExpr *
place(Places *p, IrGeo which)
{
    Grid *g = p->g;
    Cx *cx = g->cx;
    int axis = which % 3;
    if (which <= GEO_GRID_Z)
        return ir_use(cx, g->param[which]);
    if (which <= GEO_BLOCK_Z)
        return ir_use(cx, g->block[axis]);
    if (which <= GEO_THREAD_Z)
        return p->thread[axis] ? ir_use(cx, p->thread[axis]) : i64(g, 0);
    if (which <= GEO_BLOCK_DIM_Z)
        return ir_copy_expr(cx, g->dim[axis]);
    return ir_use(cx, g->param[6]);
}

/* x, where the rows are whole warps; else the number of the thread in its block. */
static IrExpr *
lane(Grid *g)
{
    int64_t n;
    bool whole = ir_is_const(g->dim[0], &n) && n % WARP_SIZE == 0;
    return ir_op(g->cx, OP_and, whole ? thread_index(g, 0) : grid_linear(g), i64(g, WARP_SIZE - 1));
}

static bool
put_place(IrExpr **e, void *arg)
{
    Places *p = arg;
    if ((*e)->kind == IX_GEO && (*e)->axis == GEO_LANE) {
        *e = lane(p->g);
        ir_walk_expr(e, put_place, p);
        return false;
    }
    bool later = p->later && (*e)->axis >= GEO_BLOCK_X && (*e)->axis <= GEO_BLOCK_Z;
    if ((*e)->kind == IX_GEO && !later)
        *e = place(p, (IrGeo)(*e)->axis);
    return true;
}

static void
put_places(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, put_place, arg);
}

/* ---- loops over threads ---------------------------------------------------------------------- */

IrStmt *
grid_thread_loops(Grid *g, IrBlock *to, IrBlock *body, const GridRegion *r, Span at)
{
    IrBuilder b = {.cx = g->cx, .mod = g->f->mod, .f = g->f, .at = to, .span = at};
    Places p = {.g = g, .later = g->whole};
    IrStmt *outer = NULL;
    bool any = false;
    for (int k = 2; k >= 0; k--) {
        /* x is there for the vectoriser's sake, but for one thread */
        if (grid_is_one(g, k) && (k || any))
            continue;
        if (grid_is_one(g, k))
            break;
        any = true;
        p.thread[k] = ir_var(g->f, arena_printf(&g->cx->arena, "thread_%c", "xyz"[k]), DT_i64);
        IrExpr *lo = i64(g, 0), *hi = ir_copy_expr(g->cx, g->dim[k]);
        if (r && r->lo[k])
            lo = ir_op(g->cx, OP_max, ir_copy_expr(g->cx, r->lo[k]), lo);
        if (r && r->hi[k])
            hi = ir_op(g->cx, OP_min, ir_copy_expr(g->cx, r->hi[k]), hi);
        IrStmt *s = ir_loop(&b, LOOP_BLOCK, p.thread[k], lo, hi, 1);
        s->independent = s->novec_alias = true;
        outer = outer ? outer : s;
        b.at = &s->body;
    }
    ir_walk_block(body, put_places, &p);
    ir_move_all(b.at, body);
    return outer;
}

/* ---- errors: where in the grid --------------------------------------------------------------- */

/* x and two narrower ones in one int64: rt/format.c takes them apart again. */
static IrExpr *
packed(Grid *g, IrGeo first, int bits)
{
    Cx *cx = g->cx;
    IrExpr *e = ir_geo(cx, first);
    for (int k = 1; k < 3; k++) {
        IrExpr *high =
            ir_op(cx, OP_shl, ir_geo(cx, (IrGeo)(first + k)), i64(g, bits + (k - 1) * 16));
        e = ir_op(cx, OP_or, e, high);
    }
    return e;
}

static int
site_with_place(IrModule *m, int site)
{
    Arena *a = &m->cx->arena;
    IrSite s = m->sites.at[site];
    s.format = arena_printf(a, "%s (in block (%%2B), thread (%%3T))", s.format ? s.format : "");
    for (int i = 0; i < m->sites.n; i++) {
        const IrSite *o = &m->sites.at[i];
        if (o->line == s.line && o->col == s.col && o->end_col == s.end_col &&
            o->within == s.within && o->file == s.file && o->func == s.func && o->exc && s.exc &&
            !strcmp(o->exc, s.exc) && o->format && !strcmp(o->format, s.format))
            return i;
    }
    VEC_PUSH(a, m->sites, s);
    return m->sites.n - 1;
}

/* The message's arguments 2 and 3 say where; an error that needs these for itself does not. */
static void
say_where(IrBlock *b, IrStmt *s, void *arg)
{
    Grid *g = arg;
    (void)b;
    bool index = s->kind == IS_CHECK_INDEX;
    if (s->kind == IS_CALL && s->func->may_raise) {
        s->idx = NEW_N(&g->cx->arena, IrExpr *, 2);
        s->idx[0] = packed(g, GEO_BLOCK_X, 32);
        s->idx[1] = packed(g, GEO_THREAD_X, 32);
        s->n_idx = 2;
    }
    if ((!index && s->kind != IS_CHECK && s->kind != IS_RAISE) || s->site < 0 || s->n_args > 2)
        return;
    s->site = site_with_place(g->f->mod, s->site);
    IrArg *args = NEW_N(&g->cx->arena, IrArg, 4);
    int n = index ? 0 : 2; /* 0 and 1 of an index are its own */
    for (int i = 0; i < n; i++) {
        if (i < s->n_args)
            args[i] = s->args[i];
        else
            args[i].e = i64(g, 0);
    }
    args[n].e = packed(g, GEO_BLOCK_X, 32);
    args[n + 1].e = packed(g, GEO_THREAD_X, 32);
    s->args = args;
    s->n_args = n + 2;
}

/* ---- arrays of the block and of the thread --------------------------------------------------- */

typedef struct Names { /* by variable: definitions, and other arrays that look into it */
    int *defs, *looks;
    IrVar *from, *to;
} Names;

static void
count_def(IrVar *v, void *arg)
{
    ((Names *)arg)->defs[v->id]++;
}

static void
count_names(IrBlock *b, IrStmt *s, void *arg)
{
    Names *n = arg;
    (void)b;
    if (s->kind != IS_DROP) /* it ends one that has a definition */
        ir_walk_defs(s, count_def, n);
    if (s->base && ir_does(s, ST_LOOKS))
        n->looks[s->base->id]++;
    for (int i = 0; i < s->n_args; i++)
        if (s->args[i].arr)
            n->looks[s->args[i].arr->id]++;
}

static bool
rename_expr(IrExpr **e, void *arg)
{
    Names *n = arg;
    if ((*e)->var == n->from)
        (*e)->var = n->to;
    return true;
}

static void
rename_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Names *n = arg;
    if (s->kind == IS_DROP && s->var == n->from) {
        ir_remove(b, s);
        return;
    }
    ir_walk_stmt_exprs(s, rename_expr, n);
    s->var = s->var == n->from ? n->to : s->var;
    s->base = s->base == n->from ? n->to : s->base;
    for (int i = 0; i < s->n_args; i++)
        if (s->args[i].arr == n->from)
            s->args[i].arr = n->to;
}

static void
rename_own(IrBlock *b, IrStmt *s, void *arg)
{
    Names *n = arg;
    for (int i = 0; i < s->n_outs; i++) {
        s->outs[i].out = s->outs[i].out == n->from ? n->to : s->outs[i].out;
        s->outs[i].arr = s->outs[i].arr == n->from ? n->to : s->outs[i].arr;
    }
    if (s->kind == IS_DROP && s->var == n->from)
        s->var = n->to;
    else
        rename_stmt(b, s, n);
}

/* What a thread sets that is an argument of the kernel is the thread's own: the next one begins
 * with the argument. */
static void
own_params(Grid *g, IrBlock *body)
{
    IrFunc *f = g->f;
    Names n = {.defs = NEW_N(&g->cx->arena, int, f->vars.n + 1)};
    n.looks = NEW_N(&g->cx->arena, int, f->vars.n + 1);
    ir_walk_block(body, count_names, &n);
    IrBlock first = {0};
    IrBuilder b = {.cx = g->cx, .mod = f->mod, .f = f, .at = &first, .span = f->at};
    for (int i = 0, params = f->n_params; i < params; i++) {
        IrVar *v = f->vars.at[i];
        if (!n.defs[v->id] || v->obj)
            continue;
        n.from = v;
        n.to = v->is_array ? ir_array_var(f, v->name, (DType)v->dtype, v->ndim, (Layout)v->layout)
                           : ir_var(f, v->name, (DType)v->dtype);
        n.to->readonly = v->readonly;
        ir_walk_block(body, rename_own, &n);
        if (v->is_array)
            ir_alias(&b, n.to, v);
        else
            ir_set(&b, n.to, ir_use(g->cx, v));
    }
    ir_move_all(&first, body);
    ir_move_all(body, &first);
}

typedef struct Direct {
    Names n;
    IrBlock *body;
} Direct;

static void
make_direct(IrBlock *b, IrStmt *s, void *arg)
{
    Direct *d = arg;
    const IrVar *from = s->base;
    if (s->kind != IS_ALIAS || s->var->layout != from->layout || d->n.defs[s->var->id] != 1)
        return;
    if (d->n.defs[from->id] != (from->space ? 1 : 0) || !(from->space || from->is_param))
        return;
    d->n.from = s->var;
    d->n.to = s->base;
    ir_remove(b, s);
    ir_walk_block(d->body, rename_stmt, &d->n);
}

/* Another name of an array of the block or of the thread, or of an argument, is that array itself
 * where it is never another's. */
static void
name_arrays(Grid *g, IrBlock *body)
{
    Arena *a = &g->cx->arena;
    IrFunc *f = g->f;
    Direct d = {.body = body};
    d.n.defs = NEW_N(a, int, f->vars.n + 1);
    d.n.looks = NEW_N(a, int, f->vars.n + 1);
    ir_walk_block(body, count_names, &d.n);
    ir_walk_block(body, make_direct, &d);
    memset(d.n.looks, 0, sizeof(int) * (size_t)f->vars.n);
    ir_walk_block(body, count_names, &d.n);
    for (int i = 0; i < f->vars.n; i++)
        if (f->vars.at[i]->space)
            f->vars.at[i]->noalias = !d.n.looks[i];
}

static void
hoist_shared(IrBlock *b, IrStmt *s, void *arg)
{
    Grid *g = arg;
    if (s->kind == IS_DROP && s->var->space) /* it goes with its block, or thread */
        ir_remove(b, s);
    if (s->kind != IS_ALLOC || s->var->space != SPACE_SHARED)
        return;
    if (g->whole) {
        grid_part_shared(g, s);
        return;
    }
    ir_remove(b, s);
    ir_insert_before(&g->once, NULL, s);
    s->zero = false;
}

static bool
is_fixed(const IrStmt *s)
{
    for (int i = 0; i < s->n_idx; i++)
        if (!ir_is_const(s->idx[i], NULL))
            return false;
    return true;
}

/* Arrays of a size known at the launch all begin where the first does. */
static void
share_dynamic(Grid *g)
{
    IrVar *first = NULL;
    for (IrStmt *s = g->once.first; s; s = s->next) {
        if (is_fixed(s))
            continue;
        s->var->noalias = false;
        if (!first) {
            IrStmt *mem = ir_stmt(g->cx, IS_ALLOC, s->at);
            first = mem->var = ir_array_var(g->f, "dynamic", DT_f64, 1, LAY_C);
            mem->n_idx = 1;
            mem->idx = NEW(&g->cx->arena, IrExpr *);
            mem->idx[0] =
                ir_op(g->cx, OP_tdiv,
                      ir_op(g->cx, OP_add, ir_geo(g->cx, GEO_SHARED_BYTES), i64(g, 7)), i64(g, 8));
            mem->zero = true;
            ir_insert_before(&g->once, s, mem);
        }
        IrExpr *dim = s->idx[0];
        s->kind = IS_VIEW;
        s->base = first;
        s->e = i64(g, 0);
        s->n_idx = 2;
        s->idx = NEW_N(&g->cx->arena, IrExpr *, 2);
        s->idx[0] = dim;
        s->idx[1] = i64(g, dtype_size((DType)s->var->dtype));
    }
}

/* ---- the loop over blocks -------------------------------------------------------------------- */

static void
assume(IrBuilder *b, IrOp op, IrVar *v, IrExpr *than)
{
    ir_append(b, IS_ASSUME)->e = ir_op(b->cx, op, ir_use(b->cx, v), than);
}

/* The block's place along x, y, z from its number. In a grid of one row, no division is needed. */
static void
find_block(Grid *g, IrBuilder *b, IrVar *number)
{
    Cx *cx = g->cx;
    IrBlock *save = b->at;
    ir_set(b, g->block[0], ir_use(cx, number));
    ir_set(b, g->block[1], i64(g, 0));
    ir_set(b, g->block[2], i64(g, 0));
    b->at = &ir_if(b, ir_op(cx, OP_ge, ir_use(cx, number), ir_use(cx, g->param[0])))->body;
    IrVar *row = ir_var(g->f, "row", DT_i64);
    IrVar *left[2] = {number, row};
    ir_set(b, row, ir_op(cx, OP_tdiv, ir_use(cx, number), ir_use(cx, g->param[0])));
    ir_set(b, g->block[2], ir_op(cx, OP_tdiv, ir_use(cx, row), ir_use(cx, g->param[1])));
    for (int k = 0; k < 2; k++) {
        IrVar *whole = k ? g->block[2] : row;
        IrExpr *used = ir_op(cx, OP_mul, ir_use(cx, whole), ir_use(cx, g->param[k]));
        ir_set(b, g->block[k], ir_op(cx, OP_sub, ir_use(cx, left[k]), used));
    }
    b->at = save;
    for (int k = 0; k < 3; k++) {
        assume(b, OP_ge, g->block[k], i64(g, 0));
        /* as a launch has it; what is said last is asked first, and a test before all blocks must
         * hang on their number */
        assume(b, OP_lt, g->block[k], i64(g, INT32_MAX));
        assume(b, OP_lt, g->block[k], ir_use(cx, g->param[k]));
    }
}

IrStmt *
grid_block_loop(Grid *g, IrBlock *to, IrBlock *body, Span at)
{
    Cx *cx = g->cx;
    IrFunc *f = g->f;
    IrBuilder b = {.cx = cx, .mod = f->mod, .f = f, .at = to, .span = at};
    Places none = {.g = g};
    IrVar *number = ir_var(f, "block", DT_i64);
    for (int k = 0; k < 3 && g->whole; k++) /* of this loop alone */
        g->block[k] = ir_var(f, arena_printf(&cx->arena, "block_%c", "xyz"[k]), DT_i64);
    IrStmt *s = ir_loop(&b, LOOP_GRID, number, i64(g, 0), ir_use(cx, g->blocks), 1);
    s->independent = s->threads = true;
    b.at = &s->body;
    find_block(g, &b, number);
    if (!g->whole)
        ir_move_all(b.at, &g->once);
    ir_move_all(b.at, body);
    ir_walk_block(&s->body, put_places, &none);
    if (cx->opt->debug)
        watch_blocks(g, s);
    return s;
}

static void
all_blocks(Grid *g, IrBlock *body)
{
    Cx *cx = g->cx;
    IrFunc *f = g->f;
    IrBuilder b = {.cx = cx, .mod = f->mod, .f = f, .at = &f->body, .span = f->at};
    Places none = {.g = g};
    ir_set(&b, g->blocks, grid_blocks(g));
    if (g->whole) {
        ir_move_all(&f->body, &g->once);
        ir_move_all(&f->body, body);
    } else {
        grid_block_loop(g, &f->body, body, f->at);
    }
    if (cx->opt->debug)
        watch_launch(g, &f->body);
    ir_return(&b, 0, NULL);
    ir_walk_block(&f->body, put_places, &none);
}

static void
tell_barrier(IrBlock *b, IrStmt *s, void *arg)
{
    static const char *const who[BAR_COUNT_] = {"the block", "a warp", "the grid"};
    (void)b;
    if (s->kind == IS_BARRIER)
        pass_remark(arg, REMARK_grid_barrier, s->at,
                    "all threads of %s run what is before it, then what is behind it",
                    who[s->order]);
}

static void
make_loops(PassCx *p, IrFunc *f)
{
    Grid g = {.p = p, .cx = p->cx, .f = f};
    IrBlock body = {0};
    ir_move_all(&body, &f->body);
    ir_walk_block(&body, tell_barrier, p);
    g.whole = grid_waits_whole(&body);
    inline_cut_returns(f, &body, NULL, 0);
    own_params(&g, &body);
    add_params(&g);
    if (g.whole)
        grid_count_votes(&g, &body);
    name_arrays(&g, &body);
    ir_walk_block(&body, say_where, &g);
    ir_walk_block(&body, hoist_shared, &g);
    if (!g.whole)
        share_dynamic(&g);
    grid_unroll(&g, &body);
    if (!g.whole)
        grid_stride(&g, &body);
    grid_split(&g, &body);
    all_blocks(&g, &body);
    f->kernel = false;
}

void
pass_grid(PassCx *p)
{
    if (p->cx->diags.list.n) /* of pass inline */
        return;
    for (int i = 0; i < p->mod->funcs.n; i++)
        if (p->mod->funcs.at[i]->kernel)
            make_loops(p, p->mod->funcs.at[i]);
}
