/* SPDX-License-Identifier: BSD-3-Clause
 * Functions without a body to compile: their source can't be found, or they lead too far. */
#include "py.h"

/* A package leads to so many at most: one that draws has thousands, none of which compile. */
enum { MOST_INSTALLED = 200 };

/* A function without text takes what its code takes, so that a call is an error for that alone. */
static void
params_of_code(In *in, FuncDef *f, PyCodeObject *code, Span at)
{
    int n_pos = code->co_argcount, n_named = n_pos + code->co_kwonlyargcount;
    bool rest = code->co_flags & CO_VARARGS;
    PyObject *names = PyObject_GetAttr((PyObject *)code, in->st->s_co_varnames);
    f->params = NEW_N(&in->cx->arena, Param, n_named + rest);
    for (int i = 0; names && i < n_named + rest; i++) {
        bool is_rest = rest && i == n_pos;
        int from = is_rest ? n_named : i - (rest && i > n_pos);
        Param *p = &f->params[f->n_params++];
        p->name = intern(&in->cx->syms, PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, from)));
        p->kind = is_rest                        ? P_VARARGS
                  : i < code->co_posonlyargcount ? P_POSONLY
                  : from < n_pos                 ? P_POS
                                                 : P_KWONLY;
        p->at = at;
    }
    Py_XDECREF(names);
}

/* A callee that can't be compiled is an error only where it is really called. */
static void
refuse_calls(In *in, FuncDef *f, PyObject *func, Span at, const char *what)
{
    f->body = ast_new(&in->cx->arena, f, N_Block, at, 1);
    params_of_code(in, f, (PyCodeObject *)PyFunction_GET_CODE(func), at);
    in_fill_defaults(in, f, func);
    Node *n = f->body->kid[0] = ast_new(&in->cx->arena, f, N_Unsupported, at, 0);
    n->name = intern(&in->cx->syms, what);
}

/* A package that draws or reads files leads to thousands of functions, none of which compile. */
bool
in_is_too_many(In *in, FuncDef *f, PyObject *func)
{
    if (!f->is_installed || f == in->prog->root || ++in->n_installed <= MOST_INSTALLED)
        return false;
    int line = ((PyCodeObject *)PyFunction_GET_CODE(func))->co_firstlineno;
    refuse_calls(in, f, func, (Span){.src = in->src, .line = line, .end_line = line},
                 arena_printf(&in->cx->arena,
                              "calling '%s', behind more than %d functions of packages,", f->name,
                              MOST_INSTALLED));
    return true;
}

/* One that can't be read is an error at once where it is the root. why is NULL for an async
 * function, which is looked for in vain. */
void
in_no_source(In *in, FuncDef *f, PyObject *func, const char *why)
{
    Arena *a = &in->cx->arena;
    PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(func);
    int line = code->co_firstlineno;
    bool root = f == in->prog->root;
    Span at = {.src = in->src, .line = line, .end_line = line};
    f->body = ast_new(a, f, N_Block, at, 0);
    if (root && !why) {
        diag_add(&in->cx->diags, DIAG_unsupported, at, "'%s' is async, which is not supported",
                 f->name);
        return;
    }
    if (root) {
        Diag *g = diag_add(&in->cx->diags, DIAG_no_source, at,
                           "the source of function '%s' can't be found: %s", f->name, why);
        diag_hint(&in->cx->diags, g, "%s",
                  strcmp(in->src->file, "<stdin>")
                      ? "define it in a file, or in a notebook's cell"
                      : "a script can't be read again from a pipe: write it to a file");
        return;
    }
    refuse_calls(
        in, f, func, at,
        why ? arena_printf(a, "calling '%s', whose source can't be found (%s),", f->name, why)
            : arena_printf(a, "calling '%s', which is async,", f->name));
}
