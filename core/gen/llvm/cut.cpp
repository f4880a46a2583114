// SPDX-License-Identifier: BSD-3-Clause
// LLVM's time for machine code grows faster than a function does. One of thousands of instructions
// is cut: pieces of the body of a loop (or of the function) that have one way in become functions,
// called where they were. What is used in several pieces is passed, and what a piece leaves comes
// back through memory, as it would if a register allocator had to spill it; for pieces of so many
// instructions that is nothing. Of the largest functions, which run at the speed at which
// instructions come from memory, the quick instruction selector takes the pieces that have no
// loop.
// Of one of tens of thousands, whose passes would ask at each place what all places before it
// tell, what stands outside of loops is cut before they run. A piece is told the ranges of the
// integers that it takes over.
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"
#include "llvm-c/Core.h"
#include <memory>

using namespace llvm;

extern "C" void shim_hurry_function(LLVMValueRef function);

namespace
{

enum {
    HUGE = 32000,
    FEW = 16
}; // instructions of a function whose pieces are hurried; uses that the extractor may look at

using Region = SmallVector<BasicBlock *, 0>;

struct Cutter {
    unsigned piece;
    DominatorTree tree;
    LoopInfo loops;
    DenseMap<const DomTreeNode *, unsigned> weight; // instructions in all that the block dominates

    Cutter(Function &f, unsigned piece) : piece(piece), tree(f), loops(tree)
    {
        for (DomTreeNode *n : post_order(&tree)) {
            unsigned w = n->getBlock()->size();
            for (DomTreeNode *c : n->children())
                w += weight.lookup(c);
            weight[n] = w;
        }
    }

    // Of what n dominates in the loop, or function, that which dominates most.
    DomTreeNode *next(DomTreeNode *n, const Loop *l) const
    {
        DomTreeNode *best = nullptr;
        for (DomTreeNode *c : n->children())
            if ((!l || l->contains(c->getBlock())) &&
                (!best || weight.lookup(c) > weight.lookup(best)))
                best = c;
        return best;
    }

    // What a dominates, without what b does.
    Region between(DomTreeNode *a, const DomTreeNode *b) const
    {
        Region r;
        SmallVector<DomTreeNode *, 64> todo{a};
        while (!todo.empty()) {
            DomTreeNode *n = todo.pop_back_val();
            r.push_back(n->getBlock());
            for (DomTreeNode *c : n->children())
                if (c != b)
                    todo.push_back(c);
        }
        return r;
    }

    // Follows what comes after one another in the loop; cuts where it is in no loop inside this
    // one, behind enough.
    void find(const Loop *l, SmallVectorImpl<Region> &found)
    {
        DomTreeNode *n = l ? tree.getNode(l->getHeader()) : tree.getRootNode();
        DomTreeNode *from = nullptr;
        while ((n = next(n, l))) {
            if (loops.getLoopFor(n->getBlock()) != l || (from && weight[from] - weight[n] < piece))
                continue;
            if (from)
                found.push_back(between(from, n));
            from = n;
        }
    }
};

// What is reached from elsewhere too leaves the region, and what is reached from that: the end of
// the function, say, behind a check. Is the front the only way in?
bool
trim(Region &r)
{
    SmallPtrSet<const BasicBlock *, 32> in(r.begin(), r.end());
    SmallVector<const BasicBlock *, 32> todo;
    auto look_at = [&](const BasicBlock *b) {
        if (b != r.front() && in.contains(b) &&
            !all_of(predecessors(b), [&](auto *p) { return in.contains(p); })) {
            in.erase(b);
            todo.push_back(b);
        }
    };
    for (const BasicBlock *b : r)
        look_at(b);
    while (!todo.empty())
        for (const BasicBlock *b : successors(todo.pop_back_val()))
            look_at(b);
    erase_if(r, [&](const BasicBlock *b) { return !in.contains(b); });
    return none_of(predecessors(r.front()), [&](auto *p) { return in.contains(p); });
}

// A piece takes each value over by a copy: the extractor looks at all uses of what goes in,
// wherever they are.
void
name_inputs(const Region &r, BasicBlock *before)
{
    SmallPtrSet<const BasicBlock *, 32> in(r.begin(), r.end());
    DenseMap<Value *, Value *> own;
    for (BasicBlock *b : r)
        for (Instruction &i : *b)
            for (Use &u : i.operands()) {
                auto *from = dyn_cast<Instruction>(u.get());
                bool outside = from ? !in.contains(from->getParent()) : isa<Argument>(u.get());
                if (!outside || isa<PHINode>(i) || isa<AllocaInst>(u.get()) ||
                    !u->hasNUsesOrMore(FEW))
                    continue;
                Value *&v = own[u.get()];
                if (!v)
                    v = CastInst::Create(Instruction::BitCast, u.get(), u->getType(), "",
                                         before->getTerminator()->getIterator());
                u.set(v);
            }
}

bool
has_loop(Function &f)
{
    DominatorTree tree(f);
    return !LoopInfo(tree).empty();
}

// What is known of the integers that a piece is called with, at its only call.
void
tell_ranges(Function &piece)
{
    auto *call = dyn_cast_or_null<CallInst>(piece.getUniqueUndroppableUser());
    for (Argument &a : piece.args()) {
        if (!call || !a.getType()->isIntegerTy())
            continue;
        Value *v = call->getArgOperand(a.getArgNo());
        while (auto *copy = dyn_cast<BitCastInst>(v))
            v = copy->getOperand(0);
        auto *from = dyn_cast<Argument>(v);
        ConstantRange is = computeConstantRange(v, true);
        if (from && from->hasAttribute(Attribute::Range))
            is = from->getAttribute(Attribute::Range).getRange();
        if (!is.isFullSet() && !is.isEmptySet())
            a.addAttr(Attribute::get(piece.getContext(), Attribute::Range, is));
    }
}

void
extract(Region &r, const CodeExtractorAnalysisCache &cache, bool quick)
{
    if (!trim(r))
        return;
    BasicBlock *b = r.front();
    r.front() = b->splitBasicBlock(b->getFirstNonPHIIt()); // what is before it stays outside
    name_inputs(r, b);
    CodeExtractor extractor(r, nullptr, false, nullptr, nullptr, nullptr, false, false, nullptr,
                            "piece");
    Function *made = extractor.isEligible() ? extractor.extractCodeRegion(cache) : nullptr;
    if (!made)
        return;
    made->addFnAttr(Attribute::NoInline);
    tell_ranges(*made);
    if (quick && !has_loop(*made))
        shim_hurry_function(wrap(made));
}

// Inner loops first: what is left of them is small, in a piece of the loop around. `early`: what
// loops have between them only.
void
cut(Function &f, unsigned piece, bool early)
{
    bool quick = !early && f.getInstructionCount() > HUGE;
    auto c = std::make_unique<Cutter>(f, piece);
    SmallVector<BasicBlock *, 16> headers;
    if (!early)
        for (const Loop *l : c->loops.getLoopsInPreorder())
            headers.push_back(l->getHeader());
    headers.insert(headers.begin(), nullptr);
    for (BasicBlock *h : reverse(headers)) {
        SmallVector<Region, 16> found;
        c->find(h ? c->loops.getLoopFor(h) : nullptr, found);
        if (found.empty())
            continue;
        c.reset();
        CodeExtractorAnalysisCache cache(f);
        for (Region &r : found)
            extract(r, cache, quick);
        c = std::make_unique<Cutter>(f, piece);
    }
}

} // namespace

// Instructions of the largest loop that is in no other.
extern "C" unsigned
shim_loop_size(LLVMModuleRef m)
{
    unsigned most = 0;
    for (Function &f : *unwrap(m)) {
        if (f.isDeclaration())
            continue;
        DominatorTree tree(f);
        LoopInfo loops(tree);
        for (const Loop *l : loops) {
            unsigned n = 0;
            for (const BasicBlock *b : l->blocks())
                n += b->size();
            most = std::max(most, n);
        }
    }
    return most;
}

// Functions of more than `large` instructions.
extern "C" void
shim_cut(LLVMModuleRef m, unsigned large, unsigned piece, bool early)
{
    SmallVector<Function *, 8> all;
    for (Function &f : *unwrap(m))
        if (!f.isDeclaration() && !f.hasOptNone() && f.getInstructionCount() > large)
            all.push_back(&f);
    for (Function *f : all)
        cut(*f, piece, early);
}
