/* SPDX-License-Identifier: BSD-3-Clause
 * Dicts with known keys (sema/keyed.c): a display is its values. */
#include "lower/internal.h"

/* The values of one that is an object, as a tuple of type t. */
Val
keyed_values(Lower *l, Val o, const Type *t)
{
    Val out = val_tuple(&l->b, t, t->n, NULL);
    o = pin(l, o);
    for (int i = 0; i < t->n; i++)
        out.elem[i] = pin(l, object_load(l, o, i));
    return out;
}

static Val
object_display(Lower *l, const Node *n, const Type *t)
{
    const ObjClass *c = type_class(t);
    const Type **e = NEW_N(&l->cx->arena, const Type *, c->n + 1);
    Sym *names = NEW_N(&l->cx->arena, Sym, c->n + 1);
    for (int i = 0; i < c->n; i++) {
        names[i] = intern(&l->cx->syms, c->field[i].name);
        e[i] = type_resolve(l->cx->types, c->field[i].type);
    }
    Val v = lower_keyed(l, n, type_keyed(l->cx->types, c->n, e, names));
    for (int i = 0; i < c->n; i++)
        v.elem[i] = pin(l, v.elem[i]);
    Val o = val_object(&l->b, t);
    for (int i = 0; i < c->n; i++)
        object_set(l, o, i, v.elem[i]);
    return o;
}

/* Values of a dict with known keys; of two for one key the last stays, where the first was. */
Val
lower_keyed(Lower *l, const Node *n, const Type *t)
{
    if (t->kind == TY_OBJ)
        return object_display(l, n, t);
    Val out = val_tuple(&l->b, t, t->n, NULL);
    int last = last_impure(l, n);
    for (int i = 0; i < n->n; i++) {
        const Node *k = n->kid[i];
        bool all = k->kind == N_Starred;
        Val v = expr(l, k->kid[all ? 0 : 1]);
        if (v.kind == VK_LAZY)
            v = np_materialize(&l->b, v, LAY_C);
        v = i < last ? pin(l, v) : v;
        const Const *key = all ? NULL : sema_info(l->in, k->kid[0])->cst;
        for (int j = 0; all && j < v.n; j++)
            out.elem[type_field(t, v.type->names[j])] = v.elem[j];
        const ObjClass *c = all ? type_class(v.type) : NULL;
        for (int j = 0; c && j < c->n; j++)
            out.elem[type_field(t, c->field[j].name)] = pin(l, object_load(l, v, j));
        if (key)
            out.elem[type_field(t, key->str)] = v;
    }
    return out;
}
