/* SPDX-License-Identifier: BSD-3-Clause
 * What a function that is defined inside takes of the variables around it. Takes the function, and
 * where it is named; yields its type with those of what it has captured there. */
#include "sema/internal.h"

/* A function that refers to variables around it, as its own variable holds it: without
 * them. */
bool
closure_is_raw(const Type *t)
{
    const FuncDef *fd = t->kind == TY_FUNC ? t->ref : NULL;
    bool raw = fd && fd->n_free && t->n == 0;
    for (int i = 0; t->kind == TY_CHOICE && !raw && i < t->n; i++)
        raw = closure_is_raw(t->elems[i]->elems[1]);
    return raw;
}

typedef struct Building { /* functions that capture each other: the inner mention stays
                             raw */
    const FuncDef *fd;
    struct Building *up;
} Building;

static const Type *capture(Sema *s, const Node *at, const FuncDef *fd, Building *up);
static const Type *captured_function(Sema *s, const Node *at, const FuncDef *fd, const Type *raw,
                                     Building *b);

static const Type *
captured(Sema *s, const Node *at, const FuncDef *fd, Sym name, Building *b)
{
    const FuncDef *self = s->fr->in->def;
    Slot *slot = env_find(s, name);
    const Type *raw = NULL;
    /* it took it from a function around this one */
    if (slot && fd->parent != self && ast_has_name(self->locals, self->n_locals, name) &&
        fd->cycle && fd->cycle == self->cycle) {
        Diag *d =
            sema_error(s, DIAG_unsupported, at,
                       "'%s' uses a variable '%s' of the function around it, and here another "
                       "has that name",
                       fd->name, ast_shown(s->a, name));
        diag_hint(s->diags, d, "give one of them another name");
        return type_unknown(s->tt);
    }
    if (!slot && name == self->name && self->parent)
        raw = type_other(s->tt, TY_FUNC, self, 0, NULL, NULL);
    else if (!slot || !slot->var || slot->clash) {
        const char *own = ast_shown(s->a, fd->name);
        Diag *d = sema_error(s, DIAG_unbound, at, "'%s' uses '%s', which is not bound here", own,
                             ast_shown(s->a, name));
        if (!strcmp(own, name))
            diag_hint(s->diags, d,
                      "write the decorator over a function outside, or call '%s' only "
                      "from outside",
                      own);
        else
            diag_hint(s->diags, d, "assign '%s' before '%s' is used", ast_shown(s->a, name), own);
        return type_unknown(s->tt);
    } else if (!closure_is_raw(type_value(slot->var->type))) {
        if (slot->maybe) /* asked when it is captured: lower's closure() */
            env_flag(s, slot->var->name);
        return slot->var->type;
    } else {
        raw = slot->var->type;
    }
    return captured_function(s, at, fd, raw, b);
}

/* A function that fd takes, or that is named, with what that takes: perhaps None, or one of
 * several. */
static const Type *
captured_function(Sema *s, const Node *at, const FuncDef *fd, const Type *raw, Building *b)
{
    const FuncDef *other = raw->ref;
    if (raw->kind == TY_OPTIONAL) {
        const Type *f = captured_function(s, at, fd, raw->elems[1], b);
        return f->kind == TY_UNKNOWN ? f : type_optional(s->tt, f);
    }
    if (raw->kind == TY_CHOICE) {
        const Type **f = NEW_N(s->a, const Type *, raw->n + 1);
        for (int i = 0; i < raw->n; i++) {
            f[i] = captured_function(s, at, fd, raw->elems[i]->elems[1], b);
            if (f[i]->kind == TY_UNKNOWN)
                return f[i];
        }
        return type_choice(s->tt, raw->n, f);
    }
    if (!closure_is_raw(raw))
        return raw;
    if (fd && other->cycle && other->cycle == fd->cycle && other->parent == fd->parent)
        return raw;
    for (Building *k = b; k; k = k->up)
        if (k->fd == other)
            return raw;
    return capture(s, at, other, b);
}

static const Type *
capture(Sema *s, const Node *at, const FuncDef *fd, Building *up)
{
    Building b = {fd, up};
    const Type **e = NEW_N(s->a, const Type *, fd->n_free + 1);
    for (int i = 0; i < fd->n_free; i++) {
        e[i] = captured(s, at, fd, fd->free[i], &b);
        if (e[i]->kind == TY_UNKNOWN)
            return e[i];
    }
    return type_other(s->tt, TY_FUNC, fd, fd->n_free, e, NULL);
}

Sem
closure_of(Sema *s, const Node *at, const FuncDef *fd)
{
    if (fd->n_free)
        return sem_of(capture(s, at, fd, NULL));
    Const c = {.kind = CV_FUNC, .ref = fd, .str = fd->name};
    return sem_const(s, arena_dup(s->a, &c, sizeof c));
}

const Type *
closure_with_captures(Sema *s, const Node *at, const Type *raw)
{
    return captured_function(s, at, NULL, raw, NULL);
}
