/* SPDX-License-Identifier: BSD-3-Clause
 * A call of what @jit has made, with an object for each parameter. It is the hot path of the
 * whole project: take the arguments' codes and slots, compare the codes with those of the
 * last call, run, box. Nothing is allocated but the result. What does not compile as it is
 * may do so in another way, in which the call is made again. */
#include "context.h"
#include "py.h"

/* ---- running --------------------------------------------------------------------------------- */

static int
run_released(SwFunction *fn, SwCtx *cx, const uint64_t *args, uint64_t *ret, bool typed)
{
    if (thread_info.is_main)
        signal_watch();
    PyThreadState *ts = PyEval_SaveThread();
    if (SW_UNLIKELY(cx->caller != NULL))
        ((Frame *)cx->caller)->ts = ts;
    if (SW_UNLIKELY(typed))
        typed_enter();
    int r = fn->entry(cx, args, ret);
    PyEval_RestoreThread(ts);
    return r;
}

/* The device has failed, which is the exception: nobody gets the results. */
static PyObject *
lost_result(Dispatcher *d, SwFunction *fn, uint64_t *ret, Frame *f)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    Py_XDECREF(box_result(d, fn->ret, ret, f));
    PyErr_Restore(type, value, trace);
    return NULL;
}

static inline void
begin(Dispatcher *d, SwFunction *fn, Frame *f, SwCtx *cx)
{
    call_begin(cx, fn);
    if (SW_UNLIKELY(fn->n_upcalls)) {
        cx->caller = f;
        f->st = d->st;
        f->d = d;
    }
}

static inline PyObject *
run(Dispatcher *d, SwFunction *fn, Frame *f)
{
    uint64_t room[24], *ret = room;
    SwCtx cx;
    if (SW_UNLIKELY(!thread_info.stack_limit))
        thread_info_fill();
    if (SW_UNLIKELY(fn->ret_slots > SW_LEN(room))) {
        ret = PyMem_Calloc((size_t)fn->ret_slots, sizeof *ret);
        if (!ret)
            return PyErr_NoMemory();
    }
    begin(d, fn, f, &cx);
    if (SW_UNLIKELY(d->opt.offload) && offload_enter(d, fn, f, &cx) < 0) {
        if (ret != room)
            PyMem_Free(ret);
        return NULL;
    }
    bool keeps = SW_UNLIKELY(fn->instances || f->typed);
    if ((keeps && instance_enter(fn, f) < 0) ||
        (SW_UNLIKELY(f->n_lists) && heap_arguments(d, fn, f) < 0)) {
        if (keeps)
            instance_leave(f);
        if (cx.offload)
            offload_leave(d, &cx, true);
        if (ret != room)
            PyMem_Free(ret);
        return NULL;
    }
    f->alone = !keeps && !fn->shows && !cx.offload;
    bool was_alone = dev_alone;
    dev_alone = f->alone;
    rt_running++;
    int bad = SW_LIKELY(fn->brief && !cx.offload && !f->typed)
                  ? fn->entry(&cx, f->slots, ret)
                  : run_released(fn, &cx, f->slots, ret, f->typed);
    dev_alone = was_alone;
    rt_running--;
    if (SW_UNLIKELY(__atomic_load_n(&rt_holds, __ATOMIC_RELAXED)))
        rt_hold_end(&cx);
    PyObject *r = NULL;
    bool lost = SW_UNLIKELY(cx.offload != NULL) && offload_leave(d, &cx, bad) < 0;
    if (SW_UNLIKELY(cx.shadow != NULL))
        rt_shadow_free(&cx);
    if (SW_UNLIKELY(cx.watch != NULL))
        rt_watch_free(&cx);
    if (SW_UNLIKELY(lost))
        r = bad ? NULL : lost_result(d, fn, ret, f);
    else if (SW_UNLIKELY(bad))
        error_run_time(d, fn, &cx.err);
    else if (fn->ret->kind == TY_SCALAR)
        r = box_number(d, fn->ret, ret);
    else
        r = box_result(d, fn->ret, ret, f);
    if (SW_UNLIKELY(bad))
        rt_error_drop(&cx.err);
    if (SW_UNLIKELY(f->held || f->sheets)) {
        if (heap_write_back(f) < 0 || ((fn->lasting || f->typed) && r && instance_kept(f) < 0))
            Py_CLEAR(r);
        heap_end(f);
    }
    if (SW_UNLIKELY(f->typed))
        typed_leave();
    if (keeps)
        instance_leave(f);
    if (SW_UNLIKELY(ret != room))
        PyMem_Free(ret);
    if (SW_UNLIKELY(rt_has_circles && rt_running == 0))
        rt_circles_end();
    return r;
}

/* Arguments as an explicit signature wants them. */
static PyObject *
run_converted(Dispatcher *d, Spec *s, PyObject *const *args, Py_ssize_t n, const int64_t *geo)
{
    Frame f = {0};
    PyObject *r = NULL;
    if (args_room(&f, args, n, s->fn->arg_slots) < 0)
        return NULL;
    Py_ssize_t own = n - s->n_outer;
    for (Py_ssize_t i = 0; i < own; i++) {
        PyObject *given = s->casts ? own_cast(s->fn->args[i], args[i]) : Py_NewRef(args[i]);
        bool ok = given && args_convert(&f, s->fn->args[i], given);
        Py_XDECREF(given);
        if (!ok && PyErr_Occurred())
            goto done;
        if (!ok) {
            PyErr_Format(PyExc_TypeError, "%U(): argument %zd does not fit in %s",
                         ((PyFunctionObject *)d->func)->func_name, i + 1, s->fn->args[i]->text);
            goto done;
        }
    }
    for (Py_ssize_t i = own; i < n; i++)
        if (args_take_value(d, &f, args[i], i, 0))
            goto done;
    if ((f.geo = geo))
        kernel_push(&f);
    r = run(d, s->fn, &f);
done:
    PyMem_Free(f.heap);
    return r;
}

/* What a call has come to, while it is made in one way after the other. */
typedef struct Way {
    unsigned outer; /* which version of what is outside was given */
    bool raised;    /* an error of the compiler */
    Spec *failed;   /* whose it was the last time; a reference, or NULL */
    Spec *untried;  /* likewise of the first that may do without constants; a reference, or NULL */
    bool unfit;     /* the last one did not compile, or not for these arguments: */
    bool refused;
    bool mixed; /* what is outside holds values of one type and of another */
} Way;

static PyObject *
raise_spec(Way *w, Dispatcher *d, Spec *s)
{
    w->raised = true;
    s->refs++;
    if (w->failed)
        spec_release(w->failed);
    w->failed = s;
    if (s->may_outer && !w->untried) {
        s->refs++;
        w->untried = s;
    }
    error_compile(d->st, s->error_class, s->error);
    return NULL;
}

/* The last specialisation doesn't fit. NULL without an exception: arguments are to be taken anew.
 */
static Spec *
find_spec(Dispatcher *d, PyObject *const *args, Py_ssize_t n, Frame *f)
{
    Spec *s = spec_find(d, f->codes, (int)(f->code - f->codes));
    if (s) {
        s->refs++;
        d->last = s;
        return s;
    }
    if (f->n_lists && (f->mixed = heap_lists_mixed(d, f)))
        return NULL;
    s = spec_get(d, args, n, f);
    if (s && spec_find(d, f->codes, (int)(f->code - f->codes)) == s)
        d->last = s;
    return s;
}

static inline bool
fits_last(const Spec *s, const Frame *f)
{
    Py_ssize_t n = f->code - f->codes;
    if (SW_UNLIKELY(!s || s->n_codes != n))
        return false;
    for (Py_ssize_t i = 0; i < n; i++)
        if (s->codes[i] != f->codes[i])
            return false;
    return true;
}

static PyObject *call_foreign(Way *w, Dispatcher *d, PyObject *const *args, Py_ssize_t n,
                              PyObject *sched, const int64_t *geo);

static PyObject *call_taken(Way *w, Dispatcher *d, PyObject *const *args, Py_ssize_t n,
                            PyObject *sched, const int64_t *geo);

/* A call with strings has failed. Where it did not compile, the strings may have to be known. */
static PyObject *
strings_known(Way *w, Dispatcher *d, PyObject *const *args, Py_ssize_t n, PyObject *sched,
              const int64_t *geo, bool compiled)
{
    PyObject *type, *value, *trace;
    uint64_t mask = 0;
    d->ran = compiled;
    if (w->outer != d->outer.version) /* there is more: call_again */
        return NULL;
    if (!PyErr_Occurred()) /* some are options: see job_run; or decide types: known.c */
        return call_taken(w, d, args, n, sched, geo);
    for (Py_ssize_t i = 0; i < n && i < 64; i++)
        mask |= (uint64_t)(PyUnicode_CheckExact(args[i]) != 0) << i;
    mask &= ~(d->known | d->by_value);
    if (compiled || !mask)
        return NULL;
    PyErr_Fetch(&type, &value, &trace);
    d->known |= mask;
    d->ran = true;
    PyObject *r = call_taken(w, d, args, n, sched, geo);
    if (!r && !d->ran) { /* neither way: the first error says more */
        PyErr_Clear();
        PyErr_Restore(type, value, trace);
        d->known &= ~mask;
        return NULL;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return r;
}

/* The threads of a kernel have no lists, and known strings alone: whether more are known now. */
static bool
known_in_kernel(Dispatcher *d, PyObject *const *args, Py_ssize_t n)
{
    uint64_t was = d->known;
    if (heap_rows_known(d, args, n))
        return true;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (heap_class_of(args[i]) || typed_check(args[i])) {
            args_refuse(d, i, PyExc_TypeError,
                        "is a %s, and the threads of a kernel take arrays: np.array(x)",
                        Py_TYPE(args[i])->tp_name);
            return false;
        }
        if (PyUnicode_CheckExact(args[i]) && i < 64)
            d->known |= (uint64_t)1 << i;
    }
    if (d->known == was)
        PyErr_SetString(PyExc_TypeError, "a kernel can't be given a str inside a tuple");
    return d->known != was;
}

/* Calls with one object for each parameter, and for each container from outside. Each call comes
 * by here, so that call_values has it in line. */
static inline __attribute__((always_inline)) PyObject *
call_once(Way *w, Dispatcher *d, PyObject *const *args, Py_ssize_t n, PyObject *sched,
          const int64_t *geo)
{
    FrameRoom room;
    Frame f;
    PyObject *r = NULL;
    frame_init(&f, &room);
    int taken = args_take(d, &f, args, n);
    if (SW_UNLIKELY(taken < 0)) {
        PyMem_Free(f.heap);
        return taken == ARGS_FOREIGN ? call_foreign(w, d, args, n, sched, geo) : NULL;
    }
    if (sched)
        sched_push(&f, f.sched = sched);
    if (SW_UNLIKELY(geo && f.n_lists)) {
        PyMem_Free(f.heap);
        return known_in_kernel(d, args, n) ? call_taken(w, d, args, n, sched, geo) : NULL;
    }
    if (geo && (f.geo = geo))
        kernel_push(&f);
    Spec *s = d->last;
    if (SW_LIKELY(fits_last(s, &f)))
        s->refs++;
    else
        s = find_spec(d, args, n, &f);
    bool compiled = s && s->fn;
    if (SW_LIKELY(s != NULL)) {
        s->hits++;
        r = SW_UNLIKELY(!s->fn)       ? raise_spec(w, d, s)
            : SW_UNLIKELY(s->convert) ? run_converted(d, s, args, n, geo)
                                      : run(d, s->fn, &f);
        if (SW_UNLIKELY(s->cast != NULL) && r)
            Py_SETREF(r, PyObject_CallOneArg((PyObject *)s->cast, r));
        if (SW_UNLIKELY(--s->refs == 0)) {
            s->refs = 1;
            spec_release(s);
        }
    }
    if (SW_UNLIKELY(!compiled))
        d->ran = false;
    w->unfit = SW_UNLIKELY(!compiled || f.refused);
    w->refused = compiled && f.refused;
    bool again = SW_UNLIKELY(f.mixed);
    again = again || (SW_UNLIKELY(!r && d->want_objects && !compiled) && keyed_objects_wanted(d));
    again = again || (SW_UNLIKELY(f.n_lists && !r) && (!compiled || f.refused) &&
                      heap_lists_tell_more(d, &f));
    again = again || (SW_UNLIKELY(f.n_lists && !r) && !compiled && heap_rows_known(d, args, n));
    if (SW_UNLIKELY(f.heap != NULL))
        PyMem_Free(f.heap);
    if (SW_UNLIKELY(!r && !again && (f.n_lists || !PyErr_Occurred())))
        return strings_known(w, d, args, n, sched, geo, compiled);
    if (SW_LIKELY(!again))
        return r;
    PyErr_Clear();
    return call_taken(w, d, args, n, sched, geo);
}

static PyObject *
call_taken(Way *w, Dispatcher *d, PyObject *const *args, Py_ssize_t n, PyObject *sched,
           const int64_t *geo)
{
    return call_once(w, d, args, n, sched, geo);
}

static PyObject *
call_foreign(Way *w, Dispatcher *d, PyObject *const *args, Py_ssize_t n, PyObject *sched,
             const int64_t *geo)
{
    PyObject *views = foreign_changed(d, args, n);
    if (!views)
        return NULL;
    PyObject *before = record_call_begin(views);
    PyObject *r = call_taken(w, d, &PyTuple_GET_ITEM(views, 0), n, sched, geo);
    record_call_end(before);
    if (foreign_stored(views) < 0)
        Py_CLEAR(r);
    Py_DECREF(views);
    return r;
}

/* With what is outside now. */
static PyObject *
call_outer(Way *w, Dispatcher *d, PyObject *const *args, Py_ssize_t n, PyObject *sched,
           const int64_t *geo)
{
    PyObject *room[FRAME_CODES], **all = room, *r = NULL;
    OuterCall c;
    if (n + d->outer.n > SW_LEN(room) &&
        !(all = PyMem_Malloc(sizeof *all * (size_t)(n + d->outer.n))))
        return PyErr_NoMemory();
    memcpy(all, args, sizeof *all * (size_t)n);
    int bad = outer_begin(&d->outer, &c, all + n);
    if (bad > 0) { /* no containers any more */
        spec_drop_all(d);
        past_clear(d);
    }
    w->outer = d->outer.version;
    if (bad >= 0)
        r = call_taken(w, d, all, n + c.n, sched, geo);
    w->mixed = bad >= 0 && !r && w->unfit && heap_are_mixed(d, all + n, c.n);
    if (outer_end(&c, all + n) < 0)
        Py_CLEAR(r);
    if (all != room)
        PyMem_Free(all);
    return r;
}

static PyObject *
call_again(Way *w, Dispatcher *d, PyObject *const *args, Py_ssize_t n, PyObject *sched,
           const int64_t *geo)
{
    PyObject *r;
    do {
        r = call_outer(w, d, args, n, sched, geo);
    } while (!r && !PyErr_Occurred() && w->outer != d->outer.version);
    return r;
}

static void
swap_texts(Spec *a, Spec *b)
{
    char *error = a->error, *class = a->error_class;
    a->error = b->error;
    a->error_class = b->error_class;
    b->error = error;
    b->error_class = class;
}

/* They were to be arguments, as they have changed or are returned; but so it does not compile. */
static PyObject *
call_with_constants(Way *w, Dispatcher *d, PyObject *const *args, Py_ssize_t n, PyObject *sched,
                    const int64_t *geo)
{
    PyErr_Clear();
    spec_drop_all(d);
    past_clear(d);
    d->all_outer = d->outer_changes = false;
    d->no_all_outer = true;
    return call_again(w, d, args, n, sched, geo);
}

/* Lists, dicts and arrays from outside were constants, and so it does not compile. */
static PyObject *
call_with_all(Way *w, Dispatcher *d, PyObject *const *args, Py_ssize_t n, PyObject *sched,
              const int64_t *geo)
{
    PyErr_Clear();
    struct Past *as_constants = past_aside(d);
    w->raised = false;
    d->all_outer = true;
    PyObject *r = call_again(w, d, args, n, sched, geo);
    if (!r && w->raised && w->untried->lends) {
        past_drop(as_constants);
        return call_with_constants(w, d, args, n, sched, geo);
    }
    if (!r && w->raised) { /* neither way; this error tells of what they are */
        swap_texts(w->untried, w->failed);
        w->untried->may_outer = d->all_outer = false;
        past_restore(d, as_constants);
    } else {
        past_drop(as_constants);
    }
    return r;
}

/* It does not compile for these arguments: nor if their elements are of one type or another, and
 * dicts no values, or, where they were, if not? */
static PyObject *
call_mixed(Way *w, Dispatcher *d, PyObject *const *args, Py_ssize_t n, PyObject *sched,
           const int64_t *geo)
{
    PyObject *type, *value, *trace;
    bool refused = w->refused;
    PyErr_Fetch(&type, &value, &trace);
    if (!w->mixed && !heap_are_mixed(d, args, n)) {
        PyErr_Restore(type, value, trace);
        return NULL;
    }
    d->mixed = !d->mixed;
    PyObject *r = call_again(w, d, args, n, sched, geo);
    if (!r && !PyErr_Occurred()) /* it was to be made once more */
        r = call_again(w, d, args, n, sched, geo);
    bool unfit = !r && (w->unfit || !PyErr_Occurred());
    if (unfit) /* neither way */
        d->mixed = !d->mixed;
    if (unfit &&
        !(refused && !w->refused && PyErr_Occurred())) { /* what does not compile says more */
        PyErr_Clear();
        PyErr_Restore(type, value, trace);
        return NULL;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return r;
}

/* Calls with one object for each parameter. */
PyObject *
call_values(Dispatcher *d, PyObject *const *args, Py_ssize_t n, PyObject *sched, const int64_t *geo)
{
    Way w = {.outer = d->outer.version};
    if (SW_UNLIKELY(rt_interrupt_flag) && thread_info.is_main && signal_entry() < 0)
        return NULL;
    if (SW_UNLIKELY(deps_changed(&d->deps)))
        spec_refresh(d);
    PyObject *r = SW_LIKELY(!d->outer.n) ? call_once(&w, d, args, n, sched, geo)
                                         : call_outer(&w, d, args, n, sched, geo);
    if (SW_LIKELY(r != NULL))
        goto done;
    if (!PyErr_Occurred())
        r = call_again(&w, d, args, n, sched, geo);
    if (!r && w.raised && w.untried && !d->all_outer && PyErr_Occurred())
        r = call_with_all(&w, d, args, n, sched, geo);
    else if (!r && w.raised && d->outer_changes && PyErr_Occurred())
        r = call_with_constants(&w, d, args, n, sched, geo);
    if (!r && w.unfit && PyErr_Occurred())
        r = call_mixed(&w, d, args, n, sched, geo);
done:
    if (SW_UNLIKELY(w.untried != NULL))
        spec_release(w.untried);
    if (SW_UNLIKELY(w.failed != NULL))
        spec_release(w.failed);
    return r;
}
