/* SPDX-License-Identifier: BSD-3-Clause
 * Symbols of functions of other languages, "swx:KEY:TAG:NAME". KEY says where the processor's code finds the function
 * (rt/link.c). TAG, "DEVICES_HASH", tells functions of one name apart: "o" is among its letters when there is OpenCL C
 * of the function, "c" when there is something for CUDA, "p" when it is Python. The text for a device calls it by
 * both, and is put together with what defines it later, outside of the compiler. */
#include "ir/ir.h"
#include "type/builtin.h"

#include <string.h>

const KernelRow *
ir_kernel(const IrFunc *f)
{
    size_t n = strlen(KERNEL_PREFIX);
    return f->foreign && !strncmp(f->foreign, KERNEL_PREFIX, n) ? kernel_named(f->foreign + n) : NULL;
}

static const char *
tag_of(const IrFunc *f)
{
    const char *tag = strncmp(f->foreign, FOREIGN_PREFIX, strlen(FOREIGN_PREFIX)) ? NULL : strchr(f->foreign + strlen(FOREIGN_PREFIX), ':');
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
