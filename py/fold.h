/* SPDX-License-Identifier: BSD-3-Clause
 * A part of py.h: what names stand for in a parsed function, and what is written out where they do
 * (attributes of modules, patterns, partial functions, subscripts that are known). */
#ifndef SWATHE_PY_FOLD_H
#define SWATHE_PY_FOLD_H

/* ---- resolve.c: scopes, and what global names stand for ------------------------------- */
void in_resolve(In *in, FuncDef *f);
void in_mention(In *in, const Const *c); /* of the library: its function is parsed, too */
/* module_in.c */
bool in_is_fixed_module(const char *name);
const Const *in_module_attr(In *in, const Const *module, Sym attr);
bool in_asked_attr(In *in, ModuleAttr *a);
/* indexed.c: a subscript, and an assignment, once their kids are folded */
void in_fold_index(In *in, FuncDef *f, Node *n);
void in_fold_flat(In *in, FuncDef *f, Node *n), in_fold_unpacked(In *in, FuncDef *f, Node *n);
void in_fold_own_method(FuncDef *f, Node *n), in_fold_not_implemented(In *in, FuncDef *f, Node *n);
void in_fold_getattr(In *in, FuncDef *f, Node *n), in_fold_setattr(In *in, FuncDef *f, Node *n),
    in_fold_make(In *in, FuncDef *f, Node *n), in_fold_class(In *in, FuncDef *f, Node *n);
PyObject *in_enum_method(In *in, PyObject *of, PyObject *v);
void in_fold_members(In *in, FuncDef *f, Node *n), in_fold_member(In *in, FuncDef *f, Node *n);
void in_fold_or(In *in, FuncDef *f, Node *n), in_fold_backwards(In *in, FuncDef *f, Node *loop);
void in_fold_called(In *in, FuncDef *f, Node *n), in_fold_display(In *in, FuncDef *f, Node *n);
void in_fold_rebound(In *in, FuncDef *f); /* x.shape = ..., lists of slices */
const Const *in_lib_const(In *in, const char *name); /* of swathe/lib; NULL after an error */
/* what a constant, or a global name, is; NULL: it is neither */
const Const *in_constant_value(const FuncDef *f, const Node *n);
/* tuples_in.c */
void in_fold_permutations(In *in, FuncDef *f, Node *n);
bool in_fold_ints(In *in, FuncDef *f, Node *n, PyObject *o); /* o: NULL, or what n stands for */
void in_fold_pattern(In *in, FuncDef *f, Node *n);           /* pattern_in.c */
void in_fold_pattern_name(FuncDef *f, Node *n);
bool in_is_partial(const PyObject *o);
bool in_is_rewritten(const PyObject *o); /* what some uses of it are written as something else */
void in_fold_generated(In *in, FuncDef *f, Node *n);
void in_fold_partial(In *in, FuncDef *f, Node *n), in_fold_getter(In *in, FuncDef *f, Node *n);
bool in_is_pattern(const PyObject *o);
bool in_is_struct(const PyObject *o); /* struct_in.c */
void in_fold_struct(In *in, FuncDef *f, Node *n);
bool in_is_pattern_flag(const PyObject *o); /* re.I: an int of its own class */
void in_walk_tuples(In *in, FuncDef *f, Node *n);
void in_fold_records(In *in, FuncDef *f, Node *n); /* record_in.c */
/* callable.c: an object that stands for a function; NULL: it does not */
const Const *in_callable(In *in, PyObject *o);
/* `name = "text"` before everything else in the root: how a str argument becomes known.
 */
void in_assign_first(In *in, FuncDef *f, Sym name, const Const *c);

#endif
