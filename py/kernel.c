/* SPDX-License-Identifier: BSD-3-Clause
 * Launches. `k[blocks, threads]` of a kernel's dispatcher makes a Launch, which is called with the
 * kernel's arguments: swathe._core.Launch holds the sizes of the grid and of a block, checked
 * here once, so that a call only appends them to its arguments' slots. The sizes of a block are
 * part of the specialisation. A queue that is another device's takes the launch over by its
 * method `_swathe_launch(kernel, sizes, args)`. */
#include "py.h"
#include <structmember.h>

typedef struct Launch {
    PyObject_HEAD vectorcallfunc call;
    Dispatcher *kernel;
    PyObject *queue; /* NULL: the CPU */
    int64_t geo[KERNEL_SLOTS];
} Launch;

enum {
    MOST_THREADS = 1024,
    MOST_Z = 64,
    MOST_BLOCKS_X = INT32_MAX,
    MOST_BLOCKS = 65535,
    MOST_SHARED = 227 << 10, /* bytes */
    FORALL_THREADS = 256,
};

/* ---- sizes --------------------------------------------------------------------------------- */

static int
launch_error(State *st, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    PyObject *text = PyUnicode_FromFormatV(fmt, ap), *c = error_class(st, "LaunchError");
    va_end(ap);
    if (text)
        PyErr_SetObject(c, text);
    Py_DECREF(c);
    Py_XDECREF(text);
    return -1;
}

static int
size_of(State *st, PyObject *o, const char *what, int64_t *out)
{
    int over = 0;
    PyObject *i = PyLong_CheckExact(o) ? Py_NewRef(o) : PyBool_Check(o) ? NULL : PyNumber_Index(o);
    if (!i) {
        PyErr_Clear();
        return launch_error(st, "the number of %s is an int or a tuple of up to three, not %R",
                            what, o);
    }
    *out = PyLong_AsLongLongAndOverflow(i, &over);
    Py_DECREF(i);
    if (over > 0)
        *out = INT64_MAX;
    if (over < 0 || *out < 1)
        return launch_error(st, "the number of %s is at least 1, not %R", what, o);
    return 0;
}

static int
sizes_of(State *st, PyObject *o, const char *what, int64_t out[3])
{
    out[0] = out[1] = out[2] = 1;
    if (!PyTuple_Check(o) && !PyList_Check(o))
        return size_of(st, o, what, &out[0]);
    Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    if (n < 1 || n > 3)
        return launch_error(st, "a grid has 1, 2 or 3 dimensions, and %R are %zd", o, n);
    for (Py_ssize_t i = 0; i < n; i++)
        if (size_of(st, PySequence_Fast_GET_ITEM(o, i), what, &out[i]) < 0)
            return -1;
    return 0;
}

static int
check_sizes(State *st, const int64_t *g, const int64_t *b)
{
    if (b[0] > MOST_THREADS || b[1] > MOST_THREADS || b[2] > MOST_Z ||
        b[0] * b[1] * b[2] > MOST_THREADS)
        return launch_error(st,
                            "a block has at most %d threads (%d along x and y, %d along z), and "
                            "(%lld, %lld, %lld) are too many",
                            MOST_THREADS, MOST_THREADS, MOST_Z, (long long)b[0], (long long)b[1],
                            (long long)b[2]);
    if (g[0] > MOST_BLOCKS_X || g[1] > MOST_BLOCKS || g[2] > MOST_BLOCKS)
        return launch_error(
            st,
            "a grid has at most %d blocks along x and %d along y and z, and (%lld, %lld, "
            "%lld) are too many",
            MOST_BLOCKS_X, MOST_BLOCKS, (long long)g[0], (long long)g[1], (long long)g[2]);
    if (g[0] && g[1] * g[2] > INT64_MAX / MOST_THREADS / g[0])
        return launch_error(st, "(%lld, %lld, %lld) blocks are too many", (long long)g[0],
                            (long long)g[1], (long long)g[2]);
    return 0;
}

static int
shared_bytes(State *st, PyObject *o, int64_t *out)
{
    int over = 0;
    PyObject *i = PyNumber_Index(o);
    if (!i) {
        PyErr_Clear();
        return launch_error(st, "the bytes of shared memory are an int, not %R", o);
    }
    *out = PyLong_AsLongLongAndOverflow(i, &over);
    Py_DECREF(i);
    if (over || *out < 0 || *out > MOST_SHARED)
        return launch_error(st, "a block has 0 to %d bytes of shared memory, not %R", MOST_SHARED,
                            o);
    return 0;
}

/* Cut tasks, which geo[0] counts, into blocks. */
static void
set_block(int64_t *geo, int64_t threads)
{
    geo[3] = threads;
    geo[0] = geo[0] / threads + (geo[0] % threads != 0);
}

/* ---- the object ---------------------------------------------------------------------------- */

static PyObject *
launch_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    Launch *l = (Launch *)self;
    if (SW_UNLIKELY(!l->geo[0]))
        Py_RETURN_NONE;
    if (SW_LIKELY(!l->queue))
        return dispatcher_launch(l->kernel, args, nargsf, kwnames, l->geo);
    const int64_t *g = l->geo;
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    PyObject *list =
                 kwnames ? dispatcher_bind_names(l->kernel, args, nargsf, kwnames) : PyTuple_New(n),
             *r = NULL;
    for (Py_ssize_t i = 0; list && !kwnames && i < n; i++)
        PyTuple_SET_ITEM(list, i, Py_NewRef(args[i]));
    PyObject *sizes = Py_BuildValue("LLLLLLL", g[0], g[1], g[2], g[3], g[4], g[5], g[6]);
    if (list && sizes)
        r = PyObject_CallMethod(l->queue, "_swathe_launch", "(OOO)", l->kernel, sizes, list);
    Py_XDECREF(list);
    Py_XDECREF(sizes);
    if (r != Py_NotImplemented)
        return r;
    Py_DECREF(r); /* a queue of the CPU */
    if (!l->geo[3])
        set_block(l->geo, FORALL_THREADS);
    return dispatcher_launch(l->kernel, args, nargsf, kwnames, l->geo);
}

static int
launch_traverse(PyObject *o, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(o));
    Py_VISIT(((Launch *)o)->kernel);
    Py_VISIT(((Launch *)o)->queue);
    return 0;
}

static int
launch_clear(PyObject *o)
{
    Py_CLEAR(((Launch *)o)->kernel);
    Py_CLEAR(((Launch *)o)->queue);
    return 0;
}

static void
launch_dealloc(PyObject *o)
{
    PyTypeObject *t = Py_TYPE(o);
    PyObject_GC_UnTrack(o);
    launch_clear(o);
    PyObject_GC_Del(o);
    Py_DECREF(t);
}

static PyObject *
launch_repr(PyObject *o)
{
    const Launch *l = (Launch *)o;
    const int64_t *g = l->geo;
    return PyUnicode_FromFormat(
        "<launch of %U on (%lld, %lld, %lld) blocks of (%lld, %lld, %lld) threads>",
        ((PyFunctionObject *)l->kernel->func)->func_name, (long long)g[0], (long long)g[1],
        (long long)g[2], (long long)g[3], (long long)g[4], (long long)g[5]);
}

static PyObject *
launch_sizes(PyObject *o, void *closure)
{
    (void)closure;
    const int64_t *g = ((Launch *)o)->geo;
    return Py_BuildValue("(LLLLLLL)", (long long)g[0], (long long)g[1], (long long)g[2],
                         (long long)g[3], (long long)g[4], (long long)g[5], (long long)g[6]);
}

static PyGetSetDef launch_getset[] = {
    {"sizes", launch_sizes, NULL,
     "blocks along x, y, z; threads of a block; bytes of dynamic shared memory", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef launch_members[] = {
    {"kernel", T_OBJECT, offsetof(Launch, kernel), READONLY, "the kernel"},
    {"queue", T_OBJECT, offsetof(Launch, queue), READONLY, "the queue, or None"},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Launch, call), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot launch_slots[] = {
    {Py_tp_dealloc, launch_dealloc},
    {Py_tp_traverse, launch_traverse},
    {Py_tp_clear, launch_clear},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_repr, launch_repr},
    {Py_tp_members, launch_members},
    {Py_tp_getset, launch_getset},
    {Py_tp_doc, "A kernel with the sizes of its grid: call it with the kernel's arguments."},
    {0, NULL},
};
PyType_Spec launch_spec = {
    .name = "swathe._core.Launch",
    .basicsize = sizeof(Launch),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
             Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = launch_slots,
};

static Launch *
launch_new(Dispatcher *d)
{
    Launch *l = PyObject_GC_New(Launch, d->st->launch_type);
    if (!l)
        return NULL;
    l->call = launch_call;
    l->kernel = (Dispatcher *)Py_NewRef((PyObject *)d);
    l->queue = NULL;
    memset(l->geo, 0, sizeof l->geo);
    PyObject_GC_Track((PyObject *)l);
    return l;
}

int64_t kernel_contexts_entered;

PyObject *
kernel_contexts(PyObject *module, PyObject *n)
{
    (void)module;
    int64_t by = PyLong_AsLongLong(n);
    if (by == -1 && PyErr_Occurred())
        return NULL;
    kernel_contexts_entered += by;
    Py_RETURN_NONE;
}

/* The queue of the context that this thread, or task, is in. */
static int
queue_of_context(Launch *l)
{
    if (SW_LIKELY(kernel_contexts_entered == 0))
        return 0;
    PyObject *q = late_call("swathe.devices", "current_queue", NULL);
    if (!q)
        return -1;
    if (q == Py_None)
        Py_DECREF(q);
    else
        l->queue = q;
    return 0;
}

/* 0 and None are the queue that there is when none is said. */
static int
set_queue(Launch *l, PyObject *o)
{
    if (o == Py_None || (PyLong_Check(o) && PyObject_IsTrue(o) == 0))
        return queue_of_context(l);
    if (!PyObject_HasAttrString(o, "_swathe_launch"))
        return launch_error(l->kernel->st,
                            "the third number of a launch is a queue, or 0 or None, not %R", o);
    l->queue = Py_NewRef(o);
    return 0;
}

static bool
check_kernel(Dispatcher *d)
{
    if (d->opt.kernel)
        return true;
    PyObject *name = ((PyFunctionObject *)d->func)->func_name;
    PyErr_Format(PyExc_TypeError,
                 "%U is no kernel, and can't be launched: decorate it with swathe.gpu.jit", name);
    return false;
}

PyObject *
kernel_subscript(PyObject *dispatcher, PyObject *key)
{
    Dispatcher *d = (Dispatcher *)dispatcher;
    if (!check_kernel(d))
        return NULL;
    Py_ssize_t n = PyTuple_Check(key) ? PyTuple_GET_SIZE(key) : 1;
    if (n < 2 || n > 4) {
        launch_error(d->st,
                     "a launch is k[blocks, threads], k[blocks, threads, queue] or "
                     "k[blocks, threads, queue, shared_bytes], not of %zd",
                     n);
        return NULL;
    }
    Launch *l = launch_new(d);
    if (!l)
        return NULL;
    if (sizes_of(d->st, PyTuple_GET_ITEM(key, 0), "blocks", l->geo) < 0 ||
        sizes_of(d->st, PyTuple_GET_ITEM(key, 1), "threads", l->geo + 3) < 0 ||
        check_sizes(d->st, l->geo, l->geo + 3) < 0 ||
        (n > 2 ? set_queue(l, PyTuple_GET_ITEM(key, 2)) : queue_of_context(l)) < 0 ||
        (n > 3 && shared_bytes(d->st, PyTuple_GET_ITEM(key, 3), &l->geo[6]) < 0))
        Py_CLEAR(l);
    return (PyObject *)l;
}

PyObject *
kernel_forall(PyObject *dispatcher, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    static const char *const names[] = {"ntasks", "tpb", "queue", "sharedmem"};
    Dispatcher *d = (Dispatcher *)dispatcher;
    PyObject *v[SW_LEN(names)] = {NULL};
    if (!check_kernel(d))
        return NULL;
    for (Py_ssize_t i = 0; i < n && i < SW_LEN(names); i++)
        v[i] = args[i];
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); i++) {
        int k = 0;
        PyObject *word = PyTuple_GET_ITEM(kwnames, i);
        while (k < SW_LEN(names) && PyUnicode_CompareWithASCIIString(word, names[k]) != 0)
            k++;
        k = k == SW_LEN(names) && PyUnicode_CompareWithASCIIString(word, "stream") == 0 ? 2 : k;
        if (k == SW_LEN(names) || v[k])
            return PyErr_Format(PyExc_TypeError, "forall() got an unexpected argument '%U'", word);
        v[k] = args[n + i];
    }
    if (n > SW_LEN(names) || !v[0])
        return PyErr_Format(PyExc_TypeError,
                            "forall() takes the number of tasks, and up to 3 more arguments");
    Launch *l = launch_new(d);
    if (!l)
        return NULL;
    int64_t tasks = 0, *g = l->geo;
    bool none = PyLong_Check(v[0]) && PyObject_IsTrue(v[0]) == 0; /* then nothing runs */
    bool given = v[1] && v[1] != Py_None && PyObject_IsTrue(v[1]) != 0;
    g[1] = g[2] = 1;
    g[3] = 0;
    g[4] = g[5] = 1;
    if ((!none && size_of(d->st, v[0], "tasks", &tasks) < 0) ||
        (given && size_of(d->st, v[1], "threads", &g[3]) < 0) ||
        (v[2] ? set_queue(l, v[2]) : queue_of_context(l)) < 0 ||
        (v[3] && shared_bytes(d->st, v[3], &g[6]) < 0))
        Py_CLEAR(l);
    if (l) {
        g[0] = tasks;
        if (given || !l->queue) /* else the queue chooses, when the kernel is compiled */
            set_block(g, given ? g[3] : FORALL_THREADS);
        int64_t cut[KERNEL_SLOTS];
        memcpy(cut, g, sizeof cut);
        if (!cut[3])
            set_block(cut, FORALL_THREADS);
        if (check_sizes(d->st, cut, cut + 3) < 0)
            Py_CLEAR(l);
    }
    return (PyObject *)l;
}

void
kernel_push(Frame *f)
{
    const int64_t *g = f->geo;
    *f->code++ = CODE_BLOCK | (uint64_t)g[3] << 8 | (uint64_t)g[4] << 20 | (uint64_t)g[5] << 32;
    for (int i = 0; i < KERNEL_SLOTS; i++)
        *f->slot++ = (uint64_t)g[i];
}
