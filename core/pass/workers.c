/* SPDX-License-Identifier: BSD-3-Clause
 * Makes a function of a chunk of a parallel loop. */
#include "pass/pass.h"

void
pass_workers(PassCx *p)
{
    (void)p;
}
