/* SPDX-License-Identifier: BSD-3-Clause
 * Calls on a device. A function's twin for a kind of device (see dev_twin) is called by `dev_call`,
 * which says on which queue; then `run` finds that here, has the kernels built when they are new,
 * and hands compiled code what it needs to launch them. The choice of a device, and arrays that are
 * there, are swathe._offload's. */
#include "device.h"

typedef struct Call {
    OffloadOn on;
    PyObject *built, *build; /* dict: a function's address to its kernels; what makes them */
    PyObject *lent;          /* list of (lo, hi, memory, offset) */
    PyObject *kernels;       /* a tuple */
    DevKernel **list;
    PyObject *kept;   /* list of (lo, hi, memory, offset) of results; NULL: they come to the host */
    PyObject *device; /* keeps it */
} Call;

static _Thread_local Call *current;

/* ---- kernels --------------------------------------------------------------------------------- */

static void
release_function(PyObject *capsule)
{
    rt_release(PyCapsule_GetPointer(capsule, "swathe.function"));
}

/* (kernel, ...), kept in the dict beside the function, so that its address stays its own. */
static PyObject *
build_kernels(Call *c, SwFunction *fn, PyObject *key)
{
    PyObject *capsule = PyCapsule_New(fn, "swathe.function", release_function), *pair = NULL;
    if (!capsule)
        return NULL;
    __atomic_add_fetch(&fn->refs, 1, __ATOMIC_RELAXED);
    PyObject *kernels = PyObject_CallFunction(c->build, "y#i", fn->source,
                                              (Py_ssize_t)fn->source_size, fn->n_kernels);
    if (kernels)
        pair = PyTuple_Pack(2, kernels, capsule);
    Py_DECREF(capsule);
    if (!pair || PyDict_SetItem(c->built, key, pair) < 0)
        Py_CLEAR(kernels);
    Py_XDECREF(pair);
    return kernels;
}

static int
find_kernels(Call *c, SwFunction *fn)
{
    if (!fn->n_kernels)
        return 0;
    PyObject *key = PyLong_FromVoidPtr(fn);
    PyObject *pair = key ? PyDict_GetItemWithError(c->built, key) : NULL;
    if (pair)
        c->kernels = Py_NewRef(PyTuple_GET_ITEM(pair, 0));
    else if (key && !PyErr_Occurred())
        c->kernels = build_kernels(c, fn, key);
    Py_XDECREF(key);
    if (!c->kernels)
        return -1;
    c->list = PyMem_Calloc((size_t)fn->n_kernels, sizeof *c->list);
    for (int i = 0; c->list && i < fn->n_kernels && i < PyTuple_GET_SIZE(c->kernels); i++) {
        Handle *h = handle_get(PyTuple_GET_ITEM(c->kernels, i), H_KERNEL);
        if (!h)
            return -1;
        c->list[i] = h->p;
    }
    c->on.kernels = c->list;
    return c->list ? 0 : (PyErr_NoMemory(), -1);
}

/* ---- around the compiled code ---------------------------------------------------------------- */

static bool
lend(Call *c, Offload *o)
{
    for (Py_ssize_t i = 0; c->lent && i < PyList_GET_SIZE(c->lent); i++) {
        unsigned long long lo, hi;
        long long offset;
        Handle *m;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(c->lent, i), "KKO&L", &lo, &hi, as_memory, &m,
                              &offset))
            return false;
        if (!offload_lend(o, (void *)(uintptr_t)lo, (void *)(uintptr_t)hi, m->p, offset)) {
            PyErr_NoMemory();
            return false;
        }
    }
    return true;
}

int
offload_enter(Dispatcher *d, SwFunction *fn, const Frame *f, SwCtx *cx)
{
    Call *c = current;
    DevError e = {0};
    if (!c) {
        PyErr_SetString(PyExc_SystemError,
                        "swathe: a device's function was called without a device");
        return -1;
    }
    if (find_kernels(c, fn) < 0)
        return -1;
    Offload *o = offload_begin(&c->on, fn);
    if (!o) {
        PyErr_NoMemory();
        return -1;
    }
    if (!lend(c, o)) {
        offload_end(o, &e);
        return -1;
    }
    if (!offload_arguments(o, f->slots)) {
        offload_end(o, &e);
        device_raise_error(d->st, &e);
        return -1;
    }
    cx->offload = o;
    return 0;
}

/* False: out of memory, and what is left goes when the call ends. */
static bool
take_results(Call *c, Offload *o)
{
    OffloadKept k;
    while (c->kept && offload_take(o, &k)) {
        PyObject *memory = handle_new(H_MEM, c->on.api, k.mem, c->device);
        if (!memory) {
            c->on.api->mem_free(k.mem);
            return false;
        }
        PyObject *one =
            Py_BuildValue("(KKNL)", (unsigned long long)(uintptr_t)k.lo,
                          (unsigned long long)(uintptr_t)k.hi, memory, (long long)k.offset);
        int bad = one ? PyList_Append(c->kept, one) : -1;
        Py_XDECREF(one);
        if (bad < 0)
            return false;
    }
    return true;
}

int
offload_leave(Dispatcher *d, SwCtx *cx, bool failed)
{
    DevError e = {0};
    bool ok, taken = failed || !current || take_results(current, cx->offload);
    Py_BEGIN_ALLOW_THREADS ok = offload_end(cx->offload, &e);
    Py_END_ALLOW_THREADS cx->offload = NULL;
    if (!ok && taken)
        device_raise_error(d->st, &e);
    return ok && taken ? 0 : -1;
}

/* ---- what Python calls ----------------------------------------------------------------------- */

/* dev_call(twin, device, queue, in order, lent, built, build, args, keywords or None, kept): what
 * the call has made and returns comes to the host, where kept is None, or stays on the device: kept
 * is a list then that gets (lo, hi, memory, offset) for the addresses that stand for it. */
PyObject *
offload_call(PyObject *module, PyObject *args)
{
    Handle *dev, *queue;
    PyObject *twin, *values, *names, *kept;
    int in_order;
    Call c = {0}, *outer = current;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO&O&pO!O!OO!OO", &twin, as_any_device, &dev, as_queue, &queue,
                          &in_order, &PyList_Type, &c.lent, &PyDict_Type, &c.built, &c.build,
                          &PyTuple_Type, &values, &names, &kept))
        return NULL;
    c.on = (OffloadOn){.api = dev->api,
                       .dev = dev->p,
                       .queue = queue->p,
                       .wait = !in_order,
                       .keep = kept != Py_None};
    c.kept = c.on.keep ? kept : NULL;
    c.device = queue->parent;
    current = &c;
    PyObject *r = PyObject_Call(twin, values, names == Py_None ? NULL : names);
    current = outer;
    Py_XDECREF(c.kernels);
    PyMem_Free(c.list);
    return r;
}

/* ---- which calls ----------------------------------------------------------------------------- */

/* The call by swathe._offload; NotImplemented: it isn't for a device. */
PyObject *
offload_dispatch(PyObject *d, PyObject *const *args, size_t nargsf, PyObject *kwnames,
                 PyObject *queue)
{
    PyObject *m = late_import("swathe._offload");
    PyObject *list = PyTuple_New(PyVectorcall_NARGS(nargsf)),
             *names = kwnames ? PyDict_New() : Py_NewRef(Py_None);
    PyObject *r = NULL;
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    int bad = !m || !list || !names;
    for (Py_ssize_t i = 0; !bad && i < n; i++)
        PyTuple_SET_ITEM(list, i, Py_NewRef(args[i]));
    for (Py_ssize_t i = 0; !bad && kwnames && i < PyTuple_GET_SIZE(kwnames); i++)
        bad = PyDict_SetItem(names, PyTuple_GET_ITEM(kwnames, i), args[n + i]) < 0;
    if (!bad)
        r = PyObject_CallMethod(m, "call", "(OOOO)", d, list, names, queue ? queue : Py_None);
    Py_XDECREF(m);
    Py_XDECREF(list);
    Py_XDECREF(names);
    return r;
}

/* The queue that an object given as `opts` asks for: new reference, NULL: none, or an exception. */
PyObject *
offload_asked(PyObject *opts)
{
    PyObject *q = PyObject_GetAttrString(opts, "_swathe_queue");
    if (!q && PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_Clear();
    if (q == Py_None)
        Py_CLEAR(q);
    return q;
}

static bool
is_there(PyObject *a, int depth)
{
    if (PyTuple_Check(a)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a) && depth < 50; i++)
            if (is_there(PyTuple_GET_ITEM(a, i), depth + 1))
                return true;
        return false;
    }
    return PyObject_HasAttrString((PyObject *)Py_TYPE(a), "_swathe_device_array");
}

/* Whether a call that was refused was refused for an array of a device. */
bool
offload_has_array(PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    Py_ssize_t n = PyVectorcall_NARGS(nargsf) + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    PyObject *type, *value, *trace;
    bool any = false;
    PyErr_Fetch(&type, &value, &trace);
    for (Py_ssize_t i = 0; i < n && !any; i++)
        any = is_there(args[i], 0);
    PyErr_Restore(type, value, trace);
    return any;
}
