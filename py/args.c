/* SPDX-License-Identifier: BSD-3-Clause
 * Arguments of a call: for each a code, which says all that its type depends on, and its
 * slots, in one walk without allocation. Codes equal to those of the last call mean that
 * the last specialisation fits. Each array gets a SwMem in the frame, so that compiled
 * code can say which argument a result is a view of. Objects that can't be passed raise
 * here, named by their parameter and with what to do about it. */
#include "py.h"

enum { MOST_BITS = 60 }; /* of a size: passes rest on it, see MAX_DIM in pass/analysis/know.h */

/* ---- what can't be passed -------------------------------------------------------------------- */

int
args_refuse(Dispatcher *d, Py_ssize_t i, PyObject *exc, const char *fmt, ...)
{
    char name[128];
    StrBuf b = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_vaddf(&b, fmt, ap);
    va_end(ap);
    PyObject *c = exc == PyExc_TypeError    ? error_class(d->st, "ArgumentTypeError")
                  : exc == PyExc_ValueError ? error_class(d->st, "ArgumentValueError")
                                            : Py_NewRef(exc);
    PyErr_Format(c, "%U(): argument '%s' %s", ((PyFunctionObject *)d->func)->func_name,
                 args_param_name(d, i, name), b.s);
    Py_DECREF(c);
    sb_free(&b);
    return TAKE_ERROR;
}

static int
refuse_array(Dispatcher *d, Py_ssize_t i, PyArrayObject *a)
{
    PyArray_Descr *t = PyArray_DESCR(a);
    if (t->type_num == NPY_OBJECT)
        return args_refuse(d, i, PyExc_TypeError,
                           "is an array of Python objects: give it a number's dtype, as in "
                           "x.astype(float)");
    if (dtype_of_descr(t) < 0) {
        PyObject *s = PyObject_Str((PyObject *)t);
        args_refuse(d, i, PyExc_TypeError,
                    "is an array of dtype %s, which compiled code does not know: pass an "
                    "array of "
                    "numbers",
                    s ? PyUnicode_AsUTF8(s) : "?");
        Py_XDECREF(s);
        return TAKE_ERROR;
    }
    if (!PyArray_ISNOTSWAPPED(a))
        return args_refuse(d, i, PyExc_ValueError,
                           "is an array in the byte order of other machines: pass "
                           "x.astype(x.dtype.newbyteorder('='))");
    if (!PyArray_ISALIGNED(a))
        return args_refuse(d, i, PyExc_ValueError,
                           "is an array that is not aligned in memory: pass "
                           "np.require(x, requirements='A')");
    return args_refuse(d, i, PyExc_TypeError,
                       "is a %s, a subclass of numpy.ndarray with rules of its own: pass "
                       "np.asarray(x)",
                       Py_TYPE(a)->tp_name);
}

static int
refuse_object(Dispatcher *d, Py_ssize_t i, PyObject *o)
{
    const char *t = Py_TYPE(o)->tp_name;
    if (PyArray_Check(o))
        return refuse_array(d, i, (PyArrayObject *)o);
    const char *container = PyList_Check(o)   ? "list"
                            : PyDict_Check(o) ? "dict"
                            : PySet_Check(o)  ? "set"
                                              : NULL;
    if (container)
        return args_refuse(d, i, PyExc_TypeError,
                           "is a %s inside a tuple, or of a class of its own: pass %s(x) as an "
                           "argument of its own",
                           container, container);
    if (PyArray_IsScalar(o, Generic))
        return args_refuse(d, i, PyExc_TypeError, "is a %s: pass a NumPy number", t);
    if (PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o))
        return args_refuse(d, i, PyExc_TypeError,
                           "is of type %s, a number with operators of its own: pass "
                           "int(x), float(x) or complex(x)",
                           t);
    if (PyObject_CheckBuffer(o) || PyObject_HasAttrString(o, "__array__"))
        return args_refuse(d, i, PyExc_TypeError,
                           "is of type %s, which compiled code does not know: pass %s", t,
                           "np.asarray(x)");
    if (object_unfit(d, i, o))
        return TAKE_ERROR;
    if (PyIter_Check(o) || PyRange_Check(o) || PyDictKeys_Check(o) || PyDictViewSet_Check(o) ||
        PyDictValues_Check(o))
        return args_refuse(d, i, PyExc_TypeError,
                           "is of type %s, which compiled code does not know: pass %s", t,
                           "list(x)");
    return args_refuse(d, i, PyExc_TypeError,
                       "is of type %s, which compiled code does not know: pass numbers, NumPy "
                       "arrays, or tuples of these",
                       t);
}

/* ---- arrays and scalars ---------------------------------------------------------------------- */

#define FLAG_BITS (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_WRITEABLE)

static bool
is_plain_array_type(PyTypeObject *t)
{
    return t == &PyArray_Type || !strcmp(t->tp_name, "memmap") ||
           !strcmp(t->tp_name, "numpy.memmap") ||
           PyDict_GetItemString(class_dict(t), "_swathe_array") == Py_True ||
           own_is_like_ndarray(t);
}

static bool
is_record_array(PyArrayObject *a)
{
    return PyDataType_HASFIELDS(PyArray_DESCR(a)) && PyArray_ISALIGNED(a);
}

bool
args_is_plain_array(PyObject *o)
{
    return is_plain_array_type(Py_TYPE(o)) || is_record_array((PyArrayObject *)o);
}

/* The strides of the axes in this order nest: each is no less than all that lies inside. */
static bool
nests(PyArrayObject *a, const int *order, int n)
{
    const npy_intp *shape = PyArray_DIMS(a), *strides = PyArray_STRIDES(a);
    long long inside = PyArray_ITEMSIZE(a);
    for (int i = 0; i < n; i++) {
        int k = order ? order[i] : n - 1 - i; /* the last axis first, as slicing leaves it */
        long long stride = llabs(strides[k]);
        if (shape[k] <= 1)
            continue;
        if (stride < inside)
            return false;
        inside += stride * (shape[k] - 1);
    }
    return true;
}

/* May two of its elements share memory, as in a row repeated by a stride of 0? Views made by
 * slicing and transposing have strides that nest. */
static bool
meets_itself(PyArrayObject *a)
{
    int nd = PyArray_NDIM(a), order[64], n = 0;
    const npy_intp *shape = PyArray_DIMS(a), *strides = PyArray_STRIDES(a);
    for (int k = 0; k < nd; k++) {
        if (shape[k] == 0)
            return false;
        int at = n;
        for (; shape[k] > 1 && at > 0 && llabs(strides[order[at - 1]]) > llabs(strides[k]); at--)
            order[at] = order[at - 1];
        if (shape[k] > 1) {
            order[at] = k;
            n++;
        }
    }
    return !nests(a, order, n);
}

/* With elements that share memory an array is taken as read-only: no loop that stores to it
 * could be cut, and NumPy itself warns of what becomes of them. */
static inline int
flags_of(PyArrayObject *a)
{
    int flags = PyArray_FLAGS(a), plain = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS;
    if (SW_LIKELY(flags & plain) || !(flags & NPY_ARRAY_WRITEABLE) ||
        nests(a, NULL, PyArray_NDIM(a)) || !meets_itself(a))
        return flags;
    return flags & ~NPY_ARRAY_WRITEABLE;
}

/* May it be an element of a list? */
bool
args_is_array(PyObject *o)
{
    if (!PyArray_Check(o) || !is_plain_array_type(Py_TYPE(o)))
        return false;
    PyArrayObject *a = (PyArrayObject *)o;
    uint64_t all = 0;
    for (int k = 0; k < PyArray_NDIM(a); k++)
        all |= (uint64_t)PyArray_DIM(a, k);
    return PyArray_ISALIGNED(a) && PyArray_DESCR(a)->byteorder != '>' && dtype_of_array(a) >= 0 &&
           !(all >> MOST_BITS);
}

bool
args_is_writeable(PyArrayObject *a)
{
    return (flags_of(a) & NPY_ARRAY_WRITEABLE) != 0;
}

static inline int
take_array(Dispatcher *d, Frame *f, PyArrayObject *a, Py_ssize_t i)
{
    int nd = PyArray_NDIM(a), flags = flags_of(a), num = PyArray_TYPE(a);
    PyArray_Descr *descr = PyArray_DESCR(a);
    uint64_t unit = 0;
    if (SW_UNLIKELY(dtype_of_typenum(num) < 0) && dtype_of_descr(descr) > 0)
        unit = (uint64_t)dtype_of_descr(descr) << 40;
    if (SW_UNLIKELY((!(flags & NPY_ARRAY_ALIGNED) && !f->in_records) || descr->byteorder == '>' ||
                    (dtype_of_typenum(num) < 0 && !unit)))
        return (num == NPY_VOID && is_record_array(a)) || foreign_is_awkward((PyObject *)a) ||
                       foreign_is_text((PyObject *)a)
                   ? TAKE_FOREIGN
                   : refuse_array(d, i, a);
    if (SW_UNLIKELY(f->slot + 2 + 2 * nd > f->slot_end || f->mem == f->mem_end))
        return TAKE_FULL;
    *f->code++ = CODE_ARRAY | (uint64_t)num << 8 | (uint64_t)nd << 16 |
                 (uint64_t)(flags & FLAG_BITS) << 24 | (uint64_t)args_in_f_order(a) << 26 | unit;
    SwMem *m = f->mem++;
    m->refs = 1;
    m->data = PyArray_DATA(a);
    m->free_fn = NULL;
    *f->owner++ = (PyObject *)a;
    uint64_t *s = f->slot;
    s[0] = (uint64_t)(uintptr_t)m->data;
    s[1] = (uint64_t)(uintptr_t)m;
    const npy_intp *shape = PyArray_DIMS(a), *strides = PyArray_STRIDES(a);
    uint64_t all = 0;
    for (int k = 0; k < nd; k++) {
        all |= s[2 + k] = (uint64_t)shape[k];
        s[2 + nd + k] = (uint64_t)strides[k];
    }
    if (SW_UNLIKELY(all >> MOST_BITS))
        return args_refuse(d, i, PyExc_ValueError,
                           "is an array with an axis of 2**60 elements or more");
    f->slot = s + 2 + 2 * nd;
    return TAKE_OK;
}

static inline uint64_t
double_bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static int
take_int(Dispatcher *d, Frame *f, PyObject *o, Py_ssize_t i)
{
    int over = 0;
    long long v = PyLong_AsLongLongAndOverflow(o, &over);
    if (SW_UNLIKELY(over > 0) && d && d->sigs) { /* which may want one of 64 bits without a sign */
        unsigned long long u = PyLong_AsUnsignedLongLong(o);
        if (!PyErr_Occurred()) {
            *f->code++ = CODE_NPSCALAR | (uint64_t)DT_u64 << 8;
            *f->slot++ = u;
            return TAKE_OK;
        }
        PyErr_Clear();
    }
    if (SW_UNLIKELY(over))
        return args_refuse(d, i, PyExc_OverflowError,
                           "is a Python int that does not fit in int64: pass a float, or "
                           "np.uint64(x) where that is large enough");
    *f->code++ = CODE_INT;
    *f->slot++ = (uint64_t)v;
    return TAKE_OK;
}

static void
take_complex(Frame *f, double re, double im)
{
    *f->slot++ = double_bits(re);
    *f->slot++ = double_bits(im);
}

static int
scalar_typenum(PyObject *o)
{
    PyArray_Descr *descr = PyArray_DescrFromScalar(o);
    int num = descr ? descr->type_num : -1;
    Py_XDECREF(descr);
    return num;
}

/* The value of a NumPy scalar as a slot; integers extended to 64 bits. */
static bool
npscalar_slot(PyObject *o, uint64_t out[2])
{
    union {
        char raw[64];
        npy_bool b;
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        double c[2];
    } v = {{0}};

    int d = args_npscalar_dtype(o);
    if (d < 0)
        return false;
    PyArray_ScalarAsCtype(o, v.raw);
    out[0] = out[1] = 0;
    switch (dtype_storage((DType)d)) {
    case DT_bool:
        out[0] = v.b != 0;
        break;
    case DT_i8:
        out[0] = (uint64_t)(int64_t)v.i8;
        break;
    case DT_i16:
        out[0] = (uint64_t)(int64_t)v.i16;
        break;
    case DT_i32:
        out[0] = (uint64_t)(int64_t)v.i32;
        break;
    case DT_u8:
        out[0] = v.u8;
        break;
    case DT_u16:
        out[0] = v.u16;
        break;
    case DT_u32:
        out[0] = v.u32;
        break;
    case DT_f16:
        out[0] = v.u16;
        break;
    case DT_f32:
        out[0] = v.u32;
        break;
    case DT_i64:
    case DT_u64:
    case DT_f64:
    case DT_c64:
        out[0] = (uint64_t)v.i64;
        break;
    case DT_c128:
        out[0] = double_bits(v.c[0]);
        out[1] = double_bits(v.c[1]);
        break;
    case DT_COUNT:
        return false;
    }
    return true;
}

static int
take_npscalar(Dispatcher *d, Frame *f, PyObject *o, Py_ssize_t i)
{
    uint64_t v[2];
    PyTypeObject *t = Py_TYPE(o);
    int num = t == &PyDoubleArrType_Type ? NPY_DOUBLE
              : t == &PyLongArrType_Type ? NPY_LONG
                                         : scalar_typenum(o);
    if (num == NPY_DOUBLE) {
        v[0] = double_bits(PyArrayScalar_VAL(o, Double));
    } else if (num == NPY_LONG) {
        v[0] = (uint64_t)PyArrayScalar_VAL(o, Long);
    } else if (!npscalar_slot(o, v)) {
        PyErr_Clear();
        return refuse_object(d, i, o);
    }
    int of = dtype_of_typenum(num);
    *f->code++ = CODE_NPSCALAR | (uint64_t)(of < 0 ? args_npscalar_dtype(o) : of) << 8;
    *f->slot++ = v[0];
    if (num == NPY_CDOUBLE)
        *f->slot++ = v[1];
    return TAKE_OK;
}

/* ---- everything else ------------------------------------------------------------------------- */

static int take(Dispatcher *d, Frame *f, PyObject *o, Py_ssize_t i, int depth);

/* The slots of a list or string are filled when its type is known: heap_arguments. */
static int
put_later(Frame *f, PyObject *o)
{
    f->lists[f->n_lists++] = o;
    memset(f->slot, 0, 4 * sizeof *f->slot);
    f->slot += 4;
    return TAKE_OK;
}

static int
take_later(Dispatcher *d, Frame *f, PyObject *o, Py_ssize_t i)
{
    int r = PyTuple_CheckExact(o) ? heap_row_code(f, o, d->all_elements, d->mixed)
                                  : heap_code(f, typed_sample(o), d->all_elements, d->mixed);
    if (r == -2)
        return TAKE_FULL;
    if (r < 0)
        return args_refuse(d, i, PyExc_TypeError,
                           "is a %s whose first element compiled code does not know: "
                           "pass lists of numbers, of arrays, of strings, of "
                           "tuples of these, or of such lists, and dicts of these; "
                           "np.array(x) for an array",
                           Py_TYPE(o)->tp_name);
    if (f->n_lists == FRAME_LISTS)
        return args_refuse(d, i, PyExc_TypeError, "is one list or string too many: %d can be",
                           FRAME_LISTS);
    f->typed |= typed_check(o);
    return put_later(f, o);
}

static int
take_tuple(Dispatcher *d, Frame *f, PyObject *o, Py_ssize_t i, int depth)
{
    Py_ssize_t n = PyTuple_GET_SIZE(o);
    if (depth > 20)
        return args_refuse(d, i, PyExc_TypeError, "is a tuple nested too deeply");
    bool packed = false; /* records, whose fields need not be aligned */
    if (PyTuple_CheckExact(o)) {
        *f->code++ = CODE_TUPLE | (uint64_t)n << 8;
    } else if (py_is_namedtuple_class((PyObject *)Py_TYPE(o))) {
        *f->code++ = CODE_NAMEDTUPLE | (uint64_t)n << 8;
        *f->code++ = (uint64_t)(uintptr_t)Py_TYPE(o);
        packed = PyDict_GetItemString(class_dict(Py_TYPE(o)), "_packed") == Py_True;
    } else {
        return refuse_object(d, i, o);
    }
    int r = TAKE_OK;
    f->in_records += packed;
    for (Py_ssize_t k = 0; k < n && r == TAKE_OK; k++)
        r = take(d, f, PyTuple_GET_ITEM(o, k), i, depth + 1);
    f->in_records -= packed;
    return r;
}

/* A list that is its elements, and can't change. */
static int
take_elements(Dispatcher *d, Frame *f, PyObject *o, Py_ssize_t i, int depth)
{
    int r = TAKE_OK;
    *f->code++ = CODE_LISTED | (uint64_t)PyList_GET_SIZE(o) << 8;
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(o) && r == TAKE_OK; k++)
        r = take(d, f, PyList_GET_ITEM(o, k), i, depth + 1);
    return r;
}

/* One that its name finds again. */
static bool
is_imported_module(PyObject *o)
{
    PyObject *name = PyModule_Check(o) ? PyModule_GetNameObject(o) : NULL;
    PyObject *m = name ? PyImport_GetModule(name) : NULL;
    Py_XDECREF(name);
    Py_XDECREF(m);
    PyErr_Clear();
    return m && m == o;
}

/* Functions, dtypes, library functions, modules: no slot; code is specialised on the object. */
static bool
is_static(PyObject *o)
{
    return PyArray_DescrCheck(o) || args_is_function(o) || is_imported_module(o);
}

/* Whether a function is a lambda that is its code and nothing else, so that any other of the same
 * code is as good. */
static bool
is_code_alone(PyObject *o)
{
    PyFunctionObject *f = (PyFunctionObject *)o;
    return PyFunction_Check(o) && !f->func_closure && !f->func_defaults && !f->func_kwdefaults &&
           (!f->func_dict || !PyDict_GET_SIZE(f->func_dict)) &&
           PyUnicode_CompareWithASCIIString(((PyCodeObject *)f->func_code)->co_name, "<lambda>") ==
               0;
}

/* What stands for an object that code is specialised on: a lambda in a call is a new function each
 * time, and the first of its code stands for all. Borrowed; NULL on an error. */
static PyObject *
static_for(PyObject *o)
{
    static PyObject *first; /* address of code -> function */
    if (!is_code_alone(o))
        return o;
    if (!first && !(first = PyDict_New()))
        return NULL;
    PyObject *code = PyFunction_GET_CODE(o), *key = PyLong_FromVoidPtr(code);
    PyObject *known = key ? PyDict_SetDefault(first, key, o) : NULL;
    Py_XDECREF(key);
    if (known && is_code_alone(known) && PyFunction_GET_CODE(known) == code &&
        PyFunction_GET_GLOBALS(known) == PyFunction_GET_GLOBALS(o))
        return known;
    return known ? o : NULL;
}

static int
take_range(Dispatcher *d, Frame *f, PyObject *o, Py_ssize_t i)
{
    int64_t part[3];
    if (!heap_range(o, part))
        return args_refuse(d, i, PyExc_OverflowError, "has an int that does not fit in int64");
    *f->code++ = CODE_RANGE;
    for (int k = 0; k < 3; k++)
        *f->slot++ = (uint64_t)part[k];
    return TAKE_OK;
}

static int
take_rare(Dispatcher *d, Frame *f, PyObject *o, Py_ssize_t i, int depth)
{
    if (instance_check(o))
        return instance_take(f, o);
    if (typed_check(o))
        return take_later(d, f, o, i);
    o = typed_stands_for(o);
    if (!d->mixed && keyed_is_value(d->dict_objects, o, depth))
        return depth > 20 ? args_refuse(d, i, PyExc_TypeError, "is a dict nested too deeply")
                          : keyed_take(d, f, o, i, depth);
    if (PyList_CheckExact(o) && args_is_unlike_list(o))
        return take_elements(d, f, o, i, depth);
    if (foreign_is_generator(o))
        return TAKE_FOREIGN;
    bool plain = object_is_plain(o) && !foreign_is_registered(o);
    if (plain || PyUnicode_CheckExact(o) || PyBytes_CheckExact(o) || heap_class_of(o))
        return take_later(d, f, o, i);
    if (depth == 0 && heap_is_row(d, o))
        return take_later(d, f, o, i);
    if (PyRange_Check(o))
        return take_range(d, f, o, i);
    if (PySlice_Check(o))
        return args_take_slice(d, f, o, i);
    if (foreign_stood_for(o))
        return TAKE_FOREIGN;
    if (PyArray_IsScalar(o, Generic))
        return take_npscalar(d, f, o, i);
    if (PyTuple_Check(o))
        return take_tuple(d, f, o, i, depth);
    if (PyLong_Check(o) && py_is_plain(o, &PyLong_Type)) /* IntEnum and its like */
        return take_int(d, f, o, i);
    if (PyFloat_Check(o) && py_is_plain(o, &PyFloat_Type)) {
        *f->code++ = CODE_FLOAT;
        *f->slot++ = double_bits(PyFloat_AS_DOUBLE(o));
        return TAKE_OK;
    }
    if (PyComplex_Check(o) && py_is_plain(o, &PyComplex_Type)) {
        *f->code++ = CODE_COMPLEX;
        take_complex(f, PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
        return TAKE_OK;
    }
    if (PyArray_Check(o) &&
        (is_plain_array_type(Py_TYPE(o)) || is_record_array((PyArrayObject *)o)))
        return take_array(d, f, (PyArrayObject *)o, i);
    if (is_static(o)) {
        if (!(o = static_for(o)))
            return TAKE_ERROR;
        *f->code++ = CODE_STATIC;
        *f->code++ = (uint64_t)(uintptr_t)o;
        return TAKE_OK;
    }
    int found = foreign_check(o) ? 1 : foreign_find(o);
    return found > 0 ? TAKE_FOREIGN : found < 0 ? TAKE_ERROR : refuse_object(d, i, o);
}

static inline int
take(Dispatcher *d, Frame *f, PyObject *o, Py_ssize_t i, int depth)
{
    PyTypeObject *t = Py_TYPE(o);
    if (SW_UNLIKELY(f->slot + 4 > f->slot_end || f->code + 4 > f->code_end))
        return TAKE_FULL;
    if (t == &PyArray_Type)
        return take_array(d, f, (PyArrayObject *)o, i);
    if (t == &PyFloat_Type) {
        *f->code++ = CODE_FLOAT;
        *f->slot++ = double_bits(PyFloat_AS_DOUBLE(o));
    } else if (t == &PyLong_Type) {
        return take_int(d, f, o, i);
    } else if (t == &PyBool_Type) {
        *f->code++ = CODE_BOOL;
        *f->slot++ = o == Py_True;
    } else if (o == Py_None) {
        *f->code++ = CODE_NONE;
    } else if (t == &PyUnicode_Type && f->n_lists < FRAME_LISTS) {
        *f->code++ = CODE_TEXT;
        return put_later(f, o);
    } else {
        return take_rare(d, f, o, i, depth);
    }
    return TAKE_OK;
}

/* In a dict: a list, but no dict. */
int
args_take_value(Dispatcher *d, Frame *f, PyObject *o, Py_ssize_t i, int depth)
{
    return take(d, f, o, i, depth);
}

/* ---- all of a call ------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) int
take_all(Dispatcher *d, Frame *f, PyObject *const *args, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        bool known = SW_UNLIKELY(d->known != 0) && known_is(d->known, args[i], i);
        int r = known ? (known_take(f, args[i]) ? TAKE_OK : TAKE_FULL) : take(d, f, args[i], i, 0);
        if (SW_LIKELY(r == TAKE_OK))
            continue;
        if (r == TAKE_FOREIGN)
            return ARGS_FOREIGN;
        if (r == TAKE_ERROR || f->heap || args_room(f, args, n, 0) != TAKE_OK)
            return -1;
        f->n_lists = 0;
        i = -1; /* all over again, with room */
    }
    return 0;
}

int
args_take(Dispatcher *d, Frame *f, PyObject *const *args, Py_ssize_t n)
{
    object_call_begins();
    int r = take_all(d, f, args, n);
    while (r == 0 && SW_UNLIKELY(f->n_lists > 1) && object_has_grown()) {
        f->slot = f->slots;
        f->code = f->codes;
        f->mem = f->mems;
        f->owner = f->owners;
        f->n_lists = 0;
        r = take_all(d, f, args, n);
    }
    return r;
}

/* ---- explicit signatures --------------------------------------------------------------------- */

static bool
put(Frame *f, uint64_t a)
{
    if (f)
        *f->slot++ = a;
    return true;
}

static bool
convert_int(Frame *f, DType d, PyObject *o)
{
    PyObject *i = PyNumber_Index(o);
    bool ok = false;
    if (i && dtype_kind(d) == DK_UINT) {
        unsigned long long v = PyLong_AsUnsignedLongLong(i);
        ok =
            !PyErr_Occurred() && (dtype_size(d) == 8 || v >> (8 * dtype_size(d)) == 0) && put(f, v);
    } else if (i) {
        long long v = PyLong_AsLongLong(i);
        long long top = dtype_size(d) == 8 ? 0 : 1LL << (8 * dtype_size(d) - 1);
        ok = !PyErr_Occurred() && (dtype_size(d) == 8 || (v >= -top && v < top)) &&
             put(f, (uint64_t)v);
    }
    PyErr_Clear();
    Py_XDECREF(i);
    return ok;
}

static bool
convert_float(Frame *f, DType d, PyObject *o)
{
    double x = PyFloat_AsDouble(o);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return false;
    }
    float x32 = (float)x;
    uint32_t bits;
    memcpy(&bits, &x32, sizeof bits);
    if (d == DT_f16) {
        _Float16 h = (_Float16)x;
        uint16_t half;
        memcpy(&half, &h, sizeof half);
        return put(f, half);
    }
    return put(f, d == DT_f32 ? bits : double_bits(x));
}

static bool
convert_complex(Frame *f, DType d, PyObject *o)
{
    Py_complex z = PyComplex_AsCComplex(o);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return false;
    }
    if (d == DT_c128)
        return put(f, double_bits(z.real)) && put(f, double_bits(z.imag));
    SwC64 c = {(float)z.real, (float)z.imag};
    uint64_t bits;
    memcpy(&bits, &c, sizeof bits);
    return put(f, bits);
}

/* May a scalar go there without loss? Any float dtype takes Python's numbers. */
static bool
scalar_fits(DType want, PyObject *o)
{
    if (PyArray_IsScalar(o, Generic)) {
        int d = args_npscalar_dtype(o);
        return d >= 0 && (d == (int)want || dtype_can_cast_safely((DType)d, want));
    }
    if (dtype_is_param(want))
        return false;
    if (PyBool_Check(o))
        return true;
    if (PyLong_Check(o))
        return want != DT_bool;
    if (PyFloat_Check(o))
        return dtype_is_float(want) || dtype_is_complex(want);
    return PyComplex_Check(o) && dtype_is_complex(want);
}

static bool
convert_scalar(Frame *f, const Type *t, PyObject *o)
{
    DType d = (DType)t->dtype;
    uint64_t slot[2];
    if (PyTuple_Check(o) && PyTuple_GET_SIZE(o) == 1 &&
        PyDict_GetItemString(class_dict(Py_TYPE(o)), "_swathe_of"))
        o = PyTuple_GET_ITEM(o, 0); /* what stands for a member of an IntEnum */
    if (!scalar_fits(d, o))
        return false;
    if (dtype_is_param(d))
        return npscalar_slot(o, slot) && put(f, slot[0]);
    switch (dtype_kind(d)) {
    case DK_BOOL: {
        int v = PyObject_IsTrue(o);
        return v >= 0 && put(f, (uint64_t)v);
    }
    case DK_INT:
    case DK_UINT:
        return convert_int(f, d, o);
    case DK_FLOAT:
        return convert_float(f, d, o);
    case DK_COMPLEX:
        return convert_complex(f, d, o);
    }
    return false;
}

static bool
convert_array(Frame *f, const Type *t, PyObject *o)
{
    if (!PyArray_Check(o) || !is_plain_array_type(Py_TYPE(o)))
        return false;
    PyArrayObject *a = (PyArrayObject *)o;
    if (dtype_of_array(a) != t->dtype || PyArray_NDIM(a) != t->ndim || !PyArray_ISALIGNED(a) ||
        !PyArray_ISNOTSWAPPED(a) || (!t->readonly && !(flags_of(a) & NPY_ARRAY_WRITEABLE)) ||
        (t->layout == LAY_C && !PyArray_IS_C_CONTIGUOUS(a)) ||
        (t->layout == LAY_F && !PyArray_IS_F_CONTIGUOUS(a)))
        return false;
    return !f || take_array(NULL, f, a, 0) == TAKE_OK;
}

static bool /* of a value that isn't there: zeros, and arrays without elements */
put_nothing(Frame *f, const Type *t)
{
    static const uint64_t zero[2];
    bool ok = true;
    if (!f)
        return true;
    if (t->kind == TY_ARRAY && f->slot + 2 + 2 * t->ndim > f->slot_end)
        return false;
    if (t->kind == TY_ARRAY)
        put(f, (uint64_t)(uintptr_t)zero);
    for (int i = t->kind == TY_ARRAY; !type_has_parts(t) && i < type_slots(t); i++)
        put(f, 0);
    for (int i = 0; type_has_parts(t) && ok && i < t->n; i++)
        ok = put_nothing(f, t->elems[i]);
    return ok;
}

bool
args_convert(Frame *f, const Type *t, PyObject *o)
{
    if (t->kind == TY_OPTIONAL && o == Py_None)
        return put_nothing(f, t);
    if (t->kind == TY_OPTIONAL)
        return put(f, 1) && args_convert(f, t->elems[1], o);
    if (t->kind == TY_NONE)
        return o == Py_None;
    if (t->kind == TY_SCALAR)
        return convert_scalar(f, t, o);
    if (t->kind == TY_ARRAY)
        return convert_array(f, t, o);
    if (t->kind != TY_TUPLE || !PyTuple_Check(o) || PyTuple_GET_SIZE(o) != t->n)
        return false;
    for (int i = 0; i < t->n; i++)
        if (!args_convert(f, t->elems[i], PyTuple_GET_ITEM(o, i)))
            return false;
    return true;
}
