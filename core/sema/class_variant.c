/* SPDX-License-Identifier: BSD-3-Clause
 * A class whose fields nobody declares, for unlike values in one program: Box(1) beside Box("a").
 * One class for all of its instances is tried first, since these may meet. Where that does not
 * compile, there is one for each choice of the types that it is called with (VARIANTS_BY_TYPES),
 * and where that does not compile either, one for each call besides (VARIANTS_BY_PLACES), as for
 * stacks that begin empty. What is an instance of the class itself, or None, tells nothing: nodes
 * of one list are of one class. */
#include "sema/internal.h"

enum { MOST_VARIANTS = 16 };

static bool
is_same_class(const ObjClass *of, const Type *t)
{
    const ObjClass *c = type_class(t);
    return c && (c == of || c->of == of);
}

/* What of an argument's type tells instances apart: of numbers that they are. */
static const Type *
telling(Sema *s, const ObjClass *of, const Type *t)
{
    t = type_value(type_resolve(s->tt, t));
    if (t->kind == TY_NONE || is_same_class(of, t))
        return type_none(s->tt);
    if (t->kind == TY_STR)
        return type_text(s->tt);
    bool number = t->kind == TY_SCALAR && t->dtype != DT_bool && !type_has_param(t) && !t->ref;
    return number ? type_scalar(s->tt, DT_f64, true) : t;
}

ObjClass *
class_of_its_own(Sema *s, const ObjClass *of)
{
    ObjClass *c = arena_dup(s->a, of, sizeof *of);
    c->of = of;
    c->field = arena_dup(s->a, of->field, sizeof *c->field * (size_t)(of->n ? of->n : 1));
    for (int i = 0; i < c->n; i++) {
        if (!c->field[i].var)
            continue;
        TypeVar *v = NEW(s->a, TypeVar);
        *v = (TypeVar){.found = &s->found, .own = type_object(s->tt, c)};
        c->field[i].var = v;
        c->field[i].type = type_open(s->tt, v);
    }
    return c;
}

static bool
is_for(const SignatureClass *c, const SignatureClass *want)
{
    bool is = c->cls->of == want->cls && c->n == want->n && c->at == want->at && c->in == want->in;
    for (int i = 0; is && i < c->n; i++)
        is = c->type[i] == want->type[i];
    return is;
}

/* That of an instance which the call makes. */
const ObjClass *
variant_class(Sema *s, const Node *e, const ObjClass *of)
{
    if (!of->open || of->resumed || of->dict)
        return of;
    ObjClass *first = (ObjClass *)(uintptr_t)of;
    const Inst *in = s->fr->in;
    s->want_variants |= first->made_at[0] && (first->made_at[0] != e || first->made_at[1] != in);
    first->made_at[0] = e;
    first->made_at[1] = in;
    if (!s->variants)
        return of;
    SignatureClass want = {.cls = first, .n = e->n - 1};
    if (s->variants == VARIANTS_BY_PLACES) {
        want.at = e;
        want.in = in;
    }
    want.type = NEW_N(s->a, const Type *, e->n);
    for (int i = 1; i < e->n; i++) {
        const Node *k = e->kid[i];
        const Node *arg = k->kind == N_Keyword || k->kind == N_Starred ? k->kid[0] : k;
        want.type[i - 1] = telling(s, of, sema_expr(s, arg).type);
    }
    while (want.n && want.type[want.n - 1]->kind == TY_NONE) /* as if it were left out */
        want.n--;
    int n = 0;
    for (int i = 0; i < s->signature_classes.n; i++) {
        const SignatureClass *c = &s->signature_classes.at[i];
        n += c->cls->of == of;
        if (is_for(c, &want))
            return c->cls;
    }
    if (n == MOST_VARIANTS)
        return of;
    want.cls = class_of_its_own(s, of);
    VEC_PUSH(s->a, s->signature_classes, want);
    ++s->found;
    return want.cls;
}
