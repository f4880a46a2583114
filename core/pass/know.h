/* SPDX-License-Identifier: BSD-3-Clause
 * What is known about int64 values at one point of the program: values of variables and
 * dimensions as affine forms, and inequalities `a >= 0` between them. The pass `bounds` walks
 * forwards, tells what happens, and asks. Values are mathematical integers here: scalars and
 * dimensions are taken to be small enough that sums of a few do not wrap. */
#ifndef SWATHE_PASS_KNOW_H
#define SWATHE_PASS_KNOW_H
#include "ir/ir.h"

typedef enum KnownKind {
    K_FACT,  /* a >= 0 */
    K_VALUE, /* int64 variable var equals a */
    K_DIM,   /* dimension `axis` of array var equals a */
    K_EXPR,  /* any other scalar variable var equals e */
    K_TRUE,  /* the test e comes out as `truth` */
} KnownKind;

typedef struct KnownUse { /* an entry in the list of a variable that it mentions: know_index.c */
    int entry, list;
    struct KnownUse *prev, *next; /* of the list: next is older */
    struct KnownUse *more;        /* of the entry */
} KnownUse;

typedef struct Known {
    KnownKind kind;
    const IrVar *var;
    int axis;
    IrAffine a;
    IrExpr *e;
    bool truth;
    bool dead;
    bool loads;       /* depends on array elements */
    bool check;       /* FACT: from an index check that has passed */
    bool plain;       /* FACT: holds even where arithmetic on user values wraps */
    KnownUse *uses;
    int stamp;        /* of the set that it was last collected in */
} Known;
typedef Vec(int) KnownSet; /* entries, oldest first */

typedef struct Know {
    Cx *cx;
    IrFunc *f;
    Vec(Known) at;
    Vec(int) trail; /* killed entries, in order */
    KnownUse **lists, *unused, **by_term;
    int n_lists, n_terms, stamp;
    Map effects, assigned; /* of statements with blocks: see ir_effects_known, join.c */
    int base;       /* entries from here on are of the innermost mark */
    int budget;     /* of the current proof */
    int scan;       /* facts that it may still look at */
    bool products;  /* bounds of factors may bound products: only where wrapping is guarded against */
    int cases;      /* how many case distinctions it is inside */
} Know;

typedef struct KnowMark {
    int n, trail, base;
} KnowMark;

void know_init(Know *k, IrFunc *f);
KnowMark know_mark(Know *k);
void know_cut(Know *k, KnowMark m); /* leaves the block: what was learnt since goes; kills stay */
/* Undoes the kills since the mark and hands them out, for the other branch; redo puts them back. */
int *know_undo_kills(Know *k, KnowMark m, int *n);
void know_redo_kills(Know *k, const int *list, int n);

bool know_affine(Know *k, IrExpr *e, IrAffine *out);
void know_fact(Know *k, const IrAffine *a, bool check, bool plain);
void know_cond(Know *k, IrExpr *e, bool truth); /* e has this truth value here */
const IrExpr *know_expr(const Know *k, const IrVar *v); /* what a variable (not int64) equals, or NULL */
IrExpr *know_canonical(Know *k, IrExpr *e);             /* e with all known values put in */
const IrAffine *know_value(const Know *k, const IrVar *v); /* of an int64 variable, or NULL */
void know_set_value(Know *k, const IrVar *v, const IrAffine *a);
void know_assign(Know *k, IrVar *v, IrExpr *e);
void know_dims(Know *k, IrVar *arr, IrExpr **dims); /* a new array: its dimensions, all >= 0 */
void know_alias(Know *k, IrVar *arr, IrVar *base);
void know_kill(Know *k, const IrVar *v);
void know_kill_loads(Know *k);
/* A loop with these effects comes: what it may change goes, but that a counter which only rises
 * stays above what it was. */
void know_enter_loop(Know *k, const IrStmt *loop, const IrEffects *fx);
/* The bounds of a counted loop, taken before it, and what they say about its variable inside. */
typedef struct LoopRange {
    bool has_lo, has_hi;
    IrAffine lo, hi;
    int64_t step;
} LoopRange;
LoopRange know_range(Know *k, const IrStmt *loop);
void know_loop_var(Know *k, const IrStmt *loop, const LoopRange *r, const IrEffects *fx);
bool know_same_after(const IrAffine *a, const IrEffects *fx); /* no term may change */

bool know_prove(Know *k, const IrAffine *a); /* a >= 0 for certain */
bool know_term_range(const IrExpr *t, int64_t *lo, int64_t *hi); /* from its operation or dtype */
bool know_implies(Know *k, IrExpr *cond, bool truth);
/* A lower bound of `a` that is the same before and throughout a loop with effects fx: when
 * it is >= 0, so is a. false: none found. *plain: see Known. */
bool know_may_evaluate(const IrExpr *e); /* anywhere: no loads */
bool know_bound(Know *k, const IrAffine *a, const IrEffects *fx, IrAffine *out, bool *plain);

/* ---- know_index.c: entries by the variables that they mention --------------------------------- */
void know_index(Know *k);               /* the newest entry enters its lists */
void know_unlink(Know *k, int entry);   /* leaves them; relink: is in them again */
void know_relink(Know *k, int entry);
void know_unindex(Know *k, int entry);  /* it is to be dropped */
const KnownUse *know_uses(const Know *k, const IrVar *v); /* NULL: entries that mention no variable */
const KnownUse *know_defs(const Know *k, const IrVar *v); /* entries whose `var` is v */
/* Facts with the term, with a coefficient of that sign; facts with these terms; tests that are e; tests that compare e, or its size, with a
 * float. Among them may be other entries. */
const KnownUse *know_facts_on(const Know *k, const IrExpr *term, bool positive);
const KnownUse *know_facts_like(const Know *k, const IrAffine *a);
const KnownUse *know_tests(const Know *k, const IrExpr *e);
const KnownUse *know_tests_on(const Know *k, const IrExpr *e);
const KnownUse *know_elements(const Know *k); /* entries that depend on elements of arrays */
const IrVar *know_some_var(const IrExpr *e); /* that it mentions; or NULL */
KnownSet know_touched(Know *k, const IrEffects *fx); /* what such effects may change */
KnownSet know_mentioning(Know *k, IrVar *const *v, int n);

/* ---- join.c: what is known behind an if, of the variables that it assigns ------------------ */
enum { MAX_JOINS = 6, MAX_KEPT = 24 };
typedef struct Join {
    IrExpr *cond; /* in terms that the if leaves alone, or NULL */
    const IrEffects *fx; /* of the whole if */
    int n;
    struct {
        IrVar *v;
        bool known[2];
        IrAffine value[2]; /* at the end of either branch */
    } var[MAX_JOINS];
    int n_kept; /* inequalities known before, and in each branch so far */
    IrAffine *kept;
} Join;
Join know_join_begin(Know *k, IrStmt *branch);
void know_join_branch(Know *k, Join *j, int which); /* at the end of the branch */
void know_join_end(Know *k, Join *j);               /* behind the if, kills done */
#endif
