/* SPDX-License-Identifier: BSD-3-Clause
 * What the schedule asks of labelled loops: `seq` and `threads` set a loop's kind, `reduce`
 * lets the sums that the loop carries be reordered. The loop keeps its entry, for the passes
 * after this and for the back end.
 *
 * The hard idea is what a loop carries: `s = s + x` where the loop's body neither sets nor
 * reads s in another way, or `a[k] = a[k] + x` where k stays the same all through the loop.
 * A loop that carries a sum of floats and may not reorder it stays sequential whatever
 * number of threads is asked for, since threads never change a result. */
#include "pass/loops/sched.h"

typedef struct Labelled {
    IrBlock *blk;
    IrStmt *loop;
} Labelled;

typedef struct Sched {
    PassCx *p;
    IrFunc *f;
    IrStmt *loop;
    IrEffects fx;   /* of the loop */
    int uses, defs; /* being counted, of: */
    const IrVar *of;
    int chained;
    bool set_flags;       /* on what is found */
    int found, strict;    /* sums carried; those of floats that keep their order */
    Vec(SchedSum) stores; /* of the sums, those in memory */
    Vec(Labelled) loops;
    bool *met; /* by entry of the schedule: does a loop have this label? */
} Sched;

/* ---- v = v + ... ------------------------------------------------------------------- */

static bool
combines(int op)
{
    return op == OP_add || op == OP_sub || op == OP_mul;
}

static bool
is_self(const IrStmt *s, const IrExpr *e)
{
    if (s->kind == IS_SET)
        return ir_is_var(e, s->var);
    if (e->kind != IX_LOAD || e->var != s->var || e->n != s->n_idx)
        return false;
    for (int i = 0; i < s->n_idx; i++)
        if (!ir_expr_equal(e->arg[i], s->idx[i]))
            return false;
    return true;
}

/* What is stored or set, also when a variable made just before stands for it. */
static IrExpr *
value_of(IrStmt *s, IrStmt **made)
{
    *made = NULL;
    if (s->kind != IS_STORE || s->e->kind != IX_VAR)
        return s->e;
    for (IrStmt *k = s->prev; k; k = k->prev) {
        if (k->kind == IS_SET && k->var == s->e->var) {
            *made = k;
            return k->e;
        }
        if (k->kind != IS_CHECK && k->kind != IS_CHECK_INDEX)
            break;
    }
    return s->e;
}

/* Sums (or products) that lead from what s sets to its old value; n is 0 when there are
 * none. */
static SchedSum
find_sum(IrStmt *s)
{
    SchedSum sum = {.at = s};
    if (s->kind != IS_SET && s->kind != IS_STORE)
        return sum;
    IrExpr *e = value_of(s, &sum.made);
    bool product = e->kind == IX_OP && e->op == OP_mul;
    for (int k = 0; k < SW_LEN(sum.op) && e->kind == IX_OP && combines(e->op); k++) {
        if ((e->op == OP_mul) != product)
            return sum;
        sum.op[k] = e;
        for (int side = 0; side < (e->op == OP_sub ? 1 : 2); side++)
            if (is_self(s, e->arg[side])) {
                sum.n = k + 1;
                sum.side = side;
                return sum;
            }
        e = e->arg[0];
    }
    return sum;
}

/* ---- does the loop carry it? ------------------------------------------------------- */

static bool
count_use(IrExpr **e, void *arg)
{
    Sched *c = arg;
    c->uses += (*e)->var == c->of && (*e)->kind == IX_VAR;
    return true;
}

static void
count_def(IrVar *v, void *arg)
{
    Sched *c = arg;
    c->defs += v == c->of;
}

static void
count_stmt(IrBlock *blk, IrStmt *s, void *arg)
{
    Sched *c = arg;
    (void)blk;
    ir_walk_stmt_exprs(s, count_use, c);
    ir_walk_defs(s, count_def, c);
    if (s->kind == IS_SET && s->var == c->of)
        c->chained += find_sum(s).n > 0;
}

static bool
carries(Sched *c, const IrStmt *s)
{
    if (s->kind == IS_STORE) {
        for (int i = 0; i < s->n_idx; i++)
            if (!ir_invariant(s->idx[i], &c->fx))
                return false;
        return true;
    }
    c->of = s->var;
    c->uses = c->defs = c->chained = 0;
    ir_walk_block(&c->loop->body, count_stmt, c);
    return c->uses == c->chained && c->defs == c->chained;
}

static void
take_sum(IrBlock *blk, IrStmt *s, void *arg)
{
    Sched *c = arg;
    SchedSum sum = find_sum(s);
    (void)blk;
    if (sum.n == 0 || !carries(c, s))
        return;
    DType d = sum.op[0]->dtype;
    bool exact = !dtype_is_float(d) && !dtype_is_complex(d), strict = false;
    for (int k = 0; k < sum.n; k++) {
        if (c->set_flags)
            sum.op[k]->flags |= IXF_REASSOC;
        strict |= !(sum.op[k]->flags & (IXF_REASSOC | IXF_FAST));
    }
    c->found++;
    if (s->kind == IS_STORE && c->set_flags)
        VEC_PUSH(&c->p->cx->arena, c->stores, sum);
    c->strict += strict && !exact && !pass_may_reorder(c->p->cx, c->loop);
}

/* ---- one loop ---------------------------------------------------------------------- */

static void
set_threads(Sched *c, IrStmt *s)
{
    if (c->strict) {
        if (s->loop == LOOP_PAR)
            s->loop = LOOP_SEQ;
        pass_remark(c->p, REMARK_sched_sequence, s->at,
                    "'%s' adds up floats, and the order of a sum decides how it is rounded: "
                    "threads(%lld).reduce() lets it be split",
                    s->label, (long long)s->sched->threads);
        return;
    }
    s->unpromised = s->loop == LOOP_SEQ;
    s->loop = LOOP_PAR;
}

static void
apply(Sched *c, IrBlock *blk, IrStmt *s)
{
    const SwSched *e = s->sched;
    c->loop = s;
    c->fx = ir_effects_stmt(c->f, s);
    c->found = c->strict = c->stores.n = 0;
    c->set_flags = e->reduce;
    if (e->reduce || e->threads || e->tpb)
        ir_walk_block(&s->body, take_sum, c);
    if (e->reduce && !c->found && s->loop != LOOP_REDUCE)
        pass_remark(c->p, REMARK_sched_reduce, s->at, "the loop '%s' carries no sum or product",
                    s->label);
    if (e->seq)
        s->loop = LOOP_SEQ;
    else if (e->threads || e->tpb)
        set_threads(c, s);
    if (e->tpb)
        pass_remark(c->p, REMARK_sched_tpb, s->at,
                    "a CPU has no blocks of threads; '%s' runs on workers and in lanes", s->label);
    if (c->stores.n == 1)
        sched_to_scalar(c->p, c->f, blk, s, &c->stores.at[0]);
}

static void
collect(IrBlock *blk, IrStmt *s, void *arg)
{
    Sched *c = arg;
    Labelled l = {blk, s};
    s->sched = s->kind == IS_LOOP ? cx_sched(c->p->cx, s->label) : NULL;
    if (s->sched)
        c->met[s->sched - c->p->cx->sched] = true;
    if (s->sched)
        VEC_PUSH(&c->p->cx->arena, c->loops, l);
}

/* A label may name what becomes no loop that could be cut, such as a running sum. */
static void
remark_unmet(Sched *c)
{
    const Cx *cx = c->p->cx;
    for (int i = 0; i < cx->n_sched; i++)
        if (!c->met[i])
            pass_remark(c->p, REMARK_sched_label, c->p->mod->funcs.at[0]->at,
                        "what '%s' names runs in a way that no schedule changes",
                        cx->sched[i].label);
}

/* Inner loops first: an outer one may be copied. */
void
pass_sched(PassCx *p)
{
    Sched c = {.p = p};
    if (!p->cx->n_sched)
        return;
    c.met = NEW_N(&p->cx->arena, bool, p->cx->n_sched);
    for (int i = 0; i < p->mod->funcs.n; i++) {
        c.f = pass_func(p, i);
        c.loops.n = 0;
        ir_walk_block(&c.f->body, collect, &c);
        for (int k = c.loops.n - 1; k >= 0; k--)
            apply(&c, c.loops.at[k].blk, c.loops.at[k].loop);
    }
    remark_unmet(&c);
}
