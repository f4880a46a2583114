/* SPDX-License-Identifier: BSD-3-Clause
 * The table of all library functions that compiled code may call: Python's builtins, math,
 * cmath, NumPy's functions and ufuncs, array methods and attributes, tuple and dtype
 * attributes, and swathe's own. One row each in def/py.def, def/math.def, def/np.def, which also
 * names the functions that type it in sema/ and expand it in lower/ or numpy/. */
#ifndef SWATHE_BUILTIN_H
#define SWATHE_BUILTIN_H
#include "type/type.h"

typedef enum BuiltinFamily {
    BF_PY,   /* builtins: len, range, abs, min ... */
    BF_MATH, /* math.sin: takes and returns weak Python scalars; raises */
    BF_CMATH,
    BF_UFUNC, /* NumPy universal function */
    /* other NumPy function; a method of the same name binds self to the first parameter */
    BF_NP,
    BF_GRID,   /* swathe.gpu: what kernels may say */
    BF_HEAP,   /* what the classes of lists and dicts are written with */
    BF_KERNEL, /* what functions in swathe/lib call of libswathe_kernels.so */
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
    /* smallest inexact: bool,i8,u8 -> f16; i16,u16 -> f32; others -> f64; complex stays */
    UR_FLOAT,
    UR_FLOAT_REAL,     /* the same, TypeError on complex */
    UR_COMPARE,        /* promote operands; bool result */
    UR_EQUAL,          /* the same, of what has no order too */
    UR_LOGICAL,        /* operands to bool by truth; bool result */
    UR_BIT,            /* bool or integers only */
    UR_SHIFT,          /* integers; bool -> i8 */
    UR_MINMAX,         /* promote; same type out */
    UR_INT,            /* gcd, lcm: integers */
    UR_PREDICATE,      /* isnan...: one inexact or int operand; bool result */
    UR_SIGNBIT,        /* the same of floats */
    UR_ROUND,          /* floor, ceil, trunc: ints stay (NumPy >= 2.1), floats same; no complex */
    UR_RINT,           /* like FLOAT */
    UR_ABS,            /* complex -> its real; others same */
    UR_SAME,           /* conjugate, square, reciprocal: dtype stays */
    UR_SIGNED,         /* positive, sign: the same, TypeError on bool */
    UR_HEAVISIDE_LIKE, /* two floats */
    UR_LDEXP,
    UR_FREXP,
    UR_MODF,
    UR_POPCOUNT,
    UR_NAT, /* isnat: no number */
} UfuncRule;

/* What kind of thing a row of grid.def is. */
typedef enum GridGroup {
    GG_VALUE, /* gpu.threadIdx.x: read, not called */
    GG_INDEX,
    GG_ARRAY,
    GG_CONST,
    GG_BARRIER,
    GG_SHUFFLE,
    GG_VOTE,
    GG_MATCH,
    GG_FENCE,
    GG_ATOMIC,
    GG_MATH, /* means the same outside of kernels */
} GridGroup;

/* What else a row says (def/np.def, def/py.def). */
enum {
    METHOD = 1,         /* a method of arrays too */
    ONLY_METHOD = 2,    /* one, and no function of the module */
    NEW = 0,            /* the result is new memory, or a number */
    OF_PYTHON = 512,    /* METHOD: Python's numbers have it, too */
    OF_ARRAYS = 8192,   /* METHOD: NumPy's numbers have it not */
    VIEW = 4,           /* may be a view of the first argument */
    STORES = 8,         /* changes the first argument's elements */
    RECORDS = 16,       /* takes an array of records */
    OF_TYPES = 2097152, /* what it yields is told by types, and raises nothing: a test decides */
    UNPACKS = 32,       /* f(*t) gives it the elements of t as arguments */
    ASKS = 64,          /* tells an int from a bool */
    NUMBER = 256,       /* a class of Python's numbers, of dtype op */
    PRINTS = 128,       /* does something besides yielding a value */
    /* takes a list, too, and a dtype beside it: _list_array and _list_table of swathe/lib */
    LISTS = 2048,
    /* leaves every list as long as it is, and its elements where they are */
    KEEPS = 1024,
    UPCALLS = 4096,     /* runs Python: anything may have changed */
    TIMES = 16384,      /* takes dates and time spans as it takes numbers, which it only moves */
    APART = 32768,      /* yields no part of what it is given */
    ARRAYS = 131072,    /* takes a list of arrays, too */
    INDEXED = 262144,   /* of NumPy: np.r_[...] and its like */
    REST = 1048576,     /* with other arguments than its expander takes: _rest_<id> of swathe/lib */
    TUPLES = 524288,    /* lists that are written out in a call of it are tuples */
    PAIRS = 65536,      /* takes what it is given apart, and what is in that */
    ELEMENTS = 4194304, /* asks its first argument for its elements, and keeps nothing else of it */
};

/* How a call does what it does to numbers of a parametric dtype: by a row of def/time.def, whose
 * values are storage. TIME_none: as to all others. */
#define TIME(id, ...) TIME_##id,
typedef enum TimeOp {
    TIME_none,
#include "def/time.def"
} TimeOp;

typedef struct TimeCall {
    TimeOp op;
    DType from[3], to[3]; /* of the operands; equal: nothing to convert */
} TimeCall;

/* Does a ufunc compare? Then any number of Python's is exact beside it. */
static inline bool
rule_compares(int rule)
{
    return rule == UR_COMPARE || rule == UR_EQUAL;
}

/* Where a function of math has a value; elsewhere Python raises ValueError. */
enum {
    MATH_ANY,
    MATH_NONNEGATIVE,
    MATH_POSITIVE,
    MATH_ABOVE_MINUS_1,
    MATH_FROM_1,
    MATH_UNIT,      /* -1 to 1 */
    MATH_OPEN_UNIT, /* without -1 and 1 */
    MATH_FINITE,
    MATH_NO_POLE, /* not at 0, -1, -2 ... */
    MATH_NO_POLE_OR_INF,
    MATH_WHERE = 15,
    MATH_OVERFLOWS = 16, /* an infinity of a finite number is an OverflowError */
};

/* Of what an object of one of NumPy's abstract classes is (NP_CLASS). */
enum {
    CLASS_BOOL = 1 << DK_BOOL,
    CLASS_INT = 1 << DK_INT,
    CLASS_UINT = 1 << DK_UINT,
    CLASS_FLOAT = 1 << DK_FLOAT,
    CLASS_COMPLEX = 1 << DK_COMPLEX,
    CLASS_DATE = 1 << DK_DATE,
    CLASS_DELTA = 1 << DK_DELTA,
    CLASS_ARRAY = 1 << 8,
};

typedef struct Builtin {
    const char *module; /* "builtins", "math", "cmath", "numpy", "swathe", "gpu" */
    const char *name;   /* "sin", "linalg.norm" */
    const char *prefix; /* before the name in messages: "np.", "math.", "" */
    const char *def;    /* BF_LIB: the function in swathe/lib */
    const char *kinds;  /* BF_GRID: of dtypes that its array or values may have */
    BuiltinFamily family;
    int rule; /* UfuncRule, GridGroup, CLASS_..., MATH_... */
    /* IrOp or XOP of ufuncs (of the second result) and math functions; else which of several it is;
     * -1 */
    int op, op2;
    int nin, nout, ulp; /* ufuncs; ulp: allowed error against NumPy, in units in the last place */
    uint32_t flags;
    int id; /* index in the table */
} Builtin;
extern const Builtin builtin_table[];
extern const int builtin_count;
const Builtin *builtin_find(const char *module, const char *name);
const Builtin *builtin_method(const char *name); /* of an array */

/* ---- params.c: the parameters of rows ---- */
typedef enum ArgKind {
    PK_ANY,   /* what the function takes itself */
    PK_PARTS, /* several, in a tuple or a list: a display is the tuple */
    PK_ARRAY, /* an array, a number, or nested sequences of numbers */
    /* the same, to be stored: a list stays one, so that each of its numbers is asked if it fits */
    PK_VALUES,
    PK_OUT,   /* an array to write to */
    PK_AXIS,  /* an integer or a tuple of integers; no bool */
    PK_AXES,  /* the same; a display is the tuple */
    PK_SHAPE, /* the same, or a list of them */
    PK_INT,
    PK_SIZE, /* an integer; no bool */
    PK_NUMBER,
    PK_FLAG, /* a bool or an integer */
    PK_TEXT,
    PK_DTYPE,
} ArgKind;

/* A `*args` parameter is not counted in n: its values are arg[n .. n_args-1] of the Call, after all
 * the named ones (arange: arg[0] is dtype, arg[1..] the positional ones). */
typedef struct RowParam {
    const char *name;
    ArgKind kind;
    bool required, kwonly;
    bool none; /* None is a value of it */
} RowParam;

typedef struct RowParams {
    int n;
    bool varargs;
    const RowParam *at;
} RowParams;
/* by id; made by tools/tables.py from params of the rows */
extern const RowParams builtin_params[];

/* A function of swathe.lib, and the module there that has it. */
typedef struct LibHome {
    const char *name, *module;
} LibHome;

extern const LibHome lib_homes[]; /* by name */
extern const int n_lib_homes;
const char *lib_home(const char *name);             /* NULL: there was none when this was built */
int row_param(const Builtin *fn, const char *name); /* index of a named parameter, -1 */

/* ---- ufunc.c: the loop that NumPy would run ---- */
/* np.result_type of strong dtypes and Python scalars (weak[k]; weak may be NULL: none is). */
DType dtype_promote_mixed(int n, const DType *d, const bool *weak);
/* The dtypes of one call of a ufunc: in[n], out[2]. false when there is no such loop. */
bool ufunc_loop(const Builtin *fn, int n, const DType *d, const bool *weak, DType *in, DType *out);

/* The ids: BI_np_sum, BI_math_sin, BI_py_len. Rows of a module lie together. */
#define PY(id, ...) BI_py_##id,
#define GRID(id, ...) BI_gpu_##id,
#define MATH(id, ...) BI_math_##id,
#define NP_UFUNC(id, ...) BI_np_##id,
#define NP_ALIAS(id, ...) BI_np_##id,
#define NP(id, ...) BI_np_##id,
#define NP_LIB(id, ...) BI_np_##id,
#define NP_CLASS(id, ...) BI_np_##id,
typedef enum BuiltinId {
#include "def/py.def"
    BI_OWN,
    BI_before_own = BI_OWN - 1,
#define OWN(id, ...) BI_py_##id,
#include "def/py.def"
    BI_GPU,
    BI_before_gpu = BI_GPU - 1,
#include "def/grid.def"
    BI_MATH,
    BI_before_math = BI_MATH - 1,
#include "def/math.def"
    BI_CMATH,
    BI_before_cmath = BI_CMATH - 1,
#define CMATH(id, ...) BI_cmath_##id,
#include "def/math.def"
    BI_NP,
    BI_before_np = BI_NP - 1,
#include "def/np.def"
    BI_OBJECTS,
    BI_before_objects = BI_OBJECTS - 1,
#define HEAP(id, ...) BI_heap_##id,
#include "def/heap.def"
    BI_KERNELS,
    BI_before_kernels = BI_KERNELS - 1,
#define KERNEL(id, ...) BI_kernel_##id,
#include "def/kernel.def"
    BI_COUNT
} BuiltinId;
#undef GRID

/* ---- kernel.c: rows of def/kernel.def ---- */
typedef struct KernelRow {
    int id; /* BI_kernel_... */
    const char *name, *how, *dtypes;
} KernelRow;
typedef struct KernelParam {
    bool is_array, reads, writes;
    int core;     /* axes that one problem takes: the last ones */
    char size[4]; /* a letter for each */
    DType dtype;  /* DT_COUNT: that of the first array */
} KernelParam;
const KernelRow *kernel_row(int id);
const KernelRow *kernel_named(const char *name); /* NULL: there is none */
int kernel_n_params(const KernelRow *k);
bool kernel_takes(const KernelRow *k, DType d);
bool kernel_draws(const KernelRow *k);
DType kernel_result(const KernelRow *k); /* DT_COUNT: its status */
KernelParam kernel_param(const KernelRow *k, int i);
#endif
