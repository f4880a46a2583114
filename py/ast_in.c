/* SPDX-License-Identifier: BSD-3-Clause
 * From a Python function to our syntax tree: statements and functions (expressions are in
 * expr_in.c). Walks CPython's own _ast objects, made by its parser from the text that
 * source.c found, and queues every function met on the way, so that callees come into the
 * same Program. A Python exception (out of memory, mostly) sets in->failed and every
 * converter returns at once; what the user did wrong goes to cx->diags and the walk goes
 * on. */
#include "py.h"
#include "source.h"

void
in_init(In *in, State *st, Cx *cx, Deps *deps)
{
    memset(in, 0, sizeof *in);
    in->st = st;
    in->cx = cx;
    in->deps = deps;
    in->keep = PyList_New(0);
    in->failed = in->keep == NULL;
    in->prog = NEW(&cx->arena, Program);
    if (!cx->types)
        cx->types = type_table(&cx->arena);
}

void
in_clear(In *in)
{
    Py_CLEAR(in->keep);
    in_clear_imports(in);
    Py_CLEAR(in->upcalls);
}

PyObject *
in_get(In *in, PyObject *o, PyObject *name)
{
    if (in->failed)
        return NULL;
    PyObject *v = PyObject_GetAttr(o, name);
    if (!v)
        in->failed = true;
    return v;
}

PyAst
in_kind(In *in, PyObject *o)
{
    PyTypeObject *t = Py_TYPE(o);
    unsigned at = (unsigned)((uintptr_t)t >> 5) & 255;
    for (; in->st->ast_hash[at]; at = (at + 1) & 255)
        if (in->st->ast_hash[at] == t)
            return in->st->ast_hash_kind[at];
    return A_none;
}

static int
get_int(In *in, PyObject *o, PyObject *name)
{
    PyObject *v = in_get(in, o, name);
    long r = v && v != Py_None ? PyLong_AsLong(v) : 0;
    Py_XDECREF(v);
    return (int)r;
}

Span
in_span(In *in, PyObject *o)
{
    Span s = {.src = in->src};
    s.line = get_int(in, o, in->st->s_lineno) + in->line_shift;
    s.col = get_int(in, o, in->st->s_col_offset);
    s.end_line = get_int(in, o, in->st->s_end_lineno) + in->line_shift;
    s.end_col = get_int(in, o, in->st->s_end_col_offset);
    return s;
}

Sym
in_sym(In *in, PyObject *str)
{
    Py_ssize_t n = 0;
    const char *s = str ? PyUnicode_AsUTF8AndSize(str, &n) : NULL;
    if (!s) {
        in->failed = true;
        return intern(&in->cx->syms, "?");
    }
    return intern_n(&in->cx->syms, s, (size_t)n);
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
new_node(In *in, NodeKind k, PyObject *o, int n)
{
    return ast_new(&in->cx->arena, in->fn, k, in_span(in, o), n);
}

/* The child of `o` in field `name` as an expression; NULL where it is None. */
static Node *
child(In *in, PyObject *o, PyObject *name)
{
    PyObject *v = in_get(in, o, name);
    Node *n = v && v != Py_None ? in_expr(in, v) : NULL;
    Py_XDECREF(v);
    return n;
}

static Node *
block(In *in, PyObject *o, PyObject *name, bool null_if_empty)
{
    PyObject *list = in_get(in, o, name);
    Node *n = NULL;
    if (list && !(null_if_empty && PyList_GET_SIZE(list) == 0))
        n = in_block(in, list);
    Py_XDECREF(list);
    return n;
}

Node *
in_child(In *in, PyObject *o, PyObject *name)
{
    return child(in, o, name);
}

Node *
in_body_of(In *in, PyObject *o)
{
    return block(in, o, in->st->s_body, false);
}

/* All of a list field as kids of `n` from `at` on. */
static void
children(In *in, Node *n, int at, PyObject *list)
{
    for (Py_ssize_t i = 0; list && i < PyList_GET_SIZE(list); i++)
        n->kid[at + i] = in_expr(in, PyList_GET_ITEM(list, i));
}

Node *
in_unsupported(In *in, PyObject *o, const char *what)
{
    Node *n = new_node(in, N_Unsupported, o, 0);
    n->name = intern(&in->cx->syms, what);
    return n;
}

static Node *
in_assign(In *in, PyObject *s)
{
    PyObject *targets = in_get(in, s, in->st->s_targets);
    if (!targets)
        return NULL;
    Node *n = new_node(in, N_Assign, s, 1 + (int)PyList_GET_SIZE(targets));
    n->kid[0] = child(in, s, in->st->s_value);
    children(in, n, 1, targets);
    Py_DECREF(targets);
    return n;
}

static Node *
in_for(In *in, PyObject *s)
{
    Node *n = new_node(in, N_For, s, 4);
    n->kid[0] = child(in, s, in->st->s_target);
    n->kid[1] = child(in, s, in->st->s_iter);
    n->kid[2] = block(in, s, in->st->s_body, false);
    n->kid[3] = block(in, s, in->st->s_orelse, true);
    return n;
}

static Node *
in_test_block(In *in, NodeKind k, PyObject *s)
{
    Node *n = new_node(in, k, s, 3);
    n->kid[0] = child(in, s, in->st->s_test);
    n->kid[1] = block(in, s, in->st->s_body, false);
    n->kid[2] = block(in, s, in->st->s_orelse, true);
    return n;
}

static Node *
in_try(In *in, PyObject *s)
{
    PyObject *handlers = in_get(in, s, in->st->s_handlers);
    if (!handlers)
        return NULL;
    int nh = (int)PyList_GET_SIZE(handlers);
    Node *n = new_node(in, N_Try, s, 3 + nh);
    n->kid[0] = block(in, s, in->st->s_body, false);
    n->kid[1] = block(in, s, in->st->s_orelse, true);
    n->kid[2] = block(in, s, in->st->s_finalbody, true);
    for (int i = 0; i < nh; i++) {
        PyObject *h = PyList_GET_ITEM(handlers, i);
        Node *k = n->kid[3 + i] = new_node(in, N_Handler, h, 2);
        k->name = get_sym(in, h, in->st->s_name);
        k->kid[0] = child(in, h, in->st->s_type);
        k->kid[1] = block(in, h, in->st->s_body, false);
    }
    Py_DECREF(handlers);
    return n;
}

static Node *
in_delete(In *in, PyObject *s)
{
    PyObject *targets = in_get(in, s, in->st->s_targets);
    if (!targets)
        return NULL;
    Node *n = new_node(in, N_Delete, s, (int)PyList_GET_SIZE(targets));
    children(in, n, 0, targets);
    Py_DECREF(targets);
    return n;
}

static Node *
in_function_def(In *in, PyObject *s)
{
    PyObject *decorators = in_get(in, s, in->st->s_decorator_list);
    bool decorated = decorators && PyList_GET_SIZE(decorators) > 0;
    bool cached = decorated && in_is_cached(in, decorators);
    Py_XDECREF(decorators);
    Node *n = new_node(in, N_FunctionDef, s, 0), *both;
    n->name = get_sym(in, s, in->st->s_name);
    n->fn = in_nested(in, s, false);
    if (!cached || in->failed)
        return decorated && !in->failed ? in_decorated(in, n, s) : n;
    both = in_cached(in, n);
    return both ? both : in_unsupported(in, s, "a cache of a function with such parameters");
}

/* `global x`: the name is kept so that the message can show it. */
static Node *
in_global(In *in, PyObject *s)
{
    PyObject *names = in_get(in, s, in->st->s_names);
    int count = names ? (int)PyList_GET_SIZE(names) : 0;
    Node *all = new_node(in, N_Block, s, count);
    for (int i = 0; i < count; i++) { /* resolve.c drops it when that is only read */
        all->kid[i] = new_node(in, N_Global, s, 0);
        all->kid[i]->name = in_sym(in, PyList_GET_ITEM(names, i));
        all->kid[i]->op = in_kind(in, s) == A_Nonlocal ? NONLOCAL : 0;
    }
    Py_XDECREF(names);
    return count == 1 ? all->kid[0] : all;
}

static Node *
in_expr_stmt(In *in, PyObject *s)
{
    PyObject *v = in_get(in, s, in->st->s_value);
    if (!v)
        return NULL;
    bool told = false;
    Node *n = in_told(in, s, v, &told);
    if (in_kind(in, v) == A_Constant) { /* a docstring, or `...` */
        n = new_node(in, N_Pass, s, 0);
    } else if (!told) {
        n = new_node(in, N_Expr, s, 1);
        n->kid[0] = in_expr(in, v);
    }
    Py_DECREF(v);
    return n;
}

static int
binop_of(In *in, PyObject *s)
{
    PyObject *op = in_get(in, s, in->st->s_op);
    int k = op ? (int)in_kind(in, op) : A_Add;
    Py_XDECREF(op);
    static const uint8_t of[] = {[A_Add - A_Add] = B_ADD,           [A_Sub - A_Add] = B_SUB,
                                 [A_Mult - A_Add] = B_MUL,          [A_Div - A_Add] = B_DIV,
                                 [A_FloorDiv - A_Add] = B_FLOORDIV, [A_Mod - A_Add] = B_MOD,
                                 [A_Pow - A_Add] = B_POW,           [A_MatMult - A_Add] = B_MATMUL,
                                 [A_LShift - A_Add] = B_LSHIFT,     [A_RShift - A_Add] = B_RSHIFT,
                                 [A_BitOr - A_Add] = B_OR,          [A_BitXor - A_Add] = B_XOR,
                                 [A_BitAnd - A_Add] = B_AND};
    return of[k - A_Add];
}

int
in_binop(In *in, PyObject *o)
{
    return binop_of(in, o);
}

static Node *
in_aug_assign(In *in, PyObject *s)
{
    Node *n = new_node(in, N_AugAssign, s, 2);
    n->op = binop_of(in, s);
    n->kid[0] = child(in, s, in->st->s_target);
    n->kid[1] = child(in, s, in->st->s_value);
    return n;
}

static bool
asserts(void)
{
    PyObject *d = PyDict_GetItemString(PyEval_GetBuiltins(), "__debug__");
    return !d || PyObject_IsTrue(d);
}

static Node *
stmt_of(In *in, PyObject *s)
{
    State *st = in->st;
    switch (in_kind(in, s)) {
    case A_Expr:
        return in_expr_stmt(in, s);
    case A_Assign:
        return in_assign(in, s);
    case A_AugAssign:
        return in_aug_assign(in, s);
    case A_AnnAssign:
        return in_two(in, N_AnnAssign, s, st->s_target, st->s_value);
    case A_If:
        return in_test_block(in, N_If, s);
    case A_While:
        return in_test_block(in, N_While, s);
    case A_For:
        return in_for(in, s);
    case A_Break:
        return new_node(in, N_Break, s, 0);
    case A_Continue:
        return new_node(in, N_Continue, s, 0);
    case A_Pass:
        return new_node(in, N_Pass, s, 0);
    case A_Return:
        return in_two(in, N_Return, s, st->s_value, NULL);
    case A_Raise:
        return in_two(in, N_Raise, s, st->s_exc, st->s_cause);
    case A_Assert:
        if (!asserts()) /* python -O takes them out */
            return new_node(in, N_Pass, s, 0);
        return in_two(in, N_Assert, s, st->s_test, st->s_msg);
    case A_Try:
        return in_try(in, s);
    case A_Delete:
        return in_delete(in, s);
    case A_FunctionDef:
        return in_function_def(in, s);
    case A_With:
        return in_with(in, s);
    case A_Global:
    case A_Nonlocal:
        return in_global(in, s);
    case A_ClassDef:
        return in_unsupported(in, s, "a class definition");
    case A_Import:
    case A_ImportFrom:
        return in_import(in, s);
    case A_Match:
        return in_match(in, s);
    case A_TryStar:
        return in_unsupported(in, s, "except*");
    case A_TypeAlias:
        return in_unsupported(in, s, "a type alias");
    case A_AsyncFunctionDef:
    case A_AsyncFor:
    case A_AsyncWith:
        return in_unsupported(in, s, "async");
    default:
        return in_unsupported(in, s, "this statement");
    }
}

bool
in_is_deep(In *in, int cost)
{
    if (!thread_info.stack_limit)
        thread_info_fill();
    bool small = (char *)__builtin_frame_address(0) < thread_info.stack_limit;
    in->small_stack |= small;
    return small || in->nesting + cost > IN_MAX_NESTING;
}

Node *
in_stmt(In *in, PyObject *s)
{
    if (in_is_deep(in, IN_STMT_COST))
        return in_unsupported(in, s, "nesting this deep");
    in->nesting += IN_STMT_COST;
    Node *n = stmt_of(in, s);
    in->nesting -= IN_STMT_COST;
    return n;
}

Node *
in_block(In *in, PyObject *list)
{
    int n = (int)PyList_GET_SIZE(list);
    Span at = {.src = in->src};
    if (n > 0 && !in->failed) {
        Span last = in_span(in, PyList_GET_ITEM(list, n - 1));
        at = in_span(in, PyList_GET_ITEM(list, 0));
        at.end_line = last.end_line;
        at.end_col = last.end_col;
    }
    Node *b = ast_new(&in->cx->arena, in->fn, N_Block, at, n);
    for (int i = 0; i < n; i++) {
        Node *k = in->failed ? NULL : in_stmt(in, PyList_GET_ITEM(list, i));
        b->kid[i] = k ? k : ast_new(&in->cx->arena, in->fn, N_Pass, at, 0);
    }
    return b;
}

/* ---- functions ------------------------------------------------------------------------------- */

static const char *
annotation_text(In *in, Node *holder, PyObject *arg)
{
    PyObject *v = in_get(in, arg, in->st->s_annotation);
    const char *text = NULL;
    if (v && v != Py_None) {
        holder->at = in_span(in, v);
        text = ast_text(&in->cx->arena, holder);
    }
    Py_XDECREF(v);
    return text;
}

static void
add_param(In *in, FuncDef *f, PyObject *arg, ParamKind kind)
{
    Param *p = &f->params[f->n_params++];
    Node holder = {.kind = N_Pass};
    p->name = get_sym(in, arg, in->st->s_arg);
    p->kind = kind;
    p->at = in_span(in, arg);
    p->annotation = annotation_text(in, &holder, arg);
}

static int
add_params(In *in, FuncDef *f, PyObject *args, PyObject *field, ParamKind kind)
{
    PyObject *list = in_get(in, args, field);
    int n = list ? (int)PyList_GET_SIZE(list) : 0;
    for (int i = 0; i < n && !in->failed; i++)
        add_param(in, f, PyList_GET_ITEM(list, i), kind);
    Py_XDECREF(list);
    return n;
}

/* Defaults of a nested function are expressions of the function around it. */
static void
nested_defaults(In *in, FuncDef *f, PyObject *args, int n_pos, int first_kwonly)
{
    FuncDef *self = in->fn;
    PyObject *list = in_get(in, args, in->st->s_defaults);
    in->fn = f->parent;
    int n = list ? (int)PyList_GET_SIZE(list) : 0;
    for (int i = 0; i < n && !in->failed; i++)
        f->params[n_pos - n + i].def_node = in_expr(in, PyList_GET_ITEM(list, i));
    Py_XDECREF(list);
    list = in_get(in, args, in->st->s_kw_defaults);
    n = list ? (int)PyList_GET_SIZE(list) : 0;
    for (int i = 0; i < n && !in->failed; i++)
        if (PyList_GET_ITEM(list, i) != Py_None)
            f->params[first_kwonly + i].def_node = in_expr(in, PyList_GET_ITEM(list, i));
    Py_XDECREF(list);
    in->fn = self;
}

static int
count_params(In *in, PyObject *args)
{
    PyObject *fields[] = {in->st->s_posonlyargs, in->st->s_args, in->st->s_kwonlyargs};
    int n = 2;
    for (int i = 0; i < 3; i++) {
        PyObject *list = in_get(in, args, fields[i]);
        n += list ? (int)PyList_GET_SIZE(list) : 0;
        Py_XDECREF(list);
    }
    return n;
}

int
in_params(In *in, FuncDef *f, PyObject *args, bool nested)
{
    State *st = in->st;
    PyObject *vararg = in_get(in, args, st->s_vararg), *kwarg = in_get(in, args, st->s_kwarg);
    f->params = NEW_N(&in->cx->arena, Param, count_params(in, args));
    int n_pos = add_params(in, f, args, st->s_posonlyargs, P_POSONLY);
    n_pos += add_params(in, f, args, st->s_args, P_POS);
    if (vararg && vararg != Py_None)
        add_param(in, f, vararg, P_VARARGS);
    int first_kwonly = f->n_params;
    add_params(in, f, args, st->s_kwonlyargs, P_KWONLY);
    if (kwarg && kwarg != Py_None)
        add_param(in, f, kwarg, P_KEYWORDS);
    Py_XDECREF(vararg);
    Py_XDECREF(kwarg);
    if (nested)
        nested_defaults(in, f, args, n_pos, first_kwonly);
    return in->failed ? -1 : 0;
}

struct Rename {
    Sym from, to;
    struct Rename *prev;
};

FuncDef *
in_nested(In *in, PyObject *node, bool lambda)
{
    Arena *a = &in->cx->arena;
    FuncDef *outer = in->fn, *f = NEW(a, FuncDef);
    struct Rename *renames = in->renames;
    f->parent = outer;
    f->src = in->src;
    f->at = in_span(in, node);
    f->is_lib = outer->is_lib;
    f->is_installed = outer->is_installed;
    f->int_divide = outer->int_divide;
    f->index = outer->index;
    f->name = lambda ? intern(&in->cx->syms, "<lambda>") : get_sym(in, node, in->st->s_name);
    f->qualname = arena_printf(a, "%s.%s", outer->qualname, f->name);
    in->fn = f;
    PyObject *args = in_get(in, node, in->st->s_args);
    if (args)
        in_params(in, f, args, true);
    Py_XDECREF(args);
    for (int i = 0; i < f->n_params; i++) { /* parameters hide a comprehension's variables */
        struct Rename *r = NEW(a, struct Rename);
        *r = (struct Rename){f->params[i].name, f->params[i].name, in->renames};
        in->renames = r;
    }
    if (lambda) {
        Node *b = ast_new(a, f, N_Block, f->at, 1);
        b->kid[0] = ast_new(a, f, N_Return, f->at, 1);
        b->kid[0]->kid[0] = child(in, node, in->st->s_body);
        f->body = b;
    } else {
        f->body = block(in, node, in->st->s_body, false);
    }
    in->renames = renames;
    in->fn = outer;
    return f;
}

static const Const *
default_const(In *in, PyObject *o)
{
    const Const *c = PyDict_CheckExact(o) ? in_dict_const(in, o) : NULL;
    return c ? c : in_const(in, o, NULL);
}

/* Default values of a Python function are values: __defaults__ and __kwdefaults__. */
void
in_fill_defaults(In *in, FuncDef *f, PyObject *func)
{
    PyObject *defs = PyFunction_GET_DEFAULTS(func);
    PyObject *kw = PyFunction_GET_KW_DEFAULTS(func);
    int n_pos = 0;
    while (n_pos < f->n_params &&
           (f->params[n_pos].kind == P_POS || f->params[n_pos].kind == P_POSONLY))
        n_pos++;
    Py_ssize_t nd = defs ? PyTuple_GET_SIZE(defs) : 0;
    for (Py_ssize_t i = 0; i < nd && i < n_pos; i++)
        f->params[n_pos - 1 - i].def = default_const(in, PyTuple_GET_ITEM(defs, nd - 1 - i));
    for (int i = n_pos; kw && i < f->n_params; i++) {
        PyObject *v = PyDict_GetItemString(kw, f->params[i].name);
        if (v)
            f->params[i].def = default_const(in, v);
    }
}

static void
in_body(In *in, FuncDef *f, PyObject *node)
{
    Arena *a = &in->cx->arena;
    bool lambda = in_kind(in, node) == A_Lambda;
    f->at = in_span(in, node);
    PyObject *args = in_get(in, node, in->st->s_args);
    if (args)
        in_params(in, f, args, false);
    Py_XDECREF(args);
    if (lambda) {
        f->body = ast_new(a, f, N_Block, f->at, 1);
        f->body->kid[0] = ast_new(a, f, N_Return, f->at, 1);
        f->body->kid[0]->kid[0] = child(in, node, in->st->s_body);
    } else {
        f->body = block(in, node, in->st->s_body, false);
    }
}

static void
parse_function(In *in, FuncDef *f, PyObject *func)
{
    PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(func);
    const char *why = NULL;
    in->func = func;
    in->globals = PyFunction_GET_GLOBALS(func);
    in->fn = f;
    in->renames = NULL;
    in_clear_imports(in);
    PyObject *node = in_source(in, (PyObject *)code, &in->src, &in->line_shift, &why);
    in->failed |= !node && PyErr_Occurred();
    if (in->failed)
        return;
    f->src = in->src;
    deps_code(in->deps, func);
    if (!node) {
        if (code->co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR))
            why = NULL;
        in_no_source(in, f, func, why);
        return;
    }
    if (in_is_too_many(in, f, func)) {
        Py_DECREF(node);
        return;
    }
    f->src->func = f->qualname;
    f->src->is_lib = f->is_lib;
    node = own_annotated(in, func, node);
    if (!node)
        return;
    in->root = node;
    in_body(in, f, node);
    in_memo_body(in, f);
    in_refuse_imports(in, f);
    in->root = NULL;
    Py_DECREF(node);
    deps_defaults(in->deps, func);
    in_fill_defaults(in, f, func);
    if (!in->failed)
        in_resolve(in, f);
    if (!in->failed && f != in->prog->root)
        in_default_containers(in, f, func);
    if (PyErr_Occurred())
        in->failed = true;
}

int
in_parse_queue(In *in, int from)
{
    for (; from < in->queue.n && !in->failed; from++)
        if (in->queue.at[from])
            parse_function(in, in->prog->funcs.at[from], in->queue.at[from]);
    return from;
}

FuncDef *
in_function(In *in, PyObject *func)
{
    FuncDef *f = map_get(&in->func_of, func);
    in->root_called |= f && f == in->prog->root;
    if (!f)
        map_put(&in->cx->arena, &in->func_of, func, f = in_function_again(in, func));
    return f;
}

FuncDef *
in_function_again(In *in, PyObject *func)
{
    Arena *a = &in->cx->arena;
    PyFunctionObject *fo = (PyFunctionObject *)func;
    PyObject *module = fo->func_module;
    FuncDef *f = NEW(a, FuncDef);
    f->name = in_sym(in, fo->func_name);
    f->qualname = arena_str(a, PyUnicode_AsUTF8(fo->func_qualname));
    f->is_lib = in_is_library(module && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : "");
    f->is_installed = !f->is_lib && in_is_installed(fo);
    while (in->queue.n < in->prog->funcs.n) /* those that the compiler has written */
        VEC_PUSH(a, in->queue, NULL);
    f->index = in->prog->funcs.n;
    VEC_PUSH(a, in->prog->funcs, f);
    VEC_PUSH(a, in->queue, func);
    f->chooser = own_chooser(in, func);
    if (PyList_Append(in->keep, func) < 0)
        in->failed = true;
    return f;
}

const Type *
in_arg_type(In *in, PyObject *o)
{
    o = typed_stands_for(o);
    if (in->rows && heap_is_row(in->rows, o))
        return heap_row_type(in, o);
    bool keyed = !in->mixed && keyed_is_value(in->dict_objects, o, 0);
    return keyed ? keyed_type(in, o) : args_type(in, o);
}

typedef struct Root {
    PyObject *func;
    PyObject *const *args;
    int n;
    const Type **types;
} Root;

static bool
read_root(In *in, void *arg)
{
    const Root *r = arg;
    if (!in->failed)
        in->prog->root = in_function(in, r->func);
    for (int i = 0; i < r->n && !in->failed; i++) /* may add functions, after the root */
        r->types[i] = known_is(in->known, r->args[i], i) ? type_none(in->cx->types)
                                                         : in_arg_type(in, r->args[i]);
    int met = in_parse_queue(in, 0);
    FuncDef *root = in->prog->root;
    if (!in->failed && in->root_called) {
        bool containers = in_default_containers(in, root, r->func);
        if (containers || in->memos.n) /* its dicts are made once: by another */
            in->prog->root = in_function_again(in, r->func);
    }
    in_parse_queue(in, met);
    known_assign(in, r->args, r->n);
    if (!in->failed) {
        in_outer_close(in);
        ast_write_out_methods(in->cx, in->prog);
        if (in->n_with)
            ast_write_out_with(in->cx, in->prog);
        in->objects = in_resumable(in);
        ast_split_iterables(in->cx, in->prog);
        ast_expand_generators(in->cx, in->prog);
        if (in->objects)
            ast_end_resumable(in->objects);
    }
    return !in->failed;
}

int
in_program(In *in, PyObject *func, PyObject *const *args, int n, const Type **types)
{
    if (in_guarded(in, read_root, &(Root){func, args, n, types}))
        return 0;
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_SystemError, "swathe: reading the function failed");
    return -1;
}
