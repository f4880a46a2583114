/* SPDX-License-Identifier: BSD-3-Clause
 * cuBLAS's routines of levels 2 and 3, of a type each: fake_cublas.c. */
#define ARGS_AXY                                                                                   \
    const void *alpha, const void *a, int lda, const void *x, int incx, const void *beta, void *y, \
        int incy

#define MATRIX_VECTOR(L, T_)                                                                       \
    API int cublas##L##gemv_v2(Handle *h, int trans, int m, int n, ARGS_AXY)                       \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        int p = trans ? n : m, q = trans ? m : n;                                                  \
        A(m, n), X(q), YW(p);                                                                      \
        Dense by = times(op(matrix_of(t, a, m, n, lda), trans), vector_of(t, x, q, incx));         \
        Dense old = vector_of(t, y, p, incy);                                                      \
        mix('z', old.v, p, by, ONE, ITS_BETA, 0, false);                                           \
        vector_back(t, y, p, incy, old);                                                           \
        return 0;                                                                                  \
    }                                                                                              \
    API int cublas##L##gbmv_v2(Handle *h, int trans, int m, int n, int kl, int ku, ARGS_AXY)       \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        int p = trans ? n : m, q = trans ? m : n;                                                  \
        A(kl + ku + 1, n), X(q), YW(p);                                                            \
        Dense by = times(op(band_of(t, a, m, n, kl, ku, lda), trans), vector_of(t, x, q, incx));   \
        Dense old = vector_of(t, y, p, incy);                                                      \
        mix('z', old.v, p, by, ONE, ITS_BETA, 0, false);                                           \
        vector_back(t, y, p, incy, old);                                                           \
        return 0;                                                                                  \
    }

/* Of a triangle that is given dense, banded, packed: its product with x, and the solution. */
#define ONE_TRIANGLE(L, T_, NAME, PARAMS, CHECK, GIVEN)                                            \
    API int cublas##L##NAME##mv_v2(Handle *h, int uplo, int trans, int diag, int n, PARAMS,        \
                                   void *x, int incx)                                              \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        CHECK, XW(n);                                                                              \
        Dense by = op(triangle(GIVEN, uplo, diag), trans);                                         \
        vector_back(t, x, n, incx, times(by, vector_of(t, x, n, incx)));                           \
        return 0;                                                                                  \
    }                                                                                              \
    API int cublas##L##NAME##sv_v2(Handle *h, int uplo, int trans, int diag, int n, PARAMS,        \
                                   void *x, int incx)                                              \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        CHECK, XW(n);                                                                              \
        Dense b = vector_of(t, x, n, incx);                                                        \
        substitute(op(triangle(GIVEN, uplo, diag), trans), (uplo == LOWER) == (trans == PLAIN),    \
                   b);                                                                             \
        vector_back(t, x, n, incx, b);                                                             \
        return 0;                                                                                  \
    }
#define COMMA ,
#define TRIANGLES(L, T_)                                                                           \
    ONE_TRIANGLE(L, T_, tr, const void *a COMMA int lda, A(n, n), matrix_of(t, a, n, n, lda))      \
    ONE_TRIANGLE(L, T_, tp, const void *ap, AP(n), packed_of(t, ap, uplo, n))                      \
    ONE_TRIANGLE(L, T_, tb, int k COMMA const void *a COMMA int lda, A(k + 1, n),                  \
                 band_of(t, a, n, n, BAND(uplo, k), lda))

#define SYMMETRIC_VECTOR(L, T_, NAME, PARAMS, CHECK, GIVEN, H_)                                    \
    API int cublas##L##NAME##mv_v2(Handle *h, int uplo, int n, PARAMS, const void *x, int incx,    \
                                   const void *beta, void *y, int incy)                            \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        CHECK, X(n), YW(n);                                                                        \
        Dense by = times(symmetric(GIVEN, uplo, H_), vector_of(t, x, n, incx));                    \
        Dense old = vector_of(t, y, n, incy);                                                      \
        mix('z', old.v, n, by, ONE, ITS_BETA, 0, false);                                           \
        vector_back(t, y, n, incy, old);                                                           \
        return 0;                                                                                  \
    }

#define SYMMETRIC(L, T_, FULL, BANDS, PACKS, H_)                                                   \
    SYMMETRIC_VECTOR(L, T_, FULL, const void *alpha COMMA const void *a COMMA int lda, A(n, n),    \
                     matrix_of(t, a, n, n, lda), H_)                                               \
    SYMMETRIC_VECTOR(L, T_, BANDS,                                                                 \
                     int k COMMA const void *alpha COMMA const void *a COMMA int lda, A(k + 1, n), \
                     band_of(t, a, n, n, BAND(uplo, k), lda), H_)                                  \
    SYMMETRIC_VECTOR(L, T_, PACKS, const void *alpha COMMA const void *ap, AP(n),                  \
                     packed_of(t, ap, uplo, n), H_)                                                \
    API int cublas##L##PACKS##r_v2(Handle *h, int uplo, int n, const void *alpha, const void *x,   \
                                   int incx, void *ap)                                             \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        X(n), APW(n);                                                                              \
        Dense d = vector_of(t, x, n, incx);                                                        \
        packed_add(t, ap, uplo, outer(d, d, H_), REAL_ONE, H_);                                    \
        free(d.v);                                                                                 \
        return 0;                                                                                  \
    }                                                                                              \
    API int cublas##L##PACKS##r2_v2(Handle *h, int uplo, int n, const void *alpha, const void *x,  \
                                    int incx, const void *y, int incy, void *ap)                   \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        X(n), Y(n), APW(n);                                                                        \
        Dense d = vector_of(t, x, n, incx), e = vector_of(t, y, n, incy);                          \
        Z other = H_ ? conj(ONE) : ONE;                                                            \
        packed_add(t, ap, uplo, sum_of(outer(d, e, H_), ONE, outer(e, d, H_), other), 1, H_);      \
        free(d.v);                                                                                 \
        free(e.v);                                                                                 \
        return 0;                                                                                  \
    }
#define SYMMETRIC_FULL(L, T_)                                                                      \
    SYMMETRIC_VECTOR(L, T_, sy, const void *alpha COMMA const void *a COMMA int lda, A(n, n),      \
                     matrix_of(t, a, n, n, lda), false)

#define GER(L, T_, NAME, H_)                                                                       \
    API int cublas##L##NAME##_v2(Handle *h, int m, int n, const void *alpha, const void *x,        \
                                 int incx, const void *y, int incy, void *a, int lda)              \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        X(m), Y(n), AW(m, n);                                                                      \
        Dense d = vector_of(t, x, m, incx), e = vector_of(t, y, n, incy);                          \
        mix(t, a, lda, outer(d, e, H_), ONE, 1, 0, false);                                         \
        free(d.v);                                                                                 \
        free(e.v);                                                                                 \
        return 0;                                                                                  \
    }

/* Updates by one and two vectors, and by matrices of k columns. */
#define RANKS(L, T_, NAME, H_, ALPHA, BETA)                                                        \
    API int cublas##L##NAME##r_v2(Handle *h, int uplo, int n, const void *alpha, const void *x,    \
                                  int incx, void *a, int lda)                                      \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        X(n), AW(n, n);                                                                            \
        Dense d = vector_of(t, x, n, incx);                                                        \
        mix(t, a, lda, outer(d, d, H_), ALPHA, 1, 1 + uplo, H_);                                   \
        free(d.v);                                                                                 \
        return 0;                                                                                  \
    }                                                                                              \
    API int cublas##L##NAME##r2_v2(Handle *h, int uplo, int n, const void *alpha, const void *x,   \
                                   int incx, const void *y, int incy, void *a, int lda)            \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        X(n), Y(n), AW(n, n);                                                                      \
        Dense d = vector_of(t, x, n, incx), e = vector_of(t, y, n, incy);                          \
        Z other = H_ ? conj(ONE) : ONE;                                                            \
        Dense by = sum_of(outer(d, e, H_), ONE, outer(e, d, H_), other);                           \
        mix(t, a, lda, by, 1, 1, 1 + uplo, H_);                                                    \
        free(d.v);                                                                                 \
        free(e.v);                                                                                 \
        return 0;                                                                                  \
    }                                                                                              \
    API int cublas##L##NAME##rk_v2(Handle *h, int uplo, int trans, int n, int k,                   \
                                   const void *alpha, const void *a, int lda, const void *beta,    \
                                   void *c, int ldc)                                               \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        A(trans ? k : n, trans ? n : k), CW(n, n);                                                 \
        const int turn = H_ ? CONJ : TRANS;                                                        \
        Dense d = op(matrix_of(t, a, trans ? k : n, trans ? n : k, lda), trans ? turn : PLAIN);    \
        Dense e = matrix_of('z', d.v, n, k, n);                                                    \
        mix(t, c, ldc, times(d, op(e, turn)), ALPHA, BETA, 1 + uplo, H_);                          \
        return 0;                                                                                  \
    }                                                                                              \
    API int cublas##L##NAME##r2k_v2(Handle *h, int uplo, int trans, int n, int k,                  \
                                    const void *alpha, const void *a, int lda, const void *b,      \
                                    int ldb, const void *beta, void *c, int ldc)                   \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        int p = trans ? k : n, q = trans ? n : k, turn = H_ ? CONJ : TRANS;                        \
        A(p, q), B(p, q), CW(n, n);                                                                \
        Dense d = op(matrix_of(t, a, p, q, lda), trans ? turn : PLAIN);                            \
        Dense e = op(matrix_of(t, b, p, q, ldb), trans ? turn : PLAIN);                            \
        Dense d2 = matrix_of('z', d.v, n, k, n), e2 = matrix_of('z', e.v, n, k, n);                \
        Z other = H_ ? conj(ONE) : ONE;                                                            \
        Dense by = sum_of(times(d, op(e2, turn)), ONE, times(e, op(d2, turn)), other);             \
        mix(t, c, ldc, by, 1, BETA, 1 + uplo, H_);                                                 \
        return 0;                                                                                  \
    }                                                                                              \
    API int cublas##L##NAME##mm_v2(Handle *h, int side, int uplo, int m, int n, const void *alpha, \
                                   const void *a, int lda, const void *b, int ldb,                 \
                                   const void *beta, void *c, int ldc)                             \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        int k = side == LEFT ? m : n;                                                              \
        A(k, k), B(m, n), CW(m, n);                                                                \
        Dense d = symmetric(matrix_of(t, a, k, k, lda), uplo, H_), e = matrix_of(t, b, m, n, ldb); \
        mix(t, c, ldc, side == LEFT ? times(d, e) : times(e, d), ONE, ITS_BETA, 0, false);         \
        return 0;                                                                                  \
    }
#define UPDATES(L, T_) RANKS(L, T_, sy, false, ONE, ITS_BETA)
#define HERMITIAN(L, T_) RANKS(L, T_, he, true, REAL_ONE, REAL_BETA)

#define PRODUCTS(L, T_)                                                                            \
    API int cublas##L##gemm_v2(Handle *h, int ta, int tb, int m, int n, int k, const void *alpha,  \
                               const void *a, int lda, const void *b, int ldb, const void *beta,   \
                               void *c, int ldc)                                                   \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        A(ta ? k : m, ta ? m : k), B(tb ? n : k, tb ? k : n), CW(m, n);                            \
        Dense d = op(matrix_of(t, a, ta ? k : m, ta ? m : k, lda), ta);                            \
        Dense e = op(matrix_of(t, b, tb ? n : k, tb ? k : n, ldb), tb);                            \
        mix(t, c, ldc, times(d, e), ONE, ITS_BETA, 0, false);                                      \
        return 0;                                                                                  \
    }                                                                                              \
    API int cublas##L##gemmStridedBatched(Handle *h, int ta, int tb, int m, int n, int k,          \
                                          const void *alpha, const void *a, int lda, long long sa, \
                                          const void *b, int ldb, long long sb, const void *beta,  \
                                          void *c, int ldc, long long sc, int batch)               \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        for (int i = 0; i < batch; i++) {                                                          \
            size_t z = size_of(t);                                                                 \
            failed = cublas##L##gemm_v2(h, ta, tb, m, n, k, alpha,                                 \
                                        (const char *)a + i * sa * (long long)z, lda,              \
                                        (const char *)b + i * sb * (long long)z, ldb, beta,        \
                                        (char *)c + i * sc * (long long)z, ldc);                   \
        }                                                                                          \
        return failed;                                                                             \
    }                                                                                              \
    API int cublas##L##trmm_v2(Handle *h, int side, int uplo, int trans, int diag, int m, int n,   \
                               const void *alpha, const void *a, int lda, const void *b, int ldb,  \
                               void *c, int ldc)                                                   \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        int k = side == LEFT ? m : n;                                                              \
        A(k, k), B(m, n), CW(m, n);                                                                \
        Dense d = op(triangle(matrix_of(t, a, k, k, lda), uplo, diag), trans);                     \
        Dense e = matrix_of(t, b, m, n, ldb);                                                      \
        mix(t, c, ldc, side == LEFT ? times(d, e) : times(e, d), ONE, 0, 0, false);                \
        return 0;                                                                                  \
    }                                                                                              \
    API int cublas##L##trsm_v2(Handle *h, int side, int uplo, int trans, int diag, int m, int n,   \
                               const void *alpha, const void *a, int lda, void *b, int ldb)        \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        int k = side == LEFT ? m : n;                                                              \
        A(k, k), BW(m, n);                                                                         \
        Dense d = op(triangle(matrix_of(t, a, k, k, lda), uplo, diag), trans);                     \
        bool lower = (uplo == LOWER) == (trans == PLAIN);                                          \
        Dense e = matrix_of(t, b, m, n, ldb);                                                      \
        if (side != LEFT)                                                                          \
            d = op(d, TRANS), e = op(e, TRANS), lower = !lower;                                    \
        substitute(d, lower, e);                                                                   \
        mix(t, b, ldb, side == LEFT ? e : op(e, TRANS), ONE, 0, 0, false);                         \
        return 0;                                                                                  \
    }                                                                                              \
    API int cublas##L##dgmm(Handle *h, int side, int m, int n, const void *a, int lda,             \
                            const void *x, int incx, void *c, int ldc)                             \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        int k = side == LEFT ? m : n;                                                              \
        A(m, n), X(k), CW(m, n);                                                                   \
        Dense d = matrix_of(t, a, m, n, lda), e = vector_of(t, x, k, incx);                        \
        for (int j = 0; j < n; j++)                                                                \
            for (int i = 0; i < m; i++)                                                            \
                AT(d, i, j) *= e.v[side == LEFT ? i : j];                                          \
        free(e.v);                                                                                 \
        mix(t, c, ldc, d, 1, 0, 0, false);                                                         \
        return 0;                                                                                  \
    }                                                                                              \
    API int cublas##L##geam(Handle *h, int ta, int tb, int m, int n, const void *alpha,            \
                            const void *a, int lda, const void *beta, const void *b, int ldb,      \
                            void *c, int ldc)                                                      \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        A(ta ? n : m, ta ? m : n), B(tb ? n : m, tb ? m : n), CW(m, n);                            \
        Dense d = op(matrix_of(t, a, ta ? n : m, ta ? m : n, lda), ta);                            \
        Dense e = op(matrix_of(t, b, tb ? n : m, tb ? m : n, ldb), tb);                            \
        mix(t, c, ldc, sum_of(d, ONE, e, ITS_BETA), 1, 0, 0, false);                               \
        return 0;                                                                                  \
    }
