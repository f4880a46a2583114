/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays as elements of lists and dicts. In a column stands a box: an object that holds
 * the array's owner, where its elements begin, its dims and its strides. The owner of one
 * that came with an argument is a record that lives as long as the call and says which
 * ndarray it is; so what comes back whole is that ndarray, and what looks into it is a
 * view of it. What has been made of equal words once in a call is made no second time: an
 * array that stands twice in a list is one. */
#include "py.h"

struct HeapMade {
    HeapMade *next;
    PyObject *o;
};

/* ---- which ndarray it is --------------------------------------------------------------------- */

PyObject *
heap_owner(const Frame *f, const SwMem *m)
{
    if (m >= f->mems && m < f->mem)
        return f->owners[m - f->mems];
    PyObject *o = m && f->seen ? map_get(&f->seen->by_mem, m) : NULL;
    return o || !m ? o : upcall_array(m);
}

static const void *
key_of(const uint64_t *slot)
{
    return (const void *)(uintptr_t)(slot[0] ? slot[0] : slot[1]);
}

PyObject *
heap_made_array(const Frame *f, const Type *t, const uint64_t *slot, bool writeable)
{
    for (HeapMade *m = f->seen ? map_get(&f->seen->made, key_of(slot)) : NULL; m; m = m->next) {
        PyArrayObject *a = (PyArrayObject *)m->o;
        if (box_is_array(a, t, slot) && (PyArray_ISWRITEABLE(a) != 0) == writeable)
            return m->o;
    }
    return NULL;
}

static HeapMade *
new_made(struct HeapSeen *seen, const uint64_t *slot, PyObject *o)
{
    jmp_buf oom;
    HeapMade *volatile m = NULL;
    seen->arena.oom = &oom;
    if (!setjmp(oom)) {
        m = NEW(&seen->arena, HeapMade);
        *m = (HeapMade){.o = o, .next = map_get(&seen->made, key_of(slot))};
        map_put(&seen->arena, &seen->made, key_of(slot), m);
    }
    seen->arena.oom = NULL;
    return m;
}

int
heap_note_array(Frame *f, const uint64_t *slot, PyObject *o)
{
    if (heap_hold(f, o) < 0)
        return -1;
    if (new_made(f->seen, slot, o))
        return 0;
    PyErr_NoMemory();
    return -1;
}

/* ---- boxes ----------------------------------------------------------------------------------- */

/* As arguments and results have it: elements, owner, dims, strides. */
static void
slots_of(const Type *t, const SwMem *box, uint64_t *slot)
{
    const uint64_t *word = box->data;
    slot[0] = word[1];
    slot[1] = word[0];
    memcpy(slot + 2, word + 2, sizeof *word * 2 * t->ndim);
}

PyObject *
heap_box_array(Frame *f, const Type *t, const SwMem *box)
{
    uint64_t slot[2 + 2 * 64];
    slots_of(t, box, slot);
    SwMem *m = (SwMem *)(uintptr_t)slot[1];
    bool once = box->refs == 1 && m && m->refs == 1;
    if (m)
        sw_retain(m);
    return box_element(f, t, slot, !once);
}

bool
heap_is_array(const Frame *f, const Type *t, const SwMem *box, PyObject *o)
{
    uint64_t slot[2 + 2 * 64];
    slots_of(t, box, slot);
    return heap_owner(f, (SwMem *)(uintptr_t)slot[1]) == o &&
           box_is_array((PyArrayObject *)o, t, slot);
}

static SwMem *
new_owner(struct HeapSeen *seen)
{
    jmp_buf oom;
    SwMem *volatile m = NULL;
    seen->arena.oom = &oom;
    if (!setjmp(oom))
        m = NEW(&seen->arena, SwMem);
    seen->arena.oom = NULL;
    return m;
}

/* One for each ndarray, which the frame holds: a thread of Python may take it out of its
 * list meanwhile. */
static SwMem *
owner_of(Frame *f, PyArrayObject *a)
{
    SwMem *m = f->seen ? map_get(&f->seen->by_object, a) : NULL;
    if (m)
        return m;
    if (heap_see(f) < 0)
        return NULL;
    if (f->keeps) {
        if (!(m = upcall_hold((PyObject *)a)))
            PyErr_NoMemory();
        else if (heap_remember(f, m, (PyObject *)a, NULL, true) < 0)
            sw_release(m), m = NULL;
        else
            f->held[f->n_held - 1].owned = true;
        return m;
    }
    m = new_owner(f->seen);
    if (!m) {
        PyErr_NoMemory();
        return NULL;
    }
    m->refs = 1;
    m->data = PyArray_DATA(a);
    return heap_remember(f, m, (PyObject *)a, NULL, true) < 0 ? NULL : m;
}

SwMem *
heap_take_array(Frame *f, const Type *t, PyArrayObject *a)
{
    char layout[2 + 2 * 64 + 1] = "pw";
    int nd = t->ndim;
    SwCtx cx = {0};
    SwMem *box, *m = owner_of(f, a);
    if (!m)
        return NULL;
    memset(layout + 2, 'w', (size_t)(2 * nd));
    if (sw_new(&cx, rt_layout(layout), 2 + 2 * nd, &box)) {
        PyErr_NoMemory();
        return NULL;
    }
    uint64_t *word = box->data;
    sw_retain(m);
    word[0] = (uint64_t)(uintptr_t)m;
    word[1] = (uint64_t)(uintptr_t)m->data;
    for (int k = 0; k < nd; k++) {
        word[2 + k] = (uint64_t)PyArray_DIM(a, k);
        word[2 + nd + k] = (uint64_t)PyArray_STRIDE(a, k);
    }
    return box;
}

bool
heap_array_fits(const Type *t, PyObject *o)
{
    PyArrayObject *a = (PyArrayObject *)o;
    return args_is_array(o) && PyArray_NDIM(a) == t->ndim && dtype_of_array(a) == t->dtype &&
           args_is_writeable(a) == (t->readonly == RO_NO);
}

/* What it is, for the message that refuses it; a new reference. */
PyObject *
heap_describe(PyObject *o)
{
    if (!PyArray_Check(o))
        return PyUnicode_FromFormat("of type %s", Py_TYPE(o)->tp_name);
    PyArrayObject *a = (PyArrayObject *)o;
    if (!args_is_array(o))
        return PyUnicode_FromFormat(
            "an array of dtype %S in a form that compiled code does not take", PyArray_DESCR(a));
    return PyUnicode_FromFormat("%s %S array with %d ax%s",
                                args_is_writeable(a) ? "a" : "a read-only", PyArray_DESCR(a),
                                PyArray_NDIM(a), PyArray_NDIM(a) == 1 ? "is" : "es");
}
