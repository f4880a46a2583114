/* SPDX-License-Identifier: BSD-3-Clause
 * Reads what only kernels have: geo.thread_x among the expressions, and the statements
 *
 *     barrier block                  n = barrier block count lt(x, 0)
 *     atomic add h[i], 1             old = atomic cas lock[0], 1, 0      (new value, expected one)
 *     v = warp shfl x, mask, lane    m, all = warp match_all x, mask */
#include "ir/parse.h"

static const char *const heads[] = {"barrier", "atomic", "warp"};

bool
at_grid_stmt(Parser *p)
{
    for (int i = 0; i < SW_LEN(heads); i++)
        if (lex_at(&p->lx, heads[i]) && lex_word_follows(&p->lx))
            return true;
    return false;
}

IrExpr *
read_geo(Parser *p, Sym name)
{
    int which = strncmp(name, "geo.", 4) ? -1 : ir_word_index(ir_geo_words, GEO_COUNT, name + 4);
    return which < 0 ? NULL : ir_geo(p->cx, (IrGeo)which);
}

int
read_word(Parser *p, const char *const *words, int n, const char *what)
{
    Sym name = lex_word(&p->lx);
    int i = ir_word_index(words, n, name);
    if (i < 0)
        lex_fail(&p->lx, "'%s' is no %s", name, what);
    return i;
}

static void
read_barrier(Parser *p, IrVar *out)
{
    int which = read_word(p, ir_barrier_words, BAR_COUNT_, "kind of barrier"), vote = VOTE_NONE;
    if (out)
        vote = read_word(p, ir_vote_words, VOTE_COUNT_, "vote");
    ir_barrier(&p->b, (IrBarrier)which, (IrVote)vote, out, vote ? read_expr(p) : NULL);
}

static void
read_atomic(Parser *p, IrVar *out)
{
    IrExpr *idx[32], *expected = NULL;
    int op = read_word(p, ir_atomic_words, ATOM_COUNT_, "atomic operation");
    IrVar *arr = read_array(p);
    int n = read_list(p, "[", "]", idx, 32);
    lex_need(&p->lx, ",");
    IrExpr *e = read_expr(p);
    if (lex_take(&p->lx, ","))
        expected = read_expr(p);
    ir_atomic(&p->b, (IrAtomic)op, out, arr, n, idx, e, expected);
}

static void
read_warp(Parser *p, IrVar **outs, int n_outs)
{
    IrExpr *args[4], *e = NULL;
    int op = read_word(p, ir_warp_words, WARP_COUNT_, "operation of a warp"), n = 0;
    if (!n_outs)
        lex_fail(&p->lx, "the result of a warp's operation needs a variable");
    if (!lex_at_end(&p->lx))
        e = read_expr(p);
    while (n < SW_LEN(args) && lex_take(&p->lx, ","))
        args[n++] = read_expr(p);
    IrStmt *s = ir_warp(&p->b, (IrWarp)op, outs[0], e, n, args);
    s->n_outs = n_outs - 1;
    s->outs = NEW_N(&p->cx->arena, IrArg, n_outs);
    for (int i = 1; i < n_outs; i++)
        s->outs[i - 1].out = outs[i];
}

void
read_grid_stmt(Parser *p, IrVar **outs, int n_outs)
{
    Sym head = lex_word(&p->lx);
    IrVar *out = n_outs ? outs[0] : NULL;
    if (n_outs > 1 && strcmp(head, "warp") != 0)
        lex_fail(&p->lx, "too many results");
    for (int i = 0; i < n_outs; i++)
        if (!outs[i] || outs[i]->is_array)
            lex_fail(&p->lx, "the result of '%s' is a scalar variable", head);
    if (strcmp(head, "barrier") == 0)
        read_barrier(p, out);
    else if (strcmp(head, "atomic") == 0)
        read_atomic(p, out);
    else
        read_warp(p, outs, n_outs);
}
