/* SPDX-License-Identifier: BSD-3-Clause
 * try and raise. A `finally` is written out for each way that leads into it: after the body, after
 * an exception (which then goes on), and before each jump out of the body. The last of these stands
 * inside the body, whose handlers, and those of each try around it that the jump leaves, must not
 * take what it raises: a flag tells them. */
#include "ast/search.h"
#include "lower/internal.h"

/* As ir_exc_derives reads it. */
static const char *
class_text(Lower *l, const Const *c)
{
    StrBuf b = {0};
    sb_add(&b, c->str);
    for (int i = 0; i < c->n; i++)
        sb_addf(&b, "<%s", c->names[i]);
    return sb_keep(&b, &l->cx->arena);
}

static RaisedClass
exc_class_of(Lower *l, const Node *n)
{
    const Const *c = sema_info(l->in, n)->cst;
    if (!c)
        c = n->kind == N_Const  ? n->val
            : n->kind == N_Name ? ast_global(l->in->def, n->name)
                                : NULL;
    return c && c->kind == CV_EXC_CLASS ? (RaisedClass){class_text(l, c), c->b, c->weak}
                                        : (RaisedClass){0};
}

static bool
is_held(Lower *l, const Node *e)
{
    const Var *v = sema_info(l->in, e)->var;
    return v && v->type->kind == TY_EXC && v->type->n;
}

/* As IrSite has it; nothing is kept of what this function has not caught itself. */
static int
cause_of(Lower *l, const Node *from)
{
    RaisedClass cls = exc_class_of(l, from->kind == N_Call ? from->kid[0] : from);
    int k = IR_FROM_CAUGHT;
    if (cls.text)
        return IR_FROM_SITE + cause_site(l, cls.text, from);
    if (from->kind != N_Name)
        return IR_FROM_NONE;
    for (const HandlerScope *h = l->handlers; h; h = h->up, k--)
        if (h->node && h->node->name == from->name)
            return k;
    return IR_FROM_NOTHING;
}

void
lower_raise(Lower *l, const Node *n)
{
    const Node *e = n->n ? n->kid[0] : NULL;
    RaisedClass cls = e ? exc_class_of(l, e->kind == N_Call ? e->kid[0] : e) : (RaisedClass){0};
    const Node *from = n->n > 1 ? n->kid[1] : NULL;
    if (cls.text && e->kind == N_Call)
        raise_class(l, &cls, e->n - 1, e->kid + 1, from ? cause_of(l, from) : IR_FROM_NOTHING);
    else if (cls.text)
        raise_class(l, &cls, 0, NULL, from ? cause_of(l, from) : IR_FROM_NOTHING);
    else if (e && is_held(l, e))
        caught_raise(l, expr(l, e));
    else if (sema_info(l->in, n)->raises)
        ir_raise(&l->b, ir_site(l->b.mod, "RuntimeError", "No active exception to reraise", n->at),
                 0, NULL);
    else
        ir_append(&l->b, IS_RERAISE);
}

static void
add_class(Lower *l, IrHandler *h, const Const *c)
{
    for (int i = 0; c && c->kind == CV_TUPLE && i < c->n; i++)
        add_class(l, h, c->elems[i]);
    if (!c || c->kind != CV_EXC_CLASS)
        return;
    const char **more = NEW_N(&l->cx->arena, const char *, h->n_exc + 1);
    if (h->n_exc)
        memcpy(more, h->exc, sizeof *more * (size_t)h->n_exc);
    more[h->n_exc++] = c->str;
    h->exc = more;
}

static void
handler_classes(Lower *l, const Node *cls, IrHandler *h)
{
    if (!cls)
        return;
    add_class(l, h, sema_info(l->in, cls)->cst);
    for (int i = 0; i < h->n_exc; i++)
        if (strcmp(h->exc[i], "Exception") == 0 || strcmp(h->exc[i], "BaseException") == 0) {
            h->n_exc = 0; /* catches all */
            return;
        }
}

/* ---- jumps out of bodies --------------------------------------------------------------------- */

static void
mark_leaving(Lower *l, TryScope *t)
{
    if (!t->leaving) {
        t->leaving = ir_var(l->b.f, "leaving", DT_bool);
        IrStmt *not_yet = ir_stmt(l->cx, IS_SET, t->s->at);
        not_yet->var = t->leaving;
        not_yet->e = ir_int(l->cx, DT_bool, 0);
        ir_insert_before(t->block, t->s, not_yet);
    }
    ir_set(&l->b, t->leaving, ir_int(l->cx, DT_bool, 1));
}

static bool
leaves(IrBlock *b)
{
    return b->last && ir_does(b->last, ST_LEAVES);
}

/* In the place of a jump, as if the bodies up to t's had ended. What loops inside them have in
 * registers is in their variables, too. */
static void
finally_here(Lower *l, const TryScope *t)
{
    Map loop_var = l->loop_var;
    LoopScope *loop = l->loop;
    TryScope *tries = l->tries;
    l->loop_var = (Map){0};
    l->loop = t->loop;
    l->tries = t->up;
    lower_block(l, t->finally);
    l->loop_var = loop_var;
    l->loop = loop;
    l->tries = tries;
}

bool
leave_tries(Lower *l, bool function)
{
    TryScope *last = NULL;
    for (TryScope *t = l->tries; t && (function || t->loop == l->loop); t = t->up)
        last = t->finally ? t : last;
    for (TryScope *t = l->tries; last; t = t->up) {
        mark_leaving(l, t);
        if (t->finally)
            finally_here(l, t);
        if (leaves(l->b.at))
            return false;
        if (t == last)
            break;
    }
    return true;
}

/* ---- try ------------------------------------------------------------------------------------- */

static IrStmt *
open_try(Lower *l, TryScope *t, const Node *finally, int n_handlers)
{
    IrStmt *s = ir_append(&l->b, IS_TRY);
    s->n_handlers = n_handlers;
    s->handlers = NEW_N(&l->cx->arena, IrHandler, n_handlers);
    *t = (TryScope){.s = s, .block = l->b.at, .finally = finally, .loop = l->loop, .up = l->tries};
    l->tries = t;
    return s;
}

/* An exception of a `finally` that a jump runs has passed this try already. */
static void
unless_leaving(Lower *l, const TryScope *t, IrBlock *into)
{
    if (!t->leaving)
        return;
    IrBlock *save = l->b.at;
    l->b.at = into;
    l->b.at = &ir_if(&l->b, ir_use(l->cx, t->leaving))->body;
    ir_append(&l->b, IS_RERAISE);
    l->b.at = save;
}

static void
try_except(Lower *l, const Node *n)
{
    TryScope t;
    IrBlock *save = l->b.at;
    edge_moves(l, n, EDGE_ENTRY);
    IrStmt *s = open_try(l, &t, NULL, n->n - 3);
    bool els = n->kid[1] != NULL;
    l->b.at = &s->body;
    lower_block(l, n->kid[0]);
    if (!els)
        edge_moves(l, n, EDGE_TRY_END);
    l->b.at = save;
    l->tries = t.up;
    if (els)
        lower_branch(l, &s->els, n->kid[1], n, EDGE_TRY_END);
    for (int i = 0; i < s->n_handlers; i++) {
        const Node *h = n->kid[3 + i];
        handler_classes(l, h->kid[0], &s->handlers[i]);
        HandlerScope own = {h, l->handlers};
        l->handlers = &own;
        unless_leaving(l, &t, &s->handlers[i].body);
        l->b.at = &s->handlers[i].body;
        caught_bind(l, h);
        l->b.at = save;
        lower_branch(l, &s->handlers[i].body, h->kid[1], h, EDGE_HANDLER_END);
        l->handlers = own.up;
    }
}

typedef struct Guard { /* what stands around a body: see guard() of sema/try.c */
    const Node *finally;
    const Node *handler; /* or NULL: finally, and then the exception goes on */
    void (*body)(Lower *l, const Node *n);
} Guard;

/* Where the body has raised anything, an interrupt too. */
static void
guard_failed(Lower *l, const Guard *g, const TryScope *t, IrHandler *h)
{
    h->n_exc = 1;
    h->exc = NEW_N(&l->cx->arena, const char *, 1);
    h->exc[0] = "BaseException";
    HandlerScope own = {g->handler, l->handlers};
    l->handlers = &own;
    unless_leaving(l, t, &h->body);
    if (g->handler) {
        l->b.at = &h->body;
        caught_bind(l, g->handler);
        lower_branch(l, &h->body, g->handler->kid[1], g->handler, EDGE_HANDLER_END);
    } else {
        l->b.at = &h->body;
        lower_block(l, g->finally);
        if (!leaves(&h->body))
            ir_append(&l->b, IS_RERAISE);
    }
    l->handlers = own.up;
}

static void
guarded(Lower *l, const Node *n, const Guard *g)
{
    TryScope t;
    IrBlock *save = l->b.at;
    edge_moves(l, n, EDGE_GUARD);
    IrStmt *s = open_try(l, &t, g->finally, 1);
    bool overrides = ast_has_kind(g->finally, N_Break) || ast_has_kind(g->finally, N_Continue);
    l->overriding += overrides;
    l->b.at = &s->body;
    g->body(l, n);
    l->overriding -= overrides;
    l->tries = t.up;
    if (!leaves(&s->body)) {
        l->b.at = &s->els;
        lower_block(l, g->finally);
        if (g->handler && !leaves(&s->els))
            edge_moves(l, n, EDGE_TRY_END);
    }
    guard_failed(l, g, &t, &s->handlers[0]);
    l->b.at = save;
}

static void
plain_body(Lower *l, const Node *n)
{
    lower_block(l, n->kid[0]);
}

void
lower_with(Lower *l, const Node *n)
{
    if (sema_info(l->in, n)->cst) { /* nothing is done on the way in or out */
        lower_block(l, n->kid[0]);
        return;
    }
    lower_block(l, n->kid[2]);
    if (!leaves(l->b.at))
        guarded(l, n, &(Guard){.finally = n->kid[3], .handler = n->kid[4], .body = plain_body});
}

void
lower_try(Lower *l, const Node *n)
{
    if (n->kid[2])
        guarded(l, n, &(Guard){.finally = n->kid[2], .body = n->n > 3 ? try_except : plain_body});
    else
        try_except(l, n);
}
