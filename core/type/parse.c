/* SPDX-License-Identifier: BSD-3-Clause
 * Spellings of types, as in a signature or an annotation -> Type. Takes Numba's
 * spellings, "float64[:,::1]", "f8[:]", "UniTuple(int64, 3)", "Tuple((int64, f4[:]))",
 * "Array(float64, 2, 'C')", "none", and our own ("readonly f8[:]", "float", "int"); every
 * type's own text of those kinds parses back to it. A recursive descent over the
 * characters. */
#include "type/type.h"

#include <ctype.h>
#include <stdlib.h>

typedef struct Parser {
    TypeTable *types;
    const char *s;
    const char *err;
} Parser;

static const Type *parse_type(Parser *p);

static void
skip_space(Parser *p)
{
    while (isspace((unsigned char)*p->s))
        p->s++;
}

static bool
accept(Parser *p, char c)
{
    skip_space(p);
    if (*p->s != c)
        return false;
    p->s++;
    return true;
}

static const Type *
fail(Parser *p, const char *what)
{
    if (!p->err)
        p->err = what;
    return NULL;
}

static bool
expect(Parser *p, char c, const char *what)
{
    return accept(p, c) || (fail(p, what), false);
}

/* A name like `float64` or `<f8`, without `np.`, `numpy.`, `numba.`, `types.` before it.
 */
static bool
parse_name(Parser *p, char out[32])
{
    for (;;) {
        skip_space(p);
        size_t n = 0;
        while (isalnum((unsigned char)p->s[n]) || p->s[n] == '_' ||
               (!n && p->s[n] && strchr("<=|", p->s[n])))
            n++;
        if (n == 0 || n > 31)
            return false;
        memcpy(out, p->s, n);
        out[n] = 0;
        p->s += n;
        if (*p->s != '.')
            return true;
        p->s++;
    }
}

/* After `dtype[`: axes `:` with one `::1` first or last, or `()` for no axes. */
static const Type *
parse_axes(Parser *p, DType d, bool readonly)
{
    static const char *const bad = "expected axes like [:, :], [:, ::1] or [::1, :]";
    int n = 0, unit = -1;
    if (accept(p, '(')) {
        if (!expect(p, ')', bad) || !expect(p, ']', bad))
            return NULL;
        return type_array(p->types, d, 0, LAY_C, readonly);
    }
    do {
        if (!expect(p, ':', bad))
            return NULL;
        if (accept(p, ':')) {
            if (unit >= 0 || !expect(p, '1', bad))
                return fail(p, bad);
            unit = n;
        }
        n++;
    } while (accept(p, ','));
    if (!expect(p, ']', bad) || (unit > 0 && unit != n - 1))
        return fail(p, bad);
    if (n > 16)
        return fail(p, "an array has 16 axes at most");
    Layout l = unit < 0 ? LAY_A : unit == n - 1 ? LAY_C : LAY_F;
    return type_array(p->types, d, n, l, readonly);
}

/* After `Array(`: dtype, ndim, 'C' [, readonly [, aligned=...]] as Numba prints it. */
static const Type *
parse_numba_array(Parser *p)
{
    static const char *const bad = "expected Array(dtype, ndim, 'C')";
    const Type *elem = parse_type(p);
    if (!elem || elem->kind != TY_SCALAR || !expect(p, ',', bad))
        return fail(p, bad);
    long ndim = strtol(p->s, (char **)&p->s, 10);
    if (ndim < 0 || ndim > 16 || !expect(p, ',', bad))
        return fail(p, bad);
    char quote = accept(p, '\'') ? '\'' : '"';
    char l = quote == '"' && !accept(p, '"') ? 0 : *p->s;
    if (!l || !strchr("CFA", l))
        return fail(p, bad);
    p->s++;
    if (!expect(p, quote, bad))
        return NULL;
    bool readonly = accept(p, ',') && (skip_space(p), !strncmp(p->s, "True", 4));
    size_t rest = strcspn(p->s, ")");
    p->s += rest;
    if (!expect(p, ')', bad))
        return NULL;
    return type_array(p->types, (DType)elem->dtype, (int)ndim,
                      l == 'C'   ? LAY_C
                      : l == 'F' ? LAY_F
                                 : LAY_A,
                      readonly);
}

/* After `UniTuple(`: type, count. */
static const Type *
parse_unituple(Parser *p)
{
    static const char *const bad = "expected UniTuple(type, count)";
    const Type *elem = parse_type(p), *all[64];
    if (!elem || !expect(p, ',', bad))
        return fail(p, bad);
    long n = strtol(p->s, (char **)&p->s, 10);
    if (n < 0 || n > SW_LEN(all) || !expect(p, ')', bad))
        return fail(p, bad);
    for (int k = 0; k < n; k++)
        all[k] = elem;
    return type_tuple(p->types, (int)n, all);
}

/* After `Tuple(`: a display of types in parentheses or brackets, or the types themselves.
 */
static const Type *
parse_tuple(Parser *p)
{
    static const char *const bad = "expected Tuple((type, type))";
    const Type *all[64];
    int n = 0;
    char close = accept(p, '(') ? ')' : accept(p, '[') ? ']' : 0;
    skip_space(p);
    while (*p->s != (close ? close : ')')) {
        if (n == SW_LEN(all) || !(all[n++] = parse_type(p)))
            return fail(p, bad);
        if (!accept(p, ','))
            break;
        skip_space(p);
    }
    if ((close && !expect(p, close, bad)) || !expect(p, ')', bad))
        return NULL;
    return type_tuple(p->types, n, all);
}

/* The unit of datetime64[D], which axes may follow; datetime64[:] has none. */
static bool
parse_unit(Parser *p, DType *d)
{
    TimeUnit unit;
    int count;
    if (*p->s != '[' || !isalnum((unsigned char)p->s[1]))
        return true;
    size_t n = strcspn(p->s, "]");
    if (p->s[n] != ']' || !unit_from_text(p->s + 1, n - 1, &unit, &count))
        return fail(p, "no such unit of time") != NULL;
    *d = dtype_of_time(dtype_kind(*d), unit, count);
    if (*d == DT_COUNT)
        return fail(p, "there are too many units of time in one process") != NULL;
    p->s += n + 1;
    return true;
}

static const Type *
parse_scalar(Parser *p, const char *name, bool readonly)
{
    static const struct {
        const char *name;
        DType d;
    } weak[] = {{"bool", DT_bool}, {"int", DT_i64}, {"float", DT_f64}, {"complex", DT_c128}};

    DType d;
    if (!dtype_from_name(name, &d))
        return fail(p, "no such type");
    if (dtype_is_param(d) && !parse_unit(p, &d))
        return NULL;
    if (accept(p, '['))
        return parse_axes(p, d, readonly);
    for (int k = 0; k < SW_LEN(weak); k++)
        if (!strcmp(weak[k].name, name))
            return type_scalar(p->types, weak[k].d, true);
    return type_scalar(p->types, d, false);
}

/* After `optional`: (type) or [type]. */
static const Type *
parse_optional(Parser *p)
{
    static const char *const bad = "expected optional(type)";
    char close = accept(p, '(') ? ')' : accept(p, '[') ? ']' : 0;
    const Type *t = close ? parse_type(p) : NULL;
    if (!t || !expect(p, close, bad))
        return fail(p, bad);
    t = type_join(p->types, type_none(p->types), t);
    return t ? t : fail(p, bad);
}

static const Type *
parse_one(Parser *p)
{
    char name[32];
    if (!parse_name(p, name))
        return fail(p, "expected the name of a type");
    bool readonly = !strcmp(name, "readonly");
    if (readonly && !parse_name(p, name))
        return fail(p, "expected an array type after readonly");
    if (!strcmp(name, "none") || !strcmp(name, "void") || !strcmp(name, "None"))
        return type_none(p->types);
    if (!strcmp(name, "Array") && accept(p, '('))
        return parse_numba_array(p);
    if (!strcmp(name, "UniTuple") && accept(p, '('))
        return parse_unituple(p);
    if (!strcmp(name, "Tuple") && accept(p, '('))
        return parse_tuple(p);
    if (!strcmp(name, "optional") || !strcmp(name, "Optional"))
        return parse_optional(p);
    return parse_scalar(p, name, readonly);
}

/* `float64 | None` is what `optional(float64)` is. */
static const Type *
parse_type(Parser *p)
{
    const Type *t = parse_one(p);
    while (t && accept(p, '|')) {
        const Type *other = parse_one(p);
        bool none = other && (t->kind == TY_NONE || other->kind == TY_NONE);
        t = none ? type_join(p->types, t, other) : NULL;
        if (!t)
            return fail(p, "of types joined by `|` one must be None");
    }
    return t;
}

const Type *
type_parse(TypeTable *t, const char *text, const char **err)
{
    Parser p = {.types = t, .s = text};
    const Type *out = parse_type(&p);
    skip_space(&p);
    if (out && *p.s)
        out = fail(&p, "unexpected text after the type");
    if (!out && err)
        *err = p.err ? p.err : "bad spelling of a type";
    return out;
}
