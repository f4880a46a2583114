// SPDX-License-Identifier: BSD-3-Clause
// A Python int has 64 bits and an np.int32 32, but what is computed from pixels fits in 16 or 31,
// and a vector has four times or twice as many of those. Inside of loops, operations on elements
// of at most 16 bits and constants are done in so few bits, where the ranges of operands and known
// bits say that results fit; and so is what is cut to an element of which only these bits are
// asked. Indices stay as they are: no loop's variable is such an element.
#include "gen/llvm/own_passes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace
{

enum { DEPTH = 12 }; // of an expression that is cut

struct Small {
    Value *v =
        nullptr; // of 16 bits where the range allows it, else of 32; no value: it may not fit
    int64_t lo = 0, hi = 0;

    bool positive() const
    {
        return lo >= 0;
    }

    bool is16() const
    {
        return v->getType()->isIntegerTy(16);
    }
};

bool
fits32(int64_t lo, int64_t hi)
{
    return lo >= INT32_MIN && hi <= INT32_MAX;
}

// As a number without a sign, or with one.
bool
fits16(int64_t lo, int64_t hi)
{
    return lo >= 0 ? hi <= UINT16_MAX : lo >= INT16_MIN && hi <= INT16_MAX;
}

struct Narrow {
    const DataLayout &layout;
    LoopInfo &loops;
    DenseMap<const Value *, Small> known;
    DenseMap<const Value *, Value *> wider; // of 16 bits -> the same of 32
    bool changed = false;

    Narrow(const DataLayout &l, LoopInfo &li) : layout(l), loops(li)
    {
    }

    Small constant(IRBuilder<> &b, const APInt &c)
    {
        if (c.getSignificantBits() > 32)
            return {};
        int64_t n = c.getSExtValue();
        Type *t = fits16(n, n) ? b.getInt16Ty() : b.getInt32Ty();
        return {ConstantInt::get(t, (uint64_t)n), n, n};
    }

    // What is known of v, and whether that is no constant.
    Small find(IRBuilder<> &b, Value *v, bool &any)
    {
        if (auto *c = dyn_cast<ConstantInt>(v))
            return constant(b, c->getValue());
        any = true;
        auto done = known.find(v);
        if (done != known.end()) {
            Small &x = done->second;
            if (!x.is16() && fits16(x.lo, x.hi))
                x.v = IRBuilder<>(llvm::cast<Instruction>(v)->getNextNode())
                          .CreateTrunc(v, b.getInt16Ty());
            return x;
        }
        auto *wide = dyn_cast<CastInst>(v);
        if (!wide || !isa<ZExtInst, SExtInst>(wide) || !wide->getSrcTy()->isIntegerTy() ||
            wide->getSrcTy()->getIntegerBitWidth() > 16)
            return {};
        IRBuilder<> at(wide);
        int64_t n = (int64_t)1 << wide->getSrcTy()->getIntegerBitWidth();
        Value *from = wide->getOperand(0);
        Small r = isa<ZExtInst>(wide)
                      ? Small{at.CreateZExt(from, b.getInt16Ty()), 0, n - 1}
                      : Small{at.CreateSExt(from, b.getInt16Ty()), -n / 2, n / 2 - 1};
        return known[v] = r;
    }

    Value *in32(IRBuilder<> &b, const Small &x)
    {
        if (!x.is16())
            return x.v;
        if (isa<Constant>(x.v))
            return ConstantInt::get(b.getInt32Ty(), (uint64_t)x.lo);
        Value *&to = wider[x.v];
        if (!to) {
            auto *from = llvm::cast<Instruction>(x.v);
            IRBuilder<> at(isa<PHINode>(from) ? &*from->getParent()->getFirstInsertionPt()
                                              : from->getNextNode());
            to = x.positive() ? at.CreateZExt(from, b.getInt32Ty())
                              : at.CreateSExt(from, b.getInt32Ty());
        }
        return to;
    }

    // r, of 32 or 16 bits, is what i is.
    void replace(Instruction &i, Value *r, int64_t lo, int64_t hi)
    {
        IRBuilder<> b(&i);
        if (!r->getType()->isIntegerTy(16) && fits16(lo, hi))
            r = b.CreateTrunc(r, b.getInt16Ty());
        Value *wide = lo >= 0 ? b.CreateZExt(r, i.getType()) : b.CreateSExt(r, i.getType());
        known[&i] = known[wide] = {r, lo, hi};
        i.replaceAllUsesWith(wide);
        changed = true;
    }

    // i, of 32 bits, stays as it is until it is asked for in 16.
    void keep(Instruction &i, int64_t lo, int64_t hi)
    {
        known[&i] = {&i, lo, hi};
    }

    // Of no more bits than it need have.
    bool is_small(const Value *v) const
    {
        auto done = known.find(v);
        return done != known.end() && done->second.v != v;
    }

    static bool is32(const Value &v)
    {
        return v.getType()->isIntegerTy(32);
    }

    // The range of an operation, false: it isn't known. Of operands below 2**31 nothing here wraps.
    bool range(const Instruction &i, const Small &x, const Small &y, int64_t &lo, int64_t &hi)
    {
        lo = INT64_MIN, hi = INT64_MAX;
        switch (i.getOpcode()) {
        case Instruction::Add:
            lo = x.lo + y.lo, hi = x.hi + y.hi;
            break;
        case Instruction::Sub:
            lo = x.lo - y.hi, hi = x.hi - y.lo;
            break;
        case Instruction::Mul: {
            int64_t p[4] = {x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi};
            lo = *std::min_element(p, p + 4), hi = *std::max_element(p, p + 4);
            break;
        }
        case Instruction::Shl:
            lo = x.lo * ((int64_t)1 << y.lo), hi = x.hi * ((int64_t)1 << y.lo);
            break;
        case Instruction::AShr:
            lo = x.lo >> y.lo, hi = x.hi >> y.lo;
            break;
        case Instruction::LShr:
        case Instruction::UDiv:
        case Instruction::URem:
        case Instruction::SDiv:
        case Instruction::SRem:
            if (!x.positive() || !y.positive())
                return false;
            lo = 0, hi = x.hi;
            break;
        default: /* of bits */
            if (x.positive() && y.positive())
                lo = 0;
            else if (fits16(x.lo, x.hi) && fits16(y.lo, y.hi))
                lo = INT32_MIN, hi = INT32_MAX;
            break;
        }
        if (is32(i) && is_modular(i.getOpcode()) && lo != INT64_MIN && !fits32(lo, hi))
            return false; /* it may wrap */
        KnownBits bits = computeKnownBits(&i, layout);
        if (bits.isNonNegative()) {
            unsigned n = bits.countMaxActiveBits();
            lo = std::max<int64_t>(lo, 0);
            hi = n < 63 ? std::min(hi, ((int64_t)1 << n) - 1) : hi;
        }
        return lo <= hi && fits32(lo, hi);
    }

    // One that needs all bits of its operands, and not only as many as its result has: the same for
    // numbers with a sign, or without.
    static unsigned exact(unsigned op, bool positive)
    {
        switch (op) {
        case Instruction::AShr:
            return positive ? Instruction::LShr : Instruction::AShr;
        case Instruction::SDiv:
            return Instruction::UDiv;
        case Instruction::SRem:
            return Instruction::URem;
        default:
            return op;
        }
    }

    static bool is_modular(unsigned op)
    {
        return op == Instruction::Add || op == Instruction::Sub || op == Instruction::Mul ||
               op == Instruction::And || op == Instruction::Or || op == Instruction::Xor ||
               op == Instruction::Shl;
    }

    // Do 16 bits mean the same of both?
    static bool are_alike(const Small &x, const Small &y)
    {
        return x.is16() && y.is16() &&
               ((x.positive() && y.positive()) || (x.hi <= INT16_MAX && y.hi <= INT16_MAX));
    }

    void binary(BinaryOperator &i)
    {
        unsigned op = i.getOpcode();
        bool shift = i.isShift();
        auto *by = dyn_cast<ConstantInt>(i.getOperand(1));
        if (shift && (!by || by->getValue().uge(16)))
            return;
        IRBuilder<> b(&i);
        bool any = false;
        Small x = find(b, i.getOperand(0), any), y = x.v ? find(b, i.getOperand(1), any) : x;
        int64_t lo, hi;
        if (!y.v || !any || !range(i, x, y, lo, hi))
            return;
        bool modular = is_modular(op), half = x.is16() && y.is16() && fits16(lo, hi);
        bool positive = x.positive() && y.positive();
        half = half && (modular || are_alike(x, y));
        if (is32(i) && !half)
            return keep(i, lo, hi);
        auto to = (Instruction::BinaryOps)exact(op, positive);
        replace(i, half ? b.CreateBinOp(to, x.v, y.v) : b.CreateBinOp(to, in32(b, x), in32(b, y)),
                lo, hi);
    }

    void compare(ICmpInst &i)
    {
        IRBuilder<> b(&i);
        bool any = false;
        Small x = find(b, i.getOperand(0), any), y = x.v ? find(b, i.getOperand(1), any) : x;
        if (!y.v || !any)
            return;
        bool half = are_alike(x, y), positive = x.positive() && y.positive();
        if ((i.isUnsigned() && !positive) || (!half && is32(*i.getOperand(0))))
            return;
        auto how = positive ? i.getUnsignedPredicate() : i.getPredicate();
        i.replaceAllUsesWith(b.CreateICmp(how, half ? x.v : in32(b, x), half ? y.v : in32(b, y)));
        changed = true;
    }

    void choice(SelectInst &i)
    {
        IRBuilder<> b(&i);
        bool any = false;
        Small x = find(b, i.getTrueValue(), any), y = x.v ? find(b, i.getFalseValue(), any) : x;
        if (!y.v || !any || !i.getCondition()->getType()->isIntegerTy(1))
            return;
        bool half = are_alike(x, y);
        if (is32(i) && !half)
            return keep(i, std::min(x.lo, y.lo), std::max(x.hi, y.hi));
        replace(i,
                b.CreateSelect(i.getCondition(), half ? x.v : in32(b, x), half ? y.v : in32(b, y)),
                std::min(x.lo, y.lo), std::max(x.hi, y.hi));
    }

    void extreme(MinMaxIntrinsic &i)
    {
        IRBuilder<> b(&i);
        bool any = false;
        Small x = find(b, i.getLHS(), any), y = x.v ? find(b, i.getRHS(), any) : x;
        bool positive = y.v && x.positive() && y.positive();
        if (!y.v || !any || (!i.isSigned() && !positive))
            return;
        bool half = are_alike(x, y);
        bool least = i.getIntrinsicID() == Intrinsic::smin || i.getIntrinsicID() == Intrinsic::umin;
        Intrinsic::ID id = least      ? positive ? Intrinsic::umin : Intrinsic::smin
                           : positive ? Intrinsic::umax
                                      : Intrinsic::smax;
        int64_t lo = least ? std::min(x.lo, y.lo) : std::max(x.lo, y.lo);
        int64_t hi = least ? std::min(x.hi, y.hi) : std::max(x.hi, y.hi);
        if (is32(i) && !half)
            return keep(i, lo, hi);
        Value *r = b.CreateBinaryIntrinsic(id, half ? x.v : in32(b, x), half ? y.v : in32(b, y));
        replace(i, r, lo, hi);
    }

    void absolute(IntrinsicInst &i)
    {
        IRBuilder<> b(&i);
        bool any = false;
        Small x = find(b, i.getArgOperand(0), any);
        if (!x.v || !any || x.lo == INT32_MIN || x.lo == INT16_MIN ||
            (x.is16() && x.hi > INT16_MAX) || (is32(i) && !x.is16()))
            return;
        Value *r = b.CreateBinaryIntrinsic(Intrinsic::abs, x.v, b.getFalse());
        replace(i, r, 0, std::max(-x.lo, x.hi));
    }

    // ---- what is cut: its low bits ask for the low bits of operands only

    bool can_cut(Value *v, const Loop *in, unsigned depth, bool &any)
    {
        if (isa<ConstantInt>(v) || in->isLoopInvariant(v))
            return true;
        if (is_small(v))
            return any = true;
        auto *i = dyn_cast<Instruction>(v);
        if (!i || depth == 0)
            return false;
        if (auto *c = dyn_cast<CastInst>(i))
            return any = isa<ZExtInst, SExtInst>(c) && c->getSrcTy()->isIntegerTy() &&
                         c->getSrcTy()->getIntegerBitWidth() <= 16;
        auto *by = is_modular(i->getOpcode()) ? dyn_cast<ConstantInt>(i->getOperand(1)) : nullptr;
        return is_modular(i->getOpcode()) && i->hasOneUse() &&
               (i->getOpcode() != Instruction::Shl || (by && by->getValue().ult(16))) &&
               can_cut(i->getOperand(0), in, depth - 1, any) &&
               can_cut(i->getOperand(1), in, depth - 1, any);
    }

    Value *cut(IRBuilder<> &b, Value *v, const Loop *in, Type *t)
    {
        auto *i = dyn_cast<Instruction>(v);
        if (auto *c = dyn_cast<ConstantInt>(v))
            return ConstantInt::get(t, c->getValue().trunc(t->getIntegerBitWidth()));
        if (!i || in->isLoopInvariant(v) || !isa<BinaryOperator>(i) || is_small(v))
            return b.CreateTrunc(v, t);
        IRBuilder<> at(i);
        Value *x = cut(at, i->getOperand(0), in, t);
        Value *y = cut(at, i->getOperand(1), in, t);
        return at.CreateBinOp((Instruction::BinaryOps)i->getOpcode(), x, y);
    }

    // An element of bits in the middle: (...) >> 8.
    bool cut_middle(TruncInst &i)
    {
        auto *shift = dyn_cast<BinaryOperator>(i.getOperand(0));
        unsigned n = i.getType()->getIntegerBitWidth();
        const Loop *in = loops.getLoopFor(i.getParent());
        bool any = false;
        if (!shift || !shift->hasOneUse() ||
            (shift->getOpcode() != Instruction::AShr && shift->getOpcode() != Instruction::LShr))
            return false;
        auto *by = dyn_cast<ConstantInt>(shift->getOperand(1));
        if (!by || by->getValue().ugt(32 - n) || !can_cut(shift->getOperand(0), in, DEPTH, any) ||
            !any || is_small(shift->getOperand(0)))
            return false;
        unsigned left = (unsigned)by->getZExtValue();
        IRBuilder<> b(&i);
        Type *t = left + n <= 16 ? b.getInt16Ty() : b.getInt32Ty();
        if (t == shift->getType())
            return false;
        Value *x = cut(b, shift->getOperand(0), in, t);
        i.replaceAllUsesWith(b.CreateTrunc(b.CreateLShr(x, left), i.getType()));
        return changed = true;
    }

    void cast(CastInst &i)
    {
        IRBuilder<> b(&i);
        bool any = false;
        unsigned op = i.getOpcode();
        bool number = op == Instruction::SIToFP || op == Instruction::UIToFP;
        bool cuts = op == Instruction::Trunc && i.getType()->getIntegerBitWidth() <= 32;
        bool element = cuts && i.getType()->getIntegerBitWidth() <= 16;
        if (element && is32(*i.getOperand(0)) && cut_middle(llvm::cast<TruncInst>(i)))
            return;
        Small x = number || cuts ? find(b, i.getOperand(0), any) : Small{};
        if (!x.v && element)
            cut_middle(llvm::cast<TruncInst>(i));
        if (!x.v || !any || (op == Instruction::UIToFP && !x.positive()) ||
            (is32(*i.getOperand(0)) && !x.is16()))
            return;
        Value *r = number                         ? b.CreateSIToFP(in32(b, x), i.getType())
                   : i.getType()->isIntegerTy(32) ? in32(b, x)
                                                  : b.CreateTrunc(x.v, i.getType());
        i.replaceAllUsesWith(r);
        changed = true;
    }

    void visit(Instruction &i)
    {
        auto wide = [](const Value *v) { return v->getType()->isIntegerTy(64) || is32(*v); };
        auto *call = dyn_cast<IntrinsicInst>(&i);
        if (auto *op = dyn_cast<BinaryOperator>(&i); op && wide(op))
            binary(*op);
        else if (auto *test = dyn_cast<ICmpInst>(&i); test && wide(test->getOperand(0)))
            compare(*test);
        else if (auto *one = dyn_cast<SelectInst>(&i); one && wide(one))
            choice(*one);
        else if (auto *end = dyn_cast<MinMaxIntrinsic>(&i); end && wide(end))
            extreme(*end);
        else if (call && call->getIntrinsicID() == Intrinsic::abs && wide(call))
            absolute(*call);
        else if (auto *to = dyn_cast<CastInst>(&i); to && wide(to->getOperand(0)))
            cast(*to);
    }
};

struct NarrowIntegers : PassInfoMixin<NarrowIntegers> {
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &fam)
    {
        LoopInfo &loops = fam.getResult<LoopAnalysis>(f);
        Narrow n(f.getParent()->getDataLayout(), loops);
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
