/* SPDX-License-Identifier: BSD-3-Clause
 * Notes accesses of parallel loops under debug. */
#include "pass/pass.h"

void
pass_race(PassCx *p)
{
    (void)p;
}
