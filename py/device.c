/* SPDX-License-Identifier: BSD-3-Clause
 * Devices for swathe.devices: a thin layer over DevApi. Each driver's object is a capsule that owns
 * it and keeps alive what it depends on; errors become the classes of swathe.errors. All calls of a
 * driver run without the GIL. Launches are in device_launch.c. */
#include "device.h"

/* ---- errors ---------------------------------------------------------------------------------- */

static const char *
class_of(DevStatus s)
{
    switch (s) {
    case DEV_NO_DRIVER:
    case DEV_NO_DEVICE:
        return "NoDeviceError";
    case DEV_LOST:
        return "DeviceLostError";
    case DEV_MEMORY:
        return "DeviceMemoryError";
    case DEV_BUILD:
        return "DeviceBuildError";
    case DEV_LIMIT:
        return "LaunchError";
    case DEV_ARGUMENT:
        return "QueueError";
    case DEV_OK:
    case DEV_DRIVER:
        break;
    }
    return "DeviceError";
}

PyObject *
device_raise(PyObject *module, const DevError *e)
{
    return device_raise_error(state_of(module), e);
}

PyObject *
device_raise_error(State *st, const DevError *e)
{
    PyObject *c = error_class(st, class_of(e->status));
    PyObject *text = PyUnicode_DecodeUTF8(e->text, (Py_ssize_t)strlen(e->text), "replace");
    if (text)
        PyErr_SetObject(c, text);
    Py_DECREF(c);
    Py_XDECREF(text);
    return NULL;
}

/* ---- capsules -------------------------------------------------------------------------------- */

static const char *const kind_name[] = {"swathe.device", "swathe.memory", "swathe.queue",
                                        "swathe.event",  "swathe.module", "swathe.kernel"};

/* A driver's threads don't live on in a child of fork: to wait there would be for ever. */
static bool
is_parents(const Handle *h)
{
    return h->forks != lock_forks();
}

static void
handle_free(PyObject *capsule)
{
    Handle *h = PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule));
    Py_BEGIN_ALLOW_THREADS switch (is_parents(h) ? H_DEVICE : h->kind)
    {
    case H_MEM:
        h->api->mem_free(h->p);
        break;
    case H_QUEUE:
        h->api->queue_free(h->p);
        break;
    case H_EVENT:
        h->api->event_free(h->p);
        break;
    case H_MODULE:
        h->api->module_free(h->p);
        break;
    case H_DEVICE:
    case H_KERNEL:
        break;
    }
    Py_END_ALLOW_THREADS Py_XDECREF(h->parent);
    PyMem_Free(h);
}

PyObject *
handle_new(HandleKind kind, const DevApi *api, void *p, PyObject *parent)
{
    Handle *h = PyMem_Malloc(sizeof *h);
    if (!h)
        return PyErr_NoMemory();
    *h = (Handle){kind, api, p, Py_XNewRef(parent), lock_forks()};
    PyObject *o = PyCapsule_New(h, kind_name[kind], handle_free);
    if (!o)
        PyMem_Free(h);
    return o;
}

Handle *
handle_get(PyObject *o, HandleKind kind)
{
    Handle *h = PyCapsule_GetPointer(o, kind_name[kind]);
    if (!h || SW_LIKELY(!is_parents(h)))
        return h;
    PyObject *m = late_import("swathe.errors"),
             *c = m ? PyObject_GetAttrString(m, "DeviceLostError") : NULL;
    if (c)
        PyErr_SetString(
            c,
            "the process was forked after it had used the device, which the driver does not allow; "
            "start processes by spawning");
    Py_XDECREF(m);
    Py_XDECREF(c);
    return NULL;
}

static int
as_device(PyObject *o, void *out)
{
    return (*(Handle **)out = handle_get(o, H_DEVICE)) != NULL;
}

int
as_memory(PyObject *o, void *out)
{
    return (*(Handle **)out = handle_get(o, H_MEM)) != NULL;
}

int
as_queue(PyObject *o, void *out)
{
    return (*(Handle **)out = handle_get(o, H_QUEUE)) != NULL;
}

static int
as_event(PyObject *o, void *out)
{
    return (*(Handle **)out = handle_get(o, H_EVENT)) != NULL;
}

static int
as_module(PyObject *o, void *out)
{
    return (*(Handle **)out = handle_get(o, H_MODULE)) != NULL;
}

int
as_kernel(PyObject *o, void *out)
{
    return (*(Handle **)out = handle_get(o, H_KERNEL)) != NULL;
}

/* ---- what a command waits for ---------------------------------------------------------------- */

int
when_take(When *w, PyObject *after, int block, int want)
{
    memset(w, 0, sizeof *w);
    w->w.block = block;
    if (want)
        w->w.done = &w->done;
    if (!after || after == Py_None)
        return 0;
    Py_ssize_t n = PyTuple_Check(after) ? PyTuple_GET_SIZE(after) : -1;
    if (n < 0 || n > SW_LEN(w->after)) {
        PyErr_Format(PyExc_ValueError, "a command waits for a tuple of at most %d events",
                     SW_LEN(w->after));
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        Handle *h = handle_get(PyTuple_GET_ITEM(after, i), H_EVENT);
        if (!h)
            return -1;
        w->after[i] = h->p;
    }
    w->w.after = w->after;
    w->w.n_after = (int)n;
    return 0;
}

PyObject *
when_result(When *w, PyObject *module, const DevApi *api, bool ok, const DevError *e)
{
    if (!ok)
        return device_raise(module, e);
    if (!w->done)
        Py_RETURN_NONE;
    PyObject *o = handle_new(H_EVENT, api, w->done, NULL);
    if (!o)
        api->event_free(w->done);
    return o;
}

/* ---- devices --------------------------------------------------------------------------------- */

static const DevApi *
api_named(const char *name)
{
    for (int i = 0; dev_api(i); i++)
        if (!strcmp(dev_api(i)->name, name))
            return dev_api(i);
    PyErr_Format(PyExc_ValueError, "there is no interface to devices called '%s'", name);
    return NULL;
}

static PyObject *
apis(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && dev_api(i); i++) {
        PyObject *s = PyUnicode_FromString(dev_api(i)->name);
        if (!s || PyList_Append(list, s) < 0)
            Py_CLEAR(list);
        Py_XDECREF(s);
    }
    return list;
}

static PyObject *
count(PyObject *module, PyObject *args)
{
    const char *name;
    DevError e = {0};
    int n;
    const DevApi *api = PyArg_ParseTuple(args, "s", &name) ? api_named(name) : NULL;
    if (!api)
        return NULL;
    Py_BEGIN_ALLOW_THREADS n = api->open(&e);
    Py_END_ALLOW_THREADS if (n >= 0) exit_opened();
    return n < 0 ? device_raise(module, &e) : PyLong_FromLong(n);
}

static PyObject *
props_dict(const DevApi *api, const DevProps *p)
{
    static const char *const kinds[] = {"", "cpu", "gpu", "accelerator"};
    return Py_BuildValue(
        "{ss ss ss ss ss ss ss si si sL sL sL sL s(LLL) s(LLL) sL sL sL sL sL sL sL "
        "sO sO sO sO sO sO sO sO sO sO sO}",
        "kind", kinds[p->kind], "name", p->name, "vendor", p->vendor, "driver", p->driver,
        "version", p->version, "platform", p->platform, "build_key", p->build_key, "target",
        api->target, "arch", p->arch, "compute_units", (long long)p->compute_units, "clock_mhz",
        (long long)p->clock_mhz, "warp", (long long)p->warp, "max_threads",
        (long long)p->max_threads, "max_block", (long long)p->max_block[0],
        (long long)p->max_block[1], (long long)p->max_block[2], "max_grid",
        (long long)p->max_grid[0], (long long)p->max_grid[1], (long long)p->max_grid[2],
        "global_bytes", (long long)p->global_bytes, "max_alloc", (long long)p->max_alloc,
        "shared_bytes", (long long)p->shared_bytes, "const_bytes", (long long)p->const_bytes,
        "cache_bytes", (long long)p->cache_bytes, "address_bits", (long long)p->address_bits,
        "sub_devices", (long long)p->sub_devices, "fp16", p->fp16 ? Py_True : Py_False, "fp64",
        p->fp64 ? Py_True : Py_False, "atomic64", p->atomic64 ? Py_True : Py_False, "unified",
        p->unified ? Py_True : Py_False, "svm_coarse", p->svm_coarse ? Py_True : Py_False,
        "svm_fine", p->svm_fine ? Py_True : Py_False, "cooperative",
        p->cooperative ? Py_True : Py_False, "profiling", p->profiling ? Py_True : Py_False,
        "out_of_order", p->out_of_order ? Py_True : Py_False, "images",
        p->images ? Py_True : Py_False, "exact_divide", p->exact_divide ? Py_True : Py_False);
}

static PyObject *
props(PyObject *module, PyObject *args)
{
    const char *name;
    int i;
    DevProps *p;
    DevError e = {0};
    bool ok;
    const DevApi *api = PyArg_ParseTuple(args, "si", &name, &i) ? api_named(name) : NULL;
    if (!api)
        return NULL;
    if (!(p = PyMem_Calloc(1, sizeof *p)))
        return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS ok = api->props(i, p, &e);
    Py_END_ALLOW_THREADS PyObject *r = ok ? props_dict(api, p) : device_raise(module, &e);
    PyMem_Free(p);
    return r;
}

static PyObject *
open_device(PyObject *module, PyObject *args)
{
    const char *name;
    int i;
    DevError e = {0};
    DevDevice *d;
    const DevApi *api = PyArg_ParseTuple(args, "si", &name, &i) ? api_named(name) : NULL;
    if (!api)
        return NULL;
    Py_BEGIN_ALLOW_THREADS d = api->device(i, &e);
    Py_END_ALLOW_THREADS return d ? handle_new(H_DEVICE, api, d, NULL) : device_raise(module, &e);
}

enum { MOST_PARTS = 64 };

/* dev_split(device, units) -> [(device, props)] */
static PyObject *
split(PyObject *module, PyObject *args)
{
    Handle *d;
    PyObject *units;
    int64_t unit[MOST_PARTS];
    DevDevice *part[MOST_PARTS];
    DevError e = {0};
    int n;
    if (!PyArg_ParseTuple(args, "O&O!", as_device, &d, &PyTuple_Type, &units))
        return NULL;
    Py_ssize_t k = PyTuple_GET_SIZE(units);
    if (k > MOST_PARTS)
        return PyErr_Format(PyExc_ValueError, "a device has at most %d parts", MOST_PARTS);
    for (Py_ssize_t i = 0; i < k; i++)
        if ((unit[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(units, i))) == -1 && PyErr_Occurred())
            return NULL;
    if (!d->api->split) {
        dev_fail(&e, DEV_ARGUMENT, 0, "devices of %s have no parts", d->api->name);
        return device_raise(module, &e);
    }
    Py_BEGIN_ALLOW_THREADS n = d->api->split(d->p, unit, (int)k, part, MOST_PARTS, &e);
    Py_END_ALLOW_THREADS PyObject *list = n < 0 ? device_raise(module, &e) : PyList_New(0);
    for (int i = 0; list && i < n; i++) {
        PyObject *h = handle_new(H_DEVICE, d->api, part[i], NULL);
        PyObject *one =
            h ? Py_BuildValue("(NN)", h, props_dict(d->api, d->api->own_props(part[i]))) : NULL;
        if (!one || PyList_Append(list, one) < 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static PyObject *
alloc(PyObject *module, PyObject *args)
{
    Handle *d;
    Py_ssize_t n;
    int space;
    DevError e = {0};
    DevMem *m;
    if (!PyArg_ParseTuple(args, "O&ni", as_device, &d, &n, &space))
        return NULL;
    Py_BEGIN_ALLOW_THREADS m = d->api->alloc(d->p, (size_t)n, (DevSpace)space, &e);
    Py_END_ALLOW_THREADS return m ? handle_new(H_MEM, d->api, m, PyTuple_GET_ITEM(args, 0))
                                  : device_raise(module, &e);
}

/* dev_alloc_on(queue, bytes) -> (memory, whether other queues have to come after this one) */
static PyObject *
alloc_on(PyObject *module, PyObject *args)
{
    Handle *q;
    Py_ssize_t n;
    bool after = false;
    DevError e = {0};
    DevMem *m;
    if (!PyArg_ParseTuple(args, "O&n", as_queue, &q, &n))
        return NULL;
    Handle *d = handle_get(q->parent, H_DEVICE);
    if (!d)
        return NULL;
    Py_BEGIN_ALLOW_THREADS m = q->api->alloc_on
                                   ? q->api->alloc_on(q->p, (size_t)n, &after, &e)
                                   : q->api->alloc(d->p, (size_t)n, DEV_SPACE_DEVICE, &e);
    Py_END_ALLOW_THREADS PyObject *h =
        m ? handle_new(H_MEM, q->api, m, q->parent) : device_raise(module, &e);
    return h ? Py_BuildValue("(NO)", h, after ? Py_True : Py_False) : NULL;
}

/* dev_wrap(device, address, bytes, owner): the owner lives as long as it does. */
static PyObject *
wrap_memory(PyObject *module, PyObject *args)
{
    Handle *d;
    unsigned long long address;
    Py_ssize_t n;
    PyObject *owner;
    DevError e = {0};
    if (!PyArg_ParseTuple(args, "O&KnO", as_device, &d, &address, &n, &owner))
        return NULL;
    if (!d->api->wrap) {
        dev_fail(&e, DEV_ARGUMENT, 0, "devices of %s don't take memory of others", d->api->name);
        return device_raise(module, &e);
    }
    DevMem *m = d->api->wrap(d->p, address, (size_t)n, &e);
    return m ? handle_new(H_MEM, d->api, m, owner) : device_raise(module, &e);
}

static PyObject *
mem_host(PyObject *module, PyObject *args)
{
    Handle *m;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&", as_memory, &m))
        return NULL;
    return PyLong_FromVoidPtr(m->api->mem_host(m->p));
}

static PyObject *
mem_address(PyObject *module, PyObject *args)
{
    Handle *m;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&", as_memory, &m))
        return NULL;
    return PyLong_FromUnsignedLongLong(m->api->mem_address(m->p));
}

static PyObject *
live_bytes(PyObject *module, PyObject *args)
{
    Handle *d;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&", as_device, &d))
        return NULL;
    return PyLong_FromSize_t(d->api->live_bytes(d->p));
}

static PyObject *
memory_info(PyObject *module, PyObject *args)
{
    Handle *d;
    size_t free_bytes = 0, total = 0;
    DevError e = {0};
    bool ok;
    if (!PyArg_ParseTuple(args, "O&", as_device, &d))
        return NULL;
    Py_BEGIN_ALLOW_THREADS ok = d->api->memory_info(d->p, &free_bytes, &total, &e);
    Py_END_ALLOW_THREADS return ok
        ? Py_BuildValue("(nn)", (Py_ssize_t)free_bytes, (Py_ssize_t)total)
        : device_raise(module, &e);
}

/* Where host memory is: an address and a size, as the caller made sure of. */
static PyObject *
transfer(PyObject *module, PyObject *args, bool to_device)
{
    Handle *q, *m;
    Py_ssize_t offset, n;
    unsigned long long host;
    PyObject *after;
    int block, want;
    When w;
    DevError e = {0};
    bool ok;
    if (!PyArg_ParseTuple(args, "O&O&nKnOpp", as_queue, &q, as_memory, &m, &offset, &host, &n,
                          &after, &block, &want) ||
        when_take(&w, after, block, want) < 0)
        return NULL;
    void *p = (void *)(uintptr_t)host;
    Py_BEGIN_ALLOW_THREADS ok =
        to_device ? q->api->write(q->p, m->p, (size_t)offset, p, (size_t)n, &w.w, &e)
                  : q->api->read(q->p, p, m->p, (size_t)offset, (size_t)n, &w.w, &e);
    Py_END_ALLOW_THREADS return when_result(&w, module, q->api, ok, &e);
}

static PyObject *
write_memory(PyObject *module, PyObject *args)
{
    return transfer(module, args, true);
}

static PyObject *
read_memory(PyObject *module, PyObject *args)
{
    return transfer(module, args, false);
}

static PyObject *
copy_memory(PyObject *module, PyObject *args)
{
    Handle *q, *to, *from;
    Py_ssize_t to_offset, from_offset, n;
    PyObject *after;
    int block, want;
    When w;
    DevError e = {0};
    bool ok;
    if (!PyArg_ParseTuple(args, "O&O&nO&nnOpp", as_queue, &q, as_memory, &to, &to_offset, as_memory,
                          &from, &from_offset, &n, &after, &block, &want) ||
        when_take(&w, after, block, want) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS ok = q->api->copy(q->p, to->p, (size_t)to_offset, from->p,
                                             (size_t)from_offset, (size_t)n, &w.w, &e);
    Py_END_ALLOW_THREADS return when_result(&w, module, q->api, ok, &e);
}

static PyObject *
fill_memory(PyObject *module, PyObject *args)
{
    Handle *q, *m;
    Py_ssize_t offset, n, pattern_size;
    const char *pattern;
    PyObject *after;
    int block, want;
    When w;
    DevError e = {0};
    bool ok;
    if (!PyArg_ParseTuple(args, "O&O&ny#nOpp", as_queue, &q, as_memory, &m, &offset, &pattern,
                          &pattern_size, &n, &after, &block, &want) ||
        when_take(&w, after, block, want) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS ok = q->api->fill(q->p, m->p, (size_t)offset, pattern,
                                             (size_t)pattern_size, (size_t)n, &w.w, &e);
    Py_END_ALLOW_THREADS return when_result(&w, module, q->api, ok, &e);
}

/* ---- queues and events ----------------------------------------------------------------------- */

static PyObject *
make_queue(PyObject *module, PyObject *args)
{
    Handle *d;
    int flags;
    DevError e = {0};
    DevQueue *q;
    if (!PyArg_ParseTuple(args, "O&i", as_device, &d, &flags))
        return NULL;
    Py_BEGIN_ALLOW_THREADS q = d->api->queue(d->p, flags, &e);
    Py_END_ALLOW_THREADS return q ? handle_new(H_QUEUE, d->api, q, PyTuple_GET_ITEM(args, 0))
                                  : device_raise(module, &e);
}

static PyObject *
sync_queue(PyObject *module, PyObject *args)
{
    Handle *q;
    DevError e = {0};
    bool ok;
    if (!PyArg_ParseTuple(args, "O&", as_queue, &q))
        return NULL;
    Py_BEGIN_ALLOW_THREADS ok = q->api->queue_sync(q->p, &e);
    Py_END_ALLOW_THREADS return ok ? Py_NewRef(Py_None) : device_raise(module, &e);
}

static PyObject *
mark_queue(PyObject *module, PyObject *args)
{
    Handle *q;
    DevError e = {0};
    When w = {0};
    if (!PyArg_ParseTuple(args, "O&", as_queue, &q))
        return NULL;
    w.done = q->api->queue_mark(q->p, &e);
    return when_result(&w, module, q->api, w.done != NULL, &e);
}

static PyObject *
queue_after(PyObject *module, PyObject *args)
{
    Handle *q;
    PyObject *after;
    DevError e = {0};
    When w;
    if (!PyArg_ParseTuple(args, "O&O", as_queue, &q, &after) || when_take(&w, after, 0, 0) < 0)
        return NULL;
    bool ok = q->api->queue_after(q->p, w.after, w.w.n_after, &e);
    return ok ? Py_NewRef(Py_None) : device_raise(module, &e);
}

/* The driver's handle, 0: it has none that others know. */
static PyObject *
queue_stream(PyObject *module, PyObject *args)
{
    Handle *q;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&", as_queue, &q))
        return NULL;
    return PyLong_FromUnsignedLongLong(q->api->queue_stream ? q->api->queue_stream(q->p) : 0);
}

static PyObject *
with_stream(PyObject *module, PyObject *args, bool before)
{
    Handle *q;
    unsigned long long stream;
    DevError e = {0};
    bool ok;
    if (!PyArg_ParseTuple(args, "O&K", as_queue, &q, &stream))
        return NULL;
    bool (*chain)(DevQueue *, uint64_t, DevError *) =
        before ? q->api->queue_before_stream : q->api->queue_after_stream;
    if (!chain) {
        dev_fail(&e, DEV_ARGUMENT, 0, "devices of %s have no streams of others", q->api->name);
        return device_raise(module, &e);
    }
    Py_BEGIN_ALLOW_THREADS ok = chain(q->p, stream, &e);
    Py_END_ALLOW_THREADS return ok ? Py_NewRef(Py_None) : device_raise(module, &e);
}

static PyObject *
queue_after_stream(PyObject *module, PyObject *args)
{
    return with_stream(module, args, false);
}

static PyObject *
queue_before_stream(PyObject *module, PyObject *args)
{
    return with_stream(module, args, true);
}

static PyObject *
event_state(PyObject *module, PyObject *args)
{
    Handle *ev;
    DevError e = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "O&", as_event, &ev))
        return NULL;
    return PyLong_FromLong(ev->api->event_state(ev->p, &e));
}

static PyObject *
event_wait(PyObject *module, PyObject *args)
{
    Handle *ev;
    DevError e = {0};
    bool ok;
    if (!PyArg_ParseTuple(args, "O&", as_event, &ev))
        return NULL;
    Py_BEGIN_ALLOW_THREADS ok = ev->api->event_wait(ev->p, &e);
    Py_END_ALLOW_THREADS return ok ? Py_NewRef(Py_None) : device_raise(module, &e);
}

static PyObject *
event_times(PyObject *module, PyObject *args)
{
    Handle *ev;
    DevError e = {0};
    uint64_t ns[4] = {0};
    if (!PyArg_ParseTuple(args, "O&", as_event, &ev))
        return NULL;
    if (!ev->api->event_times(ev->p, ns, &e))
        return device_raise(module, &e);
    return Py_BuildValue("(KKKK)", ns[0], ns[1], ns[2], ns[3]);
}

static PyObject *
event_between(PyObject *module, PyObject *args)
{
    Handle *a, *b;
    DevError e = {0};
    double ms = 0;
    if (!PyArg_ParseTuple(args, "O&O&", as_event, &a, as_event, &b))
        return NULL;
    if (a->api != b->api)
        dev_fail(&e, DEV_ARGUMENT, 0, "events of two devices have no time between them");
    else if (a->api->event_between(a->p, b->p, &ms, &e))
        return PyFloat_FromDouble(ms);
    return device_raise(module, &e);
}

/* ---- the table ------------------------------------------------------------------------------- */

PyMethodDef device_methods[] = {
    {"dev_apis", apis, METH_NOARGS, "dev_apis() -> ['opencl', ...]"},
    {"dev_count", count, METH_VARARGS, "dev_count(api) -> how many devices; opens the driver"},
    {"dev_props", props, METH_VARARGS, "dev_props(api, index) -> dict"},
    {"dev_open", open_device, METH_VARARGS, "dev_open(api, index) -> device"},
    {"dev_split", split, METH_VARARGS, "dev_split(device, units) -> [(device, props)]"},
    {"dev_wrap", wrap_memory, METH_VARARGS, "dev_wrap(device, address, bytes, owner) -> memory"},
    {"dlpack_give", dlpack_give, METH_VARARGS,
     "dlpack_give(address, device, code, bits, shape, strides, owner) -> capsule"},
    {"dlpack_take", dlpack_take, METH_O,
     "dlpack_take(capsule) -> (address, device, code, bits, lanes, shape, strides, readonly)"},
    {"dev_alloc", alloc, METH_VARARGS, "dev_alloc(device, bytes, space) -> memory"},
    {"dev_alloc_on", alloc_on, METH_VARARGS,
     "dev_alloc_on(queue, bytes) -> (memory, whether other queues come after)"},
    {"dev_mem_host", mem_host, METH_VARARGS, "dev_mem_host(memory) -> address, or 0"},
    {"dev_mem_address", mem_address, METH_VARARGS, "dev_mem_address(memory) -> address, or 0"},
    {"dev_live_bytes", live_bytes, METH_VARARGS, "dev_live_bytes(device)"},
    {"dev_memory_info", memory_info, METH_VARARGS, "dev_memory_info(device) -> (free, total)"},
    {"dev_write", write_memory, METH_VARARGS,
     "dev_write(queue, memory, offset, address, n, after, block, want)"},
    {"dev_read", read_memory, METH_VARARGS,
     "dev_read(queue, memory, offset, address, n, after, block, want)"},
    {"dev_copy", copy_memory, METH_VARARGS,
     "dev_copy(queue, to, at, from, at, n, after, block, want)"},
    {"dev_fill", fill_memory, METH_VARARGS,
     "dev_fill(queue, memory, offset, pattern, n, after, block, want)"},
    {"dev_rows", device_rows, METH_VARARGS,
     "dev_rows(queue, to, at, strides, from, at, strides, sizes, width, block): None and an "
     "address: the host's"},
    {"dev_queue", make_queue, METH_VARARGS, "dev_queue(device, flags) -> queue"},
    {"dev_sync", sync_queue, METH_VARARGS, "dev_sync(queue)"},
    {"dev_mark", mark_queue, METH_VARARGS, "dev_mark(queue) -> event"},
    {"dev_after", queue_after, METH_VARARGS, "dev_after(queue, events)"},
    {"dev_stream", queue_stream, METH_VARARGS, "dev_stream(queue) -> the driver's handle, or 0"},
    {"dev_after_stream", queue_after_stream, METH_VARARGS, "dev_after_stream(queue, handle)"},
    {"dev_before_stream", queue_before_stream, METH_VARARGS, "dev_before_stream(queue, handle)"},
    {"dev_enter", device_enter, METH_VARARGS, "dev_enter(device): its context is this thread's"},
    {"dev_leave", device_leave, METH_VARARGS, "dev_leave(device)"},
    {"dev_uses", device_uses, METH_VARARGS, "dev_uses(queue, memory): another library's work does"},
    {"dev_event_state", event_state, METH_VARARGS, "dev_event_state(event) -> 0 .. 4"},
    {"dev_event_wait", event_wait, METH_VARARGS, "dev_event_wait(event)"},
    {"dev_event_times", event_times, METH_VARARGS, "dev_event_times(event) -> 4 ns"},
    {"dev_event_between", event_between, METH_VARARGS, "dev_event_between(a, b) -> ms"},
    {"dev_module", device_module, METH_VARARGS,
     "dev_module(device, code, is_text, options, build_key) -> module"},
    {"dev_kernel", device_kernel, METH_VARARGS, "dev_kernel(module, name) -> (kernel, info)"},
    {"dev_twin", device_twin, METH_VARARGS, "dev_twin(kernel, target, arch) -> Dispatcher"},
    {"dev_prepare", device_prepare, METH_VARARGS, "dev_prepare(twin, args, make) -> code"},
    {"dev_launch", device_launch, METH_VARARGS,
     "dev_launch(queue, kernel, twin, args, memory, sizes, fault, offset, after, want, together, "
     "stack)"},
    {"dev_fault", device_fault, METH_VARARGS, "dev_fault(function, fault)"},
    {"dev_call", offload_call, METH_VARARGS,
     "dev_call(twin, device, queue, in_order, lent, built, build, args, keywords, kept) -> the "
     "function's result"},
    {"exit_fails", exit_fails, METH_O,
     "exit_fails(on) -> what it was: the process ends with 1 where it would with 0"},
    {"dev_contexts", kernel_contexts, METH_O, "dev_contexts(n): so many more contexts are entered"},
    {NULL, NULL, 0, NULL},
};

int
as_any_device(PyObject *o, void *out)
{
    return as_device(o, out);
}

int
as_any_module(PyObject *o, void *out)
{
    return as_module(o, out);
}
