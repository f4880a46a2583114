// SPDX-License-Identifier: BSD-3-Clause
// Of a loop whose iterations are independent LLVM takes it that no two of its accesses meet, and
// not only those of different iterations: of strided accesses it makes groups, whose loads go to
// the first of them and whose stores to the last. So an element that one iteration stores, and then
// reads or stores again, would be read too early, or keep what it had first. Where that can't be
// excluded, the vectoriser isn't told, and finds the dependences by itself.
#include "gen/llvm/own_passes.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace
{

enum { MOST = 64 };

struct Access {
    Instruction *i;
    const SCEV *at;
    int64_t size;
    bool moves;
};

struct InOrder {
    Loop &loop;
    ScalarEvolution &se;
    AAResults &aa;
    SmallVector<Access, 16> all; // in the order in which an iteration comes to them

    // An index in fewer bits, or one cut off in each iteration, is a recurrence behind a test that
    // it doesn't wrap.
    bool may_be_recurrence(const SCEV *at)
    {
        return SCEVExprContains(at, [&](const SCEV *s) {
            if (auto *cast = dyn_cast<SCEVIntegralCastExpr>(s)) {
                auto *rec = dyn_cast<SCEVAddRecExpr>(cast->getOperand());
                return rec && rec->getLoop() == &loop;
            }
            auto *unknown = dyn_cast<SCEVUnknown>(s);
            auto *phi = unknown ? dyn_cast<PHINode>(unknown->getValue()) : nullptr;
            return phi && phi->getParent() == loop.getHeader();
        });
    }

    // May it become a member of a group?
    bool moves(const SCEV *at, int64_t size)
    {
        auto *rec = dyn_cast<SCEVAddRecExpr>(at);
        if (!rec)
            return may_be_recurrence(at);
        auto *step =
            rec->getLoop() == &loop ? dyn_cast<SCEVConstant>(rec->getStepRecurrence(se)) : nullptr;
        return step && step->getAPInt().abs() != size;
    }

    // false: there are too many.
    bool collect(LoopInfo &loops)
    {
        const DataLayout &layout = loop.getHeader()->getModule()->getDataLayout();
        LoopBlocksRPO order(&loop);
        order.perform(&loops);
        for (BasicBlock *b : order)
            for (Instruction &i : *b) {
                if (!i.mayReadOrWriteMemory())
                    continue;
                Value *p = getLoadStorePointerOperand(&i);
                if (!p)
                    continue; // such a call becomes none of vectors, or touches no memory
                if (all.size() == MOST)
                    return false;
                const SCEV *at = se.getSCEV(p);
                auto size = (int64_t)layout.getTypeStoreSize(getLoadStoreType(&i)).getFixedValue();
                all.push_back({&i, at, size, moves(at, size)});
            }
        return true;
    }

    bool are_apart(const Access &x, const Access &y)
    {
        if (auto *d = dyn_cast<SCEVConstant>(se.getMinusSCEV(y.at, x.at)))
            return d->getAPInt().sge(x.size) || d->getAPInt().sle(-y.size);
        return aa.isNoAlias(MemoryLocation::get(x.i), MemoryLocation::get(y.i));
    }

    // Is each element that an iteration stores left alone by what follows, where either would move?
    bool keeps_order()
    {
        for (unsigned i = 0; i < all.size(); i++)
            for (unsigned j = i + 1; isa<StoreInst>(all[i].i) && j < all.size(); j++)
                if ((all[i].moves || (isa<LoadInst>(all[j].i) && all[j].moves)) &&
                    !are_apart(all[i], all[j]))
                    return false;
        return true;
    }

    bool run(LoopInfo &loops)
    {
        if (!loop.isAnnotatedParallel() || (collect(loops) && keeps_order()))
            return false;
        loop.setLoopID(makePostTransformationMetadata(
            loop.getHeader()->getContext(), loop.getLoopID(), {"llvm.loop.parallel_accesses"}, {}));
        return true;
    }
};

struct KeepOrder : PassInfoMixin<KeepOrder> {
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &fam)
    {
        LoopInfo &loops = fam.getResult<LoopAnalysis>(f);
        bool changed = false;
        for (Loop *l : loops.getLoopsInPreorder())
            if (l->isInnermost())
                changed |= InOrder{
                    *l,
                    fam.getResult<ScalarEvolutionAnalysis>(f),
                    fam.getResult<AAManager>(f),
                    {}}.run(loops);
        return kept_unless(changed);
    }
};

} // namespace

void
shim_register_in_order(PassBuilder &pb)
{
    register_own_pass<KeepOrder>(pb, "in-order");
}
