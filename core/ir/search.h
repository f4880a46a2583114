/* SPDX-License-Identifier: BSD-3-Clause
 * What is searched for in expressions of the IR; ir_mentions counts a variable. */
#ifndef SWATHE_IR_SEARCH_H
#define SWATHE_IR_SEARCH_H
#include "ir/ir.h"

typedef bool (*IrExprTest)(const IrExpr *e, const void *arg);
/* Does the test hold for e or for anything in it? */
bool ir_has(const IrExpr *e, IrExprTest test, const void *arg);
bool ir_has_kind(const IrExpr *e, IrExprKind kind);
bool ir_has_equal(const IrExpr *e, const IrExpr *part);
bool ir_loads(const IrExpr *e);
bool ir_stmt_loads(const IrStmt *s); /* in an expression of its own */
int ir_size(const IrExpr *e);        /* how many nodes */
/* As ir_walk_stmt_exprs, of s and of all that is in it */
void ir_walk_exprs_in(IrStmt *s, IrExprFn fn, void *arg);
/* In s, and in all that is in it, e stands for v from now on. */
void ir_replace_var(Cx *cx, IrStmt *s, const IrVar *v, const IrExpr *e);
#endif
