/* SPDX-License-Identifier: BSD-3-Clause
 * The ids of IrOp, and of what numpy/ adds to them, for those who know rows but not the IR: the
 * table itself, and the functions of sema that several rows share. */
#ifndef SWATHE_OPS_H
#define SWATHE_OPS_H

#define OP(id, n, result, flags) OP_##id,
#define XOP(id) XOP_##id,
enum {
#include "def/op.def"
#include "def/xop.def"
};
#undef OP
#undef XOP
#endif
