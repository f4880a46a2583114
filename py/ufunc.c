/* SPDX-License-Identifier: BSD-3-Clause
 * What `vectorize` makes is NumPy's own ufunc inside: one without loops at first, to which the
 * compiled loop of each choice of dtypes is added (NumPy 2.0 and later). A call with plain arrays
 * and numbers of dtypes that are known goes to NumPy straight, which broadcasts, casts what is
 * written, looks after overlaps, and calls the loop; any other call goes to the method `_call` of
 * the class in Python, which finds the dtypes, compiles, and says `_learn`.
 *
 * A loop is a function of strided arrays, one for each operand. What reads an element that it has
 * just written (`reduce`) is another one, with an accumulator. Python's numbers have no dtype of
 * their own: the choice says what they become. */
#undef NPY_TARGET_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include "context.h"
#include "py.h"

#define PY_UFUNC_UNIQUE_SYMBOL swathe_UFUNC_API
#include <numpy/ndarraytypes.h>
#include <numpy/ufuncobject.h>

enum {
    MOST_OPS = 8,
    MOST_CHOICES = 32,
    LONG_ARRAYS = 8192,
    WEAK_FLOAT = 64, /* Python's numbers; below are NumPy's numbers of types */
    WEAK_INT,
    NO_NUMBER
};

typedef struct Loop {
    int types[MOST_OPS];
    Dispatcher *each, *fold; /* strong; fold NULL: there is none */
    SwFunction *each_fn, *fold_fn;
} Loop;

/* What NumPy's ufunc keeps: `obj` of it. */
typedef struct Loops {
    PyObject_HEAD PyObject *name, *doc;
    int n_ops, n;
    Loop of[MOST_CHOICES];
} Loops;

typedef struct Choice {
    uint8_t code[MOST_OPS];
    int loop;
} Choice;

typedef struct UfuncCalls {
    PyObject_HEAD PyObject *inner; /* NumPy's ufunc; NULL: nothing is known */
    Loops *loops;
    int nin, n;
    Choice of[MOST_CHOICES];
} UfuncCalls;

/* ---- loops ----------------------------------------------------------------------------------- */

/* Calls a function of arrays with one axis. Without the GIL. */
static int
run_loop(Dispatcher *d, SwFunction *fn, int n_args, char *const *data, const npy_intp *n,
         const npy_intp *steps)
{
    SwMem mem[MOST_OPS];
    uint64_t args[4 * MOST_OPS], ret[4];
    SwCtx cx;
    for (int k = 0; k < n_args; k++) {
        mem[k] = (SwMem){.refs = 1, .data = data[k]};
        uint64_t slots[4] = {(uint64_t)(uintptr_t)data[k], (uint64_t)(uintptr_t)&mem[k],
                             (uint64_t)n[k], (uint64_t)steps[k]};
        memcpy(args + 4 * k, slots, sizeof slots);
    }
    call_begin(&cx, fn);
    if (SW_LIKELY(!fn->entry(&cx, args, ret)))
        return 0;
    PyGILState_STATE g = PyGILState_Ensure();
    error_run_time(d, fn, &cx.err);
    rt_error_drop(&cx.err);
    PyGILState_Release(g);
    return -1;
}

static const Loop *
loop_of(const Loops *l, PyArray_Descr *const *descr)
{
    for (int i = 0; i < l->n; i++) {
        int k = 0;
        while (k < l->n_ops && l->of[i].types[k] == descr[k]->type_num)
            k++;
        if (k == l->n_ops)
            return &l->of[i];
    }
    return NULL;
}

/* Each element is joined to the one that the last step has written. */
static int
run_fold(const Loop *l, char *const *data, npy_intp n, const npy_intp *steps)
{
    if (l->fold) {
        char *of[2] = {data[1], data[2]};
        return run_loop(l->fold, l->fold_fn, 2, of, (npy_intp[]){n, 1},
                        (npy_intp[]){steps[1], steps[2]});
    }
    for (npy_intp i = 0; i < n; i++) {
        char *at[3] = {data[0] + i * steps[0], data[1] + i * steps[1], data[2] + i * steps[2]};
        if (run_loop(l->each, l->each_fn, 3, at, (npy_intp[]){1, 1, 1}, steps) < 0)
            return -1;
    }
    return 0;
}

static int
strided_loop(PyArrayMethod_Context *context, char *const *data, const npy_intp *dimensions,
             const npy_intp *strides, NpyAuxData *unused)
{
    (void)unused;
    const Loops *all = (const Loops *)((PyUFuncObject *)context->caller)->obj;
    const Loop *l = loop_of(all, context->descriptors);
    npy_intp n[MOST_OPS];
    for (int k = 0; k < all->n_ops; k++)
        n[k] = dimensions[0];
    if (all->n_ops == 3 && strides[2] == 0 && n[0] > 1)
        return run_fold(l, data, n[0], strides);
    return run_loop(l->each, l->each_fn, all->n_ops, data, n, strides);
}

/* ---- what NumPy's ufunc keeps ---- */

static void
loop_clear(Loop *l)
{
    if (l->each_fn)
        rt_release(l->each_fn);
    if (l->fold_fn)
        rt_release(l->fold_fn);
    l->each_fn = l->fold_fn = NULL;
    Py_CLEAR(l->each);
    Py_CLEAR(l->fold);
}

static int
loops_traverse(PyObject *self, visitproc visit, void *arg)
{
    Loops *l = (Loops *)self;
    Py_VISIT(Py_TYPE(self));
    for (int i = 0; i < l->n; i++) {
        Py_VISIT(l->of[i].each);
        Py_VISIT(l->of[i].fold);
    }
    return 0;
}

static void
loops_dealloc(PyObject *self)
{
    Loops *l = (Loops *)self;
    PyTypeObject *t = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    for (int i = 0; i < l->n; i++)
        loop_clear(&l->of[i]);
    Py_CLEAR(l->name);
    Py_CLEAR(l->doc);
    t->tp_free(self);
    Py_DECREF(t);
}

static PyType_Slot loops_slots[] = {
    {Py_tp_traverse, loops_traverse},
    {Py_tp_dealloc, loops_dealloc},
    {0, NULL},
};
static PyType_Spec loops_spec = {
    .name = "swathe._core.UfuncLoops",
    .basicsize = sizeof(Loops),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = loops_slots,
};
static PyTypeObject *loops_type;
static bool has_numpy; /* 2.0 or later */

static int
make_inner(UfuncCalls *u, PyObject *name)
{
    Loops *l = (Loops *)loops_type->tp_alloc(loops_type, 0);
    if (!l)
        return -1;
    l->name = Py_NewRef(name);
    l->n_ops = u->nin + 1;
    const char *text = PyUnicode_AsUTF8(name);
    PyObject *made =
        text ? PyUFunc_FromFuncAndData(NULL, NULL, NULL, 0, u->nin, 1, PyUFunc_None, text, NULL, 0)
             : NULL;
    if (!made) {
        Py_DECREF(l);
        return -1;
    }
    ((PyUFuncObject *)made)->obj = (PyObject *)l;
    u->inner = made;
    u->loops = l; /* borrowed of `inner` */
    return 0;
}

/* Which loop has these dtypes; -1: none has, -2: one has that yields another. */
static int
find_loop(const Loops *l, const int *types)
{
    for (int i = 0; i < l->n; i++)
        if (!memcmp(l->of[i].types, types, sizeof(int) * (size_t)(l->n_ops - 1)))
            return l->of[i].types[l->n_ops - 1] == types[l->n_ops - 1] ? i : -2;
    return l->n == MOST_CHOICES ? -2 : -1;
}

static int
register_loop(UfuncCalls *u, const int *types, bool reorderable)
{
    PyArray_DTypeMeta *dtypes[MOST_OPS];
    PyArray_Descr *descr[MOST_OPS];
    int n = u->nin + 1;
    for (int k = 0; k < n; k++) {
        descr[k] = PyArray_DescrFromType(types[k]);
        dtypes[k] = NPY_DTYPE(descr[k]);
    }
    PyType_Slot slots[] = {{NPY_METH_strided_loop, (void *)(uintptr_t)strided_loop}, {0, NULL}};
    PyArrayMethod_Spec spec = {
        .name = "swathe",
        .nin = u->nin,
        .nout = 1,
        .casting = NPY_NO_CASTING,
        .flags = NPY_METH_NO_FLOATINGPOINT_ERRORS | (reorderable ? NPY_METH_IS_REORDERABLE : 0),
        .dtypes = dtypes,
        .slots = slots,
    };
    int r = PyUFunc_AddLoopFromSpec(u->inner, &spec);
    for (int k = 0; k < n; k++)
        Py_DECREF(descr[k]);
    return r;
}

/* The function of the only signature, where NumPy can call it with nobody's help. */
static SwFunction *
plain_function(Dispatcher *d)
{
    SwFunction *fn = d->n_by_sig == 1 ? d->by_sig[0]->fn : NULL;
    bool plain = fn && fn->entry && !fn->n_upcalls && !fn->instances && !fn->n_kernels &&
                 !d->opt.offload && !d->opt.debug && !d->outer.n && fn->ret_slots <= 4 &&
                 fn->arg_slots == 4 * fn->n_args;
    return plain ? fn : NULL;
}

static bool
set_function(Dispatcher **at, SwFunction **fn, PyObject *o, State *st)
{
    SwFunction *of = dispatcher_check(st, o) ? plain_function((Dispatcher *)o) : NULL;
    if (!of)
        return false;
    __atomic_add_fetch(&of->refs, 1, __ATOMIC_RELAXED);
    *at = (Dispatcher *)Py_NewRef(o);
    *fn = of;
    return true;
}

/* Has something outside the function that its loops depend on changed? */
static bool
loop_changed(const Loop *l)
{
    return deps_changed(&l->each->deps) || (l->fold && deps_changed(&l->fold->deps));
}

/* ---- learning -------------------------------------------------------------------------------- */

/* What an argument is, by its class and dtype. */
static int
code_of(PyObject *o)
{
    PyArray_Descr *d;
    if (PyArray_CheckExact(o))
        d = (PyArray_Descr *)Py_NewRef(PyArray_DESCR((PyArrayObject *)o));
    else if (PyFloat_CheckExact(o))
        return WEAK_FLOAT;
    else if (PyLong_CheckExact(o))
        return WEAK_INT;
    else if (PyObject_TypeCheck(o, &PyNumberArrType_Type) ||
             PyObject_TypeCheck(o, &PyBoolArrType_Type))
        d = PyArray_DescrFromScalar(o);
    else
        return NO_NUMBER;
    if (!d) {
        PyErr_Clear();
        return NO_NUMBER;
    }
    bool known = dtype_of_typenum(d->type_num) >= 0 && PyArray_ISNBO(d->byteorder);
    int code = known ? d->type_num : NO_NUMBER;
    Py_DECREF(d);
    return code;
}

/* _learn(args, types, make, reorderable): which loop calls with such arguments take; make() yields
 * functions, the loop and the one of `reduce` or None. Whether calls with them go to NumPy now. */
static PyObject *
calls_learn(PyObject *self, PyObject *args)
{
    UfuncCalls *u = (UfuncCalls *)self;
    PyObject *given, *dtypes, *make, *name;
    int reorderable, types[MOST_OPS];
    State *st = state_of(PyType_GetModuleByDef(Py_TYPE(self), &swathe_module));
    if (!PyArg_ParseTuple(args, "O!O!OUp", &PyTuple_Type, &given, &PyTuple_Type, &dtypes, &make,
                          &name, &reorderable))
        return NULL;
    int nin = (int)PyTuple_GET_SIZE(given);
    if (!has_numpy || nin == 0 || nin >= MOST_OPS || PyTuple_GET_SIZE(dtypes) != nin + 1)
        Py_RETURN_FALSE;
    Choice c = {.loop = -1};
    for (int k = 0; k <= nin; k++) {
        PyObject *d = PyTuple_GET_ITEM(dtypes, k);
        types[k] = PyArray_DescrCheck(d) ? ((PyArray_Descr *)d)->type_num : -1;
        int code = k < nin ? code_of(PyTuple_GET_ITEM(given, k)) : types[k];
        bool wide = types[k] == NPY_DOUBLE || types[k] == NPY_INT64;
        if (dtype_of_typenum(types[k]) < 0 || code == NO_NUMBER || (code == WEAK_INT && !wide) ||
            (code < WEAK_FLOAT && code != types[k]))
            Py_RETURN_FALSE;
        c.code[k] = (uint8_t)code;
    }
    u->nin = nin;
    for (int i = 0; i < u->n; i++)
        if (!memcmp(u->of[i].code, c.code, (size_t)nin))
            Py_RETURN_FALSE; /* and yet it could not be made so */
    if (u->n == MOST_CHOICES)
        Py_RETURN_FALSE;
    if (!u->inner && make_inner(u, name) < 0)
        return NULL;
    c.loop = find_loop(u->loops, types);
    bool stale = c.loop >= 0 && loop_changed(&u->loops->of[c.loop]);
    if (c.loop == -2)
        Py_RETURN_FALSE;
    if (c.loop < 0 || stale) {
        PyObject *made = PyObject_CallNoArgs(make);
        if (!made)
            return NULL;
        Loop l = {0};
        memcpy(l.types, types, sizeof types);
        bool ok = PyTuple_Check(made) && PyTuple_GET_SIZE(made) == 2 &&
                  set_function(&l.each, &l.each_fn, PyTuple_GET_ITEM(made, 0), st);
        if (ok && PyTuple_GET_ITEM(made, 1) != Py_None)
            ok = set_function(&l.fold, &l.fold_fn, PyTuple_GET_ITEM(made, 1), st);
        Py_DECREF(made);
        if (ok && !stale && (c.loop = find_loop(u->loops, types)) == -1) {
            if (register_loop(u, types, reorderable != 0) < 0) {
                loop_clear(&l);
                return NULL;
            }
            c.loop = u->loops->n++;
        }
        if (!ok || c.loop < 0) {
            loop_clear(&l);
            Py_RETURN_FALSE;
        }
        Loop old = u->loops->of[c.loop];
        u->loops->of[c.loop] = l;
        loop_clear(&old);
    }
    u->of[u->n++] = c;
    Py_RETURN_TRUE;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static const Choice *
find_choice(const UfuncCalls *u, PyObject *args)
{
    uint8_t code[MOST_OPS];
    for (int k = 0; k < u->nin; k++)
        code[k] = (uint8_t)code_of(PyTuple_GET_ITEM(args, k));
    for (int i = 0; i < u->n; i++)
        if (!memcmp(u->of[i].code, code, (size_t)u->nin))
            return &u->of[i];
    return NULL;
}

/* One number beside long arrays: the loop in Python's text knows that it is one, and keeps it in a
 * register. */
static bool
is_number_beside(PyObject *args)
{
    bool number = false, plain = true;
    npy_intp most = 0;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(args); k++) {
        PyArrayObject *a = (PyArrayObject *)PyTuple_GET_ITEM(args, k);
        if (!PyArray_Check(a) || PyArray_NDIM(a) == 0) {
            number = true;
            continue;
        }
        npy_intp size = PyArray_SIZE(a);
        most = size > most ? size : most;
        plain = plain && PyArray_IS_C_CONTIGUOUS(a);
    }
    return number && plain && most > LONG_ARRAYS;
}

/* Keywords of NumPy's that mean the same to a loop of known dtypes. */
static bool
takes_keywords(PyObject *kw)
{
    static const char *const known[] = {"out", "where", "casting", "order", "subok"};
    PyObject *name, *v;
    for (Py_ssize_t at = 0; kw && PyDict_Next(kw, &at, &name, &v);) {
        size_t k = 0;
        while (k < SW_LEN(known) && PyUnicode_CompareWithASCIIString(name, known[k]))
            k++;
        PyObject *o =
            k == 0 && PyTuple_Check(v) && PyTuple_GET_SIZE(v) == 1 ? PyTuple_GET_ITEM(v, 0) : v;
        if (k == SW_LEN(known) || (k == 0 && o != Py_None && !PyArray_CheckExact(o)) ||
            (k == 1 && o != Py_True && !PyArray_CheckExact(o)))
            return false;
    }
    return true;
}

/* Python's numbers as the dtypes of the loop; a new reference, NULL without an exception: one does
 * not fit. */
static PyObject *
with_dtypes(const Choice *c, const Loop *l, PyObject *args)
{
    Py_ssize_t n = PyTuple_GET_SIZE(args);
    PyObject *made = PyTuple_New(n);
    for (Py_ssize_t k = 0; made && k < n; k++) {
        PyObject *o = PyTuple_GET_ITEM(args, k);
        bool weak = k < MOST_OPS && c->code[k] >= WEAK_FLOAT && !PyArray_Check(o);
        int over = 0;
        int64_t v = weak && c->code[k] == WEAK_INT ? PyLong_AsLongLongAndOverflow(o, &over) : 0;
        if (over || v > 1LL << 53 || v < -(1LL << 53)) {
            Py_DECREF(made);
            return NULL;
        }
        PyObject *one = weak ? PyArray_FromAny(o, PyArray_DescrFromType(l->types[k]), 0, 0,
                                               NPY_ARRAY_FORCECAST, NULL)
                             : Py_NewRef(o);
        if (!one)
            Py_CLEAR(made);
        else
            PyTuple_SET_ITEM(made, k, one);
    }
    return made;
}

static PyObject *
call_slow(PyObject *self, PyObject *args, PyObject *kw)
{
    PyObject *m = PyObject_GetAttrString(self, "_call"), *r = NULL;
    if (m)
        r = PyObject_Call(m, args, kw);
    Py_XDECREF(m);
    return r;
}

/* While compiled code may run, without the GIL. */
static PyObject *
run_numpy(PyObject *f, PyObject *args, PyObject *kw)
{
    if (SW_UNLIKELY(!thread_info.stack_limit))
        thread_info_fill();
    if (thread_info.is_main)
        signal_watch();
    rt_running++;
    PyObject *r = PyObject_Call(f, args, kw);
    rt_running--;
    return r;
}

static PyObject *
calls_call(PyObject *self, PyObject *args, PyObject *kw)
{
    UfuncCalls *u = (UfuncCalls *)self;
    Py_ssize_t n = PyTuple_GET_SIZE(args);
    bool out = n == u->nin + 1 && PyArray_CheckExact(PyTuple_GET_ITEM(args, n - 1));
    const Choice *c = u->inner && (n == u->nin || out) && (!kw || takes_keywords(kw))
                          ? find_choice(u, args)
                          : NULL;
    if (!c || is_number_beside(args))
        return call_slow(self, args, kw);
    const Loop *l = &u->loops->of[c->loop];
    if (SW_UNLIKELY(loop_changed(l))) {
        u->n = 0;
        return call_slow(self, args, kw);
    }
    bool weak = false;
    for (int k = 0; k < u->nin; k++)
        weak = weak || c->code[k] >= WEAK_FLOAT;
    PyObject *given = weak ? with_dtypes(c, l, args) : Py_NewRef(args);
    if (!given)
        return PyErr_Occurred() ? NULL : call_slow(self, args, kw);
    PyObject *inner = Py_NewRef(u->inner), *r = run_numpy(inner, given, kw);
    Py_DECREF(inner);
    Py_DECREF(given);
    return r;
}

/* _inner(a): does NumPy's ufunc know a loop of two such elements that yields a third? */
static PyObject *
calls_inner(PyObject *self, PyObject *a)
{
    UfuncCalls *u = (UfuncCalls *)self;
    int code = code_of(a);
    if (u->nin != 2 || !u->inner || code >= WEAK_FLOAT)
        Py_RETURN_FALSE;
    int at = find_loop(u->loops, (int[]){code, code, code});
    if (at >= 0 && loop_changed(&u->loops->of[at]))
        u->n = 0;
    if (at < 0 || u->n == 0)
        Py_RETURN_FALSE;
    Py_RETURN_TRUE;
}

/* _by_numpy(method, args, keywords): a method of NumPy's ufunc, where `_inner` has said that there
 * is one. */
static PyObject *
calls_by_numpy(PyObject *self, PyObject *args)
{
    UfuncCalls *u = (UfuncCalls *)self;
    PyObject *name, *given, *kw;
    if (!PyArg_ParseTuple(args, "UO!O!", &name, &PyTuple_Type, &given, &PyDict_Type, &kw))
        return NULL;
    PyObject *m = u->inner ? PyObject_GetAttr(u->inner, name) : NULL;
    if (!m) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_RuntimeError, "there is no ufunc of NumPy's yet");
        return NULL;
    }
    PyObject *r = run_numpy(m, given, kw);
    Py_DECREF(m);
    return r;
}

/* _changed(dispatchers): does any of them depend on what has changed? */
static PyObject *
calls_changed(PyObject *self, PyObject *list)
{
    State *st = state_of(PyType_GetModuleByDef(Py_TYPE(self), &swathe_module));
    for (Py_ssize_t i = 0; PyList_Check(list) && i < PyList_GET_SIZE(list); i++) {
        PyObject *d = PyList_GET_ITEM(list, i);
        if (dispatcher_check(st, d) && deps_changed(&((Dispatcher *)d)->deps))
            Py_RETURN_TRUE;
    }
    Py_RETURN_FALSE;
}

static int
calls_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((UfuncCalls *)self)->inner);
    return 0;
}

static int
calls_clear(PyObject *self)
{
    UfuncCalls *u = (UfuncCalls *)self;
    u->n = 0;
    u->loops = NULL;
    Py_CLEAR(u->inner);
    return 0;
}

static void
calls_dealloc(PyObject *self)
{
    PyTypeObject *t = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    calls_clear(self);
    t->tp_free(self);
    Py_DECREF(t);
}

static PyMethodDef calls_methods[] = {
    {"_learn", calls_learn, METH_VARARGS, "_learn(args, dtypes, make, name, reorderable)"},
    {"_inner", calls_inner, METH_O, "does NumPy's ufunc join arrays of such a dtype?"},
    {"_by_numpy", calls_by_numpy, METH_VARARGS, "_by_numpy(method, args, keywords)"},
    {"_changed", calls_changed, METH_O, "does a dispatcher of a list depend on what has changed?"},
    {0},
};
static PyType_Slot calls_slots[] = {
    {Py_tp_call, calls_call},       {Py_tp_traverse, calls_traverse}, {Py_tp_clear, calls_clear},
    {Py_tp_dealloc, calls_dealloc}, {Py_tp_methods, calls_methods},   {0, NULL},
};
PyType_Spec ufunc_calls_spec = {
    .name = "swathe._core.UfuncCalls",
    .basicsize = sizeof(UfuncCalls),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = calls_slots,
};

int
ufunc_begin(PyObject *module)
{
    loops_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &loops_spec, NULL);
    if (!loops_type)
        return -1;
    has_numpy = PyArray_GetNDArrayCFeatureVersion() >= NPY_2_0_API_VERSION && _import_umath() == 0;
    PyErr_Clear();
    return 0;
}
