/* SPDX-License-Identifier: BSD-3-Clause
 * Products of matrices and vectors by the BLAS that came with the LAPACK at hand, by the routines
 * that NumPy calls: gemm, syrk where a matrix meets its own transpose, gemv for vectors. Status 1:
 * there is no such library, or a size does not fit in its integers. BLAS has matrices in columns,
 * so what lies in rows is its own transpose; what lies in neither is packed first. */
#include "kernel/lib/lapack.h"

#include <pthread.h>
#include <stdlib.h>

enum { GEMM, SYRK, GEMV, N_ROUTINES };
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *routine[N_ROUTINES][4]; /* by letter of "sdcz"; all of them, or none */
static bool is_there;

typedef void Gemm(const char *ta, const char *tb, const void *m, const void *n, const void *k,
                  const void *alpha, const void *a, const void *lda, const void *b, const void *ldb,
                  const void *beta, void *c, const void *ldc, size_t, size_t);
typedef void Syrk(const char *uplo, const char *trans, const void *n, const void *k,
                  const void *alpha, const void *a, const void *lda, const void *beta, void *c,
                  const void *ldc, size_t, size_t);
typedef void Gemv(const char *trans, const void *m, const void *n, const void *alpha, const void *a,
                  const void *lda, const void *x, const void *incx, const void *beta, void *y,
                  const void *incy, size_t);

typedef struct Matrix {
    char *data;
    int64_t rows, cols, row, col; /* strides in elements */
    int64_t ld;
    const char *trans; /* "N": it lies in columns. "T": in rows */
    void *packed;
} Matrix;

static void
look(void)
{
    static const char *const name[] = {"gemm", "syrk", "gemv"};
    is_there = lapack_find() != NULL;
    for (int r = 0; r < N_ROUTINES; r++)
        for (int t = 0; t < 4; t++) {
            routine[r][t] = lapack_symbol("sdcz"[t], name[r]);
            is_there &= routine[r][t] != NULL;
        }
}

static bool
find(const KernelArg *arg)
{
    pthread_once(&once, look);
    for (int i = 0; is_there && i < 3; i++)
        for (int64_t k = 0; k < arg[i].n; k++)
            if (!lapack_fits(arg[i].array->shape[k]))
                return false;
    return is_there;
}

static int
letter(int64_t d)
{
    return d == DT_f32 ? 0 : d == DT_f64 ? 1 : d == DT_c64 ? 2 : 3;
}

static size_t
item_of(int64_t d)
{
    static const size_t size[4] = {4, 8, 8, 16};
    return size[letter(d)];
}

static const void *
number(int64_t d, bool one)
{
    static const double wide[2][2] = {{0, 0}, {1, 0}};
    static const float narrow[2][2] = {{0, 0}, {1, 0}};
    return letter(d) % 2 ? (const void *)wide[one] : (const void *)narrow[one];
}

static bool
lies_in_rows(const Matrix *m)
{
    return (m->col == 1 || m->cols == 1) && (m->rows == 1 || m->row >= m->cols);
}

static inline void
copy_items(const Matrix *m, char *to, size_t item, int64_t row, int64_t col)
{
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t j = 0; j < m->cols; j++, to += item)
            memcpy(to, m->data + i * row + j * col, item);
}

/* Copied into rows. False: there is no memory. */
static bool
pack(Matrix *m, size_t item, int64_t row, int64_t col)
{
    m->packed = malloc((size_t)(m->rows * m->cols) * item);
    if (!m->packed)
        return false;
    if (item == 4)
        copy_items(m, m->packed, 4, row, col);
    else if (item == 8)
        copy_items(m, m->packed, 8, row, col);
    else
        copy_items(m, m->packed, 16, row, col);
    m->data = m->packed;
    m->row = m->cols;
    m->col = 1;
    return true;
}

/* How BLAS is to see what has strides of so many bytes. */
static bool
matrix(Matrix *m, size_t item, int64_t row, int64_t col)
{
    int64_t size = (int64_t)item;
    bool whole = row % size == 0 && col % size == 0 && (uintptr_t)m->data % item == 0;
    Matrix turned = {.rows = m->cols, .cols = m->rows, .row = col / size, .col = row / size};
    m->row = row / size;
    m->col = col / size;
    m->packed = NULL;
    bool columns = whole && lies_in_rows(&turned);
    if (!columns && !(whole && lies_in_rows(m)) && !pack(m, item, row, col))
        return false;
    int64_t least = columns ? m->rows : m->cols, ld = columns ? m->col : m->row;
    bool single = columns ? m->cols == 1 : m->rows == 1;
    m->trans = columns ? "N" : "T";
    m->ld = single || ld < least ? least : ld;
    return lapack_fits(m->ld) || m->packed || pack(m, item, row, col);
}

static Matrix
argument(const KernelArg *a)
{
    const SwDesc *d = a->array;
    return (Matrix){.data = d->data, .rows = d->shape[0], .cols = d->shape[1]};
}

/* y = m * x, or its transpose times x; x and y have strides of so many bytes. */
static int64_t
times_vector(int64_t dtype, Matrix *m, bool transposed, const char *x, int64_t step, char *y)
{
    size_t item = item_of(dtype);
    int64_t n = transposed ? m->rows : m->cols, size = (int64_t)item;
    Matrix v = {.data = (char *)(uintptr_t)x, .rows = n, .cols = 1};
    bool as_is =
        step % size == 0 && step / size > 0 && (uintptr_t)x % item == 0 && lapack_fits(step / size);
    if (!as_is && !pack(&v, item, step, 0))
        return KERNEL_NO_MEMORY;
    bool columns = *m->trans == 'N';
    LapackInt rows = lapack_int(columns ? m->rows : m->cols);
    LapackInt cols = lapack_int(columns ? m->cols : m->rows);
    LapackInt ld = lapack_int(m->ld), one = lapack_int(1);
    LapackInt inc = lapack_int(as_is ? step / size : 1);
    Gemv *gemv = (Gemv *)(uintptr_t)routine[GEMV][letter(dtype)];
    gemv(columns != transposed ? "N" : "T", &rows, &cols, number(dtype, true), m->data, &ld, v.data,
         &inc, number(dtype, false), y, &one, 1);
    free(v.packed);
    return 0;
}

/* The other half of a symmetric matrix, in tiles that stay in the cache. */
static inline void
mirror_items(char *c, int64_t n, size_t item)
{
    enum { TILE = 32 };
    for (int64_t i0 = 0; i0 < n; i0 += TILE)
        for (int64_t j0 = i0; j0 < n; j0 += TILE)
            for (int64_t i = i0; i < i0 + TILE && i < n; i++)
                for (int64_t j = j0 > i ? j0 : i + 1; j < j0 + TILE && j < n; j++)
                    memcpy(c + (size_t)(j * n + i) * item, c + (size_t)(i * n + j) * item, item);
}

static void
mirror(char *c, int64_t n, size_t item)
{
    if (item == 4)
        mirror_items(c, n, 4);
    else if (item == 8)
        mirror_items(c, n, 8);
    else
        mirror_items(c, n, 16);
}

static bool
is_transpose(const SwDesc *a, const SwDesc *b)
{
    return a->data == b->data && a->shape[0] == b->shape[1] && a->shape[1] == b->shape[0] &&
           a->strides[0] == b->strides[1] && a->strides[1] == b->strides[0];
}

/* b transposed, times b. */
static void
square(int64_t dtype, const Matrix *b, char *c)
{
    LapackInt n = lapack_int(b->cols), k = lapack_int(b->rows), ld = lapack_int(b->ld);
    Syrk *syrk = (Syrk *)(uintptr_t)routine[SYRK][letter(dtype)];
    syrk("L", *b->trans == 'N' ? "T" : "N", &n, &k, number(dtype, true), b->data, &ld,
         number(dtype, false), c, &n, 1, 1);
    mirror(c, b->cols, item_of(dtype));
}

/* c = a * b in rows, which is b' * a' in columns. */
static void
multiply(int64_t dtype, const Matrix *a, const Matrix *b, char *c)
{
    LapackInt m = lapack_int(b->cols), n = lapack_int(a->rows), k = lapack_int(a->cols);
    LapackInt lda = lapack_int(a->ld), ldb = lapack_int(b->ld);
    Gemm *gemm = (Gemm *)(uintptr_t)routine[GEMM][letter(dtype)];
    gemm(*b->trans == 'N' ? "T" : "N", *a->trans == 'N' ? "T" : "N", &m, &n, &k,
         number(dtype, true), b->data, &ldb, a->data, &lda, number(dtype, false), c, &m, 1, 1);
}

/* `out` is new, in rows; nothing is empty. One row or column is a vector, as for NumPy. */
KERNEL(gemm, "a, b, out", "r(n,k) r(k,m) rw(n,m)", "float32 float64 complex64 complex128")
{
    (void)cx;
    if (!find(arg))
        return 1;
    const SwDesc *da = arg[0].array, *db = arg[1].array;
    int64_t dtype = arg[0].dtype, status = 0;
    size_t item = item_of(dtype);
    char *out = arg[2].array->data;
    Matrix a = argument(&arg[0]), b = argument(&arg[1]);
    bool column = b.cols == 1, row = !column && a.rows == 1;
    bool itself = !column && !row && is_transpose(da, db);
    bool needs_a = !row && !itself, needs_b = !column;
    if (needs_a && !matrix(&a, item, da->strides[0], da->strides[1]))
        return KERNEL_NO_MEMORY;
    if (needs_b && !matrix(&b, item, db->strides[0], db->strides[1]))
        status = KERNEL_NO_MEMORY;
    else if (column)
        status = times_vector(dtype, &a, false, db->data, db->strides[0], out);
    else if (row)
        status = times_vector(dtype, &b, true, da->data, da->strides[1], out);
    else if (itself)
        square(dtype, &b, out);
    else
        multiply(dtype, &a, &b, out);
    free(a.packed);
    free(b.packed);
    return status;
}

KERNEL(gemv, "a, x, out", "r(n,k) r(k) rw(n)", "float32 float64 complex64 complex128")
{
    (void)cx;
    if (!find(arg))
        return 1;
    const SwDesc *d = arg[0].array, *x = arg[1].array;
    Matrix a = argument(&arg[0]);
    if (!matrix(&a, item_of(arg[0].dtype), d->strides[0], d->strides[1]))
        return KERNEL_NO_MEMORY;
    int64_t status =
        times_vector(arg[0].dtype, &a, false, x->data, x->strides[0], arg[2].array->data);
    free(a.packed);
    return status;
}

KERNEL(gevm, "x, a, out", "r(k) r(k,m) rw(m)", "float32 float64 complex64 complex128")
{
    (void)cx;
    if (!find(arg))
        return 1;
    const SwDesc *d = arg[1].array, *x = arg[0].array;
    Matrix a = argument(&arg[1]);
    if (!matrix(&a, item_of(arg[0].dtype), d->strides[0], d->strides[1]))
        return KERNEL_NO_MEMORY;
    int64_t status =
        times_vector(arg[0].dtype, &a, true, x->data, x->strides[0], arg[2].array->data);
    free(a.packed);
    return status;
}
