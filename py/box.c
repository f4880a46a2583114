/* SPDX-License-Identifier: BSD-3-Clause
 * Results as Python objects. Weak scalars become Python's numbers, strong ones NumPy's;
 * an array whose owner is an argument's SwMem becomes a view of that argument, or the
 * argument itself when nothing differs (`return x` gives x); any other array gets a
 * Memory as its base, which keeps the block alive. Slots are walked in order, and on an
 * error the walk goes on to give up the references that are left. */
#include "py.h"

typedef struct Boxing {
    Dispatcher *d;
    Frame *f;
    const uint64_t *slot;
    bool borrowed;       /* references in the slots stay where they are */
    bool failed, shared; /* shared: there may be more names of the array than the result has */
} Boxing;

/* ---- scalars --------------------------------------------------------------------------------- */

static double
slot_double(const uint64_t *s)
{
    double x;
    memcpy(&x, s, sizeof x);
    return x;
}

static PyObject *
box_weak(const Type *t, const uint64_t *s)
{
    switch (dtype_kind(t->dtype)) {
    case DK_BOOL:
        return PyBool_FromLong((uint8_t)*s);
    case DK_INT:
        return PyLong_FromLongLong((int64_t)*s);
    case DK_UINT:
        return PyLong_FromUnsignedLongLong(*s);
    case DK_FLOAT:
        return PyFloat_FromDouble(slot_double(s));
    case DK_COMPLEX:
        return PyComplex_FromDoubles(slot_double(s), slot_double(s + 1));
    }
    return NULL;
}

#define STRONG(dt, cls)                                                                            \
    case dt: {                                                                                     \
        PyObject *o = Py##cls##ArrType_Type.tp_alloc(&Py##cls##ArrType_Type, 0);                   \
        if (o)                                                                                     \
            memcpy(&PyArrayScalar_VAL(o, cls), s, sizeof PyArrayScalar_VAL(o, cls));               \
        return o;                                                                                  \
    }

static PyObject *
box_strong(const Type *t, const uint64_t *s)
{
    switch ((DType)t->dtype) {
    case DT_bool:
        PyArrayScalar_RETURN_BOOL_FROM_LONG((uint8_t)*s);
        STRONG(DT_i8, Byte)
        STRONG(DT_i16, Short)
        STRONG(DT_i32, Int)
        STRONG(DT_i64, Long)
        STRONG(DT_u8, UByte)
        STRONG(DT_u16, UShort)
        STRONG(DT_u32, UInt)
        STRONG(DT_u64, ULong)
        STRONG(DT_f16, Half)
        STRONG(DT_f32, Float)
        STRONG(DT_f64, Double)
        STRONG(DT_c64, CFloat)
        STRONG(DT_c128, CDouble)
    case DT_COUNT:
        break;
    }
    PyErr_SetString(PyExc_SystemError, "swathe: unknown dtype of a result");
    return NULL;
}

PyObject *
box_scalar(const Type *t, const uint64_t *slot)
{
    if (dtype_is_param((DType)t->dtype))
        return box_time((DType)t->dtype, slot);
    return t->weak ? box_weak(t, slot) : box_strong(t, slot);
}

/* The member that a number stands for, where its type says so. */
PyObject *
box_number(Dispatcher *d, const Type *t, const uint64_t *slot)
{
    if (SW_LIKELY(!type_is_int_member(t)))
        return box_scalar(t, slot);
    PyObject *n = box_scalar(t, slot);
    PyTypeObject *cls = n ? (PyTypeObject *)box_tuple_class(d, t) : NULL;
    PyObject *r = cls ? cls->tp_alloc(cls, 1) : NULL;
    if (!cls)
        return n;
    if (r)
        PyTuple_SET_ITEM(r, 0, n);
    else
        Py_DECREF(n);
    return foreign_restored(r);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

int
typenum_of_dtype(DType dtype)
{
    static const int of[DT_COUNT] = {
        [DT_bool] = NPY_BOOL,  [DT_i8] = NPY_BYTE,     [DT_i16] = NPY_SHORT,  [DT_i32] = NPY_INT,
        [DT_i64] = NPY_LONG,   [DT_u8] = NPY_UBYTE,    [DT_u16] = NPY_USHORT, [DT_u32] = NPY_UINT,
        [DT_u64] = NPY_ULONG,  [DT_f16] = NPY_HALF,    [DT_f32] = NPY_FLOAT,  [DT_f64] = NPY_DOUBLE,
        [DT_c64] = NPY_CFLOAT, [DT_c128] = NPY_CDOUBLE};
    return of[dtype];
}

/* Strides count only where there are two elements to step between. */
bool
box_is_array(PyArrayObject *a, const Type *t, const uint64_t *s)
{
    int nd = t->ndim;
    if (PyArray_DATA(a) != (void *)(uintptr_t)s[0] || PyArray_NDIM(a) != nd ||
        dtype_of_array(a) != t->dtype ||
        (nd && memcmp(PyArray_DIMS(a), s + 2, sizeof *s * (size_t)nd) != 0))
        return false;
    bool empty = PyArray_SIZE(a) == 0;
    for (int i = 0; i < nd; i++)
        if (!empty && PyArray_DIM(a, i) > 1 && PyArray_STRIDE(a, i) != (npy_intp)s[2 + nd + i])
            return false;
    return true;
}

static PyObject *
new_array(const Type *t, const uint64_t *s, bool writeable)
{
    npy_intp shape[64], strides[64];
    for (int i = 0; i < t->ndim; i++) {
        shape[i] = (npy_intp)s[2 + i];
        strides[i] = (npy_intp)s[2 + t->ndim + i];
    }
    PyArray_Descr *of = descr_of_dtype((DType)t->dtype);
    return of ? PyArray_NewFromDescr(&PyArray_Type, of, t->ndim, shape, strides,
                                     (void *)(uintptr_t)s[0], writeable ? NPY_ARRAY_WRITEABLE : 0,
                                     NULL)
              : NULL;
}

static PyObject *
based_array(const Type *t, const uint64_t *s, PyObject *base, bool writeable)
{
    PyObject *a = base ? new_array(t, s, writeable) : NULL;
    if (!a) {
        Py_XDECREF(base);
        return NULL;
    }
    if (s[0] == 0) { /* empty: NumPy allocated its own */
        Py_DECREF(base);
        return a;
    }
    if (PyArray_SetBaseObject((PyArrayObject *)a, base) < 0)
        Py_CLEAR(a);
    return a;
}

/* Memory of the code itself (a constant array): it is copied, as the code may go first.
 */
static PyObject *
copied_array(const Type *t, const uint64_t *s, bool readonly)
{
    PyObject *view = new_array(t, s, false);
    PyObject *copy = view ? PyArray_NewCopy((PyArrayObject *)view, NPY_KEEPORDER) : NULL;
    if (copy && readonly) /* the code goes on to have its own */
        PyArray_CLEARFLAGS((PyArrayObject *)copy, NPY_ARRAY_WRITEABLE);
    Py_XDECREF(view);
    return copy;
}

/* A view of an argument's array, or that itself. */
static PyObject *
box_view(Boxing *b, const Type *t, const uint64_t *s, PyObject *arg)
{
    bool plain = t->readonly <= RO_OWNER,
         writeable = plain && PyArray_ISWRITEABLE((PyArrayObject *)arg);
    if (plain && box_is_array((PyArrayObject *)arg, t, s))
        return Py_NewRef(arg);
    bool shared = b->shared || (b->f->seen && !b->borrowed);
    PyObject *o = shared ? heap_made_array(b->f, t, s, writeable) : NULL;
    if (o)
        return Py_NewRef(o);
    o = based_array(t, s, Py_NewRef(arg), writeable);
    if (o && shared && heap_note_array(b->f, s, o) < 0)
        Py_CLEAR(o);
    return o;
}

/* Memory that the function has made; takes over the reference. */
static PyObject *
box_made(Boxing *b, const Type *t, const uint64_t *s, SwMem *m)
{
    bool writeable = t->readonly != RO_VIEW, shared = b->shared || (m->refs > 1 && !b->borrowed);
    PyObject *o = shared ? heap_made_array(b->f, t, s, writeable) : NULL;
    if (o) {
        sw_release(m);
        return Py_NewRef(o);
    }
    uint64_t own[2 + 2 * 64];
    memcpy(own, s, sizeof *s * (size_t)(2 + 2 * t->ndim));
    PyObject *base = heap_packed_view(b->f, m, own);
    bool packed = base || PyErr_Occurred();
    if (packed)
        s = own;
    else
        base = memory_new(b->f->st, m);
    if (packed || !base)
        sw_release(m);
    o = based_array(t, s, base, writeable);
    if (o && shared && heap_note_array(b->f, s, o) < 0)
        Py_CLEAR(o);
    return o;
}

static PyObject *
box_array(Boxing *b, const Type *t)
{
    const uint64_t *s = b->slot;
    SwMem *m = (SwMem *)(uintptr_t)s[1];
    PyObject *arg = heap_owner(b->f, m);
    b->slot += 2 + 2 * t->ndim;
    bool counted = m && (!arg || upcall_array(m)) && !b->borrowed;
    if (b->failed) {
        if (counted)
            sw_release(m);
        return NULL;
    }
    if (arg) {
        PyObject *o = box_view(b, t, s, arg);
        if (counted)
            sw_release(m);
        return o;
    }
    if (m && b->borrowed)
        sw_retain(m);
    return m ? box_made(b, t, s, m) : copied_array(t, s, b->borrowed);
}

PyObject *
box_element(Frame *f, const Type *t, const uint64_t *slots, bool shared)
{
    Boxing b = {.f = f, .slot = slots, .shared = shared};
    return box_array(&b, t);
}

/* ---- tuples ---------------------------------------------------------------------------------- */

/* The class of a named tuple: by its address when this process compiled the function, by
 * name and fields when it came from the cache. */
PyObject *
box_tuple_class(Dispatcher *d, const Type *t)
{
    PyObject *list = d->tuple_classes;
    int n_names = type_is_int_member(t) ? 1 : t->n;
    Py_ssize_t n = list ? PyList_GET_SIZE(list) : 0;
    for (Py_ssize_t i = 0; i < n; i++)
        if ((const void *)PyList_GET_ITEM(list, i) == t->ref)
            return PyList_GET_ITEM(list, i);
    for (Py_ssize_t i = n - 1; i >= 0; i--) {
        PyTypeObject *c = (PyTypeObject *)PyList_GET_ITEM(list, i);
        PyObject *f = PyObject_GetAttr((PyObject *)c, d->st->s__fields);
        bool same = f && PyTuple_Check(f) && PyTuple_GET_SIZE(f) == n_names &&
                    !strncmp(t->text, c->tp_name, strlen(c->tp_name));
        for (int k = 0; same && k < n_names; k++)
            same = !PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(f, k), t->names[k]);
        PyErr_Clear();
        Py_XDECREF(f);
        if (same)
            return (PyObject *)c;
    }
    return NULL;
}

PyObject *
box_new_tuple(Dispatcher *d, const Type *t)
{
    PyTypeObject *cls = t->names ? (PyTypeObject *)box_tuple_class(d, t) : NULL;
    return cls ? cls->tp_alloc(cls, t->n) : t->listed ? PyList_New(t->n) : PyTuple_New(t->n);
}

static PyObject *box_value(Boxing *b, const Type *t);

/* What is there of several; all are walked. */
static PyObject *
box_either(Boxing *b, const Type *t)
{
    PyObject *found = NULL;
    for (int i = 0; i < t->n; i++) {
        PyObject *v = box_value(b, t->elems[i]);
        b->failed |= !v;
        if (v && v != Py_None && !found)
            found = v;
        else
            Py_XDECREF(v);
    }
    if (b->failed)
        Py_CLEAR(found);
    return b->failed || found ? found : Py_NewRef(Py_None);
}

static PyObject *
box_tuple(Boxing *b, const Type *t)
{
    PyObject *r = b->failed ? NULL : box_new_tuple(b->d, t);
    b->failed |= r == NULL;
    for (int i = 0; i < t->n; i++) {
        PyObject *v = box_value(b, t->elems[i]);
        if (!v)
            b->failed = true;
        else if (!b->failed && t->listed)
            PyList_SET_ITEM(r, i, v);
        else if (!b->failed)
            PyTuple_SET_ITEM(r, i, v);
        else
            Py_DECREF(v);
    }
    if (b->failed)
        Py_CLEAR(r);
    return t->names ? foreign_restored(r) : r;
}

static PyObject *
box_keyed(Boxing *b, const Type *t)
{
    PyObject *d = b->failed ? NULL : PyDict_New();
    b->failed |= d == NULL;
    for (int i = 0; i < t->n; i++) {
        PyObject *v = box_value(b, t->elems[i]);
        b->failed |= !v || (d && PyDict_SetItemString(d, t->names[i], v) < 0);
        Py_XDECREF(v);
    }
    if (b->failed)
        Py_CLEAR(d);
    return d;
}

/* The array whose fields they are; of one record NumPy's scalar, which shares its memory. */
static PyObject *
box_record(Boxing *b, const Type *t)
{
    PyObject *parts = box_tuple(b, t), *cls = box_tuple_class(b->d, t);
    PyObject *a = parts && cls ? PyObject_CallMethod(cls, "_array", "(O)", parts) : NULL;
    Py_XDECREF(parts);
    if (a)
        a = record_back(a);
    if (parts && !cls)
        PyErr_SetString(PyExc_TypeError, "the dtype of the result is gone");
    b->failed |= a == NULL;
    return a;
}

/* Values without a slot: None, and what is known when compiled. */
static PyObject *
box_static(Boxing *b, const Type *t)
{
    if (b->failed)
        return NULL;
    if (t->kind == TY_NONE)
        return Py_NewRef(Py_None);
    if (t->kind == TY_DTYPE)
        return (PyObject *)descr_of_dtype((DType)t->dtype);
    if (t->kind == TY_ELLIPSIS)
        return Py_NewRef(type_declines(t) ? Py_NotImplemented : Py_Ellipsis);
    PyErr_Format(PyExc_TypeError, "%U(): a result of type %s can't be passed to Python",
                 ((PyFunctionObject *)b->d->func)->func_name, t->text);
    return NULL;
}

/* What is behind the tag is walked either way. */
static PyObject *
box_optional(Boxing *b, const Type *t)
{
    bool some = (uint8_t)*b->slot++, failed = b->failed;
    b->failed |= !some; /* so that references are given up, and nothing is made */
    PyObject *v = box_value(b, t->elems[1]);
    if (some || failed)
        return v;
    Py_XDECREF(v);
    b->failed = false;
    return Py_NewRef(Py_None);
}

static PyObject *
box_slice(Boxing *b, const Type *t)
{
    PyObject *part[3];
    for (int k = 0; k < 3; k++)
        part[k] = box_value(b, t->elems[k]);
    PyObject *o = b->failed ? NULL : PySlice_New(part[0], part[1], part[2]);
    for (int k = 0; k < 3; k++)
        Py_XDECREF(part[k]);
    b->failed |= o == NULL;
    return o;
}

static PyObject *
box_value(Boxing *b, const Type *t)
{
    if (t->kind == TY_SCALAR) {
        const uint64_t *s = b->slot;
        b->slot += t->storage == DT_c128 ? 2 : 1;
        return b->failed ? NULL : box_number(b->d, t, s);
    }
    if (t->kind == TY_ARRAY)
        return box_array(b, t);
    if (t->kind == TY_TEXT) {
        SwMem *m = (SwMem *)(uintptr_t)b->slot[1];
        PyObject *o = b->failed ? NULL : text_box(b->f, t, b->slot);
        b->slot += type_slots(t);
        if (m && !b->borrowed)
            sw_release(m);
        b->failed |= o == NULL;
        return o;
    }
    if (t->kind == TY_REF) {
        SwMem *m = (SwMem *)(uintptr_t)b->slot[1];
        b->slot += type_slots(t);
        PyObject *o = b->failed ? NULL : heap_box(b->f, t, m);
        if (!b->borrowed)
            heap_release(b->f, m);
        return o;
    }
    if (t->kind == TY_OBJ) {
        SwMem *m = (SwMem *)(uintptr_t)b->slot[1];
        b->slot += type_slots(t);
        PyObject *o = b->failed ? NULL : object_box(b->f, t, m);
        if (!b->borrowed)
            sw_release(m);
        return o;
    }
    if (t->kind == TY_TUPLE)
        return box_tuple(b, t);
    if (t->kind == TY_RANGE) {
        const uint64_t *s = b->slot;
        b->slot += 3;
        PyObject *o = b->failed ? NULL : box_range((int64_t)s[0], (int64_t)s[1], (int64_t)s[2]);
        b->failed |= o == NULL;
        return o;
    }
    if (t->kind == TY_SLICE)
        return box_slice(b, t);
    if (t->kind == TY_KEYED)
        return box_keyed(b, t);
    if (t->kind == TY_RECORD)
        return box_record(b, t);
    if (t->kind == TY_EITHER)
        return box_either(b, t);
    if (t->kind == TY_OPTIONAL)
        return box_optional(b, t);
    b->slot += type_slots(t);
    return box_static(b, t);
}

PyObject *
box_result(Dispatcher *d, const Type *t, const uint64_t *slots, Frame *f)
{
    Boxing b = {
        .d = d,
        .f = f,
        .slot = slots,
    };
    f->st = d->st;
    f->d = d;
    return box_value(&b, t);
}

PyObject *
box_lent(Frame *f, const Type *t, const uint64_t *slots)
{
    Boxing b = {.d = f->d, .f = f, .slot = slots, .borrowed = true};
    return box_value(&b, t);
}
