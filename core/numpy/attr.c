/* SPDX-License-Identifier: BSD-3-Clause
 * Attributes of arrays and NumPy scalars: shape, T, real and the like. What depends on
 * the type only is a constant; the rest reads the descriptor, or is a view of the same
 * memory. */
#include "numpy/internal.h"

static Val
sizes(IrBuilder *b, const Val *v, const Type *t, bool strides)
{
    int nd = val_ndim(v);
    Val elem[SW_MAX_NDIM];
    for (int i = 0; i < nd; i++)
        elem[i] = np_weak_int(b, strides ? ir_stride(b->cx, v->arr, i) : val_dim(b, v, i));
    return val_tuple(b, t, nd, elem);
}

/* The real or imaginary half of a complex array, as a view of every other float. */
static Val
half(IrBuilder *b, const Val *v, bool imag, const Type *t)
{
    DType d = dtype_real(v->arr->dtype);
    IrExpr *dims[SW_MAX_NDIM], *strides[SW_MAX_NDIM];
    for (int i = 0; i < v->arr->ndim; i++) {
        dims[i] = ir_dim(b->cx, v->arr, i);
        strides[i] = ir_stride(b->cx, v->arr, i);
    }
    return np_view_simple(b, v, np_int(b, imag ? dtype_size(d) : 0), v->arr->ndim, dims, strides,
                          t);
}

Val
np_field(IrBuilder *b, const Val *bytes, int64_t offset, int n_own, const int64_t *own,
         const Type *t)
{
    IrExpr *dims[SW_MAX_NDIM], *strides[SW_MAX_NDIM];
    int n = bytes->arr->ndim - 1;
    int64_t step = dtype_size((DType)t->storage);
    for (int i = 0; i < n; i++) {
        dims[i] = ir_dim(b->cx, bytes->arr, i);
        strides[i] = ir_stride(b->cx, bytes->arr, i);
    }
    for (int i = n_own - 1; i >= 0; i--) {
        dims[n + i] = np_int(b, own[i]);
        strides[n + i] = np_int(b, step);
        step *= own[i];
    }
    return np_view_simple(b, bytes, np_int(b, offset), n + n_own, dims, strides, t);
}

static Val
part(IrBuilder *b, Val v, bool imag, const Type *t)
{
    DType d = val_dtype(&v), r = dtype_real(d);
    if (v.kind == VK_ARRAY && dtype_is_complex(d) && t->kind == TY_ARRAY)
        return half(b, &v, imag, t);
    if (!imag && !dtype_is_complex(d)) {
        if (v.kind == VK_SCALAR) /* of a Python bool it is an int */
            v.e = ir_cast(b->cx, (DType)t->storage, v.e);
        return np_retype(v, t);
    }
    Val got = np_lazy(b, imag ? OP_imag : OP_real, 1, &v, &d, r, t);
    if (got.kind == VK_SCALAR && t->kind == TY_ARRAY)
        return np_fill_new(b, r, 0, NULL, LAY_C, &got);
    return got;
}

static Val
transposed(IrBuilder *b, Val v, bool last_two, const Type *t)
{
    int perm[SW_MAX_NDIM], nd = val_ndim(&v);
    if (nd < 2)
        return v;
    for (int i = 0; i < nd; i++)
        perm[i] = last_two ? i : nd - 1 - i;
    if (last_two) {
        perm[nd - 1] = nd - 2;
        perm[nd - 2] = nd - 1;
    }
    return np_transpose(b, v, perm, t);
}

Val
np_attribute(IrBuilder *b, Val v, const char *name, const Type *result)
{
    int size = dtype_size(val_dtype(&v));
    if (!strcmp(name, "shape"))
        return sizes(b, &v, result, false);
    if (!strcmp(name, "strides")) {
        v = np_materialize(b, v, LAY_C);
        return sizes(b, &v, result, true);
    }
    if (!strcmp(name, "ndim"))
        return np_weak_int(b, np_int(b, val_ndim(&v)));
    if (!strcmp(name, "size"))
        return np_weak_int(b, np_size(b, &v));
    if (!strcmp(name, "itemsize"))
        return np_weak_int(b, np_int(b, size));
    if (!strcmp(name, "nbytes"))
        return np_weak_int(b, np_op2(b, OP_mul, np_size(b, &v), np_int(b, size)));
    if (!strcmp(name, "ctypes"))
        return v;
    if (!strcmp(name, "T"))
        return transposed(b, v, false, result);
    if (!strcmp(name, "mT"))
        return transposed(b, v, true, result);
    if (!strcmp(name, "real") || !strcmp(name, "numerator"))
        return part(b, v, false, result);
    if (!strcmp(name, "imag"))
        return part(b, v, true, result);
    return (Val){.kind = VK_CONST, .type = result};
}

/* ---- attributes that are functions, too ---------------------------------------------------- */

/* np.real, np.imag */
Val
emit_np_part(IrBuilder *b, NpCall *c)
{
    return part(b, np_as_array(b, c->arg[0]), c->fn->op == OP_imag, c->result);
}

Val
emit_np_ndim(IrBuilder *b, NpCall *c)
{
    Val a = np_as_array(b, c->arg[0]);
    return np_weak_int(b, np_int(b, val_ndim(&a)));
}

Val
emit_np_shape(IrBuilder *b, NpCall *c)
{
    Val a = np_as_array(b, c->arg[0]);
    return sizes(b, &a, c->result, false);
}

Val
emit_np_size(IrBuilder *b, NpCall *c)
{
    Val a = np_as_array(b, c->arg[0]);
    if (np_arg(c, "axis"))
        return np_weak_int(b, val_dim(b, &a, np_arg_axis(b, c, "axis", val_ndim(&a), 0)));
    return np_weak_int(b, np_size(b, &a));
}

/* By where their memory begins and ends. What is no array yet shares none. */
Val
emit_np_shares(IrBuilder *b, NpCall *c)
{
    Val x = np_as_array(b, c->arg[0]), y = np_as_array(b, c->arg[1]);
    bool both = x.kind == VK_ARRAY && y.kind == VK_ARRAY;
    IrExpr *e = both ? np_maybe_overlap(b, x.arr, y.arr) : ir_int(b->cx, DT_bool, 0);
    return val_scalar(b, c->result, e);
}

/* The method leaves what is real as it is, whereas np.conj copies. */
Val
emit_np_method_conj(IrBuilder *b, NpCall *c)
{
    DType d = val_dtype(&c->arg[0]);
    if (!dtype_is_complex(d))
        return c->result->kind == TY_SCALAR ? np_cast(b, c->arg[0], c->result->storage, c->result)
                                            : c->arg[0];
    return np_lazy(b, OP_conj, 1, &c->arg[0], &d, d, c->result);
}
