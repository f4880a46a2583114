/* SPDX-License-Identifier: BSD-3-Clause
 * What is known about int64 values at one point of the program: values of variables and
 * dimensions as affine forms, and inequalities `a >= 0` between them. The pass `bounds` walks
 * forwards, tells what happens, and asks. A form is congruent modulo 2**64 to the value that it was
 * made from, and its terms are values of int64 themselves; inequalities hold of forms as numbers,
 * sums that do not wrap. know_fit.c says when one leads to the other. */
#ifndef SWATHE_PASS_KNOW_H
#define SWATHE_PASS_KNOW_H
#include "pass/analysis/rotate.h"

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
    bool loads;     /* depends on array elements */
    bool check;     /* FACT: from an index check that has passed */
    uint64_t needs; /* FACT: holds where these of Know.need are small */
    KnownUse *uses;
    int stamp; /* of the set that it was last collected in */
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
    Map rotations;         /* of loops: see rotate.h */
    int base;              /* entries from here on are of the innermost mark */
    int budget;            /* of the current proof */
    int scan;              /* facts that it may still look at */
    /* bounds of factors may bound products: only where wrapping is guarded against */
    bool products;
    bool bounding; /* what an index check has said proves nothing: the bound is tested before it */
    int cases;     /* how many case distinctions it is inside */
    const struct Gone *gone; /* terms that facts in use have taken away: prove.c */
    bool straight;           /* these may not come back */
    bool thorough;           /* a proof that spends all is begun once more in that way */
    /* proofs that may yet be begun for what a case brings, until the outermost is done */
    int fuel;
    bool sure;  /* a proof may not ask that anything be small */
    bool brief; /* and gives up soon: it is one of many */
    /* of a nest that will be versioned: what it leaves alone may be taken to be small; or NULL */
    const IrEffects *small;
    const IrExpr *need[64]; /* what has been taken so, in as many bits as know_small_bits says */
    int n_need;
    int branches;        /* ifs that the walk is inside */
    uint64_t join_steps; /* of proofs where their branches end, since it came into the outermost */
    uint64_t used;       /* of these, since the caller has set it to 0 */
    uint64_t *overflows; /* counters, by id, of which a step may wrap: see walk.c; or NULL */
    Map forms;           /* IrVar -> what is asked of it: head.c */
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
void know_fact(Know *k, const IrAffine *a, bool check, uint64_t needs);
void know_cond(Know *k, IrExpr *e, bool truth); /* e has this truth value here */
/* what a variable (not int64) equals, or NULL */
const IrExpr *know_expr(const Know *k, const IrVar *v);
IrExpr *know_canonical(Know *k, IrExpr *e);                /* e with all known values put in */
bool know_itself(Know *k, const IrExpr *e, IrAffine *out); /* false: nothing is known of such */
const IrAffine *know_value(const Know *k, const IrVar *v); /* of an int64 variable, or NULL */
void know_set_value(Know *k, const IrVar *v, const IrAffine *a);
void know_assign(Know *k, IrVar *v, IrExpr *e);
void know_dims(Know *k, IrVar *arr, IrExpr **dims); /* a new array: its dimensions, all >= 0 */
void know_alias(Know *k, IrVar *arr, IrVar *base);
void know_kill(Know *k, const IrVar *v);
void know_kill_loads(Know *k);
void know_forget(Know *k, const IrEffects *fx); /* what such effects may change */
/* A loop with these effects comes: what it may change goes, but that a counter which only rises
 * stays above what it was, unless it is one of `wraps` (a set by id; or NULL: none). Yields whether
 * there are such. */
bool know_enter_loop(Know *k, const IrStmt *loop, const IrEffects *fx, const uint64_t *wraps);
/* The bounds of a counted loop, taken before it, and what they say about its variable inside. */
typedef struct LoopRange {
    bool has_lo, has_hi;
    IrAffine lo, hi;
    int64_t step;
} LoopRange;
LoopRange know_range(Know *k, const IrStmt *loop);
void know_loop_var(Know *k, const IrStmt *loop, const LoopRange *r, const IrEffects *fx);
bool know_same_after(const IrAffine *a, const IrEffects *fx); /* no term may change */

bool know_prove(Know *k, const IrAffine *a);                     /* a >= 0 for certain */
bool know_term_range(const IrExpr *t, int64_t *lo, int64_t *hi); /* term_range.c */
/* Of an integer of any dtype: is less of it possible than its dtype says? */
bool know_narrows(const IrExpr *e, int64_t *lo, int64_t *hi);
bool know_implies(Know *k, IrExpr *cond, bool truth);
bool know_implies_less(Know *k, IrExpr *x, IrExpr *y, int64_t gap); /* x + gap <= y; gap: 0 or 1 */
/* A lower bound of `a` that is the same before and throughout a loop with effects fx: when
 * it is >= 0, so is a, where Know.used is small, and unless *plain all that they are made of.
 * false: none found. */
bool know_bound(Know *k, const IrAffine *a, const IrEffects *fx, IrAffine *out, bool *plain);

/* ---- know_fit.c: which sums wrap ------------------------------------------------------------- */
enum {
    FITS_BELOW = 1,
    FITS_ABOVE = 2,
    FITS = 3,
    FIT_AT_ONCE = 1000 /* as depth: in no other proof */
};
#define MAX_DIM ((int64_t)1 << 60) /* of an array: arguments and views have no larger ones */
#define MAX_GEO ((int64_t)1 << 31)
bool know_fits(Know *k, const IrAffine *a, int sides, int depth);
bool know_nearly_fits(Know *k, const IrAffine *a);
bool know_is_dim(Know *k, const IrAffine *a); /* the form of a dimension: is it one as a number? */
bool know_never_negative(Know *k, const IrAffine *a); /* by its terms' ranges alone */
bool know_bounds(Know *k, const IrAffine *a, int64_t *lo, int64_t *hi);
bool know_prove_more(Know *k, const IrAffine *a, int depth);
/* An inequality that holds for t = x // y, bounding it from below (sign > 0) or above:
 * know_quotient.c. */
bool know_quotient(Know *k, const IrExpr *t, int sign, int depth, IrAffine *f);
int know_small_bits(const IrExpr *term);
bool know_need(Know *k, const IrExpr *term); /* is to be small; false: there are too many */
/* Is the index in 0 .. dim - 1? *at: its form, which then is the index. */
bool know_in_range(Know *k, IrExpr *i, IrVar *arr, int axis, IrAffine *at);
/* x as a number of a narrow dtype, `cast`, is x again: does x fit? */
bool know_fits_narrow(Know *k, IrExpr *cast, IrExpr *x);
/* cond is that x is in lo .. hi, all that a narrow dtype has: yields x; else NULL. */
IrExpr *know_fit_of(const IrExpr *cond, int64_t *lo, int64_t *hi);
/* A test before a loop with these effects, behind which cond, that a number fits in a narrow dtype,
 * is true in each iteration; NULL: none is known. */
IrExpr *know_fit_test(Know *k, const IrExpr *cond, const IrEffects *fx);
void know_checked(Know *k, IrExpr *i, IrVar *arr, int axis, bool low);

/* ---- know_rotate.c: sizes of arrays that a loop passes round among its names ----------------- */
typedef struct KeptSizes {
    const Rotation *r;
    bool same[MAX_ROTATED];      /* sizes of all in the group are the same before the loop */
    IrAffine *form[MAX_ROTATED]; /* by axis, in terms that the loop leaves alone where `fixed` */
    bool *fixed[MAX_ROTATED];
} KeptSizes;
KeptSizes know_rotated(Know *k, IrStmt *loop, const IrEffects *fx); /* before the loop */
void know_keep_sizes(Know *k, const KeptSizes *kept); /* what it may change has been forgotten */

/* ---- know_index.c: entries by the variables that they mention -------------------------------- */
void know_index(Know *k);             /* the newest entry enters its lists */
void know_unlink(Know *k, int entry); /* leaves them; relink: is in them again */
void know_relink(Know *k, const int *entries, int n);
void know_unindex(Know *k, int entry); /* it is to be dropped */
/* NULL: entries that mention no variable */
const KnownUse *know_uses(const Know *k, const IrVar *v);
const KnownUse *know_defs(const Know *k, const IrVar *v); /* entries whose `var` is v */
/* Facts with the term, with a coefficient of that sign; facts with these terms; tests that are e;
 * tests that compare e, or its size, with a float. Among them may be other entries. */
const KnownUse *know_facts_on(const Know *k, const IrExpr *term, bool positive);
const KnownUse *know_facts_like(const Know *k, const IrAffine *a);
const KnownUse *know_tests(const Know *k, const IrExpr *e);
const KnownUse *know_tests_on(const Know *k, const IrExpr *e);
const KnownUse *know_elements(const Know *k);        /* entries that depend on elements of arrays */
const IrVar *know_some_var(const IrExpr *e);         /* that it mentions; or NULL */
KnownSet know_touched(Know *k, const IrEffects *fx); /* what such effects may change */
KnownSet know_mentioning(Know *k, IrVar *const *v, int n);

/* ---- head.c: what holds whenever a loop begins anew ------------------------------------------ */
typedef struct Head { /* at[i] >= 0 */
    IrAffine *at;
    int n;
} Head;
void know_ask(Know *k);                                          /* reads the function */
int know_asked(Know *k, const IrVar *v, const IrAffine **forms); /* how many */
/* What is asked of v and is true where it is to be this value; `out` has room for MAX_ASKED. */
int know_passes(Know *k, const IrVar *v, const IrAffine *value, IrAffine *out);
enum { MAX_ASKED = 10 };                                          /* of a variable */
Head know_head(Know *k, const IrStmt *loop, const IrEffects *fx); /* candidates, before it */
void know_at_head(Know *k, const Head *h);                        /* they hold here */
void know_back(Know *k, Head *h); /* control goes back to the head here: drops what does not hold */
bool know_holds_behind(const IrStmt *loop, const Head *h);

/* ---- join.c: what is known behind an if, of the variables that it assigns ------------------ */
enum { MAX_JOINS = 6, MAX_KEPT = 24 };
typedef struct Join {
    IrExpr *cond;        /* in terms that the if leaves alone, or NULL */
    const IrEffects *fx; /* of the whole if */
    int n;
    struct {
        IrVar *v;
        bool known[2];
        IrAffine value[2]; /* at the end of either branch */
    } var[MAX_JOINS];
    int n_kept; /* inequalities known before, and in each branch so far */
    int n_told; /* of these, the first: the others are only asked for */
    IrAffine *kept;
    uint64_t *needs;
} Join;
Join know_join_begin(Know *k, IrStmt *branch);
void know_join_branch(Know *k, Join *j, int which); /* at the end of the branch */
void know_join_end(Know *k, Join *j);               /* behind the if, kills done */
bool know_holds_with(Know *k, const IrAffine *a, const IrVar *v, const IrAffine *value);
bool know_holds(Know *k, const IrAffine *a); /* a >= 0, of what its terms are now */
#endif
