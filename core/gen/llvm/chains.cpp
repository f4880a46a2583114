// SPDX-License-Identifier: BSD-3-Clause
// What an iteration hands to the next is computed in registers for numbers. LLVM packs operations
// side by side in vectors by how many instructions that saves, whoever waits for the result: of a
// recurrence whose value goes into a vector and is taken out again each time, the moves take
// longer than all the rest. Here the element that the next iteration waits for is computed once
// more, as a number; the vector stays for whoever wants the others. Its products by constants
// are joined. Of the operands of a sum, or of the least of several numbers, the one that the
// next iteration waits for comes last. And where a variable is seldom set anew, as the place of the
// least element so far, but what it is decides by way of memory whether it is, there is a branch
// again, which the processor foresees.
#include "gen/llvm/own_passes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace
{

enum {
    MOST = 8,
    MOST_FLOATS = 2,
    MOST_ROOTS = 64,
    LARGE = 2000
}; // operations made; instructions of a loop

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

    void look(PHINode &carried, Value *next)
    {
        from.clear();
        to.clear();
        forward(carried);
        backward(next);
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
        look(carried, next);
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

// ---- operands in another order ------------------------------------------------------------------

struct Operands {
    const Chains &chains;
    const PHINode *carried;
    const Instruction *root;
    SmallVector<Value *, 8> leaves = {};
    SmallVector<unsigned, 8> depth = {};

    static Intrinsic::ID named(const Instruction *i)
    {
        auto *call = dyn_cast<IntrinsicInst>(i);
        return call ? call->getIntrinsicID() : Intrinsic::not_intrinsic;
    }

    static bool in_any_order(const Instruction *i)
    {
        switch (named(i)) {
        case Intrinsic::smin:
        case Intrinsic::smax:
        case Intrinsic::umin:
        case Intrinsic::umax:
            return i->getType()->isIntegerTy();
        default:
            return isa<BinaryOperator>(i) && i->isAssociative() && i->isCommutative() &&
                   i->getType()->isIntegerTy();
        }
    }

    static bool alike(const Instruction *x, const Instruction *y)
    {
        return x->getParent() == y->getParent() && x->getOpcode() == y->getOpcode() &&
               named(x) == named(y);
    }

    // i has another of its kind as a part, and is none itself.
    static bool is_root(const Instruction *i)
    {
        auto part = [&](const Value *v) {
            auto *of = dyn_cast<Instruction>(v);
            return of && of->hasOneUse() && alike(of, i);
        };
        if (!in_any_order(i) || (!part(i->getOperand(0)) && !part(i->getOperand(1))))
            return false;
        return !i->hasOneUse() || !alike(i, cast<Instruction>(*i->user_begin()));
    }

    void gather(Value *v, unsigned at)
    {
        auto *i = dyn_cast<Instruction>(v);
        bool in = i && alike(i, root) && (i == root || i->hasOneUse());
        if (!in || at > MOST) {
            leaves.push_back(v);
            depth.push_back(at);
            return;
        }
        gather(i->getOperand(0), at + 1);
        gather(i->getOperand(1), at + 1);
    }

    // Which leaf the next iteration waits for; none: several, or it is the last already.
    Value *awaited() const
    {
        Value *found = nullptr;
        for (unsigned k = 0; k < leaves.size(); k++) {
            auto *i = dyn_cast<Instruction>(leaves[k]);
            if (!i || (i != carried && !chains.from.contains(i)))
                continue;
            if (found || depth[k] == 1)
                return nullptr;
            found = leaves[k];
        }
        return found;
    }
};

static Value *
joined_like(IRBuilder<> &b, const Instruction *root, Value *x, Value *y)
{
    auto *call = dyn_cast<IntrinsicInst>(root);
    return call ? b.CreateBinaryIntrinsic(call->getIntrinsicID(), x, y)
                : b.CreateBinOp((Instruction::BinaryOps)root->getOpcode(), x, y);
}

// x = min(min(x + 1, a), b): of a and b the least is there before x is.
static bool
join_last(const Chains &chains, const PHINode &carried, Instruction *root)
{
    if (!chains.to.contains(root))
        return false;
    Operands o{chains, &carried, root};
    o.gather(root, 0);
    Value *last = o.awaited(), *rest = nullptr;
    if (!last)
        return false;
    IRBuilder<> b(root);
    for (Value *v : o.leaves)
        if (v != last)
            rest = rest ? joined_like(b, root, rest, v) : v;
    root->replaceAllUsesWith(joined_like(b, root, rest, last));
    return true;
}

// ---- branches that are foreseen -----------------------------------------------------------------

enum { SELDOM = 1, MOSTLY = 4000, SELECTS = 4, JOINS = 8 };

// Does v stay p, or become what doesn't hang on it, by selects? They are gathered. Some may be
// behind a branch: if !done[j]: if a[j] < a[least]: least = j
static bool
stays(const Chains &chains, PHINode &p, Value *v, SmallVectorImpl<SelectInst *> &all,
      unsigned &joins)
{
    auto *join = dyn_cast<PHINode>(v);
    if (join && join != &p && chains.inside(join) && chains.loop.isInnermost())
        return join->getParent() != chains.loop.getHeader() && ++joins <= JOINS &&
               all_of(join->incoming_values(),
                      [&](Value *in) { return stays(chains, p, in, all, joins); });
    auto *s = dyn_cast<SelectInst>(v);
    if (!s || !chains.inside(s))
        return v == &p;
    if (all.size() == SELECTS || !s->getCondition()->getType()->isIntegerTy(1))
        return false;
    bool first = s->getTrueValue() == &p, second = s->getFalseValue() == &p;
    Value *other = first ? s->getFalseValue() : s->getTrueValue();
    all.push_back(s);
    if (first == second)
        return false;
    auto *i = dyn_cast<Instruction>(other);
    return !i || !chains.from.contains(i) || stays(chains, p, other, all, joins);
}

// if a[j] < a[least]: least = j
static bool
foresee(Chains &chains, PHINode &p, BasicBlock *latch)
{
    SmallVector<SelectInst *, SELECTS> all;
    unsigned joins = 0;
    Value *next = p.getIncomingValueForBlock(latch);
    if ((!isa<SelectInst>(next) && !isa<PHINode>(next)) || !p.getType()->isIntegerTy())
        return false;
    chains.look(p, next);
    if (none_of(chains.to, [](const Instruction *i) { return isa<LoadInst>(i); }) ||
        !stays(chains, p, next, all, joins) || all.empty())
        return false;
    for (SelectInst *s : all) {
        bool keeps = s->getTrueValue() == &p;
        MDBuilder weights(s->getContext());
        s->setMetadata(LLVMContext::MD_prof, weights.createBranchWeights(keeps ? MOSTLY : SELDOM,
                                                                         keeps ? SELDOM : MOSTLY));
    }
    return true;
}

// ---- products -----------------------------------------------------------------------------------

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

static SmallVector<Instruction *, 8>
roots_in(const Loop &l)
{
    SmallVector<Instruction *, 8> all;
    for (BasicBlock *b : l.blocks())
        for (Instruction &i : *b)
            if (Operands::is_root(&i))
                all.push_back(&i);
    return all;
}

static bool
join_all_last(Chains &chains, PHINode &p, BasicBlock *latch)
{
    bool changed = false;
    chains.look(p, p.getIncomingValueForBlock(latch));
    for (Instruction *root : roots_in(chains.loop))
        changed |= join_last(chains, p, root);
    return changed;
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
            auto n = roots_in(*l).size();
            bool any = n && n < MOST_ROOTS;
            for (PHINode &p : l->getHeader()->phis()) {
                Type *t = p.getType();
                if (!outs.empty() && (t->isIntegerTy() || t->isFloatingPointTy()))
                    changed |= chains.shorten(p, p.getIncomingValueForBlock(latch), outs);
                changed |= t->isIntegerTy() && join_products(*l, p, latch);
                changed |= foresee(chains, p, latch);
                if (t->isIntegerTy() && any)
                    changed |= join_all_last(chains, p, latch);
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
