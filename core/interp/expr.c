/* SPDX-License-Identifier: BSD-3-Clause
 * Expressions: a tree and a frame yield a value. All of a tree is evaluated, as in compiled code:
 * both operands of a `select`, so that a load in either has to be in range. */
#include "interp/internal.h"

static Num
load(Interp *in, Frame *fr, const IrExpr *e)
{
    int64_t idx[64];
    Num r = {.undef = true};
    for (int k = 0; k < e->n && k < 64; k++)
        idx[k] = eval_int(in, fr, e->arg[k], "an index");
    if (in->stop)
        return r;
    char *p = element(in, fr, e->var, idx, READ);
    if (!p || !touched(in, fr, e->var, p, READ))
        return r;
    r = num_read((DType)e->dtype, p);
    r.undef = bytes_undef(fr->slot[e->var->id].d.of.buf, p, dtype_size(e->dtype));
    in->out->unset |= r.undef;
    return r;
}

static Num
extent(Interp *in, Frame *fr, const IrExpr *e)
{
    const Desc *d = &fr->slot[e->var->id].d;
    if ((!d->set && !d->dropped) || d->stale)
        return (Num){.undef = true};
    (void)in;
    return (Num){.i = e->kind == IX_DIM ? d->dim[e->axis] : d->stride[e->axis]};
}

/* What most of a program is made of; everything else is value.c's. */
static bool
quick(const IrExpr *e, DType d, const Num *a, Num *r)
{
    if (a[0].undef || a[1].undef)
        return false;
    if (d == DT_i64) {
        uint64_t x = (uint64_t)a[0].i, y = (uint64_t)a[1].i;
        switch (e->op) {
        case OP_add:
            r->i = (int64_t)(x + y);
            return true;
        case OP_sub:
            r->i = (int64_t)(x - y);
            return true;
        case OP_mul:
            r->i = (int64_t)(x * y);
            return true;
        case OP_lt:
            r->i = a[0].i < a[1].i;
            return true;
        case OP_le:
            r->i = a[0].i <= a[1].i;
            return true;
        case OP_gt:
            r->i = a[0].i > a[1].i;
            return true;
        case OP_ge:
            r->i = a[0].i >= a[1].i;
            return true;
        case OP_eq:
            r->i = a[0].i == a[1].i;
            return true;
        case OP_ne:
            r->i = a[0].i != a[1].i;
            return true;
        case OP_min:
            r->i = a[0].i < a[1].i ? a[0].i : a[1].i;
            return true;
        case OP_max:
            r->i = a[0].i > a[1].i ? a[0].i : a[1].i;
            return true;
        default:
            return false;
        }
    }
    if (d == DT_bool && (e->op == OP_and || e->op == OP_or)) {
        r->i = e->op == OP_and ? a[0].i & a[1].i : a[0].i | a[1].i;
        return true;
    }
    if (d != DT_f64)
        return false;
    switch (e->op) {
    case OP_add:
        r->re = a[0].re + a[1].re;
        return true;
    case OP_sub:
        r->re = a[0].re - a[1].re;
        return true;
    case OP_mul:
        r->re = a[0].re * a[1].re;
        return true;
    case OP_lt:
        r->i = a[0].re < a[1].re;
        return true;
    case OP_gt:
        r->i = a[0].re > a[1].re;
        return true;
    default:
        return false;
    }
}

static bool
wraps(const IrExpr *e, int64_t x, int64_t y)
{
    int64_t r;
    return e->op == OP_add   ? __builtin_add_overflow(x, y, &r)
           : e->op == OP_sub ? __builtin_sub_overflow(x, y, &r)
                             : __builtin_mul_overflow(x, y, &r);
}

static Num
operate(Interp *in, Frame *fr, const IrExpr *e)
{
    Num a[4] = {0}, r = {0};
    for (int k = 0; k < e->n && k < 4; k++)
        a[k] = eval(in, fr, e->arg[k]);
    if (e->flags & IXF_EXACT && !in->stop && wraps(e, a[0].i, a[1].i))
        wrong(in, "%s of %lld and %lld is said not to wrap", op_info[e->op].name, (long long)a[0].i,
              (long long)a[1].i);
    DType d = (DType)e->arg[0]->dtype;
    if (e->n == 2 && quick(e, d, a, &r))
        return r;
    return num_op((IrOp)e->op, d, (DType)e->arg[e->n > 1]->dtype, a, (DType)e->dtype);
}

Num
eval(Interp *in, Frame *fr, const IrExpr *e)
{
    Num r = {.undef = true};
    if (in->stop)
        return r;
    switch (e->kind) {
    case IX_CONST:
        if (dtype_kind(e->dtype) < DK_FLOAT)
            return (Num){.i = e->i};
        return (Num){.re = e->re, .im = dtype_is_complex((DType)e->dtype) ? e->im : 0};
    case IX_VAR:
        return fr->slot[e->var->id].v;
    case IX_OP:
        return operate(in, fr, e);
    case IX_CAST:
        return num_cast((DType)e->dtype, (DType)e->arg[0]->dtype, eval(in, fr, e->arg[0]));
    case IX_LOAD:
        return load(in, fr, e);
    case IX_DIM:
    case IX_STRIDE:
        return extent(in, fr, e);
    case IX_GEO:
        if (in->threads)
            return (Num){.i = threads_geo(in->threads, e->axis)};
        cannot(in, "the place of a thread in a grid");
        break;
    }
    return r;
}

int64_t
eval_int(Interp *in, Frame *fr, const IrExpr *e, const char *what)
{
    Num v = eval(in, fr, e);
    if (v.undef && !in->stop)
        wrong(in, "%s is not known: it comes from what nobody has set", what);
    return v.i;
}

bool
eval_bool(Interp *in, Frame *fr, const IrExpr *e, const char *what)
{
    return eval_int(in, fr, e, what) != 0;
}
