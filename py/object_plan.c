/* SPDX-License-Identifier: BSD-3-Clause
 * Where the fields of a plain class are and how they are called, looked up once in a call; and
 * which objects of one are still to be gone through. A chain of objects is a queue, so that its
 * length takes no stack. */
#include "object.h"

static bool
is_data(const ObjClass *c, PyObject *name, PyObject *v)
{
    const char *s = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    return s && s[0] != '_' && !Py_TYPE(v)->tp_descr_get && object_field(c, s) < 0;
}

/* How many there are; into `out` where it isn't NULL. */
static int
class_data(const ObjClass *c, PyObject **out)
{
    int n = 0;
    PyObject *mro = c->dict ? NULL : ((PyTypeObject *)(uintptr_t)c->generic)->tp_mro;
    for (Py_ssize_t i = 0; mro && i < PyTuple_GET_SIZE(mro); i++) {
        PyTypeObject *t = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        PyObject *name, *v;
        bool own = class_dict(t) && t->tp_flags & Py_TPFLAGS_HEAPTYPE;
        for (Py_ssize_t at = 0; own && PyDict_Next(class_dict(t), &at, &name, &v);)
            if (is_data(c, name, v)) {
                if (out)
                    out[n] = name;
                n++;
            }
    }
    return n;
}

/* What else a class has that may be hidden, as a functools.cached_property, isn't compiled. */
static bool
is_method(PyObject *v)
{
    return PyFunction_Check(v) || Py_IS_TYPE(v, &PyStaticMethod_Type) ||
           Py_IS_TYPE(v, &PyClassMethod_Type);
}

/* A name by which an object has something of its own, no field, that hides a method; borrowed. */
static PyObject *
hides_method(const ObjClass *c, PyObject *o)
{
    PyObject *own = c->dict || !_PyObject_GetDictPtr(o) ? NULL : PyObject_GenericGetDict(o, NULL);
    PyObject *name, *v, *found = NULL;
    for (Py_ssize_t at = 0; own && !found && PyDict_Next(own, &at, &name, &v);) {
        PyObject *is = PyUnicode_Check(name) ? _PyType_Lookup(Py_TYPE(o), name) : NULL;
        const char *s = is && is_method(is) ? PyUnicode_AsUTF8(name) : NULL;
        if (s && object_field(c, s) < 0)
            found = name;
    }
    PyErr_Clear();
    Py_XDECREF(own);
    return found;
}

PyObject *
object_hides(const ObjPlan *p, PyObject *o)
{
    PyObject *method = hides_method(p->c, o);
    if (method)
        return method;
    for (int i = 0; i < p->n_data; i++) {
        PyObject *v = PyObject_GetAttr(o, p->data[i]);
        bool same = v && v == _PyType_Lookup(Py_TYPE(o), p->data[i]);
        Py_XDECREF(v);
        PyErr_Clear();
        if (!same)
            return p->data[i];
    }
    return NULL;
}

static ObjPlan *
new_plan(struct HeapSeen *seen, const ObjClass *c)
{
    jmp_buf oom;
    Arena *a = &seen->arena;
    ObjPlan *volatile p = NULL;
    a->oom = &oom;
    if (!setjmp(oom)) {
        size_t n = (size_t)c->n;
        ObjPlan *q = NEW(a, ObjPlan);
        *q = (ObjPlan){.c = c};
        q->name = NEW_N(a, PyObject *, n + 1);
        q->first = NEW_N(a, int, n + 1);
        q->place = NEW_N(a, ObjPlace, object_places(c, q->first, NULL) + 1);
        object_places(c, q->first, q->place);
        q->n_data = class_data(c, NULL);
        q->data = NEW_N(a, PyObject *, q->n_data + 1);
        class_data(c, q->data);
        map_put(a, &seen->plans, c, q);
        p = q;
    }
    a->oom = NULL;
    return p;
}

const ObjPlan *
object_plan(Frame *f, const ObjClass *c)
{
    if (heap_see(f) < 0)
        return NULL;
    struct HeapSeen *seen = f->seen;
    if (seen->plan && seen->plan->c == c)
        return seen->plan;
    ObjPlan *p = map_get(&seen->plans, c);
    if (!p && !(p = new_plan(seen, c))) {
        PyErr_NoMemory();
        return NULL;
    }
    for (int k = 0; k < c->n; k++)
        if (!p->name[k] && !(p->name[k] = PyUnicode_InternFromString(c->field[k].name)))
            return NULL;
    seen->plan = p;
    return p;
}

void
object_plans_end(struct HeapSeen *seen)
{
    for (int i = 0; i < seen->plans.cap; i++) {
        const ObjPlan *p = seen->plans.keys[i] ? seen->plans.vals[i] : NULL;
        for (int k = 0; p && k < p->c->n; k++)
            Py_XDECREF(p->name[k]);
    }
    PyMem_Free(seen->todo);
}

int
object_later(Frame *f, const ObjClass *c, PyObject *o, SwMem *m)
{
    const ObjPlan *p = object_plan(f, c);
    struct HeapSeen *seen = f->seen;
    if (!p)
        return -1;
    if (seen->n_todo == seen->cap_todo) {
        int room = seen->cap_todo ? seen->cap_todo * 2 : 8;
        ObjTodo *at = PyMem_Realloc(seen->todo, sizeof *at * (size_t)room);
        if (!at) {
            PyErr_NoMemory();
            return -1;
        }
        seen->todo = at;
        seen->cap_todo = room;
    }
    seen->todo[seen->n_todo++] = (ObjTodo){p, o, m, f->n_held - 1};
    return 0;
}

int
object_note(Frame *f, const ObjTodo *of)
{
    jmp_buf oom;
    Arena *a = &f->seen->arena;
    a->oom = &oom;
    bool fine = setjmp(oom) == 0;
    if (fine)
        f->held[of->held].was = arena_dup(a, of->mem->data, of->mem->bytes);
    a->oom = NULL;
    if (!fine)
        PyErr_NoMemory();
    return fine ? 0 : -1;
}

bool
object_stays(const ObjPlan *p, int k, const HeapHeld *h)
{
    const uint64_t *now = h->mem->data;
    bool same = h->was != NULL;
    for (int i = p->first[k]; same && i < p->first[k + 1]; i++) {
        int at = p->place[i].word;
        same = !memcmp(h->was + at, now + at, sizeof *now * (size_t)p->place[i].n);
    }
    return same;
}

PyObject *
object_own(PyObject *o, PyObject *name)
{
    PyObject *of = _PyType_Lookup(Py_TYPE(o), name);
    bool computes = of && Py_TYPE(of)->tp_descr_get && !Py_TYPE(of)->tp_descr_set;
    if (!computes)
        return PyObject_GetAttr(o, name);
    PyObject *own = _PyObject_GetDictPtr(o) ? PyObject_GenericGetDict(o, NULL) : NULL;
    PyObject *v = own ? Py_XNewRef(PyDict_GetItemWithError(own, name)) : NULL;
    if (!v && !PyErr_Occurred())
        PyErr_SetObject(PyExc_AttributeError, name);
    Py_XDECREF(own);
    return v;
}

PyObject *
object_value(const ObjPlan *p, int k, PyObject *o)
{
    return p->c->dict ? Py_XNewRef(PyDict_GetItemWithError(o, p->name[k]))
                      : object_own(o, p->name[k]);
}
