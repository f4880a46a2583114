/* SPDX-License-Identifier: BSD-3-Clause
 * Views of lazy arrays by slices, integers and new axes, where nothing about them is wrong. All
 * other subscripts, and all errors, are getitem's of swathe/_lazy/views.py, which see for what a
 * view's `par`, `vals` and `_way` are. */
#include "node.h"

enum { MOST_AXES = 16 };

static PyObject *s_getitem;
static PyObject *whole_step[2][2]; /* ("s", 1, has a start, has a stop) */
static PyObject *one_index, *new_axis;

/* What a subscript says so far; `axis` is of the array, `rank` of the view. */
typedef struct Parsed {
    PyObject *par[2 * MOST_AXES], *vals[2 * MOST_AXES], *shape[2 * MOST_AXES];
    int pars, values, rank;
} Parsed;

/* Adds a number; false with an exception if there is no memory for it. */
static bool
add(PyObject **list, int *count, Py_ssize_t number)
{
    PyObject *o = PyLong_FromSsize_t(number);
    if (o)
        list[(*count)++] = o;
    return o != NULL;
}

static bool
is_bound(PyObject *o)
{
    return o == Py_None || PyLong_CheckExact(o);
}

static bool
add_slice(Parsed *p, PyObject *k, Py_ssize_t n)
{
    PySliceObject *s = (PySliceObject *)k;
    Py_ssize_t start, stop, step;
    if (!is_bound(s->start) || !is_bound(s->stop) || !is_bound(s->step))
        return false;
    if (PySlice_Unpack(k, &start, &stop, &step) < 0) {
        PyErr_Clear();
        return false;
    }
    if (step > 1 << 30 || step < -(1 << 30))
        return false;
    Py_ssize_t size = PySlice_AdjustIndices(n, &start, &stop, step);
    if (!size)
        start = stop = 0;
    bool has_start = !size || start != (step > 0 ? 0 : n - 1);
    bool has_stop = !size || stop != (step > 0 ? n : -1);
    PyObject *par = step == 1 ? Py_NewRef(whole_step[has_start][has_stop])
                              : Py_BuildValue("(snOO)", "s", step, has_start ? Py_True : Py_False,
                                              has_stop ? Py_True : Py_False);
    if (!par)
        return false;
    p->par[p->pars++] = par;
    return (!has_start || add(p->vals, &p->values, start)) &&
           (!has_stop || add(p->vals, &p->values, stop)) && add(p->shape, &p->rank, size);
}

static bool
add_index(Parsed *p, PyObject *k, Py_ssize_t n)
{
    int over;
    long long at = PyLong_AsLongLongAndOverflow(k, &over);
    if (over || at < -n || at >= n)
        return false;
    p->par[p->pars++] = Py_NewRef(one_index);
    return add(p->vals, &p->values, at < 0 ? at + n : at);
}

/* Reads a subscript; false if it isn't one for here, or there is no memory (an exception). */
static bool
parse(Parsed *p, PyObject *shape, PyObject *const *keys, Py_ssize_t count)
{
    Py_ssize_t rank = PyTuple_GET_SIZE(shape), axis = 0;
    if (rank > MOST_AXES || count > MOST_AXES)
        return false;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *k = keys[i];
        if (k == Py_None) {
            p->par[p->pars++] = Py_NewRef(new_axis);
            if (!add(p->shape, &p->rank, 1))
                return false;
            continue;
        }
        if (axis == rank)
            return false;
        Py_ssize_t n = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, axis++));
        bool done = PySlice_Check(k)       ? add_slice(p, k, n)
                    : PyLong_CheckExact(k) ? add_index(p, k, n)
                                           : false;
        if (!done)
            return false;
    }
    for (; axis < rank; axis++) {
        p->par[p->pars++] = Py_NewRef(whole_step[0][0]);
        p->shape[p->rank++] = Py_NewRef(PyTuple_GET_ITEM(shape, axis));
    }
    return true;
}

/* A tuple of objects, whose references it takes over. */
static PyObject *
tuple_of(PyObject **list, int count)
{
    PyObject *out = PyTuple_New(count);
    for (int i = 0; i < count; i++)
        if (out)
            PyTuple_SET_ITEM(out, i, list[i]);
        else
            Py_DECREF(list[i]);
    return out;
}

/* The node of a part of an array in memory: NumPy's view of it. */
static LazyNode *
part_of_memory(LazyNode *a, PyObject *key, PyObject *shape)
{
    PyObject *value = PyObject_GetItem(a->value, key);
    if (value && !PyArray_Check(value))
        Py_SETREF(value, PyArray_FROM_O(value)); /* a number */
    if (!value)
        return NULL;
    PyArray_CLEARFLAGS((PyArrayObject *)value, NPY_ARRAY_WRITEABLE);
    return node_of_memory(value, a->dtype, shape);
}

/* x[key], or NULL, without an exception if it is for the package. */
PyObject *
view_item(PyObject *x, PyObject *key)
{
    LazyNode *a = lazy_node(x);
    bool memory = a && a->op == Py_None;
    if (!a || (a->queue && a->queue != Py_None) || (memory && !PyArray_CheckExact(a->value)))
        return NULL;
    bool many = PyTuple_CheckExact(key);
    Parsed p = {.pars = 0};
    bool parsed = parse(&p, a->shape, many ? &PyTuple_GET_ITEM(key, 0) : &key,
                        many ? PyTuple_GET_SIZE(key) : 1);
    PyObject *par = tuple_of(p.par, p.pars), *vals = tuple_of(p.vals, p.values);
    PyObject *shape = tuple_of(p.shape, p.rank), *way = NULL, *out = NULL;
    if (parsed && par && vals && shape) {
        Py_INCREF(a);
        LazyNode *n =
            memory ? part_of_memory(a, key, shape) : node_of_view(s_getitem, a, par, vals, shape);
        if (n && (!p.rank || (way = PyTuple_Pack(4, s_getitem, par, vals, shape))))
            out = lazy_view(n, p.rank ? x : NULL, way, (PyObject *)a); /* a number is no view */
        else
            Py_XDECREF(n);
        Py_DECREF(a);
    }
    Py_XDECREF(par);
    Py_XDECREF(vals);
    Py_XDECREF(shape);
    Py_XDECREF(way);
    return out;
}

/* lazy_subscript(shape, keys): `par`, `vals` and the shape of a view, or None: see _parsed in
 * views.py */
static PyObject *
lazy_subscript(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
    (void)module;
    if (n != 2 || !PyTuple_CheckExact(args[0]) || !PyTuple_CheckExact(args[1])) {
        PyErr_SetString(PyExc_TypeError, "lazy_subscript(shape, keys)");
        return NULL;
    }
    Parsed p = {.pars = 0};
    bool parsed = parse(&p, args[0], &PyTuple_GET_ITEM(args[1], 0), PyTuple_GET_SIZE(args[1]));
    PyObject *par = tuple_of(p.par, p.pars), *vals = tuple_of(p.vals, p.values);
    PyObject *shape = tuple_of(p.shape, p.rank), *out = NULL;
    if (parsed && par && vals && shape)
        out = PyTuple_Pack(3, par, vals, shape);
    else if (!PyErr_Occurred())
        out = Py_NewRef(Py_None);
    Py_XDECREF(par);
    Py_XDECREF(vals);
    Py_XDECREF(shape);
    return out;
}

PyMethodDef view_methods[] = {
    {"lazy_subscript", (PyCFunction)(void (*)(void))lazy_subscript, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

int
view_begin(void)
{
    s_getitem = PyUnicode_InternFromString("getitem");
    one_index = Py_BuildValue("(s)", "i");
    new_axis = Py_BuildValue("(s)", "n");
    for (int i = 0; i < 4; i++)
        if (!(whole_step[i / 2][i % 2] = Py_BuildValue("(siOO)", "s", 1, i / 2 ? Py_True : Py_False,
                                                       i % 2 ? Py_True : Py_False)))
            return -1;
    return s_getitem && one_index && new_axis ? 0 : -1;
}
