/* SPDX-License-Identifier: BSD-3-Clause
 * Takes returns out of a block, so that control always reaches its end: `if c { return }; rest`
 * becomes `if not c { rest }`. Where a return is deeper than that, it sets a flag, which is looked
 * at by what follows; out of a loop, it breaks. Breaks and continues of a loop go the same way. */
#include "pass/grid/grid.h"
#include "pass/simplify/inline.h"

typedef struct Returns {
    Cx *cx;
    IrFunc *f;
    IrVar *done; /* a return has run */
    bool asked;  /* `done` is looked at */
    IrArg *outs;
    int n_outs;
    IrVar *in; /* breaks and continues go, not returns: this is false after a break */
} Returns;

bool
inline_has(const IrBlock *b, IrStmtKind kind)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == kind)
            return true;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (inline_has(sub[i], kind))
                return true;
    }
    return false;
}

static bool
returns_inside(const Returns *r, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    int n = ir_blocks(s, sub);
    if (r->in && ir_does(s, ST_REPEATS))
        return false;
    for (int i = 0; i < n; i++)
        if (r->in ? grid_jumps(sub[i]) : inline_has(sub[i], IS_RETURN))
            return true;
    return false;
}

static bool
is_exit(const Returns *r, const IrStmt *s)
{
    return r->in ? ir_does(s, ST_BREAKS) : s->kind == IS_RETURN;
}

/* Control never goes on behind b. */
static bool
leaves(const Returns *r, const IrBlock *b)
{
    const IrStmt *s = b->last;
    if (!s)
        return false;
    if (s->kind == IS_IF)
        return leaves(r, &s->body) && leaves(r, &s->els);
    return is_exit(r, s) || s->kind == IS_RAISE || s->kind == IS_RERAISE;
}

/* What follows s in b, to the end of `to`. */
static void
move_rest(IrBlock *b, IrStmt *s, IrBlock *to)
{
    for (IrStmt *t = s->next, *next; t; t = next) {
        next = t->next;
        ir_remove(b, t);
        if (to)
            ir_insert_before(to, NULL, t);
    }
}

static IrBuilder
builder(Returns *r, IrBlock *b, Span at)
{
    return (IrBuilder){.cx = r->cx, .mod = r->f->mod, .f = r->f, .at = b, .span = at};
}

static void
give_results(Returns *r, IrBuilder *b, const IrStmt *s)
{
    for (int i = 0; i < r->n_outs && i < s->n_args; i++) {
        if (r->outs[i].arr)
            ir_alias(b, r->outs[i].arr, s->args[i].arr);
        else if (r->outs[i].out)
            ir_set(b, r->outs[i].out, s->args[i].e);
    }
}

/* s, a return, and what stands behind it give way to results, the flag and, in a loop, a break. */
static void
replace(Returns *r, IrBlock *b, IrStmt *s, int loops)
{
    IrBuilder at = builder(r, b, s->at);
    move_rest(b, s, NULL);
    ir_remove(b, s);
    give_results(r, &at, s);
    if (s->kind == IS_BREAK)
        ir_set(&at, r->in, ir_int(r->cx, DT_bool, 0));
    ir_set(&at, r->done, ir_int(r->cx, DT_bool, 1));
    if (loops)
        ir_append(&at, IS_BREAK);
}

static IrExpr *
not_done(Returns *r)
{
    r->asked = true;
    return ir_op(r->cx, OP_inv, ir_use(r->cx, r->done));
}

/* After s, which may have returned: yields the block in which the rest of b is. */
static IrBlock *
guard_rest(Returns *r, IrBlock *b, IrStmt *s, int loops)
{
    if (!s->next && !loops)
        return NULL;
    IrBlock rest = {0};
    move_rest(b, s, &rest);
    IrBuilder at = builder(r, b, s->at);
    IrStmt *test = ir_if(&at, not_done(r));
    test->body = rest;
    if (!loops)
        return &test->body;
    IrStmt *out = ir_stmt(r->cx, IS_BREAK, s->at);
    test->e = ir_use(r->cx, r->done);
    test->body = (IrBlock){0};
    ir_insert_before(&test->body, NULL, out);
    ir_move_all(b, &rest);
    return NULL;
}

/* What runs when nothing was raised doesn't run behind a return. */
static void
guard_else(Returns *r, IrStmt *s)
{
    if (s->kind != IS_TRY || !s->els.first || r->in || !inline_has(&s->body, IS_RETURN))
        return;
    IrBlock els = s->els;
    s->els = (IrBlock){0};
    IrBuilder at = builder(r, &s->els, s->at);
    ir_if(&at, not_done(r))->body = els;
}

static void
cut(Returns *r, IrBlock *b, int loops)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        if (is_exit(r, s)) {
            replace(r, b, s, loops);
            return;
        }
        if (!returns_inside(r, s))
            continue;
        bool loop = ir_does(s, ST_REPEATS);
        if (s->kind == IS_IF && !loops && leaves(r, &s->body))
            move_rest(b, s, leaves(r, &s->els) ? NULL : &s->els);
        else if (s->kind == IS_IF && !loops && leaves(r, &s->els))
            move_rest(b, s, &s->body);
        if (!loops)
            guard_else(r, s);
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            cut(r, sub[i], loops + loop);
        if (loops && !loop)
            continue; /* it has broken out by itself */
        IrBlock *rest = guard_rest(r, b, s, loops);
        if (rest) {
            cut(r, rest, loops);
            return;
        }
        next = s->next;
    }
}

static void
drop_flag(IrBlock *b, IrStmt *s, void *done)
{
    if (s->kind == IS_SET && s->var == done)
        ir_remove(b, s);
}

/* Nobody looks at the flag behind its last place. */
static void
drop_last(const Returns *r, IrBlock *b)
{
    IrStmt *s = b->last;
    if (s && s->kind == IS_SET && s->var == r->done)
        ir_remove(b, s);
    if (!s || s->kind != IS_IF)
        return;
    drop_last(r, &s->body);
    drop_last(r, &s->els);
}

static void
cut_all(Returns *r, IrBlock *body)
{
    r->done = ir_var(r->f, r->in ? "skip" : "done", DT_bool);
    cut(r, body, 0);
    if (!r->asked) {
        ir_walk_block(body, drop_flag, r->done);
        return;
    }
    if (!r->in)
        drop_last(r, body);
    IrStmt *s = ir_stmt(r->cx, IS_SET, (Span){0});
    s->var = r->done;
    s->e = ir_int(r->cx, DT_bool, 0);
    ir_insert_before(body, body->first, s);
}

void
inline_cut_returns(IrFunc *f, IrBlock *body, IrArg *outs, int n_outs)
{
    Returns r = {.cx = f->mod->cx, .f = f, .outs = outs, .n_outs = n_outs};
    if (inline_has(body, IS_RETURN))
        cut_all(&r, body);
}

void
inline_cut_jumps(IrFunc *f, IrBlock *body, IrVar *in)
{
    Returns r = {.cx = f->mod->cx, .f = f, .in = in};
    cut_all(&r, body);
}
