/* SPDX-License-Identifier: BSD-3-Clause
 * Linear algebra on matrices in columns, of doubles or of complex doubles: LAPACK's where one is
 * loaded, else our own. */
#ifndef SWATHE_KERNEL_LAPACK_H
#define SWATHE_KERNEL_LAPACK_H
#include "kernel/lib/lib.h"

/* A library that is loaded, usually NumPy's. By [complex]. */
typedef struct Lapack {
    void *gesv[2], *getrf[2], *potrf[2], *eigh[2]; /* all, or NULL */
    bool wide;                                     /* its integers are int64 */
} Lapack;
const Lapack *lapack_find(void);
/* Any other one of its routines, as "gesdd", for matrices of these sizes; NULL: there is none. All
 * arguments go by reference, integers as LapackInt; lengths of texts come last, by value. */
void *lapack_routine(bool complex, const char *name, int64_t n, int64_t m);
/* The same of "sdcz" any letter, and whether a size fits in the library's integers. */
void *lapack_symbol(char type, const char *name);
bool lapack_fits(int64_t n);
typedef union LapackInt {
    int64_t wide;
    int32_t narrow;
} LapackInt;
LapackInt lapack_int(int64_t v);
int64_t lapack_value(LapackInt v);

/* All return LAPACK's info: 0, or the 1-based place of a pivot that is no use. `a` is n by n and
 * overwritten by its factors; pivots: the row that each was swapped with, 1-based. */
int64_t lapack_lu(bool complex, int64_t n, void *a, int64_t *pivots);
int64_t lapack_solve(bool complex, int64_t n, int64_t m, void *a, int64_t *pivots, void *b);
int64_t lapack_cholesky(bool complex, bool upper, int64_t n, void *a);
/* Eigenvalues in order, and vectors in place of a; 1: they did not converge, -1: there is no
 * memory. */
int64_t lapack_eigh(bool complex, bool vectors, bool upper, int64_t n, void *a, double *w);

/* ---- own.c: in the same way, with partial pivoting and without blocks ---- */
int64_t own_lu(bool complex, int64_t n, void *a, int64_t *pivots);
void own_solve(bool complex, int64_t n, int64_t m, const void *lu, const int64_t *pivots, void *b);
int64_t own_cholesky(bool complex, bool upper, int64_t n, void *a);
int64_t own_eigenvalues(bool complex, bool upper, int64_t n, const void *a, double *w);
int64_t own_vectors(bool complex, bool upper, int64_t n, double *a, double *w);
#endif
