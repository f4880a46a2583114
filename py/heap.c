/* SPDX-License-Identifier: BSD-3-Clause
 * Lists and dicts at the boundary. An argument becomes an object in one pass over its elements, and what the function has
 * changed is written back on every way out, before anybody sees the result; elements that are as they were stay the same Python
 * objects, and so do the containers. A result that is one of the arguments is that argument. */
#include "py.h"

/* ---- objects -> Python ------------------------------------------------------------------------ */

/* The slots that box_scalar takes, of an element of a column. */
static void
read_scalar(DType d, const char *p, uint64_t out[2])
{
    out[0] = out[1] = 0;
    switch (d) {
    case DT_i8:
        out[0] = (uint64_t)(int64_t)*(const int8_t *)p;
        break;
    case DT_i16:
        out[0] = (uint64_t)(int64_t)*(const int16_t *)(const void *)p;
        break;
    case DT_i32:
        out[0] = (uint64_t)(int64_t)*(const int32_t *)(const void *)p;
        break;
    default:
        memcpy(out, p, (size_t)dtype_size(d));
    }
}

PyObject *
heap_element(Frame *f, const Type *t, const uint64_t *words, int *at, int64_t i)
{
    if (t->kind == TY_TUPLE) {
        PyObject *r = PyTuple_New(t->n);
        for (int k = 0; k < t->n; k++) {
            PyObject *v = heap_element(f, t->elems[k], words, at, i);
            if (r && v)
                PyTuple_SET_ITEM(r, k, v);
            else
                Py_XDECREF(v);
            if (!v)
                Py_CLEAR(r);
        }
        return r;
    }
    const uint64_t *word = words + *at;
    const char *data = (const char *)(uintptr_t)word[1];
    *at += 3;
    if (t->kind == TY_REF)
        return heap_box(f, t, ((SwMem *const *)(const void *)data)[i]);
    uint64_t slot[2];
    int size = dtype_size((DType)t->dtype);
    read_scalar((DType)t->dtype, data + i * size, slot);
    return box_scalar(t, slot);
}

static PyObject *
seen_object(const Frame *f, const SwMem *m)
{
    for (int i = 0; i < f->n_held; i++)
        if (f->held[i].mem == m)
            return f->held[i].object;
    for (int i = 0; i < f->n_boxed; i++)
        if (f->boxed[i].mem == m)
            return f->boxed[i].object;
    return NULL;
}

static HeapHeld *
more(HeapHeld **list, int *n, int *cap)
{
    if (*n == *cap) {
        int room = *cap ? *cap * 2 : 8;
        HeapHeld *at = PyMem_Realloc(*list, sizeof *at * (size_t)room);
        if (!at) {
            PyErr_NoMemory();
            return NULL;
        }
        *list = at;
        *cap = room;
    }
    return &(*list)[(*n)++];
}

/* Alive as long as what it is part of, which is until the call ends. */
static int
remember(Frame *f, SwMem *m, PyObject *o)
{
    HeapHeld *h = more(&f->boxed, &f->n_boxed, &f->cap_boxed);
    if (h)
        *h = (HeapHeld){.mem = m, .object = Py_NewRef(o)};
    return h ? 0 : -1;
}

/* A new reference; takes none of m's. */
PyObject *
heap_box(Frame *f, const Type *t, SwMem *m)
{
    PyObject *o = seen_object(f, m);
    if (o)
        return Py_NewRef(o);
    const uint64_t *words = m->data;
    int64_t n = (int64_t)words[0];
    o = PyList_New((Py_ssize_t)n);
    if (!o || (m->refs > 1 && remember(f, m, o) < 0)) {
        Py_XDECREF(o);
        return NULL;
    }
    for (int64_t i = 0; i < n; i++) {
        int at = heap_column(t, 0);
        PyObject *v = heap_element(f, t->elems[0], words, &at, i);
        if (!v) {
            Py_DECREF(o);
            return NULL;
        }
        PyList_SET_ITEM(o, (Py_ssize_t)i, v);
    }
    return o;
}

/* ---- Python -> objects: what an argument is -------------------------------------------------------- */

/* Codes that tell its type: of a list, by its first element. */
int
heap_code(Frame *f, PyObject *o, int depth)
{
    if (f->code + 4 > f->code_end)
        return -2;
    if (depth > 20)
        return -1;
    if (PyList_CheckExact(o)) {
        *f->code++ = CODE_LIST;
        if (PyList_GET_SIZE(o) == 0) {
            *f->code++ = CODE_EMPTY;
            return 0;
        }
        return heap_code(f, PyList_GET_ITEM(o, 0), depth + 1);
    }
    if (PyTuple_CheckExact(o) && PyTuple_GET_SIZE(o) > 0) {
        *f->code++ = CODE_TUPLE | (uint64_t)PyTuple_GET_SIZE(o) << 8;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); i++) {
            int r = heap_code(f, PyTuple_GET_ITEM(o, i), depth + 1);
            if (r)
                return r;
        }
        return 0;
    }
    if (PyFloat_CheckExact(o))
        *f->code++ = CODE_FLOAT;
    else if (PyBool_Check(o))
        *f->code++ = CODE_BOOL;
    else if (PyLong_CheckExact(o))
        *f->code++ = CODE_INT;
    else if (PyComplex_CheckExact(o))
        *f->code++ = CODE_COMPLEX;
    else if (PyArray_IsScalar(o, Generic) && args_npscalar_dtype(o) >= 0)
        *f->code++ = CODE_NPSCALAR | (uint64_t)args_npscalar_dtype(o) << 8;
    else
        return -1;
    return 0;
}

static const Type *
element_type(In *in, PyObject *o)
{
    if (PyList_CheckExact(o))
        return heap_type(in, o);
    if (!PyTuple_CheckExact(o))
        return args_type(in, o);
    int n = (int)PyTuple_GET_SIZE(o);
    const Type **e = NEW_N(&in->cx->arena, const Type *, n + 1);
    for (int i = 0; i < n; i++)
        e[i] = element_type(in, PyTuple_GET_ITEM(o, i));
    return type_tuple(in->cx->types, n, e);
}

const Type *
heap_type(In *in, PyObject *list)
{
    const Type *e = PyList_GET_SIZE(list) ? element_type(in, PyList_GET_ITEM(list, 0))
                                          : type_open(in->cx->types, NEW(&in->cx->arena, TypeVar));
    return type_heap(in->cx->types, &heap_list, &e);
}

/* ---- Python -> objects: its elements ------------------------------------------------------------------ */

static bool
refuse_element(HeapIn *h, const Type *t, PyObject *o, int64_t i)
{
    if (!PyErr_Occurred())
        PyErr_Format(h->wrong, "%U(): argument '%s' is a list of %s, and its element %lld is of type %s: a list holds values of one type",
                     ((PyFunctionObject *)h->d->func)->func_name, h->name, t->text, (long long)i, Py_TYPE(o)->tp_name);
    return false;
}

static bool
take_weak(HeapIn *h, const Type *t, PyObject *o, void *p, int64_t i)
{
    int over = 0;
    switch ((DType)t->dtype) {
    case DT_f64:
        if (!PyFloat_CheckExact(o))
            return refuse_element(h, t, o, i);
        *(double *)p = PyFloat_AS_DOUBLE(o);
        return true;
    case DT_i64:
        if (!PyLong_CheckExact(o))
            return refuse_element(h, t, o, i);
        *(int64_t *)p = PyLong_AsLongLongAndOverflow(o, &over);
        if (over)
            PyErr_Format(PyExc_OverflowError, "%U(): element %lld of argument '%s' is a Python int that does not fit in int64",
                         ((PyFunctionObject *)h->d->func)->func_name, (long long)i, h->name);
        return !over;
    case DT_bool:
        if (!PyBool_Check(o))
            return refuse_element(h, t, o, i);
        *(uint8_t *)p = o == Py_True;
        return true;
    default:
        if (!PyComplex_CheckExact(o))
            return refuse_element(h, t, o, i);
        ((double *)p)[0] = PyComplex_RealAsDouble(o);
        ((double *)p)[1] = PyComplex_ImagAsDouble(o);
        return true;
    }
}

static bool
take_element(HeapIn *h, const Type *t, PyObject *o, const uint64_t *words, int *at, int64_t i)
{
    if (t->kind == TY_TUPLE) {
        if (!PyTuple_CheckExact(o) || PyTuple_GET_SIZE(o) != t->n)
            return refuse_element(h, t, o, i);
        for (int k = 0; k < t->n; k++)
            if (!take_element(h, t->elems[k], PyTuple_GET_ITEM(o, k), words, at, i))
                return false;
        return true;
    }
    char *data = (char *)(uintptr_t)words[*at + 1];
    *at += 3;
    if (t->kind == TY_REF) {
        if (!PyList_CheckExact(o))
            return refuse_element(h, t, o, i);
        SwMem *m = heap_take(h, t, o);
        ((SwMem **)(void *)data)[i] = m;
        return m != NULL;
    }
    char *p = data + i * dtype_size((DType)t->dtype);
    if (t->weak)
        return take_weak(h, t, o, p, i);
    if (!PyArray_IsScalar(o, Generic) || args_npscalar_dtype(o) != t->dtype)
        return refuse_element(h, t, o, i);
    PyArray_ScalarAsCtype(o, p);
    return true;
}

static bool
new_columns(SwCtx *cx, const Type *t, uint64_t *words, int *at, int64_t n)
{
    for (int i = 0; t->kind == TY_TUPLE && i < t->n; i++)
        if (!new_columns(cx, t->elems[i], words, at, n))
            return false;
    if (t->kind == TY_TUPLE)
        return true;
    SwMem *m;
    bool refs = t->kind == TY_REF;
    if (refs ? sw_new(cx, rt_layout("*"), n, &m) : sw_alloc(cx, n * dtype_size((DType)t->dtype), 0, &m))
        return false;
    words[*at] = (uint64_t)(uintptr_t)m;
    words[*at + 1] = (uint64_t)(uintptr_t)m->data;
    words[*at + 2] = (uint64_t)n;
    *at += 3;
    return true;
}

static bool
hold(Frame *f, PyObject *o, SwMem *m, const Type *t)
{
    HeapHeld *h = more(&f->held, &f->n_held, &f->cap_held);
    if (h)
        *h = (HeapHeld){.mem = m, .object = Py_NewRef(o), .type = t};
    return h != NULL;
}

static SwMem *
held_for(const Frame *f, PyObject *o, const Type *t)
{
    for (int i = 0; i < f->n_held; i++)
        if (f->held[i].object == o && f->held[i].type == t)
            return f->held[i].mem;
    return NULL;
}

/* A reference to the object for a list; NULL with an exception. */
SwMem *
heap_take(HeapIn *h, const Type *t, PyObject *list)
{
    SwMem *m = held_for(h->f, list, t);
    if (m) {
        sw_retain(m);
        return m;
    }
    SwCtx cx = {0};
    Arena scratch = {0};
    char *layout = heap_layout(&scratch, t);
    int64_t n = (int64_t)PyList_GET_SIZE(list), words = (int64_t)strlen(layout);
    int r = sw_new(&cx, rt_layout(layout), words, &m), at = heap_column(t, 0);
    arena_free(&scratch);
    if (r) {
        PyErr_NoMemory();
        return NULL;
    }
    uint64_t *w = m->data;
    if (n && !new_columns(&cx, t->elems[0], w, &at, n)) {
        PyErr_NoMemory();
        sw_release(m);
        return NULL;
    }
    w[0] = (uint64_t)n;
    if (!hold(h->f, list, m, t)) {
        sw_release(m);
        return NULL;
    }
    sw_retain(m); /* one is the frame's, one the caller's */
    for (int64_t i = 0; i < n; i++) {
        at = heap_column(t, 0);
        if (!take_element(h, t->elems[0], PyList_GET_ITEM(list, (Py_ssize_t)i), w, &at, i)) {
            sw_release(m);
            return NULL;
        }
    }
    return m;
}

static void
give_slots(uint64_t *slot, SwMem *m, int64_t words)
{
    slot[0] = (uint64_t)(uintptr_t)m->data;
    slot[1] = (uint64_t)(uintptr_t)m;
    slot[2] = (uint64_t)words;
    slot[3] = 8;
}

/* Objects for all arguments that are lists; the slots were left for them. */
int
heap_arguments(Dispatcher *d, const SwFunction *fn, Frame *f)
{
    uint64_t *slot = f->slots;
    HeapIn h = {.d = d, .f = f, .wrong = error_class(d->st, "ArgumentTypeError")};
    int k = 0, r = 0;
    for (int i = 0; i < fn->n_args && r == 0; i++) {
        const Type *t = fn->args[i];
        char name[128];
        if (t->kind == TY_REF) {
            h.name = args_param_name(d, i, name);
            SwMem *m = heap_take(&h, t, f->lists[k++]);
            if (m) {
                give_slots(slot, m, heap_column(t, ((const HeapClass *)t->ref)->n_groups));
                sw_release(m); /* the frame holds it */
            }
            r = m ? 0 : -1;
        }
        slot += type_slots(t);
    }
    Py_DECREF(h.wrong);
    if (r < 0)
        heap_end(f);
    return r;
}

/* ---- what has changed ------------------------------------------------------------------------------------ */

static bool
same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Is the element of the object what the Python object says? */
static bool
is_same(const Frame *f, const Type *t, PyObject *o, const uint64_t *words, int *at, int64_t i)
{
    if (t->kind == TY_TUPLE) {
        bool same = PyTuple_CheckExact(o) && PyTuple_GET_SIZE(o) == t->n;
        for (int k = 0; k < t->n; k++)
            same &= is_same(f, t->elems[k], same ? PyTuple_GET_ITEM(o, k) : Py_None, words, at, i);
        return same;
    }
    const char *data = (const char *)(uintptr_t)words[*at + 1];
    *at += 3;
    if (t->kind == TY_REF) {
        SwMem *m = ((SwMem *const *)(const void *)data)[i];
        for (int k = 0; k < f->n_held; k++)
            if (f->held[k].mem == m)
                return f->held[k].object == o;
        return false;
    }
    const char *p = data + i * dtype_size((DType)t->dtype);
    int over = 0;
    if (!t->weak) {
        char now[16] = {0};
        if (!PyArray_IsScalar(o, Generic) || args_npscalar_dtype(o) != t->dtype)
            return false;
        PyArray_ScalarAsCtype(o, now);
        return !memcmp(now, p, (size_t)dtype_size((DType)t->dtype));
    }
    switch ((DType)t->dtype) {
    case DT_f64:
        return PyFloat_CheckExact(o) && same_bits(PyFloat_AS_DOUBLE(o), *(const double *)(const void *)p);
    case DT_i64:
        return PyLong_CheckExact(o) && PyLong_AsLongLongAndOverflow(o, &over) == *(const int64_t *)(const void *)p && !over;
    case DT_bool:
        return PyBool_Check(o) && (o == Py_True) == (*(const uint8_t *)p != 0);
    default:
        return PyComplex_CheckExact(o) && same_bits(PyComplex_RealAsDouble(o), ((const double *)(const void *)p)[0]) &&
               same_bits(PyComplex_ImagAsDouble(o), ((const double *)(const void *)p)[1]);
    }
}

static int
write_back(Frame *f, const HeapHeld *h)
{
    const Type *t = h->type, *e = t->elems[0];
    const uint64_t *words = h->mem->data;
    Py_ssize_t n = (Py_ssize_t)words[0];
    PyObject *list = h->object;
    for (Py_ssize_t i = 0; i < n; i++) {
        int at = heap_column(t, 0);
        if (i < PyList_GET_SIZE(list) && is_same(f, e, PyList_GET_ITEM(list, i), words, &at, i))
            continue;
        at = heap_column(t, 0);
        PyObject *v = heap_element(f, e, words, &at, i);
        int r = !v ? -1 : i < PyList_GET_SIZE(list) ? PyList_SetItem(list, i, Py_NewRef(v)) : PyList_Append(list, v);
        Py_XDECREF(v);
        if (r < 0)
            return -1;
    }
    return PyList_GET_SIZE(list) > n ? PyList_SetSlice(list, n, PyList_GET_SIZE(list), NULL) : 0;
}

/* The function has run: what it has changed is written back. An exception that is on its way stays. */
int
heap_write_back(Frame *f)
{
    PyObject *type, *value, *trace;
    int r = 0;
    PyErr_Fetch(&type, &value, &trace);
    for (int i = 0; i < f->n_held && r == 0; i++)
        r = write_back(f, &f->held[i]);
    if (type)
        PyErr_Restore(type, value, trace);
    return r;
}

static void
end_list(HeapHeld **list, int *n, bool release)
{
    for (int i = 0; i < *n; i++) {
        if (release)
            sw_release((*list)[i].mem);
        Py_DECREF((*list)[i].object);
    }
    PyMem_Free(*list);
    *list = NULL;
    *n = 0;
}

void
heap_end(Frame *f)
{
    end_list(&f->held, &f->n_held, true);
    end_list(&f->boxed, &f->n_boxed, false);
    f->cap_held = f->cap_boxed = 0;
}
