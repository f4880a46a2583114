/* SPDX-License-Identifier: BSD-3-Clause
 * What `for x in v` binds, and comprehensions. A comprehension's targets live in a scope
 * of their own: their variables have names that no other variable of the function has. */
#include "sema/internal.h"

static const Type *
join_elems(Sema *s, const Node *at, const Type *v)
{
    const Type *j = type_unknown(s->tt);
    for (int i = 0; i < v->n; i++) {
        const Type *t = type_join(s->tt, j, v->elems[i]);
        if (!t) {
            Diag *d =
                sema_type_error(s, at, "the elements of %s have no common type", v->text);
            diag_note(s->diags, d, at->at, "element %d is %s, others %s", i,
                      v->elems[i]->text, j->text);
            diag_hint(s->diags, d, "index it with constants");
            return type_unknown(s->tt);
        }
        j = t;
    }
    return j;
}

static const Type *
iter_of(Sema *s, const Node *at, const Type *v)
{
    const Builtin *fn = v->ref;
    if (!fn)
        return type_unknown(s->tt);
    if (fn->id == BI_py_ranges)
        return v->n == 1 ? v->elems[0] : type_tuple(s->tt, v->n, v->elems);
    if (fn->id == BI_py_reversed)
        return sema_iter_elem(s, at, v->elems[0]);
    const Type **e = NEW_N(s->a, const Type *, v->n + 1);
    for (int i = 0; i < v->n; i++)
        e[i] = sema_iter_elem(s, at, v->elems[i]);
    if (fn->id == BI_py_enumerate) {
        const Type *pair[2] = {type_scalar(s->tt, DT_i64, true), e[0]};
        return type_tuple(s->tt, 2, pair);
    }
    return type_tuple(s->tt, v->n, e);
}

const Type *
sema_iter_elem(Sema *s, const Node *at, const Type *v)
{
    switch (v->kind) {
    case TY_UNKNOWN:
        return v;
    case TY_RANGE:
        return type_scalar(s->tt, DT_i64, true);
    case TY_TUPLE:
        return join_elems(s, at, v);
    case TY_LIST:
        return v->elems[0];
    case TY_REF:
        if (v->ref == &heap_dict)
            heap_keys(s, at, v);
        return type_resolve(s->tt, v->elems[0]);
    case TY_ITER:
        return iter_of(s, at, v);
    case TY_RECORD:
        if (v->ndim > 0)
            return type_record_row(s->tt, v);
        sema_type_error(s, at, "iteration over one record");
        return type_unknown(s->tt);
    case TY_ARRAY:
        if (v->ndim == 1)
            return type_scalar(s->tt, (DType)v->dtype, false);
        if (v->ndim > 1)
            return type_array(s->tt, (DType)v->dtype, v->ndim - 1,
                              v->layout == LAY_C ? LAY_C : LAY_A, v->readonly);
        sema_type_error(s, at, "iteration over a 0-d array");
        return type_unknown(s->tt);
    default:
        sema_type_error(s, at, "%s is not iterable", v->text);
        return type_unknown(s->tt);
    }
}

/* An iterable, as `for` takes it. */
Sem
sema_iterated(Sema *s, const Node *e)
{
    Sem v = list_as_tuple(s, e, sema_expr(s, e));
    return sema_need(s, e, v, "TypeError", "'NoneType' object is not iterable");
}

bool
sema_iter_empty(const Type *t)
{
    if (t->kind == TY_TUPLE)
        return t->n == 0;
    const Builtin *fn = t->kind == TY_ITER ? t->ref : NULL;
    if (!fn || fn->id == BI_py_ranges)
        return false;
    for (int i = 0; i < t->n; i++)
        if (sema_iter_empty(t->elems[i]))
            return true;
    return false;
}

/* ---- comprehensions
 * -------------------------------------------------------------------------- */

static void
push_scope(Sema *s, const Node *at, Sym name, void *arg)
{
    (void)arg;
    Scope *c = NEW(s->a, Scope);
    *c = (Scope){.name = name, .up = s->fr->scope};
    c->as = intern(&s->cx->syms, arena_printf(s->a, "%s.%d", name, at->id));
    s->fr->scope = c;
}

static bool
generators(Sema *s, const Node *e)
{
    for (int g = 1; g < e->n; g++) {
        const Node *c = e->kid[g];
        *info_of(s, c) = (Info){0};
        Sem it = sema_iterated(s, c->kid[1]);
        const Type *elem = sema_iter_elem(s, c->kid[1], it.type);
        if (sema_iter_empty(it.type)) /* any type does: its elements are never made */
            elem = type_scalar(s->tt, DT_i64, true);
        env_walk_assigned(s, c->kid[0], push_scope, NULL);
        sema_assign(s, c->kid[0], sem_of(elem), NULL);
        for (int i = 2; i < c->n; i++) {
            sema_test(s, c->kid[i]);
            sema_narrow(s, c->kid[i], true);
        }
    }
    return true;
}

Sem
expr_comprehension(Sema *s, const Node *e)
{
    Scope *save = s->fr->scope;
    Env before = s->fr->optional ? env_copy(s, &s->fr->env) : (Env){0};
    generators(s, e);
    Sem v = sema_expr(s, e->kid[0]);
    s->fr->scope = save;
    env_unnarrow(s, &before);
    if (sem_bad(v))
        return v;
    if (e->op == 2)
        return heap_dict_of(s, e, v.type);
    return sem_of(type_other(s->tt, TY_LIST, NULL, 1, &v.type, NULL));
}
