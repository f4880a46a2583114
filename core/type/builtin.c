/* SPDX-License-Identifier: BSD-3-Clause
 * The table of library functions, expanded from py.def, math.def and np.def in the order
 * of the BI_ ids, and the look-up by name. The rows of one module lie together, so a
 * look-up compares the module's name once and then first letters: a few hundred bytes to
 * read. An alias row (np.abs) is found by its own name and answers with the row it stands
 * for. */
#include "type/builtin.h"

/* The ids of IrOp, from the same table; ir/ is not to be included from here. */
#define OP(id, n, result, flags) OP_##id,

enum {

#include "def/op.def"
};
#undef OP

enum { M = 1 };

/* A parameter list of a math row is what makes its operand count: "x" 1, "x, y" 2. */
#define ARITY(params) ((int)sizeof(params) <= 2 ? 1 : (int)sizeof(params) <= 5 ? 2 : 3)
#define ROW(id_, ...) [BI_##id_] = {.id = BI_##id_, __VA_ARGS__},
#define PY(id, p)                                                                        \
    ROW(py_##id, .module = "builtins", .name = #id, .family = BF_PY, .params = p,        \
        .op = -1)
#define GRID(id, n, p, g, o)                                                             \
    ROW(gpu_##id, .module = "gpu", .name = n, .family = BF_GRID, .params = p,            \
        .rule = GG_##g, .op = -1)
#define MATH(id, p, o, u)                                                                \
    ROW(math_##id, .module = "math", .name = #id, .params = p, .family = BF_MATH,        \
        .op = o, .nin = ARITY(p), .nout = 1, .ulp = u)
#define CMATH(id, p, o, u)                                                               \
    ROW(cmath_##id, .module = "cmath", .name = #id, .params = p, .family = BF_CMATH,     \
        .op = o, .nin = ARITY(p), .nout = 1, .ulp = u)
#define NP_UFUNC(id, in, out_, r, o, u)                                                  \
    ROW(np_##id, .module = "numpy", .name = #id, .family = BF_UFUNC,                     \
        .params = (in) == 1     ? (out_) == 1 ? "x" UFUNC1 : "x" UFUNC2                  \
                  : (out_) == 1 ? "x1, x2" UFUNC1                                        \
                                : "x1, x2" UFUNC2,                                       \
        .rule = r, .op = o, .nin = in, .nout = out_, .ulp = u)
#define UFUNC1 ", out=None, *, where=True, dtype=None, casting='same_kind'"
#define UFUNC2                                                                           \
    ", out1=None, out2=None, *, out=None, where=True, dtype=None, casting='same_kind'"
/* An alias keeps its target's id: that is how alias rows are told from others. */
#define NP_ALIAS(id_, n, target)                                                         \
    [BI_np_##id_] = {                                                                    \
        .id = BI_np_##target, .module = "numpy", .name = n, .params = "", .op = -1},
#define NP(id, n, p, m)                                                                  \
    ROW(np_##id, .module = "numpy", .name = n, .family = BF_NP, .params = p, .op = -1,   \
        .method = m)
#define NP_LIB(id, n, p, m)                                                              \
    ROW(np_##id, .module = "numpy", .name = n, .family = BF_LIB, .params = p, .op = -1,  \
        .method = m)

const Builtin builtin_table[] = {
#include "def/grid.def"
#include "def/math.def"
#include "def/np.def"
#include "def/py.def"
};
const int builtin_count = BI_COUNT;

static const struct {
    const char *module;
    int first, end;
} modules[] = {
    {"builtins", BI_py_abs, BI_py_prange}, {"swathe", BI_py_prange, BI_gpu_threadIdx_x},
    {"gpu", BI_gpu_threadIdx_x, BI_math_acos},
    {"math", BI_math_acos, BI_cmath_acos}, {"cmath", BI_cmath_acos, BI_np_add},
    {"numpy", BI_np_add, BI_COUNT},
};

static const Builtin *
find_in(int first, int end, const char *name)
{
    for (int k = first; k < end; k++) {
        const Builtin *f = &builtin_table[k];
        if (f->name[0] == name[0] && !strcmp(f->name, name))
            return &builtin_table[f->id];
    }
    return NULL;
}

const Builtin *
builtin_find(const char *module, const char *name)
{
    if (name[0] == '.')
        return NULL;
    for (int m = 0; m < SW_LEN(modules); m++)
        if (!strcmp(modules[m].module, module))
            return find_in(modules[m].first, modules[m].end, name);
    return NULL;
}

/* Aliases of functions are no methods: there is no a.amin. */
const Builtin *
builtin_method(const char *name)
{
    for (int k = BI_np_add; k < BI_COUNT; k++) {
        const Builtin *f = &builtin_table[k];
        if (f->method && f->id == k && !strcmp(f->name + (f->name[0] == '.'), name))
            return f;
    }
    return NULL;
}

NpGroup
builtin_group(const Builtin *fn)
{
    switch ((BuiltinId)fn->id) {
    case BI_np_sum:
    case BI_np_prod:
    case BI_np_min:
    case BI_np_max:
    case BI_np_mean:
    case BI_np_any:
    case BI_np_all:
    case BI_np_argmin:
    case BI_np_argmax:
    case BI_np_count_nonzero:
        return NG_REDUCE;
    case BI_np_cumsum:
    case BI_np_cumprod:
        return NG_SCAN;
    case BI_np_dot:
    case BI_np_matmul:
        return NG_LINALG;
    case BI_np_zeros:
    case BI_np_ones:
    case BI_np_empty:
    case BI_np_full:
    case BI_np_zeros_like:
    case BI_np_ones_like:
    case BI_np_empty_like:
    case BI_np_full_like:
    case BI_np_arange:
    case BI_np_linspace:
    case BI_np_eye:
    case BI_np_identity:
    case BI_np_array:
    case BI_np_asarray:
    case BI_np_ascontiguousarray:
    case BI_np_asfortranarray:
    case BI_np_copy:
        return NG_CREATE;
    case BI_np_where:
    case BI_np_clip:
    case BI_np_round:
    case BI_np_around:
    case BI_np_fix:
    case BI_np_angle:
    case BI_np_concatenate:
    case BI_np_stack:
        return NG_SELECT;
    case BI_np_ndarray:
    case BI_np_generic:
    case BI_np_number:
    case BI_np_integer:
    case BI_np_signedinteger:
    case BI_np_unsignedinteger:
    case BI_np_inexact:
    case BI_np_floating:
    case BI_np_complexfloating:
        return NG_CLASS;
    default:
        return NG_SHAPE;
    }
}
