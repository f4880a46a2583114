/* SPDX-License-Identifier: BSD-3-Clause
 * Is a scalar that a loop carries along a reduction? Looks at every statement of the body that
 * mentions it: all must combine it with something by one operation, whose order nobody can tell or
 * nobody minds. */
#include "pass/parallel/par.h"

typedef struct Match {
    ParLoop *l;
    IrVar *v;
    int op; /* -1: not known yet */
    int mentions, matched;
    bool bad, inexact;
    IrStmt *set; /* explained by the if around it */
} Match;

static int
group_of(int op)
{
    switch (op) {
    case OP_sub:
        return OP_add;
    case OP_div:
        return OP_mul;
    default:
        return ir_reduce_traits(op) && !(ir_reduce_traits(op) & RED_CHOOSES) ? op : -1;
    }
}

static bool
is_inexact(const IrExpr *e, int group)
{
    return ir_reduce_in_order(group, (DType)e->dtype) && !(e->flags & (IXF_REASSOC | IXF_FAST));
}

/* What is combined in the wider type and then cast is the same as if it had been in the
 * narrower one: ints wrap, floats round. But truncation and the lesser of two do not get along. */
static bool
keeps_path(const IrExpr *cast, const IrExpr *leaf, int op)
{
    DType from = (DType)cast->arg[0]->dtype, to = (DType)cast->dtype;
    bool floats = dtype_is_float(from) && dtype_is_float(to);
    bool complexes = dtype_is_complex(from) && dtype_is_complex(to);
    bool wraps = !(ir_reduce_traits(op) & RED_ZEROS);
    bool ints = dtype_is_int(from) && dtype_is_int(to) && wraps;
    return (floats || complexes || ints) && dtype_size(to) >= dtype_size(leaf->dtype);
}

bool
par_update_path(const IrExpr *e, const IrExpr *leaf, int *op, bool *inexact)
{
    if (ir_expr_equal(e, leaf))
        return true;
    if (e->kind == IX_CAST)
        return par_update_path(e->arg[0], leaf, op, inexact) && *op >= 0 &&
               keeps_path(e, leaf, *op);
    int g = e->kind == IX_OP ? group_of(e->op) : -1;
    if (g < 0 || (*op >= 0 && *op != g))
        return false;
    int was = *op;
    *op = g;
    *inexact |= is_inexact(e, g);
    if (par_update_path(e->arg[0], leaf, op, inexact))
        return true;
    if (e->op != OP_sub && e->op != OP_div && par_update_path(e->arg[1], leaf, op, inexact))
        return true;
    *op = was;
    return false;
}

static void
agree(Match *m, int op)
{
    if (m->op >= 0 && m->op != op)
        m->bad = true;
    m->op = op;
}

/* v = select(x > v, x, v) and its like: take x where op(x, v). Or v + x if .. else v */
static bool
match_select(Match *m, const IrExpr *e)
{
    if (e->kind != IX_OP || e->op != OP_select || ir_mentions(e, m->v) != 2)
        return false;
    IrExpr leaf = {.kind = IX_VAR, .dtype = m->v->dtype, .var = m->v};
    int op = -1, kept = ir_is_var(e->arg[1], m->v) ? 1 : 2;
    bool inexact = false;
    if (ir_is_var(e->arg[kept], m->v) && !ir_mentions(e->arg[0], m->v) &&
        par_update_path(e->arg[3 - kept], &leaf, &op, &inexact) && op >= 0)
        m->inexact |= inexact;
    else if (!par_update_choice(e, &leaf, &op, &m->inexact))
        return false;
    agree(m, op);
    m->matched += 2;
    return true;
}

static bool
count_in_stmt(IrExpr **e, void *arg)
{
    Match *m = arg;
    m->mentions += (*e)->var == m->v;
    return true;
}

static int
uses_in(IrStmt *s, IrVar *v)
{
    Match m = {.v = v};
    ir_walk_stmt_exprs(s, count_in_stmt, &m);
    return m.mentions;
}

static void
add_uses(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, count_in_stmt, arg);
}

/* Is t, which holds what v has come to in one iteration, read `n` times in all? In a chunk of the
 * loop that is not what v has come to. */
static bool
only_read(const Match *m, IrVar *t, int n)
{
    const uint64_t *after = m->l->read_after;
    Match all = {.v = t};
    ir_walk_block(&m->l->s->body, add_uses, &all);
    return all.mentions == n && after && !ir_in(after, t);
}

/* t = v; if v { ..; t = e }; v = t: `v = v and e`, with `if not v`: or. A chunk that begins anew
 * takes the branch more often than the whole loop does. */
static bool
match_short(Match *m, IrStmt *s)
{
    IrStmt *i = s->prev, *c = i ? i->prev : NULL;
    if (s->e->kind != IX_VAR || !i || i->kind != IS_IF || i->els.first || !c || c->kind != IS_SET ||
        c->var != s->e->var || !ir_is_var(c->e, m->v))
        return false;
    IrStmt *t = i->body.last;
    bool negate = i->e->kind == IX_OP && i->e->op == OP_inv;
    if (!t || t->kind != IS_SET || t->var != c->var ||
        !ir_is_var(negate ? i->e->arg[0] : i->e, m->v))
        return false;
    if (m->v->dtype != DT_bool || m->l->defs->n[t->var->id] != 2 || !only_read(m, t->var, 1) ||
        !par_is_silent(m->l, i, t->var))
        return false;
    agree(m, negate ? OP_or : OP_and);
    m->matched += 2;
    return true;
}

/* t = v + x; check that it has not wrapped; v = t. Other scalars may be set in between, as by
 * v, w = v + x, w + y. */
static bool
match_checked(Match *m, IrStmt *s)
{
    IrVar *t = s->e->kind == IX_VAR ? s->e->var : NULL;
    IrExpr leaf = {.kind = IX_VAR, .dtype = m->v->dtype, .var = m->v};
    IrStmt *d = s->prev;
    int op = -1, of_v = 0, of_t = 1;
    bool inexact = false;
    for (; d && (ir_does(d, ST_CHECKS) || (d->kind == IS_SET && d->var != t && d->var != m->v));
         d = d->prev) {
        if (d->kind == IS_SET && ir_mentions(d->e, m->v) + (t ? ir_mentions(d->e, t) : 0))
            return false;
        of_v += uses_in(d, m->v);
        of_t += t ? uses_in(d, t) : 0;
    }
    if (!t || !d || d->kind != IS_SET || d->var != t)
        return false;
    int in_d = ir_mentions(d->e, m->v);
    bool chosen = in_d == 2 && par_update_choice(d->e, &leaf, &op, &inexact);
    if (!chosen && (in_d != 1 || !par_update_path(d->e, &leaf, &op, &inexact) || op < 0))
        return false;
    if (!only_read(m, t, of_t))
        return false;
    agree(m, op);
    m->inexact |= inexact;
    m->matched += in_d + of_v;
    return true;
}

static void
match_set(Match *m, IrStmt *s)
{
    int op = -1, n = ir_mentions(s->e, m->v);
    bool inexact = false;
    if (s == m->set)
        return;
    IrExpr leaf = {.kind = IX_VAR, .dtype = m->v->dtype, .var = m->v};
    if (n == 1 && par_update_path(s->e, &leaf, &op, &inexact) && op >= 0) {
        agree(m, op);
        m->inexact |= inexact;
        m->matched++;
    } else if (!match_select(m, s->e) && !match_short(m, s) && !match_checked(m, s)) {
        m->bad = true;
    }
}

/* if x > v { ..; v = x; .. } */
static void
match_if(Match *m, IrStmt *s)
{
    int op;
    IrStmt *t = ir_mentions(s->e, m->v) == 1 && !s->els.first ? par_picked(s, m->v, &op) : NULL;
    if (!t || !par_only_picks(m->l, s, m->v))
        return;
    m->set = t;
    m->inexact |= dtype_is_float((DType)m->v->dtype);
    m->matched++;
    agree(m, op);
}

static bool
count_mention(IrExpr **e, void *arg)
{
    Match *m = arg;
    m->mentions += (*e)->var == m->v;
    return true;
}

static void
match_def(IrVar *v, void *arg)
{
    Match *m = arg;
    if (v == m->v)
        m->bad = true;
}

static void
match_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Match *m = arg;
    (void)b;
    ir_walk_stmt_exprs(s, count_mention, m);
    if (s->kind == IS_SET && s->var == m->v)
        match_set(m, s);
    else if (s->kind == IS_IF)
        match_if(m, s);
    else if (s->kind != IS_SET)
        ir_walk_defs(s, match_def, m);
}

/* Floats are added in another order only where the user asked for workers, or the code
 * says it may. */
int
par_reduction_op(ParLoop *l, IrVar *v)
{
    Match m = {.l = l, .v = v, .op = -1};
    ir_walk_block(&l->s->body, match_stmt, &m);
    bool no = m.bad || m.mentions != m.matched || (m.inexact && !l->reassoc);
    return no ? -1 : m.op;
}

bool
par_find_reduction(ParLoop *l, IrVar *v)
{
    int op = par_reduction_op(l, v);
    if (op < 0)
        return false;
    IrReduce r = {.var = v, .op = (uint8_t)op};
    VEC_PUSH(&l->cx->arena, l->reds, r);
    return true;
}

/* Every assignment in L is the same constant: `found = True`. */
static void
match_flag(IrBlock *b, IrStmt *s, void *arg)
{
    Match *m = arg;
    int64_t k;
    (void)b;
    ir_walk_stmt_exprs(s, count_mention, m);
    if (s->kind == IS_SET && s->var == m->v && ir_is_const(s->e, &k))
        agree(m, k ? OP_or : OP_and);
    else
        ir_walk_defs(s, match_def, m);
}

bool
par_find_flag(ParLoop *l, IrVar *v)
{
    Match m = {.l = l, .v = v, .op = -1};
    if (v->dtype != DT_bool)
        return false;
    ir_walk_block(&l->s->body, match_flag, &m);
    if (m.bad || m.op < 0 || m.mentions)
        return false;
    IrReduce r = {.var = v, .op = (uint8_t)m.op};
    VEC_PUSH(&l->cx->arena, l->reds, r);
    return true;
}
