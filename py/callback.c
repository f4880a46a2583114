/* SPDX-License-Identifier: BSD-3-Clause
 * Exceptions of Python functions that compiled code has called: payloads of its errors. Each has a
 * number, which goes through compiled code as an argument of the error, and by which the runtime
 * takes the payload (rt_python_payload). Handlers ask for its class; where it leaves to Python it
 * is itself again. The last error that refers to it lets it go, in any thread. */
#include "py.h"
#include <pthread.h>
#include <stdlib.h>

typedef struct Kept {
    SwPayload p; /* first */
    int64_t number;
    PyObject *exc;
    struct Kept *next, **at; /* of those that live */
} Kept;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Kept *first;
static int64_t last, live;

/* "KeyError<LookupError<Exception<BaseException": one text for each class that has been met, which
 * stays. */
static const char *
make_text(Arena *a, PyTypeObject *t)
{
    static PyObject *texts; /* dict of bytes */
    const char *s = error_class_name(a, t);
    for (Py_ssize_t i = 1; t->tp_mro && i < PyTuple_GET_SIZE(t->tp_mro); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(t->tp_mro, i);
        if (PyExceptionClass_Check((PyObject *)base))
            s = arena_printf(a, "%s<%s", s, error_class_name(a, base));
    }
    PyObject *text = PyBytes_FromString(s), *one = NULL;
    if (!texts)
        texts = PyDict_New();
    if (text && texts)
        one = PyDict_SetDefault(texts, text, text);
    Py_XDECREF(text);
    return one ? PyBytes_AS_STRING(one) : NULL;
}

static const char *
class_text(PyTypeObject *t) /* NULL: no memory */
{
    Arena a;
    jmp_buf oom;
    const char *volatile s = NULL;
    arena_init(&a);
    a.oom = &oom;
    if (!setjmp(oom))
        s = make_text(&a, t);
    a.oom = NULL;
    arena_free(&a);
    PyErr_Clear();
    return s;
}

static void
drop(SwPayload *p)
{
    Kept *k = (Kept *)p;
    pthread_mutex_lock(&lock);
    *k->at = k->next;
    if (k->next)
        k->next->at = k->at;
    live--;
    pthread_mutex_unlock(&lock);
    bool alone = dev_together();
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace); /* what it refers to may run anything when it ends */
    Py_DECREF(k->exc);
    PyErr_Restore(type, value, trace);
    PyGILState_Release(gil);
    dev_alone = alone;
    free(k);
}

int64_t
kept_number(PyObject *exc)
{
    const char *class = class_text(Py_TYPE(exc));
    Kept *k = class ? calloc(1, sizeof *k) : NULL;
    if (!k)
        return 0;
    k->p = (SwPayload){.refs = 1, .class = class, .drop = drop};
    k->exc = Py_NewRef(exc);
    pthread_mutex_lock(&lock);
    last = last >= INT32_MAX ? 1 : last + 1;
    k->number = last;
    k->next = first;
    k->at = &first;
    if (first)
        first->at = &k->next;
    first = k;
    live++;
    pthread_mutex_unlock(&lock);
    return k->number;
}

PyObject *
kept_exception(const SwPayload *p)
{
    return ((const Kept *)p)->exc;
}

int64_t
kept_live(void)
{
    return live;
}

static Kept *
find(int64_t number)
{
    Kept *k = first;
    while (k && k->number != number)
        k = k->next;
    return k;
}

static SwPayload *
take(int64_t number)
{
    pthread_mutex_lock(&lock);
    Kept *k = find(number);
    pthread_mutex_unlock(&lock);
    return k ? &k->p : NULL;
}

/* str() of it may run anything, and fail. */
static char *
text_of(PyObject *exc, int64_t what)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *args = what < ERR_TEXT_ARG ? NULL : PyObject_GetAttrString(exc, "args");
    PyObject *arg = args && PyTuple_Check(args) && what - ERR_TEXT_ARG < PyTuple_GET_SIZE(args)
                        ? PyTuple_GET_ITEM(args, what - ERR_TEXT_ARG)
                        : NULL;
    PyObject *s = what == ERR_TEXT_CLASS  ? PyUnicode_FromString(_PyType_Name(Py_TYPE(exc)))
                  : what == ERR_TEXT_REPR ? PyObject_Repr(exc)
                  : what == ERR_TEXT_STR  ? PyObject_Str(exc)
                  : arg                   ? PyObject_Str(arg)
                                          : NULL;
    Py_XDECREF(args);
    const char *utf8 = s ? PyUnicode_AsUTF8(s) : NULL;
    char *text = strdup(utf8 ? utf8 : "");
    PyErr_Clear();
    Py_XDECREF(s);
    PyErr_Restore(type, value, trace);
    return text;
}

static char *
text_by_number(int64_t number, int64_t what)
{
    bool alone = dev_together();
    PyGILState_STATE gil = PyGILState_Ensure();
    pthread_mutex_lock(&lock);
    Kept *k = find(number);
    PyObject *exc = k ? Py_NewRef(k->exc) : NULL; /* who drops it waits for the lock */
    pthread_mutex_unlock(&lock);
    char *text = exc ? text_of(exc, what) : NULL;
    Py_XDECREF(exc);
    PyGILState_Release(gil);
    dev_alone = alone;
    return text;
}

void
callback_begin(void)
{
    rt_python_text = text_by_number;
    rt_python_payload = take;
}
