/* SPDX-License-Identifier: BSD-3-Clause
 * Which variables of a generator are fields of its objects. A variable stays one where all that
 * happens to it lies in statements between two yields of one block, and these set it before they
 * read it; all others live across a yield, or might. */
#include "ast/resume.h"

/* ---- set before it is read ------------------------------------------------------------------- */

/* The variable in a node, in functions that are defined there as well. */
static bool
has(const Node *n, Sym name)
{
    bool found = n && ((n->kind == N_Name && n->name == name) ||
                       ((n->kind == N_Handler || n->kind == N_FunctionDef) && n->name == name));
    for (int i = 0; n && n->fn && !found && i < n->fn->n_free; i++)
        found = n->fn->free[i] == name;
    for (int i = 0; n && n->fn && !found && i < n->fn->n_params; i++)
        found = has(n->fn->params[i].def_node, name);
    for (int i = 0; n && !found && i < n->n; i++)
        found = has(n->kid[i], name);
    return found;
}

static bool sets_first(Node *const *s, int n, Sym name);

static bool
block_sets_first(const Node *b, Sym name)
{
    return !b || !has(b, name) || sets_first(b->kid, b->n, name);
}

static bool
is_bound_in(const Node *target, Sym name)
{
    bool plain = target->kind == N_Name && target->name == name;
    bool parts = target->kind == N_Tuple || target->kind == N_List || target->kind == N_Starred;
    for (int i = 0; parts && i < target->n && !plain; i++)
        plain = is_bound_in(target->kid[i], name);
    return plain;
}

/* Of the statement in which the variable occurs first: only there, or there for good. */
static bool
statement_sets_first(const Node *s, Sym name, bool only_here)
{
    switch (s->kind) {
    case N_Assign:
        for (int k = 1; !has(s->kid[0], name) && k < s->n; k++)
            if (is_bound_in(s->kid[k], name))
                return true;
        return false;
    case N_FunctionDef:
        return s->name == name;
    case N_Block:
        return sets_first(s->kid, s->n, name);
    case N_If:
        return only_here && !has(s->kid[0], name) && block_sets_first(s->kid[1], name) &&
               block_sets_first(s->kid[2], name);
    case N_While:
        return only_here && !has(s->kid[0], name) && block_sets_first(s->kid[1], name) &&
               !has(s->kid[2], name);
    case N_For:
        if (!only_here || has(s->kid[1], name) || has(s->kid[3], name))
            return false;
        return is_bound_in(s->kid[0], name) ||
               (!has(s->kid[0], name) && block_sets_first(s->kid[2], name));
    case N_Try:
        for (int i = 3; only_here && i < s->n; i++)
            if (s->kid[i]->name != name && has(s->kid[i], name))
                return false;
        return only_here && block_sets_first(s->kid[0], name) && !has(s->kid[1], name) &&
               !has(s->kid[2], name);
    case N_With:
        return only_here && strchr(name, '.');
    default:
        return false;
    }
}

static bool
sets_first(Node *const *s, int n, Sym name)
{
    int first = 0, more = 0;
    while (first < n && !has(s[first], name))
        first++;
    for (int i = first + 1; i < n; i++)
        more += has(s[i], name);
    return first == n || statement_sets_first(s[first], name, !more);
}

/* ---- across a yield -------------------------------------------------------------------------- */

static int
count(const Node *n, Sym name)
{
    int k = n && ((n->kind == N_Name || n->kind == N_Handler || n->kind == N_FunctionDef) &&
                  n->name == name);
    for (int i = 0; n && n->fn && i < n->fn->n_free; i++)
        k += n->fn->free[i] == name;
    for (int i = 0; n && n->fn && i < n->fn->n_params; i++)
        k += count(n->fn->params[i].def_node, name);
    for (int i = 0; n && i < n->n; i++)
        k += count(n->kid[i], name);
    return k;
}

/* Is all of it in statements of one block between two yields, which set it first? */
static bool
is_between(const Node *n, Sym name, int all)
{
    if (!n || !has(n, name))
        return false;
    for (int i = 0; n->kind == N_Block && i < n->n;) {
        int from = i, found = 0;
        for (; i < n->n && !ast_has_kind(n->kid[i], N_Yield); i++)
            found += count(n->kid[i], name);
        if (found == all)
            return sets_first(n->kid + from, i - from, name);
        i += i == from;
    }
    for (int i = 0; i < n->n; i++)
        if (is_between(n->kid[i], name, all))
            return true;
    return false;
}

/* Is it the target of comprehensions only? */
static bool
is_only_inner(const Node *n, Sym name, bool inner)
{
    if (!n)
        return true;
    if (n->kind == N_Name && n->name == name)
        return inner;
    if (n->kind == N_ListComp)
        for (int i = 1; i < n->n; i++)
            inner |= is_bound_in(n->kid[i]->kid[0], name);
    for (int i = 0; n->fn && i < n->fn->n_free; i++)
        if (n->fn->free[i] == name && !inner)
            return false;
    for (int i = 0; i < n->n; i++)
        if (!is_only_inner(n->kid[i], name, inner))
            return false;
    return true;
}

/* Is it the name of what was caught, which is gone behind its handler, and read nowhere else? */
static bool
is_only_caught(const Node *n, Sym name, bool inside)
{
    if (!n)
        return true;
    if (n->kind == N_Handler && n->name == name)
        inside = true;
    if ((n->kind == N_Name || n->kind == N_FunctionDef) && n->name == name)
        return inside && n->op == CTX_LOAD && n->kind == N_Name;
    for (int i = 0; n->fn && i < n->fn->n_free; i++)
        if (n->fn->free[i] == name && !inside)
            return false;
    for (int i = 0; i < n->n; i++)
        if (!is_only_caught(n->kid[i], name, inside))
            return false;
    return true;
}

static int
count_bound(const Node *n, Sym name)
{
    bool is = n && n->name == name &&
              ((n->kind == N_Name && n->op != CTX_LOAD) || n->kind == N_Handler ||
               n->kind == N_FunctionDef);
    int k = is;
    for (int i = 0; n && i < n->n; i++)
        k += count_bound(n->kid[i], name);
    return k;
}

bool
ast_resume_is_made_anew(const FuncDef *gen, const Node *s)
{
    bool is = s->kind == N_FunctionDef && !s->n && !ast_is_param(gen, s->name);
    for (int i = 0; is && i < s->fn->n_params; i++)
        is = !s->fn->params[i].def_node;
    for (int i = 0; is && i < gen->body->n && gen->body->kid[i] != s; i++)
        is = gen->body->kid[i]->kind == N_FunctionDef || !has(gen->body->kid[i], s->name);
    return is && count_bound(gen->body, s->name) == 1;
}

/* The name of such a function, or of a variable that one takes, which must be there each time. */
static bool
is_of_functions(const FuncDef *g, Sym name, bool taken)
{
    for (int i = 0; i < g->body->n; i++) {
        const Node *s = g->body->kid[i];
        if (!ast_resume_is_made_anew(g, s))
            continue;
        if (taken ? ast_has_name(s->fn->free, s->fn->n_free, name) : s->name == name)
            return true;
    }
    return false;
}

void
ast_resume_keep(Resume *r, Resumable *of)
{
    const FuncDef *g = of->gen;
    Arena *a = &r->cx->arena;
    for (int i = 0; i < g->n_locals; i++) {
        Sym name = g->locals[i];
        int all = count(g->body, name);
        if (is_of_functions(g, name, false))
            continue;
        if (ast_is_param(g, name) || is_of_functions(g, name, true)
                ? all > 0
                : all && !is_only_inner(g->body, name, false) && !is_between(g->body, name, all) &&
                      !is_only_caught(g->body, name, false))
            VEC_PUSH(a, of->kept, name);
    }
}

/* ---- read before it is set ------------------------------------------------------------------- */

typedef struct Reads {
    Sym name;
    bool early; /* it is read where it may not be set */
} Reads;

static bool after(Reads *r, const Node *n, bool set);

static bool
after_loop(Reads *r, const Node *n, bool set)
{
    int body = n->kind == N_For ? 2 : 1;
    bool test = after(r, n->kid[body - 1], set);
    bool bound = n->kind == N_For && is_bound_in(n->kid[0], r->name);
    after(r, n->kid[body], test || bound);
    bool els = n->n > body + 1 && n->kid[body + 1] ? after(r, n->kid[body + 1], test) : test;
    return test && els;
}

/* Is it surely set behind n, where it was before? Behind a jump, nothing runs. */
static bool
after(Reads *r, const Node *n, bool set)
{
    if (!n)
        return set;
    if (n->kind == N_For || n->kind == N_While)
        return after_loop(r, n, set);
    if (n->kind == N_If || n->kind == N_IfExp) {
        set = after(r, n->kid[0], set);
        bool then = after(r, n->kid[1], set), els = after(r, n->kid[2], set);
        return then && els;
    }
    if (n->kind == N_Try || n->kind == N_With) {
        bool all = after(r, n->kid[0], n->kind == N_With ? after(r, n->kid[2], set) : set);
        if (n->kind == N_With)
            return set;
        all = after(r, n->kid[1], all);
        for (int i = 3; i < n->n; i++)
            all &= after(r, n->kid[i]->kid[1], set);
        bool last = after(r, n->kid[2], set);
        return n->kid[2] ? all || last : all;
    }
    if (n->kind == N_Name && n->name == r->name) {
        r->early |= n->op == CTX_LOAD && !set;
        return n->op == CTX_LOAD ? set : n->op == CTX_STORE;
    }
    if (n->kind == N_FunctionDef && n->name == r->name)
        return true;
    for (int i = 0; n->fn && i < n->fn->n_free; i++)
        r->early |= n->fn->free[i] == r->name && !set;
    if (n->kind == N_AugAssign)
        r->early |= is_bound_in(n->kid[0], r->name) && !set;
    bool is = set;
    for (int i = 0; i < n->n; i++)
        is = after(r, n->kid[i], is);
    if (n->kind == N_BoolOp || n->kind == N_ListComp)
        return set;
    return is || n->kind == N_Return || n->kind == N_Raise || n->kind == N_Break ||
           n->kind == N_Continue;
}

bool
ast_resume_may_lack(const FuncDef *gen, Sym name)
{
    Reads r = {.name = name};
    after(&r, gen->body, ast_is_param(gen, name));
    return r.early;
}
