/* SPDX-License-Identifier: BSD-3-Clause
 * The tables that op.def and rt.def expand into, and the dtype of an operation's result. */
#include "ir/ir.h"

#define COMMUTES OPF_COMMUTES
#define LIBM OPF_LIBM
#define VECTOR OPF_VECTOR
#define OP(id, n, result, flags) {#id, n, OR_##result, flags},
const OpInfo op_info[OP_COUNT] = {
#include "def/op.def"
};
#undef OP

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
