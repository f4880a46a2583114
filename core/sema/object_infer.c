/* SPDX-License-Identifier: BSD-3-Clause
 * Fields that a class does not declare. Each has a TypeVar: what is stored in it tells its type,
 * and all is inferred again until nothing more is found out, as for what empty lists hold (site.c).
 * Fields of numbers join: a count that begins with 0 and is given a float is a float, as a variable
 * would be. */
#include "sema/internal.h"

static ObjClass *
open_class(const ObjClass *c)
{
    return c->open ? (ObjClass *)(uintptr_t)c : NULL;
}

/* That of an argument, where all arguments agree. */
static const ObjClass *
known_choice(const Sema *s, const ObjClass *c)
{
    const ObjClass *found = NULL;
    for (int i = 0; i < s->prog->classes.n; i++) {
        const ObjClass *x = s->prog->classes.at[i];
        if (x == c || x->open || x->generic != c->cls)
            continue;
        if (found)
            return NULL;
        found = x;
    }
    return found;
}

void
object_forget(Sema *s)
{
    s->signature_classes.n = 0;
    for (int i = 0; i < s->prog->classes.n; i++) {
        ObjClass *c = open_class(s->prog->classes.at[i]);
        for (int k = 0; c && k < c->n; k++) {
            if (!c->field[k].var)
                continue;
            TypeVar *v = c->field[k].var;
            *v = (TypeVar){.found = &s->found, .age = v->age, .own = type_object(s->tt, c)};
            c->field[k].type = type_open(s->tt, c->field[k].var);
        }
    }
}

bool
object_begin(Sema *s, bool try_same)
{
    bool any = false;
    family_begin(s);
    object_forget(s);
    for (int i = 0; i < s->prog->classes.n; i++) {
        ObjClass *c = open_class(s->prog->classes.at[i]);
        if (c)
            c->same = try_same ? known_choice(s, c) : NULL;
        any |= c && c->same;
    }
    return any;
}

void
object_open(Sema *s, const ObjClass *of)
{
    ObjClass *c = open_class(of);
    for (int k = 0; c && k < c->n; k++)
        for (TypeVar *v = c->field[k].var; v; v = v->next) {
            sema_guess(s, v);
            s->open += !v->is;
        }
}

/* Of two numbers a field holds what holds both. */
static const Type *
join_numbers(Sema *s, const Type *a, const Type *b)
{
    const Type *t = (a->dtype == DT_bool) == (b->dtype == DT_bool) ? type_join(s->tt, a, b) : NULL;
    return t && t->kind == TY_SCALAR && (!t->mixed || t->ref) && !type_has_param(t) ? t : NULL;
}

static const Type *
join_arrays(Sema *s, const Type *a, const Type *b)
{
    if (a->dtype != b->dtype || a->ndim != b->ndim)
        return NULL;
    return type_join(s->tt, a, b);
}

/* What has no common type is of one or another, where that is allowed. */
static const Type *
join_unlike(Sema *s, const Type *a, const Type *b)
{
    const Type *both = s->either ? type_join_either(s->tt, a, b) : NULL;
    both = both ? type_element(s->tt, both) : NULL;
    return both && both->kind == TY_EITHER ? both : NULL;
}

static void
widen(Sema *s, TypeVar *v, const Type *to)
{
    if (!to || to == v->is || type_occurs(v, to))
        return;
    v->is = to;
    v->guessed = false;
    ++s->found;
}

/* The same of an argument's field, whose type is what it held before: it may hold None besides, or
 * what more numbers join to. */
static void
learn_more(Sema *s, ObjField *f, const Type *is)
{
    const Type *was = type_resolve(s->tt, f->type), *to = type_value(was), *v = type_value(is);
    const Type *both = to->kind == TY_SCALAR && v->kind == TY_SCALAR ? join_numbers(s, to, v)
                       : to != v && to->kind != TY_UNKNOWN ? type_join_objects(s->tt, to, v)
                                                           : to;
    bool none = is->kind == TY_NONE || type_is_optional(is) || type_is_optional(was);
    both = both ? both : to;
    if (both->kind != TY_UNKNOWN && none)
        both = type_optional(s->tt, both);
    if (both->kind == TY_UNKNOWN || both == was)
        return;
    f->type = both;
    f->learnt = true;
    ++s->found;
}

/* What no container holds, and an object of a generator does. */
static bool
is_held(const Type *t)
{
    return t->kind == TY_FUNC || t->kind == TY_RANGE || (t->kind == TY_ITER && type_iter_holds(t));
}

/* What a store tells. False: the field is declared. */
bool
object_learn(Sema *s, const ObjClass *c, int k, Sem v)
{
    ObjField *f = &c->field[k];
    const Type *is = type_resolve(s->tt, v.type);
    if (f->learns)
        learn_more(s, f, is);
    if (!f->var || !c->open)
        return f->learns;
    if ((is->kind == TY_NONE || is->kind == TY_OPTIONAL) && f->type->kind != TY_OPTIONAL) {
        f->type = type_optional(s->tt, type_open(s->tt, f->var));
        ++s->found;
    }
    is = type_value(is);
    if (is->kind == TY_NONE)
        return true;
    const Type *open = type_open(s->tt, f->var), *to = type_resolve(s->tt, open);
    if (c->resumed && is_held(is)) {
        const Type *both =
            type_is_function(to) && type_is_function(is) ? type_join_elements(s->tt, to, is) : is;
        if (to->kind == TY_UNKNOWN || (both && type_is_function(to)) ||
            (to->kind == is->kind && to->ref == is->ref))
            widen(s, f->var, both);
        return true;
    }
    const Type *elem = is->kind == TY_ARRAY ? is : type_element(s->tt, is);
    if (elem && elem->kind == TY_TUPLE)
        elem = type_as_element(s->tt, elem);
    if (!elem || to == elem)
        return true;
    const Type *row = s->wide && to->kind != TY_UNKNOWN ? type_join_rows(s->tt, to, elem) : NULL;
    if (row)
        widen(s, f->var, row);
    else if (to->kind == TY_UNKNOWN && elem->kind != TY_TUPLE)
        type_unify(s->tt, open, elem);
    else if (to->kind == TY_UNKNOWN || (f->var->guessed && elem->kind != TY_UNKNOWN))
        widen(s, f->var, elem);
    else if (to->kind == TY_SCALAR && elem->kind == TY_SCALAR && (row = join_numbers(s, to, elem)))
        widen(s, f->var, row);
    else if (to->kind == TY_ARRAY && elem->kind == TY_ARRAY && (row = join_arrays(s, to, elem)))
        widen(s, f->var, row);
    else if (type_is_function(to) && type_is_function(elem) &&
             (row = type_join_elements(s->tt, to, elem)))
        widen(s, f->var, row);
    else if ((row = join_unlike(s, to, elem)))
        widen(s, f->var, row);
    return true;
}

/* Of an argument the fields whose types are found out by now get these. Were there any? The program
 * is then another one, with a key of its own in the cache. */
bool
object_told(Sema *s, const Type *t, Map *seen)
{
    bool any = false;
    const ObjClass *is = t->kind == TY_OBJ ? t->ref : NULL;
    ObjClass *c = is && is->copied && !is->open ? (ObjClass *)(uintptr_t)is : NULL;
    for (int i = 0; type_has_elements(t) && i < t->n; i++)
        any |= object_told(s, t->elems[i], seen);
    if (!c || map_get(seen, c))
        return any;
    map_put(s->a, seen, c, c);
    for (int k = 0; k < c->n; k++) {
        const Type *was = c->field[k].type;
        c->field[k].type = type_resolve(s->tt, was);
        any |= c->field[k].type != was || c->field[k].learnt;
        c->field[k].learnt = false;
        any |= object_told(s, c->field[k].type, seen);
    }
    return any;
}

/* ---- what leaves ----------------------------------------------------------------------------- */

static const ObjClass *
open_in(const Type *t)
{
    const ObjClass *c = t->kind == TY_OBJ ? type_class(t) : NULL;
    if (c)
        return c->open ? c : NULL;
    for (int i = 0; (type_has_parts(t) || t->kind == TY_REF) && !c && i < t->n; i++)
        c = open_in(t->elems[i]);
    return c;
}

/* What Python has of plain classes needs no class for a choice of types. */
bool
object_is_open(const Type *t)
{
    const ObjClass *c = open_in(t);
    return c && !c->copied;
}

/* Python has to be told what an instance holds, and what that holds. */
static void
check_known(Sema *s, const FuncDef *fd, const ObjClass *c, Map *seen)
{
    if (map_get(seen, c))
        return;
    map_put(s->a, seen, c, (void *)(uintptr_t)c);
    for (int k = 0; k < c->n; k++) {
        const ObjField *f = &c->field[k];
        const ObjClass *inside = open_in(type_resolve(s->tt, f->type));
        if (inside)
            check_known(s, fd, inside, seen);
        if (!f->var || c->copied || (f->var->is && !f->var->guessed))
            continue;
        Diag *d =
            diag_add(s->diags, DIAG_types, fd->at, "nothing tells what '%s' of %s is to hold%s",
                     f->name, c->name, f->type->kind == TY_OPTIONAL ? " but None" : "");
        diag_hint(s->diags, d, "say it in the body of the class, as in %s: %s", f->name,
                  f->type->kind == TY_OPTIONAL ? "float | None" : "float");
    }
}

static bool
is_resumed(const ObjClass *c)
{
    return c->resumed;
}

void
object_end(Sema *s, const FuncDef *fd, const Type *ret)
{
    if (type_leads_to(ret, is_resumed)) {
        Diag *d = diag_add(&s->cx->diags, DIAG_unsupported, fd->at,
                           "a generator on its way to Python is not supported");
        diag_hint(&s->cx->diags, d, "return a list of what it yields: list(...)");
        return;
    }
    const ObjClass *out = open_in(ret);
    for (int i = 0; i < s->signature_classes.n; i++) {
        ObjClass *c = s->signature_classes.at[i].cls;
        for (int k = 0; k < c->n; k++)
            c->field[k].type = type_resolve(s->tt, c->field[k].type);
    }
    for (int i = 0; i < s->prog->classes.n; i++) {
        const ObjClass *x = s->prog->classes.at[i];
        ObjClass *c = x->dict || x->copied ? (ObjClass *)(uintptr_t)x : open_class(x);
        for (int k = 0; c && k < c->n; k++)
            c->field[k].type = type_resolve(s->tt, c->field[k].type);
    }
    Map seen = {0};
    if (out)
        check_known(s, fd, out, &seen);
}
