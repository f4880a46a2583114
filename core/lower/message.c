/* SPDX-License-Identifier: BSD-3-Clause
 * What is printed, and what an exception says. Takes the parts of a message; yields a format
 * (rt/format.c) that is put together when the function is compiled, with places for the values. An
 * exception's arguments stay apart in it where they are more than a text. */
#include "lower/internal.h"
#include <stdio.h>

enum { MAX_PRINTED = 10, MAX_RAISED = 4, MAX_HOLES = 32 }; /* run-time values in one message */

typedef struct Hole { /* what is printed by itself, at %E: the text of an exception, or an object */
    IrVar *caught;
    Val object;
} Hole;

typedef struct Format {
    StrBuf text;
    IrExpr *arg[MAX_PRINTED];
    int n, max;
    Hole hole[MAX_HOLES];
    int n_holes, max_holes;
    bool prints;
    bool laid_out;         /* within %[...%], which is one piece */
    struct Format *before; /* what is printed before it, for there was no room for more */
    bool quoted; /* arguments that are strings go as repr() has them: nothing of them is lost */
} Format;

static void
format_text(Format *f, const char *s)
{
    for (; *s; s++)
        sb_addn(&f->text, *s == '%' ? "%%" : s, *s == '%' ? 2 : 1);
}

static const char *
escaped(Lower *l, const char *s)
{
    Format f = {.max = 0};
    format_text(&f, s);
    return sb_keep(&f.text, &l->cx->arena);
}

static bool
has_room(Lower *l, Format *f, int n)
{
    bool ok = f->n + n <= f->max;
    if (!ok && f->prints && !f->laid_out) {
        Format *full = arena_dup(&l->cx->arena, f, sizeof *f);
        f->text = (StrBuf){0};
        f->n = f->n_holes = 0;
        f->before = full;
        return n <= f->max;
    }
    if (!ok)
        diag_add(&l->cx->diags, DIAG_unsupported, l->b.span, "more than %d values in one message",
                 f->max);
    return ok;
}

/* What follows goes into one piece, with room for half of what a piece may have. */
static void
keep_together(Lower *l, Format *f)
{
    if (f->prints && !f->laid_out && f->n > f->max / 2)
        has_room(l, f, f->max - f->n + 1);
    f->laid_out = true;
}

/* {x:.2f}: the specification, which sema has checked, goes with the value's letter. */
static void
format_as(Lower *l, Format *f, IrExpr *e, const char *spec)
{
    NumSpec s;
    DType d = e->dtype;
    numspec_read(&s, spec, 0);
    bool is_float = dtype_is_float(d) || numspec_is_float(&s), is_uint = dtype_kind(d) == DK_UINT;
    if (!has_room(l, f, 1))
        return;
    sb_addf(&f->text, "%%%d%c%s;", f->n, is_float ? 'G' : is_uint ? 'U' : 'D', spec);
    f->arg[f->n++] = ir_cast(l->cx, is_float ? DT_f64 : is_uint ? DT_u64 : DT_i64, e);
}

static void
format_scalar(Lower *l, Format *f, IrExpr *e, bool inside)
{
    DType d = e->dtype;
    bool z = dtype_is_complex(d);
    if (!has_room(l, f, 1 + z))
        return;
    char spec = z                          ? inside ? 'Z' : 'z'
                : d == DT_f64              ? 'g'
                : dtype_is_float(d)        ? 'f'
                : d == DT_bool             ? 'b'
                : dtype_kind(d) == DK_UINT ? 'u'
                                           : 'd';
    sb_addf(&f->text, "%%%d%c", f->n, spec);
    if (z) {
        e = ir_cast(l->cx, DT_c128, e);
        f->arg[f->n++] = ir_op(l->cx, OP_real, ir_copy_expr(l->cx, e));
        f->arg[f->n++] = ir_op(l->cx, OP_imag, e);
    } else {
        f->arg[f->n++] = ir_cast(l->cx,
                                 dtype_is_float(d) ? DT_f64
                                 : spec == 'u'     ? DT_u64
                                                   : DT_i64,
                                 e);
    }
}

static void format_val(Lower *l, Format *f, const Val *v);
static void format_optional(Lower *l, Format *f, const Val *v, bool repr);

static void
format_noted(Format *f, IrExpr *number)
{
    sb_addf(&f->text, "%%%dt", f->n);
    f->arg[f->n++] = number;
}

/* A string that is not known is noted, and told of by its number. */
static void
format_note(Lower *l, Format *f, const Val *v, bool repr)
{
    if (has_room(l, f, 1))
        format_noted(f, text_note(l, v, repr));
}

/* As repr() has it: a string in quotes, a number of NumPy with its dtype. */
static void
format_repr(Lower *l, Format *f, const Val *v)
{
    if (v->type && v->type->kind == TY_EXC && v->kind == VK_TUPLE) {
        Val text = caught_text(l, v, ERR_TEXT_REPR);
        format_note(l, f, &text, false);
        return;
    }
    if (v->type && type_is_optional(v->type)) {
        format_optional(l, f, v, true);
        return;
    }
    if (v->type && type_is_shown_whole(v->type)) {
        format_note(l, f, v, true);
        return;
    }
    if (v->kind == VK_SCALAR && !v->type->weak) {
        bool truth = v->type->storage == DT_bool;
        sb_addf(&f->text, truth ? "np." : "np.%s(", dtype_info[v->type->storage].name);
        format_scalar(l, f, v->e, true);
        sb_add(&f->text, truth ? "_" : ")");
        return;
    }
    if (v->type && v->type->kind == TY_TEXT) {
        format_note(l, f, v, true);
        return;
    }
    bool quoted = v->cst && v->cst->kind == CV_STR;
    const char *quote = quoted && strchr(v->cst->str, '\'') ? "\"" : "'";
    sb_add(&f->text, quoted ? quote : "");
    format_val(l, f, v);
    sb_add(&f->text, quoted ? quote : "");
}

/* What has no place in a format where it may not be there. */
static bool
val_has_object(const Val *v)
{
    bool has = v->type && (v->type->kind == TY_REF || type_is_shown_whole(v->type));
    bool text = v->type && v->type->kind == TY_TEXT; /* of an array, which is not seen */
    for (int i = 0; v->kind == VK_TUPLE && !text && !has && i < v->n; i++)
        has = val_has_object(&v->elem[i]);
    return has;
}

static void
format_object(Lower *l, Format *f, const Val *v)
{
    if (!f->prints || f->n_holes == f->max_holes) {
        Diag *d = diag_add(&l->cx->diags, DIAG_unsupported, l->b.span,
                           f->prints ? "more than 32 lists, dicts and exceptions in one message: %s"
                                     : "%s in a message",
                           v->type->text);
        if (!f->prints)
            diag_hint(&l->cx->diags, d, "print it before");
        return;
    }
    f->hole[f->n_holes++].object = *v;
    sb_add(&f->text, "%E");
}

static void
format_optional(Lower *l, Format *f, const Val *v, bool repr)
{
    if (val_has_object(v)) { /* which is printed by a call, behind a test of its own */
        format_object(l, f, v);
        return;
    }
    bool around = f->laid_out;
    keep_together(l, f);
    if (!has_room(l, f, 1))
        return;
    sb_addf(&f->text, "%%%d?", f->n);
    f->arg[f->n++] = ir_cast(l->cx, DT_i64, ir_copy_expr(l->cx, v->elem[0].e));
    if (repr)
        format_repr(l, f, &v->elem[1]);
    else
        format_val(l, f, &v->elem[1]);
    sb_add(&f->text, "%|None%.");
    f->laid_out = around;
}

static void
format_fields(Lower *l, Format *f, const Val *v)
{
    const Sym *names = v->type->names;
    if (names)
        sb_addf(&f->text, "%.*s", (int)strcspn(v->type->text, "("), v->type->text);
    bool list = v->type->listed || v->type->kind == TY_LIST;
    sb_add(&f->text, list ? "[" : "(");
    for (int i = 0; i < v->n; i++) {
        if (names)
            sb_addf(&f->text, "%s=", names[i]);
        format_repr(l, f, &v->elem[i]);
        sb_add(&f->text, i + 1 < v->n ? ", " : v->n == 1 && !names && !list ? "," : "");
    }
    sb_add(&f->text, list ? "]" : ")");
}

static void
format_caught(Lower *l, Format *f, const Val *v)
{
    if (v->kind != VK_TUPLE || f->n_holes == f->max_holes) {
        diag_add(&l->cx->diags, DIAG_unsupported, l->b.span,
                 v->kind == VK_TUPLE ? "two exceptions in one message"
                                     : "this exception in a message");
        return;
    }
    f->hole[f->n_holes++].caught = v->elem[0].arr;
    sb_add(&f->text, "%E");
}

/* Has it a text here at all? */
static bool
is_printable(const Val *v)
{
    TypeKind k = v->type ? v->type->kind : TY_NONE;
    return k == TY_NONE || k == TY_SCALAR || (v->kind == VK_TUPLE && k == TY_LIST) ||
           k == TY_TUPLE || k == TY_OPTIONAL || k == TY_UNKNOWN || k == TY_RECORD ||
           k == TY_ARRAY || k == TY_STR;
}

/* What does not go with an error as numbers goes as a text, where sema has asked for one. */
static bool
format_as_text(Lower *l, Format *f, const Val *v)
{
    if (f->prints || !v->type ||
        !(v->type->kind == TY_REF || v->type->kind == TY_TUPLE || v->type->kind == TY_OPTIONAL) ||
        !(val_has_object(v) || f->n + heap_leaves(v->type) > f->max))
        return false;
    IrExpr *note = text_note_of(l, v);
    if (note && has_room(l, f, 1))
        format_noted(f, note);
    return note != NULL;
}

static void
format_val(Lower *l, Format *f, const Val *v)
{
    if (format_as_text(l, f, v))
        return;
    bool bytes = v->cst && v->cst->kind == CV_BYTES;
    if (v->type && v->type->kind == TY_TEXT && v->kind == VK_TUPLE && (!v->cst || bytes)) {
        format_note(l, f, v, false);
    } else if (v->cst && v->cst->kind == CV_STR) {
        format_text(f, v->cst->str);
    } else if (v->type && type_is_shown_whole(v->type)) {
        if (has_room(l, f, 1))
            format_noted(f, text_note_of(l, v));
    } else if (v->type && v->type->kind == TY_EXC) {
        format_caught(l, f, v);
    } else if (v->type && v->type->kind == TY_REF) {
        format_object(l, f, v);
    } else if (v->type && type_is_function(v->type) && l->in->def->is_lib) { /* of a KeyError */
        sb_add(&f->text, v->type->kind == TY_CLASS ? "<class>" : "<function>");
    } else if (!is_printable(v)) {
        diag_add(&l->cx->diags, DIAG_unsupported, l->b.span, "%s in a message", v->type->text);
    } else if (v->kind == VK_SCALAR) {
        format_scalar(l, f, v->e, false);
    } else if (v->kind == VK_TUPLE && type_is_optional(v->type)) {
        format_optional(l, f, v, false);
    } else if (v->kind == VK_TUPLE) {
        format_fields(l, f, v);
    } else {
        sb_add(&f->text, "None");
    }
}

static void format_values(Lower *l, Format *f, int n_parts, Node *const *part, const char *sep);

static void format_part(Lower *l, Format *f, const Node *p);

static void
format_plain(Lower *l, Format *f, const Node *p)
{
    bool formatted = p->kind == N_FormattedValue;
    bool quoted = formatted && (p->op == 'r' || p->op == 'a');
    if (formatted && !quoted && p->kid[0]->kind == N_JoinedStr) {
        format_values(l, f, p->kid[0]->n, p->kid[0]->kid, "");
        return;
    }
    const Node *e = formatted ? p->kid[0] : p;
    bool made = sema_info(l->in, e)->type && sema_info(l->in, e)->type->kind == TY_TEXT;
    const Call *c = e->kind == N_Call && !quoted && !made ? sema_info(l->in, e)->call : NULL;
    if (c && c->kind == CALL_BUILTIN && c->fn->id == BI_py_str && !sema_info(l->in, e)->cst) {
        format_part(l, f, c->arg[0]);
        return;
    }
    if (c && c->kind == CALL_BUILTIN && c->fn->id == BI_py_repr) {
        const Need *need = sema_info(l->in, c->arg[0])->need;
        Val r = pin(l, expr(l, c->arg[0]));
        if (need && need->shown)
            format_val(l, f, &r);
        else
            format_repr(l, f, &r);
        return;
    }
    Val v = pin(l, expr(l, e));
    const Const *spec = formatted ? p->val : NULL;
    const Need *need = sema_info(l->in, e)->need;
    bool single = v.kind == VK_SCALAR && dtype_is_float(v.e->dtype) && v.e->dtype != DT_f64;
    if (spec && spec->str[0] && p->op < 0 && v.kind == VK_SCALAR)
        format_as(l, f, v.e, spec->str);
    else if (single && formatted && p->op < 0)
        format_scalar(l, f, ir_cast(l->cx, DT_f64, v.e), false); /* NumPy formats it as a float */
    else if (formatted && p->op >= 0 && p->op != 's' && !(need && need->shown))
        format_repr(l, f, &v);
    else
        format_val(l, f, &v);
}

/* With a specification, a text is laid out: {x!r:>7}, {str(x):5}. */
static void
format_part(Lower *l, Format *f, const Node *p)
{
    const Const *spec = p->kind == N_FormattedValue ? p->val : NULL;
    const Type *t = sema_info(l->in, p->kind == N_FormattedValue ? p->kid[0] : p)->type;
    const Need *need = spec ? sema_info(l->in, p->kid[0])->need : NULL;
    bool done = need && need->shown && need->with; /* by its class's __format__ */
    bool text = spec && spec->str[0] && !done && (p->op >= 0 || (t && type_is_str(t)));
    bool around = f->laid_out;
    if (text)
        keep_together(l, f);
    if (text)
        sb_addf(&f->text, "%%[%s;", spec->str);
    format_plain(l, f, p);
    if (text)
        sb_add(&f->text, "%]");
    f->laid_out = around;
}

/* The parts of a message one after the other, with a place for each run-time value. */
static void
format_values(Lower *l, Format *f, int n_parts, Node *const *part, const char *sep)
{
    const char *between = "";
    for (int i = 0; i < n_parts; i++) {
        const Node *p = part[i];
        const Call *c = sema_info(l->in, p)->call;
        if (p->kind == N_Starred && c) {
            int64_t side = c->dflt[2]->i;
            Val all = pin(l, expr(l, p));
            sb_add(&f->text, side == TEXT_BEHIND ? "" : between);
            format_note(l, f, &all, false);
            between = side == TEXT_BEFORE ? "" : sep;
            continue;
        }
        Val tuple = p->kind == N_Starred ? pin(l, expr(l, p->kid[0])) : (Val){.n = 1};
        for (int k = 0; k < tuple.n; k++, between = sep) {
            sb_add(&f->text, between);
            if (p->kind == N_Starred)
                format_val(l, f, &tuple.elem[k]);
            else if (p->kind == N_JoinedStr && sema_info(l->in, p)->type->kind != TY_TEXT)
                format_values(l, f, p->n, p->kid, "");
            else
                format_part(l, f, p);
        }
    }
}

static int
format_site(Lower *l, Format *f, const char *cls, Span at)
{
    return ir_site(l->b.mod, cls, sb_keep(&f->text, &l->cx->arena), at);
}

static const char *
text_option(Lower *l, const Node *call, const char *name, const char *usual)
{
    for (int i = 1; i < call->n; i++) {
        const Node *k = call->kid[i];
        const Const *c = k->kind == N_Keyword ? sema_info(l->in, k->kid[0])->cst : NULL;
        if (c && c->kind == CV_STR && strcmp(k->name, name) == 0)
            return escaped(l, c->str);
    }
    return usual;
}

/* f'...' or 'a' if c else 'b', other than as a part of a message. */
Val
lower_made_string(Lower *l, const Node *n)
{
    Diag *d = diag_add(&l->cx->diags, DIAG_unsupported, n->at,
                       "a string made at run time is not supported");
    bool choice = n->kind == N_IfExp;
    diag_hint(&l->cx->diags, d,
              choice ? "write an if statement with a message in each branch"
                     : "f-strings may be the message of an exception, or printed");
    return val_none(&l->b);
}

static void print_pieces(Lower *l, Format *f, Span at);

static void
print_value(Lower *l, const Val *v)
{
    Format f = {.max = MAX_PRINTED, .max_holes = MAX_HOLES, .prints = true};
    format_val(l, &f, v);
    print_pieces(l, &f, l->b.span);
}

static void
print_object(Lower *l, Val *v)
{
    if (type_is_optional(v->type)) {
        IrStmt *s = ir_if(&l->b, ir_copy_expr(l->cx, v->elem[0].e));
        IrBlock *save = l->b.at;
        Val none = val_none(&l->b);
        l->b.at = &s->body;
        print_value(l, &v->elem[1]);
        l->b.at = &s->els;
        print_value(l, &none);
        l->b.at = save;
        return;
    }
    const char *cls = heap_function_of(v->type->ref, "print");
    const Inst *in = sema_helper(l->in, arena_printf(&l->cx->arena, "_%s_print", cls), v->type);
    if (in)
        inst_call(l, in, v);
    else
        diag_add(&l->cx->diags, DIAG_unsupported, l->b.span, "%s in a message", v->type->text);
}

/* The pieces of what is printed between the texts of exceptions. Its values have been put into one
 * format. */
static void
print_pieces(Lower *l, Format *f, Span at)
{
    if (f->before)
        print_pieces(l, f->before, at);
    const char *p = sb_keep(&f->text, &l->cx->arena);
    for (int k = 0; k <= f->n_holes; k++) {
        const char *end = k < f->n_holes ? strstr(p, "%E") : p + strlen(p);
        while (k < f->n_holes && end > p && end[-1] == '%')
            end = strstr(end + 1, "%E"); /* "%%E" is no place */
        IrStmt *s = ir_append(&l->b, IS_PRINT);
        s->site =
            ir_site(l->b.mod, "print", arena_printf(&l->cx->arena, "%.*s", (int)(end - p), p), at);
        s->n_args = f->n;
        s->args = NEW_N(&l->cx->arena, IrArg, f->n);
        for (int i = 0; i < f->n; i++)
            s->args[i].e = k ? ir_copy_expr(l->cx, f->arg[i]) : f->arg[i];
        if (k < f->n_holes && f->hole[k].caught)
            caught_print(l, f->hole[k].caught);
        else if (k < f->n_holes)
            print_object(l, &f->hole[k].object);
        p = end + 2;
    }
}

void
lower_print(Lower *l, const Node *call)
{
    Format f = {.max = MAX_PRINTED, .max_holes = MAX_HOLES, .prints = true};
    Node **part = NEW_N(&l->cx->arena, Node *, call->n);
    int n = 0;
    for (int i = 1; i < call->n; i++)
        if (call->kid[i]->kind != N_Keyword)
            part[n++] = call->kid[i];
    format_values(l, &f, n, part, text_option(l, call, "sep", " "));
    sb_add(&f.text, text_option(l, call, "end", "\n"));
    print_pieces(l, &f, call->at);
}

/* Several arguments of an exception are shown as a tuple. */
static void
format_tuple(Lower *l, Format *f, int n, Node *const *part)
{
    for (int i = 0; i < n; i++) {
        sb_add(&f->text, i ? ", " : "(");
        if (part[i]->kind == N_JoinedStr && sema_info(l->in, part[i])->type->kind != TY_TEXT) {
            sb_add(&f->text, "'");
            format_values(l, f, part[i]->n, part[i]->kid, "");
            sb_add(&f->text, "'");
        } else {
            Val v = pin(l, expr(l, part[i]));
            format_repr(l, f, &v);
        }
    }
    sb_add(&f->text, ")");
}

/* Arguments that the exception keeps as they are: numbers, strings, None. A string alone is its
 * message. */
static bool
is_made_text(Lower *l, const Node *e)
{
    const Call *c = e->kind == N_Call ? sema_info(l->in, e)->call : NULL;
    return e->kind == N_JoinedStr ||
           (c && c->kind == CALL_BUILTIN && (c->fn->id == BI_py_str || c->fn->id == BI_py_repr));
}

static bool
is_payload(Lower *l, int n, Node *const *arg, bool all)
{
    for (int i = 0; i < n; i++) {
        const Info *info = sema_info(l->in, arg[i]);
        const Type *t = info->type;
        bool part = arg[i]->kind == N_Subscript; /* of a tuple, whose type has the text */
        bool text = t && t->kind == TY_STR && (info->cst || part || is_made_text(l, arg[i]));
        if (t && t->kind == TY_TEXT && arg[i]->kind != N_Starred &&
            (n > 1 || all || type_is_bytes(t)))
            continue;
        if (arg[i]->kind == N_Starred || !t || (text && n == 1 && !all))
            return false;
        if (!text && t->kind != TY_NONE && (t->kind != TY_SCALAR || t->mixed))
            return false;
    }
    return true;
}

/* As rt/format.c reads it: what it is, and how it is written. */
static void
payload_arg(Lower *l, Format *f, const Node *arg)
{
    const Info *info = sema_info(l->in, arg);
    if (is_made_text(l, arg) && !info->cst && info->type->kind != TY_TEXT) {
        sb_add(&f->text, "s");
        format_values(l, f, 1, (Node *[]){(Node *)(uintptr_t)arg}, "");
        return;
    }
    Val v = pin(l, expr(l, arg));
    const char *text = v.cst && v.cst->kind == CV_STR ? v.cst->str : NULL;
    if (v.type && (type_is_bytes(v.type) || (f->quoted && v.type->kind == TY_TEXT))) {
        sb_add(&f->text, "y");
        format_note(l, f, &v, true);
        return;
    }
    if (v.type && v.type->kind == TY_TEXT)
        sb_add(&f->text, "s");
    else if (text)
        sb_add(&f->text, strchr(text, '\'') && !strchr(text, '"') ? "S" : "s");
    else if (v.kind == VK_SCALAR)
        sb_addf(&f->text, "%c%c", v.type->weak ? 'w' : 'n', 'A' + (int)v.type->storage);
    else
        sb_add(&f->text, "N");
    format_val(l, f, &v);
}

/* all: Python's class makes what it wants of its arguments, and gets just these. */
enum { UNICODE_ARGS = 5 }; /* of a UnicodeError; swathe/lib gives its text behind them */

static void
format_text_of(Lower *l, Format *f, const Node *says)
{
    sb_add(&f->text, "W");
    Val v = pin(l, expr(l, says));
    if (v.cst && v.cst->kind == CV_STR)
        format_text(f, v.cst->str);
    else
        format_note(l, f, &v, false);
}

static void
format_raised(Lower *l, Format *f, int n_msg, Node *const *msg, bool all, const Node *says)
{
    bool payload = is_payload(l, n_msg, msg, all);
    if (all && !payload) {
        Diag *d = diag_add(&l->cx->diags, DIAG_unsupported, l->b.span,
                           "raising an exception whose class has an __init__ or __new__ of its own "
                           "with these arguments");
        diag_hint(&l->cx->diags, d, "it takes numbers, strings and None from compiled code");
    }
    sb_add(&f->text, payload ? "%(" : "");
    for (int i = 0; payload && i < n_msg; i++) {
        sb_add(&f->text, i ? "%," : "");
        if (i == UNICODE_ARGS && f->quoted && l->in->def->is_lib)
            format_text_of(l, f, msg[i]);
        else
            payload_arg(l, f, msg[i]);
    }
    if (payload && says) {
        sb_add(&f->text, n_msg ? "%," : "");
        format_text_of(l, f, says);
    }
    if (payload)
        sb_add(&f->text, "%)");
    else if (n_msg > 1)
        format_tuple(l, f, n_msg, msg);
    else
        format_values(l, f, n_msg, msg, ", ");
}

/* Of a class, or of one with constants, from which another is raised. Numbers are part of its
 * text. */
int
cause_site(Lower *l, const char *cls, const Node *from)
{
    Format f = {.max = 0};
    int n = from->kind == N_Call ? from->n - 1 : 0;
    bool numbers = false;
    for (int i = 0; i < n; i++)
        numbers |= from->kid[1 + i]->val->kind != CV_STR;
    sb_add(&f.text, n ? "%(s" : "%(");
    for (int i = 0; i < n; i++) {
        sb_add(&f.text, !i ? numbers && n > 1 ? "(" : "" : numbers ? ", " : "%,s");
        format_text(&f, numbers ? ast_text(&l->cx->arena, from->kid[1 + i])
                                : from->kid[1 + i]->val->str);
    }
    sb_add(&f.text, numbers && n > 1 ? ")%)" : "%)");
    return format_site(l, &f, cls, from->at);
}

/* As a format it would be that of an exception without arguments. */
static bool
is_empty_text(const Lower *l, const Node *n)
{
    const Const *c = sema_info(l->in, n)->cst;
    return c && c->kind == CV_STR && !*c->str;
}

void
raise_class(Lower *l, const RaisedClass *cls, int n_msg, Node *const *msg, int cause)
{
    Format f = {.max = MAX_RAISED, .max_holes = 1};
    f.quoted = !strncmp(cls->text, "Unicode", 7);
    /* its message is the repr of what it is given */
    bool key = !strcmp(cls->text, "KeyError") || !strncmp(cls->text, "KeyError<", 9);
    const Type *t = n_msg == 1 ? sema_info(l->in, msg[0])->type : NULL;
    if (t && type_class(t) && l->in->def->is_lib) /* no key of a dict, but it has no text */
        n_msg = 0;
    const Node *says = cls->says ? msg[--n_msg] : NULL;
    bool payload = cls->own || (key && t && t->kind == TY_TEXT);
    format_raised(l, &f, n_msg, msg, payload || (n_msg == 1 && is_empty_text(l, msg[0])), says);
    int site = ir_site_from(l->b.mod, format_site(l, &f, cls->text, l->b.span), cause);
    if (f.n_holes)
        caught_nest(l, f.hole[0].caught);
    ir_raise(&l->b, site, f.n, arena_dup(&l->cx->arena, f.arg, sizeof f.arg));
}
