/* SPDX-License-Identifier: BSD-3-Clause
 * The table of library functions, expanded from py.def, math.def and np.def in the order
 * of the BI_ ids, and the look-up by name. The rows of one module lie together, so a
 * look-up compares the module's name once. An alias row (np.abs) is found by its own name and
 * answers with the row it stands for. */
#include "type/builtin.h"
#include "type/ops.h"

#define ROW(id_, ...) [BI_##id_] = {.id = BI_##id_, __VA_ARGS__},
#define PY(id, p, t, e, o, fl)                                                                     \
    ROW(py_##id, .module = "builtins", .prefix = "", .name = #id, .family = BF_PY, .op = o,        \
        .op2 = -1, .flags = fl)
#define OWN(id, p, t, e, o, fl)                                                                    \
    ROW(py_##id, .module = "swathe", .prefix = "", .name = #id, .family = BF_PY, .op = o,          \
        .op2 = -1, .flags = fl)
#define GRID(id, n, p, g, o, k)                                                                    \
    ROW(gpu_##id, .module = "gpu", .prefix = "gpu.", .name = n, .family = BF_GRID, .rule = GG_##g, \
        .kinds = k, .op = -1)
#define MATH(id, p, t, e, o, w, u)                                                                 \
    ROW(math_##id, .module = "math", .prefix = "math.", .name = #id, .family = BF_MATH, .rule = w, \
        .op = o, .op2 = -1, .ulp = u)
#define CMATH(id, p, t, e, o, u)                                                                   \
    ROW(cmath_##id, .module = "cmath", .prefix = "cmath.", .name = #id, .family = BF_CMATH,        \
        .op = o, .op2 = -1, .ulp = u)
#define NUMPY(id, n, fam, ...)                                                                     \
    ROW(np_##id, .module = "numpy", .prefix = "np.", .name = n, .family = fam, __VA_ARGS__)
#define NP_UFUNC(id, in, out_, r, o, o2, u, d)                                                     \
    NUMPY(id, #id, BF_UFUNC, .rule = r, .op = o, .op2 = o2, .nin = in, .nout = out_, .ulp = u)
/* An alias keeps its target's id: that is how alias rows are told from others. */
#define NP_ALIAS(id_, n, target)                                                                   \
    [BI_np_##id_] = {.id = BI_np_##target, .module = "numpy", .prefix = "np.", .name = n, .op = -1},
#define NP(id, n, p, t, e, o, fl, u, d)                                                            \
    NUMPY(id, n, BF_NP, .op = o, .op2 = -1, .flags = fl, .ulp = u)
#define NP_LIB(id, n, p, fl, u, d)                                                                 \
    NUMPY(id, n, BF_LIB, .def = #id, .op = -1, .op2 = -1, .flags = fl, .ulp = u)
#define NP_CLASS(id, k) NUMPY(id, #id, BF_NP, .rule = k, .op = -1, .op2 = -1)

#define HEAP(id, p, fl)                                                                            \
    ROW(heap_##id, .module = "objects", .prefix = "", .name = #id, .family = BF_HEAP, .op = -1,    \
        .op2 = -1, .flags = fl)

#define KERNEL(id, p, h, d)                                                                        \
    ROW(kernel_##id, .module = "kernels", .prefix = "", .name = #id, .family = BF_KERNEL,          \
        .op = -1, .op2 = -1)

const Builtin builtin_table[] = {
#include "def/heap.def"
#include "def/kernel.def"
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
    {"builtins", 0, BI_OWN},
    {"swathe", BI_OWN, BI_GPU},
    {"gpu", BI_GPU, BI_MATH},
    {"math", BI_MATH, BI_CMATH},
    {"cmath", BI_CMATH, BI_NP},
    {"numpy", BI_NP, BI_OBJECTS},
    {"objects", BI_OBJECTS, BI_KERNELS},
    {"kernels", BI_KERNELS, BI_COUNT},
};

int
row_param(const Builtin *fn, const char *name)
{
    const RowParams *p = &builtin_params[fn->id];
    for (int k = 0; k < p->n; k++)
        if (!strcmp(p->at[k].name, name))
            return k;
    return -1;
}

static const Builtin *
find_in(int first, int end, const char *name)
{
    for (int k = first; k < end; k++) {
        const Builtin *f = &builtin_table[k];
        if (!(f->flags & ONLY_METHOD) && !strcmp(f->name, name))
            return &builtin_table[f->id];
    }
    return NULL;
}

const Builtin *
builtin_find(const char *module, const char *name)
{
    for (int m = 0; m < SW_LEN(modules); m++)
        if (!strcmp(modules[m].module, module))
            return find_in(modules[m].first, modules[m].end, name);
    return NULL;
}

/* Aliases of functions are no methods: there is no a.amin. */
const Builtin *
builtin_method(const char *name)
{
    for (int k = BI_NP; k < BI_COUNT; k++) {
        const Builtin *f = &builtin_table[k];
        if (f->flags & (METHOD | ONLY_METHOD) && f->id == k && !strcmp(f->name, name))
            return f;
    }
    return NULL;
}

const char *
lib_home(const char *name)
{
    int lo = 0, hi = n_lib_homes;
    while (lo < hi) {
        int mid = (lo + hi) / 2, c = strcmp(name, lib_homes[mid].name);
        if (!c)
            return lib_homes[mid].module;
        if (c < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}
