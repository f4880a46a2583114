/* SPDX-License-Identifier: BSD-3-Clause
 * Dicts of unlike values that can change, be elements, and have several names: objects, as
 * instances of classes are, of a class for each choice of keys and types. So are dicts that
 * arguments hold, and, where a program needs that of one, all that it makes (Sema.objects). A key
 * keeps the type of its value. */
#include "sema/internal.h"

/* NULL: it is no such dict. */
const ObjClass *
keyed_class(const Type *t)
{
    const ObjClass *c = t ? type_class(t) : NULL;
    return c && c->dict ? c : NULL;
}

/* Its keys and types, as the dict has them that is its values. */
Sem
keyed_as_values(Sema *s, Sem v)
{
    const ObjClass *c = v.type && v.type->kind == TY_OBJ ? keyed_class(v.type) : NULL;
    if (!c)
        return v;
    const Type **e = NEW_N(s->a, const Type *, c->n + 1);
    Sym *names = NEW_N(s->a, Sym, c->n + 1);
    for (int i = 0; i < c->n; i++) {
        names[i] = intern(&s->cx->syms, c->field[i].name);
        e[i] = type_resolve(s->tt, c->field[i].type);
    }
    return sem_of(type_keyed(s->tt, c->n, e, names));
}

/* ---- classes --------------------------------------------------------------------------------- */

/* As a field; NULL: it can't be one. */
static const Type *
field_of(Sema *s, const Type *t)
{
    t = type_resolve(s->tt, t);
    return t->kind == TY_ARRAY || t->kind == TY_NONE ? t : type_element(s->tt, t);
}

static bool
is_class(Sema *s, const ObjClass *c, const Type *of, const Type *const *types)
{
    bool same = c->dict && c->n == of->n;
    for (int i = 0; same && i < c->n; i++)
        same = !strcmp(c->field[i].name, of->names[i]) &&
               type_resolve(s->tt, c->field[i].type) == types[i];
    return same;
}

static const Type *
class_for(Sema *s, const Type *of, const Type *const *types)
{
    static const char made; /* no class of Python's */
    Program *p = (Program *)(uintptr_t)s->prog;
    for (int i = 0; i < p->classes.n; i++)
        if (is_class(s, p->classes.at[i], of, types))
            return type_object(s->tt, p->classes.at[i]);
    ObjClass *c = NEW(s->a, ObjClass);
    *c = (ObjClass){.name = type_keyed(s->tt, of->n, types, of->names)->text,
                    .cls = &made,
                    .generic = &made,
                    .n = of->n,
                    .copied = true,
                    .dict = true};
    c->field = NEW_N(s->a, ObjField, of->n + 1);
    for (int i = 0; i < of->n; i++)
        c->field[i] = (ObjField){.name = of->names[i], .type = types[i]};
    VEC_PUSH(s->a, p->classes, c);
    return type_object(s->tt, c);
}

/* The object for a display that would be these values; where some can't be in one, the values. */
Sem
keyed_object(Sema *s, const Node *e, Sem v)
{
    const Type *of = v.type;
    if (!s->objects || of->kind != TY_KEYED || !of->n || of->n > 64)
        return v;
    const Type **types = NEW_N(s->a, const Type *, of->n + 1);
    for (int i = 0; i < of->n; i++)
        if (!(types[i] = field_of(s, of->elems[i])))
            return v;
    for (int i = 0; i < of->n; i++)
        text_kept(s, e, types[i]);
    return sem_of(class_for(s, of, types));
}

/* Somebody needs an object where the dict is its values: all is typed again, with objects. */
void
keyed_want_object(Sema *s, const Type *t)
{
    bool has = t && t->kind == TY_KEYED;
    for (int i = 0; t && !has && type_has_parts(t) && i < t->n; i++)
        has = t->elems[i]->kind == TY_KEYED;
    s->want_objects |= has && !s->objects;
    if (t)
        list_want_functions(s, t);
}

/* a | b: are both such dicts, or could they be? */
bool
keyed_merges(Sema *s, Sem a, Sem b)
{
    bool left = keyed_as_values(s, a).type->kind == TY_KEYED,
         right = keyed_as_values(s, b).type->kind == TY_KEYED;
    if (left != right && type_is_heap(left ? b.type : a.type, &heap_dict))
        s->want_keyed |= !s->all_keyed;
    return left && right;
}

/* ---- what is asked of one -------------------------------------------------------------------- */

/* -1 after a message. */
static int
field_at(Sema *s, const Node *e, const ObjClass *c, const char *key)
{
    int k = key ? object_field(c, key) : -1;
    if (k >= 0)
        return k;
    const char **near = NEW_N(s->a, const char *, c->n + 1);
    for (int i = 0; i < c->n; i++)
        near[i] = c->field[i].name;
    Diag *d = sema_error(s, DIAG_key, e, "'%s' is no key of this dict", key);
    sema_hint_nearest(s, d, key, near, c->n);
    return -1;
}

Sem
keyed_object_subscript(Sema *s, const Node *e, Sem v)
{
    const ObjClass *c = v.type->ref;
    const char *key = keyed_key(s, e->kid[1]);
    const Sem idx = sema_known(s, e->kid[1]);
    if (key) {
        int k = field_at(s, e, c, key);
        return k < 0 ? sema_unknown(s) : sem_of(type_resolve(s->tt, c->field[k].type));
    }
    if (!type_is_str(idx.type)) {
        sema_type_error(s, e, "the keys of this dict are strings, and this is %s", idx.type->text);
        return sema_unknown(s);
    }
    return heap_call(s, e, "_keyed_getitem", 2, (const Node *[]){e->kid[0], e->kid[1]});
}

/* ---- stores ---------------------------------------------------------------------------------- */

/* The field that x[key] names, of a store; -1 after a message. */
int
keyed_object_place(Sema *s, const Node *t, const ObjClass *c)
{
    const char *key = t->kid[1]->kind == N_Slice ? NULL : keyed_key(s, t->kid[1]);
    int k = key ? object_field(c, key) : -1;
    if (k >= 0)
        return k;
    Diag *d = sema_error(s, DIAG_unsupported, t,
                         key ? "adding '%s' to a dict of unlike values that may have another name "
                               "is not supported"
                             : "a store to a dict of unlike values by a key that is not known is "
                               "not supported%s",
                         key ? key : "");
    diag_hint(s->diags, d,
              key ? "give it all keys where it is made"
                  : "write name[\"key\"] = value, with a key that is written there");
    return -1;
}

/* A dict's value has no declared type to which one that is stored would be converted. */
bool
keyed_holds(Sema *s, const Type *to, const Type *v)
{
    to = type_resolve(s->tt, to);
    v = type_resolve(s->tt, v);
    if (to->kind == TY_SCALAR && v->kind == TY_SCALAR)
        return to->dtype == v->dtype && !v->mixed;
    if (to->kind == TY_OPTIONAL)
        return v->kind == TY_NONE || keyed_holds(s, to->elems[1], type_value(v));
    for (int i = 0; to->kind == TY_TUPLE && v->kind == TY_TUPLE && i < to->n && i < v->n; i++)
        if (!keyed_holds(s, to->elems[i], v->elems[i]))
            return false;
    return true;
}

void
keyed_hint(Sema *s, Diag *d, const Type *to, const Type *v)
{
    bool layout =
        to->kind == TY_ARRAY && v->kind == TY_ARRAY && to->dtype == v->dtype && to->ndim == v->ndim;
    bool number = to->kind == TY_SCALAR && v->kind == TY_SCALAR;
    diag_hint(s->diags, d,
              layout && v->readonly ? "it is read-only: x.copy() is not"
              : layout              ? "make it contiguous: np.ascontiguousarray(x)"
              : number ? "a key keeps the type that its value has at first: write 0.0 for 0 there"
                       : "a key keeps the type that its value has at first");
}

/* ---- arguments ---- */

/* Is one of them such a dict that is its values? */
bool
keyed_among(int n, const Type *const *args)
{
    bool found = false;
    for (int i = 0; i < n && !found; i++)
        found = args[i]->kind == TY_KEYED ||
                (type_has_parts(args[i]) && keyed_among(args[i]->n, args[i]->elems));
    return found;
}

/* Does nothing tell what it holds, or what a dict of unlike values in it holds? */
bool
keyed_is_open(TypeTable *tt, const Type *t)
{
    const ObjClass *c = keyed_class(t);
    bool open = type_is_open(type_resolve(tt, t));
    for (int i = 0; c && i < c->n && !open; i++)
        open = keyed_is_open(tt, c->field[i].type);
    for (int i = 0; t->kind == TY_KEYED && i < t->n && !open; i++)
        open = type_is_open(t->elems[i]);
    return open;
}
