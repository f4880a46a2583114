/* SPDX-License-Identifier: BSD-3-Clause
 * Instances of classes: fields are words of an object (type/object.c). A number is a word's bits, a
 * reference to an array or another object is followed by get and put. Where a field may not be set,
 * a word before it says whether it is. */
#include "lower/internal.h"

typedef struct Field {
    const ObjClass *c;
    int k, part; /* the next part that is asked for */
    IrVar *o;
} Field;

static const ObjField *
field_of(const Field *f)
{
    return &f->c->field[f->k];
}

static int
next_word(Field *f)
{
    return object_word(f->c, f->k, f->part++);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static DType
bits_of(DType d)
{
    return d == DT_f64 ? DT_i64 : d == DT_f32 ? DT_i32 : DT_i16;
}

static IrExpr *
number_in(Lower *l, IrExpr *word, DType d)
{
    if (!dtype_is_float(d))
        return ir_cast(l->cx, d, word);
    return ir_op(l->cx, OP_bits, ir_cast(l->cx, bits_of(d), word), ir_float(l->cx, d, 0));
}

static IrExpr *
load_number(Lower *l, IrVar *o, int w, DType d)
{
    if (!dtype_is_complex(d))
        return number_in(l, heap_word(l, o, w), d);
    DType r = dtype_real(d);
    return ir_op(l->cx, OP_mkcomplex, number_in(l, heap_word(l, o, w), r),
                 number_in(l, heap_word(l, o, w + 1), r));
}

static IrExpr *
word_of(Lower *l, IrExpr *e)
{
    DType d = (DType)e->dtype;
    if (dtype_is_float(d))
        e = ir_op(l->cx, OP_bits, e, ir_int(l->cx, bits_of(d), 0));
    return ir_cast(l->cx, DT_i64, e);
}

static void
store_number(Lower *l, IrVar *o, int w, IrExpr *e)
{
    if (!dtype_is_complex((DType)e->dtype)) {
        heap_set_word(l, o, w, word_of(l, e));
        return;
    }
    e = val_freeze(&l->b, e);
    heap_set_word(l, o, w, word_of(l, ir_op(l->cx, OP_real, e)));
    heap_set_word(l, o, w + 1, word_of(l, ir_op(l->cx, OP_imag, again(l, e))));
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Of what is held apart, and of iterators, the parts: a function of the library has none, its type
 * says what it is. -1: it is something else. */
static int
held_parts(Lower *l, const Type *t, const Type **out)
{
    if (t->kind == TY_ITER)
        return type_iter_parts(l->cx->types, t, out);
    int n = type_is_held_apart(t) ? t->n : -1;
    for (int i = 0; i < n; i++)
        out[i] = t->elems[i];
    return n;
}

/* Else its type says what it is: a module. */
static bool
has_words(const Type *t)
{
    return t->kind == TY_SCALAR || t->kind == TY_ARRAY || t->kind == TY_REF || t->kind == TY_OBJ;
}

static Val
load_part(Lower *l, Field *f, const Type *t)
{
    if (type_has_parts(t)) {
        Val *elem = NEW_N(&l->cx->arena, Val, t->n + 1);
        for (int k = 0; k < t->n; k++)
            elem[k] = load_part(l, f, t->elems[k]);
        return val_tuple(&l->b, t, t->n, elem);
    }
    const Type *held[64];
    int n = held_parts(l, t, held);
    if (n >= 0) {
        Val *elem = NEW_N(&l->cx->arena, Val, n + 1);
        for (int k = 0; k < n; k++)
            elem[k] = load_part(l, f, held[k]);
        return val_tuple(&l->b, t, n, elem);
    }
    int w = next_word(f);
    if (!has_words(t))
        return (Val){.kind = VK_NONE, .type = t};
    if (t->kind == TY_SCALAR)
        return val_scalar(&l->b, t, load_number(l, f->o, w, (DType)t->storage));
    IrVar *v;
    if (t->kind == TY_ARRAY) {
        v = ir_array_var(l->b.f, field_of(f)->name, (DType)t->storage, t->ndim, (Layout)t->layout);
        v->readonly = t->readonly != RO_NO;
    } else {
        v = heap_var(l, field_of(f)->name, t);
    }
    ir_get(&l->b, v, f->o, i64(l, w));
    Val r = val_array(&l->b, t, v, false);
    r.temp = true;
    return r;
}

static Val
load_field(Lower *l, Field f)
{
    const ObjField *of = field_of(&f);
    if (of->maybe) {
        IrExpr *there = ir_op(l->cx, OP_ne, heap_word(l, f.o, next_word(&f)), i64(l, 0));
        Arena *a = &l->cx->arena;
        const char *text =
            f.c->resumed
                ? arena_printf(a,
                               "cannot access local variable '%s' where it is not "
                               "associated with a value",
                               ast_shown(a, of->name))
                : arena_printf(a, "'%s' object has no attribute '%s'", f.c->name, of->name);
        check(l, there, f.c->resumed ? "UnboundLocalError" : "AttributeError", text);
    }
    return load_part(l, &f, type_resolve(l->cx->types, of->type));
}

Val
object_load(Lower *l, Val o, int field)
{
    return load_field(l, (Field){.c = type_class(o.type), .k = field, .o = o.arr});
}

static void
store_part(Lower *l, Field *f, const Type *t, const Val *v)
{
    if (t->kind == TY_TEXT) {
        Val own = text_owned(l, *v);
        ir_put(&l->b, f->o, i64(l, next_word(f)), own.elem[0].arr);
        return;
    }
    if (type_has_parts(t)) {
        for (int k = 0; k < t->n; k++)
            store_part(l, f, t->elems[k], &v->elem[k]);
        return;
    }
    const Type *held[64];
    int n = held_parts(l, t, held);
    for (int k = 0; k < n; k++)
        store_part(l, f, held[k], &v->elem[k]);
    if (n >= 0)
        return;
    int w = next_word(f);
    if (t->kind == TY_SCALAR)
        store_number(l, f->o, w, val_expr(&l->b, v, (DType)t->storage));
    else if (has_words(t))
        ir_put(&l->b, f->o, i64(l, w), v->arr);
}

/* A field of few bits takes a NumPy integer of more as it takes a Python one: it has to fit. */
static Val
as_python_ints(Lower *l, Val v, const Type *t)
{
    t = type_resolve(l->cx->types, t);
    const Type *of = v.type && v.type->kind == TY_OPTIONAL ? NULL : v.type;
    if (t->kind == TY_OPTIONAL && of)
        t = type_resolve(l->cx->types, t->elems[1]);
    if (t->kind == TY_SCALAR && v.kind == VK_SCALAR && of && !t->weak && dtype_is_int(t->storage) &&
        dtype_is_int(of->storage) && !dtype_can_cast_safely(of->storage, t->storage))
        return val_scalar(&l->b, type_scalar(l->cx->types, DT_i64, true),
                          val_expr(&l->b, &v, DT_i64));
    if (v.kind != VK_TUPLE || v.n != t->n || !t->elems)
        return v;
    Val *elem = NEW_N(&l->cx->arena, Val, v.n + 1);
    for (int i = 0; i < v.n; i++)
        elem[i] = as_python_ints(l, v.elem[i], t->elems[i]);
    v.elem = elem;
    return v;
}

void
object_set(Lower *l, Val o, int field, Val v)
{
    Field f = {.c = type_class(o.type), .k = field, .o = o.arr};
    const ObjField *of = field_of(&f);
    const Type *t = type_resolve(l->cx->types, of->type);
    v = pin(l, val_convert(&l->b, as_python_ints(l, v, t), t));
    if (of->maybe)
        heap_set_word(l, f.o, next_word(&f), i64(l, 1));
    store_part(l, &f, t, &v);
}

/* ---- instances ------------------------------------------------------------------------------- */

static void
set_fields(Lower *l, const Call *c, Val o)
{
    const ObjClass *cls = type_class(o.type);
    Val *v = NEW_N(&l->cx->arena, Val, cls->n + 1), splat = {0};
    if (c->splat)
        splat = expr(l, c->splat);
    for (int i = 0; i < cls->n; i++)
        v[i] = pin(l, one_arg(l, c, i, &splat, any_later_impure(l, c, i + 1)));
    for (int i = 0; i < cls->n; i++)
        object_set(l, o, i, v[i]);
}

/* C(...): its own argument, self, is the call itself. */
Val
object_make(Lower *l, const Node *n, const Call *c)
{
    Val o = val_object(&l->b, c->makes);
    o.fresh = false;
    /* a statement in the call may end what it has made */
    map_put(&l->cx->arena, &l->kept, o.arr, o.arr);
    if (c->kind == CALL_TUPLE_CLASS) {
        set_fields(l, c, o);
    } else if (c->inst) {
        map_put(&l->cx->arena, &l->given, n, arena_dup(&l->cx->arena, &o, sizeof o));
        lower_call_inst(l, n, c);
        map_put(&l->cx->arena, &l->given, n, NULL);
    }
    map_put(&l->cx->arena, &l->kept, o.arr, NULL);
    return o;
}

/* Which field of o n names: o.x, or o["x"] of a dict. */
static int
field_at(Lower *l, const Node *n, const Val *o)
{
    Sym name = n->kind == N_Subscript ? sema_info(l->in, n->kid[1])->cst->str : n->name;
    return object_field(type_class(o->type), name);
}

/* Is its value, which is known and a tuple, what its object's class or a module has, and no part of
 * the object, whose parts are values that have been computed? */
bool
object_has_constant(Lower *l, const Node *n)
{
    const Type *of = sema_info(l->in, n->kid[0])->type;
    if (of->kind == TY_ARRAY || of->kind == TY_RECORD || of->kind == TY_KEYED)
        return false;
    for (int i = 0; of->kind == TY_TUPLE && i < of->n; i++)
        if (of->names && of->names[i] == n->name)
            return false;
    return of->kind != TY_OBJ || object_field(type_class(of), n->name) < 0;
}

Val
object_attr(Lower *l, const Node *n, Val o)
{
    int k = field_at(l, n, &o);
    return k < 0 ? val_none(&l->b) : object_load(l, o, k);
}

void
object_assign(Lower *l, const Node *t, Val v)
{
    const Info *info = sema_info(l->in, t);
    v = pin(l, v);
    Val o = expr(l, t->kid[0]);
    if (t->kind == N_Subscript && type_class(o.type)->dict) {
        o = pin(l, o);
        known_effects(l, t->kid[1]);
        object_set(l, o, field_at(l, t, &o), v);
    } else if (t->kind == N_Subscript) {
        o = pin(l, o);
        Val arg[3] = {o, pin(l, expr(l, t->kid[1])), v};
        inst_call(l, info->call->inst, arg);
    } else if (info->call) {
        inst_call(l, info->call->inst, (Val[]){o, v});
    } else {
        object_set(l, o, object_field(type_class(o.type), t->name), v);
    }
}

void
object_update(Lower *l, const Node *n)
{
    const Node *t = n->kid[0];
    const Info *info = sema_info(l->in, n);
    Val o = pin(l, expr(l, t->kid[0]));
    int k = field_at(l, t, &o);
    if (t->kind == N_Subscript)
        known_effects(l, t->kid[1]);
    if (info->call && info->call->kind == CALL_INST) { /* of a list it changes that */
        Val v = lower_call(l, n);
        if (info->type->kind != TY_NONE)
            object_set(l, o, k, v);
        return;
    }
    Val old = object_load(l, o, k);
    if (impure(l, n->kid[1]) || old.kind == VK_ARRAY)
        old = pin(l, old);
    Val r = expr(l, n->kid[1]);
    need_operands(l, n->op, true, &old, &r);
    Val v = binop_into(l, n, info->call, old, r, info->type);
    if (old.kind == VK_ARRAY && type_is_array(old.type)) { /* in place, as NumPy does */
        np_assign_out(&l->b, &old, v);
        return;
    }
    object_set(l, o, k, v);
}

/* ---- identity -------------------------------------------------------------------------------- */

static IrExpr *
same_object(Lower *l, const Val *a, const Val *b)
{
    const Val *x = type_is_optional(a->type) ? &a->elem[1] : a,
              *y = type_is_optional(b->type) ? &b->elem[1] : b;
    if (type_class(a->type) != type_class(b->type))
        return ir_int(l->cx, DT_bool, false);
    IrVar *r = ir_overlap(&l->b, x->arr, y->arr);
    return ir_op(l->cx, OP_ne, ir_use(l->cx, r), ir_int(l->cx, DT_i32, 0));
}

bool
object_compares(Lower *l, int op, const Val *a, const Val *b, IrExpr **out)
{
    bool none = val_is_none(a) || val_is_none(b);
    if (none || (!type_class(a->type) && !type_class(b->type)))
        return false;
    IrExpr *same = same_object(l, a, b);
    if (type_is_optional(a->type) || type_is_optional(b->type))
        same = equal_tags(l, a, b, same);
    *out = op == C_NE || op == C_ISNOT ? ir_op(l->cx, OP_inv, same) : same;
    return true;
}
