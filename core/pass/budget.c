/* SPDX-License-Identifier: BSD-3-Clause
 * How much code second versions of loops may add to one function, over all passes. Each pass bounds
 * what it does to one loop; where a function has hundreds, or one pass's versions are versioned by
 * the next, code would still grow by a power. So a function has a budget, linear in its size when
 * the first copy is asked for, which all passes draw on. One copy may take half of what is left:
 * short loops, which gain most for their code, still get theirs when long ones don't. */
#include "pass/pass.h"

enum {
    LEAST = 8000, /* nodes of statements and expressions; most functions never notice */
    VECTORS = 4,  /* a loop becomes so many */
};

typedef struct Budget {
    int all, left;
} Budget;

static bool
count_node(IrExpr **e, void *arg)
{
    (void)e;
    ++*(int *)arg;
    return true;
}

static void
count_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ++*(int *)arg;
    ir_walk_stmt_exprs(s, count_node, arg);
}

int
pass_weight(const IrBlock *b)
{
    int n = 0;
    ir_walk_block((IrBlock *)b, count_stmt, &n);
    return n;
}

static Budget *
budget_of(PassCx *p, IrFunc *f)
{
    Budget *b = map_get(&p->budgets, f);
    if (b)
        return b;
    int all = pass_weight(&f->body);
    b = NEW(&p->cx->arena, Budget);
    b->all = b->left = all > LEAST ? all : LEAST;
    map_put(&p->cx->arena, &p->budgets, f, b);
    return b;
}

static int
weight_of_stmt(const IrStmt *s)
{
    IrStmt copy = *s;
    copy.prev = copy.next = NULL;
    return pass_weight(&(IrBlock){&copy, &copy});
}

static bool
take(PassCx *p, IrFunc *f, const IrStmt *loop, const char *pass, int weight, bool room)
{
    Budget *b = budget_of(p, f);
    if (!room) {
        pass_remark_of(p, pass, REMARK__spent, loop->at,
                       "no second version of the loop: the function's versions have taken %d of "
                       "the %d nodes of "
                       "code that they may add, and this one is of %d",
                       b->all - b->left, b->all, weight);
        return false;
    }
    b->left -= weight;
    return true;
}

bool
pass_may_copy(PassCx *p, IrFunc *f, IrStmt *loop, const char *pass)
{
    const Budget *b = budget_of(p, f);
    int weight = weight_of_stmt(loop);
    return take(p, f, loop, pass, weight, weight <= b->left / (b->left == b->all ? 1 : 2));
}

/* ---- the versions of lowering ---------------------------------------------------------------- */

static IrStmt *
loop_in(const IrBlock *b)
{
    for (IrStmt *s = b->first; s; s = s->next)
        if (s->kind == IS_LOOP)
            return s;
    return NULL;
}

IrStmt *
pass_last_version(IrStmt *s)
{
    const IrStmt *x = loop_in(&s->body);
    while (!s->cold_else) {
        IrStmt *in = s->els.first;
        if (!in || in->next || in->kind != IS_IF || !loop_in(&in->body))
            return NULL;
        s = in;
    }
    const IrStmt *y = loop_in(&s->els);
    bool same = x && y && x->elementwise && y->elementwise && x->at.line == y->at.line &&
                x->at.col == y->at.col;
    return same ? s : NULL;
}

/* Versions for operands that are a row or a column are worth their code in a few expressions, not
 * in all: they become vectors, each of them, and leave half of the budget to what comes later. */
static bool
may_be_thin(PassCx *p, IrFunc *f, const IrStmt *s)
{
    const Budget *b = budget_of(p, f);
    int weight = VECTORS * weight_of_stmt(s);
    return take(p, f, s, "sizes", weight, weight <= b->left - b->all / 2);
}

void
pass_trim_versions(PassCx *p, IrFunc *f, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        int64_t truth = -1;
        bool dead = s->kind == IS_IF && ir_is_const(s->e, &truth);
        IrStmt *in = s->kind == IS_IF && !dead && !s->cold_else ? s->els.first : NULL;
        IrStmt *last =
            in && in->kind == IS_IF && !in->next && loop_in(&s->body) ? pass_last_version(s) : NULL;
        if (last && !may_be_thin(p, f, in)) {
            s->els = last->els;
            s->cold_else = true;
        }
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (!dead || i == !truth)
                pass_trim_versions(p, f, sub[i]);
    }
}
