/* SPDX-License-Identifier: BSD-3-Clause
 * Values that may be None: a tag, and the value behind it. Takes what sema says is known of them,
 * and where a value is needed; yields the value, behind a test that raises what CPython raises. */
#include "lower/internal.h"
#include <math.h>

static bool
maybe_none(const Val *v)
{
    return v->type && type_is_optional(v->type);
}

static IrExpr *
some(Lower *l, const Val *v)
{
    return maybe_none(v) ? again(l, v->elem[0].e) : ir_int(l->cx, DT_bool, !val_is_none(v));
}

Val
narrowed(Lower *l, Val v, const Type *t)
{
    if (!t || v.type == t || v.kind != VK_TUPLE)
        return v;
    if (maybe_none(&v) && !type_is_optional(t))
        return t->kind == TY_NONE ? val_none(&l->b) : narrowed(l, v.elem[1], t);
    if (v.type->kind == TY_EITHER)
        return val_convert(&l->b, v, t);
    if (v.type->kind != t->kind || !type_is_held_apart(t) || v.n != t->n)
        return v;
    Val out = val_tuple(&l->b, t, v.n, v.elem);
    for (int i = 0; i < v.n; i++)
        out.elem[i] = narrowed(l, v.elem[i], t->elems[i]);
    return out;
}

Val
needed(Lower *l, Val v, const Need *need)
{
    if (need->iterates) {
        if (maybe_none(&v)) {
            check(l, some(l, &v), need->exc, need->text);
            v = v.elem[1];
        }
        return iter_over(l, need->table ? inst_call(l, need->table, &v) : v);
    }
    if (need->table) {
        Val param[2] = {v, need->with ? val_const(&l->b, need->with) : val_none(&l->b)};
        Val made = inst_call(l, need->table, param);
        if (made.kind == VK_ARRAY && type_is_row(need->from)) /* a store asks each number */
            made.made_of = type_resolve(l->cx->types, need->from)->elems[0];
        return made;
    }
    if (!maybe_none(&v))
        return v;
    check(l, some(l, &v), need->exc, need->text);
    return v.elem[1];
}

/* An instance says so itself; None is not true. */
IrExpr *
truth_asked(Lower *l, const Inst *method, Val v)
{
    v = pin(l, v);
    if (!type_is_optional(v.type)) {
        Val r = inst_call(l, method, &v);
        return val_truth(&l->b, &r);
    }
    IrVar *t = ir_temp(&l->b, val_expr(&l->b, &v.elem[0], DT_bool));
    IrStmt *s = ir_if(&l->b, ir_use(l->cx, t));
    IrBlock *save = l->b.at;
    l->b.at = &s->body;
    Val r = inst_call(l, method, &v.elem[1]);
    ir_set(&l->b, t, val_truth(&l->b, &r));
    l->b.at = save;
    return ir_use(l->cx, t);
}

/* `a or b` of operands of which some say by a function whether they are true. */
Val
boolop_asked(Lower *l, const Node *n, const Type *t, int from)
{
    const Info *i = sema_info(l->in, n->kid[from]);
    int known = i->cst ? const_truth(i->cst) : -1;
    bool last = from + 1 == n->n || sema_info(l->in, n->kid[from + 1])->dead;
    if (!last && known >= 0 && known != n->op) {
        known_effects(l, n->kid[from]);
        return boolop_asked(l, n, t, from + 1); /* known not to be the result */
    }
    Val v = pin(l, expr(l, n->kid[from]));
    if (last)
        return val_convert(&l->b, v, t);
    IrExpr *is = i->truth ? truth_asked(l, i->truth->inst, v)
                 : v.type->kind == TY_REF
                     ? ir_op(l->cx, OP_ne, heap_len(l, &v), ir_int(l->cx, DT_i64, 0))
                     : val_truth(&l->b, &v);
    Val slot = val_slot(l, t, "t");
    IrBlock *save = l->b.at;
    IrStmt *s = ir_if(&l->b, n->op ? is : ir_op(l->cx, OP_inv, is));
    l->b.at = &s->body;
    slot_store(l, &slot, val_convert(&l->b, v, t));
    l->b.at = &s->els;
    slot_store(l, &slot, boolop_asked(l, n, t, from + 1));
    l->b.at = save;
    return slot;
}

/* ---- operators ------------------------------------------------------------------------------- */

/* What CPython's messages call a value; see python_name in sema/narrow.c. */
static const char *
named(Lower *l, const Type *t, bool typed)
{
    static const char *const kind[] = {"bool", "int", "int", "float", "complex"};
    bool number = t->kind == TY_SCALAR || t->kind == TY_ARRAY;
    if (type_is_optional(t))
        return named(l, t->elems[1], typed);
    if (t->kind == TY_NONE)
        return "NoneType";
    if (number && typed && !t->weak)
        return t->kind == TY_ARRAY
                   ? "numpy.ndarray"
                   : arena_printf(&l->cx->arena, "numpy.%s", dtype_info[t->storage].name);
    if (number)
        return kind[dtype_kind((DType)t->storage)];
    if (t->kind == TY_TUPLE && t->names)
        return arena_printf(&l->cx->arena, "%.*s", (int)strcspn(t->text, "("), t->text);
    return t->kind == TY_TUPLE ? "tuple" : t->kind == TY_KEYED ? "dict" : t->text;
}

/* The class of the k-th operand, which its tag, value k of the message, decides. */
static const char *
operand_text(Lower *l, const Val *v, int k, bool typed)
{
    const char *name = named(l, v->type, typed);
    return maybe_none(v) ? arena_printf(&l->cx->arena, "%%%d?%s%%|NoneType%%.", k, name) : name;
}

/* Neither is None; else a TypeError with this text. */
static void
both(Lower *l, Val *a, Val *b, const char *text)
{
    IrExpr *args[2] = {ir_cast(l->cx, DT_i64, some(l, a)), ir_cast(l->cx, DT_i64, some(l, b))};
    IrExpr *ok = maybe_none(a) && maybe_none(b) ? ir_op(l->cx, OP_and, some(l, a), some(l, b))
                                                : some(l, maybe_none(a) ? a : b);
    ir_check(&l->b, ok, ir_site(l->b.mod, "TypeError", text, l->b.span), 2, args);
    *a = maybe_none(a) ? a->elem[1] : *a;
    *b = maybe_none(b) ? b->elem[1] : *b;
}

/* Its operators answer for the other operand, too. */
static bool
is_numpy(const Type *t)
{
    return type_is_array(t) || (t->kind == TY_SCALAR && !t->weak);
}

void
need_operands(Lower *l, int op, bool in_place, Val *a, Val *b)
{
    if (!maybe_none(a) && !maybe_none(b))
        return;
    const Type *ta = type_value(a->type), *tb = type_value(b->type);
    const char *x = operand_text(l, a, 0, op == B_MATMUL),
               *y = operand_text(l, b, 1, op == B_MATMUL);
    bool own = in_place && !(maybe_none(a) && is_numpy(tb)) && !(maybe_none(b) && is_numpy(ta));
    const char *text = binop_text[op],
               *format = "unsupported operand type(s) for %s%s: '%s' and '%s'";
    if (op == B_POW && !own)
        text = "** or pow()";
    if (op == B_MOD) /* a percent sign in a format */
        text = "%%";
    if (op == B_ADD && ta->kind == TY_TUPLE && !maybe_none(a))
        both(l, a, b, "can only concatenate tuple (not \"NoneType\") to tuple");
    else if (op == B_MUL && (ta->kind == TY_TUPLE || tb->kind == TY_TUPLE) &&
             !(maybe_none(a) && maybe_none(b)) && maybe_none(ta->kind == TY_TUPLE ? b : a))
        both(l, a, b, "can't multiply sequence by non-int of type 'NoneType'");
    else
        both(l, a, b, arena_printf(&l->cx->arena, format, text, own ? "=" : "", x, y));
}

/* NumPy's numbers answer for None on their left: with the comparison turned around. */
static const char *
order_text(Lower *l, int op, const Val *a, const Val *b)
{
    static const char *const turned[] = {[C_LT] = ">", [C_LE] = ">=", [C_GT] = "<", [C_GE] = "<="};
    const Type *tb = type_value(b->type);
    const char *x = operand_text(l, a, 0, false), *y = operand_text(l, b, 1, false);
    Arena *arena = &l->cx->arena;
    const char *plain = arena_printf(arena, "'%s' not supported between instances of '%s' and '%s'",
                                     cmp_text[op], x, y);
    if (!maybe_none(a) || !is_numpy(tb))
        return plain;
    const char *back =
        arena_printf(arena, "'%s' not supported between instances of '%s' and 'NoneType'",
                     turned[op], named(l, tb, false));
    return maybe_none(b) ? arena_printf(arena, "%%1?%s%%|%s%%.", back, plain) : back;
}

void
need_order(Lower *l, int op, Val *a, Val *b)
{
    if (maybe_none(a) || maybe_none(b))
        both(l, a, b, order_text(l, op, a, b));
}

/* `value in container`: the container has to be one. */
void
need_container(Lower *l, Val *b)
{
    if (!maybe_none(b))
        return;
    check(l, some(l, b), "TypeError", "argument of type 'NoneType' is not iterable");
    *b = b->elem[1];
}

/* One of them may be None. `same`: of the values behind the tags. */
IrExpr *
equal_tags(Lower *l, const Val *a, const Val *b, IrExpr *same)
{
    Cx *cx = l->cx;
    IrExpr *x = some(l, a), *y = some(l, b);
    if (!same) /* one is None, whatever the other holds */
        return ir_op(cx, OP_inv, val_is_none(a) ? y : x);
    if (!maybe_none(a) || !maybe_none(b))
        return ir_op(cx, OP_and, maybe_none(a) ? x : y, same);
    IrExpr *as_many = ir_op(cx, OP_eq, again(l, x), y);
    return ir_op(cx, OP_and, as_many, ir_op(cx, OP_or, ir_op(cx, OP_inv, x), same));
}

/* ---- in arrays ------------------------------------------------------------------------------- */

static IrExpr *
nan_of(Lower *l, DType d)
{
    return dtype_is_complex(d) ? ir_complex(l->cx, d, NAN, 0) : ir_float(l->cx, d, NAN);
}

/* What a[i] = v stores: NumPy takes None for a NaN, and for False. */
Val
stored(Lower *l, Val v, DType d)
{
    if (!maybe_none(&v))
        return v;
    if (d == DT_bool)
        return val_scalar(&l->b, type_scalar(l->cx->types, DT_bool, true), val_truth(&l->b, &v));
    if (dtype_is_int(d)) {
        check(l, some(l, &v), "TypeError",
              "int() argument must be a string, a bytes-like object or a real number, not "
              "'NoneType'");
        return v.elem[1];
    }
    IrExpr *e = ir_op(l->cx, OP_select, some(l, &v), val_expr(&l->b, &v.elem[1], d), nan_of(l, d));
    return val_scalar(&l->b, type_scalar(l->cx->types, d, false), e);
}

/* The parts of a slice, of which None is as good as none: the end that the step's sign asks for. */
void
slice_parts(Lower *l, Val *start, Val *stop, Val *step)
{
    Cx *cx = l->cx;
    const Type *t = type_scalar(cx->types, DT_i64, true);
    if (maybe_none(step))
        *step = val_scalar(&l->b, t,
                           val_freeze(&l->b, ir_op(cx, OP_select, some(l, step),
                                                   val_clipped(&l->b, &step->elem[1]), i64(l, 1))));
    bool back = step->kind == VK_SCALAR;
    Val *part[2] = {start, stop};
    for (int i = 0; i < 2; i++) {
        if (!maybe_none(part[i]))
            continue;
        IrExpr *end = i64(l, i ? INT64_MAX : 0);
        if (back) {
            IrExpr *down = ir_op(cx, OP_lt, val_clipped(&l->b, step), i64(l, 0));
            end = ir_op(cx, OP_select, down, i64(l, i ? INT64_MIN : INT64_MAX), end);
        }
        IrExpr *e =
            ir_op(cx, OP_select, some(l, part[i]), val_clipped(&l->b, &part[i]->elem[1]), end);
        *part[i] = val_scalar(&l->b, t, val_freeze(&l->b, e));
    }
}
