/* SPDX-License-Identifier: BSD-3-Clause
 * What a function returns: one type on all paths, or, as the last attempt, values of one type or
 * another. */
#include "sema/internal.h"

/* What is returned has one type, and 1 is not what Python would show for True. */
static void
returns_mixed(Sema *s, const Node *n, const Type *t)
{
    Frame *f = s->fr;
    bool here = type_is_mixed(t), members = type_has_members(t) || type_has_members(f->ret);
    char *both = arena_printf(s->a, "an int on some paths, and a %s on others",
                              members ? "member of an IntEnum" : "bool");
    Diag *d = sema_error(s, DIAG_type_changes, n->kid[0], "'%s' returns %s here%s%s",
                         f->in->def->name, t->text, here ? ": " : " and ",
                         here ? both : arena_printf(s->a, "%s elsewhere", f->ret->text));
    diag_hint(s->diags, d, "make it one type: %s",
              members ? "int(...) of the member" : "bool(...) or int(...)");
    if (!here && f->ret_at)
        diag_note(s->diags, d, f->ret_at->at, "here it returns %s", f->ret->text);
}

/* A defaultdict with a function, which Python can't be given. */
static bool
has_factory(const Type *t)
{
    bool has = type_is_heap(t, &heap_defaultdict_of);
    for (int i = 0; type_has_elements(t) && !has && i < t->n; i++)
        has = has_factory(t->elems[i]);
    return has;
}

/* What is returned, all in all, is t: where that is of one type or another, ints and floats that
 * have met before stay what they are. */
static const Type *
returns_each(Sema *s, const Type *v, const Type *t)
{
    Frame *f = s->fr;
    if (!s->either)
        return t;
    bool first = !f->ret_at;
    f->ret_each = first || v == f->ret_each ? v
                  : f->ret_each             ? type_join_either(s->tt, f->ret_each, v)
                                            : NULL;
    return t && either_is(t) && f->ret_each ? f->ret_each : t;
}

void
sema_return(Sema *s, const Node *n)
{
    const Node *e = n->n ? n->kid[0] : NULL;
    Frame *f = s->fr;
    bool has = e != NULL;
    Sem v = has ? heap_value(s, e, sema_expr(s, e)) : sem_of(type_none(s->tt));
    bool held = v.type->kind == TY_ITER && s->fr->up && type_iter_holds(v.type);
    if (v.type->kind == TY_LIST || (v.type->kind == TY_ITER && !held) ||
        (v.type->kind == TY_STR && !v.type->ref) || (!s->fr->up && has_factory(v.type))) {
        Diag *d = sema_error(s, DIAG_unsupported, e, "returning %s is not supported", v.type->text);
        sema_want_later(s, e);
        if (v.type->kind == TY_LIST)
            diag_hint(s->diags, d, "return a tuple, or an array made with np.array(...)");
        v = sema_unknown(s);
    }
    if (s->unbound || (has && ends_only_raises(s, e))) { /* nothing is returned */
        f->env = (Env){.dead = true};
        return;
    }
    if (!f->up && s->cx->opt->kernel && v.type->kind != TY_NONE && !sem_bad(v)) {
        Diag *d =
            sema_error(s, DIAG_types, e, "a kernel returns nothing, and this is %s", v.type->text);
        diag_hint(s->diags, d, "store the result in an array that the kernel is given");
        v = sema_unknown(s);
    }
    if (!f->up)
        v.type = type_stored(s->tt, v.type);
    const Type *t = type_join(s->tt, f->ret, v.type);
    if (t && s->either && ((!f->up && type_is_mixed(t)) || either_asks(s))) {
        const Type *apart = type_join_either(s->tt, f->ret, v.type);
        t = apart ? apart : t;
    }
    t = returns_each(s, v.type, t);
    bool mixed = t && !f->up && type_is_mixed(t);
    s->want_apart |= mixed;
    if (!t || mixed)
        either_want(s);
    if (!t) {
        heap_want_wide(s, f->ret, v.type);
        Diag *d =
            sema_error(s, DIAG_type_changes, has ? e : n, "'%s' returns %s here and %s elsewhere",
                       f->in->def->name, v.type->text, f->ret->text);
        s->cx->wants |= WANT_ONE_TYPE;
        diag_hint(s->diags, d, "a compiled function returns one type");
        if (f->ret_at)
            diag_note(s->diags, d, f->ret_at->at, "here it returns %s", f->ret->text);
    } else {
        if (!f->up && type_is_mixed(t))
            returns_mixed(s, n, v.type);
        bool known = v.cst && v.cst->kind == CV_BOOL &&
                     (!f->ret_at || (f->ret_cst && const_equal(f->ret_cst, v.cst)));
        f->ret = t;
        f->ret_at = n;
        f->ret_cst = known ? v.cst : NULL;
    }
    sema_returned(s);
    f->env = (Env){.dead = true};
}
