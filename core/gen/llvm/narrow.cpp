// SPDX-License-Identifier: BSD-3-Clause
// A Python int has 64 bits, but what is computed from pixels fits in 31, and a vector has twice as
// many of those. Inside of loops, operations on elements of at most 16 bits and constants are done
// in 32 bits where known bits say that their results fit. Indices stay as they are: no loop's
// variable is such an element.
#include "gen/llvm/own_passes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace
{

struct Narrow {
    const DataLayout &layout;
    DenseMap<const Value *, Value *> known; // in 32 bits
    bool changed = false;

    explicit Narrow(const DataLayout &l) : layout(l)
    {
    }

    // v in 32 bits, and whether that is no constant; nullptr: it may not fit, or comes from
    // elsewhere.
    Value *find(IRBuilder<> &b, Value *v, bool &any)
    {
        if (auto *c = dyn_cast<ConstantInt>(v))
            return c->getValue().getActiveBits() < 32 ? b.getInt32((uint32_t)c->getZExtValue())
                                                      : nullptr;
        any = true;
        if (Value *done = known.lookup(v))
            return done;
        auto *wide = dyn_cast<ZExtInst>(v);
        if (!wide || !wide->getSrcTy()->isIntegerTy() ||
            wide->getSrcTy()->getIntegerBitWidth() > 16)
            return nullptr;
        IRBuilder<> at(wide);
        return known[v] = at.CreateZExt(wide->getOperand(0), b.getInt32Ty());
    }

    bool fits(const Instruction &i)
    {
        return computeKnownBits(&i, layout).countMaxActiveBits() < 32;
    }

    void binary(BinaryOperator &i)
    {
        switch (i.getOpcode()) {
        case Instruction::Add:
        case Instruction::Sub:
        case Instruction::Mul:
        case Instruction::And:
        case Instruction::Or:
        case Instruction::Xor:
        case Instruction::UDiv:
        case Instruction::URem:
            break;
        case Instruction::Shl:
        case Instruction::LShr:
            if (auto *c = dyn_cast<ConstantInt>(i.getOperand(1)); c && c->getValue().ult(32))
                break;
            return;
        default:
            return;
        }
        IRBuilder<> b(&i);
        bool any = false;
        Value *x = find(b, i.getOperand(0), any), *y = x ? find(b, i.getOperand(1), any) : nullptr;
        if (!y || !any || !fits(i))
            return;
        Value *r = b.CreateBinOp(i.getOpcode(), x, y);
        known[&i] = r;
        Value *wide = b.CreateZExt(r, i.getType());
        known[wide] = r;
        i.replaceAllUsesWith(wide);
        changed = true;
    }

    void compare(ICmpInst &i)
    {
        IRBuilder<> b(&i);
        bool any = false;
        Value *x = find(b, i.getOperand(0), any), *y = x ? find(b, i.getOperand(1), any) : nullptr;
        if (!y || !any)
            return;
        i.replaceAllUsesWith(b.CreateICmp(i.getPredicate(), x, y));
        changed = true;
    }

    void cast(CastInst &i)
    {
        IRBuilder<> b(&i);
        bool any = false;
        unsigned op = i.getOpcode();
        bool number = op == Instruction::SIToFP || op == Instruction::UIToFP;
        bool cut = op == Instruction::Trunc && i.getType()->getIntegerBitWidth() <= 32;
        Value *x = number || cut ? find(b, i.getOperand(0), any) : nullptr;
        if (!x || !any)
            return;
        i.replaceAllUsesWith(cut ? b.CreateTrunc(x, i.getType()) : b.CreateSIToFP(x, i.getType()));
        changed = true;
    }

    void visit(Instruction &i)
    {
        auto wide = [](const Value *v) { return v->getType()->isIntegerTy(64); };
        if (auto *op = dyn_cast<BinaryOperator>(&i); op && wide(op))
            binary(*op);
        else if (auto *test = dyn_cast<ICmpInst>(&i); test && wide(test->getOperand(0)))
            compare(*test);
        else if (auto *to = dyn_cast<CastInst>(&i); to && wide(to->getOperand(0)))
            cast(*to);
    }
};

struct NarrowIntegers : PassInfoMixin<NarrowIntegers> {
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &fam)
    {
        LoopInfo &loops = fam.getResult<LoopAnalysis>(f);
        Narrow n(f.getParent()->getDataLayout());
        SmallVector<Instruction *, 64> all;
        ReversePostOrderTraversal<Function *> order(&f);
        for (BasicBlock *b : order)
            if (loops.getLoopFor(b))
                for (Instruction &i : *b)
                    all.push_back(&i);
        for (Instruction *i : all)
            n.visit(*i);
        return kept_unless(n.changed);
    }
};

} // namespace

void
shim_register_narrow(PassBuilder &pb)
{
    register_own_pass<NarrowIntegers>(pb, "narrow-integers");
}
