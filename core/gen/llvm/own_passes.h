// SPDX-License-Identifier: BSD-3-Clause
// What LLVM passes of our own share: they are over functions and leave the control flow as it is;
// pipeline.c asks for them by their names.
#ifndef SWATHE_OWN_PASSES_H
#define SWATHE_OWN_PASSES_H
#include "llvm/Passes/PassBuilder.h"

template <class Pass>
void
register_own_pass(llvm::PassBuilder &pb, const char *its)
{
    pb.registerPipelineParsingCallback([its](llvm::StringRef name, llvm::FunctionPassManager &fpm,
                                             llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
        if (name != its)
            return false;
        fpm.addPass(Pass());
        return true;
    });
}

inline llvm::PreservedAnalyses
kept_unless(bool changed)
{
    if (!changed)
        return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
}

#endif
