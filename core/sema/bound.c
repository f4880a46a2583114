/* SPDX-License-Identifier: BSD-3-Clause
 * Bound methods: an attribute that is a method and is not called where it stands. Takes the type of
 * what has it; asks for the function that it is (ast/bound.c), after which all is typed again. */
#include "sema/internal.h"

typedef struct Within { /* classes in whose fields we are */
    const ObjClass *c;
    const struct Within *up;
} Within;

static bool
holds(Sema *s, const Type *t, bool (*is)(const Type *t, const void *arg), const void *arg,
      const Within *up)
{
    t = type_resolve(s->tt, t);
    const ObjClass *c = t->kind == TY_OBJ ? t->ref : NULL;
    bool parts = type_is_held_apart(t) || t->kind == TY_ITER || t->kind == TY_REF;
    bool found = is(t, arg);
    for (const Within *w = up; w; w = w->up)
        if (c && w->c == c)
            return false;
    for (int i = 0; c && i < c->n && !found; i++)
        found = c->field[i].type && holds(s, c->field[i].type, is, arg, &(Within){c, up});
    for (int i = 0; parts && i < t->n && !found; i++)
        found = holds(s, t->elems[i], is, arg, up);
    return found;
}

/* Is a value of type t, or what can be reached from it, of such a type? */
bool
sema_holds(Sema *s, const Type *t, bool (*is)(const Type *t, const void *arg), const void *arg)
{
    return holds(s, t, is, arg, NULL);
}

/* Is the function a bound method? */
bool
bound_by(const FuncDef *fd)
{
    return fd && fd->parent && !strncmp(fd->parent->name, "bound.", 6);
}

static bool
class_has(Sema *s, const void *cls, Sym name)
{
    const Method *m = cls ? class_method(s, cls, name) : NULL;
    return m && m->def && !m->is_property;
}

/* x.__getitem__(i) of what is no instance of a class. */
static bool
has_special(Sema *s, const Type *t, Sym name)
{
    static const char *const all[] = {"__getitem__", "__contains__", "__len__", "__setitem__",
                                      "__delitem__"};
    TypeKind k = t->kind;
    bool has = false, of = k == TY_REF || k == TY_TUPLE || k == TY_KEYED || k == TY_ARRAY ||
                           k == TY_RANGE || type_is_str(t) || type_is_bytes(t);
    for (int i = 0; of && i < SW_LEN(all); i++)
        has |= !strcmp(name, all[i]);
    return has && !class_has(s, k == TY_TUPLE ? t->ref : NULL, name);
}

static bool
has_method(Sema *s, Sem v, Sym name)
{
    const Type *t = v.type;
    if (has_special(s, t, name))
        return true;
    if (t->kind == TY_LIST || t->listed)
        return heap_method_view(&heap_list, name) >= 0;
    if (t->kind == TY_REF)
        return heap_method_view(t->ref, name) >= 0;
    if (type_is_str(t) || type_is_bytes(t))
        return text_has_method(t, name);
    if (t->kind == TY_OBJ)
        return class_has(s, ((const ObjClass *)t->ref)->cls, name);
    const Builtin *b = builtin_method(name);
    bool array = t->kind == TY_ARRAY, row = b && (array || !(b->flags & OF_ARRAYS));
    if (t->kind == TY_TUPLE)
        return t->names ? class_has(s, t->ref, name) : b && b->flags & OF_PYTHON;
    return row && (array || t->kind == TY_SCALAR || t->kind == TY_RECORD);
}

/* x.__getitem__(i): by which function of the library; NULL: by the one that is wanted. */
bool
bound_special(Sema *s, const Type *t, Sym name, const FuncDef **fd)
{
    if (!has_special(s, t, name))
        return false;
    *fd = heap_lib_named(s, arena_printf(s->a, "_special%.*s", (int)strlen(name) - 3, name + 1));
    return true;
}

bool
bound_method(Sema *s, const Node *e, Sem v, Sem *out)
{
    if (e == s->callee || s->fr->in->def->is_lib || sem_bad(v) || !has_method(s, v, e->name))
        return false;
    bool none = info_of(s, e->kid[0])->need != NULL;
    if (!s->unroll.loop && !none)
        s->unroll = (Unroll){.fn = s->fr->in->def,
                             .loop = e,
                             .of = UNROLL_METHOD,
                             .program = (Program *)(uintptr_t)s->prog};
    Diag *d = sema_error(s, DIAG_unsupported, e, "the method '%s' of %s as a value", e->name,
                         v.type->text);
    diag_hint(s->diags, d, none ? "test for None first" : "call it, or write a lambda that does");
    *out = sema_unknown(s);
    return true;
}
