/* SPDX-License-Identifier: BSD-3-Clause
 * What is said of a program's text that is not supported. */
#include "sema/internal.h"

static const char *
instead_of(const char *what)
{
    static const struct {
        const char *word, *hint;
    } hints[] = {
        {"import", "import it outside the function"},
        {"class", "define it outside the function"},
        {"global", "pass the value in and return the new one"},
        {"nonlocal", "pass the value in and return the new one"},
        {"yield", "append what is yielded to a list and return it"},
        {"async", "call the compiled function from the coroutine"},
        {"await", "call the compiled function from the coroutine"},
        {"match", "use if and elif"},
        {":= binds", "bind it in a for statement"},
    };

    for (int i = 0; i < SW_LEN(hints); i++)
        if (strstr(what, hints[i].word))
            return hints[i].hint;
    return NULL;
}

void
sema_unsupported(Sema *s, const Node *n, const char *what)
{
    bool whole = strstr(what, "support") != NULL;
    s->names_missing |= strstr(what, "import") != NULL;
    Diag *d = sema_error(s, DIAG_unsupported, n, "%s%s", what, whole ? "" : " is not supported");
    const char *hint = instead_of(what);
    if (hint)
        diag_hint(s->diags, d, "%s", hint);
}

void
sema_takes_outer(Sema *s, const Node *at, const FuncDef *fd)
{
    Diag *d = sema_error(s, DIAG_unsupported, at,
                         "'%s', which is called here without its name, uses '%s' of its module",
                         fd->name, ast_shown(s->a, fd->free[0]));
    diag_hint(s->diags, d, "call it by its name, or let the instance have what it uses");
}

/* A name of something outside. */
void
sema_refuse_outside(Sema *s, const Node *e, const char *what)
{
    Diag *d = sema_error(s, DIAG_unsupported, e,
                         "'%s' is %s, which has no meaning in compiled code", e->name, what);
    const char *hint = strstr(what, "exception class")
                           ? "raise one of Python's own, and turn it into yours where you call"
                       : strstr(what, "not a jitclass") ? "put @swathe.jitclass over the class"
                       : strstr(what, "dict")           ? "pass what is needed of it as an argument"
                       : strstr(what, "_FuncPtr") || strstr(what, "_cffi_backend")
                           ? "C functions take and return numbers and pointers to numbers: "
                             "say so by argtypes and restype, or in their declaration"
                       : strstr(what, "function") ? sema_objmode_hint
                                                  : "pass what is needed of it as arguments";
    diag_hint(s->diags, d, "%s", hint);
}

/* ---- what a function can't be as a whole ----------------------------------------------------- */

static bool
is_function(const Type *t, const void *arg)
{
    (void)arg;
    return type_is_function(t);
}

static bool
returnable(Sema *s, const Type *t)
{
    if (type_has_parts(t) || t->kind == TY_SLICE) {
        for (int i = 0; i < t->n; i++)
            if (!returnable(s, t->elems[i]))
                return false;
        return true;
    }
    bool dtype = t->kind == TY_DTYPE && !t->readonly && !t->weak; /* x.dtype, and no class */
    return t->kind == TY_NONE || t->kind == TY_SCALAR || t->kind == TY_ARRAY || dtype ||
           t->kind == TY_UNKNOWN ||
           ((t->kind == TY_REF || t->kind == TY_OBJ) && !sema_holds(s, t, is_function, NULL));
}

/* For which Python gets an object, but for a class, which it has: swathe._returned. */
static bool
returns_function(Sema *s, const Type *t)
{
    return t->kind != TY_CLASS && sema_holds(s, t, is_function, NULL);
}

static bool
is_member_or_int(const Type *t, const void *arg)
{
    (void)arg;
    return t->mixed && t->ref;
}

/* What it is given and what it returns goes from Python to Python. */
void
sema_check_root(Sema *s, const Inst *root, const Type *ret)
{
    const FuncDef *fd = root->def;
    bool mixed = sema_holds(s, ret, is_member_or_int, NULL);
    for (int i = 0; i < root->n_params; i++)
        mixed |= sema_holds(s, root->params[i], is_member_or_int, NULL);
    if (mixed) {
        Diag *d =
            diag_add(s->diags, DIAG_unsupported, fd->at,
                     "'%s' puts members of an IntEnum among ints that go to Python", fd->name);
        diag_hint(s->diags, d, "make it one type: int(...) of the member");
    }
    for (int i = 0; i < root->n_params; i++) {
        const Type *t = root->params[i];
        if ((t->kind != TY_REF && t->kind != TY_OBJ) || !sema_holds(s, t, is_function, NULL))
            continue;
        Diag *d = diag_add(s->diags, DIAG_unsupported, fd->at,
                           "'%s' puts functions that are made in it into an argument of type %s",
                           fd->name, t->text);
        diag_hint(s->diags, d, "keep them in a list or an instance that is made in it");
    }
    if (returnable(s, ret))
        return;
    DiagId kind = returns_function(s, ret) ? DIAG_returns_function : DIAG_unsupported;
    Diag *d = diag_add(s->diags, kind, fd->at, "'%s' returns %s", fd->name, ret->text);
    diag_hint(s->diags, d, "return None, numbers, arrays, and tuples of these");
}

/* Devices read memory in words that are aligned. */
void
sema_check_packed(Sema *s, const FuncDef *fd)
{
    const SwOptions *opt = s->cx->opt;
    if (!type_packed(s->tt) || (opt->target == TARGET_CPU && !opt->offload))
        return;
    Diag *d = diag_add(s->diags, DIAG_unsupported, fd->at,
                       "records with a field that is not aligned in memory, on a device");
    diag_hint(s->diags, d, "make the dtype with np.dtype([...], align=True)");
}

void
mixed_report(Sema *s, const Node *at, const char *what, const Type *t)
{
    bool members = type_has_members(t);
    Diag *d = sema_error(s, DIAG_type_changes, at,
                         "%s of what is an int on some paths, and a %s on others", what,
                         members ? "member of an IntEnum" : "bool");
    diag_hint(s->diags, d, "make it one type: %s",
              members ? "int(...) of the member" : "bool(...) or int(...)");
}

/* A type that holds itself, with one level more in each round. */
void
sema_never_settles(Sema *s, const FuncDef *fd, int mark)
{
    if (!fd || diag_mark(s) > mark || s->prog->wanted.n || s->prog->asked)
        return; /* it does, or is wrong already, or is compiled again anyway */
    Diag *d = sema_error(s, DIAG_unsupported, fd->body,
                         "what generators or lists hold in '%s' has an ever new type", fd->name);
    diag_hint(s->diags, d, "does one go through itself, by way of a generator expression?");
}

static int
most_axes(const Type *t)
{
    int most = t->kind == TY_ARRAY ? t->ndim : 0;
    for (int i = 0; type_has_parts(t) && i < t->n; i++) {
        int n = most_axes(t->elems[i]);
        most = n > most ? n : most;
    }
    return most;
}

bool
sema_check_axes(Sema *s, const FuncDef *fd, int n, const Type *const *args)
{
    for (int i = 0; i < n; i++)
        if (most_axes(args[i]) > SEMA_MAX_NDIM) {
            diag_add(s->diags, DIAG_unsupported, fd->at, "an array of %d axes (%d are the most)",
                     most_axes(args[i]), SEMA_MAX_NDIM);
            return false;
        }
    return true;
}
