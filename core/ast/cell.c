/* SPDX-License-Identifier: BSD-3-Clause
 * Variables that a nested function assigns by `nonlocal`. Each becomes the only element of a list
 * that nobody else has, which all functions of its scope share: `x = e` where it is made is
 * `x.cell = [e]`, and x is `x.cell[0]`. It is done where a statement of the owner's own body sets
 * it before all else, or where it is a parameter; elsewhere the `nonlocal` stays and is refused.
 * Variables of the module that functions set are cells that the caller makes (py/outer.c). */
#include "ast/search.h"

static const char CELL[] = ".cell";

bool
ast_is_cell(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && !strcmp(dot, CELL);
}

typedef struct Cell {
    Cx *cx;
    FuncDef *owner;
    Sym name, cell;
    const Node *made; /* the statement that sets it first; NULL: a parameter */
    bool seen;        /* that statement */
    Vec(Sym) waiting; /* functions before it that use the variable, and that nobody has called */
    bool early, odd;  /* it is used before; it is set in a way that an element can't be */
} Cell;

/* In this function's body: is it set, or said to be another's? */
static bool
finds(const Node *n, Sym name, NodeKind kind)
{
    bool found = n && n->kind == kind && n->name == name &&
                 (kind == N_Global ? n->op == NONLOCAL : n->op != CTX_LOAD);
    for (int i = 0; n && i < n->n && !found; i++)
        found = finds(n->kid[i], name, kind);
    return found;
}

/* Does the function say that it is the module's? */
static bool
finds_module(const Node *n, Sym name)
{
    bool found = n && n->kind == N_Global && n->name == name;
    for (int i = 0; n && i < n->n && !found; i++)
        found = finds_module(n->kid[i], name);
    return found;
}

static bool
sets(const Node *n, Sym name)
{
    bool found = n && n->kind == N_Name && n->name == name && n->op != CTX_LOAD;
    for (int i = 0; n && i < n->n && !found; i++)
        found = sets(n->kid[i], name);
    return found;
}

static bool
has_own(const FuncDef *f, Sym name)
{
    bool named = ast_is_param(f, name) || finds(f->body, name, N_Name) ||
                 finds(f->body, name, N_FunctionDef) || finds(f->body, name, N_Handler);
    return named && !finds(f->body, name, N_Global);
}

/* ---- may it? --------------------------------------------------------------------------------- */

static void look(Cell *c, const Node *n);

/* As if the variable were set. */
static void
look_within(Cell *c, const Node *body)
{
    c->seen = true;
    look(c, body);
    c->seen = false;
}

static bool
is_waiting(const Cell *c, Sym name)
{
    for (int i = 0; i < c->waiting.n; i++)
        if (c->waiting.at[i] == name)
            return true;
    return false;
}

/* Does it use the variable, or a function that waits for it? */
static bool
needs(const Cell *c, const Node *n)
{
    bool found = n && n->kind == N_Name && (n->name == c->name || is_waiting(c, n->name));
    for (int i = 0; n && i < n->n && !found; i++)
        found = needs(c, n->kid[i]);
    return found || (n && n->fn && needs(c, n->fn->body));
}

/* A function that is defined before the variable is set: right as long as nobody calls it. */
static bool
waits(Cell *c, const Node *def)
{
    for (int i = 0; i < def->fn->n_params; i++)
        if (def->fn->params[i].def_node || def->fn->params[i].name == c->name)
            return false;
    if (!needs(c, def->fn->body))
        return true;
    if (has_own(def->fn, c->name))
        return false;
    look_within(c, def->fn->body);
    VEC_PUSH(&c->cx->arena, c->waiting, def->name);
    return true;
}

static void
look(Cell *c, const Node *n)
{
    if (!n)
        return;
    if (n == c->made) {
        look(c, n->kid[0]);
        c->seen = true;
        return;
    }
    bool named = n->name == c->name;
    if (!c->seen && n->kind == N_FunctionDef && !named && waits(c, n))
        return;
    c->early |= n->kind == N_Name && !c->seen && is_waiting(c, n->name);
    c->early |= named && n->kind == N_Name && !c->seen;
    c->odd |= named && (n->kind == N_Handler || n->kind == N_FunctionDef);
    bool target = n->kind == N_For || n->kind == N_NamedExpr || n->kind == N_Comprehension ||
                  n->kind == N_With || n->kind == N_Delete || n->kind == N_Starred;
    for (int i = 0; target && i < n->n; i++)
        c->odd |= n->kid[i] && n->kid[i]->kind == N_Name && n->kid[i]->name == c->name &&
                  n->kid[i]->op != CTX_LOAD;
    for (int i = 0; i < n->n; i++)
        look(c, n->kid[i]);
    for (int i = 0; n->fn && i < n->fn->n_params; i++)
        look(c, n->fn->params[i].def_node);
    if (n->fn && !has_own(n->fn, c->name))
        look(c, n->fn->body);
}

/* ---- what it becomes ------------------------------------------------------------------------- */

static Node *
made(const Cell *c, FuncDef *f, const Node *at, NodeKind kind, int n)
{
    return ast_new(&c->cx->arena, f, kind, at->at, n);
}

static Node *
cell_name(const Cell *c, FuncDef *f, const Node *at, int op)
{
    Node *n = made(c, f, at, N_Name, 0);
    n->name = c->cell;
    n->op = op;
    return n;
}

static Node *
cell_list(const Cell *c, FuncDef *f, Node *value)
{
    Node *list = made(c, f, value, N_List, 1);
    list->kid[0] = value;
    return list;
}

static void
become_element(const Cell *c, FuncDef *f, Node *n)
{
    Const *zero = NEW(&c->cx->arena, Const);
    *zero = (Const){.kind = CV_INT};
    Node **kid = NEW_N(&c->cx->arena, Node *, 2);
    kid[0] = cell_name(c, f, n, CTX_LOAD);
    kid[1] = made(c, f, n, N_Const, 0);
    kid[1]->val = zero;
    n->kind = N_Subscript;
    n->name = NULL;
    n->kid = kid;
    n->n = 2;
}

static void
rewrite(const Cell *c, FuncDef *f, Node *n)
{
    if (!n)
        return;
    if (n == c->made) {
        rewrite(c, f, n->kid[0]);
        n->kid[0] = cell_list(c, f, n->kid[0]);
        n->kid[1] = cell_name(c, f, n->kid[1], CTX_STORE);
        return;
    }
    if (n->kind == N_Global && n->name == c->name && n->op == NONLOCAL) {
        n->kind = N_Pass;
        n->name = NULL;
    }
    if (n->kind == N_Name && n->name == c->name) { /* in place: it has the id that it had */
        become_element(c, f, n);
        return;
    }
    for (int i = 0; i < n->n; i++)
        rewrite(c, f, n->kid[i]);
    for (int i = 0; n->fn && i < n->fn->n_params; i++)
        rewrite(c, f, (Node *)n->fn->params[i].def_node);
    if (n->fn && !has_own(n->fn, c->name))
        rewrite(c, n->fn, n->fn->body);
}

/* x.cell = [x], of a parameter. */
static void
put_first(const Cell *c)
{
    FuncDef *f = c->owner;
    Node *set = made(c, f, f->body, N_Assign, 2), *x = made(c, f, f->body, N_Name, 0);
    set->at = x->at = f->at;
    x->name = c->name;
    set->kid[0] = cell_list(c, f, x);
    set->kid[1] = cell_name(c, f, x, CTX_STORE);
    ast_put_first(&c->cx->arena, f, set);
}

static bool
is_fixed(const Node *n)
{
    return n->kind == N_Const || (n->kind == N_UnaryOp && n->kid[0]->kind == N_Const);
}

/* x, y = 0, 1 or x = y = 0, in which nothing hangs on the order: how many names it sets; else 0 */
static int
splits(const Node *s)
{
    if (s->kind != N_Assign || s->n < 2)
        return 0;
    const Node *v = s->kid[0], *t = s->kid[1];
    bool chain = s->n > 2, fits = chain ? is_fixed(v) : v->kind == N_Tuple && t->kind == N_Tuple;
    int n = chain ? s->n - 1 : t->n;
    fits = fits && (chain || v->n == n);
    for (int i = 0; fits && i < n; i++)
        fits =
            (chain ? s->kid[1 + i] : t->kid[i])->kind == N_Name && (chain || is_fixed(v->kid[i]));
    return fits ? n : 0;
}

static Node *
copied(Cx *cx, FuncDef *f, const Node *v)
{
    Node *n = ast_new(&cx->arena, f, v->kind, v->at, v->n), **kid = n->kid;
    int id = n->id;
    *n = *v;
    n->id = id;
    n->kid = kid;
    for (int i = 0; i < v->n; i++)
        kid[i] = copied(cx, f, v->kid[i]);
    return n;
}

/* Such a statement of the body, as one for each name. */
static void
split_first(Cx *cx, FuncDef *f, Sym name)
{
    Node *b = f->body;
    for (int at = 0; at < b->n; at++) {
        Node *s = b->kid[at];
        int n = splits(s);
        bool sets = false;
        for (int i = 0; i < n; i++)
            sets |= (s->n > 2 ? s->kid[1 + i] : s->kid[1]->kid[i])->name == name;
        if (!sets)
            continue;
        Node **kid = NEW_N(&cx->arena, Node *, b->n + n);
        memcpy(kid, b->kid, sizeof *kid * (size_t)at);
        memcpy(kid + at + n, b->kid + at + 1, sizeof *kid * (size_t)(b->n - at - 1));
        for (int i = 0; i < n; i++) {
            kid[at + i] = ast_new(&cx->arena, f, N_Assign, s->at, 2);
            kid[at + i]->kid[0] = s->n > 2 ? copied(cx, f, s->kid[0]) : s->kid[0]->kid[i];
            kid[at + i]->kid[1] = s->n > 2 ? s->kid[1 + i] : s->kid[1]->kid[i];
        }
        b->kid = kid;
        b->n += n - 1;
        return;
    }
}

static void
make_cell(Cx *cx, FuncDef *owner, Sym name)
{
    Cell c = {cx, owner, name,
              .cell = intern(&cx->syms, arena_printf(&cx->arena, "%s%s", name, CELL))};
    c.seen = ast_is_param(owner, name);
    if (!c.seen)
        split_first(cx, owner, name);
    for (int i = 0; i < owner->body->n && !c.seen && !c.made; i++) {
        const Node *s = owner->body->kid[i];
        if (s->kind == N_Assign && s->n == 2 && s->kid[1]->kind == N_Name &&
            s->kid[1]->name == name)
            c.made = s;
    }
    if (!c.seen && !c.made)
        return;
    look(&c, owner->body);
    if (c.early || c.odd)
        return;
    rewrite(&c, owner, owner->body);
    if (!c.made)
        put_first(&c);
}

static void
find_nonlocals(Cx *cx, FuncDef *f, Node *n)
{
    if (!n)
        return;
    if (n->kind == N_Global && n->op == NONLOCAL && n->name) {
        FuncDef *owner = f->parent;
        while (owner && !has_own(owner, n->name))
            owner = owner->parent;
        if (owner)
            make_cell(cx, owner, n->name);
    }
    for (int i = 0; i < n->n; i++)
        find_nonlocals(cx, f, n->kid[i]);
    if (n->fn)
        find_nonlocals(cx, n->fn, n->fn->body);
}

void
ast_make_cells(Cx *cx, FuncDef *f)
{
    find_nonlocals(cx, f, f->body);
}

/* ---- variables of the module ----------------------------------------------------------------- */

typedef struct Module {
    Cell c;
    bool change; /* else it is only looked at */
    bool odd;
} Module;

static void walk_module(Module *m, FuncDef *f, bool seen);

static bool
is_odd_target(const Node *n)
{
    return n->kind == N_For || n->kind == N_NamedExpr || n->kind == N_Comprehension ||
           n->kind == N_With || n->kind == N_Delete || n->kind == N_Starred;
}

static void
walk_module_node(Module *m, FuncDef *f, Node *n, bool seen)
{
    if (!n)
        return;
    bool named = seen && n->name == m->c.name;
    if (named && n->kind == N_Name && m->change) {
        become_element(&m->c, f, n);
        return;
    }
    if (named && n->kind == N_Global && m->change) {
        n->kind = N_Pass;
        n->name = NULL;
    }
    m->odd |= named && (n->kind == N_Handler || n->kind == N_FunctionDef);
    for (int i = 0; i < n->n; i++) {
        Node *k = n->kid[i];
        m->odd |= seen && k && is_odd_target(n) && k->kind == N_Name && k->name == m->c.name &&
                  k->op != CTX_LOAD;
        walk_module_node(m, f, k, seen);
    }
    for (int i = 0; n->fn && i < n->fn->n_params; i++)
        walk_module_node(m, f, (Node *)n->fn->params[i].def_node, seen);
    if (n->fn)
        walk_module(m, n->fn, seen);
}

static void
walk_module(Module *m, FuncDef *f, bool seen)
{
    bool is = finds_module(f->body, m->c.name);
    walk_module_node(m, f, f->body, is || (seen && !has_own(f, m->c.name)));
}

void
ast_become_element(Cx *cx, FuncDef *f, Node *n, Sym cell)
{
    Cell c = {.cx = cx, .owner = f, .cell = cell};
    become_element(&c, f, n);
}

bool
ast_outer_cell(Cx *cx, FuncDef *f, Sym name, Sym cell)
{
    Module m = {.c = {.cx = cx, .owner = f, .name = name, .cell = cell}};
    walk_module(&m, f, true);
    if (m.odd)
        return false;
    m.change = true;
    walk_module(&m, f, true);
    return true;
}

static const Node *
next_set(const FuncDef *f, const Node *n, const Node *after, bool *past)
{
    const Node *found = NULL;
    if (!n)
        return NULL;
    if (n->kind == N_Global && n->name && *past && sets(f->body, n->name))
        return n;
    *past |= n == after;
    for (int i = 0; i < n->n && !found; i++)
        found = next_set(f, n->kid[i], after, past);
    return found || !n->fn ? found : next_set(n->fn, n->fn->body, after, past);
}

const Node *
ast_outer_set(const FuncDef *f, const Node *after)
{
    bool past = !after;
    return next_set(f, f->body, after, &past);
}
