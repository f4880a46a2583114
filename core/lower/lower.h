/* SPDX-License-Identifier: BSD-3-Clause
 * Syntax tree + types -> IR. Statements and control flow here; whatever is an array or a
 * library function goes to numpy/. Tuples and closures are taken apart into scalars and
 * arrays; a function returns its result flattened. */
#ifndef SWATHE_LOWER_H
#define SWATHE_LOWER_H
#include "ir/ir.h"
#include "numpy/numpy.h"
#include "sema/sema.h"

/* One IrFunc for each Inst; the root is marked `entry`. Cannot fail on a typed unit (but for diags
 * of kind unsupported). */
IrModule *lower_unit(Cx *cx, const SemaUnit *u);
#endif
