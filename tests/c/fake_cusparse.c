/* SPDX-License-Identifier: BSD-3-Clause
 * A stand-in for cuSPARSE: see fake_vendor.h. A plan remembers the memory that it was given, and is
 * used with that alone. */
#include "fake_vendor.h"

enum { CSR = 1, VECTOR, MATRIX, PRODUCT, TRIANGLE, ROW_ORDER = 2, BYTES = 48 };

typedef struct Descr {
    int magic, kind;
    int64_t rows, cols, nnz, ld;
    void *indptr, *indices, *values;
    int index_type, value_type, lower_or_upper, unit, step;
    const void *buffer, *buffer2;
} Descr;

static const char *
name_of(int kind)
{
    static const char *names[] = {"nothing",
                                  "a matrix",
                                  "a vector",
                                  "a dense matrix",
                                  "a plan of a product",
                                  "a plan of a triangle"};
    return names[kind];
}

API int
cusparseCreate(Handle **h)
{
    int failed = fails(__func__);
    return failed ? failed : make_handle(h, sizeof **h, __func__);
}

API int
cusparseDestroy(Handle *h)
{
    return end_handle(h, __func__);
}

API int
cusparseSetStream(Handle *h, void *stream)
{
    return set_stream(h, stream, __func__);
}

static Descr *
make(Descr **out, int kind)
{
    *out = calloc(1, sizeof **out);
    **out = (Descr){.magic = MAGIC, .kind = kind};
    alive++;
    return *out;
}

static int
end(Descr *d, int kind, const char *name)
{
    if (d->magic != MAGIC || d->kind != kind)
        breach("%s: not %s", name, name_of(kind));
    d->magic = FREED;
    alive--;
    return 0;
}

static const Descr *
is(const Descr *d, int kind, const char *name)
{
    if (!d || d->magic != MAGIC || d->kind != kind)
        breach("%s: not %s", name, name_of(kind));
    return d;
}

API int
cusparseCreateCsr(Descr **d, int64_t rows, int64_t cols, int64_t nnz, void *indptr, void *indices,
                  void *values, int indptr_type, int index_type, int base, int value_type)
{
    *make(d, CSR) = (Descr){MAGIC,  CSR,        rows,       cols, nnz, 0, indptr, indices,
                            values, index_type, value_type, 0,    0,   0, NULL,   NULL};
    if (indptr_type != index_type || (index_type != 2 && index_type != 3) || base)
        breach("%s: indices of types %d and %d", __func__, indptr_type, index_type);
    return 0;
}

API int
cusparseCreateDnVec(Descr **d, int64_t n, void *values, int value_type)
{
    Descr *v = make(d, VECTOR);
    v->rows = n, v->cols = v->ld = 1, v->values = values, v->value_type = value_type;
    return 0;
}

API int
cusparseCreateDnMat(Descr **d, int64_t rows, int64_t cols, int64_t ld, void *values, int value_type,
                    int order)
{
    Descr *m = make(d, MATRIX);
    m->rows = rows, m->cols = cols, m->ld = ld, m->values = values, m->value_type = value_type;
    if (order != ROW_ORDER || ld < cols)
        breach("%s: order %d, leading dimension %ld", __func__, order, (long)ld);
    return 0;
}

API int
cusparseDestroySpMat(Descr *d)
{
    return end(d, CSR, __func__);
}

API int
cusparseDestroyDnVec(Descr *d)
{
    return end(d, VECTOR, __func__);
}

API int
cusparseDestroyDnMat(Descr *d)
{
    return end(d, MATRIX, __func__);
}

API int
cusparseSpGEMM_createDescr(Descr **d)
{
    make(d, PRODUCT);
    return 0;
}

API int
cusparseSpGEMM_destroyDescr(Descr *d)
{
    return end(d, PRODUCT, __func__);
}

API int
cusparseSpSV_createDescr(Descr **d)
{
    make(d, TRIANGLE);
    return 0;
}

API int
cusparseSpSV_destroyDescr(Descr *d)
{
    return end(d, TRIANGLE, __func__);
}

static char
letter(int value_type)
{
    return value_type == 0 ? 's' : value_type == 1 ? 'd' : value_type == 4 ? 'c' : 'z';
}

static int64_t
index_at(const Descr *d, const void *p, int64_t i)
{
    return d->index_type == 2 ? ((const int32_t *)p)[i] : ((const int64_t *)p)[i];
}

static void
touch_matrix(const Handle *h, const Descr *d, const char *name)
{
    size_t index = d->index_type == 2 ? 4 : 8;
    touch(h, d->indptr, index * ((size_t)d->rows + 1), false, name);
    touch(h, d->indices, index * (size_t)d->nnz, false, name);
    touch(h, d->values, size_of(letter(d->value_type)) * (size_t)d->nnz, false, name);
    if (index_at(d, d->indptr, 0) || index_at(d, d->indptr, d->rows) != d->nnz)
        breach("%s: rows from %ld to %ld of %ld elements", name, (long)index_at(d, d->indptr, 0),
               (long)index_at(d, d->indptr, d->rows), (long)d->nnz);
    for (int64_t k = 0; k < d->nnz; k++)
        if (index_at(d, d->indices, k) < 0 || index_at(d, d->indices, k) >= d->cols)
            breach("%s: a column out of range", name);
}

static void
touch_dense(const Handle *h, const Descr *d, bool writes, const char *name)
{
    touch(h, d->values, size_of(letter(d->value_type)) * (size_t)(d->rows * d->ld), writes, name);
}

/* y = alpha * op(a) @ x + beta * y, of a vector or of a matrix's columns. */
static int
multiply(Handle *h, int op, const void *alpha, const Descr *a, const Descr *x, const void *beta,
         const Descr *y, int type, void *buffer, const char *name)
{
    char t = letter(type);
    touch_matrix(h, a, name);
    touch_dense(h, x, false, name);
    touch_dense(h, y, true, name);
    touch(h, buffer, BYTES, true, name);
    if (op || a->cols != x->rows || a->rows != y->rows || x->cols != y->cols ||
        a->value_type != type || x->value_type != type || y->value_type != type)
        breach("%s: sizes or types that don't fit", name);
    Z one = load(t, alpha, 0), other = load(t, beta, 0);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < x->cols; j++) {
            Z sum = 0;
            for (int64_t k = index_at(a, a->indptr, i); k < index_at(a, a->indptr, i + 1); k++)
                sum += load(t, a->values, k) *
                       load(t, x->values, index_at(a, a->indices, k) * x->ld + j);
            int64_t at = i * y->ld + j;
            store(t, y->values, at, one * sum + (other == 0 ? 0 : other * load(t, y->values, at)));
        }
    return 0;
}

API int
cusparseSpMV_bufferSize(Handle *h, int op, const void *alpha, const Descr *a, const Descr *x,
                        const void *beta, const Descr *y, int type, int alg, size_t *bytes)
{
    ENTER(h);
    (void)op, (void)alpha, (void)beta, (void)type, (void)alg;
    is(a, CSR, __func__), is(x, VECTOR, __func__), is(y, VECTOR, __func__);
    *bytes = BYTES;
    return 0;
}

API int
cusparseSpMV(Handle *h, int op, const void *alpha, const Descr *a, const Descr *x, const void *beta,
             const Descr *y, int type, int alg, void *buffer)
{
    ENTER(h);
    (void)alg;
    is(a, CSR, __func__), is(x, VECTOR, __func__), is(y, VECTOR, __func__);
    return multiply(h, op, alpha, a, x, beta, y, type, buffer, __func__);
}

API int
cusparseSpMM_bufferSize(Handle *h, int op, int op_b, const void *alpha, const Descr *a,
                        const Descr *x, const void *beta, const Descr *y, int type, int alg,
                        size_t *bytes)
{
    ENTER(h);
    (void)op, (void)op_b, (void)alpha, (void)beta, (void)type, (void)alg;
    is(a, CSR, __func__), is(x, MATRIX, __func__), is(y, MATRIX, __func__);
    *bytes = BYTES;
    return 0;
}

API int
cusparseSpMM(Handle *h, int op, int op_b, const void *alpha, const Descr *a, const Descr *x,
             const void *beta, const Descr *y, int type, int alg, void *buffer)
{
    ENTER(h);
    (void)alg;
    is(a, CSR, __func__), is(x, MATRIX, __func__), is(y, MATRIX, __func__);
    return multiply(h, op | op_b, alpha, a, x, beta, y, type, buffer, __func__);
}

/* ---- products of two ---- */

static Z *
dense_product(const Descr *a, const Descr *b, char t, bool *stored)
{
    Z *sums = calloc((size_t)(a->rows * b->cols) + 1, sizeof *sums);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = index_at(a, a->indptr, i); k < index_at(a, a->indptr, i + 1); k++) {
            int64_t r = index_at(a, a->indices, k);
            for (int64_t p = index_at(b, b->indptr, r); p < index_at(b, b->indptr, r + 1); p++) {
                int64_t at = i * b->cols + index_at(b, b->indices, p);
                sums[at] += load(t, a->values, k) * load(t, b->values, p);
                stored[at] = true;
            }
        }
    return sums;
}

#define PRODUCT_ARGS                                                                               \
    Handle *h, int op_a, int op_b, const void *alpha, const Descr *a, const Descr *b,              \
        const void *beta, Descr *c, int type, int alg, Descr *plan

static int
product_step(PRODUCT_ARGS, size_t *bytes, const void *buffer, int step, const char *name)
{
    (void)alpha, (void)beta, (void)alg, (void)type;
    is(a, CSR, name), is(b, CSR, name), is(c, CSR, name), is(plan, PRODUCT, name);
    if (op_a || op_b || a->cols != b->rows || c->rows != a->rows || c->cols != b->cols)
        breach("%s: sizes that don't fit", name);
    if (!buffer) {
        *bytes = BYTES;
        return 0;
    }
    touch_matrix(h, a, name);
    touch_matrix(h, b, name);
    touch(h, buffer, BYTES, true, name);
    if (plan->step != step - 1 || *bytes != BYTES)
        breach("%s: out of its order", name);
    plan->step = step;
    *(step == 1 ? &plan->buffer : &plan->buffer2) = buffer;
    if (step == 2) {
        bool *stored = calloc((size_t)(a->rows * b->cols) + 1, sizeof *stored);
        free(dense_product(a, b, letter(type), stored));
        c->nnz = 0;
        for (int64_t i = 0; i < a->rows * b->cols; i++)
            c->nnz += stored[i];
        free(stored);
    }
    return 0;
}

API int
cusparseSpGEMM_workEstimation(PRODUCT_ARGS, size_t *bytes, void *buffer)
{
    ENTER(h);
    return product_step(h, op_a, op_b, alpha, a, b, beta, c, type, alg, plan, bytes, buffer, 1,
                        __func__);
}

API int
cusparseSpGEMM_compute(PRODUCT_ARGS, size_t *bytes, void *buffer)
{
    ENTER(h);
    return product_step(h, op_a, op_b, alpha, a, b, beta, c, type, alg, plan, bytes, buffer, 2,
                        __func__);
}

API int
cusparseSpMatGetSize(const Descr *d, int64_t *rows, int64_t *cols, int64_t *nnz)
{
    is(d, CSR, __func__);
    *rows = d->rows, *cols = d->cols, *nnz = d->nnz;
    return 0;
}

API int
cusparseCsrSetPointers(Descr *d, void *indptr, void *indices, void *values)
{
    is(d, CSR, __func__);
    d->indptr = indptr, d->indices = indices, d->values = values;
    return 0;
}

static void
set_index(const Descr *d, void *p, int64_t i, int64_t v)
{
    if (d->index_type == 2)
        ((int32_t *)p)[i] = (int32_t)v;
    else
        ((int64_t *)p)[i] = v;
}

API int
cusparseSpGEMM_copy(PRODUCT_ARGS)
{
    ENTER(h);
    (void)op_a, (void)op_b, (void)beta, (void)alg;
    if (is(plan, PRODUCT, __func__)->step != 2)
        breach("%s: out of its order", __func__);
    touch(h, plan->buffer, BYTES, true, __func__);
    touch(h, plan->buffer2, BYTES, true, __func__);
    size_t index = c->index_type == 2 ? 4 : 8;
    char t = letter(type);
    touch(h, c->indptr, index * ((size_t)c->rows + 1), true, __func__);
    touch(h, c->indices, index * (size_t)c->nnz, true, __func__);
    touch(h, c->values, size_of(t) * (size_t)c->nnz, true, __func__);
    bool *stored = calloc((size_t)(a->rows * b->cols) + 1, sizeof *stored);
    Z *sums = dense_product(a, b, t, stored);
    int64_t end_of = 0;
    set_index(c, c->indptr, 0, 0);
    for (int64_t i = 0; i < c->rows; i++) {
        for (int64_t j = 0; j < c->cols; j++)
            if (stored[i * c->cols + j]) {
                set_index(c, c->indices, end_of, j);
                store(t, c->values, end_of++, load(t, alpha, 0) * sums[i * c->cols + j]);
            }
        set_index(c, c->indptr, i + 1, end_of);
    }
    free(stored);
    free(sums);
    return 0;
}

/* ---- triangles ---- */

API int
cusparseSpMatSetAttribute(Descr *d, int attribute, const int *value, size_t bytes)
{
    is(d, CSR, __func__);
    if (bytes != sizeof *value || attribute > 1)
        breach("%s: attribute %d of %zu bytes", __func__, attribute, bytes);
    *(attribute ? &d->unit : &d->lower_or_upper) = *value;
    return 0;
}

#define TRIANGLE_ARGS                                                                              \
    Handle *h, int op, const void *alpha, const Descr *a, const Descr *x, const Descr *y,          \
        int type, int alg, Descr *plan

API int
cusparseSpSV_bufferSize(TRIANGLE_ARGS, size_t *bytes)
{
    ENTER(h);
    (void)op, (void)alpha, (void)type, (void)alg;
    is(a, CSR, __func__), is(x, VECTOR, __func__), is(y, VECTOR, __func__);
    is(plan, TRIANGLE, __func__);
    *bytes = BYTES;
    return 0;
}

API int
cusparseSpSV_analysis(TRIANGLE_ARGS, void *buffer)
{
    ENTER(h);
    (void)op, (void)alpha, (void)type, (void)alg, (void)x, (void)y;
    touch_matrix(h, is(a, CSR, __func__), __func__);
    touch(h, buffer, BYTES, true, __func__);
    is(plan, TRIANGLE, __func__);
    plan->step = 1;
    plan->buffer = buffer;
    return 0;
}

API int
cusparseSpSV_solve(TRIANGLE_ARGS)
{
    ENTER(h);
    (void)alg;
    if (is(plan, TRIANGLE, __func__)->step != 1)
        breach("%s before its analysis", __func__);
    touch(h, plan->buffer, BYTES, true, __func__);
    touch_matrix(h, a, __func__);
    touch_dense(h, x, false, __func__);
    touch_dense(h, y, true, __func__);
    int64_t n = a->rows;
    char t = letter(type);
    Z *m = calloc((size_t)(n * n) + 1, sizeof *m);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = index_at(a, a->indptr, i); k < index_at(a, a->indptr, i + 1); k++) {
            int64_t j = index_at(a, a->indices, k);
            if (a->lower_or_upper ? j >= i : j <= i)
                m[op ? j * n + i : i * n + j] += load(t, a->values, k);
        }
    bool lower = !a->lower_or_upper != !!op;
    for (int64_t c = 0; c < n; c++) {
        int64_t i = lower ? c : n - 1 - c;
        Z v = load(t, alpha, 0) * load(t, x->values, i);
        for (int64_t j = lower ? 0 : i + 1; j < (lower ? i : n); j++)
            v -= m[i * n + j] * load(t, y->values, j);
        store(t, y->values, i, a->unit ? v : v / m[i * n + i]);
    }
    free(m);
    return 0;
}
