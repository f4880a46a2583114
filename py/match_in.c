/* SPDX-License-Identifier: BSD-3-Clause
 * match, written out as tests. Takes a match statement of CPython's tree; yields a Block:
 *     m = subject
 *     if TEST: captures; body            a case without a guard, whose else is the rest
 * of the cases taken = False                      one with a guard if TEST: captures; if
 * GUARD: taken = True; body if not taken: the rest Tests are isinstance, len, == and
 * `is`, joined by `and`; what the types tell is known when the function is compiled, and
 * branches for other types are not looked at. The names have a dot in them. */
#include "py.h"

typedef struct Path { /* from the subject to what a pattern is held against */

    enum { P_SUBJECT, P_AT, P_REST, P_ATTR, P_KEY } kind;
    const struct Path *up;
    int at, behind; /* P_AT: its index; P_REST: elements before and behind */
    Sym name;
    PyObject *key;
} Path;

typedef struct Match {
    In *in;
    Sym subject, taken;
    Vec(Node *) test, bind; /* of the case at hand */
    bool binds;             /* names may be bound here */
    bool rebinds;           /* the subject's name is bound */
    const char *bad;        /* what is not supported, or NULL */
    PyObject *bad_at;
} Match;

static Node *
make(Match *m, NodeKind k, Span at, int n, Node *const *kid)
{
    Node *to = ast_new(&m->in->cx->arena, m->in->fn, k, at, n);
    for (int i = 0; i < n; i++)
        to->kid[i] = kid[i];
    return to;
}

static Node *
name_node(Match *m, Span at, Sym name, int op)
{
    Node *n = make(m, N_Name, at, 0, NULL);
    n->name = name;
    n->op = op;
    return n;
}

static Node *
constant(Match *m, Span at, PyObject *o, const char *name)
{
    Node *n = make(m, N_Const, at, 0, NULL);
    n->val = o ? in_const(m->in, o, name) : NULL;
    m->in->failed |= !o;
    return n;
}

static Node *
builtin(Match *m, Span at, const char *name)
{
    return constant(m, at, PyDict_GetItemString(PyEval_GetBuiltins(), name), name);
}

static Node *
class_of(Match *m, Span at, const char *module, const char *name)
{
    PyObject *mod = late_import(module);
    PyObject *o = mod ? PyObject_GetAttrString(mod, name) : NULL;
    Node *n = constant(m, at, o, name);
    Py_XDECREF(o);
    Py_XDECREF(mod);
    return n;
}

static Node *
number(Match *m, Span at, long v)
{
    PyObject *o = PyLong_FromLong(v);
    Node *n = constant(m, at, o, NULL);
    Py_XDECREF(o);
    return n;
}

static Node *
path_node(Match *m, Span at, const Path *p)
{
    Node *kid[3] = {NULL}, *of = p->up ? path_node(m, at, p->up) : NULL, *n;
    switch (p->kind) {
    case P_SUBJECT:
        return name_node(m, at, m->subject, CTX_LOAD);
    case P_ATTR:
        n = make(m, N_Attribute, at, 1, &of);
        n->name = p->name;
        return n;
    case P_KEY:
        kid[1] = in_expr(m->in, p->key);
        break;
    case P_AT:
        kid[1] = number(m, at, p->at);
        break;
    case P_REST:
        kid[0] = number(m, at, p->at);
        kid[1] = p->behind ? number(m, at, -p->behind) : NULL;
        kid[1] = make(m, N_Slice, at, 3, kid);
        break;
    }
    kid[0] = of;
    return make(m, N_Subscript, at, 2, kid);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void
refuse(Match *m, PyObject *at, const char *what)
{
    if (!m->bad) {
        m->bad = what;
        m->bad_at = at;
    }
}

static void
add_test(Match *m, Node *test)
{
    VEC_PUSH(&m->in->cx->arena, m->test, test);
}

static Node *
compare(Match *m, Span at, Node *a, CmpKind op, Node *b)
{
    Node *n = make(m, N_Compare, at, 2, (Node *[]){a, b});
    int *ops = NEW(&m->in->cx->arena, int);
    *ops = op;
    n->ops = ops;
    return n;
}

static Node *
is_of(Match *m, Span at, const Path *p, Node *cls)
{
    Node *kid[3] = {builtin(m, at, "isinstance"), path_node(m, at, p), cls};
    return make(m, N_Call, at, 3, kid);
}

static void
capture(Match *m, PyObject *pattern, Sym name, const Path *p)
{
    Span at = in_span(m->in, pattern);
    if (!m->binds)
        refuse(m, pattern, "a name that an alternative of a pattern binds");
    m->rebinds |= name == m->subject;
    Node *kid[2] = {path_node(m, at, p), name_node(m, at, name, CTX_STORE)};
    if (p->kind == P_REST) { /* a list, as in `*name, = rest` */
        kid[1] = make(m, N_Starred, at, 1, &kid[1]);
        kid[1] = make(m, N_Tuple, at, 1, &kid[1]);
    }
    VEC_PUSH(&m->in->cx->arena, m->bind, make(m, N_Assign, at, 2, kid));
}

static void pattern(Match *m, PyObject *o, const Path *p);

static Sym
symbol(Match *m, PyObject *o, PyObject *field)
{
    PyObject *v = in_get(m->in, o, field);
    Sym s = v && v != Py_None ? in_sym(m->in, v) : NULL;
    Py_XDECREF(v);
    return s;
}

static bool
is_star(Match *m, PyObject *list, Py_ssize_t i)
{
    return in_kind(m->in, PyList_GET_ITEM(list, i)) == A_MatchStar;
}

static void
sequence(Match *m, PyObject *o, const Path *p)
{
    Span at = in_span(m->in, o);
    PyObject *list = in_get(m->in, o, m->in->st->s_patterns);
    int n = list ? (int)PyList_GET_SIZE(list) : 0, star = -1;
    for (int i = 0; i < n; i++)
        star = is_star(m, list, i) ? i : star;
    Node *cls[] = {builtin(m, at, "tuple"),           builtin(m, at, "list"),
                   builtin(m, at, "range"),           class_of(m, at, "collections", "deque"),
                   class_of(m, at, "array", "array"), class_of(m, at, "numpy", "ndarray")};
    bool arrays = PyType_HasFeature(&PyArray_Type, Py_TPFLAGS_SEQUENCE); /* NumPy >= 2.5 */
    add_test(m, is_of(m, at, p, make(m, N_Tuple, at, SW_LEN(cls) - !arrays, cls)));
    Node *len[2] = {builtin(m, at, "len"), path_node(m, at, p)};
    add_test(m, compare(m, at, make(m, N_Call, at, 2, len), star < 0 ? C_EQ : C_GE,
                        number(m, at, n - (star >= 0))));
    for (int i = 0; i < n; i++) {
        Path *each = NEW(&m->in->cx->arena, Path);
        *each = (Path){.kind = P_AT, .up = p, .at = star >= 0 && i > star ? i - n : i};
        PyObject *sub = PyList_GET_ITEM(list, i);
        if (i != star) {
            pattern(m, sub, each);
            continue;
        }
        Sym name = symbol(m, sub, m->in->st->s_name);
        *each = (Path){.kind = P_REST, .up = p, .at = i, .behind = n - 1 - i};
        if (name)
            capture(m, sub, name, each);
    }
    Py_XDECREF(list);
}

static void
mapping(Match *m, PyObject *o, const Path *p)
{
    Span at = in_span(m->in, o);
    PyObject *keys = in_get(m->in, o, m->in->st->s_keys),
             *list = in_get(m->in, o, m->in->st->s_patterns);
    if (symbol(m, o, m->in->st->s_rest))
        refuse(m, o, "the rest of a mapping in a pattern");
    add_test(m, is_of(m, at, p, builtin(m, at, "dict")));
    for (Py_ssize_t i = 0; keys && list && i < PyList_GET_SIZE(keys); i++) {
        Path *each = NEW(&m->in->cx->arena, Path);
        *each = (Path){.kind = P_KEY, .up = p, .key = PyList_GET_ITEM(keys, i)};
        add_test(m, compare(m, at, in_expr(m->in, each->key), C_IN, path_node(m, at, p)));
        pattern(m, PyList_GET_ITEM(list, i), each);
    }
    Py_XDECREF(keys);
    Py_XDECREF(list);
}

/* Of these, the one positional pattern is held against the subject itself. */
static bool
is_whole(const Node *cls)
{
    static const char *const names[] = {"bool", "dict", "float", "int", "list", "str", "tuple"};
    for (int i = 0; cls->kind == N_Name && i < SW_LEN(names); i++)
        if (!strcmp(cls->name, names[i]))
            return true;
    return false;
}

/* The class that a pattern names: a name, or an attribute of one, is looked up as it is now. */
static PyObject *
class_named(Match *m, PyObject *cls)
{
    State *st = m->in->st;
    PyObject *id = PyObject_HasAttrString(cls, "id") ? in_get(m->in, cls, st->s_id) : NULL,
             *name = id ? NULL : PyObject_GetAttrString(cls, "attr"),
             *of = name ? PyObject_GetAttrString(cls, "value") : NULL, *v = NULL;
    if (id)
        v = Py_XNewRef(in_look_up(m->in, id, false));
    else if (of && PyObject_HasAttrString(of, "id")) {
        PyObject *module = PyObject_GetAttrString(of, "id"),
                 *at = module ? in_look_up(m->in, module, false) : NULL;
        v = at && PyModule_Check(at) ? PyObject_GetAttr(at, name) : NULL;
        Py_XDECREF(module);
    }
    PyErr_Clear();
    Py_XDECREF(id);
    Py_XDECREF(name);
    Py_XDECREF(of);
    return v;
}

/* Does a class of named tuples say by itself which attributes stand for places? */
static bool
orders_by_itself(Match *m, PyObject *cls)
{
    PyObject *is = NULL, *fields = NULL;
    if (py_is_namedtuple_class(cls)) {
        is = PyObject_GetAttrString(cls, "__match_args__");
        fields = PyObject_GetAttr(cls, m->in->st->s__fields);
    }
    bool other = is && fields && PyObject_RichCompareBool(is, fields, Py_EQ) == 0;
    PyErr_Clear();
    Py_XDECREF(is);
    Py_XDECREF(fields);
    return other;
}

/* The attributes that places of a pattern stand for, of a class of instances; or NULL. */
static PyObject *
order_of(PyObject *cls)
{
    bool may = cls && class_is_instances(cls) && PyObject_HasAttrString(cls, "__match_args__");
    PyObject *names = may ? PyObject_GetAttrString(cls, "__match_args__") : NULL;
    PyErr_Clear();
    if (names && !PyTuple_Check(names))
        Py_CLEAR(names);
    return names;
}

static Path *
place(Match *m, const Path *up, PyObject *order, int i)
{
    Path *at = NEW(&m->in->cx->arena, Path);
    PyObject *name = order && i < PyTuple_GET_SIZE(order) ? PyTuple_GET_ITEM(order, i) : NULL;
    if (name && PyUnicode_Check(name))
        *at = (Path){.kind = P_ATTR, .up = up, .name = in_sym(m->in, name)};
    else
        *at = (Path){.kind = P_AT, .up = up, .at = i};
    return at;
}

static void class(Match *m, PyObject *o, const Path *p)
{
    State *st = m->in->st;
    Span at = in_span(m->in, o);
    Node *cls = in_child(m->in, o, st->s_cls);
    PyObject *list = in_get(m->in, o, st->s_patterns), *names = in_get(m->in, o, st->s_kwd_attrs);
    PyObject *named = in_get(m->in, o, st->s_kwd_patterns);
    int n = list ? (int)PyList_GET_SIZE(list) : 0,
        n_named = named && names ? (int)PyList_GET_SIZE(named) : 0;
    bool whole = is_whole(cls);
    add_test(m, is_of(m, at, p, cls));
    if (whole && n > 1)
        refuse(m, o, "more than one positional pattern of a class of Python's own");
    PyObject *text = n ? in_get(m->in, o, st->s_cls) : NULL,
             *of = text ? class_named(m, text) : NULL, *order = order_of(of);
    if (of && orders_by_itself(m, of))
        refuse(m, o, "a place in a pattern of a class with a __match_args__ of its own");
    for (int i = 0; i < n + n_named; i++) {
        Path *each = i < n ? place(m, p, order, i) : NEW(&m->in->cx->arena, Path);
        if (i >= n)
            *each = (Path){
                .kind = P_ATTR, .up = p, .name = in_sym(m->in, PyList_GET_ITEM(names, i - n))};
        pattern(m, i < n ? PyList_GET_ITEM(list, i) : PyList_GET_ITEM(named, i - n),
                whole && i < n ? p : each);
    }
    Py_XDECREF(text);
    Py_XDECREF(of);
    Py_XDECREF(order);
    Py_XDECREF(list);
    Py_XDECREF(names);
    Py_XDECREF(named);
}

static Node *
all_of(Match *m, Span at, int from)
{
    int n = m->test.n - from;
    Node *test = n == 1 ? m->test.at[from] : make(m, N_BoolOp, at, n, m->test.at + from);
    m->test.n = from;
    return test;
}

/* Alternatives are tests alone. */
static void
either(Match *m, PyObject *o, const Path *p)
{
    Span at = in_span(m->in, o);
    PyObject *list = in_get(m->in, o, m->in->st->s_patterns);
    int n = list ? (int)PyList_GET_SIZE(list) : 0, k = 0;
    Node **way = NEW_N(&m->in->cx->arena, Node *, n + 1);
    bool binds = m->binds, always = false;
    m->binds = false;
    for (int i = 0; i < n; i++) {
        int from = m->test.n;
        pattern(m, PyList_GET_ITEM(list, i), p);
        always |= m->test.n == from;
        if (m->test.n > from)
            way[k++] = all_of(m, at, from);
    }
    m->binds = binds;
    Py_XDECREF(list);
    if (always)
        return;
    Node *any = make(m, N_BoolOp, at, k, way);
    any->op = 1;
    add_test(m, any);
}

static void
singleton(Match *m, PyObject *o, const Path *p)
{
    Span at = in_span(m->in, o);
    PyObject *v = in_get(m->in, o, m->in->st->s_value);
    if (v == Py_None) {
        add_test(m, compare(m, at, path_node(m, at, p), C_IS, constant(m, at, Py_None, NULL)));
    } else if (v) {
        add_test(m, is_of(m, at, p, builtin(m, at, "bool")));
        add_test(m, compare(m, at, path_node(m, at, p), C_EQ, constant(m, at, v, NULL)));
    }
    Py_XDECREF(v);
}

static void
as(Match *m, PyObject *o, const Path *p)
{
    PyObject *inner = in_get(m->in, o, m->in->st->s_pattern);
    if (inner && inner != Py_None)
        pattern(m, inner, p);
    Py_XDECREF(inner);
    Sym name = symbol(m, o, m->in->st->s_name);
    if (name)
        capture(m, o, name, p);
}

/* Adds what must hold for it, and what it binds then. */
static void
pattern(Match *m, PyObject *o, const Path *p)
{
    Span at = in_span(m->in, o);
    if (in_is_deep(m->in, IN_EXPR_COST)) {
        refuse(m, o, "nesting this deep");
        return;
    }
    m->in->nesting += IN_EXPR_COST;
    switch (in_kind(m->in, o)) {
    case A_MatchValue:
        add_test(m,
                 compare(m, at, path_node(m, at, p), C_EQ, in_child(m->in, o, m->in->st->s_value)));
        break;
    case A_MatchSingleton:
        singleton(m, o, p);
        break;
    case A_MatchSequence:
        sequence(m, o, p);
        break;
    case A_MatchMapping:
        mapping(m, o, p);
        break;
    case A_MatchClass:
        class(m, o, p);
        break;
    case A_MatchOr:
        either(m, o, p);
        break;
    case A_MatchAs:
        as(m, o, p);
        break;
    default:
        refuse(m, o, "this pattern");
    }
    m->in->nesting -= IN_EXPR_COST;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static Node *
block(Match *m, Span at, int n, Node *const *kid)
{
    return make(m, N_Block, at, n, kid);
}

static Node *
assign(Match *m, Span at, Sym name, Node *value)
{
    return make(m, N_Assign, at, 2, (Node *[]){value, name_node(m, at, name, CTX_STORE)});
}

static Node *
if_node(Match *m, Span at, Node *test, Node *then, Node *els)
{
    return make(m, N_If, at, 3, (Node *[]){test, then, els});
}

static Node *
truth(Match *m, Span at, bool v)
{
    return constant(m, at, v ? Py_True : Py_False, NULL);
}

/* Is the subject's name a variable that a function inside this one may assign? */
static bool
is_shared(Match *m)
{
    In *in = m->in;
    PyObject *cells = PyObject_GetAttrString(PyFunction_GET_CODE(in->func), "co_cellvars"),
             *name = PyUnicode_FromString(m->subject);
    bool shared = in->fn->parent || !cells || !name || PySequence_Contains(cells, name) != 0;
    Py_XDECREF(cells);
    Py_XDECREF(name);
    PyErr_Clear();
    return shared;
}

/* Does a guard give the subject's name another value, which later cases must not see? */
static bool
may_bind(Match *m, const Node *guard)
{
    if (!guard)
        return false;
    bool may = (guard->kind == N_NamedExpr && guard->kid[0]->name == m->subject) ||
               (guard->kind == N_Call && is_shared(m));
    for (int i = 0; i < guard->n && !may; i++)
        may = may_bind(m, guard->kid[i]);
    return may;
}

/* From the k-th case on; NULL: there is none left. */
static Node *
cases_from(Match *m, PyObject *list, Py_ssize_t k)
{
    if (k >= PyList_GET_SIZE(list) || m->in->failed)
        return NULL;
    State *st = m->in->st;
    PyObject *c = PyList_GET_ITEM(list, k), *p = in_get(m->in, c, st->s_pattern);
    if (!p || in_is_deep(m->in, IN_STMT_COST)) {
        Py_XDECREF(p);
        refuse(m, PyList_GET_ITEM(list, 0), "nesting this deep");
        return NULL;
    }
    m->in->nesting += IN_STMT_COST;
    Span at = in_span(m->in, p);
    m->test.n = m->bind.n = 0;
    pattern(m, p, &(Path){.kind = P_SUBJECT});
    Py_DECREF(p);
    Node *test = m->test.n ? all_of(m, at, 0) : NULL, *guard = in_child(m->in, c, st->s_guard);
    m->rebinds |= may_bind(m, guard);
    Node *binds = block(m, at, m->bind.n, m->bind.at), *body = in_body_of(m->in, c), *r;
    if (guard) {
        body = block(m, at, 2, (Node *[]){assign(m, at, m->taken, truth(m, at, true)), body});
        body = if_node(m, at, guard, block(m, at, 1, &body), NULL);
    }
    body = m->bind.n ? block(m, at, 2, (Node *[]){binds, body}) : block(m, at, 1, &body);
    Node *rest = test || guard ? cases_from(m, list, k + 1) : NULL;
    if (!guard) {
        r = test ? if_node(m, at, test, body, rest ? block(m, at, 1, &rest) : NULL) : body;
    } else {
        Node *not_taken =
            make(m, N_UnaryOp, at, 1, (Node *[]){name_node(m, at, m->taken, CTX_LOAD)});
        not_taken->op = U_NOT;
        Node *kid[3] = {assign(m, at, m->taken, truth(m, at, false)),
                        test ? if_node(m, at, test, body, NULL) : body, NULL};
        kid[2] = rest ? if_node(m, at, not_taken, block(m, at, 1, &rest), NULL) : NULL;
        r = block(m, at, rest ? 3 : 2, kid);
    }
    m->in->nesting -= IN_STMT_COST;
    return r;
}

static Sym
new_name(Match *m, const char *what, int id)
{
    return intern(&m->in->cx->syms, arena_printf(&m->in->cx->arena, "%s.match%d", what, id));
}

/* subject: NULL, or the name that is the subject, of which tests then tell something. It is read
 * where it stands, for no test may ask for it, and it may be unbound. */
static Node *
all_cases(In *in, PyObject *s, PyObject *list, Node *subject, bool *rebinds)
{
    int id = in->n_with++;
    Match m = {.in = in, .binds = true};
    Span at = in_span(in, s);
    m.subject = subject ? subject->name : new_name(&m, "subject", id);
    m.taken = new_name(&m, "taken", id);
    Node *value = subject ? NULL : in_child(in, s, in->st->s_subject),
         *rest = cases_from(&m, list, 0);
    *rebinds = m.rebinds;
    if (!rest || m.bad)
        rest = in_unsupported(in, m.bad_at ? m.bad_at : s, m.bad ? m.bad : "this match");
    Node *read = value ? assign(&m, value->at, m.subject, value)
                       : make(&m, N_Expr, subject->at, 1, &subject);
    return block(&m, at, 2, (Node *[]){read, rest});
}

Node *
in_match(In *in, PyObject *s)
{
    PyObject *list = in_get(in, s, in->st->s_cases), *of = in_get(in, s, in->st->s_subject);
    Node *name = of && in_kind(in, of) == A_Name ? in_expr(in, of) : NULL, *made = NULL;
    bool rebinds = false;
    if (list && name)
        made = all_cases(in, s, list, name, &rebinds);
    if (list && (!name || rebinds))
        made = all_cases(in, s, list, NULL, &rebinds);
    Py_XDECREF(list);
    Py_XDECREF(of);
    return made;
}
