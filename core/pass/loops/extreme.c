/* SPDX-License-Identifier: BSD-3-Clause
 * The greatest or least of floats, as `if x[i] > top: top = x[i]`: takes an innermost loop of that
 * alone, and yields one in vector lanes, each with a top of its own, where it is long enough.
 * A comparison with NaN is false in each lane, too, and a top that is NaN before the loop stays
 * so in all of them; equal floats are the same bits but for zeros, whose sign is that of the first
 * (or last) in order. So when zero comes out, the loop runs again as it was written. */
#include "pass/pass.h"

enum { LANES = 32, ENOUGH = 128 };

typedef struct Extreme {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
} Extreme;

static bool
is_var(const IrExpr *e, const IrVar *v)
{
    return e->kind == IX_VAR && e->var == v;
}

/* v = select(x > v, x, v) and its like: takes x where op(x, v). -1: something else, such as
 * what takes x where not op(x, v), and so NaN. */
static int
taken_where(const IrStmt *s)
{
    const IrVar *v = s->var;
    const IrExpr *e = s->e;
    if (e->kind != IX_OP || e->op != OP_select || !is_var(e->arg[2], v) ||
        ir_mentions(e->arg[1], v) || e->arg[0]->kind != IX_OP)
        return -1;
    const IrExpr *c = e->arg[0], *x = e->arg[1];
    if (!(op_info[c->op].flags & OPF_ORDERS))
        return -1;
    if (is_var(c->arg[1], v) && ir_expr_equal(c->arg[0], x))
        return c->op;
    if (!is_var(c->arg[0], v) || !ir_expr_equal(c->arg[1], x))
        return -1;
    return c->op == OP_lt ? OP_gt : c->op == OP_gt ? OP_lt : c->op == OP_le ? OP_ge : OP_le;
}

static bool
suits(const IrStmt *s)
{
    int64_t step;
    const IrStmt *set = s->body.first;
    bool plain = s->loop == LOOP_SEQ && !s->lanes && !s->novector && !s->few && !s->threads &&
                 !s->n_reds && !s->n_lasts && s->var->dtype == DT_i64 &&
                 ir_is_const(s->idx[2], &step) && step == 1;
    return plain && set && !set->next && set->kind == IS_SET && !set->var->is_array &&
           (set->var->dtype == DT_f64 || set->var->dtype == DT_f32) && taken_where(set) >= 0;
}

static IrStmt *
clone(Extreme *x, IrStmt *loop, IrBlock *to)
{
    IrBlock one = {loop, loop}, copy;
    copy = ir_clone_block(x->f, &one, NULL);
    IrStmt *s = copy.first;
    ir_move_all(to, &copy);
    return s;
}

/* `loop` is in no block now. */
static IrStmt *
rewritten(Extreme *x, IrStmt *loop)
{
    IrBlock made = {0};
    IrBuilder b = {.cx = x->cx, .mod = x->f->mod, .f = x->f, .at = &made, .span = loop->at};
    IrVar *v = loop->body.first->var, *was = ir_var(x->f, v->name, (DType)v->dtype);
    IrExpr *n =
        ir_op(x->cx, OP_sub, ir_copy_expr(x->cx, loop->idx[1]), ir_copy_expr(x->cx, loop->idx[0]));
    IrStmt *test = ir_if(&b, ir_op(x->cx, OP_ge, n, ir_int(x->cx, DT_i64, ENOUGH)));
    b.at = &test->body;
    ir_set(&b, was, ir_use(x->cx, v));
    IrStmt *wide = clone(x, loop, b.at);
    wide->lanes = LANES;
    wide->independent = true;
    wide->reds = NEW(&x->cx->arena, IrReduce);
    wide->reds[0] = (IrReduce){.var = v, .op = (uint8_t)taken_where(wide->body.first)};
    wide->n_reds = 1;
    IrExpr *zero = ir_float(x->cx, (DType)v->dtype, 0.0);
    IrStmt *again = ir_if(&b, ir_op(x->cx, OP_eq, ir_use(x->cx, v), zero));
    again->cold = true;
    b.at = &again->body;
    ir_set(&b, v, ir_use(x->cx, was));
    clone(x, loop, b.at)->cold = true;
    clone(x, loop, &test->els);
    return test;
}

static void
visit(Extreme *x, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        if (s->lanes || (s->cold && s->kind != IS_IF))
            continue;
        if (s->kind == IS_LOOP && suits(s) && pass_may_copy(x->p, x->f, s, "extreme")) {
            ir_remove(b, s);
            s->prev = s->next = NULL;
            ir_insert_before(b, next, rewritten(x, s));
            pass_remark(x->p, REMARK_lanes_extreme, s->at, "the greatest or least of each lane");
            continue;
        }
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (!(s->kind == IS_IF && (i ? s->cold_else : s->cold)))
                visit(x, sub[i]);
    }
}

void
pass_extreme(PassCx *p)
{
    const SwOptions *opt = p->cx->opt;
    if (opt && (opt->debug || opt->opt_level < 2 || (~opt->fastmath & (FM_NNAN | FM_NSZ)) == 0 ||
                p->cx->trace.lanes == 1))
        return;
    for (int i = 0; i < p->mod->funcs.n; i++) {
        Extreme x = {p, p->cx, p->mod->funcs.at[i]};
        visit(&x, &x.f->body);
    }
}
