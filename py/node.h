/* SPDX-License-Identifier: BSD-3-Clause
 * Nodes of graphs of lazy arrays, and the arrays that stand for them. */
#ifndef SWATHE_NODE_H
#define SWATHE_NODE_H
#include "py.h"

/* An operation on other nodes, or an array that is in memory: `op` is None then. */
typedef struct LazyNode {
    PyObject_HEAD PyObject *op;
    PyObject *args, *par, *vals; /* nodes and numbers; what the function knows; what it is told */
    PyObject *dtype, *shape, *value;
    PyObject *queue; /* of the device that it is on; NULL or None on the CPU */
    PyObject *code;  /* of Python that made it, at the instruction `at`; NULL where nothing did */
    int at;
    int id; /* of `op`, as long as there is one; see node_op */
    Py_ssize_t depth;
} LazyNode;

/* What swathe.LazyArray is made of. */
typedef struct Lazy {
    PyObject_HEAD PyObject *node;
    PyObject *base, *way, *seen; /* of a view; see views.py */
    PyObject *weak;
} Lazy;

extern PyTypeObject *node_type;
extern PyMethodDef node_methods[], graph_methods[], view_methods[];

int graph_begin(void);
int view_begin(void);
PyObject *view_item(PyObject *x, PyObject *key);

/* The node that an array stands for, borrowed; NULL for what is none, and for a view of an array
 * that was assigned to. */
LazyNode *lazy_node(PyObject *o);
/* An array of a node, which is taken over; a view of `base` if there is one. */
PyObject *lazy_view(LazyNode *n, PyObject *base, PyObject *way, PyObject *seen);
/* The node of an array in memory, which is taken over. */
LazyNode *node_of_memory(PyObject *value, PyObject *dtype, PyObject *shape);
LazyNode *node_of_view(PyObject *op, LazyNode *a, PyObject *par, PyObject *vals, PyObject *shape);
int node_op(PyObject *name); /* a small number for the name of an operation, or -1 */

static inline bool
node_check(PyObject *o)
{
    return Py_TYPE(o) == node_type;
}

static inline int
node_typenum(const LazyNode *n)
{
    return ((PyArray_Descr *)n->dtype)->type_num;
}
#endif
