/* SPDX-License-Identifier: BSD-3-Clause
 * Innermost loops that run along the last axis of arrays whose strides are known at run time only:
 * a[i, j] over j. Where one test before the loop finds that each such axis has neighbours
 * side by side in memory, the loop runs over contiguous one-dimensional views of these
 * rows, and becomes vectors; else it runs as it was written. No test and no second loop where the
 * statements that made the arrays tell.
 * Likewise where the loop takes elements of short rows one by one, p[i, 0], p[i, 1], p[i, 2] over
 * i, as of points or colours: these are probably all that such a row has, and then the loop steps
 * through memory by a constant. Where the first call's rows were as short as that, the loop for
 * others is cold; and where an array is only made with rows of one length, nothing is asked, for
 * the back end sees it. */
#include "pass/loops/pin.h"

enum { MAX_ROWS = 10, MAX_STMTS = 120, SHORT_ROW = 4 };

typedef struct Row { /* arr[.., i + c, ..] for the loop variable i, all other indices fixed */
    IrVar *arr;
    int axis;
    IrExpr **idx;    /* that of `axis` is not used */
    int width;       /* of short rows: their length, behind `axis`; else 0 */
    unsigned places; /* in them that are used, a bit each */
    IrVar *view;
} Row;

typedef struct Version {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    IrStmt *loop;
    IrEffects fx;
    const IrStrides *strides;
    int n_vars; /* before the pass made some */
    Vec(Row) rows;
    bool replace; /* second round: accesses are changed to the views */
    int stmts;
    bool far;          /* stores along an axis whose neighbours lie apart: it has no vectors */
    bool plain;        /* no loops, calls or definitions of arrays inside */
    Map *pinned;       /* tests that pin.c has made */
    const Map *widths; /* see take_widths */
    bool inside;       /* of one: of parameters it has asked for all */
} Version;

/* ---- accesses -------------------------------------------------------------------------------- */

static bool
may_move(const IrExpr *e) /* to a place before the loop: it reads no memory */
{
    if (e->kind == IX_LOAD)
        return false;
    for (int i = 0; i < e->n; i++)
        if (!may_move(e->arg[i]))
            return false;
    return true;
}

/* 1: the loop variable plus what does not change; 0: does not change; -1: neither */
static int
moves(const Version *v, const IrExpr *e)
{
    IrAffine a;
    int n = 0;
    if (ir_invariant(e, &v->fx))
        return may_move(e) ? 0 : -1;
    if (!ir_affine(e, &a))
        return -1;
    for (int i = 0; i < a.n; i++) {
        const IrExpr *t = a.t[i].term;
        if (ir_is_var(t, v->loop->var) && a.t[i].coef == 1)
            n = 1;
        else if (!ir_invariant(t, &v->fx) || !may_move(t))
            return -1;
    }
    return n ? 1 : -1;
}

/* The axis that most likely goes from element to element: others are hardly ever contiguous. */
static int
near_axis(const IrVar *arr)
{
    return arr->fortran ? 0 : arr->ndim - 1;
}

static int64_t
known_stride(const Version *v, const IrVar *arr)
{
    return ir_known_stride(v->strides, v->f, arr, near_axis(arr), v->n_vars);
}

static int
moving_axis(const Version *v, const IrVar *arr, IrExpr *const *idx)
{
    int axis = -1;
    int64_t stride = known_stride(v, arr);
    if (arr->layout != LAY_A || ir_in(v->fx.sets, arr))
        return -1;
    if (stride && stride != dtype_size((DType)arr->dtype))
        return -1;
    for (int i = 0; i < arr->ndim; i++) {
        int m = moves(v, idx[i]);
        if (m < 0 || (m == 1 && axis >= 0))
            return -1;
        axis = m == 1 ? i : axis;
    }
    return axis == near_axis(arr) ? axis : -1;
}

/* ---- rows of one length ---------------------------------------------------------------------- */

typedef struct Widths {
    Cx *cx;
    Map *of; /* IrVar * -> 1 + the length; SEVERAL */
    const IrStmt *s;
} Widths;

enum { SEVERAL = -1 };

static void
take_width(IrVar *v, void *arg)
{
    Widths *w = arg;
    int64_t n = SEVERAL;
    intptr_t had = (intptr_t)map_get(w->of, v);
    if (!v->is_array || v->ndim < 2)
        return;
    bool made = w->s->kind == IS_ALLOC && w->s->var == v;
    if (made && ir_is_const(w->s->idx[v->ndim - 1], &n))
        n++;
    if (n <= 0 || (had && had != n))
        n = SEVERAL;
    map_put(&w->cx->arena, w->of, v, (void *)(intptr_t)n);
}

static void
take_widths(IrBlock *b, IrStmt *s, void *arg)
{
    Widths *w = arg;
    (void)b;
    w->s = s;
    ir_walk_defs(s, take_width, w);
}

static bool
is_made_as_long(const Version *v, const IrVar *arr)
{
    return !arr->is_param && (intptr_t)map_get(v->widths, arr) > 0;
}

/* The axis along which the loop goes from one short row to the next, or -1. */
static int
axis_of_short(const Version *v, const IrVar *arr, IrExpr *const *idx)
{
    int last = arr->ndim - 1;
    int64_t place;
    if (arr->layout != LAY_C || last < 1 || ir_in(v->fx.sets, arr) ||
        (v->inside && arr->is_param) || is_made_as_long(v, arr) ||
        !ir_is_const(idx[last], &place) || place < 0 || place >= SHORT_ROW)
        return -1;
    for (int i = 0; i < last; i++)
        if (moves(v, idx[i]) != (i == last - 1))
            return -1;
    return last - 1;
}

static void
note_place(Row *r, const IrExpr *at)
{
    int64_t place;
    if (!r->width || !ir_is_const(at, &place))
        return;
    r->width = place >= r->width ? (int)place + 1 : r->width;
    r->places |= 1u << place;
}

static bool
is_row(const Row *r, const IrVar *arr, int axis, bool is_short, IrExpr *const *idx)
{
    bool same = r->arr == arr && r->axis == axis && (r->width > 0) == is_short;
    for (int k = 0; same && k < arr->ndim; k++)
        same = k == axis || (is_short && k > axis) || ir_expr_equal(r->idx[k], idx[k]);
    return same;
}

static Row *
row_of(Version *v, IrVar *arr, IrExpr **idx)
{
    int axis = moving_axis(v, arr, idx);
    bool is_short = axis < 0;
    if (is_short)
        axis = axis_of_short(v, arr, idx);
    if (axis < 0)
        return NULL;
    int k = 0;
    while (k < v->rows.n && !is_row(&v->rows.at[k], arr, axis, is_short, idx))
        k++;
    if (k == v->rows.n) {
        if (v->replace || v->rows.n == MAX_ROWS)
            return NULL;
        Row new = {.arr = arr, .axis = axis, .width = is_short};
        new.idx = NEW_N(&v->cx->arena, IrExpr *, arr->ndim + 1);
        for (int i = 0; i < arr->ndim; i++)
            new.idx[i] = ir_copy_expr(v->cx, idx[i]);
        VEC_PUSH(&v->cx->arena, v->rows, new);
    }
    Row *r = &v->rows.at[k];
    if (!v->replace && is_short)
        note_place(r, idx[arr->ndim - 1]);
    return r;
}

/* One place of a row says nothing about how many there are. */
static void
drop_lonely(Version *v)
{
    int n = 0;
    for (int i = 0; i < v->rows.n; i++)
        if (!v->rows.at[i].width || (v->rows.at[i].places & (v->rows.at[i].places - 1)))
            v->rows.at[n++] = v->rows.at[i];
    v->rows.n = n;
}

/* The index in its view. */
static IrExpr *
place_in(const Version *v, const Row *r, IrExpr **idx)
{
    if (!r->width)
        return idx[r->axis];
    IrExpr *start = ir_op(v->cx, OP_mul, idx[r->axis], ir_int(v->cx, DT_i64, r->width));
    return ir_op(v->cx, OP_add, start, idx[r->axis + 1]);
}

static bool
see_load(IrExpr **e, void *arg)
{
    Version *v = arg;
    if ((*e)->kind != IX_LOAD)
        return true;
    Row *r = row_of(v, (*e)->var, (*e)->arg);
    if (r && v->replace) {
        IrExpr *at = place_in(v, r, (*e)->arg);
        *e = ir_load(v->cx, r->view, 1, &at);
    }
    return true;
}

static void
see_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Version *v = arg;
    (void)b;
    v->stmts++;
    ir_walk_stmt_exprs(s, see_load, v);
    if (s->kind != IS_STORE) {
        v->plain &= s->kind == IS_SET || s->kind == IS_IF || s->kind == IS_CHECK ||
                    s->kind == IS_CHECK_INDEX || s->kind == IS_CONTINUE || s->kind == IS_RAISE;
        return;
    }
    int near = near_axis(s->var);
    v->far |= near >= 0 && known_stride(v, s->var) == IR_FAR && moves(v, s->idx[near]) == 1;
    Row *r = row_of(v, s->var, s->idx);
    if (r && v->replace) {
        s->var = r->view;
        s->idx[0] = place_in(v, r, s->idx);
        s->n_idx = 1;
    }
}

/* ---- the two loops --------------------------------------------------------------------------- */

static void
make_view(Version *v, IrBlock *b, IrStmt *where, Row *r)
{
    Cx *cx = v->cx;
    IrVar *a = r->arr;
    IrExpr *off = ir_int(cx, DT_i64, 0);
    for (int i = 0; i < a->ndim; i++) {
        if (i == r->axis || (r->width && i > r->axis))
            continue;
        IrExpr *step = ir_op(cx, OP_mul, ir_copy_expr(cx, r->idx[i]), ir_stride(cx, a, i));
        off = ir_op(cx, OP_add, off, step);
    }
    r->view = ir_array_var(v->f, a->name, (DType)a->dtype, 1, LAY_C);
    r->view->owned = false;
    r->view->readonly = a->readonly;
    a->noalias = false;
    IrStmt *s = ir_stmt(cx, IS_VIEW, v->loop->at);
    s->var = r->view;
    s->base = a;
    s->e = off;
    s->n_idx = 2;
    s->idx = NEW_N(&cx->arena, IrExpr *, 2);
    s->idx[0] = ir_dim(cx, a, r->axis);
    if (r->width)
        s->idx[0] = ir_op(cx, OP_mul, s->idx[0], ir_int(cx, DT_i64, r->width));
    s->idx[1] = ir_int(cx, DT_i64, dtype_size(a->dtype));
    ir_insert_before(b, where, s);
}

static IrExpr *
all_unit(Version *v)
{
    Cx *cx = v->cx;
    IrExpr *all = NULL;
    for (int i = 0; i < v->rows.n; i++) {
        const Row *r = &v->rows.at[i];
        bool seen = !r->width && known_stride(v, r->arr) != 0;
        for (int k = 0; k < i; k++)
            seen |= v->rows.at[k].arr == r->arr && v->rows.at[k].axis == r->axis &&
                    v->rows.at[k].width == r->width;
        if (seen)
            continue;
        IrExpr *size = ir_int(cx, DT_i64, r->width ? r->width : dtype_size(r->arr->dtype));
        IrExpr *is = r->width ? ir_dim(cx, r->arr, r->axis + 1) : ir_stride(cx, r->arr, r->axis);
        IrExpr *one = ir_op(cx, OP_eq, is, size);
        all = all ? ir_op(cx, OP_and, all, one) : one;
    }
    return all;
}

/* Were all these rows as short in the first call? */
static bool
is_likely(const Version *v)
{
    bool all = true;
    for (int i = 0; i < v->rows.n; i++) {
        const Row *r = &v->rows.at[i];
        all &= r->width && r->arr->is_param && ir_likely(r->arr, r->axis + 1) == r->width;
    }
    return all;
}

/* The block for the loop over views. `unit` NULL: every stride is known to be that of an
 * element. */
static IrBlock *
test_first(Version *v, IrBlock *b, IrStmt *s, IrExpr *unit)
{
    IrStmt copy = *s;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy};
    IrStmt *both = ir_stmt(v->cx, IS_IF, s->at);
    both->els = ir_clone_block(v->f, &one, NULL);
    both->e = unit;
    both->cold_else = is_likely(v);
    ir_insert_before(b, s, both);
    const Row *first = &v->rows.at[0];
    pass_remark(v->p, REMARK_version_stride, s->at,
                first->width ? "a second version of the loop for %s with rows of %d"
                             : "a second version of the loop for contiguous %s",
                first->arr->name, first->width);
    return &both->body;
}

static void
rewrite(Version *v, IrBlock *b, IrStmt *s)
{
    IrExpr *unit = all_unit(v);
    if (unit && !pass_may_copy(v->p, v->f, s, "version"))
        return;
    IrBlock *to = unit ? test_first(v, b, s, unit) : b;
    IrStmt *next = s->next;
    ir_remove(b, s);
    for (int i = 0; i < v->rows.n; i++)
        make_view(v, to, unit ? NULL : next, &v->rows.at[i]);
    ir_insert_before(to, unit ? NULL : next, s);
    v->replace = true;
    ir_walk_block(&s->body, see_stmt, v);
}

/* Outermost loops first: see pin.c. */
static void
pin(const Version *v, IrBlock *b, bool cold, const PinTested *known)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s && !cold; s = next) {
        next = s->next;
        IrStmt *test =
            s->kind == IS_LOOP && !s->cold && !s->lanes ? pin_rows(v->p, v->f, b, s, known) : NULL;
        PinTested also = {s->e, known};
        bool asks = s->kind == IS_IF && pin_asks(s->e);
        if (test || asks)
            map_put(&v->cx->arena, v->pinned, test ? test : s, s);
        for (int i = 0, n = test || s->cold ? 0 : ir_blocks(s, sub); i < n; i++)
            pin(v, sub[i], ir_is_cold(s, i), asks && i == 0 ? &also : known);
    }
}

/* cold: code that hardly ever runs gets no vectors, whatever the strides are. */
static void
visit(const Version *given, IrBlock *b, bool cold)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        int n = s->kind == IS_LOOP && s->lanes ? 0 : ir_blocks(s, sub);
        Version within = *given;
        within.inside |= map_get(given->pinned, s) != NULL;
        for (int i = 0; i < n; i++)
            visit(&within, sub[i], cold || ir_is_cold(s, i));
        if (s->kind != IS_LOOP || cold || s->cold || s->novector)
            continue;
        Version v = *given;
        v.loop = s;
        v.fx = ir_effects_stmt(v.f, s);
        ir_walk_block(&s->body, see_stmt, &v);
        drop_lonely(&v);
        if (v.plain && !v.far && v.rows.n > 0 && v.stmts <= MAX_STMTS)
            rewrite(&v, b, s);
    }
}

void
pass_version(PassCx *p)
{
    const IrStrides *t = ir_known_strides(p->mod);
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = p->mod->funcs.at[i];
        Version v = {.p = p, .cx = p->cx, .f = f, .strides = t, .n_vars = f->vars.n};
        Map pinned = {0}, widths = {0};
        Widths w = {p->cx, &widths, NULL};
        ir_walk_block(&f->body, take_widths, &w);
        v.plain = true;
        v.pinned = &pinned;
        v.widths = &widths;
        pin(&v, &f->body, false, NULL);
        visit(&v, &f->body, false);
    }
}
