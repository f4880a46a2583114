/* SPDX-License-Identifier: BSD-3-Clause
 * f-strings, and what `%` and format() become: their parts, which are typed as texts, and whether a
 * part can be shown with its specification. */
#include "sema/internal.h"

/* Is it a number for the format? Dates and spans are formatted as their text, and `%x` takes no
 * bool of NumPy's. False after CPython's words. */
bool
sema_takes_code(Sema *s, const Node *e, const char *spec, const Type *t)
{
    char code = spec[strlen(spec) - 1];
    bool percent = e->name && *e->name, letter = code != 's' && strchr("dioxXbcneEfFgGu", code);
    bool time = type_has_param(t), integral = strchr("oxX", code) != NULL;
    bool flag = percent && integral && t->dtype == DT_bool && !t->weak;
    if (!letter || (!time && !flag))
        return true;
    const char *name = flag ? "numpy.bool" : python_name(s, t);
    if (!percent)
        sema_error(s, DIAG_value, e, "Unknown format code '%c' for object of type 'str'", code);
    else if (strchr("eEfFgG", code))
        sema_type_error(s, e, "must be real number, not %s", name);
    else
        sema_type_error(s, e,
                        integral ? "%%%c format: an integer is required, not %s"
                                 : "%%%c format: a real number is required, not %s",
                        code, name);
    return false;
}

/* Is something called there that may change what others have? */
static bool
calls_out(Sema *s, const Node *n)
{
    const Call *c = n && n->kind == N_Call ? info_of(s, n)->call : NULL;
    bool out =
        n && n->kind == N_Call && !(c && c->kind == CALL_BUILTIN && c->fn->family != BF_HEAP);
    for (int i = 0; n && !out && i < n->n; i++)
        out = calls_out(s, n->kid[i]);
    return out;
}

static bool
may_be_changed(const Type *t)
{
    bool may = t->kind == TY_REF || t->kind == TY_OBJ || t->kind == TY_ARRAY ||
               t->kind == TY_OPTIONAL || t->kind == TY_RECORD;
    for (int i = 0; !may && t->kind == TY_TUPLE && i < t->n; i++)
        may = may_be_changed(t->elems[i]);
    return may;
}

/* Is it the text of what may be changed, which is shown without making a string of it? */
static bool
shows(Sema *s, const Node *e)
{
    const Call *c = e->kind == N_Call ? info_of(s, e)->call : NULL;
    bool text = c && c->kind == CALL_BUILTIN && (c->fn->id == BI_py_str || c->fn->id == BI_py_repr);
    bool any = text && c->n_args && c->arg[0] && may_be_changed(sema_known(s, c->arg[0]).type);
    for (int i = 0; e->kind == N_JoinedStr && !any && i < e->n; i++)
        any =
            e->kid[i]->kind == N_FormattedValue &&
            (may_be_changed(sema_known(s, e->kid[i]->kid[0]).type) || shows(s, e->kid[i]->kid[0]));
    return any;
}

bool
sema_shows_changing(Sema *s, const Node *print, int k)
{
    const Node *e = print->kid[k];
    bool changing = false, found = false;
    for (int i = 0; e->kind == N_JoinedStr && !found && i < e->n; i++) {
        found = changing && calls_out(s, e->kid[i]);
        const Node *of = e->kid[i]->kind == N_FormattedValue ? e->kid[i]->kid[0] : NULL;
        changing |= of && (may_be_changed(sema_known(s, of).type) || shows(s, of));
    }
    for (int i = k + 1; i < print->n && !found; i++)
        found = calls_out(s, print->kid[i]) && shows(s, e);
    return found;
}

Sem
sema_joined(Sema *s, const Node *e)
{
    for (int i = 0; i < e->n; i++) {
        Sem v = sema_expr(s, e->kid[i]);
        if (i >= e->op || e->kid[i]->kind != N_FormattedValue || sem_bad(v))
            continue;
        const Node *shown = e->kid[i]->kid[0]; /* see py/format_in.c */
        for (int k = e->kid[i]->ops ? *e->kid[i]->ops : 0; k > 0; k--)
            shown = shown->kid[0];
        Sem of = sema_known(s, shown);
        if (!sem_bad(of) && may_be_changed(of.type)) {
            if (!s->unroll.loop && !s->fr->in->def->is_lib)
                s->unroll = (Unroll){.fn = s->fr->in->def, .loop = e, .of = UNROLL_SHOWN};
            Diag *d =
                sema_error(s, DIAG_unsupported, e->kid[i],
                           "formatting %s before a call, which may change it, is not supported",
                           of.type->text);
            diag_hint(s->diags, d, "call it before, and keep what it yields in a variable");
            return sema_unknown(s);
        }
    }
    if (e->n == 1 && e->kid[0]->kind == N_Const)
        return sem_const(s, e->kid[0]->val);
    return sem_of(type_other(s->tt, TY_STR, NULL, 0, NULL, NULL));
}

bool
sema_has_repr(const Type *t)
{
    if ((t->kind == TY_TUPLE && object_is_enum(t)) || type_is_int_member(t))
        return false;
    bool all = t->kind == TY_SCALAR || t->kind == TY_NONE || t->kind == TY_REF ||
               type_is_optional(t) || t->kind == TY_TUPLE || type_is_str(t) || type_is_bytes(t) ||
               type_is_shown_whole(t);
    for (int i = 0; all && (t->kind == TY_TUPLE || t->kind == TY_OPTIONAL) && i < t->n; i++)
        all = sema_has_repr(t->elems[i]);
    return all;
}

/* Without lists and exceptions, which are printed by themselves. */
static bool
has_plain_text(const Type *t)
{
    bool all = t->kind == TY_SCALAR || t->kind == TY_NONE || type_is_str(t) ||
               type_is_optional(t) || t->kind == TY_TUPLE || type_is_shown_whole(t);
    for (int i = 0; all && (t->kind == TY_TUPLE || t->kind == TY_OPTIONAL) && i < t->n; i++)
        all = has_plain_text(t->elems[i]);
    return all;
}

/* {x:.2f}, {x!r}: what Python would not do with x, or writes otherwise than the compiled
 * message. */
static void
check_format(Sema *s, const Node *e, Sem v)
{
    const char *spec = e->val && e->val->kind == CV_STR ? e->val->str : "";
    bool number = type_value(v.type)->kind == TY_SCALAR;
    const Need *need = info_of(s, e->kid[0])->need;
    NumSpec n;
    if (sem_bad(v) || (!*spec && e->op < 0) || (need && need->shown && need->with))
        return;
    if ((e->op == 'r' || e->op == 'a') && !sema_has_repr(v.type) &&
        !(e->op == 'r' && raised_is(v.type))) {
        sema_error(s, DIAG_unsupported, e, "!%c of %s is not supported", e->op, v.type->text);
    } else if (*spec && (e->op >= 0 || type_is_str(v.type))) {
        bool fits = textspec_read(&n, spec);
        if (!fits || !has_plain_text(v.type)) {
            Diag *d = sema_bad_format(s, e, spec, v.type, e->op >= 0 || !e->name);
            if (fits && text_is_there(s, v.type))
                diag_hint(s->diags, d, "format its text: {%s(...):%s}",
                          e->op == 'r' ? "repr" : "str", spec);
        }
    } else if (*spec && (!number || dtype_is_complex(v.type->dtype))) {
        sema_error(s, DIAG_unsupported, e, "the format '%s' of %s is not supported", spec,
                   v.type->text);
    } else if (*spec && !sema_takes_code(s, e, spec, type_value(v.type))) {
        return;
    } else if (*spec &&
               (!numspec_read(&n, spec, 0) || !numspec_fits(&n, dtype_is_float(v.type->dtype)))) {
        Diag *d = sema_bad_format(s, e, spec, v.type, false);
        if (dtype_is_float(v.type->dtype) && e->name)
            diag_hint(s->diags, d, "%%d takes ints in compiled code: int(...) makes one of it");
    }
}

Sem
sema_formatted(Sema *s, const Node *e)
{
    Sem v = sema_expr(s, e->kid[0]);
    const Type *of = type_value(v.type);
    if (e->name && !*e->name && of->kind == TY_TUPLE) {
        Diag *d = sema_error(s, DIAG_unsupported, e, "%% of a tuple that is a value");
        diag_hint(s->diags, d, "write an f-string");
        return sema_unknown(s);
    }
    if (e->name && *e->name)
        v = sema_need(s, e->kid[0], v, "TypeError", "%s", e->name);
    else if (e->val && e->val->kind == CV_STR && *e->val->str && e->op < 0)
        v = sema_need(s, e->kid[0], v, "TypeError",
                      "unsupported format string passed to NoneType.__format__");
    v = heap_shown(s, e->kid[0], object_formatted(s, e, v));
    if ((e->op == 'r' || e->op == 'a') && !sem_bad(v) && v.type->kind == TY_STR && !v.cst) {
        v = text_made(s, e->kid[0], v); /* what is put together has no quotes */
        text_shown(s, e->kid[0], v.type);
    }
    check_format(s, e, v);
    return sem_of(type_other(s->tt, TY_STR, NULL, 0, NULL, NULL));
}
