/* SPDX-License-Identifier: BSD-3-Clause
 * On a device an array that a thread makes lies in a block of its stack, the same each time that
 * the statement runs. Which names may still look at what it made the time before, and be read
 * later? Names that may look there: through views, aliases and calls, wherever they stand. Read
 * later: liveness of arrays over the structured code, backwards, loops until nothing changes. */
#include "ir/ir.h"

typedef struct Kept {
    Cx *cx;
    IrFunc *f;
    const IrStmt *alloc;
    int words;
    uint64_t *after; /* live behind `alloc` */
    uint64_t *on_break, *on_continue;
    bool changed;
} Kept;

static void
put_bit(uint64_t *set, const IrVar *v)
{
    if (v && v->is_array)
        set[v->id / 64] |= 1ull << v->id % 64;
}

static bool
has_bit(const uint64_t *set, const IrVar *v)
{
    return set[v->id / 64] >> v->id % 64 & 1;
}

static bool
join(uint64_t *to, const uint64_t *from, int words)
{
    bool more = false;
    for (int i = 0; i < words; i++) {
        more |= (from[i] & ~to[i]) != 0;
        to[i] |= from[i];
    }
    return more;
}

/* ---- names of the same memory ---------------------------------------------------------------- */

static void
add_name(Kept *k, const IrVar *v)
{
    k->changed |= !has_bit(k->after, v);
    put_bit(k->after, v);
}

static void
note_alias(IrBlock *blk, IrStmt *s, void *arg)
{
    (void)blk;
    Kept *k = arg;
    if (ir_does(s, ST_LOOKS) && has_bit(k->after, s->base))
        add_name(k, s->var);
    for (int r = 0; r < s->n_outs; r++)
        for (int i = 0; s->outs[r].arr && i < s->n_args; i++)
            if (s->args[i].arr && has_bit(k->after, s->args[i].arr) &&
                ir_call_views(s, s->outs[r].arr, i))
                add_name(k, s->outs[r].arr);
}

static uint64_t *
names_of(IrFunc *f, const IrVar *v)
{
    Kept k = {.f = f, .changed = true};
    k.after = NEW_N(&f->mod->cx->arena, uint64_t, f->vars.n / 64 + 1);
    put_bit(k.after, v);
    while (k.changed) {
        k.changed = false;
        ir_walk_block(&f->body, note_alias, &k);
    }
    return k.after;
}

/* ---- what is read later ---------------------------------------------------------------------- */

static bool
read_expr(IrExpr **e, void *arg)
{
    put_bit(arg, (*e)->var);
    return true;
}

static void
end_name(IrVar *v, void *arg)
{
    if (v->is_array)
        ((uint64_t *)arg)[v->id / 64] &= ~(1ull << v->id % 64);
}

static void
read_array(IrVar *v, unsigned how, void *live)
{
    (void)how;
    put_bit(live, v);
}

static void
read_by(IrStmt *s, uint64_t *live)
{
    ir_walk_arrays(s, read_array, live);
    ir_walk_stmt_exprs(s, read_expr, live);
}

static void before_block(Kept *k, IrBlock *b, uint64_t *live);

static uint64_t *
copy_of(Kept *k, const uint64_t *set)
{
    uint64_t *c = NEW_N(&k->cx->arena, uint64_t, k->words);
    memcpy(c, set, 8 * (size_t)k->words);
    return c;
}

static void
before_loop(Kept *k, IrStmt *s, uint64_t *live)
{
    uint64_t *was_break = k->on_break, *was_continue = k->on_continue;
    uint64_t *out = copy_of(k, live), *head = copy_of(k, live);
    bool more = true;
    k->on_break = out;
    k->on_continue = head;
    while (more) {
        uint64_t *body = copy_of(k, head);
        before_block(k, &s->body, body);
        if (s->kind == IS_WHILE) {
            join(body, out, k->words);
            ir_walk_expr(&s->e, read_expr, body);
            before_block(k, &s->pre, body);
        }
        more = join(head, body, k->words);
    }
    k->on_break = was_break;
    k->on_continue = was_continue;
    memcpy(live, head, 8 * (size_t)k->words);
    if (s->kind == IS_LOOP)
        ir_walk_stmt_exprs(s, read_expr, live);
}

static void
before_stmt(Kept *k, IrStmt *s, uint64_t *live)
{
    IrBlock *inner[IR_MAX_BLOCKS];
    uint64_t *start = NULL;
    if (s == k->alloc)
        join(k->after, live, k->words);
    if (ir_does(s, ST_REPEATS)) {
        before_loop(k, s, live);
        return;
    }
    if (s->kind == IS_RETURN)
        memset(live, 0, 8 * (size_t)k->words);
    if (ir_does(s, ST_BREAKS))
        memcpy(live, s->kind == IS_BREAK ? k->on_break : k->on_continue, 8 * (size_t)k->words);
    int n = ir_blocks(s, inner);
    for (int i = 0; i < n; i++) {
        uint64_t *one = copy_of(k, live);
        before_block(k, inner[i], one);
        if (start)
            join(start, one, k->words);
        else
            start = one;
    }
    if (start)
        memcpy(live, start, 8 * (size_t)k->words);
    ir_walk_defs(s, end_name, live);
    read_by(s, live);
}

static void
before_block(Kept *k, IrBlock *b, uint64_t *live)
{
    for (IrStmt *s = b->last; s; s = s->prev)
        before_stmt(k, s, live);
}

/* ---- what is asked --------------------------------------------------------------------------- */

int
ir_kept(IrFunc *f, const IrStmt *alloc, IrVar ***out)
{
    Cx *cx = f->mod->cx;
    Kept k = {.cx = cx, .f = f, .alloc = alloc, .words = f->vars.n / 64 + 1};
    uint64_t *names = names_of(f, alloc->var), *live = NEW_N(&cx->arena, uint64_t, k.words);
    int n = 0;
    k.after = NEW_N(&cx->arena, uint64_t, k.words);
    before_block(&k, &f->body, live);
    *out = NEW_N(&cx->arena, IrVar *, f->vars.n + 1);
    for (int i = 0; i < f->vars.n; i++) {
        IrVar *v = f->vars.at[i];
        if (v != alloc->var && v->is_array && has_bit(names, v) && has_bit(k.after, v))
            (*out)[n++] = v;
    }
    return n;
}

typedef struct Given {
    const uint64_t *names;
    bool yes;
} Given;

static void
note_given(IrBlock *blk, IrStmt *s, void *arg)
{
    (void)blk;
    Given *g = arg;
    for (int i = 0; s->kind == IS_RETURN && i < s->n_args; i++)
        g->yes |= s->args[i].arr && has_bit(g->names, s->args[i].arr);
}

bool
ir_given_out(IrFunc *f, const IrStmt *alloc)
{
    Given g = {names_of(f, alloc->var), false};
    ir_walk_block(&f->body, note_given, &g);
    return g.yes;
}
