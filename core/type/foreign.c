/* SPDX-License-Identifier: BSD-3-Clause
 * Signatures of functions of other languages: result(parameters), in Numba's spelling. A pointer,
 * however it is written, is an array in C order: what is passed is where its elements begin. */
#include "type/type.h"

static const char *
trimmed(Arena *a, const char *s, size_t n)
{
    while (n && *s == ' ')
        s++, n--;
    while (n && s[n - 1] == ' ')
        n--;
    return arena_printf(a, "%.*s", (int)n, s);
}

static const Type *
pointer_to(TypeTable *t, Arena *a, const char *item, size_t n, const char **err)
{
    const Type *e = type_parse(t, trimmed(a, item, n), err);
    if (e && e->kind != TY_SCALAR)
        *err = "pointers are to numbers";
    return e && e->kind == TY_SCALAR && !dtype_is_param((DType)e->dtype)
               ? type_array(t, (DType)e->dtype, 1, LAY_C, false)
               : NULL;
}

static const Type *
one_type(TypeTable *t, Arena *a, const char *s, size_t n, const char **err)
{
    const char *text = trimmed(a, s, n);
    size_t len = strlen(text);
    if (!strcmp(text, "void") || !strcmp(text, "none") || !strcmp(text, "None"))
        return type_none(t);
    if (len && text[len - 1] == '*')
        return pointer_to(t, a, text, len - 1, err);
    if (!strncmp(text, "CPointer(", 9) && text[len - 1] == ')')
        return pointer_to(t, a, text + 9, len - 10, err);
    return type_parse(t, text, err);
}

static bool
passable(const Type *p, const char **err)
{
    bool number = p->kind == TY_SCALAR && !dtype_is_param((DType)p->dtype) &&
                  !dtype_is_complex((DType)p->dtype) && p->dtype != DT_f16;
    if (!number && p->kind != TY_ARRAY)
        *err = "numbers (but complex and float16 ones) and arrays can be passed";
    return number || p->kind == TY_ARRAY;
}

bool
type_parse_foreign(TypeTable *t, Arena *a, const char *text, ForeignSig *out, const char **err)
{
    const char *open = strchr(text, '('), *end = text + strlen(text);
    while (end > text && end[-1] == ' ')
        end--;
    *err = "it is written result(parameters)";
    *out = (ForeignSig){0};
    if (!open || end - 1 <= open || end[-1] != ')')
        return false;
    out->ret = one_type(t, a, text, (size_t)(open - text), err);
    if (!out->ret ||
        (out->ret->kind != TY_NONE && (out->ret->kind != TY_SCALAR || !passable(out->ret, err))))
        return false;
    const char *from = open + 1;
    int depth = 0;
    for (const char *s = from; s < end; s++) {
        depth += (*s == '(' || *s == '[') - (*s == ')' || *s == ']');
        bool last = s == end - 1;
        if (!last && !(*s == ',' && depth == 0))
            continue;
        if (last && out->n == 0 && !*trimmed(a, from, (size_t)(s - from)))
            break;
        const Type *p =
            out->n < SW_LEN(out->param) ? one_type(t, a, from, (size_t)(s - from), err) : NULL;
        if (!p || !passable(p, err))
            return false;
        out->param[out->n++] = p;
        from = s + 1;
    }
    return true;
}
