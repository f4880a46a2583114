/* SPDX-License-Identifier: BSD-3-Clause
 * `if x > a[j]: a[j] = x`, in an innermost loop whose iterations go from one element of a row to
 * the next, stores one of two values in every iteration, as `a[j] = max(a[j], x)` does. So it needs
 * no masked store, which loads from the same places would wait for (knapsacks, shortest paths).
 * The element has been read, so that its index has passed its checks; what is stored where x is not
 * greater is the bits that were there. Loops of which the user says that they are parallel stay as
 * they are: who stores what counts there. */
#include "pass/pass.h"

typedef struct Update {
    Cx *cx;
    IrFunc *f;
    int *reads; /* by variable: how often it is read */
} Update;

static const IrExpr *
unwrapped(const IrExpr *e)
{
    return e->kind == IX_OP && e->op == OP_wrap ? e->arg[0] : e;
}

/* Is it the loop's variable by itself, and anything that stays? */
static bool
is_next(const IrStmt *loop, const IrExpr *e)
{
    IrAffine a;
    int own = 0;
    if (!ir_affine(unwrapped(e), &a))
        return false;
    for (int i = 0; i < a.n; i++) {
        bool is = ir_is_var(a.t[i].term, loop->var);
        if (!is && (ir_mentions(a.t[i].term, loop->var) || ir_loads(a.t[i].term)))
            return false;
        own += is && (a.t[i].coef == 1 || a.t[i].coef == -1);
    }
    return own == 1;
}

/* Its value in an iteration: what an assignment before it says. */
static const IrExpr *
value_of(const IrStmt *loop, const IrExpr *e)
{
    const IrExpr *found = e;
    for (const IrStmt *s = loop->body.first; s && e->kind == IX_VAR; s = s->next)
        if (s->kind == IS_SET && s->var == e->var)
            found = s->e;
    return found;
}

typedef struct Behind {
    const IrStmt *loop, *store;
    int64_t step;
    bool any;
} Behind;

/* An element of the same row that an iteration before has stored, as far as signs tell: each would
 * wait for that store, which a branch is seldom taken for. */
static bool
see_behind(IrExpr **e, void *arg)
{
    Behind *b = arg;
    const IrStmt *store = b->store;
    if ((*e)->kind != IX_LOAD || (*e)->var != store->var || (*e)->n != store->n_idx)
        return true;
    for (int i = 0; i + 1 < (*e)->n; i++)
        if (!ir_expr_equal((*e)->arg[i], store->idx[i]))
            return true;
    IrAffine a, at;
    int last = store->n_idx - 1;
    const IrExpr *is = value_of(b->loop, unwrapped((*e)->arg[last]));
    if (!ir_affine(is, &a) || !ir_affine(unwrapped(store->idx[last]), &at) ||
        !ir_affine_add(&a, &at, -1)) {
        b->any = true;
        return true;
    }
    int64_t sign = a.n ? a.t[0].coef : a.c0;
    b->any |= (sign < 0) == (b->step > 0) && sign != 0;
    return true;
}

static bool
reads_behind(const IrStmt *loop, const IrStmt *store)
{
    Behind b = {.loop = loop, .store = store};
    if (!ir_is_const(loop->idx[2], &b.step))
        return true;
    for (IrStmt *s = loop->body.first; s; s = s->next) {
        ir_walk_stmt_exprs(s, see_behind, &b);
        for (IrStmt *t = s->kind == IS_IF ? s->body.first : NULL; t; t = t->next)
            ir_walk_stmt_exprs(t, see_behind, &b);
    }
    return b.any;
}

/* Neighbours in a row: all other indices stay. */
static bool
is_along_row(const IrStmt *loop, const IrStmt *store)
{
    for (int i = 0; i + 1 < store->n_idx; i++)
        if (ir_mentions(store->idx[i], loop->var) || ir_loads(store->idx[i]))
            return false;
    return store->n_idx && store->var->layout == LAY_C &&
           is_next(loop, store->idx[store->n_idx - 1]);
}

static bool
is_element(const IrExpr *e, const IrStmt *store)
{
    bool is = e->kind == IX_LOAD && e->var == store->var && e->n == store->n_idx;
    for (int i = 0; is && i < e->n; i++)
        is = ir_expr_equal(e->arg[i], store->idx[i]);
    return is;
}

typedef struct Change {
    const IrStmt *check;
    bool any;
} Change;

static void
see_def(IrVar *v, void *arg)
{
    Change *c = arg;
    c->any |= v == c->check->var || ir_mentions(c->check->e, v) > 0;
}

/* Has the same check passed before s, in its block, and nothing in it changed since? */
static bool
has_passed(const IrStmt *s, const IrStmt *check)
{
    Change c = {.check = check};
    for (IrStmt *t = s->prev; t && !c.any; t = t->prev) {
        if (t->kind == IS_CHECK_INDEX && t->var == check->var && t->axis == check->axis &&
            ir_expr_equal(t->e, check->e))
            return true;
        if (t->kind != IS_CHECK_INDEX && t->kind != IS_CHECK)
            ir_walk_defs(t, see_def, &c);
        c.any |= t->kind != IS_SET && t->kind != IS_CHECK_INDEX && t->kind != IS_CHECK;
    }
    return false;
}

/* The name of what is stored, set in the same branch and read nowhere else; NULL: it has none. */
static const IrStmt *
name_of(const Update *u, const IrStmt *store)
{
    const IrStmt *set = store->prev;
    while (set && set->kind == IS_CHECK_INDEX)
        set = set->prev;
    bool named =
        set && set->kind == IS_SET && ir_is_var(store->e, set->var) && u->reads[set->var->id] == 1;
    return named ? set : NULL;
}

/* The store of `if x > a[j] { checks that have passed; a[j] = x }`, or NULL. */
static IrStmt *
updates(const Update *u, const IrStmt *loop, const IrStmt *s)
{
    IrStmt *store = s->kind == IS_IF ? s->body.last : NULL;
    bool orders = store && s->e->kind == IX_OP && (op_info[s->e->op].flags & OPF_ORDERS);
    if (!orders || s->cold || s->cold_else || s->els.first || store->kind != IS_STORE ||
        !is_along_row(loop, store) || reads_behind(loop, store))
        return NULL;
    const IrExpr *x = s->e->arg[0], *y = s->e->arg[1];
    const IrStmt *name = name_of(u, store);
    const IrExpr *value = name ? name->e : store->e;
    if (!(is_element(x, store) && ir_expr_equal(y, value)) &&
        !(is_element(y, store) && ir_expr_equal(x, value)))
        return NULL;
    for (const IrStmt *t = s->body.first; t != store; t = t->next)
        if (t != name && (t->kind != IS_CHECK_INDEX || ir_stmt_loads(t) || !has_passed(s, t)))
            return NULL;
    return store;
}

static bool
is_plain(const Update *u, const IrStmt *loop)
{
    bool plain = loop->kind == IS_LOOP && loop->loop == LOOP_SEQ && !loop->cold;
    for (const IrStmt *s = loop->body.first; plain && s; s = s->next)
        plain = s->kind == IS_SET || s->kind == IS_CHECK || s->kind == IS_CHECK_INDEX ||
                s->kind == IS_STORE || updates(u, loop, s);
    return plain;
}

/* v = e, before s */
static IrExpr *
named(Update *u, IrBlock *b, IrStmt *s, const char *name, IrExpr *e)
{
    IrStmt *set = ir_stmt(u->cx, IS_SET, s->at);
    set->var = ir_var(u->f, name, (DType)e->dtype);
    set->e = e;
    ir_insert_before(b, s, set);
    return ir_use(u->cx, set->var);
}

static void
rewrite(Update *u, IrStmt *loop)
{
    for (IrStmt *s = loop->body.first, *next; s; s = next) {
        next = s->next;
        IrStmt *store = updates(u, loop, s);
        if (!store)
            continue;
        bool left = is_element(s->e->arg[0], store);
        IrExpr *old = named(u, &loop->body, s, "old", s->e->arg[!left]);
        IrExpr *new = named(u, &loop->body, s, "new", s->e->arg[left]);
        IrExpr *more = ir_op(u->cx, (IrOp)s->e->op, ir_copy_expr(u->cx, left ? old : new),
                             ir_copy_expr(u->cx, left ? new : old));
        ir_remove(&s->body, store);
        store->e = ir_op(u->cx, OP_select, more, new, old);
        ir_insert_before(&loop->body, s, store);
        ir_remove(&loop->body, s);
    }
}

static void
visit(Update *u, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == IS_LOOP && s->loop != LOOP_SEQ)
            continue;
        if (is_plain(u, s))
            rewrite(u, s);
        for (int i = 0, n = ir_blocks(s, sub); i < n; i++)
            visit(u, sub[i]);
    }
}

static bool
count_read(IrExpr **e, void *arg)
{
    if ((*e)->var)
        ((int *)arg)[(*e)->var->id]++;
    return true;
}

static void
count_reads(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, count_read, arg);
}

void
pass_update(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        Update u = {p->cx, pass_func(p, i), NULL};
        if (u.f->kernel || p->cx->opt->debug)
            continue;
        u.reads = NEW_N(&p->cx->arena, int, u.f->vars.n + 1);
        ir_walk_block(&u.f->body, count_reads, u.reads);
        visit(&u, &u.f->body);
    }
}
