/* SPDX-License-Identifier: BSD-3-Clause
 * Objects of plain classes (dataclasses, classes that annotate their attributes) at the boundary.
 * As a list does, one becomes an object for the time of a call; attributes that the function has
 * changed are set on every way out, and the object that Python has stays the one that it is. */
#include "heap_quick.h"
#include "object.h"

/* What was said of classes as they are: a class that has got another member has another tag. */
static struct Said {
    PyObject *cls, *has;
    unsigned tag;
} said[64];

void
object_unsaid(void)
{
    memset(said, 0, sizeof said);
}

static PyObject *
ask_plain(PyObject *cls)
{
    static PyObject *known, *ask; /* by class, weakly */
    if (!known) {
        PyObject *m = late_import("swathe._plain_classes");
        ask = m ? PyObject_GetAttrString(m, "plain") : NULL;
        known = ask ? PyObject_GetAttrString(m, "_plain") : NULL;
        Py_XDECREF(m);
        if (!known)
            return NULL;
    }
    PyObject *has = PyObject_CallOneArg(ask, cls);
    Py_XDECREF(has); /* the class's entry holds it */
    return has;
}

/* What swathe._plain_classes says of a class; borrowed, None: nothing. NULL: exception. */
PyObject *
object_plain(PyObject *cls)
{
    PyTypeObject *t = (PyTypeObject *)cls;
    struct Said *s = &said[((uintptr_t)cls >> 5) % SW_LEN(said)];
    bool tagged = PyType_HasFeature(t, Py_TPFLAGS_VALID_VERSION_TAG) && t->tp_version_tag;
    if (tagged && s->cls == cls && s->tag == t->tp_version_tag)
        return s->has;
    PyObject *has = ask_plain(cls);
    tagged = PyType_HasFeature(t, Py_TPFLAGS_VALID_VERSION_TAG) && t->tp_version_tag;
    if (has && has != Py_None && tagged)
        *s = (struct Said){cls, has, t->tp_version_tag};
    return has;
}

bool
object_renew(PyObject *cls)
{
    PyObject *r = late_call("swathe._plain_classes", "renew", cls);
    object_unsaid();
    Py_XDECREF(r);
    return r != NULL;
}

/* Is there a field that makes its class no such class? It is refused, then. */
bool
object_unfit(Dispatcher *d, Py_ssize_t i, PyObject *o)
{
    PyObject *why = late_call("swathe._plain_classes", "unfit", o);
    bool found = why && PyUnicode_Check(why);
    PyErr_Clear();
    if (found)
        args_refuse(d, i, PyExc_TypeError, "is of type %s, which compiled code does not know: %s",
                    Py_TYPE(o)->tp_name, PyUnicode_AsUTF8(why));
    Py_XDECREF(why);
    return found;
}

static bool is_open_type(PyObject *cls, PyObject *desc, int depth);

/* Is there a field, in it or in what it holds, of which the class says only that it's an array?
 * has: what is said of the class. */
static bool
is_open(PyObject *cls, PyObject *has, int depth)
{
    PyObject *fields = has && has != Py_None ? PyTuple_GET_ITEM(has, 0) : NULL;
    bool open = false;
    PyErr_Clear();
    for (Py_ssize_t i = 0; fields && i < PyTuple_GET_SIZE(fields) && !open; i++)
        open = is_open_type(cls, PyTuple_GET_ITEM(PyTuple_GET_ITEM(fields, i), 1), depth);
    return open;
}

static bool
is_open_type(PyObject *cls, PyObject *desc, int depth)
{
    bool open = desc == Py_None || (PyType_Check(desc) && desc != cls && depth > 0 &&
                                    is_open(desc, object_plain(desc), depth - 1));
    for (Py_ssize_t i = 1; PyTuple_Check(desc) && !open && i < PyTuple_GET_SIZE(desc); i++)
        open = is_open_type(cls, PyTuple_GET_ITEM(desc, i), depth);
    return open;
}

/* What one call's arguments tell of classes that don't declare what they hold is put together: see
 * swathe._plain_graphs. */
static bool call_begins;
static PyObject *last, *last_class; /* of this call */

static bool
ask_graphs(const char *what)
{
    PyObject *r = late_call("swathe._plain_graphs", what, NULL);
    bool yes = r && PyObject_IsTrue(r) == 1;
    PyErr_Clear();
    Py_XDECREF(r);
    return yes;
}

void
object_call_begins(void)
{
    call_begins = true;
    last = NULL;
}

/* Has an argument told more of objects that came before it? They are then of other classes. */
bool
object_has_grown(void)
{
    return !call_begins && ask_graphs("grown");
}

static PyObject *
class_of(PyObject *o, PyObject *has)
{
    enum { DEPTH = 8 };
    PyObject *cls = (PyObject *)Py_TYPE(o);
    if (o == last)
        return last_class;
    if (!is_open(cls, has, DEPTH))
        return cls;
    if (call_begins)
        ask_graphs("begin");
    call_begins = false;
    PyObject *of = late_call("swathe._plain_classes", "of_instance", o);
    PyErr_Clear();
    Py_XDECREF(of); /* its generic class holds it */
    last = of ? o : NULL;
    last_class = of;
    return of;
}

/* An object's class, or the one that stands for it where its arrays tell what it holds; borrowed.
 * NULL: it holds what is none. */
PyObject *
object_class(PyObject *o)
{
    PyObject *cls = (PyObject *)Py_TYPE(o);
    if (PyDict_CheckExact(o))
        return keyed_object_class(o);
    return instance_check(o) ? cls : class_of(o, object_plain(cls));
}

/* The same for objects of which any may be in one place: a class of tuples (swathe._families) where
 * they are of unlike ones. Borrowed; NULL: they have nothing in common. */
PyObject *
object_class_of_all(PyObject *objects)
{
    if (call_begins)
        ask_graphs("begin");
    call_begins = false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(objects); i++)
        if (!object_is_plain(PyList_GET_ITEM(objects, i)))
            return NULL;
    PyObject *cls = late_call("swathe._plain_graphs", "class_of_all", objects);
    PyErr_Clear();
    Py_XDECREF(cls); /* the first of the classes holds it */
    last = NULL;
    return cls;
}

/* Of a class of the user's own, which may say what its instances have; borrowed, NULL: it doesn't.
 */
static PyObject *
has_plain(PyObject *o)
{
    PyTypeObject *t = Py_TYPE(o);
    if (!(t->tp_flags & Py_TPFLAGS_HEAPTYPE) || PyType_Check(o) || PyTuple_Check(o))
        return NULL;
    PyObject *has = object_plain((PyObject *)t);
    PyErr_Clear();
    return has && has != Py_None ? has : NULL;
}

bool
object_is_known(PyObject *o)
{
    return has_plain(o) != NULL;
}

/* The same, where what it holds has types. */
bool
object_is_plain(PyObject *o)
{
    if (PyDict_CheckExact(o))
        return keyed_object_class(o) != NULL;
    PyObject *has = has_plain(o);
    return has && class_of(o, has);
}

/* ---- Python -> object ------------------------------------------------------------------------ */

bool
object_number(Dispatcher *d, const Type *t, PyObject *o, uint64_t *w)
{
    int64_t whole;
    if (type_is_int_member(t)) {
        bool fits = foreign_int_member(d, t, o, &whole);
        w[0] = fits ? (uint64_t)whole : 0;
        return fits;
    }
    bool plain = t->weak && !t->mixed && t->dtype == t->storage;
    if (plain && t->dtype == DT_f64 && PyFloat_CheckExact(o)) {
        memcpy(w, &((PyFloatObject *)o)->ob_fval, sizeof *w);
        return true;
    }
    if (plain && t->dtype == DT_i64 && whole_number(o, &whole)) {
        w[0] = (uint64_t)whole;
        return true;
    }
    uint64_t slot[2] = {0, 0};
    Frame to = {.slot = slot, .slot_end = slot + 2};
    if (!args_convert(&to, t, o)) {
        PyErr_Clear();
        return false;
    }
    w[0] = slot[0];
    if (t->storage == DT_c128)
        w[1] = slot[1];
    if (t->storage == DT_c64) {
        w[0] = slot[0] & 0xffffffff;
        w[1] = slot[0] >> 32;
    }
    return true;
}

static bool
take_array(HeapIn *h, const Type *t, PyObject *o, uint64_t *w)
{
    PyArrayObject *a = (PyArrayObject *)o;
    bool fits = args_is_array(o) && PyArray_NDIM(a) == t->ndim && dtype_of_array(a) == t->dtype &&
                (t->readonly || args_is_writeable(a)) &&
                (t->layout != LAY_C || PyArray_IS_C_CONTIGUOUS(a)) &&
                (t->layout != LAY_F || PyArray_IS_F_CONTIGUOUS(a));
    SwMem *box = fits ? heap_take_array(h->f, t, a) : NULL;
    if (!box)
        return false;
    const uint64_t *from = box->data;
    sw_retain((SwMem *)(uintptr_t)from[0]);
    memcpy(w, from, sizeof *w * (size_t)(2 + t->ndim * (t->layout == LAY_A ? 2 : 1)));
    sw_release(box);
    return true;
}

static bool
take_text(HeapIn *h, const Type *t, PyObject *o, uint64_t *w)
{
    SwMem *box = text_fits(t, o) ? text_take(h->f, o) : NULL;
    if (!box)
        return false;
    const uint64_t *from = box->data;
    sw_retain((SwMem *)(uintptr_t)from[0]);
    memcpy(w, from, 3 * sizeof *w); /* contiguous: no stride */
    sw_release(box);
    return true;
}

static bool take_part(HeapIn *h, Part *p, const Type *t, PyObject *o);

/* Behind the tag of a None. */
static bool
take_nothing(Frame *f, Part *p, const Type *t)
{
    for (int i = 0; type_has_parts(t) && i < t->n; i++)
        if (!take_nothing(f, p, t->elems[i]))
            return false;
    if (type_has_parts(t))
        return true;
    uint64_t *w = next_word(p);
    if (t->kind != TY_REF) /* of an object, no memory */
        return true;
    SwMem *m = heap_new_object(f, t);
    w[0] = (uint64_t)(uintptr_t)m;
    if (!m)
        PyErr_NoMemory();
    return m != NULL;
}

static bool
take_optional(HeapIn *h, Part *p, const Type *t, PyObject *o)
{
    *next_word(p) = o != Py_None;
    return o == Py_None ? take_nothing(h->f, p, t->elems[1]) : take_part(h, p, t->elems[1], o);
}

static bool
take_part(HeapIn *h, Part *p, const Type *t, PyObject *o)
{
    if (t->kind == TY_OPTIONAL)
        return take_optional(h, p, t, o);
    if (t->kind == TY_NONE)
        return o == Py_None;
    if (t->kind == TY_RANGE) {
        int64_t part[3];
        bool fits = PyRange_Check(o) && heap_range(o, part);
        for (int i = 0; fits && i < 3; i++)
            *next_word(p) = (uint64_t)part[i];
        return fits;
    }
    if (t->kind == TY_TUPLE) {
        PyObject *tuple = foreign_as_tuple(t, o);
        bool fits = tuple && heap_is_tuple(h->f, t, tuple);
        for (int i = 0; fits && i < t->n; i++)
            fits = take_part(h, p, t->elems[i], PyTuple_GET_ITEM(tuple, i));
        Py_XDECREF(tuple);
        return fits;
    }
    uint64_t *w = next_word(p);
    if (t->kind == TY_SCALAR)
        return object_number(h->d, t, o, w);
    if (t->kind == TY_TEXT)
        return take_text(h, t, o, w);
    if (t->kind == TY_ARRAY)
        return take_array(h, t, o, w);
    SwMem *m = NULL;
    if (t->kind == TY_REF && heap_class_of(o) == t->ref)
        m = heap_take(h, t, o);
    else if (t->kind == TY_OBJ)
        m = object_take(h, t, o);
    w[0] = (uint64_t)(uintptr_t)m;
    return m != NULL;
}

static bool
refuse(HeapIn *h, const ObjClass *c, int k, PyObject *v)
{
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_AttributeError))
        return false;
    PyObject *is = v ? heap_describe(v) : NULL;
    PyErr_Clear();
    h->f->refused = true;
    heap_in_named(h);
    if (v && is)
        PyErr_Format(h->wrong, "%U(): argument '%s': '%s' of %s is %s, and this is %U",
                     ((PyFunctionObject *)h->d->func)->func_name, h->name, c->field[k].name,
                     c->name, c->field[k].type->text, is);
    else
        PyErr_Format(h->wrong, "%U(): argument '%s': this %s has no attribute '%s'",
                     ((PyFunctionObject *)h->d->func)->func_name, h->name, c->name,
                     c->field[k].name);
    Py_XDECREF(is);
    return false;
}

/* An object may have a value of its own for what its class has. */
static bool
refuse_hidden(HeapIn *h, const ObjClass *c, PyObject *name)
{
    h->f->refused = true;
    heap_in_named(h);
    PyErr_Format(
        h->wrong,
        "%U(): argument '%s': this %s has a '%U' of its own, which hides what its class "
        "has: store it in __init__, or declare it, as in %U: float; a function by another name",
        ((PyFunctionObject *)h->d->func)->func_name, h->name, c->name, name, name);
    return false;
}

static bool
take_fields(HeapIn *h, const ObjTodo *of)
{
    const ObjPlan *plan = of->plan;
    const ObjClass *c = plan->c;
    PyObject *hidden = object_hides(plan, of->object);
    if (hidden)
        return refuse_hidden(h, c, hidden);
    for (int k = 0; k < c->n; k++) {
        Part p = object_part(plan, k, of->mem);
        PyObject *v = object_value(plan, k, of->object);
        if (c->field[k].maybe) {
            *next_word(&p) = v != NULL;
            if (!v && PyErr_ExceptionMatches(PyExc_AttributeError)) {
                PyErr_Clear();
                if (take_nothing(h->f, &p, c->field[k].type))
                    continue;
                return false;
            }
        }
        bool fits = v && take_part(h, &p, c->field[k].type, v);
        if (!fits)
            refuse(h, c, k, v);
        Py_XDECREF(v);
        if (!fits)
            return false;
    }
    return true;
}

/* Is it of the class, as far as can be seen from outside? What its fields hold is seen when they
 * are taken. */
bool
object_fits(PyObject *o, const ObjClass *c)
{
    bool by_fields = c->copied && !c->dict;
    return by_fields ? (const void *)Py_TYPE(o) == c->generic : object_class(o) == c->cls;
}

/* Objects that lead to each other: one after the other, however long the chain is. */
static bool
take_all(HeapIn *h)
{
    struct HeapSeen *seen = h->f->seen;
    if (seen->busy)
        return true;
    bool fits = seen->busy = true;
    while (fits && seen->n_todo) {
        ObjTodo of = seen->todo[--seen->n_todo];
        fits = take_fields(h, &of);
        if (fits && !of.plan->c->frozen)
            fits = object_note(h->f, &of) == 0;
    }
    seen->n_todo = 0;
    seen->busy = false;
    return fits;
}

/* A reference of its own; NULL: exception, or it is of another class. */
SwMem *
object_take(HeapIn *h, const Type *t, PyObject *o)
{
    const ObjClass *c = type_class(t);
    if (!object_fits(o, c))
        return NULL;
    if (!c->copied) {
        sw_retain(instance_mem(o));
        return instance_mem(o);
    }
    SwMem *m = h->f->seen ? map_get(&h->f->seen->by_object, o) : NULL;
    if (m) {
        sw_retain(m);
        return m;
    }
    m = heap_new_object(h->f, t);
    if (!m || heap_remember(h->f, m, o, t, true) < 0) {
        PyErr_NoMemory();
        if (m)
            sw_release(m);
        return NULL;
    }
    sw_retain(m); /* one is the frame's */
    if (object_later(h->f, c, o, m) == 0 && take_all(h))
        return m;
    sw_release(m);
    return NULL;
}
