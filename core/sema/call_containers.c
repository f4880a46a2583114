/* SPDX-License-Identifier: BSD-3-Clause
 * Containers of what an iterable yields: list(x), sorted(x), dict(x), set(x). */
#include "sema/calls.h"

const Type *
type_py_list(CallCx *x)
{
    Sem v = sema_arg(x->s, x->c, 0);
    if (v.type && !sema_is_iterable(v.type))
        return complain(x, v.type, "an iterable");
    return heap_list_from(x->s, x->at, x->c->arg[0], v);
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
    return heap_set_from(x->s, x->at, x->fn->id == BI_py_set ? &heap_set : &heap_frozenset,
                         x->c->arg[0], v);
}
