/* SPDX-License-Identifier: BSD-3-Clause
 * For pass bounds: the checks of a nest by themselves. */
#ifndef SWATHE_PASS_INSPECTOR_H
#define SWATHE_PASS_INSPECTOR_H
#include "ir/ir.h"

/* Appends to `out` code that raises what the nest would, and does nothing else; false: what the
 * nest does before it raises can be seen, or decides whether it raises. fx: the effects of the
 * loop. The function has no try. */
bool inspect_checks(IrFunc *f, IrStmt *loop, const IrEffects *fx, IrBlock *out);
#endif
