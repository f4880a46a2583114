/* SPDX-License-Identifier: BSD-3-Clause
 * The texts of types, as messages and signatures show them. */
#include "type/type.h"

static void
add_elems(StrBuf *b, const Type *t)
{
    for (int k = 0; k < t->n; k++)
        sb_addf(b, "%s%s", k ? ", " : "", t->elems[k]->text);
}

static void
tuple_text(StrBuf *b, const Type *t, const char *cls)
{
    if (t->kind == TY_KEYED) {
        sb_add(b, "{");
        for (int k = 0; k < t->n; k++)
            sb_addf(b, "%s'%s': %s", k ? ", " : "", t->names[k], t->elems[k]->text);
        sb_add(b, "}");
        return;
    }
    if (t->names) {
        sb_addf(b, "%s(", cls ? cls : "namedtuple");
        for (int k = 0; k < t->n; k++)
            sb_addf(b, "%s%s: %s", k ? ", " : "", t->names[k], t->elems[k]->text);
        sb_add(b, ")");
        return;
    }
    bool uniform = t->n > 1;
    for (int k = 1; k < t->n; k++)
        uniform &= t->elems[k] == t->elems[0];
    if (uniform) {
        sb_addf(b, "%s(%s, %d)", t->listed ? "UniList" : "UniTuple", t->elems[0]->text, t->n);
        return;
    }
    sb_add(b, t->listed ? "List((" : "Tuple((");
    add_elems(b, t);
    sb_add(b, t->n == 1 ? ",))" : "))");
}

static void
array_text(StrBuf *b, const Type *t)
{
    sb_addf(b, "%s%s[", t->readonly ? "readonly " : "", dtype_info[t->dtype].name);
    if (t->ndim == 0)
        sb_add(b, "()");
    for (int k = 0; k < t->ndim; k++) {
        bool unit = (t->layout == LAY_C && k == t->ndim - 1) || (t->layout == LAY_F && k == 0);
        sb_addf(b, "%s:%s", k ? "," : "", unit ? ":1" : "");
    }
    sb_add(b, "]");
}

static const char *
scalar_text(const Type *t)
{
    static const char *const weak[] = {"bool", "int", "int", "float", "complex"};
    if (t->mixed)
        return t->ref ? "int or a member of an IntEnum" : "int or bool";
    if (t->weak)
        return weak[dtype_kind(t->dtype)];
    return t->dtype == DT_bool ? "bool_" : dtype_info[t->dtype].name;
}

static void
dtype_text(StrBuf *b, const Type *t)
{
    Type s = {.kind = TY_SCALAR, .dtype = t->dtype, .weak = t->weak};
    sb_addf(b, "type %s%s", t->weak ? "" : "np.", scalar_text(&s));
}

const char *
type_kind_text(TypeKind k)
{
    switch (k) {
    case TY_UNKNOWN:
        return "unknown";
    case TY_NONE:
        return "none";
    case TY_STR:
    case TY_TEXT:
        return "str";
    case TY_FUNC:
    case TY_CHOICE:
    case TY_BUILTIN:
        return "function";
    case TY_CLASS:
        return "class";
    case TY_MODULE:
        return "module";
    case TY_SLICE:
        return "slice";
    case TY_RANGE:
        return "range";
    case TY_ITER:
        return "iterator";
    case TY_EXC:
        return "exception";
    case TY_ELLIPSIS:
        return "ellipsis";
    case TY_LIST:
        return "list";
    case TY_EITHER:
    case TY_OPTIONAL:
    case TY_SCALAR:
    case TY_ARRAY:
    case TY_TUPLE:
    case TY_KEYED:
    case TY_RECORD:
    case TY_DTYPE:
    case TY_REF:
    case TY_OBJ:
        break;
    }
    return "?";
}

char *
type_make_text(Arena *a, const Type *t, const char *hint)
{
    StrBuf b = {0};
    if (t->kind == TY_SCALAR)
        sb_add(&b, t->names ? hint : scalar_text(t));
    else if (t->kind == TY_ARRAY)
        array_text(&b, t);
    else if (t->kind == TY_OPTIONAL)
        sb_addf(&b, "optional(%s)", t->elems[1]->text);
    else if (t->kind == TY_TEXT)
        sb_add(&b, type_is_bytes(t) ? "bytes" : type_kind_text(t->kind));
    else if (t->kind == TY_EITHER)
        for (int k = 0; k < t->n; k++)
            sb_addf(&b, "%s%s", k ? " or " : "", t->elems[k]->elems[1]->text);
    else if (type_has_parts(t) && t->kind != TY_RANGE && t->kind != TY_CHOICE)
        tuple_text(&b, t, hint);
    else if (t->kind == TY_DTYPE)
        dtype_text(&b, t);
    else if (type_heap_has(t, HEAP_PACKED))
        sb_add(&b, ((const HeapClass *)t->ref)->name);
    else if (t->kind == TY_REF) {
        sb_addf(&b, "%s[", ((const HeapClass *)t->ref)->name);
        add_elems(&b, t);
        sb_add(&b, "]");
    } else if (hint)
        sb_add(&b, hint);
    else if (t->n && (t->kind == TY_LIST || t->kind == TY_ITER || t->kind == TY_SLICE)) {
        sb_addf(&b, "%s(", type_kind_text(t->kind));
        add_elems(&b, t);
        sb_add(&b, ")");
    } else
        sb_add(&b, type_kind_text(t->kind));
    return sb_keep(&b, a);
}
