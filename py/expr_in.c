/* SPDX-License-Identifier: BSD-3-Clause
 * Expressions: _ast objects to nodes. A comprehension has a scope of its own in Python;
 * here its variables are renamed (i to i.c1), which gives them one without another kind
 * of scope: renames are a linked stack, looked up at every Name. */
#include "py.h"

int in_binop(In *in, PyObject *o);

struct Rename {
    Sym from, to;
    struct Rename *prev;
};

static Node *
new_node(In *in, NodeKind k, PyObject *o, int n)
{
    return ast_new(&in->cx->arena, in->fn, k, in_span(in, o), n);
}

static Node *
child(In *in, PyObject *o, PyObject *name)
{
    PyObject *v = in_get(in, o, name);
    Node *n = v && v != Py_None ? in_expr(in, v) : NULL;
    Py_XDECREF(v);
    return n;
}

static Sym
get_sym(In *in, PyObject *o, PyObject *name)
{
    PyObject *v = in_get(in, o, name);
    Sym s = v && v != Py_None ? in_sym(in, v) : NULL;
    Py_XDECREF(v);
    return s;
}

static Node *
with_children(In *in, NodeKind k, PyObject *o, PyObject *field, int before)
{
    PyObject *list = in_get(in, o, field);
    int n = list ? (int)PyList_GET_SIZE(list) : 0;
    Node *x = new_node(in, k, o, before + n);
    for (int i = 0; i < n; i++)
        x->kid[before + i] = in_expr(in, PyList_GET_ITEM(list, i));
    Py_XDECREF(list);
    return x;
}

static int
get_ctx(In *in, PyObject *o)
{
    PyObject *v = in_get(in, o, in->st->s_ctx);
    PyAst k = v ? in_kind(in, v) : A_Load;
    Py_XDECREF(v);
    return k == A_Store ? CTX_STORE : k == A_Del ? CTX_DEL : CTX_LOAD;
}

static Sym
renamed(In *in, Sym name)
{
    for (struct Rename *r = in->renames; r; r = r->prev)
        if (r->from == name)
            return r->to;
    return name;
}

static Node *
in_name(In *in, PyObject *o)
{
    Node *n = new_node(in, N_Name, o, 0);
    n->name = renamed(in, get_sym(in, o, in->st->s_id));
    n->op = get_ctx(in, o);
    return n;
}

static Node *
in_constant(In *in, PyObject *o)
{
    Node *n = new_node(in, N_Const, o, 0);
    PyObject *v = in_get(in, o, in->st->s_value);
    if (v)
        n->val = in_const(in, v, NULL);
    Py_XDECREF(v);
    return n;
}

/* -1 as one constant, as CPython's compiler folds it: -9223372036854775808 is an int64.
 */
static Node *
negative_constant(In *in, PyObject *o, PyObject *operand)
{
    PyObject *v = in_get(in, operand, in->st->s_value), *neg = NULL;
    Node *n = NULL;
    if (v && (PyLong_CheckExact(v) || PyFloat_CheckExact(v) || PyComplex_CheckExact(v)))
        neg = PyNumber_Negative(v);
    if (neg) {
        n = new_node(in, N_Const, o, 0);
        n->val = in_const(in, neg, NULL);
    }
    Py_XDECREF(neg);
    Py_XDECREF(v);
    return n;
}

static Node *
in_unary(In *in, PyObject *o)
{
    PyObject *op = in_get(in, o, in->st->s_op), *x = in_get(in, o, in->st->s_operand);
    PyAst k = op ? in_kind(in, op) : A_Not;
    Node *n = NULL;
    if (x && k == A_USub && in_kind(in, x) == A_Constant)
        n = negative_constant(in, o, x);
    if (x && !n) {
        n = new_node(in, N_UnaryOp, o, 1);
        n->op = k == A_USub ? U_NEG : k == A_UAdd ? U_POS : k == A_Invert ? U_INVERT : U_NOT;
        n->kid[0] = in_expr(in, x);
    }
    Py_XDECREF(op);
    Py_XDECREF(x);
    return n;
}

static Node *
in_bin_op(In *in, PyObject *o)
{
    int op = in_binop(in, o);
    if (op == B_MOD) {
        PyObject *a = in_get(in, o, in->st->s_left), *b = in_get(in, o, in->st->s_right);
        Node *text = in_percent(in, o, a, b);
        Py_XDECREF(a);
        Py_XDECREF(b);
        if (text)
            return text;
    }
    Node *n = new_node(in, N_BinOp, o, 2);
    n->op = op;
    n->kid[0] = child(in, o, in->st->s_left);
    n->kid[1] = child(in, o, in->st->s_right);
    return n;
}

static Node *
in_bool_op(In *in, PyObject *o)
{
    PyObject *op = in_get(in, o, in->st->s_op);
    Node *n = with_children(in, N_BoolOp, o, in->st->s_values, 0);
    n->op = op && in_kind(in, op) == A_Or;
    Py_XDECREF(op);
    return n;
}

static Node *
in_compare(In *in, PyObject *o)
{
    Node *n = with_children(in, N_Compare, o, in->st->s_comparators, 1);
    int *ops = NEW_N(&in->cx->arena, int, n->n);
    PyObject *list = in_get(in, o, in->st->s_ops);
    for (Py_ssize_t i = 0; list && i < PyList_GET_SIZE(list); i++)
        ops[i] = C_EQ + (int)in_kind(in, PyList_GET_ITEM(list, i)) - A_Eq;
    Py_XDECREF(list);
    n->ops = ops;
    n->kid[0] = child(in, o, in->st->s_left);
    return n;
}

/* f(*a, b, *c): as f(*(*a, b, *c)), but for print, which unpacks anything. The number of arguments
 * that are left. */
static int
join_unpacked(In *in, Node *call, int n)
{
    Node **arg = call->kid + 1;
    const Node *f = call->kid[0];
    int first = 0, last = n - 1;
    while (first < n && arg[first]->kind != N_Starred)
        first++;
    while (last > first && arg[last]->kind != N_Starred)
        last--;
    if (last <= first || (f->kind == N_Name && !strcmp(f->name, "print")))
        return n;
    int joined = last - first + 1;
    Node *all = ast_new(&in->cx->arena, in->fn, N_Tuple, arg[first]->at, joined);
    memcpy(all->kid, arg + first, sizeof *arg * (size_t)joined);
    Node *star = ast_new(&in->cx->arena, in->fn, N_Starred, arg[first]->at, 1);
    star->kid[0] = all;
    arg[first] = star;
    memmove(arg + first + 1, arg + last + 1, sizeof *arg * (size_t)(n - last - 1));
    return n - joined + 1;
}

static Node *
call_node(In *in, PyObject *o)
{
    PyObject *args = in_get(in, o, in->st->s_args), *kws = in_get(in, o, in->st->s_keywords);
    int na = args ? (int)PyList_GET_SIZE(args) : 0, nk = kws ? (int)PyList_GET_SIZE(kws) : 0;
    Node *n = new_node(in, N_Call, o, 1 + na + nk);
    n->kid[0] = child(in, o, in->st->s_func);
    for (int i = 0; i < na; i++)
        n->kid[1 + i] = in_expr(in, PyList_GET_ITEM(args, i));
    na = join_unpacked(in, n, na);
    n->n = 1 + na + nk;
    for (int i = 0; i < nk; i++) {
        PyObject *k = PyList_GET_ITEM(kws, i);
        Node *kw = n->kid[1 + na + i] = new_node(in, N_Keyword, k, 1);
        kw->name = get_sym(in, k, in->st->s_arg);
        kw->kid[0] = child(in, k, in->st->s_value);
    }
    Py_XDECREF(args);
    Py_XDECREF(kws);
    return n;
}

static Node *
in_call(In *in, PyObject *o)
{
    PyObject *func = in_get(in, o, in->st->s_func), *args = in_get(in, o, in->st->s_args),
             *kws = in_get(in, o, in->st->s_keywords);
    Node *text = in_format(in, o, func, args, kws);
    Py_XDECREF(func);
    Py_XDECREF(args);
    Py_XDECREF(kws);
    return text ? text : call_node(in, o);
}

Node *
in_two(In *in, NodeKind k, PyObject *o, PyObject *first, PyObject *second)
{
    Node *n = new_node(in, k, o, second ? 2 : 1);
    n->kid[0] = child(in, o, first);
    if (second)
        n->kid[1] = child(in, o, second);
    return n;
}

/* super(K, self), as it was written once, in a method of K. */
static bool
says_the_same(const FuncDef *f, const Node *call, const char *dot)
{
    const Node *cls = call->kid[1], *self = call->kid[2];
    const char *name = dot;
    while (name > f->qualname && name[-1] != '.')
        name--;
    size_t n = (size_t)(dot - name);
    return cls->kind == N_Name && !strncmp(cls->name, name, n) && !cls->name[n] &&
           self->kind == N_Name && !strcmp(self->name, f->params[0].name);
}

/* super().f in a method of K: "super K f" of its instance, which the class has as a member of that
 * name (swathe/_classes.py). */
static void
as_super(In *in, Node *n)
{
    Node *call = n->kid[0];
    const FuncDef *f = in->fn;
    const char *dot = f && !f->parent ? strrchr(f->qualname, '.') : NULL;
    if (!dot || call->kind != N_Call || call->kid[0]->kind != N_Name ||
        strcmp(call->kid[0]->name, "super") != 0 || f->n_params == 0)
        return;
    if (call->n == 3 && !says_the_same(f, call, dot))
        return;
    if (call->n != 1 && call->n != 3)
        return;
    call->kind = N_Name;
    call->name = f->params[0].name;
    call->op = CTX_LOAD;
    call->n = 0;
    n->name = intern(&in->cx->syms, arena_printf(&in->cx->arena, "super %.*s %s",
                                                 (int)(dot - f->qualname), f->qualname, n->name));
}

/* The class in whose body a function stands, as its qualified name says: "f.<locals>.C.method". */
static const char *
class_around(In *in)
{
    static const char locals[] = ".<locals>";
    const FuncDef *f = in->fn;
    while (f->parent)
        f = f->parent;
    char *name = f->qualname ? arena_str(&in->cx->arena, f->qualname) : NULL;
    size_t n, end = sizeof locals - 1;
    for (char *dot; name && (dot = strrchr(name, '.')) != NULL;) {
        *dot = 0; /* the function's own */
        n = strlen(name);
        if (n < end || strcmp(name + n - end, locals) != 0)
            return (dot = strrchr(name, '.')) ? dot + 1 : name;
        name[n - end] = 0;
    }
    return NULL;
}

/* self.__x in a class C is self._C__x. */
static Sym
mangled(In *in, Sym name)
{
    size_t n = strlen(name);
    if (strncmp(name, "__", 2) != 0 || (n > 3 && !strcmp(name + n - 2, "__")))
        return name;
    const char *of = class_around(in);
    while (of && *of == '_')
        of++;
    return of && *of ? intern(&in->cx->syms, arena_printf(&in->cx->arena, "_%s%s", of, name))
                     : name;
}

static Node *
in_attribute(In *in, PyObject *o)
{
    Node *n = in_two(in, N_Attribute, o, in->st->s_value, NULL);
    n->name = mangled(in, get_sym(in, o, in->st->s_attr));
    n->op = get_ctx(in, o);
    as_super(in, n);
    return n;
}

static Node *
in_three(In *in, NodeKind k, PyObject *o, PyObject *a, PyObject *b, PyObject *c)
{
    Node *n = new_node(in, k, o, 3);
    n->kid[0] = child(in, o, a);
    n->kid[1] = child(in, o, b);
    n->kid[2] = child(in, o, c);
    return n;
}

/* ---- comprehensions -------------------------------------------------------------------------- */

static void
rename_targets(In *in, PyObject *target)
{
    PyAst k = in_kind(in, target);
    if (k == A_Name) {
        struct Rename *r = NEW(&in->cx->arena, struct Rename);
        r->from = get_sym(in, target, in->st->s_id);
        r->to = intern(&in->cx->syms, arena_printf(&in->cx->arena, "%s.c%d", r->from, in->n_comp));
        r->prev = in->renames;
        in->renames = r;
    } else if (k == A_Tuple || k == A_List) {
        PyObject *list = in_get(in, target, in->st->s_elts);
        for (Py_ssize_t i = 0; list && i < PyList_GET_SIZE(list); i++)
            rename_targets(in, PyList_GET_ITEM(list, i));
        Py_XDECREF(list);
    } else if (k == A_Starred) {
        PyObject *v = in_get(in, target, in->st->s_value);
        if (v)
            rename_targets(in, v);
        Py_XDECREF(v);
    }
}

static Node *
in_generator(In *in, PyObject *g)
{
    PyObject *target = in_get(in, g, in->st->s_target);
    PyObject *ifs = in_get(in, g, in->st->s_ifs);
    Node *iter = child(in, g, in->st->s_iter); /* before the target's names mean anything */
    int n_ifs = ifs ? (int)PyList_GET_SIZE(ifs) : 0;
    Span at = iter ? iter->at : (Span){.src = in->src};
    Node *n = ast_new(&in->cx->arena, in->fn, N_Comprehension, at, 2 + n_ifs);
    n->kid[1] = iter;
    if (target) {
        rename_targets(in, target);
        n->kid[0] = in_expr(in, target);
    }
    for (int i = 0; i < n_ifs; i++)
        n->kid[2 + i] = in_expr(in, PyList_GET_ITEM(ifs, i));
    Py_XDECREF(target);
    Py_XDECREF(ifs);
    return n;
}

static Node *
in_pair(In *in, PyObject *o, PyObject *key, PyObject *value)
{
    Node *n = new_node(in, N_Tuple, o, 2);
    n->kid[0] = in_expr(in, key);
    n->kid[1] = in_expr(in, value);
    n->at = n->kid[0]->at;
    return n;
}

/* {**d}; it has no place of its own. */
static Node *
in_merged(In *in, PyObject *value)
{
    Node *n = new_node(in, N_Starred, value, 1);
    n->kid[0] = in_expr(in, value);
    return n;
}

static Node *
in_dict(In *in, PyObject *o)
{
    PyObject *keys = in_get(in, o, in->st->s_keys), *values = in_get(in, o, in->st->s_values);
    int n = keys && values ? (int)PyList_GET_SIZE(keys) : 0;
    Node *d = new_node(in, N_Dict, o, n);
    for (int i = 0; i < n; i++) {
        PyObject *key = PyList_GET_ITEM(keys, i), *value = PyList_GET_ITEM(values, i);
        d->kid[i] = key == Py_None ? in_merged(in, value) : in_pair(in, o, key, value);
    }
    Py_XDECREF(keys);
    Py_XDECREF(values);
    return d;
}

/* An element of a set, as a pair with nothing. */
static Node *
in_member(In *in, PyObject *o)
{
    Node *n = new_node(in, N_Tuple, o, 2);
    n->kid[0] = in_expr(in, o);
    n->kid[1] = new_node(in, N_Tuple, o, 0);
    n->at = n->kid[0]->at;
    return n;
}

static Node *
in_set(In *in, PyObject *o)
{
    PyObject *elts = in_get(in, o, in->st->s_elts);
    int n = elts ? (int)PyList_GET_SIZE(elts) : 0;
    Node *d = new_node(in, N_Dict, o, n);
    d->op = 1;
    for (int i = 0; i < n; i++) {
        PyObject *e = PyList_GET_ITEM(elts, i);
        d->kid[i] = in_kind(in, e) == A_Starred ? in_expr(in, e) : in_member(in, e);
    }
    Py_XDECREF(elts);
    return d;
}

static Node *
in_list_comp(In *in, PyObject *o, int generator)
{
    struct Rename *renames = in->renames;
    PyObject *gens = in_get(in, o, in->st->s_generators);
    int n_gens = gens ? (int)PyList_GET_SIZE(gens) : 0;
    Node *n = new_node(in, N_ListComp, o, 1 + n_gens);
    n->op = generator;
    in->n_comp++;
    for (int i = 0; i < n_gens; i++)
        n->kid[1 + i] = in_generator(in, PyList_GET_ITEM(gens, i));
    if (generator == 3) {
        PyObject *elt = in_get(in, o, in->st->s_elt);
        n->kid[0] = elt ? in_member(in, elt) : NULL;
        Py_XDECREF(elt);
    } else if (generator == 2) {
        PyObject *key = in_get(in, o, in->st->s_key), *value = in_get(in, o, in->st->s_value);
        n->kid[0] = key && value ? in_pair(in, o, key, value) : NULL;
        Py_XDECREF(key);
        Py_XDECREF(value);
    } else {
        n->kid[0] = child(in, o, in->st->s_elt);
    }
    in->renames = renames;
    Py_XDECREF(gens);
    return n;
}

static Node *
builtin_call(In *in, PyObject *o, const char *name, Node *first, Node *second)
{
    Const *c = const_new(in, CV_BUILTIN);
    c->ref = builtin_find("builtins", name);
    Node *call = new_node(in, N_Call, o, second ? 3 : 2);
    call->kid[0] = new_node(in, N_Const, o, 0);
    call->kid[0]->val = c;
    call->kid[1] = first;
    if (second)
        call->kid[2] = second;
    return call;
}

/* {x!r:>{n}} is the text format(repr(x), f'>{n}'). */
void
in_format_by_call(In *in, PyObject *o, Node *n, Node *spec)
{
    Node *v = n->kid[0];
    if (n->op == 'r' || n->op == 's')
        v = builtin_call(in, o, n->op == 'r' ? "repr" : "str", v, NULL);
    n->kid[0] = builtin_call(in, o, "format", v, spec);
    n->op = -1;
}

/* {x!a} is the text of ascii(x). */
static void
ascii_by_call(In *in, PyObject *o, Node *n)
{
    const Const *to = in_stdlib_method(in, "builtins", "ascii");
    if (!to)
        return;
    Node *call = new_node(in, N_Call, o, 2);
    call->kid[0] = new_node(in, N_Const, o, 0);
    call->kid[0]->val = to;
    call->kid[1] = n->kid[0];
    in_mention(in, to);
    n->kid[0] = call;
    n->op = 's';
}

/* Among what is chosen from, is something of which it is plain that it is a text, or isn't? */
static bool
may_be(const Node *n, bool text)
{
    if (n->kind == N_IfExp)
        return may_be(n->kid[1], text) || may_be(n->kid[2], text);
    return (n->kind == N_JoinedStr || (n->kind == N_Const && n->val->kind == CV_STR)) == text;
}

static void
format_each(In *in, PyObject *o, const Node *field, Node *of)
{
    for (int i = 1; i < 3; i++) {
        if (of->kid[i]->kind == N_IfExp) {
            format_each(in, o, field, of->kid[i]);
            continue;
        }
        Node *text = new_node(in, N_JoinedStr, o, 1), *part = new_node(in, N_FormattedValue, o, 1);
        part->kid[0] = of->kid[i];
        part->val = field->val;
        part->op = field->op;
        text->kid[0] = part;
        text->at = part->at = of->kid[i]->at;
        of->kid[i] = text;
    }
}

/* {x if c else ""} is a choice of texts, {f"{x}" if c else ""}, as x may be anything. */
void
in_format_choice(In *in, PyObject *o, Node *n)
{
    Node *of = n->kid[0];
    if (of->kind != N_IfExp || !may_be(of, true) || !may_be(of, false))
        return;
    format_each(in, o, n, of);
    n->val = NULL;
    n->op = -1;
}

/* A format spec is a JoinedStr; a constant one becomes the node's value. */
static Node *
in_formatted(In *in, PyObject *o)
{
    Node *n = in_two(in, N_FormattedValue, o, in->st->s_value, NULL);
    PyObject *conv = in_get(in, o, in->st->s_conversion);
    n->op = conv ? (int)PyLong_AsLong(conv) : -1;
    Py_XDECREF(conv);
    Node *spec = child(in, o, in->st->s_format_spec);
    if (spec && spec->kind == N_JoinedStr && spec->n == 1 && spec->kid[0]->kind == N_Const)
        n->val = spec->kid[0]->val;
    else if (spec && spec->n > 0 && n->op == 'a')
        return in_unsupported(in, o, "a computed format specification of a text in ASCII");
    else if (spec && spec->n > 0)
        in_format_by_call(in, o, n, spec);
    if (n->op == 'a')
        ascii_by_call(in, o, n);
    if (n->kid[0])
        in_format_choice(in, o, n);
    return n;
}

static Node *
in_lambda(In *in, PyObject *o)
{
    Node *n = new_node(in, N_Lambda, o, 0);
    n->fn = in_nested(in, o, true);
    return n;
}

static Node *
in_yield(In *in, PyObject *o)
{
    in->fn->is_generator = true;
    Node *n = in_two(in, N_Yield, o, in->st->s_value, NULL);
    n->op = in_kind(in, o) == A_YieldFrom;
    return n;
}

static Node *
with_ctx(In *in, Node *n, PyObject *o)
{
    n->op = get_ctx(in, o);
    return n;
}

static bool
is_display(const Node *n)
{
    return n->kind == N_List || n->kind == N_Tuple;
}

static int
count_spread(const Node *k)
{
    if (k->kind != N_Starred || !is_display(k->kid[0]))
        return 1;
    int n = 0;
    for (int i = 0; i < k->kid[0]->n; i++)
        n += count_spread(k->kid[0]->kid[i]);
    return n;
}

static void
put_spread(Node *n, Node *k)
{
    if (k->kind != N_Starred || !is_display(k->kid[0])) {
        n->kid[n->n++] = k;
        return;
    }
    for (int i = 0; i < k->kid[0]->n; i++)
        put_spread(n, k->kid[0]->kid[i]);
}

/* *[x] * 3: what is unpacked is a list that nobody else sees, as good as a tuple, which may have
 * iterators in it. */
static Node *
repeated_tuple(Node *star)
{
    Node *of = star ? star->kid[0] : NULL;
    bool repeated = of && of->kind == N_BinOp && of->op == B_MUL && of->kid[0]->kind == N_List &&
                    of->kid[1]->kind == N_Const && of->kid[1]->val->kind == CV_INT;
    if (repeated)
        of->kid[0]->kind = N_Tuple;
    return star;
}

/* [*[a, b], c] is [a, b, c]. */
static Node *
in_display(In *in, NodeKind kind, PyObject *o)
{
    Node *whole = with_ctx(in, with_children(in, kind, o, in->st->s_elts, 0), o);
    int n = 0;
    for (int i = 0; i < whole->n; i++)
        n += count_spread(whole->kid[i]);
    if (n == whole->n)
        return whole;
    Node *spread = ast_new(&in->cx->arena, in->fn, kind, whole->at, n);
    spread->op = whole->op;
    spread->n = 0;
    for (int i = 0; i < whole->n; i++)
        put_spread(spread, whole->kid[i]);
    return spread;
}

static Node *
expr_of(In *in, PyObject *e)
{
    State *st = in->st;
    if (in->failed)
        return ast_new(&in->cx->arena, in->fn, N_Pass, (Span){0}, 0);
    switch (in_kind(in, e)) {
    case A_Constant:
        return in_constant(in, e);
    case A_Name:
        return in_name(in, e);
    case A_BinOp:
        return in_bin_op(in, e);
    case A_UnaryOp:
        return in_unary(in, e);
    case A_BoolOp:
        return in_bool_op(in, e);
    case A_Compare:
        return in_compare(in, e);
    case A_IfExp:
        return in_three(in, N_IfExp, e, st->s_test, st->s_body, st->s_orelse);
    case A_NamedExpr:
        return in_two(in, N_NamedExpr, e, st->s_target, st->s_value);
    case A_Call:
        return in_call(in, e);
    case A_Starred:
        return repeated_tuple(in_two(in, N_Starred, e, st->s_value, NULL));
    case A_Attribute:
        return in_attribute(in, e);
    case A_Subscript:
        return with_ctx(in, in_two(in, N_Subscript, e, st->s_value, st->s_slice), e);
    case A_Slice:
        return in_three(in, N_Slice, e, st->s_lower, st->s_upper, st->s_step);
    case A_Tuple:
        return in_display(in, N_Tuple, e);
    case A_List:
        return in_display(in, N_List, e);
    case A_ListComp:
        return in_list_comp(in, e, 0);
    case A_GeneratorExp:
        return in_list_comp(in, e, 1);
    case A_Lambda:
        return in_lambda(in, e);
    case A_JoinedStr:
        return with_children(in, N_JoinedStr, e, st->s_values, 0);
    case A_FormattedValue:
        return in_formatted(in, e);
    case A_Set:
        return in_set(in, e);
    case A_SetComp:
        return in_list_comp(in, e, 3);
    case A_Dict:
        return in_dict(in, e);
    case A_DictComp:
        return in_list_comp(in, e, 2);
    case A_Await:
        return in_unsupported(in, e, "await");
    case A_Yield:
    case A_YieldFrom:
        return in_yield(in, e);
    case A_TemplateStr:
        return in_unsupported(in, e, "a template string");
    default:
        return in_unsupported(in, e, "this expression");
    }
}

Node *
in_expr(In *in, PyObject *e)
{
    if (in_is_deep(in, IN_EXPR_COST))
        return in_unsupported(in, e, "nesting this deep");
    in->nesting += IN_EXPR_COST;
    Node *n = expr_of(in, e);
    in->nesting -= IN_EXPR_COST;
    return n;
}
