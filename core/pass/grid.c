/* SPDX-License-Identifier: BSD-3-Clause
 * Turns a kernel, which says what one thread does, into loops over the blocks of the grid and the
 * threads of each block. */
#include "pass/pass.h"

void
pass_grid(PassCx *p)
{
    (void)p;
}
