/* SPDX-License-Identifier: BSD-3-Clause
 * NumPy's dates and time spans at the boundary: their descriptors, which have a unit, as dtypes of
 * the compiler, and back. */
#include "py.h"

/* The dtype of datetime64 or timedelta64 with this unit, or -1. */
static int
time_dtype(PyArray_Descr *d)
{
    if (d->type_num != NPY_DATETIME && d->type_num != NPY_TIMEDELTA)
        return -1;
    const PyArray_DatetimeDTypeMetaData *m =
        (const PyArray_DatetimeDTypeMetaData *)(const void *)PyDataType_C_METADATA(d);
    if (!m || (int)m->meta.base < 0 || (int)m->meta.base >= UNIT_COUNT)
        return -1;
    DType t = dtype_of_time(d->type_num == NPY_DATETIME ? DK_DATE : DK_DELTA,
                            (TimeUnit)m->meta.base, m->meta.num);
    return t == DT_COUNT ? -1 : (int)t;
}

int
dtype_of_descr(PyArray_Descr *d)
{
    int t = dtype_of_typenum(d->type_num);
    return t >= 0 ? t : time_dtype(d);
}

int
dtype_of_array(PyArrayObject *a)
{
    return dtype_of_descr(PyArray_DESCR(a));
}

int
args_npscalar_dtype(PyObject *o)
{
    PyArray_Descr *descr = PyArray_DescrFromScalar(o);
    int d = descr ? dtype_of_descr(descr) : -1;
    Py_XDECREF(descr);
    PyErr_Clear();
    return d;
}

/* A new reference. Those of dates are made once, and kept. */
PyArray_Descr *
descr_of_dtype(DType d)
{
    static PyArray_Descr *made[DT_MAX - DT_PARAM];
    if (!dtype_is_param(d))
        return PyArray_DescrFromType(typenum_of_dtype(d));
    PyArray_Descr **at = &made[d - DT_PARAM];
    if (!*at) {
        PyObject *name = PyUnicode_FromString(dtype_info[d].name);
        if (name && !PyArray_DescrConverter(name, at))
            *at = NULL;
        Py_XDECREF(name);
    }
    Py_XINCREF(*at);
    return *at;
}

PyObject *
box_time(DType d, const uint64_t *slot)
{
    PyArray_Descr *of = descr_of_dtype(d);
    int64_t v = (int64_t)*slot;
    PyObject *o = of ? PyArray_Scalar(&v, of, NULL) : NULL;
    Py_XDECREF(of);
    return o;
}
