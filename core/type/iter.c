/* SPDX-License-Identifier: BSD-3-Clause
 * Types of iterators: see type.h. An iterator is a reference in Python, so `b = a` makes two names
 * of one place: what changes is in an array of one number, its cell, and all else never does. */
#include "type/builtin.h"

/* None behind the others says that all must be of one length. */
const Type *
type_iter(TypeTable *t, const struct Builtin *row, int n, const Type *const *elems, bool strict)
{
    const Type *e[64];
    if (n >= SW_LEN(e))
        return type_unknown(t);
    for (int i = 0; i < n; i++)
        e[i] = elems[i];
    e[n] = type_none(t);
    return type_other(t, TY_ITER, row, n + strict, e, NULL);
}

bool
type_iter_strict(const Type *it)
{
    return it->n && it->elems[it->n - 1]->kind == TY_NONE;
}

static int
id_of(const Type *it)
{
    return ((const Builtin *)it->ref)->id;
}

bool
type_iter_maps(const Type *it)
{
    return it->ref && (id_of(it) == BI_py_mapped || id_of(it) == BI_py_generated);
}

bool
type_iter_has_cell(const Type *it)
{
    bool object = id_of(it) == BI_py_iter && it->elems[0]->kind == TY_OBJ; /* its own place */
    return id_of(it) != BI_py_zip && id_of(it) != BI_py_mapped && !object;
}

bool
type_iter_over_source(const Type *it)
{
    return id_of(it) == BI_py_iter || id_of(it) == BI_py_reversed;
}

int
type_iter_count(const Type *it)
{
    return type_iter_maps(it) ? 1 : it->n - type_iter_strict(it);
}

const Type *
type_iterator(TypeTable *t, const Type *over)
{
    return over->kind == TY_ITER ? over : type_iter(t, &builtin_table[BI_py_iter], 1, &over, false);
}

/* What has a form of its own at run time. The keys of a dict would be a list that nobody else
 * has. */
static bool
holds_source(const Type *t)
{
    if (t->kind == TY_ITER)
        return type_iter_holds(t);
    return (t->kind == TY_ARRAY && t->ndim) || t->kind == TY_RANGE || t->kind == TY_TUPLE ||
           t->kind == TY_TEXT || (t->kind == TY_OBJ && ((const ObjClass *)t->ref)->resumed) ||
           type_heap_has(t, HEAP_ORDERED);
}

bool
type_iter_holds(const Type *it)
{
    bool known = it->ref && (id_of(it) == BI_py_iter || id_of(it) == BI_py_zip ||
                             id_of(it) == BI_py_enumerate || id_of(it) == BI_py_reversed ||
                             type_iter_maps(it));
    for (int i = 0; known && i < type_iter_count(it); i++)
        known = holds_source(it->elems[i]);
    return known;
}

int
type_iter_parts(TypeTable *t, const Type *it, const Type **out)
{
    int n = 0;
    bool over_source = type_iter_over_source(it);
    if (type_iter_has_cell(it))
        out[n++] = type_array(t, DT_i64, 1, LAY_C, false);
    for (int i = 0; i < type_iter_count(it); i++)
        out[n++] = over_source ? it->elems[i] : type_iterator(t, it->elems[i]);
    for (int i = 1; type_iter_maps(it) && i < it->n; i++)
        out[n++] = it->elems[i];
    return n;
}
