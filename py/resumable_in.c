/* SPDX-License-Identifier: BSD-3-Clause
 * What objects of generators have besides their own code: functions of swathe._resumed, which
 * become functions of the program. */
#include "py.h"

enum { MOST = 4, NAMES = 7 };

/* False: an exception. */
static bool
find_ways(In *in, FuncDef **way)
{
    PyObject *m = late_import("swathe._resumed");
    PyObject *all = m ? PyObject_GetAttrString(m, "WAYS") : NULL;
    int from = in->queue.n;
    for (Py_ssize_t i = 0; all && i < NAMES; i++) {
        PyObject *of = PyList_GET_ITEM(all, i);
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(of); k++)
            way[MOST * i + k] = in_function(in, PyTuple_GET_ITEM(of, k));
    }
    in->failed |= !all;
    in_parse_queue(in, from);
    Py_XDECREF(all);
    Py_XDECREF(m);
    return !in->failed;
}

/* NULL: no generator is a value, or an exception. */
struct Resume *
in_resumable(In *in)
{
    FuncDef *way[MOST * NAMES] = {0};
    struct Resume *r = ast_find_resumable(in->cx, in->prog);
    if (!r || !find_ways(in, way))
        return NULL;
    ast_make_resumable(r, way);
    return r;
}

static bool
resume_later(In *in, void *arg)
{
    FuncDef *way[MOST * NAMES] = {0};
    (void)arg;
    if (find_ways(in, way))
        in->objects = ast_resume_later(in->cx, in->prog, in->objects, way);
    return !in->failed;
}

bool
in_later(In *in)
{
    return in_guarded(in, resume_later, NULL);
}
