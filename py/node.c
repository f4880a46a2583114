/* SPDX-License-Identifier: BSD-3-Clause
 * Lazy arrays: the type of nodes, and operators of arrays where the result's dtype and shape are
 * known from what was done before. All else, and all errors, are the package swathe._lazy's, which
 * lends its functions by lazy_begin(). */
#include "node.h"

#include <float.h>
#include <math.h>
#include <structmember.h>

enum { DEEPEST = 64, OPS = 192, DTYPES = NPY_CDOUBLE + 1 };

PyTypeObject *node_type;
static PyTypeObject *lazy_type; /* swathe.LazyArray, once there is one */
/* Functions of swathe._lazy. */
static PyObject *forward, *in_place, *rich, *single, *flush, *apart, *part;
static PyObject *ids;       /* names of operations -> number */
static PyObject *empty;     /* a tuple */
static PyObject *last_code; /* of a user's, the last that was met */
static PyObject *s_package;

/* What operations yield: a dtype for those of operands, and the operation that does it. */
static struct {
    PyObject *dtype, *op;
} one[OPS][DTYPES];
static PyObject *two[OPS][DTYPES][DTYPES];

/* Operations that are operators; their numbers. */
/* clang-format off */
#define BINARIES(X)                                                                                \
    X(add) X(subtract) X(multiply) X(divide) X(floor_divide) X(remainder) X(pow) X(bitwise_and)    \
    X(bitwise_or) X(bitwise_xor) X(bitwise_left_shift) X(bitwise_right_shift)
#define UNARIES(X) X(negative) X(positive) X(abs) X(bitwise_invert)
enum {
#define X(n) O_##n,
    BINARIES(X) UNARIES(X)
#undef X
    O_less, O_less_equal, O_equal, O_not_equal, O_greater, O_greater_equal, O_COUNT
};
static const char *const op_name[] = {
#define X(n) #n,
    BINARIES(X) UNARIES(X)
#undef X
    "less", "less_equal", "equal", "not_equal", "greater", "greater_equal",
};
/* clang-format on */
static PyObject *name_of[O_COUNT];

int
node_op(PyObject *name)
{
    PyObject *found = PyDict_GetItemWithError(ids, name);
    if (found)
        return (int)PyLong_AsLong(found);
    if (PyErr_Occurred())
        return -1;
    int next = (int)PyDict_GET_SIZE(ids);
    PyObject *number = PyLong_FromLong(next);
    if (!number || PyDict_SetItem(ids, name, number) < 0)
        next = -1;
    Py_XDECREF(number);
    return next;
}

/* ---- where a node is made ---- */

static PyObject *
globals_of(PyFrameObject *f)
{
#if PY_VERSION_HEX >= 0x030B0000
    return PyFrame_GetGlobals(f);
#else
    return PyObject_GetAttrString((PyObject *)f, "f_globals");
#endif
}

static int
instruction_of(PyFrameObject *f)
{
#if PY_VERSION_HEX >= 0x030B0000
    return PyFrame_GetLasti(f);
#else
    PyObject *o = PyObject_GetAttrString((PyObject *)f, "f_lasti");
    int at = o ? (int)PyLong_AsLong(o) : -1;
    Py_XDECREF(o);
    return at;
#endif
}

/* Tell whether a frame is of this package's modules, whose lines say nothing to users. */
static bool
is_ours(PyFrameObject *f)
{
    PyObject *globals = globals_of(f);
    PyObject *package = globals ? PyDict_GetItemWithError(globals, s_package) : NULL;
    bool ours = package && PyUnicode_Check(package) &&
                (!PyUnicode_CompareWithASCIIString(package, "swathe._lazy") ||
                 !PyUnicode_CompareWithASCIIString(package, "swathe.xp"));
    Py_XDECREF(globals);
    return ours;
}

static void
place(LazyNode *n)
{
    PyFrameObject *f = PyEval_GetFrame();
    Py_XINCREF(f);
    while (f) {
        PyObject *code = (PyObject *)PyFrame_GetCode(f);
        if (code == last_code || !is_ours(f)) {
            n->at = instruction_of(f);
            n->code = code;
            Py_INCREF(code);
            Py_XSETREF(last_code, code);
            Py_DECREF(f);
            break;
        }
        Py_DECREF(code);
        PyFrameObject *back = PyFrame_GetBack(f);
        Py_DECREF(f);
        f = back;
    }
    PyErr_Clear();
}

/* ---- nodes ---- */

static LazyNode *
blank(void)
{
    return (LazyNode *)node_type->tp_alloc(node_type, 0);
}

/* An operation is done where its operands are, which is one queue. */
static int
find_queue(LazyNode *n)
{
    PyObject *found = NULL; /* borrowed */
    bool any = false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(n->args); i++) {
        PyObject *a = PyTuple_GET_ITEM(n->args, i);
        if (!node_check(a))
            continue;
        PyObject *queue = ((LazyNode *)a)->queue;
        if (queue == Py_None)
            queue = NULL;
        if (any && queue != found) {
            PyObject *never = PyObject_CallFunctionObjArgs(apart, n->op, found ? found : Py_None,
                                                           queue ? queue : Py_None, NULL);
            Py_XDECREF(never);
            return -1;
        }
        found = queue;
        any = true;
    }
    n->queue = Py_XNewRef(found);
    return 0;
}

/* A node of an operation; takes over a reference to `args`, NULL on an error before. */
static LazyNode *
make(PyObject *op, int id, PyObject *args, PyObject *dtype, PyObject *shape, Py_ssize_t depth)
{
    LazyNode *n = args ? blank() : NULL;
    if (!n) {
        Py_XDECREF(args);
        return NULL;
    }
    n->op = Py_NewRef(op);
    n->id = id;
    n->args = args;
    n->par = Py_NewRef(empty);
    n->vals = Py_NewRef(empty);
    n->dtype = Py_NewRef(dtype);
    n->shape = Py_NewRef(shape);
    n->depth = depth + 1;
    if (find_queue(n) < 0)
        Py_CLEAR(n);
    return n;
}

/* What comes last when a node is made: no graph gets deeper than DEEPEST, so that a loop that never
 * asks for a value can't grow one without end. */
static LazyNode *
made(LazyNode *n)
{
    if (!n)
        return NULL;
    if (n->depth > DEEPEST) {
        PyObject *done = PyObject_CallOneArg(flush, (PyObject *)n);
        if (!done) {
            Py_DECREF(n);
            return NULL;
        }
        Py_DECREF(done);
    }
    place(n);
    return n;
}

/* Node(op, args, par, vals, dtype, shape), or Node() for one that is filled in after. */
static PyObject *
node_new(PyTypeObject *type, PyObject *given, PyObject *names)
{
    PyObject *op, *args, *par, *vals, *dtype, *shape;
    if (!PyTuple_GET_SIZE(given) && !names) {
        LazyNode *n = blank();
        if (n)
            n->op = Py_NewRef(Py_None);
        return (PyObject *)n;
    }
    (void)type;
    if (!PyArg_ParseTuple(given, "OO!O!O!O!O!", &op, &PyTuple_Type, &args, &PyTuple_Type, &par,
                          &PyTuple_Type, &vals, &PyArrayDescr_Type, &dtype, &PyTuple_Type, &shape))
        return NULL;
    Py_ssize_t depth = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); i++) {
        PyObject *a = PyTuple_GET_ITEM(args, i);
        if (node_check(a) && ((LazyNode *)a)->depth > depth)
            depth = ((LazyNode *)a)->depth;
    }
    int id = op == Py_None ? 0 : node_op(op);
    LazyNode *n = id < 0 ? NULL : make(op, id, Py_NewRef(args), dtype, shape, depth);
    if (n) {
        Py_SETREF(n->par, Py_NewRef(par));
        Py_SETREF(n->vals, Py_NewRef(vals));
    }
    return (PyObject *)made(n);
}

static int
node_traverse(PyObject *o, visitproc visit, void *arg)
{
    LazyNode *n = (LazyNode *)o;
    Py_VISIT(Py_TYPE(o));
    Py_VISIT(n->args);
    Py_VISIT(n->par);
    Py_VISIT(n->value);
    Py_VISIT(n->queue);
    Py_VISIT(n->code);
    return 0;
}

static int
node_clear(PyObject *o)
{
    LazyNode *n = (LazyNode *)o;
    Py_CLEAR(n->op);
    Py_CLEAR(n->args);
    Py_CLEAR(n->par);
    Py_CLEAR(n->vals);
    Py_CLEAR(n->dtype);
    Py_CLEAR(n->shape);
    Py_CLEAR(n->value);
    Py_CLEAR(n->queue);
    Py_CLEAR(n->code);
    return 0;
}

static void
node_dealloc(PyObject *o)
{
    PyTypeObject *t = Py_TYPE(o);
    PyObject_GC_UnTrack(o);
    node_clear(o);
    t->tp_free(o);
    Py_DECREF(t);
}

#define FIELD(type, name, field, kind)                                                             \
    {                                                                                              \
        name, kind, offsetof(type, field), 0, NULL                                                 \
    }
static PyMemberDef node_members[] = {
    FIELD(LazyNode, "op", op, T_OBJECT),         FIELD(LazyNode, "args", args, T_OBJECT),
    FIELD(LazyNode, "par", par, T_OBJECT),       FIELD(LazyNode, "vals", vals, T_OBJECT),
    FIELD(LazyNode, "dtype", dtype, T_OBJECT),   FIELD(LazyNode, "shape", shape, T_OBJECT),
    FIELD(LazyNode, "value", value, T_OBJECT),   FIELD(LazyNode, "queue", queue, T_OBJECT),
    FIELD(LazyNode, "code", code, T_OBJECT),     FIELD(LazyNode, "at", at, T_INT),
    FIELD(LazyNode, "depth", depth, T_PYSSIZET), {NULL, 0, 0, 0, NULL},
};
static PyType_Slot node_slots[] = {
    {Py_tp_new, node_new},
    {Py_tp_dealloc, node_dealloc},
    {Py_tp_traverse, node_traverse},
    {Py_tp_clear, node_clear},
    {Py_tp_members, node_members},
    {Py_tp_doc, "An operation of a graph of lazy arrays, or an array in memory."},
    {0, NULL},
};
static PyType_Spec node_spec = {
    .name = "swathe._core.Node",
    .basicsize = sizeof(LazyNode),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = node_slots,
};

/* ---- arrays ---- */

static PyObject *
wrapped(LazyNode *n)
{
    Lazy *x = n ? (Lazy *)lazy_type->tp_alloc(lazy_type, 0) : NULL;
    if (!x) {
        Py_XDECREF(n);
        return NULL;
    }
    x->node = (PyObject *)n;
    return (PyObject *)x;
}

static bool
is_view(const Lazy *x)
{
    return x->base && x->base != Py_None;
}

LazyNode *
lazy_node(PyObject *o)
{
    if (Py_TYPE(o) != lazy_type)
        return NULL;
    Lazy *x = (Lazy *)o;
    for (Lazy *v = x; is_view(v); v = (Lazy *)v->base)
        if (Py_TYPE(v->base) != lazy_type || ((Lazy *)v->base)->node != v->seen)
            return NULL;
    return x->node && node_check(x->node) ? (LazyNode *)x->node : NULL;
}

PyObject *
lazy_view(LazyNode *n, PyObject *base, PyObject *way, PyObject *seen)
{
    Lazy *x = (Lazy *)wrapped(n);
    if (x && base) {
        x->base = Py_NewRef(base);
        x->way = Py_NewRef(way);
        x->seen = Py_NewRef(seen);
    }
    return (PyObject *)x;
}

LazyNode *
node_of_memory(PyObject *value, PyObject *dtype, PyObject *shape)
{
    LazyNode *n = blank();
    if (!n) {
        Py_DECREF(value);
        return NULL;
    }
    n->op = Py_NewRef(Py_None);
    n->args = Py_NewRef(empty);
    n->par = Py_NewRef(empty);
    n->vals = Py_NewRef(empty);
    n->dtype = Py_NewRef(dtype);
    n->shape = Py_NewRef(shape);
    n->value = value;
    return n;
}

LazyNode *
node_of_view(PyObject *op, LazyNode *a, PyObject *par, PyObject *vals, PyObject *shape)
{
    int id = node_op(op);
    LazyNode *n =
        id < 0 ? NULL : make(op, id, PyTuple_Pack(1, (PyObject *)a), a->dtype, shape, a->depth);
    if (n) {
        Py_SETREF(n->par, Py_NewRef(par));
        Py_SETREF(n->vals, Py_NewRef(vals));
    }
    return made(n);
}

/* Powers that are products: the function knows the exponent (see _exponent in elementwise.py). */
static bool
is_small_power(double p)
{
    return p == 2.0 || p == 3.0 || p == 4.0;
}

/* A Python number beside an array of float64 or float32 as the number that it becomes there; NULL
 * if it isn't just that. */
static PyObject *
as_number(PyObject *o, int typenum, int id)
{
    if (typenum != NPY_DOUBLE && typenum != NPY_FLOAT)
        return NULL;
    double d;
    if (PyFloat_CheckExact(o)) {
        d = PyFloat_AS_DOUBLE(o);
        if (id == O_pow && is_small_power(d))
            return NULL;
        if (typenum == NPY_DOUBLE)
            return Py_NewRef(o);
    } else {
        if (!PyLong_CheckExact(o) || id == O_pow)
            return NULL;
        int over;
        long long v = PyLong_AsLongLongAndOverflow(o, &over);
        if (over || v > 1LL << 53 || v < -(1LL << 53))
            return NULL;
        d = (double)v;
        if (typenum == NPY_DOUBLE)
            return PyFloat_FromDouble(d);
    }
    if (fabs(d) > FLT_MAX) /* it may overflow, which is told */
        return NULL;
    PyObject *number = PyArrayScalar_New(Float);
    if (number)
        PyArrayScalar_ASSIGN(number, Float, (float)d);
    return number;
}

static PyObject *
known_two(int id, int a, int b)
{
    return id < OPS && a < DTYPES && b < DTYPES ? two[id][a][b] : NULL;
}

/* What an operation yields, or NULL, without an exception, if it is the package's to find out. */
static PyObject *
fast(int id, PyObject *op, PyObject *x1, PyObject *x2)
{
    LazyNode *a = lazy_node(x1), *b = lazy_node(x2);
    PyObject *p, *q, *dtype, *shape;
    Py_ssize_t depth;
    if (a && b) {
        dtype = known_two(id, node_typenum(a), node_typenum(b));
        shape = a->shape;
        if (!dtype || (shape != b->shape && PyObject_RichCompareBool(shape, b->shape, Py_EQ) != 1))
            return NULL;
        p = Py_NewRef(a);
        q = Py_NewRef(b);
        depth = a->depth > b->depth ? a->depth : b->depth;
    } else if (a || b) {
        LazyNode *n = a ? a : b;
        int t = node_typenum(n);
        dtype = known_two(id, t, t);
        PyObject *number = dtype ? as_number(a ? x2 : x1, t, id) : NULL;
        if (!number)
            return NULL;
        p = a ? Py_NewRef(a) : number;
        q = a ? number : Py_NewRef(b);
        shape = n->shape;
        depth = n->depth;
    } else {
        return NULL;
    }
    PyObject *args = PyTuple_New(2);
    if (args) {
        PyTuple_SET_ITEM(args, 0, p);
        PyTuple_SET_ITEM(args, 1, q);
    } else {
        Py_DECREF(p);
        Py_DECREF(q);
    }
    return wrapped(made(make(op, id, args, dtype, shape, depth)));
}

static PyObject *
fast_one(int id, PyObject *x)
{
    LazyNode *a = lazy_node(x);
    int t = a ? node_typenum(a) : DTYPES;
    if (id >= OPS || t >= DTYPES || !one[id][t].dtype)
        return NULL;
    PyObject *op = one[id][t].op;
    int written = node_op(op);
    PyObject *args = written < 0 ? NULL : PyTuple_Pack(1, (PyObject *)a);
    return wrapped(made(make(op, written, args, one[id][t].dtype, a->shape, a->depth)));
}

static PyObject *
binary(int id, PyObject *a, PyObject *b)
{
    PyObject *out = fast(id, name_of[id], a, b);
    if (out || PyErr_Occurred())
        return out;
    return PyObject_CallFunctionObjArgs(forward, name_of[id], a, b, NULL);
}

static PyObject *
assigned(int id, PyObject *a, PyObject *b)
{
    return PyObject_CallFunctionObjArgs(in_place, name_of[id], a, b, NULL);
}

static PyObject *
unary(int id, PyObject *x)
{
    PyObject *out = fast_one(id, x);
    if (out || PyErr_Occurred())
        return out;
    return PyObject_CallFunctionObjArgs(single, name_of[id], x, NULL);
}

static PyObject *
lazy_compare(PyObject *a, PyObject *b, int op)
{
    static const int id_of[] = {
        [Py_LT] = O_less,      [Py_LE] = O_less_equal, [Py_EQ] = O_equal,
        [Py_NE] = O_not_equal, [Py_GT] = O_greater,    [Py_GE] = O_greater_equal};
    int id = id_of[op];
    PyObject *out = fast(id, name_of[id], a, b);
    if (out || PyErr_Occurred())
        return out;
    return PyObject_CallFunctionObjArgs(rich, name_of[id], a, b, NULL);
}

#define X(n)                                                                                       \
    static PyObject *lazy_##n(PyObject *a, PyObject *b)                                            \
    {                                                                                              \
        return binary(O_##n, a, b);                                                                \
    }                                                                                              \
    static PyObject *lazy_i##n(PyObject *a, PyObject *b)                                           \
    {                                                                                              \
        return assigned(O_##n, a, b);                                                              \
    }
BINARIES(X)
#undef X
#define X(n)                                                                                       \
    static PyObject *lazy_##n(PyObject *a)                                                         \
    {                                                                                              \
        return unary(O_##n, a);                                                                    \
    }
UNARIES(X)
#undef X

static PyObject *
lazy_power(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    return lazy_pow(a, b);
}

static PyObject *
lazy_ipower(PyObject *a, PyObject *b, PyObject *modulus)
{
    (void)modulus;
    return lazy_ipow(a, b);
}

static PyObject *
lazy_item(PyObject *x, PyObject *key)
{
    PyObject *out = view_item(x, key);
    if (out || PyErr_Occurred())
        return out;
    return PyObject_CallFunctionObjArgs(part, x, key, NULL);
}

static int
lazy_traverse(PyObject *o, visitproc visit, void *arg)
{
    Lazy *x = (Lazy *)o;
    Py_VISIT(Py_TYPE(o));
    Py_VISIT(x->node);
    Py_VISIT(x->base);
    Py_VISIT(x->way);
    Py_VISIT(x->seen);
    return 0;
}

static int
lazy_clear(PyObject *o)
{
    Lazy *x = (Lazy *)o;
    Py_CLEAR(x->node);
    Py_CLEAR(x->base);
    Py_CLEAR(x->way);
    Py_CLEAR(x->seen);
    return 0;
}

static void
lazy_dealloc(PyObject *o)
{
    PyTypeObject *t = Py_TYPE(o);
    PyObject_GC_UnTrack(o);
    if (((Lazy *)o)->weak)
        PyObject_ClearWeakRefs(o);
    lazy_clear(o);
    t->tp_free(o);
    Py_DECREF(t);
}

static PyMemberDef lazy_members[] = {
    FIELD(Lazy, "_node", node, T_OBJECT),
    FIELD(Lazy, "_base", base, T_OBJECT),
    FIELD(Lazy, "_way", way, T_OBJECT),
    FIELD(Lazy, "_seen", seen, T_OBJECT),
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Lazy, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot lazy_slots[] = {
    {Py_tp_dealloc, lazy_dealloc},
    {Py_tp_traverse, lazy_traverse},
    {Py_tp_clear, lazy_clear},
    {Py_tp_members, lazy_members},
    {Py_tp_richcompare, lazy_compare},
    {Py_tp_hash, PyObject_HashNotImplemented},
    {Py_mp_subscript, lazy_item},
    {Py_nb_add, lazy_add},
    {Py_nb_subtract, lazy_subtract},
    {Py_nb_multiply, lazy_multiply},
    {Py_nb_true_divide, lazy_divide},
    {Py_nb_floor_divide, lazy_floor_divide},
    {Py_nb_remainder, lazy_remainder},
    {Py_nb_power, lazy_power},
    {Py_nb_and, lazy_bitwise_and},
    {Py_nb_or, lazy_bitwise_or},
    {Py_nb_xor, lazy_bitwise_xor},
    {Py_nb_lshift, lazy_bitwise_left_shift},
    {Py_nb_rshift, lazy_bitwise_right_shift},
    {Py_nb_inplace_add, lazy_iadd},
    {Py_nb_inplace_subtract, lazy_isubtract},
    {Py_nb_inplace_multiply, lazy_imultiply},
    {Py_nb_inplace_true_divide, lazy_idivide},
    {Py_nb_inplace_floor_divide, lazy_ifloor_divide},
    {Py_nb_inplace_remainder, lazy_iremainder},
    {Py_nb_inplace_power, lazy_ipower},
    {Py_nb_inplace_and, lazy_ibitwise_and},
    {Py_nb_inplace_or, lazy_ibitwise_or},
    {Py_nb_inplace_xor, lazy_ibitwise_xor},
    {Py_nb_inplace_lshift, lazy_ibitwise_left_shift},
    {Py_nb_inplace_rshift, lazy_ibitwise_right_shift},
    {Py_nb_negative, lazy_negative},
    {Py_nb_positive, lazy_positive},
    {Py_nb_absolute, lazy_abs},
    {Py_nb_invert, lazy_bitwise_invert},
    {Py_tp_doc, "What lazy arrays are made of."},
    {0, NULL},
};
static PyType_Spec lazy_spec = {
    .name = "swathe._core.Lazy",
    .basicsize = sizeof(Lazy),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = lazy_slots,
};

/* ---- functions ---- */

/* lazy_begin(class, forward, in_place, rich, single, flush, apart, part) */
static PyObject *
lazy_begin(PyObject *module, PyObject *args)
{
    PyObject *cls, *f[7];
    (void)module;
    if (!PyArg_ParseTuple(args, "O!OOOOOOO", &PyType_Type, &cls, &f[0], &f[1], &f[2], &f[3], &f[4],
                          &f[5], &f[6]))
        return NULL;
    PyObject **to[] = {&forward, &in_place, &rich, &single, &flush, &apart, &part};
    for (int i = 0; i < SW_LEN(f); i++)
        Py_XSETREF(*to[i], Py_NewRef(f[i]));
    Py_XSETREF(lazy_type, (PyTypeObject *)Py_NewRef(cls));
    Py_RETURN_NONE;
}

/* lazy_known(op, a, b, dtype, written): what an operation of dtypes yields; b None for one of one
 * array, which is written as another operation. */
static PyObject *
lazy_known(PyObject *module, PyObject *args)
{
    PyObject *op, *b, *dtype, *written;
    PyArray_Descr *a;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!OO!O", &op, &PyArrayDescr_Type, &a, &b, &PyArrayDescr_Type,
                          &dtype, &written))
        return NULL;
    int id = node_op(op), i = a->type_num;
    if (id < 0)
        return NULL;
    if (id >= OPS || i >= DTYPES)
        Py_RETURN_NONE;
    if (b == Py_None) {
        Py_XSETREF(one[id][i].op, Py_NewRef(written));
        Py_XSETREF(one[id][i].dtype, Py_NewRef(dtype));
    } else if (PyArray_DescrCheck(b) && ((PyArray_Descr *)b)->type_num < DTYPES) {
        Py_XSETREF(two[id][i][((PyArray_Descr *)b)->type_num], Py_NewRef(dtype));
    }
    Py_RETURN_NONE;
}

/* lazy_element(op, args, dtype, shape, depth): an array of elements' function */
static PyObject *
lazy_element(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
    (void)module;
    if (n != 5 || !PyTuple_Check(args[1]) || !PyArray_DescrCheck(args[2]) ||
        !PyTuple_Check(args[3]) || !lazy_type) {
        PyErr_SetString(PyExc_TypeError, "lazy_element(op, args, dtype, shape, depth)");
        return NULL;
    }
    Py_ssize_t depth = PyLong_AsSsize_t(args[4]);
    int id = depth == -1 && PyErr_Occurred() ? -1 : node_op(args[0]);
    if (id < 0)
        return NULL;
    return wrapped(made(make(args[0], id, Py_NewRef(args[1]), args[2], args[3], depth)));
}

/* lazy_made(op, x1[, x2]): what the operation yields, or None if it is to be found out */
static PyObject *
lazy_made(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
    (void)module;
    int id = n == 2 || n == 3 ? node_op(args[0]) : -1;
    if (id < 0)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "lazy_made(op, x1[, x2])");
    PyObject *out = n == 2 ? fast_one(id, args[1]) : fast(id, args[0], args[1], args[2]);
    return out || PyErr_Occurred() ? out : Py_NewRef(Py_None);
}

/* lazy_settle(node, value): it becomes the array that it stands for, of a device where it is on
 * one and has axes, and lets go of what it was made of. Another thread may be making a node of it:
 * the value is there before `op` says so. */
static PyObject *
lazy_settle(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
    (void)module;
    if (n != 2 || !node_check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "lazy_settle(node, value)");
        return NULL;
    }
    LazyNode *node = (LazyNode *)args[0];
    bool there = node->queue && node->queue != Py_None && PyTuple_GET_SIZE(node->shape);
    PyObject *value = there ? Py_NewRef(args[1]) : PyArray_FROM_O(args[1]);
    if (!value)
        return NULL;
    if (!there)
        PyArray_CLEARFLAGS((PyArrayObject *)value, NPY_ARRAY_WRITEABLE);
    node->depth = 0;
    PyObject *old = node->value, *op = node->op, *operands = node->args;
    node->value = value;
    node->op = Py_NewRef(Py_None);
    node->args = Py_NewRef(empty);
    Py_XDECREF(old); /* which may run anything */
    Py_XDECREF(op);
    Py_XDECREF(operands);
    Py_RETURN_NONE;
}

#define VECTOR(name)                                                                               \
    {                                                                                              \
#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, NULL                              \
    }
PyMethodDef node_methods[] = {
    {"lazy_begin", lazy_begin, METH_VARARGS, NULL},
    {"lazy_known", lazy_known, METH_VARARGS, NULL},
    VECTOR(lazy_element),
    VECTOR(lazy_made),
    VECTOR(lazy_settle),
    {NULL, NULL, 0, NULL},
};

int
node_begin(PyObject *module)
{
    if (graph_begin() < 0 || view_begin() < 0 || !(ids = PyDict_New()) ||
        !(empty = PyTuple_New(0)) || !(s_package = PyUnicode_InternFromString("__package__")))
        return -1;
    for (int i = 0; i < O_COUNT; i++)
        if (!(name_of[i] = PyUnicode_InternFromString(op_name[i])) || node_op(name_of[i]) != i)
            return -1;
    node_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &node_spec, NULL);
    if (!node_type || PyModule_AddObjectRef(module, "Node", (PyObject *)node_type) < 0)
        return -1;
    PyObject *lazy = PyType_FromModuleAndSpec(module, &lazy_spec, NULL);
    int added = lazy ? PyModule_AddObjectRef(module, "Lazy", lazy) : -1;
    Py_XDECREF(lazy);
    return added < 0 || PyModule_AddFunctions(module, node_methods) < 0 ||
                   PyModule_AddFunctions(module, graph_methods) < 0 ||
                   PyModule_AddFunctions(module, view_methods) < 0
               ? -1
               : 0;
}
