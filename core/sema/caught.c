/* SPDX-License-Identifier: BSD-3-Clause
 * What `except E as e` binds. Where e is only raised again it is nothing at run time. Where its
 * text or its arguments are asked for, or another clause raises it, it is an array that holds the
 * error (rt.def, sw_err_look). The types of its arguments are those that the statements have which
 * may have raised it; that it came from one of them is tested when they are read. */
#include "sema/calls.h"
#include "sema/internal.h"

#include <stdlib.h>

/* ---- is it more than raised again? ----------------------------------------------------------- */

/* nested: where `raise e` isn't the handler's own. */
static bool
uses(const Node *n, Sym name, bool nested)
{
    if (!n)
        return false;
    if (n->kind == N_Name)
        return n->name == name && n->op == CTX_LOAD;
    bool direct = n->kind == N_Raise && !nested;
    nested |= n->kind == N_Handler || n->kind == N_With || (n->kind == N_Try && n->kid[2]) || n->fn;
    for (int i = 0; i < n->n; i++) {
        const Node *k = n->kid[i];
        bool raised =
            k && k->kind == N_Name && k->name == name && n->kind == N_Raise && (direct || i == 1);
        if (!raised && uses(k, name, nested))
            return true;
    }
    return n->fn && uses(n->fn->body, name, true);
}

/* ---- its arguments --------------------------------------------------------------------------- */

enum { MOST_ARGS = 8 };

typedef struct Gather {
    Sema *s;
    const Const *cls;           /* of the handler, or NULL: all */
    const Type *arg[MOST_ARGS]; /* none: not of one type */
    int n;                      /* of the one that has most */
    bool raises, mixed;         /* some have fewer */
    bool own;                   /* some are made by Python, when they leave */
    bool silent, may_say;       /* some of these say nothing; all can: see ast/told.c */
    bool apart;                 /* these and others, or of unlike attributes */
    const char *keeps;          /* attributes that are arguments: see CV_EXC_CLASS */
    Map seen;
} Gather;

static bool
may_catch(const Const *handler, const Const *raised)
{
    static const char *const wide[] = {"Exception", "BaseException", "LookupError",
                                       "ArithmeticError", "OSError"};
    if (!handler)
        return true;
    for (int i = 0; handler->kind == CV_TUPLE && i < handler->n; i++)
        if (may_catch(handler->elems[i], raised))
            return true;
    if (handler->kind != CV_EXC_CLASS)
        return false;
    for (int i = 0; i < SW_LEN(wide); i++)
        if (!strcmp(handler->str, wide[i]))
            return true;
    for (int i = 0; i < raised->n; i++)
        if (!strcmp(raised->names[i], handler->str))
            return true;
    return !strcmp(handler->str, raised->str);
}

static void
gather_count(Gather *g, int n)
{
    g->mixed |= g->raises && n != g->n;
    g->raises = true;
    g->n = n > g->n ? n : g->n;
}

/* The attributes ("name=k;...") that are the same arguments of both. */
static const char *
kept_by_both(Gather *g, const char *a, const char *b)
{
    StrBuf both = {0};
    if (a == b || !a || !b)
        return a == b ? a : NULL;
    for (const char *p = a; *p;) {
        size_t n = strcspn(p, ";") + 1;
        for (const char *q = b; *q; q += strcspn(q, ";") + 1)
            if (!strncmp(p, q, n))
                sb_addn(&both, p, n);
        p += n;
    }
    return both.n ? intern(&g->s->cx->syms, sb_keep(&both, g->s->a)) : NULL;
}

static void
gather_class(Gather *g, const Const *cls)
{
    g->apart |= g->raises && g->own != cls->b;
    g->own |= cls->b;
    g->may_say &= !cls->b || cls->i != 0;
    g->silent |= cls->b && !cls->weak;
    g->keeps = g->raises ? kept_by_both(g, g->keeps, cls->data) : cls->data;
}

static void
gather_raise(Gather *g, const Inst *in, const Node *e)
{
    const Const *cls = in->info[e->kid[0]->id].cst;
    if (!is_exc_class(cls) || !may_catch(g->cls, cls))
        return;
    gather_class(g, cls);
    int n = e->n - cls->weak; /* the last is the text */
    for (int i = 1; i < n && i <= MOST_ARGS; i++) {
        g->apart |= e->kid[i]->kind == N_Keyword || e->kid[i]->kind == N_Starred;
        const Type *t = in->info[e->kid[i]->id].type, **to = &g->arg[i - 1];
        if (t && (type_is_str(t) || e->kid[i]->kind == N_JoinedStr))
            t = type_text(g->s->tt);
        if (t && t->kind != TY_UNKNOWN)
            *to = !*to || *to == t ? t : type_none(g->s->tt);
    }
    gather_count(g, n - 1 < MOST_ARGS ? n - 1 : MOST_ARGS);
}

static void
gather(Gather *g, const Inst *in, const Node *n)
{
    if (!n || !in->info)
        return;
    const Info *i = &in->info[n->id];
    if (i->dead)
        return;
    /* NULL: what was caught is raised again, of which the statements that raised it tell */
    const Node *raised = n->kind == N_Raise && n->n ? n->kid[0] : NULL;
    const Const *cls = raised ? in->info[raised->id].cst : NULL;
    if (raised && raised->kind == N_Call)
        gather_raise(g, in, raised);
    else if (is_exc_class(cls) && may_catch(g->cls, cls)) {
        gather_class(g, cls);
        gather_count(g, 0);
    }
    const Call *calls[3] = {i->call, i->before, i->truth};
    for (int k = 0; k < SW_LEN(calls); k++) {
        const Inst *to = calls[k] && calls[k]->kind == CALL_INST ? calls[k]->inst : NULL;
        if (!to || map_get(&g->seen, to))
            continue;
        map_put(g->s->a, &g->seen, to, (void *)(uintptr_t)to);
        gather(g, to, to->def->body);
    }
    for (int k = 0; k < n->n; k++)
        gather(g, in, n->kid[k]);
}

/* Does n ask for no more of its kid i than the text? */
static bool
asks_text(const FuncDef *f, const Node *n, int i)
{
    const Const *c = n->kind != N_Call || !i            ? NULL
                     : n->kid[0]->kind == N_Const       ? n->kid[0]->val
                     : n->kid[0]->kind != N_Name        ? NULL
                     : ast_is_local(f, n->kid[0]->name) ? NULL
                                                        : ast_global(f, n->kid[0]->name);
    const Builtin *b = c && c->kind == CV_BUILTIN ? c->ref : NULL;
    return (n->kind == N_FormattedValue && i == 0 && (n->op == -1 || n->op == 's')) ||
           (b && (b->id == BI_py_str || b->id == BI_py_print || b->id == BI_py_class_name ||
                  b->id == BI_py_isinstance || b->id == BI_py_type));
}

/* Is the name no more than raised, asked for attributes, and, if it may say what it is, shown? */
static bool
only_attributes(const FuncDef *f, const Node *n, Sym name, bool says)
{
    bool only = true;
    for (int i = 0; n && i < n->n && only; i++) {
        const Node *k = n->kid[i];
        bool named = k && k->kind == N_Name && k->name == name && k->op == CTX_LOAD;
        bool asked = n->kind == N_Attribute && strcmp(n->name, "args") && n->name[0] != '_';
        only = named ? asked || n->kind == N_Raise || (says && asks_text(f, n, i))
                     : only_attributes(f, k, name, says);
    }
    return only && (!n || !n->fn || only_attributes(n->fn, n->fn->body, name, says));
}

/* The argument that an attribute is; -1: none. */
int
sema_caught_attribute(const Type *t, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = t->ref; p && *p; p = strchr(p, ';') + 1)
        if (!strncmp(p, name, n) && p[n] == '=')
            return atoi(p + n + 1);
    return -1;
}

/* Of the handler's name. */
const Type *
sema_caught(Sema *s, const Node *body, const Node *h, RaisedUse use)
{
    Gather g = {.s = s, .cls = h->kid[0] ? sema_known(s, h->kid[0]).cst : NULL, .may_say = true};
    const FuncDef *f = s->fr->in->def;
    const Type *t[MOST_ARGS + 2] = {type_array(s->tt, DT_i64, 1, LAY_C, false)};
    if (use == RAISED_NOT_ASKED || !uses(h->kid[1], h->name, false))
        return type_other(s->tt, TY_EXC, NULL, 0, NULL, NULL);
    gather(&g, s->fr->in, body);
    bool kept = g.own && !g.apart && g.keeps && only_attributes(f, h->kid[1], h->name, !g.silent);
    bool said = g.own && !kept && only_attributes(f, h->kid[1], h->name, true);
    if (said && g.silent && g.may_say && !s->prog->tells_raised)
        sema_tell_raised(s);
    if (use == RAISED_VALUE && g.own && !kept && !(said && !g.silent)) {
        Diag *d = sema_error(
            s, DIAG_unsupported, h,
            "an exception whose class has an __init__ or __new__ of its own, as a value");
        diag_hint(s->diags, d,
                  "it is made when it leaves to Python; here it can be caught, raised again, "
                  "asked for attributes that are arguments of its __init__, and for its text where "
                  "that is told by simple statements of numbers, strings and None");
    }
    for (int i = 0; i < g.n; i++)
        t[i + 1] = g.arg[i] ? g.arg[i] : type_none(s->tt);
    if (g.mixed) /* not a tuple of one type */
        t[++g.n] = type_none(s->tt);
    bool stop =
        !g.own && g.cls && g.cls->kind == CV_EXC_CLASS && !strcmp(g.cls->str, "StopIteration");
    return type_other(s->tt, TY_EXC,
                      kept          ? g.keeps
                      : stop && g.n ? "value=0;"
                                    : NULL,
                      g.n + 1, t, NULL);
}

/* A real number, or a str. */
static bool
is_kept(const Type *t)
{
    return (t->kind == TY_SCALAR && !dtype_is_complex((DType)t->dtype)) ||
           (t->kind == TY_TEXT && !type_is_bytes(t));
}

/* e.code, which its class's __init__ sets to an argument. */
Sem
sema_caught_own(Sema *s, const Node *e, const Type *t)
{
    int k = sema_caught_attribute(t, e->name);
    if (raised_is_class(t) && !strcmp(e->name, "__name__"))
        return sem_of(type_text(s->tt));
    if (k >= 0 && k + 1 < t->n && is_kept(t->elems[k + 1]))
        return sem_of(t->elems[k + 1]);
    Diag *d =
        sema_error(s, DIAG_unsupported, e, "this attribute of a caught exception is not supported");
    diag_hint(s->diags, d,
              "attributes that __init__ sets to an argument, a real number or a str that each "
              "`raise` in the try gives with one type");
    return sema_unknown(s);
}

/* e.args */
Sem
sema_caught_args(Sema *s, const Node *at, const Type *t)
{
    for (int i = 1; i < t->n; i++)
        if (!is_kept(t->elems[i])) {
            Diag *d = sema_error(s, DIAG_unsupported, at,
                                 "these arguments of a caught exception are not supported");
            diag_hint(
                s->diags, d,
                "real numbers and str, as many and of the same types in each `raise` in the try");
            return sema_unknown(s);
        }
    return sem_of(type_tuple(s->tt, t->n - 1, t->elems + 1));
}

/* e.args[k]; type NULL: it is something else. */
Sem
sema_caught_arg(Sema *s, const Node *e)
{
    const Node *a = e->kid[0], *of = a->kind == N_Attribute ? a->kid[0] : NULL;
    const Slot *slot =
        of && of->kind == N_Name && !strcmp(a->name, "args") ? env_find(s, of->name) : NULL;
    if (!slot || !slot->var || slot->clash || slot->var->type->kind != TY_EXC)
        return (Sem){0};
    const Type *t = sema_expr(s, of).type;
    const Const *c = sema_expr(s, e->kid[1]).cst;
    int64_t k;
    *info_of(s, a) = (Info){.type = t};
    if (!const_as_int(c, &k) || k < 0 || k + 1 >= t->n || !is_kept(t->elems[k + 1])) {
        Diag *d = sema_error(s, DIAG_unsupported, e,
                             "this argument of a caught exception is not supported");
        diag_hint(
            s->diags, d,
            "an index that is known, of a real number or a str that each `raise` in the try gives "
            "with one type");
        return sema_unknown(s);
    }
    return sem_of(t->elems[k + 1]);
}

static const char *
dtype_class_name(const Type *t)
{
    DType d = (DType)t->dtype;
    if (dtype_is_param(d))
        return NULL;
    return !t->weak       ? d == DT_bool ? "bool" : dtype_info[d].name
           : d == DT_i64  ? "int"
           : d == DT_f64  ? "float"
           : d == DT_bool ? "bool"
           : d == DT_c128 ? "complex"
                          : NULL;
}

/* type(x).__name__ */
const Type *
type_py_class_name(CallCx *x)
{
    Sem v = sema_arg(x->s, x->c, 0);
    const Type *t = sem_bad(v) ? NULL : v.type;
    if (!t)
        return NULL;
    if (raised_is(t))
        return type_text(x->s->tt);
    const char *name = type_is_int_member(t)              ? t->text
                       : t->kind == TY_SCALAR             ? dtype_class_name(t)
                       : type_is_str(t)                   ? "str"
                       : type_is_bytes(t)                 ? "bytes"
                       : t->kind == TY_NONE               ? "NoneType"
                       : t->kind == TY_ARRAY              ? "ndarray"
                       : t->kind == TY_REF                ? ((const HeapClass *)t->ref)->name
                       : t->kind == TY_KEYED              ? "dict"
                       : t->kind == TY_OBJ                ? type_class(t)->name
                       : choice_is_of_defs(t)             ? "function"
                       : t->kind == TY_TUPLE && !t->names ? (t->listed ? "list" : "tuple")
                                                          : NULL;
    if (!name) {
        sema_error(x->s, DIAG_unsupported, x->at, "the name of the class of %s", t->text);
        return NULL;
    }
    const char *dot = strrchr(name, '.');
    Const c = {.kind = CV_STR, .str = dot ? dot + 1 : name};
    c.str_len = strlen(c.str);
    x->cst = arena_dup(x->s->a, &c, sizeof c);
    return const_type(x->s->tt, x->cst);
}
