/* SPDX-License-Identifier: BSD-3-Clause
 * Which loops step across rows: takes a loop, yields whether the address of some element in it
 * moves along an axis whose elements do not follow each other in memory. There strength reduction
 * puts one addition in the place of a multiplication; along a row the processor's addressing does
 * as much, and the pass, the dearest of all, gains nothing. (LLVM looks at innermost loops alone,
 * after short loops in them have been unrolled: hence what is nested counts.) Of these, which do
 * nothing but store constants that many elements apart, which do little with such elements, and
 * which store every second element, or fewer. */
#include "emit.h"
#include "ir/search.h"

/* ---- loops that only scatter ----------------------------------------------------------------- */

/* A loop, and what its body sets first to what. */
typedef struct Body {
    Arena *arena;
    const IrStmt *loop;
    Map sets;
    bool known;
} Body;

typedef struct Scatter {
    Body body;
    bool ok, any;
} Scatter;

/* The counter, or a number more. */
static bool
counts(const IrStmt *loop, const IrExpr *e)
{
    bool sum = e->kind == IX_OP && (e->op == OP_add || e->op == OP_sub);
    return ir_is_var(e, loop->var) ||
           (sum && ir_is_var(e->arg[0], loop->var) && e->arg[1]->kind == IX_CONST);
}

static const IrStmt *
first_set(Body *b, const IrVar *v)
{
    for (IrStmt *s = b->known ? NULL : b->loop->body.first; s; s = s->next)
        if (s->kind == IS_SET && !map_get(&b->sets, s->var))
            map_put(b->arena, &b->sets, s->var, s);
    b->known = true;
    return map_get(&b->sets, v);
}

/* A multiple of the counter, by a number that is known at run time only? A variable stands for what
 * the body sets it to. */
static bool
steps_by_variable(Body *b, const IrExpr *e, int depth)
{
    const IrVar *loop = b->loop->var;
    const IrStmt *set = e->kind == IX_VAR && depth > 0 ? first_set(b, e->var) : NULL;
    if (set)
        return steps_by_variable(b, set->e, depth - 1);
    if (e->kind != IX_OP)
        return false;
    for (int i = 0; e->op == OP_mul && i < 2; i++)
        if (counts(b->loop, e->arg[i]) && e->arg[1 - i]->kind != IX_CONST &&
            !ir_mentions(e->arg[1 - i], loop))
            return true;
    if (e->op != OP_add && e->op != OP_sub)
        return false;
    return steps_by_variable(b, e->arg[0], depth) || steps_by_variable(b, e->arg[1], depth);
}

static void
look_at_scatter(IrBlock *b, IrStmt *s, void *arg)
{
    Scatter *r = arg;
    (void)b;
    if (!r->ok)
        return;
    if (s->kind == IS_STORE) {
        r->any = true;
        r->ok &= s->var->ndim == 1 && s->e->kind == IX_CONST &&
                 steps_by_variable(&r->body, s->idx[0], 2);
        return;
    }
    r->ok &= s->kind == IS_GET || s->kind == IS_VIEW || s->kind == IS_ALIAS ||
             (s->kind == IS_SET && (!ir_loads(s->e) || s->e->kind == IX_LOAD));
}

/* Vectors would take the addresses apart again, one store for each. */
bool
only_scatters(const Gen *g, IrStmt *loop)
{
    Scatter r = {.body = {.arena = &g->cx->arena, .loop = loop}, .ok = loop->kind == IS_LOOP};
    ir_walk_block(&loop->body, look_at_scatter, &r);
    return r.ok && r.any;
}

/* ---- loops across rows ----------------------------------------------------------------------- */

typedef struct Rows {
    Body body;
    const IrEffects *fx; /* of the loop */
    bool found;
} Rows;

static bool
changes(IrExpr **e, void *arg)
{
    Rows *r = arg;
    const IrVar *v = (*e)->kind == IX_VAR ? (*e)->var : NULL;
    r->found |= v && r->fx->sets[v->id / 64] >> (v->id % 64) & 1;
    r->found |= (*e)->kind == IX_LOAD;
    return !r->found;
}

static void
look_at_access(Rows *r, const IrVar *v, IrExpr **idx)
{
    int row = v->layout == LAY_C ? v->ndim - 1 : v->layout == LAY_F ? 0 : -1;
    for (int k = 0; k < v->ndim; k++)
        if (k != row)
            ir_walk_expr(&idx[k], changes, r);
        else if (steps_by_variable(&r->body, idx[k], 2)) /* a flat array of rows */
            r->found = true;
}

static bool
look_at_load(IrExpr **e, void *arg)
{
    Rows *r = arg;
    if ((*e)->kind == IX_LOAD)
        look_at_access(r, (*e)->var, (*e)->arg);
    return !r->found;
}

static void
look_at_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Rows *r = arg;
    (void)b;
    if (r->found)
        return;
    if (s->kind == IS_STORE)
        look_at_access(r, s->var, s->idx);
    ir_walk_stmt_exprs(s, look_at_load, r);
}

bool
steps_across_rows(const Gen *g, IrStmt *loop)
{
    IrEffects fx = ir_effects_stmt(g->f, loop);
    Rows r = {.body = {.arena = &g->cx->arena, .loop = loop}, .fx = &fx};
    ir_walk_block(&loop->body, look_at_stmt, &r);
    if (loop->kind == IS_WHILE)
        ir_walk_block(&loop->pre, look_at_stmt, &r);
    return r.found;
}

/* ---- loops that do little with elements across rows ------------------------------------------ */

enum { POINTS = 4 };

typedef struct Point { /* x[i, 0], x[i, 1], ..: of a row of as many places as are known */
    const IrVar *arr;
    IrExpr **idx; /* of the first of them */
    unsigned places;
    int n, loads;
} Point;

typedef struct Light {
    const Gen *g;
    const IrStmt *loop;
    const IrEffects *fx; /* of the loop */
    Point point[POINTS];
    int strided, sums, stores, points;
    bool ok;
} Light;

static bool
is_light(DType d)
{
    return dtype_is_int(d) || d == DT_f32 || d == DT_f64;
}

/* How long its last axis is, where a test has found that out; else 0. */
static int64_t
known_row(const Gen *g, const IrVar *v)
{
    LV n = v->layout == LAY_C && v->ndim > 1 ? map_get(&g->values, g->slots[v->id].dim[v->ndim - 1])
                                             : NULL;
    return n && LLVMIsAConstantInt(n) ? LLVMConstIntGetSExtValue(n) : 0;
}

static void
note_point(Light *l, const IrVar *v, IrExpr **idx)
{
    enum { LONGEST = 4 };
    int64_t place, n = known_row(l->g, v);
    int k = 0, last = v->ndim - 1;
    if (n < 2 || n > LONGEST || !ir_is_const(idx[last], &place) || place < 0 || place >= n)
        return;
    for (; k < l->points; k++) {
        const Point *p = &l->point[k];
        bool same = p->arr == v;
        for (int i = 0; same && i < last; i++)
            same = ir_expr_equal(p->idx[i], idx[i]);
        if (same)
            break;
    }
    if (k == POINTS)
        return;
    if (k == l->points)
        l->point[l->points++] = (Point){.arr = v, .idx = idx, .n = (int)n};
    l->point[k].places |= 1u << place;
    l->point[k].loads++;
}

/* Of points all whose places are read the elements do follow each other: vectors of a few points
 * are loaded in one go, and sorted. */
static int
strided_loads(const Light *l)
{
    int n = l->strided;
    for (int k = 0; k < l->points; k++)
        if (l->point[k].places == (1u << l->point[k].n) - 1)
            n -= l->point[k].loads;
    return n;
}

static bool
look_at_light(IrExpr **e, void *arg)
{
    Light *l = arg;
    const IrExpr *x = *e;
    l->ok &= x->kind == IX_CONST || is_light((DType)x->dtype);
    if (x->kind == IX_OP)
        l->ok &= x->op == OP_add || x->op == OP_sub || x->op == OP_mul;
    if (x->kind != IX_LOAD)
        return l->ok;
    Rows r = {.body = {.arena = &l->g->cx->arena, .loop = l->loop}, .fx = l->fx};
    look_at_access(&r, x->var, (*e)->arg);
    l->strided += r.found;
    if (r.found)
        note_point(l, x->var, (*e)->arg);
    return false; /* its indices are addresses */
}

static void
look_at_work(IrBlock *b, IrStmt *s, void *arg)
{
    Light *l = arg;
    (void)b;
    l->ok &= s->kind == IS_STORE || s->kind == IS_SET;
    if (!l->ok)
        return;
    ir_walk_expr(&s->e, look_at_light, l);
    l->stores += s->kind == IS_STORE;
    if (s->kind == IS_STORE || !ir_mentions(s->e, s->var))
        return;
    l->ok &= s->e->kind == IX_OP && s->e->op == OP_add && ir_is_var(s->e->arg[0], s->var) &&
             (!dtype_is_float(s->e->dtype) || s->e->flags & IXF_REASSOC);
    l->sums++;
}

/* Does the loop add and multiply elements that don't follow each other, and no more? To put them
 * into vectors costs more than that. Yields how many iterations are to run side by side, or 0. */
int
light_across_rows(const Gen *g, IrStmt *loop)
{
    IrEffects fx = ir_effects_stmt(g->f, loop);
    Light l = {.g = g, .loop = loop, .fx = &fx, .ok = loop->kind == IS_LOOP && loop->body.first};
    ir_walk_block(&loop->body, look_at_work, &l);
    int strided = strided_loads(&l);
    if (!l.ok || l.sums > 1 || strided < 1 || (l.sums > 0) == (l.stores > 0))
        return 0;
    return l.sums ? 8 : strided > 1 && l.stores == 1 ? 4 : 0;
}

/* ---- loops that leave out elements ----------------------------------------------------------- */

typedef struct Gaps {
    const IrStmt *loop;
    int64_t step;
    bool ok, any, far; /* far: it steps over more than one */
    int work;          /* operations on floats */
} Gaps;

static int64_t
multiple_of(const Gaps *q, const IrExpr *e, int depth)
{
    IrAffine a;
    int64_t sum = 0;
    for (int i = 0, n = ir_affine(e, &a) ? a.n : 0; i < n; i++) {
        const IrExpr *t = a.t[i].term;
        int64_t by = ir_is_var(t, q->loop->var) ? q->step : 0;
        for (const IrStmt *s = q->loop->body.first; s && depth > 0 && t->kind == IX_VAR;
             s = s->next)
            if (s->kind == IS_SET && s->var == t->var)
                by = multiple_of(q, s->e, depth - 1);
        sum += a.t[i].coef * by;
    }
    return sum;
}

static bool
look_at_cost(IrExpr **e, void *arg)
{
    const IrExpr *x = *e;
    Gaps *q = arg;
    q->ok &= x->kind != IX_OP || !(op_info[x->op].flags & (OPF_COSTLY | OPF_LIBM));
    q->work += x->kind == IX_OP && dtype_is_float((DType)x->dtype);
    return true;
}

static void
look_at_gaps(IrBlock *b, IrStmt *s, void *arg)
{
    Gaps *q = arg;
    const IrVar *v = s->var;
    ir_walk_stmt_exprs(s, look_at_cost, q);
    q->ok &= s->kind == IS_STORE || s->kind == IS_SET;
    if (s->kind != IS_STORE || !q->ok)
        return;
    int64_t step = v->layout == LAY_C && v->ndim ? multiple_of(q, s->idx[v->ndim - 1], 2) : 0;
    int64_t stores = 0;
    for (const IrStmt *t = b->first; t; t = t->next)
        stores += t->kind == IS_STORE && t->var == v;
    q->ok &= dtype_size((DType)v->dtype) >= 4;
    q->any |= step < -stores || step > stores;
    q->far |= step < -2 || step > 2;
}

/* Does a plain loop store some elements of a row and step over others between them? Vectors of such
 * are stored one by one. That pays where they are every second one and much is done before, as in
 * sweeps over a chessboard's fields. */
bool
leaves_gaps(const IrStmt *loop)
{
    enum { MUCH = 6 };
    Gaps q = {.loop = loop, .step = 1, .ok = loop->kind == IS_LOOP};
    if (q.ok && loop->n_idx > 2)
        ir_is_const(loop->idx[2], &q.step);
    ir_walk_block((IrBlock *)&loop->body, look_at_gaps, &q);
    return q.ok && q.any && (q.far || q.work < MUCH);
}
