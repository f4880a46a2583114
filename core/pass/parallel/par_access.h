/* SPDX-License-Identifier: BSD-3-Clause
 * The walk over a loop's body that notes its accesses (par_access.c), as far as the
 * recognition of updates (par_update.c) looks into it. */
#ifndef SWATHE_PASS_PAR_ACCESS_H
#define SWATHE_PASS_PAR_ACCESS_H
#include "pass/parallel/par.h"

enum { MAX_LOOPS = 16, MAX_CONDS = 8, MAX_DEPTH = 10, MAX_ALTS = 4, RECENT = 12 };

typedef struct Seen { /* an index check, for the place of the subscript */
    const IrVar *var;
    const IrExpr *e;
    Span at;
} Seen;

typedef struct Collect {
    ParLoop *l;
    IrStmt *loop[MAX_LOOPS];
    int range[MAX_LOOPS]; /* of each; -1: a while */
    int n_loops;
    ParCond cond[MAX_CONDS];
    int n_conds;
    bool must, plain; /* see ParAccess */
    Seen recent[RECENT];
    int n_recent;
    IrStmt *s;
    const IrVar *written; /* as the program names it */
} Collect;

/* The one definition of a local variable, met before and in this very iteration of the
 * loops around it; or NULL. */
const IrStmt *par_local_def(const Collect *c, const IrVar *v);

/* Called after what they are about has been noted; `before`: how many accesses there were
 * until then. */
void par_mark_update(Collect *c, IrStmt *store, int before);
void par_mark_copied(Collect *c, const IrStmt *copy, int before);
void par_mark_branch(Collect *c, const IrStmt *branch);
bool par_is_flat_of(const Collect *c, const IrVar *v, const IrVar *root);
#endif
