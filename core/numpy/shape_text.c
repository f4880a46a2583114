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

/* As NumPy writes it: sizes below 0, which are given, left out at the front, then "newaxis". */
void
shapes_add_dims(Shapes *s, int n, IrExpr *const *dims)
{
    char one[32];
    bool first = true;
    int most = s->most ? s->most : SW_LEN(s->arg);
    shapes_add(s, "(");
    for (int i = 0; i < n; i++) {
        int64_t k = 0;
        bool known = ir_is_const(dims[i], &k);
        if (k < 0 && first)
            continue;
        if (known && k < 0)
            snprintf(one, sizeof one, "newaxis");
        else if (known)
            snprintf(one, sizeof one, "%lld", (long long)k);
        else if (s->n < most)
            snprintf(one, sizeof one, "%%%d", s->n);
        else
            snprintf(one, sizeof one, "?");
        if (!known && s->n < most)
            s->arg[s->n++] = dims[i];
        shapes_add(s, first ? "" : ",");
        shapes_add(s, one);
        first = false;
    }
    shapes_add(s, n == 1 && !first ? ",)" : ")");
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
