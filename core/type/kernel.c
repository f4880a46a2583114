/* SPDX-License-Identifier: BSD-3-Clause
 * The rows of def/kernel.def, and what they say of each parameter: see there. */
#include "type/builtin.h"

static const KernelRow rows[] = {
#define KERNEL(id_, params, how_, dtypes_)                                                         \
    {.id = BI_kernel_##id_, .name = #id_, .how = how_, .dtypes = dtypes_},
#include "def/kernel.def"
};

const KernelRow *
kernel_row(int id)
{
    return &rows[id - BI_KERNELS];
}

const KernelRow *
kernel_named(const char *name)
{
    for (int i = 0; i < SW_LEN(rows); i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

int
kernel_n_params(const KernelRow *k)
{
    return builtin_params[k->id].n;
}

bool
kernel_draws(const KernelRow *k)
{
    return !strncmp(k->dtypes, "DRAWS", 5);
}

DType
kernel_result(const KernelRow *k)
{
    const char *mark = strchr(k->how, '>');
    for (int d = 0; mark && d < DT_COUNT; d++)
        if (!strcmp(mark + 1, dtype_info[d].name))
            return (DType)d;
    return DT_COUNT;
}

bool
kernel_takes(const KernelRow *k, DType d)
{
    const char *name = dtype_info[d].name;
    size_t n = strlen(name);
    if (!strcmp(k->dtypes, "any"))
        return true;
    for (const char *p = k->dtypes; *p; p += strcspn(p, " "), p += *p == ' ')
        if (strcspn(p, " ") == n && !memcmp(p, name, n))
            return true;
    return false;
}

KernelParam
kernel_param(const KernelRow *k, int i)
{
    KernelParam r = {.dtype = DT_COUNT};
    const char *p = k->how;
    for (; i > 0; i--)
        p += strcspn(p, " ") + 1;
    const char *end = p + strcspn(p, " ");
    r.is_array = *p != 'n';
    for (; p < end && *p != '(' && *p != ':'; p++) {
        r.reads |= *p == 'r';
        r.writes |= *p == 'w';
    }
    for (; p < end && *p != ')' && *p != ':'; p++)
        if (*p >= 'a' && *p <= 'z')
            r.size[r.core++] = *p;
    const char *colon = memchr(p, ':', (size_t)(end - p));
    for (int d = 0; colon && d < DT_COUNT; d++) {
        size_t n = strlen(dtype_info[d].name);
        if ((size_t)(end - colon - 1) == n && !memcmp(colon + 1, dtype_info[d].name, n))
            r.dtype = (DType)d;
    }
    return r;
}
