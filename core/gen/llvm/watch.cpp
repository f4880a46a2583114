// SPDX-License-Identifier: BSD-3-Clause
// Listens to the vectoriser: which loops it leaves as they are, and by what name of its own.
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm-c/Core.h"

using namespace llvm;

namespace
{

using Seen = void (*)(void *arg, int loop, const char *name, size_t n);

const char the_pass[] = "loop-vectorize";

class Listener : public DiagnosticHandler
{
  public:
    std::unique_ptr<DiagnosticHandler> before;
    DenseMap<const BasicBlock *, int> loop_of; // of blocks in innermost loops: the loop's number
    Seen seen;
    void *arg;

    // An empty name is what it uses for loops that were asked to be vectors.
    bool isAnalysisRemarkEnabled(StringRef pass) const override
    {
        return pass.empty() || pass == the_pass;
    }
    bool isMissedOptRemarkEnabled(StringRef) const override
    {
        return false;
    }
    bool isPassedOptRemarkEnabled(StringRef) const override
    {
        return false;
    }
    bool isAnyRemarkEnabled() const override
    {
        return true;
    }

    bool handleDiagnostics(const DiagnosticInfo &info) override
    {
        auto *remark = dyn_cast<DiagnosticInfoIROptimization>(&info);
        if (!remark)
            return before->handleDiagnostics(info);
        auto *block = dyn_cast_or_null<BasicBlock>(remark->getCodeRegion());
        auto found = loop_of.find(block);
        if (block && found != loop_of.end()) {
            StringRef name = remark->getRemarkName();
            seen(arg, found->second, name.data(), name.size());
        }
        return true;
    }

    void add(Function &f)
    {
        DominatorTree tree(f);
        LoopInfo loops(tree);
        for (const Loop *l : loops.getLoopsInPreorder()) {
            MDNode *mark = l->isInnermost() ? findOptionMDForLoop(l, "swathe.loop") : nullptr;
            auto *number = mark && mark->getNumOperands() > 2
                               ? mdconst::dyn_extract<ConstantInt>(mark->getOperand(2))
                               : nullptr;
            if (number)
                for (const BasicBlock *b : l->blocks())
                    loop_of[b] = (int)number->getSExtValue();
        }
    }
};

} // namespace

extern "C" {
void shim_watch_loops(LLVMModuleRef m, Seen seen, void *arg);
void shim_unwatch_loops(LLVMModuleRef m);
}

void
shim_watch_loops(LLVMModuleRef m, Seen seen, void *arg)
{
    LLVMContext &c = unwrap(m)->getContext();
    auto listener = std::make_unique<Listener>();
    listener->seen = seen;
    listener->arg = arg;
    for (Function &f : *unwrap(m))
        if (!f.isDeclaration() && !f.hasFnAttribute("swathe-no-hot-loop"))
            listener->add(f);
    listener->before = c.getDiagnosticHandler();
    c.setDiagnosticHandler(std::move(listener), true);
}

void
shim_unwatch_loops(LLVMModuleRef m)
{
    LLVMContext &c = unwrap(m)->getContext();
    std::unique_ptr<DiagnosticHandler> mine = c.getDiagnosticHandler();
    c.setDiagnosticHandler(std::move(static_cast<Listener *>(mine.get())->before));
}
