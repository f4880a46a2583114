// SPDX-License-Identifier: BSD-3-Clause
// LLVM's time for machine code grows faster than a function does. One of thousands of instructions
// is cut: pieces of the body of a loop (or of the function) that have one way in become functions,
// called where they were. What is used in several pieces is passed, and what a piece leaves comes
// back through memory, as it would if a register allocator had to spill it; for pieces of so many
// instructions that is nothing. Of the largest functions, which run at the speed at which
// instructions come from memory, the quick instruction selector takes the pieces that have no
// loop.
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/ADT/PostOrderIterator.h"
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
    if (quick && !has_loop(*made))
        shim_hurry_function(wrap(made));
}

// Inner loops first: what is left of them is small, in a piece of the loop around.
void
cut(Function &f, unsigned piece)
{
    bool quick = f.getInstructionCount() > HUGE;
    auto c = std::make_unique<Cutter>(f, piece);
    SmallVector<BasicBlock *, 16> headers;
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

// Functions of more than `large` instructions.
extern "C" void
shim_cut(LLVMModuleRef m, unsigned large, unsigned piece)
{
    SmallVector<Function *, 8> all;
    for (Function &f : *unwrap(m))
        if (!f.isDeclaration() && !f.hasOptNone() && f.getInstructionCount() > large)
            all.push_back(&f);
    for (Function *f : all)
        cut(*f, piece);
}
