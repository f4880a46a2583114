/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of functions that use what only a kernel knows. */
#include "pass/grid.h"

bool
grid_inline(Grid *g)
{
    (void)g;
    return true;
}
