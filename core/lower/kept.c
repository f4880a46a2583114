/* SPDX-License-Identifier: BSD-3-Clause
 * Objects that Python has in a slot (swathe._slot), from one call to the next: a list or dict of
 * swathe.typed, and the object of a generator, whose type only the program knows that makes it. A
 * number in the slot says what may be done with the object: for a container what type it is, for a
 * generator which program has made it, as another one (since a global has changed) may have other
 * fields, and go on elsewhere; for functions that a call has returned, which these are. */
#include "lower/internal.h"

enum { MARK, AT }; /* the slot's fields */

/* A list of what a call has returned that returns functions (swathe._returned): what these have
 * captured has this layout, and their text is that. Programs that call them have trees of their
 * own, with what only one of them has written out. Deeper than a few classes in classes nobody
 * looks. */
static void
hash_held(Lower *l, const Type *t, Hash *h, int depth)
{
    t = type_resolve(l->cx->types, t);
    hash_u64(h, (uint64_t)t->kind);
    hash_str(h, t->text);
    hash_u64(h, (uint64_t)t->n);
    for (int i = 0; i < t->n && t->elems; i++)
        hash_held(l, t->elems[i], h, depth);
    const FuncDef *f = t->kind == TY_FUNC ? t->ref : NULL;
    for (; f; f = f->parent) {
        hash_str(h, f->qualname ? f->qualname : f->name);
        hash_u64(h, (uint64_t)f->at.line << 32 | (uint32_t)f->at.col);
        hash_str(h, f->src && f->src->file ? f->src->file : "");
        hash_str(h, f->src && f->src->text ? f->src->text : "");
    }
    const ObjClass *c = type_class(t);
    for (int i = 0; c && depth > 0 && i < c->n; i++)
        hash_held(l, c->field[i].type, h, depth - 1);
}

static bool
has_function(Lower *l, const Type *t)
{
    t = type_resolve(l->cx->types, t);
    bool found = type_is_function(t);
    for (int i = 0; i < t->n && t->elems && !found; i++)
        found = has_function(l, t->elems[i]);
    return found;
}

static bool
is_returned(Lower *l, const Type *t)
{
    return t->kind == TY_REF && has_function(l, t);
}

static int64_t
mark_of(Lower *l, const Type *t)
{
    if (t->kind == TY_REF && !has_function(l, t))
        return (int64_t)type_mark(t);
    Hash h = hash_init();
    if (t->kind == TY_REF)
        hash_held(l, t, &h, 4);
    else
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
    if (is_returned(l, t))
        check(l, same, "TypeError",
              "a function that was returned to Python can't change the type of what it has "
              "captured, nor be called once what has made it is another");
    else
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
