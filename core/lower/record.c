/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays of records: a value is a tuple with a view of each field. What a['x'][i], a[i].x and
 * a[i]['x'] name is the same element of one view, so that only the axis of that view is checked and
 * nothing is made of the other fields. Takes nodes that sema has typed; yields loads, views,
 * stores. */
#include "lower/internal.h"

static const Type *
type_of(Lower *l, const Node *n)
{
    return sema_info(l->in, n)->type;
}

static bool
is_records(Lower *l, const Node *n)
{
    const Type *t = type_of(l, n);
    return t && t->kind == TY_RECORD;
}

/* NULL: not by name. */
static const char *
field_name(Lower *l, const Node *n)
{
    if (n->kind == N_Attribute)
        return n->name;
    return record_field_said(type_of(l, n->kid[0]), sema_info(l->in, n->kid[1])->cst);
}

bool
names_field(Lower *l, const Node *n)
{
    if ((n->kind != N_Attribute && n->kind != N_Subscript) || !is_records(l, n->kid[0]))
        return false;
    const char *name = field_name(l, n);
    return name && type_field(type_of(l, n->kid[0]), name) >= 0;
}

static Val
array_of(Lower *l, const Node *n)
{
    Val v = expr(l, n);
    return v.kind == VK_LAZY ? np_materialize(&l->b, v, LAY_C) : v;
}

/* `...` stands for axes of the records, not for those that their fields have. */
static int
whole_axes(const Type *records, int n, const NpIndex *ix, NpIndex *out)
{
    int used = 0, k = 0;
    for (int i = 0; i < n; i++)
        used += np_index_axes(&ix[i]);
    for (int i = 0; i < n; i++) {
        int axes = ix[i].kind == NI_ELLIPSIS ? records->ndim - used : 1;
        NpIndex each = ix[i].kind == NI_ELLIPSIS ? (NpIndex){.kind = NI_SLICE} : ix[i];
        for (int j = 0; j < axes && k < SW_MAX_NDIM; j++)
            out[k++] = each;
    }
    return k;
}

static void
index_of(Lower *l, const Node *of, const Node *index, Place *p)
{
    NpIndex ix[SW_MAX_NDIM * 2];
    if (impure(l, index))
        p->arr = pin(l, p->arr);
    p->twice = p->twice && !is_records(l, of);
    p->n = take_index(l, index, p->ix, p->twice ? p->list : NULL);
    if (!is_records(l, of) || !np_has_arrays(p->n, p->ix))
        return;
    memcpy(ix, p->ix, sizeof *ix * (size_t)p->n);
    p->n = whole_axes(type_of(l, of), p->n, ix, p->ix);
}

static void
place_of(Lower *l, const Node *n, Place *p)
{
    p->n = 0;
    if (!names_field(l, n)) {
        p->arr = array_of(l, n->kid[0]);
        index_of(l, n->kid[0], n->kid[1], p);
        return;
    }
    const Node *of = n->kid[0];
    int k = type_field(type_of(l, of), field_name(l, n));
    bool element = of->kind == N_Subscript && is_records(l, of->kid[0]) && !names_field(l, of);
    p->arr = expr(l, element ? of->kid[0] : of).elem[k];
    if (element)
        index_of(l, of->kid[0], of->kid[1], p);
}

/* Where i is an array, what a[i]["x"] stores to is a copy, of which only errors are seen. */
void
place_to_store(Lower *l, const Node *n, Place *p)
{
    place_of(l, n, p);
    if (!names_field(l, n) || !np_has_arrays(p->n, p->ix))
        return;
    p->arr = record_select(l, p->arr, p->n, p->ix, type_of(l, n));
    if (p->arr.kind == VK_LAZY)
        p->arr = np_materialize(&l->b, p->arr, LAY_C);
    p->n = 0;
}

Val
record_load(Lower *l, const Node *n, const Type *t)
{
    Place p = {0};
    place_of(l, n, &p);
    return record_select(l, p.arr, p.n, p.ix, t);
}

/* Records get the values of others: they are the same, or share nothing. */
static void
copy_record(Lower *l, Val to, Val from)
{
    NpIndex none[1];
    for (int i = 0; i < to.n; i++) {
        const Type *t = to.elem[i].type;
        if (to.elem[i].kind == VK_TUPLE)
            copy_record(l, to.elem[i], from.elem[i]);
        else if (t->ndim)
            np_assign_apart(&l->b, &to.elem[i], from.elem[i]);
        else
            np_store(&l->b, to.elem[i], 0, none, from.elem[i], NULL);
    }
}

static void
store_fields(Lower *l, Val to, int n, NpIndex *ix, Val v, const Type *sel)
{
    if (sel && sel->kind == TY_RECORD && sel->ndim == 0 && v.type->kind == TY_RECORD) {
        copy_record(l, record_select(l, to, n, ix, sel), v);
        return;
    }
    if (to.kind != VK_TUPLE) {
        np_store(&l->b, to, n, ix, v, sel && type_is_array(sel) ? sel : NULL);
        return;
    }
    for (int i = 0; i < n; i++)
        val_pin(&l->b, &ix[i].v);
    for (int i = 0; i < to.n; i++)
        store_fields(l, to.elem[i], n, ix, v.elem[i], sel->elems[i]);
}

/* Field by field, in order; a value that is itself of records is read as its views are. Arrays of
 * places are asked once for each field, and may be fields that were stored to by then. */
void
record_store(Lower *l, Val to, int n, NpIndex *ix, Val v, const Type *sel)
{
    for (int i = 0; to.kind == VK_TUPLE && i < n; i++)
        if (ix[i].kind == NI_ARRAY)
            ix[i].v = np_copy_of(&l->b, ix[i].v);
    store_fields(l, to, n, ix, v, sel);
}

/* ---- new ones: bytes, the last axis of which is a record ---- */

const Const *
record_dtype(Lower *l, const Call *c)
{
    for (int i = 0; i < c->n_args; i++) {
        const Const *k = c->arg[i] ? sema_info(l->in, c->arg[i])->cst : NULL;
        if (k && k->kind == CV_RECORD)
            return k;
    }
    return NULL;
}

static Val
fields_over(Lower *l, const Val *bytes, const Const *c, const Type *t, int64_t at)
{
    Val v = val_tuple(&l->b, t, t->n, NULL);
    for (int i = 0; i < c->n; i++) {
        const Const *f = c->elems[i];
        int64_t offset = at + c->shape[i];
        v.elem[i] = f->kind == CV_RECORD
                        ? fields_over(l, bytes, f, t->elems[i], offset)
                        : np_field(&l->b, bytes, offset, f->ndim, f->shape, t->elems[i]);
    }
    return v;
}

Val
record_over(Lower *l, const Val *bytes, const Const *c, const Type *t)
{
    return fields_over(l, bytes, c, t, 0);
}

/* The first of the fields, and theirs: an array, whose first axes are the records'. */
static Val
first_field(Val v)
{
    while (v.kind == VK_TUPLE)
        v = v.elem[0];
    return v;
}

Val
record_shape(Lower *l, Val v, const char *name, const Type *t)
{
    Val first = first_field(v);
    int ndim = v.type->ndim;
    if (!strcmp(name, "shape")) {
        Val *elem = NEW_N(&l->cx->arena, Val, ndim + 1);
        for (int i = 0; i < ndim; i++)
            elem[i] = val_scalar(&l->b, t->elems[i], val_dim(&l->b, &first, i));
        return val_tuple(&l->b, t, ndim, elem);
    }
    IrExpr *size = ir_int(l->cx, DT_i64, 1); /* "size": ndim is a constant */
    for (int i = 0; i < ndim; i++)
        size = ir_op(l->cx, OP_mul, size, val_dim(&l->b, &first, i));
    return val_scalar(&l->b, t, size);
}

/* Bytes, with an axis more than there are in `dim`, and the fields over them. */
static Val
new_records(Lower *l, NpCall *call, const Const *record, const Val *dim)
{
    const Type *t = call->result, *i64 = type_scalar(l->cx->types, DT_i64, true),
               *all[SW_MAX_NDIM + 1];
    Val *elem = NEW_N(&l->cx->arena, Val, t->ndim + 1);
    for (int i = 0; i <= t->ndim; i++) {
        elem[i] = i < t->ndim ? dim[i] : val_scalar(&l->b, i64, ir_int(l->cx, DT_i64, record->i));
        all[i] = i64;
    }
    call->n = 1;
    call->arg[0] = val_tuple(&l->b, type_tuple(l->cx->types, t->ndim + 1, all), t->ndim + 1, elem);
    call->result = type_array(l->cx->types, DT_u8, t->ndim + 1, LAY_C, false);
    Val bytes = np_materialize(&l->b, np_call(&l->b, call), LAY_C);
    return record_over(l, &bytes, record, t);
}

/* As many as `like` has, of its dtype. */
static Val
records_like(Lower *l, NpCall *call, Val like)
{
    const Builtin *fn = call->fn;
    Val first = first_field(like), *dim = NEW_N(&l->cx->arena, Val, like.type->ndim + 1);
    for (int i = 0; i < like.type->ndim; i++)
        dim[i] =
            val_scalar(&l->b, type_scalar(l->cx->types, DT_i64, true), val_dim(&l->b, &first, i));
    call->fn = &builtin_table[fn->op == 0 ? BI_np_zeros : BI_np_empty];
    Val v = new_records(l, call, type_record_dtype(l->cx->types, like.type), dim);
    if (fn->id == BI_np_copy)
        copy_record(l, v, like);
    return v;
}

Val
record_new(Lower *l, const Call *c, NpCall *call)
{
    const Const *record = record_dtype(l, c);
    Val *shape = &call->arg[0];
    if (shape->type->kind == TY_RECORD)
        return records_like(l, call, *shape);
    return new_records(l, call, record, shape->kind == VK_TUPLE ? shape->elem : shape);
}

/* ---- records chosen by arrays of indices: new ones ---- */

/* Of one field, the axes of which are `more` than those of the records. */
static Val
chosen_field(Lower *l, Val v, int n, NpIndex *ix, int more)
{
    const Type *t = v.type;
    return np_subscript(&l->b, v, n, ix,
                        type_array(l->cx->types, (DType)t->dtype, t->ndim + more, LAY_C, false));
}

static void
choose_fields(Lower *l, Val to, Val v, int n, NpIndex *ix, int more)
{
    for (int i = 0; i < to.n; i++)
        if (to.elem[i].kind == VK_TUPLE)
            choose_fields(l, to.elem[i], v.elem[i], n, ix, more);
        else
            np_assign_apart(&l->b, &to.elem[i], chosen_field(l, v.elem[i], n, ix, more));
}

static Val
chosen_records(Lower *l, Val v, int n, NpIndex *given, const Type *t)
{
    NpIndex whole[SW_MAX_NDIM], ix[SW_MAX_NDIM];
    n = whole_axes(v.type, n, given, whole);
    n = np_without_masks(&l->b, first_field(v).arr, n, whole, ix); /* once for all fields */
    for (int i = 0; i < n; i++) {
        if (ix[i].v.kind == VK_LAZY)
            ix[i].v = np_materialize(&l->b, ix[i].v, LAY_C);
        val_pin(&l->b, &ix[i].v);
    }
    int more = t->ndim - v.type->ndim;
    Val first = chosen_field(l, first_field(v), n, ix, more);
    const Type *i64 = type_scalar(l->cx->types, DT_i64, true);
    Val *dim = NEW_N(&l->cx->arena, Val, t->ndim + 1), none = {0};
    for (int i = 0; i < t->ndim; i++)
        dim[i] = val_scalar(&l->b, i64, val_freeze(&l->b, val_dim(&l->b, &first, i)));
    NpCall call = {.fn = &builtin_table[BI_np_empty], .result = t, .arg = &none};
    Val to = new_records(l, &call, type_record_dtype(l->cx->types, t), dim);
    choose_fields(l, to, v, n, ix, more);
    return to;
}

Val
record_select(Lower *l, Val v, int n, NpIndex *ix, const Type *t)
{
    if (v.kind != VK_TUPLE)
        return np_subscript(&l->b, v, n, ix, t);
    if (n == 0)
        return v;
    if (np_has_arrays(n, ix))
        return chosen_records(l, v, n, ix, t);
    for (int i = 0; i < n; i++)
        val_pin(&l->b, &ix[i].v);
    Val out = val_tuple(&l->b, t, t->n, v.elem);
    for (int i = 0; i < t->n; i++)
        out.elem[i] = record_select(l, v.elem[i], n, ix, t->elems[i]);
    return out;
}
