/* SPDX-License-Identifier: BSD-3-Clause
 * Symbols of functions of other languages, "swx:KEY:TAG:NAME". KEY says where the processor's code
 * finds the function (rt/link.c). TAG, "DEVICES_HASH", tells functions of one name apart: "o" is
 * among its letters when there is OpenCL C of the function, "c" when there is something for CUDA.
 * The text for a device calls it by both, and is put together with what
 * defines it later, outside of the compiler. */
#include "ir/ir.h"
#include "type/builtin.h"

#include <stdlib.h>
#include <string.h>

const KernelRow *
ir_kernel(const IrFunc *f)
{
    return ir_is_kernel(f) ? kernel_named(f->foreign + strlen(KERNEL_PREFIX)) : NULL;
}

bool
ir_kernel_fits(const IrFunc *f)
{
    const KernelRow *row = ir_kernel(f);
    if (!row || f->n_params != kernel_n_params(row) || f->n_results != 1 || f->results[0]->is_array)
        return false;
    if (f->results[0]->dtype != (kernel_result(row) == DT_COUNT ? DT_i64 : kernel_result(row)))
        return false;
    DType of = (DType)f->vars.at[0]->dtype;
    for (int i = 0; i < f->n_params; i++) {
        KernelParam p = kernel_param(row, i);
        const IrVar *v = f->vars.at[i];
        if (v->is_array != p.is_array || v->obj ||
            v->dtype != (!p.is_array           ? DT_i64
                         : p.dtype == DT_COUNT ? of
                                               : p.dtype))
            return false;
    }
    return !f->vars.at[0]->is_array || kernel_takes(row, of);
}

bool
ir_kernel_call_fits(const IrStmt *s)
{
    const KernelRow *row = ir_kernel(s->func);
    if (!row)
        return true; /* which is said of the function */
    int outer = s->args[0].arr ? s->args[0].arr->ndim - kernel_param(row, 0).core : 0;
    for (int i = 0; outer >= 0 && i < s->n_args; i++)
        if (s->args[i].arr && s->args[i].arr->ndim - kernel_param(row, i).core != outer)
            return false;
    return outer >= 0;
}

int
ir_upcall(const IrFunc *f)
{
    size_t n = strlen(UPCALL_PREFIX);
    return f->foreign && !strncmp(f->foreign, UPCALL_PREFIX, n) ? atoi(f->foreign + n) : -1;
}

const IrStmt *
ir_find_upcall(const IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == IS_CALL && s->func && ir_summary(s->func)->python)
            return s;
        const IrStmt *found = NULL;
        for (int i = 0, n = ir_blocks(s, sub); i < n && !found; i++)
            found = ir_find_upcall(sub[i]);
        if (found)
            return found;
    }
    return NULL;
}

static const char *
tag_of(const IrFunc *f)
{
    const char *tag = strncmp(f->foreign, FOREIGN_PREFIX, strlen(FOREIGN_PREFIX))
                          ? NULL
                          : strchr(f->foreign + strlen(FOREIGN_PREFIX), ':');
    return tag ? tag + 1 : ":";
}

const char *
ir_foreign_for_device(Arena *a, const IrFunc *f)
{
    const char *tag = tag_of(f), *name = strrchr(f->foreign, ':') + 1;
    int n = (int)strcspn(tag, ":");
    return n ? arena_printf(a, "%s" FOREIGN_MARK "%.*s", name, n, tag) : name;
}

bool
ir_foreign_is_for(const IrFunc *f, char device)
{
    const char *tag = tag_of(f);
    return memchr(tag, device, strcspn(tag, "_:")) != NULL;
}

bool
ir_foreign_has_host(const IrFunc *f)
{
    return f->foreign[strlen(FOREIGN_PREFIX)] != ':';
}
