/* SPDX-License-Identifier: BSD-3-Clause
 * Arithmetic on constants, while types are inferred. */
#ifndef SWATHE_SEMA_FOLD_H
#define SWATHE_SEMA_FOLD_H
#include "sema/internal.h"

/* fold.c: arithmetic on constants, as Python does it; NULL: leave it to run time */
const Const *fold_binop(Sema *s, int op, const Const *a, const Const *b);
const Const *fold_unary(Sema *s, int op, const Const *a);
const Const *fold_compare(Sema *s, int op, const Const *a, const Const *b);

/* bigint.c: ints that leave int64. A result may be one (const_has_big), NULL as above. */
const Const *big_binop(Sema *s, int op, const Const *a, const Const *b);
const Const *big_unary(Sema *s, int op, const Const *a);
bool big_compare(const Const *a, const Const *b, int *out); /* -1, 0, 1 */
/* the float next to it, above (1), below (-1); 0: NAN if it is none */
double big_round(const Const *c, int way);
bool const_has_big(const Const *c); /* it, or an element of a tuple */
#endif
