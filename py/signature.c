/* SPDX-License-Identifier: BSD-3-Clause
 * Explicit signatures: which of them a call fits, and the code of each, which is compiled where the
 * function is decorated. A table maps the codes of arguments to one of those. */
#include "job.h"

static void
no_signature_fits(Dispatcher *d)
{
    PyObject *sep = PyUnicode_FromString("\n    ");
    PyObject *list = sep ? PyUnicode_Join(sep, d->sigs) : NULL;
    PyObject *c = error_class(d->st, "ArgumentTypeError");
    if (list)
        PyErr_Format(c, "%U(): no explicit signature takes these arguments; there are\n    %U",
                     ((PyFunctionObject *)d->func)->func_name, list);
    Py_DECREF(c);
    Py_XDECREF(sep);
    Py_XDECREF(list);
}

static int
compile_signatures(Dispatcher *d)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(d->sigs); i++)
        if (spec_add_signature(d, PyList_GET_ITEM(d->sigs, i)) < 0)
            return -1;
    return 0;
}

static bool
fits_cast(const Type *t, PyObject *o)
{
    PyObject *given = own_cast(t, o);
    bool ok = given && args_convert(NULL, t, given);
    Py_XDECREF(given);
    PyErr_Clear();
    return ok;
}

/* An array of which elements share memory is only read (see flags_of in args.c), though NumPy says
 * that it can be written: by a signature that doesn't say so, too. */
static bool
fits_to_read(const Type *t, PyObject *o)
{
    Type to_read = *t;
    to_read.readonly = RO_OWNER;
    return t->kind == TY_ARRAY && !t->readonly && PyArray_Check(o) &&
           PyArray_ISWRITEABLE((PyArrayObject *)o) && args_convert(NULL, &to_read, o);
}

/* How well a signature fits: 0 not at all, 1 by Numba's casts, 2 by conversion, 3 as it is. Those
 * arguments that are only read are in *read. */
static int
fit(const Dispatcher *d, const Spec *s, PyObject *const *args, Py_ssize_t n, uint64_t *read)
{
    *read = 0;
    if (!s->fn || s->fn->n_args - s->n_outer != n)
        return 0;
    int r = 3;
    for (Py_ssize_t i = 0; i < n; i++) {
        const Type *t = s->fn->args[i];
        int one = args_convert(NULL, t, args[i]) ? 2 + args_same_slots(t, args[i]) : 0;
        if (!one && i < 64 && fits_to_read(t, args[i])) {
            *read |= (uint64_t)1 << i;
            one = 2;
        }
        one = !one && d->opt.numba_casts ? fits_cast(t, args[i]) : one;
        r = one < r ? one : r;
    }
    return r;
}

typedef struct Reading {
    const SwFunction *fn;
    uint64_t read;
} Reading;

static int
types_to_read(Job *j, const void *arg)
{
    const Reading *r = arg;
    if (job_clone_types(j, r->fn) < 0)
        return -1;
    for (int i = 0; i < j->n && i < 64; i++) {
        const Type *t = j->types[i];
        if (r->read >> i & 1)
            j->types[i] =
                type_array(j->cx.types, (DType)t->dtype, t->ndim, (Layout)t->layout, RO_OWNER);
    }
    return 0;
}

/* An explicit signature compiled for a schedule, a launch, what is outside, or only read. */
static Spec *
compiled_anew(Dispatcher *d, const Spec *best, uint64_t read, const Frame *f)
{
    Reading how = {best->fn, read};
    Job *j = PyMem_Calloc(1, sizeof *j);
    if (!j)
        return (Spec *)PyErr_NoMemory();
    job_launch(j, f);
    int r = job_run(j, d, NULL, 0, types_to_read, &how);
    Spec *s = r == 0 ? job_spec(j, f->codes, (int)(f->code - f->codes)) : NULL;
    job_end(j);
    PyMem_Free(j);
    if (s && s->fn && !read && strcmp(s->fn->ret->text, best->fn->ret->text) != 0) {
        PyErr_Format(PyExc_TypeError, "%U() is declared to return %s, and would return %s",
                     ((PyFunctionObject *)d->func)->func_name, best->fn->ret->text,
                     s->fn->ret->text);
        spec_release(s);
        return NULL;
    }
    return s;
}

Spec *
signature_match(Dispatcher *d, PyObject *const *args, Py_ssize_t n, const Frame *f)
{
    const uint64_t *codes = f->codes;
    int n_codes = (int)(f->code - f->codes);
    if (d->n_by_sig == 0 && compile_signatures(d) < 0)
        return NULL;
    Spec *best = NULL;
    int how = 0;
    uint64_t read = 0, some;
    for (int i = 0; i < d->n_by_sig; i++) {
        int k = fit(d, d->by_sig[i], args, n - d->outer.n, &some);
        if (k > how) {
            how = k;
            read = some;
            best = d->by_sig[i];
        }
    }
    if (!best) {
        no_signature_fits(d);
        return NULL;
    }
    bool anew = f->sched || f->geo || d->outer.n || read;
    Spec *s = anew ? compiled_anew(d, best, read, f) : spec_new(codes, n_codes);
    if (!s)
        return NULL;
    if (!anew) {
        __atomic_add_fetch(&best->fn->refs, 1, __ATOMIC_RELAXED);
        s->fn = best->fn;
        s->of_signature = true;
        s->keep = Py_XNewRef(best->keep);
        s->n_outer = best->n_outer;
    }
    s->convert = how < 3;
    s->casts = how == 1;
    s->cast = best->cast;
    spec_insert(d, s);
    return s;
}

static int
bad_signature(const char *text, const char *why)
{
    PyErr_Format(PyExc_TypeError, "bad signature '%s': %s", text, why);
    return -1;
}

static int
parse_types(Job *j, const void *arg)
{
    const char *text = arg;
    Signature sig;
    const char *why = own_signature(&j->cx, text, &sig);
    if (why)
        return bad_signature(text, why);
    for (int i = 0; i < sig.n; i++)
        j->types[j->n++] = sig.params[i];
    if (j->n != j->d->n_params) {
        PyErr_Format(PyExc_TypeError, "signature '%s' has %d argument%s, but %U() takes %d", text,
                     j->n, j->n == 1 ? "" : "s", ((PyFunctionObject *)j->d->func)->func_name,
                     j->d->n_params);
        return -1;
    }
    return 0;
}

/* Is what the signature names what the function returns, in all parts? Only a number is converted;
 * with Numba's casts a number in a tuple may stay one of fewer bits. */
static bool
same_result(const Type *want, const Type *have, bool casts)
{
    bool same = want->kind == have->kind && want->n == have->n;
    if (casts && want->kind == TY_OPTIONAL && have->kind != TY_OPTIONAL)
        return have->kind == TY_NONE || same_result(want->elems[1], have, casts);
    if (same && casts && want->kind == TY_SCALAR)
        return dtype_can_cast_safely((DType)have->dtype, (DType)want->dtype);
    if (same && (want->kind == TY_SCALAR || want->kind == TY_ARRAY))
        same = want->dtype == have->dtype && want->ndim == have->ndim;
    for (int i = 0; same && want->elems && have->elems && i < want->n; i++)
        same = same_result(want->elems[i], have->elems[i], casts);
    return same;
}

/* The result type that the text names before its parameters: the function's result must
 * be that, or a number that NumPy would cast to it. */
static int
check_result(Job *j, const char *text, Spec *s)
{
    size_t n;
    const char *why = NULL, *params = own_params(text, &n);
    char *name = arena_printf(&j->cx.arena, "%.*s", (int)(params - 1 - text), text);
    const Type *have = s->fn->ret;
    if (name[strspn(name, " ")] == 0)
        return 0;
    const Type *want = type_parse(j->cx.types, name, &why);
    if (!want)
        return bad_signature(text, why ? why : "its result's type is not known");
    bool number = want->kind == TY_SCALAR && have->kind == TY_SCALAR;
    bool same = number || same_result(want, have, j->d->opt.numba_casts);
    if (number && want->dtype != have->dtype) {
        same = dtype_can_cast_same_kind((DType)have->dtype, (DType)want->dtype) ||
               (j->d->opt.numba_casts &&
                dtype_is_complex((DType)want->dtype) >= dtype_is_complex((DType)have->dtype));
        PyArray_Descr *d = same ? descr_of_dtype((DType)want->dtype) : NULL;
        s->cast = d ? d->typeobj : NULL; /* NumPy's own types never die */
        Py_XDECREF(d);
    }
    if (same)
        return 0;
    PyErr_Format(PyExc_TypeError, "signature '%s' says that %U() returns %s, but it returns %s",
                 text, ((PyFunctionObject *)j->d->func)->func_name, want->text, have->text);
    return -1;
}

static int
push_signature(Dispatcher *d, Spec *s)
{
    Spec **v = PyMem_Realloc(d->by_sig, sizeof *v * (size_t)(d->n_by_sig + 1));
    if (!v) {
        PyErr_NoMemory();
        return -1;
    }
    d->by_sig = v;
    v[d->n_by_sig++] = s;
    s->of_signature = true;
    return 0;
}

int
spec_add_signature(Dispatcher *d, PyObject *sig)
{
    const char *text = PyUnicode_AsUTF8(sig);
    Job *j = text ? PyMem_Calloc(1, sizeof *j) : NULL;
    if (!j)
        return -1;
    int r = job_run(j, d, NULL, 0, parse_types, text);
    Spec *s = r == 0 ? job_spec(j, NULL, 0) : NULL;
    if (s && s->fn && check_result(j, text, s) < 0) {
        spec_release(s);
        s = NULL;
    }
    job_end(j);
    PyMem_Free(j);
    if (!s)
        return -1;
    if (!s->fn) {
        error_compile(d->st, s->error_class, s->error);
        spec_release(s);
        return -1;
    }
    return push_signature(d, s);
}
