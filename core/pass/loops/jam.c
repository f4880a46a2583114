/* SPDX-License-Identifier: BSD-3-Clause
 * Rows that read the same elements, as a stencil's do: takes an independent loop over an
 * innermost independent loop that stores one element from loads about it, and lets some
 * iterations of the outer loop run in one of the inner loop, so that what they load in
 * common is loaded once. With narrow elements the loads are most of the time, because a
 * vector of neighbours lies across two lines of the cache. All loads come before the
 * stores, else no compiler could tell that they are the same; the iterations are
 * independent, so they may. */
#include "pass/pass.h"

enum { ROWS = 4, MAX_LOADS = 24, MAX_STMTS = 24 };

typedef struct Jam {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    IrStmt *outer, *inner, *store;
    IrEffects fx; /* of the outer loop */
    Vec(IrExpr *) loads;
    bool plain, loads_before; /* in the outer loop, before the inner one */
} Jam;

/* ---- may it? --------------------------------------------------------------------------------- */

static bool
is_plain_loop(const IrStmt *s)
{
    int64_t step;
    return s->kind == IS_LOOP && (s->loop == LOOP_SEQ || s->loop == LOOP_PAR) && s->independent &&
           !s->threads && !s->cold && !s->lanes && !s->novector && !s->few && !s->sched &&
           !s->n_reds && !s->n_lasts && s->var->dtype == DT_i64 && ir_is_const(s->idx[2], &step) &&
           step == 1;
}

static bool
fits(const IrExpr *e, DType d)
{
    int64_t v;
    return ir_is_const(e, &v) && dtype_is_int(d) && ir_wrap_int(d, v) == v;
}

/* v == i64(u8(v)) where v = select(c, 1, 0) has just been set: of a store of small
 * constants. */
static bool
always_holds(const IrStmt *check)
{
    const IrStmt *set = check->prev;
    const IrExpr *e = check->e, *back = e->n == 2 ? e->arg[0] : NULL;
    if (e->kind != IX_OP || e->op != OP_eq || back->kind != IX_CAST ||
        back->arg[0]->kind != IX_CAST || !ir_expr_equal(back->arg[0]->arg[0], e->arg[1]) ||
        e->arg[1]->kind != IX_VAR || !set || set->kind != IS_SET || set->var != e->arg[1]->var)
        return false;
    const IrExpr *v = set->e;
    DType d = (DType)back->arg[0]->dtype;
    return v->kind == IX_OP && v->op == OP_select && fits(v->arg[1], d) && fits(v->arg[2], d);
}

static bool
see_load(IrExpr **e, void *arg)
{
    Jam *j = arg;
    if ((*e)->kind == IX_LOAD)
        VEC_PUSH(&j->cx->arena, j->loads, *e);
    return true;
}

/* Sets, then one store, as the last. */
static bool
read_inner(Jam *j)
{
    int n = 0;
    for (IrStmt *s = j->inner->body.first; s; s = s->next) {
        if (++n > MAX_STMTS || j->store)
            return false;
        if (s->kind == IS_STORE)
            j->store = s;
        else if (s->kind != IS_SET && !(s->kind == IS_CHECK && always_holds(s)))
            return false;
        if (s->kind != IS_CHECK)
            ir_walk_stmt_exprs(s, see_load, j);
    }
    for (int i = 0; j->store && i < j->store->n_idx; i++)
        if (!ir_affine(j->store->idx[i], &(IrAffine){0}))
            return false;
    return j->store != NULL;
}

/* Before the inner loop: what is the same in each iteration of the outer one. */
static bool
read_outer(Jam *j)
{
    for (IrStmt *s = j->outer->body.first; s; s = s->next) {
        if (s->kind == IS_LOOP && !s->next)
            j->inner = s;
        else if (s->kind != IS_SET || !ir_invariant(s->e, &j->fx))
            return false;
        else
            j->loads_before |= ir_loads(s->e);
    }
    return j->inner && is_plain_loop(j->inner);
}

static bool
mentions(IrExpr **e, void *arg)
{
    Jam *j = arg;
    j->plain &= (*e)->var != j->outer->var && (*e)->kind != IX_LOAD;
    return true;
}

/* Its bounds are set before it, or by nothing in the outer loop. */
static bool
has_fixed_bounds(Jam *j)
{
    j->plain = true;
    for (int i = 0; i < 2; i++)
        ir_walk_expr(&j->inner->idx[i], mentions, j);
    return j->plain;
}

/* ---- does it pay? ---------------------------------------------------------------------------- */

/* The same element, that far up? */
static bool
meets(const Jam *j, const IrExpr *a, const IrExpr *b, int64_t up)
{
    if (a->var != b->var || a->n != b->n)
        return false;
    for (int i = 0; i < a->n; i++) {
        IrAffine x, y;
        int64_t moved = 0;
        if (!ir_affine(a->arg[i], &x) || !ir_affine(b->arg[i], &y))
            return false;
        for (int k = 0; k < y.n; k++)
            if (ir_is_var(y.t[k].term, j->outer->var))
                moved = y.t[k].coef;
        y.c0 += moved * up;
        if (!ir_affine_add(&x, &y, -1) || x.n || x.c0)
            return false;
    }
    return true;
}

/* Is what load n reads `up` rows ahead read by a row before, or by a load before? */
static bool
is_had(const Jam *j, int n, int64_t up)
{
    for (int64_t row = 0; row <= up; row++)
        for (int i = 0; i < (row < up ? j->loads.n : n); i++)
            if (meets(j, j->loads.at[i], j->loads.at[n], up - row))
                return true;
    return false;
}

static bool
pays(const Jam *j)
{
    int apart = 0, narrow = 0;
    if (j->loads.n < tune(j->cx, jam_loads) || j->loads.n > MAX_LOADS)
        return false;
    for (int i = 0; i < j->loads.n; i++) {
        narrow += dtype_size(j->loads.at[i]->dtype) <= tune(j->cx, jam_bytes);
        for (int row = 0; row < ROWS; row++)
            apart += !is_had(j, i, row);
    }
    return narrow == j->loads.n && apart * 100 <= j->loads.n * ROWS * tune(j->cx, jam_apart);
}

/* ---- the loops ------------------------------------------------------------------------------- */

/* One row's sets at b, with variables of its own, and its store into `stores`. */
static void
put_row(Jam *j, IrBuilder *b, IrVar *row, IrVar *column, IrBlock *stores)
{
    Map map = {0};
    map_put(&j->cx->arena, &map, j->outer->var, row);
    map_put(&j->cx->arena, &map, j->inner->var, column);
    for (IrStmt *s = j->inner->body.first; s; s = s->next)
        if (s->kind == IS_SET && !map_get(&map, s->var))
            map_put(&j->cx->arena, &map, s->var, ir_var(j->f, s->var->name, (DType)s->var->dtype));
    IrBlock all = ir_clone_block(j->f, &j->inner->body, &map);
    for (IrStmt *s = all.first, *next; s; s = next) {
        next = s->next;
        ir_remove(&all, s);
        if (s->kind == IS_STORE) {
            IrVar *v = ir_var(j->f, s->var->name, (DType)s->e->dtype);
            ir_set(b, v, s->e);
            s->e = ir_use(j->cx, v);
            ir_insert_before(stores, NULL, s);
        } else if (s->kind == IS_SET) {
            ir_insert_before(b->at, NULL, s);
        }
    }
}

/* A loop over columns with all rows in it; lanes: in vectors with masks. */
static void
put_columns(Jam *j, IrBuilder *b, IrVar **row, IrExpr *lo, IrExpr *hi, int lanes)
{
    IrVar *column = ir_var(j->f, j->inner->var->name, DT_i64);
    IrBlock stores = {0}, *save = b->at;
    IrStmt *in = ir_loop(b, LOOP_SEQ, column, lo, hi, 1);
    in->independent = in->novec_alias = true;
    in->label = j->inner->label;
    in->lanes = (uint8_t)lanes;
    b->at = &in->body;
    for (int k = 0; k < ROWS; k++)
        put_row(j, b, row[k], column, &stores);
    ir_move_all(b->at, &stores);
    b->at = save;
}

/* A loop over groups of the rows lo .. hi, and in it one over columns of all its rows. */
static void
put_groups(Jam *j, IrBuilder *b, IrExpr *lo, IrExpr *hi, IrExpr *const *columns, int lanes)
{
    IrVar *i = ir_var(j->f, j->outer->var->name, DT_i64), *row[ROWS] = {i};
    b->span = j->outer->at;
    IrStmt *groups = ir_loop(b, (LoopKind)j->outer->loop, i, lo, hi, ROWS);
    IrBlock *save = b->at;
    groups->independent = true;
    groups->label = j->outer->label;
    b->at = &groups->body;
    for (IrStmt *s = j->outer->body.first; s != j->inner; s = s->next)
        ir_set(b, s->var, ir_copy_expr(j->cx, s->e));
    for (int k = 1; k < ROWS; k++) {
        row[k] = ir_var(j->f, i->name, DT_i64);
        ir_set(b, row[k], ir_op(j->cx, OP_add, ir_use(j->cx, i), ir_int(j->cx, DT_i64, k)));
    }
    b->span = j->inner->at;
    put_columns(j, b, row, ir_copy_expr(j->cx, columns[0]), ir_copy_expr(j->cx, columns[1]), lanes);
    b->at = save;
}

/* n, which is made of hi - lo; 0 where hi is less, for that may have wrapped. */
static IrExpr *
where_above(Jam *j, const IrExpr *lo, const IrExpr *hi, IrExpr *n)
{
    IrExpr *above = ir_op(j->cx, OP_lt, ir_copy_expr(j->cx, lo), ir_copy_expr(j->cx, hi));
    return ir_op(j->cx, OP_select, above, n, ir_int(j->cx, DT_i64, 0));
}

/* lo + (hi - lo, 0 if that is less, as a multiple of n) */
static IrExpr *
whole(Jam *j, IrExpr *lo, IrExpr *hi, int n)
{
    IrExpr *d = ir_op(j->cx, OP_sub, ir_copy_expr(j->cx, hi), ir_copy_expr(j->cx, lo));
    d = where_above(j, lo, hi, d);
    return ir_op(j->cx, OP_add, ir_copy_expr(j->cx, lo),
                 ir_op(j->cx, OP_and, d, ir_int(j->cx, DT_i64, -n)));
}

/* The bounds of the loop over columns, before the loop over rows. */
static void
find_bounds(Jam *j, IrBuilder *b, IrExpr *bound[2])
{
    Map map = {0};
    for (IrStmt *s = j->outer->body.first; s != j->inner; s = s->next) {
        IrVar *v = ir_var(j->f, s->var->name, (DType)s->var->dtype);
        ir_set(b, v, ir_clone_expr(j->f, s->e, &map));
        map_put(&j->cx->arena, &map, s->var, v);
    }
    for (int i = 0; i < 2; i++)
        bound[i] = ir_clone_expr(j->f, j->inner->idx[i], &map);
}

/* Whole vectors of columns of some rows, then the columns that are left of the same rows,
 * masked, while these are in the cache: in one loop with the others they would take its
 * registers. */
static void
put_blocks(Jam *j, IrBuilder *b, IrExpr *lo, IrExpr *hi, int lanes)
{
    IrBlock *save = b->at;
    IrExpr *bound[2];
    find_bounds(j, b, bound);
    IrExpr *cut = ir_named(b, "cut", whole(j, bound[0], bound[1], lanes));
    IrExpr *left = ir_op(j->cx, OP_sub, bound[1], ir_copy_expr(j->cx, cut));
    left = where_above(j, cut, bound[1], left);
    left = ir_op(j->cx, OP_min, left, ir_int(j->cx, DT_i64, lanes));
    left = ir_op(j->cx, OP_add, ir_copy_expr(j->cx, cut), left);
    IrVar *block = ir_var(j->f, "block", DT_i64);
    IrStmt *blocks = ir_loop(b, LOOP_SEQ, block, lo, hi, tune(j->cx, jam_block));
    blocks->novector = true;
    b->at = &blocks->body;
    IrExpr *end = ir_op(j->cx, OP_sub, ir_copy_expr(j->cx, hi), ir_use(j->cx, block));
    end = ir_op(j->cx, OP_min, end, ir_int(j->cx, DT_i64, tune(j->cx, jam_block)));
    end = ir_named(b, "end", ir_op(j->cx, OP_add, ir_use(j->cx, block), end));
    put_groups(j, b, ir_use(j->cx, block), end, (IrExpr *[2]){bound[0], cut}, 0);
    put_groups(j, b, ir_use(j->cx, block), ir_copy_expr(j->cx, end),
               (IrExpr *[2]){ir_copy_expr(j->cx, cut), left}, lanes);
    b->at = save;
}

static bool
find_other(IrExpr **e, void *arg)
{
    *(bool *)arg |= !dtype_is_int((*e)->dtype) && (*e)->dtype != DT_bool;
    return true;
}

/* How many columns a vector holds, where a part of one can be loaded and stored; else 0.
 */
static int
mask_lanes(Jam *j)
{
    bool other = j->loads_before;
    int size = 1;
    for (IrStmt *s = j->inner->body.first; s; s = s->next)
        ir_walk_stmt_exprs(s, find_other, &other);
    for (int i = 0; i < j->loads.n; i++)
        if (dtype_size(j->loads.at[i]->dtype) > size)
            size = dtype_size(j->loads.at[i]->dtype);
    return j->p->vector_bytes == 64 && !other ? 64 / size : 0;
}

/* Groups of rows, then the loop as it was for the rest. */
static void
rewrite(Jam *j, IrBlock *blk)
{
    IrBlock made = {0};
    Cx *cx = j->cx;
    IrStmt *o = j->outer;
    IrBuilder b = {.cx = cx, .mod = j->f->mod, .f = j->f, .at = &made, .span = o->at};
    IrExpr *lo = ir_named(&b, "first", ir_copy_expr(cx, o->idx[0]));
    IrExpr *rest = ir_named(&b, "rest", whole(j, lo, o->idx[1], ROWS));
    int lanes = mask_lanes(j);
    if (lanes)
        put_blocks(j, &b, lo, ir_copy_expr(cx, rest), lanes);
    else
        put_groups(j, &b, lo, ir_copy_expr(cx, rest), j->inner->idx, 0);
    o->idx[0] = rest;
    j->inner->novec_alias = true;
    for (IrStmt *s = made.first, *next; s; s = next) {
        next = s->next;
        ir_remove(&made, s);
        ir_insert_before(blk, o, s);
    }
    pass_remark(j->p, REMARK_jam_together, o->at, "%d of them, for what they read in common", ROWS);
}

static void
visit(IrBlock *blk, IrStmt *s, void *arg)
{
    Jam j = *(Jam *)arg;
    j.outer = s;
    if (!is_plain_loop(s))
        return;
    j.fx = ir_effects_stmt(j.f, s);
    if (read_outer(&j) && has_fixed_bounds(&j) && read_inner(&j) && pays(&j) &&
        pass_may_copy(j.p, j.f, s, "jam"))
        rewrite(&j, blk);
}

void
pass_jam(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        Jam j = {.p = p, .cx = p->cx, .f = pass_func(p, i)};
        const SwOptions *opt = p->cx->opt;
        if (!opt || (!opt->debug && opt->opt_level >= 2))
            ir_walk_block(&j.f->body, visit, &j);
    }
}
