/* SPDX-License-Identifier: BSD-3-Clause
 * What pass version asks of pin.c. */
#ifndef SWATHE_PASS_PIN_H
#define SWATHE_PASS_PIN_H
#include "pass/pass.h"

typedef struct PinTested { /* the tests of the branches around a loop */
    const IrExpr *e;
    const struct PinTested *up;
} PinTested;

/* Puts `if the rows are as short as s uses them { s } else { a copy }` where s, an outermost loop
 * in b, is, and yields this. NULL: nothing to test. */
IrStmt *pin_rows(PassCx *p, IrFunc *f, IrBlock *b, IrStmt *s, const PinTested *known);
/* Does the test of an if ask for some size of a parameter? */
bool pin_asks(const IrExpr *test);
#endif
