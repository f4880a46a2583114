// SPDX-License-Identifier: BSD-3-Clause
// Eight bytes under a mask are to AVX-512 a vector of sixteen, whose mask must be clear above the
// eight. LLVM (19 at least) writes that as KMOVB from one mask register to another, which it takes
// for a copy: short of mask registers, it spills what was there before, and eight more bytes are
// stored wherever those bits happen to be set. So the mask is cleared here, by an instruction that
// LLVM sees nothing in.
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

#include "llvm-c/Core.h"

using namespace llvm;

extern "C" void shim_clear_byte_masks(LLVMModuleRef m);

namespace
{

enum { LANES = 8, WIDE = 16 };

Value *
wide_mask(IRBuilder<> &b, Value *mask)
{
    Value *bits = b.CreateZExt(b.CreateBitCast(mask, b.getInt8Ty()), b.getInt32Ty());
    bits = b.CreateIntrinsic(b.getInt32Ty(), Intrinsic::x86_bmi_bzhi_32, {bits, b.getInt32(LANES)});
    return b.CreateBitCast(b.CreateTrunc(bits, b.getInt16Ty()),
                           FixedVectorType::get(b.getInt1Ty(), WIDE));
}

// The first n of its lanes, and nothing known above them.
Value *
resized(IRBuilder<> &b, Value *v, unsigned n)
{
    SmallVector<int, WIDE> lane;
    for (unsigned i = 0; i < n; i++)
        lane.push_back(i < LANES ? (int)i : -1);
    return b.CreateShuffleVector(v, lane);
}

void
widen(CallInst *c)
{
    IRBuilder<> b(c);
    bool stores = c->getIntrinsicID() == Intrinsic::masked_store;
    Value *at = c->getArgOperand(stores ? 1 : 0), *mask = c->getArgOperand(stores ? 3 : 2);
    Align align =
        cast<ConstantInt>(c->getArgOperand(stores ? 2 : 1))->getMaybeAlignValue().valueOrOne();
    if (isa<Constant>(mask))
        return;
    CallInst *wide;
    if (stores) {
        wide = b.CreateMaskedStore(resized(b, c->getArgOperand(0), WIDE), at, align,
                                   wide_mask(b, mask));
    } else {
        Value *other = resized(b, c->getArgOperand(3), WIDE);
        wide = b.CreateMaskedLoad(other->getType(), at, align, wide_mask(b, mask), other);
        c->replaceAllUsesWith(resized(b, wide, LANES));
    }
    wide->copyMetadata(*c);
    c->eraseFromParent();
}

} // namespace

void
shim_clear_byte_masks(LLVMModuleRef m)
{
    for (const char *name : {"llvm.masked.store.v8i8.p0", "llvm.masked.load.v8i8.p0"})
        if (Function *f = unwrap(m)->getFunction(name))
            for (User *u : make_early_inc_range(f->users()))
                if (auto *c = dyn_cast<CallInst>(u))
                    widen(c);
}
