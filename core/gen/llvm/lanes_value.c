/* SPDX-License-Identifier: BSD-3-Clause
 * Expressions in vector lanes: takes an IrExpr, yields a vector of its values. The scalar
 * emission does the operations, on vectors; those that have no vector form run lane by lane,
 * in all lanes, which is harmless since no operation traps. */
#include "lanes.h"

LLVMTypeRef
lane_type(Lanes *l, LLVMTypeRef t)
{
    return LLVMVectorType(t, (unsigned)l->w);
}

LV
lane_const(Lanes *l, LLVMTypeRef t, int64_t first, int64_t step)
{
    LV k[MAX_LANES];
    for (int i = 0; i < l->w; i++)
        k[i] = LLVMConstInt(t, (uint64_t)(first + i * step), true);
    return LLVMConstVector(k, (unsigned)l->w);
}

LV
lane_splat(Lanes *l, LV v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        return v;
    if (LLVMIsConstant(v)) {
        LV all[MAX_LANES];
        for (int i = 0; i < l->w; i++)
            all[i] = v;
        return LLVMConstVector(all, (unsigned)l->w);
    }
    LV none = LLVMGetPoison(lane_type(l, t));
    LV one = LLVMBuildInsertElement(l->g->b, none, v, k64(l->g, 0), "");
    return LLVMBuildShuffleVector(l->g->b, one, none, LLVMConstNull(lane_type(l, l->g->i32)), "");
}

LV
lane_get(Lanes *l, LV v, int k)
{
    return LLVMBuildExtractElement(l->g->b, v, k64(l->g, k), "");
}

LV
lane_put(Lanes *l, LV v, LV x, int k)
{
    return LLVMBuildInsertElement(l->g->b, v, x, k64(l->g, k), "");
}

bool
lane_varies(Lanes *l, const IrExpr *e)
{
    return ir_lane_step(l->a, e) == IR_VARYING;
}

/* ---- operations ---- */

static bool
is_wide(LV v)
{
    return v && LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

/* Has the scalar emission a form of it that works on vectors? */
static bool
has_vector_form(const Gen *g, const IrExpr *e)
{
    DType d = (DType)e->arg[0]->dtype;
    int64_t k;
    if (e->dtype == DT_f16 || d == DT_f16)
        return false;
    if (dtype_is_complex(d))
        return (e->op < OP_min && e->op != OP_pow) || e->op == OP_real || e->op == OP_imag ||
               e->op == OP_conj || e->op == OP_arg ||
               ((e->op == OP_exp || e->op == OP_exp2) && g->sleef);
    bool real = dtype_is_float(d);
    switch (e->op) {
    case OP_pow:
        return real || (ir_is_const(e->arg[1], &k) && is_small_power(k));
    case OP_gcd:
    case OP_lcm:
    case OP_logaddexp:
    case OP_logaddexp2:
    case OP_nextafter:
    case OP_remainder:
        return false;
    case OP_floordiv:
    case OP_mod:
    case OP_fmod:
        return !real;
    default:
        return true;
    }
}

static Val
by_lane(Lanes *l, const IrExpr *e, const Val *a)
{
    Val all = {0};
    for (int k = 0; k < l->w; k++) {
        Val one[4] = {0};
        for (int i = 0; i < e->n; i++) {
            one[i].v = lane_get(l, a[i].v, k);
            one[i].im = a[i].im ? lane_get(l, a[i].im, k) : NULL;
        }
        Val r = emit_apply(l->g, e, one);
        if (k == 0) {
            all.v = LLVMGetPoison(lane_type(l, LLVMTypeOf(r.v)));
            all.im = r.im ? all.v : NULL;
        }
        all.v = lane_put(l, all.v, r.v, k);
        all.im = r.im ? lane_put(l, all.im, r.im, k) : NULL;
    }
    return all;
}

static Val
splat_parts(Lanes *l, Val v)
{
    return (Val){lane_splat(l, v.v), v.im ? lane_splat(l, v.im) : NULL};
}

static Val
lane_select(Lanes *l, const IrExpr *e)
{
    bool vary = lane_varies(l, e->arg[0]);
    LV c = vary ? lane_value(l, e->arg[0]).v : emit_expr(l->g, e->arg[0]).v;
    Val a = lane_value(l, e->arg[1]), b = lane_value(l, e->arg[2]), r = {0};
    r.v = flagged(l->g, LLVMBuildSelect(l->g->b, c, a.v, b.v, ""));
    if (a.im)
        r.im = LLVMBuildSelect(l->g->b, c, a.im, b.im, "");
    return r;
}

static Val
lane_op(Lanes *l, const IrExpr *e)
{
    if (e->op == OP_select)
        return lane_select(l, e);
    Val a[4] = {0};
    for (int i = 0; i < e->n && i < 4; i++)
        a[i] = lane_value(l, e->arg[i]);
    if (!has_vector_form(l->g, e))
        return by_lane(l, e, a);
    return splat_parts(l, emit_apply(l->g, e, a));
}

static Val
lane_var(Lanes *l, const IrVar *v)
{
    Slot *s = &l->g->slots[v->id];
    LLVMTypeRef t = lane_type(l, reg_type(l->g, (DType)v->dtype));
    return (Val){get(l->g, t, s->v), s->im ? get(l->g, t, s->im) : NULL};
}

Val
lane_value(Lanes *l, const IrExpr *e)
{
    int64_t step = ir_lane_step(l->a, e);
    if (step != IR_VARYING) {
        Val v = splat_parts(l, emit_expr(l->g, e));
        if (step == 0 || is_wide(v.im))
            return v;
        LV k = lane_splat(l, k64(l->g, step));
        v.v = LLVMBuildAdd(l->g->b, v.v, LLVMBuildMul(l->g->b, l->lane, k, ""), "");
        return v;
    }
    switch (e->kind) {
    case IX_VAR:
        return lane_var(l, e->var);
    case IX_OP:
        return lane_op(l, e);
    case IX_CAST:
        return emit_cast(l->g, (DType)e->dtype, (DType)e->arg[0]->dtype, lane_value(l, e->arg[0]));
    default:
        return lane_load(l, e);
    }
}
