/* SPDX-License-Identifier: BSD-3-Clause
 * The optimisation pipeline, by hand: what pays for loops over arrays, in the order that
 * default<O3> has it, without what serves C++ (devirtualisation, coroutines, exceptions,
 * globals), without running the scalar clean-up four times, and without SCCP: its ranges of
 * integers take time of 2**n for n conditional sums in a row in a loop, and it finds nothing that
 * our passes leave. What it costs goes to loops that run: cold ones, and functions without others,
 * are left out of what serves loops (shim.cpp, should_run), and functions of thousands of lines
 * without a loop are prepared so that code generation takes time of about their size
 * (shim_tame). */
#include "emit.h"

#include <llvm/Config/llvm-config.h>

#define COMBINE "instcombine<no-verify-fixpoint>"
#define VALUES "sroa<modify-cfg>"
#define TIDY "early-cse<memssa>,simplifycfg," COMBINE
#define CLEAN VALUES "," TIDY
/* InstCombine and GVN compare each test with all before it of the same value: of an index with a
 * length. */
#define SIMPLIFY "early-cse<memssa>,simplifycfg,instsimplify"
/* Variables become values, so that pieces don't share them in memory: before blocks are joined,
 * some would stay where they are. */
#define BEFORE_CUT "simplifycfg," VALUES
#define LOOPS                                                                                      \
    "early-cse<memssa>,loop-mssa(licm<no-allowspeculation>,loop-rotate,licm<allowspeculation>,"    \
    "simple-loop-unswitch),simplifycfg,"                                                           \
    "loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),sroa<modify-cfg>"
#define SCALAR                                                                                     \
    ",aggressive-instcombine,gvn,correlated-propagation,narrow-integers,bdce,dse,loop-mssa(licm<"  \
    "allowspeculation>),"                                                                          \
    "simplifycfg<hoist-common-insts;sink-common-insts>," COMBINE
/* wraps.cpp, in_order.cpp, rows_apart.cpp */
#define TO_VECTORS "hide-wraps,in-order,rows-apart,loop-vectorize"
#define VECTOR "," TO_VECTORS "," AFTER_VECTOR
#define AFTER_VECTOR                                                                               \
    "loop-load-elim," COMBINE ",simplifycfg<switch-range-to-icmp>,"                                \
    "slp-vectorizer,scalar-chains,vector-combine,loop-unroll<O3>," COMBINE                         \
    ",loop-mssa(licm<allowspeculation>),simplifycfg"
/* Large functions: what takes time of the square of their size is left out, and of what is left
 * one round must do. Of the largest even vectors are: a loop of so many branches has none. */
enum {
    MANY = 4000,
    LARGE = 16000,
    LARGEST = 80000,
    MANY_BLOCKS = 2000,
    MANY_EXITS = 200,
    CUT = 8000,
    PIECE = 2000
};
#define LARGEST_SCALAR "gvn,dse,simplifycfg"
#define LARGE_SCALAR "loop-mssa(licm<allowspeculation>),gvn,dse,simplifycfg"
#define BRANCHY "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instsimplify,dse,simplifycfg"
#define LARGE_VECTOR COMBINE "," TO_VECTORS "," COMBINE ",simplifycfg"
/* Strength reduction would be a fifth of all the time, so only loops that mark_loop has marked are
 * looked at. */
#define REDUCE "loop(canon-freeze,loop-reduce)"
/* Kernels: what a thread of a block has stored others load behind the next barrier; vectors of
 * it stay in registers. */
#define THREADS ",early-cse<memssa>,gvn,dse," COMBINE

/* Kernels: no vectors, since the lanes are threads; pointers find the space they point to early.
 * What was linked in and is not called any more goes at the end. */
#define PTX_SCALAR                                                                                 \
    ",infer-address-spaces,gvn,bdce,dse,loop-mssa(licm<allowspeculation>),"                        \
    "simplifycfg<hoist-common-insts;sink-common-insts>," COMBINE                                   \
    ",loop-unroll<O3>,early-cse<memssa>," COMBINE ",loop-mssa(licm<allowspeculation>),simplifycfg"
/* Answers what libdevice asks of the device; of a whole module from LLVM 21 on. */
#if LLVM_VERSION_MAJOR < 21
#define PTX_REFLECT(...) "function(nvvm-reflect," __VA_ARGS__ ")"
#else
#define PTX_REFLECT(...) "nvvm-reflect,function(" __VA_ARGS__ ")"
#endif
#define PTX_BEFORE                                                                                 \
    "always-inline," PTX_REFLECT("simplifycfg," CLEAN) ",cgscc(inline,function(" CLEAN             \
                                                       ",infer-address-spaces)),globaldce,"

static const char *
ptx_pipeline(const Gen *g)
{
    if (g->opt.opt_level == 0)
        return "always-inline," PTX_REFLECT("simplifycfg,sroa<modify-cfg>") ",globaldce";
    if (g->opt.opt_level == 1)
        return PTX_BEFORE "globaldce";
    return PTX_BEFORE "function(" CLEAN "," LOOPS PTX_SCALAR "),globaldce";
}

static const char *
pipeline_for(const Gen *g)
{
    if (g->ptx)
        return ptx_pipeline(g);
    if (g->opt.opt_level == 0)
        return "function(sroa<modify-cfg>)";
    if (g->opt.opt_level == 1)
        return g->calls ? "cgscc(inline),function(" CLEAN ")" : "function(" CLEAN ")";
    if (g->threads)
        return g->calls ? "function(" LOOPS SCALAR VECTOR THREADS ")"
                        : "function(" CLEAN "," LOOPS SCALAR VECTOR THREADS ")";
    return g->calls ? "function(" LOOPS SCALAR VECTOR ")"
                    : "function(" CLEAN "," LOOPS SCALAR VECTOR ")";
}

/* Puts bodies in place of calls, for which functions are cleaned first. Only what gets a body is
 * cleaned again. */
static char *
inline_calls(Gen *g, LLVMTargetMachineRef tm)
{
    char *error = shim_run_passes(g->mod, tm, "function(" CLEAN ")");
    if (error)
        return error;
    shim_note_clean(g->mod);
    return shim_run_passes(g->mod, tm, "cgscc(inline,function(" CLEAN "))");
}

/* What has many loops becomes functions of a few; what is one large loop stays, for cut where it
 * runs it would be slower. */
static char *
clean_large(Gen *g, LLVMTargetMachineRef tm, bool leave)
{
    if (g->calls)
        return NULL; /* is clean */
    if (leave && shim_size(g->mod) > LARGEST)
        return shim_run_passes(g->mod, tm, "function(" VALUES "," SIMPLIFY ")");
    if (shim_loop_size(g->mod) > CUT)
        return shim_run_passes(g->mod, tm, "function(" CLEAN ")");
    char *error = shim_run_passes(g->mod, tm, "function(" BEFORE_CUT ")");
    if (error)
        return error;
    shim_cut(g->mod, LARGE, PIECE, true);
    return shim_run_passes(g->mod, tm, "function(" TIDY ")");
}

/* In two parts, of which the second is for functions with loops that run. `largest`: take it for
 * one of the largest. */
static char *
optimise_large(Gen *g, LLVMTargetMachineRef tm, bool largest)
{
    bool leave = largest;
    largest |= shim_size(g->mod) > LARGEST && (g->calls || shim_loop_size(g->mod) > CUT);
    char *error = clean_large(g, tm, leave);
    if (error)
        return error;
    error = shim_run_passes(
        g->mod, tm, largest ? "function(" LARGEST_SCALAR ")" : "function(" LARGE_SCALAR ")");
    if (error || largest)
        return error;
    shim_find_hot(g->mod);
    return shim_run_passes(g->mod, tm,
                           g->threads ? "function(" LARGE_VECTOR THREADS ")"
                                      : "function(" LARGE_VECTOR ")");
}

static char *
reduce_strength(Gen *g, LLVMTargetMachineRef tm)
{
    shim_find_hot(g->mod);
    shim_hurry(g->mod);
    shim_tame(g->mod, MANY);
    return g->strided ? shim_run_passes(g->mod, tm, "function(" REDUCE ")") : NULL;
}

/* In two parts, with a look at the vectors before loops over a few of them are unrolled. */
static char *
optimise_and_look(Gen *g, LLVMTargetMachineRef tm)
{
    char *error = shim_run_passes(g->mod, tm,
                                  g->calls ? "function(" LOOPS SCALAR ")"
                                           : "function(" CLEAN "," LOOPS SCALAR ")");
    if (error)
        return error;
    shim_find_hot(g->mod);
    watch_vectoriser(g);
    error = shim_run_passes(g->mod, tm, "function(" TO_VECTORS ")");
    shim_unwatch_loops(g->mod);
    if (error)
        return error;
    note_loops(g);
    error = shim_run_passes(g->mod, tm,
                            g->threads ? "function(" AFTER_VECTOR THREADS ")"
                                       : "function(" AFTER_VECTOR ")");
    return error ? error : reduce_strength(g, tm);
}

static char *
optimise_whole(Gen *g, LLVMTargetMachineRef tm)
{
    unsigned size = shim_size(g->mod);
    if (size > MANY)
        shim_split(g->mod);
    shim_gate(g->c, g->ptx, size > MANY);
    if (!g->ptx && !g->calls && g->opt.opt_level >= 2 && shim_blocks(g->mod) > MANY_BLOCKS &&
        !shim_has_hot(g->mod)) {
        char *error = shim_run_passes(g->mod, tm, "function(" BRANCHY ")");
        return error ? error : reduce_strength(g, tm);
    }
    /* then no vectors, and passes over loops give each exit a phi for each value */
    bool leave = size > MANY && shim_all_leave(g->mod, MANY_EXITS);
    bool all = !g->ptx && g->opt.opt_level >= 2;
    char *error = all && g->calls ? inline_calls(g, tm) : NULL;
    if (error)
        return error;
    if (all && (leave || size > LARGE)) {
        error = optimise_large(g, tm, leave);
        return error ? error : reduce_strength(g, tm);
    }
    if (all && g->loop_lines)
        return optimise_and_look(g, tm);
    return shim_run_passes(g->mod, tm, pipeline_for(g));
}

char *
optimise(Gen *g, LLVMTargetMachineRef tm)
{
    char *error = optimise_whole(g, tm);
    if (!error)
        emit_own_forms(g);
    if (!error && g->isa.masks && g->isa.clears)
        shim_clear_byte_masks(g->mod);
    if (!error && !g->ptx)
        shim_cut(g->mod, CUT, PIECE, false);
    return error;
}
