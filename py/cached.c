/* SPDX-License-Identifier: BSD-3-Clause
 * A function inside a function with @functools.cache or lru_cache: a dict beside it keeps what
 * it has returned. f(a, b) begins with `if (a, b) in known: return known[a, b]`, and `return v`
 * keeps v. What lru_cache would forget is kept, too: nobody can see that, unless the function does
 * more than yield a value. */
#include "py.h"

/* The object that a decorator's expression names; borrowed, or NULL. */
static PyObject *
named(In *in, PyObject *e)
{
    PyObject *o = NULL;
    if (in_kind(in, e) == A_Name) {
        PyObject *id = in_get(in, e, in->st->s_id);
        o = id ? in_look_up(in, id, true) : NULL;
        Py_XDECREF(id);
    } else if (in_kind(in, e) == A_Attribute) {
        PyObject *of = in_get(in, e, in->st->s_value), *attr = in_get(in, e, in->st->s_attr),
                 *m = of ? named(in, of) : NULL;
        o = m && PyModule_Check(m) && attr ? PyDict_GetItem(PyModule_GetDict(m), attr) : NULL;
        Py_XDECREF(of);
        Py_XDECREF(attr);
    }
    return o;
}

static bool
is_from_functools(PyObject *o, const char *name)
{
    PyObject *m = o ? PyImport_ImportModule("functools") : NULL;
    bool is = m && PyDict_GetItemString(PyModule_GetDict(m), name) == o;
    Py_XDECREF(m);
    PyErr_Clear();
    return is;
}

/* lru_cache(...): of one argument, which says how much is kept. */
static bool
has_size_alone(In *in, PyObject *e)
{
    PyObject *args = in_get(in, e, in->st->s_args), *named = in_get(in, e, in->st->s_keywords);
    Py_ssize_t n = args && named ? PyList_GET_SIZE(args) + PyList_GET_SIZE(named) : 2;
    bool sizes = n <= 1;
    if (sizes && PyList_GET_SIZE(named)) {
        PyObject *arg = in_get(in, PyList_GET_ITEM(named, 0), in->st->s_arg);
        sizes = arg && PyUnicode_Check(arg) && !PyUnicode_CompareWithASCIIString(arg, "maxsize");
        Py_XDECREF(arg);
    }
    Py_XDECREF(args);
    Py_XDECREF(named);
    return sizes;
}

bool
in_is_cached(In *in, PyObject *decorators)
{
    if (PyList_GET_SIZE(decorators) != 1)
        return false;
    PyObject *e = PyList_GET_ITEM(decorators, 0);
    if (in_kind(in, e) != A_Call) {
        PyObject *o = named(in, e);
        return is_from_functools(o, "cache") || is_from_functools(o, "lru_cache");
    }
    PyObject *f = in_get(in, e, in->st->s_func);
    bool is = f && is_from_functools(named(in, f), "lru_cache") && has_size_alone(in, e);
    Py_XDECREF(f);
    return is;
}

/* ---- the tree -------------------------------------------------------------------------------- */

typedef struct Cached {
    In *in;
    FuncDef *fn;
    Sym known, key, value;
    Span at;
} Cached;

static Node *
make(const Cached *c, NodeKind k, int n, Node *const *kid)
{
    Node *to = ast_new(&c->in->cx->arena, c->fn, k, c->at, n);
    for (int i = 0; i < n; i++)
        to->kid[i] = kid[i];
    return to;
}

static Node *
name(const Cached *c, Sym sym, int op)
{
    Node *n = make(c, N_Name, 0, NULL);
    n->name = sym;
    n->op = op;
    return n;
}

static Node *
place(const Cached *c, int op)
{
    Node *n =
        make(c, N_Subscript, 2, (Node *[]){name(c, c->known, CTX_LOAD), name(c, c->key, CTX_LOAD)});
    n->op = op;
    return n;
}

static void
keep_results(const Cached *c, Node *n)
{
    for (int i = 0; n && i < n->n; i++) {
        Node *k = n->kid[i];
        if (!k || k->kind != N_Return || !k->n || !k->kid[0]) {
            keep_results(c, k);
            continue;
        }
        Node *all[] = {
            make(c, N_Assign, 2, (Node *[]){k->kid[0], name(c, c->value, CTX_STORE)}),
            make(c, N_Assign, 2, (Node *[]){name(c, c->value, CTX_LOAD), place(c, CTX_STORE)}), k};
        k->kid[0] = name(c, c->value, CTX_LOAD);
        n->kid[i] = make(c, N_Block, 3, all);
    }
}

/* def is the definition, whose function is read; the two statements in its place, or NULL where its
 * parameters aren't plain. */
Node *
in_cached(In *in, Node *def)
{
    FuncDef *f = def->fn;
    Arena *a = &in->cx->arena;
    Cached inner = {.in = in, .fn = f, .at = def->at},
           outer = {.in = in, .fn = in->fn, .at = def->at};
    Node *part[16];
    if (f->n_params > SW_LEN(part) || f->n_params == 0 || f->is_generator)
        return NULL;
    inner.known = outer.known = intern(&in->cx->syms, arena_printf(a, "known.%s", f->name));
    inner.key = intern(&in->cx->syms, arena_printf(a, "key.%s", f->name));
    inner.value = intern(&in->cx->syms, arena_printf(a, "value.%s", f->name));
    for (int i = 0; i < f->n_params; i++) {
        if (f->params[i].kind == P_VARARGS || !f->params[i].name)
            return NULL;
        part[i] = name(&inner, f->params[i].name, CTX_LOAD);
    }
    keep_results(&inner, f->body);
    Node *key = f->n_params == 1 ? part[0] : make(&inner, N_Tuple, f->n_params, part);
    Node *test =
        make(&inner, N_Compare, 2,
             (Node *[]){name(&inner, inner.key, CTX_LOAD), name(&inner, inner.known, CTX_LOAD)});
    test->ops = arena_dup(a, &(int){C_IN}, sizeof(int));
    Node *found = make(&inner, N_Return, 1, (Node *[]){place(&inner, CTX_LOAD)});
    Node *then = make(&inner, N_Block, 1, &found);
    f->body = make(
        &inner, N_Block, 3,
        (Node *[]){make(&inner, N_Assign, 2, (Node *[]){key, name(&inner, inner.key, CTX_STORE)}),
                   make(&inner, N_If, 3, (Node *[]){test, then, NULL}), f->body});
    Node *empty =
        make(&outer, N_Assign, 2,
             (Node *[]){make(&outer, N_Dict, 0, NULL), name(&outer, outer.known, CTX_STORE)});
    return make(&outer, N_Block, 2, (Node *[]){empty, def});
}
