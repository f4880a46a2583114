/* SPDX-License-Identifier: BSD-3-Clause
 * Patterns of the module re. What the type of a result hangs on is how many groups there are, which
 * a pattern that is a literal or an object (`WORD = re.compile(...)`) tells: functions of
 * swathe._re take it first. A method of such an object is the function of its pattern and flags. */
#include "ast/search.h"
#include "py.h"

bool
in_is_pattern(const PyObject *o)
{
    return !strcmp(Py_TYPE(o)->tp_name, "re.Pattern");
}

bool
in_is_pattern_flag(const PyObject *o)
{
    return !strcmp(Py_TYPE(o)->tp_name, "RegexFlag");
}

/* How many groups; -1: it is no pattern. */
static int64_t
groups_of(const Const *pattern, int64_t flags)
{
    PyObject *m = late_import("swathe._asked");
    PyObject *text = PyUnicode_FromStringAndSize(pattern->str, (Py_ssize_t)pattern->str_len);
    PyObject *n = m && text ? PyObject_CallMethod(m, "groups", "OL", text, (long long)flags) : NULL;
    int64_t k = n ? PyLong_AsLongLong(n) : -1;
    PyErr_Clear();
    Py_XDECREF(n);
    Py_XDECREF(text);
    Py_XDECREF(m);
    return k;
}

static Node *
number(In *in, FuncDef *f, Span at, int64_t i)
{
    Const *c = NEW(&in->cx->arena, Const);
    *c = (Const){.kind = CV_INT, .i = i};
    return ast_const(&in->cx->arena, f, at, c);
}

/* `to` in the place of what is called, with `more` before the other arguments. */
static void
become_call(In *in, FuncDef *f, Node *n, const Const *to, int n_more, Node *const *more)
{
    Node **kid = NEW_N(&in->cx->arena, Node *, n->n + n_more + 1);
    kid[0] = ast_const(&in->cx->arena, f, n->at, to);
    for (int i = 0; i < n_more; i++)
        kid[1 + i] = more[i];
    for (int i = 1; i < n->n; i++)
        kid[i + n_more] = n->kid[i];
    n->kid = kid;
    n->n += n_more;
    in_mention(in, to);
}

static bool
wants_groups(const char *name)
{
    return strcmp(name, "split") != 0 && strcmp(name, "sub") != 0 && strcmp(name, "subn") != 0;
}

/* re.findall("(a)(b)", s) */
static void
fold_function(In *in, FuncDef *f, Node *n)
{
    const Const *c = in_constant_value(f, n->kid[0]), *text = in_constant_value(f, n->kid[1]);
    const FuncDef *of = c && c->kind == CV_FUNC ? c->ref : NULL;
    if (!of || !of->is_lib || !text || text->kind != CV_STR || !wants_groups(of->name))
        return;
    const Const *to = in_stdlib_method(in, "re", of->name);
    int64_t k = to && to->ref == of ? groups_of(text, 0) : -1;
    if (k < 0 || !(to = in_stdlib_method(in, "pattern", of->name)))
        return;
    become_call(in, f, n, to, 1, (Node *[]){number(in, f, n->at, k)});
}

/* WORD.findall(s) */
static void
fold_method(In *in, FuncDef *f, Node *n)
{
    const Node *m = n->kid[0];
    const Const *c = m->kind == N_Attribute ? in_constant_value(f, m->kid[0]) : NULL;
    PyObject *o = c && c->kind == CV_UNSUPPORTED ? (PyObject *)(uintptr_t)c->ref : NULL;
    if (!o || !in_is_pattern(o))
        return;
    const Const *to = in_stdlib_method(in, "pattern", m->name);
    PyObject *text = PyObject_GetAttrString(o, "pattern"),
             *flags = PyObject_GetAttrString(o, "flags");
    Py_ssize_t len = 0;
    const char *s = text && PyUnicode_Check(text) ? PyUnicode_AsUTF8AndSize(text, &len) : NULL;
    if (to && s && flags) {
        Const *p = NEW(&in->cx->arena, Const);
        *p = (Const){.kind = CV_STR,
                     .str = arena_dup(&in->cx->arena, s, (size_t)len + 1),
                     .str_len = (size_t)len};
        int64_t how = PyLong_AsLongLong(flags);
        Node *key = ast_new(&in->cx->arena, f, N_Keyword, n->at, 1);
        key->name = intern(&in->cx->syms, "flags");
        key->kid[0] = number(in, f, n->at, how);
        Node *more[2] = {number(in, f, n->at, groups_of(p, how)),
                         ast_const(&in->cx->arena, f, n->at, p)};
        int first = wants_groups(m->name) ? 0 : 1;
        become_call(in, f, n, to, 2 - first, more + first);
        n->kid[n->n++] = key;
    }
    PyErr_Clear();
    Py_XDECREF(flags);
    Py_XDECREF(text);
}

/* ---- re.compile in a function ---------------------------------------------------------------- */

/* The object; NULL: Python makes none of it. */
static PyObject *
compiled_pattern(In *in, const Const *text, const Const *flags)
{
    int64_t how = 0;
    if (!text || text->kind != CV_STR || (flags && flags->kind != CV_INT))
        return NULL;
    how = flags ? flags->i : 0;
    PyObject *re = late_import("re");
    PyObject *s = PyUnicode_FromStringAndSize(text->str, (Py_ssize_t)text->str_len);
    PyObject *o = re && s ? PyObject_CallMethod(re, "compile", "OL", s, (long long)how) : NULL;
    if (o && PyList_Append(in->keep, o) < 0)
        in->failed = true;
    PyErr_Clear();
    Py_XDECREF(s);
    Py_XDECREF(re);
    Py_XDECREF(o); /* which is kept */
    return in->failed ? NULL : o;
}

static bool
is_compile(In *in, const Const *c)
{
    const Const *own = c && c->kind == CV_FUNC && ((const FuncDef *)c->ref)->is_lib
                           ? in_stdlib_method(in, "re", ((const FuncDef *)c->ref)->name)
                           : NULL;
    return own && own->ref == c->ref && !strcmp(((const FuncDef *)c->ref)->name, "compile");
}

/* re.compile("..."): the object, as if it were a global. */
static void
fold_compile(In *in, FuncDef *f, Node *n)
{
    if (n->n > 3 || !is_compile(in, in_constant_value(f, n->kid[0])))
        return;
    const Node *flags = n->n > 2 ? n->kid[2] : NULL;
    if (flags && flags->kind == N_Keyword)
        flags = !strcmp(flags->name, "flags") ? flags->kid[0] : n;
    const Const *how = flags ? in_constant_value(f, flags) : NULL;
    PyObject *o = flags && !how ? NULL : compiled_pattern(in, in_constant_value(f, n->kid[1]), how);
    const Const *made = o ? in_const(in, o, NULL) : NULL;
    if (!made)
        return;
    Const *c = NEW(&in->cx->arena, Const);
    *c = *made;
    c->str = "a pattern of re.compile() that is not one name, set once and read behind that,";
    n->kind = N_Const;
    n->val = c;
    n->n = 0;
}

static int
count_name(const Node *n, Sym name, bool stored)
{
    int k = n && n->kind == N_Name && n->name == name && (!stored || n->op != CTX_LOAD);
    for (int i = 0; n && i < n->n; i++)
        k += count_name(n->kid[i], name, stored);
    return k;
}

static bool
is_taken(const Node *n, Sym name)
{
    bool is = n && ((n->kind == N_Handler && n->name == name) ||
                    (n->fn && (n->name == name || ast_has_name(n->fn->free, n->fn->n_free, name))));
    for (int i = 0; n && i < n->n && !is; i++)
        is = is_taken(n->kid[i], name);
    return is;
}

static void
put_pattern(Node *n, Sym name, const Const *c)
{
    for (int i = 0; n && i < n->n; i++)
        put_pattern(n->kid[i], name, c);
    if (!n || n->kind != N_Name || n->name != name)
        return;
    n->kind = N_Const;
    n->val = c;
    n->name = NULL;
    n->op = 0;
}

/* The block of statements that n is one of; NULL. */
static Node *
block_of(Node *in, const Node *n)
{
    Node *found = NULL;
    for (int i = 0; in && i < in->n && !found; i++)
        found = in->kid[i] == n && in->kind == N_Block ? in : block_of(in->kid[i], n);
    return found;
}

/* word = re.compile("..."): what it stands for is known in what comes behind it in its block, if
 * nobody else reads the name. */
void
in_fold_pattern_name(FuncDef *f, Node *n)
{
    const Const *c = n->n == 2 && n->kid[0]->kind == N_Const ? n->kid[0]->val : NULL;
    const Node *t = c ? n->kid[1] : NULL;
    PyObject *o = c && c->kind == CV_UNSUPPORTED && c->ref ? (PyObject *)(uintptr_t)c->ref : NULL;
    if (!o || !in_is_pattern(o) || t->kind != N_Name || !f->body || !ast_is_local(f, t->name))
        return;
    Sym name = t->name;
    Node *block = block_of(f->body, n);
    int all = count_name(f->body, name, false), behind = 0;
    for (int i = block ? block->n - 1 : -1; i >= 0; i--) {
        behind += count_name(block->kid[i], name, false);
        if (block->kid[i] == n)
            break;
    }
    if (behind != all || ast_is_param(f, name) || is_taken(f->body, name) ||
        count_name(f->body, name, true) != 1)
        return;
    n->kind = N_Pass;
    n->n = 0;
    put_pattern(f->body, name, c);
}

void
in_fold_pattern(In *in, FuncDef *f, Node *n)
{
    if (f->is_lib || n->n < 2)
        return;
    fold_compile(in, f, n);
    if (n->kind != N_Call)
        return;
    fold_function(in, f, n);
    fold_method(in, f, n);
}
