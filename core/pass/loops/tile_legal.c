/* SPDX-License-Identifier: BSD-3-Clause
 * May a nest that pass tile has matched be evaluated as tile_emit.c does it? It starts the sums of
 * a tile, adds the terms, and stores, and what was set before a loop is set anew in each of these
 * steps. So each expression is looked at with what it sees in the plain nest: a scalar must have
 * been set on the way to it in the same iteration, by a statement that the step evaluates as well,
 * and the element of the result is the memory's before the first and behind the last term, the sum
 * between. Whatever else is read (the value of an iteration before, say) makes the nest another
 * one. */
#include "pass/loops/tile.h"

/* ---- what an expression may read ------------------------------------------------------------- */

typedef enum Element { ELEMENT_NO, ELEMENT_OLD, ELEMENT_SUM } Element;

typedef struct Seen { /* what has been set when an expression is evaluated */
    Tile *t;
    int loops;       /* so many from outside */
    int pre, levels; /* so many of `pre`, of those in so many loops */
    int body, post;
    bool acc;
    bool old;        /* it may read what depends on the old element */
    Element element; /* what the element is */
    bool found_old, bad;
} Seen;

static const char needs_old[] = "it needs the old element while it sums";

static void
see_var(Seen *s, const IrVar *v)
{
    const Tile *t = s->t;
    bool ok = v == t->acc && s->acc;
    for (int l = 0; l < s->loops; l++)
        ok |= t->loop[l]->var == v;
    for (int i = 0; i < s->pre; i++)
        if (t->pre.at[i].s->var == v && t->pre.at[i].level < s->levels) {
            ok |= s->old || !t->pre.at[i].old || tile_no(s->t, needs_old);
            s->found_old |= t->pre.at[i].old;
        }
    for (int i = 0; i < s->body; i++)
        ok |= t->body.at[i]->var == v;
    for (int i = 0; i < s->post; i++)
        ok |= t->post.at[i]->var == v;
    s->bad |= !ok && ir_in(t->fx.sets, v);
}

static void
see_element(Seen *s, const IrExpr *e)
{
    if (!tile_is_element(s->t, e))
        s->bad = !tile_no(s->t, "it reads other elements of what it stores to");
    else if (s->element == ELEMENT_NO)
        s->bad = !tile_no(s->t, needs_old);
    s->found_old |= s->element == ELEMENT_OLD;
}

static bool
see_expr(IrExpr **e, void *arg)
{
    Seen *s = arg;
    if ((*e)->kind == IX_VAR)
        see_var(s, (*e)->var);
    else if ((*e)->kind == IX_LOAD && (*e)->var == s->t->c)
        see_element(s, *e);
    return true;
}

static bool
sees(Seen *s, IrExpr *e)
{
    s->bad = s->found_old = false;
    if (e)
        ir_walk_expr(&e, see_expr, s);
    return !s->bad;
}

bool
tile_is_element(const Tile *t, const IrExpr *e)
{
    if (e->var != t->c)
        return false;
    for (int k = 0; k < e->n; k++)
        if (!ir_expr_equal(e->arg[k], t->at[k]))
            return false;
    return true;
}

/* Loop ends, and what is set before loops. What depends on the old element is for the start
 * only. */
static bool
legal_outside(Tile *t)
{
    for (int i = 0; i < t->pre.n; i++) {
        TilePre *p = &t->pre.at[i];
        bool start = t->init && i < t->n_known;
        Seen s = {.t = t, .loops = p->level + 1, .pre = i, .levels = t->n, .old = start};
        s.element = start ? ELEMENT_OLD : ELEMENT_NO;
        if (!sees(&s, p->s->e))
            return false;
        p->old = s.found_old;
    }
    for (int l = 0; l < t->n; l++) {
        Seen s = {.t = t, .loops = l, .pre = t->pre.n, .levels = l};
        if (!sees(&s, t->loop[l]->idx[0]) || !sees(&s, t->loop[l]->idx[1]))
            return false;
    }
    return true;
}

static bool
legal_start(Tile *t)
{
    Seen s = {.t = t, .loops = t->level, .pre = t->n_known, .levels = t->level};
    s.old = true;
    s.element = ELEMENT_OLD;
    return sees(&s, t->init);
}

static bool
legal_terms(Tile *t)
{
    Seen s = {.t = t, .loops = t->n, .pre = t->pre.n, .levels = t->n, .acc = true};
    s.element = t->acc ? ELEMENT_NO : ELEMENT_SUM;
    for (; s.body < t->body.n; s.body++)
        if (!sees(&s, t->body.at[s.body]->e))
            return false;
    return sees(&s, t->next);
}

static bool
legal_end(Tile *t)
{
    Seen s = {.t = t, .loops = t->level, .pre = t->pre.n, .levels = t->level, .acc = true};
    s.old = true; /* nothing has been stored yet: see `kc` in choose_sizes */
    s.element = ELEMENT_OLD;
    for (; s.post < t->post.n; s.post++)
        if (!sees(&s, t->post.at[s.post]->e))
            return false;
    return sees(&s, t->final);
}

/* Set once, or another copy would not be the same. */
static bool
set_once(const Tile *t)
{
    for (int i = 0; i < t->pre.n; i++) {
        const IrVar *v = t->pre.at[i].s->var;
        bool again = v == t->acc;
        for (int k = 0; k < i; k++)
            again |= t->pre.at[k].s->var == v;
        for (int k = 0; k < t->body.n; k++)
            again |= t->body.at[k]->var == v;
        for (int k = 0; k < t->post.n; k++)
            again |= t->post.at[k]->var == v;
        if (again)
            return false;
    }
    for (int i = 0; i < t->post.n; i++)
        for (int k = 0; k < t->body.n; k++)
            if (t->post.at[i]->var == t->acc || t->post.at[i]->var == t->body.at[k]->var)
                return false;
    return true;
}

/* ---- scalars that live on -------------------------------------------------------------------- */

typedef struct Live {
    const Tile *t;
    const IrVar *v;
    bool set, found;
} Live;

static bool
read_expr(IrExpr **e, void *arg)
{
    Live *l = arg;
    l->found |= ir_is_var(*e, l->v);
    return true;
}

static void
see_read(Live *l, IrStmt *s)
{
    Live here = {.v = l->v};
    ir_walk_stmt_exprs(s, read_expr, &here);
    l->found |= here.found && !l->set;
}

static bool holds_in(const IrBlock *b, const IrStmt *x);

static bool
holds(IrStmt *s, const IrStmt *x)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    bool found = s == x;
    int n = ir_blocks(s, sub);
    for (int i = 0; i < n && !found; i++)
        found = holds_in(sub[i], x);
    return found;
}

static bool
holds_in(const IrBlock *b, const IrStmt *x)
{
    bool found = false;
    for (IrStmt *s = b->first; s && !found; s = s->next)
        found = holds(s, x);
    return found;
}

/* Walks with "was v set since the nest ran, or never did it run": any other read sees the
 * nest's value. */
static void
live_block(Live *l, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s == l->t->s) {
            l->set = false;
            continue;
        }
        bool inside = holds(s, l->t->s), loop = ir_does(s, ST_REPEATS);
        bool before = l->set && !(inside && loop);
        bool guards = s->kind == IS_TRY && holds_in(&s->body, l->t->s);
        int n = ir_blocks(s, sub);
        if (!loop || s->kind == IS_LOOP)
            see_read(l, s);
        bool after = true;
        for (int i = 0; i < n; i++) {
            l->set = before && !(guards && i > 0); /* a handler runs behind any part of the body */
            live_block(l, sub[i]);
            if (s->kind == IS_WHILE && i == 0)
                see_read(l, s);
            after &= l->set;
        }
        if (n)
            l->set = inside ? s->kind == IS_IF && after : before;
        if (s->kind == IS_SET && s->var == l->v)
            l->set = true;
    }
}

static bool
lives_on(const Tile *t, const IrVar *v)
{
    Live l = {t, v, true, false};
    live_block(&l, &t->f->body);
    return l.found;
}

static bool
all_private(Tile *t)
{
    bool found = t->acc && lives_on(t, t->acc);
    for (int i = 0; i < t->pre.n; i++)
        found |= lives_on(t, t->pre.at[i].s->var);
    for (int i = 0; i < t->body.n; i++)
        found |= lives_on(t, t->body.at[i]->var);
    for (int i = 0; i < t->post.n; i++)
        found |= lives_on(t, t->post.at[i]->var);
    return found ? tile_no(t, "a scalar that it sets is used behind it") : true;
}

bool
tile_legal(Tile *t)
{
    return set_once(t) && legal_outside(t) && (!t->init || legal_start(t)) && legal_terms(t) &&
           legal_end(t) && all_private(t);
}
