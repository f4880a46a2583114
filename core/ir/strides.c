/* SPDX-License-Identifier: BSD-3-Clause
 * The stride of each axis of each array, where all statements that make the array agree on it: a
 * view of a contiguous array keeps the itemsize at one, whatever its other axes are, and one that
 * is turned round has it negated. A name for several views, and a parameter of a function that only
 * the module calls, take what they have in common, so the table is a fixed point over the
 * statements that name or pass arrays.
 * A column of a contiguous array goes from row to row: that these have one element is not expected,
 * unless they had in the first call. */
#include "ir/ir.h"

#define NONE_YET INT64_MIN

/* An axis of at, of function `to`, is made like base's or with the stride e; both NULL: with any
 * stride */
typedef struct Make {
    IrFunc *f, *to;
    const IrVar *at, *base;
    const IrExpr *e;
    int axis;
} Make;

struct IrStrides {
    Cx *cx;
    Map of;   /* IrFunc * -> by variable and axis; 0: not known */
    Map thin; /* arrays of which an axis behind the first has, or may well have, one element */
    Vec(Make) makes;
    IrFunc *f; /* being read */
    const IrStmt *at;
};

static int64_t *
entry(const IrStrides *t, const IrFunc *f, const IrVar *v, int axis)
{
    int64_t **of = map_get(&t->of, f);
    return of && of[v->id] ? &of[v->id][axis] : NULL;
}

/* strides: two expressions for each axis, its size and its stride, or NULL */
static void
add(IrStrides *t, IrFunc *to, const IrVar *at, const IrVar *base, IrExpr *const *strides)
{
    for (int k = 0; at->is_array && at->layout == LAY_A && k < at->ndim; k++) {
        Make m = {t->f, to, at, base, strides ? strides[at->ndim + k] : NULL, k};
        if (entry(t, to, at, k))
            VEC_PUSH(&t->cx->arena, t->makes, m);
    }
}

static void
unknown(IrVar *v, void *arg)
{
    IrStrides *t = arg;
    add(t, t->f, v, NULL, NULL);
    if (t->at->kind != IS_ALLOC)
        map_put(&t->cx->arena, &t->thin, v, v);
}

static void
pass_args(IrStrides *t, const IrStmt *s)
{
    int first = s->kind == IS_PAR;
    for (int i = 0; i < s->n_args && i + first < s->func->n_params; i++) {
        const IrVar *arr = s->args[i].arr;
        bool direct = s->kind == IS_PAR || s->kind == IS_CALL;
        add(t, s->func, s->func->vars.at[i + first], direct ? arr : NULL, NULL);
    }
}

static void
note_thin(IrStrides *t, const IrStmt *s)
{
    int64_t n;
    for (int k = 1; k < s->var->ndim; k++) {
        const IrExpr *e = s->idx[k];
        bool one =
            e->kind == IX_DIM ? ir_likely(e->var, e->axis) == 1 : ir_is_const(e, &n) && n == 1;
        if (one)
            map_put(&t->cx->arena, &t->thin, s->var, s->var);
    }
}

static void
note(IrBlock *b, IrStmt *s, void *arg)
{
    IrStrides *t = arg;
    (void)b;
    t->at = s;
    if (s->kind == IS_VIEW || s->kind == IS_ALLOC)
        note_thin(t, s);
    if (s->kind == IS_VIEW) {
        add(t, t->f, s->var, NULL, s->idx);
    } else if (s->kind == IS_ALIAS) {
        add(t, t->f, s->var, s->base, NULL);
        map_put(&t->cx->arena, &t->thin, s->var, s->var);
    } else if (s->kind != IS_DROP) {
        ir_walk_defs(s, unknown, t);
    }
    if (s->func)
        pass_args(t, s);
}

/* From one row, plane, .. of v to the next, of which there is more than one element each? */
static bool
is_far(const IrStrides *t, const IrFunc *f, const IrVar *v, int axis)
{
    bool far = v->layout == LAY_C && axis < v->ndim - 1 && !map_get(&t->thin, v);
    if (!v->is_param || !far)
        return far;
    for (int k = axis + 1; k < v->ndim; k++)
        if (ir_likely(v, k) != 1)
            return f->entry; /* of others nothing is known */
    return false;
}

static int64_t
product(int64_t x, int64_t y)
{
    int64_t c;
    if (x == IR_FAR || y == IR_FAR)
        return x && y ? IR_FAR : 0;
    return __builtin_mul_overflow(x, y, &c) || c == NONE_YET ? 0 : c;
}

/* What an expression for a stride comes to: 0 where that isn't known, NONE_YET where it may be
 * later. */
static int64_t
value(const IrStrides *t, const IrFunc *f, const IrExpr *e)
{
    int64_t c, x, y;
    if (!e || ir_is_const(e, &c))
        return e ? c : 0;
    if (e->kind == IX_STRIDE) {
        c = *entry(t, f, e->var, e->axis);
        return !c && is_far(t, f, e->var, e->axis) ? IR_FAR : c;
    }
    if (e->kind != IX_OP || e->op != OP_mul)
        return 0;
    x = value(t, f, e->arg[0]);
    y = value(t, f, e->arg[1]);
    if (x == NONE_YET || y == NONE_YET)
        return x && y ? NONE_YET : 0;
    return product(x, y);
}

static bool
meet(IrStrides *t, const Make *m)
{
    int64_t stride = m->base ? *entry(t, m->f, m->base, m->axis) : value(t, m->f, m->e);
    int64_t *now = entry(t, m->to, m->at, m->axis);
    int64_t before = *now;
    if (stride == NONE_YET)
        return false;
    *now = before == NONE_YET || before == stride ? stride : 0;
    return *now != before;
}

static void
start(IrStrides *t, const IrModule *m, const IrFunc *f)
{
    bool called = f->entry || f->kernel || (m->unit && f == m->funcs.at[0]); /* from outside */

    int64_t **of = NEW_N(&t->cx->arena, int64_t *, f->vars.n + 1);
    for (int i = 0; i < f->vars.n; i++) {
        const IrVar *v = f->vars.at[i];
        bool outside = v->is_param && called;
        if (!v->is_array || v->ndim == 0)
            continue;
        of[i] = NEW_N(&t->cx->arena, int64_t, v->ndim);
        for (int k = 0; v->layout == LAY_A && !outside && k < v->ndim; k++)
            of[i][k] = NONE_YET;
        if (v->layout != LAY_A)
            of[i][v->layout == LAY_C ? v->ndim - 1 : 0] = dtype_size((DType)v->dtype);
    }
    map_put(&t->cx->arena, &t->of, f, of);
}

IrStrides *
ir_known_strides(IrModule *m)
{
    IrStrides *t = NEW(&m->cx->arena, IrStrides);
    t->cx = m->cx;
    for (int i = 0; i < m->funcs.n; i++)
        start(t, m, m->funcs.at[i]);
    for (int i = 0; i < m->funcs.n; i++) {
        t->f = m->funcs.at[i];
        ir_walk_block(&t->f->body, note, t);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < t->makes.n; i++)
            changed |= meet(t, &t->makes.at[i]);
    }
    return t;
}

int64_t
ir_known_stride(const IrStrides *t, const IrFunc *f, const IrVar *v, int axis, int n_vars)
{
    const int64_t *stride = v->id < n_vars ? entry(t, f, v, axis) : NULL;
    return stride && *stride != NONE_YET ? *stride : 0;
}
