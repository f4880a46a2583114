/* SPDX-License-Identifier: BSD-3-Clause
 * Comparisons: which of them are NumPy's ufuncs, which are known when the function is compiled, and
 * which lowering does one element after the other. Takes the operands of a chain; yields what each
 * link is, in the node's Info. */
#include "sema/calls.h"
#include "sema/fold.h"

typedef struct Cmp { /* one link of a chain */
    const Node *at;
    int op;
    Sem a, b;
    const Node *a_at, *b_at;
    Call *call;
    Sem v;
} Cmp;

static Sem
known(Sema *s, bool v)
{
    return sem_const(s, const_bool(s, v));
}

static Sem
weak_bool(Sema *s)
{
    return sem_of(type_scalar(s->tt, DT_bool, true));
}

/* Of functions, or of what has some in it: a bool, or an error where each run of the function
 * around makes them anew. No type: it has none. */
static Sem
compare_functions(Sema *s, Cmp *c)
{
    const Type *a = c->a.type, *b = c->b.type, *x = type_value(a), *y = type_value(b);
    bool same = c->op == C_IS || c->op == C_EQ;
    if (!same && c->op != C_ISNOT && c->op != C_NE)
        return (Sem){0};
    if (choice_compares(s, a, b) < 0) {
        Diag *d = sema_error(s, DIAG_unsupported, c->at, "'%s' between %s and %s is not supported",
                             cmp_text[c->op], a->text, b->text);
        diag_hint(s->diags, d, "compare something that says which function it is");
        return sema_unknown(s);
    }
    bool of_defs =
        x->kind == TY_FUNC || x->kind == TY_CHOICE || y->kind == TY_FUNC || y->kind == TY_CHOICE;
    if (!of_defs || !type_is_function(x) || !type_is_function(y))
        return (Sem){0};
    if (type_is_optional(a) || type_is_optional(b) || x->kind == TY_CHOICE || y->kind == TY_CHOICE)
        return weak_bool(s);
    return known(s, (choice_compares(s, x, y) > 0) == same);
}

/* Numbers of classes that differ: one of both is a bool, or one an integer and the other none. */
static bool
numbers_of_unlike_classes(const Type *a, const Type *b)
{
    if (a->kind != TY_SCALAR || b->kind != TY_SCALAR || a->mixed || b->mixed || type_has_param(a) ||
        type_has_param(b))
        return false;
    DType x = (DType)a->dtype, y = (DType)b->dtype;
    return (x == DT_bool) != (y == DT_bool) || dtype_is_int(x) != dtype_is_int(y);
}

static Sem
compare_is(Sema *s, Cmp *c)
{
    const Type *a = c->a.type, *b = c->b.type;
    bool neg = c->op == C_ISNOT;
    if (a->kind == TY_NONE || b->kind == TY_NONE)
        return known(s, (a->kind == b->kind) != neg);
    if (a->kind != b->kind)
        return known(s, neg);
    if (a->kind == TY_ELLIPSIS)
        return known(s, (type_declines(a) == type_declines(b)) != neg);
    if (c->a.cst && c->b.cst && a->kind != TY_TUPLE && a->kind != TY_ARRAY)
        return known(s, const_equal(c->a.cst, c->b.cst) != neg);
    if (is_weak(a) && is_weak(b) && a->dtype == DT_bool && b->dtype == DT_bool)
        return weak_bool(s);
    if (type_is_int_member(a) && a == b)
        return weak_bool(s);
    if (numbers_of_unlike_classes(a, b))
        return known(s, neg);
    if ((type_is_int_member(a) && !b->mixed) || (type_is_int_member(b) && !a->mixed))
        return known(s, neg);
    if (a->kind == TY_FUNC && (a != b || !((const FuncDef *)a->ref)->parent))
        return known(s, (a == b) != neg); /* a def inside a function makes another at each run */
    Diag *d = sema_error(s, DIAG_unsupported, c->at, "'%s' between %s and %s is not supported",
                         cmp_text[c->op], a->text, b->text);
    diag_hint(s->diags, d, "compare values with == or !=");
    return sema_unknown(s);
}

/* 1 is equal to 1.0, and [1] is not equal to (1,). -1: what runs knows. */
static int
equal_values(Sema *s, const Const *a, const Const *b)
{
    bool one = a->kind != CV_TUPLE || b->kind != CV_TUPLE;
    if (one && (a->kind == b->kind || a->kind == CV_TUPLE || b->kind == CV_TUPLE ||
                a->kind == CV_STR || b->kind == CV_STR || const_equal(a, b))) {
        const Const *r = const_equal(a, b) ? NULL : fold_compare(s, C_EQ, a, b);
        return r ? r->b : const_equal(a, b);
    }
    if (one) {
        const Const *r = fold_compare(s, C_EQ, a, b);
        return r ? r->b : -1;
    }
    int same = a->is_list == b->is_list && a->n == b->n;
    for (int i = 0; same > 0 && i < a->n; i++)
        same = equal_values(s, a->elems[i], b->elems[i]);
    return same;
}

static int
const_in(Sema *s, const Const *item, const Const *in)
{
    int found = 0;
    for (int i = 0; i < in->n && found < 1; i++) {
        int same = equal_values(s, item, in->elems[i]);
        found = same ? same : found;
    }
    return found;
}

static bool
is_of_numpy(const Type *t)
{
    return (t->kind == TY_SCALAR && !t->weak) || t->kind == TY_ARRAY;
}

static bool
is_sequence(const Type *t)
{
    return t->kind == TY_TUPLE || t->kind == TY_LIST || t->kind == TY_RANGE ||
           type_is_heap(t, &heap_list);
}

/* A number of NumPy's and a sequence, of which it makes an array; or such a pair of elements. */
static bool
makes_array(const Type *a, const Type *b)
{
    if ((is_of_numpy(a) && is_sequence(b)) || (is_of_numpy(b) && is_sequence(a)))
        return true;
    for (int i = 0; a->kind == TY_TUPLE && b->kind == TY_TUPLE && i < a->n && i < b->n; i++)
        if (makes_array(a->elems[i], b->elems[i]))
            return true;
    return false;
}

static Sem
number_and_sequence(Sema *s, Cmp *c)
{
    Diag *d = sema_error(s, DIAG_unsupported, c->at, "'%s' of %s and %s is not supported",
                         cmp_text[c->op], c->a.type->text, c->b.type->text);
    diag_hint(s->diags, d, "make an array of the sequence with np.array(...)");
    return sema_unknown(s);
}

static Sem compare_others(Sema *s, Cmp *c);

/* A dtype is equal to what NumPy makes one of. */
static Sem
dtype_in(Sema *s, Cmp *c)
{
    bool any = false;
    for (int i = 0; i < c->b.type->n && !any; i++) {
        Cmp one = {.at = c->at, .op = C_EQ, .a = c->a, .b = tuple_elem(s, c->b, i)};
        Sem v = compare_others(s, &one);
        if (sem_bad(v))
            return v;
        any = v.cst && const_truth(v.cst) == 1;
    }
    return known(s, any != (c->op == C_NOTIN));
}

static Sem
compare_in(Sema *s, Cmp *c)
{
    c->b = iter_resumed(s, c->b_at, c->b);
    const Type *a = c->a.type, *b = c->b.type;
    bool neg = c->op == C_NOTIN;
    if (a->kind == TY_DTYPE && b->kind == TY_TUPLE)
        return dtype_in(s, c);
    if (a->kind == TY_STR && b->kind == TY_STR && c->a.cst && c->b.cst)
        return known(s, (memmem(c->b.cst->str, c->b.cst->str_len, c->a.cst->str,
                                c->a.cst->str_len) != NULL) != neg);
    if (type_is_str(a) && type_is_str(b))
        return weak_bool(s);
    if (type_is_bytes(b))
        return bytes_in(s, c->at, a);
    if (type_is_str(b)) {
        sema_type_error(s, c->at, "'in <string>' requires string as left operand, not %s",
                        python_name(s, a));
        return sema_unknown(s);
    }
    if (type_has_param(a) || type_has_param(b)) {
        time_refuse(s, c->at, arena_printf(s->a, "'%s'", cmp_text[c->op]),
                    type_has_param(a) ? a : b);
        return sema_unknown(s);
    }
    for (int i = 0; b->kind == TY_TUPLE && i < b->n; i++)
        if (makes_array(a, b->elems[i]))
            return number_and_sequence(s, c);
    if (b->kind == TY_TUPLE && c->at->n == 2 && (either_within(a) || either_within(b)))
        return heap_call(s, c->at, neg ? "_fixed_lacks" : "_fixed_contains", 2,
                         (const Node *[]){c->b_at, c->a_at});
    if (b->kind == TY_TUPLE) {
        int in =
            c->a.cst && c->b.cst && a->kind != TY_SCALAR ? const_in(s, c->a.cst, c->b.cst) : -1;
        if (in >= 0)
            return known(s, in != neg);
        if (b->n == 0)
            return known(s, neg);
        return weak_bool(s);
    }
    if (sema_is_later(s, c->b_at, c->b))
        return sema_unknown(s);
    if (b->kind == TY_ITER && c->at->n == 2) {
        const Node *arg[2] = {c->b_at, c->a_at};
        return heap_call(s, c->at, neg ? "_iter_lacks" : "_iter_contains", 2, arg);
    }
    bool whole = a->kind == TY_SCALAR && dtype_kind((DType)a->dtype) <= DK_UINT;
    if ((b->kind == TY_ARRAY && a->kind == TY_SCALAR) || (b->kind == TY_RANGE && whole))
        return weak_bool(s);
    if (b->kind == TY_RANGE && a->kind == TY_SCALAR && c->at->n == 2)
        return heap_call(s, c->at, neg ? "_range_lacks" : "_range_contains", 2,
                         (const Node *[]){c->b_at, c->a_at});
    if (b->kind == TY_RANGE && (type_is_str(a) || a->kind == TY_TUPLE || a->kind == TY_NONE))
        return known(s, neg);
    if (b->kind == TY_SCALAR && b->weak)
        sema_type_error(s, c->at, "argument of type '%s' is not iterable", b->text);
    else
        sema_error(s, DIAG_unsupported, c->at, "'%s' with %s on its right is not supported",
                   cmp_text[c->op], b->text);
    return sema_unknown(s);
}

static Sem
compare_numbers(Sema *s, Cmp *c)
{
    static const BuiltinId row[] = {
        [C_EQ] = BI_np_equal,      [C_NE] = BI_np_not_equal, [C_LT] = BI_np_less,
        [C_LE] = BI_np_less_equal, [C_GT] = BI_np_greater,   [C_GE] = BI_np_greater_equal,
    };
    bool weak = is_weak(c->a.type) && is_weak(c->b.type);
    const Const *r_cst = weak ? fold_compare(s, c->op, c->a.cst, c->b.cst) : NULL;
    int up = c->op == C_LT || c->op == C_GE ? 1 : c->op == C_GT || c->op == C_LE ? -1 : 0;
    if (!r_cst && (!operand_settle_big(s, c->a_at, &c->a, c->b.type, -up) ||
                   !operand_settle_big(s, c->b_at, &c->b, c->a.type, up)))
        return sema_unknown(s);
    const Type *t[2] = {c->a.type, c->b.type};
    const Const *k[2] = {c->a.cst, c->b.cst};
    bool order = c->op != C_EQ && c->op != C_NE;
    if (weak && order && (t[0]->dtype == DT_c128 || t[1]->dtype == DT_c128)) {
        sema_type_error(s, c->at, "'%s' is not defined between %s and %s", cmp_text[c->op],
                        t[0]->text, t[1]->text);
        return sema_unknown(s);
    }
    c->call = NEW(s->a, Call);
    c->call->kind = CALL_BUILTIN;
    c->call->fn = &builtin_table[row[c->op]];
    const Type *r = ufunc_type(s, c->at, c->call->fn, 2, t, k, c->call);
    if (!r)
        return sema_unknown(s);
    if (weak)
        r = type_scalar(s->tt, DT_bool, true);
    return (Sem){r, r_cst};
}

static bool
is_dtype(const Type *t)
{
    return t->kind == TY_DTYPE;
}

/* Tuples are ordered by their first elements that differ: each pair must have an order.
 */
static bool
can_order(Sema *s, Cmp *c, const Type *a, const Type *b)
{
    for (int i = 0; i < a->n && i < b->n; i++) {
        const Type *x = a->elems[i], *y = b->elems[i];
        if (x->kind == TY_TUPLE && y->kind == TY_TUPLE) {
            if (!can_order(s, c, x, y))
                return false;
            continue;
        }
        bool numbers = x->kind == TY_SCALAR && y->kind == TY_SCALAR;
        if ((type_is_str(x) && type_is_str(y)) || (x == y && type_is_bytes(x)))
            continue;
        if (numbers && x->dtype != DT_c128 && y->dtype != DT_c128)
            continue;
        sema_type_error(s, c->at, "'%s' is not defined between %s and %s (element %d)",
                        cmp_text[c->op], x->text, y->text, i);
        return false;
    }
    return true;
}

/* NumPy compares each element with it. */
static Sem
array_and_other(Sema *s, Cmp *c, bool none)
{
    Diag *d = sema_error(s, DIAG_unsupported, c->at, "'%s' of an array and %s is not supported",
                         cmp_text[c->op], none ? "None" : "a string");
    if (none)
        diag_hint(s->diags, d, "ask with `is None`");
    return sema_unknown(s);
}

/* NumPy makes a dtype of the other, if it can. */
static Sem
dtype_and_other(Sema *s, Cmp *c, const Type *dtype, Sem v)
{
    bool neg = c->op == C_NE, text = type_is_str(v.type);
    DType d = DT_f64; /* of None */
    if (text && (!v.cst || !dtype_from_name(v.cst->str, &d))) {
        Diag *g = sema_error(s, DIAG_unsupported, c->at, "'%s' of a dtype and this string",
                             cmp_text[c->op]);
        diag_hint(s->diags, g, "name the dtype: x.dtype == np.float64");
        return sema_unknown(s);
    }
    bool other = !text && v.type->kind != TY_NONE;
    return known(s, (!other && d == (DType)dtype->dtype) != neg);
}

static bool
is_dtype_object(const Type *t)
{
    return t->kind == TY_DTYPE && !t->readonly; /* no class: x.dtype, np.dtype("f8") */
}

static Sem
compare_others(Sema *s, Cmp *c)
{
    const Type *a = c->a.type, *b = c->b.type;
    bool neg = c->op == C_NE;
    bool eq = c->op == C_EQ || c->op == C_NE;
    bool sequences = is_sequence(a) || is_sequence(b);
    if (sequences && (type_has_param(a) || type_has_param(b))) {
        time_refuse(s, c->at, arena_printf(s->a, "'%s'", cmp_text[c->op]),
                    type_has_param(a) ? a : b);
        return sema_unknown(s);
    }
    if (makes_array(a, b))
        return number_and_sequence(s, c);
    if (eq && a->kind == TY_RANGE && b->kind == TY_RANGE && c->at->n == 2)
        return heap_call(s, c->at, neg ? "_range_ne" : "_range_eq", 2,
                         (const Node *[]){c->a_at, c->b_at});
    if (eq && a->kind == TY_SLICE && b->kind == TY_SLICE && c->at->n == 2)
        return heap_call(s, c->at, neg ? "_slice_ne" : "_slice_eq", 2,
                         (const Node *[]){c->a_at, c->b_at});
    if (a->kind == TY_TUPLE && b->kind == TY_TUPLE) {
        if (eq && a->n != b->n)
            return known(s, neg);
        static const char *const order[] = {
            [C_EQ] = "_tuple_eq", [C_NE] = "_tuple_ne", [C_LT] = "_tuple_lt",
            [C_LE] = "_tuple_le", [C_GT] = "_tuple_gt", [C_GE] = "_tuple_ge"};
        const Node *arg[2] = {c->a_at, c->b_at};
        bool first = a->n && b->n && special_has_order(s, a->elems[0], b->elems[0], C_LT);
        bool each = special_in_tuple(s, a, !eq) && special_in_tuple(s, b, !eq);
        if (c->at->n == 2 && ((each && (eq || first)) || either_within(a) || either_within(b)))
            return heap_call(s, c->at, order[c->op], 2, arg);
        return eq || can_order(s, c, a, b) ? weak_bool(s) : sema_unknown(s);
    }
    if (eq && is_dtype(a) && is_dtype(b)) {
        /* a.dtype is equal to both of these, and they are not equal */
        bool apart = a->readonly && b->readonly && a->weak != b->weak;
        return known(s, (a->dtype == b->dtype && !apart) != neg);
    }
    if (eq && is_dtype_object(a))
        return dtype_and_other(s, c, a, c->b);
    if (eq && is_dtype_object(b))
        return dtype_and_other(s, c, b, c->a);
    bool record = (a->kind == TY_RECORD) != (b->kind == TY_RECORD);
    if (eq && record && a->kind != TY_NONE && b->kind != TY_NONE) {
        Diag *d = sema_error(s, DIAG_unsupported, c->at, "'%s' of records and other values",
                             cmp_text[c->op]);
        diag_hint(s->diags, d, "compare their fields");
        return sema_unknown(s);
    }
    if (a->kind == TY_STR && b->kind == TY_STR && c->a.cst && c->b.cst) {
        const Const *k = fold_compare(s, c->op, c->a.cst, c->b.cst);
        if (k)
            return sem_const(s, k);
    }
    bool same = (type_is_str(a) && type_is_str(b)) || (a == b && type_is_bytes(a));
    if (same && c->op <= C_GE)
        return weak_bool(s);
    bool str = (a->kind == TY_STR && !c->a.cst) || (b->kind == TY_STR && !c->b.cst);
    bool none = a->kind == TY_NONE || b->kind == TY_NONE;
    bool bytes = type_is_bytes(a) || type_is_bytes(b);
    bool text = type_is_str(a) || type_is_str(b) || bytes;
    if (eq && bytes && a->kind == b->kind) /* a str and bytes */
        return known(s, neg);
    if (eq && (none || text) && (type_is_array(a) || type_is_array(b)))
        return array_and_other(s, c, none);
    bool number = (a->kind == TY_SCALAR && !a->weak) || (b->kind == TY_SCALAR && !b->weak);
    if (eq && !str && text && number) /* NumPy's bool */
        return (Sem){type_scalar(s->tt, DT_bool, false), const_bool(s, neg)};
    if (eq && !str && a->kind != b->kind && (none || (!type_is_array(a) && !type_is_array(b))))
        return known(s, neg);
    if (eq && c->a.cst && c->b.cst)
        return known(s, const_equal(c->a.cst, c->b.cst) != neg);
    return sema_bad_order(s, c->at, cmp_text[c->op], a, b);
}

static Sem compare_optional(Sema *s, Cmp *c);

static Sem
compare_one(Sema *s, Cmp *c)
{
    if (sem_bad(c->a) || sem_bad(c->b) ||
        !special_in_compare(s, c->at, c->a.type, c->b.type, c->op))
        return sema_unknown(s);
    if (c->at->n > 2 && (c->a.type->kind == TY_KEYED || c->b.type->kind == TY_KEYED)) {
        sema_error(s, DIAG_unsupported, c->at, "a chain of comparisons of dicts");
        return sema_unknown(s);
    }
    if (c->a.type->kind == TY_STR && !c->a.cst)
        c->a = text_value(s, c->a_at, c->a);
    if (c->b.type->kind == TY_STR && !c->b.cst)
        c->b = text_value(s, c->b_at, c->b);
    if (sem_bad(c->a) || sem_bad(c->b))
        return sema_unknown(s);
    bool texts = (type_is_str(c->a.type) && type_is_str(c->b.type)) ||
                 (c->a.type == c->b.type && type_is_bytes(c->a.type));
    if ((c->op == C_IS || c->op == C_ISNOT) && texts && !(c->a.cst && c->b.cst)) {
        Diag *d = sema_error(s, DIAG_unsupported, c->at, "'%s' of strings", cmp_text[c->op]);
        diag_hint(s->diags, d, "write %s", c->op == C_IS ? "==" : "!=");
        return sema_unknown(s);
    }
    text_compares(s, c->at, c->a.type, c->b.type, c->op);
    Sem functions = compare_functions(s, c);
    if (functions.type)
        return functions;
    if (type_is_optional(c->a.type) || type_is_optional(c->b.type))
        return compare_optional(s, c);
    if (c->op == C_IS || c->op == C_ISNOT)
        return compare_is(s, c);
    if (c->op == C_IN || c->op == C_NOTIN)
        return compare_in(s, c);
    operands_beside_array(s, c->a_at, &c->a, c->b_at, &c->b);
    if (sem_bad(c->a) || sem_bad(c->b))
        return sema_unknown(s);
    if (is_numeric(c->a.type) && is_numeric(c->b.type))
        return compare_numbers(s, c);
    return compare_others(s, c);
}

/* Equality of lists and dicts that may be None is a function of the library. */
static Sem
maybe_objects(Sema *s, Cmp *c)
{
    static const char *const name[] = {[C_EQ] = "_maybe_eq",
                                       [C_NE] = "_maybe_ne",
                                       [C_IS] = "_maybe_is",
                                       [C_ISNOT] = "_maybe_is_not"};
    const Node *arg[2] = {c->a_at, c->b_at};
    if (c->at->n == 2)
        return heap_call(s, c->at, name[c->op], 2, arg);
    sema_error(s, DIAG_unsupported, c->at, "a chain of comparisons of lists that may be None");
    return sema_unknown(s);
}

/* Of what may be None: equality asks the tags, too; an order raises for None, once lowering has
 * both. */
static Sem
compare_optional(Sema *s, Cmp *c)
{
    const Type *a = c->a.type, *b = c->b.type;
    bool both = type_is_optional(a) && type_is_optional(b);
    bool equality = c->op == C_EQ || c->op == C_NE || c->op == C_IS || c->op == C_ISNOT;
    bool identity = c->op == C_IS || c->op == C_ISNOT;
    c->a.type = type_value(a);
    c->b.type = type_value(b);
    bool array = type_is_array(c->a.type) || type_is_array(c->b.type);
    if (equality && array && !identity)
        return array_and_other(s, c, true);
    if (equality && (a->kind == TY_NONE || b->kind == TY_NONE))
        return weak_bool(s);
    if (type_class(a) || type_class(b)) {
        sema_error(s, DIAG_unsupported, c->at, "a chain of comparisons of instances");
        return sema_unknown(s);
    }
    if (equality && (type_has_param(a) || type_has_param(b))) {
        time_refuse(s, c->at, arena_printf(s->a, "'%s'", cmp_text[c->op]),
                    type_is_optional(a) ? a : b);
        return sema_unknown(s);
    }
    if (equality && (c->a.type->kind == TY_REF || c->b.type->kind == TY_REF))
        return maybe_objects(s, c);
    Sem v = compare_one(s, c);
    if (v.cst && (both || !equality))
        v.cst = NULL;
    return v;
}

/* a < b < c is (a < b) and (b < c): what the links yield has to be a single bool. */
static Sem
chain(Sema *s, const Node *e, const Cmp *c, int n)
{
    bool weak = true, all = true;
    for (int i = 0; i < n; i++) {
        const Type *t = c[i].v.type;
        if (t->kind == TY_UNKNOWN)
            return c[i].v;
        if (t->kind == TY_ARRAY && t->ndim > 0) {
            Diag *d = sema_error(s, DIAG_value, e, "the truth value of an array (%s) is ambiguous",
                                 t->text);
            diag_hint(s->diags, d, "write (a < b) & (b < c)");
            return sema_unknown(s);
        }
        weak &= is_weak(t);
        if (all && c[i].v.cst && const_truth(c[i].v.cst) == 0)
            return c[i].v;
        all &= c[i].v.cst && const_truth(c[i].v.cst) == 1;
    }
    return all ? c[n - 1].v : sem_of(type_scalar(s->tt, DT_bool, weak));
}

/* A list and a tuple are never equal, and have no order. */
static Sem
compare_apart(Sema *s, const Node *e, Sem a, Sem b)
{
    int op = e->ops[0];
    if (op == C_EQ || op == C_NE || op == C_IS || op == C_ISNOT)
        return known(s, op == C_NE || op == C_ISNOT);
    return sema_bad_order(s, e, cmp_text[op], a.type, b.type);
}

/* A list or dict from outside, as the constant that it is in the code, and one at run time. */
static bool
may_be_one(const Type *constant, const Type *t)
{
    return t->kind == TY_REF &&
           (constant->kind == TY_KEYED || (constant->kind == TY_TUPLE && constant->listed));
}

/* Where both were one object, they are none here: as if it didn't compile with the constant. */
static bool
is_of_constant(Sema *s, const Node *e, Sem a, Sem b)
{
    int op = e->ops[0];
    bool is = op == C_IS || op == C_ISNOT;
    if (!is || (!may_be_one(a.type, b.type) && !may_be_one(b.type, a.type)))
        return false;
    sema_error(s, DIAG_unsupported, e, "'%s' of a list or dict that can't change", cmp_text[op]);
    return true;
}

static bool
refuses_chain(Sema *s, const Node *e, const Type *a, const Type *b)
{
    return either_refuse(s, e, "a chain of comparisons", either_within(a) ? a : b);
}

/* Two operands where a value is of one type or another, or one is asked of each type. */
static bool
compares_either(Sema *s, const Node *e, Sem a, Sem b, Sem *out)
{
    return s->either && (either_compared(s, e, a, b, out) || either_no_compare(s, e, a, b, out));
}

/* x is True, where x is surely no bool. */
static bool
is_no_flag(Sema *s, const Node *e, Sem left, Sem right, Sem *out)
{
    int op = e->ops[0];
    const Type *t = left.type;
    bool flag = (op == C_IS || op == C_ISNOT) && right.cst && right.cst->kind == CV_BOOL;
    bool number = t->kind == TY_SCALAR && t->dtype != DT_bool && !t->mixed;
    if (!flag || e->kid[0]->kind != N_Name || !(number || t->kind == TY_KEYED))
        return false;
    *out = sem_const(s, const_bool(s, op == C_ISNOT));
    return true;
}

/* One comparison of two operands, by what one of them is. False: by the types of both; *left may be
 * another then. */
static bool
compare_two(Sema *s, const Node *e, Sem *left, Sem *out)
{
    const Node *k = e->kid[1];
    Sem right = sema_operand(s, k);
    int op = e->ops[0];
    bool holds = op == C_IN || op == C_NOTIN;
    if (compares_either(s, e, *left, right, out) || is_no_flag(s, e, *left, right, out))
        return true;
    site_compared(s, op, left->type, right.type);
    if (holds && type_is_optional(right.type) && right.type->elems[1]->kind == TY_REF)
        right = sema_need(s, k, right, "TypeError", "argument of type 'NoneType' is not iterable");
    *out = sema_unknown(s);
    if (!sem_bad(right) && is_of_constant(s, e, *left, right))
        return true;
    if (raised_compare(s, e, *left, right, out) || keyed_compare(s, e, *left, right, out) ||
        special_compare(s, e, *left, right, out) || object_compare(s, e, *left, right, out))
        return true;
    if (op <= C_GE)
        operands_beside_array(s, e->kid[0], left, k, &right);
    *out = heap_compare_lists(s, e, op, *left, right);
    if (out->type)
        return true;
    if (list_is_mixed(s, e->kid[0], *left))
        *left = heap_value(s, e->kid[0], *left);
    if (list_is_mixed(s, k, right))
        right = heap_value(s, k, right);
    bool maybe = (type_is_optional(left->type) && left->type->elems[1]->kind == TY_REF) ||
                 (type_is_optional(right.type) && right.type->elems[1]->kind == TY_REF);
    if (maybe && !holds) {
        Cmp may = {.at = e, .op = op, .a_at = e->kid[0], .b_at = k};
        may.a = heap_value(s, e->kid[0], *left);
        may.b = heap_value(s, k, right);
        *out = sem_bad(may.a) || sem_bad(may.b) ? sema_unknown(s) : compare_optional(s, &may);
        return true;
    }
    if (left->type->kind != TY_REF && right.type->kind != TY_REF)
        return false;
    if (left->type->kind == TY_REF && !holds)
        right = heap_value(s, k, right);
    else
        *left = heap_value(s, e->kid[0], *left);
    *out =
        sem_bad(*left) || sem_bad(right) ? sema_unknown(s) : heap_compare(s, e, op, *left, right);
    return true;
}

Sem
expr_compare(Sema *s, const Node *e)
{
    int n = e->n - 1;
    Cmp *c = NEW_N(s->a, Cmp, n);
    Sem one;
    if (n == 1 &&
        (either_compare(s, e, &one) || family_compare(s, e, &one) || class_compare(s, e, &one)))
        return one;
    Sem left = sema_operand(s, e->kid[0]);
    bool calls = false;
    if (n == 1 && !sem_bad(left) && compare_two(s, e, &left, &one))
        return one;
    Sem whole = left;
    left = list_as_elements(s, e->kid[0], left, ALL_DEPTHS);
    for (int i = 0; i < n; i++) {
        const Node *k = e->kid[i + 1];
        Sem right = n == 1 && !sem_bad(left) ? sema_known(s, k) : sema_operand(s, k);
        if (n > 1 && refuses_chain(s, e, left.type, right.type))
            return sema_unknown(s);
        site_compared(s, e->ops[i], left.type, right.type);
        bool apart =
            e->ops[i] != C_IN && e->ops[i] != C_NOTIN && operands_list_and_tuple(whole, right);
        if (apart && n == 1)
            return compare_apart(s, e, whole, right);
        if (n > 1 && heap_is_list(whole) && heap_is_list(right) && heap_is_made(s, k, right))
            left = heap_value(s, e->kid[i], whole);
        if (n > 1 && heap_is_list(whole) && heap_is_list(right) &&
            heap_is_made(s, e->kid[i], whole))
            right = heap_value(s, k, right);
        whole = right;
        right = list_as_elements(s, k, right, ALL_DEPTHS);
        if (left.type->kind == TY_REF || right.type->kind == TY_REF)
            return heap_compare(s, e, e->ops[i], left, right);
        c[i] = (Cmp){.at = e, .op = e->ops[i], .a = left, .b = right, .a_at = e->kid[i], .b_at = k};
        c[i].v = compare_one(s, &c[i]);
        calls |= c[i].call != NULL;
        left = right;
    }
    if (calls) {
        Info *info = info_of(s, e);
        info->calls = NEW_N(s->a, Call *, n);
        for (int i = 0; i < n; i++)
            info->calls[i] = c[i].call;
    }
    return n == 1 ? c[0].v : chain(s, e, c, n);
}
