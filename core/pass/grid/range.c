/* SPDX-License-Identifier: BSD-3-Clause
 * `if i < n { body }` for the threads of a block runs those for which it holds, not all: takes an
 * if in a kernel, yields the first and the last thread along each axis for which its condition can
 * hold, where that compares the thread's place with what is the same for the whole block. A loop
 * over these alone has no branch, and one over a single thread is none. What such an if holds
 * inside is taken apart when there are more of them:
 *   if c { A; if d { B }; C }      if c { A }; if c and d { B }; if c { C }
 * Threads do not see each other between barriers, so each part may run for all of them in turn. */
#include "pass/grid/grid.h"

enum { SMALL = 40 }; /* statements that may be there twice */

typedef struct Range {
    GridSplit *s;
    Cx *cx;
    GridRegion *r;
    bool single;
    bool rows; /* a bound along x */
    bool asks; /* what may wrap is asked when it runs: fits, or NULL */
    IrExpr *fits;
} Range;

/* e with its variables by what they are made from. */
static IrExpr *
expand(Range *g, const IrExpr *e, int depth)
{
    const IrStmt *d =
        e->kind == IX_VAR && e->var->id < g->s->keep->n ? g->s->keep->def[e->var->id] : NULL;
    if (d && d->kind == IS_SET && depth < 16)
        return expand(g, d->e, depth + 1);
    IrExpr *c = ir_copy_expr(g->cx, e);
    for (int i = 0; i < e->n; i++)
        c->arg[i] = expand(g, e->arg[i], depth);
    return c->kind == IX_OP ? ir_opv(g->cx, (IrOp)c->op, c->arg) : c;
}

/* min or max of both, or the one that is it anyway. */
static IrExpr *
closer(Cx *cx, IrOp op, IrExpr *old, IrExpr *e)
{
    IrAffine a, b;
    if (old && ir_affine(old, &a) && ir_affine(e, &b) && ir_affine_add(&a, &b, -1) && !a.n)
        return (a.c0 < 0) == (op == OP_min) ? old : e;
    return old ? ir_op(cx, op, old, e) : e;
}

/* Beside a thread's place stands what is so far from wrapping: the sum of a few of them and 2**62
 * does not. */
enum { MOST_BITS = 58 };

/* The place of a thread with what is the same for the block: c * thread_x + rest, c = 1 or -1, or
 * thread_y, thread_z. */
typedef struct Place {
    int axis;
    int64_t c;
    IrAffine rest;
} Place;

static bool
is_thread(const IrExpr *t)
{
    return t->kind == IX_GEO && t->axis >= GEO_THREAD_X && t->axis <= GEO_THREAD_Z;
}

static bool
is_block(const IrExpr *t)
{
    return t->kind == IX_GEO && t->axis >= GEO_BLOCK_X && t->axis <= GEO_BLOCK_Z;
}

/* The same in a block, if not for the whole grid? */
static bool
is_same(Range *g, const IrExpr *t)
{
    return is_block(t) || (!is_thread(t) && grid_expr_is_wide(g->s, t) && !ir_loads(t));
}

static int
const_bits(int64_t k)
{
    int n = 1;
    for (uint64_t x = k < 0 ? 0 - (uint64_t)k : (uint64_t)k; x; x >>= 1)
        n++;
    return n;
}

/* Within -2**n .. 2**n; 64: it may be anything. A block has at most 1024 threads, a grid less than
 * 2**31 blocks along an axis. */
static int
bits(const Range *g, const IrExpr *e)
{
    const Grid *grid = g->s->g;
    if (e->kind == IX_CONST)
        return const_bits(e->i);
    if (e->kind == IX_DIM)
        return 60; /* MAX_DIM */
    if (e->kind == IX_GEO)
        return is_thread(e) || (e->axis >= GEO_BLOCK_DIM_X && e->axis <= GEO_BLOCK_DIM_Z) ? 11 : 31;
    for (int i = 0; e->kind == IX_VAR && i < 7; i++)
        if (e->var == grid->param[i] || (i < 3 && e->var == grid->block[i]))
            return i >= 3 && i < 6 ? 11 : 31;
    int n = e->kind == IX_OP && e->op == OP_mul ? bits(g, e->arg[0]) + bits(g, e->arg[1]) : 64;
    return n < 64 ? n : 64;
}

/* How far a loop is whose threads take their steps together: not beyond what its range ends at. */
static bool
is_step(const Range *g, const IrExpr *e)
{
    const Grid *grid = g->s->g;
    for (int i = 0; e->kind == IX_VAR && i < grid->steps.n; i++)
        if (e->var == grid->steps.at[i])
            return true;
    return e->kind == IX_OP && e->op == OP_mul && (is_step(g, e->arg[0]) || is_step(g, e->arg[1]));
}

static bool
is_far_from_wrapping(Range *g, const IrExpr *e, int64_t c)
{
    Cx *cx = g->cx;
    int64_t most = (int64_t)1 << 40;
    if (is_step(g, e) || bits(g, e) + const_bits(c) <= MOST_BITS)
        return true;
    if (!g->asks || const_bits(c) > MOST_BITS - 40)
        return false;
    IrExpr *low = ir_op(cx, OP_ge, ir_copy_expr(cx, e), ir_int(cx, DT_i64, -most));
    IrExpr *high = ir_op(cx, OP_le, ir_copy_expr(cx, e), ir_int(cx, DT_i64, most));
    IrExpr *fits = ir_op(cx, OP_and, low, high);
    g->fits = g->fits ? ir_op(cx, OP_and, g->fits, fits) : fits;
    return true;
}

static bool
place(Range *g, const IrExpr *e, Place *p)
{
    IrAffine a;
    int at = -1;
    *p = (Place){0};
    if (!ir_affine(e, &a) || const_bits(a.c0) > MOST_BITS)
        return false;
    for (int i = 0; i < a.n; i++) {
        const IrExpr *t = a.t[i].term;
        int64_t c = a.t[i].coef;
        if (at < 0 && is_thread(t) && !grid_is_one(g->s->g, t->axis - GEO_THREAD_X) &&
            (c == 1 || c == -1))
            at = i;
        else if (!is_same(g, t) || !is_far_from_wrapping(g, t, c))
            return false;
    }
    if (at < 0)
        return false;
    p->axis = a.t[at].term->axis - GEO_THREAD_X;
    p->c = a.t[at].coef;
    a.t[at] = a.t[--a.n];
    p->rest = a;
    return true;
}

/* A sum of three such numbers is within -2**62 .. 2**62. */
static bool
is_small(const Range *g, const IrExpr *e)
{
    IrAffine a;
    bool small = ir_affine(e, &a) && a.n <= 2 && const_bits(a.c0) <= 60;
    for (int i = 0; small && i < a.n; i++) {
        int64_t c = a.t[i].coef;
        small = bits(g, a.t[i].term) + (c == 1 || c == -1 ? 0 : const_bits(c)) <= 60;
    }
    return small;
}

/* e where that is within what a thread's place can be, or the end of that: one more does not
 * wrap. */
static IrExpr *
clamped(const Range *g, IrExpr *e)
{
    int64_t most = (int64_t)1 << 62;
    if (is_small(g, e))
        return e;
    return ir_op(g->cx, OP_min, ir_op(g->cx, OP_max, e, ir_int(g->cx, DT_i64, -most)),
                 ir_int(g->cx, DT_i64, most));
}

/* p against y, which is the same for the block. */
static bool
bound(Range *g, IrOp op, const Place *p, IrExpr *y)
{
    Cx *cx = g->cx;
    IrExpr **lo = &g->r->lo[p->axis], **hi = &g->r->hi[p->axis];
    IrExpr *rest = ir_affine_expr(cx, &p->rest), *one = ir_int(cx, DT_i64, 1);
    IrAffine sum, less_rest = {0};
    y = clamped(g, y);
    IrExpr *e = p->c == 1 ? ir_op(cx, OP_sub, y, rest) : ir_op(cx, OP_sub, rest, y);
    if (ir_affine(y, &sum) && ir_affine_add(&less_rest, &p->rest, -p->c) &&
        ir_affine_add(&less_rest, &sum, p->c))
        e = ir_affine_expr(cx, &less_rest); /* the same, with what they share left out */
    IrExpr *next = ir_op(cx, OP_add, ir_copy_expr(cx, e), one);
    bool less = op == OP_lt || op == OP_le, strict = op == OP_lt || op == OP_gt;
    if (op == OP_eq) {
        *lo = closer(cx, OP_max, *lo, e);
        *hi = closer(cx, OP_min, *hi, next);
        g->single |= p->axis == 0;
    } else if (less == (p->c == 1)) {
        *hi = closer(cx, OP_min, *hi, strict ? e : next);
    } else {
        *lo = closer(cx, OP_max, *lo, strict ? next : e);
    }
    g->rows |= p->axis == 0;
    return true;
}

/* A comparison of a thread's place with what is the same for the block, where no sum wraps. */
static bool
compare(Range *g, const IrExpr *e)
{
    Place p;
    if (e->kind != IX_OP ||
        (e->op != OP_eq && e->op != OP_lt && e->op != OP_le && e->op != OP_gt && e->op != OP_ge) ||
        e->arg[0]->dtype != DT_i64)
        return false;
    for (int side = 0; side < 2; side++) {
        IrExpr *x = expand(g, e->arg[side], 0), *y = expand(g, e->arg[1 - side], 0);
        IrAffine other;
        bool same = ir_affine(y, &other);
        for (int i = 0; same && i < other.n; i++)
            same = is_same(g, other.t[i].term);
        if (!same || !place(g, x, &p))
            continue;
        return bound(g, side ? op_mirrored((IrOp)e->op) : (IrOp)e->op, &p, y);
    }
    return false;
}

static IrExpr *
also(Cx *cx, IrExpr *all, const IrExpr *e)
{
    IrExpr *c = ir_copy_expr(cx, e);
    return all ? ir_op(cx, OP_and, all, c) : c;
}

/* What of e becomes a range, and what remains. */
static void
find(Range *g, const IrExpr *e)
{
    if (e->kind == IX_OP && e->op == OP_and && e->dtype == DT_bool) {
        find(g, e->arg[0]);
        find(g, e->arg[1]);
    } else if (compare(g, e)) {
        g->r->used = also(g->cx, g->r->used, e);
    } else {
        g->r->rest = also(g->cx, g->r->rest, e);
    }
}

static void
count(IrBlock *b, IrStmt *t, void *arg)
{
    (void)b;
    (void)t;
    ++*(int *)arg;
}

bool
grid_range(GridSplit *s, IrStmt *t, GridRegion *r)
{
    int64_t n;
    int size = 0;
    if (t->kind != IS_IF)
        return false;
    if (!t->body.first && t->els.first) {
        t->body = t->els;
        t->els = (IrBlock){0};
        t->e = ir_op(s->g->cx, OP_inv, t->e);
    }
    Range g = {.s = s, .cx = s->g->cx, .r = r};
    if (t->els.first)
        return false;
    find(&g, t->e);
    bool few = ir_is_const(s->g->dim[0], &n) && n < tune(s->g->cx, grid_short);
    if (g.rows && few && !g.single) {
        ir_walk_block(&t->body, count, &size);
        r->twice = true;
        return size <= SMALL;
    }
    return r->used != NULL;
}

/* ---- tests that whole blocks pass ------------------------------------------------------------ */

IrExpr *
grid_is_full(Grid *g, const GridRegion *r)
{
    Cx *cx = g->cx;
    IrExpr *all = ir_int(cx, DT_bool, 1);
    for (int k = 0; k < 3; k++) {
        if (r->lo[k])
            all = ir_op(cx, OP_and, all,
                        ir_op(cx, OP_le, ir_copy_expr(cx, r->lo[k]), ir_int(cx, DT_i64, 0)));
        if (r->hi[k])
            all = ir_op(cx, OP_and, all,
                        ir_op(cx, OP_ge, ir_copy_expr(cx, r->hi[k]), ir_copy_expr(cx, g->dim[k])));
    }
    return all;
}

void
grid_note_full(GridSplit *s, IrStmt *t, GridRegion *r)
{
    Cx *cx = s->g->cx;
    GridRegion one = {0};
    Range g = {.s = s, .cx = cx, .r = &one, .asks = true};
    int size = 0;
    int64_t known;
    if (t->kind != IS_IF || !ir_is_flat(&t->body) || !ir_is_flat(&t->els))
        return; /* a branch around more costs nothing to speak of */
    find(&g, t->e);
    ir_walk_block(&t->body, count, &size);
    ir_walk_block(&t->els, count, &size);
    if (!one.used || one.rest || g.single || size > SMALL)
        return;
    IrExpr *full = grid_is_full(s->g, &one);
    full = g.fits ? ir_op(cx, OP_and, g.fits, full) : full;
    if (ir_is_const(full, &known))
        return;
    r->full = r->full ? ir_op(cx, OP_and, r->full, full) : full;
    VEC_PUSH(&cx->arena, r->ifs, t);
}

/* ---- ifs inside ifs -------------------------------------------------------------------------- */

typedef struct Part {
    GridSplit *s;
    uint64_t *sets; /* by parts before */
    int words;
    bool ok;
} Part;

static bool
part_expr(IrExpr **e, void *arg)
{
    Part *p = arg;
    const IrVar *v = (*e)->var;
    bool kept = v && v->id < p->s->keep->n && p->s->keep->def[v->id];
    p->ok &= !v || kept || v->id / 64 >= p->words || !ir_in(p->sets, v);
    return true;
}

static void
part_stmt(IrBlock *b, IrStmt *t, void *arg)
{
    IrExpr use = {.kind = IX_VAR, .var = t->base}, *e = &use;
    (void)b;
    ir_walk_stmt_exprs(t, part_expr, arg);
    part_expr(&e, arg);
    for (int i = 0; i < t->n_args; i++) {
        use.var = t->args[i].arr;
        part_expr(&e, arg);
    }
}

/* May it be evaluated again, for each part? */
static bool
is_lasting(const GridSplit *s, const IrExpr *e)
{
    if (e->kind == IX_LOAD || (e->var && !s->block_wide[e->var->id] &&
                               !(e->var->id < s->keep->n && s->keep->def[e->var->id])))
        return false;
    for (int i = 0; i < e->n; i++)
        if (!is_lasting(s, e->arg[i]))
            return false;
    return true;
}

/* Do the parts hand nothing on but what is computed again? */
static bool
is_loose(GridSplit *s, IrStmt *t)
{
    IrFunc *f = s->g->f;
    int words = f->vars.n / 64 + 1;
    Part p = {s, NEW_N(&s->g->cx->arena, uint64_t, words), words, true};
    for (IrStmt *u = t->body.first; u; u = u->next) {
        IrStmt copy = *u;
        copy.prev = copy.next = NULL;
        IrBlock one = {&copy, &copy};
        if (u->kind == IS_IF) /* what runs with it, not before it, may be in one part with it */
            ir_walk_block(&one, part_stmt, &p);
        IrEffects fx = ir_effects_stmt(f, u);
        for (int i = 0; i < fx.words && i < words; i++)
            p.sets[i] |= fx.sets[i];
    }
    return p.ok && is_lasting(s, t->e);
}

static bool
has_range(GridSplit *s, IrStmt *t)
{
    GridRegion r = {0};
    return t->kind == IS_IF && !t->els.first && is_lasting(s, t->e) && grid_range(s, t, &r);
}

bool
grid_take_apart(GridSplit *s, IrBlock *in, IrStmt *before, IrStmt *t)
{
    Cx *cx = s->g->cx;
    bool any = false;
    if (t->kind != IS_IF || t->els.first)
        return false;
    for (IrStmt *u = t->body.first; u; u = u->next)
        any |= has_range(s, u);
    if (!any || !is_loose(s, t))
        return false;
    IrStmt *part = NULL;
    for (IrStmt *u = t->body.first, *next; u; u = next) {
        next = u->next;
        bool apart = has_range(s, u);
        ir_remove(&t->body, u);
        if (apart) {
            u->e = ir_op(cx, OP_and, ir_copy_expr(cx, t->e), u->e);
            ir_insert_before(in, before, u);
            part = NULL;
            continue;
        }
        if (!part) {
            part = ir_stmt(cx, IS_IF, t->at);
            part->e = ir_copy_expr(cx, t->e);
            ir_insert_before(in, before, part);
        }
        ir_insert_before(&part->body, NULL, u);
    }
    return true;
}

/* ---- conditions by name ---------------------------------------------------------------------- */

static bool
name_expr(IrExpr **e, void *arg)
{
    GridSplit *s = arg;
    const IrVar *v = (*e)->kind == IX_VAR && (*e)->dtype == DT_bool ? (*e)->var : NULL;
    const IrStmt *d = v && v->id < s->keep->n ? s->keep->def[v->id] : NULL;
    if (d && d->kind == IS_SET) {
        *e = ir_copy_expr(s->g->cx, d->e);
        ir_walk_expr(e, name_expr, s);
        return false;
    }
    return (*e)->kind == IX_OP && (*e)->dtype == DT_bool;
}

static void
name_stmt(IrBlock *b, IrStmt *t, void *arg)
{
    (void)b;
    if (t->kind == IS_IF)
        ir_walk_expr(&t->e, name_expr, arg);
}

void
grid_name_conditions(GridSplit *s, IrBlock *body)
{
    ir_walk_block(body, name_stmt, s);
}
