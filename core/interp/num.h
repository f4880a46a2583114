/* SPDX-License-Identifier: BSD-3-Clause
 * Scalars of the interpreter: one value of any dtype, its arithmetic, and its bytes in memory. A
 * value that nobody has set is `undef`; what is computed from it is undef too, and only where it
 * decides something (a branch, an index, a result) is it wrong. */
#ifndef SWATHE_INTERP_NUM_H
#define SWATHE_INTERP_NUM_H
#include "ir/ir.h"

typedef struct Num {
    union {
        int64_t i; /* bool, ints: as ir_wrap_int has them */
        double re; /* floats: exactly what the dtype holds */
    };
    double im;
    bool undef;
} Num;

Num num_op(IrOp op, DType d, DType d1, const Num *a, DType result); /* d, d1: of operands 0 and 1 */
Num num_cast(DType to, DType from, Num v);
Num num_read(DType d, const char *p);
void num_write(DType d, char *p, Num v);
/* Of one real number of that dtype, or of its parts. */
int num_part_size(DType d);
/* bit for bit, any NaN like another; loose: as after a reassociation, of real numbers of so many
 * bytes */
bool num_same(DType d, Num a, Num b, int loose);
/* of message arguments: ints as they are, floats as double */
uint64_t num_bits(DType d, Num v);
void num_print(StrBuf *out, DType d, Num v);
#endif
