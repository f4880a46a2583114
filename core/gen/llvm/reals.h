/* SPDX-License-Identifier: BSD-3-Clause
 * Arithmetic of float32 and float64 as instructions, for functions that are computed in place: of
 * scalars, which LLVM's vectorisers make vectors of, and of our own lanes. No instruction has
 * fast-math flags, for none of the steps of such a function may be reassociated. */
#ifndef SW_GEN_LLVM_REALS_H
#define SW_GEN_LLVM_REALS_H

#include "emit.h"

/* The format that a function is computed in. */
typedef struct {
    Gen *g;
    LLVMTypeRef t, bits; /* of the values, and integers of the same width */
    bool dbl;
    int mantissa, bias; /* bits of the one; of the exponent */
} Real;

Real real_of(Gen *g, LV x);
LV real_const(const Real *r, double v);
LV real_int(const Real *r, int64_t v);  /* of the integers */
LV real_as_bits(const Real *r, LV x);   /* the same bits as an integer */
LV real_from_bits(const Real *r, LV x); /* and back */
LV real_add(const Real *r, LV x, LV y);
LV real_sub(const Real *r, LV x, LV y);
LV real_mul(const Real *r, LV x, LV y);
LV real_div(const Real *r, LV x, LV y);
LV real_fma(const Real *r, LV x, LV y, LV z);
LV real_abs(const Real *r, LV x);
LV real_sqrt(const Real *r, LV x);
LV real_copysign(const Real *r, LV x, LV sign);
LV real_test(const Real *r, LLVMRealPredicate p, LV x, LV y);
LV real_select(const Real *r, LV test, LV yes, LV no);
LV real_scaled(const Real *r, LV x, double by);            /* x * by */
LV real_poly(const Real *r, LV x, const double *c, int n); /* c[0] + c[1] x + ... */
LV real_at_most(const Real *r, LV x, double high);         /* NaN stays */
LV real_is_normal(const Real *r, LV x);                    /* and positive, and finite */

/* In a function of vectors: where `ok` is true in all lanes it returns y. The builder goes on in a
 * block for the others. */
void real_return_if_all(const Real *r, LV fn, LV ok, LV y);

/* m in [sqrt(1/2), sqrt(2)] of a positive normal x = 2^k m. *k is an integer with the bias. */
LV real_near_one(const Real *r, LV x, LV *k);
LV real_of_biased(const Real *r, LV k); /* such a k as a float */

#endif
