/* SPDX-License-Identifier: BSD-3-Clause
 * Arguments to parameters. Library rows and functions of the program are bound by one
 * procedure over a list of formals; every argument is inferred first, in the order
 * written, so that each is typed even when the binding fails. Values of a `*args`
 * parameter follow the named ones in Call.arg. */
#include "sema/bind.h"
#include "sema/fold.h"

#include <ctype.h>

/* ---- arguments ------------------------------------------------------------------------------- */

/* To what depth the function consumes displays; negative: it asks for them itself. */
static int
consumed_depth(const Builtin *fn)
{
    return fn->family != BF_PY ? -1 : fn->flags & APART ? ALL_DEPTHS : (fn->flags & PAIRS) != 0;
}

/* f(*(g(v) for v in x)): all of it is made before the call. */
static void
make_whole(const Node *star)
{
    if (star->kid[0]->kind == N_ListComp)
        star->kid[0]->op = 0;
}

/* Infers every argument; false when one of them is not known (nothing more is said then). depth: to
 * which displays are consumed; negative: they are not. */
static bool
infer_args(Sema *s, const Node *call, int depth)
{
    bool ok = true;
    for (int i = 1; i < call->n; i++) {
        const Node *k = call->kid[i];
        *info_of(s, k) = k->kind == N_Keyword || k->kind == N_Starred ? (Info){0} : *info_of(s, k);
        const Node *e = is_keyword(k) || k->kind == N_Starred ? k->kid[0] : k;
        if (k->kind == N_Starred)
            make_whole(k);
        Sem v = e == s->star ? sema_known(s, e) : sema_expr(s, e);
        s->star = NULL;
        if (k->kind == N_Starred && keyed_gone_through(s, e, v))
            v = sema_unknown(s);
        if (depth >= 0 || k->kind == N_Starred)
            v = list_as_elements(s, e, v, depth > 0 ? depth : 0);
        if (e != k)
            sema_set(s, k, v);
        ok &= !sem_bad(v);
    }
    return ok;
}

static int
slot_of_position(const Binder *b, int p)
{
    return p < b->f->n_pos ? p : b->f->n + (p - b->f->n_pos);
}

static void
put(Binder *b, const Node *n)
{
    b->given++;
    int p = b->pos++;
    if (p >= b->f->n_pos && !b->f->varargs)
        return;
    int k = slot_of_position(b, p);
    b->out->arg[k] = n;
    if (k < b->f->n)
        b->filled[k] = true;
    if (k >= b->out->n_args)
        b->out->n_args = k + 1;
}

int
call_splat_elem(const Call *c, int k)
{
    bool named_only = k >= c->gap_at && k < c->gap_at + c->gap;
    int i = (k < c->gap_at ? k : k - c->gap) - c->splat_at;
    return !c->splat || named_only || i < 0 || i >= c->splat_n ? -1 : i;
}

/* f(*x) of what isn't a tuple, where all that it holds is in the function's *args. */
static bool
put_rest(Binder *b, const Node *k, Sem v)
{
    Sema *s = b->s;
    const Formals *f = b->f;
    if (!f->spreads || !f->varargs || b->pos != f->n_pos || bind_behind(b, k) != 0 || b->out->splat)
        return false;
    if (!sema_need_made(s, k->kid[0], v, "_as_rest", NULL).type)
        return false;
    b->out->rest = k->kid[0];
    return true;
}

static bool
put_splat(Binder *b, const Node *k)
{
    if (info_of(b->s, k)->call) {
        put(b, k);
        return true;
    }
    Sem v = bind_iterable(b, k, sema_known(b->s, k->kid[0]));
    if (sem_bad(v))
        return false;
    if (v.type->kind != TY_TUPLE && put_rest(b, k, v))
        return true;
    if (v.type->kind != TY_TUPLE || (b->out->splat && v.type->n))
        bind_want_one_star(b->s, b->call);
    if (v.type->kind != TY_TUPLE) {
        sema_want_display(b->s, k->kid[0]);
        Diag *d = sema_error(b->s, DIAG_unsupported, k,
                             "only a tuple can be unpacked into arguments, not %s", v.type->text);
        if (v.type->kind == TY_ARRAY)
            diag_hint(b->s->diags, d, "pass the array itself");
        return false;
    }
    if (b->out->splat && v.type->n) {
        sema_error(b->s, DIAG_unsupported, k, "two unpacked tuples in one call are not supported");
        return false;
    }
    int n = v.type->n - b->out->splat_rest;
    if (n) {
        b->out->splat = k->kid[0];
        b->out->splat_at = b->pos;
        b->out->splat_n = n;
        b->out->gap_at = b->f->n_pos;
        b->out->gap = b->f->n - b->f->n_pos;
    }
    for (int i = 0; i < n; i++)
        put(b, NULL);
    return true;
}

/* np.clip's bounds have two names each. */
static bool
is_called(const char *param, const char *name)
{
    return !strcmp(param, name) || (!strncmp(param, "a_m", 3) && !strcmp(param + 2, name));
}

/* What is given by this name. */
static bool
put_named(Binder *b, const Node *k, CallKey arg)
{
    const Formals *f = b->f;
    const char **names = NEW_N(b->s->a, const char *, f->n + 1);
    for (int i = 0; i < f->n; i++) {
        names[i] = arena_printf(b->s->a, "%.*s", f->at[i].len, f->at[i].name);
        if (!is_called(names[i], arg.key) || (f->keywords && f->at[i].posonly))
            continue;
        if (b->filled[i]) {
            sema_error(b->s, DIAG_argument, k, "%s() got more than one value for '%s'", f->what,
                       arg.key);
            return false;
        }
        b->filled[i] = true;
        b->out->arg[i] = arg.value;
        if (i >= b->out->n_args)
            b->out->n_args = i + 1;
        return true;
    }
    for (int i = 0; f->keywords && i < b->out->n_more; i++)
        if (!strcmp(b->out->more[i].key, arg.key)) {
            sema_error(b->s, DIAG_argument, k, "%s() got more than one value for '%s'", f->what,
                       arg.key);
            return false;
        }
    if (f->keywords) {
        b->out->more[b->out->n_more++] = arg;
        return true;
    }
    Diag *d =
        sema_error(b->s, DIAG_argument, k, "%s() has no argument named '%s'", f->what, arg.key);
    sema_hint_nearest(b->s, d, arg.key, names, f->n);
    return false;
}

/* f(**d): each of its values by its key. */
static bool
put_keys(Binder *b, const Node *k)
{
    Sem v = sema_known(b->s, k->kid[0]);
    bool ok = true;
    v = keyed_as_values(b->s, v);
    if (v.type->kind != TY_KEYED) {
        keyed_wanted(b->s, k, v);
        return false;
    }
    for (int i = 0; i < v.type->n; i++) {
        const Node *value = keyed_part(b->s, k->kid[0], v.type->names[i]);
        ok &= value && put_named(b, k, (CallKey){v.type->names[i], value});
    }
    return ok;
}

static bool
put_keyword(Binder *b, const Node *k)
{
    return k->name ? put_named(b, k, (CallKey){k->name, k->kid[0]}) : put_keys(b, k);
}

static bool
count_is_right(Binder *b, bool self)
{
    const Formals *f = b->f;
    int hidden = self ? 1 : 0;
    if (b->pos > f->n_pos && !f->varargs) {
        int most = f->n_pos - hidden, got = b->given - hidden;
        Diag *d =
            sema_error(b->s, DIAG_argument, b->call, "%s() takes %s%d argument%s but %d %s given",
                       f->what, f->n_pos && !f->at[f->n_pos - 1].required ? "at most " : "", most,
                       most == 1 ? "" : "s", got, got == 1 ? "was" : "were");
        if (self && f->own && got == most + 1 && f->n_pos && strncmp(f->at[0].name, "self", 4) != 0)
            advise_self(b->s, d, f->what, f->at[0].name, f->at[0].len);
        return false;
    }
    StrBuf missing = {0};
    int n = 0;
    for (int i = 0; i < f->n; i++)
        if (f->at[i].required && !b->filled[i])
            sb_addf(&missing, "%s'%.*s'", n++ ? ", " : "", f->at[i].len, f->at[i].name);
    if (n)
        sema_error(b->s, DIAG_argument, b->call, "%s() is missing the argument%s %s", f->what,
                   n == 1 ? "" : "s", missing.s);
    sb_free(&missing);
    return n == 0;
}

static bool
bind_formals(Sema *s, const Node *call, const Formals *f, const Node *self, Call *out)
{
    int total = f->n + call->n + 2;
    for (int i = 1; i < call->n; i++) {
        bool unpacked = is_keyword(call->kid[i]) && !call->kid[i]->name;
        if (call->kid[i]->kind == N_Starred || unpacked)
            total += sema_known(s, call->kid[i]->kid[0]).type->n;
    }
    out->more = f->keywords ? NEW_N(s->a, CallKey, total) : NULL;
    out->arg = NEW_N(s->a, const Node *, total);
    out->n_args = f->n;
    out->self = self;
    Binder b = {.s = s, .call = call, .f = f, .out = out, .filled = NEW_N(s->a, bool, f->n + 1)};
    if (self)
        put(&b, self);
    bool ok = true;
    for (int i = 1; i < call->n; i++) {
        const Node *k = call->kid[i];
        if (k->kind == N_Starred)
            ok &= put_splat(&b, k);
        else if (is_keyword(k))
            ok &= put_keyword(&b, k);
        else
            put(&b, k);
    }
    return ok && count_is_right(&b, self != NULL);
}

/* ---- what was bound -------------------------------------------------------------------------- */

Sem
sema_arg(Sema *s, const Call *c, int k)
{
    if (k >= 0 && k < c->n_args && c->arg[k])
        return sema_known(s, c->arg[k]);
    if (c->splat) {
        Sem t = sema_known(s, c->splat);
        int i = call_splat_elem(c, k);
        if (i >= 0)
            return tuple_elem(s, t, i);
    }
    return (Sem){0};
}

const Node *
sema_arg_node(const Call *c, int k)
{
    return k >= 0 && k < c->n_args ? c->arg[k] : NULL;
}

/* ---- rows ------------------------------------------------------------------------------------ */

bool
bind_args(Sema *s, const Node *call, const Builtin *fn, const Node *self, Call *out)
{
    const RowParams *rp = &builtin_params[fn->id];
    bool plain = fn->family == BF_PY || fn->flags & ONLY_METHOD;
    Formals f = {.n = rp->n, .varargs = rp->varargs};
    f.called = fn->name;
    f.what = plain ? fn->name : arena_printf(s->a, "%s%s", fn->prefix, fn->name);
    f.at = NEW_N(s->a, Formal, rp->n + 1);
    for (int i = 0; i < rp->n; i++) {
        const RowParam *p = &rp->at[i];
        f.at[i] = (Formal){p->name, (int)strlen(p->name), p->required, p->kwonly, false};
        f.n_pos += !p->kwonly;
    }
    out->kind = CALL_BUILTIN;
    out->fn = fn;
    bool copies = fn->id == BI_np_array || fn->id == BI_np_asarray;
    const Node *around = s->copied;
    s->copied = copies && call->n > 1 ? call->kid[1] : NULL;
    bool known = infer_args(s, call, consumed_depth(fn));
    s->copied = around;
    static const int through[] = {BI_py_list,      BI_py_sorted, BI_py_tuple,     BI_py_set,
                                  BI_py_enumerate, BI_py_zip,    BI_py_frozenset, BI_py_iter,
                                  BI_py_reversed,  BI_py_max,    BI_py_min};
    for (int i = 0; i < SW_LEN(through); i++)
        for (int k = 1; fn->id == through[i] && k < call->n; k++)
            if (!is_keyword(call->kid[k]) &&
                keyed_gone_through(s, call->kid[k], sema_known(s, call->kid[k])))
                return false;
    known |= fn->family == BF_HEAP; /* which may tell what an empty list holds */
    if (known && fn->id == BI_py_print)
        text_printed(s, call);
    if (!bind_formals(s, call, &f, self, out) || !known)
        return false;
    sema_need_args(s, out);
    return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

static const Const *
default_of(Sema *s, const Param *p)
{
    if (p->def)
        return p->def;
    return p->def_node ? map_get(&s->defaults, p->def_node) : NULL;
}

static bool
passable(Sema *s, const Node *at, Sem v)
{
    if (v.type->kind != TY_LIST && (v.type->kind != TY_ITER || type_iter_holds(v.type)) &&
        !(v.type->kind == TY_STR && !v.cst && !v.type->ref))
        return true;
    Diag *d = sema_error(s, DIAG_unsupported, at, "passing %s to a function is not supported",
                         v.type->text);
    sema_want_later(s, at);
    if (at->kind == N_ListComp && at->op == 1)
        diag_hint(s->diags, d, "make a list of it: [... for ...]");
    else if (v.type->kind == TY_LIST)
        diag_hint(s->diags, d, "pass a tuple, or an array made with np.array(...)");
    return false;
}

/* The tuple that a `*args` parameter is. */
static bool
rest_tuple(Sema *s, const Node *call, const Call *out, int named, const Type **t, const Const **c)
{
    int n = out->n_args - named;
    if (out->rest || out->splat_rest) {
        *t = out->rest ? sema_known(s, out->rest).type
                       : sema_known(s, out->splat).type->elems[out->splat_n];
        *c = NULL;
        return true;
    }
    const Type **e = NEW_N(s->a, const Type *, n + 1);
    const Const **k = NEW_N(s->a, const Const *, n + 1);
    bool all = true;
    for (int i = 0; i < n; i++) {
        const Node *at = sema_arg_node(out, named + i);
        Sem v = sema_arg(s, out, named + i);
        v = v.type ? text_passed(s, at, v) : v;
        if (!v.type || !passable(s, call, v))
            return false;
        e[i] = v.type;
        k[i] = v.cst;
        all &= v.cst != NULL;
    }
    *t = type_tuple(s->tt, n, e);
    *c = all ? const_tuple(s, n, k) : NULL;
    return true;
}

/* The dict that a `**keywords` parameter is. */
static bool
rest_keys(Sema *s, const Node *call, const Call *out, const Type **t, const Const **c)
{
    int n = out->n_more;
    const Type **e = NEW_N(s->a, const Type *, n + 1);
    const Const **k = NEW_N(s->a, const Const *, n + 1);
    Sym *keys = NEW_N(s->a, Sym, n + 1);
    bool all = true;
    for (int i = 0; i < n; i++) {
        const CallKey *m = &out->more[i];
        Sem v = text_passed(s, m->value, sema_known(s, m->value));
        if (sem_bad(v) || !passable(s, call, v))
            return false;
        keys[i] = m->key;
        e[i] = v.type;
        k[i] = v.cst;
        all &= v.cst != NULL;
    }
    Sem d = keyed_made(s, n, keys, e, all ? k : NULL);
    *t = d.type;
    *c = d.cst;
    return true;
}

static bool
param_types(Sema *s, const Node *call, const FuncDef *fd, int named, Call *out, const Type **types,
            const Const **csts)
{
    out->dflt = NEW_N(s->a, const Const *, named + 1);
    for (int i = 0, k = 0; i < fd->n_params; i++) {
        if (fd->params[i].kind == P_VARARGS) {
            if (!rest_tuple(s, call, out, named, &types[i], &csts[i]))
                return false;
            continue;
        }
        if (fd->params[i].kind == P_KEYWORDS) {
            if (!rest_keys(s, call, out, &types[i], &csts[i]))
                return false;
            continue;
        }
        Sem v = sema_arg(s, out, k);
        if (!v.type) {
            const Const *d = default_of(s, &fd->params[i]);
            const Node *kept = fd->params[i].def_node;
            if (!d && kept) {
                sema_error(s, DIAG_unsupported, fd->params[i].def_node,
                           "the default of '%s' must be known at compile time", fd->params[i].name);
                return false;
            }
            if (d && const_has_big(d)) {
                big_report(s, call, d);
                return false;
            }
            out->dflt[k] = d;
            v = d ? sem_const(s, d) : sema_unknown(s);
        }
        v = text_passed(s, out->arg[k], v);
        if (sem_bad(v) || !passable(s, out->arg[k] ? out->arg[k] : call, v))
            return false;
        types[i] = v.type;
        csts[i] = v.cst;
        k++;
    }
    return true;
}

static Formals
formals_of_fields(Sema *s, const Const *cls)
{
    Formals f = {.what = cls->str, .n = cls->n, .n_pos = cls->n, .own = true, .hidden = 1};
    f.called = arena_printf(s->a, "%s.__new__", cls->str);
    f.at = NEW_N(s->a, Formal, cls->n + 1);
    for (int i = 0; i < cls->n; i++)
        f.at[i] = (Formal){cls->names[i], (int)strlen(cls->names[i]), !cls->elems || !cls->elems[i],
                           false, false};
    return f;
}

/* As CPython's errors name it. */
static const char *
called_of(Sema *s, const FuncDef *fd)
{
    return fd->parent ? arena_printf(s->a, "%s.<locals>.%s", called_of(s, fd->parent),
                                     ast_shown(s->a, fd->name))
                      : fd->qualname;
}

/* s.union(...), and set.union(...) */
static bool
is_of_sets(const FuncDef *fd)
{
    static const char *const of[] = {"_set_", "named_set_", "named_frozenset_"};
    bool is = false;
    for (int i = 0; i < SW_LEN(of); i++)
        is |= fd->is_lib && !strncmp(fd->name, of[i], strlen(of[i]));
    return is;
}

static Formals
formals_of(Sema *s, const FuncDef *fd, const Builtin *row)
{
    Formals f = {
        .what = sema_public_name(s, fd), .called = called_of(s, fd), .own = !row && !fd->is_lib};
    f.spreads = f.own || is_of_sets(fd);
    if (row)
        f.what = row->flags & ONLY_METHOD ? row->name
                                          : arena_printf(s->a, "%s%s", row->prefix, row->name);
    f.at = NEW_N(s->a, Formal, fd->n_params + 1);
    for (int i = 0; i < fd->n_params; i++) {
        const Param *p = &fd->params[i];
        f.varargs |= p->kind == P_VARARGS;
        f.keywords |= p->kind == P_KEYWORDS;
        if (p->kind == P_VARARGS || p->kind == P_KEYWORDS)
            continue;
        f.n_pos += p->kind != P_KWONLY;
        f.at[f.n++] = (Formal){p->name, (int)strlen(p->name), !p->def && !p->def_node,
                               p->kind == P_KWONLY, p->kind == P_POSONLY};
    }
    return f;
}

static int
count_lacking(const Formals *f, const bool *filled, int first, int last)
{
    int n = 0;
    for (int i = first; i < last; i++)
        n += f->at[i].required && !filled[i];
    return n;
}

/* What CPython says of a call with n arguments and these by name; hidden: how many of the n nobody
 * writes. NULL: it fits. */
const char *
bind_misfit(Sema *s, const FuncDef *fd, int hidden, int n, const Type *named)
{
    Formals f = formals_of(s, fd, NULL);
    bool *filled = NEW_N(s->a, bool, f.n + 1);
    n += hidden;
    for (int i = 0; i < f.n; i++)
        filled[i] = i < f.n_pos && i < n;
    for (int k = 0; k < named->n; k++) {
        int i = 0;
        while (i < f.n && (f.at[i].posonly ||
                           strncmp(f.at[i].name, named->names[k], (size_t)f.at[i].len + 1) != 0))
            i++;
        if (i == f.n && !f.keywords)
            return arena_printf(s->a, "%s() got an unexpected keyword argument '%s'", f.called,
                                named->names[k]);
        if (i < f.n && filled[i])
            return arena_printf(s->a, "%s() got multiple values for argument '%s'", f.called,
                                named->names[k]);
        if (i < f.n)
            filled[i] = true;
    }
    int alone = 0; /* of those by name, what can't be given else */
    for (int i = f.n_pos; i < f.n; i++)
        alone += filled[i];
    if (n > f.n_pos && !f.varargs && alone)
        return arena_printf(
            s->a, "%s%d positional argument%s (and %d keyword-only argument%s) were given",
            bind_takes(s, &f), n, n == 1 ? "" : "s", alone, alone == 1 ? "" : "s");
    if (n > f.n_pos && !f.varargs)
        return arena_printf(s->a, "%s%d %s given", bind_takes(s, &f), n, n == 1 ? "was" : "were");
    int lack = count_lacking(&f, filled, 0, f.n_pos), first = lack ? 0 : f.n_pos;
    int last = lack ? f.n_pos : f.n;
    bool by_name = !lack;
    lack = by_name ? count_lacking(&f, filled, first, last) : lack;
    if (!lack)
        return NULL;
    StrBuf text = {0};
    sb_addf(&text, "%s() missing %d required %s argument%s: ", f.called, lack,
            by_name ? "keyword-only" : "positional", lack == 1 ? "" : "s");
    for (int i = first, k = 0; i < last; i++)
        if (f.at[i].required && !filled[i])
            bind_add_name(&text, &f.at[i], k++, lack);
    return sb_keep(&text, s->a);
}

bool
bind_star(Sema *s, const Node *e, Sem *of)
{
    if (e->n != 2 || e->kid[1]->kind != N_Starred)
        return false;
    make_whole(e->kid[1]);
    *of = sema_expr(s, e->kid[1]->kid[0]);
    s->star = e->kid[1]->kid[0]; /* twice at each depth of p(*p(*p(*x))) would be 2 ** depth */
    return !sem_bad(*of) && of->type->kind != TY_TUPLE && sema_is_iterable(of->type);
}

/* f(*x) alone of what isn't a tuple, where f has defaults: how many it is given is seen when it
 * runs, and each number is a call of its own, see _call_by_count in lib/numbers.py. self: 1 where f
 * is a class and its __init__ is called. False: the call is one like others. */
static bool
spread(Sema *s, const Node *e, const Formals *f, int self, Sem *out)
{
    int least = 0, most = f->n_pos - self;
    while (least < most && f->at[self + least].required)
        least++;
    for (int i = f->n_pos; i < f->n; i++)
        most = f->at[i].required ? 0 : most;
    Sem v;
    if (!f->own || f->varargs || least >= most || most > MOST_UNPACKED || !bind_star(s, e, &v))
        return false;
    const Node *arg[] = {e->kid[0], e->kid[1]->kid[0], NULL, NULL};
    const Const *how = bind_miscounted(s, f, self + f->hidden, self + least, least);
    const Const *given[] = {NULL, NULL, how, const_int(s, most)};
    *out = heap_call_given(s, e, "_call_by_count", SW_LEN(arg), arg, given);
    return true;
}

bool
bind_spread(Sema *s, const Node *e, const FuncDef *fd, int self, Sem *out)
{
    Formals f = formals_of(s, fd, NULL);
    return spread(s, e, &f, self, out);
}

bool
bind_spread_fields(Sema *s, const Node *e, const Const *cls, Sem *out)
{
    Formals f = formals_of_fields(s, cls);
    return spread(s, e, &f, 0, out);
}

bool
bind_inst(Sema *s, const Node *call, const FuncDef *fd, const Node *self, Call *out,
          const Type **types, const Const **csts)
{
    const Builtin *row = out->fn; /* of a library function in Python */
    Formals f = formals_of(s, fd, row);
    out->kind = CALL_INST;
    bool known = infer_args(s, call, -1);
    int before = s->diags->list.n;
    if (!bind_formals(s, call, &f, self, out)) {
        if (s->diags->list.n > before && !fd->is_lib && *fd->src->file != '<')
            diag_note(s->diags, s->diags->list.at[s->diags->list.n - 1], fd->at,
                      "'%s' is defined here", fd->name);
        return false;
    }
    if (row)
        sema_need_args(s, out);
    else if (self && fd->is_lib)
        sema_need_sizes(s, fd, out);
    out->fn = NULL;
    return known && param_types(s, call, fd, f.n, out, types, csts);
}

/* ---- named tuples ---------------------------------------------------------------------------- */

/* Each instance that is made without it would have the same one. */
static bool
holds_list(const Const *c)
{
    bool found = c->is_list || c->kind == CV_UNSUPPORTED;
    for (int i = 0; c->kind == CV_TUPLE && i < c->n && !found; i++)
        found = holds_list(c->elems[i]);
    return found;
}

static Sem
field_default(Sema *s, const Node *e, const Const *cls, int i)
{
    const Const *c = cls->elems ? cls->elems[i] : NULL;
    if (!c || !holds_list(c))
        return c ? sem_const(s, c) : (Sem){0};
    bool by_type = c->kind == CV_UNSUPPORTED && c->is_list; /* tuple_class_of */
    Diag *d = sema_error(s, DIAG_unsupported, e, "the default of field '%s' of %s is %s",
                         cls->names[i], cls->str,
                         by_type ? "not known by type(x)" : "an object that all would share");
    diag_hint(s->diags, d, "give %s(...) a value for '%s'", cls->str, cls->names[i]);
    return (Sem){0};
}

Sem
tuple_class_call(Sema *s, const Node *e, const Const *cls, Call *out)
{
    Formals f = formals_of_fields(s, cls);
    out->kind = CALL_TUPLE_CLASS;
    bool known = infer_args(s, e, -1);
    if (!bind_formals(s, e, &f, NULL, out) || !known)
        return sema_unknown(s);
    const Type **t = NEW_N(s->a, const Type *, cls->n + 1);
    const Const **k = NEW_N(s->a, const Const *, cls->n + 1);
    bool all = true;
    out->dflt = NEW_N(s->a, const Const *, cls->n + 1);
    for (int i = 0; i < cls->n; i++) {
        Sem v = sema_arg(s, out, i);
        if (!v.type) {
            v = field_default(s, e, cls, i);
            out->dflt[i] = v.cst;
        }
        bool made = v.type &&
                    (v.type->kind == TY_LIST || (v.type->kind == TY_STR && !v.cst && !v.type->ref));
        if (made && out->arg[i]) /* it is to last */
            v = sem_of(heap_value(s, out->arg[i], v).type);
        if (!v.type || sem_bad(v) || !passable(s, out->arg[i] ? out->arg[i] : e, v))
            return sema_unknown(s);
        t[i] = v.type;
        k[i] = v.cst;
        all &= v.cst != NULL;
    }
    Sem v = sem_of(type_named_tuple(s->tt, cls->n, t, cls->names, cls->ref, cls->str));
    if (all && !type_is_int_member(v.type)) {
        Const *c = (Const *)const_tuple(s, cls->n, k);
        c->names = cls->names;
        c->ref = cls->ref;
        c->str = cls->str;
        v.cst = c;
    }
    return v;
}
