// SPDX-License-Identifier: BSD-3-Clause
// Takes loops whose integers wrap round, `i * 3 % 32` or `uint8(i * 3)`, and hides from the loop
// vectoriser those for which its test that they don't is wrong. It takes an index that is a
// recurrence in fewer bits for one that never wraps, and tests that before the loop. But of one
// that begins at 0 with a positive step it asks only whether the number of iterations has so few
// bits (SCEVExpander::generateOverflowCheck of LLVM 19): step times iterations may still wrap. By
// steps of one these are the same question. What is frozen has no form that it knows, and
// InstCombine takes that away again behind it.
#include "gen/llvm/own_passes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace
{

struct Wraps {
    Loop &loop;
    ScalarEvolution &se;
    bool changed = false;

    bool is_misjudged(const SCEVAddRecExpr *rec)
    {
        const SCEV *step = rec->getStepRecurrence(se);
        return rec->getLoop() == &loop && rec->isAffine() && rec->getStart()->isZero() &&
               !rec->hasNoUnsignedWrap() && !step->isOne() && se.isKnownPositive(step);
    }

    bool is_misjudged(Value *v)
    {
        return SCEVExprContains(se.getSCEV(v), [&](const SCEV *s) {
            auto *wide = dyn_cast<SCEVZeroExtendExpr>(s);
            auto *rec = wide ? dyn_cast<SCEVAddRecExpr>(wide->getOperand()) : nullptr;
            return rec && is_misjudged(rec);
        });
    }

    // The value of an iteration, of which nothing is known.
    void hide(Instruction *v, Instruction *before)
    {
        IRBuilder<> b(before);
        auto *frozen = cast<Instruction>(b.CreateFreeze(v));
        v->replaceUsesWithIf(frozen, [&](Use &u) { return u.getUser() != frozen; });
        se.forgetValue(v);
        changed = true;
    }

    // A number that is cut off in each iteration: k = (k + 3) % 32.
    void hide_phi(PHINode &phi)
    {
        auto *latch = loop.getLoopLatch();
        auto *unknown = dyn_cast<SCEVUnknown>(se.getSCEV(&phi));
        auto *next = latch ? dyn_cast<Instruction>(phi.getIncomingValueForBlock(latch)) : nullptr;
        auto found = unknown && next ? se.createAddRecFromPHIWithCasts(unknown) : std::nullopt;
        for (unsigned k = 0; found && k < found->second.size(); k++) {
            auto *wrap = dyn_cast<SCEVWrapPredicate>(found->second[k]);
            if (!wrap || !is_misjudged(wrap->getExpr()))
                continue;
            se.forgetValue(&phi);
            hide(next, latch->getTerminator());
            return;
        }
    }

    bool run(LoopInfo &loops)
    {
        LoopBlocksRPO order(&loop);
        order.perform(&loops);
        SmallVector<Instruction *, 64> all; // before hiding adds more
        for (BasicBlock *b : order)
            for (Instruction &i : *b)
                if (i.getType()->isIntegerTy() && !isa<PHINode>(i))
                    all.push_back(&i);
        for (Instruction *i : all)
            if (is_misjudged(i))
                hide(i, i->getNextNode());
        for (PHINode &phi : loop.getHeader()->phis())
            if (phi.getType()->isIntegerTy())
                hide_phi(phi);
        return changed;
    }
};

struct HideWraps : PassInfoMixin<HideWraps> {
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &fam)
    {
        LoopInfo &loops = fam.getResult<LoopAnalysis>(f);
        bool changed = false;
        for (Loop *l : loops.getLoopsInPreorder())
            if (l->isInnermost())
                changed |= Wraps{*l, fam.getResult<ScalarEvolutionAnalysis>(f)}.run(loops);
        return kept_unless(changed);
    }
};

} // namespace

void
shim_register_wraps(PassBuilder &pb)
{
    register_own_pass<HideWraps>(pb, "hide-wraps");
}
