/* SPDX-License-Identifier: BSD-3-Clause
 * Index set splitting: a loop whose body asks where the loop variable is (`if i > 0`, `if j <= i`,
 * `max(i - 1, 0)`, `(i + 1) % n`) becomes loops over ranges in each of which the answers are the
 * same, so that no part asks: the interior of a stencil has no branch, no mask and no gather. A
 * loop is cut at points that index_split_find.c finds. Those a few iterations from an end are told
 * to be in order, and inside, by one test before the loop, and the loop as it was runs where they
 * are not, a stencil of one row; any other point is moved into the range that is left for it. Loops
 * outside are split first, so that what they settle is not asked by those inside. */
#include "pass/loops/index_split.h"
#include "pass/loops/digits.h"

enum { MAX_WEIGHT = 600 };
enum { AT_LOW = -1, AT_HIGH = -2, NOWHERE = -3 }; /* for all v >= it; all v < it; it is no point */

typedef enum Where { FRONT, MIDDLE, BACK } Where;

typedef struct Point {
    IrAffine a;
    Where where;
    int64_t from_end;  /* FRONT, BACK: so many iterations */
    bool above, below; /* MIDDLE: it is certainly not below, above the range left for it */
    IrExpr *e;         /* once it has been computed */
} Point;

typedef struct Plan {
    Splitter *k;
    SplitLoop *l;
    IrAffine lo, hi; /* the iterations, in rising order: lo .. hi */
    int n;
    Point at[SPLIT_POINTS];
    int map[SPLIT_POINTS]; /* from the order in which they were found */
    bool whole;            /* nothing is cut: some answers are the same all through */
    bool in_order;         /* no test is needed for that */
    bool sure_ends;        /* nor for the arithmetic of FRONT and BACK */
} Plan;

/* ---- points ---------------------------------------------------------------------------------- */

/* b - a, where that is a constant. */
static bool
distance(const IrAffine *a, const IrAffine *b, int64_t *out)
{
    IrAffine d = *b;
    if (!ir_affine_add(&d, a, -1) || d.n)
        return false;
    *out = d.c0;
    return true;
}

/* at_end: of no use in the middle. */
static int
add_point(Plan *p, const IrAffine *a, bool at_end)
{
    int64_t d, up = INT64_MAX, down = INT64_MAX;
    if (distance(&p->lo, a, &up) && up <= 0)
        return AT_LOW;
    if (distance(a, &p->hi, &down) && down <= 0)
        return AT_HIGH;
    for (int i = 0; i < p->n; i++)
        if (distance(&p->at[i].a, a, &d) && d == 0)
            return i;
    bool unit = p->l->step == 1 || p->l->step == -1;
    Point x = {.a = *a, .where = MIDDLE};
    if (up <= SPLIT_PEEL && unit) {
        x.where = FRONT;
        x.from_end = up;
    } else if (down <= SPLIT_PEEL && unit) {
        x.where = BACK;
        x.from_end = -down;
    }
    if (p->n == SPLIT_POINTS || (at_end && x.where == MIDDLE))
        return NOWHERE;
    p->at[p->n] = x;
    return p->n++;
}

/* Does x come before y? Of two in the middle, only where that is certain. */
static bool
comes_before(const Point *x, const Point *y)
{
    int64_t d;
    if (x->where != y->where)
        return x->where < y->where;
    if (x->where != MIDDLE)
        return x->from_end < y->from_end;
    return distance(&x->a, &y->a, &d) && d > 0;
}

static void
sort_points(Plan *p)
{
    int order[SPLIT_POINTS];
    Point old[SPLIT_POINTS];
    memcpy(old, p->at, sizeof old);
    for (int i = 0; i < p->n; i++) {
        int j = i;
        for (int k = 0; k < i; k++)
            if (j == i && comes_before(&old[i], &old[order[k]]))
                j = k;
        memmove(&order[j + 1], &order[j], sizeof *order * (size_t)(i - j));
        order[j] = i;
    }
    for (int i = 0; i < p->n; i++) {
        p->at[i] = old[order[i]];
        p->map[order[i]] = i;
    }
}

static void
place_tests(Plan *p)
{
    for (int i = 0; i < p->l->atoms.n; i++) {
        SplitAtom *a = &p->l->atoms.at[i];
        for (int t = 0; t < a->n; t++) {
            SplitTest *x = &a->test[t];
            if (x->settled)
                continue;
            /* pass bounds tests before the loop that an index isn't negative */
            bool at_end = a->e->op == OP_wrap;
            x->at[0] = add_point(p, &x->lo, at_end);
            x->at[1] = add_point(p, &x->hi, at_end);
        }
    }
    sort_points(p);
    for (int i = 0; i < p->l->atoms.n; i++)
        for (int t = 0; t < p->l->atoms.at[i].n; t++)
            for (int j = 0; j < 2; j++) {
                int *at = &p->l->atoms.at[i].test[t].at[j];
                *at = *at >= 0 ? p->map[*at] : *at;
            }
}

/* ---- what is known in a part ----------------------------------------------------------------- */

static bool
not_above(const Plan *p, int i, int j)
{
    int64_t d;
    return distance(&p->at[i].a, &p->at[j].a, &d) && d >= 0;
}

/* In part m, up to point m: 1: v is not below point `at`, -1: it is, 0: unknown. */
static int
side_of(const Plan *p, int m, int at)
{
    if (at < 0)
        return at == AT_LOW ? 1 : at == AT_HIGH ? -1 : 0;
    bool middle = p->at[at].where == MIDDLE;
    if (at < m)
        return !middle || p->at[m - 1].where == MIDDLE || not_above(p, at, m - 1) ? 1 : 0;
    return !middle || at == m || not_above(p, m, at) ? -1 : 0;
}

static int
truth_of(const Plan *p, int m, const SplitTest *t)
{
    if (t->settled)
        return t->settled;
    if (side_of(p, m, t->at[1]) > 0)
        return t->rises ? 1 : -1;
    if (side_of(p, m, t->at[0]) < 0)
        return t->rises ? -1 : 1;
    return 0;
}

static IrExpr *
piece_of(const Plan *p, int m, const SplitAtom *a)
{
    int truth[2] = {0};
    for (int t = 0; t < a->n; t++)
        truth[t] = truth_of(p, m, &a->test[t]);
    return split_piece(p->k->cx, a, truth);
}

/* ---- the parts ------------------------------------------------------------------------------- */

typedef struct Slots {
    Cx *cx;
    SplitLoop *l;
    Vec(IrExpr **) at;
    int n;
} Slots;

static bool
number_expr(IrExpr **e, void *arg)
{
    Slots *s = arg;
    for (int i = 0; i < s->l->atoms.n; i++)
        if (s->l->atoms.at[i].e == *e)
            s->l->atoms.at[i].number = s->n;
    s->n++;
    return true;
}

static void
number_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, number_expr, arg);
}

static bool
keep_slot(IrExpr **e, void *arg)
{
    Slots *s = arg;
    VEC_PUSH(&s->cx->arena, s->at, e);
    return true;
}

static void
keep_slots(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, keep_slot, arg);
}

/* Puts in what the loop's atoms are in part m: those inside others first. */
static void
settle(const Plan *p, int m, IrStmt *loop)
{
    Slots s = {.cx = p->k->cx, .l = p->l};
    ir_walk_block(&loop->body, keep_slots, &s);
    for (int done = s.at.n; done > 0;) {
        int best = -1;
        for (int i = 0; i < p->l->atoms.n; i++) {
            int n = p->l->atoms.at[i].number;
            if (n < done && (best < 0 || n > p->l->atoms.at[best].number))
                best = i;
        }
        if (best < 0)
            return;
        SplitAtom a = p->l->atoms.at[best];
        done = a.number;
        a.e = *s.at.at[a.number];
        IrExpr *piece = piece_of(p, m, &a);
        if (piece)
            *s.at.at[a.number] = piece;
    }
}

static IrExpr *
plus(Cx *cx, IrExpr *e, int64_t c)
{
    return ir_op(cx, OP_add, ir_copy_expr(cx, e), ir_int(cx, DT_i64, c));
}

/* The first iteration that is not below e. */
static IrExpr *
aligned(Plan *p, IrBuilder *b, IrExpr *e)
{
    Cx *cx = p->k->cx;
    IrExpr *back = ir_op(cx, OP_sub, ir_copy_expr(cx, p->l->s->idx[0]), ir_copy_expr(cx, e));
    IrExpr *to = ir_op(cx, OP_mod, back, ir_int(cx, DT_i64, p->l->step));
    return ir_named(b, "start", ir_op(cx, OP_add, ir_copy_expr(cx, e), to));
}

/* Few iterations at an end, or between two points that are neighbours. */
static bool
is_short(const Plan *p, int m)
{
    int64_t d;
    if (m > 0 && m < p->n)
        return distance(&p->at[m - 1].a, &p->at[m].a, &d) && d <= SPLIT_PEEL;
    return m == 0 ? p->at[0].where == FRONT : p->at[m - 1].where == BACK;
}

static bool
has_loop(const IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n && !ir_does(s, ST_REPEATS); i++)
            if (has_loop(sub[i]))
                return true;
        if (ir_does(s, ST_REPEATS))
            return true;
    }
    return false;
}

/* A few iterations: neither more parts nor much code for what is inside. */
static void
leave_alone(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    Splitter *k = arg;
    if (!ir_does(s, ST_REPEATS))
        return;
    map_put(&k->cx->arena, &k->done, s, s);
    s->novector |= has_loop(&s->body);
}

static void
put_part(Plan *p, IrBuilder *b, const IrBlock *whole, int m)
{
    Cx *cx = p->k->cx;
    IrBlock part = ir_clone_block(p->k->f, whole, NULL);
    IrStmt *loop = part.first;
    bool falls = p->l->step < 0;
    settle(p, m, loop);
    if (falls) {
        loop->idx[0] = m < p->n ? plus(cx, p->at[m].e, -1) : loop->idx[0];
        loop->idx[1] = m > 0 ? plus(cx, p->at[m - 1].e, -1) : loop->idx[1];
    } else {
        if (m > 0)
            loop->idx[0] =
                p->l->step > 1 ? aligned(p, b, p->at[m - 1].e) : ir_copy_expr(cx, p->at[m - 1].e);
        loop->idx[1] = m < p->n ? ir_copy_expr(cx, p->at[m].e) : loop->idx[1];
    }
    if (is_short(p, m)) { /* not worth more parts inside */
        loop->novector = true;
        ir_walk_block(&part, leave_alone, p->k);
    }
    ir_insert_before(b->at, NULL, loop);
    map_put(&cx->arena, &p->k->done, loop, loop);
}

/* A point in the middle, moved between those beside it. */
static void
place_middle(Plan *p, IrBuilder *b, int i)
{
    Cx *cx = p->k->cx;
    Point *x = &p->at[i];
    int back = i + 1;
    while (back < p->n && p->at[back].where != BACK)
        back++;
    IrExpr *low = i > 0 ? p->at[i - 1].e : NULL;
    IrExpr *high = back < p->n ? ir_affine_expr(cx, &p->at[back].a) : NULL;
    low = low ? low : ir_affine_expr(cx, &p->lo);
    high = high ? high : ir_affine_expr(cx, &p->hi);
    IrExpr *e = ir_affine_expr(cx, &x->a);
    if (!x->below)
        e = ir_op(cx, OP_min, e, ir_copy_expr(cx, high));
    if (!x->above)
        e = ir_op(cx, OP_max, e, ir_copy_expr(cx, low));
    x->e = x->above && x->below ? e : ir_named(b, "at", e);
}

static void
place_points(Plan *p, IrBuilder *b)
{
    for (int i = 0; i < p->n; i++) {
        if (p->at[i].where == MIDDLE)
            place_middle(p, b, i);
        else
            p->at[i].e = ir_affine_expr(p->k->cx, &p->at[i].a);
    }
}

static IrExpr *
both(Cx *cx, IrExpr *a, IrExpr *b)
{
    return a ? ir_op(cx, OP_and, a, b) : b;
}

/* Points at the ends are in order, and none has wrapped; NULL: for certain. */
static IrExpr *
test_order(Plan *p)
{
    Cx *cx = p->k->cx;
    IrExpr *all = NULL, *lo = ir_affine_expr(cx, &p->lo), *hi = ir_affine_expr(cx, &p->hi);
    const Point *front = NULL, *back = NULL;
    for (int i = 0; i < p->n; i++) {
        front = p->at[i].where == FRONT ? &p->at[i] : front;
        back = p->at[i].where == BACK && !back ? &p->at[i] : back;
    }
    if (!front && !back)
        return NULL;
    IrExpr *f = front ? ir_affine_expr(cx, &front->a) : ir_copy_expr(cx, lo);
    IrExpr *g = back ? ir_affine_expr(cx, &back->a) : ir_copy_expr(cx, hi);
    if (!p->in_order)
        all = ir_op(cx, OP_le, f, g);
    if (!p->sure_ends && front)
        all = both(cx, all, ir_op(cx, OP_le, lo, ir_affine_expr(cx, &p->at[0].a)));
    if (!p->sure_ends && back)
        all = both(cx, all, ir_op(cx, OP_le, ir_affine_expr(cx, &p->at[p->n - 1].a), hi));
    return all;
}

static void
make_cold(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    Splitter *k = arg;
    if (!ir_does(s, ST_REPEATS))
        return;
    s->cold = s->novector = true;
    map_put(&k->cx->arena, &k->done, s, s);
}

static void
rewrite(Plan *p)
{
    Splitter *k = p->k;
    IrStmt *loop = p->l->s, *behind = loop->next;
    IrBlock made = {0}, *blk = p->l->in;
    IrBuilder b = {.cx = k->cx, .mod = k->f->mod, .f = k->f, .at = &made, .span = loop->at};
    Slots s = {.cx = k->cx, .l = p->l};
    ir_walk_block(&loop->body, number_stmt, &s);
    if (p->whole) {
        settle(p, 0, loop);
        return;
    }
    IrExpr *test = test_order(p);
    ir_remove(blk, loop);
    IrBlock whole = {loop, loop};
    IrStmt *branch = test ? ir_if(&b, test) : NULL;
    if (branch) {
        branch->cold_else = true;
        b.at = &branch->body;
    }
    place_points(p, &b);
    for (int m = 0; m <= p->n; m++)
        put_part(p, &b, &whole, p->l->step < 0 ? p->n - m : m);
    if (branch) {
        ir_insert_before(&branch->els, NULL, loop);
        ir_walk_block(&branch->els, make_cold, k);
    }
    for (IrStmt *t = made.first, *next; t; t = next) {
        next = t->next;
        ir_remove(&made, t);
        ir_insert_before(blk, behind, t);
    }
    pass_remark(k->p, REMARK_index_split_split, loop->at,
                "%d loops, in none of which what the body asks of %s changes", p->n + 1,
                loop->var->name);
}

/* ---- which loops ----------------------------------------------------------------------------- */

static bool
proved(Know *k, const IrAffine *a, const IrAffine *b) /* a <= b */
{
    IrAffine d = *b;
    return ir_affine_add(&d, a, -1) && know_prove(k, &d);
}

/* What is known before the loop of the points' order. */
static void
ask_order(Plan *p)
{
    Know *k = &p->k->w.k;
    const IrAffine *low = &p->lo, *high = &p->hi;
    for (int i = p->n - 1; i >= 0; i--)
        high = p->at[i].where == BACK ? &p->at[i].a : high;
    p->sure_ends = true;
    for (int i = 0; i < p->n; i++) {
        Point *x = &p->at[i];
        if (x->where == FRONT) {
            p->sure_ends &= know_fits(k, &x->a, FITS_ABOVE, FIT_AT_ONCE);
            low = &x->a;
        } else if (x->where == BACK) {
            p->sure_ends &= know_fits(k, &x->a, FITS_BELOW, FIT_AT_ONCE);
        }
    }
    p->in_order = proved(k, low, high);
    for (int i = 0; i < p->n; i++) {
        Point *x = &p->at[i];
        if (x->where != MIDDLE)
            continue;
        x->below = proved(k, &x->a, high);
        x->above = proved(k, low, &x->a);
        for (int j = 0; j < i; j++) /* those may have been moved up to where the range begins */
            x->above &= p->at[j].where != MIDDLE || not_above(p, j, i);
    }
}

/* The ends of the range, as numbers, which each part may read. */
static bool
end_of(Know *k, IrExpr *e, int64_t c, IrAffine *out)
{
    IrAffine by = {.c0 = c};
    if (ir_loads(e))
        return false;
    if (know_affine(k, e, out) && ir_affine_add(out, &by, 1) &&
        know_fits(k, out, FITS, FIT_AT_ONCE))
        return true;
    *out = (IrAffine){.n = 1, .t = {{e, 1}}};
    return c == 0;
}

static bool
has_pieces(const Plan *p)
{
    for (int m = 0; m <= p->n; m++)
        for (int i = 0; i < p->l->atoms.n; i++)
            if (piece_of(p, m, &p->l->atoms.at[i]))
                return true;
    return false;
}

/* A part for each point, but with no second version where the budget is spent. */
static bool
may_copy(const Plan *p)
{
    Splitter *k = p->k;
    for (int m = 0; m < p->n; m++)
        if (!pass_may_copy(k->p, k->f, p->l->s, "index_split"))
            return false;
    return true;
}

static bool
differs_in_lanes(const Plan *p, const SplitLoop *outer)
{
    for (int i = 0; i < p->n; i++)
        for (int t = 0; t < p->at[i].a.n; t++)
            if (!ir_invariant(p->at[i].a.t[t].term, outer->fx))
                return true;
    return false;
}

/* Would iterations of a loop outside, which run side by side, part at different points? There a
 * test is a mask. */
static bool
parts_lanes(const Plan *p)
{
    for (const SplitLoop *o = p->l->outer; o; o = o->outer)
        if (o->s->independent && differs_in_lanes(p, o) && lanes_of(p->k->p, p->k->f, o->s) > 0)
            return true;
    return false;
}

/* Behind the walk over l, with what is known before it. */
static void
make_plan(Splitter *k, SplitLoop *l)
{
    Plan *p = NEW(&k->cx->arena, Plan);
    *p = (Plan){.k = k, .l = l};
    bool falls = l->step < 0;
    k->w.k.sure = true;
    bool ok = ir_invariant(l->s->idx[0], l->fx) && ir_invariant(l->s->idx[1], l->fx) &&
              end_of(&k->w.k, l->s->idx[falls], falls, &p->lo) &&
              end_of(&k->w.k, l->s->idx[!falls], falls, &p->hi) && know_same_after(&p->lo, l->fx) &&
              know_same_after(&p->hi, l->fx);
    if (ok) {
        place_tests(p);
        ask_order(p);
    }
    k->w.k.sure = false;
    p->whole = p->n == 0;
    if (ok && has_pieces(p) && !(p->n && parts_lanes(p)))
        l->plan = p;
}

/* ---- loops of a few iterations --------------------------------------------------------------- */

static int64_t
trips(const IrStmt *s)
{
    int64_t lo, hi, step, n;
    if (!ir_is_const(s->idx[0], &lo) || !ir_is_const(s->idx[1], &hi) ||
        !ir_is_const(s->idx[2], &step) || step == INT64_MIN || __builtin_sub_overflow(hi, lo, &n))
        return INT64_MAX;
    n = step > 0 ? n : n == INT64_MIN ? INT64_MAX : -n;
    return n > 0 ? n / (step > 0 ? step : -step) : 0;
}

enum { WINDOW_ENDS = 4, WINDOW_BACK = 12 };

typedef struct Ends {
    IrAffine at[WINDOW_ENDS];
    int n;
} Ends;

/* What e, in the bounds of a loop, is clipped from, and to. */
static void
find_ends(const IrStmt *loop, const IrExpr *e, Ends *ends, int depth)
{
    const IrStmt *set = e->kind == IX_VAR ? loop->prev : NULL;
    for (int i = 0; set && i < WINDOW_BACK && !(set->kind == IS_SET && set->var == e->var); i++)
        set = set->prev;
    bool is_set = set && set->kind == IS_SET && set->var == e->var;
    if (is_set && depth > 0) {
        find_ends(set, set->e, ends, depth - 1);
    } else if (e->kind == IX_OP && depth > 0 &&
               (e->op == OP_select || e->op == OP_min || e->op == OP_max)) {
        find_ends(loop, e->arg[e->n - 2], ends, depth - 1);
        find_ends(loop, e->arg[e->n - 1], ends, depth - 1);
    } else if (ends->n < WINDOW_ENDS && ir_affine(e, &ends->at[ends->n])) {
        ends->n++;
    }
}

/* From max(i - 1, 0) to min(i + 2, n): of a few iterations, known where nothing is clipped. */
static bool
is_window(const IrStmt *s)
{
    Ends lo = {0}, hi = {0};
    int64_t d, step;
    find_ends(s, s->idx[0], &lo, 4);
    find_ends(s, s->idx[1], &hi, 4);
    for (int i = 0; i < lo.n && lo.n + hi.n > 2; i++)
        for (int j = 0; j < hi.n; j++)
            if (lo.at[i].n && distance(&lo.at[i], &hi.at[j], &d) && d > 0 && d <= SPLIT_SLACK)
                return ir_is_const(s->idx[2], &step) && step == 1;
    return false;
}

bool
split_is_slack(const IrStmt *s)
{
    return s->kind == IS_LOOP && (trips(s) <= SPLIT_SLACK || is_window(s));
}

static bool
has_deep_loop(const IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (ir_does(s, ST_REPEATS) && !split_is_slack(s))
            return true;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (has_deep_loop(sub[i]))
                return true;
    }
    return false;
}

static bool
has_break(const IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        int n = ir_does(s, ST_REPEATS) ? 0 : ir_blocks(s, sub);
        if (s->kind == IS_BREAK || s->kind == IS_TRY)
            return true;
        for (int i = 0; i < n; i++)
            if (has_break(sub[i]))
                return true;
    }
    return false;
}

/* Steps over more than one iteration are cut only where the end is far from that of int64. */
static bool
may_step(Splitter *k, const SplitLoop *l)
{
    IrAffine far = l->range.hi;
    int64_t lo;
    if (l->step == 1 || l->step == -1)
        return true;
    far.c0 += l->step > 0 && l->step < 1 << 20 ? l->step : 0;
    return l->step > 1 && l->step < 1 << 20 && ir_is_const(l->s->idx[0], &lo) && lo >= 0 &&
           lo < 1 << 20 && l->range.has_hi && know_fits(&k->w.k, &far, FITS_ABOVE, FIT_AT_ONCE);
}

static bool
is_plain(Splitter *k, const SplitLoop *l)
{
    const IrStmt *s = l->s;
    bool kind = s->loop == LOOP_SEQ || (s->loop == LOOP_PAR && s->independent && !s->n_reds);
    return s->kind == IS_LOOP && kind && !s->threads && !s->cold && !s->novector && !s->few &&
           !s->sched && !s->lanes && !l->slack && !l->fx->calls && !l->fx->waits &&
           !map_get(&k->done, s) && !has_break(&s->body) && pass_weight(&s->body) <= MAX_WEIGHT &&
           may_step(k, l);
}

static void
visit_loop(Walk *w, IrBlock *blk, IrStmt *s)
{
    Splitter *k = w->arg;
    SplitLoop *l = NEW(&k->cx->arena, SplitLoop);
    *l = (SplitLoop){.s = s, .in = blk, .outer = k->inner};
    l->fx = ir_effects_known(w->f, &w->k.effects, s);
    if (s->kind == IS_LOOP) {
        l->range = know_range(&w->k, s);
        l->step = l->range.step;
        l->slack = split_is_slack(s);
        l->fixed = l->slack && l->step == 1 && ir_is_const(s->idx[0], &l->least) &&
                   ir_is_const(s->idx[1], &l->most);
        l->most -= l->fixed;
    }
    l->nested = has_deep_loop(&s->body);
    l->plain = !w->cold && is_plain(k, l);
    VEC_PUSH(&k->cx->arena, k->found, l);
    k->inner = l;
    walk_loop(w, s, l->fx);
    k->inner = l->outer;
    if (l->atoms.n)
        make_plan(k, l);
}

static void
visit_exprs(Walk *w, IrStmt *s)
{
    Splitter *k = w->arg;
    if (k->inner && !w->cold)
        split_find(k, s);
}

/* Splits loops that are in no other that is split now; yields whether there are such. */
static bool
split_some(Splitter *k)
{
    bool any = false;
    for (int i = 0; i < k->found.n; i++) {
        SplitLoop *l = k->found.at[i];
        for (const SplitLoop *o = l->outer; o && !l->changed; o = o->outer)
            l->changed = o->changed;
        if (l->changed || !l->plan)
            continue;
        if (!l->plan->whole && !may_copy(l->plan))
            continue;
        rewrite(l->plan);
        any = l->changed = true;
    }
    return any;
}

static bool
may_decide(IrExpr **e, void *arg)
{
    const IrExpr *x = *e;
    bool integers = x->kind == IX_OP && x->arg[0]->dtype == DT_i64;
    *(bool *)arg |=
        integers && (op_info[x->op].flags & OPF_COMPARES || x->op == OP_min || x->op == OP_max ||
                     x->op == OP_abs || x->op == OP_wrap || x->op == OP_mod);
    return true;
}

static void
look_for_any(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, may_decide, arg);
}

static void
in_loops(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    if (s->kind == IS_LOOP && !s->cold && !*(bool *)arg)
        ir_walk_block(&s->body, look_for_any, arg);
}

static void
split_func(PassCx *p, IrFunc *f)
{
    bool any = false, more = true;
    ir_walk_block(&f->body, in_loops, &any);
    Splitter k = {.p = p, .cx = p->cx, .f = f};
    for (int round = 0; any && more && round < SPLIT_ROUNDS; round++) {
        k.inner = NULL;
        k.found.n = 0;
        k.w = (Walk){.arg = &k, .exprs = visit_exprs, .loop = visit_loop};
        walk_func(&k.w, f);
        more = split_some(&k);
        if (more)
            fold_again(p, f);
    }
}

static bool
is_off(const PassCx *p)
{
    const SwOptions *opt = p->cx->opt;
    return opt && (opt->debug || opt->opt_level < 2);
}

void
pass_index_split(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = pass_func(p, i);
        if (!is_off(p))
            split_func(p, f);
    }
}

void
index_split_again(PassCx *p, IrFunc *f)
{
    split_func(p, f);
}

static void
split_chunk(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    if (s->kind == IS_PAR)
        split_func(arg, s->func);
}

void
pass_resplit(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = pass_func(p, i);
        if (!is_off(p))
            ir_walk_block(&f->body, split_chunk, p);
    }
}
