/* SPDX-License-Identifier: BSD-3-Clause
 * The status that a process ends with. An error of a device's kernel that nobody has waited for is told of when Python
 * ends, or a queue goes: no code is left then that it could be raised in, and the status would say that all went well.
 * So a status of 0 becomes 1, at the very end: what else runs when a process ends, runs. */
#include "device.h"
#include <unistd.h>

static bool failed;

static void
end(int status)
{
    if (!failed || status)
        return;
    fflush(NULL);
    _exit(1);
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
    end(0); /* the status isn't known */
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
