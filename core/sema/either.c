/* SPDX-License-Identifier: BSD-3-Clause
 * Values of one type or another (type/either.c): what is done with them. A test of a class rules
 * some of the types out, as one for None does; where one is left, the value is of that. Anything
 * else is asked of what is there, by a function of the library that is compiled for each type
 * (lib/eithers.py). The hard part is what some of them have not: Python's TypeError is raised when
 * it runs, if it is certain that Python has no such operator, else it is refused here. */
#include "sema/calls.h"

bool
either_is(const Type *t)
{
    return type_value(t)->kind == TY_EITHER;
}

bool
either_within(const Type *t)
{
    bool is = either_is(t);
    for (int i = 0; t->kind == TY_TUPLE && !is && i < t->n; i++)
        is = either_within(t->elems[i]);
    return is;
}

/* Something had no common type: if all fails, it is to be of one or another. */
void
either_want(Sema *s)
{
    s->want_either |= !s->either;
}

bool
either_asks(const Sema *s)
{
    const FuncDef *f = s->fr->in->def;
    return s->either && f->is_lib && f->name[0] == '_' && strstr(f->name, "_from");
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Is a value of type t, of which Python says that it is an instance of cls, of no class below? */
static bool
is_exactly(Sema *s, const Type *t, Sem cls)
{
    const Builtin *b = cls.type->kind == TY_BUILTIN ? cls.type->ref : NULL;
    if (cls.cst && cls.cst->kind == CV_CLASS)
        return type_class(t) && type_class(t)->generic == cls.cst->obj->generic;
    if (cls.cst && cls.cst->kind == CV_TUPLE_CLASS)
        return t->ref == cls.cst->ref;
    if (t->kind == TY_SCALAR && (!t->weak || t->names))
        return cls.type->kind == TY_DTYPE && !cls.type->weak && t->dtype == cls.type->dtype;
    if (t->kind == TY_SCALAR && cls.type->kind == TY_DTYPE)
        return cls.type->dtype == t->dtype;
    if (t->kind == TY_SCALAR && b)
        return b->op == (int)t->dtype;
    if (t->kind == TY_REF && b)
        return !strcmp(((const HeapClass *)t->ref)->name, b->name);
    return !t->names;
}

/* The members that are instances of a class, as bits. False after an error. */
static bool
members_of(CallCx *x, const Type *t, Sem cls, bool exact, uint64_t *out)
{
    *out = 0;
    for (int i = 0; i < t->n; i++) {
        const Type *m = t->elems[i]->elems[1];
        int is = py_is_instance(x, m, cls.type, cls.cst);
        if (is < 0)
            return false;
        if (is && (!exact || is_exactly(x->s, m, cls)))
            *out |= 1ull << i;
    }
    return true;
}

static uint64_t
all_of(const Type *t)
{
    return (1ull << t->n) - 1;
}

/* isinstance(x, cls): it is of one of these members. */
const Type *
either_isinstance(CallCx *x, Sem v, Sem cls)
{
    const Type *t = type_value(v.type);
    if (!members_of(x, t, cls, false, &x->c->members))
        return NULL;
    if (!x->c->members || (x->c->members == all_of(t) && !type_is_optional(v.type)))
        x->cst = const_bool(x->s, x->c->members != 0);
    return type_scalar(x->s->tt, DT_bool, true);
}

/* x of type(x); NULL: it is no such call. */
static const Node *
asked(Sema *s, const Node *n)
{
    const Node *fn = n->kind == N_Call && n->n == 2 ? n->kid[0] : NULL;
    if (!fn || fn->kind != N_Name || n->kid[1]->kind == N_Keyword || n->kid[1]->kind == N_Starred)
        return NULL;
    const Type *t = sema_expr(s, fn).type;
    const Builtin *b = t->kind == TY_BUILTIN ? t->ref : NULL;
    return b && b->id == BI_py_type ? n->kid[1] : NULL;
}

/* type(x) is C, type(x) == C. False: it is something else. */
bool
either_compare(Sema *s, const Node *e, Sem *out)
{
    int op = e->ops[0];
    bool is = op == C_IS || op == C_EQ, ask = is || op == C_ISNOT || op == C_NE;
    const Node *x = s->either && ask && e->n == 2 ? asked(s, e->kid[0]) : NULL;
    Sem v = x ? sema_expr(s, x) : (Sem){0};
    if (!x || !either_is(v.type))
        return false;
    Sem cls = sema_expr(s, e->kid[1]);
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_BUILTIN, .fn = &builtin_table[BI_py_isinstance], .n_args = 2};
    c->arg = NEW_N(s->a, const Node *, 2);
    c->arg[0] = x;
    c->arg[1] = e->kid[1];
    CallCx cx = {.s = s, .at = e, .fn = c->fn, .c = c};
    *out = sema_unknown(s);
    if (sem_bad(cls) || !members_of(&cx, type_value(v.type), cls, true, &c->members))
        return true;
    c->unless = !is;
    info_of(s, e)->call = c;
    *out = sem_of(type_scalar(s->tt, DT_bool, true));
    return true;
}

/* What is left of a type where a test of its members has come out so, or NULL: it tells nothing of
 * such a type. */
const Type *
either_left(Sema *s, const Type *t, const Call *c, bool truth)
{
    const Type *v = type_value(t);
    if (v->kind != TY_EITHER)
        return NULL;
    bool in = truth != c->unless;
    const Type *left = type_either_of(s->tt, v, in ? c->members : ~c->members);
    bool none = type_is_optional(t) && !in;
    return none && left->kind != TY_NONE ? type_optional(s->tt, left) : left;
}

/* ---- what is asked of what is there ---------------------------------------------------------- */

static Sem
apply(Sema *s, const Node *e, const char *by, const char *f, int n, const Node *const *arg)
{
    return either_apply(s, e, by, heap_lib_named(s, f), n, arg);
}

static const char *const binop_name[] = {
    [B_ADD] = "add",           [B_SUB] = "sub", [B_MUL] = "mul", [B_DIV] = "truediv",
    [B_FLOORDIV] = "floordiv", [B_MOD] = "mod", [B_POW] = "pow", [B_MATMUL] = "matmul",
    [B_AND] = "and",           [B_OR] = "or",   [B_XOR] = "xor", [B_LSHIFT] = "lshift",
    [B_RSHIFT] = "rshift"};

/* Of arrays and numbers alone? Nobody asks of which dtype one is: the names that have two are told.
 */
static bool
of_numpy(const Type *t)
{
    t = type_value(t);
    bool all = t->kind == TY_SCALAR || t->kind == TY_ARRAY || t->kind == TY_EITHER;
    for (int i = 0; t->kind == TY_EITHER && all && i < t->n; i++)
        all = of_numpy(t->elems[i]->elems[1]);
    return all;
}

static Sem
refused(Sema *s, const Node *e, const char *what, const Type *t)
{
    Diag *d = sema_error(s, DIAG_unsupported, e, "%s of a value that is %s", what, t->text);
    s->either_refused |= !of_numpy(t);
    diag_hint(s->diags, d, "ask which it is first, with isinstance(x, ...)");
    return sema_unknown(s);
}

/* May Python change it where it stands? */
static bool
may_change(const Type *t)
{
    bool may = t->kind == TY_REF || t->kind == TY_ARRAY || t->kind == TY_OBJ;
    for (int i = 0; t->kind == TY_EITHER && !may && i < t->n; i++)
        may = may_change(t->elems[i]->elems[1]);
    return may;
}

/* a + b, x += b, where one is of one type or another. False: neither is. */
bool
either_binop(Sema *s, const Node *e, const Node *an, Sem a, const Node *bn, Sem b, Sem *out)
{
    if (sem_bad(a) || sem_bad(b) || !(either_is(a.type) || either_is(b.type)))
        return false;
    bool in_place = e->kind == N_AugAssign, left = either_is(a.type);
    const Node *arg[2] = {an, bn};
    const char *op = arena_printf(s->a, "%s%s", binop_text[e->op], in_place ? "=" : "");
    const char *text = strchr(op, '%') ? arena_printf(s->a, "%%%s", op) : op;
    if (in_place && (may_change(a.type))) {
        *out = refused(s, e, op, a.type);
        return true;
    }
    if (left)
        sema_need(s, an, a, "TypeError", "unsupported operand type(s) for %s: 'NoneType' and '%s'",
                  text, python_name(s, b.type));
    else
        sema_need(s, bn, b, "TypeError", "unsupported operand type(s) for %s: '%s' and 'NoneType'",
                  text, python_name(s, a.type));
    *out = apply(s, e, left ? "_either_left" : "_either_right",
                 arena_printf(s->a, "_on_%s%s", in_place ? "i" : "", binop_name[e->op]), 2, arg);
    return true;
}

/* Comparisons of two, but for `is`. */
bool
either_compared(Sema *s, const Node *e, Sem a, Sem b, Sem *out)
{
    static const char *const name[] = {
        [C_EQ] = "_on_eq", [C_NE] = "_on_ne", [C_LT] = "_on_lt",       [C_LE] = "_on_le",
        [C_GT] = "_on_gt", [C_GE] = "_on_ge", [C_IN] = "_on_contains", [C_NOTIN] = "_on_lacks"};
    int op = e->ops[0];
    if (sem_bad(a) || sem_bad(b) || !(either_is(a.type) || either_is(b.type)))
        return false;
    if (a.type->kind == TY_NONE || b.type->kind == TY_NONE)
        return false;
    const Const *flag = op == C_IS || op == C_ISNOT ? b.cst : NULL;
    if (flag && flag->kind == CV_BOOL && either_is(a.type)) {
        *out = heap_call(s, e, op == C_IS ? "_either_is_flag" : "_either_is_no_flag", 2,
                         (const Node *const *)e->kid);
        return true;
    }
    if (op == C_IS || op == C_ISNOT) {
        *out = refused(s, e, cmp_text[op], either_is(a.type) ? a.type : b.type);
        return true;
    }
    bool in = op == C_IN || op == C_NOTIN, left = in ? !either_is(b.type) : either_is(a.type);
    bool equality = op == C_EQ || op == C_NE;
    if (equality && (type_is_optional(a.type) || type_is_optional(b.type))) {
        *out = heap_call(s, e, op == C_EQ ? "_equal_or_none" : "_unequal_or_none", 2,
                         (const Node *const *)e->kid);
        return true;
    }
    if (in && left && type_is_optional(a.type) && !either_is(b.type)) {
        *out = heap_call(s, e, op == C_IN ? "_contains_or_none" : "_lacks_or_none", 2,
                         (const Node *const *)e->kid);
        return true;
    }
    if (in && left && !type_is_optional(a.type)) {
        *out = apply(s, e, "_either_left", name[op], 2, (const Node *const *)e->kid);
        return true;
    }
    if (left && !in)
        sema_need(s, e->kid[0], a, "TypeError",
                  "'%s' not supported between instances of 'NoneType' and '%s'", cmp_text[op],
                  python_name(s, b.type));
    else if (!left && !in)
        sema_need(s, e->kid[1], b, "TypeError",
                  "'%s' not supported between instances of '%s' and 'NoneType'", cmp_text[op],
                  python_name(s, a.type));
    else if (in && either_is(b.type))
        sema_need(s, e->kid[1], b, "TypeError", "argument of type 'NoneType' is not iterable");
    if (in && left) {
        *out = refused(s, e, cmp_text[op], a.type);
        return true;
    }
    *out = apply(s, e, left ? "_either_left" : "_either_right", name[op], 2,
                 (const Node *const *)e->kid);
    return true;
}

/* a, b = x of what has elements by their numbers, if any. */
bool
either_has_parts(const Sema *s, const Type *t, int n)
{
    bool has = s->either && t->kind == TY_EITHER && n >= 1 && n <= 4, any = false;
    for (int i = 0; has && i < t->n; i++) {
        const Type *m = t->elems[i]->elems[1];
        bool row = m->kind == TY_TUPLE && !m->names;
        row |= type_is_heap(m, &heap_list) || type_is_heap(m, &heap_tuple) || type_is_str(m);
        any |= row;
        has = row || (m->kind == TY_SCALAR && m->weak && !m->names);
    }
    return has && any;
}

bool
either_unary(Sema *s, const Node *e, Sem a, Sem *out)
{
    static const char *const name[] = {
        [U_NEG] = "_on_neg", [U_POS] = "_on_pos", [U_INVERT] = "_on_invert"};
    if (sem_bad(a) || !either_is(a.type))
        return false;
    sema_need(s, e->kid[0], a, "TypeError", "bad operand type for unary %s: 'NoneType'",
              unary_text[e->op]);
    *out = apply(s, e, "_either_one", name[e->op], 1, (const Node *const *)e->kid);
    return true;
}

/* x[k]; in the library that is what it is, if it is of its k-th type. */
bool
either_subscript(Sema *s, const Node *e, Sem v, Sem idx, Sem *out)
{
    int64_t k;
    if (v.type->kind == TY_EITHER && either_asks(s) && const_as_int(idx.cst, &k) && k >= 0 &&
        k < v.type->n) {
        *out = sem_of(v.type->elems[k]);
        return true;
    }
    if (!either_is(v.type) && !either_is(idx.type))
        return false;
    if (either_is(v.type))
        sema_need(s, e->kid[0], v, "TypeError", "'NoneType' object is not subscriptable");
    else if (type_is_optional(idx.type)) {
        *out = refused(s, e->kid[1], "an index", idx.type);
        return true;
    }
    *out = apply(s, e, either_is(v.type) ? "_either_left" : "_either_right", "_on_getitem", 2,
                 (const Node *const *)e->kid);
    return true;
}

/* int(x), float(x), bool(x) */
bool
either_cast(Sema *s, const Node *e, Sem v, const Type *to, Sem *out)
{
    if (sem_bad(v) || !either_is(v.type))
        return false;
    bool one = to->weak && e->n == 2 && !type_is_optional(v.type);
    const char *f = to->dtype == DT_i64    ? "_on_int"
                    : to->dtype == DT_f64  ? "_on_float"
                    : to->dtype == DT_bool ? "_on_bool"
                                           : NULL;
    *out = one && f ? apply(s, e, "_either_one", f, 1, (const Node *const *)e->kid + 1)
                    : refused(s, e, "a conversion", v.type);
    return true;
}

bool
either_refuse(Sema *s, const Node *e, const char *what, const Type *t)
{
    if (either_within(t))
        refused(s, e, what, t);
    return either_within(t);
}

/* The method that stands for what Python asks of such a value; NULL: it is refused. */
const Method *
either_method(const Sema *sema, const char *name)
{
    static const char *const names[][2] = {{"__bool__", "_either_bool"},
                                           {"__str__", "_either_str"},
                                           {"__repr__", "_either_repr"},
                                           {"__hash__", "_either_hash"}};
    Sema *s = (Sema *)(uintptr_t)sema;
    for (int i = 0; i < SW_LEN(names); i++) {
        const FuncDef *fd = strcmp(name, names[i][0]) ? NULL : heap_lib_named(s, names[i][1]);
        if (!fd)
            continue;
        Method *m = NEW(s->a, Method);
        *m = (Method){.name = name, .def = (FuncDef *)(uintptr_t)fd};
        return m;
    }
    return NULL;
}

/* Does a function of Python's math ask which number it is given? */
static bool
keeps_ints(const char *name)
{
    static const char *const names[] = {"floor", "ceil",      "trunc", "gcd",   "lcm", "comb",
                                        "perm",  "factorial", "isqrt", "ldexp", "prod"};
    bool keeps = false;
    for (int i = 0; i < SW_LEN(names); i++)
        keeps |= !strcmp(name, names[i]);
    return keeps;
}

/* math.sqrt(x) of an int or a float: of its float. */
static void
numbers_as_floats(Sema *s, const Call *c)
{
    for (int i = 0; i < c->n_args; i++) {
        Sem v = c->arg[i] ? sema_known(s, c->arg[i]) : (Sem){0};
        bool reals = v.type && !sem_bad(v) && v.type->kind == TY_EITHER;
        for (int k = 0; reals && k < v.type->n; k++) {
            const Type *m = v.type->elems[k]->elems[1];
            reals = m->kind == TY_SCALAR && m->weak && !m->names && m->dtype != DT_c128;
        }
        if (reals)
            sema_need_made(s, c->arg[i], v, "_either_float", NULL);
    }
}

/* A function of Python's or NumPy's with such an argument. False: there is none, or it takes it. */
bool
either_row(Sema *s, const Node *e, const Call *c, Sem *out)
{
    BuiltinId id = c->fn->id;
    if (c->fn->family == BF_MATH && !keeps_ints(c->fn->name))
        numbers_as_floats(s, c);
    bool takes = c->fn->family == BF_HEAP || id == BI_py_isinstance || id == BI_py_str ||
                 id == BI_py_repr || id == BI_py_print || id == BI_py_format || id == BI_py_type ||
                 id == BI_py_inline || id == BI_py_static_types_eq;
    for (int i = 0; i < c->n_args && !takes; i++) {
        Sem v = c->arg[i] ? sema_known(s, c->arg[i]) : (Sem){0};
        if (!v.type || sem_bad(v) || !either_is(v.type))
            continue;
        const char *f = id == BI_py_len          ? "_on_len"
                        : id == BI_py_abs        ? "_on_abs"
                        : id == BI_py_hash       ? "_on_hash"
                        : id == BI_py_class_name ? "_on_class_name"
                                                 : NULL;
        if (!f || type_is_optional(v.type))
            *out = refused(s, c->arg[i], arena_printf(s->a, "%s()", c->fn->name), v.type);
        else
            *out = apply(s, e, "_either_one", f, 1, (const Node *const *)c->arg);
        return true;
    }
    return false;
}

bool
either_is_key(const Type *t)
{
    bool is = type_tells_apart(t);
    for (int i = 0; i < t->n && is; i++)
        is = heap_is_key(t->elems[i]->elems[1]);
    return is;
}

/* ---- what Python has no operator for --------------------------------------------------------- */

/* Kinds of values by the operators that they have; 0: not known. */
enum {
    OF_NUMBER = 1,
    OF_REAL = 2,
    OF_TEXT = 4,
    OF_BYTES = 8,
    OF_LIST = 16,
    OF_TUPLE = 32,
    OF_SET = 64,
    OF_DICT = 128
};

static int
kind_of(const Type *t)
{
    if (t->kind == TY_SCALAR && t->weak && !t->names && !t->mixed)
        return t->dtype == DT_c128 ? OF_NUMBER : OF_NUMBER | OF_REAL;
    if (type_is_str(t))
        return OF_TEXT;
    if (type_is_bytes(t))
        return OF_BYTES;
    if (type_is_heap(t, &heap_list) || t->kind == TY_LIST || t->listed)
        return OF_LIST;
    if ((t->kind == TY_TUPLE && !t->names) || type_is_heap(t, &heap_tuple))
        return OF_TUPLE;
    if (type_is_heap(t, &heap_set) || type_is_heap(t, &heap_frozenset))
        return OF_SET;
    return type_is_heap(t, &heap_dict) ? OF_DICT : 0;
}

static bool
is_int(const Type *t)
{
    return t->kind == TY_SCALAR && (t->dtype == DT_i64 || t->dtype == DT_bool);
}

static bool
binop_fits(int op, const Type *a, const Type *b)
{
    int x = kind_of(a), y = kind_of(b), row = OF_TEXT | OF_BYTES | OF_LIST | OF_TUPLE;
    if (!x || !y)
        return true; /* as far as is known here */
    bool numbers = x & OF_NUMBER && y & OF_NUMBER;
    switch (op) {
    case B_ADD:
        return numbers || (x == y && x & row);
    case B_SUB:
        return numbers || (x == OF_SET && y == OF_SET);
    case B_MUL:
        return numbers || (x & row && is_int(b)) || (y & row && is_int(a));
    case B_MOD:
        return (numbers && x & OF_REAL && y & OF_REAL) || x & (OF_TEXT | OF_BYTES);
    case B_FLOORDIV:
        return numbers && x & OF_REAL && y & OF_REAL;
    case B_DIV:
    case B_POW:
        return numbers;
    case B_AND:
    case B_XOR:
    case B_OR:
        return (is_int(a) && is_int(b)) || (x == OF_SET && y == OF_SET) ||
               (op == B_OR && x == OF_DICT && y == OF_DICT);
    case B_LSHIFT:
    case B_RSHIFT:
        return is_int(a) && is_int(b);
    default:
        return false;
    }
}

static bool
order_fits(const Type *a, const Type *b)
{
    int x = kind_of(a), y = kind_of(b);
    return !x || !y || (x & OF_REAL && y & OF_REAL) || (x == y && !(x & (OF_NUMBER | OF_DICT)));
}

/* Is this the expression of a function that an operator is asked by? */
static bool
is_asked(const Sema *s)
{
    return s->either && s->fr->in->def->is_lib && !strncmp(s->fr->in->def->name, "_on_", 4);
}

/* Expression e raises, by a function of the library. */
Sem
either_raises(Sema *s, const Node *e, const char *by, const char *text)
{
    const FuncDef *fd = heap_lib_named(s, by);
    if (!fd)
        return sema_unknown(s);
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST, .n_args = 1};
    c->arg = NEW_N(s->a, const Node *, 1);
    c->dflt = NEW_N(s->a, const Const *, 1);
    c->dflt[0] = const_str(s, text);
    const Type *t = const_type(s->tt, c->dflt[0]);
    info_of(s, e)->call = c;
    return sem_of(sema_call_inst(s, e, fd, 1, &t, c->dflt, &c->inst));
}

static Sem
raises(Sema *s, const Node *e, const char *text)
{
    return either_raises(s, e, "_either_raises", text);
}

/* As CPython puts it. */
static const char *
no_operator(Sema *s, const char *op, const Type *a, const Type *b)
{
    const char *x = class_name(s, a), *y = class_name(s, b);
    int its = kind_of(a), row = OF_TEXT | OF_BYTES | OF_LIST | OF_TUPLE;
    if ((!strcmp(op, "+") || !strcmp(op, "+=")) && its == OF_BYTES)
        return arena_printf(s->a, "can't concat %s to bytes", y);
    if ((!strcmp(op, "+") || !strcmp(op, "+=")) && its & row)
        return arena_printf(s->a, "can only concatenate %s (not \"%s\") to %s", x, y, x);
    if ((!strcmp(op, "*") || !strcmp(op, "*=")) && (its | kind_of(b)) & row)
        return arena_printf(s->a, "can't multiply sequence by non-int of type '%s'",
                            its & row ? y : x);
    if (!strcmp(op, "**") || !strcmp(op, "**="))
        op = !strcmp(op, "**") ? "** or pow()" : op;
    return arena_printf(s->a, "unsupported operand type(s) for %s: '%s' and '%s'", op, x, y);
}

/* An operator of operands of which Python has none, where what is asked is compiled for each type.
 */
bool
either_no_binop(Sema *s, const Node *e, Sem a, Sem b, Sem *out)
{
    if (!is_asked(s) || sem_bad(a) || sem_bad(b) || type_is_optional(a.type) ||
        type_is_optional(b.type) || binop_fits(e->op, a.type, b.type))
        return false;
    bool in_place = s->fr->in->def->name[4] == 'i' && strcmp(s->fr->in->def->name, "_on_invert");
    const char *op = arena_printf(s->a, "%s%s", binop_text[e->op], in_place ? "=" : "");
    *out = raises(s, e, no_operator(s, op, a.type, b.type));
    return true;
}

bool
either_no_compare(Sema *s, const Node *e, Sem a, Sem b, Sem *out)
{
    int op = e->ops[0];
    if (!is_asked(s) || sem_bad(a) || sem_bad(b) || type_is_optional(a.type) ||
        type_is_optional(b.type))
        return false;
    const char *x = class_name(s, a.type), *y = class_name(s, b.type), *text = NULL;
    bool order = op == C_LT || op == C_LE || op == C_GT || op == C_GE;
    if (order && !order_fits(a.type, b.type))
        text = arena_printf(s->a, "'%s' not supported between instances of '%s' and '%s'",
                            cmp_text[op], x, y);
    else if ((op == C_IN || op == C_NOTIN) && kind_of(b.type) & OF_NUMBER)
        text = arena_printf(s->a, "argument of type '%s' is not iterable", y);
    else if ((op == C_IN || op == C_NOTIN) && kind_of(b.type) == OF_TEXT && kind_of(a.type) &&
             kind_of(a.type) != OF_TEXT)
        text = arena_printf(s->a, "'in <string>' requires string as left operand, not %s", x);
    if (text)
        *out = raises(s, e, text);
    return text != NULL;
}

bool
either_no_unary(Sema *s, const Node *e, Sem a, Sem *out)
{
    if (!is_asked(s) || sem_bad(a) || !kind_of(a.type) || kind_of(a.type) & OF_NUMBER)
        return false;
    *out = raises(s, e,
                  arena_printf(s->a, "bad operand type for unary %s: '%s'", unary_text[e->op],
                               class_name(s, a.type)));
    return true;
}

bool
either_no_subscript(Sema *s, const Node *e, Sem v, Sem idx, Sem *out)
{
    if (!is_asked(s) || sem_bad(v) || sem_bad(idx) || type_is_optional(v.type))
        return false;
    const char *x = class_name(s, v.type), *y = class_name(s, idx.type), *text = NULL;
    int k = kind_of(v.type);
    bool by = idx.type->kind == TY_SLICE || is_int(idx.type) || !kind_of(idx.type);
    if (k & OF_NUMBER || k == OF_SET)
        text = arena_printf(s->a, "'%s' object is not subscriptable", x);
    else if (k & (OF_LIST | OF_TUPLE) && !by)
        text = arena_printf(s->a, "%s indices must be integers or slices, not %s", x, y);
    else if (k == OF_TEXT && !by)
        text = arena_printf(s->a, "string indices must be integers, not '%s'", y);
    if (text)
        *out = raises(s, e, text);
    return text != NULL;
}

/* len(a), abs(a) */
bool
either_no_row(Sema *s, const Node *e, const Call *c, Sem *out)
{
    Sem v = is_asked(s) && c->n_args && c->arg[0] ? sema_known(s, c->arg[0]) : (Sem){0};
    if (!v.type || sem_bad(v) || type_is_optional(v.type))
        return false;
    const char *x = class_name(s, v.type), *text = NULL;
    int k = kind_of(v.type);
    if (c->fn->id == BI_py_len && k & OF_NUMBER && !strcmp(s->fr->in->def->name, "_on_parts"))
        text = arena_printf(s->a, "cannot unpack non-iterable %s object", x);
    else if (c->fn->id == BI_py_len && k & OF_NUMBER)
        text = arena_printf(s->a, "object of type '%s' has no len()", x);
    else if (c->fn->id == BI_py_abs && k && !(k & OF_NUMBER))
        text = arena_printf(s->a, "bad operand type for abs(): '%s'", x);
    else if (c->fn->id == BI_py_hash &&
             (k == OF_LIST || k == OF_DICT || type_is_heap(v.type, &heap_set)))
        text = arena_printf(s->a, "unhashable type: '%s'", x);
    if (text)
        *out = raises(s, e, text);
    return text != NULL;
}
