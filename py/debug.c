/* SPDX-License-Identifier: BSD-3-Clause
 * What the tests ask the compiler's tables directly: promotion, casts, and the loops of
 * ufuncs, over every combination of dtypes, in less time than compiling one function. A
 * Python scalar is spelled as its type, "int"; a dtype by its NumPy name. */
#include "py.h"

static int
operand(const char *text, DType *d, bool *weak)
{
    static const struct {
        const char *name;
        DType d;
    } python[] = {{"int", DT_i64}, {"float", DT_f64}, {"complex", DT_c128}, {"pybool", DT_bool}};

    for (int k = 0; k < SW_LEN(python); k++)
        if (!strcmp(python[k].name, text)) {
            *d = python[k].d;
            *weak = true;
            return 0;
        }
    *weak = false;
    if (dtype_from_name(text, d))
        return 0;
    PyErr_Format(PyExc_ValueError, "no dtype '%s'", text);
    return -1;
}

/* _promote(a, b) -> (result_type(a, b), can_cast safely a to b, can_cast same_kind) */
PyObject *
debug_promote(PyObject *self, PyObject *args)
{
    const char *text[2];
    DType d[2];
    bool weak[2];
    (void)self;
    if (!PyArg_ParseTuple(args, "ss", &text[0], &text[1]))
        return NULL;
    for (int k = 0; k < 2; k++)
        if (operand(text[k], &d[k], &weak[k]) < 0)
            return NULL;
    return Py_BuildValue("sNN", dtype_info[dtype_promote_mixed(2, d, weak)].name,
                         PyBool_FromLong(dtype_can_cast_safely(d[0], d[1])),
                         PyBool_FromLong(dtype_can_cast_same_kind(d[0], d[1])));
}

/* _ufunc_types(name, operands...) -> the dtypes of the results, None when there is no
 * loop */
PyObject *
debug_ufunc_types(PyObject *self, PyObject *args)
{
    const char *text[3] = {NULL, NULL, NULL};
    DType d[2], in[4], out[2];
    bool weak[2];
    (void)self;
    if (!PyArg_ParseTuple(args, "ss|s", &text[0], &text[1], &text[2]))
        return NULL;
    const Builtin *fn = builtin_find("numpy", text[0]);
    int n = 1 + (text[2] != NULL);
    if (!fn || fn->family != BF_UFUNC || fn->nin != n)
        return PyErr_Format(PyExc_ValueError, "no ufunc %s of %d operands", text[0], n);
    for (int k = 0; k < n; k++)
        if (operand(text[k + 1], &d[k], &weak[k]) < 0)
            return NULL;
    if (!ufunc_loop(fn, n, d, weak, in, out))
        Py_RETURN_NONE;
    if (fn->nout == 1)
        return Py_BuildValue("(s)", dtype_info[out[0]].name);
    return Py_BuildValue("(ss)", dtype_info[out[0]].name, dtype_info[out[1]].name);
}

/* _ufuncs() -> {name: number of operands} */
PyObject *
debug_ufuncs(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    PyObject *all = PyDict_New();
    for (int k = 0; all && k < builtin_count; k++) {
        const Builtin *f = &builtin_table[k];
        if (f->family != BF_UFUNC || f->id != k)
            continue;
        PyObject *n = PyLong_FromLong(f->nin);
        if (!n || PyDict_SetItemString(all, f->name, n) < 0)
            Py_CLEAR(all);
        Py_XDECREF(n);
    }
    return all;
}
