/* SPDX-License-Identifier: BSD-3-Clause
 * Short rows: takes loop nests that go over the last axes of arrays in a few steps known when it is
 * compiled, points of 3 coordinates, colours, small matrices. These are probably all that such a
 * row has, or it has what rows had in the first call, an alpha that the nest leaves alone: one test
 * before the nest finds that the sizes are so, and in the branch behind it the back end knows them
 * (gen/llvm/apart.c). So a step along any axis is a constant, and what lies side by side in memory
 * becomes vectors. Else the nest runs as it was written, and is cold where the first call had such
 * rows.
 */
#include "pass/loops/pin.h"

enum { MAX_ARRAYS = 10, MAX_STMTS = 120, MAX_DIMS = 4, MAX_LOOPS = 12 };
enum { PADDED = 4 };
enum { SHORT = 8, NAMED = 4 }; /* steps of a loop; places that are named one by one */

typedef struct Pinned {
    IrVar *arr;
    bool many[MAX_DIMS];     /* several places along the axis are used */
    bool seen[MAX_DIMS];     /* one at least: the greatest is */
    int64_t place[MAX_DIMS]; /* this one; -1: they are not known */
} Pinned;

typedef struct Pin {
    IrFunc *f;
    IrEffects fx; /* of the nest */
    Pinned at[MAX_ARRAYS];
    const IrStmt *loop[MAX_LOOPS]; /* of a few iterations, around the statement at hand */
    int n, n_loops, stmts;
    bool plain;
    const PinTested *known;
} Pin;

/* ---- what the nest uses ---------------------------------------------------------------------- */

/* A few iterations, from bounds that are known. */
static bool
short_range(const IrStmt *s, int64_t *lo, int64_t *hi)
{
    int64_t step;
    return ir_is_const(s->idx[0], lo) && ir_is_const(s->idx[1], hi) &&
           ir_is_const(s->idx[2], &step) && step == 1 && *lo >= 0 && *hi > *lo && *hi <= SHORT;
}

static const IrStmt *
loop_of(const Pin *p, const IrExpr *e)
{
    for (int i = 0; i < p->n_loops; i++)
        if (ir_is_var(e, p->loop[i]->var))
            return p->loop[i];
    return NULL;
}

/* The least and the greatest place that an index names; false: it isn't known. */
static bool
places(const Pin *p, const IrExpr *e, int64_t *lo, int64_t *hi)
{
    IrAffine a;
    if (!ir_affine(e, &a) || a.c0 < -SHORT || a.c0 > SHORT)
        return false;
    *lo = *hi = a.c0;
    for (int i = 0; i < a.n; i++) {
        int64_t from, to, c = a.t[i].coef;
        const IrStmt *s = loop_of(p, a.t[i].term);
        if (!s || !short_range(s, &from, &to) || c < -SHORT || c > SHORT)
            return false;
        *lo += c * (c > 0 ? from : to - 1);
        *hi += c * (c > 0 ? to - 1 : from);
    }
    return *lo >= 0 && *hi < SHORT;
}

static Pinned *
array_of(Pin *p, IrVar *v)
{
    for (int i = 0; i < p->n; i++)
        if (p->at[i].arr == v)
            return &p->at[i];
    if (p->n == MAX_ARRAYS || v->layout != LAY_C || v->ndim < 2 || v->ndim > MAX_DIMS ||
        !v->is_param || ir_in(p->fx.sets, v))
        return NULL;
    p->at[p->n] = (Pinned){.arr = v};
    return &p->at[p->n++];
}

static void
note(Pin *p, IrVar *v, IrExpr *const *idx)
{
    Pinned *a = array_of(p, v);
    for (int i = 0; a && i < v->ndim; i++) {
        int64_t lo, hi;
        if (a->place[i] < 0)
            continue;
        if (!places(p, idx[i], &lo, &hi) || (lo == hi && lo >= NAMED)) {
            a->place[i] = -1;
            continue;
        }
        a->many[i] |= lo != hi || (a->seen[i] && hi != a->place[i]);
        a->seen[i] = true;
        a->place[i] = hi > a->place[i] ? hi : a->place[i];
    }
}

static bool
see_load(IrExpr **e, void *arg)
{
    if ((*e)->kind == IX_LOAD)
        note(arg, (*e)->var, (*e)->arg);
    return true;
}

static void
see_block(Pin *p, IrBlock *b)
{
    int64_t lo, hi;
    for (IrStmt *s = b->first; s; s = s->next) {
        p->stmts++;
        ir_walk_stmt_exprs(s, see_load, p);
        if (s->kind == IS_STORE)
            note(p, s->var, s->idx);
        else if (s->kind == IS_LOOP) {
            bool few = short_range(s, &lo, &hi) && p->n_loops < MAX_LOOPS;
            if (few)
                p->loop[p->n_loops++] = s;
            see_block(p, &s->body);
            p->n_loops -= few;
        } else if (s->kind == IS_IF) {
            see_block(p, &s->body);
            see_block(p, &s->els);
        } else {
            p->plain &= s->kind == IS_SET || s->kind == IS_POLL || s->kind == IS_CONTINUE ||
                        s->kind == IS_BREAK || s->kind == IS_VIEW || ir_is_overlap(s);
        }
    }
}

/* ---- the test -------------------------------------------------------------------------------- */

/* The first of the last axes that the nest goes over in a few steps; ndim: there are none, or it
 * looks at one such row only. */
static int
first_short(const Pinned *a)
{
    int k = a->arr->ndim;
    bool many = false, rows = false;
    while (k > 1 && a->place[k - 1] > 0) {
        k--;
        many |= a->many[k];
    }
    for (int i = 0; i < k; i++)
        rows |= a->place[i] < 0 || a->many[i];
    return many && rows ? k : a->arr->ndim;
}

static bool
asks(const IrExpr *e, const IrVar *v, int axis)
{
    if (e->kind == IX_OP && e->op == OP_and)
        return asks(e->arg[0], v, axis) || asks(e->arg[1], v, axis);
    if (e->kind != IX_OP || e->op != OP_eq || e->arg[0]->kind != IX_DIM ||
        e->arg[1]->kind != IX_CONST)
        return false;
    return v ? e->arg[0]->var == v && e->arg[0]->axis == axis : e->arg[0]->var->is_param;
}

bool
pin_asks(const IrExpr *test)
{
    return asks(test, NULL, 0);
}

static bool
is_tested(const Pin *p, const IrVar *v, int axis)
{
    for (const PinTested *t = p->known; t; t = t->up)
        if (asks(t->e, v, axis))
            return true;
    return false;
}

/* How long rows are: as the nest uses them; of bytes of which three places are used, four, as of
 * colours with an alpha, which would be gathered one by one; or as in the first call. */
typedef enum Length { LEN_USED, LEN_PADDED, LEN_SEEN } Length;

/* 0: not known */
static int64_t
length_of(const Pinned *a, int axis, Length how)
{
    int64_t used = a->place[axis] + 1, seen = ir_likely(a->arr, axis);
    bool pad =
        axis == a->arr->ndim - 1 && used == PADDED - 1 && dtype_size((DType)a->arr->dtype) < PADDED;
    if (how == LEN_SEEN)
        return seen >= used ? seen : 0;
    return how == LEN_PADDED && pad ? PADDED : used;
}

/* NULL: no row is of another length than it uses, where such are asked for, or one isn't known. */
static IrExpr *
all_short(Cx *cx, const Pin *p, Length how)
{
    IrExpr *all = NULL;
    bool any = how != LEN_PADDED;
    for (int i = 0; i < p->n; i++) {
        const Pinned *a = &p->at[i];
        for (int k = first_short(a); k < a->arr->ndim; k++) {
            int64_t n = length_of(a, k, how);
            if (is_tested(p, a->arr, k))
                continue;
            if (!n)
                return NULL;
            IrExpr *is = ir_op(cx, OP_eq, ir_dim(cx, a->arr, k), ir_int(cx, DT_i64, n));
            all = all ? ir_op(cx, OP_and, all, is) : is;
            any |= n > a->place[k] + 1;
        }
    }
    return any ? all : NULL;
}

/* Were all sizes in the first call what the test asks for? */
static bool
is_likely(const IrExpr *test)
{
    int64_t n;
    if (test->op == OP_and)
        return is_likely(test->arg[0]) && is_likely(test->arg[1]);
    return ir_is_const(test->arg[1], &n) && ir_likely(test->arg[0]->var, test->arg[0]->axis) == n;
}

static IrStmt *
tested(PassCx *p, IrFunc *f, IrStmt *s, IrExpr *test)
{
    IrStmt copy = *s;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy};
    IrStmt *both = ir_stmt(p->cx, IS_IF, s->at);
    both->e = test;
    both->cold_else = is_likely(test);
    both->els = ir_clone_block(f, &one, NULL);
    return both;
}

IrStmt *
pin_rows(PassCx *p, IrFunc *f, IrBlock *b, IrStmt *s, const PinTested *known)
{
    Pin q = {.f = f, .plain = true, .known = known};
    IrStmt copy = *s;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy};
    q.fx = ir_effects_stmt(f, s);
    see_block(&q, &one);
    bool ok = q.plain && q.stmts <= MAX_STMTS;
    IrExpr *all = ok ? all_short(p->cx, &q, LEN_SEEN) : NULL;
    all = ok && !all ? all_short(p->cx, &q, LEN_USED) : all;
    if (!all || !pass_may_copy(p, f, s, "version"))
        return NULL;
    IrStmt *both = tested(p, f, s, all);
    IrExpr *wide = both->cold_else ? NULL : all_short(p->cx, &q, LEN_PADDED);
    if (wide && pass_may_copy(p, f, s, "version")) {
        IrStmt *third = tested(p, f, s, wide);
        third->body = both->els;
        both->els = (IrBlock){third, third};
    }
    ir_insert_before(b, s, both);
    ir_remove(b, s);
    ir_insert_before(&both->body, NULL, s);
    pass_remark(p, REMARK_version_stride, s->at, "a second version of the loop for short rows");
    return both;
}
