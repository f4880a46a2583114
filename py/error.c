/* SPDX-License-Identifier: BSD-3-Clause
 * Errors of compiling and of running as Python exceptions. A class is looked for in
 * swathe.errors (a compile-time NameError is a CompileNameError there: a CompileError and
 * a NameError), then among the builtins. A run-time error also gets a traceback entry at
 * the user's line, made of an empty code object that only has a name and a line. */
#include "py.h"
#include <frameobject.h>

static PyObject *
errors_module(State *st)
{
    if (!st->errors)
        st->errors = late_import("swathe.errors");
    return st->errors;
}

static PyObject *
from_module(PyObject *m, const char *prefix, const char *name)
{
    char full[96];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    PyObject *c = m ? PyObject_GetAttrString(m, full) : NULL;
    if (c && !PyExceptionClass_Check(c))
        Py_CLEAR(c);
    PyErr_Clear();
    return c;
}

/* "numpy.exceptions.AxisError": a class that lives elsewhere. */
static PyObject *
dotted_class(const char *name)
{
    char module[96];
    const char *dot = strrchr(name, '.');
    snprintf(module, sizeof module, "%.*s", (int)(dot - name), name);
    PyObject *m = late_import(module), *c = from_module(m, "", dot + 1);
    Py_XDECREF(m);
    return c ? c : Py_NewRef(PyExc_RuntimeError);
}

PyObject *
error_class(State *st, const char *name)
{
    if (strchr(name, '.'))
        return dotted_class(name);
    PyObject *m = errors_module(st), *c = from_module(m, "", name);
    if (!c)
        c = from_module(m, "Compile", name);
    if (!c)
        c = Py_XNewRef(PyDict_GetItemString(PyEval_GetBuiltins(), name));
    return c ? c : Py_NewRef(PyExc_RuntimeError);
}

/* ---- exception classes ---- */

bool
error_is_builtin(PyTypeObject *t)
{
    return PyDict_GetItemString(PyEval_GetBuiltins(), t->tp_name) == (PyObject *)t;
}

/* Names of classes that are none of Python's own: dict of weak references. Two classes that call
 * themselves alike have different names here, as long as both live; so a name is a class, in
 * compiled code and in texts of what it derives from. */
static PyObject *named;

static PyObject *
class_named(const char *name) /* a new reference; NULL: none that lives has that name */
{
    PyObject *ref = named ? PyDict_GetItemString(named, name) : NULL;
    PyObject *c = ref ? PyObject_CallNoArgs(ref) : NULL;
    if (c == Py_None)
        Py_CLEAR(c);
    PyErr_Clear();
    return c;
}

static void
claim(const char *name, PyTypeObject *t)
{
    if (!named)
        named = PyDict_New();
    PyObject *ref = named ? PyWeakref_NewRef((PyObject *)t, NULL) : NULL;
    if (ref)
        PyDict_SetItemString(named, name, ref);
    PyErr_Clear();
    Py_XDECREF(ref);
}

/* Those of NumPy have the names by which compiled code raises them. */
static bool
is_numpys(PyTypeObject *t, const char *name)
{
    PyObject *c = strncmp(name, "numpy.", 6) ? NULL : dotted_class(name);
    Py_XDECREF(c);
    return c == (PyObject *)t;
}

/* `base`, or `base.2`, `base.3`. */
static const char *
own_name(Arena *a, PyTypeObject *t, const char *base)
{
    bool numpys = !strncmp(base, "numpy.", 6);
    for (int k = numpys && !is_numpys(t, base) ? 2 : 1;; k++) {
        const char *name = k == 1 ? base : arena_printf(a, "%s.%d", base, k);
        PyObject *c = class_named(name);
        bool free = !c, mine = c == (PyObject *)t;
        Py_XDECREF(c);
        if (free)
            claim(name, t);
        if (free || mine)
            return name;
    }
}

/* "ValueError", "numpy.linalg.LinAlgError", "module.f.(locals).Error". */
const char *
error_class_name(Arena *a, PyTypeObject *t)
{
    if (error_is_builtin(t))
        return arena_str(a, t->tp_name);
    PyObject *module = PyObject_GetAttrString((PyObject *)t, "__module__");
    PyObject *name = PyObject_GetAttrString((PyObject *)t, "__qualname__");
    const char *m = module && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : NULL;
    const char *q = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    char *s = arena_printf(a, "%s.%s", m ? m : "?", q ? q : t->tp_name);
    PyErr_Clear();
    Py_XDECREF(module);
    Py_XDECREF(name);
    for (char *p = s; *p; p++) /* what is before a '<' is a name: ir/exc.c */
        *p = *p == '<' ? '(' : *p == '>' ? ')' : *p;
    return own_name(a, t, s);
}

/* Made from its message as the class of Python's own that it derives from. */
bool
error_takes_message(PyTypeObject *t)
{
    PyTypeObject *b = t;
    while (b && !error_is_builtin(b))
        b = b->tp_base;
    return b && t->tp_init == b->tp_init && t->tp_new == b->tp_new;
}

/* And shown as that shows it. */
bool
error_is_plain(PyTypeObject *t)
{
    PyTypeObject *b = t;
    while (b && !error_is_builtin(b))
        b = b->tp_base;
    return error_takes_message(t) && t->tp_str == b->tp_str && t->tp_repr == b->tp_repr;
}

static PyObject *
decode(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

void
error_compile(State *st, const char *cls, const char *text)
{
    if (!cls || !text || !strcmp(cls, "MemoryError")) {
        PyErr_NoMemory();
        return;
    }
    PyObject *c = error_class(st, cls), *s = decode(text);
    if (s)
        PyErr_SetObject(c, s);
    Py_DECREF(c);
    Py_XDECREF(s);
}

/* Is what is set that a function which was compiled here returns functions? */
bool
error_returns_function(State *st)
{
    PyObject *type, *value, *tb;
    PyErr_Fetch(&type, &value, &tb); /* as the module may not be there yet */
    PyObject *c = error_class(st, "ReturnsFunctionError");
    bool found = type && (PyObject *)type == c;
    Py_XDECREF(c);
    PyErr_Restore(type, value, tb);
    return found;
}

/* An entry `File file, line n, in func` at the innermost end of the traceback. */
static void
add_traceback(const char *file, const char *func, int line)
{
    PyObject *type, *value, *tb;
    PyErr_Fetch(&type, &value, &tb);
    PyObject *globals = PyDict_New();
    PyCodeObject *code = PyCode_NewEmpty(file, func, line);
    PyFrameObject *frame =
        code && globals ? PyFrame_New(PyThreadState_Get(), code, globals, NULL) : NULL;
    PyErr_Clear();
    PyErr_Restore(type, value, tb);
    if (frame) {
#if PY_VERSION_HEX < 0x030B0000
        frame->f_lineno = line;
#endif
        PyTraceBack_Here(frame);
    }
    Py_XDECREF(frame);
    Py_XDECREF(code);
    Py_XDECREF(globals);
}

/* The class itself: code that runs raises what Python would raise. What it derives from follows its
 * name. */
static PyObject *
run_time_class(const char *chain)
{
    char name[256];
    snprintf(name, sizeof name, "%.*s", chain ? (int)strcspn(chain, "<") : 0, chain ? chain : "");
    PyObject *met = strchr(name, '.') ? class_named(name) : NULL;
    if (met)
        return met;
    if (strchr(name, '.'))
        return dotted_class(name);
    PyObject *c = PyDict_GetItemString(PyEval_GetBuiltins(), name);
    return Py_NewRef(c && PyExceptionClass_Check(c) ? c : PyExc_RuntimeError);
}

static void
add_place(const SwFunction *fn, int site)
{
    for (const SwSite *s = rt_site(fn, site); s; s = rt_site(fn, s->within - 1))
        if (s->file)
            add_traceback(s->file, s->func ? s->func : "?", s->line);
}

/* Of what repr() makes of a str or bytes. */
static PyObject *
of_literal(const char *text)
{
    PyObject *ast = late_import("ast"), *s = decode(text), *r = NULL;
    if (ast && s)
        r = PyObject_CallMethod(ast, "literal_eval", "O", s);
    Py_XDECREF(ast);
    Py_XDECREF(s);
    return r;
}

static PyObject *
payload_value(const RtPayload *a)
{
    Type t = {.kind = TY_SCALAR,
              .dtype = (uint16_t)a->dtype,
              .storage = (uint8_t)a->dtype,
              .weak = a->kind == 'w'};
    double part[2];
    uint64_t slot[2] = {a->v[0], a->v[1]};
    memcpy(part, a->v, sizeof part);
    float single[2] = {(float)part[0], (float)part[1]};
    if (a->kind == 's' || a->kind == 'S')
        return decode(a->text ? a->text : "");
    if (a->kind == 'y')
        return of_literal(a->text ? a->text : "");
    if (a->kind == 'N' || a->dtype < 0 || a->dtype >= DT_COUNT)
        return Py_NewRef(Py_None);
    if (a->dtype == DT_f32 || a->dtype == DT_c64)
        memcpy(slot, single, sizeof single);
    if (a->dtype == DT_f16)
        return PyObject_CallFunction((PyObject *)&PyHalfArrType_Type, "d", part[0]);
    return box_scalar(&t, slot);
}

/* With the arguments that it was raised with, and the place as a note, where Python has these;
 * false: it has no arguments but its message. */
static bool
raise_payload(const SwFunction *fn, const SwError *e, PyObject *cls)
{
    RtPayload arg[8];
    uint64_t v[4];
    memcpy(v, e->a, sizeof v);
    char *format = e->what ? NULL : rt_message_format(fn, e);
    /* `raise ValueError` has no arguments; where there are no notes, the place is its message */
    bool bare = format && !*format && PyObject_HasAttrString(cls, "add_note");
    int n = bare ? 0 : format ? rt_payload(format, v, arg, SW_LEN(arg)) : -1;
    free(format);
    PyObject *args = n >= 0 ? PyTuple_New(n) : NULL;
    for (int i = 0; i < n; i++) {
        PyObject *o = args ? payload_value(&arg[i]) : NULL;
        if (args && o)
            PyTuple_SET_ITEM(args, i, o);
        else
            Py_CLEAR(args);
        free(arg[i].text);
    }
    PyObject *exc = args ? PyObject_CallObject(cls, args) : NULL;
    Py_XDECREF(args);
    if (!exc && n >= 0 && !error_takes_message((PyTypeObject *)cls))
        return true; /* what its __init__ raises */
    if (!exc)
        PyErr_Clear();
    if (!exc)
        return false;
    char *text = e->made ? NULL : rt_error_places(fn, e);
    PyObject *note =
        text && PyObject_HasAttrString(exc, "add_note") ? decode(text + (*text == '\n')) : NULL;
    PyObject *none = note ? PyObject_CallMethod(exc, "add_note", "O", note) : NULL;
    PyErr_Clear();
    PyErr_SetObject((PyObject *)Py_TYPE(exc), exc);
    Py_XDECREF(none);
    Py_XDECREF(note);
    Py_DECREF(exc);
    free(text);
    return true;
}

/* What Python has raised, with the traceback that it has there. */
static bool
raise_kept(const SwError *e)
{
    PyObject *o = e->payload ? Py_NewRef(kept_exception(e->payload)) : NULL;
    if (o)
        PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(o)), o, PyException_GetTraceback(o));
    return o != NULL;
}

/* With its message, which ends with the places; for programs that run in Numba's place these are a
 * note, where Python has notes, so that the arguments are those that Numba's have. */
static void
raise_message(const SwFunction *fn, const SwError *e, PyObject *cls, const char *text)
{
    char *places = e->what || e->made || !own_takes_any() ? NULL : rt_error_places(fn, e);
    size_t n = strlen(text), k = places ? strlen(places) : 0;
    bool notes =
        k && k <= n && !strcmp(text + n - k, places) && PyObject_HasAttrString(cls, "add_note");
    PyObject *s = notes ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)(n - k), "replace") : decode(text);
    PyObject *exc = s && notes ? PyObject_CallOneArg(cls, s) : NULL;
    PyObject *note = exc ? decode(places + (*places == '\n')) : NULL;
    PyObject *none = note ? PyObject_CallMethod(exc, "add_note", "O", note) : NULL;
    if (none)
        PyErr_SetObject((PyObject *)Py_TYPE(exc), exc);
    else if (s && !PyErr_Occurred())
        PyErr_SetObject(cls, s);
    Py_XDECREF(none);
    Py_XDECREF(note);
    Py_XDECREF(exc);
    Py_XDECREF(s);
    free(places);
}

static void
raise_text(SwFunction *fn, const SwError *e)
{
    const char *exc = NULL;
    char *text = rt_error_text(fn, e, &exc);
    PyObject *cls = run_time_class(exc);
    if (!raise_kept(e) && !raise_payload(fn, e, cls))
        raise_message(fn, e, cls, text ? text : "");
    Py_DECREF(cls);
    free(text);
    int n = e->n_calls < SW_LEN(e->calls) ? e->n_calls : SW_LEN(e->calls);
    add_place(fn, e->site);
    for (int i = 0; i < n; i++)
        add_place(fn, e->calls[i]);
}

/* It alone; d: NULL for a device's. */
static void
raise_one(Dispatcher *d, SwFunction *fn, const SwError *e)
{
    if (!d) {
        raise_text(fn, e);
        return;
    }
    PyObject *name = ((PyFunctionObject *)d->func)->func_name;
    switch (e->site) {
    case SW_ERR_PYTHON:
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_SystemError, "swathe: an exception got lost");
        break;
    case SW_ERR_MEMORY:
        PyErr_Format(PyExc_MemoryError, "%U(): out of memory", name);
        break;
    case SW_ERR_INTERRUPT:
        rt_interrupt_flag = 0;
        if (PyErr_CheckSignals() == 0)
            PyErr_SetNone(PyExc_KeyboardInterrupt);
        break;
    case SW_ERR_RECURSION:
        PyErr_Format(PyExc_RecursionError, "maximum recursion depth exceeded in %U()", name);
        break;
    case SW_ERR_NEG_DIM:
        PyErr_SetString(PyExc_ValueError, "negative dimensions are not allowed");
        break;
    default:
        raise_text(fn, e);
    }
}

/* ---- what it came after, and what it was raised from ---- */

static PyObject *
take_raised(void)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value && trace)
        PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return value;
}

static PyObject *chain(Dispatcher *d, SwFunction *fn, const SwError *e);

/* One link of the chain; before: Python's exception of its context. */
static PyObject *
make_link(Dispatcher *d, SwFunction *fn, const SwError *e, PyObject *before)
{
    raise_one(d, fn, e);
    PyObject *o = take_raised();
    if (!o)
        return NULL;
    if (e->made) {
        PyException_SetTraceback(o, Py_None);
        PyException_SetContext(o, NULL);
    }
    if (e->explicit_)
        PyException_SetCause(o, !e->cause                ? NULL
                                : e->cause == e->context ? Py_XNewRef(before)
                                                         : chain(d, fn, &e->cause->err));
    if (before)
        PyException_SetContext(o, Py_NewRef(before));
    return o;
}

/* From the one that was raised first on; what the caller in Python handles stands before that. */
static PyObject *
chain(Dispatcher *d, SwFunction *fn, const SwError *e)
{
    Vec(const SwError *) all = {0};
    Arena a;
    arena_init(&a);
    for (; e; e = e->context ? &e->context->err : NULL)
        VEC_PUSH(&a, all, e);
    PyObject *o = NULL;
    for (int i = all.n - 1; i >= 0; i--) {
        PyObject *next = make_link(d, fn, all.at[i], o);
        Py_XDECREF(o);
        o = next;
    }
    arena_free(&a);
    return o;
}

void
error_run_time(Dispatcher *d, SwFunction *fn, const SwError *e)
{
    if (e->site == SW_ERR_PYTHON || (!e->context && !e->explicit_)) {
        raise_one(d, fn, e);
        return;
    }
    PyObject *o = chain(d, fn, e);
    if (o) /* PyErr_SetObject would set a context */
        PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(o)), o, PyException_GetTraceback(o));
    else
        PyErr_NoMemory();
}

/* Which of its attributes are arguments: "name=k;...". */
const char *
error_keeps(In *in, PyObject *cls)
{
    PyObject *text = late_call("swathe._exceptions", "attributes", cls);
    const char *utf8 = text ? PyUnicode_AsUTF8(text) : NULL;
    const char *kept = utf8 && *utf8 ? intern(&in->cx->syms, utf8) : NULL;
    PyErr_Clear();
    Py_XDECREF(text);
    return kept;
}

/* What tells its text, as a number for the cache's key; 0: nobody knows. */
int64_t
error_says(PyObject *cls)
{
    PyObject *text = late_call("swathe._exceptions", "text", cls);
    const char *utf8 = text ? PyUnicode_AsUTF8(text) : NULL;
    Hash h = hash_init();
    hash_str(&h, utf8 ? utf8 : "");
    int64_t says = utf8 && *utf8 ? (int64_t)(h.h[0] | 1) : 0;
    PyErr_Clear();
    Py_XDECREF(text);
    return says;
}

/* The function that tells it; made NULL: there is none. False: an exception. */
static Telling
function_of(void *arg, const Const *cls)
{
    In *in = arg;
    Telling said = {0};
    FuncDef *def = NULL;
    PyObject *m = cls->i ? late_import("swathe._exceptions") : NULL;
    PyObject *told =
        m ? PyObject_CallMethod(m, "made", "O", (PyObject *)(uintptr_t)cls->ref) : NULL;
    if (told && told != Py_None && PyList_Append(in->keep, told) == 0 &&
        in_chosen(in, PyTuple_GET_ITEM(told, 0), &def)) {
        said.n = (int)PyLong_AsLong(PyTuple_GET_ITEM(told, 1));
        said.made = def;
    }
    Py_XDECREF(told);
    Py_XDECREF(m);
    return said;
}

bool
error_tell(In *in)
{
    ast_tell_raised(in->cx, in->prog, function_of, in);
    return !in->failed && !PyErr_Occurred();
}
