/* SPDX-License-Identifier: BSD-3-Clause
 * Expressions as OpenCL C, each as op.def describes it. What C leaves undefined is spelt so that it
 * isn't: signed sums go through unsigned, divisions through functions that know zero, shifts look
 * at their count. A float16 is a float between a load and a store, rounded after each operation. */
#include "gen/opencl/opencl.h"

#include <math.h>

#define P(...) arena_printf(&g->cx->arena, __VA_ARGS__)

static const char *const types[] = {"bool",  "char",   "short",  "int",    "long",
                                    "uchar", "ushort", "uint",   "ulong",  "float",
                                    "float", "double", "float2", "double2"};
static const char *const mem_types[] = {"uchar", "char",   "short",  "int",    "long",
                                        "uchar", "ushort", "uint",   "ulong",  "half",
                                        "float", "double", "float2", "double2"};

const char *
cl_type(DType d)
{
    return types[d];
}

const char *
cl_mem_type(DType d)
{
    return mem_types[d];
}

static bool
is_signed(DType d)
{
    return dtype_kind(d) == DK_INT;
}

/* ---- constants ------------------------------------------------------------------------------- */

static char *
int_text(Cl *g, DType d, int64_t v)
{
    if (d == DT_bool)
        return P("%s", v ? "true" : "false");
    if (d == DT_i64)
        return v == INT64_MIN ? P("(-9223372036854775807L - 1)")
                              : P(v < 0 ? "(%lldL)" : "%lldL", (long long)v);
    if (d == DT_u64)
        return P("%lluUL", (unsigned long long)v);
    if (d == DT_u32)
        return P("%uU", (unsigned)v);
    if (v == INT32_MIN)
        return P("(-2147483647 - 1)");
    return P("((%s)%lld)", cl_type(d), (long long)v);
}

static char *
float_text(Cl *g, DType d, double v)
{
    if (d == DT_f64 || d == DT_c128) {
        uint64_t u;
        memcpy(&u, &v, sizeof u);
        return isfinite(v) ? P("(%a)", v) : P("as_double(0x%llxUL)", (unsigned long long)u);
    }
    float s = (float)v;
    uint32_t u;
    memcpy(&u, &s, sizeof u);
    return isfinite(s) ? P("(%af)", (double)s) : P("as_float(0x%xU)", u);
}

static char *
constant(Cl *g, const IrExpr *e)
{
    DType d = (DType)e->dtype;
    if (dtype_is_complex(d))
        return P("((%s)(%s, %s))", cl_type(d), float_text(g, d, e->re), float_text(g, d, e->im));
    return dtype_kind(d) == DK_FLOAT ? float_text(g, d, e->re) : int_text(g, d, e->i);
}

char *
cl_zero(Cl *g, DType d)
{
    return dtype_is_complex(d) ? P("(%s)(0, 0)", cl_type(d)) : P("0");
}

/* ---- memory ---------------------------------------------------------------------------------- */

char *
cl_address(Cl *g, const IrVar *v, int n, IrExpr *const *idx)
{
    char *name = cl_var(g, v), *at = P("%s_p", name);
    for (int k = 0; k < n; k++) {
        char *i = cl_expr(g, idx[k]);
        bool packed = v->layout == LAY_C && k == n - 1;
        packed |= v->layout == LAY_F && k == 0;
        if (packed)
            at = P("%s + %s * %d", at, i, dtype_size((DType)v->dtype));
        else
            at = P("%s + %s * %s_s%d", at, i, name, k);
    }
    return P("((%s %s *)(%s))", cl_space(cl_space_of(g, v)), cl_mem_type((DType)v->dtype), at);
}

char *
cl_load(Cl *g, DType d, ClSpace s, const char *address)
{
    (void)s;
    if (d == DT_bool)
        return P("(*%s != 0)", address);
    if (d == DT_f16)
        return P("vload_half(0, %s)", address);
    return P("(*%s)", address);
}

void
cl_store(Cl *g, DType d, ClSpace s, const char *address, const char *value)
{
    (void)s;
    if (d == DT_f16)
        cl_line(g, "vstore_half_rte(%s, 0, %s);", value, address);
    else
        cl_line(g, "*%s = %s;", address, value);
}

/* ---- casts ----------------------------------------------------------------------------------- */

static char *
to_complex(Cl *g, DType to, DType from, char *a)
{
    DType part = dtype_real(to);
    if (dtype_is_complex(from))
        return P("%s(%s)", to == DT_c64 ? "convert_float2" : "convert_double2", a);
    return P("((%s)(%s, 0))", cl_type(to), cl_cast(g, part, from, a));
}

/* As the CPU's compiled code does it: narrow integers by way of int, uint by way of long. */
char *
cl_cast(Cl *g, DType to, DType from, char *a)
{
    if (to == from)
        return a;
    if (dtype_is_complex(to))
        return to_complex(g, to, from, a);
    if (to == DT_bool && dtype_is_complex(from))
        return P("(%s.x != 0 || %s.y != 0)", a, a);
    if (to == DT_bool)
        return P("(%s != 0)", a);
    if (dtype_is_complex(from))
        return cl_cast(g, to, dtype_real(from), P("%s.x", a));
    if (to == DT_f16) /* of an integer by way of float, as NumPy does it */
        return P(from == DT_f64 ? "sw_half_f64(%s)" : "sw_half((float)%s)", a);
    if (dtype_kind(from) == DK_FLOAT && dtype_is_int(to)) {
        const char *via = to == DT_u64 ? "u64" : to == DT_u32 || to == DT_i64 ? "i64" : "i32";
        return P("((%s)sw_to_%s_%s(%s))", cl_type(to), via, from == DT_f64 ? "f64" : "f32", a);
    }
    return P("((%s)%s)", cl_type(to), a);
}

/* ---- integers -------------------------------------------------------------------------------- */

static char *
wrapping(Cl *g, DType d, const char *op, char **a)
{
    const char *u = dtype_info[d].bits > 32 ? "ulong" : "uint";
    return P("((%s)((%s)%s %s (%s)%s))", cl_type(d), u, a[0], op, u, a[1]);
}

/* A function of helpers.c for long or ulong. */
static char *
by_long(Cl *g, const char *name, DType d, char **a, int n)
{
    const char *wide = is_signed(d) ? "long" : "ulong", *suffix = is_signed(d) ? "i64" : "u64";
    if (n == 1)
        return P("((%s)sw_%s_%s((%s)%s))", cl_type(d), name, suffix, wide, a[0]);
    return P("((%s)sw_%s_%s((%s)%s, (%s)%s))", cl_type(d), name, suffix, wide, a[0], wide, a[1]);
}

/* Of 32 bits and less in an int, or uint: division of 64 bits is slow. */
static char *
divide(Cl *g, const char *name, DType d, char **a)
{
    if (dtype_info[d].bits > 32)
        return by_long(g, name, d, a, 2);
    const char *t = is_signed(d) ? "int" : "uint", *suffix = is_signed(d) ? "i32" : "u32";
    return P("((%s)sw_%s_%s((%s)%s, (%s)%s))", cl_type(d), name, suffix, t, a[0], t, a[1]);
}

static char *
shift(Cl *g, IrOp op, DType d, char **a)
{
    int bits = dtype_info[d].bits;
    const char *u = bits > 32 ? "ulong" : "uint";
    char *fits = P("(ulong)%s < %dUL", a[1], bits);
    if (op == OP_shl)
        return P("(%s ? (%s)((%s)%s << %s) : (%s)0)", fits, cl_type(d), u, a[0], a[1], cl_type(d));
    if (!is_signed(d))
        return P("(%s ? (%s)(%s >> %s) : (%s)0)", fits, cl_type(d), a[0], a[1], cl_type(d));
    return P("((%s)(%s >> (%s ? (int)%s : %d)))", cl_type(d), a[0], fits, a[1], bits - 1);
}

/* Of the least number itself; abs of OpenCL has no sign, and some compilers reckon with that. */
static char *
absolute(Cl *g, DType d, const char *a)
{
    return P("((%s)sw_abs_%s(%s))", cl_type(d), dtype_info[d].bits > 32 ? "i64" : "i32", a);
}

static const char *
infix(IrOp op)
{
    switch (op) {
    case OP_add:
        return "+";
    case OP_sub:
        return "-";
    case OP_mul:
        return "*";
    case OP_div:
        return "/";
    case OP_and:
        return "&";
    case OP_or:
        return "|";
    case OP_xor:
        return "^";
    case OP_eq:
        return "==";
    case OP_ne:
        return "!=";
    case OP_lt:
        return "<";
    case OP_le:
        return "<=";
    case OP_gt:
        return ">";
    case OP_ge:
        return ">=";
    default:
        return NULL;
    }
}

static char *
bool_op(Cl *g, IrOp op, char **a)
{
    switch (op) {
    case OP_add:
        return P("(%s || %s)", a[0], a[1]);
    case OP_mul:
        return P("(%s && %s)", a[0], a[1]);
    case OP_sub:
        return P("(%s != %s)", a[0], a[1]);
    case OP_inv:
        return P("(!%s)", a[0]);
    case OP_min:
    case OP_fmin:
        return P("(%s && %s)", a[0], a[1]);
    case OP_max:
    case OP_fmax:
        return P("(%s || %s)", a[0], a[1]);
    case OP_sign:
    case OP_abs:
    case OP_neg:
        return a[0];
    default:
        return NULL;
    }
}

static char *
int_op(Cl *g, IrOp op, DType d, char **a)
{
    const char *t = cl_type(d);
    switch (op) {
    case OP_add:
    case OP_sub:
    case OP_mul:
        return wrapping(g, d, infix(op), a);
    case OP_and:
    case OP_or:
    case OP_xor:
        return P("((%s)(%s %s %s))", t, a[0], infix(op), a[1]);
    case OP_floordiv:
        return divide(g, "floordiv", d, a);
    case OP_mod:
        return divide(g, "mod", d, a);
    case OP_fmod:
        return divide(g, "fmod", d, a);
    case OP_tdiv:
        return divide(g, "tdiv", d, a);
    case OP_pow:
        return by_long(g, "pow", d, a, 2);
    case OP_gcd:
        return by_long(g, "gcd", d, a, 2);
    case OP_lcm:
        return by_long(g, "lcm", d, a, 2);
    case OP_neg:
        return wrapping(g, d, "-", (char *[]){"0", a[0]});
    case OP_abs:
        return is_signed(d) ? absolute(g, d, a[0]) : a[0];
    case OP_inv:
        return P("((%s)~%s)", t, a[0]);
    case OP_shl:
    case OP_shr:
        return shift(g, op, d, a);
    case OP_min:
    case OP_fmin:
        return P("min(%s, %s)", a[0], a[1]);
    case OP_max:
    case OP_fmax:
        return P("max(%s, %s)", a[0], a[1]);
    case OP_sign:
        return is_signed(d) ? P("((%s)((%s > 0) - (%s < 0)))", t, a[0], a[0])
                            : P("((%s)(%s > 0))", t, a[0]);
    case OP_popcount:
        return P("((%s)popcount(%s))", t, is_signed(d) ? absolute(g, d, a[0]) : a[0]);
    case OP_wrap:
        return P("(%s < 0 ? %s + %s : %s)", a[0], a[0], a[1], a[0]);
    case OP_signbit:
        return P("(%s < 0)", a[0]);
    default:
        return NULL;
    }
}

/* What is of no interest to integers. */
static char *
int_trivial(Cl *g, IrOp op, DType d, char **a)
{
    switch (op) {
    case OP_isnan:
    case OP_isinf:
        return P("false");
    case OP_isfinite:
        return P("true");
    case OP_imag:
        return P("((%s)0)", cl_type(d));
    case OP_floor:
    case OP_ceil:
    case OP_trunc:
    case OP_rint:
    case OP_real:
    case OP_conj:
        return a[0];
    default:
        return NULL;
    }
}

/* ---- floats ---------------------------------------------------------------------------------- */

static char *
float_named(Cl *g, IrOp op, DType d, char **a)
{
    const char *suffix = d == DT_f64 ? "f64" : "f32", *own = op_info[op].name;
    if (d == DT_f16 && op == OP_spacing) /* these depend on the format */
        return P("sw_spacing_f16(%s)", a[0]);
    if (d == DT_f16 && op == OP_nextafter)
        return P("sw_nextafter_f16(%s, %s)", a[0], a[1]);
    switch (op) {
    case OP_min:
    case OP_max:
    case OP_fmin:
    case OP_fmax:
    case OP_mod:
    case OP_floordiv:
    case OP_logaddexp:
    case OP_logaddexp2:
        return P("sw_%s_%s(%s, %s)", own, suffix, a[0], a[1]);
    case OP_sign:
    case OP_spacing:
    case OP_frexp_m:
    case OP_frexp_e:
        return P("sw_%s_%s(%s)", own, suffix, a[0]);
    case OP_abs:
        return P("fabs(%s)", a[0]);
    case OP_signbit:
        return P("(signbit(%s) != 0)", a[0]);
    case OP_isnan:
    case OP_isinf:
    case OP_isfinite:
        return P("(%s(%s) != 0)", own, a[0]);
    case OP_real:
    case OP_conj:
        return a[0];
    case OP_imag:
        return float_text(g, d, 0);
    case OP_arg:
        return P("atan2(%s, %s)", d == DT_f64 ? "0.0" : "0.0f", a[0]);
    case OP_toint:
        return P("(fabs(%s) < %s ? (long)%s : LONG_MIN)", a[0], d == DT_f64 ? "0x1p63" : "0x1p63f",
                 a[0]);
    case OP_sqrt:
    case OP_floor:
    case OP_ceil:
    case OP_trunc:
    case OP_rint:
        return P("%s(%s)", own, a[0]);
    case OP_copysign:
        return P("copysign(%s, %s)", a[0], a[1]);
    case OP_fma:
        return P("fma(%s, %s, %s)", a[0], a[1], a[2]);
    default:
        break;
    }
    if (!(op_info[op].flags & OPF_LIBM))
        return NULL;
    return op_info[op].n == 1 ? P("%s(%s)", own, a[0]) : P("%s(%s, %s)", own, a[0], a[1]);
}

static char *
float_op(Cl *g, IrOp op, DType d, char **a)
{
    char *r;
    switch (op) {
    case OP_add:
    case OP_sub:
    case OP_mul:
    case OP_div:
        r = P("(%s %s %s)", a[0], infix(op), a[1]);
        break;
    case OP_neg:
        return P("(-%s)", a[0]);
    default:
        r = float_named(g, op, d, a);
    }
    bool rounds = d == DT_f16 && op_info[op].result == OR_SAME;
    return r && rounds ? P("sw_half(%s)", r) : r;
}

/* ---- complex --------------------------------------------------------------------------------- */

static char *
complex_op(Cl *g, IrOp op, DType d, char **a)
{
    const char *own = op_info[op].name, *suffix = d == DT_c128 ? "c128" : "c64";
    switch (op) {
    case OP_add:
    case OP_sub:
        return P("(%s %s %s)", a[0], infix(op), a[1]);
    case OP_neg:
        return P("(-%s)", a[0]);
    case OP_real:
        return P("%s.x", a[0]);
    case OP_imag:
        return P("%s.y", a[0]);
    case OP_conj:
        return P("((%s)(%s.x, -%s.y))", cl_type(d), a[0], a[0]);
    case OP_abs:
        return P("hypot(%s.x, %s.y)", a[0], a[0]);
    case OP_arg:
        return P("atan2(%s.y, %s.x)", a[0], a[0]);
    case OP_eq:
        return P("(%s.x == %s.x && %s.y == %s.y)", a[0], a[1], a[0], a[1]);
    case OP_ne:
        return P("(%s.x != %s.x || %s.y != %s.y)", a[0], a[1], a[0], a[1]);
    case OP_isnan:
        return P("(isnan(%s.x) || isnan(%s.y))", a[0], a[0]);
    case OP_isinf:
        return P("(isinf(%s.x) || isinf(%s.y))", a[0], a[0]);
    case OP_isfinite:
        return P("(isfinite(%s.x) && isfinite(%s.y))", a[0], a[0]);
    case OP_mul:
    case OP_div:
    case OP_pow:
        return P("sw_%s_%s(%s, %s)", own, suffix, a[0], a[1]);
    case OP_exp:
    case OP_log:
    case OP_sqrt:
    case OP_sin:
    case OP_cos:
        return P("sw_%s_%s(%s)", own, suffix, a[0]);
    default:
        return NULL;
    }
}

char *
cl_op(Cl *g, IrOp op, DType d, char **a, uint8_t flags, Span at)
{
    (void)flags;
    char *r = NULL;
    if (op == OP_select)
        return P("(%s ? %s : %s)", a[0], a[1], a[2]);
    if (op == OP_mkcomplex)
        return P("((%s)(%s, %s))", d == DT_f32 ? "float2" : "double2", a[0], a[1]);
    bool compares = op_info[op].result == OR_BOOL && infix(op);
    if (dtype_is_complex(d))
        r = complex_op(g, op, d, a);
    else if (compares)
        r = P("(%s %s %s)", a[0], infix(op), a[1]);
    else if (dtype_kind(d) == DK_FLOAT)
        r = float_op(g, op, d, a);
    else if (!(d == DT_bool && (r = bool_op(g, op, a))) && !(r = int_trivial(g, op, d, a)))
        r = int_op(g, op, d, a);
    if (!r)
        cl_refuse(g, at, REFUSE_OPENCL_operation, op_info[op].name, dtype_info[d].name);
    return r ? r : P("0");
}

/* ---- the tree -------------------------------------------------------------------------------- */

static char *
geometry(Cl *g, int what)
{
    static const char *const text[] = {[GEO_GRID_X] = "(long)get_num_groups(0)",
                                       [GEO_GRID_Y] = "(long)get_num_groups(1)",
                                       [GEO_GRID_Z] = "(long)get_num_groups(2)",
                                       [GEO_BLOCK_X] = "(long)get_group_id(0)",
                                       [GEO_BLOCK_Y] = "(long)get_group_id(1)",
                                       [GEO_BLOCK_Z] = "(long)get_group_id(2)",
                                       [GEO_THREAD_X] = "(long)get_local_id(0)",
                                       [GEO_THREAD_Y] = "(long)get_local_id(1)",
                                       [GEO_THREAD_Z] = "(long)get_local_id(2)",
                                       [GEO_BLOCK_DIM_X] = "(long)get_local_size(0)",
                                       [GEO_BLOCK_DIM_Y] = "(long)get_local_size(1)",
                                       [GEO_BLOCK_DIM_Z] = "(long)get_local_size(2)",
                                       [GEO_SHARED_BYTES] = "sw_dynb",
                                       [GEO_LANE] = "(long)(sw_lid() & 31)"};
    return P("(%s)", text[what]);
}

static char *
bits(Cl *g, DType to, DType from, char *x)
{
    if (from == DT_f16)
        return P("((%s)sw_half_bits(%s))", cl_type(to), x);
    if (to == DT_f16)
        return P("sw_bits_half((ushort)%s)", x);
    return P("as_%s((%s)%s)", cl_type(to), cl_type(from), x);
}

static char *
operation(Cl *g, const IrExpr *e)
{
    char *a[4] = {0};
    for (int i = 0; i < e->n && i < 4; i++)
        a[i] = cl_expr(g, e->arg[i]);
    DType d = (DType)e->arg[0]->dtype;
    if (e->op == OP_bits)
        return bits(g, (DType)e->dtype, d, a[0]);
    if (e->op == OP_select && dtype_info[e->dtype].bits < 32) /* C makes an int of both */
        return P("((%s)(%s ? %s : %s))", cl_type((DType)e->dtype), a[0], a[1], a[2]);
    return cl_op(g, (IrOp)e->op, d, a, e->flags, (Span){0});
}

char *
cl_expr(Cl *g, const IrExpr *e)
{
    switch (e->kind) {
    case IX_CONST:
        return constant(g, e);
    case IX_VAR:
        return cl_var(g, e->var);
    case IX_OP:
        return operation(g, e);
    case IX_CAST:
        return cl_cast(g, (DType)e->dtype, (DType)e->arg[0]->dtype, cl_expr(g, e->arg[0]));
    case IX_LOAD:
        return cl_load(g, (DType)e->dtype, cl_space_of(g, e->var),
                       cl_address(g, e->var, e->n, e->arg));
    case IX_DIM:
        return P("%s_n%d", cl_var(g, e->var), e->axis);
    case IX_STRIDE:
        return P("%s_s%d", cl_var(g, e->var), e->axis);
    case IX_GEO:
        return geometry(g, e->axis);
    }
    return P("0");
}
