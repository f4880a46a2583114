/* SPDX-License-Identifier: BSD-3-Clause
 * What is known of each element type, and how two of them promote. Takes the rows of
 * dtype.def; yields np.promote_types and the rules of NEP 50 for Python scalars, computed
 * from kind and width rather than listed, as NumPy's own table is regular:
 * the result's kind is the higher of the two, and its width holds both exactly where a
 * wider type exists (int64 with uint64 is float64, for want of an int128). */
#include "type/type.h"

#define DTYPE(id_, name_, c_, kind_, bits_)                                                        \
    [DT_##id_] = {#id_, name_, DK_##kind_, bits_, (bits_) / 8, _Alignof(c_)},
DTypeInfo dtype_info[DT_MAX] = {
#include "def/dtype.def"
};
#undef DTYPE

bool
dtype_is_int(DType d)
{
    return dtype_kind(d) == DK_INT || dtype_kind(d) == DK_UINT;
}

bool
dtype_is_float(DType d)
{
    return dtype_kind(d) == DK_FLOAT;
}

bool
dtype_is_complex(DType d)
{
    return dtype_kind(d) == DK_COMPLEX;
}

bool
dtype_from_id(const char *id, DType *out)
{
    for (int d = 0; d < DT_COUNT; d++)
        if (!strcmp(dtype_info[d].id, id))
            return *out = (DType)d, true;
    return false;
}

static const struct {
    const char *name;
    DType d;
} aliases[] = {
    {"b1", DT_bool},       {"?", DT_bool},       {"bool_", DT_bool},   {"boolean", DT_bool},
    {"i1", DT_i8},         {"b", DT_i8},         {"byte", DT_i8},      {"i2", DT_i16},
    {"h", DT_i16},         {"short", DT_i16},    {"i4", DT_i32},       {"i", DT_i32},
    {"intc", DT_i32},      {"i8", DT_i64},       {"l", DT_i64},        {"q", DT_i64},
    {"p", DT_i64},         {"n", DT_i64},        {"int", DT_i64},      {"int_", DT_i64},
    {"intp", DT_i64},      {"long", DT_i64},     {"longlong", DT_i64}, {"u1", DT_u8},
    {"B", DT_u8},          {"ubyte", DT_u8},     {"u2", DT_u16},       {"H", DT_u16},
    {"ushort", DT_u16},    {"u4", DT_u32},       {"I", DT_u32},        {"uintc", DT_u32},
    {"u8", DT_u64},        {"L", DT_u64},        {"Q", DT_u64},        {"P", DT_u64},
    {"N", DT_u64},         {"uint", DT_u64},     {"uintp", DT_u64},    {"ulong", DT_u64},
    {"ulonglong", DT_u64}, {"f2", DT_f16},       {"e", DT_f16},        {"half", DT_f16},
    {"f4", DT_f32},        {"f", DT_f32},        {"single", DT_f32},   {"f8", DT_f64},
    {"d", DT_f64},         {"double", DT_f64},   {"float", DT_f64},    {"float_", DT_f64},
    {"c8", DT_c64},        {"F", DT_c64},        {"csingle", DT_c64},  {"c16", DT_c128},
    {"D", DT_c128},        {"cdouble", DT_c128}, {"complex", DT_c128}, {"complex_", DT_c128},
};

/* "M8[D]", "datetime64[25s]", "m8" */
static bool
time_from_name(const char *name, DType *out)
{
    static const struct {
        const char *name;
        DKind kind;
    } times[] = {{"datetime64", DK_DATE},   {"M8", DK_DATE},  {"M", DK_DATE},
                 {"timedelta64", DK_DELTA}, {"m8", DK_DELTA}, {"m", DK_DELTA}};
    size_t n = strcspn(name, "["), rest = strlen(name + n);
    TimeUnit unit = UNIT_generic;
    int count = 1;
    if (rest &&
        (name[n + rest - 1] != ']' || !unit_from_text(name + n + 1, rest - 2, &unit, &count)))
        return false;
    for (int k = 0; k < SW_LEN(times); k++)
        if (strlen(times[k].name) == n && !memcmp(times[k].name, name, n) && (n > 1 || !rest)) {
            *out = dtype_of_time(times[k].kind, unit, count);
            return *out != DT_COUNT;
        }
    return false;
}

bool
dtype_from_name(const char *name, DType *out)
{
    if (*name == '<' || *name == '=' || *name == '|')
        name++;
    for (int d = 0; d < DT_COUNT; d++)
        if (!strcmp(dtype_info[d].name, name))
            return *out = (DType)d, true;
    for (int k = 0; k < SW_LEN(aliases); k++)
        if (!strcmp(aliases[k].name, name))
            return *out = aliases[k].d, true;
    return (*name == 'M' || *name == 'm' || *name == 'd' || *name == 't') &&
           time_from_name(name, out);
}

DType
dtype_real(DType d)
{
    return d == DT_c128 ? DT_f64 : d == DT_c64 ? DT_f32 : d;
}

DType
dtype_complex(DType d)
{
    if (dtype_is_complex(d))
        return d;
    return d == DT_f16 || d == DT_f32 ? DT_c64 : DT_c128;
}

static DType
float_holding(DType d) /* the smallest float that holds every value of a bool or integer */
{
    int bits = dtype_info[d].bits;
    return bits == 8 ? DT_f16 : bits == 16 ? DT_f32 : DT_f64;
}

static DType
promote_ints(DType a, DType b)
{
    if (dtype_kind(a) == dtype_kind(b))
        return a > b ? a : b;
    DType s = dtype_kind(a) == DK_INT ? a : b, u = s == a ? b : a;
    if (u == DT_u64)
        return DT_f64;
    DType wide = (DType)(DT_i16 + (u - DT_u8)); /* the signed type twice as wide as u */
    return s > wide ? s : wide;
}

DType
dtype_promote(DType a, DType b)
{
    if (dtype_is_param(a) || dtype_is_param(b)) /* has rules of its own: time_common */
        return a;
    if (a == b || b == DT_bool)
        return a;
    if (a == DT_bool)
        return b;
    if (dtype_is_complex(a) || dtype_is_complex(b))
        return dtype_complex(dtype_promote(dtype_real(a), dtype_real(b)));
    bool fa = dtype_is_float(a), fb = dtype_is_float(b);
    if (!fa && !fb)
        return promote_ints(a, b);
    DType x = fa ? a : float_holding(a), y = fb ? b : float_holding(b);
    return x > y ? x : y;
}

/* An integer meets complex64 as its float does: i32 is float64, so c128 (dtype_promote
 * gets that from dtype_real). Safe casts are then those that promotion leaves alone. */
bool
dtype_can_cast_safely(DType from, DType to)
{
    return dtype_promote(from, to) == to;
}

bool
dtype_can_cast_same_kind(DType from, DType to)
{
    static const int rank[] = {
        [DK_BOOL] = 0, [DK_UINT] = 1, [DK_INT] = 2, [DK_FLOAT] = 3, [DK_COMPLEX] = 4};
    if (dtype_is_param(from) || dtype_is_param(to))
        return from == to;
    return rank[dtype_kind(from)] <= rank[dtype_kind(to)];
}

DType
dtype_promote_weak(DType strong, DKind weak)
{
    if (dtype_is_param(strong))
        return strong;
    bool small = strong == DT_bool, exact = small || dtype_is_int(strong);
    switch (weak) {
    case DK_BOOL:
        return strong;
    case DK_INT:
    case DK_UINT:
        return small ? DT_i64 : strong;
    case DK_FLOAT:
        return exact ? DT_f64 : strong;
    case DK_COMPLEX:
        return exact ? DT_c128 : dtype_complex(strong);
    }
    return strong;
}
