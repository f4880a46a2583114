/* SPDX-License-Identifier: BSD-3-Clause
 * Instances of compiled classes as Python sees them: swathe._core.Instance holds a reference to the
 * object, whose first word says which Instance that is, so that one object is one Instance as long
 * as Python has it. A Field reads and stores a number of it; other attributes are compiled. */
#include "py.h"
#include <structmember.h>

typedef struct Instance {
    PyObject_HEAD SwMem *mem;
    PyObject *weakrefs;
} Instance;

static PyTypeObject *instance_type;

bool
instance_check(PyObject *o)
{
    return instance_type && PyObject_TypeCheck(o, instance_type);
}

bool
instance_is_class(PyObject *o)
{
    return instance_type && o != (PyObject *)instance_type &&
           PyType_IsSubtype((PyTypeObject *)o, instance_type);
}

SwMem *
instance_mem(PyObject *o)
{
    return ((Instance *)o)->mem;
}

/* A new reference; takes none of m's. */
PyObject *
instance_box(const Type *t, SwMem *m)
{
    uint64_t *word = m->data;
    if (word[0])
        return Py_NewRef((PyObject *)(uintptr_t)word[0]);
    PyTypeObject *cls = (PyTypeObject *)class_made(type_class(t));
    Instance *o = cls ? (Instance *)cls->tp_alloc(cls, 0) : NULL;
    if (!o)
        return NULL;
    o->mem = m;
    sw_retain(m);
    word[0] = (uint64_t)(uintptr_t)o;
    return (PyObject *)o;
}

static void
instance_dealloc(PyObject *self)
{
    Instance *o = (Instance *)self;
    PyTypeObject *t = Py_TYPE(self);
    SwMem *m = o->mem;
    if (o->weakrefs)
        PyObject_ClearWeakRefs(self);
    if (m) {
        ((uint64_t *)m->data)[0] = 0;
        sw_release(m);
    }
    t->tp_free(self);
    Py_DECREF(t);
}

static PyMemberDef instance_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Instance, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot instance_slots[] = {
    {Py_tp_dealloc, instance_dealloc},
    {Py_tp_members, instance_members},
    {Py_tp_doc, "What instances of compiled classes are; made by swathe.jitclass."},
    {0, NULL},
};
PyType_Spec instance_spec = {
    .name = "swathe._core.Instance",
    .basicsize = sizeof(Instance),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = instance_slots,
};

int
instance_begin(PyTypeObject *t)
{
    instance_type = t;
    return 0;
}

/* ---- fields that are numbers ----------------------------------------------------------------- */

typedef struct Field {
    PyObject_HEAD PyObject *name, *owner;
    Type type;
    int word;
    bool frozen;
} Field;

static PyObject *
field_new(PyTypeObject *cls, PyObject *args, PyObject *kw)
{
    const char *name, *dtype;
    int word, weak, frozen;
    DType d;
    (void)kw;
    if (!PyArg_ParseTuple(args, "sispp", &name, &word, &dtype, &weak, &frozen))
        return NULL;
    if (!dtype_from_name(dtype, &d)) {
        PyErr_Format(PyExc_TypeError, "%s is no dtype", dtype);
        return NULL;
    }
    Field *f = (Field *)cls->tp_alloc(cls, 0);
    if (!f)
        return NULL;
    f->type = (Type){.kind = TY_SCALAR,
                     .dtype = (uint16_t)d,
                     .storage = (uint8_t)dtype_storage(d),
                     .weak = weak != 0};
    f->word = word;
    f->frozen = frozen != 0;
    f->name = PyUnicode_FromString(name);
    if (!f->name)
        Py_CLEAR(f);
    return (PyObject *)f;
}

/* The class; borrowed by it, as it holds the field. */
static PyObject *
field_set_name(PyObject *self, PyObject *args)
{
    PyObject *owner, *name;
    if (!PyArg_ParseTuple(args, "OO", &owner, &name))
        return NULL;
    ((Field *)self)->owner = owner;
    Py_RETURN_NONE;
}

static uint64_t *
word_of(Field *f, PyObject *o)
{
    PyTypeObject *owner = (PyTypeObject *)f->owner;
    if (owner && instance_check(o) && PyObject_TypeCheck(o, owner))
        return (uint64_t *)instance_mem(o)->data + f->word;
    PyErr_Format(PyExc_TypeError, "'%U' is a field of another class than '%s'", f->name,
                 Py_TYPE(o)->tp_name);
    return NULL;
}

static PyObject *
field_get(PyObject *self, PyObject *o, PyObject *type)
{
    Field *f = (Field *)self;
    (void)type;
    if (!o)
        return Py_NewRef(self);
    const uint64_t *w = word_of(f, o);
    return w ? box_scalar(&f->type, w) : NULL;
}

static int
field_refuse(Field *f, PyObject *v)
{
    const char *owner = ((PyTypeObject *)f->owner)->tp_name;
    const char *what = f->type.weak && dtype_is_float((DType)f->type.dtype) ? "float"
                       : f->type.weak && f->type.dtype == DT_i64            ? "int"
                                                                 : dtype_info[f->type.dtype].name;
    bool big =
        (PyLong_Check(v) || PyArray_IsScalar(v, Integer)) && dtype_is_int((DType)f->type.dtype);
    PyErr_Format(big ? PyExc_OverflowError : PyExc_TypeError,
                 big ? "'%U' of %s is %s, and this int does not fit"
                     : "'%U' of %s is %s, and this is of type %s",
                 f->name, owner, what, Py_TYPE(v)->tp_name);
    return -1;
}

/* A NumPy integer of more bits is taken as a Python one. */
static bool
field_takes(Frame *to, Field *f, PyObject *v)
{
    if (args_convert(to, &f->type, v))
        return true;
    PyErr_Clear();
    if (!dtype_is_int((DType)f->type.dtype) || !PyArray_IsScalar(v, Integer))
        return false;
    PyObject *whole = PyNumber_Index(v);
    bool took = whole && args_convert(to, &f->type, whole);
    Py_XDECREF(whole);
    PyErr_Clear();
    return took;
}

static int
field_set(PyObject *self, PyObject *o, PyObject *v)
{
    Field *f = (Field *)self;
    uint64_t *w = word_of(f, o), slot[2] = {0, 0};
    if (!w)
        return -1;
    if (!v || f->frozen) {
        PyErr_Format(PyExc_AttributeError,
                     !v ? "a field of a compiled class can't be deleted: '%U'"
                        : "cannot assign to field '%U'",
                     f->name);
        return -1;
    }
    Frame to = {.slot = slot, .slot_end = slot + 2};
    if (!field_takes(&to, f, v))
        return field_refuse(f, v);
    memcpy(w, slot, (f->type.storage == DT_c128 ? 2 : 1) * sizeof *w);
    return 0;
}

static void
field_dealloc(PyObject *o)
{
    PyTypeObject *t = Py_TYPE(o);
    Py_XDECREF(((Field *)o)->name);
    t->tp_free(o);
    Py_DECREF(t);
}

static PyMethodDef field_methods[] = {
    {"__set_name__", field_set_name, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot field_slots[] = {
    {Py_tp_new, field_new},
    {Py_tp_dealloc, field_dealloc},
    {Py_tp_descr_get, field_get},
    {Py_tp_descr_set, field_set},
    {Py_tp_methods, field_methods},
    {Py_tp_doc, "Field(name, word, dtype, weak, frozen): a number in an instance."},
    {0, NULL},
};
PyType_Spec field_spec = {
    .name = "swathe._core.Field",
    .basicsize = sizeof(Field),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = field_slots,
};

/* ---- arguments ------------------------------------------------------------------------------- */

/* An instance may keep an array longer than the call lasts: its owner is then no part of the
 * frame. */
static uint64_t *
keep_arrays(Frame *f, const Type *t, uint64_t *slot)
{
    if (slot && t->kind == TY_ARRAY) {
        SwMem *m = (SwMem *)(uintptr_t)slot[1];
        if (m >= f->mems && m < f->mem) {
            if (!m->user && !(m->user = upcall_hold(f->owners[m - f->mems])))
                return NULL;
            slot[1] = (uint64_t)(uintptr_t)m->user;
        }
    }
    if (!type_has_parts(t))
        return slot ? slot + type_slots(t) : NULL;
    for (int i = 0; slot && i < t->n; i++)
        slot = keep_arrays(f, t->elems[i], slot);
    return slot;
}

/* An argument: its code and its slots. */
int
instance_take(Frame *f, PyObject *o)
{
    SwMem *m = instance_mem(o);
    *f->code++ = CODE_INSTANCE;
    *f->code++ = (uint64_t)(uintptr_t)Py_TYPE(o);
    *f->slot++ = (uint64_t)(uintptr_t)m->data;
    *f->slot++ = (uint64_t)(uintptr_t)m;
    *f->slot++ = (uint64_t)(m->bytes / 8);
    *f->slot++ = 8;
    return 0;
}

int
instance_enter(const SwFunction *fn, Frame *f)
{
    uint64_t *slot = f->slots;
    f->keeps = true;
    for (SwMem *m = f->mems; m < f->mem; m++)
        m->user = NULL;
    for (int i = 0; i < fn->n_args && slot; i++)
        slot = keep_arrays(f, fn->args[i], slot);
    if (slot)
        return 0;
    instance_leave(f);
    PyErr_NoMemory();
    return -1;
}

void
instance_leave(Frame *f)
{
    for (SwMem *m = f->mems; m < f->mem; m++)
        if (m->user) {
            sw_release(m->user);
            m->user = NULL;
        }
}

/* ---- lists that are kept --------------------------------------------------------------------- */

static int64_t
elements_in(const Type *t, const uint64_t *words, int at, const SwMem *m)
{
    if (type_has_parts(t)) {
        int64_t n = 0;
        for (int k = 0; k < t->n; k++) {
            n += elements_in(t->elems[k], words, at, m);
            at += 3 * heap_leaves(t->elems[k]);
        }
        return n;
    }
    int64_t n = 0;
    SwMem *const *ref = (SwMem *const *)(uintptr_t)words[at + 1];
    for (int64_t i = 0; t->kind != TY_SCALAR && i < (int64_t)words[at + 2]; i++)
        n += ref[i] == m;
    return n;
}

/* How many of the lists that came with this call hold m. */
static int64_t
holders(const Frame *f, const SwMem *m)
{
    int64_t n = 0;
    for (int i = 0; i < f->n_held; i++) {
        const Type *t = f->held[i].type;
        const HeapClass *c = t ? t->ref : NULL;
        const SwMem *o = f->held[i].mem;
        for (size_t w = 1; t && t->kind == TY_OBJ && w < o->bytes / 8; w++)
            n += ((SwMem *const *)o->data)[w] == m;
        for (int g = 0; t && t->kind == TY_REF && g < c->n_groups; g++)
            if (c->group[g] >= 0)
                n += elements_in(t->elems[c->group[g]], f->held[i].mem->data, heap_column(t, g), m);
    }
    return n;
}

/* A list that came from Python is another than the one that compiled code has: who keeps it would
 * not see what becomes of it. */
int
instance_kept(Frame *f)
{
    for (int i = 0; i < f->n_held; i++) {
        const HeapHeld *h = &f->held[i];
        if (!h->type || h->mem->refs == 1 || h->mem->refs <= 1 + holders(f, h->mem))
            continue;
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
        PyObject *wrong = error_class(f->st, "ArgumentTypeError");
        PyErr_Format(wrong,
                     "%U(): %s keeps a %s that came from Python, which would not change with it: "
                     "keep a copy that compiled code makes",
                     ((PyFunctionObject *)f->d->func)->func_name,
                     f->typed ? "a typed container" : "an instance", Py_TYPE(h->object)->tp_name);
        Py_DECREF(wrong);
        return -1;
    }
    return 0;
}
