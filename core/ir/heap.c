/* SPDX-License-Identifier: BSD-3-Clause
 * Objects of the heap as the IR has them: see ir.h. */
#include "ir/ir.h"

bool
ir_same_obj(const IrVar *a, const IrVar *b)
{
    return a->obj == b->obj || (a->obj && b->obj && !strcmp(a->obj, b->obj));
}

int
ir_ref_words(const IrVar *v)
{
    return ir_is_object(v) ? 1 : 2 + v->ndim * (v->layout == LAY_A ? 2 : 1);
}

bool
ir_keeps_strides(const IrVar *object, int64_t word, const IrVar *v)
{
    return !ir_is_object(v) && (int)strspn(object->obj + word + 1, "w") > 2 * v->ndim;
}
