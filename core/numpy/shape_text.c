/* SPDX-License-Identifier: BSD-3-Clause
 * Shapes in messages: "(3,%0)", where a size that is known only at run time is one of the four
 * numbers that an error carries. Up to four sizes have a number each, more are packed into them, as
 * many bits for each as there are; one that is too large for its bits, and those beyond sixteen,
 * are a question mark. */
#include "numpy/internal.h"
#include <stdio.h>

enum { SLOTS = 4, SHAPES_SIZE = 1 };

void
shapes_add(Shapes *s, const char *text)
{
    size_t len = strlen(s->text);
    snprintf(s->text + len, sizeof s->text - len, "%s", text);
}

void
shapes_add_size(Shapes *s, IrExpr *size)
{
    int64_t k;
    char text[32] = "?";
    if (ir_is_const(size, &k))
        snprintf(text, sizeof text, "%lld", (long long)k);
    else if (s->n < SW_LEN(s->size)) {
        snprintf(text, sizeof text, "%c", SHAPES_SIZE);
        s->size[s->n++] = size;
    }
    shapes_add(s, text);
}

/* As NumPy writes it: sizes below 0, which are given, left out at the front, then "newaxis". */
void
shapes_add_dims(Shapes *s, int n, IrExpr *const *dims)
{
    bool first = true;
    shapes_add(s, "(");
    for (int i = 0; i < n; i++) {
        int64_t k = 0;
        bool known = ir_is_const(dims[i], &k);
        if (k < 0 && first)
            continue;
        shapes_add(s, first ? "" : ",");
        if (known && k < 0)
            shapes_add(s, "newaxis");
        else
            shapes_add_size(s, dims[i]);
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

void
shapes_add_var(IrBuilder *b, Shapes *s, IrVar *arr)
{
    IrExpr *dims[SW_MAX_NDIM];
    for (int i = 0; i < arr->ndim; i++)
        dims[i] = ir_dim(b->cx, arr, i);
    shapes_add_dims(s, arr->ndim, dims);
}

/* `n` sizes in one number, from its lowest bits on; all bits set where one has no room. */
static IrExpr *
packed(IrBuilder *b, int n, int bits, IrExpr *const *size)
{
    IrExpr *e = NULL;
    int64_t most = (int64_t)((1ull << bits) - 1);
    for (int i = 0; i < n; i++) {
        IrExpr *x = np_op2(b, OP_min, np_cp(b, size[i]), np_int(b, most));
        x = i ? np_op2(b, OP_shl, x, np_int(b, i * bits)) : x;
        e = e ? np_op2(b, OP_or, e, x) : x;
    }
    return e;
}

void
shapes_check(IrBuilder *b, IrExpr *ok, const Shapes *s)
{
    int per = (s->n + SLOTS - 1) / SLOTS, bits = per ? 64 / per : 64, k = 0;
    IrExpr *arg[SLOTS];
    int n_args = 0;
    StrBuf text = {0};
    for (const char *p = s->text; *p; p++) {
        if (*p != SHAPES_SIZE) {
            sb_addn(&text, p, 1);
            continue;
        }
        if (per == 1)
            sb_addf(&text, "%%%d", k);
        else
            sb_addf(&text, "%%%dP%d.%d;", k / per, k % per * bits, bits);
        k++;
    }
    for (int i = 0; i < s->n; i += per) {
        int n = s->n - i < per ? s->n - i : per;
        arg[n_args++] = per == 1 ? np_cp(b, s->size[i]) : packed(b, n, bits, &s->size[i]);
    }
    np_checkf(b, ok, s->exc ? s->exc : "ValueError", sb_keep(&text, &b->cx->arena), n_args, arg);
}
