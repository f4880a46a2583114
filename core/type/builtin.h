/* SPDX-License-Identifier: BSD-3-Clause
 * The table of all library functions that compiled code may call: Python's builtins, math,
 * cmath, NumPy's functions and ufuncs, array methods and attributes, tuple and dtype
 * attributes, and swathe's own. One row each in def/py.def, def/math.def, def/np.def; `sema` types
 * it by `rule`, and lower/numpy expand it by `emit`. */
#ifndef SWATHE_BUILTIN_H
#define SWATHE_BUILTIN_H
#include "type/type.h"

typedef enum BuiltinFamily {
    BF_PY,     /* builtins: len, range, abs, min ... */
    BF_MATH,   /* math.sin: takes and returns weak Python scalars; raises */
    BF_CMATH,
    BF_UFUNC,  /* NumPy universal function */
    BF_NP,     /* other NumPy function; a method of the same name binds self to the first parameter */
    BF_GRID,   /* swathe.gpu: what kernels may say */
    BF_LIB,    /* NumPy function written in Python in swathe/lib, compiled like the user's */
} BuiltinFamily;

/* How a ufunc's operand and result dtypes follow from its arguments (sema/ufunc.c). */
typedef enum UfuncRule {
    UR_NONE,
    UR_ARITH,    /* promote all; bool allowed (add: or, multiply: and) */
    UR_SUB,      /* like ARITH but TypeError on bool: subtract, negative */
    UR_DIVIDE,   /* ints and bool go to f64 (true_divide) */
    UR_FLOORDIV, /* promote; bool -> i8; no complex: floor_divide, remainder, fmod, divmod */
    UR_POWER,    /* promote; bool -> i8 */
    UR_FLOAT,    /* smallest inexact: bool,i8,u8 -> f16; i16,u16 -> f32; others -> f64; complex stays */
    UR_FLOAT_REAL, /* the same, TypeError on complex */
    UR_COMPARE,  /* promote operands; bool result */
    UR_LOGICAL,  /* operands to bool by truth; bool result */
    UR_BIT,      /* bool or integers only */
    UR_SHIFT,    /* integers; bool -> i8 */
    UR_MINMAX,   /* promote; same type out */
    UR_INT,      /* gcd, lcm: integers */
    UR_PREDICATE,/* isnan...: one inexact or int operand; bool result */
    UR_ROUND,    /* floor, ceil, trunc: ints stay (NumPy >= 2.1), floats same; no complex */
    UR_RINT,     /* like FLOAT */
    UR_ABS,      /* complex -> its real; others same */
    UR_SAME,     /* positive, conjugate, square, sign: dtype stays */
    UR_HEAVISIDE_LIKE, /* two floats */
    UR_LDEXP, UR_FREXP, UR_MODF, UR_POPCOUNT,
} UfuncRule;

/* What kind of thing a row of grid.def is. */
typedef enum GridGroup {
    GG_VALUE,   /* gpu.threadIdx.x: read, not called */
    GG_INDEX, GG_ARRAY, GG_CONST, GG_BARRIER, GG_SHUFFLE, GG_VOTE, GG_MATCH, GG_FENCE, GG_ATOMIC,
    GG_MATH,    /* means the same outside of kernels */
} GridGroup;

typedef struct Builtin {
    const char *module;  /* "builtins", "math", "cmath", "numpy", "swathe", "gpu" */
    const char *name;    /* "sin", "linalg.norm" */
    BuiltinFamily family;
    const char *params;  /* "a, axis=None, dtype=None, out=None, *, keepdims=False"; a trailing "*args" takes the rest */
    int rule;            /* UfuncRule for ufuncs; NpRule for BF_NP; PyRule for BF_PY (sema); GridGroup */
    int op;              /* IrOp of ufuncs and math functions; -1 */
    int nin, nout, ulp;  /* ufuncs and math: allowed error against NumPy, in units in the last place */
    bool method;         /* also a.name(...) */
    int id;              /* index in the table */
} Builtin;
extern const Builtin builtin_table[];
extern const int builtin_count;
const Builtin *builtin_find(const char *module, const char *name);
const Builtin *builtin_method(const char *name); /* of an array */

/* ---- ufunc.c: the loop that NumPy would run ---- */
/* np.result_type of strong dtypes and Python scalars (weak[k]; weak may be NULL: none is). */
DType dtype_promote_mixed(int n, const DType *d, const bool *weak);
/* The dtypes of one call of a ufunc: in[n], out[2]. false when there is no such loop. */
bool ufunc_loop(const Builtin *fn, int n, const DType *d, const bool *weak, DType *in,
                DType *out);

/* The ids, for switches: BI_np_sum, BI_math_sin, BI_py_len. */
#define PY(id, params) BI_py_##id,
#define GRID(id, name, params, group, op) BI_gpu_##id,
#define MATH(id, params, op, ulp) BI_math_##id,
#define CMATH(id, params, op, ulp) BI_cmath_##id,
#define NP_UFUNC(id, nin, nout, rule, op, ulp) BI_np_##id,
#define NP_ALIAS(id, name, target) BI_np_##id,
#define NP(id, name, params, flags) BI_np_##id,
#define NP_LIB(id, name, params, flags) BI_np_##id,
typedef enum BuiltinId {
#include "def/py.def"
#include "def/grid.def"
#include "def/math.def"
#include "def/np.def"
    BI_COUNT
} BuiltinId;
/* What expands a BF_NP row, and types it: the families of functions in sema/ and numpy/. */
typedef enum NpGroup {
    NG_SHAPE,   /* and whatever is in no other */
    NG_REDUCE, NG_SCAN, NG_LINALG, NG_CREATE, NG_SELECT,
    NG_CLASS,   /* there for isinstance alone: np.ndarray, np.floating */
} NpGroup;
NpGroup builtin_group(const Builtin *fn);
#undef PY
#undef GRID
#undef MATH
#undef CMATH
#undef NP_UFUNC
#undef NP_ALIAS
#undef NP
#undef NP_LIB
#endif
