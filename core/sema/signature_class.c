/* SPDX-License-Identifier: BSD-3-Clause
 * A class of a generator's objects for each signature. Takes a program in which objects of one
 * generator were given values of unlike types, which one class would join, or refuse; yields a
 * class, with type variables of its own, for each choice of argument types. Most programs have one
 * choice, so that it is done only where a first inference has seen two (want_signatures), and given
 * up again where it does not compile: objects of one generator that meet in one list are of one
 * class, in which ints become floats. */
#include "sema/internal.h"

enum { MOST_SIGNATURES = 16 };

/* What an object keeps of an argument. */
static const Type *
kept(Sema *s, const Type *t)
{
    t = type_resolve(s->tt, t);
    return t->kind == TY_STR ? type_text(s->tt) : t;
}

static bool
is_for(Sema *s, const SignatureClass *c, const ObjClass *of, const Inst *in)
{
    bool is = c->cls->of == of && c->n == in->n_params;
    for (int i = 0; is && i < c->n; i++)
        is = kept(s, c->type[i]) == kept(s, in->params[i]);
    return is;
}

/* That of an object which the instance being inferred makes: it is the function that has the
 * generator's name, and its parameters. */
const ObjClass *
signature_class(Sema *s, const ObjClass *of)
{
    const Inst *in = s->fr->in;
    int n = 0;
    if (!of->resumed || !s->signatures)
        return of;
    for (int i = 0; i < s->signature_classes.n; i++) {
        const SignatureClass *c = &s->signature_classes.at[i];
        n += c->cls->of == of;
        if (is_for(s, c, of, in))
            return c->cls;
    }
    if (n == MOST_SIGNATURES) /* ever new ones */
        return of;
    SignatureClass c = {.cls = class_of_its_own(s, of), .n = in->n_params};
    c.type = arena_dup(s->a, in->params, sizeof *c.type * (size_t)(c.n ? c.n : 1));
    VEC_PUSH(s->a, s->signature_classes, c);
    ++s->found;
    return c.cls;
}

static bool
is_number(const Type *t)
{
    return t->kind == TY_SCALAR;
}

/* Would one field for both be another value than what is stored, or none at all? */
static bool
differs(Sema *s, const Type *to, const Type *v)
{
    to = type_value(type_resolve(s->tt, to));
    v = type_value(kept(s, v));
    if (to == v || type_is_open(to) || type_is_open(v) || to->kind == TY_NONE || v->kind == TY_NONE)
        return false;
    if (is_number(to) && is_number(v))
        return true;
    if (to->kind == TY_ARRAY && v->kind == TY_ARRAY)
        return to->dtype != v->dtype || to->ndim != v->ndim;
    if (to->kind == TY_TUPLE && v->kind == TY_TUPLE && to->n == v->n && to->ref == v->ref) {
        bool some = false;
        for (int i = 0; i < to->n; i++)
            some |= differs(s, to->elems[i], v->elems[i]);
        return some;
    }
    if (type_is_heap(to, &heap_tuple) || type_is_heap(v, &heap_tuple)) /* of any length */
        return false;
    return to->kind != v->kind || to->kind == TY_REF || to->kind == TY_ITER || to->kind == TY_FUNC;
}

/* What is stored in a field of a generator's object, where the field is of type `to`. */
void
signature_stored(Sema *s, const ObjClass *c, const Type *to, const Type *v)
{
    bool begins = !strcmp(s->fr->in->def->name, "__init__");
    if (c->resumed && begins && !s->signatures && !s->want_signatures)
        s->want_signatures = differs(s, to, v);
}
