/* SPDX-License-Identifier: BSD-3-Clause
 * Index checks: proved from loop ranges, conditions and shapes, and then dropped together with
 * the wraparound of negative indices; or hoisted. Hoisting a loop nest's checks: for each one a
 * lower bound of `dim - 1 - index` and of `index` is found that the nest does not change; when
 * all these bounds are >= 0 at run time, the nest runs without the checks, else the nest as it
 * was written runs, so that what it has done before an IndexError is what Python has done.
 * A function compiled without checks is treated so for its wraparounds, which cost as much. */
#include "pass/checks/bounds.h"
#include "pass/checks/inspect.h"

#include <limits.h>

enum { MAX_CONDS = 40, MAX_STMTS = 400, MAX_VERSIONS = 2 };
enum { USUAL_SIZE = 8 };

static Found *
found_of(Bounds *b, const IrStmt *s)
{
    Found *a = map_get(&b->assumed, s);
    if (a)
        return a;
    a = NEW(&b->cx->arena, Found);
    map_put(&b->cx->arena, &b->assumed, s, a);
    return a;
}

static bool
assumed(const Bounds *b, const IrStmt *s)
{
    const Found *a = map_get(&b->assumed, s);
    return a && a->holds;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static bool
take_apart(Bounds *b, const IrStmt *s, Check *c)
{
    if (!know_affine(&b->w.k, s->e, &c->low) ||
        !know_affine(&b->w.k, ir_dim(b->cx, s->var, s->axis), &c->dim))
        return false;
    c->high = c->wrapped = c->dim;
    c->high.c0 -= 1;
    return ir_affine_add(&c->high, &c->low, -1) && ir_affine_add(&c->wrapped, &c->low, 1);
}

static void
remark(Bounds *b, const IrStmt *s, RemarkKind what, const char *why)
{
    pass_remark(b->p, what, s->at, "%s, axis %d: %s", s->var->name, s->axis, why);
}

static bool
same_form(const IrAffine *a, const IrAffine *b)
{
    IrAffine d = *a;
    return ir_affine_add(&d, b, -1) && !d.n && !d.c0;
}

/* Is a + c below 0, whatever their terms are? Then one of them is. */
static bool
excludes(const IrAffine *a, const IrAffine *c)
{
    IrAffine sum = *a;
    return ir_affine_add(&sum, c, 1) && !sum.n && sum.c0 < 0;
}

/* Two stacks beside each other, say: with what the check of one says, the other has to be longer,
 * and the reverse. Such conditions never hold together: notes those that equal sizes fail; are
 * there any? */
static bool
exclude_conds(Bounds *b)
{
    int had = b->never.n;
    for (int i = 0; i < b->conds.n; i++) {
        bool no = false;
        for (int k = 0; k < b->conds.n; k++)
            no |= excludes(&b->conds.at[i].a, &b->conds.at[k].a);
        if (no && b->conds.at[i].a.n && b->conds.at[i].a.c0 < 0)
            VEC_PUSH(&b->cx->arena, b->never, b->conds.at[i].a);
    }
    return b->never.n > had;
}

/* Is a the same as a condition there is, or weaker? */
static bool
add_cond(Bounds *b, const Cond *c)
{
    for (int i = 0; i < b->never.n; i++)
        if (same_form(&b->never.at[i], &c->a))
            return false;
    for (int i = 0; i < b->conds.n; i++) {
        Cond *old = &b->conds.at[i];
        IrAffine d = c->a;
        if (!ir_affine_add(&d, &old->a, -1) || d.n)
            continue;
        if (d.c0 < 0)
            old->a = c->a;
        if (!c->plain)
            old->from = c->from;
        old->plain &= c->plain;
        old->needs |= c->needs;
        return true;
    }
    if (b->conds.n == MAX_CONDS)
        return false;
    VEC_PUSH(&b->cx->arena, b->conds, *c);
    return true;
}

static bool
small_coefs(const IrAffine *a)
{
    for (int i = 0; i < a->n; i++)
        if (a->t[i].coef > BOUNDS_MAX_COEF || a->t[i].coef < -BOUNDS_MAX_COEF)
            return false;
    return a->c0 < (int64_t)1 << 60 && a->c0 > -((int64_t)1 << 60);
}

static bool
can_bound(Bounds *b, const IrAffine *a, Cond *out)
{
    out->from = *a;
    b->w.k.used = 0;
    bool ok = know_bound(&b->w.k, a, &b->fx, &out->a, &out->plain) && small_coefs(&out->a);
    out->needs = b->w.k.used;
    return ok;
}

/* Whether the index, as a number, is in 0 .. dim - 1, from low on, and below high. An index that is
 * has not wrapped: the dimension tells what it is. */
typedef struct Proof {
    bool low, wrapped, high;
} Proof;

static Proof
prove_check(Bounds *b, const IrExpr *e, const Check *c)
{
    Know *k = &b->w.k;
    Proof p = {.high = know_prove(k, &c->high) && know_fits(k, &c->dim, FITS_ABOVE, FIT_AT_ONCE),
               .low = know_prove(k, &c->low)};
    IrAffine low, high = c->dim;
    high.c0 -= 1;
    /* tested by the user, say */
    if (!p.high && know_itself(k, e, &low) && ir_affine_add(&high, &low, -1)) {
        p.high = know_prove(k, &high) && know_fits(k, &c->dim, FITS_ABOVE, FIT_AT_ONCE);
        p.low |= know_prove(k, &low);
    }
    p.wrapped = !p.low && know_prove(k, &c->wrapped);
    return p;
}

static bool
is_negative(Know *k, const IrAffine *a)
{
    IrAffine neg = {.c0 = -1};
    return ir_affine_add(&neg, a, -1) && know_prove(k, &neg) &&
           know_fits(k, a, FITS_BELOW, FIT_AT_ONCE);
}

/* Can it hold where sizes are not tiny? One that the loop changes has been taken for 0. */
static bool
may_hold(Know *k, const Cond *c)
{
    int64_t most = c->a.c0;
    for (int i = 0; i < c->a.n; i++) {
        IrAffine term = {.n = 1, .t = {{c->a.t[i].term, 1}}};
        if (c->a.t[i].coef > 0 || c->a.t[i].coef < -BOUNDS_MAX_COEF || !know_prove(k, &term))
            return true;
        most += (int64_t)USUAL_SIZE * c->a.t[i].coef;
    }
    return most >= 0;
}

/* An array of 2**32 elements is none: what any index of uint32 is in range of. */
static bool
is_usual(Know *k, const Cond *high)
{
    return may_hold(k, high) && high->from.c0 - high->a.c0 < UINT32_MAX;
}

/* `sure`: what holds whatever is small. */
static bool
try_hoist(Bounds *b, IrStmt *s, const Check *c, const Proof *sure)
{
    Cond low, high;
    Know *k = &b->w.k;
    k->used = 0;
    Proof p = prove_check(b, s->e, c);
    bool low_ok = p.low || p.wrapped, dim_ok = know_fits(k, &c->dim, FITS_ABOVE, FIT_AT_ONCE);
    bool from_end = !low_ok && is_negative(k, &c->low);
    uint64_t needs = k->used;
    if (!dim_ok || (!low_ok && !can_bound(b, from_end ? &c->wrapped : &c->low, &low)) ||
        (!low_ok && !may_hold(k, &low)) || (!p.high && !can_bound(b, &c->high, &high)) ||
        (!p.high && !is_usual(k, &high)))
        return false;
    if ((!low_ok && !add_cond(b, &low)) || (!p.high && !add_cond(b, &high)))
        return false;
    /* holds where it is versioned */
    *found_of(b, s) = (Found){.low = !p.wrapped && !from_end, .c = *c};
    VEC_PUSH(&b->cx->arena, b->found, s);
    b->wraps_round |= !sure->low && !sure->wrapped && !from_end;
    b->needs |= needs;
    return true;
}

/* ---- wraparounds ----------------------------------------------------------------------------- */

static bool
is_not_negative(Know *k, const IrAffine *a)
{
    return know_prove(k, a) && know_fits(k, a, FITS_ABOVE, FIT_AT_ONCE);
}

/* A wraparound whose index the loop changes: is there a test before the loop that spares it? */
static void
hoist_wrap(Bounds *b, IrExpr *wrap, const IrAffine *low)
{
    Cond c;
    Know *k = &b->w.k;
    if (!b->collect || !b->unchecked || ir_invariant(wrap->arg[0], &b->fx))
        return;
    k->used = 0;
    if (!know_fits(k, low, FITS_ABOVE, FIT_AT_ONCE))
        return;
    uint64_t needs = k->used;
    if (!know_prove(k, low) && (!can_bound(b, low, &c) || !add_cond(b, &c)))
        return;
    b->needs |= needs | k->used;
    VEC_PUSH(&b->cx->arena, b->wraps, wrap);
}

/* wrap(i, dim) is i where i >= 0 for certain, i + dim where i < 0. */
static void
unwrap(Bounds *b, IrExpr **e)
{
    for (int i = 0; i < (*e)->n; i++)
        unwrap(b, &(*e)->arg[i]);
    if ((*e)->kind != IX_OP || (*e)->op != OP_wrap)
        return;
    IrAffine a;
    Know *k = &b->w.k;
    IrExpr *i = (*e)->arg[0], *dim = (*e)->arg[1];
    if (!know_affine(k, i, &a))
        return;
    k->sure = true;
    IrAffine own;
    bool up = is_not_negative(k, &a) || (know_itself(k, i, &own) && know_prove(k, &own)),
         down = !up && is_negative(k, &a);
    k->sure = false;
    if (up)
        *e = i;
    else if (down)
        *e = ir_op(b->cx, OP_add, dim, i);
    else
        hoist_wrap(b, *e, &a);
}

/* A test without what is known to hold: one that an earlier pass put before a loop. */
static IrExpr *
known_test(Bounds *b, IrExpr *e)
{
    if (e->kind != IX_OP)
        return e;
    if (e->op == OP_and && e->dtype == DT_bool)
        return ir_op(b->cx, OP_and, known_test(b, e->arg[0]), known_test(b, e->arg[1]));
    bool order = op_info[e->op].flags & OPF_ORDERS;
    if (!order || e->arg[0]->dtype != DT_i64 || !know_implies(&b->w.k, e, true))
        return e;
    return ir_int(b->cx, DT_bool, 1);
}

static void
unwrap_stmt(Walk *w, IrStmt *s)
{
    Bounds *b = w->arg;
    if (s->e)
        unwrap(b, &s->e);
    if (s->kind == IS_IF && s->cold_else && !b->collect)
        s->e = known_test(b, s->e);
    for (int i = 0; i < s->n_idx; i++)
        unwrap(b, &s->idx[i]);
    for (int i = 0; i < s->n_args; i++)
        if (s->args[i].e)
            unwrap(b, &s->args[i].e);
}

/* ---- index checks ---------------------------------------------------------------------------- */

/* In a version where the nest's condition holds, or behind an inspector that has found nothing
 * wrong. */
static void
assume_index(Bounds *b, IrBlock *blk, IrStmt *s)
{
    Check c;
    const Found *a = found_of(b, s);
    if (!a->first && take_apart(b, s, &c) && same_form(&c.low, &a->c.low) &&
        same_form(&c.dim, &a->c.dim)) {
        know_fact(&b->w.k, &c.high, true, 0);
        know_fact(&b->w.k, a->low ? &c.low : &c.wrapped, true, 0);
    } else {
        know_checked(&b->w.k, s->e, s->var, s->axis, a->low);
    }
    remark(b, s, REMARK_bounds_hoisted, "tested once before the loop");
    ir_remove(blk, s);
}

static void
check_index(Walk *w, IrBlock *blk, IrStmt *s)
{
    Bounds *b = w->arg;
    Check c;
    if (assumed(b, s)) {
        assume_index(b, blk, s);
        return;
    }
    if (!take_apart(b, s, &c)) {
        b->left++;
        if (!b->collect)
            remark(b, s, REMARK_bounds_remains, "the index is too complicated");
        return;
    }
    b->w.k.sure = true;
    Proof p = prove_check(b, s->e, &c);
    b->w.k.sure = false;
    if (p.high && (p.low || p.wrapped)) {
        remark(b, s, REMARK_bounds_removed, "always in range");
        ir_remove(blk, s);
        return;
    }
    b->left++;
    if (b->collect)
        try_hoist(b, s, &c, &p);
    else
        remark(b, s, REMARK_bounds_remains, "neither provable nor testable before the loop");
    know_checked(&b->w.k, s->e, s->var, s->axis, false);
}

/* Any other check: known to pass, or one that the loop does not change. */
static void
check_test(Walk *w, IrBlock *blk, IrStmt *s)
{
    Bounds *b = w->arg;
    b->w.k.sure = true;
    bool holds = assumed(b, s) || know_implies(&b->w.k, s->e, true);
    b->w.k.sure = false;
    if (holds) {
        ir_remove(blk, s);
    } else if (b->collect) {
        IrExpr *e = know_canonical(&b->w.k, s->e);
        /* Where a rare branch is not taken, its checks need not pass. */
        bool hoists = !w->cold && ir_invariant(e, &b->fx) && !ir_loads(e);
        for (int i = 0; hoists && e && i < b->tests.n; i++)
            if (ir_expr_equal(b->tests.at[i], e)) /* found already */
                e = NULL;
        if (hoists && e)
            VEC_PUSH(&b->cx->arena, b->tests, e);
        if (hoists)
            VEC_PUSH(&b->cx->arena, b->found, s);
        b->left++;
    }
    know_cond(&b->w.k, s->e, true);
}

/* ---- two versions of a nest ------------------------------------------------------------------ */

static void
make_cold(IrBlock *blk, IrStmt *s, void *arg)
{
    (void)blk;
    (void)arg;
    if (ir_does(s, ST_REPEATS))
        s->cold = s->novector = true;
}

static void
assume_found(Bounds *b, bool first)
{
    for (int i = 0; i < b->found.n; i++) {
        Found *a = found_of(b, b->found.at[i]);
        a->holds = true;
        a->first = first;
    }
}

typedef struct Rare {
    const Bounds *b;
    bool checks, heavy;
} Rare;

static bool
find_heavy(IrExpr **e, void *arg)
{
    bool op = (*e)->kind == IX_OP && dtype_is_float((DType)(*e)->dtype);
    ((Rare *)arg)->heavy |= op && op_info[(*e)->op].flags & OPF_VECTOR;
    return true;
}

static void
find_rare(IrBlock *blk, IrStmt *s, void *arg)
{
    Rare *r = arg;
    (void)blk;
    r->checks |= s->kind == IS_CHECK && !map_get(&r->b->assumed, s);
    ir_walk_stmt_exprs(s, find_heavy, r);
}

/* Do rare errors stay in the loop that keep elementary functions out of vectors? Pass defer needs
 * to see that the accesses between them are in range: a condition around the loop says so. */
static bool
is_for_defer(const Bounds *b, IrStmt *loop)
{
    Rare r = {.b = b};
    ir_walk_block(&loop->body, find_rare, &r);
    return r.checks && r.heavy;
}

/* Puts `if not cond { its checks }` before the loop, in place of a second version. */
static bool
check_first(Bounds *b, IrBlock *blk, IrStmt *loop)
{
    IrBlock checks = {0};
    if (is_for_defer(b, loop) || b->depth || b->tries || b->wraps_round || b->wraps.n ||
        !inspect_nest(b->f, loop, &b->fx, &checks))
        return false;
    IrStmt *s = ir_stmt(b->cx, IS_IF, loop->at);
    s->e = ir_op(b->cx, OP_inv, bounds_test(b));
    s->cold = true;
    s->body = checks;
    ir_insert_before(blk, loop, s);
    assume_found(b, true);
    return true;
}

/* Puts `if cond { loop } else { loop as it was }` where the loop is; yields the if. */
static IrStmt *
version(Bounds *b, IrBlock *blk, IrStmt *loop)
{
    IrStmt copy = *loop;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy};
    IrStmt *s = ir_stmt(b->cx, IS_IF, loop->at);
    s->e = bounds_test(b);
    s->cold_else = true;
    s->els = ir_clone_block(b->f, &one, NULL);
    ir_walk_block(&s->els, make_cold, NULL);
    ir_insert_before(blk, loop, s);
    ir_remove(blk, loop);
    ir_insert_before(&s->body, NULL, loop);
    assume_found(b, false);
    for (int i = 0; i < b->wraps.n; i++) {
        IrExpr index = *b->wraps.at[i]->arg[0];
        *b->wraps.at[i] = index;
    }
    return s;
}

typedef struct Census {
    int checks, indices, wraps, stmts, loops, tries;
} Census;

static bool
count_wrap(IrExpr **e, void *arg)
{
    ((Census *)arg)->wraps += (*e)->kind == IX_OP && (*e)->op == OP_wrap;
    return true;
}

static void
take_census(IrBlock *blk, IrStmt *s, void *arg)
{
    Census *c = arg;
    (void)blk;
    c->stmts++;
    c->checks += ir_does(s, ST_CHECKS);
    c->indices += s->kind == IS_CHECK_INDEX;
    c->loops += ir_does(s, ST_REPEATS);
    c->tries += s->kind == IS_TRY;
    ir_walk_stmt_exprs(s, count_wrap, c);
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Could a version without checks be worth its code? Finds what can be hoisted out of s. */
static bool
collect(Bounds *b, IrStmt *s, const IrEffects *fx)
{
    b->found.n = b->conds.n = b->tests.n = b->wraps.n = b->w.k.n_need = 0;
    b->wraps_round = false;
    b->needs = 0;
    b->fx = *fx;
    b->collect = true;
    b->w.k.small = &b->fx;
    walk_loop(&b->w, s, fx);
    b->w.k.small = NULL;
    b->collect = false;
    return b->conds.n > 0 || b->tests.n > 0 || b->needs;
}

static void
walk_inside(Bounds *b, IrStmt *s, const IrEffects *fx)
{
    b->depth++;
    walk_loop(&b->w, s, fx);
    b->depth--;
}

static void
check_loop(Walk *w, IrBlock *blk, IrStmt *s)
{
    Bounds *b = w->arg;
    IrEffects fx = ir_effects_stmt(b->f, s);
    Census c = {0};
    if (!b->collect) {
        ir_walk_block(&s->body, take_census, &c);
        ir_walk_block(&s->pre, take_census, &c);
    }
    bool waits = fx.waits || (fx.calls && b->f->kernel); /* threads must meet at the same barrier */
    if (c.checks + (b->unchecked ? c.wraps : 0) == 0 || s->cold || waits || c.stmts > MAX_STMTS ||
        b->versions >= MAX_VERSIONS) {
        walk_inside(b, s, &fx);
        return;
    }
    KnowMark m = know_mark(&b->w.k);
    bool worth;
    b->never.n = 0;
    do {
        walk_restore(w, m);
        b->left = 0;
        worth = collect(b, s, &fx);
    } while (exclude_conds(b));
    if (!worth && b->left == 0 && !b->unchecked && !b->w.k.n_need)
        return;
    walk_restore(w, m);
    if (!worth) {
        walk_inside(b, s, &fx);
        return;
    }
    IrStmt *both = NULL;
    if (!check_first(b, blk, s)) {
        if (!pass_may_copy(b->p, b->f, s, "bounds")) {
            walk_inside(b, s, &fx);
            return;
        }
        both = version(b, blk, s);
    }
    b->versions++;
    if (both)
        know_cond(&b->w.k, both->e, true);
    walk_inside(b, s, &fx);
    b->versions--;
    know_cut(&b->w.k, m);
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* Loop bounds that read memory become variables: conditions before the loop may use those. */
static void
name_bounds(IrBlock *blk, IrStmt *s, void *arg)
{
    IrFunc *f = arg;
    for (int i = 0; s->kind == IS_LOOP && i < 2; i++) {
        if (!ir_loads(s->idx[i]))
            continue;
        IrStmt *set = ir_stmt(f->mod->cx, IS_SET, s->at);
        set->var = ir_var(f, "t", DT_i64);
        set->e = s->idx[i];
        s->idx[i] = ir_use(f->mod->cx, set->var);
        ir_insert_before(blk, s, set);
    }
}

void
pass_bounds(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = p->mod->funcs.at[i];
        Census c = {0};
        ir_walk_block(&f->body, take_census, &c);
        Bounds b = {.p = p,
                    .cx = p->cx,
                    .f = f,
                    .tries = c.tries > 0,
                    .unchecked = c.indices == 0 && c.wraps > 0};
        if (c.checks || b.unchecked)
            ir_walk_block(&f->body, name_bounds, f);
        b.w = (Walk){.arg = &b,
                     .exprs = unwrap_stmt,
                     .check_index = check_index,
                     .check = check_test,
                     .loop = check_loop};
        walk_func(&b.w, f);
    }
}
