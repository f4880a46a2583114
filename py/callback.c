/* SPDX-License-Identifier: BSD-3-Clause
 * Exceptions of Python functions that compiled code has called back. Each has a number,
 * which goes through compiled code as the function's status; handlers there ask for its
 * class and text (rt_python_error), and where it leaves to Python it is itself again. The
 * last ones are kept, for nobody says which have been handled. */
#include "py.h"
#include <stdlib.h>

enum { KEPT = 64 };

static struct {
    int64_t number;
    PyObject *exc;
    const char *class; /* for good */
} kept[KEPT];

static int64_t last;

/* "KeyError<LookupError<Exception<BaseException": one text for each class that has been
 * met, which stays. */
static const char *
class_text(PyTypeObject *t)
{
    static PyObject *texts; /* dict of bytes */
    Arena a;
    arena_init(&a);
    StrBuf b = {0};
    sb_add(&b, error_class_name(&a, t));
    for (Py_ssize_t i = 1; t->tp_mro && i < PyTuple_GET_SIZE(t->tp_mro); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(t->tp_mro, i);
        if (PyExceptionClass_Check((PyObject *)base))
            sb_addf(&b, "<%s", error_class_name(&a, base));
    }
    PyObject *text = PyBytes_FromString(b.s ? b.s : "Exception"), *one = NULL;
    if (!texts)
        texts = PyDict_New();
    if (text && texts)
        one = PyDict_SetDefault(texts, text, text);
    const char *s = one ? PyBytes_AS_STRING(one) : NULL;
    Py_XDECREF(text);
    sb_free(&b);
    arena_free(&a);
    PyErr_Clear();
    return s ? s : "Exception";
}

PyObject *
module_keep_exception(PyObject *module, PyObject *exc)
{
    (void)module;
    if (!PyExceptionInstance_Check(exc)) {
        PyErr_SetString(PyExc_TypeError, "an exception is kept");
        return NULL;
    }
    last = last >= INT32_MAX ? 1 : last + 1;
    const char *class = class_text(Py_TYPE(exc));
    PyObject *old = kept[last % KEPT].exc;
    kept[last % KEPT].number = last;
    kept[last % KEPT].exc = Py_NewRef(exc);
    kept[last % KEPT].class = class;
    PyObject *number = PyLong_FromLongLong(last);
    Py_XDECREF(old);
    return number;
}

PyObject *
kept_exception(int64_t number)
{
    bool here = number > 0 && kept[number % KEPT].number == number;
    return here ? Py_NewRef(kept[number % KEPT].exc) : NULL;
}

void
kept_forget(int64_t number)
{
    if (number <= 0 || kept[number % KEPT].number != number)
        return;
    PyObject *o = kept[number % KEPT].exc;
    kept[number % KEPT].exc = NULL;
    kept[number % KEPT].number = 0;
    Py_XDECREF(o);
}

/* str() of it may run anything, and fail. */
static char *
text_of(PyObject *exc)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *s = PyObject_Str(exc);
    const char *utf8 = s ? PyUnicode_AsUTF8(s) : NULL;
    char *text = strdup(utf8 ? utf8 : "");
    PyErr_Clear();
    Py_XDECREF(s);
    PyErr_Restore(type, value, trace);
    return text;
}

static const char *
look(int64_t number, char **text)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    bool here = number > 0 && kept[number % KEPT].number == number;
    const char *class = here ? kept[number % KEPT].class : NULL;
    PyObject *exc = here && text ? Py_NewRef(kept[number % KEPT].exc) : NULL;
    if (exc)
        *text = text_of(exc);
    Py_XDECREF(exc);
    PyGILState_Release(gil);
    return class;
}

void
callback_begin(void)
{
    rt_python_error = look;
}
