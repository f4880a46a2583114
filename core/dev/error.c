/* SPDX-License-Identifier: BSD-3-Clause
 * How the drivers' interfaces record what went wrong. */
#include "dev/dev.h"

#include <stdio.h>

bool
dev_fail(DevError *e, DevStatus s, int code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    e->status = s;
    e->code = code;
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    va_end(ap);
    return false;
}
