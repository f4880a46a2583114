/* SPDX-License-Identifier: BSD-3-Clause
 * Operators. On numbers and arrays they are NumPy's ufuncs; what Python does otherwise is
 * arranged here: arithmetic of two Python bools is that of ints, a negative constant
 * exponent makes the power of ints a float, and constants are folded. */
#include "sema/calls.h"
#include "sema/fold.h"
#include <math.h>

static const BuiltinId binop_row[] = {
    [B_ADD] = BI_np_add,
    [B_SUB] = BI_np_subtract,
    [B_MUL] = BI_np_multiply,
    [B_DIV] = BI_np_divide,
    [B_FLOORDIV] = BI_np_floor_divide,
    [B_MOD] = BI_np_remainder,
    [B_POW] = BI_np_power,
    [B_MATMUL] = BI_np_matmul,
    [B_LSHIFT] = BI_np_left_shift,
    [B_RSHIFT] = BI_np_right_shift,
    [B_OR] = BI_np_bitwise_or,
    [B_XOR] = BI_np_bitwise_xor,
    [B_AND] = BI_np_bitwise_and,
};

static bool
is_whole(const Type *t)
{
    return dtype_is_int((DType)t->dtype) || t->dtype == DT_bool;
}

/* ---- binary ---------------------------------------------------------------------------------- */

static const Type *
as_int(Sema *s, const Type *t)
{
    bool b = is_weak(t) && t->dtype == DT_bool;
    return b ? type_scalar(s->tt, DT_i64, true) : t;
}

static bool
is_bit_op(int op)
{
    return op == B_OR || op == B_XOR || op == B_AND;
}

static bool
is_weak_int(const Type *t)
{
    return is_weak(t) && (t->dtype == DT_i64 || t->dtype == DT_bool);
}

bool
operand_settle_big(Sema *s, const Node *at, Sem *v, const Type *other, int way)
{
    if (!const_has_big(v->cst) || !is_numeric(v->type))
        return true;
    int k = is_numeric(other) ? dtype_kind((DType)other->dtype) : DK_BOOL;
    double x = v->cst->re;
    if (way != NEAREST && is_weak(other))
        x = big_round(v->cst, way);
    if ((k == DK_FLOAT || k == DK_COMPLEX) && isfinite(x)) {
        *v = sem_const(s, const_float(s, x));
        sema_set(s, at, *v);
        return true;
    }
    if (v->cst->dtype == DT_u64 && !v->cst->too_big && !is_weak(other) &&
        (k == DK_INT || k == DK_UINT))
        return true;
    big_report(s, at, v->cst);
    return false;
}

/* An int or a bool, beside a bool of NumPy's, or in `x | True`: the result has two types.
 */
static bool
two_results(int op, const Type *a, const Type *b)
{
    bool x = a->mixed && !a->ref, y = b->mixed && !b->ref;
    if (!x && !y)
        return false;
    bool bools = (x || a->dtype == DT_bool) && (y || b->dtype == DT_bool);
    return bools && (is_weak(a) && is_weak(b) ? is_bit_op(op) : op != B_DIV);
}

static Sem
concat_strings(Sema *s, const Const *a, const Const *b)
{
    char *text = arena_alloc(s->a, a->str_len + b->str_len + 1);
    Const *c = NEW(s->a, Const);
    memcpy(text, a->str, a->str_len);
    memcpy(text + a->str_len, b->str, b->str_len);
    text[a->str_len + b->str_len] = 0;
    *c = (Const){.kind = CV_STR, .str = text, .str_len = a->str_len + b->str_len};
    return sem_const(s, c);
}

Sem
expr_binop_values(Sema *s, const Node *at, int op, Sem a, Sem b, Call **out)
{
    *out = NULL;
    if (op == B_OR || op == B_AND || op == B_SUB || op == B_XOR) { /* of sets */
        site_beside(s, a.type, b.type);
        site_beside(s, b.type, a.type);
    }
    if (sem_bad(a) || sem_bad(b))
        return sema_unknown(s);
    a.type = type_value(a.type);
    b.type = type_value(b.type);
    if (at->kind == N_AugAssign && special_in_place(s, at, a.type, b.type))
        return sema_unknown(s);
    if (op == B_ADD && a.type->kind == TY_STR && b.type->kind == TY_STR && a.cst && b.cst)
        return concat_strings(s, a.cst, b.cst);
    Sem text = text_binop(s, at, op, a, b);
    if (text.type)
        return text;
    if (a.type->kind == TY_TUPLE || b.type->kind == TY_TUPLE)
        return tuple_binop(s, at, op, a, b);
    if (!is_numeric(a.type) || !is_numeric(b.type))
        return sema_bad_operands(s, at, op, operator_text(s, at, op), a.type, b.type);
    if (two_results(op, a.type, b.type)) {
        mixed_report(s, at, arena_printf(s->a, "'%s'", binop_text[op]), type_none(s->tt));
        return sema_unknown(s);
    }
    if (op == B_DIV && s->fr->in->def->int_divide && is_whole(a.type) && is_whole(b.type))
        op = B_FLOORDIV;
    Call *call = *out = NEW(s->a, Call);
    const Builtin *fn = &builtin_table[binop_row[op]];
    const Const *k = is_weak(a.type) && is_weak(b.type) ? fold_binop(s, op, a.cst, b.cst) : NULL;
    const Type *f64 = type_scalar(s->tt, DT_f64, false); /* what NumPy divides whole numbers in */
    bool quotient = op == B_DIV && is_weak(a.type) != is_weak(b.type);
    if (!k && (!operand_settle_big(s, at->kid[0], &a, quotient && is_whole(b.type) ? f64 : b.type,
                                   NEAREST) ||
               !operand_settle_big(s, at->kid[1], &b, quotient && is_whole(a.type) ? f64 : a.type,
                                   NEAREST)))
        return sema_unknown(s);
    const Type *t[2] = {a.type, b.type};
    const Const *c[2] = {a.cst, b.cst};
    call->kind = CALL_BUILTIN;
    call->fn = fn;
    bool weak = is_weak(t[0]) && is_weak(t[1]);
    for (int i = 0; i < 2; i++) /* NumPy takes a member of an IntEnum for an int of its own */
        if (type_is_int_member(t[i]))
            t[i] = type_scalar(s->tt, DT_i64, weak);
    if (weak && (!is_bit_op(op) || t[0]->dtype != t[1]->dtype)) {
        t[0] = as_int(s, t[0]);
        t[1] = as_int(s, t[1]);
    }
    int64_t e;
    if (op == B_POW && is_weak_int(t[0]) && is_weak_int(t[1]) && const_as_int(b.cst, &e) && e < 0)
        t[0] = t[1] = type_scalar(s->tt, DT_f64, true);
    if (op == B_POW)
        t[1] = exponent_type(s, t[0], t[1], b.cst);
    const Type *r = ufunc_type(s, at, fn, 2, t, c, call);
    if (!r)
        return sema_unknown(s);
    if (k && const_type(s->tt, k) != r)
        k = NULL;
    return (Sem){r, k};
}

/* [0] * 100000, which is too long to be written out. */
static bool
is_long(const Node *list, Sem v, Sem times)
{
    int64_t n;
    bool display = v.type->kind == TY_LIST && list->kind == N_List;
    return display && const_as_int(times.cst, &n) && list->n && n > TUPLE_REPEATED / list->n;
}

/* x + [1], [0] * n: a list is made when it runs. What is known, [0] * 3, is as good as a tuple. */
static bool
is_object_sum(const Node *e, Sem a, Sem b)
{
    if (sem_bad(a) || sem_bad(b))
        return false;
    if (a.type->kind == TY_REF || b.type->kind == TY_REF)
        return true;
    bool times =
        e->op == B_MUL && ((a.type->kind == TY_LIST && b.type->kind == TY_SCALAR && !b.cst) ||
                           (b.type->kind == TY_LIST && a.type->kind == TY_SCALAR && !a.cst));
    times |= e->op == B_MUL && (is_long(e->kid[0], a, b) || is_long(e->kid[1], b, a));
    return times || (e->op == B_ADD && a.type->kind == TY_LIST && b.type->kind == TY_LIST &&
                     (e->kid[0]->kind == N_ListComp || e->kid[1]->kind == N_ListComp));
}

const char *
operand_sequence(Sem v)
{
    return heap_is_list(v) ? "list" : "tuple";
}

static bool
is_tuple(Sem v)
{
    return v.type->kind == TY_TUPLE && !v.type->listed;
}

bool
operands_list_and_tuple(Sem a, Sem b)
{
    if (sem_bad(a) || sem_bad(b))
        return false;
    return (heap_is_list(a) && is_tuple(b)) || (heap_is_list(b) && is_tuple(a));
}

static bool
is_of_numbers(const Type *t)
{
    bool all =
        t->kind == TY_SCALAR || type_is_array(t) || t->kind == TY_TUPLE || t->kind == TY_LIST;
    for (int k = 0; all && (t->kind == TY_TUPLE || t->kind == TY_LIST) && k < t->n; k++)
        all = is_of_numbers(t->elems[k]);
    return all;
}

/* What stands beside an array in the operation `at`: of a display or tuple of numbers, the array
 * that NumPy makes of it. Its value is still a tuple, of which lowering makes that. */
Sem
sema_beside_array(Sema *s, const Node *at, const Node *e, Sem v)
{
    bool list = v.type->kind == TY_LIST;
    if (sem_bad(v) || (!list && v.type->kind != TY_TUPLE) || !is_of_numbers(v.type) ||
        special_has_operators(s, v.type))
        return v;
    v = list_as_elements(s, e, v, ALL_DEPTHS);
    CallCx x = {.s = s, .at = at, .fn = &builtin_table[BI_np_array]};
    DType d = DT_bool;
    int ndim = 0;
    const Type *t = v.type->kind == TY_TUPLE ? nested_array(&x, e, v.type, &d, &ndim) : v.type;
    return t ? sem_of(t) : sema_unknown(s);
}

void
operands_beside_array(Sema *s, const Node *x, Sem *a, const Node *y, Sem *b)
{
    if (sem_bad(*a) || sem_bad(*b))
        return;
    if (a->type->kind == TY_ARRAY)
        *b = sema_beside_array(s, y, y, heap_as_array(s, y, *b));
    else if (b->type->kind == TY_ARRAY && !sema_may_change(s, y))
        *a = heap_as_array(s, x, *a);
    if (b->type->kind == TY_ARRAY)
        *a = sema_beside_array(s, x, x, *a);
}

/* What can neither raise nor have an effect. */
static bool
is_quiet(const Node *e)
{
    bool is = e->kind == N_Name || e->kind == N_Const || e->kind == N_List;
    for (int i = 0; is && i < e->n; i++)
        is = is_quiet(e->kid[i]);
    return is || (e->kind == N_Attribute && e->kid[0]->kind == N_Name);
}

static bool
may_be_list(Sem v)
{
    return type_is_optional(v.type) && type_is_heap(type_value(v.type), &heap_list);
}

/* A field, say, that is a list or None, beside a list. */
static void
need_lists(Sema *s, const Node *e, Sem *a, Sem *b)
{
    if (e->op != B_ADD || sem_bad(*a) || sem_bad(*b))
        return;
    bool lists =
        may_be_list(*a) ? may_be_list(*b) || heap_is_list(*b) : may_be_list(*b) && heap_is_list(*a);
    if (!lists || (may_be_list(*a) && !is_quiet(e->kid[1]))) /* which Python evaluates first */
        return;
    *a = sema_need(s, e->kid[0], *a, "TypeError",
                   "unsupported operand type(s) for +: 'NoneType' and 'list'");
    *b = sema_need(s, e->kid[1], *b, "TypeError",
                   "can only concatenate list (not \"NoneType\") to list");
}

/* a ** k % m of ints, whose result is in range where the power itself may not be. Of a small
 * exponent that is known, a square say, it seldom is out of range. */
static bool
is_power_modulo(Sema *s, const Node *e, Sem m, const Node *arg[3])
{
    enum { SMALL_EXPONENT = 4 };
    const Node *p = e->kid[0];
    if (e->op != B_MOD || s->cx->opt->kernel || sem_bad(m) || !is_weak_int(m.type))
        return false;
    const Call *c = p->kind == N_Call ? info_of(s, p)->call : NULL;
    if (p->kind == N_BinOp && p->op == B_POW)
        arg[0] = p->kid[0], arg[1] = p->kid[1];
    else if (c && c->kind == CALL_BUILTIN && c->fn->id == BI_py_pow && c->n_args > 1 && !c->splat)
        arg[0] = c->arg[0], arg[1] = c->arg[1];
    else
        return false;
    arg[2] = e->kid[1];
    for (int i = 0; i < 2; i++) {
        Sem v = arg[i] ? sema_known(s, arg[i]) : (Sem){0};
        if (!v.type || sem_bad(v) || !is_weak_int(v.type))
            return false;
        int64_t k;
        if (i && v.cst && const_as_int(v.cst, &k) && k <= SMALL_EXPONENT)
            return false;
    }
    return true;
}

Sem
expr_binop(Sema *s, const Node *e)
{
    Sem a = sema_operand(s, e->kid[0]), b = sema_operand(s, e->kid[1]), own;
    if (s->either &&
        (either_binop(s, e, e->kid[0], a, e->kid[1], b, &own) || either_no_binop(s, e, a, b, &own)))
        return own;
    need_lists(s, e, &a, &b);
    if (e->op == B_ADD) {
        site_beside(s, a.type, b.type);
        site_beside(s, b.type, a.type);
    }
    operands_beside_array(s, e->kid[0], &a, e->kid[1], &b);
    if (e->op == B_ADD && !sem_bad(a) && !sem_bad(b) && heap_is_list(a) && heap_is_list(b)) {
        Sem sum = heap_add_fixed(s, e, a, b);
        if (sum.type)
            return sum;
    }
    const Node *power[3];
    if (is_power_modulo(s, e, b, power))
        return heap_call(s, e, "_power_modulo", 3, power);
    if (e->op == B_OR && keyed_merges(s, a, b))
        return heap_call(s, e, "_keyed_or", 2, (const Node *[]){e->kid[0], e->kid[1]});
    if (e->op == B_MOD && !sem_bad(a) && !sem_bad(b) && type_is_str(a.type)) {
        a = text_value(s, e->kid[0], a);
        return sem_bad(a) ? a : heap_call(s, e, "_str_percent", 2, (const Node *const *)e->kid);
    }
    if (e->op == B_MOD && !sem_bad(b) && type_is_bytes(a.type) &&
        !type_heap_has(type_value(b.type), HEAP_MAPS) && b.type->kind != TY_KEYED)
        return heap_call(s, e, "_bytes_percent", 2, (const Node *const *)e->kid);
    if (is_object_sum(e, a, b)) {
        a = heap_value(s, e->kid[0], a);
        b = heap_value(s, e->kid[1], b);
        return sem_bad(a) || sem_bad(b) ? sema_unknown(s) : heap_binop(s, e, e->op, a, b);
    }
    if (e->op == B_ADD && operands_list_and_tuple(a, b)) {
        return sema_bad_operands(s, e, e->op, "+", a.type, b.type);
    }
    a = list_as_elements(s, e->kid[0], a, ALL_DEPTHS);
    b = list_as_elements(s, e->kid[1], b, ALL_DEPTHS);
    if (special_binop(s, e, e->kid[0], a, e->kid[1], b, &own))
        return own;
    a.type = type_value(a.type); /* lowering asks, once it has both */
    b.type = type_value(b.type);
    /* heap_value looks at it again */
    bool sum = e->op == B_ADD || (e->op == B_MUL && (a.cst || b.cst));
    if (sum && (a.type->kind == TY_TUPLE || b.type->kind == TY_TUPLE) && !sem_bad(a) && !sem_bad(b))
        return tuple_binop(s, e, e->op, a, b);
    bool lists = a.type->kind != TY_ARRAY && b.type->kind != TY_ARRAY &&
                 (e->kid[0]->kind == N_List || e->kid[1]->kind == N_List);
    if (lists && !sem_bad(a) && !sem_bad(b)) {
        Diag *d = sema_error(s, DIAG_unsupported, e, "arithmetic on a list is not supported");
        diag_hint(s->diags, d, "make an array of it with np.array(...)");
        return sema_unknown(s);
    }
    Call *call = NULL;
    Sem v = expr_binop_values(s, e, e->op, a, b, &call);
    info_of(s, e)->call = call;
    return v;
}

/* ---- unary ----------------------------------------------------------------------------------- */

Sem
expr_unary(Sema *s, const Node *e)
{
    static const BuiltinId row[] = {BI_np_negative, BI_np_positive, BI_np_invert};
    if (e->op == U_NOT) {
        int t = sema_test(s, e->kid[0]);
        return (Sem){type_scalar(s->tt, DT_bool, true), t >= 0 ? const_bool(s, !t) : NULL};
    }
    Sem a = sema_operand(s, e->kid[0]), own;
    if (sem_bad(a))
        return a;
    if (s->either && (either_unary(s, e, a, &own) || either_no_unary(s, e, a, &own)))
        return own;
    if (special_unary(s, e, a, &own))
        return own;
    a = sema_need(s, e->kid[0], a, "TypeError", "bad operand type for unary %s: 'NoneType'",
                  unary_text[e->op]);
    if (!is_numeric(a.type)) {
        sema_type_error(s, e, "bad operand type for unary %s: %s", unary_text[e->op], a.type->text);
        return sema_unknown(s);
    }
    const Type *t = as_int(s, a.type);
    if (e->op == U_INVERT && is_weak(t) && t->dtype != DT_i64) {
        sema_type_error(s, e, "bad operand type for unary ~: %s", a.type->text);
        return sema_unknown(s);
    }
    Call *call = NEW(s->a, Call);
    call->kind = CALL_BUILTIN;
    call->fn = &builtin_table[row[e->op]];
    const Type *r = ufunc_type(s, e, call->fn, 1, &t, &a.cst, call);
    info_of(s, e)->call = call;
    if (!r)
        return sema_unknown(s);
    const Const *k = is_weak(t) ? fold_unary(s, e->op, a.cst) : NULL;
    if (!k && const_has_big(a.cst)) {
        big_report(s, e->kid[0], a.cst);
        return sema_unknown(s);
    }
    return (Sem){r, k};
}
