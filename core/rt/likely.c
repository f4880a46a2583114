/* SPDX-License-Identifier: BSD-3-Clause
 * What the arguments of a function's first call tell of later ones: points have two or three
 * coordinates and pixels three colours. Nothing that is computed hangs on it: passes make a second
 * version of a loop for such sizes, and leave the loop as it was for all others. */
#include "ir/ir.h"
#include "rt/rt.h"

#include <string.h>

static int
tell(const Type *t, const uint64_t *slots, uint8_t *out)
{
    int n = 0;
    if (t->kind == TY_ARRAY)
        for (int k = 2; k < 2 + t->ndim; k++)
            out[k] = slots[k] > 1 && slots[k] <= IR_SHORT_AXIS ? (uint8_t)slots[k] : 0;
    if (t->kind != TY_TUPLE)
        return type_slots(t);
    for (int k = 0; k < t->n; k++)
        n += tell(t->elems[k], slots + n, out + n);
    return n;
}

const uint8_t *
rt_likely(Cx *cx, int n_args, const Type *const *args, const uint64_t *slots, int n_slots)
{
    int n = 0;
    bool any = false;
    for (int i = 0; i < n_args; i++)
        n += type_slots(args[i]);
    if (n != n_slots)
        return NULL;
    uint8_t *out = NEW_N(&cx->arena, uint8_t, n + 1);
    n = 0;
    for (int i = 0; i < n_args; i++)
        n += tell(args[i], slots + n, out + n);
    for (int i = 0; i < n; i++)
        any |= out[i] != 0;
    return any ? out : NULL;
}
