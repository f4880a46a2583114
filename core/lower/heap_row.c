/* SPDX-License-Identifier: BSD-3-Clause
 * What the classes of lists and dicts are written with, in swathe/lib: the rows of
 * heap.def. Nothing is tested when it runs. */
#include "lower/internal.h"

static const Type *
weak_int(Lower *l)
{
    return type_scalar(l->cx->types, DT_i64, true);
}

static Val
int_val(Lower *l, IrExpr *e)
{
    return val_scalar(&l->b, weak_int(l), e);
}

static int
group_of(Lower *l, const Call *c)
{
    bool has = c->fn->id != BI_heap_hash_of && c->fn->id != BI_heap_same && c->n_args > 1;
    const Const *k = has && c->arg[1] ? sema_info(l->in, c->arg[1])->cst : NULL;
    return k ? (int)k->i : 0;
}

/* Every bit of the key counts, in all bits of the hash: tables take the low ones. */
static IrExpr *
mixed(Lower *l, IrExpr *h, IrExpr *bits)
{
    IrExpr *x = ir_op(l->cx, OP_xor, h, ir_cast(l->cx, DT_u64, bits));
    x = val_freeze(&l->b,
                   ir_op(l->cx, OP_mul, x, ir_int(l->cx, DT_u64, (int64_t)0x9e3779b97f4a7c15u)));
    return ir_op(l->cx, OP_xor, x, ir_op(l->cx, OP_shr, again(l, x), ir_int(l->cx, DT_u64, 32)));
}

static IrExpr *
hash_of_set(Lower *l, const Val *v)
{
    const char *by = type_is_heap(v->type, &heap_tuple) ? "_tuple_hash" : "_set_hash";
    const Inst *in = sema_helper(l->in, by, v->type);
    Val param[2] = {*v}, h = in ? inst_call(l, in, param) : val_none(&l->b);
    if (!in)
        diag_add(&l->cx->diags, DIAG_internal, l->b.span, "no function for a hash");
    return in ? val_freeze(&l->b, val_expr(&l->b, &h, DT_i64)) : i64(l, 0);
}

static IrExpr *
address_of(Lower *l, const Val *v)
{
    IrVar *r = ir_var(l->b.f, "address", DT_i64);
    ir_ask(&l->b, RT_sw_address, 1, r)->args[0].arr = v->arr;
    return ir_use(l->cx, r);
}

/* Which function it is, by a number that it has among any others. */
static IrExpr *
age_of(Lower *l, const Val *v)
{
    IrExpr *age = i64(l, 0);
    for (int i = 0; i < v->n; i++) {
        int its = type_age(l->cx->types, v->type->elems[i]->elems[1]);
        IrExpr *is = ir_cast(l->cx, DT_i64, val_expr(&l->b, &v->elem[i].elem[0], DT_bool));
        age = ir_op(l->cx, OP_add, age, ir_op(l->cx, OP_mul, is, i64(l, its)));
    }
    return age;
}

static IrExpr *
hashed(Lower *l, IrExpr *h, const Val *v)
{
    if (v->type && v->type->kind == TY_TEXT)
        return text_hashed(l, h, v);
    if (v->type && v->type->kind == TY_REF)
        return mixed(l, h, hash_of_set(l, v));
    if (v->type && v->type->kind == TY_OBJ)
        return mixed(l, h, address_of(l, v));
    if (v->type && v->type->kind == TY_CHOICE)
        return mixed(l, h, age_of(l, v));
    for (int i = 0; v->kind == VK_TUPLE && i < v->n; i++)
        h = hashed(l, h, &v->elem[i]);
    if (v->kind != VK_SCALAR)
        return h;
    DType d = v->e->dtype;
    if (dtype_kind(d) < DK_FLOAT)
        return mixed(l, h, ir_cast(l->cx, DT_i64, v->e));
    IrExpr *e = val_freeze(&l->b, v->e), *part[2] = {e, NULL};
    if (dtype_is_complex(d)) {
        part[0] = ir_op(l->cx, OP_real, e);
        part[1] = ir_op(l->cx, OP_imag, again(l, e));
    }
    for (int i = 0; i < 2 && part[i]; i++) { /* -0.0 is 0.0 */
        IrExpr *x =
            ir_raw_op(l->cx, OP_add,
                      (IrExpr *[]){ir_cast(l->cx, DT_f64, part[i]), ir_float(l->cx, DT_f64, 0)});
        h = mixed(l, h, ir_op(l->cx, OP_bits, x, i64(l, 0)));
    }
    return h;
}

static IrExpr *
int_arg(Lower *l, const Call *c, int k)
{
    Val v = expr(l, c->arg[k]);
    return val_freeze(&l->b, val_expr(&l->b, &v, DT_i64));
}

/* put(o, g, i, at(p, h, k)) */
static bool
move_element(Lower *l, const Val *o, int group, const Call *c)
{
    const Call *from = sema_info(l->in, c->arg[3])->call;
    if (!from || from->kind != CALL_BUILTIN || from->fn->id != BI_heap_at)
        return false;
    int of = group_of(l, from);
    const Type *p = sema_info(l->in, from->arg[0])->type;
    if (heap_held(l->cx->types, o->type, group) != heap_held(l->cx->types, p, of))
        return false;
    Val v = expr(l, from->arg[0]);
    IrExpr *i = int_arg(l, c, 2), *k = int_arg(l, from, 2);
    heap_move(l, o, group, i, &v, of, k);
    return true;
}

static Val
default_of(Lower *l, const Node *n, const Type *t)
{
    const Call *before = sema_info(l->in, n)->before;
    if (before)
        return inst_call(l, before->inst, NULL);
    return t->kind == TY_REF ? heap_new(l, t)
                             : val_scalar(&l->b, t, ir_int(l->cx, (DType)t->dtype, 0));
}

static Val
row(Lower *l, const Node *n, const Call *c)
{
    const Type *t = type_before(sema_info(l->in, n));
    if (c->fn->id == BI_heap_chars || c->fn->id == BI_heap_text)
        return text_or_points(l, c, t);
    if (c->fn->id == BI_heap_longer)
        return text_longer(l, c, t);
    if (c->fn->id == BI_heap_locked)
        return val_convert(&l->b, expr(l, c->arg[0]), t);
    if (c->fn->id == BI_heap_alike)
        return text_alike(l, c, t);
    if (c->fn->id == BI_heap_paste)
        return text_paste(l, c);
    if (c->fn->id == BI_heap_keep || c->fn->id == BI_heap_kept)
        return heap_kept(l, c, t);
    if (c->fn->id == BI_heap_asked)
        return upcall_asked(l, n, c, t);
    if (c->fn->id == BI_heap_labels || c->fn->id == BI_heap_misfit)
        return val_const(&l->b, sema_info(l->in, n)->cst);
    Val o = expr(l, c->arg[0]), v;
    if (c->fn->id == BI_heap_rare || c->fn->id == BI_heap_address)
        return c->fn->id == BI_heap_rare ? o : int_val(l, address_of(l, &o));
    if (c->fn->id == BI_heap_same) {
        Val b = expr(l, c->arg[1]);
        IrVar *r = ir_overlap(&l->b, o.arr, b.arr);
        bool arrays = o.type->kind == TY_ARRAY;
        return val_scalar(&l->b, t,
                          ir_op(l->cx, arrays ? OP_eq : OP_ne, ir_use(l->cx, r),
                                ir_int(l->cx, DT_i32, arrays ? 2 : 0)));
    }
    int g = group_of(l, c),
        at = g < ((const HeapClass *)o.type->ref)->n_groups ? heap_column(o.type, g) : 0;
    switch (c->fn->id) {
    case BI_heap_new:
    case BI_heap_list_of:
        return heap_new(l, t);
    case BI_heap_default_of:
        return default_of(l, n, t);
    case BI_heap_word:
        return int_val(l, g == 0 ? heap_len(l, &o) : heap_word(l, o.arr, g));
    case BI_heap_set_word:
        heap_set_word(l, o.arr, g, int_arg(l, c, 2));
        return val_none(&l->b);
    case BI_heap_room:
        return int_val(l, heap_word(l, o.arr, at + 2));
    case BI_heap_grow:
        heap_grow(l, &o, g, int_arg(l, c, 2));
        return val_none(&l->b);
    case BI_heap_at:
        return heap_load(l, &o, g, int_arg(l, c, 2));
    case BI_heap_put:
        if (move_element(l, &o, g, c))
            return val_none(&l->b);
        v = pin(l, expr(l, c->arg[3]));
        heap_store(l, &o, g, int_arg(l, c, 2), &v);
        return val_none(&l->b);
    case BI_heap_fill:
        v = pin(l, expr(l, c->arg[3]));
        heap_fill(l, &o, g, int_arg(l, c, 2), &v);
        return val_none(&l->b);
    case BI_heap_clear:
        heap_store(l, &o, g, int_arg(l, c, 2), NULL);
        return val_none(&l->b);
    case BI_heap_hash_of: {
        v = val_convert(&l->b, pin(l, expr(l, c->arg[1])), o.type->elems[0]);
        if (sema_info(l->in, n)->before) /* an instance, whose class says it */
            v = inst_call(l, sema_info(l->in, n)->before->inst, &v);
        IrExpr *h = ir_cast(l->cx, DT_i64, hashed(l, ir_int(l->cx, DT_u64, 0), &v));
        return int_val(l, ir_op(l->cx, OP_and, h, i64(l, INT64_MAX)));
    }
    case BI_heap_column: {
        IrVar *col = heap_get_column(l, o.arr, at, heap_held(l->cx->types, o.type, g));
        return val_array(&l->b, t, col, false);
    }
    default:
        return val_none(&l->b);
    }
}

Val
heap_row(Lower *l, const Node *n, const Call *c)
{
    bool beyond = l->beyond;
    l->beyond = true;
    Val v = row(l, n, c);
    l->beyond = beyond;
    return v;
}
