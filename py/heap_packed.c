/* SPDX-License-Identifier: BSD-3-Clause
 * bytearray and array.array, whose columns hold what Python's objects hold: memory is copied as it
 * is, both ways. */
#include "heap_quick.h"

/* Borrowed; NULL: there is none of that class. */
static PyTypeObject *
array_type(void)
{
    static PyObject *type; /* once it is imported */
    if (!type) {
        PyObject *m = late_import("array");
        type = m ? PyObject_GetAttrString(m, "array") : NULL;
        Py_XDECREF(m);
        PyErr_Clear();
    }
    return (PyTypeObject *)type;
}

const HeapClass *
heap_class_of_array(PyObject *o)
{
    if (strcmp(Py_TYPE(o)->tp_name, "array.array") != 0 || Py_TYPE(o) != array_type())
        return NULL;
    PyObject *code = PyObject_GetAttrString(o, "typecode");
    const char *text = code ? PyUnicode_AsUTF8(code) : NULL;
    const HeapClass *c = text ? heap_array_class(text) : NULL;
    Py_XDECREF(code);
    PyErr_Clear();
    return c;
}

/* Where the numbers of an object begin. */
static char *
data_of(const Type *t, const uint64_t *words)
{
    return (char *)(uintptr_t)words[heap_column(t, 0) + 1];
}

static size_t
bytes_in(const Type *t, int64_t n)
{
    return (size_t)n * (size_t)dtype_size(((const HeapClass *)t->ref)->held);
}

/* Is an array of the call a view of it? What is stored to one would not be seen in the other. */
static bool
is_viewed(const Frame *f, const Py_buffer *b)
{
    const char *lo, *hi, *from = b->buf;
    for (int i = 0; i < f->mem - f->mems; i++) {
        if (!PyArray_Check(f->owners[i]))
            continue;
        foreign_extent((PyArrayObject *)f->owners[i], &lo, &hi);
        if (lo < from + b->len && from < hi)
            return true;
    }
    return false;
}

bool
heap_take_packed(HeapIn *h, const Type *t, PyObject *o, const uint64_t *words, int64_t n)
{
    Py_buffer b;
    if (PyObject_GetBuffer(o, &b, PyBUF_SIMPLE) < 0)
        return false;
    if (is_viewed(h->f, &b)) {
        heap_in_named(h);
        PyErr_Format(PyExc_ValueError,
                     "%s is a %s that another argument is a view of: pass one of them", h->name,
                     Py_TYPE(o)->tp_name);
        PyBuffer_Release(&b);
        return false;
    }
    bool same = (size_t)b.len == bytes_in(t, n);
    if (!same)
        PyErr_SetString(PyExc_RuntimeError, "an argument changed size as it was read");
    else if (n)
        memcpy(data_of(t, words), b.buf, (size_t)b.len);
    PyBuffer_Release(&b);
    return same;
}

/* A new reference. */
PyObject *
heap_box_packed(const Type *t, const uint64_t *words, int64_t n)
{
    const HeapClass *c = t->ref;
    const char *data = data_of(t, words);
    Py_ssize_t size = (Py_ssize_t)bytes_in(t, n);
    if (!c->code)
        return PyByteArray_FromStringAndSize(data, size);
    PyTypeObject *type = array_type();
    PyObject *raw = PyBytes_FromStringAndSize(data, size), *r = NULL;
    if (raw && type)
        r = PyObject_CallFunction((PyObject *)type, "sO", c->code, raw);
    Py_XDECREF(raw);
    if (!r && !PyErr_Occurred())
        PyErr_SetString(PyExc_ImportError, "there is no module array");
    return r;
}

/* Memory that is the column of an argument: a view of that object, in which *data is then, too. A
 * new reference; NULL: it is none, or an exception. */
PyObject *
heap_packed_view(const Frame *f, const SwMem *m, uint64_t *data)
{
    for (int i = 0; i < f->n_held; i++) {
        const HeapHeld *h = &f->held[i];
        if (!h->type || !type_heap_has(h->type, HEAP_PACKED))
            continue;
        const uint64_t *words = (const uint64_t *)h->mem->data + heap_column(h->type, 0);
        if (words[0] != (uint64_t)(uintptr_t)m)
            continue;
        PyObject *view = PyMemoryView_FromObject(h->object);
        if (view)
            *data += (uint64_t)(uintptr_t)PyMemoryView_GET_BUFFER(view)->buf - words[1];
        return view;
    }
    return NULL;
}

/* Makes the object as long as it is to be. */
static int
resize(const Type *t, PyObject *o, int64_t n)
{
    Py_ssize_t old = (Py_ssize_t)heap_size(o);
    if (!((const HeapClass *)t->ref)->code)
        return PyByteArray_Resize(o, (Py_ssize_t)n);
    if (n < old)
        return PySequence_DelSlice(o, (Py_ssize_t)n, old);
    PyObject *more = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)bytes_in(t, n - old)),
             *r = NULL;
    if (more) {
        memset(PyByteArray_AS_STRING(more), 0, bytes_in(t, n - old));
        r = PyObject_CallMethod(o, "frombytes", "O", more);
    }
    Py_XDECREF(more);
    Py_XDECREF(r);
    return r ? 0 : -1;
}

int
heap_write_packed(const HeapHeld *h)
{
    const uint64_t *words = h->mem->data;
    int64_t n = (int64_t)words[0];
    Py_buffer b;
    if (n != (int64_t)heap_size(h->object) && resize(h->type, h->object, n) < 0)
        return -1;
    if (PyObject_GetBuffer(h->object, &b, PyBUF_WRITABLE) < 0)
        return -1;
    if (n && (size_t)b.len == bytes_in(h->type, n) &&
        memcmp(b.buf, data_of(h->type, words), (size_t)b.len) != 0)
        memcpy(b.buf, data_of(h->type, words), (size_t)b.len);
    PyBuffer_Release(&b);
    return 0;
}
