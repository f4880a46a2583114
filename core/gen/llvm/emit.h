/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of gen/llvm share: the state of one emission (Gen), of the function
 * being emitted (its slots, its targets for errors and breaks), and small helpers that
 * build LLVM values. Nothing outside this folder includes it. Order of the files: backend
 * (what is exported), target (the processor) -> module (functions, entry) -> stmt, error, call
 * (statements) -> array (descriptors, references) -> expr, arith, complex, cast, math (scalars) ->
 * pipeline, remark (what LLVM does next). */
#ifndef SWATHE_GEN_EMIT_H
#define SWATHE_GEN_EMIT_H
#include "gen/gen.h"
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/TargetMachine.h>

typedef LLVMValueRef LV;

/* A scalar in registers: `im` is set for complex ones only. bool is an i1. */
typedef struct Val {
    LV v, im;
} Val;

/* Where a variable lives: allocas, which SROA turns into registers; or nowhere, see values.c. */
typedef struct Slot {
    LV v, im;         /* scalar */
    LV data, owner;   /* array */
    LV *dim;          /* [ndim] */
    LV *stride;       /* [ndim]: bytes for LAY_A, elements for LAY_C and LAY_F; NULL where it is
                   one element */
    LV stack;         /* array of a kernel, its memory is this alloca; or NULL */
    LV scope, others; /* alias metadata: own scope (noalias variables), scopes that it
                         isn't in */
} Slot;

/* A declared function: how it is called. Parameters are flattened; up to two scalar
 * results come back in registers beside the status, more of them through a pointer to
 * slots. */
typedef struct FnDecl {
    LV fn;
    LLVMTypeRef type, ret;
    bool by_ptr; /* results through the last parameter */
    bool merged; /* the function is its own swathe_entry: parameters come from slots */
    bool kernel; /* of a CUDA device: parameters by value, no result */
    bool chunk;  /* run by IS_PAR: the first parameter is the third of three, others come
                    from slots */
    LLVMMetadataRef sub;
} FnDecl;

/* An SwDesc in allocas */
typedef struct DescSlots {
    LV desc, shape, strides;
} DescSlots;

typedef struct LoopTarget {
    LLVMBasicBlockRef brk, cont;
    struct LoopTarget *up;
} LoopTarget;

typedef struct Handled { /* a handler that is being emitted */
    LV caught;           /* the saved error */
    LoopTarget *loops;   /* around it */
    struct Handled *up;
} Handled;

typedef enum Arch { ARCH_X86, ARCH_ARM64, ARCH_PTX, ARCH_COUNT } Arch;

/* Who the code is for, as LLVM names it. */
typedef struct Target {
    int arch;
    const char *triple, *cpu, *features;
    bool host; /* it is this machine, or of its kind */
} Target;

/* What the target can do: all that emission asks of it. */
typedef struct Isa {
    Arch arch;
    bool fma;     /* one instruction multiplies and adds, rounding once */
    bool gathers; /* a vector's lanes come from anywhere in memory */
    bool masks;   /* of lanes are registers of their own */
    bool clears;  /* bits above a number of them in one instruction */
    bool halves;  /* vectors of 64 bytes pass as two halves */
    /* what SLEEF's names for vectors of 16, 32, 64 bytes end in; NULL: there are none */
    const char *sleef[3];
    /* intrinsics: a float, a double to int64, the least where it doesn't fit; NULL: none */
    const char *to_int[2];
    const char *expand, *compress; /* of a register of 64 bytes, by a mask; NULL: none */
} Isa;

typedef struct Machine { /* serves one emission at a time */
    LLVMTargetMachineRef tm;
    char *triple, *cpu, *features;
    int level;
} Machine;

typedef struct LoopMark {
    const Span *at;
    const char *why; /* it has no vectors, or NULL */
} LoopMark;

/* A vector function of our own: see vectors.c. */
typedef struct {
    LV fn;
    IrOp op;
} OwnForm;

typedef struct Gen {
    Cx *cx;
    IrModule *m;
    IrStrides *strides; /* those that the module tells */
    SwOptions opt, whole; /* of the function at hand; of the module */
    Isa isa;
    LLVMContextRef c;
    LLVMModuleRef mod;
    LLVMBuilderRef b;
    LLVMBuilderRef top; /* places allocas in the entry block */
    LLVMTypeRef i1, i8, i16, i32, i64, half, f32, f64, ptr, none;
    LV rt[RT_COUNT];
    LLVMTypeRef rt_type[RT_COUNT];
    LV libm[OP_COUNT][2]; /* by operation, float or double */
    LV *consts;           /* constant arrays */
    Vec(LV) used;         /* vector functions to keep */
    Vec(OwnForm) own_forms;
    Map decls;  /* IrFunc* -> FnDecl* */
    Map chunks; /* the IrFuncs that IS_PAR runs */
    /* IrFunc* -> a call of it that is expected to run, or g: there are others only */
    Map calls_to;
    bool calls;             /* some function is called by another */
    LV likely, rare, empty; /* branch weights; an empty node */
    LV own_scopes;          /* of all noalias variables of the function; NULL: it has none */
    int n_apart;            /* loops, and tests, of which apart.c has made scopes */
    struct Defs *defs;      /* of the function at hand, or of another one: apart.c */
    unsigned md_prof, md_loop, md_scope, md_noalias, md_group, md_invariant, md_range, md_tbaa;
    /* TBAA: a word of an object's own; an element of an array, which never is one */
    LV in_object, in_array, in_count; /* and a count */
    LLVMDIBuilderRef di;
    LLVMMetadataRef di_unit, di_file;
    bool sleef; /* vector math is there */
    bool ptx;   /* for a CUDA device */
    int vector_bits;
    bool threads;                 /* of a block: it has loops over them */
    bool strided;                 /* some loop steps across rows */
    bool loop_lines;              /* mark loops with their lines, for remarks */
    struct LoopInfos *loops_seen; /* remark.c */
    Vec(LoopMark) loop_marks;     /* by the number in the mark */

    /* the function being emitted */
    IrFunc *f;
    FnDecl *d;
    Slot *slots;
    bool *is_value;        /* by variable: see values.c */
    Map exchanged;         /* statements that leave counts alone: see exchange.c */
    Map values;            /* slot of one -> what was put there last, or itself: nothing yet */
    Map joins;             /* IS_IF -> variables that its branches set, and that are values */
    DescSlots descs[3][5]; /* by the array's number in a call, and by rank */
    /* alloca of all the references that variables hold, where they are many; or NULL */
    LV owners;
    int n_owners;
    LV fn, ctx, results; /* results: pointer to slots, when by_ptr or merged */
    LV ret_parts[2];     /* allocas of results in registers */
    int n_ret_parts;
    LV status; /* alloca i32 */
    LLVMBasicBlockRef epilogue;
    LLVMBasicBlockRef on_error; /* where a failed statement goes: the epilogue, or handlers */
    LLVMBasicBlockRef failing;  /* of a kernel: all that fails goes there; NULL: nothing does yet */
    LV fail_parts[5];           /* allocas: the site, and its values */
    /* of functions that come back to themselves, in a kernel's module that has such; else NULL */
    LV depth;
    Handled *handled; /* inside handlers: the innermost */
    LoopTarget *loops;
    int count_depth; /* so many loops around, and counts are changed in place: counts.c */
    bool cold;       /* inside a branch that isn't expected to run: loops stay small */
    LV group;        /* access group of the loop around, or NULL */
    bool shown;      /* iterations of that loop were shown to be independent */
    bool serial;     /* the iterations of the loop around may wait for each other */
    /* iterations of the loop around are independent; it is an array expression's */
    bool independent, elementwise;
    bool objects; /* it has some: accesses say whether they are of one */
    bool loose;   /* addresses may be of elements that are not there */
    bool exact;   /* IXF_EXACT holds: what is computed is the index of an element that is there */
    unsigned fmf; /* fast-math flags of the expression being emitted */
} Gen;

/* ---- arch/: the host's alone, but in libswathe_cross.so ---- */
void target_init_x86(void) __attribute__((weak, visibility("hidden")));
void target_init_aarch64(void) __attribute__((weak, visibility("hidden")));

/* ---- target.c ---- */
bool target_init(void);
bool target_cpu(IrModule *m, const GenTarget *t, Target *to); /* false: there is no code for it */
Target target_ptx(int arch);
Isa target_isa(const Target *t);
Machine machine_get(const Target *t, int level); /* tm NULL: this LLVM doesn't have it */
void machine_put(Machine m);
void machine_free(Machine m);

/* ---- module.c ---- */
void emit_module(Gen *g);
LV emit_rt(Gen *g, IrRt id);
LV emit_rt_call(Gen *g, IrRt id, LV *args, int n);
int slot_count(const IrVar *v);

typedef struct RtSig {
    int n;          /* parameters */
    char ret;       /* 'v', 'i' (32 bits), 'l' (64), 'f', 'd' */
    char param[12]; /* the same, 'p' pointer, 'x' the context, 'a' array, 'z' complex in,
                       'o' complex out */
    bool fails;
} RtSig;

RtSig rt_signature(IrRt id);

/* ---- stream.c ---- */
bool streams_only(const IrFunc *f);

/* ---- util.c ---- */
LLVMTypeRef reg_type(Gen *g, DType d);           /* of one component: bool i1, complex its float */
LLVMTypeRef mem_type(Gen *g, DType d);           /* bool i8 */
LLVMTypeRef element_type(LLVMTypeRef t);         /* of a vector; else t */
LLVMTypeRef shaped_like(LV like, LLVMTypeRef t); /* a vector of t where `like` is one */
LV const_int_like(LLVMTypeRef t, int64_t v);     /* in all lanes of a vector type */
LV splat_value(LV v);                            /* the one value of a constant vector; else v */
LV k32(Gen *g, int64_t v);
LV k64(Gen *g, int64_t v);
LV new_slot(Gen *g, LLVMTypeRef t, const char *name); /* alloca in the entry block */
LV get(Gen *g, LLVMTypeRef t, LV p);
void put(Gen *g, LV v, LV p);
LLVMBasicBlockRef new_block(Gen *g, const char *name);
bool ended(Gen *g);                      /* the current block has its terminator */
void jump(Gen *g, LLVMBasicBlockRef to); /* unless ended */
void branch(Gen *g, LV cond, LLVMBasicBlockRef yes, LLVMBasicBlockRef no, LV weights);
LV field(Gen *g, LV base, int64_t bytes);                               /* pointer + constant */
LV intrinsic(Gen *g, const char *name, LLVMTypeRef t, LV *args, int n); /* overloaded on t */
void add_attr(Gen *g, LV fn, const char *name, uint64_t value);
LV flagged(Gen *g, LV v); /* sets the current fast-math flags */
void internal_error(Gen *g, Span at, const char *what);

/* ---- expr.c, arith.c, complex.c, cast.c, math.c ---- */
Val emit_expr(Gen *g, const IrExpr *e);
Val emit_apply(Gen *g, const IrExpr *e, Val *a);  /* an operation, not select */
bool is_small_power(int64_t n);                   /* of an integer: products in line */
LV emit_int(Gen *g, const IrExpr *e);             /* an integer or bool one, widened to i64 */
LV emit_real_op(Gen *g, IrOp op, DType d, LV *a); /* not complex */
LV emit_arith(Gen *g, IrOp op, DType d, LV *a, bool reassoc);
Val emit_complex_op(Gen *g, IrOp op, DType d, const Val *a);
Val emit_cast(Gen *g, DType to, DType from, Val v);
Val emit_any_cast(Gen *g, DType to, Val x); /* IXF_ANY */
LV emit_toint(Gen *g, LV x);
LV emit_quotient(Gen *g, DType d, LV a, LV b);        /* a // b of integers, b not 0: in lanes */
LV emit_math(Gen *g, IrOp op, DType d, LV *a, int n); /* f32 or f64 */
LV emit_exp(Gen *g, LV x);                            /* of float64, needs fma */
LV emit_frexp(Gen *g, bool exponent, LV x);
LV emit_ldexp(Gen *g, LV x, LV k);
LV emit_spacing(Gen *g, LV x);
LV sleef_form(Gen *g, IrOp op, bool dbl, int lanes); /* declared */
bool sleef_present(void);

/* ---- elementary.c, power.c, vectors.c: in lanes, by fma ---- */
bool has_own_vector_form(IrOp op, bool dbl);
LV emit_elementary(Gen *g, IrOp op, const LV *a); /* of what has such a form, but for pow */
void emit_power_body(Gen *g, LV fn);
void emit_log_body(Gen *g, IrOp op, LV fn);
void emit_cbrt_body(Gen *g, LV fn);
LV own_vector_form(Gen *g, IrOp op, bool dbl, int lanes); /* declared; NULL: there is none */
void emit_own_forms(Gen *g);                              /* what is called gets its body */

/* ---- values.c ---- */
void find_values(Gen *g, IrFunc *f); /* before slots of its variables are made */
LV variable_slot(Gen *g, const IrVar *v, LLVMTypeRef t, const char *name);

typedef struct Join {
    LV slot, before, first; /* first: behind the first branch */
} Join;

typedef Vec(Join) Joins;

void joins_begin(Gen *g, const IrStmt *s, Joins *j);
void joins_turn(Gen *g, Joins *j);
void joins_end(Gen *g, Joins *j, LLVMBasicBlockRef first, LLVMBasicBlockRef second);

/* ---- array.c ---- */
void array_owners(Gen *g); /* before array_slots of any */
void array_release_owned(Gen *g);
void array_slots(Gen *g, IrVar *v);
LV array_data(Gen *g, IrVar *v);
LV array_owner(Gen *g, IrVar *v);
LV array_dim(Gen *g, IrVar *v, int axis);
LV array_stride(Gen *g, IrVar *v, int axis);                                /* bytes */
void array_put(Gen *g, IrVar *v, LV data, LV owner, LV *dims, LV *strides); /* first value */
void array_set(Gen *g, IrVar *v, LV data, LV owner, LV *dims,
               LV *strides); /* takes the reference */
LV array_address(Gen *g, IrVar *v, IrExpr **idx);
Val array_load(Gen *g, IrVar *v, IrExpr **idx);
void array_store(Gen *g, IrVar *v, IrExpr **idx, Val x);
unsigned elem_align(Gen *g, const IrVar *v); /* of the elements, in bytes */
void mark_access(Gen *g, IrVar *v, LV access);
/* pointer to an SwDesc on the stack; the n-th of a call */
LV array_desc(Gen *g, IrVar *v, int n, bool kept);
void emit_alloc(Gen *g, IrStmt *s);
void emit_view(Gen *g, IrStmt *s);
void emit_alias(Gen *g, IrStmt *s);
void exchange_note(Gen *g, IrStmt *first);
bool exchange_has(const Gen *g, const IrStmt *s);
void emit_get(Gen *g, IrStmt *s);
void emit_put(Gen *g, IrStmt *s);
void emit_const_array(Gen *g, IrStmt *s);
void emit_drop(Gen *g, IrStmt *s);
void emit_copy(Gen *g, IrStmt *s);
void alias_scopes(Gen *g);
/* Until the slots are put back, stores of the loop's lanes are told apart from its loads. */
void mark_apart(Gen *g, const IrStmt *loop); /* once for each function */
/* So are arrays that share no memory where e holds. The slots to put back; NULL: none. */
Slot *mark_tested(Gen *g, const IrExpr *e);
void mark_assumed(Gen *g, const IrStmt *s); /* the same of what a chunk begins with */

/* ---- error.c ---- */
LV site_number(Gen *g, int site);
void fail_unless(Gen *g, LV ok, int site, LV *args, int n); /* goes on where ok */
void fail_now(Gen *g, int site, LV *args, int n);           /* ends the block */
void fail_end(Gen *g);                                      /* before the epilogue */
void fail_if_status(Gen *g, LV status); /* nonzero: an error is recorded already */
/* Likewise; the site of the call that it came through, or -1; block and thread that called, or
 * NULL. */
void fail_if_call(Gen *g, LV status, int site, IrExpr *const *place);
void emit_check(Gen *g, IrStmt *s);
void emit_check_index(Gen *g, IrStmt *s);
void emit_raise(Gen *g, IrStmt *s);
void emit_try(Gen *g, IrStmt *s);
void emit_reraise(Gen *g, IrStmt *s);
/* before a jump out of the innermost loop, or of the function */
void leave_handlers(Gen *g, bool function);
void emit_poll(Gen *g);
void emit_stack_check(Gen *g);
/* functions of the module take the depth as their second parameter */
bool ptx_counts_depth(Gen *g);

/* ---- counts.c ---- */
void counts_begin(Gen *g); /* of the function at hand */
void array_retain(Gen *g, LV owner);
void array_release(Gen *g, LV owner);

/* ---- stmt.c, call.c ---- */
typedef struct Counted {
    LLVMBasicBlockRef body, latch, done;
    LV i, k, lo, hi, trips; /* phis; trips: NULL for steps of 1 and -1 */
    LV n;                   /* hi - lo of a strip, which does not wrap; or NULL */
    int64_t step;
} Counted;

void counted_begin(Gen *g, Counted *c);
LV counted_end(Gen *g, Counted *c); /* the branch back */
void loop_metadata(Gen *g, IrStmt *s, LV back_edge, bool vectors);
void emit_counted(Gen *g, IrStmt *s, LV lo, LV hi); /* a loop, from lo to hi */
void emit_stmt(Gen *g, IrStmt *s);
void emit_block(Gen *g, IrBlock *b);
void emit_call(Gen *g, IrStmt *s);
void emit_runtime(Gen *g, IrStmt *s);
void emit_print(Gen *g, IrStmt *s);
void emit_return(Gen *g, IrStmt *s);
void store_slot(Gen *g, LV base, int slot, DType d, Val v); /* into 8-byte slots */
void store_array_slots(Gen *g, LV base, int slot, IrVar *v, LV owner);
Val load_slot(Gen *g, LV base, int slot, DType d);

/* ---- par.c ---- */
void find_chunks(Gen *g); /* fills `chunks` */
void emit_run(Gen *g, IrStmt *s);
void emit_launch(Gen *g, IrStmt *s);
void emit_shadow(Gen *g, IrStmt *s);
void emit_touch(Gen *g, IrStmt *s);

/* ---- atomic.c ---- */
void emit_atomic(Gen *g, IrStmt *s);
/* what the element becomes; not of ATOM_CAS */
Val emit_atomic_value(Gen *g, IrAtomic op, DType d, Val old, Val x);
void emit_fence(Gen *g, IrStmt *s);

/* ---- ptx.c, ptx_sync.c, ptx_link.c: CUDA devices ---- */
char *ptx_symbol(Gen *g, const IrFunc *f);
void ptx_declare_kernel(Gen *g, IrFunc *f, FnDecl *d);
void ptx_function_attributes(Gen *g, LV fn);
void ptx_fast_functions(Gen *g);
void ptx_take_params(Gen *g);
void emit_foreign(Gen *g, IrStmt *s); /* foreign.c */
void emit_kernel(Gen *g, IrStmt *s);  /* kernel.c */
LV ptx_context(Gen *g);
void ptx_borrow_all(IrFunc *f);
LV ptx_geo(Gen *g, IrGeo which);
void ptx_alloc(Gen *g, IrStmt *s);
void ptx_print(Gen *g, IrStmt *s);
void ptx_barrier(Gen *g, IrStmt *s);
void ptx_warp(Gen *g, IrStmt *s);
void ptx_atomic(Gen *g, IrStmt *s);
void ptx_fence(Gen *g, IrStmt *s);
char *ptx_link(Gen *g); /* error text or NULL */

/* ---- lanes.c ---- */
void emit_lane_loop(Gen *g, IrStmt *s);

/* ---- debug.c ---- */
void debug_begin(Gen *g);
void debug_function(Gen *g, IrFunc *f, FnDecl *d);
void debug_at(Gen *g, Span at);
void debug_end(Gen *g);

/* ---- pipeline.c, remark.c ---- */
char *optimise(Gen *g, LLVMTargetMachineRef tm); /* error text or NULL */
char *collect_remarks(Gen *g);
const char *why_left(const char *name, size_t n); /* a loop, by LLVM's name for that; or NULL */
void watch_vectoriser(Gen *g); /* until unwatch: it says why it leaves loops as they are */
void note_loops(Gen *g);       /* that are vectorised now, and may be unrolled and gone later */

/* ---- rows.c ---- */
bool steps_across_rows(const Gen *g, IrStmt *loop);
bool only_scatters(const Gen *g, IrStmt *loop);
int light_across_rows(const Gen *g, IrStmt *loop);
bool leaves_gaps(const IrStmt *loop);

/* ---- sums.c ---- */
bool plain_strict_sum(const Gen *g, IrStmt *loop);

/* ---- shim.cpp: what the C API lacks ---- */
LLVMMetadataRef shim_distinct(LLVMContextRef c);
char *shim_run_passes(LLVMModuleRef m, LLVMTargetMachineRef tm, const char *pipeline);
/* loops: what runs from now on leaves functions that have none */
void shim_find_hot(LLVMModuleRef m);
/* from now on a function is cleaned again only once a body has been put into it */
void shim_note_clean(LLVMModuleRef m);
/* where functions only set up what others do: for what is emitted */
void shim_hurry(LLVMModuleRef m);
/* functions of more instructions that have no hot loop */
void shim_tame(LLVMModuleRef m, unsigned large);
void shim_split(LLVMModuleRef m); /* blocks of thousands of instructions */
/* functions of more instructions, into such pieces */
unsigned shim_loop_size(LLVMModuleRef m);
void shim_cut(LLVMModuleRef m, unsigned large, unsigned piece, bool early);
/* for what is emitted in it from now on */
void shim_gate(LLVMContextRef c, bool strength_reduction, bool large);
/* Of loops with a mark "swathe.loop", tells their number and LLVM's name of why the vectoriser
 * leaves them. */
void shim_watch_loops(LLVMModuleRef m,
                      void (*seen)(void *arg, int loop, const char *name, size_t n), void *arg);
void shim_unwatch_loops(LLVMModuleRef m);
void shim_stop(const volatile int32_t *flag, void (*handler)(void)); /* NULL: never */
unsigned shim_blocks(LLVMModuleRef m); /* of the function that has most */
/* have all innermost loops that run more ways out? */
bool shim_all_leave(LLVMModuleRef m, unsigned exits);
bool shim_has_hot(LLVMModuleRef m);  /* loops */
unsigned shim_size(LLVMModuleRef m); /* instructions of its largest function */
void shim_clear_byte_masks(LLVMModuleRef m); /* for AVX-512 */
void shim_init(void);
void shim_no_memory(void (*handler)(void)); /* called where LLVM cannot allocate; not to return */
/* Links what is open in m and defined in this bitcode, for m alone to see. Error text or NULL. */
char *shim_link(LLVMModuleRef m, const char *bitcode, size_t n);
/* Machine code, or text, into memory that the caller frees, with a 0 behind it. Error text or
 * NULL. */
char *shim_emit(LLVMModuleRef m, LLVMTargetMachineRef tm, LLVMCodeGenFileType kind,
                bool strength_reduction, char **data, size_t *size);
void shim_left(void); /* what ran on this thread was left by a jump */
void shim_fast_math(LLVMTargetMachineRef tm, bool fast);
void shim_align_loops(LLVMTargetMachineRef tm);
#endif
