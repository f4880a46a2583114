/* SPDX-License-Identifier: BSD-3-Clause
 * The syntax tree's own small services: making nodes, finding what a global name stood
 * for, and the source text under a node. The names of kinds and operators live here,
 * expanded from def/ast.def, so that printing and messages agree. */
#include "ast/search.h"

#define AST(kind, kids) #kind,
const char *const node_kind_name[N_COUNT] = {
#include "def/ast.def"
};
#undef AST

const char *const binop_text[] = {"+", "-",  "*",  "/", "//", "%", "**",
                                  "@", "<<", ">>", "|", "^",  "&"};
const char *const unary_text[] = {"-", "+", "~", "not "};
const char *const cmp_text[] = {"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"};

Node *
ast_new(Arena *a, FuncDef *f, NodeKind k, Span at, int n_kids)
{
    Node *n = NEW(a, Node);
    n->kind = k;
    n->at = at;
    n->n = n_kids;
    n->kid = n_kids ? NEW_N(a, Node *, n_kids) : NULL;
    n->id = f->n_nodes++;
    return n;
}

Node *
ast_const(Arena *a, FuncDef *f, Span at, const Const *c)
{
    Node *n = ast_new(a, f, N_Const, at, 0);
    n->val = c;
    return n;
}

void
ast_put_first(Arena *a, FuncDef *f, Node *s)
{
    const Node *old = f->body;
    f->body = ast_new(a, f, N_Block, old->at, old->n + 1);
    f->body->kid[0] = s;
    memcpy(f->body->kid + 1, old->kid, sizeof *old->kid * (size_t)old->n);
}

bool
ast_has_name(const Sym *names, int n, Sym name)
{
    for (int i = 0; i < n; i++)
        if (names[i] == name)
            return true;
    return false;
}

bool
ast_is_local(const FuncDef *f, Sym name)
{
    for (; f; f = f->parent)
        if (ast_has_name(f->locals, f->n_locals, name))
            return true;
    return false;
}

const Const *
ast_global(const FuncDef *f, Sym name)
{
    while (f->parent)
        f = f->parent;
    for (int i = 0; i < f->n_globals; i++)
        if (f->globals[i].name == name)
            return f->globals[i].val;
    return NULL;
}

/* The start of a line of the file in the source's text, or NULL when it isn't there. */
static const char *
line_start(const Source *s, int line)
{
    const char *p = s->text;
    for (int at = s->first_line; at < line; at++) {
        p = strchr(p, '\n');
        if (!p)
            return NULL;
        p++;
    }
    return line < s->first_line ? NULL : p;
}

const char *
ast_text(Arena *a, const Node *n)
{
    const Source *s = n->at.src;
    if (!s || !s->text)
        return "";
    const char *from = line_start(s, n->at.line), *last = line_start(s, n->at.end_line);
    if (!from || !last)
        return "";
    from += n->at.col;
    const char *to = last + n->at.end_col;
    size_t len = strlen(s->text);
    if (to > s->text + len || from >= to)
        return "";
    const char *nl = memchr(from, '\n', (size_t)(to - from));
    if (!nl)
        return arena_printf(a, "%.*s", (int)(to - from), from);
    while (nl > from && (nl[-1] == ' ' || nl[-1] == '\t' || nl[-1] == '\r'))
        nl--;
    return arena_printf(a, "%.*s...", (int)(nl - from), from);
}

/* ---- search.h -------------------------------------------------------------------------------- */

const Node *
ast_find(const Node *n, AstTest test, const void *arg)
{
    const Node *found = n && test(n, arg) ? n : NULL;
    for (int i = 0; n && i < n->n && !found; i++)
        found = ast_find(n->kid[i], test, arg);
    return found;
}

static bool
is_kind(const Node *n, const void *arg)
{
    return n->kind == *(const NodeKind *)arg;
}

bool
ast_has_kind(const Node *n, NodeKind kind)
{
    return ast_find(n, is_kind, &kind) != NULL;
}

static bool
is_node(const Node *n, const void *arg)
{
    return n == arg;
}

bool
ast_has_node(const Node *n, const Node *what)
{
    return ast_find(n, is_node, what) != NULL;
}

static bool
is_name(const Node *n, const void *arg)
{
    return n->kind == N_Name && n->name == arg;
}

bool
ast_mentions(const Node *n, Sym name)
{
    return ast_find(n, is_name, name) != NULL;
}

static bool
is_target(const Node *n, const void *arg)
{
    return is_name(n, arg) && n->op != CTX_LOAD;
}

bool
ast_sets(const Node *n, Sym name)
{
    return ast_find(n, is_target, name) != NULL;
}

int
ast_size(const Node *n)
{
    int sum = n != NULL;
    for (int i = 0; n && i < n->n; i++)
        sum += ast_size(n->kid[i]);
    return sum;
}

/* How often the name is set in n. */
static int
times_set(const Node *n, Sym name)
{
    bool def = n && n->kind == N_FunctionDef && n->fn->name == name;
    int k = def || (n && n->kind == N_Name && n->op == CTX_STORE && n->name == name);
    for (int i = 0; n && i < n->n; i++)
        k += times_set(n->kid[i], name);
    return k;
}

static bool
is_set_again(const FuncDef *f, const Node *n)
{
    bool again = false;
    if (n->kind == N_Name) {
        int k = times_set(f->body, n->name);
        for (int i = 0; i < f->n_params; i++)
            k += f->params[i].name == n->name;
        again = k > 1;
    }
    for (int i = 0; i < n->n && !again; i++)
        again = is_set_again(f, n->kid[i]);
    return again;
}

/* map and filter have what their function is when they are called; written out as a generator
 * expression, its name is read later. */
bool
ast_maps_by_other(const FuncDef *f, const Node *e)
{
    const Node *test = e->kid[1]->n > 2 ? e->kid[1]->kid[2] : NULL;
    const Node *call = test ? test : e->kid[0];
    return e->name && call->kind == N_Call && is_set_again(f, call->kid[0]);
}

bool
ast_is_param(const FuncDef *f, Sym name)
{
    for (int i = 0; i < f->n_params; i++)
        if (f->params[i].name == name)
            return true;
    return false;
}

Method *
ast_method(const Program *p, const void *cls, const char *name)
{
    for (int i = 0; i < p->methods.n; i++)
        if (p->methods.at[i].cls == cls && !strcmp(p->methods.at[i].name, name))
            return &p->methods.at[i];
    return NULL;
}
