/* SPDX-License-Identifier: BSD-3-Clause
 * The tables that op.def, stmt.def and rt.def expand into, and the dtype of an operation's
 * result. */
#include "ir/ir.h"

#define COMMUTES OPF_COMMUTES
#define LIBM OPF_LIBM
#define VECTOR OPF_VECTOR
#define COMPARES OPF_COMPARES
#define ORDERS OPF_ORDERS
#define COSTLY OPF_COSTLY
#define PARTIAL OPF_PARTIAL
#define OP(id, n, result, flags) {#id, n, OR_##result, flags},
const OpInfo op_info[OP_COUNT] = {
#include "def/op.def"
};
#undef OP

/* as the rows call them */
#define DEFINES ST_DEFINES
#define DEFINES_OUTS ST_DEFINES_OUTS
#define ENDS ST_ENDS
#define ALLOCATES ST_ALLOCATES
#define LOOKS ST_LOOKS
#define KEEPS_VAR ST_KEEPS_VAR
#define WRITES_VAR ST_WRITES_VAR
#define WRITES_BASE ST_WRITES_BASE
#define READS_BASE ST_READS_BASE
#define READS_ARGS ST_READS_ARGS
#define NAMES_VAR ST_NAMES_VAR
#define NAMES_BASE ST_NAMES_BASE
#define GIVES_ARGS ST_GIVES_ARGS
#define PRE ST_PRE
#define BODY ST_BODY
#define HANDLERS ST_HANDLERS
#define ELS ST_ELS
#define REPEATS ST_REPEATS
#define LEAVES ST_LEAVES
#define BREAKS ST_BREAKS
#define RETURNS ST_RETURNS
#define RAISES ST_RAISES
#define CHECKS ST_CHECKS
#define CALLS ST_CALLS
#define WAITS ST_WAITS
#define SAYS ST_SAYS
#define PURE ST_PURE
#define FLAT ST_FLAT
#define KERNEL ST_KERNEL
#define FAILS_HERE ST_FAILS
#define STMT(ID, form, traits) {#ID, form, traits},
const StmtInfo stmt_info[IS_COUNT] = {
#include "def/stmt.def"
};
#undef STMT

#undef PURE
#define PURE RTF_PURE
#define FAILS RTF_FAILS
#define READS RTF_READS
#define WRITES RTF_WRITES
#define QUIET RTF_QUIET
#define RT(id, ret, params, traits) {#id, traits},
const RtInfo rt_info[RT_COUNT] = {
#include "def/rt.def"
};
#undef RT

IrOp
op_mirrored(IrOp op)
{
    switch (op) {
    case OP_lt:
        return OP_gt;
    case OP_le:
        return OP_ge;
    case OP_gt:
        return OP_lt;
    case OP_ge:
        return OP_le;
    default:
        return op;
    }
}

DType
op_result(IrOp op, DType a0, DType a1)
{
    switch (op_info[op].result) {
    case OR_SAME:
        return a0;
    case OR_BOOL:
        return DT_bool;
    case OR_REAL:
        return dtype_real(a0);
    case OR_COMPLEX:
        return dtype_complex(a0);
    case OR_INT:
        return DT_i32;
    case OR_LONG:
        return DT_i64;
    case OR_ARG1:
        return a1;
    }
    return a0;
}
