/* SPDX-License-Identifier: BSD-3-Clause
 * The key of a graph of lazy arrays: one walk over its nodes, operands first, gives what the
 * function is found by and what it is called with. See swathe/_lazy/graph.py. */
#include "node.h"

/* The key is bytes, words of 32 bits, and before them the `par` of nodes that have some. The top
 * bits of a word say what it is. */
enum {
    W_ARRAY = 1 << 28,
    W_OPERATION = 2 << 28,
    W_NODE = 3 << 28,
    W_NUMBER = 4 << 28,
    W_WANTED = 5 << 28
};
enum { HAS_PAR = 1 << 27, HAS_PLACE = 1 << 27, KINDS = 64 };

/* What was met: a node, or a float, by its address, and its place. */
typedef struct Met {
    PyObject *what;
    int place;
} Met;

typedef struct Walk {
    Met *met; /* open addressing */
    Met few[128];
    int room, count;
    uint32_t *word;
    uint32_t few_words[256];
    int words, word_room;
    PyObject *pars, *leaves, *order, *calls; /* lists; pars NULL where there are none */
} Walk;

static PyObject *kinds[KINDS]; /* types of numbers that were operands */
static PyObject *s_item, *s_numpy;

static Met *
place_of(Walk *w, PyObject *what)
{
    unsigned at = (unsigned)((uintptr_t)what >> 4) * 2654435761u;
    for (at &= w->room - 1; w->met[at].what && w->met[at].what != what;
         at = (at + 1) & (w->room - 1))
        ;
    return &w->met[at];
}

static int
grow(Walk *w)
{
    Met *old = w->met;
    int room = w->room;
    Met *met = PyMem_Calloc(room * 2, sizeof *met);
    if (!met) {
        PyErr_NoMemory();
        return -1;
    }
    w->met = met;
    w->room = room * 2;
    for (int i = 0; i < room; i++)
        if (old[i].what)
            *place_of(w, old[i].what) = old[i];
    if (old != w->few)
        PyMem_Free(old);
    return 0;
}

static int
note(Walk *w, PyObject *what, int place)
{
    if (w->count * 2 >= w->room && grow(w) < 0)
        return -1;
    *place_of(w, what) = (Met){what, place};
    w->count++;
    return 0;
}

static int
put(Walk *w, uint32_t word)
{
    if (w->words == w->word_room) {
        uint32_t *more = PyMem_Malloc(2 * w->words * sizeof *more);
        if (!more) {
            PyErr_NoMemory();
            return -1;
        }
        memcpy(more, w->word, w->words * sizeof *more);
        if (w->word != w->few_words)
            PyMem_Free(w->word);
        w->word = more;
        w->word_room *= 2;
    }
    w->word[w->words++] = word;
    return 0;
}

/* A small number for a type of operands that are no nodes. */
static int
kind_of(PyObject *type)
{
    for (int k = 0; k < KINDS; k++) {
        if (kinds[k] == type)
            return k;
        if (!kinds[k]) {
            kinds[k] = Py_NewRef(type);
            return k;
        }
    }
    PyErr_SetString(PyExc_SystemError, "too many types of numbers in graphs");
    return -1;
}

static int
add_leaf(Walk *w, const LazyNode *n)
{
    PyObject *leaf = n->value;
    if (!PyTuple_GET_SIZE(n->shape) && PyArray_Check(leaf))
        leaf = PyArray_ToScalar(PyArray_DATA((PyArrayObject *)leaf), (PyArrayObject *)leaf);
    else
        Py_INCREF(leaf);
    int rc = leaf ? PyList_Append(w->leaves, leaf) : -1;
    Py_XDECREF(leaf);
    return rc;
}

/* An operand that is a number: one float in two places is one argument, and so is what is made of
 * it. */
static int
add_number(Walk *w, PyObject *a)
{
    bool shared = PyFloat_CheckExact(a);
    if (shared) {
        Met *m = place_of(w, a);
        if (m->what)
            return put(w, W_NUMBER | HAS_PLACE | m->place);
    }
    int place = (int)PyList_GET_SIZE(w->leaves), kind = kind_of((PyObject *)Py_TYPE(a));
    if (kind < 0 || (shared && note(w, a, place) < 0) || PyList_Append(w->leaves, a) < 0)
        return -1;
    return put(w, W_NUMBER | kind);
}

static int visit(Walk *w, LazyNode *n);

static int
add_operation(Walk *w, LazyNode *n, PyObject *args)
{
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *a = PyTuple_GET_ITEM(args, i);
        if (node_check(a) && !place_of(w, a)->what && visit(w, (LazyNode *)a) < 0)
            return -1;
    }
    bool par = PyTuple_GET_SIZE(n->par) > 0;
    if (put(w, W_OPERATION | (par ? HAS_PAR : 0) | n->id) < 0)
        return -1;
    if (par && ((!w->pars && !(w->pars = PyList_New(0))) || PyList_Append(w->pars, n->par) < 0))
        return -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *a = PyTuple_GET_ITEM(args, i);
        int rc = node_check(a) ? put(w, W_NODE | place_of(w, a)->place) : add_number(w, a);
        if (rc < 0)
            return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(n->vals); i++)
        if (PyList_Append(w->leaves, PyTuple_GET_ITEM(n->vals, i)) < 0)
            return -1;
    return 0;
}

/* Add a node, and before it what it needs. Nodes aren't deep: see node.c. A library call counts as
 * an array in memory; it is one by the time that a function is launched. */
static int
visit(Walk *w, LazyNode *n)
{
    PyObject *args = Py_NewRef(n->args); /* before `op`: see lazy_settle */
    int rc = 0;
    bool call = n->op == s_item || n->op == s_numpy;
    if (n->op == Py_None || call) {
        uint32_t rank = (uint32_t)PyTuple_GET_SIZE(n->shape);
        if (call)
            rc =
                PyList_Append(w->calls, (PyObject *)n) < 0 || PyList_Append(w->leaves, Py_None) < 0;
        else
            rc = add_leaf(w, n) < 0;
        rc = rc || put(w, W_ARRAY | (uint32_t)node_typenum(n) << 8 | rank) < 0;
    } else {
        rc = add_operation(w, n, args) < 0;
    }
    Py_DECREF(args);
    int place = (int)PyList_GET_SIZE(w->order);
    return rc || note(w, (PyObject *)n, place) < 0 || PyList_Append(w->order, (PyObject *)n) < 0
               ? -1
               : 0;
}

static int
walk(Walk *w, PyObject *wanted)
{
    Py_ssize_t count = PyList_GET_SIZE(wanted);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *n = PyList_GET_ITEM(wanted, i);
        if (!node_check(n)) {
            PyErr_SetString(PyExc_TypeError, "lazy_linear() takes a list of nodes");
            return -1;
        }
        if (!place_of(w, n)->what && visit(w, (LazyNode *)n) < 0)
            return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        if (put(w, W_WANTED | place_of(w, PyList_GET_ITEM(wanted, i))->place) < 0)
            return -1;
    return 0;
}

/* Bytes, or a tuple of bytes and of the `par` of nodes. */
static PyObject *
key_of(Walk *w)
{
    PyObject *bytes =
        PyBytes_FromStringAndSize((char *)w->word, w->words * (Py_ssize_t)sizeof *w->word);
    if (!w->pars || !bytes)
        return bytes;
    int rc = PyList_Append(w->pars, bytes);
    Py_DECREF(bytes);
    return rc < 0 ? NULL : PyList_AsTuple(w->pars);
}

/* lazy_linear(nodes): the graph's key, its function's arguments, its nodes with operands first, and
 * its library calls. */
static PyObject *
lazy_linear(PyObject *module, PyObject *wanted)
{
    Walk w;
    PyObject *out = NULL, *key;
    (void)module;
    if (!PyList_CheckExact(wanted)) {
        PyErr_SetString(PyExc_TypeError, "lazy_linear() takes a list of nodes");
        return NULL;
    }
    memset(w.few, 0, sizeof w.few);
    w.met = w.few;
    w.room = SW_LEN(w.few);
    w.word = w.few_words;
    w.word_room = SW_LEN(w.few_words);
    w.count = w.words = 0;
    w.pars = NULL;
    w.leaves = PyList_New(0);
    w.order = PyList_New(0);
    w.calls = PyList_New(0);
    if (w.leaves && w.order && w.calls && walk(&w, wanted) == 0 && (key = key_of(&w)))
        out = Py_BuildValue("NOOO", key, w.leaves, w.order, w.calls);
    Py_XDECREF(w.leaves);
    Py_XDECREF(w.order);
    Py_XDECREF(w.calls);
    Py_XDECREF(w.pars);
    if (w.met != w.few)
        PyMem_Free(w.met);
    if (w.word != w.few_words)
        PyMem_Free(w.word);
    return out;
}

PyMethodDef graph_methods[] = {
    {"lazy_linear", lazy_linear, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

int
graph_begin(void)
{
    s_item = PyUnicode_InternFromString("item");
    s_numpy = PyUnicode_InternFromString("numpy");
    return s_item && s_numpy ? 0 : -1;
}
