/* SPDX-License-Identifier: BSD-3-Clause
 * Lists, dicts and sets that Python has changed while a call of compiled code lasts: the objects
 * that stand for them get other columns, and stay the objects that they are. What neither side has
 * any more is let go. */
#include "py.h"

static bool
list_changed(Frame *f, const HeapHeld *h)
{
    const Type *t = h->type;
    const uint64_t *words = h->mem->data;
    bool changed = (int64_t)words[0] != (int64_t)PyList_GET_SIZE(h->object);
    for (Py_ssize_t i = 0; !changed && i < PyList_GET_SIZE(h->object); i++) {
        int at = heap_column(t, 0);
        changed = !heap_is_same(f, t->elems[0], PyList_GET_ITEM(h->object, i), words, &at, i);
    }
    return changed;
}

static bool
dict_changed(Frame *f, const HeapHeld *h)
{
    const Type *t = h->type;
    const uint64_t *words = h->mem->data;
    PyObject *k, *v;
    Py_ssize_t pos = 0;
    int64_t e = 0, used = (int64_t)words[1];
    bool changed = (int64_t)words[0] != (int64_t)PyDict_GET_SIZE(h->object);
    while (!changed && PyDict_Next(h->object, &pos, &k, &v)) {
        while (e < used && !heap_is_alive(t, words, e))
            e++;
        int at = heap_column(t, 1);
        changed = e == used || !heap_is_same(f, t->elems[0], k, words, &at, e) ||
                  !heap_is_same(f, t->elems[1], v, words, &at, e);
        e++;
    }
    return changed;
}

/* True, too, where a member can't be compared. */
static bool
set_changed(Frame *f, const HeapHeld *h)
{
    const Type *t = h->type;
    const uint64_t *words = h->mem->data;
    bool changed = (int64_t)words[0] != (int64_t)PySet_GET_SIZE(h->object);
    for (int64_t e = 0; !changed && e < (int64_t)words[1]; e++) {
        if (!heap_is_alive(t, words, e))
            continue;
        PyObject *k = heap_element_of(f, t, 1, words, e);
        changed = !k || PySet_Contains(h->object, k) != 1;
        Py_XDECREF(k);
        PyErr_Clear();
    }
    return changed;
}

static bool
changed(Frame *f, const HeapHeld *h)
{
    if (PyTuple_CheckExact(h->object))
        return false; /* what is in it is held by itself */
    if (h->type->ref == &heap_deque || h->type->ref == &heap_OrderedDict ||
        type_heap_has(h->type, HEAP_PACKED))
        return true; /* which is as good */
    if (type_heap_has(h->type, HEAP_ORDERED))
        return list_changed(f, h);
    return type_heap_has(h->type, HEAP_MAPS) ? dict_changed(f, h) : set_changed(f, h);
}

/* The object stays the one that it is, with other columns. */
static int
read_back(HeapIn *in, const HeapHeld *h)
{
    const Type *t = h->type;
    int64_t n = (int64_t)heap_size(h->object);
    SwMem *now = heap_with_room(in->f, t, n);
    if (!now)
        return -1;
    uint64_t *w = now->data, *was = h->mem->data;
    bool fine = heap_take_all(in, t, h->object, w, n);
    int n_words = heap_column(t, ((const HeapClass *)t->ref)->n_groups);
    for (int i = 0; fine && i < n_words; i++) {
        uint64_t x = w[i];
        w[i] = was[i];
        was[i] = x;
    }
    sw_release(now);
    return fine ? 0 : -1;
}

int
heap_read_back(Frame *f, const char *what)
{
    HeapIn in = {.d = f->d, .f = f, .wrong = error_class(f->st, "ArgumentTypeError"), .name = what};
    int r = 0;
    for (int i = 0; i < f->n_held && r == 0; i++) { /* there may be more of them meanwhile */
        HeapHeld h = f->held[i];
        if (h.type && changed(f, &h))
            r = read_back(&in, &h);
    }
    Py_DECREF(in.wrong);
    return r;
}

/* The maps may grow, and there may be no memory for that. */
static bool
forget(struct HeapSeen *seen, const HeapHeld *h)
{
    jmp_buf oom;
    seen->arena.oom = &oom;
    bool fine = setjmp(oom) == 0;
    if (fine) {
        map_put(&seen->arena, &seen->by_mem, h->mem, NULL);
        map_put(&seen->arena, &seen->by_object, h->object, NULL);
        map_put(&seen->arena, &seen->type_of, h->mem, NULL);
    }
    seen->arena.oom = NULL;
    return fine;
}

/* What neither compiled code nor Python has any more, in a call that goes on. */
void
heap_sweep(Frame *f)
{
    int n = f->n_held, kept = 0;
    for (int i = 0; i < n; i++) {
        HeapHeld h = f->held[i];
        if (!h.type || Py_REFCNT(h.object) > 1 ||
            __atomic_load_n(&h.mem->refs, __ATOMIC_ACQUIRE) > 1 || !forget(f->seen, &h)) {
            f->held[kept++] = h;
            continue;
        }
        sw_release(h.mem);
        Py_DECREF(h.object);
    }
    f->n_held = kept;
}

/* ---- the end of a call ---------------------------------------------------------------------- */

/* No Python runs for what a call without upcalls lets go. */
void
heap_release(const Frame *f, SwMem *m)
{
    bool was = dev_alone;
    dev_alone = f->alone;
    sw_release(m);
    dev_alone = was;
}

void
heap_end(Frame *f)
{
    /* Objects that lead to each other in a circle would keep each other. */
    for (int i = 0; i < f->n_held && f->held_end; i++)
        if (f->held[i].type && f->held[i].type->kind == TY_OBJ)
            rt_object_empty(f->held[i].mem);
    for (int i = 0; i < f->n_held; i++) {
        if (f->held[i].type || f->held[i].owned || f->held[i].text)
            heap_release(f, f->held[i].mem);
        Py_DECREF(f->held[i].object);
    }
    PyMem_Free(f->held);
    text_end(f);
    dev_parts_end(&f->parts);
    if (f->seen) {
        object_plans_end(f->seen);
        arena_free(&f->seen->arena);
    }
    PyMem_Free(f->seen);
    f->held = NULL;
    f->seen = NULL;
    f->n_held = f->cap_held = 0;
}
