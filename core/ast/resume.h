/* SPDX-License-Identifier: BSD-3-Clause
 * What the files share that make objects of generators. */
#ifndef SWATHE_RESUME_H
#define SWATHE_RESUME_H
#include "ast/generator.h"

/* A generator that objects are made of: a class whose fields are the variables that live across a
 * yield, and a function that goes on from one yield to the next. */
typedef struct Resumable {
    FuncDef *gen;
    const FuncDef *outer; /* in which it is defined, or NULL */
    ObjClass *cls;
    const Const *cst; /* the class */
    FuncDef *init, *resume;
    Vec(Sym) kept;     /* variables that are fields */
    Vec(Sym) captured; /* variables of functions around it, which are fields, too */
    bool receives;     /* the value of a yield is used */
    bool returns;      /* a value */
} Resumable;

typedef struct LibraryCopy { /* of a generator of the library, for calls that give it these */
    const FuncDef *of;
    uint64_t given;
    FuncDef *own;
} LibraryCopy;

typedef struct Resume {
    Cx *cx;
    Program *p;
    Vec(Resumable *) all;
    Vec(Sym) nested; /* names of generators that are defined in functions */
    FuncDef *raise;  /* raises what is thrown */
    Vec(LibraryCopy) library;
    bool endless;        /* there may be one that never ends */
    bool throws;         /* close() or throw() is called somewhere */
    const FuncDef *held; /* what iter() is here: of swathe._resumed */
    Nodes thrown;        /* the exceptions of throw(), which are numbered */
} Resume;

typedef struct Body {
    Expand x;
    Resume *r;
    Resumable *of;
    Sym self, s;
    int n;            /* the number of the next yield */
    Vec(Sym) shadows; /* names that are others' here: targets of comprehensions */
} Body;

/* ---- resume.c ---- */
/* of the user, or what Python goes on with (swathe._yielding) */
bool ast_resume_looks_at(const Resume *r, const FuncDef *f);
Resumable *ast_resume_of(const Resume *r, const FuncDef *gen); /* NULL: no objects are made of it */
Node *ast_resume_field(Expand *x, Span at, Sym self, const char *name, int op);
Node *ast_resume_call(Expand *x, Span at, Sym self, const char *method);
/* of the program, without parameters or a body */
FuncDef *ast_resume_new_function(Resume *r, const FuncDef *g, const char *name);
/* of one parameter, the object, without a body */
FuncDef *ast_resume_function(Resume *r, const FuncDef *g, const char *name);
void ast_resume_classes(Resume *r, int from, FuncDef *const *ways); /* of r->all from there on */
Sym ast_resume_set_again(const Resumable *of); /* a variable around it; NULL: none */
/* ---- resume_library.c ---- */
/* the generator that objects are made of for a call of one of the library, which nothing goes
 * through at once; NULL: that is a list */
FuncDef *ast_resume_of_library(Resume *r, FuncDef *fn, Node *call);
/* ---- resume_names.c: which variables live across a yield ---- */
void ast_resume_keep(Resume *r, Resumable *of);
/* s, of the generator's own statements, defines a function once and for all: it is made anew
 * whenever the generator goes on, before all else */
int ast_resume_defaults(const FuncDef *gen); /* statements at its head: the factory does them */
bool ast_resume_is_made_anew(const FuncDef *gen, const Node *s);
bool ast_resume_may_lack(const FuncDef *gen, Sym name); /* may it be read before it is set? */
/* ---- resume_close.c: what is closed, and where ---- */
bool ast_resume_sees_exit(const Node *n, const void *arg);
bool ast_resume_cleans_up(const FuncDef *gen);
void ast_resume_close(Resume *r);
void ast_resume_throw(Resume *r, FuncDef *f); /* what raises what is thrown */
/* ---- resume_body.c: the function that goes on ---- */
void ast_resume_body(Resume *r, Resumable *of);
/* ---- resume_expr.c: its nodes, copies of expressions with fields in them (own), and the yields
 * and := of an expression as statements before it (pull) ---- */
Node *resume_make(Body *b, NodeKind k, Span at, int n, Node *const *kid);
Node *resume_name(Body *b, Span at, Sym as);
Node *resume_field(Body *b, Span at, const char *of, int op);
void resume_push(Body *b, Nodes *to, Node *n);
void resume_assign(Body *b, Nodes *to, Node *target, Node *value);
void resume_set_state(Body *b, Nodes *to, Span at, int64_t v);
Node *resume_compare(Body *b, Span at, Node *left, CmpKind op, Node *right);
Node *resume_is_state(Body *b, Span at, CmpKind op, int64_t v);
Node *resume_both(Body *b, Span at, bool or, Node *l, Node *r);
Node *resume_is_within(Body *b, Span at, int from, int to);
void resume_when(Body *b, Nodes *to, Span at, Node *test, const Nodes *then);
Sym resume_fresh(Body *b, const char *what);
Sym resume_fresh_field(Body *b, const char *what);
void resume_refuse(Body *b, Nodes *to, Span at, const char *why);
Node *resume_own(Body *b, const Node *n);
bool resume_is_busy(const Body *b, const Node *n);
int resume_count_yields(const Node *n);
bool resume_pull(Body *b, Node **slot, Nodes *before);
#endif
