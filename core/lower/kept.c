/* SPDX-License-Identifier: BSD-3-Clause
 * Objects that Python has in a slot (swathe._slot), from one call to the next: a list or dict of
 * swathe.typed, and the object of a generator, whose type only the program knows that makes it. A
 * number in the slot says what may be done with the object: for a container what type it is, for a
 * generator which program has made it, as another one (since a global has changed) may have other
 * fields, and go on elsewhere. */
#include "lower/internal.h"

enum { MARK, AT }; /* the slot's fields */

static int64_t
mark_of(Lower *l, const Type *t)
{
    if (t->kind == TY_REF)
        return (int64_t)type_mark(t);
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
    int64_t mark = mark_of(l, type_resolve(l->cx->types, v.type));
    heap_set_word(l, slot.arr, word_of(&slot, MARK), i64(l, mark));
    ir_put(&l->b, slot.arr, i64(l, word_of(&slot, AT)), v.arr);
    return val_none(&l->b);
}

/* What it is like is an expression that says what type it has, and is not evaluated. */
static Val
kept(Lower *l, const Call *c, const Type *t)
{
    Val slot = expr(l, c->arg[0]);
    IrExpr *same =
        ir_op(l->cx, OP_eq, heap_word(l, slot.arr, word_of(&slot, MARK)), i64(l, mark_of(l, t)));
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
