/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays of other libraries as arguments: a NumPy view of the memory that an object shows
 * by DLPack or __array_interface__, never a copy, so that what compiled code writes is
 * seen where it came from. Calls come here only when an argument is nothing that args.c
 * knows. Memory on a device that the processor does not reach is refused before anything
 * runs, with what to do. */
#include "dlpack.h"

static const struct {
    int type;
    bool reached; /* by the processor */
    const char *name;
} devices[] = {
    {1, true, "the CPU"},
    {2, false, "a CUDA device"},
    {3, true, "CUDA's host memory"},
    {4, false, "an OpenCL device"},
    {7, false, "a Vulkan device"},
    {8, false, "a Metal device"},
    {9, false, "a VPI device"},
    {10, false, "a ROCm device"},
    {11, true, "ROCm's host memory"},
    {13, false, "a CUDA device (managed memory)"},
    {14, false, "a oneAPI device"},
    {15, false, "a WebGPU device"},
    {16, false, "a Hexagon device"},
};

static int
refuse_device(Dispatcher *d, Py_ssize_t i, PyObject *o, long type)
{
    const char *name = "a device";
    for (int k = 0; k < SW_LEN(devices); k++)
        if (devices[k].type == type)
            name = devices[k].name;
    return args_refuse(
        d, i, PyExc_TypeError,
        "is a %s in the memory of %s, which this call does not reach: pass a copy in "
        "host memory, as x.cpu() of PyTorch, x.get() of CuPy or "
        "x.copy_to_host() of Numba make it",
        Py_TYPE(o)->tp_name, name);
}

static bool
is_reached(long type)
{
    for (int k = 0; k < SW_LEN(devices); k++)
        if (devices[k].type == type)
            return devices[k].reached;
    return false;
}

/* The exception that is set becomes part of ours. */
static int
refuse_because(Dispatcher *d, Py_ssize_t i, PyObject *o)
{
    PyObject *type, *value, *tb;
    PyErr_Fetch(&type, &value, &tb);
    if (type && !PyErr_GivenExceptionMatches(type, PyExc_Exception)) { /* Ctrl-C */
        PyErr_Restore(type, value, tb);
        return -1;
    }
    PyObject *text = value ? PyObject_Str(value) : NULL;
    const char *why = text ? PyUnicode_AsUTF8(text) : NULL;
    PyErr_Clear();
    args_refuse(d, i, PyExc_TypeError, "is a %s that does not share its memory: %s",
                Py_TYPE(o)->tp_name, why ? why : "no reason given");
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(tb);
    return -1;
}

/* ---- DLPack ---------------------------------------------------------------------------------- */

static int
typenum_of(const DlTensor *t)
{
    static const int ints[] = {NPY_INT8, NPY_INT16, NPY_INT32, NPY_INT64};
    static const int uints[] = {NPY_UINT8, NPY_UINT16, NPY_UINT32, NPY_UINT64};
    int log = t->bits == 8 ? 0 : t->bits == 16 ? 1 : t->bits == 32 ? 2 : t->bits == 64 ? 3 : -1;
    if (t->lanes != 1)
        return -1;
    if (t->code == DL_COMPLEX)
        return t->bits == 64 ? NPY_CFLOAT : t->bits == 128 ? NPY_CDOUBLE : -1;
    if (log < 0)
        return -1;
    if (t->code == DL_INT || t->code == DL_UINT)
        return (t->code == DL_INT ? ints : uints)[log];
    if (t->code == DL_FLOAT)
        return log == 1 ? NPY_HALF : log == 2 ? NPY_FLOAT : log == 3 ? NPY_DOUBLE : -1;
    return t->code == DL_BOOL && log == 0 ? NPY_BOOL : -1;
}

/* Ours once renamed; its memory is given back when the last view goes. */
void
dlpack_free(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, "used_dltensor_versioned")) {
        DlVersioned *v = PyCapsule_GetPointer(capsule, "used_dltensor_versioned");
        if (v->deleter)
            v->deleter(v);
    } else if (PyCapsule_IsValid(capsule, "used_dltensor")) {
        DlManaged *m = PyCapsule_GetPointer(capsule, "used_dltensor");
        if (m->deleter)
            m->deleter(m);
    }
}

/* What is in the capsule, which is not ours yet. NULL: nothing that we can read. */
DlTensor *
dlpack_open(PyObject *capsule, bool *readonly)
{
    *readonly = false;
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        DlVersioned *v = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        *readonly = v->flags & DL_READ_ONLY;
        return v->major == 1 ? &v->t : NULL;
    }
    if (PyCapsule_IsValid(capsule, "dltensor"))
        return &((DlManaged *)PyCapsule_GetPointer(capsule, "dltensor"))->t;
    return NULL;
}

static PyObject *
view_tensor(PyObject *capsule, const DlTensor *t, int num, bool readonly)
{
    npy_intp shape[NPY_MAXDIMS], strides[NPY_MAXDIMS];
    PyArray_Descr *descr = PyArray_DescrFromType(num);
    for (int k = 0; k < t->ndim; k++) {
        shape[k] = (npy_intp)t->shape[k];
        if (t->strides)
            strides[k] = (npy_intp)t->strides[k] * (t->code == DL_BOOL ? 1 : t->bits / 8);
    }
    PyObject *a =
        PyArray_NewFromDescr(&PyArray_Type, descr, t->ndim, shape, t->strides ? strides : NULL,
                             t->data ? (char *)t->data + t->byte_offset : NULL,
                             readonly ? 0 : NPY_ARRAY_WRITEABLE, NULL);
    if (!a)
        return NULL;
    PyArray_UpdateFlags((PyArrayObject *)a, NPY_ARRAY_UPDATE_ALL);
    bool versioned = PyCapsule_IsValid(capsule, "dltensor_versioned");
    if (PyCapsule_SetName(capsule, versioned ? "used_dltensor_versioned" : "used_dltensor") < 0 ||
        PyCapsule_SetDestructor(capsule, dlpack_free) < 0 ||
        PyArray_SetBaseObject((PyArrayObject *)a, Py_NewRef(capsule)) < 0)
        Py_CLEAR(a);
    return a;
}

static PyObject *
call_dlpack(PyObject *o)
{
    PyObject *f = PyObject_GetAttrString(o, "__dlpack__");
    PyObject *kw = f ? Py_BuildValue("{s(ii)}", "max_version", 1, 0) : NULL;
    PyObject *none = kw ? PyTuple_New(0) : NULL;
    PyObject *c = none ? PyObject_Call(f, none, kw) : NULL;
    if (none && !c && PyErr_ExceptionMatches(PyExc_TypeError)) { /* of before DLPack 1.0 */
        PyErr_Clear();
        c = PyObject_CallNoArgs(f);
    }
    Py_XDECREF(none);
    Py_XDECREF(kw);
    Py_XDECREF(f);
    return c;
}

/* PyTorch hands out the memory of x.conj().imag with a note that it is to be negated, and
 * DLPack has no room for that note. 1: so it is; -1: an exception. */
static int
is_negated(PyObject *o)
{
    PyObject *r = PyObject_HasAttrString(o, "is_neg") ? PyObject_CallMethod(o, "is_neg", NULL)
                                                      : Py_NewRef(Py_False);
    int yes = r ? PyObject_IsTrue(r) : -1;
    Py_XDECREF(r);
    return yes;
}

static PyObject *
view_dlpack(Dispatcher *d, Py_ssize_t i, PyObject *o)
{
    bool readonly;
    int negated = is_negated(o);
    if (negated > 0)
        args_refuse(d, i, PyExc_TypeError, "is a %s that is not negated yet: pass x.resolve_neg()",
                    Py_TYPE(o)->tp_name);
    if (negated > 0)
        return NULL;
    PyObject *capsule = negated < 0 ? NULL : call_dlpack(o), *a = NULL;
    if (!capsule) {
        refuse_because(d, i, o);
        return NULL;
    }
    DlTensor *t = dlpack_open(capsule, &readonly);
    int num = t ? typenum_of(t) : -1;
    if (!t)
        args_refuse(d, i, PyExc_TypeError,
                    "is a %s whose __dlpack__ gives no DLPack capsule of version 1 or before",
                    Py_TYPE(o)->tp_name);
    else if (!is_reached(t->device_type))
        refuse_device(d, i, o, t->device_type);
    else if (num < 0)
        args_refuse(d, i, PyExc_TypeError,
                    "is a %s of %s%d elements, which compiled code does not know: convert it to "
                    "a dtype of NumPy",
                    Py_TYPE(o)->tp_name, t->code == DL_BFLOAT ? "bfloat" : "unknown ", t->bits);
    else if (t->ndim < 0 || t->ndim > NPY_MAXDIMS)
        args_refuse(d, i, PyExc_TypeError, "is a %s of %d axes", Py_TYPE(o)->tp_name, t->ndim);
    else
        a = view_tensor(capsule, t, num, readonly);
    Py_DECREF(capsule);
    return a;
}

/* ---- any ------------------------------------------------------------------------------------- */

/* DLPack's number for where it is; -1: it does not say; -2 with an exception. */
static long
device_of(PyObject *o)
{
    if (!PyObject_HasAttrString(o, "__dlpack_device__"))
        return -1;
    PyObject *pair = PyObject_CallMethod(o, "__dlpack_device__", NULL);
    PyObject *type = pair && PyTuple_Check(pair) && PyTuple_GET_SIZE(pair) == 2
                         ? PyNumber_Index(PyTuple_GET_ITEM(pair, 0)) /* often of an enum */
                         : NULL;
    long n = type ? PyLong_AsLong(type) : -2;
    if (!type && !PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "__dlpack_device__() gives no pair of numbers");
    Py_XDECREF(type);
    Py_XDECREF(pair);
    return PyErr_Occurred() ? -2 : n;
}

static bool
has_interface(PyObject *o)
{
    return PyObject_HasAttrString(o, "__array_interface__") ||
           PyObject_HasAttrString(o, "__array_struct__");
}

bool
foreign_check(PyObject *o)
{
    return !PyArray_Check(o) && !PyArray_IsScalar(o, Generic) && !PyType_Check(o) &&
           (has_interface(o) || PyObject_HasAttrString(o, "__dlpack__") ||
            PyObject_HasAttrString(o, "__cuda_array_interface__"));
}

static PyObject *
view_array(Dispatcher *d, Py_ssize_t i, PyObject *o)
{
    long device = device_of(o);
    if (device == -2) {
        refuse_because(d, i, o);
        return NULL;
    }
    if (device >= 0 && !is_reached(device)) {
        refuse_device(d, i, o, device);
        return NULL;
    }
    if (has_interface(o)) {
        PyObject *a = PyArray_FromAny(o, NULL, 0, 0, 0, NULL);
        if (!a)
            refuse_because(d, i, o);
        return a;
    }
    if (PyObject_HasAttrString(o, "__dlpack__"))
        return view_dlpack(d, i, o);
    refuse_device(d, i, o, 2); /* it has __cuda_array_interface__ alone */
    return NULL;
}

static PyObject *view_value(Dispatcher *d, Py_ssize_t i, PyObject *o, int depth);

/* A tuple with views for what is in it; a named one of the same class. */
static PyObject *
view_tuple(Dispatcher *d, Py_ssize_t i, PyObject *o, int depth)
{
    Py_ssize_t n = PyTuple_GET_SIZE(o);
    PyObject *t = PyTuple_New(n);
    for (Py_ssize_t k = 0; t && k < n; k++) {
        PyObject *v = view_value(d, i, PyTuple_GET_ITEM(o, k), depth + 1);
        if (v)
            PyTuple_SET_ITEM(t, k, v);
        else
            Py_CLEAR(t);
    }
    if (t && !PyTuple_CheckExact(o))
        Py_SETREF(t, PyObject_CallMethod((PyObject *)Py_TYPE(o), "_make", "(O)", t));
    return t;
}

/* A dict of unlike values (keyed.c) with views for what is in it. What is one only because of an
 * object of another library's would be a dict of arrays, into which the function may store. */
static PyObject *
view_keyed(Dispatcher *d, Py_ssize_t i, PyObject *o, int depth)
{
    PyObject *items = PyDict_Items(o), *t = items ? PyDict_New() : NULL;
    for (Py_ssize_t k = 0; t && k < PyList_GET_SIZE(items); k++) {
        PyObject *pair = PyList_GET_ITEM(items, k);
        PyObject *v = view_value(d, i, PyTuple_GET_ITEM(pair, 1), depth + 1);
        if (!v || PyDict_SetItem(t, PyTuple_GET_ITEM(pair, 0), v) < 0)
            Py_CLEAR(t);
        Py_XDECREF(v);
    }
    Py_XDECREF(items);
    if (t && !keyed_is(t)) {
        args_refuse(d, i, PyExc_TypeError,
                    "is a dict of arrays, some of which are another library's: pass "
                    "np.asarray(x) of these");
        Py_CLEAR(t);
    }
    return t;
}

bool
foreign_is_record(PyObject *o)
{
    return PyArray_IsScalar(o, Void) && PyDataType_HASFIELDS(((PyVoidScalarObject *)o)->descr);
}

/* One record as a 0-d array over its memory, which may be an array's: what a function stores in it
 * stays. */
static PyObject *
over_record(PyObject *o)
{
    PyVoidScalarObject *v = (PyVoidScalarObject *)o;
    Py_INCREF(v->descr);
    PyObject *a = PyArray_NewFromDescr(&PyArray_Type, v->descr, 0, NULL, NULL, v->obval,
                                       v->flags & NPY_ARRAY_WRITEABLE, NULL);
    if (a && PyArray_SetBaseObject((PyArrayObject *)a, Py_NewRef(o)) < 0)
        Py_CLEAR(a);
    return a;
}

static PyObject *
view_records(Dispatcher *d, Py_ssize_t i, PyObject *o)
{
    PyObject *v = late_call("swathe._records", "views", o);
    if (!v && PyErr_ExceptionMatches(PyExc_TypeError))
        refuse_because(d, i, o);
    return v;
}

/* Has its class this itself? Those of Python itself keep theirs elsewhere from 3.12 on. */
static bool
has_own(PyObject *o, const char *name)
{
    PyTypeObject *t = Py_TYPE(o);
    return (t->tp_flags & Py_TPFLAGS_HEAPTYPE) && PyDict_GetItemString(class_dict(t), name);
}

/* What a module of ours has, looked for once, as an import takes longer than a draw; borrowed.
 * NULL: an exception. */
static PyObject *
looked_for(PyObject **kept, const char *module, const char *name)
{
    if (!*kept) {
        PyObject *m = late_import(module);
        *kept = m ? PyObject_GetAttrString(m, name) : NULL;
        Py_XDECREF(m);
    }
    return *kept;
}

bool
foreign_is_enum(PyObject *o)
{
    PyTypeObject *meta = Py_TYPE(Py_TYPE(o));
    return meta != &PyType_Type &&
           (!strcmp(meta->tp_name, "EnumType") || !strcmp(meta->tp_name, "EnumMeta"));
}

/* What stands for a member (swathe/_enums.py); a new reference. That for an int enum, of whose
 * class nothing has to be looked at again, is kept. */
PyObject *
foreign_enum(PyObject *o)
{
    static struct {
        PyObject *member, *tuple;
    } kept[64], *k;
    k = &kept[((uintptr_t)o >> 4) % SW_LEN(kept)];
    if (k->member == o)
        return Py_NewRef(k->tuple);
    PyObject *m = late_import("swathe._enums");
    PyObject *r = m ? PyObject_CallMethod(m, "member", "(O)", o) : NULL;
    PyObject *ints = r && PyLong_Check(o) ? PyObject_GetAttrString(m, "_of_ints") : NULL;
    if (ints && PyDict_GetItem(ints, (PyObject *)Py_TYPE(o))) {
        Py_XSETREF(k->member, Py_NewRef(o));
        Py_XSETREF(k->tuple, Py_NewRef(r));
    }
    Py_XDECREF(ints);
    Py_XDECREF(m);
    return r;
}

/* The int that a member of the enum of this type is; false: it is something else. */
bool
foreign_int_member(Dispatcher *d, const Type *t, PyObject *o, int64_t *out)
{
    PyObject *cls = foreign_is_enum(o) && PyLong_Check(o) ? box_tuple_class(d, t) : NULL;
    PyObject *of = cls ? PyDict_GetItemString(class_dict((PyTypeObject *)cls), "_swathe_of") : NULL;
    int over = 0;
    if (!of || of != (PyObject *)Py_TYPE(o))
        return false;
    *out = PyLong_AsLongLongAndOverflow(o, &over);
    return !over;
}

/* Is it a place for an instance of this class? */
static bool
is_place(const Type *t, PyObject *o)
{
    const ObjClass *c =
        t->kind == TY_OPTIONAL && t->elems[1]->kind == TY_OBJ ? type_class(t->elems[1]) : NULL;
    return c && (c->generic == (const void *)Py_TYPE(o) || c->cls == (const void *)Py_TYPE(o));
}

/* The tuple that stands for an instance of one class or another (swathe/_families.py); NULL, no
 * exception: it is of none of them, or t is something else. */
static PyObject *
family_tuple(const Type *t, PyObject *o)
{
    PyTypeObject *cls = (PyTypeObject *)(uintptr_t)t->ref;
    int place = 0;
    if (PyTuple_Check(o) || !t->names || strcmp(t->names[0], "instance_0_") != 0)
        return NULL;
    while (place < t->n && !is_place(t->elems[place], o))
        place++;
    PyObject *r = place < t->n ? cls->tp_alloc(cls, t->n) : NULL;
    for (int i = 0; r && i < t->n; i++)
        PyTuple_SET_ITEM(r, i, Py_NewRef(i == place ? o : Py_None));
    return r;
}

/* A value as the tuple that it may be: itself, or what stands for it. A new reference. */
PyObject *
foreign_as_tuple(const Type *t, PyObject *o)
{
    PyObject *one = family_tuple(t, o);
    if (one)
        return one;
    if (t->names && drawn_is(o))
        return drawn_stand_in(o);
    return t->names && foreign_is_enum(o) ? foreign_enum(o) : Py_NewRef(o);
}

/* ---- classes that are registered: swathe/_views.py ------------------------------------------- */

/* From classes to what makes of an instance what stands for it. */
static PyObject *
registered_classes(void)
{
    static PyObject *classes;
    return looked_for(&classes, "swathe._views", "registered");
}

bool
foreign_is_registered(PyObject *o)
{
    PyObject *classes = registered_classes();
    if (!classes)
        PyErr_Clear();
    return classes && PyDict_GET_SIZE(classes) &&
           PyDict_GetItemWithError(classes, (PyObject *)Py_TYPE(o));
}

/* As above, after a look at the classes that its class comes from and at the packages that are
 * installed. -1: an exception. */
int
foreign_find(PyObject *o)
{
    PyObject *r = late_call("swathe._views", "find", (PyObject *)Py_TYPE(o));
    int yes = r ? PyObject_IsTrue(r) : -1;
    Py_XDECREF(r);
    return yes;
}

PyObject *
foreign_registered(PyObject *o)
{
    PyObject *of = PyDict_GetItemWithError(registered_classes(), (PyObject *)Py_TYPE(o));
    PyObject *r = of ? PyObject_CallOneArg(of, o) : NULL;
    if (r && foreign_is_registered(r)) {
        PyErr_Format(PyExc_TypeError,
                     "what is registered for %s makes a %s of it, which is no value "
                     "of compiled code either: return numbers, arrays or named tuples of these",
                     Py_TYPE(o)->tp_name, Py_TYPE(r)->tp_name);
        Py_CLEAR(r);
    }
    return r;
}

/* ---- strings of fixed width: swathe/_text_arrays.py ------------------------------------------ */

bool
foreign_is_text(PyObject *o)
{
    int num = PyArray_Check(o) ? PyArray_TYPE((PyArrayObject *)o) : -1;
    return num == NPY_UNICODE || num == NPY_STRING;
}

static bool
is_text_scalar(PyObject *o)
{
    return PyArray_IsScalar(o, Unicode) || PyArray_IsScalar(o, String);
}

static PyObject *
text_stands_for(PyObject *o)
{
    if (PyArray_IsScalar(o, Unicode))
        return PyUnicode_FromObject(o);
    if (PyArray_IsScalar(o, String))
        return PyBytes_FromStringAndSize(PyBytes_AS_STRING(o), PyBytes_GET_SIZE(o));
    PyObject *m = late_import("swathe._text_arrays"),
             *v = m ? PyObject_CallMethod(m, "taken", "O", o) : NULL;
    Py_XDECREF(m);
    return v;
}

bool
foreign_stood_for(PyObject *o)
{
    return foreign_is_record(o) || foreign_is_generator(o) || foreign_is_enum(o) ||
           foreign_is_registered(o) || is_text_scalar(o);
}

/* ---- results --------------------------------------------------------------------------------- */

PyObject *
foreign_restored(PyObject *o)
{
    if (o && has_own(o, "_swathe_restored"))
        Py_SETREF(o, PyObject_CallMethod((PyObject *)Py_TYPE(o), "_swathe_restored", "(O)", o));
    return o ? drawn_restored(o) : NULL;
}

/* ---- arrays that are not aligned, or in the byte order of other machines --------------------- */

bool
foreign_is_awkward(PyObject *o)
{
    PyArrayObject *a = (PyArrayObject *)o;
    return PyArray_Check(o) && (!PyArray_ISALIGNED(a) || !PyArray_ISNOTSWAPPED(a)) &&
           dtype_of_array(a) >= 0;
}

static PyObject *
view_value(Dispatcher *d, Py_ssize_t i, PyObject *o, int depth)
{
    if (PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o) || o == Py_None)
        return Py_NewRef(o); /* nobody need ask these for an interface */
    if (foreign_is_awkward(o)) {
        args_refuse(d, i, PyExc_ValueError,
                    "is an array that is not aligned in memory, or in the byte order of other "
                    "machines, in a tuple: pass x.astype(x.dtype.newbyteorder('='))");
        return NULL;
    }
    if (PyArray_Check(o) && PyDataType_HASFIELDS(PyArray_DESCR((PyArrayObject *)o)))
        return view_records(d, i, o);
    if (depth <= 20 && (PyTuple_CheckExact(o) ||
                        (PyTuple_Check(o) && py_is_namedtuple_class((PyObject *)Py_TYPE(o)))))
        return view_tuple(d, i, o, depth);
    if (depth <= 20 && keyed_is(o))
        return view_keyed(d, i, o, depth);
    if (foreign_is_record(o)) {
        PyObject *a = over_record(o), *v = a ? view_records(d, i, a) : NULL;
        Py_XDECREF(a);
        return v;
    }
    if (foreign_is_enum(o))
        return foreign_enum(o);
    if (drawn_is(o)) {
        PyObject *v = drawn_stand_in(o);
        if (!v && PyErr_ExceptionMatches(PyExc_TypeError))
            refuse_because(d, i, o);
        return v;
    }
    if (foreign_is_text(o) || is_text_scalar(o)) {
        PyObject *v = text_stands_for(o);
        if (!v && PyErr_ExceptionMatches(PyExc_TypeError))
            refuse_because(d, i, o);
        return v;
    }
    if (foreign_is_registered(o)) {
        PyObject *v = foreign_registered(o);
        if (!v && PyMemoryView_Check(o) && PyErr_ExceptionMatches(PyExc_TypeError))
            refuse_because(d, i, o);
        return v;
    }
    return foreign_check(o) ? view_array(d, i, o) : Py_NewRef(o);
}

void
foreign_extent(PyArrayObject *a, const char **lo, const char **hi)
{
    *lo = PyArray_DATA(a);
    *hi = *lo + PyArray_ITEMSIZE(a);
    for (int k = 0; k < PyArray_NDIM(a); k++) {
        npy_intp n = (PyArray_DIM(a, k) - 1) * PyArray_STRIDE(a, k);
        *(n < 0 ? lo : hi) += PyArray_SIZE(a) ? n : 0;
    }
}

/* A copy, of which what was stored goes back behind the call: foreign_stored. Two that share
 * memory would not see each other's stores. */
static PyObject *
view_awkward(Dispatcher *d, Py_ssize_t i, PyObject *const *args, Py_ssize_t n)
{
    PyArrayObject *a = (PyArrayObject *)args[i];
    const char *lo, *hi, *lo2, *hi2;
    bool stores = args_is_writeable(a);
    foreign_extent(a, &lo, &hi);
    for (Py_ssize_t k = 0; k < n; k++) {
        PyObject *other = k == i                       ? NULL
                          : PyArray_Check(args[k])     ? Py_NewRef(args[k])
                          : foreign_is_record(args[k]) ? over_record(args[k])
                                                       : NULL;
        if (!other && PyErr_Occurred())
            return NULL;
        if (!other)
            continue;
        foreign_extent((PyArrayObject *)other, &lo2, &hi2);
        bool writes = stores || args_is_writeable((PyArrayObject *)other);
        Py_DECREF(other);
        if (writes && lo < hi2 && lo2 < hi) {
            args_refuse(d, i, PyExc_ValueError,
                        "is an array that is not aligned, or in the byte order of other "
                        "machines, and shares memory with another: pass "
                        "x.astype(x.dtype.newbyteorder('='))");
            return NULL;
        }
    }
    int flags = NPY_ARRAY_ALIGNED | NPY_ARRAY_ENSURECOPY | (stores ? NPY_ARRAY_WRITEBACKIFCOPY : 0);
    PyArray_Descr *native = PyArray_DescrNewByteorder(PyArray_DESCR(a), NPY_NATIVE);
    PyObject *c = native ? PyArray_FromArray(a, native, flags) : NULL;
    if (c && !stores)
        PyArray_CLEARFLAGS((PyArrayObject *)c, NPY_ARRAY_WRITEABLE);
    return c;
}

/* Is a memoryview one of another argument, which is copied? */
static bool
is_view_of_other(Dispatcher *d, Py_ssize_t i, PyObject *const *args, Py_ssize_t n)
{
    const char *lo = PyMemoryView_GET_BUFFER(args[i])->buf, *hi = lo;
    hi += PyMemoryView_GET_BUFFER(args[i])->len;
    for (Py_ssize_t k = 0; k < n; k++) {
        Py_buffer b;
        const HeapClass *c = heap_class_of(args[k]);
        if (!c || !(c->traits & HEAP_PACKED) || PyObject_GetBuffer(args[k], &b, PyBUF_SIMPLE) < 0)
            continue;
        bool shares = lo < (const char *)b.buf + b.len && (const char *)b.buf < hi;
        PyBuffer_Release(&b);
        if (shares)
            return args_refuse(d, i, PyExc_ValueError,
                               "is a view of another argument: pass one of them") != 0;
    }
    return false;
}

/* What was stored in copies goes back, also behind an exception. */
int
foreign_stored(PyObject *views)
{
    PyObject *type, *value, *trace;
    int r = 0;
    PyErr_Fetch(&type, &value, &trace);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(views); i++) {
        PyObject *v = PyTuple_GET_ITEM(views, i);
        if (PyArray_Check(v) && PyArray_CHKFLAGS((PyArrayObject *)v, NPY_ARRAY_WRITEBACKIFCOPY))
            r |= PyArray_ResolveWritebackIfCopy((PyArrayObject *)v) < 0;
        if (has_own(v, "_swathe_stored")) {
            PyObject *done =
                PyObject_CallMethod((PyObject *)Py_TYPE(v), "_swathe_stored", "(O)", v);
            r |= !done;
            Py_XDECREF(done);
        }
    }
    if (type)
        PyErr_Restore(type, value, trace);
    return r ? -1 : 0;
}

/* Copies that were made before one of the arguments was refused. */
static void
foreign_discard(PyObject *views)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(views); i++) {
        PyObject *v = PyTuple_GET_ITEM(views, i);
        if (v && PyArray_Check(v))
            PyArray_DiscardWritebackIfCopy((PyArrayObject *)v);
    }
}

PyObject *
foreign_views(Dispatcher *d, PyObject *const *args, Py_ssize_t n)
{
    PyObject *t = PyTuple_New(n);
    for (Py_ssize_t i = 0; t && i < n; i++) {
        PyObject *v = foreign_is_awkward(args[i]) ? view_awkward(d, i, args, n)
                      : PyMemoryView_Check(args[i]) && is_view_of_other(d, i, args, n)
                          ? NULL
                          : view_value(d, i, args[i], 0);
        if (!v)
            foreign_discard(t);
        if (v)
            PyTuple_SET_ITEM(t, i, v);
        else
            Py_CLEAR(t);
    }
    return t;
}

/* Where all stay what they are, they would be looked at again without end. */
PyObject *
foreign_changed(Dispatcher *d, PyObject *const *args, Py_ssize_t n)
{
    PyObject *views = foreign_views(d, args, n);
    bool same = true;
    for (Py_ssize_t i = 0; views && i < n; i++)
        same &= PyTuple_GET_ITEM(views, i) == args[i];
    if (views && same) {
        PyErr_SetString(PyExc_TypeError,
                        "an argument holds an array or object of another library's");
        Py_CLEAR(views);
    }
    return views;
}
