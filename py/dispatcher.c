/* SPDX-License-Identifier: BSD-3-Clause
 * swathe.Dispatcher, what @jit makes of a function. Keywords and defaults are
 * bound by a small Python function with the same parameters, so that every error about
 * arguments is CPython's own; call.c does the rest. */
#include "py.h"
#include <structmember.h>

/* ---- binding --------------------------------------------------------------------------------- */

static void
add_list(StrBuf *b, const char *s)
{
    sb_addf(b, "%s%s", b->n && b->s[b->n - 1] != '(' ? ", " : "", s);
}

/* "def f(a, /, b, *c, d): return (a, b, c, d,)" with the function's own parameters. */
static bool
binder_source(PyObject *func, PyObject *names, StrBuf *def, StrBuf *ret)
{
    PyCodeObject *c = (PyCodeObject *)PyFunction_GET_CODE(func);
    int n_pos = c->co_argcount, n_kw = c->co_kwonlyargcount;
    const char *s;
    sb_add(def, "def f(");
    sb_add(ret, "return (");
    for (int i = 0; i < n_pos; i++) {
        if (!(s = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i))))
            return false;
        add_list(def, s);
        add_list(ret, s);
        if (i + 1 == c->co_posonlyargcount)
            add_list(def, "/");
    }
    if (c->co_flags & CO_VARARGS) {
        if (!(s = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, n_pos + n_kw))))
            return false;
        add_list(def, "*");
        sb_add(def, s);
        add_list(ret, s);
    } else if (n_kw) {
        add_list(def, "*");
    }
    for (int i = n_pos; i < n_pos + n_kw; i++) {
        if (!(s = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i))))
            return false;
        add_list(def, s);
        add_list(ret, s);
    }
    if (c->co_flags & CO_VARKEYWORDS) {
        int at = n_pos + n_kw + ((c->co_flags & CO_VARARGS) != 0);
        if (!(s = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, at))))
            return false;
        add_list(def, "**");
        sb_add(def, s);
        add_list(ret, s);
    }
    return true;
}

static int
take_defaults(PyObject *f, PyObject *from)
{
    PyObject *defaults = PyFunction_GET_DEFAULTS(from), *kw = PyFunction_GET_KW_DEFAULTS(from);
    if (PyFunction_GET_DEFAULTS(f) != defaults &&
        PyFunction_SetDefaults(f, defaults ? defaults : Py_None) < 0)
        return -1;
    if (PyFunction_GET_KW_DEFAULTS(f) != kw && PyFunction_SetKwDefaults(f, kw ? kw : Py_None) < 0)
        return -1;
    return 0;
}

static PyObject *
make_binder(Dispatcher *d)
{
    StrBuf def = {0}, ret = {0};
    PyObject *names = PyObject_GetAttr(PyFunction_GET_CODE(d->func), d->st->s_co_varnames);
    PyObject *ns = PyDict_New(), *f = NULL, *r = NULL;
    if (names && ns && binder_source(d->func, names, &def, &ret)) {
        sb_addf(&def, "): %s,)\n", ret.s);
        if (d->n_params == 0) {
            def.n = 0;
            sb_add(&def, "def f(): return ()\n");
        }
        r = PyRun_String(def.s, Py_file_input, ns, ns);
        f = r ? Py_XNewRef(PyDict_GetItemString(ns, "f")) : NULL;
    }
    if (f && (take_defaults(f, d->func) < 0 ||
              PyObject_SetAttr(f, d->st->s___qualname__,
                               ((PyFunctionObject *)d->func)->func_qualname) < 0))
        Py_CLEAR(f);
    sb_free(&def);
    sb_free(&ret);
    Py_XDECREF(names);
    Py_XDECREF(ns);
    Py_XDECREF(r);
    return f;
}

/* With the defaults that the function has now. */
static PyObject *
binder_of(Dispatcher *d)
{
    if (!d->binder)
        return d->binder = make_binder(d);
    return take_defaults(d->binder, d->func) < 0 ? NULL : d->binder;
}

static int renew(Dispatcher *d);
static PyObject *dispatcher_recompile(PyObject *o, PyObject *unused);

static inline bool
has_other_code(const Dispatcher *d)
{
    return SW_UNLIKELY(PyFunction_GET_CODE(d->func) != d->code);
}

static PyObject *
call_bound(Dispatcher *d, PyObject *const *args, size_t nargsf, PyObject *kwnames, PyObject *sched,
           const int64_t *geo)
{
    if (!binder_of(d))
        return NULL;
    PyObject *bound = PyObject_Vectorcall(d->binder, args, nargsf, kwnames);
    if (!bound)
        return NULL;
    PyObject *r = call_values(d, &PyTuple_GET_ITEM(bound, 0), PyTuple_GET_SIZE(bound), sched, geo);
    Py_DECREF(bound);
    return r;
}

PyObject *
dispatcher_bind(Dispatcher *d, PyObject *args)
{
    if ((has_other_code(d) && renew(d) < 0) || !binder_of(d))
        return NULL;
    return PyObject_Call(d->binder, args, NULL);
}

/* The same of a call's arguments with names; a new tuple. */
PyObject *
dispatcher_bind_names(Dispatcher *d, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    if ((has_other_code(d) && renew(d) < 0) || !binder_of(d))
        return NULL;
    return PyObject_Vectorcall(d->binder, args, nargsf, kwnames);
}

/* What a module of the package makes of a call. */
static PyObject *
begin_in(const char *module, PyObject *self, PyObject *const *args, size_t nargsf,
         PyObject *kwnames)
{
    PyObject *bound = dispatcher_bind_names((Dispatcher *)self, args, nargsf, kwnames);
    PyObject *m = bound ? late_import(module) : NULL;
    PyObject *r = m ? PyObject_CallMethod(m, "begin", "OO", self, bound) : NULL;
    Py_XDECREF(m);
    Py_XDECREF(bound);
    return r;
}

/* The call without its `opts`, keyword number k. */
static PyObject *
call_scheduled(Dispatcher *d, PyObject *const *args, size_t nargsf, PyObject *kwnames, Py_ssize_t k)
{
    Py_ssize_t n = PyVectorcall_NARGS(nargsf), n_kw = PyTuple_GET_SIZE(kwnames);
    PyObject *opts = args[n + k], *r = NULL;
    PyObject *sched = opts == Py_None ? NULL : sched_intern(d, opts);
    if (!sched && opts != Py_None)
        return NULL;
    if (n_kw == 1 && n == d->n_params && d->simple)
        return call_values(d, args, n, sched, NULL);
    PyObject **rest = PyMem_Malloc(sizeof *rest * (size_t)(n + n_kw));
    PyObject *names = PyTuple_New(n_kw - 1);
    if (rest && names) {
        memcpy(rest, args, sizeof *rest * (size_t)(n + k));
        memcpy(rest + n + k, args + n + k + 1, sizeof *rest * (size_t)(n_kw - k - 1));
        for (Py_ssize_t i = 0; i < n_kw - 1; i++)
            PyTuple_SET_ITEM(names, i, Py_NewRef(PyTuple_GET_ITEM(kwnames, i + (i >= k))));
        r = call_bound(d, rest, (size_t)n, n_kw > 1 ? names : NULL, sched, NULL);
    } else {
        PyErr_NoMemory();
    }
    Py_XDECREF(names);
    PyMem_Free(rest);
    return r;
}

static PyObject *
call_here(Dispatcher *d, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    if (SW_LIKELY(kwnames == NULL && n == d->n_params && d->simple))
        return call_values(d, args, n, NULL, NULL);
    Py_ssize_t k = kwnames && !d->own_opts ? sched_find(d->st, kwnames) : -1;
    if (k < 0)
        return call_bound(d, args, nargsf, kwnames, NULL, NULL);
    PyObject *queue = d->opt.offload ? NULL : offload_asked(args[n + k]);
    if (!queue)
        return PyErr_Occurred() ? NULL : call_scheduled(d, args, nargsf, kwnames, k);
    PyObject *r = offload_dispatch((PyObject *)d, args, nargsf, kwnames, queue);
    Py_DECREF(queue);
    return r;
}

static PyObject *dispatcher_call(PyObject *self, PyObject *const *args, size_t nargsf,
                                 PyObject *kwnames);

/* Python gets an object for each function that a compiled function returns: swathe._returned. */
static PyObject *
call_maker(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    if (has_other_code((Dispatcher *)self))
        return dispatcher_call(self, args, nargsf, kwnames);
    return begin_in("swathe._returned", self, args, nargsf, kwnames);
}

static PyObject *
dispatcher_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    Dispatcher *d = (Dispatcher *)self;
    if (has_other_code(d))
        return renew(d) < 0 ? NULL : d->call(self, args, nargsf, kwnames);
    if (SW_UNLIKELY(kernel_contexts_entered) && !d->opt.offload) {
        PyObject *r = offload_dispatch(self, args, nargsf, kwnames, NULL);
        if (r != Py_NotImplemented)
            return r;
        Py_DECREF(r);
    }
    PyObject *r = call_here(d, args, nargsf, kwnames);
    if (SW_LIKELY(r != NULL) || d->opt.offload || !PyErr_ExceptionMatches(PyExc_TypeError))
        return r;
    if (error_returns_function(d->st)) {
        PyErr_Clear();
        d->call = call_maker;
        return call_maker(self, args, nargsf, kwnames);
    }
    if (!offload_has_array(args, nargsf, kwnames))
        return r;
    PyErr_Clear(); /* arrays of a device: the call goes to where they are */
    r = offload_dispatch(self, args, nargsf, kwnames, Py_None);
    return r;
}

PyObject *
dispatcher_launch(Dispatcher *d, PyObject *const *args, size_t nargsf, PyObject *kwnames,
                  const int64_t *geo)
{
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    if (has_other_code(d) && renew(d) < 0)
        return NULL;
    if (SW_LIKELY(kwnames == NULL && n == d->n_params && d->simple))
        return call_values(d, args, n, NULL, geo);
    return call_bound(d, args, nargsf, kwnames, NULL, geo);
}

/* A kernel runs as many threads, and must be told how many. */
static PyObject *
call_kernel(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    (void)args;
    (void)nargsf;
    (void)kwnames;
    PyObject *name = ((PyFunctionObject *)((Dispatcher *)self)->func)->func_name;
    PyErr_Format(PyExc_TypeError,
                 "%U is a kernel: launch it as %U[blocks, threads](...), or %U.forall(n)(...)",
                 name, name, name);
    return NULL;
}

/* Python gets an object that goes on as it is asked: swathe._yielding. */
static PyObject *
call_generator(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    if (has_other_code((Dispatcher *)self))
        return dispatcher_call(self, args, nargsf, kwnames);
    return begin_in("swathe._yielding", self, args, nargsf, kwnames);
}

/* ---- life ------------------------------------------------------------------------------------ */

bool
dispatcher_check(State *st, PyObject *o)
{
    return Py_IS_TYPE(o, st->dispatcher_type);
}

static int
copy_attribute(PyObject *dict, PyObject *func, PyObject *name)
{
    PyObject *v = PyObject_GetAttr(func, name);
    int r = v ? PyDict_SetItem(dict, name, v) : (PyErr_Clear(), 0);
    Py_XDECREF(v);
    return r;
}

/* What functools.update_wrapper would do. */
static PyObject *
wrapper_dict(State *st, PyObject *func)
{
    PyObject *names[] = {st->s___name__, st->s___qualname__, st->s___module__, st->s___doc__};
    PyObject *dict = PyDict_New();
    PyObject *own = dict ? PyObject_GetAttr(func, st->s___dict__) : NULL;
    int r = own ? PyDict_Update(dict, own) : -1;
    for (int i = 0; r == 0 && i < SW_LEN(names); i++)
        r = copy_attribute(dict, func, names[i]);
    if (r == 0)
        r = PyDict_SetItem(dict, st->s___wrapped__, func);
    Py_XDECREF(own);
    if (r < 0)
        Py_CLEAR(dict);
    return dict;
}

static bool
has_own_opts(const Dispatcher *d)
{
    PyObject *names = PyObject_GetAttr(PyFunction_GET_CODE(d->func), d->st->s_co_varnames);
    bool own = false;
    for (Py_ssize_t i = 0; names && i < d->n_params && i < PyTuple_GET_SIZE(names); i++)
        own |= PyUnicode_Compare(PyTuple_GET_ITEM(names, i), d->st->s_opts) == 0;
    PyErr_Clear();
    Py_XDECREF(names);
    return own;
}

/* What the function's code says of its parameters, which may be another by then. */
static void
take_code(Dispatcher *d)
{
    PyCodeObject *c = (PyCodeObject *)PyFunction_GET_CODE(d->func);
    Py_XSETREF(d->code, Py_NewRef((PyObject *)c));
    d->call = d->opt.kernel                ? call_kernel
              : c->co_flags & CO_GENERATOR ? call_generator
                                           : dispatcher_call;
    d->simple = !(c->co_flags & (CO_VARARGS | CO_VARKEYWORDS)) && c->co_kwonlyargcount == 0;
    d->n_params = c->co_argcount + c->co_kwonlyargcount + ((c->co_flags & CO_VARARGS) != 0) +
                  ((c->co_flags & CO_VARKEYWORDS) != 0);
    d->own_opts = has_own_opts(d);
    Py_CLEAR(d->binder);
}

/* `f.__code__ = g.__code__`: the parameters may be others, and what is compiled is for those. */
static int
renew(Dispatcher *d)
{
    take_code(d);
    PyObject *r = dispatcher_recompile((PyObject *)d, NULL);
    Py_XDECREF(r);
    return r ? 0 : -1;
}

Dispatcher *
dispatcher_new(State *st, PyObject *func, const SwOptions *opt, bool cache)
{
    PyObject *dict = wrapper_dict(st, func);
    Dispatcher *d = dict ? PyObject_GC_New(Dispatcher, st->dispatcher_type) : NULL;
    if (!d) {
        Py_XDECREF(dict);
        return NULL;
    }
    memset((char *)d + offsetof(Dispatcher, call), 0, sizeof *d - offsetof(Dispatcher, call));
    d->st = st;
    d->func = Py_NewRef(func);
    d->dict = dict;
    d->opt = *opt;
    d->use_cache = cache;
    take_code(d);
    PyObject_GC_Track(d);
    return d;
}

static int
dispatcher_traverse(PyObject *o, visitproc visit, void *arg)
{
    Dispatcher *d = (Dispatcher *)o;
    Py_VISIT(Py_TYPE(o));
    Py_VISIT(d->func);
    Py_VISIT(d->code);
    Py_VISIT(d->dict);
    Py_VISIT(d->binder);
    Py_VISIT(d->sigs);
    Py_VISIT(d->ir);
    Py_VISIT(d->sched);
    Py_VISIT(d->scheds);
    Py_VISIT(d->tuple_classes);
    for (int i = 0; i < d->n_by_sig; i++)
        Py_VISIT(d->by_sig[i]->keep);
    for (int i = 0; i < SW_LEN(d->specs.bucket); i++)
        for (Spec *s = d->specs.bucket[i]; s; s = s->next)
            Py_VISIT(s->keep);
    int r = past_visit(d, visit, arg);
    r = r ? r : outer_visit(&d->outer, visit, arg);
    return r ? r : deps_visit(&d->deps, visit, arg);
}

static int
dispatcher_clear(PyObject *o)
{
    Dispatcher *d = (Dispatcher *)o;
    spec_drop_all(d);
    past_clear(d);
    Py_CLEAR(d->dict);
    Py_CLEAR(d->binder);
    return 0;
}

static void
dispatcher_dealloc(PyObject *o)
{
    Dispatcher *d = (Dispatcher *)o;
    PyTypeObject *t = Py_TYPE(o);
    PyObject_GC_UnTrack(o);
    if (d->weakrefs)
        PyObject_ClearWeakRefs(o);
    dispatcher_clear(o);
    Py_CLEAR(d->sigs);
    Py_CLEAR(d->ir);
    Py_CLEAR(d->sched);
    Py_CLEAR(d->scheds);
    Py_CLEAR(d->func);
    Py_CLEAR(d->code);
    PyObject_GC_Del(o);
    Py_DECREF(t);
}

/* As a method: bound like any function. */
static PyObject *
dispatcher_get(PyObject *self, PyObject *obj, PyObject *type)
{
    (void)type;
    return obj && obj != Py_None ? PyMethod_New(self, obj) : Py_NewRef(self);
}

static PyObject *
dispatcher_repr(PyObject *o)
{
    Dispatcher *d = (Dispatcher *)o;
    return PyUnicode_FromFormat("<swathe.Dispatcher of %R>", d->func);
}

static PyObject *
dispatcher_recompile(PyObject *o, PyObject *unused)
{
    Dispatcher *d = (Dispatcher *)o;
    (void)unused;
    spec_drop_all(d);
    past_clear(d);
    if (d->sigs) {
        if (lock_acquire(d) < 0)
            return NULL;
        int r = 0;
        for (Py_ssize_t i = 0; r == 0 && i < PyList_GET_SIZE(d->sigs); i++)
            r = spec_add_signature(d, PyList_GET_ITEM(d->sigs, i));
        lock_release(d);
        if (r < 0)
            return NULL;
    }
    Py_RETURN_NONE;
}

/* See swathe/_by_value.py. */
static PyObject *
dispatcher_reduce(PyObject *o, PyObject *unused)
{
    (void)unused;
    PyObject *r = late_call("swathe._by_value", "reduce", o);
    return r;
}

/* Copies of a function are the function. */
static PyObject *
dispatcher_copy(PyObject *o, PyObject *unused)
{
    (void)unused;
    return Py_NewRef(o);
}

/* One that sees its globals as they were is made of another, which sees them as they are. */
static PyObject *
dispatcher_py_func(PyObject *o, void *unused)
{
    PyObject *func = ((Dispatcher *)o)->func;
    PyObject *dict = ((PyFunctionObject *)func)->func_dict;
    PyObject *live = dict ? PyDict_GetItemString(dict, "_swathe_live") : NULL;
    (void)unused;
    return Py_NewRef(live ? live : func);
}

static PyMethodDef dispatcher_methods[] = {
    {"forall", (PyCFunction)(void (*)(void))kernel_forall, METH_FASTCALL | METH_KEYWORDS,
     "forall(n, tpb=0, queue=None, sharedmem=0)\n--\n\nA launch with one thread for each of n "
     "tasks."},
    {"recompile", dispatcher_recompile, METH_NOARGS,
     "Forget every specialisation; the source is read anew at the next call."},
    {"explain", (PyCFunction)(void (*)(void))inspect_explain, METH_VARARGS | METH_KEYWORDS,
     "explain(signature=None, *, format='text', html=None)\n--\n\nShow, over the source, what "
     "the compiler did and did not do: see swathe.explain."},
    {"parallel_diagnostics", (PyCFunction)(void (*)(void))inspect_parallel,
     METH_VARARGS | METH_KEYWORDS,
     "parallel_diagnostics(signature=None, level=1)\n--\n\nPrint what became of the loops; with "
     "a higher level (up to 4), more of it."},
    {"_remarks", inspect_remarks, METH_NOARGS, NULL},
    {"inspect_types", inspect_types, METH_VARARGS,
     "inspect_types(signature=None)\n--\n\nThe types of all variables and expressions."},
    {"inspect_ir", inspect_ir, METH_VARARGS,
     "inspect_ir(signature=None)\n--\n\nThe loop IR after all passes."},
    {"inspect_llvm", inspect_llvm, METH_VARARGS,
     "inspect_llvm(signature=None)\n--\n\nThe optimised LLVM IR."},
    {"inspect_asm", inspect_asm, METH_VARARGS,
     "inspect_asm(signature=None)\n--\n\nThe machine code, as assembly."},
    {"__reduce__", dispatcher_reduce, METH_NOARGS, NULL},
    {"__copy__", dispatcher_copy, METH_NOARGS, NULL},
    {"__deepcopy__", dispatcher_copy, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

/* An attribute of the Python function, by its name. */
static PyObject *
function_get(PyObject *o, void *name)
{
    return PyObject_GetAttrString(((Dispatcher *)o)->func, name);
}

static int
function_set(PyObject *o, PyObject *v, void *name)
{
    return v ? PyObject_SetAttrString(((Dispatcher *)o)->func, name, v)
             : PyObject_DelAttrString(((Dispatcher *)o)->func, name);
}

#define OF_FUNCTION(name, what)                                                                    \
    {                                                                                              \
        name, function_get, function_set, what, name                                               \
    }
static PyGetSetDef dispatcher_getset[] = {
    OF_FUNCTION("__annotations__", "those of the Python function"),
    OF_FUNCTION("__defaults__", "those of the Python function"),
    OF_FUNCTION("__kwdefaults__", "those of the Python function"),
    {"py_func", dispatcher_py_func, NULL, "the Python function", NULL},
    {"signatures", inspect_signatures, NULL, "signatures compiled so far, as text", NULL},
    {"nopython_signatures", inspect_signatures, NULL, "the same as signatures", NULL},
    {"overloads", inspect_overloads, NULL, "dict: signature to facts about its code", NULL},
    {"stats", inspect_stats, NULL, "counts of compiles and of cache hits", NULL},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef dispatcher_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Dispatcher, call), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(Dispatcher, dict), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Dispatcher, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot dispatcher_slots[] = {
    {Py_tp_dealloc, dispatcher_dealloc},
    {Py_tp_traverse, dispatcher_traverse},
    {Py_tp_clear, dispatcher_clear},
    {Py_tp_call, PyVectorcall_Call},
    {Py_mp_subscript, kernel_subscript},
    {Py_tp_descr_get, dispatcher_get},
    {Py_tp_repr, dispatcher_repr},
    {Py_tp_methods, dispatcher_methods},
    {Py_tp_getset, dispatcher_getset},
    {Py_tp_members, dispatcher_members},
    {Py_tp_doc, "A Python function that is compiled when it is called; made by swathe.jit."},
    {0, NULL},
};
PyType_Spec dispatcher_spec = {
    .name = "swathe._core.Dispatcher",
    .basicsize = sizeof(Dispatcher),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
             Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = dispatcher_slots,
};
