// SPDX-License-Identifier: BSD-3-Clause
// What an iteration hands to the next is computed in registers for numbers. LLVM packs operations
// side by side in vectors by how many instructions that saves, whoever waits for the result: of a
// recurrence whose value goes into a vector and is taken out again each time, the moves take
// longer than all the rest. Here the element that the next iteration waits for is computed once
// more, as a number; the vector stays for whoever wants the others. And its products by constants
// are joined.
#include "gen/llvm/own_passes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace
{

enum { MOST = 8, MOST_FLOATS = 2, LARGE = 2000 }; // operations made; instructions of a loop

using Set = SmallPtrSet<const Instruction *, 32>;

struct Chains {
    const Loop &loop;
    Set from, to; // what depends on the variable at hand; what the next iteration's value needs
    DenseMap<std::pair<const Value *, unsigned>, Value *> made;
    unsigned ops = 0;

    explicit Chains(const Loop &l) : loop(l)
    {
    }

    bool inside(const Instruction *i) const
    {
        return loop.contains(i->getParent());
    }

    void forward(PHINode &start)
    {
        SmallVector<Instruction *, 32> work{&start};
        while (!work.empty())
            for (User *u : work.pop_back_val()->users()) {
                auto *i = cast<Instruction>(u);
                bool header = isa<PHINode>(i) && i->getParent() == loop.getHeader();
                if (inside(i) && !header && from.insert(i).second)
                    work.push_back(i);
            }
    }

    void backward(Value *end)
    {
        SmallVector<Value *, 32> work{end};
        while (!work.empty()) {
            auto *i = dyn_cast<Instruction>(work.pop_back_val());
            if (i && from.contains(i) && to.insert(i).second)
                for (Value *v : i->operands())
                    work.push_back(v);
        }
    }

    // Is element k of v, one more time, no more than a few operations on numbers?
    bool can(Value *v, unsigned k, unsigned depth)
    {
        auto *i = dyn_cast<Instruction>(v);
        if (auto *c = dyn_cast<Constant>(v))
            return c->getAggregateElement(k) != nullptr;
        if (!i || depth > MOST)
            return false;
        if (!from.contains(i)) // nobody waits for it
            return true;
        if (auto *put = dyn_cast<InsertElementInst>(i)) {
            auto *at = dyn_cast<ConstantInt>(put->getOperand(2));
            return at && (at->getZExtValue() == k || can(put->getOperand(0), k, depth));
        }
        if (auto *mix = dyn_cast<ShuffleVectorInst>(i)) {
            unsigned n = cast<FixedVectorType>(mix->getOperand(0)->getType())->getNumElements();
            int m = mix->getMaskValue(k);
            return m >= 0 && can(mix->getOperand((unsigned)m >= n), (unsigned)m % n, depth);
        }
        bool same = isa<BinaryOperator>(i) || isa<UnaryOperator>(i) || isa<CmpInst>(i) ||
                    (isa<CastInst>(i) && !isa<BitCastInst>(i)) ||
                    (isa<SelectInst>(i) && i->getOperand(0)->getType()->isVectorTy());
        if (!same || ++ops > (i->getType()->isFPOrFPVectorTy() ? MOST_FLOATS : MOST))
            return false;
        for (Value *o : i->operands())
            if (!can(o, k, depth + 1))
                return false;
        return true;
    }

    Value *make(IRBuilder<> &b, Value *v, unsigned k)
    {
        if (auto *c = dyn_cast<Constant>(v))
            return c->getAggregateElement(k);
        auto *i = cast<Instruction>(v);
        if (!from.contains(i))
            return b.CreateExtractElement(v, k);
        if (auto *put = dyn_cast<InsertElementInst>(i))
            return cast<ConstantInt>(put->getOperand(2))->getZExtValue() == k
                       ? put->getOperand(1)
                       : make(b, put->getOperand(0), k);
        if (auto *mix = dyn_cast<ShuffleVectorInst>(i)) {
            unsigned n = cast<FixedVectorType>(mix->getOperand(0)->getType())->getNumElements();
            unsigned m = (unsigned)mix->getMaskValue(k);
            return make(b, mix->getOperand(m >= n), m % n);
        }
        Value *&known = made[{v, k}];
        if (known)
            return known;
        SmallVector<Value *, 3> of;
        for (Value *o : i->operands())
            of.push_back(make(b, o, k));
        Instruction *one = i->clone();
        one->mutateType(i->getType()->getScalarType());
        for (unsigned n = 0; n < of.size(); n++)
            one->setOperand(n, of[n]);
        one->dropUnknownNonDebugMetadata();
        b.Insert(one);
        return made[{v, k}] = one;
    }

    // Elements of vectors that are taken out in the loop, in order.
    SmallVector<ExtractElementInst *, 8> taken()
    {
        SmallVector<ExtractElementInst *, 8> all;
        size_t n = 0;
        for (BasicBlock *b : loop.blocks()) {
            n += b->size();
            for (Instruction &i : *b)
                if (auto *out = dyn_cast<ExtractElementInst>(&i))
                    if (isa<ConstantInt>(out->getIndexOperand()))
                        all.push_back(out);
        }
        if (n > LARGE)
            all.clear();
        return all;
    }

    bool shorten(PHINode &carried, Value *next, ArrayRef<ExtractElementInst *> outs)
    {
        bool changed = false;
        from.clear();
        to.clear();
        forward(carried);
        backward(next);
        for (ExtractElementInst *out : outs) {
            auto *of = dyn_cast<Instruction>(out->getVectorOperand());
            auto k = (unsigned)cast<ConstantInt>(out->getIndexOperand())->getZExtValue();
            ops = 0;
            made.clear();
            if (!to.contains(out) || !of || out->use_empty() || !can(of, k, 0))
                continue;
            IRBuilder<> b(out);
            out->replaceAllUsesWith(make(b, of, k));
            changed = true;
        }
        return changed;
    }
};

// A number of the iteration before, times a constant and so on: x * A + C in the lowest bits.
struct Affine {
    APInt factor, term;
    unsigned low, products = 0;

    explicit Affine(unsigned bits) : factor(bits, 1), term(bits, 0), low(bits)
    {
    }

    // What v is computed from in the loop; nullptr: otherwise than so.
    Value *step(Instruction *i)
    {
        auto *left = i->getNumOperands() == 2 ? dyn_cast<ConstantInt>(i->getOperand(0)) : nullptr;
        auto *right = i->getNumOperands() == 2 ? dyn_cast<ConstantInt>(i->getOperand(1)) : nullptr;
        if (left && !right && i->getOpcode() == Instruction::Sub) {
            term += factor * left->getValue();
            factor.negate();
            return i->getOperand(1);
        }
        if (!right)
            return nullptr;
        const APInt &c = right->getValue();
        switch (i->getOpcode()) {
        case Instruction::Add:
            term += factor * c;
            break;
        case Instruction::Sub:
            term -= factor * c;
            break;
        case Instruction::Mul:
            factor *= c;
            products++;
            break;
        case Instruction::And: // of bits that count all are left
            if (c.countr_one() < low)
                return nullptr;
            break;
        default:
            return nullptr;
        }
        return i->getOperand(0);
    }
};

// Products by constants, one after the other (two steps of a generator of random numbers), are one
// product for whoever waits for the last.
static bool
join_products(const Loop &l, PHINode &p, BasicBlock *latch)
{
    auto *last = dyn_cast<Instruction>(p.getIncomingValueForBlock(latch));
    if (!last || !l.contains(last->getParent()))
        return false;
    Affine a(p.getType()->getIntegerBitWidth());
    Value *v = last;
    auto *mask = last->getOpcode() == Instruction::And ? dyn_cast<ConstantInt>(last->getOperand(1))
                                                       : nullptr;
    if (mask && mask->getValue().isMask()) {
        a.low = mask->getValue().countr_one();
        v = last->getOperand(0);
    }
    while (v != &p) {
        auto *i = dyn_cast<Instruction>(v);
        if (!i || !l.contains(i->getParent()) || !(v = a.step(i)))
            return false;
    }
    if (a.products < 2)
        return false;
    IRBuilder<> b(last);
    Value *r = b.CreateAdd(b.CreateMul(&p, b.getInt(a.factor)), b.getInt(a.term));
    if (mask && mask->getValue().isMask())
        r = b.CreateAnd(r, mask);
    last->replaceAllUsesWith(r);
    return true;
}

struct ScalarChains : PassInfoMixin<ScalarChains> {
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &fam)
    {
        bool changed = false;
        for (Loop *l : fam.getResult<LoopAnalysis>(f).getLoopsInPreorder()) {
            BasicBlock *latch = l->getLoopLatch();
            if (!l->isInnermost() || !latch)
                continue;
            Chains chains(*l);
            auto outs = chains.taken();
            for (PHINode &p : l->getHeader()->phis()) {
                Type *t = p.getType();
                if (!outs.empty() && (t->isIntegerTy() || t->isFloatingPointTy()))
                    changed |= chains.shorten(p, p.getIncomingValueForBlock(latch), outs);
                changed |= t->isIntegerTy() && join_products(*l, p, latch);
            }
        }
        return kept_unless(changed);
    }
};

} // namespace

void
shim_register_chains(PassBuilder &pb)
{
    register_own_pass<ScalarChains>(pb, "scalar-chains");
}
