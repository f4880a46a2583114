/* SPDX-License-Identifier: BSD-3-Clause
 * One compile at a time for each dispatcher: two threads that want the same
 * specialisation make it once. Waiting is done without the GIL. After a fork, compiles
 * that other threads of the parent had begun will never end in the child: a generation
 * number tells those apart. */
#include "py.h"
#include <pthread.h>

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

void
lock_init(void)
{
    init_compiling();
    pthread_atfork(before_fork, unlock_compiler, after_fork_in_child);
}

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
    return 0;
}

void
lock_release(Dispatcher *d)
{
    pthread_mutex_lock(&mutex);
    d->busy = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}
