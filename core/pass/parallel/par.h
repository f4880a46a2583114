/* SPDX-License-Identifier: BSD-3-Clause
 * What the pass `par` asks about one loop L: which scalars each iteration has to itself,
 * combines or leaves behind (par_scalar.c), which elements it touches (par_access.c), and
 * whether two different iterations can touch the same one (depend.c). par.c decides,
 * par_report.c words it. */
#ifndef SWATHE_PASS_PAR_H
#define SWATHE_PASS_PAR_H
#include "pass/pass.h"

/* Definitions of each variable in a block: in L, or in the whole function. */
typedef struct ParDefs {
    int n_vars;
    int *n;       /* by variable id */
    IrStmt **def; /* the last one met */
    bool *looped; /* it is in a loop */
} ParDefs;

/* A variable that runs over lo .. hi-1 inside L: an inner loop's, or a made one for "any
 * index". */
typedef struct ParRange {
    IrVar *var, *prime; /* prime: the same in the other iteration */
    IrExpr *lo, *hi;    /* expanded; NULL: not known */
    IrExpr *first;      /* the loop's first value; then it goes on by step */
    IrExpr *is;         /* not NULL: no loop's, but this value, which is known to be in the range */
    int64_t step;
    /* depend.c */
    IrExpr *least, *most; /* least <= var, by * var <= most - 1; NULL: not known */
    int64_t by;
    const IrExpr *of; /* what it stands for, if it was made up */
    int rank;         /* one whose range needs others has a greater one; 0: not ready */
} ParRange;

typedef struct ParCond { /* of an `if` around an access */
    const IrExpr *e;
    bool truth;
} ParCond;

typedef struct ParAccess {
    IrVar *var, *root; /* as written, and the array that var looks into */
    IrVar *via;        /* on the way to root, the first that L does not set */
    IrStmt *s;
    int when; /* s is met as this one, in this loop, which may be L */
    const IrStmt *in;
    Span at;
    IrExpr **idx;       /* of root: expanded, an entry is NULL where not known; NULL: nothing is
                     known */
    struct Poly **poly; /* of idx, made when first wanted; NULL where it is none */
    IrExpr **at_idx;    /* of var, as written; NULL: all of it */
    bool write;
    bool mixed;  /* var may also be an array of the iteration's own */
    bool must;   /* runs in each iteration in which conds hold */
    bool plain;  /* so does the statement; whether it touches the element may be up to a call */
    bool update; /* part of h[e] = op(h[e], x) */
    bool keeps;  /* part of h[e] = h[e], an update with any op */
    uint8_t op;  /* of an update: add, mul, ... */
    int *inner;  /* the inner loops around it, as numbers of ranges, outermost first */
    int n_inner;
    ParCond *conds;
    int n_conds;
} ParAccess;

/* An index of one iteration is in first .. end-1 if what it is made of is small enough to be added,
 * and if no least index is negative, which would wrap. */
enum { BLOCK_PARTS = 12, BLOCK_WRAPS = 16 };
typedef struct ParBlock {
    IrExpr *first, *end;
    IrExpr *part[BLOCK_PARTS], *wrap[BLOCK_WRAPS]; /* >= 0 */
    int n_parts, n_wraps, n_uses;
} ParBlock;

/* L runs side by side only where these hold before it: e >= 0, e, `distinct`, `block`, or x and y
 * share no memory, or (where `same` says that it is all right) are the same array, element by
 * element. */
typedef struct ParNeed {
    IrExpr *distinct;      /* an index of x that is another one in each iteration of L */
    const ParBlock *block; /* no two iterations' meet */
    int axis;              /* of x */
    IrExpr *e;
    IrVar *x, *y;
    bool same;
    bool sums;          /* what e stands for holds of sums and products that do not wrap */
    const IrExpr *flag; /* e asks whether this, which branches of L test, is `truth`, or NULL */
    bool truth;
} ParNeed;

/* Tables by variable of what is in a loop's body, which one loop after the other fills and clears:
 * theirs is the function's number of variables. */
typedef struct ParTables {
    ParDefs defs;
    IrStmt **seen;
    int *when;
    int *uses;
    IrBlock *counted;  /* whose uses are in `uses` */
    IrStmt **first[2]; /* of par_scalar.c */
    int *n_defs, n_flow;
    Vec(uint64_t *) sets; /* of set_words each; the next loop uses them again */
    int n_used, set_words;
} ParTables;

/* par_order.c */
typedef struct ParOrder {
    Map number; /* IrStmt* -> its number, from 1 on */
    int *last;  /* by variable: of the last statement that mentions it */
    int n_vars;
} ParOrder;

typedef struct ParLoop {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    const ParDefs *defs;
    IrStmt *s;
    IrEffects fx;    /* of s */
    bool reassoc;    /* sums may be taken in any order */
    bool copies;     /* iterations may each have a copy of the arrays that they combine */
    bool races;      /* a certain race is an error */
    bool may_need;   /* there may be a test before the loop, and a serial copy of it */
    bool early;      /* a loop inside may have fewer rounds than its ends are apart */
    bool apart;      /* arrays that it stores to share no memory with others that it uses */
    bool in_order;   /* the one doubt is whether stores of one statement meet; vectors of them are
                      stored in order, so that these need not know */
    IrExpr *lo, *hi; /* of s, as what they were set to */
    /* par_scalar.c */
    Vec(IrReduce) reds;
    Vec(IrVar *) lasts;
    const uint64_t *read_after; /* variables that are read behind the loop */
    /* par_access.c */
    Vec(ParAccess) acc;
    Vec(ParRange) ranges;
    ParTables *tables;     /* NULL: of its own */
    const ParOrder *order; /* or NULL */
    ParDefs local;         /* definitions in L */
    IrStmt **seen;         /* by variable id: the innermost loop around its definition in L, once
                      met */
    int *when;             /* by variable id: its last definition met, as ParAccess.when */
    Vec(ParNeed) needs;
    IrStmt *const *around; /* what L is inside, outermost first */
    int depth;
    bool *contents; /* par_contents.c, by variable id; NULL: nobody has asked */
    int n_contents;
    Map hangs;            /* statements: whether they run hangs on contents */
    const ParNeed *given; /* tested by the loops around */
    int n_given;
} ParLoop;

/* What stands in the way, in order of how sure it is. */
typedef enum ParVerdict { PAR_OK, PAR_UNKNOWN, PAR_CARRIED, PAR_RACE } ParVerdict;

typedef struct ParWhy { /* of the first obstacle */
    IrVar *var;
    const char *text; /* format with the variable's name */
    const char *at_text;
    const char *hint;
    Span at, other;
    const char *other_text;
    bool unsupported;
    bool in_order; /* nothing is wrong with it as a range */
} ParWhy;

/* par_guard.c: what is assigned under a condition is assigned wherever that holds once more. */
enum { GUARD_PARTS = 4, GUARDS = 16 };
typedef struct ParGuard {
    ParCond part[GUARD_PARTS]; /* all of these */
    int n_parts;
    const uint64_t *set; /* is assigned */
    bool loads;          /* a part reads memory: only for scalars */
    int number;          /* how many were found before it */
} ParGuard;

typedef struct ParSame { /* var is true where e is; false where e is */
    const IrVar *var;
    const IrExpr *e;
    bool yes, no;
} ParSame;

typedef struct ParGuards {
    ParLoop *l;
    ParSame same[GUARDS];
    int n_same;
    Vec(ParCond) here; /* hold where the walk is; e NULL: no more */
    ParGuard list[GUARDS];
    int n, found;
} ParGuards;

/* before a statement with blocks */
typedef struct ParGuardMark {
    int found;
    ParSame same[GUARDS];
    int n_same;
} ParGuardMark;

/* a branch; yields how many guards have been found */
int par_guard_enter(ParGuards *g, const IrExpr *e, bool truth);
void par_guard_leave(ParGuards *g, int known, const uint64_t *set);
/* A block that may not run to its end, or not at all: what is found in it holds in it alone. */
ParGuardMark par_guard_mark(const ParGuards *g);
void par_guard_forget(ParGuards *g, int known);
/* Another block of s, or what is behind it, where flags are what they were before it. */
void par_guard_again(ParGuards *g, const ParGuardMark *m);
void par_guard_behind(ParGuards *g, const ParGuardMark *m, const IrStmt *s);
/* What is known of the flag that `s` tests, and still is behind it, as in `t = f; if f: t = e`. */
ParSame par_guard_same(const ParGuards *g, const IrStmt *s);
void par_guard_keep(ParGuards *g, ParSame was, const IrStmt *s);
bool par_guarded(const ParGuards *g, const IrVar *v);
void par_guard_step(ParGuards *g, const IrStmt *s); /* what s may change is no longer known */

/* An integer that L doesn't change, with the names in it replaced by what they were set to. */
IrExpr *par_settle(const ParLoop *l, const IrExpr *e);
/* Is it a sum of what is never negative: counters of loops around that begin or end there, sizes,
 * constants? */
bool par_never_negative(const ParLoop *l, const IrExpr *e);
ParDefs par_count_defs(IrFunc *f, IrBlock *b);
int par_count_uses(IrBlock *b, const IrVar *v); /* in expressions */
int par_count_sets(IrBlock *b, const IrVar *v);
void par_order(ParOrder *o, IrFunc *f);
/* Of the variables in these words of a set: a number; INT_MAX: not known. */
int par_last_mention(const ParLoop *l, const uint64_t *of, int from, int to);
/* how many of the statements around it are outside of any loop */
int par_straight(const ParLoop *l);
bool par_is_behind(const ParLoop *l, const IrStmt *s, int last);
int par_uses(ParLoop *l, const IrVar *v); /* in the body of L */
void par_tables_fill(ParLoop *l);         /* l->local, l->seen */
void par_tables_clear(ParLoop *l);        /* its body is as it was */
/* around: the statements that L is inside, outermost first */
ParVerdict par_scalars(ParLoop *l, IrStmt *const *around, int depth, ParWhy *why);
/* e is leaf op x op y ..: leaf is looked for on the way down only. *op is -1 before. */
/* A break of the loop itself, whose body it is, or a return. */
IrStmt *par_find_exit(IrBlock *b, int loops);
bool par_update_path(const IrExpr *e, const IrExpr *leaf, int *op, bool *inexact);
/* `c` compares x with leaf: the op for which op(x, leaf) is c; -1: it does not. */
int par_compares(const IrExpr *c, const IrExpr *leaf, const IrExpr *x);
/* `if x > v: ...; v = x`: that set, of v or (v NULL) of any variable; or NULL */
IrStmt *par_picked(const IrStmt *branch, const IrVar *v, int *op);
/* Does the branch do nothing that tells how often it is taken? */
bool par_only_picks(ParLoop *l, const IrStmt *branch, const IrVar *v);
/* Can nobody tell how often the branch is taken, but by `result`, which it sets? */
bool par_is_silent(ParLoop *l, IrStmt *branch, const IrVar *result);
int par_reduction_op(ParLoop *l, IrVar *v);    /* -1: it is none */
bool par_find_reduction(ParLoop *l, IrVar *v); /* and notes it */
bool par_find_flag(ParLoop *l, IrVar *v);      /* set to one constant wherever it is set */
bool par_find_along(ParLoop *l, IrVar *v);     /* par_pick.c: set beside a greatest or least */
bool par_goes_along(ParLoop *l, IrVar *v, IrReduce *r); /* the same, but it isn't noted */
/* what that needs in the code, when it is to run so */
void par_mark_hits(ParLoop *l, IrBlock *blk);
bool par_update_choice(const IrExpr *e, const IrExpr *leaf, int *op, bool *inexact);
/* par_join.c: puts choices and chains of names into the form that is looked for; did it? */
/* tries: the function has a try, in which what was assigned before may be seen */
bool par_join(PassCx *p, IrFunc *f, IrStmt *loop, bool tries);
/* par_unswitch.c: where a test fails, there may be a version that runs in parallel, too: did it
 * make one? */
bool par_unswitch(const ParLoop *l, const IrStmt *loop, IrStmt *test);
/* of a walk: plain loops, which are hardly ever run */
void par_make_serial(IrBlock *blk, IrStmt *s, void *arg);
void par_collect(ParLoop *l); /* fills acc */
ParVerdict par_arrays(ParLoop *l, ParWhy *why);
bool par_is_local(const ParLoop *l, const IrVar *v); /* set in L */
/* e is the lesser (or, unless `least`, the greater) of two integers, as an op or a choice
 */
bool par_is_min(const IrExpr *e, bool least, IrExpr **a, IrExpr **b);
const IrStmt *par_fixed_def(const ParLoop *l,
                            const IrVar *v); /* a set that holds for good, or NULL */
void par_need(ParLoop *l, ParNeed n);
/* par_distinct.c: the test of a `distinct`, and of a `block` */
IrExpr *par_distinct(IrBuilder *b, const ParLoop *l, const ParNeed *n);
/* par_contents.c. Where it is, or whether it takes place, may hang on an element of an array. */
bool par_hangs_on_contents(ParLoop *l, const ParAccess *a);
int64_t par_trips(const IrStmt *loop); /* INT64_MAX: not known */
/* par_slice.c: where some element of a slice is touched, its start in an axis of that
 * dimension; and of its length n: by * (n - 1) < what is returned */
IrExpr *par_slice_start(const ParLoop *l, IrExpr *e, const IrExpr *dim);
IrExpr *par_slice_length(const ParLoop *l, IrExpr *e, int64_t *by);

/* ---- depend.c, depend_poly.c, depend_meet.c -------------------------------------------------- */

/* A polynomial over i64 terms: variables, dims, and what else L does not change. */
enum { POLY_FACTORS = 4, POLY_MONOS = 14 };

typedef struct PolyMono {
    int64_t k;
    int n;
    const IrExpr *f[POLY_FACTORS];
} PolyMono;

typedef struct Poly {
    int n;
    PolyMono m[POLY_MONOS];
} Poly;

/* false: overflow or too long; then the polynomial is rubbish */
bool poly_add_mono(Poly *p, const PolyMono *m, int64_t k);
bool poly_add(Poly *p, const Poly *q, int64_t k); /* p += k * q */
bool poly_add_const(Poly *p, int64_t k);
bool poly_add_term(Poly *p, const IrExpr *term, int64_t k);
bool poly_mul(const Poly *a, const Poly *b, Poly *out);
bool poly_subst(const Poly *p, const IrExpr *term, const Poly *q, Poly *out);
bool poly_is_const(const Poly *p, int64_t *k);
bool poly_has(const Poly *p, const IrExpr *term);
IrExpr *poly_expr(Cx *cx, const Poly *p);
bool poly_term_equal(const IrExpr *a, const IrExpr *b);

typedef enum DepAnswer { DEP_NONE, DEP_MAYBE, DEP_RACE } DepAnswer;

/* May an iteration's access a and another's access b be to the same element? RACE: they
 * are, for certain; *distance is from the first to the second iteration, 0: all touch it,
 * DEP_FAR: no fixed one. */
enum { PAR_MAX_NDIM = 16 };

#define DEP_FAR INT64_MIN
DepAnswer depend_test(ParLoop *l, ParAccess *a, ParAccess *b, int64_t *distance);
/* They never meet if what is added to l->needs holds; false: no test was found. */
bool depend_need(ParLoop *l, const ParAccess *a, const ParAccess *b);
bool depend_meets(ParLoop *l, const ParAccess *a, const ParAccess *b,
                  int64_t *distance); /* for certain */
bool depend_poly(const ParLoop *l, const IrExpr *e, Poly *out);
bool depend_local(const ParLoop *l, const IrExpr *e); /* it changes in L */
const ParRange *depend_range(const ParLoop *l, const IrVar *v);
#endif
