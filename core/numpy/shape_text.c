/* SPDX-License-Identifier: BSD-3-Clause
 * Shapes in messages: "(3,%0)", where a size that is known only at run time is one of the four
 * numbers that an error carries; those beyond four are a question mark. */
#include "numpy/internal.h"
#include <stdio.h>

void
shapes_add(Shapes *s, const char *text)
{
    size_t len = strlen(s->text);
    snprintf(s->text + len, sizeof s->text - len, "%s", text);
}

void
shapes_add_dims(Shapes *s, int n, IrExpr *const *dims)
{
    char one[32];
    shapes_add(s, "(");
    for (int i = 0; i < n; i++) {
        const char *sep = n == 1 || i + 1 < n ? "," : "";
        int64_t k;
        if (ir_is_const(dims[i], &k)) {
            snprintf(one, sizeof one, "%lld%s", (long long)k, sep);
        } else if (s->n < SW_LEN(s->arg)) {
            snprintf(one, sizeof one, "%%%d%s", s->n, sep);
            s->arg[s->n++] = dims[i];
        } else {
            snprintf(one, sizeof one, "?%s", sep);
        }
        shapes_add(s, one);
    }
    shapes_add(s, ")");
}

void
shapes_add_val(IrBuilder *b, Shapes *s, const Val *v)
{
    IrExpr *dims[SW_MAX_NDIM];
    int n = val_ndim(v);
    for (int i = 0; i < n; i++)
        dims[i] = val_dim(b, v, i);
    shapes_add_dims(s, n, dims);
}
