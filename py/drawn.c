/* SPDX-License-Identifier: BSD-3-Clause
 * Sources of random numbers between Python and compiled code: what stands for a Generator or a
 * RandomState of NumPy's is a named tuple over its words (swathe/lib/generator.py and
 * random_state.py); one that compiled code has made becomes NumPy's. */
#include "py.h"

/* Is that an object's class? Names are compared once: classes of extension modules stay. */
static bool
is_named(PyObject *o, PyTypeObject **known, const char *name)
{
    PyTypeObject *t = Py_TYPE(o);
    if (*known)
        return t == *known;
    if (strcmp(t->tp_name, name) != 0)
        return false;
    *known = (PyTypeObject *)Py_NewRef(t);
    return true;
}

bool
foreign_is_generator(PyObject *o)
{
    static PyTypeObject *known;
    return is_named(o, &known, "numpy.random._generator.Generator");
}

enum { GENERATOR_WORDS = 5 }; /* the state and four functions; ours have more */

/* An array over its bitgen_t, which it keeps. It is read-only: kernels alone change what is behind
 * it. */
static PyObject *
generator_words(PyObject *o)
{
    static PyObject *name[2]; /* kept: to make them takes longer than to look them up */
    npy_intp n = GENERATOR_WORDS;
    if (!name[0])
        name[0] = PyUnicode_InternFromString("bit_generator");
    if (!name[1])
        name[1] = PyUnicode_InternFromString("capsule");
    PyObject *bits = name[0] && name[1] ? PyObject_GetAttr(o, name[0]) : NULL;
    PyObject *capsule = bits ? PyObject_GetAttr(bits, name[1]) : NULL;
    void *at = capsule ? PyCapsule_GetPointer(capsule, "BitGenerator") : NULL;
    PyObject *a =
        at ? PyArray_New(&PyArray_Type, 1, &n, NPY_ULONG, NULL, at, 0, NPY_ARRAY_CARRAY_RO, NULL)
           : NULL;
    if (a && PyArray_SetBaseObject((PyArrayObject *)a, Py_NewRef(o)) < 0)
        Py_CLEAR(a);
    Py_XDECREF(capsule);
    Py_XDECREF(bits);
    return a;
}

/* The class of what stands for one; borrowed. NULL: an exception. */
static PyObject *
generator_class(void)
{
    static PyObject *cls;
    if (!cls) { /* kept, as an import takes longer than a draw */
        PyObject *m = late_import("swathe.lib.generator");
        cls = m ? PyObject_GetAttrString(m, "Generator") : NULL;
        Py_XDECREF(m);
    }
    return cls;
}

static PyObject *
view_generator(PyObject *o)
{
    PyObject *cls = generator_class();
    PyObject *r = cls ? ((PyTypeObject *)cls)->tp_alloc((PyTypeObject *)cls, 1) : NULL;
    PyObject *words = r ? generator_words(o) : NULL;
    if (words)
        PyTuple_SET_ITEM(r, 0, words);
    else
        Py_CLEAR(r);
    return r;
}

/* One that compiled code has made, as NumPy's. */
static PyObject *
made_generator(PyObject *o)
{
    PyObject *g = late_call("swathe._generators", "restored", PyTuple_GET_ITEM(o, 0));
    Py_DECREF(o);
    return g;
}

bool
drawn_is(PyObject *o)
{
    static PyTypeObject *known;
    return foreign_is_generator(o) || is_named(o, &known, "numpy.random.mtrand.RandomState");
}

PyObject *
drawn_stand_in(PyObject *o)
{
    if (foreign_is_generator(o))
        return view_generator(o);
    PyObject *r = late_call("swathe._generators", "taken_state", o);
    return r;
}

PyObject *
drawn_restored(PyObject *o)
{
    if (!PyTuple_Check(o) || strcmp(Py_TYPE(o)->tp_name, "Generator") || PyTuple_GET_SIZE(o) != 1)
        return o;
    PyObject *of = PyTuple_GET_ITEM(o, 0);
    if (PyArray_Check(of) && PyArray_DIM((PyArrayObject *)of, 0) != GENERATOR_WORDS)
        return made_generator(o);
    while (of && PyArray_Check(of))
        of = PyArray_BASE((PyArrayObject *)of);
    if (of && foreign_is_generator(of))
        Py_SETREF(o, Py_NewRef(of));
    return o;
}
