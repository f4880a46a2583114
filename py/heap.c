/* SPDX-License-Identifier: BSD-3-Clause
 * Lists, dicts and sets at the boundary. An argument becomes an object in one pass over its
 * elements, and what the function has changed is written back on every way out, before anybody sees
 * the result; elements that are as they were stay the same Python objects, and so do the
 * containers. A result that is one of the arguments is that argument. */
#include "heap_quick.h"

/* ---- elements -> Python ---------------------------------------------------------------------- */

/* The slots that box_scalar takes, of an element of a column. */
void
heap_read_scalar(DType d, const char *p, uint64_t out[2])
{
    out[0] = out[1] = 0;
    switch (d) {
    case DT_i8:
        out[0] = (uint64_t)(int64_t) * (const int8_t *)p;
        break;
    case DT_i16:
        out[0] = (uint64_t)(int64_t) * (const int16_t *)(const void *)p;
        break;
    case DT_i32:
        out[0] = (uint64_t)(int64_t) * (const int32_t *)(const void *)p;
        break;
    default:
        memcpy(out, p, (size_t)dtype_size(d));
    }
}

/* Behind the tag of a None there is nothing to be looked at. */
static bool
has_value(const Type *t, const uint64_t *words, int *at, int64_t i)
{
    bool some = ((const char *)(uintptr_t)words[*at + 1])[i] != 0;
    *at += some ? 3 : 3 * heap_leaves(t);
    return some;
}

static PyObject *
optional_element(Frame *f, const Type *t, const uint64_t *words, int *at, int64_t i)
{
    return has_value(t, words, at, i) ? heap_element(f, t->elems[1], words, at, i)
                                      : Py_NewRef(Py_None);
}

PyObject *
heap_element(Frame *f, const Type *t, const uint64_t *words, int *at, int64_t i)
{
    if (t->kind == TY_OPTIONAL || t->kind == TY_EITHER)
        return (t->kind == TY_EITHER ? heap_either : optional_element)(f, t, words, at, i);
    if (t->kind == TY_RANGE)
        return heap_range_at(words, at, i);
    if (t->kind == TY_TUPLE) {
        PyObject *r = box_new_tuple(f->d, t);
        for (int k = 0; k < t->n; k++) {
            PyObject *v = heap_element(f, t->elems[k], words, at, i);
            if (r && v)
                PyTuple_SET_ITEM(r, k, v);
            else
                Py_XDECREF(v);
            if (!v)
                Py_CLEAR(r);
        }
        return t->names ? foreign_restored(r) : r;
    }
    const uint64_t *word = words + *at;
    const char *data = (const char *)(uintptr_t)word[1];
    *at += 3;
    if (t->kind == TY_REF)
        return heap_box(f, t, ((SwMem *const *)(const void *)data)[i]);
    if (t->kind == TY_TEXT)
        return text_box_words(f, t, ((SwMem *const *)(const void *)data)[i]->data);
    if (t->kind == TY_ARRAY)
        return heap_box_array(f, t, ((SwMem *const *)(const void *)data)[i]);
    if (t->kind == TY_OBJ)
        return object_box(f, t, ((SwMem *const *)(const void *)data)[i]);
    uint64_t slot[2];
    int size = dtype_size((DType)t->storage);
    heap_read_scalar((DType)t->storage, data + i * size, slot);
    return box_number(f->d, t, slot);
}

/* ---- which is which -------------------------------------------------------------------------- */

static PyObject *
seen_object(const Frame *f, const SwMem *m)
{
    return f->seen ? map_get(&f->seen->by_mem, m) : NULL;
}

static SwMem *
seen_mem(const Frame *f, const PyObject *o)
{
    return f->seen ? map_get(&f->seen->by_object, o) : NULL;
}

/* The arena may run out of memory. */
static bool
note_both(struct HeapSeen *seen, SwMem *m, PyObject *o, const Type *type, bool argument)
{
    jmp_buf oom;
    seen->arena.oom = &oom;
    if (setjmp(oom)) {
        seen->arena.oom = NULL;
        return false;
    }
    map_put(&seen->arena, &seen->by_mem, m, o);
    if (argument)
        map_put(&seen->arena, &seen->by_object, o, m);
    if (type)
        map_put(&seen->arena, &seen->type_of, m, (void *)(uintptr_t)type);
    seen->arena.oom = NULL;
    return true;
}

int
heap_see(Frame *f)
{
    if (f->seen || (f->seen = PyMem_Calloc(1, sizeof *f->seen)))
        return 0;
    PyErr_NoMemory();
    return -1;
}

static int
hold(Frame *f, HeapHeld h)
{
    if (heap_see(f) < 0)
        return -1;
    if (f->n_held == f->cap_held) {
        int room = f->cap_held ? f->cap_held * 2 : 8;
        HeapHeld *at = PyMem_Realloc(f->held, sizeof *at * (size_t)room);
        if (!at) {
            PyErr_NoMemory();
            return -1;
        }
        f->held = at;
        f->cap_held = room;
    }
    Py_INCREF(h.object);
    f->held[f->n_held++] = h;
    return 0;
}

int
heap_hold(Frame *f, PyObject *o)
{
    return hold(f, (HeapHeld){.object = o});
}

/* That the object stands for the argument. */
int
heap_is(Frame *f, SwMem *m, PyObject *o)
{
    jmp_buf oom;
    f->seen->arena.oom = &oom;
    bool fine = setjmp(oom) == 0;
    if (fine)
        map_put(&f->seen->arena, &f->seen->by_object, o, m);
    f->seen->arena.oom = NULL;
    if (!fine)
        PyErr_NoMemory();
    return fine ? 0 : -1;
}

int
heap_remember(Frame *f, SwMem *m, PyObject *o, const Type *type, bool argument)
{
    if (hold(f, (HeapHeld){.mem = m, .object = o}) < 0)
        return -1;
    if (!note_both(f->seen, m, o, type, argument)) {
        PyErr_NoMemory();
        return -1;
    }
    f->held[f->n_held - 1].type = type;
    return 0;
}

/* ---- objects -> Python ----------------------------------------------------------------------- */

/* The element of a group of columns. */
PyObject *
heap_element_of(Frame *f, const Type *t, int group, const uint64_t *words, int64_t i)
{
    const HeapClass *c = t->ref;
    int at = heap_column(t, group);
    PyObject *o = heap_element(f, t->elems[c->group[group]], words, &at, i);
    if (group == 1 && o && object_complete(f) < 0) /* a key is asked for its hash */
        Py_CLEAR(o);
    return o;
}

/* Columns 1 and 2 as heap_quick has them. */
static int
box_pair(Frame *f, const Type *t, const uint64_t *words, int64_t e, PyObject *into,
         const Column *quick)
{
    PyObject *k = quick[0].kind ? column_box(f, quick[0], e) : heap_element_of(f, t, 1, words, e),
             *v = !k              ? NULL
                  : quick[1].kind ? column_box(f, quick[1], e)
                                  : heap_element_of(f, t, 2, words, e);
    int r = !v                        ? -1
            : PyDict_CheckExact(into) ? PyDict_SetItem(into, k, v)
                                      : PyObject_SetItem(into, k, v);
    Py_XDECREF(k);
    Py_XDECREF(v);
    return r;
}

static int
box_member(Frame *f, const Type *t, const uint64_t *words, int64_t e, PyObject *into)
{
    PyObject *k = heap_element_of(f, t, 1, words, e);
    int r = k ? PySet_Add(into, k) : -1;
    Py_XDECREF(k);
    return r;
}

static PyObject *
frozen(Frame *f, const Type *t, const uint64_t *words)
{
    PyObject *all = PySet_New(NULL), *r = NULL;
    bool bad = !all;
    for (int64_t i = 0; i < (int64_t)words[1] && !bad; i++)
        bad = heap_is_alive(t, words, i) && box_member(f, t, words, i, all) < 0;
    if (!bad)
        r = PyFrozenSet_New(all);
    Py_XDECREF(all);
    return r;
}

static PyObject *
new_dict(Py_ssize_t n)
{
#if PY_VERSION_HEX < 0x030d0000
    if (n > 5)
        return _PyDict_NewPresized(n);
#else
    (void)n;
#endif
    return PyDict_New();
}

/* A new reference; takes none of m's. */
PyObject *
heap_box(Frame *f, const Type *t, SwMem *m)
{
    PyObject *o = seen_object(f, m);
    if (o)
        return Py_NewRef(o);
    const uint64_t *words = m->data;
    int64_t n = (int64_t)words[0];
    bool maps = type_heap_has(t, HEAP_MAPS), keyed = type_heap_has(t, HEAP_KEYED), bad = false;
    const HeapClass *c = t->ref;
    bool packed = c->traits & HEAP_PACKED;
    bool plain = packed || c == &heap_list || c == &heap_dict || c == &heap_set ||
                 c == &heap_frozenset || c == &heap_tuple;
    bool row = c == &heap_list || c == &heap_tuple;
    o = !plain                 ? heap_new_collection(t, words)
        : packed               ? heap_box_packed(t, words, n)
        : maps                 ? new_dict((Py_ssize_t)n)
        : c == &heap_frozenset ? frozen(f, t, words)
        : keyed                ? PySet_New(NULL)
        : c == &heap_tuple     ? PyTuple_New((Py_ssize_t)n)
                               : PyList_New((Py_ssize_t)n);
    Column quick[2] = {heap_quick(t, row ? 0 : 1, words), heap_quick(t, 2, words)};
    const int64_t *hash = keyed ? (const int64_t *)(uintptr_t)words[heap_column(t, 3) + 1] : NULL;
    bool keep = f->lend || m->refs > 1;
    if (!o || (keep && heap_remember(f, m, o, f->lend ? t : NULL, f->lend) < 0)) {
        Py_XDECREF(o);
        return NULL;
    }
    if (f->lend) /* one is the frame's */
        sw_retain(m);
    if (c == &heap_deque)
        bad = heap_box_deque(f, t, words, o) < 0;
    keyed &= c != &heap_frozenset; /* which is whole */
    for (int64_t i = 0; keyed && i < (int64_t)words[1] && !bad; i++)
        bad = hash[i] >= 0 &&
              (maps ? box_pair(f, t, words, i, o, quick) : box_member(f, t, words, i, o)) < 0;
    for (int64_t i = 0; row && i < n && !bad; i++) {
        PyObject *v =
            quick[0].kind ? column_box(f, quick[0], i) : heap_element_of(f, t, 0, words, i);
        bad = v == NULL;
        if (v && c == &heap_tuple)
            PyTuple_SET_ITEM(o, (Py_ssize_t)i, v);
        else if (v)
            PyList_SET_ITEM(o, (Py_ssize_t)i, v);
    }
    if (bad)
        Py_CLEAR(o);
    return o;
}

/* ---- Python -> objects: its elements --------------------------------------------------------- */

/* What its errors tell, which few calls need. */
void
heap_in_named(HeapIn *h)
{
    if (!h->name)
        h->name = args_param_name(h->d, h->arg, h->room);
    if (!h->wrong)
        h->wrong = h->own = error_class(h->d->st, "ArgumentTypeError");
}

bool
heap_refuse_element(HeapIn *h, const Type *t, PyObject *o, int64_t i)
{
    PyObject *is = PyErr_Occurred() ? NULL : heap_describe(o);
    h->f->refused = true;
    heap_in_named(h);
    if (is)
        PyErr_Format(h->wrong,
                     "%U(): argument '%s' holds values of type %s, and its element %lld "
                     "is %U: a list or dict holds values of one type",
                     ((PyFunctionObject *)h->d->func)->func_name, h->name, t->text, (long long)i,
                     is);
    Py_XDECREF(is);
    return false;
}

/* An int among floats, if it is one of them. */
static bool
exact_double(PyObject *o, double *p)
{
    int64_t v;
    if (!PyLong_CheckExact(o) || !whole_number(o, &v))
        return false;
    *p = (double)v;
    return *p < 0x1p63 && (int64_t)*p == v;
}

/* The number that o is, into p: Python's or NumPy's of this width, whichever was there first, or,
 * if it widens, a Python number that is one of these. False: it is none, or an int that does not
 * fit. */
static bool
number_of(DType d, PyObject *o, void *p, bool widens, int *over)
{
    if (PyArray_IsScalar(o, Generic)) {
        if (args_npscalar_dtype(o) != (int)d)
            return false;
        PyArray_ScalarAsCtype(o, p);
        return true;
    }
    switch (d) {
    case DT_f64:
        if (PyFloat_CheckExact(o))
            *(double *)p = PyFloat_AS_DOUBLE(o);
        return PyFloat_CheckExact(o) || (widens && exact_double(o, p));
    case DT_i64:
        if (PyLong_CheckExact(o))
            *(int64_t *)p = PyLong_AsLongLongAndOverflow(o, over);
        return PyLong_CheckExact(o) && !*over;
    case DT_bool:
        *(uint8_t *)p = o == Py_True;
        return PyBool_Check(o);
    case DT_c128:
        ((double *)p)[1] = 0;
        if (!PyComplex_CheckExact(o))
            return widens && number_of(DT_f64, o, p, true, over);
        ((double *)p)[0] = PyComplex_RealAsDouble(o);
        ((double *)p)[1] = PyComplex_ImagAsDouble(o);
        return true;
    default:
        return false;
    }
}

static bool
take_number(HeapIn *h, const Type *t, PyObject *o, void *p, int64_t i)
{
    int over = 0;
    if (type_is_int_member(t))
        return foreign_int_member(h->d, t, o, p) || heap_refuse_element(h, t, o, i);
    if (number_of((DType)t->dtype, o, p, !h->keys, &over))
        return true;
    if (!over)
        return heap_refuse_element(h, t, o, i);
    heap_in_named(h);
    PyErr_Format(PyExc_OverflowError,
                 "%U(): element %lld of argument '%s' is a Python int that does not fit in int64",
                 ((PyFunctionObject *)h->d->func)->func_name, (long long)i, h->name);
    return false;
}

/* As sw_new; small ones are parts of a block. */
static int
new_object(Frame *f, SwCtx *cx, const SwLayout *layout, int64_t words, SwMem **out)
{
    SwMem *m = layout ? dev_part(&f->parts, (size_t)words * 8) : NULL;
    if (!m)
        return sw_new(cx, layout, words, out);
    memset(m->data, 0, m->bytes);
    m->user = (void *)(uintptr_t)layout;
    m->free_fn = rt_object_free;
    *out = m;
    return 0;
}

/* An object without elements, or the box of an array without any. NULL: no memory. */
SwMem *
heap_new_object(Frame *f, const Type *t)
{
    jmp_buf oom;
    SwCtx cx = {0};
    int k = (int)(((uintptr_t)t >> 4) % SW_LEN(f->layout));
    FrameLayout *known = &f->layout[k];
    if (!(f->has_layout >> k & 1) || known->type != t) {
        f->has_layout &= (uint8_t) ~(1u << k);
        Arena scratch = {.oom = &oom};
        if (!setjmp(oom)) {
            const char *layout = heap_layout(&scratch, t);
            *known = (FrameLayout){t, rt_layout(layout), (int64_t)strlen(layout)};
            f->has_layout |= (uint8_t)(1u << k);
        }
        scratch.oom = NULL;
        arena_free(&scratch);
    }
    SwMem *m;
    bool fine = (f->has_layout >> k & 1) && !new_object(f, &cx, known->layout, known->words, &m);
    return fine ? m : NULL;
}

bool
heap_is_tuple(const Frame *f, const Type *t, PyObject *o)
{
    return (t->names ? (PyObject *)Py_TYPE(o) == box_tuple_class(f->d, t)
                     : PyTuple_CheckExact(o)) &&
           PyTuple_GET_SIZE(o) == t->n;
}

/* What stands behind the tag of a None: zeros, empty arrays and objects. */
static bool
take_nothing(Frame *f, const Type *t, const uint64_t *words, int *at, int64_t i)
{
    for (int k = 0; type_has_parts(t) && k < t->n; k++)
        if (!take_nothing(f, t->elems[k], words, at, i))
            return false;
    if (type_has_parts(t))
        return true;
    char *data = (char *)(uintptr_t)words[*at + 1];
    int size = t->kind == TY_SCALAR ? dtype_size((DType)t->storage) : 0;
    *at += 3;
    if (size)
        memset(data + i * size, 0, (size_t)size);
    else if (t->kind == TY_OBJ || t->kind == TY_NONE) /* no memory */
        ((SwMem **)(void *)data)[i] = NULL;
    else
        ((SwMem **)(void *)data)[i] = heap_new_object(f, t);
    return size || t->kind == TY_OBJ || ((SwMem **)(void *)data)[i];
}

static bool
take_optional(HeapIn *h, const Type *t, PyObject *o, const uint64_t *words, int *at, int64_t i)
{
    if (o == Py_None)
        return take_nothing(h->f, t, words, at, i) || PyErr_NoMemory();
    ((char *)(uintptr_t)words[*at + 1])[i] = 1;
    *at += 3;
    return heap_take_element(h, t->elems[1], o, words, at, i);
}

bool
heap_take_element(HeapIn *h, const Type *t, PyObject *o, const uint64_t *words, int *at, int64_t i)
{
    if (t->kind == TY_EITHER || t->kind == TY_OPTIONAL)
        return (t->kind == TY_EITHER ? heap_take_either : take_optional)(h, t, o, words, at, i);
    if (t->kind == TY_RANGE)
        return heap_take_range(o, words, at, i) || heap_refuse_element(h, t, o, i);
    if (t->kind == TY_TUPLE) {
        PyObject *tuple = foreign_as_tuple(t, o);
        bool fits = (tuple && heap_is_tuple(h->f, t, tuple)) || heap_refuse_element(h, t, o, i);
        for (int k = 0; k < t->n && fits; k++)
            fits = heap_take_element(h, t->elems[k], PyTuple_GET_ITEM(tuple, k), words, at, i);
        Py_XDECREF(tuple);
        return fits;
    }
    char *data = (char *)(uintptr_t)words[*at + 1];
    *at += 3;
    if (t->kind == TY_REF) {
        if (heap_class_of(o) != t->ref)
            return heap_refuse_element(h, t, o, i);
        SwMem *m = heap_take(h, t, o);
        ((SwMem **)(void *)data)[i] = m;
        return m != NULL;
    }
    if (t->kind == TY_OBJ) {
        if (!object_fits(o, type_class(t)))
            return heap_refuse_element(h, t, o, i);
        return (((SwMem **)(void *)data)[i] = object_take(h, t, o)) != NULL;
    }
    if (t->kind == TY_TEXT) {
        bool is = text_fits(t, o) && !PyErr_Occurred(); /* it has been tried */
        SwMem *m = is ? text_take(h->f, o) : NULL;
        ((SwMem **)(void *)data)[i] = m;
        return m || heap_refuse_element(h, t, o, i);
    }
    if (t->kind == TY_ARRAY) {
        SwMem *m = heap_array_fits(t, o) ? heap_take_array(h->f, t, (PyArrayObject *)o) : NULL;
        ((SwMem **)(void *)data)[i] = m;
        return m || heap_refuse_element(h, t, o, i);
    }
    char *p = data + i * dtype_size((DType)t->storage);
    return take_number(h, t, o, p, i);
}

static bool
new_columns(Frame *f, SwCtx *cx, const Type *t, uint64_t *words, int *at, int64_t n)
{
    for (int i = 0; type_has_parts(t) && i < t->n; i++)
        if (!new_columns(f, cx, t->elems[i], words, at, n))
            return false;
    if (type_has_parts(t))
        return true;
    SwMem *m;
    bool refs = t->kind != TY_SCALAR;
    int64_t bytes = refs ? 0 : n * dtype_size((DType)t->storage);
    if (refs ? new_object(f, cx, rt_layout("*"), n, &m)
             : !(m = dev_part(&f->parts, (size_t)bytes)) && sw_alloc(cx, bytes, 0, &m))
        return false;
    words[*at] = (uint64_t)(uintptr_t)m;
    words[*at + 1] = (uint64_t)(uintptr_t)m->data;
    words[*at + 2] = (uint64_t)n;
    *at += 3;
    return true;
}

/* ---- objects for containers ---- */

static bool
take_of(HeapIn *h, const Type *t, int group, PyObject *o, const uint64_t *w, int64_t i)
{
    int at = heap_column(t, group);
    bool was = h->keys;
    h->keys = group == 1;
    bool ok = heap_take_element(h, t->elems[group == 2], o, w, &at, i);
    h->keys = was;
    return ok;
}

/* Another thread may change the set meanwhile. */
static bool
take_members(HeapIn *h, const Type *t, PyObject *o, uint64_t *w, int64_t n)
{
    PyObject *it = PyObject_GetIter(o), *k;
    int64_t i = 0;
    bool ok = it != NULL;
    Column keys = heap_quick(t, 1, w);
    while (ok && i < n && (k = PyIter_Next(it))) {
        ok = column_take(h->f, keys, k, i) || take_of(h, t, 1, k, w, i);
        i++;
        Py_DECREF(k);
    }
    Py_XDECREF(it);
    if (ok && i < n && !PyErr_Occurred())
        PyErr_SetString(PyExc_RuntimeError, "Set changed size during iteration");
    return ok && i == n;
}

bool
heap_take_all(HeapIn *h, const Type *t, PyObject *o, uint64_t *w, int64_t n)
{
    PyObject *k, *v;
    Py_ssize_t pos = 0;
    int64_t i = 0;
    Column first = heap_quick(t, 1, w), second = heap_quick(t, 2, w);
    if (PyTuple_CheckExact(o))
        return heap_take_row(h, t, o, w, n);
    if (type_heap_has(t, HEAP_PACKED))
        return heap_take_packed(h, t, o, w, n);
    if (PyList_CheckExact(o))
        return heap_take_list(h, t, o, w, n);
    if (t->ref == &heap_deque)
        return heap_take_deque(h, t, o, w, n);
    if (t->ref == &heap_OrderedDict && !heap_take_ordered(h, t, o, w, n))
        return false;
    bool dict = PyDict_Check(o) && t->ref != &heap_OrderedDict;
    for (; dict && i < n && PyDict_Next(o, &pos, &k, &v); i++) {
        if (!column_take(h->f, first, k, i) && !take_of(h, t, 1, k, w, i))
            return false;
        if (!column_take(h->f, second, v, i) && !take_of(h, t, 2, v, w, i))
            return false;
    }
    if (PyAnySet_Check(o) && !take_members(h, t, o, w, n))
        return false;
    if (type_heap_has(t, HEAP_KEYED) && n && type_class(t->elems[0]) &&
        !heap_is_itself(t->elems[0])) {
        heap_in_named(h);
        PyErr_Format(h->wrong,
                     "%U(): argument '%s': its keys are instances, which compiled code hashes by "
                     "itself: fill it in compiled code",
                     ((PyFunctionObject *)h->d->func)->func_name, h->name);
        return false;
    }
    if (type_heap_has(t, HEAP_KEYED) && n)
        heap_index(t, w, n);
    return true;
}

static bool
new_groups(Frame *f, SwCtx *cx, const Type *t, uint64_t *w, int64_t n)
{
    int at = heap_column(t, 0);
    int64_t m = 8;
    DType held = ((const HeapClass *)t->ref)->held;
    Type packed = {.kind = TY_SCALAR, .dtype = held, .storage = held};
    if (type_heap_has(t, HEAP_PACKED))
        return !n || new_columns(f, cx, &packed, w, &at, n);
    if (type_heap_has(t, HEAP_ORDERED | HEAP_RING))
        return !n || new_columns(f, cx, t->elems[0], w, &at, n);
    while (m < 2 * (n + 1))
        m *= 2;
    Type number = {.kind = TY_SCALAR, .dtype = DT_i64, .storage = DT_i64};
    return !n || (new_columns(f, cx, &number, w, &at, m) &&
                  new_columns(f, cx, t->elems[0], w, &at, m / 3 * 2 + 2) &&
                  (!type_heap_has(t, HEAP_MAPS) ||
                   new_columns(f, cx, t->elems[1], w, &at, m / 3 * 2 + 2)) &&
                  new_columns(f, cx, &number, w, &at, m / 3 * 2 + 2));
}

/* An object for n elements, which are not there yet; NULL with an exception. */
SwMem *
heap_with_room(Frame *f, const Type *t, int64_t n)
{
    SwCtx cx = {0};
    SwMem *m = heap_new_object(f, t);
    if (!m || !new_groups(f, &cx, t, m->data, n)) {
        PyErr_NoMemory();
        sw_release(m);
        return NULL;
    }
    *(uint64_t *)m->data = (uint64_t)n;
    return m;
}

/* A reference to the object for a list or dict; NULL with an exception. */
SwMem *
heap_take(HeapIn *h, const Type *t, PyObject *o)
{
    if (typed_check(o))
        return typed_take(h, t, o);
    SwMem *m = seen_mem(h->f, o);
    if (m && map_get(&h->f->seen->type_of, m) != t) {
        /* nothing in it has told what it holds, or a float is put into one of them */
        bool empty = !heap_size(o);
        heap_in_named(h);
        PyErr_Format(h->wrong,
                     "%U(): argument '%s' is or has %s %s that is passed twice, once as %s: %s",
                     ((PyFunctionObject *)h->d->func)->func_name, h->name, empty ? "an empty" : "a",
                     ((const HeapClass *)t->ref)->name, t->text,
                     empty ? "put something in it before the call"
                           : "make its numbers of one kind before the call");
        return NULL;
    }
    if (m) {
        sw_retain(m);
        return m;
    }
    int64_t n = (int64_t)heap_size(o);
    m = heap_with_room(h->f, t, n);
    if (!m)
        return NULL;
    uint64_t *w = m->data;
    if (heap_remember(h->f, m, o, t, true) < 0) {
        sw_release(m);
        return NULL;
    }
    sw_retain(m); /* one is the frame's, one the caller's */
    typed_count(h->f, n);
    if (!heap_take_all(h, t, o, w, n)) {
        sw_release(m);
        return NULL;
    }
    return m;
}

static void
give_slots(uint64_t *slot, SwMem *m, int64_t words)
{
    slot[0] = (uint64_t)(uintptr_t)m->data;
    slot[1] = (uint64_t)(uintptr_t)m;
    slot[2] = (uint64_t)words;
    slot[3] = 8;
}

/* The slots of one that is copied, an object of a dataclass. */
static int
copied_argument(HeapIn *h, const SwFunction *fn, const Type *t, uint64_t *slot, int *k)
{
    if (!upcall_takes_copy(h, fn, t))
        return -1;
    SwMem *m = object_take(h, t, h->f->lists[(*k)++]);
    if (!m)
        return -1;
    give_slots(slot, m, (int64_t)(m->bytes / 8));
    sw_release(m); /* the frame holds it */
    return 0;
}

/* The slots of one that is a list or string, or of such parts. */
static int
argument(HeapIn *h, const SwFunction *fn, const Type *t, uint64_t *slot, int *k)
{
    if (t->kind == TY_TEXT)
        return text_slots(h->f, h->f->lists[(*k)++], slot);
    if (t->kind == TY_OBJ && type_class(t)->copied)
        return copied_argument(h, fn, t, slot, k);
    if (t->kind == TY_REF) {
        SwMem *m = heap_take(h, t, h->f->lists[(*k)++]);
        if (!m)
            return -1;
        give_slots(slot, m, heap_column(t, ((const HeapClass *)t->ref)->n_groups));
        sw_release(m); /* the frame holds it */
        return 0;
    }
    int r = 0;
    bool parts = t->kind == TY_TUPLE || t->kind == TY_KEYED;
    for (int i = 0; parts && i < t->n && r == 0; i++) {
        r = argument(h, fn, t->elems[i], slot, k);
        slot += type_slots(t->elems[i]);
    }
    return r;
}

/* Objects for all arguments that are lists or strings; the slots were left for them. */
int
heap_arguments(Dispatcher *d, const SwFunction *fn, Frame *f)
{
    uint64_t *slot = f->slots;
    HeapIn h;
    int k = 0, r = 0;
    h.d = d;
    h.f = f;
    h.wrong = h.own = NULL;
    h.keys = false;
    f->st = d->st;
    f->d = d;
    f->held_end = !fn->lasting;
    for (int i = 0; i < fn->n_args && r == 0; i++) {
        const Type *t = fn->args[i];
        h.name = NULL;
        h.arg = i;
        r = argument(&h, fn, t, slot, &k);
        slot += type_slots(fn->args[i]);
    }
    Py_XDECREF(h.own);
    r = r ? r : typed_advise(d, f);
    if (r < 0)
        heap_end(f);
    return r;
}

/* ---- what has changed ------------------------------------------------------------------------ */

/* Is the element of the object what the Python object says? */
bool
heap_is_same(const Frame *f, const Type *t, PyObject *o, const uint64_t *words, int *at, int64_t i)
{
    if (t->kind == TY_OPTIONAL) {
        bool some = has_value(t, words, at, i);
        return some ? heap_is_same(f, t->elems[1], o, words, at, i) : o == Py_None;
    }
    if (t->kind == TY_EITHER)
        return heap_is_either(f, t, o, words, at, i);
    if (t->kind == TY_RANGE)
        return heap_is_range(o, words, at, i);
    if (t->kind == TY_TUPLE) {
        PyObject *tuple = foreign_as_tuple(t, o);
        bool same = tuple && heap_is_tuple(f, t, tuple);
        for (int k = 0; k < t->n; k++)
            same &= heap_is_same(f, t->elems[k], same ? PyTuple_GET_ITEM(tuple, k) : Py_None, words,
                                 at, i);
        PyErr_Clear();
        Py_XDECREF(tuple);
        return same;
    }
    const char *data = (const char *)(uintptr_t)words[*at + 1];
    *at += 3;
    if (t->kind == TY_REF) {
        return seen_object(f, ((SwMem *const *)(const void *)data)[i]) == o;
    }
    if (t->kind == TY_TEXT)
        return text_is_same(f, ((SwMem *const *)(const void *)data)[i]->data, o);
    if (t->kind == TY_ARRAY)
        return heap_is_array(f, t, ((SwMem *const *)(const void *)data)[i], o);
    if (t->kind == TY_OBJ && type_class(t)->copied)
        return seen_object(f, ((SwMem *const *)(const void *)data)[i]) == o;
    if (t->kind == TY_OBJ)
        return instance_check(o) && instance_mem(o) == ((SwMem *const *)(const void *)data)[i];
    const char *p = data + i * dtype_size((DType)t->storage);
    double now[2] = {0}; /* room, aligned */
    int over = 0;
    int64_t member;
    if (type_is_int_member(t))
        return foreign_int_member(f->d, t, o, &member) && !memcmp(&member, p, sizeof member);
    return number_of((DType)t->dtype, o, now, true, &over) &&
           !memcmp(now, p, (size_t)dtype_size((DType)t->storage));
}
