/* SPDX-License-Identifier: BSD-3-Clause
 * Scopes of a parsed function, and what its global names stand for. First the locals of
 * each function inside out, then which names nested functions take from those around
 * them; the rest are closure cells, globals or builtins of the Python function, and
 * become constants. Attribute chains on modules (np.linalg.norm, mymod.LIMIT) fold into
 * one Const node in place: the node keeps its id and span, its kids are simply no longer
 * reached. */
#include "py.h"

typedef Vec(Sym) Names;

static void
add_name(In *in, Names *v, Sym name)
{
    if (name && !ast_has_name(v->at, v->n, name))
        VEC_PUSH(&in->cx->arena, *v, name);
}

static void find_locals(In *in, FuncDef *f);

static void
walk_stores(In *in, Node *n, Names *out)
{
    if (!n)
        return;
    if ((n->kind == N_Name && n->op != CTX_LOAD) || n->kind == N_Handler ||
        n->kind == N_FunctionDef)
        add_name(in, out, n->name);
    if (n->fn) {
        for (int i = 0; i < n->fn->n_params; i++)
            walk_stores(in, (Node *)n->fn->params[i].def_node, out);
    }
    for (int i = 0; i < n->n; i++)
        walk_stores(in, n->kid[i], out);
}

static void
walk_nested(In *in, Node *n, void (*visit)(In *, FuncDef *))
{
    if (!n)
        return;
    if (n->fn)
        visit(in, n->fn);
    for (int i = 0; i < n->n; i++)
        walk_nested(in, n->kid[i], visit);
}

/* `global x` changes nothing where x is only read. */
static void
drop_read_globals(Node *n, const Names *stored)
{
    if (!n)
        return;
    if (n->kind == N_Global && n->name && !ast_has_name(stored->at, stored->n, n->name)) {
        n->kind = N_Pass;
        n->name = NULL;
    }
    for (int i = 0; i < n->n; i++)
        drop_read_globals(n->kid[i], stored);
}

static void
find_locals(In *in, FuncDef *f)
{
    Names names = {0};
    for (int i = 0; i < f->n_params; i++)
        add_name(in, &names, f->params[i].name);
    walk_stores(in, f->body, &names);
    drop_read_globals(f->body, &names);
    f->locals = names.at;
    f->n_locals = names.n;
    walk_nested(in, f->body, find_locals);
}

static void find_free(In *in, FuncDef *f);

static void
walk_loads(In *in, FuncDef *f, Node *n, Names *free_names)
{
    if (!n)
        return;
    if (n->kind == N_Name && !ast_has_name(f->locals, f->n_locals, n->name) &&
        ast_is_local(f->parent, n->name))
        add_name(in, free_names, n->name);
    if (n->fn) {
        find_free(in, n->fn);
        for (int i = 0; i < n->fn->n_free; i++)
            if (!ast_has_name(f->locals, f->n_locals, n->fn->free[i]))
                add_name(in, free_names, n->fn->free[i]);
        for (int i = 0; i < n->fn->n_params; i++)
            walk_loads(in, f, (Node *)n->fn->params[i].def_node, free_names);
    }
    for (int i = 0; i < n->n; i++)
        walk_loads(in, f, n->kid[i], free_names);
}

static void
find_free(In *in, FuncDef *f)
{
    Names names = {0};
    walk_loads(in, f, f->body, &names);
    f->free = names.at;
    f->n_free = names.n;
}

/* ---- what global names stand for ------------------------------------------------------------- */

PyObject *
in_cell(In *in, PyObject *name)
{
    PyObject *closure = PyFunction_GET_CLOSURE(in->func);
    if (!closure)
        return NULL;
    PyObject *code = PyFunction_GET_CODE(in->func);
    PyObject *names = PyObject_GetAttr(code, in->st->s_co_freevars), *cell = NULL;
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++)
        if (PyUnicode_Compare(PyTuple_GET_ITEM(names, i), name) == 0)
            cell = PyTuple_GET_ITEM(closure, i);
    Py_XDECREF(names);
    return cell;
}

/* What the name is bound to now; *found false when to nothing. Borrowed. */
PyObject *
in_look_up(In *in, PyObject *name, bool record)
{
    PyObject *v = in->imports ? PyDict_GetItem(in->imports, name) : NULL;
    if (v)
        return v;
    PyObject *cell = in_cell(in, name);
    if (cell) {
        if (record)
            deps_cell(in->deps, cell);
        return PyCell_GET(cell);
    }
    v = PyDict_GetItem(in->globals, name);
    if (record)
        deps_dict(in->deps, in->globals, name, v);
    if (v)
        return v;
    PyObject *b = PyDict_GetItemString(in->globals, "__builtins__");
    if (b && PyModule_Check(b))
        b = PyModule_GetDict(b);
    if (!b || !PyDict_Check(b))
        b = PyEval_GetBuiltins();
    return PyDict_GetItem(b, name);
}

static void
mention_lib(In *in, const char *name)
{
    PyObject *f = in_lib_function(in, name);
    if (f)
        in_function(in, f);
    else if (PyErr_Occurred())
        in->failed = true;
}

void
in_mention(In *in, const Const *c)
{
    if (c && c->kind == CV_BUILTIN && ((const Builtin *)c->ref)->family == BF_LIB)
        mention_lib(in, ((const Builtin *)c->ref)->def);
}

/* The function's own name while it is still being decorated. */
static const Const *
self_const(In *in, FuncDef *f, Sym name)
{
    if (name != f->name)
        return NULL;
    Const *c = NEW(&in->cx->arena, Const);
    c->kind = CV_FUNC;
    c->ref = f;
    in->root_called |= f == in->prog->root;
    return c;
}

/* NULL: the name stands for nothing that is an argument of its own (outer.c). */
static Sym
outer_name_of(In *in, PyObject *key)
{
    PyObject *v = in_look_up(in, key, false), *cell = in_cell(in, key);
    bool imported = in->imports && PyDict_GetItem(in->imports, key);
    PyObject *where = cell ? cell : PyDict_GetItem(in->globals, key) ? in->globals : NULL;
    return imported ? NULL : in_outer(in, where, key, v);
}

static void
bind_global(In *in, FuncDef *f, Sym name)
{
    for (int i = 0; i < f->n_globals; i++)
        if (f->globals[i].name == name)
            return;
    PyObject *key = PyUnicode_FromString(name);
    if (!key) {
        in->failed = true;
        return;
    }
    PyUnicode_InternInPlace(&key);
    PyObject *cell = in_cell(in, key);
    Sym element = f->is_lib ? NULL : in_outer_element(in, cell ? cell : in->globals, key);
    if (element && ast_outer_cell(in->cx, f, name, element)) {
        Py_DECREF(key);
        return;
    }
    Sym outer = f->is_lib ? NULL : outer_name_of(in, key);
    if (outer) {
        in_outer_rename(f, f->body, name, outer);
        Py_DECREF(key);
        return;
    }
    PyObject *v = in_look_up(in, key, !f->is_lib);
    const Const *c = v ? in_const(in, v, name) : self_const(in, f, name);
    Py_DECREF(key);
    if (!c || in->failed)
        return;
    in_mention(in, c);
    f->globals[f->n_globals++] = (Binding){name, c};
}

static void
walk_globals(In *in, FuncDef *root, FuncDef *f, Node *n, Names *out)
{
    if (!n)
        return;
    if (n->kind == N_Name && !ast_is_local(f, n->name))
        add_name(in, out, n->name);
    if (n->fn) {
        walk_globals(in, root, n->fn, n->fn->body, out);
        for (int i = 0; i < n->fn->n_params; i++)
            walk_globals(in, root, f, (Node *)n->fn->params[i].def_node, out);
    }
    for (int i = 0; i < n->n; i++)
        walk_globals(in, root, f, n->kid[i], out);
}

const Const *
in_constant_value(const FuncDef *f, const Node *n)
{
    if (n->kind == N_Const)
        return n->val;
    if (n->kind == N_Name && n->op == CTX_LOAD && !ast_is_local(f, n->name))
        return ast_global(f, n->name);
    return NULL;
}

static void
become_const(Node *n, const Const *c)
{
    n->kind = N_Const;
    n->val = c;
    n->n = 0;
    n->name = NULL;
    n->op = 0;
}

/* itemgetter(1): a place in a tuple of unlike elements has to be known, and what a closure takes is
 * not. */
static void
fold_itemgetter(In *in, FuncDef *f, Node *n)
{
    const Const *c = n->n == 2 ? in_constant_value(f, n->kid[0]) : NULL,
                *k = c && n->kid[1]->kind != N_Keyword ? in_constant_value(f, n->kid[1]) : NULL;
    const FuncDef *of = c && c->kind == CV_FUNC ? c->ref : NULL;
    if (!of || !of->is_lib || strcmp(of->name, "itemgetter") || !k || k->kind != CV_INT)
        return;
    const Const *at =
        in_stdlib_method(in, "itemgetter", arena_printf(&in->cx->arena, "%" PRId64, k->i));
    if (at)
        become_const(n, at);
}

/* ---- np.dtype("f4"), np.finfo(np.float64).eps ------------------------------------------------ */

static PyObject *
const_object(const Const *c)
{
    if (c && c->kind == CV_STR)
        return PyUnicode_FromStringAndSize(c->str, (Py_ssize_t)c->str_len);
    if (c && c->kind == CV_DTYPE)
        return PyUnicode_FromString(dtype_info[c->dtype].name);
    return NULL;
}

/* The function itself when `c` is np.dtype, np.finfo or np.iinfo; borrowed. */
static PyObject *
info_function(In *in, const Const *c)
{
    if (c && c->kind == CV_UNSUPPORTED)
        return (PyObject *)c->ref;
    const Builtin *b = c && c->kind == CV_BUILTIN ? c->ref : NULL;
    bool info = b && (b->id == BI_np_dtype || b->id == BI_np_finfo || b->id == BI_np_iinfo);
    return info ? numpy_attr(in->st, b->name) : NULL;
}

/* np.datetime64("2020-01-31", "s") is read by NumPy now. What the clock says is not for the
 * cache. */
static bool
fold_time(In *in, FuncDef *f, Node *n)
{
    const Const *cls = in_constant_value(f, n->kid[0]), *c[2];
    if (!cls || cls->kind != CV_DTYPE || !cls->b || !dtype_is_param((DType)cls->dtype))
        return false;
    for (int i = 0; i < 2 && i + 1 < n->n; i++) {
        c[i] = in_constant_value(f, n->kid[i + 1]);
        if (!c[i] || c[i]->kind != CV_STR || !strcmp(c[i]->str, "now") ||
            !strcmp(c[i]->str, "today"))
            return true;
    }
    if (n->n < 2 || n->n > 3)
        return true;
    bool date = dtype_kind((DType)cls->dtype) == DK_DATE;
    PyObject *fn = numpy_attr(in->st, date ? "datetime64" : "timedelta64");
    PyObject *v = !fn         ? NULL
                  : n->n == 2 ? PyObject_CallFunction(fn, "s", c[0]->str)
                              : PyObject_CallFunction(fn, "ss", c[0]->str, c[1]->str);
    if (v)
        become_const(n, in_const(in, v, NULL));
    PyErr_Clear(); /* sema tells of what can't be read */
    Py_XDECREF(v);
    return true;
}

/* typed.List.empty_list(int64) is list(): the first element tells of what. */
static bool
fold_stand_in(In *in, FuncDef *f, Node *n)
{
    const Const *c = in_constant_value(f, n->kid[0]);
    PyObject *is = c && c->kind == CV_UNSUPPORTED && c->ref ? in_stands_for((PyObject *)c->ref) : 0;
    if (!is || is == Py_None) /* None: refused by its name */
        return false;
    if (PyFunction_Check((PyObject *)c->ref) && PyType_Check(is))
        n->n = 1;
    become_const(n->kid[0], in_const(in, is, NULL));
    return true;
}

/* A call of np.dtype, np.finfo or np.iinfo with a constant is done now. */
static void
fold_call(In *in, FuncDef *f, Node *n)
{
    if (fold_time(in, f, n) || fold_stand_in(in, f, n))
        return;
    PyObject *fn = n->n == 2 ? info_function(in, in_constant_value(f, n->kid[0])) : NULL;
    if (!fn)
        return;
    PyObject *arg = const_object(in_constant_value(f, n->kid[1]));
    PyObject *v = arg ? PyObject_CallOneArg(fn, arg) : NULL;
    if (v)
        become_const(n, in_const(in, v, NULL));
    else
        PyErr_Clear(); /* what is wrong with it shows where it is used */
    Py_XDECREF(arg);
    Py_XDECREF(v);
}

static Node *
made(In *in, FuncDef *f, NodeKind k, Span at, int n)
{
    return ast_new(&in->cx->arena, f, k, at, n);
}

/* dict(a=1, b=2) is a display, Counter(a=1) the Counter of one. */
static void
fold_dict(In *in, FuncDef *f, Node *n)
{
    const Const *c = in_constant_value(f, n->kid[0]);
    const Builtin *b = c && c->kind == CV_BUILTIN ? c->ref : NULL;
    bool counts = b && b->id == BI_py_Counter;
    if (!b || (b->id != BI_py_dict && !counts) || n->n < 2)
        return;
    for (int i = 1; i < n->n; i++)
        if (n->kid[i]->kind != N_Keyword || (counts && !n->kid[i]->name))
            return;
    if (counts) {
        Node *of = made(in, f, N_Call, n->at, n->n);
        memcpy(of->kid, n->kid, sizeof(Node *) * (size_t)n->n);
        n->kid[1] = of;
        n->n = 2;
        n = of;
    }
    for (int i = 1; i < n->n; i++) {
        Node *k = n->kid[i],
             *part = made(in, f, k->name ? N_Tuple : N_Starred, k->at, 1 + !!k->name);
        part->kid[!!k->name] = k->kid[0];
        if (k->name) {
            Const *key = NEW(&in->cx->arena, Const);
            *key = (Const){.kind = CV_STR, .str = k->name, .str_len = strlen(k->name)};
            part->kid[0] = made(in, f, N_Const, k->at, 0);
            part->kid[0]->val = key;
        }
        n->kid[i - 1] = part;
    }
    n->kind = N_Dict;
    n->n--;
}

/* next(iter(x)) is the first of x, and no iterator is made: the keys of a dict have none. */
static void
fold_first(In *in, FuncDef *f, Node *n)
{
    const Const *c = in_constant_value(f, n->kid[0]),
                *k = n->n == 2 && n->kid[1]->kind == N_Call
                         ? in_constant_value(f, n->kid[1]->kid[0])
                         : NULL;
    const Builtin *next = c && c->kind == CV_BUILTIN ? c->ref : NULL,
                  *iter = k && k->kind == CV_BUILTIN ? k->ref : NULL;
    if (!next || !iter || next->id != BI_py_next || iter->id != BI_py_iter || n->kid[1]->n != 2)
        return;
    Node *x = n->kid[1]->kid[1];
    if (x->kind != N_Name && x->kind != N_Attribute && x->kind != N_Subscript)
        return;
    const Const *first = in_stdlib_method(in, "iter", "first");
    if (!first)
        return;
    n->kid[0] = made(in, f, N_Const, n->at, 0);
    n->kid[0]->val = first;
    n->kid[1] = x;
}

static const Const *
info_attr(In *in, const Const *info, Sym attr)
{
    PyObject *of = (PyObject *)(uintptr_t)info->ref, *v = PyObject_GetAttrString(of, attr);
    v = in_enum_method(in, of, v);
    const Const *c = v ? in_const(in, v, NULL) : NULL;
    PyErr_Clear();
    Py_XDECREF(v);
    return c;
}

/* np.add.reduce: a row of its own. */
static const Const *
method_of_row(In *in, const Builtin *of, Sym name)
{
    const Builtin *b =
        of->family != BF_UFUNC
            ? NULL
            : builtin_find("numpy", arena_printf(&in->cx->arena, "%s.%s", of->name, name));
    return b ? in_builtin_const(in, b) : NULL;
}

static bool
attr_is_outer(In *in, const Const *module, Node *n)
{
    PyObject *dict = PyModule_GetDict((PyObject *)(uintptr_t)module->ref);
    PyObject *key = in_is_fixed_module(module->str) ? NULL : PyUnicode_InternFromString(n->name);
    PyObject *v = key ? PyDict_GetItem(dict, key) : NULL;
    bool is = v && in_outer_place(in, n, dict, key, v);
    PyErr_Clear();
    Py_XDECREF(key);
    return is;
}

/* n turns into builtin(x). */
static void
become_call(In *in, FuncDef *f, Node *n, const Builtin *builtin, Node *x)
{
    Node *fn = made(in, f, N_Const, n->at, 0);
    fn->val = in_builtin_const(in, builtin);
    n->kind = N_Call;
    n->kid = NEW_N(&in->cx->arena, Node *, 2);
    n->kid[0] = fn;
    n->kid[1] = x;
    n->n = 2;
    n->name = NULL;
}

/* type(x).__name__ and x.__class__.__name__ */
static bool
names_class(In *in, FuncDef *f, Node *n)
{
    const Node *of = n->kid[0];
    const Const *c = of->kind == N_Call && of->n == 2 ? in_constant_value(f, of->kid[0]) : NULL;
    const Builtin *b = c && c->kind == CV_BUILTIN ? c->ref : NULL;
    bool class = of->kind == N_Attribute && !strcmp(of->name, "__class__");
    if (strcmp(n->name, "__name__") != 0 || !(class || (b && b->id == BI_py_type)))
        return false;
    become_call(in, f, n, builtin_find("swathe", "class_name"), of->kid[class ? 0 : 1]);
    return true;
}

/* x.__class__, which is type(x). */
static bool
is_class_of(In *in, FuncDef *f, Node *n)
{
    if (strcmp(n->name, "__class__") != 0 || f->is_lib || in_constant_value(f, n->kid[0]))
        return false;
    become_call(in, f, n, builtin_find("builtins", "type"), n->kid[0]);
    return true;
}

static void
fold_attribute(In *in, FuncDef *f, Node *n)
{
    if (names_class(in, f, n) || is_class_of(in, f, n))
        return;
    const Const *of = in_constant_value(f, n->kid[0]), *c = NULL;
    bool module = of && of->kind == CV_MODULE && of->ref;
    if (module && !f->is_lib && attr_is_outer(in, of, n))
        return;
    if (module)
        c = in_module_attr(in, of, n->name);
    else if (of && of->kind == CV_BUILTIN)
        c = method_of_row(in, of->ref, n->name);
    else if (of && of->kind == CV_FUNC && ((const FuncDef *)of->ref)->is_lib)
        c = in_stdlib_method(in, ((const FuncDef *)of->ref)->name, n->name);
    else if (of && of->kind == CV_DTYPE && of->weak && of->b && !f->is_lib)
        c = in_stdlib_method(in, of->dtype == DT_f64 ? "float" : "int", n->name);
    else if (of && of->kind == CV_UNSUPPORTED && of->ref &&
             (in_is_struct((PyObject *)of->ref)
                  ? !strcmp(n->name, "size") || !strcmp(n->name, "format")
                  : !in_is_rewritten((PyObject *)of->ref)))
        c = info_attr(in, of, n->name);
    if (!c && of && of->kind == CV_BUILTIN)
        c = in_stdlib_method(in, ((const Builtin *)of->ref)->name, n->name);
    if (c) {
        in_mention(in, c);
        become_const(n, c);
        return;
    }
    const Builtin *b = module ? NULL : builtin_method(n->name);
    if (b && b->family == BF_LIB)
        mention_lib(in, b->def);
}

/* key=d.get: a function that calls it. */
static void
fold_bound(In *in, FuncDef *f, Node *n)
{
    for (int i = 1; i < n->n; i++) {
        Node *k = n->kid[i];
        bool key = k->kind == N_Keyword && k->name && !strcmp(k->name, "key");
        Node *v = key ? k->kid[0] : NULL;
        const Const *c = v && v->kind == N_Attribute && !in_constant_value(f, v->kid[0])
                             ? in_stdlib_method(in, "bound", v->name)
                             : NULL;
        if (!c)
            continue;
        in_mention(in, c);
        k->kid[0] = made(in, f, N_Call, v->at, 2);
        k->kid[0]->kid[0] = ast_const(&in->cx->arena, f, v->at, c);
        k->kid[0]->kid[1] = v->kid[0];
    }
}

/* CONFIG["rate"] of a global dict, and of one in it: what it has now, looked at before each
 * call. */
static void
fold_item(In *in, FuncDef *f, Node *n)
{
    const Const *c = in_constant_value(f, n->kid[0]), *k = in_constant_value(f, n->kid[1]);
    PyObject *dict = c && c->kind == CV_UNSUPPORTED ? (PyObject *)c->ref : NULL, *v = NULL;
    if (!dict || !PyDict_CheckExact(dict) || !k || n->op != CTX_LOAD)
        return;
    PyObject *key = k->kind == CV_STR   ? const_object(k)
                    : k->kind == CV_INT ? PyLong_FromLongLong(k->i)
                                        : NULL;
    if (key && PyUnicode_CheckExact(key))
        PyUnicode_InternInPlace(&key);
    if (key && (v = PyDict_GetItemWithError(dict, key)) && !f->is_lib &&
        in_outer_place(in, n, dict, key, v)) {
        Py_DECREF(key);
        return;
    }
    if (v) {
        deps_dict(in->deps, dict, key, v);
        PyList_Append(in->keep, v); /* its address may be in the constant */
        become_const(n, in_const(in, v, NULL));
        in_mention(in, n->val);
    }
    Py_XDECREF(key);
}

/* TABLE, a global dict of few strings, where more is asked than an item that is known: all that it
 * has now, looked at before each call. */
static void
fold_whole(In *in, FuncDef *f, Node *n)
{
    const Const *c = n->op == CTX_LOAD ? in_constant_value(f, n) : NULL;
    PyObject *dict = c && c->kind == CV_UNSUPPORTED ? (PyObject *)c->ref : NULL;
    if (in_fold_ints(in, f, n, dict))
        return;
    const Const *whole = dict && PyDict_CheckExact(dict) ? in_dict_const(in, dict) : NULL;
    if (!whole)
        return;
    become_const(n, whole);
    in_mention(in, n->val);
}

static void
walk_fold(In *in, FuncDef *f, Node *n)
{
    if (!n || in->failed)
        return;
    for (int i = 0; i < n->n; i++)
        walk_fold(in, f, n->kid[i]);
    if (n->kind == N_Attribute && n->kid[0]->kind == N_Name)
        fold_whole(in, f, n->kid[0]);
    if (n->kind == N_Attribute && in_outer_attribute(in, f, n))
        return;
    if (n->kind == N_Attribute && n->op == CTX_LOAD)
        fold_attribute(in, f, n);
    if (n->kind == N_Call)
        fold_call(in, f, n), in_fold_generated(in, f, n), fold_first(in, f, n),
            fold_bound(in, f, n);
    if (n->kind == N_Call)
        in_fold_called(in, f, n);
    if (n->kind == N_Call)
        in_fold_records(in, f, n), in_fold_clear(in, f, n);
    if (n->kind == N_Call)
        in_fold_permutations(in, f, n), fold_dict(in, f, n), in_fold_own_method(f, n),
            in_fold_or(in, f, n);
    if (n->kind == N_Call)
        fold_itemgetter(in, f, n), in_fold_getattr(in, f, n), in_fold_make(in, f, n),
            in_fold_getter(in, f, n);
    if (n->kind == N_Call)
        in_fold_partial(in, f, n), in_fold_pattern(in, f, n);
    if (n->kind == N_Call)
        in_fold_struct(in, f, n), in_fold_class(in, f, n), in_fold_display(in, f, n);
    if (n->kind == N_Expr)
        in_fold_setattr(in, f, n);
    if (n->kind == N_For || n->kind == N_Comprehension || n->kind == N_Call)
        in_fold_members(in, f, n);
    if (n->kind == N_Call || n->kind == N_Subscript)
        in_fold_member(in, f, n);
    if (n->kind == N_Compare)
        in_fold_not_implemented(in, f, n);
    if (n->kind == N_Subscript)
        fold_item(in, f, n);
    if (n->kind == N_Subscript)
        in_fold_index(in, f, n);
    for (int i = 0; i < n->n; i++) /* not below an index, which may fold with it */
        if (n->kid[i] && n->kid[i]->kind == N_Name)
            fold_whole(in, f, n->kid[i]);
    if (n->kind == N_Assign)
        in_fold_flat(in, f, n), in_fold_unpacked(in, f, n), in_fold_pattern_name(f, n);
    if (n->kind == N_For || n->kind == N_Comprehension)
        in_fold_backwards(in, f, n);
    if (n->fn) {
        walk_fold(in, n->fn, n->fn->body);
        for (int i = 0; i < n->fn->n_params; i++)
            walk_fold(in, f, (Node *)n->fn->params[i].def_node);
    }
}

void
in_resolve(In *in, FuncDef *f)
{
    Names globals = {0};
    ast_make_cells(in->cx, f);
    if (!f->is_lib)
        in_outer_set(in, f);
    find_locals(in, f);
    find_free(in, f);
    ast_close_cycles(in->cx, f);
    walk_globals(in, f, f, f->body, &globals);
    f->globals = NEW_N(&in->cx->arena, Binding, globals.n + 1);
    for (int i = 0; i < globals.n && !in->failed; i++)
        bind_global(in, f, globals.at[i]);
    walk_fold(in, f, f->body);
    if (!in->failed && !f->is_lib)
        in_fold_rebound(in, f);
    if (!in->failed)
        in_walk_tuples(in, f, f->body);
}

void
in_assign_first(In *in, FuncDef *f, Sym name, const Const *c)
{
    Arena *a = &in->cx->arena;
    Span at = f->at;
    Node *n = ast_new(a, f, N_Assign, at, 2);
    n->kid[0] = ast_new(a, f, N_Const, at, 0);
    n->kid[0]->val = c;
    n->kid[1] = ast_new(a, f, N_Name, at, 0);
    n->kid[1]->name = name;
    n->kid[1]->op = CTX_STORE;
    ast_put_first(a, f, n);
}
