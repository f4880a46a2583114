/* SPDX-License-Identifier: BSD-3-Clause
 * Arguments to parameters: what bind.c and bind_star.c share. */
#ifndef SEMA_BIND_H
#define SEMA_BIND_H
#include "sema/internal.h"

enum { MOST_UNPACKED = 8 }; /* arguments that what is no tuple becomes, see _as_args */

typedef struct Formal {
    const char *name;
    int len;
    bool required, kwonly, posonly;
} Formal;

typedef struct Formals {
    const char *what;   /* "f", "np.sum" */
    const char *called; /* as CPython's errors at run time name it */
    int hidden;         /* arguments that nobody writes, the class of a named tuple */
    int n, n_pos;       /* named; those that positional arguments fill */
    bool varargs, keywords;
    bool own;     /* of a function of the user's */
    bool spreads; /* what is in *args may come from any iterable, by a star */
    Formal *at;
} Formals;

typedef struct Binder {
    Sema *s;
    const Node *call;
    const Formals *f;
    Call *out;
    bool *filled;
    int pos, given;
} Binder;

static inline bool
is_keyword(const Node *k)
{
    return k->kind == N_Keyword;
}

/* ---- bind_star.c ---- */
/* How many arguments without a name are behind a star; -1: another star is. */
int bind_behind(const Binder *b, const Node *star);
/* "'a', 'b', and 'c'": the k-th of n. */
void bind_add_name(StrBuf *b, const Formal *f, int k, int n);
/* "f() takes from 1 to 2 positional arguments but " */
const char *bind_takes(Sema *s, const Formals *f);
const Const *bind_miscounted(Sema *s, const Formals *f, int given, int m, int n);
/* f(*x) of what isn't a tuple: a tuple of its elements. */
Sem bind_iterable(Binder *b, const Node *k, Sem v);
/* f(a, *x, *y): all that has no name becomes one tuple, which is unpacked. */
void bind_want_one_star(Sema *s, const Node *call);
#endif
