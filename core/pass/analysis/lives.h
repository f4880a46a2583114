/* SPDX-License-Identifier: BSD-3-Clause
 * Liveness of scalars, by loop: which of a function's variables have a value that an iteration sets
 * and nothing asks for behind it. */
#ifndef SWATHE_PASS_LIVES_H
#define SWATHE_PASS_LIVES_H
#include "ir/ir.h"

typedef struct Lives Lives;
Lives *lives_find(Cx *cx, IrFunc *f);
/* Is v, which was there then, set before it is read on all ways from the head of each loop? */
bool lives_in_iteration(const Lives *l, const IrVar *v);
#endif
