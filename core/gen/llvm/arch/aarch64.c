/* SPDX-License-Identifier: BSD-3-Clause
 * LLVM's code generator for AArch64: linked where it is for this machine, and into
 * libswathe_cross.so. */
#include "gen/llvm/emit.h"
#include <llvm-c/Target.h>

void
target_init_aarch64(void)
{
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
}
