/* SPDX-License-Identifier: BSD-3-Clause
 * Strings as values. One that is known when the function is compiled is its constant for as long as
 * it can be, since options are such; it becomes a TY_TEXT where a value is asked for. What is done
 * with one is a function of swathe/lib/str.py: a method by its name, operators and comparisons by
 * helpers, which lowering calls. */
#include "sema/calls.h"

static bool made_joined(Sema *s, const Node *e);

/* ---- values ---------------------------------------------------------------------------------- */

/* v, which e is, as a value. What is no string stays as it is. */
Sem
text_value(Sema *s, const Node *e, Sem v)
{
    if (v.type->kind != TY_STR || !e)
        return v;
    if (!v.cst && !v.type->ref)
        return text_made(s, e, v);
    v = (Sem){type_text(s->tt), v.cst ? v.cst : v.type->ref};
    sema_set(s, e, v);
    return v;
}

/* v, which the argument at is, as what lasts. The text that a call is known to return is a value,
 * for the call may have effects, and a constant has none. */
Sem
text_passed(Sema *s, const Node *at, Sem v)
{
    v = at ? heap_value(s, at, v) : v;
    if (at && v.type->kind == TY_STR && !v.cst)
        return sem_of(text_value(s, at, v).type);
    return v;
}

enum { HAS_STR = 1, HAS_BYTES = 2 };

static int
texts_inside(const Type *t)
{
    int found = type_is_str(t) ? HAS_STR : type_is_bytes(t) ? HAS_BYTES : 0;
    bool parts =
        type_has_elements(t) || t->kind == TY_LIST || t->kind == TY_ITER || t->kind == TY_KEYED;
    for (int i = 0; parts && t->kind != TY_REF && i < t->n; i++)
        found |= texts_inside(t->elems[i]);
    return found;
}

/* A helper of one or two values of type t, or of one and a second. */
static void
help_of(Sema *s, const Node *at, const char *name, int n, const Type *t, const Type *second)
{
    const Type *types[2] = {t, second ? second : t};
    heap_help(s, at, name, n, types);
}

static void
help(Sema *s, const Node *at, const char *name, int n, const Type *second)
{
    help_of(s, at, name, n, type_text(s->tt), second);
}

/* An object keeps it, in memory of its own. */
void
text_kept(Sema *s, const Node *at, const Type *t)
{
    int kinds = texts_inside(t);
    if (kinds & HAS_STR)
        help(s, at, "_str_own", 1, NULL);
    if (kinds & HAS_BYTES)
        help_of(s, at, "_str_own", 1, type_bytes(s->tt), NULL);
}

/* ---- operators ------------------------------------------------------------------------------- */

static bool
is_known(Sem v)
{
    return v.type->kind == TY_STR && v.cst;
}

/* type NULL: neither is bytes. */
static Sem
bytes_binop(Sema *s, const Node *at, int op, Sem a, Sem b)
{
    bool left = type_is_bytes(a.type), right = type_is_bytes(b.type);
    const Type *t = type_bytes(s->tt), *by = left ? b.type : a.type;
    if ((!left && !right) || sem_bad(a) || sem_bad(b))
        return left || right ? sema_unknown(s) : (Sem){0};
    if (op == B_ADD && left && right) {
        help_of(s, at, "_str_add", 2, t, NULL);
        return sem_of(t);
    }
    if (op == B_MUL && left != right && is_int_type(by) && by->kind == TY_SCALAR) {
        help_of(s, at, "_str_mul", 2, t, type_scalar(s->tt, DT_i64, true));
        return sem_of(t);
    }
    if (op == B_MOD && left)
        sema_error(s, DIAG_unsupported, at, "%% of bytes is not supported");
    else
        return sema_bad_operands(s, at, op, operator_text(s, at, op), a.type, b.type);
    return sema_unknown(s);
}

/* type NULL: neither is a string. */
Sem
text_binop(Sema *s, const Node *at, int op, Sem a, Sem b)
{
    Sem bytes = bytes_binop(s, at, op, a, b);
    if (bytes.type)
        return bytes;
    bool left = type_is_str(a.type), right = type_is_str(b.type);
    if ((!left && !right) || (is_known(a) && is_known(b) && op == B_ADD))
        return (Sem){0};
    const Node *an = at->kid[0], *bn = at->kid[1];
    a = left && !is_known(a) ? text_value(s, an, a) : a;
    b = right && !is_known(b) ? text_value(s, bn, b) : b;
    if (sem_bad(a) || sem_bad(b))
        return sema_unknown(s);
    if (heap_is_numpy(left ? b.type : a.type) && op == B_ADD)
        return (Sem){0};
    if (op == B_ADD && left && right) {
        help(s, at, "_str_add", 2, NULL);
        return sem_of(type_text(s->tt));
    }
    if (op == B_MUL && left != right && is_int_type(left ? b.type : a.type) &&
        (left ? b.type : a.type)->kind == TY_SCALAR) {
        help(s, at, "_str_mul", 2, type_scalar(s->tt, DT_i64, true));
        return sem_of(type_text(s->tt));
    }
    if (op == B_MOD && left) {
        Diag *d = sema_error(s, DIAG_unsupported, at, "%% of a string is not supported");
        diag_hint(s->diags, d, "write an f-string");
        return sema_unknown(s);
    }
    return sema_bad_operands(s, at, op, operator_text(s, at, op), a.type, b.type);
}

/* Lowering compares what they are made of by these. */
void
text_compares(Sema *s, const Node *at, const Type *a, const Type *b, int op)
{
    int kinds = texts_inside(a) | texts_inside(b);
    bool order = op == C_LT || op == C_LE || op == C_GT || op == C_GE;
    bool in = op == C_IN || op == C_NOTIN;
    for (int k = HAS_STR; k <= HAS_BYTES; k++) {
        const Type *t = k == HAS_STR ? type_text(s->tt) : type_bytes(s->tt);
        if (!(kinds & k))
            continue;
        help_of(s, at, order ? "_str_order" : "_str_eq", 2, t, NULL);
        if (order)
            help_of(s, at, "_str_eq", 2, t, NULL);
        if (in && (k == HAS_STR ? type_is_str(b) : a == b && b == t))
            help_of(s, at, "_str_in", 2, t, NULL);
    }
}

/* a in bytes */
Sem
bytes_in(Sema *s, const Node *at, const Type *a)
{
    bool number = a->kind == TY_SCALAR && is_int_type(a);
    if (number)
        help_of(s, at, "_byte_in", 2, type_scalar(s->tt, DT_i64, true), type_bytes(s->tt));
    else if (!type_is_bytes(a)) {
        sema_type_error(s, at, "a bytes-like object is required, not '%s'", python_name(s, a));
        return sema_unknown(s);
    }
    return sem_of(type_scalar(s->tt, DT_bool, true));
}

/* ---- subscripts ------------------------------------------------------------------------------ */

Sem
text_subscript(Sema *s, const Node *e, Sem v, Sem idx)
{
    const Node *i = e->kid[1];
    text_value(s, e->kid[0], v);
    if (idx.type->kind == TY_SLICE && i->kind == N_Slice) {
        const Node *arg[4] = {e->kid[0], i->n > 0 ? i->kid[0] : NULL, i->n > 1 ? i->kid[1] : NULL,
                              i->n > 2 ? i->kid[2] : NULL};
        return heap_call(s, e, "_str_slice", 4, arg);
    }
    bool bytes = type_is_bytes(v.type);
    if (idx.type->kind == TY_SCALAR && is_int_type(idx.type))
        return sem_of(bytes ? type_scalar(s->tt, DT_i64, true) : type_text(s->tt));
    sema_type_error(s, i,
                    bytes ? "byte indices must be integers or slices, not %s"
                          : "string indices must be integers, not '%s'",
                    python_name(s, idx.type));
    return sema_unknown(s);
}

/* ---- methods --------------------------------------------------------------------------------- */

/* Is a method of str one of bytes, too? */
static bool
bytes_shares(const char *name)
{
    static const char *const not [] = {"casefold", "format",       "isdecimal",   "isnumeric",
                                       "encode",   "isidentifier", "isprintable", "translate"};
    bool shares = true;
    for (int i = 0; i < SW_LEN(not ); i++)
        shares &= strcmp(name, not [i]) != 0;
    return shares;
}

static const HeapClass str_class = {.name = "str", .own = "", .base = &str_class};
static const HeapClass bytes_class = {.name = "bytes", .own = "", .base = &bytes_class};

/* Is it one of bytes alone? */
static bool
bytes_own(const Type *t, const char *name)
{
    return type_is_bytes(t) && heap_method_view(&bytes_class, name) >= 0;
}

bool
text_has_method(const Type *t, const char *name)
{
    return bytes_own(t, name) ||
           (heap_method_view(&str_class, name) >= 0 && (!type_is_bytes(t) || bytes_shares(name)));
}

int
text_method_names(const Type *t, const char **names, int most)
{
    const char *all[64];
    int n = 0, of_str = heap_method_names(&str_class, all, SW_LEN(all));
    for (int i = 0; i < of_str && n < most; i++)
        if (text_has_method(t, all[i]))
            names[n++] = all[i];
    return n;
}

/* "abc".upper: NULL after a message, or when the function is wanted. */
const FuncDef *
text_method(Sema *s, const Node *call, const Node *f, Sem self)
{
    if (!text_has_method(self.type, f->name)) {
        sema_no_attribute(s, f, self.type);
        return NULL;
    }
    text_value(s, f->kid[0], self);
    for (int i = 1; i < call->n; i++) { /* it makes a list of what it is given */
        Node *k = (Node *)(uintptr_t)call->kid[i];
        if (!strcmp(f->name, "join") && k->kind == N_ListComp && k->op == 1)
            k->op = 0;
    }
    return heap_lib_named(
        s, arena_printf(s->a, "%s_%s", bytes_own(self.type, f->name) ? "bytes" : "str", f->name));
}

/* ---- builtins -------------------------------------------------------------------------------- */

/* int(s), float(s): whether it is one of a string. */
bool
text_cast(Sema *s, const Node *e, Sem v, const Type *to, Sem *out)
{
    const char *name = to->dtype == DT_i64 ? "_str_int" : to->dtype == DT_f64 ? "_str_float" : NULL;
    const Node *base = to->dtype == DT_i64 && e->n == 3 ? e->kid[2] : NULL;
    if (!sem_bad(v) && type_is_optional(v.type) && type_is_str(type_value(v.type)) && name)
        v = sema_need(s, e->kid[1], v, "TypeError",
                      base ? "int() can't convert non-string with explicit base"
                           : "%s() argument must be a string%s a real number, not 'NoneType'",
                      to->dtype == DT_i64 ? "int" : "float",
                      to->dtype == DT_i64 ? ", a bytes-like object or" : " or");
    bool text = !sem_bad(v) && (type_is_str(v.type) || type_is_bytes(v.type));
    if (!text || !to->weak || !name || (e->n != 2 && !base))
        return false;
    if (v.cst && v.cst->kind == CV_STR && !base && cast_is_number(s, v.cst, (DType)to->dtype))
        return false; /* read when it is compiled */
    if (base && base->kind == N_Keyword && base->name && !strcmp(base->name, "base"))
        base = base->kid[0];
    if (base && (base->kind == N_Keyword || base->kind == N_Starred))
        return false;
    if (base) {
        Sem b = sema_operand(s, base);
        if (sem_bad(b) || !is_int_type(b.type))
            return false;
    }
    text_value(s, e->kid[1], v);
    const Node *arg[2] = {e->kid[1], base};
    *out = heap_call(s, e, name, to->dtype == DT_i64 ? 2 : 1, arg);
    return true;
}

/* format(value, spec), and bin, oct, hex of an int. */
static bool
made_by(Sema *s, const Node *e, const Call *c, Sem v, Sem *out)
{
    static const struct {
        BuiltinId id;
        const char *by;
    } all[] = {{BI_py_bin, "_str_bin"}, {BI_py_oct, "_str_oct"}, {BI_py_hex, "_str_hex"}};
    BuiltinId id = c->fn->id;
    bool number = v.type->kind == TY_SCALAR && !type_has_param(v.type);
    *out = sema_unknown(s);
    for (int i = 0; i < SW_LEN(all); i++)
        if (id == all[i].id && number && is_int_type(v.type))
            *out = heap_call(s, e, all[i].by, 1, c->arg);
        else if (id == all[i].id)
            sema_type_error(s, e, "'%s' object cannot be interpreted as an integer",
                            python_name(s, v.type));
    if (id != BI_py_format)
        return true;
    Sem spec = c->arg[1] ? sema_known(s, c->arg[1]) : (Sem){0};
    if (type_is_str(v.type))
        text_value(s, c->arg[0], v);
    if (spec.type && type_is_str(spec.type))
        text_value(s, c->arg[1], spec);
    bool plain = !c->arg[1] && text_is_there(s, v.type) && !type_is_mixed(v.type),
         z = number && dtype_is_complex(v.type->dtype);
    if (!plain && (z || !(number || type_is_str(v.type))))
        sema_error(s, DIAG_unsupported, e, "format() of %s is not supported", v.type->text);
    else if (spec.type && !type_is_str(spec.type))
        sema_type_error(s, e, "format() argument 2 must be str, not %s", python_name(s, spec.type));
    else
        *out = heap_call(s, e, c->arg[1] ? "_str_formatted" : "_str_of", 1 + !!c->arg[1], c->arg);
    return true;
}

/* bytes(x), bytes(s, encoding) */
static Sem
bytes_made(Sema *s, const Node *e, const Call *c, Sem v, bool array)
{
    if (v.type && sem_bad(v))
        return sema_unknown(s);
    if (!v.type) {
        Const *empty = NEW(s->a, Const);
        *empty = (Const){.kind = CV_BYTES, .str = ""};
        return sem_const(s, empty);
    }
    bool text = type_is_str(v.type), coded = c->n_args > 1 && c->arg[1];
    if (text && !coded)
        sema_type_error(s, e, "string argument without an encoding");
    else if (coded && !text)
        sema_type_error(s, e, "encoding without a string argument");
    else if (text) {
        text_value(s, c->arg[0], v);
        return heap_call_known(s, e, array ? "_bytearray_encoded" : "str_encode",
                               1 + (c->n_args > 1) + (c->n_args > 2), c->arg);
    } else
        return heap_call(s, e, array ? "_bytearray_of" : "_bytes_of", 1, c->arg);
    return sema_unknown(s);
}

/* A builtin of Python that is another function where it is given a string, or yields one. */
bool
text_row(Sema *s, const Node *e, const Call *c, Sem *out)
{
    BuiltinId id = c->fn->id;
    const Node *arg = c->n_args ? c->arg[0] : NULL;
    Sem v = arg ? sema_known(s, arg) : (Sem){0};
    bool array = id == BI_py_bytearray && arg; /* of nothing it is an object like others */
    if (id == BI_py_array && !c->splat && c->n_args > 1 && c->arg[1] && v.cst) {
        *out = heap_call_known(s, e, "_array_made", 2, c->arg);
        return true;
    }
    if ((id == BI_py_bytes || array) && !c->splat) {
        *out = bytes_made(s, e, c, v, array);
        return true;
    }
    if (!v.type || sem_bad(v) || c->splat)
        return false;
    if (v.type->kind == TY_STR && id != BI_py_print && id != BI_py_str && id != BI_py_repr)
        for (int i = 0; i < c->n_args; i++)
            if (c->arg[i] && !sema_known(s, c->arg[i]).cst)
                v = text_value(s, c->arg[i], sema_known(s, c->arg[i]));
    bool walks =
        id == BI_py_iter || id == BI_py_enumerate || id == BI_py_zip || id == BI_py_reversed;
    for (int i = 0; walks && i < c->n_args; i++)
        if (c->arg[i] && !sem_bad(sema_known(s, c->arg[i])))
            text_value(s, c->arg[i], sema_known(s, c->arg[i]));
    if (sem_bad(v))
        return false;
    if (object_text_row(s, e, c, out))
        return true;
    if (id == BI_py_format || id == BI_py_bin || id == BI_py_oct || id == BI_py_hex)
        return made_by(s, e, c, v, out);
    if (id == BI_py_ord || id == BI_py_chr) {
        bool fits = id == BI_py_ord ? type_is_str(v.type) || type_is_bytes(v.type)
                                    : v.type->kind == TY_SCALAR && is_int_type(v.type);
        if (!fits) {
            sema_type_error(s, e,
                            id == BI_py_ord ? "ord() expected string of length 1, but %s found"
                                            : "'%s' object cannot be interpreted as an integer",
                            python_name(s, v.type));
            *out = sema_unknown(s);
            return true;
        }
        text_value(s, arg, v);
        *out = heap_call(s, e, id == BI_py_ord ? "_str_ord" : "_str_chr", 1, c->arg);
        return true;
    }
    return false;
}

/* ---- texts that are made --------------------------------------------------------------------- */

bool
text_is_there(const Sema *s, const Type *t)
{
    if (type_is_shown_whole(t) || object_has_text(s, t, true))
        return true;
    if (t->kind == TY_TUPLE && object_is_enum(t))
        return false;
    bool all = t->kind == TY_SCALAR || t->kind == TY_NONE || type_is_str(t) || type_is_bytes(t) ||
               (t->kind == TY_REF && !type_is_heap(t, &heap_defaultdict_of)) ||
               t->kind == TY_TUPLE || t->kind == TY_OPTIONAL;
    for (int i = 0;
         all && (t->kind == TY_TUPLE || t->kind == TY_REF || t->kind == TY_OPTIONAL) && i < t->n;
         i++)
        all = text_is_there(s, t->elems[i]);
    return all;
}

/* A function of a value, and of a specification: the text of it. */
static bool
text_by(Sema *s, const Node *e, const char *name, Sem v, bool spec)
{
    const Type *t = type_resolve(s->tt, type_stored(s->tt, v.type)),
               *types[2] = {t, type_text(s->tt)};
    if (sem_bad(v))
        return false;
    if (raised_is(t) && strcmp(name, "_str_format") != 0)
        return true;
    if (t->kind == TY_ARRAY && spec) /* which has been told */
        return false;
    if (!text_is_there(s, t) || type_is_mixed(t)) {
        sema_error(s, DIAG_unsupported, e, "the text of %s as a value is not supported", t->text);
        return false;
    }
    heap_help(s, e, name, spec ? 2 : 1, types);
    return true;
}

const char *
text_maker(const Node *e, BuiltinId id, const Need *need)
{
    if (need && need->shown)
        return "_str_of";
    if (e->kind == N_FormattedValue)
        return e->op == 'r'                            ? "_str_repr"
               : e->op == 's'                          ? "_str_str"
               : e->val && e->val->str[0] && e->op < 0 ? "_str_format"
                                                       : "_str_of";
    return id == BI_py_repr ? "_str_repr" : "_str_str";
}

/* The type in which an f-string is given a part's value: an int as a number, whose digits are
 * written where they belong; NULL: its text is made first. */
const Type *
text_part_number(TypeTable *tt, const Node *p, const Info *of)
{
    if (p->kind != N_FormattedValue || of->need || of->type->kind != TY_SCALAR ||
        !dtype_is_int(of->type->dtype) || type_is_int_member(of->type) ||
        strcmp(text_maker(p, 0, NULL), "_str_of") != 0)
        return NULL;
    bool big = of->type->dtype == DT_u64;
    return type_scalar(tt, big ? DT_u64 : DT_i64, !big);
}

static bool
made_part(Sema *s, const Node *p)
{
    if (p->kind == N_Const)
        return true;
    if (p->kind == N_JoinedStr)
        return made_joined(s, p);
    if (p->kind != N_FormattedValue) /* which has been told */
        return false;
    const Node *e = p->kid[0];
    Sem v = sema_known(s, e);
    bool spec = p->val && p->val->kind == CV_STR && p->val->str[0];
    if (p->op == 'a') {
        sema_error(s, DIAG_unsupported, p,
                   "this conversion in an f-string as a value is not supported");
        return false;
    }
    if (v.type->kind == TY_STR) {
        v = text_value(s, e, v);
        if (v.type->kind != TY_TEXT)
            return false;
    }
    const char *name = text_maker(p, 0, info_of(s, e)->need);
    if (!text_by(s, p, name, v, !strcmp(name, "_str_format")))
        return false;
    const Type *both[2] = {type_text(s->tt), type_text(s->tt)};
    if (spec && p->op >= 0) /* of the text that it has by then */
        heap_help(s, p, "_str_format", 2, both);
    return true;
}

static bool
made_joined(Sema *s, const Node *e)
{
    const Type **t = NEW_N(s->a, const Type *, e->n + 1);
    bool fine = true;
    for (int i = 0; i < e->n; i++) {
        const Node *p = e->kid[i];
        t[i] = p->kind == N_FormattedValue ? sema_known(s, p->kid[0]).type : NULL;
        t[i] = t[i] ? text_part_number(s->tt, p, info_of(s, p->kid[0])) : NULL;
        fine &= t[i] || made_part(s, p);
        t[i] = t[i] ? t[i] : type_text(s->tt);
    }
    const Type *all = type_tuple(s->tt, e->n, t);
    if (fine)
        heap_help(s, e, "_str_concat", 1, &all);
    return fine;
}

/* A message's text as a value: f-strings, str(x), repr(x). */
Sem
text_made(Sema *s, const Node *e, Sem v)
{
    const Call *c = e->kind == N_Call ? info_of(s, e)->call : NULL;
    bool call = c && c->kind == CALL_BUILTIN && (c->fn->id == BI_py_str || c->fn->id == BI_py_repr);
    if (v.type->kind != TY_STR || v.cst || v.type->ref)
        return v;
    if (!call && e->kind != N_JoinedStr) {
        sema_error(s, DIAG_unsupported, e, "this text as a value is not supported");
        return sema_unknown(s);
    }
    bool fine = call ? false : made_joined(s, e);
    if (call) {
        Sem of = text_value(s, c->arg[0], sema_known(s, c->arg[0]));
        fine = text_by(s, e, text_maker(e, c->fn->id, info_of(s, c->arg[0])->need), of, false);
    }
    v = fine ? sem_of(type_text(s->tt)) : sema_unknown(s);
    sema_set(s, e, v);
    return v;
}

static bool
holds_object(const Type *t)
{
    bool found = t->kind == TY_REF || type_is_shown_whole(t);
    for (int i = 0; t->kind != TY_TEXT && type_has_elements(t) && !found && i < t->n; i++)
        found = holds_object(t->elems[i]);
    return found;
}

/* An error tells of it: what does not go with the error as numbers goes as a text. */
static void
text_told(Sema *s, const Node *e, const Type *t)
{
    for (int i = 0; e->kind == N_JoinedStr && i < e->n; i++)
        if (e->kid[i]->kind == N_FormattedValue)
            text_told(s, e->kid[i]->kid[0], sema_known(s, e->kid[i]->kid[0]).type);
    bool parts = t->kind == TY_TUPLE || t->kind == TY_OPTIONAL || t->kind == TY_REF;
    if (!parts || e->kind == N_JoinedStr)
        return;
    t = type_resolve(s->tt, type_stored(s->tt, t));
    if ((holds_object(t) || heap_leaves(t) >= 4) && text_is_there(s, t) && !type_is_mixed(t))
        heap_help(s, e, "_str_note_of", 1, &t);
}

enum { MOST_TOLD = 4 }; /* numbers that go with an error, see SwError */

/* Numbers, of texts that are noted too, that this part of a message takes. */
static int
told(Sema *s, const Node *e)
{
    int n = 0;
    for (int i = 0; e->kind == N_JoinedStr && i < e->n; i++)
        n += e->kid[i]->kind == N_Const ? 0 : told(s, e->kid[i]);
    if (e->kind == N_JoinedStr)
        return n;
    const Sem v = sema_known(s, e->kind == N_FormattedValue ? e->kid[0] : e);
    if (sem_bad(v) || v.cst)
        return 0;
    if (v.type->kind == TY_SCALAR)
        return 1 + dtype_is_complex(v.type->dtype);
    n = heap_leaves(type_stored(s->tt, v.type));
    return n >= MOST_TOLD ? 1 : n; /* see text_told */
}

/* The arguments of what is raised: an f-string of more than goes with an error is made first. */
void
text_raised(Sema *s, int n, Node *const *arg)
{
    int all = 0;
    for (int i = 0; i < n; i++)
        if (arg[i]->kind != N_Keyword && arg[i]->kind != N_Starred) {
            Sem v = heap_shown(s, arg[i], sema_known(s, arg[i]));
            text_told(s, arg[i], v.type);
            all += told(s, arg[i]);
        }
    for (int i = 0; all > MOST_TOLD && i < n; i++)
        if (arg[i]->kind == N_JoinedStr)
            heap_shown(s, arg[i], text_made(s, arg[i], sema_known(s, arg[i])));
}

/* ---- print(*v) ------------------------------------------------------------------------------- */

static const char *
separator(Sema *s, const Node *print)
{
    for (int i = 1; i < print->n; i++) {
        const Node *k = print->kid[i];
        const Const *c = k->kind == N_Keyword && k->name && !strcmp(k->name, "sep")
                             ? sema_known(s, k->kid[0]).cst
                             : NULL;
        if (c && c->kind == CV_STR)
            return c->str;
    }
    return " ";
}

/* One text of all elements. It may be empty: what separates it from the others is in it. */
static void
unpacked(Sema *s, const Node *k, const Const *sep, TextSide side)
{
    Sem v = heap_value(s, k->kid[0], sema_known(s, k->kid[0]));
    v = sem_bad(v) ? v : text_value(s, k->kid[0], v);
    const Type *e = sem_bad(v)                 ? NULL
                    : v.type->kind == TY_TUPLE ? v.type
                    : sema_is_iterable(v.type) ? sema_iter_elem(s, k, v.type)
                                               : NULL;
    if (!e || s->cx->opt->kernel)
        return;
    e = type_resolve(s->tt, type_stored(s->tt, e));
    if (!text_is_there(s, e) || type_is_mixed(e)) {
        sema_error(s, DIAG_unsupported, k, "the text of %s as a value is not supported", e->text);
        sema_set(s, k->kid[0], sema_unknown(s));
        return;
    }
    const Node *arg[3] = {k->kid[0]};
    const Const *given[3] = {NULL, sep, const_int(s, side)};
    sema_set(s, k, heap_call_given(s, k, "_str_unpacked", 3, arg, given));
}

/* A text is shown when all has been evaluated, but for one that this may change. The first tuple is
 * unpacked where it stands. */
void
text_printed(Sema *s, const Node *print)
{
    int n = 0, sure = 0; /* the first that prints something at all */
    bool tuple = false;
    for (int i = 1; i < print->n; i++)
        if (sema_shows_changing(s, print, i))
            text_value(s, print->kid[i], sema_known(s, print->kid[i]));
    for (int i = 1; i < print->n; i++) {
        const Node *k = print->kid[i];
        const Type *t = k->kind == N_Starred ? sema_known(s, k).type : NULL;
        n += t && t->kind != TY_TUPLE;
        if (!sure && k->kind != N_Keyword && (!t || (t->kind == TY_TUPLE && t->n)))
            sure = i;
    }
    const Const *sep = const_str(s, separator(s, print));
    for (int i = 1; i < print->n; i++) {
        const Node *k = print->kid[i];
        const Type *t = k->kind == N_Starred ? sema_known(s, k).type : NULL;
        if (t && t->kind != TY_TUPLE && (sure || n == 1))
            unpacked(s, k, sep, !sure ? TEXT_ALONE : i < sure ? TEXT_BEFORE : TEXT_BEHIND);
        else if (t && t->kind == TY_TUPLE && t->n && tuple)
            unpacked(s, k, sep, TEXT_ALONE);
        tuple |= t && t->kind == TY_TUPLE && t->n;
    }
}

/* It is printed, or part of a message. */
void
text_shown(Sema *s, const Node *e, const Type *t)
{
    if (t->kind == TY_TEXT) {
        heap_help(s, e, "_str_note", 1, &t);
        heap_help(s, e, "_str_note_repr", 1, &t);
    }
    if (!type_is_shown_whole(t))
        return;
    if (s->cx->opt->kernel || s->cx->opt->target != TARGET_CPU) {
        Diag *d =
            sema_error(s, DIAG_unsupported, e,
                       t->kind == TY_RANGE ? "the text of a range in a kernel"
                                           : "the text of an array in a kernel: NumPy makes it");
        diag_hint(s->diags, d, "print its elements");
        return;
    }
    t = type_resolve(s->tt, type_stored(s->tt, t));
    heap_help(s, e, "_str_note_of", 1, &t);
    heap_help(s, e, "_str_note_repr", 1, &t);
}
