/* SPDX-License-Identifier: BSD-3-Clause
 * Of which arguments the values tell what a function is compiled for, besides their types. */
#include "sema/internal.h"

/* What must be known to type the body at all, and in swathe/lib every constant. */
const Const *
inst_specialises(const FuncDef *fd, const Type *t, const Const *c)
{
    if (!c || (fd->is_lib && t->kind != TY_TEXT))
        return c;
    switch (t->kind) {
    case TY_STR:
    case TY_FUNC:
    case TY_BUILTIN:
    case TY_CLASS:
    case TY_MODULE:
    case TY_DTYPE:
    case TY_NONE:
    case TY_ELLIPSIS:
        return c;
    case TY_TUPLE:
    case TY_KEYED:
        for (int i = 0; (c->kind == CV_TUPLE || c->kind == CV_KEYED) && i < t->n; i++)
            if (t->elems[i]->kind != TY_SCALAR && inst_specialises(fd, t->elems[i], c->elems[i]))
                return c;
        return NULL;
    default:
        return NULL;
    }
}

bool
inst_number_known(const Const *c)
{
    bool all = c && c->kind == CV_TUPLE && !c->is_list && c->n > 0;
    for (int i = 0; all && i < c->n; i++)
        all = inst_number_known(c->elems[i]) && c->elems[i]->kind != CV_TUPLE;
    return all || (c && (c->kind == CV_INT || c->kind == CV_BOOL));
}

bool
inst_number_unknown(const Type *t, const Const *c)
{
    bool any = !c && t->kind == TY_SCALAR && dtype_kind((DType)t->dtype) <= DK_UINT;
    bool parts = t->kind == TY_TUPLE || t->kind == TY_KEYED;
    bool known = c && (c->kind == CV_TUPLE || c->kind == CV_KEYED);
    for (int i = 0; !any && parts && i < t->n; i++)
        any = inst_number_unknown(t->elems[i], known ? c->elems[i] : NULL);
    return any;
}

/* A function that calls itself with ever other strings that are known, as `f(n - 1, s + "x")` from
 * `f(n, "")` on: one of any string does for all. */
bool
inst_ever_another(Sema *s, const FuncDef *fd, int i, const Const *c)
{
    int others = 0;
    for (const Frame *f = s->fr; f && c && c->kind == CV_STR; f = f->up) {
        const Const *had = f->in->def == fd && i < f->in->n_params ? f->in->param_cst[i] : NULL;
        others += had && had->kind == CV_STR && !const_equal(had, c);
    }
    return others >= MAX_KNOWN;
}

/* A tuple as one of any length; else as it is. */
const Type *
inst_any_length(Sema *s, const Node *at, const Type *t, int k)
{
    const Type *elem = NULL;
    if (t->kind != TY_TUPLE || t->listed || t->names)
        return t;
    for (int i = 0; i < t->n; i++) {
        const Type *e = type_element(s->tt, type_resolve(s->tt, t->elems[i]));
        elem = e && elem ? type_join_elements(s->tt, elem, e) : e;
        if (!elem)
            return t;
    }
    if (!elem && k >= 4) /* a place has so many variables */
        return t;
    elem = elem ? elem : heap_empty_site(s, at, k);
    return type_heap(s->tt, &heap_tuple, &elem);
}
