/* SPDX-License-Identifier: BSD-3-Clause
 * Passes over the loop IR: one file each, one row of def/pass.def each. run.c drives them:
 * analyse, run, verify when checking, dump when asked, time. */
#ifndef SWATHE_PASS_H
#define SWATHE_PASS_H
#include "ir/search.h"

/* What was done and why not, for explain(): filled by passes, in the order found. */
typedef struct Remark {
    const char *pass;
    RemarkKind kind;
    const char *what; /* of the kind */
    char *why;
    Span at;
    Span also[2]; /* the accesses that a failed proof is about; src NULL: none */
} Remark;
typedef struct Remarks {
    Vec(Remark) list;
    bool fresh; /* the last one was new */
    /* by place: the number of its last one, + 1; by number: the next one of the place, of the last
     * the first */
    Map last;
    Vec(int) next;
} Remarks;

typedef struct PassCx {
    Cx *cx;
    IrModule *mod;
    const SwOptions *opt; /* the module's, while a pass runs: see pass_func */
    Remarks *remarks;
    int vector_bytes; /* of the target's registers; 0: 32 */
    /* some functions of the library are to be in units of their own: pass units */
    bool units;
    const char *stay; /* why no loop goes to a device; NULL: they may */
    Map budgets;      /* budget.c: by IrFunc */
    /* called after each pass, and before the first (NULL) */
    void (*seen)(void *arg, const IrModule *m, const char *pass);
    void *seen_arg;
} PassCx;
/* Function i of the module, whose options are cx->opt from now on. */
IrFunc *pass_func(PassCx *p, int i);
/* May floats that the loop adds up be added in another order, by the function's options? */
bool pass_may_reorder(const Cx *cx, const IrStmt *loop);
/* Of the remarks "check ..." on one check, the last one counts: see run.c. */
#define pass_remark(p, kind, ...) pass_remark_of(p, remark_info[kind].pass, kind, __VA_ARGS__)
void pass_remark_of(PassCx *p, const char *pass, RemarkKind kind, Span at, const char *fmt, ...)
    SW_PRINTF(5, 6);
/* adds two places to the last remark, when it is new */
void pass_remark_also(PassCx *p, Span a, Span b);

#define PASS(id, targets, what) void pass_##id(PassCx *p);
enum { P_CPU = 1, P_DEV = 2 };
#include "def/pass.def"
#undef PASS
typedef struct PassInfo {
    const char *name, *what;
    int targets; /* P_CPU, P_DEV */
    void (*run)(PassCx *p);
} PassInfo;
extern const PassInfo pass_table[];
extern const int pass_count;

bool lanes_are_off(const PassCx *p); /* by the options or the environment */
/* Asked by pass par: would this loop, or one inside it, run in vector lanes if it were shown to
 * be independent? Then a test before it and a second version are worth it. */
bool lanes_may_pay(PassCx *p, IrFunc *f, IrStmt *loop);
/* Asked by pass outline, which cuts a loop in chunks: how many lanes this very loop will run in;
 * 0: none. */
int lanes_of(PassCx *p, IrFunc *f, IrStmt *s);

/* Asked before a loop (or versions in an if) is copied: is there room in the function for that? If
 * so it is taken. */
bool pass_may_copy(PassCx *p, IrFunc *f, IrStmt *loop, const char *pass);
int pass_weight(const IrBlock *b); /* nodes of statements and expressions */
/* The last of `if row { .. } else { if column { .. } else { any case } }`; NULL: no such thing. */
IrStmt *pass_last_version(IrStmt *s);
/* of array expressions, when there is none */
void pass_trim_versions(PassCx *p, IrFunc *f, IrBlock *b);

/* What pass fold does to one function, for passes that have settled tests in it. */
void fold_again(PassCx *p, IrFunc *f);

/* Merges two copies of a loop for rare cases, in the branches of two nested ifs: see
 * loops/merge.c. */
void merge_alike(IrFunc *f);

/* All passes, as the trace's skip/stop say. Returns NULL, or what the verifier found wrong after
 * which pass. */
char *pass_run_all(PassCx *p); /* of a unit, those behind the pass that has made it one */
char *pass_run_named(PassCx *p, const char *comma_list); /* for swc */
#endif
