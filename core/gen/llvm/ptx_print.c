/* SPDX-License-Identifier: BSD-3-Clause */
#include "emit.h"
void
ptx_print(Gen *g, IrStmt *s)
{
    ptx_refuse(g, s->at, "print");
}
