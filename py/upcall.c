/* SPDX-License-Identifier: BSD-3-Clause
 * One way up into Python, which rt_upcall_hook is: slots become objects, a function is called, and
 * what it yields becomes slots again, of the types that the program declares. Arrays are views of
 * the same memory in both directions. Lists and dicts are written back before the call and read
 * back after it, all that this call of compiled code has shown to Python: it may hold on to any. */
#include "heap.h"
#include <stdlib.h>

/* ---- arrays that came from Python ------------------------------------------------------------ */

/* The GIL may be held or not, by any thread. */
static void
free_array(SwMem *m)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    Py_DECREF((PyObject *)m->user);
    PyGILState_Release(gil);
    free(m);
}

PyObject *
upcall_array(const SwMem *m)
{
    return m->free_fn == free_array ? m->user : NULL;
}

SwMem *
upcall_hold(PyObject *o)
{
    SwMem *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->refs = 1;
    m->data = PyArray_DATA((PyArrayObject *)o);
    m->bytes = (size_t)PyArray_NBYTES((PyArrayObject *)o);
    m->free_fn = free_array;
    m->user = Py_NewRef(o);
    return m;
}

/* ---- results --------------------------------------------------------------------------------- */

typedef struct Taking {
    Frame *f; /* the call's */
    const char *name, *where;
    Dispatcher *d;
} Taking;

static PyObject *
describe(PyObject *o)
{
    if (!PyArray_Check(o))
        return PyUnicode_FromFormat("of type %s", Py_TYPE(o)->tp_name);
    PyArrayObject *x = (PyArrayObject *)o;
    return PyUnicode_FromFormat("%s array of %S with %d ax%s",
                                !PyArray_ISWRITEABLE(x)      ? "a read-only"
                                : PyArray_IS_C_CONTIGUOUS(x) ? "a contiguous"
                                : PyArray_IS_F_CONTIGUOUS(x) ? "a Fortran-contiguous"
                                                             : "a strided",
                                PyArray_DESCR(x), PyArray_NDIM(x),
                                PyArray_NDIM(x) == 1 ? "is" : "es");
}

static int
refuse(Taking *k, const Type *t, PyObject *o)
{
    PyObject *is = describe(o), *of = ((PyFunctionObject *)k->d->func)->func_name;
    bool whole = t->kind == TY_SCALAR && dtype_is_int((DType)t->dtype);
    if (is && whole && PyLong_Check(o))
        PyErr_Format(PyExc_OverflowError, "%U(): '%s' in %s is an int that does not fit in %s", of,
                     k->name, k->where, t->text);
    else if (is)
        PyErr_Format(PyExc_TypeError, "%U(): '%s' in %s is %U, and is declared as %s", of, k->name,
                     k->where, is, t->text);
    Py_XDECREF(is);
    return -1;
}

/* Gives up the references in slots of this type; yields the slots behind it. */
static uint64_t *
drop(const Type *t, uint64_t *slot)
{
    if (t->kind == TY_ARRAY || t->kind == TY_REF) {
        sw_release((SwMem *)(uintptr_t)slot[1]);
        return slot + type_slots(t);
    }
    for (int i = 0; type_has_parts(t) && i < t->n; i++)
        slot = drop(t->elems[i], slot);
    return type_has_parts(t) ? slot : slot + type_slots(t);
}

static int
take_array(Taking *k, const Type *t, PyObject *o, uint64_t *slot)
{
    uint64_t codes[2];
    SwMem mem;
    PyObject *owner;
    Frame f = {.slots = slot,
               .slot = slot,
               .slot_end = slot + 2 + 2 * t->ndim,
               .codes = codes,
               .code = codes,
               .code_end = codes + 2,
               .mems = &mem,
               .mem = &mem,
               .mem_end = &mem + 1,
               .owners = &owner,
               .owner = &owner};
    bool big = false;
    for (int i = 0; PyArray_Check(o) && i < PyArray_NDIM((PyArrayObject *)o); i++)
        big |= (uint64_t)PyArray_DIM((PyArrayObject *)o, i) >> 60 != 0;
    if (big || !args_convert(&f, t, o)) {
        PyErr_Clear();
        return refuse(k, t, o);
    }
    SwMem *m = upcall_hold(o);
    slot[1] = (uint64_t)(uintptr_t)m;
    if (!m)
        PyErr_NoMemory();
    return m ? 0 : -1;
}

static int take(Taking *k, const Type *t, PyObject *o, uint64_t *slot);

/* What is not there: numbers, and arrays without elements. */
static void
take_nothing(const Type *t, uint64_t *slot)
{
    static const uint64_t zero[2];
    memset(slot, 0, 8 * (size_t)type_slots(t));
    if (t->kind == TY_ARRAY)
        slot[0] = (uint64_t)(uintptr_t)zero;
    for (int i = 0; type_has_parts(t) && i < t->n; i++) {
        take_nothing(t->elems[i], slot);
        slot += type_slots(t->elems[i]);
    }
}

static int
take_parts(Taking *k, const Type *t, PyObject *o, uint64_t *slot)
{
    if (!PyTuple_Check(o) || PyTuple_GET_SIZE(o) != t->n)
        return refuse(k, t, o);
    uint64_t *at = slot;
    for (int i = 0; i < t->n; i++) {
        if (take(k, t->elems[i], PyTuple_GET_ITEM(o, i), at) < 0) {
            for (int j = 0; j < i; j++)
                slot = drop(t->elems[j], slot);
            return -1;
        }
        at += type_slots(t->elems[i]);
    }
    return 0;
}

/* A copy of its code points: the frame keeps nothing of a block that may run many times. */
static int
take_text(Taking *k, const Type *t, PyObject *o, uint64_t *slot)
{
    if (!text_fits(t, o))
        return refuse(k, t, o);
    bool bytes = PyBytes_Check(o);
    if (!bytes && PyUnicode_READY(o) < 0)
        return -1;
    int64_t n = bytes ? PyBytes_GET_SIZE(o) : PyUnicode_GET_LENGTH(o), size = bytes ? 1 : 4;
    SwCtx cx = {0};
    SwMem *m;
    if (sw_alloc(&cx, n ? n * size : size, 0, &m)) {
        PyErr_NoMemory();
        return -1;
    }
    if (bytes)
        memcpy(m->data, PyBytes_AS_STRING(o), (size_t)n);
    else if (n)
        PyUnicode_AsUCS4(o, m->data, n, 0);
    slot[0] = (uint64_t)(uintptr_t)m->data;
    slot[1] = (uint64_t)(uintptr_t)m;
    slot[2] = (uint64_t)n;
    slot[3] = (uint64_t)size;
    return 0;
}

static int
take_container(Taking *k, const Type *t, PyObject *o, uint64_t *slot)
{
    if (heap_class_of(o) != t->ref)
        return refuse(k, t, o);
    HeapIn h = {.d = k->d, .f = k->f, .wrong = PyExc_TypeError, .name = k->name};
    SwMem *m = heap_take(&h, t, o);
    if (!m)
        return -1;
    slot[0] = (uint64_t)(uintptr_t)m->data;
    slot[1] = (uint64_t)(uintptr_t)m;
    slot[2] = (uint64_t)heap_column(t, ((const HeapClass *)t->ref)->n_groups);
    slot[3] = 8;
    return 0;
}

static int
take(Taking *k, const Type *t, PyObject *o, uint64_t *slot)
{
    if (t->kind == TY_ARRAY)
        return take_array(k, t, o, slot);
    if (t->kind == TY_TUPLE)
        return take_parts(k, t, o, slot);
    if (t->kind == TY_TEXT)
        return take_text(k, t, o, slot);
    if (t->kind == TY_REF)
        return take_container(k, t, o, slot);
    if (t->kind == TY_OPTIONAL && o == Py_None) {
        take_nothing(t, slot);
        return 0;
    }
    if (t->kind == TY_OPTIONAL) {
        slot[0] = 1;
        return take(k, t->elems[1], o, slot + 1);
    }
    Frame f = {.slot = slot, .slot_end = slot + 2};
    if (args_convert(&f, t, o))
        return 0;
    PyErr_Clear();
    return refuse(k, t, o);
}

static int
take_results(Dispatcher *d, Frame *f, const Upcall *u, PyObject *r, uint64_t *slot)
{
    uint64_t *at = slot;
    for (int i = 0; i < u->n_out; i++) {
        Taking k = {f, u->out_name[i], u->plain ? "what it calls back" : "the block of objmode", d};
        if (take(&k, u->out[i], u->plain ? r : PyTuple_GET_ITEM(r, i), at) < 0) {
            for (int j = 0; j < i; j++)
                slot = drop(u->out[j], slot);
            return -1;
        }
        at += type_slots(u->out[i]);
    }
    return 0;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* Names of one array are one ndarray. */
static PyObject *
same_array(const Upcall *u, PyObject *args, const uint64_t *const *slot, int i)
{
    for (int k = 0; u->in[i]->kind == TY_ARRAY && k < i; k++)
        if (slot[k] && u->in[k]->kind == TY_ARRAY && u->in[k]->ndim == u->in[i]->ndim &&
            u->in[k]->dtype == u->in[i]->dtype &&
            !memcmp(slot[k], slot[i], 8 * (size_t)type_slots(u->in[i])))
            return Py_NewRef(PyTuple_GET_ITEM(args, k));
    return NULL;
}

static PyObject *
give_one(Frame *f, const Upcall *u, PyObject *args, const uint64_t *const *slot, int i)
{
    if (u->in_text[i])
        return PyUnicode_FromString(u->in_text[i]);
    PyObject *o = same_array(u, args, slot, i);
    return o ? o : box_lent(f, u->in[i], slot[i]);
}

/* objmode itself stands for what is not bound. */
static PyObject *
give(Frame *f, const Upcall *u, const uint64_t *args)
{
    PyObject *t = PyTuple_New(u->n_in);
    const uint64_t **slot = PyMem_Calloc((size_t)u->n_in + 1, sizeof *slot);
    if (!slot)
        PyErr_NoMemory();
    for (int i = 0; t && slot && i < u->n_in; i++) {
        bool bound = !u->maybe[i] || (uint8_t)*args++;
        slot[i] = bound ? args : NULL;
        PyObject *o = bound ? give_one(f, u, t, slot, i) : NULL;
        if (!bound) {
            PyObject *m = late_import("swathe.marks");
            o = m ? PyObject_GetAttrString(m, "objmode") : NULL;
            Py_XDECREF(m);
        }
        args += type_slots(u->in[i]);
        if (o)
            PyTuple_SET_ITEM(t, i, o);
        else
            Py_CLEAR(t);
    }
    if (!slot)
        Py_CLEAR(t);
    PyMem_Free(slot);
    return t;
}

/* ---- the call -------------------------------------------------------------------------------- */

static int
read_back(Frame *f)
{
    return f->held ? heap_read_back(f, "a list") : 0;
}

/* The block has raised. What it has done to lists before is read back all the same; where that
 * can't be, nobody may go on as if it had been, and the other exception is its context. */
static int
failed(Frame *f)
{
    PyObject *type, *value, *trace, *now, *later, *at;
    PyErr_Fetch(&type, &value, &trace);
    if (read_back(f) == 0) {
        PyErr_Restore(type, value, trace);
        return -1;
    }
    PyErr_Fetch(&now, &later, &at);
    PyErr_NormalizeException(&now, &later, &at);
    PyErr_NormalizeException(&type, &value, &trace);
    if (later && value && later != value)
        PyException_SetContext(later, Py_NewRef(value));
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    PyErr_Restore(now, later, at);
    return -1;
}

static int
run(Frame *f, const SwUpcall *u, const uint64_t *args, uint64_t *results)
{
    if (!u->function) {
        PyErr_SetString(PyExc_SystemError, "swathe: a block of objmode got lost");
        return -1;
    }
    f->lend = true;
    PyObject *t = give(f, &u->is, args);
    bool shown = f->held && !u->is.looks; /* lists and dicts */
    int r = t && shown ? heap_write_back(f) : t ? 0 : -1;
    PyObject *got = r == 0 ? PyObject_CallObject(u->function, t) : NULL;
    if (r == 0 && u->is.looks)
        r = got ? 0 : -1;
    else if (r == 0)
        r = got ? read_back(f) : failed(f);
    if (r == 0)
        r = take_results(f->d, f, &u->is, got, results);
    f->lend = false;
    Py_XDECREF(got);
    Py_XDECREF(t);
    if (shown)
        heap_sweep(f);
    return r;
}

/* The exception that is set becomes the error of this place. */
static void
fail(SwCtx *cx, int32_t site)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value && trace)
        PyException_SetTraceback(value, trace);
    int64_t number = value && PyExceptionInstance_Check(value) ? kept_number(value) : 0;
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    sw_fail(cx, number ? site : SW_ERR_MEMORY, number, 0, 0, 0);
}

static int
upcall(SwCtx *cx, int32_t k, int32_t site, const uint64_t *args, uint64_t *results)
{
    Frame *f = cx->caller;
    bool alone = dev_together();
    if (f->typed)
        typed_leave();
    PyEval_RestoreThread(f->ts);
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace); /* of a signal's handler, on its way through a finally */
    int r = Py_EnterRecursiveCall(" in a block of objmode");
    if (r == 0) {
        r = run(f, &cx->fn->upcalls[k], args, results);
        Py_LeaveRecursiveCall();
    }
    if (r < 0)
        fail(cx, site);
    PyErr_Restore(type, value, trace);
    f->ts = PyEval_SaveThread();
    if (f->typed)
        typed_enter();
    dev_alone = alone;
    return r < 0;
}

bool
upcall_link(SwFunction *fn, PyObject *functions)
{
    PyObject *link = NULL, *declared = NULL;
    bool fine = true;
    for (int i = 0; fine && i < fn->n_upcalls; i++) {
        SwUpcall *u = &fn->upcalls[i];
        u->function = functions ? PyDict_GetItemString(functions, u->is.key) : NULL;
        if (u->is.plain && !link && (link = late_import("swathe._link")))
            declared = PyObject_GetAttrString(link, "_CALLBACKS"); /* which lets none go */
        if (u->is.plain && declared)
            u->function = PyDict_GetItemString(declared, u->is.key);
        fine = u->function != NULL;
    }
    if (!fine && !PyErr_Occurred())
        PyErr_SetString(PyExc_SystemError, "swathe: a block of objmode is not to be found");
    Py_XDECREF(declared);
    Py_XDECREF(link);
    return fine;
}

bool
upcall_takes_copy(HeapIn *h, const SwFunction *fn, const Type *t)
{
    if (!fn->shows)
        return true;
    heap_in_named(h);
    PyErr_Format(h->wrong,
                 "%U(): argument '%s' is a %s, and the function runs Python inside: "
                 "pass its fields",
                 ((PyFunctionObject *)h->d->func)->func_name, h->name, type_class(t)->name);
    return false;
}

void
upcall_begin(void)
{
    rt_upcall_hook = upcall;
}
