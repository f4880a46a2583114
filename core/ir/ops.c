/* SPDX-License-Identifier: BSD-3-Clause
 * The tables that op.def, stmt.def and rt.def expand into, and the dtype of an operation's result. */
#include "ir/ir.h"

#define COMMUTES OPF_COMMUTES
#define LIBM OPF_LIBM
#define VECTOR OPF_VECTOR
#define ASSOCIATES OPF_ASSOCIATES
#define COMPARES OPF_COMPARES
#define ORDERS OPF_ORDERS
#define COSTLY OPF_COSTLY
#define CHECKED OPF_CHECKED
#define PARTIAL OPF_PARTIAL
#define OP(id, n, result, flags) {#id, n, OR_##result, flags},
const OpInfo op_info[OP_COUNT] = {
#include "def/op.def"
};
#undef OP

enum { /* as the rows call them */
    DEFINES = ST_DEFINES,
    DEFINES_OUTS = ST_DEFINES_OUTS,
    ENDS = ST_ENDS,
    ALLOCATES = ST_ALLOCATES,
    LOOKS = ST_LOOKS,
    WRITES_VAR = ST_WRITES_VAR,
    WRITES_BASE = ST_WRITES_BASE,
    READS_BASE = ST_READS_BASE,
    READS_ARGS = ST_READS_ARGS,
    NAMES_VAR = ST_NAMES_VAR,
    NAMES_BASE = ST_NAMES_BASE,
    GIVES_ARGS = ST_GIVES_ARGS,
    PRE = ST_PRE,
    BODY = ST_BODY,
    HANDLERS = ST_HANDLERS,
    ELS = ST_ELS,
    REPEATS = ST_REPEATS,
    LEAVES = ST_LEAVES,
    BREAKS = ST_BREAKS,
    RETURNS = ST_RETURNS,
    RAISES = ST_RAISES,
    CHECKS = ST_CHECKS,
    CALLS = ST_CALLS,
    WAITS = ST_WAITS,
    SAYS = ST_SAYS,
    PURE = ST_PURE,
    FLAT = ST_FLAT,
    KERNEL = ST_KERNEL,
};
#define STMT(ID, traits) {#ID, traits},
const StmtInfo stmt_info[IS_COUNT] = {
#include "def/stmt.def"
};
#undef STMT

#define RT(id, ret, params, fails) #id,
const char *const rt_name[RT_COUNT] = {
#include "def/rt.def"
};
#undef RT

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
    case OR_ARG1:
        return a1;
    }
    return a0;
}
