/* SPDX-License-Identifier: BSD-3-Clause
 * Classes of named tuples: what they have besides fields (methods, properties and values) becomes a
 * part of the program, by which sema finds it. */
#include "py.h"

/* Not what namedtuple() itself has put there. */
static bool
is_users(PyObject *v)
{
    PyObject *globals = PyFunction_Check(v) ? PyFunction_GET_GLOBALS(v) : NULL;
    PyObject *name = globals ? PyDict_GetItemString(globals, "__name__") : NULL;
    const char *s = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    return !s || (strcmp(s, "collections") && strncmp(s, "namedtuple_", 11));
}

/* Of names that Python calls by itself, those whose functions are compiled; the others are known
 * to be there. */
static bool
is_compiled(const char *name)
{
    static const char *const not [] = {
        "__hash__",       "__iter__",   "__reversed__", "__getattr__",       "__getattribute__",
        "__new__",        "__init__",   "__array__",    "__array_ufunc__",   "__reduce__",
        "__reduce_ex__",  "__copy__",   "__deepcopy__", "__init_subclass__", "__class_getitem__",
        "__getnewargs__", "__sizeof__", "__dir__",      "__setattr__",       "__delattr__",
        "__del__",        "__next__"};
    for (int i = 0; i < SW_LEN(not ); i++)
        if (!strcmp(not [i], name))
            return false;
    return true;
}

/* Is it a field that stands for something else now? */
static bool
hides_field(In *in, PyObject *cls, PyObject *name, PyObject *v)
{
    PyObject *fields = PyObject_GetAttr(cls, in->st->s__fields);
    bool hides = fields && PySequence_Contains(fields, name) == 1 &&
                 !strstr(Py_TYPE(v)->tp_name, "_tuplegetter");
    Py_XDECREF(fields);
    return hides;
}

/* What namedtuple() itself has put there besides functions. */
static bool
is_own_data(const char *name)
{
    static const char *const own[] = {"_fields", "_field_defaults", "_field_types", "_source"};
    for (int i = 0; i < SW_LEN(own); i++)
        if (!strcmp(own[i], name))
            return true;
    return false;
}

/* A value that a class of named tuples has: a constant. */
static void
class_value(In *in, PyObject *cls, PyObject *name, PyObject *v)
{
    const Const *c = in_const(in, v, in_sym(in, name));
    if (c && c->kind != CV_UNSUPPORTED)
        VEC_PUSH(&in->cx->arena, in->prog->methods,
                 ((Method){.cls = cls, .name = in_sym(in, name), .cst = c}));
}

static void
class_setter(In *in, PyObject *cls, PyObject *name, PyObject *v)
{
    PyObject *f = PyObject_GetAttrString(v, "fset");
    Method set = {.cls = cls, .name = in_sym(in, name), .is_setter = true};
    if (f && PyFunction_Check(f) && (set.def = in_function(in, f)))
        VEC_PUSH(&in->cx->arena, in->prog->methods, set);
    PyErr_Clear();
    Py_XDECREF(f);
}

/* What a class of named tuples was given: a function, a property, a value, or what is none but
 * hides what a tuple has. */
static void
class_function(In *in, PyObject *cls, PyObject *name, PyObject *v)
{
    const char *s = PyUnicode_AsUTF8(name);
    if (s && class_is_copy(name) && !in->prog->copies)
        return;
    if (s && !strncmp(s, "_swathe_", 8)) /* what the class itself is restored by, in Python */
        return;
    bool special = s && !strncmp(s, "__", 2), property = PyObject_TypeCheck(v, &PyProperty_Type);
    bool of_static = Py_IS_TYPE(v, &PyStaticMethod_Type);
    bool of_class = Py_IS_TYPE(v, &PyClassMethod_Type);
    bool hides = s && hides_field(in, cls, name, v);
    PyObject *f = Py_NewRef(py_unwrap(in->st, v));
    bool plain = property || PyFunction_Check(f); /* __new__ is a static method */
    if (!plain || property)
        Py_SETREF(f, PyObject_GetAttrString(v, property ? "fget" : "__func__"));
    if (f && dispatcher_check(in->st, f) && (of_static || of_class))
        Py_SETREF(f, Py_NewRef(py_unwrap(in->st, f)));
    bool function = f && PyFunction_Check(f);
    if (s && (function ? is_users(f) : special || hides)) {
        bool async = function && ((PyCodeObject *)PyFunction_GET_CODE(f))->co_flags &
                                     (CO_COROUTINE | CO_ASYNC_GENERATOR);
        bool calls = plain || ((of_static || of_class) && !special);
        bool made = function && calls && !async && (!special || is_compiled(s));
        Method m = {.cls = cls,
                    .name = in_sym(in, name),
                    .is_property = property,
                    .is_static = of_static && !special,
                    .is_class = of_class && !special};
        if (made)
            m.def = dispatcher_check(in->st, v) ? in_dispatcher(in, v) : in_function(in, f);
        m.cst = v == Py_None ? const_new(in, CV_NONE) : NULL;
        if (m.def || special || hides)
            VEC_PUSH(&in->cx->arena, in->prog->methods, m);
    } else if (s && !function && !strstr(Py_TYPE(v)->tp_name, "_tuplegetter") && !is_own_data(s)) {
        PyErr_Clear();
        class_value(in, cls, name, v);
    }
    PyErr_Clear();
    Py_XDECREF(f);
    if (property && s)
        class_setter(in, cls, name, v);
}

static bool
has_method(const In *in, PyObject *cls, PyObject *name)
{
    bool has = false;
    for (int i = 0; i < in->prog->methods.n && !has; i++)
        has = in->prog->methods.at[i].cls == cls &&
              !PyUnicode_CompareWithASCIIString(name, in->prog->methods.at[i].name);
    return has;
}

/* What members of an enum have stored may be stored anew: (dict, name, value) of each, which
 * swathe._enums has compiled in. */
static void
depend_on_members(In *in, PyObject *cls)
{
    PyObject *all = PyDict_GetItemString(class_dict((PyTypeObject *)cls), "_swathe_attributes");
    for (Py_ssize_t i = 0; all && i < PyList_GET_SIZE(all); i++) {
        PyObject *one = PyList_GET_ITEM(all, i);
        deps_dict(in->deps, PyTuple_GET_ITEM(one, 0), PyTuple_GET_ITEM(one, 1),
                  PyTuple_GET_ITEM(one, 2));
    }
}

/* Methods and properties of a class and of those before it become functions of the program, by
 * which sema finds them; the first in the order of inheritance counts. */
void
in_tuple_class(In *in, PyObject *cls)
{
    PyObject *name, *v, *mro = ((PyTypeObject *)cls)->tp_mro;
    bool copies = in->prog->copies && !map_get(&in->copied, cls);
    if (map_get(&in->named_tuples, cls) && !copies)
        return;
    if (copies)
        map_put(&in->cx->arena, &in->copied, cls, cls);
    map_put(&in->cx->arena, &in->named_tuples, cls, cls);
    depend_on_members(in, cls);
    for (Py_ssize_t i = 0; mro && i < PyTuple_GET_SIZE(mro); i++) {
        PyObject *base = PyTuple_GET_ITEM(mro, i);
        if (base == (PyObject *)&PyTuple_Type)
            break;
        if (base != cls)
            VEC_PUSH(&in->cx->arena, in->prog->bases, ((ClassBase){cls, base}));
        PyObject *dict = PyObject_GetAttrString(base, "__dict__"),
                 *own = dict ? PyDict_New() : NULL;
        Py_ssize_t at = 0;
        if (own && PyDict_Update(own, dict) == 0) /* a copy: reading may run Python */
            while (PyDict_Next(own, &at, &name, &v))
                if (PyUnicode_Check(name) && !has_method(in, cls, name)) {
                    class_function(in, cls, name, v);
                    if (has_method(in, cls, name))
                        deps_method(in->deps, mro, i, name, v);
                }
        PyErr_Clear();
        Py_XDECREF(own);
        Py_XDECREF(dict);
    }
}
