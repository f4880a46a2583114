/* SPDX-License-Identifier: BSD-3-Clause
 * Containers of what an iterable yields: list(x), sorted(x), dict(x), set(x). */
#include "sema/calls.h"

/* list(x), set(x) of what holds the same elements: they are taken over, not stored one by one. */
static const Type *
taken_over(CallCx *x, const Type *t, Sem v)
{
    const Type *from = v.type ? type_resolve(x->s->tt, v.type) : NULL;
    if (!t || !from || from->kind != TY_REF || type_is_open(t) || type_is_open(from))
        return t;
    bool list = type_is_heap(t, &heap_list), same = type_resolve(x->s->tt, t) == from;
    bool keys = list && (type_is_heap(from, &heap_set) || type_is_heap(from, &heap_dict));
    if (!same && !(keys && type_heap(x->s->tt, &heap_list, from->elems) == t))
        return t;
    const Node *of = x->c->arg[0];
    bool made_here = of->kind == N_Call && heap_view_name(x->s, of); /* list(d.keys()) */
    const char *by = !same       ? "dict_keys"
                     : !list     ? "set_copy"
                     : made_here ? "_list_itself"
                                 : "list_copy";
    Sem made = heap_call(x->s, x->at, by, 1, &of);
    if (sem_bad(made))
        return t;
    info_of(x->s, x->at)->before = NULL;
    return made.type;
}

const Type *
type_py_list(CallCx *x)
{
    Sem v = sema_arg(x->s, x->c, 0);
    if (v.type && !sema_is_iterable(v.type))
        return complain(x, v.type, "an iterable");
    return taken_over(x, heap_list_from(x->s, x->at, x->c->arg[0], v), v);
}

const Type *
type_py_sorted(CallCx *x)
{
    Sem v = sema_arg(x->s, x->c, 0), reverse = arg_of(x, "reverse"), key = arg_of(x, "key");
    if (v.type && !sema_is_iterable(v.type))
        return complain(x, v.type, "an iterable");
    if (reverse.type && !is_int_type(reverse.type))
        return wrong_type(x, "reverse", "a bool", reverse.type);
    const Type *t = heap_list_from(x->s, x->at, x->c->arg[0], v);
    return t && heap_sort(x->s, x->at, t, reverse, key) ? t : NULL;
}

const Type *
type_py_dict(CallCx *x)
{
    Sem v = sema_arg(x->s, x->c, 0);
    if (v.type && !sema_is_iterable(v.type))
        return complain(x, v.type, "an iterable of pairs");
    const Type *kv[3] = {NULL, NULL, NULL};
    return heap_dict_from(x->s, x->at, x->fn->id == BI_py_dict ? &heap_dict : &heap_OrderedDict, kv,
                          x->c->arg[0], v);
}

const Type *
type_py_set(CallCx *x)
{
    Sem v = sema_arg(x->s, x->c, 0);
    if (v.type && !sema_is_iterable(v.type))
        return complain(x, v.type, "an iterable");
    const HeapClass *cls = x->fn->id == BI_py_set ? &heap_set : &heap_frozenset;
    return taken_over(x, heap_set_from(x->s, x->at, cls, x->c->arg[0], v), v);
}
