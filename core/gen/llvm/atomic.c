/* SPDX-License-Identifier: BSD-3-Clause
 * Atomic operations and fences of kernels that run on the processor. Takes an IS_ATOMIC, yields an
 * atomicrmw where there is one of its kind, else a loop around a compare-and-swap. */
#include "emit.h"

void
emit_atomic(Gen *g, IrStmt *s)
{
    internal_error(g, s->at, "atomics are not there yet");
}

void
emit_fence(Gen *g, IrStmt *s)
{
    (void)s;
    LLVMBuildFence(g->b, LLVMAtomicOrderingSequentiallyConsistent, false, "");
}
