/* SPDX-License-Identifier: BSD-3-Clause
 * Rebuilds every expression through ir_op, which folds. A variable that is known to equal a
 * constant, another variable or a dimension at some place is replaced by that there. Branches
 * that a constant decides, statements after a jump, loops that never run, and sets of
 * variables that nobody reads go. Repeats while something changed, a few times at most. */
#include "pass/analysis/env.h"
#include "pass/pass.h"

enum { MAX_ROUNDS = 4 };

typedef struct Fold {
    Cx *cx;
    IrFunc *f;
    Env env;
    int *reads;          /* by variable */
    const IrVar *target; /* of the set whose reads are being counted */
    bool changed;
    bool tidy; /* assumptions have served */
} Fold;

/* ---- forwards: values into uses -------------------------------------------------------------- */

static IrExpr *
refold(Fold *fd, IrExpr *e)
{
    if (e->kind == IX_VAR) {
        IrExpr *v = env_get(&fd->env, e->var);
        return v ? ir_copy_expr(fd->cx, v) : e;
    }
    for (int i = 0; i < e->n; i++)
        e->arg[i] = refold(fd, e->arg[i]);
    if (e->kind == IX_CAST)
        return ir_cast(fd->cx, (DType)e->dtype, e->arg[0]);
    if (e->kind != IX_OP)
        return e;
    IrExpr *r = ir_opv(fd->cx, (IrOp)e->op, e->arg);
    if (r->kind == IX_OP && r->op == e->op)
        r->flags |= e->flags;
    return r;
}

static void
refold_exprs(Fold *fd, IrStmt *s)
{
    if (s->e)
        s->e = refold(fd, s->e);
    for (int i = 0; i < s->n_idx; i++)
        s->idx[i] = refold(fd, s->idx[i]);
    for (int i = 0; i < s->n_args; i++)
        if (s->args[i].e)
            s->args[i].e = refold(fd, s->args[i].e);
}

static void
kill_def(IrVar *v, void *arg)
{
    env_kill(arg, v);
}

static void
kill_stmt(Fold *fd, const IrStmt *s)
{
    IrEffects fx = ir_effects_stmt(fd->f, s);
    env_kill_set(&fd->env, fx.sets, fx.words);
}

static bool
is_simple(const IrExpr *e, const IrVar *to)
{
    return e->kind == IX_CONST || e->kind == IX_DIM || (e->kind == IX_VAR && e->var != to);
}

/* `t = v; if t { .. t = e }; v = t` of `v = v and e`, and under debug `t = v + x; check; v = t`.
 * What comes next goes on from v, so that a reduction stays one. */
static bool
is_combined(const Fold *fd, const IrStmt *s)
{
    const IrVar *t = s->e->kind == IX_VAR ? s->e->var : NULL;
    const IrStmt *c = s->prev && s->prev->kind == IS_IF ? s->prev->prev : NULL;
    if (!t || s->var->once)
        return false;
    if (c && c->kind == IS_SET && c->var == t && ir_is_var(c->e, s->var))
        return true;
    return fd->cx->opt->debug && t->once;
}

/* Behind a test that finds n to be 3, n is 3. (What is known of n, or by it, stays.) */
static void
learn_equal(Fold *fd, const IrExpr *e)
{
    if (e->kind != IX_OP || (e->op != OP_and && e->op != OP_eq))
        return;
    if (e->op == OP_and) {
        learn_equal(fd, e->arg[0]);
        learn_equal(fd, e->arg[1]);
        return;
    }
    const IrVar *v = e->arg[0]->kind == IX_VAR ? e->arg[0]->var : NULL;
    if (v && v->dtype == DT_i64 && ir_is_const(e->arg[1], NULL) && env_is_free(&fd->env, v))
        env_put(&fd->env, v, e->arg[1]);
}

static void forward(Fold *fd, IrBlock *b);

static void
forward_nested(Fold *fd, IrStmt *s)
{
    bool loops = ir_does(s, ST_REPEATS);
    if (loops)
        kill_stmt(fd, s);
    EnvMark m = env_save(&fd->env);
    if (s->kind == IS_WHILE) {
        forward(fd, &s->pre);
        refold_exprs(fd, s);
        forward(fd, &s->body);
    } else {
        IrBlock *sub[IR_MAX_BLOCKS];
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++) {
            bool after_part = s->kind == IS_TRY && i > 0; /* handlers, else: part of the body ran */
            if (after_part)
                env_meet(&fd->env, m);
            else
                env_restore(&fd->env, m);
            if (s->kind == IS_IF && sub[i] == &s->body)
                learn_equal(fd, s->e);
            forward(fd, sub[i]);
        }
    }
    if (loops)
        env_restore(&fd->env, m);
    else
        env_meet(&fd->env, m);
}

static void
forward(Fold *fd, IrBlock *b)
{
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind != IS_WHILE)
            refold_exprs(fd, s);
        if (ir_does(s, ST_REPEATS) || s->kind == IS_IF || s->kind == IS_TRY) {
            forward_nested(fd, s);
            continue;
        }
        ir_walk_defs(s, kill_def, &fd->env);
        if (s->kind == IS_SET && is_simple(s->e, s->var) && !is_combined(fd, s))
            env_put(&fd->env, s->var, s->e);
    }
}

/* ---- dropping what has no use ---------------------------------------------------------------- */

static bool
count_read(IrExpr **e, void *arg)
{
    Fold *fd = arg;
    if ((*e)->kind == IX_VAR && (*e)->var != fd->target)
        fd->reads[(*e)->var->id]++;
    return true;
}

/* What a variable needs for its own next value alone makes no use of it. */
static void
count_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Fold *fd = arg;
    (void)b;
    fd->target = s->kind == IS_SET ? s->var : NULL;
    ir_walk_stmt_exprs(s, count_read, fd);
    for (int i = 0; i < s->n_reds; i++)
        if (s->reds[i].hit) /* where the chunks are put together */
            fd->reads[s->reds[i].hit->id]++;
}

static void
replace_by_block(IrBlock *b, IrStmt *s, IrBlock *with)
{
    for (IrStmt *k = with->first, *next; k; k = next) {
        next = k->next;
        ir_insert_before(b, s, k);
    }
    with->first = with->last = NULL;
    ir_remove(b, s);
}

static bool
runs_never(const IrStmt *s)
{
    int64_t lo, hi, step;
    if (s->kind == IS_WHILE)
        return !s->pre.first && ir_is_const(s->e, &lo) && !lo;
    if (!s->body.first)
        return true;
    return ir_is_const(s->idx[0], &lo) && ir_is_const(s->idx[1], &hi) &&
           ir_is_const(s->idx[2], &step) && (step > 0 ? lo >= hi : lo <= hi);
}

typedef struct Place {
    Cx *cx;
    const IrVar *var;
    int64_t is;
} Place;

static bool
put_place(IrExpr **e, void *arg)
{
    const Place *p = arg;
    if (ir_is_var(*e, p->var))
        *e = ir_int(p->cx, (DType)p->var->dtype, p->is);
    return true;
}

static void
put_place_in(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, put_place, arg);
}

/* Over blocks of which there is one: a sum of few elements. */
static bool
runs_once(const Fold *fd, IrStmt *s)
{
    int64_t lo, hi, step;
    return s->kind == IS_LOOP && (s->loop == LOOP_SEQ || s->loop == LOOP_REDUCE) && !s->label &&
           !s->sched && !s->lanes && !s->threads && !s->n_reds && !s->n_lasts &&
           ir_is_const(s->idx[0], &lo) && ir_is_const(s->idx[1], &hi) &&
           ir_is_const(s->idx[2], &step) && step > 1 && lo < hi &&
           (uint64_t)hi - (uint64_t)lo <= (uint64_t)step && !ir_effects(fd->f, &s->body).breaks;
}

static void
simplify_once(Fold *fd, IrBlock *b, IrStmt *s)
{
    Place p = {.cx = fd->cx, .var = s->var};
    ir_is_const(s->idx[0], &p.is);
    ir_walk_block(&s->body, put_place_in, &p);
    replace_by_block(b, s, &s->body);
    fd->changed = true;
}

static void
simplify_if(Fold *fd, IrBlock *b, IrStmt *s)
{
    int64_t c;
    if (ir_is_const(s->e, &c)) {
        replace_by_block(b, s, c ? &s->body : &s->els);
    } else if (!s->body.first && !s->els.first) {
        ir_remove(b, s);
    } else if (!s->body.first) {
        bool cold = s->cold;
        s->e = ir_op(fd->cx, OP_inv, s->e);
        s->body = s->els;
        s->els = (IrBlock){0};
        s->cold = s->cold_else;
        s->cold_else = cold;
    } else {
        return;
    }
    fd->changed = true;
}

static bool
has_no_effect(const Fold *fd, const IrStmt *s)
{
    int64_t c;
    switch (s->kind) {
    case IS_CHECK:
        return ir_is_const(s->e, &c) && c;
    case IS_ASSUME:
        return fd->tidy;
    case IS_LOOP:
    case IS_WHILE:
        return runs_never(s);
    case IS_SET:
        return !fd->reads[s->var->id] || (ir_is_var(s->e, s->var));
    default:
        return false;
    }
}

static bool
is_jump(const IrStmt *s)
{
    return ir_does(s, ST_LEAVES);
}

static bool
is_unused(const Fold *fd, const IrVar *v)
{
    return !v->is_array && !fd->reads[v->id];
}

/* What a loop combines or leaves, and nobody reads: its assignments go, so the loop is not to name
 * it. */
static void
drop_unused(const Fold *fd, IrStmt *s)
{
    int n = 0;
    for (int i = 0; i < s->n_reds; i++)
        if (!is_unused(fd, s->reds[i].var))
            s->reds[n++] = s->reds[i];
    s->n_reds = n;
    n = 0;
    for (int i = 0; i < s->n_lasts; i++)
        if (!is_unused(fd, s->lasts[i]))
            s->lasts[n++] = s->lasts[i];
    s->n_lasts = n;
}

static void
simplify(Fold *fd, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            simplify(fd, sub[i]);
        int64_t more;
        if (s->kind == IS_LOOP)
            drop_unused(fd, s);
        if (s->kind == IS_WHILE && s->body.first && ir_is_const(s->e, &more) && !more) {
            s->body = (IrBlock){0};
            fd->changed = true;
        }
        if (is_jump(s) && next) { /* nothing behind it runs */
            b->last = s;
            s->next = NULL;
            fd->changed = true;
            return;
        }
        if (s->kind == IS_IF) {
            simplify_if(fd, b, s);
        } else if (runs_once(fd, s)) {
            simplify_once(fd, b, s);
        } else if (has_no_effect(fd, s)) {
            ir_remove(b, s);
            fd->changed = true;
        }
    }
}

/* ---- releases of arrays that passes before have taken away ----------------------------------- */

typedef struct Drop {
    IrBlock *b;
    IrStmt *s;
} Drop;

typedef struct Made {
    Cx *cx;
    bool *made; /* by variable */
    Vec(Drop) drops;
} Made;

static void
note_made(IrVar *v, void *arg)
{
    ((Made *)arg)->made[v->id] = true;
}

static void
note_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Made *m = arg;
    Drop d = {b, s};
    if (s->kind == IS_DROP)
        VEC_PUSH(&m->cx->arena, m->drops, d);
    else
        ir_walk_defs(s, note_made, m);
}

static void
drop_drops(Cx *cx, IrFunc *f)
{
    Made m = {.cx = cx, .made = NEW_N(&cx->arena, bool, f->vars.n + 1)};
    ir_walk_block(&f->body, note_stmt, &m);
    for (int i = 0; i < m.drops.n; i++) {
        const Drop *d = &m.drops.at[i];
        if (!m.made[d->s->var->id] && !d->s->var->is_param)
            ir_remove(d->b, d->s);
    }
}

static void
fold_func(Fold *fd)
{
    for (int round = 0; round < MAX_ROUNDS; round++) {
        fd->changed = false;
        env_init(&fd->env, fd->f);
        forward(fd, &fd->f->body);
        fd->reads = NEW_N(&fd->cx->arena, int, fd->f->vars.n + 1);
        ir_walk_block(&fd->f->body, count_stmt, fd);
        simplify(fd, &fd->f->body);
        if (!fd->changed)
            return;
    }
}

static void
fold_all(PassCx *p, bool tidy)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        Fold fd = {.cx = p->cx, .f = pass_func(p, i), .tidy = tidy};
        fold_func(&fd);
    }
}

void
fold_again(PassCx *p, IrFunc *f)
{
    Fold fd = {.cx = p->cx, .f = f};
    fold_func(&fd);
}

void
pass_fold(PassCx *p)
{
    fold_all(p, false);
}

void
pass_tidy(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        merge_alike(p->mod->funcs.at[i]);
        drop_drops(p->cx, p->mod->funcs.at[i]);
    }
    fold_all(p, true);
}
