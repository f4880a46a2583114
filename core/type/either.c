/* SPDX-License-Identifier: BSD-3-Clause
 * What a function returns to Python where its paths return values without a common type: a tuple
 * of optionals, of which one is there. Takes types of values; yields that tuple, and which of its
 * places is a value's. What has a common type shares a place, as ints and floats do. */
#include "type/type.h"

enum { MOST_TYPES = 8 };

/* Bools stay bools beside ints. */
static const Type *
shared(TypeTable *t, const Type *a, const Type *b)
{
    const Type *both = type_join(t, a, b);
    return both && !type_is_mixed(both) ? both : NULL;
}

static bool
may_be_one(const Type *t)
{
    bool may = t->kind == TY_SCALAR || t->kind == TY_ARRAY || t->kind == TY_TEXT ||
               t->kind == TY_REF || (t->kind == TY_TUPLE && !t->listed && !t->names);
    for (int i = 0; may && i < t->n; i++)
        may = may_be_one(type_value(t->elems[i])) || t->elems[i]->kind == TY_NONE;
    return may && !type_is_mixed(t);
}

const Type *
type_join_either(TypeTable *t, const Type *a, const Type *b)
{
    const Type *e[MOST_TYPES], *add = type_value(b);
    int n = a->either ? a->n : 1, k = 0;
    if (!may_be_one(add) || (!a->either && !may_be_one(type_value(a))))
        return NULL;
    for (int i = 0; i < n; i++)
        e[i] = type_value(a->either ? a->elems[i] : a);
    while (k < n && !shared(t, e[k], add))
        k++;
    if (k == MOST_TYPES)
        return NULL;
    e[k] = k < n ? shared(t, e[k], add) : add;
    n += k == n;
    for (int i = 0; i < n; i++)
        e[i] = type_optional(t, e[i]);
    return type_either(t, n, e);
}

int
type_either_place(TypeTable *t, const Type *either, const Type *of)
{
    for (int i = 0; i < either->n; i++)
        if (shared(t, either->elems[i]->elems[1], of) == either->elems[i]->elems[1])
            return i;
    return -1;
}
