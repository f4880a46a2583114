/* SPDX-License-Identifier: BSD-3-Clause
 * NumPy's numbers and arrays as constants of the compiler. Arrays are copied, in the order in which
 * their elements lie in memory. */
#include "py.h"

enum { ARRAY_LIMIT = 64 << 20, WATCHED_BYTES = 16 << 10 };

int
dtype_of_typenum(int typenum)
{
    static const int8_t of[] = {
        [NPY_BOOL] = DT_bool,    [NPY_BYTE] = DT_i8,       [NPY_UBYTE] = DT_u8,
        [NPY_SHORT] = DT_i16,    [NPY_USHORT] = DT_u16,    [NPY_INT] = DT_i32,
        [NPY_UINT] = DT_u32,     [NPY_LONG] = DT_i64,      [NPY_ULONG] = DT_u64,
        [NPY_LONGLONG] = DT_i64, [NPY_ULONGLONG] = DT_u64, [NPY_FLOAT] = DT_f32,
        [NPY_DOUBLE] = DT_f64,   [NPY_LONGDOUBLE] = -1,    [NPY_CFLOAT] = DT_c64,
        [NPY_CDOUBLE] = DT_c128, [NPY_CLONGDOUBLE] = -1,   [NPY_OBJECT] = -1,
        [NPY_STRING] = -1,       [NPY_UNICODE] = -1,       [NPY_VOID] = -1,
        [NPY_DATETIME] = -1,     [NPY_TIMEDELTA] = -1,     [NPY_HALF] = DT_f16};
    return typenum >= 0 && typenum < SW_LEN(of) ? of[typenum] : -1;
}

static void
set_npvalue(Const *c, DType d, const void *p)
{
    union {
        uint8_t u8;
        int8_t i8;
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
        int64_t i64;
        float f32;
        double f64;
        SwC64 c64;
        SwC128 c128;
    } v;

    memcpy(&v, p, (size_t)dtype_size(d));
    c->dtype = (uint16_t)d;
    switch (dtype_storage(d)) {
    case DT_bool:
        c->b = v.u8 != 0;
        c->i = c->b;
        break;
    case DT_i8:
        c->i = v.i8;
        break;
    case DT_i16:
        c->i = v.i16;
        break;
    case DT_i32:
        c->i = v.i32;
        break;
    case DT_u8:
        c->i = v.u8;
        break;
    case DT_u16:
        c->i = v.u16;
        break;
    case DT_u32:
        c->i = v.u32;
        break;
    case DT_i64:
    case DT_u64:
        c->i = v.i64;
        break;
    case DT_f16:
        break; /* the caller has its value */
    case DT_f32:
        c->re = v.f32;
        break;
    case DT_f64:
        c->re = v.f64;
        break;
    case DT_c64:
        c->re = v.c64.re;
        c->im = v.c64.im;
        break;
    case DT_c128:
        c->re = v.c128.re;
        c->im = v.c128.im;
        break;
    case DT_COUNT:
        break;
    }
}

const Const *
const_npscalar(In *in, PyObject *o)
{
    PyArray_Descr *descr = PyArray_DescrFromScalar(o);
    int d = descr ? dtype_of_descr(descr) : -1;
    Py_XDECREF(descr);
    if (d < 0)
        return const_unsupported(in, "a NumPy scalar of type %s", Py_TYPE(o)->tp_name);
    Const *c = const_new(in, CV_NPSCALAR);
    char raw[64];
    PyArray_ScalarAsCtype(o, raw);
    set_npvalue(c, (DType)d, raw);
    if (d == DT_f16)
        c->re = PyFloat_AsDouble(o);
    return c;
}

/* The axes as they lie in memory, outermost first, of an array without gaps; NULL: in C order, or
 * there are gaps. */
static const int64_t *
axes_of(In *in, PyArrayObject *a)
{
    int n = PyArray_NDIM(a);
    const npy_intp *strides = PyArray_STRIDES(a), *dims = PyArray_DIMS(a);
    int64_t *axes = NEW_N(&in->cx->arena, int64_t, n + 1);
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && strides[axes[k - 1]] < strides[i]; k--)
            axes[k] = axes[k - 1];
        axes[k] = i;
    }
    npy_intp step = PyArray_ITEMSIZE(a);
    bool moved = false;
    for (int i = n - 1; i >= 0; i--) {
        if (strides[axes[i]] != step)
            return NULL;
        step *= dims[axes[i]];
        moved |= axes[i] != i;
    }
    return moved ? axes : NULL;
}

/* The elements in the order in which NumPy's copy would have them, which 'K' and 'A' ask for. */
static bool
copy_elements(In *in, Const *c, PyArrayObject *a, PyArrayObject *flat)
{
    PyArrayObject *kept = PyArray_IS_C_CONTIGUOUS(a) || !PyArray_SIZE(a)
                              ? NULL
                              : (PyArrayObject *)PyArray_NewCopy(a, NPY_KEEPORDER);
    if (!kept && PyErr_Occurred())
        return false;
    c->axes = kept ? axes_of(in, kept) : NULL;
    c->data = arena_dup(&in->cx->arena, PyArray_DATA(c->axes ? kept : flat),
                        c->nbytes + (c->nbytes == 0));
    Py_XDECREF(kept);
    return true;
}

const Const *
const_array(In *in, PyObject *o)
{
    PyArrayObject *a = (PyArrayObject *)o;
    int d = dtype_of_array(a);
    if (d < 0)
        return const_unsupported(in, "an array of dtype %s", PyArray_DESCR(a)->typeobj->tp_name);
    if (PyArray_NBYTES(a) > ARRAY_LIMIT)
        return const_unsupported(in, "a global array of more than 64 MiB (pass it as an argument)");
    PyArrayObject *flat = (PyArrayObject *)PyArray_FromAny(o, descr_of_dtype((DType)d), 0, 0,
                                                           NPY_ARRAY_CARRAY_RO, NULL);
    if (!flat) {
        in->failed = true;
        return const_unsupported(in, "an array");
    }
    Const *c = const_new(in, CV_ARRAY);
    int64_t *shape = NEW_N(&in->cx->arena, int64_t, PyArray_NDIM(a) + 1);
    c->dtype = (uint16_t)d;
    c->ndim = (uint8_t)PyArray_NDIM(a);
    for (int i = 0; i < PyArray_NDIM(a); i++)
        shape[i] = PyArray_DIM(a, i);
    c->shape = shape;
    c->nbytes = (size_t)PyArray_NBYTES(flat);
    bool writeable = PyArray_ISWRITEABLE(a) || PyArray_BASE(a);
    if (writeable && c->nbytes <= WATCHED_BYTES)
        deps_array(in->deps, o, PyArray_DATA(flat), c->nbytes);
    bool copied = copy_elements(in, c, a, flat);
    Py_DECREF(flat);
    if (!copied) {
        in->failed = true;
        return const_unsupported(in, "an array");
    }
    return c;
}
