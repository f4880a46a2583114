/* SPDX-License-Identifier: BSD-3-Clause
 * The greatest and the least of something as choices: `if x > m: m = x`, select(x > m, x,
 * m); and what is set along with it, where it was found: `if x > m: m = x; k = i`. Each
 * chunk finds its own, and these are compared in the order of the chunks; then the first
 * of equals wins, or the last with >=, as one after the other. */
#include "pass/parallel/par.h"
#include "pass/simplify/inline.h"

static int
negated(int op)
{
    return op == OP_lt ? OP_ge : op == OP_le ? OP_gt : op == OP_gt ? OP_le : OP_lt;
}

int
par_compares(const IrExpr *c, const IrExpr *leaf, const IrExpr *x)
{
    if (c->kind == IX_OP && c->op == OP_inv) {
        int op = par_compares(c->arg[0], leaf, x);
        return op < 0 ? op : negated(op);
    }
    if (c->kind != IX_OP || !(op_info[c->op].flags & OPF_ORDERS))
        return -1;
    if (ir_expr_equal(c->arg[1], leaf) && ir_expr_equal(c->arg[0], x))
        return c->op;
    if (ir_expr_equal(c->arg[0], leaf) && ir_expr_equal(c->arg[1], x))
        return op_mirrored(c->op);
    return -1;
}

/* select(x > leaf, x, leaf) and its like: take x where op(x, leaf) */
bool
par_update_choice(const IrExpr *e, const IrExpr *leaf, int *op, bool *inexact)
{
    if (e->kind != IX_OP || e->op != OP_select)
        return false;
    bool takes = ir_expr_equal(e->arg[2], leaf);
    if (!takes && !ir_expr_equal(e->arg[1], leaf))
        return false;
    *op = par_compares(e->arg[0], leaf, e->arg[takes ? 1 : 2]);
    if (*op < 0)
        return false;
    *inexact |= dtype_is_float((DType)e->dtype);
    *op = takes ? *op : negated(*op);
    return true;
}

/* ---- what goes along ------------------------------------------------------------------------- */

static IrStmt *
set_of(IrBlock *b, const IrVar *v)
{
    for (IrStmt *s = b->first; s; s = s->next)
        if (s->kind == IS_SET && s->var == v)
            return s;
    return NULL;
}

typedef struct FindIf {
    const IrVar *v;
    IrStmt *found;
} FindIf;

static void
find_if(IrBlock *b, IrStmt *s, void *arg)
{
    FindIf *f = arg;
    (void)b;
    if (s->kind == IS_IF && !s->els.first && set_of(&s->body, f->v))
        f->found = s;
}

/* What t is set to in the block before s, if it is a name for that. */
static const IrExpr *
behind(const IrStmt *s, const IrExpr *e)
{
    if (e->kind == IX_VAR)
        for (const IrStmt *d = s->prev; d; d = d->prev)
            if (d->kind == IS_SET && d->var == e->var)
                return d->e;
    return e;
}

IrStmt *
par_picked(const IrStmt *branch, const IrVar *v, int *op)
{
    bool changed = false; /* what was compared */
    *op = -1;
    for (IrStmt *t = branch->body.first; t && !changed; t = t->next) {
        changed = t->kind != IS_CHECK && t->kind != IS_CHECK_INDEX &&
                  (t->kind != IS_SET || ir_mentions(branch->e, t->var));
        if (t->kind != IS_SET || (v && t->var != v))
            continue;
        IrExpr leaf = {.kind = IX_VAR, .dtype = t->var->dtype, .var = t->var};
        *op = par_compares(branch->e, &leaf, t->e);
        if (*op < 0)
            *op = par_compares(branch->e, &leaf, behind(t, t->e));
        if (*op >= 0)
            return t;
    }
    return NULL;
}

/* A chunk that begins anew takes the branch more often than the whole loop does, so nothing
 * in it may add up, be stored, or reach what stands outside of it: only what is replaced by
 * the next time, and names that stand for a value within the branch. */
bool
par_only_picks(ParLoop *l, const IrStmt *branch, const IrVar *v)
{
    IrBlock whole = branch->body, until = {whole.first, NULL};
    for (IrStmt *s = whole.first; s; s = s->next) {
        if (s->kind == IS_CHECK || s->kind == IS_CHECK_INDEX || s->kind == IS_DROP)
            continue;
        if (s->kind != IS_SET)
            return false;
        IrStmt *next = s->next;
        int uses = s->var == v ? 0 : par_uses(l, s->var);
        s->next = NULL;
        until.last = s;
        bool read = uses && par_count_uses(&until, s->var);
        s->next = next;
        if (read || (uses && uses != par_count_uses(&whole, s->var)))
            return false;
    }
    return true;
}

/* ---- what is evaluated where something still holds ------------------------------------------- */

typedef struct Silent {
    const IrEffects *fx;
    bool no;
} Silent;

static void
see_effect(IrBlock *b, IrStmt *s, void *arg)
{
    Silent *x = arg;
    (void)b;
    const IrSummary *sum = s->kind == IS_CALL ? ir_summary(s->func) : NULL;
    x->no |= ir_does(s, ST_SAYS | ST_WAITS | ST_KERNEL | ST_RETURNS) || s->kind == IS_PUT ||
             s->kind == IS_PAR || (s->kind == IS_RT && !(rt_info[s->rt].traits & RTF_PURE)) ||
             (sum && (sum->writes || sum->says || sum->waits || sum->outside || sum->anything));
    if (ir_does(s, ST_WRITES_VAR)) /* of an array that it makes, no matter */
        x->no |= !s->var->noalias || !ir_in(x->fx->sets, s->var);
}

static bool
has_var(IrVar *const *list, int n, const IrVar *v)
{
    bool has = false;
    for (int i = 0; i < n; i++)
        has |= list[i] == v;
    return has;
}

bool
par_is_silent(ParLoop *l, IrStmt *branch, const IrVar *result)
{
    int n;
    IrEffects fx = ir_effects(l->f, &branch->body);
    Silent x = {.fx = &fx};
    ir_walk_block(&branch->body, see_effect, &x);
    IrVar **carried = unset_reads(l->f, &branch->body, 0, NULL, 0, &n);
    for (int i = 0; i < l->f->vars.n && !x.no; i++) {
        const IrVar *v = l->f->vars.at[i];
        if (v->is_array || v == result || !ir_sets(&fx, v))
            continue;
        x.no = has_var(carried, n, v) || !l->read_after || ir_in(l->read_after, v) ||
               par_uses(l, v) != par_count_uses(&branch->body, v);
    }
    return !x.no;
}

/* ---- what goes along, found ------------------------------------------------------------------ */

bool
par_goes_along(ParLoop *l, IrVar *v, IrReduce *r)
{
    FindIf f = {.v = v};
    IrBlock *body = &l->s->body;
    int op;
    if (v->is_array || par_uses(l, v) || par_count_sets(body, v) != 1)
        return false;
    ir_walk_block(body, find_if, &f);
    const IrStmt *pick = f.found ? par_picked(f.found, NULL, &op) : NULL;
    IrVar *m = pick ? pick->var : NULL;
    if (!m || par_count_sets(body, m) != 1 || par_reduction_op(l, m) != op)
        return false;
    *r = (IrReduce){.var = v, .op = (uint8_t)op, .of = m};
    return true;
}

bool
par_find_along(ParLoop *l, IrVar *v)
{
    IrReduce r;
    if (!l->copies || !par_goes_along(l, v, &r))
        return false;
    VEC_PUSH(&l->cx->arena, l->reds, r);
    return true;
}

/* hit = False; in the loop: if x >= m: ...; hit = True */
static IrVar *
mark_hit(ParLoop *l, IrBlock *blk, const IrVar *v)
{
    FindIf f = {.v = v};
    IrVar *hit = ir_var(l->f, "hit", DT_bool);
    ir_walk_block(&l->s->body, find_if, &f);
    for (int i = 0; i < 2; i++) {
        IrStmt *s = ir_stmt(l->cx, IS_SET, f.found->at);
        s->var = hit;
        s->e = ir_int(l->cx, DT_bool, i);
        ir_insert_before(i ? &f.found->body : blk, i ? f.found->body.first : l->s, s);
    }
    return hit;
}

void
par_mark_hits(ParLoop *l, IrBlock *blk)
{
    int n = l->reds.n;
    for (int i = 0; i < n; i++) {
        IrReduce *r = &l->reds.at[i];
        if (!r->of || (r->op != OP_le && r->op != OP_ge))
            continue;
        IrReduce hit = {.var = mark_hit(l, blk, r->var), .op = OP_or};
        r->hit = hit.var;
        VEC_PUSH(&l->cx->arena, l->reds, hit);
    }
}
