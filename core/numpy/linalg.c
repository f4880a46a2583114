/* SPDX-License-Identifier: BSD-3-Clause
 * dot and matmul as loop nests: [batch..., m, n] with k inside, in the order i, k, j so
 * that the innermost loop runs along a row of the result and of the right operand. A
 * vector operand is a matrix whose missing axis has size 1. Sums without a j are
 * reductions NumPy itself reassociates. Large products are BLAS's (kernel/lib/blas.c), if there is
 * one when the program runs. */
#include "numpy/internal.h"

typedef struct Product {
    Val a, b, out;
    int batch;     /* leading axes of the result */
    bool row, col; /* the result has an m axis, an n axis */
    bool matmul;   /* broadcast batch axes; dot never has any */
    bool light;    /* the loops are for what is too small for BLAS */
    DType d, acc;
    IrExpr *idx[SW_MAX_NDIM];
} Product;

static Val
settle(IrBuilder *b, Val v)
{
    v = np_as_array(b, v);
    return v.kind == VK_LAZY ? np_materialize(b, v, LAY_C) : v;
}

/* Element [batch, x, y] of an operand; a NULL x or y is an axis that it does not have. */
static IrExpr *
operand(IrBuilder *b, const Product *p, const Val *v, IrExpr *x, IrExpr *y)
{
    IrExpr *at[SW_MAX_NDIM];
    int nd = val_ndim(v), lead = nd - (x != NULL) - (y != NULL), k = 0;
    for (int i = 0; i < lead; i++, k++) {
        IrExpr *i_out = np_cp(b, p->idx[p->batch - lead + i]);
        IrExpr *one = np_op2(b, OP_eq, val_dim(b, v, i), np_int(b, 1));
        at[k] = np_op3(b, OP_select, one, np_int(b, 0), i_out);
    }
    if (x)
        at[k++] = np_cp(b, x);
    if (y)
        at[k++] = np_cp(b, y);
    return np_elem(b, v, at);
}

static IrExpr *
product(IrBuilder *b, const Product *p, IrExpr *i, IrExpr *k, IrExpr *j, DType d)
{
    IrExpr *x = operand(b, p, &p->a, i, k), *y = operand(b, p, &p->b, k, j);
    return np_op2(b, OP_mul, ir_cast(b->cx, d, x), ir_cast(b->cx, d, y));
}

static IrExpr *
inner_size(IrBuilder *b, const Product *p)
{
    return val_dim(b, &p->a, val_ndim(&p->a) - 1);
}

static IrExpr *
sum_over_k(IrBuilder *b, Product *p, IrExpr *i, IrExpr *j)
{
    IrVar *acc = ir_temp(b, np_num(b, p->acc, 0));
    IrExpr *k;
    IrBlock *save;
    IrStmt *s = np_loop(b, LOOP_REDUCE, inner_size(b, p), &k, &save);
    s->elementwise = !p->row && !p->col && !p->batch;
    s->label = s->elementwise ? np_label(b, 0) : NULL;
    IrExpr *sum = np_op2(b, OP_add, ir_use(b->cx, acc), product(b, p, i, k, j, p->acc));
    if (sum->kind == IX_OP)
        sum->flags |= IXF_REASSOC;
    ir_set(b, acc, sum);
    b->at = save;
    return ir_cast(b->cx, p->d, ir_use(b->cx, acc));
}

static void
store_out(IrBuilder *b, const Product *p, IrExpr *i, IrExpr *j, IrExpr *e)
{
    IrExpr *at[SW_MAX_NDIM];
    int n = 0;
    for (; n < p->batch; n++)
        at[n] = np_cp(b, p->idx[n]);
    if (i)
        at[n++] = np_cp(b, i);
    if (j)
        at[n++] = np_cp(b, j);
    ir_store(b, p->out.arr, n, at, e);
}

static IrExpr *
load_out(IrBuilder *b, const Product *p, IrExpr *i, IrExpr *j)
{
    IrExpr *at[SW_MAX_NDIM];
    int n = 0;
    for (; n < p->batch; n++)
        at[n] = np_cp(b, p->idx[n]);
    if (i)
        at[n++] = np_cp(b, i);
    at[n++] = np_cp(b, j);
    return ir_load(b->cx, p->out.arr, n, at);
}

/* out[i, :] += a[i, k] * b[k, :] for every k */
static void
rank_one_updates(IrBuilder *b, Product *p, IrExpr *i)
{
    IrExpr *k, *j;
    IrBlock *save_k, *save_j;
    np_loop(b, LOOP_SEQ, inner_size(b, p), &k, &save_k)->light = p->light;
    IrExpr *x = val_freeze(b, ir_cast(b->cx, p->d, operand(b, p, &p->a, i, k)));
    np_loop(b, LOOP_PAR, val_dim(b, &p->b, val_ndim(&p->b) - 1), &j, &save_j)->novec_alias = true;
    IrExpr *y = ir_cast(b->cx, p->d, operand(b, p, &p->b, k, j));
    IrExpr *sum = np_op2(b, OP_add, load_out(b, p, i, j), np_op2(b, OP_mul, np_cp(b, x), y));
    store_out(b, p, i, j, sum);
    b->at = save_k;
}

static void
fill_row(IrBuilder *b, Product *p, IrExpr *i)
{
    if (p->col && p->d == DT_f16) { /* accumulated in float32, so column by column */
        IrExpr *j;
        IrBlock *save;
        np_loop(b, LOOP_PAR, val_dim(b, &p->b, val_ndim(&p->b) - 1), &j, &save);
        store_out(b, p, i, j, sum_over_k(b, p, i, j));
        b->at = save;
    } else if (p->col) {
        rank_one_updates(b, p, i);
    } else {
        store_out(b, p, i, NULL, sum_over_k(b, p, i, NULL));
    }
}

static void
fill(IrBuilder *b, Product *p)
{
    IrBlock *outer = b->at, *save;
    IrExpr *i = NULL;
    for (int d = 0; d < p->batch; d++)
        np_loop(b, LOOP_PAR, val_dim(b, &p->out, d), &p->idx[d], &save)->label = np_label(b, d);
    if (p->row)
        np_loop(b, LOOP_PAR, val_dim(b, &p->a, val_ndim(&p->a) - 2), &i, &save)->label =
            np_label(b, p->batch);
    fill_row(b, p, i);
    b->at = outer;
}

/* ---- by BLAS ---- */

enum {
    BLAS_WORK = 100000,       /* multiplications from which blocks pay; of complex numbers: */
    BLAS_COMPLEX_WORK = 1000, /* and those for which our innermost loop is too short: */
    BLAS_THIN = 32,
    BLAS_NARROW = 64, /* float32's, of at least so many multiplications: */
    BLAS_NARROW_WORK = 6000,
    BLAS_DEPTH = 12,       /* sums of fewer terms move more than they compute */
    BLAS_SHALLOW = 8,      /* sums of fewer are no work for our blocks */
    BLAS_OUTPUT = 2000000, /* elements of a result that our loops would bring into caches twice */
    BLAS_CROWDED_WORK = 64,
    BLAS_VECTOR_WORK = 1000
};

/* The kernel for such operands; NULL: loops do it as well. Where a vector meets rows, they do. */
static const KernelRow *
blas_routine(IrBuilder *b, const Product *p)
{
    int na = val_ndim(&p->a), nb = val_ndim(&p->b);
    const IrVar *matrix = na == 2 ? p->a.arr : p->b.arr;
    if (!np_kernel_may(b) || na > 2 || nb > 2 || !kernel_takes(kernel_row(BI_kernel_gemm), p->d) ||
        val_dtype(&p->a) != p->d || val_dtype(&p->b) != p->d)
        return NULL;
    if (na == 2 && nb == 2)
        return kernel_row(BI_kernel_gemm);
    if (matrix->layout == LAY_C && !dtype_is_complex(p->d))
        return NULL;
    return kernel_row(na == 2 ? BI_kernel_gemv : BI_kernel_gevm);
}

/* Loops for small operands are the larger part of what a product has to compile. Where a function
 * has many, those behind the first few are left to BLAS, and their loops are compiled small. */
static bool
is_crowded(const IrBuilder *b)
{
    enum { MOST = 2 };
    return b->f->products > MOST;
}

static IrExpr *
thinner(IrBuilder *b, const Product *p, IrExpr *work, int columns, int least)
{
    return np_op2(b, OP_and, np_op2(b, OP_lt, val_dim(b, &p->b, 1), np_int(b, columns)),
                  np_op2(b, OP_ge, np_cp(b, work), np_int(b, least)));
}

static IrExpr *
pays(IrBuilder *b, const Product *p, const KernelRow *row)
{
    bool complex = dtype_is_complex(p->d);
    IrExpr *work = np_op2(b, OP_mul, np_size(b, &p->out), inner_size(b, p));
    if (is_crowded(b))
        return np_op2(b, OP_ge, work, np_int(b, BLAS_CROWDED_WORK));
    if (row->id != BI_kernel_gemm)
        return np_op2(b, OP_ge, work, np_int(b, BLAS_VECTOR_WORK));
    work = val_freeze(b, work);
    IrExpr *large = np_op2(b, OP_ge, work, np_int(b, complex ? BLAS_COMPLEX_WORK : BLAS_WORK));
    if (complex)
        return large;
    IrExpr *thin = thinner(b, p, work, BLAS_THIN, BLAS_VECTOR_WORK);
    if (p->d == DT_f32)
        thin = np_op2(b, OP_or, thin, thinner(b, p, work, BLAS_NARROW, BLAS_NARROW_WORK));
    IrExpr *deep = np_op2(b, OP_gt, inner_size(b, p), np_int(b, BLAS_DEPTH));
    deep = np_op2(b, OP_or, deep, np_op2(b, OP_lt, inner_size(b, p), np_int(b, BLAS_SHALLOW)));
    deep = np_op2(b, OP_or, deep, np_op2(b, OP_ge, np_size(b, &p->out), np_int(b, BLAS_OUTPUT)));
    return np_op2(b, OP_or, thin, np_op2(b, OP_and, large, deep));
}

static void
store_zero(IrBuilder *b, IrExpr **idx, void *arg)
{
    const Product *p = arg;
    IrExpr *at[2];
    for (int k = 0; k < val_ndim(&p->out); k++)
        at[k] = np_cp(b, idx[k]);
    ir_store(b, p->out.arr, val_ndim(&p->out), at, np_num(b, p->d, 0));
}

/* The kernel where it pays, and loops where it does not, or there is no BLAS. */
static void
fill_by(IrBuilder *b, Product *p, const KernelRow *row)
{
    IrVar *status = ir_temp(b, np_int(b, 1));
    IrBlock *save = b->at;
    b->f->products++;
    b->at = &ir_if(b, pays(b, p, row))->body;
    IrArg *args = NEW_N(&b->cx->arena, IrArg, 3), *outs = NEW(&b->cx->arena, IrArg);
    args[0].arr = p->a.arr;
    args[1].arr = p->b.arr;
    args[2].arr = p->out.arr;
    outs->out = status;
    IrStmt *s = ir_append(b, IS_CALL);
    s->func = np_kernel_func(b, row, p->d);
    s->args = args;
    s->n_args = 3;
    s->outs = outs;
    s->n_outs = 1;
    b->f->may_raise = true;
    b->at = save;
    IrStmt *loops = ir_if(b, np_op2(b, OP_ne, ir_use(b->cx, status), np_int(b, 0)));
    loops->cold = is_crowded(b);
    b->at = &loops->body;
    np_foreach(b, &p->out, LOOP_PAR, store_zero, p);
    p->light = true;
    fill(b, p);
    b->at = save;
}

static void
check_inner(IrBuilder *b, const Product *p)
{
    IrExpr *ka = inner_size(b, p);
    IrExpr *kb = val_dim(b, &p->b, val_ndim(&p->b) == 1 ? 0 : val_ndim(&p->b) - 2);
    IrExpr *ok = np_op2(b, OP_eq, np_cp(b, ka), np_cp(b, kb));
    if (p->matmul) {
        IrExpr *args[2] = {ka, kb};
        np_checkf(b, ok, "ValueError",
                  "matmul: Input operand 1 has a mismatch in its core dimension 0, with "
                  "gufunc signature (n?,k),(k,m?)->(n?,m?) (size %1 is different from %0)",
                  2, args);
        return;
    }
    /* at most two axes each, whose sizes are %0 and %1, %2 and %3 */
    IrExpr *args[4] = {np_int(b, 0), np_int(b, 0), np_int(b, 0), np_int(b, 0)};
    int na = val_ndim(&p->a), nb = val_ndim(&p->b);
    for (int i = 0; i < na; i++)
        args[i] = val_dim(b, &p->a, i);
    for (int i = 0; i < nb; i++)
        args[2 + i] = val_dim(b, &p->b, i);
    np_checkf(
        b, ok, "ValueError",
        arena_printf(&b->cx->arena, "shapes %s and %s not aligned: %%%d (dim %d) != %%2 (dim 0)",
                     na == 1 ? "(%0,)" : "(%0,%1)", nb == 1 ? "(%2,)" : "(%2,%3)", na - 1, na - 1),
        4, args);
}

static IrExpr *
batch_dim(IrBuilder *b, const Product *p, int ax)
{
    IrExpr *size = NULL;
    const Val *v[2] = {&p->a, &p->b};
    for (int k = 0; k < 2; k++) {
        int lead = val_ndim(v[k]) - 2, at = ax - (p->batch - lead);
        if (lead <= 0 || at < 0)
            continue;
        IrExpr *d = val_freeze(b, val_dim(b, v[k], at));
        if (!size) {
            size = d;
            continue;
        }
        IrExpr *one = np_op2(b, OP_eq, np_cp(b, size), np_int(b, 1));
        IrExpr *fits =
            np_op2(b, OP_or, np_op2(b, OP_eq, np_cp(b, size), np_cp(b, d)),
                   np_op2(b, OP_or, np_cp(b, one), np_op2(b, OP_eq, np_cp(b, d), np_int(b, 1))));
        np_check(b, fits, "ValueError",
                 "operands could not be broadcast together with remapped "
                 "shapes (matmul's leading axes differ)");
        size = val_freeze(b, np_op3(b, OP_select, one, d, np_cp(b, size)));
    }
    return size ? size : np_int(b, 1);
}

static int
result_dims(IrBuilder *b, Product *p, IrExpr **dims)
{
    int na = val_ndim(&p->a), nb = val_ndim(&p->b), n = 0;
    int la = na > 2 ? na - 2 : 0, lb = nb > 2 ? nb - 2 : 0;
    p->batch = la > lb ? la : lb;
    p->row = na > 1;
    p->col = nb > 1;
    for (; n < p->batch; n++)
        dims[n] = batch_dim(b, p, n);
    if (p->row)
        dims[n++] = val_dim(b, &p->a, na - 2);
    if (p->col)
        dims[n++] = val_dim(b, &p->b, nb - 1);
    return n;
}

/* np.dot takes only what BLAS would write to. */
static void
check_dot_out(IrBuilder *b, const NpCall *c)
{
    Val *out = np_out(c);
    if (out)
        np_check(b, np_is_contig(b, out, false), "ValueError",
                 "output array is not acceptable (must have the right datatype, number of "
                 "dimensions, and be a C-Array)");
}

static void
check_core(IrBuilder *b, IrExpr *got, IrExpr *want, int k)
{
    IrExpr *args[2] = {val_freeze(b, got), val_freeze(b, want)};
    np_checkf(b, np_op2(b, OP_eq, np_cp(b, args[0]), np_cp(b, args[1])), "ValueError",
              arena_printf(&b->cx->arena,
                           "matmul: Output operand 0 has a mismatch in its core dimension %d, with "
                           "gufunc signature "
                           "(n?,k),(k,m?)->(n?,m?) (size %%0 is different from %%1)",
                           k),
              2, args);
}

/* The axes of matrices in out= have their sizes, whereas those before broadcast. */
static void
check_matmul_out(IrBuilder *b, const NpCall *c, const Product *p, int n, IrExpr **dims)
{
    Val *out = np_out(c);
    int core = p->row + p->col;
    for (int k = 0; out && val_ndim(out) == n && k < core; k++)
        check_core(b, val_dim(b, out, n - core + k), np_cp(b, dims[n - core + k]), k);
}

/* A result without axes: into out=, which np.dot does not return. */
static Val
number_out(IrBuilder *b, const NpCall *c, IrExpr *e, bool matmul)
{
    Val *out = np_out(c);
    Val v = val_scalar(b, type_scalar(b->cx->types, (DType)e->dtype, false), val_freeze(b, e));
    if (out)
        np_assign_out(b, out, v);
    return out && matmul ? *out : v;
}

static Val
multiply_scalars(IrBuilder *b, NpCall *c, Val *x, Val *y)
{
    DType d = c->result->storage;
    Val args[2] = {np_as_array(b, *x), np_as_array(b, *y)};
    DType in[2] = {d, d};
    if (c->result->kind == TY_SCALAR)
        return number_out(
            b, c, np_op2(b, OP_mul, val_expr(b, &args[0], d), val_expr(b, &args[1], d)), false);
    return np_finish(b, c, np_ufunc(b, OP_mul, 2, args, in, d, c->result));
}

static Val
multiply(IrBuilder *b, NpCall *c, bool matmul)
{
    Product p = {.matmul = matmul, .d = c->result->storage};
    p.acc = p.d == DT_f16 ? DT_f32 : p.d;
    for (int k = 0; k < 2; k++)
        c->arg[k] = np_as_array(b, c->arg[k]);
    if (!matmul)
        check_dot_out(b, c);
    if (val_ndim(&c->arg[0]) == 0 || val_ndim(&c->arg[1]) == 0)
        return multiply_scalars(b, c, &c->arg[0], &c->arg[1]);
    p.a = settle(b, c->arg[0]);
    p.b = settle(b, c->arg[1]);
    check_inner(b, &p);
    IrExpr *dims[SW_MAX_NDIM];
    int n = result_dims(b, &p, dims);
    if (n == 0)
        return number_out(b, c, sum_over_k(b, &p, NULL, NULL), matmul);
    for (int k = 0; k < n; k++)
        dims[k] = val_freeze(b, dims[k]);
    if (matmul)
        check_matmul_out(b, c, &p, n, dims);
    const KernelRow *row = blas_routine(b, &p);
    p.out = np_new_array(b, p.d, n, dims, LAY_C, !row);
    if (!p.matmul)
        np_check_out(b, c, &p.out, true, "output array has wrong dimensions");
    if (row)
        fill_by(b, &p, row);
    else
        fill(b, &p);
    return np_finish(b, c, p.out);
}

Val
emit_np_dot(IrBuilder *b, NpCall *c)
{
    return multiply(b, c, false);
}

Val
emit_np_matmul(IrBuilder *b, NpCall *c)
{
    return multiply(b, c, true);
}
