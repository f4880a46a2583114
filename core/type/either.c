/* SPDX-License-Identifier: BSD-3-Clause
 * Values of one type or another, where paths or elements have no common type: a type with an
 * optional for each of them, of which one is there. Takes types of values; yields that type, which
 * of its places is a value's, and what is left of it once some are ruled out. What has a common
 * type shares a place, but for Python's numbers. None is no member: such a value that may be None
 * is an optional. */
#include "type/type.h"

enum { MOST_TYPES = 8 };

/* Is it one of several instances (sema/family.c)? */
static bool
is_family(TypeTable *t, const Type *of)
{
    return of->kind == TY_TUPLE && of->names && type_join_objects(t, of, of);
}

static bool
is_weak(const Type *t)
{
    return t->kind == TY_SCALAR && t->weak;
}

/* Python's numbers stay what they are beside others, and an instance is of its class. */
static const Type *
shared(TypeTable *t, const Type *a, const Type *b)
{
    if (a->kind == TY_OBJ || b->kind == TY_OBJ)
        return a == b ? a : NULL;
    if (a->kind == TY_TUPLE && b->kind == TY_TUPLE && a->ref != b->ref)
        return NULL;
    if (is_weak(a) && is_weak(b) && a->dtype != b->dtype)
        return NULL;
    if ((is_weak(a) && a->dtype == DT_bool) != (is_weak(b) && b->dtype == DT_bool))
        return NULL;
    bool allowed = type_allow_either(t, false);
    const Type *both = type_join(t, a, b);
    type_allow_either(t, allowed);
    return both && !type_is_mixed(both) ? both : NULL;
}

static bool
may_be_one(const Type *t)
{
    if (t->kind == TY_EITHER)
        return true;
    bool tuple = t->kind == TY_TUPLE && !t->listed;
    bool may = t->kind == TY_SCALAR || t->kind == TY_ARRAY || t->kind == TY_TEXT ||
               t->kind == TY_REF || t->kind == TY_OBJ || tuple;
    for (int i = 0; may && tuple && i < t->n; i++)
        may = may_be_one(type_value(t->elems[i])) || t->elems[i]->kind == TY_NONE;
    return may && !type_is_mixed(t);
}

typedef struct Members {
    const Type *at[MOST_TYPES];
    int n;
} Members;

/* False: there is no place for it, or it would make one of two. */
static bool
add(TypeTable *t, Members *m, const Type *of)
{
    int found = -1;
    for (int i = 0; i < m->n; i++) {
        if (m->at[i] == of)
            return true;
        if (shared(t, m->at[i], of) && found < 0)
            found = i;
    }
    if (found < 0 && m->n == MOST_TYPES)
        return false;
    const Type *both = found < 0 ? of : shared(t, m->at[found], of);
    for (int i = 0; i < m->n; i++)
        if (i != found && shared(t, m->at[i], both))
            return false;
    m->at[found < 0 ? m->n++ : found] = both;
    return true;
}

static bool
add_all(TypeTable *t, Members *m, const Type *of)
{
    bool several = of->kind == TY_EITHER || is_family(t, of), ok = several || add(t, m, of);
    for (int i = 0; several && ok && i < of->n; i++)
        ok = add(t, m, of->elems[i]->elems[1]);
    return ok;
}

const Type *
type_either(TypeTable *t, int n, const Type *const *elems)
{
    return type_other(t, TY_EITHER, NULL, n, elems, NULL);
}

const Type *
type_join_either(TypeTable *t, const Type *a, const Type *b)
{
    const Type *e[MOST_TYPES];
    bool none =
        type_is_optional(a) || type_is_optional(b) || a->kind == TY_NONE || b->kind == TY_NONE;
    Members m = {.n = 0};
    a = type_stored(t, type_value(a));
    b = type_stored(t, type_value(b));
    bool fit = (a->kind == TY_NONE || may_be_one(a)) && (b->kind == TY_NONE || may_be_one(b));
    if (!fit || (a->kind != TY_NONE && !add_all(t, &m, a)) ||
        (b->kind != TY_NONE && !add_all(t, &m, b)) || m.n < 2)
        return NULL;
    for (int i = 1; i < m.n; i++) { /* in one order, whatever comes first */
        const Type *one = m.at[i];
        int k = i;
        for (; k > 0 && strcmp(m.at[k - 1]->text, one->text) > 0; k--)
            m.at[k] = m.at[k - 1];
        m.at[k] = one;
    }
    for (int i = 0; i < m.n; i++)
        e[i] = type_optional(t, m.at[i]);
    const Type *both = type_either(t, m.n, e);
    return none ? type_optional(t, both) : both;
}

int
type_either_place(TypeTable *t, const Type *either, const Type *of)
{
    of = type_stored(t, of);
    for (int i = 0; i < either->n; i++)
        if (either->elems[i]->elems[1] == of)
            return i;
    for (int i = 0; i < either->n; i++)
        if (shared(t, either->elems[i]->elems[1], of) == either->elems[i]->elems[1])
            return i;
    return -1;
}

const Type *
type_either_of(TypeTable *t, const Type *either, uint64_t members)
{
    const Type *e[MOST_TYPES], *family = NULL;
    int n = 0;
    for (int i = 0; i < either->n; i++)
        if (members >> i & 1)
            e[n++] = either->elems[i];
    for (int i = 0; i < n && (family || !i); i++) {
        const Type *one = e[i]->elems[1];
        family = one->kind != TY_OBJ ? NULL : i ? type_join_objects(t, family, one) : one;
    }
    return n == either->n ? either
           : n > 1        ? (family ? family : type_either(t, n, e))
           : n            ? e[0]->elems[1]
                          : type_none(t);
}

/* Of one type or another: have no two of them values that are equal, as True is to 1? Only then may
 * they be keys, which are compared by their members. */
bool
type_tells_apart(const Type *t)
{
    bool is = true;
    for (int i = 0; i < t->n && is && (t->kind == TY_TUPLE || t->kind == TY_OPTIONAL); i++)
        is = type_tells_apart(t->elems[i]);
    for (int i = 0; t->kind == TY_EITHER && i < t->n && is; i++) {
        const Type *m = t->elems[i]->elems[1];
        is = (m->kind == TY_SCALAR || m->kind == TY_TUPLE || m->kind == TY_TEXT) &&
             type_tells_apart(m);
        for (int k = 0; k < i && is; k++) {
            const Type *other = t->elems[k]->elems[1];
            is = m->kind != other->kind || (m->kind == TY_TUPLE && m->n != other->n) ||
                 (m->kind == TY_TEXT && type_is_bytes(m) != type_is_bytes(other));
        }
    }
    return is;
}
