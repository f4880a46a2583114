/* SPDX-License-Identifier: BSD-3-Clause
 * A generator's object from one call of Python to the next. Python has a slot, an instance of
 * swathe._generators.Slot, in which this program keeps the object and finds it again: what type it
 * has is known here alone. A number says which program that was, as another one (since a global has
 * changed) may have other fields, and go on elsewhere. */
#include "lower/internal.h"

enum { PROGRAM, AT }; /* the slot's fields */

static int64_t
this_program(const Lower *l)
{
    Hash h = hash_init();
    ast_hash(l->unit->prog, &h);
    return (int64_t)(h.h[0] | 1);
}

static int
word_of(const Val *slot, int field)
{
    return object_word(type_class(slot->type), field, 0);
}

static Val
keep(Lower *l, const Call *c)
{
    Val slot = pin(l, expr(l, c->arg[0])), v = pin(l, expr(l, c->arg[1]));
    heap_set_word(l, slot.arr, word_of(&slot, PROGRAM), i64(l, this_program(l)));
    ir_put(&l->b, slot.arr, i64(l, word_of(&slot, AT)), v.arr);
    return val_none(&l->b);
}

/* What it is like is an expression that says what type it has, and is not evaluated. */
static Val
kept(Lower *l, const Call *c, const Type *t)
{
    Val slot = expr(l, c->arg[0]);
    IrExpr *same = ir_op(l->cx, OP_eq, heap_word(l, slot.arr, word_of(&slot, PROGRAM)),
                         i64(l, this_program(l)));
    check(l, same, "RuntimeError",
          "what the generator uses (a global, or a function) has changed since it began");
    IrVar *v = heap_var(l, "kept", t);
    ir_get(&l->b, v, slot.arr, i64(l, word_of(&slot, AT)));
    Val r = val_array(&l->b, t, v, false);
    r.temp = true;
    return r;
}

Val
heap_kept(Lower *l, const Call *c, const Type *t)
{
    return c->fn->id == BI_heap_keep ? keep(l, c) : kept(l, c, t);
}
