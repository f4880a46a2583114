/* SPDX-License-Identifier: BSD-3-Clause
 * The k-th element of a tuple, where k is known at run time only. Of a few each is compared.
 * Values that are known, if there are many, are read from a table: a constant of the module for
 * each number of an element. Any others are halved first, until few are left, so that the code
 * nests no deeper than it has to. */
#include "lower/internal.h"

/* Numbers are loaded sooner than they are compared; of so few, the compares are selects. */
enum { FEW = 32, FEW_NUMBERS = 4 };

/* Of so many elements, if all are numbers, that what is known of them should stay known. */
bool
tuple_is_long(const Type *t)
{
    for (int i = 0; i < t->n; i++)
        if (t->elems[i]->kind != TY_SCALAR)
            return false;
    return t->n > FEW_NUMBERS;
}

/* NULL: it is no string, or not known. */
static const Const *
known_text(const Val *v)
{
    const Const *c = v->cst ? v->cst : v->type->kind == TY_STR ? v->type->ref : NULL;
    return c && c->kind == CV_STR ? c : NULL;
}

/* Can it be in a table as a value of this type? */
static bool
is_known(const Val *v, const Type *type)
{
    if (type->kind == TY_TEXT)
        return type_is_str(type) && known_text(v);
    if (type->kind == TY_SCALAR)
        return v->kind == VK_SCALAR && v->e->kind == IX_CONST;
    bool known = (type->kind == TY_TUPLE || type_is_optional(type)) && v->kind == VK_TUPLE &&
                 v->n > 0 && v->n == type->n;
    for (int i = 0; known && i < v->n; i++)
        known = is_known(&v->elem[i], type->elems[i]);
    return known;
}

/* As what it is in a table: strings stay what they are. */
static Val
made_known(Lower *l, const Val *v, const Type *type)
{
    bool tuple = type->kind == TY_TUPLE && v->kind == VK_TUPLE && v->n == type->n;
    bool number = type->kind == TY_SCALAR && v->kind == VK_SCALAR;
    bool may_be_none = type_is_optional(type) && type->elems[1]->kind == TY_SCALAR &&
                       (v->kind == VK_NONE || v->kind == VK_SCALAR);
    if (number || may_be_none)
        return val_convert(&l->b, *v, type);
    if (!tuple)
        return *v;
    Val r = val_tuple(&l->b, type, v->n, v->elem);
    for (int i = 0; i < v->n; i++)
        r.elem[i] = made_known(l, &v->elem[i], type->elems[i]);
    return r;
}

static IrExpr *
load_place(Lower *l, const Val *begin, IrExpr *k)
{
    return ir_load(l->cx, begin->arr, 1, &k);
}

/* All of them one behind the other, and where each begins. */
static Val
look_up_text(Lower *l, int n, const Val *all, IrExpr *k, const Type *type)
{
    Arena *a = &l->cx->arena;
    int64_t *begin = NEW_N(a, int64_t, n + 1), total = 0;
    for (int i = 0; i < n; i++)
        total += (int64_t)known_text(&all[i])->str_len;
    uint32_t *points = NEW_N(a, uint32_t, total + 1), *one;
    total = 0;
    for (int i = 0; i < n; i++) {
        begin[i] = total;
        int64_t size = const_points(a, known_text(&all[i]), &one);
        memcpy(points + total, one, sizeof *points * (size_t)size);
        total += size;
    }
    begin[n] = total;
    IrExpr *next = ir_op(l->cx, OP_add, ir_copy_expr(l->cx, k), i64(l, 1));
    Val places = val_known(&l->b, DT_i64, n + 1, begin);
    IrExpr *from = val_freeze(&l->b, load_place(l, &places, ir_copy_expr(l->cx, k)));
    IrExpr *to = load_place(l, &places, next), *stride = i64(l, 4);
    IrExpr *size = val_freeze(&l->b, ir_op(l->cx, OP_sub, to, ir_copy_expr(l->cx, from)));
    Val whole = val_known(&l->b, DT_u32, total, points);
    IrVar *part = ir_array_var(l->b.f, "text", DT_u32, 1, LAY_C);
    part->readonly = true;
    ir_view(&l->b, part, whole.arr, ir_op(l->cx, OP_mul, from, i64(l, 4)), &size, &stride);
    Val v = val_array(&l->b, type->elems[0], part, false);
    return val_tuple(&l->b, type, 1, &v);
}

/* Element k of n known ones, which are all of this type. */
static Val
look_up(Lower *l, int n, const Val *all, IrExpr *k, const Type *type)
{
    Arena *a = &l->cx->arena;
    if (type->kind == TY_TEXT)
        return look_up_text(l, n, all, k, type);
    if (type->kind != TY_SCALAR) {
        Val *part = NEW_N(a, Val, type->n), *column = NEW_N(a, Val, n);
        for (int j = 0; j < type->n; j++) {
            for (int i = 0; i < n; i++)
                column[i] = all[i].elem[j];
            part[j] = look_up(l, n, column, k, type->elems[j]);
        }
        return val_tuple(&l->b, type, type->n, part);
    }
    IrExpr **e = NEW_N(a, IrExpr *, n), *at[1] = {ir_copy_expr(l->cx, k)};
    for (int i = 0; i < n; i++)
        e[i] = all[i].e;
    Val table = val_known_numbers(&l->b, (DType)type->storage, n, e);
    return val_scalar(&l->b, type, ir_load(l->cx, table.arr, 1, at));
}

/* All elements as they are in a table; NULL: they are no more than `few`, or not all known. */
static Val *
table_of(Lower *l, const Val *t, const Type *type, int few)
{
    Val *all = t->n > few ? NEW_N(&l->cx->arena, Val, t->n) : NULL;
    bool known = all != NULL;
    for (int i = 0; known && i < t->n; i++) {
        all[i] = made_known(l, &t->elem[i], type);
        known = is_known(&all[i], type);
    }
    return known ? all : NULL;
}

bool
tuple_is_table(Lower *l, const Val *t, const Type *type)
{
    return table_of(l, t, type, FEW) != NULL;
}

static void
compare(Lower *l, const Val *t, int from, int to, IrExpr *k, const Val *slot)
{
    for (int i = from; i < to; i++) {
        IrExpr *hit = ir_op(l->cx, OP_eq, ir_copy_expr(l->cx, k), ir_int(l->cx, DT_i64, i));
        IrStmt *s = i + 1 < to ? ir_if(&l->b, hit) : NULL;
        if (s)
            l->b.at = &s->body;
        slot_store(l, slot, val_convert(&l->b, t->elem[i], slot->type));
        if (s)
            l->b.at = &s->els;
    }
}

static void
halve(Lower *l, const Val *t, int from, int to, IrExpr *k, const Val *slot)
{
    IrBlock *save = l->b.at;
    if (to - from <= FEW) {
        compare(l, t, from, to, k, slot);
    } else {
        int middle = from + (to - from) / 2;
        IrExpr *less = ir_op(l->cx, OP_lt, ir_copy_expr(l->cx, k), ir_int(l->cx, DT_i64, middle));
        IrStmt *s = ir_if(&l->b, less);
        l->b.at = &s->body;
        halve(l, t, from, middle, k, slot);
        l->b.at = &s->els;
        halve(l, t, middle, to, k, slot);
    }
    l->b.at = save;
}

Val
as_tuple_elem(Lower *l, const Val *t, IrExpr *k, const Type *type)
{
    int64_t known;
    if (ir_is_const(k, &known)) /* the check before has raised where there is none */
        return val_convert(&l->b, t->elem[known >= 0 && known < t->n ? known : 0], type);
    Val slot = val_slot(l, type, "elem");
    k = val_freeze(&l->b, k);
    Val *all = table_of(l, t, type, type->kind == TY_SCALAR ? FEW_NUMBERS : FEW);
    if (all)
        slot_store(l, &slot, look_up(l, t->n, all, k, type));
    else
        halve(l, t, 0, t->n, k, &slot);
    return slot;
}

IrExpr *
text_among(Lower *l, const Val *item, const Val *in)
{
    bool text = item->type->kind == TY_TEXT && type_is_str(item->type);
    Val *all = text ? table_of(l, in, item->type, FEW) : NULL;
    if (!all)
        return NULL;
    IrVar *found = ir_temp(&l->b, ir_int(l->cx, DT_bool, 0)), *k = ir_var(l->b.f, "k", DT_i64);
    IrBlock *save = l->b.at;
    l->b.at = &ir_loop(&l->b, LOOP_SEQ, k, i64(l, 0), i64(l, in->n), 1)->body;
    Val one = look_up_text(l, in->n, all, ir_use(l->cx, k), item->type);
    l->b.at = &ir_if(&l->b, text_equal(l, item, &one))->body;
    ir_set(&l->b, found, ir_int(l->cx, DT_bool, 1));
    ir_append(&l->b, IS_BREAK);
    l->b.at = save;
    return ir_use(l->cx, found);
}
