/* SPDX-License-Identifier: BSD-3-Clause
 * The status that a process ends with. An error of a device's kernel that nobody has waited for is
 * told of when Python ends, or a queue goes: no code is left then that it could be raised in, and
 * the status would say that all went well. So a status of 0 becomes 1, at the very end: what else
 * runs when a process ends, runs. In a child of fork, the library of a driver that the parent has
 * opened would wait when it is unloaded, for threads that are the parent's only, and for ever
 * (Intel's OpenCL does): it isn't unloaded there. */
#include "device.h"
#include <unistd.h>

static bool failed;
static pid_t opened_by; /* the process that has opened a driver; 0: none has */

void
exit_opened(void)
{
    if (!opened_by)
        opened_by = getpid();
}

static void
end(int status)
{
    bool child = opened_by && opened_by != getpid(), unseen = failed && !status;
    if (!child && !unseen)
        return;
    fflush(NULL);
    _exit(unseen ? 1 : status);
}

#ifdef __GLIBC__
static void
at_end(int status, void *unused)
{
    (void)unused;
    end(status);
}
#else
static void
at_end(void)
{
    opened_by = 0; /* the status isn't known: it would be lost */
    end(0);
}
#endif

/* Early, since what comes first is run last. */
int
exit_init(void)
{
    static bool once;
    if (once)
        return 0;
    once = true;
#ifdef __GLIBC__
    return on_exit(at_end, NULL);
#else
    return atexit(at_end);
#endif
}

PyObject *
exit_fails(PyObject *module, PyObject *on)
{
    (void)module;
    int was = failed, now = PyObject_IsTrue(on);
    if (now < 0)
        return NULL;
    failed = now;
    return PyBool_FromLong(was);
}
