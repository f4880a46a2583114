/* SPDX-License-Identifier: BSD-3-Clause
 * What its decorator says of a function that compiled code calls: the options that it is compiled
 * under, the signatures that calls choose among, and what it stands for. Also the text of
 * signatures, which spec.c reads, too, and which classes of arrays are as ndarray is. */
#include "py.h"

/* What a class or function of another package's names does when compiled code calls it:
 * `_swathe_is` of the class or function. Borrowed; NULL: there is nothing else. */
PyObject *
in_stands_for(PyObject *o)
{
    PyObject *attrs = PyType_Check(o)       ? class_dict((PyTypeObject *)o)
                      : PyFunction_Check(o) ? ((PyFunctionObject *)o)->func_dict
                                            : NULL;
    return attrs ? PyDict_GetItemString(attrs, "_swathe_is") : NULL;
}

/* ---- what stands for a function, by types ---------------------------------------------------- */

/* `_swathe_overload` of a function: what is called with the types of arguments, as text. */
const void *
own_chooser(In *in, PyObject *func)
{
    PyObject *attrs = ((PyFunctionObject *)func)->func_dict;
    PyObject *o = attrs ? PyDict_GetItemString(attrs, "_swathe_overload") : NULL;
    if (o && PyList_Append(in->keep, o) < 0)
        in->failed = true;
    return o;
}

/* What calls find in the place of a function: `_swathe_face` of one whose parameters aren't those
 * of its overloads. Borrowed. */
PyObject *
own_face(State *st, PyObject *o)
{
    PyObject *f = py_unwrap(st, o);
    PyObject *attrs = PyFunction_Check(f) ? ((PyFunctionObject *)f)->func_dict : NULL;
    PyObject *face = attrs ? PyDict_GetItemString(attrs, "_swathe_face") : NULL;
    return face ? face : o;
}

/* Ask: a function, or the text of what is wrong. */
static bool
ask(In *in, Chosen *c)
{
    PyObject *o = PyObject_CallFunction((PyObject *)(uintptr_t)c->of->chooser, "s", c->types);
    if (!o || PyList_Append(in->keep, o) < 0) {
        Py_XDECREF(o);
        return false;
    }
    Py_DECREF(o); /* kept */
    if (PyUnicode_Check(o)) {
        c->why = arena_str(&in->cx->arena, PyUnicode_AsUTF8(o));
        return c->why != NULL;
    }
    FuncDef *def = NULL;
    if (!in_chosen(in, o, &def))
        return false;
    c->def = def;
    return true;
}

/* One that arguments tell. */
void
own_family(In *in, const Const *cls, int n, const ObjClass **member)
{
    Program *p = in->prog;
    for (int i = 0; i < p->families.n; i++)
        if (p->families.at[i].cls && p->families.at[i].cls->ref == cls->ref)
            return;
    Family f = {.of = {member[0], member[1]}, .known = true, .n = n, .member = member, .cls = cls};
    VEC_PUSH(&in->cx->arena, p->families, f);
}

/* Members of a family. */
static bool
take_family(In *in, Family *f, PyObject *told)
{
    PyObject *cls = PyTuple_GetItem(told, 0), *members = PyTuple_GetItem(told, 1);
    if (!cls || !members || PyList_Append(in->keep, told) < 0 || !in_chosen(in, cls, NULL))
        return false;
    f->n = (int)PyTuple_GET_SIZE(members);
    f->member = NEW_N(&in->cx->arena, const ObjClass *, f->n + 1);
    for (int i = 0; i < f->n; i++)
        f->member[i] = in->prog->classes.at[PyLong_AsLong(PyTuple_GET_ITEM(members, i))];
    f->cls = in_const(in, cls, NULL);
    ast_write_out_methods(in->cx, in->prog);
    return true;
}

static bool
ask_family(In *in, Family *f)
{
    Program *p = in->prog;
    if (f->of[0]->resumed) {
        f->known = true;
        ast_merge_resumable(in->objects, f->of[0], f->of[1]);
        return true;
    }
    PyObject *all = PyList_New(p->classes.n), *m = late_import("swathe._families");
    PyObject *pairs = PyList_New(0);
    for (const Family *g = p->families.at; pairs && g < p->families.at + p->families.n; g++) {
        if (g->of[0]->resumed)
            continue;
        PyObject *two = PyTuple_Pack(2, g->of[0]->cls, g->of[1]->cls);
        if (!two || PyList_Append(pairs, two) < 0)
            Py_CLEAR(pairs);
        Py_XDECREF(two);
        for (int i = 1; pairs && g->cls && i < g->n; i++) {
            two = PyTuple_Pack(2, g->member[i - 1]->cls, g->member[i]->cls);
            if (!two || PyList_Append(pairs, two) < 0)
                Py_CLEAR(pairs);
            Py_XDECREF(two);
        }
    }
    for (int i = 0; all && i < p->classes.n;
         i++) { /* but what is tried as another, or only named */
        const ObjClass *c = p->classes.at[i];
        bool none = c->same || c->resumed || !c->made;
        PyList_SET_ITEM(all, i, Py_NewRef(none ? Py_None : (PyObject *)(uintptr_t)c->cls));
    }
    PyObject *told = all && m && pairs ? PyObject_CallMethod(m, "family", "OOOO", f->of[0]->cls,
                                                             f->of[1]->cls, all, pairs)
                                       : NULL;
    f->known = true;
    bool ok = told && (told == Py_None || take_family(in, f, told));
    Py_XDECREF(told);
    Py_XDECREF(pairs);
    Py_XDECREF(all);
    Py_XDECREF(m);
    return ok;
}

/* All that types have asked for. False: an exception. */
bool
own_choose(In *in)
{
    Program *p = in->prog;
    p->asked = p->family_asked = false;
    if (p->tells_raised && !error_tell(in))
        return false;
    if (p->later.n && !p->later.at[p->later.n - 1].known && !in_later(in))
        return false;
    for (int i = 0; i < p->chosen.n; i++) {
        Chosen *c = &p->chosen.at[i];
        if (!c->def && !c->why && !ask(in, c))
            return false;
    }
    for (int i = 0; i < p->families.n; i++)
        if (!p->families.at[i].known && !ask_family(in, &p->families.at[i]))
            return false;
    for (int i = 0; i < p->attrs.n; i++)
        if (!p->attrs.at[i].known && !in_asked_attr(in, &p->attrs.at[i]))
            return false;
    return true;
}

/* ---- the text of signatures ------------------------------------------------------------------ */

const char *
own_params(const char *text, size_t *n)
{
    size_t end = strlen(text);
    while (end > 0 && text[end - 1] == ' ')
        end--;
    if (end == 0 || text[end - 1] != ')')
        return NULL;
    int depth = 0;
    for (size_t i = end; i-- > 0;) {
        depth += (text[i] == ')') - (text[i] == '(');
        if (depth == 0) {
            *n = end - 1 - (i + 1);
            return text + i + 1;
        }
    }
    return NULL;
}

/* One parameter's type out of "float64[:], Tuple((int64, int64))": up to a top-level
 * comma. */
static const char *
next_part(const char *p, char *out, size_t cap)
{
    size_t n = 0;
    int depth = 0;
    while (*p == ' ')
        p++;
    for (; *p && !(depth == 0 && *p == ','); p++) {
        depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
        if (n + 1 < cap)
            out[n++] = *p;
    }
    while (n > 0 && out[n - 1] == ' ')
        n--;
    out[n] = 0;
    return *p ? p + 1 : p;
}

const char *
own_signature(Cx *cx, const char *text, Signature *sig)
{
    const char *why = NULL;
    const Type *types[OWN_MOST_PARAMS];
    size_t n = 0;
    const char *params = own_params(text, &n);
    *sig = (Signature){.text = arena_str(&cx->arena, text)};
    if (!params)
        return "it is not of the form 'result(argument, ...)'";
    const char *p = arena_printf(&cx->arena, "%.*s", (int)n, params);
    char part[512];
    while (*p) {
        p = next_part(p, part, sizeof part);
        const Type *t = type_parse(cx->types, part, &why);
        if (!t)
            return why ? why : "a type in it is not known";
        if (sig->n == SW_LEN(types))
            return "it has too many arguments";
        types[sig->n++] = t;
    }
    sig->params = arena_dup(&cx->arena, types, sizeof *types * (size_t)(sig->n + 1));
    char *ret = arena_printf(&cx->arena, "%.*s", (int)(params - 1 - text), text);
    if (ret[strspn(ret, " ")] && !(sig->ret = type_parse(cx->types, ret, &why)))
        return why ? why : "its result's type is not known";
    return NULL;
}

/* A number as one of the dtype that a signature says, as Numba casts it; else what it is. New
 * reference; NULL: an exception. */
PyObject *
own_cast(const Type *t, PyObject *o)
{
    if (t->kind == TY_OPTIONAL && o != Py_None)
        return own_cast(t->elems[1], o);
    bool complex_ = PyComplex_Check(o) || PyArray_IsScalar(o, ComplexFloating);
    bool number = PyLong_Check(o) || PyFloat_Check(o) || complex_ || PyArray_IsScalar(o, Number) ||
                  PyArray_IsScalar(o, Bool);
    if (t->kind != TY_SCALAR || !number || (complex_ && !dtype_is_complex((DType)t->dtype)))
        return Py_NewRef(o);
    PyArray_Descr *d = descr_of_dtype((DType)t->dtype);
    PyObject *r = d ? PyObject_CallOneArg((PyObject *)d->typeobj, o) : NULL;
    Py_XDECREF(d);
    return r;
}

/* ---- functions that compiled code calls ------------------------------------------------------ */

/* Signatures that can't be read have been reported where they were given, or, of functions for
 * kernels, choose nothing. What Numba inlines into compiled code takes that code's types, whatever
 * its signatures say. */
static void
take_signatures(In *in, FuncDef *f, Dispatcher *d)
{
    bool inlined = d->opt.numba_casts && d->opt.inline_ == INLINE_ALWAYS;
    Py_ssize_t n = d->sigs && !d->ir && !inlined ? PyList_GET_SIZE(d->sigs) : 0;
    Signature *all = NEW_N(&in->cx->arena, Signature, n + 1);
    for (Py_ssize_t i = 0; i < n; i++) {
        const char *text = PyUnicode_AsUTF8(PyList_GET_ITEM(d->sigs, i));
        bool read = text && !own_signature(in->cx, text, &all[i]);
        PyErr_Clear();
        if (!read)
            return;
    }
    f->n_sigs = (int)n;
    f->sigs = all;
}

static FuncDef *
claim(In *in, FuncDef *f, Dispatcher *d)
{
    f->own = arena_dup(&in->cx->arena, &d->opt, sizeof d->opt);
    if (d->opt.inline_)
        f->inline_ = d->opt.inline_;
    take_signatures(in, f, d);
    if (!map_get(&in->func_of, d))
        map_put(&in->cx->arena, &in->func_of, d, f);
    return f;
}

/* As a function of its own. */
FuncDef *
in_dispatcher_again(In *in, PyObject *of)
{
    Dispatcher *d = (Dispatcher *)of;
    FuncDef *f = in_function_again(in, d->func);
    return f && PyList_Append(in->keep, of) == 0 ? claim(in, f, d) : NULL;
}

/* One Python function may have been decorated several times, and be called as it is, too: each is a
 * function of its own. The one that Python called finds itself by its name. */
FuncDef *
in_dispatcher(In *in, PyObject *of)
{
    Dispatcher *d = (Dispatcher *)of;
    FuncDef *f = map_get(&in->func_of, of);
    if (f) {
        in->root_called |= f == in->prog->root;
        return f;
    }
    if (d->dict && PyDict_GetItemString(d->dict, "_swathe_cached")) {
        f = in_memo(in, in_dispatcher_again(in, of));
        map_put(&in->cx->arena, &in->func_of, of, f);
        return f;
    }
    f = map_get(&in->func_of, d->func);
    if (!f || f != in->prog->root || f->own)
        return in_dispatcher_again(in, of);
    in->root_called = true;
    return PyList_Append(in->keep, of) == 0 ? claim(in, f, d) : NULL;
}

/* ---- classes of arrays ----------------------------------------------------------------------- */

/* Names of ndarray that a class may define for itself and stay an array like others: what is made
 * of it is an ndarray. */
static bool
may_have(const char *name)
{
    static const char *const names[] = {
        "__new__",           "__init__",  "__array_finalize__", "__module__",
        "__doc__",           "__dict__",  "__reduce__",         "__setstate__",
        "__repr__",          "__str__",   "__slots__",          "__format__",
        "__init_subclass__", "__class__", "__firstlineno__",    "__static_attributes__",
        "__weakref__"};
    for (int i = 0; i < SW_LEN(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static _Atomic bool any_arrays;

/* As Numba takes them, for programs that run in its place. */
PyObject *
own_take_any_arrays(PyObject *module, PyObject *yes)
{
    (void)module;
    any_arrays = yes == Py_True;
    Py_RETURN_NONE;
}

bool
own_takes_any(void)
{
    return any_arrays;
}

/* A class derived from ndarray, operators, methods and attributes of which are ndarray's own. */
bool
own_is_like_ndarray(PyTypeObject *t)
{
    PyObject *key, *value, *mro = t->tp_mro;
    if (any_arrays && !strstr(t->tp_name, "MaskedArray"))
        return PyType_IsSubtype(t, &PyArray_Type);
    for (Py_ssize_t i = 0; mro && i < PyTuple_GET_SIZE(mro); i++) {
        PyTypeObject *c = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        if (c == &PyArray_Type)
            return true;
        Py_ssize_t at = 0;
        while (class_dict(c) && PyDict_Next(class_dict(c), &at, &key, &value)) {
            const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : NULL;
            bool own = name && !strncmp(name, "__getattr", 9);
            if (!name || own ||
                (!may_have(name) && PyDict_Contains(class_dict(&PyArray_Type), key)))
                return false;
        }
    }
    return false;
}

/* ---- annotations ---- */

/* One of swathe.annotate's; as text (from __future__ import annotations), perhaps. */
static bool
names_sizes(In *in, PyObject *note)
{
    if (!PyUnicode_Check(note))
        return PyObject_HasAttr(note, in->st->s__swathe_annotation);
    const char *s = PyUnicode_AsUTF8(note);
    PyErr_Clear();
    PyObject *v = PyDict_GetItem(in->globals, note);
    return (s && strstr(s, "buffer(")) || (v && PyObject_HasAttr(v, in->st->s__swathe_annotation));
}

/* By what a module of swathe's makes of it. Takes over node. */
static PyObject *
rewritten(In *in, PyObject *func, PyObject *node, const char *module)
{
    PyObject *m = late_import(module);
    PyObject *r = m ? PyObject_CallMethod(m, "rewrite", "OO", func, node) : NULL;
    in->failed |= r == NULL;
    Py_XDECREF(m);
    Py_DECREF(node);
    return r;
}

/* Annotations that name sizes and types (swathe.buffer(T, [N])) become statements at the
 * head of the body; what is assigned to variables that its decorator gives types is converted.
 * Takes over node. */
PyObject *
own_annotated(In *in, PyObject *func, PyObject *node)
{
    PyObject *attrs = ((PyFunctionObject *)func)->func_dict;
    if (attrs && PyDict_GetItemString(attrs, "_swathe_locals"))
        node = rewritten(in, func, node, "swathe._locals");
    if (!node)
        return NULL;
    PyObject *notes = PyFunction_GetAnnotations(func), *k, *v;
    Py_ssize_t at = 0;
    bool any = false;
    while (notes && !any && PyDict_Next(notes, &at, &k, &v))
        any = names_sizes(in, v);
    return any ? rewritten(in, func, node, "swathe.annotate") : node;
}
