/* SPDX-License-Identifier: BSD-3-Clause
 * Which loop of a ufunc runs. Takes the dtypes of the operands (and which are Python
 * scalars); yields the dtypes that operands are cast to and that results have, as NumPy
 * chooses them: promote the operands to one dtype, then take the first of the ufunc's
 * loops, in the order of the dtype table with complex last, that this dtype casts to
 * safely. A rule (builtin.h) is thus no more than the set of loops there are. bool, when
 * it has no loop of its own, runs in int8 or, where the ufunc says so, not at all. */
#include "type/builtin.h"

enum {
    L_BOOL = 1,
    L_INT = 2,
    L_FLOAT = 4,
    L_COMPLEX = 8,
    L_NUMBER = L_INT | L_FLOAT | L_COMPLEX,
};

typedef struct Loops {
    int kinds;       /* which kinds have a loop */
    bool not_bool;   /* TypeError on bool, which else would run as int8 */
    bool int_is_f64; /* true_divide: every integer runs in float64 */
} Loops;

static Loops
loops_of(const Builtin *fn)
{
    switch ((UfuncRule)fn->rule) {
    case UR_ARITH:
    case UR_COMPARE:
    case UR_MINMAX:
    case UR_LOGICAL:
    case UR_ABS:
    case UR_EQUAL:
    case UR_PREDICATE:
        return (Loops){L_BOOL | L_NUMBER, false, false};
    case UR_SUB:
        return (Loops){L_NUMBER, true, false};
    case UR_DIVIDE:
        return (Loops){L_FLOAT | L_COMPLEX, false, true};
    case UR_FLOORDIV:
        return (Loops){L_INT | L_FLOAT, false, false};
    case UR_POWER:
        return (Loops){L_NUMBER, false, false};
    case UR_FLOAT:
    case UR_RINT:
        return (Loops){L_FLOAT | L_COMPLEX, false, false};
    case UR_FLOAT_REAL:
    case UR_HEAVISIDE_LIKE:
    case UR_FREXP:
    case UR_MODF:
    case UR_LDEXP:
    case UR_SIGNBIT:
        return (Loops){L_FLOAT, false, false};
    case UR_BIT:
        return (Loops){L_BOOL | L_INT, false, false};
    case UR_SHIFT:
    case UR_POPCOUNT:
        return (Loops){L_INT, false, false};
    case UR_INT:
        return (Loops){L_INT, true, false};
    case UR_ROUND:
        return (Loops){L_BOOL | L_INT | L_FLOAT, false, false};
    case UR_SAME:
        return (Loops){L_NUMBER, false, false};
    case UR_SIGNED:
        return (Loops){L_NUMBER, true, false};
    case UR_NONE:
    case UR_NAT:
        return (Loops){0, false, false};
    }
    return (Loops){0, false, false};
}

static int
kind_bit(DType d)
{
    static const int bit[] = {[DK_BOOL] = L_BOOL,   [DK_INT] = L_INT,         [DK_UINT] = L_INT,
                              [DK_FLOAT] = L_FLOAT, [DK_COMPLEX] = L_COMPLEX, [DK_DELTA] = 0};
    return bit[dtype_kind(d)];
}

static bool
all_cast_to(int n, const DType *d, DType to)
{
    for (int k = 0; k < n; k++)
        if (!dtype_can_cast_safely(d[k], to))
            return false;
    return true;
}

/* `d` is what the operands promote to, `each` what must cast to the loop when d has none:
 * int8 with uint8 promotes to int16, but each of them fits in the loop of float16. */
static bool
first_loop(Loops l, DType d, int n, const DType *each, DType *out)
{
    if (d == DT_bool && l.not_bool)
        return false;
    if (l.int_is_f64 && (d == DT_bool || dtype_is_int(d)))
        return *out = DT_f64, true;
    if (kind_bit(d) & l.kinds)
        return *out = d, true;
    for (int t = 0; t < DT_COUNT; t++)
        if ((kind_bit((DType)t) & l.kinds) && all_cast_to(n, each, (DType)t))
            return *out = (DType)t, true;
    return false;
}

static int
kind_rank(DType d)
{
    return dtype_is_complex(d) ? 2 : dtype_is_float(d);
}

/* Complex numbers and floats come first, as in NumPy: int16 and uint16 are float32 beside float32,
 * which holds either, though both together are int32. */
DType
dtype_promote_mixed(int n, const DType *d, const bool *weak)
{
    bool any_strong = false;
    DType strong = DT_bool, python = DT_bool;
    for (int rank = 2; rank >= 0; rank--)
        for (int k = 0; k < n; k++) {
            if (kind_rank(d[k]) != rank)
                continue;
            if (weak && weak[k]) {
                python = dtype_promote(python, d[k]);
                continue;
            }
            strong = any_strong ? dtype_promote(strong, d[k]) : d[k];
            any_strong = true;
        }
    return any_strong ? dtype_promote_weak(strong, dtype_kind(python)) : python;
}

static void
fill_out(const Builtin *fn, DType d, DType *out)
{
    out[0] = out[1] = d;
    switch ((UfuncRule)fn->rule) {
    case UR_COMPARE:
    case UR_EQUAL:
    case UR_LOGICAL:
    case UR_PREDICATE:
    case UR_SIGNBIT:
        out[0] = DT_bool;
        break;
    case UR_ABS:
        out[0] = dtype_real(d);
        break;
    case UR_POPCOUNT:
        out[0] = DT_u8;
        break;
    case UR_FREXP:
        out[1] = DT_i32;
        break;
    case UR_NONE:
    case UR_NAT:
    case UR_ARITH:
    case UR_SUB:
    case UR_DIVIDE:
    case UR_FLOORDIV:
    case UR_POWER:
    case UR_FLOAT:
    case UR_FLOAT_REAL:
    case UR_BIT:
    case UR_SHIFT:
    case UR_MINMAX:
    case UR_INT:
    case UR_ROUND:
    case UR_RINT:
    case UR_SAME:
    case UR_SIGNED:
    case UR_HEAVISIDE_LIKE:
    case UR_LDEXP:
    case UR_MODF:
        break;
    }
}

/* ldexp(x, i): a float and an int32 or int64, each by itself; a Python int fits any float
 * when the other is not one. */
static bool
ldexp_loop(const Builtin *fn, const DType *d, const bool *weak, DType *in, DType *out)
{
    if (weak && weak[0] && !weak[1] && d[0] == DT_i64 && d[1] != DT_bool)
        in[0] = DT_f16;
    else if (!first_loop(loops_of(fn), d[0], 1, d, &in[0]))
        return false;
    bool i32 = dtype_can_cast_safely(d[1], DT_i32);
    if (!i32 && !dtype_can_cast_safely(d[1], DT_i64))
        return false;
    in[1] = i32 ? DT_i32 : DT_i64;
    fill_out(fn, in[0], out);
    return true;
}

bool
ufunc_loop(const Builtin *fn, int n, const DType *d, const bool *weak, DType *in, DType *out)
{
    if (fn->rule == UR_LDEXP)
        return ldexp_loop(fn, d, weak, in, out);
    DType common = dtype_promote_mixed(n, d, weak), loop;
    bool mixed = false;
    for (int k = 0; weak && k < n; k++)
        mixed |= weak[k];
    if (fn->rule == UR_NONE) /* float_power */
        loop = dtype_is_complex(common) ? DT_c128 : DT_f64;
    else if (!first_loop(loops_of(fn), common, mixed ? 1 : n, mixed ? &common : d, &loop))
        return false;
    for (int k = 0; k < n; k++)
        in[k] = fn->rule == UR_LOGICAL ? DT_bool : loop;
    fill_out(fn, loop, out);
    return true;
}
