/* SPDX-License-Identifier: BSD-3-Clause
 * Rare errors inside hot loops: math.exp may overflow, math.sqrt may meet a negative number, a
 * divisor may be 0. A branch for each keeps an innermost loop from becoming vectors, so it is run
 * in strips of iterations that only note in a flag whether a check failed. Then the strip is
 * undone, what it stored to and the scalars it set put back as they were, and it runs again as it
 * was written, which raises at the right place. Nothing may go wrong in the iterations behind a
 * failed check: no operation traps, and every access of the strip is proved to be in range without
 * the help of a check. What is stored in branches is put back only where one was taken: another
 * thread may have the rest. */
#include "ir/search.h"
#include "pass/checks/defer.h"
#include "pass/analysis/lives.h"
#include "pass/analysis/walk.h"

enum { MAX_STORES = 4, MAX_SCALARS = 24, MAX_TOLD = 60, MAX_BRANCHED = 16 };

typedef struct Region { /* arr[idx] for each value of the loop variable */
    IrVar *arr, *buffer;
    IrExpr **idx;
    bool always;         /* an iteration stores to it whatever its branches ask; else */
    IrVar *stored, *did; /* whether this iteration does, and each of the strip */
} Region;

typedef struct Branched { /* a store in a branch */
    IrBlock *b;
    IrStmt *s;
    int region;
} Branched;

typedef struct Defer {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    bool lanes;         /* inside a loop that runs in vector lanes */
    IrBlock *out_block; /* the outermost of them: buffers are made before it */
    IrStmt *out;
    Vec(IrStmt *) around;
    /* of the loop at hand */
    IrStmt *loop;
    IrEffects fx; /* of its fast version */
    IrVar *i, *ok;
    bool proving, safe;
    IrExpr *test; /* before the loop: behind it no check fails */
    bool testable;
    int deferred, heavy;
    Vec(Region) regions;
    Vec(Branched) branched;
    Vec(IrVar *) scalars;
    Lives *lives; /* NULL: nobody has asked */
} Defer;

/* ---- is it worth it? ------------------------------------------------------------------------- */

static bool
find_heavy(IrExpr **e, void *arg)
{
    if ((*e)->kind != IX_OP)
        return true;
    int flags = op_info[(*e)->op].flags;
    bool heavy = (flags & OPF_VECTOR) || (*e)->op == OP_sqrt || (*e)->op == OP_div;
    ((Defer *)arg)->heavy += (heavy && dtype_is_float((DType)(*e)->dtype)) || (*e)->op == OP_toint;
    return true;
}

/* Does an int fit in a narrow element? Of those many are in a vector. */
static bool
asks_fit(const IrExpr *e)
{
    return e->kind == IX_OP && e->op == OP_eq && e->arg[0]->kind == IX_CAST &&
           e->arg[0]->arg[0]->kind == IX_CAST && dtype_size(e->arg[0]->arg[0]->dtype) <= 4;
}

/* Is a float in a range? Side by side two comparisons of many numbers, else a branch for each. */
static bool
asks_range(const IrExpr *e)
{
    while (e->kind == IX_OP && e->op == OP_inv)
        e = e->arg[0];
    if (e->kind == IX_OP && (e->op == OP_and || e->op == OP_or))
        return asks_range(e->arg[0]) && asks_range(e->arg[1]);
    return e->kind == IX_OP && (op_info[e->op].flags & (OPF_COMPARES | OPF_ORDERS)) &&
           dtype_is_float((DType)e->arg[0]->dtype) && e->arg[1]->kind == IX_CONST;
}

static void
note_scalar(Defer *d, IrVar *v)
{
    for (int i = 0; i < d->scalars.n; i++)
        if (d->scalars.at[i] == v)
            return;
    VEC_PUSH(&d->cx->arena, d->scalars, v);
}

/* Assignments, stores, checks, and ifs with these; counts the checks. */
static bool
suits(Defer *d, IrBlock *b)
{
    for (IrStmt *s = b->first; s; s = s->next) {
        ir_walk_stmt_exprs(s, find_heavy, d);
        switch (s->kind) {
        case IS_SET:
            note_scalar(d, s->var);
            break;
        case IS_STORE:
            break;
        case IS_IF:
            d->heavy += s->cold && asks_range(s->e);
            if (!suits(d, &s->body) || !suits(d, &s->els))
                return false;
            break;
        case IS_CHECK:
            d->heavy += asks_fit(s->e);
            d->deferred++;
            break;
        case IS_RAISE:
            d->deferred++;
            break;
        default:
            return false;
        }
    }
    return d->scalars.n <= MAX_SCALARS;
}

/* ---- the fast body --------------------------------------------------------------------------- */

static IrStmt *
new_set(Defer *d, IrVar *v, IrExpr *e, Span at)
{
    IrStmt *s = ir_stmt(d->cx, IS_SET, at);
    s->var = v;
    s->e = e;
    return s;
}

static IrStmt *
note(Defer *d, IrExpr *cond, Span at)
{
    return new_set(d, d->ok, ir_op(d->cx, OP_and, ir_use(d->cx, d->ok), cond), at);
}

static bool
ends_in_raise(const IrBlock *b)
{
    return b->last && b->last->kind == IS_RAISE;
}

static bool
holds_check(const IrBlock *b)
{
    for (const IrStmt *s = b->first; s; s = s->next)
        if (s->kind == IS_CHECK || s->kind == IS_RAISE ||
            (s->kind == IS_IF && (holds_check(&s->body) || holds_check(&s->els))))
            return true;
    return false;
}

/* int(x) is one instruction, for one number; as a cast it is as many as there are lanes. */
static bool
cast_ints(IrExpr **e, void *arg)
{
    if ((*e)->kind == IX_OP && (*e)->op == OP_toint)
        *e = ir_cast(((Defer *)arg)->cx, DT_i64, (*e)->arg[0]);
    return true;
}

static bool put_notes(Defer *d, IrBlock *b);

/* A branch that raises, or that is rare and holds checks, counts as failed; the other one is
 * what the strip does. */
static bool
note_branch(Defer *d, IrBlock *b, IrStmt *s)
{
    bool then_fails = ends_in_raise(&s->body) || (s->cold && holds_check(&s->body));
    bool else_fails = ends_in_raise(&s->els) || (s->cold_else && holds_check(&s->els));
    if (then_fails && else_fails)
        return false;
    if (!then_fails && !else_fails)
        return put_notes(d, &s->body) && put_notes(d, &s->els);
    IrBlock *rest = then_fails ? &s->els : &s->body;
    if (!put_notes(d, rest))
        return false;
    IrExpr *fine = then_fails ? ir_op(d->cx, OP_inv, s->e) : s->e;
    ir_insert_before(b, s, note(d, fine, s->at));
    for (IrStmt *k = rest->first, *next; k; k = next) {
        next = k->next;
        ir_insert_before(b, s, k);
    }
    ir_remove(b, s);
    return true;
}

static bool
put_notes(Defer *d, IrBlock *b)
{
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        if (s->kind == IS_RAISE)
            return false;
        if (s->kind == IS_IF && !note_branch(d, b, s))
            return false;
        if (s->kind == IS_CHECK) {
            ir_insert_before(b, s, note(d, s->e, s->at));
            ir_remove(b, s);
        }
    }
    return true;
}

/* ---- proofs ---------------------------------------------------------------------------------- */

static bool
in_range(Walk *w, IrVar *arr, int axis, IrExpr *i, IrAffine *at)
{
    return know_in_range(&w->k, i, arr, axis, at);
}

/* coef of the loop variable in a; the rest must not change in the loop and read no memory */
static bool
loop_coef(const Defer *d, const IrAffine *a, int64_t *coef)
{
    *coef = 0;
    for (int i = 0; i < a->n; i++) {
        const IrExpr *t = a->t[i].term;
        if (ir_is_var(t, d->i))
            *coef = a->t[i].coef;
        else if (!ir_invariant(t, &d->fx) || ir_loads(t))
            return false;
    }
    return true;
}

typedef struct Reads {
    Walk *w;
    bool ok;
} Reads;

/* With stores in branches nothing is gained by a loop whose loads make no vectors. */
static bool
prove_load(IrExpr **e, void *arg)
{
    Reads *r = arg;
    const Defer *d = r->w->arg;
    IrAffine a;
    int64_t coef;
    if ((*e)->kind == IX_OP && op_info[(*e)->op].flags & OPF_PARTIAL)
        r->ok &= ir_is_const((*e)->arg[1], NULL); /* its divisor may be 0 behind a failed check */
    for (int i = 0; (*e)->kind == IX_LOAD && i < (*e)->n; i++)
        r->ok = r->ok && in_range(r->w, (*e)->var, i, (*e)->arg[i], &a) &&
                (!d->branched.n || loop_coef(d, &a, &coef));
    return r->ok;
}

static bool
same_region(const Region *r, const IrVar *arr, IrExpr *const *idx)
{
    bool same = r->arr == arr;
    for (int i = 0; same && i < arr->ndim; i++)
        same = ir_expr_equal(r->idx[i], idx[i]);
    return same;
}

static Branched *
branched(const Defer *d, const IrStmt *s)
{
    for (int i = 0; i < d->branched.n; i++)
        if (d->branched.at[i].s == s)
            return &d->branched.at[i];
    return NULL;
}

/* Where a store goes must be known before the strip starts, one element an iteration. */
static bool
add_region(Walk *w, Defer *d, IrStmt *s)
{
    IrExpr **idx = NEW_N(&d->cx->arena, IrExpr *, s->n_idx + 1);
    int moving = 0;
    for (int i = 0; i < s->n_idx; i++) {
        IrAffine a;
        int64_t coef;
        if (!in_range(w, s->var, i, s->idx[i], &a) || !loop_coef(d, &a, &coef))
            return false;
        if (coef != 0 && coef != 1 && coef != -1)
            return false;
        moving += coef != 0;
        idx[i] = ir_affine_expr(d->cx, &a);
    }
    int n = 0;
    while (n < d->regions.n && !same_region(&d->regions.at[n], s->var, idx))
        n++;
    if (n == d->regions.n)
        VEC_PUSH(&d->cx->arena, d->regions, ((Region){.arr = s->var, .idx = idx}));
    Branched *in = branched(d, s);
    if (in)
        in->region = n;
    else
        d->regions.at[n].always = true;
    return moving == 1 && d->regions.n <= MAX_STORES;
}

static bool
use_set(IrExpr **e, void *arg)
{
    const IrStmt *set = arg;
    if ((*e)->kind == IX_VAR && (*e)->var == set->var)
        *e = set->e;
    return true;
}

/* cond, in front of s, in terms of what the assignments there are made of: an element is in the
 * range of its dtype, and the same wherever it is read, for nothing is stored between them. */
static IrExpr *
told_by_sets(Defer *d, const IrStmt *s, const IrExpr *cond)
{
    IrExpr *e = ir_copy_expr(d->cx, cond);
    for (IrStmt *p = s->prev; p && p->kind == IS_SET && ir_size(e) <= MAX_TOLD; p = p->prev) {
        if (!ir_mentions(e, p->var))
            continue;
        for (const IrStmt *q = p; q != s; q = q->next)
            if (ir_mentions(p->e, q->var))
                return e;
        IrExpr *value = ir_copy_expr(d->cx, p->e);
        ir_walk_expr(&e, use_set, &(IrStmt){.var = p->var, .e = value});
    }
    return e;
}

/* The loop's variable, or a constant more, is in range where its first and last value are. */
static IrExpr *
test_ends(Walk *w, const Defer *d, const IrExpr *cond)
{
    const int64_t most = (int64_t)1 << 40;
    int64_t lo, hi;
    IrAffine a;
    IrExpr *x = know_fit_of(cond, &lo, &hi);
    if (!x || !know_affine(&w->k, x, &a) || a.n != 1 || a.t[0].coef != 1 ||
        !ir_is_var(a.t[0].term, d->i) || a.c0 > most || a.c0 < -most)
        return NULL;
    IrExpr *first = ir_copy_expr(d->cx, d->loop->idx[0]),
           *stop = ir_copy_expr(d->cx, d->loop->idx[1]);
    return ir_op(d->cx, OP_and, ir_op(d->cx, OP_ge, first, ir_int(d->cx, DT_i64, lo - a.c0)),
                 ir_op(d->cx, OP_le, stop, ir_int(d->cx, DT_i64, hi - a.c0 + 1)));
}

static void
add_test(Walk *w, Defer *d, const IrStmt *s)
{
    IrExpr *cond = d->testable ? told_by_sets(d, s, s->e->arg[1]) : NULL;
    IrExpr *test = cond ? know_fit_test(&w->k, cond, &d->fx) : NULL;
    if (cond && !test)
        test = test_ends(w, d, cond);
    d->testable = test;
    if (test)
        d->test = d->test ? ir_op(d->cx, OP_and, d->test, test) : test;
}

static void
prove_stmt(Walk *w, IrStmt *s)
{
    Defer *d = w->arg;
    if (!d->proving || !d->safe)
        return;
    Reads r = {w, true};
    ir_walk_stmt_exprs(s, prove_load, &r);
    if (s->kind == IS_SET && s->var == d->ok)
        add_test(w, d, s);
    d->safe = r.ok && (s->kind != IS_STORE || add_region(w, d, s));
}

/* All of a region is saved, so that it must be in range whatever a branch asks: that is proved of
 * loads before the body. */
static bool
put_probes(Defer *d, const IrEffects *fx, IrBlock *b, bool inside, IrBlock *probes)
{
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == IS_IF && !(put_probes(d, fx, &s->body, true, probes) &&
                                  put_probes(d, fx, &s->els, true, probes)))
            return false;
        if (s->kind != IS_STORE || !inside)
            continue;
        for (int i = 0; i < s->n_idx; i++)
            if (ir_loads(s->idx[i]) || !ir_invariant(s->idx[i], fx))
                return false;
        IrVar *probe = ir_var(d->f, "probe", (DType)s->var->dtype);
        IrExpr *e = ir_copy_expr(d->cx, ir_load(d->cx, s->var, s->n_idx, s->idx));
        ir_insert_before(probes, NULL, new_set(d, probe, e, s->at));
        VEC_PUSH(&d->cx->arena, d->branched, ((Branched){b, s, -1}));
    }
    return d->branched.n <= MAX_BRANCHED;
}

/* What a branch sets, and nothing behind it asks for, would be a variable that lives on from one
 * iteration to the next, of which no vectors are made: it gets a name for each way to run. */
static void
name_apart(Defer *d, Map *own)
{
    int n = 0;
    if (!d->lives)
        d->lives = lives_find(d->cx, d->f);
    for (int i = 0; i < d->scalars.n; i++) {
        IrVar *v = d->scalars.at[i];
        if (!v->is_param && lives_in_iteration(d->lives, v))
            map_put(&d->cx->arena, own, v, ir_var(d->f, v->name, (DType)v->dtype));
        else
            d->scalars.at[n++] = v;
    }
    d->scalars.n = n;
}

typedef struct Unread {
    const IrVar *v;
    bool read, drop;
} Unread;

static void
find_read(IrBlock *b, IrStmt *s, void *arg)
{
    Unread *u = arg;
    if (s->kind == IS_SET && s->var == u->v) {
        if (u->drop)
            ir_remove(b, s);
        return;
    }
    u->read |= s->e && ir_mentions(s->e, u->v);
    for (int i = 0; i < s->n_idx; i++)
        u->read |= ir_mentions(s->idx[i], u->v) > 0;
}

/* Of these variables, what nobody reads would still go from one iteration to the next. */
static void
drop_unread(Defer *d, IrStmt *fast, int from, int to)
{
    for (int i = from; i < to; i++) {
        Unread u = {d->f->vars.at[i], false, false};
        ir_walk_block(&fast->body, find_read, &u);
        u.drop = !u.read;
        if (u.drop)
            ir_walk_block(&fast->body, find_read, &u);
    }
}

/* The loop with notes for checks, proved to be harmless; NULL when it isn't. */
static IrStmt *
fast_loop(Walk *w, Defer *d, IrStmt *s)
{
    IrStmt copy = *s;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy}, probes = {0};
    Map own = {0};
    int from = d->f->vars.n;
    name_apart(d, &own);
    int to = d->f->vars.n;
    IrBlock clone = ir_clone_block(d->f, &one, &own);
    IrStmt *fast = clone.first;
    d->i = fast->var;
    d->ok = ir_var(d->f, "ok", DT_bool);
    IrEffects body = ir_effects(d->f, &fast->body);
    if (!put_notes(d, &fast->body) || !put_probes(d, &body, &fast->body, false, &probes))
        return NULL;
    ir_walk_exprs_in(fast, cast_ints, d);
    drop_unread(d, fast, from, to);
    IrStmt *first = fast->body.first;
    for (IrStmt *k = probes.first, *next; k; k = next) {
        next = k->next;
        ir_insert_before(&fast->body, first, k);
    }
    d->fx = ir_effects_stmt(d->f, fast);
    d->proving = d->safe = d->testable = true;
    d->test = NULL;
    KnowMark m = know_mark(&w->k);
    w->k.thorough = true; /* one proof that fails is enough for the loop to stay as it is */
    walk_loop(w, fast, &d->fx);
    walk_restore(w, m);
    d->proving = w->k.thorough = false;
    while (fast->body.first != first)
        ir_remove(&fast->body, fast->body.first);
    ir_remove(&clone, fast);
    if (d->safe)
        defer_casts(d->cx, d->f, fast, d->ok, from);
    return d->safe ? fast : NULL;
}

/* ---- the code -------------------------------------------------------------------------------- */

static void
put(IrBlock *b, IrStmt *s)
{
    ir_insert_before(b, NULL, s);
}

static IrStmt *
new_loop(Defer *d, IrVar *v, IrExpr *lo, IrExpr *hi, int64_t step)
{
    IrStmt *s = ir_stmt(d->cx, IS_LOOP, d->loop->at);
    s->var = v;
    s->n_idx = 3;
    s->idx = NEW_N(&d->cx->arena, IrExpr *, 3);
    s->idx[0] = lo;
    s->idx[1] = hi;
    s->idx[2] = ir_int(d->cx, DT_i64, step);
    return s;
}

typedef struct StripVar { /* the strip at hand: from `at` up to end(), not with it */
    IrVar *at;
    IrExpr *stop;
} StripVar;

static IrExpr *
start_of(Defer *d, const StripVar *v)
{
    return ir_use(d->cx, v->at);
}

static IrExpr *
length_of(Defer *d, const StripVar *v)
{
    IrExpr *left = ir_op(d->cx, OP_sub, ir_copy_expr(d->cx, v->stop), start_of(d, v));
    return ir_op(d->cx, OP_min, left, ir_int(d->cx, DT_i64, tune(d->cx, defer_strip)));
}

static IrExpr *
end_of(Defer *d, const StripVar *v)
{
    return ir_op(d->cx, OP_add, start_of(d, v), length_of(d, v));
}

/* Between each region and its buffer, one way or the other. */
static void
copy_regions(Defer *d, IrBlock *b, const StripVar *v, bool save)
{
    for (int n = 0; n < d->regions.n; n++) {
        Region *r = &d->regions.at[n];
        IrVar *k = ir_var(d->f, "k", DT_i64);
        IrStmt *loop = new_loop(d, k, start_of(d, v), end_of(d, v), 1);
        Map map = {0};
        map_put(&d->cx->arena, &map, d->i, k);
        IrExpr **idx = NEW_N(&d->cx->arena, IrExpr *, r->arr->ndim + 1);
        for (int i = 0; i < r->arr->ndim; i++)
            idx[i] = ir_clone_expr(d->f, r->idx[i], &map);
        IrExpr *in_buffer = ir_op(d->cx, OP_sub, ir_use(d->cx, k), start_of(d, v));
        IrBuilder at = {
            .cx = d->cx, .f = d->f, .mod = d->f->mod, .at = &loop->body, .span = loop->at};
        if (save) {
            ir_store(&at, r->buffer, 1, &in_buffer, ir_load(d->cx, r->arr, r->arr->ndim, idx));
        } else {
            IrStmt *was = r->did ? ir_if(&at, ir_load(d->cx, r->did, 1, &in_buffer)) : NULL;
            at.at = was ? &was->body : at.at;
            ir_store(&at, r->arr, r->arr->ndim, idx, ir_load(d->cx, r->buffer, 1, &in_buffer));
        }
        loop->cold = !save;
        put(b, loop);
    }
}

static IrVar *
new_buffer(Defer *d, IrBlock *b, IrStmt *where, const char *name, DType t)
{
    IrVar *v = ir_array_var(d->f, name, t, 1, LAY_C);
    v->noalias = true;
    IrStmt *s = ir_stmt(d->cx, IS_ALLOC, d->loop->at);
    s->var = v;
    s->order = LAY_C;
    s->n_idx = 1;
    s->idx = NEW_N(&d->cx->arena, IrExpr *, 1);
    s->idx[0] = ir_int(d->cx, DT_i64, tune(d->cx, defer_strip));
    ir_insert_before(b, where, s);
    d->f->may_raise = true;
    return v;
}

static void
make_buffers(Defer *d, IrBlock *b, IrStmt *where)
{
    for (int i = 0; i < d->regions.n; i++) {
        Region *r = &d->regions.at[i];
        r->buffer = new_buffer(d, b, where, "saved", (DType)r->arr->dtype);
        r->did = r->always ? NULL : new_buffer(d, b, where, "did", DT_bool);
    }
}

/* The fast loop tells of each region which of its iterations have stored there. */
static void
note_stores(Defer *d, IrStmt *fast, const StripVar *v)
{
    IrBuilder end = {
        .cx = d->cx, .f = d->f, .mod = d->f->mod, .at = &fast->body, .span = d->loop->at};
    for (int i = 0; i < d->regions.n; i++) {
        Region *r = &d->regions.at[i];
        if (!r->did)
            continue;
        r->stored = ir_var(d->f, "stored", DT_bool);
        for (int k = 0; k < d->branched.n; k++) {
            Branched *in = &d->branched.at[k];
            if (in->region == i)
                ir_insert_before(in->b, in->s,
                                 new_set(d, r->stored, ir_int(d->cx, DT_bool, 1), in->s->at));
        }
        IrStmt *none = new_set(d, r->stored, ir_int(d->cx, DT_bool, 0), d->loop->at);
        ir_insert_before(&fast->body, fast->body.first, none);
        IrExpr *at = ir_op(d->cx, OP_sub, ir_use(d->cx, d->i), start_of(d, v));
        ir_store(&end, r->did, 1, &at, ir_use(d->cx, r->stored));
    }
}

/* Independent iterations now have the flag in common. */
static void
combine_flag(IrBlock *b, IrStmt *s, void *arg)
{
    Defer *d = arg;
    (void)b;
    if (s->kind != IS_LOOP || !s->independent)
        return;
    IrReduce *reds = NEW_N(&d->cx->arena, IrReduce, s->n_reds + 1);
    if (s->n_reds)
        memcpy(reds, s->reds, sizeof *reds * (size_t)s->n_reds);
    reds[s->n_reds++] = (IrReduce){.var = d->ok, .op = OP_and};
    s->reds = reds;
}

static void
put_attempt(Defer *d, IrBlock *b, IrStmt *fast, const StripVar *v)
{
    Cx *cx = d->cx;
    IrStmt *undo = ir_stmt(cx, IS_IF, d->loop->at);
    undo->e = ir_op(cx, OP_inv, ir_use(cx, d->ok));
    undo->cold = true;
    for (int i = 0; i < d->scalars.n; i++) {
        IrVar *x = d->scalars.at[i], *was = ir_var(d->f, x->name, (DType)x->dtype);
        put(b, new_set(d, was, ir_use(cx, x), d->loop->at));
        put(&undo->body, new_set(d, x, ir_use(cx, was), d->loop->at));
    }
    copy_regions(d, b, v, true);
    fast->idx[0] = start_of(d, v);
    fast->idx[1] = end_of(d, v);
    note_stores(d, fast, v);
    put(b, fast);
    combine_flag(b, fast, d);
    ir_walk_block(&fast->body, combine_flag, d);
    copy_regions(d, &undo->body, v, false);
    put(b, undo);
}

static IrExpr *
named(Defer *d, IrBlock *b, IrStmt *before, IrExpr *e)
{
    if (e->kind == IX_CONST)
        return e;
    IrVar *v = ir_var(d->f, "stop", DT_i64);
    ir_insert_before(b, before, new_set(d, v, e, before->at));
    return ir_use(d->cx, v);
}

/* for strip in lo .. hi step tune(defer_strip):
 *   ok = long enough; if ok: save, fast loop, and undo unless ok; if not ok: the loop as it was */
static void
rewrite(Defer *d, IrBlock *b, IrStmt *s, IrStmt *fast)
{
    Cx *cx = d->cx;
    StripVar v = {ir_var(d->f, "strip", DT_i64), named(d, b, s, s->idx[1])};
    IrStmt *outer = new_loop(d, v.at, s->idx[0], ir_copy_expr(cx, v.stop), tune(cx, defer_strip));
    outer->novector = true;
    outer->loop = s->loop;
    ir_insert_before(b, s, outer);
    ir_remove(b, s);
    IrExpr *few = ir_int(cx, DT_i64, tune(cx, defer_fewest));
    if (d->out == s && d->regions.n) {
        IrStmt *enough = ir_stmt(cx, IS_IF, s->at);
        IrExpr *n = ir_op(cx, OP_sub, ir_copy_expr(cx, v.stop), ir_copy_expr(cx, s->idx[0]));
        enough->e = ir_op(cx, OP_ge, n, few);
        ir_insert_before(b, outer, enough);
        make_buffers(d, &enough->body, NULL);
    } else {
        make_buffers(d, d->out_block, d->out);
        for (int i = 0; i < d->around.n && d->regions.n; i++) /* they have the buffers in common */
            d->around.at[i]->independent = d->around.at[i]->novec_alias = false;
    }
    put(&outer->body, new_set(d, d->ok, ir_op(cx, OP_ge, length_of(d, &v), few), s->at));
    IrStmt *attempt = ir_stmt(cx, IS_IF, s->at), *again = ir_stmt(cx, IS_IF, s->at);
    attempt->e = ir_use(cx, d->ok);
    again->e = ir_op(cx, OP_inv, ir_use(cx, d->ok));
    put(&outer->body, attempt);
    put(&outer->body, again);
    put_attempt(d, &attempt->body, fast, &v);
    s->idx[0] = start_of(d, &v);
    s->idx[1] = end_of(d, &v);
    s->novector = true; /* but not cold: short loops run here */
    put(&again->body, s);
    pass_remark(d->p, REMARK_defer_deferred, s->at, "tested once in %d iterations",
                tune(cx, defer_strip));
}

static void
drop_check(IrBlock *b, IrStmt *s, void *arg)
{
    (void)arg;
    if (s->kind == IS_CHECK)
        ir_remove(b, s);
}

/* if test: the loop without checks; else: room for what there is, a copy of the same loop. */
static IrBlock *
put_version(Defer *d, IrBlock *b, IrStmt *s)
{
    IrStmt *choice = ir_stmt(d->cx, IS_IF, s->at), copy = *s;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy};
    choice->e = d->test;
    choice->body = ir_clone_block(d->f, &one, NULL);
    ir_walk_block(&choice->body, drop_check, NULL);
    ir_insert_before(b, s, choice);
    ir_remove(b, s);
    put(&choice->els, s);
    return &choice->els;
}

/* ---- the pass -------------------------------------------------------------------------------- */

static bool
is_candidate(Defer *d, IrStmt *s)
{
    int64_t step, count;
    d->loop = s;
    d->deferred = d->heavy = 0;
    d->regions.n = d->scalars.n = d->branched.n = 0;
    if (s->kind != IS_LOOP || d->lanes || s->cold || s->novector || s->elementwise || d->proving ||
        !ir_is_const(s->idx[2], &step) || step != 1)
        return false;
    IrExpr *span = ir_op(d->cx, OP_sub, s->idx[1], s->idx[0]);
    if (ir_is_const(span, &count) && count < tune(d->cx, defer_fewest))
        return false;
    return suits(d, &s->body) && d->deferred > 0 && d->heavy > 0;
}

static void
visit_loop(Walk *w, IrBlock *b, IrStmt *s)
{
    Defer *d = w->arg;
    bool lanes = d->lanes;
    d->lanes |= s->lanes > 0;
    if (d->around.n == 0 && !d->proving) {
        d->out_block = b;
        d->out = s;
    }
    IrStmt *fast = is_candidate(d, s) ? fast_loop(w, d, s) : NULL;
    IrEffects fx = ir_effects_stmt(d->f, s);
    if (fast && pass_may_copy(d->p, d->f, s, "defer"))
        rewrite(d, d->testable && pass_may_copy(d->p, d->f, s, "defer") ? put_version(d, b, s) : b,
                s, fast);
    VEC_PUSH(&d->cx->arena, d->around, s);
    walk_loop(w, s, &fx);
    d->around.n--;
    d->lanes = lanes;
}

static void
find_check(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    *(bool *)arg |= s->kind == IS_CHECK || s->kind == IS_RAISE;
}

void
pass_defer(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = p->mod->funcs.at[i];
        bool any = false;
        ir_walk_block(&f->body, find_check, &any);
        if (!any)
            continue;
        Defer d = {.p = p, .cx = p->cx, .f = f};
        Walk w = {.arg = &d, .exprs = prove_stmt, .loop = visit_loop};
        walk_func(&w, f);
    }
}
