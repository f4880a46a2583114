/* SPDX-License-Identifier: BSD-3-Clause
 * What holds each time that control comes to the head of a loop: inequalities that are true before
 * it and that an iteration leaves true. Candidates are what the function compares and uses as
 * indices: where a[c] is read, it is worth to know whether 0 <= c < len(a), and behind
 * `while i < n` whether i <= n. Those that are true before the loop are taken to be true at its
 * head; one walk over the body finds which are true, of the new values, wherever it goes back.
 * Those that are not are dropped, and the walk begins anew, for others may have rested on them. So
 * what is left holds by induction. Where branches meet (join.c), the same candidates are asked. */
#include "pass/analysis/know.h"

enum { MAX_CANDIDATES = 24 };

struct Forms { /* a >= 0 is of interest, of a variable */
    IrAffine at[MAX_ASKED];
    int n;
    const IrVar *like[2]; /* variables that it is a copy of, or that are one of it */
};

typedef struct Harvest {
    Know *k;
    Vec(const IrVar *) copies; /* and what they are copies of */
} Harvest;

/* ---- what is asked of variables -------------------------------------------------------------- */

static bool
same_form(const IrAffine *a, const IrAffine *b)
{
    IrAffine d = *a;
    return ir_affine_add(&d, b, -1) && !d.n && !d.c0;
}

static struct Forms *
forms_of(Know *k, const IrVar *v)
{
    struct Forms *f = map_get(&k->forms, v);
    if (f)
        return f;
    f = NEW(&k->cx->arena, struct Forms);
    map_put(&k->cx->arena, &k->forms, v, f);
    return f;
}

static void
add_form(struct Forms *f, const IrAffine *a)
{
    for (int i = 0; i < f->n; i++)
        if (same_form(&f->at[i], a))
            return;
    if (f->n < MAX_ASKED)
        f->at[f->n++] = *a;
}

static bool
is_plain(const IrExpr *t)
{
    return t->dtype == DT_i64 && (t->kind == IX_VAR || t->kind == IX_DIM);
}

/* a + c >= 0, for each variable in it. */
static void
ask(Harvest *h, const IrAffine *a, int64_t c)
{
    const int64_t far = (int64_t)1 << 40;
    IrAffine b = *a;
    if (a->n > 3 || a->c0 > far || a->c0 < -far)
        return;
    b.c0 += c;
    for (int i = 0; i < a->n; i++)
        if (!is_plain(a->t[i].term))
            return;
    for (int i = 0; i < a->n; i++)
        if (a->t[i].term->kind == IX_VAR)
            add_form(forms_of(h->k, a->t[i].term->var), &b);
}

/* x < y and x <= y, and what is left of them behind a step of one. */
static bool
ask_order(IrExpr **e, void *arg)
{
    const IrExpr *x = *e;
    IrAffine a, b, up = {0}, down = {0};
    if (x->kind != IX_OP || x->dtype != DT_bool || x->n != 2 || x->arg[0]->dtype != DT_i64)
        return true;
    bool order = op_info[x->op].flags & OPF_ORDERS, equal = x->op == OP_eq || x->op == OP_ne;
    if ((!order && !equal) || !ir_affine(x->arg[0], &a) || !ir_affine(x->arg[1], &b) ||
        !ir_affine_add(&up, &b, 1) || !ir_affine_add(&up, &a, -1) || !ir_affine_add(&down, &up, -1))
        return true;
    for (int c = -1; c <= 1; c++) {
        ask(arg, &up, c);
        ask(arg, &down, c);
    }
    return true;
}

static void
ask_index(Harvest *h, const IrStmt *s)
{
    IrAffine at, high = {.n = 1, .t = {{ir_dim(h->k->cx, s->var, s->axis), 1}}};
    if (!ir_affine(s->e, &at) || !at.n)
        return;
    ask(h, &at, 0);
    if (!ir_affine_add(&high, &at, -1))
        return;
    ask(h, &high, -1);
    ask(h, &high, 0);
}

static void
note_copy(Harvest *h, const IrVar *v, const IrVar *w)
{
    struct Forms *f = forms_of(h->k, v);
    for (int i = 0; i < 2; i++)
        if (!f->like[i] || f->like[i] == w) {
            f->like[i] = w;
            VEC_PUSH(&h->k->cx->arena, h->copies, v);
            return;
        }
}

static void
see(IrBlock *b, IrStmt *s, void *arg)
{
    Harvest *h = arg;
    (void)b;
    ir_walk_stmt_exprs(s, ask_order, h);
    if (s->kind == IS_CHECK_INDEX)
        ask_index(h, s);
    if (s->kind != IS_SET || s->e->kind != IX_VAR || s->var->dtype != DT_i64)
        return;
    note_copy(h, s->var, s->e->var);
    note_copy(h, s->e->var, s->var);
}

/* What is asked of w is of interest for v, which is a copy of it somewhere. */
static void
spread(Harvest *h, struct Forms *f)
{
    for (int i = 0; i < 2 && f->like[i]; i++) {
        const IrVar *w = f->like[i];
        struct Forms *g = forms_of(h->k, w);
        for (int k = 0, n = f->n; k < n; k++)
            for (int m = 0; m < f->at[k].n; m++) {
                const IrExpr *t = f->at[k].t[m].term;
                IrAffine a = f->at[k];
                if (t->kind != IX_VAR || map_get(&h->k->forms, t->var) != f)
                    continue;
                int64_t c = a.t[m].coef;
                IrAffine other = {.n = 1, .t = {{ir_use(h->k->cx, (IrVar *)w), 1}}};
                a.t[m] = a.t[--a.n];
                if (ir_affine_add(&a, &other, c))
                    add_form(g, &a);
            }
    }
}

static void
find_while(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    *(bool *)arg |= ir_does(s, ST_REPEATS);
}

void
know_ask(Know *k)
{
    Harvest h = {.k = k};
    bool loops = false;
    ir_walk_block(&k->f->body, find_while, &loops);
    if (!loops)
        return;
    ir_walk_block(&k->f->body, see, &h);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < h.copies.n; i++)
            spread(&h, forms_of(k, h.copies.at[i]));
}

int
know_asked(Know *k, const IrVar *v, const IrAffine **forms)
{
    const struct Forms *f = map_get(&k->forms, v);
    *forms = f ? f->at : NULL;
    return f ? f->n : 0;
}

int
know_passes(Know *k, const IrVar *v, const IrAffine *value, IrAffine *out)
{
    const IrAffine *forms;
    bool sure = k->sure, brief = k->brief;
    int n = 0;
    k->sure = k->brief = true;
    for (int i = 0, all = know_asked(k, v, &forms); i < all; i++)
        if (know_holds_with(k, &forms[i], v, value))
            out[n++] = forms[i];
    k->sure = sure;
    k->brief = brief;
    return n;
}

/* ---- heads ----------------------------------------------------------------------------------- */

/* Each term is a variable that the loop changes, or is left alone by it. */
static bool
may_hold(const IrStmt *loop, const IrAffine *a, const IrEffects *fx)
{
    bool any = false;
    for (int i = 0; i < a->n; i++) {
        const IrExpr *t = a->t[i].term;
        bool changes = t->kind == IX_VAR && ir_sets(fx, t->var);
        if ((changes && loop->kind == IS_LOOP && t->var == loop->var) ||
            (!changes && !ir_invariant(t, fx)))
            return false;
        any |= changes;
    }
    return any;
}

static void
add(Know *k, Head *h, const IrStmt *loop, const IrAffine *a, const IrEffects *fx)
{
    if (h->n == MAX_CANDIDATES || !may_hold(loop, a, fx))
        return;
    for (int i = 0; i < h->n; i++)
        if (same_form(&h->at[i], a))
            return;
    if (!know_holds(k, a))
        return;
    h->at[h->n++] = *a;
    for (int i = 0; i < a->n; i++) /* where branches meet, too */
        if (a->t[i].term->kind == IX_VAR && ir_sets(fx, a->t[i].term->var))
            add_form(forms_of(k, a->t[i].term->var), a);
}

/* v is A here: it may stay no less, or no greater. */
static void
add_start(Know *k, Head *h, const IrStmt *loop, const Known *x, const IrEffects *fx)
{
    if (x->kind != K_VALUE || !know_same_after(&x->a, fx))
        return;
    for (int sign = -1; sign < 2; sign += 2) {
        IrAffine a = {.n = 1, .t = {{ir_use(k->cx, (IrVar *)x->var), sign}}};
        if (ir_affine_add(&a, &x->a, -sign))
            add(k, h, loop, &a, fx);
    }
}

Head
know_head(Know *k, const IrStmt *loop, const IrEffects *fx)
{
    Head h = {.at = NEW_N(&k->cx->arena, IrAffine, MAX_CANDIDATES)};
    bool sure = k->sure, brief = k->brief;
    k->sure = k->brief = true;
    KnownSet all = know_touched(k, fx);
    for (int i = all.n; i-- > 0;) {
        const Known *x = &k->at.at[all.at[i]];
        if (x->kind == K_FACT && !x->needs && !x->check)
            add(k, &h, loop, &x->a, fx);
        else
            add_start(k, &h, loop, x, fx);
    }
    for (int i = 0; i < k->f->vars.n; i++) {
        const IrVar *v = k->f->vars.at[i];
        const IrAffine *forms;
        if (v->is_array || v->dtype != DT_i64 || !ir_in(fx->sets, v))
            continue;
        for (int n = know_asked(k, v, &forms); n-- > 0;)
            add(k, &h, loop, &forms[n], fx);
    }
    k->sure = sure;
    k->brief = brief;
    return h;
}

void
know_at_head(Know *k, const Head *h)
{
    for (int i = 0; i < h->n; i++)
        know_fact(k, &h->at[i], false, 0);
}

void
know_back(Know *k, Head *h)
{
    bool sure = k->sure, brief = k->brief;
    int n = 0;
    k->sure = k->brief = true;
    for (int i = 0; i < h->n; i++)
        if (know_holds(k, &h->at[i]))
            h->at[n++] = h->at[i];
    h->n = n;
    k->sure = sure;
    k->brief = brief;
}

typedef struct Leaves {
    const Head *h;
    bool any; /* something in it is set anew */
} Leaves;

static void
see_def(IrVar *v, void *arg)
{
    Leaves *l = arg;
    for (int i = 0; i < l->h->n; i++)
        for (int k = 0; k < l->h->at[i].n; k++)
            l->any |= ir_mentions(l->h->at[i].t[k].term, v) > 0;
}

static void
see_defs(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_defs(s, see_def, arg);
}

static bool
breaks(const IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == IS_BREAK)
            return true;
        for (int i = 0, n = ir_does(s, ST_REPEATS) ? 0 : ir_blocks(s, sub); i < n; i++)
            if (breaks(sub[i]))
                return true;
    }
    return false;
}

/* Whoever leaves by the test, or behind the last iteration, comes from the head. */
bool
know_holds_behind(const IrStmt *loop, const Head *h)
{
    Leaves l = {.h = h};
    if (!h->n || breaks(&loop->body) || breaks(&loop->pre))
        return false;
    ir_walk_block((IrBlock *)&loop->pre, see_defs, &l);
    return !l.any;
}
