/* SPDX-License-Identifier: BSD-3-Clause
 * Which numbers of a copied body may be read before they are set. One walk forwards keeps the set
 * of those that are set for certain, a bit each; where paths meet, what both have set. A function
 * begins with nothing set, each time that it is called: a copy of it in a loop would keep the last
 * round's values, and only look as if it needed them. */
#include "pass/simplify/inline.h"

typedef struct Unset {
    Cx *cx;
    int first, n, words;
    const IrArg *outs;
    int n_outs;
    uint64_t *sure, *found;
    Vec(IrVar *) vars; /* found */
} Unset;

static int
index_of(const Unset *u, const IrVar *v)
{
    if (v->is_array)
        return -1;
    if (v->id >= u->first)
        return v->id - u->first < u->n ? v->id - u->first : -1;
    for (int i = 0; i < u->n_outs; i++)
        if (u->outs[i].out == v)
            return u->n + i;
    return -1;
}

static bool
has(const uint64_t *set, int i)
{
    return set[i / 64] >> (i % 64) & 1;
}

static void
add(uint64_t *set, int i)
{
    set[i / 64] |= (uint64_t)1 << (i % 64);
}

static void
note_read(Unset *u, IrVar *v)
{
    int i = index_of(u, v);
    if (i < 0 || has(u->sure, i) || has(u->found, i))
        return;
    add(u->found, i);
    VEC_PUSH(&u->cx->arena, u->vars, v);
}

static bool
read_expr(IrExpr **e, void *arg)
{
    if ((*e)->kind == IX_VAR && (*e)->var->id >= ((Unset *)arg)->first)
        note_read(arg, (*e)->var);
    return true;
}

static void
note_set(IrVar *v, void *arg)
{
    Unset *u = arg;
    int i = index_of(u, v);
    if (i >= 0)
        add(u->sure, i);
}

static uint64_t *
copy_set(const Unset *u, const uint64_t *set)
{
    return arena_dup(&u->cx->arena, set, sizeof *set * (size_t)u->words);
}

static bool walk(Unset *u, IrBlock *b);

/* From `before` on. Yields what is set at its end; NULL: that isn't reached. */
static uint64_t *
walk_from(Unset *u, const uint64_t *before, IrBlock *b)
{
    u->sure = copy_set(u, before);
    return walk(u, b) ? NULL : u->sure;
}

/* Either may be NULL. */
static uint64_t *
meet(const Unset *u, uint64_t *a, const uint64_t *b)
{
    if (!a || !b)
        return a ? a : (uint64_t *)b;
    for (int i = 0; i < u->words; i++)
        a[i] &= b[i];
    return a;
}

/* What is set behind s; NULL: that isn't reached. */
static uint64_t *
walk_nested(Unset *u, IrStmt *s)
{
    uint64_t *before = u->sure, *end;
    switch (s->kind) {
    case IS_IF:
        end = walk_from(u, before, &s->body);
        return meet(u, end, walk_from(u, before, &s->els));
    case IS_WHILE:
        end = walk_from(u, before, &s->pre);
        end = end ? end : before;
        u->sure = end;
        ir_walk_stmt_exprs(s, read_expr, u);
        walk_from(u, end, &s->body);
        return end;
    case IS_TRY:
        end = walk_from(u, before, &s->body);
        end = end ? walk_from(u, end, &s->els) : NULL;
        for (int i = 0; i < s->n_handlers; i++)
            end = meet(u, end, walk_from(u, before, &s->handlers[i].body));
        return end;
    default:
        u->sure = copy_set(u, before);
        ir_walk_defs(s, note_set, u);
        walk_from(u, u->sure, &s->body);
        return before;
    }
}

/* Yields whether the block's end isn't reached. */
static bool
walk(Unset *u, IrBlock *b)
{
    for (IrStmt *s = b->first; s; s = s->next) {
        IrBlock *sub[IR_MAX_BLOCKS];
        if (s->kind != IS_WHILE)
            ir_walk_stmt_exprs(s, read_expr, u);
        if (ir_blocks(s, sub)) {
            u->sure = walk_nested(u, s);
            if (!u->sure)
                return true;
            continue;
        }
        ir_walk_defs(s, note_set, u);
        if (ir_does(s, ST_LEAVES))
            return true;
    }
    return false;
}

static void
set_zero(IrFunc *f, IrBlock *body, IrStmt *before, IrVar *v)
{
    Cx *cx = f->mod->cx;
    IrStmt *s = ir_stmt(cx, IS_SET, before ? before->at : (Span){0});
    s->var = v;
    s->e = ir_cast(cx, (DType)v->dtype, ir_int(cx, DT_i64, 0));
    ir_insert_before(body, before, s);
}

IrVar **
unset_reads(IrFunc *f, IrBlock *body, int first, const IrArg *outs, int n_outs, int *n)
{
    Unset u = {
        .cx = f->mod->cx, .first = first, .n = f->vars.n - first, .outs = outs, .n_outs = n_outs};
    u.words = (u.n + n_outs) / 64 + 1;
    u.found = NEW_N(&u.cx->arena, uint64_t, u.words);
    uint64_t *none = NEW_N(&u.cx->arena, uint64_t, u.words);
    u.sure = walk_from(&u, none, body);
    for (int i = 0; u.sure && i < n_outs; i++)
        if (outs[i].out)
            note_read(&u, outs[i].out);
    *n = u.vars.n;
    return u.vars.at;
}

void
inline_set_unset(IrFunc *f, IrBlock *body, IrStmt *from, int first, const IrArg *outs, int n_outs)
{
    int n;
    IrVar **v = unset_reads(f, body, first, outs, n_outs, &n);
    for (int i = 0; i < n; i++)
        set_zero(f, body, from, v[i]);
}
