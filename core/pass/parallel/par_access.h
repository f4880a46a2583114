/* SPDX-License-Identifier: BSD-3-Clause
 * The walk over a loop's body that notes its accesses (par_access.c), as far as the
 * recognition of updates (par_update.c) looks into it. */
#ifndef SWATHE_PASS_PAR_ACCESS_H
#define SWATHE_PASS_PAR_ACCESS_H
#include "pass/parallel/par.h"

enum { MAX_LOOPS = 16, MAX_CONDS = 8, MAX_DEPTH = 10, MAX_ALTS = 4, RECENT = 12, MAX_CHOICES = 8 };

typedef struct Seen { /* an index check, for the place of the subscript */
    const IrVar *var;
    const IrExpr *e;
    Span at;
} Seen;

typedef struct Choice { /* what v is behind an `if` that sets it, in an iteration of `in` */
    const IrVar *v;
    IrExpr *is;
    const IrStmt *in;
} Choice;

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
    Choice choice[MAX_CHOICES];
    int n_choices;
    int now;   /* statements met */
    int wrote; /* the last one that may have written memory */
    IrStmt *s;
    const IrVar *written; /* as the program names it */
} Collect;

/* The one definition of a local variable, met before and in this very iteration of the
 * loops around it; or NULL. */
const IrStmt *par_local_def(const Collect *c, const IrVar *v);

/* par_same.c. A place in L: behind all that is met before `when`, in an iteration of `in`. */
typedef struct Place {
    int when;
    const IrStmt *in;
} Place;
Place par_here(const Collect *c);
bool par_is_around(const Collect *c, const IrStmt *loop); /* where the walk is; or it is L */
/* Two expressions, of two places that are met in one iteration of L, have one value. */
bool par_same_value(const Collect *c, const IrExpr *x, Place p, const IrExpr *y, Place q);
/* Two arrays have the same element under the same index. */
bool par_same_array(const Collect *c, const IrVar *x, Place p, const IrVar *y, Place q);
/* The one definition of v that is no array of the iteration's own, where there are others; or NULL.
 */
const IrStmt *par_shared_def(const Collect *c, const IrVar *v);

/* e with what was set on the way put in; NULL: not known */
IrExpr *par_expand(Collect *c, const IrExpr *e, int depth);

/* par_view.c. Any index of an axis; or, when it is given, that which is known to be one. */
IrExpr *par_any_index(Collect *c, const IrVar *arr, int axis, IrExpr *is);
/* d sees all elements of an array as one with one axis. */
bool par_is_flattened(const Collect *c, const IrStmt *d);
/* idx of a view, in terms of its base; NULL: not known. *exact becomes false where it may be
 * another one, too. */
IrExpr **par_through_view(Collect *c, const IrStmt *d, IrExpr **idx, bool *exact);

/* Called after what they are about has been noted; `before`: how many accesses there were
 * until then. */
void par_mark_update(Collect *c, IrStmt *store, int before);
void par_mark_masked(Collect *c, const IrStmt *store, int before);
void par_mark_copied(Collect *c, const IrStmt *copy, int before);
void par_mark_branch(Collect *c, const IrStmt *branch);
bool par_is_flat_of(const Collect *c, const IrVar *v, const IrVar *root);
#endif
