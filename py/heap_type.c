/* SPDX-License-Identifier: BSD-3-Clause
 * What a list, dict or set that is an argument holds: its codes, and its type. Both are told by the
 * first element that tells anything, and by whether there is a None before it; where a call with
 * that has failed, by whether there is one anywhere, and by the widest of Python's numbers. Which
 * elements these are is found in the same way for lists in lists, and for places in tuples. Where
 * that has failed, too, elements may be of one type or another: of each kind, what all of that kind
 * tell. */
#include "py.h"

/* How one comes from the argument to what is asked about: positions in tuples, and these. */
enum { EACH = -1, KEYS = -2, VALUES = -3, OF_KIND = -4 };
enum { MOST_STEPS = 40, MOST_KINDS = 8 };

typedef struct Look {
    int step[MOST_STEPS + 1], n;
    uintptr_t kind[MOST_STEPS + 1]; /* at OF_KIND: which */
    PyObject *root;
    bool all;
    bool kinds;        /* they may be of several */
    bool dicts;        /* a dict is one, whatever it has */
    bool row;          /* the root is a tuple that is taken for one of any length */
    PyObject *objects; /* NULL, or a list that gets all that is there but None */
    int64_t left;      /* so many are looked at: lists in lists may be one and the same */
} Look;

typedef struct Found {
    PyObject *first; /* borrowed; not None, and not empty if there is such a one. NULL: none */
    bool none;
    PyObject *last; /* borrowed */
    uintptr_t kind[MOST_KINDS + 1];
    PyObject *of_kind[MOST_KINDS + 1]; /* as `first`; where kinds are asked for */
    int n;                             /* MOST_KINDS + 1: too many */
} Found;

const HeapClass *
heap_class_of(PyObject *o)
{
    PyTypeObject *t = Py_TYPE(o);
    return t == &PyList_Type        ? &heap_list
           : t == &PyDict_Type      ? &heap_dict
           : t == &PySet_Type       ? &heap_set
           : t == &PyByteArray_Type ? &heap_bytearray
           : heap_class_of_array(o) ? heap_class_of_array(o)
                                    : heap_class_of_collection(o);
}

Py_ssize_t
heap_size(PyObject *o)
{
    return PyList_CheckExact(o)   ? PyList_GET_SIZE(o)
           : PyByteArray_Check(o) ? PyByteArray_GET_SIZE(o)
           : PyDict_Check(o)      ? PyDict_GET_SIZE(o)
           : PyAnySet_Check(o)    ? PySet_GET_SIZE(o)
                                  : PyObject_Size(o); /* a deque, an array.array */
}

static bool
is_empty(PyObject *o)
{
    const HeapClass *c = heap_class_of(o);
    return c && !(c->traits & HEAP_PACKED) && !heap_size(o);
}

/* Of Python's numbers the later ones hold those before; 0: it is none. */
static int
rank(PyObject *o)
{
    bool real = PyFloat_CheckExact(o) || PyArray_IsScalar(o, Double);
    return PyLong_CheckExact(o) ? 1 : real ? 2 : PyComplex_CheckExact(o) ? 3 : 0;
}

enum { KIND_BOOL = 2, KIND_INT = 10, KIND_FLOAT = 18, KIND_COMPLEX = 26 }; /* no addresses */
enum { KIND_NUMBER = 4, KIND_OBJECT = 12, KIND_TUPLE = 20 };

/* Python's numbers and NumPy's of the same width; 0: it is none. */
static uintptr_t
kind_of_number(PyObject *o)
{
    return PyBool_Check(o) || PyArray_IsScalar(o, Bool)              ? KIND_BOOL
           : PyLong_CheckExact(o) || PyArray_IsScalar(o, Int64)      ? KIND_INT
           : PyFloat_CheckExact(o) || PyArray_IsScalar(o, Double)    ? KIND_FLOAT
           : PyComplex_CheckExact(o) || PyArray_IsScalar(o, CDouble) ? KIND_COMPLEX
                                                                     : 0;
}

/* Values of one kind have one type; of which kind is o? Instances have those of their classes, or,
 * where one type holds all that there is, KIND_OBJECT, and so numbers. */
static uintptr_t
kind_of(const Look *l, PyObject *o)
{
    if (PyTuple_CheckExact(o))
        return KIND_TUPLE + 8 * (uintptr_t)PyTuple_GET_SIZE(o);
    if (kind_of_number(o))
        return kind_of_number(o);
    if (object_is_known(o))
        return (uintptr_t)Py_TYPE(o);
    bool dict = PyDict_CheckExact(o) && !l->dicts && keyed_object_class(o);
    return dict ? KIND_OBJECT : keyed_kind_of(o);
}

static bool
is_of_kind(const Look *l, PyObject *o, uintptr_t kind)
{
    return kind_of(l, o) == kind || (kind == KIND_OBJECT && object_is_known(o)) ||
           (kind == KIND_NUMBER && rank(o));
}

/* Which of two tells more. */
static PyObject *
telling(const Look *l, PyObject *first, PyObject *o)
{
    if (!first || is_empty(first))
        return o;
    return l->all && rank(first) && rank(o) > rank(first) ? o : first;
}

static void
note_kind(const Look *l, Found *f, PyObject *o)
{
    uintptr_t kind = kind_of(l, o);
    int k = 0;
    while (k < f->n && k < MOST_KINDS && f->kind[k] != kind)
        k++;
    f->kind[k] = kind;
    f->of_kind[k] = telling(l, k < f->n ? f->of_kind[k] : NULL, o);
    f->n += k == f->n;
}

static void
note(const Look *l, Found *f, PyObject *o)
{
    f->last = o;
    if (l->kinds && o != Py_None)
        note_kind(l, f, o);
    if (l->objects && o != Py_None && PyList_Append(l->objects, o) < 0)
        PyErr_Clear();
    if (o == Py_None)
        f->none = true;
    else
        f->first = telling(l, f->first, o);
}

/* Is it a value that tells nothing but its class? */
static bool
is_atom(PyObject *o)
{
    return PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyUnicode_CheckExact(o) ||
           PyBool_Check(o);
}

static bool look(Look *l, int at, PyObject *o, Found *f);

/* Nearly all elements of a long list tell nothing new: what they are, or hold at the place that is
 * asked about, is something, and so was another before. */
static bool
look_list(Look *l, int at, PyObject *o, Found *f)
{
    int left = l->n - at - 1, step = left == 1 ? l->step[at + 1] : -1;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(o); i++) {
        PyObject *v = PyList_GET_ITEM(o, i), *w = v;
        if (step >= 0 && PyTuple_Check(v) && step < PyTuple_GET_SIZE(v))
            w = PyTuple_GET_ITEM(v, step);
        bool told = !l->objects && w != Py_None && f->first && !is_empty(f->first);
        told = told && (!l->all || Py_TYPE(w) == Py_TYPE(l->kinds ? f->last : f->first)) &&
               (!l->kinds || is_atom(w));
        if (told && (left == 0 || w != v))
            l->left--;
        else if (look(l, at + 1, v, f))
            return true;
    }
    return false;
}

/* The elements of a set are looked at alike, whatever they are; it keeps them alive. */
static bool
look_set(Look *l, int at, PyObject *o, Found *f)
{
    PyObject *it = PyObject_GetIter(o), *v;
    bool done = false;
    while (it && !done && (v = PyIter_Next(it))) {
        done = look(l, at + 1, v, f);
        Py_DECREF(v);
    }
    Py_XDECREF(it);
    PyErr_Clear();
    return done;
}

/* Is there nothing more to be found? */
static bool
look(Look *l, int at, PyObject *o, Found *f)
{
    PyObject *k, *v;
    Py_ssize_t pos = 0;
    if (--l->left < 0)
        return f->first != NULL;
    if (at == l->n) {
        note(l, f, o);
        if (!l->all)
            return f->first != NULL;
        return !l->objects && !l->kinds && f->none && f->first && !is_empty(f->first) &&
               rank(f->first) % 3 == 0;
    }
    int step = l->step[at];
    if (step == OF_KIND)
        return o != Py_None && is_of_kind(l, o, l->kind[at]) && look(l, at + 1, o, f);
    if (step >= 0)
        return PyTuple_Check(o) && step < PyTuple_GET_SIZE(o) &&
               look(l, at + 1, PyTuple_GET_ITEM(o, step), f);
    if (step != EACH) {
        while (PyDict_Check(o) && PyDict_Next(o, &pos, &k, &v))
            if (look(l, at + 1, step == KEYS ? k : v, f))
                return true;
        v = step == VALUES && PyDict_Check(o) ? heap_sample(o) : NULL;
        return v && look(l, at + 1, v, f);
    }
    if (PyList_CheckExact(o))
        return look_list(l, at, o, f);
    for (Py_ssize_t i = 0; l->row && !at && i < PyTuple_GET_SIZE(o); i++)
        if (look(l, at + 1, PyTuple_GET_ITEM(o, i), f))
            return true;
    const HeapClass *c = heap_class_of(o);
    return c && !(c->traits & HEAP_MAPS) && look_set(l, at, o, f);
}

static Look
look_from(PyObject *root, bool all, bool mixed)
{
    return (Look){.root = root,
                  .all = all || mixed,
                  .kinds = mixed,
                  .dicts = mixed,
                  .left = (int64_t)1 << 27};
}

/* Which row of heap.def it is: equal for equal classes, in a process. */
static uint64_t
heap_number(const HeapClass *c)
{
    return (uint64_t)(uintptr_t)c;
}

/* In one order, whatever comes first. */
static void
sort_kinds(Found *f)
{
    for (int i = 1; i < f->n; i++) {
        uintptr_t kind = f->kind[i];
        PyObject *o = f->of_kind[i];
        int k = i;
        for (; k > 0 && f->kind[k - 1] > kind; k--) {
            f->kind[k] = f->kind[k - 1];
            f->of_kind[k] = f->of_kind[k - 1];
        }
        f->kind[k] = kind;
        f->of_kind[k] = o;
    }
}

/* All that is there, as a list; NULL: no memory. */
static PyObject *
all_there(const Look *l)
{
    Found ignored = {0};
    Look each = *l;
    each.left = (int64_t)1 << 27;
    each.kinds = false;
    if (!(each.objects = PyList_New(0))) {
        PyErr_Clear();
        return NULL;
    }
    look(&each, 0, each.root, &ignored);
    return each.objects;
}

/* Numbers alone have a type that holds them all, and so have instances of some classes. */
static void
merge_kinds(const Look *l, Found *f)
{
    bool numbers = true, objects = true;
    for (int i = 0; i < f->n; i++) {
        numbers &= rank(f->of_kind[i]) > 0;
        objects &= object_is_known(f->of_kind[i]);
    }
    PyObject *all = objects ? all_there(l) : NULL;
    objects = all && object_class_of_all(all);
    Py_XDECREF(all);
    PyErr_Clear();
    if (!numbers && !objects)
        return;
    for (int i = 1; i < f->n; i++)
        f->of_kind[0] = telling(l, f->of_kind[0], f->of_kind[i]);
    f->kind[0] = numbers ? KIND_NUMBER : KIND_OBJECT;
    f->n = 1;
}

static Found
find(Look *l)
{
    Found f = {0};
    look(l, 0, l->root, &f);
    if (f.n > 1 && f.n <= MOST_KINDS) {
        merge_kinds(l, &f);
        sort_kinds(&f);
    }
    if (f.n == 1)
        f.first = f.of_kind[0];
    return f;
}

/* The class of instances of one class, or of one or another. `o` is the first of those there;
 * borrowed. */
static PyObject *
class_at(Look *l, PyObject *o)
{
    if (!l->all || instance_check(o) || PyDict_CheckExact(o))
        return object_class(o);
    PyObject *all = all_there(l);
    PyObject *cls = all ? object_class_of_all(all) : NULL;
    Py_XDECREF(all);
    return cls ? cls : object_class(o);
}

/* ---- codes ----------------------------------------------------------------------------------- */

static int code_of(Look *l, Frame *f);

static int code_step(Look *l, int step, Frame *f);

/* Of each kind by itself. */
static int
code_kinds(Look *l, const Found *at, Frame *f)
{
    int r = at->n > MOST_KINDS ? -1 : 0;
    for (int i = 0; i < at->n && r == 0; i++)
        r = PyRange_Check(at->of_kind[i]) ? -1 : 0; /* which is one by itself alone */
    *f->code++ = CODE_EITHER | (uint64_t)at->n << 8;
    for (int i = 0; i < at->n && r == 0; i++) {
        l->kind[l->n] = at->kind[i];
        r = code_step(l, OF_KIND, f);
    }
    return r;
}

static int
code_step(Look *l, int step, Frame *f)
{
    if (l->n == MOST_STEPS)
        return -1;
    l->step[l->n++] = step;
    int r = code_of(l, f);
    l->n--;
    return r;
}

static int
code_tuple(Look *l, PyObject *o, Frame *f)
{
    Py_ssize_t n = PyTuple_GET_SIZE(o);
    bool named = !PyTuple_CheckExact(o);
    if (n == 0 || (named && !py_is_namedtuple_class((PyObject *)Py_TYPE(o))))
        return -1;
    *f->code++ = (named ? CODE_NAMEDTUPLE : CODE_TUPLE) | (uint64_t)n << 8;
    if (named)
        *f->code++ = (uint64_t)(uintptr_t)Py_TYPE(o);
    int r = 0;
    for (int i = 0; i < n && r == 0; i++)
        r = code_step(l, i, f);
    return r;
}

/* A member of an enum, as the tuple that stands for it. */
static int
code_member(PyObject *o, Frame *f)
{
    PyObject *tuple = foreign_enum(o); /* of a class that the enum keeps */
    if (!tuple) {
        PyErr_Clear();
        return -1;
    }
    *f->code++ = CODE_NAMEDTUPLE | (uint64_t)1 << 8;
    *f->code++ = (uint64_t)(uintptr_t)Py_TYPE(tuple);
    *f->code++ = CODE_INT;
    Py_DECREF(tuple);
    return 0;
}

static void
code_array(PyArrayObject *a, Frame *f)
{
    *f->code++ = CODE_ARRAY | (uint64_t)PyArray_TYPE(a) << 8 | (uint64_t)PyArray_NDIM(a) << 16 |
                 (uint64_t)args_is_writeable(a) << 24 | (uint64_t)dtype_of_array(a) << 40;
}

/* A Generator, as the tuple that stands for it. */
static int
code_drawn(PyObject *o, Frame *f)
{
    PyObject *tuple = drawn_stand_in(o);
    if (!tuple) {
        PyErr_Clear();
        return -1;
    }
    *f->code++ = CODE_NAMEDTUPLE | (uint64_t)1 << 8;
    *f->code++ = (uint64_t)(uintptr_t)Py_TYPE(tuple);
    code_array((PyArrayObject *)PyTuple_GET_ITEM(tuple, 0), f);
    Py_DECREF(tuple);
    return 0;
}

static int
code_number(Look *l, PyObject *o, Frame *f)
{
    if (foreign_is_enum(o))
        return code_member(o, f);
    if (instance_check(o) || object_is_plain(o)) {
        *f->code++ = CODE_INSTANCE;
        *f->code++ = (uint64_t)(uintptr_t)class_at(l, o);
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
    else if (PyUnicode_CheckExact(o))
        *f->code++ = CODE_TEXT;
    else if (PyBytes_CheckExact(o))
        *f->code++ = CODE_BYTES;
    else if (PyRange_Check(o))
        *f->code++ = CODE_RANGE;
    else if (args_is_array(o))
        code_array((PyArrayObject *)o, f);
    else
        return drawn_is(o) ? code_drawn(o, f) : -1;
    return 0;
}

static int
code_of(Look *l, Frame *f)
{
    Found at = find(l);
    PyObject *o = at.first;
    if (f->code + 6 > f->code_end)
        return -2;
    if (at.none)
        *f->code++ = CODE_OPTIONAL;
    if (l->row && !l->n) {
        *f->code++ = CODE_SET | heap_number(&heap_tuple) << 8;
        return code_step(l, EACH, f);
    }
    if (!o) {
        *f->code++ = CODE_EMPTY;
        return 0;
    }
    if (at.n > 1)
        return code_kinds(l, &at, f);
    bool keyed = !l->dicts && keyed_object_class(o);
    const HeapClass *c = PyTuple_Check(o) || keyed ? NULL : heap_class_of(o);
    if (c && c->traits & HEAP_PACKED) {
        *f->code++ = CODE_SET | heap_number(c) << 8;
        return 0;
    }
    if (c && !(c->traits & HEAP_MAPS)) {
        *f->code++ = c == &heap_list ? CODE_LIST : CODE_SET | heap_number(c) << 8;
        return code_step(l, EACH, f);
    }
    if (c) {
        *f->code++ = CODE_DICT | heap_number(c) << 8;
        int r = code_step(l, KEYS, f);
        return r ? r : code_step(l, VALUES, f);
    }
    return PyTuple_Check(o) ? code_tuple(l, o, f) : code_number(l, o, f);
}

int
heap_code(Frame *f, PyObject *o, bool all, bool mixed)
{
    Look l = look_from(o, all, mixed);
    return code_of(&l, f);
}

/* A program is as long as the tuples whose length it knows: long ones of like values have any
 * length. */
bool
heap_is_row(const Dispatcher *d, PyObject *o)
{
    enum { MOST_NUMBERS = 64, MOST_OTHERS = 12 };
    Py_ssize_t n = PyTuple_CheckExact(o) ? PyTuple_GET_SIZE(o) : 0;
    if (n <= MOST_OTHERS || d->known_tuples || d->sigs || d->opt.offload)
        return false;
    PyObject *first = PyTuple_GET_ITEM(o, 0);
    bool number = PyFloat_CheckExact(first) || PyLong_CheckExact(first) || PyBool_Check(first),
         object = !number && object_is_known(first);
    bool is = number ? n > MOST_NUMBERS : object || PyUnicode_CheckExact(first);
    for (Py_ssize_t i = 1; is && i < n; i++) {
        PyObject *v = PyTuple_GET_ITEM(o, i);
        is = Py_TYPE(v) == Py_TYPE(first) || (object && object_is_known(v));
    }
    return is;
}

int
heap_row_code(Frame *f, PyObject *o, bool all, bool mixed)
{
    Look l = look_from(o, all, mixed);
    l.row = true;
    return code_of(&l, f);
}

/* ---- types ----------------------------------------------------------------------------------- */

static const Type *type_of(Look *l, In *in);

static const Type *
type_step(Look *l, int step, In *in)
{
    if (l->n == MOST_STEPS)
        return type_unknown(in->cx->types);
    l->step[l->n++] = step;
    const Type *t = type_of(l, in);
    l->n--;
    return t;
}

/* Of one of these kinds; of the first where nothing can be of all of them: a call says of which one
 * another is not. */
static const Type *
kinds_type(Look *l, const Found *at, In *in)
{
    const Type *all = NULL, *first = NULL;
    for (int i = 0; i < at->n; i++) {
        l->kind[l->n] = at->kind[i];
        const Type *one = type_step(l, OF_KIND, in);
        first = i ? first : one;
        all = i ? type_join_either(in->cx->types, all, one) : one;
        if (!all)
            return first;
    }
    return all;
}

static const Type *
tuple_type(Look *l, PyObject *o, In *in)
{
    int n = (int)PyTuple_GET_SIZE(o);
    const Type **e = NEW_N(&in->cx->arena, const Type *, n + 1);
    for (int i = 0; i < n; i++)
        e[i] = type_step(l, i, in);
    return args_tuple_type(in, o, e);
}

static const Type *
drawn_type(PyObject *o, In *in)
{
    PyObject *tuple = drawn_stand_in(o); /* of a class that its module keeps */
    if (!tuple) {
        PyErr_Clear();
        return type_unknown(in->cx->types);
    }
    const Type *part = type_element(in->cx->types, args_type(in, PyTuple_GET_ITEM(tuple, 0))),
               *t = args_tuple_type(in, tuple, &part);
    Py_DECREF(tuple);
    return t;
}

/* Keys that may be equal though they are of two types, as 1 and 1.0 are, have no place: a call says
 * of the second one that it isn't of the first one's type. */
static const Type *
type_by_keys(In *in, const HeapClass *c, const Type *const *e)
{
    TypeTable *t = in->cx->types;
    const Type *by[2] = {e[0], e[1]};
    if (e[0]->kind == TY_EITHER && !type_tells_apart(e[0]))
        by[0] = e[0]->elems[0]->elems[1];
    return type_tells_apart(by[0]) ? type_heap(t, c, by) : type_unknown(t);
}

static const Type *
type_of(Look *l, In *in)
{
    TypeTable *t = in->cx->types;
    Found at = find(l);
    PyObject *o = at.first;
    const Type *e[2] = {NULL, NULL}, *is;
    if (l->row && !l->n) {
        e[0] = type_step(l, EACH, in);
        return type_heap(t, &heap_tuple, e);
    }
    bool keyed = o && !l->dicts && keyed_object_class(o);
    const HeapClass *c = o && !PyTuple_Check(o) && !keyed ? heap_class_of(o) : NULL;
    if (!o) {
        is = type_open(t, NEW(&in->cx->arena, TypeVar));
    } else if (at.n > 1) {
        is = kinds_type(l, &at, in);
    } else if (c && c->traits & HEAP_PACKED) {
        is = type_of_packed(t, c);
    } else if (c && !(c->traits & HEAP_MAPS)) {
        e[0] = type_step(l, EACH, in);
        is = c->traits & HEAP_KEYED ? type_by_keys(in, c, e) : type_heap(t, c, e);
    } else if (c) {
        e[0] = type_step(l, KEYS, in);
        e[1] = c == &heap_Counter ? type_scalar(t, DT_i64, true) : type_step(l, VALUES, in);
        is = type_by_keys(in, c, e);
    } else if (!PyTuple_Check(o) && !PyDict_CheckExact(o) && !instance_check(o) &&
               object_is_plain(o)) {
        is = class_type(in, class_at(l, o));
    } else if (drawn_is(o)) {
        is = drawn_type(o, in);
    } else {
        is = PyTuple_Check(o) ? tuple_type(l, o, in) : type_element(t, args_type(in, o));
    }
    return at.none ? type_optional(t, is) : is;
}

const Type *
heap_type(In *in, PyObject *o)
{
    Look l = look_from(o, in->all_elements, in->mixed);
    return type_of(&l, in);
}

const Type *
heap_row_type(In *in, PyObject *o)
{
    Look l = look_from(o, in->all_elements, in->mixed);
    l.row = true;
    return type_of(&l, in);
}

/* ---- calls that did not get to run ---- */

/* Do all elements of a list tell more than the first? */
static bool
tells_more(PyObject *list)
{
    list = typed_sample(list);
    FrameRoom room, all_room;
    Frame first, all;
    frame_init(&first, &room);
    frame_init(&all, &all_room);
    bool row = PyTuple_CheckExact(list);
    if (row ? heap_row_code(&first, list, false, false) || heap_row_code(&all, list, true, false)
            : heap_code(&first, list, false, false) || heap_code(&all, list, true, false))
        return false;
    size_t n = (size_t)(first.code - first.codes);
    return (size_t)(all.code - all.codes) != n || memcmp(first.codes, all.codes, n * 8);
}

/* A call with lists did not get to run by what their first elements are. From now on all are looked
 * at, for the arguments of this function, if that makes a difference. */
bool
heap_lists_tell_more(Dispatcher *d, const Frame *f)
{
    PyObject *type, *value, *trace;
    bool more = false;
    PyErr_Fetch(&type, &value, &trace);
    for (int i = 0; type && i < f->n_lists && !d->all_elements && !more; i++)
        more = tells_more(f->lists[i]);
    PyErr_Restore(type, value, trace);
    d->all_elements |= more;
    return more;
}

/* Does it hold values of one kind and of another, dicts of unlike values, or such values? */
static bool
is_mixed(PyObject *o, bool dicts, int depth)
{
    enum { MOST_CODES = 2000 };
    uint64_t codes[MOST_CODES];
    bool mixed = false;
    if (PyTuple_Check(o) && depth < 8) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o) && !mixed; i++)
            mixed = is_mixed(PyTuple_GET_ITEM(o, i), dicts, depth + 1);
        return mixed;
    }
    o = typed_stands_for(o);
    if (typed_check(o) || !heap_class_of(o) || (PyList_CheckExact(o) && args_is_unlike_list(o)))
        return false;
    Frame f = {.codes = codes, .code = codes, .code_end = codes + MOST_CODES};
    Look l = look_from(o, true, true);
    l.dicts = dicts;
    int r = code_of(&l, &f);
    for (const uint64_t *c = codes; r == 0 && c < f.code && !mixed; c++)
        mixed = (*c & 0xff) == CODE_EITHER && *c >> 8 > 1 && *c >> 8 <= MOST_KINDS;
    return mixed;
}

/* The kinds of lists' elements can't be told from the first: to be asked before one is compiled for
 * that. */
bool
heap_lists_mixed(Dispatcher *d, const Frame *f)
{
    bool mixed = false;
    for (int i = 0; i < f->n_lists && !d->mixed && !d->sigs && !mixed; i++)
        mixed = !keyed_is(f->lists[i]) && is_mixed(f->lists[i], false, 0);
    d->mixed |= mixed;
    return mixed;
}

/* Does it tell more about any of them that their elements may be of one type or another? An
 * exception stays as it is. */
bool
heap_are_mixed(const Dispatcher *d, PyObject *const *args, Py_ssize_t n)
{
    PyObject *type, *value, *trace;
    bool mixed = false;
    PyErr_Fetch(&type, &value, &trace);
    for (Py_ssize_t i = 0; i < n && !d->sigs && !mixed; i++)
        mixed = is_mixed(args[i], true, 0);
    PyErr_Restore(type, value, trace);
    return mixed;
}

/* Likewise, where the length of a tuple may have to be known. */
bool
heap_rows_known(Dispatcher *d, PyObject *const *args, Py_ssize_t n)
{
    bool any = false;
    for (Py_ssize_t i = 0; i < n; i++)
        any |= heap_is_row(d, args[i]);
    d->known_tuples |= any;
    return any;
}
