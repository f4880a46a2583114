/* SPDX-License-Identifier: BSD-3-Clause
 * What a container holds beside what is put into it. Elements are places where numbers meet, as
 * variables are: an int that is put among floats is a float there. A list, dict or array that is an
 * element is shared, and stays what it is. */
#include "sema/calls.h"

/* With Numba's casts a number that fits in what the container holds becomes that, and Python's
 * float does, as beside a NumPy float. */
static bool
is_cast(Sema *s, const Type *elem, const Type *v)
{
    const SwOptions *own = s->fr->in->def->own ? s->fr->in->def->own : s->fr->in->opt;
    if (!own->numba_casts || elem->kind != TY_SCALAR || v->kind != TY_SCALAR ||
        dtype_kind((DType)elem->dtype) != dtype_kind((DType)v->dtype))
        return false;
    return dtype_can_cast_safely((DType)v->dtype, (DType)elem->dtype) ||
           (v->weak && dtype_is_float((DType)v->dtype));
}

/* As it is. */
static bool
fits(Sema *s, const Type *elem, const Type *v)
{
    const Type *e = type_element(s->tt, type_resolve(s->tt, v));
    return elem == v /* (), of a set, is no element */ || (e && type_unify(s->tt, elem, e)) ||
           is_cast(s, type_resolve(s->tt, elem), v);
}

/* With its ints as floats; or the container becomes one that does. */
static bool
promotes(Sema *s, const Type *object, const Type *elem, const Type *v)
{
    const Type *part = object->elems[type_heap_has(object, HEAP_MAPS)],
               *e = type_element(s->tt, type_resolve(s->tt, v));
    bool so = e && (type_widest(s->tt, elem, e) == type_resolve(s->tt, elem) ||
                    type_widen(s->tt, part, e));
    s->want_keyed |= so && s->empty_lists && !s->all_keyed;
    return so;
}

/* These two were to be one type. */
void
heap_want_wide(Sema *s, const Type *a, const Type *b)
{
    s->want_wide |= !s->wide && type_differs_in_numbers(s->tt, a, b);
    either_want(s);
    list_want_functions(s, type_value(a));
    list_want_functions(s, type_value(b));
}

/* A member of an IntEnum is found by the int that it is, and the other way round. */
static bool
is_found_by(const Type *key, const Type *v)
{
    return key->kind == TY_SCALAR && v->kind == TY_SCALAR && key->weak && v->weak &&
           key->dtype == DT_i64 && v->dtype == DT_i64 && (key->ref || v->ref);
}

/* What a key, or an element of a set, may be; kept: and stays there. False after a message. An int
 * as a float could be equal to what it is not. */
bool
heap_check_key(Sema *s, const Node *at, const Type *object, const Type *key, const Type *v,
               bool kept)
{
    const Type *e = type_element(s->tt, type_resolve(s->tt, v));
    const Type *has = type_resolve(s->tt, key);
    bool ok = fits(s, key, v) || (!kept && e && is_found_by(has, e)) ||
              (has->kind == TY_EITHER && e && type_join_either(s->tt, has, e) == has),
         rows = !ok && s->wide && e && type_join_elements(s->tt, key, e);
    if (rows) /* which differ in nothing but the length of tuples */
        ok = type_join_elements(s->tt, key, e) == type_resolve(s->tt, key) ||
             (heap_is_key(type_join_elements(s->tt, key, e)) &&
              type_widen(s->tt, object->elems[0], e));
    if (!ok)
        heap_want_wide(s, key, v);
    if (!ok)
        sema_type_error(s, at, "the %s of %s are %s, not %s",
                        type_heap_has(object, HEAP_MAPS) ? "keys" : "elements",
                        type_resolve(s->tt, object)->text, type_resolve(s->tt, key)->text, v->text);
    return ok;
}

/* What an element may be given: false after a message. */
bool
heap_check_element(Sema *s, const Node *at, const Type *object, const Type *elem, const Type *v)
{
    if (type_heap_has(object,
                      HEAP_PACKED)) { /* which holds numbers, whatever they are written as */
        bool real = elem->dtype == DT_f64, scalar = v->kind == TY_SCALAR && !type_has_param(v);
        bool is = scalar && (real ? !dtype_is_complex((DType)v->dtype) : is_int_type(v));
        if (!is)
            sema_type_error(s, at,
                            real ? "must be real number, not %s"
                                 : "'%s' object cannot be interpreted as an integer",
                            python_name(s, v));
        return is;
    }
    if (fits(s, elem, v) || promotes(s, object, elem, v))
        return true;
    type_join_objects(s->tt, type_resolve(s->tt, elem), type_value(type_resolve(s->tt, v)));
    heap_want_wide(s, elem, v);
    keyed_want_object(s, v);
    s->want_keyed |= s->empty_lists && !s->all_keyed;
    Diag *d =
        sema_type_error(s, at, "%s can't hold %s", type_resolve(s->tt, object)->text, v->text);
    if (elem->kind == TY_SCALAR && v->kind == TY_SCALAR && elem->weak &&
        dtype_is_float((DType)elem->dtype))
        diag_hint(s->diags, d, "convert it with float(...)");
    else if (elem->kind == TY_SCALAR && v->kind == TY_SCALAR && elem->weak && elem->dtype == DT_i64)
        diag_hint(s->diags, d,
                  dtype_kind((DType)v->dtype) == DK_BOOL
                      ? "convert it with int(...)"
                      : "convert it with int(...), or make the list of floats: [0.0]");
    else
        advise_element(s, d, elem, v);
    return false;
}

/* What a list holds of which nothing tells it yet: a copy of the list holds the same. */
const Type *
heap_held_open(Sema *s, Sem v)
{
    const Type *e = v.type && (type_is_heap(v.type, &heap_list) || v.type->kind == TY_LIST)
                        ? type_resolve(s->tt, v.type->elems[0])
                        : NULL;
    return e && e->kind == TY_UNKNOWN && e->ref ? e : NULL;
}
