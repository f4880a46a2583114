/* SPDX-License-Identifier: BSD-3-Clause
 * with, written out as assignments, calls and a handler. Takes one with statement of CPython's
 * tree; yields one N_With for each item, the later inside of the earlier. `with M as T: body` is
 *     m = M; e = m.__enter__()                                         kid 2
 *     body, guarded: T = e; body                                       kid 0
 *     where it raises: if not m.__exit__(type(x), x, x): raise         kid 4, a Handler
 *     on any other way out of it: m.__exit__(None, None, None)         kid 3
 * and M alone is kid 1, for what sema knows without methods. Managers of contextlib are what they
 * do: suppress, closing and nullcontext other statements, and a generator under contextmanager is
 * written out where it is used (core/ast/generator_with.c). x is the exception. The names have a
 * dot in them. */
#include "py.h"

static Node *
with_name(In *in, Span at, const char *what, int id, int op)
{
    Node *n = ast_new(&in->cx->arena, in->fn, N_Name, at, 0);
    n->name = intern(&in->cx->syms, arena_printf(&in->cx->arena, "%s.with%d", what, id));
    n->op = op;
    return n;
}

static Node *
one_kid(In *in, NodeKind k, Span at, Node *kid)
{
    Node *n = ast_new(&in->cx->arena, in->fn, k, at, 1);
    n->kid[0] = kid;
    return n;
}

static Node *
with_assign(In *in, Span at, Node *value, Node *target)
{
    Node *n = ast_new(&in->cx->arena, in->fn, N_Assign, at, 2);
    n->kid[0] = value;
    n->kid[1] = target;
    return n;
}

/* type() of the exception */
static Node *
with_class(In *in, Span at, int id)
{
    Node *call = ast_new(&in->cx->arena, in->fn, N_Call, at, 2);
    call->kid[0] = ast_new(&in->cx->arena, in->fn, N_Const, at, 0);
    call->kid[0]->val = in_const(in, (PyObject *)&PyType_Type, NULL);
    call->kid[1] = with_name(in, at, "raised", id, CTX_LOAD);
    return call;
}

/* The manager's method, called with nothing, three times None, or an exception's class and twice
 * the exception. */
static Node *
with_call(In *in, Span at, int id, const char *method, int n_args, bool failed)
{
    Arena *a = &in->cx->arena;
    Node *f = one_kid(in, N_Attribute, at, with_name(in, at, "manager", id, CTX_LOAD));
    f->name = intern(&in->cx->syms, method);
    Node *call = ast_new(a, in->fn, N_Call, at, 1 + n_args);
    call->kid[0] = f;
    if (n_args && failed)
        call->kid[1] = with_class(in, at, id);
    for (int i = 1 + failed; i <= n_args; i++) {
        call->kid[i] =
            failed ? with_name(in, at, "raised", id, CTX_LOAD) : ast_new(a, in->fn, N_Const, at, 0);
        call->kid[i]->val = failed ? NULL : in_const(in, Py_None, NULL);
    }
    return call;
}

static Node *
with_handler(In *in, Span at, int id)
{
    Arena *a = &in->cx->arena;
    Node *test = one_kid(in, N_UnaryOp, at, with_call(in, at, id, "__exit__", 3, true));
    test->op = U_NOT;
    Node *branch = ast_new(a, in->fn, N_If, at, 3);
    branch->kid[0] = test;
    branch->kid[1] = one_kid(in, N_Block, at, ast_new(a, in->fn, N_Raise, at, 0));
    Node *h = ast_new(a, in->fn, N_Handler, at, 2);
    h->name = with_name(in, at, "raised", id, CTX_STORE)->name;
    h->kid[1] = one_kid(in, N_Block, at, branch);
    return h;
}

/* ---- contextlib's ---------------------------------------------------------------------------- */

typedef enum Managed { M_OTHER, M_GENERATOR, M_SUPPRESS, M_CLOSING, M_NULL } Managed;

/* The code of what contextmanager() returns, which is one for all; borrowed. */
static PyObject *
manager_code(PyObject *contextlib)
{
    PyObject *f = PyDict_GetItemString(contextlib, "contextmanager");
    PyObject *code = f && PyFunction_Check(f) ? PyFunction_GetCode(f) : NULL;
    PyObject *consts = code ? PyObject_GetAttrString(code, "co_consts") : NULL, *found = NULL;
    for (Py_ssize_t i = 0; consts && !found && i < PyTuple_GET_SIZE(consts); i++)
        if (PyCode_Check(PyTuple_GET_ITEM(consts, i)))
            found = PyTuple_GET_ITEM(consts, i);
    Py_XDECREF(consts);
    PyErr_Clear();
    return found;
}

/* What is called in the head of the statement; *gen: the generator, a new reference. */
static Managed
managed(In *in, PyObject *item, PyObject **gen)
{
    static const char *const names[] = {
        [M_SUPPRESS] = "suppress", [M_CLOSING] = "closing", [M_NULL] = "nullcontext"};
    PyObject *m = PyDict_GetItemString(PyImport_GetModuleDict(), "contextlib");
    PyObject *all = m ? PyModule_GetDict(m) : NULL;
    PyObject *e = all ? in_get(in, item, in->st->s_context_expr) : NULL;
    PyObject *f = e && in_kind(in, e) == A_Call ? in_get(in, e, in->st->s_func) : NULL;
    PyObject *v = f ? in_value_of(in, f) : NULL;
    Managed is = M_OTHER;
    for (int i = M_SUPPRESS; v && i <= M_NULL; i++)
        if (v == PyDict_GetItemString(all, names[i]))
            is = (Managed)i;
    if (v && PyFunction_Check(v) && PyFunction_GetCode(v) == manager_code(all)) {
        *gen = PyObject_GetAttrString(v, "__wrapped__");
        is = *gen && PyFunction_Check(*gen) ? M_GENERATOR : M_OTHER;
        PyErr_Clear();
    }
    Py_XDECREF(e);
    Py_XDECREF(f);
    Py_XDECREF(v);
    return is;
}

static Node *
block_of(In *in, Span at, int n, Node *const *kid)
{
    Node *b = ast_new(&in->cx->arena, in->fn, N_Block, at, n);
    memcpy(b->kid, kid, sizeof *kid * (size_t)n);
    return b;
}

static Node *
suppressed(In *in, const Node *call, Node *body)
{
    Arena *a = &in->cx->arena;
    Node *classes = ast_new(a, in->fn, N_Tuple, call->at, call->n - 1);
    memcpy(classes->kid, call->kid + 1, sizeof *call->kid * (size_t)(call->n - 1));
    Node *h = ast_new(a, in->fn, N_Handler, call->at, 2);
    h->kid[0] = call->n == 2 ? call->kid[1] : classes;
    h->kid[1] = one_kid(in, N_Block, call->at, ast_new(a, in->fn, N_Pass, call->at, 0));
    Node *all = ast_new(a, in->fn, N_Try, call->at, 4);
    all->kid[0] = body;
    all->kid[3] = h;
    return all;
}

static Node *
closed(In *in, Node *thing, Node *target, Node *body, int id)
{
    Span at = thing->at;
    Node *close = one_kid(in, N_Attribute, at, with_name(in, at, "manager", id, CTX_LOAD));
    close->name = intern(&in->cx->syms, "close");
    Node *call = one_kid(in, N_Call, at, close);
    Node *all = ast_new(&in->cx->arena, in->fn, N_Try, at, 3);
    Node *same = with_name(in, at, "manager", id, CTX_LOAD);
    all->kid[0] =
        target ? block_of(in, at, 2, (Node *[]){with_assign(in, at, same, target), body}) : body;
    all->kid[2] = one_kid(in, N_Block, at, one_kid(in, N_Expr, at, call));
    Node *set = with_assign(in, at, thing, with_name(in, at, "manager", id, CTX_STORE));
    return block_of(in, at, 2, (Node *[]){set, all});
}

/* What contextlib's manager does, as other statements; NULL: it is another one. */
static Node *
with_managed(In *in, PyObject *item, Node *call, Node *target, Node *body, int id)
{
    PyObject *gen = NULL;
    Managed is = managed(in, item, &gen);
    bool plain = true;
    Node *n = NULL;
    for (int i = 1; is != M_OTHER && i < call->n; i++)
        plain &= call->kid[i]->kind != N_Starred && call->kid[i]->kind != N_Keyword;
    if (is == M_GENERATOR) {
        Node *f = ast_new(&in->cx->arena, in->fn, N_Const, call->at, 0);
        f->val = in_const(in, gen, NULL);
        call->kid[0] = f;
        n = ast_new(&in->cx->arena, in->fn, N_With, call->at, 3);
        n->kid[0] = body;
        n->kid[1] = call;
        n->kid[2] = target;
        n->op = WITH_GENERATOR;
    } else if (is == M_SUPPRESS && plain && !target) {
        n = call->n > 1 ? suppressed(in, call, body) : body;
    } else if (is == M_CLOSING && plain && call->n == 2) {
        n = closed(in, call->kid[1], target, body, id);
    } else if (is == M_NULL && call->n == 1 && !target) {
        n = body;
    } else if (is == M_NULL && plain && (target || call->n == 2) && call->n <= 2) {
        Node *v =
            call->n == 2 ? call->kid[1] : ast_new(&in->cx->arena, in->fn, N_Const, call->at, 0);
        if (call->n == 1)
            v->val = in_const(in, Py_None, NULL);
        Node *first =
            target ? with_assign(in, call->at, v, target) : one_kid(in, N_Expr, call->at, v);
        n = block_of(in, call->at, 2, (Node *[]){first, body});
    }
    Py_XDECREF(gen);
    return n;
}

static Node *
with_item(In *in, PyObject *s, PyObject *items, Py_ssize_t k)
{
    PyObject *item = PyList_GET_ITEM(items, k);
    Arena *a = &in->cx->arena;
    Node *value = in_child(in, item, in->st->s_context_expr),
         *target = in_child(in, item, in->st->s_optional_vars);
    int id = in->n_with++;
    Span at = value ? value->at : (Span){.src = in->src};
    Node *body = k + 1 < PyList_GET_SIZE(items)
                     ? one_kid(in, N_Block, at, with_item(in, s, items, k + 1))
                     : in_body_of(in, s);
    Node *known = value && !in->failed ? with_managed(in, item, value, target, body, id) : NULL;
    if (known)
        return known;
    Node *enter = with_call(in, at, id, "__enter__", 0, false),
         *n = ast_new(a, in->fn, N_With, in_span(in, s), 5);
    Node *begin = ast_new(a, in->fn, N_Block, at, 2);
    begin->kid[0] = with_assign(in, at, value, with_name(in, at, "manager", id, CTX_STORE));
    begin->kid[1] = target ? with_assign(in, at, enter, with_name(in, at, "entered", id, CTX_STORE))
                           : one_kid(in, N_Expr, at, enter);
    n->kid[0] = body;
    if (target) {
        n->kid[0] = ast_new(a, in->fn, N_Block, at, 2);
        n->kid[0]->kid[0] = with_assign(in, at, with_name(in, at, "entered", id, CTX_LOAD), target);
        n->kid[0]->kid[1] = body;
    }
    n->kid[1] = value;
    n->kid[2] = begin;
    n->kid[3] = one_kid(in, N_Block, at,
                        one_kid(in, N_Expr, at, with_call(in, at, id, "__exit__", 3, false)));
    n->kid[4] = with_handler(in, at, id);
    n->op = target ? WITH_AS : WITH_PLAIN;
    return n;
}

Node *
in_with(In *in, PyObject *s)
{
    bool objmode = false;
    Node *block = in_objmode(in, s, &objmode);
    if (objmode)
        return block;
    PyObject *items = in_get(in, s, in->st->s_items);
    Node *n = items && PyList_GET_SIZE(items) ? with_item(in, s, items, 0) : NULL;
    Py_XDECREF(items);
    return n;
}

/* ---- classes of def/context.def ---- */

const Const *
in_context(In *in, PyObject *cls)
{
    static const char *const row[][2] = {
#define CONTEXT(module, name, id) {module, name},
#include "def/context.def"
    };
    for (int i = 0; i < SW_LEN(row); i++) {
        PyObject *m = PyDict_GetItemString(PyImport_GetModuleDict(), row[i][0]);
        PyObject *o = m ? PyObject_GetAttrString(m, row[i][1]) : NULL;
        bool same = o == cls;
        PyErr_Clear();
        Py_XDECREF(o);
        if (!same)
            continue;
        Const *c = NEW(&in->cx->arena, Const);
        *c = (Const){.kind = CV_CONTEXT, .i = i};
        c->str = arena_printf(&in->cx->arena, "%s.%s", row[i][0], row[i][1]);
        return c;
    }
    return NULL;
}
