/* SPDX-License-Identifier: BSD-3-Clause
 * What all objects hold that an argument leads to, whose classes don't declare it. What a value
 * tells is said by swathe._plain_graphs; here is the walk, which asks it only where a field holds
 * what it has not held before: most objects of a class tell nothing new. */
#include "object.h"
#include "py.h"

enum { KINDS = 6 };

/* Classes of values that have been told of; any value of one of them tells the same. */
typedef struct Kinds {
    PyTypeObject *of[KINDS];
    int n;
} Kinds;

typedef struct Field {
    PyObject *name; /* borrowed, as all here is: the class's description has it */
    bool declared;  /* no number, string or None of it has to be looked at */
    bool list;      /* a list has been told of */
    Kinds held, in_list;
} Field;

/* What a value that is the first of its field tells; NULL: see swathe._plain_graphs. */
static const char *
first_of(PyObject *o)
{
    return PyFloat_CheckExact(o)     ? "float"
           : PyBool_Check(o)         ? "bool"
           : PyLong_CheckExact(o)    ? "int"
           : PyUnicode_CheckExact(o) ? "str"
           : o == Py_None            ? "none"
                                     : NULL;
}

typedef struct Class {
    PyTypeObject *cls;
    int n;
    Field *field;
    PyObject *facts; /* borrowed */
} Class;

typedef struct Walk {
    Arena arena;
    Map classes, plain, seen; /* PyTypeObject -> Class; -> whether it is a plain one; objects */
    PyObject **todo;
    Py_ssize_t n_todo, room;
    PyObject *facts, *graphs, *all; /* all: the objects by address, which this dict holds */
} Walk;

static bool
has(const Kinds *k, const PyTypeObject *t)
{
    bool found = false;
    for (int i = 0; i < k->n && !found; i++)
        found = k->of[i] == t;
    return found;
}

static void
add(Kinds *k, PyTypeObject *t)
{
    if (k->n < KINDS && !has(k, t))
        k->of[k->n++] = t;
}

/* Are all values of the class alike? */
static bool
tells(Walk *w, PyObject *o, bool *plain)
{
    PyTypeObject *t = Py_TYPE(o);
    *plain = false;
    if (PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) || o == Py_None ||
        PyUnicode_CheckExact(o) || PyBytes_CheckExact(o) || PyComplex_CheckExact(o))
        return true;
    if (!(t->tp_flags & Py_TPFLAGS_HEAPTYPE) || PyType_Check(o) || PyTuple_Check(o))
        return false;
    const char *known = map_get(&w->plain, t);
    if (!known) {
        PyObject *is = object_plain((PyObject *)t);
        known = is && is != Py_None ? "plain" : "other";
        map_put(&w->arena, &w->plain, t, (void *)(uintptr_t)known);
    }
    *plain = known[0] == 'p';
    return *plain;
}

static int
push(Walk *w, PyObject *o)
{
    if (map_get(&w->seen, o))
        return 0;
    map_put(&w->arena, &w->seen, o, o);
    PyObject *at = PyLong_FromVoidPtr(o);
    int r = at ? PyDict_SetItem(w->all, at, o) : -1;
    Py_XDECREF(at);
    if (r == 0 && w->n_todo == w->room) {
        Py_ssize_t room = w->room ? 2 * w->room : 64;
        PyObject **todo = PyMem_Realloc(w->todo, sizeof *todo * (size_t)room);
        if (!todo) {
            PyErr_NoMemory();
            return -1;
        }
        w->todo = todo;
        w->room = room;
    }
    if (r == 0)
        w->todo[w->n_todo++] = o;
    return r;
}

/* As its class says, with all that is in it. */
static int
tell(Walk *w, Class *c, Field *f, PyObject *value)
{
    const char *first = first_of(value);
    if (first && PyDict_GetItem(c->facts, f->name) == Py_None) {
        PyObject *text = PyUnicode_InternFromString(first);
        int set = text ? PyDict_SetItem(c->facts, f->name, text) : -1;
        Py_XDECREF(text);
        return set;
    }
    PyObject *more =
        PyObject_CallMethod(w->graphs, "_tell", "OOOO", w->facts, c->cls, f->name, value);
    int r = more ? 0 : -1;
    for (Py_ssize_t i = 0; r == 0 && i < PyList_GET_SIZE(more); i++)
        r = push(w, PyList_GET_ITEM(more, i));
    Py_XDECREF(more);
    return r;
}

/* 1: all in it has been told of. */
static int
known_list(Walk *w, Field *f, PyObject *list)
{
    bool plain;
    if (!f->list)
        return 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++)
        if (!has(&f->in_list, Py_TYPE(PyList_GET_ITEM(list, i))))
            return 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++)
        if (tells(w, PyList_GET_ITEM(list, i), &plain) && plain &&
            push(w, PyList_GET_ITEM(list, i)) < 0)
            return -1;
    return 1;
}

static int
take_field(Walk *w, Class *c, Field *f, PyObject *o)
{
    PyObject *value = object_own(o, f->name);
    bool plain, list;
    if (!value) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError))
            return -1;
        PyErr_Clear();
        return 0;
    }
    int r = 0;
    bool alike = tells(w, value, &plain);
    list = PyList_CheckExact(value);
    if (alike && (has(&f->held, Py_TYPE(value)) || (f->declared && !plain))) {
        r = plain ? push(w, value) : 0;
    } else {
        r = list ? known_list(w, f, value) : 0;
        if (r == 0)
            r = tell(w, c, f, value);
        if (r == 0 && alike)
            add(&f->held, Py_TYPE(value));
        for (Py_ssize_t i = 0; r == 0 && list && i < PyList_GET_SIZE(value); i++)
            if (tells(w, PyList_GET_ITEM(value, i), &plain))
                add(&f->in_list, Py_TYPE(PyList_GET_ITEM(value, i)));
        f->list |= list && r == 0;
        r = r < 0 ? -1 : 0;
    }
    Py_DECREF(value); /* the object has it */
    return r;
}

/* NULL: exception. */
static Class *
class_of(Walk *w, PyTypeObject *t)
{
    Class *c = map_get(&w->classes, t);
    if (c)
        return c;
    PyObject *is = object_plain((PyObject *)t), *fields, *r;
    if (!is || is == Py_None) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_TypeError, "%s is no plain class", t->tp_name);
        return NULL;
    }
    if (!(r = PyObject_CallMethod(w->graphs, "_begin_class", "OO", w->facts, t)))
        return NULL;
    Py_DECREF(r);
    fields = PyTuple_GET_ITEM(is, 0);
    c = NEW(&w->arena, Class);
    c->cls = t;
    c->n = (int)PyTuple_GET_SIZE(fields);
    c->field = NEW_N(&w->arena, Field, c->n + 1);
    for (int i = 0; i < c->n; i++) {
        PyObject *f = PyTuple_GET_ITEM(fields, i);
        c->field[i].name = PyTuple_GET_ITEM(f, 0);
        c->field[i].declared = PyUnicode_Check(PyTuple_GET_ITEM(f, 1));
    }
    c->facts = PyDict_GetItem(w->facts, (PyObject *)t);
    map_put(&w->arena, &w->classes, t, c);
    return c->facts ? c : NULL;
}

static int
walk(Walk *w, PyObject *const *from, Py_ssize_t n)
{
    int r = 0;
    for (Py_ssize_t i = 0; r == 0 && i < n; i++)
        r = push(w, from[i]);
    while (r == 0 && w->n_todo) {
        PyObject *x = w->todo[--w->n_todo];
        Class *c = class_of(w, Py_TYPE(x));
        r = c ? 0 : -1;
        for (int i = 0; r == 0 && i < c->n; i++)
            r = take_field(w, c, &c->field[i], x);
    }
    return r;
}

/* (graphs, object...) -> (facts, objects by address) */
PyObject *
object_facts(PyObject *module, PyObject *args)
{
    jmp_buf oom;
    Py_ssize_t n = PyTuple_GET_SIZE(args) - 1;
    (void)module;
    Walk w = {.arena = {.oom = &oom}};
    if (n < 1) {
        PyErr_SetString(PyExc_TypeError, "object_facts() takes a module and objects");
        return NULL;
    }
    w.graphs = PyTuple_GET_ITEM(args, 0);
    w.facts = PyDict_New();
    w.all = PyDict_New();
    int r = -1;
    if (setjmp(oom) == 0)
        r = w.facts && w.all ? walk(&w, &PyTuple_GET_ITEM(args, 1), n) : -1;
    else
        PyErr_NoMemory();
    arena_free(&w.arena);
    PyMem_Free(w.todo);
    PyObject *out = r == 0 ? PyTuple_Pack(2, w.facts, w.all) : NULL;
    Py_XDECREF(w.facts);
    Py_XDECREF(w.all);
    return out;
}
