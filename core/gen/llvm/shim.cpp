// SPDX-License-Identifier: BSD-3-Clause
// What LLVM's C API lacks: distinct metadata nodes, and a run of a textual pass pipeline
// without the instrumentation (printers, timers, verifiers) that LLVMRunPasses registers, which
// costs more than some of our passes; and what decides which functions and loops LLVM spends its
// time on. Everything else of gen/llvm is C.
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm-c/TargetMachine.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

using namespace llvm;

void shim_register_chains(PassBuilder &pb);     // chains.cpp
void shim_register_narrow(PassBuilder &pb);     // narrow.cpp
void shim_register_rows_apart(PassBuilder &pb); // rows_apart.cpp
void shim_register_in_order(PassBuilder &pb);   // in_order.cpp
void shim_register_wraps(PassBuilder &pb);      // wraps.cpp

namespace
{

// Not 0 there: what is left of the compilation is left out, or ended by `stop_handler`.
thread_local const volatile int32_t *stop_flag;
void (*stop_handler)(void);

// Nothing but large functions without loops that run: their blocks have been cut and put in order,
// which is to stay.
thread_local bool tamed;

bool
stopped()
{
    return stop_flag && *stop_flag;
}

void
end_if_stopped()
{
    if (stopped())
        stop_handler();
}

// Leaves passes out of code generation, for one context: the second scheduler always (it takes
// 5% of the time, and processors that run instructions out of order gain nothing), strength
// reduction unless asked (for the CPU it has been done where it pays), and of large functions what
// takes time of their size squared. (One of the two
// members overrides; which of them depends on LLVM's version.) It is also what comes by while
// machine code is made, so this is where that can be stopped.
class Gate : public OptPassGate
{
  public:
    Gate(bool reduce, bool large) : reduce(reduce), large(large)
    {
    }
    bool isEnabled() const
    {
        return true;
    }
    bool shouldRunPass(StringRef pass, StringRef)
    {
        return allow(pass);
    }
    bool shouldRunPass(StringRef pass, StringRef) const
    {
        return allow(pass);
    }

  private:
    bool reduce, large;
    bool allow(StringRef pass) const
    {
        end_if_stopped();
        if (tamed && (pass == "CodeGen Prepare" || pass == "Control Flow Optimizer" ||
                      pass == "Branch Probability Basic Block Placement"))
            return false;
        if (large && (pass == "X86 Domain Reassignment Pass" || pass == "Machine code sinking"))
            return false;
        return pass != "Post RA top-down list latency scheduler" &&
               (reduce || pass != "Loop Strength Reduction");
    }
};

Gate gates[2][2] = {{{false, false}, {false, true}}, {{true, false}, {true, true}}};

} // namespace

extern "C" {

// For this thread, from now on. `handler` does not return.
void
shim_stop(const volatile int32_t *flag, void (*handler)(void))
{
    stop_flag = flag;
    stop_handler = handler;
}

void
shim_gate(LLVMContextRef c, bool strength_reduction, bool large)
{
    tamed = false;
    unwrap(c)->setOptPassGate(gates[strength_reduction][large]);
}

// Instructions of the largest function.
unsigned
shim_size(LLVMModuleRef m)
{
    unsigned most = 0;
    for (const Function &f : *unwrap(m))
        most = std::max(most, f.getInstructionCount());
    return most;
}

LLVMMetadataRef
shim_distinct(LLVMContextRef c)
{
    return wrap(MDNode::getDistinct(*unwrap(c), {}));
}

// Loops that are hardly ever run, as mark_loop has noted, are left as they are by what works on one
// loop after the other; and what comes once loops are vectors passes by functions that have no
// others.
static bool
is_cold(const Loop &l)
{
    return getBooleanLoopAttribute(&l, "swathe.cold");
}

static const char no_hot_loop[] = "swathe-no-hot-loop";

static bool
has_hot_loop(Function &f)
{
    DominatorTree tree(f);
    LoopInfo loops(tree);
    for (const Loop *l : loops.getLoopsInPreorder())
        if (!is_cold(*l))
            return true;
    return false;
}

void
shim_find_hot(LLVMModuleRef m)
{
    for (Function &f : *unwrap(m))
        if (!f.isDeclaration() && !has_hot_loop(f))
            f.addFnAttr(no_hot_loop);
}

// LLVM 19's quick selector takes the operand of these conversions from behind the insertelement,
// and has no register for it where that has moved to another block.
static void
join_conversions(Function &f)
{
    for (BasicBlock &b : f)
        for (Instruction &i : b) {
            auto *call = dyn_cast<IntrinsicInst>(&i);
            if (!call || (call->getIntrinsicID() != Intrinsic::x86_sse2_cvttsd2si64 &&
                          call->getIntrinsicID() != Intrinsic::x86_sse_cvttss2si64))
                continue;
            auto *put = dyn_cast<InsertElementInst>(call->getArgOperand(0));
            if (!put || put->getParent() == &b)
                continue;
            Instruction *own = put->clone();
            own->insertBefore(call);
            call->setArgOperand(0, own);
        }
}

static bool
pays_in(const Loop &l, StringRef pass)
{
    if (pass == "LoopStrengthReducePass" || pass == "CanonicalizeFreezeInLoopsPass")
        return getBooleanLoopAttribute(&l, "swathe.strided");
    return !is_cold(l) || (pass != "IndVarSimplifyPass" && pass != "LoopIdiomRecognizePass" &&
                           pass != "SimpleLoopUnswitchPass");
}

// Functions that passes have been through, with the number of instructions that they left.
static const char clean_size[] = "swathe-clean";

void
shim_note_clean(LLVMModuleRef m)
{
    for (Function &f : *unwrap(m))
        if (!f.isDeclaration())
            f.addFnAttr(clean_size, utostr(f.getInstructionCount()));
}

// The number tells whether a body has come to it; once one has, it goes the whole way.
static bool
is_clean(Function &f)
{
    Attribute a = f.getFnAttribute(clean_size);
    if (!a.isValid())
        return false;
    unsigned n = 0;
    if (!a.getValueAsString().getAsInteger(10, n) && n == f.getInstructionCount())
        return true;
    f.removeFnAttr(clean_size);
    return false;
}

static void
forget_clean(Module &m)
{
    for (Function &f : m)
        f.removeFnAttr(clean_size);
}

// Is there an innermost loop that isn't vectors, and loads what it may have stored an iteration
// before?
static bool
stores_what_it_loads(Function &f)
{
    DominatorTree tree(f);
    LoopInfo loops(tree);
    SmallPtrSet<const Value *, 8> stored;
    for (const Loop *l : loops.getLoopsInPreorder()) {
        if (!l->isInnermost() || is_cold(*l) ||
            getBooleanLoopAttribute(l, "llvm.loop.isvectorized"))
            continue;
        stored.clear();
        for (BasicBlock *b : l->blocks())
            for (Instruction &i : *b)
                if (auto *s = dyn_cast<StoreInst>(&i))
                    stored.insert(getUnderlyingObject(s->getPointerOperand()));
        if (stored.empty())
            continue;
        for (BasicBlock *b : l->blocks())
            for (Instruction &i : *b)
                if (auto *load = dyn_cast<LoadInst>(&i))
                    if (stored.count(getUnderlyingObject(load->getPointerOperand())))
                        return true;
    }
    return false;
}

static bool
should_run(StringRef pass, Any ir)
{
    if (stopped())
        return false;
    if (const Loop *const *l = any_cast<const Loop *>(&ir))
        /* LLVM asks for each loop of a function that is left alone, too, and has not made it ready
         * for passes over loops then */
        return !(*l)->getHeader()->getParent()->hasFnAttribute(no_hot_loop) && pays_in(**l, pass);
    const Function *const *f = any_cast<const Function *>(&ir);
    if (f && is_clean(*const_cast<Function *>(*f)))
        return false;
    if (!f || !(*f)->hasFnAttribute(no_hot_loop))
        return !f || pass != "LoopLoadEliminationPass" ||
               stores_what_it_loads(*const_cast<Function *>(*f));
    return pass.starts_with("SLP") && !(*f)->hasFnAttribute("swathe-runs-chunks");
}

// ---- large functions: what takes time of the square of a function's size is given less of it ----

enum { FAR = 1000, MANY_WAYS = 64, GIANT = 1500, PIECE = 500 };

// A place of the stack is named anew where it is used: that costs nothing.
static bool
name_again(Instruction &i)
{
    auto *place = dyn_cast<GetElementPtrInst>(&i);
    if (!place || !place->hasAllConstantIndices() || !isa<AllocaInst>(place->getPointerOperand()))
        return false;
    SmallVector<Use *, 8> uses;
    for (Use &u : i.uses())
        uses.push_back(&u);
    for (Use *u : uses) {
        auto *user = cast<Instruction>(u->getUser());
        auto *phi = dyn_cast<PHINode>(user);
        if (u->get() != &i || (!phi && user->getParent() == i.getParent()))
            continue;
        Instruction *same = i.clone();
        if (!phi) {
            same->insertBefore(user);
            u->set(same);
            continue;
        }
        BasicBlock *from = phi->getIncomingBlock(*u); // all its edges have what one has
        same->insertBefore(from->getTerminator());
        for (unsigned k = 0; k < phi->getNumIncomingValues(); k++)
            if (phi->getIncomingBlock(k) == from)
                phi->setIncomingValue(k, same);
    }
    return true;
}

// What is long not used lies on the stack: were it in a register, it would be spilled anyway, after
// a search.
static void
spill_far(Function &f)
{
    DenseMap<const Instruction *, unsigned> place;
    SmallVector<Instruction *, 64> far;
    unsigned n = 0;
    for (Instruction &i : instructions(f))
        place[&i] = n++;
    for (Instruction &i : instructions(f)) {
        if (isa<AllocaInst>(i) || i.isTerminator() || !i.getType()->isSingleValueType() ||
            i.use_empty())
            continue;
        SmallVector<unsigned, 8> uses{place[&i]};
        for (const User *u : i.users())
            uses.push_back(place[cast<Instruction>(u)]);
        sort(uses);
        for (size_t k = 1; k < uses.size(); k++)
            if (uses[k] > uses[k - 1] + FAR) {
                far.push_back(&i);
                break;
            }
    }
    for (Instruction *i : far)
        if (!name_again(*i))
            DemoteRegToStack(*i);
}

// Each way into a block is a copy that the coalescer joins with all before.
static void
spill_wide_phis(Function &f)
{
    SmallVector<PHINode *, 8> wide;
    for (BasicBlock &b : f)
        for (PHINode &p : b.phis())
            if (p.getNumIncomingValues() > MANY_WAYS)
                wide.push_back(&p);
    for (PHINode *p : wide)
        DemotePHIToStack(p);
}

static void
split_giants(Function &f)
{
    SmallVector<Instruction *, 16> at;
    for (BasicBlock &b : f) {
        unsigned n = 0;
        if (b.size() > GIANT)
            for (Instruction &i : b)
                if (++n % PIECE == 0 && !isa<PHINode>(i) && !isa<AllocaInst>(i) &&
                    !i.isTerminator())
                    at.push_back(&i);
    }
    for (Instruction *i : reverse(at)) // each moves what follows
        i->getParent()->splitBasicBlock(i);
}

// Promotion looks through a block from its start for each variable that is set in several.
void
shim_split(LLVMModuleRef m)
{
    for (Function &f : *unwrap(m))
        split_giants(f);
}

static bool
fails(const BasicBlock &b)
{
    for (const Instruction &i : b)
        if (const CallInst *c = dyn_cast<CallInst>(&i))
            if (c->getCalledFunction() && c->getCalledFunction()->hasFnAttribute(Attribute::Cold))
                return true;
    return false;
}

static void
put_failures_last(Function &f)
{
    SmallVector<BasicBlock *, 64> last;
    for (BasicBlock &b : f)
        if (&b != &f.getEntryBlock() && fails(b))
            last.push_back(&b);
    for (BasicBlock *b : last)
        b->moveAfter(&f.back());
}

// The quick instruction selector takes a third of the time.
void
shim_hurry_function(LLVMValueRef function)
{
    Function &f = *unwrap<Function>(function);
    join_conversions(f);
    put_failures_last(f);
    f.addFnAttr(Attribute::OptimizeNone);
    f.addFnAttr(Attribute::NoInline);
}

// A function that has put its loops into functions of chunks runs what is left of it once: views,
// checks, tests for overlap.
void
shim_hurry(LLVMModuleRef m)
{
    for (Function &f : *unwrap(m))
        if (f.hasFnAttribute(no_hot_loop) && f.hasFnAttribute("swathe-runs-chunks") &&
            !f.hasFnAttribute(Attribute::AlwaysInline))
            shim_hurry_function(wrap(&f));
}

// Is there only what runs once?
bool
shim_has_hot(LLVMModuleRef m)
{
    for (Function &f : *unwrap(m))
        if (!f.isDeclaration() && has_hot_loop(f))
            return true;
    return false;
}

unsigned
shim_blocks(LLVMModuleRef m)
{
    unsigned most = 0;
    for (const Function &f : *unwrap(m))
        most = std::max(most, (unsigned)f.size());
    return most;
}

// Does each innermost loop that runs have more ways out than that? Then none of them becomes
// vectors.
bool
shim_all_leave(LLVMModuleRef m, unsigned exits)
{
    bool any = false;
    for (Function &f : *unwrap(m)) {
        if (f.isDeclaration())
            continue;
        DominatorTree tree(f);
        LoopInfo loops(tree);
        SmallVector<Loop::Edge, 64> edges;
        for (const Loop *l : loops.getLoopsInPreorder()) {
            if (!l->isInnermost() || is_cold(*l))
                continue;
            edges.clear();
            l->getExitEdges(edges);
            if (edges.size() <= exits)
                return false;
            any = true;
        }
    }
    return any;
}

void
shim_tame(LLVMModuleRef m, unsigned large)
{
    bool any = false, all = true;
    for (Function &f : *unwrap(m)) {
        if (f.isDeclaration())
            continue;
        bool quiet = f.hasFnAttribute(no_hot_loop);
        all &= quiet;
        if (!quiet || f.getInstructionCount() <= large)
            continue;
        any = true;
        spill_wide_phis(f);
        spill_far(f);
        split_giants(f);
        put_failures_last(f);
    }
    tamed = any && all;
}

char *
shim_run_passes(LLVMModuleRef m, LLVMTargetMachineRef tm, const char *pipeline)
{
    LoopAnalysisManager lam;
    FunctionAnalysisManager fam;
    CGSCCAnalysisManager cgam;
    ModuleAnalysisManager mam;
    PipelineTuningOptions tune;
    tune.LoopInterleaving = tune.LoopVectorization = tune.SLPVectorization = true;
    PassInstrumentationCallbacks seen;
    seen.registerShouldRunOptionalPassCallback(should_run);
    PassBuilder pb(reinterpret_cast<TargetMachine *>(tm), tune, std::nullopt, &seen);
    shim_register_chains(pb);
    shim_register_narrow(pb);
    shim_register_rows_apart(pb);
    shim_register_in_order(pb);
    shim_register_wraps(pb);
    pb.registerModuleAnalyses(mam);
    pb.registerCGSCCAnalyses(cgam);
    pb.registerFunctionAnalyses(fam);
    pb.registerLoopAnalyses(lam);
    pb.crossRegisterProxies(lam, fam, cgam, mam);
    ModulePassManager mpm;
    if (Error e = pb.parsePassPipeline(mpm, pipeline))
        return strdup(toString(std::move(e)).c_str());
    mpm.run(*unwrap(m), mam);
    forget_clean(*unwrap(m));
    return nullptr;
}

// The code generator's own strength reduction: where its loops are passed by, what it asks of each
// function would still be found out.
static cl::opt<bool> *no_reduction;
static std::mutex building; // of the list of passes, which asks the option
static thread_local bool builds;

void
shim_left(void)
{
    if (builds)
        building.unlock();
    builds = false;
}

char *
shim_emit(LLVMModuleRef m, LLVMTargetMachineRef tm, LLVMCodeGenFileType kind,
          bool strength_reduction, char **data, size_t *size)
{
    SmallVector<char, 0> bytes;
    raw_svector_ostream out(bytes);
    legacy::PassManager passes;
    // the C library is known: of the sine and the cosine of one number it makes one call
    passes.add(new TargetLibraryInfoWrapperPass(Triple(unwrap(m)->getTargetTriple())));
    building.lock();
    builds = true;
    if (no_reduction)
        no_reduction->setValue(!strength_reduction);
    bool failed = reinterpret_cast<TargetMachine *>(tm)->addPassesToEmitFile(
        passes, out, nullptr,
        kind == LLVMObjectFile ? CodeGenFileType::ObjectFile : CodeGenFileType::AssemblyFile);
    shim_left();
    if (failed)
        return strdup("code generation failed");
    passes.run(*unwrap(m));
    *size = bytes.size();
    *data = static_cast<char *>(malloc(*size + 1));
    if (!*data)
        return strdup("out of memory");
    memcpy(*data, bytes.data(), *size);
    (*data)[*size] = 0;
    return nullptr;
}

// What clang noted of a function (the processor, features) would keep it from being inlined.
static void
forget_target(Module &m)
{
    for (Function &f : m) {
        AttributeList all = f.getAttributes();
        AttributeMask drop;
        for (Attribute a : all.getFnAttrs())
            if (a.isStringAttribute())
                drop.addAttribute(a);
        f.removeFnAttrs(drop);
    }
}

char *
shim_link(LLVMModuleRef m, const char *bitcode, size_t n)
{
    Module &to = *unwrap(m);
    MemoryBufferRef buffer(StringRef(bitcode, n), "device");
    Expected<std::unique_ptr<Module>> from = getLazyBitcodeModule(buffer, to.getContext());
    if (!from)
        return strdup(toString(from.takeError()).c_str());
    (*from)->setTargetTriple(to.getTargetTriple());
    (*from)->setDataLayout(to.getDataLayout());
    bool failed = Linker::linkModules(to, std::move(*from), Linker::LinkOnlyNeeded,
                                      [](Module &all, const StringSet<> &names) {
                                          internalizeModule(all, [&names](const GlobalValue &v) {
                                              return !v.hasName() || !names.count(v.getName());
                                          });
                                      });
    if (failed)
        return strdup("the device's library cannot be linked");
    forget_target(to);
    return nullptr;
}

// From LLVM 22 on the flags of each instruction say it all.
void
shim_fast_math(LLVMTargetMachineRef tm, bool fast)
{
#if LLVM_VERSION_MAJOR < 22
    reinterpret_cast<TargetMachine *>(tm)->Options.UnsafeFPMath = fast;
#else
    (void)tm;
    (void)fast;
#endif
}

// A short loop that straddles lines of the decoded-instruction cache loses up to 40%.
void
shim_align_loops(LLVMTargetMachineRef tm)
{
    reinterpret_cast<TargetMachine *>(tm)->Options.LoopAlignment = 32;
}

// Allocations that fail end in `handler`, which does not return while a compilation runs: LLVM
// knows no exceptions, so a bad_alloc would end the process.
static void (*no_memory_handler)(void);

static void
on_bad_alloc(void *, const char *, bool)
{
    no_memory_handler();
}

static void
on_new_failed(void)
{
    no_memory_handler();
    std::set_new_handler(nullptr); // no compilation runs: as if there were no handler
}

void
shim_no_memory(void (*handler)(void))
{
    no_memory_handler = handler;
    install_bad_alloc_error_handler(on_bad_alloc);
    std::set_new_handler(on_new_failed);
}

// Options that LLVM has as command-line flags only. Our copy of LLVM is private to this library.
void
shim_init(void)
{
    static const char *const args[] = {
        "swathe",
        // loops over a dozen arrays are usual here: allow the alias checks that they need
        "-runtime-memory-check-threshold=32",
        "-memory-check-merge-threshold=200",
        // a factor of an index is the length of a row, and strides are bytes: hardly ever 1
        "-enable-mem-access-versioning=false",
        // whether two rows of one array share memory is asked row by row: of all rows together it
        // is known that they do
        "-hoist-runtime-checks=false",
        // unrolling by four, of small bodies only, gains what unrolling by eight does and
        // halves the time of code generation
        "-unroll-max-count=4",
        "-unroll-partial-threshold=32",
        // rows of arrays are short: what a wide loop leaves over is worth a narrower one
        "-epilogue-vectorization-minimum-VF=8",
        // a strict sum of costly terms: the terms in lanes, the additions one after the other
        "-force-ordered-reductions=true",
        // of thousands of loads and stores in a block only the nearest are put in an order of each
        // with each, and registers are not followed through thousands of blocks: loops of a hundred
        // lines never notice
        "-dag-maps-huge-region=128",
        "-dag-maps-reduction-size=64",
        "-grow-region-complexity-budget=200",
        // sums of sums of a hundred lines are no addresses that a loop steps through
        "-scalar-evolution-huge-expr-threshold=200",
        // a choice by data that nobody can foretell stays one: a branch in its place, which LLVM
        // takes to be foretold three times in four, is what sorting and searching wait for
        "-x86-cmov-converter=false",
    };
    cl::ParseCommandLineOptions(sizeof args / sizeof *args, args, "", nullptr, nullptr);
    auto &all = cl::getRegisteredOptions();
    auto found = all.find("disable-lsr");
    if (found != all.end())
        no_reduction = static_cast<cl::opt<bool> *>(found->second);
}
}
