/* SPDX-License-Identifier: BSD-3-Clause
 * Statements that end where they begin: what they evaluate first is a name that is bound on no
 * path, a call of a function whose every path raises, or, in a `try`, what is known to raise.
 * Nothing behind it is typed, for it has no value; lower evaluates what stands before, and it. */
#include "ast/search.h"
#include "sema/internal.h"

bool
sema_has_effect(const Node *n)
{
    if (!n || n->kind == N_Lambda)
        return false;
    bool found = n->kind == N_Call || n->kind == N_NamedExpr || n->kind == N_ListComp;
    for (int i = 0; i < n->n && !found; i++)
        found = sema_has_effect(n->kid[i]);
    return found;
}

/* Whether lower evaluates it where only its effect is wanted. */
static bool
is_plain(Sema *s, const Node *n)
{
    const Type *t = info_of(s, n)->type;
    return t && (t->kind == TY_SCALAR || t->kind == TY_ARRAY);
}

/* Is `to`, in the order of the kids, evaluated once, whatever the values are, and before anything
 * that lower leaves out or, of a name, that has an effect? */
static bool
is_first(Sema *s, const Node *n, const Node *to)
{
    bool forks = n->kind == N_BoolOp || n->kind == N_IfExp || n->kind == N_Assert;
    bool never = n->kind == N_ListComp || n->kind == N_Lambda || n->kind == N_Block;
    for (int i = 0; i < n->n && n != to; i++) {
        const Node *kid = n->kid[i];
        if (ast_has_node(kid, to))
            return !never && !(forks && i) && !(n->kind == N_Compare && i > 1) &&
                   is_first(s, kid, to);
        if (sema_has_effect(kid) && (to->kind == N_Name || !is_plain(s, kid)))
            return false;
    }
    return n == to;
}

bool
ends_only_raises(Sema *s, const Node *e)
{
    bool may = e->kind == N_Call || (s->either && (e->kind == N_BinOp || e->kind == N_UnaryOp ||
                                                   e->kind == N_Compare || e->kind == N_Subscript));
    const Call *c = may ? info_of(s, e)->call : NULL;
    return c && c->kind == CALL_INST && c->inst && sema_never_returns(s, c->inst);
}

bool
ends_here(Sema *s, const Node *e)
{
    const Node *n = s->stmt;
    if (s->unbound || !n || !ends_only_raises(s, e))
        return false;
    bool whole = (n->kind == N_Expr || n->kind == N_Return) && n->kid[0] == e;
    if (whole || !is_first(s, n, e))
        return false;
    s->unbound = e;
    s->ended = diag_mark(s);
    return true;
}

/* Of what is sure to raise, as an index that a tuple is known not to have does: in a `try`, here or
 * around a call, that may be what somebody waits for. False: it is an error of the program. */
bool
ends_raising(Sema *s, const Node *e, const char *exc, const char *text)
{
    bool tried = false;
    for (const Frame *f = s->fr; f && !tried; f = f->up)
        tried = f->try_ || f->finals;
    if (!tried || s->unbound || !s->stmt || sema_has_effect(e) || !is_first(s, s->stmt, e))
        return false;
    s->unbound = e;
    s->ended = diag_mark(s);
    s->ended_by = (Need){.exc = exc, .text = text};
    return true;
}

static void
report_unbound(Sema *s, const Node *e)
{
    Diag *d = sema_error(s, DIAG_unbound, e,
                         "local variable '%s' is used before anything is assigned to it",
                         ast_shown(s->a, e->name));
    if (builtin_find("builtins", e->name))
        diag_hint(s->diags, d,
                  "the function assigns '%s', which hides the builtin in all of it: give the "
                  "variable another name",
                  e->name);
}

/* An unbound name that is sure to be read is reported; else the statement raises when control comes
 * there. */
void
ends_statement(Sema *s, const Node *n)
{
    const Node *e = s->unbound;
    Frame *fr = s->fr;
    s->unbound = NULL;
    bool sure = fr->nested == 1 && !fr->up && fr->ret->kind == TY_UNKNOWN;
    if (e->kind == N_Name && !s->ended_by.exc && (sure || !is_first(s, n, e)))
        report_unbound(s, e);
    else
        info_of(s, n)->unbound = e;
    if (s->ended_by.exc)
        info_of(s, n)->need = arena_dup(s->a, &s->ended_by, sizeof s->ended_by);
    if (s->ended_by.exc || e->kind == N_Call)
        diag_rewind(s, s->ended);
    s->ended_by = (Need){0};
    /* or the next walk of a loop would take what it sets as bound */
    fr->env = (Env){.dead = true};
}
