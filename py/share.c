/* SPDX-License-Identifier: BSD-3-Clause
 * What arrays of devices show to others: the buffer protocol, by a base class whose `host` is a
 * NumPy array of the same memory, and DLPack's capsules in both directions. A capsule that we make
 * holds the object whose memory it is, until who took it says that it is done. */
#include "dlpack.h"

/* ---- the buffer protocol -------------------------------------------------------------------- */

static int
shared_buffer(PyObject *o, Py_buffer *view, int flags)
{
    PyObject *host = PyObject_GetAttrString(o, "host");
    view->obj = NULL;
    if (!host)
        return -1;
    /* the view holds the NumPy array, that holds the memory */
    int r = PyObject_GetBuffer(host, view, flags);
    Py_DECREF(host);
    return r;
}

static PyType_Slot shared_slots[] = {
    {Py_bf_getbuffer, shared_buffer},
    {Py_tp_doc, "A base of what shows its attribute `host` by the buffer protocol."},
    {0, NULL},
};
PyType_Spec shared_spec = {
    .name = "swathe._core.Shared",
    .basicsize = sizeof(PyObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = shared_slots,
};

/* ---- DLPack: ours for others ----------------------------------------------------------------- */

typedef struct Given {
    DlManaged m;
    int64_t shape[32], strides[32];
} Given;

static void
given_free(DlManaged *m)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    Py_XDECREF((PyObject *)m->user);
    PyMem_Free(m);
    PyGILState_Release(gil);
}

static void
capsule_free(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, "dltensor")) /* nobody has taken it */
        given_free(PyCapsule_GetPointer(capsule, "dltensor"));
}

static int
take_ints(PyObject *t, int64_t *out)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(t); i++)
        if ((out[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(t, i))) == -1 && PyErr_Occurred())
            return -1;
    return 0;
}

PyObject *
dlpack_give(PyObject *module, PyObject *args)
{
    unsigned long long address;
    int type, id, code, bits;
    PyObject *shape, *strides, *owner;
    (void)module;
    if (!PyArg_ParseTuple(args, "K(ii)iiO!O!O", &address, &type, &id, &code, &bits, &PyTuple_Type,
                          &shape, &PyTuple_Type, &strides, &owner))
        return NULL;
    Py_ssize_t n = PyTuple_GET_SIZE(shape);
    if (n > 32 || n != PyTuple_GET_SIZE(strides))
        return PyErr_Format(PyExc_ValueError, "a shape of %zd axes", n);
    Given *g = PyMem_Calloc(1, sizeof *g);
    if (!g)
        return PyErr_NoMemory();
    if (take_ints(shape, g->shape) < 0 || take_ints(strides, g->strides) < 0) {
        PyMem_Free(g);
        return NULL;
    }
    g->m.t = (DlTensor){(void *)(uintptr_t)address,
                        type,
                        id,
                        (int32_t)n,
                        (uint8_t)code,
                        (uint8_t)bits,
                        1,
                        g->shape,
                        g->strides,
                        0};
    g->m.user = Py_NewRef(owner);
    g->m.deleter = given_free;
    PyObject *capsule = PyCapsule_New(g, "dltensor", capsule_free);
    if (!capsule)
        given_free(&g->m);
    return capsule;
}

/* ---- DLPack: others' for us ------------------------------------------------------------------ */

static PyObject *
ints_tuple(const int64_t *v, int n)
{
    PyObject *t = PyTuple_New(n);
    for (int i = 0; t && i < n; i++) {
        PyObject *o = PyLong_FromLongLong(v[i]);
        if (!o)
            Py_CLEAR(t);
        else
            PyTuple_SET_ITEM(t, i, o);
    }
    return t;
}

/* dlpack_take(capsule) -> (address, (device type, id), code, bits, lanes, shape, strides or None,
 * readonly): the capsule is ours then, and what it holds lives as long. */
PyObject *
dlpack_take(PyObject *module, PyObject *capsule)
{
    bool readonly = false;
    (void)module;
    DlTensor *t = PyCapsule_CheckExact(capsule) ? dlpack_open(capsule, &readonly) : NULL;
    if (!t)
        return PyErr_Format(PyExc_TypeError,
                            "not a DLPack capsule, or one that was taken before: %R", capsule);
    PyObject *shape = ints_tuple(t->shape, t->ndim);
    PyObject *strides = t->strides ? ints_tuple(t->strides, t->ndim) : Py_NewRef(Py_None);
    if (!shape || !strides) {
        Py_XDECREF(shape);
        Py_XDECREF(strides);
        return NULL;
    }
    bool versioned = PyCapsule_IsValid(capsule, "dltensor_versioned");
    PyCapsule_SetName(capsule, versioned ? "used_dltensor_versioned" : "used_dltensor");
    PyCapsule_SetDestructor(capsule, dlpack_free);
    return Py_BuildValue("(K(ii)iiiNNO)", (unsigned long long)(uintptr_t)t->data + t->byte_offset,
                         (int)t->device_type, (int)t->device_id, (int)t->code, (int)t->bits,
                         (int)t->lanes, shape, strides, readonly ? Py_True : Py_False);
}
