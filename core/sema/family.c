/* SPDX-License-Identifier: BSD-3-Clause
 * Values that are instances of one class or another, where all of these classes have a compiled
 * base. The type of such a value is a named tuple of optional instances, of which one is there; its
 * class, made by swathe/_families.py, has a method for whatever the classes have, which looks which
 * instance there is. So lists, fields, variables and results take such values as they take tuples,
 * and nothing behind sema knows of them. Takes two types that have to be one; yields the family's,
 * or notes that Python is to be asked for it, and the program is compiled again. */
#include "sema/calls.h"

static const ObjClass *
now(const ObjClass *c)
{
    return c->same ? c->same : c;
}

static const Type *
family_type(Sema *s, const Family *f)
{
    const Type **e = NEW_N(s->a, const Type *, f->n + 1);
    for (int i = 0; i < f->n; i++)
        e[i] = type_optional(s->tt, type_object(s->tt, now(f->member[i])));
    return type_named_tuple(s->tt, f->n, e, f->cls->names, f->cls->ref, f->cls->str);
}

/* Is it a type of the family, or of an instance of one of its classes? */
static bool
is_of(const Family *f, const Type *t)
{
    if (t->kind == TY_TUPLE)
        return t->names && t->ref == f->cls->ref;
    bool is = false;
    for (int i = 0; t->kind == TY_OBJ && i < f->n; i++)
        is |= now(f->member[i]) == t->ref;
    return is;
}

static bool
was_asked(const Family *f, const ObjClass *a, const ObjClass *b)
{
    return (f->of[0] == a && f->of[1] == b) || (f->of[0] == b && f->of[1] == a);
}

static const Type *
join(void *sema, const Type *a, const Type *b)
{
    Sema *s = sema;
    Program *p = (Program *)(uintptr_t)s->prog;
    bool two = a->kind == TY_OBJ && b->kind == TY_OBJ && a != b;
    for (int i = 0; i < p->families.n; i++) {
        const Family *f = &p->families.at[i];
        if (f->cls && is_of(f, a) && is_of(f, b))
            return family_type(s, f);
        if (two && was_asked(f, a->ref, b->ref))
            return NULL;
    }
    if (!two || type_class(a)->dict || type_class(b)->dict)
        return NULL;
    VEC_PUSH(s->a, p->families, ((Family){.of = {a->ref, b->ref}}));
    p->family_asked = true;
    return NULL;
}

void
family_begin(Sema *s)
{
    type_set_families(s->tt, (TypeFamilies){join, s});
}

/* Is there one without an answer? Where it went without, with no more than `before` errors, none is
 * needed. */
bool
family_asked(Sema *s, int before)
{
    Program *p = (Program *)(uintptr_t)s->prog;
    if (diag_mark(s) > before)
        return p->family_asked;
    while (p->families.n && !p->families.at[p->families.n - 1].known)
        p->families.n--;
    p->family_asked = false;
    return false;
}

/* NULL: it is no such type. */
static const Family *
family_of(const Sema *s, const Type *t)
{
    for (int i = 0; t->kind == TY_TUPLE && t->names && i < s->prog->families.n; i++) {
        const Family *f = &s->prog->families.at[i];
        if (f->cls && f->cls->ref == t->ref)
            return f;
    }
    return NULL;
}

bool
family_is(const Sema *s, const Type *t)
{
    return family_of(s, type_value(t)) != NULL;
}

/* Which of the classes above; behind the last one: none of them. */
static int
above(const Family *f, const Const *cls)
{
    const void *asked = cls && cls->kind == CV_CLASS ? cls->ref : NULL;
    int at = 0;
    while (at < f->n_above && f->above[at] != asked)
        at++;
    return at;
}

/* Is it known that no instance is one? `tuple` is asked as any class is: a method says no. */
static bool
is_none(const Family *f, Sem cls)
{
    bool none = cls.type->kind != TY_TUPLE && above(f, cls.cst) == f->n_above;
    const Builtin *b = cls.type->kind == TY_BUILTIN ? cls.type->ref : NULL;
    return none && !(b && b->id == BI_py_tuple);
}

/* isinstance(value, cls): the method that asks; NULL: none can. */
static const Method *
asks(Sema *s, const Node *e, const Family *f, Sem cls)
{
    if (cls.type->kind == TY_TUPLE) {
        Diag *d = sema_error(s, DIAG_unsupported, e,
                             "isinstance() of %s, which is of one class or another, and a tuple",
                             f->cls->str);
        diag_hint(s->diags, d, "write `isinstance(x, A) or isinstance(x, B)`");
        return NULL;
    }
    int at = above(f, cls.cst);
    return class_method(s, f->cls->ref, arena_printf(s->a, "instance_of_%d_", at));
}

/* What Python's and NumPy's functions would take for a tuple. False: there is no such argument. */
bool
family_row(Sema *s, const Node *e, const Call *c, Sem *out)
{
    for (int i = 0; i < c->n_args; i++) {
        Sem v = c->arg[i] ? sema_known(s, c->arg[i]) : (Sem){0};
        const Family *f = v.type ? family_of(s, type_value(v.type)) : NULL;
        if (!f)
            continue;
        if (c->fn->id == BI_py_isinstance && c->arg[1] &&
            (s->fr->in->def->is_lib || is_none(f, sema_known(s, c->arg[1]))))
            return false; /* known */
        *out = sema_unknown(s);
        if (c->fn->id == BI_py_isinstance && i == 0 && c->arg[1] && !type_is_optional(v.type)) {
            const Method *m = asks(s, e, f, sema_known(s, c->arg[1]));
            if (m && m->def)
                *out = special_call(s, e, m, 2, (const Node *const *)c->arg);
            return true;
        }
        Diag *d = sema_error(s, DIAG_unsupported, e, "%s() of %s, which is of one class or another",
                             c->fn->name, f->cls->str);
        diag_hint(s->diags, d, "give the classes a method, and call it");
        return true;
    }
    return false;
}
