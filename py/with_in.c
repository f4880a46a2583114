/* SPDX-License-Identifier: BSD-3-Clause
 * with, written out as assignments, calls and a handler. Takes one with statement of CPython's
 * tree; yields one N_With for each item, the later inside of the earlier. `with M as T: body` is
 *     m = M; e = m.__enter__()                                         kid 2
 *     body, guarded: T = e; body                                       kid 0
 *     where it raises: if not m.__exit__(x, x, x): raise               kid 4, a Handler
 *     on any other way out of it: m.__exit__(None, None, None)         kid 3
 * and M alone is kid 1, for what sema knows without methods. x is the exception, of which nobody
 * can ask more than whether it is None. The names have a dot in them. */
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

/* The manager's method, called with nothing, three times None, or three times the exception. */
static Node *
with_call(In *in, Span at, int id, const char *method, int n_args, bool failed)
{
    Arena *a = &in->cx->arena;
    Node *f = one_kid(in, N_Attribute, at, with_name(in, at, "manager", id, CTX_LOAD));
    f->name = intern(&in->cx->syms, method);
    Node *call = ast_new(a, in->fn, N_Call, at, 1 + n_args);
    call->kid[0] = f;
    for (int i = 1; i <= n_args; i++) {
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

static Node *
with_item(In *in, PyObject *s, PyObject *items, Py_ssize_t k)
{
    PyObject *item = PyList_GET_ITEM(items, k);
    Arena *a = &in->cx->arena;
    Node *value = in_child(in, item, in->st->s_context_expr),
         *target = in_child(in, item, in->st->s_optional_vars);
    int id = in->n_with++;
    Span at = value ? value->at : (Span){.src = in->src};
    Node *enter = with_call(in, at, id, "__enter__", 0, false),
         *n = ast_new(a, in->fn, N_With, in_span(in, s), 5);
    Node *begin = ast_new(a, in->fn, N_Block, at, 2);
    begin->kid[0] = with_assign(in, at, value, with_name(in, at, "manager", id, CTX_STORE));
    begin->kid[1] = target ? with_assign(in, at, enter, with_name(in, at, "entered", id, CTX_STORE))
                           : one_kid(in, N_Expr, at, enter);
    Node *body = k + 1 < PyList_GET_SIZE(items)
                     ? one_kid(in, N_Block, at, with_item(in, s, items, k + 1))
                     : in_body_of(in, s);
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
    n->op = target != NULL;
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
