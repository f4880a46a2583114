/* SPDX-License-Identifier: BSD-3-Clause
 * Methods that Python calls by itself, of classes of named tuples: a + b is a.__add__(b), len(a) is
 * a.__len__(). Takes an operator's operands, or a call's arguments; yields the call, which stands
 * in the node's Info, or says that a tuple's own meaning is meant. What would call one where no
 * call is made is refused: never is a tuple's meaning taken for the class's. */
#include "ast/search.h"
#include "sema/internal.h"

/* ---- the methods of a class ------------------------------------------------------------------ */

const Method *
class_method(const Sema *s, const void *cls, const char *name)
{
    for (int i = 0; cls && i < s->prog->methods.n; i++) {
        const Method *m = &s->prog->methods.at[i];
        if (m->cls == cls && !strcmp(m->name, name))
            return m;
    }
    return NULL;
}

const Method *
special_of(const Sema *s, const Type *t, const char *name)
{
    t = type_value(t);
    if (t->kind == TY_EITHER)
        return either_method(s, name);
    if (t->kind == TY_KEYED || keyed_class(t))
        return keyed_text_method(s, name);
    if (t->kind == TY_OBJ)
        return class_method(s, type_class(t)->cls, name);
    bool named = (t->kind == TY_TUPLE && t->names) || type_is_int_member(t);
    return named ? class_method(s, t->ref, name) : NULL;
}

static const Method *
one_of(const Sema *s, const Type *t, const char *const *names)
{
    const Method *m = NULL;
    for (; *names && !m; names++)
        m = special_of(s, t, *names);
    return m;
}

/* In it, or in what it is made of. */
static const Method *
inside(const Sema *s, const Type *t, const char *const *names)
{
    const Method *m = one_of(s, t, names);
    for (int i = 0; (type_has_parts(t) || t->kind == TY_REF) && !m && i < t->n; i++)
        if (!(t->kind == TY_REF || (t->kind == TY_TUPLE && !t->names)) ||
            !(type_value(t->elems[i])->kind == TY_OBJ || family_is(s, t->elems[i])))
            m = inside(s, t->elems[i], names); /* of instances no one is a sequence */
    return m;
}

bool
class_is(const Sema *s, const void *cls, const void *base)
{
    bool is = cls == base;
    for (int i = 0; !is && i < s->prog->bases.n; i++)
        is = s->prog->bases.at[i].cls == cls && s->prog->bases.at[i].base == base;
    return is;
}

/* Is the class of a derived from that of b? All are from the plain tuple. */
static bool
is_below(const Sema *s, const Type *a, const Type *b)
{
    if (b->kind == TY_OBJ)
        return a->kind == TY_OBJ && a != b && type_class(a)->generic != type_class(b)->generic &&
               class_is(s, type_class(a)->cls, type_class(b)->cls);
    return b->kind == TY_TUPLE && (!b->names || (b->ref != a->ref && class_is(s, a->ref, b->ref)));
}

/* ---- calls ----------------------------------------------------------------------------------- */

static Sem
refuse(Sema *s, const Node *e, const Type *t, const Method *m, const char *what)
{
    t = type_value(t);
    Diag *d = sema_error(s, DIAG_unsupported, e, "%s of %s, whose class has a %s of its own", what,
                         t->text, m->name);
    diag_hint(s->diags, d,
              strcmp(m->name, "__iter__") == 0
                  ? "make a list of it first: x = list(x)"
                  : "write out what it does, or give the method another name and call it");
    return sema_unknown(s);
}

/* The parameters behind those that are given: their defaults. */
static void
leave_out(Sema *s, Call *c, const FuncDef *f, const Type **types, const Const **csts)
{
    const Node **arg = NEW_N(s->a, const Node *, f->n_params + 1);
    memcpy(arg, c->arg, sizeof *arg * (size_t)c->n_args);
    c->arg = arg;
    for (int i = c->n_args; i < f->n_params; i++) {
        Sem v = sem_const(s, f->params[i].def);
        c->dflt[i] = f->params[i].def;
        types[i] = v.type;
        csts[i] = v.cst;
    }
    c->n_args = f->n_params;
}

static Sem
call(Sema *s, const Node *e, const Method *m, int n, const Node *const *arg)
{
    int most = m->def && m->def->n_params > n ? m->def->n_params : n;
    const Type **types = NEW_N(s->a, const Type *, most + 1);
    const Const **csts = NEW_N(s->a, const Const *, most + 1);
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST, .n_args = n};
    c->arg = arena_dup(s->a, arg, sizeof *arg * (size_t)n);
    c->dflt = NEW_N(s->a, const Const *, most + 1);
    for (int i = 0; i < n; i++) {
        if (!arg[i]) { /* its default: see text_array.c */
            c->dflt[i] = m->def->params[i].def;
            if (!c->dflt[i])
                return refuse(s, e, types[0], m, "this operation");
            types[i] = sem_const(s, c->dflt[i]).type;
            csts[i] = sem_const(s, c->dflt[i]).cst;
            continue;
        }
        Sem v = heap_value(s, arg[i], sema_known(s, arg[i]));
        if (sem_bad(v))
            return v;
        if (v.type->kind == TY_OPTIONAL && !(i && type_class(types[0]))) {
            sema_error(s, DIAG_unsupported, arg[i], "what may be None, as an argument of %s",
                       m->name);
            return sema_unknown(s);
        }
        types[i] = type_resolve(s->tt, v.type);
        csts[i] = v.cst;
    }
    int all = m->def && !m->is_property ? m->def->n_params : 0;
    bool plain = all >= n;
    for (int i = 0; plain && i < n; i++)
        plain = m->def->params[i].kind == P_POS || m->def->params[i].kind == P_POSONLY;
    for (int i = n; plain && i < all; i++) /* those that Python leaves out */
        plain = m->def->params[i].def && m->def->params[i].kind != P_VARARGS;
    if (!plain)
        return refuse(s, e, types[0], m, "this operation");
    leave_out(s, c, m->def, types, csts);
    info_of(s, e)->call = c;
    return sem_of(sema_call_inst(s, e, m->def, all, types, csts, &c->inst));
}

Sem
special_call(Sema *s, const Node *e, const Method *m, int n, const Node *const *arg)
{
    return call(s, e, m, n, arg);
}

/* Is it read without running anything? */
static bool
is_read(Sema *s, const Node *n)
{
    return n->kind == N_Name || n->kind == N_Const ||
           (n->kind == N_Attribute && !info_of(s, n)->call && is_read(s, n->kid[0]));
}

/* The method is the right operand's; Python has evaluated the left one by then. */
static Sem
call_right(Sema *s, const Node *e, const Method *m, const Node *left, const Node *right)
{
    const Node *arg[2] = {right, left};
    bool simple = left->kind == N_Name || left->kind == N_Const || right->kind == N_Name ||
                  right->kind == N_Const || (is_read(s, left) && is_read(s, right)) ||
                  e->kind == N_BinOp || e->kind == N_Compare; /* lowering keeps the order */
    if (simple)
        return call(s, e, m, 2, arg);
    Diag *d = sema_error(s, DIAG_unsupported, e, "%s of the right operand of this", m->name);
    diag_hint(s->diags, d, "give the left one a name first");
    return sema_unknown(s);
}

/* ---- operators ------------------------------------------------------------------------------- */

static const char *const binop_name[] = {
    [B_ADD] = "add",           [B_SUB] = "sub", [B_MUL] = "mul", [B_DIV] = "truediv",
    [B_FLOORDIV] = "floordiv", [B_MOD] = "mod", [B_POW] = "pow", [B_MATMUL] = "matmul",
    [B_AND] = "and",           [B_OR] = "or",   [B_XOR] = "xor", [B_LSHIFT] = "lshift",
    [B_RSHIFT] = "rshift"};

typedef struct Pair {
    const Method *left, *right;
    bool in_place;
} Pair;

static Pair
methods_of(Sema *s, int op, bool in_place, const Type *a, const Type *b)
{
    const char *name = binop_name[op];
    Pair p = {.right = special_of(s, b, arena_printf(s->a, "__r%s__", name))};
    if (in_place)
        p.left = special_of(s, a, arena_printf(s->a, "__i%s__", name));
    p.in_place = p.left != NULL;
    if (!p.left)
        p.left = special_of(s, a, arena_printf(s->a, "__%s__", name));
    return p;
}

static bool
may_be_none(Sema *s, const Node *e, Sem a, Sem b, Sem *out)
{
    if (!type_is_optional(a.type) && !type_is_optional(b.type))
        return false;
    Diag *d = sema_error(s, DIAG_unsupported, e, "an operator of %s where an operand may be None",
                         type_value(type_is_optional(a.type) ? a.type : b.type)->text);
    diag_hint(s->diags, d, "test for None first");
    *out = sema_unknown(s);
    return true;
}

/* Do operators of NumPy's arrays and numbers leave it to the class of the other operand? */
static bool
numpy_yields(const Sema *s, const Type *t)
{
    const Method *m = special_of(s, t, "__array_ufunc__");
    return m && m->cst && m->cst->kind == CV_NONE;
}

/* Statements that do nothing but choose what is returned. */
static bool
only_chooses(const Node *n)
{
    bool so = !n || n->kind == N_Block || n->kind == N_If || n->kind == N_Return ||
              n->kind == N_Pass || (n->kind == N_Expr && n->kid[0]->kind == N_Const);
    bool inside = n && (n->kind == N_Block || n->kind == N_If);
    for (int i = n && n->kind == N_If; inside && so && i < n->n; i++)
        so = only_chooses(n->kid[i]);
    return so;
}

/* The method has returned NotImplemented: another one is asked, as if it had not been. */
static bool
declines(Sema *s, const Node *e, const Method *m, Sem a, Sem *out)
{
    if (!type_declines(out->type))
        return false;
    info_of(s, e)->call = NULL;
    if (only_chooses(m->def->body))
        return true;
    *out = refuse(s, e, a.type, m, "NotImplemented, after something else was done, as the result");
    return false;
}

static bool
is_not_implemented(const Node *n, const void *arg)
{
    (void)arg;
    bool c = n->kind == N_Const && n->val && n->val->kind == CV_ELLIPSIS && n->val->b;
    return c || (n->kind == N_Name && !strcmp(n->name, "NotImplemented"));
}

/* Does it return NotImplemented for some? Then types tell what it is asked, and None is one. */
static bool
leaves_it(const Method *m)
{
    return !m->def || ast_find(m->def->body, is_not_implemented, NULL);
}

static bool
decide(Sema *s, const Node *e, Pair p, const Node *an, Sem a, const Node *bn, Sem b, Sem *out)
{
    if (sem_bad(a) || sem_bad(b) || (!p.left && !p.right))
        return false;
    bool equality = e->kind == N_Compare && (e->ops[0] == C_EQ || e->ops[0] == C_NE);
    if (p.left && type_class(a.type) && !equality) { /* None has none of these */
        const char *op = e->kind == N_Compare ? cmp_text[e->ops[0]] : binop_text[e->op];
        a = sema_need(s, an, a, "TypeError",
                      e->kind == N_Compare
                          ? "'%s' not supported between instances of 'NoneType' and '%s'"
                          : "unsupported operand type(s) for %s: 'NoneType' and '%s'",
                      strcmp(op, "%") ? op : "%%", python_name(s, b.type));
    } else if (equality && (type_is_optional(a.type) || type_is_optional(b.type))) {
        bool later = (!p.left || !leaves_it(p.left)) && (!p.right || !leaves_it(p.right));
        const char *by = e->ops[0] == C_EQ ? later ? "_equal_when_asked" : "_equal_or_none"
                         : later           ? "_unequal_when_asked"
                                           : "_unequal_or_none";
        *out = heap_call(s, e, by, 2, (const Node *[]){an, bn});
        return true;
    } else if (may_be_none(s, e, a, b, out)) {
        return true;
    }
    const Node *arg[2] = {an, bn};
    if (p.right && !p.in_place && is_below(s, b.type, a.type)) {
        *out = call_right(s, e, p.right, an, bn);
        if (!declines(s, e, p.right, b, out))
            return true;
        p.right = NULL;
    }
    if (p.left) {
        *out = call(s, e, p.left, 2, arg);
        if (!declines(s, e, p.left, a, out))
            return true;
        bool other = p.right && type_value(a.type) != type_value(b.type);
        if (other)
            *out = call_right(s, e, p.right, an, bn);
        return other && !declines(s, e, p.right, b, out);
    }
    if (!p.right || (heap_is_numpy(a.type) && type_is_int_member(b.type)))
        return false;
    if (heap_is_numpy(a.type) && !numpy_yields(s, b.type)) {
        *out = refuse(s, e, b.type, p.right, "NumPy's operator, which would make an array");
    } else if (a.type->kind != TY_TUPLE) {
        *out = call_right(s, e, p.right, an, bn);
        return !declines(s, e, p.right, b, out);
    } else {
        return false;
    }
    return true;
}

bool
special_binop(Sema *s, const Node *e, const Node *an, Sem a, const Node *bn, Sem b, Sem *out)
{
    bool in_place = e->kind == N_AugAssign;
    return decide(s, e, methods_of(s, e->op, in_place, a.type, b.type), an, a, bn, b, out);
}

/* Of a target that is no name: whether it was refused. */
bool
special_in_place(Sema *s, const Node *e, const Type *a, const Type *b)
{
    Pair p = methods_of(s, e->op, true, a, b);
    if ((!p.left && !p.right) || (heap_is_numpy(a) && type_is_int_member(b)))
        return false;
    Diag *d = sema_error(s, DIAG_unsupported, e, "%s= of this target by %s of a class",
                         binop_text[e->op], (p.left ? p.left : p.right)->name);
    diag_hint(s->diags, d, "write out the assignment: x[i] = x[i] %s y", binop_text[e->op]);
    return true;
}

bool
special_unary(Sema *s, const Node *e, Sem a, Sem *out)
{
    static const char *const name[] = {
        [U_NEG] = "__neg__", [U_POS] = "__pos__", [U_INVERT] = "__invert__"};
    const Method *m = sem_bad(a) ? NULL : special_of(s, a.type, name[e->op]);
    if (m)
        *out = call(s, e, m, 1, (const Node *const[]){e->kid[0]});
    return m != NULL;
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static const char *const compare_name[] = {[C_EQ] = "__eq__", [C_NE] = "__ne__", [C_LT] = "__lt__",
                                           [C_LE] = "__le__", [C_GT] = "__gt__", [C_GE] = "__ge__"};

/* What asks the same from the other side. */
static const CmpKind turned[] = {
    [C_EQ] = C_EQ, [C_NE] = C_NE, [C_LT] = C_GT, [C_LE] = C_GE, [C_GT] = C_LT, [C_GE] = C_LE};
static const char *const compares[] = {"__eq__", "__ne__", "__lt__", "__le__",
                                       "__gt__", "__ge__", NULL};

bool
special_has_operators(Sema *s, const Type *t)
{
    bool any = one_of(s, t, compares) != NULL;
    for (int op = 0; op < SW_LEN(binop_name) && t->names && !any; op++)
        any = binop_name[op] && (special_of(s, t, arena_printf(s->a, "__%s__", binop_name[op])) ||
                                 special_of(s, t, arena_printf(s->a, "__r%s__", binop_name[op])));
    return any;
}

static bool
contains(Sema *s, const Node *e, Sem b, Sem *out)
{
    const Method *m = special_of(s, b.type, "__contains__");
    if (!m)
        return false;
    if (e->ops[0] == C_NOTIN) {
        *out = refuse(s, e, b.type, m, "`not in`");
        return true;
    }
    *out = call_right(s, e, m, e->kid[0], e->kid[1]);
    bool truth = out->type->kind == TY_SCALAR && out->type->dtype == DT_bool;
    if (!truth && !sem_bad(*out))
        *out = refuse(s, e, b.type, m, "`in`, which is no bool,");
    return true;
}

/* Of two operands; a chain is refused by special_in_compare. */
bool
special_compare(Sema *s, const Node *e, Sem a, Sem b, Sem *out)
{
    int op = e->ops[0];
    if (sem_bad(a) || sem_bad(b))
        return false;
    if (op == C_IN || op == C_NOTIN)
        return contains(s, e, b, out);
    if (op == C_IS || op == C_ISNOT) {
        Sym name = op == C_IS ? "instance_is_" : "instance_is_not_"; /* see family.c */
        bool none = a.type->kind == TY_NONE || b.type->kind == TY_NONE;
        Pair p = {family_is(s, a.type) ? special_of(s, a.type, name) : NULL,
                  family_is(s, b.type) ? special_of(s, b.type, name) : NULL, false};
        return !none && (p.left || p.right) && decide(s, e, p, e->kid[0], a, e->kid[1], b, out);
    }
    Pair p = {special_of(s, a.type, compare_name[op]),
              special_of(s, b.type, compare_name[turned[op]]), false};
    return decide(s, e, p, e->kid[0], a, e->kid[1], b, out);
}

static bool
holds_instance(const Type *t)
{
    bool holds = t->kind == TY_OBJ;
    for (int i = 0; type_has_parts(t) && !holds && i < t->n; i++)
        holds = holds_instance(t->elems[i]);
    return holds;
}

/* Python's: NumPy's have an order. */
static bool
is_complex(const Type *t)
{
    return t->kind == TY_SCALAR && t->weak && t->dtype == DT_c128;
}

/* Have they an order at all? None, where one may be it, has not: who compares it finds out. */
bool
special_has_order(Sema *s, const Type *a, const Type *b, int op)
{
    a = type_resolve(s->tt, type_value(a));
    b = type_resolve(s->tt, type_value(b));
    if (a->kind == TY_OBJ || b->kind == TY_OBJ || family_is(s, a) || family_is(s, b))
        return special_of(s, a, compare_name[op]) || special_of(s, b, compare_name[turned[op]]);
    const HeapClass *c = a->kind == TY_REF ? a->ref : NULL;
    if (c && type_heap_has(a, HEAP_MAPS))
        return strstr(c->own, " lt ") != NULL;
    return a->kind != TY_ARRAY && a->kind != TY_RECORD && a->kind != TY_KEYED &&
           !type_is_function(a) && b->kind != TY_ARRAY && !is_complex(a) && !is_complex(b);
}

/* Tuples of these are compared by a function of the library, part by part. */
bool
special_in_tuple(Sema *s, const Type *t, bool order)
{
    bool found = false;
    for (int i = 0; i < t->n && !found; i++) {
        const Type *e = type_resolve(s->tt, t->elems[i]), *v = type_value(e);
        bool instance = v->kind == TY_OBJ || v->kind == TY_EITHER || family_is(s, v);
        found = e->kind == TY_REF || instance ||
                (e->kind == TY_TUPLE && special_in_tuple(s, e, order)) ||
                (order && (type_is_optional(e) || !special_has_order(s, e, e, C_LT)));
    }
    return found;
}

/* Is it, or does it hold, nothing but members of one enum that are strings or floats, too? They are
 * equal where their places are, so that nobody has to ask. */
static bool
is_of_mixed(const Sema *s, const Type *t, const void **cls)
{
    t = type_value(t);
    bool one = t->kind == TY_TUPLE && object_is_enum(t);
    if (one && class_method(s, t->ref, "mixed_") && (!*cls || *cls == t->ref)) {
        *cls = t->ref;
        return true;
    }
    int n = type_heap_has(t, HEAP_MAPS) ? 1 : t->n;
    bool all = !one && (t->kind == TY_REF || (t->kind == TY_TUPLE && !t->names)) && n > 0;
    for (int i = 0; all && i < n; i++)
        all = is_of_mixed(s, t->elems[i], cls);
    return all;
}

/* A comparison that compares what they are made of: false after a message. */
bool
special_in_compare(Sema *s, const Node *e, const Type *a, const Type *b, int op)
{
    bool pair = e->n == 2 && op != C_IN && op != C_NOTIN;
    const Type *t[2] = {type_value(a), type_value(b)};
    if ((op == C_IS || op == C_ISNOT) && (a->kind == TY_NONE || b->kind == TY_NONE))
        return true;
    if (pair && op != C_IS && op != C_ISNOT && t[0]->kind == TY_TUPLE && t[1]->kind == TY_TUPLE &&
        !t[0]->names && !t[1]->names)
        return true;
    for (int i = 0; i < 2; i++)
        if (type_has_parts(t[i]) && holds_instance(t[i])) {
            Diag *d = sema_error(s, DIAG_unsupported, e, "a comparison of tuples with instances");
            diag_hint(s->diags, d, "compare their parts");
            return false;
        }
    const void *mixed = NULL;
    if (is_of_mixed(s, a, &mixed) && is_of_mixed(s, b, &mixed))
        return true;
    for (int i = 0; i < 2 && op != C_IS && op != C_ISNOT; i++) {
        const Method *m = pair ? NULL : inside(s, t[i], compares);
        for (int k = 0; pair && type_has_parts(t[i]) && !m && k < t[i]->n; k++)
            m = inside(s, t[i]->elems[k], compares);
        if (m) {
            refuse(s, e, t[i], m, "a comparison of elements");
            return false;
        }
    }
    return true;
}

bool
special_is_key(const Sema *s, const Type *t)
{
    static const char *const names[] = {"__hash__", "__eq__", NULL};
    if (t->kind == TY_OBJ)
        return special_is_itself(s, t) || special_hash(s, t) != NULL;
    if (t->kind == TY_TUPLE && t->names && class_method(s, t->ref, "mixed_"))
        return true;
    if (t->kind == TY_EITHER)
        return heap_is_key(t);
    if (t->kind == TY_TUPLE || t->kind == TY_OPTIONAL)
        for (int i = 0; i < t->n; i++)
            if (!special_is_key(s, t->elems[i]))
                return false;
    bool parts = t->kind == TY_TUPLE && !t->names;
    return (parts || !inside(s, t, names)) && !(type_has_parts(t) && holds_instance(t));
}

/* Is an instance of that class equal to itself alone, as its class says nothing of it? */
bool
special_is_itself(const Sema *s, const Type *t)
{
    return !special_of(s, t, "__hash__") && !special_of(s, t, "__eq__");
}

/* How an instance that is a key is hashed. NULL: it can't be one. Those that are compared by what
 * they are, not by a method, have no number that tells of it. */
const Method *
special_hash(const Sema *s, const Type *t)
{
    const Method *m = special_of(s, t, "__hash__"), *eq = special_of(s, t, "__eq__");
    bool fits = m && m->def && m->def->n_params == 1 && !m->is_property && eq && eq->def;
    return fits ? m : NULL;
}

/* ---- truth, calls, iteration ----------------------------------------------------------------- */

static const char *const truths[] = {"__bool__", "__len__", NULL};

/* Of an instance it is asked; what lowering has as no test (any, all, a part of a tuple) is
 * refused. */
static bool
asks_truth(Sema *s, const Node *e, const Type *t, const Method *m)
{
    t = type_value(t);
    if (!(t->kind == TY_OBJ || t->kind == TY_EITHER || family_is(s, t) || object_is_enum(t)) ||
        !m->def || m->is_property || m->def->n_params != 1)
        return false;
    int mark = diag_mark(s);
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST};
    const Type *r = sema_call_inst(s, e, m->def, 1, &t, (const Const *[]){NULL}, &c->inst);
    bool is_bool = r->kind == TY_SCALAR && r->dtype == DT_bool && !r->mixed;
    bool fits = !strcmp(m->name, "__bool__")
                    ? is_bool
                    : r->kind == TY_SCALAR && dtype_is_int((DType)r->dtype) && !r->mixed;
    info_of(s, e)->truth = c->inst ? c : NULL;
    return fits || r->kind == TY_UNKNOWN || diag_mark(s) > mark;
}

bool
special_truth(Sema *s, const Node *e, const Type *t)
{
    const Method *m = one_of(s, t, truths);
    if (!m)
        return false;
    if (asks_truth(s, e, t, m))
        return true;
    Diag *d =
        sema_error(s, DIAG_unsupported, e, "the truth value of %s, whose class has a %s of its own",
                   type_value(t)->text, m->name);
    diag_hint(s->diags, d, !strcmp(m->name, "__bool__") ? "write bool(x)" : "write len(x) != 0");
    return true;
}

/* float(a) by another method than its own, which a function of the library calls; NULL: by none. */
static const char *
cast_by(Sema *s, const Type *t, DType to)
{
    t = type_value(t);
    bool instance = t->kind == TY_OBJ || family_is(s, t);
    bool has_float = special_of(s, t, "__float__"), has_index = special_of(s, t, "__index__");
    int kind = dtype_kind(to);
    if (!instance)
        return NULL;
    return kind == DK_BOOL                   ? "_is_there"
           : kind == DK_FLOAT && has_index   ? "_float_by_index"
           : kind == DK_COMPLEX && has_float ? "_complex_by_float"
           : kind == DK_COMPLEX && has_index ? "_complex_by_index"
                                             : NULL;
}

/* float(a), bool(a): yields whether it is a call, or refused. */
bool
special_cast(Sema *s, const Node *e, Sem v, const Type *to, Sem *out)
{
    static const char *const name[] = {[DK_BOOL] = "__bool__",
                                       [DK_INT] = "__int__",
                                       [DK_UINT] = "__int__",
                                       [DK_FLOAT] = "__float__",
                                       [DK_COMPLEX] = "__complex__"};
    const char *what = name[dtype_kind((DType)to->dtype)];
    if ((s->either && either_cast(s, e, v, to, out)) || text_cast(s, e, v, to, out))
        return true;
    const Method *m = sem_bad(v) ? NULL : special_of(s, v.type, what);
    if (!m && !sem_bad(v) && to->dtype == DT_bool && one_of(s, v.type, truths))
        m = one_of(s, v.type, truths);
    bool one = to->weak && e->n == 2;
    if (!m && one && to->dtype == DT_i64 && !sem_bad(v))
        m = special_of(s, v.type, what = "__index__");
    const char *by = m || !one || sem_bad(v) || type_is_optional(v.type)
                         ? NULL
                         : cast_by(s, v.type, (DType)to->dtype);
    if (by)
        *out = heap_call(s, e, by, 1, (const Node *const[]){e->kid[1]});
    if (!m)
        return by != NULL;
    bool sized = one && to->dtype == DT_bool && m->def;
    *out = one && !strcmp(m->name, what) ? call(s, e, m, 1, (const Node *const[]){e->kid[1]})
           : sized ? heap_call(s, e, "_sized", 1, (const Node *const[]){e->kid[1]})
                   : refuse(s, e, v.type, m, to->text);
    if (!sem_bad(*out) && out->type != type_scalar(s->tt, (DType)to->dtype, true))
        *out = refuse(s, e, v.type, m, "another kind of result");
    return true;
}

bool
special_iter(Sema *s, const Node *e, const Type *t)
{
    if (t->kind == TY_EITHER)
        return either_refuse(s, e, "iteration", t);
    if (t->kind == TY_OBJ && type_class(t)->resumed)
        return false;
    bool no_tuple = object_is_enum(t) || family_is(s, t);
    const Method *m = special_of(s, t, no_tuple ? "__getitem__" : "__iter__");
    if (m)
        refuse(s, e, t, m, "iteration");
    return m != NULL;
}

bool
special_has_hash(const Sema *s, const Type *t)
{
    return object_is_enum(t) || t->kind == TY_OBJ || special_of(s, t, "__hash__");
}

/* hash(x) of what has no method of its own: swathe._numbers._hash. */
static Sem
hash_of(Sema *s, const Node *e, const Node *const *arg)
{
    Sem v = sema_known(s, arg[0]);
    if (v.type->kind == TY_STR)
        text_value(s, arg[0], v);
    if (v.type->kind == TY_OBJ) {
        Diag *d = sema_error(s, DIAG_unsupported, e, "hash() of %s, which is where it is in memory",
                             v.type->text);
        diag_hint(s->diags, d, "give the class a __hash__");
        return sema_unknown(s);
    }
    Method m = {.name = "hash", .def = (FuncDef *)(uintptr_t)heap_lib_named(s, "_hash")};
    return m.def && !sem_bad(v) ? call(s, e, &m, 1, arg) : sema_unknown(s);
}

/* Python's and NumPy's functions of members of enums, which aren't the tuples that stand for them:
 * those that show one or ask for its class are elsewhere, hash() asks the method that it has here.
 */
static bool
enum_row(Sema *s, const Node *e, const Call *c, Sem *out)
{
    BuiltinId id = c->fn->id;
    bool elsewhere = c->fn->family == BF_HEAP || id == BI_py_bool || id == BI_py_isinstance ||
                     id == BI_py_str || id == BI_py_repr || id == BI_py_print || id == BI_py_format;
    for (int i = 0; i < c->n_args && !elsewhere; i++) {
        Sem v = c->arg[i] ? sema_known(s, c->arg[i]) : (Sem){0};
        if (!v.type || !object_is_enum(v.type))
            continue;
        const Method *m = id == BI_py_hash ? special_of(s, v.type, "hash_") : NULL;
        if (m && type_is_optional(v.type))
            continue; /* by hash_of */
        *out = m ? call(s, e, m, 1, (const Node *const *)c->arg) : sema_unknown(s);
        if (!m)
            sema_error(s, DIAG_unsupported, c->arg[i], "this use of a member of an enum");
        return true;
    }
    return false;
}

/* A library function with an argument for which Python asks its class. */
bool
special_row(Sema *s, const Node *e, const Call *c, Sem *out)
{
    static const struct {
        BuiltinId id;
        int n;
        const char *name;
    } rows[] = {{BI_py_len, 1, "__len__"},       {BI_py_abs, 1, "__abs__"},
                {BI_py_hash, 1, "__hash__"},     {BI_py_round, 1, "__round__"},
                {BI_py_round, 2, "__round__"},   {BI_py_next, 1, "__next__"},
                {BI_py_next, 2, "next or"},      {BI_py_iter, 1, "__iter__"},
                {BI_py_divmod, 2, "__divmod__"}, {BI_math_floor, 1, "__floor__"},
                {BI_math_ceil, 1, "__ceil__"},   {BI_math_trunc, 1, "__trunc__"}};
    static const char *const through[] = {"__iter__", NULL}, *const sequence[] = {"__iter__",
                                                                                  "__len__",
                                                                                  "__getitem__",
                                                                                  "__array__",
                                                                                  "__array_ufunc__",
                                                                                  NULL},
                             *const backwards[] = {"__reversed__", "__len__", "__getitem__", NULL};
    BuiltinId id = c->fn->id;
    int given = 0;
    if (id == BI_py_len && either_asks(s) && c->arg[0] &&
        sema_known(s, c->arg[0]).type->kind == TY_EITHER)
        return false; /* how many types it may be of */
    if (id == BI_py_class_name && c->arg[0] && type_is_optional(sema_known(s, c->arg[0]).type)) {
        *out = heap_call(s, e, "_class_name_or_none", 1, (const Node *const *)c->arg);
        return true;
    }
    if (enum_row(s, e, c, out) ||
        (s->either && (either_row(s, e, c, out) || either_no_row(s, e, c, out))))
        return true;
    if ((c->fn->family != BF_HEAP && s->prog->families.n && family_row(s, e, c, out)) ||
        (c->fn->family == BF_PY && raised_row(s, e, c, out)))
        return true;
    if (text_row(s, e, c, out))
        return true;
    if (c->fn->family == BF_HEAP || id == BI_py_isinstance || id == BI_py_type ||
        id == BI_py_class_name || id == BI_py_print || id == BI_py_str || id == BI_py_repr)
        return false;
    for (int i = 0; i < c->n_args; i++)
        given += c->arg[i] != NULL;
    for (int i = 0; i < SW_LEN(rows); i++) {
        const Method *m = rows[i].id == id && c->arg[0]
                              ? special_of(s, sema_arg(s, c, 0).type, rows[i].name)
                              : NULL;
        if (m && rows[i].n == given) {
            *out = call(s, e, m, given, (const Node *const *)c->arg);
            return true;
        }
    }
    if (id == BI_py_next && given == 2 && special_of(s, sema_arg(s, c, 0).type, "__next__")) {
        *out = heap_call(s, e, "_next_or", 2, (const Node *const *)c->arg);
        return true;
    }
    if (id == BI_py_reversed && given == 1 &&
        special_of(s, sema_arg(s, c, 0).type, "__reversed__")) {
        *out = heap_call(s, e, "_reversed_by", 1, (const Node *const *)c->arg);
        return true;
    }
    if (id == BI_py_hash && given == 1) {
        *out = hash_of(s, e, (const Node *const *)c->arg);
        return true;
    }
    const char *const *names = c->fn->family != BF_PY               ? sequence
                               : id == BI_py_reversed               ? backwards
                               : id == BI_py_any || id == BI_py_all ? truths
                                                                    : through;
    for (int i = 0; i < c->n_args; i++) {
        Sem v = c->arg[i] ? sema_known(s, c->arg[i]) : (Sem){0};
        if (v.type && !sem_bad(v))
            v = iter_resumed(s, c->arg[i], v);
        const Method *m = v.type && !sem_bad(v) ? inside(s, v.type, names) : NULL;
        if (m) {
            *out = refuse(s, c->arg[i], v.type, m, "this use");
            return true;
        }
    }
    return false;
}

/* V(...) */
bool
special_new(Sema *s, const Node *e, const Const *cls)
{
    const Method *m = class_method(s, cls->ref, "__new__");
    if (!m)
        m = class_method(s, cls->ref, "__init__");
    if (m)
        sema_error(s, DIAG_unsupported, e, "%s has a %s of its own", cls->str, m->name);
    return m != NULL;
}

bool
special_item(Sema *s, const Node *e, Sem v, Sem *out)
{
    const Method *m = special_of(s, v.type, "__getitem__");
    if (m)
        *out = call(s, e, m, 2, (const Node *const *)e->kid);
    return m != NULL;
}
