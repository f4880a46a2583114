/* SPDX-License-Identifier: BSD-3-Clause
 * Nests that use each element many times, like a matrix product: takes a perfect nest of
 * loops over a box whose body is c[i, j] = f(c[i, j], ...) or the same with a scalar, in
 * any order of the loops, and yields blocks that stay in the caches, operands copied to
 * be contiguous, and a register tile: MR rows by NR columns of c in scalars that live in
 * vector lanes.
 *
 * The hard idea is that no sum changes its order: columns are lanes and rows are copies,
 * so that each element of c still takes its terms one by one, and a block of the summing
 * loop goes on where the last one has stopped. So no fast-math is needed. It is legal for
 * any f, when c is at an index that each outer iteration has for itself, and when nothing
 * else in the body touches c's memory. This file finds out; tile_emit.c writes the loops.
 */
#include "pass/loops/tile.h"

bool
tile_no(Tile *t, const char *why)
{
    t->why = why;
    return false;
}

bool
tile_same_load(const IrExpr *a, const IrExpr *b)
{
    return a->var == b->var && ir_expr_equal(a, b);
}

/* ---- loops ----------------------------------------------------------------------------------- */

static bool
plain_loop(const Tile *t, const IrStmt *s)
{
    int64_t step;
    return (s->loop == LOOP_SEQ || s->loop == LOOP_PAR) && !s->cold && !s->lanes &&
           !s->elementwise && !s->n_lasts && s->var->dtype == DT_i64 &&
           ir_is_const(s->idx[2], &step) && step == 1 && ir_invariant(s->idx[0], &t->fx);
}

static bool
find_loops(Tile *t)
{
    int n = 1;
    t->bent = -1;
    for (IrStmt *s = t->s; s; s = tile_loop_in(&s->body, &n)) {
        if (n != 1 || t->n == TILE_LOOPS || !plain_loop(t, s))
            return false;
        if (!ir_invariant(s->idx[1], &t->fx)) {
            if (t->bent >= 0)
                return false;
            t->bent = t->n;
        }
        t->loop[t->n++] = s;
    }
    return t->n >= 3;
}

static int
loop_of(const Tile *t, const IrVar *v)
{
    for (int l = 0; l < t->n; l++)
        if (t->loop[l]->var == v)
            return l;
    return -1;
}

/* ---- statements ------------------------------------------------------------------------------ */

/* The one store, or the last of two to the same element: the first is what the sum starts
 * from. */
static bool
take_store(Tile *t, IrStmt *s, int level, bool after)
{
    bool inner = level == t->n - 1;
    if (!inner && !after && !t->c) { /* c[i, j] = 0 before the loop that sums */
        t->c = s->var;
        t->at = s->idx;
        t->init = s->e;
        t->n_known = t->pre.n;
        t->level = level + 1;
        return true;
    }
    if (t->c && (t->c != s->var || !inner || t->next))
        return false;
    for (int k = 0; t->c && k < s->n_idx; k++)
        if (!ir_expr_equal(t->at[k], s->idx[k]))
            return false;
    t->c = s->var;
    t->at = s->idx;
    if (inner) {
        t->next = s->e;
        return true;
    }
    t->final = s->e;
    if (t->level && t->level != level + 1)
        return false;
    t->level = level + 1;
    return s->next == NULL;
}

static bool
take_level(Tile *t, int level)
{
    Arena *a = &t->cx->arena;
    bool inner = level == t->n - 1, after = false;
    for (IrStmt *s = t->loop[level]->body.first; s; s = s->next) {
        if (s->kind == IS_LOOP) {
            after = true;
        } else if (s->kind == IS_STORE) {
            if (!take_store(t, s, level, after))
                return false;
        } else if (s->kind != IS_SET) {
            return false;
        } else if (inner) {
            if (t->next)
                return false;
            VEC_PUSH(a, t->body, s);
        } else if (after) {
            if (t->level && t->level != level + 1)
                return false;
            t->level = level + 1;
            VEC_PUSH(a, t->post, s);
        } else {
            TilePre pre = {.s = s, .level = level};
            VEC_PUSH(a, t->pre, pre);
        }
    }
    return t->body.n <= TILE_BODY;
}

static bool
sets(IrStmt *const *list, int n, const IrVar *v)
{
    for (int i = 0; i < n; i++)
        if (list[i]->var == v)
            return true;
    return false;
}

/* The scalar that the innermost body reads before it sets it. */
static bool
find_acc(Tile *t)
{
    for (int i = 0; i < t->body.n; i++) {
        IrVar *v = t->body.at[i]->var;
        for (int k = 0; k <= i && v && !v->is_array; k++)
            if (ir_mentions(t->body.at[k]->e, v) && !sets(t->body.at, k, v) && t->acc != v) {
                if (t->acc)
                    return tile_no(t, "it sums more than one thing");
                t->acc = v;
            }
    }
    if (!t->acc)
        return t->next != NULL && !t->final;
    if (t->next || !t->final || t->init)
        return false;
    for (int i = 0; i < t->pre.n; i++)
        if (t->pre.at[i].s->var == t->acc) {
            if (t->init || t->pre.at[i].level != t->level - 1)
                return false;
            t->init = t->pre.at[i].s->e;
            t->n_known = i;
            for (int k = i; k + 1 < t->pre.n; k++)
                t->pre.at[k] = t->pre.at[k + 1];
            t->pre.n--;
            i--;
        }
    return t->init != NULL;
}

/* ---- the result's element -------------------------------------------------------------------- */

/* Each axis: a loop's variable and what does not change, or what does not change. */
static bool
result_axes(Tile *t)
{
    if (dtype_is_complex((DType)t->c->dtype) || t->c->dtype == DT_bool || ir_in(t->fx.sets, t->c))
        return false;
    for (int k = 0; k < t->c->ndim; k++) {
        IrAffine a;
        int loops = 0;
        if (!ir_affine(t->at[k], &a))
            return false;
        for (int i = 0; i < a.n; i++) {
            int l = a.t[i].term->kind == IX_VAR ? loop_of(t, a.t[i].term->var) : -1;
            if (l < 0 && (!ir_invariant(a.t[i].term, &t->fx) || a.t[i].term->kind == IX_LOAD))
                return false;
            if (l < 0)
                continue;
            if (a.t[i].coef != 1 || t->out[l] || loops++)
                return false;
            t->out[l] = true;
            t->n_out++;
        }
    }
    return true;
}

static bool
levels_fit(Tile *t)
{
    if (t->n_out < 2 || t->n_out == t->n)
        return false;
    for (int l = 0; l < t->n && t->init; l++)
        if (t->out[l] != (l < t->level))
            return false;
    return true;
}

/* ---- loads ----------------------------------------------------------------------------------- */

typedef struct Depends {
    const Tile *t;
    unsigned loops;
} Depends;

static bool
depend_expr(IrExpr **e, void *arg)
{
    Depends *d = arg;
    if ((*e)->kind != IX_VAR)
        return true;
    int l = loop_of(d->t, (*e)->var);
    d->loops |= l >= 0 ? 1u << l : 0;
    for (int i = 0; i < d->t->pre.n; i++)
        if (d->t->pre.at[i].s->var == (*e)->var)
            ir_walk_expr(&d->t->pre.at[i].s->e, depend_expr, arg);
    for (int i = 0; i < d->t->body.n; i++)
        if (d->t->body.at[i]->var == (*e)->var)
            d->loops |= 1u << TILE_LOOPS;
    return true;
}

static unsigned
depends(const Tile *t, IrExpr *e)
{
    Depends d = {t, 0};
    for (int k = 0; k < e->n; k++)
        ir_walk_expr(&e->arg[k], depend_expr, &d);
    return d.loops;
}

static bool
see_load(IrExpr **e, void *arg)
{
    Tile *t = arg;
    IrVar *v = (*e)->var;
    if ((*e)->kind != IX_LOAD || tile_is_element(t, *e))
        return true;
    bool apart = v->noalias || t->c->noalias;
    for (int i = 0; i < t->n_apart; i++)
        apart |= t->apart[i] == v;
    if (!apart && t->n_apart == TILE_OVERLAPS)
        t->why = "it reads too many arrays";
    else if (!apart)
        t->apart[t->n_apart++] = v;
    for (int i = 0; i < t->n_loads; i++)
        if (tile_same_load(t->load[i].e, *e))
            return true;
    if (t->n_loads == TILE_LOADS)
        t->why = "it reads too many arrays";
    else
        t->load[t->n_loads++].e = *e;
    return true;
}

static bool
find_loads(Tile *t)
{
    for (int i = 0; i < t->pre.n; i++)
        ir_walk_expr(&t->pre.at[i].s->e, see_load, t);
    for (int i = 0; i < t->body.n; i++)
        ir_walk_expr(&t->body.at[i]->e, see_load, t);
    for (int i = 0; i < t->post.n; i++)
        ir_walk_expr(&t->post.at[i]->e, see_load, t);
    ir_walk_expr(&t->next, see_load, t);
    ir_walk_expr(&t->init, see_load, t);
    ir_walk_expr(&t->final, see_load, t);
    return !t->why;
}

static bool
varies_by_one(const Tile *t, const IrExpr *e, int axis, int l)
{
    const IrVar *v = t->loop[l]->var;
    for (int k = 0; k < e->n; k++) {
        IrAffine a;
        if (k != axis && ir_mentions(e->arg[k], v))
            return false;
        if (k != axis)
            continue;
        if (!ir_affine(e->arg[k], &a))
            return false;
        bool one = false;
        for (int i = 0; i < a.n; i++) {
            bool is = ir_is_var(a.t[i].term, v);
            one |= is && a.t[i].coef == 1;
            if (!is && ir_mentions(a.t[i].term, v))
                return false;
        }
        if (!one)
            return false;
    }
    return true;
}

static int
near_axis(const IrVar *v) /* whose neighbours lie side by side; of unknown layouts, most likely */
{
    return v->layout == LAY_F ? 0 : v->ndim - 1;
}

/* Are its elements at neighbouring iterations of loop j side by side? */
static bool
is_near(const Tile *t, const IrExpr *e, int j)
{
    return e->var->layout != LAY_A && varies_by_one(t, e, near_axis(e->var), j);
}

/* Without the loops that stay around the blocks. */
static unsigned
in_blocks(const Tile *t, unsigned by, int i, int j)
{
    for (int l = 0; l < t->n; l++)
        if (t->out[l] && l != i && l != j)
            by &= ~(1u << l);
    return by;
}

static bool
sums(const Tile *t, unsigned by)
{
    bool any = false;
    for (int l = 0; l < t->n; l++)
        any |= !t->out[l] && by >> l & 1;
    return any;
}

/* Rows i and columns j such that each load suits the lanes; how many are used again for
 * other rows. */
static int
rate(Tile *t, int i, int j)
{
    int again = 0;
    for (int n = 0; n < t->n_loads; n++) {
        IrExpr *e = t->load[n].e;
        unsigned by = in_blocks(t, depends(t, e), i, j);
        bool at_i = by >> i & 1, at_j = by >> j & 1;
        bool pack = t->k >= 0 && by == (1u << j | 1u << t->k);
        bool near = at_j && is_near(t, e, j);
        if (by >> TILE_LOOPS || (at_j && !pack && !near))
            return -1;
        again += sums(t, by) && !(at_i && at_j);
    }
    return again;
}

static bool
choose_loops(Tile *t)
{
    int best = 0, summing = 0;
    for (int l = 0; l < t->n; l++)
        if (!t->out[l]) {
            summing++;
            t->k = l;
        }
    t->k = summing == 1 ? t->k : -1;
    t->column = -1;
    for (int l = 0; l < t->n; l++)
        if (t->out[l] && ir_mentions(t->at[near_axis(t->c)], t->loop[l]->var))
            t->column = l;
    if (t->column < 0)
        return tile_no(t, "no loop runs along the rows of the result");
    for (int l = 0; l < t->n; l++) {
        int again = t->out[l] && l != t->column ? rate(t, l, t->column) : -1;
        if (again > 0 && again >= best) {
            best = again;
            t->row = l;
        }
    }
    return best > 0 ||
           tile_no(t, "nothing that it reads serves several iterations, or it can't be copied");
}

static bool
put_pre(IrExpr **e, void *arg)
{
    Tile *t = arg;
    for (int i = 0; (*e)->kind == IX_VAR && i < t->pre.n; i++)
        if (t->pre.at[i].s->var == (*e)->var)
            *e = ir_copy_expr(t->cx,
                              t->pre.at[i].s->e); /* earlier ones are put in as the walk goes in */
    return true;
}

/* A triangle: as many columns as the row says. */
static bool
find_limit(Tile *t)
{
    IrAffine a;
    bool found = false;
    if (t->bent < 0)
        return true;
    t->limit = ir_copy_expr(t->cx, t->loop[t->bent]->idx[1]);
    for (int i = 0; i <= t->pre.n; i++)
        ir_walk_expr(&t->limit, put_pre, t);
    if (t->bent != t->column || !ir_affine(t->limit, &a))
        return tile_no(t, "the end of a loop depends on another loop");
    for (int i = 0; i < a.n; i++) {
        const IrExpr *e = a.t[i].term;
        bool row = ir_is_var(e, t->loop[t->row]->var);
        if (row ? a.t[i].coef != 1 && a.t[i].coef != -1
                : !ir_invariant(e, &t->fx) || e->kind == IX_LOAD)
            return tile_no(t, "the end of a loop depends on another loop");
        found |= row;
        t->rises |= row && a.t[i].coef == 1;
    }
    return found;
}

static void
choose_packs(Tile *t)
{
    for (int n = 0; n < t->n_loads; n++) {
        TileLoad *l = &t->load[n];
        unsigned by = in_blocks(t, depends(t, l->e), t->row, t->column);
        l->i = by >> t->row & 1;
        l->j = by >> t->column & 1;
        unsigned k = t->k < 0 ? 0 : 1u << t->k;
        if (!k || !(by & k) || l->i == l->j)
            continue;
        bool only = by == (k | 1u << (l->i ? t->row : t->column));
        l->pack = !only ? PACK_NO : l->i ? PACK_ROWS : PACK_COLUMNS;
    }
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static void
choose_sizes(Tile *t)
{
    int size = dtype_size((DType)(t->acc ? t->acc->dtype : t->c->dtype));
    int vector = t->p->vector_bytes ? t->p->vector_bytes : 32;
    size = size < 4 ? 4 : size;
    t->width = vector / size;
    int vectors = tune(t->cx, tile_vectors), terms = tune(t->cx, tile_terms);
    t->mr = tune(t->cx, tile_rows);
    t->nr = (vector == 64 ? vectors : (vectors + 1) / 2) * t->width;
    t->kc = size >= 8 ? terms : terms + terms / 2;
    int64_t columns = tune(t->cx, tile_panel) / (t->kc * size);
    t->nc = columns < t->nr ? t->nr : columns / t->nr * t->nr;
    bool shared = t->loop[t->row]->threads;
    t->mc = t->mr * (shared ? tune(t->cx, tile_shared) : tune(t->cx, tile_blocks));
    bool same = !t->acc || (t->acc->dtype == t->c->dtype && t->final && t->post.n == 0 &&
                            ir_is_var(t->final, t->acc));
    if (!same)
        t->kc = 0; /* the sum is not kept in the result: no blocks of it */
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* The sums of a sequential loop may be taken in any order; tiles keep it all the same. */
static bool
shared_sum(const IrStmt *loop)
{
    return loop->n_reds && loop->loop != LOOP_SEQ;
}

bool
tile_match(Tile *t)
{
    if (!find_loops(t))
        return false;
    for (int l = 0; l < t->n; l++)
        if (!take_level(t, l))
            return false;
    if (!t->c || !find_acc(t) || !result_axes(t) || !levels_fit(t) || !tile_legal(t))
        return false;
    if (!find_loads(t) || !choose_loops(t) || !find_limit(t))
        return false;
    for (int l = 0; l < t->n; l++)
        if (!t->out[l] && (t->loop[l]->threads || shared_sum(t->loop[l])))
            return tile_no(t, "its sum is shared between workers");
    choose_packs(t);
    choose_sizes(t);
    return true;
}

/* Tiles of blocks take the compiler three times as long as the plain nest. They are made where a
 * loop is said to matter: by prange, a label, parallel=True, or by being an array operation; but
 * not where it has little to do whenever it is reached. */
static bool
is_marked(const Tile *t)
{
    for (int l = 0; l < t->n; l++)
        if (t->loop[l]->loop == LOOP_PAR || t->loop[l]->label || t->loop[l]->sched)
            return true;
    return false;
}

static bool
worth_it(const Tile *t)
{
    for (int l = 0; l < t->n; l++)
        if (t->loop[l]->light)
            return false;
    return (t->p->cx->opt && t->p->cx->opt->parallel) || is_marked(t);
}

/* Fewer iterations than `least`, for sure? */
static bool
is_shorter(const IrStmt *loop, int64_t least)
{
    int64_t lo, hi;
    return ir_is_const(loop->idx[0], &lo) && ir_is_const(loop->idx[1], &hi) && hi - lo < least;
}

/* Would the test that tile_emit makes fail, for sure, so that nobody would run what is behind it?
 * (The small matrices of filters and rotations.) */
static bool
is_too_small(const Tile *t)
{
    return is_shorter(t->loop[t->row], 2 * t->mr) || is_shorter(t->loop[t->column], t->nr) ||
           (t->k >= 0 && is_shorter(t->loop[t->k], tune(t->cx, tile_fewest)));
}

/* Any other nest: unroll-and-jam of the rows. They share what a term loads that differs from column
 * to column but not from row to row: of each such load all but one of `jam_rows` are saved, and the
 * sums stay in registers, whatever the order of the loops. Where rows share no such load, what is
 * there is as good. */
static bool
try_jam(Tile *t)
{
    bool shared = false, apart = false;
    for (int n = 0; n < t->n_loads; n++) {
        TileLoad *l = &t->load[n];
        shared |= l->j && !l->i;
        apart |= l->pack == PACK_COLUMNS && !is_near(t, l->e, t->column);
        if (t->bent >= 0 && l->i && l->j)
            return tile_no(t, "a triangle's rows would read what only longer rows may");
        l->pack = PACK_NO;
    }
    t->jam = true;
    t->kc = 0;
    t->mr = tune(t->cx, jam_rows);
    t->nr = (int64_t)t->width * (apart ? 1 : tune(t->cx, jam_vectors));
    if (!shared)
        return tile_no(t, "its rows share no loads");
    if (is_shorter(t->loop[t->row], t->mr) || is_shorter(t->loop[t->column], t->nr / 2) ||
        (t->k >= 0 && is_shorter(t->loop[t->k], tune(t->cx, jam_terms))))
        return tile_no(t, "it has too few iterations");
    return pass_may_copy(t->p, t->f, t->s, "tile");
}

static void
visit(PassCx *p, IrFunc *f, IrBlock *block)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = block->first, *next; s; s = next) {
        IrBlock *b = block;
        next = s->next;
        if (s->kind == IS_LOOP && !s->cold && tile_asked(p, f, block, s))
            continue;
        if (s->kind == IS_LOOP && !s->cold) {
            b = tile_move_tests(p, f, b, s);
            Tile t = {.p = p, .cx = p->cx, .f = f, .block = b, .s = s, .fx = ir_effects_stmt(f, s)};
            bool found = tile_match(&t), worth = found && worth_it(&t);
            bool small = worth && is_too_small(&t);
            if (small && is_marked(&t))
                tile_no(&t, "it has too few iterations");
            else if ((worth && !small) || (found && try_jam(&t))) {
                tile_emit(&t);
                continue;
            }
            if (t.why)
                pass_remark(p, REMARK_tile_not, s->at, "%s", t.why);
        }
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (!(s->kind == IS_IF && (i ? s->cold_else : s->cold)))
                visit(p, f, sub[i]);
    }
}

void
pass_tile(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = pass_func(p, i);
        if (!p->cx->opt || (!p->cx->opt->debug && p->cx->opt->opt_level >= 2))
            visit(p, f, &f->body);
        merge_alike(f);
    }
}
