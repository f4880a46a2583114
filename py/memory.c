/* SPDX-License-Identifier: BSD-3-Clause
 * swathe._core.Memory: the base object of arrays that compiled code made. It owns one
 * reference to the array's SwMem, and gives it up when the last view of it dies. */
#include "py.h"

typedef struct Memory {
    PyObject_HEAD SwMem *mem;
} Memory;

PyObject *
memory_new(State *st, SwMem *m)
{
    Memory *self = PyObject_New(Memory, st->memory_type);
    if (self)
        self->mem = m;
    return (PyObject *)self;
}

static void
memory_dealloc(PyObject *o)
{
    PyTypeObject *t = Py_TYPE(o);
    sw_release(((Memory *)o)->mem);
    PyObject_Free(o);
    Py_DECREF(t);
}

static PyObject *
memory_nbytes(PyObject *o, void *closure)
{
    (void)closure;
    return PyLong_FromSize_t(((Memory *)o)->mem->bytes);
}

static PyGetSetDef memory_getset[] = {
    {"nbytes", memory_nbytes, NULL, "size of the block in bytes", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot memory_slots[] = {
    {Py_tp_dealloc, memory_dealloc},
    {Py_tp_getset, memory_getset},
    {Py_tp_doc, "A block of memory that an array made by compiled code lives in."},
    {0, NULL},
};
PyType_Spec memory_spec = {
    .name = "swathe._core.Memory",
    .basicsize = sizeof(Memory),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = memory_slots,
};
