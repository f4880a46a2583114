/* SPDX-License-Identifier: BSD-3-Clause
 * What only types ask for, once all functions have been read: functions of the library, what
 * stands for a function, classes, attributes of modules. Each is read, with what it calls. */
#include "py.h"

bool
in_guarded(In *in, bool (*step)(In *, void *), void *arg)
{
    jmp_buf oom;
    jmp_buf *outer = in->cx->arena.oom;
    in->cx->arena.oom = &oom;
    if (setjmp(oom)) {
        in->cx->arena.oom = outer;
        PyErr_NoMemory();
        return false;
    }
    in->failed |= !step(in, arg);
    in->cx->arena.oom = outer;
    return !in->failed;
}

typedef struct Demand {
    bool (*step)(In *, void *);
    void *arg;
} Demand;

static bool
read_all(In *in, void *arg)
{
    const Demand *d = arg;
    int from = in->queue.n;
    in->failed |= !d->step(in, d->arg);
    in_parse_queue(in, from);
    if (!in->failed && in->queue.n > from)
        in_outer_close(in);
    return true;
}

bool
in_on_demand(In *in, bool (*step)(In *, void *), void *arg)
{
    return in_guarded(in, read_all, &(Demand){step, arg});
}

typedef struct Asked {
    PyObject *f;
    FuncDef *def;
} Asked;

static bool
add_function(In *in, void *arg)
{
    Asked *a = arg;
    if (!a->f || PyType_Check(a->f))
        return a->f && in_const(in, a->f, NULL);
    a->def =
        Py_IS_TYPE(a->f, in->st->dispatcher_type) ? in_dispatcher(in, a->f) : in_function(in, a->f);
    return a->def != NULL;
}

/* A function, compiled or not, or a class of named tuples with its methods. def: of a function; may
 * be NULL. */
bool
in_chosen(In *in, PyObject *f, FuncDef **def)
{
    Asked a = {.f = f};
    bool ok = in_on_demand(in, add_function, &a);
    if (def && a.def)
        *def = a.def;
    return ok;
}

bool
in_wanted(In *in, const char *name)
{
    return class_wanted(in, name) ? !in->failed : in_chosen(in, in_lib_function(in, name), NULL);
}

bool
in_class(In *in, PyObject *cls)
{
    return in_chosen(in, cls, NULL);
}
