/* SPDX-License-Identifier: BSD-3-Clause
 * What compiled code is called with, for call.c and ufunc.c. */
#ifndef SWATHE_CONTEXT_H
#define SWATHE_CONTEXT_H

#include "py.h"

static inline void
call_begin(SwCtx *cx, SwFunction *fn)
{
    cx->poll = thread_info.is_main ? &rt_interrupt_flag : (volatile int32_t *)&rt_never;
    cx->stack_limit = thread_info.stack_limit;
    cx->err.site = cx->n_nest = 0;
    cx->err.context = cx->err.cause = NULL;
    cx->err.payload = NULL;
    cx->handled = NULL;
    cx->fn = fn;
    cx->worker = NULL;
    cx->caller = NULL;
    cx->alone = &dev_alone;
    cx->shadow = NULL;
    cx->watch = NULL;
    cx->offload = NULL;
}

#endif
