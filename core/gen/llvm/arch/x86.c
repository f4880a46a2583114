/* SPDX-License-Identifier: BSD-3-Clause
 * LLVM's code generator for x86: linked where it is for this machine, and into
 * libswathe_cross.so. */
#include "gen/llvm/emit.h"
#include <llvm-c/Target.h>

void
target_init_x86(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
}
