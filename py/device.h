/* SPDX-License-Identifier: BSD-3-Clause
 * What device.c and device_launch.c share. */
#ifndef SWATHE_PY_DEVICE_H
#define SWATHE_PY_DEVICE_H
#include "py.h"

typedef enum HandleKind { H_DEVICE, H_MEM, H_QUEUE, H_EVENT, H_MODULE, H_KERNEL } HandleKind;
typedef struct Handle {
    HandleKind kind;
    const DevApi *api;
    void *p;
    PyObject *parent; /* what must outlive it, or NULL */
    unsigned forks;   /* lock_forks() when it was made: a child of fork can't use it */
} Handle;

PyObject *handle_new(HandleKind kind, const DevApi *api, void *p, PyObject *parent);
Handle *handle_get(PyObject *o, HandleKind kind); /* NULL: exception, also in a child of fork */
/* For PyArg_ParseTuple's O&. */
int as_memory(PyObject *o, void *out);
int as_queue(PyObject *o, void *out);
int as_kernel(PyObject *o, void *out);
int as_any_device(PyObject *o, void *out);
int as_any_module(PyObject *o, void *out);
PyObject *device_raise(PyObject *module, const DevError *e); /* NULL */
PyObject *device_raise_error(State *st, const DevError *e);  /* NULL */

typedef struct When {
    DevWhen w;
    DevEvent *after[64], *done;
} When;
int when_take(When *w, PyObject *after, int block, int want);
/* An event, None, or the error. */
PyObject *when_result(When *w, PyObject *module, const DevApi *api, bool ok, const DevError *e);

/* ---- device_rows.c ---- */
PyObject *device_rows(PyObject *module, PyObject *args);
/* ---- device_vendor.c ---- */
PyObject *device_enter(PyObject *module, PyObject *args);
PyObject *device_leave(PyObject *module, PyObject *args);
PyObject *device_uses(PyObject *module, PyObject *args);
/* ---- exit.c ---- */
int exit_init(void);
void exit_opened(void); /* a driver's library is there */
/* whether the process ends with 1 where it would with 0; what was */
PyObject *exit_fails(PyObject *module, PyObject *on);
/* ---- share.c ---- */
PyObject *dlpack_give(PyObject *module, PyObject *args);
PyObject *dlpack_take(PyObject *module, PyObject *capsule);
/* ---- device_launch.c ---- */
PyObject *device_module(PyObject *module, PyObject *args);
PyObject *device_kernel(PyObject *module, PyObject *args);
PyObject *device_twin(PyObject *module, PyObject *args);
PyObject *device_prepare(PyObject *module, PyObject *args);
PyObject *device_launch(PyObject *module, PyObject *args);
PyObject *device_fault(PyObject *module, PyObject *args);
/* ---- offload.c ---- */
PyObject *offload_call(PyObject *module, PyObject *args);
#endif
