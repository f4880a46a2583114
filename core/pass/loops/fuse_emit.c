/* SPDX-License-Identifier: BSD-3-Clause
 * The merged loop of a group that pass fuse has found. The last nest is the host: the
 * bodies of the others go in front of its own, level by level. Then each element stored
 * is kept in a scalar, from which later loads of it are served, and stores that nobody
 * sees go. */
#include "pass/loops/fuse.h"

#include <stdio.h>
#include <string.h>

/* ---- who mentions what ----------------------------------------------------------------------- */

typedef struct Count {
    int *n;
    int n_vars, by;
} Count;

static void
count_var(const IrVar *v, void *arg)
{
    Count *c = arg;
    if (v && v->id < c->n_vars)
        c->n[v->id] += c->by;
}

static bool
count_expr(IrExpr **e, void *arg)
{
    count_var((*e)->var, arg);
    return true;
}

static void
count_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, count_expr, arg);
    count_var(s->var, arg);
    count_var(s->base, arg);
    for (int i = 0; i < s->n_args; i++)
        count_var(s->args[i].arr, arg);
    for (int i = 0; i < s->n_outs; i++) {
        count_var(s->outs[i].arr, arg);
        count_var(s->outs[i].out, arg);
    }
}

/* Counts from `first` up to `end`, not with it. */
static void
count_from(FuseRun *r, IrStmt *first, const IrStmt *end, int by)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    Count c = {r->tables->mentions, r->tables->n_mentions, by};
    for (IrStmt *s = first; s != end; s = s->next) {
        count_stmt(NULL, s, &c);
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            ir_walk_block(sub[i], count_stmt, &c);
    }
}

/* The table has room for all variables there are; it is made when first asked for. */
static void
room_for_mentions(FuseRun *r)
{
    FuseTables *t = r->tables;
    int n = r->f->vars.n + 1, *was = t->mentions;
    if (t->n_mentions >= n)
        return;
    t->mentions = NEW_N(&r->cx->arena, int, n * 2);
    if (was)
        memcpy(t->mentions, was, sizeof *was * (size_t)t->n_mentions);
    t->n_mentions = n * 2;
    if (!was)
        count_from(r, r->f->body.first, NULL, 1);
}

static IrStmt *
after_run(const FuseRun *r)
{
    return r->nests.at[r->nests.n - 1].end->next;
}

/* ---- what is gone ---------------------------------------------------------------------------- */

/* Every load finds the value in a scalar: a store of the same element comes before it. */
static bool
served(const FuseRun *r, int nest, int acc)
{
    const FuseAcc *x = &r->nests.at[nest].accs.at[acc];
    for (int i = 0; i <= nest; i++)
        for (int k = 0; k < (i < nest ? r->nests.at[i].accs.n : acc); k++) {
            const FuseAcc *y = &r->nests.at[i].accs.at[k];
            bool same = y->store && y->inner && y->each && x->each && x->inner &&
                        y->arr->canon == x->arr->canon;
            for (int j = 0; same && j < x->arr->v->ndim; j++)
                same = x->code[j] == y->code[j];
            if (same)
                return true;
        }
    return false;
}

static bool
all_served(const FuseRun *r, const IrVar *root)
{
    for (int i = 0; i < r->nests.n; i++)
        for (int k = 0; k < r->nests.at[i].accs.n; k++) {
            const FuseAcc *x = &r->nests.at[i].accs.at[k];
            if (x->arr->root != root)
                continue;
            bool whole = x->inner && x->each;
            if (x->store ? !whole : !served(r, i, k))
                return false;
        }
    return true;
}

/* A dim or stride without a value from before the run stays as it is: see put_values. */
static bool
need_dim(IrExpr **e, void *arg)
{
    FuseRun *r = arg;
    if ((*e)->kind != IX_DIM && (*e)->kind != IX_STRIDE)
        return true;
    r->bad = false;
    fuse_resolve(r, *e);
    if (r->bad)
        fuse_arr(r, (*e)->var)->need = true;
    return false;
}

static bool
need_load(IrExpr **e, void *arg)
{
    FuseRun *r = arg;
    if ((*e)->kind == IX_LOAD)
        fuse_arr(r, fuse_arr(r, (*e)->var)->canon)->need = true;
    return need_dim(e, arg);
}

static void
need_dims_of(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, need_dim, arg);
}

/* What the statements before the merged loop read, and what is in it beside accesses of
 * elements. */
static void
need_mentioned(FuseRun *r)
{
    for (int i = 0; i < r->items.n; i++)
        if (r->items.at[i]->kind != IS_RT)
            ir_walk_stmt_exprs(r->items.at[i], need_load, r);
    for (int i = 0; i < r->nests.n; i++) {
        IrStmt copy = *r->nests.at[i].s;
        copy.prev = copy.next = NULL;
        IrBlock one = {&copy, &copy};
        ir_walk_block(&one, need_dims_of, r);
    }
}

int
fuse_streams(FuseRun *r)
{
    room_for_mentions(r);
    count_from(r, r->start, after_run(r), -1);
    for (int i = 0; i < r->arrs.n; i++) {
        FuseArr *a = r->arrs.at[i];
        a->need = r->tables->mentions[a->v->id] > 0;
    }
    count_from(r, r->start, after_run(r), 1);
    need_mentioned(r);
    for (int i = 0; i < r->arrs.n; i++) {
        FuseArr *a = r->arrs.at[i];
        bool seen = false;
        for (int k = 0; k < r->arrs.n; k++)
            seen |= r->arrs.at[k]->root == a->v && r->arrs.at[k]->need;
        a->gone = a->fresh && !seen && all_served(r, a->v);
    }
    int streams = 0;
    for (int i = 0; i < r->nests.n; i++)
        for (int k = 0; k < r->nests.at[i].accs.n; k++) {
            FuseArr *a = fuse_arr(r, r->nests.at[i].accs.at[k].arr->canon);
            bool stays = !fuse_arr(r, a->root)->gone;
            streams += stays && !a->counted;
            a->counted |= stays;
            a->need |= stays;
        }
    return streams;
}

/* ---- expressions of the merged branch -------------------------------------------------------- */

static bool
put_values(IrExpr **e, void *arg)
{
    FuseRun *r = arg;
    if ((*e)->kind == IX_LOAD)
        (*e)->var = fuse_arr(r, (*e)->var)->canon;
    if ((*e)->kind != IX_DIM && (*e)->kind != IX_STRIDE)
        return true;
    if (fuse_arr(r, (*e)->var)->def) {
        r->bad = false;
        IrExpr *x = fuse_resolve(r, *e);
        if (!r->bad)
            *e = x;
    }
    return false;
}

static void
put_values_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    FuseRun *r = arg;
    (void)b;
    ir_walk_stmt_exprs(s, put_values, arg);
    if (s->kind == IS_STORE)
        s->var = fuse_arr(r, s->var)->canon;
}

static IrBlock
clone_one(FuseRun *r, const IrStmt *s, Map *map)
{
    IrStmt copy = *s;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy};
    IrBlock out = ir_clone_block(r->f, &one, map);
    ir_walk_block(&out, put_values_stmt, r);
    return out;
}

/* ---- the merged loop ------------------------------------------------------------------------- */

static void
put_before(FuseRun *r, IrBlock *to, IrStmt *where, const IrStmt *s, Map *map)
{
    IrBlock one = clone_one(r, s, map);
    ir_insert_before(to, where, one.first);
}

static void
merge_into(FuseRun *r, const FuseNest *host, IrStmt *const *anchor, const FuseNest *p)
{
    Map map = {0};
    for (int l = 0; l < p->n; l++)
        map_put(&r->cx->arena, &map, p->loop[l]->var, host->loop[l]->var);
    for (int l = 0; l < p->n; l++)
        for (IrStmt *s = p->loop[l]->body.first; s; s = s->next)
            if (l == p->n - 1 || s != p->loop[l + 1])
                put_before(r, &host->loop[l]->body, anchor[l], s, &map);
}

typedef struct Held { /* an element in a scalar */
    IrVar *arr, *value;
    IrExpr **idx;
    IrStmt *store; /* the last, when it is in the way of nothing */
} Held;

typedef struct Hold {
    FuseRun *r;
    Vec(Held) held;
    const FuseNest *host;
} Hold;

static Held *
held_at(Hold *h, const IrVar *arr, IrExpr *const *idx)
{
    for (int i = 0; i < h->held.n; i++) {
        Held *x = &h->held.at[i];
        bool same = x->arr == arr;
        for (int k = 0; same && k < arr->ndim; k++)
            same = ir_expr_equal(x->idx[k], idx[k]);
        if (same)
            return x;
    }
    return NULL;
}

static bool
serve(IrExpr **e, void *arg)
{
    Hold *h = arg;
    Held *x = (*e)->kind == IX_LOAD ? held_at(h, (*e)->var, (*e)->arg) : NULL;
    if (x)
        *e = ir_use(h->r->cx, x->value);
    return !x;
}

static void
serve_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, serve, arg);
}

static bool
is_each(const Hold *h, const IrStmt *s)
{
    for (int i = 0; i < s->n_idx; i++)
        if (fuse_level(h->host, s->idx[i]) < 0)
            return false;
    return s->n_idx == h->host->n;
}

static void
hold_store(Hold *h, IrBlock *b, IrStmt *s)
{
    FuseRun *r = h->r;
    Held *x = held_at(h, s->var, s->idx);
    if (x && x->store)
        ir_remove(b, x->store);
    IrStmt *set = ir_stmt(r->cx, IS_SET, s->at);
    set->var = ir_var(r->f, s->var->name, (DType)s->var->dtype);
    set->e = s->e;
    ir_insert_before(b, s, set);
    Held y = {s->var, set->var, s->idx, s};
    s->e = ir_use(r->cx, set->var);
    if (fuse_arr(r, fuse_arr(r, s->var)->root)->gone) {
        ir_remove(b, s);
        y.store = NULL;
    }
    if (x)
        *x = y;
    else
        VEC_PUSH(&r->cx->arena, h->held, y);
}

static void
hold_elements(FuseRun *r, const FuseNest *host)
{
    Hold h = {.r = r, .host = host};
    IrBlock *b = &host->loop[host->n - 1]->body, *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        serve_stmt(b, s, &h);
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            ir_walk_block(sub[i], serve_stmt, &h);
        if (s->kind == IS_STORE && is_each(&h, s))
            hold_store(&h, b, s);
    }
}

static void
emit_loop(FuseRun *r, IrBlock *to)
{
    const FuseNest *last = &r->nests.at[r->nests.n - 1];
    IrBlock one = clone_one(r, last->s, NULL);
    IrStmt *loop = one.first, *anchor[FUSE_LEVELS];
    FuseNest host = {.s = loop};
    /* Of strips the limits have been rewritten, so that parse would not know them again.
     */
    IrStmt *s = loop;
    for (host.n = 0; host.n < last->n; host.n++) {
        if (last->strip && host.n == last->n - 1)
            for (s = s->body.first; s->kind != IS_LOOP;)
                s = s->next;
        host.loop[host.n] = s;
        anchor[host.n] = s->body.first;
        s->novec_alias = true;
        for (s = s->body.first; s && s->kind != IS_LOOP;)
            s = s->next;
    }
    for (int i = 0; i < r->nests.n - 1; i++)
        merge_into(r, &host, anchor, &r->nests.at[i]);
    hold_elements(r, &host);
    ir_insert_before(to, NULL, loop);
}

/* ---- the branch around it -------------------------------------------------------------------- */

static void
need_bases(FuseRun *r)
{
    for (int i = r->items.n - 1; i >= 0; i--) {
        const IrStmt *s = r->items.at[i];
        if (ir_does(s, ST_LOOKS) && fuse_arr(r, s->var)->need)
            fuse_arr(r, s->base)->need = true;
    }
}

static bool
not_negative(const IrExpr *e)
{
    if (e->kind == IX_OP && e->op == OP_max)
        return not_negative(e->arg[0]) || not_negative(e->arg[1]);
    return e->kind == IX_DIM || (e->kind == IX_CONST && e->i >= 0);
}

/* What making the array would have raised. */
static void
keep_test(FuseRun *r, IrBlock *to, const IrStmt *alloc)
{
    Cx *cx = r->cx;
    IrBuilder b = {.cx = cx, .mod = r->p->mod, .f = r->f, .at = to, .span = alloc->at};
    IrStmt *s = clone_one(r, alloc, NULL).first;
    for (int i = 0; i < s->var->ndim; i++)
        if (!not_negative(s->idx[i]))
            ir_check(&b, ir_op(cx, OP_ge, s->idx[i], ir_int(cx, DT_i64, 0)),
                     ir_site(b.mod, "ValueError", "negative dimensions are not allowed", alloc->at),
                     0, NULL);
}

static void
emit_items(FuseRun *r, IrBlock *to)
{
    for (int i = 0; i < r->items.n; i++) {
        IrStmt *s = r->items.at[i];
        bool array = ir_does(s, ST_LOOKS);
        if (s->kind == IS_DROP || (array && !fuse_arr(r, s->var)->need))
            continue;
        IrVar *v = s->kind == IS_RT ? s->outs[0].out : s->var;
        if (s->kind == IS_RT || (s->kind == IS_SET && fuse_seen(r, v)->value)) {
            IrStmt *set = ir_stmt(r->cx, IS_SET, s->at);
            set->var = v;
            set->e = fuse_resolve(r, fuse_seen(r, v)->value);
            ir_insert_before(to, NULL, set);
        } else if (s->kind == IS_ALLOC && fuse_arr(r, s->var)->gone) {
            pass_remark(r->p, REMARK_fuse_temporary, s->at,
                        "'%s' is used element by element, in one loop", s->var->name);
            keep_test(r, to, s);
        } else {
            put_before(r, to, NULL, s, NULL);
        }
    }
    emit_loop(r, to);
    for (int i = 0; i < r->items.n; i++) {
        IrStmt *s = r->items.at[i];
        FuseArr *a = s->kind == IS_DROP ? fuse_arr(r, s->var) : NULL;
        bool set = a && !a->gone && (!a->def || a->def->kind == IS_ALLOC || a->need);
        if (set)
            put_before(r, to, NULL, s, NULL);
    }
}

/* Arrays x and y may be one and the same when every access is to the element of the
 * iteration and there is one store: then no load is served from a scalar that a store to
 * the other name has made stale, and no store that the other name reads has gone. */
static bool
may_be_one(const FuseRun *r, const IrVar *x, const IrVar *y)
{
    const FuseAcc *first = NULL;
    int stores = 0;
    for (int i = 0; i < r->nests.n; i++)
        for (int k = 0; k < r->nests.at[i].accs.n; k++) {
            const FuseAcc *a = &r->nests.at[i].accs.at[k];
            if (a->arr->root != x && a->arr->root != y)
                continue;
            first = first ? first : a;
            stores += a->store;
            if (a->arr->canon != a->arr->root || !a->each || !a->inner ||
                memcmp(a->code, first->code, sizeof a->code) != 0)
                return false;
        }
    return stores <= 1 && x->dtype == y->dtype;
}

/* What is chosen to lie apart and is not stored to in the nests, as an array of places, is read
 * behind them, where the other array has changed. */
static bool
is_stored(const FuseRun *r, const IrVar *v)
{
    for (int i = 0; i < r->nests.n; i++)
        for (int k = 0; k < r->nests.at[i].accs.n; k++)
            if (r->nests.at[i].accs.at[k].store && r->nests.at[i].accs.at[k].arr->v == v)
                return true;
    return false;
}

static bool
is_kept(const FuseRun *r, const IrVar *flag)
{
    for (int i = 0; i < r->items.n; i++) {
        const IrStmt *s = r->items.at[i];
        const IrExpr *e = s->kind == IS_RT ? fuse_seen(r, s->outs[0].out)->value : NULL;
        if (e && ir_is_var(e, flag))
            return true;
    }
    return false;
}

/* A condition for two arrays: they lie apart, or are the same. In the merged branch the
 * flags for which this holds count as 0. */
static void
test_overlap(FuseRun *r, IrBuilder *b, int i)
{
    IrVar *flag = r->overlap[i].flag, *x = r->overlap[i].x, *y = r->overlap[i].y;
    if (!r->overlap[i].apart && !is_kept(r, flag))
        return;
    ir_overlap(b, x, y);
    b->at->last->outs[0].out = flag;
    if (!r->overlap[i].apart)
        return;
    const IrVar *chosen = r->overlap[i].chosen;
    bool same = !r->overlap[i].strict && (!chosen || is_stored(r, chosen)) && may_be_one(r, x, y);
    VEC_PUSH(&r->cx->arena, r->conds,
             ir_op(r->cx, same ? OP_ne : OP_eq, ir_use(r->cx, flag), ir_int(r->cx, DT_i32, same)));
    fuse_seen(r, flag)->mark |= M_SET;
    fuse_seen(r, flag)->value = ir_int(r->cx, DT_i32, 0);
}

/* The overlap tests that the conditions need come first. */
static IrExpr *
emit_tests(FuseRun *r)
{
    IrBlock pre = {0};
    IrBuilder b = {.cx = r->cx, .mod = r->f->mod, .f = r->f, .at = &pre, .span = r->start->at};
    IrExpr *all = NULL;
    for (int i = 0; i < r->n_overlaps; i++)
        test_overlap(r, &b, i);
    for (IrStmt *s = pre.first, *next; s; s = next) {
        next = s->next;
        ir_insert_before(r->block, r->start, s);
    }
    for (int i = 0; i < r->conds.n; i++)
        all = all ? ir_op(r->cx, OP_and, all, r->conds.at[i]) : r->conds.at[i];
    return all;
}

static void
note_fused(const FuseRun *r)
{
    const FuseNest *host = &r->nests.at[r->nests.n - 1];
    char lines[120];
    size_t len = 0;
    int before = 0;
    for (int i = 0; i < r->nests.n - 1; i++) {
        int line = r->nests.at[i].s->at.line;
        if (line != before && len < sizeof lines - 20)
            len += (size_t)snprintf(lines + len, sizeof lines - len, "%s%d", len ? ", " : "", line);
        before = line;
    }
    pass_remark(r->p, REMARK_fuse_fused, host->s->at, "one loop with line %s", lines);
}

static bool
holds_loop(const IrBlock *b)
{
    for (const IrStmt *s = b->first; s; s = s->next)
        if (s->kind == IS_LOOP || (s->kind == IS_IF && holds_loop(&s->els)))
            return true;
    return false;
}

/* To the branch for the other cases. There the nests that lowering made for any case do
 * for the plain one too, which is rare now: half the code. */
static void
put_other(FuseRun *r, IrBlock *to, IrStmt *s)
{
    bool any = r->all_cold && s->kind == IS_IF && s->cold_else && holds_loop(&s->body) &&
               holds_loop(&s->els);
    if (!any) {
        ir_insert_before(to, NULL, s);
        return;
    }
    for (IrStmt *k = s->els.first, *next; k; k = next) {
        next = k->next;
        put_other(r, to, k);
    }
}

static IrStmt *
emit(FuseRun *r)
{
    IrStmt *end = after_run(r), *both = ir_stmt(r->cx, IS_IF, r->start->at);
    IrBlock fast = {0};
    need_bases(r);
    note_fused(r);
    IrExpr *all = emit_tests(r);
    emit_items(r, &fast);
    for (IrStmt *s = r->start, *next; s != end; s = next) {
        next = s->next;
        ir_remove(r->block, s);
        if (all)
            put_other(r, &both->els, s);
    }
    if (all) {
        both->e = all;
        both->body = fast;
        both->cold_else = r->all_cold;
        ir_insert_before(r->block, end, both);
        return end;
    }
    for (IrStmt *s = fast.first, *next; s; s = next) {
        next = s->next;
        ir_insert_before(r->block, end, s);
    }
    return end;
}

IrStmt *
fuse_replace(FuseRun *r)
{
    IrStmt *before = r->start->prev;
    count_from(r, r->start, after_run(r), -1);
    IrStmt *next = emit(r);
    room_for_mentions(r);
    count_from(r, before ? before->next : r->block->first, next, 1);
    return next;
}
