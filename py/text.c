/* SPDX-License-Identifier: BSD-3-Clause
 * Strings at the boundary. An argument's code points are copied into memory of the frame, which
 * remembers whose they are: what comes back whole is the str that was passed. What compiled code
 * does not know of characters and numbers it asks here, by way of the library of kernels. */
#include "py.h"

/* ---- Python -> code points ------------------------------------------------------------------- */

static SwMem *
new_box(SwMem *m, uint64_t n, uint64_t size)
{
    SwCtx cx = {0};
    SwMem *box;
    if (sw_new(&cx, rt_layout("pwww"), 4, &box))
        return NULL;
    uint64_t *word = box->data;
    word[0] = (uint64_t)(uintptr_t)m;
    word[1] = (uint64_t)(uintptr_t)m->data;
    word[2] = n;
    word[3] = size;
    return box;
}

/* What holds its code points, as containers have it: one for each string, which the frame holds.
 * NULL: an exception. */
static SwMem *
long_box(Frame *f, PyObject *o, Py_ssize_t n)
{
    SwMem *box = f->seen ? map_get(&f->seen->by_object, o) : NULL, *m;
    SwCtx cx = {0};
    if (box) {
        sw_retain(box);
        return box;
    }
    uint64_t size = PyBytes_Check(o) ? 1 : 4;
    if (sw_alloc(&cx, (int64_t)size * n, 0, &m)) {
        PyErr_NoMemory();
        return NULL;
    }
    if (size == 1)
        memcpy(m->data, PyBytes_AS_STRING(o), (size_t)n);
    if ((size > 1 && !PyUnicode_AsUCS4(o, m->data, n, 0)) ||
        !(box = new_box(m, (uint64_t)n, size))) {
        sw_release(m);
        if (!PyErr_Occurred())
            PyErr_NoMemory();
        return NULL;
    }
    if (heap_remember(f, m, o, NULL, false) < 0 || heap_is(f, box, o) < 0) {
        sw_release(box);
        return NULL;
    }
    f->held[f->n_held - 1].mem = box;
    f->held[f->n_held - 1].text = true;
    sw_retain(box);
    return box;
}

/* ---- short strings: many of them in one piece of memory, with their boxes ---- */

enum { SHORT = 64, FIRST_SHEET = DEV_SMALL_MOST, LARGEST_SHEET = 1 << 17 };

/* No code point: what stands before those of a whole string, and nowhere else. */
static const uint32_t HEAD_MARK = UINT32_MAX;

typedef struct Short {
    SwMem box; /* it holds the sheet, once for its memory and its words */
    uint64_t word[4];
    PyObject *object; /* the sheet's until the call ends */
    uint32_t size, mark;
    uint32_t point[];
} Short;

/* Memory whose `user` is the frame, for as long as that is there. */
typedef struct Sheet {
    struct Sheet *before;
    SwMem *mem;
    size_t used, room;
    int64_t boxes;
} Sheet;

/* References that a sheet has while boxes are made in it, one of which is each box's. */
static const int64_t PLENTY = (int64_t)1 << 40;

static void
short_free(SwMem *box)
{
    const uint64_t *word = box->data;
    sw_release((SwMem *)(uintptr_t)word[0]);
}

static Sheet *
new_sheet(Frame *f)
{
    Sheet *last = f->sheets;
    size_t size = !last ? FIRST_SHEET : last->room < LARGEST_SHEET ? 4 * last->room : last->room;
    SwCtx cx = {0};
    SwMem *m = last ? NULL : dev_small(size, false);
    if (last ? sw_alloc(&cx, (int64_t)size, 0, &m) : !m) {
        PyErr_NoMemory();
        return NULL;
    }
    m->refs = PLENTY;
    Sheet *s = m->data;
    *s = (Sheet){.before = last, .mem = m, .used = sizeof *s, .room = size};
    m->user = f;
    f->sheets = s;
    return s;
}

/* A new reference. */
static SwMem *
short_box(Frame *f, PyObject *o, Py_ssize_t n)
{
    size_t size = (sizeof(Short) + 4 * (size_t)n + 7) & ~(size_t)7;
    Sheet *s = f->sheets;
    if (!(s && s->used + size <= s->room) && !(s = new_sheet(f)))
        return NULL;
    Short *t = (Short *)(void *)((char *)s + s->used);
    const void *from = PyUnicode_DATA(o);
    if (PyUnicode_KIND(o) == PyUnicode_1BYTE_KIND)
        for (Py_ssize_t i = 0; i < n; i++)
            t->point[i] = ((const Py_UCS1 *)from)[i];
    else
        for (Py_ssize_t i = 0; i < n; i++)
            t->point[i] = PyUnicode_READ(PyUnicode_KIND(o), from, i);
    t->box = (SwMem){.refs = 1, .data = t->word, .bytes = sizeof t->word, .free_fn = short_free};
    t->word[0] = (uint64_t)(uintptr_t)s->mem;
    t->word[1] = (uint64_t)(uintptr_t)t->point;
    t->word[2] = (uint64_t)n;
    t->word[3] = 4;
    t->object = Py_NewRef(o);
    t->size = (uint32_t)size;
    t->mark = HEAD_MARK;
    s->used += size;
    s->boxes++;
    return &t->box;
}

/* Its str; NULL: this is not the beginning of one of this frame's. */
static PyObject *
short_object(const Frame *f, const SwMem *m, const void *data)
{
    bool ours = m->user == f && ((const uint32_t *)data)[-1] == HEAD_MARK;
    return ours ? ((const Short *)((const char *)data - offsetof(Short, point)))->object : NULL;
}

void
text_end(Frame *f)
{
    for (Sheet *s = f->sheets, *before; s; s = before) {
        before = s->before;
        for (size_t at = sizeof *s; at < s->used;) {
            Short *t = (Short *)(void *)((char *)s + at);
            at += t->size;
            Py_DECREF(t->object);
        }
        SwMem *m = s->mem;
        int64_t left = PLENTY - s->boxes;
        m->user = NULL;
        if (__atomic_fetch_sub(&m->refs, left, __ATOMIC_ACQ_REL) == left)
            m->free_fn(m);
    }
    f->sheets = NULL;
}

/* Is it what a value of type t is? */
bool
text_fits(const Type *t, PyObject *o)
{
    return type_is_bytes(t) ? PyBytes_CheckExact(o) : PyUnicode_CheckExact(o);
}

/* A new reference to what holds its code points, or bytes; NULL: an exception. */
SwMem *
text_take(Frame *f, PyObject *o)
{
    if (PyBytes_Check(o))
        return long_box(f, o, PyBytes_GET_SIZE(o));
    if (PyUnicode_READY(o) < 0)
        return NULL;
    Py_ssize_t n = PyUnicode_GET_LENGTH(o);
    /* a list that Python changes again and again brings the same strings again and again */
    return n <= SHORT && !f->lend ? short_box(f, o, n) : long_box(f, o, n);
}

int
text_slots(Frame *f, PyObject *o, uint64_t *slot)
{
    SwMem *box = text_take(f, o);
    if (!box)
        return -1;
    const uint64_t *word = box->data;
    slot[0] = word[1];
    slot[1] = word[0];
    slot[2] = word[2];
    slot[3] = word[3];
    sw_release(box); /* the frame holds the memory */
    return 0;
}

/* ---- code points -> Python ------------------------------------------------------------------- */

/* The argument that it is, all of it; borrowed. */
static PyObject *
argument(const Frame *f, const SwMem *m, const void *data, uint64_t n)
{
    bool short_one = m && m->user == f;
    PyObject *o = short_one ? short_object(f, m, data) : NULL;
    if (o)
        return n == (uint64_t)PyUnicode_GET_LENGTH(o) ? o : NULL;
    o = m && f->seen ? map_get(&f->seen->by_mem, m) : NULL;
    if (o && PyBytes_Check(o))
        return data == m->data && n == (uint64_t)PyBytes_GET_SIZE(o) ? o : NULL;
    bool whole =
        o && PyUnicode_Check(o) && data == m->data && n == (uint64_t)PyUnicode_GET_LENGTH(o);
    return whole ? o : NULL;
}

static PyObject *
new_object(const Frame *f, bool bytes, const SwMem *m, const void *data, uint64_t n)
{
    PyObject *o = argument(f, m, data, n);
    return o       ? Py_NewRef(o)
           : bytes ? PyBytes_FromStringAndSize(data, (Py_ssize_t)n)
                   : PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, data, (Py_ssize_t)n);
}

PyObject *
text_box(const Frame *f, const Type *t, const uint64_t *slot)
{
    return new_object(f, type_is_bytes(t), (const SwMem *)(uintptr_t)slot[1],
                      (const void *)(uintptr_t)slot[0], slot[2]);
}

/* Of its words: in a box, or in an object. */
PyObject *
text_box_words(const Frame *f, const Type *t, const uint64_t *word)
{
    return new_object(f, t && type_is_bytes(t), (const SwMem *)(uintptr_t)word[0],
                      (const void *)(uintptr_t)word[1], word[2]);
}

bool
text_is_same(const Frame *f, const uint64_t *word, PyObject *o)
{
    return argument(f, (const SwMem *)(uintptr_t)word[0], (const void *)(uintptr_t)word[1],
                    word[2]) == o;
}

bool
text_is_box(const Frame *f, const SwMem *box, PyObject *o)
{
    const uint64_t *word = box->data;
    return box->free_fn == short_free && ((const SwMem *)(uintptr_t)word[0])->user == f &&
           ((const Short *)(const void *)box)->object == o;
}

/* As hash_point() of lower/text.c. */
uint64_t
text_box_hash(const Type *t, const SwMem *box, uint64_t h)
{
    const uint64_t *word = box->data;
    const void *p = (const void *)(uintptr_t)word[1];
    bool bytes = type_is_bytes(t);
    for (uint64_t i = 0; i < word[2]; i++) {
        uint64_t point = bytes ? ((const uint8_t *)p)[i] : ((const uint32_t *)p)[i];
        h = (h ^ point) * 0x9e3779b97f4a7c15u;
    }
    return (h ^ h >> 32) + word[2];
}

/* ---- what compiled code asks ----------------------------------------------------------------- */

static int64_t
fill(PyObject *s, TextAsk *t)
{
    int64_t n = s && PyUnicode_Check(s) ? (int64_t)PyUnicode_GET_LENGTH(s) : -1;
    if (n >= 0 && n <= t->room && !PyUnicode_AsUCS4(s, t->out, (Py_ssize_t)t->room, 0))
        n = -1;
    return n;
}

static int64_t
read_number(PyObject *s, TextAsk *t)
{
    PyObject *v = t->what == TEXT_FLOAT
                      ? PyFloat_FromString(s)
                      : PyObject_CallFunction((PyObject *)&PyLong_Type, "Oi", s, (int)t->which);
    int64_t status = v ? 0 : PyErr_ExceptionMatches(PyExc_ValueError) ? 1 : -1;
    int over = 0;
    if (v && t->what == TEXT_FLOAT)
        *(double *)t->out = PyFloat_AS_DOUBLE(v);
    else if (v)
        *(int64_t *)t->out = PyLong_AsLongLongAndOverflow(v, &over);
    Py_XDECREF(v);
    return over ? 2 : status;
}

static int64_t
of_method(PyObject *s, TextAsk *t)
{
    static const char *const name[] = {
        "upper",   "lower",   "casefold",     "swapcase",    "title",   "capitalize",
        "isalpha", "isdigit", "isdecimal",    "isnumeric",   "isalnum", "isupper",
        "islower", "istitle", "isidentifier", "isprintable", "__repr__"};
    PyObject *r = PyObject_CallMethod(s, name[t->which], NULL);
    int64_t n = r && PyBool_Check(r) ? r == Py_True : fill(r, t);
    Py_XDECREF(r);
    return n;
}

static int64_t
of_number(PyObject *s, TextAsk *t)
{
    int width = t->what == TEXT_OF_FLOAT && t->n == 1 && t->points[0] < ' ' ? (int)t->points[0] : 0;
    PyTypeObject *narrow = width == 2 ? &PyHalfArrType_Type : &PyFloatArrType_Type;
    PyObject *v = width ? PyObject_CallFunction((PyObject *)narrow, "d", t->real)
                  : t->what == TEXT_OF_FLOAT ? PyFloat_FromDouble(t->real)
                                             : PyLong_FromLongLong(t->which);
    PyObject *r = !v ? NULL : width ? PyObject_Str(v) : PyObject_Format(v, s);
    int64_t n = v && !r && PyErr_ExceptionMatches(PyExc_ValueError) ? TEXT_BAD_SPEC : fill(r, t);
    Py_XDECREF(v);
    Py_XDECREF(r);
    return n;
}

int64_t
text_asked(TextAsk *t)
{
    bool alone = dev_together();
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *s = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, t->points, (Py_ssize_t)t->n);
    int64_t r = -1;
    if (s)
        r = t->what == TEXT_METHOD                         ? of_method(s, t)
            : t->what == TEXT_FLOAT || t->what == TEXT_INT ? read_number(s, t)
                                                           : of_number(s, t);
    Py_XDECREF(s);
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
    PyGILState_Release(gil);
    dev_alone = alone;
    return r;
}

/* ---- options --------------------------------------------------------------------------------- */

static bool
is_constant(const Node *n)
{
    bool all = n->kind == N_Const || n->kind == N_Tuple || n->kind == N_List;
    for (int i = 0; n->kind != N_Const && all && i < n->n; i++)
        all = n->kid[i]->kind == N_Const;
    return all;
}

/* *tests counts comparisons; false: there is another use. */
static bool
only_tested(const Node *n, Sym name, bool raised, int *tests)
{
    if (n->fn)
        for (int i = 0; i < n->fn->n_free; i++)
            if (n->fn->free[i] == name)
                return false;
    bool compared = n->kind == N_Compare, only = true;
    for (int i = 0; compared && i < n->n; i++)
        compared = is_constant(n->kid[i]) || (n->kid[i]->kind == N_Name && n->kid[i]->name == name);
    raised |= n->kind == N_Raise;
    for (int i = 0; only && i < n->n; i++) {
        const Node *k = n->kid[i];
        if (!k)
            continue;
        bool is = k->kind == N_Name && k->name == name;
        *tests += is && compared;
        only = is ? compared || raised || n->kind == N_FormattedValue
                  : only_tested(k, name, raised, tests);
    }
    return only;
}

bool
text_is_option(const FuncDef *f, Sym name)
{
    int tests = 0;
    return f->body && only_tested(f->body, name, false, &tests) && tests > 0;
}
