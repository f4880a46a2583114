/* SPDX-License-Identifier: BSD-3-Clause
 * Entries of a Know by the variables that they mention: an assignment kills, and a proof looks
 * for, what mentions one variable, and neither walks over all that is known. Each entry that is
 * alive is in a list for each of its variables, newest first, and in one of those that say what a
 * variable is; entries that mention none share a list, and those that depend on elements of arrays
 * are in one more. Many facts may be about one variable, so a fact is also in a list for each of
 * its terms, and a test for what it compares, found by hash. An entry that is killed leaves its
 * lists, and enters them again at its place when the kill is undone. */
#include "pass/analysis/know.h"

enum { NO_VARIABLE, ELEMENTS, FIRST_VARIABLE };
enum { LEAST_TERMS = 64 };
typedef enum TermList { FACT_BELOW, FACT_ABOVE, TEST, TEST_ON, FORM } TermList;

static int
list_of(const IrVar *v)
{
    return v ? 2 * v->id + FIRST_VARIABLE : NO_VARIABLE;
}

static int
defs_of(const IrVar *v)
{
    return 2 * v->id + FIRST_VARIABLE + 1;
}

/* Lists by terms have negative numbers. */
static int
list_of_hash(const Know *k, TermList which, uint64_t hash)
{
    return -1 - (int)((hash + which * 0x9e3779b9u) & (uint64_t)(k->n_terms - 1));
}

static int
list_of_term(const Know *k, TermList which, const IrExpr *e)
{
    return list_of_hash(k, which, ir_expr_hash(e));
}

/* Of forms that differ by a constant. */
static int
list_of_form(const Know *k, const IrAffine *a)
{
    uint64_t h = 0;
    for (int i = 0; i < a->n; i++)
        h += (ir_expr_hash(a->t[i].term) ^ (uint64_t)a->t[i].coef) * 0x9e3779b97f4a7c15ull;
    return list_of_hash(k, FORM, h ^ h >> 32);
}

const IrVar *
know_some_var(const IrExpr *e)
{
    const IrVar *v = e->var;
    for (int i = 0; i < e->n && !v; i++)
        v = know_some_var(e->arg[i]);
    return v;
}

static KnownUse **
head(Know *k, int list)
{
    if (list < 0)
        return &k->by_term[-1 - list];
    if (list >= k->n_lists) {
        int n = list * 2 + 64;
        KnownUse **more = NEW_N(&k->cx->arena, KnownUse *, n);
        if (k->n_lists)
            memcpy(more, k->lists, sizeof *more * (size_t)k->n_lists);
        k->lists = more;
        k->n_lists = n;
    }
    return &k->lists[list];
}

static void
link_use(Know *k, KnownUse *u)
{
    KnownUse **at = head(k, u->list), *before = NULL;
    while (*at && (*at)->entry > u->entry) {
        before = *at;
        at = &before->next;
    }
    u->next = *at;
    u->prev = before;
    if (u->next)
        u->next->prev = u;
    *at = u;
}

static void
unlink_use(Know *k, KnownUse *u)
{
    if (u->prev)
        u->prev->next = u->next;
    else
        *head(k, u->list) = u->next;
    if (u->next)
        u->next->prev = u->prev;
}

static void
add_use(Know *k, int list)
{
    int entry = k->at.n - 1;
    KnownUse *first = *head(k, list), *u = k->unused;
    if (first && first->entry == entry)
        return;
    if (u)
        k->unused = u->more;
    else
        u = NEW(&k->cx->arena, KnownUse);
    Known *x = &k->at.at[entry];
    *u = (KnownUse){.entry = entry, .list = list, .more = x->uses};
    x->uses = u;
    link_use(k, u);
}

static bool
add_vars(Know *k, const IrExpr *e)
{
    bool any = e->var != NULL;
    if (any)
        add_use(k, list_of(e->var));
    for (int i = 0; i < e->n; i++)
        any |= add_vars(k, e->arg[i]);
    return any;
}

static bool
is_float_const(const IrExpr *e)
{
    return e->kind == IX_CONST && dtype_kind((DType)e->dtype) == DK_FLOAT;
}

static void
add_test(Know *k, const IrExpr *e)
{
    add_use(k, list_of_term(k, TEST, e));
    if (e->kind != IX_OP || e->n != 2 || !is_float_const(e->arg[1]))
        return;
    const IrExpr *x = e->arg[0];
    add_use(k, list_of_term(k, TEST_ON, x));
    if (x->kind == IX_OP && x->op == OP_abs)
        add_use(k, list_of_term(k, TEST_ON, x->arg[0]));
}

static void
add_terms(Know *k, const Known *x)
{
    if (!k->n_terms) {
        k->n_terms = LEAST_TERMS;
        while (k->n_terms < 4 * k->f->vars.n)
            k->n_terms *= 2;
        k->by_term = NEW_N(&k->cx->arena, KnownUse *, k->n_terms);
    }
    for (int i = 0; x->kind == K_FACT && i < x->a.n; i++)
        add_use(k, list_of_term(k, x->a.t[i].coef > 0 ? FACT_ABOVE : FACT_BELOW, x->a.t[i].term));
    if (x->kind == K_FACT)
        add_use(k, list_of_form(k, &x->a));
    if (x->kind == K_TRUE)
        add_test(k, x->e);
}

void
know_index(Know *k)
{
    const Known x = k->at.at[k->at.n - 1];
    bool any = x.var != NULL;
    if (any) {
        add_use(k, list_of(x.var));
        add_use(k, defs_of(x.var));
    }
    add_terms(k, &x);
    for (int i = 0; i < x.a.n; i++)
        any |= add_vars(k, x.a.t[i].term);
    if (x.e)
        any |= add_vars(k, x.e);
    if (!any)
        add_use(k, NO_VARIABLE);
    if (x.loads)
        add_use(k, ELEMENTS);
}

void
know_unlink(Know *k, int entry)
{
    for (KnownUse *u = k->at.at[entry].uses; u; u = u->more)
        unlink_use(k, u);
}

void
know_unindex(Know *k, int entry)
{
    Known *x = &k->at.at[entry];
    if (!x->dead)
        know_unlink(k, entry);
    for (KnownUse *u = x->uses, *more; u; u = more) {
        more = u->more;
        u->more = k->unused;
        k->unused = u;
    }
    x->uses = NULL;
}

const KnownUse *
know_uses(const Know *k, const IrVar *v)
{
    int list = list_of(v);
    return list < k->n_lists ? k->lists[list] : NULL;
}

const KnownUse *
know_defs(const Know *k, const IrVar *v)
{
    int list = defs_of(v);
    return list < k->n_lists ? k->lists[list] : NULL;
}

static const KnownUse *
by_term(const Know *k, TermList which, const IrExpr *e)
{
    return k->n_terms ? k->by_term[-1 - list_of_term(k, which, e)] : NULL;
}

const KnownUse *
know_facts_on(const Know *k, const IrExpr *term, bool positive)
{
    return by_term(k, positive ? FACT_ABOVE : FACT_BELOW, term);
}

const KnownUse *
know_facts_like(const Know *k, const IrAffine *a)
{
    return k->n_terms ? k->by_term[-1 - list_of_form(k, a)] : NULL;
}

const KnownUse *
know_tests(const Know *k, const IrExpr *e)
{
    return by_term(k, TEST, e);
}

const KnownUse *
know_tests_on(const Know *k, const IrExpr *e)
{
    return by_term(k, TEST_ON, e);
}

const KnownUse *
know_elements(const Know *k)
{
    return k->n_lists ? k->lists[ELEMENTS] : NULL;
}

/* ---- several lists at once ------------------------------------------------------------------- */

static void
collect(Know *k, KnownSet *s, const KnownUse *u)
{
    for (; u; u = u->next) {
        Known *x = &k->at.at[u->entry];
        if (x->stamp != k->stamp)
            VEC_PUSH(&k->cx->arena, *s, u->entry);
        x->stamp = k->stamp;
    }
}

/* By entry, oldest first. Lists are sorted the other way round, so most of it is a merge of few
 * runs. */
static void
sort(Cx *cx, KnownSet *s)
{
    int *from = s->at, *to = NEW_N(&cx->arena, int, s->n + 1);
    for (int width = 1; width < s->n; width *= 2) {
        for (int lo = 0; lo < s->n; lo += 2 * width) {
            int mid = lo + width < s->n ? lo + width : s->n;
            int hi = mid + width < s->n ? mid + width : s->n;
            for (int i = lo, j = mid, o = lo; o < hi; o++)
                to[o] = j == hi || (i < mid && from[i] < from[j]) ? from[i++] : from[j++];
        }
        int *t = from;
        from = to;
        to = t;
    }
    s->at = from;
}

/* Oldest first: each finds its place in its lists before those that are there already. */
void
know_relink(Know *k, const int *entries, int n)
{
    KnownSet s = {0};
    for (int i = 0; i < n; i++)
        VEC_PUSH(&k->cx->arena, s, entries[i]);
    sort(k->cx, &s);
    for (int i = 0; i < n; i++)
        for (KnownUse *u = k->at.at[s.at[i]].uses; u; u = u->more)
            link_use(k, u);
}

KnownSet
know_touched(Know *k, const IrEffects *fx)
{
    KnownSet s = {0};
    k->stamp++;
    for (int w = 0; w < fx->words && w * 64 < k->f->vars.n; w++)
        for (uint64_t bits = fx->sets[w]; bits; bits &= bits - 1)
            collect(k, &s, know_uses(k, k->f->vars.at[w * 64 + __builtin_ctzll(bits)]));
    collect(k, &s, know_elements(k));
    sort(k->cx, &s);
    return s;
}

KnownSet
know_mentioning(Know *k, IrVar *const *v, int n)
{
    KnownSet s = {0};
    k->stamp++;
    for (int i = 0; i < n; i++)
        collect(k, &s, know_uses(k, v[i]));
    sort(k->cx, &s);
    return s;
}
