/* SPDX-License-Identifier: BSD-3-Clause
 * What is searched for in the syntax tree: in a node and its kids, not in bodies of functions that
 * are defined there. A node may be NULL. */
#ifndef SWATHE_AST_SEARCH_H
#define SWATHE_AST_SEARCH_H
#include "ast/ast.h"

typedef bool (*AstTest)(const Node *n, const void *arg);
/* The first node that the test holds for, the outer before the inner; NULL: none. */
const Node *ast_find(const Node *n, AstTest test, const void *arg);
bool ast_has_kind(const Node *n, NodeKind kind);
bool ast_is_param(const FuncDef *f, Sym name);
/* of that class itself; or NULL */
Method *ast_method(const Program *p, const void *cls, const char *name);
bool ast_has_node(const Node *n, const Node *what);
bool ast_mentions(const Node *n, Sym name);
bool ast_sets(const Node *n, Sym name); /* a target, or one of `del` */
int ast_size(const Node *n);            /* how many nodes */
/* Is it map or filter, by a name that is set in several places of f? */
bool ast_maps_by_other(const FuncDef *f, const Node *e);
#endif
