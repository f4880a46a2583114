/* SPDX-License-Identifier: BSD-3-Clause
 * Functions with @functools.cache or lru_cache: a dict beside each keeps what it has returned.
 * f(a, b) begins with `if (a, b) in known: return known[a, b]`, and `return v` keeps v. What
 * lru_cache would forget is kept, too: nobody can see that, unless the function does more than
 * yield a value. The dict of a function inside a function is a variable beside it. That of a
 * function of a module is a variable of the function that Python calls, empty at each call, which
 * others take as nested functions take theirs (py/outer.c). Other decorators of functions inside of
 * functions are calls. */
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
    PyObject *m = o ? late_import("functools") : NULL;
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

static Node *
none(const Cached *c)
{
    Node *n = make(c, N_Const, 0, NULL);
    n->val = const_new(c->in, CV_NONE);
    return n;
}

static void
keep_results(const Cached *c, Node *n)
{
    for (int i = 0; n && i < n->n; i++) {
        Node *k = n->kid[i];
        if (!k || k->kind != N_Return) {
            keep_results(c, k);
            continue;
        }
        if (!k->n || !k->kid[0]) {
            Node *yields = none(c);
            k = make(c, N_Return, 1, &yields);
        }
        Node *all[] = {
            make(c, N_Assign, 2, (Node *[]){k->kid[0], name(c, c->value, CTX_STORE)}),
            make(c, N_Assign, 2, (Node *[]){name(c, c->value, CTX_LOAD), place(c, CTX_STORE)}), k};
        k->kid[0] = name(c, c->value, CTX_LOAD);
        n->kid[i] = make(c, N_Block, 3, all);
    }
}

/* Results of other kinds of functions are not kept. */
static bool
may_keep(const FuncDef *f)
{
    for (int i = 0; i < f->n_params; i++)
        if (f->params[i].kind == P_VARARGS || f->params[i].kind == P_KEYWORDS || !f->params[i].name)
            return false;
    return !f->is_generator;
}

/* The body asks the dict first, which has the name `known`. */
static bool
put_dict(In *in, FuncDef *f, Sym known, Span at)
{
    Arena *a = &in->cx->arena;
    Cached c = {.in = in, .fn = f, .at = at, .known = known};
    Node **part = NEW_N(a, Node *, f->n_params + 1);
    if (!may_keep(f))
        return false;
    c.key = intern(&in->cx->syms, arena_printf(a, "key.%s", f->name));
    c.value = intern(&in->cx->syms, arena_printf(a, "value.%s", f->name));
    for (int i = 0; i < f->n_params; i++)
        part[i] = name(&c, f->params[i].name, CTX_LOAD);
    if (!f->n_params) {
        Const *zero = const_new(in, CV_INT);
        part[0] = make(&c, N_Const, 0, NULL);
        part[0]->val = zero;
    }
    Node *end = none(&c), *whole[2] = {f->body, make(&c, N_Return, 1, &end)};
    Node *body = make(&c, N_Block, 2, whole);
    keep_results(&c, body);
    Node *key = f->n_params <= 1 ? part[0] : make(&c, N_Tuple, f->n_params, part);
    Node *test =
        make(&c, N_Compare, 2, (Node *[]){name(&c, c.key, CTX_LOAD), name(&c, known, CTX_LOAD)});
    test->ops = arena_dup(a, &(int){C_IN}, sizeof(int));
    Node *found = make(&c, N_Return, 1, (Node *[]){place(&c, CTX_LOAD)});
    Node *then = make(&c, N_Block, 1, &found);
    f->body = make(&c, N_Block, 3,
                   (Node *[]){make(&c, N_Assign, 2, (Node *[]){key, name(&c, c.key, CTX_STORE)}),
                              make(&c, N_If, 3, (Node *[]){test, then, NULL}), body});
    return true;
}

static Node *
make_dict(In *in, FuncDef *f, Sym known, Span at)
{
    Cached c = {.in = in, .fn = f, .at = at};
    return make(&c, N_Assign, 2, (Node *[]){make(&c, N_Dict, 0, NULL), name(&c, known, CTX_STORE)});
}

/* def is the definition, whose function is read; the two statements in its place, or NULL where its
 * parameters aren't plain. */
Node *
in_cached(In *in, Node *def)
{
    Sym known = intern(&in->cx->syms, arena_printf(&in->cx->arena, "known.%s", def->fn->name));
    if (!put_dict(in, def->fn, known, def->at))
        return NULL;
    Cached c = {.in = in, .fn = in->fn, .at = def->at};
    return make(&c, N_Block, 2, (Node *[]){make_dict(in, in->fn, known, def->at), def});
}

/* ---- other decorators ------------------------------------------------------------------------ */

/* @d over `def f` inside a function: `def f.g`, and `f = d(f.g)`. What the function calls by
 * its own name is what the decorator made of it. */
Node *
in_decorated(In *in, Node *def, PyObject *s)
{
    Cached c = {.in = in, .fn = in->fn, .at = def->at};
    Sym f = def->name, plain = intern(&in->cx->syms, arena_printf(&in->cx->arena, "%s.g", f));
    PyObject *all = in_get(in, s, in->st->s_decorator_list);
    def->name = def->fn->name = plain;
    Node *value = name(&c, plain, CTX_LOAD);
    for (Py_ssize_t k = all ? PyList_GET_SIZE(all) : 0; k-- > 0 && !in->failed;)
        value = make(&c, N_Call, 2, (Node *[]){in_expr(in, PyList_GET_ITEM(all, k)), value});
    Py_XDECREF(all);
    Node *set = make(&c, N_Assign, 2, (Node *[]){value, name(&c, f, CTX_STORE)});
    return make(&c, N_Block, 2, (Node *[]){def, set});
}

/* ---- functions of a module ------------------------------------------------------------------- */

bool
in_is_memo(PyObject *o)
{
    return !strcmp(Py_TYPE(o)->tp_name, "functools._lru_cache_wrapper");
}

/* f is new, and has this function's text. */
FuncDef *
in_memo(In *in, FuncDef *f)
{
    if (!f || in->no_outer || in->memos.n == MOST_MEMOS)
        return f; /* its results are computed again */
    f->memo =
        intern(&in->cx->syms, arena_printf(&in->cx->arena, "known.%s.g%d", f->name, in->memos.n));
    VEC_PUSH(&in->cx->arena, in->memos, f);
    return f;
}

/* The constant that such an object is, of a function or of one that is compiled. */
const Const *
in_memo_const(In *in, PyObject *o)
{
    FuncDef *f = map_get(&in->func_of, o);
    PyObject *of = f ? NULL : PyObject_GetAttrString(o, "__wrapped__");
    if (of && PyFunction_Check(of))
        f = in_memo(in, in_function_again(in, of));
    else if (of && dispatcher_check(in->st, of))
        f = in_memo(in, in_dispatcher_again(in, of));
    Py_XDECREF(of);
    PyErr_Clear();
    if (!f || PyList_Append(in->keep, o) < 0)
        return NULL;
    map_put(&in->cx->arena, &in->func_of, o, f);
    Const *c = const_new(in, CV_FUNC);
    c->ref = f;
    return c;
}

/* Its body has been read. */
void
in_memo_body(In *in, FuncDef *f)
{
    if (f->memo && !put_dict(in, f, f->memo, f->at))
        f->memo = NULL; /* computed each time */
}

/* f.cache_clear() empties the dict. */
void
in_fold_clear(In *in, FuncDef *f, Node *n)
{
    Node *of = n->n == 1 && n->kid[0]->kind == N_Attribute ? n->kid[0]->kid[0] : NULL;
    if (!of || strcmp(n->kid[0]->name, "cache_clear") != 0)
        return;
    const Const *c = in_constant_value(f, of);
    Sym known = c && c->kind == CV_FUNC ? ((const FuncDef *)c->ref)->memo : NULL;
    if (of->kind == N_Name && ast_has_name(f->locals, f->n_locals, of->name))
        known = intern(&in->cx->syms, arena_printf(&in->cx->arena, "known.%s", of->name));
    if (!known || (!c && !ast_has_name(f->locals, f->n_locals, known)))
        return;
    Cached at = {.in = in, .fn = f, .at = of->at};
    n->kid[0]->kid[0] = name(&at, known, CTX_LOAD);
    n->kid[0]->name = intern(&in->cx->syms, "clear");
}

/* The function that Python calls begins with empty dicts. */
void
in_memos_begin(In *in)
{
    FuncDef *root = in->prog->root;
    for (int i = 0; i < in->memos.n; i++) {
        Sym known = in->memos.at[i]->memo;
        if (!known || ast_has_name(root->locals, root->n_locals, known))
            continue;
        ast_put_first(&in->cx->arena, root, make_dict(in, root, known, root->at));
        Sym *more = NEW_N(&in->cx->arena, Sym, root->n_locals + 1);
        if (root->n_locals)
            memcpy(more, root->locals, sizeof *more * (size_t)root->n_locals);
        more[root->n_locals++] = known;
        root->locals = more;
    }
}
