/* SPDX-License-Identifier: BSD-3-Clause
 * Values that are one of several functions. Such a type has an optional for each function that it
 * may be, in the order in which the compilation met them; one of these is there. So a choice of
 * functions is stored as what they have captured behind a tag each, and is called by tests that
 * lead to calls of functions that are known. Takes two types of functions; yields what holds
 * both. */
#include "type/type.h"

enum { MOST = 60 };

bool
type_is_function(const Type *t)
{
    return t->kind == TY_FUNC || t->kind == TY_CHOICE || t->kind == TY_CLASS ||
           (t->kind == TY_BUILTIN && t->ref) || (t->kind == TY_DTYPE && (t->weak || t->readonly));
}

bool
type_same_function(const Type *a, const Type *b)
{
    return a->kind == b->kind && a->kind != TY_CHOICE && a->ref == b->ref && a->dtype == b->dtype &&
           a->weak == b->weak;
}

int
choice_place(const Type *choice, const Type *f)
{
    for (int i = 0; i < choice->n; i++)
        if (type_same_function(choice->elems[i]->elems[1], f))
            return i;
    return -1;
}

const Type *
type_choice(TypeTable *t, int n, const Type *const *functions)
{
    const Type *e[MOST];
    for (int i = 0; i < n; i++)
        e[i] = type_optional(t, functions[i]);
    return type_other(t, TY_CHOICE, NULL, n, e, NULL);
}

/* Does t have the function with what it has captured, or as one of several? A function that is in
 * what it has captured itself would have a type without an end. */
static bool
is_within(const Type *f, const Type *t)
{
    bool found = (t->kind == TY_FUNC && t->n && t->ref == f->ref) ||
                 (t->kind == TY_CHOICE && choice_place(t, f) >= 0);
    for (int i = 0; i < t->n && !found; i++)
        found = is_within(f, t->elems[i]);
    return found;
}

typedef struct Members {
    const Type *at[MOST + 1];
    int n;
} Members;

static bool
add(TypeTable *t, Members *m, const Type *f, bool elements)
{
    int k = 0;
    while (k < m->n && !type_same_function(m->at[k], f))
        k++;
    const Type *both = k == m->n  ? f
                       : elements ? type_join_parts(t, m->at[k], f)
                                  : type_join(t, m->at[k], f);
    if (!both || k == MOST)
        return false;
    for (int i = 0; i < both->n; i++)
        if (m->n + (k == m->n) > 1 && is_within(both, both->elems[i]))
            return false;
    m->at[k] = both;
    m->n += k == m->n;
    return true;
}

static bool
add_all(TypeTable *t, Members *m, const Type *f, bool elements)
{
    bool ok = f->kind == TY_CHOICE || add(t, m, f, elements);
    for (int i = 0; f->kind == TY_CHOICE && ok && i < f->n; i++)
        ok = add(t, m, f->elems[i]->elems[1], elements);
    return ok;
}

const Type *
type_join_functions(TypeTable *t, const Type *a, const Type *b, bool elements)
{
    Members m = {.n = 0};
    if (!add_all(t, &m, a, elements) || !add_all(t, &m, b, elements))
        return NULL;
    if (m.n == 1 && a->kind != TY_CHOICE && b->kind != TY_CHOICE)
        return m.at[0];
    for (int i = 1; i < m.n; i++) { /* by age */
        const Type *f = m.at[i];
        int k = i;
        for (; k > 0 && type_age(t, m.at[k - 1]) > type_age(t, f); k--)
            m.at[k] = m.at[k - 1];
        m.at[k] = f;
    }
    return type_choice(t, m.n, m.at);
}
