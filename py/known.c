/* SPDX-License-Identifier: BSD-3-Clause
 * Arguments whose values are compiled in: strings that are options, and numbers that decide types,
 * as an axis. A call finds out: where a function doesn't compile because something must be a
 * constant, and does with the values of some arguments in it, there is code for each value of
 * those from then on. */
#include "py.h"

enum { MOST_PARTS = 16, MOST_VALUES = 128 }; /* in one; of a function's arguments, all together */

static bool
is_small_int(PyObject *o)
{
    int over = 0;
    if (PyArray_IsScalar(o, Integer)) /* a timedelta64 is one, too */
        return !PyArray_IsScalar(o, Timedelta) && !PyArray_IsScalar(o, ULong) &&
               !PyArray_IsScalar(o, ULongLong);
    return PyBool_Check(o) || (PyLong_CheckExact(o) &&
                               (PyLong_AsLongLongAndOverflow(o, &over) != -1 || !over) && !over);
}

/* How many numbers are in it, and tuples of them; 0: something else is. */
static int
count_parts(PyObject *o, int depth)
{
    if (is_small_int(o))
        return 1;
    if (!PyTuple_CheckExact(o) || depth == 3)
        return 0;
    int n = 1;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(o); k++) {
        int parts = count_parts(PyTuple_GET_ITEM(o, k), depth + 1);
        n += parts;
        if (!parts || n > MOST_PARTS)
            return 0;
    }
    return n;
}

/* No other kinds of numbers decide a type. */
static bool
can_be(PyObject *o)
{
    return PyUnicode_CheckExact(o) || count_parts(o, 0);
}

bool
known_is(uint64_t known, PyObject *o, Py_ssize_t i)
{
    return i < 64 && (known >> i & 1) && can_be(o);
}

enum { AN_INT, A_BOOL, A_TUPLE, OF_NUMPY }; /* what is known */

/* One of NumPy's integers, which has a dtype besides. */
static void
put_scalar(Frame *f, PyObject *o)
{
    PyArray_Descr *d = PyArray_DescrFromScalar(o);
    PyObject *i = PyNumber_Index(o);
    *f->code++ = CODE_KNOWN | OF_NUMPY << 8 | (uint64_t)(d ? d->type_num : 0) << 16;
    *f->code++ = i ? (uint64_t)PyLong_AsLongLong(i) : 0;
    Py_XDECREF(i);
    Py_XDECREF(d);
}

static void
put_number(Frame *f, PyObject *o)
{
    if (PyArray_IsScalar(o, Integer)) {
        put_scalar(f, o);
        return;
    }
    Py_ssize_t n = PyTuple_Check(o) ? PyTuple_GET_SIZE(o) : 0;
    uint64_t kind = PyTuple_Check(o) ? A_TUPLE : PyBool_Check(o) ? A_BOOL : AN_INT;
    *f->code++ = CODE_KNOWN | kind << 8 | (uint64_t)n << 16;
    if (kind < A_TUPLE)
        *f->code++ = (uint64_t)PyLong_AsLongLong(o);
    for (Py_ssize_t k = 0; k < n; k++)
        put_number(f, PyTuple_GET_ITEM(o, k));
}

/* Equal strings are one object once interned; the specialisation keeps it alive. */
static void
put_str(Frame *f, PyObject *o)
{
    Py_INCREF(o);
    PyUnicode_InternInPlace(&o);
    *f->code++ = CODE_STR;
    *f->code++ = (uint64_t)(uintptr_t)o;
    Py_DECREF(o); /* the address stands for it only while a specialisation holds it */
}

/* Its value as codes, with no slots; false: no room. */
bool
known_take(Frame *f, PyObject *o)
{
    if (f->code + 2 * MOST_PARTS > f->code_end)
        return false;
    if (PyUnicode_Check(o))
        put_str(f, o);
    else
        put_number(f, o);
    return true;
}

/* Those numbers among the arguments, or flags alone, without whose values a function doesn't
 * compile, as few as will do; 0: with all of them it doesn't either. Of numbers that are known the
 * error may be another (an axis out of range): it is the one to tell, and other values may do. */
uint64_t
known_find(Dispatcher *d, PyObject *const *args, int n, bool flags)
{
    uint64_t some = 0;
    unsigned but = flags ? 0 : WANT_NUMBER;
    for (int i = 0; i < n && i < 64; i++)
        if ((flags ? PyBool_Check(args[i]) : !PyUnicode_Check(args[i]) && can_be(args[i])) &&
            !(d->known >> i & 1))
            some |= (uint64_t)1 << i;
    if (!some || !spec_would_compile(d, args, n, d->known | some, but))
        return 0;
    for (int i = 0; i < n && i < 64; i++) {
        uint64_t less = some & ~((uint64_t)1 << i);
        if (less != some && less && spec_would_compile(d, args, n, d->known | less, but))
            some = less;
    }
    return some;
}

/* Their values are assigned at the root's beginning. */
void
known_assign(In *in, PyObject *const *args, int n)
{
    FuncDef *f = in->prog->root;
    Arena *a = &in->cx->arena;
    for (int i = 0; i < n && !in->failed; i++) {
        if (!known_is(in->known, args[i], i) || i >= f->n_params)
            continue;
        in_assign_first(in, f, f->params[i].name, in_const(in, args[i], NULL));
        PyObject *s = PyObject_Repr(args[i]);
        const char *text = s ? PyUnicode_AsUTF8(s) : NULL;
        if (text)
            VEC_PUSH(
                a, f->told,
                ((Told){f->params[i].at, true,
                        arena_printf(a, "%s is %.60s in this code: each value has code of its own",
                                     f->params[i].name, text)}));
        PyErr_Clear();
        Py_XDECREF(s);
    }
}

/* What a signature shows in place of types that say nothing: a tuple of texts, and of None where
 * the type says all; NULL where all do. */
PyObject *
known_values(const Dispatcher *d, PyObject *const *args, int n)
{
    PyObject *all = d->known ? PyTuple_New(n) : NULL;
    bool any = false;
    for (int i = 0; all && i < n; i++) {
        bool known = known_is(d->known, args[i], i);
        PyObject *s = known ? PyObject_Repr(args[i]) : Py_NewRef(Py_None);
        any |= known && s;
        PyTuple_SET_ITEM(all, i, s ? s : Py_NewRef(Py_None));
    }
    PyErr_Clear();
    if (!any)
        Py_CLEAR(all);
    return all;
}

static bool
any_known(uint64_t known, PyObject *const *args, int n)
{
    bool any = false;
    for (int i = 0; known && i < n; i++)
        any |= known_is(known, args[i], i);
    return any;
}

static int
count_values(const Dispatcher *d)
{
    int n = 0;
    for (int i = 0; i < SW_LEN(d->specs.bucket); i++)
        for (const Spec *s = d->specs.bucket[i]; s; s = s->next)
            n += s->of_values;
    return n;
}

/* May there be code for these values, too? Else strings are passed as other strings are from now
 * on, if that compiles: false without an exception, the call is made again. */
bool
known_room(Dispatcher *d, PyObject *const *args, int n, bool kernel)
{
    uint64_t texts = 0;
    int first = -1;
    if (!any_known(d->known, args, n) || count_values(d) < MOST_VALUES)
        return true;
    for (int i = 0; i < n && i < 64; i++) {
        if (!known_is(d->known, args[i], i))
            continue;
        first = first < 0 ? i : first;
        texts |= (uint64_t)(PyUnicode_CheckExact(args[i]) != 0) << i;
    }
    if (texts && !kernel && spec_would_compile(d, args, n, d->known & ~texts, 0)) {
        d->known &= ~texts;
        d->by_value |= texts;
        return false;
    }
    if (!PyErr_Occurred())
        args_refuse(d, first, PyExc_ValueError,
                    "has a value that would have to be compiled in, as %d others have been: no "
                    "more are. Each makes code of its own, so there should be few; "
                    "a new swathe.njit(...) of the function takes others",
                    MOST_VALUES);
    return false;
}
