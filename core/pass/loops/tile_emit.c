/* SPDX-License-Identifier: BSD-3-Clause
 * The loops of a nest that pass tile has matched. For a matrix product, from outside:
 * blocks of rows; blocks of the summing loop, whose part of a is copied; blocks of
 * columns, whose part of b is copied to stay in the second cache; tiles of MR rows; tiles
 * of NR columns; and the tile: MR scalars in NR vector lanes, loaded from c, summed over
 * the block, stored. What is left over at the right and at the bottom is done row by row,
 * by the same code with one row and lanes masked off. Small sizes, and arrays that turn
 * out to overlap, take the nest as it was.
 *
 * With `jam`, which is unroll-and-jam, there is only a loop over tiles of MR rows, and in it one
 * over all columns, in lanes. The rows that are left are the nest's, which begins there. */
#include "pass/loops/tile.h"

typedef struct Subst {
    const IrVar *from;
    IrExpr *to;
} Subst;

typedef struct Emit {
    Tile *t;
    Cx *cx;
    IrBuilder b;
    IrVar *ni, *nj, *nk;                   /* sizes of the box */
    IrVar *ic, *i_n, *jc, *j_n, *kc, *k_n; /* the block: where it starts, how many */
    IrVar *ip, *jp;                        /* panels of the block */
    IrVar *i_full, *j_full, *j_all;        /* whole tiles of the block; all tiles */
    Vec(Subst) subst;
    IrExpr *row, *kk, *jj; /* in a packed buffer: row of the panel, step, column */
    IrExpr *col;           /* the column, as the nest has it */
    bool packed_rows;
    IrVar *sum;       /* the scalar of the row at hand */
    bool in_place;    /* the element is read where it lies, not from `sum` */
    IrVar *from, *to; /* a triangle: the rows that have columns */
    IrVar *rest;      /* jam: the first row of the nest as it was */
} Emit;

/* ---- expressions ----------------------------------------------------------------------------- */

static IrExpr *
num(Emit *m, int64_t v)
{
    return ir_int(m->cx, DT_i64, v);
}

static IrExpr *
use(Emit *m, IrVar *v)
{
    return ir_use(m->cx, v);
}

static IrExpr *
plus(Emit *m, IrExpr *a, IrExpr *b)
{
    return ir_op(m->cx, OP_add, a, b);
}

static IrExpr *
minus(Emit *m, IrExpr *a, IrExpr *b)
{
    return ir_op(m->cx, OP_sub, a, b);
}

static IrExpr *
times(Emit *m, IrExpr *a, int64_t k)
{
    return ir_op(m->cx, OP_mul, a, num(m, k));
}

static IrExpr *
over(Emit *m, IrExpr *a, int64_t k) /* a >= 0 */
{
    return ir_op(m->cx, OP_floordiv, a, num(m, k));
}

static IrExpr *
least(Emit *m, IrExpr *a, IrExpr *b)
{
    return ir_op(m->cx, OP_min, a, b);
}

static IrVar *
name(Emit *m, const char *n, IrExpr *e)
{
    IrVar *v = ir_var(m->t->f, n, (DType)e->dtype);
    ir_set(&m->b, v, e);
    return v;
}

static IrExpr *
low(Emit *m, int l)
{
    bool cut = m->from && l == m->t->row;
    return cut ? use(m, m->from) : ir_copy_expr(m->cx, m->t->loop[l]->idx[0]);
}

typedef struct Row {
    const IrVar *var;
    IrExpr *is;
} Row;

static bool
put_row(IrExpr **e, void *arg)
{
    Row *r = arg;
    bool here = ir_is_var(*e, r->var);
    if (here)
        *e = r->is;
    return !here;
}

/* Where row i ends. */
static IrExpr *
limit(Emit *m, IrExpr *i)
{
    IrExpr *e = ir_copy_expr(m->cx, m->t->limit);
    Row r = {m->t->loop[m->t->row]->var, i};
    ir_walk_expr(&e, put_row, &r);
    return e;
}

static IrExpr *
high(Emit *m, int l)
{
    const Tile *t = m->t;
    if (m->to && l == t->row)
        return use(m, m->to);
    if (l != t->bent)
        return ir_copy_expr(m->cx, t->loop[l]->idx[1]);
    IrExpr *end = ir_copy_expr(m->cx, t->loop[t->row]->idx[1]);
    return limit(m, t->rises ? minus(m, end, num(m, 1)) : low(m, t->row));
}

/* Leaves out the rows at one end of a triangle that have no columns: the plain nest reads nothing
 * for them, and there may be nothing. */
static void
cut_rows(Emit *m)
{
    const Tile *t = m->t;
    IrExpr *first = low(m, t->row), *end = ir_copy_expr(m->cx, t->loop[t->row]->idx[1]);
    IrExpr *columns = minus(m, limit(m, low(m, t->row)), low(m, t->column));
    IrAffine a;
    if (t->rises && ir_affine(columns, &a) && a.n == 0 && a.c0 > 0)
        return;
    if (t->rises) {
        IrExpr *none = ir_op(m->cx, OP_max, minus(m, num(m, 1), columns), num(m, 0));
        m->from = name(m, "first", plus(m, first, none));
    } else {
        m->to = name(m, "end", least(m, end, plus(m, first, columns)));
    }
}

/* Columns of the block that row i has. */
static IrExpr *
columns_of(Emit *m, IrExpr *i)
{
    if (m->t->bent < 0)
        return use(m, m->j_n);
    IrExpr *n = least(m, minus(m, limit(m, i), use(m, m->jc)), use(m, m->j_n));
    return ir_op(m->cx, OP_max, n, num(m, 0));
}

/* Panels that all rows of the tile at i have. */
static IrExpr *
whole_panels(Emit *m, IrExpr *i)
{
    const Tile *t = m->t;
    if (t->bent >= 0 && !t->rises)
        i = plus(m, i, num(m, t->mr - 1));
    return over(m, columns_of(m, i), t->nr);
}

/* ---- what a copy of the body reads ----------------------------------------------------------- */

static void
let(Emit *m, const IrVar *from, IrExpr *to)
{
    for (int i = 0; i < m->subst.n; i++)
        if (m->subst.at[i].from == from) {
            m->subst.at[i].to = to;
            return;
        }
    Subst s = {from, to};
    VEC_PUSH(&m->cx->arena, m->subst, s);
}

static IrExpr *
packed(Emit *m, const TileLoad *l)
{
    bool rows = l->pack == PACK_ROWS;
    IrExpr *at[3] = {use(m, rows ? m->ip : m->jp), ir_copy_expr(m->cx, m->kk),
                     ir_copy_expr(m->cx, rows ? m->row : m->jj)};
    return ir_load(m->cx, l->buf, 3, at);
}

static bool
put_subst(IrExpr **e, void *arg)
{
    Emit *m = arg;
    Tile *t = m->t;
    if ((*e)->kind == IX_VAR) {
        for (int i = 0; i < m->subst.n; i++)
            if (m->subst.at[i].from == (*e)->var) {
                *e = ir_copy_expr(m->cx, m->subst.at[i].to);
                return false;
            }
    }
    if ((*e)->kind != IX_LOAD)
        return true;
    if ((*e)->var == t->c && !m->in_place) {
        *e = use(m, m->sum);
        return false;
    }
    for (int i = 0; i < t->n_loads; i++) {
        const TileLoad *l = &t->load[i];
        bool is = l->pack == PACK_COLUMNS || (l->pack == PACK_ROWS && m->packed_rows);
        if (is && m->kk && tile_same_load(l->e, *e)) {
            *e = packed(m, l);
            return false;
        }
    }
    return true;
}

static IrExpr *
put(Emit *m, const IrExpr *e)
{
    IrExpr *x = ir_copy_expr(m->cx, e);
    ir_walk_expr(&x, put_subst, m);
    return x;
}

static void
copy_set(Emit *m, const IrStmt *s)
{
    IrExpr *e = put(m, s->e);
    if (s->var == m->t->acc) {
        ir_set(&m->b, m->sum, e);
        return;
    }
    let(m, s->var, use(m, name(m, s->var->name, e)));
}

/* Scalars set outside of the summing loops. */
static void
copy_outer(Emit *m)
{
    const Tile *t = m->t;
    for (int i = 0; i < t->pre.n; i++)
        if (t->pre.at[i].level < t->level)
            copy_set(m, t->pre.at[i].s);
}

static IrExpr **
element(Emit *m)
{
    const Tile *t = m->t;
    IrExpr **at = NEW_N(&m->cx->arena, IrExpr *, t->c->ndim + 1);
    for (int k = 0; k < t->c->ndim; k++)
        at[k] = put(m, t->at[k]);
    return at;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static IrStmt *
open_loop(Emit *m, const char *n, IrExpr *lo, IrExpr *hi, int64_t step, IrVar **v)
{
    *v = ir_var(m->t->f, n, DT_i64);
    IrStmt *s = ir_loop(&m->b, LOOP_SEQ, *v, lo, hi, step);
    m->b.at = &s->body;
    return s;
}

/* ---- the tile -------------------------------------------------------------------------------- */

typedef struct Rows {
    int n;
    IrVar *sum[8];
} Rows;

static void
at_row(Emit *m, Rows *w, IrVar *i0, int r)
{
    m->sum = w->sum[r];
    m->row = num(m, r);
    if (m->t->acc)
        let(m, m->t->acc, use(m, m->sum));
    let(m, m->t->loop[m->t->row]->var, plus(m, use(m, i0), num(m, r)));
}

static void
load_sums(Emit *m, Rows *w, IrVar *i0)
{
    const Tile *t = m->t;
    for (int r = 0; r < w->n; r++) {
        at_row(m, w, i0, r);
        ir_set(&m->b, m->sum, ir_load(m->cx, t->c, t->c->ndim, element(m)));
    }
}

static void
start_sums(Emit *m, Rows *w, IrVar *i0)
{
    Tile *t = m->t;
    IrBlock *save = m->b.at;
    IrStmt *first = NULL;
    if (!t->init) {
        load_sums(m, w, i0);
        return;
    }
    if (t->kc && t->k >= 0) {
        first = ir_if(&m->b, ir_op(m->cx, OP_eq, use(m, m->kc), low(m, t->k)));
        m->b.at = &first->body;
    }
    m->in_place = true;
    for (int r = 0; r < w->n; r++) {
        at_row(m, w, i0, r);
        copy_outer(m);
        ir_set(&m->b, m->sum, put(m, t->init));
    }
    m->in_place = false;
    if (first) {
        m->b.at = &first->els;
        load_sums(m, w, i0);
    }
    m->b.at = save;
}

static void
add_terms(Emit *m, Rows *w, IrVar *i0)
{
    Tile *t = m->t;
    IrBlock *save = m->b.at;
    if (t->k >= 0) {
        IrVar *kk;
        open_loop(m, "kk", num(m, 0), use(m, m->k_n), 1, &kk);
        m->kk = use(m, kk);
        let(m, t->loop[t->k]->var, plus(m, use(m, m->kc), use(m, kk)));
    }
    for (int l = 0; l < t->n && t->k < 0; l++) {
        IrVar *v;
        if (t->out[l])
            continue;
        open_loop(m, t->loop[l]->var->name, low(m, l), high(m, l), 1, &v);
        let(m, t->loop[l]->var, use(m, v));
    }
    for (int r = 0; r < w->n; r++) {
        at_row(m, w, i0, r);
        for (int i = 0; i < t->pre.n; i++)
            if (!t->pre.at[i].old)
                copy_set(m, t->pre.at[i].s);
        for (int i = 0; i < t->body.n; i++)
            copy_set(m, t->body.at[i]);
        if (t->next)
            ir_set(&m->b, m->sum, put(m, t->next));
    }
    m->kk = NULL;
    m->b.at = save;
}

static void
store_sums(Emit *m, Rows *w, IrVar *i0)
{
    Tile *t = m->t;
    m->in_place = true;
    for (int r = 0; r < w->n; r++) {
        at_row(m, w, i0, r);
        if (t->final) {
            copy_outer(m);
            for (int i = 0; i < t->post.n; i++)
                copy_set(m, t->post.at[i]);
        }
        IrExpr *e = t->final ? put(m, t->final) : use(m, m->sum);
        IrBlock *save = m->b.at;
        if (t->jam && t->bent >= 0) {
            IrExpr *end = limit(m, plus(m, use(m, i0), num(m, r)));
            m->b.at = &ir_if(&m->b, ir_op(m->cx, OP_lt, ir_copy_expr(m->cx, m->col), end))->body;
        }
        ir_store(&m->b, t->c, t->c->ndim, element(m), e);
        m->b.at = save;
    }
    m->in_place = false;
}

/* `rows` rows from i0 on, by `columns` (NULL: NR) columns of panel jp; jam: from the first on. */
static void
emit_tile(Emit *m, int rows, IrVar *i0, IrExpr *columns)
{
    Tile *t = m->t;
    IrBlock *save = m->b.at;
    IrVar *jj, *j0 = m->jc;
    if (!t->jam)
        j0 = name(m, "j", plus(m, use(m, m->jc), times(m, use(m, m->jp), t->nr)));
    IrStmt *s = open_loop(m, "jj", num(m, 0), columns ? columns : num(m, t->nr), 1, &jj);
    s->loop = LOOP_SIMD;
    s->independent = s->novec_alias = true;
    s->lanes = (uint8_t)t->nr;
    Rows w = {.n = rows};
    for (int r = 0; r < rows; r++)
        w.sum[r] = ir_var(t->f, "c", (DType)(t->acc ? t->acc->dtype : t->c->dtype));
    m->jj = use(m, jj);
    m->col = plus(m, use(m, j0), use(m, jj));
    let(m, t->loop[t->column]->var, m->col);
    m->packed_rows = rows > 1;
    start_sums(m, &w, i0);
    add_terms(m, &w, i0);
    store_sums(m, &w, i0);
    m->b.at = save;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void
emit_tiles(Emit *m)
{
    Tile *t = m->t;
    IrBlock *save = m->b.at;
    open_loop(m, "pi", num(m, 0), use(m, m->i_full), 1, &m->ip);
    IrVar *i0 = name(m, "i", plus(m, use(m, m->ic), times(m, use(m, m->ip), t->mr)));
    open_loop(m, "pj", num(m, 0), whole_panels(m, use(m, i0)), 1, &m->jp);
    emit_tile(m, (int)t->mr, i0, NULL);
    m->b.at = save;

    IrVar *i;
    open_loop(m, "i", use(m, m->ic), plus(m, use(m, m->ic), use(m, m->i_n)), 1, &i);
    IrExpr *whole = plus(m, use(m, m->ic), times(m, use(m, m->i_full), t->mr));
    IrExpr *tile = over(m, minus(m, use(m, i), use(m, m->ic)), t->mr);
    IrExpr *from = ir_op(m->cx, OP_select, ir_op(m->cx, OP_lt, use(m, i), whole),
                         whole_panels(m, plus(m, use(m, m->ic), times(m, tile, t->mr))), num(m, 0));
    IrVar *n = name(m, "n", columns_of(m, use(m, i)));
    open_loop(m, "pj", from, over(m, plus(m, use(m, n), num(m, t->nr - 1)), t->nr), 1, &m->jp);
    IrExpr *left = minus(m, use(m, n), times(m, use(m, m->jp), t->nr));
    emit_tile(m, 1, i, least(m, left, num(m, t->nr)));
    m->b.at = save;
}

static bool
neighbours(const Tile *t, const TileLoad *l, int loop) /* does the loop run along memory? */
{
    const IrVar *v = l->e->var;
    const IrExpr *e = l->e->arg[v->layout == LAY_F ? 0 : v->ndim - 1];
    IrAffine a;
    if (!ir_affine(e, &a))
        return false;
    for (int i = 0; i < a.n; i++)
        if (ir_is_var(a.t[i].term, t->loop[loop]->var))
            return true;
    return false;
}

static void
copy_element(Emit *m, const TileLoad *l, IrExpr *k, IrExpr *at)
{
    Tile *t = m->t;
    bool rows = l->pack == PACK_ROWS;
    let(m, t->loop[t->k]->var, plus(m, use(m, m->kc), ir_copy_expr(m->cx, k)));
    IrExpr *base = rows ? plus(m, use(m, m->ic), times(m, use(m, m->ip), t->mr))
                        : plus(m, use(m, m->jc), times(m, use(m, m->jp), t->nr));
    let(m, t->loop[rows ? t->row : t->column]->var, plus(m, base, ir_copy_expr(m->cx, at)));
    IrExpr *to[3] = {use(m, rows ? m->ip : m->jp), ir_copy_expr(m->cx, k), at};
    m->kk = NULL;
    ir_store(&m->b, l->buf, 3, to, put(m, l->e));
}

static void
pack_rows(Emit *m, const TileLoad *l)
{
    Tile *t = m->t;
    IrBlock *save = m->b.at;
    IrVar *kk;
    open_loop(m, "pi", num(m, 0), use(m, m->i_full), 1, &m->ip);
    open_loop(m, "kk", num(m, 0), use(m, m->k_n), 1, &kk)->novector = true;
    for (int r = 0; r < t->mr; r++)
        copy_element(m, l, use(m, kk), num(m, r));
    m->b.at = save;
}

static void
pack_columns(Emit *m, const TileLoad *l)
{
    Tile *t = m->t;
    IrBlock *save = m->b.at;
    IrVar *kk, *jj;
    IrExpr *all = over(m, plus(m, use(m, m->j_n), num(m, t->nr - 1)), t->nr);
    open_loop(m, "pj", num(m, 0), all, 1, &m->jp);
    IrExpr *left = minus(m, use(m, m->j_n), times(m, use(m, m->jp), t->nr));
    IrExpr *columns = least(m, left, num(m, t->nr));
    if (neighbours(t, l, t->k)) {
        open_loop(m, "jj", num(m, 0), columns, 1, &jj);
        open_loop(m, "kk", num(m, 0), use(m, m->k_n), 1, &kk)->novector = true;
    } else {
        open_loop(m, "kk", num(m, 0), use(m, m->k_n), 1, &kk);
        IrStmt *s = open_loop(m, "jj", num(m, 0), columns, 1, &jj);
        s->loop = LOOP_SIMD;
        s->independent = true;
        s->lanes = (uint8_t)t->nr;
    }
    copy_element(m, l, use(m, kk), use(m, jj));
    m->b.at = save;
}

static void
pack_all(Emit *m, TilePack what)
{
    for (int i = 0; i < m->t->n_loads; i++) {
        const TileLoad *l = &m->t->load[i];
        if (l->pack == what && what == PACK_ROWS)
            pack_rows(m, l);
        else if (l->pack == what)
            pack_columns(m, l);
    }
}

static IrStmt *
open_block(Emit *m, int l, int64_t step, IrVar **start, IrVar **len)
{
    IrStmt *s = open_loop(m, m->t->loop[l]->var->name, low(m, l), high(m, l), step, start);
    *len = name(m, "n", least(m, minus(m, high(m, l), use(m, *start)), num(m, step)));
    return s;
}

/* Blocks for workers: an even number of about the same size, which depends on the box
 * only. */
static IrStmt *
open_chunks(Emit *m, int l, int64_t most, int64_t tile, IrVar **start, IrVar **len)
{
    IrExpr *n = minus(m, high(m, l), low(m, l)), *twice = num(m, 2 * most);
    IrVar *all = name(m, "n", n), *c;
    IrExpr *pairs = ir_op(m->cx, OP_floordiv, plus(m, use(m, all), num(m, 2 * most - 1)), twice);
    IrVar *count = name(m, "chunks", ir_op(m->cx, OP_max, times(m, pairs, 2), num(m, 2)));
    IrExpr *up = minus(m, plus(m, use(m, all), use(m, count)), num(m, 1));
    IrExpr *each = ir_op(m->cx, OP_floordiv, up, use(m, count));
    each = times(m, over(m, plus(m, each, num(m, tile - 1)), tile), tile);
    IrVar *size = name(m, "size", each);
    IrStmt *s = open_loop(m, "chunk", num(m, 0), use(m, count), 1, &c);
    IrExpr *from = ir_op(m->cx, OP_mul, use(m, c), use(m, size));
    *start = name(m, m->t->loop[l]->var->name, plus(m, low(m, l), from));
    n = least(m, minus(m, high(m, l), use(m, *start)), use(m, size));
    *len = name(m, "n", ir_op(m->cx, OP_max, n, num(m, 0)));
    return s;
}

static void
row_block(Emit *m)
{
    m->i_full = name(m, "full", over(m, use(m, m->i_n), m->t->mr));
}

static void
sum_block(Emit *m)
{
    Tile *t = m->t;
    if (t->k < 0)
        return;
    if (t->kc) {
        open_block(m, t->k, t->kc, &m->kc, &m->k_n);
        return;
    }
    m->kc = name(m, "k", low(m, t->k));
    m->k_n = m->nk;
}

static void
inherit(IrStmt *to, const IrStmt *from)
{
    to->loop = from->loop;
    to->independent = from->independent && from->threads; /* others share the buffers */
    to->threads = from->threads;
    to->label = from->label;
    to->sched = from->sched;
    to->at = from->at;
}

static void
make_buffers(Emit *m, bool drop)
{
    Tile *t = m->t;
    for (int i = 0; i < t->n_loads; i++) {
        TileLoad *l = &t->load[i];
        if (l->pack == PACK_NO)
            continue;
        if (drop) {
            ir_drop(&m->b, l->buf);
            continue;
        }
        int64_t tile = l->pack == PACK_ROWS ? t->mr : t->nr;
        int64_t block = l->pack == PACK_ROWS ? t->mc : t->nc;
        IrExpr *n = plus(m, use(m, l->pack == PACK_ROWS ? m->ni : m->nj), num(m, tile - 1));
        IrExpr *dim[3] = {over(m, least(m, n, num(m, block)), tile),
                          t->kc ? least(m, use(m, m->nk), num(m, t->kc)) : use(m, m->nk),
                          num(m, tile)};
        l->buf = ir_array_var(t->f, "block", (DType)l->e->dtype, 3, LAY_C);
        l->buf->owned = l->buf->noalias = true;
        ir_alloc(&m->b, l->buf, dim, LAY_C, false);
    }
}

/* All columns of the longest of the rows. */
static IrStmt *
emit_rows(Emit *m)
{
    Tile *t = m->t;
    IrBlock *save = m->b.at;
    IrStmt *s = open_loop(m, "i", low(m, t->row), use(m, m->rest), t->mr, &m->ic);
    IrExpr *n = use(m, m->nj);
    if (t->bent >= 0) {
        IrExpr *last = num(m, t->rises ? t->mr - 1 : 0);
        n = minus(m, limit(m, plus(m, use(m, m->ic), last)), use(m, m->jc));
    }
    emit_tile(m, (int)t->mr, m->ic, n);
    m->b.at = save;
    return s;
}

/* Blocks of rows outside, or of columns when these are what runs on workers. */
static IrStmt *
emit_blocks(Emit *m, bool buffers)
{
    Tile *t = m->t;
    bool columns = t->loop[t->column]->threads;
    IrBlock *save = m->b.at;
    IrStmt *s;
    if (t->jam)
        return emit_rows(m);
    if (columns)
        s = open_chunks(m, t->column, t->nc, t->nr, &m->jc, &m->j_n);
    else if (t->loop[t->row]->threads)
        s = open_chunks(m, t->row, t->mc, t->mr, &m->ic, &m->i_n);
    else
        s = open_block(m, t->row, t->mc, &m->ic, &m->i_n);
    inherit(s, t->loop[columns ? t->column : t->row]);
    if (buffers)
        make_buffers(m, false);
    IrBlock *body = m->b.at;
    if (!columns)
        row_block(m);
    sum_block(m);
    pack_all(m, columns ? PACK_COLUMNS : PACK_ROWS);
    if (columns)
        open_block(m, t->row, t->mc, &m->ic, &m->i_n);
    else
        open_block(m, t->column, t->nc, &m->jc, &m->j_n);
    if (columns)
        row_block(m);
    pack_all(m, columns ? PACK_ROWS : PACK_COLUMNS);
    emit_tiles(m);
    m->b.at = body;
    if (buffers)
        make_buffers(m, true);
    m->b.at = save;
    return s;
}

/* The other loops of the result stay around the blocks. Buffers belong to the workers. */
static void
emit_around(Emit *m)
{
    Tile *t = m->t;
    int inside = -1;
    bool own = t->loop[t->row]->threads || t->loop[t->column]->threads;
    for (int l = 0; l < t->n; l++)
        if (t->out[l] && t->loop[l]->threads && l != t->row && l != t->column)
            inside = l;
    IrBlock *at = inside < 0 && !own ? m->b.at : NULL;
    if (at)
        make_buffers(m, false);
    for (int l = 0; l < t->n; l++) {
        IrVar *v;
        if (!t->out[l] || l == t->row || l == t->column)
            continue;
        inherit(open_loop(m, t->loop[l]->var->name, low(m, l), high(m, l), 1, &v), t->loop[l]);
        let(m, t->loop[l]->var, use(m, v));
        if (l == inside && !own) {
            at = m->b.at;
            make_buffers(m, false);
        }
    }
    emit_blocks(m, own);
    if (at) {
        m->b.at = at;
        make_buffers(m, true);
    }
}

/* ---- the choice at run time ------------------------------------------------------------------ */

static IrExpr *
also(Emit *m, IrExpr *a, IrExpr *b)
{
    return a ? ir_op(m->cx, OP_and, a, b) : b;
}

/* A loop that ends before it starts has no size: hi - lo may have wrapped. */
static IrExpr *
runs(Emit *m, IrExpr *all, int l)
{
    int64_t lo;
    IrExpr *low_end = low(m, l);
    if (ir_is_const(low_end, &lo) && lo <= 0)
        return all;
    return also(m, all, ir_op(m->cx, OP_lt, low_end, high(m, l)));
}

/* Is it worth it, and does the result share no memory with what is read? The calls that tell are
 * left out for the many small nests inside other loops. */
static IrExpr *
apart(Emit *m, IrExpr *worth)
{
    Tile *t = m->t;
    IrVar *shares = ir_var(t->f, "shares", DT_i32);
    ir_set(&m->b, shares, ir_int(m->cx, DT_i32, 1));
    IrStmt *s = ir_if(&m->b, worth);
    IrBlock *save = m->b.at;
    m->b.at = &s->body;
    IrExpr *any = NULL;
    for (int i = 0; i < t->n_apart; i++) {
        IrExpr *one = use(m, ir_overlap(&m->b, t->c, t->apart[i]));
        any = any ? ir_op(m->cx, OP_or, any, one) : one;
    }
    ir_set(&m->b, shares, any);
    m->b.at = save;
    return ir_op(m->cx, OP_eq, use(m, shares), ir_int(m->cx, DT_i32, 0));
}

static IrExpr *
worth(Emit *m)
{
    Tile *t = m->t;
    IrExpr *all = ir_op(m->cx, OP_ge, use(m, m->ni), num(m, t->jam ? t->mr : 2 * t->mr));
    all = also(m, all, ir_op(m->cx, OP_ge, use(m, m->nj), num(m, t->jam ? t->nr / 2 : t->nr)));
    all = runs(m, runs(m, all, t->row), t->column);
    for (int l = 0; l < t->n; l++) /* else the plain nest may not touch the result */
        all = t->out[l] ? all : runs(m, all, l);
    if (t->k >= 0) {
        int64_t fewest = t->jam ? tune(m->cx, jam_terms) : tune(m->cx, tile_fewest);
        all = also(m, all, ir_op(m->cx, OP_ge, use(m, m->nk), num(m, fewest)));
        if (!t->kc && !t->jam)
            all = also(m, all, ir_op(m->cx, OP_le, use(m, m->nk), num(m, 4096)));
    }
    return t->n_apart ? apart(m, all) : all;
}

static void
note(const Tile *t)
{
    char copied[100] = "";
    for (int i = 0; i < t->n_loads; i++)
        if (t->load[i].pack != PACK_NO && strlen(copied) < sizeof copied - 40) {
            strcat(copied, *copied ? ", " : "; blocks copied of ");
            strncat(copied, t->load[i].e->var->name, 16);
        }
    pass_remark(t->p, REMARK_tile_tiled, t->s->at, "%d x %d elements of %s at a time%s", (int)t->mr,
                (int)t->nr, t->c->name, copied);
}

void
tile_emit(Tile *t)
{
    IrBlock made = {0};
    Emit m = {.t = t, .cx = t->cx};
    m.b = (IrBuilder){.cx = t->cx, .mod = t->f->mod, .f = t->f, .at = &made, .span = t->s->at};
    if (t->bent >= 0)
        cut_rows(&m);
    m.ni = name(&m, "ni", minus(&m, high(&m, t->row), low(&m, t->row)));
    m.nj = name(&m, "nj", minus(&m, high(&m, t->column), low(&m, t->column)));
    if (t->k >= 0)
        m.nk = name(&m, "nk", minus(&m, high(&m, t->k), low(&m, t->k)));
    if (t->jam)
        m.rest = name(&m, "rest", low(&m, t->row));
    IrStmt *both = ir_if(&m.b, worth(&m));
    m.b.at = &both->body;
    if (t->jam) {
        IrExpr *all = times(&m, over(&m, use(&m, m.ni), t->mr), t->mr);
        ir_set(&m.b, m.rest, plus(&m, low(&m, t->row), all));
        m.jc = name(&m, "j", low(&m, t->column));
        sum_block(&m);
    }
    emit_around(&m);
    for (IrStmt *s = made.first, *next; s; s = next) {
        next = s->next;
        ir_insert_before(t->block, t->s, s);
    }
    if (t->jam) {
        t->loop[t->row]->idx[0] = use(&m, m.rest);
        pass_remark(t->p, REMARK_tile_rows, t->s->at, "%d, in whose registers %s's elements sum",
                    (int)t->mr, t->c->name);
        return;
    }
    ir_remove(t->block, t->s);
    ir_insert_before(&both->els, NULL, t->s);
    t->f->may_raise = true;
    note(t);
}
