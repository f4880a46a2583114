/* SPDX-License-Identifier: BSD-3-Clause
 * Attributes of modules as constants: where the module is named (resolve.c), and, once types are
 * known, where a variable or an argument holds it (sema asks). */
#include "py.h"

/* Modules whose contents nobody rebinds: no dependency on each name. */
bool
in_is_fixed_module(const char *name)
{
    return !strcmp(name, "math") || !strcmp(name, "cmath") || !strcmp(name, "numpy") ||
           !strncmp(name, "numpy.", 6) || !strcmp(name, "swathe") ||
           !strcmp(name, "swathe._kernels") || !strcmp(name, "swathe.gpu") ||
           !strncmp(name, "swathe.gpu.", 11);
}

/* module.attr as a constant; NULL where there is no such attribute, which sema reports. */
const Const *
in_module_attr(In *in, const Const *module, Sym attr)
{
    const char *name = module->str;
    const Builtin *b = NULL;
    if (!strcmp(name, "math") || !strcmp(name, "cmath"))
        b = builtin_find(name, attr);
    else if (!strcmp(name, "numpy"))
        b = builtin_find("numpy", attr);
    else if (!strncmp(name, "numpy.", 6))
        b = builtin_find("numpy", arena_printf(&in->cx->arena, "%s.%s", name + 6, attr));
    else if (!strcmp(name, "swathe._kernels"))
        b = builtin_find("kernels", attr);
    PyObject *m = (PyObject *)module->ref, *key = PyUnicode_FromString(attr);
    if (!key)
        in->failed = true;
    PyObject *v = key ? PyObject_GetAttr(m, key) : NULL;
    const Const *c = NULL;
    if (v && b) {
        c = in_builtin_const(in, b);
    } else if (v) {
        if (!in_is_fixed_module(name)) {
            PyUnicode_InternInPlace(&key);
            deps_dict(in->deps, PyModule_GetDict(m), key, v);
        }
        PyList_Append(in->keep, v); /* its address may be in the constant */
        c = in_const(in, v, arena_printf(&in->cx->arena, "%s.%s", name, attr));
    }
    if (!v && PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_Clear();
    Py_XDECREF(v);
    Py_XDECREF(key);
    return c;
}

/* ---- of a module that a variable holds ------------------------------------------------------- */

/* What changes in place is seen where the module is named, and only there. */
static bool
is_settled(const Const *c)
{
    switch (c->kind) {
    case CV_ARRAY:
    case CV_TUPLE:
    case CV_KEYED:
        return false;
    default:
        return true;
    }
}

static bool
answer(In *in, void *arg)
{
    ModuleAttr *a = arg;
    Const module = {.kind = CV_MODULE, .str = a->module, .str_len = strlen(a->module)};
    PyObject *key = PyUnicode_FromString(a->module);
    PyObject *m = key ? PyImport_GetModule(key) : NULL;
    Py_XDECREF(key);
    a->known = true;
    if (!m)
        return !PyErr_Occurred();
    bool kept = PyList_Append(in->keep, m) == 0;
    Py_DECREF(m);
    module.ref = m;
    a->value = kept ? in_module_attr(in, &module, a->name) : NULL;
    if (a->value && !is_settled(a->value))
        a->value = const_unsupported(in, "%s.%s of a module in a variable", a->module, a->name);
    in_mention(in, a->value);
    return kept && !in->failed;
}

bool
in_asked_attr(In *in, ModuleAttr *a)
{
    return in_on_demand(in, answer, a);
}
