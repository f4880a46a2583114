/* SPDX-License-Identifier: BSD-3-Clause
 * Merges neighbouring loop nests of array expressions, and keeps an array that only they
 * use out of memory: `t = a * b; u = t + c; s = u.sum()` reads a, b, c once and writes
 * nothing.
 *
 * The hard idea is the run: the path on which no broadcasting happens and nothing
 * overlaps, through statements whose branches lowering has made for the other cases.
 * Walking along it, every size is written in values from before the run, and each test on
 * the way becomes a condition on those (fuse_know.c). Then `if conditions: merged loop;
 * else: the statements as they were` needs no statement of the run to be moved over
 * another. Checks that the conditions imply are not made in the merged branch; the others
 * are conditions themselves.
 *
 * Nests may merge when they have the same extents, and when of two accesses to the same
 * memory, one a store, both are to the element of the iteration (see conflict). */
#include "pass/loops/fuse.h"

enum { MAX_VALUE = 12, MAX_ARRS = 400 /* of a run: they are looked up one by one */ };

/* ---- what a statement mentions --------------------------------------------------------------- */

static bool
mark_expr(IrExpr **e, void *arg)
{
    FuseRun *r = arg;
    if ((*e)->var && (*e)->var->id < r->n_vars)
        fuse_seen(r, (*e)->var)->mark |= M_USED;
    return true;
}

static void
mark_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    FuseRun *r = arg;
    (void)b;
    ir_walk_stmt_exprs(s, mark_expr, arg);
    if (s->kind == IS_SET || s->kind == IS_LOOP)
        fuse_seen(r, s->var)->mark |= M_NEST;
}

static bool
reads_nest_var(IrExpr **e, void *arg)
{
    FuseRun *r = arg;
    IrVar *v = (*e)->var;
    r->bad |= v && v->id < r->n_vars && fuse_seen(r, v)->mark & M_NEST;
    if ((*e)->kind == IX_LOAD) { /* hoisted over the nests: they must not store there */
        FuseArr *a = fuse_arr(r, v);
        for (int i = 0; i < r->nests.n; i++)
            for (int k = 0; k < r->nests.at[i].accs.n; k++)
                r->bad |= r->nests.at[i].accs.at[k].store &&
                          !(a->root->noalias && r->nests.at[i].accs.at[k].arr->root != a->root);
    }
    return true;
}

/* ---- plain statements ------------------------------------------------------------------------ */

static bool
take_set(FuseRun *r, IrStmt *s)
{
    uint8_t *m = &fuse_seen(r, s->var)->mark;
    r->bad = false;
    ir_walk_expr(&s->e, reads_nest_var, r);
    if (r->bad || *m & (M_SET | M_USED | M_NEST))
        return false;
    ir_walk_expr(&s->e, mark_expr, r);
    if (*m & M_USED) /* x = x + 1 */
        return false;
    IrExpr *e = fuse_resolve(r, s->e);
    *m |= M_SET;
    fuse_seen(r, s->var)->value = r->bad || ir_size(e) > MAX_VALUE ? NULL : e;
    VEC_PUSH(&r->cx->arena, r->items, s);
    return true;
}

static FuseArr *
define_arr(FuseRun *r, IrStmt *s)
{
    IrVar *v = s->var;
    if (fuse_seen(r, v)->mark & (M_KNOWN | M_SET | M_USED) || r->arrs.n > MAX_ARRS)
        return NULL;
    FuseArr *a = NEW(&r->cx->arena, FuseArr);
    fuse_seen(r, v)->mark |= M_KNOWN | M_SET;
    a->v = a->root = a->canon = v;
    a->def = s;
    a->dim = NEW_N(&r->cx->arena, IrExpr *, v->ndim + 1);
    a->stride = NEW_N(&r->cx->arena, IrExpr *, v->ndim + 1);
    VEC_PUSH(&r->cx->arena, r->arrs, a);
    VEC_PUSH(&r->cx->arena, r->items, s);
    return a;
}

static IrExpr *
resolve_or_null(FuseRun *r, IrExpr *e)
{
    r->bad = false;
    IrExpr *x = fuse_resolve(r, e);
    return r->bad || ir_size(x) > MAX_VALUE ? NULL : x;
}

static bool
take_alloc(FuseRun *r, IrStmt *s)
{
    FuseArr *a = define_arr(r, s);
    if (!a)
        return false;
    a->fresh = true;
    for (int i = 0; i < s->n_idx; i++)
        if (!(a->dim[i] = resolve_or_null(r, s->idx[i])))
            return false;
    int last = s->order == LAY_F ? 0 : s->n_idx - 1;
    if (s->n_idx)
        a->stride[last] = ir_int(r->cx, DT_i64, dtype_size((DType)s->var->dtype));
    return true;
}

static bool
same_view(const FuseRun *r, const FuseArr *a, const FuseArr *b)
{
    if (!b->def || b->def->kind != IS_VIEW || b->root != a->root || a->v->ndim != b->v->ndim ||
        a->v->dtype != b->v->dtype || a->v->layout != b->v->layout ||
        fuse_arr((FuseRun *)r, a->def->base)->canon !=
            fuse_arr((FuseRun *)r, b->def->base)->canon ||
        !a->offset || !b->offset || !fuse_same(r, a->offset, b->offset))
        return false;
    for (int i = 0; i < a->v->ndim; i++)
        if (!a->dim[i] || !b->dim[i] || !fuse_same(r, a->dim[i], b->dim[i]) || !a->stride[i] ||
            !b->stride[i] || !fuse_same(r, a->stride[i], b->stride[i]))
            return false;
    return true;
}

/* A view of all of an array, as ravel() makes it. */
static bool
is_all_of(const FuseRun *r, const FuseArr *a, const FuseArr *base)
{
    int64_t from;
    bool all = a->v->ndim == base->v->ndim && a->v->dtype == base->v->dtype &&
               a->v->layout == base->v->layout && a->offset && ir_is_const(a->offset, &from) &&
               from == 0;
    for (int i = 0; all && i < a->v->ndim; i++)
        all = a->dim[i] && base->dim[i] && fuse_same(r, a->dim[i], base->dim[i]) && a->stride[i] &&
              base->stride[i] && fuse_same(r, a->stride[i], base->stride[i]);
    return all;
}

static bool
take_view(FuseRun *r, IrStmt *s)
{
    FuseArr *base = fuse_arr(r, s->base), *a = define_arr(r, s);
    if (!a)
        return false;
    int nd = s->var->ndim;
    a->root = base->root;
    a->offset = resolve_or_null(r, s->e);
    for (int i = 0; i < nd; i++) {
        a->dim[i] = resolve_or_null(r, s->idx[i]);
        a->stride[i] = resolve_or_null(r, s->idx[nd + i]);
    }
    if (is_all_of(r, a, base))
        a->canon = base->canon;
    for (int i = 0; a->canon == a->v && i < r->arrs.n - 1; i++)
        if (same_view(r, a, r->arrs.at[i])) {
            a->canon = r->arrs.at[i]->canon;
            break;
        }
    return true;
}

static bool
take_alias(FuseRun *r, IrStmt *s)
{
    FuseArr *base = fuse_arr(r, s->base), *a = define_arr(r, s);
    if (!a)
        return false;
    a->root = base->root;
    if (s->var->layout == base->v->layout)
        a->canon = base->canon;
    for (int i = 0; i < s->var->ndim; i++) {
        a->dim[i] = base->dim[i];
        a->stride[i] = base->stride[i];
    }
    return true;
}

static bool
take_overlap(FuseRun *r, IrStmt *s)
{
    if (s->rt != RT_sw_overlap)
        return false;
    IrVar *out = s->outs[0].out;
    if (fuse_seen(r, out)->mark & (M_SET | M_USED | M_NEST))
        return false;
    FuseArr *x = fuse_arr(r, s->args[0].arr), *y = fuse_arr(r, s->args[1].arr);
    FuseArr *rx = fuse_arr(r, x->root), *ry = fuse_arr(r, y->root);
    fuse_seen(r, out)->mark |= M_SET;
    VEC_PUSH(&r->cx->arena, r->items, s);
    if (rx != ry && (rx->fresh || ry->fresh || rx->v->noalias || ry->v->noalias)) {
        fuse_seen(r, out)->value = ir_int(r->cx, DT_i32, 0);
        return true;
    }
    IrVar *flag = fuse_overlap(r, rx, ry);
    bool whole = x == rx && y == ry;
    fuse_seen(r, out)->value = !flag   ? NULL
                               : whole ? ir_use(r->cx, flag)
                                       : ir_int(r->cx, DT_i32, 0);
    /* views of two arrays lie apart where these do */
    return flag && (whole || (rx != ry && fuse_assume_apart(r, flag, true)));
}

static bool
take_check(FuseRun *r, IrStmt *s)
{
    IrExpr *e = resolve_or_null(r, s->e);
    return e && fuse_assume(r, e, true);
}

/* An index between two nests: that it is in range becomes a condition, as checks do. Those before
 * the first nest stay where they are, for bounds to take them out of the loop around. */
static bool
take_check_index(FuseRun *r, IrStmt *s)
{
    if (!r->nests.n || s->e->dtype != DT_i64)
        return false;
    IrExpr *n = ir_dim(r->cx, s->var, s->axis);
    IrExpr *least = ir_op(r->cx, OP_neg, n), *i = ir_copy_expr(r->cx, s->e);
    IrExpr *e = ir_op(r->cx, OP_and, ir_op(r->cx, OP_ge, i, least), ir_op(r->cx, OP_lt, s->e, n));
    e = resolve_or_null(r, e);
    return e && fuse_assume(r, e, true);
}

/* ---- nests ----------------------------------------------------------------------------------- */

typedef struct See {
    FuseRun *r;
    FuseNest *n;
    bool inner;
} See;

static void
add_access(See *w, IrVar *v, IrExpr **idx, bool store)
{
    FuseAcc a = {.arr = fuse_arr(w->r, v), .store = store, .inner = w->inner};
    int seen = 0;
    for (int i = 0; i < v->ndim; i++) {
        a.code[i] = (int8_t)fuse_level(w->n, idx[i]);
        seen |= a.code[i] >= 0 ? 1 << a.code[i] : 0;
    }
    a.each = v->ndim == w->n->n && seen == (1 << w->n->n) - 1;
    VEC_PUSH(&w->r->cx->arena, w->n->accs, a);
}

static bool
see_load(IrExpr **e, void *arg)
{
    See *w = arg;
    if ((*e)->kind == IX_LOAD)
        add_access(w, (*e)->var, (*e)->arg, false);
    return true;
}

static void
see_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    See *w = arg;
    (void)b;
    ir_walk_stmt_exprs(s, see_load, arg);
    if (s->kind == IS_STORE)
        add_access(w, s->var, s->idx, true);
}

/* Loads inside branches are as good as others, stores there are not done at each point.
 */
static void
see_branches(See *w, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    int n = ir_blocks(s, sub), from = w->n->accs.n;
    for (int i = 0; i < n; i++)
        ir_walk_block(sub[i], see_stmt, w);
    for (int i = from; i < w->n->accs.n; i++)
        if (w->n->accs.at[i].store)
            w->n->accs.at[i].inner = false;
}

static void
see_nest(FuseRun *r, FuseNest *n)
{
    See w = {r, n, false};
    if (n->strip)
        for (IrStmt *s = n->strip->body.first; s; s = s->next)
            if (s != n->loop[n->n - 1])
                see_stmt(NULL, s, &w);
    for (int l = 0; l < n->n; l++) {
        w.inner = l == n->n - 1;
        for (IrStmt *s = n->loop[l]->body.first; s; s = s->next) {
            if (!w.inner && (s == n->loop[l + 1] || s == n->strip))
                continue;
            see_stmt(NULL, s, &w);
            see_branches(&w, s);
        }
    }
}

static bool
apart(FuseRun *r, IrVar *x, IrVar *y)
{
    FuseArr *a = fuse_arr(r, x), *b = fuse_arr(r, y);
    if (a->fresh || b->fresh || x->noalias || y->noalias)
        return true;
    IrVar *flag = fuse_overlap(r, a, b);
    if (flag)
        fuse_assume_apart(r, flag, false);
    return flag != NULL;
}

static bool
same_element(const FuseAcc *x, const FuseAcc *y)
{
    bool same = x->arr->canon == y->arr->canon && x->each && y->each;
    for (int i = 0; same && i < x->arr->v->ndim; i++)
        same = x->code[i] == y->code[i];
    return same;
}

/* x in an earlier nest and y in a later one: must all of the former come before the
 * latter? */
static bool
conflict(FuseRun *r, const FuseAcc *x, const FuseAcc *y)
{
    if (!x->store && !y->store)
        return false;
    if (x->arr->root != y->arr->root)
        return !apart(r, x->arr->root, y->arr->root);
    return !(same_element(x, y) && x->inner && y->inner);
}

static bool
related(const FuseNest *p, const FuseNest *q)
{
    for (int i = 0; i < p->accs.n; i++)
        for (int k = 0; k < q->accs.n; k++)
            if (p->accs.at[i].arr->root == q->accs.at[k].arr->root && p->accs.at[i].each)
                return true;
    return false;
}

static bool
fits(FuseRun *r, FuseNest *n)
{
    const FuseNest *first = &r->nests.at[0];
    bool near = false, gone = true;
    if (n->n != first->n)
        return false;
    for (int l = 0; l < n->n; l++)
        if (!fuse_same(r, n->extent[l], first->extent[l]))
            return false;
    for (int i = 0; i < r->nests.n; i++) {
        FuseNest *p = &r->nests.at[i];
        near |= related(p, n);
        for (int j = 0; j < p->accs.n; j++) {
            gone &= !p->accs.at[j].store || fuse_arr(r, p->accs.at[j].arr->root)->fresh;
            for (int k = 0; k < n->accs.n; k++)
                if (conflict(r, &p->accs.at[j], &n->accs.at[k]))
                    return false;
        }
    }
    return near && (gone || !n->leaves);
}

static bool
take_nest(FuseRun *r, IrStmt *s, IrStmt *top, bool last)
{
    FuseNest n = {.s = s};
    if (!last || !fuse_parse_nest(&n, s) || (!r->nests.n && !n.par))
        return false;
    for (int l = 0; l < n.n; l++) {
        IrStmt *by = n.strip && l == n.n - 1 ? n.strip : n.loop[l];
        if (!(n.extent[l] = resolve_or_null(r, by->idx[1])))
            return false;
    }
    see_nest(r, &n);
    if (r->nests.n && !fits(r, &n))
        return false;
    IrStmt copy = *s;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy};
    ir_walk_block(&one, mark_stmt, r);
    n.end = top;
    VEC_PUSH(&r->cx->arena, r->nests, n);
    r->done = !n.par || r->nests.n == r->limit;
    return true;
}

/* ---- the run --------------------------------------------------------------------------------- */

static IrStmt *
find_loop(IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->last; s; s = s->prev) {
        if (s->kind == IS_LOOP)
            return s->elementwise ? s : NULL;
        int n = s->kind == IS_IF ? ir_blocks(s, sub) : 0;
        for (int i = 0; i < n; i++) {
            IrStmt *l = find_loop(sub[i]);
            if (l)
                return l;
        }
    }
    return NULL;
}

/* Branches that lowering made for one array expression, not the user's. */
static bool
is_versions(IrStmt *s)
{
    IrStmt *x = find_loop(&s->body), *y = find_loop(&s->els);
    return x && y && x->at.line == y->at.line && x->at.col == y->at.col;
}

static bool take(FuseRun *r, IrStmt *s, IrStmt *top, bool last);

static bool
is_set(const IrStmt *s)
{
    return ir_does(s, ST_DEFINES) && !ir_does(s, ST_ENDS);
}

static bool
sets(const IrBlock *b, const IrVar *v)
{
    for (const IrStmt *s = b->first; s; s = s->next)
        if (is_set(s) && s->var == v)
            return true;
    return false;
}

/* What it sets for those that stand behind it, as an array or a copy that lies apart; or NULL. */
static const IrVar *
chosen_by(const IrStmt *s)
{
    for (const IrStmt *x = s->body.first; x; x = x->next)
        if (is_set(x) && sets(&s->els, x->var))
            return x->var;
    return NULL;
}

static bool
take_if(FuseRun *r, IrStmt *s, IrStmt *top, bool last)
{
    bool hot = !s->cold;
    if (!s->cold && !s->cold_else && !is_versions(s))
        return false;
    r->all_cold &= s->cold || s->cold_else;
    IrExpr *e = resolve_or_null(r, s->e);
    r->chooses = chosen_by(s);
    bool held = e && fuse_assume(r, e, hot);
    r->chooses = NULL;
    if (!held)
        return false;
    for (IrStmt *k = hot ? s->body.first : s->els.first; k; k = k->next)
        if (!take(r, k, top, last && !k->next))
            return false;
    return true;
}

static bool
take(FuseRun *r, IrStmt *s, IrStmt *top, bool last)
{
    switch (s->kind) {
    case IS_SET:
        return take_set(r, s);
    case IS_ALLOC:
        return take_alloc(r, s);
    case IS_VIEW:
        return take_view(r, s);
    case IS_ALIAS:
        return take_alias(r, s);
    case IS_RT:
        return take_overlap(r, s);
    case IS_CHECK:
        return take_check(r, s);
    case IS_CHECK_INDEX:
        return take_check_index(r, s);
    case IS_DROP:
        fuse_arr(r, s->var);
        VEC_PUSH(&r->cx->arena, r->items, s);
        return true;
    case IS_IF:
        return take_if(r, s, top, last);
    case IS_LOOP:
        return !s->cold && take_nest(r, s, top, last);
    default:
        return false;
    }
}

/* Walks from s on until so many nests fit, or one does not; *end: where it stopped. */
static FuseRun *
walk_run(PassCx *p, IrFunc *f, FuseTables *t, IrBlock *b, IrStmt *s, int limit, IrStmt **end)
{
    enum { ROOM = 4 * FUSE_OVERLAPS };

    FuseRun *r = NEW(&p->cx->arena, FuseRun);
    r->p = p;
    r->cx = p->cx;
    r->f = f;
    r->block = b;
    r->start = s;
    r->limit = limit;
    r->all_cold = true;
    r->n_vars = f->vars.n + ROOM;
    if (t->n_seen < r->n_vars) {
        t->n_seen = r->n_vars * 2;
        t->seen = NEW_N(&p->cx->arena, FuseSeen, t->n_seen);
    }
    r->tables = t;
    r->seen = t->seen;
    r->stamp = ++t->stamp;
    while (s && !r->done && take(r, s, s, true))
        s = s->next;
    for (; s && r->done && s->kind == IS_DROP && take(r, s, s, true); s = s->next)
        r->nests.at[r->nests.n - 1].end = s; /* what only they use ends here */
    *end = s;
    return r;
}

/* One run from `s` on; where to go on. What was learnt behind the last nest of the group
 * must not be used: a second walk stops there. */
static IrStmt *
run_from(PassCx *p, IrFunc *f, FuseTables *t, IrBlock *b, IrStmt *s)
{
    IrStmt *end;
    FuseRun *r = walk_run(p, f, t, b, s, FUSE_NESTS, &end);
    for (int n = r->nests.n; n > 1; n--) {
        FuseRun *again = walk_run(p, f, t, b, s, n, &end);
        if (again->nests.n == n && fuse_streams(again) <= FUSE_STREAMS)
            return fuse_replace(again);
    }
    if (r->nests.n)
        return r->nests.at[0].end->next;
    return end ? end->next : NULL;
}

/* Is there something to merge? */
static bool
holds_nests(IrBlock *b)
{
    int n = 0;
    for (IrStmt *s = b->first; s; s = s->next)
        n += (s->kind == IS_LOOP && s->elementwise) || (s->kind == IS_IF && find_loop(&s->body)) ||
             (s->kind == IS_LOOP && s->loop == LOOP_REDUCE);
    return n > 1;
}

static void
fuse_block(PassCx *p, IrFunc *f, FuseTables *t, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            fuse_block(p, f, t, sub[i]);
    }
    if (!holds_nests(b))
        return;
    for (IrStmt *s = b->first; s;)
        s = run_from(p, f, t, b, s);
}

void
pass_fuse(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        FuseTables t = {0};
        fuse_block(p, p->mod->funcs.at[i], &t, &p->mod->funcs.at[i]->body);
    }
}
