/* SPDX-License-Identifier: BSD-3-Clause
 * The making of a dispatcher's specialisations (spec_table.c keeps them): parse the source anew (it
 * costs little, and what it took from outside is then up to date), type the arguments, compile
 * without the GIL. A failure is kept too, so that a caller who falls back on it pays once. */
#include "job.h"

/* ---- compiling ------------------------------------------------------------------------------- */

/* What of an argument is known by its address: not what it holds, which is the caller's. */
static int
keep_parts(In *in, PyObject *o, int depth)
{
    if (PyTuple_Check(o)) {
        int r = PyTuple_CheckExact(o) ? 0 : PyList_Append(in->keep, (PyObject *)Py_TYPE(o));
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o) && r == 0; i++)
            r = keep_parts(in, PyTuple_GET_ITEM(o, i), depth + 1);
        return r;
    }
    if (!in->mixed && keyed_is_value(in->dict_objects, o, depth)) {
        PyObject *value;
        int r = 0;
        for (Py_ssize_t at = 0; r == 0 && PyDict_Next(o, &at, NULL, &value);)
            r = keep_parts(in, value, depth + 1);
        return r;
    }
    if (instance_check(o) || object_is_plain(o))
        return PyList_Append(in->keep, object_class(o));
    if (PyBytes_Check(o) || (depth && PyUnicode_Check(o)))
        return 0;
    if (heap_class_of(o) || PyList_Check(o) || PyDict_Check(o) || PyArray_Check(o) ||
        PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o))
        return 0;
    Py_INCREF(o);
    if (PyUnicode_CheckExact(o))
        PyUnicode_InternInPlace(&o); /* as args.c did */
    int r = PyList_Append(in->keep, o);
    Py_DECREF(o);
    return r;
}

/* Of results; borrowed by types. */
static int
add_class(Dispatcher *d, const void *class)
{
    PyObject *o = (PyObject *)(uintptr_t) class;
    if (!d->tuple_classes && !(d->tuple_classes = PyList_New(0)))
        return -1;
    int has = PySequence_Contains(d->tuple_classes, o);
    return has ? has < 0 ? -1 : 0 : PyList_Append(d->tuple_classes, o);
}

/* Objects whose addresses are in codes or types live as long as the specialisation. */
static int
remember(Dispatcher *d, In *in, PyObject *const *args, int n)
{
    for (int i = 0; i < n; i++)
        if (!(PyUnicode_Check(args[i]) && !known_is(in->known, args[i], i)) &&
            keep_parts(in, args[i], 0) < 0)
            return -1;
    if (!d->tuple_classes && !(d->tuple_classes = PyList_New(0)))
        return -1;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(in->keep); i++) {
        PyObject *o = PyList_GET_ITEM(in->keep, i);
        bool class = py_is_namedtuple_class(o) || PyExceptionClass_Check(o);
        if (class && add_class(d, o) < 0)
            return -1;
    }
    return 0;
}

void
job_launch(Job *j, const Frame *f)
{
    j->sched = f->sched;
    j->call = f->geo ? NULL : f;
    for (int i = 0; f->geo && i < SW_LEN(j->block); i++)
        j->block[i] = (int32_t)f->geo[3 + i];
}

/* Functions of the library that only types could ask for: methods of lists. False: there were
 * none. */
static bool
add_wanted(Job *j, int said)
{
    Program *p = j->in.prog;
    if (!p || (!p->wanted.n && !p->found && !p->asked && !p->family_asked) || PyErr_Occurred() ||
        !own_choose(&j->in))
        return false;
    for (int i = 0; i < p->families.n; i++)
        if (p->families.at[i].cls && add_class(j->d, p->families.at[i].cls->ref) < 0)
            return false;
    if (p->found)
        memcpy(j->types, p->found, sizeof *j->types * (size_t)j->n);
    p->found = NULL;
    for (int i = 0; i < p->wanted.n; i++)
        if (!in_wanted(&j->in, p->wanted.at[i]))
            return false;
    p->wanted.n = 0;
    j->cx.diags.list.n = said;
    free(j->out.error);
    free(j->out.error_class);
    return true;
}

static void
job_compile(Job *j)
{
    SwRequest rq = {.prog = j->in.prog, .n_args = j->n, .args = j->types, .opt = j->d->opt};
    rq.keep_text = j->keep_text;
    rq.no_code = j->no_code;
    rq.use_cache = j->d->use_cache && !j->keep_text && !j->no_code && !getenv("SWATHE_DUMP");
    memcpy(rq.opt.block, j->block, sizeof j->block);
    int n_slots = j->call ? (int)(j->call->slot - j->call->slots) : 0;
    if (j->call)
        rq.likely = rt_likely(&j->cx, j->n, j->types, j->call->slots, n_slots);
    rq.n_likely = rq.likely ? n_slots : 0;
    j->cx.opt = &rq.opt;
    sched_take(&j->cx, j->sched ? j->sched : j->d->sched, &rq);
    if (!thread_info.stack_limit)
        thread_info_fill();
    rq.main_thread = thread_info.is_main;
    rq.stack_limit = thread_info.stack_limit;
    signal_watch();
    SwIrText ir = {.ret = j->ret, .done = j->d->ir_done};
    if (j->d->ir)
        ir.text = PyUnicode_AsUTF8(j->d->ir);
    int said = j->cx.diags.list.n;
    do {
        Py_BEGIN_ALLOW_THREADS lock_compiler();
        rt_compile_ir(&j->cx, &rq, ir.text ? &ir : NULL, &j->out);
        unlock_compiler();
        Py_END_ALLOW_THREADS
    } while (add_wanted(j, said));
    j->d->want_objects |= j->in.prog && j->in.prog->want_objects;
}

/* A program that is only a name, for IR text; its result's type is in the signature. */
static int
name_only(Job *j)
{
    Arena *a = &j->cx.arena;
    FuncDef *f = j->in.prog->root = NEW(a, FuncDef);
    const char *sig = PyUnicode_AsUTF8(PyList_GET_ITEM(j->d->sigs, 0)), *why = NULL;
    f->name = in_sym(&j->in, ((PyFunctionObject *)j->d->func)->func_name);
    f->qualname = f->name;
    f->body = ast_new(a, f, N_Block, f->at, 0);
    size_t n;
    const char *params = sig ? own_params(sig, &n) : NULL;
    char *ret = params ? arena_printf(a, "%.*s", (int)(params - 1 - sig), sig) : NULL;
    j->ret = ret ? type_parse(j->cx.types, ret, &why) : NULL;
    if (!j->ret && !PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "bad signature '%s': %s", sig ? sig : "?",
                     why ? why : "it is not of the form 'result(argument, ...)'");
    return j->ret ? 0 : -1;
}

/* A signal's handler has raised while it was compiled; it may have come to an end all the same. */
static int
job_interrupted(Job *j)
{
    if (j->out.fn)
        rt_release(j->out.fn);
    free(j->out.error);
    free(j->out.error_class);
    j->out.fn = NULL;
    j->out.error = j->out.error_class = NULL;
    return -1;
}

/* From one call to the next: what goes on with a generator, or calls a function that was returned
 * (swathe/_yielding.py). */
static bool
keeps_what_it_met(const Dispatcher *d)
{
    return PyObject_HasAttrString(d->func, "_swathe_keeps");
}

/* Containers from outside, as arguments behind the others. -1 without an exception: the call is
 * made again, with them. */
static int
job_outer(Job *j, bool call)
{
    Dispatcher *d = j->d;
    bool more = j->in.new_outer;
    if (more && keeps_what_it_met(d)) {
        const OuterName *o = &j->in.outer.at[0];
        PyErr_Format(PyExc_TypeError,
                     "%U(): a generator, or a function that was returned to Python, can't keep "
                     "'%S', which is outside "
                     "of it and may change: give it a tuple or an array",
                     ((PyFunctionObject *)d->func)->func_name, o->key);
        return -1;
    }
    if (more && outer_take(&d->outer, &j->in) < 0)
        return -1;
    if (call && (more || j->n != d->n_params + d->outer.n))
        return -1;
    if (j->n == d->n_params && !d->ir) {
        int n = in_outer_types(&j->in, j->types + j->n);
        if (n < 0)
            return -1;
        j->n += n;
    }
    return 0;
}

/* May a value of this type be one of those constants, or a part of one? */
static bool
may_be_constant(const Type *t, unsigned kinds)
{
    if (t->kind == TY_KEYED)
        return kinds & MAY_DICT;
    if (t->kind == TY_TUPLE && t->listed && kinds & (MAY_LIST | MAY_DICT))
        return true;
    if (t->kind == TY_ARRAY && kinds & (MAY_ARRAY | MAY_DICT) &&
        (t->readonly == RO_OWNER || t->readonly == RO_PERHAPS))
        return true;
    bool any = false;
    for (int i = 0; i < t->n && t->elems && !any; i++)
        any = may_be_constant(t->elems[i], kinds);
    return any;
}

/* What is returned may be a container from outside, and the constant that it is in the code is
 * another object: as if this did not compile. */
static void
refuse_to_lend(Job *j)
{
    const Dispatcher *d = j->d;
    if (!j->out.fn || d->all_outer || d->no_all_outer ||
        !may_be_constant(j->out.fn->ret, j->in.may_outer) || keeps_what_it_met(d))
        return;
    job_interrupted(j);
    j->lends = true;
    j->out.error = strdup("a container from outside is returned");
    j->out.error_class = strdup("TypingError");
}

/* Parses, types, compiles. The lock is held. -1: Python exception. */
int
job_run(Job *j, Dispatcher *d, PyObject *const *args, int n, JobTypes more, const void *arg)
{
    j->d = d;
    cx_init(&j->cx);
    in_init(&j->in, d->st, &j->cx, &j->deps);
    j->in.all_elements = d->all_elements;
    j->in.mixed = d->mixed;
    j->in.rows = d;
    j->in.dict_objects = d->dict_objects;
    j->in.known = d->known;
    j->types = NEW_N(&j->cx.arena, const Type *, n + 65);
    j->n = n;
    in_outer_begin(&j->in, d);
    int r = d->ir ? name_only(j) : in_program(&j->in, d->func, args, n, j->types);
    if (r == 0 && j->in.prog)
        j->in.prog->dict_objects = d->dict_objects;
    bool call = !more && !d->ir && !j->keep_text && !j->no_code;
    for (int i = 0; r == 0 && call && i < n && i < 64 && i < j->in.prog->root->n_params; i++)
        if (PyUnicode_CheckExact(args[i]) && !((d->known | d->by_value) >> i & 1) &&
            text_is_option(j->in.prog->root, j->in.prog->root->params[i].name)) {
            d->known |= (uint64_t)1 << i;
            r = -1; /* without an exception: the call is made again */
        }
    if (r == 0 && more)
        r = more(j, arg);
    if (r == 0)
        r = job_outer(j, call);
    if (r == 0) {
        r = remember(d, &j->in, args, n);
        deps_merge(&d->deps, &j->deps);
    }
    if (r == 0) {
        job_compile(j);
        deps_merge_late(&d->deps, &j->deps);
    }
    if (r == 0 && call && j->in.new_outer && !PyErr_Occurred()) { /* of what types have asked for */
        outer_take(&d->outer, &j->in);
        return job_interrupted(j);
    }
    if (r == 0 && call && !PyErr_Occurred())
        refuse_to_lend(j);
    return r == 0 && PyErr_Occurred() ? job_interrupted(j) : r;
}

void
job_end(Job *j)
{
    for (int i = 0; i < SW_LEN(j->out.text); i++)
        free(j->out.text[i]);
    in_clear(&j->in);
    deps_clear(&j->deps);
    cx_free(&j->cx);
}

static void
account(Dispatcher *d, const SwFunction *fn)
{
    if (!fn)
        return;
    d->compiled += !fn->from_cache;
    d->cache_hits += fn->from_cache;
    d->compile_ms += fn->compile_ms;
}

/* Takes the result of a job into a new specialisation. */
Spec *
job_spec(Job *j, const uint64_t *codes, int n_codes)
{
    Spec *s = spec_new(codes, n_codes);
    if (!s) {
        if (j->out.fn)
            rt_release(j->out.fn);
        return NULL;
    }
    s->fn = j->out.fn;
    s->error = j->out.error;
    s->error_class = j->out.error_class;
    s->keep = Py_NewRef(j->in.keep);
    s->n_outer = j->in.outer.n;
    s->may_outer = j->in.may_outer != 0;
    s->lends = j->lends;
    s->sched = Py_XNewRef(j->sched);
    memcpy(s->block, j->block, sizeof s->block);
    if (!s->fn && !s->error)
        s->error = strdup("out of memory while compiling"); /* even for saying so */
    if (!s->fn && !s->error_class)
        s->error_class = strdup("MemoryError");
    account(j->d, s->fn);
    if (s->fn && s->fn->n_upcalls && !upcall_link(s->fn, j->in.upcalls)) {
        spec_release(s);
        return NULL;
    }
    return s;
}

/* With the values of these arguments in it, or, `but`: is another error told than one that wants
 * these? Nothing is kept. */
bool
spec_would_compile(Dispatcher *d, PyObject *const *args, int n, uint64_t known, unsigned but)
{
    Job *j = PyErr_Occurred() ? NULL : PyMem_Calloc(1, sizeof *j);
    uint64_t was = d->known;
    if (!j)
        return false;
    j->no_code = true;
    d->known = known;
    bool ok =
        job_run(j, d, args, n, NULL, NULL) == 0 && (!j->out.error || (but && !(j->cx.wants & but)));
    d->known = was;
    free(j->out.error);
    free(j->out.error_class);
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception))
        PyErr_Clear();
    job_end(j);
    PyMem_Free(j);
    return ok;
}

static Spec *
compile_args(Dispatcher *d, PyObject *const *args, int n, const Frame *f)
{
    int n_codes = (int)(f->code - f->codes);
    const uint64_t *codes = f->codes;
    if (!known_room(d, args, n, f->geo))
        return NULL;
    Job *j = PyMem_Calloc(1, sizeof *j);
    if (!j)
        return (Spec *)PyErr_NoMemory();
    unsigned drops = d->drops;
    job_launch(j, f);
    int r = job_run(j, d, args, n, NULL, NULL);
    if (r == 0 && j->out.error && j->cx.wants && !f->geo) {
        uint64_t known = known_find(d, args, n, !(j->cx.wants & WANT_NUMBER));
        d->known |= known;
        r = known || PyErr_Occurred() ? -1 : r; /* without an exception: the call is made again */
    }
    Spec *s = r == 0 ? job_spec(j, codes, n_codes) : NULL;
    if (s)
        s->of_values = (s->values = known_values(d, args, n));
    if (r < 0) {
        free(j->out.error);
        free(j->out.error_class);
    }
    bool transient =
        j->in.small_stack || (s && s->error_class && !strcmp(s->error_class, "MemoryError"));
    job_end(j);
    PyMem_Free(j);
    if (s && drops == d->drops && !transient)
        spec_insert(d, s);
    return s;
}

/* ---- look-up on a miss ----------------------------------------------------------------------- */

Spec *
spec_get(Dispatcher *d, PyObject *const *args, Py_ssize_t n, Frame *f)
{
    int n_codes = (int)(f->code - f->codes);
    if (lock_acquire(d) < 0)
        return NULL;
    Spec *s = spec_find(d, f->codes, n_codes); /* another thread may have made it */
    if (s) {
        s->refs++;
    } else {
        d->misses++;
        s = d->sigs ? signature_match(d, args, n, f) : compile_args(d, args, (int)n, f);
    }
    lock_release(d);
    return s;
}

/* ---- inspection ------------------------------------------------------------------------------ */

static const Type *
clone_member(Job *j, const Type *t)
{
    const Type *whole = type_scalar(j->cx.types, DT_i64, true);
    PyObject *cls = box_tuple_class(j->d, t);
    Sym name = intern(&j->cx.syms, t->names[0]);
    return cls && in_class(&j->in, cls) ? type_named_tuple(j->cx.types, 1, &whole, &name, cls,
                                                           ((PyTypeObject *)cls)->tp_name)
                                        : NULL;
}

static const Type *
clone_type(Job *j, const Type *t)
{
    TypeTable *tt = j->cx.types;
    const Type **e = NEW_N(&j->cx.arena, const Type *, t->n + 1);
    for (int i = 0; i < t->n; i++)
        if (!(e[i] = clone_type(j, t->elems[i])))
            return NULL;
    switch (t->kind) {
    case TY_NONE:
        return type_none(tt);
    case TY_SCALAR:
        if (type_is_int_member(t))
            return clone_member(j, t);
        return type_scalar(tt, (DType)t->dtype, t->weak);
    case TY_ARRAY:
        return type_array(tt, (DType)t->dtype, t->ndim, (Layout)t->layout, t->readonly);
    case TY_DTYPE:
        return type_dtype(tt, (DType)t->dtype, t->weak, t->readonly);
    case TY_REF:
        return type_heap(tt, t->ref, e);
    case TY_OBJ: {
        PyObject *cls = (PyObject *)(uintptr_t)type_class(t)->cls;
        if (!in_class(&j->in, cls))
            return NULL;
        const Const *c = map_get(&j->in.classes, cls);
        return c ? type_object(tt, c->obj) : NULL;
    }
    case TY_OPTIONAL:
        return type_optional(tt, e[1]);
    case TY_TEXT:
        return type_is_bytes(t) ? type_bytes(tt) : type_text(tt);
    case TY_TUPLE:
    case TY_KEYED:
    case TY_RECORD:
        break;
    default:
        return NULL;
    }
    if (!t->names)
        return type_tuple_as(tt, t, t->n, e);
    Sym *names = NEW_N(&j->cx.arena, Sym, t->n + 1);
    for (int i = 0; i < t->n; i++)
        names[i] = intern(&j->cx.syms, t->names[i]);
    PyObject *cls = t->kind == TY_TUPLE ? box_tuple_class(j->d, t) : NULL;
    if (cls && !in_class(&j->in, cls))
        return NULL;
    if (cls)
        return type_named_tuple(tt, t->n, e, names, cls, ((PyTypeObject *)cls)->tp_name);
    return type_with_elems(tt, t, t->ndim, e, names);
}

int
job_clone_types(Job *j, const void *arg)
{
    const SwFunction *fn = arg;
    for (int i = 0; i < fn->n_args && i < 64 && (j->d->sigs == NULL || i < j->d->n_params); i++) {
        const Type *t = clone_type(j, fn->args[i]);
        if (!t) {
            PyErr_Format(PyExc_NotImplementedError, "a specialisation for %s can't be inspected",
                         fn->args[i]->text);
            return -1;
        }
        j->types[j->n++] = t;
    }
    return 0;
}

/* IR says above it what compile_string must know. */
static PyObject *
text_with_header(Job *j, int which)
{
    const char *text = which >= 0 && j->out.text[which] ? j->out.text[which] : "";
    bool ir = which == 1 || which == 2;
    if (!ir || !j->out.fn)
        return PyUnicode_FromString(text);
    PyObject *sig = inspect_signature(j->out.fn, j->out.fn->n_args, NULL), *r = NULL;
    if (sig)
        r = PyUnicode_FromFormat("# swathe %s: %U\n%s", which == 1 ? "lower" : "ir", sig, text);
    Py_XDECREF(sig);
    return r;
}

static PyObject *
job_text(Dispatcher *d, PyObject *const *args, int n, JobTypes more, const void *arg,
         PyObject *sched, const int32_t *block, int which)
{
    Job *j = PyMem_Calloc(1, sizeof *j);
    if (!j || lock_acquire(d) < 0) {
        PyMem_Free(j);
        return NULL;
    }
    j->keep_text = which >= 0;
    j->no_code = which < 0;
    j->sched = sched;
    if (block)
        memcpy(j->block, block, sizeof j->block);
    int r = job_run(j, d, args, n, more, arg);
    PyObject *text = NULL;
    if (r == 0 && j->out.error)
        error_compile(d->st, j->out.error_class ? j->out.error_class : "MemoryError", j->out.error);
    else if (r == 0)
        text = text_with_header(j, which);
    if (j->out.fn)
        rt_release(j->out.fn);
    free(j->out.error);
    free(j->out.error_class);
    job_end(j);
    PyMem_Free(j);
    lock_release(d);
    return text;
}

PyObject *
spec_text(Dispatcher *d, Spec *s, int which)
{
    return job_text(d, NULL, 0, job_clone_types, s->fn, s->sched, s->block, which);
}

PyObject *
spec_text_for(Dispatcher *d, PyObject *const *args, int n, PyObject *sched, int which)
{
    return job_text(d, args, n, NULL, NULL, sched, NULL, which);
}
