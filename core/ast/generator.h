/* SPDX-License-Identifier: BSD-3-Clause
 * What the files share that write generators out. */
#ifndef SWATHE_GENERATOR_H
#define SWATHE_GENERATOR_H
#include "ast/search.h"

typedef Vec(Node *) Nodes;

typedef struct Active { /* generators in whose bodies we are: none may come again */
    const FuncDef *gen;
    const struct Active *up;
} Active;

typedef struct Expand {
    Cx *cx;
    FuncDef *fn;  /* the function that consumes */
    int serial;   /* of generators written out: their names differ by it */
    int64_t size; /* of all that they have become, in nodes */
} Expand;

/* ---- ask.c: the function `name` that asks for what e, an attribute or a call of one, asks ---- */
FuncDef *ast_gen_ask(Cx *cx, const FuncDef *in, const Node *e, const char *name);
/* ---- node.c of generators: making and copying ---- */
Node *ast_gen_node(Expand *x, NodeKind k, Span at, int n, Node *const *kid);
Node *ast_gen_name(Expand *x, Span at, Sym name, int op);
Node *ast_gen_set(Expand *x, Span at, Sym name, Node *value);
/* `name = x[i]; name += v` of `x[i] += v`, which is n. */
void ast_gen_update(Expand *x, const Node *n, Sym name, Nodes *out);
Node *ast_gen_bool(Expand *x, Span at, bool v);
Node *ast_gen_int(Expand *x, Span at, int64_t v);
Node *ast_gen_str(Expand *x, Span at, const char *text); /* which is kept, not copied */
Node *ast_gen_builtin_name(Expand *x, Span at, BuiltinId id);
Node *ast_gen_compare(Expand *x, Span at, Node *left, CmpKind op, Node *right);
Node *ast_gen_block(Expand *x, Span at, const Nodes *n);
Node *ast_gen_copy(Expand *x, const Node *n);
/* a copy with what stands for a name in its place */
Node *ast_gen_substituted(Expand *x, const Node *n, Sym name, const Node *by);
Node *ast_gen_refuse(Expand *x, Span at, const char *why);
void ast_gen_local(Expand *x, Sym name);
const FuncDef *ast_gen_function(const FuncDef *fn, const Node *f); /* that it names, or NULL */
const FuncDef *ast_gen_called(const FuncDef *fn,
                              const Node *call); /* the generator that it calls, or NULL */
const Builtin *ast_gen_builtin(const FuncDef *fn, const Node *call); /* that it calls, or NULL */

/* ---- generator.c ---- */
Node *ast_gen_for(Expand *x, Node *loop, const FuncDef *gen, const Active *active);
void ast_gen_visit(Expand *x, Node **slot, const Active *active);
/* does a break, continue or return lead out of n? in: it is in a loop */
bool ast_gen_jumps_away(const Node *n, bool in);
/* ---- generator_with.c ---- */
void ast_gen_with(Expand *x, Node **slot, const Active *active);
bool ast_gen_is_mark(const Node *n);
/* ---- generator_call.c: what consumes one in an expression ---- */
FuncDef *ast_gen_new_function(Expand *x, const Node *at); /* in x->fn, without a body */
void ast_gen_adopt(Expand *x, Node *body); /* the body of x->fn: what it binds, and what it takes */
bool ast_gen_is_within(const FuncDef *fn,
                       const FuncDef *parent); /* it, or what stands for an expression in it */
bool ast_gen_consume_first(
    Expand *x, Node **slot,
    const Active *active); /* what stops early; false: it is nothing of the kind */
void ast_gen_consume(Expand *x, Node **slot, const Active *active);
/* A list of its first elements, and of one more where there are more. */
Node *ast_gen_first(Expand *x, const Node *n, int most, const Active *active);
void ast_gen_consume_unpacked(Expand *x, Node *assign, const Active *active);
/* of an assignment of a generator to a name */
void ast_gen_take_variable(Expand *x, Node *block, int at);
/* for i, x in enumerate(g()), iter(g()): the loop's iterable becomes g() */
void ast_gen_unwrap(Expand *x, Node *loop, Nodes *head);
/* of generators of the library: is the argument v put where the parameter is read? */
bool ast_gen_is_late(const Expand *x, const FuncDef *gen, Sym param, const Node *v);
/* of a call of one: is it an iterator that does without a list? */
bool ast_gen_settles(Expand *x, const Node *n);
bool ast_gen_never_ends(const FuncDef *g); /* perhaps: it has `while True` (resume_library.c) */
/* n's operands that are such, and that no loop goes through */
void ast_gen_settle(Expand *x, Node *n, const Active *active);
#endif
