/* SPDX-License-Identifier: BSD-3-Clause
 * Which types the values of arguments have, and the room that they need. */
#include "py.h"

/* As slices of an array in Fortran order are: strides grow from axis to axis. */
bool
args_in_f_order(PyArrayObject *a)
{
    const npy_intp *shape = PyArray_DIMS(a), *strides = PyArray_STRIDES(a);
    long long last = 0;
    int n = 0, nd = PyArray_NDIM(a);
    if (SW_LIKELY(nd < 2 || PyArray_FLAGS(a) & (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS)))
        return false;
    for (int k = 0; k < nd; k++) {
        if (shape[k] == 1)
            continue;
        if (llabs(strides[k]) <= last)
            return false;
        last = llabs(strides[k]);
        n++;
    }
    return n > 1;
}

static const Type *
array_type(In *in, PyArrayObject *a)
{
    int d = dtype_of_array(a);
    Layout l = PyArray_IS_C_CONTIGUOUS(a) ? LAY_C : PyArray_IS_F_CONTIGUOUS(a) ? LAY_F : LAY_A;
    if (args_in_f_order(a))
        return type_strided(in->cx->types, (DType)d, PyArray_NDIM(a), true, !args_is_writeable(a));
    return type_array(in->cx->types, (DType)d, PyArray_NDIM(a), l, !args_is_writeable(a));
}

/* A field's own axes are the last of its view. */
static const Type *
record_type(In *in, const Const *c, const Type *const *e)
{
    int ndim = e[0]->ndim - c->elems[0]->ndim;
    return type_record(in->cx->types, ndim, c->n, e, c->names, c->ref, c->str);
}

static const Type *
tuple_type(In *in, PyObject *o)
{
    int n = (int)PyTuple_GET_SIZE(o);
    const Type **e = NEW_N(&in->cx->arena, const Type *, n + 1);
    for (int i = 0; i < n; i++)
        e[i] = args_type(in, PyTuple_GET_ITEM(o, i));
    return args_tuple_type(in, o, e);
}

const Type *
args_tuple_type(In *in, PyObject *o, const Type *const *e)
{
    int n = (int)PyTuple_GET_SIZE(o);
    if (PyTuple_CheckExact(o))
        return type_tuple(in->cx->types, n, e);
    const Const *c = in_const(in, (PyObject *)Py_TYPE(o), NULL);
    if (c->kind == CV_RECORD)
        return record_type(in, c, e);
    if (c->kind != CV_TUPLE_CLASS)
        return type_tuple(in->cx->types, n, e);
    return type_named_tuple(in->cx->types, n, e, c->names, c->ref, c->str);
}

enum { MOST_UNLIKE = 64, MOST_NESTED = 3 };

static bool
is_unlike_list(PyObject *o, int depth)
{
    PyArrayObject *first = NULL;
    bool unlike = false;
    Py_ssize_t n = PyList_CheckExact(o) && depth < MOST_NESTED ? PyList_GET_SIZE(o) : 0;
    for (Py_ssize_t i = 0; i < n && n <= MOST_UNLIKE; i++) {
        PyObject *x = PyList_GET_ITEM(o, i);
        if (!args_is_array(x) && !is_unlike_list(x, depth + 1))
            return false;
        PyArrayObject *a = args_is_array(x) ? (PyArrayObject *)x : NULL;
        unlike |= !a || (first && (PyArray_NDIM(a) != PyArray_NDIM(first) ||
                                   dtype_of_array(a) != dtype_of_array(first)));
        first = a ? a : first;
    }
    return unlike;
}

/* Each of these is a type of its own: code is made for it. */
bool
args_is_function(PyObject *o)
{
    return PyFunction_Check(o) || PyCFunction_Check(o) || PyType_Check(o) ||
           !strcmp(Py_TYPE(o)->tp_name, "swathe._core.Dispatcher") ||
           !strcmp(Py_TYPE(o)->tp_name, "numpy.ufunc");
}

static bool
is_function_list(PyObject *o)
{
    Py_ssize_t n = PyList_GET_SIZE(o);
    bool all = n > 0 && n <= MOST_UNLIKE;
    for (Py_ssize_t i = 0; i < n && all; i++)
        all = args_is_function(PyList_GET_ITEM(o, i));
    return all;
}

bool
args_is_unlike_list(PyObject *o)
{
    return is_unlike_list(o, 0) || is_function_list(o);
}

static const Type *
listed_type(In *in, PyObject *o)
{
    int n = (int)PyList_GET_SIZE(o);
    const Type **e = NEW_N(&in->cx->arena, const Type *, n + 1);
    for (int i = 0; i < n; i++)
        e[i] = args_type(in, PyList_GET_ITEM(o, i));
    return type_listed(in->cx->types, n, e);
}

/* ---- slices ---------------------------------------------------------------------------------- */

static PyObject *
slice_part(PyObject *o, int k)
{
    const PySliceObject *s = (PySliceObject *)o;
    return k == 0 ? s->start : k == 1 ? s->stop : s->step;
}

/* Which of its parts are ints is its type; others are None. */
int
args_take_slice(Dispatcher *d, Frame *f, PyObject *o, Py_ssize_t i)
{
    uint64_t ints = 0;
    for (int k = 0; k < 3; k++) {
        PyObject *part = slice_part(o, k);
        if (part == Py_None)
            continue;
        PyObject *n =
            PyLong_Check(part) || PyArray_IsScalar(part, Integer) ? PyNumber_Index(part) : NULL;
        int over = 0;
        int64_t v = n ? PyLong_AsLongLongAndOverflow(n, &over) : 0;
        if (!n && PyErr_Occurred())
            return TAKE_ERROR;
        if (!n)
            return args_refuse(d, i, PyExc_TypeError,
                               "is a slice with a part of type %s: they are integers or None",
                               Py_TYPE(part)->tp_name);
        Py_DECREF(n);
        if (over)
            return args_refuse(d, i, PyExc_OverflowError, "has an int that does not fit in int64");
        *f->slot++ = (uint64_t)v;
        ints |= 1u << k;
    }
    *f->code++ = CODE_SLICE | ints << 8;
    return TAKE_OK;
}

static const Type *
slice_type(TypeTable *t, PyObject *o)
{
    const Type *part[3];
    for (int k = 0; k < 3; k++)
        part[k] = slice_part(o, k) == Py_None ? type_none(t) : type_scalar(t, DT_i64, true);
    return type_other(t, TY_SLICE, NULL, 3, part, NULL);
}

const Type *
args_type(In *in, PyObject *o)
{
    TypeTable *t = in->cx->types;
    o = typed_stands_for(o);
    if (PyList_CheckExact(o) && args_is_unlike_list(o))
        return listed_type(in, o);
    if (PyUnicode_CheckExact(o))
        return type_text(t);
    if (PyBytes_CheckExact(o))
        return type_bytes(t);
    if (PyRange_Check(o))
        return type_range(t);
    if (PySlice_Check(o))
        return slice_type(t, o);
    if (PyArray_Check(o))
        return array_type(in, (PyArrayObject *)o);
    if (!in->mixed && PyDict_CheckExact(o) && keyed_object_class(o))
        return keyed_object_type(in, o);
    if (!in->mixed && keyed_is(o))
        return keyed_type(in, o);
    if (typed_check(o) || heap_class_of(o))
        return heap_type(in, typed_sample(o));
    if (instance_check(o) || object_is_plain(o))
        return class_type(in, object_class(o));
    if (PyTuple_Check(o))
        return tuple_type(in, o);
    if (PyArray_IsScalar(o, Generic)) {
        int d = args_npscalar_dtype(o);
        return d < 0 ? type_unknown(t) : type_scalar(t, (DType)d, false);
    }
    if (PyBool_Check(o))
        return type_scalar(t, DT_bool, true);
    if (PyLong_Check(o) && foreign_is_enum(o))
        return const_type(t, in_const(in, o, NULL));
    if (PyLong_Check(o))
        return type_scalar(t, DT_i64, true);
    if (PyFloat_Check(o))
        return type_scalar(t, DT_f64, true);
    if (PyComplex_Check(o))
        return type_scalar(t, DT_c128, true);
    return const_type(t, in_const(in, o, NULL));
}

/* Of a signature's type: would the value take the slots that it has, without a conversion? */
bool
args_same_slots(const Type *t, PyObject *o)
{
    if (t->kind == TY_OPTIONAL) /* its slots are more than those of the value alone */
        return false;
    if (type_has_parts(t)) {
        for (int i = 0; i < t->n; i++)
            if (!args_same_slots(t->elems[i], PyTuple_GET_ITEM(o, i)))
                return false;
        return true;
    }
    if (t->kind != TY_SCALAR)
        return true;
    if (PyArray_IsScalar(o, Generic)) {
        PyArray_Descr *descr = PyArray_DescrFromScalar(o);
        bool same = descr && dtype_of_descr(descr) == t->dtype;
        Py_XDECREF(descr);
        return same;
    }
    return PyBool_Check(o)      ? t->dtype == DT_bool
           : PyLong_Check(o)    ? t->dtype == DT_i64
           : PyFloat_Check(o)   ? t->dtype == DT_f64
           : PyComplex_Check(o) ? t->dtype == DT_c128
                                : false;
}

/* ---- frames ---------------------------------------------------------------------------------- */

void
args_count(PyObject *o, size_t *slots, size_t *codes, size_t *arrays, int depth)
{
    *codes += 4;
    *slots += 4;
    o = typed_stands_for(o);
    if (heap_class_of(o) || typed_check(o))
        *codes += 1000;
    if (PyArray_Check(o)) {
        *slots += 2 * (size_t)PyArray_NDIM((PyArrayObject *)o);
        *arrays += 1;
    } else if (PyTuple_Check(o) && depth < 30) {
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(o); k++)
            args_count(PyTuple_GET_ITEM(o, k), slots, codes, arrays, depth + 1);
    } else if (PyList_CheckExact(o) && args_is_unlike_list(o)) {
        for (Py_ssize_t k = 0; k < PyList_GET_SIZE(o); k++)
            args_count(PyList_GET_ITEM(o, k), slots, codes, arrays, depth + 1);
    } else if (depth < 30 && keyed_is(o)) {
        keyed_room(o, slots, codes, arrays, depth);
    }
}

/* A call with more in it than a FrameRoom holds; `more` slots than the arguments show. */
int
args_room(Frame *f, PyObject *const *args, Py_ssize_t n, int more)
{
    size_t slots = 8 + (size_t)more, codes = 40, arrays = 1;
    for (Py_ssize_t i = 0; i < n; i++)
        args_count(args[i], &slots, &codes, &arrays, 0);
    char *p = PyMem_Malloc(8 * (slots + codes) + (sizeof(SwMem) + 8) * arrays);
    if (!p) {
        PyErr_NoMemory();
        return TAKE_ERROR;
    }
    f->heap = p;
    f->slots = f->slot = (uint64_t *)p;
    f->codes = f->code = f->slot_end = f->slots + slots;
    f->mems = f->mem = (SwMem *)(f->codes + codes);
    f->code_end = f->codes + codes;
    f->mem_end = f->mems + arrays;
    f->owners = f->owner = (PyObject **)f->mem_end;
    return TAKE_OK;
}

/* ---- names ---- */

/* Parameters are in the order of the `def`; in co_varnames the *args come last. */
const char *
args_param_name(Dispatcher *d, Py_ssize_t i, char buf[128])
{
    PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(d->func);
    const char *outer = i < d->n_params ? NULL : outer_name(&d->outer, i - d->n_params);
    if (outer) {
        snprintf(buf, 128, "%s", outer);
        return buf;
    }
    if ((code->co_flags & CO_VARARGS) && i >= code->co_argcount)
        i = i == code->co_argcount ? i + code->co_kwonlyargcount : i - 1;
    PyObject *names = PyObject_GetAttr(PyFunction_GET_CODE(d->func), d->st->s_co_varnames);
    const char *s = NULL;
    if (names && i < PyTuple_GET_SIZE(names))
        s = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
    snprintf(buf, 128, "%s", s ? s : "?");
    Py_XDECREF(names);
    return buf;
}
