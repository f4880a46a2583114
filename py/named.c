/* SPDX-License-Identifier: BSD-3-Clause
 * What a program writes by other means than by its syntax: attributes whose name is a string that
 * is known (getattr, setattr), and the members of an enum that is gone through. Takes a function's
 * tree when its constants are known; rewrites the nodes. */
#include "ast/generator.h"
#include "py.h"

static const Builtin *
called(const FuncDef *f, const Node *call)
{
    const Const *c =
        call->kind == N_Call ? in_constant_value((FuncDef *)(uintptr_t)f, call->kid[0]) : NULL;
    return c && c->kind == CV_BUILTIN ? c->ref : NULL;
}

/* The name that argument k is; NULL: it is none that is known. */
static Sym
name_in(In *in, FuncDef *f, const Node *call, int k)
{
    const Const *c =
        k < call->n && call->kid[k]->kind != N_Keyword ? in_constant_value(f, call->kid[k]) : NULL;
    return c && c->kind == CV_STR ? intern(&in->cx->syms, c->str) : NULL;
}

static Node *
attribute(In *in, FuncDef *f, const Node *call, Sym name, int op)
{
    Node *n = ast_new(&in->cx->arena, f, N_Attribute, call->at, 1);
    n->kid[0] = call->kid[1];
    n->name = name;
    n->op = op;
    return n;
}

/* Can nobody tell whether it is evaluated? */
static bool
is_silent(const Node *n)
{
    bool silent = !n || n->kind == N_Const || n->kind == N_Name || n->kind == N_Lambda;
    bool made = n && (n->kind == N_Tuple || n->kind == N_List || n->kind == N_Dict ||
                      (n->kind == N_UnaryOp && n->kid[0]->kind == N_Const));
    for (int i = 0; made && i < n->n; i++)
        made = is_silent(n->kid[i]);
    return silent || made;
}

/* (v, read)[1]: Python evaluates v first, whether it is asked for or not. */
static Node *
behind(In *in, FuncDef *f, const Node *v, Node *read)
{
    Expand x = {.cx = in->cx, .fn = f};
    Node *both = ast_gen_node(&x, N_Tuple, v->at, 2, (Node *[]){ast_gen_copy(&x, v), read});
    return ast_gen_node(&x, N_Subscript, v->at, 2, (Node *[]){both, ast_gen_int(&x, v->at, 1)});
}

/* getattr(x, "a") is x.a; getattr(x, "a", v) is x.a if hasattr(x, "a") else v, where x is a name.
 */
void
in_fold_getattr(In *in, FuncDef *f, Node *n)
{
    const Builtin *b = called(f, n);
    Sym name = b && b->id == BI_py_getattr ? name_in(in, f, n, 2) : NULL;
    bool otherwise = n->n == 4 && n->kid[1]->kind == N_Name && n->kid[3]->kind != N_Keyword;
    if (!name || !(n->n == 3 || otherwise))
        return;
    Node *read = attribute(in, f, n, name, CTX_LOAD);
    if (!otherwise) {
        *n = *read;
        return;
    }
    Node *test = ast_new(&in->cx->arena, f, N_Call, n->at, 3), *x = n->kid[1], *other = n->kid[3];
    Const *has = const_new(in, CV_BUILTIN);
    has->ref = builtin_find("builtins", "hasattr");
    test->kid[0] = ast_const(&in->cx->arena, f, n->at, has);
    test->kid[1] = ast_new(&in->cx->arena, f, N_Name, n->at, 0);
    test->kid[1]->name = x->name;
    test->kid[1]->op = x->op;
    test->kid[2] = n->kid[2];
    Node *choice = ast_new(&in->cx->arena, f, N_IfExp, n->at, 3);
    choice->kid[0] = test;
    choice->kid[1] = is_silent(other) ? read : behind(in, f, other, read);
    choice->kid[2] = other;
    *n = *choice;
}

/* Pair._make(row) of a named tuple is Pair(*row), with less to say of how many row has. */
void
in_fold_make(In *in, FuncDef *f, Node *n)
{
    Node *callee = n->kid[0];
    bool is = callee->kind == N_Attribute && !strcmp(callee->name, "_make") && n->n == 2 &&
              n->kid[1]->kind != N_Keyword && n->kid[1]->kind != N_Starred;
    const Const *of = is ? in_constant_value(f, callee->kid[0]) : NULL;
    if (!of || of->kind != CV_TUPLE_CLASS)
        return;
    Node *star = ast_new(&in->cx->arena, f, N_Starred, n->kid[1]->at, 1);
    star->kid[0] = n->kid[1];
    n->kid[0] = callee->kid[0];
    n->kid[1] = star;
}

/* setattr(x, "a", v) as a statement is x.a = v; what is no name is evaluated before v. */
void
in_fold_setattr(In *in, FuncDef *f, Node *n)
{
    Node *call = n->kid[0];
    const Builtin *b = called(f, call);
    Sym name = b && b->id == BI_py_setattr && call->n == 4 ? name_in(in, f, call, 2) : NULL;
    if (!name || call->kid[3]->kind == N_Keyword)
        return;
    Expand x = {.cx = in->cx, .fn = f};
    Node *of = call->kid[1], *first = NULL;
    if (of->kind != N_Name && !is_silent(call->kid[3])) {
        Sym object = intern(&in->cx->syms, arena_printf(&in->cx->arena, "object.n%d", n->id));
        first = ast_gen_set(&x, of->at, object, of);
        call->kid[1] = ast_gen_name(&x, of->at, object, CTX_LOAD);
    }
    Node *store[2] = {call->kid[3], attribute(in, f, call, name, CTX_STORE)};
    Node *set = ast_gen_node(&x, N_Assign, n->at, 2, store);
    *n = first ? *ast_gen_node(&x, N_Block, n->at, 2, (Node *[]){first, set}) : *set;
}

/* What an attribute of a class is in compiled code: of a class method of an enum, a function of
 * swathe._enums, kept. Takes over v, which may be NULL. */
PyObject *
in_enum_method(In *in, PyObject *of, PyObject *v)
{
    if (!v || !PyMethod_Check(v) || PyMethod_GET_SELF(v) != of ||
        !PyObject_HasAttrString(of, "__members__"))
        return v;
    PyObject *f = late_call("swathe._enums", "of_class", v);
    if (!f || f == Py_None) /* or it is as Python has it */
        Py_XDECREF(f);
    else
        Py_SETREF(v, f);
    if (PyList_Append(in->keep, v) < 0)
        in->failed = true;
    return v;
}

/* Borrowed; NULL: it is something else. */
static PyObject *
enum_class(FuncDef *f, const Node *n)
{
    bool names = n->kind == N_Name || n->kind == N_Const || n->kind == N_Attribute;
    const Const *c = names ? in_constant_value(f, (Node *)(uintptr_t)n) : NULL;
    PyObject *of = c && c->kind == CV_UNSUPPORTED && c->ref ? (PyObject *)(uintptr_t)c->ref : NULL;
    return of && PyType_Check(of) && PyObject_HasAttrString(of, "__members__") ? of : NULL;
}

/* The members of an enum, as a constant; NULL: it is something else. */
static const Const *
members(In *in, FuncDef *f, const Node *n)
{
    PyObject *of = enum_class(f, n);
    if (!of)
        return NULL;
    PyObject *all = PySequence_Tuple(of);
    const Const *c = all ? in_const(in, all, NULL) : NULL;
    if (all && PyList_Append(in->keep, all) < 0)
        in->failed = true;
    PyErr_Clear();
    Py_XDECREF(all);
    return c && c->kind == CV_TUPLE ? c : NULL;
}

static void
become_members(In *in, FuncDef *f, Node **n)
{
    const Const *all = members(in, f, *n);
    if (all)
        *n = ast_const(&in->cx->arena, f, (*n)->at, all);
}

/* for m in Color, len(Color), zip(Color, x), map(f, Color) */
void
in_fold_members(In *in, FuncDef *f, Node *n)
{
    static const BuiltinId through[] = {BI_py_len,      BI_py_list, BI_py_tuple, BI_py_enumerate,
                                        BI_py_reversed, BI_py_set,  BI_py_zip,   BI_py_sorted,
                                        BI_py_max,      BI_py_min,  BI_py_sum,   BI_py_iter};
    const Builtin *b = called(f, n);
    bool goes = n->kind == N_For || n->kind == N_Comprehension;
    bool second = b && (b->id == BI_py_map || b->id == BI_py_filter);
    for (int i = 0; b && i < SW_LEN(through); i++)
        goes |= (BuiltinId)b->id == through[i];
    for (int i = 1 + second; (goes || second) && i < n->n && (b || i == 1); i++)
        if (n->kid[i]->kind != N_Keyword)
            become_members(in, f, &n->kid[i]);
}

static void
become_class(In *in, FuncDef *f, Node **n)
{
    PyObject *of = enum_class(f, *n);
    PyObject *all = of ? PyObject_GetAttrString(of, "__members__") : NULL;
    PyObject *m = all && PyObject_Size(all) > 0 ? late_import("swathe._enums") : NULL;
    PyObject *cls = m ? PyObject_CallMethod(m, "class_of", "O", of) : NULL;
    const Const *c = cls ? in_const(in, cls, NULL) : NULL;
    if (c && PyList_Append(in->keep, cls) < 0)
        in->failed = true;
    PyErr_Clear();
    Py_XDECREF(all);
    Py_XDECREF(m);
    Py_XDECREF(cls);
    if (c)
        *n = ast_const(&in->cx->arena, f, (*n)->at, c);
}

/* isinstance(x, Color), isinstance(x, (int, Color)): the class of what stands for members. */
static void
fold_instance(In *in, FuncDef *f, Node *n)
{
    const Builtin *b = called(f, n);
    if (!b || b->id != BI_py_isinstance || n->n != 3)
        return;
    Node *of = n->kid[2];
    for (int i = 0; of->kind == N_Tuple && i < of->n; i++)
        become_class(in, f, &of->kid[i]);
    if (of->kind != N_Tuple)
        become_class(in, f, &n->kid[2]);
}

/* Color(2), Color["RED"]: calls of functions that swathe._enums writes. */
void
in_fold_member(In *in, FuncDef *f, Node *n)
{
    if (n->kind == N_Call)
        fold_instance(in, f, n);
    bool call = n->kind == N_Call && n->n == 2 && n->kid[1]->kind != N_Keyword &&
                n->kid[1]->kind != N_Starred;
    PyObject *of =
        call || (n->kind == N_Subscript && n->op == CTX_LOAD) ? enum_class(f, n->kid[0]) : NULL;
    PyObject *m = of ? late_import("swathe._enums") : NULL;
    PyObject *by = m ? PyObject_CallMethod(m, call ? "by_value" : "by_name", "O", of) : NULL;
    PyErr_Clear();
    Py_XDECREF(m);
    const Const *c = by && by != Py_None ? in_const(in, by, NULL) : NULL;
    if (c && PyList_Append(in->keep, by) < 0)
        in->failed = true;
    Py_XDECREF(by);
    if (!c)
        return;
    n->kind = N_Call;
    n->op = 0;
    n->kid[0] = ast_const(&in->cx->arena, f, n->kid[0]->at, c);
}

/* ---- what functools.total_ordering writes ---------------------------------------------------- */

/* No name is it: what returns it doesn't compile. */
void
in_fold_not_implemented(In *in, FuncDef *f, Node *n)
{
    const Const *c =
        n->n == 2 && n->kid[0]->kind == N_Name ? in_constant_value(f, n->kid[1]) : NULL;
    if (!c || c->kind != CV_ELLIPSIS || !c->b || (n->ops[0] != C_IS && n->ops[0] != C_ISNOT))
        return;
    Const *is = NEW(&in->cx->arena, Const);
    *is = (Const){.kind = CV_BOOL, .i = n->ops[0] == C_ISNOT, .b = n->ops[0] == C_ISNOT};
    n->kind = N_Const;
    n->val = is;
    n->n = 0;
    n->ops = NULL;
}

/* type(x).m(x, ...) is x.m(...): what functools.total_ordering writes. */
void
in_fold_own_method(FuncDef *f, Node *n)
{
    const Node *m = n->kid[0], *of = m->kind == N_Attribute ? m->kid[0] : NULL;
    const Const *c =
        of && of->kind == N_Call && of->n == 2 ? in_constant_value(f, of->kid[0]) : NULL;
    const Builtin *b = c && c->kind == CV_BUILTIN ? c->ref : NULL;
    const Node *self = n->n > 1 ? n->kid[1] : NULL;
    if (!b || b->id != BI_py_type || !self || self->kind != N_Name || of->kid[1]->kind != N_Name ||
        of->kid[1]->name != self->name)
        return;
    n->kid[0]->kid[0] = n->kid[1];
    for (int i = 1; i + 1 < n->n; i++)
        n->kid[i] = n->kid[i + 1];
    n->n--;
}

/* int(x or 0): of a text, the two sides have no common type, but what is made of them has. x is a
 * name, which is asked twice. */
void
in_fold_or(In *in, FuncDef *f, Node *n)
{
    const Const *c = n->n == 2 ? in_constant_value(f, n->kid[0]) : NULL;
    const Node *of = n->n == 2 && n->kid[1]->kind == N_BoolOp ? n->kid[1] : NULL;
    if (!c || c->kind != CV_DTYPE || !c->b || !c->weak || !of || of->op != 1 || of->n != 2 ||
        of->kid[0]->kind != N_Name || of->kid[1]->kind != N_Const)
        return;
    Arena *a = &in->cx->arena;
    Node *name = ast_new(a, f, N_Name, of->kid[0]->at, 0), *call[2];
    name->name = of->kid[0]->name;
    name->op = CTX_LOAD;
    for (int i = 0; i < 2; i++) {
        call[i] = ast_new(a, f, N_Call, n->at, 2);
        call[i]->kid[0] = ast_const(a, f, n->kid[0]->at, c);
        call[i]->kid[1] = i ? of->kid[1] : name;
    }
    n->kind = N_IfExp;
    n->kid = NEW_N(a, Node *, 3);
    n->kid[0] = of->kid[0];
    n->kid[1] = call[0];
    n->kid[2] = call[1];
    n->n = 3;
}
