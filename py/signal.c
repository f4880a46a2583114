/* SPDX-License-Identifier: BSD-3-Clause
 * Ctrl-C and other signals, threads and fork. Compiled code polls rt_interrupt_flag; our handler
 * raises it and goes on to Python's own handler, so that Python learns of the signal as
 * ever. Python puts its handler on top of ours whenever someone calls signal.signal, so
 * calls look again, at most once a millisecond. Also what is known of the running thread:
 * whether it is the main one (only that may be interrupted) and where its stack ends. */
#include "py.h"
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__thread ThreadInfo thread_info __attribute__((tls_model("initial-exec")));

/* Signals for which Python may have a handler that raises; those of faults are not among them. What
 * is below our handler now, and was at the start. */
static const int watched[] = {SIGINT,  SIGALRM, SIGTERM, SIGHUP,   SIGUSR1,
                              SIGUSR2, SIGPROF, SIGXCPU, SIGVTALRM};
static struct sigaction chained[SW_LEN(watched)], first[SW_LEN(watched)];

static void
call_handler(const struct sigaction *h, int sig, siginfo_t *info, void *context)
{
    if (h->sa_flags & SA_SIGINFO)
        h->sa_sigaction(sig, info, context);
    else if (h->sa_handler != SIG_DFL && h->sa_handler != SIG_IGN)
        h->sa_handler(sig);
}

/* A handler that was put over ours may restore ours and raise the signal again, as LLVM's does in
 * an OpenCL driver: then it is the turn of the one that was there first, Python's. */
static void
on_signal(int sig, siginfo_t *info, void *context)
{
    static _Thread_local volatile sig_atomic_t inside;
    int i = 0;
    while (i + 1 < SW_LEN(watched) && watched[i] != sig)
        i++;
    rt_interrupt_flag = 1;
    if (inside >> i & 1) {
        call_handler(&first[i], sig, info, context);
        return;
    }
    inside |= 1 << i;
    call_handler(&chained[i], sig, info, context);
    inside &= ~(1 << i);
}

static void
put_on_top_of(int i)
{
    struct sigaction now;
    if (sigaction(watched[i], NULL, &now) < 0)
        return;
    bool ours = (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal;
    bool plain =
        !(now.sa_flags & SA_SIGINFO) && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN);
    if (ours || plain)
        return;
    if (!chained[i].sa_handler)
        first[i] = now;
    chained[i] = now;
    struct sigaction next = now;
    next.sa_flags |= SA_SIGINFO;
    next.sa_sigaction = on_signal;
    sigaction(watched[i], &next, NULL);
}

static void
put_on_top(void)
{
    for (int i = 0; i < SW_LEN(watched); i++)
        put_on_top_of(i);
}

void
signal_watch(void)
{
    static time_t sec;
    static long ms = -1;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    long now = t.tv_nsec / 1000000;
    if (now == ms && t.tv_sec == sec)
        return;
    ms = now;
    sec = t.tv_sec;
    put_on_top();
}

int
signal_entry(void)
{
    rt_interrupt_flag = 0;
    return PyErr_CheckSignals();
}

/* Called by compiled code when it sees the flag, without the GIL: runs Python's handlers,
 * and says whether to stop. A handler that returns lets the loop go on. */
static int
on_flag(void)
{
    PyGILState_STATE g = PyGILState_Ensure();
    int r = signal_entry();
    PyGILState_Release(g);
    return r;
}

/* print() of compiled code. Its errors go where those of destructors go. */
static void
on_write(const char *s, size_t n)
{
    PyGILState_STATE g = PyGILState_Ensure();
    PyObject *type, *value, *tb;
    PyErr_Fetch(&type, &value, &tb);
    PyObject *out = PySys_GetObject("stdout");
    PyObject *text = PyUnicode_DecodeUTF8(s, (Py_ssize_t)n, "replace");
    PyObject *r = NULL;
    if (out && out != Py_None && text)
        r = PyObject_CallMethod(out, "write", "O", text);
    if (PyErr_Occurred())
        PyErr_WriteUnraisable(out);
    Py_XDECREF(r);
    Py_XDECREF(text);
    PyErr_Restore(type, value, tb);
    PyGILState_Release(g);
}

/* ---- threads --------------------------------------------------------------------------------- */

void
thread_info_fill(void)
{
    thread_info.stack_limit = rt_stack_limit();
    thread_info.is_main = getpid() == (pid_t)syscall(SYS_gettid);
}

/* Called in a forked child by lock.c. */
void
signal_after_fork(void)
{
    thread_info.is_main = true;
}

int
signal_init(State *st)
{
    (void)st;
    static bool once;
    if (once)
        return 0;
    once = true;
    rt_write_hook = on_write;
    rt_signal_hook = on_flag;
    if (lock_init() < 0)
        return -1;
    thread_info_fill();
    if (thread_info.is_main)
        put_on_top();
    return 0;
}
