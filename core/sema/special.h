/* SPDX-License-Identifier: BSD-3-Clause
 * Methods that Python calls by itself, and what containers ask of their elements. A part of
 * internal.h, which includes it. */
#ifndef SWATHE_SEMA_SPECIAL_H
#define SWATHE_SEMA_SPECIAL_H
#include "sema/internal.h"

bool heap_is_numpy(const Type *t); /* Python asks it first, and it makes an array of the other */
bool heap_adds_none(Sema *s, const Type *a, const Type *b);
bool class_is(const Sema *s, const void *cls, const void *base); /* it, or derived from it */
const Method *class_method(const Sema *s, const void *cls, const char *name);
/* of a named tuple, or one that may be None; NULL: its class has none of its own */
/* a method's call with these arguments, as the value of e */
Sem special_call(Sema *s, const Node *e, const Method *m, int n, const Node *const *arg);
const Method *special_of(const Sema *s, const Type *t, const char *name);
/* These yield whether *out is the value: a call, or a refusal. */
/* A tuple whose class has operators of its own. */
bool special_has_operators(Sema *s, const Type *t);
bool special_binop(Sema *s, const Node *e, const Node *an, Sem a, const Node *bn, Sem b, Sem *out);
bool special_unary(Sema *s, const Node *e, Sem a, Sem *out);
bool special_compare(Sema *s, const Node *e, Sem a, Sem b, Sem *out);
bool special_cast(Sema *s, const Node *e, Sem v, const Type *to, Sem *out);
bool special_row(Sema *s, const Node *e, const Call *c, Sem *out);
bool text_array_row(Sema *s, const Node *e, const Builtin *fn, const Call *c, Sem *out);
bool special_item(Sema *s, const Node *e, Sem v, Sem *out);
/* whether it was refused */
bool special_in_place(Sema *s, const Node *e, const Type *a, const Type *b);
bool special_truth(Sema *s, const Node *e, const Type *t);
bool special_is_itself(const Sema *s, const Type *t);
const Method *special_hash(const Sema *s, const Type *t);
bool special_has_hash(const Sema *s, const Type *t); /* its class says what hash() is */
Sem iter_resumed(Sema *s, const Node *e, Sem v);     /* of a generator's object: an iterator */
bool iter_yields_passing(const Type *t);             /* what is no value where it is not consumed */
bool special_iter(Sema *s, const Node *e, const Type *t);
bool special_new(Sema *s, const Node *e, const Const *cls);
bool special_in_compare(Sema *s, const Node *e, const Type *a, const Type *b, int op);
bool special_has_order(Sema *s, const Type *a, const Type *b, int op);
bool special_in_tuple(Sema *s, const Type *t, bool order);
bool special_is_key(const Sema *s, const Type *t); /* it is compared as a tuple */
Sem heap_passing(Sema *s, const Node *e, Sem v);
bool heap_is_made(Sema *s, const Node *e, Sem v);
Sem heap_compare_lists(Sema *s, const Node *e, int op, Sem a, Sem b);
Sem heap_add_fixed(Sema *s, const Node *e, Sem a, Sem b);
Sem heap_call_of(Sema *s, const Node *e, const Type *object, const char *what, int n,
                 const Node *const *arg);
bool heap_has_array(const Type *t);
void heap_no_equality(Sema *s, const Node *at, const Type *object, const char *what);
const FuncDef *heap_lib_named(Sema *s, const char *name);
bool choice_is_key(const Type *t);
bool heap_is_key(const Type *t);
bool heap_takes_none(Sema *s, const Call *put);
bool heap_begins_none(Sema *s, const Call *put);
#endif
