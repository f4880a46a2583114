/* SPDX-License-Identifier: BSD-3-Clause
 * The loop IR: typed, structured (for, while, if, try; no goto). Scalar expressions are pure
 * trees, made anew and never shared between two statements unless a leaf; statements are in lists
 * and change mutable variables and arrays. Array accesses keep (array, index expressions). There
 * are no tuples and no Python objects here: lower has taken them apart.
 *
 * Rules that verify.c checks:
 * - a `set` has the dtype of its variable; operands of an op have one dtype (see op.def for the
 *   exceptions);
 * - index expressions are i64; a load or store has as many as the array has axes. An index
 *   must be in 0 .. dim-1 when the access runs: what can't be shown in range has a `check index`
 *   before it;
 * - an expression is evaluated when its statement runs, all of it (so no load in it may see a store
 *   of the same statement);
 * - the variable of a `loop` is set by the loop only. */
#ifndef SWATHE_IR_H
#define SWATHE_IR_H
#include "base/base.h"
#include "type/type.h"

/* see op.def */
enum {
    OPF_COMMUTES = 1,
    OPF_LIBM = 2,
    OPF_VECTOR = 4,
    OPF_COMPARES = 8,
    OPF_ORDERS = 16,
    OPF_COSTLY = 32,
    OPF_PARTIAL = 64,
};
typedef enum OpResult { OR_SAME, OR_BOOL, OR_REAL, OR_COMPLEX, OR_INT, OR_LONG, OR_ARG1 } OpResult;
#define OP(id, n, result, flags) OP_##id,
typedef enum IrOp {
#include "def/op.def"
    OP_COUNT
} IrOp;
#undef OP
typedef struct OpInfo {
    const char *name;
    int n;
    OpResult result;
    int flags;
} OpInfo;
extern const OpInfo op_info[OP_COUNT];
DType op_result(IrOp op, DType a0, DType a1);
IrOp op_mirrored(IrOp op); /* the comparison with its operands swapped */

/* ---- reduce.c: v = op(v, x); traits are those of reduce.def ---- */
enum { RED_IS = 1, RED_AGAIN = 2, RED_ROUNDS = 4, RED_ZEROS = 8, RED_CHOOSES = 16 };
int ir_reduce_traits(int op); /* 0: no reduction has this operator */
/* other orders give other bits, and not only of zeros and NaN */
bool ir_reduce_in_order(int op, DType d);

#define RT(id, ret, params, traits) RT_##id,
typedef enum IrRt {
#include "def/rt.def"
    RT_COUNT
} IrRt;
#undef RT
enum { RTF_FAILS = 1, RTF_READS = 2, RTF_WRITES = 4, RTF_PURE = 8, RTF_QUIET = 16 }; /* rt.def */
typedef struct RtInfo {
    const char *name;
    int traits;
} RtInfo;
extern const RtInfo rt_info[RT_COUNT];

/* ---- variables ------------------------------------------------------------------------ */

/* Where an array of a kernel lies. Shared and local ones come from IS_ALLOC with constant dims, or
 * one dim of geo.shared_bytes / itemsize: dynamic ones, which all begin at the same byte. */
typedef enum IrSpace {
    SPACE_HEAP,
    SPACE_SHARED /* one for a block */,
    SPACE_LOCAL /* one for a thread */
} IrSpace;
enum { SHADOW_COMBINES = 2 }; /* IS_SHADOW: this and an IrOp */
enum { SPACE_ANY = SPACE_LOCAL + 1 /* IS_TOUCH: known when it runs */, SPACE_WORDS };

typedef struct IrVar {
    const char *name; /* unique in the function once printed: x, x.1, t.5 */
    int id;           /* dense in the function */
    bool is_array;
    bool is_param;
    /* array: holds a reference (see IS_ALLOC); decided by pass `refcount`, true until then */
    bool owned;
    bool noalias; /* array: shares no byte with any other visible array (fresh memory) */
    uint8_t dtype, ndim, layout; /* layout as in type.h */
    bool readonly, fortran;      /* fortran: most likely axis 0 goes from element to element */
    /* temporary that lower/numpy set exactly once: reading it again needs no copy */
    bool once;
    uint8_t space; /* array: IrSpace */
    /* array: NULL, or it is a reference to counted memory whose words are i64, and which of them
     * hold references themselves: see heap.c */
    const char *obj;
    /* parameter of the entry: sizes of axes in the first call, by bytes from axis 0 on, for passes
     * that choose what to make versions for; 0: long */
    uint64_t likely;
    const int64_t *range; /* array: NULL, or between which integers its elements are, always */
    const char *holds;    /* parameter or result with obj: NULL, or what its columns are for:
                          see heap_holds in type.h */
} IrVar;

enum { IR_SHORT_AXIS = 8 }; /* the longest that IrVar.likely tells of */
static inline int
ir_likely(const IrVar *v, int axis)
{
    return axis < 8 ? (int)(v->likely >> 8 * axis & 0xff) : 0;
}
static inline void
ir_set_likely(IrVar *v, int axis, int n)
{
    if (axis < 8)
        v->likely |= (uint64_t)n << 8 * axis;
}

/* ---- expressions ---------------------------------------------------------------------- */
typedef enum IrExprKind {
    IX_CONST,  /* i (ints, bool), or re, im */
    IX_VAR,    /* var: scalar */
    IX_OP,     /* op, args */
    IX_CAST,   /* args[0] to dtype, as NumPy's astype casts (float -> int truncates; to bool: != 0;
                   complex -> real drops the imaginary part) */
    IX_LOAD,   /* var: array, args: indices */
    IX_DIM,    /* var: array, axis; i64 */
    IX_STRIDE, /* var: array, axis; i64, bytes */
    /* axis: IrGeo; i64. Where in the grid the thread is; in kernels and what they call */
    IX_GEO,
} IrExprKind;
#define GEO(id) GEO_##id,
typedef enum IrGeo {
#include "def/geo.def"
    GEO_COUNT
} IrGeo;
#undef GEO
enum { WARP_SIZE = 32 };
/* may be reassociated; all fast-math freedoms; none of them; no wrap; any int of too large a one */
enum { IXF_REASSOC = 1, IXF_FAST = 2, IXF_STRICT = 4, IXF_EXACT = 8, IXF_ANY = 16 };

typedef struct IrExpr {
    IrExprKind kind;
    uint8_t dtype, op, flags, n, axis;
    IrVar *var;
    struct IrExpr **arg;
    union {
        int64_t i;
        struct {
            double re, im;
        };
    };
} IrExpr;

/* ---- statements ----------------------------------------------------------------------- */
typedef struct IrStmt IrStmt;
typedef struct IrBlock {
    IrStmt *first, *last;
} IrBlock;

/* What a kind of statement does, whatever stands in it: see stmt.def, where each has its row. */
enum {
    ST_DEFINES = 1 << 0,      /* assigns var, unless that is NULL */
    ST_DEFINES_OUTS = 1 << 1, /* assigns outs */
    ST_ENDS = 1 << 2,         /* var is assigned nothing: it ends */
    /* var is assigned memory that no other array has, and its elements are set */
    ST_ALLOCATES = 1 << 3,
    ST_LOOKS = 1 << 4,      /* var is assigned memory of base */
    ST_WRITES_VAR = 1 << 5, /* stores elements of var */
    ST_WRITES_BASE = 1 << 6,
    /* reads elements of base, beside what the loads of its expressions read */
    ST_READS_BASE = 1 << 7,
    ST_READS_ARGS = 1 << 8, /* reads elements of arrays in args */
    ST_NAMES_VAR = 1 << 9,  /* mentions the array var: where it lies, its dims; no element */
    ST_NAMES_BASE = 1 << 10,
    ST_GIVES_ARGS = 1 << 11, /* args leave the function */
    ST_PRE = 1 << 12,        /* has these blocks */
    ST_BODY = 1 << 13,
    ST_HANDLERS = 1 << 14,
    ST_ELS = 1 << 15,
    /* its blocks run any number of times; break and continue inside are its own */
    ST_REPEATS = 1 << 16,
    ST_LEAVES = 1 << 17, /* what stands behind it in its block never runs */
    ST_BREAKS = 1 << 18, /* goes on at the loop's head or behind the loop */
    ST_RETURNS = 1 << 19,
    ST_RAISES = 1 << 20, /* may */
    ST_CHECKS = 1 << 21, /* raises, or does nothing */
    ST_CALLS = 1 << 22,  /* runs other code with args: ir_summary has what that does */
    ST_WAITS = 1 << 23,  /* other threads run here */
    /* does something that the world, a debugger or other threads see, but to no variable or
     * array */
    ST_SAYS = 1 << 24,
    ST_PURE = 1 << 25,      /* does nothing but to define var: may go when nobody reads that */
    ST_FLAT = 1 << 26,      /* simple enough for a body without structure: see ir_is_flat */
    ST_FAILS = 1 << 28,     /* raises what the program says: the site's error */
    ST_KEEPS_VAR = 1 << 29, /* base refers to the memory of var from here on */
    ST_KERNEL = 1 << 27,    /* stands in kernels and in what they call only */
};
#define STMT(ID, form, traits) IS_##ID,
typedef enum IrStmtKind {
#include "def/stmt.def"
} IrStmtKind;
#undef STMT
#define STMT(ID, form, traits) +1
enum {
    IS_COUNT = 0
#include "def/stmt.def"
};
#undef STMT
typedef struct StmtInfo {
    const char *name;
    const char *form; /* how it is written; "": in a way of its own */
    uint32_t traits;  /* ST_... */
} StmtInfo;
extern const StmtInfo stmt_info[IS_COUNT];

/* ---- form.c: the pieces of a statement's form, of which the printer, the reader and the verifier
 * ask one after the other */
typedef enum FormKind {
    FORM_TEXT,   /* a word or a mark, as it stands there */
    FORM_ARRAY,  /* $array: var */
    FORM_BASE,   /* $base: an array */
    FORM_INDEX,  /* $index: idx, of the array before it */
    FORM_BOOL,   /* $bool: e */
    FORM_I64,    /* $i64: e */
    FORM_AXIS,   /* $axis */
    FORM_N,      /* $n */
    FORM_ORDER,  /* $order */
    FORM_WORD,   /* $fence, $touch, $space: a word of a table, in order or n */
    FORM_VALUES, /* $values: args */
    FORM_SITE,   /* $site: site, and args. $site?: or none */
    FORM_PLACE,  /* @: the text says behind it where the statement came from */
} FormKind;
typedef struct FormPiece {
    FormKind kind;
    bool blank; /* in front of it */
    bool maybe;
    char text[16];
    const struct FormWords *words;
} FormPiece;
typedef struct FormWords {
    const char *name; /* $name */
    const char *const *words;
    int n;
    bool in_n; /* in s->n, or in s->order */
    const char *what;
} FormWords;
bool ir_form_next(const char **at, FormPiece *out); /* false: there is no more */
int ir_form_kind(const char *word); /* the kind of statement whose form begins so, or -1 */

/* Words of the text form, too: tables in ir/grid.c. */
typedef enum IrBarrier { BAR_BLOCK, BAR_WARP, BAR_GRID, BAR_COUNT_ } IrBarrier;
typedef enum IrVote { VOTE_NONE, VOTE_COUNT, VOTE_AND, VOTE_OR, VOTE_COUNT_ } IrVote;
/* What sw_watch_array is told of: all is written, nothing is any more; only the space counts. */
typedef enum IrMade { MADE_HERE, MADE_WRITTEN = 1, MADE_ANEW = 2 } IrMade;
typedef enum IrTouch {
    TOUCH_READ,
    TOUCH_WRITE,
    TOUCH_ATOMIC,
    TOUCH_EXCHANGE /* atomic; what was there doesn't count */,
    TOUCH_COUNT_
} IrTouch;
typedef enum IrFence { FENCE_BLOCK, FENCE_DEVICE, FENCE_SYSTEM, FENCE_COUNT_ } IrFence;
typedef enum IrAtomic {
    ATOM_ADD,
    ATOM_SUB,
    ATOM_MIN,
    ATOM_MAX, /* of floats: NaN if either is */
    ATOM_NANMIN,
    ATOM_NANMAX, /* of floats: the other if one is NaN */
    ATOM_AND,
    ATOM_OR,
    ATOM_XOR,
    ATOM_XCHG,
    ATOM_CAS,
    ATOM_INC, /* old >= e ? 0 : old + 1 */
    ATOM_DEC, /* old == 0 or old > e ? e : old - 1 */
    ATOM_COUNT_
} IrAtomic;
typedef enum IrWarp {
    WARP_SHFL,
    WARP_SHFL_UP,
    WARP_SHFL_DOWN,
    WARP_SHFL_XOR, /* var: e's dtype */
    WARP_ANY,
    WARP_ALL,
    WARP_EQ,     /* bool of bool */
    WARP_BALLOT, /* u32 of bool */
    WARP_MATCH_ANY,
    WARP_MATCH_ALL, /* u32 of any */
    WARP_ACTIVE,    /* u32; e NULL, no args */
    WARP_COUNT_
} IrWarp;

typedef enum LoopKind {
    LOOP_SEQ,
    LOOP_PAR,
    LOOP_REDUCE,
    LOOP_SIMD,
    LOOP_GRID,
    LOOP_BLOCK
} LoopKind;

/* A scalar of a parallel loop that each iteration combines with: var = op(var, ...). Or an array
 * whose elements are: var[e] = op(var[e], ...), read nowhere else in the loop; then a chunk works
 * on an array of its own, all identities, and these are combined element by element. Or a scalar
 * that is set beside a comparison's: if op(x, of): of = x; var = anything. */
typedef struct IrReduce {
    IrVar *var;
    /* add, mul, min, max, fmin, fmax, and, or, xor; lt, le, gt, ge: var = select(op(x, var), x,
     * var) */
    uint8_t op;
    IrVar *of;  /* or NULL; op is that of the reduction of `of`, which is in the list, too */
    IrVar *hit; /* bool, in the list, too: x was taken by any iteration so far; NULL: not needed */
} IrReduce;

typedef struct IrArg { /* a call's argument or result, a return value */
    IrExpr *e;         /* scalar, or NULL */
    IrVar *arr;        /* array, or NULL. Results: `arr` or `out` is assigned */
    IrVar *out;        /* scalar variable that takes a result */
} IrArg;

typedef struct IrHandler {
    int n_exc;        /* 0: catches everything that `except Exception` does */
    const char **exc; /* exception class names; subclasses are included by rt_exc_matches */
    IrBlock body;
} IrHandler;

struct IrStmt {
    IrStmtKind kind;
    IrStmt *prev, *next;
    Span at;
    IrVar *var, *base;
    IrExpr *e;
    IrExpr **idx;
    int n_idx;
    IrArg *args, *outs;
    int n_args, n_outs;
    IrBlock body, els, pre;
    IrHandler *handlers;
    int n_handlers;
    struct IrFunc *func;
    int site; /* index in IrModule.sites; -1 */
    int n;    /* constant array's number */
    uint8_t rt, axis, loop, order;
    bool zero, fresh; /* fresh: IS_PUT: nothing was put there, or it is gone */
    /* loop or if-branch that is not expected to run: compile it small. IS_IF: `body` is cold */
    bool cold;
    /* IS_IF: `els` is cold. Where both hold loops of an array expression, it is right for any
     * case */
    bool cold_else;
    bool any_else; /* IS_IF: els does what body does, whatever the test says */
    bool novector; /* loop: leave it scalar */
    /* loop: both bounds are read anew each time it starts; it is usually short */
    bool few;
    /* loop: iterations are independent as far as memory goes (checked before) */
    bool novec_alias;
    bool light; /* loop: it has little to do, since what has more is done elsewhere: no tiles */
    bool wide;  /* loop: it waits for elements here and there, and more of them in vectors */
    /* loop: a schedule wants it to run side by side, and nobody has promised that it may */
    bool unpromised;
    /* debug: a prange whose iterations combine into elements that others of them may use: it runs
     * in order, and pass race has it looked at whether they do */
    bool combines;
    /* loop of an array expression: each iteration touches its own element */
    bool elementwise;
    const char *label;
    /* a loop whose iterations are independent but for `reds` and `lasts`; set by pass par */
    bool independent;
    bool apart;    /* and the arrays that it stores to share no memory with others in it */
    bool threads;  /* and it is to run on workers */
    uint8_t lanes; /* run this many iterations at a time in vector lanes; 0: no */
    IrReduce *reds;
    int n_reds;
    /* scalars set by every iteration, wanted after the loop: the last one's value */
    IrVar **lasts;
    int n_lasts;
    const SwSched *sched; /* what the schedule says of its label, or NULL */
};

/* ---- functions and modules ------------------------------------------------------------- */
enum { IR_MAX_RESULTS = 64 };
typedef struct IrFunc {
    const char *name;
    Vec(IrVar *) vars; /* parameters first */
    int n_params;
    int n_results;
    /* what each result is like: dtype, is_array, ndim, layout (never used as variables) */
    IrVar *results[IR_MAX_RESULTS];
    IrBlock body;
    Span at;
    bool entry; /* gets a slot wrapper named swathe_entry */
    bool may_raise;
    int products; /* of matrices, in it: see fill_by in numpy/linalg.c */
    bool recursive;
    bool inlined; /* the program asks for its body in place of each call */
    bool apart;   /* it asks that this be done nowhere */
    bool kernel;  /* the body is what ONE thread of a grid does; it has no results */
    bool lib;     /* it is written in swathe/lib */
    /* no body: the symbol of a unit that has it (pass units), or NULL. What the call does is in
     * `summary` */
    const char *unit;
    /* no body: the symbol of a function of another language. Its results: what it returns, then
     * what it stores through a pointer that comes before its arguments; arrays are pointers to
     * it */
    const char *foreign;
    /* while it is lowered: of the statement, by axis; NULL entries name none */
    const char **labels;
    int n_labels;
    struct IrModule *mod;
    const SwOptions *opt;            /* what it is compiled under; NULL: what the module is */
    const struct IrSummary *summary; /* see ir_summary; NULL: not asked yet */
} IrFunc;

/* ---- foreign.c: functions of other languages, "swx:KEY:TAG:NAME" ---- */
#define FOREIGN_PREFIX "swx:"
#define FOREIGN_MARK "__swl_" /* NAME__swl_TAG in the text for a device */
const char *ir_foreign_for_device(Arena *a, const IrFunc *f);
bool ir_foreign_is_for(const IrFunc *f, char device); /* 'o': OpenCL, 'c': CUDA */
bool ir_foreign_has_host(const IrFunc *f);
/* Or Python: "swp:K:NAME", number K of the module's upcalls. Its parameters and results are what
 * those say; it may do anything, to what it was given before, too. */
#define UPCALL_PREFIX "swp:"
int ir_upcall(const IrFunc *f);                 /* K; -1: it is none */
const IrStmt *ir_find_upcall(const IrBlock *b); /* a call that comes to one; NULL */
/* Or a kernel of libswathe_kernels.so, "swk:NAME": its result is the status; MemoryError and
 * interruption it raises. */
#define KERNEL_PREFIX "swk:"
const struct KernelRow *ir_kernel(const IrFunc *f); /* NULL: it is none */
static inline bool
ir_is_kernel(const IrFunc *f)
{
    return f->foreign && !strncmp(f->foreign, KERNEL_PREFIX, sizeof KERNEL_PREFIX - 1);
}
/* its parameters and result are what the row says */
bool ir_kernel_fits(const IrFunc *f);
bool ir_kernel_call_fits(const IrStmt *s); /* so are the numbers of axes */

/* ---- heap.c: memory whose words refer to other memory ----
 * An IrVar with `obj` names such memory: a one-dimensional C-contiguous array of i64, its words. In
 * obj each word is a letter: w holds a number, p a counted reference; "*" alone: an array of any
 * length of references. A reference to an array is followed by words for where its elements begin,
 * its dims, and, unless its layout tells them, its strides; one to an object, by none. A new object
 * is IS_ALLOC of such a variable, all zero (not zero: one that all share, and nobody looks at);
 * IS_GET and IS_PUT read and write references, loads and stores the other words. */
#define OBJ_ARRAY "*"
static inline bool
ir_is_object(const IrVar *v) /* of so many words; else it is an array, perhaps of references */
{
    return v->obj && v->obj[0] != '*';
}
/* Its words lie IR_NEAR bytes from where the memory's count is. (What begins with a reference is a
 * box for an array, which may lie elsewhere.) */
enum { IR_NEAR = 64 };
enum { IR_REFS = 255 }; /* among the sizes of elements that sw_grow is told: references */
static inline bool
ir_is_near(const IrVar *v)
{
    return v->obj && v->obj[0] == 'w';
}
bool ir_put_is_first(const IrStmt *put); /* fresh, or of a new object: the word holds nothing */
bool ir_same_obj(const IrVar *a, const IrVar *b);
/* of a reference to what v is like, in the words of another object */
int ir_ref_words(const IrVar *v);
bool ir_keeps_strides(const IrVar *object, int64_t word,
                      const IrVar *v); /* of v, whatever its layout: is there room? */

/* ---- exc.c ---- */
bool ir_exc_derives(const char *cls, const char *from); /* a class from itself, too */

/* A place that can raise, or a print: what the error needs, kept in the artifact. */
typedef struct IrSite {
    const char *exc;    /* class name */
    const char *format; /* message with %0 %1 %2 %3 for the int64 args */
    /* text: source line with the caret position below (columns of text) */
    const char *func, *file, *text;
    int line, col, end_col;
    /* 1 + the site of the call that its function's body stands in place of; 0: none */
    int within;
    int cause;   /* IR_FROM_... */
    bool is_lib; /* in swathe's own library, which a message doesn't show */
} IrSite;
/* What an exception is raised from: nothing, None, one of a site of its own (IR_FROM_SITE +
 * number), or what the k-th handler around has caught (IR_FROM_CAUGHT - k). */
enum { IR_FROM_NOTHING = 0, IR_FROM_NONE = 1, IR_FROM_SITE = 2, IR_FROM_CAUGHT = -1 };

typedef struct IrConstArray {
    uint8_t dtype, ndim;
    const int64_t *shape;
    const void *data; /* C order */
    size_t nbytes;
    const int64_t *range; /* its least and its greatest element, once a variable is it; or NULL */
} IrConstArray;

typedef struct IrModule {
    Cx *cx;
    Vec(IrFunc *) funcs;
    Vec(IrSite) sites;
    Vec(IrConstArray) consts;
    Vec(Upcall) upcalls;
    struct IrSiteIndex *site_index; /* of ir_site */
    struct IrModule *device;        /* kernels that pass offload has made; or NULL */
    /* what pass units has taken out of this one; whoever calls another stands behind it */
    Vec(struct IrModule *) units;
    /* this is one of them: its symbol. The first function is what it is made for */
    const char *unit;
} IrModule;

/* ---- unit.c: units, modules of one function of the library that programs share ---- */
#define UNIT_PREFIX                                                                                \
    "swu:" /* of a unit's symbol, for who calls it: its hash in hexadecimal digits follows */
#define UNIT_ENTRY "swathe_unit" /* its function, in the unit's own object */
#define UNIT_SITES                                                                                 \
    "swathe_unit_sites" /* there, an address that stands for a number: of its first site */
/* of a file of the package, its path in there; NULL: another's */
const char *ir_unit_file(const char *path);
/* what a unit is compiled with for a program with these */
SwOptions ir_unit_options(const SwOptions *o);
char *ir_unit_symbol(IrModule *u); /* by its text, and by all that the text leaves out */

/* ---- build.c ---------------------------------------------------------------------------- */
IrModule *ir_module(Cx *cx);
IrFunc *ir_func(IrModule *m, const char *name);
IrVar *ir_var(IrFunc *f, const char *name, DType d);
IrVar *ir_array_var(IrFunc *f, const char *name, DType d, int ndim, Layout l);
IrVar *ir_var_like(IrFunc *f, const char *name, const IrVar *like); /* an array of the same type */
int ir_site(IrModule *m, const char *exc, const char *format, Span at); /* equal sites are shared */
/* Of IndexError: arrays of the library aren't named. */
char *ir_index_format(Arena *a, Span at, const IrVar *arr, int axis);
/* it, or another like it, of an exception that has this cause */
int ir_site_from(IrModule *m, int site, int cause);

IrExpr *ir_int(Cx *cx, DType d, int64_t v);
IrExpr *ir_float(Cx *cx, DType d, double v);
IrExpr *ir_complex(Cx *cx, DType d, double re, double im);
IrExpr *ir_use(Cx *cx, IrVar *v);
/* as many IrExpr* as the op has; folds constants and identities */
IrExpr *ir_op(Cx *cx, IrOp op, ...);
IrExpr *ir_opv(Cx *cx, IrOp op, IrExpr **args);
/* no node when it is d already; folds constants */
IrExpr *ir_cast(Cx *cx, DType d, IrExpr *e);
IrExpr *ir_load(Cx *cx, IrVar *arr, int n, IrExpr **idx);
IrExpr *ir_dim(Cx *cx, IrVar *arr, int axis);
IrExpr *ir_stride(Cx *cx, IrVar *arr, int axis);
IrExpr *ir_geo(Cx *cx, IrGeo which);
IrExpr *ir_copy_expr(Cx *cx, const IrExpr *e);
bool ir_is_const(const IrExpr *e, int64_t *v); /* integer constant */
/* Bounds of a float; false: not known. What the operations yield lies there in any order. */
bool ir_real_range(const IrExpr *e, double *lo, double *hi);
bool ir_is_var(const IrExpr *e, const IrVar *v);
bool ir_expr_equal(const IrExpr *a, const IrExpr *b);
uint64_t ir_expr_hash(const IrExpr *e); /* the same for equal ones */
/* x combined with this is x, to the sign of a zero; NULL: only the value from before will do */
IrExpr *ir_reduce_identity(Cx *cx, int op, DType d);
/* as the loop would, had it come to `old`; both may be mentioned twice */
IrExpr *ir_reduce_combined(Cx *cx, int op, IrExpr *old, IrExpr *x);
/* The node as asked for, nothing folded. */
IrExpr *ir_raw_op(Cx *cx, IrOp op, IrExpr **args);
IrExpr *ir_raw_cast(Cx *cx, DType d, IrExpr *e);

/* ---- eval.c: constant arithmetic, exactly as compiled code does it; false: not folded ---- */
bool ir_eval(IrOp op, IrExpr *const *args, IrExpr *out); /* out->dtype is set by the caller */
bool ir_eval_cast(const IrExpr *e, IrExpr *out);
int64_t ir_wrap_int(DType d, int64_t v);  /* v in the width of d */
double ir_round_float(DType d, double v); /* v as f16, f32 or f64 holds it */

/* A builder has an insertion block; every function that makes a statement appends there. */
typedef struct IrBuilder {
    Cx *cx;
    IrModule *mod;
    IrFunc *f;
    IrBlock *at;
    Span span; /* given to the statements made */
    /* what the operation on arrays that is being lowered writes to; messages name its shape */
    IrVar *into[2];
    void *owner; /* what its user hangs on it */
} IrBuilder;
/* Makes s the definition of v as a constant array of the module. */
void ir_set_const_array(IrModule *m, IrStmt *s, IrVar *v, int n);
IrStmt *ir_append(IrBuilder *b, IrStmtKind k);  /* bare: the caller fills it in */
IrStmt *ir_stmt(Cx *cx, IrStmtKind k, Span at); /* in no block yet */
/* t = e, unless e is a constant or unassigned parameter: always a fresh var */
IrVar *ir_temp(IrBuilder *b, IrExpr *e);
/* an i64: itself if constant, else in a new variable */
IrExpr *ir_named(IrBuilder *b, const char *name, IrExpr *e);
IrStmt *ir_set(IrBuilder *b, IrVar *v, IrExpr *e);
IrStmt *ir_store(IrBuilder *b, IrVar *arr, int n, IrExpr **idx, IrExpr *e);
IrStmt *ir_alloc(IrBuilder *b, IrVar *v, IrExpr **dims, Layout order, bool zero);
IrStmt *ir_view(IrBuilder *b, IrVar *v, IrVar *base, IrExpr *offset, IrExpr **dims,
                IrExpr **strides);
IrStmt *ir_alias(IrBuilder *b, IrVar *v, IrVar *base);
/* then: IrBlock *save = b->at; b->at = &s->body; ...; b->at = save; */
IrStmt *ir_loop(IrBuilder *b, LoopKind k, IrVar *v, IrExpr *lo, IrExpr *hi, int64_t step);
IrStmt *ir_while(IrBuilder *b);
IrStmt *ir_if(IrBuilder *b, IrExpr *cond);
IrStmt *ir_check(IrBuilder *b, IrExpr *cond, int site, int n_args, IrExpr **args);
IrStmt *ir_check_index(IrBuilder *b, IrVar *arr, int axis, IrExpr *i);
IrStmt *ir_raise(IrBuilder *b, int site, int n_args, IrExpr **args);
/* i32: not 0 when two arrays may share bytes */
IrVar *ir_overlap(IrBuilder *b, IrVar *x, IrVar *y);
IrStmt *ir_ask(IrBuilder *b, IrRt rt, int n_args, IrVar *out); /* args are not set; out or NULL */
bool ir_is_overlap(const IrStmt *s); /* outs[0] = the test of args[0] and args[1] */
IrStmt *ir_drop(IrBuilder *b, IrVar *v);
IrStmt *ir_get(IrBuilder *b, IrVar *v, IrVar *from, IrExpr *word);
IrStmt *ir_put(IrBuilder *b, IrVar *into, IrExpr *word, IrVar *v); /* NULL: nothing */
IrStmt *ir_return(IrBuilder *b, int n, IrArg *args);
IrStmt *ir_barrier(IrBuilder *b, IrBarrier which, IrVote vote, IrVar *out, IrExpr *e);
IrStmt *ir_atomic(IrBuilder *b, IrAtomic op, IrVar *old, IrVar *arr, int n, IrExpr **idx, IrExpr *e,
                  IrExpr *expected); /* NULL unless cas */
IrStmt *ir_warp(IrBuilder *b, IrWarp op, IrVar *out, IrExpr *e, int n_args, IrExpr **args);
IrStmt *ir_fence(IrBuilder *b, IrFence which);
void ir_remove(IrBlock *blk, IrStmt *s);
void ir_insert_before(IrBlock *blk, IrStmt *where, IrStmt *s); /* where NULL: at the end */
void ir_move_all(IrBlock *to, IrBlock *from);                  /* appends, empties `from` */
/* Deep copy with fresh variables for those that the block itself defines as loop variables. `map`
 * (IrVar* -> IrVar*) may be given substitutions beforehand. */
IrBlock ir_clone_block(IrFunc *f, const IrBlock *src, Map *map);
IrExpr *ir_clone_expr(IrFunc *f, const IrExpr *e, Map *map);

/* ---- print.c, parse.c, verify.c ------------------------------------------------------------ */
void ir_print(const IrModule *m, StrBuf *out);
void ir_print_func(const IrFunc *f, StrBuf *out);
void ir_print_shape(const IrFunc *f, StrBuf *out); /* no names; places of what can fail */
void ir_print_stmt(const IrFunc *f, const IrStmt *s, StrBuf *out); /* its first line, unindented */
IrModule *ir_parse(Cx *cx, const char *text, char **err); /* NULL with err set: "line 3: ..." */
enum { IR_LOOP_WORDS = LOOP_BLOCK + 1 };
extern const char *const ir_loop_words[IR_LOOP_WORDS]; /* "seq", "par", ... by LoopKind */
/* "grid_x", ... ; geo.grid_x in the text */
extern const char *const ir_geo_words[GEO_COUNT];
extern const char *const ir_barrier_words[BAR_COUNT_],
    *const ir_vote_words[VOTE_COUNT_], *const ir_fence_words[FENCE_COUNT_],
                                           *const ir_atomic_words[ATOM_COUNT_],
                                               *const ir_warp_words[WARP_COUNT_],
                                                   *const ir_touch_words[TOUCH_COUNT_],
                                                       *const ir_space_words[SPACE_WORDS];
int ir_word_index(const char *const *words, int n, const char *word); /* -1: none of them */
char *ir_verify_lowered(const IrModule *m); /* ... and each temporary is set once */
char *ir_verify(const IrModule *m);         /* NULL when all is well */

/* ---- walk.c, loops.c: what passes ask ---------------------------------------------------- */
/* pre-order; may replace *e; false: do not go inside */
typedef bool (*IrExprFn)(IrExpr **e, void *arg);
void ir_walk_expr(IrExpr **e, IrExprFn fn, void *arg);
typedef struct IrRename { /* of one scalar's uses */
    Cx *cx;
    const IrVar *from;
    IrVar *to;
} IrRename;
bool ir_rename_use(IrExpr **e, void *arg);        /* an IrExprFn; arg: an IrRename */
int ir_mentions(const IrExpr *e, const IrVar *v); /* how often v occurs in e */
/* expressions of s itself, not of its blocks */
void ir_walk_stmt_exprs(IrStmt *s, IrExprFn fn, void *arg);
/* pre-order; may remove s or insert beside it */
typedef void (*IrStmtFn)(IrBlock *blk, IrStmt *s, void *arg);
void ir_walk_block(IrBlock *b, IrStmtFn fn, void *arg);
enum { IR_MAX_BLOCKS = 64 };
/* Nothing but assignments, stores, checks, names of arrays, and ifs of these. */
bool ir_is_flat(const IrBlock *b);
static inline bool
ir_does(const IrStmt *s, uint32_t traits) /* any of these */
{
    return stmt_info[s->kind].traits & traits;
}

int ir_blocks(IrStmt *s, IrBlock **out); /* the blocks inside s; out has room for IR_MAX_BLOCKS */
bool ir_is_cold(const IrStmt *s, int i); /* the i-th of these is not expected to run */
/* The variables that s itself assigns (a drop counts: it ends the array). */
void ir_walk_defs(const IrStmt *s, void (*fn)(IrVar *v, void *arg), void *arg);
/* The arrays that s itself has to do with, beside defining them and the loads, dims and strides of
 * its expressions. */
enum {
    IR_READS = 1,   /* elements */
    IR_WRITES = 2,  /* elements */
    IR_NAMES = 4,   /* where it lies, its dims */
    IR_LOOKS = 8,   /* another array is made of its memory */
    IR_PASSES = 16, /* to a call: with what its summary has of reads and writes */
    IR_GIVES = 32,  /* to the caller */
};
void ir_walk_arrays(const IrStmt *s, void (*fn)(IrVar *v, unsigned how, void *arg), void *arg);

/* The set of variables (bits by id) that a block may assign: scalars, array descriptors; and
 * the arrays whose elements it may store to (any array when it calls a function). */
typedef struct IrEffects {
    uint64_t *sets;   /* scalar variables and array descriptors */
    uint64_t *stores; /* arrays stored to by name */
    int words;
    bool stores_shared;                  /* stores to an array that others may share memory with */
    bool calls, raises, returns, breaks; /* breaks: a break/continue out of the block itself */
    bool waits; /* a barrier, or a warp's operation: other threads run there */
} IrEffects;
IrEffects ir_effects(IrFunc *f, const IrBlock *b);
IrEffects ir_effects_stmt(IrFunc *f, const IrStmt *s); /* s with all that is in it */
/* The same for each statement with blocks once: `known` (IrStmt* -> IrEffects*) keeps what was
 * found for those inside, which what a pass does to them later may not add to. */
const IrEffects *ir_effects_known(IrFunc *f, Map *known, const IrStmt *s);
IrEffects ir_effects_block(IrFunc *f, Map *known, const IrBlock *b);
bool ir_in(const uint64_t *set, const IrVar *v);
bool ir_sets(const IrEffects *fx, const IrVar *v); /* also when v has been made since */
/* no variable in sets, no load that stores may change */
bool ir_invariant(const IrExpr *e, const IrEffects *fx);

/* ---- points.c: which memory the array variables of a function may look at ---- */
typedef struct IrPoints IrPoints;
IrPoints *ir_points(IrFunc *f);
static inline uint64_t
ir_param_bit(int i) /* in a set of parameters; the last bit is for all from there on */
{
    return (uint64_t)1 << (i < 63 ? i : 63);
}
/* the parameters whose memory v may look at */
uint64_t ir_points_params(const IrPoints *p, const IrVar *v);
/* it may be memory that the function makes */
bool ir_points_made(const IrPoints *p, const IrVar *v);
/* it may be a constant */
bool ir_points_const(const IrPoints *p, const IrVar *v);
/* may x and y share memory? Variables made after ir_points may not be asked about */
bool ir_points_share(const IrPoints *p, const IrVar *x, const IrVar *y);
/* parameters of which one may refer to the memory of another now */
uint64_t ir_points_linked(const IrPoints *p);
/* memory that the function has made */
bool ir_points_share_made(const IrPoints *p, const IrVar *x, const IrVar *y);

/* ---- summary.c: what a call does ---- */
/* sets of parameters by number: ir_param_bit; sets of results by bit */
typedef struct IrSummary {
    int n_params, n_results;
    uint64_t reads, writes; /* parameters whose elements it may read, store to */
    /* parameters of which one may refer to the memory of another afterwards */
    uint64_t links;
    /* parameters whose memory some result may look at: nothing else is kept of them */
    uint64_t escapes;
    uint64_t fresh, consts; /* results that may be memory that it makes, constants of the module */
    uint64_t views[IR_MAX_RESULTS]; /* by result: the parameters whose memory it may look at */
    /* by result: results with the same number may share memory that it makes */
    uint8_t with[IR_MAX_RESULTS];
    bool allocates;
    bool says; /* the world sees more of it than its results and elements */
    bool waits;
    /* it calls a function of another language, which may store to what others hold */
    bool outside;
    bool anything; /* nothing is known of it, or of something that it calls */
    bool python;   /* it calls Python, */
    bool keeps;    /* which keeps what it is given, and may change and yield it later */
} IrSummary;
/* Of a function that is complete, so not while a module is being lowered. Whether it may raise:
 * may_raise. */
const IrSummary *ir_summary(IrFunc *f);
bool ir_call_writes(const IrStmt *s, int i); /* elements of args[i], of what ST_CALLS */
bool ir_call_reads(const IrStmt *s, int i);
/* may its result v look at memory of args[i]? */
bool ir_call_views(const IrStmt *s, const IrVar *v, int i);
/* its result v is nothing but memory that the call makes */
bool ir_call_makes(const IrStmt *s, const IrVar *v);
/* and no other result may look at that */
bool ir_call_makes_alone(const IrStmt *s, const IrVar *v);

/* ---- kept.c: arrays that lie where their statement says, each time that it runs ---- */
/* names that may look at what it made before, and be read later */
int ir_kept(IrFunc *f, const IrStmt *alloc, IrVar ***out);
bool ir_given_out(IrFunc *f, const IrStmt *alloc); /* a return may yield it */

/* ---- strides.c: strides that the program tells ---- */
typedef struct IrStrides IrStrides;
IrStrides *ir_known_strides(IrModule *m);
#define IR_FAR INT64_MAX /* more than an element, most likely */
/* In bytes, of an axis of v; 0: known when it runs. n_vars: how many f had when that was found. */
int64_t ir_known_stride(const IrStrides *t, const IrFunc *f, const IrVar *v, int axis, int n_vars);

/* e = c0 + sum(coef[k] * term[k]): terms are variables (loop variables or invariant scalars) or
 * dims; products of invariants stay one opaque term. false when e isn't affine. */
typedef struct IrAffine {
    int64_t c0;
    int n;
    struct {
        const IrExpr *term; /* IX_VAR, IX_DIM, or opaque invariant */
        int64_t coef;
    } t[8];
} IrAffine;
bool ir_affine(const IrExpr *e, IrAffine *out);
/* a += k * b; false: overflow or too long */
bool ir_affine_add(IrAffine *a, const IrAffine *b, int64_t k);
IrExpr *ir_affine_expr(Cx *cx, const IrAffine *a);

/* ---- diverge.c: the iterations of one loop side by side, each in a vector lane --------------- */
#define IR_VARYING INT64_MIN
typedef struct IrLaneInfo { /* of an if, loop or while inside */
    bool divergent;         /* its lanes may part here */
    uint64_t *keep[2];      /* what lanes that are off in the body (in els) still read later */
    uint64_t *head;         /* loop: what is read from its start on */
} IrLaneInfo;
typedef struct IrLanes {
    /* by variable: the value in lane k is that of lane 0 + k * step, or IR_VARYING */
    int64_t *step;
    uint64_t *sets;    /* scalars that the loop assigns */
    uint64_t *live_in; /* read in the body before they are set there, or kept after it */
    uint64_t *keep;    /* results of the loop: reds and lasts */
    int words;
    Map info; /* IrStmt* -> IrLaneInfo* */
} IrLanes;
IrLanes *ir_lanes(IrFunc *f, const IrStmt *loop);
int64_t ir_lane_step(const IrLanes *l, const IrExpr *e);
IrLaneInfo *ir_lane_info(const IrLanes *l, const IrStmt *s);
#endif
