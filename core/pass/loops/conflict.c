/* SPDX-License-Identifier: BSD-3-Clause
 * d[i, j] = f(d[i, k], d[k, j]) over j, as in Floyd and Warshall's shortest paths or an
 * elimination: what iteration j == k stores is what the others read, so that the loop is no
 * loop over independent elements, and no test of addresses before it can make it one. Here
 * an innermost loop whose loads of the array that it stores to are at a place that the loop
 * does not move is split there: the iterations before k, the one at k, those behind it. In
 * the first and last part the load is a scalar, and iterations are independent. Where k is
 * known to lie outside, all of the loop is one such part. */
#include "pass/pass.h"
#include "pass/analysis/walk.h"

enum { MAX_STMTS = 40, MAX_FIXED = 4 };

typedef struct Fixed { /* a load that stays where it is while the store moves */
    IrExpr *load;
    IrVar *value;
} Fixed;

typedef struct Split {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    IrStmt *loop;
    IrEffects fx;
    IrStmt *store; /* the first */
    int axis;      /* of the store that moves with the loop variable */
    IrAffine rest; /* its index there, less the loop variable */
    int stmts;
    bool plain, other_rows, has_at;
    IrAffine at; /* the iteration that stores to what others read */
    bool top;    /* looking at what every iteration runs */
    Vec(Fixed) fixed;
} Split;

/* ---- what the body is ------------------------------------------------------------------------ */

static bool
is_plain(Split *s, const IrBlock *b)
{
    for (IrStmt *t = b->first; t; t = t->next) {
        s->stmts++;
        if (t->kind == IS_IF) {
            if (!is_plain(s, &t->body) || !is_plain(s, &t->els))
                return false;
        } else if (t->kind == IS_STORE) {
            s->store = s->store ? s->store : t;
            if (t->var != s->store->var)
                return false;
            for (int i = 0; i < t->n_idx; i++)
                if (!ir_expr_equal(t->idx[i], s->store->idx[i]))
                    return false;
        } else if (t->kind != IS_SET) {
            return false;
        }
    }
    return s->stmts <= MAX_STMTS;
}

/* 1: e is the loop variable and *rest, which the loop leaves alone; 0: e is *rest; -1: neither. */
static int
moves(const Split *s, const IrExpr *e, IrAffine *rest)
{
    IrAffine a;
    int n = 0;
    if (!ir_affine(e, &a))
        return -1;
    *rest = (IrAffine){.c0 = a.c0};
    for (int i = 0; i < a.n; i++) {
        if (ir_is_var(a.t[i].term, s->loop->var) && a.t[i].coef == 1)
            n = 1;
        else if (ir_invariant(a.t[i].term, &s->fx) && !ir_loads(a.t[i].term))
            rest->t[rest->n++] = a.t[i];
        else
            return -1;
    }
    return n;
}

static bool
read_store(Split *s)
{
    IrAffine rest;
    s->axis = -1;
    for (int i = 0; i < s->store->n_idx; i++) {
        int m = moves(s, s->store->idx[i], &rest);
        if (m < 0 || (m == 1 && s->axis >= 0))
            return false;
        if (m == 1) {
            s->axis = i;
            s->rest = rest;
        }
    }
    return s->axis >= 0;
}

/* ---- its loads ------------------------------------------------------------------------------- */

static bool
equal_affine(IrAffine a, const IrAffine *b)
{
    return ir_affine_add(&a, b, -1) && a.n == 0 && a.c0 == 0;
}

/* The store reaches the element of a fixed load at one iteration, which must be the same for
 * all of these. */
static bool
note_fixed(Split *s, IrExpr *load, IrAffine at)
{
    if (!ir_affine_add(&at, &s->rest, -1) || (s->has_at && !equal_affine(at, &s->at)))
        return false;
    s->has_at = true;
    s->at = at;
    if (!s->top) /* it may not be read before it is known that it is read at all */
        return true;
    for (int i = 0; i < s->fixed.n; i++)
        if (ir_expr_equal(s->fixed.at[i].load, load))
            return true;
    if (s->fixed.n < MAX_FIXED)
        VEC_PUSH(&s->cx->arena, s->fixed, ((Fixed){load, NULL}));
    return true;
}

static bool
see_own_load(Split *s, IrExpr *e)
{
    IrAffine rest, here = {0};
    int moved = 0;
    for (int i = 0; i < e->n; i++) {
        int m = moves(s, e->arg[i], &rest);
        if (m < 0 || (m == 1 && i != s->axis))
            return false;
        moved += m;
        if (i == s->axis)
            here = rest;
        else
            s->other_rows |= !ir_expr_equal(e->arg[i], s->store->idx[i]);
    }
    return moved ? equal_affine(here, &s->rest) : note_fixed(s, e, here);
}

static bool
see_load(IrExpr **e, void *arg)
{
    Split *s = arg;
    const IrVar *x = s->store->var;
    if ((*e)->kind != IX_LOAD)
        return true;
    if ((*e)->var == x)
        s->plain &= see_own_load(s, *e);
    else
        s->plain &= x->noalias || (*e)->var->noalias;
    return true;
}

static void
see_block(Split *s, IrBlock *b, bool top)
{
    for (IrStmt *t = b->first; t; t = t->next) {
        s->top = top;
        ir_walk_stmt_exprs(t, see_load, s);
        see_block(s, &t->body, false);
        see_block(s, &t->els, false);
    }
}

static bool
suits(Split *s)
{
    const IrStmt *l = s->loop;
    int64_t step;
    if (l->kind != IS_LOOP || l->loop != LOOP_SEQ || l->cold || l->novector || l->novec_alias)
        return false;
    if (l->independent || l->lanes || !ir_is_const(l->idx[2], &step) || step != 1)
        return false;
    if (!is_plain(s, &l->body) || !s->store || s->store->var->layout == LAY_A ||
        ir_in(s->fx.sets, s->store->var) || !read_store(s))
        return false;
    s->plain = true;
    see_block(s, &s->loop->body, true);
    return s->plain && (s->has_at || s->other_rows);
}

/* ---- the parts ------------------------------------------------------------------------------- */

static bool
less(Walk *w, IrExpr *a, IrExpr *b)
{
    return know_implies_less(&w->k, a, b, 1);
}

/* Does the iteration that others read lie outside? */
static bool
is_outside(Walk *w, const Split *s)
{
    IrAffine at = s->at, next = s->at;
    next.c0 += 1;
    return less(w, ir_affine_expr(w->cx, &at), s->loop->idx[0]) ||
           less(w, s->loop->idx[1], ir_affine_expr(w->cx, &next));
}

static bool
use_value(IrExpr **e, void *arg)
{
    Split *s = arg;
    for (int i = 0; (*e)->kind == IX_LOAD && i < s->fixed.n; i++) {
        if (ir_expr_equal(*e, s->fixed.at[i].load)) {
            *e = ir_use(s->cx, s->fixed.at[i].value);
            return false;
        }
    }
    return true;
}

static void
use_values(IrBlock *b, IrStmt *t, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(t, use_value, arg);
}

/* lo .. hi, which the fixed elements' iteration is no part of. */
static void
put_part(Split *s, IrBuilder *b, const IrBlock *whole, IrExpr *lo, IrExpr *hi)
{
    Cx *cx = s->cx;
    IrBlock *save = b->at, part = ir_clone_block(s->f, whole, NULL);
    IrStmt *loop = part.first;
    if (s->fixed.n)
        b->at = &ir_if(b, ir_op(cx, OP_lt, lo, hi))->body;
    for (int i = 0; i < s->fixed.n; i++) {
        Fixed *x = &s->fixed.at[i];
        x->value = ir_var(s->f, x->load->var->name, (DType)x->load->dtype);
        ir_set(b, x->value, ir_copy_expr(cx, x->load));
    }
    ir_walk_block(&loop->body, use_values, s);
    loop->idx[0] = ir_copy_expr(cx, lo);
    loop->idx[1] = ir_copy_expr(cx, hi);
    loop->novec_alias = true;
    ir_insert_before(b->at, NULL, loop);
    b->at = save;
}

static void
put_one(Split *s, IrBuilder *b, IrExpr *lo, IrExpr *hi, IrExpr *at)
{
    Cx *cx = s->cx;
    Map map = {0};
    IrVar *j = ir_var(s->f, s->loop->var->name, DT_i64);
    map_put(&cx->arena, &map, s->loop->var, j);
    IrStmt *one = ir_if(b, ir_op(cx, OP_and, ir_op(cx, OP_le, lo, at), ir_op(cx, OP_lt, at, hi)));
    IrBlock *save = b->at, body = ir_clone_block(s->f, &s->loop->body, &map);
    b->at = &one->body;
    ir_set(b, j, ir_copy_expr(cx, at));
    ir_move_all(b->at, &body);
    b->at = save;
}

static void
put_parts(Split *s, IrBuilder *b, bool one)
{
    Cx *cx = s->cx;
    IrBlock whole = {s->loop, s->loop};
    if (one) {
        put_part(s, b, &whole, s->loop->idx[0], s->loop->idx[1]);
        return;
    }
    IrExpr *lo = ir_named(b, "start", s->loop->idx[0]), *hi = ir_named(b, "stop", s->loop->idx[1]);
    IrExpr *at = ir_named(b, "at", ir_affine_expr(cx, &s->at));
    IrExpr *end = ir_named(b, "end", ir_op(cx, OP_min, at, hi));
    IrExpr *next = ir_op(cx, OP_add, end, ir_int(cx, DT_i64, 1));
    put_part(s, b, &whole, lo, end);
    put_one(s, b, lo, hi, at);
    put_part(s, b, &whole, ir_named(b, "start", ir_op(cx, OP_max, next, lo)), hi);
}

static void
rewrite(Split *s, IrBlock *blk, bool one)
{
    IrBlock made = {0};
    IrBuilder b = {.cx = s->cx, .mod = s->f->mod, .f = s->f, .at = &made, .span = s->loop->at};
    IrStmt *behind = s->loop->next;
    ir_remove(blk, s->loop);
    put_parts(s, &b, one);
    for (IrStmt *t = made.first, *next; t; t = next) {
        next = t->next;
        ir_remove(&made, t);
        ir_insert_before(blk, behind, t);
    }
    pass_remark(s->p, one ? REMARK_conflict_independent : REMARK_conflict_split, s->loop->at,
                "%s: %s", s->store->var->name,
                one ? "what an iteration stores, no other reads"
                    : "the iteration that stores what others read stands alone");
}

static void
visit_loop(Walk *w, IrBlock *blk, IrStmt *loop)
{
    Split s = {.p = w->arg, .cx = w->cx, .f = w->f, .loop = loop};
    s.fx = ir_effects_stmt(w->f, loop);
    bool yes = suits(&s), one = yes && (!s.has_at || is_outside(w, &s));
    walk_loop(w, loop, &s.fx);
    if (yes && (one || pass_may_copy(s.p, s.f, loop, "conflict")))
        rewrite(&s, blk, one);
}

void
pass_conflict(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        Walk w = {.arg = p, .loop = visit_loop};
        walk_func(&w, p->mod->funcs.at[i]);
    }
}
