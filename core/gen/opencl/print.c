/* SPDX-License-Identifier: BSD-3-Clause
 * print in kernels: the site's format becomes one of printf's, whose output the device's driver
 * hands on when the queue is waited for. Floats have all their digits, since the shortest form that
 * Python writes is more than a kernel should carry. */
#include "gen/opencl/opencl.h"

#define P(...) arena_printf(&g->cx->arena, __VA_ARGS__)

static char *
as_dtype(Cl *g, const IrExpr *e, DType d)
{
    return cl_cast(g, d, (DType)e->dtype, cl_expr(g, e));
}

static void
add(StrBuf *text, StrBuf *args, const char *how, const char *value)
{
    sb_add(text, how);
    sb_addf(args, ", %s", value);
}

/* By the letter after the argument's number, as rt/format.c has them; a complex number is two
 * arguments. */
static bool
add_argument(Cl *g, StrBuf *text, StrBuf *args, char letter, const IrArg *a, int n)
{
    if (n < 1 || !a->e || (letter == 'z' && (n < 2 || !a[1].e)))
        return false;
    switch (letter) {
    case 'b':
        add(text, args, "%s", P("(%s ? \"True\" : \"False\")", as_dtype(g, a->e, DT_bool)));
        break;
    case 'u':
        add(text, args, "%lu", as_dtype(g, a->e, DT_u64));
        break;
    case 'f':
    case 'g':
        add(text, args, letter == 'f' ? "%.9g" : "%.17g", as_dtype(g, a->e, DT_f64));
        break;
    case 'z':
        add(text, args, "(%.17g", as_dtype(g, a[0].e, DT_f64));
        add(text, args, "%+.17gj)", as_dtype(g, a[1].e, DT_f64));
        break;
    default:
        add(text, args, "%ld", as_dtype(g, a->e, DT_i64));
    }
    return true;
}

/* "%0G.2f;" as printf has it; the end of it, or NULL. */
static const char *
add_formatted(Cl *g, StrBuf *text, StrBuf *args, const char *p, const IrArg *a, int n)
{
    NumSpec spec;
    const char *end = numspec_read(&spec, p + 1, ';');
    if (!end || n < 1 || !a->e || !numspec_to_printf(text, &spec, *p, "l"))
        return NULL;
    add(text, args, "", as_dtype(g, a->e, *p == 'G' ? DT_f64 : *p == 'U' ? DT_u64 : DT_i64));
    return end;
}

static void
add_char(StrBuf *text, unsigned char c)
{
    if (c == '"' || c == '\\')
        sb_addf(text, "\\%c", c);
    else if (c < 32 || c >= 127 || c == '?')
        sb_addf(text, "\\%03o", c);
    else
        sb_addf(text, "%c", c);
}

/* "%0d" is argument 0 with its letter; "%%" is a percent sign, for printf, too. */
static bool
read_format(Cl *g, IrStmt *s, StrBuf *text, StrBuf *args)
{
    const char *f = g->m->sites.at[s->site].format;
    for (; f && *f; f++) {
        if (*f == '%' && f[1] >= '0' && f[1] <= '9') {
            int i = f[1] - '0';
            if (f[2] && strchr("DUG", f[2])) {
                f = add_formatted(g, text, args, f + 2, s->args + i, s->n_args - i);
                if (!f)
                    return false;
                continue;
            }
            char letter = f[2] && strchr("dubgfz", f[2]) ? f[2] : 0;
            if (!add_argument(g, text, args, letter, s->args + i, s->n_args - i))
                return false;
            f += letter ? 2 : 1;
        } else if (*f == '%' && f[1] == '[') {
            return false;
        } else if (*f == '%') {
            sb_add(text, "%%");
            f += f[1] == '%';
        } else {
            add_char(text, (unsigned char)*f);
        }
    }
    return true;
}

void
cl_print(Cl *g, IrStmt *s)
{
    StrBuf text = {0}, args = {0};
    if (read_format(g, s, &text, &args))
        cl_line(g, "printf(\"%s\"%s);", text.s ? text.s : "", args.s ? args.s : "");
    else
        cl_refuse(g, s->at, REFUSE_OPENCL_print, NULL, NULL);
    sb_free(&text);
    sb_free(&args);
}
