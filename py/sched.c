/* SPDX-License-Identifier: BSD-3-Clause
 * Schedules given at the call, `f(x, opts=par({...}))`. swathe.schedule has checked what is
 * in them and sorted them by label; here they come as a tuple of (label, fields). Equal
 * ones become one object for each dispatcher, so that a specialisation is found by its
 * address, and calls without `opts` pay nothing. */
#include "py.h"

PyObject *
sched_key(State *st, PyObject *opts)
{
    PyObject *key = PyObject_GetAttr(opts, st->s__swathe_schedule);
    if (key && PyTuple_CheckExact(key))
        return key;
    if (key || PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError,
                     "opts is a schedule, such as swathe.par({'N': swathe.threads(8)}), "
                     "not %s: %R",
                     Py_TYPE(opts)->tp_name, opts);
    }
    Py_XDECREF(key);
    return NULL;
}

PyObject *
sched_intern(Dispatcher *d, PyObject *opts)
{
    PyObject *key = sched_key(d->st, opts);
    if (!key || (!d->scheds && !(d->scheds = PyDict_New()))) {
        Py_XDECREF(key);
        return NULL;
    }
    PyObject *one = PyDict_SetDefault(d->scheds, key, key);
    Py_DECREF(key);
    return one;
}

/* args_take and args_room leave room for this. */
void
sched_push(Frame *f, PyObject *sched)
{
    *f->code++ = CODE_SCHED;
    *f->code++ = (uint64_t)(uintptr_t)sched;
}

Py_ssize_t
sched_find(State *st, PyObject *kwnames)
{
    Py_ssize_t n = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *k = PyTuple_GET_ITEM(kwnames, i);
        if (k == st->s_opts || PyUnicode_Compare(k, st->s_opts) == 0)
            return i;
    }
    return -1;
}

static int64_t
number(PyObject *o)
{
    return PyLong_AsLongLong(o);
}

static void
take_loop(Cx *cx, PyObject *entry, SwSched *out)
{
    PyObject *f = PyTuple_GET_ITEM(entry, 1), *sizes = PyTuple_GET_ITEM(f, 3);
    const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(entry, 0));
    PyErr_Clear(); /* a label that is no UTF-8 is one that no function has */
    out->label = intern(&cx->syms, name ? name : "?");
    out->threads = number(PyTuple_GET_ITEM(f, 0));
    out->tpb = number(PyTuple_GET_ITEM(f, 1));
    out->unroll = number(PyTuple_GET_ITEM(f, 2));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sizes) && i < SW_LEN(out->tile); i++)
        out->tile[i] = number(PyTuple_GET_ITEM(sizes, i));
    out->reduce = PyObject_IsTrue(PyTuple_GET_ITEM(f, 4)) == 1;
    out->seq = PyObject_IsTrue(PyTuple_GET_ITEM(f, 5)) == 1;
}

void
sched_take(Cx *cx, PyObject *sched, SwRequest *rq)
{
    Py_ssize_t n = sched ? PyTuple_GET_SIZE(sched) : 0;
    SwSched *all = NEW_N(&cx->arena, SwSched, n + 1);
    for (Py_ssize_t i = 0; i < n; i++)
        take_loop(cx, PyTuple_GET_ITEM(sched, i), &all[i]);
    rq->sched = all;
    rq->n_sched = (int)n;
}

PyObject *
sched_text(PyObject *sig, PyObject *sched)
{
    PyObject *m = late_import("swathe.schedule");
    PyObject *s = m ? PyObject_CallMethod(m, "_of_key", "(O)", sched) : NULL;
    PyObject *text = s ? PyUnicode_FromFormat("%U %R", sig, s) : NULL;
    Py_XDECREF(m);
    Py_XDECREF(s);
    return text;
}
