/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of the IR's reader share: parse.c reads modules, functions and statements,
 * parse_expr.c names, types and expressions, parse_grid.c what only kernels have. */
#ifndef SWATHE_IR_PARSE_H
#define SWATHE_IR_PARSE_H
#include "ir/ir.h"
#include "ir/lex.h"

typedef struct Parser {
    Lexer lx;
    Cx *cx;
    IrModule *m;
    IrFunc *f;
    IrBuilder b;
    Map funcs; /* interned name -> IrFunc */
    Map vars;  /* interned name -> IrVar, of the function being read */
} Parser;

DType read_dtype(Parser *p);
IrVar *read_type(Parser *p, const char *name, IrFunc *f);
void read_var_flags(Parser *p, IrVar *v);
IrVar *find_var(Parser *p, Sym name);
IrVar *read_var(Parser *p);
IrVar *read_array(Parser *p);
int read_list(Parser *p, const char *open, const char *close, IrExpr **out, int max);
IrExpr *read_expr(Parser *p);

/* ---- parse_grid.c ---- */
bool at_grid_stmt(Parser *p);
/* which of them comes next */
int read_word(Parser *p, const char *const *words, int n, const char *what);
void read_grid_stmt(Parser *p, IrVar **outs, int n_outs);
IrExpr *read_geo(Parser *p, Sym name); /* NULL: name is no geo.x */
#endif
