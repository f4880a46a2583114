/* SPDX-License-Identifier: BSD-3-Clause
 * What objects of generators have besides their own code: functions of swathe._resumed, which
 * become functions of the program. */
#include "py.h"

/* What objects of generators have besides: functions of swathe._resumed. NULL: no generator is
 * a value, or an exception. */
struct Resume *
in_resumable(In *in)
{
    enum { MOST = 4, NAMES = 7 };
    FuncDef *way[MOST * NAMES] = {0};
    struct Resume *r = ast_find_resumable(in->cx, in->prog);
    PyObject *m = r ? PyImport_ImportModule("swathe._resumed") : NULL;
    PyObject *all = m ? PyObject_GetAttrString(m, "WAYS") : NULL;
    int from = in->queue.n;
    for (Py_ssize_t i = 0; all && i < NAMES; i++) {
        PyObject *of = PyList_GET_ITEM(all, i);
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(of); k++)
            way[MOST * i + k] = in_function(in, PyTuple_GET_ITEM(of, k));
    }
    in->failed |= r && !all;
    in_parse_queue(in, from);
    if (r && !in->failed)
        ast_make_resumable(r, way);
    Py_XDECREF(all);
    Py_XDECREF(m);
    return in->failed ? NULL : r;
}
