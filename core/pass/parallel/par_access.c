/* SPDX-License-Identifier: BSD-3-Clause
 * The elements of arrays that one iteration of a loop touches: a walk over its body in
 * order. An access through a view made on the way is said in indices of the array that it
 * looks into, from the view's offset and strides; scalars set on the way are replaced by
 * what they are; so that what is left are the loop's variable, inner loops' variables and
 * what L does not change. Arrays made in the body are each iteration's own and are left
 * out. */
#include "pass/parallel/par_access.h"
#include "type/builtin.h"

bool
par_is_local(const ParLoop *l, const IrVar *v)
{
    return ir_in(l->fx.sets, v);
}

static const IrStmt *
only_def(const ParDefs *d, const IrVar *v)
{
    return v->id >= 0 && v->id < d->n_vars && d->n[v->id] == 1 ? d->def[v->id] : NULL;
}

/* ---- scalars put in -------------------------------------------------------------------------- */

bool
par_is_around(const Collect *c, const IrStmt *loop)
{
    if (loop == c->l->s)
        return true;
    for (int i = 0; i < c->n_loops; i++)
        if (c->loop[i] == loop)
            return true;
    return false;
}

const IrStmt *
par_local_def(const Collect *c, const IrVar *v)
{
    const IrStmt *d = only_def(&c->l->local, v);
    const IrStmt *loop = d ? c->l->seen[v->id] : NULL;
    return loop && par_is_around(c, loop) ? d : NULL;
}

static IrExpr *
expand_var(Collect *c, const IrExpr *e, int depth)
{
    IrVar *v = e->var;
    if (v == c->l->s->var)
        return (IrExpr *)e;
    if (!par_is_local(c->l, v))
        return par_settle(c->l, e);
    for (int i = 0; i < c->n_loops; i++)
        if (c->loop[i]->kind == IS_LOOP && c->loop[i]->var == v)
            return (IrExpr *)e;
    for (int i = 0; i < c->n_choices; i++)
        if (c->choice[i].v == v && par_is_around(c, c->choice[i].in))
            return c->choice[i].is;
    const IrStmt *d = par_local_def(c, v);
    return d && d->kind == IS_SET ? par_expand(c, d->e, depth + 1) : NULL;
}

typedef struct Alts {
    const IrVar *v;
    const IrStmt *def[MAX_ALTS];
    int n;
    const IrStmt *s;
} Alts;

static void
alt_def(IrVar *v, void *arg)
{
    Alts *a = arg;
    if (v == a->v && a->s->kind != IS_DROP && a->n <= MAX_ALTS) {
        if (a->n < MAX_ALTS)
            a->def[a->n] = a->s;
        a->n++;
    }
}

static void
find_alts(IrBlock *b, IrStmt *s, void *arg)
{
    Alts *a = arg;
    (void)b;
    a->s = s;
    ir_walk_defs(s, alt_def, a);
}

static IrExpr *
dim_by(Collect *c, const IrStmt *d, int axis, int depth)
{
    if (d->kind == IS_ALIAS)
        return par_expand(c, ir_dim(c->l->cx, d->base, axis), depth + 1);
    bool dims = d->kind == IS_VIEW || d->kind == IS_ALLOC;
    return dims ? par_expand(c, d->idx[axis], depth + 1) : NULL;
}

/* Whichever of its definitions counts, the dimension is the same. */
static IrExpr *
dim_by_all(Collect *c, IrVar *v, int axis, int depth)
{
    Alts alts = {.v = v};
    ir_walk_block(&c->l->s->body, find_alts, &alts);
    if (alts.n == 0 || alts.n > MAX_ALTS)
        return NULL;
    IrExpr *dim = alts.def[0]->base == v ? NULL : dim_by(c, alts.def[0], axis, depth);
    for (int i = 1; dim && i < alts.n; i++) {
        IrExpr *e = alts.def[i]->base == v ? NULL : dim_by(c, alts.def[i], axis, depth);
        dim = e && ir_expr_equal(e, dim) ? dim : NULL;
    }
    return dim;
}

static IrExpr *
expand_dim(Collect *c, const IrExpr *e, int depth)
{
    if (!par_is_local(c->l, e->var))
        return (IrExpr *)e;
    const IrStmt *d = par_local_def(c, e->var);
    if (depth > MAX_DEPTH || e->kind != IX_DIM)
        return NULL;
    return d ? dim_by(c, d, e->axis, depth) : dim_by_all(c, e->var, e->axis, depth);
}

IrExpr *
par_expand(Collect *c, const IrExpr *e, int depth)
{
    IrExpr *arg[3];
    if (depth > MAX_DEPTH)
        return NULL;
    switch (e->kind) {
    case IX_CONST:
        return (IrExpr *)e;
    case IX_VAR:
        return expand_var(c, e, depth);
    case IX_DIM:
    case IX_STRIDE:
        return expand_dim(c, e, depth);
    case IX_LOAD:
        return ir_invariant(e, &c->l->fx) ? (IrExpr *)e : NULL;
    default:
        break;
    }
    if (ir_invariant(e, &c->l->fx))
        return par_settle(c->l, e);
    for (int i = 0; i < e->n && i < 3; i++)
        if (!(arg[i] = par_expand(c, e->arg[i], depth)))
            return NULL;
    return e->kind == IX_CAST ? ir_cast(c->l->cx, (DType)e->dtype, arg[0])
                              : ir_opv(c->l->cx, (IrOp)e->op, arg);
}

/* ---- what an array variable looks into ------------------------------------------------------- */

/* Set once, in no loop. */
static bool
is_fixed_var(const ParLoop *l, const IrVar *v)
{
    return v->id >= 0 && v->id < l->defs->n_vars && !l->defs->looped[v->id] &&
           l->defs->n[v->id] == (v->is_param ? 0 : 1);
}

/* Values in e are what they were when the view was made, wherever it is used. */
static bool
is_fixed(const ParLoop *l, const IrExpr *e)
{
    if (e->kind == IX_LOAD || (e->var && !is_fixed_var(l, e->var)))
        return false;
    for (int i = 0; i < e->n; i++)
        if (!is_fixed(l, e->arg[i]))
            return false;
    return true;
}

const IrStmt *
par_fixed_def(const ParLoop *l, const IrVar *v)
{
    const IrStmt *d = v->is_param ? NULL : only_def(l->defs, v);
    return d && d->kind == IS_SET && is_fixed_var(l, v) && is_fixed(l, d->e) ? d : NULL;
}

static bool
is_fixed_view(const ParLoop *l, const IrStmt *d)
{
    const IrVar *b = d->base;
    if (!is_fixed_var(l, b) || !is_fixed_var(l, d->var))
        return false;
    if (d->kind == IS_ALIAS)
        return true;
    bool ok = is_fixed(l, d->e);
    for (int i = 0; i < d->n_idx; i++)
        ok = ok && is_fixed(l, d->idx[i]);
    return ok;
}

static void
add_access(Collect *c, const ParAccess *from, IrVar *root, IrExpr **idx)
{
    ParLoop *l = c->l;
    ParAccess a = *from;
    a.root = root;
    a.idx = idx;
    a.conds = arena_dup(&l->cx->arena, c->cond, sizeof *c->cond * (size_t)c->n_conds);
    a.n_conds = c->n_conds;
    a.inner = arena_dup(&l->cx->arena, c->range, sizeof *c->range * (size_t)c->n_loops);
    a.n_inner = c->n_loops;
    a.when = c->now;
    a.in = par_here(c).in;
    VEC_PUSH(&l->cx->arena, l->acc, a);
}

static void resolve(Collect *c, ParAccess *a, IrVar *v, IrExpr **idx, int depth);

/* What a call yields is its own, or somewhere in the arguments that it may be a view of. */
static void
resolve_call(Collect *c, ParAccess *a, IrVar *v, const IrStmt *d, int depth)
{
    for (int i = 0; i < d->n_args; i++) {
        IrVar *base = d->args[i].arr;
        if (!base || !ir_call_views(d, v, i))
            continue;
        ParAccess one = *a;
        IrExpr **idx = NEW_N(&c->l->cx->arena, IrExpr *, base->ndim + 1);
        for (int k = 0; k < base->ndim; k++)
            idx[k] = par_any_index(c, base, k, NULL);
        one.must = false;
        resolve(c, &one, base, idx, depth + 1);
    }
}

static void
resolve_def(Collect *c, ParAccess *a, IrVar *v, const IrStmt *d, IrExpr **idx, int depth)
{
    if (d->kind == IS_ALLOC)
        return; /* each iteration's own */
    if (d->kind == IS_ALIAS)
        resolve(c, a, d->base, idx, depth + 1);
    else if (d->kind == IS_VIEW) {
        bool exact = true;
        idx = par_through_view(c, d, idx, &exact);
        a->must &= exact;
        resolve(c, a, d->base, idx, depth + 1);
    } else if (d->kind == IS_CALL)
        resolve_call(c, a, v, d, depth);
    else if (!v->noalias)
        add_access(c, a, v, NULL);
}

/* An array that the iteration has made itself. */
static bool
is_own(const ParLoop *l, const IrVar *v, const IrStmt *d, int depth)
{
    if (d->kind == IS_ALLOC || ir_call_makes(d, v))
        return true;
    if ((d->kind != IS_ALIAS && d->kind != IS_VIEW) || depth > MAX_DEPTH)
        return false;
    const IrStmt *base = only_def(&l->local, d->base);
    return base && is_own(l, d->base, base, depth + 1);
}

/* Defined more than once in L: it may be each of these. */
static void
resolve_alts(Collect *c, ParAccess *a, IrVar *v, IrExpr **idx, int depth)
{
    Alts alts = {.v = v};
    ir_walk_block(&c->l->s->body, find_alts, &alts);
    int shared = 0;
    for (int i = 0; i < alts.n && i < MAX_ALTS; i++)
        shared += !is_own(c->l, v, alts.def[i], 0);
    if (alts.n > MAX_ALTS || alts.n == 0) {
        add_access(c, a, v, NULL);
        return;
    }
    for (int i = 0; i < alts.n; i++) {
        ParAccess one = *a;
        one.must &= shared == 1;
        one.mixed = shared < alts.n;
        if (alts.def[i]->base == v) /* x = x[1:] and the like */
            add_access(c, &one, v, NULL);
        else
            resolve_def(c, &one, v, alts.def[i], idx, depth);
    }
}

const IrStmt *
par_shared_def(const Collect *c, const IrVar *v)
{
    const IrStmt *shared = NULL;
    Alts alts = {.v = v};
    ir_walk_block(&c->l->s->body, find_alts, &alts);
    for (int i = 0; i < alts.n && i < MAX_ALTS; i++) {
        if (is_own(c->l, v, alts.def[i], 0))
            continue;
        if (shared)
            return NULL;
        shared = alts.def[i];
    }
    return alts.n <= MAX_ALTS ? shared : NULL;
}

/* Is v all of an array that is seen as one with one axis: of root, or of one that root may stand
 * for? */
bool
par_is_flat_of(const Collect *c, const IrVar *v, const IrVar *root)
{
    const IrStmt *d = par_local_def(c, v);
    if (!d || d->kind != IS_VIEW || !par_is_flattened(c, d))
        return false;
    if (d->base == root)
        return true;
    Alts alts = {.v = d->base};
    ir_walk_block(&c->l->s->body, find_alts, &alts);
    for (int i = 0; i < alts.n && i < MAX_ALTS; i++)
        if (!is_own(c->l, d->base, alts.def[i], 0) &&
            (alts.def[i]->kind != IS_ALIAS || alts.def[i]->base != root))
            return false;
    return alts.n > 0 && alts.n <= MAX_ALTS;
}

static void
resolve(Collect *c, ParAccess *a, IrVar *v, IrExpr **idx, int depth)
{
    ParLoop *l = c->l;
    const IrStmt *d = only_def(l->defs, v);
    if (!a->via && !par_is_local(l, v))
        a->via = v;
    if (depth > MAX_DEPTH) {
        add_access(c, a, v, NULL);
    } else if (!par_is_local(l, v)) {
        bool view = d && ir_does(d, ST_LOOKS) && d->kind != IS_GET && is_fixed_view(l, d);
        if (view)
            resolve_def(c, a, v, d, idx, depth);
        else
            add_access(c, a, v, idx);
    } else if ((d = par_local_def(c, v)) != NULL) {
        resolve_def(c, a, v, d, idx, depth);
    } else {
        resolve_alts(c, a, v, idx, depth);
    }
}

/* ---- accesses -------------------------------------------------------------------------------- */

static const IrExpr *
no_wrap(const IrExpr *e)
{
    return e->kind == IX_OP && e->op == OP_wrap ? e->arg[0] : e;
}

static Span
place_of(const Collect *c, const IrVar *var, IrExpr *const *idx)
{
    for (int i = c->n_recent; idx && i > 0 && i > c->n_recent - RECENT; i--) {
        const Seen *s = &c->recent[(i - 1) % RECENT];
        for (int k = 0; s->var == var && k < var->ndim; k++)
            if (ir_expr_equal(s->e, no_wrap(idx[k])))
                return s->at;
    }
    return c->s->at;
}

static void
touch(Collect *c, IrVar *var, IrExpr **idx, bool write, bool must)
{
    Cx *cx = c->l->cx;
    ParAccess a = {
        .var = var, .s = c->s, .write = write, .must = c->must && must, .plain = c->plain};
    a.at = place_of(c, var, idx);
    a.at_idx = idx;
    IrExpr **known = NEW_N(&cx->arena, IrExpr *, var->ndim + 1);
    for (int i = 0; i < var->ndim; i++)
        known[i] = idx ? par_expand(c, idx[i], 0) : NULL;
    resolve(c, &a, var, known, 0);
}

static void
touch_all(Collect *c, IrVar *arr, bool write, bool must)
{
    Cx *cx = c->l->cx;
    ParAccess a = {.var = arr,
                   .s = c->s,
                   .at = c->s->at,
                   .write = write,
                   .must = c->must && must,
                   .plain = c->plain};
    IrExpr **idx = NEW_N(&cx->arena, IrExpr *, arr->ndim + 1);
    for (int i = 0; i < arr->ndim; i++)
        idx[i] = par_any_index(c, arr, i, NULL);
    resolve(c, &a, arr, idx, 0);
}

static bool
touch_load(IrExpr **e, void *arg)
{
    if ((*e)->kind == IX_LOAD)
        touch(arg, (*e)->var, (*e)->arg, false, true);
    return true;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* A Generator, by its words: whether an iteration draws hangs on its numbers, and one is as bad as
 * many. */
static void
draw_from(Collect *c, IrVar *words)
{
    IrExpr *first = ir_int(c->l->cx, DT_i64, 0);
    bool must = c->must;
    c->must = true;
    touch(c, words, &first, false, true);
    touch(c, words, &first, true, true);
    c->must = must;
}

static void
touch_call(Collect *c, IrStmt *s)
{
    const KernelRow *kernel = s->kind == IS_CALL ? ir_kernel(s->func) : NULL;
    for (int i = 0; i < s->n_args; i++) {
        IrVar *v = s->args[i].arr;
        if (v && kernel && kernel_draws(kernel) && ir_call_reads(s, i) && ir_call_writes(s, i)) {
            draw_from(c, v);
            continue;
        }
        if (v && ir_call_reads(s, i))
            touch_all(c, v, false, false);
        if (v && ir_call_writes(s, i))
            touch_all(c, v, true, false);
    }
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void walk(Collect *c, IrBlock *b);

static void
note_def(IrVar *v, void *arg)
{
    Collect *c = arg;
    if (v->id >= c->l->local.n_vars)
        return;
    c->l->seen[v->id] = c->n_loops ? c->loop[c->n_loops - 1] : c->l->s;
    c->l->when[v->id] = c->now;
}

enum { FEW = 1 << 16 };

static void
walk_inner(Collect *c, IrStmt *s)
{
    ParLoop *l = c->l;
    bool must = c->must, plain = c->plain;
    ParRange r = {.var = s->var};
    int64_t step = 0;
    if (s->kind == IS_WHILE) {
        walk(c, &s->pre);
        c->s = s;
        ir_walk_expr(&s->e, touch_load, c);
    } else {
        c->s = s;
        ir_walk_stmt_exprs(s, touch_load, c);
        ir_is_const(s->idx[2], &step);
        r.lo = par_expand(c, s->idx[0], 0);
        r.hi = par_expand(c, s->idx[1], 0);
        r.first = r.lo;
        r.step = step;
        if (step < 0) { /* lo, lo - 1, .. above hi: the same values, from the other end */
            IrExpr *one = ir_int(l->cx, DT_i64, 1), *lo = r.lo;
            r.lo = r.hi ? ir_op(l->cx, OP_add, r.hi, one) : NULL;
            r.hi = lo ? ir_op(l->cx, OP_add, lo, one) : NULL;
        }
        VEC_PUSH(&l->cx->arena, l->ranges, r);
        l->early |= step > FEW || step < -FEW || par_find_exit(&s->body, 0);
    }
    if (s->kind == IS_WHILE || ir_effects(l->f, &s->body).breaks)
        c->must = false;
    c->plain &= s->kind == IS_LOOP;
    bool room = c->n_loops < MAX_LOOPS;
    if (room) {
        c->range[c->n_loops] = s->kind == IS_LOOP ? l->ranges.n - 1 : -1;
        c->loop[c->n_loops++] = s;
    } else {
        c->must = c->plain = false;
    }
    if (room && s->kind == IS_LOOP)
        note_def(s->var, c);
    walk(c, &s->body);
    c->n_loops -= room;
    c->must = must;
    c->plain = plain;
}

static void
walk_branch(Collect *c, IrBlock *b, const IrExpr *cond, bool truth, bool likely, bool copy)
{
    bool must = c->must, plain = c->plain;
    int n = c->n_conds;
    c->must = must && (likely || cond) && n < MAX_CONDS;
    c->plain = plain && (likely || cond || copy) && n < MAX_CONDS;
    if (!likely && cond && n < MAX_CONDS)
        c->cond[c->n_conds++] = (ParCond){cond, truth};
    walk(c, b);
    c->n_conds = n;
    c->must = must;
    c->plain = plain;
}

static IrStmt *
set_of(IrStmt *last, const IrVar *v)
{
    while (last && (last->kind != IS_SET || last->var != v))
        last = last->prev;
    return last;
}

/* v has two definitions: one in each branch, or one before the `if` and one in it. */
static void
note_choice(Collect *c, const IrStmt *s, IrExpr *cond, const IrStmt *set, bool in_body)
{
    ParLoop *l = c->l;
    const IrVar *v = set->var;
    if (v->dtype != DT_i64 || v->id >= l->local.n_vars || l->local.n[v->id] != 2)
        return;
    const IrStmt *other = in_body ? set_of(s->els.last, v) : NULL;
    other = other ? other : set_of(s->prev, v);
    IrExpr *x = other ? par_expand(c, set->e, 0) : NULL;
    IrExpr *y = x ? par_expand(c, other->e, 0) : NULL;
    if (!y || c->n_choices == MAX_CHOICES)
        return;
    IrExpr *is = ir_op(l->cx, OP_select, cond, in_body ? x : y, in_body ? y : x);
    c->choice[c->n_choices++] = (Choice){v, is, par_here(c).in};
}

static void
note_choices(Collect *c, const IrStmt *s, IrExpr *cond)
{
    for (const IrStmt *t = s->body.first; t; t = t->next)
        if (t->kind == IS_SET)
            note_choice(c, s, cond, t, true);
    for (const IrStmt *t = s->els.first; t; t = t->next)
        if (t->kind == IS_SET && !set_of(s->body.last, t->var))
            note_choice(c, s, cond, t, false);
}

static void
walk_if(Collect *c, IrStmt *s)
{
    IrExpr *cond = par_expand(c, s->e, 0);
    bool copies = s->cold || s->cold_else; /* the same for rare cases */
    walk_branch(c, &s->body, cond, true, s->cold_else, copies);
    walk_branch(c, &s->els, cond, false, s->cold && !s->cold_else, copies);
    par_mark_branch(c, s);
    if (cond)
        note_choices(c, s, cond);
    for (int i = 0; i < 2; i++) {
        const IrStmt *last = i ? s->els.last : s->body.last;
        if (!last || (last->kind != IS_CONTINUE && last->kind != IS_BREAK))
            continue;
        c->must = false;
        c->plain &= cond && last->kind == IS_CONTINUE;
    }
}

static void
walk_try(Collect *c, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    bool must = c->must, plain = c->plain;
    int n = ir_blocks(s, sub);
    c->must = c->plain = false;
    for (int i = 0; i < n; i++)
        walk(c, sub[i]);
    c->must = must;
    c->plain = plain;
}

/* Memory that was there before; what is inside of s counts for itself. */
static bool
may_write(const IrStmt *s)
{
    bool writes = ir_does(s, ST_WRITES_VAR | ST_WRITES_BASE | ST_WAITS) || s->kind == IS_PUT;
    for (int i = 0; ir_does(s, ST_CALLS) && i < s->n_args; i++)
        writes |= s->args[i].arr && ir_call_writes(s, i);
    return writes;
}

static void
walk_stmt(Collect *c, IrStmt *s)
{
    c->s = s;
    c->now++;
    if (s->kind == IS_CHECK_INDEX)
        c->recent[c->n_recent++ % RECENT] = (Seen){s->var, s->e, s->at};
    if (ir_does(s, ST_REPEATS)) {
        walk_inner(c, s);
        return;
    }
    ir_walk_stmt_exprs(s, touch_load, c);
    int before = c->l->acc.n;
    switch (s->kind) {
    case IS_STORE:
        touch(c, s->var, s->idx, true, true);
        par_mark_update(c, s, before);
        par_mark_masked(c, s, before);
        break;
    case IS_COPY:
        touch_all(c, s->base, false, true);
        touch_all(c, s->var, true, true);
        par_mark_copied(c, s, before);
        break;
    case IS_CALL:
    case IS_RT:
    case IS_PAR:
        touch_call(c, s);
        break;
    case IS_ATOMIC:
        touch_all(c, s->base, true, true);
        break;
    case IS_PRINT:
        for (int i = 0; i < s->n_args; i++)
            if (s->args[i].arr)
                touch_all(c, s->args[i].arr, false, false);
        break;
    case IS_IF:
        walk_if(c, s);
        break;
    case IS_TRY:
        c->l->early = true;
        walk_try(c, s);
        break;
    default:
        break;
    }
    if (s->kind != IS_DROP)
        ir_walk_defs(s, note_def, c);
    if (may_write(s))
        c->wrote = c->now;
}

/* Behind `if e: continue` e is false. */
static void
note_left(Collect *c, IrStmt *s)
{
    for (int truth = 0; s->kind == IS_IF && truth < 2; truth++) {
        const IrBlock *gone = truth ? &s->els : &s->body;
        IrExpr *e = gone->last && ir_does(gone->last, ST_LEAVES) ? par_expand(c, s->e, 0) : NULL;
        if (e && c->n_conds < MAX_CONDS)
            c->cond[c->n_conds++] = (ParCond){e, truth};
    }
}

static void
walk(Collect *c, IrBlock *b)
{
    int n = c->n_conds;
    for (IrStmt *s = b->first; s; s = s->next) {
        walk_stmt(c, s);
        note_left(c, s);
    }
    c->n_conds = n;
}

void
par_collect(ParLoop *l)
{
    Collect c = {.l = l, .must = true, .plain = true};
    par_tables_fill(l);
    l->lo = par_settle(l, l->s->idx[0]);
    l->hi = par_settle(l, l->s->idx[1]);
    walk(&c, &l->s->body);
}
