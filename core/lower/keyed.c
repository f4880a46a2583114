/* SPDX-License-Identifier: BSD-3-Clause
 * Dicts with known keys (sema/keyed.c): a display is its values. */
#include "lower/internal.h"

/* Values of a dict with known keys; of two for one key the last stays, where the first was. */
Val
lower_keyed(Lower *l, const Node *n, const Type *t)
{
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
        if (key)
            out.elem[type_field(t, key->str)] = v;
    }
    return out;
}
