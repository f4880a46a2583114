/* SPDX-License-Identifier: BSD-3-Clause
 * The checks of a loop nest without what the nest is for. Where nobody sees what a nest
 * has done before it raises, since it writes only scalars and fresh arrays of a function
 * without `try`, the checks alone may run first, where a test before the nest could not
 * vouch for them; then the nest itself runs without them. That is less code than a
 * second, checked copy of the nest. Kept are the checks, the loops and branches around
 * them, and the assignments that these depend on, to variables of their own; a loop whose
 * iterations then are all alike becomes an if. */
#include "pass/checks/inspect.h"

typedef struct Inspector {
    IrFunc *f;
    Cx *cx;
    const IrEffects *fx; /* of the nest */
    uint64_t *needed;    /* scalars, by id */
    int first;           /* id of a variable of its own */
    bool more, fails;
} Inspector;

/* ---- may it? --------------------------------------------------------------------------------- */

static void
find_access(IrBlock *blk, IrStmt *s, void *arg)
{
    (void)blk;
    *(bool *)arg |= s->kind == IS_STORE || ir_stmt_loads(s);
}

/* Pass ifconv makes a select of it, where it is shown that the index is always in range:
 * the test before a second version shows that. */
static bool
may_access(IrStmt *s)
{
    bool any = false;
    ir_walk_block(&s->body, find_access, &any);
    ir_walk_block(&s->els, find_access, &any);
    return any;
}

static void
see_stmt(IrBlock *blk, IrStmt *s, void *arg)
{
    Inspector *r = arg;
    (void)blk;
    bool plain = s->kind == IS_SET || ir_does(s, ST_CHECKS) ||
                 (s->kind == IS_IF && !may_access(s)) ||
                 (s->kind == IS_LOOP && (s->loop == LOOP_SEQ || s->loop == LOOP_PAR));
    bool fresh = s->kind == IS_STORE && s->var->noalias && !s->var->is_param;
    r->fails |= !plain && !fresh;
}

static bool
may_inspect(Inspector *r, IrStmt *loop)
{
    const SwOptions *opt = r->cx->opt;
    if (r->f->kernel || (opt && opt->debug) || r->fx->calls || r->fx->waits)
        return false;
    see_stmt(NULL, loop, r);
    ir_walk_block(&loop->body, see_stmt, r);
    return !r->fails;
}

/* ---- what checks depend on ------------------------------------------------------------------- */

static bool
is_needed(const Inspector *r, const IrVar *v)
{
    return r->needed[v->id / 64] >> (v->id % 64) & 1;
}

static bool
need(IrExpr **e, void *arg)
{
    Inspector *r = arg;
    IrVar *v = (*e)->var;
    if ((*e)->kind == IX_LOAD)
        r->fails |= r->fx->stores_shared || ir_in(r->fx->stores, v);
    if ((*e)->kind == IX_VAR && !is_needed(r, v)) {
        r->needed[v->id / 64] |= (uint64_t)1 << (v->id % 64);
        r->more = true;
    }
    return true;
}

/* Marks what the kept statements of a block read; does it keep any? */
static bool
mark(Inspector *r, IrBlock *blk)
{
    bool any = false;
    for (IrStmt *s = blk->first; s; s = s->next) {
        bool keeps = ir_does(s, ST_CHECKS);
        if (s->kind == IS_SET && is_needed(r, s->var))
            keeps = true;
        if (s->kind == IS_IF)
            keeps = (int)mark(r, &s->body) | (int)mark(r, &s->els);
        if (s->kind == IS_LOOP)
            keeps = mark(r, &s->body);
        if (keeps)
            ir_walk_stmt_exprs(s, need, r);
        any |= keeps;
    }
    return any;
}

static void
sweep(Inspector *r, IrBlock *blk)
{
    for (IrStmt *s = blk->first, *next; s; s = next) {
        next = s->next;
        sweep(r, &s->body);
        sweep(r, &s->els);
        if (s->kind == IS_STORE || (s->kind == IS_SET && s->var->id < r->first) ||
            ((s->kind == IS_LOOP || s->kind == IS_IF) && !s->body.first && !s->els.first))
            ir_remove(blk, s);
    }
}

/* ---- in fewer iterations --------------------------------------------------------------------- */

typedef struct Alike {
    const IrVar *var;
    bool differ;
} Alike;

static bool
see_var(IrExpr **e, void *arg)
{
    Alike *a = arg;
    a->differ |= ir_is_var(*e, a->var);
    return true;
}

static void
see_change(IrBlock *blk, IrStmt *s, void *arg)
{
    Alike *a = arg;
    (void)blk;
    a->differ |= s->kind == IS_SET;
    ir_walk_stmt_exprs(s, see_var, a);
}

static void
shorten(IrBlock *blk, IrStmt *s, void *arg)
{
    Inspector *r = arg;
    Alike a = {.var = s->var};
    int64_t step;
    (void)blk;
    if (s->kind != IS_LOOP)
        return;
    s->loop = LOOP_SEQ;
    s->cold = s->novector = true;
    s->independent = s->threads = s->elementwise = false;
    s->n_reds = s->n_lasts = 0;
    s->sched = NULL;
    s->label = NULL;
    ir_walk_block(&s->body, see_change, &a);
    if (a.differ || !ir_is_const(s->idx[2], &step))
        return;
    s->kind = IS_IF;
    s->novector = false;
    s->e = ir_op(r->cx, step > 0 ? OP_lt : OP_gt, s->idx[0], s->idx[1]);
    s->var = NULL;
    s->n_idx = 0;
}

/* ---- the copy -------------------------------------------------------------------------------- */

typedef struct Names {
    Inspector *r;
    IrBlock *out;
    Map map;
} Names;

/* Variables of its own, with the values that the nest finds. */
static void
rename_set(IrBlock *blk, IrStmt *s, void *arg)
{
    Names *n = arg;
    Inspector *r = n->r;
    (void)blk;
    if (s->kind != IS_SET || !is_needed(r, s->var) || map_get(&n->map, s->var))
        return;
    IrStmt *set = ir_stmt(r->cx, IS_SET, s->at);
    set->var = ir_var(r->f, s->var->name, (DType)s->var->dtype);
    set->e = ir_use(r->cx, s->var);
    map_put(&r->cx->arena, &n->map, s->var, set->var);
    ir_insert_before(n->out, NULL, set);
}

bool
inspect_nest(IrFunc *f, IrStmt *loop, const IrEffects *fx, IrBlock *out)
{
    Cx *cx = f->mod->cx;
    Inspector r = {.f = f, .cx = cx, .fx = fx, .first = f->vars.n};
    if (!may_inspect(&r, loop))
        return false;
    IrStmt copy = *loop;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy};
    r.needed = NEW_N(&cx->arena, uint64_t, f->vars.n / 64 + 1);
    do {
        r.more = false;
        mark(&r, &one);
    } while (r.more);
    if (r.fails)
        return false;
    Names names = {.r = &r, .out = out};
    ir_walk_block(&one, rename_set, &names);
    IrBlock checks = ir_clone_block(f, &one, &names.map);
    sweep(&r, &checks);
    ir_walk_block(&checks, shorten, &r);
    ir_move_all(out, &checks);
    return true;
}
