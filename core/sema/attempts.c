/* SPDX-License-Identifier: BSD-3-Clause
 * What is tried when a program's types don't come out: all of it is inferred again, with what the
 * attempt before has found out (what empty lists hold, elements that are wider, loops that are
 * unrolled, functions of which one is called), or with more types for what had one (generators by
 * signature, classes without declared fields by the types that their instances hold). */
#include "sema/internal.h"

/* Was a float put among ints, or what may be None among what is not? Then all is inferred once
 * more, with that allowed. */
static bool
widen(Sema *s, int mark, DiagList *narrow, int n, const Type **types)
{
    bool wrong = diag_mark(s) > mark;
    if (!(wrong ? s->want_wide : s->want_none) || s->prog->wanted.n || s->prog->asked)
        return false;
    diag_copy(s, mark, narrow);
    site_begin_widening(s, n, types);
    s->for_none = !wrong;
    if (wrong)
        type_allow_rows(s->tt);
    return true;
}

/* Everything anew. */
static void
begin_again(Sema *s, int mark)
{
    sema_forget(s, mark);
    for (int i = 0; i < s->unit->insts.n; i++)
        s->unit->insts.at[i]->sites = (Map){0};
    s->settle = 0;
}

/* Did unlike functions meet in a display that isn't known element by element? */
static bool
allow_choices(Sema *s, int mark)
{
    if (!s->want_choices || s->choices || diag_mark(s) == mark)
        return false;
    s->choices = true;
    begin_again(s, mark);
    return true;
}

/* Has one become another since? */
static bool
open_args(Sema *s, int n, const Type **types, const Type **now)
{
    bool told = false;
    s->wait = false;
    for (int i = 0; i < n; i++) {
        const Type *old = type_resolve(s->tt, types[i]);
        now[i] = site_open_arg(s, types[i]);
        told |= s->settle && now[i] != old;
    }
    s->wait = told;
    return told;
}

/* What empty lists hold shows where something is put into them, which may be behind a use: all is
 * inferred again until no more is found out. */
static const Type *
infer_rounds(Sema *s, const FuncDef *fd, int n, const Type **types, Inst **root)
{
    enum { ROUNDS = 20, UNROLLED = 40, MAPPED = 200, WIDENED = 20 };
    int mark = diag_mark(s), unrolled = 0, mapped = 0, widened = 0;
    bool fresh = false;                  /* places are new, and their uses not known yet */
    DiagList first = {0};                /* what was wrong before any loop was unrolled */
    DiagList floats = {0}, narrow = {0}; /* where that is a float; before elements got wider */
    unsigned wants = 0;                  /* by errors of any round */
    for (int round = 0;; round++) {
        const Type **now = NEW_N(s->a, const Type *, n + 1);
        bool told = open_args(s, n, types, now);
        const Type *ret = sema_call_inst(s, NULL, fd, n, now, NULL, root);
        wants |= s->cx->wants;
        bool objects = s->want_objects && !s->objects && diag_mark(s) > mark;
        if (objects && keyed_among(n, now)) { /* as arguments they are taken anew */
            ((Program *)(uintptr_t)s->prog)->want_objects = true;
            return ret;
        }
        bool lists = s->want_lists && !s->lists && diag_mark(s) > mark;
        if (s->again || objects || lists || (s->want_keyed && !s->all_keyed)) {
            s->all_keyed = s->want_keyed;
            s->lists = s->want_lists;
            s->objects = s->want_objects;
            for (int i = 0; !s->again && i < s->unit->insts.n; i++)
                s->unit->insts.at[i]->sites = (Map){0};
            if (lists)
                object_forget(s);
            s->again = false;
            round--;
            sema_forget(s, mark);
            continue;
        }
        bool asked = diag_mark(s) > mark || ast_unrolls_a_name(s->unroll.of);
        if (s->unroll.loop && asked && unrolled < UNROLLED && mapped < MAPPED) {
            bool later = ast_unrolls_no_loop(s->unroll.of);
            mapped += later;
            if (!later && !unrolled++)
                diag_copy(s, mark, &first);
            ast_unroll(s->cx, &s->unroll);
            round--;
            sema_forget(s, mark);
            continue;
        }
        if (allow_choices(s, mark)) {
            round = -1;
            continue;
        }
        bool wrong = s->settle && diag_mark(s) > mark, first_of_it = fresh && wrong;
        bool open = s->open && !s->settle,
             failed = wrong && s->settle < SETTLE_OWN && !told && !fresh;
        bool again = s->found || open || failed || told || first_of_it;
        fresh = failed || (fresh && told);
        bool wider = /* each time there may be others */
            !again && (s->wide ? site_end_widening(s) : widen(s, mark, &narrow, n, types));
        if (wider && ++widened < WIDENED) {
            round = s->settle = 0;
            sema_forget(s, mark);
            continue;
        }
        if (!again || wider || round == ROUNDS || s->prog->wanted.n || s->prog->asked) {
            sema_never_settles(s, again || wider ? fd : NULL, mark);
            if ((unrolled || s->wide) && diag_mark(s) > mark)
                diag_put(s, mark, s->wide ? &narrow : &first);
            else if (s->settle >= SETTLE_TEXT && diag_mark(s) > mark)
                diag_put(s, mark, &floats);
            s->cx->wants |= wants;
            return ret;
        }
        if (failed && s->settle == SETTLE_FLOAT)
            diag_copy(s, mark, &floats);
        if (failed)
            site_forget(s, n, types);
        s->settle = failed ? s->settle + 1 : s->settle ? s->settle : !s->found;
        sema_forget(s, mark);
    }
}

/* Containers that may hold None now, and did well without: where that is no good, they raise when
 * one is put there. */
static const Type *
infer_all(Sema *s, const FuncDef *fd, int n, const Type **types, Inst **root)
{
    int mark = diag_mark(s);
    const Type **as_given = arena_dup(s->a, types, sizeof *types * (size_t)(n + 1));
    const Type *ret = infer_rounds(s, fd, n, types, root);
    if (!s->for_none || diag_mark(s) == mark || s->prog->wanted.n || s->prog->asked)
        return ret;
    begin_again(s, mark);
    object_forget(s);
    s->wide = s->want_wide = s->for_none = s->want_none = false;
    s->none_raises = true;
    memcpy(types, as_given, sizeof *types * (size_t)n);
    return infer_rounds(s, fd, n, types, root);
}

/* Instances that are made here are first tried as such as arguments are. */
static const Type *
infer_classes(Sema *s, const FuncDef *fd, int n, const Type **types, Inst **root)
{
    int mark = diag_mark(s);
    bool same = object_begin(s, true);
    family_grow(s, types, n);
    const Type *ret = infer_all(s, fd, n, types, root);
    const Program *p = s->prog;
    const Family *f = p->families.n ? &p->families.at[p->families.n - 1] : NULL;
    bool ask = p->family_asked && f && f->of[0]->copied;
    if (!same || diag_mark(s) == mark || p->wanted.n || p->asked || ask)
        return ret;
    begin_again(s, mark);
    object_begin(s, false);
    return infer_all(s, fd, n, types, root);
}

/* One class for all objects of a generator; where that joins unlike types, one for each signature,
 * if this compiles. */
static const Type *
infer_signatures(Sema *s, const FuncDef *fd, int n, const Type **types, Inst **root)
{
    int mark = diag_mark(s);
    const Type **as_given = arena_dup(s->a, types, sizeof *types * (size_t)(n + 1));
    const Type *ret = infer_classes(s, fd, n, types, root);
    if (!s->want_signatures || s->prog->wanted.n || s->prog->asked)
        return ret;
    bool failed = diag_mark(s) > mark;
    DiagList first = {0};
    diag_copy(s, mark, &first);
    begin_again(s, mark);
    s->signatures = true;
    s->wide = s->want_wide = false;
    memcpy(types, as_given, sizeof *types * (size_t)n);
    ret = infer_classes(s, fd, n, types, root);
    if (diag_mark(s) == mark || s->prog->wanted.n || s->prog->asked)
        return ret;
    if (failed) {
        diag_put(s, mark, &first);
        return ret;
    }
    begin_again(s, mark);
    s->signatures = s->wide = s->want_wide = false;
    memcpy(types, as_given, sizeof *types * (size_t)n);
    return infer_classes(s, fd, n, types, root);
}

/* The same for classes of which no field is declared. */
static const Type *
infer_variants(Sema *s, const FuncDef *fd, int n, const Type **types, Inst **root)
{
    int mark = diag_mark(s);
    const Type **as_given = arena_dup(s->a, types, sizeof *types * (size_t)(n + 1));
    const Type *ret = infer_signatures(s, fd, n, types, root);
    DiagList first = {0};
    diag_copy(s, mark, &first);
    while (s->want_variants && s->variants < VARIANTS_BY_PLACES && diag_mark(s) > mark &&
           !s->prog->wanted.n && !s->prog->asked && !s->prog->family_asked) {
        begin_again(s, mark);
        s->variants++;
        s->signatures = s->wide = s->want_wide = false;
        memcpy(types, as_given, sizeof *types * (size_t)n);
        ret = infer_signatures(s, fd, n, types, root);
    }
    if (s->variants && diag_mark(s) > mark)
        diag_put(s, mark, &first);
    return ret;
}

/* Does a value of this type hold some that are of one type or another? */
static bool
has_either(const Type *t)
{
    bool has = t->kind == TY_EITHER;
    for (int i = 0; !has && t->elems && i < t->n; i++)
        has = has_either(t->elems[i]);
    return has;
}

/* As a function that is called with values of one type or another. */
static bool
given_either(Sema *s, int n, const Type **types)
{
    bool given = false;
    for (int i = 0; i < n && !given; i++)
        given = has_either(types[i]);
    s->either = given;
    type_allow_either(s->tt, given);
    return given;
}

/* Is there an error that nothing asked for may mend? */
static bool
fails(Sema *s, int mark)
{
    const Program *p = s->prog;
    return diag_mark(s) > mark && !p->wanted.n && !p->asked && !p->family_asked;
}

/* All anew, with values of one type or another. Where that fails, too, the error before is shown,
 * but for what such a value refuses. */
static const Type *
infer_eithers(Sema *s, const FuncDef *fd, int n, const Type **types, Inst **root,
              const Type *const *as_given, int mark)
{
    DiagList first = {0};
    unsigned wants = s->cx->wants;
    diag_copy(s, mark, &first);
    begin_again(s, mark);
    object_forget(s);
    s->either = true;
    type_allow_either(s->tt, true);
    type_keep_apart(s->tt, s->want_apart);
    s->signatures = s->wide = s->want_wide = s->for_none = s->want_none = false;
    s->none_raises = false;
    s->variants = 0;
    memcpy(types, as_given, sizeof *types * (size_t)n);
    const Type *ret = infer_variants(s, fd, n, types, root);
    if (diag_mark(s) > mark)
        s->cx->wants |= wants;
    if (fails(s, mark) && (s->dicts || !s->either_refused))
        diag_put(s, mark, &first);
    return ret;
}

/* Last, with values that are of one type or another; then with dicts, whatever keys are known, as
 * dicts of these. */
const Type *
sema_infer(Sema *s, const FuncDef *fd, int n, const Type **types, Inst **root)
{
    int mark = diag_mark(s);
    const Type **as_given = arena_dup(s->a, types, sizeof *types * (size_t)(n + 1));
    bool given = given_either(s, n, types);
    type_keep_apart(s->tt, false);
    s->want_apart = false;
    const Type *ret = infer_variants(s, fd, n, types, root);
    if (!given && s->want_either && fails(s, mark))
        ret = infer_eithers(s, fd, n, types, root, as_given, mark);
    if (s->want_dicts && fails(s, mark)) {
        s->dicts = true;
        ret = infer_eithers(s, fd, n, types, root, as_given, mark);
    }
    return ret;
}
