/* SPDX-License-Identifier: BSD-3-Clause
 * What a call of a vendor's library needs on a device's memory and streams: the device's context,
 * and that the memory's free waits for the stream. The calls themselves are made in Python. */
#include "device.h"

/* dev_enter(device): the device's context is this thread's until dev_leave. */
PyObject *
device_enter(PyObject *module, PyObject *args)
{
    Handle *d;
    DevError e = {0};
    bool ok;
    if (!PyArg_ParseTuple(args, "O&", as_any_device, &d))
        return NULL;
    if (!d->api->enter) {
        dev_fail(&e, DEV_ARGUMENT, 0, "devices of %s have no contexts of others", d->api->name);
        return device_raise(module, &e);
    }
    Py_BEGIN_ALLOW_THREADS ok = d->api->enter(d->p, &e);
    Py_END_ALLOW_THREADS return ok ? Py_NewRef(Py_None) : device_raise(module, &e);
}

PyObject *
device_leave(PyObject *module, PyObject *args)
{
    Handle *d;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&", as_any_device, &d))
        return NULL;
    if (d->api->leave)
        d->api->leave(d->p);
    Py_RETURN_NONE;
}

/* dev_uses(queue, memory) */
PyObject *
device_uses(PyObject *module, PyObject *args)
{
    Handle *q, *m;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&O&", as_queue, &q, as_memory, &m))
        return NULL;
    if (q->api == m->api && q->api->queue_uses)
        q->api->queue_uses(q->p, m->p);
    Py_RETURN_NONE;
}
