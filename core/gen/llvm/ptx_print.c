/* SPDX-License-Identifier: BSD-3-Clause
 * print in kernels: the site's format as printf has it, and the values in a buffer on the stack, 8
 * bytes each, for the device's vprintf. The driver writes what was printed to the process's output
 * when a queue is waited for. Floats are written with all their digits, since the shortest form
 * that Python writes is more than a kernel should carry. */
#include "emit.h"

typedef struct Line {
    StrBuf text;
    LV values[32];
    int n;
} Line;

static LV
constant_text(Gen *g, const char *s, size_t n)
{
    LV bytes = LLVMConstStringInContext2(g->c, s, n, false);
    LV global = LLVMAddGlobalInAddressSpace(g->mod, LLVMTypeOf(bytes), "text", 1);
    LLVMSetInitializer(global, bytes);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(global, true);
    return LLVMConstAddrSpaceCast(global, g->ptr);
}

static void
add_value(Line *l, const char *how, LV v)
{
    sb_add(&l->text, how);
    l->values[l->n++] = v;
}

static LV
as_dtype(Gen *g, const IrExpr *e, DType d)
{
    return emit_cast(g, d, (DType)e->dtype, emit_expr(g, e)).v;
}

/* By the letter after the argument's number, as rt/format.c has them; a complex number is two
 * arguments. */
static bool
add_argument(Gen *g, Line *l, char letter, IrArg *a, int n)
{
    if (n < 1 || !a->e || (letter == 'z' && (n < 2 || !a[1].e)) || l->n + 2 > SW_LEN(l->values))
        return false;
    switch (letter) {
    case 'b':
        add_value(l, "%s",
                  LLVMBuildSelect(g->b, as_dtype(g, a->e, DT_bool), constant_text(g, "True", 4),
                                  constant_text(g, "False", 5), ""));
        break;
    case 'u':
        add_value(l, "%llu", as_dtype(g, a->e, DT_u64));
        break;
    case 'f':
    case 'g':
        add_value(l, letter == 'f' ? "%.9g" : "%.17g", as_dtype(g, a->e, DT_f64));
        break;
    case 'z':
        add_value(l, "(%.17g", as_dtype(g, a[0].e, DT_f64));
        add_value(l, "%+.17gj)", as_dtype(g, a[1].e, DT_f64));
        break;
    default:
        add_value(l, "%lld", as_dtype(g, a->e, DT_i64));
    }
    return true;
}

/* "%0G.2f;" as printf has it; the end of it, or NULL. */
static const char *
add_formatted(Gen *g, Line *l, const char *p, IrArg *a, int n)
{
    NumSpec spec;
    const char *end = numspec_read(&spec, p + 1, ';');
    if (!end || n < 1 || !a->e || l->n + 1 > SW_LEN(l->values) ||
        !numspec_to_printf(&l->text, &spec, *p, "ll"))
        return NULL;
    add_value(l, "", as_dtype(g, a->e, *p == 'G' ? DT_f64 : *p == 'U' ? DT_u64 : DT_i64));
    return end;
}

/* "%0d" is argument 0 with its letter; "%%" is a percent sign, for printf, too. */
static bool
read_format(Gen *g, IrStmt *s, Line *l)
{
    const char *f = g->m->sites.at[s->site].format;
    for (; f && *f; f++) {
        if (*f != '%' || f[1] < '0' || f[1] > '9') {
            bool percent = *f == '%';
            if (percent && f[1] == '[')
                return false;
            sb_addn(&l->text, percent ? "%%" : f, percent ? 2 : 1);
            f += percent && f[1] == '%';
            continue;
        }
        int i = f[1] - '0';
        if (f[2] && strchr("DUG", f[2])) {
            f = add_formatted(g, l, f + 2, s->args + i, s->n_args - i);
            if (!f)
                return false;
            continue;
        }
        char letter = f[2] && strchr("dubgfz", f[2]) ? f[2] : 0;
        if (!add_argument(g, l, letter, s->args + i, s->n_args - i))
            return false;
        f += letter ? 2 : 1;
    }
    return true;
}

void
ptx_print(Gen *g, IrStmt *s)
{
    Line l = {.n = 0};
    if (!read_format(g, s, &l)) {
        gen_refuse(g->cx, s->at, REFUSE_PTX_print, NULL, NULL);
        sb_free(&l.text);
        return;
    }
    LV area = new_slot(g, LLVMArrayType2(g->i64, l.n ? (uint64_t)l.n : 1), "print");
    for (int i = 0; i < l.n; i++)
        put(g, l.values[i], field(g, area, 8 * i));
    LLVMTypeRef params[2] = {g->ptr, g->ptr}, t = LLVMFunctionType(g->i32, params, 2, false);
    LV fn = LLVMGetNamedFunction(g->mod, "vprintf");
    if (!fn)
        fn = LLVMAddFunction(g->mod, "vprintf", t);
    LV args[2] = {constant_text(g, l.text.s, l.text.n), area};
    LLVMBuildCall2(g->b, t, fn, args, 2, "");
    sb_free(&l.text);
}
