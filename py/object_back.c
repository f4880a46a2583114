/* SPDX-License-Identifier: BSD-3-Clause
 * Objects of plain classes that go back to Python (object.c has the other way): new ones are made,
 * and those that were arguments get what the function has changed. The words that an object had
 * when it came in tell what that is: the frame keeps what they led to. */
#include "object.h"

static PyObject *give_part(Frame *f, Part *p, const Type *t);

static int
set_value(const ObjTodo *of, int k, PyObject *v, bool new)
{
    PyObject *name = of->plan->name[k];
    return of->plan->c->dict ? PyDict_SetItem(of->object, name, v)
           : new             ? PyObject_GenericSetAttr(of->object, name, v)
                             : PyObject_SetAttr(of->object, name, v);
}

static PyObject *
give_tuple(Frame *f, Part *p, const Type *t)
{
    PyObject *r = box_new_tuple(f->d, t);
    for (int i = 0; i < t->n; i++) {
        PyObject *v = give_part(f, p, t->elems[i]);
        if (r && v)
            PyTuple_SET_ITEM(r, i, v);
        else
            Py_XDECREF(v);
        if (!v)
            Py_CLEAR(r);
    }
    return t->names ? foreign_restored(r) : r;
}

static void
skip_part(Part *p, const Type *t)
{
    for (int i = 0; type_has_parts(t) && i < t->n; i++)
        skip_part(p, t->elems[i]);
    p->place += !type_has_parts(t);
}

static PyObject *
give_array(Frame *f, const Type *t, const uint64_t *w)
{
    uint64_t slot[2 + 2 * 64];
    int64_t step = dtype_size((DType)t->storage);
    SwMem *m = (SwMem *)(uintptr_t)w[0];
    slot[0] = w[1];
    slot[1] = w[0];
    for (int i = 0; i < t->ndim; i++)
        slot[2 + i] = w[2 + i];
    for (int i = 0; i < t->ndim; i++) {
        int k = t->layout == LAY_F ? i : t->ndim - 1 - i;
        slot[2 + t->ndim + k] = t->layout == LAY_A ? w[2 + t->ndim + k] : (uint64_t)step;
        step *= (int64_t)w[2 + k];
    }
    if (m)
        sw_retain(m);
    return box_element(f, t, slot, true);
}

static PyObject *
give_part(Frame *f, Part *p, const Type *t)
{
    if (t->kind == TY_OPTIONAL) {
        if (*next_word(p))
            return give_part(f, p, t->elems[1]);
        skip_part(p, t->elems[1]);
        return Py_NewRef(Py_None);
    }
    if (t->kind == TY_EITHER) { /* what is there of several; all are walked */
        PyObject *found = NULL;
        bool failed = false;
        for (int i = 0; i < t->n; i++) {
            PyObject *v = give_part(f, p, t->elems[i]);
            failed |= !v;
            if (v && v != Py_None && !found)
                found = v;
            else
                Py_XDECREF(v);
        }
        if (failed)
            Py_CLEAR(found);
        return failed || found ? found : Py_NewRef(Py_None);
    }
    if (t->kind == TY_NONE)
        return Py_NewRef(Py_None);
    if (t->kind == TY_TUPLE)
        return give_tuple(f, p, t);
    if (t->kind == TY_RANGE) {
        int64_t part[3];
        for (int i = 0; i < 3; i++)
            part[i] = (int64_t)*next_word(p);
        return box_range(part[0], part[1], part[2]);
    }
    const uint64_t *w = next_word(p);
    if (t->kind == TY_SCALAR) {
        uint64_t packed[2] = {w[0], 0};
        if (t->storage == DT_c64)
            packed[0] = (w[0] & 0xffffffff) | w[1] << 32;
        if (t->storage == DT_c128)
            packed[1] = w[1];
        return box_number(f->d, t, packed);
    }
    if (t->kind == TY_TEXT)
        return text_box_words(f, t, w);
    if (t->kind == TY_ARRAY)
        return give_array(f, t, w);
    SwMem *m = (SwMem *)(uintptr_t)w[0];
    return t->kind == TY_REF ? heap_box(f, t, m) : object_box(f, t, m);
}

/* Does the attribute say what the words say? */
static bool
is_same(Frame *f, Part *p, const Type *t, PyObject *v)
{
    if (t->kind == TY_OPTIONAL) {
        if (*next_word(p))
            return v != Py_None && is_same(f, p, t->elems[1], v);
        skip_part(p, t->elems[1]);
        return v == Py_None;
    }
    if (t->kind == TY_EITHER) {
        bool same = false;
        for (int i = 0; i < t->n; i++) {
            const Type *m = t->elems[i]->elems[1];
            if (*next_word(p))
                same |= is_same(f, p, m, v);
            else
                skip_part(p, m);
        }
        return same;
    }
    if (t->kind == TY_NONE)
        return v == Py_None;
    if (t->kind == TY_RANGE) {
        int64_t part[3] = {0};
        bool same = PyRange_Check(v) && heap_range(v, part);
        for (int i = 0; i < 3; i++)
            same &= (int64_t)*next_word(p) == part[i];
        return same;
    }
    if (t->kind == TY_TUPLE) {
        PyObject *tuple = foreign_as_tuple(t, v);
        bool same = tuple && heap_is_tuple(f, t, tuple);
        if (!same)
            skip_part(p, t);
        for (int i = 0; same && i < t->n; i++)
            same = is_same(f, p, t->elems[i], PyTuple_GET_ITEM(tuple, i));
        Py_XDECREF(tuple);
        return same;
    }
    uint64_t *w = next_word(p), now[2] = {0, 0};
    if (t->kind == TY_SCALAR) {
        int n = t->storage == DT_c128 || t->storage == DT_c64 ? 2 : 1;
        return object_number(f->d, t, v, now) && !memcmp(now, w, sizeof *w * (size_t)n);
    }
    if (t->kind == TY_TEXT)
        return text_is_same(f, w, v);
    if (t->kind == TY_ARRAY) {
        PyObject *a = give_array(f, t, w);
        bool same = a == v;
        PyErr_Clear();
        Py_XDECREF(a);
        return same;
    }
    SwMem *m = (SwMem *)(uintptr_t)w[0];
    if (t->kind == TY_OBJ && !type_class(t)->copied)
        return instance_check(v) && instance_mem(v) == m;
    return f->seen && map_get(&f->seen->by_mem, m) == v;
}

/* A changed attribute is set as Python would; that of a new object, whatever its class says. */
static int
set_field(Frame *f, const ObjTodo *of, int k, bool new)
{
    const ObjClass *c = of->plan->c;
    const Type *t = c->field[k].type;
    Part p = object_part(of->plan, k, of->mem);
    if (c->field[k].maybe && !*next_word(&p))
        return 0;
    Part q = p;
    PyObject *was = new ? NULL : object_value(of->plan, k, of->object);
    bool same = was && is_same(f, &q, t, was);
    PyErr_Clear();
    Py_XDECREF(was);
    PyObject *v = same ? NULL : give_part(f, &p, t);
    int r = same ? 0 : v ? set_value(of, k, v, new) : -1;
    Py_XDECREF(v);
    return r;
}

/* Attributes of new objects, in whatever order they are made: those of a long chain, too. */
int
object_complete(Frame *f)
{
    struct HeapSeen *seen = f->seen;
    int r = 0;
    bool was = seen && seen->busy;
    if (!seen || !seen->n_todo)
        return 0;
    if (Py_EnterRecursiveCall(" in an object that is a key of another"))
        return -1;
    seen->busy = true;
    while (r == 0 && seen->n_todo) {
        ObjTodo of = seen->todo[--seen->n_todo];
        for (int k = 0; k < of.plan->c->n && r == 0; k++)
            r = set_field(f, &of, k, true);
    }
    seen->n_todo = 0;
    seen->busy = was;
    Py_LeaveRecursiveCall();
    return r;
}

/* An instance that stands for something else is that in Python: it leads to no other instances, so
 * that its attributes are set at once. */
static PyObject *
restored(Frame *f, const ObjClass *c, PyObject *o, SwMem *m)
{
    ObjTodo of = {object_plan(f, c), o, m, 0};
    int r = of.plan ? 0 : -1;
    for (int k = 0; k < c->n && r == 0; k++)
        r = set_field(f, &of, k, true);
    if (r < 0)
        Py_CLEAR(o);
    return foreign_restored(o);
}

/* A new reference; takes none of m's. */
PyObject *
object_box(Frame *f, const Type *t, SwMem *m)
{
    const ObjClass *c = type_class(t);
    PyTypeObject *cls = (PyTypeObject *)(uintptr_t)c->generic;
    if (!c->copied)
        return instance_box(t, m);
    PyObject *o = f->seen ? map_get(&f->seen->by_mem, m) : NULL, *none;
    if (o)
        return foreign_restored(Py_NewRef(o));
    none = PyTuple_New(0);
    o = !none ? NULL : c->dict ? PyDict_New() : PyBaseObject_Type.tp_new(cls, none, NULL);
    Py_XDECREF(none);
    if (!o)
        return NULL;
    if (!c->dict && PyDict_GetItemString(class_dict(cls), "_swathe_restored")) {
        o = restored(f, c, o, m);
        return o && heap_remember(f, m, o, NULL, false) < 0 ? NULL : o;
    }
    if (heap_remember(f, m, o, NULL, false) < 0 || object_later(f, c, o, m) < 0 ||
        (!f->seen->busy && object_complete(f) < 0))
        Py_CLEAR(o);
    return o;
}

int
object_write(Frame *f, const HeapHeld *h)
{
    const ObjClass *c = type_class(h->type);
    if (c->frozen)
        return 0;
    if (h->was && !memcmp(h->was, h->mem->data, h->mem->bytes))
        return 0;
    ObjTodo of = {object_plan(f, c), h->object, h->mem, 0};
    int r = of.plan ? 0 : -1;
    for (int k = 0; k < c->n && r == 0; k++)
        if (!object_stays(of.plan, k, h))
            r = set_field(f, &of, k, false);
    return r;
}
