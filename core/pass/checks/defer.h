/* SPDX-License-Identifier: BSD-3-Clause
 * The loops of pass defer, which run before it is known whether a check fails. */
#ifndef SWATHE_PASS_DEFER_H
#define SWATHE_PASS_DEFER_H
#include "pass/pass.h"

/* defer_cast.c: floats that become ints. ok: the flag of the loop; from: its first own variable */
void defer_casts(Cx *cx, IrFunc *f, IrStmt *loop, IrVar *ok, int from);
#endif
