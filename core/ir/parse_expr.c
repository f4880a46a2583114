/* SPDX-License-Identifier: BSD-3-Clause
 * Reads names, types and expressions of the IR's text form. Nothing is folded. */
#include "ir/parse.h"

#include <stdlib.h>

/* ---- types, names ------------------------------------------------------------------------- */

DType
read_dtype(Parser *p)
{
    DType d = DT_i64;
    Sym s = lex_word(&p->lx);
    if (!dtype_from_id(s, &d))
        lex_fail(&p->lx, "'%s' is no dtype", s);
    return d;
}

/* f64, f64[:,::1]; makes a variable that `mod` knows or, for results, does not. */
IrVar *
read_type(Parser *p, const char *name, IrFunc *f)
{
    DType d = read_dtype(p);
    int nd = 0, one_at = -1;
    if (!lex_take(&p->lx, "["))
        return ir_var(f, name, d);
    while (!lex_take(&p->lx, "]")) {
        lex_take(&p->lx, ",");
        lex_need(&p->lx, ":");
        if (lex_take(&p->lx, ":")) {
            if (lex_int(&p->lx) != 1)
                lex_fail(&p->lx, "expected ::1");
            one_at = nd;
        }
        nd++;
    }
    Layout l = one_at < 0 ? LAY_A : one_at == nd - 1 ? LAY_C : LAY_F;
    IrVar *v = ir_array_var(f, name, d, nd, l);
    if (lex_take(&p->lx, "ref"))
        v->obj = lex_string(&p->lx, NULL);
    if (v->obj && lex_take(&p->lx, "holds"))
        v->holds = lex_string(&p->lx, NULL);
    return v;
}

static void
read_likely(Parser *p, IrVar *v)
{
    lex_need(&p->lx, "(");
    for (int i = 0; i < v->ndim; i++) {
        if (i)
            lex_need(&p->lx, ",");
        int64_t n = lex_int(&p->lx);
        if (n < 0 || n > IR_SHORT_AXIS)
            lex_fail(&p->lx, "a likely size is at most %d", IR_SHORT_AXIS);
        ir_set_likely(v, i, (int)n);
    }
    lex_need(&p->lx, ")");
}

void
read_var_flags(Parser *p, IrVar *v)
{
    for (;;) {
        if (lex_take(&p->lx, "readonly"))
            v->readonly = true;
        else if (lex_take(&p->lx, "borrowed"))
            v->owned = false;
        else if (lex_take(&p->lx, "noalias"))
            v->noalias = true;
        else if (lex_take(&p->lx, "likely"))
            read_likely(p, v);
        else if (lex_take(&p->lx, "shared"))
            v->space = SPACE_SHARED;
        else if (lex_take(&p->lx, "local"))
            v->space = SPACE_LOCAL;
        else
            return;
    }
}

IrVar *
find_var(Parser *p, Sym name)
{
    return map_get(&p->vars, name);
}

IrVar *
read_var(Parser *p)
{
    Sym name = lex_word(&p->lx);
    IrVar *v = find_var(p, name);
    if (!v)
        lex_fail(&p->lx, "unknown variable '%s'", name);
    return v;
}

IrVar *
read_array(Parser *p)
{
    IrVar *v = read_var(p);
    if (!v->is_array)
        lex_fail(&p->lx, "'%s' is no array", v->name);
    return v;
}

/* ---- expressions ---------------------------------------------------------------------------- */

int
read_list(Parser *p, const char *open, const char *close, IrExpr **out, int max)
{
    int n = 0;
    lex_need(&p->lx, open);
    while (!lex_take(&p->lx, close)) {
        if (n)
            lex_need(&p->lx, ",");
        if (n == max)
            lex_fail(&p->lx, "too many expressions in a list");
        out[n++] = read_expr(p);
    }
    return n;
}

static IrExpr *
read_complex(Parser *p)
{
    lex_need(&p->lx, "(");
    double re = lex_float(&p->lx);
    lex_need(&p->lx, ",");
    double im = lex_float(&p->lx);
    lex_need(&p->lx, ")");
    lex_need(&p->lx, ":");
    DType d = read_dtype(p);
    if (!dtype_is_complex(d))
        lex_fail(&p->lx, "%s is not complex", dtype_info[d].id);
    return ir_complex(p->cx, d, re, im);
}

static IrExpr *
read_number(Parser *p)
{
    bool is_int = lex_at_int(&p->lx);
    int64_t i = is_int ? lex_int(&p->lx) : 0;
    double x = is_int ? (double)i : lex_float(&p->lx);
    DType d = is_int ? DT_i64 : DT_f64;
    if (lex_take(&p->lx, ":"))
        d = read_dtype(p);
    return dtype_is_float(d) ? ir_float(p->cx, d, x) : ir_int(p->cx, d, i);
}

static bool
find_op(Sym name, IrOp *op)
{
    for (int i = 0; i < OP_COUNT; i++) {
        if (*op_info[i].name == *name && strcmp(op_info[i].name, name) == 0) {
            *op = (IrOp)i;
            return true;
        }
    }
    return false;
}

static IrExpr *
read_dim(Parser *p, bool stride)
{
    lex_need(&p->lx, "(");
    IrVar *v = read_array(p);
    lex_need(&p->lx, ",");
    int axis = (int)lex_int(&p->lx);
    lex_need(&p->lx, ")");
    if (axis < 0 || axis >= v->ndim)
        lex_fail(&p->lx, "'%s' has no axis %d", v->name, axis);
    return stride ? ir_stride(p->cx, v, axis) : ir_dim(p->cx, v, axis);
}

static IrExpr *
read_cast(Parser *p, DType d)
{
    IrExpr *a[1];
    bool any = lex_take(&p->lx, "~");
    if (read_list(p, "(", ")", a, 1) != 1)
        lex_fail(&p->lx, "a cast takes one operand");
    IrExpr *e = ir_raw_cast(p->cx, d, a[0]);
    e->flags = any ? IXF_ANY : 0;
    return e;
}

static IrExpr *
read_call_like(Parser *p, Sym name)
{
    IrExpr *a[3];
    IrOp op;
    DType d;
    if (strcmp(name, "dim") == 0 || strcmp(name, "stride") == 0)
        return read_dim(p, name[0] == 's');
    if (dtype_from_id(name, &d))
        return read_cast(p, d);
    if (!find_op(name, &op))
        lex_fail(&p->lx, "unknown operation '%s'", name);
    int flags = lex_take(&p->lx, "~") ? IXF_REASSOC : 0;
    flags |= lex_take(&p->lx, "!") ? IXF_FAST : 0;
    flags |= lex_take(&p->lx, "^") ? IXF_STRICT : 0;
    flags |= lex_take(&p->lx, "&") ? IXF_EXACT : 0;
    if (read_list(p, "(", ")", a, 3) != op_info[op].n)
        lex_fail(&p->lx, "%s takes %d operands", name, op_info[op].n);
    IrExpr *e = ir_raw_op(p->cx, op, a);
    e->flags = (uint8_t)flags;
    return e;
}

static IrExpr *
read_load(Parser *p, IrVar *v)
{
    IrExpr *idx[32];
    if (!v->is_array)
        lex_fail(&p->lx, "'%s' is no array", v->name);
    int n = read_list(p, "[", "]", idx, 32);
    return ir_load(p->cx, v, n, idx);
}

IrExpr *
read_expr(Parser *p)
{
    lex_deeper(&p->lx, 1);
    IrExpr *e;
    if (lex_at(&p->lx, "(")) {
        e = read_complex(p);
    } else if (lex_at_number(&p->lx)) {
        e = read_number(p);
    } else {
        Sym name = lex_word(&p->lx);
        bool indexed = lex_touches(&p->lx, '[');
        IrVar *v;
        if (lex_at(&p->lx, "(") || lex_at(&p->lx, "~") || lex_at(&p->lx, "!") ||
            lex_at(&p->lx, "^") || lex_at(&p->lx, "&"))
            e = read_call_like(p, name);
        else if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)
            e = ir_int(p->cx, DT_bool, name[0] == 't');
        else if ((e = read_geo(p, name)))
            ;
        else if (!(v = find_var(p, name)))
            lex_fail(&p->lx, "unknown variable '%s'", name);
        else
            e = indexed ? read_load(p, v) : ir_use(p->cx, v);
    }
    lex_deeper(&p->lx, -1);
    return e;
}
