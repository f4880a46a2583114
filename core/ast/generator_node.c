/* SPDX-License-Identifier: BSD-3-Clause
 * Nodes for what generator.c writes out, and which generator a call is of. */
#include "ast/generator.h"

Node *
ast_gen_node(Expand *x, NodeKind k, Span at, int n, Node *const *kid)
{
    Node *to = ast_new(&x->cx->arena, x->fn, k, at, n);
    if (n)
        memcpy(to->kid, kid, sizeof *kid * (size_t)n);
    return to;
}

Node *
ast_gen_name(Expand *x, Span at, Sym name, int op)
{
    Node *n = ast_gen_node(x, N_Name, at, 0, NULL);
    n->name = name;
    n->op = op;
    return n;
}

Node *
ast_gen_set(Expand *x, Span at, Sym name, Node *value)
{
    ast_gen_local(x, name);
    return ast_gen_node(x, N_Assign, at, 2,
                        (Node *[]){value, ast_gen_name(x, at, name, CTX_STORE)});
}

void
ast_gen_update(Expand *x, const Node *n, Sym name, Nodes *out)
{
    Span at = n->kid[0]->at;
    Node *of = ast_gen_copy(x, n->kid[0]);
    of->op = CTX_LOAD;
    VEC_PUSH(&x->cx->arena, *out, ast_gen_set(x, at, name, of));
    Node *by[] = {ast_gen_name(x, at, name, CTX_STORE), ast_gen_copy(x, n->kid[1])};
    Node *aug = ast_gen_node(x, N_AugAssign, n->at, 2, by);
    aug->op = n->op;
    VEC_PUSH(&x->cx->arena, *out, aug);
}

static Node *
constant(Expand *x, Span at, const Const *c)
{
    Node *n = ast_gen_node(x, N_Const, at, 0, NULL);
    n->val = arena_dup(&x->cx->arena, c, sizeof *c);
    return n;
}

Node *
ast_gen_bool(Expand *x, Span at, bool v)
{
    return constant(x, at, &(Const){.kind = CV_BOOL, .b = v, .i = v});
}

Node *
ast_gen_int(Expand *x, Span at, int64_t v)
{
    return constant(x, at, &(Const){.kind = CV_INT, .i = v});
}

Node *
ast_gen_str(Expand *x, Span at, const char *text)
{
    return constant(x, at, &(Const){.kind = CV_STR, .str = text, .str_len = strlen(text)});
}

Node *
ast_gen_compare(Expand *x, Span at, Node *left, CmpKind op, Node *right)
{
    Node *n = ast_gen_node(x, N_Compare, at, 2, (Node *[]){left, right});
    n->ops = arena_dup(&x->cx->arena, &(int){op}, sizeof(int));
    return n;
}

Node *
ast_gen_block(Expand *x, Span at, const Nodes *n)
{
    if (!n->n)
        return ast_gen_node(x, N_Block, at, 1, (Node *[]){ast_gen_node(x, N_Pass, at, 0, NULL)});
    return ast_gen_node(x, N_Block, at, n->n, n->at);
}

Node *
ast_gen_copy(Expand *x, const Node *n)
{
    return ast_gen_substituted(x, n, NULL, NULL);
}

Node *
ast_gen_substituted(Expand *x, const Node *n, Sym name, const Node *by)
{
    if (!n)
        return NULL;
    if (by && n->kind == N_Name && n->name == name)
        return ast_gen_copy(x, by);
    Node *to = ast_new(&x->cx->arena, x->fn, n->kind, n->at, n->n);
    int id = to->id;
    Node **kid = to->kid;
    *to = *n;
    to->id = id;
    to->kid = kid;
    for (int i = 0; i < n->n; i++)
        kid[i] = ast_gen_substituted(x, n->kid[i], name, by);
    to->rounds = ast_gen_substituted(x, n->rounds, name, by);
    return to;
}

Node *
ast_gen_refuse(Expand *x, Span at, const char *why)
{
    Node *n = ast_gen_node(x, N_Unsupported, at, 0, NULL);
    n->name = intern(&x->cx->syms, why);
    return n;
}

static void
add_symbol(Arena *a, Sym **list, int *n, Sym name)
{
    for (int i = 0; i < *n; i++)
        if ((*list)[i] == name)
            return;
    Sym *more = NEW_N(a, Sym, *n + 1);
    if (*n)
        memcpy(more, *list, sizeof *more * (size_t)*n);
    more[(*n)++] = name;
    *list = more;
}

void
ast_gen_local(Expand *x, Sym name)
{
    add_symbol(&x->cx->arena, &x->fn->locals, &x->fn->n_locals, name);
}

const char *
ast_shown(Arena *a, const char *name)
{
    const char *dot = strstr(name, ".g");
    if (ast_is_cell(name))
        return arena_printf(a, "%.*s", (int)(strrchr(name, '.') - name), name);
    return dot && dot[2 + strspn(dot + 2, "0123456789")] == 0
               ? arena_printf(a, "%.*s", (int)(dot - name), name)
               : name;
}

/* ---- who is called --------------------------------------------------------------------------- */

static int
count_stores(const Node *n, Sym name, const FuncDef **def)
{
    if (!n)
        return 0;
    int k = (n->kind == N_Name && n->name == name && n->op != CTX_LOAD) ||
            (n->kind == N_Handler && n->name == name);
    if (n->kind == N_FunctionDef && n->name == name) {
        *def = n->fn;
        k = 1;
    }
    for (int i = 0; i < n->n; i++)
        k += count_stores(n->kid[i], name, def);
    return k;
}

/* The function that the name is bound to, once and for all, in fn or around it. */
static const FuncDef *
local_function(const FuncDef *fn, Sym name, bool *is_local)
{
    for (; fn; fn = fn->parent)
        for (int i = 0; i < fn->n_locals; i++)
            if (fn->locals[i] == name) {
                const FuncDef *def = NULL;
                *is_local = true;
                return count_stores(fn->body, name, &def) == 1 ? def : NULL;
            }
    return NULL;
}

static const Const *
called_constant(const FuncDef *fn, const Node *f)
{
    return f->kind == N_Const ? f->val : f->kind == N_Name ? ast_global(fn, f->name) : NULL;
}

const FuncDef *
ast_gen_function(const FuncDef *fn, const Node *f)
{
    bool is_local = false;
    const FuncDef *def = f->kind == N_Name ? local_function(fn, f->name, &is_local) : NULL;
    const Const *c = is_local ? NULL : called_constant(fn, f);
    return c && c->kind == CV_FUNC ? c->ref : def;
}

const FuncDef *
ast_gen_called(const FuncDef *fn, const Node *call)
{
    const FuncDef *def = call && call->kind == N_Call ? ast_gen_function(fn, call->kid[0]) : NULL;
    return def && def->is_generator && !(def->object && def->only_object) ? def : NULL;
}

const Builtin *
ast_gen_builtin(const FuncDef *fn, const Node *call)
{
    bool is_local = false;
    if (!call || call->kind != N_Call)
        return NULL;
    if (call->kid[0]->kind == N_Name)
        local_function(fn, call->kid[0]->name, &is_local);
    const Const *c = is_local ? NULL : called_constant(fn, call->kid[0]);
    return c && c->kind == CV_BUILTIN ? c->ref : NULL;
}
