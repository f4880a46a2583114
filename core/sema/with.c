/* SPDX-License-Identifier: BSD-3-Clause
 * with. A context manager is a value whose class has the methods __enter__ and __exit__; then the
 * statement is what py/ast_in.c has written out, with the body guarded as by a try (try.c). Others
 * are known by their class, by rows of def/context.def: what compiled code has of them needs
 * nothing to be done on the way in or out. */
#include "sema/internal.h"

/* ---- classes of def/context.def: true: the body is all there is ------------------------------ */

typedef bool Context(Sema *s, const Node *call);

static bool
no_name(Sema *s, const Node *n, const char *what)
{
    if (n->op)
        sema_unsupported(s, n, arena_printf(s->a, "'as' after %s", what));
    return !n->op;
}

/* NumPy's warnings do not exist here (docs/semantics.md), so 'ignore' and 'warn' change nothing. */
static Context context_errstate;
static bool
context_errstate(Sema *s, const Node *call)
{
    static const char *const names[] = {"all", "divide", "over", "under", "invalid"};
    for (int i = 1; i < call->n; i++) {
        const Node *k = call->kid[i], *v = k->kind == N_Keyword ? k->kid[0] : k;
        const Const *c = sema_expr(s, v).cst;
        bool known = false;
        for (int j = 0; k->kind == N_Keyword && k->name && j < SW_LEN(names); j++)
            known |= !strcmp(k->name, names[j]);
        if (!known) {
            sema_error(s, DIAG_unsupported, k, "this argument of np.errstate is not supported");
            return false;
        }
        if (c && (c->kind == CV_NONE ||
                  (c->kind == CV_STR && (!strcmp(c->str, "ignore") || !strcmp(c->str, "warn")))))
            continue;
        Diag *d = sema_error(
            s, DIAG_unsupported, v,
            "np.errstate(%s=...) with other than 'ignore' or 'warn' is not supported", k->name);
        diag_hint(s->diags, d,
                  "compiled code gives no warnings; debug=True raises FloatingPointError where a "
                  "NaN comes from numbers that are none");
        return false;
    }
    return true;
}

static Context context_nullcontext;
static bool
context_nullcontext(Sema *s, const Node *call)
{
    if (call->n == 1)
        return true;
    Diag *d = sema_error(s, DIAG_unsupported, call, "arguments of nullcontext() are not supported");
    diag_hint(s->diags, d, "assign the value before the with statement");
    return false;
}

static const Const *
constant_of(Sema *s, const Node *e)
{
    return e->kind == N_Const  ? e->val
           : e->kind == N_Name ? ast_global(s->fr->in->def, e->name)
                               : NULL;
}

/* `with swathe.gpu:` says where code runs, and here it is the CPU. 1: the body is all, 0: after a
 * message, -1: neither. */
static int
known_context(Sema *s, const Node *n)
{
    static Context *const of_class[] = {
#define CONTEXT(module, name, id) context_##id,
#include "def/context.def"
    };
    const Node *e = n->kid[1];
    const Const *c = constant_of(s, e), *cls = e->kind == N_Call ? constant_of(s, e->kid[0]) : NULL;
    if (c && c->kind == CV_MODULE && !strcmp(c->str, "swathe.gpu"))
        return no_name(s, n, c->str);
    if (cls && cls->kind == CV_CONTEXT)
        return of_class[cls->i](s, e) && no_name(s, n, cls->str);
    return -1;
}

/* ---- classes with methods -------------------------------------------------------------------- */

/* The one place that says which values are context managers: whose methods `.m.__enter__()`
 * finds. */
static const FuncDef *
method_of(Sema *s, const Type *t, const char *name)
{
    const Method *m = t->kind == TY_OBJ ? special_of(s, t, name) : NULL;
    return m && !m->is_property  ? m->def
           : t->kind == TY_TUPLE ? tuple_function(s, t, intern(&s->cx->syms, name))
                                 : NULL;
}

static bool
is_manager(Sema *s, const Node *n, const Type *t)
{
    static const char *const wanted[] = {"__enter__", "__exit__"};
    for (int i = 0; i < 2; i++) {
        if (method_of(s, t, wanted[i]))
            continue;
        Diag *d = sema_error(
            s, DIAG_unsupported, n->kid[1],
            "a with statement over %s, which has no compiled method %s, is not supported", t->text,
            wanted[i]);
        diag_hint(s->diags, d,
                  "np.errstate, contextlib.nullcontext(), and named tuples and instances with "
                  "__enter__ and __exit__ are context managers here; "
                  "do other things outside the compiled function");
        return false;
    }
    return true;
}

/* Names that a statement we cannot type would have bound: known from here on, silently. */
static void
bind_unknown(Sema *s, const Node *at, Sym name, void *arg)
{
    (void)arg;
    env_bind(s, name, sema_unknown(s), at);
}

void
sema_with(Sema *s, const Node *n)
{
    int known = known_context(s, n);
    const Node *begin = n->kid[2];
    Info *info = info_of(s, n);
    info->cst = NULL;
    if (known > 0) {
        info->cst = const_bool(s, true);
        for (int i = 2; i < 5; i++)
            sema_dead(s, n->kid[i]);
        sema_block(s, n->kid[0]);
        return;
    }
    Sem v = sema_unknown(s);
    if (known < 0) {
        int mark = diag_mark(s);
        sema_stmt(s, begin->kid[0]);
        const Info *holder = info_of(s, begin->kid[0]->kid[1]);
        bool failed = diag_mark(s) != mark || s->fr->env.dead;
        v = failed || !holder->type ? v : sem_of(holder->type);
    }
    if (s->fr->env.dead)
        return;
    if (sem_bad(v) || !is_manager(s, n, v.type)) {
        env_walk_assigned(s, n, bind_unknown, NULL);
        return;
    }
    info->raised = raised_use(method_of(s, v.type, "__exit__"));
    sema_stmt(s, begin->kid[1]);
    if (!s->fr->env.dead)
        sema_with_body(s, n);
}
