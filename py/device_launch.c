/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels on devices. A kernel's dispatcher has a twin for each kind of device, which compiles the
 * same function to the text that the device's driver takes. Arguments go through the same codes and
 * slots as on the CPU: an array of a device is stood for by a NumPy array of its dtype, shape and
 * strides whose memory nobody reads, and the memory comes beside, one for each array. */
#include "device.h"

/* ---- modules --------------------------------------------------------------------------------- */

typedef struct Build {
    Handle *d;
    /* device: what a binary depends on; "" or NULL: it isn't kept */
    const char *code, *options, *device;
    Py_ssize_t n;
    int text;
    DevError e;
} Build;

/* What a binary of these is kept by. */
static Hash
key_of(const Build *b)
{
    Hash h = hash_init();
    hash_str(&h, "binary of a device's module");
    hash_str(&h, SWATHE_VERSION);
    hash_str(&h, b->d->api->name);
    hash_str(&h, b->device);
    hash_str(&h, b->options ? b->options : "");
    hash_bytes(&h, b->code, (size_t)b->n);
    return h;
}

/* From the disk cache's binary; else from the text, whose binary is kept then. Without the GIL. */
static DevModule *
build(Build *b)
{
    const DevApi *api = b->d->api;
    bool keep = b->text && b->device && *b->device && cache_limit() > 0;
    if (!keep)
        return api->module(b->d->p, b->code, (size_t)b->n, b->text, b->options, NULL, NULL, &b->e);
    Cx cx;
    cx_init(&cx);
    Hash key = key_of(b);
    size_t n = 0;
    const void *old = cache_get_bytes(&cx, &key, &n);
    DevModule *m = old ? api->module(b->d->p, old, n, false, b->options, NULL, NULL, &b->e) : NULL;
    if (!m) {
        void *binary = NULL;
        m = api->module(b->d->p, b->code, (size_t)b->n, true, b->options, &binary, &n, &b->e);
        if (m && binary)
            cache_put_bytes(&cx, &key, binary, n);
        free(binary);
    }
    cx_free(&cx);
    return m;
}

PyObject *
device_module(PyObject *module, PyObject *args)
{
    Build b = {0};
    DevModule *m;
    if (!PyArg_ParseTuple(args, "O&y#pzz", as_any_device, &b.d, &b.code, &b.n, &b.text, &b.options,
                          &b.device))
        return NULL;
    Py_BEGIN_ALLOW_THREADS m = build(&b);
    Py_END_ALLOW_THREADS if (!m) return device_raise(module, &b.e);
    PyObject *h = handle_new(H_MODULE, b.d->api, m, PyTuple_GET_ITEM(args, 0));
    if (!h)
        b.d->api->module_free(m);
    return h;
}

PyObject *
device_kernel(PyObject *module, PyObject *args)
{
    Handle *m;
    const char *name;
    DevError e = {0};
    DevKernelInfo info = {0};
    if (!PyArg_ParseTuple(args, "O&s", as_any_module, &m, &name))
        return NULL;
    DevKernel *k = m->api->kernel(m->p, name, &e);
    if (!k || !m->api->kernel_info(k, &info, &e))
        return device_raise(module, &e);
    PyObject *h = handle_new(H_KERNEL, m->api, k, PyTuple_GET_ITEM(args, 0));
    return h ? Py_BuildValue("(N{sL sL sL sL sL})", h, "max_threads", (long long)info.max_threads,
                             "shared_bytes", (long long)info.shared_bytes, "local_bytes",
                             (long long)info.local_bytes, "registers", (long long)info.registers,
                             "simd", (long long)info.simd)
             : NULL;
}

/* ---- twins ----------------------------------------------------------------------------------- */

static Dispatcher *
dispatcher_arg(PyObject *module, PyObject *o)
{
    if (dispatcher_check(state_of(module), o))
        return (Dispatcher *)o;
    PyErr_Format(PyExc_TypeError, "%R is no kernel", o);
    return NULL;
}

PyObject *
device_twin(PyObject *module, PyObject *args)
{
    PyObject *o;
    int target, arch;
    if (!PyArg_ParseTuple(args, "Oii", &o, &target, &arch))
        return NULL;
    Dispatcher *d = dispatcher_arg(module, o), *t;
    if (!d)
        return NULL;
    SwOptions opt = d->opt;
    if (opt.kernel) {
        opt.target = (uint8_t)target;
    } else { /* its parallel loops */
        opt.offload = target;
        opt.parallel = 1;
    }
    opt.arch = arch;
    if (!(t = dispatcher_new(d->st, d->func, &opt, d->use_cache)))
        return NULL;
    t->sigs = Py_XNewRef(d->sigs);
    t->sched = Py_XNewRef(d->sched);
    return (PyObject *)t;
}

/* ---- code for arguments ---------------------------------------------------------------------- */

static const int64_t no_sizes[KERNEL_SLOTS]; /* a device's code is for blocks of any size */

static int
take(Dispatcher *d, Frame *f, FrameRoom *room, PyObject *args)
{
    frame_init(f, room);
    int r = args_take(d, f, &PyTuple_GET_ITEM(args, 0), PyTuple_GET_SIZE(args));
    for (Py_ssize_t i = 0; r == ARGS_FOREIGN && i < PyTuple_GET_SIZE(args); i++)
        if (foreign_is_awkward(PyTuple_GET_ITEM(args, i)))
            return args_refuse(d, i, PyExc_ValueError,
                               "is not aligned, or in the byte order of other machines: pass "
                               "x.astype(x.dtype.newbyteorder('='))");
    for (Py_ssize_t i = 0; r == ARGS_FOREIGN && i < PyTuple_GET_SIZE(args); i++)
        if (foreign_is_text(PyTuple_GET_ITEM(args, i)))
            return args_refuse(d, i, PyExc_TypeError,
                               "is an array of strings, which no kernel on a device takes: pass "
                               "an array of numbers");
    if (r == ARGS_FOREIGN)
        PyErr_SetString(PyExc_TypeError,
                        "an array of another library can't be given to a kernel on a device yet");
    if (r < 0)
        return -1;
    f->geo = no_sizes;
    kernel_push(f);
    return 0;
}

/* Slots as the explicit signature wants them, into the frame. */
static int
convert(Dispatcher *d, Spec *s, Frame *f, PyObject *args)
{
    Py_ssize_t n = PyTuple_GET_SIZE(args);
    PyMem_Free(f->heap);
    *f = (Frame){0};
    if (args_room(f, &PyTuple_GET_ITEM(args, 0), n, s->fn->arg_slots) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < n; i++)
        if (!args_convert(f, s->fn->args[i], PyTuple_GET_ITEM(args, i))) {
            PyErr_Format(PyExc_TypeError, "%U(): argument %zd does not fit in %s",
                         ((PyFunctionObject *)d->func)->func_name, i + 1, s->fn->args[i]->text);
            return -1;
        }
    return 0;
}

static void
count_leaf(const Type *t, int *leaf, uint64_t writes, PyObject *list)
{
    if (type_has_parts(t)) {
        for (int i = 0; i < t->n; i++)
            count_leaf(t->elems[i], leaf, writes, list);
        return;
    }
    if (type_slots(t) == 0)
        return;
    if (t->kind == TY_ARRAY)
        PyList_Append(list, writes >> (*leaf < 63 ? *leaf : 63) & 1 ? Py_True : Py_False);
    ++*leaf;
}

static void
release_function(PyObject *capsule)
{
    rt_release(PyCapsule_GetPointer(capsule, "swathe.function"));
}

/* make(function, source, written): what Python keeps of it. */
static PyObject *
code_object(SwFunction *fn, PyObject *make)
{
    int leaf = 0;
    PyObject *written = PyList_New(0);
    for (int i = 0; written && i < fn->n_args; i++)
        count_leaf(fn->args[i], &leaf, fn->writes, written);
    PyObject *capsule = written ? PyCapsule_New(fn, "swathe.function", release_function) : NULL;
    if (capsule)
        __atomic_add_fetch(&fn->refs, 1, __ATOMIC_RELAXED);
    PyObject *r = capsule ? PyObject_CallFunction(make, "Oy#O", capsule, fn->source,
                                                  (Py_ssize_t)fn->source_size, written)
                          : NULL;
    Py_XDECREF(written);
    Py_XDECREF(capsule);
    return r;
}

/* The specialisation for the arguments, a new reference; the frame holds their slots. */
static Spec *
specialise(Dispatcher *d, Frame *f, FrameRoom *room, PyObject *args)
{
    if (deps_changed(&d->deps))
        spec_refresh(d);
    if (take(d, f, room, args) < 0)
        return NULL;
    Spec *s = spec_find(d, f->codes, (int)(f->code - f->codes));
    if (s)
        s->refs++;
    else if (!(s = spec_get(d, &PyTuple_GET_ITEM(args, 0), PyTuple_GET_SIZE(args), f)))
        return NULL;
    if (!s->fn) {
        error_compile(d->st, s->error_class, s->error);
    } else if (!s->convert || convert(d, s, f, args) == 0) {
        return s;
    }
    spec_release(s);
    return NULL;
}

PyObject *
device_prepare(PyObject *module, PyObject *args)
{
    PyObject *o, *list, *make, *r = NULL;
    FrameRoom room;
    Frame f;
    if (!PyArg_ParseTuple(args, "OO!O", &o, &PyTuple_Type, &list, &make))
        return NULL;
    Dispatcher *d = dispatcher_arg(module, o);
    if (!d)
        return NULL;
    PyObject *bound = d->simple && PyTuple_GET_SIZE(list) == d->n_params ? Py_NewRef(list)
                                                                         : dispatcher_bind(d, list);
    if (!bound)
        return NULL;
    f.heap = NULL;
    Spec *s = specialise(d, &f, &room, bound);
    if (s && !s->code)
        s->code = code_object(s->fn, make);
    if (s && s->code)
        r = Py_BuildValue("(OO)", s->code, bound);
    if (s)
        spec_release(s);
    PyMem_Free(f.heap);
    Py_DECREF(bound);
    return r;
}

/* ---- launch ---------------------------------------------------------------------------------- */

enum { MAX_ARGS = 256 };
typedef struct ArgList {
    DevArg at[MAX_ARGS];
    int n;
    const uint64_t *slot;
    PyObject *memory; /* list of (memory, offset), one for each array */
    Py_ssize_t array;
} ArgList;

static int
push_value(ArgList *l, uint64_t v, int bytes)
{
    if (l->n == MAX_ARGS) {
        PyErr_Format(PyExc_TypeError, "a kernel on a device has at most %d flattened arguments",
                     MAX_ARGS);
        return -1;
    }
    l->at[l->n++] = (DevArg){.kind = DEV_ARG_VALUE, .bytes = bytes, .value = v};
    return 0;
}

static int
push_memory(ArgList *l, DevMem *m, int64_t offset)
{
    if (push_value(l, 0, 8) < 0)
        return -1;
    DevArg *a = &l->at[l->n - 1];
    a->kind = DEV_ARG_MEM;
    a->mem = m;
    a->offset = offset;
    return 0;
}

static int
push_array(ArgList *l, const Type *t)
{
    PyObject *pair =
        l->array < PyList_GET_SIZE(l->memory) ? PyList_GET_ITEM(l->memory, l->array++) : NULL;
    Handle *m;
    Py_ssize_t offset;
    if (!pair || !PyArg_ParseTuple(pair, "O&n", as_memory, &m, &offset)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_SystemError, "swathe: an array without memory");
        return -1;
    }
    if (push_memory(l, m->p, offset) < 0)
        return -1;
    for (int k = 0; k < 2 * t->ndim; k++)
        if (push_value(l, l->slot[2 + k], 8) < 0)
            return -1;
    l->slot += 2 + 2 * t->ndim;
    return 0;
}

static int
push_leaf(ArgList *l, const Type *t)
{
    if (type_has_parts(t)) {
        for (int i = 0; i < t->n; i++)
            if (push_leaf(l, t->elems[i]) < 0)
                return -1;
        return 0;
    }
    int slots = type_slots(t);
    if (slots == 0)
        return 0;
    if (t->kind == TY_ARRAY)
        return push_array(l, t);
    const uint64_t *v = l->slot;
    l->slot += slots;
    if (t->dtype == DT_c128)
        return push_value(l, v[0], 8) | push_value(l, v[1], 8);
    if (t->dtype == DT_c64)
        return push_value(l, v[0] & 0xffffffffu, 4) | push_value(l, v[0] >> 32, 4);
    return push_value(l, v[0], dtype_size((DType)t->dtype));
}

static PyObject *
enqueue(PyObject *module, Handle *q, Handle *k, const SwFunction *fn, ArgList *l,
        const long long *sizes, DevMem *fault, Py_ssize_t offset, bool together, long long stack,
        When *w)
{
    DevError e = {0};
    bool ok;
    for (int i = 0; i < fn->n_args; i++)
        if (push_leaf(l, fn->args[i]) < 0)
            return NULL;
    if (push_memory(l, fault, offset) < 0)
        return NULL;
    DevLaunch launch = {.grid = {sizes[0], sizes[1], sizes[2]},
                        .block = {sizes[3], sizes[4], sizes[5]},
                        .shared = sizes[6],
                        .n_args = l->n,
                        .args = l->at,
                        .stack = stack,
                        .cooperative = together};
    Py_BEGIN_ALLOW_THREADS ok = q->api->launch(q->p, k->p, &launch, &w->w, &e);
    Py_END_ALLOW_THREADS return when_result(w, module, q->api, ok, &e);
}

PyObject *
device_launch(PyObject *module, PyObject *args)
{
    Handle *q, *k, *fault;
    PyObject *o, *list, *memory, *after, *r = NULL;
    long long z[KERNEL_SLOTS], stack;
    Py_ssize_t offset;
    int want, together;
    FrameRoom room;
    Frame f = {0};
    When w;
    if (!PyArg_ParseTuple(args, "O&O&OO!O!(LLLLLLL)O&nOppL", as_queue, &q, as_kernel, &k, &o,
                          &PyTuple_Type, &list, &PyList_Type, &memory, &z[0], &z[1], &z[2], &z[3],
                          &z[4], &z[5], &z[6], as_memory, &fault, &offset, &after, &want, &together,
                          &stack) ||
        when_take(&w, after, 0, want) < 0)
        return NULL;
    Dispatcher *d = dispatcher_arg(module, o);
    Spec *s = d ? specialise(d, &f, &room, list) : NULL;
    if (s) {
        ArgList *l = PyMem_Calloc(1, sizeof *l);
        if (l) {
            l->slot = f.slots;
            l->memory = memory;
            r = enqueue(module, q, k, s->fn, l, z, fault->p, offset, together, stack, &w);
        } else {
            PyErr_NoMemory();
        }
        PyMem_Free(l);
        spec_release(s);
    }
    PyMem_Free(f.heap);
    return r;
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* Raises what the fault says; None: there is none. */
PyObject *
device_fault(PyObject *module, PyObject *args)
{
    PyObject *capsule, *bytes;
    DevFault fault;
    (void)module;
    if (!PyArg_ParseTuple(args, "OS", &capsule, &bytes))
        return NULL;
    SwFunction *fn = PyCapsule_GetPointer(capsule, "swathe.function");
    if (!fn || PyBytes_GET_SIZE(bytes) != (Py_ssize_t)sizeof fault)
        return fn ? PyErr_Format(PyExc_ValueError, "a fault has %zu bytes", sizeof fault) : NULL;
    memcpy(&fault, PyBytes_AS_STRING(bytes), sizeof fault);
    if (!fault.site)
        Py_RETURN_NONE;
    SwCtx cx = {.err = {.site = (int32_t)(fault.site - 1)}};
    memcpy(cx.err.a, fault.a, sizeof cx.err.a);
    error_run_time(NULL, fn, &cx.err);
    return NULL;
}
