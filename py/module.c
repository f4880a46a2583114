/* SPDX-License-Identifier: BSD-3-Clause
 * The module swathe._core: its state and its making. The state holds the types, interned
 * attribute names, and a table from CPython's _ast classes to small numbers,
 * open-addressed by address. */
#define SWATHE_IMPORTS_NUMPY
#include "device.h"
#include "source.h"

#define NO_IMPORT_UFUNC
#include <numpy/ufuncobject.h>

static int
add_ast_class(State *st, PyObject *ast, PyAst k, const char *name)
{
    PyObject *c = PyObject_GetAttrString(ast, name);
    if (!c) { /* of a newer Python */
        PyErr_Clear();
        return 0;
    }
    st->ast_type[k] = (PyTypeObject *)c;
    unsigned at = (unsigned)((uintptr_t)c >> 5) & 255;
    while (st->ast_hash[at])
        at = (at + 1) & 255;
    st->ast_hash[at] = (PyTypeObject *)c;
    st->ast_hash_kind[at] = (uint8_t)k;
    return 0;
}

static int
init_ast(State *st)
{
    PyObject *ast = PyImport_ImportModule("_ast");
    int r = ast ? 0 : -1;
#define X(n)                                                                                       \
    if (r == 0)                                                                                    \
        r = add_ast_class(st, ast, A_##n, #n);
    AST_CLASSES(X)
#undef X
    Py_XDECREF(ast);
    return r;
}

static int
init_names(State *st)
{
#define X(n)                                                                                       \
    if (!(st->s_##n = PyUnicode_InternFromString(#n)))                                             \
        return -1;
    ATTR_NAMES(X)
#undef X
    return 0;
}

static PyTypeObject *
add_type(PyObject *module, PyType_Spec *spec, const char *name)
{
    PyObject *t = PyType_FromModuleAndSpec(module, spec, NULL);
    if (t && PyModule_AddObjectRef(module, name, t) < 0)
        Py_CLEAR(t);
    return (PyTypeObject *)t;
}

/* NumPy's sorts of numbers look at nothing but them: they need neither the array nor the GIL. */
static void
lend_sorts(void)
{
    for (int d = 0; d < DT_COUNT; d++) {
        PyArray_Descr *of = PyArray_DescrFromType(typenum_of_dtype((DType)d));
        if (!of) {
            PyErr_Clear();
            continue;
        }
        rt_lend_sort((DType)d, PyDataType_GetArrFuncs(of)->sort[NPY_QUICKSORT]);
        Py_DECREF(of);
    }
}

static void
lend_fft(PyObject *module, int which)
{
    static const struct {
        const char *name;
        char from, to;
    } loop[] = {{"fft", NPY_CDOUBLE, NPY_CDOUBLE},
                {"ifft", NPY_CDOUBLE, NPY_CDOUBLE},
                {"rfft_n_even", NPY_DOUBLE, NPY_CDOUBLE},
                {"rfft_n_odd", NPY_DOUBLE, NPY_CDOUBLE},
                {"irfft", NPY_CDOUBLE, NPY_DOUBLE}};
    PyUFuncObject *u = (PyUFuncObject *)PyObject_GetAttrString(module, loop[which].name);
    bool fits =
        u && !strcmp(Py_TYPE(u)->tp_name, "numpy.ufunc") && u->nin == 2 && u->nout == 1 &&
        u->core_signature &&
        (!strcmp(u->core_signature, "(n),()->(m)") || !strcmp(u->core_signature, "(m),()->(n)"));
    for (int k = 0; fits && k < u->ntypes; k++)
        if (u->types[3 * k] == loop[which].from && u->types[3 * k + 1] == NPY_DOUBLE &&
            u->types[3 * k + 2] == loop[which].to)
            rt_lend_fft(which, u->functions[k], u->data ? u->data[k] : NULL);
    if (!u)
        PyErr_Clear();
    Py_XDECREF(u);
}

/* NumPy's transforms (2.0 and later), which need no more than sorts do. Not looked for before
 * somebody names one. */
void
module_lend_ffts(void)
{
    static bool done;
    PyObject *m = done ? NULL : late_import("numpy.fft._pocketfft_umath");
    done = true;
    if (m) {
        for (int which = 0; which < RT_FFT_LOOPS; which++)
            lend_fft(m, which);
    }
    PyErr_Clear();
    Py_XDECREF(m);
}

static int
module_exec(PyObject *module)
{
    State *st = state_of(module);
    rt_lend_text(text_asked);
    if (_import_array() < 0)
        return -1;
    lend_sorts();
    callback_begin();
    upcall_begin();
    if (exit_init() || init_names(st) < 0 || init_ast(st) < 0 || signal_init(st) < 0)
        return -1;
    if (PyModule_AddFunctions(module, device_methods) < 0 || node_begin(module) < 0)
        return -1;
    st->dispatcher_type = add_type(module, &dispatcher_spec, "Dispatcher");
    st->memory_type = add_type(module, &memory_spec, "Memory");
    st->launch_type = add_type(module, &launch_spec, "Launch");
    st->instance_type = add_type(module, &instance_spec, "Instance");
    PyTypeObject *field = add_type(module, &field_spec, "Field");
    Py_XDECREF(field);
    if (!st->instance_type || !field || instance_begin(st->instance_type) < 0)
        return -1;
    PyTypeObject *typed = add_type(module, &typed_spec, "Typed");
    Py_XDECREF(typed);
    if (!typed || typed_begin(typed) < 0)
        return -1;
    PyTypeObject *shared = add_type(module, &shared_spec, "Shared");
    Py_XDECREF(shared);
    if (!st->dispatcher_type || !st->memory_type || !st->launch_type || !shared)
        return -1;
    PyTypeObject *calls =
        ufunc_begin(module) == 0 ? add_type(module, &ufunc_calls_spec, "UfuncCalls") : NULL;
    Py_XDECREF(calls);
    if (!calls)
        return -1;
    /* NumPy has loaded it. An import that a fork cuts short would hang the child. */
    if (!(st->linecache = PyImport_ImportModule("linecache")))
        return -1;
    st->began = source_begin();
    unfiled_begin();
    return PyModule_AddStringConstant(module, "version", SWATHE_VERSION);
}

static int
module_traverse(PyObject *module, visitproc visit, void *arg)
{
    State *st = state_of(module);
    Py_VISIT(st->dispatcher_type);
    Py_VISIT(st->memory_type);
    Py_VISIT(st->launch_type);
    Py_VISIT(st->instance_type);
    for (int i = 0; i < A_COUNT; i++)
        Py_VISIT(st->ast_type[i]);
    Py_VISIT(st->numpy);
    Py_VISIT(st->linecache);
    Py_VISIT(st->errors);
    Py_VISIT(st->lib);
    Py_VISIT(st->stdlib);
    return 0;
}

static int
module_clear(PyObject *module)
{
    State *st = state_of(module);
    Py_CLEAR(st->dispatcher_type);
    Py_CLEAR(st->memory_type);
    Py_CLEAR(st->launch_type);
    Py_CLEAR(st->instance_type);
    for (int i = 0; i < A_COUNT; i++)
        Py_CLEAR(st->ast_type[i]);
    memset(st->ast_hash, 0, sizeof st->ast_hash);
    Py_CLEAR(st->numpy);
    Py_CLEAR(st->linecache);
    Py_CLEAR(st->errors);
    Py_CLEAR(st->lib);
    Py_CLEAR(st->stdlib);
#define X(n) Py_CLEAR(st->s_##n);
    ATTR_NAMES(X)
#undef X
    return 0;
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL},
};
struct PyModuleDef swathe_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "swathe._core",
    .m_doc = "The compiler behind swathe.",
    .m_size = sizeof(State),
    .m_methods = module_methods,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
};

PyMODINIT_FUNC
PyInit__core(void)
{
    return PyModuleDef_Init(&swathe_module);
}
