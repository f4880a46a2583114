/* SPDX-License-Identifier: BSD-3-Clause
 * The optimisation pipeline, by hand: what pays for loops over arrays, in the order that
 * default<O3> has it, without what serves C++ (devirtualisation, coroutines, exceptions, globals) and
 * without running the scalar clean-up four times. */
#include "emit.h"

#define CLEAN "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>"
#define LOOPS                                                                                 \
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,loop-rotate,"      \
    "licm<allowspeculation>,simple-loop-unswitch),simplifycfg,"                                \
    "loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),sroa<modify-cfg>"
#define SCALAR                                                                                 \
    "gvn,sccp,bdce,instcombine<no-verify-fixpoint>,jump-threading,dse,loop-mssa(licm<allowspeculation>),"     \
    "simplifycfg<hoist-common-insts;sink-common-insts>,instcombine<no-verify-fixpoint>"
#define VECTOR                                                                                 \
    "loop-rotate,loop-vectorize,loop-load-elim,instcombine<no-verify-fixpoint>,"               \
    "simplifycfg<switch-range-to-icmp;speculate-unpredictables>,slp-vectorizer,vector-combine," \
    "instcombine<no-verify-fixpoint>,loop-unroll<O3>,sroa<preserve-cfg>,"                       \
    "instcombine<no-verify-fixpoint>,loop-mssa(licm<allowspeculation>),div-rem-pairs,simplifycfg"
#define CALLS "cgscc(inline,function(" CLEAN ")),ipsccp,"

static const char *
pipeline_for(const Gen *g)
{
    bool calls = g->m->funcs.n > 1;
    if (g->opt.opt_level == 0)
        return "function(sroa<modify-cfg>)";
    if (g->opt.opt_level == 1)
        return calls ? "cgscc(inline),function(" CLEAN ")" : "function(" CLEAN ")";
    if (calls)
        return "function(" CLEAN ")," CALLS "function(" LOOPS "," SCALAR "," VECTOR ")";
    return "function(" CLEAN "," LOOPS "," SCALAR "," VECTOR ")";
}

char *
optimise(Gen *g, LLVMTargetMachineRef tm)
{
    return shim_run_passes(g->mod, tm, pipeline_for(g));
}
