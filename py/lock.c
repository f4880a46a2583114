/* SPDX-License-Identifier: BSD-3-Clause
 * One compile at a time for each dispatcher: two threads that want the same
 * specialisation make it once. Waiting is done without the GIL. After a fork, compiles
 * that other threads of the parent had begun will never end in the child: a generation
 * number tells those apart.
 *
 * Locks of Python's own (of modules that are imported, say) would stay taken in a child, too. So
 * os.fork() waits until no other thread compiles or imports for us, and these wait for a fork. */
#include "py.h"
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned fork_generation;

/* Readers compile, the writer forks. */
static pthread_rwlock_t compiling;

static void
init_compiling(void)
{
    pthread_rwlockattr_t a;
    pthread_rwlockattr_init(&a);
    pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&compiling, &a);
    pthread_rwlockattr_destroy(&a);
}

void
lock_compiler(void)
{
    pthread_rwlock_rdlock(&compiling);
}

void
unlock_compiler(void)
{
    pthread_rwlock_unlock(&compiling);
}

static void
before_fork(void)
{
    pthread_rwlock_wrlock(&compiling);
}

static void
after_fork_in_child(void)
{
    init_compiling();
    fork_generation++;
    pthread_mutex_init(&mutex, NULL);
    pthread_cond_init(&changed, NULL);
    signal_after_fork();
}

unsigned
lock_forks(void)
{
    return fork_generation;
}

/* ---- what os.fork() waits for ---------------------------------------------------------------- */

static int threads_inside, threads_forking; /* read and changed with the mutex */
static __thread int inside, forking;        /* how deep this thread is in either */

/* Whoever compiles may wait for something that the thread that forks has: not for ever, then. */
enum { FORK_WAITS = 10 }; /* seconds */

void
fork_hold(void)
{
    if (inside++ > 0)
        return;
    Py_BEGIN_ALLOW_THREADS pthread_mutex_lock(&mutex);
    while (threads_forking > forking)
        pthread_cond_wait(&changed, &mutex);
    threads_inside++;
    pthread_mutex_unlock(&mutex);
    Py_END_ALLOW_THREADS
}

void
fork_release(void)
{
    if (--inside > 0)
        return;
    pthread_mutex_lock(&mutex);
    threads_inside--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

PyObject *
late_import(const char *module)
{
    fork_hold();
    PyObject *m = PyImport_ImportModule(module);
    fork_release();
    return m;
}

PyObject *
late_call(const char *module, const char *name, PyObject *arg)
{
    fork_hold();
    PyObject *m = PyImport_ImportModule(module), *f = m ? PyObject_GetAttrString(m, name) : NULL;
    PyObject *r = f ? PyObject_CallFunctionObjArgs(f, arg, NULL) : NULL;
    fork_release();
    Py_XDECREF(m);
    Py_XDECREF(f);
    return r;
}

static PyObject *
begin_fork(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += FORK_WAITS;
    Py_BEGIN_ALLOW_THREADS pthread_mutex_lock(&mutex);
    threads_forking++;
    forking++;
    int r = 0;
    while (r == 0 && threads_inside > (inside > 0))
        r = pthread_cond_timedwait(&changed, &mutex, &end);
    pthread_mutex_unlock(&mutex);
    Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

static PyObject *
end_fork(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    pthread_mutex_lock(&mutex);
    threads_forking--;
    forking--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    Py_RETURN_NONE;
}

/* Only the thread that forked is there. */
static PyObject *
begin_child(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    threads_inside = inside > 0;
    threads_forking = forking = 0;
    Py_RETURN_NONE;
}

static PyMethodDef fork_hooks[] = {{"before", begin_fork, METH_NOARGS, NULL},
                                   {"after_in_parent", end_fork, METH_NOARGS, NULL},
                                   {"after_in_child", begin_child, METH_NOARGS, NULL}};

static int
watch_forks(void)
{
    PyObject *os = PyImport_ImportModule("os"), *by_name = PyDict_New(), *none = PyTuple_New(0);
    PyObject *add = os ? PyObject_GetAttrString(os, "register_at_fork") : NULL, *done = NULL;
    bool ok = add && by_name && none;
    for (int i = 0; ok && i < SW_LEN(fork_hooks); i++) {
        PyObject *hook = PyCFunction_New(&fork_hooks[i], NULL);
        ok = hook && PyDict_SetItemString(by_name, fork_hooks[i].ml_name, hook) == 0;
        Py_XDECREF(hook);
    }
    if (ok)
        done = PyObject_Call(add, none, by_name);
    Py_XDECREF(os);
    Py_XDECREF(by_name);
    Py_XDECREF(none);
    Py_XDECREF(add);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

int
lock_init(void)
{
    init_compiling();
    pthread_atfork(before_fork, unlock_compiler, after_fork_in_child);
    return watch_forks();
}

/* ---- one compile at a time for a dispatcher -------------------------------------------------- */

static bool
is_taken(const Dispatcher *d)
{
    return d->busy && d->busy_generation == fork_generation;
}

int
lock_acquire(Dispatcher *d)
{
    unsigned long me = PyThread_get_thread_ident();
    if (is_taken(d) && d->busy_thread == me) {
        PyErr_Format(PyExc_RuntimeError, "%U() was called while it is being compiled",
                     ((PyFunctionObject *)d->func)->func_name);
        return -1;
    }
    while (is_taken(d)) {
        Py_BEGIN_ALLOW_THREADS pthread_mutex_lock(&mutex);
        while (is_taken(d))
            pthread_cond_wait(&changed, &mutex);
        pthread_mutex_unlock(&mutex);
        Py_END_ALLOW_THREADS
    }
    pthread_mutex_lock(&mutex);
    d->busy = true;
    d->busy_thread = me;
    d->busy_generation = fork_generation;
    pthread_mutex_unlock(&mutex);
    fork_hold();
    return 0;
}

void
lock_release(Dispatcher *d)
{
    fork_release();
    pthread_mutex_lock(&mutex);
    d->busy = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}
