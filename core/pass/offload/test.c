/* SPDX-License-Identifier: BSD-3-Clause
 * Tests inside of a loop that say the same in each iteration: whether arrays from outside share
 * memory, whether sizes agree, and the ifs that choose the usual of two versions by that. They move
 * to the host: if all tests hold, the loop without them, which may become a kernel; else the loop
 * as it was, which stays on the CPU. A test may go through names and views that the loop makes: it
 * is written out in terms of what lies outside. Rows of two arrays share no memory where the arrays
 * share none, so that is asked instead. */
#include "pass/offload/offload.h"

enum { MOST_PAIRS = 32, MOST_STEPS = 24 };

typedef struct Pair { /* arrays from outside whose parts are compared, and the answer */
    IrVar *a, *b, *shared;
} Pair;

typedef struct Tests {
    Outline *o;
    IrBlock *b;  /* the loop's */
    IrExpr *all; /* of the tests found; NULL: none */
    bool take;   /* put the usual version in the place of each */
    Pair pair[MOST_PAIRS];
    int n_pairs;
    Vec(IrStmt *) apart; /* each asks about parts of a pair: 0, if the pair shares nothing */
    bool *is_apart;      /* by variable: the answers */
    Map names;           /* the second name of an array, to the first */
} Tests;

static bool
from_outside(const Outline *o, const IrVar *v)
{
    return v && v != o->loop->var && v->id < o->n_seen && o->seen[v->id] == USED;
}

/* The one definition of a variable of the loop. */
static IrStmt *
def_of(const Outline *o, const IrVar *v)
{
    return v->id < o->n_seen && (o->seen[v->id] & (DEFINED | TWICE | LOOP_VAR)) == DEFINED
               ? o->def[v->id]
               : NULL;
}

static void
require(Tests *t, IrExpr *e)
{
    int64_t c;
    if (!ir_is_const(e, &c) || !c)
        t->all = t->all ? ir_op(t->o->cx, OP_and, t->all, e) : e;
}

/* ---- in terms of what is outside ------------------------------------------------------------- */

static IrExpr *outer(const Tests *t, const IrExpr *e, int steps);

static IrExpr *
outer_size(const Tests *t, IrVar *v, int axis, bool stride, int steps)
{
    Cx *cx = t->o->cx;
    if (from_outside(t->o, v))
        return stride ? ir_stride(cx, v, axis) : ir_dim(cx, v, axis);
    const IrStmt *d = def_of(t->o, v);
    if (!d || steps <= 0)
        return NULL;
    if (d->kind == IS_ALIAS)
        return outer_size(t, d->base, axis, stride, steps - 1);
    if (d->kind == IS_VIEW)
        return outer(t, d->idx[axis + (stride ? v->ndim : 0)], steps - 1);
    return d->kind == IS_ALLOC && !stride ? outer(t, d->idx[axis], steps - 1) : NULL;
}

static IrExpr *
outer_var(const Tests *t, IrVar *v, int steps)
{
    if (from_outside(t->o, v))
        return ir_use(t->o->cx, v);
    if (v->id < t->o->n_seen && t->is_apart[v->id])
        return ir_int(t->o->cx, (DType)v->dtype, 0);
    const IrStmt *d = def_of(t->o, v);
    return d && d->kind == IS_SET && steps > 0 ? outer(t, d->e, steps - 1) : NULL;
}

/* NULL: it can't be, or takes too many steps. */
static IrExpr *
outer(const Tests *t, const IrExpr *e, int steps)
{
    IrExpr *arg[4];
    Cx *cx = t->o->cx;
    switch (e->kind) {
    case IX_CONST:
        return ir_copy_expr(cx, e);
    case IX_VAR:
        return outer_var(t, e->var, steps);
    case IX_DIM:
        return outer_size(t, e->var, e->axis, false, steps);
    case IX_STRIDE:
        return outer_size(t, e->var, e->axis, true, steps);
    case IX_LOAD:
    case IX_GEO:
        return NULL;
    default:
        break;
    }
    for (int i = 0; i < e->n; i++)
        if (i >= 4 || !(arg[i] = outer(t, e->arg[i], steps)))
            return NULL;
    return e->kind == IX_CAST ? ir_cast(cx, (DType)e->dtype, arg[0]) : ir_opv(cx, (IrOp)e->op, arg);
}

/* ---- do arrays share memory? ----------------------------------------------------------------- */

static bool
asks_overlap(const Outline *o, const IrStmt *s)
{
    return ir_is_overlap(s) && o->seen[s->outs[0].out->id] == (USED | DEFINED);
}

static void
move_overlap(IrBlock *b, IrStmt *s, void *arg)
{
    Tests *t = arg;
    Outline *o = t->o;
    if (!asks_overlap(o, s) || !from_outside(o, s->args[0].arr) || !from_outside(o, s->args[1].arr))
        return;
    ir_remove(b, s);
    s->prev = s->next = NULL;
    ir_insert_before(t->b, o->loop, s);
    o->seen[s->outs[0].out->id] = USED;
}

/* The array from outside in which it lies. */
static IrVar *
whole_of(const Outline *o, IrVar *v)
{
    for (int steps = 0; v && steps < MOST_STEPS; steps++) {
        if (from_outside(o, v))
            return v;
        const IrStmt *d = def_of(o, v);
        v = d && ir_does(d, ST_LOOKS) ? d->base : NULL;
    }
    return NULL;
}

static IrVar *
ask_once(Tests *t, IrVar *a, IrVar *b)
{
    Outline *o = t->o;
    for (int i = 0; i < t->n_pairs; i++)
        if (t->pair[i].a == a && t->pair[i].b == b)
            return t->pair[i].shared;
    if (t->n_pairs == MOST_PAIRS)
        return NULL;
    IrVar *shared = ir_var(o->f, "overlap", DT_i32);
    IrStmt *s = ir_stmt(o->cx, IS_RT, o->loop->at);
    s->rt = RT_sw_overlap;
    s->n_args = 2;
    s->args = NEW_N(&o->cx->arena, IrArg, 2);
    s->args[0].arr = a;
    s->args[1].arr = b;
    s->n_outs = 1;
    s->outs = NEW_N(&o->cx->arena, IrArg, 1);
    s->outs[0].out = shared;
    ir_insert_before(t->b, o->loop, s);
    t->pair[t->n_pairs++] = (Pair){a, b, shared};
    require(t, ir_op(o->cx, OP_eq, ir_use(o->cx, shared), ir_int(o->cx, DT_i32, 0)));
    return shared;
}

static void
find_apart(IrBlock *b, IrStmt *s, void *arg)
{
    Tests *t = arg;
    (void)b;
    if (!asks_overlap(t->o, s) || !def_of(t->o, s->outs[0].out))
        return;
    IrVar *x = whole_of(t->o, s->args[0].arr), *y = whole_of(t->o, s->args[1].arr);
    if (!x || !y || x == y || !ask_once(t, x, y))
        return;
    t->is_apart[s->outs[0].out->id] = true;
    VEC_PUSH(&t->o->cx->arena, t->apart, s);
}

static void
settle_apart(Tests *t)
{
    for (int i = 0; i < t->apart.n; i++) {
        IrStmt *s = t->apart.at[i];
        s->kind = IS_SET;
        s->var = s->outs[0].out;
        s->e = ir_int(t->o->cx, (DType)s->var->dtype, 0);
        s->n_args = s->n_outs = 0;
    }
}

/* ---- ifs of two versions --------------------------------------------------------------------- */

/* What stays of an if whose other side is cold; NULL: it is none, or depends on the iteration. */
static IrBlock *
usual_side(Tests *t, IrStmt *s, IrExpr **test)
{
    if (s->kind != IS_IF || !(s->cold_else ? s->body.first != NULL : s->cold))
        return NULL;
    IrExpr *e = outer(t, s->e, MOST_STEPS);
    if (!e)
        return NULL;
    *test = s->cold_else ? e : ir_op(t->o->cx, OP_inv, e);
    return s->cold_else ? &s->body : &s->els;
}

static void
splice(IrBlock *b, IrStmt *s, IrBlock *side)
{
    for (IrStmt *x = side->first, *next; x; x = next) {
        next = x->next;
        x->prev = x->next = NULL;
        ir_insert_before(b, s, x);
    }
    ir_remove(b, s);
}

static void
visit(Tests *t, IrBlock *b)
{
    for (IrStmt *s = b->first, *next; s; s = next) {
        IrExpr *test;
        IrBlock *side = usual_side(t, s, &test);
        next = s->next;
        if (side) {
            if (!t->take)
                require(t, test);
            visit(t, side);
            if (t->take)
                splice(b, s, side);
            continue;
        }
        if (s->kind == IS_LOOP && !s->cold)
            visit(t, &s->body);
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

typedef struct Names {
    Tests *t;
    int *defs; /* by variable */
    Vec(IrStmt *) alias;
} Names;

static void
count_def(IrVar *v, void *arg)
{
    ((Names *)arg)->defs[v->id]++;
}

static void
note_names(IrBlock *b, IrStmt *s, void *arg)
{
    Names *n = arg;
    (void)b;
    if (s->kind == IS_DROP)
        return;
    ir_walk_defs(s, count_def, n);
    if (s->kind == IS_ALIAS)
        VEC_PUSH(&n->t->o->cx->arena, n->alias, s);
}

static void
drop_names(IrBlock *b, IrStmt *s, void *arg)
{
    Names *n = arg;
    bool second = (s->kind == IS_ALIAS || s->kind == IS_DROP) && map_get(&n->t->names, s->var);
    if (second || (s->kind == IS_DROP && !n->defs[s->var->id]))
        ir_remove(b, s);
}

/* An array goes by one name: what was one of two is no choice any more. */
static void
use_first_names(Tests *t)
{
    Outline *o = t->o;
    IrBlock *body = &o->loop->body;
    bool found = false;
    Names n = {.t = t, .defs = NEW_N(&o->cx->arena, int, o->f->vars.n + 1)};
    ir_walk_block(body, note_names, &n);
    for (int i = 0; i < n.alias.n; i++) {
        IrVar *v = n.alias.at[i]->var, *first = n.alias.at[i]->base, *f = map_get(&t->names, first);
        first = f ? f : first;
        if (v->id < o->n_seen && (o->seen[v->id] & DEFINED) && n.defs[v->id] == 1 &&
            v->layout == first->layout && v->readonly == first->readonly &&
            n.defs[first->id] + from_outside(o, first) == 1) {
            map_put(&o->cx->arena, &t->names, v, first);
            found = true;
        }
    }
    ir_walk_block(body, drop_names, &n);
    if (found)
        *body = ir_clone_block(o->f, body, &t->names);
}

/* ---- loops inside ---------------------------------------------------------------------------- */

static void
outer_bounds(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    for (int k = 0; k < 2 && s->kind == IS_LOOP; k++) {
        IrExpr *e = outer(arg, s->idx[k], MOST_STEPS);
        if (e)
            s->idx[k] = e;
    }
}

/* So that the host can count their iterations. */
static void
settle_loops(Tests *t)
{
    Outline *o = t->o;
    IrBlock none = {0};
    bool threads = o->loop->threads;
    outline_begin(o, o->p, o->f, o->loop, &none); /* it has changed */
    o->loop->threads = threads;
    t->is_apart = NEW_N(&o->cx->arena, bool, o->n_seen + 1);
    ir_walk_block(&o->loop->body, outer_bounds, t);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static IrStmt *
put_test(Tests *t, IrBlock *b)
{
    Outline *o = t->o;
    Map to = {0};
    IrStmt *s = o->loop, only = *s;
    only.prev = only.next = NULL;
    IrBlock one = {&only, &only}, copy = ir_clone_block(o->f, &one, &to);
    copy.first->cold = true;
    IrStmt *test = ir_stmt(o->cx, IS_IF, s->at);
    test->e = t->all;
    test->cold_else = true;
    test->els = copy;
    ir_insert_before(b, s, test);
    ir_remove(b, s);
    s->prev = s->next = NULL;
    ir_insert_before(&test->body, NULL, s);
    return test;
}

IrStmt *
offload_tests(Outline *o, IrBlock *b)
{
    Tests t = {.o = o, .b = b, .is_apart = NEW_N(&o->cx->arena, bool, o->n_seen + 1)};
    IrStmt *s = o->loop;
    ir_walk_block(&s->body, move_overlap, &t);
    ir_walk_block(&s->body, find_apart, &t);
    visit(&t, &s->body);
    IrStmt *test = t.all ? put_test(&t, b) : NULL;
    t.take = true;
    visit(&t, &s->body);
    settle_apart(&t);
    use_first_names(&t);
    settle_loops(&t);
    return test;
}
