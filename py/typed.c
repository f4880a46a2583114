/* SPDX-License-Identifier: BSD-3-Clause
 * Lists and dicts that live in compiled code (swathe.typed): a call gets them as they are, without
 * a look at what they hold. Python has a slot, in which a program has put the object and a number
 * for its type (lower/kept.c), and a sample: a list or dict of Python's own that tells what a call
 * with it is compiled for. One without a slot is that list or dict. */
#include "py.h"
#include "source.h"
#include <pthread.h>
#include <structmember.h>
#include <time.h>

typedef struct Typed {
    PyObject_HEAD PyObject *slot, *sample;
} Typed;

static PyTypeObject *typed_type;

bool
typed_check(PyObject *o)
{
    return typed_type && PyObject_TypeCheck(o, typed_type) && ((Typed *)o)->slot;
}

/* What tells the type of an argument: itself, if it is none of these. Borrowed. */
PyObject *
typed_sample(PyObject *o)
{
    return typed_check(o) ? ((Typed *)o)->sample : o;
}

/* The object of a slot, if it is of that type; NULL: it is of another one. */
static SwMem *
mem_of(PyObject *o, const Type *t)
{
    enum { TYPE = 1, AT = 2 }; /* the words of the slot's fields */
    uint64_t *slot = instance_mem(((Typed *)o)->slot)->data;
    return slot[TYPE] == type_mark(t) ? (SwMem *)(uintptr_t)slot[AT] : NULL;
}

/* An argument without a slot stands for a list or dict of Python's own. Borrowed. */
PyObject *
typed_stands_for(PyObject *o)
{
    bool is = typed_type && PyObject_TypeCheck(o, typed_type) && !((Typed *)o)->slot;
    return is && ((Typed *)o)->sample ? ((Typed *)o)->sample : o;
}

/* As heap_take. */
SwMem *
typed_take(HeapIn *h, const Type *t, PyObject *o)
{
    SwMem *m = mem_of(o, t);
    if (!m) {
        heap_in_named(h);
        PyErr_Format(h->wrong,
                     "%U(): argument '%s' is a typed container, whose values stay of one type, and "
                     "the function makes a %s of it",
                     ((PyFunctionObject *)h->d->func)->func_name, h->name, t->text);
        return NULL;
    }
    if ((!h->f->seen || map_get(&h->f->seen->by_object, o) != m) &&
        heap_remember(h->f, m, o, NULL, true) < 0)
        return NULL;
    sw_retain(m);
    return m;
}

static int64_t
clock_now(void) /* in nanoseconds */
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The clock is asked where it could matter, for the first container that is large. */
void
typed_count(Frame *f, int64_t n)
{
    enum { MANY = 1000 };
    f->taken += n;
    if (n >= MANY && !f->taken_from)
        f->taken_from = clock_now();
}

/* Once for a function: what the conversion of its arguments has taken. */
int
typed_advise(Dispatcher *d, const Frame *f)
{
    enum { FEW = 20000 }; /* the machine was busy with something else */
    bool asks = !d->warned && f->taken_from && f->taken >= FEW;
    int64_t ns = asks ? clock_now() - f->taken_from : 0;
    if (ns < 1000000)
        return 0;
    d->warned = true;
    PyObject *module = ((PyFunctionObject *)d->func)->func_module;
    if (module && PyUnicode_Check(module) && in_is_library(PyUnicode_AsUTF8(module)))
        return 0; /* a method of a typed one */
    PyObject *warning = error_class(d->st, "ConversionWarning");
    PyObject *text = PyUnicode_FromFormat(
        "%U(): converting %lld elements of lists and dicts took %d.%d ms of the call, as it does "
        "in each: pass arrays, or a swathe.typed.List or Dict",
        ((PyFunctionObject *)d->func)->func_name, (long long)f->taken, (int)(ns / 1000000),
        (int)(ns / 100000) % 10);
    int r = text && warning ? PyErr_WarnEx(warning, PyUnicode_AsUTF8(text), 1) : -1;
    Py_XDECREF(text);
    Py_XDECREF(warning);
    return r;
}

/* Calls run without the GIL, and what one makes of a list must not be under another's feet. Whoever
 * waits here has no GIL, so that a call which holds this may wait for the GIL. Functions of Python
 * that compiled code calls run without it, and what ends while a result is made may call again. */
static pthread_mutex_t typed_mutex;

static void
new_mutex(void) /* in a forked child, too, where the thread that had it is not */
{
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&typed_mutex, &a);
    pthread_mutexattr_destroy(&a);
}

void
typed_enter(void)
{
    pthread_mutex_lock(&typed_mutex);
}

void
typed_leave(void)
{
    pthread_mutex_unlock(&typed_mutex);
}

static int
typed_init(PyObject *self, PyObject *args, PyObject *kw)
{
    Typed *t = (Typed *)self;
    PyObject *slot, *sample;
    if ((kw && PyDict_GET_SIZE(kw)) || !PyArg_ParseTuple(args, "OO", &slot, &sample))
        return -1;
    if ((slot != Py_None && !instance_check(slot)) ||
        (!PyList_CheckExact(sample) && !PyDict_CheckExact(sample))) {
        PyErr_SetString(PyExc_TypeError, "a slot, and a list or dict");
        return -1;
    }
    Py_XSETREF(t->slot, slot == Py_None ? NULL : Py_NewRef(slot));
    Py_XSETREF(t->sample, Py_NewRef(sample));
    return 0;
}

static void
typed_dealloc(PyObject *self)
{
    PyTypeObject *t = Py_TYPE(self);
    Py_CLEAR(((Typed *)self)->slot);
    Py_CLEAR(((Typed *)self)->sample);
    t->tp_free(self);
    Py_DECREF(t);
}

static PyMemberDef typed_members[] = {
    {"_slot", T_OBJECT, offsetof(Typed, slot), READONLY, NULL},
    {"_example", T_OBJECT, offsetof(Typed, sample), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot typed_slots[] = {
    {Py_tp_init, typed_init},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_dealloc, typed_dealloc},
    {Py_tp_members, typed_members},
    {Py_tp_doc, "What the containers of swathe.typed are."},
    {0, NULL},
};
PyType_Spec typed_spec = {
    .name = "swathe._core.Typed",
    .basicsize = sizeof(Typed),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = typed_slots,
};

int
typed_begin(PyTypeObject *t)
{
    typed_type = t;
    new_mutex();
    return pthread_atfork(NULL, NULL, new_mutex);
}
