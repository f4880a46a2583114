/* SPDX-License-Identifier: BSD-3-Clause
 * One problem after the other for kernels that factor matrices: each is copied to scratch memory
 * in columns, solved there, and what it yields is copied back. */
#ifndef SWATHE_KERNEL_PROBLEM_H
#define SWATHE_KERNEL_PROBLEM_H
#include "kernel/lib/lapack.h"

typedef struct Problem {
    bool complex;            /* is the first array */
    double *of[WALK_ARRAYS]; /* its matrix, in columns; a vector is one column */
    int64_t rows[WALK_ARRAYS], cols[WALK_ARRAYS];
    int64_t option; /* the integer behind the arrays */
} Problem;
/* 0; 1: no result, all arrays that are written become NaN; KERNEL_NO_MEMORY. */
typedef int64_t Solve(Problem *p);

/* `core` has a word for each array: "r", "w" or "rw", and how many axes a problem has: "r2 w1". */
int64_t problems(KernelCx *cx, const KernelArg *arg, const char *core, Solve *solve);

/* LAPACK's workspace: numbers as many as it said in a query, and more of others. */
typedef struct Space {
    double *work, *real;
    LapackInt *ints;
    LapackInt n_work;
} Space;
/* Of that many bytes' worth of each; false: there is no memory. */
bool space_make(Space *s, bool complex, int64_t work, int64_t reals, int64_t ints);
void space_free(Space *s);
/* For the query, by which LAPACK says how many it wants. */
typedef struct Query {
    double work[2], real[2];
    LapackInt ints[2];
} Query;
Space space_query(Query *q);

/* ---- own_*.c: for where no LAPACK is loaded; all of complex numbers, in columns -------------- */

typedef double _Complex Number;
/* Between n doubles and as many numbers; what is real loses its imaginary parts. */
Number *own_numbers(bool complex, int64_t n, const double *from); /* NULL: there is no memory */
void own_doubles(bool complex, int64_t n, const Number *from, double *to);
/* All yield false where they did not converge. Jacobi's method: the eigenvalues of a Hermitian
 * matrix in order, its vectors in v. a is overwritten. */
bool own_eigh(int64_t n, Number *a, double *w, Number *v);
/* a = u * s * v^H: u of m rows and `k` columns, v of n rows and `l` columns, both at least the
 * least of m and n. a is overwritten. */
bool own_svd(int64_t m, int64_t n, Number *a, double *s, int64_t k, Number *u, int64_t l, Number *v,
             Number *scratch);
/* The factors as LAPACK has them: R in and above the diagonal, reflectors below; then k columns of
 * Q. */
void own_qr(int64_t m, int64_t n, Number *a, Number *tau);
void own_q(int64_t m, int64_t n, int64_t k, const Number *a, const Number *tau, Number *q);
/* QR iterations: the eigenvalues in w; the vectors in v unless it is NULL. a is overwritten. */
bool own_eig(int64_t n, Number *a, Number *w, Number *v);
#endif
