/* SPDX-License-Identifier: BSD-3-Clause
 * One walk in the order of the program, which knows what has been set on all ways from the head of
 * the innermost loop around. What is read and not among that may come from another iteration, or
 * from before the loop. A set that reads the variable itself hands on what it had, and a variable
 * that nothing else asks for is of no use to anyone. */
#include "pass/analysis/lives.h"

struct Lives {
    Cx *cx;
    int n;          /* of the first n variables, */
    uint64_t *live; /* which are read where they may have been set in another iteration */
};

static void
mark(const Lives *l, uint64_t *in, const IrVar *v)
{
    if (v->id < l->n)
        in[v->id / 64] |= (uint64_t)1 << v->id % 64;
}

typedef struct Here {
    const Lives *l;
    const uint64_t *set; /* on all ways to here */
    const IrVar *own;    /* what the statement sets */
    bool hands_on;       /* it reads that, which isn't set here */
} Here;

static bool
note_read(IrExpr **e, void *arg)
{
    Here *r = arg;
    const IrVar *v = (*e)->var;
    if ((*e)->kind != IX_VAR || v->id >= r->l->n || ir_in(r->set, v))
        return true;
    if (v == r->own)
        r->hands_on = true;
    else
        mark(r->l, r->l->live, v);
    return true;
}

static void
note_def(IrVar *v, void *arg)
{
    const Lives *l = arg;
    mark(l, l->live, v);
}

static void
walk(Lives *l, IrBlock *b, uint64_t *set)
{
    int words = l->n / 64 + 1;
    size_t size = sizeof *set * (size_t)words;
    for (IrStmt *s = b->first; s; s = s->next) {
        IrBlock *sub[IR_MAX_BLOCKS];
        int n = ir_blocks(s, sub);
        uint64_t *in = n ? NEW_N(&l->cx->arena, uint64_t, 2 * words) : NULL;
        Here here = {l, set, s->kind == IS_SET ? s->var : NULL, false};
        ir_walk_stmt_exprs(s, note_read, &here);
        if (s->kind == IS_IF) {
            memcpy(in, set, size);
            memcpy(in + words, set, size);
            walk(l, &s->body, in);
            walk(l, &s->els, in + words);
            for (int i = 0; i < words; i++)
                set[i] = in[i] & in[words + i];
            continue;
        }
        for (int i = 0; i < n; i++) {
            memset(in, 0, size);
            walk(l, sub[i], in);
        }
        if (n)
            memset(set, 0, size);
        for (int i = 0; s->kind == IS_LOOP && i < s->n_reds; i++)
            mark(l, l->live, s->reds[i].var);
        if (s->kind != IS_SET)
            ir_walk_defs(s, note_def, l);
        else if (!here.hands_on)
            mark(l, set, s->var);
    }
}

Lives *
lives_find(Cx *cx, IrFunc *f)
{
    Lives *l = NEW(&cx->arena, Lives);
    int words = f->vars.n / 64 + 1;
    l->cx = cx;
    l->n = f->vars.n;
    l->live = NEW_N(&cx->arena, uint64_t, words);
    walk(l, &f->body, NEW_N(&cx->arena, uint64_t, words));
    return l;
}

bool
lives_in_iteration(const Lives *l, const IrVar *v)
{
    return v->id < l->n && !ir_in(l->live, v);
}
