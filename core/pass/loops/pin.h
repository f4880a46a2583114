/* SPDX-License-Identifier: BSD-3-Clause
 * What pass version asks of pin.c. */
#ifndef SWATHE_PASS_PIN_H
#define SWATHE_PASS_PIN_H
#include "pass/pass.h"

/* Puts `if the rows are as short as s uses them { s } else { a copy }` where s, an outermost loop
 * in b, is, and yields this. NULL: nothing to test. */
IrStmt *pin_rows(PassCx *p, IrFunc *f, IrBlock *b, IrStmt *s);
#endif
