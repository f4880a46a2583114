// SPDX-License-Identifier: BSD-3-Clause
// A loop that stores to two rows of an array, and to several elements of one: f[2*i, 2*j],
// f[2*i, 2*j + 1], f[2*i + 1, 2*j]. Whether rows share memory is known at run time only, and where
// LLVM has to test that, it forgets what it knows of accesses at a known distance from each other:
// it tests each with each, so that neighbours in one row always meet, and the vectors never run.
// Here the rows become pointers of which nothing is known. LLVM takes these for different arrays,
// tests each with each, and looks for dependences in a row as ever. Behind the vectoriser,
// InstCombine makes the same pointers of them again.
#include "gen/llvm/own_passes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace
{

enum { MOST = 16 };

struct Access {
    Instruction *i;
    const Value *array;
    const SCEVAddRecExpr *at;
    unsigned row;
};

struct RowsApart {
    Loop &loop;
    ScalarEvolution &se;
    SmallVector<Access, MOST> all;
    SmallVector<const SCEVAddRecExpr *, MOST> first; // of each row, its first access

    RowsApart(Loop &l, ScalarEvolution &s) : loop(l), se(s)
    {
    }

    Instruction *end() const
    {
        return loop.getLoopPredecessor()->getTerminator();
    }

    const DataLayout &layout() const
    {
        return loop.getHeader()->getModule()->getDataLayout();
    }

    // The row of an access: all at known distances from each other, by the same step.
    unsigned row_of(const Value *array, const SCEVAddRecExpr *at)
    {
        for (const Access &a : all)
            if (a.array == array && a.at->getStepRecurrence(se) == at->getStepRecurrence(se) &&
                isa<SCEVConstant>(se.getMinusSCEV(at, a.at)))
                return a.row;
        first.push_back(at);
        return first.size() - 1;
    }

    // false: the vectoriser leaves this loop, or it knows all that there is.
    bool collect()
    {
        for (BasicBlock *b : loop.blocks())
            for (Instruction &i : *b) {
                if (!i.mayReadOrWriteMemory())
                    continue;
                Value *p = getLoadStorePointerOperand(&i);
                auto *at = p ? dyn_cast<SCEVAddRecExpr>(se.getSCEV(p)) : nullptr;
                if (!at || at->getLoop() != &loop || !at->isAffine() || all.size() == MOST)
                    return false;
                const Value *array = getUnderlyingObject(p, 0);
                all.push_back({&i, array, at, row_of(array, at)});
            }
        return true;
    }

    // Does this array have several rows, a store, and in one of the rows several elements?
    bool is_split(const Value *array)
    {
        SCEVExpander expand(se, layout(), "row");
        bool stores = false, rows = false, places = false;
        const Access *had = nullptr;
        for (const Access &a : all) {
            if (a.array != array)
                continue;
            stores |= isa<StoreInst>(a.i);
            rows |= had && had->row != a.row;
            places |= a.at != first[a.row];
            had = &a;
            if (!expand.isSafeToExpandAt(first[a.row]->getStart(), end()))
                return false;
        }
        return stores && rows && places;
    }

    void name_rows(const Value *array)
    {
        IRBuilder<> b(end());
        SCEVExpander expand(se, layout(), "row");
        Type *word = b.getIntPtrTy(layout());
        SmallVector<Value *, MOST> start(first.size()), row(first.size());
        for (Access &a : all) {
            if (a.array != array)
                continue;
            unsigned k = a.row;
            if (!row[k]) {
                Value *p = expand.expandCodeFor(first[k]->getStart(), b.getPtrTy(), end());
                start[k] = b.CreatePtrToInt(p, word);
                row[k] = b.CreateIntToPtr(start[k], b.getPtrTy());
            }
            IRBuilder<> here(a.i);
            Value *p = getLoadStorePointerOperand(a.i);
            Value *off = here.CreateNSWSub(here.CreatePtrToInt(p, word), start[k]);
            a.i->setOperand(isa<StoreInst>(a.i) ? 1 : 0,
                            here.CreateGEP(here.getInt8Ty(), row[k], off));
        }
        se.forgetLoop(&loop);
    }

    bool run()
    {
        bool any = false;
        if (!loop.getLoopPredecessor() || loop.getNumBlocks() > MOST ||
            loop.isAnnotatedParallel() || getBooleanLoopAttribute(&loop, "swathe.cold") ||
            hasVectorizeTransformation(&loop) == TM_SuppressedByUser || !collect())
            return false;
        SmallVector<const Value *, MOST> done;
        for (unsigned i = 0, n = all.size(); i < n; i++) {
            if (is_contained(done, all[i].array))
                continue;
            done.push_back(all[i].array);
            if (is_split(all[i].array)) {
                name_rows(all[i].array);
                any = true;
            }
        }
        return any;
    }
};

struct ApartRows : PassInfoMixin<ApartRows> {
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &fam)
    {
        LoopInfo &loops = fam.getResult<LoopAnalysis>(f);
        bool changed = false;
        for (Loop *l : loops.getLoopsInPreorder())
            if (l->isInnermost())
                changed |= RowsApart(*l, fam.getResult<ScalarEvolutionAnalysis>(f)).run();
        return kept_unless(changed);
    }
};

} // namespace

void
shim_register_rows_apart(PassBuilder &pb)
{
    register_own_pass<ApartRows>(pb, "rows-apart");
}
