/* SPDX-License-Identifier: BSD-3-Clause
 * Python objects as constants of the compiler: numbers, strings, tuples, arrays (copied),
 * modules, dtypes, and functions, which library ones are told apart from the user's by
 * identity: numpy.sin is the object found under that name in the numpy module. What has
 * no meaning in compiled code becomes CV_UNSUPPORTED with words for the message. */
#include "py.h"

Const *
const_new(In *in, ConstKind k)
{
    Const *c = NEW(&in->cx->arena, Const);
    c->kind = k;
    return c;
}

Const *
const_unsupported(In *in, const char *fmt, ...)
{
    Const *c = const_new(in, CV_UNSUPPORTED);
    StrBuf b = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_vaddf(&b, fmt, ap);
    va_end(ap);
    c->str_len = b.n;
    c->str = sb_keep(&b, &in->cx->arena);
    return c;
}

/* "-1f": up to 2048 bits; NULL for more. */
static const char *
hex_digits(In *in, PyObject *o)
{
    enum { LONGEST = 512 };
    PyErr_Clear();
    PyObject *hex = PyNumber_ToBase(o, 16);
    Py_ssize_t n;
    const char *s = hex ? PyUnicode_AsUTF8AndSize(hex, &n) : NULL;
    bool neg = s && *s == '-';
    const char *out = s && n - 2 - neg <= LONGEST
                          ? arena_printf(&in->cx->arena, "%s%s", neg ? "-" : "", s + 2 + neg)
                          : NULL;
    Py_XDECREF(hex);
    return out;
}

static Const *
int_const(In *in, PyObject *o)
{
    Const *c = const_new(in, CV_INT);
    int over = 0;
    c->dtype = DT_i64;
    c->i = PyLong_AsLongLongAndOverflow(o, &over);
    if (!over)
        return c;
    c->re = PyLong_AsDouble(o);
    unsigned long long u = over > 0 ? PyLong_AsUnsignedLongLong(o) : 0;
    if (over > 0 && !PyErr_Occurred()) {
        c->dtype = DT_u64;
        c->i = (int64_t)u;
    } else {
        c->too_big = true;
        c->i = 0;
        c->str = hex_digits(in, o);
    }
    PyErr_Clear();
    return c;
}

static Const *
text_const(In *in, ConstKind kind, const char *s, Py_ssize_t n)
{
    Const *c = const_new(in, kind);
    char *copy = arena_alloc(&in->cx->arena, (size_t)n + 1);
    memcpy(copy, s, (size_t)n);
    c->str = copy;
    c->str_len = (size_t)n;
    return c;
}

static Const *
str_const(In *in, PyObject *o)
{
    Py_ssize_t n;
    const char *s = PyUnicode_AsUTF8AndSize(o, &n);
    if (!s) { /* lone surrogates */
        PyErr_Clear();
        return const_unsupported(in, "a string that is not valid Unicode");
    }
    return text_const(in, CV_STR, s, n);
}

/* ---- tuples ---------------------------------------------------------------------------------- */

bool
py_is_namedtuple_class(PyObject *o)
{
    if (!PyType_Check(o) || !PyType_IsSubtype((PyTypeObject *)o, &PyTuple_Type) ||
        o == (PyObject *)&PyTuple_Type)
        return false;
    PyObject *f = PyObject_GetAttrString(o, "_fields");
    bool yes = f && PyTuple_Check(f);
    PyErr_Clear();
    Py_XDECREF(f);
    return yes;
}

/* A number of this class of Python's, or of one that keeps to what its operators mean. */
bool
py_is_plain(PyObject *o, PyTypeObject *base)
{
    PyTypeObject *t = Py_TYPE(o);
    return t == base || (!memcmp(t->tp_as_number, base->tp_as_number, sizeof *t->tp_as_number) &&
                         t->tp_richcompare == base->tp_richcompare && !t->tp_call);
}

/* Likewise, of a list or tuple, and slower. */
static bool
is_plain_sequence(PyObject *o, PyTypeObject *base)
{
    static const char *const names[] = {
        "__add__", "__radd__", "__iadd__",     "__mul__",  "__rmul__",   "__imul__",
        "__eq__",  "__ne__",   "__lt__",       "__le__",   "__gt__",     "__ge__",
        "__len__", "__iter__", "__contains__", "__bool__", "__getitem__"};
    bool same = !Py_TYPE(o)->tp_call;
    for (int i = 0; Py_TYPE(o) != base && same && i < SW_LEN(names); i++) {
        PyObject *a = PyObject_GetAttrString((PyObject *)Py_TYPE(o), names[i]),
                 *b = PyObject_GetAttrString((PyObject *)base, names[i]);
        same = a == b || PyObject_RichCompareBool(a ? a : Py_None, b ? b : Py_None, Py_EQ) == 1;
        PyErr_Clear();
        Py_XDECREF(a);
        Py_XDECREF(b);
    }
    return same;
}

/* A constant whose class has a meaning of its own; NULL: it is what it seems. */
static const Const *
own_meaning(In *in, PyObject *o)
{
    PyTypeObject *number = PyLong_Check(o)      ? &PyLong_Type
                           : PyFloat_Check(o)   ? &PyFloat_Type
                           : PyComplex_Check(o) ? &PyComplex_Type
                                                : NULL;
    bool tuple = PyTuple_Check(o) && !py_is_namedtuple_class((PyObject *)Py_TYPE(o));
    bool plain = PyBool_Check(o) || PyArray_IsScalar(o, Generic) ||
                 (number            ? py_is_plain(o, number) || in_is_pattern_flag(o)
                  : PyList_Check(o) ? is_plain_sequence(o, &PyList_Type)
                  : tuple           ? is_plain_sequence(o, &PyTuple_Type)
                                    : !PyArray_Check(o) || args_is_plain_array(o));
    const char *what = PyArray_Check(o) ? "an array" : "something";
    return plain || foreign_is_enum(o)
               ? NULL
               : const_unsupported(in, "%s of class %s, whose operators are its own", what,
                                   Py_TYPE(o)->tp_name);
}

bool
py_is_record_class(PyObject *o)
{
    return py_is_namedtuple_class(o) && PyObject_HasAttrString(o, "_layout");
}

static const Sym *
field_names(In *in, PyObject *cls, int *n)
{
    PyObject *f = in_get(in, cls, in->st->s__fields);
    if (!f)
        return NULL;
    *n = (int)PyTuple_GET_SIZE(f);
    Sym *names = NEW_N(&in->cx->arena, Sym, *n + 1);
    for (int i = 0; i < *n; i++)
        names[i] = in_sym(in, PyTuple_GET_ITEM(f, i));
    Py_DECREF(f);
    return names;
}

/* What the fields are where a call leaves them out; NULL: nothing. */
static const Const **
field_defaults(In *in, PyObject *cls, const Sym *names, int n)
{
    const Const **of = NEW_N(&in->cx->arena, const Const *, n + 1);
    PyObject *all = PyObject_GetAttrString(cls, "_field_defaults");
    for (int i = 0; all && PyDict_Check(all) && i < n; i++) {
        PyObject *v = PyDict_GetItemString(all, names[i]);
        of[i] = v ? in_const(in, v, names[i]) : NULL;
    }
    PyErr_Clear();
    Py_XDECREF(all);
    return of;
}

static void
name_class(In *in, Const *c, PyObject *cls)
{
    int n = 0;
    c->names = field_names(in, cls, &n);
    if (c->kind == CV_TUPLE_CLASS) {
        c->n = n;
        c->elems = field_defaults(in, cls, c->names, n);
    }
    c->ref = cls;
    c->str = arena_str(&in->cx->arena, ((PyTypeObject *)cls)->tp_name);
    if (PyList_Append(in->keep, cls) < 0)
        in->failed = true;
    in_tuple_class(in, cls);
}

/* The fields of a class of swathe._records. */
static const Const *
record_const(In *in, PyObject *cls)
{
    Const *c = const_new(in, CV_RECORD);
    name_class(in, c, cls);
    PyObject *layout = PyObject_GetAttrString(cls, "_layout");
    PyObject *dtype = layout ? PyObject_GetAttrString(cls, "_dtype") : NULL;
    c->b = PyDict_GetItemString(class_dict((PyTypeObject *)cls), "_packed") == Py_True;
    if (!dtype) {
        in->failed = true;
        Py_XDECREF(layout);
        return c;
    }
    c->n = (int)PyTuple_GET_SIZE(layout);
    c->i = PyDataType_ELSIZE((PyArray_Descr *)dtype);
    int64_t *offsets = NEW_N(&in->cx->arena, int64_t, c->n + 1);
    const Const **e = NEW_N(&in->cx->arena, const Const *, c->n + 1);
    for (int i = 0; i < c->n; i++) {
        PyObject *field = PyTuple_GET_ITEM(layout, i), *axes = PyTuple_GET_ITEM(field, 2);
        Const *f =
            arena_dup(&in->cx->arena, in_const(in, PyTuple_GET_ITEM(field, 1), NULL), sizeof *f);
        offsets[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(field, 0));
        if (f->kind == CV_DTYPE) {
            f->ndim = (uint8_t)PyTuple_GET_SIZE(axes);
            int64_t *shape = NEW_N(&in->cx->arena, int64_t, f->ndim + 1);
            for (int k = 0; k < f->ndim; k++)
                shape[k] = PyLong_AsLongLong(PyTuple_GET_ITEM(axes, k));
            f->shape = shape;
        }
        e[i] = f;
    }
    c->shape = offsets;
    c->elems = e;
    type_keep_record(in->cx->types, c);
    Py_DECREF(dtype);
    Py_DECREF(layout);
    return c;
}

/* The class that stands for a structured dtype. */
static const Const *
record_dtype(In *in, PyObject *dtype)
{
    PyObject *cls = late_call("swathe._records", "class_of", dtype);
    if (!cls) {
        PyErr_Clear();
        return const_unsupported(in, "a dtype of records with fields that are not numbers");
    }
    const Const *c = in_const(in, cls, NULL);
    Py_DECREF(cls);
    return c;
}

static const Const *
sequence_const(In *in, PyObject *o)
{
    if (++in->depth > 50) {
        in->depth--;
        return const_unsupported(in, "a deeply nested tuple");
    }
    Const *c = const_new(in, CV_TUPLE);
    Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    const Const **e = NEW_N(&in->cx->arena, const Const *, n + 1);
    for (Py_ssize_t i = 0; i < n && !in->failed; i++)
        e[i] = in_const(in, PySequence_Fast_GET_ITEM(o, i), NULL);
    c->n = (int)n;
    c->elems = e;
    c->is_list = PyList_Check(o);
    if (c->is_list)
        deps_list(in->deps, o);
    if (py_is_namedtuple_class((PyObject *)Py_TYPE(o)))
        name_class(in, c, (PyObject *)Py_TYPE(o));
    in->depth--;
    return c;
}

/* ---- types ----------------------------------------------------------------------------------- */

static const Const *
dtype_const(In *in, int d)
{
    Const *c = const_new(in, CV_DTYPE);
    c->dtype = (uint16_t)d;
    return c;
}

/* float, np.float64: not what a.dtype is */
static const Const *
scalar_class(In *in, int d, bool weak)
{
    Const *c = const_new(in, CV_DTYPE);
    c->dtype = (uint16_t)d;
    c->weak = weak;
    c->b = true;
    return c;
}

const Const *
in_builtin_const(In *in, const Builtin *b)
{
    Const *c = const_new(in, CV_BUILTIN);
    c->ref = b;
    return c;
}

static PyObject *
numpy_module(State *st)
{
    if (!st->numpy)
        st->numpy = late_import("numpy");
    return st->numpy;
}

/* Borrowed: numpy keeps it. */
PyObject *
numpy_attr(State *st, const char *name)
{
    PyObject *np = numpy_module(st);
    return np ? PyDict_GetItemString(PyModule_GetDict(np), name) : NULL;
}

static const Const *
exception_const(In *in, PyObject *o)
{
    PyTypeObject *t = (PyTypeObject *)o;
    Const *c = const_new(in, CV_EXC_CLASS);
    c->str = error_class_name(&in->cx->arena, t);
    c->b = !error_is_builtin(t) && !error_is_plain(t) && strncmp(c->str, "numpy.", 6);
    if (error_is_builtin(t))
        return c;
    PyObject *mro = t->tp_mro;
    Sym *names = NEW_N(&in->cx->arena, Sym, PyTuple_GET_SIZE(mro) + 1);
    for (Py_ssize_t i = 1; i < PyTuple_GET_SIZE(mro); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        if (PyExceptionClass_Check((PyObject *)base))
            names[c->n++] = intern(&in->cx->syms, error_class_name(&in->cx->arena, base));
    }
    c->names = names;
    if (c->b) {
        c->data = error_keeps(in, o);
        c->i = error_says(o);
        c->ref = o;
    }
    if (PyList_Append(in->keep, o) < 0)
        in->failed = true;
    return c;
}

static const Const *
type_const(In *in, PyObject *o)
{
    PyTypeObject *t = (PyTypeObject *)o;
    if (t == &PyFloat_Type)
        return scalar_class(in, DT_f64, true);
    if (t == &PyLong_Type)
        return scalar_class(in, DT_i64, true);
    if (t == &PyBool_Type)
        return scalar_class(in, DT_bool, true);
    if (t == &PyComplex_Type)
        return scalar_class(in, DT_c128, true);
    if (PyType_IsSubtype(t, &PyGenericArrType_Type)) {
        PyArray_Descr *descr = PyArray_DescrFromTypeObject(o);
        int d = descr ? dtype_of_descr(descr) : -1;
        PyErr_Clear();
        Py_XDECREF(descr);
        return d >= 0 ? scalar_class(in, d, false) : const_unsupported(in, "%s", t->tp_name);
    }
    if (PyExceptionClass_Check(o))
        return exception_const(in, o);
    if (class_is_instances(o)) {
        const Const *c = class_const(in, o);
        if (c || in->failed)
            return c ? c : const_unsupported(in, "class %s", t->tp_name);
    }
    if (py_is_record_class(o))
        return record_const(in, o);
    if (py_is_namedtuple_class(o)) {
        Const *c = const_new(in, CV_TUPLE_CLASS);
        name_class(in, c, o);
        return c;
    }
    const Builtin *b = in_builtin_of(in, o);
    if (b)
        return in_builtin_const(in, b);
    const Const *context = in_context(in, o);
    if (context || (context = in_stdlib_const(in, o)))
        return context;
    PyObject *init = _PyType_Lookup(t, in->st->s___init__); /* borrowed */
    bool plain = init && PyFunction_Check(init);
    Const *c = const_unsupported(in, "class %s%s", t->tp_name, plain ? ", not a jitclass" : "");
    /* an enum */
    bool numbers = PyObject_HasAttrString(o, "__members__");
    if (numbers || o == numpy_attr(in->st, "dtype") || o == numpy_attr(in->st, "finfo") ||
        o == numpy_attr(in->st, "iinfo"))
        c->ref = o; /* resolve.c calls it when its argument is constant */
    return c;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Is module.path (dots inside path) this very object? */
static bool
is_at(PyObject *module, const char *path, PyObject *o)
{
    char part[64];
    PyObject *at = Py_NewRef(module);
    while (at && *path) {
        size_t n = strcspn(path, ".");
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        PyObject *next = PyObject_GetAttrString(at, part);
        Py_SETREF(at, next);
        path += n + (path[n] == '.');
    }
    bool same = at == o;
    PyErr_Clear();
    Py_XDECREF(at);
    return same;
}

/* One of swathe's own, under whatever name or in whatever module it is found. */
static const Builtin *
swathe_builtin(PyObject *o, PyObject *module, const char *name)
{
    if (!module || !PyUnicode_Check(module))
        return NULL;
    bool marks = PyUnicode_CompareWithASCIIString(module, "swathe.marks") == 0;
    if (!marks && PyUnicode_CompareWithASCIIString(module, "swathe._objects") != 0)
        return NULL;
    PyObject *m = PyDict_GetItem(PyImport_GetModuleDict(), module);
    return m && is_at(m, name, o) ? builtin_find(marks ? "swathe" : "objects", name) : NULL;
}

static const Builtin *
builtin_named(In *in, PyObject *o, const char *module, const char *name)
{
    PyObject *np = numpy_module(in->st);
    if (!module || !strcmp(module, "numpy") || !strncmp(module, "numpy.", 6)) {
        char path[128];
        const Builtin *b = builtin_find("numpy", name);
        if (b && np && is_at(np, name, o))
            return b;
        /* numpy.random._pcg64's PCG64 is random.PCG64 */
        size_t n = module && strlen(module) > 6 ? strlen(module) - 6 : 0;
        while (n) {
            snprintf(path, sizeof path, "%.*s.%s", (int)n, module + 6, name);
            b = builtin_find("numpy", path);
            if (b && np && is_at(np, path, o))
                return b;
            while (n && module[6 + --n] != '.')
                ;
        }
        return NULL;
    }
    PyObject *m = PyDict_GetItemString(PyImport_GetModuleDict(), module);
    if (!m || !is_at(m, name, o) || PyFunction_Check(o))
        return NULL;
    if (!strcmp(module, "math") || !strcmp(module, "cmath") || !strcmp(module, "builtins"))
        return builtin_find(module, name);
    if ((!strcmp(module, "collections") || !strcmp(module, "array")) && PyType_Check(o))
        return builtin_find("builtins", name);
    return NULL;
}

const Builtin *
in_builtin_of(In *in, PyObject *o)
{
    PyObject *name = PyObject_GetAttr(o, in->st->s___name__);
    PyObject *module = PyObject_GetAttr(o, in->st->s___module__);
    const Builtin *b = NULL;
    PyErr_Clear();
    if (name && PyUnicode_Check(name)) {
        bool known = module && PyUnicode_Check(module);
        const char *s = PyUnicode_AsUTF8(name);
        b = s ? swathe_builtin(o, module, s) : NULL;
        if (s && !b)
            b = builtin_named(in, o, known ? PyUnicode_AsUTF8(module) : NULL, s);
    }
    PyErr_Clear();
    Py_XDECREF(name);
    Py_XDECREF(module);
    return b;
}

PyObject *
py_unwrap(State *st, PyObject *o)
{
    return dispatcher_check(st, o) ? ((Dispatcher *)o)->func : o;
}

/* Functions of the standard library are not the user's to compile, and pulling in what
 * they call would read half of it. So it is with packages that draw, or work in C. */
static bool
is_library_module(PyObject *module)
{
    static const char *const packages[] = {
        "numpy",   "matplotlib", "mpl_toolkits", "seaborn", "plotly", "bokeh",      "pandas",
        "polars",  "xarray",     "sklearn",      "skimage", "torch",  "tensorflow", "jax",
        "IPython", "PIL",        "cv2",          "h5py",    "pytest"};
    const char *m = module && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : NULL;
    if (!m)
        return false;
    PyObject *names = PySys_GetObject("stdlib_module_names");
    char top[128];
    snprintf(top, sizeof top, "%.*s", (int)strcspn(m, "."), m);
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (!strcmp(top, packages[i]))
            return true;
    PyObject *key = PyUnicode_FromString(top);
    int yes = names && key ? PySequence_Contains(names, key) : 0;
    Py_XDECREF(key);
    PyErr_Clear();
    return yes == 1 && strcmp(m, "__main__") && strcmp(m, "colorsys");
}

/* o: the function, or what its decorator has made of it. */
static const Const *
function_const(In *in, PyObject *of)
{
    PyObject *o = py_unwrap(in->st, of); /* whose __module__ functools.wraps has set, perhaps */
    PyObject *module = PyDict_GetItemString(PyFunction_GET_GLOBALS(o), "__name__");
    const Builtin *b = in_builtin_of(in, o);
    if (b)
        return in_builtin_const(in, b);
    const Const *ours = is_library_module(module) ? in_stdlib_const(in, o) : NULL;
    if (ours)
        return ours;
    if (is_library_module(module))
        return const_unsupported(in, "function %s.%s", PyUnicode_AsUTF8(module),
                                 PyUnicode_AsUTF8(((PyFunctionObject *)o)->func_qualname));
    Const *c = const_new(in, CV_FUNC);
    c->ref = of == o ? in_function(in, o) : in_dispatcher(in, of);
    return c->ref ? c : NULL;
}

static const Const *
module_const(In *in, PyObject *o)
{
    const char *name = PyModule_GetName(o);
    Const *c = const_new(in, CV_MODULE);
    PyErr_Clear();
    c->str = arena_str(&in->cx->arena, name ? name : "?");
    c->str_len = strlen(c->str);
    c->ref = o;
    return c;
}

/* swathe.types' scalars (swathe.float64) stand for NumPy's. */
static const Const *
swathe_dtype(In *in, PyObject *o)
{
    PyObject *v = PyObject_GetAttr(o, in->st->s__swathe_dtype);
    DType d;
    const Const *c = NULL;
    if (v && PyUnicode_Check(v) && dtype_from_name(PyUnicode_AsUTF8(v), &d))
        c = dtype_const(in, d);
    PyErr_Clear();
    Py_XDECREF(v);
    return c;
}

/* Names of swathe.gpu say which row they are: "threadIdx.x". One that ends in a dot holds
 * others: "threadIdx." is as a module. */
static const Const *
grid_const(In *in, PyObject *o)
{
    PyObject *v = PyObject_GetAttr(o, in->st->s__swathe_row);
    const char *row = v && PyUnicode_Check(v) ? PyUnicode_AsUTF8(v) : NULL;
    size_t n = row ? strlen(row) : 0;
    Const *c = NULL;
    if (n && row[n - 1] == '.') {
        c = const_new(in, CV_MODULE);
        c->str = arena_printf(&in->cx->arena, "swathe.gpu.%.*s", (int)n - 1, row);
        c->str_len = strlen(c->str);
        c->ref = o;
    } else if (n && builtin_find("gpu", row)) {
        c = const_new(in, CV_BUILTIN);
        c->ref = builtin_find("gpu", row);
    }
    PyErr_Clear();
    Py_XDECREF(v);
    return c;
}

/* np.finfo(...) and np.iinfo(...): resolve.c reads attributes of these. */
static const Const *
info_const(In *in, PyObject *o)
{
    PyObject *type = (PyObject *)Py_TYPE(o);
    if (type != numpy_attr(in->st, "finfo") && type != numpy_attr(in->st, "iinfo"))
        return NULL;
    Const *c = const_unsupported(in, "%s", Py_TYPE(o)->tp_name);
    c->ref = o;
    return PyList_Append(in->keep, o) < 0 ? NULL : c;
}

static const Const *
member_const(In *in, PyObject *o)
{
    PyObject *tuple = foreign_enum(o);
    const Const *c = tuple ? in_const(in, tuple, NULL) : NULL;
    Py_XDECREF(tuple);
    if (c && c->kind == CV_TUPLE && type_is_int_member(const_type(in->cx->types, c))) {
        Const *whole = (Const *)const_new(in, CV_INT);
        whole->dtype = DT_i64;
        whole->i = c->elems[0]->i;
        whole->names = c->names;
        whole->ref = c->ref;
        whole->str = c->str;
        return whole;
    }
    if (c)
        return c;
    PyErr_Clear();
    return const_unsupported(in, "this member of %s", Py_TYPE(o)->tp_name);
}

static const Const *
other_const(In *in, PyObject *o, const char *path)
{
    const Builtin *b = in_builtin_of(in, o);
    if (b)
        return in_builtin_const(in, b);
    PyObject *tuple = foreign_is_registered(o) ? foreign_registered(o) : NULL;
    const Const *c = tuple ? in_const(in, tuple, NULL) : swathe_dtype(in, o);
    Py_XDECREF(tuple);
    if (!c)
        c = info_const(in, o);
    if (!c)
        c = in_stdlib_const(in, o);
    if (!c)
        c = grid_const(in, o);
    if (!c)
        c = in_callable(in, o);
    if (c)
        return c;
    if (path && strchr(path, '.'))
        return const_unsupported(in, "%s", path);
    const char *t = Py_TYPE(o)->tp_name;
    Const *u = const_unsupported(in, "%s %s", strchr("aeiou", *t) ? "an" : "a", t);
    /* whose items may be asked for (fold_item), or which is written out (fold_whole) */
    u->ref = PyDict_CheckExact(o) || PyRange_Check(o) || PySlice_Check(o) || in_is_rewritten(o)
                 ? o
                 : NULL;
    return u;
}

const Const *
in_const(In *in, PyObject *o, const char *path)
{
    PyObject *f = py_unwrap(in->st, o);
    const Const *own = own_meaning(in, o);
    if (own)
        return own;
    if (in_stands_for(o)) {
        Const *c = const_unsupported(in, "%s", path ? path : Py_TYPE(o)->tp_name);
        c->ref = o;
        return c;
    }
    if (o == Py_None)
        return const_new(in, CV_NONE);
    if (o == Py_Ellipsis || o == Py_NotImplemented) {
        Const *c = const_new(in, CV_ELLIPSIS);
        c->b = o == Py_NotImplemented;
        return c;
    }
    if (PyBool_Check(o)) {
        Const *c = const_new(in, CV_BOOL);
        c->i = c->b = o == Py_True;
        return c;
    }
    if (foreign_is_enum(o) && !in_is_pattern_flag(o)) /* may be a number or a str, too */
        return member_const(in, o);
    if (PyArray_IsScalar(o, Generic))
        return const_npscalar(in, o);
    if (PyLong_Check(o))
        return int_const(in, o);
    if (PyFloat_Check(o)) {
        Const *c = const_new(in, CV_FLOAT);
        c->re = PyFloat_AS_DOUBLE(o);
        return c;
    }
    if (PyComplex_Check(o)) {
        Const *c = const_new(in, CV_COMPLEX);
        c->re = PyComplex_RealAsDouble(o);
        c->im = PyComplex_ImagAsDouble(o);
        return c;
    }
    if (PyUnicode_Check(o))
        return str_const(in, o);
    if (PyBytes_CheckExact(o))
        return text_const(in, CV_BYTES, PyBytes_AS_STRING(o), PyBytes_GET_SIZE(o));
    if (PyTuple_Check(o) || PyList_Check(o))
        return sequence_const(in, o);
    if (PyArray_Check(o))
        return const_array(in, o);
    if (PyModule_Check(o))
        return module_const(in, o);
    if (PyFunction_Check(f))
        return function_const(in, own_face(in->st, o));
    const Const *memo = in_is_memo(o) ? in_memo_const(in, o) : NULL;
    if (memo)
        return memo;
    if (PyType_Check(o))
        return type_const(in, o);
    if (PyArray_DescrCheck(o)) {
        int d = dtype_of_descr((PyArray_Descr *)o);
        return d >= 0                                     ? dtype_const(in, d)
               : PyDataType_HASFIELDS((PyArray_Descr *)o) ? record_dtype(in, o)
                                                          : const_unsupported(in, "this dtype");
    }
    return other_const(in, o, path);
}
