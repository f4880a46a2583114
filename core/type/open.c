/* SPDX-License-Identifier: BSD-3-Clause
 * Types that are still to be found: what an empty container holds (a TypeVar that is bound by use),
 * and what one of numbers will have to hold besides. A variable that `widens` stays in the types of
 * containers after it is bound: ints become floats when a float is put there, and anything what may
 * be None when None is, until sema says that all is known. */
#include "type/type.h"

/* ---- types that are still to be found -------------------------------------------------------- */

/* Python's three kinds of numbers, as elements. */
static bool
is_number(const Type *t)
{
    return t->kind == TY_SCALAR && (!t->mixed || t->ref) &&
           (t->dtype == DT_i64 || t->dtype == DT_f64 || t->dtype == DT_c128);
}

/* A tuple that may become one of any length: nothing in it is still to be told. */
static bool
is_plain_row(const Type *t)
{
    bool plain = t->kind == TY_TUPLE && !t->listed && !t->names;
    for (int i = 0; plain && i < t->n; i++)
        plain = t->elems[i]->kind != TY_OPTIONAL && t->elems[i]->kind != TY_UNKNOWN;
    return plain;
}

bool
type_may_widen(const Type *t)
{
    const TypeVar *bound = t->kind == TY_UNKNOWN ? t->ref : NULL;
    if (bound)
        return bound->is && type_may_widen(bound->is);
    if (t->kind == TY_OPTIONAL)
        return type_may_widen(t->elems[1]);
    bool may = t->kind == TY_SCALAR || t->kind == TY_TEXT || t->kind == TY_REF ||
               t->kind == TY_OBJ || t->kind == TY_ARRAY || t->kind == TY_EITHER ||
               is_plain_row(t) || type_is_function(t);
    for (int i = 0; t->kind == TY_TUPLE && !may && i < t->n; i++)
        may = type_may_widen(t->elems[i]);
    return may;
}

/* The variable that says what t is, where that may still widen. */
static TypeVar *
widening(const Type *t)
{
    TypeVar *v = NULL;
    while (t->kind == TY_UNKNOWN && t->ref) {
        v = (TypeVar *)(uintptr_t)t->ref;
        if (!v->is)
            return NULL;
        t = v->is;
    }
    return v && v->widens && type_may_widen(t) ? v : NULL;
}

bool
type_widens(const Type *t)
{
    bool some = t->kind == TY_UNKNOWN && widening(t);
    for (int i = 0; type_has_elements(t) && !some && i < t->n; i++)
        some = type_widens(t->elems[i]);
    return some;
}

/* What is in a variable that widens may be bound by itself: a number that may be None. */
static bool
lacks(const Type *t)
{
    const TypeVar *v = t->kind == TY_UNKNOWN ? t->ref : NULL;
    bool some = t->kind == TY_UNKNOWN && (!v || !v->is || lacks(v->is));
    for (int i = 0; type_has_elements(t) && !some && i < t->n; i++)
        some = lacks(t->elems[i]);
    return some;
}

bool
type_is_open(const Type *t)
{
    if (t->kind == TY_UNKNOWN) {
        const TypeVar *v = widening(t);
        return !v || lacks(v->is);
    }
    for (int i = 0; type_has_elements(t) && i < t->n; i++)
        if (type_is_open(t->elems[i]))
            return true;
    return false;
}

bool
type_has_open_row(const Type *t)
{
    if (type_is_heap(t, &heap_tuple) && t->elems[0]->kind == TY_UNKNOWN)
        return true;
    for (int i = 0; type_has_elements(t) && i < t->n; i++)
        if (type_has_open_row(t->elems[i]))
            return true;
    return false;
}

static bool
has_variable(const Type *t)
{
    bool has = t->kind == TY_UNKNOWN;
    for (int i = 0; type_has_elements(t) && !has && i < t->n; i++)
        has = has_variable(t->elems[i]);
    return has;
}

/* A container has what it holds by the variable as long as that widens. */
const Type *
type_resolve(TypeTable *t, const Type *x)
{
    const Type *parts[64];
    while (x->kind == TY_UNKNOWN && x->ref && ((const TypeVar *)x->ref)->is)
        x = ((const TypeVar *)x->ref)->is;
    if (!type_has_elements(x) || x->n > SW_LEN(parts) || !has_variable(x))
        return x;
    for (int i = 0; i < x->n; i++) {
        TypeVar *v = x->kind == TY_REF ? widening(x->elems[i]) : NULL;
        parts[i] = v ? type_open(t, v) : type_resolve(t, x->elems[i]);
    }
    return type_of_parts(t, x, parts);
}

/* Also by what a variable in it has been found to be: a type that held itself would have no end. */
bool
type_occurs(const TypeVar *v, const Type *t)
{
    if (t->kind == TY_UNKNOWN) {
        const TypeVar *w = t->ref;
        return w == v || (w && w->is && type_occurs(v, w->is));
    }
    for (int i = 0; i < t->n; i++)
        if (type_occurs(v, t->elems[i]))
            return true;
    return false;
}

/* None tells nothing of what else there may be: that is still to be found. */
static const Type *
opened(TypeTable *t, TypeVar *v, const Type *x)
{
    const Type *parts[64];
    if (x->kind == TY_UNKNOWN && !x->ref) {
        TypeVar *part = NEW(type_arena(t), TypeVar);
        *part = (TypeVar){.found = v->found, .next = v->next};
        v->next = part;
        return type_open(t, part);
    }
    if (!type_has_elements(x) || x->kind == TY_REF || !type_is_open(x) || x->n > SW_LEN(parts))
        return x;
    for (int i = 0; i < x->n; i++)
        parts[i] = opened(t, v, x->elems[i]);
    return type_of_parts(t, x, parts);
}

static void
found(TypeVar *v)
{
    if (v->found)
        ++*v->found;
}

static void
widen_to(TypeVar *v, const Type *to)
{
    if (v->is != to)
        found(v);
    v->is = to;
}

static bool
bind(TypeTable *t, const Type *open, const Type *to)
{
    TypeVar *v = (TypeVar *)(uintptr_t)open->ref;
    if (!v || (to->kind == TY_UNKNOWN && !to->ref))
        return true; /* of a mistake, or of what is not known yet */
    if (type_occurs(v, to))
        return false;
    v->is = opened(t, v, type_as_element(t, to));
    found(v);
    return true;
}

/* What is made anew for each instance is the younger one: an instance for a type with that in it
 * would be another each time. */
static bool
is_older(const Type *a, const Type *b)
{
    const TypeVar *v = a->ref, *w = b->ref;
    return v && w && v->age < w->age;
}

/* Dicts of the same keys, of which some values are to be found out: then they are of one class. */
static bool
unify_dicts(TypeTable *t, const ObjClass *a, const ObjClass *b)
{
    bool same = a->dict && b->dict && a->n == b->n;
    for (int i = 0; same && i < a->n; i++) {
        const Type *x = a->field[i].type, *y = b->field[i].type;
        same = !strcmp(a->field[i].name, b->field[i].name) && type_unify(t, x, y) &&
               type_resolve(t, x) == type_resolve(t, y);
    }
    return same;
}

/* What two containers hold that are to be one: false, they can't be. */
static bool
unify_shared(TypeTable *t, const Type *a, const Type *b)
{
    TypeVar *v = widening(a), *w = widening(b);
    const Type *x = type_resolve(t, a), *y = type_resolve(t, b);
    if (v && v == w)
        return true;
    if (v && y->kind == TY_UNKNOWN)
        return bind(t, y, type_open(t, v));
    if (w && x->kind == TY_UNKNOWN)
        return bind(t, x, type_open(t, w));
    if (!v && !w) /* a list is shared, not converted */
        return type_unify(t, a, b) && type_resolve(t, a) == type_resolve(t, b);
    const Type *both = type_widest(t, x, y);
    if (!both || (!v && both != x) || (!w && both != y))
        return false;
    TypeVar *one = v ? v : w;
    if (type_occurs(one, both) || (v && w && type_occurs(w, both)))
        return false;
    widen_to(one, both);
    if (v && w) {
        w->is = type_open(t, v);
        if (both != y)
            found(w);
    } else { /* as the other one, which does not: what was made of it in this round is to know */
        one->widens = false;
        found(one);
    }
    return true;
}

bool
type_unify(TypeTable *t, const Type *a, const Type *b)
{
    a = type_resolve(t, a);
    b = type_resolve(t, b);
    if (a == b)
        return true;
    if (a->kind == TY_UNKNOWN && !(b->kind == TY_UNKNOWN && is_older(a, b)))
        return bind(t, a, b);
    if (b->kind == TY_UNKNOWN)
        return bind(t, b, a);
    if (a->kind == TY_OPTIONAL)
        return type_unify(t, a->elems[1], type_value(b));
    if (a->kind == TY_OBJ && b->kind == TY_OBJ && unify_dicts(t, a->ref, b->ref))
        return true;
    if (a->kind == TY_OBJ || b->kind == TY_OBJ) {
        const Type *both = type_join_objects(t, a, b);
        return both && (both == a || (both == b && b->kind == TY_OBJ)); /* one holds no family */
    }
    if (a->kind != b->kind)
        return false;
    if (a->kind == TY_SCALAR) /* of one width, whether Python's or NumPy's */
        return a->dtype == b->dtype && a->ref == b->ref && !a->mixed && !b->mixed;
    if (a->kind == TY_ARRAY)
        return a->dtype == b->dtype && a->ndim == b->ndim && a->readonly == b->readonly;
    if (!type_has_elements(a) || a->n != b->n || a->ref != b->ref)
        return false;
    for (int i = 0; i < a->n; i++) {
        const Type *x = a->elems[i], *y = b->elems[i];
        if (a->kind == TY_REF ? !unify_shared(t, x, y) : !type_unify(t, x, y))
            return false;
    }
    return true;
}

/* Elements of one type or another, where that is allowed; ints become floats beside floats. */
static const Type *
either_element(TypeTable *t, const Type *a, const Type *b)
{
    const Type *both = type_eithers(t) && !(is_number(a) && is_number(b)) && !lacks(a) && !lacks(b)
                           ? type_join_either(t, a, b)
                           : NULL;
    return both ? type_element(t, both) : NULL;
}

const Type *
type_join_elements(TypeTable *t, const Type *a, const Type *b)
{
    const Type *parts[64], *both;
    a = type_resolve(t, a);
    b = type_resolve(t, b);
    if (a->kind == TY_UNKNOWN && !a->ref)
        return b;
    if (a->kind == TY_OPTIONAL || b->kind == TY_OPTIONAL) {
        parts[0] = type_join_elements(t, type_value(a), type_value(b));
        return parts[0] ? type_optional(t, parts[0]) : NULL;
    }
    if (a != b && (a->kind == TY_OBJ || b->kind == TY_OBJ) && (both = type_join_objects(t, a, b)))
        return both;
    if ((both = type_join_rows(t, a, b)))
        return both;
    if (type_is_function(a) && type_is_function(b) && a != b)
        return type_join_functions(t, a, b, true);
    if (a->kind != TY_TUPLE || b->kind != TY_TUPLE || a->n != b->n || a->ref != b->ref)
        return (lacks(a) || lacks(b) || (a->kind != TY_EITHER && b->kind != TY_EITHER)) &&
                       type_unify(t, a, b)
                   ? type_resolve(t, a)
                   : either_element(t, a, b);
    both = type_join_parts(t, a, b);
    return both ? both : either_element(t, a, b);
}

const Type *
type_join_parts(TypeTable *t, const Type *a, const Type *b)
{
    const Type *parts[64];
    if (a->n != b->n || a->n > SW_LEN(parts))
        return NULL;
    for (int i = 0; i < a->n; i++)
        if (!(parts[i] = type_join_elements(t, a->elems[i], b->elems[i])))
            return NULL;
    return a->n ? type_of_parts(t, a, parts) : a;
}

/* ---- numbers that meet as elements ----------------------------------------------------------- */

const Type *
type_widest(TypeTable *t, const Type *a, const Type *b)
{
    const Type *parts[64], *both = type_join_elements(t, a, b);
    if (both)
        return both;
    a = type_resolve(t, a);
    b = type_resolve(t, b);
    if (a->kind == TY_OPTIONAL || b->kind == TY_OPTIONAL) {
        both = type_widest(t, type_value(a), type_value(b));
        return both ? type_optional(t, both) : NULL;
    }
    if (is_number(a) && is_number(b) && a->dtype == b->dtype)
        return type_join(t, a, b);
    if (is_number(a) && is_number(b))
        return a->dtype == dtype_promote((DType)a->dtype, (DType)b->dtype) ? a : b;
    if (a->kind != TY_TUPLE || b->kind != TY_TUPLE || a->n != b->n || a->ref != b->ref ||
        a->n > SW_LEN(parts))
        return NULL;
    for (int i = 0; i < a->n; i++)
        if (!(parts[i] = type_widest(t, a->elems[i], b->elems[i])))
            return NULL;
    return type_of_parts(t, a, parts);
}

/* Python's numbers that meet NumPy's of the same width are NumPy's. */
const Type *
type_of_numpy(TypeTable *t, const Type *a, const Type *b)
{
    const Type *parts[64];
    a = type_resolve(t, a);
    b = type_resolve(t, b);
    if (a->kind == TY_SCALAR && b->kind == TY_SCALAR && a->dtype == b->dtype)
        return a->weak ? b : a;
    if (a == b || a->kind != TY_TUPLE || b->kind != TY_TUPLE || a->n != b->n ||
        a->n > SW_LEN(parts))
        return a;
    for (int i = 0; i < a->n; i++)
        parts[i] = type_of_numpy(t, a->elems[i], b->elems[i]);
    return type_of_parts(t, a, parts);
}

bool
type_widen(TypeTable *t, const Type *part, const Type *to)
{
    TypeVar *v = widening(part);
    const Type *both = v ? type_widest(t, type_resolve(t, part), to) : NULL;
    if (!both || type_occurs(v, both))
        return NULL;
    widen_to(v, both);
    return both;
}

/* Two tuples, of which the one is longer, or may be? */
static bool
differs_in_length(const Type *a, const Type *b)
{
    bool x = type_is_heap(a, &heap_tuple), y = type_is_heap(b, &heap_tuple);
    return (x || (a->kind == TY_TUPLE && !a->listed && !a->names)) &&
           (y || (b->kind == TY_TUPLE && !b->listed && !b->names)) && (x != y || a->n != b->n);
}

static bool
may_be_none(const Type *t)
{
    return t->kind == TY_OPTIONAL || t->kind == TY_NONE;
}

bool
type_differs_in_numbers(TypeTable *t, const Type *a, const Type *b)
{
    a = type_resolve(t, a);
    b = type_resolve(t, b);
    if (may_be_none(a) != may_be_none(b) && a->kind != TY_UNKNOWN && b->kind != TY_UNKNOWN)
        return true;
    a = type_value(a);
    b = type_value(b);
    if (differs_in_length(a, b))
        return true;
    if (a == b || (is_number(a) && is_number(b)))
        return true;
    if (either_element(t, a, b))
        return true;
    if ((type_is_function(a) && type_is_function(b)) || (type_is_str(a) && type_is_str(b)))
        return true;
    bool same = a->kind == b->kind && a->n == b->n && a->ref == b->ref && type_has_elements(a);
    for (int i = 0; same && i < a->n; i++)
        same = type_differs_in_numbers(t, a->elems[i], b->elems[i]);
    return same;
}
