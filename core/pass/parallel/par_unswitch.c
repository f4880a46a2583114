/* SPDX-License-Identifier: BSD-3-Clause
 * Loop unswitching, for parallel loops: one that is independent where a flag holds, which no
 * iteration changes (`if flag: c = x[i]`), and that is tested before it. Takes that test and the
 * loop; makes, for where the flag does not hold, a copy of the loop that does not ask it. The walk
 * of par.c looks at copies as at other loops: what they carry then may be nothing. */
#include "pass/parallel/par.h"

enum { MOST_FLAGS = 2 };

static const IrExpr *
without(Cx *cx, const IrExpr *e, const IrExpr *flag, bool truth)
{
    if (ir_expr_equal(e, flag))
        return ir_int(cx, DT_bool, truth);
    if (flag->kind == IX_OP && flag->op == OP_inv)
        return without(cx, e, flag->arg[0], !truth);
    if (e->kind != IX_OP || e->dtype != DT_bool)
        return e;
    if (e->op == OP_inv) {
        const IrExpr *x = without(cx, e->arg[0], flag, truth);
        return x == e->arg[0] ? e : ir_op(cx, OP_inv, (IrExpr *)x);
    }
    if (e->op != OP_and && e->op != OP_or)
        return e;
    const IrExpr *x = without(cx, e->arg[0], flag, truth);
    const IrExpr *y = without(cx, e->arg[1], flag, truth);
    if (x == e->arg[0] && y == e->arg[1])
        return e;
    return ir_op(cx, e->op, (IrExpr *)x, (IrExpr *)y);
}

typedef struct Known {
    Cx *cx;
    const IrExpr *flag;
    bool truth;
} Known;

static void
choose(IrBlock *b, const Known *k)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            choose(sub[i], k);
        if (s->kind != IS_IF)
            continue;
        int64_t c;
        s->e = (IrExpr *)without(k->cx, s->e, k->flag, k->truth);
        if (!ir_is_const(s->e, &c))
            continue;
        IrBlock *taken = c ? &s->body : &s->els;
        for (IrStmt *t = taken->first, *after; t; t = after) {
            after = t->next;
            ir_remove(taken, t);
            ir_insert_before(b, s, t);
        }
        ir_remove(b, s);
    }
}

/* The n-th flag is not as it is needed, those before it are. */
static IrBlock
version_of(const ParLoop *l, const IrStmt *loop, const ParNeed **flag, int n)
{
    IrStmt copy = *loop;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy}, made = ir_clone_block(l->f, &one, NULL);
    for (int i = 0; i <= n; i++) {
        Known k = {l->cx, flag[i]->flag, i < n ? flag[i]->truth : !flag[i]->truth};
        choose(&made, &k);
    }
    return made;
}

/* Different ones; *all: there are no other needs. */
static int
flags_of(const ParLoop *l, const ParNeed **flag, bool *all)
{
    int n = 0;
    *all = true;
    for (int i = 0; i < l->needs.n; i++) {
        const ParNeed *need = &l->needs.at[i];
        bool pure = need->flag && (need->truth ? ir_expr_equal(need->e, need->flag)
                                               : need->e->kind == IX_OP && need->e->op == OP_inv &&
                                                     ir_expr_equal(need->e->arg[0], need->flag));
        bool known = false;
        for (int k = 0; need->flag && k < n; k++)
            known |= need->truth == flag[k]->truth && ir_expr_equal(need->flag, flag[k]->flag);
        *all &= pure && (known || n < MOST_FLAGS);
        if (need->flag && !known && n < MOST_FLAGS)
            flag[n++] = need;
    }
    return n;
}

bool
par_unswitch(const ParLoop *l, const IrStmt *loop, IrStmt *test)
{
    const ParNeed *flag[MOST_FLAGS];
    bool all, any = false;
    int n = flags_of(l, flag, &all);
    IrBlock *at = &test->els; /* the serial copy */
    for (int i = 0; i < n && pass_may_copy(l->p, l->f, (IrStmt *)loop, "par"); i++) {
        IrBlock version = version_of(l, loop, flag, i);
        any = true;
        if (all && i == n - 1) { /* nothing else can have failed */
            *at = version;
            break;
        }
        IrStmt *s = ir_stmt(l->cx, IS_IF, test->at);
        IrExpr *e = ir_copy_expr(l->cx, flag[i]->flag);
        s->e = flag[i]->truth ? ir_op(l->cx, OP_inv, e) : e;
        s->body = version;
        s->els = *at;
        s->cold_else = true;
        *at = (IrBlock){s, s};
        at = &s->els;
    }
    test->cold_else = !any;
    return any;
}
