/* SPDX-License-Identifier: BSD-3-Clause
 * f(*x) of what is no tuple: how many arguments it becomes, and what is said of another number. */
#include "sema/bind.h"

/* Is the formal given by its name? */
static bool
is_named(const Binder *b, const Formal *f)
{
    bool named = false;
    for (int i = 1; i < b->call->n; i++) {
        const Node *k = b->call->kid[i];
        named |= is_keyword(k) && k->name && (int)strlen(k->name) == f->len &&
                 !strncmp(k->name, f->name, (size_t)f->len);
    }
    return named;
}

/* How many arguments without a name are behind a star; -1: another star is. */
int
bind_behind(const Binder *b, const Node *star)
{
    int n = 0;
    for (int i = b->call->n - 1; i > 0 && b->call->kid[i] != star; i--) {
        if (b->call->kid[i]->kind == N_Starred)
            return -1;
        n += !is_keyword(b->call->kid[i]);
    }
    return n;
}

/* Behind the last parameter from there on that the function can't do without. */
static int
end_of_required(const Binder *b)
{
    const Formals *f = b->f;
    int m = b->pos;
    while (m < f->n_pos && f->at[m].required && !is_named(b, &f->at[m]))
        m++;
    return m;
}

/* How many elements f(*x) wants where x is no tuple: as many as the function couldn't do without;
 * -1: that hangs on what x holds. */
static int
wanted(const Binder *b, const Node *star)
{
    const Formals *f = b->f;
    int m = end_of_required(b), later = bind_behind(b, star);
    for (int i = m; i < f->n_pos && f->own; i++)
        if (!is_named(b, &f->at[i]))
            return -1;
    int n = m - b->pos - later;
    return f->varargs || later < 0 || n <= 0 || n > MOST_UNPACKED ? -1 : n;
}

/* How many elements f(*x) wants for parameters before *args, which gets the others; -1: the call
 * is another one. */
static int
wanted_before_rest(const Binder *b, const Node *star)
{
    const Formals *f = b->f;
    int n = f->n_pos - b->pos;
    bool plain = f->spreads && f->varargs && !b->out->splat && n > 0 && n <= MOST_UNPACKED;
    for (int i = b->pos; i < f->n_pos && plain; i++)
        plain = f->at[i].required && !is_named(b, &f->at[i]);
    return plain && bind_behind(b, star) == 0 ? n : -1;
}

/* "'a', 'b', and 'c'": the k-th of n. */
void
bind_add_name(StrBuf *b, const Formal *f, int k, int n)
{
    const char *before = k == 0 ? "" : k < n - 1 ? ", " : n == 2 ? " and " : ", and ";
    sb_addf(b, "%s'%.*s'", before, f->len, f->name);
}

/* "f() takes from 1 to 2 positional arguments but " */
const char *
bind_takes(Sema *s, const Formals *f)
{
    int most = f->n_pos + f->hidden, least = most;
    while (least > f->hidden && !f->at[least - f->hidden - 1].required)
        least--;
    const char *from = least < most ? arena_printf(s->a, "from %d to ", least) : "";
    return arena_printf(s->a, "%s() takes %s%d positional argument%s but ", f->called, from, most,
                        most == 1 ? "" : "s");
}

/* What CPython says of set.union(*[]), whose function is named_set_union; NULL: of others. */
static const char *
lacks_object(Sema *s, const Formals *f)
{
    static const char of[] = "named_";
    if (strncmp(f->called, of, strlen(of)) != 0)
        return NULL;
    const char *cls = f->called + strlen(of);
    int n = (int)strcspn(cls, "_");
    return arena_printf(s->a, "unbound method %.*s.%s() needs an argument", n, cls, cls + n + 1);
}

/* What CPython says when there are more or fewer, see _as_args in lib/numbers.py: of n arguments up
 * to the m-th that it needs, beside those that are given. */
const Const *
bind_miscounted(Sema *s, const Formals *f, int given, int m, int n)
{
    const Const **lack = NEW_N(s->a, const Const *, n);
    for (int k = 0; k < n; k++) {
        StrBuf text = {0};
        int from = m - (n - k);
        const char *object = from == 0 && n - k == 1 ? lacks_object(s, f) : NULL;
        if (object) {
            lack[k] = const_str(s, object);
            continue;
        }
        sb_addf(&text, "%s() missing %d required positional argument%s: ", f->called, n - k,
                n - k == 1 ? "" : "s");
        for (int i = from; i < m; i++)
            bind_add_name(&text, &f->at[i], i - from, n - k);
        lack[k] = const_str(s, sb_keep(&text, s->a));
    }
    const Const *part[] = {const_str(s, bind_takes(s, f)), const_int(s, given),
                           const_str(s, " were given"), const_tuple(s, n, lack)};
    return const_tuple(s, SW_LEN(part), part);
}

static const Const *
miscounted_with(const Binder *b, const Node *star, int n)
{
    int later = bind_behind(b, star);
    return bind_miscounted(b->s, b->f, b->given + b->f->hidden + later, b->pos + n + later, n);
}

/* f(*x) of what isn't a tuple: a tuple of its elements. */
Sem
bind_iterable(Binder *b, const Node *k, Sem v)
{
    Sema *s = b->s;
    int required = end_of_required(b) - b->pos;
    if (sem_bad(v) && required > 0 && required <= MOST_UNPACKED && b->f->called &&
        bind_behind(b, k) == 0)
        site_unpacked(s, v.type, required);
    if (sem_bad(v) || v.type->kind == TY_TUPLE || !sema_is_iterable(v.type) || !b->f->called)
        return v;
    v = heap_value(s, k->kid[0], v);
    if (sem_bad(v) || type_is_open(type_resolve(s->tt, v.type)))
        return v;
    int n = wanted(b, k);
    bool rest = n < 0;
    n = rest ? wanted_before_rest(b, k) : n;
    if (n < 0)
        return v;
    const char *how = rest ? "_as_args_and_rest" : "_as_args";
    Sem args = sema_need_made(s, k->kid[0], v, how, miscounted_with(b, k, n));
    b->out->splat_rest = rest && args.type;
    return args.type ? args : sema_unknown(s); /* or it is asked for */
}

/* The type of all that the argument gives, where no tuple of them converts one; NULL. */
static const Type *
one_type(Sema *s, const Node *k, const Type *before)
{
    bool star = k->kind == N_Starred;
    const Node *e = star ? k->kid[0] : k;
    const Type *t = type_stored(s->tt, type_resolve(s->tt, sema_known(s, e).type));
    if (!star)
        return !before || before == t ? t : NULL;
    if (t->kind == TY_TUPLE) {
        for (int i = 0; i < t->n; i++) {
            if (before && before != t->elems[i])
                return NULL;
            before = t->elems[i];
        }
        return before;
    }
    const Type *elem = sema_is_iterable(t) ? sema_iter_elem(s, k, t) : NULL;
    elem = elem ? type_stored(s->tt, type_resolve(s->tt, elem)) : NULL;
    return !elem || type_is_open(elem) || (before && before != elem) ? NULL : elem;
}

/* Does the tuple hold what the arguments are, each as it is? */
static bool
is_held_as_is(Sema *s, const Node *call)
{
    const Type *all = NULL;
    bool tuples = true, one = true;
    for (int i = 1; i < call->n; i++)
        if (call->kid[i]->kind == N_Starred)
            tuples &= sema_known(s, call->kid[i]->kid[0]).type->kind == TY_TUPLE;
    for (int i = 1; i < call->n && !tuples && one; i++) {
        if (is_keyword(call->kid[i]))
            continue;
        const Type *t = one_type(s, call->kid[i], all);
        one = t || (!all && sema_known(s, call->kid[i]).type->n == 0);
        all = t;
    }
    return tuples || one;
}

void
bind_want_one_star(Sema *s, const Node *call)
{
    int n = 0;
    for (int i = 1; i < call->n; i++)
        n += !is_keyword(call->kid[i]);
    if (n > 1 && call->kind == N_Call && !s->unroll.loop && !s->fr->in->def->is_lib &&
        is_held_as_is(s, call))
        s->unroll = (Unroll){.fn = s->fr->in->def, .loop = call, .of = UNROLL_STARS};
}
