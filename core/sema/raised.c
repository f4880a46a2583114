/* SPDX-License-Identifier: BSD-3-Clause
 * Of which class a caught exception is, which only the run tells: isinstance(e, C), type(e) is C,
 * issubclass(t, C), t in (A, B). What type(e) yields, and what __exit__ of a context manager is
 * given first, is the exception under another type, whose ref says so; functions of the library
 * raise it again inside of a try to find its class. */
#include "sema/calls.h"
#include "sema/internal.h"

static const char class_ref[] = "class;";

bool
raised_is_value(const Type *t)
{
    return t->kind == TY_EXC && !raised_is_class(t);
}

/* A value whose text and arguments can be asked for. */
bool
raised_is(const Type *t)
{
    return t->n && raised_is_value(t);
}

bool
raised_is_class(const Type *t)
{
    return t->kind == TY_EXC && t->ref && !strcmp(t->ref, class_ref);
}

/* C.__name__ */
const char *
raised_name(const Const *cls)
{
    const char *dot = strrchr(cls->str, '.');
    return dot ? dot + 1 : cls->str;
}

/* type(e) */
const Type *
raised_class_of(Sema *s, const Type *t)
{
    return type_other(s->tt, TY_EXC, intern(&s->cx->syms, class_ref), t->n, t->elems, NULL);
}

static bool
is_class_or_some(const Const *c)
{
    for (int i = 0; c && c->kind == CV_TUPLE && i < c->n; i++)
        if (!is_class_or_some(c->elems[i]))
            return false;
    return c && (c->kind == CV_EXC_CLASS || c->kind == CV_TUPLE);
}

static Sem
ask(Sema *s, const Node *e, const char *by, Sem v, const Node *vn, const Node *cls)
{
    if (v.type->n)
        return heap_call(s, e, by, 2, (const Node *const[]){vn, cls});
    sema_unsupported(s, e, "asking this exception for its class");
    return sema_unknown(s);
}

/* isinstance(e, C), issubclass(type(e), C). False: it is something else. */
bool
raised_row(Sema *s, const Node *e, const Call *c, Sem *out)
{
    bool instance = c->fn->id == BI_py_isinstance;
    if ((!instance && c->fn->id != BI_py_issubclass) || c->n_args != 2 || !c->arg[0] || !c->arg[1])
        return false;
    Sem v = sema_known(s, c->arg[0]), cls = sema_known(s, c->arg[1]);
    if (v.type->kind != TY_EXC || raised_is_class(v.type) == instance || !is_class_or_some(cls.cst))
        return false;
    *out = ask(s, e, "_raised_is", v, c->arg[0], c->arg[1]);
    return true;
}

/* type(e) is C, C == type(e), type(e) in (A, B). False: it is something else. */
bool
raised_compare(Sema *s, const Node *e, Sem a, Sem b, Sem *out)
{
    int op = e->ops[0];
    bool left = raised_is_class(a.type), in = op == C_IN || op == C_NOTIN;
    if ((!left && !raised_is_class(b.type)) || (!left && in) || a.type->kind == TY_NONE ||
        b.type->kind == TY_NONE)
        return false;
    const Sem v = left ? a : b, cls = left ? b : a;
    const Node *vn = e->kid[!left], *cn = e->kid[left];
    bool known = is_class_or_some(cls.cst) && in == (cls.cst->kind == CV_TUPLE);
    bool is = op == C_IS || op == C_EQ || op == C_IN;
    if (known && (is || op == C_ISNOT || op == C_NE || op == C_NOTIN)) {
        *out = ask(s, e, is ? "_raised_is_just" : "_raised_is_not_just", v, vn, cn);
    } else {
        sema_error(s, DIAG_unsupported, e,
                   "'%s' of the class of an exception and what is no class that is known here",
                   cmp_text[op]);
        *out = sema_unknown(s);
    }
    return true;
}

/* ---- __exit__ -------------------------------------------------------------------------------- */

/* Is the name asked for more than whether it is None? `classes`: which class it is of is no more.
 */
static bool
is_asked(const FuncDef *f, const Node *n, Sym name, bool classes)
{
    bool asked = false;
    for (int i = 0; n && i < n->n && !asked; i++) {
        const Node *k = n->kid[i];
        bool named = k && k->kind == N_Name && k->name == name;
        bool none = n->kind == N_Compare && n->n == 2 &&
                    (n->ops[0] == C_IS || n->ops[0] == C_ISNOT) && n->kid[1]->kind == N_Const &&
                    n->kid[1]->val->kind == CV_NONE;
        bool class = classes && n->kind == N_Call && i == 1 && n->kid[0]->kind == N_Name &&
                     !strcmp(n->kid[0]->name, "isinstance");
        asked = named ? !none && !class : is_asked(f, k, name, classes);
    }
    return asked || (n && n->fn && is_asked(n->fn, n->fn->body, name, classes));
}

/* What a method __exit__ asks of what it is given. */
RaisedUse
raised_use(const FuncDef *exit)
{
    RaisedUse use = RAISED_NOT_ASKED;
    for (int i = 1; i < exit->n_params; i++) {
        const Param *p = &exit->params[i];
        bool rest = p->kind == P_VARARGS || p->kind == P_KEYWORDS;
        if (!is_asked(exit, exit->body, p->name, false))
            continue;
        bool text = rest || (i > 1 && is_asked(exit, exit->body, p->name, true));
        use = text ? RAISED_VALUE : use == RAISED_VALUE ? use : RAISED_CLASS;
    }
    return use;
}

/* ---- issubclass of classes that are known ---------------------------------------------------- */

static bool
has_instances(const Const *c)
{
    return c && (c->kind == CV_CLASS || c->kind == CV_TUPLE_CLASS);
}

/* -1: nothing is known of one of them. */
static int
is_below(const Sema *s, const Const *c, const Const *of)
{
    int is = 0;
    if (of && of->kind == CV_TUPLE) {
        for (int i = 0; i < of->n && is >= 0; i++) {
            int one = is_below(s, c, of->elems[i]);
            is = one < 0 ? one : is | one;
        }
        return is;
    }
    return has_instances(c) && has_instances(of) ? class_is(s, c->ref, of->ref) : -1;
}

const Type *
type_py_issubclass(CallCx *x)
{
    int is = is_below(x->s, sema_arg(x->s, x->c, 0).cst, sema_arg(x->s, x->c, 1).cst);
    if (is < 0) {
        Diag *d = sema_error(x->s, DIAG_unsupported, x->at,
                             "issubclass() of other than the user's classes, or type(e) and "
                             "classes of exceptions");
        diag_hint(x->s->diags, d, "ask with isinstance(x, ...)");
        return NULL;
    }
    x->cst = const_bool(x->s, is);
    return type_scalar(x->s->tt, DT_bool, true);
}
