/* SPDX-License-Identifier: BSD-3-Clause
 * Runs a compilation that is not small on a thread of its own, with a stack for deeply nested
 * programs: our walks and LLVM's recurse as deep as the program nests, and an `elif` is one level
 * more. The caller waits, and lets signals be handled meanwhile; when a handler raises, it asks the
 * compilation to stop, which cx_poll does from then on. Without memory for a thread it runs on the
 * caller's stack. */
#include "rt/rt.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { STACK = 256 << 20, LOOK_MS = 20 };

typedef struct Deep {
    void (*fn)(void *);
    void *arg;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool done;
} Deep;

static void *
thread_main(void *arg)
{
    Deep *d = arg;
    d->fn(d->arg);
    pthread_mutex_lock(&d->lock);
    d->done = true;
    pthread_cond_signal(&d->ended);
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

static struct timespec
soon(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += LOOK_MS * 1000000l;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

/* With the lock held, which it gives up while a handler runs. */
static void
wait_for(Deep *d, volatile int32_t *stop)
{
    while (!d->done) {
        struct timespec t = soon();
        bool late = stop && pthread_cond_timedwait(&d->ended, &d->lock, &t) == ETIMEDOUT;
        if (!stop)
            pthread_cond_wait(&d->ended, &d->lock);
        if (!late || d->done || *stop || !rt_signal_hook)
            continue;
        pthread_mutex_unlock(&d->lock);
        int raised = rt_signal_hook();
        pthread_mutex_lock(&d->lock);
        if (raised)
            __atomic_store_n(stop, 1, __ATOMIC_RELAXED);
    }
}

/* Signals are for the threads of the program. */
static bool
start(Deep *d, pthread_t *thread)
{
    pthread_attr_t attr;
    sigset_t all, before;
    pthread_attr_init(&attr);
    bool ok = pthread_attr_setstacksize(&attr, STACK) == 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    ok = ok && pthread_create(thread, &attr, thread_main, d) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return ok;
}

void
rt_run_deep(void (*fn)(void *), void *arg, volatile int32_t *stop)
{
    Deep d = {.fn = fn, .arg = arg};
    pthread_t thread;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&d.lock, NULL);
    pthread_cond_init(&d.ended, &clock);
    if (start(&d, &thread)) {
        pthread_mutex_lock(&d.lock);
        wait_for(&d, stop);
        pthread_mutex_unlock(&d.lock);
        pthread_join(thread, NULL);
    } else {
        fn(arg);
    }
    pthread_cond_destroy(&d.ended);
    pthread_mutex_destroy(&d.lock);
    pthread_condattr_destroy(&clock);
}
