/* SPDX-License-Identifier: BSD-3-Clause
 * Looking at what was compiled: signatures, counts, remarks of the passes, and the texts
 * of each stage, for which the specialisation is compiled once more with its texts kept.
 */
#include "heap.h"

PyObject *
inspect_signature(const SwFunction *fn, int n_args, PyObject *values)
{
    StrBuf b = {0};
    sb_addf(&b, "%s(", fn->ret ? fn->ret->text : "none");
    for (int i = 0; i < n_args; i++) {
        PyObject *v = values ? PyTuple_GetItem(values, i) : NULL;
        const char *text = v && v != Py_None ? PyUnicode_AsUTF8(v) : NULL;
        sb_addf(&b, "%s%s", i ? ", " : "", text ? text : fn->args[i]->text);
    }
    sb_add(&b, ")");
    PyObject *s = PyUnicode_FromString(b.s);
    sb_free(&b);
    return s;
}

PyObject *
spec_signature(Spec *s)
{
    if (!s->sig) {
        s->sig = inspect_signature(s->fn, s->fn->n_args - s->n_outer, s->values);
        if (s->sig && s->sched)
            Py_SETREF(s->sig, sched_text(s->sig, s->sched));
    }
    return Py_XNewRef(s->sig);
}

typedef PyObject *(*OfSpec)(Dispatcher *d, Spec *s, int which);

/* Each specialisation that compiled, once: aliases of explicit signatures are left out.
 */
static Spec *
nth_spec(Dispatcher *d, int n)
{
    for (int i = 0; i < d->n_by_sig; i++)
        if (n-- == 0)
            return d->by_sig[i];
    for (int i = 0; i < SW_LEN(d->specs.bucket); i++)
        for (Spec *s = d->specs.bucket[i]; s; s = s->next)
            if (s->fn && !s->of_signature && n-- == 0)
                return s;
    return NULL;
}

static PyObject *
squeeze(PyObject *s)
{
    PyObject *space = PyUnicode_FromString(" "), *empty = PyUnicode_FromString("");
    PyObject *r = space && empty ? PyUnicode_Replace(s, space, empty, -1) : NULL;
    Py_XDECREF(space);
    Py_XDECREF(empty);
    return r;
}

/* Is `want`, as text, this signature, with or without its result type and spaces? */
static bool
is_signature(PyObject *have, PyObject *want)
{
    PyObject *h = squeeze(have), *w = squeeze(want);
    bool same = h && w && PyUnicode_Compare(h, w) == 0;
    if (h && w && !same)
        same = PyUnicode_Tailmatch(h, w, 0, PY_SSIZE_T_MAX, 1) == 1;
    PyErr_Clear();
    Py_XDECREF(h);
    Py_XDECREF(w);
    return same;
}

/* dict signature -> get(spec), or get() of the one that was asked for. */
static PyObject *
for_signatures(Dispatcher *d, PyObject *want, OfSpec get, int which)
{
    PyObject *all = PyDict_New(), *one = NULL;
    PyObject *text = want && want != Py_None ? PyObject_Str(want) : NULL;
    Spec *s;
    for (int i = 0; all && !one && (s = nth_spec(d, i)); i++) {
        PyObject *sig = spec_signature(s);
        s->refs++;
        PyObject *v = sig && (!text || is_signature(sig, text)) ? get(d, s, which) : NULL;
        spec_release(s);
        if (v && text)
            one = Py_NewRef(v);
        else if (v)
            PyDict_SetItem(all, sig, v);
        Py_XDECREF(v);
        Py_XDECREF(sig);
        if (PyErr_Occurred())
            Py_CLEAR(all);
    }
    if (all && text && !one)
        PyErr_Format(PyExc_KeyError, "no specialisation for %U", text);
    Py_XDECREF(text);
    if (text || !all) {
        Py_XDECREF(all);
        return one;
    }
    return all;
}

static PyObject *
inspect(PyObject *self, PyObject *args, int which)
{
    PyObject *want = NULL;
    if (!PyArg_ParseTuple(args, "|O", &want))
        return NULL;
    return for_signatures((Dispatcher *)self, want, spec_text, which);
}

PyObject *
inspect_types(PyObject *self, PyObject *args)
{
    return inspect(self, args, 0);
}

PyObject *
inspect_ir(PyObject *self, PyObject *args)
{
    return inspect(self, args, 2);
}

PyObject *
inspect_llvm(PyObject *self, PyObject *args)
{
    return inspect(self, args, 4);
}

PyObject *
inspect_asm(PyObject *self, PyObject *args)
{
    return inspect(self, args, 5);
}

static PyObject *
remarks_of(Dispatcher *d, Spec *s, int which)
{
    (void)d, (void)which;
    const char *text = s->fn->remarks ? s->fn->remarks : "";
    PyObject *lines = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    return Py_BuildValue("(OdN)", s->fn->from_cache ? Py_True : Py_False, s->fn->compile_ms, lines);
}

/* dict: signature to (from the cache?, milliseconds, remarks as rt.h has them) */
PyObject *
inspect_remarks(PyObject *self, PyObject *args)
{
    (void)args;
    return for_signatures((Dispatcher *)self, NULL, remarks_of, 0);
}

/* What is made of the remarks is written in Python: swathe/explain.py. */
static PyObject *
in_python(const char *name, PyObject *self, PyObject *args, PyObject *kw)
{
    PyObject *m = late_import("swathe.explain");
    PyObject *f = m ? PyObject_GetAttrString(m, name) : NULL, *first = PyTuple_Pack(1, self);
    PyObject *all = f && first ? PySequence_Concat(first, args) : NULL;
    PyObject *r = all ? PyObject_Call(f, all, kw) : NULL;
    Py_XDECREF(m);
    Py_XDECREF(f);
    Py_XDECREF(first);
    Py_XDECREF(all);
    return r;
}

PyObject *
inspect_explain(PyObject *self, PyObject *args, PyObject *kw)
{
    return in_python("explain", self, args, kw);
}

PyObject *
inspect_parallel(PyObject *self, PyObject *args, PyObject *kw)
{
    return in_python("parallel_diagnostics", self, args, kw);
}

/* ---- attributes ------------------------------------------------------------------------------ */

PyObject *
inspect_signatures(PyObject *self, void *closure)
{
    (void)closure;
    Dispatcher *d = (Dispatcher *)self;
    PyObject *list = PyList_New(0);
    Spec *s;
    for (int i = 0; list && (s = nth_spec(d, i)); i++) {
        PyObject *sig = spec_signature(s);
        if (!sig || PyList_Append(list, sig) < 0)
            Py_CLEAR(list);
        Py_XDECREF(sig);
    }
    return list;
}

static PyObject *
facts_of(Dispatcher *d, Spec *s, int which)
{
    (void)d, (void)which;
    return Py_BuildValue("{s:O,s:d,s:L}", "from_cache", s->fn->from_cache ? Py_True : Py_False,
                         "compile_ms", s->fn->compile_ms, "calls", (long long)s->hits);
}

PyObject *
inspect_overloads(PyObject *self, void *closure)
{
    (void)closure;
    return for_signatures((Dispatcher *)self, NULL, facts_of, 0);
}

PyObject *
inspect_stats(PyObject *self, void *closure)
{
    (void)closure;
    Dispatcher *d = (Dispatcher *)self;
    return Py_BuildValue("{s:i,s:L,s:L,s:L,s:d}", "specialisations", d->specs.n, "misses",
                         (long long)d->misses, "cache_hits", (long long)d->cache_hits, "compiled",
                         (long long)d->compiled, "compile_ms", d->compile_ms);
}

/* ---- the module's functions ------------------------------------------------------------------ */

static PyObject *
module_ast(PyObject *module, PyObject *func)
{
    State *st = state_of(module);
    PyObject *f = py_unwrap(st, func);
    if (!PyFunction_Check(f)) {
        PyErr_SetString(PyExc_TypeError, "expected a function");
        return NULL;
    }
    Cx cx;
    In in;
    Deps deps = {0};
    StrBuf b = {0};
    cx_init(&cx);
    in_init(&in, st, &cx, &deps);
    PyObject *r = NULL;
    if (in_program(&in, f, NULL, 0, NULL) == 0) {
        for (int i = 0; i < in.prog->funcs.n; i++)
            ast_print(in.prog->funcs.at[i], &b);
        diag_render(&cx.diags, &b);
        r = PyUnicode_FromString(b.s ? b.s : "");
    }
    sb_free(&b);
    in_clear(&in);
    cx_free(&cx);
    deps_clear(&deps);
    return r;
}

/* A name of what is allowed, or "fast" for all. */
static int
add_freedom(PyObject *name, int *out)
{
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    for (int i = 0; text && i < SW_LEN(fastmath_names); i++)
        if (!strcmp(text, fastmath_names[i]))
            return *out |= 1 << i, 0;
    if (text && !strcmp(text, "fast"))
        return *out |= FM_ALL, 0;
    if (!PyErr_Occurred())
        PyErr_Format(
            PyExc_ValueError,
            "fastmath: %R is none of 'reassoc', 'nnan', 'ninf', 'nsz', 'arcp', 'contract', "
            "'afn', 'fast'",
            name);
    return -1;
}

/* fastmath: True, False, or the names of what is allowed, in any iterable. */
static int
parse_fastmath(PyObject *o, int *out)
{
    if (PyUnicode_Check(o) || PyBytes_Check(o)) {
        PyErr_Format(PyExc_TypeError, "fastmath is a bool or a set of names, not %R", o);
        return -1;
    }
    PyObject *it = PyBool_Check(o) || PyLong_Check(o) || o == Py_None ? NULL : PyObject_GetIter(o),
             *name;
    *out = 0;
    if (!it && PyErr_Occurred())
        PyErr_Clear();
    if (!it) {
        int truth = PyObject_IsTrue(o);
        *out = truth > 0 ? FM_ALL : 0;
        return truth < 0 ? -1 : 0;
    }
    int bad = 0;
    while (!bad && (name = PyIter_Next(it))) {
        bad = add_freedom(name, out);
        Py_DECREF(name);
    }
    Py_DECREF(it);
    return bad || PyErr_Occurred() ? -1 : 0;
}

static int
parse_options(PyObject *kw, SwOptions *o, int *cache)
{
    static char *names[] = {"boundscheck",  "fastmath",    "debug", "parallel", "opt_level",
                            "contract",     "inline",      "cache", "kernel",   "link",
                            "numpy_errors", "numba_casts", NULL};
    int v[11] = {o->boundscheck, o->fastmath,     o->debug,      o->parallel,
                 o->opt_level,   o->contract,     o->inline_,    1,
                 o->kernel,      o->numpy_errors, o->numba_casts};
    o->python = PY_MINOR_VERSION;
    unsigned long long link = 0;
    PyObject *fast = Py_False;
    PyObject *none = PyTuple_New(0);
    int ok = none && PyArg_ParseTupleAndKeywords(none, kw, "|pOppipippKpp", names, &v[0], &fast,
                                                 &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[8],
                                                 &link, &v[9], &v[10]);
    Py_XDECREF(none);
    if (!ok || parse_fastmath(fast, &v[1]) < 0)
        return -1;
    const char *debug = getenv("SWATHE_DEBUG");
    o->boundscheck = (uint8_t)v[0];
    o->fastmath = (uint8_t)v[1];
    o->debug = v[2] || (debug && !strcmp(debug, "1"));
    o->parallel = (uint8_t)v[3];
    o->opt_level = (uint8_t)(v[4] < 0 ? 0 : v[4] > 3 ? 3 : v[4]);
    o->contract = (uint8_t)v[5];
    o->inline_ = (uint8_t)(v[6] >= INLINE_PAYS && v[6] <= INLINE_NEVER ? v[6] : INLINE_PAYS);
    *cache = v[7];
    o->kernel = v[8];
    o->numpy_errors = (uint8_t)v[9];
    o->numba_casts = (uint8_t)v[10];
    o->link = link;
    return 0;
}

/* The schedule of the decorator. */
static int
take_sched(Dispatcher *d, PyObject *opts)
{
    if (opts && opts != Py_None)
        d->sched = sched_key(d->st, opts);
    return opts && opts != Py_None && !d->sched ? -1 : 0;
}

/* dispatcher(func, signatures or None, opts or None, later=False, **options): signatures are
 * compiled at once, or with the code that calls the function. */
static PyObject *
module_dispatcher(PyObject *module, PyObject *args, PyObject *kw)
{
    PyObject *func, *sigs, *sched = NULL;
    SwOptions opt = options_default();
    int cache = 1, later = 0;
    if (!PyArg_ParseTuple(args, "O!O|Op", &PyFunction_Type, &func, &sigs, &sched, &later) ||
        parse_options(kw, &opt, &cache) < 0)
        return NULL;
    Dispatcher *d = dispatcher_new(state_of(module), func, &opt, cache);
    if (d && take_sched(d, sched) < 0)
        Py_CLEAR(d);
    if (d && sigs != Py_None) {
        d->sigs = PySequence_List(sigs);
        PyObject *r = !d->sigs ? NULL
                      : later  ? Py_NewRef(Py_None)
                               : PyObject_CallMethod((PyObject *)d, "recompile", NULL);
        if (!r)
            Py_CLEAR(d);
        Py_XDECREF(r);
    }
    return (PyObject *)d;
}

/* link_add(key, path or None, address): what linked functions are looked for in */
static PyObject *
module_link_add(PyObject *module, PyObject *args)
{
    const char *key, *path;
    unsigned long long at;
    (void)module;
    if (!PyArg_ParseTuple(args, "szK", &key, &path, &at))
        return NULL;
    if (!rt_link_add(key, path, (void *)(uintptr_t)at))
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

/* link_check(name, signature) -> (result's dtype or None, [(dtype, axes; -1: a number)]) */
static PyObject *
module_link_check(PyObject *module, PyObject *args)
{
    const char *name, *text, *why = "it is wrong";
    ForeignSig sig;
    Cx cx;
    if (!PyArg_ParseTuple(args, "ss", &name, &text))
        return NULL;
    cx_init(&cx);
    PyObject *r = NULL;
    if (type_parse_foreign(type_table(&cx.arena), &cx.arena, text, &sig, &why)) {
        PyObject *list = PyList_New(0);
        for (int i = 0; list && i < sig.n; i++) {
            const Type *p = sig.param[i];
            PyObject *one = Py_BuildValue("(si)", dtype_info[p->dtype].name,
                                          p->kind == TY_ARRAY ? p->ndim : -1);
            if (!one || PyList_Append(list, one) < 0)
                Py_CLEAR(list);
            Py_XDECREF(one);
        }
        if (list)
            r = Py_BuildValue(
                "(zN)", sig.ret->kind == TY_SCALAR ? dtype_info[sig.ret->dtype].name : NULL, list);
    } else {
        PyObject *c = error_class(state_of(module), "LinkError");
        PyErr_Format(c, "the signature '%s' of '%s': %s", text, name, why);
        Py_XDECREF(c);
    }
    cx_free(&cx);
    return r;
}

/* compiled_text(dispatcher, args, opts or None, which): nothing is run; below 0: nor is code made,
 * and no text */
static PyObject *
module_compiled_text(PyObject *module, PyObject *args)
{
    State *st = state_of(module);
    PyObject *f, *given, *opts, *sched = NULL, *r = NULL;
    int which;
    if (!PyArg_ParseTuple(args, "O!O!Oi", st->dispatcher_type, &f, &PyTuple_Type, &given, &opts,
                          &which))
        return NULL;
    Dispatcher *d = (Dispatcher *)f;
    if (opts != Py_None && !(sched = sched_intern(d, opts)))
        return NULL;
    PyObject *bound = dispatcher_bind(d, given), *views = NULL;
    if (bound)
        views = foreign_views(d, &PyTuple_GET_ITEM(bound, 0), PyTuple_GET_SIZE(bound));
    if (views)
        r = spec_text_for(d, &PyTuple_GET_ITEM(views, 0), (int)PyTuple_GET_SIZE(views), sched,
                          which);
    Py_XDECREF(views);
    Py_XDECREF(bound);
    return r;
}

/* from_ir(function, signature, text, done, **options): a dispatcher */
static PyObject *
module_from_ir(PyObject *module, PyObject *args, PyObject *kw)
{
    PyObject *func, *sig, *text;
    SwOptions opt = options_default();
    int cache = 0, done;
    if (!PyArg_ParseTuple(args, "O!UUp", &PyFunction_Type, &func, &sig, &text, &done) ||
        parse_options(kw, &opt, &cache) < 0)
        return NULL;
    Dispatcher *d = dispatcher_new(state_of(module), func, &opt, false);
    if (!d)
        return NULL;
    d->ir = Py_NewRef(text);
    d->ir_done = done;
    d->sigs = PyList_New(1);
    PyObject *r = NULL;
    if (d->sigs) {
        PyList_SET_ITEM(d->sigs, 0, Py_NewRef(sig));
        r = PyObject_CallMethod((PyObject *)d, "recompile", NULL);
    }
    if (!r)
        Py_CLEAR(d);
    Py_XDECREF(r);
    return (PyObject *)d;
}

/* The rows of def/remark.def, for explain. */
static PyObject *
module_remark_kinds(PyObject *module, PyObject *unused)
{
    PyObject *list = PyList_New(0);
    (void)module;
    (void)unused;
    for (int i = 0; list && i < REMARK_COUNT; i++) {
        const RemarkInfo *k = &remark_info[i];
        PyObject *row = Py_BuildValue("(ssssi)", k->pass, k->what, k->kind,
                                      *k->margin ? k->margin : k->what, k->level);
        if (!row || PyList_Append(list, row) < 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *
module_cache_info(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    CacheStats *s = PyMem_Calloc(1, sizeof *s);
    if (!s)
        return PyErr_NoMemory();
    cache_stats(s);
    PyObject *r =
        Py_BuildValue("{s:s,s:L,s:L,s:L,s:L,s:L}", "dir", s->dir, "files", (long long)s->files,
                      "bytes", (long long)s->bytes, "hits", (long long)s->hits, "misses",
                      (long long)s->misses, "errors", (long long)s->errors);
    PyMem_Free(s);
    return r;
}

static PyObject *
module_cache_clear(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromLong(cache_clear());
}

static PyObject *
module_objects_forget(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    object_unsaid();
    Py_RETURN_NONE;
}

/* How many objects have gone that led to each other alone. */
static PyObject *
module_collect(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyLong_FromLongLong(rt_running ? 0 : (long long)rt_circles_collect());
}

static PyObject *
module_live(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    Dev *dev = dev_cpu();
    return Py_BuildValue("{s:L,s:L,s:n,s:n}", "functions", (long long)rt_live_functions(), "faults",
                         (long long)(rt_live_faults() + kept_live()), "bytes",
                         (Py_ssize_t)dev->live_bytes(dev), "cached",
                         (Py_ssize_t)dev->cached_bytes(dev));
}

static PyObject *
module_units(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    UnitStats s = unit_stats();
    StrBuf keys = {0};
    unit_keys(&keys);
    PyObject *text = PyUnicode_FromString(keys.s ? keys.s : ""),
             *list = text ? PyUnicode_Split(text, NULL, -1) : NULL;
    sb_free(&keys);
    Py_XDECREF(text);
    return list ? Py_BuildValue("{s:L,s:L,s:L,s:L,s:O,s:N}", "live", (long long)s.live, "compiled",
                                (long long)s.compiled, "cached", (long long)s.cached, "built",
                                (long long)s.built, "baseline", s.baseline ? Py_True : Py_False,
                                "keys", list)
                : NULL;
}

static PyObject *
module_trim(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    Dev *dev = dev_cpu();
    dev->trim(dev);
    Py_RETURN_NONE;
}

static PyObject *
module_type_text(PyObject *module, PyObject *text)
{
    (void)module;
    const char *s = PyUnicode_Check(text) ? PyUnicode_AsUTF8(text) : NULL, *why = NULL;
    if (!s) {
        PyErr_SetString(PyExc_TypeError, "expected a str");
        return NULL;
    }
    Arena a;
    jmp_buf oom;
    arena_init(&a);
    a.oom = &oom;
    PyObject *r = NULL;
    if (setjmp(oom)) {
        PyErr_NoMemory();
    } else {
        const Type *t = type_parse(type_table(&a), s, &why);
        if (t)
            r = PyUnicode_FromString(t->text);
        else
            PyErr_Format(PyExc_TypeError, "bad type '%s': %s", s, why ? why : "unknown");
    }
    arena_free(&a);
    return r;
}

PyMethodDef module_methods[] = {
    {"dispatcher", (PyCFunction)(void (*)(void))module_dispatcher, METH_VARARGS | METH_KEYWORDS,
     "dispatcher(func, signatures, **options)"},
    {"link_check", module_link_check, METH_VARARGS,
     "link_check(name, signature) -> (result, parameters)"},
    {"link_add", module_link_add, METH_VARARGS, "link_add(key, path or None, address)"},
    {"compiled_text", module_compiled_text, METH_VARARGS,
     "compiled_text(dispatcher, args, opts, which)"},
    {"from_ir", (PyCFunction)(void (*)(void))module_from_ir, METH_VARARGS | METH_KEYWORDS,
     "from_ir(function, signature, text, done, **options)"},
    {"_ast", module_ast, METH_O, "the syntax trees of a function and of what it calls"},
    {"remark_kinds", module_remark_kinds, METH_NOARGS,
     "remark_kinds() -> [(pass, what, kind, margin, level)]"},
    {"cache_info", module_cache_info, METH_NOARGS, "facts about the disk cache"},
    {"cache_clear", module_cache_clear, METH_NOARGS, "empty the disk cache: files removed"},
    {"collect", module_collect, METH_NOARGS, "let go of objects that lead to each other alone"},
    {"objects_forget", module_objects_forget, METH_NOARGS, "what was said of plain classes"},
    {"object_facts", object_facts, METH_VARARGS, "what all objects hold that one leads to"},
    {"live", module_live, METH_NOARGS, "what is alive now, for leak tests"},
    {"units", module_units, METH_NOARGS,
     "how many units of the library are loaded, and where they came from"},
    {"trim", module_trim, METH_NOARGS, "give cached memory back to the system"},
    {"take_any_arrays", own_take_any_arrays, METH_O,
     "take_any_arrays(bool): are classes derived from ndarray taken whatever they redefine?"},
    {"type_text", module_type_text, METH_O, "a type's canonical spelling"},
    {"set_num_threads", threads_set, METH_O,
     "set_num_threads(n, /)\n--\n\nLet parallel loops that this thread starts use n "
     "threads, from 1 to as many as there\nwere at first (get_num_threads()). Other threads "
     "have settings of their own.\n\nRaises ValueError for a number outside that range, "
     "TypeError for what is no int."},
    {"get_num_threads", threads_get, METH_NOARGS,
     "get_num_threads()\n--\n\nHow many threads a parallel loop that this thread starts may "
     "use: at first\nSWATHE_NUM_THREADS, or as many as the process has processors."},
    {"get_thread_id", threads_number, METH_NOARGS,
     "get_thread_id()\n--\n\nThe number of the thread that runs an iteration of a parallel "
     "loop, from 0 to\nget_num_threads() - 1; 0 outside of one."},
    {"set_parallel_chunksize", threads_set_chunksize, METH_O,
     "set_parallel_chunksize(n, /)\n--\n\nSet this thread's chunk size and return the one "
     "before; 0 is automatic. It is kept\nfor programs written for Numba and changes "
     "nothing: chunks depend on the size of\na loop alone, so that a reduction has the same "
     "bits at any number of threads."},
    {"get_parallel_chunksize", threads_get_chunksize, METH_NOARGS,
     "get_parallel_chunksize()\n--\n\nWhat set_parallel_chunksize was given, 0 at first."},
    {"_promote", debug_promote, METH_VARARGS, "For the tests: how two dtypes promote and cast."},
    {"_ufunc_types", debug_ufunc_types, METH_VARARGS, "For the tests: the dtypes a ufunc yields."},
    {"_ufuncs", debug_ufuncs, METH_NOARGS, "For the tests: the ufuncs and their operand counts."},
    {NULL, NULL, 0, NULL},
};
