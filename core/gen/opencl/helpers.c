/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that OpenCL C lacks, as text, each below those that it calls. A module gets what it
 * mentions, and what that mentions. None holds a barrier: PoCL is not good at inlining these. They
 * do what the CPU's code does: see op.def. */
#include "gen/opencl/opencl.h"

typedef struct Helper {
    const char *name; /* mentioned: it is needed */
    const char *text;
} Helper;

#define INT_DIVISION(T, s)                                                                         \
    {"sw_tdiv_" s, "SW_FN " T " sw_tdiv_" s "(" T " a, " T " b) {\n"                               \
                   "    return b == 0 ? 0 : b == (" T ")-1 && (" T ")-1 < 0 ? (" T ")(0 - (u" T    \
                   ")a) : a / b;\n}\n"},                                                           \
        {"sw_fmod_" s,                                                                             \
         "SW_FN " T " sw_fmod_" s "(" T " a, " T " b) {\n"                                         \
         "    return b == 0 || (b == (" T ")-1 && (" T ")-1 < 0) ? 0 : a % b;\n}\n"},              \
        {"sw_floordiv_" s,                                                                         \
         "SW_FN " T " sw_floordiv_" s "(" T " a, " T " b) {\n"                                     \
         "    if (b == 0) return 0;\n    if (b == -1) return (" T ")(0 - (u" T ")a);\n"            \
         "    " T " q = a / b;\n    return q - (q * b != a && (a < 0) != (b < 0));\n}\n"},         \
    {                                                                                              \
        "sw_mod_" s,                                                                               \
            "SW_FN " T " sw_mod_" s "(" T " a, " T " b) {\n"                                       \
            "    if (b == 0 || b == -1) return 0;\n"                                               \
            "    " T " r = a % b;\n    return r != 0 && (r < 0) != (b < 0) ? r + b : r;\n}\n"      \
    }

#define UINT_DIVISION(T, s)                                                                        \
    {"sw_tdiv_" s,                                                                                 \
     "SW_FN " T " sw_tdiv_" s "(" T " a, " T " b) { return b == 0 ? 0 : a / b; }\n"},              \
        {"sw_fmod_" s,                                                                             \
         "SW_FN " T " sw_fmod_" s "(" T " a, " T " b) { return b == 0 ? 0 : a % b; }\n"},          \
        {"sw_floordiv_" s,                                                                         \
         "SW_FN " T " sw_floordiv_" s "(" T " a, " T " b) { return b == 0 ? 0 : a / b; }\n"},      \
    {                                                                                              \
        "sw_mod_" s, "SW_FN " T " sw_mod_" s "(" T " a, " T " b) { return b == 0 ? 0 : a % b; }\n" \
    }

#define FLOATS(T, s, tiny, half)                                                                   \
    {"sw_min_" s, "SW_FN " T " sw_min_" s "(" T " a, " T " b) { " T                                \
                  " c = a < b ? a : b; return a != a ? a : c; }\n"},                               \
        {"sw_max_" s, "SW_FN " T " sw_max_" s "(" T " a, " T " b) { " T                            \
                      " c = a > b ? a : b; return a != a ? a : c; }\n"},                           \
        {"sw_fmin_" s, "SW_FN " T " sw_fmin_" s "(" T " a, " T " b) { " T                          \
                       " c = a < b ? a : b; return b != b ? a : c; }\n"},                          \
        {"sw_fmax_" s, "SW_FN " T " sw_fmax_" s "(" T " a, " T " b) { " T                          \
                       " c = a > b ? a : b; return b != b ? a : c; }\n"},                          \
        {"sw_sign_" s, "SW_FN " T " sw_sign_" s "(" T                                              \
                       " x) { return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x; }\n"},               \
        {"sw_mod_" s, "SW_FN " T " sw_mod_" s "(" T " a, " T " b) {\n    " T " m = fmod(a, b);\n"  \
                      "    if (b == 0) return m;\n    if (m == 0) return copysign((" T ")0, b);\n" \
                      "    return (b < 0) != (m < 0) ? m + b : m;\n}\n"},                          \
        {"sw_floordiv_" s,                                                                         \
         "SW_FN " T " sw_floordiv_" s "(" T " a, " T " b) {\n    if (b == 0) return a / b;\n"      \
         "    " T " m = fmod(a, b), d = (a - m) / b;\n"                                            \
         "    if (m != 0 && (b < 0) != (m < 0)) d -= 1;\n"                                         \
         "    if (d == 0) return copysign((" T ")0, a / b);\n"                                     \
         "    " T " l = floor(d);\n    return d - l > " half " ? l + 1 : l;\n}\n"},                \
        {"sw_logaddexp_" s, "SW_FN " T " sw_logaddexp_" s "(" T " a, " T                           \
                            " b) {\n    if (a == b) return a + log((" T ")2);\n"                   \
                            "    " T " d = a - b;\n    return d > 0 ? a + log1p(exp(-d)) : d <= "  \
                            "0 ? b + log1p(exp(d)) : d;\n}\n"},                                    \
        {"sw_logaddexp2_" s,                                                                       \
         "SW_FN " T " sw_logaddexp2_" s "(" T " a, " T " b) {\n    if (a == b) return a + 1;\n"    \
         "    " T " d = a - b, k = 1 / log((" T ")2);\n"                                           \
         "    return d > 0 ? a + k * log1p(exp2(-d)) : d <= 0 ? b + k * log1p(exp2(d)) : "         \
         "d;\n}\n"},                                                                               \
        {"sw_spacing_" s,                                                                          \
         "SW_FN " T " sw_spacing_" s "(" T " x) {\n    if (!isfinite(x)) return NAN;\n"            \
         "    return x == 0 ? " tiny " : nextafter(x, copysign((" T ")INFINITY, x)) - x;\n}\n"},   \
        {"sw_frexp_m_" s,                                                                          \
         "SW_FN " T " sw_frexp_m_" s "(" T " x) { int e; return frexp(x, &e); }\n"},               \
    {                                                                                              \
        "sw_frexp_e_" s, "SW_FN int sw_frexp_e_" s "(" T                                           \
                         " x) { int e = 0; frexp(x, &e); return isfinite(x) ? e : 0; }\n"          \
    }

/* A float that doesn't fit is the least integer, where C leaves it open. */
#define TO_INTS(T, s)                                                                              \
    {"sw_to_i32_" s, "SW_FN int sw_to_i32_" s "(" T " x) { return fabs(x) < (" T                   \
                     ")0x1p31 ? (int)x : INT_MIN; }\n"},                                           \
        {"sw_to_i64_" s, "SW_FN long sw_to_i64_" s "(" T " x) { return fabs(x) < (" T              \
                         ")0x1p63 ? (long)x : LONG_MIN; }\n"},                                     \
    {                                                                                              \
        "sw_to_u64_" s,                                                                            \
            "SW_FN ulong sw_to_u64_" s "(" T " x) {\n"                                             \
            "    if (x >= (" T ")0x1p63) return x < (" T ")0x1p64 ? (ulong)x : 0;\n"               \
            "    return fabs(x) < (" T ")0x1p63 ? (ulong)(long)x : (ulong)LONG_MIN;\n}\n"          \
    }

/* By Kahan's formulas, which neither cancel nor overflow on the way, as gen/llvm/device/complex.c
 * has them. big, low: beyond these a hypotenuse is taken of scaled numbers, up = 2**k and down, the
 * root of 1 / up; beyond full, exp takes two steps. */
#define COMPLEX(T, R, s, big, low, up, down, k, full)                                              \
    {"sw_mul_" s, "SW_FN " T " sw_mul_" s "(" T " a, " T " b) { return (" T                        \
                  ")(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }\n"},                         \
        {"sw_div_" s,                                                                              \
         "SW_FN " T " sw_div_" s "(" T " a, " T " b) {\n"                                          \
         "    if (fabs(b.x) >= fabs(b.y)) {\n"                                                     \
         "        if (b.x == 0 && b.y == 0) return (" T ")(a.x / fabs(b.x), a.y / fabs(b.x));\n"   \
         "        " R " r = b.y / b.x, d = 1 / (b.x + b.y * r);\n"                                 \
         "        return (" T ")((a.x + a.y * r) * d, (a.y - a.x * r) * d);\n"                     \
         "    }\n"                                                                                 \
         "    " R " r = b.x / b.y, d = 1 / (b.y + b.x * r);\n"                                     \
         "    return (" T ")((a.x * r + a.y) * d, (a.y * r - a.x) * d);\n"                         \
         "}\n"},                                                                                   \
        {"sw_exp_" s,                                                                              \
         "SW_FN " T " sw_exp_" s "(" T " z) {\n"                                                   \
         "    " R " x = z.x, y = z.y, e;\n"                                                        \
         "    if (y == 0) return (" T ")(exp(x), y);\n"                                            \
         "    if (!isfinite(y) && x < 0 && isinf(x)) return (" T ")(0, copysign((" R ")0, y));\n"  \
         "    if (!isfinite(y)) return (" T ")(isinf(x) ? x : NAN, NAN);\n"                        \
         "    if (x > " full " && isfinite(x)) {\n"                                                \
         "        e = exp(x * 0.5f);\n"                                                            \
         "        return (" T ")(e * cos(y) * e, e * sin(y) * e);\n"                               \
         "    }\n"                                                                                 \
         "    e = exp(x);\n"                                                                       \
         "    return (" T ")(e * cos(y), e * sin(y));\n"                                           \
         "}\n"},                                                                                   \
        {"sw_log_" s, "SW_FN " T " sw_log_" s "(" T " z) {\n"                                      \
                      "    " R " p = fabs(z.x), q = fabs(z.y), g = atan2(z.y, z.x), a = p < q ? "  \
                      "q : p, b = p < q ? p : q;\n"                                                \
                      "    if (a > " big ") return (" T                                            \
                      ")(log(hypot(a * 0.5f, b * 0.5f)) + log((" R ")2), g);\n"                    \
                      "    if (a < " low " && a > 0) return (" T ")(log(hypot(a * " up ", b * " up \
                      ")) - " k " * log((" R ")2), g);\n"                                          \
                      "    " R " h = hypot(a, b);\n"                                               \
                      "    if (h > 0.7f && h < 1.5f) return (" T                                   \
                      ")(0.5f * log1p((a - 1) * (a + 1) + b * b), g);\n"                           \
                      "    return (" T ")(log(h), g);\n"                                           \
                      "}\n"},                                                                      \
        {"sw_sqrt_" s,                                                                             \
         "SW_FN " T " sw_sqrt_" s "(" T " z) {\n"                                                  \
         "    " R " x = z.x, y = z.y, back = 1;\n"                                                 \
         "    if (x == 0 && y == 0) return (" T ")(0, y);\n"                                       \
         "    if (isinf(y)) return (" T ")(INFINITY, y);\n"                                        \
         "    if (isnan(x)) return (" T ")(NAN, NAN);\n"                                           \
         "    if (isinf(x) && x > 0) return (" T ")(x, isnan(y) ? y : copysign((" R ")0, y));\n"   \
         "    if (isinf(x)) return (" T ")(isnan(y) ? y : 0, copysign((" R ")INFINITY, y));\n"     \
         "    if (fabs(x) > " big " || fabs(y) > " big ") { x *= 0.25f; y *= 0.25f; back = 2; }\n" \
         "    else if (fabs(x) < " low " && fabs(y) < " low ") { x *= " up "; y *= " up            \
         "; back = " down "; }\n"                                                                  \
         "    " R " t = sqrt((fabs(x) + hypot(x, y)) * 0.5f), o = fabs(y) / (2 * t);\n"            \
         "    return (" T ")((x >= 0 ? t : o) * back, copysign(x >= 0 ? o : t, y) * back);\n"      \
         "}\n"},                                                                                   \
        {"sw_hyper_" s,                                                                            \
         "SW_FN " T " sw_hyper_" s "(" R " x, " R " p, " R " q, bool swap) {\n"                    \
         "    " R " a = fabs(x), u = copysign((" R ")1, x), c, s;\n"                               \
         "    if (a > " full " && isfinite(x)) {\n"                                                \
         "        " R " e = exp(a * 0.5f);\n"                                                      \
         "        c = 0.5f * e * (swap ? p : q) * e; s = 0.5f * e * (swap ? q : p) * e * u;\n"     \
         "    } else {\n"                                                                          \
         "        c = cosh(x) * (swap ? p : q); s = sinh(x) * (swap ? q : p);\n"                   \
         "    }\n"                                                                                 \
         "    return swap ? (" T ")(c, s) : (" T ")(s, c);\n"                                      \
         "}\n"},                                                                                   \
        {"sw_sin_" s,                                                                              \
         "SW_FN " T " sw_sin_" s "(" T " z) {\n"                                                   \
         "    if (z.x == 0) return (" T ")(z.x, sinh(z.y));\n"                                     \
         "    if (z.y == 0) return (" T ")(sin(z.x), isfinite(z.x) ? z.y * cos(z.x) : z.y);\n"     \
         "    " T " r = sw_hyper_" s "(-z.y, cos(z.x), sin(z.x), false);\n"                        \
         "    return (" T ")(r.y, -r.x);\n"                                                        \
         "}\n"},                                                                                   \
        {"sw_cos_" s,                                                                              \
         "SW_FN " T " sw_cos_" s "(" T " z) {\n"                                                   \
         "    if (z.x == 0) return (" T                                                            \
         ")(cosh(z.y), isnan(z.y) ? 0 : -copysign(z.x, z.x * copysign((" R ")1, z.y)));\n"         \
         "    if (z.y == 0) return (" T ")(cos(z.x), -z.y * copysign((" R ")1, sin(z.x)));\n"      \
         "    return sw_hyper_" s "(-z.y, cos(z.x), sin(z.x), true);\n"                            \
         "}\n"},                                                                                   \
        {"sw_ipow_" s, "SW_FN " T " sw_ipow_" s "(" T " a, int n) {\n"                             \
                       "    if (n == 2) return sw_mul_" s "(a, a);\n"                              \
                       "    if (n == 3) return sw_mul_" s "(a, sw_mul_" s "(a, a));\n"             \
                       "    " T " r = (" T ")(1, 0);\n"                                            \
                       "    for (int k = abs(n); k; k >>= 1) {\n"                                  \
                       "        if (k & 1) r = sw_mul_" s "(r, a);\n"                              \
                       "        if (k > 1) a = sw_mul_" s "(a, a);\n"                              \
                       "    }\n"                                                                   \
                       "    return n < 0 ? sw_div_" s "((" T ")(1, 0), r) : r;\n"                  \
                       "}\n"},                                                                     \
    {                                                                                              \
        "sw_pow_" s,                                                                               \
            "SW_FN " T " sw_pow_" s "(" T " a, " T " b) {\n"                                       \
            "    if (b.x == 0 && b.y == 0) return (" T ")(1, 0);\n"                                \
            "    if (a.x == 0 && a.y == 0) return (" T                                             \
            ")(b.x > 0 ? 0 : NAN, b.x > 0 ? 0 : NAN);\n"                                           \
            "    if (b.y == 0 && b.x > -100 && b.x < 100 && b.x == (int)b.x) return sw_ipow_" s    \
            "(a, (int)b.x);\n"                                                                     \
            "    return sw_exp_" s "(sw_mul_" s "(b, sw_log_" s "(a)));\n"                         \
            "}\n"                                                                                  \
    }

#define WARP_HEAD                                                                                  \
    "    uint lid = sw_lid(), w = lid & ~31u, n = sw_threads();\n"                                 \
    "    __local uchar *there = (__local uchar *)(s + 1024);\n"
#define SHUFFLE(how, from)                                                                         \
    {                                                                                              \
        "sw_shfl_" how,                                                                            \
            "SW_FN ulong sw_shfl_" how "(ulong v, long k, __local ulong *s) {\n" WARP_HEAD         \
            "    long at = " from ", src = (long)w + at;\n"                                        \
            "    return at >= 0 && at < 32 && src < n && there[src] ? s[src] : v;\n}\n"            \
    }

static const Helper helpers[] = {
    {"sw_lid(", "SW_FN uint sw_lid(void) {\n    return (uint)((get_local_id(2) * get_local_size(1) "
                "+ get_local_id(1)) * "
                "get_local_size(0) + get_local_id(0));\n}\n"},
    {"sw_threads(", "SW_FN uint sw_threads(void) { return (uint)(get_local_size(0) * "
                    "get_local_size(1) * get_local_size(2)); }\n"},
    {"sw_half(", "SW_FN float sw_half(float x) { ushort t; vstore_half_rte(x, 0, (half *)&t); "
                 "return vload_half(0, (half *)&t); }\n"},
    {"sw_half_f64(",
     "SW_FN float sw_half_f64(double x) { ushort t; vstore_half_rte(x, 0, (half *)&t); "
     "return vload_half(0, (half *)&t); }\n"},
    {"sw_half_bits(", "SW_FN uint sw_half_bits(float x) { ushort t; vstore_half_rte(x, 0, (half "
                      "*)&t); return t; }\n"},
    {"sw_bits_half(", "SW_FN float sw_bits_half(ushort t) { return vload_half(0, (half *)&t); }\n"},
    {"sw_nextafter_f16(",
     "SW_FN float sw_nextafter_f16(float x, float y) {\n"
     "    if (isnan(x) || isnan(y)) return x + y;\n    if (x == y) return y;\n"
     "    if (x == 0) return copysign(0x1p-24f, y);\n    uint t = sw_half_bits(x);\n"
     "    return sw_bits_half((ushort)((x < y) == (x > 0) ? t + 1 : t - 1));\n}\n"},
    {"sw_spacing_f16(", "SW_FN float sw_spacing_f16(float x) {\n    if (!isfinite(x)) return NAN;\n"
                        "    if (x == 0) return 0x1p-24f;\n"
                        "    return sw_nextafter_f16(x, INFINITY) - x;\n}\n"},
    {"sw_fail(",
     "SW_FN void sw_fail(__global long *err, int site, long a, long b, long c, long d) {\n"
     "    if (atomic_cmpxchg((volatile __global int *)err, 0, site + 1) != 0) return;\n"
     "    for (int i = 0; i < 3; i++) { err[1 + i] = get_group_id(i); err[4 + i] = "
     "get_local_id(i); }\n"
     "    err[7] = a; err[8] = b; err[9] = c; err[10] = d;\n}\n"},
    {"sw_put(",
     "SW_FN void sw_put(bool on, ulong v, __local ulong *s) {\n    uint lid = sw_lid();\n"
     "    s[lid] = v; ((__local uchar *)(s + 1024))[lid] = on;\n}\n"},
    SHUFFLE("idx", "k & 31"),
    SHUFFLE("up", "(long)(lid & 31) - clamp(k, 0L, 32L)"),
    SHUFFLE("down", "(long)(lid & 31) + clamp(k, 0L, 32L)"),
    SHUFFLE("xor", "(long)(lid & 31) ^ (k & 31)"),
    {"sw_ballot(", "SW_FN uint sw_ballot(__local ulong *s, uint *all) {\n" WARP_HEAD
                   "    uint yes = 0; *all = 0;\n    for (uint i = 0; i < 32 && w + i < n; i++) {\n"
                   "        *all |= (uint)(there[w + i] != 0) << i;\n"
                   "        yes |= (uint)(there[w + i] != 0 && s[w + i] != 0) << i;\n    }\n    "
                   "return yes;\n}\n"},
    {"sw_match(", "SW_FN uint sw_match(ulong v, uint m, __local ulong *s, uint *all) {\n" WARP_HEAD
                  "    uint yes = 0; *all = 0;\n    for (uint i = 0; i < 32 && w + i < n; i++) {\n"
                  "        *all |= (uint)(there[w + i] != 0) << i;\n"
                  "        yes |= (uint)(there[w + i] != 0 && s[w + i] == v) << i;\n    }\n"
                  "    *all &= m;\n    return yes & m;\n}\n"},
    {"sw_abs_i32(",
     "SW_FN int sw_abs_i32(int x) { return (int)(x < 0 ? 0 - (uint)x : (uint)x); }\n"},
    {"sw_abs_i64(",
     "SW_FN long sw_abs_i64(long x) { return (long)(x < 0 ? 0 - (ulong)x : (ulong)x); }\n"},
    INT_DIVISION("int", "i32"),
    INT_DIVISION("long", "i64"),
    UINT_DIVISION("uint", "u32"),
    UINT_DIVISION("ulong", "u64"),
    TO_INTS("float", "f32"),
    TO_INTS("double", "f64"),
    {"sw_pow_u64", "SW_FN ulong sw_pow_u64(ulong x, ulong n) {\n    ulong r = 1;\n"
                   "    for (; n; n >>= 1) { if (n & 1) r *= x; x *= x; }\n    return r;\n}\n"},
    {"sw_pow_i64",
     "SW_FN long sw_pow_i64(long x, long n) {\n    ulong r = 1, y = (ulong)x;\n    if (n < 0) "
     "return 0;\n"
     "    for (; n; n >>= 1) { if (n & 1) r *= y; y *= y; }\n    return (long)r;\n}\n"},
    {"sw_gcd_u64", "SW_FN ulong sw_gcd_u64(ulong a, ulong b) { while (b) { ulong t = a % b; a = b; "
                   "b = t; } return a; }\n"},
    {"sw_gcd_i64", "SW_FN long sw_gcd_i64(long x, long y) {\n    ulong a = (ulong)sw_abs_i64(x), b "
                   "= (ulong)sw_abs_i64(y);\n"
                   "    while (b) { ulong t = a % b; a = b; b = t; }\n    return (long)a;\n}\n"},
    {"sw_lcm_u64",
     "SW_FN ulong sw_lcm_u64(ulong a, ulong b) {\n    ulong x = a, y = b;\n"
     "    while (y) { ulong t = x % y; x = y; y = t; }\n    return x ? a / x * b : 0;\n}\n"},
    {"sw_lcm_i64",
     "SW_FN long sw_lcm_i64(long p, long q) {\n    ulong a = (ulong)sw_abs_i64(p), b = "
     "(ulong)sw_abs_i64(q), x = a, y = b;\n"
     "    while (y) { ulong t = x % y; x = y; y = t; }\n    return x ? (long)(a / x * b) : "
     "0;\n}\n"},
    FLOATS("float", "f32", "0x1p-149f", "0.5f"),
    FLOATS("double", "f64", "0x1p-1074", "0.5"),
    COMPLEX("float2", "float", "c64", "0x1p124f", "0x1p-100f", "0x1p48f", "0x1p-24f", "48", "88"),
    COMPLEX("double2", "double", "c128", "0x1p1020", "0x1p-900", "0x1p108", "0x1p-54", "108",
            "709"),
};

void
cl_add_helpers(Cl *g, StrBuf *out, const char *text)
{
    bool *need = NEW_N(&g->cx->arena, bool, SW_LEN(helpers));
    for (int i = SW_LEN(helpers) - 1; i >= 0; i--) {
        need[i] = strstr(text, helpers[i].name) != NULL;
        for (int k = i + 1; k < SW_LEN(helpers) && !need[i]; k++)
            need[i] = need[k] && strstr(helpers[k].text, helpers[i].name);
    }
    for (int i = 0; i < SW_LEN(helpers); i++)
        if (need[i])
            sb_add(out, helpers[i].text);
    sb_add(out, "\n");
}
